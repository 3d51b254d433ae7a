/*
 * Reads a Python text for an audit: its tokens by place, the arguments of a call, and loops.
 *
 *     struct pm_audit_text text;
 *     pm_audit_text_init(&text, bytes, length);           // borrows the bytes
 *     const size_t token = pm_audit_text_find(&text, line, column);
 *     pm_audit_call_read(&text, token, &call);
 *     ...
 *     pm_audit_call_release(&call);
 *     pm_audit_text_release(&text);
 *
 * The functions are pure, and accept any bytes: none of them can fail.
 */
#ifndef PM_AUDIT_TEXT_H
#define PM_AUDIT_TEXT_H

#include "pylex/pylex.h"

/* The index of no token. */
#define PM_AUDIT_NONE SIZE_MAX

struct pm_audit_text {
    const unsigned char *bytes;
    size_t length;
    struct pm_tokens tokens;
    size_t *lines; /* offset at which each line begins */
    size_t line_count;
    struct pm_audit_statement {
        size_t token;    /* index of its first token */
        unsigned indent; /* bytes before it on its line */
        bool loops;      /* it runs repeatedly: it is in a loop of its function, or is a `while` */
    } * statements;      /* NULL before the first pm_audit_text_in_loop() */
    size_t statement_count;
};

/* PM_PYLEX_PADDING zero bytes must follow the `length` bytes, which must outlive the text. */
void pm_audit_text_init(struct pm_audit_text *text, const unsigned char *bytes, size_t length);
void pm_audit_text_release(struct pm_audit_text *text);

/* Returns the token that begins at a line and a column, both from 1, the column in bytes;
 * PM_AUDIT_NONE if no token begins there. */
size_t pm_audit_text_find(const struct pm_audit_text *text, uint32_t line, uint32_t column);
/* Sets *line and *column to the place of a token: both from 1, the column in bytes. */
void pm_audit_text_place(const struct pm_audit_text *text, size_t token, uint32_t *line,
                         uint32_t *column);
/* Returns a line without its line end, borrowed. *length is 0 beyond the last line. */
const char *pm_audit_text_line(const struct pm_audit_text *text, uint32_t line, size_t *length);
/* Returns the comment at the end of a line, from its '#' on, borrowed; NULL if there is none. A '#'
 * in a string does not begin a comment. */
const char *pm_audit_text_comment(const struct pm_audit_text *text, uint32_t line, size_t *length);
/* Returns whether a token runs repeatedly: it is in the body of a loop of its own function, in the
 * condition of a `while`, or in a comprehension. */
bool pm_audit_text_in_loop(struct pm_audit_text *text, size_t token);

/* ---- calls ----------------------------------------------------------------------------------- */

enum pm_audit_value {
    PM_AUDIT_OPAQUE, /* an expression with an unknown value */
    PM_AUDIT_NUMBER,
    PM_AUDIT_STRING,
    PM_AUDIT_CONSTANT, /* True, False or None */
    PM_AUDIT_DTYPE     /* a dtype by any of its names: torch.half is float16 */
};

struct pm_audit_argument {
    char *keyword; /* NULL: by position */
    enum pm_audit_value kind;
    /* The number or constant as written, the string without quotes, or the canonical name of the
     * dtype. For the variable `device`, which is the target in a case: "device". NULL if the value
     * is unknown. */
    char *value;
    char *name;  /* the variable, if it is a single name; else NULL */
    bool listed; /* it is a list of numbers, which is not an array on a device */
};

struct pm_audit_call {
    bool is_call; /* brackets follow the name */
    struct pm_audit_argument *items;
    size_t count, capacity;
    size_t positional;    /* number of items that are passed by position */
    bool starred, mapped; /* it has `*more` or `**more`: unknown arguments */
    bool closed;          /* its bracket is closed */
};

/* Reads the call of the name that begins at `token`: in `torch.zeros(2).sum()`, the call of
 * torch.zeros. If no bracket follows the name, sets is_call to false. The caller releases *out in
 * both cases. */
void pm_audit_call_read(const struct pm_audit_text *text, size_t token, struct pm_audit_call *out);
void pm_audit_call_release(struct pm_audit_call *call);
/* Returns the argument with a keyword; NULL if there is none. */
const struct pm_audit_argument *pm_audit_call_keyword(const struct pm_audit_call *call,
                                                      const char *keyword);
/* Returns the canonical name of a dtype, such as "float16" for "half"; NULL if the word is not a
 * dtype. */
const char *pm_audit_dtype(const char *word, size_t length);

#endif
