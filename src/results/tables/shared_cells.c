/* Makes cells and columns that several tables have. */
#include "tables/shared_cells.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

void pm_tables__statistic_cell(struct pm_table *table, const struct pm_reading_statistic *s)
{
    if (s && !isnan(s->value))
        pm_table_interval(table, s->value, s->low, s->high);
    else
        pm_table_empty(table);
}

const char *pm_tables__excluded(const struct pm_reading_statistic *s)
{
    return s->compiles ? "compiles" : s->unstable ? "unstable" : "";
}

void pm_tables__excluded_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_reading_statistic *s = from->row;
    pm_table_text(table, s->unstable ? "yes" : pm_tables__excluded(s));
}

void pm_tables__target_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_reading *r = from->context;
    const void *member = (const char *)from->row + from->column->offset;
    pm_table_text(table, r->targets[*(const int *)member].text);
}

void pm_tables__label_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    pm_table_text(table, from->row);
}

void pm_tables__target_column(const struct pm_reading *r, int target, size_t index,
                              enum pm_cell_kind kind, struct pm_table *table)
{
    char *id = pm_format("target_%zu", index);
    pm_table_column(table, id, r->targets[target].text, kind);
    free(id);
}
