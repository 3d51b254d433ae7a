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

/* A request to find the executions of a run that must be retried. */
struct pm_retry_round {
    bool is_next; /* since the last request for the run, only retries have run */
    /* Called from time to time, with how many of all executions were judged; NULL: not called. */
    void (*progress)(void *ctx, size_t looked, size_t all);
    void *progress_ctx;
};

/* Means the newest stored run, scan or sample where a number is expected. */
enum { PM_NEWEST = -1 };

#endif
