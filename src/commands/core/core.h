/*
 * The operations of portmeter as functions. Each subcommand parses its options and calls one of
 * these functions, or a function of a header that is included here. Core only combines rooms. It
 * has no rules about frames, outcomes or numbers.
 *
 * Messages (progress, notes) go to `messages->out`, normally stderr; results go to stdout or the
 * file that the options name.
 */
#ifndef PM_CORE_CORE_H
#define PM_CORE_CORE_H

#include "assess/assess.h"
#include "base/exit.h"
#include "environment/environment.h"
#include "measure/measure.h"
#include "merge/merge.h"
#include "survey/survey.h"
#include "tables/tables.h"

/* ---- measuring and judging ------------------------------------------------------------------ */

struct pm_run_result {
    struct pm_run_summary run;
    struct pm_judged judged;
};
/* Measures, then judges the results. A resumed run that is completely measured but not judged is
 * only judged. The errors are those of pm_measure_run(). */
PM_MUST_USE int pm_run(const struct pm_run_options *options, const struct pm_messages *messages,
                       struct pm_run_result *out, struct pm_error *err);

/* Prints to stdout what a run with these options would measure, and how long that would take; see
 * pm_measure_preview(). */
PM_MUST_USE int pm_preview_run(const struct pm_run_options *options, unsigned width,
                               struct pm_error *err);

/* Runs one case in the terminal (pm_measure_foreground()), and prints its result to stdout: its
 * outputs, its exception, or how its process ended. *wrong: the case gave no valid result, or
 * raised an exception that it does not expect. */
PM_MUST_USE int pm_run_foreground(const struct pm_run_options *options, const char *name,
                                  const struct pm_messages *messages, bool *wrong,
                                  struct pm_error *err);

/* Audits code as pm_survey_audit() does. `measures`: first measures the outcomes of the functions
 * that the code uses, if the census or the reviewed suite has cases of them and the database has no
 * results. `previews`: only prints what would be measured, and how long that would take. */
struct pm_audit_request {
    const struct pm_survey_audit_options *audit;
    const struct pm_run_options *run; /* how to measure: limits, processes, isolation, seed */
    bool measures, previews;
    unsigned width;
};
PM_MUST_USE int pm_audit_code(const struct pm_audit_request *request,
                              const struct pm_messages *messages, struct pm_survey_audited *out,
                              struct pm_error *err);

/* Finds the exit status that --exit-code gives a stored run (pm_reading_exit()). */
PM_MUST_USE int pm_gate_run(const char *db, int64_t run_id, enum pm_exit *status,
                            struct pm_error *err);

/* Prints the runs of a database to stdout: the number of each run, its start, state, targets,
 * progress and validity, and whether it is protected. If the runs are from several machines, also
 * prints the machines and versions. */
PM_MUST_USE int pm_list_runs(const char *db, enum pm_report_format format, unsigned width,
                             struct pm_error *err);

/* ---- devices and environments -------------------------------------------------------------- */

/* Prints the targets that can be measured, with versions, then the others and the reason for each.
 * `all`: also the targets of portmeter's own tests. */
PM_MUST_USE int pm_list_devices(bool all, enum pm_report_format format, unsigned width,
                                const struct pm_messages *messages, struct pm_error *err);
/* Prints what this machine can measure, and the obstacles, each with the command that removes it.
 * Imports the framework of each environment once. */
PM_MUST_USE int pm_doctor(enum pm_report_format format, unsigned width,
                          const struct pm_messages *messages, struct pm_error *err);
/* Prints the environments to stdout: the framework, version and interpreter of each. */
PM_MUST_USE int pm_list_environments(enum pm_report_format format, unsigned width,
                                     struct pm_error *err);
struct pm_environment_request {
    const char *recipe, *name, *version, *build, *python; /* see pm_environment_plan */
    bool ask; /* asks on stdin before it creates anything */
};
/* Works like pm_environment_create(). Each line about what it does goes to messages->out. */
PM_MUST_USE int pm_create_environment(const struct pm_environment_request *request,
                                      const struct pm_messages *messages, struct pm_error *err);
/* Works like pm_environment_add(). `name`: NULL: that of the framework. */
PM_MUST_USE int pm_add_environment(const char *name, const char *framework, const char *python,
                                   const char *const *imports, size_t import_count,
                                   struct pm_error *err);
/* Works like pm_environment_remove(). */
PM_MUST_USE int pm_remove_environment(const char *name, struct pm_error *err);

/* ---- suites -------------------------------------------------------------------------------- */

/* Prints the functions and cases of suites to stdout. `paths`: files, folders or packs of cases;
 * none: the suite of `framework` that comes with portmeter. */
PM_MUST_USE int pm_list_suite(const char *framework, const char *const *paths, size_t path_count,
                              enum pm_report_format format, unsigned width, struct pm_error *err);

struct pm_suite_check {
    size_t cases, mutations, detected, missed_cases, cannot_fail, errors;
    size_t named, watched, reviewed,
        not_seen; /* numbers of passing cases, by how they call their function */
};
/* Runs each case on the reference target that `options` names and mutates its output. Prints how
 * many mutations the cases detect, which they miss, which outputs are compared by their type only,
 * and which cases cannot fail, fail or do not call their function. */
PM_MUST_USE int pm_check_suite(const struct pm_run_options *options, enum pm_report_format format,
                               unsigned width, const struct pm_messages *messages,
                               struct pm_suite_check *out, struct pm_error *err);

/* Returns the name of the framework to which the function of a case file belongs, by the name of
 * the file. If `path` is a folder, uses its first file that has the name of a known function.
 * Returns `otherwise` if there is none. */
const char *pm_framework_of_file(const char *path, const char *otherwise);
/* Runs the cases of the options, and prints the outcome of each on each target and reference, and
 * what differs. Stores nothing. */
PM_MUST_USE int pm_run_suite(const struct pm_run_options *options, enum pm_report_format format,
                             unsigned width, bool colour, const struct pm_messages *messages,
                             struct pm_error *err);

/* Writes a case file for the function, FUNCTION.yaml in the current folder, and sets *path, which
 * the caller frees. *runs: a call that runs on the host was found, and the file has it.
 * `unconfined`: the calls that are tried may use the network and write files. PM_EUSAGE: there is
 * no such function, or the file exists. */
PM_MUST_USE int pm_new_case_file(const char *function, bool unconfined, char **path, bool *runs,
                                 struct pm_error *err);

/* ---- databases ------------------------------------------------------------------------------ */

/* Calls pm_merge(), and then computes the figures over all functions of each run that is merged
 * from shards. If computing fails, merge the same files again. */
PM_MUST_USE int pm_merge_databases(const char *const *files, size_t count, const char *into,
                                   bool apart, struct pm_merged *out, struct pm_error *err);

/* Sets the stream for a line about each migrated database, with the name of its copy. NULL, the
 * initial value: no line. */
void pm_note_migrations(FILE *out);

/* ---- reporting ------------------------------------------------------------------------------ */

/* Works like pm_tables_report(), but adds lines about what else could be measured. */
PM_MUST_USE int pm_write_report(const struct pm_report_options *options, enum pm_exit *status,
                                struct pm_error *err);

/* The results that come with portmeter (data/results/): two packed databases of one machine, and
 * forecasts, which are files of their own (forecast/forecast.h). */
#define PM_SHIPPED_SUITES    "suites"
#define PM_SHIPPED_CENSUS    "census"
#define PM_SHIPPED_FORECASTS "forecasts"
/* Sets *path, which the caller frees, to the path of such a database. `name` is PM_SHIPPED_SUITES
 * or PM_SHIPPED_CENSUS. PM_ENOTFOUND if the database does not exist, or has no inventory of
 * `framework` (NULL: not checked). */
PM_MUST_USE int pm_shipped_results(const char *name, const char *framework, char **path,
                                   struct pm_error *err);

/* Returns the path of the page beside a database, such as "portmeter.html" for "portmeter.db"; the
 * caller frees it. */
char *pm_page_path(const char *db);
/* Writes the HTML report to that file and sets *path, which the caller frees. `run_id` 0: the
 * newest valid run of each target. PM_EUSAGE if a file with that name is not a page of portmeter.
 */
PM_MUST_USE int pm_write_page(const char *db, int64_t run_id, char **path, struct pm_error *err);

/* ---- completion ------------------------------------------------------------------------------ */

enum pm_offer {
    PM_OFFER_FRAMEWORKS,
    PM_OFFER_RECIPES, /* what `env create` can create */
    PM_OFFER_ENVIRONMENTS,
    PM_OFFER_FUNCTIONS, /* of the suites */
    PM_OFFER_TARGETS,   /* built in, or in the database; not those of plug-ins */
    PM_OFFER_RUNS       /* of the database */
};
/* Calls `take` for each word; a word may occur twice. Starts no program, and ignores a source that
 * cannot be read. `db` is used only for PM_OFFER_TARGETS and PM_OFFER_RUNS. */
void pm_offer(enum pm_offer what, const char *db, pm_name_fn *take, void *ctx);

/* ---- settings -------------------------------------------------------------------------------- */

/* A table of settings: the name, the value and the origin of each. The texts are copied. */
struct pm_facts *pm_facts_new(void);
void pm_facts_add(struct pm_facts *facts, const char *name, const char *value, const char *from);
/* Prints the table to stdout and frees it. */
PM_MUST_USE int pm_facts_write(struct pm_facts *facts, enum pm_report_format format, unsigned width,
                               struct pm_error *err);

/* ---- examples in help and messages ---------------------------------------------------------- */

/* The default framework, with example targets for help and messages, and another framework. */
struct pm_examples {
    const char *framework, *reference, *target; /* "pytorch", "pytorch@cpu", "pytorch@cuda" */
    const char *device, *module, *other;        /* "cuda", "torch", "jax" */
};
struct pm_examples pm_examples(void);
/* Sets *target to the target on which the suite of a framework is checked. PM_EUSAGE if the
 * framework has none. */
PM_MUST_USE int pm_suite_reference(const char *framework, const char **target,
                                   struct pm_error *err);

/* ---- everything ---------------------------------------------------------------------------- */

struct pm_study_request {
    bool anew;    /* starts a new run, even if the last study is unfinished */
    bool creates; /* creates missing environments without asking */
    bool asks; /* asks on stdin before it creates each environment, if the machine has no framework
                */
    bool previews; /* measures and creates nothing, but prints what it would do (--dry-run) */
    const char *framework; /* creates and measures only this framework; NULL: all */
    unsigned width;        /* columns of the report; 0: no limit */
};
/* Restricts the options so that a run takes only minutes: outcomes of at most 3 core cases of each
 * function, unless they name kinds or a number of cases. */
void pm_study_quick(struct pm_run_options *run);
/* Measures the first device of each kind, for each framework of this machine; creates environments
 * only as `request` says. The first run measures the outcomes of a few core cases of each function
 * (with `census`, of all cases). The second run measures all cases, with latencies. Prints a report
 * of each run, and writes the page at the end. With `outcomes_only` there is one run. Continues the
 * last study of the database if it is unfinished and nothing has changed, unless `request` has
 * `anew`. A shard is one run without a report or page. PM_ENOTFOUND if there is nothing to measure.
 */
PM_MUST_USE int pm_study(const struct pm_run_options *options,
                         const struct pm_study_request *request, const struct pm_messages *messages,
                         struct pm_run_result *out, struct pm_error *err);

#endif
