/*
 * A database to test with: a store in a scratch folder, and short ways to fill and to read it. A
 * step that fails, fails the test.
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
/* The call fails with that code, and says so in one line that has `part`. */
#define assert_refused(s, expr, code, part)                                                        \
    do {                                                                                           \
        (s)->err.text[0] = '\0';                                                                   \
        assert_int_equal((expr), (code));                                                          \
        if (!strstr((s)->err.text, (part)) || strchr((s)->err.text, '\n'))                         \
            fail_msg("'%s' does not say '%s'", (s)->err.text, (part));                             \
    } while (0)

/* The value of an enum of the vocabulary by its text, WORD(outcome, "pass"); without one, the test
 * fails. */
#define WORD(name, text) ((enum pm_##name)stored_word(&pm_##name##_words, text))
int stored_word(const struct pm_words *words, const char *text);

struct stored_name; /* id of a row by its text */

struct stored {
    char *folder, *db;
    struct pm_store *store; /* open for writing; NULL after stored_close() */
    struct pm_error err;
    int64_t run; /* the newest that was added */
    struct stored_name *names;
    size_t name_count, name_capacity;
};

/* A fixture for cmocka_unit_test_setup_teardown(): *state is a struct stored, empty. */
int stored_set_up(void **state);
int stored_tear_down(void **state);
#define STORED_TEST(function)                                                                      \
    cmocka_unit_test_setup_teardown(function, stored_set_up, stored_tear_down)

void stored_close(struct stored *s);
void stored_open(struct stored *s); /* again, for writing */
/* Runs SQL on the closed database, past the checks of its columns: damage that no function of the
 * store would write. SQL that changes no row fails the test. */
void stored_run_sql(struct stored *s, const char *sql);

/* ---- filling ------------------------------------------------------------------------------ */

/* A run with seed 1, done and valid. `as` (may be NULL) has its words, and other values that are
 * not 0. */
#define STORED_DONE .state = PM_RUN_DONE, .validity = PM_VALIDITY_VALID
void stored_add_run(struct stored *s, const struct pm_run_row *as);
/* A part of the newest run, on a machine described in JSON. */
void stored_add_attempt(struct stored *s, const char *machine, double load_before,
                        double load_after);

struct stored_target {
    const char *text;      /* "null@null" */
    const char *reference; /* NULL: it is a reference itself, or the oracle */
    const char *role;      /* NULL: "subject" where it has a reference, else "reference" */
    const char *evidence;  /* NULL: "executed" */
    bool no_latencies;
};
void stored_add_targets(struct stored *s, const struct stored_target *targets, size_t count);
#define STORED_TARGETS(s, items) stored_add_targets(s, items, sizeof(items) / sizeof *(items))
int64_t stored_target(struct stored *s, const char *text); /* its id in the newest run */

/* `definition` NULL: "{}". The framework is that of the targets: what comes before '@'. */
int64_t stored_add_case(struct stored *s, const char *framework, const char *function,
                        const char *name, const char *definition);

struct stored_execution {
    const char *target, *function, *name;
    int64_t repetition;
    const char *output; /* numbers as JSON: a leaf 'out' of their float32; NULL: no leaf */
    const char *result; /* JSON of an answer's header; NULL: "{}" */
    const char *ending; /* no answer came: how the child ended, "signal" */
    int64_t ending_code;
    const char *warm, *cold; /* times in nanoseconds as JSON; NULL: none */
    bool todo;
    int64_t position; /* how many others its process had run before */
    enum pm_retry retry;
};
void stored_add_executions(struct stored *s, const struct stored_execution *items, size_t count);
#define STORED_EXECUTIONS(s, items) stored_add_executions(s, items, sizeof(items) / sizeof *(items))
int64_t stored_execution(struct stored *s, const char *target, const char *function,
                         const char *name, int64_t repetition);
/* A leaf of float32 under `path`; position counts from 0 in each part. */
void stored_add_output(struct stored *s, int64_t execution, const char *part, int64_t position,
                       const char *path, const char *numbers);
/* A leaf that is a value or a type. */
void stored_add_word(struct stored *s, int64_t execution, int64_t position, const char *kind,
                     const char *value);

/* Returns a sample from a made-up ranking of `count` functions: f000 with 1 use, f001 with 2, ...;
 * the 20 most used are all members. `by`: the rule that ranks, "resolved" or "paper". */
int64_t stored_add_sample(struct stored *s, const char *framework, const char *by, size_t count,
                          enum pm_strata_rule strata);

/* An inventory of jax 1.0, as one that walked through it writes it: jax.Array (class),
 * jax.Array.sum (method), jax.jit, jax.lax.sort and jax.numpy.add, whose alias is jax.plus;
 * private: secret; unread: jax.tpu. */
extern const char stored_jax[];
int64_t stored_add_inventory(struct stored *s);

/* ---- judging ------------------------------------------------------------------------------ */

/* Judges the newest run; the store is open again afterwards. */
struct pm_judged stored_judge(struct stored *s);
/* Stores the noise floor of warm calls on a reference of the newest run, as if it had been
 * measured. */
void stored_add_noise_floor(struct stored *s, const char *reference, double floor);

/* ---- reading ------------------------------------------------------------------------------ */

/* One line for each judgement of the newest run, by target, function, case and repetition:
 * "null@null f small 0: fail (compare)". The caller frees. */
char *stored_judgements(struct stored *s);
/* Returns a text such as "null@null f: works, paper works, 1 of 1 counted", with ", 1 flaky", ",
 * host-only" and ": detail" where there is any. The caller frees. */
char *stored_verdicts(struct stored *s);
/* The statistic of that target in the newest run with scope, clock, size, what, function and name
 * of `key`; a text that is NULL is any, and so is size PM_SIZE_COUNT. False without one; two fail
 * the test. Texts of *out are not valid. */
bool stored_statistic(struct stored *s, const char *target, const struct pm_statistic_row *key,
                      struct pm_statistic_row *out);

/* ---- texts -------------------------------------------------------------------------------- */

/* Fails where `got` is not `want`; frees `got`. */
void assert_text(char *got, const char *want);
/* Fails where `text` has no `part`, with the whole text. */
void assert_has(const char *text, const char *part);
void assert_lacks(const char *text, const char *part);

/* What is printed to stdout between the two calls; the caller frees. */
void stored_catch_stdout(struct stored *s);
char *stored_caught(struct stored *s);

#endif
