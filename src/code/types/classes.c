/*
 * The classes of the project: what they inherit from, and which of them has a name.
 *
 * Each question is asked once: whose member a name is in a class is kept until the next pass over
 * the project. Nothing recurses over classes, because a project may have any number of them.
 */
#include <stdlib.h>

#include "types/finder.h"

typedef struct pm_types__value value;
typedef struct pm_types__finder finder;
typedef struct pm_types_project project;

/* How far the bases of a class are found. */
enum { UNSEEN, SEEN, FOUND };

/* The order of inheritance is found only for a class with at most so many ancestors, counting
 * itself. */
#define MOST_ORDERED 128

/* A class with more levels of others above it is asked for a name by way of the classes that have
 * the name, unless these are more than so many. */
#define DEEP        64
#define MOST_OWNERS 256

/* So many answers are kept; then all are forgotten. */
#define MOST_ANSWERS (1u << 21)

#define NOBODY UINT32_MAX

/* ---- answers -------------------------------------------------------------------------------- */

static size_t answer_slot(const project *p, uint64_t key)
{
    size_t i = key * 0x9e3779b97f4a7c15u >> 24 & p->answer_mask;
    while (p->answers[i].key && p->answers[i].key != key)
        i = (i + 1) & p->answer_mask;
    return i;
}

static uint64_t key_of(uint32_t owner, uint32_t name)
{
    return ((uint64_t)name << 32 | owner) + 1;
}

/* Returns what was found for an owner and a name, or NULL. */
static const struct pm_types__answer *answer(const project *p, uint32_t owner, uint32_t name)
{
    if (!p->answers)
        return NULL;
    const struct pm_types__answer *found = &p->answers[answer_slot(p, key_of(owner, name))];
    return found->key ? found : NULL;
}

void pm_types__forget_answers(project *p)
{
    free(p->answers);
    p->answers = NULL;
    p->answer_mask = p->answer_count = 0;
}

static void keep_answer(project *p, uint32_t owner, uint32_t name, uint32_t found)
{
    if (p->answer_count == MOST_ANSWERS)
        pm_types__forget_answers(p);
    if (p->answer_count * 2 >= p->answer_mask) {
        struct pm_types__answer *old = p->answers;
        const size_t count = old ? p->answer_mask + 1 : 0;
        p->answer_mask = count ? count * 2 - 1 : 1023;
        p->answers = pm_alloc((p->answer_mask + 1) * sizeof *p->answers);
        for (size_t i = 0; i < count; i++)
            if (old[i].key)
                p->answers[answer_slot(p, old[i].key)] = old[i];
        free(old);
    }
    struct pm_types__answer *slot = &p->answers[answer_slot(p, key_of(owner, name))];
    p->answer_count += slot->key == 0;
    *slot = (struct pm_types__answer){key_of(owner, name), found};
}

/* ---- bases ---------------------------------------------------------------------------------- */

static bool inherits(const project *p, const struct pm_types__class *class, uint32_t from)
{
    for (uint32_t i = 0; i < class->parent_count; i++)
        if (p->parents[class->first_parent + i] == from)
            return true;
    return false;
}

/* Adds one of the classes that a base may be. */
static void add_parent(project *p, uint32_t class, value base)
{
    struct pm_types__class *of = &p->classes[class];
    if (base.type == PM_TYPES__NAMED && pm_types__is_class(p, base.node)) {
        if (!of->framework.type) {
            of->framework = base;
            of->framework_place = of->parent_count;
        }
    } else if (base.type == PM_TYPES__OWN_CLASS && base.node != class &&
               of->parent_count < PM_TYPES__MOST_ITEMS && !inherits(p, of, base.node)) {
        PM_TYPES__PUSH(p, parents, base.node);
        of->parent_count++;
    }
}

/* Adds a base. If it may be one of several classes, as `Base if a else Other`, the class inherits
 * from each of the project's; what it inherits from a framework's may be replaced. */
static void add_base(project *p, uint32_t class, value base)
{
    const struct pm_types__content several =
        base.type == PM_TYPES__ONE_OF ? p->contents[base.node] : (struct pm_types__content){0};
    if (base.type != PM_TYPES__ONE_OF)
        add_parent(p, class, base);
    for (uint32_t i = 0; i < several.count; i++) {
        value one = p->held[several.first + i].value;
        one.replaced = true;
        add_parent(p, class, one);
    }
}

/* Returns what a term says as a base: of Base[T], the class. */
static value base_of(finder *f, uint32_t term)
{
    const value found = f->find(f, term);
    const struct pm_types__term *of = &f->project->terms[term];
    const bool generic = of->op == PM_TYPES__SUBSCRIPT || of->op == PM_TYPES__ITEM;
    return !found.type && generic ? f->find(f, of->a) : found;
}

/* Finds the bases of a class, which has none as long as that takes. */
void pm_types__find_bases(finder *f, uint32_t class)
{
    project *p = f->project;
    value bases[PM_TYPES__MOST_ITEMS];
    const uint32_t first = p->classes[class].first_base;
    const uint32_t count = p->classes[class].base_count;
    if (p->classes[class].state != UNSEEN)
        return;
    p->classes[class].state = SEEN;
    for (uint32_t i = 0; i < count; i++)
        bases[i] = base_of(f, p->bases[first + i]);
    struct pm_types__class *of = &p->classes[class];
    of->state = f->deeper ? UNSEEN : FOUND;
    of->first_parent = (uint32_t)p->parents_count;
    of->parent_count = 0;
    for (uint32_t i = 0; i < count && !f->deeper; i++)
        add_base(p, class, bases[i]);
}

/* Finds the files that star imports mean. */
static void find_stars(project *p)
{
    p->star_units_count = 0;
    for (size_t i = 0; i < p->stars_count; i++) {
        const struct pm_types__term *star = &p->terms[p->stars[i]];
        PM_TYPES__PUSH(p, star_units, pm_types__unit(p, star->a, p->names[star->b]));
    }
}

static bool is_of_class(const struct pm_types__member *member)
{
    return member->owner % 2 && member->term;
}

/* Finds the names that a single class has. */
static void find_only_owners(project *p)
{
    p->only_owners_count = 0;
    while (p->only_owners_count < p->taken_count)
        PM_TYPES__PUSH(p, only_owners, 0);
    for (size_t i = 0; i < p->members_count; i++) {
        const struct pm_types__member *member = &p->members[i];
        uint32_t *owner = &p->only_owners[member->name];
        if (is_of_class(member))
            *owner = *owner ? NOBODY : member->owner / 2 + 1;
    }
    for (size_t i = 0; i < p->only_owners_count; i++)
        p->only_owners[i] = p->only_owners[i] ? p->only_owners[i] : NOBODY;
}

void pm_types__begin_bases(project *p)
{
    pm_types__forget_answers(p);
    find_only_owners(p);
    find_stars(p);
    p->parents_count = p->links_count = p->owners_count = p->first_owners_count = 0;
    for (uint32_t i = 0; i < p->classes_count; i++) {
        struct pm_types__class *of = &p->classes[i];
        of->state = UNSEEN;
        of->settled = UNSEEN;
        of->framework = of->base = pm_types__nothing();
        of->parent_count = of->order_count = of->first_child = 0;
        of->entered = of->left = of->behind = 0;
    }
}

/* ---- frameworks' classes that classes inherit from ------------------------------------------ */

static bool is_subclass(const project *p, uint32_t node, uint32_t of)
{
    const struct pm_resolve_node *class = &p->index->nodes[node];
    class = class->class ? &p->index->nodes[class->class] : class;
    for (uint32_t i = 0; i < class->base_count; i++)
        if (p->index->bases[class->first_base + i] == of)
            return true;
    return false;
}

/* Returns the one of two classes of a framework that comes first in the order of inheritance. */
static value nearer(const project *p, value a, value b)
{
    return !a.type || (b.type && is_subclass(p, b.node, a.node)) ? b : a;
}

/* Says what is known of a class from its parents. */
static void settle(project *p, uint32_t class)
{
    struct pm_types__class *of = &p->classes[class];
    of->height = 0;
    for (uint32_t i = 0; i <= of->parent_count; i++) {
        if (i == of->framework_place)
            of->base = nearer(p, of->base, of->framework);
        if (i == of->parent_count)
            break;
        const struct pm_types__class *parent = &p->classes[p->parents[of->first_parent + i]];
        if (parent->settled != FOUND)
            continue;
        of->base = nearer(p, of->base, parent->base);
        of->height = parent->height >= of->height ? parent->height + 1 : of->height;
    }
    of->settled = FOUND;
}

/* Removes a parent through which a class would inherit from itself. */
static void drop_parent(project *p, uint32_t class, uint32_t place)
{
    struct pm_types__class *of = &p->classes[class];
    uint32_t *parents = &p->parents[of->first_parent];
    for (uint32_t i = place; i + 1 < of->parent_count; i++)
        parents[i] = parents[i + 1];
    of->parent_count--;
    of->framework_place -= of->framework_place > place;
}

/* Settles a class behind all that it inherits from. From then on, no class leads to itself. */
static void settle_all(finder *f, uint32_t class)
{
    project *p = f->project;
    const size_t bottom = p->visits_count;
    if (p->classes[class].settled != UNSEEN)
        return;
    PM_TYPES__PUSH(p, visits, (struct pm_types__visit){.class = class});
    while (p->visits_count > bottom) {
        struct pm_types__visit *top = &p->visits[p->visits_count - 1];
        const uint32_t at = top->class;
        if (p->classes[at].settled == UNSEEN) {
            p->classes[at].settled = SEEN;
            pm_types__find_bases(f, at);
            top = &p->visits[p->visits_count - 1];
        }
        if (top->next == p->classes[at].parent_count) {
            settle(p, at);
            p->visits_count--;
            continue;
        }
        const uint32_t parent = p->parents[p->classes[at].first_parent + top->next];
        if (p->classes[parent].settled == SEEN) {
            drop_parent(p, at, top->next);
            continue;
        }
        top->next++;
        if (p->classes[parent].settled == UNSEEN)
            PM_TYPES__PUSH(p, visits, (struct pm_types__visit){.class = parent});
    }
}

value pm_types__framework_base(finder *f, uint32_t class)
{
    settle_all(f, class);
    return f->project->classes[class].base;
}

/* ---- who inherits from whom ------------------------------------------------------------------ */

/* Leaves a class of the walk below. */
static void leave(project *p, uint32_t class, uint32_t entered, uint32_t left)
{
    struct pm_types__class *of = &p->classes[class];
    of->last_entered = entered;
    of->left = of->first_left = left;
    for (uint32_t k = of->first_child; k; k = p->links[k - 1].next) {
        const uint32_t first = p->classes[p->links[k - 1].class].first_left;
        of->first_left = first < of->first_left ? first : of->first_left;
    }
}

/* Walks from the classes without parents down to all others, and enters each once. A class that is
 * entered between the entering and the leaving of another one inherits from that. All that inherit
 * from a class are left before it. */
static void number_classes(project *p)
{
    uint32_t entered = 0, left = 0;
    for (uint32_t i = 0; i < p->classes_count; i++) {
        uint32_t next = p->classes[i].parent_count == 0 ? i : NOBODY;
        for (;;) {
            if (next != NOBODY && !p->classes[next].entered) {
                p->classes[next].entered = ++entered;
                const uint32_t child = p->classes[next].first_child;
                PM_TYPES__PUSH(p, visits, (struct pm_types__visit){.class = next, .next = child});
            }
            if (p->visits_count == 0)
                break;
            struct pm_types__visit *top = &p->visits[p->visits_count - 1];
            const uint32_t link = top->next;
            next = link ? p->links[link - 1].class : NOBODY;
            if (link)
                top->next = p->links[link - 1].next;
            else
                leave(p, p->visits[--p->visits_count].class, entered, ++left);
        }
    }
}

void pm_types__end_bases(finder *f)
{
    project *p = f->project;
    pm_types__forget_answers(p); /* what was found until here, lacked bases */
    p->orders_count = 0;
    for (uint32_t i = 0; i < p->classes_count; i++) {
        p->classes[i].settled = UNSEEN;
        p->classes[i].base = pm_types__nothing();
        p->classes[i].order_count = 0;
    }
    for (uint32_t i = 0; i < p->classes_count; i++)
        settle_all(f, i);
    for (uint32_t i = 0; i < p->classes_count; i++)
        for (uint32_t k = p->classes[i].parent_count; k-- > 0;) {
            struct pm_types__class *parent =
                &p->classes[p->parents[p->classes[i].first_parent + k]];
            PM_TYPES__PUSH(p, links, (struct pm_types__link){i, parent->first_child});
            parent->first_child = (uint32_t)p->links_count;
        }
    number_classes(p);
}

/* Returns whether the walk of number_classes() went from the second class to the first one. */
static bool is_led_to(const struct pm_types__class *class, const struct pm_types__class *from)
{
    return from->entered && from->entered < class->entered && class->entered <= from->last_entered;
}

/* Returns false if a class cannot inherit from another one. */
static bool may_be_below(const struct pm_types__class *class, const struct pm_types__class *of)
{
    return class->height > of->height &&
           (!of->left || (class->left < of->left && class->first_left >= of->first_left));
}

/* Returns whether a class is another one or inherits from it. */
static bool is_below(finder *f, uint32_t class, uint32_t of)
{
    project *p = f->project;
    const size_t bottom = p->visits_count;
    const uint32_t stamp = ++p->stamp;
    settle_all(f, class);
    settle_all(f, of);
    const struct pm_types__class *above = &p->classes[of];
    bool found = class == of || is_led_to(&p->classes[class], above);
    if (!found && may_be_below(&p->classes[class], above))
        PM_TYPES__PUSH(p, visits, (struct pm_types__visit){.class = class});
    while (p->visits_count > bottom && !found) {
        const struct pm_types__class *at = &p->classes[p->visits[--p->visits_count].class];
        p->steps += at->parent_count;
        for (uint32_t i = 0; i < at->parent_count; i++) {
            const uint32_t parent = p->parents[at->first_parent + i];
            found |= parent == of || is_led_to(&p->classes[parent], above);
            if (p->classes[parent].stamp == stamp || !may_be_below(&p->classes[parent], above))
                continue;
            p->classes[parent].stamp = stamp;
            PM_TYPES__PUSH(p, visits, (struct pm_types__visit){.class = parent});
        }
    }
    p->visits_count = bottom;
    return found;
}

bool pm_types__inherits(finder *f, uint32_t class, uint32_t from)
{
    return is_below(f, class, from);
}

/* ---- the order of inheritance --------------------------------------------------------------- */

/* Sequences of classes that are merged into one. */
struct merge {
    uint32_t first[PM_TYPES__MOST_ITEMS + 1], end[PM_TYPES__MOST_ITEMS + 1];
    uint32_t count;
};

static uint32_t at_place(const project *p, const struct merge *m, uint32_t sequence, uint32_t place)
{
    return sequence + 1 == m->count ? p->parents[place] : p->orders[place];
}

/* Counts the sequences in which a class is behind the first one. */
static void count_behind(project *p, const struct merge *m, bool forget)
{
    for (uint32_t i = 0; i < m->count; i++)
        for (uint32_t k = m->first[i] + 1; k < m->end[i]; k++) {
            struct pm_types__class *of = &p->classes[at_place(p, m, i, k)];
            of->behind = forget ? 0 : of->behind + 1;
        }
}

/* Takes a class, which is behind no other one, off the sequences. */
static void take_first(project *p, struct merge *m, uint32_t class)
{
    for (uint32_t i = 0; i < m->count; i++) {
        if (m->first[i] == m->end[i] || at_place(p, m, i, m->first[i]) != class)
            continue;
        if (++m->first[i] < m->end[i])
            p->classes[at_place(p, m, i, m->first[i])].behind--;
    }
}

/* Merges sequences by Python's C3: takes the first class that is not behind the first one of any
 * sequence, again and again. Returns false if the sequences contradict each other, or if there are
 * too many classes. */
static bool merge(project *p, struct merge *m)
{
    const size_t start = p->orders_count;
    count_behind(p, m, false);
    for (;;) {
        uint32_t next = NOBODY;
        bool left = false;
        p->steps += m->count;
        for (uint32_t i = 0; i < m->count && next == NOBODY; i++) {
            if (m->first[i] == m->end[i])
                continue;
            left = true;
            const uint32_t head = at_place(p, m, i, m->first[i]);
            next = p->classes[head].behind ? NOBODY : head;
        }
        if (!left)
            return true;
        if (next == NOBODY || p->orders_count - start >= MOST_ORDERED)
            break;
        PM_TYPES__PUSH(p, orders, next);
        take_first(p, m, next);
    }
    count_behind(p, m, true);
    return false;
}

/* Finds the order in which Python asks a class and those that it inherits from; false if there is
 * none. Only classes with few levels of others above them have one here. */
static bool find_order(finder *f, uint32_t class)
{
    project *p = f->project;
    struct merge m = {.count = 0};
    const struct pm_types__class *of = &p->classes[class];
    if (of->order_count)
        return of->order_count != NOBODY;
    settle_all(f, class);
    p->classes[class].order_count = NOBODY; /* until it is found, and if it leads to itself */
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
    settle_all(f, class);
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
            before = is_below(f, p->parents[of->first_parent + k], owner);
        if (!before)
            return true;
    }
    return false;
}

/* ---- who has a name ------------------------------------------------------------------------- */

/* Returns whether the first class comes before the second in the order of inheritance of `class`.
 * Both have the name, and each is the first one that has it above one of the parents. */
static bool comes_first(finder *f, uint32_t class, uint32_t a, uint32_t b, uint32_t parent_of_b)
{
    const project *p = f->project;
    if (is_below(f, parent_of_b, a))
        return false; /* it comes behind `b` there */
    if (!find_order(f, class))
        return true;
    for (uint32_t i = 0; i < p->classes[class].order_count; i++) {
        const uint32_t at = p->orders[p->classes[class].first_order + i];
        if (at == a || at == b)
            return at == a;
    }
    return true;
}

/* Returns true, with the answer, if the class has the name or the answer is known already. */
static bool is_answered(const project *p, uint32_t class, uint32_t name, uint32_t *found)
{
    if (pm_types__member(p, PM_TYPES__CLASS_OWNER(class), name)) {
        *found = class + 1;
        return true;
    }
    const struct pm_types__answer *known = answer(p, PM_TYPES__CLASS_OWNER(class), name);
    *found = known ? known->found : 0;
    return known != NULL;
}

/* Returns whether to keep an answer: in a chain of single parents, not each class needs its own. */
static bool keeps_answer(const struct pm_types__class *of)
{
    return of->parent_count > 1 || of->height % 16 == 0;
}

/* Begins with a class: it is asked for what its parents have. While bases are being found, classes
 * may still lead to themselves; one that is being asked has nothing. */
static void begin_class(finder *f, uint32_t class, uint32_t name)
{
    settle_all(f, class);
    if (keeps_answer(&f->project->classes[class]))
        keep_answer(f->project, PM_TYPES__CLASS_OWNER(class), name, 0);
    PM_TYPES__PUSH(f->project, visits, (struct pm_types__visit){.class = class});
}

/* Takes the answer of the parent at the place: the class `found` - 1 has the name, or no class
 * does. */
static void take_answer(finder *f, struct pm_types__visit *visit, uint32_t found)
{
    const struct pm_types__class *of = &f->project->classes[visit->class];
    const uint32_t parent = f->project->parents[of->first_parent + visit->next++];
    if (!found || found == visit->found)
        return;
    /* asking for the order may move the visits */
    const struct pm_types__visit before = *visit;
    const size_t place = (size_t)(visit - f->project->visits);
    if (!before.found || !comes_first(f, before.class, before.found - 1, found - 1, parent))
        f->project->visits[place].found = found;
}

/* Returns the first of the parents of a class, and of what these inherit from, that has the name, +
 * 1. */
static uint32_t inherited_owner(finder *f, uint32_t class, uint32_t name)
{
    project *p = f->project;
    const size_t bottom = p->visits_count;
    uint32_t found = 0;
    begin_class(f, class, name);
    for (;;) {
        struct pm_types__visit *top = &p->visits[p->visits_count - 1];
        const struct pm_types__class *of = &p->classes[top->class];
        p->steps++;
        if (top->next < of->parent_count && p->visits_count - bottom <= p->classes_count) {
            const uint32_t parent = p->parents[of->first_parent + top->next];
            if (is_answered(p, parent, name, &found))
                take_answer(f, top, found);
            else
                begin_class(f, parent, name);
            continue;
        }
        found = top->found;
        if (keeps_answer(of) || p->visits_count == bottom + 1)
            keep_answer(p, PM_TYPES__CLASS_OWNER(top->class), name, found);
        if (--p->visits_count == bottom)
            return found;
        take_answer(f, &p->visits[p->visits_count - 1], found);
    }
}

/* Sorts the classes that have names by the names, once in a pass over the project. */
static void list_owners(project *p)
{
    for (size_t i = 0; i <= p->taken_count; i++)
        PM_TYPES__PUSH(p, first_owners, 0);
    for (size_t i = 0; i < p->members_count; i++)
        p->first_owners[p->members[i].name] += is_of_class(&p->members[i]);
    for (size_t i = 1; i <= p->taken_count; i++)
        p->first_owners[i] += p->first_owners[i - 1];
    for (size_t i = 0; i < p->first_owners[p->taken_count]; i++)
        PM_TYPES__PUSH(p, owners, 0);
    for (size_t i = 0; i < p->members_count; i++)
        if (is_of_class(&p->members[i]))
            p->owners[--p->first_owners[p->members[i].name]] = p->members[i].owner / 2;
}

/* Goes up from a class that lacks a name, as long as there is one way: to the parent that has it,
 * or else up to DEEP levels. Gives where it ends. */
static uint32_t climb(finder *f, uint32_t class, uint32_t name)
{
    project *p = f->project;
    for (int i = 0; i < DEEP; i++) {
        settle_all(f, class);
        if (p->classes[class].parent_count != 1)
            break;
        class = p->parents[p->classes[class].first_parent];
        p->steps++;
        if (pm_types__member(p, PM_TYPES__CLASS_OWNER(class), name))
            break;
    }
    return class;
}

/* The nearest of the classes that have a name and that a class inherits from, + 1, or 0: that
 * inherits from each of the others, so Python asks it first. false if there is none such, or if
 * asking level by level is faster. */
static bool nearest_owner(finder *f, uint32_t class, uint32_t name, uint32_t *found)
{
    project *p = f->project;
    *found = 0;
    settle_all(f, class);
    if (p->classes[class].height <= DEEP)
        return false;
    class = climb(f, class, name);
    if (pm_types__member(p, PM_TYPES__CLASS_OWNER(class), name)) {
        *found = class + 1;
        return true;
    }
    if (p->owners_count == 0)
        list_owners(p);
    const uint32_t first = p->first_owners[name], end = p->first_owners[name + 1];
    if (p->classes[class].height <= DEEP || end - first > MOST_OWNERS)
        return false;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t owner = p->owners[i];
        p->steps++;
        if (!is_below(f, class, owner) || (*found && is_below(f, *found - 1, owner)))
            continue;
        if (*found && !is_below(f, owner, *found - 1))
            return false;
        *found = owner + 1;
    }
    return true;
}

static bool is_taken(const project *p, uint32_t name)
{
    return name < p->taken_count && p->taken[name] & (PM_TYPES__TAKEN | PM_TYPES__STORED);
}

uint32_t pm_types__inherited_owner(finder *f, uint32_t class, uint32_t name)
{
    if (!is_taken(f->project, name))
        return 0;
    const uint32_t only = f->project->only_owners[name];
    if (only != NOBODY)
        return only - 1 != class && is_below(f, class, only - 1) ? only : 0;
    const struct pm_types__answer *known = answer(f->project, PM_TYPES__CLASS_OWNER(class), name);
    uint32_t nearest;
    if (known)
        return known->found;
    if (!nearest_owner(f, class, name, &nearest))
        return inherited_owner(f, class, name);
    keep_answer(f->project, PM_TYPES__CLASS_OWNER(class), name, nearest);
    return nearest;
}

uint32_t pm_types__owner(finder *f, uint32_t class, uint32_t name)
{
    const bool own = is_taken(f->project, name) &&
                     pm_types__member(f->project, PM_TYPES__CLASS_OWNER(class), name);
    return own ? class + 1 : pm_types__inherited_owner(f, class, name);
}

/* ---- classes that inherit from a class ------------------------------------------------------- */

uint32_t pm_types__descendants(finder *f, uint32_t class, uint32_t *out, uint32_t most)
{
    project *p = f->project;
    const uint32_t stamp = ++p->stamp;
    uint32_t count = 0;
    p->classes[class].stamp = stamp;
    for (uint32_t i = 0, at = class;; at = out[i++]) {
        for (uint32_t k = p->classes[at].first_child; k && count < most; k = p->links[k - 1].next) {
            const uint32_t child = p->links[k - 1].class;
            if (p->classes[child].stamp != stamp)
                out[count++] = child;
            p->classes[child].stamp = stamp;
        }
        if (i == count)
            return count;
    }
}

/* ---- modules -------------------------------------------------------------------------------- */

/* Asks the modules that a star import leads to, from one on. The first one that has the name, + 1.
 */
static uint32_t search_stars(project *p, uint32_t unit, uint32_t name)
{
    const size_t bottom = p->visits_count;
    const uint32_t stamp = ++p->stamp;
    uint32_t found = 0, next = unit + 1;
    p->searched_count = 0;
    for (;;) {
        if (next && p->units[next - 1].stamp != stamp) {
            const struct pm_types__answer *known = answer(p, PM_TYPES__UNIT_OWNER(next - 1), name);
            if (pm_types__member(p, PM_TYPES__UNIT_OWNER(next - 1), name))
                found = next;
            else if (known)
                found = known->found;
            else
                PM_TYPES__PUSH(p, visits, (struct pm_types__visit){.class = next - 1});
            p->units[next - 1].stamp = stamp;
            PM_TYPES__PUSH(p, searched, next - 1);
        }
        if (found || p->visits_count == bottom)
            break;
        struct pm_types__visit *top = &p->visits[p->visits_count - 1];
        const struct pm_types__unit *of = &p->units[top->class];
        next = top->next < of->star_count ? p->star_units[of->first_star + top->next] : 0;
        p->visits_count -= top->next++ >= of->star_count;
    }
    /* Those that wait have it too. If nobody has it, none of those that were asked has it. */
    for (size_t i = bottom; found && i < p->visits_count; i++)
        keep_answer(p, PM_TYPES__UNIT_OWNER(p->visits[i].class), name, found);
    for (size_t i = 0; !found && i < p->searched_count; i++)
        keep_answer(p, PM_TYPES__UNIT_OWNER(p->searched[i]), name, 0);
    p->visits_count = bottom;
    return found;
}

uint32_t pm_types__unit_owner(project *p, uint32_t unit, uint32_t name)
{
    if (name >= p->taken_count || !(p->taken[name] & PM_TYPES__GLOBAL_NAME))
        return 0;
    if (p->units[unit].star_count == 0)
        return pm_types__member(p, PM_TYPES__UNIT_OWNER(unit), name) ? unit + 1 : 0;
    const struct pm_types__answer *known = answer(p, PM_TYPES__UNIT_OWNER(unit), name);
    return known ? known->found : search_stars(p, unit, name);
}
