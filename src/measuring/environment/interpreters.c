/*
 * Remembers facts about interpreters. An unchanged interpreter (its file, the folders on its
 * sys.path, PYTHONPATH) is not started again. A script that chooses an interpreter, such as the
 * shim of a version manager, is started once by each command, because its choice can change.
 */
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/stop.h"
#include "environment/environment_private.h"
#include "process/process.h"

enum { OLDEST_MINOR = 9, MODULES_MAX = 16 };
static const struct pm_process_watch look_watch = {.timeout_ms = 30000};

static int64_t modified_ns(const char *path)
{
    struct stat info;
    if (stat(path, &info))
        return -1;
    return (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
}

static bool is_script(const char *path)
{
    char first[2] = "";
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const bool script = pm_read_full(fd, first, 2) == 2 && first[0] == '#' && first[1] == '!';
    close(fd);
    return script;
}

/* Returns a random ID of this process; "" if the system has no random bytes. */
static const char *this_process(void)
{
    static struct pm_digest identity;
    if (!*identity.hex)
        (void)!pm_digest_random(&identity, NULL);
    return identity.hex;
}

/* Returns the facts on which the answer of drivers/look.py depends, except the folders, which the
 * answer contains. The facts about a script, and about a program that did not answer as a usable
 * interpreter, contain the ID of this process, because the answer is valid only in this process.
 * The caller frees. */
static char *stamp_of(const char *path, bool is_usable)
{
    const char *python_path = getenv("PYTHONPATH"), *home = getenv("PYTHONHOME");
    struct pm_str stamp = PM_STR_INIT;
    size_t count;
    const struct pm_framework *frameworks = pm_frameworks(&count);
    pm_str_addf(&stamp, "%s %lld %s:%s", PM_VERSION, (long long)modified_ns(path),
                python_path ? python_path : "", home ? home : "");
    for (size_t i = 0; i < count; i++)
        pm_str_addf(&stamp, " %s", frameworks[i].name);
    if (is_script(path) || !is_usable)
        pm_str_addf(&stamp, " %s", this_process());
    return pm_str_detach(&stamp);
}

int pm_environment__looks_open(struct pm_environment__looks *looks, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    char *home, *data;
    *looks = (struct pm_environment__looks){0};
    PM_TRY(pm_path_home(&home, err));
    looks->script = pm_path_join(home, "drivers/look.py");
    free(home);
    const int rc = pm_path_data(&data, err);
    if (rc) {
        free(looks->script);
        return rc;
    }
    looks->path = pm_path_join(data, "interpreters.json");
    free(data);
    if (pm_path_exists(looks->path) && pm_file_read(looks->path, &text, NULL) == PM_OK)
        (void)!pm_json_parse(text.data, text.length, &looks->known, NULL);
    if (!json_is_object(looks->known)) { /* a cache that cannot be read starts empty */
        json_decref(looks->known);
        looks->known = json_object();
    }
    pm_str_release(&text);
    return PM_OK;
}

void pm_environment__looks_close(struct pm_environment__looks *looks)
{
    if (looks->changed) {
        char *text = pm_json_text(looks->known), *data = pm_path_parent(looks->path);
        if (pm_folder_make(data, NULL) == PM_OK)
            (void)!pm_file_write(looks->path, text, strlen(text), NULL);
        free(data);
        free(text);
    }
    json_decref(looks->known);
    free(looks->path);
    free(looks->script);
    *looks = (struct pm_environment__looks){0};
}

/* Returns whether a remembered answer is that of a Python that is new enough. */
static bool is_usable(const json_t *look)
{
    return pm_json_string(look, "python", NULL) != NULL;
}

static bool is_fresh(const json_t *look, const char *path)
{
    char *stamp = stamp_of(path, is_usable(look));
    bool fresh = strcmp(pm_json_string(look, "stamp", ""), stamp) == 0 &&
                 (*this_process() || (is_usable(look) && !is_script(path)));
    const char *folder;
    json_t *modified;
    json_object_foreach(json_object_get(look, "folders"), folder, modified)
        fresh = fresh && modified_ns(folder) == json_integer_value(modified);
    free(stamp);
    return fresh;
}

/* Returns whether a program is Python: by its name, or by the version that it prints. Any other
 * program must not be started with `look.py` as its argument: rm, for example, would delete it. */
static bool is_python(const char *path)
{
    const char *const argv[] = {path, "-V", NULL};
    struct pm_process_end end;
    if (pm_starts_with(strrchr(path, '/') + 1, "python"))
        return true;
    if (pm_process_run(&(struct pm_process_plan){.argv = argv}, &look_watch, &end, NULL))
        return false;
    const bool python = pm_starts_with(end.output.data, "Python 3.");
    pm_process_end_release(&end);
    return python;
}

static bool is_new_enough(const json_t *look)
{
    const char *version = pm_json_string(look, "python", "");
    return pm_starts_with(version, "3.") && atoi(version + 2) >= OLDEST_MINOR;
}

static json_t *ask(const char *path, const char *script)
{
    const char *argv[MODULES_MAX + 3] = {path, script};
    size_t used = 2, count;
    const struct pm_framework *frameworks = pm_frameworks(&count);
    struct pm_process_end end;
    json_t *answer = NULL;
    for (size_t i = 0; i < count; i++)
        for (const char *const *module = frameworks[i].modules; *module; module++)
            if (used < MODULES_MAX + 2)
                argv[used++] = *module;
    char *awaited = pm_format("the frameworks of %s", path);
    const struct pm_process_plan plan = {.argv = argv, .awaited = awaited};
    if (pm_process_run(&plan, &look_watch, &end, NULL) == PM_OK) {
        const bool well = WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0;
        if (!well || pm_json_parse(end.output.data, end.output.length, &answer, NULL))
            answer = NULL;
        pm_process_end_release(&end);
    }
    free(awaited);
    return answer;
}

/* Stores what look.py said about an interpreter: {} if it is not Python, or too old. */
static json_t *remember(struct pm_environment__looks *looks, const char *path, json_t *look)
{
    char *stamp = stamp_of(path, is_usable(look));
    json_object_set_new(look, "stamp", json_string(stamp));
    json_object_set_new(looks->known, path, look);
    looks->changed = true;
    free(stamp);
    return look;
}

const json_t *pm_environment__look(struct pm_environment__looks *looks, const char *path)
{
    json_t *look = json_object_get(looks->known, path);
    if (access(path, X_OK))
        return NULL;
    if (!look || !is_fresh(look, path)) {
        look = is_python(path) ? ask(path, looks->script) : NULL;
        if (pm_stop_signal()) {
            json_decref(look);
            return NULL;
        }
        if (!look || !is_new_enough(look)) {
            json_decref(look);
            look = json_object();
        }
        look = remember(looks, path, look);
    }
    return is_usable(look) ? look : NULL;
}

const char *pm_environment__look_version(const json_t *look, const struct pm_framework *framework)
{
    const json_t *modules = json_object_get(look, "modules");
    if (!look)
        return NULL;
    for (const char *const *module = framework->modules; *module; module++)
        if (!pm_json_string(modules, *module, NULL))
            return NULL;
    return framework->modules[0] ? pm_json_string(modules, framework->modules[0], NULL)
                                 : pm_json_string(look, "python", NULL);
}

static bool is_program(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

struct paths {
    char **items;
    size_t count, capacity;
};

/* Returns the path that identifies an interpreter. The same file under two names is one candidate:
 * /bin may link to /usr/bin, and python3 to python3.11 in the same folder. Links to other folders
 * are not followed: such a link may be the interpreter of a virtual environment, which differs from
 * the file that it links to. */
static char *identity(const char *folder, const char *name)
{
    char real[PATH_MAX], link[PATH_MAX];
    char *path = pm_path_join(realpath(folder, real) ? real : folder, name);
    for (int hops = 0; hops < 8; hops++) {
        const ssize_t length = readlink(path, link, sizeof link - 1);
        if (length <= 0 || memchr(link, '/', (size_t)length))
            break;
        link[length] = '\0';
        free(path);
        path = pm_path_join(real, link);
    }
    return path;
}

static void add_candidate(struct paths *found, struct paths *seen, const char *folder,
                          const char *name)
{
    char *path = pm_path_join(folder, name);
    char *same = identity(folder, name);
    bool is_new = is_program(path);
    for (size_t i = 0; i < seen->count && is_new; i++)
        is_new = strcmp(seen->items[i], same) != 0;
    if (!is_new) {
        free(path);
        free(same);
        return;
    }
    PM_GROW(seen->items, seen->count, seen->capacity);
    seen->items[seen->count++] = same;
    PM_GROW(found->items, found->count, found->capacity);
    found->items[found->count++] = path;
}

/* Returns the absolute folders of PATH: relative ones depend on the working directory. */
static struct paths path_folders(void)
{
    struct paths folders = {0};
    char *copy = pm_strdup(getenv("PATH") ? getenv("PATH") : "/usr/local/bin:/usr/bin:/bin");
    char *state = NULL;
    for (char *folder = strtok_r(copy, ":", &state); folder; folder = strtok_r(NULL, ":", &state)) {
        if (folder[0] != '/')
            continue;
        PM_GROW(folders.items, folders.count, folders.capacity);
        folders.items[folders.count++] = pm_strdup(folder);
    }
    free(copy);
    return folders;
}

static bool is_versioned(const char *name)
{
    if (!pm_starts_with(name, "python3."))
        return false;
    name += strlen("python3.");
    return *name && strspn(name, "0123456789") == strlen(name);
}

void pm_environment__candidates(char ***paths, size_t *count)
{
    static const char *const plain[] = {"python3", "python"};
    struct paths folders = path_folders(), found = {0}, seen = {0};
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < folders.count; j++)
            add_candidate(&found, &seen, folders.items[j], plain[i]);
    for (size_t j = 0; j < folders.count; j++) {
        char **names;
        size_t names_count;
        if (pm_folder_list(folders.items[j], &names, &names_count, NULL))
            continue;
        for (size_t i = 0; i < names_count; i++)
            if (is_versioned(names[i]))
                add_candidate(&found, &seen, folders.items[j], names[i]);
        pm_free_strings(names, names_count);
    }
    add_candidate(&found, &seen, "/usr/bin", "python3");
    pm_free_strings(folders.items, folders.count);
    pm_free_strings(seen.items, seen.count);
    *paths = found.items;
    *count = found.count;
}

char *pm_environment__program(const char *name)
{
    char real[PATH_MAX], *result = NULL;
    if (strchr(name, '/')) {
        /* Resolve the folder, but not the name, which may be the link of a virtual environment. */
        char *folder = pm_path_parent(name);
        if (is_program(name) && realpath(folder, real))
            result = pm_path_join(real, strrchr(name, '/') + 1);
        free(folder);
        return result;
    }
    struct paths folders = path_folders();
    for (size_t i = 0; i < folders.count && !result; i++) {
        char *path = pm_path_join(folders.items[i], name);
        if (is_program(path))
            result = path;
        else
            free(path);
    }
    pm_free_strings(folders.items, folders.count);
    return result;
}
