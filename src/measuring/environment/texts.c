/* Checks the Python code in case files with the interpreter that will run it, without a framework.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "environment/environment_private.h"
#include "process/process.h"

enum { TIMEOUT_MS = 60000, LONGEST = 300 };

/* Sets an error with the first line, and the number of the other lines. */
static int refuse(const char *output, struct pm_error *err)
{
    const int first = (int)strcspn(output, "\n");
    size_t lines = 0;
    for (const char *at = output; *at; at += strcspn(at, "\n"), at += *at == '\n')
        lines++;
    return lines > 1
               ? pm_error_set(err, PM_EFORMAT, "%.*s (and %zu more)", first, output, lines - 1)
               : pm_error_set(err, PM_EFORMAT, "%.*s", first, output);
}

/* Checks the texts of cases. Ignores an interpreter that cannot run the script: the driver will
 * report why. */
static int check(const struct pm_environment *environment, const char *script, int texts,
                 struct pm_error *err)
{
    char *file = pm_format("/proc/self/fd/%d", texts);
    const char *const argv[] = {environment->python, "-S", "-E", script, file, NULL};
    const struct pm_process_plan plan = {
        .argv = argv, .awaited = "Python to read the cases", .keep = texts};
    const struct pm_process_watch watch = {.timeout_ms = TIMEOUT_MS};
    struct pm_process_end end = {.output = PM_STR_INIT};
    int rc = pm_process_run(&plan, &watch, &end, err);
    if (!rc) {
        const bool well = WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0;
        if (well && end.output.length > 1)
            rc = refuse(end.output.data, err);
        pm_process_end_release(&end);
    }
    free(file);
    return rc;
}

int pm_environment_check_texts(const struct pm_environment *environment, const json_t *cases,
                               struct pm_error *err)
{
    char *home = NULL;
    if (!json_array_size(cases))
        return PM_OK;
    PM_TRY(pm_path_home(&home, err));
    char *script = pm_path_join(home, "drivers/syntax.py"), *text = pm_json_text(cases);
    const int fd = memfd_create("texts", MFD_CLOEXEC);
    int rc = fd < 0 ? pm_error_errno(err, "cannot create a memory file for the texts of cases")
             : pm_write_full(fd, text, strlen(text)) < 0
                 ? pm_error_errno(err, "cannot write the texts of cases to memory")
                 : check(environment, script, fd, err);
    if (fd >= 0)
        close(fd);
    free(text);
    free(script);
    free(home);
    return rc;
}
