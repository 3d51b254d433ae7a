/*
 * Feeds JSON lines or any other bytes. Each line is read with all sets of kernels, which must
 * agree; then the whole input is read as a file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "corpus/reader.h"
#include "fuzz.h"

static const char *const frameworks[] = {"torch", "jax"};

static void compare_strings(const struct pm_corpus__kernels *fast, struct pm_corpus__span string)
{
    const struct pm_corpus__kernels *plain = pm_corpus__kernels_of(PM_CORPUS__PORTABLE);
    const size_t room = (size_t)(string.end - string.at) + PM_CORPUS__PADDING;
    unsigned char *x = malloc(room), *y = malloc(room);
    struct pm_corpus__filter filters[2];
    if (!x || !y)
        abort();
    const size_t length = pm_corpus__unescape(fast, string, x);
    if (length > (size_t)(string.end - string.at))
        fuzz_wrong("text longer than the string");
    if (length != pm_corpus__unescape(plain, string, y) || memcmp(x, y, length) != 0)
        fuzz_wrong("unescape differs");
    pm_corpus__filter_init(&filters[0], fast, frameworks, 2);
    pm_corpus__filter_init(&filters[1], plain, frameworks, 2);
    const struct pm_corpus__importing a =
        pm_corpus__filter_json(&filters[0], string.at, string.end);
    const struct pm_corpus__importing b =
        pm_corpus__filter_json(&filters[1], string.at, string.end);
    if (a.paper != b.paper || a.joined != b.joined || a.unknown != b.unknown)
        fuzz_wrong("filter differs");
    const struct pm_corpus__importing text = pm_corpus__filter_text(&filters[0], x, x + length);
    if (!a.unknown && (a.paper != text.paper || a.joined != text.joined))
        fuzz_wrong("filter of JSON and of text differ");
    free(x);
    free(y);
}

static void compare_line(const struct pm_corpus__kernels *kernels, const unsigned char *line,
                         size_t length)
{
    struct pm_corpus__record fast, plain;
    const char *a = pm_corpus__json_line(kernels, line, line + length, &fast);
    const char *b = pm_corpus__json_line(pm_corpus__kernels_of(PM_CORPUS__PORTABLE), line,
                                         line + length, &plain);
    if (a != b || memcmp(&fast, &plain, sizeof fast) != 0)
        fuzz_wrong("lines differ");
    if (!a && fast.content.at)
        compare_strings(kernels, fast.content);
}

static void compare_lines(const uint8_t *data, size_t size)
{
    unsigned char *text = fuzz_copy(data, size, PM_CORPUS__PADDING);
    for (size_t at = 0; at < size;) {
        const unsigned char *newline = memchr(text + at, '\n', size - at);
        const size_t length = newline ? (size_t)(newline - text) - at : size - at;
        for (int set = PM_CORPUS__PORTABLE + 1; set < PM_CORPUS__KERNEL_SETS; set++) {
            const struct pm_corpus__kernels *kernels =
                pm_corpus__kernels_of((enum pm_corpus__kernel_set)set);
            if (kernels)
                compare_line(kernels, text + at, length);
        }
        at += length + 1;
    }
    free(text);
}

static void read_all(const uint8_t *data, size_t size)
{
    char path[64];
    struct pm_corpus_result *result = NULL;
    struct pm_error err;
    const char *input = path;
    const struct pm_corpus_options options = {.threads = 1};
    struct pm_resolve_names *names = pm_resolve_names_new();
    const int fd = fuzz_file(data, size, path);
    pm_resolve_names_flat(names, pm_resolve_names_framework(names, "torch"), "relu");
    if (pm_corpus_scan(&input, 1, names, &options, &result, &err))
        fuzz_wrong("%s", err.text);
    const struct pm_corpus_name *name = &result->frameworks[0].names[0];
    if (name->uses != name->resolved + name->possible_method + name->other)
        fuzz_wrong("a use of no class");
    if (result->totals.damages < result->damage_count)
        fuzz_wrong("more damages listed than found");
    pm_corpus_result_free(result);
    pm_resolve_names_free(names);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    compare_lines(data, size);
    read_all(data, size);
    return 0;
}
