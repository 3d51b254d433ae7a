/* Rankings and samples that several tests share. */
#include "samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct pm_ranking made_up(size_t count)
{
    struct pm_ranking ranking = {0};
    for (size_t i = 0; i < count; i++) {
        char name[24];
        snprintf(name, sizeof name, "f%03zu", i);
        pm_ranking_add(&ranking, name, i + 1);
    }
    assert_int_equal(pm_ranking_close(&ranking, NULL), PM_OK);
    return ranking;
}

struct pm_sample_plan plan_of(enum pm_strata_rule rule, uint64_t seed)
{
    return (struct pm_sample_plan){.framework = "made-up",
                                   .seed = seed,
                                   .rule = rule,
                                   .top = PM_SAMPLE_TOP,
                                   .per_decile = PM_SAMPLE_PER_DECILE};
}

struct pm_sample draw(const struct pm_ranking *ranking, const struct pm_sample_plan *plan)
{
    struct pm_sample sample;
    struct pm_error err = {""};
    if (pm_sample_draw(ranking, plan, &sample, &err))
        fail_msg("%s", err.text);
    return sample;
}

char *explain(const struct pm_sample *sample)
{
    struct pm_str text = PM_STR_INIT;
    pm_sample_explain(sample, &text);
    return pm_str_detach(&text);
}
