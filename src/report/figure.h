/*
 * Figures as values, and their renderer. A figure has panels, one below the other; a panel has two
 * axes and series of points.
 *
 *     struct pm_figure *f = pm_figure_new("frequency", "Use by rank");
 *     pm_figure_panel(f, "pytorch 2.13.0");
 *     pm_figure_axis(f, PM_AXIS_X, "rank", true);                  // of the latest panel
 *     pm_figure_axis(f, PM_AXIS_Y, "uses", true);
 *     pm_figure_series(f, "calls");
 *     pm_figure_point(f, 1, 20312);                                // of the latest series
 *     rc = pm_figure_render(f, "svg", &sink, err);
 */
#ifndef PM_REPORT_FIGURE_H
#define PM_REPORT_FIGURE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/str.h"
#include "report/table.h"

enum pm_axis { PM_AXIS_X, PM_AXIS_Y, PM_AXIS_COUNT };

struct pm_figure;
struct pm_figure *pm_figure_new(const char *id, const char *title); /* title "": none */
void pm_figure_free(struct pm_figure *figure);                      /* accepts NULL   */
void pm_figure_panel(struct pm_figure *figure, const char *title);
/* A logarithmic axis skips points that are not above 0. */
void pm_figure_axis(struct pm_figure *figure, enum pm_axis axis, const char *title,
                    bool logarithmic);
/* Sets the corner of the latest panel's legend; the default is the top right. The legend covers
 * what is drawn there. */
enum pm_corner { PM_TOP_RIGHT, PM_TOP_LEFT, PM_BOTTOM_RIGHT, PM_BOTTOM_LEFT, PM_CORNER_COUNT };
void pm_figure_legend(struct pm_figure *figure, enum pm_corner corner);
/* Series differ in colour, dash and marker, by their order; the legend names them. */
void pm_figure_series(struct pm_figure *figure, const char *name);
/* A line joins the points of a series in this order. */
void pm_figure_point(struct pm_figure *figure, double x, double y);

/*
 * Draws by gnuplot, which must be installed (PM_ENOTFOUND says what to install). Formats: "svg",
 * "png", "pdf"; another one is PM_EUSAGE. An error of gnuplot is PM_EIO. A panel is 90 mm wide, a
 * column of an A4 page, in SVG and PDF; PNG has three dots per unit of SVG. Titles and names are
 * plain text, never markup or commands. Points that would coincide are drawn once.
 */
PM_MUST_USE int pm_figure_render(const struct pm_figure *figure, const char *format,
                                 struct pm_sink *sink, struct pm_error *err);
/* "svg, png, pdf": for messages. */
const char *pm_figure_formats(void);
bool pm_figure_has_format(const char *format);

/* The script for gnuplot, including the data. It writes the drawing to stdout. */
PM_MUST_USE int pm_figure_script(const struct pm_figure *figure, const char *format,
                                 struct pm_str *out, struct pm_error *err);

#endif
