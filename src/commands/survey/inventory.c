/* pm_survey_inventory(): records an inventory, compares it with an older list, prints it. */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/privacy.h"
#include "inventory/stored.h"
#include "report/table_columns.h"
#include "report/write.h"
#include "survey/new_inventory.h"
#include "survey/survey.h"

static const char *const status_meanings[] = {
    [PM_NAME_STATUS_KEPT] = "a public function or class has this name",
    [PM_NAME_STATUS_METHOD] = "only methods have this name",
    [PM_NAME_STATUS_PRIVATE] = "defined, but not public",
    [PM_NAME_STATUS_FOREIGN] = "defined by another package that the framework uses",
    [PM_NAME_STATUS_GONE] = "nothing has this name",
    [PM_NAME_STATUS_NEW] = "public, but not in the list",
};

/* ---- tables -------------------------------------------------------------------------------- */

struct kind_counts {
    const char *kind;
    int64_t names, aliases, deprecated, examples;
};

static void count_entry(struct kind_counts *counts, const struct pm_entry *entry)
{
    counts->names++;
    counts->aliases += (int64_t)entry->alias_count;
    counts->deprecated += entry->deprecated;
    counts->examples += entry->examples;
}

static const struct pm_column kind_columns[] = {
    {"kind", "kind", PM_CELL_WORD, PM_MEMBER(struct kind_counts, kind)},
    {"names", "names", PM_CELL_COUNT, PM_MEMBER(struct kind_counts, names)},
    {"aliases", "aliases", PM_CELL_COUNT, PM_MEMBER(struct kind_counts, aliases)},
    {"deprecated", "deprecated", PM_CELL_COUNT, PM_MEMBER(struct kind_counts, deprecated)},
    {"examples", "with examples", PM_CELL_COUNT, PM_MEMBER(struct kind_counts, examples)},
};

/* Returns the text of an entry's kind; "bare" for a name of a flat list, whose kind is unknown. */
static const char *kind_text(enum pm_name_kind kind)
{
    return kind == PM_NAME_BARE ? "bare" : pm_name_kind_text(kind);
}

static void add_kinds(const struct pm_inventory *inventory, struct pm_report *report)
{
    struct kind_counts kinds[PM_NAME_COUNT] = {{0}}, all = {.kind = "all"};
    struct pm_table *table = pm_table_new("kinds", "Public names");
    pm_table_columns(table, kind_columns, false);
    for (size_t i = 0; i < inventory->count; i++) {
        count_entry(&kinds[inventory->entries[i].kind], &inventory->entries[i]);
        count_entry(&all, &inventory->entries[i]);
    }
    for (int kind = 0; kind < PM_NAME_COUNT; kind++) {
        kinds[kind].kind = kind_text((enum pm_name_kind)kind);
        if (inventory->flat == (kind == PM_NAME_BARE))
            pm_table_row(table, &kinds[kind], NULL);
    }
    if (!inventory->flat)
        pm_table_row(table, &all, NULL);
    pm_report_take_table(report, table);
}

static const struct pm_column unread_columns[] = {
    {"module", "module", PM_CELL_TEXT, PM_MEMBER(struct pm_unread, module)},
    {"error", "error", PM_CELL_TEXT, PM_MEMBER(struct pm_unread, error)},
};

static void add_unread(const struct pm_inventory *inventory, struct pm_report *report)
{
    if (!inventory->unread_count)
        return;
    struct pm_table *table = pm_table_new("unread", "Modules that could not be imported");
    pm_table_columns(table, unread_columns, false);
    for (size_t i = 0; i < inventory->unread_count; i++)
        pm_table_row(table, &inventory->unread[i], NULL);
    pm_report_take_table(report, table);
}

static void list_cell(struct pm_table *table, char *const *items, size_t count)
{
    struct pm_str text = PM_STR_INIT;
    for (size_t i = 0; i < count; i++)
        pm_str_addf(&text, "%s%s", i ? " " : "", items[i]);
    pm_table_text(table, text.data);
    pm_str_release(&text);
}

static void kind_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_entry *entry = from->row;
    pm_table_text(table, kind_text(entry->kind));
}

static void aliases_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_entry *entry = from->row;
    list_cell(table, entry->aliases, entry->alias_count);
}

static void bases_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_entry *entry = from->row;
    list_cell(table, entry->bases, entry->base_count);
}

static const struct pm_column entry_columns[] = {
    {"name", "name", PM_CELL_NAME, PM_MEMBER(struct pm_entry, name)},
    {"kind", "kind", PM_CELL_WORD, .cell = kind_cell},
    {"aliases", "aliases", PM_CELL_TEXT, .cell = aliases_cell},
    {"defined", "defined", PM_CELL_TEXT, PM_MEMBER(struct pm_entry, defined)},
    {"bases", "bases", PM_CELL_TEXT, .cell = bases_cell},
    {"deprecated", "deprecated", PM_CELL_MARK, PM_YES(struct pm_entry, deprecated)},
    {"examples", "examples", PM_CELL_MARK, PM_YES(struct pm_entry, examples)},
    {"returns", "result of a call", PM_CELL_TEXT, PM_WORD(struct pm_entry, returns, value)},
    {"class", "class of the result", PM_CELL_TEXT, PM_MEMBER(struct pm_entry, returned_class)},
    {"calls", "result of calling an instance", PM_CELL_TEXT,
     PM_WORD(struct pm_entry, calls, value)},
};

/* Adds every entry; only JSON has these. */
static void add_entries(const struct pm_inventory *inventory, struct pm_report *report)
{
    struct pm_table *table = pm_table_new("entries", "Every public name");
    pm_table_columns(table, entry_columns, false);
    for (size_t i = 0; i < inventory->count; i++)
        pm_table_row(table, &inventory->entries[i], NULL);
    pm_report_take_table(report, table);
}

static void attribute_aliases_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_attribute *attribute = from->row;
    list_cell(table, attribute->aliases, attribute->alias_count);
}

static const struct pm_column attribute_columns[] = {
    {"name", "name", PM_CELL_NAME, PM_MEMBER(struct pm_attribute, name)},
    {"aliases", "aliases", PM_CELL_TEXT, .cell = attribute_aliases_cell},
    {"value", "value", PM_CELL_TEXT, PM_WORD(struct pm_attribute, value, value)},
    {"class", "class of the value", PM_CELL_TEXT, PM_MEMBER(struct pm_attribute, value_class)},
};

/* Adds every attribute of a class and every value in a module; only JSON has these. */
static void add_attributes(const struct pm_inventory *inventory, struct pm_report *report)
{
    struct pm_table *table = pm_table_new("attributes", "Every public attribute and value");
    pm_table_columns(table, attribute_columns, false);
    for (size_t i = 0; i < inventory->attribute_count; i++)
        pm_table_row(table, &inventory->attributes[i], NULL);
    pm_report_take_table(report, table);
}

/* A status, and how many names have it. */
struct status_count {
    enum pm_name_status status;
    size_t names;
    const char *meaning;
};

static const struct pm_column status_columns[] = {
    {"status", "status", PM_CELL_WORD, PM_WORD(struct status_count, status, name_status)},
    {"names", "names", PM_CELL_COUNT, PM_MEMBER(struct status_count, names)},
    {"meaning", "meaning", PM_CELL_TEXT, PM_MEMBER(struct status_count, meaning)},
};

static void add_statuses(const struct pm_inventory_changes *changes, const char *list,
                         struct pm_report *report)
{
    struct pm_str title = PM_STR_INIT;
    pm_str_addf(&title, "Comparison with '%s'", list);
    struct pm_table *table = pm_table_new("statuses", title.data);
    pm_table_columns(table, status_columns, false);
    for (int status = 0; status < PM_NAME_STATUS_COUNT; status++)
        pm_table_row(table,
                     &(struct status_count){(enum pm_name_status)status, changes->counts[status],
                                            status_meanings[status]},
                     NULL);
    pm_report_take_table(report, table);
    pm_str_release(&title);
}

static void current_name_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_inventory_change *change = from->row;
    pm_table_text(table, change->entry ? change->entry->name : "");
}

static const struct pm_column name_columns[] = {
    {"name", "name", PM_CELL_NAME, PM_MEMBER(struct pm_inventory_change, name)},
    {"status", "status", PM_CELL_WORD, PM_WORD(struct pm_inventory_change, status, name_status)},
    {"now", "current name", PM_CELL_TEXT, .cell = current_name_cell},
};

/* Adds the names of one status, or of all statuses for PM_NAME_STATUS_COUNT. */
static void add_names(const struct pm_inventory_changes *changes, enum pm_name_status status,
                      struct pm_report *report)
{
    struct pm_table *table = pm_table_new("names", "Names and their status");
    pm_table_columns(table, name_columns, false);
    for (size_t i = 0; i < changes->count; i++)
        if (status == PM_NAME_STATUS_COUNT || changes->items[i].status == status)
            pm_table_row(table, &changes->items[i], NULL);
    pm_report_take_table(report, table);
}

/* ---- the command --------------------------------------------------------------------------- */

struct recording {
    const struct pm_inventory_options *o;
    enum pm_name_status status; /* PM_NAME_STATUS_COUNT: --status is not given */
    struct pm_inventory older;
    struct pm_stored_inventory item;
    struct pm_str flat_text;
    bool is_json;
};

static int check_status(struct recording *r, struct pm_error *err)
{
    r->status = PM_NAME_STATUS_COUNT;
    if (!r->o->status)
        return PM_OK;
    if (!pm_name_status_parse(r->o->status, &r->status))
        return pm_words_unknown(&pm_name_status_words, "status", r->o->status, err);
    return r->o->against
               ? PM_OK
               : pm_error_set(err, PM_EUSAGE,
                              "--status applies only to a comparison: add --against FILE");
}

/* Checks the whole request before a database is created or a process is started. */
static int check(struct recording *r, struct pm_error *err)
{
    const struct pm_inventory_options *o = r->o;
    const struct pm_framework *known;
    PM_TRY(check_status(r, err));
    PM_TRY(pm_framework_need(o->framework, &known, err));
    PM_TRY(pm_file_check_output("--output", o->output, o->db, "the database", err));
    PM_TRY(pm_file_check_output("--output", o->output, o->flat, "the list of --flat", err));
    PM_TRY(pm_file_check_output("--output", o->output, o->against, "the list of --against", err));
    if (o->flat && o->environment)
        return pm_error_set(err, PM_EUSAGE,
                            "--flat and --environment exclude each other: give one of them");
    if (o->against) {
        struct pm_str text = PM_STR_INIT;
        const int rc = pm_inventory_read_flat(o->framework, o->against, &text, &r->older, err);
        pm_str_release(&text);
        PM_TRY(rc);
    }
    return o->flat ? pm_inventory_read_flat(o->framework, o->flat, &r->flat_text,
                                            &r->item.inventory, err)
                   : PM_OK;
}

static int record(struct recording *r, const struct pm_messages *messages, struct pm_error *err)
{
    const struct pm_inventory_options *o = r->o;
    struct pm_environments list = {0};
    const struct pm_environment *environment = NULL;
    struct pm_store *store = NULL;
    int rc = PM_OK;
    if (!o->flat) {
        PM_TRY(pm_environments_load(&list, err));
        rc = pm_environments_choose(&list, o->framework, o->environment, &environment, err);
    }
    if (!rc)
        rc = pm_store_open(&store, o->db, PM_STORE_WRITE, err);
    if (!rc && o->flat)
        rc = pm_stored_inventory_add_flat(store, o->framework, r->flat_text.data, &r->item.id, err);
    else if (!rc)
        rc = pm_survey__new_inventory(store, environment, messages, &r->item, err);
    pm_store_free(store);
    pm_environments_release(&list);
    return rc;
}

static struct pm_report *describe(const struct recording *r)
{
    const struct pm_inventory *inventory = &r->item.inventory;
    char *title = inventory->flat
                      ? pm_format("Flat list of %s", inventory->framework)
                      : pm_format("Inventory of %s %s", inventory->framework, inventory->version);
    struct pm_report *report = pm_report_new(title);
    char *flat = pm_privacy_hidden(r->o->flat ? r->o->flat : "");
    char *from = inventory->flat
                     ? pm_format("'%s'", flat)
                     : pm_format("environment '%s', Python %s; names start with %s",
                                 r->item.environment, inventory->python, inventory->brief);
    char *db = pm_privacy_hidden(r->o->db);
    char *recorded = pm_format("inventory %lld in '%s'", (long long)r->item.id, db);
    pm_report_line(report, "from", from);
    pm_report_line(report, "recorded", recorded);
    add_kinds(inventory, report);
    add_unread(inventory, report);
    if (r->o->against) {
        struct pm_inventory_changes changes;
        pm_inventory_compare(&r->older, inventory, &changes);
        add_statuses(&changes, r->o->against, report);
        if (r->is_json || r->status != PM_NAME_STATUS_COUNT)
            add_names(&changes, r->status, report);
        pm_inventory_changes_release(&changes);
    }
    if (r->is_json) {
        add_entries(inventory, report);
        add_attributes(inventory, report);
    }
    free(title);
    free(flat);
    free(from);
    free(db);
    free(recorded);
    return report;
}

int pm_survey_inventory(const struct pm_inventory_options *o, const struct pm_messages *messages,
                        struct pm_error *err)
{
    struct recording r = {.o = o, .flat_text = PM_STR_INIT, .is_json = o->format == PM_FORMAT_JSON};
    int rc = check(&r, err);
    if (!rc)
        rc = record(&r, messages, err);
    if (!rc) {
        struct pm_report *report = describe(&r);
        rc = pm_report_write(report, o->format, o->width, o->colour, o->output, err);
        pm_report_free(report);
    }
    pm_inventory_release(&r.older);
    pm_stored_inventory_release(&r.item);
    pm_str_release(&r.flat_text);
    return rc;
}
