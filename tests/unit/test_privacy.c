/* Tests of hiding the names of users and hosts in texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/privacy.h"
#include "base/random.h"

static const struct pm_privacy_names ALICE = {
    .homes = {"/home/alice/"}, .users = {"alice"}, .hosts = {"turing.example.org"}};

/* A text, and the text that is stored. */
struct row {
    const char *text, *stored;
};

static char *hidden(const struct pm_privacy_names *names, const char *text)
{
    struct pm_str out = PM_STR_INIT;
    struct pm_privacy *privacy = pm_privacy_new(names);
    const bool changed = pm_privacy_hide(privacy, text, strlen(text), &out);
    pm_privacy_free(privacy);
    if (!changed)
        assert_int_equal(out.length, 0);
    return changed ? pm_str_detach(&out) : pm_strdup(text);
}

static void check(const struct pm_privacy_names *names, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *once = hidden(names, rows[i].text), *twice = hidden(names, once);
        assert_string_equal(once, rows[i].stored);
        assert_string_equal(twice, once);
        free(once);
        free(twice);
    }
}
#define CHECK(names, rows) check(names, rows, sizeof(rows) / sizeof *(rows))

static void test_home_folders(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"open '/home/alice/x.so'", "open '~/x.so'"},
        {"/home/alice", "~"},
        {"in /home/alice.", "in ~."},
        {"/home/bob/y /Users/Eve/z", "~/y ~/z"},
        {"/home/j\xc3\xb6rg.k/y", "~/y"},
        {"\xe2\x80\x98/home/bob\xe2\x80\x99", "\xe2\x80\x98~\xe2\x80\x99"},
        {"in /root: /rooted /root-fs /mnt/root", "in ~: /rooted /root-fs /mnt/root"},
        {"-I/home/alice/include", "-I/home/user/include"},
        {"-I/home/bob/include", "-I/home/user/include"},
        {"/export/home/bob/x", "/export/home/user/x"},
        {"file:///home/alice/x", "file://~/x"},
        {"HOME=/home/alice:/home/bob", "HOME=~:~"},
        {"/home/ /home /home/../x", "/home/ /home /home/../x"},
        {"/home/alice/home/alice/x", "~/home/user/x"},
    };
    CHECK(&ALICE, rows);
}

/* portmeter runs only on Linux, but messages of programs built elsewhere are stored, too. */
static void test_home_folders_of_windows(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"C:\\Users\\bob", "C:\\Users\\user"},
        {"'C:\\Users\\bob.k\\x.dll'", "'C:\\Users\\user\\x.dll'"},
        {"c:\\\\users\\\\ALICES~1\\\\x", "c:\\\\users\\\\user\\\\x"},
        {"D:\\Users\\Eve Smith\\x", "D:\\Users\\user\\x"},
        {"C:\\Users\\bob is not there", "C:\\Users\\user is not there"},
        {"C:\\Users\\bob is in D:\\x", "C:\\Users\\user is in D:\\x"},
        {"C:/Users/bob/x", "C:/Users/user/x"},
        {"file:///C:/Users/bob/x", "file:///C:/Users/user/x"},
        {"C:\\Users C:\\Users\\ C:\\UsersOld\\x", "C:\\Users C:\\Users\\ C:\\UsersOld\\x"},
        {"a\\nUsers\\nbob", "a\\nUsers\\nbob"},
    };
    CHECK(&ALICE, rows);
}

static void test_homes_elsewhere(void **state)
{
    (void)state;
    static const struct pm_privacy_names plain = {.homes = {"/srv/alice"}},
                                         deep = {.homes = {"/home/physics/alice"}},
                                         shallow = {.homes = {"/workspace"}},
                                         none = {.homes = {"/", "", "alice", "//"}};
    static const struct row of_plain[] = {{"/srv/alice/x", "~/x"},
                                          {"-L/srv/alice/x", "-L/home/user/x"},
                                          {"/srv/alice2/x /srv/alice-old", "/srv/alice2/x "
                                                                           "/srv/alice-old"},
                                          {"alice", "alice"}};
    static const struct row of_deep[] = {{"/home/physics/alice/x", "~/x"},
                                         {"/home/physics/bob/x", "~/x"},
                                         {"/tmp/pytest-of-alice/x", "/tmp/pytest-of-user/x"}};
    static const struct row of_shallow[] = {{"/workspace/x", "~/x"},
                                            {"/mnt/workspace/x", "/mnt/workspace/x"},
                                            {"workspace", "workspace"}};
    static const struct row of_none[] = {{"alice / // x", "alice / // x"}};
    CHECK(&plain, of_plain);
    CHECK(&deep, of_deep);
    CHECK(&shallow, of_shallow);
    CHECK(&none, of_none);
}

static void test_users(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"by alice on x", "by user on x"},
        {"/tmp/torchinductor_alice/x", "/tmp/torchinductor_user/x"},
        {"/tmp/pytest-of-alice/y", "/tmp/pytest-of-user/y"},
        {"/data/alice_runs/z", "/data/user_runs/z"},
        {"/srv/alice/w", "/srv/user/w"},
        {"alice's alice. (alice) alice", "user's user. (user) user"},
        {"/data/alice.old pkg.alice.Net", "/data/user.old pkg.user.Net"},
        {"malice palicetta alice2 2alice alices", "malice palicetta alice2 2alice alices"},
        {"Alice ALICE 'ALICE' x, ALICE", "Alice ALICE 'ALICE' x, ALICE"},
        {"/data/ALICE/x /tmp/x_Alice", "/data/user/x /tmp/x_user"},
        {"D:\\work\\ALICE\\x", "D:\\work\\user\\x"},
        {"/data/MALICE /data/x ALICE", "/data/MALICE /data/x ALICE"},
        {"alice@turing", "user@host"},
        {"'a\\nalice' 'a\\talice' 'aalice'", "'a\\nuser' 'a\\tuser' 'aalice'"},
        {"\033[1malice\033[0m \033[31;1malice", "\033[1muser\033[0m \033[31;1muser"},
        {"\xe2\x80\x9c"
         "alice\xe2\x80\x9d alice\xe2\x80\x99s \xc2\xab"
         "alice\xc2\xbb",
         "\xe2\x80\x9cuser\xe2\x80\x9d user\xe2\x80\x99s \xc2\xabuser\xc2\xbb"},
        {"alice\xc3\xa9 \xc3\xa9"
         "alice",
         "alice\xc3\xa9 \xc3\xa9"
         "alice"},
        {"", ""},
    };
    CHECK(&ALICE, rows);
}

static void test_hosts(void **state)
{
    (void)state;
    static const struct pm_privacy_names laptop = {.users = {"alice"}, .hosts = {"alice-laptop"}},
                                         node = {.hosts = {"node7.cluster.example.org"}};
    static const struct row rows[] = {
        {"on turing:80 in turing.example.org, TURING.Example.ORG.", "on host:80 in host, host."},
        {"turing.other.org/x", "host/x"},
        {"core.turing.123 cturing turings", "core.host cturing turings"},
    };
    static const struct row of_laptop[] = {{"alice-laptop alice-desktop", "host user-desktop"}};
    static const struct row of_node[] = {{"node7 node7.cluster.example.org", "node7 host"}};
    CHECK(&ALICE, rows);
    CHECK(&laptop, of_laptop);
    CHECK(&node, of_node);
}

/* Names that are also common words are replaced only in paths of home folders. */
static void test_names_that_say_nothing(void **state)
{
    (void)state;
    static const struct pm_privacy_names common = {
        .homes = {"/home/max"},
        .users = {"al", "max", "Linear", "test", "root", "user", "data", "torch", "worker3", "42"},
        .hosts = {"localhost", "gpu0", "localhost.localdomain", "x1"}};
    static const struct row rows[] = {
        {"torch.max(x, test) of root's data_user on localhost gpu0 x1 Linear 42 worker3 al",
         "torch.max(x, test) of root's data_user on localhost gpu0 x1 Linear 42 worker3 al"},
        {"/tmp/torchinductor_max/x localhost.localdomain",
         "/tmp/torchinductor_max/x localhost.localdomain"},
        {"/home/max/x /home/al/y /home/test", "~/x ~/y ~"}};
    CHECK(&common, rows);
}

static void test_unusual_names(void **state)
{
    (void)state;
    static const struct pm_privacy_names unusual = {
        .users = {"j\xc3\xb6rg", "a.b+c*[d]", "svc$", "%s%n",
                  "\xe6\x9d\x8e\xe5\xb0\x8f\xe9\xbe\x99"},
        .hosts = {""}};
    static const struct row rows[] = {
        {"/tmp/x_j\xc3\xb6rg/y j\xc3\xb6rgen", "/tmp/x_user/y j\xc3\xb6rgen"},
        {"/tmp/a.b+c*[d]/y axb+c", "/tmp/user/y axb+c"},
        {"of svc$ svc", "of user svc"},
        {"100%s%n", "100%s%n"},
        {"100 %s%n", "100 user"},
        {"\xe6\x9d\x8e\xe5\xb0\x8f\xe9\xbe\x99/x", "user/x"}};
    CHECK(&unusual, rows);
}

static void assert_json(const char *text, const char *stored)
{
    struct pm_str out = PM_STR_INIT;
    struct pm_privacy *privacy = pm_privacy_new(&ALICE);
    if (!pm_privacy_hide_json(privacy, text, strlen(text), &out))
        pm_str_add(&out, text);
    assert_string_equal(out.data, stored);
    pm_str_release(&out);
    pm_privacy_free(privacy);
}

static void test_json(void **state)
{
    (void)state;
    assert_json("{\"m\":\"in /home/alice\",\"n\":0.1}", "{\"m\":\"in ~\",\"n\":0.1}");
    assert_json("{\"m\":\"a\\nalice \\u00e9 \\\"alice\\\"\",\"n\":1e300}",
                "{\"m\":\"a\\nuser \xc3\xa9 \\\"user\\\"\",\"n\":1e300}");
    assert_json("[\"\\/home\\/alice\\/x\", \"b\\u0000 alice\"]", "[\"~/x\", \"b\\u0000 user\"]");
    assert_json("{\"alice\" : \"alice\"}", "{\"alice\" : \"user\"}");
    assert_json("[1.10, \"\\\\\", \"x\\ny\", 12345678901234567890]",
                "[1.10, \"\\\\\", \"x\\ny\", 12345678901234567890]");
    assert_json("\"alice\"", "\"user\"");
    assert_json("", "");
    assert_json("\"alice", "\"alice"); /* no JSON */
}

/* In texts of random pieces, a name may stay only where a letter touches it. */
static void test_any_text(void **state)
{
    (void)state;
    static const char *const pieces[] = {"alice",
                                         "turing",
                                         "/home/",
                                         "/Users/",
                                         "/root",
                                         "~",
                                         ".",
                                         "_",
                                         "-",
                                         "/",
                                         " ",
                                         "m",
                                         "2",
                                         "\xc3\xa9",
                                         "'",
                                         "\\n",
                                         "home",
                                         "user",
                                         "host",
                                         "bob",
                                         ":",
                                         "=",
                                         "-I",
                                         "\"",
                                         "\xe2\x80\x99",
                                         "/export",
                                         ".example.org",
                                         "ALICE",
                                         "C:",
                                         "\\Users\\"};
    struct pm_random random;
    pm_random_init(&random, "privacy", 1);
    for (int round = 0; round < 20000; round++) {
        struct pm_str text = PM_STR_INIT;
        for (uint64_t n = 1 + pm_random_below(&random, 8); n; n--)
            pm_str_add(&text, pieces[pm_random_below(&random, sizeof pieces / sizeof *pieces)]);
        char *once = hidden(&ALICE, text.data), *twice = hidden(&ALICE, once);
        if (strcmp(once, twice) != 0)
            fail_msg("'%s' becomes '%s', then '%s'", text.data, once, twice);
        for (const char *at = once; (at = strstr(at, "alice")); at++) {
            const unsigned char before = at > once ? (unsigned char)at[-1] : ' ';
            const unsigned char after = (unsigned char)at[5];
            if (!isalnum(before) && before < 0x80 && !isalnum(after) && after < 0x80)
                fail_msg("'%s' becomes '%s'", text.data, once);
        }
        free(once);
        free(twice);
        pm_str_release(&text);
    }
}

static void test_the_names_of_this_process(void **state)
{
    (void)state;
    setenv("HOME", "/srv/homes/own_name", 1);
    setenv("USER", "name_of_user", 1);
    setenv("LOGNAME", "name_of_login", 1);
    setenv("SUDO_USER", "name_before_sudo", 1);
    char *text = pm_privacy_hidden("/srv/homes/own_name/x name_of_user own_name "
                                   "name_of_login x-name_before_sudo");
    assert_string_equal(text, "~/x user user user x-user");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_home_folders),    cmocka_unit_test(test_home_folders_of_windows),
        cmocka_unit_test(test_homes_elsewhere), cmocka_unit_test(test_users),
        cmocka_unit_test(test_hosts),           cmocka_unit_test(test_names_that_say_nothing),
        cmocka_unit_test(test_unusual_names),   cmocka_unit_test(test_json),
        cmocka_unit_test(test_any_text),        cmocka_unit_test(test_the_names_of_this_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
