/* Makes the tables of a page: functions by targets, and each function with all of its results. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "history/history.h"
#include "tables/kinds.h"
#include "tables/pages.h"
#include "tables/shared_cells.h"

/* ---- choosing ------------------------------------------------------------------------------- */

/* Returns whether a target has a column: subjects do, and references with which nothing is
 * compared. */
static bool has_column(const struct pm_reading *r, int target)
{
    const struct pm_reading_target *t = &r->targets[target];
    if (pm_reading_is_oracle(t) || pm_reading_is_noise(t))
        return false;
    return !pm_reading_is_reference(t) || !pm_reading_has_subject(r, target);
}

/* Returns how bad a verdict is; 0 is best. */
static size_t badness(const struct pm_reading_verdict *v)
{
    if (v->host_only && pm_verdict_is_counted(v->verdict))
        return 1;
    switch (v->verdict) {
    case PM_VERDICT_WORKS:
        return 0;
    case PM_VERDICT_LIMITS:
        return 3;
    case PM_VERDICT_PARTLY:
        return 4;
    case PM_VERDICT_FAILS:
        return 5;
    default:
        return 2; /* not counted */
    }
}

static const struct pm_reading *sorted; /* for by_function(), to which qsort() cannot pass it */

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
    const size_t x = a->worst ? badness(a->worst) : 0, y = b->worst ? badness(b->worst) : 0;
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
        f->weight += badness(v);
        if (!f->worst || badness(v) > badness(f->worst))
            f->worst = v;
    }
}

/* Returns the function whose verdicts begin at verdicts[0]. */
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

static void index_judgements(const struct pm_reading *r, struct pm_map *first)
{
    for (size_t i = 0; i < r->judgement_list.count; i++) {
        const struct pm_reading_judgement *j = &r->judgements[i], *before = i ? j - 1 : NULL;
        if (before && before->target == j->target && !strcmp(before->function, j->function))
            continue;
        char *key = key_of(j->target, j->function);
        pm_map_put(first, key, (void *)(uintptr_t)(i + 1));
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
    index_judgements(r, &all.first_judgement);
    return all;
}

static void release(struct functions *all)
{
    pm_map_release(&all->first_judgement);
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

/* ---- the order of targets: the worst first --------------------------------------------------- */

static int lower_share_first(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (isnan(a->share) != isnan(b->share))
        return isnan(a->share) ? 1 : -1;
    if (!isnan(a->share) && a->share != b->share)
        return a->share < b->share ? -1 : 1;
    return a->target - b->target;
}

struct ranked *pm_tables__rank_targets(const struct pm_reading *r, size_t *count)
{
    struct ranked *all = pm_alloc((r->target_list.count + 1) * sizeof *all);
    *count = 0;
    for (size_t i = 0; i < r->target_list.count; i++)
        if (has_column(r, (int)i))
            all[(*count)++] = (struct ranked){(int)i, pm_tables__tally(r, (int)i, false).share};
    qsort(all, *count, sizeof *all, lower_share_first);
    return all;
}

/* ---- the picture ---------------------------------------------------------------------------- */

/* The first column of a matrix. A column for each target follows. */
static const struct pm_column matrix_columns[] = {
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct function, name)},
};

static void add_matrix_row(const struct pm_reading *r, const struct function *f,
                           const struct ranked *targets, size_t count, struct pm_table *t)
{
    pm_table_row(t, f, NULL);
    for (size_t i = 0; i < count; i++) {
        const struct pm_reading_verdict *v = verdict_on(f, targets[i].target);
        if (!strcmp(r->targets[targets[i].target].framework, f->framework))
            pm_table_text(t, v ? pm_tables__verdict_word(r, v) : "");
    }
}

static void add_matrix(const struct pm_reading *r, const struct functions *all,
                       const char *framework, const struct ranked *targets, size_t count,
                       struct pm_report *report)
{
    char *title = pm_format("%s: functions by target, worst first", framework);
    struct pm_table *t = pm_table_new("matrix", title);
    pm_table_about(t, "framework", framework);
    pm_table_picture(t);
    pm_table_columns(t, matrix_columns, true);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(r->targets[targets[i].target].framework, framework))
            pm_tables__target_column(r, targets[i].target, (size_t)targets[i].target, PM_CELL_MARK,
                                     t);
    for (size_t f = 0; f < all->count; f++)
        if (!strcmp(all->items[f].framework, framework))
            add_matrix_row(r, &all->items[f], targets, count, t);
    pm_report_take_table(report, t);
    free(title);
}

static bool is_first_of_framework(const struct pm_reading *r, const struct ranked *targets,
                                  size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (!strcmp(r->targets[targets[i].target].framework,
                    r->targets[targets[at].target].framework))
            return false;
    return true;
}

void pm_tables__add_matrices(const struct pm_reading *r, struct pm_report *report)
{
    size_t count;
    struct functions all = find_functions(r);
    struct ranked *targets = pm_tables__rank_targets(r, &count);
    for (size_t i = 0; i < count && all.count; i++)
        if (is_first_of_framework(r, targets, i))
            add_matrix(r, &all, r->targets[targets[i].target].framework, targets, count, report);
    free(targets);
    release(&all);
}

/* ---- the table ------------------------------------------------------------------------------ */

/* Adds the names of the targets on which the function has its worst verdict. */
static void add_where(const struct pm_reading *r, const struct function *f, struct pm_str *out)
{
    size_t all = 0, worst = 0;
    for (size_t i = 0; i < f->count; i++) {
        all += has_column(r, f->verdicts[i]->target);
        worst +=
            has_column(r, f->verdicts[i]->target) && badness(f->verdicts[i]) == badness(f->worst);
    }
    if (worst == all && all > 1) {
        pm_str_addf(out, all > 2 ? "all %zu targets" : "both targets", all);
        return;
    }
    for (size_t i = 0; i < f->count; i++) {
        const struct pm_reading_verdict *v = f->verdicts[i];
        if (has_column(r, v->target) && badness(v) == badness(f->worst))
            pm_str_addf(out, "%s%s", out->length ? ", " : "", r->targets[v->target].text);
    }
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

static bool is_intolerable(const struct pm_reading *r, const struct pm_reading_statistic *ratio)
{
    return ratio && ratio->value > pm_reading_intolerable(r);
}

struct function_row {
    const char *function, *framework, *verdict, *where, *reason, *intolerable, *paper;
    const struct pm_reading_statistic *slowest; /* NULL: no ratio */
    int64_t calls;                              /* -1: not known */
};

static void slowest_cell(struct pm_table *t, const struct pm_cell_source *from)
{
    const struct pm_reading_statistic *s = ((const struct function_row *)from->row)->slowest;
    if (s && !isnan(s->value))
        pm_table_interval(t, s->value, s->low, s->high);
    else if (s && *pm_tables__excluded(s))
        pm_table_text(t, pm_tables__excluded(s));
    else
        pm_table_empty(t);
}

static void calls_cell(struct pm_table *t, const struct pm_cell_source *from)
{
    const struct function_row *row = from->row;
    if (row->calls < 0)
        pm_table_empty(t);
    else
        pm_table_count(t, row->calls);
}

static const struct pm_column function_columns[] = {
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct function_row, function)},
    {"framework", "framework", PM_CELL_WORD, PM_MEMBER(struct function_row, framework)},
    {"verdict", "worst verdict", PM_CELL_WORD, PM_MEMBER(struct function_row, verdict)},
    {"where", "targets", PM_CELL_NAME, PM_MEMBER(struct function_row, where)},
    {"reason", "reason", PM_CELL_WORD, PM_MEMBER(struct function_row, reason)},
    {"ratio", "slowest ratio to reference", PM_CELL_RATIO, .cell = slowest_cell, .intervals = true},
    {"intolerable", "latency", PM_CELL_WORD, PM_MEMBER(struct function_row, intolerable)},
    {"calls", "calls in scanned code", PM_CELL_COUNT, .cell = calls_cell},
    {"paper", "in the paper's sample", PM_CELL_WORD, PM_MEMBER(struct function_row, paper)},
};

static void add_function(const struct pm_reading *r, const struct function *f, bool frameworks,
                         struct pm_table *t)
{
    const struct pm_reading_statistic *slowest = slowest_of(r, f);
    struct pm_str where = PM_STR_INIT;
    add_where(r, f, &where);
    const struct function_row row = {
        .function = f->name,
        .framework = frameworks ? f->framework : "",
        .verdict = pm_tables__verdict_word(r, f->worst),
        .where = where.data,
        .reason = f->worst->reason,
        .slowest = slowest,
        .intolerable = is_intolerable(r, slowest) ? "intolerable" : "",
        .calls = pm_reading_uses(r, f->framework) ? pm_reading_calls(r, f->framework, f->name) : -1,
        .paper = pm_tables__stratum(r, f->name)};
    pm_table_row(t, &row, NULL);
    pm_str_release(&where);
}

/* ---- scripts -------------------------------------------------------------------------------- */

static void want_script(struct page_source *source, const struct pm_reading_case *c)
{
    const struct pm_reading *r = source->r;
    const struct pm_reading_target *t = &r->targets[c->target];
    const struct pm_reading_judgement *j = pm_tables__failure_of(source, c);
    if (!j)
        return;
    char *key = pm_format("%lld", (long long)j->execution);
    PM_GROW(source->scripts, source->script_count, source->script_capacity);
    source->scripts[source->script_count++] =
        (struct pm_explain_script){.run_id = r->runs[t->run].id,
                                   .target_id = t->id,
                                   .execution_id = j->execution,
                                   .detail = j->detail,
                                   .outcome = j->outcome,
                                   .stage = j->stage};
    pm_map_put(&source->script_by_execution, key, (void *)(uintptr_t)source->script_count);
    free(key);
}

static void want_scripts(struct page_source *source, const struct function *f)
{
    struct pm_reading_messages messages = pm_reading_messages(source->r, f->verdicts, f->count);
    for (size_t i = 0; i < messages.count; i++)
        for (size_t k = 0; k < messages.items[i].target_count; k++)
            want_script(source, messages.items[i].firsts[k]);
    pm_reading_messages_release(&messages);
}

static void note_without(struct pm_table *t, const char *what, const struct pm_error *err)
{
    char *note = pm_format("no %s: %s", what, err->text);
    pm_table_note(t, note);
    free(note);
}

static void write_scripts(struct page_source *source, const struct pm_report_options *o,
                          struct pm_table *t)
{
    struct pm_error err;
    for (size_t i = 0; i < source->all->count; i++)
        want_scripts(source, &source->all->items[i]);
    if (source->script_count &&
        pm_explain_scripts(o->db, source->scripts, source->script_count, &err))
        note_without(t, "reproducers", &err);
}

static void release_scripts(struct page_source *source)
{
    for (size_t i = 0; i < source->script_count; i++) {
        free(source->scripts[i].text);
        free(source->scripts[i].remark);
    }
    free(source->scripts);
    pm_map_release(&source->script_by_execution);
}

void pm_tables__add_pages(const struct pm_reading *r, const struct pm_published *published,
                          const struct pm_report_options *o, const char *option,
                          struct pm_report *report)
{
    struct functions all = find_functions(r);
    struct pm_error err;
    struct pm_history_past *past = NULL;
    const bool has_past = pm_history_past_load(o->db, r, &past, &err) == PM_OK;
    struct page_source source = {.r = r,
                                 .all = &all,
                                 .published = published,
                                 .option = option,
                                 .past = has_past ? past : NULL};
    pm_tables__page_source_fill(&source);
    struct pm_report **pages = pm_alloc((all.count + 1) * sizeof *pages);
    struct pm_table *t = pm_table_new("functions", "Every function, worst first");
    pm_table_columns(t, function_columns, r->for_people);
    write_scripts(&source, o, t);
    if (!has_past)
        note_without(t, "earlier runs", &err);
    bool several = false;
    for (size_t i = 0; i < all.count; i++)
        several |= strcmp(all.items[i].framework, all.items[0].framework) != 0;
    for (size_t i = 0; i < all.count; i++) {
        add_function(r, &all.items[i], several, t);
        pages[i] = pm_tables__page(&source, &all.items[i]);
    }
    pm_report_take_pages(report, t, pages);
    release_scripts(&source);
    pm_history_past_free(past);
    pm_tables__page_source_release(&source);
    release(&all);
}
