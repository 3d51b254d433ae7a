/* The tables of a report that answer "which functions run": verdicts, failures, dtypes, canaries.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "stat/stat.h"
#include "tables/kinds.h"

static const double ALPHA = 0.05;

struct tally pm_tables__tally(const struct pm_reading *r, int target, bool study)
{
    struct tally t = {0};
    for (size_t i = 0; i < r->verdict_list.count; i++) {
        const struct pm_reading_verdict *v = &r->verdicts[i];
        if (v->target != target)
            continue;
        t.functions++;
        if (v->host_only && !study && pm_verdict_is_counted(v->verdict))
            t.host_only++;
        else
            t.of[study ? v->verdict_study : v->verdict]++;
    }
    return t;
}

void pm_tables__share_cell(struct pm_table *table, const struct pm_interval *share)
{
    static const double half_a_percent = 0.005;
    if (isnan(share->mid) || (share->low < half_a_percent && share->high > 1 - half_a_percent))
        pm_table_empty(table);
    else
        pm_table_interval(table, share->mid, share->low, share->high);
}

struct pm_interval pm_tables__share(int64_t k, int64_t n)
{
    return pm_stat_wilson((uint64_t)k, (uint64_t)n, ALPHA);
}

static void share_cell(struct pm_table *table, int64_t k, int64_t n)
{
    const struct pm_interval share = pm_tables__share(k, n);
    pm_tables__share_cell(table, &share);
}

static void ratio_cell(struct pm_table *table, const struct pm_reading_statistic *figure)
{
    if (figure)
        pm_table_interval(table, figure->value, figure->low, figure->high);
    else
        pm_table_empty(table);
}

static void summary_row(const struct pm_reading *r, int target, struct pm_table *table)
{
    const struct pm_reading_target *t = &r->targets[target];
    const struct tally n = pm_tables__tally(r, target, false);
    const int64_t works = n.of[PM_VERDICT_SUCCESS], partly = n.of[PM_VERDICT_PARTIAL],
                  fails = n.of[PM_VERDICT_COMPLETE];
    pm_table_text(table, t->text);
    pm_table_count(table, n.functions);
    pm_table_count(table, works);
    pm_table_count(table, partly);
    pm_table_count(table, fails);
    if (pm_reading_is_reference(t))
        pm_table_text(table, "reference");
    else
        share_cell(table, works, works + partly + fails);
    ratio_cell(table, pm_reading_is_reference(t)
                          ? NULL
                          : pm_reading_warm(r, target, "", "", PM_SIZE_SMALL, PM_STATISTIC_RATIO));
    pm_table_count(table, n.host_only);
    pm_table_count(table, n.of[PM_VERDICT_ABSENT]);
    pm_table_count(table, n.of[PM_VERDICT_BROKEN] + n.of[PM_VERDICT_BLOCKED] +
                              n.of[PM_VERDICT_UNTESTED] + n.of[PM_VERDICT_NOT_MEASURED]);
}

/* What the row of a target does not say: cases that its reference fails, and that each case ran in
 * one process only. */
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
                  "%s: %lld case%s not counted, because %s on the reference (--table excluded)",
                  t->text, (long long)excluded, excluded == 1 ? " is" : "s are",
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

static struct pm_table *summary_of(const struct pm_reading *r, bool executed, const char *id,
                                   const char *title)
{
    struct pm_table *t = pm_table_new(id, title);
    pm_table_column(t, "target", "target", PM_CELL_NAME);
    pm_table_column(t, "functions", "functions", PM_CELL_COUNT);
    pm_table_column(t, "works", "works", PM_CELL_COUNT);
    pm_table_column(t, "partly", "partly", PM_CELL_COUNT);
    pm_table_column(t, "fails", "fails", PM_CELL_COUNT);
    pm_table_column(t, "share", "working share", PM_CELL_SHARE);
    pm_table_intervals(t);
    pm_table_column(t, "ratio", "ratio to reference", PM_CELL_RATIO);
    pm_table_intervals(t);
    pm_table_column(t, "host_only", "host-only", PM_CELL_COUNT);
    pm_table_column(t, "absent", "absent", PM_CELL_COUNT);
    pm_table_column(t, "uncounted", "not counted", PM_CELL_COUNT);
    for (size_t i = 0; i < r->target_list.count; i++) {
        if (pm_reading_is_oracle(&r->targets[i]) ||
            (r->targets[i].evidence == PM_EVIDENCE_EXECUTED) != executed)
            continue;
        summary_row(r, (int)i, t);
        summary_notes(r, (int)i, t);
    }
    return t;
}

void pm_tables__add_summary(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *shapes =
        summary_of(r, false, "shapes", "Targets that execute nothing (shape only, lowered)");
    pm_tables__take(r, report, summary_of(r, true, "summary", "Which functions run"));
    if (pm_table_rows(shapes))
        pm_report_take_table(report, shapes);
    else
        pm_table_free(shapes);
}

/* Table 1 by the study's rules: fallback passes, blocked fails, host-only functions count. */
void pm_tables__add_study_way(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("study", "Verdicts by the study's counting rules");
    pm_table_column(t, "target", "target", PM_CELL_NAME);
    pm_table_column(t, "functions", "functions", PM_CELL_COUNT);
    pm_table_column(t, "success", "success", PM_CELL_SHARE);
    pm_table_intervals(t);
    pm_table_column(t, "partial", "partial failure", PM_CELL_SHARE);
    pm_table_intervals(t);
    pm_table_column(t, "complete", "complete failure", PM_CELL_SHARE);
    pm_table_intervals(t);
    for (size_t i = 0; i < r->target_list.count; i++) {
        const struct pm_reading_target *target = &r->targets[i];
        if (pm_reading_is_oracle(target) || pm_reading_is_reference(target) ||
            target->evidence != PM_EVIDENCE_EXECUTED)
            continue;
        const struct tally n = pm_tables__tally(r, (int)i, true);
        const int64_t all =
            n.of[PM_VERDICT_SUCCESS] + n.of[PM_VERDICT_PARTIAL] + n.of[PM_VERDICT_COMPLETE];
        pm_table_text(t, target->text);
        pm_table_count(t, all);
        share_cell(t, n.of[PM_VERDICT_SUCCESS], all);
        share_cell(t, n.of[PM_VERDICT_PARTIAL], all);
        share_cell(t, n.of[PM_VERDICT_COMPLETE], all);
    }
    pm_table_note(
        t, "a fallback to the host passes, a blocked case fails, and host-only functions count");
    pm_tables__take(r, report, t);
}

/* ---- functions not counted ------------------------------------------------------------------
 */

void pm_tables__add_uncounted(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("uncounted", "Functions not counted, and why");
    pm_table_column(t, "target", "target", PM_CELL_NAME);
    pm_table_column(t, "function", "function", PM_CELL_NAME);
    pm_table_column(t, "verdict", "verdict", PM_CELL_WORD);
    pm_table_column(t, "reason", "reason", PM_CELL_TEXT);
    if (!r->for_people)
        pm_table_column(t, "study", "stratum in the study's sample", PM_CELL_TEXT);
    pm_table_group(t);
    for (size_t i = 0; i < r->verdict_list.count; i++) {
        const struct pm_reading_verdict *v = &r->verdicts[i];
        const bool counted = pm_verdict_is_counted(v->verdict);
        if (counted && (!v->host_only || pm_reading_is_reference(&r->targets[v->target])))
            continue;
        pm_table_text(t, r->targets[v->target].text);
        pm_tables__function_cell(r, v->function, t);
        if (v->host_only && counted) {
            char *words = pm_format("host-only, %s", pm_verdict_text(v->verdict));
            pm_table_text(t, words);
            pm_table_text(t, *v->detail ? v->detail : "has no inputs or outputs on the device");
            free(words);
        } else {
            pm_table_text(t, pm_verdict_text(v->verdict));
            pm_table_text(t, v->detail);
        }
        if (!r->for_people)
            pm_table_text(t, pm_tables__stratum(r, v->function));
    }
    pm_tables__note_study(r, t);
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

/* By the cases that count, so that a row agrees with the verdict of its function. */
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

/* The columns: one for each dtype, and one for cases without a list of dtypes. */
enum { NO_DTYPE = PM_DTYPE_COUNT, DTYPE_COLUMNS };

static unsigned dtype_column(const struct pm_reading_judgement *j)
{
    enum pm_dtype dtype;
    return pm_dtype_parse(j->dtype, &dtype) ? (unsigned)dtype : NO_DTYPE;
}

/* The judgements from `first` on that belong to one function on one target. */
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
    pm_table_text(table, head->function);
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
    pm_table_column(table, "function", "function", PM_CELL_NAME);
    for (unsigned d = 0; d < DTYPE_COLUMNS; d++)
        if (used[d])
            pm_table_column(table, d == NO_DTYPE ? "no_dtype" : pm_dtype_name(d), short_names[d],
                            PM_CELL_MARK);
}

/* The matrix of a reference is shown only if there is no other. */
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

/* ---- canaries ---- */

void pm_tables__add_canaries(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("canaries", "Self-check: planted faults and their detection");
    pm_table_column(t, "target", "target", PM_CELL_NAME);
    pm_table_column(t, "canary", "planted fault", PM_CELL_NAME);
    pm_table_column(t, "expected", "expected", PM_CELL_WORD);
    pm_table_column(t, "observed", "observed", PM_CELL_WORD);
    pm_table_column(t, "detected", "detected", PM_CELL_MARK);
    pm_table_column(t, "detail", "detail", PM_CELL_TEXT);
    for (size_t i = 0; i < r->canary_list.count; i++) {
        const struct pm_reading_canary *c = &r->canaries[i];
        pm_table_text(t, r->targets[c->target].text);
        pm_table_text(t, c->name);
        pm_table_text(t, pm_outcome_text(c->expected));
        pm_table_text(t, pm_observation_text(c->observed));
        pm_table_text(t, c->observed == PM_OBSERVED_LEFT_OUT ? "-" : c->as_expected ? "yes" : "NO");
        pm_table_text(t, c->detail);
    }
    pm_tables__take(r, report, t);
}

/* ---- targets ------------------------------------------------------------------------------- */

/* "tf32_cudnn=true, governor=performance"; the caller frees it. */
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

/* "tf32_cudnn, bf16_reduction", or "none"; "" where the driver did not say. The caller frees it. */
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

static void add_modes(struct pm_table *t, const char *numeric)
{
    json_t *modes = json_loads(numeric, 0, NULL);
    char *fast = fast_text(modes), *all = modes_text(modes);
    pm_table_text(t, fast);
    pm_table_text(t, all);
    free(fast);
    free(all);
    json_decref(modes);
}

void pm_tables__add_targets(const struct pm_reading *r, struct pm_report *report)
{
    struct pm_table *t = pm_table_new("targets", "Targets");
    pm_table_column(t, "target", "target", PM_CELL_NAME);
    pm_table_column(t, "run", "run", PM_CELL_COUNT);
    pm_table_column(t, "started", "started", PM_CELL_TEXT);
    pm_table_column(t, "role", "role", PM_CELL_WORD);
    pm_table_column(t, "framework", "framework", PM_CELL_TEXT);
    pm_table_column(t, "version", "version", PM_CELL_TEXT);
    pm_table_column(t, "python", "Python", PM_CELL_TEXT);
    pm_table_column(t, "device", "device", PM_CELL_TEXT);
    pm_table_column(t, "driver", "driver", PM_CELL_TEXT);
    pm_table_column(t, "fast", "fast numeric modes", PM_CELL_TEXT);
    pm_table_column(t, "modes", "modes and settings", PM_CELL_TEXT);
    for (size_t i = 0; i < r->target_list.count; i++) {
        const struct pm_reading_target *target = &r->targets[i];
        pm_table_text(t, target->text);
        pm_table_count(t, r->runs[target->run].id);
        pm_table_text(t, r->runs[target->run].started);
        pm_table_text(t, pm_role_text(target->role));
        pm_table_text(t, target->framework);
        pm_table_text(t, target->version);
        pm_table_text(t, target->python);
        pm_table_text(t, target->device_name);
        pm_table_text(t, target->driver_version);
        add_modes(t, target->numeric);
    }
    pm_tables__take(r, report, t);
}
