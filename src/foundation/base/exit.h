/*
 * The exit statuses of all commands. docs/exit-statuses.md lists for users which command ends with
 * which status.
 *
 * A command that did its work ends with 0, whatever it found, because a script with `set -e` must
 * not stop at a result. With --exit-code, the result decides whether the command ends with WORSE.
 * The only exception is `suite check`: users run it only for its verdict, so it ends with WORSE for
 * a faulty case even without --exit-code.
 */
#ifndef PM_BASE_EXIT_H
#define PM_BASE_EXIT_H

enum pm_exit {
    PM_EXIT_FINE = 0,      /* measured, printed, or not worse */
    PM_EXIT_WORSE = 1,     /* with --exit-code: B is worse, or something fails */
    PM_EXIT_USAGE = 2,     /* the command line is wrong: PM_EUSAGE */
    PM_EXIT_COULD_NOT = 3, /* the command could not do its work: any other code, or out of memory */
    PM_EXIT_INCONCLUSIVE =
        4, /* a run is INVALID; or, with --exit-code, it is unknown whether B is worse */
    PM_EXIT_SIGNAL = 128, /* plus the number of the signal that stopped it: 130, 143, 129 */
};

#endif
