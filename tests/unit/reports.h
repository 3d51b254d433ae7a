/* Reports rendered in memory, for tests. */
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

/* Returns a text, which the caller frees. */
char *render(const struct pm_report *report, enum pm_report_format format,
             const struct pm_render_options *options);
void assert_renders(const struct pm_report *report, enum pm_report_format format,
                    const struct pm_render_options *options, const char *expected);
void assert_json_equal(const char *got, const char *expected);

/* Returns a report of this table alone; it takes the table. */
struct pm_report *report_of(struct pm_table *table);
/* Two rows with every kind of cell. */
struct pm_table *example_table(void);

#endif
