/* Statements: what they bind, and where classes and functions begin and end. */
#include <stdlib.h>

#include "base/stop.h"
#include "resolve/project_private.h"

#define IS(p, word) PM_RESOLVE_IS((p)->file, (p)->token, word)

/* Expressions separated by commas. */
struct list {
    struct item {
        uint32_t term;
        size_t from, until; /* tokens */
    } items[PM_RESOLVE__MOST_ITEMS];
    size_t count; /* may be more than there is room for */
};

static struct pm_resolve__scope *top(struct pm_resolve__parse *p)
{
    return &p->scopes[p->scope_count - 1];
}

static void take_list(struct pm_resolve__parse *p, struct list *out)
{
    struct item one;
    out->count = 0;
    do {
        one.from = p->token += out->count > 0;
        if (pm_resolve__at(p) == PM_TOKEN_NEWLINE || pm_resolve__at(p) == '=')
            return; /* behind the last comma */
        one.term = pm_resolve__expression(p);
        one.until = p->token;
        if (out->count < PM_RESOLVE__MOST_ITEMS)
            out->items[out->count] = one;
        out->count++;
    } while (pm_resolve__at(p) == ',');
}

/* ---- what is bound -------------------------------------------------------------------------- */

/* Binds a plain name, or an attribute of `self`. */
static void bind(struct pm_resolve__parse *p, const struct item *target, uint32_t term)
{
    const struct pm_resolve_file *file = p->file;
    const size_t from = target->from, length = target->until - target->from;
    if (pm_resolve__kind(file, from) != PM_TOKEN_NAME)
        return;
    const uint32_t name = pm_resolve__name_at(p, from);
    if (length == 1) {
        pm_resolve__assign(p, name, term);
    } else if (length == 3 && pm_resolve__kind(file, from + 1) == '.' &&
               pm_resolve__kind(file, from + 2) == PM_TOKEN_NAME) {
        const struct pm_resolve__variable *self = pm_resolve__variable(p, name, top(p)->number);
        const struct pm_resolve__term *of = self ? &p->project->terms[self->term] : NULL;
        if (of && of->op == PM_RESOLVE__SELF) {
            const uint32_t class = of->a;
            pm_resolve__member_set(p->project, &p->project->classes[class].members,
                                   pm_resolve__name_at(p, from + 2), term, true);
        }
    }
}

/* One by one where there are as many values, else items of the only value. */
static void bind_list(struct pm_resolve__parse *p, const struct list *targets,
                      const struct list *values)
{
    if (targets->count > PM_RESOLVE__MOST_ITEMS || values->count > PM_RESOLVE__MOST_ITEMS)
        return;
    for (size_t i = 0; i < targets->count; i++) {
        uint32_t term = 0;
        if (targets->count == values->count)
            term = values->items[i].term;
        else if (values->count == 1 && values->items[0].term)
            term = pm_resolve__term(p->project, PM_RESOLVE__ITEM, values->items[0].term, 0);
        bind(p, &targets->items[i], term);
    }
}

/* Targets are not references. */
static void drop_references(struct pm_resolve__parse *p, size_t before)
{
    struct pm_resolve_project *project = p->project;
    size_t kept = before;
    for (size_t i = before; i < project->sites_count; i++)
        if (project->sites[i].form == PM_RESOLVE_FORM_CALL)
            project->sites[kept++] = project->sites[i];
    project->sites_count = kept;
}

/* name: annotation = value */
static void take_annotation(struct pm_resolve__parse *p, const struct list *target)
{
    struct list value;
    p->token++;
    const uint32_t type = pm_resolve__expression(p);
    uint32_t term = type ? pm_resolve__term(p->project, PM_RESOLVE__ANNOTATED, type, 0) : 0;
    if (pm_resolve__at(p) == '=') {
        p->token++;
        take_list(p, &value);
        term = value.count == 1 && value.items[0].term ? value.items[0].term : term;
    }
    if (target->count == 1)
        bind(p, &target->items[0], term);
}

/* An expression, or an assignment of any kind. */
static void take_simple(struct pm_resolve__parse *p, bool compound)
{
    enum { MOST_TARGETS = 4 };
    struct list lists[MOST_TARGETS];
    size_t count = 0, before = p->project->sites_count;
    take_list(p, &lists[0]);
    if (pm_resolve__at(p) == ':' && !compound) {
        drop_references(p, before);
        take_annotation(p, &lists[0]);
        return;
    }
    while (pm_resolve__at(p) == '=' && count + 1 < MOST_TARGETS) {
        drop_references(p, before);
        before = p->project->sites_count;
        p->token++;
        take_list(p, &lists[++count]);
    }
    for (size_t i = 0; i < count; i++)
        bind_list(p, &lists[i], &lists[count]);
    const uint8_t kind = pm_resolve__at(p);
    if (count > 0 || !kind || !strchr("+-*/%@&|^<>", kind))
        return;
    while (strchr("+-*/%@&|^<>=", pm_resolve__at(p)) && pm_resolve__at(p))
        p->token++;
    take_list(p, &lists[1]);
    if (lists[0].count == 1 && lists[1].count == 1)
        bind(p, &lists[0].items[0],
             pm_resolve__term(p->project, PM_RESOLVE__ARITHMETIC, lists[0].items[0].term,
                              lists[1].items[0].term));
}

/* Takes over the uses that imports gave before the token. */
static void take_uses(struct pm_resolve__parse *p)
{
    const struct pm_resolve_file *file = p->file;
    for (; p->next_use < file->uses_count && file->uses[p->next_use].token < p->token;
         p->next_use++) {
        const struct pm_resolve_use *use = &file->uses[p->next_use];
        pm_resolve__add_site(p, use->token,
                             (struct pm_resolve__site){.form = use->call
                                                                   ? PM_RESOLVE_FORM_CALL
                                                                   : PM_RESOLVE_FORM_REFERENCE,
                                                       .framework = use->framework,
                                                       .function = use->function});
    }
}

/* ---- classes and functions ------------------------------------------------------------------ */

static void push_scope(struct pm_resolve__parse *p, size_t header, size_t name, uint32_t class,
                       uint32_t function)
{
    take_uses(p);
    const char *around = p->project->names[top(p)->inside];
    const uint32_t start = p->file->tokens.start[name];
    char *inside = pm_format("%s%s%.*s", around, *around ? "." : "",
                             (int)(p->file->tokens.end[name] - start), p->file->text + start);
    if (p->scope_count < PM_RESOLVE__MOST_SCOPES)
        p->scope_count++;
    *top(p) = (struct pm_resolve__scope){
        .column = pm_resolve__column(p->file, header),
        .number = ++p->next_scope,
        .inside = pm_resolve__name(p->project, inside, strlen(inside)),
        .class = class,
        .function = function,
    };
    free(inside);
}

/* class Name(Base, ...): */
static void take_class(struct pm_resolve__parse *p, size_t header)
{
    struct pm_resolve_project *project = p->project;
    const size_t name = ++p->token;
    if (pm_resolve__at(p) != PM_TOKEN_NAME)
        return;
    const uint32_t class = (uint32_t)project->classes_count;
    PM_RESOLVE__PUSH(project, classes,
                     (struct pm_resolve__class){.first_base = (uint32_t)project->bases_count});
    p->token++;
    if (pm_resolve__at(p) == '(') {
        struct list bases;
        p->token++;
        take_list(p, &bases);
        for (size_t i = 0; i < bases.count && i < PM_RESOLVE__MOST_ITEMS; i++)
            if (bases.items[i].term)
                PM_RESOLVE__PUSH(project, bases, bases.items[i].term);
        while (pm_resolve__at(p) != ':' && pm_resolve__at(p) != PM_TOKEN_NEWLINE)
            p->token++;
    }
    project->classes[class].base_count =
        (uint32_t)project->bases_count - project->classes[class].first_base;
    pm_resolve__assign(p, pm_resolve__name_at(p, name),
                       pm_resolve__term(project, PM_RESOLVE__CLASS, class, 0));
    push_scope(p, header, name, class + 1, 0);
}

/* Methods of a module that get arrays. */
static bool takes_arrays(const struct pm_resolve_file *file, size_t name)
{
    return PM_RESOLVE_IS(file, name, "forward") || PM_RESOLVE_IS(file, name, "call") ||
           PM_RESOLVE_IS(file, name, "__call__");
}

/* One parameter; `class` + 1 where it is the first one of a method, `input` where it is a later one
 * of a module's. */
static void take_parameter(struct pm_resolve__parse *p, uint32_t class, uint32_t input)
{
    struct pm_resolve_project *project = p->project;
    bool one = true;
    uint32_t term = input ? pm_resolve__term(project, PM_RESOLVE__INPUT, input - 1, 0) : 0;
    for (; pm_resolve__at(p) == '*'; p->token++)
        one = false;
    const size_t name = p->token;
    if (pm_resolve__at(p) != PM_TOKEN_NAME)
        return;
    p->token++;
    if (pm_resolve__at(p) == ':') {
        p->token++;
        const uint32_t type = pm_resolve__expression(p);
        term = type ? pm_resolve__term(project, PM_RESOLVE__ANNOTATED, type, 0) : 0;
    }
    if (pm_resolve__at(p) == '=') {
        p->token++;
        (void)pm_resolve__expression(p);
        term = term && project->terms[term].op == PM_RESOLVE__INPUT ? 0 : term;
    }
    if (class)
        term = pm_resolve__term(project, p->is_class_method ? PM_RESOLVE__CLASS : PM_RESOLVE__SELF,
                                class - 1, 0);
    pm_resolve__assign(p, pm_resolve__name_at(p, name), one ? term : 0);
}

/* def name(parameters) -> annotation: */
static void take_function(struct pm_resolve__parse *p, size_t header)
{
    struct pm_resolve_project *project = p->project;
    const size_t name = ++p->token;
    if (pm_resolve__at(p) != PM_TOKEN_NAME)
        return;
    const uint32_t class = top(p)->class;
    const uint32_t function = (uint32_t)project->functions_count;
    PM_RESOLVE__PUSH(project, functions, (struct pm_resolve__function){0});
    uint32_t term = pm_resolve__term(project, PM_RESOLVE__FUNCTION, function, 0);
    if (class && p->is_property)
        term = pm_resolve__term(project, PM_RESOLVE__CALL, term, 0);
    pm_resolve__assign(p, pm_resolve__name_at(p, name), term);
    push_scope(p, header, name, 0, function + 1);
    const uint32_t input = class && takes_arrays(p->file, name) ? class : 0;
    uint32_t first = class && !p->is_static ? class : 0;
    p->token++;
    if (pm_resolve__at(p) == '(') {
        do {
            p->token++;
            take_parameter(p, first, first ? 0 : input);
            first = 0;
        } while (pm_resolve__at(p) == ',');
        p->token += pm_resolve__at(p) == ')';
    }
    if (pm_resolve__at(p) == '-') { /* -> annotation */
        p->token += 2;
        const uint32_t type = pm_resolve__expression(p);
        if (type)
            project->functions[function] = (struct pm_resolve__function){
                pm_resolve__term(project, PM_RESOLVE__ANNOTATED, type, 0), true};
    }
    p->is_static = p->is_property = p->is_class_method = false;
}

static void take_return(struct pm_resolve__parse *p)
{
    struct list values;
    p->token++;
    take_list(p, &values);
    const uint32_t term = values.count == 1 ? values.items[0].term : 0;
    if (!top(p)->function)
        return;
    struct pm_resolve__function *of = &p->project->functions[top(p)->function - 1];
    if (of->returns && p->project->terms_count &&
        p->project->terms[of->returned].op == PM_RESOLVE__ANNOTATED)
        return;
    const uint32_t both =
        of->returns ? pm_resolve__term(p->project, PM_RESOLVE__EITHER, of->returned, term) : term;
    p->project->functions[top(p)->function - 1] = (struct pm_resolve__function){both, true};
}

/* ---- other statements ----------------------------------------------------------------------- */

/* for targets in values: `targets` are names, each an item of the values where it is one. */
static void take_for(struct pm_resolve__parse *p)
{
    const size_t from = ++p->token;
    size_t until = from;
    struct list values;
    while (pm_resolve__kind(p->file, until) != PM_TOKEN_NEWLINE &&
           !PM_RESOLVE_IS(p->file, until, "in"))
        until++;
    if (!PM_RESOLVE_IS(p->file, until, "in"))
        return;
    p->token = until + 1;
    take_list(p, &values);
    const uint32_t item =
        values.count == 1 && values.items[0].term && until == from + 1
            ? pm_resolve__term(p->project, PM_RESOLVE__ITEM, values.items[0].term, 0)
            : 0;
    for (size_t at = from; at < until; at++)
        if (pm_resolve__kind(p->file, at) == PM_TOKEN_NAME &&
            (at == from || pm_resolve__kind(p->file, at - 1) != '.'))
            bind(p, &(struct item){0, at, at + 1}, item);
}

/* with value as name, ...: what a value gives on entering is taken to be itself. */
static void take_with(struct pm_resolve__parse *p)
{
    do {
        p->token++;
        const uint32_t term = pm_resolve__expression(p);
        if (pm_resolve__at(p) == PM_TOKEN_NAME && IS(p, "as")) {
            const size_t from = ++p->token;
            const size_t before = p->project->sites_count;
            (void)pm_resolve__expression(p);
            drop_references(p, before);
            bind(p, &(struct item){0, from, p->token}, term);
        }
    } while (pm_resolve__at(p) == ',');
}

/* The path of a module with its leading dots; gives its name, and the token behind it. */
static uint32_t module_path(struct pm_resolve__parse *p)
{
    struct pm_str path = PM_STR_INIT;
    for (; pm_resolve__at(p) == '.'; p->token++)
        pm_str_add_char(&path, '.');
    while (pm_resolve__at(p) == PM_TOKEN_NAME && !IS(p, "import")) {
        const uint32_t start = p->file->tokens.start[p->token];
        pm_str_add_bytes(&path, p->file->text + start, p->file->tokens.end[p->token] - start);
        p->token++;
        if (pm_resolve__at(p) != '.')
            break;
        pm_str_add_char(&path, '.');
        p->token++;
    }
    const uint32_t name = pm_resolve__name(p->project, path.data, path.length);
    pm_str_release(&path);
    return name;
}

/* Binds a name to what does not belong to a framework: those are known from the imports. */
static void bind_import(struct pm_resolve__parse *p, size_t token, uint32_t term)
{
    const struct pm_resolve_local *local = pm_resolve__local_find(p->file, token);
    if (!local || !local->first)
        pm_resolve__assign(p, pm_resolve__name_at(p, token), term);
}

static void take_from(struct pm_resolve__parse *p)
{
    struct pm_resolve_project *project = p->project;
    p->token++;
    const uint32_t path = module_path(p);
    if (!IS(p, "import"))
        return;
    p->token++;
    if (pm_resolve__at(p) == '*') {
        p->token++;
        PM_RESOLVE__PUSH(project, stars,
                         pm_resolve__term(project, PM_RESOLVE__IMPORT, p->unit, path));
        return;
    }
    p->token += pm_resolve__at(p) == '(';
    while (pm_resolve__at(p) == PM_TOKEN_NAME) {
        const uint32_t name = pm_resolve__name_at(p, p->token);
        size_t as = p->token++;
        if (pm_resolve__at(p) == PM_TOKEN_NAME && IS(p, "as")) {
            p->token++;
            (void)pm_resolve__at(p);
            as = p->token++;
        }
        const uint32_t module = pm_resolve__term(project, PM_RESOLVE__IMPORT, p->unit, path);
        bind_import(p, as, pm_resolve__term(project, PM_RESOLVE__ATTRIBUTE, module, name));
        if (pm_resolve__at(p) != ',')
            break;
        p->token++;
    }
    p->token += pm_resolve__at(p) == ')';
}

static void take_import(struct pm_resolve__parse *p)
{
    do {
        p->token++;
        (void)pm_resolve__at(p);
        size_t as = p->token;
        uint32_t path = module_path(p);
        if (pm_resolve__kind(p->file, as) != PM_TOKEN_NAME)
            return;
        if (pm_resolve__at(p) == PM_TOKEN_NAME && IS(p, "as")) {
            as = ++p->token;
            p->token++;
        } else {
            path = pm_resolve__name_at(p, as);
        }
        if (pm_resolve__kind(p->file, as) == PM_TOKEN_NAME)
            bind_import(p, as, pm_resolve__term(p->project, PM_RESOLVE__IMPORT, p->unit, path));
    } while (pm_resolve__at(p) == ',');
}

static void take_decorator(struct pm_resolve__parse *p)
{
    p->token++;
    p->is_static |= IS(p, "staticmethod");
    p->is_class_method |= IS(p, "classmethod");
    p->is_property |= IS(p, "property") || IS(p, "cached_property");
    (void)pm_resolve__expression(p);
}

static bool is_any(const struct pm_resolve__parse *p, const char *const *words)
{
    for (; *words; words++)
        if (pm_resolve_is_word(p->file, p->token, *words, strlen(*words)))
            return true;
    return false;
}

static void take_statement(struct pm_resolve__parse *p)
{
    static const char *const headers[] = {"if", "elif", "while", "match", "case", NULL};
    static const char *const words[] = {"assert", "del",    "raise",    "return",   "else",
                                        "try",    "except", "finally",  "pass",     "break",
                                        "yield",  "global", "nonlocal", "continue", NULL};
    const size_t header = p->token;
    if (IS(p, "async"))
        p->token++;
    if (pm_resolve__at(p) == '@')
        take_decorator(p);
    else if (IS(p, "def"))
        take_function(p, header);
    else if (IS(p, "class"))
        take_class(p, header);
    else if (IS(p, "return"))
        take_return(p);
    else if (IS(p, "for"))
        take_for(p);
    else if (IS(p, "with"))
        take_with(p);
    else if (IS(p, "from"))
        take_from(p);
    else if (IS(p, "import"))
        take_import(p);
    else if (is_any(p, headers) || is_any(p, words)) {
        p->token++;
        take_simple(p, true);
    } else {
        take_simple(p, false);
    }
}

void pm_resolve__statements(struct pm_resolve__parse *p)
{
    const size_t count = p->file->tokens.count;
    bool line = true;
    while (p->token < count && !pm_stop_signal()) {
        const size_t before = p->token;
        const uint8_t kind = pm_resolve__at(p);
        if (kind == PM_TOKEN_NEWLINE) {
            p->token++;
            line = true;
            continue;
        }
        if (line) {
            const size_t column = pm_resolve__column(p->file, p->token);
            take_uses(p);
            while (p->scope_count > 1 && column <= top(p)->column)
                p->scope_count--;
        }
        line = false;
        if (kind == ':' || kind == ';')
            p->token++;
        else
            take_statement(p);
        p->token += p->token == before;
    }
    take_uses(p);
}
