/*
 * Explains one function on one target: verdict, reason, cases, messages, latencies, and a short
 * Python script that fails in the same way without portmeter (a reproducer).
 *
 * The script is run when it is made, by the interpreter of the target's environment, so that it is
 * known whether it shows the same failure: first with inputs drawn anew, then with the values of
 * the case written out, then with them in a file. It contains the code of the case that the
 * database stores: so do not try scripts from a database that somebody else made.
 */
#ifndef PM_EXPLAIN_EXPLAIN_H
#define PM_EXPLAIN_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vocabulary.h"

struct pm_explain_options {
    const char *db, *function;
    bool shipped;       /* db is one of the results that come with portmeter */
    const char *target; /* target as it is typed: "pytorch@cuda" */
    const char *name;   /* name of the case that the reproducer shows; NULL: a case that shows the
                         * reason */
    int64_t run_id;     /* 0: the one that reports show, of those with a verdict on the function */
    bool untried;       /* no script is run: the first one that can be made is the reproducer */
    /* where it goes */
    const char *script;           /* file for the reproducer; NULL: it is only in the report */
    const char *output;           /* file for the report; NULL: stdout */
    enum pm_report_format format; /* text, markdown, json */
    unsigned width;               /* width of the text in columns; 0: no limit */
    bool colour;
};

/* Sets script or output, and the format, by the extension of --output (NULL: none was given): .py
 * is the reproducer, .txt, .md and .json are the explanation. `has_format`: the format is set.
 * PM_EUSAGE for other extensions and formats, and if format and extension contradict each other. */
PM_MUST_USE int pm_explain_take_output(struct pm_explain_options *options, const char *path,
                                       bool has_format, struct pm_error *err);

/* Writes a report. PM_EUSAGE if no run has a verdict on the function on the target. */
PM_MUST_USE int pm_explain(const struct pm_explain_options *options, struct pm_error *err);

/* A failure, and its script. */
struct pm_explain_script {
    int64_t run_id, target_id, execution_id;
    const char *detail; /* detail of its judgement, with the next two members */
    enum pm_outcome outcome;
    enum pm_stage stage;
    char *text;   /* the caller's; NULL: there is none */
    char *remark; /* the caller's: why there is none, in one line */
};
/* Writes the scripts that pm_explain() prints if they are untried, by one process of the python3
 * on PATH; scripts that need values of their case, or over 30 lines, are only pm_explain()'s. */
PM_MUST_USE int pm_explain_scripts(const char *db, struct pm_explain_script *scripts, size_t count,
                                   struct pm_error *err);

#endif
