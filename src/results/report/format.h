/*
 * Numbers as people read them. Each appends to `out`; NaN appends nothing, an infinity "inf".
 *
 *     pm_report_format_count(&out, 2292);      2,292
 *     pm_report_format_number(&out, 0.03217);  0.0322     three significant digits
 *     pm_report_format_time(&out, 12345.0);    12.3 us    three significant digits and ns to s
 *     pm_report_format_bytes(&out, 1234567);   1.23 MB    the same, B to TB, steps of 1,000
 *     pm_report_format_ratio(&out, 3.14);      3.1x slower  two significant digits, of latencies
 *     pm_report_format_ratio(&out, 0.5);       2.0x faster  and "1.0x" where they are as good as
 * equal pm_report_format_share(&out, 0.763);     76 %       enough digits to differ from 0 and 100
 *
 * Integer digits are never dropped (1,234x, 4,210 s), and commas separate thousands. The unit is
 * chosen after rounding: 999.7 ns is 1.00 us.
 */
#ifndef PM_REPORT_FORMAT_H
#define PM_REPORT_FORMAT_H

#include <stdint.h>

#include "base/str.h"

void pm_report_format_count(struct pm_str *out, int64_t value);
void pm_report_format_number(struct pm_str *out, double value);
void pm_report_format_time(struct pm_str *out, double ns);
void pm_report_format_bytes(struct pm_str *out, int64_t bytes);
void pm_report_format_ratio(struct pm_str *out, double ratio);
void pm_report_format_share(struct pm_str *out, double share); /* 0 to 1 */

/* A character of a text of HTML or XML, between tags or in double quotes. */
void pm_report_format_markup(struct pm_str *out, char c);

/* Names of cases. Those of tests with equal dtypes are together: "rows, columns [float32, float64];
 * empty". */
struct pm_report_cases {
    struct pm_report_test {
        char *name;           /* of a case without its dtype */
        struct pm_str dtypes; /* "float32, float64" */
    } * items;
    size_t count, capacity;
};
/* Cases of one test follow each other. */
void pm_report_cases_add(struct pm_report_cases *cases, const char *name);
void pm_report_format_cases(struct pm_str *out, const struct pm_report_cases *cases);
void pm_report_cases_release(struct pm_report_cases *cases);

/* What makes script `other` of script `first`, comments aside: "7: device = 2" for a line that is
 * another one, "3-4: import os" where lines 3 and 4 become this one; several lines with one place
 * follow each other there, and a place without text is an empty line. The caller frees; NULL: they
 * are not much shorter than the script. */
char *pm_report_differences(const char *first, const char *other);

#endif
