/* Reads the arguments of a call, if the text determines their values. */
#include <stdlib.h>
#include <string.h>

#include "array/dtype.h"
#include "audit/text.h"
#include "base/alloc.h"

/* Other names that frameworks use for a dtype. */
static const struct {
    const char *word, *name;
} other_names[] = {
    {"half", "float16"}, {"float", "float32"}, {"double", "float64"},   {"short", "int16"},
    {"int", "int32"},    {"long", "int64"},    {"cfloat", "complex64"}, {"cdouble", "complex128"},
    {"bool_", "bool"},   {"string", "string"},
};

const char *pm_audit_dtype(const char *word, size_t length)
{
    char name[16];
    enum pm_dtype dtype;
    if (length >= sizeof name)
        return NULL;
    memcpy(name, word, length);
    name[length] = '\0';
    if (pm_dtype_parse(name, &dtype))
        return pm_dtype_name(dtype);
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (strcmp(other_names[i].word, name) == 0)
            return other_names[i].name;
    return NULL;
}

static uint8_t kind_of(const struct pm_audit_text *text, size_t token)
{
    return token < text->tokens.count ? text->tokens.kind[token] & (uint8_t)~PM_TOKEN_INSIDE
                                      : PM_TOKEN_NEWLINE;
}

static char *word_of(const struct pm_audit_text *text, size_t token)
{
    const uint32_t start = text->tokens.start[token];
    return pm_strndup((const char *)text->bytes + start, text->tokens.end[token] - start);
}

static size_t next_of(const struct pm_audit_text *text, size_t token)
{
    do
        token++;
    while (kind_of(text, token) == PM_TOKEN_JOINED && token < text->tokens.count);
    return token;
}

/* ---- one argument ---------------------------------------------------------------------------- */

/* Reads a string without its prefix and quotes. Returns false if it contains a backslash or has a
 * prefix other than r or u. */
static bool read_string(const struct pm_audit_text *text, size_t token,
                        struct pm_audit_argument *out)
{
    const char *at = (const char *)text->bytes + text->tokens.start[token];
    size_t length = text->tokens.end[token] - text->tokens.start[token];
    if (length && (*at == 'r' || *at == 'u' || *at == 'R' || *at == 'U')) {
        at++;
        length--;
    }
    if (length < 2 || (*at != '"' && *at != '\'') || at[length - 1] != *at)
        return false;
    const size_t quotes = length >= 6 && at[1] == *at && at[2] == *at ? 3 : 1;
    if (memchr(at, '\\', length))
        return false;
    at += quotes;
    length -= 2 * quotes;
    const char *dtype = pm_audit_dtype(at, length);
    const bool own = dtype && strlen(dtype) == length && memcmp(dtype, at, length) == 0;
    out->kind = own ? PM_AUDIT_DTYPE : PM_AUDIT_STRING;
    out->value = own ? pm_strdup(dtype) : pm_strndup(at, length);
    return true;
}

/* Reads the chain of names from `from` to `end`, if it is one: a dtype such as torch.float64 or
 * jnp.bfloat16, a constant, or the variable `device`. */
static void read_chain(const struct pm_audit_text *text, size_t from, size_t end,
                       struct pm_audit_argument *out)
{
    size_t last = from;
    bool dotted = false, name = false;
    for (size_t i = from; i < end; i = next_of(text, i)) {
        name = !name;
        if (kind_of(text, i) != (name ? PM_TOKEN_NAME : '.'))
            return;
        dotted = dotted || !name;
        last = i;
    }
    char *word = word_of(text, last);
    const char *dtype = dotted ? pm_audit_dtype(word, strlen(word)) : NULL;
    if (dtype) {
        out->kind = PM_AUDIT_DTYPE;
        out->value = pm_strdup(dtype);
    } else if (!dotted &&
               (!strcmp(word, "True") || !strcmp(word, "False") || !strcmp(word, "None"))) {
        out->kind = PM_AUDIT_CONSTANT;
        out->value = pm_strdup(word);
    } else if (!dotted && !strcmp(word, "device"))
        out->value = pm_strdup(word);
    free(word);
}

/* Returns whether a value is a list of numbers, or of such lists. */
static bool is_list_of_numbers(const struct pm_audit_text *text, size_t from, size_t end)
{
    static const char marks[] = "[],()-";
    if (kind_of(text, from) != '[')
        return false;
    for (size_t i = from; i < end; i++) {
        const uint8_t kind = kind_of(text, i);
        if (kind != PM_TOKEN_NUMBER && kind != PM_TOKEN_JOINED && (!kind || !strchr(marks, kind)))
            return false;
    }
    return true;
}

static void read_value(const struct pm_audit_text *text, size_t from, size_t end,
                       struct pm_audit_argument *out)
{
    const bool single = next_of(text, from) >= end;
    const uint8_t kind = kind_of(text, from);
    out->name = single && kind == PM_TOKEN_NAME ? word_of(text, from) : NULL;
    out->listed = is_list_of_numbers(text, from, end);
    if (kind == PM_TOKEN_NAME)
        read_chain(text, from, end, out);
    else if (kind == PM_TOKEN_STRING && single)
        (void)!read_string(text, from, out);
    else if (kind == PM_TOKEN_NUMBER && single) {
        out->kind = PM_AUDIT_NUMBER;
        out->value = word_of(text, from);
    } else if (kind == '-' && kind_of(text, next_of(text, from)) == PM_TOKEN_NUMBER &&
               next_of(text, next_of(text, from)) >= end) {
        char *digits = word_of(text, next_of(text, from));
        out->kind = PM_AUDIT_NUMBER;
        out->value = pm_format("-%s", digits);
        free(digits);
    }
}

/* Adds the argument that is between two commas. */
static void take(const struct pm_audit_text *text, size_t from, size_t end,
                 struct pm_audit_call *out)
{
    struct pm_audit_argument argument = {0};
    if (from >= end)
        return;
    if (kind_of(text, from) == '*') {
        const bool twice = kind_of(text, from + 1) == '*';
        out->mapped = out->mapped || twice;
        out->starred = out->starred || !twice;
        return;
    }
    const size_t sign = next_of(text, from), value = next_of(text, sign);
    if (kind_of(text, from) == PM_TOKEN_NAME && kind_of(text, sign) == '=' &&
        kind_of(text, value) != '=') {
        argument.keyword = word_of(text, from);
        from = value;
    }
    if (from < end)
        read_value(text, from, end, &argument);
    out->positional += !argument.keyword;
    PM_GROW(out->items, out->count, out->capacity);
    out->items[out->count++] = argument;
}

/* ---- the call -------------------------------------------------------------------------------- */

static size_t behind_name(const struct pm_audit_text *text, size_t token)
{
    for (;;) {
        const size_t dot = next_of(text, token), name = next_of(text, dot);
        if (kind_of(text, dot) != '.' || kind_of(text, name) != PM_TOKEN_NAME)
            return dot;
        token = name;
    }
}

static bool is_lambda(const struct pm_audit_text *text, size_t token)
{
    return kind_of(text, token) == PM_TOKEN_NAME &&
           text->tokens.end[token] - text->tokens.start[token] == 6 &&
           memcmp(text->bytes + text->tokens.start[token], "lambda", 6) == 0;
}

void pm_audit_call_read(const struct pm_audit_text *text, size_t token, struct pm_audit_call *out)
{
    *out = (struct pm_audit_call){0};
    if (token >= text->tokens.count || kind_of(text, token) != PM_TOKEN_NAME)
        return;
    size_t at = behind_name(text, token);
    if (kind_of(text, at) != '(')
        return;
    out->is_call = true;
    size_t from = next_of(text, at);
    int depth = 0;
    bool lambda = false; /* commas between its parameters do not end the argument */
    for (at = from; at < text->tokens.count; at++) {
        const uint8_t kind = kind_of(text, at);
        const bool end = depth == 0 && kind == ')';
        if (kind == PM_TOKEN_NEWLINE)
            return;
        if (depth == 0)
            lambda = kind == ':' ? false : lambda || is_lambda(text, at);
        if (end || (depth == 0 && kind == ',' && !lambda)) {
            take(text, from, at, out);
            from = next_of(text, at);
        }
        if (end) {
            out->closed = true;
            return;
        }
        depth += (kind == '(' || kind == '[' || kind == '{') -
                 (kind == ')' || kind == ']' || kind == '}');
    }
}

void pm_audit_call_release(struct pm_audit_call *call)
{
    for (size_t i = 0; i < call->count; i++) {
        free(call->items[i].keyword);
        free(call->items[i].value);
        free(call->items[i].name);
    }
    free(call->items);
    *call = (struct pm_audit_call){0};
}

const struct pm_audit_argument *pm_audit_call_keyword(const struct pm_audit_call *call,
                                                      const char *keyword)
{
    for (size_t i = 0; i < call->count; i++)
        if (call->items[i].keyword && strcmp(call->items[i].keyword, keyword) == 0)
            return &call->items[i];
    return NULL;
}
