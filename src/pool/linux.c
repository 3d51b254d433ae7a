/* What only Linux has: /proc, the child subreaper, SO_PEERCRED, out-of-memory counters. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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
#include "pool/pool_private.h"

enum {
    STAT_BYTES = 1024,  /* of /proc/PID/stat: the fields wanted stand far before */
    KILL_ROUNDS = 64,   /* scans in one go while new processes show up           */
    ANCESTORS = 100000, /* a chain of parents longer than this is none           */
};

int pm_pool__become_subreaper(struct pm_error *err)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        return pm_error_errno(err, "cannot become a child subreaper");
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

/* Reads the beginning of a small file; "" where there is none. */
static void read_head(int folder, const char *path, char *out, size_t size)
{
    ssize_t length = -1;
    const int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        length = pm_read_full(fd, out, size - 1);
        close(fd);
    }
    out[length > 0 ? length : 0] = '\0';
}

/* The name of a process stands in parentheses and may hold anything, also ')'. */
static bool parse_stat(const char *text, struct pm_pool__process_row *out)
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

static bool read_process(int folder, const char *pid, struct pm_pool__process_row *out)
{
    char path[64], text[STAT_BYTES];
    snprintf(path, sizeof path, "%s/stat", pid);
    read_head(folder, path, text, sizeof text);
    return parse_stat(text, out);
}

static bool read_process_of(int pid, struct pm_pool__process_row *out)
{
    char folder[32];
    snprintf(folder, sizeof folder, "/proc/%d", pid);
    return read_process(AT_FDCWD, folder, out);
}

int pm_pool__parent_of(int pid)
{
    struct pm_pool__process_row row;
    return read_process_of(pid, &row) ? row.parent : 0;
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

/* Clock ticks since boot, as /proc counts them. */
uint64_t pm_pool__ticks_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    const uint64_t rate = (uint64_t)sysconf(_SC_CLK_TCK);
    return (uint64_t)now.tv_sec * rate + (uint64_t)now.tv_nsec * rate / 1000000000u;
}

static int by_pid(const void *a, const void *b)
{
    const struct pm_pool__process_row *const x = a, *const y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

void pm_pool__processes_read(struct pm_pool__process_table *table)
{
    table->count = 0;
    DIR *const folder = opendir("/proc");
    if (!folder)
        return;
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
            continue;
        PM_GROW(table->rows, table->count, table->capacity);
        if (read_process(dirfd(folder), entry->d_name, &table->rows[table->count]))
            table->count++;
    }
    closedir(folder);
    if (table->count > 0)
        qsort(table->rows, table->count, sizeof *table->rows, by_pid);
}

void pm_pool__processes_release(struct pm_pool__process_table *table)
{
    free(table->rows);
    *table = (struct pm_pool__process_table){0};
}

static const struct pm_pool__process_row *find_row(const struct pm_pool__process_table *table,
                                                   int pid)
{
    const struct pm_pool__process_row key = {.pid = pid};
    return table->count == 0 ? NULL : bsearch(&key, table->rows, table->count, sizeof key, by_pid);
}

static bool is_below(const struct pm_pool__process_table *table,
                     const struct pm_pool__process_row *row, int root)
{
    for (size_t i = 0; row && i <= table->count; i++) {
        if (row->parent == root)
            return true;
        row = find_row(table, row->parent);
    }
    return false;
}

static bool is_alive(const struct pm_pool__process_row *row)
{
    return row->state != 'Z' && row->state != 'X';
}

unsigned pm_pool__descendants_count(int root)
{
    struct pm_pool__process_table table = {0};
    unsigned count = 0;
    pm_pool__processes_read(&table);
    for (size_t i = 0; i < table.count; i++)
        count += is_alive(&table.rows[i]) && is_below(&table, &table.rows[i], root);
    pm_pool__processes_release(&table);
    return count;
}

/* A group dies as a whole, without a gap for a fork. */
static void kill_row(const struct pm_pool__process_row *row, int kept_group)
{
    if (row->group > 1 && row->group != kept_group && row->group != getpgrp())
        kill(-row->group, SIGKILL);
    kill(row->pid, SIGKILL);
}

/* Kills the living descendants in the table; gives their number, *fresh those not in `before`. */
static unsigned kill_below(const struct pm_pool__process_table *table,
                           const struct pm_pool__process_table *before, int root, int kept_group,
                           unsigned *fresh)
{
    unsigned count = 0;
    *fresh = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct pm_pool__process_row *const row = &table->rows[i];
        if (!is_alive(row) || !is_below(table, row, root))
            continue;
        kill_row(row, kept_group);
        count++;
        *fresh += find_row(before, row->pid) == NULL;
    }
    return count;
}

unsigned pm_pool__descendants_kill(int root, int kept_group)
{
    struct pm_pool__process_table table = {0}, before = {0};
    unsigned count, fresh, round = 0;
    do {
        pm_pool__processes_read(&table);
        count = kill_below(&table, &before, root, kept_group, &fresh);
        const struct pm_pool__process_table swap = before;
        before = table;
        table = swap;
    } while (fresh > 0 && ++round < KILL_ROUNDS);
    pm_pool__processes_release(&table);
    pm_pool__processes_release(&before);
    return count;
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

unsigned pm_pool__orphans_end(const struct pm_pool *pool, struct pm_pool__reaped *reaped)
{
    struct pm_pool__process_table table = {0};
    const int self = getpid();
    unsigned living = 0;
    pm_pool__processes_read(&table);
    for (size_t i = 0; i < table.count; i++) {
        const struct pm_pool__process_row *const row = &table.rows[i];
        if (row->parent != self || row->started < pool->began || pm_pool__is_driver(pool, row->pid))
            continue;
        if (is_alive(row)) {
            living += 1 + pm_pool__descendants_kill(row->pid, getpgrp());
            kill_row(row, getpgrp());
        }
        reap(row->pid, reaped);
    }
    pm_pool__processes_release(&table);
    return living;
}

/* --- out of memory --- */

/* The number behind the word `oom_kill` in a file of "name value" lines. */
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

/* A line of /proc/self/cgroup: "0::/path" (version 2) or "4:memory:/path" (version 1). */
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

static bool carries(int pid, const char *variable)
{
    char path[64];
    struct pm_str text = PM_STR_INIT;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/environ", pid);
    if (pm_file_read(path, &text, NULL) == PM_OK)
        for (size_t at = 0; at < text.length && !found; at += strlen(text.data + at) + 1)
            found = strcmp(text.data + at, variable) == 0;
    pm_str_release(&text);
    return found;
}

/* Kills those that carry the variable; gives how many live, *fresh those not in `before`. */
static unsigned kill_carriers(const struct pm_pool__process_table *table,
                              const struct pm_pool__process_table *before, const char *variable,
                              unsigned *fresh)
{
    unsigned living = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct pm_pool__process_row *const row = &table->rows[i];
        if (row->pid == getpid() || !is_alive(row) || !carries(row->pid, variable))
            continue;
        kill(row->pid, SIGKILL);
        living++;
        *fresh += find_row(before, row->pid) == NULL;
    }
    return living;
}

int pm_pool_end_leftovers(const char *run_id, unsigned *ended, struct pm_error *err)
{
    struct pm_pool__process_table table = {0}, before = {0};
    char *const variable = pm_format("PORTMETER_RUN=%s", run_id);
    const uint64_t deadline = pm_clock_now() + pm_pool__ns(PM_POOL_CLEAR_MS);
    unsigned living;
    int rc = PM_OK;
    *ended = 0;
    for (;;) {
        pm_pool__processes_read(&table);
        living = kill_carriers(&table, &before, variable, ended);
        if (living == 0 || pm_clock_now() > deadline)
            break;
        const struct pm_pool__process_table swap = before;
        before = table;
        table = swap;
        pm_clock_sleep(pm_pool__ns(PM_POOL_SWEEP_MS));
    }
    if (living > 0)
        rc = pm_error_set(err, PM_EBUSY, "%u processes of run '%s' do not end", living, run_id);
    pm_pool__processes_release(&table);
    pm_pool__processes_release(&before);
    free(variable);
    return rc;
}
