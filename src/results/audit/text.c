/* Finds the token at a place of a Python text, the comment of a line, and code that runs in
 * loops. */
#include "audit/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { MOST_NESTED = 256 };

static void find_lines(struct pm_audit_text *text)
{
    size_t capacity = 0;
    const unsigned char *at = text->bytes, *end = text->bytes + text->length;
    for (;;) {
        PM_GROW(text->lines, text->line_count, capacity);
        text->lines[text->line_count++] = (size_t)(at - text->bytes);
        while (at < end && *at != '\n' && *at != '\r')
            at++;
        if (at == end)
            return;
        at += *at == '\r' && at + 1 < end && at[1] == '\n' ? 2 : 1;
    }
}

void pm_audit_text_init(struct pm_audit_text *text, const unsigned char *bytes, size_t length)
{
    struct pm_pylex lexer;
    const size_t most = length + PM_PYLEX_ROOM;
    *text = (struct pm_audit_text){.bytes = bytes, .length = length};
    text->tokens.start = pm_alloc(most * sizeof *text->tokens.start);
    text->tokens.end = pm_alloc(most * sizeof *text->tokens.end);
    text->tokens.kind = pm_alloc(most);
    text->tokens.capacity = most;
    pm_pylex_start(&lexer, bytes, (uint32_t)length, PM_FSTRINGS_OPEN);
    while (pm_pylex_next(&lexer, &text->tokens))
        continue;
    find_lines(text);
}

void pm_audit_text_release(struct pm_audit_text *text)
{
    free(text->tokens.start);
    free(text->tokens.end);
    free(text->tokens.kind);
    free(text->lines);
    free(text->statements);
    *text = (struct pm_audit_text){0};
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Returns the first token that begins at `offset` or after it. */
static size_t first_from(const struct pm_audit_text *text, size_t offset)
{
    size_t low = 0, high = text->tokens.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (text->tokens.start[middle] < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t pm_audit_text_find(const struct pm_audit_text *text, uint32_t line, uint32_t column)
{
    if (!line || line > text->line_count || !column)
        return PM_AUDIT_NONE;
    const size_t offset = text->lines[line - 1] + column - 1, token = first_from(text, offset);
    return token < text->tokens.count && text->tokens.start[token] == offset ? token
                                                                             : PM_AUDIT_NONE;
}

void pm_audit_text_place(const struct pm_audit_text *text, size_t token, uint32_t *line,
                         uint32_t *column)
{
    const size_t offset = text->tokens.start[token];
    size_t low = 0, high = text->line_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (text->lines[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    *line = (uint32_t)low + 1;
    *column = (uint32_t)(offset - text->lines[low]) + 1;
}

const char *pm_audit_text_line(const struct pm_audit_text *text, uint32_t line, size_t *length)
{
    *length = 0;
    if (!line || line > text->line_count)
        return "";
    const size_t begin = text->lines[line - 1];
    size_t end = line < text->line_count ? text->lines[line] : text->length;
    while (end > begin && (text->bytes[end - 1] == '\n' || text->bytes[end - 1] == '\r'))
        end--;
    *length = end - begin;
    return (const char *)text->bytes + begin;
}

const char *pm_audit_text_comment(const struct pm_audit_text *text, uint32_t line, size_t *length)
{
    size_t all;
    const char *begin = pm_audit_text_line(text, line, &all), *end = begin + all;
    const size_t offset = (size_t)((const unsigned char *)begin - text->bytes);
    if (!all)
        return NULL;
    size_t covered = offset; /* tokens cover the line up to here */
    for (size_t i = first_from(text, offset ? offset : 0); i > 0; i--) {
        if (text->tokens.end[i - 1] > covered)
            covered = text->tokens.end[i - 1]; /* it may be a string from a line above */
        break;
    }
    for (size_t i = first_from(text, offset); i < text->tokens.count; i++) {
        const uint8_t kind = text->tokens.kind[i] & (uint8_t)~PM_TOKEN_INSIDE;
        if (kind == PM_TOKEN_NEWLINE || kind == PM_TOKEN_JOINED ||
            text->tokens.start[i] >= offset + all)
            break;
        covered = text->tokens.end[i];
    }
    if (covered >= offset + all)
        return NULL;
    const char *sign = memchr(text->bytes + covered, '#', offset + all - covered);
    *length = sign ? (size_t)(end - sign) : 0;
    return sign;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static bool is_word(const struct pm_audit_text *text, size_t token, const char *word)
{
    const size_t length = strlen(word);
    return token < text->tokens.count && text->tokens.kind[token] == PM_TOKEN_NAME &&
           text->tokens.end[token] - text->tokens.start[token] == length &&
           memcmp(text->bytes + text->tokens.start[token], word, length) == 0;
}

static unsigned indent_of(const struct pm_audit_text *text, size_t token)
{
    size_t at = text->tokens.start[token], begin = at;
    while (begin > 0 && text->bytes[begin - 1] != '\n' && text->bytes[begin - 1] != '\r')
        begin--;
    return (unsigned)(at - begin);
}

/* Returns whether a statement that begins at a token opens a block with this word. `async` may
 * precede the word. */
static bool opens(const struct pm_audit_text *text, size_t token, const char *word)
{
    return is_word(text, token + is_word(text, token, "async"), word);
}

static bool opens_loop(const struct pm_audit_text *text, size_t token)
{
    return opens(text, token, "for") || opens(text, token, "while");
}

struct block {
    unsigned indent;
    bool loops;
};

static void find_statements(struct pm_audit_text *text)
{
    struct block blocks[MOST_NESTED];
    size_t depth = 0, capacity = 0;
    bool begins = true;
    text->statements = pm_alloc(sizeof *text->statements);
    capacity = 1;
    for (size_t i = 0; i < text->tokens.count; i++) {
        if (text->tokens.kind[i] == PM_TOKEN_NEWLINE) {
            begins = true;
            continue;
        }
        if (!begins || text->tokens.kind[i] == PM_TOKEN_JOINED)
            continue;
        begins = false;
        const unsigned indent = indent_of(text, i);
        while (depth && blocks[depth - 1].indent >= indent)
            depth--;
        const bool inside = depth && blocks[depth - 1].loops;
        const bool function = opens(text, i, "def") || is_word(text, i, "class");
        PM_GROW(text->statements, text->statement_count, capacity);
        text->statements[text->statement_count++] =
            (struct pm_audit_statement){i, indent, inside || is_word(text, i, "while")};
        if (depth < MOST_NESTED)
            blocks[depth++] = (struct block){indent, !function && (inside || opens_loop(text, i))};
    }
}

/* Returns whether the brackets around a token contain a `for`, which makes them a comprehension. */
static bool in_comprehension(const struct pm_audit_text *text, size_t token)
{
    int depth = 0;
    for (size_t i = token; i < text->tokens.count; i++) {
        const uint8_t kind = text->tokens.kind[i] & (uint8_t)~PM_TOKEN_INSIDE;
        if (kind == PM_TOKEN_NEWLINE)
            return false;
        if (kind == '(' || kind == '[' || kind == '{')
            depth++;
        else if (kind == ')' || kind == ']' || kind == '}')
            depth = depth > 0 ? depth - 1 : 0; /* the enclosing brackets count, too */
        else if (depth == 0 && is_word(text, i, "for"))
            return true;
    }
    return false;
}

bool pm_audit_text_in_loop(struct pm_audit_text *text, size_t token)
{
    if (!text->statements)
        find_statements(text);
    size_t low = 0, high = text->statement_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (text->statements[middle].token <= token)
            low = middle;
        else
            high = middle;
    }
    if (!text->statement_count)
        return false;
    const struct pm_audit_statement *of = &text->statements[low];
    return of->loops || (!opens_loop(text, of->token) && in_comprehension(text, token));
}
