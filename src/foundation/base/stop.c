/* Lets the user stop a command: signal handlers set a flag, and end the process if it does not end
 * by itself in time. */
#include "base/stop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/exit.h"

enum { NS_PER_MS = 1000000, MS_PER_S = 1000, GROUPS_AT_ONCE = 62 };

static const struct {
    int number;
    const char *name;
} signals[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}};
enum { SIGNALS = sizeof signals / sizeof *signals };

/* A handler may read this at any moment and in any thread, so a chunk is never freed or moved. */
struct chunk {
    int groups[GROUPS_AT_ONCE]; /* 0: free */
    struct chunk *next;
};

int pm_stop__number; /* the result of pm_stop_signal() */

static struct {
    uint64_t at; /* when the first signal came   */
    int fd;      /* an eventfd                   */
    timer_t limit;
    pid_t owner; /* process that set `limit`; 0 if none did */
    struct chunk chunks;
} stop = {.fd = -1};

/* --- in the handlers: only async-signal-safe calls --- */

static _Noreturn void end_now(int number)
{
    sigset_t none;
    for (struct chunk *c = &stop.chunks; c; c = __atomic_load_n(&c->next, __ATOMIC_ACQUIRE))
        for (size_t i = 0; i < GROUPS_AT_ONCE; i++) {
            const int group = __atomic_load_n(&c->groups[i], __ATOMIC_ACQUIRE);
            if (group > 1)
                kill(-group, SIGKILL);
        }
    signal(number, SIG_DFL);
    sigemptyset(&none);
    kill(getpid(), number);
    sigprocmask(SIG_SETMASK, &none, NULL);
    _exit(PM_EXIT_SIGNAL + number);
}

static void on_limit(int number)
{
    (void)number;
    end_now(pm_stop_signal());
}

/* Records the signal; returns false if a signal was recorded before. */
static bool leave_note(int number)
{
    const uint64_t one = 1, now = pm_clock_now();
    uint64_t never = 0;
    if (!__atomic_compare_exchange_n(&stop.at, &never, now, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        return false;
    __atomic_store_n(&pm_stop__number, number, __ATOMIC_RELEASE);
    if (stop.fd >= 0)
        (void)!write(stop.fd, &one, sizeof one);
    return true;
}

static void start_limit(void)
{
    const struct itimerspec after = {
        .it_value = {.tv_sec = PM_STOP_LIMIT_MS / MS_PER_S,
                     .tv_nsec = PM_STOP_LIMIT_MS % MS_PER_S * (long)NS_PER_MS}};
    struct sigaction action = {.sa_handler = on_limit};
    if (stop.owner == getpid() && sigaction(SIGALRM, &action, NULL) == 0)
        timer_settime(stop.limit, 0, &after, NULL);
}

static void on_signal(int number)
{
    const int kept = errno;
    if (leave_note(number))
        start_limit();
    else if (pm_clock_now() - __atomic_load_n(&stop.at, __ATOMIC_ACQUIRE) >
             (uint64_t)PM_STOP_SAME_MS * NS_PER_MS)
        end_now(number);
    errno = kept;
}

/* --- outside --- */

int pm_stop_install(struct pm_error *err)
{
    struct sigevent by_alarm = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct sigaction action = {.sa_handler = on_signal}, before;
    sigemptyset(&action.sa_mask);
    if (stop.fd < 0)
        stop.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (stop.fd < 0)
        return pm_error_errno(err, "cannot watch for signals");
    if (stop.owner != getpid()) /* a forked process inherits no timers */
        stop.owner = timer_create(CLOCK_MONOTONIC, &by_alarm, &stop.limit) == 0 ? getpid() : 0;
    for (size_t i = 0; i < SIGNALS; i++)
        sigaddset(&action.sa_mask, signals[i].number);
    for (size_t i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i].number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i].number, &action, NULL);
    return PM_OK;
}

int pm_stop_uninstall(void)
{
    struct sigaction now;
    for (size_t i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i].number, NULL, &now) == 0 && now.sa_handler == on_signal)
            signal(signals[i].number, SIG_DFL);
    return pm_stop_signal();
}

static const char *name_of(int number)
{
    for (size_t i = 0; i < SIGNALS; i++)
        if (signals[i].number == number)
            return signals[i].name;
    return strsignal(number);
}

bool pm_stop_is(int signal)
{
    for (size_t i = 0; i < SIGNALS; i++)
        if (signals[i].number == signal)
            return true;
    return false;
}

int pm_stop_check(struct pm_error *err)
{
    const int number = pm_stop_signal();
    return number ? pm_error_set(err, PM_ESTOPPED, "stopped by %s", name_of(number)) : PM_OK;
}

int pm_stop_fd(void)
{
    return stop.fd;
}

int pm_stop_sleep(uint64_t ns, struct pm_error *err)
{
    const uint64_t deadline = pm_clock_now() + ns;
    for (uint64_t now; !pm_stop_signal() && (now = pm_clock_now()) < deadline;) {
        struct pollfd wanted = {.fd = stop.fd, .events = POLLIN}; /* -1: poll() only sleeps */
        const uint64_t ms = (deadline - now + NS_PER_MS - 1) / NS_PER_MS;
        poll(&wanted, 1, ms < INT32_MAX ? (int)ms : INT32_MAX);
    }
    return pm_stop_check(err);
}

/* Replaces the first entry that is `from` by `to`; returns false if there is none. */
static bool replace_group(int from, int to)
{
    for (struct chunk *c = &stop.chunks; c; c = __atomic_load_n(&c->next, __ATOMIC_ACQUIRE))
        for (size_t i = 0; i < GROUPS_AT_ONCE; i++) {
            int expected = from;
            if (__atomic_compare_exchange_n(&c->groups[i], &expected, to, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE))
                return true;
        }
    return false;
}

void pm_stop_group_add(int group)
{
    while (!replace_group(0, group)) {
        struct chunk *const fresh = pm_alloc(sizeof *fresh);
        fresh->next = __atomic_load_n(&stop.chunks.next, __ATOMIC_ACQUIRE);
        while (!__atomic_compare_exchange_n(&stop.chunks.next, &fresh->next, fresh, false,
                                            __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            continue;
    }
}

void pm_stop_group_remove(int group)
{
    replace_group(group, 0);
}

void pm_stop_request(int number)
{
    leave_note(number);
}

void pm_stop_reset(void)
{
    uint64_t count;
    if (stop.fd >= 0)
        (void)!read(stop.fd, &count, sizeof count);
    __atomic_store_n(&pm_stop__number, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&stop.at, 0, __ATOMIC_RELEASE);
}
