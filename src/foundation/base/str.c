/* Implements growing byte strings, and reads numbers from texts. */
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/base_private.h"

char pm_str_empty[1];

void pm_str_init(struct pm_str *s)
{
    *s = (struct pm_str)PM_STR_INIT;
}

void pm_str_release(struct pm_str *s)
{
    if (s->capacity)
        free(s->data);
    pm_str_init(s);
}

void pm_str_clear(struct pm_str *s)
{
    s->length = 0;
    if (s->capacity)
        s->data[0] = '\0';
}

/* Makes room for `more` bytes and the NUL. */
static void reserve(struct pm_str *s, size_t more)
{
    size_t need;
    if (!pm_add(&need, s->length, more) || !pm_add(&need, need, 1))
        PM_BUG("the length of a string overflows");
    if (need <= s->capacity)
        return;
    size_t capacity = s->capacity ? s->capacity + s->capacity / 2 : 32;
    if (capacity < need)
        capacity = need;
    s->data = pm_realloc(s->capacity ? s->data : NULL, capacity);
    s->capacity = capacity;
}

void pm_str_add_bytes(struct pm_str *s, const void *bytes, size_t length)
{
    if (!length)
        return;
    reserve(s, length);
    memcpy(s->data + s->length, bytes, length);
    s->length += length;
    s->data[s->length] = '\0';
}

void pm_str_add(struct pm_str *s, const char *text)
{
    pm_str_add_bytes(s, text, strlen(text));
}

void pm_str_add_char(struct pm_str *s, char c)
{
    pm_str_add_bytes(s, &c, 1);
}

void pm_str_addf(struct pm_str *s, const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    const int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        PM_BUG("a text cannot be formatted");
    pm_str_add_bytes(s, text, (size_t)length);
    free(text);
}

void pm_str_add_shell(struct pm_str *s, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=/.,:@+%^";
    if (*word && !word[strspn(word, plain)]) {
        pm_str_add(s, word);
        return;
    }
    pm_str_add_char(s, '\'');
    for (; *word; word++)
        if (*word == '\'')
            pm_str_add(s, "'\\''");
        else
            pm_str_add_char(s, *word);
    pm_str_add_char(s, '\'');
}

char *pm_str_detach(struct pm_str *s)
{
    char *data = s->capacity ? s->data : pm_strdup("");
    pm_str_init(s);
    return data;
}

bool pm_starts_with(const char *text, const char *part)
{
    return strncmp(text, part, strlen(part)) == 0;
}

bool pm_ends_with(const char *text, const char *part)
{
    const size_t length = strlen(text), end = strlen(part);
    return end <= length && strcmp(text + length - end, part) == 0;
}

bool pm_divide(char *text, char divider, char **fields, size_t count)
{
    const char dividers[] = {divider, '\0'};
    for (size_t i = 0; i < count; i++)
        if (!(fields[i] = strsep(&text, dividers)))
            return false;
    return !text;
}

bool pm_parse_int(const char *text, long long *out)
{
    const char *digits = text + (*text == '-' || *text == '+');
    if (!isdigit((unsigned char)*digits))
        return false;
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (errno || *end)
        return false;
    *out = value;
    return true;
}

bool pm_parse_double(const char *text, double *out)
{
    /* strtod also accepts white space, hexadecimal, "inf" and "nan" */
    if (!*text || text[strspn(text, "0123456789.eE+-")])
        return false;
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value))
        return false;
    *out = value;
    return true;
}

static bool unit_shift(char unit, unsigned *shift)
{
    static const char units[] = "kmgt";
    const char *at = unit ? strchr(units, tolower((unsigned char)unit)) : NULL;
    if (at)
        *shift = 10 * (unsigned)(at - units + 1);
    return at != NULL;
}

bool pm_parse_bytes(const char *text, unsigned long long *out)
{
    const size_t number = strspn(text, "0123456789.");
    unsigned shift = 0;
    if (!number || number >= 64)
        return false;
    if (text[number] && (text[number + 1] || !unit_shift(text[number], &shift)))
        return false;
    char digits[64] = {0};
    memcpy(digits, text, number);
    char *end;
    errno = 0;
    const unsigned long long whole = strtoull(digits, &end, 10);
    if (end != digits && !*end) {
        *out = errno || whole > ~0ULL >> shift ? ~0ULL : whole << shift;
        return true;
    }
    double value;
    if (!pm_parse_double(digits, &value))
        return false;
    value *= (double)(1ULL << shift);
    *out = value >= 0x1p64 ? ~0ULL : (unsigned long long)value;
    return true;
}
