/* Declares the runs of a target over time, which the files of this room share. */
#ifndef PM_HISTORY_HISTORY_PRIVATE_H
#define PM_HISTORY_HISTORY_PRIVATE_H

#include "base/map.h"
#include "compare/side.h"
#include "history/history.h"

static inline bool pm_history__is_measured(enum pm_verdict verdict)
{
    return verdict != PM_VERDICT_COUNT && verdict != PM_VERDICT_NOT_MEASURED;
}

/* The result of a function in a run. */
struct pm_history_state {
    enum pm_verdict verdict;                /* PM_VERDICT_COUNT: not measured in that run */
    const struct pm_changes_change *change; /* change from what was known before; NULL: none */
};
struct pm_history_row {
    const char *function;
    struct pm_history_state *states;       /* one per run */
    const struct pm_changes_change *whole; /* from the first run to the last; NULL: none */
    size_t since;                          /* index of the run of its last change */
    bool changed;
};
/* The runs of one target on one device of one machine. */
struct pm_history {
    const struct pm_reading *list; /* pm_reading_list(); borrowed */
    size_t *targets;               /* indices of targets in the list, one per run, oldest first */
    size_t count, capacity;
    size_t last;                  /* index of a run: later runs of the list are ignored */
    size_t older;                 /* runs before the first that is shown */
    bool has_twin;                /* the same target was measured on another device or machine */
    struct pm_side *sides;        /* one per run */
    struct pm_changes *changes;   /* one per run: from what was known before; the first is empty */
    struct pm_changes_side known; /* the results of the latest run that measured each function and
                                     case; only its arrays are owned */
    struct pm_changes whole;      /* from the first run to what is known */
    /* Changed functions come first: by their last change, worst first, then newest first. */
    struct pm_history_row *rows;
    size_t row_count, row_capacity;
    struct pm_map row_by_function; /* index + 1, until the rows are sorted */
};

/* Returns the number of all targets of the list, including those that reports do not show. */
size_t pm_history__all_targets(const struct pm_reading *list);
/* Returns the machine of the first attempt of the run of a target, borrowed; NULL if the run has no
 * attempt. */
const json_t *pm_history__machine_of(const struct pm_reading *list,
                                     const struct pm_reading_target *t);
/* Returns whether two targets of the list have the same text, framework, device and machine
 * (processor and its cores). */
bool pm_history__same_target(const struct pm_reading *list, size_t a, size_t b);
/* Returns whether runs[run] of the list has a subject, not only references. */
bool pm_history__has_subject(const struct pm_reading *list, size_t run);
/* Returns whether a target of the list belongs to a history: it is a subject or a reference, it has
 * results, and its run is valid. */
bool pm_history__in_history(const struct pm_reading *list, size_t target);
/* Gathers the newest `most` runs of a target on its device and machine, up to runs[last] of the
 * list. The caller releases *h. */
void pm_history__gather(struct pm_history *h, const struct pm_reading *list, size_t target,
                        size_t last, size_t most);
/* Reads the gathered runs, compares each with those before it, and makes the rows. */
PM_MUST_USE int pm_history__load(struct pm_history *h, const char *db, struct pm_error *err);
void pm_history__release(struct pm_history *h);
const struct pm_reading_target *pm_history__target_at(const struct pm_history *h, size_t run);
const struct pm_reading_run *pm_history__run_at(const struct pm_history *h, size_t run);
/* Returns whether a change is shown. It is not shown if nothing changed, if latencies do not
 * decide, or if the run did not select the function. */
bool pm_history__is_news(const struct pm_changes_change *c);
/* Returns how many functions have this kind of change; undecided functions count only if both sides
 * timed them. */
size_t pm_history__count(const struct pm_changes *c, enum pm_change kind);
/* Returns whether a side has a timed case. */
bool pm_history__has_times(const struct pm_changes_side *side);
/* Returns the word for a verdict on the target of the history; "" for PM_VERDICT_COUNT. */
static inline const char *pm_history__word(const struct pm_history *h, enum pm_verdict verdict)
{
    return verdict == PM_VERDICT_COUNT
               ? ""
               : pm_verdict_word(verdict, pm_history__target_at(h, 0)->evidence);
}
/* Returns the last change of a row that changed. */
const struct pm_changes_change *pm_history__last_change(const struct pm_history_row *row);

#endif
