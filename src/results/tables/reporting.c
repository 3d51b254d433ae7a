/* Implements pm_tables_report(): chooses the tables or the figure, the format and the
 * destination. */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/privacy.h"
#include "base/str.h"
#include "history/history.h"
#include "paper/paper.h"
#include "published/tables.h"
#include "reading/reading.h"
#include "record/document.h"
#include "report/sink.h"
#include "report/write.h"
#include "tables/kinds.h"
#include "tables/lines.h"
#include "tables/pages.h"
#include "tables/tables.h"
#include "usage/usage.h"

/* ---- choosing ---- */

/* The figures. Each shows a scan, or the results of runs. */
static const struct figure_kind {
    const char *name;
    struct pm_figure *(*of_scan)(const struct pm_usage *scan);
    struct pm_figure *(*of_results)(const struct pm_reading *r); /* returns NULL if there is nothing
                                                                    to draw */
} figure_kinds[] = {{"frequency", .of_scan = pm_usage_figure},
                    {"verdicts", .of_results = pm_tables__draw_verdicts}};
enum { FIGURE_KINDS = sizeof figure_kinds / sizeof *figure_kinds };

static void add_word(struct pm_str *out, const char *word)
{
    pm_str_addf(out, "%s%s", out->length ? ", " : "", word);
}

void pm_tables_list_tables(struct pm_str *out)
{
    struct pm_str words = PM_STR_INIT;
    pm_paper_list_tables(&words);
    for (size_t i = 0; i < pm_tables__kind_count; i++)
        add_word(&words, pm_tables__kinds[i].name);
    pm_published_list(&words);
    pm_str_add(out, words.data);
    pm_str_release(&words);
}

void pm_tables_list_figures(struct pm_str *out)
{
    struct pm_str words = PM_STR_INIT;
    pm_paper_list_figures(&words);
    for (size_t i = 0; i < FIGURE_KINDS; i++)
        add_word(&words, figure_kinds[i].name);
    pm_str_add(out, words.data);
    pm_str_release(&words);
}

void pm_tables_list_formats(struct pm_str *out)
{
    pm_words_list(&pm_report_format_words, out);
}

bool pm_tables_format_of_file(const char *path, enum pm_report_format *out, struct pm_error *err)
{
    return pm_report_format_of_file(path, out, err);
}

static bool is_called(const struct table_kind *kind, const char *table)
{
    return !strcmp(kind->name, table);
}

static bool table_exists(const char *table)
{
    for (size_t i = 0; i < pm_tables__kind_count; i++)
        if (is_called(&pm_tables__kinds[i], table))
            return true;
    return pm_published_has(table) || pm_paper_has_table(table);
}

/* Returns the kind of a table of scans by its name (NULL: `frequency`). Returns NULL if the table
 * does not belong to scans. */
static const struct table_kind *kind_of_scan(const char *table)
{
    for (size_t i = 0; i < pm_tables__kind_count; i++)
        if (pm_tables__kinds[i].add_of_scan && (!table || is_called(&pm_tables__kinds[i], table)))
            return &pm_tables__kinds[i];
    return NULL;
}

static void add_everything(const struct pm_reading *r, const struct pm_report_options *o,
                           const char *option, struct pm_report *report)
{
    pm_tables__add_headline(r, o, option, report);
    pm_tables__add_functions(r, report);
    pm_report_heading(report, "How the results were measured");
    pm_tables__lines_before(r, option, report);
    pm_report_heading(report, "Details");
    pm_report_fold(report);
    for (size_t i = 0; i < pm_tables__kind_count; i++)
        if (!pm_tables__kinds[i].only_asked && pm_tables__kinds[i].add != pm_tables__add_functions)
            pm_tables__kinds[i].add(r, report);
    if (!r->for_people)
        pm_tables__add_cases(r, report);
    pm_tables__lines_after(r, option, report);
}

/* Adds the parts of a page. The table of every function is near the top, because people search it.
 * Its rows open to the content that other formats have as tables of failures, dtypes and ratios.
 * Pictures and figures follow. */
static void add_page(const struct pm_reading *r, const struct pm_report_options *o,
                     const struct pm_published *published, const char *option,
                     struct pm_report *report)
{
    static void (*const details[])(const struct pm_reading *, struct pm_report *) = {
        pm_tables__add_summary,    pm_tables__add_paper_way,     pm_tables__add_checked,
        pm_tables__add_estimates,  pm_tables__add_not_counted,   pm_tables__add_unstable,
        pm_tables__add_neighbours, pm_tables__add_planted_faults};
    pm_tables__add_headline(r, o, option, report);
    pm_report_heading(report, "Functions");
    pm_tables__add_bars(r, report);
    pm_tables__add_pages(r, published, o, option, report);
    pm_report_heading(report, "Functions by target");
    pm_tables__add_matrices(r, report);
    pm_report_heading(report, "Figures");
    pm_paper_add_page_figures(r, option, report);
    pm_report_heading(report, "How the results were measured");
    pm_tables__lines_before(r, option, report);
    pm_tables__add_targets(r, report);
    pm_report_heading(report, "Details");
    pm_report_fold(report);
    for (size_t i = 0; i < sizeof details / sizeof *details; i++)
        details[i](r, report);
}

static void add_one(const struct pm_reading *r, const char *table, const char *option,
                    struct pm_report *report)
{
    pm_tables__lines_of_runs(r, option, report);
    for (size_t i = 0; i < pm_tables__kind_count; i++)
        if (is_called(&pm_tables__kinds[i], table))
            pm_tables__kinds[i].add(r, report);
}

/* ---- figures -------------------------------------------------------------------------------- */

/* Returns the extension of a file name. */
static const char *ending_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot + 1 : "";
}

static const char *figure_format(const struct pm_report_options *o)
{
    return o->output ? ending_of(o->output) : "svg";
}

/* Writes the script that draws the figure, with its data, for authors who want another style. */
static int write_script(const struct pm_figure *figure, const char *output, const char *db,
                        struct pm_error *err)
{
    struct pm_str script = PM_STR_INIT;
    char *path = pm_format("%s.gp", output);
    pm_str_add(&script, "# to draw the figure again: gnuplot THIS_FILE > FIGURE\n");
    int rc = pm_file_check_output("--output", path, db, "the database", err);
    if (!rc)
        rc = pm_figure_script(figure, ending_of(output), &script, err);
    if (!rc)
        rc = pm_file_write(path, script.data, script.length, err);
    pm_str_release(&script);
    free(path);
    return rc;
}

static int write_figure(const struct pm_figure *figure, const struct pm_report_options *o,
                        struct pm_error *err)
{
    struct pm_str drawing = PM_STR_INIT;
    struct pm_sink sink = o->output ? pm_sink_str(&drawing) : pm_sink_file(stdout);
    int rc = pm_figure_render(figure, figure_format(o), &sink, err);
    if (!rc && o->output)
        rc = pm_file_write(o->output, drawing.data, drawing.length, err);
    if (!rc && o->output)
        rc = write_script(figure, o->output, o->db, err);
    pm_str_release(&drawing);
    return rc;
}

/* ---- the kinds of report ---- */

static int write_report(struct pm_report *report, const struct pm_report_options *o,
                        struct pm_error *err)
{
    return pm_report_write(report, o->format, o->width, o->colour, o->output, err);
}

/* Prints a report of published results only. */
static int report_published(const struct pm_report_options *o, const struct pm_published *published,
                            struct pm_error *err)
{
    struct pm_report *report = pm_report_new("portmeter " PM_VERSION ", published results");
    pm_published_add(published, o->table, report);
    const int rc = write_report(report, o, err);
    pm_report_free(report);
    return rc;
}

/* Returns a reading that will load only the rows that this report needs. */
static struct pm_reading reading_for(const struct pm_report_options *o)
{
    const bool for_people = o->format != PM_FORMAT_JSON && o->format != PM_FORMAT_CSV;
    struct pm_reading r = {.framework = o->framework,
                           .function = o->function,
                           .wanted = o->targets,
                           .wanted_count = o->target_count,
                           .intolerable = o->intolerable,
                           .many_shapes = o->many_shapes,
                           .shows_empty = o->table != NULL,
                           .for_people = for_people,
                           .is_running = o->is_running,
                           .for_page = o->format == PM_FORMAT_HTML,
                           .of_cases = !o->table && !for_people,
                           .of_executions = !o->table && o->format == PM_FORMAT_HTML};
    for (size_t i = 0; o->table && i < pm_tables__kind_count; i++)
        if (is_called(&pm_tables__kinds[i], o->table)) {
            r.of_cases |= pm_tables__kinds[i].of_cases;
            r.of_executions |= pm_tables__kinds[i].of_executions;
            r.of_dtypes |= pm_tables__kinds[i].of_dtypes;
        }
    return r;
}

/* Returns the option that names the data in commands: " --results=NAME" for shipped results, " --db
 * FILE", or "" for the default database. The caller frees it. */
static char *option_of(const struct pm_report_options *o)
{
    if (o->shipped)
        return pm_format(" --results=%s", o->shipped);
    return pm_privacy_db_option(o->db);
}

static bool is_screen(const struct pm_report_options *o)
{
    return !o->table && !o->full && !o->output && o->format == PM_FORMAT_TEXT;
}

static int report_of(const struct pm_report_options *o, struct pm_store *store,
                     const struct pm_published *published, const struct pm_map *sample,
                     const struct pm_recorded *recorded, enum pm_exit *status, struct pm_error *err)
{
    struct pm_reading r = reading_for(o);
    r.paper = sample;
    r.recorded = recorded;
    int rc = pm_reading_load(&r, store, o->db, o->run_id, err);
    if (!rc) {
        char *option = option_of(o);
        char *title =
            o->format == PM_FORMAT_HTML ? pm_tables__page_title(&r) : pm_tables__title(&r);
        struct pm_report *report = pm_report_new(title);
        if (o->function)
            pm_report_take_line(
                report, "only",
                pm_format("functions that match '%s'; all numbers are about them", o->function));
        pm_report_take_data(report, "runs", pm_reading_runs_json(&r));
        pm_report_take_data(report, "targets", pm_reading_targets_json(&r));
        if (o->table)
            add_one(&r, o->table, option, report);
        else if (o->format == PM_FORMAT_HTML)
            add_page(&r, o, published, option, report);
        else if (is_screen(o))
            pm_tables__add_screen(&r, o, option, report);
        else
            add_everything(&r, o, option, report);
        if (!o->table && !o->run_id && !is_screen(o) && pm_published_any(published)) {
            pm_report_heading(report, "Published elsewhere");
            pm_paper_add_then(&r, &published->numbers, report);
            pm_published_add(published, NULL, report);
        }
        rc = write_report(report, o, err);
        *status = pm_reading_exit(&r);
        pm_report_free(report);
        free(title);
        free(option);
    }
    pm_reading_release(&r);
    return rc;
}

/* Reads the recording that the tables of a recorded program need, from the folder where `portmeter
 * record` writes it. */
static int read_recorded(const struct pm_report_options *o, struct pm_recorded *recorded,
                         struct pm_error *err)
{
    if (!o->table || !pm_starts_with(o->table, "recorded"))
        return PM_OK;
    return pm_recorded_read(PM_RECORDED_FOLDER, recorded, err);
}

/* Reports a run. Marks the functions of the paper's sample, even if the paper was not imported.
 * Without the file of the paper, marks none. */
static int report_run(const struct pm_report_options *o, struct pm_store *store,
                      const struct pm_published *published, enum pm_exit *status,
                      struct pm_error *err)
{
    struct pm_publication paper = {0};
    struct pm_recorded recorded = {0};
    struct pm_map sample = {0};
    PM_TRY(read_recorded(o, &recorded, err));
    if (pm_publication_has_paper())
        PM_TRY(pm_publication_read_paper(&paper, NULL, err));
    pm_publication_sample(&paper, &sample);
    const int rc = report_of(o, store, published, &sample, &recorded, status, err);
    pm_recorded_release(&recorded);
    pm_map_release(&sample);
    pm_publication_release(&paper);
    return rc;
}

/* Prints a table in the form of the paper's tables. */
static int report_form(const struct pm_report_options *o, struct pm_error *err)
{
    const struct pm_paper_request request = {o->db, o->run_id, o->targets, o->target_count};
    struct pm_report *report = pm_report_new("portmeter " PM_VERSION ", a table of the paper");
    int rc = pm_paper_add_table(&request, o->table, report, err);
    if (!rc)
        rc = write_report(report, o, err);
    pm_report_free(report);
    return rc;
}

static bool wants_history(const struct pm_report_options *o)
{
    return o->table && !strcmp(o->table, "history");
}

static int report_history(const struct pm_report_options *o, struct pm_error *err)
{
    char *option = option_of(o);
    const struct pm_history_request request = {.db = o->db,
                                               .run_id = o->run_id,
                                               .most = o->top,
                                               .for_people = o->format != PM_FORMAT_JSON &&
                                                             o->format != PM_FORMAT_CSV,
                                               .functions_only = o->format == PM_FORMAT_CSV,
                                               .option = option};
    struct pm_report *report = pm_report_new("portmeter " PM_VERSION ", history");
    int rc = pm_history_add(&request, report, err);
    if (!rc)
        rc = write_report(report, o, err);
    pm_report_free(report);
    free(option);
    return rc;
}

/* Draws a figure in the form of the paper's figures. */
static int draw_form(const struct pm_report_options *o, struct pm_error *err)
{
    const struct pm_paper_request request = {o->db, o->run_id, o->targets, o->target_count};
    struct pm_figure *figure = NULL;
    int rc = pm_paper_make_figure(&request, o->figure, &figure, err);
    if (!rc)
        rc = write_figure(figure, o, err);
    pm_figure_free(figure);
    return rc;
}

/* Checks that a CSV file gets one table; most tables belong to one framework. */
static int check_one_table(const struct pm_report_options *o, const struct pm_usage *scan,
                           struct pm_error *err)
{
    if (o->format != PM_FORMAT_CSV || scan->count == 1 || o->function)
        return PM_OK;
    return pm_error_set(err, PM_EUSAGE,
                        "a CSV file contains one table, but scan %lld counted %zu frameworks: add "
                        "--framework %s, or use --format json",
                        (long long)scan->id, scan->count, scan->frameworks[0].framework);
}

static int report_scan(const struct pm_report_options *o, struct pm_store *store,
                       enum pm_exit *status, struct pm_error *err)
{
    const struct table_kind *kind = kind_of_scan(o->table);
    const struct pm_usage_wanted wanted = {o->scan_id, o->framework, kind->needs_uses};
    const bool alone = o->format == PM_FORMAT_CSV;
    struct pm_usage scan = {0};
    int rc = pm_usage_load(&scan, store, o->db, &wanted, err);
    if (!rc)
        rc = check_one_table(o, &scan, err);
    if (!rc) {
        char *title = pm_format("portmeter %s, scan %lld of %s", PM_VERSION, (long long)scan.id,
                                scan.started);
        struct pm_report *report = pm_report_new(title);
        pm_usage_add_lines(&scan, report);
        rc = kind->add_of_scan(
            &(struct pm_usage_table){&scan, store, report, o->top, o->function, alone}, err);
        if (!rc)
            rc = write_report(report, o, err);
        *status = pm_json_int(scan.totals, "damages", 0) > 0 ? PM_EXIT_WORSE : PM_EXIT_FINE;
        pm_report_free(report);
        free(title);
    }
    pm_usage_release(&scan);
    return rc;
}

static int draw_scan(const struct pm_report_options *o, struct pm_store *store,
                     const struct figure_kind *kind, struct pm_error *err)
{
    const struct pm_usage_wanted wanted = {.id = o->scan_id, .framework = o->framework};
    struct pm_usage scan = {0};
    int rc = pm_usage_load(&scan, store, o->db, &wanted, err);
    if (!rc) {
        struct pm_figure *figure = kind->of_scan(&scan);
        rc = write_figure(figure, o, err);
        pm_figure_free(figure);
    }
    pm_usage_release(&scan);
    return rc;
}

static int draw_results(const struct pm_report_options *o, struct pm_store *store,
                        const struct figure_kind *kind, struct pm_error *err)
{
    struct pm_reading r = reading_for(o);
    int rc = pm_reading_load(&r, store, o->db, o->run_id, err);
    if (!rc) {
        struct pm_figure *figure = kind->of_results(&r);
        rc = figure ? write_figure(figure, o, err)
                    : pm_error_set(err, PM_EUSAGE,
                                   "'%s' has no counted verdict to draw: measure a target first",
                                   o->db);
        pm_figure_free(figure);
    }
    pm_reading_release(&r);
    return rc;
}

static int report_figure(const struct pm_report_options *o, struct pm_store *store,
                         const struct figure_kind *kind, struct pm_error *err)
{
    return kind->of_scan ? draw_scan(o, store, kind, err) : draw_results(o, store, kind, err);
}

static const struct figure_kind *find_figure(const char *name)
{
    for (size_t i = 0; i < FIGURE_KINDS; i++)
        if (!strcmp(figure_kinds[i].name, name))
            return &figure_kinds[i];
    return NULL;
}

static int unknown_word(const char *what, const char *word, void (*list)(struct pm_str *),
                        struct pm_error *err)
{
    enum { MOST = 128 };
    struct pm_str words = PM_STR_INIT;
    const char *texts[MOST];
    char *rest, *copy;
    int count = 0;
    list(&words);
    rest = copy = pm_str_detach(&words);
    for (char *at = strtok_r(copy, ", ", &rest); at && count < MOST;
         at = strtok_r(NULL, ", ", &rest))
        texts[count++] = at;
    const int rc = pm_words_unknown(&(struct pm_words){texts, count}, what, word, err);
    free(copy);
    return rc;
}

static int no_function(struct pm_error *err)
{
    return pm_error_set(err, PM_EUSAGE,
                        "--function selects functions of runs, or the function of --table uses: "
                        "omit it");
}

static int check_words(const struct pm_report_options *o, struct pm_error *err)
{
    if (o->against && (o->figure || o->scan_id || o->table))
        return pm_error_set(err, PM_EUSAGE,
                            "--against compares latencies: omit --figure, --scan and --table");
    const bool of_paper =
        (o->table && pm_paper_has_table(o->table)) || (o->figure && pm_paper_has_figure(o->figure));
    if (o->framework && (of_paper || o->against || wants_history(o)))
        return pm_error_set(err, PM_EUSAGE,
                            "--framework has no effect on a table or figure of the paper, a "
                            "history or --against: omit it");
    if (o->target_count && (o->scan_id || o->against || wants_history(o) ||
                            (o->table && !of_paper && kind_of_scan(o->table))))
        return pm_error_set(err, PM_EUSAGE,
                            "--target has no effect on a scan, a history or --against: omit it");
    if (o->table && !table_exists(o->table))
        return unknown_word("table", o->table, pm_tables_list_tables, err);
    const bool uses = o->table && strcmp(o->table, "uses") == 0;
    if (uses && !o->function)
        return pm_error_set(err, PM_EUSAGE,
                            "--table uses lists the uses of one function: add --function NAME");
    if (o->function && !uses &&
        (of_paper || o->scan_id || o->against || wants_history(o) ||
         (o->table && (kind_of_scan(o->table) || pm_published_has(o->table))) ||
         (o->figure && find_figure(o->figure) && find_figure(o->figure)->of_scan)))
        return no_function(err);
    if (!o->figure)
        return PM_OK;
    if (!find_figure(o->figure) && !pm_paper_has_figure(o->figure))
        return unknown_word("figure", o->figure, pm_tables_list_figures, err);
    if (o->table)
        return pm_error_set(err, PM_EUSAGE,
                            "--table and --figure exclude each other: give one of them");
    if (!pm_figure_has_format(figure_format(o)))
        return pm_error_set(err, PM_EUSAGE, "unknown figure format '%s': use .svg, .png or .pdf",
                            o->output);
    return PM_OK;
}

/* Returns the options with a table chosen: a CSV file contains one table, by default that of
 * functions. */
static struct pm_report_options options_of(const struct pm_report_options *asked)
{
    struct pm_report_options o = *asked;
    if (o.format == PM_FORMAT_CSV && !o.table && !o.figure && !o.scan_id)
        o.table = "functions";
    return o;
}

/* Sets *wants to whether the report is about a scan. Without --table, --run and --scan, it is about
 * a scan only if the database has neither runs nor published results. */
static int wants_scan(const struct pm_report_options *o, struct pm_store *store, bool *wants,
                      struct pm_error *err)
{
    bool runs = false, scans = false;
    *wants = o->table && kind_of_scan(o->table);
    if (o->table || o->run_id)
        return PM_OK;
    if (o->scan_id) {
        *wants = true;
        return PM_OK;
    }
    PM_TRY(pm_reading_any_run(store, &runs, err));
    PM_TRY(pm_usage_any(store, &scans, err));
    struct pm_published published;
    PM_TRY(pm_published_load(&published, store, 0, err));
    *wants = scans && !runs && !pm_published_any(&published);
    pm_published_release(&published);
    return PM_OK;
}

/* Reports the results of runs. If published results are requested, or the database has no measured
 * run, reports only the published results. */
static int report_results(const struct pm_report_options *o, struct pm_store *store,
                          enum pm_exit *status, struct pm_error *err)
{
    struct pm_published published;
    bool measured = false, asked = o->table && pm_published_has(o->table);
    PM_TRY(pm_reading_any_run(store, &measured, err));
    PM_TRY(pm_published_load(&published, store, o->run_id, err));
    asked |= pm_published_any(&published) && !o->table && (o->run_id || !measured);
    if (asked && !pm_published_any(&published))
        return pm_error_set(err, PM_EUSAGE,
                            "'%s' has no published results: run portmeter import paper first",
                            o->db);
    const int rc = asked && o->function ? no_function(err)
                   : asked              ? report_published(o, &published, err)
                                        : report_run(o, store, &published, status, err);
    pm_published_release(&published);
    return rc;
}

int pm_tables_report(const struct pm_report_options *asked, enum pm_exit *status,
                     struct pm_error *err)
{
    const struct pm_report_options own = options_of(asked), *o = &own;
    struct pm_store *store = NULL;
    bool of_scan;
    *status = PM_EXIT_FINE;
    PM_TRY(check_words(o, err));
    PM_TRY(pm_file_check_output("--output", o->output, o->db, "the database", err));
    if (o->against)
        return pm_tables__report_against(o, err);
    if (o->table && pm_paper_has_table(o->table))
        return report_form(o, err);
    if (wants_history(o))
        return report_history(o, err);
    if (o->figure && pm_paper_has_figure(o->figure))
        return draw_form(o, err);
    PM_TRY(pm_store_open(&store, o->db, PM_STORE_READ, err));
    int rc = wants_scan(o, store, &of_scan, err);
    if (!rc && of_scan && o->function && !o->table)
        rc = no_function(err);
    if (rc)
        ;
    else if (o->figure)
        rc = report_figure(o, store, find_figure(o->figure), err);
    else if (of_scan)
        rc = report_scan(o, store, status, err);
    else
        rc = report_results(o, store, status, err);
    pm_store_free(store);
    return rc;
}
