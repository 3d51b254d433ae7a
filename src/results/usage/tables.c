/* Makes the tables of a scan: the most used names by each rule, and the concentration of use. */
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "inventory/inventory.h"
#include "report/table_columns.h"
#include "text/numbers.h"
#include "usage/usage_private.h"

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

/* ---- side by side --------------------------------------------------------------------------- */

struct side_by_side {
    size_t rank;
    const struct pm_usage_name *name, *function;  /* NULL: the list is shorter */
    const struct pm_map *of_names, *of_functions; /* keys: the bare names of each list */
};

static void name_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct side_by_side *row = from->row;
    pm_table_member(table, from, row->name);
}

static void function_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct side_by_side *row = from->row;
    pm_table_member(table, from, row->function);
}

static void name_share_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct side_by_side *row = from->row;
    const void *part = row->name ? (const char *)row->name + from->column->offset : NULL;
    share_cell(table, part ? *(const int64_t *)part : 0, row->name ? row->name->uses : 0);
}

static void both_cell(struct pm_table *table, const struct pm_usage_name *name,
                      const struct pm_map *others)
{
    if (name)
        pm_table_text(table, pm_map_has(others, pm_inventory_bare_name(name->name)) ? "yes" : "no");
    else
        pm_table_empty(table);
}

static void name_in_both_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct side_by_side *row = from->row;
    both_cell(table, row->name, row->of_functions);
}

static void function_in_both_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct side_by_side *row = from->row;
    both_cell(table, row->function, row->of_names);
}

#define OF_NAME(member)     PM_MEMBER(struct pm_usage_name, member), .cell = name_cell
#define OF_FUNCTION(member) PM_MEMBER(struct pm_usage_name, member), .cell = function_cell
#define NAME_SHARE(member)  PM_MEMBER(struct pm_usage_name, member), .cell = name_share_cell

static const struct pm_column side_by_side_columns[] = {
    {"rank", "rank", PM_CELL_COUNT, PM_MEMBER(struct side_by_side, rank)},
    {"name", "paper: name", PM_CELL_NAME, OF_NAME(name)},
    {"name_in_both", "both", PM_CELL_MARK, .cell = name_in_both_cell},
    {"uses", "uses", PM_CELL_COUNT, OF_NAME(uses)},
    {"uses_resolved", "resolved", PM_CELL_SHARE, NAME_SHARE(resolved)},
    {"uses_possible_method", "possible method", PM_CELL_SHARE, NAME_SHARE(possible_method)},
    {"uses_other", "other", PM_CELL_SHARE, NAME_SHARE(other)},
    {"name_files", "files", PM_CELL_COUNT, OF_NAME(files)},
    {"name_repositories", "repos", PM_CELL_COUNT, OF_NAME(repositories)},
    {"function", "resolved: function", PM_CELL_NAME, OF_FUNCTION(name), .begins_second_half = true},
    {"function_in_both", "both", PM_CELL_MARK, .cell = function_in_both_cell},
    {"kind", "kind", PM_CELL_WORD, PM_WORD(struct pm_usage_name, kind, name_kind),
     .cell = function_cell},
    {"calls", "calls", PM_CELL_COUNT, OF_FUNCTION(uses)},
    {"references", "references", PM_CELL_COUNT, OF_FUNCTION(references)},
    {"function_files", "files", PM_CELL_COUNT, OF_FUNCTION(files)},
    {"function_repositories", "repos", PM_CELL_COUNT, OF_FUNCTION(repositories)},
};

static void add_overlap_note(struct pm_table *t, const struct pm_usage_of *f, unsigned top,
                             const struct pm_map *names, const struct pm_map *functions)
{
    char *note = pm_format(
        "both: the other list has the name too; %zu of the %zu names and %zu of the %zu functions "
        "are not in the other list; functions are compared by the last part of their names",
        count_missing(&f->paper, top, functions), top_of(&f->paper, top),
        count_missing(&f->resolved, top, names), top_of(&f->resolved, top));
    pm_table_note(t, note);
    free(note);
}

static void add_side_by_side(const struct pm_usage_of *f, unsigned top, struct pm_report *report)
{
    char *title = pm_format("Most used names of %s%s%s, by each rule", f->framework,
                            *f->version ? " " : "", f->version);
    struct pm_table *t = pm_table_new("frequency", title);
    pm_table_about(t, "framework", f->framework);
    struct pm_map names = bare_names(&f->paper, top), functions = bare_names(&f->resolved, top);
    const size_t paper = top_of(&f->paper, top), resolved = top_of(&f->resolved, top);
    pm_table_columns(t, side_by_side_columns, false);
    for (size_t i = 0; i < paper || i < resolved; i++) {
        const struct side_by_side row = {.rank = i + 1,
                                         .name = i < paper ? &f->paper.items[i] : NULL,
                                         .function = i < resolved ? &f->resolved.items[i] : NULL,
                                         .of_names = &names,
                                         .of_functions = &functions};
        pm_table_row(t, &row, NULL);
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

struct typed {
    size_t rank;
    struct pm_usage_name function;
    const struct pm_usage_name *by_imports; /* NULL: none */
    size_t rank_by_imports;
};

static void rank_by_imports_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct typed *row = from->row;
    if (row->by_imports)
        pm_table_count(table, (int64_t)row->rank_by_imports);
    else
        pm_table_empty(table);
}

static void calls_by_imports_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct typed *row = from->row;
    pm_table_count(table, row->by_imports ? row->by_imports->uses : 0);
}

static const struct pm_column typed_columns[] = {
    {"rank", "rank", PM_CELL_COUNT, PM_MEMBER(struct typed, rank)},
    {"function", "inferred: function", PM_CELL_NAME, PM_MEMBER(struct typed, function.name)},
    {"kind", "kind", PM_CELL_WORD, PM_WORD(struct typed, function.kind, name_kind)},
    {"calls", "calls", PM_CELL_COUNT, PM_MEMBER(struct typed, function.uses)},
    {"rank_by_imports", "rank by imports", PM_CELL_COUNT, .cell = rank_by_imports_cell},
    {"calls_by_imports", "calls by imports", PM_CELL_COUNT, .cell = calls_by_imports_cell},
    {"instance_calls", "instance calls", PM_CELL_COUNT,
     PM_MEMBER(struct typed, function.instance_calls)},
    {"possible", "possible", PM_CELL_COUNT, PM_MEMBER(struct typed, function.possible)},
    {"references", "references", PM_CELL_COUNT, PM_MEMBER(struct typed, function.references)},
    {"files", "files", PM_CELL_COUNT, PM_MEMBER(struct typed, function.files)},
    {"repositories", "repos", PM_CELL_COUNT, PM_MEMBER(struct typed, function.repositories)},
};

static void add_typed(const struct pm_usage_of *f, unsigned top, struct pm_report *report)
{
    char *title = pm_format("Most used functions of %s%s%s, by imports and types", f->framework,
                            *f->version ? " " : "", f->version);
    struct pm_table *t = pm_table_new("inferred", title);
    pm_table_about(t, "framework", f->framework);
    struct pm_map ranks = ranks_of(&f->resolved);
    pm_table_columns(t, typed_columns, false);
    for (size_t i = 0; i < top_of(&f->inferred, top); i++) {
        struct typed row = {.rank = i + 1, .function = f->inferred.items[i]};
        row.rank_by_imports = (size_t)pm_map_get(&ranks, row.function.name);
        if (row.rank_by_imports)
            row.by_imports = &f->resolved.items[row.rank_by_imports - 1];
        pm_table_row(t, &row, NULL);
    }
    pm_table_note(t,
                  "calls: found by imports, also through other files of a project, and by the "
                  "types of values; counted separately: instance calls, and possible calls, which "
                  "may be calls of several functions or follow only from the name of a method");
    pm_report_take_table(report, t);
    pm_map_release(&ranks);
    free(title);
}

/* ---- concentration of use ------------------------------------------------------------------- */

struct spread {
    enum pm_rule rule;
    int64_t files; /* below 0: unknown */
    unsigned top;
    const struct pm_usage_ranking *ranking;
};

static void spread_files_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct spread *spread = from->row;
    if (spread->files >= 0)
        pm_table_count(table, spread->files);
    else
        pm_table_empty(table);
}

static void reach_of(struct pm_table *table, const struct pm_cell_source *from, double share)
{
    const struct spread *spread = from->row;
    pm_table_count(table, (int64_t)pm_usage_reach(spread->ranking, share));
}

static void all_names_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    reach_of(table, from, 1);
}

static void half_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    reach_of(table, from, 0.5);
}

static void most_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    reach_of(table, from, 0.9);
}

static void ranking_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct spread *spread = from->row;
    pm_table_member(table, from, spread->ranking);
}

static void first_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct spread *spread = from->row;
    int64_t uses = 0;
    for (size_t i = 0; i < top_of(spread->ranking, spread->top); i++)
        uses += spread->ranking->items[i].uses;
    share_cell(table, uses, spread->ranking->uses);
}

/* Sets the cell of a class of uses; only the paper's rule has classes. */
static void class_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct spread *spread = from->row;
    const void *part = (const char *)spread->ranking + from->column->offset;
    share_cell(table, *(const int64_t *)part,
               spread->rule == PM_RULE_PAPER ? spread->ranking->uses : 0);
}

#define CLASS(member) PM_MEMBER(struct pm_usage_ranking, member), .cell = class_cell

static const struct pm_column spread_columns[] = {
    {"rule", "rule", PM_CELL_WORD, PM_WORD(struct spread, rule, rule)},
    {"files", "files", PM_CELL_COUNT, .cell = spread_files_cell},
    {"names", "names used", PM_CELL_COUNT, .cell = all_names_cell},
    {"uses", "uses", PM_CELL_COUNT, PM_MEMBER(struct pm_usage_ranking, uses), .cell = ranking_cell},
    {"first", "first", PM_CELL_SHARE, .cell = first_cell},
    {"half", "names for 50 %", PM_CELL_COUNT, .cell = half_cell},
    {"most", "names for 90 %", PM_CELL_COUNT, .cell = most_cell},
    {"resolved", "resolved", PM_CELL_SHARE, CLASS(resolved), .begins_second_half = true},
    {"possible_method", "possible method", PM_CELL_SHARE, CLASS(possible_method)},
    {"other", "other", PM_CELL_SHARE, CLASS(other)},
};

static void spread_notes(const struct pm_usage_of *f, struct pm_table *t)
{
    struct pm_str note = PM_STR_INIT;
    pm_str_addf(&note,
                "calls of names imported from %s that are not in the inventory: ", f->framework);
    pm_text_count(&note, f->unlisted);
    pm_table_note(t, "uses: bare names by the paper's rule, and calls by the other rules");
    pm_table_note(t,
                  "files: all files that are read by the paper's rule, and files that import the "
                  "framework by the other rules");
    pm_table_note(t, note.data);
    pm_str_release(&note);
}

static void add_spread(const struct pm_usage_of *f, unsigned top, struct pm_report *report)
{
    const struct spread rows[] = {
        {PM_RULE_PAPER, f->paper_files, top, &f->paper},
        {PM_RULE_RESOLVED, f->importing_files, top, &f->resolved},
        {PM_RULE_INFERRED, -1, top, &f->inferred},
    };
    const size_t count = sizeof rows / sizeof *rows - !f->inferred.count;
    char *title = pm_format("Concentration of the use of %s", f->framework);
    char *first = pm_format("first %u", top);
    struct pm_table *t = pm_table_new("spread", title);
    pm_table_about(t, "framework", f->framework);
    pm_table_columns(t, spread_columns, false);
    pm_table_heading(t, "first", first);
    for (size_t i = 0; i < count; i++)
        pm_table_row(t, &rows[i], NULL);
    spread_notes(f, t);
    pm_report_take_table(report, t);
    free(title);
    free(first);
}

/* Adds all tables of a framework before those of the next. */
int pm_usage_add_frequency(const struct pm_usage_table *t, struct pm_error *err)
{
    for (size_t i = 0; i < t->scan->count; i++) {
        const struct pm_usage_of *f = &t->scan->frameworks[i];
        add_side_by_side(f, pm_usage__most_rows(t), t->report);
        if (f->inferred.count && !t->alone)
            add_typed(f, pm_usage__most_rows(t), t->report);
        if (t->scan->places && !t->alone)
            PM_TRY(pm_usage__add_resolution(t, f, err));
        if (!t->alone)
            add_spread(f, pm_usage__most_rows(t), t->report);
    }
    return PM_OK;
}

int pm_usage_add_inferred(const struct pm_usage_table *t, struct pm_error *err)
{
    if (!t->scan->types)
        return pm_error_set(err, PM_EUSAGE,
                            "scan %lld did not infer types: scan again with --store-uses, or "
                            "choose another --scan",
                            (long long)t->scan->id);
    for (size_t i = 0; i < t->scan->count; i++)
        add_typed(&t->scan->frameworks[i], pm_usage__most_rows(t), t->report);
    return PM_OK;
}

int pm_usage_add_resolution(const struct pm_usage_table *t, struct pm_error *err)
{
    for (size_t i = 0; i < t->scan->count; i++)
        PM_TRY(pm_usage__add_resolution(t, &t->scan->frameworks[i], err));
    return PM_OK;
}

int pm_usage_add_spread(const struct pm_usage_table *t, struct pm_error *err)
{
    (void)err;
    for (size_t i = 0; i < t->scan->count; i++)
        add_spread(&t->scan->frameworks[i], pm_usage__most_rows(t), t->report);
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
