/*
 * One SQLite file holds all that was measured or decided. It is the ledger of a running run too:
 * what is to be done is in `execution` as 'todo' before, and --resume selects what still is.
 *
 * The schema, with what each column means, its unit and its range, is schema.sql beside this file
 * (built into the program); application_id is 'PMTR' and user_version the schema's version.
 *
 * Nothing in a file is trusted. Opening refuses, in one line, a file of another program, one that
 * is shorter or longer than its header says, and one whose tables are not exactly those of its
 * version. Each value is checked when it is read: a row that the schema would not let in, a word or
 * a text that makes no sense, ends the query with PM_EFORMAT and a line that names it.
 *
 * A file of an older version is brought to this one when it is opened, for reading too, after a
 * copy of it was kept beside it as PATH.version-N; where it or its folder cannot be written, the
 * line says what to do. A file of a newer version is refused.
 *
 * One writer at a time: who opens a database for writing has it until pm_store_free(), and a second
 * one gets PM_EBUSY at once, with a line that names the first. Readers see what was last committed
 * and wait for the moment of a commit only. A read-only file or folder can be read.
 *
 * Rows come through callbacks; strings in a row are valid during the call only. A callback that
 * returns non-zero ends the query, which returns that value. JSON is text here. Times are
 * nanoseconds. NULL text is stored as "". One store a thread.
 *
 * A full or failing disk rolls the open transaction back; every call until commit then fails
 * (PM_EIO). What was committed is safe. (A process that may meet RLIMIT_FSIZE ignores SIGXFSZ.)
 */
#ifndef PM_STORE_STORE_H
#define PM_STORE_STORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/vocabulary.h"

struct pm_store;

enum pm_store_mode { PM_STORE_READ, PM_STORE_WRITE /* creates the file if it is missing */ };
PM_MUST_USE int pm_store_open(struct pm_store **out, const char *path, enum pm_store_mode mode,
                              struct pm_error *err);
/* Opens for reading and leaves the file as it is: one of an older version is brought to this one in
 * a private copy, which is gone when the store is freed. */
PM_MUST_USE int pm_store_open_unchanged(struct pm_store **out, const char *path,
                                        struct pm_error *err);
/* Whether a database is there: PM_ENOTFOUND where none is, PM_EUSAGE where the name is empty. */
PM_MUST_USE int pm_store_expect(const char *path, struct pm_error *err);
void pm_store_free(struct pm_store *store); /* accepts NULL; rolls back what is open */
/* Until here the user's stop (base/stop.h) ends whatever takes long, with PM_ESTOPPED and the open
 * transaction rolled back. From here on everything gets through, to close what was stopped. */
void pm_store_ignore_stop(struct pm_store *store);
/* Where opening says in a line that it brought a file to this version, and what the copy is called.
 * NULL, which it is at first: nowhere. For the whole program. */
void pm_store_note_to(FILE *out);

/* Transactions do not nest (PM_BUG). Between begin and commit everything or nothing lands, and a
 * store that is open for reading sees one state. */
PM_MUST_USE int pm_store_begin(struct pm_store *store, struct pm_error *err);
/* For more rows than memory should hold: they go to the file at once, and readers wait. */
PM_MUST_USE int pm_store_begin_large(struct pm_store *store, struct pm_error *err);
PM_MUST_USE int pm_store_commit(struct pm_store *store, struct pm_error *err);
/* Ends the transaction whose work returned `rc`: commits it, or rolls it back and returns `rc`. */
PM_MUST_USE int pm_store_settle(struct pm_store *store, int rc, struct pm_error *err);

/* The error of a value that only the caller knows to be wrong: "database 'x.db' is damaged: ...",
 * with `format` instead of the dots. PM_EFORMAT. */
int pm_store_damaged(const struct pm_store *store, struct pm_error *err, const char *format, ...)
    PM_PRINTF(3, 4);
/* Parses the text of a JSON column. *out is the caller's. PM_EFORMAT names the row. */
PM_MUST_USE int pm_store_json(const struct pm_store *store, const char *text, json_t **out,
                              const char *table, int64_t row, const char *column,
                              struct pm_error *err);

/* ---- runs --------------------------------------------------------------------------------- */

struct pm_run_row {
    int64_t id;
    const char *uuid;               /* 32 hex digits, in every process's environment */
    const char *started, *finished; /* ISO 8601 UTC; finished "" while running */
    enum pm_run_state state;
    const char *options; /* JSON: what the run was asked for, all of it */
    bool kept;           /* the user wants to keep it; pm_store_keep_run() */
    const char *suite_digest;
    int64_t seed;
    enum pm_validity validity;         /* of its outcomes */
    const char *validity_reason;       /* one line where invalid */
    enum pm_validity latency_validity; /* the same of its latencies */
    const char *latency_validity_reason;
    int64_t sample_id; /* whose functions it measures; 0: none */
    enum pm_run_kind kind;
    const char *source; /* published: of what; merged: from which file; NULL when added: "" */
    const char *suite_version; /* NULL when added, and "": the suites state none */
};

PM_MUST_USE int pm_store_add_run(struct pm_store *store, const struct pm_run_row *run, int64_t *id,
                                 struct pm_error *err);
/* Updates state, finished, options, both validities and their reasons of run->id; NULL, or a
 * validity UNKNOWN, leaves one as it is. */
PM_MUST_USE int pm_store_update_run(struct pm_store *store, const struct pm_run_row *run,
                                    struct pm_error *err);
typedef int pm_run_fn(void *ctx, const struct pm_run_row *run);
/* All runs in order of starting: the newest is the last. */
PM_MUST_USE int pm_store_runs(struct pm_store *store, pm_run_fn *row, void *ctx,
                              struct pm_error *err);

struct pm_run_progress {
    int64_t executions, planned, done; /* planned, done: repetitions for a reason apart */
    int64_t repeated; /* executions that failed in a shared process and ran again alone */
};
PM_MUST_USE int pm_store_run_progress(struct pm_store *store, int64_t run_id,
                                      struct pm_run_progress *out, struct pm_error *err);
/* PM_ENOTFOUND where there is no such run. */
PM_MUST_USE int pm_store_keep_run(struct pm_store *store, int64_t id, bool keep,
                                  struct pm_error *err);
/* Removes a run with all that belongs to it alone, cases and bytes of arrays too, and gives the
 * room back to the file system. Not within a transaction (PM_BUG). PM_ENOTFOUND where there is no
 * such run, PM_EUSAGE where the user wants to keep it. */
PM_MUST_USE int pm_store_remove_run(struct pm_store *store, int64_t id, struct pm_error *err);

/* A part of a run: from its start, or from where it was resumed, to the next end. */
struct pm_sitting_row {
    int64_t run_id, number;            /* from 1 */
    const char *started, *finished;    /* ISO 8601 UTC; finished "" while under way, or killed */
    const char *machine;               /* JSON: processor, cores, memory, kernel */
    double load_before, load_after;    /* load averages; NaN: not known */
    int64_t peak_memory, peak_scratch; /* bytes; 0: not known */
};
/* Gives its number; `finished`, `load_after` and `number` of the row are not looked at. */
PM_MUST_USE int pm_store_add_sitting(struct pm_store *store, const struct pm_sitting_row *sitting,
                                     int64_t *number, struct pm_error *err);
/* Updates `finished`, `load_after`, `peak_memory` and `peak_scratch`. */
PM_MUST_USE int pm_store_finish_sitting(struct pm_store *store,
                                        const struct pm_sitting_row *sitting, struct pm_error *err);
typedef int pm_sitting_fn(void *ctx, const struct pm_sitting_row *sitting);
/* Of one run, in order. */
PM_MUST_USE int pm_store_sittings(struct pm_store *store, int64_t run_id, pm_sitting_fn *row,
                                  void *ctx, struct pm_error *err);
/* How long its finished sittings took together, in nanoseconds. */
PM_MUST_USE int pm_store_run_spent(struct pm_store *store, int64_t run_id, uint64_t *out,
                                   struct pm_error *err);

/* ---- targets, cases ----------------------------------------------------------------------- */

struct pm_target_row {
    int64_t id, run_id;
    const char *text, *environment, *framework, *device, *mode;
    const char *control; /* text, "" where it is its own; of a second measurement the same text */
    enum pm_role role;
    enum pm_evidence evidence;
    bool latencies, on_host;
    const char *interpreter;                 /* path of the Python interpreter */
    const char *version, *versions, *python; /* of framework, packages (JSON) and Python; filled
                                                when the driver is ready */
    const char *device_name, *driver_version,
        *numeric; /* filled by the first child; numeric JSON */
    bool judged;  /* only when read: an execution on it has an outcome */
};
PM_MUST_USE int pm_store_add_target(struct pm_store *store, const struct pm_target_row *target,
                                    int64_t *id, struct pm_error *err);
/* Updates version, versions, python, device_name, driver_version, numeric; NULL leaves as it is. */
PM_MUST_USE int pm_store_update_target(struct pm_store *store, const struct pm_target_row *target,
                                       struct pm_error *err);
typedef int pm_target_fn(void *ctx, const struct pm_target_row *target);
PM_MUST_USE int pm_store_targets(struct pm_store *store, int64_t run_id, pm_target_fn *row,
                                 void *ctx, struct pm_error *err);

struct pm_case_row {
    int64_t id;
    const char *framework, *function, *name, *dtype; /* dtype "" where it has none */
    const char *definition;                          /* JSON, pm_case_json() */
    bool host_only;
    enum pm_size size;
};
/* Gives the id of the case, adding it where the same definition is not there yet. */
PM_MUST_USE int pm_store_add_case(struct pm_store *store, const struct pm_case_row *c, int64_t *id,
                                  struct pm_error *err);

/* ---- children, executions ----------------------------------------------------------------- */

struct pm_child_row {
    int64_t id, run_id, target_id;
    int64_t pid;
    enum pm_ending_kind ending; /* this and what follows: of struct pm_ending */
    const char *text, *output;
    int64_t code, output_bytes, wall_ns, user_ns, system_ns, max_rss, strays;
    int64_t startup_ns;  /* -1 where it did not get so far */
    const char *started; /* JSON: the STARTED frame, "" */
    int64_t threads;
};
/* Added when its first answer comes, with what is known then; finished when it has ended. */
PM_MUST_USE int pm_store_add_child(struct pm_store *store, const struct pm_child_row *child,
                                   int64_t *id, struct pm_error *err);
PM_MUST_USE int pm_store_finish_child(struct pm_store *store, const struct pm_child_row *child,
                                      struct pm_error *err);

struct pm_execution_row {
    int64_t id, run_id, target_id, case_id, repetition;
    enum pm_reason reason; /* NONE, or why it was repeated */
    enum pm_execution_state state;
    int64_t child_id; /* 0 while todo */
    bool answered;
    enum pm_stage stage;
    enum pm_ending_kind ending; /* of the child where it did not answer, else NONE */
    int64_t ending_code;
    const char *ending_text;
    const char *result;         /* JSON: the RESULT header less timings and leaves, "" */
    bool shared;                /* its process had run another one before */
    int64_t kills, kills_alone; /* pm_store_note_kill() */
    const char *function, *name, *dtype, *definition; /* joined for reading, as what follows */
    bool host_only;
    enum pm_size size;
};

/* Adds a 'todo' row; a row with the same key (run, target, case, repetition, reason) is an error.
 */
PM_MUST_USE int pm_store_plan_execution(struct pm_store *store, int64_t run_id, int64_t target_id,
                                        int64_t case_id, int64_t repetition, enum pm_reason reason,
                                        int64_t *id, struct pm_error *err);
/* Notes a kill of portmeter during the execution: whether alone, and after another commit. */
PM_MUST_USE int pm_store_note_kill(struct pm_store *store, int64_t id, bool alone, bool committed,
                                   struct pm_error *err);
/* Makes execution->id 'done' with its fields. Doing it twice is an error (PM_EBUSY): a key has at
 * most one committed result. */
PM_MUST_USE int pm_store_finish_execution(struct pm_store *store,
                                          const struct pm_execution_row *execution,
                                          struct pm_error *err);
/* What the processes of a function took on a target: time, all repetitions together, and memory. */
struct pm_function_time_row {
    int64_t target_id, wall_ns, max_rss; /* max_rss: of the largest one; bytes */
    const char *function;
};
typedef int pm_function_time_fn(void *ctx, const struct pm_function_time_row *row);
/* Of those that ended, without what was repeated for a reason. A process that several functions
 * share counts for each of them. */
PM_MUST_USE int pm_store_function_times(struct pm_store *store, int64_t run_id,
                                        pm_function_time_fn *row, void *ctx, struct pm_error *err);

typedef int pm_execution_fn(void *ctx, const struct pm_execution_row *execution);
/* Of one run (target_id 0: all targets) by target, function, case id, repetition; or that one. */
PM_MUST_USE int pm_store_executions(struct pm_store *store, int64_t run_id, int64_t target_id,
                                    pm_execution_fn *row, void *ctx, struct pm_error *err);
PM_MUST_USE int pm_store_execution(struct pm_store *store, int64_t id, pm_execution_fn *row,
                                   void *ctx, struct pm_error *err);

/* ---- outputs, timings --------------------------------------------------------------------- */

struct pm_leaf_row {
    int64_t execution_id;
    enum pm_leaf_part part;
    int64_t position;
    const char *path;
    enum pm_leaf_kind kind;
    const char *dtype, *shape; /* array: names as in the case language, shape JSON "[4,200]" */
    const char *device;
    bool on_device;
    const char *digest; /* "" where there are no bytes (meta) */
    const char *value;  /* value: canonical JSON; type: the type's name */
};
#define PM_STORE_MOST_BLOB ((size_t)1 << 31)
/* `bytes` (may be NULL, at most PM_STORE_MOST_BLOB) are stored once a digest, compressed with
 * zstd. */
PM_MUST_USE int pm_store_add_leaf(struct pm_store *store, const struct pm_leaf_row *leaf,
                                  const void *bytes, size_t length, struct pm_error *err);
typedef int pm_leaf_fn(void *ctx, const struct pm_leaf_row *leaf);
PM_MUST_USE int pm_store_leaves(struct pm_store *store, int64_t execution_id, pm_leaf_fn *row,
                                void *ctx, struct pm_error *err);
/* The bytes behind a digest; the caller frees *bytes. PM_ENOTFOUND where they are not kept. */
PM_MUST_USE int pm_store_blob(struct pm_store *store, const char *digest, void **bytes,
                              size_t *length, struct pm_error *err);

/* Which bytes stay when a run is judged: those of the leaves that `keep_value` names after
 * `release_values`, in one transaction that ends with `drop_values`. That deletes what no leaf of
 * any run keeps, and gives the room back to the file system. */
PM_MUST_USE int pm_store_release_values(struct pm_store *store, int64_t run_id,
                                        struct pm_error *err);
PM_MUST_USE int pm_store_keep_value(struct pm_store *store, int64_t execution_id,
                                    enum pm_leaf_part part, int64_t position, struct pm_error *err);
PM_MUST_USE int pm_store_drop_values(struct pm_store *store, struct pm_error *err);

/* How close an array is to its reference, for when the bytes of one are gone. */
struct pm_closeness_row {
    const char *digest, *reference; /* of the array, and of what it was compared with */
    enum pm_compare how;            /* CLOSE, SET or SIGN */
    const char *points;             /* JSON, pm_closeness_text() */
};
/* Replaces an older one of the same digests and `how`. */
PM_MUST_USE int pm_store_add_closeness(struct pm_store *store, const struct pm_closeness_row *row,
                                       struct pm_error *err);
typedef int pm_closeness_fn(void *ctx, const struct pm_closeness_row *row);
/* The one with the digests and `how` of `key`; `row` is not called if it is missing. */
PM_MUST_USE int pm_store_closeness(struct pm_store *store, const struct pm_closeness_row *key,
                                   pm_closeness_fn *row, void *ctx, struct pm_error *err);

enum { PM_STORE_MOST_SAMPLES = 1 << 20 };
/* The samples of an execution by one clock: at most PM_STORE_MOST_SAMPLES, none negative. */
struct pm_timing_row {
    int64_t execution_id;
    int64_t target_id, case_id, repetition; /* of the execution; read, not stored */
    enum pm_clock clock;
    const int64_t *samples;      /* nanoseconds, of one call each */
    const int64_t *compilations; /* one count a sample; NULL where not known */
    size_t count;
    int64_t warmup;       /* calls that were made before and are in no sample */
    int64_t factor;       /* calls that a sample consists of; at least 1 */
    int64_t imports;      /* modules that were imported while the clock ran */
    const char *imported; /* the first of them, or "" */
};
PM_MUST_USE int pm_store_add_timing(struct pm_store *store, const struct pm_timing_row *timing,
                                    struct pm_error *err);
typedef int pm_timing_fn(void *ctx, const struct pm_timing_row *timing);
/* Of a whole run for one clock (PM_CLOCK_COUNT: all), ordered by target, case, repetition. */
PM_MUST_USE int pm_store_timings(struct pm_store *store, int64_t run_id, enum pm_clock clock,
                                 pm_timing_fn *row, void *ctx, struct pm_error *err);

/* What the framework reports of the first call of an execution; -1: nothing. */
struct pm_first_call_row {
    int64_t execution_id, tracing_ns, lowering_ns, compiling_ns; /* parts of `cold_ns` */
    int64_t device_memory;                /* peak above what was in use before the call; bytes */
    int64_t target_id, cold_ns;           /* joined, as what follows; the whole first call */
    int64_t compilations, recompilations; /* during it, and during the warm samples */
    const char *function, *name;
    bool shared; /* its process had run another execution before */
};
PM_MUST_USE int pm_store_add_first_call(struct pm_store *store, const struct pm_first_call_row *row,
                                        struct pm_error *err);
typedef int pm_first_call_fn(void *ctx, const struct pm_first_call_row *row);
/* Of executions that have one, or a time of the clock 'cold', by execution. */
PM_MUST_USE int pm_store_first_calls(struct pm_store *store, int64_t run_id, pm_first_call_fn *row,
                                     void *ctx, struct pm_error *err);

/* A case that imported modules while a clock ran: in the execution in which they were the most. */
struct pm_import_row {
    const char *function, *name, *imported;
    enum pm_clock clock;
    int64_t imports;
};
typedef int pm_import_fn(void *ctx, const struct pm_import_row *row);
PM_MUST_USE int pm_store_imports(struct pm_store *store, int64_t run_id, pm_import_fn *row,
                                 void *ctx, struct pm_error *err);

/* ---- canaries ----------------------------------------------------------------------------- */

struct pm_canary_row {
    int64_t run_id, target_id;
    const char *name;
    enum pm_outcome expected;
    enum pm_observation observed;
    bool as_expected; /* observed as expected, or LEFT_OUT with a reason */
    const char *detail;
};
PM_MUST_USE int pm_store_add_canary(struct pm_store *store, const struct pm_canary_row *canary,
                                    struct pm_error *err); /* replaces an older one of the name */
typedef int pm_canary_fn(void *ctx, const struct pm_canary_row *canary);
PM_MUST_USE int pm_store_canaries(struct pm_store *store, int64_t run_id, pm_canary_fn *row,
                                  void *ctx, struct pm_error *err);

/* ---- judgements --------------------------------------------------------------------------- */

struct pm_judgement_row {
    int64_t execution_id, target_id, case_id, repetition;
    const char *function, *name, *dtype; /* joined, for reading */
    bool host_only;
    enum pm_size size;
    enum pm_outcome outcome;
    enum pm_stage stage;
    const char *detail;
    double smallest_rtol;  /* NaN: none */
    bool shared;           /* joined: its process had run another execution before */
    enum pm_reason reason; /* joined: why the execution is a repetition of another one */
    bool counts;           /* verdicts use it: of executions that differ in `reason` alone one, or
                              two that disagree */
    bool case_counts;      /* its case is counted in the verdict of its function */
    bool expects, checks, raises, backward; /* joined: its case has that key */
    const char *why, *rule; /* of a failure: its reason and the rule that gave it, by their ids
                               in rules/; NULL when added, and "": none */
};
struct pm_verdict_row {
    int64_t run_id, target_id;
    const char *function;
    enum pm_verdict verdict, verdict_study;
    int64_t counted, passed, flaky;
    bool host_only;
    const char *detail;     /* one line: the first failure */
    const char *why, *rule; /* as in pm_judgement_row, of most of its failures */
};
/* A latency or a ratio with its interval. */
struct pm_statistic_row {
    int64_t run_id, target_id;
    enum pm_scope scope;
    const char *function, *name; /* name: the case, "" for a function; both "" for a target */
    enum pm_clock clock;
    enum pm_size size;
    enum pm_statistic what;  /* latencies in ns, ratios without a unit */
    double value, low, high; /* value NaN: all cases are unstable; bounds NaN: too few processes */
    int64_t processes, control_processes; /* with all its cases; of a target: its functions; of its
                                             noise: its cases */
    bool unstable; /* process medians differ by more than a factor of three: in no ratio */
};
/* Forgets what an earlier judging of the run decided, estimates too, before a new one, in the same
 * transaction. */
PM_MUST_USE int pm_store_clear_judgements(struct pm_store *store, int64_t run_id,
                                          struct pm_error *err);
PM_MUST_USE int pm_store_add_judgement(struct pm_store *store, const struct pm_judgement_row *row,
                                       struct pm_error *err);
PM_MUST_USE int pm_store_add_verdict(struct pm_store *store, const struct pm_verdict_row *row,
                                     struct pm_error *err);
PM_MUST_USE int pm_store_add_statistic(struct pm_store *store, const struct pm_statistic_row *row,
                                       struct pm_error *err);
typedef int pm_judgement_fn(void *ctx, const struct pm_judgement_row *row);
typedef int pm_verdict_fn(void *ctx, const struct pm_verdict_row *row);
typedef int pm_statistic_fn(void *ctx, const struct pm_statistic_row *row);
/* Each ordered by target, function, case, repetition, reason. */
PM_MUST_USE int pm_store_judgements(struct pm_store *store, int64_t run_id, pm_judgement_fn *row,
                                    void *ctx, struct pm_error *err);
PM_MUST_USE int pm_store_verdicts(struct pm_store *store, int64_t run_id, pm_verdict_fn *row,
                                  void *ctx, struct pm_error *err);
/* Those of one scope, PM_SCOPE_COUNT: of every. */
PM_MUST_USE int pm_store_statistics(struct pm_store *store, int64_t run_id, enum pm_scope scope,
                                    pm_statistic_fn *row, void *ctx, struct pm_error *err);

/* ---- inventories, scans, samples ---------------------------------------------------------- */

/* The public functions of one version of a framework. */
struct pm_inventory_row {
    int64_t id;
    const char *framework;   /* "pytorch" */
    const char *version;     /* of the framework; "" of a flat list */
    const char *environment; /* whose interpreter walked through it; "" of a flat list */
    bool flat;               /* a list of bare names: pm_inventory_parse_flat() reads it */
    const char *recorded;    /* ISO 8601 UTC */
    const char *document;    /* JSON, as pm_inventory_parse() or ..._parse_flat() reads it */
};
/* Gives the id of the row with the same framework, version and document, adding it (compressed
 * with zstd) if it is missing; one that is there becomes the newest, with the environment and
 * the time of `row`. */
PM_MUST_USE int pm_store_add_inventory(struct pm_store *store, const struct pm_inventory_row *row,
                                       int64_t *id, struct pm_error *err);
typedef int pm_inventory_fn(void *ctx, const struct pm_inventory_row *row);
/* Those of one framework (NULL: all), newest first. PM_EFORMAT where a document is damaged. */
PM_MUST_USE int pm_store_inventories(struct pm_store *store, const char *framework,
                                     pm_inventory_fn *row, void *ctx, struct pm_error *err);

/* One `portmeter scan`. */
struct pm_scan_row {
    int64_t id;
    const char *started, *finished; /* ISO 8601 UTC */
    const char *options;            /* JSON: paths and all that it was asked for */
    const char *totals;             /* JSON: struct pm_corpus_totals by its members' names */
    const char *damages;            /* JSON: [{"input", "offset", "unpacked", "what"}] */
    bool types;                     /* it inferred the types of values: there are INFERRED rows */
    bool places;                    /* where its uses are is stored */
};
PM_MUST_USE int pm_store_add_scan(struct pm_store *store, const struct pm_scan_row *scan,
                                  int64_t *id, struct pm_error *err);
typedef int pm_scan_fn(void *ctx, const struct pm_scan_row *scan);
/* All scans, newest first. */
PM_MUST_USE int pm_store_scans(struct pm_store *store, pm_scan_fn *row, void *ctx,
                               struct pm_error *err);

/* What a scan says of one framework. */
struct pm_scanned_row {
    int64_t scan_id, inventory_id; /* the names that it counted */
    const char *framework;         /* "pytorch" */
    int64_t study_files;           /* that the study's rule looked at */
    int64_t importing_files;       /* that import it, by the resolved rule */
    int64_t unlisted; /* calls of chains that begin at the framework and are not in the inventory */
};
PM_MUST_USE int pm_store_add_scanned(struct pm_store *store, const struct pm_scanned_row *row,
                                     struct pm_error *err);
typedef int pm_scanned_fn(void *ctx, const struct pm_scanned_row *row);
/* Of one scan, by framework. */
PM_MUST_USE int pm_store_scanned(struct pm_store *store, int64_t scan_id, pm_scanned_fn *row,
                                 void *ctx, struct pm_error *err);

/* A name that begins at a framework and is not in the inventory of the scan. */
struct pm_unlisted_row {
    int64_t scan_id;
    const char *framework; /* "pytorch" */
    const char *name;      /* "torch.lost" */
    int64_t calls, files;  /* calls of it, files that call it */
};
PM_MUST_USE int pm_store_add_unlisted(struct pm_store *store, const struct pm_unlisted_row *row,
                                      struct pm_error *err);
typedef int pm_unlisted_fn(void *ctx, const struct pm_unlisted_row *row);
/* Of one scan and framework, by calls from the most, name. */
PM_MUST_USE int pm_store_unlisted(struct pm_store *store, int64_t scan_id, const char *framework,
                                  pm_unlisted_fn *row, void *ctx, struct pm_error *err);

/* How often a scan found one name, by one of the rules; only names that it found. */
struct pm_frequency_row {
    int64_t scan_id;
    const char *framework;
    enum pm_rule rule; /* STUDY: name is bare; others: name is canonical */
    const char *name;
    enum pm_name_kind kind; /* BARE by the study's rule */
    int64_t uses;           /* study: bare names before "("; others: calls */
    int64_t files, repositories;
    int64_t resolved, possible_method, other; /* study: classes of the uses; they add up to uses */
    int64_t references;                       /* resolved, inferred */
    int64_t rebound;                          /* resolved */
    /* inferred: calls of instances of the class; calls that may be of it (PM_RESOLVE_HOW_ONE_OF and
     * NAME). Both are in no other count. */
    int64_t instance_calls, possible;
};
PM_MUST_USE int pm_store_add_frequency(struct pm_store *store, const struct pm_frequency_row *row,
                                       struct pm_error *err);
typedef int pm_frequency_fn(void *ctx, const struct pm_frequency_row *row);
/* Of one scan, framework (NULL: all) and rule (PM_RULE_COUNT: all), by framework, rule, uses from
 * the most, name. */
PM_MUST_USE int pm_store_frequencies(struct pm_store *store, int64_t scan_id, const char *framework,
                                     enum pm_rule rule, pm_frequency_fn *row, void *ctx,
                                     struct pm_error *err);

/*
 * Where the uses of a scan are: written file by file.
 *
 *     PM_TRY(pm_store_begin_large(store, err));
 *     PM_TRY(pm_store_add_place_use(store, &use, &place.use_id, err));        // each kind once
 *     PM_TRY(pm_store_add_place_file(store, scan_id, "a.py", 0, &place.file_id, err));
 *     PM_TRY(pm_store_add_place_scope(store, place.file_id, 1, "Net.forward", err));
 *     PM_TRY(pm_store_add_place(store, &place, err));                        // in order
 *     PM_TRY(pm_store_commit(store, err));
 */
struct pm_place_use_row {
    int64_t scan_id;
    const char *framework, *name; /* "pytorch"; canonical */
    enum pm_resolve_form form;
    enum pm_resolve_how how;
};
struct pm_place_ids {
    int64_t file_id, use_id;
    int64_t cell, line, column; /* as in struct pm_place_row */
    int64_t scope;              /* number of one of the file's, from 1; 0: the top of the file */
    int64_t chain_id;           /* what it follows from; 0: nothing to say */
};
PM_MUST_USE int pm_store_add_place_use(struct pm_store *store, const struct pm_place_use_row *row,
                                       int64_t *id, struct pm_error *err);
PM_MUST_USE int pm_store_add_place_file(struct pm_store *store, int64_t scan_id, const char *input,
                                        int64_t record, int64_t *id, struct pm_error *err);
PM_MUST_USE int pm_store_add_place_scope(struct pm_store *store, int64_t file_id, int64_t number,
                                         const char *name, struct pm_error *err);
PM_MUST_USE int pm_store_add_place_chain(struct pm_store *store, int64_t scan_id, const char *text,
                                         int64_t *id, struct pm_error *err);
/* Adds one use; nothing where the same one is stored. */
PM_MUST_USE int pm_store_add_place(struct pm_store *store, const struct pm_place_ids *place,
                                   struct pm_error *err);

struct pm_place_row {
    const char *name; /* what is used: canonical */
    int64_t file_id;
    const char *input;    /* path, "-", or archive:member */
    int64_t record;       /* line of JSON that has the file, from 1, or 0 */
    int64_t cell;         /* of a notebook, from 1, or 0; lines are the cell's then */
    int64_t line, column; /* from 1; the column in bytes */
    const char *inside;   /* "Net.forward": classes and functions around it, "" at the top */
    enum pm_resolve_form form;
    enum pm_resolve_how how;
    const char *chain; /* what it follows from, or "" */
};
typedef int pm_place_fn(void *ctx, const struct pm_place_row *row);
/* The uses of one function (`name` NULL: of all) in one scan, in the order of reading. */
PM_MUST_USE int pm_store_places(struct pm_store *store, int64_t scan_id, const char *framework,
                                const char *name, pm_place_fn *row, void *ctx,
                                struct pm_error *err);

/* A sample of functions with its audit trail. */
struct pm_sample_row {
    int64_t id;
    int64_t scan_id; /* 0: of a ranking that was given as a file */
    const char *framework;
    enum pm_rule rule;    /* by which it is ranked */
    const char *drawn;    /* ISO 8601 UTC */
    const char *options;  /* JSON: all that it was asked for */
    const char *document; /* JSON, pm_sample_to_json() */
};
PM_MUST_USE int pm_store_add_sample(struct pm_store *store, const struct pm_sample_row *row,
                                    int64_t *id, struct pm_error *err);
typedef int pm_sample_fn(void *ctx, const struct pm_sample_row *row);
/* Those of one framework (NULL: all), newest first. */
PM_MUST_USE int pm_store_samples(struct pm_store *store, const char *framework, pm_sample_fn *row,
                                 void *ctx, struct pm_error *err);

/* What the verdicts of a run say of a whole framework; made anew whenever a run is judged. */
struct pm_estimate_row {
    int64_t run_id, target_id, sample_id;
    enum pm_basis basis;
    double value, low, high; /* shares, 95 %; value NaN where nothing is known */
    int64_t members, marked; /* of the sample; of them, with a verdict that counts */
    double unknown;          /* share of the weight in strata without any verdict */
};
PM_MUST_USE int pm_store_add_estimate(struct pm_store *store, const struct pm_estimate_row *row,
                                      struct pm_error *err);
typedef int pm_estimate_fn(void *ctx, const struct pm_estimate_row *row);
/* Of one run, by target, sample, `by`. */
PM_MUST_USE int pm_store_estimates(struct pm_store *store, int64_t run_id, pm_estimate_fn *row,
                                   void *ctx, struct pm_error *err);

#endif
