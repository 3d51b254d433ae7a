/*
 * The values of tables made from the judged rows of a store (stores.h). The tests of the room
 * 'report' check how tables are printed.
 *
 *     json_t *report = tables_of(s, "summary");
 *     assert_text(columns_of(report, "summary", "target,works"), "[\"null@null\",2]\n");
 *     json_decref(report);
 */
#ifndef PM_TESTS_UNIT_TABLES_H
#define PM_TESTS_UNIT_TABLES_H

#include <jansson.h>

#include "stores.h"

/* Returns the newest run's report as JSON, with only the tables of this kind. Only
 * tables_of_asked() includes tables without rows. */
json_t *tables_of(struct stored *s, const char *kind);
json_t *tables_of_asked(struct stored *s, const char *kind);
/* Like tables_of(), but with the rows that text and Markdown show: equal rows are one row. */
json_t *tables_for_people(struct stored *s, const char *kind);

/* Returns the cells of some columns of a table: a line of compact JSON for each row, numbers with 4
 * digits; "no table" if there is no such table. `id` is the table's id, followed by its subject if
 * it has one: "ratios null@null small". `columns` has the ids of the columns: "target,verdict".
 * "run_*" means all columns whose ids begin with "run_"; a missing column gives "no column". The
 * caller frees the text. */
char *columns_of(const json_t *report, const char *id, const char *columns);
/* Returns the notes of the table with this id and subject or, if `id` is NULL, the labelled lines
 * of the report ("label: text"), one per line. The caller frees the text. */
char *notes_of(const json_t *report, const char *id);

/* ---- judged rows of the newest run ----------------------------------------------------------- */

struct judged_verdict {
    const char *target, *function, *verdict;
    const char *paper; /* NULL: equal to `verdict` */
    bool host_only;
    const char *detail, *reason;
    int64_t counted, passed, core, core_passed; /* cases */
    const char *limits;
};
void stored_add_verdicts(struct stored *s, const struct judged_verdict *items, size_t count);
#define STORED_VERDICTS(s, items) stored_add_verdicts(s, items, sizeof(items) / sizeof *(items))

/* A finished execution and its outcome. Its case counts, unless `uncounted` is set or the outcome
 * is blocked. */
struct judged_case {
    const char *target, *function, *name, *outcome;
    int64_t repetition;
    const char *stage, *detail;
    bool uncounted;
    const char *reason;
};
void stored_add_judged(struct stored *s, const struct judged_case *items, size_t count);
#define STORED_JUDGED(s, items) stored_add_judged(s, items, sizeof(items) / sizeof *(items))

#endif
