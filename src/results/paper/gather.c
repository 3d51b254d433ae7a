/* Chooses the sides of a table or figure, loads them and labels them. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "paper/paper_private.h"
#include "sample/stored.h"

/* ---- loading ---- */

static int add_side(struct pm_paper *s, const char *name, const char *db, struct pm_error *err)
{
    PM_GROW(s->items, s->count, s->capacity);
    struct pm_side *side = &s->items[s->count++];
    PM_TRY(pm_side_open(side, name, db, err));
    PM_TRY(pm_side_choose(side, side, err));
    return pm_side_load(side, err);
}

static bool is_executed_subject(const struct pm_reading_target *t)
{
    return t->role == PM_ROLE_SUBJECT && t->evidence == PM_EVIDENCE_EXECUTED && t->judged;
}

static size_t count_subjects(const struct pm_reading *r, const char *framework)
{
    size_t count = 0;
    for (size_t i = 0; i < r->target_list.count; i++)
        count += is_executed_subject(&r->targets[i]) && !strcmp(r->targets[i].framework, framework);
    return count;
}

static int add_named(struct pm_paper *s, const struct pm_reading *r, const char *db,
                     const struct pm_reading_target *t, const char *text, struct pm_error *err)
{
    char *name = pm_format("run:%lld#%s", (long long)r->runs[t->run].id, text);
    const int rc = add_side(s, name, db, err);
    free(name);
    return rc;
}

static int add_chosen(struct pm_paper *s, const struct pm_reading *r, const char *db,
                      struct pm_error *err)
{
    for (size_t i = 0; i < r->target_list.count; i++) {
        const struct pm_reading_target *t = &r->targets[i];
        if (!is_executed_subject(t))
            continue;
        if (count_subjects(r, t->framework) == 1 && *t->reference)
            PM_TRY(add_named(s, r, db, t, t->reference, err));
        PM_TRY(add_named(s, r, db, t, t->text, err));
    }
    return PM_OK;
}

static int choose(struct pm_paper *s, struct pm_store *store,
                  const struct pm_paper_request *request, struct pm_error *err)
{
    struct pm_reading r = {0};
    int rc = pm_reading_load(&r, store, request->db, request->run_id, err);
    if (!rc)
        rc = add_chosen(s, &r, request->db, err);
    pm_reading_release(&r);
    return rc;
}

/* ---- labels ---- */

const char *pm_paper__device(const struct pm_side *side)
{
    const char *at = strchr(side->compared.target, '@');
    return at ? at + 1 : side->compared.target;
}

const char *pm_paper__framework(const struct pm_side *side)
{
    const char *printed = pm_publication_framework(side->compared.framework);
    return printed ? printed : side->compared.framework;
}

/* The number of facts by which sides with equal devices are distinguished, in the order of
 * fact_of(). */
enum { FACTS = 5 };
static char *fact_of(const struct pm_side *side, int fact)
{
    const struct pm_changes_side *c = &side->compared;
    switch (fact) {
    case 0:
        return pm_strdup(side->r.targets[side->target].device_name);
    case 1:
        return pm_strdup(c->version);
    case 2:
        return pm_strdup(c->processor);
    case 3:
        return pm_format("run %lld", (long long)c->run);
    default:
        return pm_strdup(c->db);
    }
}

static bool looks_like(const struct pm_side *a, const struct pm_side *b)
{
    return !strcmp(a->compared.framework, b->compared.framework) &&
           !strcmp(pm_paper__device(a), pm_paper__device(b));
}

/* Returns whether the fact is known and differs from that of every other side with the same
 * framework and device. Sets *alone if there is no such side. */
static bool tells_apart(const struct pm_paper *s, size_t side, int fact, bool *alone)
{
    char *own = fact_of(&s->items[side], fact);
    bool differs = *own;
    *alone = true;
    for (size_t i = 0; i < s->count; i++) {
        if (i == side || !looks_like(&s->items[i], &s->items[side]))
            continue;
        char *other = fact_of(&s->items[i], fact);
        differs &= strcmp(own, other) != 0;
        *alone = false;
        free(other);
    }
    free(own);
    return differs;
}

static char *label_of(const struct pm_paper *s, size_t side)
{
    const char *device = pm_paper__device(&s->items[side]);
    bool alone;
    int fact = 0;
    while (!tells_apart(s, side, fact, &alone) && !alone && fact < FACTS - 1)
        fact++;
    if (alone)
        return pm_strdup(device);
    char *what = fact_of(&s->items[side], fact), *label = pm_format("%s (%s)", device, what);
    free(what);
    return label;
}

/* ---- all of it ---- */

void pm_paper__label(struct pm_paper *s)
{
    s->labels = pm_alloc((s->count + 1) * sizeof *s->labels);
    for (size_t i = 0; i < s->count; i++)
        s->labels[i] = label_of(s, i);
}

/* Makes sides of the imported reports if the database has no measured run. */
static int take_imports(struct pm_paper *s, struct pm_store *store, struct pm_error *err)
{
    bool measured;
    PM_TRY(pm_reading_any_run(store, &measured, err));
    s->imported = !measured && pm_published_any(&s->imports);
    if (!s->imported)
        return PM_OK;
    PM_TRY(pm_published_load_every(&s->every, store, err));
    pm_paper__add_imported(s);
    return PM_OK;
}

static int gather(struct pm_paper *s, const struct pm_paper_request *request, struct pm_error *err)
{
    struct pm_store *store = NULL;
    *s = (struct pm_paper){.named = request->target_count > 0};
    PM_TRY(pm_store_open(&store, request->db, PM_STORE_READ, err));
    int rc = pm_published_load(&s->imports, store, 0, err);
    if (!rc && !s->named && !request->run_id)
        rc = take_imports(s, store, err);
    if (!rc && !s->named && !s->imported)
        rc = choose(s, store, request, err);
    pm_store_free(store);
    for (size_t i = 0; !rc && i < request->target_count; i++)
        rc = add_side(s, request->targets[i], request->db, err);
    if (!rc)
        pm_paper__label(s);
    return rc;
}

void pm_paper__release(struct pm_paper *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->labels)
            free(s->labels[i]);
        if (!s->borrowed)
            pm_side_release(&s->items[i]);
    }
    free(s->labels);
    free(s->items);
    pm_published_release(&s->imports);
    pm_published_release(&s->every);
}

static void add_framework(const char **names, size_t *count, const struct pm_paper *s,
                          const char *wanted)
{
    for (size_t i = 0; i < s->count; i++) {
        const char *name = pm_paper__framework(&s->items[i]);
        bool known = wanted && strcmp(name, wanted) != 0;
        for (size_t k = 0; k < *count; k++)
            known |= !strcmp(names[k], name);
        if (!known)
            names[(*count)++] = name;
    }
}

const char **pm_paper__frameworks(const struct pm_paper *s, size_t *count)
{
    const char **names = pm_alloc((s->count + 1) * sizeof *names);
    *count = 0;
    for (size_t i = 0; i < PM_PUBLICATION_FRAMEWORKS; i++)
        add_framework(names, count, s, pm_publication_framework_at(i));
    add_framework(names, count, s, NULL);
    return names;
}

static void add_pairs(const struct pm_paper *s, const char *framework, bool generations,
                      struct pm_paper_pairs *out)
{
    for (size_t a = 0; a < s->count; a++) {
        bool is_base = !strcmp(pm_paper__framework(&s->items[a]), framework);
        for (size_t i = 0; i < a; i++) /* an earlier side may be the base of side `a` */
            is_base &= strcmp(pm_paper__framework(&s->items[i]), framework) != 0 ||
                       (generations && !s->named && !looks_like(&s->items[i], &s->items[a]));
        for (size_t b = a + 1; is_base && b < s->count; b++) {
            if (strcmp(pm_paper__framework(&s->items[b]), framework) != 0 ||
                (generations && !s->named && !looks_like(&s->items[a], &s->items[b])))
                continue;
            PM_GROW(out->items, out->count, out->capacity);
            out->items[out->count++] = (struct pm_paper_pair){
                &s->items[a], &s->items[b], s->labels[a], s->labels[b], .judged = false};
        }
    }
}

struct pm_paper_pairs pm_paper__pairs(const struct pm_paper *s, const char *framework,
                                      bool generations)
{
    struct pm_paper_pairs out = {0};
    size_t count;
    const char **names = pm_paper__frameworks(s, &count);
    for (size_t i = 0; i < count; i++)
        if (!framework || !strcmp(framework, names[i]))
            add_pairs(s, names[i], generations, &out);
    free(names);
    return out;
}

/* ---- forms ---- */

int pm_paper__lacks(const struct pm_paper_making *m, const char *what)
{
    return pm_error_set(m->err, PM_EUSAGE, "%s %s cannot be %s: it needs %s", m->kind, m->number,
                        strcmp(m->kind, "figure") ? "printed" : "drawn", what);
}

const struct pm_paper_form *pm_paper__find_form(const struct pm_paper_form *forms, size_t count,
                                                const char *number)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(forms[i].number, number))
            return &forms[i];
    return NULL;
}

void pm_paper__list_forms(const struct pm_paper_form *forms, size_t count, struct pm_str *out)
{
    for (size_t i = 0; i < count; i++)
        pm_str_addf(out, "%s%s", i ? ", " : "", forms[i].number);
}

/* Adds the table of the paper's printed numbers. A figure needs more than these numbers. */
static int make_printed(const struct pm_paper_making *making)
{
    if (!making->report)
        return pm_paper__lacks(making, "reports or timings: import them with portmeter import "
                                       "pytest, because only printed numbers were imported");
    pm_published_add_printed(&making->s->imports, making->number, making->report);
    return PM_OK;
}

static int make(const struct pm_paper_form *form, const struct pm_paper_making *making)
{
    if (making->s->imported && !making->s->count)
        return make_printed(making);
    struct pm_paper_pairs pairs = pm_paper__pairs(making->s, NULL, form->generations);
    const bool any = pairs.count > 0;
    free(pairs.items);
    if (!any && making->s->imported)
        return pm_paper__lacks(making, form->generations ? PM_PAPER_TWO_IMPORTS " and device"
                                                         : PM_PAPER_TWO_IMPORTS);
    if (!any)
        return pm_paper__lacks(making, form->generations ? PM_PAPER_GENERATIONS : PM_PAPER_TWO);
    return form->make(making);
}

int pm_paper__make_form(const struct pm_paper_form *forms, size_t count,
                        const struct pm_paper_request *request, struct pm_paper_making *making)
{
    struct pm_paper s;
    int rc = gather(&s, request, making->err);
    making->s = &s;
    if (!rc)
        rc = make(pm_paper__find_form(forms, count, making->number), making);
    pm_paper__release(&s);
    making->s = NULL;
    return rc;
}

/* ---- use ---- */

/* Returns the bits of a stratum by its name: "top 20", "10", "10-20" or "decile 30 or 40". A range
 * has the bits of its ends and of all deciles between them. */
static unsigned bits_of(const char *text)
{
    unsigned bits = 0, last = 0;
    if (pm_starts_with(text, "top"))
        return PM_PAPER_TOP;
    for (const char *p = text; *p; p++) {
        const size_t digits = strspn(p, "0123456789");
        if (!digits)
            continue;
        const unsigned decile = (unsigned)strtoul(p, NULL, 10) / 10;
        const bool ranges = p > text && p[-1] == '-';
        for (unsigned k = ranges ? last : decile; decile <= PM_DECILES && k <= decile; k++)
            bits |= 1u << k;
        last = decile;
        p += digits - 1;
    }
    return bits & ~(unsigned)PM_PAPER_TOP;
}

struct naming {
    const struct pm_map *members; /* uintptr_t: bits */
    uintptr_t bits;
};

static void look_up(void *ctx, const char *name)
{
    struct naming *n = ctx;
    n->bits |= (uintptr_t)pm_map_get(n->members, name);
}

static void take_sample(const struct pm_side *side, const struct pm_stored_sample *s,
                        struct pm_paper_strata *out)
{
    struct pm_map members = {0};
    for (size_t i = 0; i < s->sample.member_count; i++) {
        const struct pm_sample_member *m = &s->sample.members[i];
        pm_map_put(&members, m->name,
                   (void *)(uintptr_t)bits_of(s->sample.strata[m->stratum].name));
    }
    for (size_t i = 0; i < side->compared.function_count; i++) {
        const char *function = side->compared.functions[i].name;
        struct naming n = {.members = &members};
        pm_sample_names_of_function(&s->inventory.inventory, s->rule, function, look_up, &n);
        pm_map_put(&out->of, function, (void *)n.bits);
    }
    pm_map_release(&members);
    out->from_sample = true;
}

static int take_run_sample(const struct pm_side *side, int64_t id, struct pm_paper_strata *out,
                           struct pm_error *err)
{
    struct pm_store *store = NULL;
    struct pm_stored_sample sample = {0};
    PM_TRY(pm_store_open(&store, side->db, PM_STORE_READ, err));
    const int rc =
        pm_stored_sample_load(&sample, store, side->db, side->compared.framework, id, err);
    if (!rc)
        take_sample(side, &sample, out);
    pm_stored_sample_release(&sample);
    pm_store_free(store);
    return rc;
}

int pm_paper__strata(const struct pm_paper *s, const struct pm_side *side,
                     struct pm_paper_strata *out, struct pm_error *err)
{
    const size_t run = side->r.targets[side->target].run;
    *out = (struct pm_paper_strata){0};
    if (!s->imported && side->r.runs[run].sample_id)
        return take_run_sample(side, side->r.runs[run].sample_id, out, err);
    for (size_t i = 0; i < side->compared.function_count; i++) {
        const char *function = side->compared.functions[i].name;
        const char *text = pm_publication_stratum(&s->imports.numbers, function);
        if (text)
            pm_map_put(&out->of, function, (void *)(uintptr_t)bits_of(text));
    }
    return PM_OK;
}

/* ---- numbers of a side ---- */

struct pm_paper_tally pm_paper__tally(const struct pm_side *side,
                                      const struct pm_paper_strata *strata, unsigned bits)
{
    struct pm_paper_tally t = {0};
    for (size_t i = 0; i < side->r.verdict_list.count; i++) {
        const struct pm_reading_verdict *v = &side->r.verdicts[i];
        if (v->target != side->target ||
            (bits != PM_PAPER_ANY && !((uintptr_t)pm_map_get(&strata->of, v->function) & bits)))
            continue;
        t.works += v->verdict_paper == PM_VERDICT_WORKS;
        t.partly += v->verdict_paper == PM_VERDICT_PARTLY;
        t.fails += v->verdict_paper == PM_VERDICT_FAILS;
    }
    return t;
}

static double warm(const struct pm_side *side, const char *function, enum pm_statistic what)
{
    const struct pm_reading_statistic *s =
        pm_reading_warm(&side->r, side->target, function, "", PM_SIZE_SMALL, what);
    return s ? s->value : NAN;
}

static int largest_first(const void *left, const void *right)
{
    const struct pm_changes_ratio *a = left, *b = right;
    return (a->ratio.ratio.mid < b->ratio.ratio.mid) - (a->ratio.ratio.mid > b->ratio.ratio.mid);
}

/* Returns the latencies and ratios of a target and its reference, as judging stored them. */
static struct pm_changes_ratio *judged_ratios(const struct pm_side *side, size_t *count)
{
    struct pm_changes_ratio *ratios = pm_alloc((side->r.verdict_list.count + 1) * sizeof *ratios);
    *count = 0;
    for (size_t i = 0; i < side->r.verdict_list.count; i++) {
        const char *function = side->r.verdicts[i].function;
        if (side->r.verdicts[i].target != side->target)
            continue;
        struct pm_changes_ratio it = {.function = function,
                                      .before =
                                          warm(side, function, PM_STATISTIC_REFERENCE_LATENCY),
                                      .after = warm(side, function, PM_STATISTIC_LATENCY)};
        it.ratio.ratio.mid = warm(side, function, PM_STATISTIC_RATIO);
        if (isfinite(it.before) && isfinite(it.after) && isfinite(it.ratio.ratio.mid))
            ratios[(*count)++] = it;
    }
    qsort(ratios, *count, sizeof *ratios, largest_first);
    return ratios;
}

struct pm_changes_ratio *pm_paper__ratios(const struct pm_paper_pair *pair, size_t *count)
{
    struct pm_changes_ratio *ratios = NULL;
    if (pair->judged)
        return judged_ratios(pair->b, count);
    const bool timed = pair->a->compared.has_latencies && pair->b->compared.has_latencies &&
                       pair->a->compared.evidence == PM_EVIDENCE_EXECUTED &&
                       pair->b->compared.evidence == PM_EVIDENCE_EXECUTED;
    *count = 0;
    if (timed)
        ratios = pm_changes_ratios(&pair->a->compared, &pair->b->compared, PM_SIZE_SMALL, count);
    while (*count && isnan(ratios[*count - 1].ratio.ratio.mid))
        --*count;
    return ratios;
}
