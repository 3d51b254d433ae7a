/* pm_measure_run(): from options to a run in the store. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "measure/session.h"

static struct pm_pool *volatile running_pool; /* for pm_measure_interrupt() in a signal handler */

void pm_measure_interrupt(void)
{
    struct pm_pool *pool = running_pool;
    if (pool)
        pm_pool_stop(pool);
}

static int make_uuid(char **out, struct pm_error *err)
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return pm_error_errno(err, "no random numbers to be had for the run's id");
    struct pm_str hex = PM_STR_INIT;
    for (size_t i = 0; i < sizeof bytes; i++)
        pm_str_addf(&hex, "%02x", bytes[i]);
    *out = pm_str_detach(&hex);
    return PM_OK;
}

/* The scratch folder's lock is held as long as its supervisor lives: a run that is still being
 * measured is not taken up by a second supervisor. Drivers do not inherit it. */
static int lock_scratch(const char *scratch, int *fd, struct pm_error *err)
{
    char *path = pm_path_join(scratch, "lock");
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    free(path);
    if (*fd < 0)
        return errno == ENOENT ? PM_OK : pm_error_errno(err, "lock in '%s'", scratch);
    if (flock(*fd, LOCK_EX | LOCK_NB) == 0)
        return PM_OK;
    close(*fd);
    *fd = -1;
    return pm_error_set(err, PM_EBUSY, "run is still being measured by another portmeter");
}

/* ---- a new run, or one taken up ----------------------------------------------------------------
 */

struct unfinished {
    int64_t id, seed;
    char *uuid, *suite_digest;
    json_t *options, *machine;
    struct pm_run_options taken;
    const char **lists;
};

static int keep_unfinished(void *ctx, const struct pm_run_row *row)
{
    struct unfinished *last = ctx;
    free(last->uuid);
    free(last->suite_digest);
    json_decref(last->options);
    json_decref(last->machine);
    *last = (struct unfinished){0};
    if (!strcmp(row->state, "done"))
        return PM_OK;
    last->id = row->id;
    last->uuid = pm_strdup(row->uuid);
    last->suite_digest = pm_strdup(row->suite_digest);
    last->options = json_loads(row->options, 0, NULL);
    last->machine = json_loads(row->machine, 0, NULL);
    return PM_OK;
}

static void unfinished_release(struct unfinished *u)
{
    free(u->uuid);
    free(u->suite_digest);
    free(u->lists);
    json_decref(u->options);
    json_decref(u->machine);
    *u = (struct unfinished){0};
}

/* Ends what the predecessor left running, and its scratch folder. */
static int clear_predecessor(const struct unfinished *u, const struct pm_talk *talk,
                             struct pm_error *err)
{
    const char *scratch = pm_json_string(u->options, "scratch", "");
    int lock = -1;
    PM_TRY(lock_scratch(scratch, &lock, err));
    unsigned ended = 0;
    int rc = pm_pool_end_leftovers(u->uuid, &ended, err);
    if (!rc && ended)
        fprintf(talk->out, "resuming    ended %u processes that the last try had left\n", ended);
    if (!rc && *scratch)
        rc = pm_folder_remove(scratch, err);
    if (lock >= 0)
        close(lock);
    return rc;
}

static int begin_new(struct session *s, struct pm_error *err)
{
    PM_TRY(make_uuid(&s->uuid, err));
    char now[25];
    pm_clock_iso(now);
    json_t *options = pm_measure__options_json(s->options, &s->plan, s->scratch);
    json_t *machine = pm_measure__machine_describe(NULL);
    char *options_text = pm_json_text(options), *machine_text = pm_json_text(machine);
    const struct pm_run_row row = {
        .uuid = s->uuid,
        .started = now,
        .finished = "",
        .state = "running",
        .options = options_text,
        .machine = machine_text,
        .suite_digest = s->plan.suite_digest.hex,
        .seed = s->options->seed,
        .validity = "",
        .validity_reason = "",
        .sample_id = s->plan.sample_id,
    };
    int rc = pm_store_begin(s->store, err);
    if (!rc)
        rc = pm_store_add_run(s->store, &row, &s->run_id, err);
    if (!rc)
        rc = pm_measure__plan_executions(&s->plan, s->store, s->run_id, err);
    if (!rc)
        rc = pm_store_commit(s->store, err);
    free(options_text);
    free(machine_text);
    json_decref(options);
    json_decref(machine);
    return rc;
}

static int take_up(struct session *s, const struct unfinished *u, struct pm_error *err)
{
    if (strcmp(u->suite_digest, s->plan.suite_digest.hex))
        return pm_error_set(err, PM_EUSAGE,
                            "run cannot be taken up: the suite has changed since: start a new run");
    s->run_id = u->id;
    s->uuid = pm_strdup(u->uuid);
    PM_TRY(pm_measure__plan_take_up(&s->plan, s->store, u->id, err));
    json_object_set_new(u->options, "scratch", json_string(s->scratch));
    char *options = pm_json_text(u->options);
    const struct pm_run_row row = {.id = u->id, .state = "running", .options = options};
    const int rc = pm_store_update_run(s->store, &row, err);
    free(options);
    PM_TRY(rc);
    for (size_t i = 0; i < s->plan.execution_count; i++)
        s->done += s->plan.executions[i].done;
    return PM_OK;
}

/* ---- measuring
 * ----------------------------------------------------------------------------------- */

/* A few on a line each, many side by side. */
static void say_untested(const struct plan *plan, FILE *out)
{
    enum { FEW = 10, WIDTH = 100, LABEL = 12 };
    size_t column = 0;
    for (size_t i = 0; i < plan->untested_count && plan->untested_count <= FEW; i++)
        fprintf(out, "untested    %s: no case of the suite\n", plan->untested[i]);
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
    fprintf(out, "no oracle   expect: is not evaluated, %s are missing: portmeter env create %s\n",
            modules, oracle->name);
    free(modules);
}

static void say_plan(const struct session *s)
{
    say_untested(&s->plan, s->talk->out);
    bool expects = false, oracle = false;
    for (size_t i = 0; i < s->plan.case_count; i++)
        expects |= s->plan.cases[i]->expect != NULL;
    for (size_t i = 0; i < s->plan.target_count; i++)
        oracle |= s->plan.targets[i].role == ROLE_ORACLE;
    if (expects && !oracle)
        say_no_oracle(s->talk->out);
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
    pm_progress_init(&s->progress, s->talk->out, s->talk->terminal);
    s->last_commit = pm_clock_now();
    running_pool = s->pool;
    int rc = pm_pool_run(s->pool, err);
    running_pool = NULL;
    pm_progress_end(&s->progress);
    /* What is finished is kept, whatever it was that ended the run. */
    const int committed = pm_measure__session_commit(s, rc ? NULL : err);
    return rc ? rc : committed;
}

/* 1, which ends the query, for an execution in which the framework was at work. */
static int is_executed(void *ctx, const struct pm_execution_row *row)
{
    (void)ctx;
    if (strcmp(row->state, "done"))
        return 0;
    if (!row->answered)
        return 1;
    json_t *result = json_loads(row->result, 0, NULL);
    const bool executed = !json_is_string(json_object_get(result, "not_applicable"));
    json_decref(result);
    return executed;
}

/* Whether the run can be believed; why not. */
static int decide_validity(struct session *s, struct pm_run_summary *out, struct pm_error *err)
{
    const int executed = pm_store_executions(s->store, s->run_id, 0, is_executed, NULL, err);
    if (executed < 0)
        return executed;
    if (executed)
        return pm_measure__canaries_store(s, &out->valid, out->reason, err);
    snprintf(out->reason, sizeof out->reason, "nothing was executed");
    return PM_OK;
}

/* Closes the run's row: state, machine, validity. */
static int close_run(struct session *s, const json_t *machine_before, int measured,
                     const struct pm_error *why, struct pm_run_summary *out, struct pm_error *err)
{
    char now[25];
    pm_clock_iso(now);
    out->run_id = s->run_id;
    out->planned = s->plan.execution_count;
    out->done = s->done;
    out->stopped = measured == PM_OK && pm_pool_stopped(s->pool);
    PM_TRY(pm_store_begin(s->store, err));
    out->valid = false;
    if (measured)
        snprintf(out->reason, sizeof out->reason, "%s", why->text);
    else if (out->stopped)
        snprintf(out->reason, sizeof out->reason, "stopped after %zu of %zu executions", s->done,
                 out->planned);
    else
        PM_TRY(decide_validity(s, out, err));
    json_t *machine = pm_measure__machine_describe(machine_before);
    char *text = pm_json_text(machine);
    const struct pm_run_row row = {
        .id = s->run_id,
        .finished = now,
        /* A run that measured nothing and failed has nothing to go on from. */
        .state = out->stopped || (measured && s->done) ? "stopped" : "done",
        .machine = text,
        .validity = out->valid ? "valid" : "invalid",
        .validity_reason = out->reason,
    };
    int rc = pm_store_update_run(s->store, &row, err);
    if (!rc)
        rc = pm_store_commit(s->store, err);
    free(text);
    json_decref(machine);
    return rc;
}

static void session_release(struct session *s)
{
    pm_pool_free(s->pool);
    /* A run that a failure ended may have children whose end was never told. */
    for (size_t i = 0; s->children && i < s->plan.jobs; i++)
        pm_measure__session_child_free(s->children[i]);
    free(s->children);
    pm_measure__canaries_release(s->canaries);
    for (size_t i = 0; s->unusable && i < s->plan.target_count; i++)
        free(s->unusable[i]);
    free(s->unusable);
    pm_measure__plan_release(&s->plan);
    pm_store_free(s->store);
    if (s->scratch)
        (void)!pm_folder_remove(s->scratch, NULL);
    free(s->scratch);
    free(s->uuid);
}

static int plan_run(struct session *s, struct unfinished *u, struct pm_error *err)
{
    s->children = pm_alloc(s->plan.jobs * sizeof *s->children);
    s->unusable = pm_alloc(s->plan.target_count * sizeof *s->unusable);
    PM_TRY(u->id ? take_up(s, u, err) : begin_new(s, err));
    PM_TRY(pm_measure__canaries_plan(s, err));
    pm_measure__plan_groups(&s->plan);
    say_plan(s);
    return PM_OK;
}

/* Says that an earlier run waits, or that one is being measured beside which latencies suffer. */
static void note_unfinished(const struct unfinished *u, const char *db, const struct pm_talk *talk)
{
    int lock = -1;
    if (!u->id)
        return;
    const char *scratch = pm_json_string(u->options, "scratch", "");
    const bool live = lock_scratch(scratch, &lock, NULL) == PM_EBUSY;
    if (lock >= 0)
        close(lock);
    fprintf(talk->out, "note        run %lld of '%s' is %s\n", (long long)u->id, db,
            live ? "being measured at this moment: each spoils the other's latencies"
                 : "unfinished: portmeter run --resume takes it up");
}

static int open_run(struct session *s, const struct pm_run_options *asked, struct unfinished *u,
                    struct pm_error *err)
{
    if (asked->resume)
        PM_TRY(pm_store_expect(asked->db, err));
    PM_TRY(pm_store_open(&s->store, asked->db, PM_STORE_WRITE, err));
    PM_TRY(pm_store_runs(s->store, keep_unfinished, u, err));
    if (!asked->resume) {
        note_unfinished(u, asked->db, s->talk);
        unfinished_release(u);
        return PM_OK;
    }
    if (!u->id)
        return pm_error_set(err, PM_EUSAGE, "database '%s' holds no unfinished run to take up",
                            asked->db);
    u->taken = *asked;
    PM_TRY(pm_measure__options_from_json(u->options, &u->taken, &u->lists, err));
    s->options = s->plan.options = &u->taken;
    return clear_predecessor(u, s->talk, err);
}

static int choose(struct session *s, struct pm_error *err)
{
    PM_TRY(pm_measure__plan_targets(&s->plan, err));
    return pm_measure__plan_cases(&s->plan, err);
}

/* A new run is checked before a database is made for it; one that is taken up stands in its own. */
static int begin_run(struct session *s, const struct pm_run_options *asked, struct unfinished *u,
                     int *lock, struct pm_error *err)
{
    if (!asked->resume)
        PM_TRY(choose(s, err));
    PM_TRY(open_run(s, asked, u, err));
    if (asked->resume)
        PM_TRY(choose(s, err));
    PM_TRY(pm_folder_scratch(&s->scratch, err));
    PM_TRY(lock_scratch(s->scratch, lock, err));
    return plan_run(s, u, err);
}

int pm_measure_run(const struct pm_run_options *options, const struct pm_talk *talk,
                   struct pm_run_summary *out, struct pm_error *err)
{
    struct session s = {.options = options, .talk = talk, .plan.options = options};
    struct unfinished u = {0};
    struct pm_error own = {0};
    json_t *machine = pm_measure__machine_describe(NULL);
    int lock = -1, measured, rc;
    *out = (struct pm_run_summary){0};
    if ((rc = begin_run(&s, options, &u, &lock, err)))
        goto done;
    measured = measure(&s, &own);
    rc = close_run(&s, machine, measured, &own, out, err);
    if (measured) {
        /* One that could not even be closed still stands there as under way. */
        const bool unfinished = rc || s.done;
        rc = pm_error_set(err, measured, "%s%s", own.text,
                          unfinished ? "; 'run --resume' goes on with the run" : "");
    }
done:
    json_decref(machine);
    session_release(&s);
    unfinished_release(&u);
    if (lock >= 0)
        close(lock);
    return rc;
}
