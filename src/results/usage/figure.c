/* Draws the figure of uses by rank. */
#include "base/alloc.h"
#include "base/json.h"
#include "text/numbers.h"
#include "usage/usage.h"

static void add_ranking(struct pm_figure *figure, const char *rule, const char *unit,
                        const struct pm_usage_ranking *ranking)
{
    struct pm_str name = PM_STR_INIT;
    pm_str_addf(&name, "%s: ", rule);
    pm_text_count(&name, ranking->uses);
    pm_str_addf(&name, " %s", unit);
    pm_figure_series(figure, name.data);
    for (size_t i = 0; i < ranking->count; i++)
        pm_figure_point(figure, (double)(i + 1), (double)ranking->items[i].uses);
    pm_str_release(&name);
}

static void add_framework(struct pm_figure *figure, const struct pm_usage_of *f,
                          const json_t *totals)
{
    struct pm_str title = PM_STR_INIT;
    pm_str_addf(&title, "%s%s%s in ", f->framework, *f->version ? " " : "", f->version);
    const int64_t files = pm_json_int(totals, "files", 0);
    pm_text_count(&title, files);
    pm_str_add(&title, files == 1 ? " file, " : " files, ");
    pm_text_bytes(&title, pm_json_int(totals, "text_bytes", 0));
    pm_figure_panel(figure, title.data);
    pm_figure_axis(figure, PM_AXIS_X, "rank of the name", true);
    pm_figure_axis(figure, PM_AXIS_Y, "uses", true);
    add_ranking(figure, "paper's rule", "uses", &f->paper);
    add_ranking(figure, "resolved", "calls", &f->resolved);
    if (f->inferred.count)
        add_ranking(figure, "inferred", "calls", &f->inferred);
    pm_str_release(&title);
}

struct pm_figure *pm_usage_figure(const struct pm_usage *scan)
{
    struct pm_figure *figure = pm_figure_new("frequency", "");
    for (size_t i = 0; i < scan->count; i++)
        add_framework(figure, &scan->frameworks[i], scan->totals);
    return figure;
}
