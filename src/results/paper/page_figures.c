/* Makes the figures of a page from the judged rows of its report. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/plural.h"
#include "paper/paper_private.h"
#include "text/numbers.h"

enum { MOST_PAIRS = 8 }; /* most pairs that get a figure 1 */

/* ---- sides ---- */

static size_t side_of(struct pm_paper *s, const struct pm_reading *r, int target)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].target == target)
            return i;
    PM_GROW(s->items, s->count, s->capacity);
    s->items[s->count] = (struct pm_side){.r = *r, .target = target};
    pm_side_identify(&s->items[s->count]);
    return s->count++;
}

/* Adds a side for each executed subject and, before it, for its reference. */
static void choose(struct pm_paper *s, const struct pm_reading *r)
{
    for (size_t i = 0; i < r->target_list.count; i++) {
        const struct pm_reading_target *t = &r->targets[i];
        const int reference = pm_reading_reference_index(r, (int)i);
        if (t->role != PM_ROLE_SUBJECT || t->evidence != PM_EVIDENCE_EXECUTED || !t->judged ||
            reference < 0)
            continue;
        side_of(s, r, reference);
        side_of(s, r, (int)i);
    }
    pm_paper__label(s);
}

static struct pm_paper_pairs timed_pairs(struct pm_paper *s, const struct pm_reading *r)
{
    struct pm_paper_pairs out = {0};
    for (size_t i = 0; i < s->count; i++) {
        const struct pm_side *b = &s->items[i];
        if (b->compared.is_reference || !b->compared.has_latencies)
            continue;
        const size_t a = side_of(s, r, pm_reading_reference_index(r, b->target));
        const struct pm_paper_pair pair = {&s->items[a], b, s->labels[a], s->labels[i],
                                           .judged = true};
        size_t count;
        free(pm_paper__ratios(&pair, &count));
        if (!count)
            continue;
        PM_GROW(out.items, out.count, out.capacity);
        out.items[out.count++] = pair;
    }
    return out;
}

/* ---- commands ---- */

static void add_target(struct pm_str *out, const struct pm_side *side)
{
    pm_str_addf(out, " --target 'run:%lld#%s'", (long long)side->compared.run,
                side->compared.target);
}

/* Returns the command that draws figure `number` of these sides; the caller frees it. */
static char *command_of(const char *number, const char *option, const struct pm_side *const *sides,
                        size_t count)
{
    struct pm_str out = PM_STR_INIT;
    pm_str_addf(&out, "portmeter report%s --figure %s", option, number);
    for (size_t i = 0; i < count; i++)
        add_target(&out, sides[i]);
    pm_str_addf(&out, " --output figure-%s.svg", number);
    return pm_str_detach(&out);
}

static char *command_of_all(const char *number, const char *option, const struct pm_paper *s)
{
    const struct pm_side **sides = pm_alloc((s->count + 1) * sizeof *sides);
    for (size_t i = 0; i < s->count; i++)
        sides[i] = &s->items[i];
    char *command = command_of(number, option, sides, s->count);
    free(sides);
    return command;
}

/* ---- latencies of functions ---- */

/* Returns a text such as "60 of 83 functions take longer on xla than on cpu, 12 of them more than
 * 10 times as long. Median on xla: 3.2x slower." The caller frees it. */
static char *say_latencies(const struct pm_paper_pair *pair, double intolerable)
{
    struct pm_str out = PM_STR_INIT;
    size_t count, slower = 0, much = 0;
    struct pm_changes_ratio *ratios = pm_paper__ratios(pair, &count);
    double *values = pm_alloc(count * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        values[i] = ratios[i].ratio.ratio.mid;
        slower += values[i] > 1;
        much += values[i] > intolerable;
    }
    pm_str_addf(
        &out,
        "%zu of %zu function%s take%s longer on %s than on %s, %zu of them more than %g times as "
        "long. ",
        slower, count, pm_plural(count), slower == 1 ? "s" : "", pair->on_b, pair->on_a, much,
        intolerable);
    pm_str_addf(&out, "Median on %s: ", pair->on_b);
    pm_text_ratio(&out, pm_stat_median(values, count));
    pm_str_add(&out, ".");
    free(values);
    free(ratios);
    return pm_str_detach(&out);
}

static void add_latencies(const struct pm_reading *r, const struct pm_paper_pair *pair,
                          const char *option, struct pm_report *report)
{
    struct pm_paper_making d = {.number = "1", .figure = pm_figure_new("1", "")};
    char *title = pm_format("%s: latency of each function on %s and %s",
                            pm_paper__framework(pair->a), pair->on_a, pair->on_b);
    char *command = command_of("1", option, (const struct pm_side *const[]){pair->a, pair->b}, 2);
    char *answer = say_latencies(pair, pm_reading_intolerable(r));
    pm_paper__draw_latencies(&d, pair);
    pm_report_take_figure(report, d.figure, title, command, answer);
    free(title);
    free(command);
    free(answer);
}

/* ---- which one is faster ---- */

static char *say_faster(const struct pm_paper_pairs *pairs)
{
    struct pm_str out = PM_STR_INIT;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct pm_paper_pair *pair = &pairs->items[i];
        size_t count, faster = 0;
        struct pm_changes_ratio *ratios = pm_paper__ratios(pair, &count);
        for (size_t k = 0; k < count; k++)
            faster += ratios[k].ratio.ratio.mid < 1;
        if (i && pair[-1].a == pair->a)
            pm_str_addf(&out, ", %zu of %zu on %s", faster, count, pair->on_b);
        else
            pm_str_addf(&out, "%s%s functions that are faster than on %s: %zu of %zu on %s",
                        i ? ". " : "", pm_paper__framework(pair->a), pair->on_a, faster, count,
                        pair->on_b);
        free(ratios);
    }
    pm_str_add(&out, ".");
    return pm_str_detach(&out);
}

static void add_faster(const struct pm_paper *s, const struct pm_paper_pairs *pairs,
                       const char *option, struct pm_report *report)
{
    struct pm_error err;
    const struct pm_paper_making d = {
        .s = s, .kind = "figure", .number = "3", .figure = pm_figure_new("3", ""), .err = &err};
    char *command = command_of_all("3", option, s), *answer = say_faster(pairs);
    if (pm_paper__draw_faster(&d, pairs))
        pm_figure_free(d.figure);
    else
        pm_report_take_figure(report, d.figure, "Functions that are faster on each of two targets",
                              command, answer);
    free(command);
    free(answer);
}

/* ---- reasons ---- */

/* Returns a text such as "12 cases fail; the most frequent reason is: not implemented (9)." The
 * caller frees it. */
static char *say_reasons(const struct pm_paper *s)
{
    struct pm_map cases = {0}; /* uintptr_t, by reason */
    const char *first = "";
    uintptr_t most = 0, all = 0;
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->items[i].r.case_list.count; k++) {
            const struct pm_reading_case *c = &s->items[i].r.cases[k];
            if (!pm_paper__fails(&s->items[i], c))
                continue;
            const uintptr_t count = (uintptr_t)pm_map_get(&cases, pm_paper__reason(c)) + 1;
            pm_map_put(&cases, pm_paper__reason(c), (void *)count);
            all++;
            if (count > most) {
                most = count;
                first = pm_paper__reason(c);
            }
        }
    pm_map_release(&cases);
    return pm_format("%zu case%s fail%s; the most frequent reason is: %s (%zu).", (size_t)all,
                     pm_plural(all), all == 1 ? "s" : "", first, (size_t)most);
}

static void add_reasons(const struct pm_paper *s, const char *option, struct pm_report *report)
{
    struct pm_error err;
    const struct pm_paper_making d = {
        .s = s, .kind = "figure", .number = "6", .figure = pm_figure_new("6", ""), .err = &err};
    char *command = command_of_all("6", option, s);
    if (pm_paper__draw_reasons(&d)) {
        pm_figure_free(d.figure);
        pm_report_line(report, "reasons", "no figure: no counted case fails");
    } else {
        char *answer = say_reasons(s);
        pm_report_take_figure(report, d.figure, "Failing cases by reason", command, answer);
        free(answer);
    }
    free(command);
}

/* ---- all of them ---- */

static void add_all(struct pm_paper *s, const struct pm_reading *r, const char *option,
                    struct pm_report *report)
{
    struct pm_paper_pairs pairs = timed_pairs(s, r);
    add_reasons(s, option, report);
    if (pairs.count)
        add_faster(s, &pairs, option, report);
    else
        pm_report_line(report, "latencies", "no figure: it needs " PM_PAPER_LATENCIES);
    for (size_t i = 0; i < pairs.count && i < MOST_PAIRS; i++)
        add_latencies(r, &pairs.items[i], option, report);
    free(pairs.items);
    pm_report_line(report, "more",
                   "portmeter report --figure NUMBER draws the paper's figures 1 to 10, also for "
                   "other targets, and writes their data to a gnuplot script");
}

void pm_paper_add_page_figures(const struct pm_reading *r, const char *option,
                               struct pm_report *report)
{
    struct pm_paper s = {.borrowed = true};
    choose(&s, r);
    if (s.count)
        add_all(&s, r, option, report);
    else
        pm_report_line(report, "figures", "none: they need " PM_PAPER_TWO);
    pm_paper__release(&s);
}
