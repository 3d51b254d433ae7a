/*
 * Creates an environment: makes a virtual environment, installs the packages of the recipe with
 * pip, then writes the marker file. After an interruption, a second try continues; pip's cache
 * keeps the downloads.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/line.h"
#include "base/plural.h"
#include "base/stop.h"
#include "environment/environment_private.h"
#include "process/process.h"

enum { TRIES = 3, PAUSE_S = 5, SHOWN = 300, SILENCE_MS = 10000 };

struct job {
    const struct pm_environment_plan *plan;
    const struct pm_recipe *recipe;
    const struct pm_framework *framework;
    struct pm_environment__packages packages;
    char *name;
    char *folder, *python, *scratch, *log_path;
    int lock, log;
    struct pm_str complaint; /* the last ERROR line of the last step, or its last line */
    bool complaint_is_error;
    char *activity; /* the last progress of pip worth showing */
    uint64_t activity_since;
    bool declined;    /* the user did not agree */
    bool downloading; /* the last step that pip began is a download */
};

static void say(const struct job *job, const char *format, ...) PM_PRINTF(2, 3);
static void say(const struct job *job, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *line = pm_format("%s: %s", job->name, text);
    if (job->plan->say)
        job->plan->say(job->plan->ctx, line);
    free(line);
}

/* ------------------------------------------------------------------------- before anything --- */

static int check_space(const struct job *job, struct pm_error *err)
{
    uint64_t free_bytes;
    char *parent = pm_path_parent(job->folder);
    int rc = pm_folder_free_bytes(parent, &free_bytes, err);
    free_bytes += pm_folder_bytes(
        job->folder); /* space that an interrupted creation used will be free again */
    if (!rc && free_bytes < job->packages.bytes)
        rc = pm_error_set(
            err, PM_EIO,
            "not enough disk space (the environment needs %.1f GB, and the disk of '%s' has %.1f "
            "GB): free some space, or set PORTMETER_DATA to a folder on a larger disk",
            (double)job->packages.bytes / 1e9, parent, (double)free_bytes / 1e9);
    if (!rc)
        say(job, "needs %s on disk; %.1f GB are free", job->packages.size,
            (double)free_bytes / 1e9);
    free(parent);
    return rc;
}

static const char can_make[] =
    "import sys, importlib.util as u; "
    "fits = (3, int(sys.argv[1])) <= sys.version_info[:2] <= (3, int(sys.argv[2])); "
    "sys.exit(3 if not fits else 4 if not (u.find_spec('venv') and u.find_spec('ensurepip')) else "
    "0)";

/* Asks an interpreter whether it can create the virtual environment. Returns 0 if it can, 3 if it
 * is too old or too new, 4 if it has no venv (Debian without python3-venv), -1 if it did not
 * answer. */
static int ask_interpreter(const struct job *job, const char *path)
{
    char oldest[12], newest[12];
    snprintf(oldest, sizeof oldest, "%d", job->packages.oldest_minor);
    snprintf(newest, sizeof newest, "%d", job->packages.newest_minor);
    const char *const argv[] = {path, "-I", "-c", can_make, oldest, newest, NULL};
    const struct pm_process_plan plan = {.argv = argv};
    const struct pm_process_watch watch = {.timeout_ms = 30000};
    struct pm_process_end end;
    if (pm_process_run(&plan, &watch, &end, NULL))
        return -1;
    const int status = WIFEXITED(end.status) ? WEXITSTATUS(end.status) : -1;
    pm_process_end_release(&end);
    return status;
}

/* Returns a text such as "3.11 or newer", "3.9 to 3.10"; the caller frees. */
static char *pythons_of(const struct job *job)
{
    const struct pm_environment__packages *p = &job->packages;
    return p->newest_minor == PM_ENVIRONMENT__NEWEST_MINOR
               ? pm_format("3.%d or newer", p->oldest_minor)
               : pm_format("3.%d to 3.%d", p->oldest_minor, p->newest_minor);
}

static int refuse_interpreters(const struct job *job, bool lacks_venv, struct pm_error *err)
{
    PM_TRY(pm_stop_check(err));
    const char *named = job->plan->python;
    const char *program = named ? named : "python3", *slash = strrchr(program, '/');
    char *pythons = pythons_of(job);
    int rc;
    if (lacks_venv)
        rc = pm_error_set(
            err, PM_EIO,
            "'%s' has no module venv: install it, on Debian with apt-get install %s-venv", program,
            slash ? slash + 1 : program);
    else if (named)
        rc = pm_error_set(
            err, PM_EUSAGE,
            "'%s' is not Python %s: give the path of such an interpreter with --python", named,
            pythons);
    else if (job->plan->version)
        rc = pm_error_set(err, PM_EIO,
                          "%s %s needs Python %s, but PATH has no such interpreter: give the path "
                          "of one with --python",
                          job->framework->modules[0], job->plan->version, pythons);
    else
        rc = pm_error_set(err, PM_EIO,
                          "PATH has no Python %s: install one, on Debian with apt-get install "
                          "python3 python3-venv",
                          pythons);
    free(pythons);
    return rc;
}

/* Lists the interpreters that may create the environment; the caller frees them with
 * pm_free_strings(). */
static void list_makers(const struct job *job, char ***paths, size_t *count)
{
    if (!job->plan->python) {
        pm_environment__candidates(paths, count);
        return;
    }
    *paths = pm_alloc(sizeof **paths);
    **paths = pm_environment__program(job->plan->python);
    *count = **paths ? 1 : 0;
}

static int find_maker(const struct job *job, char **out, struct pm_error *err)
{
    char **candidates;
    size_t count;
    bool lacks_venv = false;
    list_makers(job, &candidates, &count);
    *out = NULL;
    for (size_t i = 0; i < count && !*out; i++) {
        const int answer = ask_interpreter(job, candidates[i]);
        lacks_venv = lacks_venv || answer == 4;
        if (answer == 0)
            *out = pm_strdup(candidates[i]);
    }
    pm_free_strings(candidates, count);
    return *out ? PM_OK : refuse_interpreters(job, lacks_venv, err);
}

int pm_environment_check_maker(struct pm_error *err)
{
    const struct pm_environment_plan plan = {.recipe = NULL};
    const struct job job = {.plan = &plan,
                            .packages = {.oldest_minor = PM_ENVIRONMENT__OLDEST_MINOR,
                                         .newest_minor = PM_ENVIRONMENT__NEWEST_MINOR}};
    char *maker;
    const int rc = find_maker(&job, &maker, err);
    free(maker);
    return rc;
}

/* ------------------------------------------------------------------------------- one step --- */

static void set_activity(struct job *job, char *owned)
{
    free(job->activity);
    job->activity = owned;
    job->activity_since = pm_clock_now();
}

/* Returns the progress in a line of pip: "downloading torch-2.13.0 (190.2 MB)" for "Downloading
 * torch-2.13.0-cp311-cp311-manylinux_2_28_x86_64.whl (190.2 MB)", and how many packages it
 * installs. NULL for any other line. */
static char *activity_of(const char *line)
{
    static const char downloading[] = "Downloading ",
                      installing[] = "Installing collected packages";
    if (pm_starts_with(line, downloading) && !strstr(line, ".metadata")) {
        line += strlen(downloading);
        const size_t word = strcspn(line, " ");
        const char *slash = memrchr(line, '/', word);
        const char *name = slash ? slash + 1 : line, *size = line + word;
        const char *dash = strchr(name, '-');
        dash = dash ? strpbrk(dash + 1, "- ") : NULL;
        return pm_format("downloading %.*s%s", (int)((dash ? dash : size) - name), name, size);
    }
    if (pm_starts_with(line, installing)) {
        size_t count = 1;
        for (const char *comma = strchr(line, ','); comma; comma = strchr(comma + 1, ','))
            count++;
        return pm_format("installing %zu package%s", count, pm_plural(count));
    }
    return NULL;
}

static void on_line(void *ctx, const char *line)
{
    struct job *job = ctx;
    if (!line) {
        char duration[32];
        pm_clock_duration(pm_clock_now() - job->activity_since, duration);
        say(job, "%s, %s so far", job->activity, duration);
        return;
    }
    (void)!pm_write_full(job->log, line, strlen(line));
    (void)!pm_write_full(job->log, "\n", 1);
    while (*line == ' ')
        line++;
    const bool is_error = pm_starts_with(line, "ERROR:");
    if (*line && (is_error || !job->complaint_is_error)) {
        pm_str_clear(&job->complaint);
        pm_line_add(&job->complaint, is_error ? line + strlen("ERROR: ") : line, SHOWN);
        job->complaint_is_error = is_error;
    }
    char *activity = activity_of(line);
    if (activity) {
        set_activity(job, activity);
        job->downloading = pm_starts_with(activity, "downloading");
        say(job, "%s", activity);
    }
}

static int run_step(struct job *job, const char *const *argv, const char *activity,
                    struct pm_error *err)
{
    char *scratch = pm_format("TMPDIR=%s", job->scratch);
    const char *const environment[] = {scratch, "PIP_USER=0", "PYTHONUNBUFFERED=1", NULL};
    const struct pm_process_plan plan = {.argv = argv,
                                         .awaited = "pip",
                                         .environment = environment,
                                         .merged = true,
                                         .keep = job->lock};
    const struct pm_process_watch watch = {.silence_ms = SILENCE_MS, .line = on_line, .ctx = job};
    struct pm_process_end end = {.output = PM_STR_INIT};
    struct pm_str how = PM_STR_INIT;
    set_activity(job, pm_strdup(activity));
    job->complaint_is_error = false;
    pm_str_clear(&job->complaint);
    int rc = pm_process_run(&plan, &watch, &end, err);
    if (!rc && end.status) {
        pm_process_end_text(&end, &watch, &how);
        rc = pm_error_set(err, PM_EIO, "%s failed (%s): %s", activity, how.data,
                          job->complaint.length ? job->complaint.data : "it printed nothing");
    }
    pm_process_end_release(&end);
    pm_str_release(&how);
    free(scratch);
    return rc;
}

/* ---------------------------------------------------------------------- does it exist? ------ */

/* Returns whether two versions are the same to pip: 1.13 and 1.13.0 are. */
static bool is_same_version(const char *a, size_t a_length, const char *b, size_t b_length)
{
    while (a_length > 2 && !strncmp(a + a_length - 2, ".0", 2))
        a_length -= 2;
    while (b_length > 2 && !strncmp(b + b_length - 2, ".0", 2))
        b_length -= 2;
    return a_length == b_length && !strncmp(a, b, a_length);
}

/* Returns whether a list as pip prints it, "2.1.0, 2.0.1, 2.0.0", has a version. */
static bool has_version(const char *list, const char *version)
{
    const size_t length = strcspn(version, "+");
    for (const char *at = list; *at;) {
        at += strspn(at, ", ");
        const size_t word = strcspn(at, ", ");
        if (word && is_same_version(at, word, version, length))
            return true;
        at += word;
    }
    return false;
}

/* Asks the package index, through the interpreter's pip, which versions of a package this
 * interpreter can install; the caller frees. NULL if there is no pip or no network. */
static char *list_versions(const char *package, const char *maker)
{
    static const char available[] = "Available versions: ";
    const char *const argv[] = {maker,   "-I",         "-m",
                                "pip",   "index",      "versions",
                                "--pre", "--no-input", "--disable-pip-version-check",
                                package, NULL};
    const struct pm_process_plan plan = {.argv = argv,
                                         .awaited = "the versions in the package index"};
    const struct pm_process_watch watch = {.timeout_ms = 30000};
    struct pm_process_end end = {.output = PM_STR_INIT};
    char *found = NULL;
    if (pm_process_run(&plan, &watch, &end, NULL))
        return NULL;
    const char *list = end.status || !end.output.length ? NULL : strstr(end.output.data, available);
    if (list) {
        list += strlen(available);
        found = pm_strndup(list, strcspn(list, "\r\n"));
    }
    pm_process_end_release(&end);
    return found;
}

/* Refuses a version that the index does not have, before a virtual environment is created. */
static int check_version(const struct job *job, const char *maker, struct pm_error *err)
{
    enum { NEWEST = 40 };
    const char *version = job->plan->version;
    if (!version || job->packages.tried)
        return PM_OK;
    const char *first = job->packages.items[0];
    char *package = pm_strndup(first, strcspn(first, "="));
    char *list = list_versions(package, maker);
    int rc = pm_stop_check(err);
    if (!rc && list && !has_version(list, version)) {
        const bool longer = strlen(list) > NEWEST;
        const size_t shown = longer ? NEWEST + strcspn(list + NEWEST, ",") : strlen(list);
        rc = pm_error_set(err, PM_EUSAGE,
                          "the package index has no %s %s for '%s': use one of %.*s%s", package,
                          version, maker, (int)shown, list, longer ? ", or an older one" : "");
    }
    free(list);
    free(package);
    return rc;
}

/* ------------------------------------------------------------------------------ the steps --- */

static int make_venv(struct job *job, struct pm_error *err)
{
    const char *const works[] = {job->python, "-I", "-m", "pip", "--version", NULL};
    char *maker;
    if (pm_path_exists(job->python) && run_step(job, works, "checking pip", NULL) == PM_OK) {
        say(job, "continuing an earlier attempt");
        return PM_OK;
    }
    PM_TRY(find_maker(job, &maker, err));
    const char *const argv[] = {maker, "-I", "-m", "venv", "--clear", job->folder, NULL};
    int rc = check_version(job, maker, err);
    if (!rc) {
        say(job, "creating a virtual environment with %s", maker);
        rc = run_step(job, argv, "creating a virtual environment", err);
    }
    free(maker);
    return rc;
}

static bool log_has(const struct job *job, off_t from, const char *const *texts)
{
    struct pm_str log = PM_STR_INIT;
    bool found = false;
    if (pm_file_read(job->log_path, &log, NULL) == PM_OK && (size_t)from <= log.length)
        for (; *texts && !found; texts++)
            found = strcasestr(log.data + from, *texts) != NULL;
    pm_str_release(&log);
    return found;
}

static const char *const no_space[] = {"No space left on device", "Disk quota exceeded", NULL};

static int explain(const struct job *job, off_t from, int rc, struct pm_error *err)
{
    static const char *const network[] = {"Failed to establish a new connection",
                                          "Temporary failure in name resolution",
                                          "Network is unreachable",
                                          "Max retries exceeded",
                                          "Connection refused",
                                          "Read timed out",
                                          NULL};
    if (log_has(job, from, no_space))
        return pm_error_set(
            err, rc,
            "no space left on the disk of '%s' or on that of pip's cache: free some space, or set "
            "PORTMETER_DATA to a folder on a larger disk, then try again",
            job->folder);
    if (log_has(job, from, network))
        return pm_error_set(err, rc,
                            "cannot reach the package index: check the network and try again, or "
                            "add an interpreter that has %s with portmeter env add %s PYTHON",
                            job->framework->name, job->framework->name);
    return rc;
}

static const char **install_command(const struct job *job)
{
    const char *const begin[] = {
        job->python,      "-I", "-m", "pip", "install", "--no-input", "--disable-pip-version-check",
        "--progress-bar", "off"};
    enum { INDEX = 2 };
    size_t length = sizeof begin / sizeof *begin;
    const char **argv = pm_alloc((length + INDEX + job->packages.count + 1) * sizeof *argv);
    memcpy(argv, begin, sizeof begin);
    if (job->packages.index) {
        argv[length++] = "--extra-index-url";
        argv[length++] = job->packages.index;
    }
    for (size_t i = 0; i < job->packages.count; i++)
        argv[length + i] = job->packages.items[i];
    return argv;
}

static int try_to_install(struct job *job, const char *const *argv, struct pm_error *err)
{
    int rc = PM_OK;
    off_t from = 0;
    for (int nth = 1; nth <= TRIES; nth++) {
        from = lseek(job->log, 0, SEEK_END);
        job->downloading = false;
        rc = run_step(job, argv, "installing", err);
        if (!rc || rc == PM_ESTOPPED || nth == TRIES || !job->downloading ||
            log_has(job, from, no_space))
            break; /* retrying helps only against a failed download */
        say(job, "the download failed, trying again in %d s", nth * PAUSE_S);
        PM_TRY(pm_stop_sleep((uint64_t)(nth * PAUSE_S) * 1000000000, err));
    }
    return rc && rc != PM_ESTOPPED ? explain(job, from, rc, err) : rc;
}

static int install(struct job *job, struct pm_error *err)
{
    const char **argv = install_command(job);
    const int rc = try_to_install(job, argv, err);
    free(argv);
    return rc;
}

static json_t *marker_of(const struct job *job)
{
    json_t *packages = json_array();
    for (size_t i = 0; i < job->packages.count; i++)
        json_array_append_new(packages, json_string(job->packages.items[i]));
    json_t *marker = json_pack("{s:i,s:s,s:s,s:s,s:o}", "schema", 1, "origin",
                               pm_origin_text(PM_ORIGIN_MADE), "framework", job->framework->name,
                               "recipe", job->recipe->name, "packages", packages);
    if (job->plan->build)
        json_object_set_new(marker, "build", json_string(job->plan->build));
    return marker;
}

/* Returns whether an installed version is the requested build: the framework's own index names the
 * build in the version, as in "2.13.0+cpu". If that index lacks the version, pip installs another
 * build from the Python package index. */
static bool is_build(const struct job *job, const char *version)
{
    const char *local = strchr(version, '+');
    return !job->packages.index || (local && pm_starts_with(local + 1, job->plan->build));
}

static int finish(struct job *job, struct pm_error *err)
{
    struct pm_environment__looks looks;
    const struct pm_framework *framework = job->framework;
    PM_TRY(pm_environment__looks_open(&looks, err));
    const char *version =
        pm_environment__look_version(pm_environment__look(&looks, job->python), framework);
    int rc = pm_stop_check(err);
    if (version && !is_build(job, version))
        rc = pm_error_set(
            err, PM_EIO,
            "pip installed %s %s, which is not the build for --%s: '%s' has none; run "
            "portmeter env remove %s, and give another --version",
            framework->modules[0], version, job->plan->build, job->packages.index, job->name);
    else if (version)
        say(job, "%s %s is installed", framework->modules[0], version);
    else if (!rc)
        rc = pm_error_set(
            err, PM_EIO,
            "pip succeeded, but '%s' cannot import %s: read in the log what pip installed",
            job->python, framework->modules[0]);
    pm_environment__looks_close(&looks);
    if (!rc) {
        json_t *marker = marker_of(job);
        rc = pm_environment__marker_write(job->folder, marker, err);
        json_decref(marker);
    }
    return rc;
}

/* Returns whether the environment exists and matches the current recipe. */
static bool is_made(const struct job *job)
{
    json_t *marker, *wanted = marker_of(job);
    pm_environment__marker_read(job->folder, &marker);
    const bool made = marker && json_equal(marker, wanted) && access(job->python, X_OK) == 0;
    json_decref(marker);
    json_decref(wanted);
    return made;
}

static int refuse_added(const struct job *job, struct pm_error *err)
{
    json_t *marker;
    pm_environment__marker_read(job->folder, &marker);
    const bool added = marker && pm_environment__marker_origin(marker) != PM_ORIGIN_MADE;
    json_decref(marker);
    if (added)
        return pm_error_set(err, PM_EUSAGE,
                            "an interpreter was added under this name: use another --name, or run "
                            "portmeter env remove %s first",
                            job->name);
    return PM_OK;
}

static int open_log(struct job *job, struct pm_error *err)
{
    char *data, *logs, *file;
    PM_TRY(pm_path_data(&data, err));
    logs = pm_path_join(data, "logs");
    file = pm_format("environment-%s.log", job->name);
    int rc = pm_folder_make(logs, err);
    job->log_path = pm_path_join(logs, file);
    if (!rc) {
        job->log = open(job->log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        if (job->log < 0)
            rc = pm_error_errno(err, "cannot open '%s'", job->log_path);
    }
    free(file);
    free(logs);
    free(data);
    return rc;
}

static int ask(struct job *job, struct pm_error *err)
{
    job->declined = job->plan->agree && !job->plan->agree(job->plan->ctx);
    return job->declined
               ? pm_error_set(err, PM_EUSAGE,
                              "environment '%s' was not created: answer y, or use --yes", job->name)
               : PM_OK;
}

static int make(struct job *job, struct pm_error *err)
{
    char duration[32];
    const uint64_t begin = pm_clock_now();
    PM_TRY(refuse_added(job, err));
    if (is_made(job)) {
        say(job, "already exists");
        return PM_OK;
    }
    PM_TRY(check_space(job, err));
    if (!job->packages.tried)
        say(job, "portmeter's drivers and suites were not tested with this %s",
            job->plan->version ? "version" : "build");
    if (job->packages.index)
        say(job, "packages that the Python package index lacks come from %s", job->packages.index);
    PM_TRY(ask(job, err));
    PM_TRY(open_log(job, err));
    PM_TRY(pm_folder_make(job->scratch, err));
    int rc = make_venv(job, err);
    if (!rc)
        rc = install(job, err);
    if (!rc)
        rc = finish(job, err);
    if (rc && rc != PM_ESTOPPED) {
        const struct pm_error plain = err ? *err : (struct pm_error){""};
        return pm_error_set(err, rc, "%s (the log is '%s')", plain.text, job->log_path);
    }
    PM_TRY(rc);
    pm_clock_duration(pm_clock_now() - begin, duration);
    say(job, "created in %s", duration);
    return PM_OK;
}

static int find_recipe(struct job *job, const char *name, struct pm_error *err)
{
    job->recipe = pm_recipe_find(name, &job->framework);
    if (job->recipe)
        return PM_OK;
    enum { MOST = 64 };
    const char *known[MOST];
    size_t count;
    int known_count = 0;
    const struct pm_framework *frameworks = pm_frameworks(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < frameworks[i].recipe_count && known_count < MOST; k++)
            known[known_count++] = frameworks[i].recipes[k].name;
    return pm_words_unknown(&(struct pm_words){known, known_count}, "environment to create", name,
                            err);
}

static int name_job(struct job *job, struct pm_error *err)
{
    const struct pm_environment_plan *plan = job->plan;
    const bool is_other = plan->build && strcmp(plan->build, "cpu") != 0;
    job->name = plan->name ? pm_strdup(plan->name)
                           : pm_format("%s%s%s%s%s", job->recipe->name, plan->version ? "-" : "",
                                       plan->version ? plan->version : "", is_other ? "-" : "",
                                       is_other ? plan->build : "");
    if (!pm_environment__is_name(job->name))
        return pm_error_set(
            err, PM_EUSAGE,
            "invalid environment name '%s': use up to 64 letters, digits, '.', '_' and "
            "'-', starting with a letter or digit",
            job->name);
    PM_TRY(pm_environment__folder(job->name, &job->folder, err));
    char *parent = pm_path_parent(job->folder);
    job->python = pm_path_join(job->folder, "bin/python");
    job->scratch = pm_format("%s/.%s.tmp", parent, job->name);
    free(parent);
    return PM_OK;
}

static int make_locked(struct job *job, struct pm_error *err)
{
    int rc = pm_environment__lock(job->name, job->plan->say, job->plan->ctx, &job->lock, err);
    if (!rc) {
        rc = make(job, err);
        (void)!pm_folder_remove(job->scratch, NULL);
        close(job->lock);
    }
    const struct pm_error plain = err ? *err : (struct pm_error){""};
    if (rc == PM_ESTOPPED)
        pm_error_set(err, rc, "%s: run the command again to finish environment '%s'", plain.text,
                     job->name);
    else if (rc && !job->declined)
        pm_error_prefix(err, rc, "cannot create environment '%s'", job->name);
    return rc;
}

static void release(struct job *job)
{
    if (job->log >= 0)
        close(job->log);
    pm_environment__packages_release(&job->packages);
    pm_str_release(&job->complaint);
    free(job->activity);
    free(job->log_path);
    free(job->scratch);
    free(job->python);
    free(job->folder);
    free(job->name);
}

int pm_environment_create(const struct pm_environment_plan *plan, struct pm_error *err)
{
    struct job job = {.plan = plan, .lock = -1, .log = -1, .complaint = PM_STR_INIT};
    int rc = find_recipe(&job, plan->recipe, err);
    if (!rc)
        rc = pm_environment__packages(job.recipe, plan->version, plan->build, &job.packages, err);
    if (!rc)
        rc = name_job(&job, err);
    if (!rc)
        rc = make_locked(&job, err);
    release(&job);
    return rc;
}
