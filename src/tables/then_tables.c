/* What is measured here beside what the study printed of the same functions. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "published/publication.h"
#include "tables/kinds.h"

/* The cell of a function in one of the tables of latencies; NULL if missing. */
static const struct pm_publication_cell *printed(const struct pm_publication *p,
                                                 const char *function, const char *item)
{
    const struct pm_publication_cell *found = NULL;
    for (size_t i = 0; i < PM_PUBLICATION_FRAMEWORKS && !found; i++)
        found = pm_publication_find(p, pm_publication_latencies(pm_publication_framework_at(i)),
                                    function, item);
    return found;
}

static void ratio_cell(const struct pm_reading *r, const struct pm_reading_verdict *v,
                       struct pm_table *t)
{
    const struct pm_reading_key key = {.target = v->target,
                                       .scope = PM_SCOPE_FUNCTION,
                                       .function = v->function,
                                       .name = "",
                                       .clock = PM_CLOCK_WARM,
                                       .size = PM_SIZE_SMALL,
                                       .what = PM_STATISTIC_RATIO};
    const struct pm_reading_statistic *ratio = pm_reading_statistic(r, &key);
    pm_table_number(t, ratio ? ratio->value : NAN);
}

static void then_row(const struct pm_reading *r, const struct pm_publication *p,
                     const struct pm_reading_verdict *v, struct pm_table *t)
{
    static const char *const items[] = {"GPU (ms)", "TPU (ms)", "TPU/GPU"};
    if (!printed(p, v->function, items[0]))
        return;
    pm_table_text(t, v->function);
    pm_table_text(t, r->targets[v->target].text);
    pm_table_text(t, pm_verdict_text(v->verdict));
    ratio_cell(r, v, t);
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        const struct pm_publication_cell *cell = printed(p, v->function, items[i]);
        pm_table_text(t, cell ? cell->text : "");
    }
}

void pm_tables__add_then(const struct pm_reading *r, const struct pm_publication *p,
                         struct pm_report *report)
{
    struct pm_table *t = pm_table_new("then", "Measured here, and published");
    pm_table_column(t, "function", "function", PM_CELL_NAME);
    pm_table_column(t, "target", "target", PM_CELL_NAME);
    pm_table_column(t, "verdict", "verdict", PM_CELL_WORD);
    pm_table_column(t, "ratio", "ratio to reference", PM_CELL_RATIO);
    pm_table_column(t, "gpu", "published GPU (ms)", PM_CELL_COUNT);
    pm_table_column(t, "tpu", "published TPU (ms)", PM_CELL_COUNT);
    pm_table_column(t, "tpu_over_gpu", "published TPU/GPU", PM_CELL_COUNT);
    for (size_t i = 0; i < r->verdict_list.count; i++)
        then_row(r, p, &r->verdicts[i], t);
    if (pm_table_rows(t))
        pm_table_note(t, "functions of tables 5 to 7 that have the same name here; their inputs, "
                         "versions and devices differ");
    pm_tables__take(r, report, t);
}
