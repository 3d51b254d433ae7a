/* Declares what the tables and the figures of this room share: sides, and numbers about sides. */
#ifndef PM_PAPER_PRIVATE_H
#define PM_PAPER_PRIVATE_H

#include "base/map.h"
#include "compare/side.h"
#include "paper/paper.h"
#include "published/tables.h"

struct pm_paper {
    struct pm_side *items;
    char **labels; /* one per side: "xla", "cuda (A100)"; unique within a framework */
    size_t count, capacity;
    bool named;                  /* the caller named the sides */
    bool borrowed;               /* the caller owns the readings of the items */
    bool imported;               /* the items are imports: the database has no run of its own */
    struct pm_published imports; /* imports of the request's database */
    struct pm_published every;   /* all imports of each target, if the items are imports */
};
/* Two sides of one framework; `a` is the base. */
struct pm_paper_pair {
    const struct pm_side *a, *b;
    const char *on_a, *on_b; /* labels */
    bool judged;             /* `a` is the reference of `b`: latencies are as judging stored them */
};
struct pm_paper_pairs {
    struct pm_paper_pair *items;
    size_t count, capacity;
};

void pm_paper__release(struct pm_paper *s);

/* Adds a side for each import in `every`. A file of tests becomes a function, and a test becomes a
 * case with small inputs. The mean time of a test's operations is the latency of its only
 * process. */
void pm_paper__add_imported(struct pm_paper *s);

/* Sets the labels, after all items were added. */
void pm_paper__label(struct pm_paper *s);

/* Returns the names of the sides' frameworks, each once: first those of the paper, in its order and
 * spelling, then the others, in the order of the sides and as the database spells them. Sets
 * *count. The names are borrowed; the caller frees the array. */
const char **pm_paper__frameworks(const struct pm_paper *s, size_t *count);
/* Returns the name of the side's framework, as above. */
const char *pm_paper__framework(const struct pm_side *side);
/* Returns the text of a target after its '@': "cuda:1", "cpu+inductor". */
const char *pm_paper__device(const struct pm_side *side);
/* Returns pairs of sides of one framework: the base, which is its first side, and each later side.
 * `generations`: unless the caller named the sides, a pair has equal devices, and each device has a
 * base of its own. `framework`: by name as above; NULL: all. The caller frees the items. */
struct pm_paper_pairs pm_paper__pairs(const struct pm_paper *s, const char *framework,
                                      bool generations);

/* Numbers of functions by the paper's counting rules. */
struct pm_paper_tally {
    size_t works, partly, fails;
};
static inline size_t pm_paper__whole(const struct pm_paper_tally *t)
{
    return t->works + t->partly + t->fails;
}

/* How often functions are used: bit 0 is set for the 20 most used functions, and bit k for the
 * decile that ends at 10 k %. A function can be in several deciles, if their bounds are equal. */
enum { PM_PAPER_TOP = 1, PM_PAPER_ANY = 0xFFFF };
struct pm_paper_strata {
    struct pm_map of; /* by function; uintptr_t: bits */
    bool from_sample;
};
/* Reads the strata of the side's functions from the sample of its run, or else from the imported
 * paper. The map is empty if there is neither. The caller releases out->of, also after an error. */
PM_MUST_USE int pm_paper__strata(const struct pm_paper *s, const struct pm_side *side,
                                 struct pm_paper_strata *out, struct pm_error *err);
/* Counts the verdicts of the side's functions that have one of `bits` in `strata`. With
 * PM_PAPER_ANY, it counts all functions, and `strata` can be NULL. */
struct pm_paper_tally pm_paper__tally(const struct pm_side *side,
                                      const struct pm_paper_strata *strata, unsigned bits);

/* Returns the warm latencies, for small inputs, of the functions that are timed and stable on both
 * sides, largest ratio first. Sets *count. The caller frees the array. */
struct pm_changes_ratio *pm_paper__ratios(const struct pm_paper_pair *pair, size_t *count);

/* The context in which a table or a figure of the paper is made. */
struct pm_paper_making {
    const struct pm_paper *s;
    const char *kind, *number; /* "figure", "2" */
    struct pm_report *report;  /* the report that gets the table; NULL for a figure */
    struct pm_figure *figure;  /* the figure that is drawn; NULL for a table */
    struct pm_error *err;
};
/* Fails with PM_EUSAGE: "figure 2 cannot be drawn: it needs WHAT". */
int pm_paper__lacks(const struct pm_paper_making *making, const char *what);

/* Draw figure 1 of one pair, figure 3 of all pairs, and figure 6 of all sides. They return false,
 * or PM_EUSAGE, if there is nothing to draw. */
bool pm_paper__draw_latencies(const struct pm_paper_making *d, const struct pm_paper_pair *pair);
PM_MUST_USE int pm_paper__draw_faster(const struct pm_paper_making *d,
                                      const struct pm_paper_pairs *pairs);
PM_MUST_USE int pm_paper__draw_reasons(const struct pm_paper_making *d);
static inline bool pm_paper__fails(const struct pm_side *side, const struct pm_reading_case *c)
{
    return c->target == side->target && c->counts && c->failed > 0;
}
static inline const char *pm_paper__reason(const struct pm_reading_case *c)
{
    return c->reason && *c->reason ? c->reason : "unclassified";
}

struct pm_paper_form {
    const char *number;
    int (*make)(const struct pm_paper_making *making);
    bool generations; /* needs two generations of a device, not only two targets */
};
/* Returns the form of that number; NULL if there is none. */
const struct pm_paper_form *pm_paper__find_form(const struct pm_paper_form *forms, size_t count,
                                                const char *number);
void pm_paper__list_forms(const struct pm_paper_form *forms, size_t count, struct pm_str *out);
/* Makes the table or figure of that number (making->number), which must exist, from the sides of
 * the request. Sets making->s during the call. PM_EUSAGE as for pm_paper_add_table(). */
PM_MUST_USE int pm_paper__make_form(const struct pm_paper_form *forms, size_t count,
                                    const struct pm_paper_request *request,
                                    struct pm_paper_making *making);

/* What tables and figures need, for messages. */
#define PM_PAPER_TWO                                                                               \
    "two targets of one framework that were executed: measure another target, or name both with "  \
    "--target, which also accepts targets of other runs and databases"
#define PM_PAPER_GENERATIONS                                                                       \
    "two generations of a device, measured in two runs: name them with --target, for example "     \
    "run:1#TARGET and run:2#TARGET"
#define PM_PAPER_TWO_IMPORTS "a second import (portmeter import pytest), of the same framework"
#define PM_PAPER_LATENCIES                                                                         \
    "latencies of the same cases on two targets of one framework: measure without "                \
    "--outcomes-only, on targets that are timed"
#define PM_PAPER_USE                                                                               \
    "data on how often functions are used: measure a sample (portmeter run --sample), or run "     \
    "portmeter import paper for the data of the paper"

#endif
