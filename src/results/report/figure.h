/*
 * Builds figures as values, and draws them. A figure has panels, one below the other or in columns;
 * a panel has two axes and series of points. The legend is below a panel, never over the drawing.
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
/* Sets an axis of the latest panel. A logarithmic axis skips points that are not above 0. */
void pm_figure_axis(struct pm_figure *figure, enum pm_axis axis, const char *title,
                    bool logarithmic);
/* Prints the numbers of a logarithmic axis of the latest panel without k, M and other prefixes. */
void pm_figure_plain(struct pm_figure *figure, enum pm_axis axis);
/* Ends an axis of the latest panel at these values, regardless of the points. */
void pm_figure_range(struct pm_figure *figure, enum pm_axis axis, double low, double high);
/* Adds a label at a value of the latest panel's x axis. An axis with labels has no numbers. */
void pm_figure_tick(struct pm_figure *figure, double at, const char *label);
/* Sets the number of panels side by side; the default is 1. */
void pm_figure_columns(struct pm_figure *figure, size_t columns);
/* Makes the panels twice as wide, for long labels and legends. */
void pm_figure_widen(struct pm_figure *figure);

/* How the points of a series are drawn. */
enum pm_drawing {
    PM_DRAW_LINE,   /* joined in their order, with 14 markers */
    PM_DRAW_CURVE,  /* joined in their order */
    PM_DRAW_POINTS, /* a marker for each */
    PM_DRAW_BARS    /* a box for each, 0.8 wide, from `low` to `high` */
};
/* Adds a series to the latest panel. Up to 4 lines or 8 bars of a panel have their own colours, and
 * their own dashes, markers or patterns, so that they can be distinguished in grey. The legend
 * below the panel names them. */
void pm_figure_series(struct pm_figure *figure, const char *name);
/* Sets how the latest series is drawn; the default is PM_DRAW_LINE. */
void pm_figure_draw(struct pm_figure *figure, enum pm_drawing drawing);
/* Add a point, or the box of a bar, to the latest series. */
void pm_figure_point(struct pm_figure *figure, double x, double y);
void pm_figure_bar(struct pm_figure *figure, double at, double low, double high);

/*
 * Draws a figure with gnuplot, which must be installed: otherwise PM_ENOTFOUND says what to
 * install. Formats are "svg", "png" and "pdf"; another format is PM_EUSAGE. An error of gnuplot, or
 * of the sink, is PM_EIO. In SVG and PDF, a panel is 90 mm wide, like a column of an A4 page (180
 * mm if it is widened); PNG has three dots per unit of SVG. Titles and names are plain text, never
 * markup or commands. If points of a line would coincide, only the first is drawn.
 */
PM_MUST_USE int pm_figure_render(const struct pm_figure *figure, const char *format,
                                 struct pm_sink *sink, struct pm_error *err);
/* Returns whether gnuplot is on PATH. If it is not, PM_FIGURE_ADVICE says what to do. */
bool pm_figure_can_draw(void);
#define PM_FIGURE_ADVICE                                                                           \
    "install the package gnuplot-nox (Debian, Ubuntu) or gnuplot (Fedora and others)"
/* Adds a figure to a report, with a sentence that describes it (`answer`) and the command that
 * draws it to a file. The report owns the figure. HTML shows the figure, or says why gnuplot cannot
 * draw it. The other formats, except CSV, print the title, the command and the sentence. */
void pm_report_take_figure(struct pm_report *report, struct pm_figure *figure, const char *title,
                           const char *command, const char *answer);

/* Returns a text such as "svg, png, pdf": for messages. */
const char *pm_figure_formats(void);
/* Returns whether figures can be drawn in this format: "svg". */
bool pm_figure_has_format(const char *format);

/* Appends the script for gnuplot, with the data. The script writes the drawing to stdout. PM_EUSAGE
 * if the format is unknown. */
PM_MUST_USE int pm_figure_script(const struct pm_figure *figure, const char *format,
                                 struct pm_str *out, struct pm_error *err);

#endif
