/* The first lines of a report: what works, what fails, how slow, how sure. */
#include "tables/lines.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "judge/reasons.h"
#include "stat/stat.h"
#include "tables/kinds.h"
#include "text/numbers.h"

enum { TARGETS_NAMED = 3, PROBLEMS_NAMED = 3 };

/* ---- targets ----------------------------------------------------------------------------------
 */

/* The ratios of a target's functions, of small inputs. */
struct speeds {
    size_t timed, intolerable, faster; /* faster: by more than what is intolerable the other way */
    size_t over_10x_slower, over_10x_faster;
    double median; /* NaN: none was timed */
};

struct standing {
    int target;
    struct tally tally;
    struct speeds speeds;
    double calls, surviving; /* to functions that count, and of them to those that work */
};

/* Shares if all blocked functions fail, and if all work; over a tenth of them leaves it open. */
struct bounds {
    int64_t blocked;
    double low, high;
    bool inconclusive;
};

static struct bounds bounds_of(const struct tally *t)
{
    const int64_t blocked = t->of[PM_VERDICT_BLOCKED], all = t->counted + blocked;
    return (struct bounds){
        .blocked = blocked,
        .low = all ? (double)t->working / (double)all : NAN,
        .high = all ? (double)(t->working + blocked) / (double)all : NAN,
        .inconclusive = 10 * blocked > all,
    };
}

bool pm_tables__is_ratio(const struct pm_reading_statistic *s)
{
    return s->key.scope == PM_SCOPE_FUNCTION && s->key.what == PM_STATISTIC_RATIO &&
           s->key.clock == PM_CLOCK_WARM && s->key.size == PM_SIZE_SMALL;
}

static struct speeds speeds_of(const struct pm_reading *r, int target)
{
    const double much = pm_reading_intolerable(r), ten = 10;
    struct speeds speeds = {.median = NAN};
    double *ratios = pm_alloc((r->statistic_list.count + 1) * sizeof *ratios);
    for (size_t i = 0; i < r->statistic_list.count; i++) {
        const struct pm_reading_statistic *s = &r->statistics[i];
        if (s->key.target != target || !pm_tables__is_ratio(s) || !isfinite(s->value))
            continue;
        ratios[speeds.timed++] = s->value;
        speeds.intolerable += s->value > much;
        speeds.faster += s->value < 1 / much;
        speeds.over_10x_slower += s->value > ten;
        speeds.over_10x_faster += s->value < 1 / ten;
    }
    if (speeds.timed)
        speeds.median = pm_stat_median(ratios, speeds.timed);
    free(ratios);
    return speeds;
}

/* Calls of a function that cases name by several aliases are counted once, and work if the function
 * works under each of them. */
static void count_calls(const struct pm_reading *r, struct standing *s)
{
    static char working, failing;
    const char *framework = r->targets[s->target].framework;
    struct pm_map seen = {0};
    for (size_t i = 0; i < r->verdict_list.count; i++) {
        const struct pm_reading_verdict *v = &r->verdicts[i];
        const bool works = pm_verdict_is_working(v->verdict);
        if (v->target != s->target || !pm_verdict_is_counted(v->verdict))
            continue;
        const double calls = (double)pm_reading_calls(r, framework, v->function);
        const char *name = pm_reading_counted_name(r, framework, v->function);
        const char *before = pm_map_get(&seen, name);
        s->calls += before ? 0 : calls;
        s->surviving += works && !before ? calls : 0;
        s->surviving -= !works && before == &working ? calls : 0;
        if (before != &failing)
            pm_map_put(&seen, name, works ? &working : &failing);
    }
    pm_map_release(&seen);
}

static struct standing standing_of(const struct pm_reading *r, int target)
{
    struct standing s = {.target = target, .tally = pm_tables__tally(r, target, false)};
    s.speeds = speeds_of(r, target);
    count_calls(r, &s);
    return s;
}

bool pm_tables__has_line(const struct pm_reading *r, int target)
{
    const struct pm_reading_target *t = &r->targets[target];
    if (pm_reading_is_oracle(t) || pm_reading_is_noise(t))
        return false;
    return !pm_reading_is_reference(t) || !pm_reading_has_subject(r, target);
}

static bool is_subject(const struct pm_reading *r, const struct standing *s)
{
    return r->targets[s->target].role == PM_ROLE_SUBJECT;
}

static void add_number(struct pm_str *out, int64_t number, const char *after)
{
    pm_text_count(out, number);
    pm_str_add(out, after);
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
        if (t->impossible) {
            pm_str_add(out, "; ");
            pm_text_share(out, t->possible_share);
            pm_str_add(out, " of the ");
            add_number(out, t->counted - t->impossible, " that its types allow");
        }
        pm_str_add(out, ")");
    }
    pm_str_add(out, ", ");
    if (t->of[PM_VERDICT_LIMITS])
        add_number(out, t->of[PM_VERDICT_LIMITS], " of them with limits, ");
    add_number(out, t->of[PM_VERDICT_PARTLY], " partly, ");
    add_number(out, t->of[PM_VERDICT_FAILS], " fail");
}

/* Appends a text such as ", 3 blocked: 70 to 85 % if they fail or work (inconclusive)". */
static void add_blocked(struct pm_str *out, const struct standing *s, bool share)
{
    const struct bounds bounds = bounds_of(&s->tally);
    if (!bounds.blocked)
        return;
    pm_str_add(out, ", ");
    add_number(out, bounds.blocked, " blocked");
    if (share && s->tally.counted) {
        pm_str_add(out, ": ");
        pm_text_percent(out, bounds.low);
        pm_str_add(out, " to ");
        pm_text_share(out, bounds.high);
        pm_str_add(out, " if they fail or work");
    }
    if (bounds.inconclusive)
        pm_str_add(out, " (inconclusive)");
}

/* Adds the counts, and with `share` their shares, which mean nothing for a reference: what is
 * counted passes on it. */
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

/* Adds what a share of working functions does not show. */
static void add_reservations(struct pm_str *out, const struct pm_reading *r, int target)
{
    char *crashes = pm_tables__crashes(r, target);
    if (*crashes)
        pm_str_addf(out, "; crashes the process: %s", crashes);
    if (r->targets[target].hides_fallbacks)
        pm_str_add(out, "; fallbacks to the host cannot be seen on this target");
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

/* Adds what was checked on a single device. */
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

/* Returns how many of so many targets have a line of their own. */
static size_t count_named(size_t count)
{
    return count > TARGETS_NAMED + 1 ? TARGETS_NAMED : count;
}

static void add_targets(const struct pm_reading *r, const struct standing *standings, size_t count,
                        struct pm_report *report)
{
    const size_t named = count_named(count);
    for (size_t i = 0; i < named; i++)
        (is_subject(r, &standings[i]) ? add_subject : add_alone)(r, &standings[i], report);
    if (count > named)
        add_others(r, standings + named, count - named, report);
}

/* ---- real calls -------------------------------------------------------------------------------
 */

/* Returns an estimate that says something; NULL if there is none. */
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

/* Adds the share of calls that work: by the sample if there is one, else of the calls to what was
 * measured. */
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

/* ---- problems ---------------------------------------------------------------------------------
 */

struct problem {
    const struct pm_reading_verdict *verdict;
    int64_t calls;
    double ratio; /* NaN: none */
};

/* Orders by calls; then what fails, what fails partly, what is slow. */
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

/* ---- warnings ---------------------------------------------------------------------------------
 */

static struct pm_str *next_warning(struct pm_str *out)
{
    pm_str_add(out, out->length ? "; " : "");
    return out;
}

static void warn_run(struct pm_str *out, const struct pm_reading *r,
                     const struct pm_reading_run *run)
{
    const bool several = pm_reading_runs_shown(r) > 1;
    char *name = several ? pm_format("run %lld", (long long)run->id) : pm_strdup("the run");
    if (run->validity == PM_VALIDITY_INVALID)
        pm_str_addf(next_warning(out), "%s is INVALID: %s", name, run->reason);
    else if (run->latency_validity == PM_VALIDITY_INVALID)
        pm_str_addf(next_warning(out), "latencies of %s are INVALID: %s", name,
                    run->latency_reason);
    char *share = pm_reading_share(run);
    if (share)
        pm_str_addf(next_warning(out), "%s is about %s", name, share);
    else if (run->state != PM_RUN_DONE && run->validity != PM_VALIDITY_INVALID) {
        pm_str_addf(next_warning(out), "%s is %s: ", name, pm_reading_unfinished(run));
        pm_text_count(out, run->done);
        pm_str_add(out, " of ");
        pm_text_count(out, run->planned);
        pm_str_add(out, " executions");
    }
    free(share);
    free(name);
}

static bool has_latencies(const struct pm_reading *r, size_t run)
{
    for (size_t i = 0; i < r->statistic_list.count; i++)
        if (r->targets[r->statistics[i].key.target].run == run)
            return true;
    return false;
}

/* Warns of other load on the machine. Before a part of a run begins, portmeter runs nothing, so a
 * load over half of the cores is that of other programs. It does not change outcomes. */
static void warn_load(struct pm_str *out, const struct pm_reading *r, size_t index)
{
    const struct pm_reading_run *run = &r->runs[index];
    for (size_t i = 0; i < run->attempt_count && has_latencies(r, index); i++) {
        const double load = run->attempts[i].load_before;
        const long long cores = pm_json_int(run->attempts[i].machine, "physical_cores", 0);
        if (!isfinite(load) || cores <= 0 || load <= (double)cores / 2)
            continue;
        pm_str_addf(next_warning(out),
                    "the machine was busy (load %.1f on %lld core%s before measuring), so "
                    "latencies may be too high",
                    load, cores, cores == 1 ? "" : "s");
        return;
    }
}

static void warn_unmeasured(struct pm_str *out, const struct standing *standings, size_t count,
                            const struct pm_reading *r)
{
    for (size_t i = 0; i < count; i++) {
        const int64_t *of = standings[i].tally.of;
        const int64_t unmeasured = of[PM_VERDICT_NOT_MEASURED] + of[PM_VERDICT_UNTESTED] +
                                   of[PM_VERDICT_REFERENCE_FAILS] + of[PM_VERDICT_BLOCKED];
        if (!unmeasured)
            continue;
        pm_text_count(next_warning(out), unmeasured);
        pm_str_addf(out, " function%s of %s %s no counted verdict", unmeasured == 1 ? "" : "s",
                    r->targets[standings[i].target].text, unmeasured == 1 ? "has" : "have");
    }
}

/* Warns of cases that the reference fails: they say nothing about the target. */
static void warn_excluded(struct pm_str *out, const struct pm_reading *r)
{
    int64_t excluded = 0, wrong = 0;
    for (size_t i = 0; i < r->case_list.count; i++) {
        const struct pm_reading_case *c = &r->cases[i];
        const bool is = pm_reading_shows(r, c->target) &&
                        pm_reading_is_reference(&r->targets[c->target]) &&
                        pm_reading_is_excluded(r, c);
        excluded += is;
        wrong += is && !strcmp(c->reason, pm_reason_text(PM_REASON_REFERENCE_WRONG));
    }
    if (!excluded)
        return;
    pm_text_count(next_warning(out), excluded);
    pm_str_add(out, excluded == 1
                        ? " case fails on the reference and is not counted (--table not_counted)"
                        : " cases fail on the reference and are not counted (--table not_counted)");
    if (!wrong)
        return;
    pm_str_add(out, "; the reference is wrong in ");
    add_number(out, wrong,
               wrong == 1 ? " of them: its expected values contradict it"
                          : " of them: their expected values contradict it");
}

/* Warns of cases whose setup, `output`, `check` or `expect` does not work: the verdict ignores
 * them. */
static void warn_not_counted(struct pm_str *out, const struct pm_reading *r)
{
    const int64_t count = pm_tables__count_not_counted(r);
    if (!count)
        return;
    pm_text_count(next_warning(out), count);
    pm_str_add(out, count == 1 ? " case does not pass and is not counted (--table not_counted)"
                               : " cases do not pass and are not counted (--table not_counted)");
}

/* Warns of results that differed, even if a retry in isolation decided the verdict. */
static void warn_differing(struct pm_str *out, const struct pm_reading *r)
{
    const int64_t flaky = pm_tables__count_flaky(r), neighbours = pm_tables__count_neighbours(r);
    if (flaky) {
        pm_text_count(next_warning(out), flaky);
        pm_str_addf(out, " case%s flaky (--table unstable)", flaky == 1 ? " is" : "s are");
    }
    if (neighbours) {
        pm_text_count(next_warning(out), neighbours);
        pm_str_addf(out,
                    " case%s on earlier cases in the process, or on chance (--table neighbours)",
                    neighbours == 1 ? " depends" : "s depend");
    }
}

/* Warns of what add_reservations() says, for a target without a line of its own: a reference with
 * which others are compared, or one of many. */
static void warn_reservations(struct pm_str *out, const struct standing *standings, size_t count,
                              const struct pm_reading *r)
{
    for (size_t t = 0; t < r->target_list.count; t++) {
        bool named = pm_reading_is_oracle(&r->targets[t]);
        for (size_t i = 0; i < count_named(count); i++)
            named |= standings[i].target == (int)t;
        if (named)
            continue;
        char *crashes = pm_tables__crashes(r, (int)t);
        if (*crashes)
            pm_str_addf(next_warning(out), "%s crashes the process: %s", r->targets[t].text,
                        crashes);
        if (r->targets[t].hides_fallbacks)
            pm_str_addf(next_warning(out), "fallbacks to the host cannot be seen on %s",
                        r->targets[t].text);
        free(crashes);
    }
}

/* Warns of unstable cases, which no ratio includes: the remaining cases are those that happen to be
 * stable. */
static void warn_unstable(struct pm_str *out, const struct pm_reading *r)
{
    for (size_t t = 0; t < r->target_list.count; t++) {
        int64_t cases = 0, unstable = 0, processes = 0;
        for (size_t i = 0; i < r->case_list.count; i++) {
            const struct pm_reading_case *c = &r->cases[i];
            if (c->target != (int)t || !c->passed)
                continue;
            cases++;
            processes = c->repetitions > processes ? c->repetitions : processes;
        }
        for (size_t i = 0; i < r->statistic_list.count; i++) {
            const struct pm_reading_key *key = &r->statistics[i].key;
            unstable += key->target == (int)t && r->statistics[i].unstable &&
                        key->scope == PM_SCOPE_CASE && key->clock == PM_CLOCK_WARM &&
                        key->what == PM_STATISTIC_LATENCY;
        }
        if (processes < PM_STAT_LEAST_FOR_INTERVAL || 10 * unstable <= cases)
            continue;
        pm_text_count(next_warning(out), unstable);
        pm_str_add(out, " of ");
        pm_text_count(out, cases);
        pm_str_addf(out,
                    " cases of %s are unstable: its latencies are those of the other cases only "
                    "(--table unstable)",
                    r->targets[t].text);
    }
}

static char *warnings_of(const struct pm_reading *r, const struct standing *standings, size_t count,
                         const char *option)
{
    struct pm_str text = PM_STR_INIT;
    for (size_t i = 0; i < r->run_list.count; i++)
        if (r->runs[i].shown) {
            warn_run(&text, r, &r->runs[i]);
            warn_load(&text, r, i);
        }
    warn_unmeasured(&text, standings, count, r);
    warn_excluded(&text, r);
    warn_not_counted(&text, r);
    warn_differing(&text, r);
    warn_unstable(&text, r);
    warn_reservations(&text, standings, count, r);
    pm_tables__older(r, option, &text);
    for (size_t i = 0; i < r->run_list.count; i++)
        if (r->runs[i].passed_over)
            pm_str_addf(next_warning(&text), "the newer run %lld is not shown",
                        (long long)r->runs[i].id);
    return pm_str_detach(&text);
}

/* ---- what to do next --------------------------------------------------------------------------
 */

/* A run that is merged from some shards cannot be resumed: a shard is measured, and merged too. */
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
                          wait ? "shows all of the run when it has ended" : "continues the run");
        free(command);
        return true;
    }
    return false;
}

/* Returns whether a ratio of the run has an interval or a verdict to gain; by how many processes it
 * is. */
static int64_t fewest_processes(const struct pm_reading *r, size_t run)
{
    int64_t fewest = PM_STAT_LEAST_FOR_VERDICT;
    for (size_t i = 0; i < r->statistic_list.count; i++) {
        const struct pm_reading_statistic *s = &r->statistics[i];
        if (r->targets[s->key.target].run != run || s->key.what != PM_STATISTIC_RATIO ||
            s->key.scope != PM_SCOPE_FUNCTION || s->key.clock != PM_CLOCK_WARM)
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
        char *why = pm_format("adds processes: a verdict on a ratio needs %d per case (now %lld)",
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

/* Adds the command that adds a device, if nothing was compared with a reference. */
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

/* ---- numbers for programs ---------------------------------------------------------------------
 */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Returns what is known of its functions. */
static json_t *json_of_tally(const struct pm_reading *r, const struct standing *s)
{
    const struct tally *t = &s->tally;
    const struct bounds bounds = bounds_of(t);
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

/* ---- all of it --------------------------------------------------------------------------------
 */

void pm_tables__add_headline(const struct pm_reading *r, const struct pm_report_options *o,
                             const char *option, struct pm_report *report)
{
    struct standing *standings = pm_alloc((r->target_list.count + 1) * sizeof *standings);
    size_t count = 0, problem_count;
    struct problem *problems = find_problems(r, &problem_count);
    for (size_t i = 0; i < r->target_list.count; i++)
        if (pm_tables__has_line(r, (int)i))
            standings[count++] = standing_of(r, (int)i);
    char *warnings = warnings_of(r, standings, count, option);
    add_targets(r, standings, count, report);
    add_calls(r, standings, count, report);
    add_problems(r, problems, problem_count, count > 1, report);
    if (*warnings)
        pm_report_line(report, "warning", warnings);
    if (!add_resume(r, option, report) && !add_repetitions(r, option, report))
        add_device(r, o, report);
    take_numbers(r, standings, count, problems, problem_count, report);
    free(warnings);
    free(standings);
    free(problems);
}
