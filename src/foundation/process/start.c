/* Starts a program, from fork to exec: descriptors, environment, process group, and a report of
 * what failed in between. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/stop.h"
#include "base/trace.h"
#include "process/process_private.h"

extern char **environ;

enum { STREAMS = 3, FIRST_FREE = STREAMS };

/* The steps in the new process that can fail, in order. */
enum step { STEP_CONTAIN, STEP_CONFINE, STEP_GROUP, STEP_STREAMS, STEP_EXEC };
static const char *const step_texts[] = {
    [STEP_CONTAIN] = "cannot create a PID namespace for",
    [STEP_CONFINE] = "cannot restrict the network and the files of",
    [STEP_GROUP] = "cannot create a process group for",
    [STEP_STREAMS] = "cannot connect the streams of",
    [STEP_EXEC] = "cannot start",
};

/* The record that the new process writes into the pipe if it fails before exec. */
struct failure {
    enum step step;
    int why; /* errno */
};

struct launch {
    const struct pm_process_plan *plan;
    char *path; /* path of the program */
    char **environment;
    int null, report[2];
    int streams[STREAMS]; /* its future stdin, stdout, stderr */
    pid_t parent;
    unsigned user, group;
    bool contained;
};

/* --- in the new process: async-signal-safe calls only --- */

static _Noreturn void fail(const struct launch *l, enum step step)
{
    const struct failure failure = {step, errno};
    (void)!write(l->report[1], &failure, sizeof failure);
    _exit(127);
}

/* Restores the default action of signals whose handling the program must not inherit: those for
 * which this process has handlers, and SIGPIPE and SIGXFSZ; with `all`, also all signals that this
 * process ignores. */
static void reset_signals(bool all)
{
    for (int number = 1; number < NSIG; number++) {
        struct sigaction now;
        const bool own = number == SIGPIPE || number == SIGXFSZ;
        if (sigaction(number, NULL, &now) == 0 && now.sa_handler != SIG_DFL &&
            (now.sa_handler != SIG_IGN || own || all))
            signal(number, SIG_DFL);
    }
}

/* Connects the standard streams. First duplicates the descriptors to numbers above those of the
 * streams, because a descriptor may have the number of another stream. */
static bool connect_streams(struct launch *l)
{
    for (int i = 0; i < STREAMS; i++)
        if ((l->streams[i] = fcntl(l->streams[i], F_DUPFD_CLOEXEC, FIRST_FREE)) < 0)
            return false;
    for (int i = 0; i < STREAMS; i++)
        if (dup2(l->streams[i], i) < 0)
            return false;
    return l->plan->keep <= 0 || fcntl(l->plan->keep, F_SETFD, 0) == 0;
}

/* Returns whether the parent has ended. A contained process does not see the number of its parent,
 * so the pipe shows whether the parent is alive. */
static bool parent_is_gone(const struct launch *l)
{
    if (!l->contained)
        return getppid() != l->parent;
    struct pollfd report = {.fd = l->report[1]};
    close(l->report[0]);
    return poll(&report, 1, 0) != 0;
}

static bool join_group(const struct pm_process_plan *plan)
{
    if (plan->foreground)
        return true;
    return plan->session ? setsid() >= 0 : setpgid(0, 0) == 0;
}

static _Noreturn void become(struct launch *l)
{
    sigset_t none;
    sigemptyset(&none);
    if (!join_group(l->plan))
        fail(l, STEP_GROUP);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (parent_is_gone(l))
        _exit(127);
    if (l->contained && !pm_process__contain(l->user, l->group))
        fail(l, STEP_CONTAIN);
    if (l->plan->writable && !(l->contained && pm_process__confine(l->plan->writable)))
        fail(l, STEP_CONFINE);
    if (!connect_streams(l))
        fail(l, STEP_STREAMS);
    reset_signals(l->plan->session || l->plan->foreground);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(l->path, (char *const *)(uintptr_t)l->plan->argv, l->environment);
    fail(l, STEP_EXEC);
}

/* --- in this process --- */

static bool same_variable(const char *a, const char *b)
{
    const size_t length = strcspn(a, "=");
    return strncmp(a, b, length) == 0 && b[length] == '=';
}

static void put_variable(char **list, size_t *count, const char *variable)
{
    size_t i = 0;
    while (i < *count && !same_variable(variable, list[i]))
        i++;
    memcpy(&list[i], &variable, sizeof *list);
    *count += i == *count;
}

/* Joins the given variables with those of this process. The caller frees only the array. */
static char **merge_environment(const char *const *changes)
{
    size_t own = 0, added = 0, count;
    while (environ[own])
        own++;
    while (changes && changes[added])
        added++;
    char **const merged = pm_alloc((own + added + 1) * sizeof *merged);
    memcpy(merged, environ, own * sizeof *merged);
    count = own;
    for (size_t i = 0; i < added; i++)
        put_variable(merged, &count, changes[i]);
    return merged;
}

static bool is_program(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0 || access(path, X_OK) != 0)
        return false;
    errno = EACCES; /* a folder: same errno as execvp() */
    return S_ISREG(info.st_mode);
}

/* Searches PATH as execvp() does. If nothing is found, errno is EACCES if a file could not be run
 * or a folder could not be searched, otherwise ENOENT. */
static char *find_program(const char *name)
{
    const char *folders = getenv("PATH");
    if (strchr(name, '/'))
        return pm_strdup(name);
    bool refused = false;
    for (const char *at = folders ? folders : "/usr/local/bin:/usr/bin:/bin";; at++) {
        const size_t length = strcspn(at, ":");
        char *const path = pm_format("%.*s/%s", length ? (int)length : 1, length ? at : ".", name);
        if (is_program(path))
            return path;
        refused |= errno == EACCES;
        free(path);
        at += length;
        if (!*at)
            break;
    }
    errno = refused ? EACCES : ENOENT;
    return NULL;
}

bool pm_process_exists(const char *name)
{
    char *path = find_program(name);
    const bool exists = path && is_program(path);
    free(path);
    return exists;
}

static int cannot(const struct launch *l, const struct failure *failure, struct pm_error *err)
{
    errno = failure->why;
    const int rc = pm_error_errno(err, "%s '%s'", step_texts[failure->step], l->plan->argv[0]);
    const bool missing = failure->why == ENOENT || failure->why == ENOTDIR;
    return failure->step == STEP_EXEC && missing ? PM_ENOTFOUND : rc;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static int prepare(struct launch *l, struct pm_error *err)
{
    const struct pm_process_plan *const plan = l->plan;
    l->path = find_program(plan->argv[0]);
    if (!l->path)
        return cannot(l, &(struct failure){STEP_EXEC, errno}, err);
    l->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (l->null < 0 || pipe2(l->report, O_CLOEXEC) != 0)
        return cannot(l, &(struct failure){STEP_STREAMS, errno}, err);
    const int given[STREAMS] = {plan->input, plan->output, plan->error};
    for (int i = 0; i < STREAMS; i++)
        l->streams[i] = given[i] > 0 ? given[i] : plan->foreground ? i : l->null;
    if (plan->merged)
        l->streams[2] = l->streams[1];
    l->environment = merge_environment(plan->environment);
    l->parent = getpid();
    l->contained = (plan->contained || plan->writable) && pm_process_can_contain();
    l->user = geteuid();
    l->group = getegid();
    return PM_OK;
}

/* Forks with signals blocked: otherwise this process's handler could run in the new process. */
static pid_t fork_quietly(struct launch *l)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = l->contained ? pm_process__fork_contained(l->plan->writable) : fork();
    if (pid == 0)
        become(l);
    const int why = errno;
    if (pid > 0)
        pm_stop_group_add(pid);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = why;
    return pid;
}

static void trace_start(const struct pm_process_plan *plan, int pid)
{
    if (!pm_trace_is_on())
        return;
    json_t *arguments = json_array();
    for (size_t i = 0; plan->argv[i]; i++)
        json_array_append_new(arguments, json_string(plan->argv[i]));
    pm_trace("program", "{s:i, s:o}", "pid", pid, "arguments", arguments);
}

static int launch(struct launch *l, int *pid, struct pm_error *err)
{
    struct failure failure;
    *pid = fork_quietly(l);
    if (*pid < 0)
        return cannot(l, &(struct failure){STEP_EXEC, errno}, err);
    close_fd(&l->report[1]);
    if (pm_read_full(l->report[0], &failure, sizeof failure) != (ssize_t)sizeof failure) {
        trace_start(l->plan, *pid);
        return PM_OK;
    }
    int status;
    while (!pm_process_reap(*pid, &status))
        waitid(P_PID, (id_t)*pid, &(siginfo_t){0}, WEXITED | WNOWAIT);
    return cannot(l, &failure, err);
}

int pm_process_start(const struct pm_process_plan *plan, int *pid, struct pm_error *err)
{
    struct launch l = {.plan = plan, .null = -1, .report = {-1, -1}};
    int rc = prepare(&l, err);
    if (!rc)
        rc = launch(&l, pid, err);
    close_fd(&l.null);
    close_fd(&l.report[0]);
    close_fd(&l.report[1]);
    free(l.environment);
    free(l.path);
    return rc;
}

int pm_process_become(const char *const *argv, struct pm_error *err)
{
    const struct pm_process_plan plan = {.argv = argv};
    const struct launch l = {.plan = &plan};
    char *path = find_program(argv[0]);
    struct failure failure = {STEP_EXEC, errno};
    if (path) {
        reset_signals(true);
        execve(path, (char *const *)(uintptr_t)argv, environ);
        failure.why = errno;
    }
    free(path);
    return cannot(&l, &failure, err);
}

/* Kills the group before it reaps the group's leader: after that, the group's number could belong
 * to another group. */
bool pm_process_reap(int pid, int *status)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != pid)
        return false;
    kill(-pid, SIGKILL);
    pm_stop_group_remove(pid);
    *status = 0;
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        continue;
    pm_trace("program ended", "{s:i, s:i}", "pid", pid, "status", *status);
    return true;
}

void pm_process_signal(int pid, int number)
{
    pm_trace("signal", "{s:i, s:i}", "pid", pid, "number", number);
    kill(-pid, number);
    if (getpgid(pid) != pid)
        kill(pid, number);
}
