/*
 * Runs many commands of the program. A fork runs several of them one after the other, so that the
 * program is not loaded, and leaks are not searched, for each command.
 *
 *     forks GOOD      GOOD is a database that is opened first
 *
 * Each line of stdin is several commands: the beginning of the names of files for what they print
 * (N.out and N.err are added, N from 0), the seconds that all of them may take, the seconds of
 * processor time of each, and the words of the commands, all separated by tabs; an empty word is
 * before each command. The answers are lines of stdout: the exit status of each command that
 * ended, and last "end", the status of the fork as wait() gives it, the most memory that it had in
 * KiB, and 1 if it took too long.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store.h"

#undef main
int portmeter_main(int argc, char **argv);

enum { MOST_WORDS = 128, MOST_PATH = 512 };

static void give_up(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

/* Opens a database once, so that the list of tables that it must have is made before the forks. */
static void open_once(const char *path)
{
    struct pm_store *store = NULL;
    struct pm_error err = {""};
    if (pm_store_open(&store, path, PM_STORE_READ, &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(EXIT_FAILURE);
    }
    pm_store_free(store);
}

static void redirect(int fd, const char *path, int flags)
{
    const int file = open(path, flags, 0600);
    if (file < 0 || dup2(file, fd) < 0)
        give_up(path);
    close(file);
}

static void redirect_to(const char *begin, int number)
{
    char path[MOST_PATH];
    snprintf(path, sizeof path, "%s%d.out", begin, number);
    redirect(STDOUT_FILENO, path, O_WRONLY | O_CREAT | O_TRUNC);
    snprintf(path, sizeof path, "%s%d.err", begin, number);
    redirect(STDERR_FILENO, path, O_WRONLY | O_CREAT | O_TRUNC);
}

static void limit_time(const char *seconds)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    const rlim_t most =
        (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + strtoul(seconds, NULL, 10) + 1;
    setrlimit(RLIMIT_CPU, &(struct rlimit){most, RLIM_INFINITY});
}

/* Runs the commands, then ends the process, at which a sanitizer looks for leaks. */
static _Noreturn void run_all(char **words)
{
    static char name[] = "portmeter";
    const int answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
    char **at = words + 3;
    setsid();
    redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
    for (int number = 0, count; *at; at += count, number++) {
        count = 1;
        while (at[count] && *at[count])
            count++;
        char *command[MOST_WORDS + 1] = {name};
        memcpy(command + 1, at + 1, ((size_t)count - 1) * sizeof *command);
        redirect_to(words[0], number);
        limit_time(words[2]);
        const int status = portmeter_main(count, command);
        fflush(stdout);
        dprintf(answers, "%d\n", status);
    }
    exit(EXIT_SUCCESS);
}

/* Waits for a fork; kills its group if that takes too long. */
static void wait_for(pid_t pid, const char *seconds)
{
    struct rusage usage;
    int status = 0;
    const int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0)
        give_up("pidfd_open");
    const bool late = poll(&(struct pollfd){fd, POLLIN, 0}, 1, atoi(seconds) * 1000) == 0;
    if (late)
        kill(-pid, SIGKILL);
    close(fd);
    if (wait4(pid, &status, 0, &usage) != pid)
        give_up("wait4");
    printf("end %d %ld %d\n", status, usage.ru_maxrss, late);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t capacity = 0;
    if (argc != 2)
        return EXIT_FAILURE;
    open_once(argv[1]);
    for (ssize_t length; (length = getline(&line, &capacity, stdin)) > 0;) {
        char *words[MOST_WORDS + 1] = {NULL}, *rest = line;
        int count = 0;
        line[length - 1] = '\0';
        for (char *word; count < MOST_WORDS && (word = strsep(&rest, "\t"));)
            words[count++] = word;
        if (count < 5)
            return EXIT_FAILURE;
        const pid_t pid = fork();
        if (pid < 0)
            give_up("fork");
        if (pid == 0)
            run_all(words);
        wait_for(pid, words[1]);
    }
    free(line);
    return EXIT_SUCCESS;
}
