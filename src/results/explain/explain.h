/*
 * Explains one function on one target: verdict, reason, cases, messages, latencies, and a short
 * Python script that fails in the same way without portmeter (a reproducer).
 *
 * Unless `untried` is set, the interpreter of the target's environment runs the script at once, to
 * find out whether it shows the same failure: first with random inputs, then with the values of the
 * case in the script, then with these values in a file. The script contains the code of the case
 * that the database stores. So do not run scripts from a database that you do not trust.
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
    const char *target; /* target as the user typed it: "pytorch@cuda" */
    const char *name;   /* name of the case that the reproducer shows; NULL: a case that explains
                         * the verdict */
    int64_t run_id;     /* 0: the run that reports show, of those with a verdict on the function */
    bool untried;       /* run no script: the first that can be written is the reproducer */
    /* the output */
    const char *script;           /* file for the reproducer; NULL: it is only in the report */
    const char *output;           /* file for the report; NULL: stdout */
    enum pm_report_format format; /* text, markdown, json */
    unsigned width;               /* width of the text in columns; 0: no limit */
    bool colour;
};

/* Sets `script` or `output`, and the format, from the extension of --output (NULL: not given): .py
 * is for the reproducer; .txt, .md and .json are for the explanation. `has_format`: --format was
 * given. PM_EUSAGE for other extensions and formats, and if format and extension contradict each
 * other. */
PM_MUST_USE int pm_explain_take_output(struct pm_explain_options *options, const char *path,
                                       bool has_format, struct pm_error *err);

/* Writes the explanation. PM_EUSAGE if options->run_id (0: every run) has no verdict on the
 * function on the target, or if no case with the given name fails. */
PM_MUST_USE int pm_explain(const struct pm_explain_options *options, struct pm_error *err);

/* A failure, and its script. */
struct pm_explain_script {
    int64_t run_id, target_id, execution_id;
    const char *detail; /* detail, outcome and stage of its judgement */
    enum pm_outcome outcome;
    enum pm_stage stage;
    char *text;   /* owned by the caller; NULL: there is no script */
    char *remark; /* owned by the caller: why there is no script, in one line */
};
/* Writes the scripts that pm_explain() would write with `untried`, all in one process of the
 * python3 on PATH. Sets `text` or `remark` of each. Only pm_explain() can write a script that needs
 * the values of its case, or that has over 30 lines. */
PM_MUST_USE int pm_explain_scripts(const char *db, struct pm_explain_script *scripts, size_t count,
                                   struct pm_error *err);

#endif
