/* Builds figures as values: panels, axes, series. */
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
    for (size_t i = 0; i < panel->tick_count; i++)
        free(panel->ticks[i].label);
    free(panel->ticks);
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

void pm_figure_plain(struct pm_figure *figure, enum pm_axis axis)
{
    last_panel(figure)->axes[axis].plain = true;
}

void pm_figure_range(struct pm_figure *figure, enum pm_axis axis, double low, double high)
{
    struct pm_report__axis *it = &last_panel(figure)->axes[axis];
    it->low = low;
    it->high = high;
}

void pm_figure_tick(struct pm_figure *figure, double at, const char *label)
{
    struct pm_report__panel *panel = last_panel(figure);
    PM_GROW(panel->ticks, panel->tick_count, panel->tick_capacity);
    panel->ticks[panel->tick_count++] = (struct pm_report__tick){at, pm_strdup(label)};
}

void pm_figure_widen(struct pm_figure *figure)
{
    figure->wide = true;
}

void pm_figure_columns(struct pm_figure *figure, size_t columns)
{
    figure->columns = columns;
}

void pm_figure_series(struct pm_figure *figure, const char *name)
{
    struct pm_report__panel *panel = last_panel(figure);
    PM_GROW(panel->series, panel->count, panel->capacity);
    panel->series[panel->count++] = (struct pm_report__series){.name = pm_strdup(name)};
}

static struct pm_report__series *last_series(struct pm_figure *figure)
{
    struct pm_report__panel *panel = last_panel(figure);
    if (!panel->count)
        PM_BUG("a panel has no series yet");
    return &panel->series[panel->count - 1];
}

void pm_figure_draw(struct pm_figure *figure, enum pm_drawing drawing)
{
    last_series(figure)->drawing = drawing;
}

void pm_figure_bar(struct pm_figure *figure, double at, double low, double high)
{
    struct pm_report__series *series = last_series(figure);
    PM_GROW(series->points, series->count, series->capacity);
    series->points[series->count++] = (struct pm_report__point){at, high, low};
}

void pm_figure_point(struct pm_figure *figure, double x, double y)
{
    pm_figure_bar(figure, x, y, y);
}
