/*
 * A Python lexer: bytes in, tokens out. It allocates nothing, does no input or output, does not
 * recurse and has no global state. It accepts any bytes, so it has no errors.
 *
 *     struct pm_pylex lexer;
 *     struct pm_tokens tokens = {.start = ..., .end = ..., .kind = ..., .capacity = 1024};
 *     bool more;
 *     pm_pylex_start(&lexer, text, length, PM_FSTRINGS_OPEN);
 *     do {
 *         more = pm_pylex_next(&lexer, &tokens);  // appends tokens
 *         ... look at tokens 0 to tokens.count - 1 ...
 *         tokens.count = 0;                       // or move what is still needed to the front
 *     } while (more);
 *
 * Python 3 to 3.14 and Python 2 are lexed by the same rules:
 *
 * - NAME: letters, digits, `_`, and all bytes over 0x7f. Keywords are names.
 * - NUMBER: as in Python 3, and `0777` and `10L` of Python 2. A number is as long as possible:
 *   `1if` is a number and a name, `0x1for` is `0x1f` and `or`.
 * - STRING: with its prefix (b, r, u, f, t, br, rb, fr, rf, tr, rt, ur in any case) and one or
 *   three quotes. If the closing quote is missing, the string extends to the end of its line or,
 *   with three quotes, to the end of the text.
 * - NEWLINE: a line end, which is LF, CR LF or CR. It is JOINED instead within open brackets, that
 *   is, if more brackets were opened than closed since the last NEWLINE. An empty line has a
 *   NEWLINE too. A comment has no token, but the line end after it does. There are no tokens
 *   for the end of the text, for indentation, for a byte order mark, or for a backslash with its
 *   line end.
 * - Operators: each byte is a token, and its kind is the byte: `->` is '-' and '>'. Bytes that
 *   Python does not use (`$`, `?`, NUL, control bytes), `!`, the backtick and a backslash within a
 *   line are lexed like operators.
 */
#ifndef PM_PYLEX_PYLEX_H
#define PM_PYLEX_PYLEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of zero bytes that must follow the text. The lexer reads them, but makes no
 * tokens of them. */
#define PM_PYLEX_PADDING 64

/* The number of free places that pm_pylex_next() needs to add a token. A text of n bytes has at
 * most n tokens, so one call lexes the whole text if n + PM_PYLEX_ROOM places are free. */
#define PM_PYLEX_ROOM 72

/* An operator's kind is its byte. */
enum pm_token_kind {
    PM_TOKEN_NAME = 'a',
    PM_TOKEN_NUMBER = '0',
    PM_TOKEN_STRING = '"',
    PM_TOKEN_NEWLINE = '\n',
    PM_TOKEN_JOINED = ' ',
    /* This bit is set in the kind of a token inside an f-string or backticks. A reader that ignores
     * such tokens sees an f-string as one STRING, and text in backticks as one '`'. */
    PM_TOKEN_INSIDE = 0x80
};

/* Arrays of the caller. Each has `capacity` places, and the first `count` are used. Token i has the
 * bytes start[i] to end[i] - 1 of the text. */
struct pm_tokens {
    uint32_t *start, *end;
    uint8_t *kind;
    size_t count, capacity;
};

/*
 * f-strings and t-strings.
 *
 * OPEN (PEP 701): `f"a{b:{c}}"` becomes STRING `f"`, `{`, NAME b, `:`, `{`, NAME c, `}`, `}` and
 * STRING `"`. All tokens except the first are INSIDE. Literal parts have no tokens, and only
 * the `!` of a conversion is a token. An f-string that is malformed, or nested deeper than
 * PM_PYLEX_NESTING, is opaque.
 *
 * OPAQUE: each f-string is one STRING by the rules of other strings, as in Python up to 3.11.
 */
enum pm_fstrings { PM_FSTRINGS_OPEN, PM_FSTRINGS_OPAQUE };

/* The most f-strings and replacement fields that may be open at one place, counted together. */
#define PM_PYLEX_NESTING 32

/* The engines, from the slowest to the fastest. Their results are identical. */
enum pm_pylex_engine {
    PM_PYLEX_PORTABLE,
    PM_PYLEX_SSE,
    PM_PYLEX_AVX2,
    PM_PYLEX_AVX512, /* with VBMI2 */
    PM_PYLEX_ENGINES
};

/* The most words of 64 bytes that are classified together. */
#define PM_PYLEX_WORDS 32

/* A part of the text. Each mask has one bit per byte. */
struct pm_pylex_window {
    size_t begin, end;
    size_t cut;   /* all tokens that begin before this place are settled */
    size_t next;  /* lexing continues here after these tokens; the last token may end here */
    size_t quote; /* first quote of the f-string that begins at `next`, or 0 */
    bool raw;
    uint64_t name[PM_PYLEX_WORDS + 1], operator[PM_PYLEX_WORDS];
    uint64_t newline[PM_PYLEX_WORDS], event[PM_PYLEX_WORDS];
    uint64_t live[PM_PYLEX_WORDS + 1]; /* bytes that no event removed (engine.h) */
    uint64_t first[PM_PYLEX_WORDS];    /* first bytes of the tokens that events made */
    uint64_t last[PM_PYLEX_WORDS];     /* their last bytes */
    uint64_t odd[PM_PYLEX_WORDS];      /* first bytes that do not show the kind of their token */
    uint8_t kind[PM_PYLEX_WORDS * 64]; /* by byte: the kind of a token that begins there */
};

/* All members are private to the lexer. */
struct pm_pylex {
    const unsigned char *text;
    size_t length, at;
    void (*engine)(struct pm_pylex *lexer, struct pm_tokens *tokens);
    enum pm_fstrings fstrings;
    int64_t depth;  /* brackets opened minus brackets closed since the last NEWLINE */
    bool backticks; /* the text has had a backtick */
    bool in_backticks;
    unsigned nested; /* frames in use; not 0 within an f-string */
    struct pm_pylex_frame {
        uint16_t depth; /* brackets open within the field */
        unsigned char quote;
        bool triple, raw;
        unsigned char part; /* literal text, expression or format */
    } frames[PM_PYLEX_NESTING];
    size_t opaque; /* place of the first quote of the last malformed f-string */
    struct pm_pylex_window window;
};

/* Begins a text, with the fastest engine of this processor. The text is borrowed, and
 * PM_PYLEX_PADDING zero bytes must follow it. */
void pm_pylex_start(struct pm_pylex *lexer, const void *text, uint32_t length,
                    enum pm_fstrings fstrings);

/* Selects another engine; call it directly after pm_pylex_start(). Returns false, and keeps the
 * engine, if the processor lacks the instructions of `engine`. */
bool pm_pylex_use(struct pm_pylex *lexer, enum pm_pylex_engine engine);
/* Returns the name of an engine, such as "avx2", as a static string. */
const char *pm_pylex_engine_name(enum pm_pylex_engine engine);

/* Appends tokens until fewer than PM_PYLEX_ROOM places are free or the text ends. Returns false if
 * the text has ended. */
bool pm_pylex_next(struct pm_pylex *lexer, struct pm_tokens *tokens);

#endif
