/* Writes numbers, durations and sizes for people. */
#include "text/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 400 }; /* DBL_MAX has 309 whole digits */

/* Appends a plain decimal number with commas between its thousands. */
static void add_grouped(struct pm_str *out, const char *number)
{
    if (*number == '-')
        pm_str_add_char(out, *number++);
    const size_t whole = strspn(number, "0123456789");
    for (size_t i = 0; i < whole; i++) {
        if (i && (whole - i) % 3 == 0)
            pm_str_add_char(out, ',');
        pm_str_add_char(out, number[i]);
    }
    pm_str_add(out, number + whole);
}

void pm_text_decimals(struct pm_str *out, double value, int decimals)
{
    char number[LONGEST_NUMBER];
    snprintf(number, sizeof number, "%.*f", decimals, value);
    add_grouped(out, number);
}

/* Returns the decimal exponent of `value` after rounding to `digits` significant digits: 9.96 with
 * two digits is 1.0e1. */
static int rounded_exponent(double value, int digits)
{
    char number[LONGEST_NUMBER];
    snprintf(number, sizeof number, "%.*e", digits - 1, value);
    return atoi(strchr(number, 'e') + 1);
}

static bool add_unless_finite(struct pm_str *out, double value)
{
    if (isinf(value))
        pm_str_add(out, value < 0 ? "-inf" : "inf");
    return !isfinite(value);
}

void pm_text_significant(struct pm_str *out, double value, int digits)
{
    if (add_unless_finite(out, value))
        return;
    if (value == 0) {
        pm_str_add_char(out, '0');
        return;
    }
    const int decimals = digits - 1 - rounded_exponent(value, digits);
    pm_text_decimals(out, value, decimals > 0 ? decimals : 0);
}

void pm_text_count(struct pm_str *out, int64_t value)
{
    char number[32];
    snprintf(number, sizeof number, "%" PRId64, value);
    add_grouped(out, number);
}

void pm_text_number(struct pm_str *out, double value)
{
    pm_text_significant(out, value, PM_TEXT_DIGITS);
}

static const struct pm_text_unit times[] = {
    {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};
static const struct pm_text_unit sizes[] = {
    {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {NULL, 0}};

static const struct pm_text_unit *unit_of(double value, const struct pm_text_unit *unit)
{
    while (unit[1].name && isfinite(value) &&
           rounded_exponent(value / unit->size, PM_TEXT_DIGITS) >= 3)
        unit++;
    return unit;
}

void pm_text_time(struct pm_str *out, double ns)
{
    if (isnan(ns))
        return;
    const struct pm_text_unit *unit = unit_of(ns, times);
    pm_text_significant(out, ns / unit->size, PM_TEXT_DIGITS);
    pm_str_addf(out, " %s", unit->name);
}

void pm_text_bytes(struct pm_str *out, int64_t bytes)
{
    const struct pm_text_unit *unit = unit_of((double)bytes, sizes);
    if (bytes < 1000) { /* bytes have no fractions */
        pm_str_addf(out, "%" PRId64 " B", bytes);
        return;
    }
    pm_text_significant(out, (double)bytes / unit->size, PM_TEXT_DIGITS);
    pm_str_addf(out, " %s", unit->name);
}

const struct pm_text_unit *pm_text_time_unit(double ns)
{
    return unit_of(ns, times);
}

void pm_text_ratio(struct pm_str *out, double ratio)
{
    if (isnan(ratio))
        return;
    const bool slower = ratio >= 1;
    struct pm_str factor = PM_STR_INIT;
    pm_text_significant(&factor, slower ? ratio : 1 / ratio, PM_TEXT_RATIO_DIGITS);
    pm_str_addf(out, "%sx", factor.data);
    if (strcmp(factor.data, "1.0"))
        pm_str_add(out, slower ? " slower" : " faster");
    pm_str_release(&factor);
}

/* Adds up to MOST_DECIMALS decimals until a share differs from 0 % and 100 %: 99.6 % is not 100
 * %. */
void pm_text_percent(struct pm_str *out, double share)
{
    enum { MOST_DECIMALS = 3 };
    int decimals = 0;
    double scale = 1;
    while (decimals < MOST_DECIMALS && share > 0 && share < 1 &&
           (share * 100 * scale < 0.5 || (1 - share) * 100 * scale <= 0.5)) {
        decimals++;
        scale *= 10;
    }
    if (!add_unless_finite(out, share))
        pm_text_decimals(out, share * 100, decimals);
}

void pm_text_share(struct pm_str *out, double share)
{
    if (isnan(share))
        return;
    pm_text_percent(out, share);
    pm_str_add(out, " %");
}
