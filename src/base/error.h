/*
 * Errors: a code that the caller must not ignore, and a text in an object that the caller owns.
 *
 * Every fallible function of portmeter returns 0 (PM_OK) or one of the negative codes below and
 * takes `struct pm_error *err` last. `err` may be NULL where the text is of no interest.
 * Text is one line: lower case, what failed first, the 'subject' quoted, no full stop. It is for
 * people, so whatever the arguments hold is made safe for a terminal (line.h) when the text is set.
 *
 * Three kinds of failure, three ways out: the user or the world is wrong: return a code; portmeter
 * is wrong: PM_BUG() aborts; memory is exhausted: pm_alloc() and its kin end the process (alloc.h
 * says why that loses nothing).
 */
#ifndef PM_BASE_ERROR_H
#define PM_BASE_ERROR_H

#include <stdio.h>
#include <stdlib.h>

#define PM_MUST_USE __attribute__((warn_unused_result))
#define PM_PRINTF(text, first) __attribute__((format(printf, text, first)))

enum pm_code {
    PM_OK = 0,
    PM_EUSAGE = -1,   /* the caller asked for something that makes no sense: exit status 2   */
    PM_EIO = -2,      /* the system refused: file, socket, process                           */
    PM_EFORMAT = -3,  /* bytes are not what they should be: case file, frame, database       */
    PM_EBUSY = -4,    /* somebody else holds it                                              */
    PM_ENOTFOUND = -5, /* no such thing                                                      */
    PM_ESTOPPED = -6   /* the user stops the command (stop.h): exit status 128 + the signal  */
};

struct pm_error {
    char text[1024];
};

/* Sets the text (err may be NULL, too long a text is cut) and returns `code`. */
int pm_error_set(struct pm_error *err, int code, const char *format, ...) PM_PRINTF(3, 4);

/* Puts "prefix: " before a text that is already there; returns `code`. */
int pm_error_prefix(struct pm_error *err, int code, const char *format, ...) PM_PRINTF(3, 4);

/* As pm_error_set(), with ": <strerror(errno)>" behind; returns PM_EIO. */
int pm_error_errno(struct pm_error *err, const char *format, ...) PM_PRINTF(2, 3);

#define PM_TRY(expr)                                                                              \
    do {                                                                                          \
        const int pm_rc_ = (expr);                                                                \
        if (pm_rc_)                                                                               \
            return pm_rc_;                                                                        \
    } while (0)

#define PM_BUG(msg) (fprintf(stderr, "BUG: %s:%d: %s\n", __FILE__, __LINE__, (msg)), abort())

#endif
