/* Makes containers, and joins two values into one: a container with the contents of both, or a
 * value that may be either. */
#include "types/types_private.h"

typedef struct pm_types__value value;
typedef struct pm_types_project project;

#define MOST_CONTENTS 4000000 /* held values of a project; later containers are unknown */
#define MOST_ONE_OF   16
#define MOST_KEYS     32  /* keys of a dict that is joined with another one */
#define MOST_JOINS    256 /* containers that are joined inside two others */

static const value nothing;
static const value none = {.type = PM_TYPES__NOTHING};

const struct pm_types__content *pm_types__content(const project *p, value of)
{
    if (of.type == PM_TYPES__ITEMS)
        return &p->contents[of.node];
    if (of.type == PM_TYPES__INSTANCE && of.of)
        return &p->contents[of.of - 1];
    return NULL;
}

static uint32_t add_content(project *p, const struct pm_types__held *held, size_t count, bool row)
{
    const uint32_t first = (uint32_t)p->held_count;
    for (size_t i = 0; i < count; i++)
        PM_TYPES__PUSH(p, held, held[i]);
    PM_TYPES__PUSH(p, contents, (struct pm_types__content){first, (uint32_t)count, row});
    return (uint32_t)p->contents_count - 1;
}

value pm_types__container(project *p, const struct pm_types__held *held, size_t count, bool row)
{
    if (p->held_count + count > MOST_CONTENTS)
        return nothing;
    return (value){
        .type = PM_TYPES__ITEMS, .node = add_content(p, held, count, row), .inferred = true};
}

/* ---- one of several ------------------------------------------------------------------------- */

static bool same(value a, value b)
{
    return a.type == b.type && a.framework == b.framework && a.node == b.node &&
           (a.type != PM_TYPES__INSTANCE || a.of == b.of);
}

/* Adds a value, or each value that it may be, to the list. Returns false if there are too many. */
static bool add_one_of(const project *p, value v, struct pm_types__held *out, size_t *count)
{
    const struct pm_types__content *several =
        v.type == PM_TYPES__ONE_OF ? &p->contents[v.node] : NULL;
    const size_t many = several ? several->count : 1;
    for (size_t i = 0; i < many; i++) {
        const value one = several ? p->held[several->first + i].value : v;
        size_t k = 0;
        while (k < *count && !same(out[k].value, one))
            k++;
        if (k < *count)
            continue;
        if (*count == MOST_ONE_OF)
            return false;
        out[(*count)++] = (struct pm_types__held){0, one};
    }
    return true;
}

static value any_item(project *p, value of);

uint32_t pm_types__any_key(project *p)
{
    return pm_types__name(p, "", 0) + 1;
}

static bool has_keys(const project *p, const struct pm_types__content *of)
{
    bool all = of->count > 0;
    for (uint32_t i = 0; i < of->count && all; i++)
        all = p->held[of->first + i].name != 0;
    return all;
}

/* Adds the value of a key to the items of a dict. Returns false if there are too many keys. */
static bool add_key(project *p, struct pm_types__held *held, size_t *count,
                    struct pm_types__held one)
{
    size_t i = 0;
    one.name = one.name ? one.name : pm_types__any_key(p);
    while (i < *count && held[i].name != one.name)
        i++;
    if (i == MOST_KEYS)
        return false;
    if (i == *count)
        held[(*count)++] = one;
    else
        held[i].value = pm_types__either(p, held[i].value, one.value);
    return true;
}

/* Returns a dict of the items of two dicts; with `filled`, of a dict and of what is assigned to its
 * items. Returns nothing if they are not dicts or have too many keys. */
static value joined_dict(project *p, struct pm_types__content x, struct pm_types__content y,
                         bool filled)
{
    struct pm_types__held held[MOST_KEYS];
    size_t count = 0;
    bool fits = true;
    if (filled ? !has_keys(p, &x) && !has_keys(p, &y) : !has_keys(p, &x) || !has_keys(p, &y))
        return nothing;
    for (uint32_t i = 0; i < x.count && fits; i++)
        fits = add_key(p, held, &count, p->held[x.first + i]);
    for (uint32_t i = 0; i < y.count && fits; i++)
        fits = add_key(p, held, &count, p->held[y.first + i]);
    return fits ? pm_types__container(p, held, count, true) : nothing;
}

/* Returns a container of the items of two containers. It is ordered if it is a dict, or if both are
 * ordered and have the same number of items, at most MOST_ONE_OF. */
static value joined(project *p, value a, value b)
{
    const struct pm_types__content x = *pm_types__content(p, a), y = *pm_types__content(p, b);
    struct pm_types__held held[MOST_ONE_OF] = {{0, nothing}};
    if (a.type == b.type && (x.count == 0 || y.count == 0))
        return x.count == 0 ? b : a;
    const value dict = joined_dict(p, x, y, a.filled || b.filled);
    if (dict.type)
        return dict;
    if (x.row && y.row && x.count == y.count && x.count <= MOST_ONE_OF) {
        for (uint32_t i = 0; i < x.count; i++) {
            const struct pm_types__held *left = &p->held[x.first + i];
            held[i].name = left->name == p->held[y.first + i].name ? left->name : 0;
            held[i].value = pm_types__either(p, left->value, p->held[y.first + i].value);
        }
        return pm_types__container(p, held, x.count, true);
    }
    held[0].value = pm_types__either(p, any_item(p, a), any_item(p, b));
    return pm_types__container(p, held, 1, false);
}

/* Returns the content + 1 of a container, or of an instance with modules in it. */
static uint32_t content_of(value of)
{
    return of.type == PM_TYPES__INSTANCE ? of.of : of.node + 1;
}

/* Joins two instances of one class, two containers, or a container and an instance. The result has
 * the contents of both. After MOST_JOINS joins inside one join, returns `a`. */
static value together(project *p, value a, value b)
{
    const bool held_a = pm_types__content(p, a) != NULL;
    const bool held_b = pm_types__content(p, b) != NULL;
    value of = a.type == PM_TYPES__INSTANCE ? a : b;
    p->joins = p->joining ? p->joins + 1 : 0;
    if (p->joins > MOST_JOINS)
        return a;
    p->joining++;
    value content = held_a && held_b ? joined(p, a, b) : nothing;
    content.filled = a.filled && b.filled;
    p->joining--;
    if (of.type != PM_TYPES__INSTANCE)
        return content;
    of.declared = a.declared && b.declared;
    of.open = a.open || b.open;
    of.replaced = a.replaced || b.replaced;
    of.of = content.type ? content_of(content)
            : held_a     ? content_of(a)
            : held_b     ? content_of(b)
                         : 0;
    return of;
}

/* Returns whether a value may contain other values: modules contain modules. */
static bool may_hold(const project *p, value v)
{
    const struct pm_resolve_known *known =
        v.type == PM_TYPES__INSTANCE ? pm_types__known(p, v.node) : NULL;
    return known && known->gives == PM_VALUE_MODULE;
}

static bool are_alike(const project *p, value a, value b)
{
    if (a.type == PM_TYPES__INSTANCE && b.type == PM_TYPES__INSTANCE)
        return a.node == b.node && a.framework == b.framework;
    return (a.type == PM_TYPES__ITEMS && (b.type == PM_TYPES__ITEMS || may_hold(p, b))) ||
           (b.type == PM_TYPES__ITEMS && may_hold(p, a));
}

/* Returns whether a value is a list or dict without known items. */
static bool is_empty(const project *p, value v)
{
    const struct pm_types__content *of = v.type == PM_TYPES__ITEMS ? &p->contents[v.node] : NULL;
    return of && of->row &&
           (of->count == 0 || (of->count == 1 && p->held[of->first].name &&
                               p->held[of->first].value.type == PM_TYPES__NOTHING));
}

/* Returns the value `of` after assignments to its items, which add the contents of `with`. */
static value filled(project *p, value of, value with)
{
    if (of.type == PM_TYPES__NOTHING)
        return with;
    return are_alike(p, of, with) ? together(p, of, with) : of;
}

value pm_types__either(project *p, value a, value b)
{
    struct pm_types__held found[MOST_ONE_OF];
    size_t count = 0;
    if (a.filled != b.filled)
        return a.filled ? filled(p, b, a) : filled(p, a, b);
    if (!a.type || !b.type) {
        value of = a.type ? a : b;
        of.open = true;
        return of;
    }
    if (a.type == PM_TYPES__NOTHING || b.type == PM_TYPES__NOTHING) {
        value of = a.type == PM_TYPES__NOTHING ? b : a;
        of.open = a.open || b.open;
        return of;
    }
    if (is_empty(p, a) != is_empty(p, b) && !are_alike(p, a, b)) {
        value of = is_empty(p, a) ? b : a;
        of.open = a.open || b.open;
        return of;
    }
    if (a.type == PM_TYPES__ARRAYS && b.type == PM_TYPES__ITEMS)
        return a;
    if (b.type == PM_TYPES__ARRAYS && a.type == PM_TYPES__ITEMS)
        return b;
    if (are_alike(p, a, b) && !same(a, b))
        return together(p, a, b);
    if (same(a, b)) {
        const bool wrapped =
            (a.type == PM_TYPES__OWN_FUNCTION && (a.of ^ b.of) & ~PM_TYPES__BOUND) ||
            (a.type == PM_TYPES__OWN_OBJECT && a.of != b.of);
        if (a.type == PM_TYPES__OWN_OBJECT)
            a.of = a.of ? a.of : b.of;
        else
            a.of = wrapped && b.of & PM_TYPES__CALLABLE ? b.of : a.of;
        a.open |= b.open || wrapped; /* it may be wrapped by a framework or not */
        a.declared &= b.declared;
        a.replaced |= b.replaced;
        return a;
    }
    if (p->held_count + MOST_ONE_OF > MOST_CONTENTS || !add_one_of(p, a, found, &count) ||
        !add_one_of(p, b, found, &count))
        return nothing;
    if (count == 1)
        return found[0].value;
    return (value){
        .type = PM_TYPES__ONE_OF, .node = add_content(p, found, count, false), .inferred = true};
}

/* ---- items ---------------------------------------------------------------------------------- */

static value any_of(project *p, struct pm_types__content content)
{
    value found = none;
    for (uint32_t i = 0; i < content.count && i < 64; i++)
        found = pm_types__either(p, found, p->held[content.first + i].value);
    return found;
}

static value any_item(project *p, value of)
{
    const struct pm_types__content *content = pm_types__content(p, of);
    if (content)
        return any_of(p, *content);
    if (of.type != PM_TYPES__ARRAYS && !pm_types__is_array(p, of))
        return nothing;
    value array = pm_types__array(p, of.framework);
    array.replaced = of.replaced;
    return array;
}

/* Calls `ask` for each of the values that the ONE_OF value `of` may be, and joins the results. */
static value of_each(project *p, value of, value (*ask)(project *, value, uint32_t), uint32_t which)
{
    const struct pm_types__content several = p->contents[of.node];
    value found = none;
    for (uint32_t i = 0; i < several.count; i++)
        found = pm_types__either(p, found, ask(p, p->held[several.first + i].value, which));
    return found;
}

value pm_types__item(project *p, value of, uint32_t key)
{
    const struct pm_types__content *content = pm_types__content(p, of);
    if (of.type == PM_TYPES__ONE_OF)
        return of_each(p, of, pm_types__item, key);
    if (content && content->row && key) {
        const char *text = p->names[key - 1];
        const bool minus = *text == '-';
        uint32_t place = 0;
        for (uint32_t i = 0; i < content->count; i++)
            if (p->held[content->first + i].name == key)
                return p->held[content->first + i].value;
        if (strspn(text + minus, "0123456789") == strlen(text + minus) && strlen(text) < 6) {
            for (const char *at = text + minus; *at; at++)
                place = place * 10 + (uint32_t)(*at - '0');
            place = minus ? content->count - place : place;
            if (place < content->count)
                return p->held[content->first + place].value;
        }
    }
    return any_item(p, of);
}

value pm_types__nth(project *p, value of, uint32_t place)
{
    const struct pm_types__content *content = pm_types__content(p, of);
    if (of.type == PM_TYPES__ONE_OF)
        return of_each(p, of, pm_types__nth, place);
    if (content && content->row && place < content->count)
        return p->held[content->first + place].value;
    return any_item(p, of);
}
