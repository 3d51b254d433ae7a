/* Writes the audit trail as text. */
#include <inttypes.h>

#include "base/line.h"
#include "base/str.h"
#include "sample/sample.h"

enum { STRATUM_WIDTH = 8, STEP_WIDTH = 13, NAME_WIDTH = 32 };

/* Ends a line, and makes it safe: its names and reasons are untrusted. */
static void end_line(struct pm_str *line, struct pm_str *out)
{
    pm_line_add(out, line->data, SIZE_MAX);
    pm_str_add_char(out, '\n');
    pm_str_clear(line);
}

static void explain_stratum(const struct pm_sample_stratum *stratum, struct pm_str *line)
{
    pm_str_addf(line, "stratum %-*s  functions %zu, uses %s%.15g", STRATUM_WIDTH, stratum->name,
                stratum->size, stratum->closed ? "" : "above ", stratum->low);
    if (stratum->low != stratum->high)
        pm_str_addf(line, " to %.15g", stratum->high);
    if (stratum->certain)
        pm_str_addf(line, ", taken: all %zu that can be measured", stratum->taken);
    else
        pm_str_addf(line, ", wanted %zu, drawn %zu, taken %zu, eligible %.4g", stratum->wanted,
                    stratum->drawn, stratum->taken, stratum->eligible);
}

static void explain_step(const struct pm_sample *sample, const struct pm_sample_step *step,
                         struct pm_str *line)
{
    const bool outside = step->kind == PM_STEP_LEFT_OUT && step->rank > sample->top;
    pm_str_addf(line, "%-*s  %-*s  ", STRATUM_WIDTH,
                outside ? "-" : sample->strata[step->stratum].name, STEP_WIDTH,
                pm_step_kind_text(step->kind));
    if (!*step->name)
        pm_str_add(line, "no function is left to draw");
    else if (step->kind == PM_STEP_EXHAUSTED)
        pm_str_addf(line, "no function is left to replace %s", step->name);
    else
        pm_str_addf(line, "%-*s  uses %" PRIu64 ", rank %zu", NAME_WIDTH, step->name, step->uses,
                    step->rank);
    if (*step->replaces)
        pm_str_addf(line, ", replaces %s", step->replaces);
    if (step->kind == PM_STEP_EXCLUDED)
        pm_str_addf(line, ": %s", pm_criterion_text(step->criterion));
    if (*step->why)
        pm_str_addf(line, "%s%s", step->kind == PM_STEP_EXCLUDED ? ", " : ": ", step->why);
}

void pm_sample_size_text(const struct pm_sample *sample, struct pm_str *out)
{
    if (sample->per_decile >= sample->ranked)
        pm_str_add(out, "all");
    else
        pm_str_addf(out, "the top %u, and %u per decile", sample->top, sample->per_decile);
}

void pm_sample_explain(const struct pm_sample *sample, struct pm_str *out)
{
    struct pm_str line = PM_STR_INIT;
    pm_str_addf(&line, "sample of %s, seed %" PRIu64 ", %s strata: %zu functions ranked, ",
                sample->framework, sample->seed, pm_strata_rule_text(sample->rule), sample->ranked);
    pm_sample_size_text(sample, &line);
    pm_str_addf(&line, ", %zu to measure", sample->member_count);
    end_line(&line, out);
    pm_str_add(&line, "percentiles");
    for (unsigned k = 0; k <= PM_DECILES; k++)
        pm_str_addf(&line, "  %.15g", sample->percentiles[k]);
    end_line(&line, out);
    for (size_t s = 0; s < sample->stratum_count; s++) {
        explain_stratum(&sample->strata[s], &line);
        end_line(&line, out);
    }
    for (size_t i = 0; i < sample->step_count; i++) {
        explain_step(sample, &sample->steps[i], &line);
        end_line(&line, out);
    }
    pm_str_release(&line);
}
