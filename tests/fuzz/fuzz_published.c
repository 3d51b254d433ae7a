/*
 * Feeds the files that an import reads. The first byte chooses a table of printed numbers, a report
 * of pytest or a timing file. An accepted file is used further: sentences and contradictions are
 * searched, and tests are named, excluded and given keys.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fuzz.h"
#include "published/publication.h"
#include "published/pytest.h"

static void read_numbers(const char *text, size_t size)
{
    struct pm_publication p;
    struct pm_error err = {""};
    struct pm_sentence *sentences;
    struct pm_contradictions found = {0};
    size_t count, ratios;
    if (pm_publication_parse(text, size, "input", &p, &err)) {
        fuzz_check_error(&err);
        return;
    }
    pm_publication_sentences(&p, &sentences, &count);
    pm_publication_contradictions(&p, &found, &ratios);
    if (count > p.count || ratios > p.count)
        fuzz_wrong("%zu sentences and %zu ratios of %zu numbers", count, ratios, p.count);
    pm_sentences_free(sentences, count);
    pm_contradictions_release(&found);
    pm_publication_release(&p);
}

static void read_report(const char *bytes, size_t size)
{
    struct pm_pytest_report report;
    struct pm_error err = {""};
    if (pm_pytest_parse(bytes, size, &report, &err)) {
        fuzz_check_error(&err);
        return;
    }
    if (pm_pytest_exclude(&report, "cuda") > report.count)
        fuzz_wrong("more tests are excluded than there are");
    for (size_t i = 0; i < report.count; i++) {
        const struct pm_pytest_test *t = &report.tests[i];
        if (!*t->file || !*t->function || !*t->inside)
            fuzz_wrong("test %zu has no name", i);
        char *key = pm_pytest_key(t->file, t->test, "cuda");
        if (strncmp(key, t->file, strlen(t->file)) != 0)
            fuzz_wrong("the key '%s' is not of '%s'", key, t->file);
        free(key);
    }
    pm_pytest_release(&report);
}

static void read_timings(const char *bytes, size_t size)
{
    struct pm_pytest_timings timings;
    struct pm_pytest_report report = {0};
    struct pm_error err = {""};
    if (pm_pytest_parse_timings(bytes, size, &timings, &err)) {
        fuzz_check_error(&err);
        return;
    }
    for (size_t i = 0; i < timings.count; i++) {
        for (size_t k = 0; k < timings.items[i].count; k++)
            if (timings.items[i].times[k] < 0)
                fuzz_wrong("a time is negative");
        if (!*pm_pytest_add(&report, timings.items[i].key)->file)
            fuzz_wrong("'%s' has no file", timings.items[i].key);
    }
    pm_pytest_release(&report);
    pm_pytest_timings_release(&timings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    size--;
    char *bytes = (char *)fuzz_copy(data + 1, size, 1);
    if (data[0] % 3 == 0)
        read_numbers(bytes, size);
    else if (data[0] % 3 == 1)
        read_report(bytes, size);
    else
        read_timings(bytes, size);
    free(bytes);
    return 0;
}
