/*
 * The recording of a program, as structs: the calls and case files of recording.json, which
 * drivers/recorded.py writes.
 *
 *     struct pm_recorded recorded = {0};
 *     PM_TRY(pm_recorded_read("recorded", &recorded, err));
 *     for (size_t i = 0; i < recorded.function_count; i++) ...
 *     pm_recorded_release(&recorded);
 *
 * All texts are borrowed from the document, which the struct owns.
 *
 * Times are nanoseconds, and none includes the recording itself. The hooks *describe* (record the
 * arguments of) the first 100 calls of a site and every 13th later call. A call inside another
 * recorded call is counted, too, and its time is excluded from the own time of the outer call. An
 * *outermost* call is inside no described call. The sum of the whole times of outermost calls
 * therefore counts no time twice. The figures of a case are those of its described calls, scaled up
 * to all calls of the site. The times of all cases of a site are at most the time of the site.
 */
#ifndef PM_RECORD_DOCUMENT_H
#define PM_RECORD_DOCUMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define PM_RECORDED_FOLDER "recorded" /* where a recording is written by default */

/* Lines and columns are counted from 1; a column is a number of bytes. */
struct pm_recorded_place {
    const char *path;            /* relative to the folder of the program */
    int64_t line, column, first; /* `column` of the name; `first`: the column where its chain of
                                    names begins */
    int64_t calls;
    int64_t outer;       /* outermost calls; of a case only */
    int64_t first_outer; /* processes that made the first outermost call of the case here; of a case
                            only */
};

/* The calls of a function at one place. */
struct pm_recorded_call {
    struct pm_recorded_place place;
    const char *function, *framework;
    const char *form; /* function, method, constructor, instance, or compiled (the result of jax.jit
                         or tf.function for a function of the program) */
    int64_t raised;   /* calls that raised an exception */
    int64_t traced;   /* calls while a compiler traced; no time includes them */
    int64_t ns;       /* own time */
    int64_t outer, outer_ns; /* outermost calls, and their whole time */
    int64_t described;       /* number of described calls */
    int64_t fresh, fresh_ns; /* described calls with shapes that were new at this place, and their
                                own time */
    int64_t shapes; /* different shapes and dtypes of the arrays; -1: not known (an older recording) */
    int64_t variable; /* compilations for these by a compiler that makes sizes variable when it meets
                         a second size; -1: as `shapes` */
    const char *varies;    /* what differs between them, "dimension 0 of the array (3 to 97)"; "" */
    const json_t *examples; /* some of them, as texts; or NULL */
};

/* The calls that became a case. */
struct pm_recorded_case {
    const char *name;  /* "recorded 3" */
    int64_t calls, ns; /* `ns`: own time */
    int64_t outer, outer_ns;
    int64_t host_bytes, device_bytes; /* of the arrays that a call gets from the host, and on the
                                         device; -1: not known (an older recording) */
    bool moves;                       /* the call copies its arrays to the device that it names */
    struct pm_recorded_place *places;
    size_t place_count;
};

struct pm_recorded_function {
    const char *framework, *name;
    const char *text; /* contents of its case file */
    struct pm_recorded_case *cases;
    size_t case_count;
};

struct pm_recorded {
    json_t *document;
    int64_t processes, took; /* `took`: the time of the process that ran longest */
    int64_t signatures;      /* number of signatures, including those from which no case was made */
    struct pm_recorded_call *calls;
    struct pm_recorded_function *functions;
    size_t call_count, function_count;
};

/* Reads FOLDER/recording.json. PM_EFORMAT if the file is not a recording. */
PM_MUST_USE int pm_recorded_read(const char *folder, struct pm_recorded *out, struct pm_error *err);
/* Takes ownership of a document, even after an error. PM_EFORMAT if it is not a recording. */
PM_MUST_USE int pm_recorded_take(json_t *document, struct pm_recorded *out, struct pm_error *err);
void pm_recorded_release(struct pm_recorded *recorded);

#endif
