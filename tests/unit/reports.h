/* Functions that render reports into memory, for tests. */
#ifndef PM_TESTS_UNIT_REPORTS_H
#define PM_TESTS_UNIT_REPORTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "report/table.h"

extern const struct pm_render_options no_limit;

/* Returns the report in this format; the caller frees the text. */
char *render(const struct pm_report *report, enum pm_report_format format,
             const struct pm_render_options *options);
void assert_renders(const struct pm_report *report, enum pm_report_format format,
                    const struct pm_render_options *options, const char *expected);
void assert_json_equal(const char *got, const char *expected);

/* Returns a report with only this table, which the report owns. The caller frees the report. */
struct pm_report *report_of(struct pm_table *table);
/* Returns a table of two rows with most kinds of cells; the caller frees it. */
struct pm_table *example_table(void);

#endif
