/* Tests of the parts of the room corpus: kernels, JSON lines, import filter, counters, and the walk
 * through folders. */
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "corpus/count.h"
#include "corpus/filter.h"
#include "corpus/json_line.h"
#include "corpus/walk.h"

static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Returns a copy of the text, followed by the padding that kernels may read. */
static unsigned char *padded(const char *text)
{
    unsigned char *copy = pm_alloc(strlen(text) + PM_CORPUS__PADDING);
    memcpy(copy, text, strlen(text));
    return copy;
}

static void assert_unescaped(const char *escaped, const char *wanted, size_t wanted_length)
{
    for (int set = 0; set < PM_CORPUS__KERNEL_SETS; set++) {
        const struct pm_corpus__kernels *kernels =
            pm_corpus__kernels_of((enum pm_corpus__kernel_set)set);
        if (!kernels)
            continue;
        unsigned char *from = padded(escaped);
        unsigned char *to = pm_alloc(strlen(escaped) + PM_CORPUS__PADDING);
        const struct pm_corpus__span span = {from, from + strlen(escaped)};
        const size_t length = pm_corpus__unescape(kernels, span, to);
        assert_int_equal(length, wanted_length);
        assert_memory_equal(to, wanted, length);
        free(from);
        free(to);
    }
}

static void test_unescape__knows_every_escape(void **state)
{
    (void)state;
    assert_unescaped("", "", 0);
    assert_unescaped("plain", "plain", 5);
    assert_unescaped("a\\nb\\tc\\\"\\\\d\\/\\r\\b\\f", "a\nb\tc\"\\d/\r\b\f", 12);
    assert_unescaped("\\\\n\\\\\\n", "\\n\\\n", 4);
    assert_unescaped("\\u0041\\u00e9\\u20ac", "A\xc3\xa9\xe2\x82\xac", 6);
    assert_unescaped("\\u0000x", "\0x", 2);
    assert_unescaped("\\ud83d\\ude00", "\xf0\x9f\x98\x80", 4);
}

static void test_unescape__keeps_what_is_no_escape(void **state)
{
    (void)state;
    assert_unescaped("\\ud83d!", "\xed\xa0\xbd!", 4);
    assert_unescaped("\\ude00\\ud83d", "\xed\xb8\x80\xed\xa0\xbd", 6);
    assert_unescaped("\\x\\u12\\u12g4", "\\x\\u12\\u12g4", 12);
    assert_unescaped("\\u", "\\u", 2);
}

/* Asserts that two kernels give the same results for the first 200 of 320 bytes. */
static void assert_kernels_agree(const struct pm_corpus__kernels *fast, const unsigned char *in,
                                 size_t length)
{
    const struct pm_corpus__kernels *plain = pm_corpus__kernels_of(PM_CORPUS__PORTABLE);
    const struct pm_corpus__span span = {in, in + length};
    struct pm_corpus__finder finder = {0};
    unsigned which_fast = 9, which_plain = 9;
    unsigned char x[400], y[400];
    pm_corpus__finder_add(&finder, "torch", 0);
    pm_corpus__finder_add(&finder, "\\u", 1);
    const size_t got = pm_corpus__unescape(fast, span, x);
    assert_int_equal(got, pm_corpus__unescape(plain, span, y));
    assert_memory_equal(x, y, got);
    assert_ptr_equal(fast->string_end(in, in + length), plain->string_end(in, in + length));
    assert_ptr_equal(fast->find(&finder, in, in + length, &which_fast),
                     plain->find(&finder, in, in + length, &which_plain));
    assert_int_equal(which_fast, which_plain);
}

/* Under sanitizers, which look for other faults, a tenth of the texts is tested. */
#ifdef UNIT_SANITIZED
enum { ROUNDS = 20000 };
#else
enum { ROUNDS = 200000 };
#endif

static void test_kernels__agree(void **state)
{
    static const char letters[] = "\\\\\\nturbf\xee\"/ab\\n\\\"d83dc00\\u torch";
    unsigned char in[320];
    uint32_t seed = 1;
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        const size_t length = draw(&seed) % 200, dense = draw(&seed) % 9;
        for (size_t i = 0; i < sizeof in; i++)
            in[i] = draw(&seed) % 8 < dense
                        ? (unsigned char)letters[draw(&seed) % (sizeof letters - 1)]
                        : 'x';
        if (length > 5 && round % 3 == 0)
            memcpy(in + draw(&seed) % (length - 4), "torch", 5);
        for (int set = PM_CORPUS__PORTABLE + 1; set < PM_CORPUS__KERNEL_SETS; set++) {
            const struct pm_corpus__kernels *fast =
                pm_corpus__kernels_of((enum pm_corpus__kernel_set)set);
            if (fast)
                assert_kernels_agree(fast, in, length);
        }
    }
}

static void assert_span(struct pm_corpus__span span, const char *wanted)
{
    if (!wanted) {
        assert_null(span.at);
        return;
    }
    assert_int_equal(span.end - span.at, strlen(wanted));
    assert_memory_equal(span.at, wanted, strlen(wanted));
}

static const char *read_line(const char *line, struct pm_corpus__record *record,
                             unsigned char **copy)
{
    *copy = padded(line);
    return pm_corpus__json_line(pm_corpus__kernels(), *copy, *copy + strlen(line), record);
}

static void assert_record(const char *line, const char *content, const char *repository)
{
    struct pm_corpus__record record;
    unsigned char *copy;
    assert_null(read_line(line, &record, &copy));
    assert_span(record.content, content);
    assert_span(record.repository, repository);
    free(copy);
}

static void test_json_line__finds_fields_in_any_order(void **state)
{
    (void)state;
    assert_record("{\"content\": \"x\", \"repo_name\": \"a/b\"}", "x", "a/b");
    assert_record(
        " { \"n\":1,\"repo\":\"r\",\"l\":[1,{\"content\":\"no\"},\"]\"],\"content\":\"\"} ", "",
        "r");
    assert_record("{\"size\":-1.5e3,\"ok\":true,\"content\":\"a\\\\\",\"z\":null}", "a\\\\", NULL);
    assert_record("{\"content\": null}", NULL, NULL);
    assert_record("{\"content\": 3, \"content\": \"late\"}", "late", NULL);
    assert_record("{}", NULL, NULL);
}

static void test_json_line__tells_what_is_wrong(void **state)
{
    static const char *const bad[] = {
        "",
        "[1]",
        "{\"content\": \"x\"",
        "{\"content\": \"x",
        "{\"content\" \"x\"}",
        "{\"a\":{}",
        "{\"a\":1} x",
        "{\"a\":}",
        "{a:1}",
        "{\"a\":1,}",
        "{\"a\":[1",
        "{\"a\": \"\\",
        "{\"content\":\"x\"}{}",
        "null",
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pm_corpus__record record;
        unsigned char *copy;
        assert_non_null(read_line(bad[i], &record, &copy));
        free(copy);
    }
}

enum { TORCH = 1, JAX = 2 };

static struct pm_corpus__importing filter(const char *text, bool json)
{
    static const char *const frameworks[] = {"torch", "jax"};
    struct pm_corpus__filter of;
    unsigned char *copy = padded(text);
    pm_corpus__filter_init(&of, pm_corpus__kernels(), frameworks, 2);
    const unsigned char *end = copy + strlen(text);
    const struct pm_corpus__importing found =
        json ? pm_corpus__filter_json(&of, copy, end) : pm_corpus__filter_text(&of, copy, end);
    free(copy);
    return found;
}

static void assert_filter(const char *text, const char *json, uint32_t paper, uint32_t joined)
{
    assert_int_equal(filter(text, false).paper, paper);
    assert_int_equal(filter(text, false).joined, joined);
    assert_int_equal(filter(json, true).paper, paper);
    assert_int_equal(filter(json, true).joined, joined);
    assert_false(filter(json, true).unknown);
}

static void test_filter__wants_both_on_one_line(void **state)
{
    (void)state;
    assert_filter("import torch\n", "import torch\\n", TORCH, TORCH);
    assert_filter("# from a torch", "# from a torch", TORCH, TORCH);
    assert_filter("import os\ntorch jax\nfrom x import jax",
                  "import os\\ntorch jax\\nfrom x import jax", JAX, JAX);
    assert_filter("torch import", "torch import", 0, 0);
    assert_filter("torch torch\nimport x torch, jax", "torch torch\\nimport x torch, jax",
                  TORCH | JAX, TORCH | JAX);
    assert_filter("torch, import torch", "torch, import torch", TORCH, TORCH);
}

static void test_filter__joins_lines_for_the_resolved_rule(void **state)
{
    (void)state;
    assert_filter("import os, \\\n torch", "import os, \\\\\\n torch", 0, TORCH);
    assert_filter("import os, \\\r\n sys, \\\r\n torch",
                  "import os, \\\\\\r\\n sys, \\\\\\r\\n torch", 0, TORCH);
    assert_filter("import os\n\\\n torch", "import os\\n\\\\\\n torch", 0, 0);
    assert_filter("torch = from \\\n torch", "torch = from \\\\\\n torch", 0, TORCH);
}

static void test_filter__knows_escapes_of_json(void **state)
{
    (void)state;
    /* a tab and "orch"; a form feed and "rom"; a backslash and "n", which is not a line end */
    assert_int_equal(filter("import\\torch", true).joined, 0);
    assert_int_equal(filter("\\from torch", true).joined, 0);
    assert_int_equal(filter("import \\\\n torch", true).paper, TORCH);
    assert_true(filter("import \\u0074orch", true).unknown);
    assert_false(filter("import \\\\u0074orch \\u00e9", true).unknown);
}

static bool is_own_source(const char *text)
{
    struct pm_corpus__filter of;
    unsigned char *copy = padded(text);
    pm_corpus__filter_init(&of, pm_corpus__kernels(), NULL, 0);
    pm_corpus__filter_add_authors(&of, 1, "The TensorFlow Authors");
    pm_corpus__filter_add_authors(&of, 2, "The Other Authors");
    const uint32_t found = pm_corpus__own_source(&of, copy, strlen(text));
    free(copy);
    assert_false(found & ~2u);
    return found == 2;
}

static void test_filter__knows_sources_by_their_authors(void **state)
{
    (void)state;
    assert_true(is_own_source("# Copyright 2016 The TensorFlow Authors. All"));
    assert_false(is_own_source("# Copyright 1999 The TensorFlow Authors."));
    assert_false(is_own_source("# Copyright 20\n\n The TensorFlow Authors."));
    assert_false(is_own_source(" The TensorFlow Authors"));
}

static void count_text(struct pm_corpus__counter *counter, const char *text, uint64_t repository)
{
    unsigned char *copy = padded(text);
    const struct pm_corpus__importing importing = {.paper = 1, .joined = 1};
    pm_corpus__count(counter, copy, strlen(text), importing, repository);
    free(copy);
}

static void test_counter__knows_a_repository_that_two_threads_saw(void **state)
{
    static const char *const frameworks[] = {"torch"};
    const char *text = "import torch\ntorch.relu(1)\n";
    struct pm_resolve_names *names = pm_resolve_names_new();
    struct pm_corpus__counter counters[2];
    struct pm_resolve_index index;
    struct pm_corpus__filter of;
    (void)state;
    pm_resolve_names_add(names, pm_resolve_names_framework(names, "torch"), "torch.relu", NULL,
                         PM_NAME_FUNCTION);
    pm_resolve_index_init(&index, names);
    pm_corpus__filter_init(&of, pm_corpus__kernels(), frameworks, 1);
    for (uint64_t i = 0; i < 2; i++) {
        pm_corpus__counter_init(&counters[i], &index, &of, false);
        count_text(&counters[i], text, 77);
        count_text(&counters[i], text, 78 + i);
        count_text(&counters[i], text, 0);
    }
    pm_corpus__counter_merge(&counters[0], &counters[1]);
    const struct pm_corpus_function *function = counters[0].frameworks[0].functions;
    const struct pm_corpus_name *name = counters[0].frameworks[0].names;
    assert_int_equal(function->repositories, 3);
    assert_int_equal(function->files, 6);
    assert_int_equal(name->repositories, 3);
    assert_int_equal(name->uses, 6);
    for (int i = 0; i < 2; i++)
        pm_corpus__counter_release(&counters[i]);
    pm_resolve_index_release(&index);
    pm_resolve_names_free(names);
}

/* Makes folders below `folder` until its path is nearly as long as a path can be, with one file
 * whose own path is longer. */
static void make_too_long(const char *folder)
{
    enum { PART = 200 };
    char part[PART + 1] = {0}, file[240] = {0};
    memset(part, 'd', PART);
    memset(file, 'f', sizeof file - 1);
    memcpy(file + sizeof file - 4, ".py", 3);
    int at = open(folder, O_RDONLY | O_DIRECTORY);
    for (size_t length = strlen(folder); length + 1 + PART < PATH_MAX - 1; length += 1 + PART) {
        assert_int_equal(mkdirat(at, part, 0700), 0);
        const int below = openat(at, part, O_RDONLY | O_DIRECTORY);
        close(at);
        at = below;
    }
    const int made = openat(at, file, O_WRONLY | O_CREAT, 0600);
    assert_true(made >= 0);
    close(made);
    close(at);
}

static void assert_walk(const char *folder, unsigned units)
{
    struct pm_corpus__progress progress = {0};
    struct pm_corpus__walk walk;
    struct pm_corpus__unit unit;
    pm_corpus__walk_init(&walk, &folder, 1, &progress);
    for (; units > 0; units--) {
        assert_true(pm_corpus__walk_next(&walk, &unit));
        free(unit.path);
    }
    assert_false(pm_corpus__walk_next(&walk, &unit));
    assert_int_equal(walk.log.damages, 0);
    pm_corpus__walk_release(&walk);
}

/* Asserts that a scan of a folder whose only file cannot be opened reports this damage. */
static void assert_damage(const char *folder, const char *what)
{
    const struct pm_corpus_options options = {.threads = 1};
    struct pm_resolve_names *names = pm_resolve_names_new();
    struct pm_corpus_result *result;
    (void)pm_resolve_names_framework(names, "torch");
    assert_int_equal(pm_corpus_scan(&folder, 1, names, &options, &result, NULL), PM_OK);
    assert_int_equal(result->damage_count, 1);
    assert_non_null(strstr(result->damages[0].what, what));
    assert_true(pm_starts_with(result->damages[0].input, folder));
    assert_int_equal(result->totals.files, 0);
    pm_corpus_result_free(result);
    pm_resolve_names_free(names);
}

static void test_walk__names_what_it_cannot_look_at(void **state)
{
    char *folder;
    (void)state;
    assert_int_equal(pm_folder_scratch(&folder, NULL), PM_OK);
    assert_walk(folder, 0);
    make_too_long(folder);
    assert_damage(folder, "File name too long");
    assert_int_equal(pm_folder_remove(folder, NULL), PM_OK);
    assert_walk(folder, 1); /* its opener reports that it is missing */
    free(folder);
}

/* A folder is removed while the file before it is read. */
static void test_walk__names_what_goes_away(void **state)
{
    struct pm_corpus__progress progress = {0};
    struct pm_corpus__walk walk;
    struct pm_corpus__unit unit;
    char *folder, *path, *below;
    (void)state;
    assert_int_equal(pm_folder_scratch(&folder, NULL), PM_OK);
    path = pm_path_join(folder, "a.py");
    below = pm_path_join(folder, "d");
    assert_int_equal(pm_file_write(path, "", 0, NULL), PM_OK);
    assert_int_equal(pm_folder_make(below, NULL), PM_OK);
    const char *const given = folder;
    pm_corpus__walk_init(&walk, &given, 1, &progress);
    assert_true(pm_corpus__walk_next(&walk, &unit));
    free(unit.path);
    assert_int_equal(pm_folder_remove(below, NULL), PM_OK);
    assert_false(pm_corpus__walk_next(&walk, &unit));
    assert_int_equal(walk.log.damages, 1);
    assert_string_equal(walk.log.entries[0].damage.input, below);
    assert_int_equal(walk.ignored, 0);
    pm_corpus__walk_release(&walk);
    assert_int_equal(pm_folder_remove(folder, NULL), PM_OK);
    free(below);
    free(path);
    free(folder);
}

/* If all files are shards, in a folder or not, their total size is known. With a Python file it is
 * 0, because the sizes of Python files are not read. */
static void test_walk__adds_up_what_it_found_anyway(void **state)
{
    struct pm_corpus__progress progress = {0};
    struct pm_corpus__walk walk;
    struct pm_corpus__unit unit;
    char *folder, *shard, *python;
    (void)state;
    assert_int_equal(pm_folder_scratch(&folder, NULL), PM_OK);
    shard = pm_path_join(folder, "b.jsonl");
    python = pm_path_join(folder, "c.py");
    assert_int_equal(pm_file_write(shard, "{}\n", 3, NULL), PM_OK);
    for (int with_python = 0; with_python < 2; with_python++) {
        const char *const given[] = {folder, shard};
        uint64_t before = 0;
        pm_corpus__walk_init(&walk, given, 2, &progress);
        assert_int_equal(pm_corpus__walk_bytes(&walk), with_python ? 0 : 6);
        for (int i = 0; i < 2 + with_python; i++) {
            assert_true(pm_corpus__walk_next(&walk, &unit));
            assert_true(unit.number > before);
            before = unit.number;
            assert_string_equal(unit.path, with_python && i == 0 ? python : shard);
            free(unit.path);
        }
        assert_false(pm_corpus__walk_next(&walk, &unit));
        pm_corpus__walk_release(&walk);
        assert_int_equal(pm_file_write(python, "x", 1, NULL), PM_OK);
    }
    assert_int_equal(pm_folder_remove(folder, NULL), PM_OK);
    free(python);
    free(shard);
    free(folder);
}

static bool is_second(const char *name, enum pm_folder_kind kind)
{
    (void)kind;
    return name[0] == '1';
}

static void test_walk__asks_a_folder_what_its_entries_are(void **state)
{
    static const enum pm_folder_kind kinds[] = {PM_FOLDER_FILE, PM_FOLDER_FOLDER, PM_FOLDER_OTHER};
    struct pm_error err = {""};
    struct pm_folder_entry *entries;
    size_t count;
    char *folder, *path[3];
    (void)state;
    assert_int_equal(pm_folder_scratch(&folder, &err), PM_OK);
    for (int i = 0; i < 3; i++)
        path[i] = pm_format("%s/%d", folder, i);
    assert_int_equal(pm_folder_make(path[1], &err), PM_OK);
    assert_int_equal(pm_file_write(path[0], "x", 1, &err), PM_OK);
    assert_int_equal(symlink("1", path[2]), 0);
    assert_int_equal(pm_folder_entries(folder, NULL, &entries, &count, &err), PM_OK);
    assert_int_equal(count, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(entries[i].name[0], '0' + i);
        assert_true(entries[i].kind == kinds[i] || entries[i].kind == PM_FOLDER_UNKNOWN);
        free(path[i]);
    }
    pm_folder_free(entries, count);
    assert_int_equal(pm_folder_entries(folder, is_second, &entries, &count, &err), PM_OK);
    assert_int_equal(count, 1);
    assert_string_equal(entries[0].name, "1");
    pm_folder_free(entries, count);
    assert_int_equal(pm_folder_remove(folder, &err), PM_OK);
    free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unescape__knows_every_escape),
        cmocka_unit_test(test_unescape__keeps_what_is_no_escape),
        cmocka_unit_test(test_kernels__agree),
        cmocka_unit_test(test_json_line__finds_fields_in_any_order),
        cmocka_unit_test(test_json_line__tells_what_is_wrong),
        cmocka_unit_test(test_filter__wants_both_on_one_line),
        cmocka_unit_test(test_filter__joins_lines_for_the_resolved_rule),
        cmocka_unit_test(test_filter__knows_escapes_of_json),
        cmocka_unit_test(test_filter__knows_sources_by_their_authors),
        cmocka_unit_test(test_walk__names_what_it_cannot_look_at),
        cmocka_unit_test(test_walk__asks_a_folder_what_its_entries_are),
        cmocka_unit_test(test_walk__names_what_goes_away),
        cmocka_unit_test(test_walk__adds_up_what_it_found_anyway),
        cmocka_unit_test(test_counter__knows_a_repository_that_two_threads_saw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
