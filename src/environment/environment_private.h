/*
 * Room-private: the devices of the table of frameworks, processes that are asked one question, what
 * is known of an interpreter, and where environments live.
 */
#ifndef PM_ENVIRONMENT_ENVIRONMENT_PRIVATE_H
#define PM_ENVIRONMENT_ENVIRONMENT_PRIVATE_H

#include "base/str.h"
#include "environment/environment.h"

/* A row of a framework's devices. */
struct pm_environment__device {
    const char *name;     /* PM_ENVIRONMENT__PLUG_IN: any other, a back end that registers itself */
    const char *control;  /* the device of its control in the same environment; NULL: none */
    const char *modes;    /* separated by spaces */
    enum pm_evidence evidence;
    unsigned traits;      /* of enum pm_environment__trait */
    const char *variable; /* "NAME=value" for its driver where the user has not set NAME; NULL */
};
#define PM_ENVIRONMENT__PLUG_IN "*"

enum pm_environment__trait {
    PM_ENVIRONMENT__TIMED = 1,        /* its calls can be timed */
    PM_ENVIRONMENT__ASYNCHRONOUS = 2, /* a call may return before its work is done */
    PM_ENVIRONMENT__ON_HOST = 4,      /* made of the host's cores */
    PM_ENVIRONMENT__ON_HOST_BY_VARIABLE = 8, /* likewise while `variable` has the table's value */
    PM_ENVIRONMENT__EVERYWHERE = 16,  /* every installation of the framework has it */
};

/* The row of that very name, or NULL; plug-ins have no names here. */
const struct pm_environment__device *
pm_environment__device_find(const struct pm_framework *framework, const char *name);

/* [ENVIRONMENT:]framework@device[+mode], the environment left out where it is the default. */
char *pm_environment__text(const char *environment, const char *framework, const char *device,
                      const char *mode);

/* Whether the user has set the variable of "NAME=value". */
bool pm_environment__variable_is_set(const char *variable);

/* A letter or digit, then letters, digits, '.', '_' and '-', at most 64 bytes. */
bool pm_environment__is_name(const char *text);

/* --------------------------------------------------------------------------- interpreters.c --- */

/* What is known of interpreters: a cache in the data folder, so that one that did not change is
 * not started again to be looked at. */
struct pm_environment__looks {
    json_t *known; /* {path: look} */
    char *path;    /* of the cache */
    char *script;  /* drivers/look.py */
    bool changed;
};
PM_MUST_USE int pm_environment__looks_open(struct pm_environment__looks *looks, struct pm_error *err);
void pm_environment__looks_close(struct pm_environment__looks *looks); /* writes it back where it changed */

/* What drivers/look.py says of the interpreter at `path`; NULL where it is none, or too old, and
 * where the user stops the command: look at pm_stop_check() before believing it. Borrowed from
 * `looks`. */
const json_t *pm_environment__look(struct pm_environment__looks *looks, const char *path);
/* The version of a framework there (of Python itself where it needs no module); NULL where it is
 * not complete. Borrowed. */
const char *pm_environment__look_version(const json_t *look,
                                    const struct pm_framework *framework);
/* Interpreters on PATH, likely ones first, then /usr/bin/python3; each once. The caller frees with
 * pm_free_strings(). */
void pm_environment__candidates(char ***paths, size_t *count);
/* `name` as an absolute path, through PATH where it has no slash; NULL where it is no program. */
char *pm_environment__program(const char *name);

/* --------------------------------------------------------------------------- environments.c --- */

/* <data>/environments/NAME; the caller frees. */
PM_MUST_USE int pm_environment__folder(const char *name, char **out, struct pm_error *err);
/* Its environment.json, which is written last: without it an environment is half made. *out is
 * NULL where there is none or it cannot be read. The caller releases. */
void pm_environment__marker_read(const char *folder, json_t **out);
/* FOUND where it is NULL or does not say. */
enum pm_origin pm_environment__marker_origin(const json_t *marker);
PM_MUST_USE int pm_environment__marker_write(const char *folder, const json_t *marker,
                                        struct pm_error *err);
/* Waits, telling `say` once, until no other process makes or removes the environment, or the user
 * stops the command. The lock is the descriptor: close it. */
PM_MUST_USE int pm_environment__lock(const char *name, pm_say_fn *say, void *ctx, int *fd,
                                struct pm_error *err);

#endif
