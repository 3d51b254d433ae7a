/* Tests of the input generator: its bits, and the properties of each distribution. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/array_private.h"
#include "array/generate.h"
#include "base/alloc.h"

static const char key[] = "torch.argsort/rows[float32]/x";

static struct pm_array generate(const char *text, uint64_t seed)
{
    struct pm_input_spec spec;
    struct pm_array array = {0};
    struct pm_error err;
    if (pm_input_parse(text, &spec, &err) || pm_generate(&spec, key, seed, &array, &err))
        fail_msg("%s", err.text);
    return array;
}

static double normal_distribution(double z)
{
    return 0.5 * erfc(-z * M_SQRT1_2);
}

/* ---- distributions ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *values_of(const struct pm_array *array)
{
    double *values = pm_realloc_array(NULL, array->count, sizeof *values);
    for (size_t i = 0; i < array->count; i++)
        values[i] = pm_array_real(array, i);
    return values;
}

/* Returns the largest distance of the sample's distribution from the given one, times sqrt(n). It
 * is above 1.95 by chance once in a thousand samples (Kolmogorov, Smirnov). */
static double distance_from(const struct pm_array *array, double (*distribution)(double))
{
    double *values = values_of(array), largest = 0;
    const double n = (double)array->count;
    qsort(values, array->count, sizeof *values, by_value);
    for (size_t i = 0; i < array->count; i++) {
        const double want = distribution(values[i]);
        largest = fmax(largest, fmax(fabs(want - (double)i / n), fabs((double)(i + 1) / n - want)));
    }
    free(values);
    return largest * sqrt(n);
}

static double uniform_distribution(double x)
{
    return (x + 3) / 8;
}

static void test_normal__moments_and_distribution(void **state)
{
    (void)state;
    struct pm_array array = generate("float64[100000] normal", 3);
    double moment[5] = {0}, lagged = 0, last = 0;
    for (size_t i = 0; i < array.count; i++) {
        const double z = pm_array_real(&array, i);
        for (int power = 1; power <= 4; power++)
            moment[power] += pow(z, power) / (double)array.count;
        lagged += z * last / (double)array.count;
        last = z;
    }
    assert_true(fabs(moment[1]) < 0.0105); /* 3.3 standard errors each */
    assert_true(fabs(moment[2] - 1) < 0.0148);
    assert_true(fabs(moment[3]) < 0.041);
    assert_true(fabs(moment[4] - 3) < 0.103);
    assert_true(fabs(lagged) < 0.0105);
    assert_true(distance_from(&array, normal_distribution) < 1.95);
    pm_array_release(&array);
    array = generate("float64[2] normal(5,0)", 3);
    assert_true(pm_array_real(&array, 0) == 5 && pm_array_real(&array, 1) == 5);
    pm_array_release(&array);
}

static void test_normal__complex_parts_are_independent(void **state)
{
    (void)state;
    struct pm_array array = generate("complex128[100000] normal", 3);
    double product = 0, square = 0;
    for (size_t i = 0; i < array.count; i++) {
        product += pm_array_real(&array, i) * pm_array_imag(&array, i) / (double)array.count;
        square += pow(pm_array_imag(&array, i), 2) / (double)array.count;
    }
    assert_true(fabs(product) < 0.0105);
    assert_true(fabs(square - 1) < 0.0148);
    pm_array_release(&array);
}

static void test_uniform__distribution(void **state)
{
    (void)state;
    struct pm_array array = generate("float64[100000] uniform(-3,5)", 0);
    assert_true(distance_from(&array, uniform_distribution) < 1.95);
    pm_array_release(&array);
}

static void check_half_open(const char *text, double low, double high, double greatest)
{
    struct pm_array array = generate(text, 0);
    double least_seen = INFINITY, greatest_seen = -INFINITY;
    for (size_t i = 0; i < array.count; i++) {
        least_seen = fmin(least_seen, pm_array_real(&array, i));
        greatest_seen = fmax(greatest_seen, pm_array_real(&array, i));
    }
    if (!(least_seen >= low && greatest_seen < high && greatest_seen == greatest))
        fail_msg("%s: %.17g to %.17g", text, least_seen, greatest_seen);
    pm_array_release(&array);
}

static void test_uniform__stays_half_open_when_narrowed(void **state)
{
    (void)state;
    check_half_open("bfloat16[20000] uniform(0,1)", 0, 1, 1 - 0x1p-8);
    check_half_open("float16[200000] uniform(0,1)", 0, 1, 1 - 0x1p-11);
    check_half_open("float16[20000] uniform(0.1,0.3)", 0.1, 0.3,
                    pm_array__value(PM_FLOAT16, 0x34CC));
    check_half_open("bfloat16[20000] uniform(-1,-0.5)", -1, -0.5, -0.5 - 0x1p-8);
    check_half_open("float64[20] uniform(1,1.0000000000000002)", 1, 1 + 0x1p-52, 1);
    check_half_open("float32[2000] uniform(16777216,16777220)", 0x1p24, 0x1p24 + 4, 0x1p24 + 2);
}

static void test_integers__are_even(void **state)
{
    (void)state;
    static const char *const texts[] = {"int8[100000] integers(-5,5)",
                                        "float16[100000] integers(-5,5)",
                                        "int64[100000] integers(-5,5)"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        struct pm_array array = generate(texts[t], 0);
        unsigned counts[10] = {0};
        for (size_t i = 0; i < array.count; i++) {
            const double value = pm_array_real(&array, i);
            assert_true(value >= -5 && value < 5 && value == floor(value));
            counts[(int)value + 5]++;
        }
        double chi_square = 0;
        for (unsigned i = 0; i < 10; i++)
            chi_square += pow(counts[i] - 10000.0, 2) / 10000;
        assert_true(chi_square < 27.9); /* 9 degrees of freedom, p = 0.001 */
        pm_array_release(&array);
    }
}

static double share_of_ones(const char *text)
{
    struct pm_array array = generate(text, 0);
    double ones = 0;
    for (size_t i = 0; i < array.count; i++)
        ones += pm_array_real(&array, i);
    const double share = ones / (double)array.count;
    pm_array_release(&array);
    return share;
}

static void test_bernoulli__shares(void **state)
{
    (void)state;
    assert_true(fabs(share_of_ones("bool[100000] bernoulli(0.3)") - 0.3) < 0.005);
    assert_true(fabs(share_of_ones("float32[100000] bernoulli(0.01)") - 0.01) < 0.00105);
    assert_true(share_of_ones("bool[1000] bernoulli(1)") == 1);
    assert_true(share_of_ones("bool[1000] bernoulli(0)") == 0);
}

static void check_permutation(const char *text)
{
    struct pm_array array = generate(text, 0);
    const size_t n = (size_t)array.shape.size[array.shape.dims - 1];
    unsigned char *seen = pm_alloc(n);
    size_t fixed = 0;
    for (size_t i = 0; i < array.count; i++) {
        if (i % n == 0)
            memset(seen, 0, n);
        const size_t value = (size_t)pm_array_real(&array, i);
        assert_true(value < n && !seen[value]++);
        fixed += value == i % n;
    }
    assert_true(fixed < array.count / 10); /* one in each row is expected */
    free(seen);
    pm_array_release(&array);
}

static void test_permutation__each_row_has_all(void **state)
{
    (void)state;
    check_permutation("int64[4,200] permutation");
    check_permutation("bfloat16[3,256] permutation");
    check_permutation("float16[2048] permutation");
    check_permutation("uint8[2,3,256] permutation");
    check_permutation("complex64[100] permutation");
}

/* Each of the six orders of three elements must be about equally frequent. */
static void test_permutation__orders_are_even(void **state)
{
    (void)state;
    struct pm_array array = generate("int8[60000,3] permutation", 0);
    unsigned counts[9] = {0};
    for (size_t row = 0; row < 60000; row++)
        counts[pm_array_int(&array, 3 * row) * 3 + pm_array_int(&array, 3 * row + 1)]++;
    double chi_square = 0;
    for (unsigned i = 0; i < 9; i++)
        if (i / 3 != i % 3)
            chi_square += pow(counts[i] - 10000.0, 2) / 10000;
    assert_true(chi_square < 20.5);
    pm_array_release(&array);
}

static void test_plain__ranges_and_constants(void **state)
{
    (void)state;
    struct pm_array array = generate("bfloat16[16,16] range", 0);
    for (size_t i = 0; i < array.count; i++)
        assert_true(pm_array_real(&array, i) == (double)i);
    pm_array_release(&array);
    array = generate("complex64[3] full(-2.5)", 0);
    assert_true(pm_array_real(&array, 2) == -2.5 && pm_array_imag(&array, 2) == 0);
    pm_array_release(&array);
    array = generate("float16[2] full(-inf)", 0);
    assert_true(isinf(pm_array_real(&array, 1)));
    pm_array_release(&array);
    array = generate("float32[0,3] ones", 0);
    assert_int_equal(array.count, 0);
    pm_array_release(&array);
    array = generate("uint64[] ones", 0);
    assert_int_equal(array.count, 1);
    assert_int_equal(pm_array_int(&array, 0), 1);
    pm_array_release(&array);
}

static void check_specials_of(enum pm_dtype dtype)
{
    char text[64];
    snprintf(text, sizeof text, "%s[24] special", pm_dtype_name(dtype));
    struct pm_array array = generate(text, 0);
    const struct pm_float_limits limits = pm_array__limits(dtype);
    unsigned nan = 0, infinite = 0, zero = 0, negative_zero = 0, subnormal = 0, largest = 0;
    for (size_t i = 0; i < array.count; i++) {
        const double x = pm_array_real(&array, i);
        nan += isnan(x) != 0;
        infinite += isinf(x) != 0;
        zero += x == 0;
        negative_zero += x == 0 && signbit(x);
        subnormal += x != 0 && fabs(x) < pm_array__value(dtype, limits.smallest_normal);
        largest += fabs(x) == pm_array__value(dtype, limits.largest);
    }
    assert_int_equal(nan, 1);
    assert_int_equal(infinite, 2);
    assert_int_equal(zero, 2);
    assert_int_equal(negative_zero, 1);
    assert_int_equal(subnormal, 3);
    assert_int_equal(largest, 2);
    pm_array_release(&array);
}

static void test_special__has_all(void **state)
{
    (void)state;
    for (unsigned t = 0; t < PM_DTYPE_COUNT; t++)
        if (pm_dtype_kind((enum pm_dtype)t) >= PM_KIND_FLOAT)
            check_specials_of((enum pm_dtype)t);
    struct pm_array array = generate("int16[14] special", 0);
    bool least = false, most = false;
    for (size_t i = 0; i < array.count; i++) {
        least = least || pm_array_int(&array, i) == INT16_MIN;
        most = most || pm_array_int(&array, i) == INT16_MAX;
    }
    assert_true(least && most);
    pm_array_release(&array);
    array = generate("uint64[10] special", 0);
    assert_true(pm_array_int(&array, 0) == -1); /* all bits set */
    pm_array_release(&array);
}

/* ---- matrices ---- */

static double complex_dot(const struct pm_array *a, size_t i, size_t j, size_t stride, size_t n,
                          double *imag)
{
    double real = 0;
    *imag = 0;
    for (size_t k = 0; k < n; k++) {
        const double xr = pm_array_real(a, i + k * stride), xi = pm_array_imag(a, i + k * stride);
        const double yr = pm_array_real(a, j + k * stride), yi = pm_array_imag(a, j + k * stride);
        real += xr * yr + xi * yi;
        *imag += xi * yr - xr * yi;
    }
    return real;
}

/* Asserts that the vectors that begin at first + i * step are orthonormal; the elements of a vector
 * are `stride` apart. */
static void check_orthonormal(const struct pm_array *a, size_t first, size_t count, size_t step,
                              size_t n, size_t stride, double tolerance)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            double imag;
            const double real =
                complex_dot(a, first + i * step, first + j * step, stride, n, &imag);
            if (!(fabs(real - (i == j)) <= tolerance && fabs(imag) <= tolerance))
                fail_msg("vectors %zu and %zu: %g%+gi", i, j, real, imag);
        }
    }
}

static void test_orthogonal__is(void **state)
{
    (void)state;
    static const struct {
        const char *dtype;
        double tolerance;
    } rows[] = {{"float64", 1e-14},  {"complex128", 1e-14}, {"float32", 1e-6},
                {"complex64", 1e-6}, {"float16", 4e-3},     {"bfloat16", 4e-2}};
    char text[64];
    for (size_t t = 0; t < sizeof rows / sizeof *rows; t++) {
        snprintf(text, sizeof text, "%s[2,9,5] orthogonal", rows[t].dtype);
        struct pm_array tall = generate(text, 0);
        snprintf(text, sizeof text, "%s[2,5,9] orthogonal", rows[t].dtype);
        struct pm_array wide = generate(text, 0);
        for (size_t b = 0; b < 2; b++) {
            check_orthonormal(&tall, b * 45, 5, 1, 9, 5, rows[t].tolerance);
            check_orthonormal(&wide, b * 45, 5, 9, 9, 1, rows[t].tolerance);
        }
        assert_true(pm_array_real(&tall, 0) != pm_array_real(&tall, 45)); /* matrices differ */
        pm_array_release(&tall);
        pm_array_release(&wide);
    }
    struct pm_array one = generate("float32[1,1] orthogonal", 0);
    assert_true(fabs(pm_array_real(&one, 0)) == 1);
    pm_array_release(&one);
}

/* Asserts that Cholesky's decomposition succeeds, so that all leading minors are positive. */
static void check_cholesky(const struct pm_array *a, size_t first, size_t n)
{
    double(*l)[2] = pm_alloc(n * n * sizeof *l);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            double re = pm_array_real(a, first + i * n + j),
                   im = pm_array_imag(a, first + i * n + j);
            for (size_t k = 0; k < j; k++) {
                const double *x = l[i * n + k], *y = l[j * n + k];
                re -= x[0] * y[0] + x[1] * y[1];
                im -= x[1] * y[0] - x[0] * y[1];
            }
            if (i == j)
                assert_true(re > 0.5);
            const double pivot = i == j ? sqrt(re) : l[j * n + j][0];
            l[i * n + j][0] = re / pivot;
            l[i * n + j][1] = im / pivot;
        }
    }
    free(l);
}

static void test_spd__is(void **state)
{
    (void)state;
    enum { N = 20 };
    char text[64];
    for (unsigned t = PM_FLOAT16; t <= PM_COMPLEX128; t++) {
        snprintf(text, sizeof text, "%s[2,%d,%d] spd", pm_dtype_name((enum pm_dtype)t), N, N);
        struct pm_array array = generate(text, 0);
        for (size_t b = 0; b < 2; b++) {
            const size_t first = b * N * N;
            for (size_t i = 0; i < N * N; i++) {
                const size_t at = first + i, mirrored = first + i % N * N + i / N;
                assert_true(pm_array_real(&array, at) == pm_array_real(&array, mirrored));
                assert_true(pm_array_imag(&array, at) == -pm_array_imag(&array, mirrored));
            }
            check_cholesky(&array, first, N);
        }
        assert_true(pm_array_real(&array, 1) != pm_array_real(&array, N * N + 1));
        pm_array_release(&array);
    }
}

static void test_triangular__is(void **state)
{
    (void)state;
    enum { N = 30 };
    char text[64];
    for (unsigned t = PM_FLOAT16; t <= PM_COMPLEX128; t++) {
        snprintf(text, sizeof text, "%s[100,%d,%d] triangular", pm_dtype_name((enum pm_dtype)t), N,
                 N);
        struct pm_array array = generate(text, 0);
        for (size_t e = 0; e < array.count; e++) {
            const size_t row = e / N % N, column = e % N;
            const double re = pm_array_real(&array, e), im = pm_array_imag(&array, e);
            if (row == column)
                assert_true(re >= 1 && re < 2 && im == 0);
            else if (row < column)
                assert_true(re == 0 && im == 0);
            else
                assert_true(fabs(re) <= 0.5 / N + 1e-4 && fabs(im) <= 0.5 / N + 1e-4);
        }
        assert_true(pm_array_real(&array, N) != 0);
        pm_array_release(&array);
    }
}

/* An array without elements needs no memory, whatever the size of its matrices. */
static void test_matrices__none_at_all(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "float32[0,100000,100000] spd", "complex128[0,4294967296,4294967296] orthogonal",
        "float64[0,9223372036854775807,9223372036854775807] triangular", "float32[0,0] orthogonal"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct pm_array array = generate(texts[i], 0);
        assert_int_equal(array.count, 0);
        pm_array_release(&array);
    }
}

/* ---- the same bits ---- */

struct row {
    const char *text, *digest;
};

static const struct row digests[] = {
#define DIGEST(text, digest) {text, digest},
#include "generate_digests.inc"
#undef DIGEST
};

static void test_digests__as_recorded(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof digests / sizeof *digests; i++) {
        struct pm_input_spec spec;
        struct pm_array array;
        assert_int_equal(pm_input_parse(digests[i].text, &spec, NULL), PM_OK);
        assert_int_equal(pm_generate(&spec, "portmeter/digests", 1, &array, NULL), PM_OK);
        const struct pm_digest digest =
            pm_digest_of(array.dtype, &array.shape, array.data, array.bytes);
        if (strcmp(digest.hex, digests[i].digest) != 0)
            fail_msg("%s: %s, recorded %s", digests[i].text, digest.hex, digests[i].digest);
        pm_array_release(&array);
    }
}

static bool is_recorded(const struct pm_input_spec *wanted)
{
    for (size_t i = 0; i < sizeof digests / sizeof *digests; i++) {
        struct pm_input_spec spec;
        if (!pm_input_parse(digests[i].text, &spec, NULL) && spec.dtype == wanted->dtype &&
            spec.distribution == wanted->distribution)
            return true;
    }
    return false;
}

/* Each distribution has a recorded digest for every dtype that it fits. */
static void test_digests__are_complete(void **state)
{
    (void)state;
    static const char *const distributions[] = {
        "normal",     "uniform(0,1)", "integers(0,2)", "bernoulli(0.5)", "permutation",
        "range",      "zeros",        "ones",          "full(1)",        "spd",
        "orthogonal", "triangular",   "special"};
    assert_int_equal(sizeof distributions / sizeof *distributions, PM_DISTRIBUTION_COUNT);
    unsigned fitting = 0;
    for (unsigned d = 0; d < PM_DISTRIBUTION_COUNT; d++) {
        for (unsigned t = 0; t < PM_DTYPE_COUNT; t++) {
            char text[64];
            struct pm_input_spec spec;
            snprintf(text, sizeof text, "%s[1,1] %s", pm_dtype_name((enum pm_dtype)t),
                     distributions[d]);
            if (pm_input_parse(text, &spec, NULL))
                continue;
            assert_int_equal(spec.distribution, d);
            if (!is_recorded(&spec))
                fail_msg("%s has no digest", text);
            fitting++;
        }
    }
    assert_int_equal(fitting, sizeof digests / sizeof *digests);
}

/* Element i depends only on the key, the seed and i, and not on the number of elements. */
static void test_generate__elements_stand_alone(void **state)
{
    (void)state;
    struct pm_array few = generate("float32[10] normal", 0);
    struct pm_array many = generate("float32[100] normal", 0);
    struct pm_array other = generate("float32[100] normal", 1);
    assert_memory_equal(few.data, many.data, few.bytes);
    assert_memory_not_equal(other.data, many.data, many.bytes);
    pm_array_release(&few);
    pm_array_release(&many);
    pm_array_release(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal__moments_and_distribution),
        cmocka_unit_test(test_normal__complex_parts_are_independent),
        cmocka_unit_test(test_uniform__distribution),
        cmocka_unit_test(test_uniform__stays_half_open_when_narrowed),
        cmocka_unit_test(test_integers__are_even),
        cmocka_unit_test(test_bernoulli__shares),
        cmocka_unit_test(test_permutation__each_row_has_all),
        cmocka_unit_test(test_permutation__orders_are_even),
        cmocka_unit_test(test_plain__ranges_and_constants),
        cmocka_unit_test(test_special__has_all),
        cmocka_unit_test(test_orthogonal__is),
        cmocka_unit_test(test_spd__is),
        cmocka_unit_test(test_triangular__is),
        cmocka_unit_test(test_matrices__none_at_all),
        cmocka_unit_test(test_digests__as_recorded),
        cmocka_unit_test(test_digests__are_complete),
        cmocka_unit_test(test_generate__elements_stand_alone),
    };
    return cmocka_run_group_tests_name("generate", tests, NULL, NULL);
}
