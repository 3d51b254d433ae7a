/*
 * The study's tables 1 to 8 and figures 1 to 10 in form: the same columns and the same meaning, of
 * any targets that portmeter measured.
 *
 *     const struct pm_sides_request request = {.db = "portmeter.db"};
 *     PM_TRY(pm_sides_add_table(&request, "1", report, err));
 *     PM_TRY(pm_sides_make_figure(&request, "2", &figure, err));   // pm_figure_free()
 *
 * Which targets: those that the caller names as sides (side.h), in this order; otherwise the
 * subjects of the report that were executed, and, for a framework with one subject, its reference
 * before it. The first target of a framework is the base of its ratios. What the study calls GPU
 * and TPU are the devices of the targets; two with equal devices are distinguished by what differs
 * first: name of the device, version, processor, run, file.
 *
 *   1, 3, 8    success, partial and complete failure by the study's counting rules: shares (1), of
 *              generations of one device (3), counts (8). Generations are sides of one framework
 *              that have equal devices, or, where sides are named, all of them
 *   2, 5, 6, 7 latencies of functions on two targets (small inputs, warm) over the same cases: the
 *              two with the greatest and the two with the least ratio (2), all of PyTorch (5),
 *              TensorFlow (6) and JAX (7)
 *   4          shares of failing functions among the 20 most used ones, and among all. Use is that
 *              of the run's sample, otherwise of the imported study's
 *
 *   figure 1   latency of each function on two targets
 *   2          densities of these latencies (pm_stat_density())
 *   3          shares of functions that are faster on one and on the other
 *   4, 5       failing functions by decile of use, and among the 20 most used ones
 *   6          failing cases by reason
 *   7          functions that are at least 1.5 times faster on the newer generation
 *   8, 9, 10   distributions of the latencies of cases: TensorFlow, PyTorch, JAX
 */
#ifndef PM_SIDES_SIDES_H
#define PM_SIDES_SIDES_H

#include "base/error.h"
#include "reading/reading.h"
#include "report/figure.h"
#include "report/table.h"

struct pm_sides_request {
    const char *db;
    int64_t run_id;             /* of sides that are not named; 0: the newest of each target */
    const char *const *targets; /* sides as side.h has them; none: chosen as above */
    size_t target_count;
};

bool pm_sides_has_table(const char *number);
bool pm_sides_has_figure(const char *number);
/* Append the numbers: "1, 2, 3, ...". */
void pm_sides_list_tables(struct pm_str *out);
void pm_sides_list_figures(struct pm_str *out);

/* Adds the table. PM_EUSAGE says what the table needs and the database lacks; where only a part
 * lacks something, a note says so. */
PM_MUST_USE int pm_sides_add_table(const struct pm_sides_request *request, const char *number,
                                   struct pm_report *report, struct pm_error *err);
/* Adds figures that the targets of a reading can make, by what judging stored, with what each says
 * and the command that draws it: 1, once for each subject and its reference, 3 and 6. Without any,
 * a line says what is required. `option`: " --db FILE", or "" for the default database. */
void pm_sides_add_page_figures(const struct pm_reading *r, const char *option,
                               struct pm_report *report);
/* The same of a figure. The caller frees *out. */
PM_MUST_USE int pm_sides_make_figure(const struct pm_sides_request *request, const char *number,
                                     struct pm_figure **out, struct pm_error *err);

struct pm_reading;
struct pm_publication;
/* Adds the functions that were measured and published; nothing if there are none. */
void pm_sides_add_then(const struct pm_reading *r, const struct pm_publication *p,
                       struct pm_report *report);

/*
 * Then and now: for each target with two or more valid runs that have results, its runs in order
 * with what changed from each to the next, and a row for each function that ever changed.
 *
 * A history has one target text on one device of one machine: the same name elsewhere is a history
 * of its own. Each run is compared (changes.h) with what was known before it: of every function and
 * case, the latest run that measured them. So a run of some functions or cases in between hides
 * nothing, and cases that are not in common decide nothing. The last is also compared with the
 * first, which finds what grew slowly. All comparisons of a history together have a false discovery
 * rate of 5 %.
 */
enum { PM_SIDES_HISTORY_RUNS = 10 };
struct pm_sides_history_request {
    const char *db;
    int64_t run_id;      /* the last run of its targets; 0: the newest */
    size_t most;         /* newest runs of a target, at least 2; 0: PM_SIDES_HISTORY_RUNS */
    bool for_people;     /* a column a run; else a row a function and run */
    bool functions_only; /* no table of runs */
    const char *option;  /* " --db FILE" for commands, or "" */
};
/* PM_EUSAGE: the database has no such run, or `most` is 1. Where no target has two runs, a line
 * says what to do. */
PM_MUST_USE int pm_sides_add_history(const struct pm_sides_history_request *request,
                                     struct pm_report *report, struct pm_error *err);

/* Of the shown targets of a reading: stored verdicts and latencies of the newest five runs before
 * those that are shown, of the same history. Nothing is compared. Freed in any case. */
struct pm_sides_past;
struct pm_reading_verdict;
PM_MUST_USE int pm_sides_past_load(const char *db, const struct pm_reading *r,
                                   struct pm_sides_past **out, struct pm_error *err);
void pm_sides_past_free(struct pm_sides_past *past);
/* Each appends nothing if nothing is known. "since run 2"; "since run 5; fails in run 4, works in
 * run 2": before, the newest run of each verdict. */
void pm_sides_past_verdicts(const struct pm_sides_past *past, const struct pm_reading_verdict *now,
                            struct pm_str *out);
/* "1.50 us in run 5, 1.00 us in run 2": of runs that were asked for the same cases. */
void pm_sides_past_latencies(const struct pm_sides_past *past, const struct pm_reading_verdict *now,
                             struct pm_str *out);

#endif
