/* Makes the tables of a scan about names that are in no inventory, how calls were found, and where
 * functions are used. */
#include <string.h>

#include "base/alloc.h"
#include "report/table_columns.h"
#include "store/places.h"
#include "store/scans.h"
#include "text/numbers.h"
#include "usage/usage_private.h"

/* Adds a note such as "12 of 3,400 names are shown: ...", unless all are shown. */
static void note_rest(struct pm_table *table, size_t shown, int64_t all, const char *what)
{
    struct pm_str note = PM_STR_INIT;
    if (all <= (int64_t)shown)
        return;
    pm_text_count(&note, (int64_t)shown);
    pm_str_add(&note, " of ");
    pm_text_count(&note, all);
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

static const struct pm_column unlisted_columns[] = {
    {"name", "name", PM_CELL_NAME, PM_MEMBER(struct pm_unlisted_row, name)},
    {"calls", "calls", PM_CELL_COUNT, PM_MEMBER(struct pm_unlisted_row, calls)},
    {"files", "files", PM_CELL_COUNT, PM_MEMBER(struct pm_unlisted_row, files)},
};

static int add_unlisted(void *ctx, const struct pm_unlisted_row *row)
{
    struct listing *list = ctx;
    if ((size_t)list->count++ < list->most)
        pm_table_row(list->table, row, NULL);
    return PM_OK;
}

static int add_unlisted_of(const struct pm_usage_table *t, const struct pm_usage_of *f,
                           struct pm_error *err)
{
    char *title = pm_format("Names of %s that are not in the inventory%s%s", f->framework,
                            *f->version ? " of " : "", f->version);
    struct listing list = {.table = pm_table_new("unlisted", title),
                           .most = pm_usage__most_rows(t)};
    free(title);
    pm_table_about(list.table, "framework", f->framework);
    pm_table_columns(list.table, unlisted_columns, false);
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

/* ---- how calls were found ------------------------------------------------------------------- */

/* The origins from which inferred calls follow. */
enum origin { FRAMEWORK, PROJECT, OBJECT, ANNOTATION, PASSED, FORWARD, VARIABLE, OTHER, ORIGINS };

struct found {
    int64_t calls, instance_calls;
};

struct founds {
    struct found by_how[PM_RESOLVE_HOW_COUNT], by_origin[ORIGINS], all;
};

/* Returns the origin at the end of a chain, without the steps from it: "result of f" for "item of
 * .x of result of f". */
static const char *origin_text(const char *chain)
{
    static const char *const steps[] = {"item of ", "result of an operator of "};
    for (size_t i = 0; i < sizeof steps / sizeof *steps;) {
        const bool step = pm_starts_with(chain, steps[i]);
        chain += step ? strlen(steps[i]) : 0;
        i = step ? 0 : i + 1;
        if (*chain == '.') {
            const char *of = strstr(chain, " of ");
            chain = of ? of + 4 : "";
            i = 0;
        }
    }
    return chain;
}

/* Returns whether two dotted names have the same first part, as "torch.zeros" and
 * "torch.Tensor.view" have. */
static bool has_root_of(const char *name, const char *other)
{
    const size_t length = strcspn(other, ".");
    return strncmp(name, other, length) == 0 && name[length] == '.';
}

static enum origin origin_of(const char *chain, const char *name)
{
    static const char result[] = "result of ";
    const char *text = origin_text(chain);
    if (pm_starts_with(text, result)) {
        text += sizeof result - 1;
        return has_root_of(text, name) ? FRAMEWORK : strcmp(text, "a value") ? PROJECT : OTHER;
    }
    if (pm_starts_with(text, "property "))
        return PROJECT;
    if (pm_ends_with(text, "annotation"))
        return ANNOTATION;
    if (pm_ends_with(text, ", by the arguments of calls"))
        return PASSED;
    if (pm_ends_with(text, " of a module"))
        return FORWARD;
    if (pm_ends_with(text, " of the module"))
        return VARIABLE;
    return *text && !strchr(text, ' ') ? OBJECT : OTHER;
}

static void add_to(struct found *found, enum pm_resolve_form form)
{
    found->calls += form == PM_RESOLVE_FORM_CALL;
    found->instance_calls += form == PM_RESOLVE_FORM_INSTANCE;
}

static int add_use(void *ctx, const struct pm_place_row *use)
{
    struct founds *founds = ctx;
    add_to(&founds->by_how[use->how], use->form);
    add_to(&founds->all, use->form);
    if (use->how == PM_RESOLVE_HOW_INFERRED)
        add_to(&founds->by_origin[origin_of(use->chain, use->name)], use->form);
    return PM_OK;
}

struct found_row {
    const char *how, *origin;
    struct found found, all;
};

static void found_share_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct found_row *row = from->row;
    if (row->all.calls)
        pm_table_number(table, (double)row->found.calls / (double)row->all.calls);
    else
        pm_table_empty(table);
}

static const struct pm_column found_columns[] = {
    {"how", "found by", PM_CELL_TEXT, PM_MEMBER(struct found_row, how)},
    {"from", "follows from", PM_CELL_TEXT, PM_MEMBER(struct found_row, origin)},
    {"calls", "calls", PM_CELL_COUNT, PM_MEMBER(struct found_row, found.calls)},
    {"share", "share of all calls", PM_CELL_SHARE, .cell = found_share_cell},
    {"instance_calls", "instance calls", PM_CELL_COUNT,
     PM_MEMBER(struct found_row, found.instance_calls)},
};

static void add_found(struct pm_table *t, const char *how, const char *origin, struct found found,
                      struct found all)
{
    pm_table_row(t, &(struct found_row){how, origin, found, all}, NULL);
}

static void add_found_rows(struct pm_table *t, const struct founds *founds)
{
    static const char *const origins[ORIGINS] = {
        [FRAMEWORK] = "result of a function of the framework",
        [PROJECT] = "result of a function of the project",
        [OBJECT] = "attribute of an object of the project",
        [ANNOTATION] = "annotation",
        [PASSED] = "parameter, type known from calls",
        [FORWARD] = "parameter of a module's forward()",
        [VARIABLE] = "variable of a module of the project",
        [OTHER] = "other",
    };
    for (int how = 0; how < PM_RESOLVE_HOW_COUNT; how++) {
        const char *text = pm_resolve_how_text((enum pm_resolve_how)how);
        if (how != PM_RESOLVE_HOW_INFERRED)
            add_found(t, text, "", founds->by_how[how], founds->all);
        for (int from = 0; how == PM_RESOLVE_HOW_INFERRED && from < ORIGINS; from++)
            if (founds->by_origin[from].calls || founds->by_origin[from].instance_calls)
                add_found(t, text, origins[from], founds->by_origin[from], founds->all);
    }
    add_found(t, "all", "", founds->all, founds->all);
}

int pm_usage__add_resolution(const struct pm_usage_table *t, const struct pm_usage_of *f,
                             struct pm_error *err)
{
    struct founds founds = {0};
    PM_TRY(pm_store_places(t->store, t->scan->id, f->framework, NULL, add_use, &founds, err));
    char *title = pm_format("Calls of %s, by how they were found", f->framework);
    struct pm_table *table = pm_table_new("resolution", title);
    free(title);
    pm_table_about(table, "framework", f->framework);
    pm_table_columns(table, found_columns, false);
    add_found_rows(table, &founds);
    pm_table_note(
        table,
        "import: also through other files of the project; one of: the call may belong to any of "
        "several functions, and each of them is counted; instance calls are not part of the other "
        "counts");
    pm_report_take_table(t->report, table);
    return PM_OK;
}

/* ---- uses ----------------------------------------------------------------------------------- */

/* Sets a cell to a count, or leaves it empty if the count is 0. */
static void count_or_empty_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const void *member = (const char *)from->row + from->column->offset;
    pm_table_member(table, from, *(const int64_t *)member ? from->row : NULL);
}

static const struct pm_column use_columns[] = {
    {"input", "file", PM_CELL_NAME, PM_MEMBER(struct pm_place_row, input)},
    {"record", "record", PM_CELL_COUNT, PM_MEMBER(struct pm_place_row, record),
     .cell = count_or_empty_cell},
    {"cell", "cell", PM_CELL_COUNT, PM_MEMBER(struct pm_place_row, cell),
     .cell = count_or_empty_cell},
    {"line", "line", PM_CELL_COUNT, PM_MEMBER(struct pm_place_row, line)},
    {"column", "column", PM_CELL_COUNT, PM_MEMBER(struct pm_place_row, column)},
    {"inside", "enclosing function", PM_CELL_TEXT, PM_MEMBER(struct pm_place_row, inside)},
    {"form", "form", PM_CELL_WORD, PM_WORD(struct pm_place_row, form, resolve_form)},
    {"how", "found by", PM_CELL_TEXT, PM_WORD(struct pm_place_row, how, resolve_how)},
    {"chain", "follows from", PM_CELL_TEXT, PM_MEMBER(struct pm_place_row, chain)},
};

static int list_use(void *ctx, const struct pm_place_row *row)
{
    struct listing *list = ctx;
    if ((size_t)list->count++ < list->most)
        pm_table_row(list->table, row, NULL);
    return PM_OK;
}

static struct pm_table *new_uses(const char *function)
{
    char *title = pm_format("Uses of %s", function);
    struct pm_table *table = pm_table_new("uses", title);
    free(title);
    pm_table_columns(table, use_columns, false);
    return table;
}

/* Adds a note that the function has no known use. A scan stores only names that are used, so the
 * name may also be wrong. */
static void note_unused(struct pm_table *table, const char *function)
{
    char *note = pm_format("the scanned code has no known use of '%s': portmeter report --table "
                           "frequency lists the functions that it uses, by their full names",
                           function);
    pm_table_note(table, note);
    free(note);
}

/* Lists the uses of the function under its canonical name, if the inventory of the scan has
 * `t->function` as another name of it. */
static int list_canonical(const struct pm_usage_table *t, const struct pm_usage_of *f,
                          struct listing *list, struct pm_error *err)
{
    struct pm_stored_inventory item;
    PM_TRY(pm_stored_inventory_load(t->store, f->framework, f->inventory_id, &item, err));
    const char *name = pm_inventory_counted(&item.inventory, t->function);
    int rc = PM_OK;
    if (strcmp(name, t->function) != 0) {
        char *note = pm_format("the uses are those of %s: '%s' is another name of this function",
                               name, t->function);
        rc = pm_store_places(t->store, t->scan->id, f->framework, name, list_use, list, err);
        if (!rc && list->count)
            pm_table_note(list->table, note);
        free(note);
    }
    pm_stored_inventory_release(&item);
    return rc;
}

int pm_usage_add_uses(const struct pm_usage_table *t, struct pm_error *err)
{
    const char *function = t->function;
    struct listing list = {.table = new_uses(function), .most = pm_usage__most_rows(t)};
    int rc = PM_OK;
    for (size_t i = 0; !rc && i < t->scan->count; i++)
        rc = pm_store_places(t->store, t->scan->id, t->scan->frameworks[i].framework, function,
                             list_use, &list, err);
    for (size_t i = 0; !rc && !list.count && i < t->scan->count; i++)
        rc = list_canonical(t, &t->scan->frameworks[i], &list, err);
    note_rest(list.table, list.most, list.count, "uses");
    if (!list.count)
        note_unused(list.table, function);
    if (rc)
        pm_table_free(list.table);
    else
        pm_report_take_table(t->report, list.table);
    return rc;
}
