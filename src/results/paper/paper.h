/*
 * The paper's tables 1 to 8 and figures 1 to 10 in form: the same columns and the same meaning, of
 * any targets that portmeter measured.
 *
 *     const struct pm_paper_request request = {.db = "portmeter.db"};
 *     PM_TRY(pm_paper_add_table(&request, "1", report, err));
 *     PM_TRY(pm_paper_make_figure(&request, "2", &figure, err));   // pm_figure_free()
 *
 * Which targets: those that the caller names as sides (side.h), in this order; otherwise the
 * subjects of the report that were executed, and, for a framework with one subject, its reference
 * before it. The first target of a framework is the base of its ratios. What the paper calls GPU
 * and TPU are the devices of the targets; two with equal devices are distinguished by what differs
 * first: name of the device, version, processor, run, file.
 * In a database without a run, the targets are what was imported: each report with its timings is
 * one. With printed numbers alone, a table is the printed one.
 *
 *   1, 3, 8    works, partly and fails by the paper's counting rules: shares (1), of
 *              generations of one device (3), counts (8). Generations are sides of one framework
 *              that have equal devices, or, where sides are named, all of them
 *   2, 5, 6, 7 latencies of functions on two targets (small inputs, warm) over the same cases: the
 *              two with the greatest and the two with the least ratio (2), all of PyTorch (5),
 *              TensorFlow (6) and JAX (7)
 *   4          shares of failing functions among the 20 most used ones, and among all. Use is that
 *              of the run's sample, otherwise of the imported paper's
 *
 *   figure 1   latency of each function on two targets
 *   2          densities of these latencies (pm_stat_density())
 *   3          shares of functions that are faster on one and on the other
 *   4, 5       failing functions by decile of use, and among the 20 most used ones
 *   6          failing cases by reason
 *   7          functions that are at least 1.5 times faster on the newer generation
 *   8, 9, 10   distributions of the latencies of cases: TensorFlow, PyTorch, JAX
 */
#ifndef PM_PAPER_SIDES_H
#define PM_PAPER_SIDES_H

#include "base/error.h"
#include "reading/reading.h"
#include "report/figure.h"
#include "report/table.h"

struct pm_paper_request {
    const char *db;
    int64_t run_id;             /* run of sides that are not named; 0: the newest of each target */
    const char *const *targets; /* sides as side.h has them; none: chosen as above */
    size_t target_count;
};

bool pm_paper_has_table(const char *number);
bool pm_paper_has_figure(const char *number);
/* Appends the numbers of the tables: "1, 2, 3, ...". */
void pm_paper_list_tables(struct pm_str *out);
void pm_paper_list_figures(struct pm_str *out);

/* Adds the table. PM_EUSAGE says what the table needs and the database lacks; where only a part
 * lacks something, a note says so. */
PM_MUST_USE int pm_paper_add_table(const struct pm_paper_request *request, const char *number,
                                   struct pm_report *report, struct pm_error *err);
/* Adds figures that the targets of a reading can make, from stored results, each with a sentence
 * and the command that draws it: 1, once for each subject and its reference, 3 and 6. Without any,
 * a line says what is required. `option`: " --db FILE", or "" for the default database. */
void pm_paper_add_page_figures(const struct pm_reading *r, const char *option,
                               struct pm_report *report);
/* Makes a figure, with the same errors as a table. The caller frees *out. */
PM_MUST_USE int pm_paper_make_figure(const struct pm_paper_request *request, const char *number,
                                     struct pm_figure **out, struct pm_error *err);

struct pm_reading;
struct pm_publication;
/* Adds the functions that were measured and published; nothing if there are none. */
void pm_paper_add_then(const struct pm_reading *r, const struct pm_publication *p,
                       struct pm_report *report);

#endif
