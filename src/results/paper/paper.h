/*
 * Makes tables and figures in the form of the paper's tables 1 to 8 and figures 1 to 10: with the
 * same columns and the same meaning, but for any targets that portmeter measured.
 *
 *     const struct pm_paper_request request = {.db = "portmeter.db"};
 *     PM_TRY(pm_paper_add_table(&request, "1", report, err));
 *     PM_TRY(pm_paper_make_figure(&request, "2", &figure, err));   // pm_figure_free()
 *
 * Which targets: the caller can name them, as sides (side.h), in the order in which they are shown.
 * Otherwise they are the executed subjects of the report; if a framework has only one, its
 * reference precedes it. The first target of a framework is the base of its ratios. A target is
 * labelled with its device, where the paper says GPU or TPU. If targets of a framework have equal
 * devices, the label also contains the first of these facts that differs: name of the device,
 * version, processor, run, file.
 * In a database without a measured run, each imported report with its timings is a target. If only
 * the paper's printed numbers were imported, a table contains these numbers.
 *
 *   1, 3, 8    verdicts "works", "partly" and "fails" by the paper's counting rules: shares (1),
 *              shares on generations of one device (3), counts (8). Generations are sides of one
 *              framework with equal devices or, if the caller names the sides, all its sides
 *   2, 5, 6, 7 latencies of functions on two targets (small inputs, warm) over the same cases: the
 *              two functions with the largest and the two with the smallest ratio (2), all
 *              functions of PyTorch (5), TensorFlow (6) and JAX (7)
 *   4          shares of failing functions among the 20 most used functions, and among all. The
 *              sample of the run says how often functions are used, otherwise the imported paper
 *
 *   figure 1   latency of each function on two targets
 *   2          densities of these latencies (pm_stat_density())
 *   3          shares of functions that are faster on the first and on the second target
 *   4, 5       failing functions by decile of use, and among the 20 most used ones
 *   6          failing cases by reason
 *   7          shares of functions that are at least 1.5 times faster on the second generation
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
    int64_t run_id;             /* run to show if no sides are named; 0: the newest run of each
                                   target */
    const char *const *targets; /* sides, in the form of side.h; none: chosen as above */
    size_t target_count;
};

/* Return whether the paper has a table or a figure of that number: "8". */
bool pm_paper_has_table(const char *number);
bool pm_paper_has_figure(const char *number);
/* Append the numbers of the tables, or of the figures: "1, 2, 3, ...". */
void pm_paper_list_tables(struct pm_str *out);
void pm_paper_list_figures(struct pm_str *out);

/* Adds the table of that number, which must exist. The message of PM_EUSAGE says what the table
 * needs and the database lacks. If only some targets lack data, a note of the table says so. */
PM_MUST_USE int pm_paper_add_table(const struct pm_paper_request *request, const char *number,
                                   struct pm_report *report, struct pm_error *err);
/* Adds the figures of an HTML page, each with a sentence and the command that draws it: figures 6
 * and 3, and figure 1 for each of the first 8 pairs of a timed subject and its reference. All data
 * comes from the reading. If the reading lacks data for a figure, a line says what is required.
 * `option`: " --db FILE", or "" for the default database. */
void pm_paper_add_page_figures(const struct pm_reading *r, const char *option,
                               struct pm_report *report);
/* Makes a figure, with the same errors as a table. Sets *out even if it fails; the caller frees it
 * with pm_figure_free(). */
PM_MUST_USE int pm_paper_make_figure(const struct pm_paper_request *request, const char *number,
                                     struct pm_figure **out, struct pm_error *err);

struct pm_reading;
struct pm_publication;
/* Adds a table of the functions that were measured and are in the paper's tables of latencies: the
 * measured ratio beside the published latencies. Adds nothing if there is no such function. */
void pm_paper_add_then(const struct pm_reading *r, const struct pm_publication *p,
                       struct pm_report *report);

#endif
