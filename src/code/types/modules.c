/* Finds the file of a project that an import names, and what a file imports through other files. */
#include <ctype.h>
#include <stdlib.h>

#include "types/types_private.h"

static uint32_t unit_at(const struct pm_types_project *project, const char *path)
{
    return (uint32_t)(uintptr_t)pm_map_get(&project->by_path, path);
}

/* Removes the last part of a path; false if there is none. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    const bool more = *path != '\0';
    *(slash ? slash : path) = '\0';
    return more;
}

static uint32_t unit_below(const struct pm_types_project *project, const char *folder,
                           const char *path)
{
    char *whole = pm_format("%s%s%s", folder, *folder && *path ? "/" : "", path);
    for (char *dot = whole + strlen(folder); (dot = strchr(dot, '.')) != NULL;)
        *dot = '/';
    const uint32_t unit = unit_at(project, whole);
    free(whole);
    return unit;
}

uint32_t pm_types__submodule(const struct pm_types_project *project, uint32_t package,
                             const char *name)
{
    const struct pm_types__unit *of = &project->units[package];
    return of->path && of->package ? unit_below(project, of->path, name) : 0;
}

uint32_t pm_types__unit(const struct pm_types_project *project, uint32_t from, const char *path)
{
    const struct pm_types__unit *of = &project->units[from];
    if (!of->path || project->by_path.count == 0)
        return 0;
    const size_t dots = strspn(path, ".");
    char *folder = pm_strdup(of->path);
    uint32_t unit = 0;
    bool more = of->package || go_up(folder);
    for (size_t i = 1; i < dots && more; i++)
        more = go_up(folder);
    if (dots > 0 && more) {
        unit = unit_below(project, folder, path + dots);
    } else if (more) {
        do {
            unit = unit_below(project, folder, path);
        } while (!unit && go_up(folder));
        unit = unit ? unit : unit_below(project, "src", path);
    }
    free(folder);
    return unit;
}

bool pm_types__has_arrays(const char *path)
{
    static const char *const libraries[] = {"cupy",    "dask",  "h5py",    "jax",    "keras",
                                            "mxnet",   "numpy", "pandas",  "paddle", "polars",
                                            "pyarrow", "scipy", "sklearn", "sparse", "tensorflow",
                                            "torch",   "xarray"};
    const size_t length = strcspn(path, ".");
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strlen(libraries[i]) == length && strncmp(libraries[i], path, length) == 0)
            return true;
    return false;
}

bool pm_types__is_other_host(const char *path)
{
    const size_t length = strcspn(path, ".");
    return (length == 3 && strncmp(path, "jax", length) == 0) ||
           (length == 5 && strncmp(path, "torch", length) == 0);
}

/* Returns whether a file sets the variable that selects another framework for a package, such as
 * KERAS_BACKEND. */
static bool chooses_host(const struct pm_resolve_file *file, uint32_t package)
{
    static const char *const values[] = {"\"jax\"", "'jax'", "\"torch\"", "'torch'"};
    const unsigned char *at = file->text;
    const unsigned char *end =
        at + (file->tokens.count ? file->tokens.end[file->tokens.count - 1] : 0);
    char *variable = pm_format("%s_BACKEND", file->index->symbols[package].text);
    bool found = false;
    for (size_t i = 0; variable[i]; i++)
        variable[i] = (char)toupper((unsigned char)variable[i]);
    while ((at = memmem(at, (size_t)(end - at), variable, strlen(variable))) != NULL) {
        at += strlen(variable);
        const unsigned char *line = memchr(at, '\n', (size_t)(end - at));
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            found |= memmem(at, (size_t)((line ? line : end) - at), values[i], strlen(values[i])) !=
                     NULL;
    }
    free(variable);
    return found;
}

void pm_types__take_host(struct pm_types_project *project, const struct pm_resolve_file *file)
{
    project->named |= file->imported;
    project->parts |= file->parts;
    for (uint32_t left = file->parts; left; left &= left - 1)
        project->other_host |=
            chooses_host(file, file->index->frameworks[__builtin_ctz(left)].part_symbol);
}

bool pm_types__is_of_types(const char *path)
{
    static const char *const own[] = {"collections", "decimal", "enum",   "fractions",
                                      "numbers",     "types",   "typing", "typing_extensions"};
    const size_t length = strcspn(path, ".");
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strlen(own[i]) == length && strncmp(own[i], path, length) == 0)
            return true;
    return false;
}

bool pm_types__is_numpy(const char *path)
{
    static const char library[] = "numpy";
    return strncmp(path, library, strlen(library)) == 0 && path[strlen(library)] == '.';
}

/* ---- imports through other files ------------------------------------------------------------ */

/* Returns the file + 1 that a term imports, or 0. The term is a module, or a name that is imported
 * from a package and may be a module in it. */
static uint32_t imported_by(const struct pm_types_project *project,
                            const struct pm_types__term *term)
{
    const struct pm_types__term *of =
        term->op == PM_TYPES__ATTRIBUTE && term->a ? &project->terms[term->a] : term;
    if (of->op != PM_TYPES__IMPORT)
        return 0;
    const uint32_t unit = pm_types__unit(project, of->a, project->names[of->b]);
    return unit && of != term ? pm_types__submodule(project, unit - 1, project->names[term->b])
                              : unit;
}

/* The files that import each file. */
struct importers {
    uint32_t *first; /* for each file: link + 1, or 0 */
    struct importer {
        uint32_t unit, next; /* next: link + 1, or 0 */
    } * links;
    size_t count, capacity;
};

/* Returns whether a term imports a class from a package that is not read. A capital letter shows
 * that it is a class. Excludes packages of Python, pytest, libraries with arrays of their own, and
 * packages whose functions return only plain values. */
static bool is_other_class(const struct pm_types_project *project,
                           const struct pm_types__term *term)
{
    static const char *const python[] = {"__future__", "abc",   "contextlib", "dataclasses",
                                         "functools",  "io",    "itertools",  "multiprocessing",
                                         "pytest",     "queue", "threading",  "unittest"};
    const struct pm_types__term *of =
        term->op == PM_TYPES__ATTRIBUTE && term->a ? &project->terms[term->a] : NULL;
    if (!of || of->op != PM_TYPES__IMPORT || !isupper((unsigned char)*project->names[term->b]))
        return false;
    const char *path = project->names[of->b];
    const size_t length = strcspn(path, ".");
    for (size_t i = 0; i < sizeof python / sizeof *python; i++)
        if (strlen(python[i]) == length && strncmp(python[i], path, length) == 0)
            return false;
    return *path != '.' && !pm_types__is_of_types(path) && !pm_types__gives_plain(path) &&
           !pm_types__has_arrays(path);
}

static void find_importers(struct pm_types_project *project, struct importers *out)
{
    for (uint32_t unit = 0, i = 1; unit < project->units_count; unit++)
        for (; i < project->units[unit].end; i++) {
            const uint32_t of = imported_by(project, &project->terms[i]);
            project->units[unit].other_classes |=
                !of && is_other_class(project, &project->terms[i]);
            if (!of || of - 1 == unit)
                continue;
            PM_GROW(out->links, out->count, out->capacity);
            out->links[out->count++] = (struct importer){unit, out->first[of - 1]};
            out->first[of - 1] = (uint32_t)out->count;
        }
}

/* A file is visited again only if another framework was added to it, so at most once per
 * framework. */
void pm_types__spread_imports(struct pm_types_project *project)
{
    const size_t units = project->units_count;
    struct importers importers = {.first = pm_alloc((units + 1) * sizeof *importers.first)};
    uint32_t *waiting = NULL;
    size_t count = 0, capacity = 0;
    find_importers(project, &importers);
    for (uint32_t i = 0; i < units; i++) {
        PM_GROW(waiting, count, capacity);
        waiting[count++] = i;
    }
    while (count > 0) {
        const uint32_t of = waiting[--count];
        for (uint32_t i = importers.first[of]; i; i = importers.links[i - 1].next) {
            struct pm_types__unit *by = &project->units[importers.links[i - 1].unit];
            const uint32_t before = by->imported;
            by->imported |= project->units[of].imported;
            if (by->imported == before)
                continue;
            PM_GROW(waiting, count, capacity);
            waiting[count++] = importers.links[i - 1].unit;
        }
    }
    free(importers.first);
    free(importers.links);
    free(waiting);
}
