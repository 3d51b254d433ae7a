/*
 * A scene: a pool over the null driver, driven by a list of trials, each of them one child.
 *
 *     struct trial trials[] = {{.calls = {"ok", "crash"}, .timeout_ms = 2000}};
 *     struct scene scene = SCENE(trials);
 *     play(&scene);               // asserts that nothing is left: process, descriptor, file
 *     assert_int_equal(trials[0].kind, PM_ENDING_SIGNAL);
 *
 * A trial's jobs are commands of drivers/pmdriver/null/commands.py.
 */
#ifndef PM_TESTS_SCENE_H
#define PM_TESTS_SCENE_H

#include <sys/resource.h>

#include "pool/pool.h"

enum { MAX_CALLS = 4, MAX_TEXT = 512 };

struct trial {
    const char *calls[MAX_CALLS]; /* ends at the first NULL         */
    const char *start;            /* command at the start; NULL: none */
    unsigned timeout_ms;          /* of each job; 0: 20 s            */
    unsigned start_timeout_ms;    /* 0: 20 s                         */
    uint64_t memory;
    bool last;       /* whether the policy marks its last job as the last one */
    unsigned driver; /* index of its driver in the scene */
    bool reject;     /* whether the policy refuses every answer and request */

    /* The results of the trial. */
    unsigned begun, handed, answered, ended;
    enum pm_ending_kind kind;
    int code, pid;
    bool started, job_lost, start_error;
    unsigned strays;
    uint64_t output_bytes, wall_ns, max_rss;
    size_t output_length;
    char output[MAX_TEXT], text[MAX_TEXT];
    enum pm_stage stage;
    char raised[MAX_TEXT]; /* type and message of the last answer that has them */
    char harness[MAX_TEXT];
    uint64_t body_length; /* of the last answer */
};

struct scene {
    struct trial *trials;
    unsigned count;
    unsigned slots;                 /* 0: 1                                  */
    struct pm_driver drivers[2];    /* [0] is the null driver unless set  */
    struct pm_pool_options options; /* grace and limits; play() sets the rest */
    /* Called when the child of a trial has received its first job; trial->pid is still 0. */
    void (*handed)(struct scene *scene, struct trial *trial);
    const struct rlimit *restore; /* limit of open files after the pool ends; NULL: unchanged */
    int fail_after;               /* number of the end at which the policy fails; 0: none */
    bool keep_run;                /* the pool's own failure is expected: its code is in `rc` */

    struct pm_pool *pool;
    unsigned next, running, ready, ready_errors, ticks;
    int rc, driver_pid;
    uint64_t peak_memory;
    bool stopped; /* by the user */
    struct pm_error error;
    char run_id[64];
};

#define SCENE(list)                                                                                \
    {                                                                                              \
        .trials = (list), .count = sizeof(list) / sizeof *(list)                                   \
    }

/* Runs the trials in a pool. Asserts that nothing is left and, unless the pool failed, that each
 * child ended once. */
void play(struct scene *scene);
/* A function for `handed`: kills this process half a second later, when the processes that the case
 * starts exist. */
void die_soon(struct scene *scene, struct trial *trial);
/* Returns the number of open descriptors of this process. */
unsigned open_descriptors(void);
/* Lets libraries open the descriptors that they keep until the end, so that none of them counts as
 * left open. */
int warm_up(void **state);

#endif
