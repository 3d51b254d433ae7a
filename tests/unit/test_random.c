/* Tests of random numbers, the normal quantile and digests of bytes, with known answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/base_private.h"
#include "base/digest.h"
#include "base/normal.h"
#include "base/random.h"

/* Known answers from the Random123 distribution. */
static void test_philox__known_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], want[4];
    } rows[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{~0U, ~0U, ~0U, ~0U}, {~0U, ~0U}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t out[4];
        pm_base__philox(rows[i].key, rows[i].counter, out);
        assert_memory_equal(out, rows[i].want, sizeof out);
    }
}

static void test_random__streams(void **state)
{
    (void)state;
    struct pm_random a, b, other_key, other_seed;
    pm_random_init(&a, "draw", 1);
    pm_random_init(&b, "draw", 1);
    pm_random_init(&other_key, "draw2", 1);
    pm_random_init(&other_seed, "draw", 2);
    unsigned same_key = 0, same_seed = 0;
    uint64_t previous = 0;
    for (unsigned i = 0; i < 1000; i++) {
        const uint64_t bits = pm_random_next(&a);
        assert_true(bits == pm_random_next(&b));
        assert_true(bits != previous);
        same_key += bits == pm_random_next(&other_key);
        same_seed += bits == pm_random_next(&other_seed);
        previous = bits;
    }
    assert_int_equal(same_key + same_seed, 0);
}

static void test_random__bounds(void **state)
{
    (void)state;
    enum { DRAWS = 60000, SIDES = 6 };
    struct pm_random random;
    unsigned counts[SIDES] = {0};
    pm_random_init(&random, "dice", 0);
    for (unsigned i = 0; i < DRAWS; i++)
        counts[pm_random_below(&random, SIDES)]++;
    double chi_square = 0;
    for (unsigned i = 0; i < SIDES; i++)
        chi_square += pow(counts[i] - DRAWS / (double)SIDES, 2) / (DRAWS / (double)SIDES);
    assert_true(chi_square < 20.5); /* 5 degrees of freedom, p = 0.001 */
    /* Without rejection, half of the draws would be multiples of 3. */
    const uint64_t awkward = 3ULL << 62;
    unsigned multiples = 0;
    for (unsigned i = 0; i < 10000; i++) {
        const uint64_t value = pm_random_below(&random, awkward);
        assert_true(value < awkward);
        multiples += value % 3 == 0;
    }
    assert_true(multiples > 3180 && multiples < 3490);
    assert_true(pm_random_below(&random, 1) == 0);
    double sum = 0;
    for (unsigned i = 0; i < 10000; i++) {
        const double u = pm_random_real(&random), z = pm_random_normal(&random);
        assert_true(u >= 0 && u < 1);
        sum += z;
    }
    assert_true(fabs(sum / 10000) < 0.04);
}

static void test_random__unit_intervals(void **state)
{
    (void)state;
    assert_true(pm_random_unit(0) == 0);
    assert_true(pm_random_unit(UINT64_MAX) == 1 - 0x1p-53);
    assert_true(pm_random_open_unit(0) == 0x1p-53);
    assert_true(pm_random_open_unit(UINT64_MAX) == 1 - 0x1p-53);
}

static void test_normal__logarithm(void **state)
{
    (void)state;
    assert_true(pm_base__log(1) == 0);
    assert_true(pm_base__log(2) == 0x1.62e42fefa39efp-1);
    for (int e = -1022; e < 1024; e++) {
        for (double m = 1; m < 2; m += 0.0371) {
            const double x = ldexp(m, e), want = log(x);
            assert_true(fabs(pm_base__log(x) - want) <= 0x1p-52 * fmax(fabs(want), 0x1p-1));
        }
    }
}

/* The algorithm's paper gives 1e-20 and 0.25 with 16 digits; the others are from common tables. */
static void test_normal__known_quantiles(void **state)
{
    (void)state;
    static const double rows[][2] = {
        {0.5, 0},
        {0.25, -0.6744897501960817},
        {0.75, 0.6744897501960817},
        {0.08, -1.4050715603096329},
        {0.975, 1.959963984540054},
        {0.001, -3.090232306167813},
        {0.9999, 3.719016485455709},
        {1e-10, -6.361340902404056},
        {1e-20, -9.262340089798408},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double z = pm_normal_quantile(rows[i][0]);
        if (!(fabs(z - rows[i][1]) <= 1e-15 * fmax(1, fabs(rows[i][1]))))
            fail_msg("quantile of %g is %.17g, not %.17g", rows[i][0], z, rows[i][1]);
    }
}

static double normal_distribution(double z)
{
    return 0.5 * erfc(-z * M_SQRT1_2);
}

static void test_normal__quantile_inverts_the_distribution(void **state)
{
    (void)state;
    double last = -INFINITY;
    for (double p = 1e-15; p < 0.999; p = p < 0.001 ? p * 1.07 : p + 0.00093) {
        const double z = pm_normal_quantile(p);
        assert_true(fabs(normal_distribution(z) / p - 1) < 2e-14);
        assert_true(z > last);
        last = z;
    }
}

/* The digests were computed with libxxhash called from Python. */
static void test_digest__known_answers(void **state)
{
    (void)state;
    const float values[4] = {0, 1, 2, 3};
    assert_string_equal(pm_digest_typed("float32[4]", values, sizeof values).hex,
                        "a396a9d934538d9fe491b41121d8f0ca");
    assert_string_equal(pm_digest_typed("float32[2,2]", values, sizeof values).hex,
                        "adae4e8348c2935a103b52f1c318005c");
    assert_string_equal(pm_digest_bytes("abc", 3).hex, pm_digest_typed("uint8[3]", "abc", 3).hex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_philox__known_answers),
        cmocka_unit_test(test_random__streams),
        cmocka_unit_test(test_random__bounds),
        cmocka_unit_test(test_random__unit_intervals),
        cmocka_unit_test(test_normal__logarithm),
        cmocka_unit_test(test_normal__known_quantiles),
        cmocka_unit_test(test_normal__quantile_inverts_the_distribution),
        cmocka_unit_test(test_digest__known_answers),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
