/* What a row of a page opens to: one function, its facts, messages, cases, and what to do next. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/line.h"
#include "report/format.h"
#include "tables/kinds.h"

static const struct pm_reading_case *
cases_on(const struct page_source *source, const struct function *f, size_t verdict, size_t *count)
{
    return pm_tables__cases_of(source, f->verdicts[verdict]->target, f->name, count);
}

/* ---- facts: a matrix by targets -------------------------------------------------------------- */

struct facts {
    const struct page_source *source;
    const struct function *f;
    struct pm_table *t;
    struct pm_str *cells; /* of the row that is made, one a target */
    const char *section;  /* heading of the rows that come; NULL: it is in the table */
};

/* Adds the row, if it says anything, and begins the next one. */
static void end_row(struct facts *x, const char *label)
{
    bool any = false;
    for (size_t i = 0; i < x->f->count; i++)
        any |= x->cells[i].length > 0;
    if (any && x->section) {
        pm_table_text(x->t, x->section);
        for (size_t i = 0; i < x->f->count; i++)
            pm_table_empty(x->t);
        x->section = NULL;
    }
    if (any)
        pm_table_text(x->t, label);
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
        pm_str_add(&x->cells[i], x->f->verdicts[i]->why);
    end_row(x, "reason");
    for (size_t i = 0; i < x->f->count; i++)
        pm_str_add(&x->cells[i], x->f->verdicts[i]->rule);
    end_row(x, "rule that gave it");
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

/* "3 of 5", of the chosen cases that count. */
static void add_tally(struct facts *x, const char *label, enum chosen chosen, const char *dtype)
{
    for (size_t i = 0; i < x->f->count; i++) {
        size_t count, passed = 0, of = 0;
        const struct pm_reading_case *c =
            pm_tables__cases_of(x->source, x->f->verdicts[i]->target, x->f->name, &count);
        for (size_t k = 0; k < count; k++)
            if (c[k].counts && is_chosen(&c[k], chosen, dtype)) {
                of++;
                passed += c[k].passed && !c[k].failed;
            }
        if (of)
            pm_str_addf(&x->cells[i], "%zu of %zu", passed, of);
    }
    end_row(x, label);
}

/* Whether a case that counts is chosen, on any target. */
static bool is_there(const struct facts *x, enum chosen chosen)
{
    for (size_t i = 0; i < x->f->count; i++) {
        size_t count;
        const struct pm_reading_case *c =
            pm_tables__cases_of(x->source, x->f->verdicts[i]->target, x->f->name, &count);
        for (size_t k = 0; k < count; k++)
            if (c[k].counts && is_chosen(&c[k], chosen, ""))
                return true;
    }
    return false;
}

static void add_dtypes(struct facts *x)
{
    struct pm_map seen = {0};
    for (size_t i = 0; i < x->f->count; i++) {
        size_t count;
        const struct pm_reading_case *c =
            pm_tables__cases_of(x->source, x->f->verdicts[i]->target, x->f->name, &count);
        for (size_t k = 0; k < count; k++)
            if (*c[k].dtype && !pm_map_get(&seen, c[k].dtype)) {
                pm_map_put(&seen, c[k].dtype, x);
                add_tally(x, c[k].dtype, OF_DTYPE, c[k].dtype);
            }
    }
    pm_map_release(&seen);
}

static void add_cases(struct facts *x)
{
    x->section = "Cases that pass, of those that count";
    add_tally(x, "all", CASES, "");
    if (is_there(x, BACKWARD)) {
        add_tally(x, "forward only", FORWARD, "");
        add_tally(x, "forward and backward", BACKWARD, "");
    }
    if (is_there(x, LARGE)) {
        add_tally(x, "small inputs", SMALL, "");
        add_tally(x, "large inputs", LARGE, "");
    }
    x->section = "The same by dtype";
    add_dtypes(x);
}

/* ---- clocks --------------------------------------------------------------------------------- */

static void add_bounds(struct pm_str *out, double low, double high)
{
    if (isnan(low) || isnan(high))
        return;
    pm_str_add(out, " [");
    pm_report_format_number(out, low);
    pm_str_add(out, ", ");
    pm_report_format_number(out, high);
    pm_str_add(out, "]");
}

static void add_latency(struct pm_str *out, const struct pm_reading_statistic *s)
{
    pm_report_format_time(out, s->value);
}

/* "3.1x slower [2.8, 3.4]", "2.0x faster [1.7, 2.4]" */
static void add_ratio(struct pm_str *out, const struct pm_reading_statistic *s)
{
    pm_report_format_ratio(out, s->value);
    if (s->value >= 1)
        add_bounds(out, s->low, s->high);
    else
        add_bounds(out, 1 / s->high, 1 / s->low);
}

static void add_statistics(struct facts *x, const char *label, struct pm_reading_key key,
                           void (*add)(struct pm_str *, const struct pm_reading_statistic *))
{
    for (size_t i = 0; i < x->f->count; i++) {
        key.target = x->f->verdicts[i]->target;
        const struct pm_reading_statistic *s = pm_reading_statistic(x->source->r, &key);
        if (s && !isnan(s->value))
            add(&x->cells[i], s);
        else if (s && s->unstable && key.what == PM_STATISTIC_LATENCY)
            pm_str_add(&x->cells[i], "unstable");
    }
    end_row(x, label);
}

/* Those that people compare; a report as JSON has the others. */
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
        [PM_CLOCK_BACKWARD_COLD] = "first backward of a process",
        [PM_CLOCK_SERIES] = "calls with other shapes",
    };
    struct pm_reading_key key = {.scope = PM_SCOPE_FUNCTION,
                                 .function = x->f->name,
                                 .name = "",
                                 .clock = clock,
                                 .size = size,
                                 .what = PM_STATISTIC_LATENCY};
    char *label = pm_format("%s%s", names[clock], size == PM_SIZE_LARGE ? ", large inputs" : "");
    add_statistics(x, label, key, add_latency);
    free(label);
    key.what = PM_STATISTIC_RATIO;
    if (has_ratio(clock))
        add_statistics(x, "ratio to the reference", key, add_ratio);
}

static void add_clocks(struct facts *x)
{
    x->section = "Time of a call, ratio [95 % interval]";
    for (int clock = 0; clock < PM_CLOCK_COUNT; clock++)
        for (int size = 0; size < PM_SIZE_COUNT; size++)
            add_clock(x, (enum pm_clock)clock, (enum pm_size)size);
}

/* ---- memory and error ----------------------------------------------------------------------- */

/* The largest relative tolerance that a case which passes needs. */
static double error_on(const struct facts *x, int target)
{
    size_t count;
    double error = NAN;
    const struct pm_reading_case *c = pm_tables__cases_of(x->source, target, x->f->name, &count);
    for (size_t k = 0; k < count; k++)
        error = fmax(error, c[k].error);
    return error;
}

static void add_part(struct pm_str *out, enum first_call part, double median)
{
    if (isnan(median))
        return;
    if (part < FIRST_CALL_COMPILATIONS)
        pm_report_format_time(out, median);
    else if (part < FIRST_CALL_MEMORY)
        pm_report_format_count(out, (int64_t)median);
    else
        pm_report_format_bytes(out, (int64_t)median);
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
    x->section = "Of the first call, medians over cases";
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
            pm_report_format_bytes(&x->cells[i], x->f->verdicts[i]->memory);
    end_row(x, "largest process");
    for (size_t i = 0; i < x->f->count; i++) {
        const double error = error_on(x, x->f->verdicts[i]->target);
        if (error > 0)
            pm_str_addf(&x->cells[i], "%.1e", error);
        else if (!isnan(error))
            pm_str_add(&x->cells[i], "none");
    }
    end_row(x, "largest relative error of a pass");
}

static struct pm_table *facts_of(const struct page_source *source, const struct function *f)
{
    struct facts x = {.source = source, .f = f, .t = pm_table_new("facts", "On each target")};
    x.cells = pm_alloc(f->count * sizeof *x.cells);
    pm_table_matrix(x.t);
    pm_table_column(x.t, "fact", "what", PM_CELL_NAME);
    for (size_t i = 0; i < f->count; i++) {
        char *id = pm_format("target_%zu", i);
        pm_table_column(x.t, id, source->r->targets[f->verdicts[i]->target].text, PM_CELL_MARK);
        free(id);
    }
    for (size_t i = 0; i < f->count; i++)
        pm_str_init(&x.cells[i]);
    add_verdicts(&x);
    add_cases(&x);
    add_clocks(&x);
    add_first_calls(&x);
    add_rest(&x);
    for (size_t i = 0; i < f->count; i++)
        pm_str_release(&x.cells[i]);
    free(x.cells);
    return x.t;
}

/* ---- cases ---------------------------------------------------------------------------------- */

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
    const char *last; /* of the names */
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

/* "rows[float32], rows[float64]" is "rows[float32, float64]". */
static void add_name(struct alike *group, const char *name)
{
    const char *dtype = strrchr(name, '[');
    const bool same = group->last && dtype && group->names.data[group->names.length - 1] == ']' &&
                      !strncmp(group->last, name, (size_t)(dtype - name) + 1);
    if (same) {
        group->names.data[--group->names.length] = '\0';
        pm_str_addf(&group->names, ", %s", dtype + 1);
    } else {
        pm_str_addf(&group->names, "%s%s", group->last ? ", " : "", name);
    }
    group->last = name;
    group->count++;
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
        groups->items[groups->count++] = (struct alike){c, outcomes, PM_STR_INIT, NULL, 0};
    } else {
        pm_str_release(&outcomes);
    }
    add_name(&groups->items[i], c->name);
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

static struct alikes group_cases(const struct page_source *source, const struct function *f)
{
    struct alikes groups = {0};
    for (size_t i = 0; i < f->count; i++) {
        size_t count;
        const struct pm_reading_case *cases = cases_on(source, f, i, &count);
        for (size_t k = 0; k < count; k++)
            if (!was_counted(source->r, f, i, &cases[k]))
                count_case(source->r, f, &cases[k], &groups);
    }
    return groups;
}

static struct pm_table *new_outcomes(const struct page_source *source, const struct function *f)
{
    struct pm_table *t = pm_table_new("outcomes", "Cases");
    pm_table_column(t, "cases", "cases", PM_CELL_COUNT);
    for (size_t i = 0; i < f->count; i++) {
        char *id = pm_format("target_%zu", i);
        pm_table_column(t, id, source->r->targets[f->verdicts[i]->target].text, PM_CELL_WORD);
        free(id);
    }
    pm_table_column(t, "note", "note", PM_CELL_TEXT);
    pm_table_column(t, "names", "names", PM_CELL_TEXT);
    return t;
}

static struct pm_table *outcomes_of(const struct page_source *source, const struct function *f,
                                    int64_t *cases)
{
    struct pm_table *t = new_outcomes(source, f);
    struct alikes groups = group_cases(source, f);
    *cases = 0;
    for (size_t g = 0; g < groups.count; g++) {
        struct alike *group = &groups.items[g];
        *cases += group->count;
        pm_table_count(t, group->count);
        for (size_t i = 0; i < f->count; i++)
            pm_table_text(t, outcome_of(pm_reading_case(source->r, f->verdicts[i]->target, f->name,
                                                        group->first->name)));
        pm_table_text(t, group->first->counts ? "" : "not counted");
        pm_table_text(t, group->names.data);
        pm_str_release(&group->outcomes);
        pm_str_release(&group->names);
    }
    free(groups.items);
    return t;
}

/* ---- messages ------------------------------------------------------------------------------- */

/* Cases that fail in the same way, on any target. */
struct message {
    const struct pm_reading_case *first;
    struct pm_str names, targets;
    int last; /* target that `targets` ends with */
    size_t count;
    bool varies; /* the others have other numbers */
};

struct messages {
    struct message *items;
    size_t count, capacity;
};

enum { MOST_NAMES = 8 }; /* of a message: the table of cases has them all */

static bool fail_alike(const struct pm_reading_case *a, const struct pm_reading_case *b)
{
    return a->outcome == b->outcome && a->stage == b->stage && !strcmp(a->why, b->why) &&
           !strcmp(a->rule, b->rule) && pm_tables__read_alike(a->detail, b->detail);
}

static struct message *message_of(const struct pm_reading_case *c, struct messages *messages)
{
    for (size_t i = 0; i < messages->count; i++)
        if (fail_alike(messages->items[i].first, c))
            return &messages->items[i];
    PM_GROW(messages->items, messages->count, messages->capacity);
    struct message *m = &messages->items[messages->count++];
    *m = (struct message){c, PM_STR_INIT, PM_STR_INIT, -1, 0, false};
    return m;
}

/* The names of the first target on which it is seen: mostly the same cases fail on the others. */
static void count_message(const struct pm_reading *r, const struct pm_reading_case *c,
                          struct message *m)
{
    if (m->last != c->target)
        pm_str_addf(&m->targets, "%s%s", m->targets.length ? ", " : "", r->targets[c->target].text);
    m->last = c->target;
    m->varies |= strcmp(m->first->detail, c->detail) != 0;
    if (c->target != m->first->target)
        return;
    if (m->count++ < MOST_NAMES)
        pm_str_addf(&m->names, "%s%s", m->names.length ? ", " : "", c->name);
}

static void message_row(struct message *m, struct pm_table *t)
{
    if (m->count > MOST_NAMES)
        pm_str_addf(&m->names, " and %zu more", m->count - MOST_NAMES);
    pm_table_text(t, m->first->detail);
    pm_table_text(t, m->targets.data);
    pm_table_text(t, outcome_of(m->first));
    pm_table_text(t, pm_stage_text(m->first->stage));
    pm_table_text(t, m->first->why);
    pm_table_text(t, m->first->rule);
    pm_table_text(t, m->names.data);
    pm_str_release(&m->names);
    pm_str_release(&m->targets);
}

static struct pm_table *messages_of(const struct page_source *source, const struct function *f)
{
    struct pm_table *t = pm_table_new("messages", "Messages");
    struct messages messages = {0};
    pm_table_column(t, "message", "message", PM_CELL_TEXT);
    pm_table_column(t, "targets", "on", PM_CELL_NAME);
    pm_table_column(t, "outcome", "outcome", PM_CELL_WORD);
    pm_table_column(t, "stage", "stage", PM_CELL_NAME);
    pm_table_column(t, "why", "reason", PM_CELL_NAME);
    pm_table_column(t, "rule", "rule", PM_CELL_NAME);
    pm_table_column(t, "names", "cases", PM_CELL_TEXT);
    for (size_t i = 0; i < f->count; i++) {
        size_t count;
        const struct pm_reading_case *cases = cases_on(source, f, i, &count);
        for (size_t k = 0; k < count; k++)
            if (cases[k].outcome != PM_OUTCOME_PASS)
                count_message(source->r, &cases[k], message_of(&cases[k], &messages));
    }
    bool varies = false;
    for (size_t i = 0; i < messages.count; i++) {
        varies |= messages.items[i].varies;
        message_row(&messages.items[i], t);
    }
    if (varies)
        pm_table_note(t, "numbers in a message are those of its first case");
    free(messages.items);
    return t;
}

/* ---- the page ------------------------------------------------------------------------------- */

static void take_filled(struct pm_report *page, struct pm_table *t)
{
    if (pm_table_rows(t))
        pm_report_take_table(page, t);
    else
        pm_table_free(t);
}

static void add_commands(const struct page_source *source, const struct function *f, bool fails,
                         struct pm_report *page)
{
    const char *target = source->r->targets[f->worst->target].text;
    char *explain = pm_format("portmeter explain '%s' --target '%s'%s --output reproducer.py",
                              f->name, target, source->option);
    char *again = pm_format("portmeter run --target '%s' --function '%s'", target, f->name);
    if (fails)
        pm_report_command(page, "reproducer", explain,
                          "writes a script that fails in the same way, without portmeter");
    pm_report_command(page, "again", again, "measures it again");
    free(explain);
    free(again);
}

enum { LONGEST_SUMMARY = 160 }; /* bytes of a message: the page has all of it */

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

struct pm_report *pm_tables__page(const struct page_source *source, const struct function *f)
{
    int64_t cases;
    struct pm_table *outcomes = outcomes_of(source, f, &cases), *messages = messages_of(source, f);
    const size_t message_count = pm_table_rows(messages);
    char *summary = summary_of(f, cases, message_count);
    struct pm_report *page = pm_report_new(summary);
    take_filled(page, messages);
    take_filled(page, facts_of(source, f));
    take_filled(page, outcomes);
    take_filled(page, pm_tables__published(source, f));
    add_commands(source, f, message_count > 0, page);
    free(summary);
    return page;
}
