/* Sums up the judgements of each case on each target, for all tables and pages that show cases. */
#include <math.h>
#include <string.h>

#include "assess/assess.h"
#include "assess/judging.h"
#include "base/alloc.h"

/* The sums of the case whose judgements are being read. */
struct summing {
    struct pm_judged_case_row sum;
    struct pm_judgement_row first; /* the first judgement */
    char *detail, *reason, *rule;  /* texts of `first`, owned */
    char *bad_detail, *bad_reason,
        *bad_rule; /* texts of the first failed or blocked judgement, owned; NULL: none */
    int64_t run_id;
    pm_judged_case_fn *row;
    void *ctx;
};

static void forget(struct summing *s)
{
    char *const texts[] = {s->detail,     s->reason,     s->rule,
                           s->bad_detail, s->bad_reason, s->bad_rule};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    *s = (struct summing){.run_id = s->run_id, .row = s->row, .ctx = s->ctx};
}

/* Passes the sums of the current case, if there is one, to the callback. */
static int give(struct summing *s)
{
    struct pm_judged_case_row *sum = &s->sum;
    if (!sum->judged)
        return PM_OK;
    sum->alike &=
        sum->judged == sum->passed || sum->judged == sum->failed || sum->judged == sum->blocked;
    const bool first_passes = s->first.outcome == PM_OUTCOME_PASS;
    sum->detail = s->bad_detail ? s->bad_detail : first_passes ? s->detail : "";
    sum->reason = s->bad_detail ? s->bad_reason : "";
    sum->rule = s->bad_detail ? s->bad_rule : "";
    const int rc = s->row(s->ctx, sum);
    forget(s);
    return rc;
}

static void begin(struct summing *s, const struct pm_judgement_row *j)
{
    s->first = *j;
    s->detail = pm_strdup(j->detail);
    s->reason = pm_strdup(j->reason);
    s->rule = pm_strdup(j->rule);
    s->sum = (struct pm_judged_case_row){
        .run_id = s->run_id,
        .target_id = j->target_id,
        .case_id = j->case_id,
        .outcome = PM_OUTCOME_PASS,
        .alike = true,
        .expects = j->expects,
        .checks = j->checks,
        .raises = j->raises,
        .backward = j->backward,
        .error = NAN,
    };
}

static bool is_like_first(const struct summing *s, const struct pm_judgement_row *j)
{
    return j->counts && j->retry == PM_RETRY_NONE && j->case_counts == s->first.case_counts &&
           j->outcome == s->first.outcome && j->stage == s->first.stage &&
           !strcmp(j->detail, s->detail) && !strcmp(j->reason, s->reason) &&
           !strcmp(j->rule, s->rule);
}

/* Keeps the texts of the first failed or blocked judgement. */
static void note_bad(struct summing *s, const struct pm_judgement_row *j)
{
    if (s->bad_detail)
        return;
    s->sum.outcome = j->outcome;
    s->sum.stage = j->stage;
    s->bad_detail = pm_strdup(j->detail);
    s->bad_reason = pm_strdup(j->reason);
    s->bad_rule = pm_strdup(j->rule);
}

/* Counts a judgement that verdicts use. */
static void count(struct summing *s, const struct pm_judgement_row *j)
{
    struct pm_judged_case_row *sum = &s->sum;
    if (!sum->repetitions)
        sum->counts = j->case_counts;
    sum->repetitions = j->repetition + 1 > sum->repetitions ? j->repetition + 1 : sum->repetitions;
    if (j->outcome == PM_OUTCOME_HARNESS || j->outcome == PM_OUTCOME_NOT_APPLICABLE)
        return;
    if (j->outcome == PM_OUTCOME_PASS) {
        sum->passed++;
        sum->error = fmax(sum->error, j->smallest_rtol);
        return;
    }
    *(j->outcome == PM_OUTCOME_BLOCKED ? &sum->blocked : &sum->failed) += 1;
    note_bad(s, j);
}

/* Adds a judgement to the sums. The judgements of one case follow each other. */
static int add_judgement(void *ctx, const struct pm_judgement_row *j)
{
    struct summing *s = ctx;
    if (s->sum.judged && (s->sum.target_id != j->target_id || s->sum.case_id != j->case_id))
        PM_TRY(give(s));
    if (!s->sum.judged)
        begin(s, j);
    s->sum.judged++;
    s->sum.alike &= is_like_first(s, j);
    if (j->counts)
        count(s, j);
    return PM_OK;
}

static int sum_up(struct pm_store *store, int64_t run_id, pm_judged_case_fn *row, void *ctx,
                  struct pm_error *err)
{
    struct summing s = {.run_id = run_id, .row = row, .ctx = ctx};
    int rc = pm_store_judgements(store, run_id, add_judgement, &s, err);
    if (!rc)
        rc = give(&s);
    forget(&s);
    return rc;
}

/* ---- stored --------------------------------------------------------------------------------- */

struct storing {
    struct pm_store *store;
    struct pm_error *err;
};

static int store_case(void *ctx, const struct pm_judged_case_row *row)
{
    const struct storing *s = ctx;
    return pm_store_add_judged_case(s->store, row, s->err);
}

int pm_assess__cases_store(const struct pm_assess_evidence *all, struct pm_error *err)
{
    struct storing s = {all->store, err};
    PM_TRY(sum_up(all->store, all->run_id, store_case, &s, err));
    return pm_store_add_judged_run(all->store, all->run_id, err);
}

struct counting {
    pm_judged_case_fn *row;
    void *ctx;
    int64_t cases;
};

static int count_case(void *ctx, const struct pm_judged_case_row *row)
{
    struct counting *c = ctx;
    c->cases++;
    return c->row(c->ctx, row);
}

int pm_assess_judged_cases(struct pm_store *store, int64_t run_id, int64_t executions,
                           pm_judged_case_fn *row, void *ctx, struct pm_error *err)
{
    struct counting c = {.row = row, .ctx = ctx};
    bool summed;
    int64_t cases;
    PM_TRY(pm_store_judged_run(store, run_id, executions, &summed, &cases, err));
    if (!summed)
        return sum_up(store, run_id, row, ctx, err);
    PM_TRY(pm_store_judged_cases(store, run_id, count_case, &c, err));
    return c.cases == cases
               ? PM_OK
               : pm_store_damaged(
                     store, err,
                     "column 'cases' of row 'judged run %lld' is %lld, but %lld cases are stored",
                     (long long)run_id, (long long)cases, (long long)c.cases);
}
