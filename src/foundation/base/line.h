/*
 * Lines for people: text from outside (names of files, messages of frameworks, case files,
 * databases) made safe to print to a terminal. A control byte there can recolour, erase or
 * overwrite the output of portmeter, and a bidirectional control can reverse it.
 *
 * What becomes one space: control characters (C0, DEL, C1), line and paragraph separators (U+2028,
 * U+2029), bidirectional controls (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069).
 * What becomes a '?': each byte that is not part of valid UTF-8. All else stays as it is.
 *
 * Texts of errors are made safe when they are set (error.h). pm_line_add() does the same for cells
 * of tables. JSON needs none of it: it keeps such characters, and escapes all but ASCII.
 */
#ifndef PM_BASE_LINE_H
#define PM_BASE_LINE_H

#include <stdio.h>

#include "base/str.h"

/* Makes a text safe in place; it never gets longer. Returns `text`. */
char *pm_line_clean(char *text);

/* Adds `text` to `s` as a part of a line, safe in the same way, cut after `max` bytes (at a UTF-8
 * boundary, with "..." appended). */
void pm_line_add(struct pm_str *s, const char *text, size_t max);

/* Returns the length of the first sentence of a text of more than 160 bytes (up to ". "), otherwise
 * its whole length. For places beside which the whole text is printed elsewhere. */
size_t pm_line_first_sentence(const char *text);

/* Returns the line of a message that says the cause, if its first line only announces it with a
 * colon at its end, as TensorFlow's "Graph execution error:" does; else "". Lines about the place
 * are skipped: "Detected at node 'a' defined at", a stack, "Node: 'a'", "2 root error(s)
 * found.". */
const char *pm_line_cause(const char *message);

/* Prints such text as one line, followed by a line end. */
void pm_line_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
