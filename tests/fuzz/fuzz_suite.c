/*
 * Feeds a case file, whose function must be named 'f', or which must have planted faults. It is
 * loaded, or refused with one line that begins with its name. A loaded file must be complete and
 * convertible to JSON.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "fuzz.h"
#include "suite/suite.h"

static const struct pm_case_words words = {
    .requirements = {(const char *const[]){"cuda", "two devices"}, 2},
    .bound = {(const char *const[]){"np", "scipy"}, 2},
};

static char *folder, *case_file;

static void remove_folder(void)
{
    (void)!pm_folder_remove(folder, NULL);
    free(folder);
    free(case_file);
}

/* Writes the input to a file, because suites are read from files; its folder is removed at the end.
 */
static void write_input(const uint8_t *data, size_t size)
{
    struct pm_error err;
    if (!folder) {
        if (pm_folder_scratch(&folder, &err))
            fuzz_wrong("%s", err.text);
        case_file = pm_path_join(folder, "f.yaml");
        atexit(remove_folder);
    }
    FILE *file = fopen(case_file, "w"); /* pm_file_write() would wait for the disk */
    if (!file || fwrite(data, 1, size, file) != size || fclose(file))
        fuzz_wrong("cannot write '%s'", case_file);
}

static void check_inputs(const struct pm_case *c)
{
    struct pm_input_spec spec;
    struct pm_error err;
    const size_t shapes = c->shape_count ? c->shape_count : 1;
    for (size_t i = 0; i < c->input_count; i++) {
        if (c->inputs[i].is_literal != (c->inputs[i].literal != NULL))
            fuzz_wrong("a literal without a value, or a value without one");
        for (size_t k = 0; k < shapes && !c->inputs[i].is_literal; k++)
            if (pm_suite_input(c, i, k, &spec, &err))
                fuzz_wrong("an input that was accepted is refused: %s", err.text);
    }
}

static void check_tolerance(const json_t *tolerance)
{
    const double rtol = pm_json_real(tolerance, "rtol", 0),
                 atol = pm_json_real(tolerance, "atol", 0);
    const char *key;
    json_t *part;
    if (!(rtol >= 0 && atol >= 0 && isfinite(rtol + atol)))
        fuzz_wrong("a tolerance that is not a tolerance");
    json_object_foreach((json_t *)(uintptr_t)tolerance, key, part)
        if (json_is_object(part))
            check_tolerance(part);
}

static void check_case(const struct pm_case *c)
{
    if (!c->name || !c->call || !c->output || !c->function)
        fuzz_wrong("a case without a name, a call, an output or a function");
    check_tolerance(c->tolerance);
    check_inputs(c);
    (void)pm_case_in_version(c, "2.13.0+cpu");
    json_t *json = pm_case_json(c);
    char *text = pm_json_text(json);
    free(text);
    json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pm_suite suite;
    struct pm_error err = {""};
    write_input(data, size);
    const char *path = case_file;
    if (pm_suite_load(&suite, "pytorch", &words, &path, 1, &err)) {
        fuzz_check_error(&err);
        if (!pm_starts_with(err.text, case_file))
            fuzz_wrong("an error that does not say where: %s", err.text);
        return 0;
    }
    if (suite.function_count != 1 || suite.case_count != suite.functions[0].case_count)
        fuzz_wrong("%zu functions, %zu cases", suite.function_count, suite.case_count);
    for (size_t i = 0; i < suite.case_count; i++)
        check_case(&suite.cases[i]);
    pm_suite_release(&suite);
    return 0;
}
