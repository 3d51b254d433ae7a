/* Tests of scans of files written here. test_resolve.c tests the resolved rule,
 * tests/python/test_corpus.py the readers of containers. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "corpus/corpus.h"

struct scanned {
    char *folder;
    struct pm_resolve_names *names;
    struct pm_corpus_result *result;
};

static struct pm_resolve_names *table(void)
{
    static const struct {
        const char *canonical, *alias;
        enum pm_name_kind kind;
    } rows[] = {
        {"torch.zeros", NULL, PM_NAME_FUNCTION},
        {"torch.relu", "torch.nn.functional.relu", PM_NAME_FUNCTION},
        {"torch.nn.Linear", NULL, PM_NAME_CLASS},
        {"torch.nn.Linear", "torch.nn.modules.Linear", PM_NAME_CLASS},
        {"torch.Tensor.view", NULL, PM_NAME_METHOD},
        {"torch.no_grad", NULL, PM_NAME_CLASS},
    };
    struct pm_resolve_names *names = pm_resolve_names_new();
    const unsigned torch = pm_resolve_names_framework(names, "torch");
    const unsigned jax = pm_resolve_names_framework(names, "jax");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        pm_resolve_names_add(names, torch, rows[i].canonical, rows[i].alias, rows[i].kind);
    pm_resolve_names_moved(names, torch, "neural", "torch.nn");
    pm_resolve_names_flat(names, jax, "zeros");
    pm_resolve_names_flat(names, jax, "jit");
    return names;
}

/* Scans a folder with these files; NULL ends the list. */
static struct scanned scan(unsigned threads, ...)
{
    struct scanned of = {.names = table()};
    const struct pm_corpus_options options = {.threads = threads};
    struct pm_error err;
    unsigned number = 0;
    const char *text;
    va_list texts;
    assert_int_equal(pm_folder_scratch(&of.folder, &err), PM_OK);
    va_start(texts, threads);
    while ((text = va_arg(texts, const char *)) != NULL) {
        char *name = pm_format("%u.py", number++);
        char *path = pm_path_join(of.folder, name);
        assert_int_equal(pm_file_write(path, text, strlen(text), &err), PM_OK);
        free(path);
        free(name);
    }
    va_end(texts);
    const char *folder = of.folder;
    assert_int_equal(pm_corpus_scan(&folder, 1, of.names, &options, &of.result, &err), PM_OK);
    return of;
}

static void done(struct scanned *of)
{
    struct pm_error err;
    pm_corpus_result_free(of->result);
    pm_resolve_names_free(of->names);
    assert_int_equal(pm_folder_remove(of->folder, &err), PM_OK);
    free(of->folder);
}

static const struct pm_corpus_function *function(const struct scanned *of, unsigned framework,
                                                 const char *name)
{
    const struct pm_corpus_framework *in = &of->result->frameworks[framework];
    for (size_t i = 0; i < in->function_count; i++) {
        if (strcmp(in->functions[i].name, name) == 0)
            return &in->functions[i];
    }
    fail_msg("no function %s", name);
    return NULL;
}

static const struct pm_corpus_name *name(const struct scanned *of, unsigned framework,
                                         const char *flat)
{
    const struct pm_corpus_framework *in = &of->result->frameworks[framework];
    for (size_t i = 0; i < in->name_count; i++) {
        if (strcmp(in->names[i].name, flat) == 0)
            return &in->names[i];
    }
    fail_msg("no name %s", flat);
    return NULL;
}

static void test_paper__counts_names_before_brackets(void **state)
{
    struct scanned of = scan(1,
                             "import torch\n"
                             "torch.relu(1); relu(2)\n"   /* function, other */
                             "x.relu(3)\n"                /* an attribute, but of no class: other */
                             "x.view(4)\n"                /* possible method */
                             "torch.view(4)\n"            /* other: not in the table */
                             "def relu(x): pass\n"        /* none */
                             "class view(object): pass\n" /* other */
                             "f'{relu(1)}'; `relu(1)`\n"  /* none */
                             "(relu # c\n (1))\n",        /* none */
                             NULL);
    const struct pm_corpus_name *relu = name(&of, 0, "relu"), *view = name(&of, 0, "view");
    (void)state;
    assert_int_equal(relu->uses, 3);
    assert_int_equal(relu->resolved, 1);
    assert_int_equal(relu->possible_method, 0);
    assert_int_equal(relu->other, 2);
    assert_int_equal(view->uses, 3);
    assert_int_equal(view->possible_method, 1);
    assert_int_equal(view->other, 2);
    assert_int_equal(of.result->frameworks[0].unlisted, 1);
    done(&of);
}

/* A package that is part of a framework counts only if the file also imports the framework. */
static void test_resolved__counts_a_package_that_is_part_of_a_framework(void **state)
{
    struct scanned of = scan(1, "import neural, torch\nneural.Linear(1)\n",
                             "import neural, jax\nneural.Linear(1); neural.lost(2)\n",
                             "import neural\nneural.Linear(1)\n", NULL);
    (void)state;
    assert_int_equal(function(&of, 0, "torch.nn.Linear")->calls, 1);
    assert_int_equal(name(&of, 0, "Linear")->resolved, 1);
    assert_int_equal(of.result->frameworks[0].importing_files, 1);
    assert_int_equal(of.result->frameworks[0].unlisted, 0);
    done(&of);
}

static void test_paper__wants_the_framework_on_an_import_line(void **state)
{
    struct scanned of = scan(1, "import os\nrelu(1)\n", "# from the torch docs\nrelu(1)\n",
                             "import os, \\\n torch\nrelu(1)\n", NULL);
    (void)state;
    assert_int_equal(name(&of, 0, "relu")->uses, 1);
    assert_int_equal(of.result->frameworks[0].paper_files, 1);
    assert_int_equal(of.result->frameworks[0].importing_files, 1);
    assert_int_equal(of.result->totals.files, 3);
    assert_int_equal(of.result->totals.lexed_files, 2);
    done(&of);
}

static void test_flat__resolves_by_the_last_part(void **state)
{
    struct scanned of = scan(1,
                             "import jax.numpy as jnp\nfrom jax import jit as j\n"
                             "jnp.zeros(1); j(f); x.zeros(2); zeros(3); jnp.other(4)\n",
                             NULL);
    const struct pm_corpus_name *zeros = name(&of, 1, "zeros");
    (void)state;
    assert_int_equal(zeros->uses, 3);
    assert_int_equal(zeros->resolved, 1);
    assert_int_equal(zeros->possible_method, 1);
    assert_int_equal(zeros->other, 1);
    assert_int_equal(function(&of, 1, "zeros")->calls, 1);
    assert_int_equal(function(&of, 1, "jit")->calls, 1);
    assert_int_equal(name(&of, 1, "jit")->uses, 0);
    done(&of);
}

static void test_scan__does_not_depend_on_threads(void **state)
{
    const char *text = "import torch\ntorch.relu(1)\nx.view(1)\n";
    struct scanned one = scan(1, text, text, "import jax\njax.jit(1)\n", text, NULL);
    struct scanned four = scan(4, text, text, "import jax\njax.jit(1)\n", text, NULL);
    (void)state;
    assert_int_equal(function(&one, 0, "torch.relu")->calls, 3);
    assert_int_equal(function(&one, 0, "torch.relu")->files, 3);
    assert_int_equal(function(&one, 0, "torch.relu")->repositories, 1);
    for (unsigned i = 0; i < 2; i++) {
        const struct pm_corpus_framework *a = &one.result->frameworks[i];
        const struct pm_corpus_framework *b = &four.result->frameworks[i];
        for (size_t k = 0; k < a->name_count; k++)
            assert_memory_equal(&a->names[k].uses, &b->names[k].uses,
                                sizeof *a->names - offsetof(struct pm_corpus_name, uses));
        for (size_t k = 0; k < a->function_count; k++)
            assert_memory_equal(&a->functions[k].calls, &b->functions[k].calls,
                                sizeof *a->functions - offsetof(struct pm_corpus_function, calls));
    }
    assert_memory_equal(&one.result->totals, &four.result->totals, sizeof one.result->totals);
    done(&one);
    done(&four);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct pm_corpus_unlisted *)a)->name,
                  ((const struct pm_corpus_unlisted *)b)->name);
}

/* Returns a text "name calls files" for each name that is not in the table; the caller frees it. */
static char *unlisted(const struct scanned *of, unsigned framework)
{
    const struct pm_corpus_framework *in = &of->result->frameworks[framework];
    struct pm_str text = PM_STR_INIT;
    if (in->unlisted_count)
        qsort(in->unlisted_names, in->unlisted_count, sizeof *in->unlisted_names, by_name);
    for (size_t i = 0; i < in->unlisted_count; i++)
        pm_str_addf(&text, "%s %d %d\n", in->unlisted_names[i].name,
                    (int)in->unlisted_names[i].calls, (int)in->unlisted_names[i].files);
    return pm_str_detach(&text);
}

static void test_unlisted__is_named_as_it_was_reached(void **state)
{
    (void)state;
    const char *first = "import torch, torch.made.up as m, jax\n"
                        "from torch.nn import Lost as L, Linear\n"
                        "a = torch.away\n"
                        "b = a.further\n"
                        "torch.lost(1); torch.lost(2); torch.lost\n"
                        "m.f(); L(); Linear.made(); a(); b.x(); torch.nn(); jax.made_up()\n"
                        "def f(c=torch.given): c()\n";
    const char *second = "import torch as t\nt.lost()\n";
    for (unsigned threads = 1; threads < 5; threads += 3) {
        struct scanned of = scan(threads, first, second, second, NULL);
        char *got = unlisted(&of, 0), *flat = unlisted(&of, 1);
        assert_string_equal(got, "torch.away 1 1\n"
                                 "torch.away.further.x 1 1\n"
                                 "torch.given 1 1\n"
                                 "torch.lost 4 3\n"
                                 "torch.made.up.f 1 1\n"
                                 "torch.nn 1 1\n"
                                 "torch.nn.Linear.made 1 1\n"
                                 "torch.nn.Lost 1 1\n");
        assert_int_equal(of.result->frameworks[0].unlisted, 11);
        assert_string_equal(flat, ""); /* a flat list has only a count of calls */
        assert_int_equal(of.result->frameworks[1].unlisted, 1);
        free(got);
        free(flat);
        done(&of);
    }
}

static void test_unlisted__is_cut_where_it_is_very_long(void **state)
{
    (void)state;
    struct pm_str text = PM_STR_INIT;
    pm_str_add(&text, "import torch\ntorch");
    for (int i = 0; i < 1000; i++)
        pm_str_add(&text, ".part");
    pm_str_add(&text, "()\n");
    struct scanned of = scan(1, text.data, NULL);
    const struct pm_corpus_framework *in = &of.result->frameworks[0];
    assert_int_equal(in->unlisted_count, 1);
    assert_int_equal(strlen(in->unlisted_names[0].name), 255);
    assert_string_equal(in->unlisted_names[0].name + 252, "...");
    done(&of);
    pm_str_release(&text);
}

static void test_scan__reads_zstandard(void **state)
{
    static const char line[] = "{\"content\": \"import torch\\ntorch.relu(1)\"}\n";
    char packed[1024];
    (void)state;
    for (int broken = 0; broken < 2; broken++) {
        const size_t one = ZSTD_compress(packed, 512, line, sizeof line - 1, 3);
        size_t end = one;
        for (int i = 1; i < 3; i++)
            end += ZSTD_compress(packed + end, 256, line, sizeof line - 1, 3);
        if (broken)
            memset(packed + one + 6, 0xff, one - 8);
        struct scanned of = {.names = table()};
        const struct pm_corpus_options options = {.threads = 1};
        struct pm_error err;
        assert_int_equal(pm_folder_scratch(&of.folder, &err), PM_OK);
        char *path = pm_path_join(of.folder, "a.jsonl.zst");
        const char *input = path;
        assert_int_equal(pm_file_write(path, packed, end, &err), PM_OK);
        assert_int_equal(pm_corpus_scan(&input, 1, of.names, &options, &of.result, &err), PM_OK);
        assert_int_equal(function(&of, 0, "torch.relu")->calls, 3 - broken);
        assert_int_equal(of.result->damage_count, broken);
        if (broken)
            assert_string_equal(of.result->damages[0].input, path);
        free(path);
        done(&of);
    }
}

static void test_scan__says_which_input_is_not_there(void **state)
{
    const char *paths[] = {".", "/nowhere/at/all"};
    const struct pm_corpus_options options = {.threads = 1};
    struct pm_resolve_names *names = table();
    struct pm_corpus_result *result = NULL;
    struct pm_error err;
    (void)state;
    assert_int_equal(pm_corpus_scan(paths, 2, names, &options, &result, &err), PM_ENOTFOUND);
    assert_string_equal(err.text, "'/nowhere/at/all' does not exist: name a file or folder");
    assert_null(result);
    char *folder = NULL, *loop;
    assert_int_equal(pm_folder_scratch(&folder, &err), PM_OK);
    loop = pm_path_join(folder, "loop");
    assert_int_equal(symlink("loop", loop), 0);
    paths[1] = loop;
    assert_int_equal(pm_corpus_scan(paths, 2, names, &options, &result, &err), PM_EIO);
    assert_non_null(strstr(err.text, "loop': Too many levels of symbolic links"));
    assert_null(result);
    assert_int_equal(pm_folder_remove(folder, &err), PM_OK);
    free(loop);
    free(folder);
    pm_resolve_names_free(names);
}

static void stop_now(void *ctx, uint64_t bytes, uint64_t total)
{
    (void)total;
    *(uint64_t *)ctx = bytes;
    pm_stop_request(SIGTERM);
}

static void test_scan__ends_when_it_is_stopped(void **state)
{
    (void)state;
    enum { BYTES = 4 << 20 };
    struct scanned of = {.names = table()};
    uint64_t bytes = 0;
    const struct pm_corpus_options options = {.threads = 1, .progress = stop_now, .ctx = &bytes};
    struct pm_error err;
    char *text = pm_alloc(BYTES);
    memset(text, '\n', BYTES);
    assert_int_equal(pm_folder_scratch(&of.folder, &err), PM_OK);
    for (int i = 0; i < 2; i++) {
        char *path = pm_format("%s/%d.py", of.folder, i);
        assert_int_equal(pm_file_write(path, text, BYTES, &err), PM_OK);
        free(path);
    }
    const char *folder = of.folder;
    assert_int_equal(pm_corpus_scan(&folder, 1, of.names, &options, &of.result, &err), PM_ESTOPPED);
    assert_string_equal(err.text, "stopped by SIGTERM");
    assert_null(of.result);
    assert_in_range(bytes, 1, BYTES - 1);
    pm_stop_reset();
    free(text);
    done(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper__counts_names_before_brackets),
        cmocka_unit_test(test_resolved__counts_a_package_that_is_part_of_a_framework),
        cmocka_unit_test(test_paper__wants_the_framework_on_an_import_line),
        cmocka_unit_test(test_flat__resolves_by_the_last_part),
        cmocka_unit_test(test_scan__does_not_depend_on_threads),
        cmocka_unit_test(test_unlisted__is_named_as_it_was_reached),
        cmocka_unit_test(test_unlisted__is_cut_where_it_is_very_long),
        cmocka_unit_test(test_scan__reads_zstandard),
        cmocka_unit_test(test_scan__says_which_input_is_not_there),
        cmocka_unit_test(test_scan__ends_when_it_is_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
