/* Makes sides of imported reports, for a database that has no run of its own. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "paper/paper_private.h"

static enum pm_verdict verdict_of(const struct pm_result_function *f)
{
    switch (pm_results_verdict(f)) {
    case PM_RECOUNT_WORKS:
        return PM_VERDICT_WORKS;
    case PM_RECOUNT_PARTLY:
        return PM_VERDICT_PARTLY;
    case PM_RECOUNT_FAILS:
        return PM_VERDICT_FAILS;
    default:
        return PM_VERDICT_COUNT;
    }
}

static void add_functions(struct pm_side *side, const struct pm_results *from)
{
    struct pm_changes_side *c = &side->compared;
    for (size_t i = 0; i < from->function_count; i++) {
        const struct pm_result_function *f = &from->functions[i];
        const enum pm_verdict verdict = verdict_of(f);
        PM_GROW(c->functions, c->function_count, c->function_capacity);
        c->functions[c->function_count++] = (struct pm_changes_function){
            .name = f->name, .detail = "", .reason = "", .verdict = verdict};
        if (verdict == PM_VERDICT_COUNT)
            continue;
        struct pm_reading *r = &side->r;
        PM_GROW(r->verdicts, r->verdict_list.count, r->verdict_list.capacity);
        r->verdicts[r->verdict_list.count++] =
            (struct pm_reading_verdict){.function = f->name, .verdict_paper = verdict};
    }
}

/* Adds the tests as cases. A test that only timing files have counts as passed. */
static void add_cases(struct pm_side *side, const struct pm_results *from)
{
    struct pm_changes_side *c = &side->compared;
    for (size_t i = 0; i < from->count; i++) {
        const struct pm_result *test = &from->items[i];
        const bool passes = !test->failed && !test->skipped;
        PM_GROW(c->cases, c->case_count, c->case_capacity);
        struct pm_changes_case *into = &c->cases[c->case_count++];
        *into = (struct pm_changes_case){.function = from->functions[test->function].name,
                                         .name = test->key,
                                         .definition = "{}",
                                         .detail = "",
                                         .reason = "",
                                         .core = true,
                                         .counts = !test->skipped,
                                         .passes = passes,
                                         .size = PM_SIZE_SMALL};
        if (!passes || !test->calls)
            continue;
        PM_GROW(into->processes, into->count, into->capacity);
        into->processes[into->count++] = (struct pm_changes_process){
            .log_median = log(fmax(test->sum_ns / (double)test->calls, 1))};
    }
}

/* Adds the tests that failed, for figure 6. */
static void add_failures(struct pm_side *side, const struct pm_results *from)
{
    struct pm_reading *r = &side->r;
    for (size_t i = 0; i < from->failure_count; i++) {
        const struct pm_result_failure *failure = &from->failures[i];
        PM_GROW(r->cases, r->case_list.count, r->case_list.capacity);
        r->cases[r->case_list.count++] =
            (struct pm_reading_case){.target = side->target,
                                     .function = from->functions[failure->function].name,
                                     .reason = failure->reason,
                                     .failed = 1,
                                     .counts = true};
    }
}

static void add_side(struct pm_paper *s, const struct pm_results *from)
{
    PM_GROW(s->items, s->count, s->capacity);
    struct pm_side *side = &s->items[s->count++];
    *side = (struct pm_side){.db = ""};
    struct pm_reading *r = &side->r;
    PM_GROW(r->targets, r->target_list.count, r->target_list.capacity);
    r->targets[r->target_list.count++] =
        (struct pm_reading_target){.text = from->target, .device_name = pm_reading_keep(r, "")};
    side->compared = (struct pm_changes_side){.db = "",
                                              .target = from->target,
                                              .framework = from->framework,
                                              .version = "",
                                              .processor = "",
                                              .run = from->run_id,
                                              .repetitions = 1,
                                              .evidence = PM_EVIDENCE_EXECUTED,
                                              .has_latencies = true,
                                              .floor = NAN};
    add_functions(side, from);
    add_cases(side, from);
    add_failures(side, from);
    pm_changes_sort(&side->compared);
}

void pm_paper__add_imported(struct pm_paper *s)
{
    for (size_t i = 0; i < s->every.count; i++)
        add_side(s, &s->every.results[i]);
}
