/*
 * Writes the arrays of the input generator for each distribution and each dtype that it supports.
 *
 *     generator_dump              prints their bytes, and larger arrays, for comparing builds
 *     generator_dump --digests    prints the lines of tests/unit/generate_digests.inc
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/generate.h"

static const char key[] = "portmeter/digests", digests_option[] = "--digests";
enum { SEED = 1 };

/* The shape and arguments for most dtypes, and those for bool if they differ. */
static const struct {
    const char *most, *boolean;
} forms[PM_DISTRIBUTION_COUNT] = {
    [PM_NORMAL] = {"[3,40] normal(0.5,2)", NULL},
    [PM_UNIFORM] = {"[3,40] uniform(-3,5)", NULL},
    [PM_INTEGERS] = {"[3,40] integers(0,100)", "[3,40] integers(0,2)"},
    [PM_BERNOULLI] = {"[3,40] bernoulli(0.3)", NULL},
    [PM_PERMUTATION] = {"[4,100] permutation", "[40,2] permutation"},
    [PM_RANGE] = {"[10,10] range", "[2] range"},
    [PM_ZEROS] = {"[3,4] zeros", NULL},
    [PM_ONES] = {"[3,4] ones", NULL},
    [PM_FULL] = {"[3,4] full(7)", "[3,4] full(1)"},
    [PM_SPD] = {"[2,6,6] spd", NULL},
    [PM_ORTHOGONAL] = {"[2,7,4] orthogonal", NULL},
    [PM_TRIANGULAR] = {"[2,6,6] triangular", NULL},
    [PM_SPECIAL] = {"[64] special", NULL},
};

/* These arrays are so large that last bits that depend on the build occur in them. */
static const char *const bulk[] = {
    "float64[200000] normal(0.1,3)",
    "float32[200000] uniform(-0.1,0.7)",
    "complex128[20000] normal",
    "float64[4,48,48] spd",
    "float64[4,64,32] orthogonal",
    "complex128[2,32,48] orthogonal",
    "complex128[2,40,40] spd",
    "float64[2,64,64] triangular",
    "int64[100000] integers(-1000000007,998244353)",
};

static void end_with(const char *text, const struct pm_error *err)
{
    fprintf(stderr, "generator_dump: '%s': %s\n", text, err->text);
    exit(EXIT_FAILURE);
}

static void dump(const char *text, bool digest_only)
{
    struct pm_input_spec spec;
    struct pm_array array = {0};
    struct pm_error err;
    if (pm_input_parse(text, &spec, &err) || pm_generate(&spec, key, SEED, &array, &err))
        end_with(text, &err);
    if (digest_only) {
        const struct pm_digest digest =
            pm_digest_of(array.dtype, &array.shape, array.data, array.bytes);
        printf("DIGEST(\"%s\", \"%s\")\n", text, digest.hex);
    } else {
        printf("%s\n", text);
        fwrite(array.data, 1, array.bytes, stdout);
    }
    pm_array_release(&array);
}

/* Distributions that give fractions, and matrices with a property, need a floating dtype. */
static bool fits(enum pm_distribution distribution, enum pm_dtype dtype)
{
    const bool floating =
        pm_dtype_kind(dtype) == PM_KIND_FLOAT || pm_dtype_kind(dtype) == PM_KIND_COMPLEX;
    switch (distribution) {
    case PM_NORMAL:
    case PM_UNIFORM:
    case PM_SPD:
    case PM_ORTHOGONAL:
    case PM_TRIANGULAR:
        return floating;
    default:
        return true;
    }
}

int main(int argc, char **argv)
{
    const bool digest_only = argc == 2 && strcmp(argv[1], digests_option) == 0;
    if (argc > 1 && !digest_only) {
        fprintf(stderr, "usage: generator_dump [%s]\n", digests_option);
        return 2;
    }
    for (unsigned d = 0; d < PM_DISTRIBUTION_COUNT; d++) {
        for (unsigned t = 0; t < PM_DTYPE_COUNT; t++) {
            if (!fits((enum pm_distribution)d, (enum pm_dtype)t))
                continue;
            const bool boolean = t == PM_BOOL && forms[d].boolean;
            char text[128];
            snprintf(text, sizeof text, "%s%s", pm_dtype_name((enum pm_dtype)t),
                     boolean ? forms[d].boolean : forms[d].most);
            dump(text, digest_only);
        }
    }
    for (size_t i = 0; !digest_only && i < sizeof bulk / sizeof *bulk; i++)
        dump(bulk[i], false);
    if (fflush(stdout) || ferror(stdout)) {
        perror("generator_dump");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
