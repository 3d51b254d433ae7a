/* Time: the monotonic clock for durations and deadlines, and the wall clock for texts that people
 * read. */
#ifndef PM_BASE_CLOCK_H
#define PM_BASE_CLOCK_H

#include <stdint.h>

uint64_t pm_clock_now(void);      /* CLOCK_MONOTONIC, nanoseconds                       */
void pm_clock_sleep(uint64_t ns); /* continues to sleep after a signal */
/* Writes the current time in UTC, as "2026-11-21T08:15:30.123Z". */
void pm_clock_iso(char out[static 25]);
/* Writes a duration such as "12 s", "2 min 10 s" or "1 h 5 min". */
void pm_clock_duration(uint64_t ns, char out[static 32]);

#endif
