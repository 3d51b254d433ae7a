/* Sets the texts of errors. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/line.h"

int pm_error_set(struct pm_error *err, int code, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
        pm_line_clean(err->text);
    }
    return code;
}

int pm_error_prefix(struct pm_error *err, int code, const char *format, ...)
{
    static const char colon[] = ": ";
    if (!err)
        return code;
    char prefix[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(prefix, sizeof prefix - sizeof colon, format, args);
    va_end(args);
    memcpy(prefix + strlen(prefix), colon, sizeof colon);
    const size_t length = strlen(prefix), room = sizeof err->text - length - 1;
    const size_t kept = strnlen(err->text, room);
    memmove(err->text + length, err->text, kept);
    memcpy(err->text, prefix, length);
    err->text[length + kept] = '\0';
    pm_line_clean(err->text);
    return code;
}

const char *pm_error_advice(int why)
{
    switch (why) {
    case EACCES:
    case EPERM:
        return ": check the permissions";
    case ENOENT:
    case ENOTDIR:
        return ": check the path";
    case EEXIST:
        return ": remove it, or use another path";
    case EISDIR:
        return ": name a file";
    case ENOSPC:
    case EDQUOT:
        return ": free some space";
    case EROFS:
        return ": use a writable folder";
    case EMFILE:
        return ": raise the limit of open files (ulimit -n)";
    case ENOMEM:
        return ": end other programs, or add memory";
    case EFBIG:
        return ": raise the limit of file sizes (ulimit -f)";
    default:
        return "";
    }
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
            snprintf(err->text + length, sizeof err->text - (size_t)length, ": %s%s", strerror(why),
                     pm_error_advice(why));
        pm_line_clean(err->text);
    }
    errno = why;
    return PM_EIO;
}
