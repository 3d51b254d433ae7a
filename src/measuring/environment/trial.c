/* Executes calls that nobody has reviewed: runs a driver in a confined process. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/line.h"
#include "environment/environment_private.h"
#include "process/process.h"

enum { LINE_BYTES = 300 };

/* A trial, and what its driver printed. */
struct trial {
    const struct pm_environment *environment;
    const struct pm_environment_trial *of;
    int (*take)(void *ctx, const char *line, struct pm_error *err);
    void *ctx;
    struct pm_str
        other; /* the last line that is not an answer: from a framework, or the driver's error */
    struct pm_error *err;
    int rc; /* code of the first answer that was refused */
};

static void take_line(void *ctx, const char *line)
{
    struct trial *t = ctx;
    if (!line || t->rc)
        return;
    if (*line == '{') {
        t->rc = t->take(t->ctx, line, t->err);
        return;
    }
    pm_str_clear(&t->other);
    pm_line_add(&t->other, line, LINE_BYTES);
}

static int fail(const struct trial *t, const struct pm_process_end *end,
                const struct pm_process_watch *watch)
{
    struct pm_str how = PM_STR_INIT;
    pm_process_end_text(end, watch, &how);
    const int rc = pm_error_set(
        t->err, PM_EIO, "cannot %s in environment '%s': %s: repair the installation of %s for '%s'",
        t->of->purpose, t->environment->name, t->other.length ? t->other.data : how.data,
        t->environment->framework, t->environment->python);
    pm_str_release(&how);
    return rc;
}

/* Runs the driver with a home folder of its own, because frameworks write settings and caches to
 * the home folder. */
static int run(struct trial *t, const char *script, const char *file, const char *scratch)
{
    const char *const argv[] = {t->environment->python, script, t->environment->framework, file,
                                NULL};
    char *home = pm_format("HOME=%s", scratch);
    char *temporary = pm_format("TMPDIR=%s", scratch);
    char *imports = pm_environment__imports(t->environment);
    const char *const variables[] = {
        "PYTHONHASHSEED=0", "OMP_NUM_THREADS=1", imports, home, temporary, NULL};
    const struct pm_process_plan plan = {
        .argv = argv,
        .environment = variables,
        .merged = true,
        .contained = true,
        .writable = t->of->unconfined ? NULL : scratch,
    };
    const struct pm_process_watch watch = {
        .timeout_ms = t->of->timeout_ms, .line = take_line, .ctx = t};
    struct pm_process_end end;
    int rc = pm_process_run(&plan, &watch, &end, t->err);
    if (!rc) {
        const bool done = WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0;
        rc = t->rc ? t->rc : done ? PM_OK : fail(t, &end, &watch);
        pm_process_end_release(&end);
    }
    free(home);
    free(temporary);
    free(imports);
    return rc;
}

/* Writes the request, and adds a folder to which the calls can write. */
static int write_request(const struct trial *t, const char *file, const char *scratch)
{
    char *folder = pm_path_join(scratch, "work");
    json_t *request = json_copy(t->of->request);
    json_object_set_new(request, "scratch", json_string(folder));
    char *text = pm_json_text(request);
    const int rc = pm_file_write(file, text, strlen(text), t->err);
    json_decref(request);
    free(text);
    free(folder);
    return rc;
}

static int run_in(struct trial *t, const char *scratch)
{
    char *home = NULL;
    PM_TRY(pm_path_home(&home, t->err));
    char *script = pm_format("%s/drivers/%s", home, t->of->driver);
    char *file = pm_path_join(scratch, "request.json");
    int rc = write_request(t, file, scratch);
    if (!rc)
        rc = run(t, script, file, scratch);
    free(file);
    free(script);
    free(home);
    return rc;
}

int pm_environment_try(const struct pm_environment *environment,
                       const struct pm_environment_trial *trial,
                       int (*take)(void *ctx, const char *line, struct pm_error *err), void *ctx,
                       struct pm_error *err)
{
    struct trial t = {.environment = environment,
                      .of = trial,
                      .take = take,
                      .ctx = ctx,
                      .other = PM_STR_INIT,
                      .err = err};
    struct pm_error ignored;
    char *scratch = NULL;
    if (!trial->unconfined && !pm_process_can_contain())
        return pm_error_set(err, PM_EIO,
                            "this kernel does not allow namespaces, so the tried calls could use "
                            "the network and change files: allow user namespaces, or accept this "
                            "with --unconfined");
    PM_TRY(pm_folder_scratch(&scratch, err));
    int rc = run_in(&t, scratch);
    if (pm_folder_remove(scratch, &ignored) && !rc)
        rc = pm_error_set(err, PM_EIO, "%s", ignored.text);
    pm_str_release(&t.other);
    free(scratch);
    return rc;
}
