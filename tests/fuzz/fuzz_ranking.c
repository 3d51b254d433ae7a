/*
 * Feeds a ranking as JSON. The first bytes choose the seed, the rule, the sizes, the exclusions and
 * the pinned functions. A sample is drawn from each accepted ranking.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "fuzz.h"
#include "sample_checks.h"

enum { RULE, TOP, PER_DECILE, EXCLUDED, CHOSEN, MARKS, OPTION_BYTES };

/* Draws a sample. The bytes of `options` choose, among others, that every n-th function is excluded
 * and every m-th is pinned or omitted; 0: none. */
static void draw(const struct pm_ranking *ranking, const uint8_t *options)
{
    struct pm_exclusion *exclusions = pm_alloc(ranking->count * sizeof *exclusions);
    struct pm_choice *choices = pm_alloc(ranking->count * sizeof *choices);
    struct pm_sample_plan plan = {.framework = "torch",
                                  .seed = options[MARKS],
                                  .rule = options[RULE] & 1 ? PM_STRATA_PAPER : PM_STRATA_DISJOINT,
                                  .top = options[TOP],
                                  .per_decile = options[PER_DECILE],
                                  .exclusions = exclusions,
                                  .absences_complete = options[RULE] & 2,
                                  .no_tests_complete = options[RULE] & 4,
                                  .choices = choices};
    struct pm_sample sample;
    struct pm_error err = {""};
    for (size_t i = 0; i < ranking->count; i++) {
        const char *name = ranking->items[i].name;
        if (options[EXCLUDED] && i % options[EXCLUDED] == 0)
            exclusions[plan.exclusion_count++] = (struct pm_exclusion){
                .name = name, .criterion = (enum pm_criterion)(i % PM_CRITERION_COUNT)};
        if (options[CHOSEN] && i % options[CHOSEN] == 0)
            choices[plan.choice_count++] = (struct pm_choice){name, i % 2 == 0, "why"};
    }
    if (pm_sample_draw(ranking, &plan, &sample, &err))
        fuzz_wrong("a ranking that was accepted cannot be drawn from: %s", err.text);
    fuzz_check_sample(&sample, options[MARKS]);
    pm_sample_release(&sample);
    free(exclusions);
    free(choices);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pm_ranking ranking;
    struct pm_error err = {""};
    if (size < OPTION_BYTES)
        return 0;
    size -= OPTION_BYTES;
    char *text = (char *)fuzz_copy(data + OPTION_BYTES, size, 0);
    if (pm_ranking_parse(text, size, &ranking, &err)) {
        fuzz_check_error(&err);
    } else {
        draw(&ranking, data);
        pm_ranking_release(&ranking);
    }
    free(text);
    return 0;
}
