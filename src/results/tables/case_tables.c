/* Makes the tables of cases: how their outputs were checked, which cases fail on the reference,
 * which are flaky, and which depend on earlier cases in their process. */
#include <string.h>

#include "base/alloc.h"
#include "base/plural.h"
#include "judge/judge.h"
#include "judge/reasons.h"
#include "report/format.h"
#include "tables/kinds.h"
#include "tables/pages.h"
#include "tables/shared_cells.h"

/* ---- what checked the outputs --------------------------------------------------------------- */

/* Returns whether the oracle of the run evaluated the `expect` of a case. */
static bool is_expected(const struct pm_reading *r, const struct pm_reading_case *c)
{
    const size_t count = r->target_list.count + r->hidden_targets + r->other_targets;
    bool found = false;
    for (size_t i = 0; i < count && c->expects && !found; i++) {
        if (!pm_reading_is_oracle(&r->targets[i]) || r->targets[i].run != r->targets[c->target].run)
            continue;
        const struct pm_reading_case *expected = pm_reading_case(r, (int)i, c->function, c->name);
        found = expected && expected->passed > 0;
    }
    return found;
}

/* What checks the outputs of a function: the first of these that checks one of its cases. On a
 * target without values, the reference checks dtypes and shapes. */
enum checked { CHECKED_BY_CASE, CHECKED_BY_REFERENCE, CHECKED_BY_NOTHING, CHECKED_COUNT };

static bool has_values(const struct pm_reading *r, int target)
{
    return r->targets[target].evidence != PM_EVIDENCE_SHAPE_ONLY;
}

static enum checked checked_by(const struct pm_reading *r, const struct pm_reading_case *c)
{
    if (has_values(r, c->target) && (c->checks || is_expected(r, c)))
        return CHECKED_BY_CASE;
    return pm_reading_reference(r, c) ? CHECKED_BY_REFERENCE : CHECKED_BY_NOTHING;
}

struct checks {
    int target;
    int64_t functions, of[CHECKED_COUNT];
    int64_t not_evaluated; /* functions whose cases have an `expect` that was never evaluated */
};

/* Counts the function whose cases begin at `first`. Returns the index at which the cases of the
 * next function begin. */
static size_t add_function(const struct pm_reading *r, size_t first, struct checks *checks)
{
    const struct pm_reading_case *head = &r->cases[first];
    enum checked best = CHECKED_COUNT;
    bool expects = false, expected = false;
    size_t i = first;
    for (; i < r->case_list.count; i++) {
        const struct pm_reading_case *c = &r->cases[i];
        if (c->target != head->target || strcmp(c->function, head->function))
            break;
        if (!c->counts)
            continue;
        const enum checked by = checked_by(r, c);
        best = by < best ? by : best;
        expects |= c->expects;
        expected |= is_expected(r, c);
    }
    if (best == CHECKED_COUNT)
        return i;
    checks->functions++;
    checks->of[best]++;
    checks->not_evaluated += has_values(r, head->target) && expects && !expected;
    return i;
}

/* Leaves the cell of a reference empty, because a reference has no reference. */
static void only_reference_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct checks *checks = from->row;
    const struct pm_reading *r = from->context;
    if (pm_reading_is_reference(&r->targets[checks->target]))
        pm_table_empty(table);
    else
        pm_table_count(table, checks->of[CHECKED_BY_REFERENCE]);
}

static const struct pm_column checked_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct checks, target)},
    {"functions", "functions", PM_CELL_COUNT, PM_MEMBER(struct checks, functions)},
    {"case", "`expect` or `check`", PM_CELL_COUNT, PM_MEMBER(struct checks, of[CHECKED_BY_CASE])},
    {"reference", "only the reference", PM_CELL_COUNT, .cell = only_reference_cell},
    {"nothing", "nothing", PM_CELL_COUNT, PM_MEMBER(struct checks, of[CHECKED_BY_NOTHING])},
};

static void checked_row(const struct pm_reading *r, const struct checks *checks, struct pm_table *t)
{
    pm_table_row(t, checks, r);
    if (!checks->not_evaluated)
        return;
    char *note = pm_format("%s: the `expect` of %lld function%s was not evaluated, because the "
                           "framework that computes expected values was not measured or failed",
                           r->targets[checks->target].text, (long long)checks->not_evaluated,
                           pm_plural(checks->not_evaluated));
    pm_table_note(t, note);
    free(note);
}

void pm_tables__count_checks(const struct pm_reading *r, int target, int64_t *by_case,
                             int64_t *by_nothing)
{
    struct checks checks = {0};
    for (size_t i = 0; i < r->case_list.count;)
        if (r->cases[i].target == target)
            i = add_function(r, i, &checks);
        else
            i++;
    *by_case = checks.of[CHECKED_BY_CASE];
    *by_nothing = checks.functions - checks.of[CHECKED_BY_CASE];
}

void pm_tables__add_checked(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("checked", "How the outputs of functions were checked");
    pm_table_columns(t, checked_columns, r->for_people);
    for (size_t i = 0; i < r->case_list.count;) {
        const int target = r->cases[i].target;
        struct checks checks = {.target = target};
        while (i < r->case_list.count && r->cases[i].target == target)
            i = add_function(r, i, &checks);
        if (checks.functions && pm_reading_shows(r, target) &&
            !pm_reading_is_oracle(&r->targets[target]))
            checked_row(r, &checks, t);
    }
    pm_tables__take(r, report, t);
}

/* ---- cases that fail on the reference ------------------------------------------------------- */

static bool is_reference_wrong(const struct pm_reading_case *c)
{
    return !strcmp(c->reason, pm_reason_text(PM_REASON_REFERENCE_WRONG));
}

void pm_tables__reference_failures(const struct pm_reading *r, struct pm_table *table)
{
    const size_t compared = r->target_list.count + r->hidden_targets;
    for (size_t i = 0; i < r->case_list.count; i++) {
        const struct pm_reading_case *c = &r->cases[i];
        if ((size_t)c->target >= compared || !pm_reading_is_reference(&r->targets[c->target]) ||
            !pm_reading_is_excluded(r, c))
            continue;
        const struct not_counted row = {.target = c->target,
                                        .function = c->function,
                                        .name = c->name,
                                        .result = pm_outcome_text(c->outcome),
                                        .why_not = is_reference_wrong(c)
                                                       ? "reference wrong: `expect` contradicts it"
                                                       : "it fails on the reference",
                                        .message = c->detail};
        pm_table_row(table, &row, r);
    }
}

/* ---- flaky cases ----------------------------------------------------------------------------- */

/* Returns whether a case is counted and passes in only some of its processes. */
static bool is_flaky(const struct pm_reading *r, const struct pm_reading_case *c)
{
    return c->counts && c->passed && c->passed != c->passed + c->failed + c->blocked &&
           pm_reading_shows(r, c->target);
}

void pm_tables__flaky_rows(const struct pm_reading *r, struct pm_table *table)
{
    for (size_t i = 0; i < r->case_list.count; i++) {
        const struct pm_reading_case *c = &r->cases[i];
        if (!is_flaky(r, c))
            continue;
        char *what = pm_format("flaky: passes in %lld of %lld processes", (long long)c->passed,
                               (long long)(c->passed + c->failed + c->blocked));
        const struct varying varying = {c->target, c->function, c->name, what};
        pm_table_row(table, &varying, r);
        free(what);
    }
}

int64_t pm_tables__count_flaky(const struct pm_reading *r)
{
    int64_t count = 0;
    for (size_t i = 0; i < r->case_list.count; i++)
        count += is_flaky(r, &r->cases[i]);
    return count;
}

/* ---- neighbours ------------------------------------------------------------------------------ */

static bool of_one_case(const struct pm_reading_judgement *a, const struct pm_reading_judgement *b)
{
    return a->target == b->target && !strcmp(a->function, b->function) && !strcmp(a->name, b->name);
}

/* The executions of one case, sorted by repetition, including those that a retry in isolation
 * replaced. */
struct runs {
    struct pm_case_run *items;
    size_t count;
    const struct pm_reading_judgement *wrong; /* the first that failed */
};

static void take(const struct pm_reading *r, struct runs *runs,
                 const struct pm_reading_judgement *j)
{
    runs->items[runs->count++] = (struct pm_case_run){
        .outcome = j->outcome,
        .stage = j->stage,
        .position = j->position,
        .retry = j->retry,
        .is_baseline = pm_reading_is_reference(&r->targets[j->target]) && !j->repetition &&
                       j->retry == PM_RETRY_NONE,
    };
    if (!runs->wrong && pm_outcome_is_wrong(j->outcome))
        runs->wrong = j;
}

/* Receives a case whose executions differ: its first execution that failed, and how they differ. */
typedef void differing_fn(const struct pm_reading *r, const struct pm_reading_judgement *wrong,
                          enum pm_neighbour neighbour, void *ctx);

/* Calls `row` if the executions of the case differ, unless they differ by chance and the case is in
 * the flaky rows. */
static void give(const struct pm_reading *r, const struct runs *runs, differing_fn *row, void *ctx)
{
    const struct pm_reading_judgement *wrong = runs->wrong;
    if (!wrong)
        return;
    const enum pm_neighbour neighbour = pm_judge_neighbour(runs->items, runs->count);
    if (neighbour == PM_NEIGHBOUR_NONE)
        return;
    const struct pm_reading_case *c =
        pm_reading_case(r, wrong->target, wrong->function, wrong->name);
    if (neighbour != PM_NEIGHBOUR_FLAKY || !c || !is_flaky(r, c))
        row(r, wrong, neighbour, ctx);
}

/* Calls `row` for each shown case whose executions differ because of earlier executions in their
 * process, or by chance. Executions that a retry in isolation replaced are also compared. */
static void each_differing(const struct pm_reading *r, differing_fn *row, void *ctx)
{
    const size_t counting = r->judgement_list.count, repeated = r->superseded_list.count;
    struct runs runs = {.items = pm_alloc((counting + repeated + 1) * sizeof *runs.items)};
    for (size_t i = 0, k = 0; i < counting; i++) {
        const struct pm_reading_judgement *j = &r->judgements[i];
        if (i > 0 && !of_one_case(j, j - 1)) {
            give(r, &runs, row, ctx);
            runs = (struct runs){.items = runs.items};
        }
        /* Both lists have the same order, and a superseded judgement comes right before the one
         * that counts. */
        if (k < repeated && of_one_case(&r->superseded[k], j) &&
            r->superseded[k].repetition == j->repetition)
            take(r, &runs, &r->superseded[k++]);
        take(r, &runs, j);
    }
    give(r, &runs, row, ctx);
    free(runs.items);
}

struct differing {
    struct pm_reading_judgement wrong;
    enum pm_neighbour neighbour;
};

static const struct pm_column neighbour_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct differing, wrong.target)},
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct differing, wrong.function)},
    {"case", "case", PM_CELL_NAME, PM_MEMBER(struct differing, wrong.name)},
    {"how", "dependence", PM_CELL_WORD, PM_WORD(struct differing, neighbour, neighbour)},
    {"message", "message", PM_CELL_TEXT, PM_MEMBER(struct differing, wrong.detail)},
};

static void add_row(const struct pm_reading *r, const struct pm_reading_judgement *wrong,
                    enum pm_neighbour neighbour, void *ctx)
{
    const struct differing differing = {*wrong, neighbour};
    pm_table_row(ctx, &differing, r);
}

void pm_tables__add_neighbours(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new(
        "neighbours", "Cases that depend on earlier cases in their process, or on chance");
    pm_table_columns(t, neighbour_columns, r->for_people);
    pm_table_group(t);
    each_differing(r, add_row, t);
    pm_tables__take(r, report, t);
}

static void count_row(const struct pm_reading *r, const struct pm_reading_judgement *wrong,
                      enum pm_neighbour neighbour, void *ctx)
{
    (void)r, (void)wrong, (void)neighbour;
    ++*(int64_t *)ctx;
}

int64_t pm_tables__count_neighbours(const struct pm_reading *r)
{
    int64_t count = 0;
    each_differing(r, count_row, &count);
    return count;
}

/* ---- of one function ------------------------------------------------------------------------ */

/* Cases with the same outcome on each target. */
struct alike {
    const struct pm_reading_case *first;
    struct pm_str outcomes;
    struct pm_report_cases names;
    int64_t count;
};

struct alikes {
    struct alike *items;
    size_t count, capacity;
};

static void add_outcomes(struct pm_str *out, const struct pm_reading *r, const struct function *f,
                         const struct pm_reading_case *c)
{
    for (size_t i = 0; i < f->count; i++)
        pm_str_addf(
            out, "%s\n",
            pm_tables__outcome(pm_reading_case(r, f->verdicts[i]->target, f->name, c->name)));
    pm_str_add(out, c->counts ? "" : "not counted");
}

static void count_case(const struct pm_reading *r, const struct function *f,
                       const struct pm_reading_case *c, struct alikes *groups)
{
    struct pm_str outcomes = PM_STR_INIT;
    size_t i = 0;
    add_outcomes(&outcomes, r, f, c);
    while (i < groups->count && strcmp(groups->items[i].outcomes.data, outcomes.data))
        i++;
    if (i == groups->count) {
        PM_GROW(groups->items, groups->count, groups->capacity);
        groups->items[groups->count++] = (struct alike){.first = c, .outcomes = outcomes};
    } else {
        pm_str_release(&outcomes);
    }
    pm_report_cases_add(&groups->items[i].names, c->name);
    groups->items[i].count++;
}

/* Returns whether an earlier target of the function has a case of this name, so that it is in a
 * group already. */
static bool was_counted(const struct pm_reading *r, const struct function *f, size_t index,
                        const struct pm_reading_case *c)
{
    for (size_t i = 0; i < index; i++)
        if (pm_reading_case(r, f->verdicts[i]->target, f->name, c->name))
            return true;
    return false;
}

static struct alikes group_cases(const struct page_source *source, const struct function *f)
{
    struct alikes groups = {0};
    for (size_t i = 0; i < f->count; i++) {
        size_t count;
        const struct pm_reading_case *cases =
            pm_reading_cases_of(source->r, f->verdicts[i]->target, f->name, &count);
        for (size_t k = 0; k < count; k++)
            if (!was_counted(source->r, f, i, &cases[k]))
                count_case(source->r, f, &cases[k], &groups);
    }
    return groups;
}

static void add_alike(const struct page_source *source, const struct function *f,
                      const struct alike *group, struct pm_table *t)
{
    struct pm_str names = PM_STR_INIT;
    pm_report_format_cases(&names, &group->names);
    pm_table_row(t, names.data, NULL);
    for (size_t i = 0; i < f->count; i++)
        pm_table_empty(t);
    char *count = pm_format("%lld case%s%s", (long long)group->count, pm_plural(group->count),
                            group->first->counts ? "" : ", not counted");
    pm_table_row(t, count, NULL);
    for (size_t i = 0; i < f->count; i++)
        pm_table_text(t, pm_tables__outcome(pm_reading_case(source->r, f->verdicts[i]->target,
                                                            f->name, group->first->name)));
    free(count);
    pm_str_release(&names);
}

int64_t pm_tables__add_outcomes(const struct page_source *source, const struct function *f,
                                struct pm_table *t)
{
    struct alikes groups = group_cases(source, f);
    int64_t cases = 0;
    for (size_t g = 0; g < groups.count; g++) {
        struct alike *group = &groups.items[g];
        add_alike(source, f, group, t);
        cases += group->count;
        pm_str_release(&group->outcomes);
        pm_report_cases_release(&group->names);
    }
    free(groups.items);
    return cases;
}
