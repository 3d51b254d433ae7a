/* Writes the warnings of a headline: what makes the results of a report doubtful. */
#include "tables/standing.h"

#include <string.h>

#include "base/alloc.h"
#include "base/cpus.h"
#include "base/json.h"
#include "base/plural.h"
#include "judge/reasons.h"
#include "stat/stat.h"
#include "tables/kinds.h"
#include "tables/lines.h"
#include "text/numbers.h"

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
        pm_str_addf(next_warning(out), "%s covers only %s", name, share);
    else if (run->state != PM_RUN_DONE && run->validity != PM_VALIDITY_INVALID) {
        pm_str_addf(next_warning(out), "%s is %s: ", name, pm_reading_unfinished(run));
        pm_text_count(out, run->done);
        pm_str_add(out, " of ");
        pm_text_count(out, run->planned);
        pm_str_addf(out, " execution%s", pm_plural(run->planned));
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

/* Warns if the machine was busy, because other load changes latencies, but not outcomes. */
static void warn_load(struct pm_str *out, const struct pm_reading *r, size_t index)
{
    const struct pm_reading_run *run = &r->runs[index];
    for (size_t i = 0; i < run->attempt_count && has_latencies(r, index); i++) {
        const double load = run->attempts[i].load_before;
        const long long cores = pm_json_int(run->attempts[i].machine, "physical_cores", 0);
        if (!pm_cpus_are_busy(load, cores))
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
    int64_t all = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t *of = standings[i].tally.of;
        const int64_t unmeasured = of[PM_VERDICT_NOT_MEASURED] + of[PM_VERDICT_UNTESTED] +
                                   of[PM_VERDICT_REFERENCE_FAILS] + of[PM_VERDICT_BLOCKED];
        if (!unmeasured)
            continue;
        if (all)
            pm_str_add(out, ", ");
        pm_text_count(all ? out : next_warning(out), unmeasured);
        if (!all)
            pm_str_addf(out, " function%s", pm_plural((size_t)unmeasured));
        pm_str_addf(out, " of %s", r->targets[standings[i].target].text);
        all += unmeasured;
    }
    if (all)
        pm_str_add(out, all == 1 ? " has no counted verdict" : " have no counted verdict");
}

/* Warns of cases that fail on the reference: they show nothing about the target. */
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
    pm_text_count(out, wrong);
    pm_str_add(out, wrong == 1 ? " of them: its expected values contradict it"
                               : " of them: their expected values contradict it");
}

/* Warns of cases that do not pass and that verdicts ignore, for example because their setup
 * fails. */
static void warn_not_counted(struct pm_str *out, const struct pm_reading *r)
{
    const int64_t count = pm_tables__count_not_counted(r);
    if (!count)
        return;
    pm_text_count(next_warning(out), count);
    pm_str_add(out, count == 1 ? " case does not pass and is not counted (--table not_counted)"
                               : " cases do not pass and are not counted (--table not_counted)");
}

/* Warns of cases with different results, even if a retry in isolation decided the verdict. */
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

/* Warns of crashes and hidden fallbacks on a target without a line in the headline: a reference
 * with which other targets are compared, or one of many targets. */
static void warn_reservations(struct pm_str *out, const struct standing *standings, size_t count,
                              const struct pm_reading *r)
{
    for (size_t t = 0; t < r->target_list.count; t++) {
        bool named = pm_reading_is_oracle(&r->targets[t]);
        for (size_t i = 0; i < pm_tables__count_named(count); i++)
            named |= standings[i].target == (int)t;
        if (named)
            continue;
        char *crashes = pm_tables__crashes(r, (int)t);
        if (*crashes)
            pm_str_addf(next_warning(out), "%s crashes the process: %s", r->targets[t].text,
                        crashes);
        if (r->targets[t].hides_fallbacks)
            pm_str_addf(next_warning(out), "fallbacks to the host cannot be detected on %s",
                        r->targets[t].text);
        free(crashes);
    }
}

static void warn_of_cases(struct pm_str *out, const struct pm_reading *r, size_t target,
                          int64_t number, int64_t cases, const char *what)
{
    pm_text_count(next_warning(out), number);
    pm_str_add(out, " of ");
    pm_text_count(out, cases);
    pm_str_addf(out, " case%s of %s %s, so the latencies exclude %s (--table unstable)",
                pm_plural(cases), r->targets[target].text, what, number == 1 ? "it" : "them");
}

/* Warns of cases that compile in every call, and of many unstable cases, because ratios exclude
 * them. */
static void warn_unstable(struct pm_str *out, const struct pm_reading *r)
{
    for (size_t t = 0; t < r->target_list.count; t++) {
        int64_t cases = 0, unstable = 0, compiling = 0, processes = 0;
        for (size_t i = 0; i < r->case_list.count; i++) {
            const struct pm_reading_case *c = &r->cases[i];
            if (c->target != (int)t || !c->passed)
                continue;
            cases++;
            processes = c->repetitions > processes ? c->repetitions : processes;
        }
        for (size_t i = 0; i < r->statistic_list.count; i++) {
            const struct pm_reading_key *key = &r->statistics[i].key;
            if (key->target != (int)t || key->scope != PM_SCOPE_CASE ||
                key->clock != PM_CLOCK_WARM || key->what != PM_STATISTIC_LATENCY)
                continue;
            unstable += r->statistics[i].unstable;
            compiling += r->statistics[i].compiles;
        }
        if (compiling)
            warn_of_cases(out, r, t, compiling, cases,
                          compiling == 1 ? "compiles in every call" : "compile in every call");
        if (processes >= PM_STAT_LEAST_FOR_INTERVAL && 10 * unstable > cases)
            warn_of_cases(out, r, t, unstable, cases,
                          unstable == 1 ? "is unstable" : "are unstable");
    }
}

char *pm_tables__warnings(const struct pm_reading *r, const struct standing *standings,
                          size_t count, const char *option)
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
