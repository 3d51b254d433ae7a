/* Writes the first lines of a report: what works, what fails, what is slow, and how certain the
 * results are. */
#include "tables/lines.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "judge/reasons.h"
#include "stat/stat.h"
#include "tables/kinds.h"
#include "tables/standing.h"
#include "text/numbers.h"

enum { PROBLEMS_NAMED = 3 };

/* ---- targets -------------------------------------------------------------------------------- */

static bool is_subject(const struct pm_reading *r, const struct standing *s)
{
    return r->targets[s->target].role == PM_ROLE_SUBJECT;
}

static void add_number(struct pm_str *out, int64_t number, const char *after)
{
    pm_text_count(out, number);
    pm_str_add(out, after);
}

/* Appends the share of the functions that the types of a target allow, unless they allow all. */
static void add_possible(struct pm_str *out, const struct tally *t)
{
    if (t->impossible && t->impossible == t->counted) {
        pm_str_add(out, "; its types allow none");
    } else if (t->impossible) {
        pm_str_add(out, "; ");
        pm_text_share(out, t->possible_share);
        pm_str_add(out, " of the ");
        add_number(out, t->counted - t->impossible, " that its types allow");
    }
}

/* Appends a text such as "19 of 23 functions work (83 %; 90 % of the 21 that its types allow), 3 of
 * them with limits, 2 partly, 2 fail". */
static void add_verdicts(struct pm_str *out, const struct pm_reading *r, const struct standing *s,
                         bool share)
{
    const struct tally *t = &s->tally;
    const struct pm_tables__verb verb = pm_tables__verb(r, s->target);
    add_number(out, t->working, " of ");
    add_number(out, t->counted, t->counted == 1 ? " function " : " functions ");
    pm_str_add(out, t->counted == 1 ? verb.singular : verb.plural);
    if (share) {
        pm_str_add(out, " (");
        pm_text_share(out, t->share);
        add_possible(out, t);
        pm_str_add(out, ")");
    }
    pm_str_add(out, ", ");
    if (t->of[PM_VERDICT_LIMITS])
        add_number(out, t->of[PM_VERDICT_LIMITS], " of them with limits, ");
    add_number(out, t->of[PM_VERDICT_PARTLY], " partly, ");
    add_number(out, t->of[PM_VERDICT_FAILS], " fail");
}

/* Appends a text such as ", 3 blocked: 70 % if they fail, 85 % if they work (inconclusive)". */
static void add_blocked(struct pm_str *out, const struct standing *s, bool share)
{
    const struct bounds bounds = pm_tables__bounds(&s->tally);
    if (!bounds.blocked)
        return;
    pm_str_add(out, ", ");
    add_number(out, bounds.blocked, " blocked");
    if (share && s->tally.counted) {
        pm_str_add(out, ": ");
        pm_text_percent(out, bounds.low);
        pm_str_add(out, bounds.blocked == 1 ? " % if it fails, " : " % if they fail, ");
        pm_text_share(out, bounds.high);
        pm_str_add(out, bounds.blocked == 1 ? " if it works" : " if they work");
    }
    if (bounds.inconclusive)
        pm_str_add(out, " (inconclusive)");
}

/* Adds the counts, and with `share` their shares. A reference has no shares, because every counted
 * case passes on it. */
static void add_counted(struct pm_str *out, const struct pm_reading *r, const struct standing *s,
                        bool share)
{
    if (s->tally.counted)
        add_verdicts(out, r, s, share);
    else
        pm_str_add(out, "no function has a counted verdict");
    add_blocked(out, s, share);
    if (!share || !s->tally.counted)
        return;
    pm_str_add(out, "; on average ");
    pm_text_share(out, s->tally.case_share);
    pm_str_add(out, " of the cases pass");
}

static void add_speeds(struct pm_str *out, const struct pm_reading *r, const struct standing *s)
{
    const struct pm_reading_target *t = &r->targets[s->target];
    if (!t->latencies) {
        const bool executed = t->evidence == PM_EVIDENCE_EXECUTED;
        pm_str_addf(out, "; not timed%s%s", executed ? "" : ": ",
                    executed ? "" : pm_evidence_text(t->evidence));
    } else if (!s->speeds.timed) {
        pm_str_add(out, "; no function has a ratio to its reference");
    } else {
        const double much = pm_reading_intolerable(r);
        pm_str_addf(out,
                    "; of %zu timed function%s, %zu intolerable (over %gx slower), %zu over %gx "
                    "faster, median ratio ",
                    s->speeds.timed, s->speeds.timed == 1 ? "" : "s", s->speeds.intolerable, much,
                    s->speeds.faster, much);
        pm_text_ratio(out, s->speeds.median);
    }
}

/* Adds the reservations about a share of working functions. */
static void add_reservations(struct pm_str *out, const struct pm_reading *r, int target)
{
    char *crashes = pm_tables__crashes(r, target);
    if (*crashes)
        pm_str_addf(out, "; crashes the process: %s", crashes);
    if (r->targets[target].hides_fallbacks)
        pm_str_add(out, "; fallbacks to the host cannot be detected on this target");
    free(crashes);
}

static void add_subject(const struct pm_reading *r, const struct standing *s,
                        struct pm_report *report)
{
    struct pm_str text = PM_STR_INIT;
    add_counted(&text, r, s, true);
    add_speeds(&text, r, s);
    add_reservations(&text, r, s->target);
    pm_report_line(report, r->targets[s->target].text, text.data);
    pm_str_release(&text);
}

/* Adds the line of a reference with which nothing is compared: the counts, and what checked the
 * outputs. */
static void add_alone(const struct pm_reading *r, const struct standing *s,
                      struct pm_report *report)
{
    struct pm_str text = PM_STR_INIT;
    int64_t by_case, by_nothing;
    pm_tables__count_checks(r, s->target, &by_case, &by_nothing);
    add_counted(&text, r, s, false);
    if (s->tally.host_only)
        pm_str_addf(&text, ", %lld host-only (no inputs or outputs on the device)",
                    (long long)s->tally.host_only);
    pm_str_addf(&text,
                "; outputs checked by the cases of %lld function%s, unchecked for %lld; no ratios, "
                "because the target was not compared with a second device",
                (long long)by_case, by_case == 1 ? "" : "s", (long long)by_nothing);
    add_reservations(&text, r, s->target);
    pm_report_line(report, r->targets[s->target].text, text.data);
    pm_str_release(&text);
}

/* Appends a text such as "3 more: functions: a@x 90 % work, b@y 40 % can be lowered". */
static void add_others(const struct pm_reading *r, const struct standing *standings, size_t count,
                       struct pm_report *report)
{
    struct pm_str text = PM_STR_INIT;
    for (size_t i = 0; i < count; i++) {
        const struct tally *t = &standings[i].tally;
        pm_str_addf(&text, "%s%s ", i ? ", " : "functions: ", r->targets[standings[i].target].text);
        pm_text_share(&text, t->share);
        if (t->counted)
            pm_str_addf(&text, " %s", pm_tables__verb(r, standings[i].target).plural);
        else
            pm_str_add(&text, "none counted");
    }
    char *label = pm_format("%zu more", count);
    pm_report_line(report, label, text.data);
    free(label);
    pm_str_release(&text);
}

/* Adds a line for each of the first targets, and one line for all others. */
static void add_targets(const struct pm_reading *r, const struct standing *standings, size_t count,
                        struct pm_report *report)
{
    const size_t named = pm_tables__count_named(count);
    for (size_t i = 0; i < named; i++)
        (is_subject(r, &standings[i]) ? add_subject : add_alone)(r, &standings[i], report);
    if (count > named)
        add_others(r, standings + named, count - named, report);
}

/* ---- real calls ----------------------------------------------------------------------------- */

/* Returns the estimate of a target, if its interval is narrow enough to be useful; NULL if there is
 * none. */
static const struct pm_reading_estimate *estimate_of(const struct pm_reading *r, int target)
{
    for (size_t i = 0; i < r->estimate_list.count; i++) {
        const struct pm_reading_estimate *e = &r->estimates[i];
        if (e->target == target && isfinite(e->by_use.mid) && !pm_tables__says_nothing(&e->by_use))
            return e;
    }
    return NULL;
}

/* Appends a text such as "83 % of all calls work on a@x (estimate, 95 % interval 63 to 93, if the 3
 * functions of the sample that were not measured are like the others)". */
static void add_estimate(struct pm_str *out, const struct pm_reading *r, int target,
                         const struct pm_reading_estimate *e)
{
    const int64_t missing = e->members - e->marked;
    pm_text_share(out, e->by_use.mid);
    pm_str_addf(out, " of all calls %s on %s (estimate, 95 %% interval %.0f to %.0f",
                pm_tables__verb(r, target).plural, r->targets[target].text, e->by_use.low * 100,
                e->by_use.high * 100);
    if (missing) {
        pm_str_add(out, ", if the ");
        add_number(out, missing,
                   missing == 1 ? " function of the sample that was not measured is "
                                  "like the others"
                                : " functions of the sample that were not measured "
                                  "are like the others");
    }
    pm_str_add(out, ")");
}

/* Adds the share of calls that work: the estimate of the sample or, without an estimate, the share
 * among the calls to measured functions. */
static void add_surviving(struct pm_str *out, const struct pm_reading *r, const struct standing *s)
{
    const struct pm_reading_target *t = &r->targets[s->target];
    const struct pm_reading_estimate *estimate = estimate_of(r, s->target);
    const struct pm_reading_uses *uses = pm_reading_uses(r, t->framework);
    if (!estimate && s->calls <= 0)
        return;
    pm_str_add(out, out->length ? "; " : "");
    if (estimate) {
        add_estimate(out, r, s->target, estimate);
        return;
    }
    pm_text_share(out, s->surviving / s->calls);
    pm_str_addf(out, " of the calls to measured functions %s on %s (",
                pm_tables__verb(r, s->target).plural, t->text);
    pm_text_count(out, (int64_t)s->calls);
    pm_str_addf(out, " call%s, ", s->calls == 1 ? "" : "s");
    pm_text_share(out, s->calls / (double)uses->calls);
    pm_str_addf(out, " of all calls in scan %lld)", (long long)uses->scan_id);
}

static void add_calls(const struct pm_reading *r, const struct standing *standings, size_t count,
                      struct pm_report *report)
{
    struct pm_str text = PM_STR_INIT;
    for (size_t i = 0; i < count; i++)
        if (is_subject(r, &standings[i]))
            add_surviving(&text, r, &standings[i]);
    if (text.length)
        pm_report_line(report, "real calls", text.data);
    pm_str_release(&text);
}

/* ---- problems ------------------------------------------------------------------------------- */

struct problem {
    const struct pm_reading_verdict *verdict;
    int64_t calls;
    double ratio; /* NaN: none */
};

/* Orders by calls, then by kind (functions that fail, that work partly, that are only slow), then
 * by ratio. */
static int heaviest_first(const void *left, const void *right)
{
    const struct problem *a = left, *b = right;
    if (a->calls != b->calls)
        return a->calls > b->calls ? -1 : 1;
    if (a->verdict->verdict != b->verdict->verdict)
        return a->verdict->verdict > b->verdict->verdict ? -1 : 1;
    const int ratios = pm_stat_largest_first(a->ratio, b->ratio);
    if (ratios)
        return ratios;
    const int names = strcmp(a->verdict->function, b->verdict->function);
    return names ? names : a->verdict->target - b->verdict->target;
}

static bool is_problem(const struct pm_reading *r, const struct pm_reading_verdict *v, double ratio)
{
    if (!pm_tables__has_line(r, v->target) || v->host_only)
        return false;
    return pm_verdict_is_counted(v->verdict) &&
           (!pm_verdict_is_working(v->verdict) || ratio > pm_reading_intolerable(r));
}

static struct problem *find_problems(const struct pm_reading *r, size_t *count)
{
    struct problem *problems = pm_alloc((r->verdict_list.count + 1) * sizeof *problems);
    *count = 0;
    for (size_t i = 0; i < r->verdict_list.count; i++) {
        const struct pm_reading_verdict *v = &r->verdicts[i];
        const struct pm_reading_statistic *s =
            pm_reading_warm(r, v->target, v->function, "", PM_SIZE_SMALL, PM_STATISTIC_RATIO);
        const double ratio = s ? s->value : NAN;
        if (is_problem(r, v, ratio))
            problems[(*count)++] = (struct problem){
                v, pm_reading_calls(r, r->targets[v->target].framework, v->function), ratio};
    }
    qsort(problems, *count, sizeof *problems, heaviest_first);
    return problems;
}

/* Appends a text such as "torch.gather fails on pytorch@cuda (1,204 calls)". */
static void add_problem(struct pm_str *out, const struct pm_reading *r, const struct problem *p,
                        bool names_target)
{
    const struct pm_reading_target *t = &r->targets[p->verdict->target];
    pm_str_addf(out, "%s%s ", out->length ? ", " : "", p->verdict->function);
    if (pm_verdict_is_working(p->verdict->verdict))
        pm_text_ratio(out, p->ratio);
    else if (p->verdict->verdict == PM_VERDICT_PARTLY)
        pm_str_addf(out, "%s only partly", pm_tables__verb(r, p->verdict->target).singular);
    else
        pm_str_add(out, "fails");
    if (names_target)
        pm_str_addf(out, " on %s", t->text);
    if (!p->calls)
        return;
    pm_str_add(out, " (");
    pm_text_count(out, p->calls);
    pm_str_addf(out, " call%s)", p->calls == 1 ? "" : "s");
}

static void add_problems(const struct pm_reading *r, const struct problem *problems, size_t count,
                         bool several, struct pm_report *report)
{
    struct pm_str text = PM_STR_INIT;
    for (size_t i = 0; i < count && i < PROBLEMS_NAMED; i++)
        add_problem(&text, r, &problems[i], several);
    if (count > PROBLEMS_NAMED)
        pm_str_addf(&text, ", and %zu more", count - PROBLEMS_NAMED);
    if (count)
        pm_report_line(report, "problems", text.data);
    pm_str_release(&text);
}

/* ---- what to do next ------------------------------------------------------------------------ */

/* Adds the command that measures a missing shard, and returns whether one is missing. A run that
 * was merged from some shards cannot be resumed: the missing shard is measured and then merged. */
static bool add_shard(const struct pm_reading_run *run, struct pm_report *report)
{
    const long long number = (long long)pm_reading_missing_shard(run, 0);
    if (!*run->source || !run->shard_list_count || !number)
        return false;
    const char *measure = *run->shards[0].command ? run->shards[0].command : "portmeter run";
    char *command = pm_format("%s --shard %lld/%lld --db shard-%lld.db", measure, number,
                              (long long)run->shard_count, number);
    pm_report_command(report, "next", command,
                      "measures a shard that is missing; then portmeter merge adds it");
    free(command);
    return true;
}

static bool add_resume(const struct pm_reading *r, const char *option, struct pm_report *report)
{
    for (size_t i = 0; i < r->run_list.count; i++) {
        if (!r->runs[i].shown || r->runs[i].state == PM_RUN_DONE)
            continue;
        const bool wait = r->runs[i].is_running;
        if (add_shard(&r->runs[i], report))
            return true;
        char *command = pm_format("portmeter %s %lld%s", wait ? "report --run" : "run --resume",
                                  (long long)r->runs[i].id, option);
        pm_report_command(report, "next", command,
                          wait ? "shows the whole run after it has ended" : "continues the run");
        free(command);
        return true;
    }
    return false;
}

/* Returns the smallest number of processes from which a ratio of the run was computed, at most as
 * many as a verdict needs. */
static int64_t fewest_processes(const struct pm_reading *r, size_t run)
{
    int64_t fewest = PM_STAT_LEAST_FOR_VERDICT;
    for (size_t i = 0; i < r->statistic_list.count; i++) {
        const struct pm_reading_statistic *s = &r->statistics[i];
        if (r->targets[s->key.target].run != run || s->key.what != PM_STATISTIC_RATIO ||
            s->key.scope != PM_SCOPE_FUNCTION || s->key.clock != PM_CLOCK_WARM || s->compiles)
            continue;
        const int64_t n =
            s->processes < s->reference_processes ? s->processes : s->reference_processes;
        fewest = n < fewest ? n : fewest;
    }
    return fewest;
}

static bool add_repetitions(const struct pm_reading *r, const char *option,
                            struct pm_report *report)
{
    for (size_t i = 0; i < r->run_list.count; i++) {
        const struct pm_reading_run *run = &r->runs[i];
        const int64_t fewest = fewest_processes(r, i);
        if (!run->shown || run->shard_list_count || run->state != PM_RUN_DONE ||
            run->validity != PM_VALIDITY_VALID || fewest >= PM_STAT_LEAST_FOR_VERDICT)
            continue;
        char *command = pm_format("portmeter run --resume %lld --repetitions %d%s",
                                  (long long)run->id, PM_STAT_LEAST_FOR_VERDICT, option);
        char *why = pm_format("adds processes: verdicts on latencies need %d per case (now %lld)",
                              PM_STAT_LEAST_FOR_VERDICT, (long long)fewest);
        pm_report_command(report, "next", command, why);
        free(command);
        free(why);
        return true;
    }
    return false;
}

static bool only_own_environment(const struct pm_reading *r, const char *framework)
{
    bool any = false;
    for (size_t i = 0; i < r->target_list.count; i++) {
        if (pm_reading_is_oracle(&r->targets[i]))
            continue;
        any = true;
        if (strcmp(r->targets[i].environment, framework))
            return false;
    }
    return any;
}

/* Adds the command that adds a device, unless a timed target was compared with a reference. */
static void add_device(const struct pm_reading *r, const struct pm_report_options *o,
                       struct pm_report *report)
{
    for (size_t i = 0; i < r->target_list.count; i++)
        if (r->targets[i].latencies && r->targets[i].role == PM_ROLE_SUBJECT)
            return;
    for (size_t i = 0; i < o->hint_count; i++) {
        if (!only_own_environment(r, o->hints[i].framework))
            continue;
        char *command = pm_format("portmeter env create %s", o->hints[i].environment);
        char *adds = pm_format("adds %s", o->hints[i].adds);
        pm_report_command(report, "next", command, adds);
        free(command);
        free(adds);
        return;
    }
    pm_report_command(report, "next", "portmeter devices", "lists what else can be measured here");
}

/* ---- numbers for programs ------------------------------------------------------------------- */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Returns the numbers about the functions of a target. */
static json_t *json_of_tally(const struct pm_reading *r, const struct standing *s)
{
    const struct tally *t = &s->tally;
    const struct bounds bounds = pm_tables__bounds(t);
    return json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:b}",
        "target", r->targets[s->target].text, "evidence",
        pm_evidence_text(r->targets[s->target].evidence), "functions", (json_int_t)t->functions,
        "counted", (json_int_t)t->counted, "working", (json_int_t)t->working, "works",
        (json_int_t)t->of[PM_VERDICT_WORKS], "limits", (json_int_t)t->of[PM_VERDICT_LIMITS],
        "partly", (json_int_t)t->of[PM_VERDICT_PARTLY], "fails",
        (json_int_t)t->of[PM_VERDICT_FAILS], "blocked", (json_int_t)bounds.blocked, "not_possible",
        (json_int_t)t->impossible, "share", number(t->share), "possible_share",
        number(t->possible_share), "share_if_blocked_fail", number(bounds.low),
        "share_if_blocked_work", number(bounds.high), "mean_case_share", number(t->case_share),
        "inconclusive", bounds.inconclusive);
}

static json_t *json_of_standing(const struct pm_reading *r, const struct standing *s)
{
    const struct pm_reading_target *t = &r->targets[s->target];
    const bool calls = pm_reading_uses(r, t->framework) != NULL;
    json_t *all = json_of_tally(r, s);
    json_t *rest = json_pack(
        "{s:I, s:I, s:I, s:I, s:f, s:o, s:o, s:o, s:o, s:b}", "timed", (json_int_t)s->speeds.timed,
        "over_10x_slower", (json_int_t)s->speeds.over_10x_slower, "over_10x_faster",
        (json_int_t)s->speeds.over_10x_faster, "intolerable", (json_int_t)s->speeds.intolerable,
        "intolerable_over", pm_reading_intolerable(r), "median_ratio", number(s->speeds.median),
        "calls", calls ? json_real(s->calls) : json_null(), "surviving_calls",
        calls ? json_real(s->surviving) : json_null(), "crashes",
        pm_tables__crashes_json(r, s->target), "hides_fallbacks", t->hides_fallbacks);
    json_object_update(all, rest);
    json_decref(rest);
    return all;
}

static json_t *json_of_problem(const struct pm_reading *r, const struct problem *p)
{
    const struct pm_reading_target *t = &r->targets[p->verdict->target];
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "function", p->verdict->function, "target",
                     t->text, "verdict", pm_verdict_text(p->verdict->verdict), "ratio",
                     number(p->ratio), "calls",
                     pm_reading_uses(r, t->framework) ? json_integer(p->calls) : json_null());
}

static void take_numbers(const struct pm_reading *r, const struct standing *standings, size_t count,
                         const struct problem *problems, size_t problem_count,
                         struct pm_report *report)
{
    json_t *targets = json_array(), *heaviest = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(targets, json_of_standing(r, &standings[i]));
    for (size_t i = 0; i < problem_count; i++)
        json_array_append_new(heaviest, json_of_problem(r, &problems[i]));
    pm_report_take_data(report, "headline",
                        json_pack("{s:o, s:o, s:o}", "targets", targets, "problems", heaviest,
                                  "older_failures", pm_tables__older_json(r)));
}

/* ---- the answer of a run -------------------------------------------------------------------- */

static void add_answers(const struct pm_reading *r, struct pm_str *out)
{
    size_t count = 0, named = 0;
    for (size_t i = 0; i < r->target_list.count; i++)
        count += pm_tables__has_line(r, (int)i);
    for (size_t i = 0; i < r->target_list.count && named < pm_tables__count_named(count); i++) {
        if (!pm_tables__has_line(r, (int)i))
            continue;
        const struct standing s = pm_tables__standing(r, (int)i);
        pm_str_addf(out, "%s%s: ", named++ ? "\n" : "", r->targets[i].text);
        add_counted(out, r, &s, is_subject(r, &s));
        add_reservations(out, r, (int)i);
    }
    if (count > named)
        pm_str_addf(out, "\nand %zu more targets", count - named);
}

int pm_tables_answer(const char *db, int64_t run_id, struct pm_str *out, struct pm_error *err)
{
    struct pm_reading r = {.for_people = true};
    struct pm_store *store = NULL;
    PM_TRY(pm_store_open(&store, db, PM_STORE_READ, err));
    const int rc = pm_reading_load(&r, store, db, run_id, err);
    if (!rc)
        add_answers(&r, out);
    pm_reading_release(&r);
    pm_store_free(store);
    return rc;
}

/* ---- all of it ------------------------------------------------------------------------------ */

void pm_tables__add_headline(const struct pm_reading *r, const struct pm_report_options *o,
                             const char *option, struct pm_report *report)
{
    struct standing *standings = pm_alloc((r->target_list.count + 1) * sizeof *standings);
    size_t count = 0, problem_count;
    struct problem *problems = find_problems(r, &problem_count);
    for (size_t i = 0; i < r->target_list.count; i++)
        if (pm_tables__has_line(r, (int)i))
            standings[count++] = pm_tables__standing(r, (int)i);
    char *warnings = pm_tables__warnings(r, standings, count, option);
    add_targets(r, standings, count, report);
    add_calls(r, standings, count, report);
    add_problems(r, problems, problem_count, count > 1, report);
    if (*warnings)
        pm_report_line(report, "warning", warnings);
    if (o->shipped)
        pm_report_command(report, "next", "portmeter study",
                          "measures the targets of your machine");
    else if (!add_resume(r, option, report) && !add_repetitions(r, option, report))
        add_device(r, o, report);
    take_numbers(r, standings, count, problems, problem_count, report);
    free(warnings);
    free(standings);
    free(problems);
}
