/*
 * A database for tests: a store in a scratch folder, and short functions that fill and read it. A
 * function that fails, fails the test.
 *
 *     static const struct stored_target targets[] = {{"null@host"}, {"null@null", "null@host"}};
 *     static const struct stored_execution executions[] = {
 *         {"null@host", "f", "small", .output = "[1, 2]"},
 *         {"null@null", "f", "small", .output = "[1, 3]", .warm = "[900, 950]"},
 *     };
 *     struct stored *s = *state;                       // of STORED_TEST(function)
 *     stored_add_run(s, NULL);
 *     STORED_TARGETS(s, targets);
 *     STORED_EXECUTIONS(s, executions);
 *     stored_close(s);                                 // so that a command may write to s->db
 *
 * Rows of one run refer to each other by text: a target by its own, a case by function and name. A
 * case is added with its first execution; stored_add_case() before it gives it a definition.
 */
#ifndef PM_TESTS_UNIT_STORES_H
#define PM_TESTS_UNIT_STORES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "assess/assess.h"
#include "sample/stored.h"
#include "store/runs.h"
#include "store/store.h"

#define assert_ok(s, expr)                                                                         \
    do {                                                                                           \
        if ((expr) != PM_OK)                                                                       \
            fail_msg("%s: %s", #expr, (s)->err.text);                                              \
    } while (0)
/* Asserts that the call fails with this code and a message of one line that contains `part`. */
#define assert_refused(s, expr, code, part)                                                        \
    do {                                                                                           \
        (s)->err.text[0] = '\0';                                                                   \
        assert_int_equal((expr), (code));                                                          \
        if (!strstr((s)->err.text, (part)) || strchr((s)->err.text, '\n'))                         \
            fail_msg("'%s' does not say '%s'", (s)->err.text, (part));                             \
    } while (0)

/* Returns the value of an enum of the vocabulary by its text, for example WORD(outcome, "pass");
 * fails the test if there is no such word. */
#define WORD(name, text) ((enum pm_##name)stored_word(&pm_##name##_words, text))
int stored_word(const struct pm_words *words, const char *text);

struct stored_name; /* the id of a row, and the text that names the row */

struct stored {
    char *folder, *db;
    struct pm_store *store; /* open for writing; NULL after stored_close() */
    struct pm_error err;
    int64_t run; /* id of the newest run */
    struct stored_name *names;
    size_t name_count, name_capacity;
};

/* Set-up for cmocka_unit_test_setup_teardown(): sets *state to an empty struct stored. */
int stored_set_up(void **state);
int stored_tear_down(void **state);
#define STORED_TEST(function)                                                                      \
    cmocka_unit_test_setup_teardown(function, stored_set_up, stored_tear_down)

void stored_close(struct stored *s);
void stored_open(struct stored *s); /* opens the store again, for writing */
/* Runs SQL on the closed database without the checks of its columns, to make damage that no
 * function of the store would write. SQL that changes no row fails the test. */
void stored_run_sql(struct stored *s, const char *sql);

/* ---- filling ------------------------------------------------------------------------------ */

/* Adds a run: with seed 1, done and valid if `as` is NULL, otherwise with the values of `as`. Texts
 * of `as` that are NULL, and a seed of 0, get default values. */
#define STORED_DONE .state = PM_RUN_DONE, .validity = PM_VALIDITY_VALID
void stored_add_run(struct stored *s, const struct pm_run_row *as);
/* Adds an attempt (a part of the newest run), on a machine described in JSON. */
void stored_add_attempt(struct stored *s, const char *machine, double load_before,
                        double load_after);

struct stored_target {
    const char *text;      /* "null@null" */
    const char *reference; /* NULL: it is a reference itself, or the oracle */
    const char *role;      /* NULL: "subject" if it has a reference, else "reference" */
    const char *evidence;  /* NULL: "executed" */
    bool no_latencies;
};
void stored_add_targets(struct stored *s, const struct stored_target *targets, size_t count);
#define STORED_TARGETS(s, items) stored_add_targets(s, items, sizeof(items) / sizeof *(items))
int64_t stored_target(struct stored *s, const char *text); /* returns its id in the newest run */

/* Adds a case, unless the function has one of this name, and returns its id. `definition` NULL:
 * "{}". `framework` is the part of the targets before '@'. */
int64_t stored_add_case(struct stored *s, const char *framework, const char *function,
                        const char *name, const char *definition);

struct stored_execution {
    const char *target, *function, *name;
    int64_t repetition;
    const char *output; /* numbers as JSON, stored as a float32 leaf 'out'; NULL: no leaf */
    const char *result; /* JSON of an answer's header; NULL: "{}" */
    const char *ending; /* how the child ended if there was no answer: "signal" */
    int64_t ending_code;
    const char *warm, *cold; /* times in nanoseconds as JSON; NULL: none */
    const char *compiled; /* compilations during each of the `warm` times as JSON; NULL: unknown */
    bool todo;
    int64_t position; /* number of executions that its process had run before */
    enum pm_retry retry;
};
void stored_add_executions(struct stored *s, const struct stored_execution *items, size_t count);
#define STORED_EXECUTIONS(s, items) stored_add_executions(s, items, sizeof(items) / sizeof *(items))
int64_t stored_execution(struct stored *s, const char *target, const char *function,
                         const char *name, int64_t repetition);
/* Adds a float32 array under `path`; `numbers` is a list in JSON. `position` counts from 0 in each
 * part. */
void stored_add_output(struct stored *s, int64_t execution, const char *part, int64_t position,
                       const char *path, const char *numbers);
/* Adds an output "out" that is a value or a type. */
void stored_add_word(struct stored *s, int64_t execution, int64_t position, const char *kind,
                     const char *value);

/* Adds a sample from a made-up ranking of `count` functions: f000 with 1 use, f001 with 2, ...; the
 * 20 most used are all members. `by` is the rule of the ranking, "resolved" or "paper". Returns its
 * id. */
int64_t stored_add_sample(struct stored *s, const char *framework, const char *by, size_t count,
                          enum pm_strata_rule strata);

/* The text of an inventory of jax 1.0, in the form that a walk writes: jax.Array (class),
 * jax.Array.sum (method), jax.jit, jax.lax.sort and jax.numpy.add, whose alias is jax.plus;
 * private: secret; foreign: ones; unread: jax.tpu. */
extern const char stored_jax[];
int64_t stored_add_inventory(struct stored *s);

/* ---- judging ------------------------------------------------------------------------------ */

/* Judges the newest run; the store is open again afterwards. */
struct pm_judged stored_judge(struct stored *s);
/* Stores the noise floor of warm calls on a reference of the newest run, as if it had been
 * measured. */
void stored_add_noise_floor(struct stored *s, const char *reference, double floor);

/* ---- reading ------------------------------------------------------------------------------ */

/* Returns a line for each judgement of the newest run, in order of target, function, case and
 * repetition: "null@null f small 0: fail (compare)". A retry's kind follows the repetition, and
 * "not counted, " precedes the outcome of a judgement that does not count. The caller frees the
 * text. */
char *stored_judgements(struct stored *s);
/* Returns a line for each verdict of the newest run: "null@null f: works, paper works, 1 of 1
 * counted" and, if they apply, ", core 1 of 2", ", 1 flaky", ", limits: ...", ", host-only" and ":
 * detail". The caller frees the text. */
char *stored_verdicts(struct stored *s);
/* Stores in *out the statistic of this target in the newest run that has the scope, clock, size,
 * what, function and name of `key`; NULL for a text and PM_SIZE_COUNT for a size match any. Returns
 * false if there is none; fails the test if there are two. The texts of *out are invalid after the
 * call. */
bool stored_statistic(struct stored *s, const char *target, const struct pm_statistic_row *key,
                      struct pm_statistic_row *out);

/* ---- texts -------------------------------------------------------------------------------- */

/* Asserts that `got` is `want`; frees `got`. */
void assert_text(char *got, const char *want);
/* Asserts that `text` contains `part`; on a failure prints the whole text. */
void assert_has(const char *text, const char *part);
void assert_lacks(const char *text, const char *part);

/* stored_caught() returns what was printed to stdout since stored_catch_stdout(); the caller frees
 * it. */
void stored_catch_stdout(struct stored *s);
char *stored_caught(struct stored *s);

#endif
