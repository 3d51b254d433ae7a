/* Makes tables in the form of the paper's tables 1 to 8, and a table that shows the paper's
 * latencies beside measured ratios. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "paper/paper_private.h"
#include "report/table_columns.h"

static struct pm_table *new_table(const struct pm_paper_making *m, const char *title)
{
    char *id = pm_format("paper_%s", m->number);
    char *whole = pm_format("Table %s in the form of the paper: %s", m->number, title);
    struct pm_table *table = pm_table_new(id, whole);
    free(id);
    free(whole);
    return table;
}

static void take(const struct pm_paper_making *m, struct pm_table *table)
{
    pm_report_take_table(m->report, table);
}

/* ---- 1, 3, 8: what works and fails ---- */

static bool has_generations(const struct pm_paper *s, size_t side)
{
    const struct pm_side *one = &s->items[side];
    for (size_t i = 0; i < s->count; i++)
        if (i != side && !strcmp(pm_paper__framework(&s->items[i]), pm_paper__framework(one)) &&
            (s->named || !strcmp(pm_paper__device(&s->items[i]), pm_paper__device(one))))
            return true;
    return false;
}

/* Returns the labels in the order of the sides, each once. With `generations`, omits sides without
 * another generation. The caller frees the array. */
static const char **labels_of(const struct pm_paper *s, bool generations, size_t *count)
{
    const char **labels = pm_alloc((s->count + 1) * sizeof *labels);
    *count = 0;
    for (size_t i = 0; i < s->count; i++) {
        bool known = generations && !has_generations(s, i);
        for (size_t k = 0; k < *count; k++)
            known |= !strcmp(labels[k], s->labels[i]);
        if (!known)
            labels[(*count)++] = s->labels[i];
    }
    return labels;
}

static const struct pm_side *find_side(const struct pm_paper *s, const char *framework,
                                       const char *label)
{
    for (size_t i = 0; i < s->count; i++)
        if (!strcmp(pm_paper__framework(&s->items[i]), framework) && !strcmp(s->labels[i], label))
            return &s->items[i];
    return NULL;
}

/* Adds a column; the id of "cuda:1 partly" is "cuda_1_partly". */
static void add_column(struct pm_table *t, const char *label, const char *what,
                       enum pm_cell_kind kind)
{
    char *heading = pm_format("%s %s", label, what), *id = pm_strdup(heading);
    for (char *c = id; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    pm_table_column(t, id, heading, kind);
    free(heading);
    free(id);
}

/* The paper's order of columns in tables 1 and 3. In table 8, the working functions come last. */
static const char *const outcomes[] = {"works", "partly", "fails"};
enum { OUTCOMES = sizeof outcomes / sizeof *outcomes };
static const size_t in_table_8[OUTCOMES] = {1, 2, 0};

static void outcome_cells(struct pm_table *t, const struct pm_side *side, bool counts)
{
    const struct pm_paper_tally n =
        side ? pm_paper__tally(side, NULL, PM_PAPER_ANY) : (struct pm_paper_tally){0};
    const size_t of[OUTCOMES] = {n.works, n.partly, n.fails}, whole = pm_paper__whole(&n);
    for (size_t i = 0; i < OUTCOMES; i++) {
        const size_t k = of[counts ? in_table_8[i] : i];
        if (!whole) {
            pm_table_empty(t);
        } else if (counts) {
            char *text = pm_format("%zu/%zu", k, whole);
            pm_table_text(t, text);
            free(text);
        } else {
            pm_table_number(t, (double)k / (double)whole);
        }
    }
}

static void note_sides(const struct pm_paper *s, struct pm_table *t)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct pm_changes_side *c = &s->items[i].compared;
        char *note = s->imported ? pm_format("%s: %s, imported as run %lld", s->labels[i],
                                             c->target, (long long)c->run)
                                 : pm_format("%s: %s, %s %s, run %lld", s->labels[i], c->target,
                                             c->framework, c->version, (long long)c->run);
        pm_table_note(t, note);
        free(note);
    }
}

/* Adds a note about the frameworks that have only one side. */
static void note_single(const struct pm_paper *s, struct pm_table *t)
{
    for (size_t i = 0; i < s->count; i++) {
        bool alone = true;
        for (size_t k = 0; k < s->count; k++)
            alone &= k == i ||
                     strcmp(s->items[k].compared.framework, s->items[i].compared.framework) != 0;
        if (!alone)
            continue;
        char *note = pm_format("%s has only one target (%s), so there is nothing to compare",
                               pm_paper__framework(&s->items[i]), s->items[i].compared.target);
        pm_table_note(t, note);
        free(note);
    }
}

/* Sets the first cell of a row. from->row is the name of the framework. */
static void framework_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    pm_table_text(table, from->row);
}

static const struct pm_column outcome_columns[] = {
    {"framework", "framework", PM_CELL_NAME, .cell = framework_cell},
};

static int add_outcomes(const struct pm_paper_making *m, const char *title, bool generations,
                        bool counts)
{
    size_t labels, frameworks;
    const char **label = labels_of(m->s, generations, &labels);
    const char **framework = pm_paper__frameworks(m->s, &frameworks);
    struct pm_table *t = new_table(m, title);
    pm_table_columns(t, outcome_columns, true);
    for (size_t i = 0; i < labels; i++)
        for (size_t k = 0; k < OUTCOMES; k++)
            add_column(t, label[i], outcomes[counts ? in_table_8[k] : k],
                       counts ? PM_CELL_COUNT : PM_CELL_SHARE);
    for (size_t i = 0; i < frameworks; i++) {
        bool any = false;
        for (size_t k = 0; k < labels; k++)
            any |= find_side(m->s, framework[i], label[k]) != NULL;
        if (!any)
            continue;
        pm_table_row(t, framework[i], NULL);
        for (size_t k = 0; k < labels; k++)
            outcome_cells(t, find_side(m->s, framework[i], label[k]), counts);
    }
    pm_table_note(t, m->s->imported
                         ? "by the reports alone: a function is a file of tests, and works if none "
                           "of its tests fails; functions without a report are not counted"
                         : "by the paper's counting rules: a fallback to the host passes, a "
                           "blocked case fails, and host-only functions count");
    note_sides(m->s, t);
    note_single(m->s, t);
    take(m, t);
    free(label);
    free(framework);
    return PM_OK;
}

static int add_table_1(const struct pm_paper_making *m)
{
    return add_outcomes(m, "functions that work, work partly and fail", false, false);
}

static int add_table_3(const struct pm_paper_making *m)
{
    return add_outcomes(m, "functions that work, work partly and fail on generations of a device",
                        true, false);
}

static int add_table_8(const struct pm_paper_making *m)
{
    return add_outcomes(m, "functions that work, work partly and fail, as counts", false, true);
}

/* ---- 2, 5, 6, 7: latencies ---- */

/* Sets the first cell. A row is a struct pm_changes_ratio, and its context is the text of this
 * cell. */
static void first_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    pm_table_text(table, from->context);
}

static void ratio_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    enum { DIGITS = 32 };
    char text[DIGITS];
    const struct pm_changes_ratio *row = from->row;
    snprintf(text, sizeof text, "%.3f", row->ratio.ratio.mid);
    pm_table_text(table, text);
}

static const struct pm_column row_column = {"row", "row", PM_CELL_NAME, .cell = first_cell},
                              framework_column = {"framework", "framework", PM_CELL_NAME,
                                                  .cell = first_cell};
static const struct pm_column latency_columns[] = {
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct pm_changes_ratio, function)},
    {"base", "base", PM_CELL_TIME, PM_MEMBER(struct pm_changes_ratio, before)},
    {"target", "target", PM_CELL_TIME, PM_MEMBER(struct pm_changes_ratio, after)},
    {"ratio", "ratio", PM_CELL_COUNT, .cell = ratio_cell},
};

static struct pm_table *latency_table(const struct pm_paper_making *m,
                                      const struct pm_paper_pair *pair, const char *title,
                                      const struct pm_column *first)
{
    char *ratio = pm_format("%s/%s", pair->on_b, pair->on_a);
    struct pm_table *t = new_table(m, title);
    pm_table_about(t, "base", pair->a->compared.target);
    pm_table_about(t, "target", pair->b->compared.target);
    pm_table_add_columns(t, first, 1, false);
    pm_table_columns(t, latency_columns, false);
    pm_table_heading(t, "base", pair->on_a);
    pm_table_heading(t, "target", pair->on_b);
    pm_table_heading(t, "ratio", ratio);
    free(ratio);
    return t;
}

static void note_latencies(const struct pm_paper *s, struct pm_table *t)
{
    pm_table_note(t, s->imported
                         ? "imported; geometric means over the tests that are timed and pass on "
                           "both targets; the latency of a test is the mean over its operations"
                         : "small inputs, warm; geometric means over the cases that pass and are "
                           "stable on both targets, and over processes");
}

/* Adds the latencies of all functions of a pair. Returns false if it has none. */
static bool add_latencies(const struct pm_paper_making *m, const struct pm_paper_pair *pair)
{
    enum { DIGITS = 32 };
    size_t count;
    struct pm_changes_ratio *ratios = pm_paper__ratios(pair, &count);
    char *title = pm_format("latencies of %s on %s and %s", pm_paper__framework(pair->a),
                            pair->on_a, pair->on_b);
    struct pm_table *t = count ? latency_table(m, pair, title, &row_column) : NULL;
    for (size_t i = 0; i < count; i++) {
        char row[DIGITS];
        snprintf(row, sizeof row, "%zu", i + 1);
        pm_table_row(t, &ratios[i], row);
    }
    if (t) {
        note_latencies(m->s, t);
        take(m, t);
    }
    free(title);
    free(ratios);
    return count > 0;
}

/* Returns the framework whose latencies the paper prints in the table of that number. */
static const char *framework_of(const char *number)
{
    for (size_t i = 0; i < PM_PUBLICATION_FRAMEWORKS; i++)
        if (!strcmp(pm_publication_latencies(pm_publication_framework_at(i)), number))
            return pm_publication_framework_at(i);
    PM_BUG("the paper has no such table of latencies");
}

static int add_framework_latencies(const struct pm_paper_making *m)
{
    const char *framework = framework_of(m->number);
    struct pm_paper_pairs pairs = pm_paper__pairs(m->s, framework, false);
    bool any = false;
    for (size_t i = 0; i < pairs.count; i++)
        any |= add_latencies(m, &pairs.items[i]);
    free(pairs.items);
    return any ? PM_OK
               : pm_error_set(m->err, PM_EUSAGE,
                              "table %s contains %s functions and cannot be printed: it needs %s",
                              m->number, framework, PM_PAPER_LATENCIES);
}

/* Adds the functions with the two largest and the two smallest ratios; all, if the pair has fewer
 * than four. Returns false if it has none. */
static bool add_extremes(const struct pm_paper_making *m, const struct pm_paper_pair *pair)
{
    enum { EACH = 2 };
    size_t count;
    struct pm_changes_ratio *ratios = pm_paper__ratios(pair, &count);
    char *title = pm_format("largest and smallest ratios on %s and %s, %s", pair->on_a, pair->on_b,
                            pm_paper__framework(pair->a));
    struct pm_table *t = count ? latency_table(m, pair, title, &framework_column) : NULL;
    for (size_t i = 0; i < count; i++)
        if (i < EACH || i + EACH >= count)
            pm_table_row(t, &ratios[i], pm_paper__framework(pair->a));
    if (t) {
        note_latencies(m->s, t);
        take(m, t);
    }
    free(title);
    free(ratios);
    return count > 0;
}

static int add_table_2(const struct pm_paper_making *m)
{
    bool any = false;
    struct pm_paper_pairs pairs = pm_paper__pairs(m->s, NULL, false);
    for (size_t i = 0; i < pairs.count; i++)
        any |= add_extremes(m, &pairs.items[i]);
    free(pairs.items);
    return any ? PM_OK : pm_paper__lacks(m, PM_PAPER_LATENCIES);
}

/* ---- 4: use ---- */

struct use {
    struct pm_paper_strata *strata; /* one per side */
    bool from_sample, from_paper, none;
};

static int load_use(const struct pm_paper *s, struct use *use, struct pm_error *err)
{
    int rc = PM_OK;
    *use = (struct use){.strata = pm_alloc((s->count + 1) * sizeof *use->strata)};
    for (size_t i = 0; !rc && i < s->count; i++) {
        rc = pm_paper__strata(s, &s->items[i], &use->strata[i], err);
        if (!use->strata[i].of.count)
            use->none = true;
        else
            *(use->strata[i].from_sample ? &use->from_sample : &use->from_paper) = true;
    }
    return rc;
}

static void release_use(const struct pm_paper *s, struct use *use)
{
    for (size_t i = 0; i < s->count; i++)
        pm_map_release(&use->strata[i].of);
    free(use->strata);
}

/* The first two cells of a row of table 4. A cell for each framework follows. */
struct use_row {
    const char *device, *functions;
};

static const struct pm_column use_columns[] = {
    {"device", "device", PM_CELL_NAME, PM_MEMBER(struct use_row, device)},
    {"functions", "functions", PM_CELL_TEXT, PM_MEMBER(struct use_row, functions)},
};

static void failing_cell(struct pm_table *t, const struct pm_paper *s, const struct pm_side *side,
                         const struct use *use, unsigned bits)
{
    const struct pm_paper_tally n = side
                                        ? pm_paper__tally(side, &use->strata[side - s->items], bits)
                                        : (struct pm_paper_tally){0};
    const size_t whole = pm_paper__whole(&n);
    pm_table_number(t, whole ? (double)(n.partly + n.fails) / (double)whole : NAN);
}

static void add_use_rows(const struct pm_paper_making *m, const struct use *use, struct pm_table *t)
{
    size_t labels, frameworks;
    const char **label = labels_of(m->s, false, &labels);
    const char **framework = pm_paper__frameworks(m->s, &frameworks);
    for (size_t i = 0; i < labels; i++)
        for (size_t top = 0; top < 2; top++) {
            const struct use_row row = {label[i], top ? "all functions" : "top 20"};
            pm_table_row(t, &row, NULL);
            for (size_t k = 0; k < frameworks; k++)
                failing_cell(t, m->s, find_side(m->s, framework[k], label[i]), use,
                             top ? PM_PAPER_ANY : PM_PAPER_TOP);
        }
    free(label);
    free(framework);
}

static void note_use(const struct use *use, struct pm_table *t)
{
    if (use->from_sample)
        pm_table_note(t, "use of functions: from the sample that the run measured");
    if (use->from_paper)
        pm_table_note(t, "use of functions: from the paper's counts (portmeter import paper)");
    if (use->none)
        pm_table_note(t, "top 20 is empty if it is unknown how often the functions are used: "
                         "measure a sample (portmeter run --sample)");
    pm_table_note(t, "failing: partly or completely, by the paper's counting rules");
}

static int add_table_4(const struct pm_paper_making *m)
{
    size_t frameworks;
    struct use use;
    int rc = load_use(m->s, &use, m->err);
    if (!rc && !use.from_sample && !use.from_paper)
        rc = pm_paper__lacks(m, PM_PAPER_USE);
    if (!rc) {
        struct pm_table *t = new_table(m, "shares of failing functions");
        const char **framework = pm_paper__frameworks(m->s, &frameworks);
        pm_table_columns(t, use_columns, true);
        for (size_t i = 0; i < frameworks; i++)
            pm_table_column(t, framework[i], framework[i], PM_CELL_SHARE);
        add_use_rows(m, &use, t);
        note_use(&use, t);
        note_sides(m->s, t);
        take(m, t);
        free(framework);
    }
    release_use(m->s, &use);
    return rc;
}

/* ---- measured ratios beside the paper's latencies of the same functions ---- */

/* Returns the cell of a function in the first table of latencies that has it; NULL if none has
 * it. */
static const struct pm_publication_cell *printed_cell(const struct pm_publication *p,
                                                      const char *function, const char *item)
{
    const struct pm_publication_cell *found = NULL;
    for (size_t i = 0; i < PM_PUBLICATION_FRAMEWORKS && !found; i++)
        found = pm_publication_find(p, pm_publication_latencies(pm_publication_framework_at(i)),
                                    function, item);
    return found;
}

static const char *printed_text(const struct pm_publication *p, const char *function,
                                const char *item)
{
    const struct pm_publication_cell *cell = printed_cell(p, function, item);
    return cell ? cell->text : "";
}

static double measured_ratio(const struct pm_reading *r, const struct pm_reading_verdict *v)
{
    const struct pm_reading_key key = {.target = v->target,
                                       .scope = PM_SCOPE_FUNCTION,
                                       .function = v->function,
                                       .name = "",
                                       .clock = PM_CLOCK_WARM,
                                       .size = PM_SIZE_SMALL,
                                       .what = PM_STATISTIC_RATIO};
    const struct pm_reading_statistic *ratio = pm_reading_statistic(r, &key);
    return ratio ? ratio->value : NAN;
}

struct then {
    const char *function, *target, *verdict;
    double ratio;
    const char *gpu, *tpu, *tpu_over_gpu, *published_as;
};

static const struct pm_column then_columns[] = {
    {"function", "function", PM_CELL_NAME, PM_MEMBER(struct then, function)},
    {"target", "target", PM_CELL_NAME, PM_MEMBER(struct then, target)},
    {"verdict", "verdict", PM_CELL_WORD, PM_MEMBER(struct then, verdict)},
    {"ratio", "ratio to reference", PM_CELL_RATIO, PM_MEMBER(struct then, ratio)},
    {"gpu", "published GPU (ms)", PM_CELL_COUNT, PM_MEMBER(struct then, gpu)},
    {"tpu", "published TPU (ms)", PM_CELL_COUNT, PM_MEMBER(struct then, tpu)},
    {"tpu_over_gpu", "published TPU/GPU", PM_CELL_COUNT, PM_MEMBER(struct then, tpu_over_gpu)},
    {"published_as", "published as", PM_CELL_NAME, PM_MEMBER(struct then, published_as)},
};

static void then_row(const struct pm_reading *r, const struct pm_publication *p,
                     const struct pm_reading_verdict *v, struct pm_table *t)
{
    const char *name = pm_publication_name(p, v->function);
    if (!printed_cell(p, name, "GPU (ms)"))
        return;
    const struct then row = {.function = v->function,
                             .target = r->targets[v->target].text,
                             .verdict = pm_verdict_text(v->verdict),
                             .ratio = measured_ratio(r, v),
                             .gpu = printed_text(p, name, "GPU (ms)"),
                             .tpu = printed_text(p, name, "TPU (ms)"),
                             .tpu_over_gpu = printed_text(p, name, "TPU/GPU"),
                             .published_as = strcmp(name, v->function) != 0 ? name : ""};
    pm_table_row(t, &row, NULL);
}

void pm_paper_add_then(const struct pm_reading *r, const struct pm_publication *p,
                       struct pm_report *report)
{
    struct pm_table *t = pm_table_new("then", "Measured here, and published");
    pm_table_columns(t, then_columns, false);
    for (size_t i = 0; i < r->verdict_list.count; i++)
        then_row(r, p, &r->verdicts[i], t);
    if (!pm_table_rows(t)) {
        pm_table_free(t);
        return;
    }
    pm_table_note(t, "published: tables 5 to 7 of the paper, also for renamed functions; their "
                     "inputs, versions and devices differ from those measured here");
    pm_report_take_table(report, t);
}

/* ---- all of them ---- */

static const struct pm_paper_form forms[] = {
    {"1", add_table_1, false},
    {"2", add_table_2, false},
    {"3", add_table_3, true},
    {"4", add_table_4, false},
    {"5", add_framework_latencies, false},
    {"6", add_framework_latencies, false},
    {"7", add_framework_latencies, false},
    {"8", add_table_8, false},
};
enum { FORMS = sizeof forms / sizeof *forms };

bool pm_paper_has_table(const char *number)
{
    return pm_paper__find_form(forms, FORMS, number) != NULL;
}

void pm_paper_list_tables(struct pm_str *out)
{
    pm_paper__list_forms(forms, FORMS, out);
}

int pm_paper_add_table(const struct pm_paper_request *request, const char *number,
                       struct pm_report *report, struct pm_error *err)
{
    struct pm_paper_making making = {
        .kind = "table", .number = number, .report = report, .err = err};
    return pm_paper__make_form(forms, FORMS, request, &making);
}
