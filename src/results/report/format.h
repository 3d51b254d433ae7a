/* Formats texts that reports share: markup, names of cases, differences of scripts. */
#ifndef PM_REPORT_FORMAT_H
#define PM_REPORT_FORMAT_H

#include "base/str.h"

/* Appends a character of plain text to HTML or XML, escaped for a place between tags or in double
 * quotes. */
void pm_report_format_markup(struct pm_str *out, char c);

/* Names of cases, for a text that groups tests by their dtypes: "rows, columns [float32, float64];
 * empty". */
struct pm_report_cases {
    struct pm_report_test {
        char *name;           /* name of its cases without the dtype */
        struct pm_str dtypes; /* "float32, float64" */
    } * items;
    size_t count, capacity;
};
/* Adds a case. The cases of one test must be added one after the other. */
void pm_report_cases_add(struct pm_report_cases *cases, const char *name);
/* Appends the names, grouped as above. */
void pm_report_format_cases(struct pm_str *out, const struct pm_report_cases *cases);
void pm_report_cases_release(struct pm_report_cases *cases);

/* Returns the edits, one per line, that turn script `first` into script `other`, apart from
 * comments: "7: device = 2" replaces line 7, "3-4: import os" replaces lines 3 and 4. If several
 * edits name the same lines, their texts become several lines in this order. An edit without text
 * leaves an empty line. The caller frees the result. Returns NULL if the edits are not much shorter
 * than the script, or a script is empty or has over 60 lines. */
char *pm_report_differences(const char *first, const char *other);

#endif
