/* Reads the expressions within brackets: arguments, items, comprehensions. */
#include "types/types_private.h"

#define IS(p, word) PM_RESOLVE_IS((p)->file, (p)->token, word)

void pm_types__skip_brackets(struct pm_types__parse *p)
{
    size_t depth = 0;
    for (; p->token < p->file->tokens.count; p->token++) {
        const uint8_t kind = pm_resolve_kind(p->file, p->token);
        if (kind == PM_TOKEN_NEWLINE)
            return;
        depth += kind == '(' || kind == '[' || kind == '{';
        depth -= depth > 0 && (kind == ')' || kind == ']' || kind == '}');
        if (depth == 0) {
            p->token++;
            return;
        }
    }
}

uint32_t pm_types__list(struct pm_types__parse *p, size_t first)
{
    struct pm_types_project *project = p->project;
    bool any = false;
    for (size_t i = first; i < p->pending_count; i++)
        any |= p->pending[i].term != 0;
    if (any) {
        PM_TYPES__PUSH(project, lists,
                       (struct pm_types__series){(uint32_t)project->arguments_count,
                                                 (uint32_t)(p->pending_count - first)});
        for (size_t i = first; i < p->pending_count; i++)
            PM_TYPES__PUSH(project, arguments, p->pending[i]);
    }
    p->pending_count = first;
    return any ? (uint32_t)project->lists_count : 0;
}

/* Reads `for targets in values if condition for ...`, from the first `for` up to the closing
 * bracket. */
static void clauses(struct pm_types__parse *p)
{
    while (!pm_types__closes(pm_types__at(p))) {
        const size_t before = p->token;
        if (IS(p, "for")) {
            const size_t from = ++p->token;
            size_t until = from;
            while (!pm_types__closes(pm_resolve_kind(p->file, until)) ||
                   pm_resolve_kind(p->file, until) == ')' ||
                   pm_resolve_kind(p->file, until) == ']') {
                if (PM_RESOLVE_IS(p->file, until, "in") || until >= p->file->tokens.count)
                    break;
                until++;
            }
            p->token = until + 1;
            const size_t around = p->values_nesting;
            p->values_nesting = p->nesting + 1;
            const uint32_t values = p->expression(p);
            p->values_nesting = around;
            pm_types__bind_targets(
                p, from, until, values ? pm_types__term(p->project, PM_TYPES__LOOP, values, 0) : 0);
        } else {
            p->token += IS(p, "if") || IS(p, "async");
            (void)p->expression(p);
        }
        p->token += p->token == before;
    }
}

/* Reads `value for targets in values` within brackets, up to the closing bracket. `word` is the
 * token of the first `for`. */
static struct pm_types__inside comprehension(struct pm_types__parse *p, size_t word)
{
    const size_t depth = p->scope_count, first = p->token;
    const struct pm_types__scope around = *pm_types__top(p);
    struct pm_types__scope inner = around;
    inner.inner = true;
    inner.class = 0;
    pm_types__push_scope(p, inner);
    p->token = word;
    clauses(p);
    const size_t end = p->token;
    p->token = first;
    const bool many = pm_types__at(p) == '*';
    uint32_t value = p->expression(p);
    if (pm_types__at(p) == ':') {
        p->token++;
        value = p->expression(p);
    }
    p->token = end;
    p->scope_count = depth;
    *pm_types__top(p) = around;
    value = value && !many ? pm_types__term(p->project, PM_TYPES__HOLDS, value, 0) : 0;
    PM_TYPES__PUSH(p, pending, (struct pm_types__argument){.term = value});
    return (struct pm_types__inside){value, 0};
}

/* Reads one argument or item, with its name or key. */
static void argument(struct pm_types__parse *p)
{
    struct pm_types__argument one = {0};
    const size_t name = p->token;
    const uint8_t kind = pm_types__at(p);
    if (kind == PM_TOKEN_NAME && pm_resolve_kind(p->file, p->token + 1) == '=' &&
        pm_resolve_kind(p->file, p->token + 2) != '=') {
        one.name = pm_types__name_at(p, name) + 1;
        p->token += 2; /* f(name=value) */
    }
    if (kind == PM_TOKEN_STRING)
        one.text = pm_types__key(p, name);
    one.many = kind == '*';
    for (; pm_types__at(p) == '*'; p->token++)
        ;
    one.term = p->expression(p);
    if (pm_types__at(p) == ':') { /* {key: value}, or a slice */
        one.name = pm_types__key(p, name);
        p->token++;
        one.term = p->expression(p);
    }
    PM_TYPES__PUSH(p, pending, one);
}

struct pm_types__inside pm_types__bracketed(struct pm_types__parse *p)
{
    struct pm_types__inside found = {0, 0};
    const size_t first = p->pending_count;
    bool comma = false;
    if (p->nesting == PM_TYPES__MOST_NESTING) {
        pm_types__skip_brackets(p);
        return found;
    }
    p->nesting++;
    const size_t word = pm_types__clause(p, p->token++);
    if (word)
        found = comprehension(p, word);
    while (!pm_types__closes(pm_types__at(p))) {
        const size_t before = p->token;
        argument(p);
        if (p->token == before || !pm_types__closes(pm_types__at(p))) {
            comma = true;
            p->token += !pm_types__closes(pm_types__at(p));
        }
    }
    p->token += pm_types__at(p) != PM_TOKEN_NEWLINE;
    p->nesting--;
    if (!word && !comma && p->pending_count == first + 1 && !p->pending[first].many)
        found.single = p->pending[first].term;
    found.list = pm_types__list(p, first);
    return found;
}

/* Returns the list of the items of an empty list or dict, which all empty lists or dicts of a file
 * share. */
static uint32_t empty(struct pm_types__parse *p, bool is_dict)
{
    struct pm_types_project *project = p->project;
    uint32_t *list = is_dict ? &p->empty_dict : &p->empty_list;
    if (*list)
        return *list - 1;
    PM_TYPES__PUSH(project, lists,
                   (struct pm_types__series){(uint32_t)project->arguments_count, is_dict});
    if (is_dict)
        PM_TYPES__PUSH(project, arguments,
                       (struct pm_types__argument){
                           .term = pm_types__term(p->project, PM_TYPES__NONE_VALUE, 0, 0),
                           .name = pm_types__any_key(project)});
    *list = (uint32_t)project->lists_count;
    return *list - 1;
}

uint32_t pm_types__display(struct pm_types__parse *p)
{
    const uint8_t kind = pm_types__at(p);
    const bool round = kind == '(';
    const uint8_t next = pm_resolve_kind(p->file, p->token + 1);
    const struct pm_types__inside inside = pm_types__bracketed(p);
    if ((kind == '[' && next == ']') || (kind == '{' && next == '}'))
        return pm_types__term(p->project, PM_TYPES__DISPLAY, empty(p, kind == '{'), 0);
    if (inside.single && (round || p->project->terms[inside.single].op == PM_TYPES__HOLDS))
        return inside.single;
    return inside.list ? pm_types__term(p->project, PM_TYPES__DISPLAY, inside.list - 1, 0) : 0;
}
