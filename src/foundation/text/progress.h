/*
 * Shows the progress of a long command on `out` (stderr).
 *
 *     struct pm_progress progress;
 *     pm_progress_init(&progress, stderr, isatty(STDERR_FILENO));
 *     pm_progress_update(&progress, "tensorflow@xla  tf.signal.idct", 814, 2292, 9);
 *     pm_progress_end(&progress);
 *
 * On a terminal one line is rewritten in place, at most ten times a second and never wider than the
 * screen (the label is shortened):
 *
 *     measuring   814/2,292  tensorflow@xla  tf.tile   9 with no result so far   8 s left
 *
 * If nothing changes for two seconds, the line ends with "unchanged for 2 s", and the number grows.
 *
 * Elsewhere, plain lines are printed, at most one every ten seconds. pm_progress_end() prints a
 * last line with the time taken, if there was an update and the work took at least `patience`.
 *
 * An execution counts as having no result if it raised an exception that its case does not expect,
 * or if its process ended; this is known at once. A report counts failures differently: wrong
 * results are found when the run is judged, and cases that fail on the reference are not counted.
 *
 * The time left assumes the pace of about the last minute, and is smoothed; it is shown after 2 s
 * and 3 % of the work. The time before the first work is done does not count, and neither does work
 * that was done before a run was resumed. If parts of the work differ in length, set `work_done`
 * and `work_total` before each update: the pace is then that of this work. Call update as often as
 * you like: it prints only what is due. Not thread-safe: one owner at a time.
 */
#ifndef PM_TEXT_PROGRESS_H
#define PM_TEXT_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/str.h"

struct pm_progress {
    const char *what;      /* borrowed; "measuring" after init */
    const char *counted;   /* borrowed; what `failing` counts: "with no result" after init; NULL:
                              not shown */
    bool in_bytes;         /* done and total: "1.20 GB/3.00 GB" */
    uint64_t patience;     /* nothing is shown before this time, in ns; 0 after init */
    uint64_t (*now)(void); /* monotonic, ns; pm_clock_now() after init    */
    size_t columns;        /* screen width; 0 after init: taken from `out` */
    double work_done, work_total; /* in any unit; if work_total is 0, as after init, `done` and
                                     `total` are used instead */

    FILE *out;
    bool is_terminal, is_drawn;
    struct pm_str label;
    uint64_t done, total, failing;
    uint64_t started, drawn;          /* times in ns; `started` is 0 before the first update */
    uint64_t changed;                 /* when `label` or `done` last changed */
    uint64_t paced_at, busy_ns;       /* time of the last update, and time since the first work was
                                         done */
    double work_at_start, paced_work; /* work done before the first update, and at the last one */
    double pace_ns, pace_work;        /* recent time, and the work done in it */
    uint64_t left;                    /* smoothed time left, ns; 0: unknown */
    uint64_t left_at;                 /* when `left` was computed */
};

void pm_progress_init(struct pm_progress *progress, FILE *out, bool is_terminal);
/* Updates the line. `label`, which is copied, says which target and function are being measured. */
void pm_progress_update(struct pm_progress *progress, const char *label, uint64_t done,
                        uint64_t total, uint64_t failing);
void pm_progress_end(struct pm_progress *progress); /* call pm_progress_init() before another use */

#endif
