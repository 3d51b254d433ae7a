/* Handles a shard of a divided scan: the plan that all shards have in common, whether the database
 * has the shard, and the data that merging needs. */
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "store/shards.h"
#include "survey/scan.h"

/* ---- the plan -------------------------------------------------------------------------------- */

/* Adds a text with its length, so that different plans have different texts. */
static void add_text(struct pm_str *out, const char *text)
{
    pm_str_addf(out, "%zu %s\n", strlen(text), text);
}

/* Returns the digest of a plan. Shards with the same digest are parts of one scan: they count the
 * same names in the same way, under the same paths. */
static struct pm_digest plan_of(const struct scan *s)
{
    const struct pm_scan_options *o = s->o;
    struct pm_str plan = PM_STR_INIT;
    pm_str_addf(&plan, "%s %u %d %d %d\n", PM_VERSION, o->shard.count, o->every_file,
                pm_survey__uses_wanted(s), o->store_uses);
    for (size_t i = 0; i < o->path_count; i++)
        add_text(&plan, o->paths[i]);
    for (unsigned i = 0; i < s->count; i++) {
        const struct scan_framework *f = &s->frameworks[i];
        add_text(&plan, f->name);
        add_text(&plan, f->head.id ? f->head.digest : "");
        add_text(&plan, f->flat ? f->flat_text.data : "");
    }
    const struct pm_digest digest = pm_digest_bytes(plan.data, plan.length);
    pm_str_release(&plan);
    return digest;
}

struct search {
    const struct scan *s;
    int64_t scan;
    bool other_plan;
};

static int keep_shard(void *ctx, const struct pm_scan_shard_row *row)
{
    struct search *search = ctx;
    const struct pm_shard *shard = &search->s->o->shard;
    if (row->number != shard->number || row->count != shard->count)
        return PM_OK;
    if (strcmp(row->plan, search->s->plan.hex) == 0)
        search->scan = row->scan_id;
    else
        search->other_plan = true;
    return PM_OK;
}

struct finding {
    struct pm_scan_summary *out;
    struct pm_store *store;
    struct pm_error *err;
};

static int keep_damages(void *ctx, const struct pm_scan_row *row)
{
    struct finding *finding = ctx;
    json_t *totals = NULL;
    if (row->id != finding->out->scan_id)
        return PM_OK;
    PM_TRY(pm_store_json(finding->store, row->totals, &totals, "scan", row->id, "totals",
                         finding->err));
    finding->out->damages = (uint64_t)pm_json_int(totals, "damages", 0);
    json_decref(totals);
    return PM_OK;
}

int pm_survey__shard_find(struct scan *s, struct pm_store *store,
                          const struct pm_messages *messages, struct pm_scan_summary *out,
                          bool *done, struct pm_error *err)
{
    const struct pm_scan_options *o = s->o;
    struct search search = {.s = s};
    s->plan = plan_of(s);
    PM_TRY(pm_store_scan_shards(store, 0, keep_shard, &search, err));
    *done = search.scan != 0;
    if (!*done && search.other_plan)
        return pm_error_set(err, PM_EUSAGE,
                            "'%s' has shard %u/%u of another scan (other inputs, names, options or "
                            "version of portmeter): name another database with --db",
                            o->db, o->shard.number, o->shard.count);
    if (!*done)
        return PM_OK;
    out->scan_id = search.scan;
    fprintf(messages->out, "shard       %u/%u is scanned already: scan %lld of '%s'\n",
            o->shard.number, o->shard.count, (long long)search.scan, o->db);
    return pm_store_scans(store, keep_damages, &(struct finding){out, store, err}, err);
}

/* ---- repositories ---------------------------------------------------------------------------- */

/* Digests of repositories, grouped by row. Those of a row begin at digests[first[row]] and end
 * before digests[first[row + 1]]. */
struct grouped {
    size_t *first;
    uint64_t *digests;
};

static struct grouped group(const struct pm_corpus_repositories *pairs, size_t rows)
{
    struct grouped out = {pm_alloc((rows + 2) * sizeof *out.first),
                          pm_alloc((pairs->count + 1) * sizeof *out.digests)};
    for (size_t i = 0; i < pairs->count; i++)
        out.first[pairs->rows[i] + 2]++;
    for (size_t row = 2; row <= rows; row++)
        out.first[row] += out.first[row - 1];
    for (size_t i = 0; i < pairs->count; i++)
        out.digests[out.first[pairs->rows[i] + 1]++] = pairs->digests[i];
    return out;
}

/* Returns the stored name of a row. */
typedef const char *name_of_row(const struct scan *s, unsigned framework, size_t row);

static const char *paper_name(const struct scan *s, unsigned framework, size_t row)
{
    return s->result->frameworks[framework].names[row].name;
}

static const char *function_name(const struct scan *s, unsigned framework, size_t row)
{
    return pm_survey__scan_stored(&s->frameworks[framework],
                                  s->result->frameworks[framework].functions[row].name);
}

static int store_pairs(const struct scan *s, unsigned framework, enum pm_rule rule, size_t rows,
                       const struct pm_corpus_repositories *pairs, name_of_row *name,
                       struct pm_store *store, struct pm_error *err)
{
    if (!pairs->count)
        return PM_OK;
    struct pm_str packed = PM_STR_INIT;
    const struct grouped grouped = group(pairs, rows);
    for (size_t row = 0; row < rows; row++) {
        const size_t first = grouped.first[row], count = grouped.first[row + 1] - first;
        if (count)
            pm_store_pack_repositories(
                &packed, &(struct pm_name_repositories_row){.name = name(s, framework, row),
                                                            .digests = grouped.digests + first,
                                                            .count = count});
    }
    const int rc = pm_store_add_scan_repositories(
        store, s->id, s->o->shard.number, s->frameworks[framework].name, rule, &packed, err);
    free(grouped.first);
    free(grouped.digests);
    pm_str_release(&packed);
    return rc;
}

/* ---- storing --------------------------------------------------------------------------------- */

static int store_shard(const struct scan *s, struct pm_store *store, struct pm_error *err)
{
    const struct pm_corpus_result *result = s->result;
    const struct pm_digest inputs = pm_digest_bytes(&result->all_inputs, sizeof result->all_inputs);
    struct pm_digest uuid;
    PM_TRY(pm_digest_random(&uuid, err));
    const struct pm_scan_shard_row row = {.scan_id = s->id,
                                          .number = s->o->shard.number,
                                          .count = s->o->shard.count,
                                          .plan = s->plan.hex,
                                          .inputs = inputs.hex,
                                          .uuid = uuid.hex,
                                          .projects = (int64_t)result->projects,
                                          .total = (int64_t)result->all_projects,
                                          .command = s->o->command_line};
    return pm_store_add_scan_shard(store, &row, err);
}

int pm_survey__shard_store(const struct scan *s, struct pm_store *store, struct pm_error *err)
{
    PM_TRY(store_shard(s, store, err));
    for (unsigned i = 0; i < s->count; i++) {
        const struct pm_corpus_framework *counted = &s->result->frameworks[i];
        PM_TRY(store_pairs(s, i, PM_RULE_PAPER, counted->name_count, &counted->name_repositories,
                           paper_name, store, err));
        PM_TRY(store_pairs(s, i, PM_RULE_RESOLVED, counted->function_count,
                           &counted->function_repositories, function_name, store, err));
        PM_TRY(store_pairs(s, i, PM_RULE_INFERRED, counted->function_count,
                           &counted->inferred_repositories, function_name, store, err));
    }
    return PM_OK;
}
