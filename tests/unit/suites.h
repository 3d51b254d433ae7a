/* Functions for tests of case files; each test has a folder of its own. */
#ifndef PM_TESTS_UNIT_SUITES_H
#define PM_TESTS_UNIT_SUITES_H

#include "suite/suite.h"

/* Set-up and tear-down. The folder is the working folder while the test runs, so that errors name
 * files by short paths, as the expected messages do. */
int suites_enter(void **state);
int suites_leave(void **state);

extern const struct pm_case_words suites_words;

void suites_write(const char *name, const char *text);
/* Loads the file as a suite of PyTorch. */
int suites_load(struct pm_suite *suite, struct pm_error *err, const char *path);
/* Writes the text to a file and loads it; if it has an error, the test fails. */
void suites_load_text(struct pm_suite *suite, const char *text);

#endif
