/* Finds the order of inheritance: which of several classes Python searches first. */
#include "types/finder.h"

typedef struct pm_types__value value;
typedef struct pm_types__finder finder;
typedef struct pm_types_project project;

/* The most classes in an order of inheritance besides the class itself. */
#define MOST_ORDERED 128

/* Sequences of classes that are merged into one. */
struct merge {
    uint32_t first[PM_TYPES__MOST_ITEMS + 1], end[PM_TYPES__MOST_ITEMS + 1];
    uint32_t count;
};

static uint32_t at_place(const project *p, const struct merge *m, uint32_t sequence, uint32_t place)
{
    return sequence + 1 == m->count ? p->parents[place] : p->orders[place];
}

/* Counts, for each class, the sequences in which it is not the first class; with `forget`, sets the
 * counts to 0. */
static void count_behind(project *p, const struct merge *m, bool forget)
{
    for (uint32_t i = 0; i < m->count; i++)
        for (uint32_t k = m->first[i] + 1; k < m->end[i]; k++) {
            struct pm_types__class *of = &p->classes[at_place(p, m, i, k)];
            of->behind = forget ? 0 : of->behind + 1;
        }
}

/* Removes a class that is the first one in each sequence that has it. */
static void take_first(project *p, struct merge *m, uint32_t class)
{
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->first[i] == m->end[i] || at_place(p, m, i, m->first[i]) != class)
            continue;
        if (++m->first[i] < m->end[i])
            p->classes[at_place(p, m, i, m->first[i])].behind--;
    }
}

/* Merges sequences by Python's algorithm C3: repeatedly takes a class that is the first one in each
 * sequence that still has it. Returns false if the sequences contradict each other, or if there are
 * too many classes. */
static bool merge(project *p, struct merge *m)
{
    const size_t start = p->orders_count;
    count_behind(p, m, false);
    for (;;) {
        uint32_t next = PM_TYPES__NOBODY;
        bool left = false;
        p->steps += m->count;
        for (uint32_t i = 0; i < m->count && next == PM_TYPES__NOBODY; i++) {
            if (m->first[i] == m->end[i])
                continue;
            left = true;
            const uint32_t head = at_place(p, m, i, m->first[i]);
            next = p->classes[head].behind ? PM_TYPES__NOBODY : head;
        }
        if (!left)
            return true;
        if (next == PM_TYPES__NOBODY || p->orders_count - start >= MOST_ORDERED)
            break;
        PM_TYPES__PUSH(p, orders, next);
        take_first(p, m, next);
    }
    count_behind(p, m, true);
    return false;
}

/* Finds the order in which Python searches a class and the classes from which it inherits. Returns
 * false if there is no such order, or if there are too many classes or levels above the class. */
static bool find_order(finder *f, uint32_t class)
{
    project *p = f->project;
    struct merge m = {.count = 0};
    const struct pm_types__class *of = &p->classes[class];
    if (of->order_count)
        return of->order_count != PM_TYPES__NOBODY;
    pm_types__settle(f, class);
    p->classes[class].order_count =
        PM_TYPES__NOBODY; /* no order until one is found, even if the search returns here */
    if (of->height >= MOST_ORDERED)
        return false;
    for (uint32_t i = 0; i < of->parent_count; i++) {
        const uint32_t parent = p->parents[of->first_parent + i];
        if (!find_order(f, parent))
            return false;
        m.first[m.count] = p->classes[parent].first_order;
        m.end[m.count] = m.first[m.count] + p->classes[parent].order_count;
        m.count++;
    }
    m.first[m.count] = of->first_parent;
    m.end[m.count++] = of->first_parent + of->parent_count;
    const size_t start = p->orders_count;
    PM_TYPES__PUSH(p, orders, class);
    if (!merge(p, &m)) {
        p->orders_count = start;
        return false;
    }
    p->classes[class].first_order = (uint32_t)start;
    p->classes[class].order_count = (uint32_t)(p->orders_count - start);
    return true;
}

bool pm_types__framework_first(finder *f, uint32_t class, uint32_t owner)
{
    const project *p = f->project;
    pm_types__settle(f, class);
    if (class == owner || !p->classes[class].base.type || p->classes[owner].base.type ||
        !find_order(f, class))
        return false;
    for (uint32_t i = 0; i < p->classes[class].order_count; i++) {
        const uint32_t at = p->orders[p->classes[class].first_order + i];
        const struct pm_types__class *of = &p->classes[at];
        if (at == owner)
            return false;
        bool before = !of->framework.type;
        for (uint32_t k = 0; k < of->framework_place && !before; k++)
            before = pm_types__inherits(f, p->parents[of->first_parent + k], owner);
        if (!before)
            return true;
    }
    return false;
}
bool pm_types__comes_first(finder *f, uint32_t class, uint32_t a, uint32_t b, uint32_t parent_of_b)
{
    const project *p = f->project;
    if (pm_types__inherits(f, parent_of_b, a))
        return false; /* that parent has `b` before `a` */
    if (!find_order(f, class))
        return true;
    for (uint32_t i = 0; i < p->classes[class].order_count; i++) {
        const uint32_t at = p->orders[p->classes[class].first_order + i];
        if (at == a || at == b)
            return at == a;
    }
    return true;
}
