/* Numbers, durations and sizes as people read them. */
#include "report/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_private.h"

enum { DIGITS = 3, RATIO_DIGITS = 2, LONGEST_NUMBER = 400 }; /* DBL_MAX has 309 whole digits */

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

static void add_decimals(struct pm_str *out, double value, int decimals)
{
    char number[LONGEST_NUMBER];
    snprintf(number, sizeof number, "%.*f", decimals, value);
    add_grouped(out, number);
}

/* The decimal exponent of `value` after rounding to so many significant digits: 9.96 with two
 * digits is 1.0e1. */
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

static void add_significant(struct pm_str *out, double value, int digits)
{
    if (add_unless_finite(out, value))
        return;
    if (value == 0) {
        pm_str_add_char(out, '0');
        return;
    }
    const int decimals = digits - 1 - rounded_exponent(value, digits);
    add_decimals(out, value, decimals > 0 ? decimals : 0);
}

void pm_report_format_count(struct pm_str *out, int64_t value)
{
    char number[32];
    snprintf(number, sizeof number, "%" PRId64, value);
    add_grouped(out, number);
}

void pm_report_format_number(struct pm_str *out, double value)
{
    add_significant(out, value, DIGITS);
}

static const struct pm_report__unit times[] = {
    {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};
static const struct pm_report__unit sizes[] = {
    {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {NULL, 0}};

static const struct pm_report__unit *unit_of(double value, const struct pm_report__unit *unit)
{
    while (unit[1].name && isfinite(value) && rounded_exponent(value / unit->size, DIGITS) >= 3)
        unit++;
    return unit;
}

void pm_report_format_time(struct pm_str *out, double ns)
{
    if (isnan(ns))
        return;
    const struct pm_report__unit *unit = unit_of(ns, times);
    add_significant(out, ns / unit->size, DIGITS);
    pm_str_addf(out, " %s", unit->name);
}

void pm_report_format_bytes(struct pm_str *out, int64_t bytes)
{
    const struct pm_report__unit *unit = unit_of((double)bytes, sizes);
    if (bytes < 1000) { /* bytes have no fractions */
        pm_str_addf(out, "%" PRId64 " B", bytes);
        return;
    }
    add_significant(out, (double)bytes / unit->size, DIGITS);
    pm_str_addf(out, " %s", unit->name);
}

const struct pm_report__unit *pm_report__time_unit(double ns)
{
    return unit_of(ns, times);
}

void pm_report_format_ratio(struct pm_str *out, double ratio)
{
    if (isnan(ratio))
        return;
    const bool slower = ratio >= 1;
    struct pm_str factor = PM_STR_INIT;
    add_significant(&factor, slower ? ratio : 1 / ratio, RATIO_DIGITS);
    pm_str_addf(out, "%sx", factor.data);
    if (strcmp(factor.data, "1.0"))
        pm_str_add(out, slower ? " slower" : " faster");
    pm_str_release(&factor);
}

/* 99.6 % is not 100 %: adds digits until the share differs from 0 % and 100 %. */
static void add_percent(struct pm_str *out, double share)
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
        add_decimals(out, share * 100, decimals);
}

void pm_report_format_share(struct pm_str *out, double share)
{
    if (isnan(share))
        return;
    add_percent(out, share);
    pm_str_add(out, " %");
}

/* ---- cells ------------------------------------------------------------------------------------
 */

void pm_report__heading(const struct pm_report__column *column, struct pm_str *out)
{
    pm_str_add(out, column->heading);
    if (column->kind == PM_CELL_SHARE)
        pm_str_add(out, " (%)");
    if (column->unit)
        pm_str_addf(out, " (%s)", column->unit->name);
    if (column->has_intervals)
        pm_str_add(out, " [95 % interval]");
}

/* A bound, like its value, is a factor in the direction of the value where they are ratios. */
static void add_number(struct pm_str *out, double number, double value,
                       const struct pm_report__column *column)
{
    switch (column->kind) {
    case PM_CELL_SHARE:
        add_decimals(out, number * 100, 0);
        break;
    case PM_CELL_TIME:
        add_significant(out, number / column->unit->size, DIGITS);
        break;
    case PM_CELL_RATIO:
        add_significant(out, value >= 1 ? number : 1 / number, RATIO_DIGITS);
        break;
    default:
        add_significant(out, number, DIGITS);
    }
}

static void add_interval(struct pm_str *out, const struct pm_report__cell *cell,
                         const struct pm_report__column *column)
{
    const bool turned = column->kind == PM_CELL_RATIO && cell->value < 1;
    if (isnan(cell->value) || isnan(cell->low) || isnan(cell->high))
        return;
    pm_str_add_char(out, '[');
    add_number(out, turned ? cell->high : cell->low, cell->value, column);
    pm_str_add(out, ", ");
    add_number(out, turned ? cell->low : cell->high, cell->value, column);
    pm_str_add_char(out, ']');
}

static void add_value(struct pm_str *out, double value, const struct pm_report__column *column)
{
    if (isnan(value))
        return;
    if (column->kind == PM_CELL_SHARE)
        add_percent(out, value);
    else if (column->kind == PM_CELL_RATIO)
        pm_report_format_ratio(out, value);
    else
        add_number(out, value, value, column);
}

void pm_report__format_cell(const struct pm_report__cell *cell,
                            const struct pm_report__column *column, struct pm_str *value,
                            struct pm_str *interval)
{
    switch (cell->filling) {
    case PM_FILL_EMPTY:
        break;
    case PM_FILL_TEXT:
        pm_report__clean(value, cell->text);
        break;
    case PM_FILL_COUNT:
        pm_report_format_count(value, cell->count);
        break;
    case PM_FILL_INTERVAL:
        add_interval(interval, cell, column);
        /* fall through */
    case PM_FILL_NUMBER:
        add_value(value, cell->value, column);
    }
}

void pm_report_format_markup(struct pm_str *out, char c)
{
    switch (c) {
    case '&':
        pm_str_add(out, "&amp;");
        break;
    case '<':
        pm_str_add(out, "&lt;");
        break;
    case '>':
        pm_str_add(out, "&gt;");
        break;
    case '"':
        pm_str_add(out, "&quot;");
        break;
    default:
        pm_str_add_char(out, c);
    }
}
