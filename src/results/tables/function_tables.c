/* Makes the table of every function and its verdict, worst first, and marks the functions of the
 * paper's sample. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/line.h"
#include "base/plural.h"
#include "stat/stat.h"
#include "tables/kinds.h"
#include "tables/shared_cells.h"
#include "text/numbers.h"

/* The groups of functions in the order of the rows, worst first. */
enum standing {
    STANDING_FAILS,
    STANDING_PARTLY,
    STANDING_LIMITS,
    STANDING_WORKS,
    STANDING_HOST_ONLY,
    STANDING_UNCOUNTED
};

struct function_row {
    const struct pm_reading_verdict *verdict;
    const struct pm_reading_statistic *ratio; /* ratio of small inputs; NULL: none */
    enum standing standing;
};

static enum standing standing_of(const struct pm_reading_verdict *v)
{
    if (v->host_only && pm_verdict_is_counted(v->verdict))
        return STANDING_HOST_ONLY;
    switch (v->verdict) {
    case PM_VERDICT_WORKS:
        return STANDING_WORKS;
    case PM_VERDICT_LIMITS:
        return STANDING_LIMITS;
    case PM_VERDICT_PARTLY:
        return STANDING_PARTLY;
    case PM_VERDICT_FAILS:
        return STANDING_FAILS;
    default:
        return STANDING_UNCOUNTED;
    }
}

const char *pm_tables__verdict_word(const struct pm_reading *r, const struct pm_reading_verdict *v)
{
    return standing_of(v) == STANDING_HOST_ONLY ? "host-only"
           : pm_reading_is_impossible(v)
               ? "not possible"
               : pm_verdict_word(v->verdict, r->targets[v->target].evidence);
}

/* ---- the paper's sample ---- */

const char *pm_tables__stratum(const struct pm_reading *r, const char *function)
{
    const char *stratum = r->paper ? pm_map_get(r->paper, function) : NULL;
    return stratum ? stratum : "";
}

const char *pm_tables__mark(const struct pm_reading *r, const char *function)
{
    return r->for_people && *pm_tables__stratum(r, function) ? "*" : "";
}

void pm_tables__function_cell(const struct pm_reading *r, const char *function,
                              struct pm_table *table)
{
    char *text = pm_format("%s%s", function, pm_tables__mark(r, function));
    pm_table_text(table, text);
    free(text);
}

/* Adds "63 of the 64 functions of pytorch", if any is marked. */
static void count_marked(const struct pm_reading *r, const char *framework, struct pm_str *out)
{
    struct pm_map seen = {0};
    int64_t marked = 0;
    for (size_t i = 0; i < r->verdict_list.count; i++) {
        const struct pm_reading_verdict *v = &r->verdicts[i];
        if (strcmp(r->targets[v->target].framework, framework) || pm_map_has(&seen, v->function))
            continue;
        pm_map_put(&seen, v->function, NULL);
        marked += *pm_tables__stratum(r, v->function) != '\0';
    }
    if (marked)
        pm_str_addf(out, "%s%lld of the %zu function%s of %s", out->length ? ", " : "",
                    (long long)marked, seen.count, pm_plural(seen.count), framework);
    pm_map_release(&seen);
}

static bool framework_comes_first(const struct pm_reading *r, size_t target)
{
    for (size_t i = 0; i < target; i++)
        if (!strcmp(r->targets[i].framework, r->targets[target].framework))
            return false;
    return true;
}

void pm_tables__note_paper(const struct pm_reading *r, struct pm_table *table)
{
    struct pm_str text = PM_STR_INIT;
    for (size_t i = 0; r->paper && i < r->target_list.count; i++)
        if (framework_comes_first(r, i))
            count_marked(r, r->targets[i].framework, &text);
    if (text.length) {
        char *note =
            pm_format("%s in the paper's sample: %s", r->for_people ? "*" : "paper: ", text.data);
        pm_table_note(table, note);
        free(note);
    }
    pm_str_release(&text);
}

/* ---- rows ---- */

static double ratio_of(const struct function_row *row)
{
    return row->ratio ? row->ratio->value : NAN;
}

/* Orders by target, then by standing, then the slowest first, with functions without a ratio
 * last. */
static int worst_first(const void *left, const void *right)
{
    const struct function_row *a = left, *b = right;
    const int ratios = pm_stat_largest_first(ratio_of(a), ratio_of(b));
    if (a->verdict->target != b->verdict->target)
        return a->verdict->target - b->verdict->target;
    if (a->standing != b->standing)
        return (int)a->standing - (int)b->standing;
    return ratios ? ratios : strcmp(a->verdict->function, b->verdict->function);
}

/* Returns the functions of all targets except the oracle. Tables for people also omit references
 * with which other targets are compared. Sets *count; the caller frees the array. */
static struct function_row *select_rows(const struct pm_reading *r, size_t *count)
{
    struct function_row *rows = pm_alloc((r->verdict_list.count + 1) * sizeof *rows);
    *count = 0;
    for (size_t i = 0; i < r->verdict_list.count; i++) {
        const struct pm_reading_verdict *v = &r->verdicts[i];
        const bool compared_with =
            pm_reading_is_reference(&r->targets[v->target]) && pm_reading_has_subject(r, v->target);
        if (pm_reading_is_oracle(&r->targets[v->target]) || (compared_with && r->for_people))
            continue;
        rows[(*count)++] = (struct function_row){
            v, pm_reading_warm(r, v->target, v->function, "", PM_SIZE_SMALL, PM_STATISTIC_RATIO),
            standing_of(v)};
    }
    qsort(rows, *count, sizeof *rows, worst_first);
    return rows;
}

/* ---- for people ----------------------------------------------------------------------------- */

/* Counted cases of a function, how many of them fail, and how many fail for the reason of its
 * verdict. */
struct failing {
    long long all, failing, for_reason;
};

static struct failing count_cases(const struct pm_reading *r, const struct pm_reading_verdict *v)
{
    size_t count;
    const struct pm_reading_case *cases = pm_reading_cases_of(r, v->target, v->function, &count);
    struct failing n = {0};
    for (size_t i = 0; i < count; i++) {
        const bool counted = cases[i].counts && cases[i].passed + cases[i].failed > 0;
        const bool fails = counted && cases[i].failed > 0;
        n.all += counted;
        n.failing += fails;
        n.for_reason += fails && !strcmp(cases[i].reason, v->reason);
    }
    return n;
}

static void add_cases(const struct failing *n, struct pm_str *out)
{
    pm_str_addf(out, "%lld of %lld case%s fail%s", n->failing, n->all, pm_plural(n->all),
                n->failing == 1 ? "s" : "");
    if (n->for_reason && n->for_reason < n->failing)
        pm_str_addf(out, ", %lld of them", n->for_reason);
    pm_str_add(out, ": ");
}

/* Returns a text such as "3 of 12 cases fail: not implemented: RuntimeError: ...", or "3 of 12
 * cases fail, 2 of them: ...". For a function with limits, these come first: "limits: no float16; 1
 * of 12 cases fails: ..." The caller frees it. */
static char *reason_of(const struct pm_reading *r, const struct function_row *row)
{
    const struct pm_reading_verdict *v = row->verdict;
    struct pm_str out = PM_STR_INIT;
    const struct failing cases = count_cases(r, v);
    if (row->standing == STANDING_LIMITS)
        pm_str_addf(&out, "limits: %s; ", v->limits);
    if ((row->standing == STANDING_PARTLY || row->standing == STANDING_LIMITS) && cases.all)
        add_cases(&cases, &out);
    if (ratio_of(row) > pm_reading_intolerable(r))
        pm_str_addf(&out, "intolerable latency%s", *v->detail ? "; " : "");
    if (*v->reason)
        pm_str_addf(&out, "%s: ", v->reason);
    pm_str_add_bytes(&out, v->detail, pm_line_first_sentence(v->detail));
    if (row->standing == STANDING_HOST_ONLY && !*v->detail)
        pm_str_add(&out, "has no inputs or outputs on the device");
    return pm_str_detach(&out);
}

/* Returns whether a row would say only that a function works or is host-only. */
static bool says_no_more(const struct function_row *row)
{
    return (row->standing == STANDING_WORKS || row->standing == STANDING_HOST_ONLY) &&
           isnan(ratio_of(row)) && !*row->verdict->detail;
}

/* A row for people. */
struct short_row {
    const char *target, *verdict;
    char *function; /* name with its mark, or the number of functions in the row */
    const struct pm_reading_statistic *ratio;
    char *reason;
};

static void short_ratio_cell(struct pm_table *t, const struct pm_cell_source *from)
{
    const struct pm_reading_statistic *ratio = ((const struct short_row *)from->row)->ratio;
    if (ratio && !isnan(ratio->value))
        pm_table_interval(t, ratio->value, ratio->low, ratio->high);
    else if (ratio && *pm_tables__excluded(ratio))
        pm_table_text(t, pm_tables__excluded(ratio));
    else
        pm_table_empty(t);
}

static const struct pm_column short_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_MEMBER(struct short_row, target)},
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct short_row, function)},
    {"verdict", "verdict", PM_CELL_WORD, PM_MEMBER(struct short_row, verdict)},
};
static const struct pm_column short_ratio_column[] = {
    {"ratio", "ratio to reference", PM_CELL_RATIO, .cell = short_ratio_cell, .intervals = true},
};
static const struct pm_column short_reason_column[] = {
    {"reason", "reason", PM_CELL_TEXT, PM_MEMBER(struct short_row, reason)},
};

/* Merges the functions from `first` on that differ only in their names into one row, which lists
 * the names. Returns the index of the first function after them. */
static size_t fold(const struct pm_reading *r, const struct function_row *rows, size_t first,
                   size_t count, struct short_row *out)
{
    struct pm_str number = PM_STR_INIT, names = PM_STR_INIT;
    size_t i = first;
    for (; i < count && says_no_more(&rows[i]) && rows[i].standing == rows[first].standing &&
           rows[i].verdict->target == rows[first].verdict->target;
         i++)
        pm_str_addf(&names, "%s%s%s", i > first ? ", " : "", rows[i].verdict->function,
                    pm_tables__mark(r, rows[i].verdict->function));
    pm_text_count(&number, (int64_t)(i - first));
    pm_str_add(&number, i - first == 1 ? " function" : " functions");
    out->function = pm_str_detach(&number);
    out->reason = pm_str_detach(&names);
    return i;
}

static void add_short(const struct pm_reading *r, const struct function_row *rows, size_t count,
                      struct pm_table *t)
{
    bool ratios = false;
    for (size_t i = 0; i < count; i++)
        ratios |= rows[i].ratio != NULL;
    pm_table_columns(t, short_columns, true);
    if (ratios)
        pm_table_columns(t, short_ratio_column, true);
    pm_table_columns(t, short_reason_column, true);
    pm_table_group(t);
    for (size_t i = 0; i < count;) {
        const struct function_row *row = &rows[i];
        struct short_row of = {.target = r->targets[row->verdict->target].text,
                               .verdict = pm_tables__verdict_word(r, row->verdict)};
        if (says_no_more(row)) {
            i = fold(r, rows, i, count, &of);
        } else {
            of.function = pm_format("%s%s", row->verdict->function,
                                    pm_tables__mark(r, row->verdict->function));
            of.ratio = row->ratio;
            of.reason = reason_of(r, row);
            i++;
        }
        pm_table_row(t, &of, NULL);
        free(of.function);
        free(of.reason);
    }
}

/* ---- for programs --------------------------------------------------------------------------- */

/* A row for programs; the context is the reading. */
struct full_row {
    const struct function_row *row;
    const char *target, *verdict, *stratum;
    int64_t cases, passing_cases;
    const struct pm_reading_statistic *latency[PM_SIZE_COUNT], *reference_latency[PM_SIZE_COUNT],
        *ratio[PM_SIZE_COUNT];
};

static void verdict_member_cell(struct pm_table *t, const struct pm_cell_source *from)
{
    pm_table_member(t, from, ((const struct full_row *)from->row)->row->verdict);
}

/* Returns the statistic in the member of the row that the column names. */
static const struct pm_reading_statistic *statistic_of(const struct pm_cell_source *from)
{
    const void *member = (const char *)from->row + from->column->offset;
    return *(const struct pm_reading_statistic *const *)member;
}

static void latency_cell(struct pm_table *t, const struct pm_cell_source *from)
{
    const struct pm_reading_statistic *latency = statistic_of(from);
    pm_table_number(t, latency ? latency->value : NAN);
}

static void ratio_cell(struct pm_table *t, const struct pm_cell_source *from)
{
    const struct pm_reading_statistic *ratio = statistic_of(from);
    if (ratio)
        pm_table_interval(t, ratio->value, ratio->low, ratio->high);
    else
        pm_table_empty(t);
}

static void processes_cell(struct pm_table *t, const struct pm_cell_source *from)
{
    const struct pm_reading_statistic *ratio = statistic_of(from);
    if (ratio)
        pm_table_count(t, ratio->processes < ratio->reference_processes
                              ? ratio->processes
                              : ratio->reference_processes);
    else
        pm_table_empty(t);
}

static void calls_cell(struct pm_table *t, const struct pm_cell_source *from)
{
    const struct pm_reading_verdict *v = ((const struct full_row *)from->row)->row->verdict;
    const struct pm_reading *r = from->context;
    const char *framework = r->targets[v->target].framework;
    if (pm_reading_uses(r, framework))
        pm_table_count(t, pm_reading_calls(r, framework, v->function));
    else
        pm_table_empty(t);
}

static void intolerable_cell(struct pm_table *t, const struct pm_cell_source *from)
{
    const double ratio = ratio_of(((const struct full_row *)from->row)->row);
    pm_table_text(t, !(ratio > 0)                                    ? ""
                     : ratio > pm_reading_intolerable(from->context) ? "yes"
                                                                     : "no");
}

/* Describe a column with a member of the verdict, and one with a statistic for a size of inputs. */
#define OF_VERDICT(name) PM_MEMBER(struct pm_reading_verdict, name), .cell = verdict_member_cell
#define OF_SIZE(name, size)                                                                        \
    .offset = offsetof(struct full_row, name) + (size) * sizeof(const struct pm_reading_statistic *)

static const struct pm_column full_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_MEMBER(struct full_row, target)},
    {"function", "function", PM_CELL_NAME, OF_VERDICT(function)},
    {"verdict", "verdict", PM_CELL_WORD, PM_MEMBER(struct full_row, verdict)},
    {"verdict_paper", "verdict by the paper's rules", PM_CELL_WORD,
     PM_WORD(struct pm_reading_verdict, verdict_paper, verdict), .cell = verdict_member_cell},
    {"cases", "counted cases", PM_CELL_COUNT, PM_MEMBER(struct full_row, cases)},
    {"passing_cases", "cases that pass", PM_CELL_COUNT, PM_MEMBER(struct full_row, passing_cases)},
    {"core_cases", "counted core cases", PM_CELL_COUNT, OF_VERDICT(core)},
    {"passing_core_cases", "core cases that pass", PM_CELL_COUNT, OF_VERDICT(core_passed)},
    {"limits", "limits", PM_CELL_TEXT, OF_VERDICT(limits)},
    {"reason", "reason", PM_CELL_TEXT, OF_VERDICT(reason)},
    {"rule", "rule", PM_CELL_TEXT, OF_VERDICT(rule)},
    {"message", "first failure", PM_CELL_TEXT, OF_VERDICT(detail)},
    {"latency", "latency, small inputs", PM_CELL_TIME, OF_SIZE(latency, PM_SIZE_SMALL),
     .cell = latency_cell},
    {"reference_latency", "reference latency, small inputs", PM_CELL_TIME,
     OF_SIZE(reference_latency, PM_SIZE_SMALL), .cell = latency_cell},
    {"ratio", "ratio to reference, small inputs", PM_CELL_RATIO, OF_SIZE(ratio, PM_SIZE_SMALL),
     .cell = ratio_cell, .intervals = true},
    {"processes", "processes, small inputs", PM_CELL_COUNT, OF_SIZE(ratio, PM_SIZE_SMALL),
     .cell = processes_cell},
    {"latency_large", "latency, large inputs", PM_CELL_TIME, OF_SIZE(latency, PM_SIZE_LARGE),
     .cell = latency_cell},
    {"reference_latency_large", "reference latency, large inputs", PM_CELL_TIME,
     OF_SIZE(reference_latency, PM_SIZE_LARGE), .cell = latency_cell},
    {"ratio_large", "ratio to reference, large inputs", PM_CELL_RATIO,
     OF_SIZE(ratio, PM_SIZE_LARGE), .cell = ratio_cell, .intervals = true},
    {"processes_large", "processes, large inputs", PM_CELL_COUNT, OF_SIZE(ratio, PM_SIZE_LARGE),
     .cell = processes_cell},
    {"calls", "calls in scanned code", PM_CELL_COUNT, .cell = calls_cell},
    {"paper", "stratum in the paper's sample", PM_CELL_TEXT, PM_MEMBER(struct full_row, stratum)},
    {"intolerable", "intolerable latency, small inputs", PM_CELL_MARK, .cell = intolerable_cell},
};

static void add_full(const struct pm_reading *r, const struct function_row *rows, size_t count,
                     struct pm_table *t)
{
    pm_table_columns(t, full_columns, false);
    for (size_t i = 0; i < count; i++) {
        const struct pm_reading_verdict *v = rows[i].verdict;
        const struct failing cases = count_cases(r, v);
        struct full_row row = {.row = &rows[i],
                               .target = r->targets[v->target].text,
                               .verdict = pm_tables__verdict_word(r, v),
                               .stratum = pm_tables__stratum(r, v->function),
                               .cases = cases.all,
                               .passing_cases = cases.all - cases.failing};
        for (enum pm_size size = 0; size < PM_SIZE_COUNT; size++) {
            row.latency[size] =
                pm_reading_warm(r, v->target, v->function, "", size, PM_STATISTIC_LATENCY);
            row.reference_latency[size] = pm_reading_warm(r, v->target, v->function, "", size,
                                                          PM_STATISTIC_REFERENCE_LATENCY);
            row.ratio[size] =
                pm_reading_warm(r, v->target, v->function, "", size, PM_STATISTIC_RATIO);
        }
        pm_table_row(t, &row, r);
    }
}

void pm_tables__add_functions(const struct pm_reading *r, struct pm_report *report)
{
    size_t count;
    struct function_row *rows = select_rows(r, &count);
    struct pm_table *t = pm_table_new("functions", "Functions, worst first");
    if (r->for_people)
        add_short(r, rows, count, t);
    else
        add_full(r, rows, count, t);
    pm_tables__note_paper(r, t);
    free(rows);
    pm_tables__take(r, report, t);
}
