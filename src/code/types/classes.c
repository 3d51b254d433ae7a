/*
 * Finds the bases and the subclasses of the project's classes. No function recurses over classes,
 * because a project may have any number of them.
 */
#include "types/finder.h"

typedef struct pm_types__value value;
typedef struct pm_types__finder finder;
typedef struct pm_types_project project;

/* States of a search: not begun, in progress, finished. */
enum { UNSEEN, SEEN, FOUND };

/* ---- bases ---------------------------------------------------------------------------------- */

static bool inherits(const project *p, const struct pm_types__class *class, uint32_t from)
{
    for (uint32_t i = 0; i < class->parent_count; i++)
        if (p->parents[class->first_parent + i] == from)
            return true;
    return false;
}

/* Adds a class that a base may be. */
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

/* Adds a base. If it may be one of several classes, as in `Base if a else Other`, the class
 * inherits from each of the project's classes among them. What it inherits from a framework's class
 * is then marked as `replaced`. */
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

/* Returns the class that a term denotes as a base; for Base[T], the class Base. */
static value base_of(finder *f, uint32_t term)
{
    const value found = f->find(f, term);
    const struct pm_types__term *of = &f->project->terms[term];
    const bool generic = of->op == PM_TYPES__SUBSCRIPT || of->op == PM_TYPES__ITEM;
    return !found.type && generic ? f->find(f, of->a) : found;
}

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
void pm_types__begin_bases(project *p)
{
    p->parents_count = p->links_count = 0;
    for (uint32_t i = 0; i < p->classes_count; i++) {
        struct pm_types__class *of = &p->classes[i];
        of->state = UNSEEN;
        of->settled = UNSEEN;
        of->framework = of->base = pm_types__nothing();
        of->parent_count = of->order_count = of->first_child = 0;
        of->entered = of->left = of->behind = 0;
    }
}

/* ---- classes of frameworks as bases --------------------------------------------------------- */

static bool is_subclass(const project *p, uint32_t node, uint32_t of)
{
    const struct pm_resolve_node *class = &p->index->nodes[node];
    class = class->class ? &p->index->nodes[class->class] : class;
    for (uint32_t i = 0; i < class->base_count; i++)
        if (p->index->bases[class->first_base + i] == of)
            return true;
    return false;
}

/* Returns which of two classes of a framework comes first in the order of inheritance: `a`, unless
 * `b` is a subclass of it. */
static value nearer(const project *p, value a, value b)
{
    return !a.type || (b.type && is_subclass(p, b.node, a.node)) ? b : a;
}

/* Sets the height of a class and its base in a framework, from its settled parents. */
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

void pm_types__settle(finder *f, uint32_t class)
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
    pm_types__settle(f, class);
    return f->project->classes[class].base;
}

/* ---- inheritance ----------------------------------------------------------------------------- */

/* Sets the numbers of a class that the walk of number_classes() leaves. */
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

/* Numbers the classes in a depth-first walk from the classes without parents to their subclasses.
 * If the walk enters class B after it enters class A and before it leaves A, then B inherits from
 * A. The walk leaves all subclasses of a class before it leaves the class. */
static void number_classes(project *p)
{
    uint32_t entered = 0, left = 0;
    for (uint32_t i = 0; i < p->classes_count; i++) {
        uint32_t next = p->classes[i].parent_count == 0 ? i : PM_TYPES__NOBODY;
        for (;;) {
            if (next != PM_TYPES__NOBODY && !p->classes[next].entered) {
                p->classes[next].entered = ++entered;
                const uint32_t child = p->classes[next].first_child;
                PM_TYPES__PUSH(p, visits, (struct pm_types__visit){.class = next, .next = child});
            }
            if (p->visits_count == 0)
                break;
            struct pm_types__visit *top = &p->visits[p->visits_count - 1];
            const uint32_t link = top->next;
            next = link ? p->links[link - 1].class : PM_TYPES__NOBODY;
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
    p->orders_count = 0;
    for (uint32_t i = 0; i < p->classes_count; i++) {
        p->classes[i].settled = UNSEEN;
        p->classes[i].base = pm_types__nothing();
        p->classes[i].order_count = 0;
    }
    for (uint32_t i = 0; i < p->classes_count; i++)
        pm_types__settle(f, i);
    for (uint32_t i = 0; i < p->classes_count; i++)
        for (uint32_t k = p->classes[i].parent_count; k-- > 0;) {
            struct pm_types__class *parent =
                &p->classes[p->parents[p->classes[i].first_parent + k]];
            PM_TYPES__PUSH(p, links, (struct pm_types__link){i, parent->first_child});
            parent->first_child = (uint32_t)p->links_count;
        }
    number_classes(p);
}

/* Returns whether the walk of number_classes() went from the class `from` to the class `class`. */
static bool is_led_to(const struct pm_types__class *class, const struct pm_types__class *from)
{
    return from->entered && from->entered < class->entered && class->entered <= from->last_entered;
}

/* Returns whether the numbers allow that a class inherits from the class `of`. */
static bool may_be_below(const struct pm_types__class *class, const struct pm_types__class *of)
{
    return class->height > of->height &&
           (!of->left || (class->left < of->left && class->first_left >= of->first_left));
}

bool pm_types__inherits(finder *f, uint32_t class, uint32_t of)
{
    project *p = f->project;
    const size_t bottom = p->visits_count;
    const uint32_t stamp = ++p->stamp;
    pm_types__settle(f, class);
    pm_types__settle(f, of);
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

/* ---- subclasses ------------------------------------------------------------------------------ */

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
