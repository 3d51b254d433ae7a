/* Makes a good database, for the targets 'answer' and 'database'. */
#ifndef PM_TESTS_FUZZ_GOOD_H
#define PM_TESTS_FUZZ_GOOD_H

#include <sqlite3.h>

/* Makes the database with the rows of good.sql and judges it, in a scratch folder that is removed
 * when the process ends. Returns its path; call it only once. */
const char *fuzz_good_database(void);
/* Returns the folder of the database. */
const char *fuzz_good_folder(void);

/* Runs SQL statements, which must not fail. */
void fuzz_sql(sqlite3 *db, const char *text);

#endif
