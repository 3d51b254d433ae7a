/* pm_survey_inventory(): records an inventory, compares it with an older list, prints it. */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/privacy.h"
#include "inventory/stored.h"
#include "report/write.h"
#include "survey/recording.h"
#include "survey/survey.h"

static const char *const fate_meanings[] = {
    [PM_FATE_KEPT] = "a public function or class has this name",
    [PM_FATE_METHOD] = "only methods have this name",
    [PM_FATE_PRIVATE] = "defined, but not public",
    [PM_FATE_FOREIGN] = "defined by another package that the framework uses",
    [PM_FATE_GONE] = "nothing has this name",
    [PM_FATE_NEW] = "public, but not in the list",
};

/* ---- tables -------------------------------------------------------------------------------- */

struct kind_counts {
    int64_t names, aliases, deprecated, examples;
};

static void count_entry(struct kind_counts *counts, const struct pm_entry *entry)
{
    counts->names++;
    counts->aliases += (int64_t)entry->alias_count;
    counts->deprecated += entry->deprecated;
    counts->examples += entry->examples;
}

static void add_kind(struct pm_table *table, const char *kind, const struct kind_counts *counts)
{
    pm_table_text(table, kind);
    pm_table_count(table, counts->names);
    pm_table_count(table, counts->aliases);
    pm_table_count(table, counts->deprecated);
    pm_table_count(table, counts->examples);
}

/* A name of a flat list is of no kind that is known. */
static const char *kind_text(enum pm_name_kind kind)
{
    return kind == PM_NAME_BARE ? "bare" : pm_name_kind_text(kind);
}

static void add_kinds(const struct pm_inventory *inventory, struct pm_report *report)
{
    struct kind_counts kinds[PM_NAME_COUNT] = {{0}}, all = {0};
    struct pm_table *table = pm_table_new("kinds", "Public names");
    pm_table_column(table, "kind", "kind", PM_CELL_WORD);
    pm_table_column(table, "names", "names", PM_CELL_COUNT);
    pm_table_column(table, "aliases", "aliases", PM_CELL_COUNT);
    pm_table_column(table, "deprecated", "deprecated", PM_CELL_COUNT);
    pm_table_column(table, "examples", "with examples", PM_CELL_COUNT);
    for (size_t i = 0; i < inventory->count; i++) {
        count_entry(&kinds[inventory->entries[i].kind], &inventory->entries[i]);
        count_entry(&all, &inventory->entries[i]);
    }
    for (int kind = 0; kind < PM_NAME_COUNT; kind++)
        if (inventory->flat == (kind == PM_NAME_BARE))
            add_kind(table, kind_text((enum pm_name_kind)kind), &kinds[kind]);
    if (!inventory->flat)
        add_kind(table, "all", &all);
    pm_report_take_table(report, table);
}

static void add_unread(const struct pm_inventory *inventory, struct pm_report *report)
{
    if (!inventory->unread_count)
        return;
    struct pm_table *table = pm_table_new("unread", "Modules that could not be imported");
    pm_table_column(table, "module", "module", PM_CELL_TEXT);
    pm_table_column(table, "error", "error", PM_CELL_TEXT);
    for (size_t i = 0; i < inventory->unread_count; i++) {
        pm_table_text(table, inventory->unread[i].module);
        pm_table_text(table, inventory->unread[i].error);
    }
    pm_report_take_table(report, table);
}

static void add_list(struct pm_table *table, char *const *items, size_t count)
{
    struct pm_str text = PM_STR_INIT;
    for (size_t i = 0; i < count; i++)
        pm_str_addf(&text, "%s%s", i ? " " : "", items[i]);
    pm_table_text(table, text.data);
    pm_str_release(&text);
}

/* Every entry; only in JSON. */
static void add_entries(const struct pm_inventory *inventory, struct pm_report *report)
{
    struct pm_table *table = pm_table_new("entries", "Every public name");
    pm_table_column(table, "name", "name", PM_CELL_NAME);
    pm_table_column(table, "kind", "kind", PM_CELL_WORD);
    pm_table_column(table, "aliases", "aliases", PM_CELL_TEXT);
    pm_table_column(table, "defined", "defined", PM_CELL_TEXT);
    pm_table_column(table, "bases", "bases", PM_CELL_TEXT);
    pm_table_column(table, "deprecated", "deprecated", PM_CELL_MARK);
    pm_table_column(table, "examples", "examples", PM_CELL_MARK);
    pm_table_column(table, "returns", "result of a call", PM_CELL_TEXT);
    pm_table_column(table, "class", "class of the result", PM_CELL_TEXT);
    pm_table_column(table, "calls", "result of calling an instance", PM_CELL_TEXT);
    for (size_t i = 0; i < inventory->count; i++) {
        const struct pm_entry *entry = &inventory->entries[i];
        pm_table_text(table, entry->name);
        pm_table_text(table, kind_text(entry->kind));
        add_list(table, entry->aliases, entry->alias_count);
        pm_table_text(table, entry->defined);
        add_list(table, entry->bases, entry->base_count);
        pm_table_text(table, entry->deprecated ? "yes" : "");
        pm_table_text(table, entry->examples ? "yes" : "");
        pm_table_text(table, pm_value_text(entry->returns));
        pm_table_text(table, entry->returned_class);
        pm_table_text(table, pm_value_text(entry->calls));
    }
    pm_report_take_table(report, table);
}

/* Every attribute of a class and every value in a module; only in JSON. */
static void add_attributes(const struct pm_inventory *inventory, struct pm_report *report)
{
    struct pm_table *table = pm_table_new("attributes", "Every public attribute and value");
    pm_table_column(table, "name", "name", PM_CELL_NAME);
    pm_table_column(table, "aliases", "aliases", PM_CELL_TEXT);
    pm_table_column(table, "value", "value", PM_CELL_TEXT);
    pm_table_column(table, "class", "class of the value", PM_CELL_TEXT);
    for (size_t i = 0; i < inventory->attribute_count; i++) {
        const struct pm_attribute *attribute = &inventory->attributes[i];
        pm_table_text(table, attribute->name);
        add_list(table, attribute->aliases, attribute->alias_count);
        pm_table_text(table, pm_value_text(attribute->value));
        pm_table_text(table, attribute->value_class);
    }
    pm_report_take_table(report, table);
}

static void add_fates(const struct pm_inventory_changes *changes, const char *list,
                      struct pm_report *report)
{
    struct pm_str title = PM_STR_INIT;
    pm_str_addf(&title, "Comparison with '%s'", list);
    struct pm_table *table = pm_table_new("fates", title.data);
    pm_table_column(table, "fate", "fate", PM_CELL_WORD);
    pm_table_column(table, "names", "names", PM_CELL_COUNT);
    pm_table_column(table, "meaning", "meaning", PM_CELL_TEXT);
    for (int fate = 0; fate < PM_FATE_COUNT; fate++) {
        pm_table_text(table, pm_fate_text((enum pm_fate)fate));
        pm_table_count(table, (int64_t)changes->counts[fate]);
        pm_table_text(table, fate_meanings[fate]);
    }
    pm_report_take_table(report, table);
    pm_str_release(&title);
}

/* The names of one fate, or of all fates for PM_FATE_COUNT. */
static void add_names(const struct pm_inventory_changes *changes, enum pm_fate fate,
                      struct pm_report *report)
{
    struct pm_table *table = pm_table_new("names", "Names and their fate");
    pm_table_column(table, "name", "name", PM_CELL_NAME);
    pm_table_column(table, "fate", "fate", PM_CELL_WORD);
    pm_table_column(table, "now", "current name", PM_CELL_TEXT);
    for (size_t i = 0; i < changes->count; i++) {
        const struct pm_inventory_change *change = &changes->items[i];
        if (fate != PM_FATE_COUNT && change->fate != fate)
            continue;
        pm_table_text(table, change->name);
        pm_table_text(table, pm_fate_text(change->fate));
        pm_table_text(table, change->entry ? change->entry->name : "");
    }
    pm_report_take_table(report, table);
}

/* ---- the command --------------------------------------------------------------------------- */

struct recording {
    const struct pm_inventory_options *o;
    enum pm_fate fate; /* PM_FATE_COUNT: lists none */
    struct pm_inventory older;
    struct pm_stored_inventory item;
    struct pm_str flat_text;
    bool is_json;
};

static int check_fate(struct recording *r, struct pm_error *err)
{
    r->fate = PM_FATE_COUNT;
    if (!r->o->fate)
        return PM_OK;
    if (!pm_fate_parse(r->o->fate, &r->fate))
        return pm_words_unknown(&pm_fate_words, "fate", r->o->fate, err);
    return r->o->against ? PM_OK
                         : pm_error_set(err, PM_EUSAGE,
                                        "--fate applies only to a comparison: add --against FILE");
}

/* Checks the whole request before a database is created or a process started. */
static int check(struct recording *r, struct pm_error *err)
{
    const struct pm_inventory_options *o = r->o;
    const struct pm_framework *known;
    PM_TRY(check_fate(r, err));
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
        rc = pm_survey__environment(&list, o->framework, o->environment, &environment, err);
    }
    if (!rc)
        rc = pm_store_open(&store, o->db, PM_STORE_WRITE, err);
    if (!rc && o->flat)
        rc = pm_stored_inventory_add_flat(store, o->framework, r->flat_text.data, &r->item.id, err);
    else if (!rc)
        rc = pm_survey__record(store, environment, messages, &r->item, err);
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
        add_fates(&changes, r->o->against, report);
        if (r->is_json || r->fate != PM_FATE_COUNT)
            add_names(&changes, r->fate, report);
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
