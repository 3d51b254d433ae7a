/* Figures as values: panels, lines, axes. */
#include "report/figure.h"

#include "base/alloc.h"
#include "report/report_private.h"

struct pm_figure *pm_figure_new(const char *id, const char *title)
{
    struct pm_figure *figure = pm_alloc(sizeof *figure);
    figure->id = pm_strdup(id);
    figure->title = pm_strdup(title);
    return figure;
}

static void panel_release(struct pm_report__panel *panel)
{
    for (size_t i = 0; i < panel->count; i++) {
        free(panel->series[i].name);
        free(panel->series[i].points);
    }
    for (size_t i = 0; i < PM_AXIS_COUNT; i++)
        free(panel->axes[i].title);
    free(panel->series);
    free(panel->title);
}

void pm_figure_free(struct pm_figure *figure)
{
    if (!figure)
        return;
    for (size_t i = 0; i < figure->count; i++)
        panel_release(&figure->panels[i]);
    free(figure->panels);
    free(figure->id);
    free(figure->title);
    free(figure);
}

void pm_figure_panel(struct pm_figure *figure, const char *title)
{
    PM_GROW(figure->panels, figure->count, figure->capacity);
    figure->panels[figure->count++] = (struct pm_report__panel){.title = pm_strdup(title)};
}

static struct pm_report__panel *last_panel(struct pm_figure *figure)
{
    if (!figure->count)
        PM_BUG("a figure has no panel yet");
    return &figure->panels[figure->count - 1];
}

void pm_figure_axis(struct pm_figure *figure, enum pm_axis axis, const char *title,
                    bool logarithmic)
{
    struct pm_report__axis *it = &last_panel(figure)->axes[axis];
    free(it->title);
    it->title = pm_strdup(title);
    it->logarithmic = logarithmic;
}

void pm_figure_legend(struct pm_figure *figure, enum pm_corner corner)
{
    last_panel(figure)->legend = corner;
}

void pm_figure_series(struct pm_figure *figure, const char *name)
{
    struct pm_report__panel *panel = last_panel(figure);
    PM_GROW(panel->series, panel->count, panel->capacity);
    panel->series[panel->count++] = (struct pm_report__series){.name = pm_strdup(name)};
}

void pm_figure_point(struct pm_figure *figure, double x, double y)
{
    struct pm_report__panel *panel = last_panel(figure);
    if (!panel->count)
        PM_BUG("a panel has no series yet");
    struct pm_report__series *series = &panel->series[panel->count - 1];
    PM_GROW(series->points, series->count, series->capacity);
    series->points[series->count++] = (struct pm_report__point){x, y};
}
