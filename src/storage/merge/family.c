/* Makes one run of the shards of a plan: finds the run to which a shard belongs, and computes what
 * that run stores about all of them. */
#include "merge/merge_private.h"

#include <string.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "base/json.h"
#include "store/connection.h"
#include "store/judged.h"
#include "store/judgements.h"
#include "store/runs.h"
#include "store/shards.h"

/* ---- the members of a file ------------------------------------------------------------------- */

static int keep_member(void *ctx, const struct pm_shard_row *row)
{
    struct pm_merge__families *f = ((struct pm_merge__context *)ctx)->families;
    PM_GROW(f->members, f->member_count, f->member_capacity);
    f->members[f->member_count++] = (struct member){
        .old = row->run_id,
        .number = row->number,
        .count = row->count,
        .functions = row->functions,
        .total = row->total,
        .plan = pm_strdup(row->plan),
        .uuid = pm_strdup(row->uuid),
        .command = pm_strdup(row->command),
        .reason = pm_strdup(""),
        .latency_reason = pm_strdup(""),
    };
    return PM_OK;
}

static void set_text(char **text, char *value)
{
    free(*text);
    *text = value;
}

/* Stores in the member why the results of its run cannot be used. */
static int judge_member(struct pm_merge__context *c, struct member *member,
                        const struct pm_run_row *run)
{
    struct pm_run_progress progress;
    bool summed;
    int64_t cases;
    PM_TRY(pm_store_run_progress(c->from, run->id, &progress, c->err));
    PM_TRY(pm_store_judged_run(c->from, run->id, progress.executions, &summed, &cases, c->err));
    if (run->state != PM_RUN_DONE)
        set_text(&member->reason, pm_format("unfinished, %lld of %lld executions",
                                            (long long)progress.done, (long long)progress.planned));
    else if (run->validity != PM_VALIDITY_VALID)
        set_text(&member->reason, pm_format("INVALID: %s", run->validity_reason));
    else if (!summed)
        set_text(&member->reason, pm_strdup("measured, but not judged: run portmeter judge"));
    if (run->latency_validity != PM_VALIDITY_VALID)
        set_text(&member->latency_reason, pm_strdup(run->latency_validity_reason));
    return PM_OK;
}

/* Chooses one of several runs of the same shard: the newest usable run or, if none is usable, the
 * newest run. Runs come in the order of their start. */
static int meet_run(void *ctx, const struct pm_run_row *run)
{
    struct pm_merge__context *c = ctx;
    struct pm_merge__families *f = c->families;
    struct member *member = pm_merge__member(c, run->id);
    if (!member || strcmp(member->uuid, run->uuid) != 0)
        return PM_OK; /* the run measured no shard, or was merged from shards */
    PM_TRY(judge_member(c, member, run));
    for (size_t i = 0; i < f->member_count; i++) {
        struct member *other = &f->members[i];
        if (other == member || !other->is_chosen || other->number != member->number ||
            strcmp(other->plan, member->plan) != 0)
            continue;
        if (*member->reason && !*other->reason)
            return PM_OK;
        other->is_chosen = false;
    }
    member->is_chosen = true;
    return PM_OK;
}

struct telling {
    struct pm_merge__context *c;
    size_t kept;
};

/* Keeps a member if the run itself measured its shard. Shards of a run that was merged from shards
 * are not members: they are copied with that run. */
static int tell_members(void *ctx, const struct pm_run_row *run)
{
    struct telling *t = ctx;
    struct pm_merge__families *f = t->c->families;
    for (size_t i = 0; i < f->member_count; i++)
        if (f->members[i].old == run->id && !strcmp(f->members[i].uuid, run->uuid)) {
            const struct member swap = f->members[t->kept];
            f->members[t->kept++] = f->members[i];
            f->members[i] = swap;
            return PM_OK;
        }
    return PM_OK;
}

static void release_member(struct member *member)
{
    free(member->plan);
    free(member->uuid);
    free(member->command);
    free(member->reason);
    free(member->latency_reason);
}

int pm_merge__members_read(struct pm_merge__context *c)
{
    struct telling telling = {.c = c};
    pm_merge__members_release(c->families);
    PM_TRY(pm_store_shards(c->from, 0, keep_member, c, c->err));
    if (!c->families->member_count)
        return PM_OK;
    PM_TRY(pm_store_runs(c->from, tell_members, &telling, c->err));
    for (size_t i = telling.kept; i < c->families->member_count; i++)
        release_member(&c->families->members[i]);
    c->families->member_count = telling.kept;
    return pm_store_runs(c->from, meet_run, c, c->err);
}

struct member *pm_merge__member(const struct pm_merge__context *c, int64_t old)
{
    for (size_t i = 0; i < c->families->member_count; i++)
        if (c->families->members[i].old == old)
            return &c->families->members[i];
    return NULL;
}

void pm_merge__members_release(struct pm_merge__families *families)
{
    for (size_t i = 0; i < families->member_count; i++)
        release_member(&families->members[i]);
    families->member_count = 0;
}

/* ---- the families of the database ------------------------------------------------------------ */

static struct family *add_family(struct pm_merge__families *f, int64_t run, int64_t count,
                                 int64_t total, const char *plan, const char *command)
{
    PM_GROW(f->items, f->count, f->capacity);
    f->items[f->count] = (struct family){.run = run,
                                         .count = count,
                                         .total = total,
                                         .plan = pm_strdup(plan),
                                         .command = pm_strdup(command)};
    return &f->items[f->count++];
}

static void add_known(struct family *family, int64_t number, int64_t functions, const char *uuid,
                      const char *reason)
{
    struct known_shard *known = NULL;
    for (size_t i = 0; i < family->shard_count; i++)
        if (family->shards[i].number == number)
            known = &family->shards[i];
    if (!known) {
        PM_GROW(family->shards, family->shard_count, family->shard_capacity);
        known = &family->shards[family->shard_count++];
        *known = (struct known_shard){.number = number};
    }
    known->functions = functions;
    set_text(&known->uuid, pm_strdup(uuid));
    set_text(&known->reason, pm_strdup(reason));
}

static int keep_family(void *ctx, const struct pm_shard_row *row)
{
    struct pm_merge__families *f = ((struct pm_merge__context *)ctx)->families;
    struct family *of = NULL;
    for (size_t i = 0; i < f->count; i++)
        if (f->items[i].run == row->run_id)
            of = &f->items[i];
    if (!of)
        of = add_family(f, row->run_id, row->count, row->total, row->plan, row->command);
    add_known(of, row->number, row->functions, row->uuid, row->reason);
    return PM_OK;
}

int pm_merge__families_read(struct pm_merge__context *c)
{
    return pm_store_shards(c->into, 0, keep_family, c, c->err);
}

static int64_t functions_of(const struct family *family)
{
    int64_t functions = 0;
    for (size_t i = 0; i < family->shard_count; i++)
        functions += *family->shards[i].reason ? 0 : family->shards[i].functions;
    return functions;
}

static const struct known_shard *find_known(const struct family *family, int64_t number)
{
    for (size_t i = 0; i < family->shard_count; i++)
        if (family->shards[i].number == number)
            return &family->shards[i];
    return NULL;
}

/* ---- the family of a member ------------------------------------------------------------------ */

/* Returns a family whose shards the user is merging: one that is incomplete, or that has a shard in
 * a file of this merge. */
static struct family *find_open(const struct pm_merge__context *c)
{
    for (size_t i = 0; i < c->families->count; i++) {
        struct family *family = &c->families->items[i];
        if (family->is_met || functions_of(family) < family->total)
            return family;
    }
    return NULL;
}

/* Finds the family of the plan whose nodes are like that of the member. If there is none, sets
 * *unlike to how the nodes of the first family of the plan differ. The caller frees it. */
static int find_family(struct pm_merge__context *c, const struct member *member,
                       struct family **family, char **unlike)
{
    *family = NULL;
    *unlike = NULL;
    for (size_t i = 0; i < c->families->count && !*family; i++) {
        struct family *candidate = &c->families->items[i];
        char *difference;
        if (strcmp(candidate->plan, member->plan) != 0)
            continue;
        PM_TRY(pm_merge__node_difference(c, member, candidate, &difference));
        if (!difference) {
            *family = candidate;
            set_text(unlike, NULL);
        } else if (*unlike)
            free(difference);
        else
            *unlike = difference;
    }
    return PM_OK;
}

static int refuse_plan(struct pm_merge__context *c, const struct member *member,
                       const struct family *family)
{
    char *why;
    PM_TRY(pm_merge__plan_difference(c, member, family, &why));
    const int rc = pm_error_set(c->err, PM_EUSAGE,
                                "shard %lld/%lld in '%s' belongs to another plan (%s): merge it "
                                "into another database, or use --apart",
                                (long long)member->number, (long long)member->count, c->file, why);
    free(why);
    return rc;
}

static int refuse_node(struct pm_merge__context *c, const struct member *member, const char *unlike)
{
    return pm_error_set(c->err, PM_EUSAGE,
                        "shard %lld/%lld in '%s' was measured on a node unlike the others (%s): "
                        "measure it again on a "
                        "node like the others, or use --apart",
                        (long long)member->number, (long long)member->count, c->file, unlike);
}

static int refuse_twice(struct pm_merge__context *c, const struct member *member)
{
    return pm_error_set(c->err, PM_EUSAGE,
                        "shard %lld/%lld in '%s' was measured a second time: omit this file, or "
                        "merge it into another database",
                        (long long)member->number, (long long)member->count, c->file);
}

/* Decides whether the member has a shard that its family lacks. */
static int decide(struct pm_merge__context *c, const struct member *member,
                  const struct family *family, struct row_id *row)
{
    const struct known_shard *known = find_known(family, member->number);
    row->is_new = !*member->reason && (!known || *known->reason);
    if (known && !*known->reason && !*member->reason && strcmp(known->uuid, member->uuid) != 0)
        return refuse_twice(c, member);
    return PM_OK;
}

int pm_merge__place(struct pm_merge__context *c, const struct member *member,
                    struct family **family, struct row_id *row)
{
    char *unlike;
    *row = (struct row_id){
        .old = member->old, .is_part = true, .is_untimed = *member->latency_reason != 0};
    PM_TRY(find_family(c, member, family, &unlike));
    int rc = PM_OK;
    if (!*family && unlike && !c->apart && member->is_chosen)
        rc = refuse_node(c, member, unlike);
    const struct family *open = !*family && !unlike && !c->apart ? find_open(c) : NULL;
    if (!rc && open && member->is_chosen)
        rc = refuse_plan(c, member, open);
    free(unlike);
    if (rc || !*family || !member->is_chosen) {
        row->is_new = !*member->reason && member->is_chosen;
        row->id = *family ? (*family)->run : 0;
        return rc;
    }
    row->id = (*family)->run;
    return decide(c, member, *family, row);
}

/* ---- a new family ---------------------------------------------------------------------------- */

static int run_sql(struct pm_merge__context *c, const char *sql, const char *text, int64_t number)
{
    sqlite3_stmt *statement = NULL;
    int rc = pm_merge__prepare(c->into, sql, &statement, c->err);
    if (!rc) {
        sqlite3_bind_int64(statement, 1, number);
        if (text)
            sqlite3_bind_text(statement, 2, text, -1, SQLITE_STATIC);
        if (sqlite3_step(statement) != SQLITE_DONE)
            rc = pm_store_failed(c->into, c->err);
    }
    sqlite3_finalize(statement);
    return rc;
}

/* Returns the uuid of a run that is merged from shards. It depends only on the plan, so that
 * merging the same shards again adds nothing. For a further run of the same plan (--apart), it also
 * depends on the first shard of that run. */
static struct pm_digest uuid_of(const struct pm_merge__context *c, const struct member *member)
{
    size_t others = 0;
    for (size_t i = 0; i < c->families->count; i++)
        others += !strcmp(c->families->items[i].plan, member->plan);
    char *text = others ? pm_format("run of shards %s apart %s", member->plan, member->uuid)
                        : pm_format("run of shards %s", member->plan);
    const struct pm_digest digest = pm_digest_bytes(text, strlen(text));
    free(text);
    return digest;
}

int pm_merge__family_add(struct pm_merge__context *c, const struct member *member, int64_t run,
                         struct family **family)
{
    const struct pm_digest uuid = uuid_of(c, member);
    *family =
        add_family(c->families, run, member->count, member->total, member->plan, member->command);
    return run_sql(c,
                   "UPDATE run SET uuid = ?2, source = '" PM_RUN_SOURCE_SHARDS
                   "', kept = 0, state = 'stopped',"
                   " validity = 'invalid', validity_reason = 'no shard has valid results',"
                   " latency_validity = 'invalid',"
                   " latency_validity_reason = 'no shard has valid latencies',"
                   " options = json_set(options, '$.measured', json('{}'), '$.unreferenced',"
                   " json('{}'), '$.shard', NULL, '$.balance', NULL) WHERE id = ?1",
                   uuid.hex, run);
}

/* ---- joining --------------------------------------------------------------------------------- */

struct options_of {
    int64_t run;
    json_t *options;
};

static int keep_options(void *ctx, const struct pm_run_row *row)
{
    struct options_of *of = ctx;
    if (row->id == of->run)
        of->options = json_loads(row->options, 0, NULL);
    return PM_OK;
}

static int load_options(struct pm_store *store, int64_t run, json_t **out, struct pm_error *err)
{
    struct options_of of = {.run = run};
    PM_TRY(pm_store_runs(store, keep_options, &of, err));
    *out = of.options;
    return PM_OK;
}

/* Appends the lists of names that another shard has, by framework. */
static void add_names(json_t *options, const json_t *other, const char *key)
{
    const char *framework;
    json_t *names;
    json_object_foreach(json_object_get(other, key), framework, names) {
        json_t *all = json_object_get(options, key);
        json_t *list = json_object_get(all, framework);
        if (!list)
            json_object_set_new(all, framework, list = json_array());
        json_array_extend(list, names);
    }
}

static int add_options(struct pm_merge__context *c, const struct member *member,
                       struct family *family)
{
    json_t *theirs;
    if (!family->options)
        PM_TRY(load_options(c->into, family->run, &family->options, c->err));
    PM_TRY(load_options(c->from, member->old, &theirs, c->err));
    add_names(family->options, theirs, "measured");
    add_names(family->options, theirs, "unreferenced");
    json_decref(theirs);
    return PM_OK;
}

static void tell(struct pm_merge__context *c, const struct member *member,
                 const struct family *family, bool added)
{
    struct pm_merged *out = c->out;
    PM_GROW(out->shards, out->shard_count, out->shard_capacity);
    out->shards[out->shard_count++] = (struct pm_merged_shard){
        .file = c->file,
        .number = member->number,
        .count = member->count,
        .functions = member->functions,
        .run = family->run,
        .added = added,
        .reason = pm_strdup(member->reason),
        .latency_reason = pm_strdup(member->latency_reason),
    };
}

int pm_merge__join(struct pm_merge__context *c, const struct member *member, struct family *family,
                   const struct row_id *row)
{
    if (!member->is_chosen)
        return PM_OK;
    family->is_met = true;
    tell(c, member, family, row->is_new);
    const struct known_shard *known = find_known(family, member->number);
    if (!row->is_new && known && !*known->reason)
        return PM_OK;
    family->is_changed = true;
    const struct pm_shard_row shard = {
        .run_id = family->run,
        .number = member->number,
        .count = member->count,
        .plan = member->plan,
        .uuid = member->uuid,
        .functions = member->functions,
        .total = member->total,
        .command = member->command,
        .reason = member->reason,
        .latency_reason = member->latency_reason,
    };
    PM_TRY(pm_store_set_shard(c->into, &shard, c->err));
    add_known(family, member->number, member->functions, member->uuid, member->reason);
    return row->is_new ? add_options(c, member, family) : PM_OK;
}

/* ---- the run of all shards ------------------------------------------------------------------- */

static int by_name(const void *left, const void *right)
{
    return strcmp(json_string_value(*(json_t *const *)left),
                  json_string_value(*(json_t *const *)right));
}

/* Sorts lists by name, so that the order of merging has no effect. */
static void sort_names(json_t *by_framework)
{
    const char *framework;
    json_t *list;
    json_object_foreach(by_framework, framework, list) {
        const size_t count = json_array_size(list);
        json_t **items = pm_alloc((count + 1) * sizeof(*items));
        size_t kept = 0;
        for (size_t i = 0; i < count; i++)
            if (json_is_string(json_array_get(list, i)))
                items[kept++] = json_incref(json_array_get(list, i));
        qsort(items, kept, sizeof(*items), by_name);
        json_array_clear(list);
        for (size_t i = 0; i < kept; i++)
            json_array_append_new(list, items[i]);
        free(items);
    }
}

static int settle_options(struct pm_merge__context *c, struct family *family)
{
    if (!family->options)
        return PM_OK;
    sort_names(json_object_get(family->options, "measured"));
    sort_names(json_object_get(family->options, "unreferenced"));
    char *text = pm_json_text(family->options);
    const int rc = run_sql(c, "UPDATE run SET options = ?2 WHERE id = ?1", text, family->run);
    free(text);
    return rc;
}

/* Updates the run of a family. The run is valid if a shard is valid, because it contains no
 * functions of invalid shards. Its noise floor is the largest one of all shards. */
static int settle_family(struct pm_merge__context *c, struct family *family)
{
    static const char *const sql[] = {
        "UPDATE run SET started = coalesce((SELECT min(started) FROM attempt WHERE run_id = ?1),"
        " started), finished = coalesce((SELECT max(finished) FROM attempt WHERE run_id = ?1),"
        " finished) WHERE id = ?1",
        "UPDATE run SET validity = 'valid', validity_reason = '' WHERE id = ?1 AND EXISTS"
        " (SELECT * FROM shard WHERE run_id = ?1 AND reason = '')",
        "UPDATE run SET latency_validity = 'valid', latency_validity_reason = '' WHERE id = ?1"
        " AND EXISTS (SELECT * FROM shard WHERE run_id = ?1 AND reason = '' AND latency_reason ="
        " '')",
        "UPDATE run SET state = iif((SELECT sum(functions) FROM shard WHERE run_id = ?1 AND reason"
        " = '') = (SELECT max(total) FROM shard WHERE run_id = ?1), 'done', 'stopped') WHERE id ="
        " ?1",
        "UPDATE statistic SET processes = (SELECT sum(o.processes) FROM statistic o WHERE o.run_id"
        " = ?1 AND o.scope = 'target' AND o.what = 'noise' AND o.target_id = statistic.target_id"
        " AND o.clock = statistic.clock), value = (SELECT max(o.value) FROM statistic o WHERE"
        " o.run_id = ?1 AND o.scope = 'target' AND o.what = 'noise' AND o.target_id ="
        " statistic.target_id AND o.clock = statistic.clock) WHERE id IN (SELECT min(id) FROM"
        " statistic WHERE run_id = ?1 AND scope = 'target' AND what = 'noise' GROUP BY target_id,"
        " clock)",
        "DELETE FROM statistic WHERE run_id = ?1 AND scope = 'target' AND what = 'noise' AND id"
        " NOT IN (SELECT min(id) FROM statistic WHERE run_id = ?1 AND scope = 'target' AND what ="
        " 'noise' GROUP BY target_id, clock)",
    };
    PM_TRY(settle_options(c, family));
    for (size_t i = 0; i < sizeof sql / sizeof *sql; i++)
        PM_TRY(run_sql(c, sql[i], NULL, family->run));
    return PM_OK;
}

static void tell_family(struct pm_merge__context *c, const struct family *family)
{
    struct pm_merged *out = c->out;
    PM_GROW(out->families, out->family_count, out->family_capacity);
    struct pm_merged_family *to = &out->families[out->family_count++];
    *to = (struct pm_merged_family){.run = family->run,
                                    .count = family->count,
                                    .functions = functions_of(family),
                                    .total = family->total,
                                    .command = pm_strdup(family->command)};
    to->missing = pm_alloc((size_t)(family->count + 1) * sizeof *to->missing);
    for (int64_t number = 1; number <= family->count; number++) {
        const struct known_shard *known = find_known(family, number);
        if (known && !*known->reason)
            to->shards++;
        else
            to->missing[to->missing_count++] = number;
    }
}

int pm_merge__families_settle(struct pm_merge__context *c)
{
    for (size_t i = 0; i < c->families->count; i++) {
        struct family *family = &c->families->items[i];
        if (family->is_changed)
            PM_TRY(settle_family(c, family));
        if (family->is_met)
            tell_family(c, family);
    }
    return PM_OK;
}

void pm_merge__families_release(struct pm_merge__families *families)
{
    pm_merge__members_release(families);
    free(families->members);
    for (size_t i = 0; i < families->count; i++) {
        struct family *family = &families->items[i];
        for (size_t k = 0; k < family->shard_count; k++) {
            free(family->shards[k].uuid);
            free(family->shards[k].reason);
        }
        free(family->shards);
        free(family->plan);
        free(family->command);
        json_decref(family->options);
    }
    free(families->items);
}
