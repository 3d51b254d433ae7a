/* Text on a terminal: its width, and parts that fit into columns. */
#ifndef PM_TEXT_DISPLAY_H
#define PM_TEXT_DISPLAY_H

#include <stddef.h>

#include "base/str.h"

/* Appends `text` as a part of a line that is safe to print, as pm_line_add() does. */
void pm_text_clean(struct pm_str *out, const char *text);

/* Appends each line of a script as pm_text_clean() does, with a line end. Puts `before` in front of
 * each line that is not empty. */
void pm_text_clean_script(struct pm_str *out, const char *text, const char *before);

/* Returns how many columns valid UTF-8 takes on a terminal: 0 for combining marks, 2 for wide
 * characters (Unicode Standard Annex 11, "East Asian Width"), else 1. */
size_t pm_text_width(const char *text);

/* Append `text`. If it is wider than `columns`, pm_text_cut() replaces the end of the text by
 * "...", and pm_text_cut_head() its beginning, so that the result fits. */
void pm_text_cut(struct pm_str *out, const char *text, size_t columns);
void pm_text_cut_head(struct pm_str *out, const char *text, size_t columns);

/* Returns how many bytes of `text` fit into a line of `columns`: up to a space if there is one, and
 * at least one character. The next line begins after the spaces that follow. */
size_t pm_text_line_length(const char *text, size_t columns);

/* Appends this many spaces. */
void pm_text_pad(struct pm_str *out, size_t columns);

#endif
