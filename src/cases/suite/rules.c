/* Checks what the keys of a case require and exclude. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "suite/suite_private.h"

enum { LONGEST_NAME = 100 };

static int check_name(const struct pm_suite__file *file, const struct pm_suite__draft *draft,
                      struct pm_error *err)
{
    static const enum pm_suite__case_key required[] = {PM_KEY_NAME, PM_KEY_CALL};
    static const char *const examples[] = {"name: rows", "call: package.sort(x)"};
    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        if (!pm_suite__has(draft, required[i]))
            return pm_suite__wrong(file, draft->node, err,
                                   "the case has no '%s': add one, as in %s", i ? "call" : "name",
                                   examples[i]);
    const char *name = draft->c.base;
    bool plain = strlen(name) <= LONGEST_NAME;
    for (const char *at = name; *at; at++)
        plain = plain && (unsigned char)*at >= ' ' && !strchr("/[]$", *at);
    if (!plain)
        return pm_suite__wrong(file, draft->entries[PM_KEY_NAME].value, err,
                               "the name of a case must be one line of at most %d bytes without / "
                               "[ ] $: choose another name",
                               LONGEST_NAME);
    return PM_OK;
}

/* Returns whether drivers bind a name themselves, as they bind the name of the framework. */
static bool is_reserved(const struct pm_suite__file *file, const char *name, const char *function)
{
    const bool bound =
        strcmp(name, "device") == 0 || strcmp(name, "out") == 0 || strcmp(name, "captured") == 0;
    if (bound || pm_words_find(&file->words->bound, name) >= 0)
        return true;
    const size_t package = strcspn(function, ".");
    return strncmp(name, "__", 2) == 0 ||
           (strlen(name) == package && strncmp(name, function, package) == 0);
}

static struct fy_node *input_key(const struct pm_suite__draft *draft, size_t input)
{
    return fy_node_pair_key(
        fy_node_mapping_get_by_index(draft->entries[PM_KEY_INPUTS].value, (int)input));
}

static int check_inputs(const struct pm_suite__file *file, const char *function,
                        const struct pm_suite__draft *draft, struct pm_error *err)
{
    for (size_t i = 0; i < draft->c.input_count; i++) {
        const char *name = draft->c.inputs[i].name;
        if (!pm_suite__is_identifier(name))
            return pm_suite__wrong(
                file, input_key(draft, i), err, "input '%.64s' is %s: choose another name", name,
                pm_suite__is_keyword(name) ? "a keyword of Python" : "not a valid Python name");
        if (is_reserved(file, name, function))
            return pm_suite__wrong(file, input_key(draft, i), err,
                                   "input '%s' has a name that portmeter uses: choose another",
                                   name);
    }
    return PM_OK;
}

/* Checks that `$dtype` and `$shape` are used if they have values, and have values if they are
 * used. */
static int check_variables(const struct pm_suite__file *file, const struct pm_suite__draft *draft,
                           struct pm_error *err)
{
    const struct pm_case *c = &draft->c;
    const char *const code[] = {c->context, c->setup, c->call, c->output, c->expect, c->check};
    bool dtype = false, shape = false, shape_in_code = false;
    for (size_t i = 0; i < c->input_count; i++) {
        dtype = dtype || pm_suite__mentions(c->inputs[i].text, "$dtype");
        shape = shape || pm_suite__mentions(c->inputs[i].text, "$shape");
    }
    for (size_t i = 0; i < sizeof code / sizeof *code; i++) {
        dtype = dtype || pm_suite__mentions(code[i], "$dtype");
        shape_in_code = shape_in_code || pm_suite__mentions(code[i], "$shape");
    }
    if (dtype && !draft->dtype_count)
        return pm_suite__wrong(file, draft->node, err,
                               "the case uses $dtype, but has no 'dtypes': add a list of dtypes");
    if (!dtype && draft->dtype_count)
        return pm_suite__wrong(
            file, draft->entries[PM_KEY_DTYPES].key, err,
            "the case has 'dtypes', but does not use $dtype: use it, or remove 'dtypes'");
    if (shape_in_code)
        return pm_suite__wrong(
            file, draft->node, err,
            "$shape is allowed only in 'inputs', but other text of the case uses "
            "it: write the shape of an input there, such as x.shape");
    if (shape && !c->shape_count)
        return pm_suite__wrong(file, draft->node, err,
                               "the case uses $shape, but has no 'shapes': add a list of shapes");
    if (!shape && c->shape_count)
        return pm_suite__wrong(
            file, draft->entries[PM_KEY_SHAPES].key, err,
            "the case has 'shapes', but its inputs do not use $shape: use it, or remove 'shapes'");
    return PM_OK;
}

/* Checks that no two keys of a case exclude each other. */
static int check_pairs(const struct pm_suite__file *file, const struct pm_suite__draft *draft,
                       struct pm_error *err)
{
    static const struct {
        enum pm_suite__case_key key, other;
        const char *why;
    } pairs[] = {
        {PM_KEY_RAISES, PM_KEY_EXPECT, "a call that must raise has no value"},
        {PM_KEY_RAISES, PM_KEY_CHECK, "a call that must raise has no value"},
        {PM_KEY_RAISES, PM_KEY_OUTPUT, "a call that must raise has no value"},
        {PM_KEY_RAISES, PM_KEY_COMPARE, "a call that must raise has no value"},
        {PM_KEY_RAISES, PM_KEY_TOLERANCE, "a call that must raise has no value"},
        {PM_KEY_RAISES, PM_KEY_HOST_OUTPUTS, "a call that must raise has no value"},
        {PM_KEY_RAISES, PM_KEY_BACKWARD, "a call that must raise has no gradient"},
        {PM_KEY_RAISES, PM_KEY_SHAPES, "a call that must raise has no latency"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct pm_suite__entry *other = &draft->entries[pairs[i].other];
        if (pm_suite__has(draft, pairs[i].key) && other->key)
            return pm_suite__wrong(file, other->key, err,
                                   "'%s' contradicts 'raises', because %s: remove one of them",
                                   fy_node_get_scalar0(other->key), pairs[i].why);
    }
    return PM_OK;
}

/* Returns whether an expression is a constant, which does not depend on the result of the call. */
static bool is_constant(const char *text)
{
    double number;
    char *trimmed = pm_strdup(text);
    size_t length = strlen(trimmed);
    while (length && isspace((unsigned char)trimmed[length - 1]))
        trimmed[--length] = '\0';
    const char *at = trimmed + strspn(trimmed, " \t\r\n");
    const bool constant = pm_parse_double(at, &number) || strcmp(at, "None") == 0 ||
                          strcmp(at, "True") == 0 || strcmp(at, "False") == 0 ||
                          strcmp(at, "()") == 0 || strcmp(at, "[]") == 0 || strcmp(at, "{}") == 0;
    free(trimmed);
    return constant;
}

/* Checks `undefined`. It must link to a sentence of the documentation that leaves the values
 * undefined: it is not enough that the documentation does not mention them. */
static int check_undefined(const struct pm_suite__file *file, const struct pm_suite__draft *draft,
                           struct pm_error *err)
{
    static const enum pm_suite__case_key others[] = {PM_KEY_COMPARE, PM_KEY_TOLERANCE,
                                                     PM_KEY_EXPECT, PM_KEY_RAISES};
    const char *link = draft->c.undefined;
    if (!link)
        return PM_OK;
    if (strncmp(link, "https://", strlen("https://")) || strchr(link, ' '))
        return pm_suite__wrong(file, draft->entries[PM_KEY_UNDEFINED].value, err,
                               "'undefined' is not a link: link to the sentence of the framework's "
                               "documentation that leaves the values undefined");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (pm_suite__has(draft, others[i]))
            return pm_suite__wrong(file, draft->entries[others[i]].key, err,
                                   "'%s' contradicts 'undefined', by which only dtypes and shapes "
                                   "are compared: remove one of them",
                                   fy_node_get_scalar0(draft->entries[others[i]].key));
    return PM_OK;
}

/* Checks a case across frameworks: several frameworks receive inputs with the same bits, and one
 * expression judges all results. */
static int check_across(const struct pm_suite__file *file, const struct pm_suite__draft *draft,
                        struct pm_error *err)
{
    const struct pm_case *c = &draft->c;
    return c->across && (!c->expect || !c->input_count)
               ? pm_suite__wrong(file, draft->entries[PM_KEY_ACROSS].key, err,
                                 "'across' needs 'inputs' and 'expect', by which the frameworks "
                                 "are judged: add them")
               : PM_OK;
}

static int check_can_fail(const struct pm_suite__file *file, const struct pm_suite__draft *draft,
                          struct pm_error *err)
{
    const struct pm_case *c = &draft->c;
    static const enum pm_suite__case_key keys[] = {PM_KEY_OUTPUT, PM_KEY_CHECK};
    const char *const texts[] = {c->output, c->check};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (texts[i] && is_constant(texts[i]))
            return pm_suite__wrong(file, draft->entries[keys[i]].value, err,
                                   "'%s' is a constant, so the case cannot fail: use the "
                                   "result of the call",
                                   fy_node_get_scalar0(draft->entries[keys[i]].key));
    if (c->reference == PM_CASE_REFERENCE_NONE && !c->check && !c->expect && !c->raises_type)
        return pm_suite__wrong(
            file, draft->entries[PM_KEY_REFERENCE].key, err,
            "the case has 'reference: none', but neither 'check' nor 'expect', so it "
            "cannot fail: add one of them");
    return PM_OK;
}

static bool is_path_expression(const char *text)
{
    char *copy = pm_strdup(text), *rest = copy, *piece;
    bool dotted = true;
    while ((piece = strsep(&rest, ".")))
        dotted = dotted && pm_suite__is_identifier(piece);
    free(copy);
    return dotted;
}

static int check_objects(const struct pm_suite__file *file, bool host_only,
                         const struct pm_suite__draft *draft, struct pm_error *err)
{
    const struct pm_case *c = &draft->c;
    for (size_t i = 0; i < c->module_count; i++)
        if (!c->setup || !is_path_expression(c->modules[i]))
            return pm_suite__wrong(
                file, draft->entries[PM_KEY_MODULES].value, err,
                "'%.64s' of 'modules' is not a name from 'setup': define it there, or remove it",
                c->modules[i]);
    for (size_t i = 0; i < c->host_output_count; i++) {
        const char *path = c->host_outputs[i];
        if (strncmp(path, "out", 3) != 0 || (path[3] && path[3] != '.' && path[3] != '['))
            return pm_suite__wrong(
                file, draft->entries[PM_KEY_HOST_OUTPUTS].value, err,
                "'%.64s' of 'host_outputs' is not the path of an output: write it "
                "as in out[1].batch_sizes",
                path);
    }
    if (host_only && c->backward)
        return pm_suite__wrong(file, draft->entries[PM_KEY_BACKWARD].key, err,
                               "'backward' and 'host_only' exclude each other: remove one of them");
    return PM_OK;
}

static bool is_input(const struct pm_case *c, const char *name)
{
    for (size_t i = 0; i < c->input_count; i++)
        if (strcmp(c->inputs[i].name, name) == 0)
            return true;
    return false;
}

static int check_arguments(const struct pm_suite__file *file, const char *function,
                           const struct pm_suite__draft *draft, struct pm_error *err)
{
    const struct pm_case *c = &draft->c;
    struct fy_node *at = draft->entries[PM_KEY_ARGUMENTS].value;
    for (size_t i = 0; i < c->argument_count; i++) {
        const char *name = c->arguments[i];
        if (is_reserved(file, name, function))
            return pm_suite__wrong(
                file, at, err,
                "'%.64s' of 'arguments' is a name that portmeter uses: choose another", name);
        if (!c->setup || !pm_suite__is_identifier(name))
            return pm_suite__wrong(
                file, at, err,
                "'%.64s' of 'arguments' is not a name from 'setup': define it there, or remove it",
                name);
        if (is_input(c, name))
            return pm_suite__wrong(file, at, err,
                                   "'%.64s' of 'arguments' is an input, which already is a "
                                   "parameter of the call: remove it",
                                   name);
        for (size_t j = 0; j < i; j++)
            if (strcmp(c->arguments[j], name) == 0)
                return pm_suite__wrong(file, at, err, "duplicate '%.64s' in 'arguments': keep one",
                                       name);
    }
    return PM_OK;
}

static int check_versions(const struct pm_suite__file *file, const struct pm_suite__draft *draft,
                          struct pm_error *err)
{
    static const enum pm_suite__case_key keys[] = {PM_KEY_SINCE, PM_KEY_UNTIL};
    const char *const texts[] = {draft->c.since, draft->c.until};
    for (size_t i = 0; i < 2; i++)
        if (texts[i] && !pm_suite__is_version(texts[i]))
            return pm_suite__wrong(file, draft->entries[keys[i]].value, err,
                                   "'%.64s' is not a version: write it as in \"2.13\"", texts[i]);
    const struct pm_case until = {.until = texts[1]};
    if (texts[0] && texts[1] && !pm_case_in_version(&until, texts[0]))
        return pm_suite__wrong(
            file, draft->entries[PM_KEY_UNTIL].value, err,
            "'until' is before 'since', so the case applies to no version: swap them");
    return PM_OK;
}

int pm_suite__check_case(const struct pm_suite__file *file, const char *function, bool host_only,
                         const struct pm_suite__draft *draft, struct pm_error *err)
{
    PM_TRY(check_name(file, draft, err));
    PM_TRY(check_inputs(file, function, draft, err));
    PM_TRY(check_variables(file, draft, err));
    PM_TRY(check_pairs(file, draft, err));
    PM_TRY(check_undefined(file, draft, err));
    PM_TRY(check_across(file, draft, err));
    PM_TRY(pm_suite__check_compare(file, draft, err));
    PM_TRY(check_can_fail(file, draft, err));
    PM_TRY(check_objects(file, host_only, draft, err));
    PM_TRY(check_arguments(file, function, draft, err));
    return check_versions(file, draft, err);
}
