/*
 * Chooses the functions to measure: ranking by use, strata, a seeded draw and its audit trail.
 * Estimates for the whole framework are in estimate.h. These functions do no I/O.
 *
 *     struct pm_ranking ranking = {0};
 *     PM_TRY(pm_ranking_parse(bytes, length, &ranking, err));     // {"torch.cat": 1622, ...}
 *     const struct pm_sample_plan plan = {.framework = "pytorch", .seed = 7, .top = PM_SAMPLE_TOP,
 *                                         .per_decile = PM_SAMPLE_PER_DECILE};
 *     PM_TRY(pm_sample_draw(&ranking, &plan, &sample, err));
 *     for (size_t i = 0; i < sample.member_count; i++)
 *         measure(sample.members[i].name);
 *
 * Only ranked functions can be drawn. A function that a corpus never uses may be ranked with 0 uses
 * or not ranked: the author of the ranking decides which population the sample represents.
 */
#ifndef PM_SAMPLE_SAMPLE_H
#define PM_SAMPLE_SAMPLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "base/words.h"

/* ------------------------------------------------------------------------------- ranking --- */

struct pm_ranked {
    char *name;
    uint64_t uses;
};

struct pm_ranking {
    struct pm_ranked *items; /* after pm_ranking_close(): most used first, functions with equal uses
                                by name */
    size_t count, capacity;
};

void pm_ranking_add(struct pm_ranking *ranking, const char *name, uint64_t uses);
/* Sorts the ranking. PM_EFORMAT if it is empty, or if a name is empty or occurs twice. */
PM_MUST_USE int pm_ranking_close(struct pm_ranking *ranking, struct pm_error *err);
/* Reads a ranking from a JSON object of names and counts, the form of the paper's
 * *_frequencies.json, and closes it. PM_EFORMAT if the text has another form. The caller releases
 * *out. */
PM_MUST_USE int pm_ranking_parse(const char *bytes, size_t length, struct pm_ranking *out,
                                 struct pm_error *err);
/* Removes the functions with 0 uses from a closed ranking; returns their number. */
size_t pm_ranking_drop_unused(struct pm_ranking *ranking);
void pm_ranking_release(struct pm_ranking *ranking);

/* -------------------------------------------------------------------------------- strata --- */

/*
 * Deciles are bounded by the percentiles p(0), p(10), ..., p(100) of the uses of all ranked
 * functions, by linear interpolation as in numpy.percentile.
 *
 * paper: decile k contains the functions with p(k-10) <= uses <= p(k). Equal percentiles make
 *   deciles overlap (the paper's JAX data: p(0) = p(10) = p(20) = 1), so strata have no weights.
 *   The functions of the top are also in the last decile.
 * disjoint: the top is a stratum of its own and in no decile. Decile k contains the other functions
 *   with p(k-10) < uses <= p(k); the lowest decile also contains those with p(0) uses. Deciles with
 *   equal upper percentiles form one stratum. An empty decile joins the next decile that is not
 *   empty or, if there is none, the stratum before it. A stratum of m deciles has m times as many
 *   draws. Only disjoint strata have weights.
 */
#define PM_STRATA_RULES(X, P) X(P, DISJOINT, "disjoint") X(P, PAPER, "paper")
PM_WORDS(strata_rule, PM_STRATA_RULES, PM_STRATA);

enum { PM_SAMPLE_TOP = 20, PM_SAMPLE_PER_DECILE = 5, PM_DECILES = 10 };

/* Fills p(0), p(10), ..., p(100). */
void pm_strata_percentiles(const struct pm_ranking *ranking, double out[static PM_DECILES + 1]);

/* ---------------------------------------------------------------------------------- draw --- */

/* Why a function that was drawn cannot be measured: the paper's three criteria and two of
 * portmeter's own. */
#define PM_CRITERIA(X, P)                                                                          \
    X(P, NO_TEST, "no test")                                                                       \
    X(P, ONLY_ERRORS, "only error handling tested")                                                \
    X(P, OTHER_VERSION, "other version only")                                                      \
    X(P, ABSENT, "absent")                                                                         \
    X(P, NOT_CALLABLE, "not callable")
PM_WORDS(criterion, PM_CRITERIA, PM_CRITERION);

struct pm_exclusion {
    const char *name;
    enum pm_criterion criterion;
    const char *why; /* more about the exclusion, for people; or NULL */
};

/* What a person decided about one function. */
struct pm_choice {
    const char *name;
    bool pinned;     /* true: always measured; false: never measured */
    const char *why; /* the reason; required */
};

struct pm_sample_plan {
    const char *framework;
    uint64_t seed;
    enum pm_strata_rule rule;
    unsigned top, per_decile;
    const struct pm_exclusion *exclusions; /* may name functions that are never drawn */
    size_t exclusion_count;
    /* Whether the exclusions name every ranked function that is absent or not callable (by an
     * inventory), and every ranked function that has no test (by a suite). If so, the number of
     * ranked functions that these criteria do not exclude is known instead of estimated. */
    bool absences_complete, no_tests_complete;
    const struct pm_choice *choices;
    size_t choice_count;
};

/*
 * The steps of a draw, in order. If a decile overlaps the top, a function of the top that is drawn
 * again is removed and, as in the paper, not replaced. A drawn function that is excluded, or that
 * was drawn before from an overlapping decile, is replaced by the next function of its stratum.
 */
#define PM_STEPS(X, P)                                                                             \
    X(P, LEFT_OUT, "left out") /* check-prose: ok */                                               \
    X(P, PINNED, "pinned")                                                                         \
    X(P, TOP, "top")                                                                               \
    X(P, DRAWN, "drawn")                                                                           \
    X(P, REPLACEMENT, "replacement") /* of the function in `replaces`    */                        \
    X(P, OVERLAP, "in the top")      /* removed                          */                        \
    X(P, AGAIN, "drawn before")      /* by an overlapping stratum        */                        \
    X(P, EXCLUDED, "excluded")       /* `criterion` and `why`            */                        \
    X(P, EXHAUSTED, "exhausted") /* no function is left to replace `name`; if `name` is "", `why`  \
                                    says how many draws are missing */
PM_WORDS(step_kind, PM_STEPS, PM_STEP);

struct pm_sample_step {
    enum pm_step_kind kind;
    char *name;
    uint64_t uses;
    size_t rank;                 /* from 1; 0 if `name` is "" */
    size_t stratum;              /* index of its stratum */
    enum pm_criterion criterion; /* why it is excluded, for EXCLUDED */
    char *why;                   /* "" if no reason was given */
    char *replaces;              /* only for REPLACEMENT, else "" */
};

struct pm_sample_stratum {
    char name[16];    /* "top 20", "pinned", "10", "10-20" */
    double low, high; /* bounds of the uses; `low` is inside the stratum if `closed` */
    bool closed;
    bool certain; /* every member is taken */
    size_t size;  /* functions, without those that the user pinned or omitted */
    /* how many of `size` functions can be measured: known, or estimated from the draws */
    double eligible;
    double uses;       /* uses of the eligible functions: known, or estimated */
    double unevenness; /* squared coefficient of variation of its functions' uses */
    size_t wanted, drawn,
        taken; /* numbers of draws: requested, made (also as replacements), kept */
};

struct pm_sample_member {
    char *name;
    uint64_t uses;
    size_t rank, stratum;
};

struct pm_sample {
    char *framework;
    uint64_t seed;
    enum pm_strata_rule rule;
    unsigned top, per_decile;
    size_t ranked;
    double percentiles[PM_DECILES + 1];
    struct pm_sample_stratum
        *strata; /* the top, functions that were pinned outside it, deciles from the lowest */
    size_t stratum_count;
    struct pm_sample_step *steps;
    size_t step_count, step_capacity;
    struct pm_sample_member *members; /* by stratum, in the order taken */
    size_t member_count, member_capacity;
};

/*
 * Draws a sample. Each stratum is shuffled by random numbers of its own (keyed by framework,
 * stratum and seed; Fisher and Yates), and draws take its functions in that order. If strata are
 * disjoint, an exclusion that becomes known later therefore affects only one of them.
 *
 * PM_EUSAGE if a choice names no ranked function or has no reason, if two choices name the same
 * function, or if two exclusions do. The caller releases *out.
 */
PM_MUST_USE int pm_sample_draw(const struct pm_ranking *ranking, const struct pm_sample_plan *plan,
                               struct pm_sample *out, struct pm_error *err);
void pm_sample_release(struct pm_sample *sample);

/* ----------------------------------------------------------------------------- audit trail --- */

/* Appends the whole trail as text, one line per step, for `--explain`. */
void pm_sample_explain(const struct pm_sample *sample, struct pm_str *out);
/* Appends in words how many functions were requested: "the top 20, and 5 per decile", or "all". */
void pm_sample_size_text(const struct pm_sample *sample, struct pm_str *out);
/* Returns the sample as one JSON object, for the store. pm_sample_from_json() restores it without
 * loss. The caller owns the result. */
json_t *pm_sample_to_json(const struct pm_sample *sample);
/* Reads a sample. PM_EFORMAT names a missing or impossible value: a count beyond the ranked
 * functions, a stratum that does not exist, a non-finite number. The caller releases *out. */
PM_MUST_USE int pm_sample_from_json(const json_t *document, struct pm_sample *out,
                                    struct pm_error *err);

#endif
