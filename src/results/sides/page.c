/* What a page shows besides its tables: figures, from the judged rows that its report has read, and
 * what is stored of earlier runs. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "sides/sides_private.h"
#include "store/judgements.h"
#include "text/numbers.h"

enum { MOST_PAIRS = 8 }; /* each has a figure of its own */

/* ---- sides ---- */

static size_t side_of(struct pm_sides *s, const struct pm_reading *r, int target)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].target == target)
            return i;
    PM_GROW(s->items, s->count, s->capacity);
    s->items[s->count] = (struct pm_side){.r = *r, .target = target};
    pm_sides__identify(&s->items[s->count]);
    return s->count++;
}

/* Each subject that was executed, and before it its reference. */
static void choose(struct pm_sides *s, const struct pm_reading *r)
{
    for (size_t i = 0; i < r->target_list.count; i++) {
        const struct pm_reading_target *t = &r->targets[i];
        const int reference = pm_reading_reference_index(r, (int)i);
        if (t->role != PM_ROLE_SUBJECT || t->evidence != PM_EVIDENCE_EXECUTED || !t->judged ||
            reference < 0)
            continue;
        side_of(s, r, reference);
        side_of(s, r, (int)i);
    }
    pm_sides__label(s);
}

static struct pm_sides_pairs timed_pairs(struct pm_sides *s, const struct pm_reading *r)
{
    struct pm_sides_pairs out = {0};
    for (size_t i = 0; i < s->count; i++) {
        const struct pm_side *b = &s->items[i];
        if (b->compared.is_reference || !b->compared.has_latencies)
            continue;
        const size_t a = side_of(s, r, pm_reading_reference_index(r, b->target));
        const struct pm_sides_pair pair = {&s->items[a], b, s->labels[a], s->labels[i],
                                           .judged = true};
        size_t count;
        free(pm_sides__ratios(&pair, &count));
        if (!count)
            continue;
        PM_GROW(out.items, out.count, out.capacity);
        out.items[out.count++] = pair;
    }
    return out;
}

/* ---- commands ---- */

static void add_target(struct pm_str *out, const struct pm_side *side)
{
    pm_str_addf(out, " --target 'run:%lld#%s'", (long long)side->compared.run,
                side->compared.target);
}

/* The command that draws figure `number` of these sides; the caller frees. */
static char *command_of(const char *number, const char *option, const struct pm_side *const *sides,
                        size_t count)
{
    struct pm_str out = PM_STR_INIT;
    pm_str_addf(&out, "portmeter report%s --figure %s", option, number);
    for (size_t i = 0; i < count; i++)
        add_target(&out, sides[i]);
    pm_str_addf(&out, " --output figure-%s.svg", number);
    return pm_str_detach(&out);
}

static char *command_of_all(const char *number, const char *option, const struct pm_sides *s)
{
    const struct pm_side **sides = pm_alloc((s->count + 1) * sizeof *sides);
    for (size_t i = 0; i < s->count; i++)
        sides[i] = &s->items[i];
    char *command = command_of(number, option, sides, s->count);
    free(sides);
    return command;
}

/* ---- latencies of functions ---- */

/* "60 of 83 functions take longer on xla than on cpu, 12 over 10 times. Median on xla: 3.2x
 * slower." */
static char *say_latencies(const struct pm_sides_pair *pair, double intolerable)
{
    struct pm_str out = PM_STR_INIT;
    size_t count, slower = 0, much = 0;
    struct pm_changes_ratio *ratios = pm_sides__ratios(pair, &count);
    double *values = pm_alloc(count * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        values[i] = ratios[i].ratio.ratio.mid;
        slower += values[i] > 1;
        much += values[i] > intolerable;
    }
    pm_str_addf(
        &out,
        "%zu of %zu function%s take%s longer on %s than on %s, %zu more than %g times as long. ",
        slower, count, count == 1 ? "" : "s", slower == 1 ? "s" : "", pair->on_b, pair->on_a, much,
        intolerable);
    pm_str_addf(&out, "Median on %s: ", pair->on_b);
    pm_text_ratio(&out, pm_stat_median(values, count));
    pm_str_add(&out, ".");
    free(values);
    free(ratios);
    return pm_str_detach(&out);
}

static void add_latencies(const struct pm_reading *r, const struct pm_sides_pair *pair,
                          const char *option, struct pm_report *report)
{
    struct pm_sides_making d = {.number = "1", .figure = pm_figure_new("1", "")};
    char *title = pm_format("%s: latency of each function on %s and %s",
                            pm_sides__framework(pair->a), pair->on_a, pair->on_b);
    char *command = command_of("1", option, (const struct pm_side *const[]){pair->a, pair->b}, 2);
    char *answer = say_latencies(pair, pm_reading_intolerable(r));
    pm_sides__draw_latencies(&d, pair);
    pm_report_take_figure(report, d.figure, title, command, answer);
    free(title);
    free(command);
    free(answer);
}

/* ---- which one is faster ---- */

static char *say_faster(const struct pm_sides_pairs *pairs)
{
    struct pm_str out = PM_STR_INIT;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct pm_sides_pair *pair = &pairs->items[i];
        size_t count, faster = 0;
        struct pm_changes_ratio *ratios = pm_sides__ratios(pair, &count);
        for (size_t k = 0; k < count; k++)
            faster += ratios[k].ratio.ratio.mid < 1;
        if (i && pair[-1].a == pair->a)
            pm_str_addf(&out, ", %zu of %zu on %s", faster, count, pair->on_b);
        else
            pm_str_addf(&out, "%s%s functions that are faster than on %s: %zu of %zu on %s",
                        i ? ". " : "", pm_sides__framework(pair->a), pair->on_a, faster, count,
                        pair->on_b);
        free(ratios);
    }
    pm_str_add(&out, ".");
    return pm_str_detach(&out);
}

static void add_faster(const struct pm_sides *s, const struct pm_sides_pairs *pairs,
                       const char *option, struct pm_report *report)
{
    struct pm_error err;
    const struct pm_sides_making d = {
        .s = s, .kind = "figure", .number = "3", .figure = pm_figure_new("3", ""), .err = &err};
    char *command = command_of_all("3", option, s), *answer = say_faster(pairs);
    if (pm_sides__draw_faster(&d, pairs))
        pm_figure_free(d.figure);
    else
        pm_report_take_figure(report, d.figure, "Functions that are faster on each of two targets",
                              command, answer);
    free(command);
    free(answer);
}

/* ---- reasons ---- */

/* "12 cases fail; the most frequent reason is: not implemented (9)." */
static char *say_reasons(const struct pm_sides *s)
{
    struct pm_map cases = {0}; /* uintptr_t, by reason */
    const char *first = "";
    uintptr_t most = 0, all = 0;
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->items[i].r.case_list.count; k++) {
            const struct pm_reading_case *c = &s->items[i].r.cases[k];
            if (!pm_sides__fails(&s->items[i], c))
                continue;
            const uintptr_t count = (uintptr_t)pm_map_get(&cases, pm_sides__reason(c)) + 1;
            pm_map_put(&cases, pm_sides__reason(c), (void *)count);
            all++;
            if (count > most) {
                most = count;
                first = pm_sides__reason(c);
            }
        }
    pm_map_release(&cases);
    return pm_format("%zu case%s fail%s; the most frequent reason is: %s (%zu).", (size_t)all,
                     all == 1 ? "" : "s", all == 1 ? "s" : "", first, (size_t)most);
}

static void add_reasons(const struct pm_sides *s, const char *option, struct pm_report *report)
{
    struct pm_error err;
    const struct pm_sides_making d = {
        .s = s, .kind = "figure", .number = "6", .figure = pm_figure_new("6", ""), .err = &err};
    char *command = command_of_all("6", option, s);
    if (pm_sides__draw_reasons(&d)) {
        pm_figure_free(d.figure);
        pm_report_line(report, "reasons", "no figure: no counted case fails");
    } else {
        char *answer = say_reasons(s);
        pm_report_take_figure(report, d.figure, "Failing cases by reason", command, answer);
        free(answer);
    }
    free(command);
}

/* ---- all of them ---- */

static void add_all(struct pm_sides *s, const struct pm_reading *r, const char *option,
                    struct pm_report *report)
{
    struct pm_sides_pairs pairs = timed_pairs(s, r);
    add_reasons(s, option, report);
    if (pairs.count)
        add_faster(s, &pairs, option, report);
    else
        pm_report_line(report, "latencies", "no figure: it needs " PM_SIDES_LATENCIES);
    for (size_t i = 0; i < pairs.count && i < MOST_PAIRS; i++)
        add_latencies(r, &pairs.items[i], option, report);
    free(pairs.items);
    pm_report_line(report, "more",
                   "portmeter report --figure NUMBER draws the study's figures 1 to 10, also of "
                   "other targets, and keeps their data");
}

void pm_sides_add_page_figures(const struct pm_reading *r, const char *option,
                               struct pm_report *report)
{
    struct pm_sides s = {.borrowed = true};
    choose(&s, r);
    if (s.count)
        add_all(&s, r, option, report);
    else
        pm_report_line(report, "figures", "none: they need " PM_SIDES_TWO);
    pm_sides__release(&s);
}

/* ---- the page of a function: what is stored of earlier runs ---------------------------------- */

enum { MOST_PAST = 5, MOST_SPANS = 3, MOST_LATENCIES = 3 };

/* A function on a target of an earlier run. */
struct past_function {
    enum pm_verdict verdict;
    double latency; /* of warm calls with small inputs, ns; NaN: not known */
};
struct past_run {
    int target;        /* of the page's reading */
    int64_t target_id; /* in that run */
    size_t run;        /* of the list */
    int64_t now;       /* id of the page's run */
    bool has_older;    /* there are older ones, which are not read */
    bool same_cases;   /* it was asked for the cases that the page's run was asked for */
};
struct pm_sides_past {
    struct pm_reading list;
    struct past_run *runs; /* by target, newest first */
    size_t run_count, run_capacity;
    struct past_function *functions;
    size_t count, capacity;
    struct pm_map by_name; /* index + 1 by id of the target and function */
};

static bool asked_alike(const json_t *a, const json_t *b)
{
    return json_equal(json_object_get(a, "suites"), json_object_get(b, "suites")) &&
           pm_json_int(a, "most_cases", 0) == pm_json_int(b, "most_cases", 0);
}

/* The targets of the list are those of the page's reading in another order. */
static size_t find_by_id(const struct pm_reading *list, int64_t id)
{
    size_t i = 0;
    while (i < pm_sides__all_targets(list) && list->targets[i].id != id)
        i++;
    return i;
}

static void add_past_runs(struct pm_sides_past *p, int target, int64_t id)
{
    const struct pm_reading *list = &p->list;
    const size_t now = find_by_id(list, id);
    struct pm_sides_history h = {0};
    if (now < pm_sides__all_targets(list) && list->targets[now].run)
        pm_sides__history_gather(&h, list, now, list->targets[now].run - 1, MOST_PAST);
    for (size_t i = h.count; i-- > 0;) {
        const struct pm_reading_target *t = &list->targets[h.targets[i]];
        PM_GROW(p->runs, p->run_count, p->run_capacity);
        p->runs[p->run_count++] = (struct past_run){
            .target = target,
            .target_id = t->id,
            .run = t->run,
            .now = list->runs[list->targets[now].run].id,
            .has_older = h.older > 0,
            .same_cases = asked_alike(list->runs[t->run].options,
                                      list->runs[list->targets[now].run].options)};
    }
    pm_sides__history_release(&h);
}

static char *past_key(int64_t target_id, const char *function)
{
    return pm_format("%lld %s", (long long)target_id, function);
}

static bool is_wanted(const struct pm_sides_past *p, int64_t target_id)
{
    for (size_t i = 0; i < p->run_count; i++)
        if (p->runs[i].target_id == target_id)
            return true;
    return false;
}

static int keep_past_verdict(void *ctx, const struct pm_verdict_row *row)
{
    struct pm_sides_past *p = ctx;
    if (!is_wanted(p, row->target_id) || !pm_sides__is_measured(row->verdict))
        return PM_OK;
    PM_GROW(p->functions, p->count, p->capacity);
    p->functions[p->count++] = (struct past_function){row->verdict, NAN};
    char *key = past_key(row->target_id, row->function);
    pm_map_put(&p->by_name, key, (void *)(uintptr_t)p->count);
    free(key);
    return PM_OK;
}

static struct past_function *past_of(const struct pm_sides_past *p, int64_t target_id,
                                     const char *function)
{
    char *key = past_key(target_id, function);
    const size_t number = (size_t)(uintptr_t)pm_map_get(&p->by_name, key);
    free(key);
    return number ? &p->functions[number - 1] : NULL;
}

static int keep_past_latency(void *ctx, const struct pm_statistic_row *row)
{
    const struct pm_sides_past *p = ctx;
    if (row->clock != PM_CLOCK_WARM || row->size != PM_SIZE_SMALL ||
        row->what != PM_STATISTIC_LATENCY)
        return PM_OK;
    struct past_function *f = past_of(p, row->target_id, row->function);
    if (f)
        f->latency = row->value;
    return PM_OK;
}

static int load_past(struct pm_sides_past *p, struct pm_store *store, const struct pm_reading *r,
                     struct pm_error *err)
{
    PM_TRY(pm_reading_list(&p->list, store, err));
    for (size_t i = 0; i < r->target_list.count; i++)
        add_past_runs(p, (int)i, r->targets[i].id);
    for (size_t i = 0; i < p->list.run_list.count; i++) {
        const struct pm_reading_run *run = &p->list.runs[i];
        bool wanted = false;
        for (size_t k = 0; k < p->run_count; k++)
            wanted |= p->runs[k].run == i;
        if (!wanted)
            continue;
        PM_TRY(pm_store_verdicts(store, run->id, keep_past_verdict, p, err));
        if (run->latency_validity != PM_VALIDITY_INVALID)
            PM_TRY(
                pm_store_statistics(store, run->id, PM_SCOPE_FUNCTION, keep_past_latency, p, err));
    }
    return PM_OK;
}

int pm_sides_past_load(const char *db, const struct pm_reading *r, struct pm_sides_past **out,
                       struct pm_error *err)
{
    struct pm_store *store = NULL;
    *out = pm_alloc(sizeof **out);
    PM_TRY(pm_store_open(&store, db, PM_STORE_READ, err));
    const int rc = load_past(*out, store, r, err);
    pm_store_free(store);
    return rc;
}

void pm_sides_past_free(struct pm_sides_past *p)
{
    if (!p)
        return;
    pm_map_release(&p->by_name);
    pm_reading_release(&p->list);
    free(p->functions);
    free(p->runs);
    free(p);
}

/* The same verdict from one run on, then the newest run of each verdict before. */
void pm_sides_past_verdicts(const struct pm_sides_past *p, const struct pm_reading_verdict *now,
                            struct pm_str *out)
{
    enum pm_verdict last = now->verdict;
    int64_t since = 0;
    bool all = true; /* no run before those that are known */
    struct pm_str before = PM_STR_INIT;
    for (size_t i = 0, spans = 0; i < p->run_count && spans < MOST_SPANS; i++) {
        const struct past_run *run = &p->runs[i];
        const struct past_function *f =
            run->target == now->target ? past_of(p, run->target_id, now->function) : NULL;
        if (!f)
            continue;
        if (f->verdict != last)
            pm_str_addf(&before, "%s%s in run %lld", spans++ ? ", " : "; ",
                        pm_sides__word(f->verdict), (long long)p->list.runs[run->run].id);
        if (!before.length || !since)
            since = before.length ? run->now : p->list.runs[run->run].id;
        all = !run->has_older;
        last = f->verdict;
    }
    if (since)
        pm_str_addf(out, "since run %lld%s%s", (long long)since,
                    before.length || all ? "" : " or before", before.length ? before.data : "");
    pm_str_release(&before);
}

void pm_sides_past_latencies(const struct pm_sides_past *p, const struct pm_reading_verdict *now,
                             struct pm_str *out)
{
    size_t added = 0;
    for (size_t i = 0; i < p->run_count && added < MOST_LATENCIES; i++) {
        const struct past_function *f = p->runs[i].target == now->target && p->runs[i].same_cases
                                            ? past_of(p, p->runs[i].target_id, now->function)
                                            : NULL;
        if (!f || isnan(f->latency))
            continue;
        pm_str_add(out, added++ ? ", " : "");
        pm_text_time(out, f->latency);
        pm_str_addf(out, " in run %lld", (long long)p->list.runs[p->runs[i].run].id);
    }
}
