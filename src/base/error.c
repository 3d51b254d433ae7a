#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

int pm_error_set(struct pm_error *err, int code, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return code;
}

int pm_error_prefix(struct pm_error *err, int code, const char *format, ...)
{
    if (!err)
        return code;
    char old[sizeof err->text];
    memcpy(old, err->text, sizeof old);
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    if (length >= 0 && (size_t)length < sizeof err->text - 1) {
        const size_t room = sizeof err->text - (size_t)length;
        const int wanted = snprintf(err->text + length, room, ": %s", old);
        (void)wanted; /* too long a text is cut */
    }
    return code;
}

int pm_error_errno(struct pm_error *err, const char *format, ...)
{
    const int why = errno;
    if (err) {
        va_list args;
        va_start(args, format);
        const int length = vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
        if (length >= 0 && (size_t)length < sizeof err->text - 1)
            snprintf(err->text + length, sizeof err->text - (size_t)length, ": %s", strerror(why));
    }
    errno = why;
    return PM_EIO;
}
