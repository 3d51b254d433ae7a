/* Joins and divides paths, and finds the folders of data and drivers. */
#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/user.h"

bool pm_path_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

bool pm_path_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

char *pm_path_join(const char *folder, const char *name)
{
    const bool bare = !*folder || pm_ends_with(folder, "/");
    return pm_format("%s%s%s", folder, bare ? "" : "/", name);
}

char *pm_path_parent(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return pm_strdup(".");
    return slash == path ? pm_strdup("/") : pm_strndup(path, (size_t)(slash - path));
}

char *pm_path_absolute(const char *path)
{
    if (*path == '/')
        return pm_strdup(path);
    char *here = getcwd(NULL, 0);
    char *absolute = here ? pm_path_join(here, path) : pm_strdup(path);
    free(here);
    return absolute;
}

/* Returns the value of a variable as an absolute path, because drivers run in folders of their own;
 * NULL if the variable is not set or empty. */
static char *path_from_environment(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value ? pm_path_absolute(value) : NULL;
}

int pm_path_data(char **path, struct pm_error *err)
{
    *path = path_from_environment("PORTMETER_DATA");
    if (*path)
        return PM_OK;
    const char *xdg = getenv("XDG_DATA_HOME");
    if (xdg && *xdg == '/') { /* the XDG specification says to ignore a relative one */
        *path = pm_path_join(xdg, "portmeter");
        return PM_OK;
    }
    const char *home = getenv("HOME");
    struct pm_user user = {0};
    if ((!home || !*home) && pm_user_here(&user))
        home = user.home;
    if (home && *home)
        *path = pm_path_join(home, ".local/share/portmeter");
    pm_user_release(&user);
    if (!*path)
        return pm_error_set(
            err, PM_ENOTFOUND,
            "the data folder of portmeter is unknown: set HOME, or set PORTMETER_DATA to a folder");
    return PM_OK;
}

static char *path_of_program(void)
{
    char target[4096];
    const ssize_t length = readlink("/proc/self/exe", target, sizeof target - 1);
    if (length < 0)
        return NULL;
    target[length] = '\0';
    return pm_strdup(target);
}

/* Returns the nearest folder from `folder` upwards that contains `name`; NULL if there is none. */
static char *folder_with(const char *folder, const char *name)
{
    char *at = pm_strdup(folder);
    while (strcmp(at, "/") != 0 && strcmp(at, ".") != 0) {
        char *wanted = pm_path_join(at, name);
        const bool found = pm_path_exists(wanted);
        free(wanted);
        if (found)
            return at;
        char *parent = pm_path_parent(at);
        free(at);
        at = parent;
    }
    free(at);
    return NULL;
}

/* Returns the source tree of a program that is in or below a build folder, which build.ninja marks;
 * NULL for any other program. */
static char *source_tree(const char *folder)
{
    char *build = folder_with(folder, "build.ninja");
    char *tree = build ? folder_with(build, "drivers") : NULL;
    free(build);
    return tree;
}

char *pm_path_home_of(const char *program)
{
    char *bin = pm_path_parent(program), *home = source_tree(bin);
    if (!home) {
        char *prefix = pm_path_parent(bin);
        home = pm_path_join(prefix, "lib/portmeter");
        free(prefix);
    }
    free(bin);
    return home;
}

int pm_path_home(char **path, struct pm_error *err)
{
    *path = NULL;
    char *home = path_from_environment("PORTMETER_HOME");
    if (!home) {
        char *program = path_of_program();
        if (!program)
            return pm_error_errno(err, "cannot read '/proc/self/exe'");
        home = pm_path_home_of(program);
        free(program);
    }
    char *drivers = pm_path_join(home, "drivers");
    const bool found = pm_path_is_folder(drivers);
    free(drivers);
    if (!found) {
        pm_error_set(err, PM_ENOTFOUND,
                     "folder '%s' has no drivers/: set PORTMETER_HOME to the folder that contains "
                     "drivers/ and suites/",
                     home);
        free(home);
        return PM_ENOTFOUND;
    }
    *path = home;
    return PM_OK;
}
