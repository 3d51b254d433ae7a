/* Derives the numbers in the sentences of a publication from its tables. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "published/publication.h"

struct deriving {
    const struct pm_publication *p;
    char rule[32], framework[32], device[32]; /* words of the item: "slower JAX TPU" */
    const char *latencies;                    /* number of the framework's table; "": none */
    double value;                             /* the derived number; NaN: it cannot be derived */
    struct pm_str derived, from;
};

/* ---- counts --------------------------------------------------------------------------------- */

static const struct pm_publication_cell *count_cell(const struct deriving *d, const char *framework,
                                                    const char *device, const char *what)
{
    char *item = pm_format("%s %s", device, what);
    const struct pm_publication_cell *cell = pm_publication_find(d->p, "8", framework, item);
    free(item);
    return cell;
}

/* Returns how many functions fail completely or, if `partly`, also partly; NaN if table 8 lacks a
 * count. Sets *whole to the number of counted functions, or to NaN. */
static double failing(const struct deriving *d, const char *framework, const char *device,
                      bool partly, double *whole)
{
    const struct pm_publication_cell *complete = count_cell(d, framework, device, "fails");
    const struct pm_publication_cell *partial = count_cell(d, framework, device, "partly");
    *whole = complete ? pm_publication_whole(complete->text) : NAN;
    return complete && partial ? complete->value + (partly ? partial->value : 0) : NAN;
}

static void set_share(struct deriving *d, double part, double whole)
{
    d->value = 100 * part / whole;
    if (!isnan(d->value))
        pm_str_addf(&d->derived, "%.0f of %.0f: %.2f %%", part, whole, d->value);
}

static void derive_failing(struct deriving *d)
{
    double whole;
    const bool partly = strcmp(d->rule, "fails") != 0;
    const double part = failing(d, d->framework, d->device, partly, &whole);
    set_share(d, part, whole);
    pm_str_add(&d->from, partly ? "table 8, partly and fails" : "table 8, fails");
}

static void derive_times(struct deriving *d)
{
    double whole, other_whole;
    const double part = failing(d, d->framework, "TPU", true, &whole);
    const double other = failing(d, d->device, "TPU", true, &other_whole);
    d->value = part / whole / (other / other_whole);
    pm_str_addf(&d->derived, "%.2f times", d->value);
    pm_str_addf(&d->from, "table 8: %.2f %% divided by %.2f %%", 100 * part / whole,
                100 * other / other_whole);
}

static void derive_functions(struct deriving *d)
{
    const struct pm_publication_cell *cell = count_cell(d, d->framework, d->device, "fails");
    d->value = cell ? pm_publication_whole(cell->text) : NAN;
    pm_str_addf(&d->derived, "%.0f", d->value);
    pm_str_add(&d->from, "table 8");
}

/* ---- latencies ------------------------------------------------------------------------------ */

enum relation { OVER_TEN, SLOWER, FASTER, EQUAL };

static bool is_in(enum relation relation, double ratio)
{
    return relation == OVER_TEN ? ratio > 10
           : relation == SLOWER ? ratio > 1
           : relation == FASTER ? ratio < 1
                                : ratio == 1;
}

static double count_ratios(const struct deriving *d, enum relation relation)
{
    double count = 0;
    for (size_t i = 0; i < d->p->count; i++) {
        const struct pm_publication_cell *cell = &d->p->cells[i];
        if (!strcmp(cell->table, d->latencies) && !strcmp(cell->item, "TPU/GPU"))
            count += is_in(relation, cell->value);
    }
    return count;
}

static void derive_ratios(struct deriving *d, enum relation relation)
{
    const double rows = (double)pm_publication_rows(d->p, d->latencies);
    set_share(d, count_ratios(d, relation), rows);
    pm_str_addf(&d->from, "table %s", d->latencies);
}

static void derive_over(struct deriving *d)
{
    derive_ratios(d, OVER_TEN);
}

static void derive_slower(struct deriving *d)
{
    derive_ratios(d, SLOWER);
}

/* Derives how many functions are faster. The paper counts a row with the printed ratio 1.000 as
 * faster. */
static void derive_faster(struct deriving *d)
{
    const double rows = (double)pm_publication_rows(d->p, d->latencies);
    const double faster = count_ratios(d, FASTER), equal = count_ratios(d, EQUAL);
    set_share(d, faster + equal, rows);
    pm_str_addf(&d->from, "table %s", d->latencies);
    if (equal > 0)
        pm_str_addf(
            &d->from,
            ", if a ratio of 1.000 counts as faster (rows: %.0f); otherwise %.0f of %.0f, %.2f %%",
            equal, faster, rows, 100 * faster / rows);
}

static void derive_extreme(struct deriving *d)
{
    const bool largest = !strcmp(d->rule, "largest");
    for (size_t i = 0; i < d->p->count; i++) {
        const struct pm_publication_cell *cell = &d->p->cells[i];
        if (strcmp(cell->table, d->latencies) != 0 || strcmp(cell->item, "TPU/GPU") != 0)
            continue;
        if (isnan(d->value) || (largest ? cell->value > d->value : cell->value < d->value))
            d->value = cell->value;
    }
    pm_str_addf(&d->derived, "%.3f", d->value);
    pm_str_addf(&d->from, "table %s", d->latencies);
}

static void derive_rows(struct deriving *d)
{
    d->value = (double)pm_publication_rows(d->p, d->latencies);
    pm_str_addf(&d->derived, "%.0f", d->value);
    pm_str_addf(&d->from, "table %s", d->latencies);
}

/* ---- other tables --------------------------------------------------------------------------- */

static void derive_top(struct deriving *d)
{
    char *subject = pm_format("%s top 20", d->device);
    d->value = pm_publication_value(d->p, "4", subject, d->framework);
    pm_str_addf(&d->derived, "%.0f %%", d->value);
    pm_str_add(&d->from, "table 4");
    free(subject);
}

/* Derives the largest difference between the shares of one verdict on the two generations of
 * GPUs. */
static void derive_change(struct deriving *d)
{
    static const char *const what[] = {"works", "partly", "fails"};
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        char *older = pm_format("T4 %s", what[i]), *newer = pm_format("A100 %s", what[i]);
        const double change = fabs(pm_publication_value(d->p, "3", d->framework, newer) -
                                   pm_publication_value(d->p, "3", d->framework, older));
        if (isnan(d->value) || change > d->value) {
            d->value = change;
            pm_str_clear(&d->from);
            pm_str_addf(&d->from, "table 3, %s", what[i]);
        }
        free(older);
        free(newer);
    }
    pm_str_addf(&d->derived, "%.0f %%", d->value);
}

/* Adds a fraction, such as "16 of 57", whose share rounds to the printed number. It has the
 * smallest possible denominator, up to 65. */
static void add_fractions(struct deriving *d, double printed)
{
    unsigned found = 0;
    for (int whole = 1; whole <= 65 && found < 1; whole++)
        for (int part = 0; part <= whole; part++)
            if (fabs(100.0 * part / whole - printed) < 0.005) {
                pm_str_addf(&d->from,
                            "; the printed share needs at least %d functions: %d of %d rounds to "
                            "it",
                            whole, part, whole);
                found++;
            }
    if (!found)
        pm_str_add(&d->from, "; a share of up to 65 functions never rounds to this number");
}

static void derive_newer(struct deriving *d)
{
    pm_str_addf(&d->from, "no table has latencies on the %s",
                strcmp(d->device, "TPU") ? "A100" : "TPU v2-8");
}

static void derive_category(struct deriving *d)
{
    pm_str_add(&d->from, "no table has the reasons for failures");
}

/* ---- all of them ---------------------------------------------------------------------------- */

static const struct {
    const char *rule;
    void (*derive)(struct deriving *d);
} rules[] = {
    {"failing", derive_failing},     {"fails", derive_failing},     {"times", derive_times},
    {"functions", derive_functions}, {"over10", derive_over},       {"faster", derive_faster},
    {"slower", derive_slower},       {"largest", derive_extreme},   {"smallest", derive_extreme},
    {"rows", derive_rows},           {"top20", derive_top},         {"change", derive_change},
    {"newer", derive_newer},         {"category", derive_category},
};

/* Returns how many decimals the number in a text has. A number in words, such as "double", is
 * compared with one decimal, like 2.0. */
static int decimals_of(const char *text)
{
    if (!strpbrk(text, "0123456789"))
        return 1;
    const char *point = strchr(text, '.');
    return point ? (int)strspn(point + 1, "0123456789") : 0;
}

/* Returns whether the value equals the printed number if it is rounded or truncated to the same
 * number of decimals. */
static bool is_printed(double value, const struct pm_publication_cell *cell)
{
    const double unit = pow(10, -decimals_of(cell->text));
    return fabs(value - cell->value) <= unit / 2 * (1 + 1e-9) ||
           fabs(floor(value / unit + 1e-9) * unit - cell->value) < unit / 1000;
}

static struct pm_sentence sentence_of(const struct pm_publication *p,
                                      const struct pm_publication_cell *cell)
{
    struct deriving d = {.p = p, .value = NAN, .derived = PM_STR_INIT, .from = PM_STR_INIT};
    bool known = false;
    sscanf(cell->item, "%31s %31s %31s", d.rule, d.framework, d.device);
    const char *latencies = pm_publication_latencies(d.framework);
    d.latencies = latencies ? latencies : "";
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!strcmp(rules[i].rule, d.rule)) {
            rules[i].derive(&d);
            known = true;
        }
    if (!known)
        pm_str_addf(&d.from, "portmeter has no rule for '%s'", d.rule);
    if (isnan(d.value))
        pm_str_clear(&d.derived);
    if (!strcmp(d.rule, "newer"))
        add_fractions(&d, cell->value);
    return (struct pm_sentence){
        .cell = cell,
        .derived = pm_str_detach(&d.derived),
        .from = pm_str_detach(&d.from),
        .agrees = !isnan(d.value) && is_printed(d.value, cell),
    };
}

void pm_publication_sentences(const struct pm_publication *p, struct pm_sentence **out,
                              size_t *count)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(p->cells[i].table, "text") != 0)
            continue;
        PM_GROW(*out, *count, capacity);
        (*out)[(*count)++] = sentence_of(p, &p->cells[i]);
    }
}

void pm_sentences_free(struct pm_sentence *sentences, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(sentences[i].derived);
        free(sentences[i].from);
    }
    free(sentences);
}
