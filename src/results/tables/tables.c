/* Counts verdicts, and makes the tables of verdicts by target, of functions and cases not counted,
 * of dtypes, of planted faults, and of targets. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/plural.h"
#include "tables/kinds.h"
#include "tables/shared_cells.h"

/* Adds a verdict to the counts. `case_share` is a sum until pm_tables__tally() divides it. */
static void add_verdict(struct tally *t, const struct pm_reading_verdict *v,
                        enum pm_verdict verdict)
{
    t->of[verdict]++;
    t->counted += pm_verdict_is_counted(verdict);
    t->working += pm_verdict_is_working(verdict);
    t->impossible += pm_reading_is_impossible(v) && !pm_verdict_is_working(verdict);
    if (pm_verdict_is_counted(verdict) && v->counted)
        t->case_share += (double)v->passed / (double)v->counted;
}

struct tally pm_tables__tally(const struct pm_reading *r, int target, bool paper)
{
    struct tally t = {0};
    for (size_t i = 0; i < r->verdict_list.count; i++) {
        const struct pm_reading_verdict *v = &r->verdicts[i];
        if (v->target != target)
            continue;
        t.functions++;
        if (v->host_only && !paper && pm_verdict_is_counted(v->verdict))
            t.host_only++;
        else
            add_verdict(&t, v, paper ? v->verdict_paper : v->verdict);
    }
    t.share = t.counted ? (double)t.working / (double)t.counted : NAN;
    const int64_t possible = t.counted - t.impossible;
    t.possible_share = possible ? (double)t.working / (double)possible : NAN;
    t.case_share = t.counted ? t.case_share / (double)t.counted : NAN;
    return t;
}

struct pm_tables__verb pm_tables__verb(const struct pm_reading *r, int target)
{
    static const struct pm_tables__verb verbs[PM_EVIDENCE_COUNT] = {
        [PM_EVIDENCE_EXECUTED] = {"works", "work"},
        [PM_EVIDENCE_LOWERED] = {"can be lowered", "can be lowered"},
        [PM_EVIDENCE_SHAPE_ONLY] = {"has shapes", "have shapes"},
    };
    return verbs[r->targets[target].evidence];
}

/* ---- verdicts by target --------------------------------------------------------------------- */

struct summary {
    int target;
    const struct pm_reading_statistic *ratio; /* NULL: none */
    struct tally n;
    int64_t not_counted;
};

static void share_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct summary *s = from->row;
    const struct pm_reading *r = from->context;
    if (pm_reading_is_reference(&r->targets[s->target]))
        pm_table_text(table, "reference");
    else
        pm_table_number(table, s->n.share);
}

/* Prints the share of possible functions even if it equals the share of all functions, because
 * readers look for both. */
static void possible_share_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct summary *s = from->row;
    const struct pm_reading *r = from->context;
    pm_table_number(table,
                    pm_reading_is_reference(&r->targets[s->target]) ? NAN : s->n.possible_share);
}

static void ratio_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct summary *s = from->row;
    pm_tables__statistic_cell(table, s->ratio);
}

static const struct pm_column summary_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct summary, target)},
    {"functions", "functions", PM_CELL_COUNT, PM_MEMBER(struct summary, n.functions)},
    {"works", "works", PM_CELL_COUNT, PM_MEMBER(struct summary, n.of[PM_VERDICT_WORKS])},
    {"limits", "with limits", PM_CELL_COUNT, PM_MEMBER(struct summary, n.of[PM_VERDICT_LIMITS])},
    {"partly", "partly", PM_CELL_COUNT, PM_MEMBER(struct summary, n.of[PM_VERDICT_PARTLY])},
    {"fails", "fails", PM_CELL_COUNT, PM_MEMBER(struct summary, n.of[PM_VERDICT_FAILS])},
    {"share", "working share", PM_CELL_SHARE, .cell = share_cell},
    {"possible_share", "of those possible", PM_CELL_SHARE, .cell = possible_share_cell},
    {"mean_case_share", "cases passing on average", PM_CELL_SHARE,
     PM_MEMBER(struct summary, n.case_share)},
    {"ratio", "ratio to reference", PM_CELL_RATIO, .cell = ratio_cell, .intervals = true},
    {"host_only", "host-only", PM_CELL_COUNT, PM_MEMBER(struct summary, n.host_only)},
    {"absent", "absent", PM_CELL_COUNT, PM_MEMBER(struct summary, n.of[PM_VERDICT_ABSENT])},
    {"not_counted", "not counted", PM_CELL_COUNT, PM_MEMBER(struct summary, not_counted)},
};

static void summary_row(const struct pm_reading *r, int target, struct pm_table *table)
{
    struct summary s = {.target = target, .n = pm_tables__tally(r, target, false)};
    if (pm_reading_is_reference(&r->targets[target]))
        s.n.case_share = NAN; /* on a reference, every counted case passes */
    else
        s.ratio = pm_reading_warm(r, target, "", "", PM_SIZE_SMALL, PM_STATISTIC_RATIO);
    s.not_counted = s.n.of[PM_VERDICT_REFERENCE_FAILS] + s.n.of[PM_VERDICT_BLOCKED] +
                    s.n.of[PM_VERDICT_UNTESTED] + s.n.of[PM_VERDICT_NOT_MEASURED];
    pm_table_row(table, &s, r);
}

/* Adds notes on facts that the row of a target does not show: how many cases fail on its reference,
 * and whether each case ran in only one process. */
static void summary_notes(const struct pm_reading *r, int target, struct pm_table *table)
{
    const struct pm_reading_target *t = &r->targets[target];
    int64_t excluded = 0, counted = 0, again = 0;
    for (size_t i = 0; i < r->case_list.count; i++) {
        const struct pm_reading_case *c = &r->cases[i];
        if (c->target != target)
            continue;
        excluded += pm_reading_is_excluded(r, c);
        counted += c->counts;
        again += c->repetitions > 1;
    }
    char *notes[] = {
        excluded
            ? pm_format(
                  "%s: %lld case%s not counted, because %s on the reference (--table not_counted)",
                  t->text, (long long)excluded, pm_plural_are(excluded),
                  excluded == 1 ? "it fails" : "they fail")
            : NULL,
        counted && !again ? pm_format("%s: each case ran in only one process, so a case that fails "
                                      "only sometimes may have passed",
                                      t->text)
                          : NULL,
    };
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        if (notes[i])
            pm_table_note(table, notes[i]);
        free(notes[i]);
    }
}

static const struct summary_kind {
    enum pm_evidence evidence;
    const char *id, *title, *works, *share; /* the last two: headings */
} summary_kinds[] = {
    {PM_EVIDENCE_EXECUTED, "summary", "Which functions run", "works", "working share"},
    {PM_EVIDENCE_LOWERED, "lowered", "Which functions can be lowered (nothing is executed)",
     "can be lowered", "share that can be lowered"},
    {PM_EVIDENCE_SHAPE_ONLY, "shapes", "Which functions have shapes (nothing is executed)",
     "have shapes", "share that has shapes"},
};

static struct pm_table *summary_of(const struct pm_reading *r, const struct summary_kind *kind)
{
    struct pm_table *t = pm_table_new(kind->id, kind->title);
    pm_table_columns(t, summary_columns, r->for_people);
    pm_table_heading(t, "works", kind->works);
    pm_table_heading(t, "share", kind->share);
    for (size_t i = 0; i < r->target_list.count; i++) {
        if (pm_reading_is_oracle(&r->targets[i]) || r->targets[i].evidence != kind->evidence)
            continue;
        summary_row(r, (int)i, t);
        summary_notes(r, (int)i, t);
    }
    return t;
}

void pm_tables__add_summary(const struct pm_reading *r, struct pm_report *report)
{
    for (size_t i = 0; i < sizeof summary_kinds / sizeof *summary_kinds; i++) {
        struct pm_table *t = summary_of(r, &summary_kinds[i]);
        if (pm_table_rows(t) || (r->shows_empty && !i))
            pm_report_take_table(report, t);
        else
            pm_table_free(t);
    }
}

struct paper_summary {
    int target;
    int64_t functions;
    int64_t of[PM_VERDICT_COUNT];
};

static void paper_share_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct paper_summary *s = from->row;
    const void *count = (const char *)from->row + from->column->offset;
    const double functions = (double)s->functions;
    pm_table_number(table, s->functions ? (double)*(const int64_t *)count / functions : NAN);
}

#define PAPER_SHARE(verdict)                                                                       \
    PM_CELL_SHARE, PM_MEMBER(struct paper_summary, of[verdict]), .cell = paper_share_cell

static const struct pm_column paper_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct paper_summary, target)},
    {"functions", "functions", PM_CELL_COUNT, PM_MEMBER(struct paper_summary, functions)},
    {"works", "works", PAPER_SHARE(PM_VERDICT_WORKS)},
    {"partly", "partly", PAPER_SHARE(PM_VERDICT_PARTLY)},
    {"fails", "fails", PAPER_SHARE(PM_VERDICT_FAILS)},
};

/* Adds the verdicts by the paper's counting rules, which the note of the table states. */
void pm_tables__add_paper_way(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("paper", "Verdicts by the paper's counting rules");
    pm_table_columns(t, paper_columns, r->for_people);
    for (size_t i = 0; i < r->target_list.count; i++) {
        const struct pm_reading_target *target = &r->targets[i];
        if (pm_reading_is_oracle(target) || pm_reading_is_reference(target) ||
            target->evidence != PM_EVIDENCE_EXECUTED)
            continue;
        const struct tally n = pm_tables__tally(r, (int)i, true);
        struct paper_summary s = {.target = (int)i};
        memcpy(s.of, n.of, sizeof s.of);
        s.functions = n.counted;
        pm_table_row(t, &s, r);
    }
    pm_table_note(
        t, "a fallback to the host passes, a blocked case fails, and host-only functions count");
    pm_tables__take(r, report, t);
}

/* ---- what is not counted -------------------------------------------------------------------- */

static void not_counted_function_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct not_counted *row = from->row;
    pm_tables__function_cell(from->context, row->function, table);
}

static void stratum_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct not_counted *row = from->row;
    pm_table_text(table, pm_tables__stratum(from->context, row->function));
}

static const struct pm_column not_counted_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct not_counted, target)},
    {"function", "function", PM_CELL_NAME, .cell = not_counted_function_cell},
    {"case", "case", PM_CELL_NAME, PM_MEMBER(struct not_counted, name)},
    {"result", "verdict or outcome", PM_CELL_WORD, PM_MEMBER(struct not_counted, result)},
    {"why_not", "why not", PM_CELL_TEXT, PM_MEMBER(struct not_counted, why_not)},
    {"message", "message", PM_CELL_TEXT, PM_MEMBER(struct not_counted, message)},
    {"paper", "stratum in the paper's sample", PM_CELL_TEXT, .cell = stratum_cell,
     .only = PM_FOR_PROGRAMS},
};

static const char *why_function_is_not_counted(const struct pm_reading_verdict *v)
{
    static const char *const why[] = {
        [PM_VERDICT_WORKS] = "it has no inputs or outputs on the device",
        [PM_VERDICT_LIMITS] = "it has no inputs or outputs on the device",
        [PM_VERDICT_PARTLY] = "it has no inputs or outputs on the device",
        [PM_VERDICT_FAILS] = "it has no inputs or outputs on the device",
        [PM_VERDICT_ABSENT] = "it does not exist in this version",
        [PM_VERDICT_REFERENCE_FAILS] = "its core cases fail on the reference",
        [PM_VERDICT_BLOCKED] = "its core cases cannot start, or their checks raise exceptions",
        [PM_VERDICT_UNTESTED] = "it has no core case that can be counted here",
        [PM_VERDICT_NOT_MEASURED] = "it was not measured, or its reference was not",
    };
    return why[v->verdict];
}

static void not_counted_functions(const struct pm_reading *r, struct pm_table *table)
{
    for (size_t i = 0; i < r->verdict_list.count; i++) {
        const struct pm_reading_verdict *v = &r->verdicts[i];
        const bool counted = pm_verdict_is_counted(v->verdict);
        if (counted && !(v->host_only && !pm_reading_is_reference(&r->targets[v->target])))
            continue;
        char *result = pm_format("%s%s", counted ? "host-only, " : "", pm_verdict_text(v->verdict));
        const struct not_counted row = {.target = v->target,
                                        .function = v->function,
                                        .name = "",
                                        .result = result,
                                        .why_not = why_function_is_not_counted(v),
                                        .message = v->detail};
        pm_table_row(table, &row, r);
        free(result);
    }
}

void pm_tables__add_not_counted(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("not_counted", "Functions and cases not counted");
    pm_table_columns(t, not_counted_columns, r->for_people);
    pm_table_group(t);
    not_counted_functions(r, t);
    pm_tables__reference_failures(r, t);
    pm_tables__not_counted_failures(r, t);
    pm_tables__note_paper(r, t);
    pm_tables__take(r, report, t);
}

/* ---- functions by dtype ---- */

struct tick {
    unsigned pass, fail, other;
};

static const char *mark_of(const struct tick *tick)
{
    if (!tick->pass && !tick->fail)
        return tick->other ? "-" : "";
    return !tick->fail ? "pass" : tick->pass ? "part" : "FAIL";
}

/* Marks the dtypes by the cases that count, so that a row agrees with the verdict of its
 * function. */
static void tick_off(struct tick *tick, const struct pm_reading_judgement *j)
{
    if (!j->case_counts || j->outcome == PM_OUTCOME_NOT_APPLICABLE ||
        j->outcome == PM_OUTCOME_HARNESS)
        tick->other++;
    else if (j->outcome == PM_OUTCOME_PASS)
        tick->pass++;
    else
        tick->fail++;
}

/* The columns: one for each dtype, and one for cases without a dtype. */
enum { NO_DTYPE = PM_DTYPE_COUNT, DTYPE_COLUMNS };

static unsigned dtype_column(const struct pm_reading_judgement *j)
{
    enum pm_dtype dtype;
    return pm_dtype_parse(j->dtype, &dtype) ? (unsigned)dtype : NO_DTYPE;
}

/* The first column. A column for each dtype in use follows. */
static const struct pm_column dtype_columns[] = {
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct pm_reading_judgement, function)},
};

/* Adds a row for the judgements of one function on one target. Their first index is `first`.
 * Returns the index after the last of them. */
static size_t dtype_row(const struct pm_reading *r, size_t first, const bool *used,
                        struct pm_table *table)
{
    struct tick ticks[DTYPE_COLUMNS] = {{0}};
    const struct pm_reading_judgement *head = &r->judgements[first];
    size_t i = first;
    for (; i < r->judgement_list.count; i++) {
        const struct pm_reading_judgement *j = &r->judgements[i];
        if (j->target != head->target || strcmp(j->function, head->function))
            break;
        tick_off(&ticks[dtype_column(j)], j);
    }
    pm_table_row(table, head, NULL);
    for (unsigned d = 0; d < DTYPE_COLUMNS; d++)
        if (used[d])
            pm_table_text(table, mark_of(&ticks[d]));
    return i;
}

static void add_dtype_columns(struct pm_table *table, const bool *used)
{
    static const char *const short_names[] = {"bool", "i8",  "i16",  "i32",     "i64",  "u8",
                                              "u16",  "u32", "u64",  "f16",     "bf16", "f32",
                                              "f64",  "c64", "c128", "no dtype"};
    _Static_assert(sizeof short_names / sizeof *short_names == DTYPE_COLUMNS,
                   "each column has a name");
    pm_table_columns(table, dtype_columns, true);
    for (unsigned d = 0; d < DTYPE_COLUMNS; d++)
        if (used[d])
            pm_table_column(table, d == NO_DTYPE ? "no_dtype" : pm_dtype_name(d), short_names[d],
                            PM_CELL_MARK);
}

/* Returns whether to show the matrix of a target: that of a reference is shown only if there are no
 * subjects. */
static bool shows_dtypes(const struct pm_reading *r, int target)
{
    bool subjects = false;
    for (size_t i = 0; i < r->target_list.count; i++)
        subjects |= r->targets[i].role == PM_ROLE_SUBJECT;
    const struct pm_reading_target *t = &r->targets[target];
    return subjects ? t->role == PM_ROLE_SUBJECT : !pm_reading_is_oracle(t);
}

void pm_tables__add_dtypes(const struct pm_reading *r, struct pm_report *report)
{
    bool used[DTYPE_COLUMNS] = {false}, shown = false;
    for (size_t i = 0; i < r->judgement_list.count; i++)
        used[dtype_column(&r->judgements[i])] = true;
    for (size_t i = 0; i < r->judgement_list.count;) {
        const int target = r->judgements[i].target;
        char *title = pm_format("Functions by dtype on %s", r->targets[target].text);
        struct pm_table *t = pm_table_new("dtypes", title);
        pm_table_about(t, "target", r->targets[target].text);
        add_dtype_columns(t, used);
        while (i < r->judgement_list.count && r->judgements[i].target == target)
            i = dtype_row(r, i, used, t);
        pm_table_note(t, "part: some cases pass; -: no case is counted; empty: no case");
        if (pm_table_rows(t) && shows_dtypes(r, target)) {
            pm_report_take_table(report, t);
            shown = true;
        } else {
            pm_table_free(t);
        }
        free(title);
    }
    if (!shown)
        pm_tables__take(r, report, pm_table_new("dtypes", "Functions by dtype"));
}

/* ---- planted faults ---- */

static void detected_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_reading_planted_fault *c = from->row;
    pm_table_text(table, c->observed == PM_OBSERVED_DOES_NOT_APPLY ? "-"
                         : c->as_expected                          ? "yes"
                                                                   : "NO");
}

static const struct pm_column planted_fault_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_TABLES__TARGET(struct pm_reading_planted_fault, target)},
    {"planted_fault", "planted fault", PM_CELL_NAME,
     PM_MEMBER(struct pm_reading_planted_fault, name)},
    {"expected", "expected", PM_CELL_WORD,
     PM_WORD(struct pm_reading_planted_fault, expected, outcome)},
    {"observed", "observed", PM_CELL_WORD,
     PM_WORD(struct pm_reading_planted_fault, observed, observation)},
    {"detected", "detected", PM_CELL_MARK, .cell = detected_cell},
    {"detail", "detail", PM_CELL_TEXT, PM_MEMBER(struct pm_reading_planted_fault, detail)},
};

void pm_tables__add_planted_faults(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t =
        pm_table_new("planted_faults", "Self-check: planted faults and their detection");
    pm_table_columns(t, planted_fault_columns, r->for_people);
    for (size_t i = 0; i < r->planted_fault_list.count; i++)
        pm_table_row(t, &r->planted_faults[i], r);
    pm_tables__take(r, report, t);
}

/* ---- targets ------------------------------------------------------------------------------- */

/* Returns a text such as "tf32_cudnn=true, governor=performance"; the caller frees it. */
static char *modes_text(const json_t *modes)
{
    struct pm_str out = PM_STR_INIT;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)modes, name, value) {
        if (!strcmp(name, PM_NUMERIC_FAST))
            continue;
        pm_str_addf(&out, "%s%s=", out.length ? ", " : "", name);
        char *text =
            json_is_string(value) ? pm_strdup(json_string_value(value)) : pm_json_text(value);
        pm_str_add(&out, text);
        free(text);
    }
    return pm_str_detach(&out);
}

/* Returns a text such as "tf32_cudnn, bf16_reduction", or "none"; "" if the driver reported no
 * list. The caller frees the text. */
static char *fast_text(const json_t *modes)
{
    struct pm_str out = PM_STR_INIT;
    const json_t *fast = json_object_get(modes, PM_NUMERIC_FAST), *name;
    size_t i;
    json_array_foreach(fast, i, name)
        pm_str_addf(&out, "%s%s", i ? ", " : "",
                    json_is_string(name) ? json_string_value(name) : "?");
    if (json_is_array(fast) && !out.length)
        pm_str_add(&out, "none");
    return pm_str_detach(&out);
}

static void numeric_cell(struct pm_table *table, const struct pm_cell_source *from,
                         char *text_of(const json_t *modes))
{
    const struct pm_reading_target *target = from->row;
    json_t *modes = json_loads(target->numeric, 0, NULL);
    char *text = text_of(modes);
    pm_table_text(table, text);
    free(text);
    json_decref(modes);
}

static void fast_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    numeric_cell(table, from, fast_text);
}

static void modes_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    numeric_cell(table, from, modes_text);
}

static void run_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_reading_target *target = from->row;
    const struct pm_reading *r = from->context;
    pm_table_count(table, r->runs[target->run].id);
}

static void started_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_reading_target *target = from->row;
    const struct pm_reading *r = from->context;
    pm_table_text(table, r->runs[target->run].started);
}

static const struct pm_column target_columns[] = {
    {"target", "target", PM_CELL_NAME, PM_MEMBER(struct pm_reading_target, text)},
    {"run", "run", PM_CELL_COUNT, .cell = run_cell},
    {"started", "started", PM_CELL_TEXT, .cell = started_cell},
    {"role", "role", PM_CELL_WORD, PM_WORD(struct pm_reading_target, role, role)},
    {"framework", "framework", PM_CELL_TEXT, PM_MEMBER(struct pm_reading_target, framework)},
    {"version", "version", PM_CELL_TEXT, PM_MEMBER(struct pm_reading_target, version)},
    {"python", "Python", PM_CELL_TEXT, PM_MEMBER(struct pm_reading_target, python)},
    {"device", "device", PM_CELL_TEXT, PM_MEMBER(struct pm_reading_target, device_name)},
    {"driver", "driver", PM_CELL_TEXT, PM_MEMBER(struct pm_reading_target, driver_version)},
    {"fast", "fast numeric modes", PM_CELL_TEXT, .cell = fast_cell},
    {"numeric_modes", "numeric modes and settings", PM_CELL_TEXT, .cell = modes_cell},
};

void pm_tables__add_targets(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("targets", "Targets");
    pm_table_columns(t, target_columns, r->for_people);
    for (size_t i = 0; i < r->target_list.count; i++)
        pm_table_row(t, &r->targets[i], r);
    pm_tables__take(r, report, t);
}
