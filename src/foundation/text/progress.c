/* Shows the progress line of a command. */
#include "text/progress.h"

#include <string.h>
#include <sys/ioctl.h>

#include "base/clock.h"
#include "text/display.h"
#include "text/numbers.h"

static const uint64_t second = 1000000000u;
static const uint64_t terminal_interval = 100000000u, plain_interval = 10000000000u;
enum {
    DEFAULT_COLUMNS = 80,
    LEAST_LABEL = 8,
    LEAST_SECONDS = 2,
    LEAST_PERCENT = 3,
    UNCHANGED_SECONDS = 2,
    SMOOTHING_SECONDS = 5,
    RECENT_SECONDS = 60
};

void pm_progress_init(struct pm_progress *progress, FILE *out, bool is_terminal)
{
    *progress = (struct pm_progress){.what = "measuring",
                                     .counted = "with no result",
                                     .now = pm_clock_now,
                                     .out = out,
                                     .is_terminal = is_terminal,
                                     .label = PM_STR_INIT};
}

static size_t screen_columns(const struct pm_progress *progress)
{
    struct winsize size;
    if (progress->columns)
        return progress->columns;
    if (ioctl(fileno(progress->out), TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    return DEFAULT_COLUMNS;
}

/* Returns the finished work, and sets *total to all work. */
static double work_of(const struct pm_progress *p, double *total)
{
    *total = p->work_total > 0 ? p->work_total : (double)p->total;
    return p->work_total > 0 ? p->work_done : (double)p->done;
}

/* Updates the pace by the work, and the time, since the last update. Older work counts less, so the
 * pace follows the load of the machine. The time before the first work was done does not count. */
static void keep_pace(struct pm_progress *p, uint64_t now)
{
    double total;
    const double work = work_of(p, &total);
    if (work > p->work_at_start) {
        const double since = (double)(now - p->paced_at);
        const double kept =
            RECENT_SECONDS * (double)second / (RECENT_SECONDS * (double)second + since);
        p->pace_ns = p->pace_ns * kept + since;
        p->pace_work = p->pace_work * kept + work - p->paced_work;
        p->busy_ns += now - p->paced_at;
    }
    p->paced_at = now;
    p->paced_work = work;
}

/* Computes the time left as a weighted mean of a new estimate and the last one, from which the time
 * since then is subtracted. The more recent the last estimate is, the more weight it has. */
static void estimate(struct pm_progress *p, uint64_t now)
{
    double total;
    const double work = work_of(p, &total), made = work - p->work_at_start;
    if (p->busy_ns < LEAST_SECONDS * second || p->pace_work <= 0 ||
        made * 100 < (total - p->work_at_start) * LEAST_PERCENT)
        return;
    const double fresh = p->pace_ns / p->pace_work * (total - work);
    if (!p->left) {
        p->left = (uint64_t)fresh;
    } else {
        const double since = (double)(now - p->left_at);
        const double weight = since / (since + SMOOTHING_SECONDS * (double)second);
        const double old = (double)p->left > since ? (double)p->left - since : 0;
        p->left = (uint64_t)(old + weight * (fresh - old));
    }
    p->left_at = now;
}

/* Appends the number of failures, such as "   9 with no result". */
static void add_failing(struct pm_str *out, const struct pm_progress *p)
{
    if (!p->counted)
        return;
    pm_str_add(out, "   ");
    pm_text_count(out, (int64_t)p->failing);
    pm_str_addf(out, " %s", p->counted);
}

static void add_tail(struct pm_str *out, const struct pm_progress *p)
{
    const uint64_t unchanged = (p->now() - p->changed) / second;
    if (p->is_terminal && unchanged >= UNCHANGED_SECONDS) {
        pm_str_addf(out, "   unchanged for %llu s", (unsigned long long)unchanged);
        return;
    }
    add_failing(out, p);
    pm_str_add(out, p->counted ? " so far" : "");
    if (p->left && p->done < p->total) {
        char text[32];
        pm_clock_duration(p->left, text);
        pm_str_addf(out, "   %s left", text);
    }
}

static void add_amount(struct pm_str *out, const struct pm_progress *p, uint64_t amount)
{
    if (p->in_bytes)
        pm_text_bytes(out, (int64_t)amount);
    else
        pm_text_count(out, (int64_t)amount);
}

static void add_head(struct pm_str *out, const struct pm_progress *p)
{
    pm_str_addf(out, "%-10s  ", p->what);
    add_amount(out, p, p->done);
    pm_str_add_char(out, '/');
    add_amount(out, p, p->total);
}

/* Adds the whole line; shortens first the label, then the line, to fit the screen. */
static void add_status(struct pm_str *out, const struct pm_progress *p, size_t columns)
{
    struct pm_str line = PM_STR_INIT, tail = PM_STR_INIT;
    add_head(&line, p);
    add_tail(&tail, p);
    if (p->label.length) {
        const size_t used = line.length + 2 + tail.length;
        const size_t spare = columns > used ? columns - used : 0;
        pm_str_add(&line, "  ");
        pm_text_cut(&line, p->label.data, spare > LEAST_LABEL ? spare : LEAST_LABEL);
    }
    pm_str_add(&line, tail.data);
    pm_text_cut(out, line.data, columns);
    pm_str_release(&line);
    pm_str_release(&tail);
}

static void erase(struct pm_progress *p)
{
    if (p->is_drawn)
        fputs("\r\033[K", p->out);
    p->is_drawn = false;
}

static void draw(struct pm_progress *p)
{
    /* A full last column would make some terminals wrap. */
    const size_t columns = p->is_terminal ? screen_columns(p) - 1 : SIZE_MAX;
    struct pm_str line = PM_STR_INIT;
    add_status(&line, p, columns);
    if (p->is_terminal)
        fprintf(p->out, "\r%s\033[K", line.data);
    else
        fprintf(p->out, "%s\n", line.data);
    fflush(p->out);
    p->is_drawn = p->is_terminal;
    p->drawn = p->now();
    pm_str_release(&line);
}

/* Sets the label, and notes the time if it or the finished work has changed. */
static void set_label(struct pm_progress *p, const char *label, bool is_done_changed, uint64_t now)
{
    struct pm_str clean = PM_STR_INIT;
    pm_text_clean(&clean, label);
    if (is_done_changed || !p->changed || strcmp(clean.data, p->label.data) != 0)
        p->changed = now;
    pm_str_release(&p->label);
    p->label = clean;
}

void pm_progress_update(struct pm_progress *progress, const char *label, uint64_t done,
                        uint64_t total, uint64_t failing)
{
    const uint64_t now = progress->now();
    const bool is_first = !progress->started;
    if (is_first) {
        progress->started = progress->paced_at = now;
        /* The first line is printed at once on a terminal, and after one interval elsewhere. */
        progress->drawn = progress->is_terminal ? now - terminal_interval : now;
    }
    set_label(progress, label, done != progress->done, now);
    progress->done = done;
    progress->total = total > done ? total : done;
    progress->failing = failing;
    if (is_first)
        progress->work_at_start = progress->paced_work = work_of(progress, &(double){0});
    keep_pace(progress, now);
    if (now - progress->started < progress->patience)
        return;
    if (now - progress->drawn < (progress->is_terminal ? terminal_interval : plain_interval))
        return;
    estimate(progress, now);
    draw(progress);
}

void pm_progress_end(struct pm_progress *progress)
{
    erase(progress);
    if (progress->started && progress->now() - progress->started >= progress->patience) {
        struct pm_str line = PM_STR_INIT;
        char took[32];
        pm_clock_duration(progress->now() - progress->started, took);
        add_head(&line, progress);
        add_failing(&line, progress);
        fprintf(progress->out, "%s   took %s\n", line.data, took);
        pm_str_release(&line);
    }
    fflush(progress->out);
    pm_str_release(&progress->label);
}
