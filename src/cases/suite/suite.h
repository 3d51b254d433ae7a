/*
 * Case files: what to measure. docs/cases.md describes the language.
 *
 *     struct pm_suite suite = {0};
 *     // files and folders of *.yaml
 *     PM_TRY(pm_suite_load(&suite, "pytorch", words, paths, count, err));
 *     for (size_t i = 0; i < suite.case_count; i++) use(&suite.cases[i]);
 *     pm_suite_release(&suite);
 *
 * Cases are expanded: there is one pm_case for each dtype, with `$dtype` substituted in inputs,
 * context, setup, call, output, expect and check. Loading validates everything; an error names
 * file, line and column. The suite owns all strings.
 */
#ifndef PM_SUITE_SUITE_H
#define PM_SUITE_SUITE_H

#include <jansson.h>

#include "array/generate.h"
#include "base/case_words.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vocabulary.h"

#define PM_REPEATS(X, P) X(P, PURE, "pure") X(P, FRESH, "fresh") X(P, ONCE, "once")
PM_WORDS(repeat, PM_REPEATS, PM_REPEAT);

/* The properties of a target that a planted fault needs. */
#define PM_NEEDS(X, P)                                                                             \
    X(P, VALUES, "values")               /* it has values, not only dtypes and shapes */           \
    X(P, LATENCIES, "latencies")         /* latencies are taken on it */                           \
    X(P, ASYNCHRONOUS, "asynchronous")   /* its calls return before their work is done */          \
    X(P, DEVICE, "device")               /* its device is not that of its reference */             \
    X(P, DEVICE_MEMORY, "device memory") /* it has its own memory */                               \
    X(P, EAGER, "eager")                 /* its calls run as written: no variant compiles them */  \
    X(P, COUNTERS, "counters") /* the framework counts operations that fall back to the host */
PM_WORDS(need, PM_NEEDS, PM_NEED);

struct pm_input {
    const char *name;
    bool is_literal;
    json_t *literal; /* borrowed from the suite; if is_literal */
    bool is_key;     /* the input is a key for random numbers, which the driver creates */
    uint32_t key;
    struct pm_input_spec spec; /* specification of an array, for the first shape of a series */
    const char *text;          /* the specification, with `$dtype` substituted, but not `$shape` */
};

struct pm_case {
    const struct pm_function *function;
    const char *name; /* "rows[float32]": unique within its function */
    const char *base; /* "rows" */
    const char *file;
    int line;
    enum pm_case_kind kind;
    enum pm_case_kind
        kind_before; /* if kind_reason is set: the kind by which older results were judged */
    const char *kind_reason; /* why the kind was changed afterwards; NULL: it was not changed */
    bool has_dtype;
    enum pm_dtype dtype; /* the dtype of this expansion, if has_dtype */
    struct pm_input *inputs;
    size_t input_count;
    const char *context; /* may be NULL, like any text below */
    const char *setup;
    const char **arguments; /* names from setup that are parameters of the call */
    size_t argument_count;
    const char **modules;
    size_t module_count;
    const char *call;
    const char *calls_reviewed; /* why the case calls its function although its texts do not show
                                   it; or NULL */
    const char *output;         /* "out" by default, never NULL */
    enum pm_repeat repeat;
    enum pm_compare compare; /* how outputs that `compare_of` does not name are compared */
    json_t *compare_of;      /* {path or "default": word}; NULL: one word applies to all */
    json_t *tolerance;       /* {"rtol": n, "atol": n}; or such an object for each dtype, path or
                                "default"; or NULL */
    const char *expect;
    const char *undefined; /* link to the sentence that leaves the values undefined: only dtypes and
                              shapes are compared */
    const char *across; /* an operation that frameworks share: all its cases have the same inputs */
    const char *check;
    const char *raises_type, *raises_message; /* both NULL if the key is absent */
    bool raises_counts; /* the purpose of the function is to raise: the case is counted */
    bool backward;
    json_t *process; /* {"x64", "devices", "environment", "alone"}; NULL: the key is absent */
    struct pm_shape *shapes; /* a series: `$shape` in an input is replaced by each in turn */
    size_t shape_count;
    enum pm_size size;
    const char **requires;
    size_t require_count;
    enum pm_case_reference reference;
    const char **host_outputs;
    size_t host_output_count;
    const char *since, *until; /* framework versions, inclusive */
    const char *after;         /* the version must be later than this; only for `is_absence` */
    bool is_absence;           /* the case calls nothing: its file says that these versions lack the
                                  function */
    /* Only in files of planted faults (suites/planted-faults): the outcome that is expected, and
     * what a target needs. */
    bool is_planted_fault;
    enum pm_outcome expected;
    bool needs[PM_NEED_COUNT];
};

struct pm_function {
    const char *name;      /* "torch.argsort" */
    const char *framework; /* framework that pm_suite_load() was given */
    const char *file;
    bool host_only;
    bool is_private; /* the framework does not offer it to users: no inventory has it */
    json_t *paper;   /* the `paper:` mapping as JSON; NULL: the key is absent */
    json_t *absent;  /* {"until", "replaced_by"}: the last version with the function, and its
                        successor; NULL: every version has it */
    enum pm_tier tier;
    const char *no_values; /* why its cases check no value; NULL: no reason is given */
    const char *few_core;  /* why it has fewer than PM_LEAST_CORE core cases; NULL: it has more, or
                              the file does not say why */
    size_t core_count;     /* how many of its cases are core cases */
    size_t first_case, case_count;
};

/* How many core cases a function needs, unless its file says why it has fewer. */
enum { PM_LEAST_CORE = 2 };

struct pm_suite {
    struct pm_function *functions; /* sorted by name */
    size_t function_count;
    struct pm_case *cases; /* by function, then in file order */
    size_t case_count;
    struct pm_digest digest;      /* digest of all files, by name; --resume compares it */
    struct pm_suite_private *own; /* arena of strings, files, JSON values */
};

/* Loads case files. `framework` is the framework of their functions. `words` is used only while
 * loading. A case file that is in `paths` twice is read once. A function in two files, or in a pack
 * that is in `paths` twice, is an error that names both. PM_EFORMAT if a file is invalid,
 * PM_ENOTFOUND if there is no case file. The caller releases *suite after PM_OK. */
PM_MUST_USE int pm_suite_load(struct pm_suite *suite, const char *framework,
                              const struct pm_case_words *words, const char *const *paths,
                              size_t path_count, struct pm_error *err);
/* Loads the named files, or the framework's own suite if none is named. */
PM_MUST_USE int pm_suite_load_default(struct pm_suite *suite, const char *framework,
                                      const struct pm_case_words *words, const char *const *paths,
                                      size_t path_count, struct pm_error *err);
/* A pack is one file that contains many case files, compressed with zstd. Each case file follows a
 * line "---" and begins with a line `function: NAME`. Lines before the first "---" are comments. A
 * pack may be among the paths of pm_suite_load(); its extension is PM_SUITE_PACK. */
#define PM_SUITE_PACK ".yaml.zst"
typedef int pm_suite_packed_fn(void *ctx, const char *pack, const char *function, const char *text,
                               size_t length, struct pm_error *err);
/* Passes every file of a pack to the callback, in order. Only the last `text` has a NUL after its
 * `length` bytes. Stops at the first error of the callback and returns it. PM_EFORMAT if the pack
 * is damaged, or unpacks to more than 64 MiB. */
PM_MUST_USE int pm_suite_unpack(const char *path, pm_suite_packed_fn *file, void *ctx,
                                struct pm_error *err);
/* Appends the comments of a pack, the lines before its first file. Fails like pm_suite_unpack(). */
PM_MUST_USE int pm_suite_pack_comments(const char *path, struct pm_str *out, struct pm_error *err);
/* Writes the text of a pack, compressed, with a checksum. PM_EIO if the file cannot be written. */
PM_MUST_USE int pm_suite_pack(const char *path, const char *text, size_t length,
                              struct pm_error *err);

/* Reads the version of the suites that come with portmeter: the first line of suites/VERSION. The
 * version is "" if files are named instead (`path_count` is above 0), or if there is no such line.
 * The caller frees *out, even after an error. */
PM_MUST_USE int pm_suite_version(size_t path_count, char **out, struct pm_error *err);
void pm_suite_release(struct pm_suite *suite);

/* Parses the specification of input number `input`, from 0, for shape `k` of the series (0 if there
 * is no series). The input must be neither a literal nor a key. PM_EFORMAT if the specification is
 * invalid. */
PM_MUST_USE int pm_suite_input(const struct pm_case *c, size_t input, size_t k,
                               struct pm_input_spec *out, struct pm_error *err);

/* Returns the whole definition of an expanded case as JSON (the keys of the case language): for the
 * store and for digests of a case. The caller owns the result. */
json_t *pm_case_json(const struct pm_case *c);

/* Returns whether the function should have more core cases: its file has reviewed cases of its own,
 * fewer than PM_LEAST_CORE of them are core, and it does not say why. */
bool pm_function_lacks_core(const struct pm_function *function);

/* Returns whether two cases can share a process: both need the same settings, and neither has
 * `alone`. A case with `alone` can share a process only with itself. */
bool pm_case_shares_process(const struct pm_case *a, const struct pm_case *b);

/* Returns whether `version` ("2.13.0+cpu") is within `since` and `until`, and later than `after`,
 * compared number by number. */
bool pm_case_in_version(const struct pm_case *c, const char *version);

#endif
