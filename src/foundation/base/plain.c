/* Checks that a file that libfyaml will read is plain text. */
#include "base/plain.h"

#include <string.h>

/* Returns the length of the UTF-8 sequence at `at`; 0 if the sequence is invalid, which includes
 * overlong forms, surrogates and code points above U+10FFFF. Source: RFC 3629, section 4. */
static size_t sequence_length(const unsigned char *at, size_t left)
{
    const unsigned char first = at[0];
    const size_t length = first < 0x80                     ? 1
                          : first >= 0xc2 && first <= 0xdf ? 2
                          : first >= 0xe0 && first <= 0xef ? 3
                          : first >= 0xf0 && first <= 0xf4 ? 4
                                                           : 0;
    if (length == 0 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    if ((first == 0xe0 && at[1] < 0xa0) || (first == 0xed && at[1] > 0x9f) ||
        (first == 0xf0 && at[1] < 0x90) || (first == 0xf4 && at[1] > 0x8f))
        return 0;
    return length;
}

/* Returns why a file must not contain the byte at `at`; NULL if it may. Tabs are refused because
 * libfyaml 0.7.12 corrupts its memory if a tab follows a complex key, as in "? ? a<tab>: b". */
static const char *what_is_wrong(const unsigned char *at, size_t length)
{
    if (length == 0)
        return "the file contains invalid UTF-8: save it as UTF-8";
    if (*at == '\t')
        return "the file contains a tab: use spaces, or \\t in a string";
    if (*at == '\0')
        return "the file contains a NUL byte: save it as plain text";
    if ((*at < 0x20 && *at != '\n' && *at != '\r') || *at == 0x7f)
        return "the file contains a control character: remove it";
    if (length == 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        return "the file contains a byte order mark: save it without one";
    return NULL;
}

int pm_plain_check(const char *path, const char *bytes, size_t length, struct pm_error *err)
{
    int line = 1, column = 1;
    for (size_t i = 0; i < length;) {
        const unsigned char *at = (const unsigned char *)bytes + i;
        const size_t step = sequence_length(at, length - i);
        const char *wrong = what_is_wrong(at, step);
        if (wrong)
            return pm_error_set(err, PM_EFORMAT, "%s:%d:%d: %s", path, line, column, wrong);
        column = *at == '\n' ? 1 : column + 1;
        line += *at == '\n';
        i += step;
    }
    return PM_OK;
}
