/* Contains the table of kinds, and scans numbers and string prefixes. */
#include <endian.h>
#include <string.h>

#include "pylex/pylex_private.h"

#define N PM_TOKEN_NAME
#define D PM_TOKEN_NUMBER
#define S PM_TOKEN_STRING
#define L PM_TOKEN_NEWLINE
/* clang-format off */
const uint8_t pm_pylex__kinds[256] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, L, 11, 12, L, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    ' ', '!', S, '#', '$', '%', '&', S, '(', ')', '*', '+', ',', '-', '.', '/',
    D, D, D, D, D, D, D, D, D, D, ':', ';', '<', '=', '>', '?',
    '@', N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
    N, N, N, N, N, N, N, N, N, N, N, '[', '\\', ']', '^', N,
    '`', N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
    N, N, N, N, N, N, N, N, N, N, N, '{', '|', '}', '~', 127,
    N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
    N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
    N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
    N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
};
/* clang-format on */

static bool is_digit_of(unsigned char c, unsigned base)
{
    const unsigned char lower = c | 0x20;
    return (unsigned)(c - '0') < (base < 10 ? base : 10) ||
           (base == 16 && (unsigned)(lower - 'a') < 6);
}

/* Returns the number of decimal digits, at most eight, that begin at `at`. */
static size_t decimal_run(const unsigned char *at)
{
    uint64_t bytes;
    memcpy(&bytes, at, 8);
    bytes = le64toh(bytes) ^ UINT64_C(0x3030303030303030);
    /* The sum sets the highest bit of a byte over 9. A carry changes only later bytes. */
    const uint64_t others =
        ((bytes + UINT64_C(0x7676767676767676)) | bytes) & UINT64_C(0x8080808080808080);
    return others ? (size_t)__builtin_ctzll(others) / 8 : 8;
}

/* Skips decimal digits. One underscore may precede each digit except the first. */
static const unsigned char *decimal(const unsigned char *at)
{
    for (;;) {
        const size_t run = decimal_run(at);
        at += run;
        if (*at == '_' && pm_pylex__is_digit(at[1]) && run)
            at++;
        else if (run < 8)
            return at;
    }
}

/* Skips digits of a base. One underscore may precede each digit. */
static const unsigned char *digits(const unsigned char *at, unsigned base)
{
    while (is_digit_of(*at, base) || (*at == '_' && is_digit_of(at[1], base)))
        at += 1 + (*at == '_');
    return at;
}

static unsigned base_of(const unsigned char *at)
{
    if (at[0] != '0')
        return 10;
    switch (at[1] | 0x20) {
    case 'x':
        return 16;
    case 'o':
        return 8;
    case 'b':
        return 2;
    default:
        return 10;
    }
}

/* Skips `l` or `L`, the suffix of Python 2's long integers, unless it begins a longer name. */
static const unsigned char *skip_long(const unsigned char *at)
{
    return at + ((*at | 0x20) == 'l' && !pm_pylex__is_name(at[1]));
}

const unsigned char *pm_pylex__number_end(const unsigned char *at)
{
    const unsigned base = base_of(at);
    if (base != 10) {
        const unsigned char *const end = digits(at + 2, base);
        return end == at + 2 ? at + 1 : skip_long(end);
    }
    const unsigned char *end = decimal(at);
    const unsigned char *const whole = end;
    if (*end == '.')
        end = decimal(end + 1);
    if ((*end | 0x20) == 'e') {
        const unsigned char *const power = end + 1 + (end[1] == '+' || end[1] == '-');
        const unsigned char *const last = decimal(power);
        end = last > power ? last : end;
    }
    if ((*end | 0x20) == 'j')
        return end + 1;
    return end == whole ? skip_long(end) : end;
}

enum pm_pylex_prefix pm_pylex__prefix(const unsigned char *name, size_t length)
{
    const unsigned char a = name[0] | 0x20, b = length == 2 ? name[1] | 0x20 : 0;
    if (length > 2 || a >= 0x80 || b >= 0x80)
        return PM_PREFIX_NONE;
    switch (a << 8 | b) {
    case 'b' << 8:
    case 'r' << 8:
    case 'u' << 8:
    case 'b' << 8 | 'r':
    case 'r' << 8 | 'b':
    case 'u' << 8 | 'r':
        return PM_PREFIX_PLAIN;
    case 'f' << 8:
    case 't' << 8:
        return PM_PREFIX_FORMAT;
    case 'f' << 8 | 'r':
    case 'r' << 8 | 'f':
    case 't' << 8 | 'r':
    case 'r' << 8 | 't':
        return PM_PREFIX_RAW_FORMAT;
    default:
        return PM_PREFIX_NONE;
    }
}
