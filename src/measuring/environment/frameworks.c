/*
 * The table of frameworks: their devices, variants and environments. No other file of src/ names
 * a framework.
 *
 * To add a device, add a row to its framework's devices. To add a framework, add its devices and
 * recipes (both optional), a row in frameworks[], and a folder drivers/pmdriver/<name>. A framework
 * without devices has an inventory only and cannot be measured.
 *
 * Recipes: the suites and drivers were tested with these versions; sizes were measured on
 * Debian 12.
 */
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/nearest.h"
#include "environment/environment_private.h"

#define LIST(...)    ((const char *const[]){__VA_ARGS__, NULL})
#define ROWS(rows)   (rows), sizeof(rows) / sizeof *(rows) /* the next member is the count */
#define NO_ROWS      NULL, 0
#define MEGABYTES(n) ((n)*1000000ull)

#define EXECUTED     PM_EVIDENCE_EXECUTED
#define SHAPES       PM_EVIDENCE_SHAPE_ONLY
#define TIMED        PM_ENVIRONMENT__TIMED
#define ASYNCHRONOUS PM_ENVIRONMENT__ASYNCHRONOUS
#define LOWERED      PM_EVIDENCE_LOWERED
#define HOST         PM_ENVIRONMENT__ON_HOST
#define HOST_IF_SET  PM_ENVIRONMENT__ON_HOST_BY_VARIABLE
#define EVERYWHERE   PM_ENVIRONMENT__EVERYWHERE
#define INDEXED      PM_ENVIRONMENT__INDEXED
#define COUNTING     PM_ENVIRONMENT__COUNTS_FALLBACKS
#define BY_CHOICE    PM_ENVIRONMENT__BY_CHOICE
#define RECOMPILES   PM_ENVIRONMENT__RECOMPILES
#define PLUG_IN      PM_ENVIRONMENT__PLUG_IN

/* clang-format off */

/* ---- PyTorch -------------------------------------------------------------------------------- */

/* mps computes unsupported functions on the host unless the variable forbids it. torch_xla computes
 * on the host's cores unless the user sets the variable. It is unknown whether the calls of a
 * plug-in return early: no planted fault tests it. */
#define NO_FALLBACK "PYTORCH_ENABLE_MPS_FALLBACK=0"
static const struct pm_environment__device pytorch_devices[] = {
    /* name   reference variants       evidence  traits                              variable */
    {"cpu",   NULL,    "inductor", EXECUTED, TIMED | HOST | EVERYWHERE,          NULL},
    {"cuda",  "cpu",   "inductor", EXECUTED, TIMED | ASYNCHRONOUS | INDEXED,     NULL},
    {"rocm",  "cpu",   "inductor", EXECUTED, TIMED | ASYNCHRONOUS | INDEXED,     NULL},
    {"mps",   "cpu",   "inductor", EXECUTED, TIMED | ASYNCHRONOUS | COUNTING,    NO_FALLBACK},
    {"xpu",   "cpu",   "inductor", EXECUTED, TIMED | ASYNCHRONOUS | INDEXED,     NULL},
    {"xla",   "cpu",   "",         EXECUTED,
     TIMED | ASYNCHRONOUS | HOST_IF_SET | COUNTING | RECOMPILES,
     "PJRT_DEVICE=CPU"},
    {"meta",  "cpu",   "",         SHAPES,   HOST | EVERYWHERE,                  NULL},
    {PLUG_IN, "cpu",   "inductor", EXECUTED, TIMED | INDEXED | COUNTING,         NULL},
};
static const struct pm_recipe_version pytorch_versions[] = {
    /* the version of the paper */
    {"1.12.0", 10, "1.7 GB", MEGABYTES(1800), LIST("torch==1.12.0", "numpy==1.23.5")},
};
/* Sizes of builds for GPUs are estimates from the metadata of their packages: no such build was
 * installed. */
static const struct pm_recipe_build pytorch_builds[] = {
    {"cpu",  NULL, "1.0 GB", MEGABYTES(1200), .tried = true},
    {"cuda", NULL, "7 GB",   MEGABYTES(7100), .tried = false},
    {"rocm", NULL, "16 GB",  MEGABYTES(16000), .tried = false},
};
static const struct pm_recipe pytorch_recipes[] = {
    {.name = "pytorch",
     .packages = LIST("torch==2.13.0", "numpy==2.4.6", "expecttest==0.3.0"),
     .size = "1.0 GB (7 GB with CUDA)", .bytes = MEGABYTES(1200),
     .versions = ROWS(pytorch_versions), .builds = ROWS(pytorch_builds)},
    {.name = "pytorch-xla",
     .packages = LIST("torch==2.9.0", "torch_xla==2.9.0", "numpy==2.4.6"),
     .size = "7.1 GB", .bytes = MEGABYTES(7100), .by_choice = true,
     .adds = "a second device without hardware"},
};

/* ---- TensorFlow ----------------------------------------------------------------------------- */

/* xla is XLA's own device on the host's cores, which TensorFlow offers with the flag. */
#define XLA_DEVICES "TF_XLA_FLAGS=--tf_xla_enable_xla_devices"
static const struct pm_environment__device tensorflow_devices[] = {
    /* name   reference variants       evidence  traits                              variable */
    {"cpu",   NULL,    "jit soft", EXECUTED, TIMED | HOST | EVERYWHERE,          NULL},
    {"cuda",  "cpu",   "jit soft", EXECUTED, TIMED | ASYNCHRONOUS | INDEXED | COUNTING, NULL},
    {"rocm",  "cpu",   "jit soft", EXECUTED, TIMED | ASYNCHRONOUS | INDEXED | COUNTING, NULL},
    {"tpu",   "cpu",   "jit soft", EXECUTED,
     TIMED | ASYNCHRONOUS | INDEXED | COUNTING | RECOMPILES,                     NULL},
    {"xla",   "cpu",   "jit soft", EXECUTED, TIMED | HOST | EVERYWHERE | COUNTING | RECOMPILES,
     XLA_DEVICES},
};
static const struct pm_recipe_version tensorflow_versions[] = {
    /* the version of the paper */
    {"2.11.0", 10, "1.1 GB", MEGABYTES(1200),
     LIST("tensorflow-cpu==2.11.0", "keras==2.11.0", "numpy==1.23.5", "ml_dtypes==0.2.0")},
};
static const struct pm_recipe_build tensorflow_builds[] = {
    {"cpu",  NULL, "1.6 GB", MEGABYTES(1700), .tried = true},
    {"cuda",
     LIST("tensorflow[and-cuda]==2.21.0", "keras==3.15.1", "numpy==2.4.6", "ml_dtypes==0.6.0",
          "tensorboard==2.21.0"),
     "7 GB", MEGABYTES(7000), .tried = false},
};
static const struct pm_recipe tensorflow_recipes[] = {
    {.name = "tensorflow",
     .packages = LIST("tensorflow-cpu==2.21.0", "keras==3.15.1", "numpy==2.4.6",
                      "ml_dtypes==0.6.0", "tensorboard==2.21.0"),
     .size = "1.6 GB", .bytes = MEGABYTES(1700),
     .versions = ROWS(tensorflow_versions), .builds = ROWS(tensorflow_builds)},
};

/* ---- JAX ------------------------------------------------------------------------------------ */

/* Unless the variable forbids it, each process allocates three quarters of a GPU's memory when it
 * starts, and the next process finds too little. lower-*: cases run on the host, and their
 * operations are lowered for a platform that this machine lacks. Operations that can be lowered
 * for NVIDIA's GPUs can also be lowered for AMD's, with few exceptions, so a study excludes
 * lower-rocm. */
#define NO_PREALLOCATION "XLA_PYTHON_CLIENT_PREALLOCATE=false"
static const struct pm_environment__device jax_devices[] = {
    /* name        reference variants  evidence  traits                                  variable */
    {"cpu",        NULL,    "jit", EXECUTED, TIMED | HOST | EVERYWHERE | ASYNCHRONOUS | RECOMPILES,
     NULL},
    {"cuda",       "cpu",   "jit", EXECUTED, TIMED | ASYNCHRONOUS | INDEXED | RECOMPILES,
     NO_PREALLOCATION},
    {"rocm",       "cpu",   "jit", EXECUTED, TIMED | ASYNCHRONOUS | INDEXED | RECOMPILES,
     NO_PREALLOCATION},
    {"tpu",        "cpu",   "jit", EXECUTED, TIMED | ASYNCHRONOUS | INDEXED | RECOMPILES, NULL},
    {"METAL",      "cpu",   "jit", EXECUTED, TIMED | ASYNCHRONOUS | RECOMPILES,       NULL},
    {"lower-tpu",  "cpu",   "",    LOWERED,  HOST | EVERYWHERE | RECOMPILES,          NULL},
    {"lower-cuda", "cpu",   "",    LOWERED,  HOST | EVERYWHERE | RECOMPILES,          NULL},
    {"lower-rocm", "cpu",   "",    LOWERED,  HOST | EVERYWHERE | BY_CHOICE | RECOMPILES, NULL},
    {PLUG_IN,      "cpu",   "jit", EXECUTED, TIMED | INDEXED | RECOMPILES,            NULL},
};
/* The paper's 0.4.8 needs a jaxlib that the package index no longer has. */
static const struct pm_recipe_version jax_versions[] = {
    {"0.4.13", 11, "0.5 GB", MEGABYTES(500),
     LIST("jax==0.4.13", "jaxlib==0.4.13", "numpy==1.24.4", "scipy==1.10.1", "ml_dtypes==0.2.0",
          "opt_einsum==3.3.0")},
};
#define JAX_OTHERS                                                                                 \
    "jaxlib==0.10.2", "numpy==2.4.6", "scipy==1.17.1", "ml_dtypes==0.6.0", "opt_einsum==3.4.0",    \
        "absl-py==2.5.1"
static const struct pm_recipe_build jax_builds[] = {
    {"cpu",  NULL,                                        "0.6 GB", MEGABYTES(700), .tried = true},
    {"cuda", LIST("jax[cuda13]==0.10.2", JAX_OTHERS),     "5 GB",   MEGABYTES(5000), .tried = false},
    {"rocm", LIST("jax[rocm7-local]==0.10.2", JAX_OTHERS), "2 GB",   MEGABYTES(2000), .tried = false},
};
static const struct pm_recipe jax_recipes[] = {
    {.name = "jax",
     .packages = LIST("jax==0.10.2", "jaxlib==0.10.2", "numpy==2.4.6", "scipy==1.17.1",
                      "ml_dtypes==0.6.0", "opt_einsum==3.4.0", "absl-py==2.5.1"),
     .size = "0.6 GB", .bytes = MEGABYTES(700),
     .versions = ROWS(jax_versions), .builds = ROWS(jax_builds)},
};

/* ---- NumPy and SciPy: the oracle ------------------------------------------------------------ */

static const struct pm_environment__device numpy_devices[] = {
    /* name   reference variants       evidence  traits                              variable */
    {"cpu",   NULL,    "",         EXECUTED, HOST | EVERYWHERE,                  NULL},
};
static const struct pm_recipe numpy_recipes[] = {
    {.name = "numpy",
     .packages = LIST("numpy==2.4.6", "scipy==1.17.1"),
     .size = "0.2 GB", .bytes = MEGABYTES(300)},
};

/* ---- null: no framework; misbehaves on request ---------------------------------------------- */

static const struct pm_environment__device null_devices[] = {
    /* name   reference variants       evidence  traits                              variable */
    {"null",  "host",  "",         EXECUTED, TIMED | HOST | EVERYWHERE | INDEXED | COUNTING,
     NULL},
    {"host",  NULL,    "",         EXECUTED, TIMED | HOST | EVERYWHERE,          NULL},
};

/* ---- names of TensorFlow that have moved --------------------------------------------------- */

/* Keras 3 is a package of its own, and tf.keras is an alias of it. It has moved names of Keras
 * 2. */
static const struct pm_moved tensorflow_moved[] = {
    {"keras", "tensorflow.keras"},
    {"tensorflow.keras.layers.experimental", "tensorflow.keras.layers"},
    {"tensorflow.keras.layers.experimental.preprocessing", "tensorflow.keras.layers"},
    {"tensorflow.keras.mixed_precision.experimental", "tensorflow.keras.mixed_precision"},
    {"tensorflow.keras.optimizers.experimental", "tensorflow.keras.optimizers"},
    {"tensorflow.keras.optimizers.legacy", "tensorflow.keras.optimizers"},
    {0},
};

/* ---- all of them ---------------------------------------------------------------------------- */

static const struct pm_framework frameworks[] = {
    {.name = "pytorch", .purpose = PM_FRAMEWORK_STUDIED,
     .modules = LIST("torch"),
     .execution_ms = {15, 36}, 
     .suite_reference = "pytorch@cpu", .placement = "pytorch@meta", .example = "pytorch@cuda",
     .fewer_shapes = "pad to a few sizes", .makes_sizes_variable = true,
     .devices = ROWS(pytorch_devices), .recipes = ROWS(pytorch_recipes)},
    {.name = "tensorflow", .purpose = PM_FRAMEWORK_STUDIED,
     .modules = LIST("tensorflow"), .brief = "tf", .authors = "The TensorFlow Authors",
     .older = "tensorflow.compat.v1", .moved = tensorflow_moved,
     .execution_ms = {100, 120}, 
     .suite_reference = "tensorflow@cpu", .example = "tensorflow@xla", .placing = "soft",
     .fewer_shapes = "pad to a few sizes: drop_remainder=True, padded_batch(), "
                     "bucket_by_sequence_length()",
     .devices = ROWS(tensorflow_devices), .recipes = ROWS(tensorflow_recipes)},
    {.name = "jax", .purpose = PM_FRAMEWORK_STUDIED,
     .modules = LIST("jax", "jaxlib"),
     .execution_ms = {135, 125}, 
     .suite_reference = "jax@cpu", .example = "jax@cuda", .any_gpu = "gpu",
     .fewer_shapes = "pad to a few sizes, and mask what was added",
     .devices = ROWS(jax_devices), .recipes = ROWS(jax_recipes)},
    {.name = "numpy", .purpose = PM_FRAMEWORK_ORACLE,
     .modules = LIST("numpy", "scipy"),
     .execution_ms = {15, 15}, 
     .suite_reference = "numpy@cpu", .example = "numpy@cpu",
     .devices = ROWS(numpy_devices), .recipes = ROWS(numpy_recipes)},
    {.name = "null", .purpose = PM_FRAMEWORK_TEST,
     .modules = LIST(NULL),
     .execution_ms = {15, 20}, 
     .suite_reference = "null@host", .placement = "null@null", .example = "null@null",
     .devices = ROWS(null_devices), .recipes = NO_ROWS},
};

/* clang-format on */

/* ---- what case files may say ---------------------------------------------------------------- */

/* Devices other than the host, then properties that drivers detect. */
static const char *const requirements[] = {"cuda", "rocm",  "mps",         "xpu",        "xla",
                                           "tpu",  "METAL", "accelerator", "two devices"};
static const char *const bound_names[] = {"np", "scipy", "jnp", "tf"};
static const char *const wide_defaults[] = {"float32", "int64", "bool"};
static const char *const narrow_defaults[] = {"float32", "int32", "bool"};
static const char *const numpy_defaults[] = {"float64", "int64", "bool"};
static const struct pm_default_dtypes default_dtypes[] = {
    {"pytorch", {ROWS(wide_defaults)}}, {"tensorflow", {ROWS(narrow_defaults)}},
    {"jax", {ROWS(narrow_defaults)}},   {"numpy", {ROWS(numpy_defaults)}},
    {"null", {ROWS(wide_defaults)}},
};
static const struct pm_case_words case_words = {.requirements = {ROWS(requirements)},
                                                .bound = {ROWS(bound_names)},
                                                .defaults = default_dtypes,
                                                .default_count =
                                                    sizeof default_dtypes / sizeof *default_dtypes};

/* ---- asking --------------------------------------------------------------------------------- */

const struct pm_framework *pm_frameworks(size_t *count)
{
    if (count)
        *count = sizeof frameworks / sizeof *frameworks;
    return frameworks;
}

bool pm_environment__is_any_gpu(const char *device)
{
    static const char *const words[] = {"gpu", "nvidia", "amd", "hip"};
    const size_t length = strcspn(device, ":");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && !strncasecmp(device, words[i], length))
            return true;
    return false;
}

const char *pm_environment__gpu(const struct pm_framework *framework, const char *device,
                                const char *folder)
{
    const size_t length = strcspn(device, ":");
    if (!framework->any_gpu || strlen(framework->any_gpu) != length ||
        memcmp(device, framework->any_gpu, length) != 0)
        return NULL;
    const char *gpu = pm_gpu_of_machine(folder);
    return gpu ? gpu : "cuda";
}

const char *pm_gpu_of_machine(const char *folder)
{
    char *amd = pm_path_join(folder, "kfd"), *nvidia = pm_path_join(folder, "nvidiactl");
    const char *gpu = pm_path_exists(nvidia) ? "cuda" : pm_path_exists(amd) ? "rocm" : NULL;
    free(amd);
    free(nvidia);
    return gpu;
}

const struct pm_framework *pm_framework_find(const char *name)
{
    for (size_t i = 0; i < sizeof frameworks / sizeof *frameworks; i++)
        if (strcmp(frameworks[i].name, name) == 0)
            return &frameworks[i];
    return NULL;
}

int pm_framework_need(const char *name, const struct pm_framework **out, struct pm_error *err)
{
    *out = pm_framework_find(name);
    if (*out)
        return PM_OK;
    const char *names[sizeof frameworks / sizeof *frameworks];
    for (size_t i = 0; i < sizeof frameworks / sizeof *frameworks; i++)
        names[i] = frameworks[i].name;
    const struct pm_words known = {names, sizeof names / sizeof *names};
    return pm_words_unknown(&known, "framework", name, err);
}

const char *pm_environment_gpu_variables(void)
{
    return "CUDA_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES ZE_AFFINITY_MASK";
}

const struct pm_framework *pm_framework_oracle(void)
{
    for (size_t i = 0; i < sizeof frameworks / sizeof *frameworks; i++)
        if (frameworks[i].purpose == PM_FRAMEWORK_ORACLE)
            return &frameworks[i];
    PM_BUG("the table of frameworks has none that computes expected results");
}

const char *pm_framework_module(const struct pm_framework *framework)
{
    return framework->modules[0] ? framework->modules[0] : framework->name;
}

const struct pm_framework *pm_framework_of_function(const char *function)
{
    const size_t length = strcspn(function, ".");
    for (size_t i = 0; i < sizeof frameworks / sizeof *frameworks; i++) {
        const char *brief =
            frameworks[i].brief ? frameworks[i].brief : pm_framework_module(&frameworks[i]);
        if (strlen(brief) == length && !strncmp(function, brief, length))
            return &frameworks[i];
    }
    return NULL;
}

char *pm_framework_modules(const struct pm_framework *framework)
{
    struct pm_str text = PM_STR_INIT;
    for (const char *const *module = framework->modules; *module; module++)
        pm_str_addf(&text, "%s%s", text.length ? " and " : "", *module);
    return pm_str_detach(&text);
}

const struct pm_case_words *pm_framework_case_words(void)
{
    return &case_words;
}

const struct pm_recipe *pm_recipe_find(const char *name, const struct pm_framework **framework)
{
    for (size_t i = 0; i < sizeof frameworks / sizeof *frameworks; i++)
        for (size_t k = 0; k < frameworks[i].recipe_count; k++)
            if (strcmp(frameworks[i].recipes[k].name, name) == 0) {
                if (framework)
                    *framework = &frameworks[i];
                return &frameworks[i].recipes[k];
            }
    return NULL;
}

const struct pm_environment__device *
pm_environment__device_find(const struct pm_framework *framework, const char *name)
{
    const size_t length = strcspn(name, ":");
    for (size_t i = 0; i < framework->device_count; i++)
        if (strncmp(framework->devices[i].name, name, length) == 0 &&
            framework->devices[i].name[length] == '\0')
            return &framework->devices[i];
    return NULL;
}
