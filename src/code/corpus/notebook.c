/* Extracts the Python text of a Jupyter notebook. */
#include "corpus/notebook.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/stop.h"

/* ---- lines that IPython does not pass to Python --------------------------------------------- */

/* Cell magics that run the cell as Python. */
static const char *const python_magics[] = {"time", "timeit", "capture", "prun"};

static bool is_python_magic(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof python_magics / sizeof *python_magics; i++)
        if (strlen(python_magics[i]) == length && memcmp(name, python_magics[i], length) == 0)
            return true;
    return false;
}

static size_t line_end(const char *text, size_t length, size_t at)
{
    const char *newline = memchr(text + at, '\n', length - at);
    return newline ? (size_t)(newline - text) : length;
}

/* Blanks a line from `at` to its end, and the lines that a backslash joins to it. Returns the end
 * of the last line. */
static size_t blank_line(char *text, size_t length, size_t at)
{
    for (;;) {
        const size_t end = line_end(text, length, at);
        const bool goes_on = end > at && end < length && text[end - 1] == '\\';
        memset(text + at, ' ', end - at);
        if (!goes_on)
            return end;
        at = end + 1;
    }
}

/* Blanks the lines from `at` on that are magics, shell commands or requests for help (`?name`).
 * Returns where other lines begin. Call it only where a statement may begin. */
static size_t blank_magics(char *text, size_t length, size_t at)
{
    while (at < length) {
        const size_t first = at + strspn(text + at, " \t\r\n");
        if (first >= length || !strchr("%!?", text[first]))
            return at;
        at = blank_line(text, length, first);
    }
    return at;
}

/* The part of a cell that was lexed since its beginning, or since the last blanked line. */
struct lexed {
    size_t from;      /* offset of its first byte in the cell */
    size_t statement; /* offset in the cell at which the last statement begins */
    uint8_t last;     /* kind of the last token */
};

/* Finds the first token that is not Python, and blanks its line from the token or the statement on.
 * Returns the end of that line; 0 if there is no such token. */
static size_t blank_token(char *text, size_t length, struct lexed *lexed,
                          const struct pm_tokens *tokens)
{
    for (size_t i = 0; i < tokens->count; lexed->last = tokens->kind[i++]) {
        const size_t at = lexed->from + tokens->start[i];
        const uint8_t kind = tokens->kind[i];
        if (lexed->last == PM_TOKEN_NEWLINE)
            lexed->statement = at;
        if (kind == '?')
            return blank_line(text, length, lexed->statement);
        if ((kind == '%' || kind == '!') && (lexed->last == PM_TOKEN_NEWLINE || lexed->last == '='))
            return blank_line(text, length, at);
    }
    return 0;
}

/* Blanks the lines of a cell that are not Python; false if the cell ends inside a bracket or
 * string. The lexer starts again after each blanked line, because brackets and quotes of a shell
 * line are not part of the Python text. */
static bool blank_foreign(char *text, size_t length)
{
    enum { TOKENS = PM_PYLEX_ROOM * 4 };
    uint32_t start[TOKENS] = {0}, end[TOKENS] = {0};
    uint8_t kind[TOKENS] = {0};
    struct pm_pylex lexer;
    struct lexed lexed = {.last = PM_TOKEN_NEWLINE};
    size_t blanked = 0;
    do {
        const size_t from = blank_magics(text, length, blanked);
        bool more = from < length;
        lexed = (struct lexed){from, from, PM_TOKEN_NEWLINE};
        blanked = 0;
        pm_pylex_start(&lexer, text + from, (uint32_t)(length - from), PM_FSTRINGS_OPAQUE);
        while (more && !blanked) {
            struct pm_tokens tokens = {start, end, kind, 0, TOKENS};
            more = pm_pylex_next(&lexer, &tokens);
            blanked = blank_token(text, length, &lexed, &tokens);
        }
    } while (blanked && !pm_stop_signal());
    return lexed.last == PM_TOKEN_NEWLINE;
}

/* ---- cells ---------------------------------------------------------------------------------- */

/* Adds the text of a cell, which is a string or a list of lines; false if it is something else. */
static bool add_source(struct pm_str *out, const json_t *source)
{
    const json_t *line;
    size_t i;
    if (json_is_string(source)) {
        pm_str_add_bytes(out, json_string_value(source), json_string_length(source));
        return true;
    }
    json_array_foreach(source, i, line) {
        if (!json_is_string(line))
            return false;
        pm_str_add_bytes(out, json_string_value(line), json_string_length(line));
    }
    return json_is_array(source);
}

/* Returns whether the cell begins with a cell magic that does not run it as Python. */
static bool is_taken_away(const char *text)
{
    const char *at = text + strspn(text, " \t\r\n");
    return at[0] == '%' && at[1] == '%' && !is_python_magic(at + 2, strcspn(at + 2, " \t\r\n"));
}

static void cut(struct pm_str *text, size_t length)
{
    text->length = length;
    text->data[length] = '\0';
}

static void add_cell(struct pm_corpus__notebook *notebook, const json_t *cell, uint32_t number)
{
    struct pm_str *text = &notebook->text;
    const size_t before = text->length;
    const char *language = pm_json_string(cell, "language", "python");
    const json_t *source = json_object_get(cell, "source");
    if (strcmp(pm_json_string(cell, "cell_type", ""), "code") != 0 ||
        strcmp(language, "python") != 0)
        return;
    const bool whole = add_source(text, source ? source : json_object_get(cell, "input"));
    pm_str_add(text, "\n");
    const size_t padded = text->length;
    pm_str_add_bytes(text, (const char[PM_PYLEX_PADDING]){0}, PM_PYLEX_PADDING);
    const bool python = whole && !is_taken_away(text->data + before) &&
                        blank_foreign(text->data + before, padded - before);
    cut(text, python ? padded : before);
    if (!python)
        return;
    PM_GROW(notebook->cells, notebook->cell_count, notebook->cell_capacity);
    notebook->cells[notebook->cell_count++] = (struct pm_corpus__cell){(uint32_t)before, number};
}

static void add_cells(struct pm_corpus__notebook *notebook, const json_t *cells, uint32_t *number)
{
    const json_t *cell;
    size_t i;
    json_array_foreach(cells, i, cell)
        add_cell(notebook, cell, ++*number);
}

/* Returns whether the notebook's language is Python, which is also the default. */
static bool is_python(const json_t *notebook)
{
    const json_t *metadata = json_object_get(notebook, "metadata");
    const char *of_file = pm_json_string(json_object_get(metadata, "language_info"), "name", NULL);
    const char *of_kernel =
        pm_json_string(json_object_get(metadata, "kernelspec"), "language", NULL);
    const char *name = of_file ? of_file : of_kernel ? of_kernel : "python";
    return strcmp(name, "python") == 0 || strcmp(name, "ipython") == 0;
}

static enum pm_corpus__notebook_form read_object(struct pm_corpus__notebook *notebook,
                                                 const json_t *object, struct pm_error *err)
{
    const json_t *cells = json_object_get(object, "cells");
    const json_t *sheets = json_object_get(object, "worksheets"), *sheet; /* before nbformat 4 */
    uint32_t number = 0;
    size_t i;
    if (!json_is_integer(json_object_get(object, "nbformat")) ||
        (!json_is_array(cells) && !json_is_array(sheets))) {
        (void)pm_error_set(err, PM_EFORMAT,
                           "the JSON is not a notebook: it has no nbformat or no cells");
        return PM_CORPUS__NOTEBOOK_NONE;
    }
    if (!is_python(object))
        return PM_CORPUS__NOTEBOOK_FOREIGN;
    add_cells(notebook, cells, &number);
    json_array_foreach(sheets, i, sheet)
        add_cells(notebook, json_object_get(sheet, "cells"), &number);
    return PM_CORPUS__NOTEBOOK_PYTHON;
}

/* ---- JSON as Python's module json reads it --------------------------------------------------- */

/* Returns the value of the four digits of the escape `\uXXXX` at `at`; 0 if there is no such
 * escape. */
static unsigned escaped_unit(const char *at, const char *end)
{
    char digits[5] = {0};
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
        return 0;
    memcpy(digits, at + 2, 4);
    return strspn(digits, "0123456789abcdefABCDEF") == 4 ? (unsigned)strtoul(digits, NULL, 16) : 0;
}

/* Replaces the escape at `at` with the escape of U+FFFD if it is a lone surrogate. Returns the
 * number of bytes to skip. */
static size_t replace_lone_surrogate(char *at, const char *end)
{
    const unsigned unit = escaped_unit(at, end);
    const bool is_high = unit >= 0xd800 && unit < 0xdc00, is_low = unit >= 0xdc00 && unit < 0xe000;
    if (is_high && escaped_unit(at + 6, end) >= 0xdc00 && escaped_unit(at + 6, end) < 0xe000)
        return 12;
    if (is_high || is_low)
        memcpy(at, "\\ufffd", 6);
    return end - at < 2 ? 1 : 2;
}

/* Replaces NaN, infinities and numbers that may exceed the range of C's numbers with a 0, padded to
 * the same length; their values are not needed. Returns the number of bytes of the word or number
 * at `at`, at least 1. */
static size_t replace_number(char *at, const char *end)
{
    enum { SAFE_DIGITS = 15 };
    static const char *const others[] = {"NaN", "Infinity", "-Infinity"};
    size_t length = 0;
    bool replaced = false;
    while (at + length < end && at[length] &&
           (isalnum((unsigned char)at[length]) || strchr("+-.", at[length])))
        length++;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        replaced |= strlen(others[i]) == length && memcmp(at, others[i], length) == 0;
    const size_t digits = strspn(at, "+-.eE0123456789");
    replaced |= digits >= length &&
                (length > SAFE_DIGITS || memchr(at, 'e', length) || memchr(at, 'E', length));
    if (replaced) {
        memset(at, ' ', length);
        *at = '0';
    }
    return length ? length : 1;
}

/* Replaces what Python's json accepts and jansson rejects, without changing the length. Text that
 * both reject remains invalid. A NUL must follow the `length` bytes of `json`. */
static void replace_unreadable(char *json, size_t length)
{
    const char *end = json + length;
    bool in_string = false;
    for (char *at = json; at < end;) {
        const unsigned char first = (unsigned char)*at;
        if (first == '"') {
            in_string = !in_string;
            at++;
        } else if (!in_string) {
            at += replace_number(at, end);
        } else if (first == '\\') {
            at += replace_lone_surrogate(at, end);
        } else if (first == 0xed && end - at >= 3 && (unsigned char)at[1] >= 0xa0) {
            memcpy(at, "\xef\xbf\xbd", 3); /* a lone surrogate that was escaped in a JSON line */
            at += 3;
        } else {
            at++;
        }
    }
}

/* Parses a notebook. Replaces unreadable values only if the first attempt fails, because most
 * notebooks have none. */
static int parse(const void *json, size_t length, json_t **out, struct pm_error *err)
{
    json_error_t why;
    *out = json_loadb(json, length, JSON_ALLOW_NUL, &why);
    if (*out)
        return PM_OK;
    char *copy = pm_alloc(length + 1); /* zeroed, so a NUL follows the bytes */
    memcpy(copy, json, length);
    replace_unreadable(copy, length);
    *out = json_loadb(copy, length, JSON_ALLOW_NUL, &why);
    free(copy);
    return *out ? PM_OK
                : pm_error_set(err, PM_EFORMAT,
                               "the notebook is not valid JSON: line %d, column %d: %s", why.line,
                               why.column, why.text);
}

enum pm_corpus__notebook_form pm_corpus__notebook_read(struct pm_corpus__notebook *notebook,
                                                       const void *json, size_t length,
                                                       struct pm_error *err)
{
    json_t *object = NULL;
    if (!notebook->text.data)
        pm_str_init(&notebook->text);
    pm_str_clear(&notebook->text);
    notebook->cell_count = 0;
    if (parse(json, length, &object, err))
        return PM_CORPUS__NOTEBOOK_NONE;
    const enum pm_corpus__notebook_form form = read_object(notebook, object, err);
    json_decref(object);
    return form;
}

void pm_corpus__notebook_release(struct pm_corpus__notebook *notebook)
{
    if (notebook->text.data)
        pm_str_release(&notebook->text);
    free(notebook->cells);
}
