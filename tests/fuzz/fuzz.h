/*
 * A fuzz target passes bytes to the part of the program that reads them, and checks the result.
 * libFuzzer calls it with inputs that it makes up, and replay.c with stored inputs.
 *
 * A target fails by ending the process: by a sanitizer, by running out of memory, or by
 * fuzz_wrong(). It must keep no state from one input to the next.
 */
#ifndef PM_TESTS_FUZZ_FUZZ_H
#define PM_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Feeds one input to the target. Always returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Prints a message and aborts. */
_Noreturn void fuzz_wrong(const char *format, ...) PM_PRINTF(1, 2);

/* Returns a copy in a separate block, followed by `padding` zero bytes, so that a sanitizer finds a
 * read beyond its end. The caller frees it. */
unsigned char *fuzz_copy(const uint8_t *data, size_t size, size_t padding);

/* Makes a file in memory with the input and stores its path in `path`; returns its descriptor,
 * which the caller closes. */
int fuzz_file(const uint8_t *data, size_t size, char path[static 64]);

/* Fails if the text of an error is empty or not a single printable line. */
void fuzz_check_error(const struct pm_error *err);

#endif
