/* Loading and writing that several commands share. Private to core. */
#ifndef PM_CORE_WRITING_H
#define PM_CORE_WRITING_H

#include "report/table.h"
#include "suite/suite.h"

/* Renders to stdout, or whole to the file `output`. */
PM_MUST_USE int pm_write_report(const struct pm_report *report, const char *format, unsigned width,
                                bool colour, const char *output, struct pm_error *err);

/* The files named, or where none is the framework's own suite. */
PM_MUST_USE int pm_load_suite(struct pm_suite *suite, const char *framework,
                              const char *const *paths, size_t path_count, struct pm_error *err);

#endif
