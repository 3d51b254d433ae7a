/*
 * A Python lexer: bytes in, tokens out. It allocates nothing, reads and writes nothing else, does
 * not recurse, keeps no global state, and takes any bytes whatever: there is no failure to report.
 *
 *     struct pm_pylex lexer;
 *     struct pm_tokens tokens = {.start = ..., .end = ..., .kind = ..., .capacity = 1024};
 *     bool more;
 *     pm_pylex_start(&lexer, text, length, PM_FSTRINGS_OPEN);
 *     do {
 *         more = pm_pylex_next(&lexer, &tokens);  // adds tokens behind those that are there
 *         ... look at tokens 0 to tokens.count - 1 ...
 *         tokens.count = 0;                       // or move what is still needed to the front
 *     } while (more);
 *
 * Python 3 to 3.14 and Python 2 are lexed by the same rules:
 *
 * - NAME: letters, digits, `_`, and all bytes over 0x7f. Keywords are names.
 * - NUMBER: as in Python 3, and `0777`, `10L`. It ends where it can go on no longer: `1if` is a
 *   number and a name, `0x1for` is `0x1f` and `or`.
 * - STRING: with its prefix (b, r, u, f, t, br, rb, fr, rf, tr, rt, ur in any case), one quote or
 *   three. Without an end it goes to the end of its line, with three quotes to that of the text.
 * - NEWLINE: LF, CR LF or CR; JOINED where the line goes on, that is, where more brackets were
 *   opened than closed since the last NEWLINE. Empty lines have theirs. Comments have no token,
 *   only the NEWLINE or JOINED behind them. There is no token for the end, for indentation, for a
 *   byte order mark, for a backslash and the line end behind it.
 * - Operators: one byte each, and that byte is the kind: `->` is '-' and '>'. So are bytes that no
 *   Python has (`$`, `?`, NUL, control bytes), `!`, the backtick and a backslash within a line.
 */
#ifndef PM_PYLEX_PYLEX_H
#define PM_PYLEX_PYLEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of zero bytes that must follow the text. The lexer reads them, but they become no
 * tokens. */
#define PM_PYLEX_PADDING 64

/* The number of free places that pm_pylex_next() needs to add a token. A text of n bytes has at
 * most n tokens: with n + PM_PYLEX_ROOM places one call lexes all of it. */
#define PM_PYLEX_ROOM 72

/* An operator's kind is its byte. */
enum pm_token_kind {
    PM_TOKEN_NAME = 'a',
    PM_TOKEN_NUMBER = '0',
    PM_TOKEN_STRING = '"',
    PM_TOKEN_NEWLINE = '\n',
    PM_TOKEN_JOINED = ' ',
    /* Added to any of these for a token inside an f-string or backticks. Without the tokens that
     * have it, an f-string is one STRING, and backticks are one '`'. */
    PM_TOKEN_INSIDE = 0x80
};

/* The caller's arrays, side by side: token i is the bytes start[i] to end[i] - 1 of the text. */
struct pm_tokens {
    uint32_t *start, *end;
    uint8_t *kind;
    size_t count, capacity;
};

/*
 * f-strings and t-strings.
 *
 * OPEN (PEP 701): `f"a{b:{c}}"` is STRING `f"`, `{`, NAME b, `:`, `{`, NAME c, `}`, `}`, STRING
 * `"`, all but the first INSIDE. Literal parts have no token, nor has a conversion: `!r` is `!`.
 * One that is not well formed, or is nested deeper than PM_PYLEX_NESTING, is opaque.
 *
 * OPAQUE: each is one STRING by the rules of other strings, as up to Python 3.11.
 */
enum pm_fstrings { PM_FSTRINGS_OPEN, PM_FSTRINGS_OPAQUE };

/* The most open f-strings and open replacement fields, together, at one place. */
#define PM_PYLEX_NESTING 32

/* The engines, which have identical results. A processor that lacks the instructions of one uses a
 * slower one. */
enum pm_pylex_engine {
    PM_PYLEX_PORTABLE,
    PM_PYLEX_SSE,
    PM_PYLEX_AVX2,
    PM_PYLEX_AVX512, /* with VBMI2 */
    PM_PYLEX_ENGINES
};

/* Words of 64 bytes that are classified together. */
#define PM_PYLEX_WORDS 32

/* A part of the text, one bit a byte in each mask. */
struct pm_pylex_window {
    size_t begin, end;
    size_t cut;   /* tokens that begin before it are known */
    size_t next;  /* where lexing goes on behind these; a token that has no end yet ends there */
    size_t quote; /* first quote of the f-string that begins at `next`; 0 if none does */
    bool raw;
    uint64_t name[PM_PYLEX_WORDS + 1], operator[PM_PYLEX_WORDS];
    uint64_t newline[PM_PYLEX_WORDS], event[PM_PYLEX_WORDS];
    uint64_t live[PM_PYLEX_WORDS + 1]; /* bytes that no token and no comment has taken */
    uint64_t first[PM_PYLEX_WORDS], last[PM_PYLEX_WORDS]; /* bits of tokens that consist of bytes */
    uint64_t odd[PM_PYLEX_WORDS];      /* first bytes that do not show the kind */
    uint8_t kind[PM_PYLEX_WORDS * 64]; /* kind of tokens by their first bytes */
};

/* All members are private to the lexer. */
struct pm_pylex {
    const unsigned char *text;
    size_t length, at;
    void (*engine)(struct pm_pylex *lexer, struct pm_tokens *tokens);
    enum pm_fstrings fstrings;
    int64_t depth;  /* brackets opened less brackets closed since the last NEWLINE */
    bool backticks; /* there was one */
    bool in_backticks;
    unsigned nested; /* frames in use: within an f-string where not 0 */
    struct pm_pylex_frame {
        uint16_t depth; /* brackets open within the field */
        unsigned char quote;
        bool triple, raw;
        unsigned char part; /* literal text, field, format */
    } frames[PM_PYLEX_NESTING];
    size_t opaque; /* the quote of the last f-string that is not well formed */
    struct pm_pylex_window window;
};

/* Begins a text, with the fastest engine of this processor. */
void pm_pylex_start(struct pm_pylex *lexer, const void *text, uint32_t length,
                    enum pm_fstrings fstrings);

/* Selects another engine, right after the start; false if the processor lacks it. */
bool pm_pylex_use(struct pm_pylex *lexer, enum pm_pylex_engine engine);
const char *pm_pylex_engine_name(enum pm_pylex_engine engine);

/* Adds tokens until fewer than PM_PYLEX_ROOM places are free, or the text ends: then false. */
bool pm_pylex_next(struct pm_pylex *lexer, struct pm_tokens *tokens);

#endif
