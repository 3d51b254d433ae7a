/* What the subcommands share: parsing over popt, messages, the terminal. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/line.h"
#include "base/stop.h"
#include "base/str.h"
#include "cli/cli.h"

static bool has_failed;

/* A stopped command discards what it has not printed yet: waiting for its reader could block. */
static void check_stdout(void)
{
    if (pm_stop_signal())
        __fpurge(stdout);
    errno = 0;
    const bool unwritten = fflush(stdout) || ferror(stdout);
    if (!unwritten || has_failed)
        return;
    fprintf(stderr, "portmeter: cannot write to stdout%s%s%s\n", errno ? ": " : "",
            errno ? strerror(errno) : "", pm_error_advice(errno));
    _exit(PM_EXIT_COULD_NOT);
}

/* Opens a closed stream in the wrong direction: no other file then gets its number, and using it is
 * an error. */
static int open_streams(struct pm_error *err)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return pm_error_errno(err, "cannot open /dev/null");
    return PM_OK;
}

int cli_begin(struct pm_error *err)
{
    signal(SIGXFSZ, SIG_IGN); /* a limit on file size then makes write() fail */
    signal(SIGCHLD, SIG_DFL); /* if ignored, no exit status could be read */
    PM_TRY(open_streams(err));
    if (atexit(check_stdout))
        abort();
    return pm_stop_install(err);
}

int cli_end(int status)
{
    const int number = pm_stop_uninstall();
    return number ? PM_EXIT_SIGNAL + number : status;
}

void cli_outlive_readers(void)
{
    signal(SIGPIPE, SIG_IGN);
}

int cli_fail(int code, const struct pm_error *err)
{
    struct pm_error stopped;
    has_failed = true;
    if (code != PM_ESTOPPED && pm_stop_check(&stopped))
        err = &stopped;
    fprintf(stderr, "portmeter: %s\n", err->text);
    return code == PM_EUSAGE ? PM_EXIT_USAGE : PM_EXIT_COULD_NOT;
}

int cli_usage(const char *format, ...)
{
    struct pm_error err;
    va_list args;
    va_start(args, format);
    vsnprintf(err.text, sizeof err.text, format, args);
    va_end(args);
    pm_line_print(stderr, "portmeter: %s", err.text);
    return PM_EXIT_USAGE;
}

bool cli_unknown(const struct pm_words *words, const char *what, const char *text)
{
    struct pm_error err = {{0}};
    pm_words_unknown(words, what, text, &err);
    cli_usage("%s", err.text);
    return false;
}

bool cli_format(const char *argument, enum pm_report_format *out)
{
    return pm_report_format_parse(argument, out) ||
           cli_unknown(&pm_report_format_words, "format", argument);
}

bool cli_format_but_csv(const char *command, const char *formats, const char *argument,
                        enum pm_report_format *out)
{
    if (pm_report_format_parse(argument, out) && *out != PM_FORMAT_CSV)
        return true;
    cli_usage("%s cannot print '%s': use --format %s", command, argument, formats);
    return false;
}

bool cli_take_width(const char *argument, unsigned *out)
{
    long long columns;
    if (!cli_number("width", argument, 0, 100000, &columns))
        return false;
    *out = (unsigned)columns;
    return true;
}

bool cli_take_intolerable(const char *argument, double *out)
{
    if (pm_parse_double(argument, out) && *out > 1 && isfinite(*out))
        return true;
    cli_usage("invalid --intolerable '%s': give a factor above 1, such as 10", argument);
    return false;
}

void cli_init(struct cli *cli, const char *name, int argc, const char **argv,
              const struct poptOption *options, const char *operands)
{
    argv[0] = name; /* which --help prints after "Usage:" */
    *cli = (struct cli){.name = name, .context = poptGetContext(name, argc, argv, options, 0)};
    poptSetOtherOptionHelp(cli->context, operands);
}

int cli_next(struct cli *cli, const char **argument)
{
    const int option = poptGetNextOpt(cli->context);
    *argument = NULL;
    if (option == -1)
        return 0;
    if (option < -1) {
        cli_usage("%s: %s: %s --help lists the options",
                  poptBadOption(cli->context, POPT_BADOPTION_NOALIAS), poptStrerror(option),
                  cli->name);
        return -1;
    }
    char *text = poptGetOptArg(cli->context);
    if (text) {
        PM_GROW(cli->owned, cli->owned_count, cli->owned_capacity);
        cli->owned[cli->owned_count++] = text;
    }
    *argument = text;
    return option;
}

const char *cli_operand(struct cli *cli)
{
    return poptGetArg(cli->context);
}

void cli_release(struct cli *cli)
{
    poptFreeContext(cli->context);
    pm_free_strings(cli->owned, cli->owned_count);
}

void cli_add(struct cli_list *list, const char *item)
{
    PM_GROW(list->items, list->count, list->capacity);
    list->items[list->count++] = item;
}

void cli_list_release(struct cli_list *list)
{
    free(list->items);
}

const char *cli_db(const char *option)
{
    const char *environment = getenv("PORTMETER_DB");
    return option ? option : environment && *environment ? environment : PM_PATH_DB;
}

struct pm_messages cli_messages(void)
{
    return (struct pm_messages){.out = stderr, .terminal = isatty(STDERR_FILENO) == 1};
}

unsigned cli_width(void)
{
    struct winsize size;
    if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
        return 0;
    return size.ws_col;
}

bool cli_colour(void)
{
    const char *no = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) == 1 && !(no && *no);
}

bool cli_number(const char *option, const char *text, long long least, long long most,
                long long *out)
{
    if (pm_parse_int(text, out) && *out >= least && *out <= most)
        return true;
    cli_usage("invalid --%s '%s': give a whole number from %lld to %lld", option, text, least,
              most);
    return false;
}

bool cli_stored(const char *option, const char *kind, const char *text, int64_t *out)
{
    long long number;
    *out = PM_NEWEST;
    if (!text || !strcmp(text, "newest"))
        return true;
    if (!pm_parse_int(text, &number) || number < 1) {
        cli_usage("invalid --%s '%s': give the number of a %s, or newest", option, text, kind);
        return false;
    }
    *out = number;
    return true;
}
