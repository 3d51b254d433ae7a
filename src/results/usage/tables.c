/* The tables of a scan: the most used names by both rules, and the concentration of use. */
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "inventory/inventory.h"
#include "text/numbers.h"
#include "usage/usage.h"

static size_t top_of(const struct pm_usage_ranking *ranking, unsigned top)
{
    return ranking->count < top ? ranking->count : top;
}

static struct pm_map bare_names(const struct pm_usage_ranking *ranking, unsigned top)
{
    struct pm_map names = {0};
    for (size_t i = 0; i < top_of(ranking, top); i++)
        pm_map_put(&names, pm_inventory_bare_name(ranking->items[i].name), &ranking->items[i]);
    return names;
}

static size_t count_missing(const struct pm_usage_ranking *ranking, unsigned top,
                            const struct pm_map *others)
{
    size_t missing = 0;
    for (size_t i = 0; i < top_of(ranking, top); i++)
        missing += !pm_map_has(others, pm_inventory_bare_name(ranking->items[i].name));
    return missing;
}

static void share_cell(struct pm_table *table, int64_t part, int64_t all)
{
    if (all)
        pm_table_number(table, (double)part / (double)all);
    else
        pm_table_empty(table);
}

/* ---- side by side -----------------------------------------------------------------------------
 */

static void add_columns(struct pm_table *t)
{
    pm_table_column(t, "rank", "rank", PM_CELL_COUNT);
    pm_table_column(t, "name", "study: name", PM_CELL_NAME);
    pm_table_column(t, "name_in_both", "both", PM_CELL_MARK);
    pm_table_column(t, "uses", "uses", PM_CELL_COUNT);
    pm_table_column(t, "uses_resolved", "resolved", PM_CELL_SHARE);
    pm_table_column(t, "uses_possible_method", "possible method", PM_CELL_SHARE);
    pm_table_column(t, "uses_other", "other", PM_CELL_SHARE);
    pm_table_column(t, "name_files", "files", PM_CELL_COUNT);
    pm_table_column(t, "name_repositories", "repos", PM_CELL_COUNT);
    pm_table_second_half(t);
    pm_table_column(t, "function", "resolved: function", PM_CELL_NAME);
    pm_table_column(t, "function_in_both", "both", PM_CELL_MARK);
    pm_table_column(t, "kind", "kind", PM_CELL_WORD);
    pm_table_column(t, "calls", "calls", PM_CELL_COUNT);
    pm_table_column(t, "references", "references", PM_CELL_COUNT);
    pm_table_column(t, "function_files", "files", PM_CELL_COUNT);
    pm_table_column(t, "function_repositories", "repos", PM_CELL_COUNT);
}

static void add_empty(struct pm_table *table, int cells)
{
    while (cells-- > 0)
        pm_table_empty(table);
}

static void add_name(struct pm_table *t, const struct pm_usage_name *name,
                     const struct pm_map *others)
{
    pm_table_text(t, name->name);
    pm_table_text(t, pm_map_has(others, pm_inventory_bare_name(name->name)) ? "yes" : "no");
    pm_table_count(t, name->uses);
    share_cell(t, name->resolved, name->uses);
    share_cell(t, name->possible_method, name->uses);
    share_cell(t, name->other, name->uses);
    pm_table_count(t, name->files);
    pm_table_count(t, name->repositories);
}

static void add_function(struct pm_table *t, const struct pm_usage_name *function,
                         const struct pm_map *others)
{
    pm_table_text(t, function->name);
    pm_table_text(t, pm_map_has(others, pm_inventory_bare_name(function->name)) ? "yes" : "no");
    pm_table_text(t, pm_name_kind_text(function->kind));
    pm_table_count(t, function->uses);
    pm_table_count(t, function->references);
    pm_table_count(t, function->files);
    pm_table_count(t, function->repositories);
}

static void add_overlap_note(struct pm_table *t, const struct pm_usage_of *f, unsigned top,
                             const struct pm_map *names, const struct pm_map *functions)
{
    char *note = pm_format(
        "both: the other list has the name too; %zu of the %zu names and %zu of the %zu functions "
        "are not in the other list; functions are compared by the last part of their names",
        count_missing(&f->study, top, functions), top_of(&f->study, top),
        count_missing(&f->resolved, top, names), top_of(&f->resolved, top));
    pm_table_note(t, note);
    free(note);
}

static void add_side_by_side(const struct pm_usage_of *f, unsigned top, struct pm_report *report)
{
    enum { NAME_CELLS = 8, FUNCTION_CELLS = 7 };
    char *title = pm_format("Most used names of %s%s%s, by each rule", f->framework,
                            *f->version ? " " : "", f->version);
    struct pm_table *t = pm_table_new("frequency", title);
    pm_table_about(t, "framework", f->framework);
    struct pm_map names = bare_names(&f->study, top), functions = bare_names(&f->resolved, top);
    const size_t study = top_of(&f->study, top), resolved = top_of(&f->resolved, top);
    add_columns(t);
    for (size_t i = 0; i < study || i < resolved; i++) {
        pm_table_count(t, (int64_t)i + 1);
        if (i < study)
            add_name(t, &f->study.items[i], &functions);
        else
            add_empty(t, NAME_CELLS);
        if (i < resolved)
            add_function(t, &f->resolved.items[i], &names);
        else
            add_empty(t, FUNCTION_CELLS);
    }
    add_overlap_note(t, f, top, &names, &functions);
    pm_report_take_table(report, t);
    pm_map_release(&names);
    pm_map_release(&functions);
    free(title);
}

/* ---- by types ------------------------------------------------------------------------------- */

static struct pm_map ranks_of(const struct pm_usage_ranking *ranking)
{
    struct pm_map ranks = {0};
    for (size_t i = 0; i < ranking->count; i++)
        pm_map_put(&ranks, ranking->items[i].name, (void *)(i + 1));
    return ranks;
}

static void add_typed_columns(struct pm_table *t)
{
    pm_table_column(t, "rank", "rank", PM_CELL_COUNT);
    pm_table_column(t, "function", "inferred: function", PM_CELL_NAME);
    pm_table_column(t, "kind", "kind", PM_CELL_WORD);
    pm_table_column(t, "calls", "calls", PM_CELL_COUNT);
    pm_table_column(t, "rank_by_imports", "rank by imports", PM_CELL_COUNT);
    pm_table_column(t, "calls_by_imports", "calls by imports", PM_CELL_COUNT);
    pm_table_column(t, "instance_calls", "instance calls", PM_CELL_COUNT);
    pm_table_column(t, "possible", "possible", PM_CELL_COUNT);
    pm_table_column(t, "references", "references", PM_CELL_COUNT);
    pm_table_column(t, "files", "files", PM_CELL_COUNT);
    pm_table_column(t, "repositories", "repos", PM_CELL_COUNT);
}

static void add_typed_row(struct pm_table *t, const struct pm_usage_name *function,
                          const struct pm_usage_ranking *resolved, size_t rank)
{
    pm_table_text(t, function->name);
    pm_table_text(t, pm_name_kind_text(function->kind));
    pm_table_count(t, function->uses);
    if (rank)
        pm_table_count(t, (int64_t)rank);
    else
        pm_table_empty(t);
    pm_table_count(t, rank ? resolved->items[rank - 1].uses : 0);
    pm_table_count(t, function->instance_calls);
    pm_table_count(t, function->possible);
    pm_table_count(t, function->references);
    pm_table_count(t, function->files);
    pm_table_count(t, function->repositories);
}

static void add_typed(const struct pm_usage_of *f, unsigned top, struct pm_report *report)
{
    char *title = pm_format("Most used functions of %s%s%s, by imports and types", f->framework,
                            *f->version ? " " : "", f->version);
    struct pm_table *t = pm_table_new("inferred", title);
    pm_table_about(t, "framework", f->framework);
    struct pm_map ranks = ranks_of(&f->resolved);
    add_typed_columns(t);
    for (size_t i = 0; i < top_of(&f->inferred, top); i++) {
        const struct pm_usage_name *function = &f->inferred.items[i];
        pm_table_count(t, (int64_t)i + 1);
        add_typed_row(t, function, &f->resolved, (size_t)pm_map_get(&ranks, function->name));
    }
    pm_table_note(t,
                  "calls: found by imports, also through other files of a project, and by the "
                  "types of values; counted separately: instance calls, and possible calls, which "
                  "may be calls of several functions or follow only from the name of a method");
    pm_report_take_table(report, t);
    pm_map_release(&ranks);
    free(title);
}

/* ---- concentration of use
 * ------------------------------------------------------------------------
 */

/* `files` below 0: not known. */
static void add_spread_row(struct pm_table *t, enum pm_rule rule, int64_t files, unsigned top,
                           const struct pm_usage_ranking *ranking)
{
    int64_t uses = 0;
    for (size_t i = 0; i < top_of(ranking, top); i++)
        uses += ranking->items[i].uses;
    pm_table_text(t, pm_rule_text(rule));
    if (files >= 0)
        pm_table_count(t, files);
    else
        pm_table_empty(t);
    pm_table_count(t, (int64_t)pm_usage_reach(ranking, 1));
    pm_table_count(t, ranking->uses);
    share_cell(t, uses, ranking->uses);
    pm_table_count(t, (int64_t)pm_usage_reach(ranking, 0.5));
    pm_table_count(t, (int64_t)pm_usage_reach(ranking, 0.9));
}

static void add_spread(const struct pm_usage_of *f, unsigned top, struct pm_report *report)
{
    char *title = pm_format("Concentration of the use of %s", f->framework);
    char *first = pm_format("first %u", top);
    struct pm_str note = PM_STR_INIT;
    pm_str_addf(&note,
                "calls of names imported from %s that are not in the inventory: ", f->framework);
    pm_text_count(&note, f->unlisted);
    struct pm_table *t = pm_table_new("spread", title);
    pm_table_about(t, "framework", f->framework);
    pm_table_column(t, "rule", "rule", PM_CELL_WORD);
    pm_table_column(t, "files", "files", PM_CELL_COUNT);
    pm_table_column(t, "names", "names used", PM_CELL_COUNT);
    pm_table_column(t, "uses", "uses", PM_CELL_COUNT);
    pm_table_column(t, "first", first, PM_CELL_SHARE);
    pm_table_column(t, "half", "names for 50 %", PM_CELL_COUNT);
    pm_table_column(t, "most", "names for 90 %", PM_CELL_COUNT);
    pm_table_second_half(t);
    pm_table_column(t, "resolved", "resolved", PM_CELL_SHARE);
    pm_table_column(t, "possible_method", "possible method", PM_CELL_SHARE);
    pm_table_column(t, "other", "other", PM_CELL_SHARE);
    add_spread_row(t, PM_RULE_STUDY, f->study_files, top, &f->study);
    share_cell(t, f->study.resolved, f->study.uses);
    share_cell(t, f->study.possible_method, f->study.uses);
    share_cell(t, f->study.other, f->study.uses);
    add_spread_row(t, PM_RULE_RESOLVED, f->importing_files, top, &f->resolved);
    add_empty(t, 3);
    if (f->inferred.count) {
        add_spread_row(t, PM_RULE_INFERRED, -1, top, &f->inferred);
        add_empty(t, 3);
    }
    pm_table_note(t, "uses: the study's rule counts bare names, and the other rules count calls; "
                     "files: those that the study's rule reads; for the other rules, those that "
                     "import the framework");
    pm_table_note(t, note.data);
    pm_report_take_table(report, t);
    free(title);
    free(first);
    pm_str_release(&note);
}

static unsigned rows_of(const struct pm_usage_table *t)
{
    return t->top ? t->top : PM_USAGE__TOP;
}

/* The tables of one framework follow each other. */
int pm_usage_add_frequency(const struct pm_usage_table *t, struct pm_error *err)
{
    for (size_t i = 0; i < t->scan->count; i++) {
        const struct pm_usage_of *f = &t->scan->frameworks[i];
        add_side_by_side(f, rows_of(t), t->report);
        if (f->inferred.count && !t->alone)
            add_typed(f, rows_of(t), t->report);
        if (t->scan->places && !t->alone)
            PM_TRY(pm_usage__add_found(t, f, err));
        if (!t->alone)
            add_spread(f, rows_of(t), t->report);
    }
    return PM_OK;
}

int pm_usage_add_inferred(const struct pm_usage_table *t, struct pm_error *err)
{
    if (!t->scan->types)
        return pm_error_set(err, PM_EUSAGE,
                            "scan %lld did not infer types: scan again with --store-places, or "
                            "choose another --scan",
                            (long long)t->scan->id);
    for (size_t i = 0; i < t->scan->count; i++)
        add_typed(&t->scan->frameworks[i], rows_of(t), t->report);
    return PM_OK;
}

int pm_usage_add_found(const struct pm_usage_table *t, struct pm_error *err)
{
    for (size_t i = 0; i < t->scan->count; i++)
        PM_TRY(pm_usage__add_found(t, &t->scan->frameworks[i], err));
    return PM_OK;
}

int pm_usage_add_spread(const struct pm_usage_table *t, struct pm_error *err)
{
    (void)err;
    for (size_t i = 0; i < t->scan->count; i++)
        add_spread(&t->scan->frameworks[i], rows_of(t), t->report);
    return PM_OK;
}

int pm_usage_add_frequencies(struct pm_store *store, int64_t scan_id, const char *framework,
                             unsigned top, struct pm_report *report, struct pm_error *err)
{
    const struct pm_usage_wanted wanted = {.id = scan_id, .framework = framework};
    struct pm_usage scan = {0};
    int rc = pm_usage_load(&scan, store, "", &wanted, err);
    if (!rc)
        rc =
            pm_usage_add_frequency(&(struct pm_usage_table){&scan, store, report, .top = top}, err);
    pm_usage_release(&scan);
    return rc;
}
