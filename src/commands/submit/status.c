/* Finds the progress of the shards of a submission, from their databases, their logs and Slurm's
 * queue. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/line.h"
#include "process/process.h"
#include "report/table_columns.h"
#include "report/write.h"
#include "store/runs.h"
#include "store/shards.h"
#include "submit/submit_private.h"

PM_WORDS_DEFINE(shard_state, PM_SUBMIT__STATES, PM_SHARD);

/* ---- Slurm's queue --------------------------------------------------------------------------- */

static void take_state(struct shard_status *shard, const char *bar)
{
    shard->state = !strncmp(bar + 1, "RUNNING", 7) || !strncmp(bar + 1, "COMPLETING", 10)
                       ? PM_SHARD_MEASURING
                       : PM_SHARD_QUEUED;
    free(shard->text);
    struct pm_str text = PM_STR_INIT;
    const char *node = strchr(bar + 1, '|');
    if (node && node[1] != '|')
        pm_str_addf(&text, "on %.*s", (int)strcspn(node + 1, "|"), node + 1);
    shard->text = pm_str_detach(&text);
}

/* Reads a line of squeue: "12_3|RUNNING|node|reason" of a job of the array, or
 * "13|PENDING||Dependency" of the merge job. */
static void take_line(const struct submission *s, struct shard_statuses *out, const char *line)
{
    const char *under = strchr(line, '_'), *bar = strchr(line, '|');
    const long job = under && bar && under < bar ? strtol(under + 1, NULL, 10) : 0;
    out->active = true;
    if (job < 1 || (size_t)job > out->count)
        return;
    const size_t first = (size_t)(job - 1) * s->per_job;
    for (size_t i = first; i < first + s->per_job && i < out->count; i++)
        take_state(&out->items[i], bar);
}

static int read_queue(const struct submission *s, struct shard_statuses *out, struct pm_error *err)
{
    char *jobs = pm_format("--jobs=%s%s%s", s->array_job, *s->merge_job ? "," : "", s->merge_job);
    const char *const argv[] = {"squeue", "--noheader",           "--array",
                                jobs,     "--format=%i|%T|%N|%r", NULL};
    const struct pm_process_plan plan = {.argv = argv, .awaited = "squeue"};
    const struct pm_process_watch watch = {.timeout_ms = 30000};
    struct pm_process_end end = {0};
    int rc = pm_process_run(&plan, &watch, &end, err);
    free(jobs);
    if (rc)
        return rc == PM_ENOTFOUND ? PM_OK : rc; /* this machine has no Slurm */
    char *rest = end.output.data;
    /* squeue fails if Slurm has forgotten all these jobs: they ended a while ago. */
    for (char *line; end.status == 0 && (line = strsep(&rest, "\n"));)
        if (*line)
            take_line(s, out, line);
    pm_process_end_release(&end);
    return PM_OK;
}

/* ---- a shard's files ------------------------------------------------------------------------- */

struct newest {
    int64_t id;
    bool done;
};

static int keep_newest(void *ctx, const struct pm_run_row *row)
{
    *(struct newest *)ctx =
        (struct newest){row->id, row->state == PM_RUN_DONE && row->validity == PM_VALIDITY_VALID};
    return PM_OK;
}

/* Reads the state of a shard of a scan from its database, which has a row for the shard only if the
 * shard is complete. */
static int keep_scan_shard(void *ctx, const struct pm_scan_shard_row *row)
{
    struct shard_status *shard = ctx;
    if (row->number == shard->number) {
        shard->is_scanned = true;
        shard->done = shard->planned = row->projects;
    }
    return PM_OK;
}

/* Reads the progress of a shard from its database, and returns whether the shard is complete.
 * Ignores a database that cannot be read, because it is being written or is damaged. */
static bool read_database(const struct submission *s, struct shard_status *shard)
{
    struct pm_store *store = NULL;
    struct pm_run_progress progress = {0};
    struct newest newest = {0};
    char *path = pm_format("%s/shard-%lld.db", s->folder, (long long)shard->number);
    int rc = pm_path_exists(path) ? pm_store_open_unchanged(&store, path, NULL) : PM_ENOTFOUND;
    if (!rc)
        rc = pm_store_runs(store, keep_newest, &newest, NULL);
    if (!rc && newest.id)
        rc = pm_store_run_progress(store, newest.id, &progress, NULL);
    shard->done = rc ? 0 : progress.done;
    shard->planned = rc ? 0 : progress.planned;
    if (!rc && !newest.id)
        rc = pm_store_scan_shards(store, 0, keep_scan_shard, shard, NULL);
    pm_store_free(store);
    free(path);
    return !rc && (newest.done || shard->is_scanned);
}

/* Reads a count with commas, as in "measuring   1,204/2,608  ...", and moves *at after it. */
static int64_t read_count(const char **at)
{
    int64_t count = 0;
    for (; (**at >= '0' && **at <= '9') || **at == ','; ++*at)
        if (**at != ',' && count < INT64_MAX / 100)
            count = count * 10 + (**at - '0');
    return count;
}

/* Reads the progress of a shard from a line of its log. A shard that measures on a local disk shows
 * its current progress only there. */
static void read_progress(const char *line, struct shard_status *shard)
{
    static const char word[] = "measuring";
    if (strncmp(line, word, strlen(word)) != 0)
        return;
    const char *at = line + strlen(word);
    at += strspn(at, " ");
    const int64_t done = read_count(&at);
    if (*at++ != '/')
        return;
    shard->done = done;
    shard->planned = read_count(&at);
}

/* Returns the last line of a shard's log that is neither empty nor its exit status, made safe for a
 * terminal; "" if there is none. The caller frees the text. *is_empty: the shard has no function.
 */
static char *last_line(const struct submission *s, int64_t number, bool *is_empty)
{
    enum { LONGEST = 300 };
    struct pm_str text = PM_STR_INIT, line = PM_STR_INIT;
    char *path = pm_format("%s/shard-%lld.log", s->folder, (long long)number);
    *is_empty = false;
    if (pm_path_exists(path) && pm_file_read(path, &text, NULL) == PM_OK) {
        *is_empty = strstr(text.data, "has no function: nothing to measure") != NULL;
        for (size_t end = text.length; end > 0 && !line.length;) {
            while (end > 0 && strchr(" \r\n", text.data[end - 1]))
                end--;
            text.data[end] = '\0';
            const char *newline = strrchr(text.data, '\n');
            const char *start = newline ? newline + 1 : text.data;
            if (strncmp(start, "portmeter exit status", 21) != 0)
                pm_line_add(&line, start, LONGEST);
            end = newline ? (size_t)(newline - text.data) : 0;
        }
    }
    free(path);
    pm_str_release(&text);
    return pm_str_detach(&line);
}

static void look_at(const struct submission *s, struct shard_status *shard)
{
    const bool done = read_database(s, shard);
    bool is_empty;
    if (done && s->per_job > 1)
        shard->state = PM_SHARD_WAITING; /* Slurm still has its job because of the other shards */
    if (shard->state == PM_SHARD_MEASURING) {
        char *line = last_line(s, shard->number, &is_empty);
        read_progress(line, shard);
        free(line);
    }
    if (shard->state != PM_SHARD_WAITING)
        return; /* Slurm has the job */
    if (done) {
        shard->state = PM_SHARD_DONE;
        return;
    }
    free(shard->text);
    shard->text = last_line(s, shard->number, &is_empty);
    if (is_empty) {
        shard->state = PM_SHARD_EMPTY;
        *shard->text = '\0';
    } else if (*s->array_job)
        shard->state = PM_SHARD_FAILED;
}

int pm_submit__look(const struct submission *s, struct shard_statuses *out, struct pm_error *err)
{
    *out = (struct shard_statuses){.items = pm_alloc(s->shards * sizeof *out->items),
                                   .count = s->shards};
    for (unsigned i = 0; i < s->shards; i++)
        out->items[i] = (struct shard_status){.number = i + 1, .text = pm_strdup("")};
    const int rc = *s->array_job ? read_queue(s, out, err) : PM_OK;
    for (unsigned i = 0; i < s->shards && !rc; i++)
        look_at(s, &out->items[i]);
    if (rc)
        pm_submit__statuses_release(out);
    return rc;
}

void pm_submit__statuses_release(struct shard_statuses *statuses)
{
    for (size_t i = 0; i < statuses->count; i++)
        free(statuses->items[i].text);
    free(statuses->items);
    *statuses = (struct shard_statuses){0};
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct pm_column columns[] = {
    {"shard", "shard", PM_CELL_COUNT, PM_MEMBER(struct shard_status, number)},
    {"state", "state", PM_CELL_TEXT, PM_WORD(struct shard_status, state, shard_state)},
    {"done", "done", PM_CELL_COUNT, PM_MEMBER(struct shard_status, done)},
    {"planned", "of planned", PM_CELL_COUNT, PM_MEMBER(struct shard_status, planned)},
    {"says", "node, or last line of the log", PM_CELL_TEXT, PM_MEMBER(struct shard_status, text)},
};

int pm_submit_status(const char *into, enum pm_report_format format, unsigned width,
                     struct pm_error *err)
{
    struct submission s;
    struct shard_statuses statuses;
    PM_TRY(pm_submit__read(into, &s, err));
    int rc = pm_submit__look(&s, &statuses, err);
    if (!rc) {
        char *title = pm_format("Shards of '%s'", into);
        struct pm_report *report = pm_report_new(title);
        struct pm_table *table = pm_table_new(
            "shards", "Executions, or projects of a scan, in the database of each shard");
        pm_table_columns(table, columns, false);
        for (size_t i = 0; i < statuses.count; i++)
            pm_table_row(table, &statuses.items[i], NULL);
        pm_report_take_table(report, table);
        rc = pm_report_write(report, format, width, false, NULL, err);
        pm_report_free(report);
        free(title);
        pm_submit__statuses_release(&statuses);
    }
    pm_submit__release(&s);
    return rc;
}
