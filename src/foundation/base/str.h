/*
 * A growing byte string, always terminated by a NUL that `length` does not count.
 *
 *     struct pm_str s = PM_STR_INIT;
 *     pm_str_addf(&s, "%d of %d", done, total);
 *     puts(s.data);
 *     pm_str_release(&s);
 */
#ifndef PM_BASE_STR_H
#define PM_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>

struct pm_str {
    char *data; /* never NULL: a constant empty string until something is added */
    size_t length;
    size_t capacity; /* 0: data is the constant */
};

extern char pm_str_empty[1];
#define PM_STR_INIT                                                                                \
    {                                                                                              \
        pm_str_empty, 0, 0                                                                         \
    }

void pm_str_init(struct pm_str *s);    /* makes an empty string, which owns no memory     */
void pm_str_release(struct pm_str *s); /* frees the contents; s can be used as after init */
void pm_str_clear(struct pm_str *s);   /* makes the string empty and keeps its memory     */
void pm_str_add(struct pm_str *s, const char *text);
void pm_str_add_bytes(struct pm_str *s, const void *bytes, size_t length);
void pm_str_add_char(struct pm_str *s, char c);
void pm_str_addf(struct pm_str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a word for a POSIX shell: in quotes, unless the shell treats all its characters
 * literally. */
void pm_str_add_shell(struct pm_str *s, const char *word);
char *pm_str_detach(struct pm_str *s); /* the caller frees; s is empty afterwards */

/* Returns whether `text` begins (ends) with `part`. */
bool pm_starts_with(const char *text, const char *part);
bool pm_ends_with(const char *text, const char *part);

/* Divides a text in place at each `divider`. Returns whether it has exactly `count` fields. */
bool pm_divide(char *text, char divider, char **fields, size_t count);

/* Returns whether `length` bytes are valid UTF-8. A NUL must follow them; NULs among them are
 * valid. */
bool pm_is_utf8(const char *text, size_t length);

/* Parses all of `text` as a decimal number; returns false, with *out unchanged, for any other text
 * and on overflow. */
bool pm_parse_int(const char *text, long long *out);
bool pm_parse_double(const char *text, double *out);

/* Parses "1.5G", "800M", "64k" (powers of 1024) or plain bytes. A size that is too large gives ~0.
 * Returns false for a negative number and for any other text. */
bool pm_parse_bytes(const char *text, unsigned long long *out);

#endif
