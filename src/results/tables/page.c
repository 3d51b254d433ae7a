/* Makes the details of a row of a page: the facts about one function, its messages, cases and next
 * commands. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/line.h"
#include "base/plural.h"
#include "base/shard.h"
#include "history/history.h"
#include "tables/kinds.h"
#include "tables/pages.h"
#include "tables/shared_cells.h"
#include "text/numbers.h"

/* ---- facts: a matrix by targets -------------------------------------------------------------- */

struct facts {
    const struct page_source *source;
    const struct function *f;
    struct pm_table *t;
    struct pm_str *cells; /* cells of the current row, one per target */
    const char *section;  /* heading of the next rows; NULL: already added */
};

/* Adds the row unless all its cells are empty, and begins the next one. */
static void end_row(struct facts *x, const char *label)
{
    bool any = false;
    for (size_t i = 0; i < x->f->count; i++)
        any |= x->cells[i].length > 0;
    if (any && x->section) {
        pm_table_row(x->t, x->section, NULL);
        for (size_t i = 0; i < x->f->count; i++)
            pm_table_empty(x->t);
        x->section = NULL;
    }
    if (any)
        pm_table_row(x->t, label, NULL);
    for (size_t i = 0; i < x->f->count; i++) {
        if (any)
            pm_table_text(x->t, x->cells[i].length ? x->cells[i].data : "");
        pm_str_clear(&x->cells[i]);
    }
}

/* ---- verdicts and cases --------------------------------------------------------------------- */

static void add_verdicts(struct facts *x)
{
    for (size_t i = 0; i < x->f->count; i++)
        pm_str_add(&x->cells[i], pm_tables__verdict_word(x->source->r, x->f->verdicts[i]));
    end_row(x, "verdict");
    for (size_t i = 0; i < x->f->count; i++)
        pm_str_add(&x->cells[i], x->f->verdicts[i]->reason);
    end_row(x, "reason");
    for (size_t i = 0; i < x->f->count; i++)
        pm_str_add(&x->cells[i], x->f->verdicts[i]->rule);
    end_row(x, "rule for the reason");
}

enum chosen { CASES, FORWARD, BACKWARD, SMALL, LARGE, OF_DTYPE };

static bool is_chosen(const struct pm_reading_case *c, enum chosen chosen, const char *dtype)
{
    switch (chosen) {
    case FORWARD:
    case BACKWARD:
        return c->backward == (chosen == BACKWARD);
    case SMALL:
    case LARGE:
        return (c->size == PM_SIZE_LARGE) == (chosen == LARGE);
    case OF_DTYPE:
        return !strcmp(c->dtype, dtype);
    default:
        return true;
    }
}

/* Appends a text such as "3 of 5" to each cell: how many of the chosen counted cases pass. */
static void tally(struct facts *x, enum chosen chosen, const char *dtype)
{
    for (size_t i = 0; i < x->f->count; i++) {
        size_t count, passed = 0, of = 0;
        const struct pm_reading_case *c =
            pm_reading_cases_of(x->source->r, x->f->verdicts[i]->target, x->f->name, &count);
        for (size_t k = 0; k < count; k++)
            if (c[k].counts && is_chosen(&c[k], chosen, dtype)) {
                of++;
                passed += c[k].passed && !c[k].failed;
            }
        if (of)
            pm_str_addf(&x->cells[i], "%zu of %zu", passed, of);
    }
}

static void add_tally(struct facts *x, const char *label, enum chosen chosen)
{
    tally(x, chosen, "");
    end_row(x, label);
}

/* Returns whether any counted case, on any target, is among the chosen ones. */
static bool is_there(const struct facts *x, enum chosen chosen)
{
    for (size_t i = 0; i < x->f->count; i++) {
        size_t count;
        const struct pm_reading_case *c =
            pm_reading_cases_of(x->source->r, x->f->verdicts[i]->target, x->f->name, &count);
        for (size_t k = 0; k < count; k++)
            if (c[k].counts && is_chosen(&c[k], chosen, ""))
                return true;
    }
    return false;
}

static void add_dtypes(struct facts *x)
{
    struct pm_map seen = {0};
    const size_t first = pm_table_rows(x->t);
    for (size_t i = 0; i < x->f->count; i++) {
        size_t count;
        const struct pm_reading_case *c =
            pm_reading_cases_of(x->source->r, x->f->verdicts[i]->target, x->f->name, &count);
        for (size_t k = 0; k < count; k++)
            if (*c[k].dtype && !pm_map_get(&seen, c[k].dtype)) {
                pm_map_put(&seen, c[k].dtype, x);
                tally(x, OF_DTYPE, c[k].dtype);
                end_row(x, c[k].dtype);
            }
    }
    pm_table_join_rows(x->t, first + 1);
    pm_map_release(&seen);
}

static void add_cases(struct facts *x)
{
    x->section = "Counted cases that pass";
    add_tally(x, "all", CASES);
    if (is_there(x, BACKWARD)) {
        add_tally(x, "forward only", FORWARD);
        add_tally(x, "forward and backward", BACKWARD);
    }
    if (is_there(x, LARGE)) {
        add_tally(x, "small inputs", SMALL);
        add_tally(x, "large inputs", LARGE);
    }
    x->section = "Counted cases that pass, by dtype";
    add_dtypes(x);
}

/* ---- clocks --------------------------------------------------------------------------------- */

static void add_bounds(struct pm_str *out, double low, double high)
{
    if (isnan(low) || isnan(high))
        return;
    pm_str_add(out, " [");
    pm_text_number(out, low);
    pm_str_add(out, ", ");
    pm_text_number(out, high);
    pm_str_add(out, "]");
}

static void add_latency(struct pm_str *out, const struct pm_reading_statistic *s)
{
    pm_text_time(out, s->value);
}

/* Appends a text such as "3.1x slower [2.8, 3.4]", "2.0x faster [1.7, 2.4]". */
static void add_ratio(struct pm_str *out, const struct pm_reading_statistic *s)
{
    pm_text_ratio(out, s->value);
    if (s->value >= 1)
        add_bounds(out, s->low, s->high);
    else
        add_bounds(out, 1 / s->high, 1 / s->low);
}

/* Adds a statistic to each cell, in a new line below the text that the cell already has. */
static void add_statistics(struct facts *x, struct pm_reading_key key,
                           void (*add)(struct pm_str *, const struct pm_reading_statistic *))
{
    for (size_t i = 0; i < x->f->count; i++) {
        key.target = x->f->verdicts[i]->target;
        const struct pm_reading_statistic *s = pm_reading_statistic(x->source->r, &key);
        if (s && !isnan(s->value)) {
            pm_str_add(&x->cells[i], x->cells[i].length ? "\n" : "");
            add(&x->cells[i], s);
        } else if (s && key.what == PM_STATISTIC_LATENCY) {
            pm_str_add(&x->cells[i], pm_tables__excluded(s));
        }
    }
}

/* Returns whether the page shows the ratios of a clock. A report in JSON has the ratios of all
 * clocks. */
static bool has_ratio(enum pm_clock clock)
{
    return clock == PM_CLOCK_WARM || clock == PM_CLOCK_COLD || clock == PM_CLOCK_BACKWARD;
}

static void add_clock(struct facts *x, enum pm_clock clock, enum pm_size size)
{
    static const char *const names[PM_CLOCK_COUNT] = {
        [PM_CLOCK_WARM] = "call, warm",
        [PM_CLOCK_COLD] = "first call of a process",
        [PM_CLOCK_DISPATCH] = "until the call returns",
        [PM_CLOCK_TRANSFER_IN] = "inputs to the device",
        [PM_CLOCK_TRANSFER_OUT] = "outputs from the device",
        [PM_CLOCK_BACKWARD] = "backward, warm",
        [PM_CLOCK_BACKWARD_COLD] = "first backward pass of a process",
        [PM_CLOCK_SERIES] = "calls with other shapes",
    };
    struct pm_reading_key key = {.scope = PM_SCOPE_FUNCTION,
                                 .function = x->f->name,
                                 .name = "",
                                 .clock = clock,
                                 .size = size,
                                 .what = PM_STATISTIC_LATENCY};
    char *label = pm_format("%s%s", names[clock], size == PM_SIZE_LARGE ? ", large inputs" : "");
    add_statistics(x, key, add_latency);
    key.what = PM_STATISTIC_RATIO;
    if (has_ratio(clock))
        add_statistics(x, key, add_ratio);
    end_row(x, label);
    free(label);
}

static void add_clocks(struct facts *x)
{
    x->section = "Time of a call, and its ratio to the reference [95 % interval]";
    for (int clock = 0; clock < PM_CLOCK_COUNT; clock++)
        for (int size = 0; size < PM_SIZE_COUNT; size++)
            add_clock(x, (enum pm_clock)clock, (enum pm_size)size);
}

/* ---- memory and error ----------------------------------------------------------------------- */

/* Returns the largest relative tolerance that a passing case of the function needs; NaN: not
 * known. */
static double error_on(const struct facts *x, int target)
{
    size_t count;
    double error = NAN;
    const struct pm_reading_case *c = pm_reading_cases_of(x->source->r, target, x->f->name, &count);
    for (size_t k = 0; k < count; k++)
        error = fmax(error, c[k].error);
    return error;
}

static void add_part(struct pm_str *out, enum first_call part, double median)
{
    if (isnan(median))
        return;
    if (part < FIRST_CALL_COMPILATIONS)
        pm_text_time(out, median);
    else if (part < FIRST_CALL_MEMORY)
        pm_text_count(out, (int64_t)median);
    else
        pm_text_bytes(out, (int64_t)median);
}

static void add_first_calls(struct facts *x)
{
    static const char *const labels[FIRST_CALL_COLUMNS] = {
        [FIRST_CALL_TRACING] = "tracing",
        [FIRST_CALL_LOWERING] = "lowering",
        [FIRST_CALL_COMPILING] = "compiling",
        [FIRST_CALL_RUNNING] = "running",
        [FIRST_CALL_COMPILATIONS] = "compilations",
        [FIRST_CALL_RECOMPILATIONS] = "compilations in later calls",
        [FIRST_CALL_MEMORY] = "device memory",
    };
    double(*medians)[FIRST_CALL_COLUMNS] = pm_alloc(x->f->count * sizeof *medians);
    for (size_t i = 0; i < x->f->count; i++)
        pm_tables__first_call(x->source, x->f->verdicts[i]->target, x->f->name, medians[i]);
    x->section = "First call, medians over executions";
    for (int part = FIRST_CALL_TRACING; part < FIRST_CALL_COLUMNS; part++) {
        for (size_t i = 0; i < x->f->count; i++)
            add_part(&x->cells[i], (enum first_call)part, medians[i][part]);
        end_row(x, labels[part]);
    }
    free(medians);
}

static void add_rest(struct facts *x)
{
    x->section = "Memory and numeric error";
    for (size_t i = 0; i < x->f->count; i++)
        if (x->f->verdicts[i]->memory)
            pm_text_bytes(&x->cells[i], x->f->verdicts[i]->memory);
    end_row(x, "largest process");
    for (size_t i = 0; i < x->f->count; i++) {
        const double error = error_on(x, x->f->verdicts[i]->target);
        if (error > 0)
            pm_str_addf(&x->cells[i], "%.1e", error);
        else if (!isnan(error))
            pm_str_add(&x->cells[i], "none");
    }
    end_row(x, "largest relative error of a passing case");
}

static void add_past(struct facts *x)
{
    x->section = "Then and now: earlier runs";
    for (size_t i = 0; x->source->past && i < x->f->count; i++)
        pm_history_past_verdicts(x->source->past, x->f->verdicts[i], &x->cells[i]);
    end_row(x, "this verdict");
    for (size_t i = 0; x->source->past && i < x->f->count; i++)
        pm_history_past_latencies(x->source->past, x->f->verdicts[i], &x->cells[i]);
    end_row(x, "call, warm, before");
}

/* The first column. A column for each target follows. */
static const struct pm_column fact_columns[] = {
    {"fact", "fact", PM_CELL_NAME, .cell = pm_tables__label_cell},
};

static struct pm_table *facts_of(const struct page_source *source, const struct function *f,
                                 int64_t *cases)
{
    struct facts x = {.source = source, .f = f, .t = pm_table_new("facts", "On each target")};
    x.cells = pm_alloc(f->count * sizeof *x.cells);
    pm_table_matrix(x.t);
    pm_table_columns(x.t, fact_columns, true);
    for (size_t i = 0; i < f->count; i++)
        pm_tables__target_column(source->r, f->verdicts[i]->target, i, PM_CELL_MARK, x.t);
    for (size_t i = 0; i < f->count; i++)
        pm_str_init(&x.cells[i]);
    add_verdicts(&x);
    add_cases(&x);
    add_clocks(&x);
    add_first_calls(&x);
    add_rest(&x);
    add_past(&x);
    *cases = pm_tables__add_outcomes(source, f, x.t);
    for (size_t i = 0; i < f->count; i++)
        pm_str_release(&x.cells[i]);
    free(x.cells);
    return x.t;
}

/* ---- the page ------------------------------------------------------------------------------- */

static void take_filled(struct pm_report *page, struct pm_table *t)
{
    if (pm_table_rows(t))
        pm_report_take_table(page, t);
    else
        pm_table_free(t);
}

static void add_script(const struct page_source *source, const struct pm_reading_case *c,
                       const struct pm_explain_script *script, struct pm_report *page)
{
    char *label = pm_format("Reproducer: %s on %s", c->name, source->r->targets[c->target].text);
    pm_report_code(page, label, script->text);
    free(label);
}

/* Adds a script for each message and target. If there is no script, adds the first remark that says
 * why. */
static void add_scripts(const struct page_source *source,
                        const struct pm_reading_messages *messages, struct pm_report *page)
{
    const char *remark = NULL;
    bool any = false;
    for (size_t i = 0; i < messages->count; i++) {
        const struct pm_reading_message *m = &messages->items[i];
        for (size_t k = 0; k < m->target_count; k++) {
            const struct pm_explain_script *script = pm_tables__script_of(source, m->firsts[k]);
            if (script && script->text) {
                add_script(source, m->firsts[k], script, page);
                any = true;
            } else if (script && !remark) {
                remark = script->remark;
            }
        }
    }
    if (!any && remark)
        pm_report_line(page, "reproducer", remark);
}

static void add_commands(const struct page_source *source, const struct function *f, bool fails,
                         struct pm_report *page)
{
    const char *target = source->r->targets[f->worst->target].text;
    char *explain = pm_format("portmeter explain '%s' --target '%s'%s --output reproducer.py",
                              f->name, target, source->option);
    char *again = pm_format("portmeter run --target '%.*s' --function '%s'", pm_shard_typed(target),
                            target, f->name);
    if (fails)
        pm_report_command(page, "try", explain,
                          "writes a script that reproduces the failure, and runs it");
    pm_report_command(page, "again", again, "measures the function again");
    free(explain);
    free(again);
}

enum { LONGEST_SUMMARY = 160 }; /* bytes of a message: the page contains the whole message */

/* Returns a text such as "12 cases, 2 messages: RuntimeError: ..." */
static char *summary_of(const struct function *f, int64_t cases, size_t messages)
{
    struct pm_str out = PM_STR_INIT;
    pm_text_count(&out, cases);
    pm_str_addf(&out, " case%s", pm_plural(cases));
    if (messages)
        pm_str_addf(&out, ", %zu message%s", messages, pm_plural(messages));
    if (*f->worst->detail) {
        pm_str_add(&out, ": ");
        pm_line_add(&out, f->worst->detail, LONGEST_SUMMARY);
    }
    return pm_str_detach(&out);
}

struct pm_report *pm_tables__page(const struct page_source *source, const struct function *f)
{
    int64_t cases;
    struct pm_table *facts = facts_of(source, f, &cases),
                    *published = pm_tables__published(source, f);
    struct pm_reading_messages messages = pm_reading_messages(source->r, f->verdicts, f->count);
    char *summary = summary_of(f, cases, messages.count);
    struct pm_report *page = pm_report_new(summary);
    take_filled(page, pm_tables__message_table(source, &messages));
    add_scripts(source, &messages, page);
    take_filled(page, facts);
    take_filled(page, published);
    add_commands(source, f, messages.count > 0, page);
    pm_reading_messages_release(&messages);
    free(summary);
    return page;
}
