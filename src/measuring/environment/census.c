/* Executes calls that nobody has read, to make cases or to foretell: runs a driver in a confined
 * process. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/line.h"
#include "environment/environment_private.h"
#include "process/process.h"

enum { LINE_BYTES = 300 };

struct answers {
    int (*take)(void *ctx, const char *line, struct pm_error *err);
    void *ctx;
    struct pm_str
        other; /* the last line that is not an answer: a framework's, or the driver's error */
    struct pm_error *err;
    int rc; /* of the first answer that was refused */
};

static void take_line(void *ctx, const char *line)
{
    struct answers *answers = ctx;
    if (!line || answers->rc)
        return;
    if (*line == '{') {
        answers->rc = answers->take(answers->ctx, line, answers->err);
        return;
    }
    pm_str_clear(&answers->other);
    pm_line_add(&answers->other, line, LINE_BYTES);
}

static int fail(const struct pm_environment *environment,
                const struct pm_environment_census *wanted, const struct answers *answers,
                const struct pm_process_end *end, const struct pm_process_watch *watch,
                struct pm_error *err)
{
    struct pm_str how = PM_STR_INIT;
    pm_process_end_text(end, watch, &how);
    const int rc = pm_error_set(
        err, PM_EIO, "cannot %s in environment '%s': %s: repair the installation of %s for '%s'",
        wanted->purpose, environment->name, answers->other.length ? answers->other.data : how.data,
        environment->framework, environment->python);
    pm_str_release(&how);
    return rc;
}

/* Frameworks write settings and caches below the home folder. */
static int run(const struct pm_environment *environment, const struct pm_environment_census *wanted,
               const char *script, const char *file, struct answers *answers, struct pm_error *err)
{
    const char *const argv[] = {environment->python, script, environment->framework, file, NULL};
    char *home = pm_format("HOME=%s", wanted->scratch);
    char *temporary = pm_format("TMPDIR=%s", wanted->scratch);
    const char *const variables[] = {"PYTHONHASHSEED=0", "OMP_NUM_THREADS=1", home, temporary,
                                     NULL};
    const struct pm_process_plan plan = {
        .argv = argv,
        .environment = variables,
        .merged = true,
        .contained = true,
        .writable = wanted->unconfined ? NULL : wanted->scratch,
    };
    const struct pm_process_watch watch = {.line = take_line, .ctx = answers};
    struct pm_process_end end;
    int rc = pm_process_run(&plan, &watch, &end, err);
    if (!rc) {
        const bool done = WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0;
        rc = answers->rc ? answers->rc
             : done      ? PM_OK
                         : fail(environment, wanted, answers, &end, &watch, err);
        pm_process_end_release(&end);
    }
    free(home);
    free(temporary);
    return rc;
}

int pm_environment_make_cases(const struct pm_environment *environment,
                              const struct pm_environment_census *wanted,
                              int (*take)(void *ctx, const char *line, struct pm_error *err),
                              void *ctx, struct pm_error *err)
{
    struct answers answers = {.take = take, .ctx = ctx, .other = PM_STR_INIT, .err = err};
    char *home = NULL;
    if (!wanted->unconfined && !pm_process_can_contain())
        return pm_error_set(err, PM_EIO,
                            "this kernel gives portmeter no namespaces, so the tried calls would "
                            "have the network and could change files: allow user namespaces, or "
                            "try them so with --unconfined");
    PM_TRY(pm_path_home(&home, err));
    char *script = pm_format("%s/drivers/%s", home, wanted->driver);
    char *file = pm_path_join(wanted->scratch, "request.json");
    int rc = pm_file_write(file, wanted->request, strlen(wanted->request), err);
    if (!rc)
        rc = run(environment, wanted, script, file, &answers, err);
    pm_str_release(&answers.other);
    free(file);
    free(script);
    free(home);
    return rc;
}
