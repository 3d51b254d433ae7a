/* A good database, for the targets 'answer' and 'database'. */
#ifndef PM_TESTS_FUZZ_GOOD_H
#define PM_TESTS_FUZZ_GOOD_H

#include <sqlite3.h>

/* Makes the database whose rows are in good.sql and judges it, in a scratch folder that goes when
 * the process ends. Gives its path; call it once. */
const char *fuzz_good_database(void);
/* Returns the folder that contains it. */
const char *fuzz_good_folder(void);

/* Runs statements, which must not fail. */
void fuzz_sql(sqlite3 *db, const char *text);

#endif
