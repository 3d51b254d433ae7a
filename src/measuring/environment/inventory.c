/* Lists the names of a framework: runs drivers/inventory.py in a separate process. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/line.h"
#include "environment/environment_private.h"
#include "process/process.h"

enum { LINE_BYTES = 300 };
static const struct pm_process_watch walk_watch = {.timeout_ms = 900000};

/* Reports that the names cannot be listed. Suggests `env remove` only for a created or an added
 * environment, because the command refuses an interpreter that portmeter only found. */
static int cannot_list(const struct pm_environment *environment, const char *why,
                       struct pm_error *err)
{
    const bool found = environment->origin == PM_ORIGIN_FOUND;
    return pm_error_set(err, PM_EIO,
                        "cannot list the functions of environment '%s': %s: repair the "
                        "installation of %s for '%s'%s%s",
                        environment->name, why, environment->framework, environment->python,
                        found ? "" : ", or remove the environment with portmeter env remove ",
                        found ? "" : environment->name);
}

/* Reports the last line of the driver, or how it ended if it printed nothing. */
static int fail(const struct pm_environment *environment, const struct pm_process_end *end_of_it,
                struct pm_error *err)
{
    struct pm_str line = PM_STR_INIT;
    const struct pm_str *output = &end_of_it->output;
    size_t end = output->length, begin;
    while (end && output->data[end - 1] == '\n')
        end--;
    for (begin = end; begin && output->data[begin - 1] != '\n'; begin--)
        ;
    char *said = pm_strndup(output->data + begin, end - begin);
    if (*said)
        pm_line_add(&line, said, LINE_BYTES);
    else
        pm_process_end_text(end_of_it, &walk_watch, &line);
    const int rc = cannot_list(environment, line.data, err);
    free(said);
    pm_str_release(&line);
    return rc;
}

/* Runs the driver; `fd` is the descriptor of `file`. */
static int walk(const struct pm_environment *environment, const char *script, const char *file,
                int fd, struct pm_error *err)
{
    const char *const argv[] = {environment->python, script, environment->framework, file, NULL};
    const char *const variables[] = {"PYTHONHASHSEED=0", NULL};
    const struct pm_process_plan plan = {.argv = argv,
                                         .awaited = "the names of the framework",
                                         .environment = variables,
                                         .merged = true,
                                         .keep = fd};
    struct pm_process_end end;
    PM_TRY(pm_process_run(&plan, &walk_watch, &end, err));
    const bool done =
        !end.timed_out && !end.flooded && WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0;
    const int rc = done ? PM_OK : fail(environment, &end, err);
    pm_process_end_release(&end);
    return rc;
}

/* Runs the driver that lists the names. The document passes through anonymous memory: nothing
 * remains even if a process is killed. */
int pm_environment_walk(const struct pm_environment *environment, struct pm_str *out,
                        struct pm_error *err)
{
    char *home = NULL;
    PM_TRY(pm_path_home(&home, err));
    const int fd = memfd_create("inventory", MFD_CLOEXEC);
    if (fd < 0) {
        free(home);
        return pm_error_errno(err, "cannot create a memory file for an inventory");
    }
    char *script = pm_path_join(home, "drivers/inventory.py");
    char *file = pm_format("/proc/self/fd/%d", fd);
    int rc = walk(environment, script, file, fd, err);
    const size_t before = out->length;
    if (!rc)
        rc = pm_file_read(file, out, err);
    if (!rc && out->length == before)
        rc = cannot_list(environment, "its interpreter wrote nothing", err);
    close(fd);
    free(file);
    free(script);
    free(home);
    return rc;
}
