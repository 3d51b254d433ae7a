/*
 * Where cases run: environments (a Python interpreter with a framework), devices, variants.
 *
 * A target is written [ENVIRONMENT:]framework@device[:index][+variant]; the environment defaults to
 * the one named after the framework, the index to 0. One table, frameworks.c, lists the frameworks,
 * their devices, the properties of each (reference, latencies, synchronisation, environment
 * variables) and how to create their environments: no other file of src/ names a framework.
 */
#ifndef PM_ENVIRONMENT_ENVIRONMENT_H
#define PM_ENVIRONMENT_ENVIRONMENT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/case_words.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vocabulary.h"

typedef void pm_name_fn(void *ctx, const char *name);

/* ---- the table of frameworks ---------------------------------------------------------------- */

/* An older version of a framework with which the drivers and suites were tested. */
struct pm_recipe_version {
    const char *version; /* "1.12.0" */
    int newest_minor;    /* newest minor version of Python 3 on which it can be installed */
    const char *size;    /* size as in pm_recipe */
    unsigned long long bytes;
    const char *const *packages; /* pinned, NULL-terminated */
};

/* A build of a framework for a kind of device, if the framework has several builds: `env create
 * --cuda`. */
struct pm_recipe_build {
    const char *name; /* "cpu", "cuda" or "rocm" */
    /* packages instead of those of the recipe; NULL: those of the recipe */
    const char *const *packages;
    const char *size; /* as in pm_recipe */
    unsigned long long bytes;
    bool tried; /* drivers and suites were tested with it */
};

/* What `env create` installs. Its size is printed before anything is downloaded. */
struct pm_recipe {
    const char *name;            /* name of the environment that it makes: "pytorch-xla" */
    const char *const *packages; /* pinned, NULL-terminated */
    const char *size;            /* "1.0 GB" on disk, for people */
    unsigned long long bytes;    /* size in bytes, for the check of free space */
    bool by_choice;              /* created only on request: large, or not measured yet */
    const char *adds; /* what it adds to the framework's own environment, as text for people; NULL:
                         it is that environment */
    const struct pm_recipe_version *versions; /* older versions */
    size_t version_count;
    const struct pm_recipe_build *builds;
    size_t build_count;
};

enum pm_framework_purpose {
    PM_FRAMEWORK_STUDIED, /* `portmeter study` measures it */
    PM_FRAMEWORK_ORACLE,  /* evaluates the `expect:` of cases; one framework of the table */
    PM_FRAMEWORK_TEST,    /* for portmeter's own tests */
};

/* A path in code, and the path to which its names have moved. */
struct pm_moved {
    const char *from, *to;
};

/* A row of the table. */
struct pm_framework {
    const char *name; /* "pytorch": in targets, drivers, suites; also its own environment */
    enum pm_framework_purpose purpose;
    const char *const *modules; /* required in an interpreter, NULL-terminated; the first one
                                   gives the version. Empty: any Python works */
    const char
        *brief; /* the beginning of its functions' names: "tf"; NULL: the name of its module */
    const char *authors; /* words in the copyright lines of the framework's own sources: the paper's
                            rule does not count uses in these files; NULL: it counts all files */
    const char *older;   /* the module with names that were at the top level of older releases:
                            "tensorflow.compat.v1"; NULL: none */
    /* Paths such as "tensorflow.keras.layers.experimental", or a package that is part of the
     * framework ("keras"). The last row is empty; NULL: there are none. */
    const struct pm_moved *moved;
    const char *suite_reference; /* target on which its suite is checked: "pytorch@cpu" */
    const char *placement;       /* "pytorch@meta": every installation has this target, and its
                                    arrays are never on the host, so a suite check finds cases that
                                    forget the device. NULL: there is none */
    const char *example;         /* target for help and messages: "pytorch@cuda" */
    double execution_ms[2]; /* typical time of an execution within its process: for outcomes only,
                               and with latencies; for estimates before a run */
    const char *any_gpu;    /* the framework's own word for the machine's GPU, whether cuda or rocm,
                               such as JAX's "gpu"; NULL: it has none */
    const char
        *placing; /* the variant that lets the framework move operations to the host and compiles
                     nothing: "soft". It is compared with the reference of the device, because
                     without the variant such operations fail. NULL: there is none */
    const char *fewer_shapes; /* what to do if a program calls with too many shapes on a target that
                                 compiles each: "pad to a few sizes" */
    bool makes_sizes_variable; /* a variant that compiles makes a size variable when it meets a
                                  second one, so that it compiles other sizes no more */
    const struct pm_environment__device
        *devices; /* private to the room. If it is empty, the framework cannot be measured, and
                     `suite_reference` and `example` are NULL */
    size_t device_count;
    const struct pm_recipe *recipes; /* its own environment first, then others */
    size_t recipe_count;
};

/* Returns all frameworks; the first one is the default. `count` may be NULL. */
const struct pm_framework *pm_frameworks(size_t *count);
const struct pm_framework *pm_framework_find(const char *name); /* NULL if unknown */
/* Finds a framework. PM_EUSAGE, with a message that lists the known frameworks, if it is unknown.
 */
PM_MUST_USE int pm_framework_need(const char *name, const struct pm_framework **out,
                                  struct pm_error *err);
const struct pm_framework *pm_framework_oracle(void);
/* Returns the environment variables that select the GPUs of a process, separated by spaces. */
const char *pm_environment_gpu_variables(void);

/* Returns the framework to which a function belongs by the first part of its name, as in
 * "torch.sin"; NULL: none. */
const struct pm_framework *pm_framework_of_function(const char *function);

/* Returns the module that code imports, "torch" for "pytorch"; the framework's name if it has no
 * module. */
const char *pm_framework_module(const struct pm_framework *framework);
/* Returns a text such as "numpy and scipy", for messages; the caller frees. */
char *pm_framework_modules(const struct pm_framework *framework);

/* Returns the words for devices and libraries that case files may use. */
const struct pm_case_words *pm_framework_case_words(void);

/* Returns the recipe with the name; NULL if it is unknown. Sets *framework to its framework;
 * `framework` may be NULL. */
const struct pm_recipe *pm_recipe_find(const char *name, const struct pm_framework **framework);

/* ---- targets -------------------------------------------------------------------------------- */

struct pm_target {
    char *text;        /* normalised: without the environment if it is the default one */
    char *environment; /* "pytorch-xla" */
    char *framework;   /* "pytorch" */
    char *device;   /* "xla", or "cuda:1" with an index above 0; JAX's "gpu" becomes cuda or rocm */
    unsigned index; /* number of the device among those of its kind */
    char *variant;  /* "inductor", "" for none */
    char *reference; /* text of its reference; NULL if it is its own (null@host, a bare cpu) */
    enum pm_evidence evidence;
    bool latencies;        /* its calls can be timed */
    bool on_host;          /* runs on the host's cores */
    bool asynchronous;     /* a call returns before the work is done */
    bool counts_fallbacks; /* operations of a call that fall back to the host are counted */
    bool hides_fallbacks;  /* operations may run on the host instead, and the framework does not
                              count them; false for the host, and for a device that computes
                              nothing */
    bool everywhere;       /* every installation of the framework has the device: cpu, meta */
    bool by_choice;        /* measured only on request: `portmeter study` excludes it */
    bool oracle;           /* evaluates `expect` */
    bool recompiles;       /* a call compiles again for each new shape of its arrays or, with */
    bool makes_sizes_variable; /* this, for each new dtype and number of dimensions, and once more
                                  when a size changes */
    const char *fewer_shapes; /* as in struct pm_framework; borrowed from the table. NULL: the
                                 framework never compiles */
};

/* Parses a target, which the caller releases. PM_EUSAGE if it is invalid, or names an unknown
 * framework, device or variant; the message lists the known ones. */
PM_MUST_USE int pm_target_parse(const char *text, struct pm_target *out, struct pm_error *err);
void pm_target_release(struct pm_target *target);
/* Calls `take` for each target of the table, without indexes and variants. */
void pm_target_names(pm_name_fn *take, void *ctx);

/* ---- environments --------------------------------------------------------------------------- */

#define PM_ORIGINS(X, P)                                                                           \
    X(P, MADE, "made")   /* created by `env create` in the data folder */                          \
    X(P, ADDED, "added") /* added by `env add`: an interpreter of the user */                      \
    X(P, FOUND, "found") /* found on PATH or in the system */
PM_WORDS(origin, PM_ORIGINS, PM_ORIGIN);

struct pm_environment {
    char *name;      /* "pytorch", or one of the user's own */
    char *framework; /* "pytorch" */
    char *python;    /* absolute path of the interpreter */
    char *version;   /* version of the framework, from package metadata, without importing it */
    enum pm_origin origin;
    char *imports; /* modules that its drivers import after the framework, "a,b.c"; "" or NULL: none
                    */
};

struct pm_environments {
    struct pm_environment *items;
    size_t count, capacity;
};

/* Lists created and added environments. Then, for each other framework with devices, adds the first
 * interpreter that has it: that of another environment, on PATH (python3, python, python3.N), or
 * /usr/bin/python3. Imports no framework. The caller releases *out. */
PM_MUST_USE int pm_environments_load(struct pm_environments *out, struct pm_error *err);
/* Returns the environment with the name, borrowed from `list`; NULL if there is none. */
const struct pm_environment *pm_environments_find(const struct pm_environments *list,
                                                  const char *name);
void pm_environments_release(struct pm_environments *list);
/* Checks cheaply whether pm_environments_load() may list that name: it is registered, or it is the
 * name of a framework, for which an interpreter may be found. */
PM_MUST_USE int pm_environment_may_exist(const char *name, bool *out, struct pm_error *err);

/* Calls `take` for the name of each created or added environment and of each framework. Starts no
 * interpreter. */
void pm_environment_names(pm_name_fn *take, void *ctx);
/* Returns the name that a mistyped name probably means: that of a created or added environment, or
 * of a framework. NULL if none is near. Starts no interpreter. The caller frees. */
char *pm_environment_nearest(const char *name);
/* Sets the error that an environment does not exist, with the name that was probably meant. Returns
 * PM_EUSAGE. */
int pm_environment_missing(const char *name, struct pm_error *err);
/* Sets the same error for the environment that a target needs, with the command that creates or
 * adds it. `text` is the target as the user wrote it. Returns PM_ENOTFOUND, or PM_EUSAGE if
 * portmeter has no recipe of that name. */
int pm_environment_missing_for(const struct pm_target *target, const char *text,
                               struct pm_error *err);
/* Finds the environment `name`. If `name` is NULL, finds the environment with the framework's name
 * or, if there is none, the first that has the framework. *out is borrowed from `list`.
 * PM_ENOTFOUND, with what to do, if there is none; PM_EUSAGE if `name` is unknown or has another
 * framework. */
PM_MUST_USE int pm_environments_choose(const struct pm_environments *list, const char *framework,
                                       const char *name, const struct pm_environment **out,
                                       struct pm_error *err);

/* Starts the interpreter to check that the texts of cases are Python code. Imports no framework.
 * `cases`: a list of {"file", "line", "dtype", "parameters", "setup", "call", ...}, as
 * drivers/syntax.py reads it. PM_EFORMAT: "FILE:LINE:COLUMN: ..." for the first text that is not.
 */
PM_MUST_USE int pm_environment_check_texts(const struct pm_environment *environment,
                                           const json_t *cases, struct pm_error *err);

/* Registers an interpreter, or that of the folder of an environment (bin/python), under `name`
 * after checking that it has the framework. `imports`: modules that the environment's drivers
 * import after the framework, because they register a back end. PM_EUSAGE: `python` is not an
 * interpreter, an import is not the name of a module, or `name` is invalid or is that of an
 * environment that portmeter created. PM_ENOTFOUND: the interpreter does not have the framework. */
PM_MUST_USE int pm_environment_add(const char *name, const char *framework, const char *python,
                                   const char *const *imports, size_t import_count,
                                   struct pm_error *err);
/* Forgets an environment, and deletes it from disk if portmeter created it. PM_EUSAGE if there is
 * none, or if it is only an interpreter that was found. */
PM_MUST_USE int pm_environment_remove(const char *name, struct pm_error *err);

/* Receives one line of progress. */
typedef void pm_say_fn(void *ctx, const char *line);

struct pm_environment_plan {
    const char *recipe; /* "pytorch" */
    const char *name;   /* name of the environment; NULL: the recipe's, "pytorch-1.12.0" with a
                         * version */
    const char
        *version; /* version of the framework; NULL: the recipe's own. If drivers and suites were
                     not tested with it, pip chooses the versions of the other packages */
    const char
        *build; /* "cpu", "cuda" or "rocm"; NULL: the recipe's own packages. Without `name`, the
                   environment of a build other than "cpu" is called "pytorch-cuda" or the like */
    const char *python; /* path, or a name on PATH; NULL: the first on PATH that can be used */
    pm_say_fn *say;     /* may be NULL */
    bool (*agree)(void *ctx); /* asks the user after size and free space were printed, before
                                 anything is created; NULL: the user agrees */
    void *ctx;
};
/* Creates the environment under the data folder with Python's venv and pip, after checking free
 * space. An interrupted creation continues where it stopped when called again. PM_EUSAGE if the
 * plan is invalid or the user does not agree. */
PM_MUST_USE int pm_environment_create(const struct pm_environment_plan *plan, struct pm_error *err);

/* Checks that PATH has an interpreter that can create environments. PM_EIO, with what to install,
 * if it has none. Starts interpreters, but no framework. */
PM_MUST_USE int pm_environment_check_maker(struct pm_error *err);

/* ---- devices -------------------------------------------------------------------------------- */

/* One row of `portmeter devices`: a target of an environment, measurable or not. */
struct pm_device {
    char *target; /* "pytorch@cuda" */
    bool measurable;
    char *why_not;        /* one line, if not measurable */
    char *name;           /* "NVIDIA H200", "AMD EPYC" */
    char *driver_version; /* "" if it has none */
    char *framework_version;
    char *interpreter, *python; /* its path and its version */
};
struct pm_devices {
    struct pm_device *items;
    size_t count, capacity;
};
/* Imports the framework in a separate process (drivers/probe.py) and asks for every device of the
 * table, for each further device of the same kind, and for registered PrivateUse1 back ends.
 * If the import fails, `why_not` of each row says so. The caller releases *out. */
PM_MUST_USE int pm_devices_probe(const struct pm_environment *environment, struct pm_devices *out,
                                 struct pm_error *err);
/* Probes the devices of every environment, without those of portmeter's own tests unless `all`.
 * Devices that can be measured come first. Calls `asking` (NULL: none) with the name of each
 * environment before it is probed. The caller releases *out, also after an error. */
PM_MUST_USE int pm_devices_probe_all(const struct pm_environments *environments, bool all,
                                     void (*asking)(void *ctx, const char *name), void *ctx,
                                     struct pm_devices *out, struct pm_error *err);
/* Returns the kind of the machine's GPU, "cuda" or "rocm", by the files that its driver creates in
 * `folder` (/dev); NULL: it has none. Starts no framework. */
const char *pm_gpu_of_machine(const char *folder);
void pm_devices_release(struct pm_devices *list);

/* ---- drivers -------------------------------------------------------------------------------- */

/* Runs drivers/inventory.py on the framework of an environment, in a separate process that can take
 * minutes on a slow disk. Appends its document, for pm_inventory_parse(). PM_EIO, with the driver's
 * message, if that fails. */
PM_MUST_USE int pm_environment_walk(const struct pm_environment *environment, struct pm_str *out,
                                    struct pm_error *err);

/* A trial executes calls that nobody has reviewed. They have no network, and can write only to a
 * scratch folder, which the trial makes and removes. */
struct pm_environment_trial {
    const char *driver;  /* "census.py", "forecast.py", "draft.py" */
    const char *purpose; /* for messages: "make cases" */
    json_t *request;     /* as the driver describes it, without `scratch`, which the trial adds */
    unsigned timeout_ms; /* for the whole trial; 0: none */
    bool unconfined; /* the calls have the network, and can write all files that this process can */
};
/* Runs the driver of a trial, and gives each line of its answer, a JSON object, to `take`. An error
 * of `take` is returned when the driver has ended. PM_EIO, with what to do, if the driver fails or
 * the kernel cannot confine it; PM_ESTOPPED if the user stops it. */
PM_MUST_USE int pm_environment_try(const struct pm_environment *environment,
                                   const struct pm_environment_trial *trial,
                                   int (*take)(void *ctx, const char *line, struct pm_error *err),
                                   void *ctx, struct pm_error *err);
/* Tries calls of a function (drivers/draft.py), to find a call that runs on the host, for a new
 * case file. `unconfined`: as in a trial. The caller releases *out, the object that
 * drivers/draft.py describes. The errors are those of pm_environment_try(). */
PM_MUST_USE int pm_environment_draft(const struct pm_environment *environment, const char *function,
                                     bool unconfined, json_t **out, struct pm_error *err);

/* Makes the command that starts a driver for the target: argv and environment variables,
 * NULL-terminated, and a key that is equal for targets that can share a driver. `threads` 0: the
 * framework's default. `bound`: binds threads to cores, for latencies (OMP_PROC_BIND). The caller
 * frees *out with pm_driver_command_release(). */
struct pm_driver_command {
    char *key;
    char **argv;
    char **environment;
};
PM_MUST_USE int pm_driver_command_make(const struct pm_target *target,
                                       const struct pm_environment *environment, unsigned threads,
                                       bool bound, struct pm_driver_command *out,
                                       struct pm_error *err);
void pm_driver_command_release(struct pm_driver_command *command);

#endif
