/* Declares the tables of a run, by name. Private to the room. */
#ifndef PM_TABLES_KINDS_H
#define PM_TABLES_KINDS_H

#include "base/map.h"
#include "published/tables.h"
#include "reading/reading.h"
#include "report/table_columns.h"
#include "tables/tables.h"
#include "usage/usage.h"

/* A table, by its name. Tables with the paper's numbers are in paper/paper.h. */
struct table_kind {
    const char *name;
    /* Adds its tables to the report; adds an empty table only if the reading shows_empty. NULL: the
     * table belongs to a scan, or is `history`, which reporting.c prints. */
    void (*add)(const struct pm_reading *r, struct pm_report *report);
    bool only_asked; /* not in the full report, but only on request */
    int (*add_of_scan)(const struct pm_usage_table *t, struct pm_error *err); /* NULL: the table
                                                                                 belongs to runs */
    bool needs_uses; /* needs a scan that stored the places of uses */
    /* The table needs the rows that a reading has if its members of these names are set. Without
     * of_executions, a case whose executions agree has only one judgement in the reading. */
    bool of_cases, of_executions, of_dtypes;
};
extern const struct table_kind pm_tables__kinds[];
extern const size_t pm_tables__kind_count;

/* Adds the table to the report; drops it if it has no rows, unless the reading shows_empty. */
static inline void pm_tables__take(const struct pm_reading *r, struct pm_report *report,
                                   struct pm_table *table)
{
    if (pm_table_rows(table) || r->shows_empty)
        pm_report_take_table(report, table);
    else
        pm_table_free(table);
}

/* Returns whether an interval is too wide for its estimate to be useful: over 50 percentage
 * points. */
static inline bool pm_tables__says_nothing(const struct pm_interval *share)
{
    return !(share->high - share->low <= 0.5);
}

/* Verdicts of one target; host-only functions are counted separately. */
struct tally {
    int64_t functions, of[PM_VERDICT_COUNT], host_only;
    int64_t counted, working; /* functions with a counted verdict; those that work */
    int64_t
        impossible; /* counted functions that do not work because they are not possible by design */
    double share;   /* share of counted functions that work; NaN: none is counted */
    double possible_share; /* share of possible counted functions that work; NaN: none is
                              possible */
    double case_share;     /* mean over the counted functions of the share of their cases that
                              pass; NaN: none is counted */
};
/* Counts the verdicts of a target; with `paper`, by the paper's counting rules. */
struct tally pm_tables__tally(const struct pm_reading *r, int target, bool paper);

/* The verb for a function whose cases pass on a target: "works", or a weaker one if nothing was
 * executed ("can be lowered", "has shapes"). */
struct pm_tables__verb {
    const char *singular, *plural;
};
struct pm_tables__verb pm_tables__verb(const struct pm_reading *r, int target);

/* These are in function_tables.c. */
void pm_tables__add_functions(const struct pm_reading *r, struct pm_report *report);
/* Returns the word of a verdict; "host-only" for a function without inputs and outputs on the
 * device, "not possible" for a function that cannot work on the device by design. */
const char *pm_tables__verdict_word(const struct pm_reading *r, const struct pm_reading_verdict *v);

/* Returns the stratum of a function in the paper's sample, such as "decile 40"; "" if the sample
 * does not contain it. */
const char *pm_tables__stratum(const struct pm_reading *r, const char *function);
/* Returns the star that marks a function of the paper's sample in output for people; otherwise
 * "". */
const char *pm_tables__mark(const struct pm_reading *r, const char *function);
/* Adds a cell with the function's name and its mark. */
void pm_tables__function_cell(const struct pm_reading *r, const char *function,
                              struct pm_table *table);
/* Adds the note that explains the star and counts the marked functions, if the reading has some. */
void pm_tables__note_paper(const struct pm_reading *r, struct pm_table *table);

/* These are in failure_tables.c. */
void pm_tables__add_failures(const struct pm_reading *r, struct pm_report *report);

/* Adds the functions that fail or work only partly on a target, by reason, the heaviest first
 * (reason_table.c). */
void pm_tables__add_reasons(const struct pm_reading *r, struct pm_report *report);

/* These are in case_rows.c. */
void pm_tables__add_cases(const struct pm_reading *r, struct pm_report *report);
void pm_tables__add_executions(const struct pm_reading *r, struct pm_report *report);

/* These are in tables.c. */
void pm_tables__add_summary(const struct pm_reading *r, struct pm_report *report);
void pm_tables__add_paper_way(const struct pm_reading *r, struct pm_report *report);
void pm_tables__add_not_counted(const struct pm_reading *r, struct pm_report *report);
void pm_tables__add_dtypes(const struct pm_reading *r, struct pm_report *report);
void pm_tables__add_targets(const struct pm_reading *r, struct pm_report *report);
void pm_tables__add_planted_faults(const struct pm_reading *r, struct pm_report *report);

/* These are in case_tables.c. */
void pm_tables__add_checked(const struct pm_reading *r, struct pm_report *report);
void pm_tables__add_neighbours(const struct pm_reading *r, struct pm_report *report);

/* A function (`name` is "") or a case that is not counted: its verdict or outcome, and why. */
struct not_counted {
    int target;
    const char *function, *name, *result, *why_not, *message;
};
/* Add rows of the type struct not_counted: the cases that fail on a reference (case_tables.c), and
 * other uncounted cases that do not pass (failure_tables.c). */
void pm_tables__reference_failures(const struct pm_reading *r, struct pm_table *table);
void pm_tables__not_counted_failures(const struct pm_reading *r, struct pm_table *table);

/* Counts the functions of a target whose outputs were checked by `expect` or `check`, and those
 * whose outputs were checked only by the reference or not at all. */
void pm_tables__count_checks(const struct pm_reading *r, int target, int64_t *by_case,
                             int64_t *by_nothing);

/* A case whose results vary, and how. */
struct varying {
    int target;
    const char *function, *name, *what;
};
/* Adds rows of the type struct varying: the flaky cases. */
void pm_tables__flaky_rows(const struct pm_reading *r, struct pm_table *table);
/* Returns the number of those rows, and of the rows of the table `neighbours`. */
int64_t pm_tables__count_flaky(const struct pm_reading *r);
int64_t pm_tables__count_neighbours(const struct pm_reading *r);

/* Returns a text that names functions with cases that ended their process on a shown target:
 * "tf.linalg.svd (1 case)"; "" if there are none. Includes functions that are not counted, and
 * cases that passed when retried in isolation. The caller frees it. The list for JSON has all of
 * these functions. (crashes.c) */
char *pm_tables__crashes(const struct pm_reading *r, int target);
json_t *pm_tables__crashes_json(const struct pm_reading *r, int target);

/* Appends to a warning, for each older run and target, functions that failed there and that no
 * newer run measured. Appends nothing if there are none. `option`: " --db FILE", or "". The list
 * for JSON has all of these functions. (older.c) */
void pm_tables__older(const struct pm_reading *r, const char *option, struct pm_str *out);
json_t *pm_tables__older_json(const struct pm_reading *r);

/* Returns how many cases do not pass and are not counted, except those that fail on the reference
 * (failure_tables.c). */
int64_t pm_tables__count_not_counted(const struct pm_reading *r);

/* These are in latency_tables.c. */
void pm_tables__add_ratios(const struct pm_reading *r, struct pm_report *report);
void pm_tables__add_clocks(const struct pm_reading *r, struct pm_report *report);
void pm_tables__add_unstable(const struct pm_reading *r, struct pm_report *report);

/* Prints the report for o->against: the latencies of all targets, compared with that target
 * (against.c). */
PM_MUST_USE int pm_tables__report_against(const struct pm_report_options *o, struct pm_error *err);

/* These are in estimate_tables.c. */
void pm_tables__add_estimates(const struct pm_reading *r, struct pm_report *report);

#endif
