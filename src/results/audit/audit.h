/*
 * Finds out whether the code of a project will run on a target: joins each use that a scan finds
 * with what was measured, and looks for code that is bound to another device.
 *
 *     struct pm_audit *audit = pm_audit_new(&options, &evidence, rules); // borrows its arguments
 *     ... pm_corpus_scan() with pm_audit_see() and pm_audit_take() ...
 *     pm_audit_finish(audit);
 *     PM_TRY(pm_audit_baseline_read(audit, path, err));                  // if there is one
 *     PM_TRY(pm_audit_write(audit, &how, err));
 *     pm_audit_free(audit);
 *
 * A use without evidence never counts as working: it is counted separately, and its function is
 * listed.
 */
#ifndef PM_AUDIT_AUDIT_H
#define PM_AUDIT_AUDIT_H

#include "audit/evidence.h"
#include "audit/predictions.h"
#include "audit/recording.h"
#include "audit/rules.h"
#include "corpus/corpus.h"

struct pm_audit_options {
    const char *target, *framework, *device; /* "pytorch@xla", "pytorch", "xla" */
    const char *version; /* version of the framework that the code runs with; NULL: as measured */
    const char *inventory_version; /* version of the framework whose names the scan finds */
    const char *what;              /* the inputs, for the title */
    const struct pm_audit_recording *recording;     /* NULL: none */
    const struct pm_audit_predictions *predictions; /* of a forecast for the target; NULL: none */
    bool unknown; /* report uses with status ARGUMENTS or UNKNOWN as findings, too */
};

/* A file of the project. */
struct pm_audit_file {
    char *path; /* as the scan names it, without "./" */
};

/* The common part of findings: a function and a reason, or a rule on device-bound code. */
struct pm_audit_kind {
    char *rule; /* "fails", "depends", "predicted", "arguments", "unknown", or the id of a rule */
    char *function; /* canonical name; "" for a variable */
    char *message;  /* one line */
    char *brief;    /* shorter message for a terminal; NULL: use `message` */
    enum pm_audit_level level;
    const struct pm_audit_rule
        *device; /* the rule on device-bound code; NULL: the kind follows from measured cases */
    size_t failing, compatible; /* cases */
    bool recorded;              /* the cases are those of recorded calls at this place */
    bool predicted;             /* a forecast says so: nothing was measured */
    char *shown_case, *reason;  /* "": no case is shown */
    enum pm_tier tier;          /* tier of the shown case */
};

struct pm_audit_finding {
    size_t file, kind;
    uint64_t record;             /* record, cell and line: as in struct pm_corpus_place */
    uint32_t cell, line, column; /* column: in bytes */
    uint32_t character;          /* the column in characters */
    enum pm_audit_level level; /* that of its kind; lower if the finding is uncertain or guarded */
    enum pm_resolve_how how;
    bool guarded, hidden; /* hidden: by a comment in the code, or by the baseline */
    uint64_t print;       /* identifies the finding even if its line moves */
};

/* The uses of a function. */
struct pm_audit_use {
    char *name;
    size_t by_status[PM_AUDIT_COUNT], uses;
    size_t file; /* file and line of the first use */
    uint32_t line;
};

struct pm_audit;

/* Returns a new audit, which borrows the arguments. The caller frees it with pm_audit_free(). */
struct pm_audit *pm_audit_new(const struct pm_audit_options *options,
                              const struct pm_audit_evidence *evidence,
                              const struct pm_audit_rules *rules);
void pm_audit_free(struct pm_audit *audit); /* accepts NULL */

/* Callbacks for pm_corpus_scan(); `ctx` is the audit. The `function` of a place must be its
 * canonical name. Call pm_audit_finish() after the scan. */
void pm_audit_see(void *ctx, const struct pm_corpus_text *text);
void pm_audit_take(void *ctx, const struct pm_corpus_place *place);
void pm_audit_finish(struct pm_audit *audit);

/* Hides the findings that are in a baseline. Call it after pm_audit_finish(). PM_EFORMAT if the
 * file is not a baseline, PM_EIO if it cannot be read. */
PM_MUST_USE int pm_audit_baseline_read(struct pm_audit *audit, const char *path,
                                       struct pm_error *err);
/* Writes the findings that are shown, as a baseline for later audits. PM_EIO if the file cannot be
 * written. */
PM_MUST_USE int pm_audit_baseline_write(const struct pm_audit *audit, const char *path,
                                        struct pm_error *err);

/* Returns whether the evidence is for the version of the framework that the code runs with. Returns
 * true if there is no evidence, or if options->version is NULL. */
bool pm_audit_same_version(const struct pm_audit *audit);
/* Returns how many findings of a level are shown. */
size_t pm_audit_shown(const struct pm_audit *audit, enum pm_audit_level level);

#define PM_AUDIT_FORMATS(X, P)                                                                     \
    X(P, TEXT, "text")                                                                             \
    X(P, JSON, "json")                                                                             \
    X(P, SARIF, "sarif")                                                                           \
    X(P, GITHUB, "github")
PM_WORDS(audit_format, PM_AUDIT_FORMATS, PM_AUDIT_AS);

struct pm_audit_how {
    enum pm_audit_format format;
    const char *output; /* a file; NULL: stdout */
    unsigned width;     /* of the text, in columns; 0: no limit */
    bool colour;
};
/* Writes the audit in one of the formats, to a file or to stdout. PM_EIO if it cannot be
 * written. */
PM_MUST_USE int pm_audit_write(const struct pm_audit *audit, const struct pm_audit_how *how,
                               struct pm_error *err);

#endif
