/*
 * Lines for people: text from outside (names of files, messages of frameworks, case files,
 * databases) made safe to print to a terminal. A control byte there can recolour, erase or
 * overwrite the output of portmeter, and a bidirectional control can reverse it.
 *
 * Each of these characters becomes a space: control characters (C0, DEL, C1; CR LF counts as one),
 * line and paragraph separators (U+2028, U+2029), and bidirectional controls (U+061C, U+200E,
 * U+200F, U+202A to U+202E, U+2066 to U+2069). Each byte that is not part of valid UTF-8 becomes a
 * '?'. All other characters stay as they are.
 *
 * Texts of errors are made safe when they are set (error.h). pm_line_add() does the same for cells
 * of tables. JSON output keeps such characters, because it escapes control characters and all
 * characters outside ASCII.
 */
#ifndef PM_BASE_LINE_H
#define PM_BASE_LINE_H

#include <stdio.h>

#include "base/str.h"

/* Makes a text safe in place. The result is never longer than the text. Returns `text`. */
char *pm_line_clean(char *text);

/* Adds `text` to `s` as a part of a line. Makes it safe as pm_line_clean() does, and cuts it after
 * `max` bytes (at a UTF-8 boundary, with "..." appended). */
void pm_line_add(struct pm_str *s, const char *text, size_t max);

/* Returns the length of the first sentence (up to ". ") of a text of more than 160 bytes, and the
 * whole length of a shorter text. Use it where the whole text is printed elsewhere too. */
size_t pm_line_first_sentence(const char *text);

/* Returns the part of `message` that begins with the line that names the cause, if the first line
 * ends with a colon and only announces the cause, as TensorFlow's "Graph execution error:" does.
 * Otherwise returns "". Skips lines that name the place: "Detected at node 'a' defined at", a
 * stack, "Node: 'a'", "2 root error(s) found.". */
const char *pm_line_cause(const char *message);

/* Formats a text, makes it safe as pm_line_clean() does, and prints it with a line end. */
void pm_line_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
