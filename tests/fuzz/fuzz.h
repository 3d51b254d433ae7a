/* A fuzz target: libFuzzer calls it, or replay.c does with the inputs that were kept. */
#ifndef PM_TESTS_FUZZ_FUZZ_H
#define PM_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
