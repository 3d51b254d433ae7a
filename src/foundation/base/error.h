/*
 * Errors: a code that the caller must not ignore, and a text in an object that the caller owns.
 *
 * A function that can fail returns 0 (PM_OK) or one of the negative codes below, and takes `struct
 * pm_error *err`, usually last. `err` may be NULL if the caller does not need the text. The text is
 * one line in lower case without a full stop. It first says what failed, and quotes the 'subject'.
 * Users read it, so the arguments are made safe for a terminal (line.h) when the text is set.
 *
 * There are three kinds of failure. If the user or the system causes it, the function returns a
 * code. If it is a fault of portmeter, PM_BUG() aborts. If memory is exhausted, pm_alloc() and
 * similar functions end the process (alloc.h says why this loses nothing).
 */
#ifndef PM_BASE_ERROR_H
#define PM_BASE_ERROR_H

#include <stdio.h>
#include <stdlib.h>

#define PM_MUST_USE            __attribute__((warn_unused_result))
#define PM_PRINTF(text, first) __attribute__((format(printf, text, first)))

enum pm_code {
    PM_OK = 0,
    PM_EUSAGE = -1,    /* the request of the caller is invalid: exit status 2                 */
    PM_EIO = -2,       /* the system refused: file, socket, process                           */
    PM_EFORMAT = -3,   /* invalid data, for example in a case file, a frame or a database */
    PM_EBUSY = -4,     /* another process uses the file                                        */
    PM_ENOTFOUND = -5, /* what was asked for does not exist */
    PM_ESTOPPED = -6   /* the user stops the command (stop.h): exit status 128 + the signal  */
};

struct pm_error {
    char text[1024];
};

/* Sets the text and returns `code`. `err` may be NULL. A text that is too long is truncated. */
int pm_error_set(struct pm_error *err, int code, const char *format, ...) PM_PRINTF(3, 4);

/* Adds "prefix: " before the existing text; returns `code`. */
int pm_error_prefix(struct pm_error *err, int code, const char *format, ...) PM_PRINTF(3, 4);

/* Returns a text such as ": <what the user can do>" about an errno; "" if there is no general
 * advice. */
const char *pm_error_advice(int why);

/* Works like pm_error_set(), but appends ": <strerror(errno)>", and ": <advice>" for errors that
 * the user can fix; returns PM_EIO. */
int pm_error_errno(struct pm_error *err, const char *format, ...) PM_PRINTF(2, 3);

/* Returns from the current function with the code of `expr` if `expr` fails. */
#define PM_TRY(expr)                                                                               \
    do {                                                                                           \
        const int pm_rc_ = (expr);                                                                 \
        if (pm_rc_)                                                                                \
            return pm_rc_;                                                                         \
    } while (0)

/* Prints where portmeter is faulty, and aborts. */
#define PM_BUG(msg)                                                                                \
    (fprintf(stderr, "BUG: %s:%d: %s: report this fault of portmeter\n", __FILE__, __LINE__,       \
             (msg)),                                                                               \
     abort())

#endif
