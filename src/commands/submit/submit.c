/* Submits the shards of a command to Slurm, and follows their jobs. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/plural.h"
#include "base/stop.h"
#include "environment/environment.h"
#include "process/process.h"
#include "store/store.h"
#include "submit/submit_private.h"
#include "text/progress.h"

/* ---- what can be submitted ------------------------------------------------------------------- */

static bool begins(const char *word, const char *option)
{
    const size_t length = strlen(option);
    return !strncmp(word, option, length) && (!word[length] || word[length] == '=');
}

/* Refuses a command that submit does not divide. */
static int refuse_command(const char *command, struct pm_error *err)
{
    static const char *const divided[] = {"run", "study", "scan"};
    return *command ? pm_nearest_error(err, PM_EUSAGE, command, divided,
                                       sizeof divided / sizeof *divided, "use run, study or scan",
                                       "submit does not divide '%s'", command)
                    : pm_error_set(err, PM_EUSAGE,
                                   "no command is given: use, for example, portmeter submit "
                                   "--shards 8 -- run --target %s",
                                   pm_frameworks(NULL)->suite_reference);
}

static int check_words(const struct pm_submit_options *o, struct pm_error *err)
{
    static const char *const own[] = {"--shard",  "--db",         "--local",
                                      "--resume", "--foreground", "--dry-run"};
    const char *command = o->word_count ? o->words[0] : "";
    if (strcmp(command, "run") != 0 && strcmp(command, "study") != 0 && !pm_submit__is_scan(o))
        return refuse_command(command, err);
    for (size_t i = 1; i < o->word_count; i++) {
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            if (begins(o->words[i], own[k]))
                return pm_error_set(err, PM_EUSAGE,
                                    "%s is not allowed in a submitted command: omit it", own[k]);
        if (!strcmp(o->words[i], "--yes") || !strcmp(o->words[i], "-y"))
            return pm_error_set(err, PM_EUSAGE,
                                "jobs download nothing, so --yes has no effect in them: omit it, "
                                "and run portmeter env create first");
    }
    return PM_OK;
}

/* Returns the value of an option at words[i], from after '=' or from the next word. NULL if
 * words[i] is not this option. */
static const char *value_of(const struct pm_submit_options *o, size_t i, const char *name,
                            const char *letter)
{
    if (begins(o->words[i], name) && o->words[i][strlen(name)] == '=')
        return o->words[i] + strlen(name) + 1;
    return (!strcmp(o->words[i], name) || !strcmp(o->words[i], letter)) && i + 1 < o->word_count
               ? o->words[i + 1]
               : NULL;
}

static int check_environment(const struct pm_environments *have, const char *name,
                             struct pm_error *err)
{
    return pm_environments_find(have, name)
               ? PM_OK
               : pm_error_set(err, PM_ENOTFOUND,
                              "environment '%s' is missing, and jobs download nothing: make '%s' "
                              "here with portmeter env create or portmeter env add",
                              name, name);
}

static int check_target(const struct pm_environments *have, const char *text, struct pm_error *err)
{
    struct pm_target target;
    PM_TRY(pm_target_parse(text, &target, err));
    const int rc = check_environment(have, target.environment, err);
    pm_target_release(&target);
    return rc;
}

static int check_frameworks(const struct pm_environments *have, const char *names,
                            struct pm_error *err)
{
    char *copy = pm_strdup(names), *rest = copy;
    int rc = PM_OK;
    for (char *name; !rc && (name = strsep(&rest, ","));)
        rc = check_environment(have, name, err);
    free(copy);
    return rc;
}

/* Checks that the environments that the command needs exist here. They must be in a folder that all
 * nodes share. */
static int check_environments(const struct pm_submit_options *o, struct pm_error *err)
{
    struct pm_environments have = {0};
    int rc = pm_environments_load(&have, err);
    for (size_t i = 1; i < o->word_count && !rc; i++) {
        const char *target = value_of(o, i, "--target", "-t");
        const char *framework = value_of(o, i, "--framework", "-F");
        if (target)
            rc = check_target(&have, target, err);
        else if (framework)
            rc = check_frameworks(&have, framework, err);
    }
    pm_environments_release(&have);
    return rc;
}

/* Checks the options of a scan. --names is required, because jobs record no inventory. --uses and
 * --format jsonl are refused, because each job would write its own uses. */
static int check_scan(const struct pm_submit_options *o, struct pm_error *err)
{
    const char *names = NULL;
    for (size_t i = 1; i < o->word_count; i++) {
        const char *value = value_of(o, i, "--names", "--names");
        const char *format = value_of(o, i, "--format", "--format");
        names = value ? value : names;
        if (begins(o->words[i], "--uses") || (format && !strcmp(format, "jsonl")))
            return pm_error_set(
                err, PM_EUSAGE,
                "--uses and --format jsonl are not possible with submit, because each job "
                "would write its own uses: use --store-uses");
    }
    return names ? pm_store_expect(names, err)
                 : pm_error_set(err, PM_EUSAGE,
                                "jobs record no inventory: run portmeter inventory here, and name "
                                "its database with --names after scan");
}

/* Refuses a path that Slurm would change in the name of a log: it replaces % and backslashes, and
 * ends the name at a quote. */
static int check_folder(const struct pm_submit_options *o, struct pm_error *err)
{
    char *folder = pm_path_absolute(o->into);
    const char *at = strpbrk(folder, "\"\\%\r\n");
    const char found = at ? *at : '\0';
    free(folder);
    if (!found)
        return PM_OK;
    return pm_error_set(err, PM_EUSAGE,
                        "the path of '%s' contains %s, which Slurm does not accept in the name of "
                        "a log: name another database with --into",
                        o->into,
                        found == '"'    ? "a quote"
                        : found == '\\' ? "a backslash"
                        : found == '%'  ? "a percent sign"
                                        : "a line break");
}

/* Returns a time limit in seconds. `text` has a form of sbatch: minutes, minutes:seconds,
 * hours:minutes:seconds, or days-hours[:minutes[:seconds]]. Returns -1 for another form. */
static long long limit_s(const char *text)
{
    unsigned days = 0, part[3] = {0};
    const char *dash = strchr(text, '-');
    int end = 0;
    if (dash && (sscanf(text, "%u-%n", &days, &end) != 1 || text + end != dash + 1))
        return -1;
    const char *times = dash ? dash + 1 : text;
    if (!*times || times[strspn(times, "0123456789:")])
        return -1;
    const int parts = sscanf(times, "%u:%u:%u", &part[0], &part[1], &part[2]);
    const bool from_hours = dash || parts == 3;
    const long long first = from_hours ? 3600 : 60;
    return days * 86400LL + part[0] * first + part[1] * (first / 60) + part[2];
}

/* Refuses a time limit that is not longer than PM_SUBMIT__GRACE_S. Slurm sends SIGTERM that long
 * before the limit, so the job would stop at once, each time that it is queued. 0 means no limit.
 */
static int check_limit(const struct pm_submit_options *o, struct pm_error *err)
{
    static const char name[] = "--time=";
    for (size_t i = 0; i < o->slurm_count; i++) {
        if (strncmp(o->slurm[i], name, strlen(name)) != 0)
            continue;
        const char *text = o->slurm[i] + strlen(name);
        const long long seconds = limit_s(text);
        if (seconds > 0 && seconds <= PM_SUBMIT__GRACE_S)
            return pm_error_set(err, PM_EUSAGE,
                                "--time %s is too short: jobs stop %d s before their limit, so "
                                "give several minutes",
                                text, PM_SUBMIT__GRACE_S);
    }
    return PM_OK;
}

/* ---- submitting ------------------------------------------------------------------------------ */

/* Submits a script. The first word of what sbatch --parsable prints, up to ';', is the job's id. */
static int submit_script(const char *const *argv, char **id, struct pm_error *err)
{
    const struct pm_process_plan plan = {.argv = argv, .awaited = "sbatch", .merged = true};
    const struct pm_process_watch watch = {.timeout_ms = 60000};
    struct pm_process_end end = {0};
    const int rc = pm_process_run(&plan, &watch, &end, err);
    if (rc == PM_ENOTFOUND)
        return pm_error_set(err, rc,
                            "this machine has no sbatch: submit on a login node of a Slurm "
                            "cluster, or print the scripts with --dry-run");
    PM_TRY(rc);
    const size_t digits = strspn(end.output.data, "0123456789");
    int refused = PM_OK;
    if (end.status || !digits)
        refused = pm_error_set(err, PM_EIO,
                               "sbatch did not accept the job: %.*s: correct the options of "
                               "portmeter submit, or submit again later",
                               (int)strcspn(end.output.data, "\n"), end.output.data);
    else
        *id = pm_strndup(end.output.data, digits);
    pm_process_end_release(&end);
    return refused;
}

static int write_script(const struct submission *s, const char *name, const struct pm_str *text,
                        char **path, struct pm_error *err)
{
    *path = pm_path_join(s->folder, name);
    return pm_file_write(*path, text->data, text->length, err);
}

static int submit_both(struct submission *s, const char *array, const char *merge,
                       struct pm_error *err)
{
    const char *const first[] = {"sbatch", "--parsable", array, NULL};
    char *id = NULL;
    PM_TRY(submit_script(first, &id, err));
    free(s->array_job);
    s->array_job = id;
    char *dependency = pm_format("--dependency=afterany:%s", id);
    const char *const second[] = {"sbatch", "--parsable", dependency, merge, NULL};
    int rc = submit_script(second, &id, err);
    free(dependency);
    if (!rc) {
        free(s->merge_job);
        s->merge_job = id;
    }
    const int written = pm_submit__write(s, rc ? NULL : err);
    return rc ? rc : written;
}

struct scripts {
    struct pm_str array, merge;
};

static int make_scripts(const struct pm_submit_options *o, const char *folder, struct scripts *out,
                        struct pm_error *err)
{
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return pm_error_errno(err, "cannot find the path of this program");
    program[length] = '\0';
    char *into = pm_path_absolute(o->into);
    struct pm_submit_options whole = *o;
    whole.into = into;
    pm_submit__array_script(&whole, program, folder, &out->array);
    pm_submit__merge_script(&whole, program, folder, &out->merge);
    free(into);
    return PM_OK;
}

static int write_and_submit(struct submission *s, const struct scripts *scripts,
                            struct pm_error *err)
{
    char *array = NULL, *merge = NULL;
    int rc = pm_folder_make(s->folder, err);
    if (!rc)
        rc = write_script(s, "shards.sh", &scripts->array, &array, err);
    if (!rc)
        rc = write_script(s, "merge.sh", &scripts->merge, &merge, err);
    if (!rc)
        rc = submit_both(s, array, merge, err);
    free(array);
    free(merge);
    return rc;
}

/* ---- waiting --------------------------------------------------------------------------------- */

enum { LOOK_EVERY_MS = 2000 };

/* Waits LOOK_EVERY_MS; PM_ESTOPPED if the user stops the command meanwhile. */
static int pause_between_looks(struct pm_error *err)
{
    for (int i = 0; i < LOOK_EVERY_MS / 100; i++) {
        PM_TRY(pm_stop_check(err));
        usleep(100000);
    }
    return PM_OK;
}

static void show(struct pm_progress *progress, const struct shard_statuses *statuses)
{
    uint64_t done = 0, failed = 0;
    int64_t executions = 0, planned = 0;
    for (size_t i = 0; i < statuses->count; i++) {
        const struct shard_status *shard = &statuses->items[i];
        done += shard->state == PM_SHARD_DONE || shard->state == PM_SHARD_EMPTY;
        failed += shard->state == PM_SHARD_FAILED;
        executions += shard->done;
        planned += shard->planned;
    }
    char *label = pm_format("%lld of %lld done in the started shards", (long long)executions,
                            (long long)planned);
    pm_progress_update(progress, label, done, statuses->count, failed);
    free(label);
}

static int count_without_result(const struct shard_statuses *statuses, const char *into,
                                struct pm_error *err)
{
    size_t missing = 0;
    for (size_t i = 0; i < statuses->count; i++)
        missing +=
            statuses->items[i].state != PM_SHARD_DONE && statuses->items[i].state != PM_SHARD_EMPTY;
    return missing ? pm_error_set(err, PM_EIO,
                                  "%zu of %zu shard%s without a result: portmeter status --into "
                                  "%s says why",
                                  missing, statuses->count, pm_plural(statuses->count), into)
                   : PM_OK;
}

static int follow(const struct submission *s, const char *into, const struct pm_messages *messages,
                  struct pm_error *err)
{
    struct pm_progress progress;
    struct shard_statuses statuses = {0};
    int rc;
    pm_progress_init(&progress, messages->out, messages->terminal);
    progress.what = "shards";
    progress.counted = "failed";
    do {
        pm_submit__statuses_release(&statuses);
        rc = pm_submit__look(s, &statuses, err);
        if (!rc)
            show(&progress, &statuses);
        if (!rc && statuses.active)
            rc = pause_between_looks(err);
    } while (!rc && statuses.active);
    pm_progress_end(&progress);
    if (!rc)
        rc = count_without_result(&statuses, into, err);
    pm_submit__statuses_release(&statuses);
    return rc;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int check(const struct pm_submit_options *o, struct pm_error *err)
{
    PM_TRY(check_words(o, err));
    PM_TRY(check_folder(o, err));
    PM_TRY(check_limit(o, err));
    if (pm_submit__is_scan(o))
        return check_scan(o, err);
    return o->dry_run ? PM_OK : check_environments(o, err);
}

int pm_submit(const struct pm_submit_options *o, const struct pm_messages *messages,
              struct pm_error *err)
{
    struct scripts scripts = {PM_STR_INIT, PM_STR_INIT};
    PM_TRY(check(o, err));
    struct submission s = {.folder = pm_submit__folder(o->into),
                           .shards = o->shards,
                           .per_job = pm_submit__shards_per_job(o),
                           .array_job = pm_strdup(""),
                           .merge_job = pm_strdup("")};
    int rc = make_scripts(o, s.folder, &scripts, err);
    if (!rc && o->dry_run) {
        printf("# %s/shards.sh\n%s\n# %s/merge.sh\n%s", s.folder, scripts.array.data, s.folder,
               scripts.merge.data);
    } else if (!rc) {
        rc = write_and_submit(&s, &scripts, err);
        if (!rc)
            fprintf(
                messages->out,
                "submitted   %u shard%s as job %s, and the merge into '%s' as job %s: portmeter "
                "status --into %s shows the progress\n",
                s.shards, pm_plural(s.shards), s.array_job, o->into, s.merge_job, o->into);
        if (!rc && o->wait)
            rc = follow(&s, o->into, messages, err);
    }
    pm_str_release(&scripts.array);
    pm_str_release(&scripts.merge);
    pm_submit__release(&s);
    return rc;
}
