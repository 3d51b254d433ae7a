/* The tables of a page: functions by targets, and each function with all that is known of it. */
#include "tables/pages.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/line.h"
#include "report/format.h"
#include "tables/kinds.h"

/* A function of a framework: its verdicts on targets of that framework follow each other. */
struct function {
    const char *framework, *name;
    const struct pm_reading_verdict *const *verdicts; /* by target */
    size_t count;
    const struct pm_reading_verdict *worst; /* NULL: no verdict on a target with a column */
    size_t weight;                          /* of all its verdicts, more is worse */
};

struct functions {
    const struct pm_reading_verdict **verdicts;
    struct function *items;
    size_t count;
    struct pm_map first_case; /* by target and function: index in r->cases + 1 */
};

/* ---- choosing ------------------------------------------------------------------------------- */

/* Subjects, and references with which nothing is compared. */
static bool has_column(const struct pm_reading *r, int target)
{
    const struct pm_reading_target *t = &r->targets[target];
    if (pm_reading_is_oracle(t) || pm_reading_is_noise(t))
        return false;
    return !pm_reading_is_reference(t) || !pm_reading_has_subject(r, target);
}

/* 0 is best. */
static size_t badness(const struct pm_reading *r, const struct pm_reading_verdict *v)
{
    static const char *const best_first[] = {"works", "host-only", "", "partly", "fails"};
    const char *word = pm_tables__verdict_word(r, v);
    for (size_t i = 0; i < sizeof best_first / sizeof *best_first; i++)
        if (!strcmp(best_first[i], word))
            return i;
    return 2; /* it does not count */
}

static const struct pm_reading *sorted; /* qsort() has no argument for it */

static int by_function(const void *left, const void *right)
{
    const struct pm_reading_verdict *a = *(const struct pm_reading_verdict *const *)left;
    const struct pm_reading_verdict *b = *(const struct pm_reading_verdict *const *)right;
    const int frameworks =
        strcmp(sorted->targets[a->target].framework, sorted->targets[b->target].framework);
    const int names = frameworks ? frameworks : strcmp(a->function, b->function);
    return names ? names : a->target - b->target;
}

static int worst_first(const void *left, const void *right)
{
    const struct function *a = left, *b = right;
    const size_t x = a->worst ? badness(sorted, a->worst) : 0,
                 y = b->worst ? badness(sorted, b->worst) : 0;
    if (x != y)
        return x > y ? -1 : 1;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void weigh(const struct pm_reading *r, struct function *f)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct pm_reading_verdict *v = f->verdicts[i];
        if (!has_column(r, v->target))
            continue;
        f->weight += badness(r, v);
        if (!f->worst || badness(r, v) > badness(r, f->worst))
            f->worst = v;
    }
}

/* The function whose verdicts begin there. */
static struct function function_at(const struct pm_reading *r,
                                   const struct pm_reading_verdict *const *verdicts, size_t count)
{
    struct function f = {
        r->targets[verdicts[0]->target].framework, verdicts[0]->function, verdicts, 0, NULL, 0};
    while (f.count < count && !strcmp(verdicts[f.count]->function, f.name) &&
           !strcmp(r->targets[verdicts[f.count]->target].framework, f.framework))
        f.count++;
    weigh(r, &f);
    return f;
}

static char *key_of(int target, const char *function)
{
    return pm_format("%d %s", target, function);
}

static void index_cases(const struct pm_reading *r, struct pm_map *first_case)
{
    for (size_t i = 0; i < r->case_list.count; i++) {
        const struct pm_reading_case *c = &r->cases[i], *before = i ? &r->cases[i - 1] : NULL;
        if (before && before->target == c->target && !strcmp(before->function, c->function))
            continue;
        char *key = key_of(c->target, c->function);
        pm_map_put(first_case, key, (void *)(uintptr_t)(i + 1));
        free(key);
    }
}

static struct functions find_functions(const struct pm_reading *r)
{
    struct functions all = {0};
    size_t count = 0;
    all.verdicts = pm_alloc((r->verdict_list.count + 1) * sizeof *all.verdicts);
    all.items = pm_alloc((r->verdict_list.count + 1) * sizeof *all.items);
    for (size_t i = 0; i < r->verdict_list.count; i++)
        if (!pm_reading_is_oracle(&r->targets[r->verdicts[i].target]))
            all.verdicts[count++] = &r->verdicts[i];
    sorted = r;
    qsort(all.verdicts, count, sizeof *all.verdicts, by_function);
    for (size_t i = 0; i < count;) {
        const struct function f = function_at(r, all.verdicts + i, count - i);
        i += f.count;
        if (f.worst)
            all.items[all.count++] = f;
    }
    qsort(all.items, all.count, sizeof *all.items, worst_first);
    index_cases(r, &all.first_case);
    return all;
}

static void release(struct functions *all)
{
    pm_map_release(&all->first_case);
    free(all->items);
    free(all->verdicts);
}

static const struct pm_reading_verdict *verdict_on(const struct function *f, int target)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->verdicts[i]->target == target)
            return f->verdicts[i];
    return NULL;
}

/* ---- the picture ---------------------------------------------------------------------------- */

static void add_matrix(const struct pm_reading *r, const struct functions *all,
                       const char *framework, struct pm_report *report)
{
    char *title = pm_format("%s: functions by target, worst first", framework);
    struct pm_table *t = pm_table_new("matrix", title);
    pm_table_about(t, "framework", framework);
    pm_table_picture(t);
    pm_table_column(t, "function", "function", PM_CELL_NAME);
    for (size_t i = 0; i < r->target_list.count; i++)
        if (has_column(r, (int)i) && !strcmp(r->targets[i].framework, framework)) {
            char *id = pm_format("target_%zu", i);
            pm_table_column(t, id, r->targets[i].text, PM_CELL_MARK);
            free(id);
        }
    for (size_t f = 0; f < all->count; f++) {
        if (strcmp(all->items[f].framework, framework))
            continue;
        pm_table_text(t, all->items[f].name);
        for (size_t i = 0; i < r->target_list.count; i++) {
            const struct pm_reading_verdict *v = verdict_on(&all->items[f], (int)i);
            if (has_column(r, (int)i) && !strcmp(r->targets[i].framework, framework))
                pm_table_text(t, v ? pm_tables__verdict_word(r, v) : "");
        }
    }
    pm_report_take_table(report, t);
    free(title);
}

static bool is_first_of_framework(const struct pm_reading *r, size_t target)
{
    for (size_t i = 0; i < target; i++)
        if (has_column(r, (int)i) && !strcmp(r->targets[i].framework, r->targets[target].framework))
            return false;
    return has_column(r, (int)target);
}

void pm_tables__add_matrices(const struct pm_reading *r, struct pm_report *report)
{
    struct functions all = find_functions(r);
    for (size_t i = 0; i < r->target_list.count && all.count; i++)
        if (is_first_of_framework(r, i))
            add_matrix(r, &all, r->targets[i].framework, report);
    release(&all);
}

/* ---- what a row opens to -------------------------------------------------------------------- */

static void statistic_cell(struct pm_table *t, const struct pm_reading_statistic *s)
{
    if (s && !isnan(s->value))
        pm_table_interval(t, s->value, s->low, s->high);
    else if (s && s->unstable)
        pm_table_text(t, "unstable");
    else
        pm_table_empty(t);
}

/* The cases of a function on a target. */
static const struct pm_reading_case *cases_of(const struct pm_reading *r,
                                              const struct functions *all, int target,
                                              const char *function, size_t *count)
{
    char *key = key_of(target, function);
    const size_t first = (size_t)(uintptr_t)pm_map_get(&all->first_case, key);
    free(key);
    *count = 0;
    if (!first)
        return NULL;
    const struct pm_reading_case *cases = &r->cases[first - 1];
    while (first - 1 + *count < r->case_list.count && cases[*count].target == target &&
           !strcmp(cases[*count].function, function))
        ++*count;
    return cases;
}

/* Whether the table of messages says of that target what is wrong. */
static bool has_message(const struct pm_reading *r, const struct functions *all,
                        const struct pm_reading_verdict *v)
{
    size_t count;
    const struct pm_reading_case *cases = cases_of(r, all, v->target, v->function, &count);
    for (size_t i = 0; i < count; i++)
        if (cases[i].outcome != PM_OUTCOME_PASS)
            return true;
    return false;
}

static struct pm_table *targets_of(const struct pm_reading *r, const struct functions *all,
                                   const struct function *f)
{
    struct pm_table *t = pm_table_new("verdicts", "On each target");
    pm_table_column(t, "target", "target", PM_CELL_NAME);
    pm_table_column(t, "verdict", "verdict", PM_CELL_WORD);
    pm_table_column(t, "counted", "counted cases", PM_CELL_COUNT);
    pm_table_column(t, "passed", "passed", PM_CELL_COUNT);
    pm_table_column(t, "why", "reason", PM_CELL_TEXT);
    pm_table_column(t, "rule", "rule", PM_CELL_TEXT);
    pm_table_column(t, "detail", "note", PM_CELL_TEXT);
    for (size_t i = 0; i < f->count; i++) {
        const struct pm_reading_verdict *v = f->verdicts[i];
        pm_table_text(t, r->targets[v->target].text);
        pm_table_text(t, pm_tables__verdict_word(r, v));
        pm_table_count(t, v->counted);
        pm_table_count(t, v->passed);
        pm_table_text(t, v->why);
        pm_table_text(t, v->rule);
        pm_table_text(t, has_message(r, all, v) ? "" : v->detail);
    }
    return t;
}

static const char *outcome_of(const struct pm_reading_case *c)
{
    if (!c)
        return "";
    return c->failed && c->passed ? "flaky" : pm_outcome_text(c->outcome);
}

/* Cases with the same outcome on each target. */
struct alike {
    const struct pm_reading_case *first;
    struct pm_str outcomes, names;
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
        pm_str_addf(out, "%s\n",
                    outcome_of(pm_reading_case(r, f->verdicts[i]->target, f->name, c->name)));
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
        groups->items[groups->count++] = (struct alike){c, outcomes, PM_STR_INIT, 0};
    } else {
        pm_str_release(&outcomes);
    }
    struct alike *group = &groups->items[i];
    pm_str_addf(&group->names, "%s%s", group->count++ ? ", " : "", c->name);
}

/* Whether an earlier target of the function has that case too. */
static bool was_counted(const struct pm_reading *r, const struct function *f, size_t index,
                        const struct pm_reading_case *c)
{
    for (size_t i = 0; i < index; i++)
        if (pm_reading_case(r, f->verdicts[i]->target, f->name, c->name))
            return true;
    return false;
}

static struct alikes group_cases(const struct pm_reading *r, const struct functions *all,
                                 const struct function *f)
{
    struct alikes groups = {0};
    for (size_t i = 0; i < f->count; i++) {
        size_t count;
        const struct pm_reading_case *cases =
            cases_of(r, all, f->verdicts[i]->target, f->name, &count);
        for (size_t k = 0; k < count; k++)
            if (!was_counted(r, f, i, &cases[k]))
                count_case(r, f, &cases[k], &groups);
    }
    return groups;
}

static struct pm_table *outcomes_of(const struct pm_reading *r, const struct functions *all,
                                    const struct function *f, int64_t *cases)
{
    struct pm_table *t = pm_table_new("outcomes", "Cases");
    struct alikes groups = group_cases(r, all, f);
    pm_table_column(t, "cases", "cases", PM_CELL_COUNT);
    for (size_t i = 0; i < f->count; i++) {
        char *id = pm_format("target_%zu", i);
        pm_table_column(t, id, r->targets[f->verdicts[i]->target].text, PM_CELL_WORD);
        free(id);
    }
    pm_table_column(t, "note", "note", PM_CELL_TEXT);
    pm_table_column(t, "names", "names", PM_CELL_TEXT);
    *cases = 0;
    for (size_t g = 0; g < groups.count; g++) {
        struct alike *group = &groups.items[g];
        *cases += group->count;
        pm_table_count(t, group->count);
        for (size_t i = 0; i < f->count; i++)
            pm_table_text(t, outcome_of(pm_reading_case(r, f->verdicts[i]->target, f->name,
                                                        group->first->name)));
        pm_table_text(t, group->first->counts ? "" : "not counted");
        pm_table_text(t, group->names.data);
        pm_str_release(&group->outcomes);
        pm_str_release(&group->names);
    }
    free(groups.items);
    return t;
}

/* Cases of a target that fail in the same way. */
struct message {
    const struct pm_reading_case *first;
    struct pm_str names;
};

struct messages {
    struct message *items;
    size_t count, capacity;
};

static bool fail_alike(const struct pm_reading_case *a, const struct pm_reading_case *b)
{
    return a->target == b->target && a->outcome == b->outcome && a->stage == b->stage &&
           !strcmp(a->why, b->why) && !strcmp(a->rule, b->rule) && !strcmp(a->detail, b->detail);
}

static void count_message(const struct pm_reading_case *c, struct messages *messages)
{
    size_t i = 0;
    while (i < messages->count && !fail_alike(messages->items[i].first, c))
        i++;
    if (i == messages->count) {
        PM_GROW(messages->items, messages->count, messages->capacity);
        messages->items[messages->count++] = (struct message){c, PM_STR_INIT};
    }
    struct pm_str *names = &messages->items[i].names;
    pm_str_addf(names, "%s%s", names->length ? ", " : "", c->name);
}

static void message_row(const struct pm_reading *r, const struct message *m, struct pm_table *t)
{
    pm_table_text(t, r->targets[m->first->target].text);
    pm_table_text(t, outcome_of(m->first));
    pm_table_text(t, pm_stage_text(m->first->stage));
    pm_table_text(t, m->first->why);
    pm_table_text(t, m->first->rule);
    pm_table_text(t, m->first->detail);
    pm_table_text(t, m->names.data);
}

static struct pm_table *messages_of(const struct pm_reading *r, const struct functions *all,
                                    const struct function *f)
{
    struct pm_table *t = pm_table_new("messages", "Messages");
    struct messages messages = {0};
    pm_table_column(t, "target", "target", PM_CELL_NAME);
    pm_table_column(t, "outcome", "outcome", PM_CELL_WORD);
    pm_table_column(t, "stage", "stage", PM_CELL_NAME);
    pm_table_column(t, "why", "reason", PM_CELL_TEXT);
    pm_table_column(t, "rule", "rule", PM_CELL_TEXT);
    pm_table_column(t, "message", "message", PM_CELL_TEXT);
    pm_table_column(t, "names", "cases", PM_CELL_TEXT);
    for (size_t i = 0; i < f->count; i++) {
        size_t count;
        const struct pm_reading_case *cases =
            cases_of(r, all, f->verdicts[i]->target, f->name, &count);
        for (size_t k = 0; k < count; k++)
            if (cases[k].outcome != PM_OUTCOME_PASS)
                count_message(&cases[k], &messages);
    }
    for (size_t i = 0; i < messages.count; i++) {
        message_row(r, &messages.items[i], t);
        pm_str_release(&messages.items[i].names);
    }
    free(messages.items);
    return t;
}

static void clock_row(const struct pm_reading *r, struct pm_reading_key key, struct pm_table *t)
{
    const struct pm_reading_statistic *latency = pm_reading_statistic(r, &key);
    key.what = PM_STATISTIC_RATIO;
    if (!latency)
        return;
    pm_table_text(t, r->targets[key.target].text);
    pm_table_text(t, pm_clock_text(key.clock));
    pm_table_text(t, pm_size_text(key.size));
    statistic_cell(t, latency);
    statistic_cell(t, pm_reading_statistic(r, &key));
    pm_table_count(t, latency->processes);
}

static struct pm_table *clocks_of(const struct pm_reading *r, const struct function *f)
{
    struct pm_table *t = pm_table_new("clocks", "Latencies");
    pm_table_column(t, "target", "target", PM_CELL_NAME);
    pm_table_column(t, "clock", "clock", PM_CELL_NAME);
    pm_table_column(t, "inputs", "inputs", PM_CELL_NAME);
    pm_table_column(t, "latency", "latency", PM_CELL_TIME);
    pm_table_intervals(t);
    pm_table_column(t, "ratio", "ratio to reference", PM_CELL_RATIO);
    pm_table_intervals(t);
    pm_table_column(t, "processes", "processes", PM_CELL_COUNT);
    for (int clock = 0; clock < PM_CLOCK_COUNT; clock++)
        for (int size = 0; size < PM_SIZE_COUNT; size++)
            for (size_t i = 0; i < f->count; i++)
                clock_row(r,
                          (struct pm_reading_key){.target = f->verdicts[i]->target,
                                                  .scope = PM_SCOPE_FUNCTION,
                                                  .function = f->name,
                                                  .name = "",
                                                  .clock = (enum pm_clock)clock,
                                                  .size = (enum pm_size)size,
                                                  .what = PM_STATISTIC_LATENCY},
                          t);
    return t;
}

static void take_filled(struct pm_report *page, struct pm_table *t)
{
    if (pm_table_rows(t))
        pm_report_take_table(page, t);
    else
        pm_table_free(t);
}

enum { LONGEST_SUMMARY = 200 }; /* bytes of a message: the page has all of it */

/* "12 cases, 2 messages: RuntimeError: ..." */
static char *summary_of(const struct function *f, int64_t cases, size_t messages)
{
    struct pm_str out = PM_STR_INIT;
    pm_report_format_count(&out, cases);
    pm_str_addf(&out, " case%s", cases == 1 ? "" : "s");
    if (messages)
        pm_str_addf(&out, ", %zu message%s", messages, messages == 1 ? "" : "s");
    if (*f->worst->detail) {
        pm_str_add(&out, ": ");
        pm_line_add(&out, f->worst->detail, LONGEST_SUMMARY);
    }
    return pm_str_detach(&out);
}

static struct pm_report *page_of(const struct pm_reading *r, const struct functions *all,
                                 const struct function *f)
{
    int64_t cases;
    struct pm_table *outcomes = outcomes_of(r, all, f, &cases), *messages = messages_of(r, all, f);
    char *summary = summary_of(f, cases, pm_table_rows(messages));
    struct pm_report *page = pm_report_new(summary);
    take_filled(page, targets_of(r, all, f));
    take_filled(page, messages);
    take_filled(page, outcomes);
    take_filled(page, clocks_of(r, f));
    free(summary);
    return page;
}

/* ---- the table ------------------------------------------------------------------------------ */

/* Targets with the worst verdict. */
static void where_cell(const struct pm_reading *r, const struct function *f, struct pm_table *t)
{
    enum { NAMED = 2 };
    struct pm_str out = PM_STR_INIT;
    size_t all = 0, worst = 0;
    for (size_t i = 0; i < f->count; i++) {
        all += has_column(r, f->verdicts[i]->target);
        worst += has_column(r, f->verdicts[i]->target) &&
                 badness(r, f->verdicts[i]) == badness(r, f->worst);
    }
    if (worst == all && all > NAMED) {
        pm_str_addf(&out, "all %zu targets", all);
        pm_table_text(t, out.data);
        pm_str_release(&out);
        return;
    }
    for (size_t i = 0; i < f->count; i++) {
        const struct pm_reading_verdict *v = f->verdicts[i];
        if (has_column(r, v->target) && badness(r, v) == badness(r, f->worst))
            pm_str_addf(&out, "%s%s", out.length ? ", " : "", r->targets[v->target].text);
    }
    pm_table_text(t, out.data);
    pm_str_release(&out);
}

static const struct pm_reading_statistic *slowest_of(const struct pm_reading *r,
                                                     const struct function *f)
{
    const struct pm_reading_statistic *slowest = NULL;
    for (size_t i = 0; i < f->count; i++) {
        const struct pm_reading_statistic *ratio = pm_reading_warm(
            r, f->verdicts[i]->target, f->name, "", PM_SIZE_SMALL, PM_STATISTIC_RATIO);
        if (ratio && (!slowest || isnan(slowest->value) || ratio->value > slowest->value))
            slowest = ratio;
    }
    return slowest;
}

static void function_row(const struct pm_reading *r, const struct function *f, bool frameworks,
                         struct pm_table *t)
{
    pm_table_text(t, f->name);
    pm_table_text(t, frameworks ? f->framework : "");
    pm_table_text(t, pm_tables__verdict_word(r, f->worst));
    where_cell(r, f, t);
    pm_table_text(t, f->worst->why);
    statistic_cell(t, slowest_of(r, f));
    if (pm_reading_uses(r, f->framework))
        pm_table_count(t, pm_reading_calls(r, f->framework, f->name));
    else
        pm_table_empty(t);
}

void pm_tables__add_pages(const struct pm_reading *r, struct pm_report *report)
{
    struct functions all = find_functions(r);
    struct pm_report **pages = pm_alloc((all.count + 1) * sizeof *pages);
    struct pm_table *t = pm_table_new("functions", "Every function, worst first");
    pm_table_column(t, "function", "function", PM_CELL_NAME);
    pm_table_column(t, "framework", "framework", PM_CELL_WORD);
    pm_table_column(t, "verdict", "worst verdict", PM_CELL_WORD);
    pm_table_column(t, "where", "on", PM_CELL_NAME);
    pm_table_column(t, "why", "reason", PM_CELL_WORD);
    pm_table_column(t, "ratio", "slowest ratio to reference", PM_CELL_RATIO);
    pm_table_intervals(t);
    pm_table_column(t, "calls", "calls in scanned code", PM_CELL_COUNT);
    bool several = false;
    for (size_t i = 0; i < all.count; i++)
        several |= strcmp(all.items[i].framework, all.items[0].framework) != 0;
    for (size_t i = 0; i < all.count; i++) {
        function_row(r, &all.items[i], several, t);
        pages[i] = page_of(r, &all, &all.items[i]);
    }
    pm_report_take_pages(report, t, pages);
    release(&all);
}
