/* Writes the lines of a report about the nodes and the shards of a run that was divided. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/plural.h"
#include "tables/lines.h"

void pm_tables__add_hardware(struct pm_str *out, const json_t *machine)
{
    const long long cores = pm_json_int(machine, "physical_cores", 0);
    pm_str_addf(out, "%s, %lld core%s, %.0f GiB, %s %s", pm_json_string(machine, "processor", "?"),
                cores, pm_plural(cores),
                (double)pm_json_int(machine, "memory_bytes", 0) / (1 << 30),
                pm_json_string(machine, "system", ""), pm_json_string(machine, "kernel", ""));
}

/* Nodes with the same hardware and system share a line. */
struct node_group {
    const json_t *machine;
    struct pm_str shards; /* "1-3, 5" */
    int64_t first, last;  /* of the open range; first 0: none */
    size_t shard_count;
    double least, most; /* loads before measuring; NaN: not known */
};

static void close_range(struct node_group *group)
{
    if (!group->first)
        return;
    pm_str_addf(&group->shards, "%s%lld", group->shards.length ? ", " : "",
                (long long)group->first);
    if (group->last > group->first)
        pm_str_addf(&group->shards, "-%lld", (long long)group->last);
    group->first = 0;
}

/* Adds an attempt to a group. Attempts are sorted by shard; a shard that was resumed has
 * several. */
static void add_attempt(struct node_group *group, const struct pm_reading_attempt *attempt)
{
    const double load = attempt->load_before;
    if (isfinite(load)) {
        group->least = isnan(group->least) || load < group->least ? load : group->least;
        group->most = isnan(group->most) || load > group->most ? load : group->most;
    }
    if (group->first && attempt->shard == group->last)
        return;
    group->shard_count++;
    if (!group->first || attempt->shard != group->last + 1) {
        close_range(group);
        group->first = attempt->shard;
    }
    group->last = attempt->shard;
}

struct node_groups {
    struct node_group *items;
    size_t count, capacity;
};

static struct node_group *find_group(struct node_groups *groups, const json_t *machine)
{
    for (size_t i = 0; i < groups->count; i++)
        if (json_equal(groups->items[i].machine, machine))
            return &groups->items[i];
    PM_GROW(groups->items, groups->count, groups->capacity);
    groups->items[groups->count] =
        (struct node_group){.machine = machine, .shards = PM_STR_INIT, .least = NAN, .most = NAN};
    return &groups->items[groups->count++];
}

static void add_group(const struct node_group *group, const char *prefix, struct pm_report *report)
{
    struct pm_str text = PM_STR_INIT;
    pm_str_addf(&text, "%sshard%s %s: ", prefix, group->shard_count == 1 ? "" : "s",
                group->shards.data);
    pm_tables__add_hardware(&text, group->machine);
    if (isfinite(group->least) && group->most > group->least)
        pm_str_addf(&text, ", load %.1f to %.1f before", group->least, group->most);
    else if (isfinite(group->least))
        pm_str_addf(&text, ", load %.1f before", group->least);
    pm_report_line(report, "machine", text.data);
    pm_str_release(&text);
}

void pm_tables__lines_of_nodes(const struct pm_reading_run *run, const char *prefix,
                               struct pm_report *report)
{
    struct node_groups groups = {0};
    for (size_t i = 0; i < run->attempt_count; i++)
        add_attempt(find_group(&groups, run->attempts[i].machine), &run->attempts[i]);
    for (size_t i = 0; i < groups.count; i++) {
        close_range(&groups.items[i]);
        add_group(&groups.items[i], prefix, report);
        pm_str_release(&groups.items[i].shards);
    }
    free(groups.items);
}

void pm_tables__lines_of_shards(const struct pm_reading_run *run, const char *prefix,
                                struct pm_report *report)
{
    struct pm_str text = PM_STR_INIT;
    char *share = pm_reading_share(run);
    if (share)
        pm_str_addf(&text, "%sonly %s", prefix, share);
    else if (run->shard_list_count)
        pm_str_addf(&text, "%s%lld, measured separately and merged", prefix,
                    (long long)run->shard_count);
    if (run->shard_list_count)
        pm_report_line(report, "shards", text.data);
    for (size_t i = 0; i < run->shard_list_count; i++) {
        const struct pm_reading_shard *shard = &run->shards[i];
        if (*shard->reason || !*shard->latency_reason)
            continue;
        pm_str_clear(&text);
        pm_str_addf(&text, "%slatencies of shard %lld are INVALID, so they are not printed: %s",
                    prefix, (long long)shard->number, shard->latency_reason);
        pm_report_line(report, "", text.data);
    }
    free(share);
    pm_str_release(&text);
}
