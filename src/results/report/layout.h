/* Computes how wide the columns of a table are on a screen, and which are printed side by side.
 * Other rooms do not include this header. */
#ifndef PM_REPORT_LAYOUT_H
#define PM_REPORT_LAYOUT_H

#include "report/report_private.h"

enum { PM_LAYOUT_GAP = 2, PM_LAYOUT_INDENT = 2, PM_LAYOUT_BELOW = 4 };
#define PM_LAYOUT_KEPT_SPACE '\x1f' /* in a heading: a space at which lines do not break */

struct pm_report__cell_text {
    struct pm_str value, interval;
    bool is_text; /* a text that uses the whole column: "reference" among shares */
};

struct pm_report__column_width {
    struct pm_str heading;
    size_t value, interval; /* widths of the widest number and the widest interval */
    size_t cells;           /* width of the widest cell */
    size_t width;           /* width of the column, as it is printed */
};

struct pm_report__layout {
    const struct pm_table *table;
    struct pm_report__cell_text *cells;
    struct pm_report__column_width *columns;
    size_t first;    /* index of the column that is repeated: 1 in a grouped table, else 0 */
    size_t from, to; /* columns [from, to) are printed beside it */
    bool below;      /* column to - 1 is printed below its row */
};

/* Formats and measures the cells of a table, which must outlive the layout. */
void pm_report__layout_init(struct pm_report__layout *layout, const struct pm_table *table);
void pm_report__layout_release(struct pm_report__layout *layout);
/* Chooses as many columns from `from` on as fit a screen of `screen` columns (0: all). Sets `from`,
 * `to`, `below` and the widths. */
void pm_report__layout_band(struct pm_report__layout *layout, size_t from, size_t screen);
/* Returns whether the column is printed: it is `first`, or is in [from, to) and has a value. */
bool pm_report__layout_shows(const struct pm_report__layout *layout, size_t column);
/* Returns the number of spaces before each row. */
size_t pm_report__layout_indent(const struct pm_report__layout *layout);

#endif
