/*
 * Declarations that the files of this room share. Reading order of the files: load.c (paths to
 * files to a suite), bytes.c (which bytes a file may contain), yaml.c (parsing, positions), keys.c
 * (mappings and the forms of values), function.c (a file), case.c (a case's keys), rules.c (which
 * keys exclude each other), compare.c (how outputs are compared), process.c (the settings of a
 * process), kind.c (core, dtype or edge case), expand.c (one case for each dtype), describe.c (a
 * case as JSON, versions), pack.c (packs), python.c (names in Python), own.c (memory).
 *
 * struct pm_suite_private keeps everything that a suite returns until the suite is released, so no
 * reader here frees a string. Errors have the form "FILE:LINE:COLUMN: what is wrong, what to do".
 */
#ifndef PM_SUITE_SUITE_PRIVATE_H
#define PM_SUITE_SUITE_PRIVATE_H

#include <libfyaml.h>

#include "base/str.h"
#include "suite/suite.h"

struct pm_suite_private {
    void **blocks;
    size_t count, capacity;
    json_t *values; /* an array of all JSON values that the suite owns */
};

/* Takes and returns `block` (from pm_alloc() or similar); the suite frees it. */
void *pm_suite__keep(struct pm_suite_private *own, void *block);
char *pm_suite__copy(struct pm_suite_private *own, const char *text, size_t length);
/* Takes the reference and returns the value, borrowed. */
json_t *pm_suite__keep_json(struct pm_suite_private *own, json_t *value);

/* A file while it is read. */
struct pm_suite__file {
    struct pm_suite_private *own;
    const char *path; /* kept by the suite */
    const char *framework;
    const struct pm_case_words *words;
    struct pm_str text;
    struct fy_diag *diag;
    struct fy_parser *parser;
    struct fy_document *document;
    struct fy_node *root;
};

#define PM_SUITE__MAX_BYTES ((size_t)16 << 20)

/* Checks that a file is plain text (pm_plain_check()), and at most PM_SUITE__MAX_BYTES long. */
PM_MUST_USE int pm_suite__check_bytes(const char *path, const char *bytes, size_t length,
                                      struct pm_error *err);

/* Parses file->text into file->root. PM_EFORMAT unless the text is one YAML document without
 * anchors, aliases and tags. */
PM_MUST_USE int pm_suite__parse(struct pm_suite__file *file, struct pm_error *err);
void pm_suite__close(struct pm_suite__file *file); /* accepts a zeroed file */

/* Sets "FILE:LINE:COLUMN: ..." for the position at which `at` begins; returns PM_EFORMAT. */
int pm_suite__wrong(const struct pm_suite__file *file, struct fy_node *at, struct pm_error *err,
                    const char *format, ...) PM_PRINTF(4, 5);
int pm_suite__line(const struct pm_suite__file *file, struct fy_node *at);

/* The form that a key's value must have. */
enum pm_suite__form {
    PM_FORM_TEXT,    /* a string; quoted if YAML would read a number, boolean or null     */
    PM_FORM_TEXTS,   /* a string or a list of strings */
    PM_FORM_CHOICES, /* a string, or a mapping that is not empty                          */
    PM_FORM_TRUTH,   /* true or false                                                     */
    PM_FORM_NUMBER,  /* a finite number                                                   */
    PM_FORM_LIST,    /* a list that is not empty                                          */
    PM_FORM_ITEMS,   /* a list, which may be empty */
    PM_FORM_MAPPING, /* a mapping that is not empty                                       */
};

struct pm_suite__key {
    const char *name;
    enum pm_suite__form form;
    const char *example;
};

/* One entry of a mapping; both members are NULL if the key is absent. */
struct pm_suite__entry {
    struct fy_node *key, *value;
};

/* Reads the mapping `node`, called `what` in errors, into entries[i] for keys[i]. */
PM_MUST_USE int pm_suite__read_keys(const struct pm_suite__file *file, struct fy_node *node,
                                    const char *what, const struct pm_suite__key *keys,
                                    size_t count, struct pm_suite__entry *entries,
                                    struct pm_error *err);

/* Returns the text of a value; the form of the value has been checked. */
const char *pm_suite__text(const struct pm_suite__file *file, struct fy_node *node);
bool pm_suite__truth(struct fy_node *node);
double pm_suite__number(struct fy_node *node);
/* Reads the text of `value`, the value of `key` in a mapping that errors call `what`. Fails if the
 * value is not a string, for example a number, boolean or null without quotes. */
PM_MUST_USE int pm_suite__quoted_text(const struct pm_suite__file *file, struct fy_node *key,
                                      struct fy_node *value, const char *what, const char **out,
                                      struct pm_error *err);
/* Reads a string, or a list of strings. Fails if an item is blank or not a string. */
PM_MUST_USE int pm_suite__texts(const struct pm_suite__file *file, struct fy_node *node,
                                const char ***out, size_t *count, struct pm_error *err);

/* The keys of a case: id, name, form of the value, and an example for messages. */
#define PM_SUITE__CASE_KEYS(X)                                                                     \
    X(NAME, "name", TEXT, "name: rows")                                                            \
    X(KIND, "kind", TEXT, "kind: edge")                                                            \
    X(KIND_CHANGED, "kind_changed", MAPPING,                                                       \
      "kind_changed: {from: edge, reason: \"the documentation shows it first\"}")                  \
    X(DTYPES, "dtypes", TEXTS, "dtypes: [float32, int64]")                                         \
    X(INPUTS, "inputs", MAPPING, "inputs: {x: \"float32[3] normal\"}")                             \
    X(CONTEXT, "context", TEXT, "context: package.graph() as g, package.on(device)")               \
    X(SETUP, "setup", TEXT, "setup: m = package.Linear(5, 2)")                                     \
    X(ARGUMENTS, "arguments", TEXTS, "arguments: [model]")                                         \
    X(MODULES, "modules", TEXTS, "modules: [m]")                                                   \
    X(CALL, "call", TEXT, "call: package.sort(x)")                                                 \
    X(OUTPUT, "output", TEXT, "output: out.values")                                                \
    X(CALLS, "calls", MAPPING, "calls: {reviewed: \"why it calls the function\"}")                 \
    X(REPEAT, "repeat", TEXT, "repeat: fresh")                                                     \
    X(COMPARE, "compare", CHOICES, "compare: exact")                                               \
    X(TOLERANCE, "tolerance", MAPPING, "tolerance: {rtol: 1e-3, atol: 1e-5}")                      \
    X(EXPECT, "expect", TEXT, "expect: np.sort(x)")                                                \
    X(UNDEFINED, "undefined", TEXT, "undefined: https://example.org/docs#what-is-undefined")       \
    X(ACROSS, "across", TEXT, "across: sort")                                                      \
    X(CHECK, "check", TEXT, "check: out.min() >= 0")                                               \
    X(RAISES, "raises", MAPPING, "raises: {type: RuntimeError, message: \"must match\"}")          \
    X(BACKWARD, "backward", TRUTH, "backward: true")                                               \
    X(PROCESS, "process", MAPPING, "process: {devices: 2}")                                        \
    X(SHAPES, "shapes", LIST, "shapes: [[8, 32], [16, 32]]")                                       \
    X(SIZE, "size", TEXT, "size: large")                                                           \
    X(REQUIRES, "requires", TEXTS, "requires: [accelerator]")                                      \
    X(REFERENCE, "reference", TEXT, "reference: none")                                             \
    X(HOST_OUTPUTS, "host_outputs", TEXTS, "host_outputs: [\"out[1]\"]")                           \
    X(SINCE, "since", TEXT, "since: \"2.1\"")                                                      \
    X(UNTIL, "until", TEXT, "until: \"2.1\"")                                                      \
    X(EXPECTED, "expected", TEXT, "expected: crash")                                               \
    X(NEEDS, "needs", TEXTS, "needs: [values]")

enum pm_suite__case_key {
#define X(id, name, form, example) PM_KEY_##id,
    PM_SUITE__CASE_KEYS(X)
#undef X
        PM_KEY_COUNT
};

struct pm_suite__draft {
    struct pm_case c;
    struct fy_node *node;
    struct pm_suite__entry entries[PM_KEY_COUNT];
    enum pm_dtype *dtypes;
    size_t dtype_count;
};

static inline bool pm_suite__has(const struct pm_suite__draft *draft, enum pm_suite__case_key key)
{
    return draft->entries[key].key != NULL;
}

/* A file's function with its cases, before the suite is put together. */
struct pm_suite__loaded {
    struct pm_function function;
    struct pm_case *cases; /* the loader frees the array; the suite owns what its cases point to */
    size_t count, capacity;
};

PM_MUST_USE int pm_suite__read_function(const struct pm_suite__file *file,
                                        struct pm_suite__loaded *out, struct pm_error *err);
PM_MUST_USE int pm_suite__read_case(const struct pm_suite__file *file, struct fy_node *node,
                                    bool planted_faults, struct pm_suite__draft *out,
                                    struct pm_error *err);
PM_MUST_USE int pm_suite__check_case(const struct pm_suite__file *file, const char *function,
                                     bool host_only, const struct pm_suite__draft *draft,
                                     struct pm_error *err);
/* Read `compare` and `tolerance`. pm_suite__check_compare() checks them against the other keys,
 * after all keys were read. */
PM_MUST_USE int pm_suite__read_compare(const struct pm_suite__file *file,
                                       struct pm_suite__draft *draft, struct pm_error *err);
PM_MUST_USE int pm_suite__read_tolerance(const struct pm_suite__file *file,
                                         struct pm_suite__draft *draft, struct pm_error *err);
/* Reads `process`. */
PM_MUST_USE int pm_suite__read_process(const struct pm_suite__file *file,
                                       struct pm_suite__draft *draft, struct pm_error *err);
PM_MUST_USE int pm_suite__check_compare(const struct pm_suite__file *file,
                                        const struct pm_suite__draft *draft, struct pm_error *err);
/* Reads `kind` and `kind_changed`, after `raises` and `expected`. */
PM_MUST_USE int pm_suite__read_kind(const struct pm_suite__file *file,
                                    struct pm_suite__draft *draft, struct pm_error *err);
/* Returns the kind of an expansion: `dtype` for a core case with a dtype that is not a default
 * dtype, otherwise the kind of the case. */
enum pm_case_kind pm_suite__expanded_kind(const struct pm_suite__file *file, enum pm_case_kind kind,
                                          enum pm_dtype dtype);
/* Counts the core cases of a file whose cases are all read; `few` is its key `few_core`. */
PM_MUST_USE int pm_suite__count_core(const struct pm_suite__file *file,
                                     const struct pm_suite__entry *few,
                                     struct pm_suite__loaded *out, struct pm_error *err);
/* Sets *out to the index of `text` among `words`. The error names the nearest word or lists all. */
PM_MUST_USE int pm_suite__find_word(const struct pm_suite__file *file, struct fy_node *at,
                                    const char *text, const char *key, const struct pm_words *words,
                                    int *out, struct pm_error *err);
/* Appends one case for each dtype, or one case if the draft has no dtypes. */
PM_MUST_USE int pm_suite__expand(const struct pm_suite__file *file,
                                 const struct pm_suite__draft *draft, struct pm_suite__loaded *out,
                                 struct pm_error *err);

/* Returns whether a text is a version: "2.13", "0.10.2". */
bool pm_suite__is_version(const char *text);
/* Returns whether a text is a Python identifier (ASCII) and not a keyword. */
bool pm_suite__is_identifier(const char *text);
bool pm_suite__is_keyword(const char *text);
/* Returns whether `text` contains `variable` ("$dtype"), not as the beginning of a longer name. */
bool pm_suite__mentions(const char *text, const char *variable);
/* Returns `text` itself if it is NULL or does not contain `variable`, otherwise a copy with
 * `variable` replaced, which `own` keeps. */
const char *pm_suite__substitute(struct pm_suite_private *own, const char *text,
                                 const char *variable, const char *value);

#endif
