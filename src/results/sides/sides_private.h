/* What the tables and the figures of sides share: the sides themselves, and what they say. */
#ifndef PM_SIDES_PRIVATE_H
#define PM_SIDES_PRIVATE_H

#include "base/map.h"
#include "published/tables.h"
#include "sides/side.h"
#include "sides/sides.h"

struct pm_sides {
    struct pm_side *items;
    char **labels; /* one a side: "xla", "cuda (A100)"; different within a framework */
    size_t count, capacity;
    bool named;                  /* by the caller */
    bool borrowed;               /* the readings of the items are the caller's */
    struct pm_published imports; /* of the request's database */
};
/* Two sides of one framework; `a` is the base. */
struct pm_sides_pair {
    const struct pm_side *a, *b;
    const char *on_a, *on_b; /* labels */
    bool judged;             /* `a` is the reference of `b`: latencies are as judging stored them */
};
struct pm_sides_pairs {
    struct pm_sides_pair *items;
    size_t count, capacity;
};

PM_MUST_USE int pm_sides__gather(struct pm_sides *s, const struct pm_sides_request *request,
                                 struct pm_error *err);
void pm_sides__release(struct pm_sides *s);

/* What a side is, of what is compared: not what it says. From its reading and target. */
void pm_sides__identify(struct pm_side *side);
/* Sets the labels, when all items are there. */
void pm_sides__label(struct pm_sides *s);

/* Frameworks in the order of the study, then of the sides: *count of them, borrowed; the caller
 * frees the array. As the study writes them, or as the database does. */
const char **pm_sides__frameworks(const struct pm_sides *s, size_t *count);
const char *pm_sides__framework(const struct pm_side *side);
/* The text of a target behind its '@': "cuda:1", "cpu+inductor". */
const char *pm_sides__device(const struct pm_side *side);
/* The base of each framework with each of its others, in this order; `generations`: only of equal
 * devices where the sides are not named. `framework` NULL: all. The caller frees the items. */
struct pm_sides_pairs pm_sides__pairs(const struct pm_sides *s, const char *framework,
                                      bool generations);

/* Functions by the study's counting rules. */
struct pm_sides_tally {
    size_t success, partial, complete;
};
static inline size_t pm_sides__whole(const struct pm_sides_tally *t)
{
    return t->success + t->partial + t->complete;
}

/* How often functions are used: bit 0 is the top 20, bit k the decile that ends at 10 k %. A
 * function may be in several deciles where their bounds are equal. */
enum { PM_SIDES_TOP = 1, PM_SIDES_ANY = 0xFFFF };
struct pm_sides_strata {
    struct pm_map of; /* uintptr_t: bits, by function */
    bool from_sample;
};
/* Of the sample of the side's run; of the imported study where it has none. Empty where neither is
 * there. */
PM_MUST_USE int pm_sides__strata(const struct pm_sides *s, const struct pm_side *side,
                                 struct pm_sides_strata *out, struct pm_error *err);
/* `bits` PM_SIDES_ANY: all functions, `strata` may be NULL. */
struct pm_sides_tally pm_sides__tally(const struct pm_side *side,
                                      const struct pm_sides_strata *strata, unsigned bits);

/* Latencies of the functions that both have, largest ratio first, without unstable ones; small
 * inputs, warm. The caller frees. */
struct pm_changes_ratio *pm_sides__ratios(const struct pm_sides_pair *pair, size_t *count);

/* A table or a figure of the study while it is made. */
struct pm_sides_making {
    const struct pm_sides *s;
    const char *kind, *number; /* "figure", "2" */
    struct pm_report *report;  /* of a table */
    struct pm_figure *figure;  /* of a figure */
    struct pm_error *err;
};
/* PM_EUSAGE: "figure 2 cannot be made: it needs WHAT". */
int pm_sides__lacks(const struct pm_sides_making *making, const char *what);

/* figures.c: figure 1 of one pair, without a title; 3 of pairs; 6 of all sides. False, or
 * PM_EUSAGE: there is nothing to draw. */
bool pm_sides__draw_latencies(const struct pm_sides_making *d, const struct pm_sides_pair *pair);
PM_MUST_USE int pm_sides__draw_faster(const struct pm_sides_making *d,
                                      const struct pm_sides_pairs *pairs);
PM_MUST_USE int pm_sides__draw_reasons(const struct pm_sides_making *d);
static inline bool pm_sides__fails(const struct pm_side *side, const struct pm_reading_case *c)
{
    return c->target == side->target && c->counts && c->failed > 0;
}
static inline const char *pm_sides__reason(const struct pm_reading_case *c)
{
    return c->reason && *c->reason ? c->reason : "unclassified";
}

struct pm_sides_form {
    const char *number;
    int (*make)(const struct pm_sides_making *making);
    bool generations; /* of one device: PM_SIDES_GENERATIONS, otherwise PM_SIDES_TWO */
};
/* NULL: there is none of that number. */
const struct pm_sides_form *pm_sides__find_form(const struct pm_sides_form *forms, size_t count,
                                                const char *number);
void pm_sides__list_forms(const struct pm_sides_form *forms, size_t count, struct pm_str *out);
/* Makes the form of that number, which is there, from the sides of the request. Sets making->s
 * meanwhile. */
PM_MUST_USE int pm_sides__make_form(const struct pm_sides_form *forms, size_t count,
                                    const struct pm_sides_request *request,
                                    struct pm_sides_making *making);

/* ---- then and now (history.c; history_tables.c prints it) ---- */

static inline bool pm_sides__is_measured(enum pm_verdict verdict)
{
    return verdict != PM_VERDICT_COUNT && verdict != PM_VERDICT_NOT_MEASURED;
}

/* A function in a run. */
struct pm_sides_state {
    enum pm_verdict verdict;                /* PM_VERDICT_COUNT: not measured in that run */
    const struct pm_changes_change *change; /* from what was known before; NULL: none */
};
struct pm_sides_row {
    const char *function;
    struct pm_sides_state *states;         /* one a run */
    const struct pm_changes_change *whole; /* from the first run to the last; NULL: none */
    size_t since;                          /* index of the run of its last change */
    bool changed;
};
/* The runs of one target on one device of one machine. */
struct pm_sides_history {
    const struct pm_reading *list; /* pm_reading_list(); borrowed */
    size_t *targets;               /* of the list, one a run, oldest first */
    size_t count, capacity;
    size_t last;                  /* no run of the list after that one is looked at */
    size_t older;                 /* runs before the first that is shown */
    bool has_twin;                /* the same target was measured on another device or machine */
    struct pm_side *sides;        /* one a run */
    struct pm_changes *changes;   /* one a run: from what was known before; of the first, none */
    struct pm_changes_side known; /* what the latest run that measured a function and a case says of
                                     them; its arrays alone are owned */
    struct pm_changes whole;      /* from the first run to what is known */
    struct pm_sides_row *rows; /* those that changed first; of these the worst, then the newest */
    size_t row_count, row_capacity;
    struct pm_map row_by_function; /* index + 1, until the rows are sorted */
};

size_t pm_sides__all_targets(const struct pm_reading *list);
/* NULL: its run has none. */
const json_t *pm_sides__machine_of(const struct pm_reading *list,
                                   const struct pm_reading_target *t);
/* Of the list, by index: same text, framework, device, and machine (processor and its cores). */
bool pm_sides__same_target(const struct pm_reading *list, size_t a, size_t b);
/* Whether runs[run] of the list measured more than references. */
bool pm_sides__has_subject(const struct pm_reading *list, size_t run);
/* A valid run with results, and neither an oracle nor the noise of a reference. */
bool pm_sides__in_history(const struct pm_reading *list, size_t target);
/* The newest `most` runs of that target up to runs[last] of the list. Released in any case. */
void pm_sides__history_gather(struct pm_sides_history *h, const struct pm_reading *list,
                              size_t target, size_t last, size_t most);
/* Fills in the rest. */
PM_MUST_USE int pm_sides__history_load(struct pm_sides_history *h, const char *db,
                                       struct pm_error *err);
void pm_sides__history_release(struct pm_sides_history *h);
const struct pm_reading_target *pm_sides__target_at(const struct pm_sides_history *h, size_t run);
const struct pm_reading_run *pm_sides__run_at(const struct pm_sides_history *h, size_t run);
/* Not a change: a function that the run did not choose, and one that nobody can decide.
 */
bool pm_sides__is_news(const struct pm_changes_change *c);
/* Functions of that kind: undecided ones only if they were timed on both sides. */
size_t pm_sides__count(const struct pm_changes *c, enum pm_change kind);
bool pm_sides__has_times(const struct pm_changes_side *side);
/* "works", "partly", "fails", or the verdict's own word; "" for PM_VERDICT_COUNT. */
const char *pm_sides__word(enum pm_verdict verdict);
/* Of a row that changed. */
const struct pm_changes_change *pm_sides__last_change(const struct pm_sides_row *row);

/* What the parts of the room need, for messages. */
#define PM_SIDES_TWO                                                                               \
    "two targets of one framework that were executed: measure another one, or name them with "     \
    "--target, also of other runs and databases"
#define PM_SIDES_GENERATIONS                                                                       \
    "two generations of a device, measured in two runs: name them with --target, for example "     \
    "run:1#TARGET and run:2#TARGET"
#define PM_SIDES_LATENCIES                                                                         \
    "latencies of the same cases on two targets of one framework: measure without "                \
    "--outcomes-only, on targets that are timed"
#define PM_SIDES_USE                                                                               \
    "data on how often functions are used: measure a sample (portmeter run --sample), or run "     \
    "portmeter import study for the data of the study"

#endif
