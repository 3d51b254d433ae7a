/* Draws figures with gnuplot: writes a script that contains the data, and runs gnuplot to draw
 * it. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/line.h"
#include "process/process.h"
#include "report/format.h"
#include "report/report_private.h"
#include "report/sink.h"

/* SVG's units are 1/96 inch: 340 of them are 90 mm. */
enum { PANEL_WIDTH = 340, PANEL_HEIGHT = 250, TITLE_HEIGHT = 24, DOTS = 3 };

enum { MOST_DRAWN = 256 << 20 }; /* most bytes of a drawing */

/* Points closer than this share of both axes count as one. */
static const double RESOLUTION = 1.0 / 400;

/* Colours that colour-blind readers can distinguish (Okabe and Ito, "Color Universal Design",
 * 2008), each with its own dash and marker for printing without colour. */
static const struct {
    const char *colour, *dash;
    unsigned marker;
} styles[] = {{"#0072B2", "solid", 7},
              {"#D55E00", "(7,3)", 8},
              {"#009E73", "(2,3)", 4},
              {"#000000", "(9,3,2,3)", 2}};

/* Fillings of bars, which can also be distinguished without colour: solid and hatched alternate. */
static const struct {
    const char *colour, *fill;
} fills[] = {{"#0072B2", "solid 1.0"},  {"#D55E00", "pattern 4"},  {"#56B4E9", "solid 0.45"},
             {"#000000", "pattern 1"},  {"#009E73", "solid 0.75"}, {"#CC79A7", "pattern 5"},
             {"#999999", "solid 0.25"}, {"#E69F00", "pattern 2"}};

static const struct {
    const char *name;
    const char *terminal; /* pm_figure_script() appends the size */
    double unit;          /* dots or inches per unit of SVG */
} formats[] = {
    {"svg", "svg noenhanced fixed background 'white' font 'Helvetica,Arial,sans-serif,10' size", 1},
    {"png", "pngcairo noenhanced font 'Sans,10' fontscale 2.2 linewidth 3 pointscale 2.4 size",
     DOTS},
    {"pdf", "pdfcairo noenhanced font 'Sans,7.5' fontscale 1 linewidth 1 size", 1.0 / 96},
};
enum { FORMATS = sizeof formats / sizeof *formats };

const char *pm_figure_formats(void)
{
    return "svg, png, pdf";
}

/* ---- the script ----------------------------------------------------------------------------- */

static int find_format(const char *format)
{
    for (int i = 0; i < FORMATS; i++)
        if (!strcmp(formats[i].name, format))
            return i;
    return -1;
}

bool pm_figure_has_format(const char *format)
{
    return find_format(format) >= 0;
}

/* Appends a text in single quotes, in which gnuplot has no escapes, commands or variables; a quote
 * is doubled. */
static void add_quoted(struct pm_str *out, const char *raw)
{
    struct pm_str text = PM_STR_INIT;
    pm_text_clean(&text, raw);
    pm_str_add_char(out, '\'');
    for (size_t i = 0; i < text.length; i++) {
        pm_str_add_char(out, text.data[i]);
        if (text.data[i] == '\'')
            pm_str_add_char(out, '\'');
    }
    pm_str_add_char(out, '\'');
    pm_str_release(&text);
}

/* Returns the position of a value on its axis: the value or, on a logarithmic axis, its logarithm.
 * NaN if the value cannot be drawn. */
static double place_of(double value, const struct pm_report__axis *axis)
{
    if (!axis->logarithmic)
        return isfinite(value) ? value : NAN;
    return value > 0 && isfinite(value) ? log10(value) : NAN;
}

struct extent {
    double low, high;
};

static void widen(struct extent *extent, double place)
{
    if (!(extent->low <= place))
        extent->low = place;
    if (!(extent->high >= place))
        extent->high = place;
}

static struct pm_report__point place_point(const struct pm_report__panel *panel,
                                           const struct pm_report__point *point)
{
    return (struct pm_report__point){place_of(point->x, &panel->axes[PM_AXIS_X]),
                                     place_of(point->y, &panel->axes[PM_AXIS_Y])};
}

static void find_extents(const struct pm_report__panel *panel, struct extent *x, struct extent *y)
{
    *x = *y = (struct extent){NAN, NAN};
    for (size_t i = 0; i < panel->count; i++) {
        for (size_t k = 0; k < panel->series[i].count; k++) {
            const struct pm_report__point at = place_point(panel, &panel->series[i].points[k]);
            if (isnan(at.x) || isnan(at.y))
                continue;
            widen(x, at.x);
            widen(y, at.y);
        }
    }
}

static void add_point(struct pm_str *out, const struct pm_report__point *point, bool bar)
{
    pm_str_addf(out, "%.9g %.9g", point->x, point->y);
    if (bar)
        pm_str_addf(out, " %.9g", point->low);
    pm_str_add(out, "\n");
}

/* Appends the points of a series, one per line. Returns false if there is nothing to draw. */
static bool add_points(struct pm_str *out, const struct pm_report__panel *panel,
                       const struct pm_report__series *series)
{
    const bool bar = series->drawing == PM_DRAW_BARS;
    const bool joined = series->drawing == PM_DRAW_LINE || series->drawing == PM_DRAW_CURVE;
    struct extent x, y;
    find_extents(panel, &x, &y);
    const double near_x = (x.high - x.low) * RESOLUTION, near_y = (y.high - y.low) * RESOLUTION;
    struct pm_report__point last = {NAN, NAN};
    const struct pm_report__point *skipped = NULL;
    bool any = false;
    for (size_t i = 0; i < series->count; i++) {
        const struct pm_report__point at = place_point(panel, &series->points[i]);
        if (isnan(at.x) || isnan(at.y))
            continue;
        skipped = &series->points[i];
        if (joined && fabs(at.x - last.x) < near_x && fabs(at.y - last.y) < near_y)
            continue;
        add_point(out, skipped, bar);
        skipped = NULL;
        last = at;
        any = true;
    }
    if (skipped) /* draw the line to its last point */
        add_point(out, skipped, bar);
    return any;
}

static void add_axis(struct pm_str *out, char name, const struct pm_report__axis *axis)
{
    pm_str_addf(out, "%s logscale %c%s\nset %clabel ", axis->logarithmic ? "set" : "unset", name,
                axis->logarithmic ? " 10" : "", name);
    add_quoted(out, axis->title ? axis->title : "");
    pm_str_addf(out, "\nset format %c '%s'\n", name,
                axis->logarithmic && !axis->plain ? "%.0s%c" : "%g");
    if (axis->low < axis->high)
        pm_str_addf(out, "set %crange [%.9g:%.9g]\n", name, axis->low, axis->high);
    else
        pm_str_addf(out, "set autoscale %c\n", name);
}

enum { LABEL_ROOM = 2, LEAST_MARGIN = 9, MOST_MARGIN = 24 }; /* characters */
enum { MOST_LEVEL = 4 };   /* a wide panel with more labels rotates them */
enum { MANY_DECADES = 6 }; /* a longer logarithmic x axis numbers every second decade */

/* Appends the settings of the x axis: its labels or, if the panel has none, numbers. */
static void add_ticks(struct pm_str *out, const struct pm_report__panel *panel, bool wide)
{
    if (!panel->tick_count) {
        struct extent x, y;
        find_extents(panel, &x, &y);
        pm_str_addf(out, "set xtics norotate %s\nset offsets 0, 0, 0, 0\nset lmargin\n",
                    panel->axes[PM_AXIS_X].logarithmic && x.high - x.low > MANY_DECADES
                        ? "100"
                        : "autofreq");
        return;
    }
    const bool level = wide && panel->tick_count <= MOST_LEVEL;
    pm_str_addf(out, "set xtics %s (", level ? "norotate" : "rotate by 30 right");
    for (size_t i = 0; i < panel->tick_count; i++) {
        pm_str_add(out, i ? ", " : "");
        add_quoted(out, panel->ticks[i].label);
        pm_str_addf(out, " %.9g", panel->ticks[i].at);
    }
    /* gnuplot leaves no room for the part of a rotated label that is left of its bar */
    const double overhang =
        level ? 0 : 0.75 * (double)pm_text_width(panel->ticks[0].label) - LABEL_ROOM;
    pm_str_addf(out, ")\nset offsets 0.3, 0.3, 0, 0\nset lmargin %.0f\n",
                fmin(fmax(overhang, LEAST_MARGIN), MOST_MARGIN));
}

static void add_bar_style(struct pm_str *out, size_t index)
{
    const size_t fill = index % (sizeof fills / sizeof *fills);
    pm_str_addf(out,
                " with boxxyerror linecolor rgb '%s' linewidth 0.7 fillstyle %s border rgb "
                "'#000000'",
                fills[fill].colour, fills[fill].fill);
}

static void add_series_style(struct pm_str *out, size_t index, enum pm_drawing drawing)
{
    const size_t style = index % (sizeof styles / sizeof *styles);
    enum { MARKERS = 14 };
    if (drawing == PM_DRAW_BARS) {
        add_bar_style(out, index);
        return;
    }
    pm_str_addf(out, " with %s linecolor rgb '%s'",
                drawing == PM_DRAW_LINE    ? "linespoints"
                : drawing == PM_DRAW_CURVE ? "lines"
                                           : "points",
                styles[style].colour);
    if (drawing != PM_DRAW_POINTS)
        pm_str_addf(out, " dashtype %s linewidth 1.5", styles[style].dash);
    if (drawing != PM_DRAW_CURVE)
        pm_str_addf(out, " pointtype %u pointsize 0.55", styles[style].marker);
    if (drawing == PM_DRAW_LINE)
        pm_str_addf(out, " pointnumber %d", MARKERS);
}

/* Returns the expression after `using` with which gnuplot draws a series. */
static const char *columns_of(enum pm_drawing drawing)
{
    return drawing == PM_DRAW_BARS ? "1:2:($1-0.4):($1+0.4):3:2" : "1:2";
}

static void add_panel(struct pm_str *out, const struct pm_report__panel *panel, bool wide)
{
    struct pm_str plot = PM_STR_INIT;
    for (size_t i = 0; i < panel->count; i++) {
        struct pm_str points = PM_STR_INIT;
        if (add_points(&points, panel, &panel->series[i])) {
            pm_str_addf(out, "$series%zu << END_OF_SERIES\n%sEND_OF_SERIES\n", i, points.data);
            pm_str_addf(&plot, "%s$series%zu using %s title ", plot.length ? ", " : "plot ", i,
                        columns_of(panel->series[i].drawing));
            add_quoted(&plot, panel->series[i].name);
            add_series_style(&plot, i, panel->series[i].drawing);
        }
        pm_str_release(&points);
    }
    pm_str_add(out, "set title ");
    add_quoted(out, panel->title);
    pm_str_add(out, "\n");
    pm_str_add(out, "set key below horizontal reverse Left samplen 3 height 0.7\n");
    add_ticks(out, panel, wide);
    add_axis(out, 'x', &panel->axes[PM_AXIS_X]);
    add_axis(out, 'y', &panel->axes[PM_AXIS_Y]);
    if (plot.length)
        pm_str_addf(out, "%s\n", plot.data);
    else /* print a text in an empty panel */
        pm_str_add(out, "unset logscale\nset label 1 'nothing to show' at graph 0.5, 0.5 center\n"
                        "plot [0:1][0:1] NaN notitle\nunset label 1\n");
    pm_str_release(&plot);
}

int pm_figure_script(const struct pm_figure *figure, const char *format, struct pm_str *out,
                     struct pm_error *err)
{
    const int index = find_format(format);
    if (index < 0)
        return pm_error_set(err, PM_EUSAGE, "unknown figure format '%s': use %s", format,
                            pm_figure_formats());
    const size_t panels = figure->count ? figure->count : 1;
    const size_t columns = figure->columns ? figure->columns : 1;
    const size_t rows = (panels + columns - 1) / columns;
    const double height = (double)(rows * PANEL_HEIGHT + (*figure->title ? TITLE_HEIGHT : 0));
    pm_str_addf(out,
                "set encoding utf8\nset terminal %s %.6g,%.6g\n"
                "set border 3 linewidth 0.7 linecolor rgb '#404040'\nset tics nomirror\n"
                "set grid dashtype solid linewidth 0.5 linecolor rgb '#dddddd'\n"
                "set multiplot layout %zu,%zu",
                formats[index].terminal,
                (double)(PANEL_WIDTH * columns * (figure->wide ? 2 : 1)) * formats[index].unit,
                height * formats[index].unit, rows, columns);
    if (*figure->title) {
        pm_str_add(out, " title ");
        add_quoted(out, figure->title);
    }
    pm_str_add(out, "\n");
    for (size_t i = 0; i < figure->count; i++)
        add_panel(out, &figure->panels[i], figure->wide);
    pm_str_add(out, "unset multiplot\n");
    return PM_OK;
}

/* ---- the process ---------------------------------------------------------------------------- */

/* Temporary files without a name. */
struct files {
    FILE *script, *said; /* gnuplot's stdin and stderr */
};

static int files_open(struct files *files, const struct pm_str *script, struct pm_error *err)
{
    files->script = tmpfile();
    files->said = tmpfile();
    if (!files->script || !files->said ||
        fwrite(script->data, 1, script->length, files->script) != script->length ||
        fflush(files->script) || lseek(fileno(files->script), 0, SEEK_SET))
        return pm_error_errno(err, "cannot write the script of a figure to a temporary file");
    return PM_OK;
}

static void files_close(struct files *files)
{
    if (files->script)
        fclose(files->script);
    if (files->said)
        fclose(files->said);
}

/* Sets an error with the beginning of gnuplot's messages, as one line. */
static int cannot_draw(FILE *said, struct pm_error *err)
{
    enum { MOST = 300 };
    char bytes[1 << 14];
    struct pm_str line = PM_STR_INIT;
    rewind(said);
    const size_t got = fread(bytes, 1, sizeof bytes - 1, said);
    bytes[got] = '\0';
    pm_line_add(&line, bytes, MOST);
    const int rc = pm_error_set(
        err, PM_EIO,
        "gnuplot cannot draw the figure: %s: if it lacks the format, " PM_FIGURE_ADVICE,
        line.length ? line.data : "it printed nothing");
    pm_str_release(&line);
    return rc;
}

bool pm_figure_can_draw(void)
{
    return pm_process_exists("gnuplot");
}

static int draw(const struct pm_str *script, struct pm_str *drawing, struct pm_error *err)
{
    static const char *const argv[] = {"gnuplot", "-d", "-",
                                       NULL}; /* -d: ignore the user's settings */
    const struct pm_process_watch watch = {.limit = MOST_DRAWN};
    struct files files = {0};
    struct pm_process_end end;
    int rc = files_open(&files, script, err);
    if (!rc) {
        const struct pm_process_plan plan = {.argv = argv,
                                             .awaited = "gnuplot",
                                             .input = fileno(files.script),
                                             .error = fileno(files.said)};
        rc = pm_process_run(&plan, &watch, &end, err);
        if (rc == PM_ENOTFOUND)
            pm_error_set(err, rc,
                         "gnuplot, which draws figures, is not installed: " PM_FIGURE_ADVICE);
    }
    if (!rc) {
        if (end.status || !end.output.length)
            rc = cannot_draw(files.said, err);
        pm_str_add_bytes(drawing, end.output.data, end.output.length);
        pm_process_end_release(&end);
    }
    files_close(&files);
    return rc;
}

int pm_figure_render(const struct pm_figure *figure, const char *format, struct pm_sink *sink,
                     struct pm_error *err)
{
    struct pm_str script = PM_STR_INIT, drawing = PM_STR_INIT;
    int rc = pm_figure_script(figure, format, &script, err);
    if (!rc)
        rc = draw(&script, &drawing, err);
    if (!rc && sink->write(sink->ctx, drawing.data, drawing.length) < 0)
        rc = pm_error_errno(err, "cannot write the figure");
    pm_str_release(&script);
    pm_str_release(&drawing);
    return rc;
}

/* ---- in a page ------------------------------------------------------------------------------ */

/* Elements and attributes that a page does not need: descriptions, filters, namespaces, which HTML
 * knows, default values, and the font, which the style sheet sets. */
static const char *const needless[] = {"title", "desc", "filter"};
static const char *const needless_attributes[] = {"xmlns", "color", "stroke-linecap",
                                                  "stroke-linejoin", "font-family"};

static bool is_tag(const char *tag, const char *name)
{
    const size_t length = strlen(name);
    return !strncmp(tag + 1, name, length) && strchr(" >\n", tag[1 + length]);
}

/* Returns the end of the element at `tag` if a page does not need it; else NULL. */
static const char *behind_needless(const char *tag)
{
    const char *end = strchr(tag, '>');
    const char *inside = end + 1 + strspn(end + 1, " \t\n");
    if (is_tag(tag, "g") && pm_starts_with(inside, "</g>"))
        return inside + strlen("</g>");
    for (size_t i = 0; i < sizeof needless / sizeof *needless; i++)
        if (is_tag(tag, needless[i])) {
            char *close = pm_format("</%s>", needless[i]);
            const char *found = strstr(tag, close);
            const char *behind = found ? found + strlen(close) : NULL;
            free(close);
            return behind;
        }
    return NULL;
}

/* Returns whether a page does not need an attribute. It needs only ids that begin with "gp",
 * because nothing refers to other ids. */
static bool is_needless(const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof needless_attributes / sizeof *needless_attributes; i++)
        if (pm_starts_with(name, needless_attributes[i]))
            return true;
    return pm_starts_with(name, "id=") && !pm_starts_with(value + 1, "gp");
}

/* Appends the attribute at `at` if the page needs it, and returns its end. The prefix "gp" of ids
 * becomes "f" and the number of the figure. */
static const char *add_attribute(struct pm_str *out, const char *at, const char *end, size_t number)
{
    const char *name = at, *equals = memchr(at, '=', (size_t)(end - at));
    const char *value = equals ? equals + 1 + strspn(equals + 1, " ") : end;
    const char *close = value < end ? memchr(value + 1, *value, (size_t)(end - value - 1)) : NULL;
    if (!close)
        return end;
    if (is_needless(name, value))
        return close + 1;
    name += pm_starts_with(name, "xlink:") ? strlen("xlink:") : 0;
    pm_str_add_char(out, ' ');
    pm_str_add_bytes(out, name, strcspn(name, " ="));
    pm_str_add_char(out, '=');
    for (at = value; at <= close; at++)
        if (pm_starts_with(at, "gp") && strchr("'#", at[-1])) {
            pm_str_addf(out, "f%zu", number);
            at++;
        } else if (*at != ' ' || !strchr(" ,('", at[-1])) {
            pm_str_add_char(out, *at);
        }
    return close + 1;
}

static void add_tag(struct pm_str *out, const char *tag, const char *end, size_t number)
{
    const size_t length = strcspn(tag, " \n>");
    const bool closed = end[-1] == '/';
    pm_str_add_bytes(out, tag, length);
    for (const char *at = tag + length; at < end;) {
        at += strspn(at, " \t\n/");
        at = at < end ? add_attribute(out, at, end, number) : end;
    }
    pm_str_add(out, closed ? "/>" : ">");
}

/* Appends the content of a text element. gnuplot has already escaped "&" and "<". */
static void add_content(struct pm_str *out, const char *at, const char *end)
{
    for (; at < end; at++)
        if (*at == '&')
            pm_str_add_char(out, '&');
        else
            pm_report_format_markup(out, *at);
}

/* A marker of a point. gnuplot states scale and colour for each marker, although they are equal in
 * a series. */
struct marker {
    char href[16], colour[32];
    double x, y, scale;
};

static bool read_marker(const char *tag, struct marker *out)
{
    return sscanf(tag,
                  "<use xlink:href='#gp%15[^']' transform='translate(%lf,%lf) scale(%lf)' "
                  "color='%31[^']'/>",
                  out->href, &out->x, &out->y, &out->scale, out->colour) == 5;
}

/* Appends the markers of a series, which begin at `tag`, as one group with their scale and colour.
 * Returns their end. */
static const char *add_markers(struct pm_str *out, const char *tag, struct marker first,
                               size_t number)
{
    struct marker it = first;
    pm_str_addf(out, "<g color='%s' transform='scale(%g)'>", first.colour, first.scale);
    do {
        pm_str_addf(out, "<use href=#f%zu%s x=%.1f y=%.1f />", number, it.href, it.x / it.scale,
                    it.y / it.scale);
        tag = strchr(tag, '>') + 1;
        tag += strspn(tag, " \t\n");
    } while (read_marker(tag, &it) && it.scale == first.scale && !strcmp(it.colour, first.colour));
    pm_str_add(out, "</g>");
    return tag;
}

/* Appends the parts of a drawing that a page needs. Relies on the form of gnuplot's markup:
 * attributes are in quotes and contain no '>', and texts contain "&lt;" for "<". */
static void add_inline(struct pm_str *out, const char *svg, size_t number)
{
    struct marker marker;
    for (const char *tag = strstr(svg, "<svg"); tag;) {
        const char *end = strchr(tag, '>'), *behind = behind_needless(tag);
        if (!end)
            return;
        if (!behind && read_marker(tag, &marker)) {
            behind = add_markers(out, tag, marker, number);
        } else if (!behind) {
            add_tag(out, tag, end, number);
            behind = end + 1;
        }
        tag = strchr(behind, '<');
        if (tag && behind + strspn(behind, " \t\n") < tag)
            add_content(out, behind, tag);
    }
}

int pm_report__inline_svg(const struct pm_figure *figure, size_t number, struct pm_str *out,
                          struct pm_error *err)
{
    struct pm_str drawing = PM_STR_INIT, markup = PM_STR_INIT;
    struct pm_sink sink = pm_sink_str(&drawing);
    const int rc = pm_figure_render(figure, "svg", &sink, err);
    if (!rc) {
        add_inline(&markup, drawing.data, number);
        pm_str_add(out, markup.length ? markup.data + strlen("<svg") : ">");
    }
    pm_str_release(&drawing);
    pm_str_release(&markup);
    return rc;
}
