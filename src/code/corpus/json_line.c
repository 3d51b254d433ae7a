/* Finds the fields of a line of JSON, and unescapes its strings. */
#include "corpus/json_line.h"

#include <stdint.h>
#include <string.h>

struct cursor {
    const struct pm_corpus__kernels *kernels;
    const unsigned char *at, *end;
};

static void skip_space(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\r'))
        c->at++;
}

static bool take(struct cursor *c, unsigned char byte)
{
    skip_space(c);
    if (c->at >= c->end || *c->at != byte)
        return false;
    c->at++;
    return true;
}

/* Reads a string after its opening quote; false if the closing quote is missing. */
static bool take_string(struct cursor *c, struct pm_corpus__span *out)
{
    const unsigned char *quote = c->kernels->string_end(c->at, c->end);
    if (!quote)
        return false;
    *out = (struct pm_corpus__span){c->at, quote};
    c->at = quote + 1;
    return true;
}

/* Skips an object or array after its opening bracket; false if the closing bracket is missing. */
static bool skip_nested(struct cursor *c)
{
    struct pm_corpus__span string;
    size_t depth = 1;
    while (c->at < c->end) {
        switch (*c->at++) {
        case '"':
            if (!take_string(c, &string))
                return false;
            break;
        case '[':
        case '{':
            depth++;
            break;
        case ']':
        case '}':
            if (--depth == 0)
                return true;
            break;
        default:
            break;
        }
    }
    return false;
}

/* Skips a number, true, false or null: any bytes up to the comma or bracket after the value. */
static bool skip_scalar(struct cursor *c)
{
    const unsigned char *from = c->at;
    while (c->at < c->end && *c->at != ',' && *c->at != '}' && *c->at != '"' && *c->at != '{' &&
           *c->at != '[')
        c->at++;
    return c->at > from && c->at < c->end && (*c->at == ',' || *c->at == '}');
}

/* Reads a value; returns false if it is malformed. Sets *string to the value if it is a string,
 * otherwise to an absent string. */
static bool take_value(struct cursor *c, struct pm_corpus__span *string)
{
    *string = (struct pm_corpus__span){0};
    if (take(c, '"'))
        return take_string(c, string);
    if (take(c, '{') || take(c, '['))
        return skip_nested(c);
    return skip_scalar(c);
}

static bool is_text(struct pm_corpus__span key, const char *name, size_t length)
{
    return (size_t)(key.end - key.at) == length && memcmp(key.at, name, length) == 0;
}
#define IS(key, name) is_text(key, name, sizeof(name) - 1)

static bool names_repository(struct pm_corpus__span key)
{
    return IS(key, "repo_name") || IS(key, "max_stars_repo_name") || IS(key, "repository") ||
           IS(key, "repo");
}

const char *pm_corpus__json_line(const struct pm_corpus__kernels *kernels, const unsigned char *at,
                                 const unsigned char *end, struct pm_corpus__record *out)
{
    struct cursor c = {kernels, at, end};
    struct pm_corpus__span key, value;
    *out = (struct pm_corpus__record){0};
    if (!take(&c, '{'))
        return "the line is not a JSON object";
    const bool empty = take(&c, '}');
    bool more = !empty;
    while (more) {
        if (!take(&c, '"') || !take_string(&c, &key) || !take(&c, ':') || !take_value(&c, &value))
            return "the JSON object is cut short or malformed";
        if (!out->content.at && IS(key, "content"))
            out->content = value;
        else if (!out->repository.at && names_repository(key))
            out->repository = value;
        more = take(&c, ',');
    }
    if (!empty && !take(&c, '}'))
        return "the JSON object is cut short or malformed";
    skip_space(&c);
    return c.at == c.end ? NULL : "the line continues after the JSON object";
}

static int hex_digit(unsigned char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Returns the code unit that the four hexadecimal digits at `at` denote, or -1. */
static int32_t code_unit(const unsigned char *at, const unsigned char *end)
{
    int32_t unit = 0;
    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        const int digit = hex_digit(at[i]);
        if (digit < 0)
            return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

static unsigned char *put_utf8(unsigned char *to, uint32_t character)
{
    if (character < 0x80) {
        *to++ = (unsigned char)character;
    } else if (character < 0x800) {
        *to++ = (unsigned char)(0xc0 | character >> 6);
        *to++ = (unsigned char)(0x80 | (character & 0x3f));
    } else if (character < 0x10000) {
        *to++ = (unsigned char)(0xe0 | character >> 12);
        *to++ = (unsigned char)(0x80 | (character >> 6 & 0x3f));
        *to++ = (unsigned char)(0x80 | (character & 0x3f));
    } else {
        *to++ = (unsigned char)(0xf0 | character >> 18);
        *to++ = (unsigned char)(0x80 | (character >> 12 & 0x3f));
        *to++ = (unsigned char)(0x80 | (character >> 6 & 0x3f));
        *to++ = (unsigned char)(0x80 | (character & 0x3f));
    }
    return to;
}

/* Reads the escape whose backslash and `u` precede `at`, and the second escape of a surrogate pair.
 * Returns their end; NULL if the escape is malformed. */
static const unsigned char *take_unicode(const unsigned char *at, const unsigned char *end,
                                         uint32_t *character)
{
    const int32_t unit = code_unit(at, end);
    if (unit < 0)
        return NULL;
    *character = (uint32_t)unit;
    at += 4;
    if (unit >= 0xd800 && unit < 0xdc00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
        const int32_t low = code_unit(at + 2, end);
        if (low >= 0xdc00 && low < 0xe000) {
            *character = 0x10000u + ((uint32_t)(unit - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
            at += 6;
        }
    }
    return at;
}

size_t pm_corpus__unescape(const struct pm_corpus__kernels *kernels, struct pm_corpus__span string,
                           unsigned char *to)
{
    const unsigned char *at = string.at, *after;
    unsigned char *begin = to;
    uint32_t character;
    while (at < string.end) {
        to += kernels->unescape(to, &at, string.end);
        if (at == string.end)
            break;
        if (string.end - at > 1 && pm_corpus__simple_escapes[at[1]]) {
            *to++ = pm_corpus__simple_escapes[at[1]];
            at += 2;
        } else if (string.end - at > 1 && at[1] == 'u' &&
                   (after = take_unicode(at + 2, string.end, &character)) != NULL) {
            to = put_utf8(to, character);
            at = after;
        } else {
            *to++ = *at++;
        }
    }
    memset(to, 0, PM_CORPUS__PADDING);
    return (size_t)(to - begin);
}
