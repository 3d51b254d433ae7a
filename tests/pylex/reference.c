/* A plain lexer that reads one byte at a time; the engines are compared with it. */
#include <ctype.h>
#include <string.h>

#include "reference.h"

struct reference {
    const unsigned char *text;
    size_t length, at;
    bool open;
    struct pm_tokens *out;
    long long brackets;
    bool backtick;
};

/* ---- bytes ---- */

static bool starts_name(int c)
{
    return c >= 0x80 || c == '_' || (c < 0x80 && isalpha(c));
}

static bool goes_on_name(int c)
{
    return starts_name(c) || (c >= '0' && c <= '9');
}

static bool is_quote(int c)
{
    return c == '"' || c == '\'';
}

static size_t line_end(const struct reference *r, size_t at)
{
    if (r->text[at] == '\n')
        return 1;
    if (r->text[at] == '\r')
        return r->text[at + 1] == '\n' ? 2 : 1;
    return 0;
}

static void add(struct reference *r, size_t start, size_t end, int kind)
{
    r->out->start[r->out->count] = (uint32_t)start;
    r->out->end[r->out->count] = (uint32_t)end;
    r->out->kind[r->out->count++] = (uint8_t)kind;
}

/* ---- numbers ---- */

static size_t digit_run(const struct reference *r, size_t at, const char *digits)
{
    for (;;) {
        const unsigned char c = r->text[at], d = r->text[at + 1];
        if (c && strchr(digits, c))
            at++;
        else if (c == '_' && d && strchr(digits, d))
            at += 2;
        else
            return at;
    }
}

static size_t plain_run(const struct reference *r, size_t at)
{
    return isdigit(r->text[at]) ? digit_run(r, at, "0123456789") : at;
}

static size_t long_suffix(const struct reference *r, size_t at)
{
    const bool suffix = r->text[at] == 'l' || r->text[at] == 'L';
    return suffix && !goes_on_name(r->text[at + 1]) ? at + 1 : at;
}

static size_t number_end(const struct reference *r, size_t at)
{
    static const char *const sets[][2] = {
        {"xX", "0123456789abcdefABCDEF"}, {"oO", "01234567"}, {"bB", "01"}};
    const unsigned char second = r->text[at + 1];
    for (int i = 0; r->text[at] == '0' && second && i < 3; i++)
        if (strchr(sets[i][0], second)) {
            const size_t end = digit_run(r, at + 2, sets[i][1]);
            return end == at + 2 ? at + 1 : long_suffix(r, end);
        }
    size_t end = plain_run(r, at);
    bool whole = true;
    if (r->text[end] == '.') {
        whole = false;
        end = plain_run(r, end + 1);
    }
    if (r->text[end] == 'e' || r->text[end] == 'E') {
        const size_t sign = r->text[end + 1] == '+' || r->text[end + 1] == '-';
        const size_t power = plain_run(r, end + 1 + sign);
        if (power > end + 1 + sign) {
            whole = false;
            end = power;
        }
    }
    if (r->text[end] == 'j' || r->text[end] == 'J')
        return end + 1;
    return whole ? long_suffix(r, end) : end;
}

static bool starts_number(const struct reference *r, size_t at)
{
    return isdigit(r->text[at]) || (r->text[at] == '.' && isdigit(r->text[at + 1]));
}

/* ---- strings ---- */

/* Returns the length of the prefix if a string begins at `at`; otherwise -1. */
static int prefix_of(const struct reference *r, size_t at, bool *format, bool *raw)
{
    static const char *const prefixes[] = {"",   "b",  "r",  "u",  "f",  "t", "br",
                                           "rb", "ur", "fr", "rf", "tr", "rt"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const char *const prefix = prefixes[i];
        const size_t n = strlen(prefix);
        size_t same = 0;
        while (same < n && tolower(r->text[at + same]) == prefix[same])
            same++;
        if (same == n && is_quote(r->text[at + n])) {
            *format = strchr(prefix, 'f') || strchr(prefix, 't');
            *raw = strchr(prefix, 'r') != NULL;
            return (int)n;
        }
    }
    return -1;
}

static bool has_three(const struct reference *r, size_t at)
{
    return r->text[at + 1] == r->text[at] && r->text[at + 2] == r->text[at];
}

/* Returns the position after the closing quotes, or the end of an unterminated string. */
static size_t string_end(const struct reference *r, size_t at, bool *terminated)
{
    const unsigned char quote = r->text[at];
    const bool triple = has_three(r, at);
    *terminated = false;
    for (at += triple ? 3 : 1; at < r->length; at++) {
        if (r->text[at] == '\\') {
            at += r->text[at + 1] == '\r' && r->text[at + 2] == '\n' ? 2 : 1;
        } else if (r->text[at] == quote && (!triple || has_three(r, at))) {
            *terminated = true;
            return at + (triple ? 3 : 1);
        } else if (!triple && line_end(r, at)) {
            return at;
        }
    }
    return r->length;
}

/* ---- f-strings ---- */

struct quotes {
    unsigned char mark;
    bool triple, raw;
};

static bool expression(struct reference *r, const struct quotes *quotes, int level);

/* Reads a format, from the byte after its colon to the brace that ends it. */
static bool format(struct reference *r, const struct quotes *quotes, int level)
{
    while (r->at < r->length) {
        const unsigned char c = r->text[r->at], d = r->text[r->at + 1];
        if (c == quotes->mark && (!quotes->triple || has_three(r, r->at)))
            return false;
        if (c == '{') {
            if (!expression(r, quotes, level + 1))
                return false;
        } else if (c == '}') {
            return true;
        } else if (line_end(r, r->at) && !quotes->triple) {
            return false;
        } else if (c == '\\' && d != '{' && d != '}') {
            r->at += 1 + (d == '\r' && r->text[r->at + 2] == '\n' ? 2 : 1);
        } else {
            r->at++;
        }
    }
    return false;
}

static bool fstring(struct reference *r, int prefix, bool raw, int level, int inside)
{
    const size_t start = r->at, quote = start + (size_t)prefix;
    const struct quotes quotes = {r->text[quote], has_three(r, quote), raw};
    const size_t width = quotes.triple ? 3 : 1;
    if (level > PM_PYLEX_NESTING)
        return false;
    r->at = quote + width;
    add(r, start, r->at, PM_TOKEN_STRING | inside);
    while (r->at < r->length) {
        const unsigned char c = r->text[r->at], d = r->text[r->at + 1];
        if (c == quotes.mark && (!quotes.triple || has_three(r, r->at))) {
            add(r, r->at, r->at + width, PM_TOKEN_STRING | PM_TOKEN_INSIDE);
            r->at += width;
            return true;
        }
        if (line_end(r, r->at) && !quotes.triple)
            return false;
        if (c == '{' && d == '{') {
            r->at += 2;
        } else if (c == '{') {
            if (!expression(r, &quotes, level + 1))
                return false;
        } else if (c == '\\' && d == 'N' && r->text[r->at + 2] == '{' && !raw) {
            size_t end = r->at + 3;
            while (goes_on_name(r->text[end]) || r->text[end] == ' ' || r->text[end] == '-')
                end++;
            r->at = r->text[end] == '}' ? end + 1 : r->at + 2;
        } else if (c == '\\' && d != '{' && d != '}') {
            r->at += 1 + (d == '\r' && r->text[r->at + 2] == '\n' ? 2 : 1);
        } else {
            r->at++;
        }
    }
    return false;
}

static void operator_inside(struct reference *r)
{
    add(r, r->at, r->at + 1, r->text[r->at] | PM_TOKEN_INSIDE);
    r->at++;
}

/* Reads a string in an expression. Returns false on an error or if no string begins here; *begins
 * says whether one does. */
static bool string_inside(struct reference *r, int level, bool *begins)
{
    bool is_format = false, raw = false, terminated;
    const int prefix = prefix_of(r, r->at, &is_format, &raw);
    *begins = prefix >= 0;
    if (prefix < 0)
        return false;
    if (is_format)
        return fstring(r, prefix, raw, level + 1, PM_TOKEN_INSIDE);
    const size_t end = string_end(r, r->at + (size_t)prefix, &terminated);
    add(r, r->at, end, PM_TOKEN_STRING | PM_TOKEN_INSIDE);
    r->at = end;
    return terminated;
}

static void word_inside(struct reference *r)
{
    const size_t start = r->at;
    const bool number = starts_number(r, start);
    if (number)
        r->at = number_end(r, start);
    while (!number && goes_on_name(r->text[r->at]))
        r->at++;
    add(r, start, r->at, (number ? PM_TOKEN_NUMBER : PM_TOKEN_NAME) | PM_TOKEN_INSIDE);
}

/* Reads a field of an f-string, from its opening brace to the byte after the closing brace. */
static bool expression(struct reference *r, const struct quotes *quotes, int level)
{
    if (level > PM_PYLEX_NESTING)
        return false;
    operator_inside(r);
    long brackets = 0;
    while (r->at < r->length) {
        const unsigned char c = r->text[r->at];
        const size_t ends_line = line_end(r, r->at);
        bool begins;
        if (c == ' ' || c == '\t' || c == '\f') {
            r->at++;
        } else if (c == '\\') {
            const size_t after = line_end(r, r->at + 1);
            if (!after)
                return false;
            r->at += 1 + after;
        } else if (c == '#') {
            while (r->at < r->length && !line_end(r, r->at))
                r->at++;
        } else if (ends_line) {
            add(r, r->at, r->at + ends_line, PM_TOKEN_JOINED | PM_TOKEN_INSIDE);
            r->at += ends_line;
        } else if (string_inside(r, level, &begins)) {
            continue;
        } else if (begins) {
            return false;
        } else if (starts_number(r, r->at) || goes_on_name(c)) {
            word_inside(r);
        } else if (c == '}' && brackets == 0) {
            operator_inside(r);
            return true;
        } else if (c == ':' && brackets == 0) {
            operator_inside(r);
            if (!format(r, quotes, level))
                return false;
            operator_inside(r);
            return true;
        } else if (c == '!' && brackets == 0 && r->text[r->at + 1] != '=') {
            operator_inside(r);
            while (goes_on_name(r->text[r->at]))
                r->at++;
        } else {
            brackets += strchr("([{", c) && c ? 1 : strchr(")]}", c) && c ? -1 : 0;
            if (brackets < 0 || brackets > UINT16_MAX)
                return false;
            operator_inside(r);
        }
    }
    return false;
}

/* ---- the text ---- */

static bool string_here(struct reference *r)
{
    bool is_format = false, raw = false, terminated;
    const int prefix = prefix_of(r, r->at, &is_format, &raw);
    if (prefix < 0)
        return false;
    const size_t count = r->out->count, start = r->at;
    const int inside = r->backtick ? PM_TOKEN_INSIDE : 0;
    if (is_format && r->open && fstring(r, prefix, raw, 1, inside))
        return true;
    r->out->count = count;
    r->at = string_end(r, start + (size_t)prefix, &terminated);
    add(r, start, r->at, PM_TOKEN_STRING | inside);
    return true;
}

static void operator_here(struct reference *r)
{
    const unsigned char c = r->text[r->at];
    add(r, r->at, r->at + 1, c | (r->backtick ? PM_TOKEN_INSIDE : 0));
    r->at++;
    if (c == '(' || c == '[' || c == '{')
        r->brackets++;
    else if (c == ')' || c == ']' || c == '}')
        r->brackets--;
    else if (c == '`')
        r->backtick = !r->backtick;
}

static void newline_here(struct reference *r, size_t width)
{
    /* The token of CR LF is its LF. */
    add(r, r->at + width - 1, r->at + width, r->brackets > 0 ? PM_TOKEN_JOINED : PM_TOKEN_NEWLINE);
    if (r->brackets < 0)
        r->brackets = 0;
    r->backtick = false;
    r->at += width;
}

static void token_here(struct reference *r)
{
    const unsigned char c = r->text[r->at];
    const size_t start = r->at, ends_line = line_end(r, start);
    const int inside = r->backtick ? PM_TOKEN_INSIDE : 0;
    if (c == ' ' || c == '\t' || c == '\f') {
        r->at++;
    } else if (c == '\\' && line_end(r, start + 1)) {
        r->at += 1 + line_end(r, start + 1);
    } else if (c == '#') {
        while (r->at < r->length && !line_end(r, r->at))
            r->at++;
    } else if (ends_line) {
        newline_here(r, ends_line);
    } else if (string_here(r)) {
        return;
    } else if (starts_number(r, start)) {
        r->at = number_end(r, start);
        add(r, start, r->at, PM_TOKEN_NUMBER | inside);
    } else if (starts_name(c)) {
        while (goes_on_name(r->text[r->at]))
            r->at++;
        add(r, start, r->at, PM_TOKEN_NAME | inside);
    } else {
        operator_here(r);
    }
}

void reference_lex(const unsigned char *text, size_t length, enum pm_fstrings fstrings,
                   struct pm_tokens *tokens)
{
    struct reference r = {
        .text = text, .length = length, .open = fstrings == PM_FSTRINGS_OPEN, .out = tokens};
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        r.at = 3;
    while (r.at < r.length)
        token_here(&r);
}
