/* Starts a process in a PID namespace of its own. When it dies, the kernel ends all processes that
 * it started. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/process_private.h"

/* Returns the namespaces to create. The user namespace gives an ordinary user the right to create
 * the others. */
static int namespaces(void)
{
    return CLONE_NEWPID | CLONE_NEWNS | (geteuid() ? CLONE_NEWUSER : 0);
}

pid_t pm_process__fork_contained(bool offline)
{
    const int network = offline ? CLONE_NEWNET : 0;
    return (pid_t)syscall(SYS_clone, (unsigned long)(namespaces() | network | SIGCHLD), 0, 0, 0, 0);
}

static bool write_text(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    const bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return written;
}

/* Maps the user and the group to themselves. */
static bool map_ids(unsigned user, unsigned group)
{
    char line[40];
    snprintf(line, sizeof line, "%u %u 1", user, user);
    if (!write_text("/proc/self/setgroups", "deny") || !write_text("/proc/self/uid_map", line))
        return false;
    snprintf(line, sizeof line, "%u %u 1", group, group);
    return write_text("/proc/self/gid_map", line);
}

bool pm_process__contain(unsigned user, unsigned group)
{
    if (user && !map_ids(user, group))
        return false;
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0;
}

/* Equals struct mount_attr of <linux/mount.h>, which some versions of glibc do not allow together
 * with <sys/mount.h>. Older versions also have no function for this system call. */
struct mount_change {
    uint64_t set, clear, propagation, user_namespace;
};

static bool change_mount(const char *path, unsigned flags, struct mount_change change)
{
    return syscall(SYS_mount_setattr, AT_FDCWD, path, flags, &change, sizeof change) == 0;
}

/* Makes `writable` a separate mount, because read-only is a property of whole mounts. */
bool pm_process__confine(const char *writable)
{
    enum { READ_ONLY = 1, RECURSIVE = 0x8000 };
    return mount(writable, writable, NULL, MS_BIND, NULL) == 0 &&
           change_mount("/", RECURSIVE, (struct mount_change){.set = READ_ONLY}) &&
           change_mount(writable, 0, (struct mount_change){.clear = READ_ONLY});
}

static bool try_it(void)
{
    const unsigned user = geteuid(), group = getegid();
    int status = 1;
    fflush(NULL);
    const pid_t pid = pm_process__fork_contained(false);
    if (pid == 0)
        _exit(pm_process__contain(user, group) ? 0 : 1);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return pid > 0 && status == 0;
}

bool pm_process_can_contain(void)
{
    static enum { UNKNOWN, YES, NO } known;
    if (known == UNKNOWN)
        known = try_it() ? YES : NO;
    return known == YES;
}
