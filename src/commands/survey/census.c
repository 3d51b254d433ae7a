/* pm_survey_census(): makes cases for the names of a framework, stores them and prints coverage. */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/line.h"
#include "base/plural.h"
#include "census/census.h"
#include "report/table_columns.h"
#include "report/write.h"
#include "sample/calls.h"
#include "survey/new_inventory.h"
#include "survey/survey.h"
#include "text/progress.h"

/* ---- tables --------------------------------------------------------------------------------- */

/* Counts of the names of one kind, or of all names. */
struct coverage {
    const char *kind;
    int64_t names, of[PM_CENSUS_COUNT];
    int64_t calls,
        calls_measured; /* calls in scanned code; calls_measured: those of names with a case */
    bool scanned;
};

static bool has_case(const struct pm_census_row *row)
{
    return row->status <= PM_CENSUS_HOST_ONLY;
}

static void count_row(struct coverage *c, const struct pm_census_row *row,
                      const struct pm_sample_calls *calls)
{
    const int64_t used = pm_sample_calls_of(calls, row->name);
    c->names++;
    c->of[row->status]++;
    c->calls += used;
    c->calls_measured += has_case(row) ? used : 0;
    c->scanned = calls->scan != 0;
}

static int64_t measurable(const struct coverage *c)
{
    return c->names - c->of[PM_CENSUS_NOT_MEASURED] - c->of[PM_CENSUS_NOT_TRIED];
}

static double share(int64_t part, int64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

static int64_t with_case(const struct coverage *c)
{
    return c->of[PM_CENSUS_VALUES] + c->of[PM_CENSUS_NO_VALUES] + c->of[PM_CENSUS_HOST_ONLY];
}

static void status_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct coverage *c = from->row;
    enum pm_census_status status;
    if (pm_census_status_parse(from->column->heading, &status))
        pm_table_count(table, c->of[status]);
}

static void of_all_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct coverage *c = from->row;
    pm_table_number(table, share(with_case(c), c->names));
}

static void of_measurable_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct coverage *c = from->row;
    pm_table_number(table, share(with_case(c), measurable(c)));
}

static void of_calls_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct coverage *c = from->row;
    pm_table_number(table, c->scanned ? share(c->calls_measured, c->calls) : NAN);
}

static const struct pm_column coverage_columns[] = {
    {"kind", "kind", PM_CELL_WORD, PM_MEMBER(struct coverage, kind)},
    {"names", "names", PM_CELL_COUNT, PM_MEMBER(struct coverage, names)},
    {"values", "values", PM_CELL_COUNT, .cell = status_cell},
    {"no_values", "no-values", PM_CELL_COUNT, .cell = status_cell},
    {"host_only", "host-only", PM_CELL_COUNT, .cell = status_cell},
    {"no_case", "no-case", PM_CELL_COUNT, .cell = status_cell},
    {"not_measurable", "not-measurable", PM_CELL_COUNT, .cell = status_cell},
    {"not_tried", "not-tried", PM_CELL_COUNT, .cell = status_cell},
    {"of_all", "with a case, of all", PM_CELL_SHARE, .cell = of_all_cell},
    {"of_measurable", "of measurable", PM_CELL_SHARE, .cell = of_measurable_cell},
    {"of_calls", "of calls", PM_CELL_SHARE, .cell = of_calls_cell},
};

static void add_coverage(const struct pm_census *census, const struct pm_sample_calls *calls,
                         struct pm_report *report)
{
    struct coverage kinds[PM_NAME_COUNT] = {{0}}, all = {.kind = "all"};
    struct pm_table *table = pm_table_new("coverage", "Names with a case");
    pm_table_columns(table, coverage_columns, false);
    for (size_t i = 0; i < census->count; i++) {
        if (!pm_census_is_mine(census, &census->rows[i]))
            continue;
        count_row(&kinds[census->rows[i].kind], &census->rows[i], calls);
        count_row(&all, &census->rows[i], calls);
    }
    for (int kind = 0; kind < PM_NAME_COUNT; kind++) {
        kinds[kind].kind = pm_name_kind_text((enum pm_name_kind)kind);
        if (kinds[kind].names)
            pm_table_row(table, &kinds[kind], NULL);
    }
    pm_table_row(table, &all, NULL);
    pm_report_take_table(report, table);
}

/* Counts for one source: the names with a call from it, and the names whose case is from it. */
struct source_count {
    enum pm_tier tier;
    int64_t accepted, chosen, values;
    const char *absent;
};

static const struct pm_column source_columns[] = {
    {"source", "source", PM_CELL_WORD, PM_WORD(struct source_count, tier, tier)},
    {"accepted", "names with a call", PM_CELL_COUNT, PM_MEMBER(struct source_count, accepted)},
    {"chosen", "cases from it", PM_CELL_COUNT, PM_MEMBER(struct source_count, chosen)},
    {"values", "of them with values", PM_CELL_COUNT, PM_MEMBER(struct source_count, values)},
    {"absent", "why it was not used", PM_CELL_TEXT, PM_MEMBER(struct source_count, absent)},
};

static void add_sources(const struct pm_census *census, struct pm_report *report)
{
    struct pm_table *table = pm_table_new("sources", "Where the cases come from");
    pm_table_columns(table, source_columns, false);
    for (int tier = 0; tier < PM_TIER_COUNT; tier++) {
        struct source_count n = {.tier = (enum pm_tier)tier, .absent = census->absent[tier]};
        for (size_t i = 0; i < census->count; i++) {
            const struct pm_census_row *row = &census->rows[i];
            const bool chosen = has_case(row) && row->tier == n.tier;
            n.accepted += row->from[tier];
            n.chosen += chosen;
            n.values += chosen && row->status == PM_CENSUS_VALUES;
        }
        pm_table_row(table, &n, NULL);
    }
    pm_report_take_table(report, table);
}

static void tier_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_census_row *row = from->row;
    pm_table_text(table, has_case(row) ? pm_tier_text(row->tier) : "");
}

static void calls_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_census_row *row = from->row;
    const struct pm_sample_calls *calls = from->context;
    if (calls->scan)
        pm_table_count(table, pm_sample_calls_of(calls, row->name));
    else
        pm_table_empty(table);
}

static const struct pm_column name_columns[] = {
    {"name", "name", PM_CELL_NAME, PM_MEMBER(struct pm_census_row, name)},
    {"kind", "kind", PM_CELL_WORD, PM_WORD(struct pm_census_row, kind, name_kind)},
    {"status", "status", PM_CELL_WORD, PM_WORD(struct pm_census_row, status, census_status)},
    {"tier", "tier", PM_CELL_WORD, .cell = tier_cell},
    {"calls", "calls in scanned code", PM_CELL_COUNT, .cell = calls_cell},
    {"reason", "reason", PM_CELL_TEXT, PM_MEMBER(struct pm_census_row, reason)},
};

/* Adds the names with the status `only`; if `only` is NULL, every name. */
static void add_names(const struct pm_census *census, const struct pm_sample_calls *calls,
                      const enum pm_census_status *only, struct pm_report *report)
{
    struct pm_table *table = pm_table_new("names", "Names");
    pm_table_columns(table, name_columns, false);
    for (size_t i = 0; i < census->count; i++)
        if (pm_census_is_mine(census, &census->rows[i]) &&
            (!only || census->rows[i].status == *only))
            pm_table_row(table, &census->rows[i], calls);
    pm_report_take_table(report, table);
}

/* ---- making --------------------------------------------------------------------------------- */

struct making {
    const struct pm_census_options *o;
    struct pm_census census, older; /* `older`: earlier answers, with other settings */
    struct pm_census_journal journal;
    char *path; /* of the pack */
    struct pm_sample_calls calls;
    struct pm_progress progress;
    size_t chosen, asked, answered;
};

static bool is_chosen(const struct making *m, const struct pm_census_row *row)
{
    const struct pm_census_options *o = m->o;
    if (row->status == PM_CENSUS_NOT_MEASURED)
        return false;
    for (size_t i = 0; i < o->function_count; i++)
        if (!fnmatch(o->functions[i], row->name, 0))
            return true;
    return !o->function_count;
}

static json_t *sources_of(const struct pm_census_options *o)
{
    json_t *sources = json_array();
    for (int tier = PM_TIER_METADATA; tier < PM_TIER_COUNT; tier++)
        if (!o->only_source || o->source == (enum pm_tier)tier)
            json_array_append_new(sources, json_string(pm_tier_text((enum pm_tier)tier)));
    return sources;
}

/* Returns the settings on which the answer for a name depends, as one line of JSON. */
static char *settings_of(const struct making *m, const struct pm_environment *environment)
{
    json_t *settings = json_pack("{s:s, s:s?, s:o, s:f, s:b}", "environment", environment->name,
                                 "version", environment->version, "sources", sources_of(m->o),
                                 "seconds", m->o->seconds, "unconfined", m->o->unconfined);
    char *text = pm_json_text(settings);
    json_decref(settings);
    return text;
}

/* Returns what all shards of a census have in common. */
static json_t *plan_of(const struct making *m, const struct pm_environment *environment)
{
    const struct pm_digest names = pm_census_names(&m->census);
    json_t *functions = json_array();
    for (size_t i = 0; i < m->o->function_count; i++)
        json_array_append_new(functions, json_string(m->o->functions[i]));
    return json_pack("{s:s, s:s?, s:s, s:o, s:I, s:o, s:f, s:b}", "portmeter", PM_VERSION,
                     "version", environment->version, "names", names.hex, "functions", functions,
                     "limit", (json_int_t)m->o->limit, "sources", sources_of(m->o), "seconds",
                     m->o->seconds, "unconfined", m->o->unconfined);
}

/* Returns a request for the chosen names that the journal does not have. Without such names, a
 * shard still asks for the version of the framework. */
static json_t *request_of(struct making *m)
{
    json_t *functions = json_array();
    for (size_t i = 0; i < m->census.count; i++) {
        const struct pm_census_row *row = &m->census.rows[i];
        if (!is_chosen(m, row) || (m->o->limit && m->chosen >= m->o->limit))
            continue;
        m->chosen++;
        if (row->status == PM_CENSUS_NOT_TRIED && pm_census_is_mine(&m->census, row))
            json_array_append_new(functions, json_pack("{s:s, s:s}", "name", row->name, "kind",
                                                       pm_name_kind_text(row->kind)));
    }
    m->asked = json_array_size(functions);
    return json_pack("{s:o, s:o, s:f}", "functions", functions, "sources", sources_of(m->o),
                     "seconds", m->o->seconds);
}

static int take_answer(void *ctx, const char *line, struct pm_error *err)
{
    struct making *m = ctx;
    PM_TRY(pm_census_take(&m->census, line, err));
    PM_TRY(pm_census_journal_add(&m->journal, line, err));
    m->answered++;
    pm_progress_update(&m->progress, m->o->framework, m->answered - 1, m->asked, 0);
    return PM_OK;
}

static int make(struct making *m, const struct pm_environment *environment,
                const struct pm_messages *messages, struct pm_error *err)
{
    const struct pm_environment_trial trial = {.driver = "census.py",
                                               .purpose = "make cases",
                                               .request = request_of(m),
                                               .unconfined = m->o->unconfined};
    pm_progress_init(&m->progress, messages->out, messages->terminal);
    m->progress.what = "census";
    int rc = PM_OK;
    if (!m->chosen)
        rc = pm_error_set(err, PM_ENOTFOUND,
                          "no measurable name of %s matches --function: give another glob",
                          m->o->framework);
    else if (m->asked || !*m->census.version)
        rc = pm_environment_try(environment, &trial, take_answer, m, err);
    pm_progress_end(&m->progress);
    json_decref(trial.request);
    return rc;
}

/* Adds the results of names that were not tried now, from a pack of the same version. */
static void keep_packed(struct pm_census *census, const char *path)
{
    struct pm_census packed;
    struct pm_error ignored;
    if (pm_census_read(&packed, census->framework, path, &ignored))
        return;
    if (!strcmp(packed.version, census->version))
        pm_census_keep(census, &packed);
    pm_census_release(&packed);
}

/* Adds the results of names that were not tried now, from older censuses of the same version. */
static void keep_older(struct making *m)
{
    if (m->census.shard.count)
        return; /* the joined census keeps them */
    if (!strcmp(m->older.version, m->census.version))
        pm_census_keep(&m->census, &m->older);
    keep_packed(&m->census, m->path);
}

/* Writes a pack. That of a whole census has the reviewed cases that come with portmeter. */
static int write_pack(struct pm_census *census, const char *path, struct pm_error *err)
{
    char *home = NULL;
    if (!census->shard.count) {
        PM_TRY(pm_path_home(&home, err));
        char *folder = pm_path_join(home, "suites/used");
        const int rc = pm_census_review(census, folder, err);
        free(folder);
        free(home);
        PM_TRY(rc);
    }
    return pm_census_write(census, path, err);
}

/* Loads the names of the framework, which are recorded first if the database lacks them. The
 * database is closed again, so that several shards can be made at once with the same one. */
static int load_names(const struct making *m, const struct pm_environment *environment,
                      const struct pm_messages *messages, struct pm_stored_inventory *item,
                      struct pm_error *err)
{
    struct pm_store *store = NULL;
    if (pm_path_exists(m->o->db)) {
        PM_TRY(pm_store_open(&store, m->o->db, PM_STORE_READ, err));
        const int rc = pm_stored_inventory_recorded(store, m->o->framework, item, err);
        pm_store_free(store);
        if (rc || item->id)
            return rc;
    }
    PM_TRY(pm_store_open(&store, m->o->db, PM_STORE_WRITE, err));
    const int rc = pm_survey__new_inventory(store, environment, messages, item, err);
    pm_store_free(store);
    return rc;
}

static int plan(struct making *m, const struct pm_environment *environment,
                const struct pm_messages *messages, struct pm_error *err)
{
    struct pm_stored_inventory item = {0};
    struct pm_census_rules rules = {0};
    int rc = load_names(m, environment, messages, &item, err);
    if (!rc)
        rc = pm_census_rules_load(&rules, err);
    if (!rc) {
        pm_census_plan(&m->census, &item.inventory, &rules);
        pm_census_plan(&m->older, &item.inventory, &rules);
    }
    pm_census_rules_release(&rules);
    pm_stored_inventory_release(&item);
    return rc;
}

/* If there are earlier answers, adds to the error where they are stored. Returns `rc`. */
static int add_advice(const struct pm_census_journal *journal, int rc, struct pm_error *err)
{
    const struct pm_error why = *err;
    return journal->names ? pm_error_set(err, rc,
                                         "%s; the answers so far are in '%s': run the command "
                                         "again to continue from there",
                                         why.text, journal->path)
                          : rc;
}

/* Tries the names that the journal lacks, and writes the pack. */
static int continue_census(struct making *m, const struct pm_environment *environment,
                           const struct pm_messages *messages, struct pm_error *err)
{
    char *settings = settings_of(m, environment);
    int rc =
        pm_census_journal_open(&m->journal, m->o->folder, settings, &m->census, &m->older, err);
    free(settings);
    if (!rc && m->journal.taken)
        pm_line_print(messages->out, "census      tried before: %zu name%s, in '%s'",
                      m->journal.taken, pm_plural(m->journal.taken), m->journal.path);
    if (!rc)
        rc = make(m, environment, messages, err);
    if (!rc) {
        keep_older(m);
        rc = write_pack(&m->census, m->path, err);
    }
    if (rc)
        rc = add_advice(&m->journal, rc, err);
    pm_census_journal_close(&m->journal, !rc);
    return rc;
}

/* Sets *made to whether the file of the shard has it already, and then reads it. */
static int begin_shard(struct making *m, const struct pm_environment *environment,
                       const struct pm_messages *messages, bool *made, struct pm_error *err)
{
    struct pm_census before;
    const struct pm_shard *shard = &m->o->shard;
    m->census.shard = m->older.shard = *shard;
    m->census.plan = plan_of(m, environment);
    m->census.command = pm_strdup(m->o->command_line);
    if (!pm_path_exists(m->path))
        return PM_OK;
    PM_TRY(pm_census_read(&before, m->o->framework, m->path, err));
    if (!json_equal(before.plan, m->census.plan)) {
        pm_census_release(&before);
        return pm_error_set(err, PM_EUSAGE,
                            "'%s' has shard %u/%u of another census (other names, options or "
                            "versions): remove it, or name another folder with --folder",
                            m->path, shard->number, shard->count);
    }
    pm_line_print(messages->out, "shard       %u/%u is made already: '%s'", shard->number,
                  shard->count, m->path);
    pm_census_release(&m->census);
    m->census = before;
    *made = true;
    return PM_OK;
}

static int make_all(struct making *m, const struct pm_messages *messages, struct pm_error *err)
{
    struct pm_environments list = {0};
    const struct pm_environment *environment = NULL;
    PM_TRY(pm_environments_load(&list, err));
    int rc = pm_environments_choose(&list, m->o->framework, m->o->environment, &environment, err);
    if (!rc)
        rc = plan(m, environment, messages, err);
    bool made = false;
    if (!rc && m->o->shard.count)
        rc = begin_shard(m, environment, messages, &made, err);
    if (!rc && !made)
        rc = continue_census(m, environment, messages, err);
    pm_environments_release(&list);
    return rc;
}

static int read(struct making *m, struct pm_error *err)
{
    char *home = NULL;
    if (!m->o->folder)
        PM_TRY(pm_census_home(&home, err));
    m->path = pm_census_path(m->o->framework, &(struct pm_shard){0}, home ? home : m->o->folder);
    free(home);
    return pm_census_read(&m->census, m->o->framework, m->path, err);
}

static struct pm_report *describe(const struct making *m)
{
    const struct pm_shard *shard = &m->census.shard;
    char *of =
        shard->count ? pm_format(", shard %u/%u", shard->number, shard->count) : pm_strdup("");
    char *title = pm_format("Census of %s %s%s", m->census.framework, m->census.version, of);
    struct pm_report *report = pm_report_new(title);
    free(of);
    if (m->calls.scan) {
        char *line = pm_format("scan %lld of '%s'", (long long)m->calls.scan, m->o->db);
        pm_report_line(report, "calls", line);
        free(line);
    }
    add_coverage(&m->census, &m->calls, report);
    add_sources(&m->census, report);
    if (m->o->status || m->o->format == PM_FORMAT_JSON)
        add_names(&m->census, &m->calls, m->o->status, report);
    free(title);
    return report;
}

/* Loads how often scanned code calls each name, if there is a database. */
static int load_calls(struct making *m, struct pm_error *err)
{
    struct pm_store *store = NULL;
    if (!pm_path_exists(m->o->db))
        return PM_OK;
    PM_TRY(pm_store_open(&store, m->o->db, PM_STORE_READ, err));
    const int rc = pm_sample_calls_load(&m->calls, store, m->o->framework, err);
    pm_store_free(store);
    return rc;
}

int pm_survey_census(const struct pm_census_options *o, const struct pm_messages *messages,
                     struct pm_error *err)
{
    struct making m = {.o = o};
    const struct pm_framework *known;
    PM_TRY(pm_framework_need(o->framework, &known, err));
    m.path = o->show ? NULL : pm_census_path(o->framework, &o->shard, o->folder);
    int rc = o->show ? read(&m, err) : make_all(&m, messages, err);
    if (!rc)
        rc = load_calls(&m, err);
    if (!rc) {
        struct pm_report *report = describe(&m);
        rc = pm_report_write(report, o->format, o->width, o->colour, o->output, err);
        pm_report_free(report);
    }
    pm_sample_calls_release(&m.calls);
    pm_census_release(&m.census);
    pm_census_release(&m.older);
    free(m.path);
    return rc;
}

/* ---- joining -------------------------------------------------------------------------------- */

static void say_joined(const struct pm_census *census, const char *into)
{
    size_t tried = 0, measurable = 0;
    for (size_t i = 0; i < census->count; i++) {
        measurable += census->rows[i].status != PM_CENSUS_NOT_MEASURED;
        tried += census->rows[i].status <= PM_CENSUS_NO_CASE;
    }
    pm_line_print(stdout, "census of %s %s in '%s': %zu of %zu measurable names were tried",
                  census->framework, census->version, into, tried, measurable);
}

int pm_survey_join_census(const char *const *paths, size_t count, const char *into,
                          struct pm_error *err)
{
    struct pm_census *shards = pm_alloc((count + 1) * sizeof *shards);
    size_t read = 0;
    int rc = PM_OK;
    for (; !rc && read < count; read += !rc)
        rc = pm_census_read(&shards[read], NULL, paths[read], err);
    if (!rc)
        rc = pm_census_join(shards, paths, count, err);
    if (!rc) {
        keep_packed(&shards[0], into);
        rc = write_pack(&shards[0], into, err);
    }
    if (!rc)
        say_joined(&shards[0], into);
    for (size_t i = 0; i < read; i++)
        pm_census_release(&shards[i]);
    free(shards);
    return rc;
}
