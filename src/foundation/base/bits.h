/* The bit pattern of a double: IEEE 754 binary64, sign, 11 bits of exponent, 52 of fraction. */
#ifndef PM_BASE_BITS_H
#define PM_BASE_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint64_t pm_bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double pm_double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
