/* Reads one case of a case file. */
#include <string.h>

#include "base/alloc.h"
#include "base/pattern.h"
#include "suite/suite_private.h"

static const struct pm_suite__key case_keys[PM_KEY_COUNT] = {
#define X(id, name, form, example) [PM_KEY_##id] = {name, PM_FORM_##form, example},
    PM_SUITE__CASE_KEYS(X)
#undef X
};

PM_WORDS_DEFINE(repeat, PM_REPEATS, PM_REPEAT);
PM_WORDS_DEFINE(need, PM_NEEDS, PM_NEED);

typedef int reader_fn(const struct pm_suite__file *file, struct pm_suite__draft *draft,
                      struct pm_error *err);

static const char *text_of(const struct pm_suite__file *file, const struct pm_suite__draft *draft,
                           enum pm_suite__case_key key)
{
    return pm_suite__has(draft, key) ? pm_suite__text(file, draft->entries[key].value) : NULL;
}

static int read_texts(const struct pm_suite__file *file, struct pm_suite__draft *draft,
                      struct pm_error *err)
{
    struct pm_case *c = &draft->c;
    c->base = text_of(file, draft, PM_KEY_NAME);
    c->context = text_of(file, draft, PM_KEY_CONTEXT);
    c->setup = text_of(file, draft, PM_KEY_SETUP);
    c->call = text_of(file, draft, PM_KEY_CALL);
    c->output = text_of(file, draft, PM_KEY_OUTPUT);
    c->expect = text_of(file, draft, PM_KEY_EXPECT);
    c->undefined = text_of(file, draft, PM_KEY_UNDEFINED);
    c->across = text_of(file, draft, PM_KEY_ACROSS);
    c->check = text_of(file, draft, PM_KEY_CHECK);
    c->since = text_of(file, draft, PM_KEY_SINCE);
    c->until = text_of(file, draft, PM_KEY_UNTIL);
    c->backward = pm_suite__has(draft, PM_KEY_BACKWARD) &&
                  pm_suite__truth(draft->entries[PM_KEY_BACKWARD].value);
    if (!c->output)
        c->output = "out";
    (void)err;
    return PM_OK;
}

static int read_lists(const struct pm_suite__file *file, struct pm_suite__draft *draft,
                      struct pm_error *err)
{
    struct pm_case *c = &draft->c;
    const struct {
        enum pm_suite__case_key key;
        const char ***items;
        size_t *count;
    } lists[] = {{PM_KEY_ARGUMENTS, &c->arguments, &c->argument_count},
                 {PM_KEY_MODULES, &c->modules, &c->module_count},
                 {PM_KEY_REQUIRES, &c->requires, &c->require_count},
                 {PM_KEY_HOST_OUTPUTS, &c->host_outputs, &c->host_output_count}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (pm_suite__has(draft, lists[i].key))
            PM_TRY(pm_suite__texts(file, draft->entries[lists[i].key].value, lists[i].items,
                                   lists[i].count, err));
    int word;
    for (size_t i = 0; i < c->require_count; i++)
        PM_TRY(pm_suite__find_word(file, draft->entries[PM_KEY_REQUIRES].value, c->requires[i],
                                   "requires", &file->words->requirements, &word, err));
    return PM_OK;
}

static int read_words(const struct pm_suite__file *file, struct pm_suite__draft *draft,
                      struct pm_error *err)
{
    int repeat = PM_REPEAT_PURE, size = PM_SIZE_SMALL, reference = PM_CASE_REFERENCE_TARGET,
        expected = PM_OUTCOME_PASS;
    const struct {
        enum pm_suite__case_key key;
        const struct pm_words *words;
        int *out;
    } items[] = {{PM_KEY_REPEAT, &pm_repeat_words, &repeat},
                 {PM_KEY_SIZE, &pm_size_words, &size},
                 {PM_KEY_REFERENCE, &pm_case_reference_words, &reference},
                 {PM_KEY_EXPECTED, &pm_outcome_words, &expected}};
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (pm_suite__has(draft, items[i].key))
            PM_TRY(pm_suite__find_word(
                file, draft->entries[items[i].key].value, text_of(file, draft, items[i].key),
                case_keys[items[i].key].name, items[i].words, items[i].out, err));
    draft->c.repeat = (enum pm_repeat)repeat;
    draft->c.size = (enum pm_size)size;
    draft->c.reference = (enum pm_case_reference)reference;
    draft->c.expected = (enum pm_outcome)expected;
    draft->c.is_planted_fault = pm_suite__has(draft, PM_KEY_EXPECTED);
    return PM_OK;
}

static int read_needs(const struct pm_suite__file *file, struct pm_suite__draft *draft,
                      struct pm_error *err)
{
    struct fy_node *value = draft->entries[PM_KEY_NEEDS].value;
    const char **texts;
    size_t count = 0;
    int need;
    if (pm_suite__has(draft, PM_KEY_NEEDS))
        PM_TRY(pm_suite__texts(file, value, &texts, &count, err));
    for (size_t i = 0; i < count; i++) {
        PM_TRY(pm_suite__find_word(file, value, texts[i], "needs", &pm_need_words, &need, err));
        draft->c.needs[need] = true;
    }
    return PM_OK;
}

static int read_dtypes(const struct pm_suite__file *file, struct pm_suite__draft *draft,
                       struct pm_error *err)
{
    if (!pm_suite__has(draft, PM_KEY_DTYPES))
        return PM_OK;
    struct fy_node *value = draft->entries[PM_KEY_DTYPES].value;
    const char **names;
    size_t count;
    PM_TRY(pm_suite__texts(file, value, &names, &count, err));
    draft->dtypes = pm_suite__keep(file->own, pm_alloc(count * sizeof *draft->dtypes));
    for (size_t i = 0; i < count; i++) {
        if (!pm_dtype_parse(names[i], &draft->dtypes[i]))
            return pm_suite__wrong(file, value, err,
                                   "unknown dtype '%.64s': docs/cases.md lists the dtypes",
                                   names[i]);
        for (size_t j = 0; j < i; j++)
            if (draft->dtypes[i] == draft->dtypes[j])
                return pm_suite__wrong(file, value, err, "duplicate dtype '%s': keep one",
                                       names[i]);
    }
    draft->dtype_count = count;
    return PM_OK;
}

/* Returns whether a type is Exception or is not derived from it. For such a type, every exception
 * would match, or none. */
static bool is_any_exception(const char *type)
{
    static const char *const types[] = {
        "object",        "BaseException",     "Exception", "SystemExit", "KeyboardInterrupt",
        "GeneratorExit", "BaseExceptionGroup"};
    const char *dot = strrchr(type, '.');
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(dot ? dot + 1 : type, types[i]) == 0)
            return true;
    return false;
}

static int read_raises(const struct pm_suite__file *file, struct pm_suite__draft *draft,
                       struct pm_error *err)
{
    enum { TYPE, MESSAGE, REQUIRED, COUNTS = REQUIRED, COUNT };
    static const struct pm_suite__key keys[COUNT] = {
        [TYPE] = {"type", PM_FORM_TEXT, "{type: RuntimeError, message: \"must match\"}"},
        [MESSAGE] = {"message", PM_FORM_TEXT, "{type: RuntimeError, message: \"must match\"}"},
        [COUNTS] = {"counts", PM_FORM_TRUTH,
                    "{type: AssertionError, message: \"must match\", counts: true}"},
    };
    struct pm_suite__entry entries[COUNT] = {0};
    const struct pm_suite__entry *entry = &draft->entries[PM_KEY_RAISES];
    if (!entry->key)
        return PM_OK;
    PM_TRY(pm_suite__read_keys(file, entry->value, "'raises'", keys, COUNT, entries, err));
    for (size_t i = 0; i < REQUIRED; i++)
        if (!entries[i].key)
            return pm_suite__wrong(file, entry->value, err,
                                   "'raises' has no '%s': add it, as in %s", keys[i].name,
                                   keys[i].example);
    draft->c.raises_counts = entries[COUNTS].key && pm_suite__truth(entries[COUNTS].value);
    draft->c.raises_type = pm_suite__text(file, entries[TYPE].value);
    if (is_any_exception(draft->c.raises_type))
        return pm_suite__wrong(
            file, entries[TYPE].value, err,
            "'%s' of 'raises' is too general: name a class derived from Exception, as in %s",
            draft->c.raises_type, keys[TYPE].example);
    draft->c.raises_message = pm_suite__text(file, entries[MESSAGE].value);
    regex_t regex;
    struct pm_error why;
    if (pm_pattern_init(&regex, draft->c.raises_message, &why))
        return pm_suite__wrong(file, entries[MESSAGE].value, err, "%s", why.text);
    regfree(&regex);
    return PM_OK;
}

static int read_calls(const struct pm_suite__file *file, struct pm_suite__draft *draft,
                      struct pm_error *err)
{
    static const struct pm_suite__key key = {"reviewed", PM_FORM_TEXT,
                                             "calls: {reviewed: \"why it calls the function\"}"};
    struct pm_suite__entry entry = {0};
    struct fy_node *value = draft->entries[PM_KEY_CALLS].value;
    if (!value)
        return PM_OK;
    PM_TRY(pm_suite__read_keys(file, value, "'calls'", &key, 1, &entry, err));
    draft->c.calls_reviewed = pm_suite__text(file, entry.value);
    return PM_OK;
}

static bool read_size(struct fy_node *node, int64_t *out)
{
    long long size;
    if (!node || !fy_node_is_scalar(node) || fy_node_get_style(node) != FYNS_PLAIN ||
        !pm_parse_int(fy_node_get_scalar0(node), &size) || size < 0)
        return false;
    *out = size;
    return true;
}

static int read_shape(const struct pm_suite__file *file, struct fy_node *node, struct pm_shape *out,
                      struct pm_error *err)
{
    if (!node || !fy_node_is_sequence(node) || fy_node_sequence_item_count(node) > (int)PM_MAX_DIMS)
        return pm_suite__wrong(file, node, err,
                               "each of 'shapes' must be a list of at most %d sizes, as in [8, 32]",
                               (int)PM_MAX_DIMS);
    void *previous = NULL;
    for (struct fy_node *item; (item = fy_node_sequence_iterate(node, &previous));)
        if (!read_size(item, &out->size[out->dims++]))
            return pm_suite__wrong(file, item, err,
                                   "each size in 'shapes' must be a whole number of 0 or more");
    return PM_OK;
}

static int read_shapes(const struct pm_suite__file *file, struct pm_suite__draft *draft,
                       struct pm_error *err)
{
    struct fy_node *value = draft->entries[PM_KEY_SHAPES].value;
    if (!value)
        return PM_OK;
    struct pm_case *c = &draft->c;
    c->shape_count = (size_t)fy_node_sequence_item_count(value);
    c->shapes = pm_suite__keep(file->own, pm_alloc(c->shape_count * sizeof *c->shapes));
    void *previous = NULL;
    for (size_t i = 0; i < c->shape_count; i++)
        PM_TRY(read_shape(file, fy_node_sequence_iterate(value, &previous), &c->shapes[i], err));
    return PM_OK;
}

static int read_inputs(const struct pm_suite__file *file, struct pm_suite__draft *draft,
                       struct pm_error *err)
{
    struct fy_node *value = draft->entries[PM_KEY_INPUTS].value;
    if (!value)
        return PM_OK;
    struct pm_case *c = &draft->c;
    c->input_count = (size_t)fy_node_mapping_item_count(value);
    c->inputs = pm_suite__keep(file->own, pm_alloc(c->input_count * sizeof *c->inputs));
    void *previous = NULL;
    for (size_t i = 0; i < c->input_count; i++) {
        struct fy_node_pair *pair = fy_node_mapping_iterate(value, &previous);
        struct fy_node *key = fy_node_pair_key(pair), *text = fy_node_pair_value(pair);
        if (!key || !fy_node_is_scalar(key))
            return pm_suite__wrong(file, key, err,
                                   "the name of an input is not a string: put it in quotes");
        c->inputs[i].name = pm_suite__text(file, key);
        if (!text || !fy_node_is_scalar(text))
            return pm_suite__wrong(file, text ? text : key, err,
                                   "input '%s' must be a string, as in \"float32[3] normal\" or "
                                   "\"literal [1, 2]\"",
                                   c->inputs[i].name);
        c->inputs[i].text = pm_suite__text(file, text);
    }
    return PM_OK;
}

int pm_suite__read_case(const struct pm_suite__file *file, struct fy_node *node,
                        bool planted_faults, struct pm_suite__draft *out, struct pm_error *err)
{
    static reader_fn *const readers[] = {read_texts,
                                         read_lists,
                                         read_words,
                                         read_needs,
                                         read_dtypes,
                                         pm_suite__read_compare,
                                         pm_suite__read_tolerance,
                                         pm_suite__read_process,
                                         read_raises,
                                         pm_suite__read_kind,
                                         read_calls,
                                         read_shapes,
                                         read_inputs};
    static const enum pm_suite__case_key planted_fault_keys[] = {PM_KEY_EXPECTED, PM_KEY_NEEDS};
    PM_TRY(pm_suite__read_keys(file, node, "the case", case_keys, PM_KEY_COUNT, out->entries, err));
    out->node = node;
    out->c.file = file->path;
    out->c.line = pm_suite__line(file, node);
    for (size_t i = 0; i < sizeof planted_fault_keys / sizeof *planted_fault_keys; i++) {
        const struct pm_suite__entry *entry = &out->entries[planted_fault_keys[i]];
        if (entry->key && !planted_faults)
            return pm_suite__wrong(
                file, entry->key, err,
                "'%s' is only for planted faults: remove it, or add 'planted_faults: "
                "true' next to 'function'",
                case_keys[planted_fault_keys[i]].name);
    }
    if (planted_faults && !pm_suite__has(out, PM_KEY_EXPECTED))
        return pm_suite__wrong(
            file, node, err,
            "the planted fault has no 'expected': add the outcome that it must have");
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        PM_TRY(readers[i](file, out, err));
    return PM_OK;
}
