/*
 * Logs damage and reports progress. Each thread has its own log, and all threads share the
 * progress.
 */
#ifndef PM_CORPUS_LOG_H
#define PM_CORPUS_LOG_H

#include <pthread.h>
#include <stdatomic.h>

#include "corpus/corpus.h"

struct pm_corpus__progress {
    pm_corpus_progress *call; /* NULL: no callback */
    void *ctx;
    uint64_t total;
    atomic_uint_fast64_t done;
    pthread_mutex_t lock;
    uint64_t told_at; /* pm_clock_now() of the last call */
};

struct pm_corpus__entry {
    uint64_t number; /* number of the damage within the input */
    struct pm_corpus_damage damage;
};

struct pm_corpus__log {
    struct pm_corpus__progress *progress;
    struct pm_corpus__entry *entries;
    size_t count, capacity;
    uint64_t damages;       /* listed or not */
    uint64_t input;         /* number of the input that is read now */
    uint64_t input_damages; /* damages of this input so far */
};

/* Sets the input to which later damage belongs, by its place in the order of reading. */
void pm_corpus__log_input(struct pm_corpus__log *log, uint64_t input);

/* Counts damage of the input named `input`, and lists it unless PM_CORPUS_DAMAGES_AN_INPUT are
 * listed already. `offset` is in the unpacked bytes if `unpacked`. */
void pm_corpus__log_damage(struct pm_corpus__log *log, const char *input, uint64_t offset,
                           bool unpacked, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Adds the bytes to the progress, which is reported at most ten times a second. */
void pm_corpus__log_read(struct pm_corpus__log *log, size_t bytes);

/* Reports the progress for the last time, after all threads have ended. */
void pm_corpus__progress_end(struct pm_corpus__progress *progress);
void pm_corpus__log_release(struct pm_corpus__log *log);

#endif
