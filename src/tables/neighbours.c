/* The table of cases that depend on what ran before them in their process. */
#include <string.h>

#include "base/alloc.h"
#include "judge/judge.h"
#include "tables/kinds.h"

static bool of_one_case(const struct reading_judgement *a, const struct reading_judgement *b)
{
    return a->target == b->target && !strcmp(a->function, b->function) && !strcmp(a->name, b->name);
}

/* The executions of one case, by repetition and reason. */
struct runs {
    struct pm_case_run *items;
    size_t count;
    const struct reading_judgement *wrong; /* the first that failed */
};

static void take(struct runs *runs, const struct reading_judgement *j)
{
    runs->items[runs->count++] = (struct pm_case_run){j->outcome, j->shared, j->reason};
    if (!runs->wrong && pm_outcome_is_wrong(j->outcome))
        runs->wrong = j;
}

static void add_row(const struct reading *r, const struct runs *runs, struct pm_table *t)
{
    const enum pm_neighbour neighbour = pm_judge_neighbour(runs->items, runs->count);
    if (neighbour == PM_NEIGHBOUR_NONE)
        return;
    pm_table_text(t, r->targets[runs->wrong->target].text);
    pm_table_text(t, runs->wrong->function);
    pm_table_text(t, runs->wrong->name);
    pm_table_text(t, pm_neighbour_text(neighbour));
    pm_table_text(t, runs->wrong->detail);
}

void pm_tables__add_neighbours(const struct reading *r, struct pm_report *report)
{
    const size_t counting = r->judgement_list.count, repeated = r->superseded_list.count;
    struct pm_table *t = pm_table_new("neighbours", "Cases that depend on what ran before them in "
                                                    "their process");
    struct runs runs = {.items = pm_alloc((counting + repeated + 1) * sizeof *runs.items)};
    pm_table_column(t, "target", "target", PM_CELL_TEXT);
    pm_table_column(t, "function", "function", PM_CELL_TEXT);
    pm_table_column(t, "case", "case", PM_CELL_TEXT);
    pm_table_column(t, "how", "how", PM_CELL_TEXT);
    pm_table_column(t, "message", "message", PM_CELL_TEXT);
    for (size_t i = 0, k = 0; i < counting; i++) {
        const struct reading_judgement *j = &r->judgements[i];
        if (i > 0 && !of_one_case(j, j - 1)) {
            add_row(r, &runs, t);
            runs = (struct runs){.items = runs.items};
        }
        /* Both lists have one order, and a row here comes right before the one that counts. */
        if (k < repeated && of_one_case(&r->superseded[k], j) &&
            r->superseded[k].repetition == j->repetition)
            take(&runs, &r->superseded[k++]);
        take(&runs, j);
    }
    add_row(r, &runs, t);
    free(runs.items);
    pm_tables__take(r, report, t);
}
