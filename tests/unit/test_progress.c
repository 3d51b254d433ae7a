/* Tests of the progress line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "text/progress.h"

static uint64_t fake_now;

static uint64_t read_fake_clock(void)
{
    return fake_now;
}

static const uint64_t ms = 1000000u;

struct screen {
    char *bytes;
    size_t length;
    FILE *file;
    struct pm_progress progress;
};

static void screen_open(struct screen *screen, bool is_terminal, size_t columns)
{
    fake_now = 1000 * ms;
    screen->file = open_memstream(&screen->bytes, &screen->length);
    pm_progress_init(&screen->progress, screen->file, is_terminal);
    screen->progress.now = read_fake_clock;
    screen->progress.columns = columns;
}

static void screen_assert(struct screen *screen, const char *expected)
{
    fclose(screen->file);
    assert_string_equal(screen->bytes, expected);
    free(screen->bytes);
}

static void test_terminal(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s, true, 100);
    pm_progress_update(&s.progress, "tensorflow@xla  tf.signal.idct", 1000, 2292, 0);
    fake_now += 99 * ms; /* not due */
    pm_progress_update(&s.progress, "tensorflow@xla  tf.signal.idct", 1001, 2292, 0);
    fake_now += 2901 * ms; /* 3 s for 100 of 1,292: the 1,000 before cost nothing */
    pm_progress_update(&s.progress, "tensorflow@xla  tf.signal.idct", 1100, 2292, 9);
    pm_progress_end(&s.progress);
    screen_assert(
        &s, "\rmeasuring   1,000/2,292  tensorflow@xla  tf.signal.idct   0 with no result so far"
            "\033[K"
            "\rmeasuring   1,100/2,292  tensorflow@xla  tf.signal.idct   9 with no result so far"
            "   36 s left\033[K"
            "\r\033[Kmeasuring   1,100/2,292   9 with no result   took 3 s\n");
}

static void test_narrow(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s, true, 67);
    pm_progress_update(&s.progress, "pytorch@cpu  torch.nn.AdaptiveAvgPool3d", 1, 10, 0);
    screen_assert(&s, "\rmeasuring   1/10  pytorch@cpu  torch....   0 with no result so far\033[K");
    pm_progress_end(&(struct pm_progress){.out = stderr, .label = s.progress.label});

    screen_open(&s, true, 20);
    pm_progress_update(&s.progress, "pytorch@cpu  torch.nn.AdaptiveAvgPool3d", 1, 10, 0);
    screen_assert(&s, "\rmeasuring   1/10...\033[K");
    pm_progress_end(&(struct pm_progress){.out = stderr, .label = s.progress.label});
}

static void test_plain(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s, false, 20);
    for (uint64_t i = 0; i <= 250; i++) {
        pm_progress_update(&s.progress, "null@null  sleep", i, 250, i / 100);
        fake_now += 100 * ms;
    }
    pm_progress_end(&s.progress);
    screen_assert(&s,
                  "measuring   100/250  null@null  sleep   1 with no result so far   15 s left\n"
                  "measuring   200/250  null@null  sleep   2 with no result so far   5 s left\n"
                  "measuring   250/250   2 with no result   took 25 s\n");
}

/* A scan counts bytes, and has no count of failures. */
static void test_bytes(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s, true, 80);
    s.progress.what = "scanning";
    s.progress.counted = NULL;
    s.progress.in_bytes = true;
    pm_progress_update(&s.progress, "a.tar", 0, 3000000, 0);
    fake_now += 3000 * ms;
    pm_progress_update(&s.progress, "b.tar", 1500000, 3000000, 0);
    pm_progress_end(&s.progress);
    screen_assert(&s, "\rscanning    0 B/3.00 MB  a.tar\033[K"
                      "\rscanning    1.50 MB/3.00 MB  b.tar   3 s left\033[K"
                      "\r\033[Kscanning    1.50 MB/3.00 MB   took 3 s\n");
}

/* A long execution is not silent: the line says for how long nothing has changed. */
static void test_unchanged(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s, true, 80);
    for (int i = 0; i < 3; i++) {
        pm_progress_update(&s.progress, "null@null  sleep", 1, 10, 0);
        fake_now += 1500 * ms;
    }
    pm_progress_update(&s.progress, "null@null  sleep", 2, 10, 0);
    pm_progress_end(&(struct pm_progress){.out = stderr, .label = s.progress.label});
    screen_assert(&s, "\rmeasuring   1/10  null@null  sleep   0 with no result so far\033[K"
                      "\rmeasuring   1/10  null@null  sleep   0 with no result so far\033[K"
                      "\rmeasuring   1/10  null@null  sleep   unchanged for 3 s\033[K"
                      "\rmeasuring   2/10  null@null  sleep   0 with no result so far\033[K");
}

/* Short work has no progress line. */
static void test_patience(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s, true, 80);
    s.progress.what = "judging";
    s.progress.counted = NULL;
    s.progress.patience = 1000 * ms;
    pm_progress_update(&s.progress, "", 0, 10, 0);
    fake_now += 999 * ms;
    pm_progress_update(&s.progress, "", 5, 10, 0);
    fflush(s.file);
    assert_int_equal(s.length, 0);
    fake_now += 1 * ms;
    pm_progress_update(&s.progress, "", 6, 10, 0);
    pm_progress_end(&s.progress);
    screen_assert(&s, "\rjudging     6/10\033[K\r\033[Kjudging     6/10   took 1 s\n");

    screen_open(&s, true, 80);
    s.progress.patience = 1000 * ms;
    pm_progress_update(&s.progress, "", 10, 10, 0);
    pm_progress_end(&s.progress);
    screen_assert(&s, "");
}

/* There is no estimate in the first moments, and one slow case does not make it jump. */
static void test_time_left(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s, true, 100);
    pm_progress_update(&s.progress, "x", 0, 1000, 0);
    fake_now += 1900 * ms;
    pm_progress_update(&s.progress, "x", 100, 1000, 0);
    assert_int_equal(s.progress.left, 0); /* too early */
    fake_now += 200 * ms;
    pm_progress_update(&s.progress, "x", 100, 1000, 0);
    assert_in_range(s.progress.left, 18890 * ms, 18910 * ms);
    const uint64_t before = s.progress.left;
    fake_now += 1000 * ms; /* a stall of 1 s: the bare rate says 27.9 s, up by 9 s */
    pm_progress_update(&s.progress, "x", 100, 1000, 0);
    assert_in_range(s.progress.left, before, before + 1000 * ms);
    pm_progress_end(&s.progress);
    fclose(s.file);
    free(s.bytes);

    screen_open(&s, true, 100);
    pm_progress_update(&s.progress, "x", 0, 1000, 0);
    fake_now += 60000 * ms;
    pm_progress_update(&s.progress, "x", 29, 1000, 0);
    assert_int_equal(s.progress.left, 0); /* too little */
    pm_progress_end(&s.progress);
    fclose(s.file);
    free(s.bytes);
}

/* Updates the line every 100 ms by the fake clock until `units` more units are done, each of which
 * takes `each` ms. */
static void work(struct screen *s, uint64_t *done, uint64_t units, uint64_t total, uint64_t each)
{
    for (uint64_t spent = 0; spent <= units * each; spent += 100) {
        pm_progress_update(&s->progress, "x", *done + spent / each, total, 0);
        fake_now += 100 * ms;
    }
    *done += units;
}

/* A run begins with a self-check, which does none of the counted work. */
static void test_time_before_the_first_of_the_work(void **state)
{
    (void)state;
    struct screen s;
    uint64_t done = 0;
    screen_open(&s, true, 100);
    for (int i = 0; i < 600; i++) {
        pm_progress_update(&s.progress, "self-check", 0, 1000, 0);
        fake_now += 100 * ms;
    }
    work(&s, &done, 50, 1000, 100);
    assert_in_range(s.progress.left, 92000 * ms,
                    98000 * ms); /* true: 95 s; by the rate since the start: 1,235 s */
    pm_progress_end(&s.progress);
    fclose(s.file);
    free(s.bytes);
}

/* A second command begins, so that everything takes five times as long; then it ends. */
static void test_time_left_under_load(void **state)
{
    (void)state;
    struct screen s;
    uint64_t done = 0;
    screen_open(&s, true, 100);
    work(&s, &done, 1200, 6000, 100);
    assert_in_range(s.progress.left, 475000 * ms, 485000 * ms);
    work(&s, &done, 480, 6000, 500);                              /* 4 minutes */
    assert_in_range(s.progress.left, 1900000 * ms, 2200000 * ms); /* true: 2,160 s */
    work(&s, &done, 2400, 6000, 100);
    assert_in_range(s.progress.left, 192000 * ms,
                    215000 * ms); /* true: 192 s; by the rate since the start: 340 s */
    pm_progress_end(&s.progress);
    fclose(s.file);
    free(s.bytes);
}

/* The first 100 of 200 pieces are quick, and the others take ten times as long. */
static void test_time_left_of_unequal_work(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s, true, 100);
    s.progress.work_total = 100 + 100 * 10;
    for (uint64_t i = 0; i <= 50; i++) {
        s.progress.work_done = (double)i;
        pm_progress_update(&s.progress, "x", i, 200, 0);
        fake_now += 200 * ms;
    }
    assert_in_range(s.progress.left, 208000 * ms, 212000 * ms); /* by the number of pieces: 30 s */
    pm_progress_end(&s.progress);
    fclose(s.file);
    free(s.bytes);
}

static void test_unused(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s, true, 100);
    pm_progress_end(&s.progress);
    screen_assert(&s, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terminal),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_unchanged),
        cmocka_unit_test(test_time_left),
        cmocka_unit_test(test_time_before_the_first_of_the_work),
        cmocka_unit_test(test_time_left_under_load),
        cmocka_unit_test(test_time_left_of_unequal_work),
        cmocka_unit_test(test_unused),
    };
    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
