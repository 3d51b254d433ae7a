/* Types that requests to several rooms have in common. */
#ifndef PM_BASE_REQUEST_H
#define PM_BASE_REQUEST_H

#include <stdbool.h>
#include <stdio.h>

/* Where a command writes messages to its user: progress and notes, never results. */
struct pm_messages {
    FILE *out;     /* normally stderr */
    bool terminal; /* progress is rewritten in place; else plain lines */
};

/* Stands for the newest stored run, scan or sample, in place of its number. */
enum { PM_NEWEST = -1 };

#endif
