/* Contains the code that is specific to Linux: /proc, the child subreaper, SO_PEERCRED,
 * out-of-memory counters. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "base/trace.h"
#include "pool/pool_private.h"

enum {
    STAT_BYTES = 1024,  /* enough of /proc/PID/stat for the fields needed */
    HUNT_ROUNDS = 64,   /* scans in a row while new processes appear      */
    ANCESTORS = 100000, /* a longer chain of parents is a loop            */
    SHOWN_PIDS = 5,     /* limit of processes that a message names */
};

/* A row of the process table. */
struct process_row {
    int pid, parent, group;
    char state;
    bool wanted;      /* the search is for this process */
    uint64_t started; /* clock ticks since boot  */
};

struct process_table {
    struct process_row *rows; /* by pid */
    size_t count, capacity;
};

int pm_pool__become_subreaper(struct pm_error *err)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        return pm_error_errno(
            err,
            "cannot adopt orphaned processes with PR_SET_CHILD_SUBREAPER, which portmeter needs");
    return PM_OK;
}

int pm_pool__peer_pid(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return -1;
    return peer.pid;
}

/* Reads the beginning of a small file. On failure: false, "" and errno. */
static bool read_head(int folder, const char *path, char *out, size_t size)
{
    ssize_t length = -1;
    const int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        length = pm_read_full(fd, out, size - 1);
        const int why = errno;
        close(fd);
        errno = why;
    }
    out[length > 0 ? length : 0] = '\0';
    return length >= 0;
}

int pm_pool__check_proc(struct pm_error *err)
{
    char text[STAT_BYTES];
    if (!read_head(AT_FDCWD, "/proc/self/stat", text, sizeof text))
        return pm_error_errno(
            err, "cannot read /proc/self/stat (portmeter needs /proc to find processes)");
    return PM_OK;
}

/* Parses a line of /proc/PID/stat. The name of the process is in parentheses and may contain
 * anything, even ')'. */
static bool parse_stat(const char *text, struct process_row *out)
{
    const char *const name_end = strrchr(text, ')');
    unsigned long long started;
    if (!name_end || sscanf(text, "%d", &out->pid) != 1)
        return false;
    if (sscanf(name_end + 1,
               " %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &out->state, &out->parent, &out->group, &started) != 4)
        return false;
    out->started = started;
    return true;
}

enum found {
    FOUND,
    NOT_OURS, /* it has ended, or belongs to another user          */
    UNKNOWN   /* it could not be read                              */
};

static enum found read_process(int folder, const char *pid, struct process_row *out)
{
    char path[64], text[STAT_BYTES];
    snprintf(path, sizeof path, "%s/stat", pid);
    if (!read_head(folder, path, text, sizeof text))
        return errno == ENOENT || errno == ESRCH || errno == EACCES || errno == EPERM ? NOT_OURS
                                                                                      : UNKNOWN;
    return parse_stat(text, out) ? FOUND : NOT_OURS;
}

static bool read_process_of(int pid, struct process_row *out)
{
    char folder[32];
    snprintf(folder, sizeof folder, "/proc/%d", pid);
    return read_process(AT_FDCWD, folder, out) == FOUND;
}

int pm_pool__parent_of(int pid)
{
    struct process_row row;
    return read_process_of(pid, &row) ? row.parent : 0;
}

uint64_t pm_pool__resident(int pid)
{
    char path[32], text[STAT_BYTES];
    unsigned long long pages;
    snprintf(path, sizeof path, "/proc/%d/statm", pid);
    if (!read_head(AT_FDCWD, path, text, sizeof text) || sscanf(text, "%*u %llu", &pages) != 1)
        return 0;
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Returns the pid of a process in its own PID namespace; 0 if there is no such process. */
static int own_pid(int pid)
{
    char path[32], text[4 * STAT_BYTES];
    int own = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    if (!read_head(AT_FDCWD, path, text, sizeof text))
        return 0;
    const char *line = strstr(text, "\nNSpid:");
    const char *end = line ? strchr(line + 1, '\n') : NULL;
    while (end && end > line && end[-1] >= '0' && end[-1] <= '9')
        end--;
    return end && sscanf(end, "%d", &own) == 1 ? own : pid;
}

bool pm_pool__is_contained(int pid)
{
    return own_pid(pid) != pid;
}

int pm_pool__child_pid(int driver, int own, int connected)
{
    enum { NO_PROCESS = INT_MAX }; /* above every number that the kernel gives */
    char path[64], text[STAT_BYTES], *rest = NULL;
    int alone, second;
    if (connected > 0 && own_pid(connected) == own)
        return connected;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", driver, driver);
    read_head(AT_FDCWD, path, text, sizeof text);
    /* A driver has one child at a time; its other processes are strays of this child. So a single
     * process is the child or belongs to it. Its own pid, which is slow to look up, is not needed.
     */
    if (connected <= 0 && sscanf(text, "%d %d", &alone, &second) == 1 && alone > 0)
        return alone;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        const int pid = atoi(word);
        if (pid > 0 && own_pid(pid) == own)
            return pid;
    }
    return connected > 0 ? connected : NO_PROCESS;
}

bool pm_pool__descends_from(int pid, int ancestor)
{
    for (int i = 0; pid > 1 && i < ANCESTORS; i++) {
        if (pid == ancestor)
            return true;
        pid = pm_pool__parent_of(pid);
    }
    return false;
}

uint64_t pm_pool__thread_count(void)
{
    char text[128];
    unsigned long long total = 0;
    read_head(AT_FDCWD, "/proc/loadavg", text, sizeof text);
    if (sscanf(text, "%*s %*s %*s %*[^/]/%llu", &total) != 1)
        return 0;
    return total;
}

/* Returns the clock ticks since boot, as /proc counts them. */
uint64_t pm_pool__ticks_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    const uint64_t rate = (uint64_t)sysconf(_SC_CLK_TCK);
    return (uint64_t)now.tv_sec * rate + (uint64_t)now.tv_nsec * rate / 1000000000u;
}

static int by_pid(const void *a, const void *b)
{
    const struct process_row *const x = a, *const y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

static void processes_release(struct process_table *table)
{
    free(table->rows);
    *table = (struct process_table){0};
}

static const struct process_row *find_row(const struct process_table *table, int pid)
{
    const struct process_row key = {.pid = pid};
    return table->count == 0 ? NULL : bsearch(&key, table->rows, table->count, sizeof key, by_pid);
}

static bool is_alive(const struct process_row *row)
{
    return row->state != 'Z' && row->state != 'X';
}

/* --- ending processes --- */

/*
 * A search for processes, usually to kill them. They may fork during the search. So each process is
 * stopped (SIGSTOP) when it is found; its earlier children usually have higher pids and are found
 * later in the same scan. When a scan finds no new process, all are stopped and can be killed
 * safely.
 */
struct hunt {
    bool (*wanted)(const struct hunt *hunt, const struct process_table *table,
                   const struct process_row *row);
    const struct pm_pool *pool;
    const char *variable;
    int root;
    bool count_only;
    struct process_table table; /* processes that the last scan found */
    bool blind;                 /* it could not read all processes      */
    unsigned living, fresh, total;
};

/* Returns how many processes the last scan found, or PM_POOL_UNKNOWN. */
static int living(const struct hunt *hunt)
{
    return hunt->blind ? PM_POOL_UNKNOWN : (int)hunt->living;
}

/* Returns whether the search is for this process, and stops the process unless the search only
 * counts. */
static bool seize(const struct hunt *hunt, struct process_row *row)
{
    row->wanted = row->wanted || (is_alive(row) && hunt->wanted(hunt, &hunt->table, row));
    if (row->wanted && !hunt->count_only)
        kill(row->pid, SIGSTOP);
    return row->wanted;
}

static void scan(struct hunt *hunt)
{
    struct process_table *const table = &hunt->table;
    DIR *const folder = opendir("/proc");
    const struct dirent *entry;
    hunt->blind = !folder;
    while (folder && (entry = readdir(folder))) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
            continue;
        PM_GROW(table->rows, table->count, table->capacity);
        struct process_row *const row = &table->rows[table->count];
        *row = (struct process_row){0};
        const enum found found = read_process(dirfd(folder), entry->d_name, row);
        hunt->blind |= found == UNKNOWN;
        if (found == FOUND) {
            seize(hunt, row);
            table->count++;
        }
    }
    if (folder)
        closedir(folder);
    if (table->count > 0)
        qsort(table->rows, table->count, sizeof *table->rows, by_pid);
}

static void scan_again(struct hunt *hunt)
{
    struct process_table before = hunt->table;
    hunt->table = (struct process_table){0};
    hunt->living = hunt->fresh = 0;
    scan(hunt);
    for (size_t i = 0; i < hunt->table.count; i++) {
        struct process_row *const row = &hunt->table.rows[i];
        if (!seize(hunt, row)) /* its parent has a higher pid, so it is known only now */
            continue;
        const struct process_row *const old = find_row(&before, row->pid);
        const bool fresh = !old || !old->wanted;
        if (fresh && !hunt->count_only)
            pm_trace("signal", "{s:i, s:i}", "pid", row->pid, "number", SIGSTOP);
        hunt->living++;
        hunt->fresh += fresh;
    }
    hunt->total += hunt->fresh;
    processes_release(&before);
}

struct precedence {
    int policy;
    struct sched_param parameters;
    bool taken;
};

/* Raises this process's priority if the system allows it, because it may compete for CPU time with
 * thousands of processes. Keeps a higher scheduling class. Returns the former priority. */
static struct precedence take_precedence(void)
{
    const struct sched_param least = {.sched_priority = 1};
    struct precedence before = {.policy = sched_getscheduler(0)};
    const int policy = before.policy & ~SCHED_RESET_ON_FORK;
    before.taken =
        (policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE) &&
        sched_getparam(0, &before.parameters) == 0 &&
        sched_setscheduler(0, SCHED_RR | (before.policy & SCHED_RESET_ON_FORK), &least) == 0;
    return before; /* without permission, the search takes longer */
}

static void give_precedence_back(const struct precedence *before)
{
    if (before->taken)
        (void)!sched_setscheduler(0, before->policy, &before->parameters);
}

/* Stops and kills all processes of the search. The table then contains the processes of the
 * last scan; killed processes may still be ending. */
static void end_all(struct hunt *hunt)
{
    unsigned round = 0;
    const struct precedence before = take_precedence();
    do
        scan_again(hunt);
    while (hunt->fresh > 0 && ++round < HUNT_ROUNDS);
    for (size_t i = 0; i < hunt->table.count; i++)
        if (hunt->table.rows[i].wanted) {
            pm_trace("signal", "{s:i, s:i}", "pid", hunt->table.rows[i].pid, "number", SIGKILL);
            kill(hunt->table.rows[i].pid, SIGKILL);
        }
    give_precedence_back(&before);
}

static bool is_below(const struct hunt *hunt, const struct process_table *table,
                     const struct process_row *row)
{
    for (size_t i = 0; row && i <= table->count; i++) {
        if (row->parent == hunt->root)
            return true;
        row = find_row(table, row->parent);
    }
    return false;
}

int pm_pool__descendants_count(int root)
{
    struct hunt hunt = {.wanted = is_below, .root = root, .count_only = true};
    scan_again(&hunt);
    processes_release(&hunt.table);
    return living(&hunt);
}

void pm_pool__descendants_kill(int root)
{
    struct hunt hunt = {.wanted = is_below, .root = root};
    end_all(&hunt);
    processes_release(&hunt.table);
}

static uint64_t nanoseconds(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

static void reap(int pid, struct pm_pool__reaped *reaped)
{
    struct rusage usage;
    int status;
    if (wait4(pid, &status, WNOHANG, &usage) != pid || !reaped || reaped->pid != pid)
        return;
    reaped->found = true;
    reaped->status = status;
    reaped->user_ns = nanoseconds(&usage.ru_utime);
    reaped->system_ns = nanoseconds(&usage.ru_stime);
    reaped->max_rss = (uint64_t)usage.ru_maxrss * 1024;
}

static bool is_driver(const struct pm_pool *pool, int pid)
{
    for (const struct pm_pool__process *p = pool->processes; p; p = p->next)
        if (p->pid == pid)
            return true;
    return false;
}

/* Returns whether a process, or an ancestor of it, was inherited from a driver that died. */
static bool is_orphan(const struct hunt *hunt, const struct process_table *table,
                      const struct process_row *row)
{
    for (size_t i = 0; row && i <= table->count; i++) {
        if (row->parent == hunt->root)
            return row->started >= hunt->pool->began && !is_driver(hunt->pool, row->pid);
        row = find_row(table, row->parent);
    }
    return false;
}

int pm_pool__orphans_end(struct pm_pool *pool, struct pm_pool__reaped *reaped)
{
    if (!pool->may_have_orphans)
        return 0;
    struct hunt hunt = {.wanted = is_orphan, .pool = pool, .root = getpid()};
    end_all(&hunt);
    for (size_t i = 0; i < hunt.table.count; i++) {
        const struct process_row *const row = &hunt.table.rows[i];
        if (row->parent == hunt.root && is_orphan(&hunt, &hunt.table, row))
            reap(row->pid, reaped);
    }
    pool->may_have_orphans = living(&hunt) != 0;
    processes_release(&hunt.table);
    return living(&hunt);
}

/* --- out of memory --- */

/* Returns the value of `oom_kill` in a file of "name value" lines; 0 if there is none. */
uint64_t pm_pool__out_of_memory_count(const char *path)
{
    struct pm_str text = PM_STR_INIT;
    unsigned long long count = 0;
    if (pm_file_read(path, &text, NULL) == PM_OK) {
        const char *at =
            pm_starts_with(text.data, "oom_kill ") ? text.data : strstr(text.data, "\noom_kill ");
        if (at)
            sscanf(at, " oom_kill %llu", &count);
    }
    pm_str_release(&text);
    return count;
}

/* Returns the path of the file that counts out-of-memory kills, from a line of /proc/self/cgroup:
 * "0::/path" (version 2) or "4:memory:/path" (version 1). NULL if there is no such file. */
static char *memory_events_of(const char *line)
{
    const char *const names = strchr(line, ':');
    const char *const path = names ? strchr(names + 1, ':') : NULL;
    if (!path)
        return NULL;
    const size_t length = (size_t)(path - names - 1);
    char *file = NULL;
    if (length == 0 && line[0] == '0')
        file = pm_format("/sys/fs/cgroup%s/memory.events", path + 1);
    else if (length == 6 && memcmp(names + 1, "memory", length) == 0)
        file = pm_format("/sys/fs/cgroup/memory%s/memory.oom_control", path + 1);
    if (file && !pm_path_exists(file)) {
        free(file);
        file = NULL;
    }
    return file;
}

char *pm_pool__memory_events_path(void)
{
    struct pm_str text = PM_STR_INIT;
    char *file = NULL, *rest = NULL;
    if (pm_file_read("/proc/self/cgroup", &text, NULL) == PM_OK)
        for (char *line = strtok_r(text.data, "\n", &rest); line && !file;
             line = strtok_r(NULL, "\n", &rest))
            file = memory_events_of(line);
    pm_str_release(&text);
    return file ? file : pm_strdup("/proc/vmstat");
}

/* --- leftovers of another supervisor --- */

static bool carries(const struct hunt *hunt, const struct process_table *table,
                    const struct process_row *row)
{
    char path[64];
    struct pm_str text = PM_STR_INIT;
    bool found = false;
    (void)table;
    snprintf(path, sizeof path, "/proc/%d/environ", row->pid);
    if (row->pid != hunt->root && pm_file_read(path, &text, NULL) == PM_OK)
        for (size_t at = 0; at < text.length && !found; at += strlen(text.data + at) + 1)
            found = strcmp(text.data + at, hunt->variable) == 0;
    pm_str_release(&text);
    return found;
}

/* Appends a text such as "4711, 4712": the processes that the last scan found, at most
 * SHOWN_PIDS. */
static void list_living(const struct hunt *hunt, struct pm_str *out)
{
    unsigned shown = 0;
    for (size_t i = 0; i < hunt->table.count; i++) {
        const struct process_row *const row = &hunt->table.rows[i];
        if (row->wanted && shown++ < SHOWN_PIDS)
            pm_str_addf(out, "%s%d", shown > 1 ? ", " : "", row->pid);
    }
    if (shown > SHOWN_PIDS)
        pm_str_addf(out, " and %u more", shown - SHOWN_PIDS);
}

static int report_living(const struct hunt *hunt, struct pm_error *err)
{
    const bool one = hunt->living == 1;
    struct pm_str pids = PM_STR_INIT;
    list_living(hunt, &pids);
    const int rc = pm_error_set(err, PM_EBUSY,
                                "cannot end %u process%s of the interrupted run (PID %s): end %s "
                                "yourself, then try again",
                                hunt->living, one ? "" : "es", pids.data, one ? "it" : "them");
    pm_str_release(&pids);
    return rc;
}

int pm_pool_end_leftovers(const char *run_id, unsigned *ended, struct pm_error *err)
{
    char *const variable = pm_format("PORTMETER_RUN=%s", run_id);
    struct hunt hunt = {.wanted = carries, .variable = variable, .root = getpid()};
    const uint64_t deadline = pm_clock_now() + pm_pool__ns(PM_POOL_CLEAR_MS);
    int rc = PM_OK;
    for (end_all(&hunt); living(&hunt) != 0 && !rc && pm_clock_now() < deadline; end_all(&hunt))
        rc = pm_stop_sleep(pm_pool__ns(PM_POOL_SWEEP_MS), err);
    *ended = hunt.total;
    if (!rc && hunt.blind)
        rc = pm_error_set(err, PM_EIO,
                          "cannot read /proc to find the processes of the interrupted run: check "
                          "that it is mounted and that more files can be opened (ulimit -n)");
    else if (!rc && hunt.living)
        rc = report_living(&hunt, err);
    processes_release(&hunt.table);
    free(variable);
    return rc;
}
