/*
 * Who and where measured: the home folder, the user's and the host's name, replaced in what is
 * printed, so that a file can be sent to others.
 *
 *     const struct pm_here here = {"/home/ada", "ada", "analytical"};
 *     pm_report_hide(report, &here);   // "/home/ada/x by ada on analytical" -> "~/x by user on host"
 *
 * Home folders of other users ("/home/NAME", "/Users/NAME", "/root") become ~ too: a database may
 * come from another machine. A user's and a host's name are replaced where they are whole words, in
 * texts: titles, lines, notes, and cells of PM_CELL_TEXT, also on pages, and in strings of the
 * document of JSON. Names (headings of columns, labels, cells of functions, targets, interpreters)
 * lose only home folders. Names
 * shorter than two characters, "root" and "localhost" say nothing of anybody and stay.
 */
#ifndef PM_REPORT_NAMES_H
#define PM_REPORT_NAMES_H

#include "base/str.h"
#include "report/table.h"

struct pm_here {
    const char *home, *user, *host; /* "": not known */
};

/* Of this process: HOME, the user's name, the host's. The texts stay until the next call. */
struct pm_here pm_here(void);

void pm_report_hide(struct pm_report *report, const struct pm_here *here);
/* Adds `text` without them. `words`: also without the names of user and host. */
void pm_hide_names(struct pm_str *out, const char *text, const struct pm_here *here, bool words);

#endif
