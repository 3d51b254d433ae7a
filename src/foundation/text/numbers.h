/*
 * Numbers for people. Each function appends to `out`; NaN appends nothing, an infinity "inf".
 *
 *     pm_text_count(&out, 2292);      2,292
 *     pm_text_number(&out, 0.03217);  0.0322        three significant digits
 *     pm_text_time(&out, 12345.0);    12.3 us       three significant digits and ns to s
 *     pm_text_bytes(&out, 1234567);   1.23 MB       the same, B to TB, steps of 1,000
 *     pm_text_ratio(&out, 3.14);      3.1x slower   two significant digits, of latencies
 *     pm_text_ratio(&out, 0.5);       2.0x faster   and "1.0x" if they are nearly equal
 *     pm_text_share(&out, 0.763);     76 %          at most 3 decimals, to differ from 0 and 100
 *
 * Integer digits are never dropped (1,234x, 4,210 s), and commas separate thousands. The unit is
 * chosen after rounding: 999.7 ns is 1.00 us.
 */
#ifndef PM_TEXT_NUMBERS_H
#define PM_TEXT_NUMBERS_H

#include <stdint.h>

#include "base/str.h"

enum { PM_TEXT_DIGITS = 3, PM_TEXT_RATIO_DIGITS = 2 }; /* significant digits */

void pm_text_count(struct pm_str *out, int64_t value);
void pm_text_number(struct pm_str *out, double value);
void pm_text_time(struct pm_str *out, double ns);
void pm_text_bytes(struct pm_str *out, int64_t bytes);
void pm_text_ratio(struct pm_str *out, double ratio);
void pm_text_share(struct pm_str *out, double share); /* 0 to 1 */

/* The parts of these functions, for a column whose heading has the unit. pm_text_decimals() needs a
 * finite value. */
struct pm_text_unit {
    const char *name; /* NULL: the end of a list of units */
    double size;      /* in ns, or bytes     */
};
const struct pm_text_unit *
pm_text_time_unit(double ns); /* the unit in which pm_text_time() writes a time */
void pm_text_significant(struct pm_str *out, double value, int digits);
void pm_text_decimals(struct pm_str *out, double value, int decimals);
void pm_text_percent(struct pm_str *out, double share); /* as pm_text_share(), without " %" */

#endif
