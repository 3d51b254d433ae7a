/* Reads statements: the names that they bind, and the beginnings and ends of classes and
 * functions. */
#include <stdlib.h>

#include "base/stop.h"
#include "types/types_private.h"

#define IS(p, word) PM_RESOLVE_IS((p)->file, (p)->token, word)

/* Expressions that are separated by commas. */
struct list {
    struct item {
        uint32_t term;
        size_t from, until; /* tokens */
    } items[PM_TYPES__MOST_ITEMS];
    size_t count; /* may exceed PM_TYPES__MOST_ITEMS; `items` has only the first ones */
    size_t until; /* the token after the list */
    bool comma;
};

static void take_list(struct pm_types__parse *p, struct list *out)
{
    struct item one;
    out->count = 0;
    out->comma = false;
    do {
        one.from = p->token += out->count > 0;
        out->comma |= out->count > 0;
        out->until = p->token;
        if (pm_types__at(p) == PM_TOKEN_NEWLINE || pm_types__at(p) == '=')
            return; /* the list is empty or ends with a comma */
        one.term = pm_types__expression(p);
        out->until = one.until = p->token;
        if (out->count < PM_TYPES__MOST_ITEMS)
            out->items[out->count] = one;
        out->count++;
    } while (pm_types__at(p) == ',');
}

/* ---- assignments ---------------------------------------------------------------------------- */

/* Returns the term of a list of expressions: of its only expression, or of a tuple. */
static uint32_t whole(struct pm_types__parse *p, const struct list *values)
{
    struct pm_types_project *project = p->project;
    uint32_t known = 0;
    if (values->count == 1 && !values->comma)
        return values->items[0].term;
    if (values->count > PM_TYPES__MOST_ITEMS)
        return 0;
    for (size_t i = 0; i < values->count; i++)
        known |= values->items[i].term;
    if (!known)
        return 0;
    PM_TYPES__PUSH(
        project, lists,
        (struct pm_types__series){(uint32_t)project->arguments_count, (uint32_t)values->count});
    for (size_t i = 0; i < values->count; i++)
        PM_TYPES__PUSH(project, arguments,
                       (struct pm_types__argument){
                           .term = values->items[i].term,
                           .many = pm_resolve_kind(p->file, values->items[i].from) == '*'});
    return pm_types__term(project, PM_TYPES__DISPLAY, (uint32_t)project->lists_count - 1, 0);
}

/* If there are as many values as targets, binds each target to its value; otherwise binds the
 * targets to the items of `all`, the term of the whole list of values. */
static void bind_list(struct pm_types__parse *p, const struct list *targets,
                      const struct list *values, uint32_t all)
{
    if (targets->count == 0 || targets->count > PM_TYPES__MOST_ITEMS)
        return;
    if (targets->count != values->count || targets->comma != values->comma) {
        pm_types__bind_targets(p, targets->items[0].from, targets->until, all);
        return;
    }
    for (size_t i = 0; i < targets->count; i++)
        pm_types__bind_targets(p, targets->items[i].from, targets->items[i].until,
                               values->items[i].term);
}

/* Removes the references among the sites from `before` on: they are targets, which are bound and
 * not used. */
static void drop_references(struct pm_types__parse *p, size_t before)
{
    struct pm_types_project *project = p->project;
    size_t kept = before;
    for (size_t i = before; i < project->sites_count; i++)
        if (project->sites[i].form == PM_RESOLVE_FORM_CALL)
            project->sites[kept++] = project->sites[i];
    project->sites_count = kept;
}

/* Reads `name: annotation = value`. */
static void take_annotation(struct pm_types__parse *p, const struct list *target)
{
    struct list value;
    p->token++;
    uint32_t term = pm_types__annotation(p);
    if (pm_types__at(p) == '=') {
        p->token++;
        take_list(p, &value);
        const uint32_t of = whole(p, &value);
        term = of && term ? pm_types__term(p->project, PM_TYPES__EITHER, term, of) : of | term;
    }
    if (target->count == 1)
        pm_types__bind_targets(p, target->items[0].from, target->items[0].until, term);
}

/* Reads an expression, or an assignment of any kind. */
static void take_simple(struct pm_types__parse *p, bool compound)
{
    enum { MOST_TARGETS = 4 };
    struct list lists[MOST_TARGETS];
    size_t count = 0, before = p->project->sites_count;
    take_list(p, &lists[0]);
    if (pm_types__at(p) == ':' && !compound) {
        drop_references(p, before);
        take_annotation(p, &lists[0]);
        return;
    }
    while (pm_types__at(p) == '=' && count + 1 < MOST_TARGETS) {
        drop_references(p, before);
        before = p->project->sites_count;
        p->token++;
        take_list(p, &lists[++count]);
    }
    const uint32_t all = count ? whole(p, &lists[count]) : 0;
    for (size_t i = 0; i < count; i++)
        bind_list(p, &lists[i], &lists[count], all);
    const uint8_t kind = pm_types__at(p);
    if (count > 0 || !kind || !strchr("+-*/%@&|^<>", kind))
        return;
    while (strchr("+-*/%@&|^<>=", pm_types__at(p)) && pm_types__at(p))
        p->token++;
    take_list(p, &lists[1]);
    if (lists[0].count == 1 && lists[1].count == 1)
        pm_types__bind_targets(p, lists[0].items[0].from, lists[0].items[0].until,
                               pm_types__term(p->project, PM_TYPES__ARITHMETIC,
                                              lists[0].items[0].term, lists[1].items[0].term));
}

/* Adds sites for the uses that imports alone determine, up to the current token. */
static void take_uses(struct pm_types__parse *p)
{
    const struct pm_resolve_file *file = p->file;
    for (; p->next_use < file->uses_count && file->uses[p->next_use].token < p->token;
         p->next_use++) {
        const struct pm_resolve_use *use = &file->uses[p->next_use];
        if (!pm_types__is_settled(file, use))
            continue; /* expressions.c adds this site: the value of the name decides */
        pm_types__add_site(p, use->token,
                           (struct pm_types__site){.form = use->call ? PM_RESOLVE_FORM_CALL
                                                                     : PM_RESOLVE_FORM_REFERENCE,
                                                   .framework = use->framework,
                                                   .function = use->function});
    }
}

/* ---- classes and functions ------------------------------------------------------------------ */

static void push_scope(struct pm_types__parse *p, size_t header, size_t name, uint32_t class,
                       uint32_t function)
{
    take_uses(p);
    const char *around = p->project->names[pm_types__top(p)->inside];
    const uint32_t start = p->file->tokens.start[name];
    char *inside = pm_format("%s%s%.*s", around, *around ? "." : "",
                             (int)(p->file->tokens.end[name] - start), p->file->text + start);
    pm_types__push_scope(p, (struct pm_types__scope){
                                .column = pm_resolve_column(p->file, header),
                                .inside = pm_types__name(p->project, inside, strlen(inside)),
                                .class = class,
                                .function = function,
                            });
    free(inside);
}

/* Reads `class Name(Base, ...):`. */
static void take_class(struct pm_types__parse *p, size_t header)
{
    struct pm_types_project *project = p->project;
    const size_t name = ++p->token;
    p->decorator_count = 0;
    if (pm_types__at(p) != PM_TOKEN_NAME)
        return;
    const uint32_t class = (uint32_t)project->classes_count;
    PM_TYPES__PUSH(project, classes,
                   (struct pm_types__class){.first_base = (uint32_t)project->bases_count});
    p->token++;
    if (pm_types__at(p) == '[') /* type parameters */
        pm_types__skip_brackets(p);
    if (pm_types__at(p) == '(') {
        struct list bases;
        p->token++;
        take_list(p, &bases);
        for (size_t i = 0; i < bases.count && i < PM_TYPES__MOST_ITEMS; i++)
            if (bases.items[i].term)
                PM_TYPES__PUSH(project, bases, bases.items[i].term);
        while (pm_types__at(p) != ':' && pm_types__at(p) != PM_TOKEN_NEWLINE)
            p->token++;
    }
    project->classes[class].base_count =
        (uint32_t)project->bases_count - project->classes[class].first_base;
    pm_types__assign(p, pm_types__name_at(p, name),
                     pm_types__term(project, PM_TYPES__CLASS, class, 0));
    push_scope(p, header, name, class + 1, 0);
    project->classes[class].inside = pm_types__top(p)->inside;
}

/* Returns whether the arguments of a method are arrays: it has the name of a method of modules, or
 * of functions of autograd, whose methods have no `self`. */
static bool takes_arrays(const struct pm_resolve_file *file, size_t name, bool is_static)
{
    return PM_RESOLVE_IS(file, name, "forward") ||
           (is_static ? PM_RESOLVE_IS(file, name, "backward")
                      : PM_RESOLVE_IS(file, name, "call") || PM_RESOLVE_IS(file, name, "__call__"));
}

/* Adds the first parameter of a method, and binds it to an object of the class, or to the class. */
static void take_object(struct pm_types__parse *p, uint32_t function)
{
    struct pm_types_project *project = p->project;
    struct pm_types__function *of = &project->functions[function];
    const uint32_t name = pm_types__name_at(p, p->token);
    (void)pm_types__parameter(p, function, name);
    pm_types__assign(
        p, name,
        pm_types__term(project, of->of_class ? PM_TYPES__CLASS : PM_TYPES__SELF, of->class - 1, 0));
}

/* Reads one parameter, up to the comma after it. */
static void take_parameter(struct pm_types__parse *p, uint32_t function)
{
    struct pm_types_project *project = p->project;
    const struct pm_types__function *of = &project->functions[function];
    uint8_t stars = 0;
    for (; pm_types__at(p) == '*'; p->token++)
        stars++;
    if (pm_types__at(p) != PM_TOKEN_NAME)
        return;
    const bool first = of->class && of->parameter_count == 0 && stars == 0;
    const uint32_t number = (uint32_t)project->parameters_count;
    if (first)
        take_object(p, function);
    else
        (void)pm_types__parameter(p, function, pm_types__name_at(p, p->token));
    p->token++;
    uint32_t type = 0, given = 0;
    bool is_flag = false;
    if (pm_types__at(p) == ':') {
        p->token++;
        type = pm_types__annotation(p);
    }
    if (pm_types__at(p) == '=') {
        p->token++;
        is_flag = !IS(p, "None");
        given = pm_types__expression(p);
    }
    struct pm_types__parameter *one = &project->parameters[number];
    one->annotated = type;
    one->given = given;
    one->stars = stars;
    one->is_flag = is_flag;
}

static bool begins_with_test(const struct pm_types__parse *p, size_t name)
{
    return p->file->tokens.end[name] - p->file->tokens.start[name] > 4 &&
           memcmp(p->file->text + p->file->tokens.start[name], "test", 4) == 0;
}

/* Adds a function with the properties that its decorators and its class give it, and binds its
 * name. Returns its number. */
static uint32_t make_function(struct pm_types__parse *p, size_t name)
{
    struct pm_types_project *project = p->project;
    const uint32_t class = pm_types__top(p)->class;
    const uint32_t function = (uint32_t)project->functions_count;
    PM_TYPES__PUSH(project, functions,
                   (struct pm_types__function){
                       .name = pm_types__name_at(p, name),
                       .unit = p->unit,
                       .is_test = p->is_fixture || begins_with_test(p, name),
                       .class = p->is_static ? 0 : class,
                       .owner = class,
                       .of_class = p->is_class_method,
                       .takes_arrays =
                           class && takes_arrays(p->file, name, p->is_static || p->is_class_method),
                   });
    const enum pm_types__op op = class && p->is_property ? PM_TYPES__PROPERTY : PM_TYPES__FUNCTION;
    const uint32_t known = pm_types__name_at(p, name);
    uint32_t term = pm_types__term(project, op, function, 0);
    while (op == PM_TYPES__FUNCTION && p->decorator_count > 0)
        term =
            pm_types__term(project, PM_TYPES__DECORATED, p->decorators[--p->decorator_count], term);
    /* @x.setter and @x.deleter define the property once more, without a value. */
    if (!p->is_setter)
        pm_types__assign(p, known, term);
    if (p->is_fixture)
        pm_types__member_set(project, PM_TYPES__FIXTURE_OWNER(p->unit), known,
                             pm_types__term(project, PM_TYPES__FUNCTION, function, 0), false);
    p->is_fixture = p->is_static = p->is_property = p->is_class_method = p->is_setter = false;
    p->decorator_count = 0;
    return function;
}

/* Reads `def name(parameters) -> annotation:`. */
static void take_function(struct pm_types__parse *p, size_t header)
{
    struct pm_types_project *project = p->project;
    const size_t name = ++p->token;
    const size_t decorators = p->decorator_count;
    if (pm_types__at(p) != PM_TOKEN_NAME)
        return;
    const uint32_t function = make_function(p, name);
    push_scope(p, header, name, 0, function + 1);
    project->functions[function].inside = pm_types__top(p)->inside;
    p->token++;
    if (pm_types__at(p) == '[') /* type parameters */
        pm_types__skip_brackets(p);
    if (pm_types__at(p) == '(') {
        do {
            p->token++;
            take_parameter(p, function);
        } while (pm_types__at(p) == ',');
        p->token += pm_types__at(p) == ')';
    }
    for (size_t i = 0; i < decorators; i++)
        pm_types__take_values(project, function, p->decorators[i]);
    if (pm_types__at(p) == '-') { /* -> annotation */
        p->token += 2;
        const uint32_t type = pm_types__annotation(p);
        project->functions[function].annotated = type;
    }
}

/* Adds a term to the possible results of the innermost function. */
static void add_returned(struct pm_types__parse *p, uint32_t term)
{
    if (!pm_types__top(p)->function || !term)
        return;
    const uint32_t number = pm_types__top(p)->function - 1;
    const uint32_t known = p->project->functions[number].returned;
    p->project->functions[number].returned =
        known ? pm_types__term(p->project, PM_TYPES__EITHER, known, term) : term;
}

static void take_return(struct pm_types__parse *p)
{
    struct list values;
    p->token++;
    take_list(p, &values);
    add_returned(p, whole(p, &values));
}

static void take_yield(struct pm_types__parse *p)
{
    struct list values;
    p->token++;
    const bool from = IS(p, "from");
    p->token += from;
    take_list(p, &values);
    const uint32_t term = whole(p, &values);
    if (pm_types__top(p)->function)
        p->project->functions[pm_types__top(p)->function - 1].yields = true;
    add_returned(p, from || !term ? term : pm_types__term(p->project, PM_TYPES__HOLDS, term, 0));
}

/* ---- other statements ----------------------------------------------------------------------- */

/* Reads `for targets in values:`. */
static void take_for(struct pm_types__parse *p)
{
    const size_t from = ++p->token;
    size_t until = from;
    struct list values;
    while (pm_resolve_kind(p->file, until) != PM_TOKEN_NEWLINE &&
           !PM_RESOLVE_IS(p->file, until, "in"))
        until++;
    if (!PM_RESOLVE_IS(p->file, until, "in"))
        return;
    p->token = until + 1;
    take_list(p, &values);
    const uint32_t all = whole(p, &values);
    pm_types__bind_targets(p, from, until,
                           all ? pm_types__term(p->project, PM_TYPES__LOOP, all, 0) : 0);
}

/* Returns whether the brackets after `with` enclose `value as target`. */
static bool has_as(const struct pm_types__parse *p)
{
    size_t depth = 0, token = p->token + 1;
    for (; pm_resolve_kind(p->file, token) != PM_TOKEN_NEWLINE; token++) {
        const uint8_t kind = pm_resolve_kind(p->file, token);
        depth += kind == '(' || kind == '[' || kind == '{';
        depth -= depth > 0 && (kind == ')' || kind == ']' || kind == '}');
        if (depth == 0)
            return false;
        if (depth == 1 && PM_RESOLVE_IS(p->file, token, "as"))
            return true;
    }
    return false;
}

/* Reads `with value as target, ...`. Binds the target to the value, as if entering the context
 * returned the value itself. */
static void take_with(struct pm_types__parse *p)
{
    const bool bracket = pm_resolve_kind(p->file, p->token + 1) == '(' && has_as(p);
    p->token += bracket;
    do {
        p->token++;
        const uint32_t term = pm_types__expression(p);
        if (pm_types__at(p) == PM_TOKEN_NAME && IS(p, "as")) {
            const size_t from = ++p->token;
            const size_t before = p->project->sites_count;
            (void)pm_types__expression(p);
            drop_references(p, before);
            pm_types__bind_targets(p, from, p->token, term);
        }
    } while (pm_types__at(p) == ',');
    p->token += bracket && pm_types__at(p) == ')';
}

/* Reads the path of a module with its leading dots. Returns its name. */
static uint32_t module_path(struct pm_types__parse *p)
{
    struct pm_str path = PM_STR_INIT;
    for (; pm_types__at(p) == '.'; p->token++)
        pm_str_add_char(&path, '.');
    while (pm_types__at(p) == PM_TOKEN_NAME && !IS(p, "import")) {
        const uint32_t start = p->file->tokens.start[p->token];
        pm_str_add_bytes(&path, p->file->text + start, p->file->tokens.end[p->token] - start);
        p->token++;
        if (pm_types__at(p) != '.')
            break;
        pm_str_add_char(&path, '.');
        p->token++;
    }
    const uint32_t name = pm_types__name(p->project, path.data, path.length);
    pm_str_release(&path);
    return name;
}

static bool is_of_framework(const struct pm_types__parse *p, const char *path)
{
    const struct pm_resolve_index *index = p->project->index;
    const size_t length = strcspn(path, ".");
    for (unsigned i = 0; i < index->framework_count; i++) {
        const uint32_t names[] = {index->frameworks[i].symbol, index->frameworks[i].part_symbol};
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (names[k] && index->symbols[names[k]].length == length &&
                strncmp(index->symbols[names[k]].text, path, length) == 0)
                return true;
    }
    return false;
}

/* Binds a name to an import. Skips an import of a framework, whose binding is known already, unless
 * something else also binds the name. */
static void bind_import(struct pm_types__parse *p, size_t token, uint32_t path, uint32_t term)
{
    const struct pm_resolve_local *local = pm_resolve_local_find(p->file, token);
    p->project->other_host |= pm_types__is_other_host(p->project->names[path]);
    if (local && local->first && !local->foreign && !local->rebound)
        return;
    if (local && local->first && is_of_framework(p, p->project->names[path])) {
        pm_types__assign(p, pm_types__name_at(p, token), pm_types__bound(p, local));
        return;
    }
    p->other_arrays |= pm_types__has_arrays(p->project->names[path]);
    pm_types__assign(p, pm_types__name_at(p, token), term);
}

static void take_from(struct pm_types__parse *p)
{
    struct pm_types_project *project = p->project;
    p->token++;
    const uint32_t path = module_path(p);
    if (!IS(p, "import"))
        return;
    p->token++;
    if (pm_types__at(p) == '*') {
        p->token++;
        PM_TYPES__PUSH(project, stars, pm_types__term(project, PM_TYPES__IMPORT, p->unit, path));
        return;
    }
    p->token += pm_types__at(p) == '(';
    const uint32_t module = pm_types__term(project, PM_TYPES__IMPORT, p->unit, path);
    while (pm_types__at(p) == PM_TOKEN_NAME) {
        const uint32_t name = pm_types__name_at(p, p->token);
        size_t as = p->token++;
        if (pm_types__at(p) == PM_TOKEN_NAME && IS(p, "as")) {
            p->token++;
            (void)pm_types__at(p);
            as = p->token++;
        }
        bind_import(p, as, path, pm_types__term(project, PM_TYPES__ATTRIBUTE, module, name));
        if (pm_types__at(p) != ',')
            break;
        p->token++;
    }
    p->token += pm_types__at(p) == ')';
}

static void take_import(struct pm_types__parse *p)
{
    do {
        p->token++;
        (void)pm_types__at(p);
        size_t as = p->token;
        uint32_t path = module_path(p);
        if (pm_resolve_kind(p->file, as) != PM_TOKEN_NAME)
            return;
        if (pm_types__at(p) == PM_TOKEN_NAME && IS(p, "as")) {
            as = ++p->token;
            p->token++;
        } else {
            path = pm_types__name_at(p, as);
        }
        if (pm_resolve_kind(p->file, as) == PM_TOKEN_NAME)
            bind_import(p, as, path, pm_types__term(p->project, PM_TYPES__IMPORT, p->unit, path));
    } while (pm_types__at(p) == ',');
}

static void take_decorator(struct pm_types__parse *p)
{
    p->token++;
    p->is_static |= IS(p, "staticmethod");
    p->is_class_method |= IS(p, "classmethod");
    p->is_property |= IS(p, "property") || IS(p, "cached_property");
    const size_t first = p->token;
    const uint32_t term = pm_types__expression(p);
    p->is_fixture |=
        PM_RESOLVE_IS(p->file, first, "fixture") || (pm_resolve_kind(p->file, first + 1) == '.' &&
                                                     PM_RESOLVE_IS(p->file, first + 2, "fixture"));
    if (term && p->decorator_count < PM_TYPES__MOST_DECORATORS)
        p->decorators[p->decorator_count++] = term;
    p->is_property |= PM_RESOLVE_IS(p->file, p->token - 1, "cached_property");
    p->is_setter |= PM_RESOLVE_IS(p->file, p->token - 1, "setter") ||
                    PM_RESOLVE_IS(p->file, p->token - 1, "deleter");
}

/* Records that the innermost block ends by leaving the code around it. */
static void leave_block(struct pm_types__parse *p, size_t header)
{
    if (p->blocks_count &&
        pm_resolve_column(p->file, header) != p->blocks[p->blocks_count - 1].column)
        p->blocks[p->blocks_count - 1].leaves = true;
}

/* Reads `raise error from cause`. */
static void take_raise(struct pm_types__parse *p)
{
    leave_block(p, p->token);
    p->token++;
    take_simple(p, true);
    if (pm_types__at(p) == PM_TOKEN_NAME && IS(p, "from")) {
        p->token++;
        take_simple(p, true);
    }
}

/* Reads `global a, b` or `nonlocal c`: assignments in this function change the outer variables. */
static void take_outer(struct pm_types__parse *p)
{
    const bool global = IS(p, "global");
    do {
        p->token++;
        if (pm_types__at(p) == PM_TOKEN_NAME)
            pm_types__declare_outer(p, pm_types__name_at(p, p->token++), global);
    } while (pm_types__at(p) == ',');
}

/* Returns whether `match` or `case` is a keyword here, and not a name. Returns false before `(` and
 * `[`, whose contents are read in the same way in both cases. */
static bool is_soft_keyword(const struct pm_types__parse *p)
{
    static const char *const operators[] = {"in", "is", "and", "or", "if", "not"};
    const uint8_t next = pm_resolve_kind(p->file, p->token + 1);
    if (!IS(p, "match") && !IS(p, "case"))
        return false;
    for (size_t i = 0; i < sizeof operators / sizeof *operators && next == PM_TOKEN_NAME; i++)
        if (pm_resolve_is_word(p->file, p->token + 1, operators[i], strlen(operators[i])) &&
            strcmp(operators[i], "not") != 0)
            return false;
    return next == PM_TOKEN_NAME || next == PM_TOKEN_NUMBER || next == PM_TOKEN_STRING ||
           next == '{';
}

/* Returns whether the current token is one of the words. These have at most eight bytes, and are
 * padded with zeroes. */
static bool is_any(const struct pm_types__parse *p, const char words[][9], size_t count)
{
    const uint32_t start = p->file->tokens.start[p->token];
    const size_t length = p->file->tokens.end[p->token] - start;
    uint64_t here[2], word;
    if (pm_resolve_kind(p->file, p->token) != PM_TOKEN_NAME || length > sizeof word)
        return false;
    pm_resolve_words(p->file->text + start, length, here);
    for (size_t i = 0; i < count; i++) {
        memcpy(&word, words[i], sizeof word);
        if (word == here[0])
            return true;
    }
    return false;
}
#define IS_ANY(p, words) is_any(p, words, sizeof(words) / sizeof *(words))

static void take_statement(struct pm_types__parse *p)
{
    static const char words[][9] = {"if",  "elif",   "while",   "assert", "del",   "else",
                                    "try", "except", "finally", "pass",   "break", "continue"};
    const size_t header = p->token;
    if (IS(p, "async"))
        p->token++;
    if (pm_types__at(p) == '@')
        take_decorator(p);
    else if (IS(p, "def"))
        take_function(p, header);
    else if (IS(p, "class"))
        take_class(p, header);
    else if (IS(p, "return")) {
        take_return(p);
        leave_block(p, header);
    } else if (IS(p, "yield"))
        take_yield(p);
    else if (IS(p, "for"))
        take_for(p);
    else if (IS(p, "with"))
        take_with(p);
    else if (IS(p, "from"))
        take_from(p);
    else if (IS(p, "import"))
        take_import(p);
    else if (IS(p, "raise"))
        take_raise(p);
    else if (IS(p, "global") || IS(p, "nonlocal"))
        take_outer(p);
    else if (IS_ANY(p, words) || is_soft_keyword(p)) {
        const bool condition = IS(p, "if") || IS(p, "elif") || IS(p, "while") || IS(p, "assert");
        if (IS(p, "continue") || IS(p, "break"))
            leave_block(p, header);
        const size_t from = ++p->token;
        p->checks_count = 0;
        take_simple(p, true);
        if (condition)
            pm_types__take_checks(p, from);
    } else {
        take_simple(p, false);
    }
}

/* Begins a line. It ends the blocks, classes and functions whose headers are indented as much as it
 * or more. */
static void begin_line(struct pm_types__parse *p)
{
    static const char conditional[][9] = {"if",  "elif",   "else",  "for", "while",
                                          "try", "except", "match", "case"};
    const size_t column = pm_resolve_column(p->file, p->token);
    take_uses(p);
    pm_types__end_blocks(p, column);
    while (p->scope_count > 1 && column <= pm_types__top(p)->column)
        p->scope_count--;
    if (IS_ANY(p, conditional))
        pm_types__begin_block(p, column);
}

void pm_types__statements(struct pm_types__parse *p)
{
    const size_t count = p->file->tokens.count;
    bool line = true;
    while (p->token < count && !pm_stop_signal()) {
        const size_t before = p->token;
        const uint8_t kind = pm_types__at(p);
        if (kind == PM_TOKEN_NEWLINE) {
            p->token++;
            line = true;
            continue;
        }
        if (line)
            begin_line(p);
        line = false;
        if (kind == ':' || kind == ';')
            p->token++;
        else
            take_statement(p);
        p->token += p->token == before;
    }
    take_uses(p);
}
