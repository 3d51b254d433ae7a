/* Binds names and attributes in assignments, loops and calls of methods like append(). */
#include "types/types_private.h"

/* Returns the class + 1 if the name at the token is `self` or its class; 0 for another name. */
static uint32_t object_at(struct pm_types__parse *p, size_t from)
{
    const uint32_t name = pm_types__name_at(p, from);
    for (size_t i = p->scope_count; i-- > 1;) {
        const struct pm_types__variable *self = pm_types__variable(p, name, p->scopes[i].number);
        if (!self)
            continue;
        const struct pm_types__term *of = &p->project->terms[self->term];
        return self->term && (of->op == PM_TYPES__SELF || of->op == PM_TYPES__CLASS) ? of->a + 1
                                                                                     : 0;
    }
    return 0;
}

/* Returns whether the tokens are `name.name`. */
static bool is_attribute(const struct pm_types__parse *p, size_t from, size_t until)
{
    return until == from + 3 && pm_resolve_kind(p->file, from + 1) == '.' &&
           pm_resolve_kind(p->file, from + 2) == PM_TOKEN_NAME;
}

void pm_types__bind_member(struct pm_types__parse *p, size_t object, uint32_t name, uint32_t term)
{
    const uint32_t class = object_at(p, object);
    if (class)
        pm_types__member_set(p->project, PM_TYPES__CLASS_OWNER(class - 1), name, term, true);
}

void pm_types__fill(struct pm_types__parse *p, size_t from, size_t until, uint32_t term)
{
    const size_t open = from + (is_attribute(p, from, from + 3) ? 3 : 1);
    const bool key = until == open + 3 && pm_resolve_kind(p->file, open + 1) == PM_TOKEN_STRING;
    if (!term || until < open + 3 || pm_resolve_kind(p->file, open) != '[')
        return;
    size_t depth = 0;
    for (size_t i = open; i + 1 < until; i++) {
        const uint8_t kind = pm_resolve_kind(p->file, i);
        depth += kind == '(' || kind == '[' || kind == '{';
        depth -= kind == ')' || kind == ']' || kind == '}';
        if (depth == 0 || (depth == 1 && (kind == ':' || kind == ',')))
            return; /* the target is an item or an attribute of an item, or a slice */
    }
    const uint32_t name = key ? pm_types__key(p, open + 1) : 0;
    uint32_t added = pm_types__term(p->project, PM_TYPES__HOLDS, term, 0);
    if (name) {
        struct pm_types_project *project = p->project;
        PM_TYPES__PUSH(project, lists,
                       (struct pm_types__series){(uint32_t)project->arguments_count, 1});
        PM_TYPES__PUSH(project, arguments, (struct pm_types__argument){.term = term, .name = name});
        added = pm_types__term(project, PM_TYPES__DISPLAY, (uint32_t)project->lists_count - 1, 0);
    }
    added = pm_types__term(p->project, PM_TYPES__FILLED, added, 0);
    pm_types__also(p, from, open, added);
}

static void bind_one(struct pm_types__parse *p, size_t from, size_t until, uint32_t term)
{
    if (until == from + 1) {
        pm_types__assign(p, pm_types__name_at(p, from), term);
        return;
    }
    if (pm_resolve_kind(p->file, until - 1) == ']') {
        pm_types__fill(p, from, until, term);
        return;
    }
    const uint32_t class = is_attribute(p, from, until) ? object_at(p, from) : 0;
    if (class)
        pm_types__member_set(p->project, PM_TYPES__CLASS_OWNER(class - 1),
                             pm_types__name_at(p, from + 2), term, true);
    else if (pm_resolve_kind(p->file, until - 2) == '.' &&
             pm_resolve_kind(p->file, until - 1) == PM_TOKEN_NAME)
        PM_TYPES__PUSH(p->project, outside, pm_types__name_at(p, until - 1));
}

void pm_types__set_attribute(struct pm_types__parse *p, uint32_t object, uint32_t name,
                             uint32_t term)
{
    const struct pm_types__term *of = &p->project->terms[object];
    const bool own = object && (of->op == PM_TYPES__SELF || of->op == PM_TYPES__CLASS);
    if (own)
        pm_types__member_set(p->project, PM_TYPES__CLASS_OWNER(of->a), name, term, true);
    if (!own || !term)
        PM_TYPES__PUSH(p->project, outside, name);
}

/* Returns the token after the target at `from`: its comma, or `until`. */
static size_t target_end(const struct pm_types__parse *p, size_t from, size_t until)
{
    size_t depth = 0;
    for (; from < until; from++) {
        const uint8_t kind = pm_resolve_kind(p->file, from);
        depth += kind == '(' || kind == '[' || kind == '{';
        if (depth == 0 && kind == ',')
            break;
        depth -= depth > 0 && (kind == ')' || kind == ']' || kind == '}');
    }
    return from;
}

static bool is_space(const struct pm_types__parse *p, size_t token)
{
    return pm_resolve_kind(p->file, token) == PM_TOKEN_JOINED;
}

/* Removes brackets around the whole target. Returns whether one of them was a square bracket, which
 * makes a single target a list. */
static bool narrow(const struct pm_types__parse *p, size_t *from, size_t *until)
{
    enum { MOST_BRACKETS = 32 };
    bool several = false;
    for (size_t i = 0; i < MOST_BRACKETS; i++) {
        while (*from < *until && is_space(p, *from))
            ++*from;
        while (*from < *until && is_space(p, *until - 1))
            --*until;
        const uint8_t kind = pm_resolve_kind(p->file, *from);
        const uint8_t last = *until > *from ? pm_resolve_kind(p->file, *until - 1) : 0;
        if (!(kind == '(' && last == ')') && !(kind == '[' && last == ']'))
            return several;
        if (target_end(p, *from, *until) != *until)
            return several;
        several |= kind == '[';
        ++*from;
        --*until;
    }
    return several;
}

struct target {
    size_t from, until; /* tokens */
    uint32_t term;
    unsigned depth;
};

void pm_types__bind_targets(struct pm_types__parse *p, size_t from, size_t until, uint32_t term)
{
    enum { MOST_DEPTH = 4, MOST_TARGETS = 64 };
    struct target waiting[MOST_TARGETS];
    size_t count = 0;
    waiting[count++] = (struct target){from, until, term, 0};
    while (count > 0) {
        struct target one = waiting[--count];
        const bool brackets = narrow(p, &one.from, &one.until);
        const size_t end = target_end(p, one.from, one.until);
        if (one.from >= one.until || one.depth > MOST_DEPTH)
            continue;
        if (end == one.until && !brackets) {
            if (pm_resolve_kind(p->file, one.from) == PM_TOKEN_NAME)
                bind_one(p, one.from, one.until, one.term);
            continue;
        }
        uint32_t place = 0;
        bool star = false;
        for (size_t at = one.from; at < one.until && count < MOST_TARGETS;
             at = target_end(p, at, one.until) + 1, place++) {
            const size_t behind = target_end(p, at, one.until);
            uint32_t item = 0;
            star |= pm_resolve_kind(p->file, at) == '*';
            if (one.term && star)
                item = pm_types__term(p->project, PM_TYPES__LOOP, one.term, 0);
            else if (one.term)
                item = pm_types__term(p->project, PM_TYPES__UNPACK, one.term, place);
            if (pm_resolve_kind(p->file, at) == '*') {
                at++;
                item = item ? pm_types__term(p->project, PM_TYPES__HOLDS, item, 0) : 0;
            }
            waiting[count++] = (struct target){at, behind, item, one.depth + 1};
        }
    }
}

void pm_types__also(struct pm_types__parse *p, size_t from, size_t until, uint32_t term)
{
    const uint32_t class = is_attribute(p, from, until) ? object_at(p, from) : 0;
    const uint32_t owner = PM_TYPES__CLASS_OWNER(class - 1);
    if (class) { /* a FILLED term needs a member of the class that may be a container */
        if (p->project->terms[term].op != PM_TYPES__FILLED ||
            pm_types__member(p->project, owner, pm_types__name_at(p, from + 2)))
            bind_one(p, from, until, term);
        return;
    }
    if (until != from + 1 || pm_resolve_kind(p->file, from) != PM_TOKEN_NAME)
        return;
    const uint32_t name = pm_types__name_at(p, from);
    const struct pm_types__variable *known = pm_types__variable(p, name, pm_types__top(p)->number);
    const bool filled = p->project->terms[term].op == PM_TYPES__FILLED;
    const uint8_t op = known ? p->project->terms[known->term].op : 0;
    if (filled && (op == PM_TYPES__SELF || op == PM_TYPES__CLASS))
        return; /* self.add_module(name, module) does not change the class of `self` */
    if (known)
        pm_types__assign(p, name, pm_types__term(p->project, PM_TYPES__EITHER, known->term, term));
}

void pm_types__push_scope(struct pm_types__parse *p, struct pm_types__scope scope)
{
    scope.number = ++p->next_scope;
    if (p->scope_count < PM_TYPES__MOST_SCOPES)
        p->scope_count++;
    *pm_types__top(p) = scope;
}

uint32_t pm_types__parameter(struct pm_types__parse *p, uint32_t function, uint32_t name)
{
    struct pm_types_project *project = p->project;
    struct pm_types__function *of = &project->functions[function];
    const uint32_t number = (uint32_t)project->parameters_count;
    PM_TYPES__PUSH(project, parameters,
                   (struct pm_types__parameter){.name = name,
                                                .function = function,
                                                .order = of->parameter_count++,
                                                .next = of->parameters});
    of->parameters = number + 1;
    pm_types__assign(p, name, pm_types__term(project, PM_TYPES__PARAMETER, number, 0));
    return number;
}
