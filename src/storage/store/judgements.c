/* Stores planted faults, and the judgements on a run. */
#include <math.h>

#include "base/alloc.h"
#include "store/description.h"
#include "store/judged.h"
#include "store/runs.h"

static const struct pm_store__column planted_fault_columns[] = {
    {"run_id", PM_STORE__NAMING(planted_fault, run_id, "self-check of run")},
    {"target_id", PM_STORE__ID(planted_fault, target_id)},
    {"name", PM_STORE__LINE(planted_fault, name)},
    {"expected", PM_STORE__WORD(planted_fault, expected, outcome)},
    {"observed", PM_STORE__WORD(planted_fault, observed, observation)},
    {"as_expected", PM_STORE__FLAG(planted_fault, as_expected)},
    {"detail", PM_STORE__LINE(planted_fault, detail), PM_STORE__HIDDEN},
};
static const struct pm_store__rows planted_faults =
    PM_STORE__REPLACING_ROWS("planted_fault", "planted_fault", planted_fault_columns);

int pm_store_add_planted_fault(struct pm_store *store,
                               const struct pm_planted_fault_row *planted_fault,
                               struct pm_error *err)
{
    return pm_store__add(store, &planted_faults, planted_fault, NULL, err);
}

int pm_store_planted_faults(struct pm_store *store, int64_t run_id, pm_planted_fault_fn *row,
                            void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &planted_faults, " WHERE run_id = ? ORDER BY target_id, name",
                            &q, err));
    pm_store__bind_int(&q, run_id);
    PM_STORE__GIVE_ROWS(&q, &planted_faults, struct pm_planted_fault_row, row, ctx, err);
}

static int delete_rows(struct pm_store *store, const char *const *deletions, size_t count,
                       int64_t run_id, struct pm_error *err)
{
    for (size_t i = 0; i < count; i++) {
        struct pm_store__query q;
        PM_TRY(pm_store__prepare_literal(store, deletions[i], &q, err));
        pm_store__bind_int(&q, run_id);
        PM_TRY(pm_store__run(&q, NULL, NULL, err));
    }
    return PM_OK;
}

int pm_store_clear_sums(struct pm_store *store, int64_t run_id, struct pm_error *err)
{
    static const char *const deletions[] = {
        "DELETE FROM statistic WHERE run_id = ? AND scope = 'target' AND what <> 'noise'",
        "DELETE FROM estimate WHERE run_id = ?",
    };
    return delete_rows(store, deletions, sizeof deletions / sizeof *deletions, run_id, err);
}

int pm_store_clear_judgements(struct pm_store *store, int64_t run_id, struct pm_error *err)
{
    static const char *const deletions[] = {
        "DELETE FROM judgement WHERE execution_id IN (SELECT id FROM execution WHERE run_id = ?)",
        "DELETE FROM judged_run WHERE run_id = ?",
        "DELETE FROM judged_case WHERE run_id = ?",
        "DELETE FROM verdict WHERE run_id = ?",
        "DELETE FROM statistic WHERE run_id = ?",
        "DELETE FROM estimate WHERE run_id = ?",
    };
    return delete_rows(store, deletions, sizeof deletions / sizeof *deletions, run_id, err);
}

/* The columns of a judgement. Data that is equal in all judgements of a case is read separately
 * (struct tested). */
static const struct pm_store__column judgement_columns[] = {
    {"j.execution_id", PM_STORE__NAMING(judgement, execution_id, "judgement of execution")},
    {"e.repetition", PM_STORE__WHOLE(judgement, repetition, 0, PM_STORE__MOST_REPETITION),
     PM_STORE__GIVEN},
    {"e.retry", PM_STORE__WORD(judgement, retry, retry), PM_STORE__GIVEN},
    {"e.position", PM_STORE__COUNT(judgement, position), PM_STORE__GIVEN},
    {"j.outcome", PM_STORE__WORD(judgement, outcome, outcome)},
    {"j.stage", PM_STORE__WORD(judgement, stage, stage)},
    {"j.detail", PM_STORE__LINE(judgement, detail)},
    {"j.smallest_rtol", PM_STORE__REAL(judgement, smallest_rtol, 0, INFINITY)},
    {"j.counts", PM_STORE__FLAG(judgement, counts)},
    {"j.case_counts", PM_STORE__FLAG(judgement, case_counts)},
    {"j.reason", PM_STORE__LINE(judgement, reason)},
    {"j.rule", PM_STORE__LINE(judgement, rule)},
};
static const struct pm_store__rows judgements = PM_STORE__ROWS(
    "judgement", "execution e JOIN judgement j ON j.execution_id = e.id", judgement_columns);

int pm_store_add_judgement(struct pm_store *store, const struct pm_judgement_row *row,
                           struct pm_error *err)
{
    return pm_store__add(store, &judgements, row, NULL, err);
}

/* ---- judgements of a run -------------------------------------------------------------------- */

/* The data that is equal in all judgements of a case; the list owns the strings. */
struct tested {
    struct pm_judgement_row row;
    char *function, *name, *dtype;
};
struct tested_list {
    struct tested *items;
    size_t count, capacity;
};

static const struct pm_store__column tested_columns[] = {
    {"id", PM_STORE__NAMING(judgement, case_id, "test_case")},
    {"function", PM_STORE__LINE(judgement, function)},
    {"name", PM_STORE__LINE(judgement, name)},
    {"dtype", PM_STORE__LINE(judgement, dtype)},
    {"host_only", PM_STORE__FLAG(judgement, host_only)},
    {"large", PM_STORE__LARGE(judgement, size)},
    {PM_STORE__HAS_KEY("expect"), PM_STORE__FLAG(judgement, expects)},
    {PM_STORE__HAS_KEY("check"), PM_STORE__FLAG(judgement, checks)},
    {PM_STORE__HAS_KEY("raises"), PM_STORE__FLAG(judgement, raises)},
    {PM_STORE__HAS_KEY("backward"), PM_STORE__FLAG(judgement, backward)},
};
static const struct pm_store__rows tested_cases = PM_STORE__ROWS(NULL, "test_case", tested_columns);

/* Lists all cases of the file, so that each definition is parsed once and not for each of its
 * executions. */
static int list_tested(struct pm_store *store, struct tested_list *list, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &tested_cases, " ORDER BY function, id", &q, err));
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_judgement_row row = {0};
        pm_store__read(&q, &tested_cases, &row);
        if ((rc = pm_store__sound(&q, err)) != 0)
            break;
        PM_GROW(list->items, list->count, list->capacity);
        struct tested *tested = &list->items[list->count++];
        *tested = (struct tested){row, pm_strdup(row.function), pm_strdup(row.name),
                                  pm_strdup(row.dtype)};
        tested->row.function = tested->function;
        tested->row.name = tested->name;
        tested->row.dtype = tested->dtype;
    }
    pm_store__close(&q);
    return rc;
}

static void release_tested(struct tested_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].function);
        free(list->items[i].name);
        free(list->items[i].dtype);
    }
    free(list->items);
}

struct judgement_search {
    struct pm_store *store;
    int64_t run_id, target_id;
    pm_judgement_fn *row;
    void *ctx;
    struct pm_error *err;
};

int pm_store_judgements_of_case(struct pm_store *store, int64_t run_id,
                                const struct pm_judgement_row *like, pm_judgement_fn *row,
                                void *ctx, struct pm_error *err)
{
    struct pm_judgement_row judgement = *like;
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &judgements,
                            " WHERE e.run_id = ? AND e.target_id = ? AND e.case_id = ?"
                            " ORDER BY e.repetition, e.retry",
                            &q, err));
    pm_store__bind_int(&q, run_id);
    pm_store__bind_int(&q, like->target_id);
    pm_store__bind_int(&q, like->case_id);
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        pm_store__read(&q, &judgements, &judgement);
        if ((rc = pm_store__sound(&q, err)) != 0 || (rc = row(ctx, &judgement)) != 0)
            break;
    }
    pm_store__close(&q);
    return rc;
}

/* Sets s->target_id to the next target with executions in the run, or to 0 if there is none. */
static int next_target(struct judgement_search *s)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(s->store,
                             "SELECT ifnull(min(target_id), 0) FROM execution"
                             " WHERE run_id = ? AND target_id > ?",
                             &q, s->err));
    pm_store__bind_int(&q, s->run_id);
    pm_store__bind_int(&q, s->target_id);
    const int rc = pm_store__next(&q, s->err);
    pm_store__about(&q, "execution");
    s->target_id = rc > 0 ? pm_store__whole(&q, 0, INT64_MAX) : 0;
    const int sound = pm_store__sound(&q, s->err);
    pm_store__close(&q);
    return rc < 0 ? rc : sound;
}

/* Reads judgements in the order of the index of executions: sorting a million rows would take
 * longer than all other work. */
static int judgements_in_order(struct judgement_search *s, const struct tested_list *tested)
{
    int rc = next_target(s);
    while (rc == PM_OK && s->target_id) {
        for (size_t i = 0; i < tested->count && rc == PM_OK; i++) {
            struct pm_judgement_row judgement = tested->items[i].row;
            judgement.target_id = s->target_id;
            rc = pm_store_judgements_of_case(s->store, s->run_id, &judgement, s->row, s->ctx,
                                             s->err);
        }
        if (rc == PM_OK)
            rc = next_target(s);
    }
    return rc;
}

int pm_store_judgements(struct pm_store *store, int64_t run_id, pm_judgement_fn *row, void *ctx,
                        struct pm_error *err)
{
    struct tested_list tested = {0};
    struct judgement_search search = {.store = store,
                                      .run_id = run_id,
                                      .target_id = INT64_MIN,
                                      .row = row,
                                      .ctx = ctx,
                                      .err = err};
    int rc = list_tested(store, &tested, err);
    if (rc == PM_OK)
        rc = judgements_in_order(&search, &tested);
    release_tested(&tested);
    return rc;
}

/* ---- judgements summed up by case ----------------------------------------------------------- */

static const struct pm_store__column judged_case_columns[] = {
    {"case_id", PM_STORE__NAMING(judged_case, case_id, "judged case")},
    {"run_id", PM_STORE__ID(judged_case, run_id)},
    {"target_id", PM_STORE__ID(judged_case, target_id)},
    {"judged", PM_STORE__WHOLE(judged_case, judged, 1, PM_STORE__MOST_COUNT)},
    {"repetitions", PM_STORE__WHOLE(judged_case, repetitions, 0, PM_STORE__MOST_REPETITION + 1)},
    {"passed", PM_STORE__PART(judged_case, passed, judged)},
    {"failed", PM_STORE__PART(judged_case, failed, judged)},
    {"blocked", PM_STORE__PART(judged_case, blocked, judged)},
    {"counts", PM_STORE__FLAG(judged_case, counts)},
    {"alike", PM_STORE__FLAG(judged_case, alike)},
    {"expects", PM_STORE__FLAG(judged_case, expects)},
    {"checks", PM_STORE__FLAG(judged_case, checks)},
    {"raises", PM_STORE__FLAG(judged_case, raises)},
    {"backward", PM_STORE__FLAG(judged_case, backward)},
    {"outcome", PM_STORE__WORD(judged_case, outcome, outcome)},
    {"stage", PM_STORE__WORD(judged_case, stage, stage)},
    {"detail", PM_STORE__LINE(judged_case, detail)},
    {"reason", PM_STORE__LINE(judged_case, reason)},
    {"rule", PM_STORE__LINE(judged_case, rule)},
    {"error", PM_STORE__REAL(judged_case, error, 0, INFINITY)},
};
static const struct pm_store__rows judged_cases =
    PM_STORE__ROWS("judged_case", "judged_case", judged_case_columns);

int pm_store_add_judged_case(struct pm_store *store, const struct pm_judged_case_row *row,
                             struct pm_error *err)
{
    return pm_store__add(store, &judged_cases, row, NULL, err);
}

int pm_store_add_judged_run(struct pm_store *store, int64_t run_id, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO judged_run (run_id, executions, cases) SELECT ?1,"
                             " (SELECT count(*) FROM execution WHERE run_id = ?1),"
                             " (SELECT count(*) FROM judged_case WHERE run_id = ?1)",
                             &q, err));
    pm_store__bind_int(&q, run_id);
    return pm_store__run(&q, NULL, NULL, err);
}

int pm_store_judged_run(struct pm_store *store, int64_t run_id, int64_t executions, bool *summed,
                        int64_t *cases, struct pm_error *err)
{
    struct pm_store__query q;
    *summed = false;
    *cases = 0;
    PM_TRY(pm_store__prepare(store,
                             "SELECT run_id, executions = ?2, cases FROM judged_run"
                             " WHERE run_id = ?1",
                             &q, err));
    pm_store__bind_int(&q, run_id);
    pm_store__bind_int(&q, executions);
    int rc = pm_store__next(&q, err);
    if (rc > 0) {
        pm_store__row(&q, "judged run");
        *summed = pm_store__flag(&q);
        *cases = pm_store__count(&q);
        rc = pm_store__sound(&q, err);
    }
    pm_store__close(&q);
    return rc;
}

/* Checks that the counts and the outcome of a row do not contradict each other. */
static int check_judged_case(const struct pm_store *store, const struct pm_judged_case_row *row,
                             struct pm_error *err)
{
    const bool one_kind =
        row->judged == row->passed || row->judged == row->failed || row->judged == row->blocked;
    const bool passes = row->outcome == PM_OUTCOME_PASS;
    if (row->passed > row->judged - row->failed - row->blocked || (row->alike && !one_kind) ||
        passes != (row->failed + row->blocked == 0) || row->outcome == PM_OUTCOME_HARNESS ||
        row->outcome == PM_OUTCOME_NOT_APPLICABLE)
        return pm_store_damaged(store, err,
                                "the counts of row 'judged case %lld of run %lld' do not match "
                                "its outcome",
                                (long long)row->case_id, (long long)row->run_id);
    return PM_OK;
}

int pm_store_judged_cases(struct pm_store *store, int64_t run_id, pm_judged_case_fn *row, void *ctx,
                          struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &judged_cases, " WHERE run_id = ? ORDER BY target_id, case_id",
                            &q, err));
    pm_store__bind_int(&q, run_id);
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_judged_case_row judged;
        pm_store__read(&q, &judged_cases, &judged);
        if ((rc = pm_store__sound(&q, err)) != 0 ||
            (rc = check_judged_case(store, &judged, err)) != 0 || (rc = row(ctx, &judged)) != 0)
            break;
    }
    pm_store__close(&q);
    return rc;
}

/* ---- verdicts, statistics ------------------------------------------------------------------- */

static const struct pm_store__column verdict_columns[] = {
    {"run_id", PM_STORE__NAMING(verdict, run_id, "verdict of run")},
    {"target_id", PM_STORE__ID(verdict, target_id)},
    {"function", PM_STORE__LINE(verdict, function)},
    {"verdict", PM_STORE__WORD(verdict, verdict, verdict)},
    {"verdict_paper", PM_STORE__WORD(verdict, verdict_paper, verdict)},
    {"counted", PM_STORE__COUNT(verdict, counted)},
    {"passed", PM_STORE__PART(verdict, passed, counted)},
    {"flaky", PM_STORE__PART(verdict, flaky, counted)},
    {"core", PM_STORE__PART(verdict, core, counted)},
    {"core_passed", PM_STORE__PART(verdict, core_passed, core)},
    {"host_only", PM_STORE__FLAG(verdict, host_only)},
    {"detail", PM_STORE__LINE(verdict, detail)},
    {"reason", PM_STORE__LINE(verdict, reason)},
    {"rule", PM_STORE__LINE(verdict, rule)},
    {"limits", PM_STORE__LINE(verdict, limits)},
};
static const struct pm_store__rows verdicts = PM_STORE__ROWS("verdict", "verdict", verdict_columns);

int pm_store_add_verdict(struct pm_store *store, const struct pm_verdict_row *row,
                         struct pm_error *err)
{
    return pm_store__add(store, &verdicts, row, NULL, err);
}

int pm_store_verdicts(struct pm_store *store, int64_t run_id, pm_verdict_fn *row, void *ctx,
                      struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &verdicts, " WHERE run_id = ? ORDER BY target_id, function", &q,
                            err));
    pm_store__bind_int(&q, run_id);
    PM_STORE__GIVE_ROWS(&q, &verdicts, struct pm_verdict_row, row, ctx, err);
}

static const struct pm_store__column statistic_columns[] = {
    {"id", PM_STORE__NAME_ONLY("statistic")},
    {"run_id", PM_STORE__ID(statistic, run_id)},
    {"target_id", PM_STORE__ID(statistic, target_id)},
    {"scope", PM_STORE__WORD(statistic, scope, scope)},
    {"function", PM_STORE__LINE(statistic, function)},
    {"name", PM_STORE__LINE(statistic, name)},
    {"clock", PM_STORE__WORD(statistic, clock, clock)},
    {"size", PM_STORE__WORD(statistic, size, size)},
    {"what", PM_STORE__WORD(statistic, what, statistic)},
    {"value", PM_STORE__REAL(statistic, value, 0, INFINITY)},
    {"low", PM_STORE__REAL(statistic, low, 0, INFINITY)},
    {"high", PM_STORE__REAL(statistic, high, 0, INFINITY)},
    {"processes", PM_STORE__COUNT(statistic, processes)},
    {"reference_processes", PM_STORE__COUNT(statistic, reference_processes)},
    {"unstable", PM_STORE__FLAG(statistic, unstable)},
};
static const struct pm_store__rows statistics =
    PM_STORE__ROWS("statistic", "statistic", statistic_columns);

int pm_store_add_statistic(struct pm_store *store, const struct pm_statistic_row *row,
                           struct pm_error *err)
{
    return pm_store__add(store, &statistics, row, NULL, err);
}

static int give_statistics(struct pm_store__query *q, pm_statistic_fn *row, void *ctx,
                           struct pm_error *err)
{
    PM_STORE__GIVE_ROWS(q, &statistics, struct pm_statistic_row, row, ctx, err);
}

#define IN_ORDER " ORDER BY target_id, function, name, clock, size, what"

int pm_store_statistics(struct pm_store *store, int64_t run_id, enum pm_scope scope,
                        pm_statistic_fn *row, void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    if (scope == PM_SCOPE_COUNT)
        PM_TRY(pm_store__select(store, &statistics, " WHERE run_id = ?1" IN_ORDER, &q, err));
    else
        PM_TRY(pm_store__select(store, &statistics, " WHERE run_id = ?1 AND scope = ?2" IN_ORDER,
                                &q, err));
    pm_store__bind_int(&q, run_id);
    if (scope != PM_SCOPE_COUNT)
        pm_store__bind_text(&q, pm_scope_text(scope));
    return give_statistics(&q, row, ctx, err);
}

int pm_store_unstable_cases(struct pm_store *store, int64_t run_id, pm_statistic_fn *row, void *ctx,
                            struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &statistics,
                            " INDEXED BY statistic_unstable"
                            " WHERE run_id = ?1 AND unstable = 1 AND scope = 'case'" IN_ORDER,
                            &q, err));
    pm_store__bind_int(&q, run_id);
    return give_statistics(&q, row, ctx, err);
}
