/*
 * The environments of this machine. Created and added ones have a file
 * <data>/environments/NAME/environment.json; for each other framework, an interpreter is searched.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/stop.h"
#include "environment/environment_private.h"

static const char marker_name[] = "environment.json";

PM_WORDS_DEFINE(origin, PM_ORIGINS, PM_ORIGIN);

static int environments_folder(char **out, struct pm_error *err)
{
    char *data;
    PM_TRY(pm_path_data(&data, err));
    *out = pm_path_join(data, "environments");
    free(data);
    return PM_OK;
}

int pm_environment__folder(const char *name, char **out, struct pm_error *err)
{
    char *parent;
    PM_TRY(environments_folder(&parent, err));
    *out = pm_path_join(parent, name);
    free(parent);
    return PM_OK;
}

void pm_environment__marker_read(const char *folder, json_t **out)
{
    struct pm_str text = PM_STR_INIT;
    char *path = pm_path_join(folder, marker_name);
    *out = NULL;
    if (pm_file_read(path, &text, NULL) || pm_json_parse(text.data, text.length, out, NULL))
        *out = NULL;
    if (*out && !json_is_object(*out)) {
        json_decref(*out);
        *out = NULL;
    }
    pm_str_release(&text);
    free(path);
}

enum pm_origin pm_environment__marker_origin(const json_t *marker)
{
    enum pm_origin origin = PM_ORIGIN_FOUND;
    (void)pm_origin_parse(pm_json_string(marker, "origin", ""), &origin);
    return origin;
}

int pm_environment__marker_write(const char *folder, const json_t *marker, struct pm_error *err)
{
    char *text = pm_json_text(marker), *path = pm_path_join(folder, marker_name);
    int rc = pm_folder_make(folder, err);
    if (!rc)
        rc = pm_file_write(path, text, strlen(text), err);
    free(path);
    free(text);
    return rc;
}

/* Waits in small steps: a blocking flock() could not notice that the user stops the command. */
static int wait_for_lock(int fd, const char *path, struct pm_error *err)
{
    const uint64_t step_ns = 100000000;
    while (flock(fd, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return pm_error_errno(err, "cannot lock '%s'", path);
        PM_TRY(pm_stop_sleep(step_ns, err));
    }
    return PM_OK;
}

int pm_environment__lock(const char *name, pm_say_fn *say, void *ctx, int *fd, struct pm_error *err)
{
    char *parent, *path;
    int rc = environments_folder(&parent, err);
    if (rc)
        return rc;
    path = pm_format("%s/.%s.lock", parent, name);
    rc = pm_folder_make(parent, err);
    *fd = rc ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (!rc && *fd < 0)
        rc = pm_error_errno(err, "cannot open '%s'", path);
    if (!rc && flock(*fd, LOCK_EX | LOCK_NB)) {
        char *line = pm_format(
            "%s: waiting for another process that creates or removes this environment", name);
        if (say)
            say(ctx, line);
        free(line);
        rc = wait_for_lock(*fd, path, err);
    }
    if (rc && *fd >= 0)
        close(*fd);
    free(path);
    free(parent);
    return rc;
}

static void push(struct pm_environments *list, const char *name, const char *framework,
                 const char *python, const char *version, enum pm_origin origin)
{
    PM_GROW(list->items, list->count, list->capacity);
    list->items[list->count++] = (struct pm_environment){
        .name = pm_strdup(name),
        .framework = pm_strdup(framework),
        .python = pm_strdup(python),
        .version = pm_strdup(version ? version : ""),
        .origin = origin,
        .imports = pm_strdup(""),
    };
}

/* Loads an environment. A created environment whose Python no longer exists counts as missing, so
 * that it can be created again. An added one stays in the list, and the probe reports what is
 * wrong. */
static void load_one(struct pm_environments *out, struct pm_environment__looks *looks,
                     const char *folder, const char *name)
{
    json_t *marker;
    pm_environment__marker_read(folder, &marker);
    const struct pm_framework *framework =
        pm_framework_find(pm_json_string(marker, "framework", ""));
    if (framework) {
        const bool made = pm_environment__marker_origin(marker) == PM_ORIGIN_MADE;
        char *python = made ? pm_path_join(folder, "bin/python")
                            : pm_strdup(pm_json_string(marker, "python", ""));
        const char *version =
            pm_environment__look_version(pm_environment__look(looks, python), framework);
        if (version || !made) {
            push(out, name, framework->name, python, version,
                 made ? PM_ORIGIN_MADE : PM_ORIGIN_ADDED);
            free(out->items[out->count - 1].imports);
            out->items[out->count - 1].imports = pm_strdup(pm_json_string(marker, "imports", ""));
        }
        free(python);
    }
    json_decref(marker);
}

static int load_registered(struct pm_environments *out, struct pm_environment__looks *looks,
                           struct pm_error *err)
{
    char *parent, **names;
    size_t count;
    PM_TRY(environments_folder(&parent, err));
    int rc = PM_OK;
    if (pm_path_is_folder(parent) && !(rc = pm_folder_list(parent, &names, &count, err))) {
        for (size_t i = 0; i < count; i++) {
            char *folder = pm_path_join(parent, names[i]);
            if (pm_environment__is_name(names[i]) && pm_path_is_folder(folder))
                load_one(out, looks, folder, names[i]);
            free(folder);
        }
        pm_free_strings(names, count);
    }
    free(parent);
    return rc;
}

static bool try_interpreter(struct pm_environments *out, struct pm_environment__looks *looks,
                            const struct pm_framework *framework, const char *path)
{
    const json_t *look = pm_environment__look(looks, path);
    const char *version = pm_environment__look_version(look, framework);
    if (!version)
        return false;
    push(out, framework->name, framework->name, pm_json_string(look, "executable", path), version,
         PM_ORIGIN_FOUND);
    return true;
}

/* Finds the interpreter of a framework. The null framework works in any Python and uses the
 * system's, which is not a shim. For the others, the environments of other frameworks come first
 * (PyTorch's may have NumPy and SciPy). */
static void find_interpreter(struct pm_environments *out, struct pm_environment__looks *looks,
                             const struct pm_framework *framework)
{
    bool found =
        !framework->modules[0] && try_interpreter(out, looks, framework, "/usr/bin/python3");
    for (size_t i = 0; i < out->count && !found; i++) {
        if (strcmp(out->items[i].framework, framework->name) == 0)
            continue;                                   /* pytorch-xla cannot replace pytorch */
        char *python = pm_strdup(out->items[i].python); /* the list may move */
        found = try_interpreter(out, looks, framework, python);
        free(python);
    }
    if (found)
        return;
    char **candidates;
    size_t count;
    pm_environment__candidates(&candidates, &count);
    for (size_t i = 0; i < count && !found; i++)
        found = try_interpreter(out, looks, framework, candidates[i]);
    pm_free_strings(candidates, count);
}

/* Frameworks without devices are skipped: the search may start every interpreter on PATH. */
int pm_environments_load(struct pm_environments *out, struct pm_error *err)
{
    struct pm_environment__looks looks;
    size_t count;
    const struct pm_framework *frameworks = pm_frameworks(&count);
    *out = (struct pm_environments){0};
    PM_TRY(pm_environment__looks_open(&looks, err));
    int rc = load_registered(out, &looks, err);
    for (size_t i = 0; i < count && !rc; i++)
        if (frameworks[i].device_count && !pm_environments_find(out, frameworks[i].name))
            find_interpreter(out, &looks, &frameworks[i]);
    pm_environment__looks_close(&looks);
    if (!rc)
        rc = pm_stop_check(err); /* after a stop, the list may be incomplete */
    if (rc)
        pm_environments_release(out);
    return rc;
}

const struct pm_environment *pm_environments_find(const struct pm_environments *list,
                                                  const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return &list->items[i];
    return NULL;
}

void pm_environments_release(struct pm_environments *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].name);
        free(list->items[i].framework);
        free(list->items[i].python);
        free(list->items[i].version);
        free(list->items[i].imports);
    }
    free(list->items);
    *list = (struct pm_environments){0};
}

static int lacks_modules(const char *python, const struct pm_framework *framework,
                         struct pm_error *err)
{
    char *modules = pm_framework_modules(framework);
    const int rc =
        pm_error_set(err, PM_ENOTFOUND,
                     "'%s' cannot import %s: install what is missing, or name another interpreter",
                     python, modules);
    free(modules);
    return rc;
}

/* Checks an interpreter, and finds its executable, because a shim could choose another one each
 * time. The caller frees *executable. */
static int check_interpreter(const char *python, const struct pm_framework *framework,
                             char **executable, struct pm_error *err)
{
    struct pm_environment__looks looks;
    const bool is_folder = pm_path_is_folder(python);
    char *path = is_folder ? pm_path_join(python, "bin/python") : pm_strdup(python);
    char *program = pm_environment__program(path);
    int rc;
    free(path);
    if (!program && is_folder)
        return pm_error_set(err, PM_EUSAGE,
                            "'%s' has no bin/python: name the folder of a virtual or conda "
                            "environment, or an interpreter",
                            python);
    if (!program)
        return pm_error_set(err, PM_EUSAGE,
                            "cannot find the program '%s': give the path of a Python interpreter",
                            python);
    rc = pm_environment__looks_open(&looks, err);
    if (!rc) {
        const json_t *look = pm_environment__look(&looks, program);
        if ((rc = pm_stop_check(err)) == PM_OK && !look)
            rc = pm_error_set(
                err, PM_EUSAGE,
                "'%s' is not Python 3.9 or newer: give the path of a Python interpreter", python);
        else if (!rc && !pm_environment__look_version(look, framework))
            rc = lacks_modules(python, framework, err);
        else if (!rc)
            *executable = pm_strdup(pm_json_string(look, "executable", program));
        pm_environment__looks_close(&looks);
    }
    free(program);
    return rc;
}

static int register_environment(const char *name, const char *framework, const char *executable,
                                const char *imports, struct pm_error *err)
{
    char *folder;
    json_t *marker;
    PM_TRY(pm_environment__folder(name, &folder, err));
    pm_environment__marker_read(folder, &marker);
    int rc = PM_OK;
    if (pm_environment__marker_origin(marker) == PM_ORIGIN_MADE)
        rc = pm_error_set(err, PM_EUSAGE,
                          "environment '%s' was created by portmeter: use another --name, or run "
                          "portmeter env remove %s first",
                          name, name);
    json_decref(marker);
    if (!rc)
        rc = pm_folder_remove(folder, err); /* an incomplete or an added environment */
    if (!rc) {
        marker = json_pack("{s:i,s:s,s:s,s:s,s:s}", "schema", 1, "origin",
                           pm_origin_text(PM_ORIGIN_ADDED), "framework", framework, "python",
                           executable, "imports", imports);
        rc = pm_environment__marker_write(folder, marker, err);
        json_decref(marker);
    }
    free(folder);
    return rc;
}

/* Returns whether the text is the name of a module, as in `import a.b`. */
static bool is_module(const char *text)
{
    for (bool begins = true; *text; text++) {
        if (begins ? !isalpha((unsigned char)*text) && *text != '_'
                   : !isalnum((unsigned char)*text) && *text != '_' && *text != '.')
            return false;
        begins = *text == '.';
        if (begins && !text[1])
            return false;
    }
    return true;
}

/* Joins the modules as in "a,b.c"; the caller frees *out. */
static int join_imports(const char *const *imports, size_t count, char **out, struct pm_error *err)
{
    struct pm_str list = PM_STR_INIT;
    for (size_t i = 0; i < count; i++) {
        if (!*imports[i] || !is_module(imports[i])) {
            pm_str_release(&list);
            return pm_error_set(err, PM_EUSAGE,
                                "invalid --import '%s': give the name of a module, such as "
                                "my_backend",
                                imports[i]);
        }
        pm_str_addf(&list, "%s%s", i ? "," : "", imports[i]);
    }
    *out = pm_str_detach(&list);
    return PM_OK;
}

int pm_environment_add(const char *name, const char *framework, const char *python,
                       const char *const *imports, size_t import_count, struct pm_error *err)
{
    const struct pm_framework *known;
    char *executable = NULL, *modules = NULL;
    int fd, rc;
    if (!pm_environment__is_name(name))
        return pm_error_set(
            err, PM_EUSAGE,
            "invalid environment name '%s': use up to 64 letters, digits, '.', '_' and "
            "'-', starting with a letter or digit",
            name);
    PM_TRY(pm_framework_need(framework, &known, err));
    PM_TRY(join_imports(imports, import_count, &modules, err));
    rc = check_interpreter(python, known, &executable, err);
    if (!rc)
        rc = pm_environment__lock(name, NULL, NULL, &fd, err);
    if (!rc) {
        rc = register_environment(name, framework, executable, modules, err);
        close(fd);
    }
    free(executable);
    free(modules);
    return rc;
}

int pm_environment_may_exist(const char *name, bool *out, struct pm_error *err)
{
    char *folder;
    *out = pm_framework_find(name) != NULL;
    if (*out || !pm_environment__is_name(name))
        return PM_OK;
    PM_TRY(pm_environment__folder(name, &folder, err));
    *out = pm_path_is_folder(folder);
    free(folder);
    return PM_OK;
}

void pm_environment_names(pm_name_fn *take, void *ctx)
{
    char *parent, **names = NULL;
    size_t count = 0, frameworks;
    const struct pm_framework *table = pm_frameworks(&frameworks);
    if (environments_folder(&parent, NULL))
        return;
    if (pm_path_is_folder(parent) && pm_folder_list(parent, &names, &count, NULL))
        count = 0;
    for (size_t i = 0; i < count; i++)
        if (pm_environment__is_name(names[i]))
            take(ctx, names[i]);
    for (size_t i = 0; i < frameworks; i++)
        take(ctx, table[i].name);
    pm_free_strings(names, count);
    free(parent);
}

struct names {
    char **items;
    size_t count, capacity;
};

static void keep_name(void *ctx, const char *name)
{
    struct names *names = ctx;
    PM_GROW(names->items, names->count, names->capacity);
    names->items[names->count++] = pm_strdup(name);
}

char *pm_environment_nearest(const char *name)
{
    struct names names = {0};
    pm_environment_names(keep_name, &names);
    const char *nearest = pm_nearest(name, (const char *const *)names.items, names.count);
    char *found = nearest ? pm_strdup(nearest) : NULL;
    pm_free_strings(names.items, names.count);
    return found;
}

int pm_environment_missing(const char *name, struct pm_error *err)
{
    char *nearest = pm_environment_nearest(name);
    const int rc =
        nearest
            ? pm_error_set(err, PM_EUSAGE, "environment '%s' does not exist: did you mean '%s'?",
                           name, nearest)
            : pm_error_set(err, PM_EUSAGE,
                           "environment '%s' does not exist: portmeter env list shows all", name);
    free(nearest);
    return rc;
}

int pm_environment_missing_for(const struct pm_target *target, const char *text,
                               struct pm_error *err)
{
    const char *name = target->environment;
    if (pm_recipe_find(name, NULL))
        return pm_error_set(err, PM_ENOTFOUND,
                            "target '%s' needs environment '%s', which does not exist: run "
                            "portmeter env create %s, or portmeter env add %s PYTHON",
                            text, name, name, target->framework);
    char *nearest = pm_environment_nearest(name);
    const int rc =
        nearest ? pm_error_set(err, PM_EUSAGE,
                               "target '%s' needs environment '%s', which does not exist: did you "
                               "mean '%s'?",
                               text, name, nearest)
                : pm_error_set(err, PM_EUSAGE,
                               "target '%s' needs environment '%s', which does not exist: "
                               "portmeter env list shows all, and portmeter env add %s PYTHON "
                               "--name %s adds it",
                               text, name, target->framework, name);
    free(nearest);
    return rc;
}

static int no_environment(const char *framework, struct pm_error *err)
{
    return pm_recipe_find(framework, NULL)
               ? pm_error_set(err, PM_ENOTFOUND,
                              "no environment has '%s': run portmeter env create %s", framework,
                              framework)
               : pm_error_set(err, PM_ENOTFOUND,
                              "no environment has '%s': add one with portmeter env add %s PYTHON",
                              framework, framework);
}

int pm_environments_choose(const struct pm_environments *list, const char *framework,
                           const char *name, const struct pm_environment **out,
                           struct pm_error *err)
{
    *out = pm_environments_find(list, name ? name : framework);
    if (name && !*out)
        return pm_environment_missing(name, err);
    if (name && strcmp((*out)->framework, framework) != 0)
        return pm_error_set(
            err, PM_EUSAGE,
            "environment '%s' has framework '%s' instead of '%s': name another --environment", name,
            (*out)->framework, framework);
    if (*out && strcmp((*out)->framework, framework) == 0)
        return PM_OK;
    *out = NULL;
    for (size_t i = 0; i < list->count && !*out; i++)
        if (strcmp(list->items[i].framework, framework) == 0)
            *out = &list->items[i];
    return *out ? PM_OK : no_environment(framework, err);
}

/* Reports that an environment cannot be removed. Searches interpreters, which takes seconds, only
 * if the name is that of a framework. */
static int refuse_missing(const char *name, struct pm_error *err)
{
    struct pm_environments list = {0};
    if (pm_framework_find(name))
        PM_TRY(pm_environments_load(&list, err));
    const struct pm_environment *found = pm_environments_find(&list, name);
    const int rc =
        found
            ? pm_error_set(err, PM_EUSAGE,
                           "cannot remove environment '%s', which is the interpreter '%s' of this "
                           "machine: name an environment that you created or added with "
                           "portmeter env",
                           name, found->python)
            : pm_environment_missing(name, err);
    pm_environments_release(&list);
    return rc;
}

int pm_environment_remove(const char *name, struct pm_error *err)
{
    char *folder;
    int fd, rc;
    if (!pm_environment__is_name(name))
        return pm_environment_missing(name, err);
    PM_TRY(pm_environment__folder(name, &folder, err));
    if (!pm_path_is_folder(folder)) {
        free(folder);
        return refuse_missing(name, err);
    }
    rc = pm_environment__lock(name, NULL, NULL, &fd, err);
    if (!rc) {
        /* Marker first: an interrupted removal then leaves an incomplete environment, not a broken
         * one. */
        char *marker = pm_path_join(folder, marker_name);
        unlink(marker);
        rc = pm_folder_remove(folder, err);
        free(marker);
        close(fd);
    }
    free(folder);
    return rc;
}
