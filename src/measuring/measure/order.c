/* Decides the order of the cases within a process. */
#include <string.h>

#include "base/alloc.h"
#include "base/random.h"
#include "measure/plan.h"

/* Returns whether two cases belong to one function or, with isolation by worker, to one framework.
 * Only such cases may share a process, and only if they need the same kind of process
 * (plan->process_of). */
static bool are_neighbours(const struct plan *plan, size_t a, size_t b)
{
    const struct pm_function *left = plan->cases[a]->function, *right = plan->cases[b]->function;
    return plan->options->isolation == PM_ISOLATION_WORKER
               ? !strcmp(left->framework, right->framework)
               : left == right;
}

static void shuffle(struct pm_random *random, size_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t k = (size_t)pm_random_below(random, i);
        const size_t swap = items[i - 1];
        items[i - 1] = items[k];
        items[k] = swap;
    }
}

/* Assigns places to the cases of [first, end) that can share the process of `first`. */
static void order_company(const struct plan *plan, const bool *runs, struct pm_random *random,
                          size_t *company, size_t first, size_t end, struct plan_order *order)
{
    size_t count = 0;
    for (size_t k = first; k < end; k++)
        if (runs[k] && plan->process_of[k] == plan->process_of[first])
            company[count++] = k;
    shuffle(random, company, count);
    for (size_t i = 0; i < count; i++)
        order[company[i]] = (struct plan_order){.rank = i, .of = count};
}

static bool is_met(const struct plan *plan, size_t from, size_t k)
{
    while (from < k && plan->process_of[from] != plan->process_of[k])
        from++;
    return from < k;
}

struct plan_order *pm_measure__order_make(const struct plan *plan, const bool *runs)
{
    struct plan_order *order = pm_alloc((plan->case_count + 1) * sizeof *order);
    size_t *company = pm_alloc((plan->case_count + 1) * sizeof *company);
    for (size_t first = 0, end; first < plan->case_count; first = end) {
        struct pm_random random;
        for (end = first; end < plan->case_count && are_neighbours(plan, first, end); end++)
            continue;
        pm_random_init(&random, "order of cases", (uint64_t)plan->options->seed);
        for (size_t k = first; k < end; k++)
            if (!is_met(plan, first, k))
                order_company(plan, runs, &random, company, k, end, order);
    }
    free(company);
    return order;
}

struct ordering {
    const struct plan *plan;
    const struct plan_order *order;
};

static size_t place_of(const struct ordering *o, size_t execution)
{
    const struct plan_execution *e = &o->plan->executions[execution];
    const struct plan_order *at = &o->order[e->number];
    return at->of ? (at->rank + at->of - e->repetition % at->of) % at->of : 0;
}

static int by_place(const void *left, const void *right, void *ctx)
{
    const size_t a = place_of(ctx, *(const size_t *)left),
                 b = place_of(ctx, *(const size_t *)right);
    return a < b ? -1 : a > b;
}

void pm_measure__order_apply(const struct plan *plan, const struct plan_order *order,
                             struct plan_group *group)
{
    struct ordering ordering = {plan, order};
    qsort_r(group->executions, group->count, sizeof *group->executions, by_place, &ordering);
}
