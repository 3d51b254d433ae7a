/*
 * Finds which class of the project, or which module, has a name. Answers are kept until the next
 * pass over the project. No function recurses over classes.
 */
#include <stdlib.h>

#include "types/finder.h"

typedef struct pm_types__value value;
typedef struct pm_types__finder finder;
typedef struct pm_types_project project;

/* Limits of the search for the class above a class that has a name. It goes up level by level. If
 * there are more than DEEP levels, it examines the classes that have the name instead, unless more
 * than MOST_OWNERS classes have it. */
#define DEEP        64
#define MOST_OWNERS 256

/* The most answers that are kept. When there are this many, all answers are removed. */
#define MOST_ANSWERS (1u << 21)

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

/* Returns the answer for an owner and a name, or NULL if there is none yet. */
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

/* ---- owners of a name ----------------------------------------------------------------------- */

/* Finds the files that star imports name. */
static void find_stars(project *p)
{
    p->star_units_count = 0;
    for (size_t i = 0; i < p->stars_count; i++) {
        const struct pm_types__term *star = &p->terms[p->stars[i]];
        PM_TYPES__PUSH(p, star_units,
                       star->op == PM_TYPES__IMPORT ? pm_types__unit(p, star->a, p->names[star->b])
                                                    : 0);
    }
}

static bool is_of_class(const struct pm_types__member *member)
{
    return member->owner % 2 && member->term;
}

/* Sets only_owners: for each name, the class + 1 if a single class has it, otherwise NOBODY. */
static void find_only_owners(project *p)
{
    p->only_owners_count = 0;
    while (p->only_owners_count < p->taken_count)
        PM_TYPES__PUSH(p, only_owners, 0);
    for (size_t i = 0; i < p->members_count; i++) {
        const struct pm_types__member *member = &p->members[i];
        uint32_t *owner = &p->only_owners[member->name];
        if (is_of_class(member))
            *owner = *owner ? PM_TYPES__NOBODY : member->owner / 2 + 1;
    }
    for (size_t i = 0; i < p->only_owners_count; i++)
        p->only_owners[i] = p->only_owners[i] ? p->only_owners[i] : PM_TYPES__NOBODY;
}
void pm_types__begin_owners(project *p)
{
    pm_types__forget_answers(p);
    find_only_owners(p);
    find_stars(p);
    p->owners_count = p->first_owners_count = 0;
}

/* Returns whether the class has the name, or the answer is known already. Sets *found to the
 * answer. */
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

/* Returns whether to keep the answer of a class. In a chain of single parents, the answer of every
 * 16th class is enough. */
static bool keeps_answer(const struct pm_types__class *of)
{
    return of->parent_count > 1 || of->height % 16 == 0;
}

/* Begins to search the parents of a class. Until the search ends, the class counts as lacking the
 * name, because a class may lead to itself while bases are being found. */
static void begin_class(finder *f, uint32_t class, uint32_t name)
{
    pm_types__settle(f, class);
    if (keeps_answer(&f->project->classes[class]))
        keep_answer(f->project, PM_TYPES__CLASS_OWNER(class), name, 0);
    PM_TYPES__PUSH(f->project, visits, (struct pm_types__visit){.class = class});
}

/* Uses the answer of the parent at the current place: class `found` - 1 has the name; 0: no class
 * has it. */
static void take_answer(finder *f, struct pm_types__visit *visit, uint32_t found)
{
    const struct pm_types__class *of = &f->project->classes[visit->class];
    const uint32_t parent = f->project->parents[of->first_parent + visit->next++];
    if (!found || found == visit->found)
        return;
    /* Finding the order may move the visits. */
    const struct pm_types__visit before = *visit;
    const size_t place = (size_t)(visit - f->project->visits);
    if (!before.found ||
        !pm_types__comes_first(f, before.class, before.found - 1, found - 1, parent))
        f->project->visits[place].found = found;
}

/* Returns the first class + 1 that has the name, among the parents of a class and the classes from
 * which these inherit; 0 if there is none. */
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

/* Lists the classes that have each name. Call it once in a pass over the project. */
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

/* Follows single parents up from a class that lacks a name. Stops at the first class that has the
 * name, or that does not have exactly one parent, or after DEEP levels. Returns this class. */
static uint32_t climb(finder *f, uint32_t class, uint32_t name)
{
    project *p = f->project;
    for (int i = 0; i < DEEP; i++) {
        pm_types__settle(f, class);
        if (p->classes[class].parent_count != 1)
            break;
        class = p->parents[p->classes[class].first_parent];
        p->steps++;
        if (pm_types__member(p, PM_TYPES__CLASS_OWNER(class), name))
            break;
    }
    return class;
}

/* Among the classes that have a name and from which a class inherits, finds the class + 1 that
 * inherits from all others: Python searches it first. Sets *found to 0 if no class has the name.
 * Returns false if several classes have the name and none of them inherits from all others, or if a
 * search by levels is faster. */
static bool nearest_owner(finder *f, uint32_t class, uint32_t name, uint32_t *found)
{
    project *p = f->project;
    *found = 0;
    pm_types__settle(f, class);
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
        if (!pm_types__inherits(f, class, owner) ||
            (*found && pm_types__inherits(f, *found - 1, owner)))
            continue;
        if (*found && !pm_types__inherits(f, owner, *found - 1))
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
    if (only != PM_TYPES__NOBODY)
        return only - 1 != class && pm_types__inherits(f, class, only - 1) ? only : 0;
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

/* ---- modules -------------------------------------------------------------------------------- */

/* Searches a module and the modules to which its star imports lead. Returns the first module + 1
 * that has the name; 0 if none has it. */
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
    /* The modules that wait find the name there too. If no module has the name, none of the
     * searched modules finds it. */
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
