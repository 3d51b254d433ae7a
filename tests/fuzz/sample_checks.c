/* The checks of every sample: its trail has a line for each step, its JSON restores it without
 * loss, and its estimates are valid intervals. */
#include "sample_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/str.h"
#include "fuzz.h"
#include "sample/estimate.h"

static void check_share(struct pm_interval share)
{
    if (!(share.low >= 0 && share.high <= 1 && share.low <= share.high))
        fuzz_wrong("an interval from %g to %g", share.low, share.high);
    if (!isnan(share.mid) && !(share.mid >= share.low && share.mid <= share.high))
        fuzz_wrong("a share of %.17g, from %.17g to %.17g", share.mid, share.low, share.high);
}

static void check_estimate(const struct pm_sample *sample, unsigned seed)
{
    struct pm_estimate estimate;
    struct pm_error err = {""};
    enum pm_mark *marks = pm_alloc((sample->member_count + 1) * sizeof *marks);
    for (size_t i = 0; i < sample->member_count; i++)
        marks[i] = (enum pm_mark)((seed + i * i) % 3);
    if (pm_estimate_make(sample, marks, 0.05, &estimate, &err)) {
        fuzz_check_error(&err);
    } else {
        check_share(estimate.by_function);
        check_share(estimate.by_use);
    }
    free(marks);
}

/* Returns the sample as JSON text, which the caller frees. */
static char *text_of(const struct pm_sample *sample)
{
    json_t *json = pm_sample_to_json(sample);
    char *text = pm_json_text(json);
    json_decref(json);
    return text;
}

static void check_json(const struct pm_sample *sample)
{
    struct pm_sample again;
    struct pm_error err;
    char *text = text_of(sample), *text_again;
    json_t *json = json_loads(text, 0, NULL);
    if (pm_sample_from_json(json, &again, &err))
        fuzz_wrong("a sample's own JSON is refused: %s", err.text);
    text_again = text_of(&again);
    if (strcmp(text, text_again) != 0)
        fuzz_wrong("a sample changes on its way through JSON:\n%s\n%s", text, text_again);
    pm_sample_release(&again);
    json_decref(json);
    free(text);
    free(text_again);
}

void fuzz_check_sample(const struct pm_sample *sample, unsigned seed)
{
    struct pm_str trail = PM_STR_INIT;
    pm_sample_explain(sample, &trail);
    size_t lines = 0;
    for (const char *at = trail.data; (at = strchr(at, '\n')); at++)
        lines++;
    if (lines != 2 + sample->stratum_count + sample->step_count)
        fuzz_wrong("a trail of %zu lines:\n%s", lines, trail.data);
    pm_str_release(&trail);
    check_json(sample);
    check_estimate(sample, seed);
}
