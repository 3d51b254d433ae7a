/* Reads and writes the elements of an array. */
#include <string.h>

#include "array/array_private.h"

static uint64_t load(const unsigned char *at, size_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, at, size); /* little-endian: the low bytes come first */
    return bits;
}

static void store(unsigned char *at, size_t size, uint64_t bits)
{
    memcpy(at, &bits, size);
}

static int64_t sign_extend(uint64_t bits, size_t size)
{
    const unsigned unused = 64 - 8 * (unsigned)size;
    return (int64_t)(bits << unused) >> unused;
}

int64_t pm_array_int(const struct pm_array *array, size_t i)
{
    const size_t size = pm_dtype_size(array->dtype);
    const uint64_t bits = load(array->data + i * size, size);
    switch (pm_dtype_kind(array->dtype)) {
    case PM_KIND_SIGNED:
        return sign_extend(bits, size);
    case PM_KIND_UNSIGNED:
        return (int64_t)bits;
    case PM_KIND_BOOL:
        return bits != 0;
    default:
        PM_BUG("the array does not contain integers");
    }
}

void pm_array_set_int(struct pm_array *array, size_t i, int64_t v)
{
    const size_t size = pm_dtype_size(array->dtype);
    switch (pm_dtype_kind(array->dtype)) {
    case PM_KIND_SIGNED:
    case PM_KIND_UNSIGNED:
        store(array->data + i * size, size, (uint64_t)v);
        break;
    case PM_KIND_BOOL:
        store(array->data + i * size, size, v & 1);
        break;
    default:
        PM_BUG("the array does not contain integers");
    }
}

double pm_array_real(const struct pm_array *array, size_t i)
{
    const size_t size = pm_dtype_size(array->dtype);
    const unsigned char *at = array->data + i * size;
    switch (pm_dtype_kind(array->dtype)) {
    case PM_KIND_FLOAT:
        return pm_array__value(array->dtype, load(at, size));
    case PM_KIND_COMPLEX:
        return pm_array__value(array->dtype, load(at, size / 2));
    case PM_KIND_UNSIGNED:
        return (double)(uint64_t)pm_array_int(array, i);
    default:
        return (double)pm_array_int(array, i);
    }
}

double pm_array_imag(const struct pm_array *array, size_t i)
{
    if (pm_dtype_kind(array->dtype) != PM_KIND_COMPLEX)
        return 0;
    const size_t size = pm_dtype_size(array->dtype), half = size / 2;
    return pm_array__value(array->dtype, load(array->data + i * size + half, half));
}

/* Reads `count` values of a floating-point dtype, one every `stride` bytes. */
static void read_floats(enum pm_dtype dtype, const unsigned char *at, size_t stride, size_t count,
                        double *out)
{
    const size_t size = pm_dtype_size(dtype);
    for (size_t i = 0; i < count; i++, at += stride) {
        float narrow;
        if (dtype == PM_FLOAT64)
            memcpy(&out[i], at, sizeof *out);
        else if (dtype == PM_FLOAT32)
            out[i] = (memcpy(&narrow, at, sizeof narrow), (double)narrow);
        else
            out[i] = pm_array__value(dtype, load(at, size));
    }
}

void pm_array_numbers(const struct pm_array *array, size_t first, size_t count, double *real,
                      double *imag)
{
    const size_t size = pm_dtype_size(array->dtype);
    const enum pm_dtype part = pm_array__part(array->dtype);
    const unsigned char *at = array->data + first * size;
    switch (pm_dtype_kind(array->dtype)) {
    case PM_KIND_COMPLEX:
        read_floats(part, at, size, count, real);
        read_floats(part, at + size / 2, size, count, imag);
        return;
    case PM_KIND_FLOAT:
        read_floats(part, at, size, count, real);
        break;
    default:
        for (size_t i = 0; i < count; i++)
            real[i] = pm_array_real(array, first + i);
    }
    memset(imag, 0, count * sizeof *imag);
}

static int64_t saturate_signed(double value, unsigned precision)
{
    const double end = pm_array__two_to(precision);
    const int64_t largest = (int64_t)(UINT64_MAX >> (64 - precision));
    if (value != value)
        return 0;
    if (value >= end)
        return largest;
    return value < -end ? -largest - 1 : (int64_t)value;
}

static uint64_t saturate_unsigned(double value, unsigned precision)
{
    if (!(value >= 0)) /* also for NaN */
        return 0;
    return value >= pm_array__two_to(precision) ? UINT64_MAX >> (64 - precision) : (uint64_t)value;
}

void pm_array_set(struct pm_array *array, size_t i, double real, double imag)
{
    const size_t size = pm_dtype_size(array->dtype), half = size / 2;
    unsigned char *at = array->data + i * size;
    switch (pm_dtype_kind(array->dtype)) {
    case PM_KIND_BOOL:
    case PM_KIND_UNSIGNED:
        store(at, size, saturate_unsigned(real, pm_array__precision(array->dtype)));
        break;
    case PM_KIND_SIGNED:
        store(at, size, (uint64_t)saturate_signed(real, pm_array__precision(array->dtype)));
        break;
    case PM_KIND_FLOAT:
        store(at, size, pm_array__pattern(array->dtype, real));
        break;
    case PM_KIND_COMPLEX:
        store(at, half, pm_array__pattern(array->dtype, real));
        store(at + half, half, pm_array__pattern(array->dtype, imag));
        break;
    }
}
