/* Adds the columns that an array describes, and the cells of their rows. */
#include "report/table_columns.h"

#include <string.h>

#include "base/alloc.h"
#include "base/line.h"
#include "report/report_private.h"

static void add_column(struct pm_table *table, const struct pm_column *column)
{
    if (column->begins_second_half)
        pm_table_second_half(table);
    pm_table_column(table, column->id, column->heading, column->kind);
    if (column->intervals)
        pm_table_intervals(table);
    PM_GROW(table->described, table->described_count, table->described_capacity);
    table->described[table->described_count++] = column;
}

void pm_table_add_columns(struct pm_table *table, const struct pm_column *columns, size_t count,
                          bool for_people)
{
    const enum pm_audience other = for_people ? PM_FOR_PROGRAMS : PM_FOR_PEOPLE;
    for (size_t i = 0; i < count; i++)
        if (columns[i].only != other)
            add_column(table, &columns[i]);
}

void pm_table_heading(struct pm_table *table, const char *id, const char *heading)
{
    size_t i = 0;
    while (i < table->column_count && strcmp(table->columns[i].id, id) != 0)
        i++;
    if (i == table->column_count)
        PM_BUG("a column that gets a heading does not exist");
    free(table->columns[i].heading);
    table->columns[i].heading = pm_line_clean(pm_strdup(heading));
}

static void word_cell(struct pm_table *table, const struct pm_column *column, const void *value)
{
    int word;
    memcpy(&word, value, sizeof word);
    pm_table_text(table, column->words->texts[word]);
}

static void text_cell(struct pm_table *table, const char *text)
{
    if (text)
        pm_table_text(table, text);
    else
        pm_table_empty(table);
}

static void member_cell(struct pm_table *table, const struct pm_column *column, const void *value)
{
    const struct pm_interval *interval = value;
    switch (column->member) {
    case PM_MEMBER_TEXT:
        text_cell(table, *(const char *const *)value);
        break;
    case PM_MEMBER_COUNT:
        pm_table_count(table, *(const int64_t *)value);
        break;
    case PM_MEMBER_SIZE:
        pm_table_count(table, (int64_t) * (const size_t *)value);
        break;
    case PM_MEMBER_NUMBER:
        pm_table_number(table, *(const double *)value);
        break;
    case PM_MEMBER_INTERVAL:
        pm_table_interval(table, interval->mid, interval->low, interval->high);
        break;
    case PM_MEMBER_WORD:
        word_cell(table, column, value);
        break;
    case PM_MEMBER_YES:
        pm_table_text(table, *(const bool *)value ? "yes" : "");
        break;
    case PM_MEMBER_YES_NO:
        pm_table_text(table, *(const bool *)value ? "yes" : "no");
        break;
    }
}

void pm_table_member(struct pm_table *table, const struct pm_cell_source *from, const void *of)
{
    if (of)
        member_cell(table, from->column, (const char *)of + from->column->offset);
    else
        pm_table_empty(table);
}

void pm_table_row(struct pm_table *table, const void *row, const void *context)
{
    for (size_t i = 0; i < table->described_count; i++) {
        const struct pm_column *column = table->described[i];
        const struct pm_cell_source from = {row, context, column};
        const size_t before = table->cell_count;
        if (column->cell)
            column->cell(table, &from);
        else
            member_cell(table, column, (const char *)row + column->offset);
        if (table->cell_count != before + 1)
            PM_BUG("a column set no cell, or several cells, of a row");
    }
}
