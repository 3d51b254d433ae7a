/*
 * What portmeter does, as functions: each subcommand parses its options and calls one of these, or
 * one of the rooms whose headers are included here. Core only combines rooms; it has no rules about
 * frames, outcomes or numbers.
 *
 * Messages (progress, notes) go to `messages->out`, normally stderr; results go to stdout or the
 * file that the options name.
 */
#ifndef PM_CORE_CORE_H
#define PM_CORE_CORE_H

#include "assess/assess.h"
#include "measure/measure.h"
#include "survey/survey.h"
#include "tables/tables.h"

/* ---- measuring and judging ------------------------------------------------------------------ */

struct pm_run_result {
    struct pm_run_summary run;
    struct pm_judged judged;
};
/* Measures, then judges what was measured. A run to be resumed that is measured to its end and was
 * never judged is only judged. Errors as pm_measure_run(). */
PM_MUST_USE int pm_run(const struct pm_run_options *options, const struct pm_messages *messages,
                       struct pm_run_result *out, struct pm_error *err);

/* ---- looking around ------------------------------------------------------------------------ */

/* Lists the targets that can be measured, with versions, then the others and why. `all`: also those
 * of portmeter's own tests. `format`: text, markdown, json. */
PM_MUST_USE int pm_list_devices(bool all, enum pm_report_format format, unsigned width,
                                const struct pm_messages *messages, struct pm_error *err);
PM_MUST_USE int pm_list_environments(enum pm_report_format format, unsigned width,
                                     struct pm_error *err);
struct pm_environment_request {
    const char *recipe, *name, *version, *python; /* as in pm_environment_plan */
    bool ask;                                     /* asks on stdin before anything is made */
};
PM_MUST_USE int pm_create_environment(const struct pm_environment_request *request,
                                      const struct pm_messages *messages, struct pm_error *err);
PM_MUST_USE int pm_add_environment(const char *name, const char *framework, const char *python,
                                   struct pm_error *err);
PM_MUST_USE int pm_remove_environment(const char *name, struct pm_error *err);

/* ---- suites -------------------------------------------------------------------------------- */

PM_MUST_USE int pm_list_suite(const char *framework, const char *const *paths, size_t path_count,
                              enum pm_report_format format, unsigned width, struct pm_error *err);

struct pm_suite_check {
    size_t cases, perturbations, detected, missed_cases, cannot_fail, errors;
    size_t named, watched, reviewed, not_seen; /* how cases that pass call their function */
};
/* Runs each case on the control of `target` and perturbs its output. Prints how many perturbations
 * the cases detect, which they miss, and which cases cannot fail, fail or do not call their
 * function. */
PM_MUST_USE int pm_check_suite(const struct pm_run_options *options, enum pm_report_format format,
                               unsigned width, const struct pm_messages *messages,
                               struct pm_suite_check *out, struct pm_error *err);

/* ---- databases ------------------------------------------------------------------------------ */

/* Where a line says that a database of an older version was brought up to date, and what the copy
 * of it is called; NULL, which it is at first: nowhere. */
void pm_note_migrations(FILE *out);

/* ---- reporting ------------------------------------------------------------------------------ */

/* Like pm_tables_report(), and adds lines that say what else could be measured. */
PM_MUST_USE int pm_write_report(const struct pm_report_options *options, bool *something_wrong,
                                struct pm_error *err);

/* ---- what help and messages name ------------------------------------------------------------ */

/* The default framework, and example targets of it for help and messages. */
struct pm_examples {
    const char *framework, *control, *target; /* "pytorch", "pytorch@cpu", "pytorch@cuda" */
};
struct pm_examples pm_examples(void);
/* The target on which the suite of a framework is checked. PM_EUSAGE if it has none. */
PM_MUST_USE int pm_suite_control(const char *framework, const char **target, struct pm_error *err);

/* ---- everything ---------------------------------------------------------------------------- */

struct pm_study_request {
    bool anew;             /* starts a new run, even if the last study is unfinished */
    const char *framework; /* makes and measures only this one; NULL: all */
    unsigned width;        /* columns of the report; 0: no limit */
};
/* Creates missing environments, measures every target of this machine and prints a report.
 * Continues the last study of the database if it is unfinished and nothing changed, unless
 * `request` says otherwise. PM_OK whenever a report was printed. */
PM_MUST_USE int pm_study(const struct pm_run_options *options,
                         const struct pm_study_request *request, const struct pm_messages *messages,
                         struct pm_run_result *out, struct pm_error *err);

#endif
