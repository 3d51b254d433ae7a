/* Stores published numbers and imported tests. */
#include "published/importing.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/privacy.h"
#include "published/publication.h"
#include "published/pytest.h"
#include "store/published.h"
#include "store/runs.h"
#include "store/targets.h"

/* ---- a run of kind published ---------------------------------------------------------------- */

struct importing {
    struct pm_store *store;
    struct pm_error *err;
    const char *db;
    struct pm_digest digest; /* digest of the source */
    const char *source;      /* describes the source in one line */
    int64_t same;            /* run with the same digest and source; 0: none */
};

static int find_same(void *ctx, const struct pm_run_row *row)
{
    struct importing *i = ctx;
    if (row->kind == PM_RUN_KIND_PUBLISHED && !strcmp(row->suite_digest, i->digest.hex) &&
        !strcmp(row->source, i->source))
        i->same = row->id;
    return PM_OK;
}

/* Adds the run in the open transaction. PM_EUSAGE if the database already has one with the same
 * source. */
static int add_run(struct importing *i, const json_t *options, int64_t *id)
{
    char now[25];
    struct pm_digest uuid;
    PM_TRY(pm_store_runs(i->store, find_same, i, i->err));
    if (i->same)
        return pm_error_set(i->err, PM_EUSAGE,
                            "run %lld of '%s' already has these results: remove it first with "
                            "portmeter runs remove %lld",
                            (long long)i->same, i->db, (long long)i->same);
    PM_TRY(pm_digest_random(&uuid, i->err));
    pm_clock_iso(now);
    char *text = pm_json_text(options);
    const struct pm_run_row run = {
        .uuid = uuid.hex,
        .started = now,
        .finished = now,
        .state = PM_RUN_DONE,
        .options = text,
        .suite_digest = i->digest.hex,
        .kind = PM_RUN_KIND_PUBLISHED,
        .source = i->source,
    };
    const int rc = pm_store_add_run(i->store, &run, id, i->err);
    free(text);
    return rc;
}

/* Opens the database and calls `store_it` in one transaction. */
static int in_transaction(struct importing *i, int (*store_it)(struct importing *i, void *ctx),
                          void *ctx)
{
    PM_TRY(pm_store_open(&i->store, i->db, PM_STORE_WRITE, i->err));
    int rc = pm_store_begin(i->store, i->err);
    if (!rc)
        rc = pm_store_settle(i->store, store_it(i, ctx), i->err);
    pm_store_free(i->store);
    return rc;
}

/* ---- the paper ------------------------------------------------------------------------------ */

struct paper {
    struct pm_publication numbers;
    struct pm_imported_paper *out;
};

/* Counts the cells that the paper prints. The other cells are portmeter's own. */
static size_t count_printed(const struct pm_publication *p)
{
    static const char *const own[] = {"name", "stratum", "untimed"};
    size_t count = p->count;
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            count -= !strcmp(p->cells[i].table, own[k]);
    return count;
}

static int store_paper(struct importing *i, void *ctx)
{
    const struct paper *paper = ctx;
    json_t *options = json_pack("{s:s}", "import", "paper");
    int rc = add_run(i, options, &paper->out->run_id);
    json_decref(options);
    for (size_t k = 0; !rc && k < paper->numbers.count; k++) {
        const struct pm_publication_cell *cell = &paper->numbers.cells[k];
        const struct pm_published_row row = {
            .run_id = paper->out->run_id,
            .table = cell->table,
            .line = cell->line,
            .subject = cell->subject,
            .item = cell->item,
            .text = cell->text,
            .value = cell->value,
        };
        rc = pm_store_add_published(i->store, &row, i->err);
    }
    paper->out->numbers = count_printed(&paper->numbers);
    return rc;
}

int pm_import_paper(const char *db, struct pm_imported_paper *out, struct pm_error *err)
{
    struct importing i = {
        .err = err,
        .db = db,
        .source =
            "The Grand Illusion (Mince and others 2023, arXiv 2309.07181), its printed numbers",
    };
    struct paper paper = {.out = out};
    *out = (struct pm_imported_paper){0};
    PM_TRY(pm_publication_read_paper(&paper.numbers, &i.digest, err));
    const int rc = in_transaction(&i, store_paper, &paper);
    pm_publication_release(&paper.numbers);
    return rc;
}

/* ---- reports of pytest ---------------------------------------------------------------------- */

struct reports {
    const struct pm_import_pytest *what;
    struct pm_imported_pytest *out;
    struct pm_pytest_report report;
    struct pm_pytest_timings *timings; /* one per file */
    struct pm_map by_key;              /* by "file.py:test": index of the test + 1 */
};

static int read_limited(const char *path, struct pm_str *out, struct pm_error *err)
{
    struct stat about;
    if (!stat(path, &about) && about.st_size > PM_PYTEST_MOST_BYTES)
        return pm_error_set(err, PM_EFORMAT,
                            "'%s' is larger than portmeter's limit of 256 MiB: import fewer tests",
                            path);
    return pm_file_read(path, out, err);
}

/* Adds a test without an outcome for each test of a timing file that the report does not have. */
static void add_unreported(struct reports *r)
{
    for (size_t f = 0; f < r->what->timing_count; f++)
        for (size_t k = 0; k < r->timings[f].count; k++) {
            const char *key = r->timings[f].items[k].key;
            if (pm_map_has(&r->by_key, key))
                continue;
            pm_pytest_add(&r->report, key);
            pm_map_put(&r->by_key, key, (void *)(uintptr_t)r->report.count);
            r->out->unreported++;
        }
}

static void count_functions(struct reports *r)
{
    struct pm_map functions = {0};
    for (size_t i = 0; i < r->report.count; i++)
        pm_map_put(&functions, r->report.tests[i].function, r);
    r->out->functions = functions.count;
    pm_map_release(&functions);
}

/* Reads the report, if there is one, computes its digest, and maps its tests by key. */
static int read_report(struct reports *r, struct pm_digest *digest, struct pm_error *err)
{
    struct pm_str bytes = PM_STR_INIT;
    if (!r->what->report)
        return PM_OK;
    int rc = read_limited(r->what->report, &bytes, err);
    if (!rc && (rc = pm_pytest_parse(bytes.data, bytes.length, &r->report, err)))
        pm_error_prefix(err, rc, "'%s'", r->what->report);
    *digest = pm_digest_bytes(bytes.data, bytes.length);
    pm_str_release(&bytes);
    if (rc)
        return rc;
    r->out->tests = r->report.count;
    for (size_t i = 0; i < r->report.count; i++) {
        const struct pm_pytest_test *t = &r->report.tests[i];
        char *key = pm_format("%s:%s", t->file, t->test);
        pm_map_put(&r->by_key, key, (void *)(uintptr_t)(i + 1));
        free(key);
    }
    return PM_OK;
}

/* Reads the timing files. If there is no report, *digest becomes that of the timing files. */
static int read_timings(struct reports *r, struct pm_digest *digest, struct pm_error *err)
{
    struct pm_str all = PM_STR_INIT;
    for (size_t f = 0; f < r->what->timing_count; f++) {
        struct pm_str bytes = PM_STR_INIT;
        int rc = read_limited(r->what->timings[f], &bytes, err);
        if (!rc && (rc = pm_pytest_parse_timings(bytes.data, bytes.length, &r->timings[f], err)))
            pm_error_prefix(err, rc, "'%s'", r->what->timings[f]);
        const struct pm_digest one = pm_digest_bytes(bytes.data, bytes.length);
        pm_str_release(&bytes);
        if (rc) {
            pm_str_release(&all);
            return rc;
        }
        pm_str_add(&all, one.hex);
    }
    if (!r->what->report)
        *digest = pm_digest_bytes(all.data, all.length);
    pm_str_release(&all);
    return PM_OK;
}

static int add_target(struct importing *i, const struct reports *r, int64_t *id)
{
    char *text = pm_format("%s@%s", r->what->framework, r->what->device);
    const struct pm_target_row target = {
        .run_id = r->out->run_id,
        .text = text,
        .framework = r->what->framework,
        .device = r->what->device,
        .role = PM_ROLE_SUBJECT,
        .evidence = PM_EVIDENCE_EXECUTED,
        .latencies = r->what->timing_count > 0,
        .version = r->what->version,
    };
    const int rc = pm_store_add_target(i->store, &target, id, i->err);
    free(text);
    return rc;
}

static int store_tests(struct importing *i, const struct reports *r, int64_t target, int64_t *ids)
{
    for (size_t k = 0; k < r->report.count; k++) {
        const struct pm_pytest_test *t = &r->report.tests[k];
        char *name = pm_format("%s::%s", t->file, t->inside);
        const struct pm_imported_test_row row = {
            .run_id = r->out->run_id,
            .target_id = target,
            .function = t->function,
            .name = name,
            .outcome = t->outcome,
            .stage = t->stage,
            .type = t->type,
            .message = t->message,
            .excluded = t->other_device ? "named for another device" : "",
        };
        const int rc = pm_store_add_imported_test(i->store, &row, &ids[k], i->err);
        free(name);
        PM_TRY(rc);
    }
    return PM_OK;
}

/* Stores the times of all tests. If several classes of a file have a test of the same name, the
 * last test gets the times, because pytest ran it last and overwrote the times of the others. */
static int store_times(struct importing *i, const struct reports *r, const int64_t *ids)
{
    bool *timed = pm_alloc(r->report.count * sizeof *timed);
    int rc = PM_OK;
    for (size_t f = 0; f < r->what->timing_count; f++)
        for (size_t k = 0; !rc && k < r->timings[f].count; k++) {
            const struct pm_pytest_timing *t = &r->timings[f].items[k];
            const size_t test = (uintptr_t)pm_map_get(&r->by_key, t->key) - 1;
            const struct pm_imported_timing_row row = {
                .test_id = ids[test],
                .repetition = (int64_t)f,
                .times = t->times,
                .count = t->count,
                .whole_ns = t->whole_ns,
            };
            timed[test] |= t->count > 0;
            rc = pm_store_add_imported_timing(i->store, &row, i->err);
        }
    for (size_t k = 0; k < r->report.count; k++)
        r->out->timed += timed[k];
    free(timed);
    return rc;
}

static json_t *path_json(const char *path)
{
    char *hidden = pm_privacy_hidden(path);
    json_t *json = json_string(hidden);
    free(hidden);
    return json;
}

static json_t *options_of(const struct pm_import_pytest *what)
{
    json_t *timings = json_array();
    for (size_t i = 0; i < what->timing_count; i++)
        json_array_append_new(timings, path_json(what->timings[i]));
    char *target = pm_format("%s@%s", what->framework, what->device);
    json_t *options = json_pack("{s:s, s:o, s:o, s:[s]}", "import", "pytest", "report",
                                what->report ? path_json(what->report) : json_null(), "timings",
                                timings, "targets", target);
    free(target);
    return options;
}

static int store_reports(struct importing *i, void *ctx)
{
    const struct reports *r = ctx;
    json_t *options = options_of(r->what);
    int64_t target, *ids = pm_alloc((r->report.count + 1) * sizeof *ids);
    int rc = options ? add_run(i, options, &r->out->run_id)
                     : pm_error_set(i->err, PM_EUSAGE,
                                    "the name of a file to import is not UTF-8: rename the file");
    if (!rc)
        rc = add_target(i, r, &target);
    if (!rc)
        rc = store_tests(i, r, target, ids);
    if (!rc)
        rc = store_times(i, r, ids);
    json_decref(options);
    free(ids);
    return rc;
}

static int check_name(const char *what, const char *name, struct pm_error *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
    if (*name && strlen(name) <= 64 && strspn(name, letters) == strlen(name))
        return PM_OK;
    return pm_error_set(err, PM_EUSAGE,
                        "invalid %s '%s': use up to 64 lower-case letters, digits, '-' and '_'",
                        what, name);
}

static int import_read(struct reports *r, struct importing *i)
{
    PM_TRY(read_report(r, &i->digest, i->err));
    PM_TRY(read_timings(r, &i->digest, i->err));
    add_unreported(r);
    r->out->excluded = pm_pytest_exclude(&r->report, r->what->device);
    count_functions(r);
    return in_transaction(i, store_reports, r);
}

int pm_import_pytest(const struct pm_import_pytest *what, struct pm_imported_pytest *out,
                     struct pm_error *err)
{
    PM_TRY(check_name("framework", what->framework, err));
    PM_TRY(check_name("device", what->device, err));
    *out = (struct pm_imported_pytest){0};
    char *source = pm_format("%s for %s@%s", what->report ? "report of pytest" : "timing files",
                             what->framework, what->device);
    struct importing i = {.err = err, .db = what->db, .source = source};
    struct reports r = {.what = what, .out = out};
    r.timings = pm_alloc((what->timing_count + 1) * sizeof *r.timings);
    const int rc = import_read(&r, &i);
    for (size_t f = 0; f < what->timing_count; f++)
        pm_pytest_timings_release(&r.timings[f]);
    free(r.timings);
    pm_pytest_release(&r.report);
    pm_map_release(&r.by_key);
    free(source);
    return rc;
}
