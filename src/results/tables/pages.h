/* Declares the parts that only pages have: charts of all functions, and the details to which the
 * row of a function opens. Private to the room. */
#ifndef PM_TABLES_PAGES_H
#define PM_TABLES_PAGES_H

#include "explain/explain.h"
#include "history/history.h"
#include "report/figure.h"
#include "tables/kinds.h"

/* Adds one chart per framework: its functions, worst first, by its targets. Each cell is a verdict
 * as pm_tables__verdict_word() prints it. A reference has a column only if nothing is compared with
 * it. */
void pm_tables__add_matrices(const struct pm_reading *r, struct pm_report *report);

struct ranked {
    int target;
    double share; /* share of working functions; NaN: none is counted */
};
/* Returns the targets that have a column, the one with the lowest share first. Sets *count; the
 * caller frees the array. */
struct ranked *pm_tables__rank_targets(const struct pm_reading *r, size_t *count);

/* Adds the functions of each target by verdict, as bars (bars.c). */
void pm_tables__add_bars(const struct pm_reading *r, struct pm_report *report);
/* Returns the same as a figure: the share of each verdict among the counted functions of a target.
 * The caller frees it. NULL: no target has a counted function. */
struct pm_figure *pm_tables__draw_verdicts(const struct pm_reading *r);

/* Adds a table of all functions, worst first, with the worst verdict, its target and reason, and
 * the slowest ratio. The details of each row are messages with their reasons and rules, the results
 * on each target, the outcomes of the cases, scripts that reproduce failures, the paper's numbers,
 * and commands. `option`: see struct page_source. */
void pm_tables__add_pages(const struct pm_reading *r, const struct pm_published *published,
                          const struct pm_report_options *o, const char *option,
                          struct pm_report *report);

/* ---- one function: the details of its row --------------------------------------------------- */

/* A function of a framework. Its verdicts on the targets of that framework are adjacent. */
struct function {
    const char *framework, *name;
    const struct pm_reading_verdict *const *verdicts; /* by target */
    size_t count;
    const struct pm_reading_verdict *worst; /* NULL: no verdict on a target with a column */
    size_t weight;                          /* sum of how bad its verdicts are */
};

struct functions {
    const struct pm_reading_verdict **verdicts;
    struct function *items;
    size_t count;
    struct pm_map first_judgement; /* by target and function: index + 1 in r->judgements */
};

/* The paper's printed numbers and its imported tests, for one framework. */
struct page_paper {
    const char *framework;              /* name in the paper */
    const struct pm_results *gpu, *tpu; /* NULL: not imported */
    struct pm_row *rows; /* printed rows with their test files, if both are imported */
    size_t count;
};

/* The data from which the pages of a report are made. */
struct page_source {
    const struct pm_reading *r;
    const struct functions *all;
    const struct pm_published *published;
    const char *option;                 /* " --db FILE", or "" for the default database */
    const struct pm_history_past *past; /* NULL: not known */
    struct page_paper papers[PM_PUBLICATION_FRAMEWORKS];
    struct pm_explain_script
        *scripts; /* script of the first failing case of each message on each target */
    size_t script_count, script_capacity;
    struct pm_map script_by_execution; /* index + 1 */
};
/* Fills in `papers` from the other members. The release function frees only `papers`. */
void pm_tables__page_source_fill(struct page_source *source);
void pm_tables__page_source_release(struct page_source *source);

/* case_rows.c: data about the first call of a function on a target, as medians over its executions,
 * in the order of enum first_call; NaN: not known. Times in ns, memory in bytes. */
enum first_call {
    FIRST_CALL_TIME,
    FIRST_CALL_TRACING,
    FIRST_CALL_LOWERING,
    FIRST_CALL_COMPILING,
    FIRST_CALL_RUNNING,
    FIRST_CALL_COMPILATIONS,
    FIRST_CALL_RECOMPILATIONS,
    FIRST_CALL_MEMORY,
    FIRST_CALL_COLUMNS
};
void pm_tables__first_call(const struct page_source *source, int target, const char *function,
                           double medians[FIRST_CALL_COLUMNS]);

/* Adds the outcomes of the function's cases on each target to the matrix of its facts. Cases with
 * equal outcomes share a row, whose heading names them. Returns the number of cases.
 * (case_tables.c) */
int64_t pm_tables__add_outcomes(const struct page_source *source, const struct function *f,
                                struct pm_table *t);
/* Returns a table with each message once (failure_tables.c). The caller frees it. */
struct pm_table *pm_tables__message_table(const struct page_source *source,
                                          const struct pm_reading_messages *messages);
/* Returns the judgement from which a case has its message; NULL if the reading does not have it
 * (case_rows.c). */
const struct pm_reading_judgement *pm_tables__failure_of(const struct page_source *source,
                                                         const struct pm_reading_case *c);
/* Returns the script that reproduces the failure of a case; NULL if none was made (case_rows.c). */
const struct pm_explain_script *pm_tables__script_of(const struct page_source *source,
                                                     const struct pm_reading_case *c);
/* Returns the outcome of a case as pages show it, which may also be "flaky"; "" for NULL. */
static inline const char *pm_tables__outcome(const struct pm_reading_case *c)
{
    if (!c)
        return "";
    return c->failed && c->passed ? "flaky" : pm_outcome_text(c->outcome);
}

/* Returns the details of a function; the caller frees them. The title is the text of the closed
 * row. */
struct pm_report *pm_tables__page(const struct page_source *source, const struct function *f);

/* Returns a table with the paper's latencies and verdicts of the function, and the measured
 * verdicts. It has no row if the paper has no latencies of the function. The caller frees it.
 * (then_tables.c) */
struct pm_table *pm_tables__published(const struct page_source *source, const struct function *f);

#endif
