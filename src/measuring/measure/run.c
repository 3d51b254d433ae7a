/* pm_measure_run(): from options to a run in the store. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cpus.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/stop.h"
#include "measure/session.h"
#include "store/executions.h"
#include "text/numbers.h"

/* ---- a new or a resumed run ------------------------------------------------------------------ */

/* Stores that a new attempt of the run begins, and on which machine. */
static int begin_attempt(struct session *s, struct pm_error *err)
{
    char now[25];
    uint64_t spent_ns;
    pm_clock_iso(now);
    PM_TRY(pm_store_run_spent(s->store, s->run_id, &spent_ns, err));
    s->began = pm_clock_now() - spent_ns;
    json_t *machine = pm_measure__machine_describe();
    char *text = pm_json_text(machine);
    const struct pm_attempt_row row = {.run_id = s->run_id,
                                       .shard = s->options->shard.number,
                                       .started = now,
                                       .machine = text,
                                       .load_before = pm_cpus_load(NULL)};
    const int rc = pm_store_add_attempt(s->store, &row, &s->attempt, err);
    free(text);
    json_decref(machine);
    return rc;
}

static int begin_new(struct session *s, struct pm_error *err)
{
    char now[25];
    pm_clock_iso(now);
    char *version = NULL;
    PM_TRY(pm_suite_version(s->options->suite_count, &version, err));
    json_t *options = pm_measure__options_json(s->options, &s->plan, s->scratch);
    char *options_text = pm_measure__options_shared(options);
    char *paths = pm_measure__options_paths(options);
    const struct pm_run_row row = {
        .suite_version = version,
        .uuid = s->uuid,
        .started = now,
        .finished = "",
        .state = PM_RUN_RUNNING,
        .options = options_text,
        .paths = paths,
        .suite_digest = s->plan.suite_digest.hex,
        .seed = s->options->seed,
        .validity_reason = "",
        .sample_id = s->plan.sample_id,
    };
    int rc = pm_store_add_run(s->store, &row, &s->run_id, err);
    if (!rc && s->options->shard.count)
        rc = pm_measure__store_shard(&s->plan, s->store, s->run_id, s->uuid, err);
    if (!rc)
        rc = pm_measure__plan_executions(&s->plan, s->store, s->run_id, err);
    free(options_text);
    free(paths);
    json_decref(options);
    free(version);
    return rc;
}

/* Counts finished executions. PM_EUSAGE if a finished run has nothing left to measure. */
static int count_done(struct session *s, struct pm_error *err)
{
    for (size_t i = 0; i < s->plan.execution_count; i++) {
        const struct plan_execution *e = &s->plan.executions[i];
        s->done += e->done && !e->retry;
        s->plan.targets[e->target].done += e->done && !e->retry;
    }
    if (s->done < s->plan.planned || !s->earlier.finished)
        return PM_OK;
    return pm_error_set(err, PM_EUSAGE,
                        "--repetitions %u adds no processes to run %lld, whose cases have as many: "
                        "give a larger number",
                        s->options->repetitions, (long long)s->run_id);
}

static int64_t count_committed(const struct plan *plan)
{
    int64_t count = 0;
    for (size_t i = 0; i < plan->execution_count; i++)
        count += plan->executions[i].done;
    return count;
}

/* Gives up an execution that ends every supervisor; otherwise the run could never finish. */
static int give_up(struct session *s, struct plan_execution *execution, struct pm_error *err)
{
    char *text = pm_format("portmeter was killed %d times in a row while this execution ran alone",
                           PM_MOST_KILLS_ALONE);
    const struct pm_execution_row row = {
        .id = execution->id, .ending = PM_ENDING_SUPERVISOR, .ending_text = text, .result = ""};
    const int rc = pm_store_finish_execution(s->store, &row, err);
    free(text);
    execution->done = true;
    return rc;
}

/* Counts the death of the earlier supervisor for the executions that it was running. */
static int note_kills(struct session *s, struct pm_error *err)
{
    const struct flight *flight = &s->earlier.flight;
    const bool alone = flight->count == 1;
    const bool committed = count_committed(&s->plan) != flight->done;
    for (size_t i = 0; i < flight->count; i++)
        for (size_t k = 0; k < s->plan.execution_count; k++) {
            struct plan_execution *e = &s->plan.executions[k];
            if (e->id != flight->executions[i] || e->done)
                continue;
            PM_TRY(pm_store_note_kill(s->store, e->id, alone, committed, err));
            e->kills++;
            e->kills_alone = !alone ? 0 : committed ? 1 : e->kills_alone + 1;
            if (e->kills_alone >= PM_MOST_KILLS_ALONE)
                PM_TRY(give_up(s, e, err));
        }
    return PM_OK;
}

static int resume(struct session *s, struct pm_error *err)
{
    s->run_id = s->earlier.id;
    if (strcmp(s->earlier.suite_digest, s->plan.suite_digest.hex))
        return pm_error_set(err, PM_EUSAGE,
                            "run %lld cannot be resumed (the suite has changed): start a new run",
                            (long long)s->run_id);
    PM_TRY(pm_measure__plan_resume(&s->plan, s->store, s->run_id, err));
    PM_TRY(note_kills(s, err));
    PM_TRY(count_done(s, err));
    json_object_set_new(s->earlier.stored, "scratch", json_string(s->scratch));
    json_object_set_new(s->earlier.stored, "repetitions", json_integer(s->options->repetitions));
    char *options = pm_measure__options_shared(s->earlier.stored);
    char *paths = pm_measure__options_paths(s->earlier.stored);
    const struct pm_run_row row = {.id = s->run_id,
                                   .state = PM_RUN_RUNNING,
                                   .finished = "",
                                   .options = options,
                                   .paths = paths};
    const int rc = pm_store_update_run(s->store, &row, err);
    free(options);
    free(paths);
    return rc;
}

/* ---- measuring ------------------------------------------------------------------------------- */

/* Prints the functions without a case: one line each for a few, or one list for many. */
static void say_untested(const struct plan *plan, FILE *out)
{
    enum { FEW = 10, WIDTH = 100, LABEL = 12 };
    size_t column = 0;
    for (size_t i = 0; i < plan->untested_count && plan->untested_count <= FEW; i++)
        fprintf(out, "untested    %s: the suite has no case for it\n", plan->untested[i]);
    if (plan->untested_count <= FEW)
        return;
    fprintf(out, "untested    %zu functions have no case in the suite:", plan->untested_count);
    for (size_t i = 0; i < plan->untested_count; i++) {
        const bool first = !column || column + strlen(plan->untested[i]) + 2 > WIDTH;
        column = (first ? LABEL : column + 2) + strlen(plan->untested[i]);
        fprintf(out, "%s%s", first ? "\n            " : ", ", plan->untested[i]);
    }
    fputc('\n', out);
}

static void say_no_oracle(FILE *out)
{
    const struct pm_framework *oracle = pm_framework_oracle();
    char *modules = pm_framework_modules(oracle);
    fprintf(out,
            "expect      not evaluated, because %s are missing: run portmeter env create "
            "%s\n",
            modules, oracle->name);
    free(modules);
}

static void say_plan(const struct session *s)
{
    say_untested(&s->plan, s->messages->out);
    bool expects = false, oracle = false;
    for (size_t i = 0; i < s->plan.case_count; i++)
        expects |= s->plan.cases[i]->expect != NULL;
    for (size_t i = 0; i < s->plan.target_count; i++)
        oracle |= s->plan.targets[i].role == PM_ROLE_ORACLE;
    if (expects && !oracle)
        say_no_oracle(s->messages->out);
}

static int measure(struct session *s, struct pm_error *err)
{
    const struct pm_pool_options options = {
        .slots = s->plan.jobs,
        .run_id = s->uuid,
        .scratch = s->scratch,
    };
    const struct pm_pool_policy policy = pm_measure__session_policy(s);
    PM_TRY(pm_pool_new(&s->pool, &options, &policy, err));
    pm_progress_init(&s->progress, s->messages->out, s->messages->terminal);
    s->last_commit = s->last_copy = pm_clock_now();
    int rc = pm_pool_run(s->pool, err);
    pm_progress_end(&s->progress);
    /* Finished executions are kept, even if an error ended the run. */
    const int committed = pm_measure__session_commit(s, rc ? NULL : err);
    if (!rc)
        rc = committed;
    return !rc && pm_pool_stopped(s->pool) ? pm_stop_check(err) : rc;
}

/* Returns 1, which ends the query, for an execution that reached the framework. */
static int is_executed(void *ctx, const struct pm_execution_row *row)
{
    (void)ctx;
    if (row->state != PM_EXECUTION_DONE)
        return 0;
    if (!row->answered)
        return 1;
    json_t *result = json_loads(row->result, 0, NULL);
    const bool executed = !json_is_string(json_object_get(result, "not_applicable"));
    json_decref(result);
    return executed;
}

/* Decides whether the run and its latencies are valid, and sets the reason if not. */
static int decide_validity(struct session *s, struct pm_run_summary *out, struct pm_error *err)
{
    const int executed = pm_store_executions(s->store, s->run_id, 0, is_executed, NULL, err);
    if (executed < 0)
        return executed;
    if (executed)
        return pm_measure__planted_faults_store(s, out, err);
    snprintf(out->reason, sizeof out->reason, "the run executed no case");
    snprintf(out->latency_reason, sizeof out->latency_reason, "%s", out->reason);
    return PM_OK;
}

static enum pm_validity validity_of(bool keeps, bool valid)
{
    return keeps ? PM_VALIDITY_UNKNOWN : valid ? PM_VALIDITY_VALID : PM_VALIDITY_INVALID;
}

/* Closes the rows of the run and of this attempt: state, time, load, validity. If the attempt was
 * stopped or failed, a run that was valid before remains so. */
static int close_run(struct session *s, int measured, const struct pm_error *why,
                     struct pm_run_summary *out, struct pm_error *err)
{
    char now[25];
    pm_clock_iso(now);
    out->run_id = s->run_id;
    out->planned = s->plan.planned;
    out->done = s->done;
    out->peak_memory = s->pool ? pm_pool_peak_memory(s->pool) : 0;
    out->peak_scratch = s->pool ? pm_pool_peak_scratch(s->pool) : 0;
    PM_TRY(pm_store_begin(s->store, err));
    out->valid = out->latencies_valid = false;
    if (measured == PM_ESTOPPED)
        snprintf(out->reason, sizeof out->reason, "stopped after %zu of %zu executions", s->done,
                 out->planned);
    else if (measured)
        snprintf(out->reason, sizeof out->reason, "%s", why->text);
    else
        PM_TRY(decide_validity(s, out, err));
    if (measured)
        snprintf(out->latency_reason, sizeof out->latency_reason, "%s", out->reason);
    const bool keeps = measured && s->earlier.valid;
    const struct pm_attempt_row attempt = {.run_id = s->run_id,
                                           .number = s->attempt,
                                           .finished = now,
                                           .load_after = pm_measure__machine_load(),
                                           .peak_memory = (int64_t)out->peak_memory,
                                           .peak_scratch = (int64_t)out->peak_scratch};
    const struct pm_run_row row = {
        .id = s->run_id,
        .finished = now,
        .state = measured ? PM_RUN_STOPPED : PM_RUN_DONE,
        .validity = validity_of(keeps, out->valid),
        .validity_reason = keeps ? NULL : out->reason,
        .latency_validity = validity_of(keeps, out->latencies_valid),
        .latency_validity_reason = keeps ? NULL : out->latency_reason,
    };
    PM_TRY(pm_store_update_run(s->store, &row, err));
    PM_TRY(pm_store_finish_attempt(s->store, &attempt, err));
    return pm_store_commit(s->store, err);
}

static void say_peaks(const struct session *s, const struct pm_run_summary *out)
{
    struct pm_str memory = PM_STR_INIT, disk = PM_STR_INIT;
    pm_text_bytes(&memory, (int64_t)out->peak_memory);
    pm_text_bytes(&disk, (int64_t)out->peak_scratch);
    fprintf(s->messages->out,
            "used        at most %s of memory and %s of temporary space in total\n", memory.data,
            disk.data);
    pm_str_release(&memory);
    pm_str_release(&disk);
}

/* Adds the command that continues the run: `portmeter run --resume`. A study and a shard are
 * continued by the same command, because it must have the same options. */
static void add_continuation(const struct session *s, struct pm_str *out)
{
    const struct pm_run_options *o = s->options;
    if (o->command == PM_COMMAND_STUDY || o->shard.count) {
        pm_str_add(out, "the same command");
        return;
    }
    pm_str_addf(out, "portmeter run --resume %lld", (long long)s->run_id);
    if (strcmp(o->db, PM_PATH_DB))
        pm_str_addf(out, " --db %s", o->db);
}

/* Ends the run. A new run that fails before any execution is removed, so that a target that cannot
 * be measured leaves no run. A run that the user stops always remains. */
static int end_run(struct session *s, int measured, const struct pm_error *why,
                   struct pm_run_summary *out, struct pm_error *err)
{
    const bool nothing = measured && measured != PM_ESTOPPED && !s->done && !s->earlier.id;
    if (nothing && pm_store_remove_run(s->store, s->run_id, err) == PM_OK)
        return pm_error_set(err, measured, "%s", why->text);
    int rc = close_run(s, measured, why, out, err);
    if (!rc && s->options->copy)
        rc = pm_store_copy(s->store, s->options->copy, err);
    say_peaks(s, out);
    if (!measured)
        return rc;
    struct pm_str command = PM_STR_INIT, done = PM_STR_INIT;
    add_continuation(s, &command);
    if (measured == PM_ESTOPPED)
        pm_str_addf(&done, " after %zu of %zu executions", s->done, out->planned);
    pm_error_set(err, measured, "%s%s: run %s to continue", why->text, done.data, command.data);
    pm_str_release(&done);
    pm_str_release(&command);
    return measured;
}

static void session_release(struct session *s)
{
    pm_pool_free(s->pool);
    /* If a failure ended the run, the end of some children was never reported. */
    for (size_t i = 0; s->children && i < s->plan.jobs; i++)
        pm_measure__session_child_free(s->children[i]);
    free(s->children);
    pm_measure__planted_faults_release(s->planted_faults);
    for (size_t i = 0; s->unusable && i < s->plan.target_count; i++)
        free(s->unusable[i]);
    free(s->unusable);
    pm_measure__plan_release(&s->plan);
    pm_store_free(s->store);
    if (s->scratch)
        (void)!pm_folder_remove(s->scratch, NULL);
    if (s->lock >= 0)
        close(s->lock);
    if (s->flight >= 0)
        close(s->flight);
    free(s->scratch);
    free(s->uuid);
    pm_measure__earlier_release(&s->earlier);
}

static int write_ledger(struct session *s, struct pm_error *err)
{
    PM_TRY(pm_store_begin(s->store, err));
    PM_TRY(s->earlier.id ? resume(s, err) : begin_new(s, err));
    PM_TRY(begin_attempt(s, err));
    return pm_store_commit(s->store, err);
}

static int plan_run(struct session *s, struct pm_error *err)
{
    PM_TRY(pm_folder_scratch(&s->scratch, err));
    PM_TRY(pm_measure__scratch_lock(s->scratch, s->uuid, &s->lock, err));
    PM_TRY(pm_measure__planted_faults_plan(s, err));
    PM_TRY(write_ledger(s, err));
    PM_TRY(pm_measure__flight_begin(s->scratch, count_committed(&s->plan), &s->flight, err));
    s->children = pm_alloc(s->plan.jobs * sizeof *s->children);
    s->unusable = pm_alloc(s->plan.target_count * sizeof *s->unusable);
    PM_TRY(pm_measure__plan_calls(&s->plan, s->store, err));
    pm_measure__plan_groups(&s->plan);
    say_plan(s);
    return PM_OK;
}

/* Prints that an earlier run can be resumed, if there is one. */
static int note_unfinished(struct session *s, struct pm_error *err)
{
    struct earlier_run earlier;
    const int rc = pm_measure__earlier_unfinished(&earlier, s->store, err);
    if (!rc && earlier.id)
        fprintf(s->messages->out,
                "note        run %lld of '%s' is unfinished: to continue it, use portmeter run "
                "--resume %lld\n",
                (long long)earlier.id, s->options->db, (long long)earlier.id);
    pm_measure__earlier_release(&earlier);
    return rc;
}

static int choose(struct session *s, struct pm_error *err)
{
    PM_TRY(pm_measure__plan_targets(&s->plan, err));
    return pm_measure__plan_cases(&s->plan, err);
}

/* Opens the database. It ignores the user's stop, because a stopped run must still be closed. */
static int open_store(struct session *s, struct pm_error *err)
{
    PM_TRY(pm_store_open(&s->store, s->options->db, PM_STORE_WRITE, err));
    pm_store_ignore_stop(s->store);
    return PM_OK;
}

/* Returns whether the shard has no functions, which happens with many shards or few functions. */
static bool is_empty_shard(const struct session *s)
{
    return s->options->shard.count && !s->plan.case_count;
}

/* Opens a new run. Its options are checked before the database is created. */
static int open_new(struct session *s, struct pm_error *err)
{
    PM_TRY(choose(s, err));
    if (is_empty_shard(s))
        return PM_OK;
    struct pm_digest uuid;
    PM_TRY(pm_digest_random(&uuid, err));
    s->uuid = pm_strdup(uuid.hex);
    PM_TRY(open_store(s, err));
    return note_unfinished(s, err);
}

static int open_earlier(struct session *s, struct pm_error *err)
{
    unsigned ended;
    PM_TRY(pm_store_expect(s->options->db, err));
    PM_TRY(open_store(s, err));
    PM_TRY(pm_measure__earlier_choose(&s->earlier, s->store, s->options, err));
    s->earlier.options.copy = s->options->copy;
    s->options = s->plan.options = &s->earlier.options;
    s->plan.stored = s->earlier.stored;
    s->uuid = pm_strdup(s->earlier.uuid);
    PM_TRY(choose(s, err));
    PM_TRY(pm_measure__earlier_clear(&s->earlier, &ended, err));
    if (ended)
        fprintf(s->messages->out, "resuming    ended %u process%s of the interrupted run\n", ended,
                ended == 1 ? "" : "es");
    return PM_OK;
}

int pm_measure_run(const struct pm_run_options *options, const struct pm_messages *messages,
                   struct pm_run_summary *out, struct pm_error *err)
{
    struct session s = {.options = options,
                        .messages = messages,
                        .plan.options = options,
                        .lock = -1,
                        .flight = -1};
    struct pm_error own = {{0}};
    *out = (struct pm_run_summary){0};
    int rc = options->resume ? open_earlier(&s, err) : open_new(&s, err);
    const bool empty = !rc && is_empty_shard(&s);
    if (empty)
        fprintf(messages->out, "shard       %u/%u has no function: nothing to measure\n",
                options->shard.number, options->shard.count);
    if (!rc && !empty)
        rc = plan_run(&s, err);
    if (!rc && !empty) {
        const int measured = measure(&s, &own);
        rc = end_run(&s, measured, &own, out, err);
    }
    session_release(&s);
    return rc;
}
