/* Children, and the executions that are the ledger of a run. */
#include <limits.h>
#include <string.h>

#include "store/executions.h"
#include "store/store_private.h"
#include "store/word.h"

/* The columns from pid to strays: how a child ended. */
static void bind_ending(struct pm_store__query *q, const struct pm_child_row *child)
{
    pm_store__bind_int(q, child->pid);
    pm_store__bind_text(q, pm_ending_kind_text(child->ending));
    pm_store__bind_int(q, child->code);
    pm_store__bind_message(q, child->text);
    pm_store__bind_message(q, child->output);
    pm_store__bind_int(q, child->output_bytes);
    pm_store__bind_int(q, child->wall_ns);
    pm_store__bind_int(q, child->user_ns);
    pm_store__bind_int(q, child->system_ns);
    pm_store__bind_int(q, child->max_rss);
    pm_store__bind_int(q, child->strays);
}

int pm_store_add_child(struct pm_store *store, const struct pm_child_row *child, int64_t *id,
                       struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(
        pm_store__prepare(store,
                          "INSERT INTO child (run_id, target_id, pid, ending, code, text, output,"
                          " output_bytes, wall_ns, user_ns, system_ns, max_rss, strays,"
                          " startup_ns, started, threads)"
                          " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                          &q, err));
    pm_store__bind_int(&q, child->run_id);
    pm_store__bind_int(&q, child->target_id);
    bind_ending(&q, child);
    pm_store__bind_int(&q, child->startup_ns);
    pm_store__bind_message_json(&q, child->started);
    pm_store__bind_int(&q, child->threads);
    return pm_store__run(&q, id, NULL, err);
}

int pm_store_finish_child(struct pm_store *store, const struct pm_child_row *child,
                          struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "UPDATE child SET pid = ?, ending = ?, code = ?, text = ?, output = ?,"
                             " output_bytes = ?, wall_ns = ?, user_ns = ?, system_ns = ?,"
                             " max_rss = ?, strays = ? WHERE id = ?",
                             &q, err));
    bind_ending(&q, child);
    pm_store__bind_int(&q, child->id);
    return pm_store__run_one(&q, "child", child->id, err);
}

int pm_store_plan_execution(struct pm_store *store, int64_t run_id, int64_t target_id,
                            int64_t case_id, int64_t repetition, enum pm_reason reason, int64_t *id,
                            struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(
        pm_store__prepare(store,
                          "INSERT INTO execution (run_id, target_id, case_id, repetition, reason)"
                          " VALUES (?, ?, ?, ?, ?)",
                          &q, err));
    pm_store__bind_int(&q, run_id);
    pm_store__bind_int(&q, target_id);
    pm_store__bind_int(&q, case_id);
    pm_store__bind_int(&q, repetition);
    pm_store__bind_text(&q, pm_reason_text(reason));
    const int rc = pm_store__run(&q, id, NULL, err);
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
                             "execution %lld has a result already: report this fault of portmeter",
                             (long long)id)
              : pm_error_set(
                    err, PM_ENOTFOUND,
                    "database '%s' has no execution %lld: list the runs with portmeter runs",
                    store->path, (long long)id);
}

int pm_store_finish_execution(struct pm_store *store, const struct pm_execution_row *execution,
                              struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             "UPDATE execution SET state = 'done', child_id = ?, answered = ?,"
                             " stage = ?, ending = ?, ending_code = ?, ending_text = ?, result = ?,"
                             " position = ? WHERE id = ? AND state = 'todo'",
                             &q, err));
    pm_store__bind_id(&q, execution->child_id);
    pm_store__bind_int(&q, execution->answered);
    pm_store__bind_text(&q, pm_stage_text(execution->stage));
    pm_store__bind_text(&q, pm_ending_kind_text(execution->ending));
    pm_store__bind_int(&q, execution->ending_code);
    pm_store__bind_message(&q, execution->ending_text);
    pm_store__bind_message_json(&q, execution->result);
    pm_store__bind_int(&q, execution->position);
    pm_store__bind_int(&q, execution->id);
    int changed = 0;
    PM_TRY(pm_store__run(&q, NULL, &changed, err));
    return changed ? PM_OK : say_why_unfinished(store, execution->id, err);
}

static void read_execution(struct pm_store__query *q, struct pm_execution_row *execution)
{
    execution->id = pm_store__row(q, "execution");
    execution->run_id = pm_store__id(q);
    execution->target_id = pm_store__id(q);
    execution->case_id = pm_store__id(q);
    execution->repetition = pm_store__whole(q, 0, PM_STORE__MOST_REPETITION);
    execution->reason = PM_STORE__WORD(q, reason);
    execution->state = PM_STORE__WORD(q, execution_state);
    execution->child_id = pm_store__id_or_none(q);
    execution->answered = pm_store__flag(q);
    execution->stage = PM_STORE__WORD(q, stage);
    execution->ending = PM_STORE__WORD(q, ending_kind);
    execution->ending_code = pm_store__whole(q, INT_MIN, INT_MAX);
    execution->ending_text = pm_store__line(q);
    execution->result = pm_store__json(q, PM_STORE__MAY_LACK);
    execution->position = pm_store__whole(q, 0, PM_STORE__MOST_COUNT);
    execution->kills = pm_store__whole(q, 0, PM_STORE__MOST_REPETITION);
    execution->kills_alone = pm_store__whole(q, 0, PM_STORE__MOST_REPETITION);
    pm_store__row(q, "test_case");
    execution->function = pm_store__line(q);
    execution->name = pm_store__line(q);
    execution->dtype = pm_store__line(q);
    execution->definition = pm_store__json(q, PM_STORE__NEEDED);
    execution->host_only = pm_store__flag(q);
    execution->size = pm_store__flag(q) ? PM_SIZE_LARGE : PM_SIZE_SMALL;
}

#define SELECT_EXECUTIONS                                                                          \
    "SELECT e.id, e.run_id, e.target_id, e.case_id, e.repetition, e.reason, e.state, e.child_id,"  \
    " e.answered, e.stage, e.ending, e.ending_code, e.ending_text, e.result,"                      \
    " e.position, e.kills, e.kills_alone, c.id, c.function, c.name, c.dtype, c.definition,"        \
    " c.host_only, c.large"                                                                        \
    " FROM execution e JOIN test_case c ON c.id = e.case_id WHERE "

static int give_executions(struct pm_store__query *q, pm_execution_fn *row, void *ctx,
                           struct pm_error *err)
{
    PM_STORE__GIVE_ROWS(q, struct pm_execution_row, read_execution, row, ctx, err);
}

int pm_store_executions(struct pm_store *store, int64_t run_id, int64_t target_id,
                        pm_execution_fn *row, void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store,
                             SELECT_EXECUTIONS
                             "e.run_id = ?1 AND (?2 = 0 OR e.target_id = ?2)"
                             " ORDER BY e.target_id, c.function, e.case_id, e.repetition, e.reason",
                             &q, err));
    pm_store__bind_int(&q, run_id);
    pm_store__bind_int(&q, target_id);
    return give_executions(&q, row, ctx, err);
}

int pm_store_execution(struct pm_store *store, int64_t id, pm_execution_fn *row, void *ctx,
                       struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(store, SELECT_EXECUTIONS "e.id = ?1", &q, err));
    pm_store__bind_int(&q, id);
    return give_executions(&q, row, ctx, err);
}

int pm_store_function_times(struct pm_store *store, int64_t run_id, pm_function_time_fn *row,
                            void *ctx, struct pm_error *err)
{
    struct pm_store__query q;
    PM_TRY(pm_store__prepare(
        store,
        "SELECT target_id, sum(wall_ns), max(max_rss), function FROM (SELECT DISTINCT"
        " e.target_id, c.function, h.id, h.wall_ns, h.max_rss FROM execution e"
        " JOIN test_case c ON c.id = e.case_id JOIN child h ON h.id = e.child_id"
        " WHERE e.run_id = ? AND e.reason = '')"
        " GROUP BY target_id, function",
        &q, err));
    pm_store__bind_int(&q, run_id);
    int rc;
    while ((rc = pm_store__next(&q, err)) > 0) {
        struct pm_function_time_row time = {.target_id = pm_store__row(&q, "target")};
        time.wall_ns = pm_store__whole(&q, 0, INT64_MAX);
        time.max_rss = pm_store__whole(&q, 0, INT64_MAX);
        time.function = pm_store__line(&q);
        if ((rc = pm_store__sound(&q, err)) != 0 || (rc = row(ctx, &time)) != 0)
            break;
    }
    pm_store__close(&q);
    return rc;
}
