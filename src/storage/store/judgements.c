/* Canaries, and what a run is judged to be under the rules. */
#include <math.h>

#include "base/alloc.h"
#include "store/judged.h"
#include "store/runs.h"
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
    pm_store__bind_message(&q, canary->detail);
    return pm_store__run(&q, NULL, NULL, err);
}

static void read_canary(struct pm_store__query *q, struct pm_canary_row *row)
{
    row->run_id = pm_store__row(q, "self-check of run");
    row->target_id = pm_store__id(q);
    row->name = pm_store__line(q);
    row->expected = PM_STORE__WORD(q, outcome);
    row->observed = PM_STORE__WORD(q, observation);
    row->as_expected = pm_store__flag(q);
    row->detail = pm_store__line(q);
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
    PM_STORE__GIVE_ROWS(&q, struct pm_canary_row, read_canary, row, ctx, err);
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
    for (size_t i = 0; i < sizeof deletions / sizeof *deletions; i++) {
        struct pm_store__query q;
        PM_TRY(pm_store__prepare_literal(store, deletions[i], &q, err));
        pm_store__bind_int(&q, run_id);
        PM_TRY(pm_store__run(&q, NULL, NULL, err));
    }
    return PM_OK;
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

/* ---- judgements of a run -------------------------------------------------------------------- */

/* Whether the definition of a case has a key; one that is damaged has none. */
#define HAS_KEY(key)                                                                               \
    "CASE WHEN json_valid(definition) THEN json_type(definition, '$." key                          \
    "') IS NOT NULL ELSE 0 END"

/* What is the same in all judgements of a case; the strings are the list's. */
struct tested {
    struct pm_judgement_row row;
    char *function, *name, *dtype;
};
struct tested_list {
    struct tested *items;
    size_t count, capacity;
};

static void read_tested(struct pm_store__query *q, struct pm_judgement_row *row)
{
    row->case_id = pm_store__row(q, "test_case");
    row->function = pm_store__line(q);
    row->name = pm_store__line(q);
    row->dtype = pm_store__line(q);
    row->host_only = pm_store__flag(q);
    row->size = pm_store__flag(q) ? PM_SIZE_LARGE : PM_SIZE_SMALL;
    row->expects = pm_store__flag(q);
    row->checks = pm_store__flag(q);
    row->raises = pm_store__flag(q);
    row->backward = pm_store__flag(q);
}

/* All cases of the file, so that each definition is parsed once, not for each of its executions. */
static int list_tested(struct pm_store *store, struct tested_list *list, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(
        store,
        "SELECT id, function, name, dtype, host_only, large, " HAS_KEY("expect") ", " HAS_KEY(
            "check") ", " HAS_KEY("raises") ", " HAS_KEY("backward") " FROM test_case ORDER BY "
                                                                     "function, id",
        &q, err));
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_judgement_row row = {0};
        read_tested(&q, &row);
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

static void read_judgement(struct pm_store__query *q, struct pm_judgement_row *judgement)
{
    judgement->execution_id = pm_store__row(q, "judgement of execution");
    judgement->repetition = pm_store__whole(q, 0, PM_STORE__MOST_REPETITION);
    judgement->reason = PM_STORE__WORD(q, reason);
    judgement->position = pm_store__whole(q, 0, PM_STORE__MOST_COUNT);
    judgement->outcome = PM_STORE__WORD(q, outcome);
    judgement->stage = PM_STORE__WORD(q, stage);
    judgement->detail = pm_store__line(q);
    judgement->smallest_rtol = pm_store__real(q, 0, INFINITY);
    judgement->counts = pm_store__flag(q);
    judgement->case_counts = pm_store__flag(q);
    judgement->why = pm_store__line(q);
    judgement->rule = pm_store__line(q);
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
    PM_TRY(pm_store__prepare(store,
                             "SELECT e.id, e.repetition, e.reason, e.position, j.outcome, j.stage,"
                             " j.detail, j.smallest_rtol, j.counts, j.case_counts, j.why, j.rule"
                             " FROM execution e JOIN judgement j ON j.execution_id = e.id"
                             " WHERE e.run_id = ? AND e.target_id = ? AND e.case_id = ?"
                             " ORDER BY e.repetition, e.reason",
                             &q, err));
    pm_store__bind_int(&q, run_id);
    pm_store__bind_int(&q, like->target_id);
    pm_store__bind_int(&q, like->case_id);
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        read_judgement(&q, &judgement);
        if ((rc = pm_store__sound(&q, err)) != 0 || (rc = row(ctx, &judgement)) != 0)
            break;
    }
    pm_store__close(&q);
    return rc;
}

/* The next target with executions in the run; 0: no more. */
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

/* In the order of the index of executions: sorting a million rows would take longer than all else.
 */
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

int pm_store_add_judged_case(struct pm_store *store, const struct pm_judged_case_row *row,
                             struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "INSERT INTO judged_case (run_id, target_id, case_id, judged,"
                             " repetitions, passed, failed, blocked, counts, alike, expects,"
                             " checks, raises, backward, outcome, stage, detail, why, rule, error)"
                             " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                             &q, err));
    const int64_t numbers[] = {row->run_id,      row->target_id, row->case_id, row->judged,
                               row->repetitions, row->passed,    row->failed,  row->blocked,
                               row->counts,      row->alike,     row->expects, row->checks,
                               row->raises,      row->backward};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        pm_store__bind_int(&q, numbers[i]);
    pm_store__bind_text(&q, pm_outcome_text(row->outcome));
    pm_store__bind_text(&q, pm_stage_text(row->stage));
    pm_store__bind_text(&q, row->detail);
    pm_store__bind_text(&q, row->why);
    pm_store__bind_text(&q, row->rule);
    pm_store__bind_real(&q, row->error);
    return pm_store__run(&q, NULL, NULL, err);
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

/* 0 where the row is what summing up can give. */
static int check_judged_case(const struct pm_store *store, const struct pm_judged_case_row *row,
                             struct pm_error *err)
{
    const bool one_kind =
        row->judged == row->passed || row->judged == row->failed || row->judged == row->blocked;
    const bool passes = row->outcome == PM_OUTCOME_PASS;
    if ((row->alike && !one_kind) || passes != (row->failed + row->blocked == 0) ||
        row->outcome == PM_OUTCOME_HARNESS || row->outcome == PM_OUTCOME_NOT_APPLICABLE)
        return pm_store_damaged(store, err,
                                "the counts of row 'judged case %lld of run %lld' do not match "
                                "its outcome",
                                (long long)row->case_id, (long long)row->run_id);
    return PM_OK;
}

static void read_judged_case(struct pm_store__query *q, struct pm_judged_case_row *row)
{
    row->case_id = pm_store__row(q, "judged case");
    row->run_id = pm_store__id(q);
    row->target_id = pm_store__id(q);
    row->judged = pm_store__whole(q, 1, PM_STORE__MOST_COUNT);
    row->repetitions = pm_store__whole(q, 0, PM_STORE__MOST_REPETITION + 1);
    row->passed = pm_store__whole(q, 0, row->judged);
    row->failed = pm_store__whole(q, 0, row->judged - row->passed);
    row->blocked = pm_store__whole(q, 0, row->judged - row->passed - row->failed);
    row->counts = pm_store__flag(q);
    row->alike = pm_store__flag(q);
    row->expects = pm_store__flag(q);
    row->checks = pm_store__flag(q);
    row->raises = pm_store__flag(q);
    row->backward = pm_store__flag(q);
    row->outcome = PM_STORE__WORD(q, outcome);
    row->stage = PM_STORE__WORD(q, stage);
    row->detail = pm_store__line(q);
    row->why = pm_store__line(q);
    row->rule = pm_store__line(q);
    row->error = pm_store__real(q, 0, INFINITY);
}

int pm_store_judged_cases(struct pm_store *store, int64_t run_id, pm_judged_case_fn *row, void *ctx,
                          struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "SELECT case_id, run_id, target_id, judged, repetitions, passed,"
                             " failed, blocked, counts, alike, expects, checks, raises, backward,"
                             " outcome, stage, detail, why, rule, error FROM judged_case"
                             " WHERE run_id = ? ORDER BY target_id, case_id",
                             &q, err));
    pm_store__bind_int(&q, run_id);
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_judged_case_row judged;
        read_judged_case(&q, &judged);
        if ((rc = pm_store__sound(&q, err)) != 0 ||
            (rc = check_judged_case(store, &judged, err)) != 0 || (rc = row(ctx, &judged)) != 0)
            break;
    }
    pm_store__close(&q);
    return rc;
}

/* ---- verdicts, statistics ------------------------------------------------------------------- */

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
    PM_STORE__GIVE_ROWS(&q, struct pm_verdict_row, read_verdict, row, ctx, err);
}

int pm_store_add_statistic(struct pm_store *store, const struct pm_statistic_row *row,
                           struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(
        pm_store__prepare(store,
                          "INSERT INTO statistic (run_id, target_id, scope, function, name, clock,"
                          " size, what, value, low, high, processes, reference_processes, unstable)"
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
    pm_store__bind_int(&q, row->reference_processes);
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
    statistic->reference_processes = pm_store__count(q);
    statistic->unstable = pm_store__flag(q);
}

static int give_statistics(struct pm_store__query *q, pm_statistic_fn *row, void *ctx,
                           struct pm_error *err)
{
    PM_STORE__GIVE_ROWS(q, struct pm_statistic_row, read_statistic, row, ctx, err);
}

#define STATISTICS                                                                                 \
    "SELECT id, run_id, target_id, scope, function, name, clock, size, what, value, low, high,"    \
    " processes, reference_processes, unstable FROM statistic "
#define IN_ORDER " ORDER BY target_id, function, name, clock, size, what"

int pm_store_statistics(struct pm_store *store, int64_t run_id, enum pm_scope scope,
                        pm_statistic_fn *row, void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    if (scope == PM_SCOPE_COUNT)
        PM_TRY(pm_store__prepare(store, STATISTICS "WHERE run_id = ?1" IN_ORDER, &q, err));
    else
        PM_TRY(pm_store__prepare(store, STATISTICS "WHERE run_id = ?1 AND scope = ?2" IN_ORDER, &q,
                                 err));
    pm_store__bind_int(&q, run_id);
    if (scope != PM_SCOPE_COUNT)
        pm_store__bind_text(&q, pm_scope_text(scope));
    return give_statistics(&q, row, ctx, err);
}

int pm_store_unstable_cases(struct pm_store *store, int64_t run_id, pm_statistic_fn *row, void *ctx,
                            struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             STATISTICS
                             "INDEXED BY statistic_unstable"
                             " WHERE run_id = ?1 AND unstable = 1 AND scope = 'case'" IN_ORDER,
                             &q, err));
    pm_store__bind_int(&q, run_id);
    return give_statistics(&q, row, ctx, err);
}
