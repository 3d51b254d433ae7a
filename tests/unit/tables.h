/*
 * Tables made of the judged rows of a store (stores.h), as their values: what they print is the
 * room 'report's.
 *
 *     json_t *report = tables_of(s, "summary");
 *     assert_text(rows_of(report, "summary"), "[\"null@null\",2,1,...]\n");
 *     json_decref(report);
 */
#ifndef PM_TESTS_UNIT_TABLES_H
#define PM_TESTS_UNIT_TABLES_H

#include <jansson.h>

#include "stores.h"

/* Returns the newest run's report as JSON, with the tables of this kind only. Nothing is shown that
 * has no row, unless tables_of_asked() is the one who asks. */
json_t *tables_of(struct stored *s, const char *kind);
json_t *tables_of_asked(struct stored *s, const char *kind);
/* As text and Markdown have them: rows that say the same are one row. */
json_t *tables_for_people(struct stored *s, const char *kind);

/* Returns the cells of these columns ("target,verdict"), by their ids, of the table with that id: a
 * line of compact JSON for each row, numbers with 4 digits; "no table" if there is no such table.
 * "run_*" are the columns whose ids begin with "run_"; one that the table lacks is "no column". The
 * caller frees. */
char *columns_of(const json_t *report, const char *id, const char *columns);
/* Its notes, or with id NULL the labelled lines of the report ("label: text"), a line each. */
char *notes_of(const json_t *report, const char *id);

/* ---- judged rows of the newest run ----------------------------------------------------------- */

struct judged_verdict {
    const char *target, *function, *verdict;
    const char *paper; /* NULL: the same */
    bool host_only;
    const char *detail, *reason;
    int64_t counted, passed, core, core_passed; /* cases */
    const char *limits;
};
void stored_add_verdicts(struct stored *s, const struct judged_verdict *items, size_t count);
#define STORED_VERDICTS(s, items) stored_add_verdicts(s, items, sizeof(items) / sizeof *(items))

/* Executions that are done, each with its outcome. Their cases count, but for what is blocked. */
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
