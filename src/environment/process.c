/*
 * A program that is run to its end while its output is read. (The drivers, which are talked to,
 * are pool's.) Here is what only Linux has: prctl.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "environment/environment_private.h"

enum { OUTPUT_LIMIT = 1 << 20, LINE_LIMIT = 1 << 14, POLL_MS = 50 };

extern char **environ;

static bool same_variable(const char *a, const char *b)
{
    const size_t length = strcspn(a, "=");
    return strncmp(a, b, length) == 0 && b[length] == '=';
}

/* This process's environment with `changes` put over it; only the array is the caller's. */
static char **merge_environment(const char *const *changes)
{
    size_t own = 0, added = 0, count = 0;
    while (environ[own])
        own++;
    while (changes && changes[added])
        added++;
    char **merged = pm_realloc_array(NULL, own + added + 1, sizeof *merged);
    for (size_t i = 0; i < own; i++) {
        bool replaced = false;
        for (size_t j = 0; j < added && !replaced; j++)
            replaced = same_variable(changes[j], environ[i]);
        if (!replaced)
            merged[count++] = environ[i];
    }
    for (size_t j = 0; j < added; j++)
        memcpy(&merged[count++], &changes[j], sizeof *merged);
    merged[count] = NULL;
    return merged;
}

struct plumbing {
    int null, output[2], failure[2];
    pid_t parent;
};

/* Between fork and exec: async-signal-safe calls only. */
static _Noreturn void child(const struct pm_environment__process *process, char **environment,
                            const struct plumbing *pipes)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    if (process->apart)
        setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, process->apart ? SIGKILL : SIGTERM);
    if (getppid() != pipes->parent)
        _exit(127);
    dup2(pipes->null, STDIN_FILENO);
    dup2(pipes->output[1], STDOUT_FILENO);
    dup2(process->with_stderr ? pipes->output[1] : pipes->null, STDERR_FILENO);
    if (process->keep_fd >= 0)
        fcntl(process->keep_fd, F_SETFD, 0);
    execve(process->argv[0], (char *const *)(uintptr_t)process->argv, environment);
    const int why = errno;
    (void)!write(pipes->failure[1], &why, sizeof why);
    _exit(127);
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Gives the pid; the reading end of the program's output is then pipes->output[0]. */
static int start(const struct pm_environment__process *process, struct plumbing *pipes, pid_t *pid,
                 struct pm_error *err)
{
    char **environment = NULL;
    int why = 0, rc = PM_OK;
    *pid = -1;
    pipes->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (pipes->null < 0 || pipe2(pipes->output, O_CLOEXEC) || pipe2(pipes->failure, O_CLOEXEC)) {
        rc = pm_error_errno(err, "cannot start '%s'", process->argv[0]);
        goto done;
    }
    environment = merge_environment(process->environment);
    pipes->parent = getpid();
    *pid = fork();
    if (*pid < 0)
        rc = pm_error_errno(err, "cannot start '%s'", process->argv[0]);
    else if (*pid == 0)
        child(process, environment, pipes);
    close_fd(&pipes->output[1]);
    close_fd(&pipes->failure[1]);
    if (!rc && pm_read_full(pipes->failure[0], &why, sizeof why) == (ssize_t)sizeof why) {
        while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        errno = why;
        rc = pm_error_errno(err, "cannot start '%s'", process->argv[0]);
    }
done:
    free(environment);
    close_fd(&pipes->null);
    close_fd(&pipes->failure[0]);
    return rc;
}

struct reader {
    const struct pm_environment__process *process;
    struct pm_environment__ended *out;
    struct pm_str line;
    uint64_t last_line; /* when something was told */
};

static void tell(struct reader *reader, const char *line)
{
    reader->process->line(reader->process->ctx, line);
    reader->last_line = pm_clock_now();
}

static void take_bytes(struct reader *reader, const char *bytes, size_t length)
{
    struct pm_str *output = &reader->out->output;
    if (!reader->process->line) {
        const size_t room = OUTPUT_LIMIT - output->length;
        pm_str_add_bytes(output, bytes, length < room ? length : room);
        reader->out->flooded = length > room;
        return;
    }
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] != '\n' && bytes[i] != '\r')
            pm_str_add_char(&reader->line, bytes[i]);
        const bool ends = bytes[i] == '\n' || bytes[i] == '\r' || reader->line.length == LINE_LIMIT;
        if (ends && reader->line.length) {
            tell(reader, reader->line.data);
            pm_str_clear(&reader->line);
        }
    }
}

/* Reads what is there within `wait_ms`; false at the end of the stream. */
static bool read_some(struct reader *reader, int fd, int wait_ms)
{
    char bytes[8192];
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    const int ready = poll(&poll_fd, 1, wait_ms);
    if (ready <= 0)
        return true;
    const ssize_t got = read(fd, bytes, sizeof bytes);
    if (got > 0)
        take_bytes(reader, bytes, (size_t)got);
    return got > 0 || (got < 0 && errno == EINTR);
}

/* Something that the program left behind may hold its stream open: once it has ended, what is
 * in the pipe is taken and no more is waited for. */
static void drain(struct reader *reader, int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    while (!reader->out->flooded && poll(&poll_fd, 1, 0) > 0 && read_some(reader, fd, 0))
        continue;
    if (reader->line.length)
        tell(reader, reader->line.data);
}

static void follow(struct reader *reader, int fd, pid_t pid)
{
    const struct pm_environment__process *process = reader->process;
    const uint64_t begin = pm_clock_now();
    bool open = true, ended = false;
    while (!ended) {
        if (open)
            open = read_some(reader, fd, POLL_MS);
        else
            pm_clock_sleep(1000000);
        ended = waitpid(pid, &reader->out->status, WNOHANG) == pid;
        const uint64_t now = pm_clock_now();
        if (process->line && now - reader->last_line > PM_ENVIRONMENT__SILENCE_MS * 1000000ull)
            tell(reader, NULL);
        reader->out->timed_out =
            process->timeout_ms && now - begin > process->timeout_ms * 1000000ull;
        if (!ended && (reader->out->timed_out || reader->out->flooded)) {
            kill(process->apart ? -pid : pid, SIGKILL);
            kill(pid, SIGKILL); /* its group may not exist yet */
            while (waitpid(pid, &reader->out->status, 0) < 0 && errno == EINTR)
                continue;
            ended = true;
        }
    }
    drain(reader, fd);
    if (process->apart)
        kill(-pid, SIGKILL);
}

int pm_environment__run(const struct pm_environment__process *process,
                        struct pm_environment__ended *out, struct pm_error *err)
{
    struct plumbing pipes = {.null = -1, .output = {-1, -1}, .failure = {-1, -1}};
    struct reader reader = {process, out, PM_STR_INIT, pm_clock_now()};
    pid_t pid;
    *out = (struct pm_environment__ended){.output = PM_STR_INIT};
    const int rc = start(process, &pipes, &pid, err);
    if (!rc)
        follow(&reader, pipes.output[0], pid);
    close_fd(&pipes.output[0]);
    pm_str_release(&reader.line);
    return rc;
}

void pm_environment__ended_release(struct pm_environment__ended *ended)
{
    pm_str_release(&ended->output);
}

void pm_environment__ended_text(const struct pm_environment__ended *ended, unsigned timeout_ms,
                                struct pm_str *out)
{
    if (ended->timed_out)
        pm_str_addf(out, "no answer within %u s", timeout_ms / 1000);
    else if (ended->flooded)
        pm_str_addf(out, "more than %d bytes of output", OUTPUT_LIMIT);
    else if (WIFSIGNALED(ended->status))
        pm_str_addf(out, "signal %d (%s)", WTERMSIG(ended->status),
                    strsignal(WTERMSIG(ended->status)));
    else
        pm_str_addf(out, "exit status %d", WEXITSTATUS(ended->status));
}
