/* Creates the members "runs" and "targets" of a report in JSON. */
#include <math.h>

#include "reading/reading.h"

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *json_of_attempt(const struct pm_reading_attempt *attempt)
{
    return json_pack("{s:s, s:s, s:O, s:o, s:o, s:I}", "started", attempt->started, "finished",
                     attempt->finished, "machine", attempt->machine, "load_before",
                     number(attempt->load_before), "load_after", number(attempt->load_after),
                     "shard", (json_int_t)attempt->shard);
}

static json_t *json_of_shards(const struct pm_reading_run *run)
{
    json_t *shards = json_array();
    for (size_t i = 0; i < run->shard_list_count; i++) {
        const struct pm_reading_shard *shard = &run->shards[i];
        json_array_append_new(
            shards, json_pack("{s:I, s:I, s:I, s:I, s:s, s:s}", "number", (json_int_t)shard->number,
                              "count", (json_int_t)run->shard_count, "functions",
                              (json_int_t)shard->functions, "total", (json_int_t)run->shard_total,
                              "reason", shard->reason, "latency_reason", shard->latency_reason));
    }
    return shards;
}

static json_t *json_of_run(const struct pm_reading_run *run)
{
    json_t *attempts = json_array();
    for (size_t i = 0; i < run->attempt_count; i++)
        json_array_append_new(attempts, json_of_attempt(&run->attempts[i]));
    return json_pack(
        "{s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:O, s:o, s:o}", "id", (json_int_t)run->id,
        "started", run->started, "state", pm_run_state_text(run->state), "validity",
        pm_validity_text(run->validity), "validity_reason", run->reason, "latency_validity",
        pm_validity_text(run->latency_validity), "latency_validity_reason", run->latency_reason,
        "planned", (json_int_t)run->planned, "done", (json_int_t)run->done, "options", run->options,
        "attempts", attempts, "shards", json_of_shards(run));
}

static json_t *json_of_target(const struct pm_reading *r, const struct pm_reading_target *t)
{
    json_t *numeric = json_loads(t->numeric, 0, NULL);
    return json_pack("{s:s, s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:o}", "target",
                     t->text, "run", (json_int_t)r->runs[t->run].id, "role", pm_role_text(t->role),
                     "reference", t->reference, "framework", t->framework, "version", t->version,
                     "environment", t->environment, "device", t->device_name, "driver",
                     t->driver_version, "python", t->python, "evidence",
                     pm_evidence_text(t->evidence), "timed", t->latencies, "numeric",
                     numeric ? numeric : json_object());
}

json_t *pm_reading_runs_json(const struct pm_reading *r)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < r->run_list.count; i++)
        if (r->runs[i].shown)
            json_array_append_new(runs, json_of_run(&r->runs[i]));
    return runs;
}

json_t *pm_reading_targets_json(const struct pm_reading *r)
{
    json_t *targets = json_array();
    for (size_t i = 0; i < r->target_list.count; i++)
        json_array_append_new(targets, json_of_target(r, &r->targets[i]));
    return targets;
}
