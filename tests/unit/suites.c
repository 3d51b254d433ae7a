/* Functions that the tests of case files share (suites.h). */
#include "suites.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"

int suites_enter(void **state)
{
    char *path = NULL;
    struct pm_error err = {""};
    if (pm_folder_scratch(&path, &err) || chdir(path))
        return -1;
    *state = path;
    return 0;
}

int suites_leave(void **state)
{
    struct pm_error err = {""};
    const int rc = chdir("/") || pm_folder_remove(*state, &err);
    free(*state);
    return rc;
}

void suites_write(const char *name, const char *text)
{
    struct pm_error err = {""};
    assert_int_equal(pm_file_write(name, text, strlen(text), &err), PM_OK);
}

const struct pm_case_words suites_words = {
    .requirements = {(const char *const[]){"cuda", "two devices"}, 2},
    .bound = {(const char *const[]){"np", "scipy"}, 2},
    .defaults =
        (const struct pm_default_dtypes[]){
            {"pytorch", {(const char *const[]){"float32", "int64", "bool"}, 3}},
            {"tensorflow", {(const char *const[]){"float32", "int32", "bool"}, 3}},
            {"jax", {(const char *const[]){"float32", "int32", "bool"}, 3}}},
    .default_count = 3,
};

int suites_load(struct pm_suite *suite, struct pm_error *err, const char *path)
{
    return pm_suite_load(suite, "pytorch", &suites_words, &path, 1, err);
}

void suites_load_text(struct pm_suite *suite, const char *text)
{
    struct pm_error err = {""};
    suites_write("f.yaml", text);
    if (suites_load(suite, &err, "f.yaml"))
        fail_msg("%s", err.text);
}
