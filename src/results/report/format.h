/* Texts that reports share: markup, names of cases, differences of scripts. */
#ifndef PM_REPORT_FORMAT_H
#define PM_REPORT_FORMAT_H

#include "base/str.h"

/* Appends a character of a text of HTML or XML, between tags or in double quotes. */
void pm_report_format_markup(struct pm_str *out, char c);

/* Names of cases. Those of tests with equal dtypes are together: "rows, columns [float32, float64];
 * empty". */
struct pm_report_cases {
    struct pm_report_test {
        char *name;           /* name of a case without its dtype */
        struct pm_str dtypes; /* "float32, float64" */
    } * items;
    size_t count, capacity;
};
/* Adds a case; the cases of one test follow each other. */
void pm_report_cases_add(struct pm_report_cases *cases, const char *name);
void pm_report_format_cases(struct pm_str *out, const struct pm_report_cases *cases);
void pm_report_cases_release(struct pm_report_cases *cases);

/* Returns the edits that turn script `first` into script `other`, apart from comments: "7: device =
 * 2" replaces line 7, "3-4: import os" replaces lines 3 and 4. Several edits with one place follow
 * each other there, and an edit without text is an empty line. The caller frees; NULL: the edits
 * are not much shorter than the script. */
char *pm_report_differences(const char *first, const char *other);

#endif
