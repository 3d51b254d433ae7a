/* Stores child processes and executions, which record the progress of a run. */
#include "store/executions.h"
#include "store/description.h"

static const struct pm_store__column child_columns[] = {
    {"id", PM_STORE__NAMING(child, id, "child"), PM_STORE__GIVEN},
    {"run_id", PM_STORE__ID(child, run_id)},
    {"target_id", PM_STORE__ID(child, target_id)},
    {"pid", PM_STORE__COUNT(child, pid), PM_STORE__CHANGES},
    {"ending", PM_STORE__WORD(child, ending, ending_kind), PM_STORE__CHANGES},
    {"code", PM_STORE__WHOLE(child, code, INT_MIN, INT_MAX), PM_STORE__CHANGES},
    {"text", PM_STORE__LINE(child, text), PM_STORE__HIDDEN | PM_STORE__CHANGES},
    {"output", PM_STORE__LONG(child, output), PM_STORE__HIDDEN | PM_STORE__CHANGES},
    {"output_bytes", PM_STORE__WHOLE(child, output_bytes, 0, INT64_MAX), PM_STORE__CHANGES},
    {"wall_ns", PM_STORE__WHOLE(child, wall_ns, 0, INT64_MAX), PM_STORE__CHANGES},
    {"user_ns", PM_STORE__WHOLE(child, user_ns, 0, INT64_MAX), PM_STORE__CHANGES},
    {"system_ns", PM_STORE__WHOLE(child, system_ns, 0, INT64_MAX), PM_STORE__CHANGES},
    {"max_rss", PM_STORE__WHOLE(child, max_rss, 0, INT64_MAX), PM_STORE__CHANGES},
    {"strays", PM_STORE__COUNT(child, strays), PM_STORE__CHANGES},
    {"startup_ns", PM_STORE__WHOLE(child, startup_ns, -1, INT64_MAX)},
    {"started", PM_STORE__JSON(child, started), PM_STORE__HIDDEN | PM_STORE__EMPTY},
    {"threads", PM_STORE__COUNT(child, threads)},
};
static const struct pm_store__rows children = PM_STORE__ROWS("child", "child", child_columns);

int pm_store_add_child(struct pm_store *store, const struct pm_child_row *child, int64_t *id,
                       struct pm_error *err)
{
    return pm_store__add(store, &children, child, id, err);
}

int pm_store_finish_child(struct pm_store *store, const struct pm_child_row *child,
                          struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__change(store, &children, child, " WHERE id = ?", &q, err));
    pm_store__bind_int(&q, child->id);
    return pm_store__run_one(&q, "child", child->id, err);
}

/* A row is added when an execution is planned. Columns with the flags DONE are set when it is
 * done. */
static const struct pm_store__column execution_columns[] = {
    {"e.id", PM_STORE__NAMING(execution, id, "execution"), PM_STORE__GIVEN},
    {"e.run_id", PM_STORE__ID(execution, run_id)},
    {"e.target_id", PM_STORE__ID(execution, target_id)},
    {"e.case_id", PM_STORE__ID(execution, case_id)},
    {"e.repetition", PM_STORE__WHOLE(execution, repetition, 0, PM_STORE__MOST_REPETITION)},
    {"e.retry", PM_STORE__WORD(execution, retry, retry)},
    {"e.state", PM_STORE__WORD(execution, state, execution_state), PM_STORE__DONE},
    {"e.child_id", PM_STORE__ID_OR_NONE(execution, child_id), PM_STORE__DONE},
    {"e.answered", PM_STORE__FLAG(execution, answered), PM_STORE__DONE},
    {"e.stage", PM_STORE__WORD(execution, stage, stage), PM_STORE__DONE},
    {"e.ending", PM_STORE__WORD(execution, ending, ending_kind), PM_STORE__DONE},
    {"e.ending_code", PM_STORE__WHOLE(execution, ending_code, INT_MIN, INT_MAX), PM_STORE__DONE},
    {"e.ending_text", PM_STORE__LINE(execution, ending_text), PM_STORE__DONE | PM_STORE__HIDDEN},
    {"e.result", PM_STORE__JSON(execution, result),
     PM_STORE__DONE | PM_STORE__HIDDEN | PM_STORE__EMPTY},
    {"e.position", PM_STORE__COUNT(execution, position), PM_STORE__DONE},
    {"e.kills", PM_STORE__WHOLE(execution, kills, 0, PM_STORE__MOST_REPETITION), PM_STORE__GIVEN},
    {"e.kills_alone", PM_STORE__WHOLE(execution, kills_alone, 0, PM_STORE__MOST_REPETITION),
     PM_STORE__GIVEN},
    {"c.id", PM_STORE__NAME_ONLY("test_case")},
    {"c.function", PM_STORE__LINE(execution, function), PM_STORE__GIVEN},
    {"c.name", PM_STORE__LINE(execution, name), PM_STORE__GIVEN},
    {"c.dtype", PM_STORE__LINE(execution, dtype), PM_STORE__GIVEN},
    {"c.definition", PM_STORE__JSON(execution, definition), PM_STORE__GIVEN},
    {"c.host_only", PM_STORE__FLAG(execution, host_only), PM_STORE__GIVEN},
    {"c.large", PM_STORE__LARGE(execution, size), PM_STORE__GIVEN},
    {"c.kind", PM_STORE__WORD(execution, kind, case_kind), PM_STORE__GIVEN},
};
static const struct pm_store__rows executions = PM_STORE__ROWS(
    "execution", "execution e JOIN test_case c ON c.id = e.case_id", execution_columns);

int pm_store_plan_execution(struct pm_store *store, int64_t run_id, int64_t target_id,
                            int64_t case_id, int64_t repetition, enum pm_retry retry, int64_t *id,
                            struct pm_error *err)
{
    const struct pm_execution_row planned = {.run_id = run_id,
                                             .target_id = target_id,
                                             .case_id = case_id,
                                             .repetition = repetition,
                                             .retry = retry};
    const int rc = pm_store__add(store, &executions, &planned, id, err);
    if (rc == PM_EFORMAT && sqlite3_extended_errcode(store->db) == SQLITE_CONSTRAINT_UNIQUE)
        return pm_error_set(err, PM_EBUSY,
                            "repetition %lld of case %lld on target %lld is planned twice: report "
                            "this fault of portmeter",
                            (long long)repetition, (long long)case_id, (long long)target_id);
    return rc;
}

int pm_store_note_kill(struct pm_store *store, int64_t id, bool alone, bool committed,
                       struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "UPDATE execution SET kills = kills + 1, kills_alone ="
                             " CASE WHEN NOT ?1 THEN 0 WHEN ?2 THEN 1 ELSE kills_alone + 1 END"
                             " WHERE id = ?3 AND state = 'todo'",
                             &q, err));
    pm_store__bind_int(&q, alone);
    pm_store__bind_int(&q, committed);
    pm_store__bind_int(&q, id);
    return pm_store__run(&q, NULL, NULL, err);
}

static int say_why_unfinished(struct pm_store *store, int64_t id, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store, "SELECT 1 FROM execution WHERE id = ?", &q, err));
    pm_store__bind_int(&q, id);
    const int rc = pm_store__next(&q, err);
    pm_store__close(&q);
    if (rc < 0)
        return rc;
    return rc ? pm_error_set(err, PM_EBUSY,
                             "execution %lld already has a result: report this fault of portmeter",
                             (long long)id)
              : pm_error_set(
                    err, PM_ENOTFOUND,
                    "database '%s' has no execution %lld: list the runs with portmeter runs",
                    store->path, (long long)id);
}

int pm_store_finish_execution(struct pm_store *store, const struct pm_execution_row *execution,
                              struct pm_error *err)
{
    struct pm_execution_row done = *execution;
    struct pm_store__query q;
    done.state = PM_EXECUTION_DONE;
    PM_TRY(
        pm_store__change(store, &executions, &done, " WHERE id = ? AND state = 'todo'", &q, err));
    pm_store__bind_int(&q, execution->id);
    int changed = 0;
    PM_TRY(pm_store__run(&q, NULL, &changed, err));
    return changed ? PM_OK : say_why_unfinished(store, execution->id, err);
}

static int give_executions(struct pm_store__query *q, pm_execution_fn *row, void *ctx,
                           struct pm_error *err)
{
    PM_STORE__GIVE_ROWS(q, &executions, struct pm_execution_row, row, ctx, err);
}

int pm_store_executions(struct pm_store *store, int64_t run_id, int64_t target_id,
                        pm_execution_fn *row, void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &executions,
                            " WHERE e.run_id = ?1 AND (?2 = 0 OR e.target_id = ?2)"
                            " ORDER BY e.target_id, c.function, e.case_id, e.repetition, e.retry",
                            &q, err));
    pm_store__bind_int(&q, run_id);
    pm_store__bind_int(&q, target_id);
    return give_executions(&q, row, ctx, err);
}

int pm_store_execution(struct pm_store *store, int64_t id, pm_execution_fn *row, void *ctx,
                       struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &executions, " WHERE e.id = ?1", &q, err));
    pm_store__bind_int(&q, id);
    return give_executions(&q, row, ctx, err);
}

static const struct pm_store__column function_time_columns[] = {
    {"target_id", PM_STORE__NAMING(function_time, target_id, "target")},
    {"sum(wall_ns)", PM_STORE__WHOLE(function_time, wall_ns, 0, INT64_MAX)},
    {"max(max_rss)", PM_STORE__WHOLE(function_time, max_rss, 0, INT64_MAX)},
    {"function", PM_STORE__LINE(function_time, function)},
};
static const struct pm_store__rows function_times = PM_STORE__ROWS(
    NULL,
    "(SELECT DISTINCT e.target_id, c.function, h.id, h.wall_ns, h.max_rss FROM execution e"
    " JOIN test_case c ON c.id = e.case_id JOIN child h ON h.id = e.child_id"
    " WHERE e.run_id = ? AND e.retry = '')",
    function_time_columns);

int pm_store_function_times(struct pm_store *store, int64_t run_id, pm_function_time_fn *row,
                            void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__select(store, &function_times, " GROUP BY target_id, function", &q, err));
    pm_store__bind_int(&q, run_id);
    PM_STORE__GIVE_ROWS(&q, &function_times, struct pm_function_time_row, row, ctx, err);
}
