/* Writes the report that fits a screen: what works, what breaks and why, what is slow, and how
 * certain the results are. */
#include <string.h>

#include "base/alloc.h"
#include "stat/stat.h"
#include "tables/kinds.h"
#include "tables/lines.h"
#include "tables/tiers.h"
#include "text/numbers.h"

enum { CAUSES_SHOWN = 10, SLOW_NAMED = 3 };

static int slowest_first(const void *left, const void *right)
{
    const struct pm_reading_statistic *a = *(const struct pm_reading_statistic *const *)left,
                                      *b = *(const struct pm_reading_statistic *const *)right;
    const int ratios = pm_stat_largest_first(a->value, b->value);
    return ratios ? ratios : strcmp(a->key.function, b->key.function);
}

/* Returns the intolerable ratios, slowest first; the caller frees the array. */
static const struct pm_reading_statistic **find_slow(const struct pm_reading *r, size_t *count)
{
    const struct pm_reading_statistic **slow =
        pm_alloc((r->statistic_list.count + 1) * sizeof *slow);
    *count = 0;
    for (size_t i = 0; i < r->statistic_list.count; i++)
        if (pm_tables__is_ratio(&r->statistics[i]) &&
            r->statistics[i].value > pm_reading_intolerable(r))
            slow[(*count)++] = &r->statistics[i];
    qsort(slow, *count, sizeof *slow, slowest_first);
    return slow;
}

/* Adds a line such as "torch.cat 41x slower on pytorch@cuda, ..., and 3 more over 10x (--table
 * ratios)". */
static void add_slow(const struct pm_reading *r, struct pm_report *report)
{
    size_t count;
    const struct pm_reading_statistic **slow = find_slow(r, &count);
    struct pm_str text = PM_STR_INIT;
    for (size_t i = 0; i < count && i < SLOW_NAMED; i++) {
        pm_str_addf(&text, "%s%s ", i ? ", " : "", slow[i]->key.function);
        pm_text_ratio(&text, slow[i]->value);
        pm_str_addf(&text, " on %s", r->targets[slow[i]->key.target].text);
    }
    if (count > SLOW_NAMED)
        pm_str_addf(&text, ", and %zu more over %gx (--table ratios)", count - SLOW_NAMED,
                    pm_reading_intolerable(r));
    if (count)
        pm_report_line(report, "slow", text.data);
    pm_str_release(&text);
    free(slow);
}

void pm_tables__add_screen(const struct pm_reading *r, const struct pm_report_options *o,
                           const char *option, struct pm_report *report)
{
    char *full = pm_format("portmeter report%s --full", option),
         *page = o->shipped ? pm_format("portmeter report%s --output report.html", option)
                            : pm_format("portmeter open%s", option);
    pm_tables__add_headline(r, o, option, report);
    pm_tables__add_reasons_of(r, CAUSES_SHOWN, o->width, report);
    add_slow(r, report);
    pm_tables__line_of_tiers(r, report);
    pm_tables__lines_of_noise(r, report);
    pm_tables__lines_of_machines(r, option, report);
    pm_report_command(report, "more", full, "prints every table");
    pm_report_command(report, "", page,
                      o->shipped ? "writes the page with search, filters and figures"
                                 : "opens the page with search, filters and figures");
    free(full);
    free(page);
}
