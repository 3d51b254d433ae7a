/* Tables of a scan: names that are in no inventory, and where a function is used. */
#include <string.h>

#include "base/alloc.h"
#include "report/format.h"
#include "usage/usage.h"

static size_t most_rows(const struct pm_usage_table *t)
{
    return t->top ? t->top : PM_USAGE__TOP;
}

/* "12 of 3,400 names are shown: ..." */
static void note_rest(struct pm_table *table, size_t shown, int64_t all, const char *what)
{
    struct pm_str note = PM_STR_INIT;
    if (all <= (int64_t)shown)
        return;
    pm_report_format_count(&note, (int64_t)shown);
    pm_str_add(&note, " of ");
    pm_report_format_count(&note, all);
    pm_str_addf(&note, " %s are shown: --top N shows more", what);
    pm_table_note(table, note.data);
    pm_str_release(&note);
}

/* ---- unlisted names ------------------------------------------------------------------------- */

struct listing {
    struct pm_table *table;
    size_t most;
    int64_t count;
};

static int add_unlisted(void *ctx, const struct pm_unlisted_row *row)
{
    struct listing *list = ctx;
    if ((size_t)list->count++ >= list->most)
        return PM_OK;
    pm_table_text(list->table, row->name);
    pm_table_count(list->table, row->calls);
    pm_table_count(list->table, row->files);
    return PM_OK;
}

static int add_unlisted_of(const struct pm_usage_table *t, const struct pm_usage_of *f,
                           struct pm_error *err)
{
    char *title = pm_format("Names that begin at %s and are not in the inventory%s%s", f->framework,
                            *f->version ? " of " : "", f->version);
    struct listing list = {.table = pm_table_new("unlisted", title), .most = most_rows(t)};
    free(title);
    pm_table_about(list.table, "framework", f->framework);
    pm_table_column(list.table, "name", "name", PM_CELL_NAME);
    pm_table_column(list.table, "calls", "calls", PM_CELL_COUNT);
    pm_table_column(list.table, "files", "files", PM_CELL_COUNT);
    const int rc = pm_store_unlisted(t->store, t->scan->id, f->framework, add_unlisted, &list, err);
    note_rest(list.table, list.most, list.count, "names");
    if (rc)
        pm_table_free(list.table);
    else
        pm_report_take_table(t->report, list.table);
    return rc;
}

int pm_usage_add_unlisted(const struct pm_usage_table *t, struct pm_error *err)
{
    for (size_t i = 0; i < t->scan->count; i++)
        PM_TRY(add_unlisted_of(t, &t->scan->frameworks[i], err));
    return PM_OK;
}

/* ---- sites ---------------------------------------------------------------------------------- */

static void count_or_empty(struct pm_table *table, int64_t value)
{
    if (value)
        pm_table_count(table, value);
    else
        pm_table_empty(table);
}

static int add_site(void *ctx, const struct pm_place_row *row)
{
    struct listing *list = ctx;
    if ((size_t)list->count++ >= list->most)
        return PM_OK;
    pm_table_text(list->table, row->input);
    count_or_empty(list->table, row->record);
    count_or_empty(list->table, row->cell);
    pm_table_count(list->table, row->line);
    pm_table_count(list->table, row->column);
    pm_table_text(list->table, row->inside);
    pm_table_text(list->table, pm_resolve_form_text(row->form));
    pm_table_text(list->table, pm_resolve_how_text(row->how));
    pm_table_text(list->table, row->chain);
    return PM_OK;
}

static struct pm_table *new_sites(const char *function)
{
    char *title = pm_format("Uses of %s", function);
    struct pm_table *table = pm_table_new("sites", title);
    free(title);
    pm_table_column(table, "input", "file", PM_CELL_NAME);
    pm_table_column(table, "record", "record", PM_CELL_COUNT);
    pm_table_column(table, "cell", "cell", PM_CELL_COUNT);
    pm_table_column(table, "line", "line", PM_CELL_COUNT);
    pm_table_column(table, "column", "column", PM_CELL_COUNT);
    pm_table_column(table, "inside", "inside", PM_CELL_TEXT);
    pm_table_column(table, "form", "form", PM_CELL_WORD);
    pm_table_column(table, "how", "found by", PM_CELL_TEXT);
    pm_table_column(table, "chain", "follows from", PM_CELL_TEXT);
    return table;
}

int pm_usage_add_sites(const struct pm_usage_table *t, struct pm_error *err)
{
    const char *function = t->function;
    struct listing list = {.table = new_sites(function), .most = most_rows(t)};
    int rc = PM_OK;
    for (size_t i = 0; !rc && i < t->scan->count; i++)
        rc = pm_store_places(t->store, t->scan->id, t->scan->frameworks[i].framework, function,
                             add_site, &list, err);
    note_rest(list.table, list.most, list.count, "uses");
    if (rc)
        pm_table_free(list.table);
    else
        pm_report_take_table(t->report, list.table);
    return rc;
}
