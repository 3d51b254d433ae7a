/* Canaries, and what a run is judged to be under the rules. */
#include <math.h>

#include "store/store_private.h"
#include "store/word.h"

int pm_store_add_canary(struct pm_store *store, const struct pm_canary_row *canary,
                        struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT OR REPLACE INTO canary (run_id, target_id, name, expected,"
                             " observed, as_expected, detail) VALUES (?, ?, ?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_int(&q, canary->run_id);
    pm_store__bind_int(&q, canary->target_id);
    pm_store__bind_text(&q, canary->name);
    pm_store__bind_text(&q, pm_outcome_text(canary->expected));
    pm_store__bind_text(&q, pm_observation_text(canary->observed));
    pm_store__bind_int(&q, canary->as_expected);
    pm_store__bind_text(&q, canary->detail);
    return pm_store__run(&q, NULL, NULL, err);
}

int pm_store_canaries(struct pm_store *store, int64_t run_id, pm_canary_fn *row, void *ctx,
                      struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "SELECT run_id, target_id, name, expected, observed, as_expected,"
                             " detail FROM canary WHERE run_id = ? ORDER BY target_id, name",
                             &q, err));
    pm_store__bind_int(&q, run_id);
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_canary_row canary;
        canary.run_id = pm_store__row(&q, "canary of run");
        canary.target_id = pm_store__id(&q);
        canary.name = pm_store__line(&q);
        canary.expected = PM_STORE__WORD(&q, outcome);
        canary.observed = PM_STORE__WORD(&q, observation);
        canary.as_expected = pm_store__flag(&q);
        canary.detail = pm_store__line(&q);
        if ((rc = pm_store__sound(&q, err)) != 0 || (rc = row(ctx, &canary)) != 0)
            break;
    }
    pm_store__close(&q);
    return rc;
}

int pm_store_clear_judgements(struct pm_store *store, int64_t run_id, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "DELETE FROM judgement WHERE execution_id IN"
                             " (SELECT id FROM execution WHERE run_id = ?)",
                             &q, err));
    pm_store__bind_int(&q, run_id);
    PM_TRY(pm_store__run(&q, NULL, NULL, err));
    PM_TRY(pm_store__prepare(store, "DELETE FROM verdict WHERE run_id = ?", &q, err));
    pm_store__bind_int(&q, run_id);
    PM_TRY(pm_store__run(&q, NULL, NULL, err));
    PM_TRY(pm_store__prepare(store, "DELETE FROM statistic WHERE run_id = ?", &q, err));
    pm_store__bind_int(&q, run_id);
    PM_TRY(pm_store__run(&q, NULL, NULL, err));
    PM_TRY(pm_store__prepare(store, "DELETE FROM estimate WHERE run_id = ?", &q, err));
    pm_store__bind_int(&q, run_id);
    return pm_store__run(&q, NULL, NULL, err);
}

int pm_store_add_judgement(struct pm_store *store, const struct pm_judgement_row *row,
                           struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO judgement (execution_id, outcome, stage, detail,"
                             " smallest_rtol, counts, case_counts, why, rule)"
                             " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_int(&q, row->execution_id);
    pm_store__bind_text(&q, pm_outcome_text(row->outcome));
    pm_store__bind_text(&q, pm_stage_text(row->stage));
    pm_store__bind_text(&q, row->detail);
    pm_store__bind_real(&q, row->smallest_rtol);
    pm_store__bind_int(&q, row->counts);
    pm_store__bind_int(&q, row->case_counts);
    pm_store__bind_text(&q, row->why);
    pm_store__bind_text(&q, row->rule);
    return pm_store__run(&q, NULL, NULL, err);
}

static void read_judgement(struct pm_store__query *q, struct pm_judgement_row *judgement)
{
    judgement->execution_id = pm_store__row(q, "judgement of execution");
    judgement->target_id = pm_store__id(q);
    judgement->case_id = pm_store__id(q);
    judgement->repetition = pm_store__whole(q, 0, PM_STORE__MOST_REPETITION);
    judgement->function = pm_store__line(q);
    judgement->name = pm_store__line(q);
    judgement->dtype = pm_store__line(q);
    judgement->host_only = pm_store__flag(q);
    judgement->size = pm_store__flag(q) ? PM_SIZE_LARGE : PM_SIZE_SMALL;
    judgement->outcome = PM_STORE__WORD(q, outcome);
    judgement->stage = PM_STORE__WORD(q, stage);
    judgement->detail = pm_store__line(q);
    judgement->smallest_rtol = pm_store__real(q, 0, INFINITY);
    judgement->counts = pm_store__flag(q);
    judgement->case_counts = pm_store__flag(q);
    judgement->why = pm_store__line(q);
    judgement->rule = pm_store__line(q);
    judgement->reason = PM_STORE__WORD(q, reason);
    judgement->shared = pm_store__flag(q);
    judgement->expects = pm_store__flag(q);
    judgement->checks = pm_store__flag(q);
    judgement->raises = pm_store__flag(q);
    judgement->backward = pm_store__flag(q);
}

/* Whether the definition of a case has a key; one that is damaged has none. */
#define HAS_KEY(key)                                                                               \
    "CASE WHEN json_valid(definition) THEN json_type(definition, '$." key                          \
    "') IS NOT NULL ELSE 0 END AS has_" key

int pm_store_judgements(struct pm_store *store, int64_t run_id, pm_judgement_fn *row, void *ctx,
                        struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(
        store,
        /* each definition is parsed once, not for each of its executions */
        "WITH tested AS MATERIALIZED (SELECT id, function, name, dtype, host_only, large,"
        " " HAS_KEY("expect") ", " HAS_KEY("check") ", " HAS_KEY("raises") ", " HAS_KEY(
            "backward") " FROM test_case WHERE id IN (SELECT case_id FROM execution WHERE run_id = "
                        "?1))"
                        " SELECT j.execution_id, e.target_id, e.case_id, e.repetition, c.function, "
                        "c.name, c.dtype,"
                        " c.host_only, c.large, j.outcome, j.stage, j.detail, j.smallest_rtol,"
                        " j.counts, j.case_counts, j.why, j.rule, e.reason, e.shared, "
                        "c.has_expect, "
                        "c.has_check, "
                        "c.has_raises, c.has_backward"
                        " FROM execution e JOIN judgement j ON j.execution_id = e.id"
                        " JOIN tested c ON c.id = e.case_id WHERE e.run_id = ?1"
                        " ORDER BY e.target_id, c.function, e.case_id, e.repetition, e.reason",
        &q, err));
    pm_store__bind_int(&q, run_id);
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_judgement_row judgement;
        read_judgement(&q, &judgement);
        if ((rc = pm_store__sound(&q, err)) != 0 || (rc = row(ctx, &judgement)) != 0)
            break;
    }
    pm_store__close(&q);
    return rc;
}

int pm_store_add_verdict(struct pm_store *store, const struct pm_verdict_row *row,
                         struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO verdict (run_id, target_id, function, verdict,"
                             " verdict_study, counted, passed, flaky, host_only, detail,"
                             " why, rule) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                             &q, err));
    pm_store__bind_int(&q, row->run_id);
    pm_store__bind_int(&q, row->target_id);
    pm_store__bind_text(&q, row->function);
    pm_store__bind_text(&q, pm_verdict_text(row->verdict));
    pm_store__bind_text(&q, pm_verdict_text(row->verdict_study));
    pm_store__bind_int(&q, row->counted);
    pm_store__bind_int(&q, row->passed);
    pm_store__bind_int(&q, row->flaky);
    pm_store__bind_int(&q, row->host_only);
    pm_store__bind_text(&q, row->detail);
    pm_store__bind_text(&q, row->why);
    pm_store__bind_text(&q, row->rule);
    return pm_store__run(&q, NULL, NULL, err);
}

static void read_verdict(struct pm_store__query *q, struct pm_verdict_row *verdict)
{
    verdict->run_id = pm_store__row(q, "verdict of run");
    verdict->target_id = pm_store__id(q);
    verdict->function = pm_store__line(q);
    verdict->verdict = PM_STORE__WORD(q, verdict);
    verdict->verdict_study = PM_STORE__WORD(q, verdict);
    verdict->counted = pm_store__count(q);
    verdict->passed = pm_store__whole(q, 0, verdict->counted);
    verdict->flaky = pm_store__whole(q, 0, verdict->counted);
    verdict->host_only = pm_store__flag(q);
    verdict->detail = pm_store__line(q);
    verdict->why = pm_store__line(q);
    verdict->rule = pm_store__line(q);
}

int pm_store_verdicts(struct pm_store *store, int64_t run_id, pm_verdict_fn *row, void *ctx,
                      struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(
        store,
        "SELECT run_id, target_id, function, verdict, verdict_study, counted,"
        " passed, flaky, host_only, detail, why, rule FROM verdict WHERE run_id = ?"
        " ORDER BY target_id, function",
        &q, err));
    pm_store__bind_int(&q, run_id);
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_verdict_row verdict;
        read_verdict(&q, &verdict);
        if ((rc = pm_store__sound(&q, err)) != 0 || (rc = row(ctx, &verdict)) != 0)
            break;
    }
    pm_store__close(&q);
    return rc;
}

int pm_store_add_statistic(struct pm_store *store, const struct pm_statistic_row *row,
                           struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(
        pm_store__prepare(store,
                          "INSERT INTO statistic (run_id, target_id, scope, function, name, clock,"
                          " size, what, value, low, high, processes, control_processes, unstable)"
                          " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                          &q, err));
    pm_store__bind_int(&q, row->run_id);
    pm_store__bind_int(&q, row->target_id);
    pm_store__bind_text(&q, pm_scope_text(row->scope));
    pm_store__bind_text(&q, row->function);
    pm_store__bind_text(&q, row->name);
    pm_store__bind_text(&q, pm_clock_text(row->clock));
    pm_store__bind_text(&q, pm_size_text(row->size));
    pm_store__bind_text(&q, pm_statistic_text(row->what));
    pm_store__bind_real(&q, row->value);
    pm_store__bind_real(&q, row->low);
    pm_store__bind_real(&q, row->high);
    pm_store__bind_int(&q, row->processes);
    pm_store__bind_int(&q, row->control_processes);
    pm_store__bind_int(&q, row->unstable);
    return pm_store__run(&q, NULL, NULL, err);
}

static void read_statistic(struct pm_store__query *q, struct pm_statistic_row *statistic)
{
    pm_store__row(q, "statistic");
    statistic->run_id = pm_store__id(q);
    statistic->target_id = pm_store__id(q);
    statistic->scope = PM_STORE__WORD(q, scope);
    statistic->function = pm_store__line(q);
    statistic->name = pm_store__line(q);
    statistic->clock = PM_STORE__WORD(q, clock);
    statistic->size = PM_STORE__WORD(q, size);
    statistic->what = PM_STORE__WORD(q, statistic);
    statistic->value = pm_store__real(q, 0, INFINITY);
    statistic->low = pm_store__real(q, 0, INFINITY);
    statistic->high = pm_store__real(q, 0, INFINITY);
    statistic->processes = pm_store__count(q);
    statistic->control_processes = pm_store__count(q);
    statistic->unstable = pm_store__flag(q);
}

int pm_store_statistics(struct pm_store *store, int64_t run_id, enum pm_scope scope,
                        pm_statistic_fn *row, void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(
        pm_store__prepare(store,
                          "SELECT id, run_id, target_id, scope, function, name, clock, size, what,"
                          " value, low, high, processes, control_processes, unstable"
                          " FROM statistic WHERE run_id = ?1 AND (?2 = '' OR scope = ?2)"
                          " ORDER BY target_id, function, name, clock, size, what",
                          &q, err));
    pm_store__bind_int(&q, run_id);
    pm_store__bind_text(&q, scope == PM_SCOPE_COUNT ? "" : pm_scope_text(scope));
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_statistic_row statistic;
        read_statistic(&q, &statistic);
        if ((rc = pm_store__sound(&q, err)) != 0 || (rc = row(ctx, &statistic)) != 0)
            break;
    }
    pm_store__close(&q);
    return rc;
}
