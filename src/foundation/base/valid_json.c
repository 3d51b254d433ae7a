/* Checks whether a text is JSON, without parsing it into values. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

enum { MOST_DEPTH = 2000 }; /* the limit of SQLite; jansson's is 2,048 */

struct parser {
    const char *at; /* the text ends with a NUL */
    char open[MOST_DEPTH];
    size_t depth;
};

static void skip_spaces(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r')
        p->at++;
}

/* Returns the four hexadecimal digits at `at` as a number, or -1 if there are other characters. */
static int hex4(const char *at)
{
    int value = 0;
    for (int i = 0; i < 4; i++) {
        const char c = at[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* Skips the digits after "\u". A character beyond U+FFFF needs both of its surrogates. */
static bool unicode_escape(struct parser *p)
{
    const int first = hex4(p->at);
    if (first <= 0 || (first >= 0xDC00 && first <= 0xDFFF))
        return false;
    p->at += 4;
    if (first < 0xD800 || first > 0xDBFF)
        return true;
    if (p->at[0] != '\\' || p->at[1] != 'u')
        return false;
    const int second = hex4(p->at + 2);
    p->at += 6;
    return second >= 0xDC00 && second <= 0xDFFF;
}

static bool string(struct parser *p)
{
    if (*p->at != '"')
        return false;
    p->at++;
    for (;;) {
        while ((unsigned char)*p->at >= ' ' && *p->at != '"' && *p->at != '\\')
            p->at++;
        if (*p->at == '"') {
            p->at++;
            return true;
        }
        if (p->at[0] != '\\' || !p->at[1])
            return false;
        const char escape = p->at[1];
        p->at += 2;
        if (escape == 'u' ? !unicode_escape(p) : !strchr("\"\\/bfnrt", escape))
            return false;
    }
}

static bool digits(struct parser *p)
{
    const char *begin = p->at;
    while (*p->at >= '0' && *p->at <= '9')
        p->at++;
    return p->at > begin;
}

/* Skips a number that a double or, if it is whole, an int64_t can represent. */
static bool number(struct parser *p)
{
    const char *begin = p->at;
    p->at += *p->at == '-';
    if (*p->at == '0')
        p->at++;
    else if (!digits(p))
        return false;
    const bool fraction = *p->at == '.';
    p->at += fraction;
    if (fraction && !digits(p))
        return false;
    const bool exponent = *p->at == 'e' || *p->at == 'E';
    if (exponent) {
        p->at++;
        p->at += *p->at == '+' || *p->at == '-';
        if (!digits(p))
            return false;
    }
    errno = 0;
    if (!fraction && !exponent)
        return p->at - begin < 19 || (strtoll(begin, NULL, 10), errno == 0);
    return p->at - begin < 300 && !exponent ? true : isfinite(strtod(begin, NULL));
}

static bool word(struct parser *p, const char *text)
{
    const size_t length = strlen(text);
    const bool there = strncmp(p->at, text, length) == 0;
    p->at += there ? length : 0;
    return there;
}

static bool push(struct parser *p)
{
    if (p->depth == MOST_DEPTH)
        return false;
    p->open[p->depth++] = *p->at++;
    return true;
}

/* Skips the name of a member and the colon; false if they are missing. */
static bool name(struct parser *p)
{
    skip_spaces(p);
    if (!string(p))
        return false;
    skip_spaces(p);
    if (*p->at != ':')
        return false;
    p->at++;
    return true;
}

/* Skips a value. If it is an array or object, skips only the text before its first item. */
static bool value(struct parser *p, bool *opened)
{
    *opened = false;
    switch (*p->at) {
    case '"':
        return string(p);
    case 't':
        return word(p, "true");
    case 'f':
        return word(p, "false");
    case 'n':
        return word(p, "null");
    case '[':
    case '{':
        *opened = true;
        return push(p);
    default:
        return number(p);
    }
}

/* Skips the text after a value: closing brackets, then a comma. Returns false at the end, and at
 * anything else. */
static bool go_on(struct parser *p)
{
    for (;;) {
        skip_spaces(p);
        if (!p->depth)
            return false;
        const char open = p->open[p->depth - 1];
        if (*p->at == ',') {
            p->at++;
            return open == '[' || name(p);
        }
        if (*p->at != (open == '[' ? ']' : '}'))
            return false;
        p->at++;
        p->depth--;
    }
}

/* Begins an array or object. Returns true if a value follows. Otherwise sets *empty to whether it
 * is empty; if it is not, the text is invalid. */
static bool first_value(struct parser *p, bool *empty)
{
    skip_spaces(p);
    const char open = p->open[p->depth - 1];
    *empty = *p->at == (open == '[' ? ']' : '}');
    return !*empty && (open == '[' || name(p));
}

bool pm_json_is_valid(const char *text)
{
    struct parser p = {.at = text};
    bool opened, empty = false;
    do {
        skip_spaces(&p);
        if (!value(&p, &opened))
            return false;
        if (opened && first_value(&p, &empty))
            continue;
        if (opened && !empty)
            return false;
        if (!go_on(&p))
            break;
    } while (true);
    return !p.depth && !*p.at;
}
