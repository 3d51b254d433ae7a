/*
 * Columns as data: a static array describes the columns of a table. To add a column, add a row to
 * the array.
 *
 *     static void share_cell(struct pm_table *table, const struct pm_cell_source *from)
 *     {
 *         const struct tally *n = from->row;
 *         pm_table_number(table, (double)n->works / (double)n->all);
 *     }
 *
 *     static const struct pm_column columns[] = {
 *         {"target", "target", PM_CELL_NAME, PM_MEMBER(struct tally, target)},
 *         {"works", "works", PM_CELL_COUNT, PM_MEMBER(struct tally, works)},
 *         {"share", "working share", PM_CELL_SHARE, .cell = share_cell},
 *     };
 *
 *     pm_table_columns(table, columns, for_people);
 *     for (size_t i = 0; i < count; i++)
 *         pm_table_row(table, &tallies[i], NULL);
 */
#ifndef PM_REPORT_TABLE_COLUMNS_H
#define PM_REPORT_TABLE_COLUMNS_H

#include "base/words.h"
#include "report/table.h"
#include "stat/stat.h"

struct pm_column;

struct pm_cell_source {
    const void *row, *context; /* arguments of pm_table_row() */
    const struct pm_column *column;
};
/* Sets one cell of the table. */
typedef void pm_cell_fn(struct pm_table *table, const struct pm_cell_source *from);

/* The type of a member of the row, which decides the kind of its cell. */
enum pm_cell_member {
    PM_MEMBER_TEXT,     /* const char *; NULL: an empty cell */
    PM_MEMBER_COUNT,    /* int64_t */
    PM_MEMBER_SIZE,     /* size_t */
    PM_MEMBER_NUMBER,   /* double; NaN: an empty cell */
    PM_MEMBER_INTERVAL, /* struct pm_interval */
    PM_MEMBER_WORD,     /* an enum of words */
    PM_MEMBER_YES,      /* bool: "yes" or "" */
    PM_MEMBER_YES_NO    /* bool: "yes" or "no" */
};

enum pm_audience { PM_FOR_ALL, PM_FOR_PEOPLE, PM_FOR_PROGRAMS };

struct pm_column {
    const char *id, *heading; /* id: in JSON and CSV; unique for an audience */
    enum pm_cell_kind kind;
    enum pm_cell_member member;
    size_t offset; /* offset of the member in the row */
    const struct pm_words *words;
    pm_cell_fn *cell;        /* sets the cell; NULL: the cell is the member */
    enum pm_audience only;   /* audience that sees the column */
    bool intervals;          /* its cells may have intervals */
    bool begins_second_half; /* it is the first column of the second half */
};

/* Sets the member of a column. Its C type determines the cell; other types do not compile. */
#define PM_MEMBER(type, name)                                                                      \
    .offset = offsetof(type, name),                                                                \
    .member = _Generic(&((type *)0)->name,                                                         \
                       const char **: PM_MEMBER_TEXT,                                              \
                       char **: PM_MEMBER_TEXT,                                                    \
                       int64_t *: PM_MEMBER_COUNT,                                                 \
                       size_t *: PM_MEMBER_SIZE,                                                   \
                       double *: PM_MEMBER_NUMBER,                                                 \
                       struct pm_interval *: PM_MEMBER_INTERVAL)
/* Sets the member of a column, which is an enum pm_`list`; the cell is the text of its word. */
#define PM_WORD(type, name, list)                                                                  \
    .words = &pm_##list##_words, .member = PM_MEMBER_WORD,                                         \
    .offset = _Generic(&((type *)0)->name, enum pm_##list *                                        \
                       : offsetof(type, name))
/* Set the member of a column, a bool; the cell is "yes" or "", or "yes" or "no". */
#define PM_YES(type, name)    PM_MEMBER__BOOL(YES, type, name)
#define PM_YES_NO(type, name) PM_MEMBER__BOOL(YES_NO, type, name)
#define PM_MEMBER__BOOL(as, type, name)                                                            \
    .member = PM_MEMBER_##as, .offset = _Generic(&((type *)0)->name, bool * : offsetof(type, name))

/* Adds the columns of the array that the audience sees: people if `for_people`, otherwise programs.
 * More columns may follow, from other arrays or by pm_table_column(). The caller adds the cells of
 * the latter after pm_table_row(). The array must outlive the table. */
#define pm_table_columns(table, array, for_people)                                                 \
    pm_table_add_columns((table), (array), sizeof(array) / sizeof *(array), (for_people))
void pm_table_add_columns(struct pm_table *table, const struct pm_column *columns, size_t count,
                          bool for_people);
/* Changes the heading of a column that has been added; PM_BUG if the table has no such column. */
void pm_table_heading(struct pm_table *table, const char *id, const char *heading);
/* Adds the cell of a column from its member in `of`. Call it in a `cell` function if the member is
 * in another struct than the row. If `of` is NULL, the cell is empty. */
void pm_table_member(struct pm_table *table, const struct pm_cell_source *from, const void *of);
/* Adds the cells of a row, in all columns that pm_table_columns() added. */
void pm_table_row(struct pm_table *table, const void *row, const void *context);

#endif
