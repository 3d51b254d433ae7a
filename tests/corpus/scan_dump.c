/*
 * Scans files and prints each count on a line, for tests that compare the counts with a reference.
 *
 *     scan_dump NAMES THREADS EVERY_FILE PATH...
 *     scan_dump NAMES each < PATHS                  # a scan for each line, after "path PATH"
 *
 * NAMES has lines "framework F", and below each of them lines "flat NAME" and "add KIND CANONICAL
 * [ALIAS]" for this framework. KIND is function, class or method.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus/corpus.h"

static void fail(const char *what)
{
    fprintf(stderr, "scan_dump: %s\n", what);
    exit(3);
}

static enum pm_name_kind kind_of(const char *word)
{
    enum pm_name_kind kind = PM_NAME_FUNCTION;
    if (!pm_name_kind_parse(word, &kind))
        fail("no such kind");
    return kind;
}

static struct pm_resolve_names *read_names(const char *path)
{
    struct pm_resolve_names *names = pm_resolve_names_new();
    unsigned framework = 0;
    char line[4096], first[16], second[1024], third[1024], fourth[1024];
    FILE *file = fopen(path, "r");
    if (!file)
        fail("no names");
    while (fgets(line, sizeof line, file)) {
        const int words = sscanf(line, "%15s %1023s %1023s %1023s", first, second, third, fourth);
        if (words == 2 && strcmp(first, "framework") == 0)
            framework = pm_resolve_names_framework(names, second);
        else if (words == 2 && strcmp(first, "flat") == 0)
            pm_resolve_names_flat(names, framework, second);
        else if (words >= 3 && strcmp(first, "add") == 0)
            pm_resolve_names_add(names, framework, third, words == 4 ? fourth : NULL,
                                 kind_of(second));
        else
            fail("bad line");
    }
    fclose(file);
    return names;
}

#define N(x) ((unsigned long long)(x))

static void print_framework(const struct pm_corpus_framework *of)
{
    printf("framework %s %llu %llu %llu\n", of->import_name, N(of->paper_files),
           N(of->importing_files), N(of->unlisted));
    for (size_t i = 0; i < of->name_count; i++) {
        const struct pm_corpus_name *name = &of->names[i];
        if (name->uses)
            printf("name %s %llu %llu %llu %llu %llu %llu\n", name->name, N(name->uses),
                   N(name->resolved), N(name->possible_method), N(name->other), N(name->files),
                   N(name->repositories));
    }
    for (size_t i = 0; i < of->function_count; i++) {
        const struct pm_corpus_function *function = &of->functions[i];
        if (function->calls || function->references)
            printf("function %s %llu %llu %llu %llu %llu\n", function->name, N(function->calls),
                   N(function->references), N(function->rebound), N(function->files),
                   N(function->repositories));
    }
}

static void print_result(const struct pm_corpus_result *result)
{
    const struct pm_corpus_totals *totals = &result->totals;
    printf("totals %llu %llu %llu %llu %llu %llu %llu %llu\n", N(totals->inputs),
           N(totals->ignored), N(totals->files), N(totals->text_bytes), N(totals->lexed_files),
           N(totals->lexed_bytes), N(totals->without_content), N(totals->damages));
    for (size_t i = 0; i < result->framework_count; i++)
        print_framework(&result->frameworks[i]);
    for (size_t i = 0; i < result->damage_count; i++)
        printf("damage %s %llu %s %s\n", result->damages[i].input, N(result->damages[i].offset),
               result->damages[i].unpacked ? "unpacked" : "packed", result->damages[i].what);
}

static void scan(const struct pm_resolve_names *names, const char *const *paths, size_t count,
                 const struct pm_corpus_options *options)
{
    struct pm_corpus_result *result;
    struct pm_error err;
    if (pm_corpus_scan(paths, count, names, options, &result, &err))
        fail(err.text);
    print_result(result);
    pm_corpus_result_free(result);
}

static void scan_each(const struct pm_resolve_names *names)
{
    const struct pm_corpus_options options = {.threads = 1};
    char line[8192];
    const char *path = line;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        printf("path %s\n", line);
        scan(names, &path, 1, &options);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3)
        fail("usage: scan_dump NAMES THREADS EVERY_FILE PATH...");
    struct pm_resolve_names *names = read_names(argv[1]);
    if (strcmp(argv[2], "each") == 0) {
        scan_each(names);
    } else if (argc >= 5) {
        const struct pm_corpus_options options = {.threads = (unsigned)atoi(argv[2]),
                                                  .every_file = atoi(argv[3]) != 0};
        scan(names, (const char *const *)argv + 4, (size_t)argc - 4, &options);
    }
    pm_resolve_names_free(names);
    return 0;
}
