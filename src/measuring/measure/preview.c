/* pm_measure_preview(): finds what a run would measure, and how long that would take. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "measure/plan.h"
#include "store/executions.h"
#include "store/targets.h"

/* Figures of a study of three frameworks (15,404 executions): the bytes that an execution adds to
 * the database after and before judging, and the time for imports and the self-check of a
 * target. */
enum { EXECUTION_BYTES = 1350, UNJUDGED_BYTES = 57000, TARGET_S = 8 };

/* ---- the times of an earlier run ------------------------------------------------------------- */

struct search {
    struct pm_store *store;
    struct pm_preview_target *target; /* the target whose times are searched */
    int64_t run_id, target_id;
    double wall_s;
    size_t executions;
    struct pm_error *err;
};

static int add_time(void *ctx, const struct pm_function_time_row *row)
{
    struct search *s = ctx;
    if (row->target_id == s->target_id)
        s->wall_s += (double)row->wall_ns / 1e9;
    return PM_OK;
}

static int count_execution(void *ctx, const struct pm_execution_row *row)
{
    struct search *s = ctx;
    s->executions += row->state == PM_EXECUTION_DONE && row->retry == PM_RETRY_NONE;
    return PM_OK;
}

static int meet_target(void *ctx, const struct pm_target_row *row)
{
    struct search *s = ctx;
    if (row->role == s->target->role && row->latencies == s->target->latencies &&
        !strcmp(row->text, s->target->text))
        s->target_id = row->id;
    return PM_OK;
}

/* Uses the times of a run. They replace the times of earlier runs. */
static int meet_run(void *ctx, const struct pm_run_row *row)
{
    struct search *s = ctx;
    if (row->kind != PM_RUN_KIND_MEASURED || row->state != PM_RUN_DONE)
        return PM_OK;
    s->target_id = 0;
    s->wall_s = 0;
    s->executions = 0;
    PM_TRY(pm_store_targets(s->store, row->id, meet_target, s, s->err));
    if (!s->target_id)
        return PM_OK;
    PM_TRY(pm_store_executions(s->store, row->id, s->target_id, count_execution, s, s->err));
    PM_TRY(pm_store_function_times(s->store, row->id, add_time, s, s->err));
    if (s->executions && s->wall_s > 0) {
        s->target->execution_s = s->wall_s / (double)s->executions;
        s->target->from_run = row->id;
    }
    return PM_OK;
}

/* Reads the times of earlier runs. A database that cannot be read has none; measuring will report
 * what is wrong with it. */
static int read_times(const char *db, struct pm_preview *preview, struct pm_error *err)
{
    struct pm_store *store = NULL;
    if (!db || !pm_path_exists(db) || pm_store_open(&store, db, PM_STORE_READ, NULL))
        return PM_OK;
    int rc = PM_OK;
    for (size_t i = 0; i < preview->target_count && !rc; i++) {
        struct search search = {.store = store, .target = &preview->targets[i], .err = err};
        rc = pm_store_runs(store, meet_run, &search, err);
    }
    pm_store_free(store);
    return rc;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static struct pm_preview_target count_target(const struct plan *plan, const struct plan_target *t)
{
    const unsigned more = pm_measure__plan_more_of(plan, t);
    struct pm_preview_target out = {
        .text = pm_strdup(t->target.text),
        .role = t->role,
        .latencies = t->latencies,
        .execution_s = pm_framework_find(t->target.framework)->execution_ms[t->latencies] / 1e3,
    };
    const struct pm_function *last = NULL;
    for (size_t k = 0; k < plan->case_count; k++) {
        const unsigned count = pm_measure__plan_repetitions(plan, t, k);
        if (!count)
            continue;
        out.functions += plan->cases[k]->function != last;
        last = plan->cases[k]->function;
        out.cases++;
        out.executions += count;
        out.more += more > count ? more - count : 0;
    }
    return out;
}

static void count_all(const struct plan *plan, struct pm_preview *out)
{
    const struct pm_function *last = NULL;
    out->cases = plan->case_count;
    for (size_t k = 0; k < plan->case_count; k++) {
        out->functions += plan->cases[k]->function != last;
        last = plan->cases[k]->function;
    }
    out->target_count = plan->target_count;
    out->targets = pm_alloc((plan->target_count + 1) * sizeof *out->targets);
    for (size_t i = 0; i < plan->target_count; i++) {
        out->targets[i] = count_target(plan, &plan->targets[i]);
        out->executions += out->targets[i].executions;
    }
}

/* Adds the expected times. Timed executions run alone, the others on all jobs at once. */
static void add_times(const struct plan *plan, struct pm_preview *out)
{
    double more_s = 0;
    size_t all = out->executions;
    for (size_t i = 0; i < out->target_count; i++) {
        const struct pm_preview_target *t = &out->targets[i];
        out->seconds += t->execution_s * (double)t->executions / (t->latencies ? 1 : plan->jobs);
        out->seconds += t->role == PM_ROLE_ORACLE ? 0 : TARGET_S;
        more_s += t->execution_s * (double)t->more;
        all += t->more;
    }
    const double room_s = plan->options->more_within_s - out->seconds;
    if (plan->options->more_within_s > 0 && more_s > room_s)
        more_s = room_s > 0 ? room_s : 0;
    out->seconds += more_s;
    out->bytes = all * (plan->options->keep_values ? UNJUDGED_BYTES : EXECUTION_BYTES);
    out->most_bytes = all * UNJUDGED_BYTES;
}

int pm_measure_preview(const struct pm_run_options *options, struct pm_preview *out,
                       struct pm_error *err)
{
    struct plan plan = {.options = options};
    *out = (struct pm_preview){0};
    int rc = pm_measure__plan_targets(&plan, err);
    if (!rc)
        rc = pm_measure__plan_cases(&plan, err);
    if (!rc) {
        count_all(&plan, out);
        rc = read_times(options->db, out, err);
        add_times(&plan, out);
    }
    pm_measure__plan_release(&plan);
    if (rc)
        pm_preview_release(out);
    return rc;
}

void pm_preview_release(struct pm_preview *preview)
{
    for (size_t i = 0; i < preview->target_count; i++)
        free(preview->targets[i].text);
    free(preview->targets);
    *preview = (struct pm_preview){0};
}
