/*
 * A fuzz target takes bytes, feeds them to what reads them in the program, and checks what comes
 * out. libFuzzer calls it with inputs that it makes up, replay.c with those that were kept.
 *
 * A target fails when it ends the process: by a sanitizer, by running out of memory, or by
 * fuzz_wrong(). It keeps nothing from one input to the next.
 */
#ifndef PM_TESTS_FUZZ_FUZZ_H
#define PM_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The target itself. Always returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Prints what is wrong and aborts. */
_Noreturn void fuzz_wrong(const char *format, ...) PM_PRINTF(1, 2);

/* Returns a copy in a block of its own, so that a sanitizer sees a byte read beyond it; `padding`
 * zero bytes follow. The caller frees. */
unsigned char *fuzz_copy(const uint8_t *data, size_t size, size_t padding);

/* A file in memory that holds the input, to be read by the path that goes to `path`; returns its
 * descriptor, which the caller closes. */
int fuzz_file(const uint8_t *data, size_t size, char path[static 64]);

/* Fails where the text of an error is empty, or anything but one line for people. */
void fuzz_check_error(const struct pm_error *err);

#endif
