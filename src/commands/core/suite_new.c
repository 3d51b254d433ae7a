/* pm_new_case_file(): writes a case file for a function, with a call that runs if one was found, as
 * a start for its author. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/line.h"
#include "core/core.h"
#include "environment/environment.h"

static void add_case(struct pm_str *text, const char *name, const char *call, const json_t *inputs)
{
    const char *input;
    json_t *specification;
    size_t count = 0;
    pm_str_addf(text, "  - name: %s\n    inputs: {", name);
    json_object_foreach((json_t *)(uintptr_t)inputs, input, specification)
        pm_str_addf(text, "%s%s: \"%s\"", count++ ? ", " : "", input,
                    json_string_value(specification));
    pm_str_addf(text, "}\n    call: %s\n", call);
}

static const char head[] = "# yaml-language-server: $schema=%s/data/case.schema.json\n"
                           "# A case runs `call` with `inputs` on a target and on its reference, "
                           "and compares the results.\n"
                           "# %s/docs/cases.md describes all keys.\n";
static const char hints[] =
    "    # fill in, if it applies: the expected value, and how values are compared\n"
    "    # expect: np.sort(x)\n"
    "    # compare: exact\n"
    "    # tolerance: {rtol: 1.0e-4, atol: 1.0e-5}\n";
static const char unknown[] =
    "few_core: \"fill in why there is only one case, or remove this line and add a second case\"\n"
    "cases:\n"
    "  # No call that runs was found: fill in the inputs and the arguments.\n";

/* Returns the text of the file: two core cases that run, or one to fill in. */
static char *write_text(const char *function, const json_t *draft, const char *home)
{
    static const char *const names[] = {"first", "another shape"};
    struct pm_str text = PM_STR_INIT, signature = PM_STR_INIT;
    const json_t *cases = json_object_get(draft, "cases"), *inputs;
    const char *call = pm_json_string(draft, "call", "");
    size_t i;
    pm_line_add(&signature, pm_json_string(draft, "signature", ""), 200);
    pm_str_addf(&text, head, home, home);
    if (signature.length)
        pm_str_addf(&text, "# %s%s\n", function, signature.data);
    pm_str_addf(&text, "function: %s\n", function);
    if (json_array_size(cases)) {
        pm_str_add(&text, "cases:\n");
        json_array_foreach(cases, i, inputs)
            add_case(&text, names[i < 2 ? i : 1], call, inputs);
    } else {
        json_t *guess = json_pack("{s:s}", "x", "float32[4,5] normal");
        pm_str_add(&text, unknown);
        add_case(&text, "first", call, guess);
        json_decref(guess);
    }
    pm_str_add(&text, hints);
    pm_str_release(&signature);
    return pm_str_detach(&text);
}

static int write_file(const char *path, const char *function, const json_t *draft,
                      struct pm_error *err)
{
    char *home;
    PM_TRY(pm_path_home(&home, err));
    char *text = write_text(function, draft, home);
    const int rc = pm_file_write(path, text, strlen(text), err);
    free(text);
    free(home);
    return rc;
}

static int refuse(const struct pm_framework *framework, const struct pm_environment *environment,
                  const char *function, const char *near, struct pm_error *err)
{
    if (*near)
        return pm_error_set(err, PM_EUSAGE, "%s %s has no function '%s': did you mean '%s'?",
                            framework->name, environment->version, function, near);
    return pm_error_set(err, PM_EUSAGE,
                        "%s %s has no function '%s': check the name, or add the interpreter of "
                        "another version with portmeter env add",
                        framework->name, environment->version, function);
}

static int draft_file(const struct pm_framework *framework, const char *function, const char *path,
                      bool unconfined, bool *runs, struct pm_error *err)
{
    struct pm_environments environments = {0};
    const struct pm_environment *environment;
    json_t *draft = NULL;
    PM_TRY(pm_environments_load(&environments, err));
    int rc = pm_environments_choose(&environments, framework->name, NULL, &environment, err);
    if (!rc)
        rc = pm_environment_draft(environment, function, unconfined, &draft, err);
    if (!rc && !pm_json_bool(draft, "found", false))
        rc = refuse(framework, environment, function, pm_json_string(draft, "near", ""), err);
    if (!rc)
        rc = write_file(path, function, draft, err);
    *runs = json_array_size(json_object_get(draft, "cases")) > 0;
    json_decref(draft);
    pm_environments_release(&environments);
    return rc;
}

int pm_new_case_file(const char *function, bool unconfined, char **path, bool *runs,
                     struct pm_error *err)
{
    const struct pm_framework *framework = pm_framework_of_function(function);
    *path = NULL;
    if (!framework || framework->purpose != PM_FRAMEWORK_STUDIED || strchr(function, '/') ||
        !strchr(function, '.'))
        return pm_error_set(
            err, PM_EUSAGE,
            "'%s' is not the qualified name of a function: write it as in %s.FUNCTION", function,
            pm_framework_module(pm_frameworks(NULL)));
    char *file = pm_format("%s.yaml", function);
    int rc = pm_path_exists(file)
                 ? pm_error_set(err, PM_EUSAGE,
                                "'%s' already exists: run portmeter suite run %s, or remove it",
                                file, file)
                 : draft_file(framework, function, file, unconfined, runs, err);
    if (rc)
        free(file);
    else
        *path = file;
    return rc;
}
