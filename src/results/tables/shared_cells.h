/* Declares cells and columns that several tables have. Private to the room. */
#ifndef PM_TABLES_SHARED_CELLS_H
#define PM_TABLES_SHARED_CELLS_H

#include "reading/reading.h"
#include "report/table_columns.h"

/* Describes a column with the target whose index is a member of the row; the context is the
 * reading. */
#define PM_TABLES__TARGET(type, name)                                                              \
    .cell = pm_tables__target_cell, .offset = _Generic(&((type *)0)->name, int *: offsetof(type, name))
void pm_tables__target_cell(struct pm_table *table, const struct pm_cell_source *from);
/* Adds a cell whose text is the row itself, a label. */
void pm_tables__label_cell(struct pm_table *table, const struct pm_cell_source *from);
/* Adds a column for a target, with its name as the heading. `index` distinguishes it from the other
 * targets of the table: the id is "target_<index>". */
void pm_tables__target_column(const struct pm_reading *r, int target, size_t index,
                              enum pm_cell_kind kind, struct pm_table *table);
/* Adds a cell with the value and the bounds of a statistic; an empty one if it is NULL. */
void pm_tables__statistic_cell(struct pm_table *table, const struct pm_reading_statistic *s);
/* Returns the word for cases that are in no ratio, "unstable" or "compiles"; "" for others. */
const char *pm_tables__excluded(const struct pm_reading_statistic *s);
/* Adds a cell with this word. The row is the statistic. */
void pm_tables__excluded_cell(struct pm_table *table, const struct pm_cell_source *from);

#endif
