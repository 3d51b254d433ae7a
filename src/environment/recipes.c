/*
 * What `portmeter env create` knows how to make. Versions are those that the suites and the drivers
 * were tried with; sizes were measured on a Debian 12 machine.
 */
#include <string.h>

#include "environment/environment.h"

#define MEGABYTES(n) ((n)*1000000ull)

static const char *const pytorch[] = {"torch==2.13.0", "numpy==2.4.6", NULL};
static const char *const tensorflow[] = {"tensorflow-cpu==2.21.0", "tensorboard", NULL};
static const char *const jax[] = {"jax==0.10.2", "jaxlib==0.10.2", NULL};
static const char *const numpy[] = {"numpy==2.4.6", "scipy==1.17.1", NULL};
static const char *const pytorch_xla[] = {"torch==2.9.0", "torch_xla==2.9.0", "numpy==2.4.6", NULL};

static const struct pm_recipe recipes[] = {
    {"pytorch", "pytorch", pytorch, "1.0 GB, with CUDA 7 GB", MEGABYTES(1200), false},
    {"tensorflow", "tensorflow", tensorflow, "1.6 GB", MEGABYTES(1700), true},
    {"jax", "jax", jax, "0.6 GB", MEGABYTES(700), true},
    {"numpy", "numpy", numpy, "0.2 GB", MEGABYTES(300), false},
    {"pytorch-xla", "pytorch", pytorch_xla, "7.1 GB", MEGABYTES(7100), true},
};

const struct pm_recipe *pm_recipes(size_t *count)
{
    *count = sizeof recipes / sizeof *recipes;
    return recipes;
}

const struct pm_recipe *pm_recipe_find(const char *name)
{
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        if (strcmp(recipes[i].name, name) == 0)
            return &recipes[i];
    return NULL;
}
