/*
 * Private to the room: the devices of the table of frameworks, what is known about an interpreter,
 * and where environments are stored.
 */
#ifndef PM_ENVIRONMENT_ENVIRONMENT_PRIVATE_H
#define PM_ENVIRONMENT_ENVIRONMENT_PRIVATE_H

#include "base/str.h"
#include "environment/environment.h"

/* A device of a framework. */
struct pm_environment__device {
    const char *name;      /* PM_ENVIRONMENT__PLUG_IN: any other back end, which registers itself */
    const char *reference; /* the device of its reference in the same environment; NULL: none */
    const char *variants;  /* separated by spaces */
    enum pm_evidence evidence;
    unsigned traits;      /* bits of enum pm_environment__trait */
    const char *variable; /* "NAME=value" for its driver unless the user has set NAME; or NULL */
};
#define PM_ENVIRONMENT__PLUG_IN "*"

enum pm_environment__trait {
    PM_ENVIRONMENT__TIMED = 1,        /* its calls can be timed */
    PM_ENVIRONMENT__ASYNCHRONOUS = 2, /* a call may return before its work is done */
    PM_ENVIRONMENT__ON_HOST = 4,      /* runs on the host's cores */
    PM_ENVIRONMENT__ON_HOST_BY_VARIABLE =
        8, /* runs on the host's cores while `variable` has the table's value */
    PM_ENVIRONMENT__EVERYWHERE = 16, /* every installation of the framework has it */
    PM_ENVIRONMENT__INDEXED = 32,    /* there may be several, which an index distinguishes */
    PM_ENVIRONMENT__BY_CHOICE = 128, /* `portmeter study` excludes it */
    PM_ENVIRONMENT__COUNTS_FALLBACKS =
        64, /* the framework counts operations that fall back to the host */
    PM_ENVIRONMENT__RECOMPILES = 256, /* without a variant, too, a call compiles for each shape */
};

/* Returns the device of this name, with or without an index; NULL if the table does not name it,
 * as for plug-ins. */
const struct pm_environment__device *
pm_environment__device_find(const struct pm_framework *framework, const char *name);
/* Returns whether a word, with or without an index, is one that people use for any GPU. No device
 * of the table and no back end of a plug-in has such a name. One framework understands "gpu":
 * pm_environment__gpu(). */
bool pm_environment__is_any_gpu(const char *device);

/* If `device` is the framework's own word for any GPU, returns the device that it means: rocm if
 * `folder` (/dev) has AMD's device and not NVIDIA's, otherwise cuda. Returns NULL for any other
 * device. */
const char *pm_environment__gpu(const struct pm_framework *framework, const char *device,
                                const char *folder);

/* Returns [ENVIRONMENT:]framework@device[:index][+variant], without the environment if that is the
 * default. The caller frees. */
char *pm_environment__text(const char *environment, const char *framework, const char *device,
                           const char *variant);

/* Returns "NAME=value", the variable from which drivers read the modules to import
 * (drivers/pmdriver/frameworks.py); the caller frees. */
char *pm_environment__imports(const struct pm_environment *environment);

/* Returns the JSON in the last line of what a script printed: frameworks may print before it while
 * they are imported. NULL: there is none. The caller releases it. */
json_t *pm_environment__last_line(const struct pm_str *output);

/* Returns whether the user has set the variable of "NAME=value". */
bool pm_environment__variable_is_set(const char *variable);

/* Returns whether a text may name an environment: a letter or digit, then letters, digits, '.', '_'
 * and '-', at most 64 bytes. */
bool pm_environment__is_name(const char *text);
/* Cuts `device`, such as "cuda:1", after its name, and sets *index, which is at most 9999, or 0 if
 * there is none. False if the name or the index is invalid. */
bool pm_environment__device_split(char *device, unsigned *index);

/* ------------------------------------------------------------------------------- packages.c --- */

/* Minor versions of Python 3: the oldest for the drivers, the oldest for the packages of recipes,
 * and a value for no newest version. VERSION_MAX: bytes of a framework's version. */
enum {
    PM_ENVIRONMENT__DRIVERS_MINOR = 9,
    PM_ENVIRONMENT__OLDEST_MINOR = 11,
    PM_ENVIRONMENT__NEWEST_MINOR = 99,
    PM_ENVIRONMENT__VERSION_MAX = 32
};

struct pm_environment__packages {
    char **items; /* "torch==2.13.0", as pip reads them */
    size_t count, capacity;
    int oldest_minor, newest_minor; /* oldest and newest minor version of Python 3 */
    bool tried;                     /* drivers and suites were tested with them */
    const char *size;               /* on disk, as in pm_recipe; borrowed from the table */
    unsigned long long bytes;
    char *index; /* a package index besides pip's own; NULL: none */
};
/* Lists the packages to install; `version` and `build` as in pm_environment_plan. PM_EUSAGE if
 * there can be no such environment. The caller releases *out. */
PM_MUST_USE int pm_environment__packages(const struct pm_recipe *recipe, const char *version,
                                         const char *build, struct pm_environment__packages *out,
                                         struct pm_error *err);
void pm_environment__packages_release(struct pm_environment__packages *packages);

/* --------------------------------------------------------------------------- interpreters.c --- */

/* What is known about interpreters: a cache in the data folder, so that an unchanged interpreter is
 * not started again. */
struct pm_environment__looks {
    json_t *known; /* {path: look} */
    char *path;    /* path of the cache */
    char *script;  /* drivers/look.py */
    bool changed;
};
PM_MUST_USE int pm_environment__looks_open(struct pm_environment__looks *looks,
                                           struct pm_error *err);
/* Writes the cache if it changed, and frees it. */
void pm_environment__looks_close(struct pm_environment__looks *looks);

/* Returns the answer of drivers/look.py about the interpreter at `path`. NULL: not an interpreter,
 * too old, or the user stopped the command: call pm_stop_check() before you rely on NULL. Borrowed
 * from `looks`. */
const json_t *pm_environment__look(struct pm_environment__looks *looks, const char *path);
/* Returns the version of a framework in a look (that of Python if the framework needs no module);
 * NULL if a module is missing or `look` is NULL. Borrowed. */
const char *pm_environment__look_version(const json_t *look, const struct pm_framework *framework);
/* Lists interpreters, each once: python3 and python on PATH, then python3.N on PATH, then
 * /usr/bin/python3. The caller frees them with pm_free_strings(). */
void pm_environment__candidates(char ***paths, size_t *count);
/* Returns `name` as an absolute path, looked up on PATH if it has no slash; NULL if it is not a
 * program. The caller frees. */
char *pm_environment__program(const char *name);

/* --------------------------------------------------------------------------- environments.c --- */

/* Finds the folder <data>/environments/NAME; the caller frees it. */
PM_MUST_USE int pm_environment__folder(const char *name, char **out, struct pm_error *err);
/* Reads the environment.json of a folder. It is written last, so an environment without it is
 * incomplete. *out is NULL if it is missing or cannot be read. The caller releases *out. */
void pm_environment__marker_read(const char *folder, json_t **out);
/* Returns the origin in a marker; FOUND if the marker is NULL or does not contain it. */
enum pm_origin pm_environment__marker_origin(const json_t *marker);
PM_MUST_USE int pm_environment__marker_write(const char *folder, const json_t *marker,
                                             struct pm_error *err);
/* Waits, after one line through `say`, until no other process creates or removes the environment,
 * or the user stops the command. *fd holds the lock: close it to release. */
PM_MUST_USE int pm_environment__lock(const char *name, pm_say_fn *say, void *ctx, int *fd,
                                     struct pm_error *err);

#endif
