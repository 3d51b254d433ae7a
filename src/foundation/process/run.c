/* Runs a program to its end: reads its output, enforces its deadline, and obeys the user's stop. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "process/process.h"

enum {
    OUTPUT_LIMIT = 1 << 20,
    LINE_LIMIT = 1 << 14,
    LOOK_MS = 50,      /* polling interval while the output of the program is open */
    LEAST_MS = 1,      /* first polling interval after the output is closed: the end is near */
    MOST_MS = 32,      /* longest polling interval after the output is closed */
    WAITING_MS = 1000, /* between announcements of what is awaited */
    NS_PER_MS = 1000000,
};

static pm_process_waiting_fn *on_waiting;

enum ending { NOT_ENDING, ASKED /* SIGTERM */, FORCED /* SIGKILL */ };

struct follower {
    const char *awaited;
    const struct pm_process_watch *watch;
    struct pm_process_end *end;
    struct pm_str line; /* the part of the current line that was read so far */
    int pid, output;    /* output: -1 after its end, or if it is not read */
    int nap_ms;
    enum ending ending;
    uint64_t begin, last_line, asked; /* times of pm_clock_now(), in ns */
    unsigned announced;               /* the last number of seconds that was announced; 0: none */
};

static size_t limit_of(const struct pm_process_watch *watch)
{
    return watch->limit ? watch->limit : OUTPUT_LIMIT;
}

/* --- announcements --- */

void pm_process_on_waiting(pm_process_waiting_fn *waiting)
{
    on_waiting = waiting;
}

static void mind_waiting(struct follower *f)
{
    const unsigned seconds =
        (unsigned)((pm_clock_now() - f->begin) / (WAITING_MS * (uint64_t)NS_PER_MS));
    if (!on_waiting || !f->awaited || seconds <= f->announced)
        return;
    on_waiting(f->awaited, seconds);
    f->announced = seconds;
}

static void end_waiting(const struct follower *f)
{
    if (on_waiting && f->announced)
        on_waiting(NULL, 0);
}

/* --- output --- */

static void tell(struct follower *f, const char *line)
{
    end_waiting(f);
    f->watch->line(f->watch->ctx, line);
    f->last_line = pm_clock_now();
}

static void take_bytes(struct follower *f, const char *bytes, size_t length)
{
    struct pm_str *const output = &f->end->output;
    if (!f->watch->line) {
        const size_t room = limit_of(f->watch) - output->length;
        pm_str_add_bytes(output, bytes, length < room ? length : room);
        f->end->flooded |= length > room;
        return;
    }
    for (size_t i = 0; i < length; i++) {
        const bool ends = bytes[i] == '\n' || bytes[i] == '\r';
        if (!ends)
            pm_str_add_char(&f->line, bytes[i]);
        if (f->line.length && (ends || f->line.length == LINE_LIMIT)) {
            tell(f, f->line.data);
            pm_str_clear(&f->line);
        }
    }
}

static void read_some(struct follower *f)
{
    char bytes[8192];
    const ssize_t got = read(f->output, bytes, sizeof bytes);
    if (got > 0) {
        take_bytes(f, bytes, (size_t)got);
    } else if (got == 0 || errno != EINTR) {
        close(f->output);
        f->output = -1;
    }
}

/* Reads the rest of the pipe after the program has ended, without waiting for more: a child of the
 * program may keep the pipe open. */
static void drain(struct follower *f)
{
    struct pollfd waiting = {.fd = f->output, .events = POLLIN};
    while (f->output >= 0 && !f->end->flooded && poll(&waiting, 1, 0) > 0)
        read_some(f);
    if (f->line.length)
        tell(f, f->line.data);
}

/* --- following --- */

/* Waits for output, the user's stop, or the next poll. */
static void wait_a_moment(struct follower *f)
{
    struct pollfd waiting[] = {
        {.fd = f->output, .events = POLLIN},
        {.fd = f->ending == NOT_ENDING ? pm_stop_fd() : -1, .events = POLLIN},
    };
    const bool open = f->output >= 0;
    if (poll(waiting, 2, open ? LOOK_MS : f->nap_ms) > 0 && waiting[0].revents)
        read_some(f);
    if (!open && f->nap_ms < MOST_MS)
        f->nap_ms *= 2;
}

static void mind_silence(struct follower *f)
{
    const uint64_t silence = f->watch->silence_ms * (uint64_t)NS_PER_MS;
    if (f->watch->line && silence && pm_clock_now() - f->last_line > silence)
        tell(f, NULL);
}

static void mind_ending(struct follower *f)
{
    const uint64_t now = pm_clock_now(), limit = f->watch->timeout_ms * (uint64_t)NS_PER_MS;
    if (f->ending == NOT_ENDING) {
        f->end->timed_out = limit && now - f->begin > limit;
        if (!f->end->timed_out && !f->end->flooded && !pm_stop_signal())
            return;
        f->ending = ASKED;
        f->asked = now;
        pm_process_signal(f->pid, SIGTERM);
    } else if (f->ending == ASKED && now - f->asked > PM_STOP_GRACE_MS * (uint64_t)NS_PER_MS) {
        f->ending = FORCED;
        pm_process_signal(f->pid, SIGKILL);
    }
}

static void follow(struct follower *f)
{
    while (!pm_process_reap(f->pid, &f->end->status)) {
        wait_a_moment(f);
        mind_silence(f);
        mind_ending(f);
        mind_waiting(f);
    }
    end_waiting(f);
    drain(f);
}

int pm_process_run(const struct pm_process_plan *plan, const struct pm_process_watch *watch,
                   struct pm_process_end *end, struct pm_error *err)
{
    const uint64_t now = pm_clock_now();
    struct follower f = {.awaited = plan->awaited,
                         .watch = watch,
                         .end = end,
                         .line = PM_STR_INIT,
                         .output = -1,
                         .nap_ms = LEAST_MS,
                         .begin = now,
                         .last_line = now};
    struct pm_process_plan own = *plan;
    int pipe_ends[2] = {-1, -1};
    *end = (struct pm_process_end){.output = PM_STR_INIT};
    PM_TRY(pm_stop_check(err));
    const bool captured = !plan->output && !plan->foreground;
    if (captured && pipe2(pipe_ends, O_CLOEXEC) != 0)
        return pm_error_errno(err, "cannot connect the streams of '%s'", plan->argv[0]);
    f.output = pipe_ends[0];
    if (captured)
        own.output = pipe_ends[1];
    int rc = pm_process_start(&own, &f.pid, err);
    if (pipe_ends[1] >= 0)
        close(pipe_ends[1]);
    if (!rc) {
        follow(&f);
        rc = pm_stop_check(err);
    }
    if (f.output >= 0)
        close(f.output);
    pm_str_release(&f.line);
    if (rc)
        pm_process_end_release(end);
    return rc;
}

/* --- the end --- */

void pm_process_end_release(struct pm_process_end *end)
{
    pm_str_release(&end->output);
}

void pm_process_end_text(const struct pm_process_end *end, const struct pm_process_watch *watch,
                         struct pm_str *out)
{
    if (end->timed_out)
        pm_str_addf(out, "no answer within %g s", watch->timeout_ms / 1e3);
    else if (end->flooded)
        pm_str_addf(out, "more than %zu bytes of output", limit_of(watch));
    else if (WIFSIGNALED(end->status))
        pm_str_addf(out, "signal %d (%s)", WTERMSIG(end->status), strsignal(WTERMSIG(end->status)));
    else
        pm_str_addf(out, "exit status %d", WEXITSTATUS(end->status));
}
