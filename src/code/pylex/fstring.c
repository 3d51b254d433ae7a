/*
 * Lexes open f-strings, one byte at a time, with an explicit stack of frames. A frame is a string,
 * with the part TEXT, or a replacement field, with the part EXPRESSION and then FORMAT. The frame
 * of a field also has the quotes of its string.
 */
#include <string.h>

#include "base/error.h"
#include "pylex/pylex_private.h"

enum part { TEXT, EXPRESSION, FORMAT };

struct token {
    size_t start, end;
    uint8_t kind;
};

enum step { STEP_TOKEN, STEP_BROKEN };

static struct pm_pylex_frame *top(struct pm_pylex *lexer)
{
    return &lexer->frames[lexer->nested - 1];
}

/* Makes a token of the `length` bytes at the lexer's position, and moves the lexer to their end. */
static enum step take(struct pm_pylex *lexer, struct token *token, size_t length, uint8_t kind)
{
    *token = (struct token){lexer->at, lexer->at + length, kind};
    lexer->at += length;
    return STEP_TOKEN;
}

static enum step push(struct pm_pylex *lexer, const struct pm_pylex_frame *frame)
{
    if (lexer->nested == PM_PYLEX_NESTING)
        return STEP_BROKEN;
    lexer->frames[lexer->nested++] = *frame;
    return STEP_TOKEN;
}

/* Opens a replacement field at `{` in the innermost frame, which is a string or a format. */
static enum step open_field(struct pm_pylex *lexer, struct token *token)
{
    struct pm_pylex_frame frame = *top(lexer);
    frame.part = EXPRESSION;
    frame.depth = 0;
    take(lexer, token, 1, '{');
    return push(lexer, &frame);
}

static enum step open_string(struct pm_pylex *lexer, struct token *token, size_t quote, bool raw)
{
    const unsigned char *const at = lexer->text + quote;
    const bool triple = pm_pylex__is_triple(at);
    const struct pm_pylex_frame frame = {.quote = *at, .triple = triple, .raw = raw, .part = TEXT};
    take(lexer, token, quote - lexer->at + (triple ? 3 : 1), PM_TOKEN_STRING);
    return push(lexer, &frame);
}

/* Returns the number of bytes, from the backslash at `at` on, that can neither begin a field nor
 * end the string. */
static size_t escape_length(const unsigned char *at, const struct pm_pylex_frame *frame)
{
    if (at[1] == '{' || at[1] == '}')
        return 1;
    if (at[1] == 'N' && at[2] == '{' && !frame->raw && frame->part == TEXT) {
        const unsigned char *end = at + 3;
        while (pm_pylex__is_name(*end) || *end == ' ' || *end == '-')
            end++;
        if (*end == '}')
            return (size_t)(end - at) + 1;
    }
    return 1 + pm_pylex__escaped(at + 1);
}

/* Reads literal text or a format up to its next token: a brace or the end of the string. */
static enum step text_step(struct pm_pylex *lexer, struct token *token)
{
    const struct pm_pylex_frame *const frame = top(lexer);
    while (lexer->at < lexer->length) {
        const unsigned char *const at = lexer->text + lexer->at;
        if (*at == frame->quote && (!frame->triple || pm_pylex__is_triple(at))) {
            if (frame->part == FORMAT)
                return STEP_BROKEN;
            lexer->nested--;
            return take(lexer, token, frame->triple ? 3 : 1, PM_TOKEN_STRING);
        }
        if (*at == '{' && !(frame->part == TEXT && at[1] == '{'))
            return open_field(lexer, token);
        if (*at == '}' && frame->part == FORMAT) {
            lexer->nested--;
            return take(lexer, token, 1, '}');
        }
        if (pm_pylex__line_end(at) && !frame->triple)
            return STEP_BROKEN;
        if (*at == '\\')
            lexer->at += escape_length(at, frame);
        else
            lexer->at += *at == '{' ? 2 : 1;
    }
    return STEP_BROKEN;
}

/* Reads a string within a field; the string is not an f-string. Returns STEP_BROKEN if its closing
 * quote is missing. */
static enum step plain_string(struct pm_pylex *lexer, struct token *token, size_t quote)
{
    const unsigned char *const text = lexer->text;
    const unsigned char first = text[quote];
    const bool triple = pm_pylex__is_triple(text + quote);
    size_t at = quote + (triple ? 3 : 1);
    for (; at < lexer->length; at++) {
        if (text[at] == '\\')
            at += pm_pylex__escaped(text + at + 1);
        else if (text[at] == first && (!triple || pm_pylex__is_triple(text + at)))
            return take(lexer, token, at + (triple ? 3 : 1) - lexer->at, PM_TOKEN_STRING);
        else if (!triple && pm_pylex__line_end(text + at))
            return STEP_BROKEN;
    }
    return STEP_BROKEN;
}

/* Reads a name, or a string with a prefix. */
static enum step name_step(struct pm_pylex *lexer, struct token *token)
{
    const unsigned char *const at = lexer->text + lexer->at;
    const unsigned char *end = at;
    while (pm_pylex__is_name(*end))
        end++;
    const size_t length = (size_t)(end - at);
    const enum pm_pylex_prefix prefix =
        *end == '"' || *end == '\'' ? pm_pylex__prefix(at, length) : PM_PREFIX_NONE;
    if (prefix == PM_PREFIX_NONE)
        return take(lexer, token, length, PM_TOKEN_NAME);
    if (prefix == PM_PREFIX_PLAIN)
        return plain_string(lexer, token, lexer->at + length);
    return open_string(lexer, token, lexer->at + length, prefix == PM_PREFIX_RAW_FORMAT);
}

/* Reads an operator within a field. It may be a bracket, end the field, or begin a conversion or a
 * format. */
static enum step operator_step(struct pm_pylex *lexer, struct token *token)
{
    struct pm_pylex_frame *const frame = top(lexer);
    const unsigned char *const at = lexer->text + lexer->at;
    switch (*at) {
    case '(':
    case '[':
    case '{':
        if (frame->depth == UINT16_MAX)
            return STEP_BROKEN;
        frame->depth++;
        break;
    case ')':
    case ']':
        if (frame->depth == 0)
            return STEP_BROKEN;
        frame->depth--;
        break;
    case '}':
        if (frame->depth == 0)
            lexer->nested--;
        else
            frame->depth--;
        break;
    case ':':
        if (frame->depth == 0)
            frame->part = FORMAT;
        break;
    case '!':
        if (frame->depth == 0 && at[1] != '=') {
            take(lexer, token, 1, '!');
            while (pm_pylex__is_name(lexer->text[lexer->at]))
                lexer->at++;
            return STEP_TOKEN;
        }
        break;
    default:
        break;
    }
    return take(lexer, token, 1, *at);
}

/* Skips blanks, comments and backslashes that join lines before the next token of a field. */
static void skip_blank(struct pm_pylex *lexer)
{
    const unsigned char *const text = lexer->text;
    for (;;) {
        const unsigned char c = text[lexer->at];
        if (c == '\\' && pm_pylex__line_end(text + lexer->at + 1))
            lexer->at += 1 + pm_pylex__line_end(text + lexer->at + 1);
        else if (c == ' ' || c == '\t' || c == '\f')
            lexer->at++;
        else if (c == '#')
            while (lexer->at < lexer->length && !pm_pylex__line_end(text + lexer->at))
                lexer->at++;
        else
            return;
    }
}

static enum step expression_step(struct pm_pylex *lexer, struct token *token)
{
    skip_blank(lexer);
    if (lexer->at >= lexer->length)
        return STEP_BROKEN;
    const unsigned char *const at = lexer->text + lexer->at;
    const size_t line_end = pm_pylex__line_end(at);
    if (line_end)
        return take(lexer, token, line_end, PM_TOKEN_JOINED);
    if (pm_pylex__is_digit(*at) || (*at == '.' && pm_pylex__is_digit(at[1])))
        return take(lexer, token, (size_t)(pm_pylex__number_end(at) - at), PM_TOKEN_NUMBER);
    if (pm_pylex__is_name(*at))
        return name_step(lexer, token);
    if (*at == '"' || *at == '\'')
        return plain_string(lexer, token, lexer->at);
    return *at == '\\' ? STEP_BROKEN : operator_step(lexer, token);
}

static enum step any_step(struct pm_pylex *lexer, struct token *token)
{
    return top(lexer)->part == EXPRESSION ? expression_step(lexer, token) : text_step(lexer, token);
}

static void add(struct pm_tokens *tokens, const struct token *token, uint8_t inside)
{
    tokens->start[tokens->count] = (uint32_t)token->start;
    tokens->end[tokens->count] = (uint32_t)token->end;
    tokens->kind[tokens->count++] = token->kind | inside;
}

/* Appends tokens of the f-string at the lexer's position until it ends or there is no more room. If
 * it is malformed up to there, appends nothing and returns STEP_BROKEN. */
static enum step try_tokens(struct pm_pylex *lexer, struct pm_tokens *tokens, size_t quote,
                            bool raw)
{
    const size_t start = lexer->at, count = tokens->count;
    struct token token;
    enum step step = open_string(lexer, &token, quote, raw);
    add(tokens, &token, 0);
    while (lexer->nested && step == STEP_TOKEN && tokens->count < tokens->capacity) {
        step = any_step(lexer, &token);
        add(tokens, &token, PM_TOKEN_INSIDE);
    }
    if (step == STEP_BROKEN) {
        lexer->at = start;
        lexer->nested = 0;
        tokens->count = count;
    }
    return step;
}

/* Returns whether the rest of the f-string is well formed. */
static bool is_rest_whole(const struct pm_pylex *lexer)
{
    struct pm_pylex rest = {
        .text = lexer->text, .length = lexer->length, .at = lexer->at, .nested = lexer->nested};
    struct token token;
    enum step step = STEP_TOKEN;
    memcpy(rest.frames, lexer->frames, sizeof rest.frames);
    while (rest.nested && step == STEP_TOKEN)
        step = any_step(&rest, &token);
    return step == STEP_TOKEN;
}

void pm_pylex__fstring_open(struct pm_pylex *lexer, struct pm_tokens *tokens, size_t quote,
                            bool raw)
{
    const size_t start = lexer->at, count = tokens->count;
    if (try_tokens(lexer, tokens, quote, raw) == STEP_BROKEN) {
        lexer->opaque = quote;
    } else if (lexer->nested && !is_rest_whole(lexer)) {
        lexer->at = start;
        lexer->nested = 0;
        tokens->count = count;
        lexer->opaque = quote;
    }
}

void pm_pylex__fstring_run(struct pm_pylex *lexer, struct pm_tokens *tokens)
{
    struct token token;
    while (lexer->nested && tokens->count < tokens->capacity) {
        if (any_step(lexer, &token) == STEP_BROKEN)
            PM_BUG("a complete f-string cannot be read again");
        add(tokens, &token, PM_TOKEN_INSIDE);
    }
}
