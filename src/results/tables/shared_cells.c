/* Cells that several tables have. */
#include <math.h>

#include "stat/stat.h"
#include "tables/kinds.h"

static const double ALPHA = 0.05;

void pm_tables__share_cell(struct pm_table *table, const struct pm_interval *share)
{
    static const double half_a_percent = 0.005;
    if (isnan(share->mid) || (share->low < half_a_percent && share->high > 1 - half_a_percent))
        pm_table_empty(table);
    else
        pm_table_interval(table, share->mid, share->low, share->high);
}

struct pm_interval pm_tables__share(int64_t k, int64_t n)
{
    return pm_stat_wilson((uint64_t)k, (uint64_t)n, ALPHA);
}

void pm_tables__statistic_cell(struct pm_table *table, const struct pm_reading_statistic *s)
{
    if (s)
        pm_table_interval(table, s->value, s->low, s->high);
    else
        pm_table_empty(table);
}

void pm_tables__target_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_reading *r = from->context;
    const void *member = (const char *)from->row + from->column->offset;
    pm_table_text(table, r->targets[*(const int *)member].text);
}
