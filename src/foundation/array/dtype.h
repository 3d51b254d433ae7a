/*
 * Element types: one list defines the enum, the names, the sizes and the kinds. The names are those
 * of NumPy and, for bfloat16, of ml_dtypes. A complex element is stored as its real part and then
 * its imaginary part.
 */
#ifndef PM_ARRAY_DTYPE_H
#define PM_ARRAY_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

/* X(id, name, bytes, kind) */
#define PM_DTYPES(X)                                                                               \
    X(BOOL, "bool", 1, PM_KIND_BOOL)                                                               \
    X(INT8, "int8", 1, PM_KIND_SIGNED)                                                             \
    X(INT16, "int16", 2, PM_KIND_SIGNED)                                                           \
    X(INT32, "int32", 4, PM_KIND_SIGNED)                                                           \
    X(INT64, "int64", 8, PM_KIND_SIGNED)                                                           \
    X(UINT8, "uint8", 1, PM_KIND_UNSIGNED)                                                         \
    X(UINT16, "uint16", 2, PM_KIND_UNSIGNED)                                                       \
    X(UINT32, "uint32", 4, PM_KIND_UNSIGNED)                                                       \
    X(UINT64, "uint64", 8, PM_KIND_UNSIGNED)                                                       \
    X(FLOAT16, "float16", 2, PM_KIND_FLOAT)                                                        \
    X(BFLOAT16, "bfloat16", 2, PM_KIND_FLOAT)                                                      \
    X(FLOAT32, "float32", 4, PM_KIND_FLOAT)                                                        \
    X(FLOAT64, "float64", 8, PM_KIND_FLOAT)                                                        \
    X(COMPLEX64, "complex64", 8, PM_KIND_COMPLEX)                                                  \
    X(COMPLEX128, "complex128", 16, PM_KIND_COMPLEX)

enum pm_kind { PM_KIND_BOOL, PM_KIND_SIGNED, PM_KIND_UNSIGNED, PM_KIND_FLOAT, PM_KIND_COMPLEX };

enum pm_dtype {
#define X(id, name, bytes, kind) PM_##id,
    PM_DTYPES(X)
#undef X
        PM_DTYPE_COUNT
};

const char *pm_dtype_name(enum pm_dtype dtype);
size_t pm_dtype_size(enum pm_dtype dtype); /* bytes per element */
enum pm_kind pm_dtype_kind(enum pm_dtype dtype);
/* Returns the distance of 1 from the next larger number; NaN if the dtype is neither floating-point
 * nor complex. */
double pm_dtype_epsilon(enum pm_dtype dtype);
/* Stores the dtype with this name in *out. Returns false, with *out unchanged, for an unknown
 * name. */
bool pm_dtype_parse(const char *name, enum pm_dtype *out);

#endif
