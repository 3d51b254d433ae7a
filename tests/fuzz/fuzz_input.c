/*
 * Feeds specifications of inputs. Each must be refused with one line, or be generated twice with
 * the same bits and the properties of its distribution. Arrays of more than MOST elements are not
 * generated.
 */
#include <stdlib.h>
#include <string.h>

#include "array/generate.h"
#include "fuzz.h"

enum { MOST = 2048, SEED = 1 };

static void check_element(const struct pm_input_spec *spec, double value)
{
    const double low = spec->argument[0], high = spec->argument[1];
    const bool is_within = spec->distribution == PM_INTEGERS || spec->distribution == PM_UNIFORM;
    if (is_within && !(value >= low && value < high))
        fuzz_wrong("%.17g is not in [%.17g, %.17g)", value, low, high);
    if (spec->distribution == PM_BERNOULLI && value != 0 && value != 1)
        fuzz_wrong("%.17g is neither 0 nor 1", value);
}

static void check_generated(const struct pm_input_spec *spec)
{
    struct pm_array one, two;
    struct pm_error err;
    if (pm_generate(spec, "f/case/x", SEED, &one, &err) ||
        pm_generate(spec, "f/case/x", SEED, &two, &err))
        fuzz_wrong("a specification that was accepted cannot be generated: %s", err.text);
    if (one.bytes != one.count * pm_dtype_size(spec->dtype) || one.bytes != two.bytes ||
        memcmp(one.data, two.data, one.bytes) != 0)
        fuzz_wrong("other bits the second time");
    for (size_t i = 0; i < one.count; i++)
        check_element(spec, pm_array_real(&one, i));
    pm_array_release(&one);
    pm_array_release(&two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pm_input_spec spec;
    struct pm_error err = {""};
    char *text = (char *)fuzz_copy(data, size, 1);
    size_t count;
    if (pm_input_parse(text, &spec, &err))
        fuzz_check_error(&err);
    else if (!pm_shape_count(&spec.shape, &count))
        fuzz_wrong("an impossible shape was accepted");
    else if (count <= MOST)
        check_generated(&spec);
    free(text);
    return 0;
}
