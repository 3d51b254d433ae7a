/*
 * Measures how fast a corpus is read once:
 *
 *     scan_rates inflate SHARD...
 *     scan_rates THREADS EVERY_FILE FRAMEWORK=NAMES[=AUTHORS]... -- SHARD...
 *
 * The first form only unpacks with ISA-L's inflate. EVERY_FILE is 1 to lex every file, and 0 to lex
 * only files that may import a framework. NAMES is a file with a JSON list of names. Files with
 * AUTHORS in their copyright line are skipped.
 *
 * Writes one line: wall clock seconds, CPU seconds of all threads, unpacked bytes, files, lexed
 * files, uses by the paper's rule, damages, and the peak memory of the process in kB.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <isa-l/igzip_lib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "corpus/corpus.h"

/* The sizes of the scan's own buffers. */
#define PACKED_BYTES   (256u << 10)
#define UNPACKED_BYTES (512u << 10)

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int fail(const char *what)
{
    fprintf(stderr, "scan_rates: %s\n", what);
    return 3;
}

/* Unpacks a file of gzip members, and adds the number of unpacked bytes to *bytes. Returns false if
 * the file is damaged. */
static bool inflate_file(int fd, struct inflate_state *state, uint8_t *packed, uint8_t *unpacked,
                         uint64_t *bytes)
{
    ssize_t got = pm_read_full(fd, packed, PACKED_BYTES);
    isal_inflate_init(state);
    state->crc_flag = ISAL_GZIP;
    while (got > 0) {
        state->next_in = packed;
        state->avail_in = (uint32_t)got;
        do {
            state->next_out = unpacked;
            state->avail_out = UNPACKED_BYTES;
            if (isal_inflate(state) != ISAL_DECOMP_OK)
                return false;
            *bytes += UNPACKED_BYTES - state->avail_out;
        } while (state->avail_out == 0);
        got = pm_read_full(fd, packed, PACKED_BYTES);
    }
    return state->block_state == ISAL_BLOCK_FINISH;
}

static int inflate_all(char **shards, int count, struct pm_corpus_result *out)
{
    struct inflate_state *state = pm_alloc(sizeof *state);
    uint8_t *packed = pm_alloc(PACKED_BYTES), *unpacked = pm_alloc(UNPACKED_BYTES);
    bool whole = true;
    for (int i = 0; whole && i < count; i++) {
        const int fd = open(shards[i], O_RDONLY | O_CLOEXEC);
        whole = fd >= 0 && inflate_file(fd, state, packed, unpacked, &out->totals.bytes_unpacked);
        if (fd >= 0)
            close(fd);
    }
    free(state);
    free(packed);
    free(unpacked);
    return whole ? 0 : fail("a shard cannot be unpacked");
}

static int scan_all(char **arguments, int count, struct pm_corpus_result **out,
                    struct pm_error *err)
{
    struct pm_resolve_names *names = pm_resolve_names_new();
    const char *authors[PM_RESOLVE_MOST_FRAMEWORKS] = {NULL};
    const struct pm_corpus_options options = {.threads = (unsigned)atoi(arguments[0]),
                                              .every_file = atoi(arguments[1]) != 0,
                                              .authors = authors};
    int at = 2, rc = PM_OK;
    for (; !rc && at < count && strcmp(arguments[at], "--") != 0; at++) {
        char *path = strchr(arguments[at], '=');
        if (!path)
            rc = pm_error_set(err, PM_EUSAGE, "not FRAMEWORK=NAMES[=AUTHORS]: '%s'", arguments[at]);
        else {
            *path++ = '\0';
            const unsigned framework = pm_resolve_names_framework(names, arguments[at]);
            char *behind = strchr(path, '=');
            if (behind) {
                *behind = '\0';
                authors[framework] = behind + 1;
            }
            rc = pm_resolve_names_load_flat(names, framework, path, err);
        }
    }
    if (!rc)
        rc = pm_corpus_scan((const char *const *)arguments + at + 1,
                            (size_t)(count > at ? count - at - 1 : 0), names, &options, out, err);
    pm_resolve_names_free(names);
    return rc;
}

static uint64_t uses_of(const struct pm_corpus_result *result)
{
    uint64_t uses = 0;
    for (size_t i = 0; i < result->framework_count; i++) {
        for (size_t k = 0; k < result->frameworks[i].name_count; k++)
            uses += result->frameworks[i].names[k].uses;
    }
    return uses;
}

/* Returns the peak memory of this program; getrusage() would include the process before exec. */
static unsigned long peak_kb(void)
{
    unsigned long kb = 0;
    struct pm_str status = PM_STR_INIT;
    struct pm_error err;
    if (pm_file_read("/proc/self/status", &status, &err) == PM_OK) {
        const char *line = strstr(status.data, "VmHWM:");
        kb = line ? strtoul(line + 6, NULL, 10) : 0;
    }
    pm_str_release(&status);
    return kb;
}

int main(int argc, char **argv)
{
    struct pm_corpus_result nothing = {0}, *result = NULL;
    struct pm_error err;
    if (argc < 3)
        return fail(
            "usage: scan_rates inflate SHARD... | THREADS EVERY_FILE F=NAMES... -- SHARD...");
    const bool inflate = strcmp(argv[1], "inflate") == 0;
    const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (inflate && inflate_all(argv + 2, argc - 2, &nothing))
        return 3;
    if (!inflate && scan_all(argv + 1, argc - 1, &result, &err))
        return fail(err.text);
    const double wall_took = seconds(CLOCK_MONOTONIC) - wall;
    const double cpu_took = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    const struct pm_corpus_totals *totals = inflate ? &nothing.totals : &result->totals;
    printf("%.6f %.6f %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %lu\n", wall_took,
           cpu_took, totals->bytes_unpacked, totals->files, totals->lexed_files,
           inflate ? 0 : uses_of(result), totals->damages, peak_kb());
    pm_corpus_result_free(result);
    return 0;
}
