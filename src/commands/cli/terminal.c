/* Does what all commands share: prepares the streams and signals, prints messages and errors,
 * stores --quiet, --verbose, --color and --db, and finds the width of the terminal. */
#include <errno.h>
#include <fcntl.h>
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
#include "base/trace.h"
#include "cli/cli.h"
#include "cli/config.h"
#include "cli/pager.h"
#include "process/process.h"
#include "text/display.h"

/* The values of --quiet, --verbose and --color, and of --db before the command. */
static struct {
    bool quiet, verbose;
    enum pm_cli_colour colour;
    const char *db, *default_db; /* default_db: of portmeter.yaml */
    FILE *nowhere;               /* stream that discards the messages that --quiet omits */
    bool remembered; /* cli_remember_terminal() was called: the two members below are valid */
    bool colours;
    unsigned width;
} settings;

enum {
    NARROW = 80,         /* columns of a terminal that does not know its width */
    BESIDE_AWAITED = 26, /* columns for "waiting     for ", the seconds and a free last column */
};

static bool has_failed;

/* Checks that everything was printed. A stopped command discards what it has not printed yet,
 * because printing could block if nothing reads the output. */
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

/* Opens /dev/null in the wrong direction for each standard stream that is closed. No other file can
 * then have the number of the stream, and using the stream fails. */
static int open_streams(struct pm_error *err)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return pm_error_errno(err, "cannot open /dev/null");
    return PM_OK;
}

/* Shows on a terminal what a command waits for: "waiting     for the devices of jax   3 s". */
static void show_waiting(const char *awaited, unsigned seconds)
{
    const struct pm_messages messages = cli_messages();
    if (!messages.terminal)
        return;
    struct winsize size = {0};
    struct pm_str line = PM_STR_INIT;
    if (awaited) {
        const bool known = !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col > BESIDE_AWAITED;
        pm_str_add(&line, "waiting     for ");
        pm_text_cut(&line, awaited, (known ? size.ws_col : NARROW) - BESIDE_AWAITED);
        pm_str_addf(&line, "   %u s", seconds);
    }
    fprintf(messages.out, "\r%s\033[K", line.data);
    fflush(messages.out);
    pm_str_release(&line);
}

int cli_begin(struct pm_error *err)
{
    signal(SIGXFSZ, SIG_IGN); /* a limit on file size then makes write() fail */
    signal(SIGCHLD, SIG_DFL); /* while it is ignored, no exit status can be read */
    PM_TRY(open_streams(err));
    if (atexit(check_stdout))
        abort();
    pm_process_on_waiting(show_waiting);
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

/* Returns the number of columns of a stream's terminal; 0 if the stream is not a terminal. */
static unsigned columns_of(int stream)
{
    struct winsize size;
    long long columns;
    if (isatty(stream) != 1 || ioctl(stream, TIOCGWINSZ, &size))
        return 0;
    const char *set = getenv("COLUMNS"); /* for a terminal that does not know its width */
    if (!size.ws_col && set && pm_parse_int(set, &columns) && columns > 0 && columns < 10000)
        return (unsigned)columns;
    return size.ws_col;
}

/* ---- messages ---- */

/* Prints an error: on a terminal, wrapped between words; elsewhere, as one line. */
static void print_error(const char *text)
{
    const unsigned width = columns_of(STDERR_FILENO);
    struct pm_str whole = PM_STR_INIT;
    pm_str_addf(&whole, "portmeter: %s", text);
    const char *at = whole.data;
    while (width > 0) {
        const size_t length = pm_text_line_length(at, width);
        if (!at[length])
            break;
        fprintf(stderr, "%.*s\n", (int)length, at);
        at += length + strspn(at + length, " ");
    }
    fprintf(stderr, "%s\n", at);
    pm_str_release(&whole);
}

int cli_fail(int code, const struct pm_error *err)
{
    struct pm_error stopped;
    has_failed = true;
    if (code != PM_ESTOPPED && pm_stop_check(&stopped))
        err = &stopped;
    print_error(err->text);
    return code == PM_EUSAGE ? PM_EXIT_USAGE : PM_EXIT_COULD_NOT;
}

/* The place in a file of the option that a command reads now. `path` is NULL if the option is from
 * the command line. */
static struct {
    const char *path;
    int line;
} usage_from;

void cli_usage_from(const char *path, int line)
{
    usage_from.path = path;
    usage_from.line = line;
}

int cli_usage(const char *format, ...)
{
    struct pm_error err;
    va_list args;
    va_start(args, format);
    if (usage_from.path)
        snprintf(err.text, sizeof err.text, "%s:%d: ", usage_from.path, usage_from.line);
    const size_t used = usage_from.path ? strlen(err.text) : 0;
    vsnprintf(err.text + used, sizeof err.text - used, format, args);
    va_end(args);
    print_error(pm_line_clean(err.text));
    return PM_EXIT_USAGE;
}

bool cli_unknown(const struct pm_words *words, const char *what, const char *text)
{
    struct pm_error err = {{0}};
    pm_words_unknown(words, what, text, &err);
    cli_usage("%s", err.text);
    return false;
}

FILE *cli_out(void)
{
    if (settings.quiet && !settings.nowhere)
        settings.nowhere = fopen("/dev/null", "w");
    return settings.nowhere ? settings.nowhere : stderr;
}

void cli_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(cli_out(), format, args);
    va_end(args);
}

struct pm_messages cli_messages(void)
{
    return (struct pm_messages){.out = cli_out(),
                                .terminal = !settings.quiet && !settings.verbose &&
                                            isatty(STDERR_FILENO) == 1};
}

bool cli_is_quiet(void)
{
    return settings.quiet;
}

/* ---- options of every command ---- */

PM_WORDS_DEFINE(cli_colour, CLI_COLOURS, CLI_COLOUR);

bool cli_take_common(int id, const char *argument)
{
    if (id == CLI_QUIET) {
        settings.quiet = true;
    } else if (id == CLI_VERBOSE) {
        settings.verbose = true;
        pm_trace_show(stderr);
    } else if (!pm_cli_colour_parse(argument, &settings.colour)) {
        return cli_unknown(&pm_cli_colour_words, "--color", argument);
    }
    if (!settings.quiet || !settings.verbose)
        return true;
    cli_usage("--quiet and --verbose exclude each other: give one of them");
    return false;
}

void cli_set_db(const char *path)
{
    settings.db = path;
}

void cli_set_default_db(const char *path)
{
    settings.default_db = path;
}

const char *cli_db(const char *option)
{
    const char *environment = getenv("PORTMETER_DB");
    if (option || settings.db)
        return option ? option : settings.db;
    return environment && *environment ? environment
           : settings.default_db       ? settings.default_db
                                       : PM_PATH_DB;
}

/* ---- the terminal ---- */

void cli_remember_terminal(void)
{
    settings.width = cli_width();
    settings.colours = cli_colour();
    settings.remembered = true;
}

unsigned cli_width(void)
{
    return settings.remembered ? settings.width : columns_of(STDOUT_FILENO);
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

bool cli_colour(void)
{
    const char *terminal = getenv("TERM");
    if (settings.remembered)
        return settings.colours;
    if (settings.colour != CLI_COLOUR_AUTO)
        return settings.colour == CLI_COLOUR_ALWAYS;
    if (is_set("NO_COLOR"))
        return false;
    if (is_set("CLICOLOR_FORCE") && strcmp(getenv("CLICOLOR_FORCE"), "0"))
        return true;
    return isatty(STDOUT_FILENO) == 1 && !(terminal && !strcmp(terminal, "dumb"));
}
