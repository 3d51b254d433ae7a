/* Tests of the room base: errors, memory, strings, maps, JSON, files, folders, paths, users, CPUs,
 * the clock, shards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cpus.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/map.h"
#include "base/shard.h"
#include "base/str.h"
#include "base/user.h"

static void test_error__texts(void **state)
{
    (void)state;
    struct pm_error err;
    assert_int_equal(pm_error_set(&err, PM_EUSAGE, "no such table '%s'", "9"), PM_EUSAGE);
    assert_string_equal(err.text, "no such table '9'");
    assert_int_equal(pm_error_prefix(&err, PM_EUSAGE, "report %d", 3), PM_EUSAGE);
    assert_string_equal(err.text, "report 3: no such table '9'");
    errno = ENOENT;
    assert_int_equal(pm_error_errno(&err, "cannot open '%s'", "x"), PM_EIO);
    assert_string_equal(err.text, "cannot open 'x': No such file or directory: check the path");
    assert_int_equal(errno, ENOENT);
    assert_int_equal(pm_error_set(NULL, PM_EIO, "%s", "unseen"), PM_EIO);
    assert_int_equal(pm_error_prefix(NULL, PM_EIO, "%s", "unseen"), PM_EIO);
}

/* Messages quote texts of other programs; control characters in them must not reach the terminal.
 */
static void test_error__texts_are_one_printable_line(void **state)
{
    (void)state;
    struct pm_error err;
    pm_error_set(&err, PM_EUSAGE, "no such table '%s'", "\x1b[2J\n\xff");
    assert_string_equal(err.text, "no such table ' [2J ?'");
    pm_error_prefix(&err, PM_EUSAGE, "%s", "a\nb");
    assert_string_equal(err.text, "a b: no such table ' [2J ?'");
    errno = ENOENT;
    pm_error_errno(&err, "cannot open '%s'", "\xe2\x80\xae");
    assert_string_equal(err.text, "cannot open ' ': No such file or directory: check the path");
}

static void test_error__long_texts_are_cut(void **state)
{
    (void)state;
    struct pm_error err;
    char *text = pm_alloc(5000);
    memset(text, 'a', 4999);
    pm_error_set(&err, PM_EIO, "%s", text);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    pm_error_prefix(&err, PM_EIO, "first");
    assert_true(pm_starts_with(err.text, "first: aaa"));
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    pm_error_prefix(&err, PM_EIO, "%s", text);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    free(text);
}

static int exit_status_of(void (*act)(void))
{
    const pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(99);
        act();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void ask_for_too_much(void)
{
    free(pm_realloc_array(NULL, SIZE_MAX / 2, 3));
}

static void test_alloc__exhaustion_ends_with_status_3(void **state)
{
    (void)state;
    assert_int_equal(exit_status_of(ask_for_too_much), 3);
}

static void test_alloc__helpers(void **state)
{
    (void)state;
    assert_null(pm_strdup(NULL));
    char *part = pm_strndup("portmeter", 4), *whole = pm_strndup("po", 9);
    assert_string_equal(part, "port");
    assert_string_equal(whole, "po");
    char *text = pm_format("%d-%s", 7, part);
    assert_string_equal(text, "7-port");
    unsigned char *zeroed = pm_alloc(64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(zeroed[i], 0);
    size_t product;
    assert_true(pm_mul(&product, 1 << 20, 1 << 20));
    assert_false(pm_mul(&product, SIZE_MAX, 2));
    assert_false(pm_add(&product, SIZE_MAX, 1));
    free(part);
    free(whole);
    free(text);
    free(zeroed);
    pm_free_strings(NULL, 0);
}

static void test_str__grows_and_detaches(void **state)
{
    (void)state;
    struct pm_str s = PM_STR_INIT;
    assert_string_equal(s.data, "");
    char *empty = pm_str_detach(&s);
    assert_string_equal(empty, "");
    free(empty);
    for (int i = 0; i < 1000; i++)
        pm_str_addf(&s, "%d,", i % 10);
    assert_int_equal(s.length, 2000);
    assert_int_equal(strlen(s.data), 2000);
    pm_str_clear(&s);
    assert_string_equal(s.data, "");
    pm_str_add_bytes(&s, "a\0b", 3);
    pm_str_add_char(&s, 'c');
    assert_int_equal(s.length, 4);
    assert_memory_equal(s.data, "a\0bc", 5);
    char *text = pm_str_detach(&s);
    assert_string_equal(s.data, "");
    free(text);
    pm_str_release(&s);
    assert_true(pm_starts_with("torch.cat", "torch."));
    assert_false(pm_starts_with("tor", "torch"));
    assert_true(pm_ends_with("a.yaml", ".yaml"));
    assert_false(pm_ends_with("yaml", ".yaml"));
}

static void test_str__divides_a_text_into_its_fields(void **state)
{
    char three[] = "a\t\tc", *fields[3];
    (void)state;
    assert_true(pm_divide(three, '\t', fields, 3));
    assert_string_equal(fields[0], "a");
    assert_string_equal(fields[1], "");
    assert_string_equal(fields[2], "c");
    char two[] = "a\tb", four[] = "a\tb\tc\td";
    assert_false(pm_divide(two, '\t', fields, 3));
    assert_false(pm_divide(four, '\t', fields, 3));
}

static void test_str__numbers(void **state)
{
    (void)state;
    long long whole = 5;
    assert_true(pm_parse_int("-9223372036854775808", &whole));
    assert_true(whole == INT64_MIN);
    static const char *const no_whole[] = {"",  " 1", "1 ", "0x10", "1.0", "9223372036854775808",
                                           "-", "+-1"};
    for (size_t i = 0; i < sizeof no_whole / sizeof *no_whole; i++)
        assert_false(pm_parse_int(no_whole[i], &whole));
    assert_true(whole == INT64_MIN);
    double real = 5;
    assert_true(pm_parse_double("-1.5e-3", &real));
    assert_true(real == -1.5e-3);
    static const char *const no_real[] = {"",    "nan", "inf", "0x1p3", "1e999",
                                          "1,5", " 1",  "e5",  "1e"};
    for (size_t i = 0; i < sizeof no_real / sizeof *no_real; i++)
        assert_false(pm_parse_double(no_real[i], &real));
    assert_true(real == -1.5e-3);
}

static void test_str__bytes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned long long bytes;
    } rows[] = {
        {"0", 0},
        {"123", 123},
        {"64k", 64 << 10},
        {"800M", 800 << 20},
        {"1.5G", 3ULL << 29},
        {"2T", 2ULL << 40},
        {"18446744073709551615", UINT64_MAX},
        {"18446744073709551616", UINT64_MAX},
        {"99999999999T", UINT64_MAX},
        {"99999999.5T", UINT64_MAX},
    };
    unsigned long long bytes;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(pm_parse_bytes(rows[i].text, &bytes));
        assert_true(bytes == rows[i].bytes);
    }
    static const char *const none[] = {"", "-1", "G", "1GB", "1.2.3M", "1 G", "1x"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(pm_parse_bytes(none[i], &bytes));
}

static void test_map__holds_many(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    static int values[COUNT];
    struct pm_map map = {0};
    assert_null(pm_map_get(&map, "absent"));
    assert_false(pm_map_has(&map, "absent"));
    char key[32];
    for (int i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, "key %d", i);
        pm_map_put(&map, key, &values[0]);
        pm_map_put(&map, key, &values[i]);
    }
    assert_int_equal(map.count, COUNT);
    for (int i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, "key %d", i);
        assert_ptr_equal(pm_map_get(&map, key), &values[i]);
    }
    pm_map_put(&map, "nothing", NULL);
    assert_true(pm_map_has(&map, "nothing"));
    assert_false(pm_map_has(&map, "key 10000"));
    pm_map_release(&map);
    assert_false(pm_map_has(&map, "nothing"));
}

static void test_json__parses_strictly(void **state)
{
    (void)state;
    struct pm_error err;
    json_t *value;
    static const char text[] = "{\"b\": 1, \"a\": [true, null, \"x\"], \"r\": 0.5}";
    assert_int_equal(pm_json_parse(text, sizeof text - 1, &value, &err), PM_OK);
    assert_int_equal(pm_json_int(value, "b", 7), 1);
    assert_int_equal(pm_json_int(value, "r", 7), 7);
    assert_int_equal(pm_json_int_in(value, "b", 1, 1, 7), 1);
    assert_int_equal(pm_json_int_in(value, "b", 2, 9, 7), 7);
    assert_int_equal(pm_json_int_in(value, "b", -9, 0, 7), 7);
    assert_int_equal(pm_json_int_in(value, "r", 0, 9, 7), 7);
    assert_int_equal(pm_json_int_in(NULL, "b", 0, 9, 7), 7);
    assert_false(pm_json_is_deeper(value, 2));
    assert_true(pm_json_is_deeper(value, 1));
    assert_false(pm_json_is_deeper(json_object_get(value, "b"), 0));
    assert_true(pm_json_real(value, "b", 7) == 1);
    assert_true(pm_json_real(value, "r", 7) == 0.5);
    assert_string_equal(pm_json_string(value, "b", "none"), "none");
    assert_true(pm_json_bool(value, "absent", true));
    char *canonical = pm_json_text(value);
    assert_string_equal(canonical, "{\"a\":[true,null,\"x\"],\"b\":1,\"r\":0.5}");
    free(canonical);
    json_decref(value);
    static const char *const bad[] = {"",        "{",   "{\"a\":1,\"a\":2}", "[1] 2",
                                      "{'a':1}", "nan", "[\"\xff\"]",        "\"line\nend\""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(pm_json_parse(bad[i], strlen(bad[i]), &value, &err), PM_EFORMAT);
        assert_null(value);
        assert_true(pm_starts_with(err.text, "line "));
        assert_null(strchr(err.text, '\n'));
    }
}

static void check_ok(int rc, const struct pm_error *err)
{
    if (rc)
        fail_msg("%s", err->text);
}

static void test_file__whole_or_not_at_all(void **state)
{
    struct pm_error err = {""};
    char *path = pm_path_join(*state, "data");
    check_ok(pm_file_write(path, "first", 5, &err), &err);
    check_ok(pm_file_write(path, "second", 6, &err), &err);
    struct pm_str s = PM_STR_INIT;
    check_ok(pm_file_read(path, &s, &err), &err);
    assert_string_equal(s.data, "second");
    char **names;
    size_t count;
    check_ok(pm_folder_list(*state, &names, &count, &err), &err);
    assert_int_equal(count, 1); /* no temporary file is left */
    pm_free_strings(names, count);
    pm_str_clear(&s);
    check_ok(pm_file_read("/proc/self/status", &s, &err), &err);
    assert_true(s.length > 0);
    pm_str_release(&s);
    free(path);
    assert_int_equal(pm_file_read("/nowhere/at/all", &s, &err), PM_EIO);
    assert_string_equal(err.text,
                        "cannot open '/nowhere/at/all': No such file or directory: check the path");
    assert_int_equal(pm_file_write("/nowhere/at/all", "x", 1, &err), PM_EIO);
    assert_int_equal(pm_file_write("/dev/full", "x", 1, &err), PM_EIO);
    assert_string_equal(err.text,
                        "cannot write '/dev/full': No space left on device: free some space");
    check_ok(pm_file_write("/dev/null", "x", 1, &err), &err);
    struct stat st;
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode)); /* written to, not replaced */
}

static void assert_content(const char *path, const char *content)
{
    struct pm_error err = {""};
    struct pm_str s = PM_STR_INIT;
    check_ok(pm_file_read(path, &s, &err), &err);
    assert_string_equal(s.data, content);
    pm_str_release(&s);
}

static void test_file__former_one_stays_until_the_draft_is_finished(void **state)
{
    struct pm_error err = {""};
    struct pm_file_draft draft;
    struct stat st;
    char target[16] = "";
    char **names;
    size_t count;
    char *path = pm_path_join(*state, "data"), *soft = pm_path_join(*state, "soft");
    check_ok(pm_file_write(path, "former", 6, &err), &err);
    assert_int_equal(chmod(path, 0640) | symlink("data", soft), 0);
    check_ok(pm_file_begin(soft, &draft, &err), &err);
    fputs("new", draft.file);
    fflush(draft.file);
    assert_content(path, "former");
    pm_file_discard(&draft);
    pm_file_discard(&draft); /* nothing is left to discard */
    assert_content(path, "former");
    check_ok(pm_file_begin(soft, &draft, &err), &err);
    fputs("new", draft.file);
    check_ok(pm_file_finish(&draft, &err), &err);
    assert_content(path, "new");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    assert_int_equal(readlink(soft, target, sizeof target - 1), 4);
    assert_string_equal(target, "data");
    check_ok(pm_folder_list(*state, &names, &count, &err), &err);
    assert_int_equal(count, 2); /* no temporary file is left */
    pm_free_strings(names, count);
    free(path);
    free(soft);
}

/* A killed process leaves its draft. The next draft of the same file removes it. It keeps a draft
 * of a living process, a draft that a process elsewhere has locked, and drafts of other files. */
static void test_file__what_a_killed_process_left_is_removed(void **state)
{
    struct pm_error err = {""};
    struct pm_file_draft draft;
    int status;
    char *path = pm_path_join(*state, "data");
    const pid_t child = fork();
    if (!child)
        _exit(pm_file_begin(path, &draft, &err) != PM_OK);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    char *left = pm_format("%s.%d.0.tmp", path, child),
         *locked = pm_format("%s.%d.7.tmp", path, child);
    assert_true(pm_path_exists(left));
    const int fd = open(locked, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    char *const others[] = {pm_format("%s.1.0.tmp", path), pm_format("%s.%d.0.tmp.x", path, child),
                            pm_format("%s.%d.tmp", path, child),
                            pm_format("%ss.%d.0.tmp", path, child), pm_format("%s.x.0.tmp", path)};
    enum { OTHERS = sizeof others / sizeof *others };
    for (size_t i = 0; i < OTHERS; i++)
        fclose(fopen(others[i], "w"));
    check_ok(pm_file_write(path, "new", 3, &err), &err);
    assert_false(pm_path_exists(left));
    assert_true(pm_path_exists(locked));
    assert_content(path, "new");
    for (size_t i = 0; i < OTHERS; i++) {
        assert_true(pm_path_exists(others[i]));
        free(others[i]);
    }
    close(fd);
    free(path);
    free(left);
    free(locked);
}

static void test_file__output_is_no_input(void **state)
{
    struct pm_error err = {""};
    char *file = pm_path_join(*state, "x.db"), *linked = pm_path_join(*state, "hard");
    char *pointed = pm_path_join(*state, "soft"), *other = pm_path_join(*state, "other");
    char *later = pm_path_join(*state, "later"), *roundabout = pm_path_join(*state, "./later");
    check_ok(pm_file_write(file, "", 0, &err), &err);
    check_ok(pm_file_write(other, "", 0, &err), &err);
    assert_int_equal(link(file, linked) | symlink(file, pointed), 0);
    const char *const same[][2] = {
        {file, file}, {linked, file}, {pointed, file}, {later, roundabout}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assert_int_equal(
            pm_file_check_output("--output", same[i][0], same[i][1], "the database", &err),
            PM_EUSAGE);
        assert_non_null(strstr(err.text, "would replace the database"));
    }
    const char *const apart[][2] = {
        {other, file},   {later, file}, {file, later}, {later, "/none/later"},
        {later, "more"}, {NULL, file},  {file, NULL}};
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        check_ok(pm_file_check_output("--output", apart[i][0], apart[i][1], "the database", &err),
                 &err);
    char *const paths[] = {file, linked, pointed, other, later, roundabout};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        free(paths[i]);
}

static void test_file__full_reads(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(pm_write_full(ends[1], "abc", 3), 3);
    assert_int_equal(pm_write_full(ends[1], "de", 2), 2);
    close(ends[1]);
    char bytes[16];
    assert_int_equal(pm_read_full(ends[0], bytes, 4), 4);
    assert_int_equal(pm_read_full(ends[0], bytes, sizeof bytes), 1);
    close(ends[0]);
    assert_int_equal(pm_read_full(-1, bytes, 1), -1);
}

static void test_folder__make_list_remove(void **state)
{
    struct pm_error err = {""};
    char *deep = pm_path_join(*state, "a/b//c/");
    check_ok(pm_folder_make(deep, &err), &err);
    check_ok(pm_folder_make(deep, &err), &err);
    assert_true(pm_path_is_folder(deep));
    char *top = pm_path_join(*state, "a"), *file = pm_path_join(top, "file");
    char *link = pm_path_join(top, "Link"), *kept = pm_path_join(*state, "kept");
    check_ok(pm_file_write(file, "", 0, &err), &err);
    check_ok(pm_file_write(kept, "", 0, &err), &err);
    assert_int_equal(symlink(*state, link), 0);
    char **names;
    size_t count;
    check_ok(pm_folder_list(top, &names, &count, &err), &err);
    assert_int_equal(count, 3);
    assert_string_equal(names[0], "Link");
    assert_string_equal(names[1], "b");
    assert_string_equal(names[2], "file");
    pm_free_strings(names, count);
    assert_int_equal(pm_folder_make(file, &err), PM_EIO);
    assert_int_equal(chmod(deep, 0), 0); /* a case may leave such a folder behind */
    check_ok(pm_folder_remove(top, &err), &err);
    assert_false(pm_path_exists(top));
    assert_true(pm_path_exists(kept)); /* the link was not followed */
    check_ok(pm_folder_remove(top, &err), &err);
    assert_int_equal(pm_folder_list(top, &names, &count, &err), PM_EIO);
    free(deep);
    free(top);
    free(file);
    free(link);
    free(kept);
}

static void test_path__parts(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"a/b", "a"}, {"a", "."}, {"/a", "/"}, {"/a/b/c", "/a/b"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *parent = pm_path_parent(rows[i][0]);
        assert_string_equal(parent, rows[i][1]);
        free(parent);
    }
    char *joined = pm_path_join("a/", "b"), *bare = pm_path_join("", "b");
    assert_string_equal(joined, "a/b");
    assert_string_equal(bare, "b");
    free(joined);
    free(bare);
}

static void check_data_folder(const char *data, const char *xdg, const char *home, const char *want)
{
    const char *const names[] = {"PORTMETER_DATA", "XDG_DATA_HOME", "HOME"};
    const char *const values[] = {data, xdg, home};
    for (unsigned i = 0; i < 3; i++)
        if (values[i])
            setenv(names[i], values[i], 1);
        else
            unsetenv(names[i]);
    struct pm_error err;
    char *path;
    check_ok(pm_path_data(&path, &err), &err);
    assert_string_equal(path, want);
    free(path);
}

static void test_path__data_folder(void **state)
{
    (void)state;
    check_data_folder("/d", "/x", "/h", "/d");
    check_data_folder(NULL, "/x", "/h", "/x/portmeter");
    check_data_folder("", "relative", "/h", "/h/.local/share/portmeter");
    char *here = getcwd(NULL, 0), *want = pm_path_join(here, "rel");
    check_data_folder("rel", NULL, "/h", want);
    free(here);
    free(want);
}

static void test_path__home_has_drivers(void **state)
{
    struct pm_error err;
    char *path, *drivers = pm_path_join(*state, "drivers");
    setenv("PORTMETER_HOME", *state, 1);
    assert_int_equal(pm_path_home(&path, &err), PM_ENOTFOUND);
    assert_null(path);
    assert_true(pm_starts_with(err.text, "folder '"));
    check_ok(pm_folder_make(drivers, &err), &err);
    check_ok(pm_path_home(&path, &err), &err);
    assert_string_equal(path, (const char *)*state);
    free(path);
    free(drivers);
}

static void check_home_of(const char *root, const char *program, const char *want)
{
    char *path = pm_path_join(root, program), *home = pm_path_home_of(path);
    char *wanted = pm_path_join(root, want);
    assert_string_equal(home, wanted);
    free(wanted);
    free(home);
    free(path);
}

/* The home depends only on the program's place, so an installation or source tree can be moved. */
static void test_path__home_is_relative_to_the_program(void **state)
{
    const char *root = *state;
    struct pm_error err;
    char *build = pm_path_join(root, "tree/build-x"), *ninja = pm_path_join(build, "build.ninja");
    char *drivers = pm_path_join(root, "tree/drivers");
    check_home_of(root, "usr/bin/portmeter", "usr/lib/portmeter");
    check_home_of(root, "tree/build-x/portmeter", "tree/lib/portmeter");
    check_ok(pm_folder_make(build, &err), &err);
    check_ok(pm_file_write(ninja, "", 0, &err), &err);
    check_home_of(root, "tree/build-x/portmeter", "tree/lib/portmeter");
    check_ok(pm_folder_make(drivers, &err), &err);
    check_home_of(root, "tree/build-x/portmeter", "tree");
    check_home_of(root, "tree/build-x/tests/unit/test_base", "tree");
    check_home_of(root, "tree/bin/portmeter", "tree/lib/portmeter");
    free(drivers);
    free(ninja);
    free(build);
}

static void test_user__lines_of_passwd(void **state)
{
    static const char list[] = "root:x:0:0:root:/root:/bin/sh\n"
                               "+::7::::\n"
                               "short:x:7\n"
                               "odd:x:7x:7::/odd:/bin/sh\n"
                               "none:x::7::/none:/bin/sh\n"
                               "ada:x:7:7:A. L.:/home/ada:/bin/sh\n"
                               "second:x:7:7::/home/second:/bin/sh\n"
                               "nowhere:x:8:8:::\n"
                               "last:x:9:9::/home/last";
    static const struct {
        uid_t number;
        const char *name, *home;
    } rows[] = {{0, "root", "/root"},
                {7, "ada", "/home/ada"},
                {8, "nowhere", ""},
                {9, "last", "/home/last"},
                {10, NULL, NULL}};
    struct pm_error err;
    char *path = pm_path_join(*state, "passwd");
    check_ok(pm_file_write(path, list, sizeof list - 1, &err), &err);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pm_user user;
        assert_int_equal(pm_user_find(path, rows[i].number, &user), rows[i].name != NULL);
        if (rows[i].name) {
            assert_string_equal(user.name, rows[i].name);
            assert_string_equal(user.home, rows[i].home);
        } else {
            assert_null(user.name);
        }
        pm_user_release(&user);
    }
    struct pm_user user;
    assert_false(pm_user_find("/nonexistent", 0, &user));
    pm_user_release(&user);
    free(path);
}

static void test_cpus__counts(void **state)
{
    (void)state;
    assert_in_range(pm_cpus_physical(), 1, pm_cpus_logical());
    assert_in_range(pm_cpus_logical(), 1, sysconf(_SC_NPROCESSORS_CONF));
}

/* Returns the CPUs that a process limited to this share may use; does not limit this process. */
static cpu_set_t share_of(unsigned part, unsigned parts)
{
    cpu_set_t share;
    const pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    pm_cpus_keep(child, part, parts);
    const int rc = sched_getaffinity(child, sizeof share, &share);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(rc, 0);
    return share;
}

static void test_cpus__are_busy_above_half_of_the_cores(void **state)
{
    (void)state;
    assert_false(pm_cpus_are_busy(2, 4));
    assert_true(pm_cpus_are_busy(2.1, 4));
    assert_false(pm_cpus_are_busy(NAN, 4));
    assert_false(pm_cpus_are_busy(9, 0));
}

static double load_in(const char *path, const char *text)
{
    struct pm_error err;
    check_ok(pm_file_write(path, text, strlen(text), &err), &err);
    return pm_cpus_load(path);
}

/* The load average includes processes that have just ended. The load must not exceed the number of
 * other processes that run now. */
static void test_cpus__load_is_no_more_than_what_runs(void **state)
{
    char *path = pm_path_join(*state, "loadavg");
    assert_true(load_in(path, "0.05 0.10 0.10 4/80 1\n") == 0.05);
    assert_true(load_in(path, "4000 0.10 0.10 1/80 1\n") == 0);
    assert_true(load_in(path, "4000 0.10 0.10 1001/80 1\n") == 1000);
    assert_true(load_in(path, "4000 0.10 0.10 9001/80 1\n") == 4000);
    assert_true(isnan(load_in(path, "no load\n")));
    free(path);
}

static void test_folder__free_bytes_are_those_of_the_nearest_folder(void **state)
{
    (void)state;
    uint64_t here, below;
    struct pm_error err;
    assert_int_equal(pm_folder_free_bytes("/proc", &here, &err), PM_OK);
    assert_int_equal(here, 0);
    assert_int_equal(pm_folder_free_bytes("/proc/not/there", &below, &err), PM_OK);
    assert_int_equal(below, 0);
    assert_int_equal(pm_folder_free_bytes("not/there", &here, &err), PM_OK);
    assert_true(here > 0);
}

static void test_cpus__shares_are_equal_and_apart(void **state)
{
    cpu_set_t all, shared, both, none;
    const unsigned count = pm_cpus_logical();
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&none);
    for (unsigned parts = 1; parts <= count; parts++) {
        CPU_ZERO(&shared);
        for (unsigned part = 0; part < parts; part++) {
            const cpu_set_t share = share_of(part, parts);
            assert_int_equal(CPU_COUNT(&share), count / parts);
            CPU_AND(&both, &shared, &share);
            assert_true(CPU_EQUAL(&both, &none));
            CPU_OR(&shared, &shared, &share);
        }
        CPU_AND(&both, &shared, &all);
        assert_true(CPU_EQUAL(&both, &shared));
    }
    const cpu_set_t share = share_of(count, count + 1);
    assert_true(CPU_EQUAL(&share, &all));
}

static void test_clock__durations(void **state)
{
    (void)state;
    static const struct {
        uint64_t seconds;
        const char *text;
    } rows[] = {{0, "0 s"}, {12, "12 s"}, {130, "2 min 10 s"}, {3900, "1 h 5 min"}};
    char text[32];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pm_clock_duration(rows[i].seconds * 1000000000, text);
        assert_string_equal(text, rows[i].text);
    }
    pm_clock_duration(59600000000, text);
    assert_string_equal(text, "1 min 0 s");
    pm_clock_duration(UINT64_MAX, text);
}

static void test_clock__now(void **state)
{
    (void)state;
    const uint64_t start = pm_clock_now();
    pm_clock_sleep(2000000);
    assert_true(pm_clock_now() - start >= 2000000);
    char text[25];
    pm_clock_iso(text);
    assert_int_equal(strlen(text), 24);
    assert_int_equal(text[10], 'T');
    assert_int_equal(text[23], 'Z');
}

/* The scratch path must be absolute: drivers, which use a run's socket, run in other folders. */
static void test_folder__scratch_is_absolute(void **state)
{
    const char *folder = *state;
    char *here = getcwd(NULL, 0), *before = getenv("TMPDIR"), *scratch;
    before = before ? pm_strdup(before) : NULL;
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("below", 0700), 0);
    assert_int_equal(setenv("TMPDIR", "below", 1), 0);
    assert_int_equal(pm_folder_scratch(&scratch, NULL), PM_OK);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(before ? setenv("TMPDIR", before, 1) : unsetenv("TMPDIR"), 0);
    assert_int_equal(scratch[0], '/');
    assert_true(pm_path_is_folder(scratch));
    free(scratch);
    free(before);
    free(here);
}

static int make_scratch(void **state)
{
    return pm_folder_scratch((char **)state, NULL);
}

static int remove_scratch(void **state)
{
    const int rc = pm_folder_remove(*state, NULL);
    free(*state);
    return rc;
}

#define in_scratch(test) cmocka_unit_test_setup_teardown(test, make_scratch, remove_scratch)

/* ---- shards ---------------------------------------------------------------------------------- */

static const char *const shard_variables[] = {
    "SLURM_ARRAY_TASK_ID",    "SLURM_ARRAY_TASK_MIN",
    "SLURM_ARRAY_TASK_STEP",  "SLURM_ARRAY_TASK_COUNT",
    "CI_NODE_INDEX",          "CI_NODE_TOTAL",
    "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT",
    "JOB_COMPLETION_INDEX",   "AWS_BATCH_JOB_ARRAY_INDEX",
    "SLURM_STEP_NUM_TASKS",   "SLURM_PROCID"};

/* Sets the variables in a text such as "A=1 B=2", and unsets all other shard variables. */
static void set_shard_variables(const char *variables)
{
    char *copy = pm_strdup(variables), *rest = copy;
    for (size_t i = 0; i < sizeof shard_variables / sizeof *shard_variables; i++)
        unsetenv(shard_variables[i]);
    for (char *word; (word = strsep(&rest, " "));) {
        char *value = strchr(word, '=');
        if (!value)
            continue;
        *value = '\0';
        setenv(word, value + 1, 1);
    }
    free(copy);
}

static const struct {
    const char *variables, *text;
    unsigned number, count; /* count 0: refused */
    const char *said;
} shard_texts[] = {
    {"", "1/1", 1, 1, NULL},
    {"", "3/8", 3, 8, NULL},
    {"", "10000/10000", 10000, 10000, NULL},
    {"", "0/8", 0, 0, "invalid --shard '0/8'"},
    {"", "9/8", 0, 0, "K from 1 to N"},
    {"", "1/10001", 0, 0, "at most 10000"},
    {"", "3", 0, 0, "give K/N"},
    {"", "3/", 0, 0, "give K/N"},
    {"", "/8", 0, 0, "give K/N"},
    {"", "-1/8", 0, 0, "give K/N"},
    {"", "1/8x", 0, 0, "give K/N"},
    {"", "99999999999/8", 0, 0, "give K/N"},
    {"", "automatic", 0, 0, "give K/N"},
    {"", "auto/", 0, 0, "give K/N"},
    {"", "auto", 0, 0, "no index and count in the environment"},
    {"", "auto/8", 0, 0, "no index in the environment"},
    {"SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=8", "auto", 5, 8, 0},
    {"SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=8", "auto", 1, 8, 0},
    {"SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_STEP=3 "
     "SLURM_ARRAY_TASK_COUNT=4",
     "auto", 3, 4, 0},
    {"SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_COUNT=2", "auto", 0, 0,
     "shard 3 of 2"},
    {"SLURM_ARRAY_TASK_ID=x SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=2", "auto", 0, 0,
     "cannot use SLURM_ARRAY_TASK_ID=x"},
    {"SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=4", "auto", 3, 4, NULL},
    {"SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=4", "auto/8", 3, 8, NULL},
    {"SLURM_PROCID=4 SLURM_STEP_NUM_TASKS=4", "auto", 0, 0, "cannot use SLURM_PROCID=4"},
    {"SLURM_STEP_NUM_TASKS=4", "auto", 0, 0, "cannot use SLURM_STEP_NUM_TASKS=4"},
    {"SLURM_STEP_NUM_TASKS=x", "auto", 0, 0, "cannot use SLURM_STEP_NUM_TASKS=x"},
    {"SLURM_PROCID=0", "auto", 0, 0, "no index and count"},
    {"SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1", "auto", 0, 0, "no index and count"},
    {"SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=10001", "auto", 0, 0, "the invalid shard 1 of 10001"},
    {"SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3 SLURM_PROCID=1 "
     "SLURM_STEP_NUM_TASKS=4",
     "auto", 6, 12, NULL},
    {"SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3 SLURM_PROCID=3 "
     "SLURM_STEP_NUM_TASKS=4",
     "auto/11", 0, 0, "shard 12 of 11"},
    {"CI_NODE_INDEX=1 CI_NODE_TOTAL=3", "auto", 1, 3, NULL},
    {"CI_NODE_INDEX=4 CI_NODE_TOTAL=3", "auto", 0, 0, "shard 4 of 3"},
    {"BUILDKITE_PARALLEL_JOB=0 BUILDKITE_PARALLEL_JOB_COUNT=3", "auto", 1, 3, NULL},
    {"JOB_COMPLETION_INDEX=2", "auto", 0, 0, "no index and count"},
    {"JOB_COMPLETION_INDEX=2", "auto/8", 3, 8, NULL},
    {"AWS_BATCH_JOB_ARRAY_INDEX=0", "auto/8", 1, 8, NULL},
    {"CI_NODE_INDEX=2 CI_NODE_TOTAL=3", "auto/8", 2, 8, NULL},
};

static void test_shard__texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shard_texts / sizeof *shard_texts; i++) {
        struct pm_shard shard;
        struct pm_error err = {{0}};
        set_shard_variables(shard_texts[i].variables);
        const int rc = pm_shard_parse(shard_texts[i].text, &shard, &err);
        if (rc != (shard_texts[i].count ? PM_OK : PM_EUSAGE))
            fail_msg("'%s' with '%s': %s", shard_texts[i].text, shard_texts[i].variables, err.text);
        if (shard_texts[i].said && !strstr(err.text, shard_texts[i].said))
            fail_msg("'%s' with '%s' says: %s", shard_texts[i].text, shard_texts[i].variables,
                     err.text);
        if (rc)
            continue;
        assert_int_equal(shard.number, shard_texts[i].number);
        assert_int_equal(shard.count, shard_texts[i].count);
    }
    set_shard_variables("");
}

static void test_shard__names_of_unlike_nodes(void **state)
{
    (void)state;
    char *second = pm_shard_apart("pytorch@cuda", 2), *first = pm_shard_apart("pytorch@cuda", 1);
    char *none = pm_shard_apart("", 2);
    assert_string_equal(second, "pytorch@cuda/2");
    assert_string_equal(first, "pytorch@cuda");
    assert_string_equal(none, "");
    assert_int_equal(pm_shard_typed(second), strlen("pytorch@cuda"));
    assert_int_equal(pm_shard_typed(first), strlen("pytorch@cuda"));
    free(second);
    free(first);
    free(none);
}

static void test_shard__of_a_name(void **state)
{
    (void)state;
    enum { NAMES = 7000, COUNT = 64 };
    unsigned in[COUNT] = {0};
    assert_int_equal(pm_shard_of("torch.argsort", 8), 2);
    assert_int_equal(pm_shard_of("jax.numpy.add", 512), 405);
    assert_int_equal(pm_shard_of("anything", 1), 1);
    for (unsigned i = 0; i < NAMES; i++) {
        char name[32];
        snprintf(name, sizeof name, "torch.function_%u", i);
        const unsigned shard = pm_shard_of(name, COUNT);
        assert_in_range(shard, 1, COUNT);
        in[shard - 1]++;
    }
    for (unsigned i = 0; i < COUNT; i++)
        assert_in_range(in[i], NAMES / COUNT * 6 / 10, NAMES / COUNT * 14 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shard__texts),
        cmocka_unit_test(test_shard__names_of_unlike_nodes),
        cmocka_unit_test(test_shard__of_a_name),
        cmocka_unit_test(test_error__texts),
        cmocka_unit_test(test_error__texts_are_one_printable_line),
        cmocka_unit_test(test_error__long_texts_are_cut),
        cmocka_unit_test(test_alloc__exhaustion_ends_with_status_3),
        cmocka_unit_test(test_alloc__helpers),
        cmocka_unit_test(test_str__grows_and_detaches),
        cmocka_unit_test(test_str__divides_a_text_into_its_fields),
        cmocka_unit_test(test_str__numbers),
        cmocka_unit_test(test_str__bytes),
        cmocka_unit_test(test_map__holds_many),
        cmocka_unit_test(test_json__parses_strictly),
        in_scratch(test_file__whole_or_not_at_all),
        in_scratch(test_file__former_one_stays_until_the_draft_is_finished),
        in_scratch(test_file__what_a_killed_process_left_is_removed),
        in_scratch(test_file__output_is_no_input),
        cmocka_unit_test(test_file__full_reads),
        in_scratch(test_folder__make_list_remove),
        in_scratch(test_folder__scratch_is_absolute),
        cmocka_unit_test(test_path__parts),
        cmocka_unit_test(test_path__data_folder),
        in_scratch(test_path__home_has_drivers),
        in_scratch(test_path__home_is_relative_to_the_program),
        in_scratch(test_user__lines_of_passwd),
        cmocka_unit_test(test_cpus__counts),
        in_scratch(test_cpus__load_is_no_more_than_what_runs),
        cmocka_unit_test(test_cpus__are_busy_above_half_of_the_cores),
        cmocka_unit_test(test_folder__free_bytes_are_those_of_the_nearest_folder),
        cmocka_unit_test(test_cpus__shares_are_equal_and_apart),
        cmocka_unit_test(test_clock__durations),
        cmocka_unit_test(test_clock__now),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
