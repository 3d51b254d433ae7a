/* Makes text from outside safe for a terminal. */
#include "base/line.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Returns the length of the valid UTF-8 sequence at `s`, 0 if there is none. Reads no byte after
 * the NUL, which is not a continuation byte. */
static size_t utf8_length(const unsigned char *s)
{
    const size_t length = s[0] < 0x80   ? 1
                          : s[0] < 0xC2 ? 0
                          : s[0] < 0xE0 ? 2
                          : s[0] < 0xF0 ? 3
                          : s[0] < 0xF5 ? 4
                                        : 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    const bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    const bool surrogate = s[0] == 0xED && s[1] > 0x9F;
    const bool beyond = s[0] == 0xF4 && s[1] > 0x8F;
    return overlong || surrogate || beyond ? 0 : length;
}

bool pm_is_utf8(const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    while (at < end) {
        const size_t bytes = utf8_length(at);
        if (!bytes)
            return false;
        at += bytes;
    }
    return true;
}

/* Reads a code point of at most three bytes, because no replaced character has more. */
static uint32_t code_point(const unsigned char *s, size_t length)
{
    switch (length) {
    case 1:
        return s[0];
    case 2:
        return (uint32_t)(s[0] & 0x1F) << 6 | (s[1] & 0x3F);
    case 3:
        return (uint32_t)(s[0] & 0x0F) << 12 | (uint32_t)(s[1] & 0x3F) << 6 | (s[2] & 0x3F);
    default:
        return UINT32_MAX;
    }
}

static bool is_unsafe(uint32_t c)
{
    const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
    const bool separator_or_embedding = c >= 0x2028 && c <= 0x202E;
    const bool isolate = c >= 0x2066 && c <= 0x2069;
    const bool mark = c == 0x061C || c == 0x200E || c == 0x200F;
    return control || separator_or_embedding || isolate || mark;
}

/* The text that replaces a character: `length` bytes at `bytes` replace `taken` bytes of the
 * original. */
struct part {
    const char *bytes;
    size_t length, taken;
};

static struct part part_of(const char *at)
{
    const unsigned char *s = (const unsigned char *)at;
    const size_t length = utf8_length(s);
    if (!length)
        return (struct part){"?", 1, 1};
    if (s[0] == '\r' && s[1] == '\n')
        return (struct part){" ", 1, 2};
    if (is_unsafe(code_point(s, length)))
        return (struct part){" ", 1, length};
    return (struct part){at, length, length};
}

char *pm_line_clean(char *text)
{
    char *to = text;
    for (const char *at = text; *at;) {
        const struct part part = part_of(at);
        memmove(to, part.bytes, part.length);
        to += part.length;
        at += part.taken;
    }
    *to = '\0';
    return text;
}

void pm_line_add(struct pm_str *s, const char *text, size_t max)
{
    size_t written = 0;
    while (*text) {
        const struct part part = part_of(text);
        if (written + part.length > max) {
            pm_str_add(s, "...");
            return;
        }
        pm_str_add_bytes(s, part.bytes, part.length);
        written += part.length;
        text += part.taken;
    }
}

void pm_line_print(FILE *out, const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    const int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        PM_BUG("a text cannot be formatted");
    fprintf(out, "%s\n", pm_line_clean(text));
    free(text);
}

size_t pm_line_first_sentence(const char *text)
{
    enum { SHORT = 160 };
    const size_t length = strlen(text);
    const char *end = length > SHORT ? strstr(text, ". ") : NULL;
    return end ? (size_t)(end - text) : length;
}

static const char *next_line(const char *text)
{
    text += strcspn(text, "\r\n");
    return text + strspn(text, " \t\r\n");
}

static bool is_about_place(const char *line)
{
    static const char *const starts[] = {"Detected at node ", "File \"", "Node: "};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (pm_starts_with(line, starts[i]))
            return true;
    return pm_starts_with(line + strspn(line, "0123456789"), " root error(s) found.");
}

const char *pm_line_cause(const char *message)
{
    const size_t length = strcspn(message, "\r\n");
    if (!length || message[length - 1] != ':')
        return message + strlen(message);
    const char *line = next_line(message);
    while (is_about_place(line))
        line = next_line(line);
    return pm_starts_with(line, "(0) ") ? line + strlen("(0) ") : line;
}
