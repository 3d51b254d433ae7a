/* Logs damage and reports progress. */
#include "corpus/log.h"

#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"

#define TELL_EVERY_NS 100000000u

void pm_corpus__log_input(struct pm_corpus__log *log, uint64_t input)
{
    log->input = input;
    log->input_damages = 0;
}

void pm_corpus__log_damage(struct pm_corpus__log *log, const char *input, uint64_t offset,
                           bool unpacked, const char *format, ...)
{
    char text[512];
    va_list arguments;
    log->damages++;
    if (log->input_damages++ >= PM_CORPUS_DAMAGES_AN_INPUT)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    PM_GROW(log->entries, log->count, log->capacity);
    log->entries[log->count++] = (struct pm_corpus__entry){log->input_damages,
                                                           {.input = pm_strdup(input),
                                                            .number = log->input,
                                                            .offset = offset,
                                                            .unpacked = unpacked,
                                                            .what = pm_strdup(text)}};
}

void pm_corpus__log_read(struct pm_corpus__log *log, size_t bytes)
{
    struct pm_corpus__progress *progress = log->progress;
    const uint64_t done = atomic_fetch_add(&progress->done, bytes) + bytes;
    if (!progress->call || pthread_mutex_trylock(&progress->lock) != 0)
        return;
    const uint64_t now = pm_clock_now();
    if (now - progress->told_at >= TELL_EVERY_NS) {
        progress->told_at = now;
        progress->call(progress->ctx, done, progress->total);
    }
    pthread_mutex_unlock(&progress->lock);
}

void pm_corpus__progress_end(struct pm_corpus__progress *progress)
{
    if (progress->call)
        progress->call(progress->ctx, atomic_load(&progress->done), progress->total);
}

void pm_corpus__log_release(struct pm_corpus__log *log)
{
    for (size_t i = 0; i < log->count; i++) {
        free((char *)(uintptr_t)log->entries[i].damage.input);
        free((char *)(uintptr_t)log->entries[i].damage.what);
    }
    free(log->entries);
}
