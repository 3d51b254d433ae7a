/* Loads case files, and folders and packs of case files, into a suite. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/stop.h"
#include "suite/suite_private.h"

/* A case file: `path` for messages, `real` to find that two paths are the same file, `name` without
 * the folder. */
struct source {
    char *path, *real;
    const char *name;
    char *text; /* the text of a file in a pack; NULL: it is read from `path` */
};

struct sources {
    struct source *items;
    size_t count, capacity;
};

static void release_sources(struct sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        free(sources->items[i].path);
        free(sources->items[i].real);
        free(sources->items[i].text);
    }
    free(sources->items);
}

/* Takes ownership of `path`. */
static int add_source(struct sources *sources, char *path, struct pm_error *err)
{
    char *real = realpath(path, NULL);
    if (!real) {
        pm_error_errno(err, "cannot open case file '%s'", path);
        free(path);
        return PM_EIO;
    }
    for (size_t i = 0; i < sources->count; i++) {
        if (strcmp(sources->items[i].real, real) == 0) {
            free(path);
            free(real);
            return PM_OK;
        }
    }
    const char *slash = strrchr(path, '/');
    PM_GROW(sources->items, sources->count, sources->capacity);
    sources->items[sources->count++] = (struct source){path, real, slash ? slash + 1 : path, NULL};
    return PM_OK;
}

/* Adds a file of a pack. Its path is PACK/FUNCTION.yaml. */
static int add_packed(void *ctx, const char *pack, const char *function, const char *text,
                      size_t length, struct pm_error *err)
{
    struct sources *sources = ctx;
    char *path = pm_format("%s/%s.yaml", pack, function);
    (void)err;
    PM_GROW(sources->items, sources->count, sources->capacity);
    sources->items[sources->count++] =
        (struct source){path, pm_strdup(path), path + strlen(pack) + 1, pm_strndup(text, length)};
    return PM_OK;
}

static int add_folder(struct sources *sources, const char *folder, struct pm_error *err)
{
    char **names = NULL;
    size_t count = 0, found = 0;
    int rc = pm_folder_list(folder, &names, &count, err);
    for (size_t i = 0; i < count && !rc; i++) {
        if (names[i][0] == '.')
            continue;
        if (pm_ends_with(names[i], ".yml"))
            rc = pm_error_set(err, PM_EFORMAT,
                              "%s/%s:1:1: a case file must have the extension .yaml: rename it",
                              folder, names[i]);
        if (!pm_ends_with(names[i], ".yaml"))
            continue;
        rc = add_source(sources, pm_path_join(folder, names[i]), err);
        found++;
    }
    if (!rc && !found)
        rc = pm_error_set(
            err, PM_ENOTFOUND,
            "folder '%s' contains no case files (*.yaml): name another folder or file with --suite",
            folder);
    pm_free_strings(names, count);
    return rc;
}

static int by_name(const void *a, const void *b)
{
    const struct source *x = a, *y = b;
    const int names = strcmp(x->name, y->name);
    return names ? names : strcmp(x->real, y->real);
}

static int find_sources(struct sources *sources, const char *const *paths, size_t count,
                        struct pm_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (pm_path_is_folder(paths[i]))
            PM_TRY(add_folder(sources, paths[i], err));
        else if (pm_ends_with(paths[i], PM_SUITE_PACK))
            PM_TRY(pm_suite_unpack(paths[i], add_packed, sources, err));
        else
            PM_TRY(add_source(sources, pm_strdup(paths[i]), err));
    }
    if (!sources->count)
        return pm_error_set(err, PM_ENOTFOUND, "no case files are given: name them with --suite");
    qsort(sources->items, sources->count, sizeof *sources->items, by_name);
    return PM_OK;
}

/* Reads one file and appends its bytes to `all`, for the digest of the suite. `file` has the data
 * that is common to all files. */
static int load_file(struct pm_suite__file file, const struct source *source,
                     struct pm_suite__loaded *out, struct pm_str *all, struct pm_error *err)
{
    file.path = pm_suite__copy(file.own, source->path, strlen(source->path));
    pm_str_init(&file.text);
    int rc = PM_OK;
    if (source->text)
        pm_str_add(&file.text, source->text);
    else
        rc = pm_file_read(source->path, &file.text, err);
    if (!rc)
        rc = pm_suite__check_bytes(file.path, file.text.data, file.text.length, err);
    if (!rc)
        rc = pm_suite__parse(&file, err);
    if (!rc)
        rc = pm_suite__read_function(&file, out, err);
    pm_str_addf(all, "%s\n%zu\n", source->name, file.text.length);
    pm_str_add_bytes(all, file.text.data, file.text.length);
    pm_suite__close(&file);
    return rc;
}

static int by_function(const void *a, const void *b)
{
    const struct pm_suite__loaded *x = a, *y = b;
    return strcmp(x->function.name, y->function.name);
}

static int repeated(const struct pm_suite__loaded *first, const struct pm_suite__loaded *second,
                    struct pm_error *err)
{
    const struct pm_function *a = &first->function, *b = &second->function;
    return strcmp(a->file, b->file) == 0
               ? pm_error_set(
                     err, PM_EFORMAT,
                     "%s:1:1: function '%s' is in the suite twice: name its pack once, and "
                     "keep one file of the function in it",
                     b->file, b->name)
               : pm_error_set(err, PM_EFORMAT,
                              "%s:1:1: function '%s' is also in '%s': remove one of the two files",
                              b->file, b->name, a->file);
}

/* Moves the loaded functions and cases into the suite's arrays. */
static int assemble(struct pm_suite *suite, struct pm_suite__loaded *loaded, size_t count,
                    struct pm_error *err)
{
    qsort(loaded, count, sizeof *loaded, by_function);
    size_t cases = 0;
    for (size_t i = 0; i < count; i++) {
        if (i && by_function(&loaded[i - 1], &loaded[i]) == 0)
            return repeated(&loaded[i - 1], &loaded[i], err);
        cases += loaded[i].count;
    }
    suite->functions = pm_alloc(count * sizeof *suite->functions);
    suite->cases = pm_alloc(cases * sizeof *suite->cases);
    for (size_t i = 0; i < count; i++) {
        struct pm_function *function = &suite->functions[suite->function_count++];
        *function = loaded[i].function;
        function->first_case = suite->case_count;
        function->case_count = loaded[i].count;
        for (size_t j = 0; j < loaded[i].count; j++) {
            struct pm_case *c = &suite->cases[suite->case_count++];
            *c = loaded[i].cases[j];
            c->function = function;
        }
    }
    return PM_OK;
}

int pm_suite_load(struct pm_suite *suite, const char *framework, const struct pm_case_words *words,
                  const char *const *paths, size_t path_count, struct pm_error *err)
{
    struct sources sources = {0};
    struct pm_suite__loaded *loaded = NULL;
    struct pm_str all = PM_STR_INIT;
    *suite = (struct pm_suite){.own = pm_alloc(sizeof *suite->own)};
    suite->own->values = json_array();
    const struct pm_suite__file common = {
        .own = suite->own,
        .framework = pm_suite__copy(suite->own, framework, strlen(framework)),
        .words = words,
    };
    int rc = find_sources(&sources, paths, path_count, err);
    if (rc)
        goto done;
    loaded = pm_alloc(sources.count * sizeof *loaded);
    for (size_t i = 0; i < sources.count && !rc && !(rc = pm_stop_check(err)); i++)
        rc = load_file(common, &sources.items[i], &loaded[i], &all, err);
    if (!rc)
        rc = assemble(suite, loaded, sources.count, err);
    const struct pm_shape shape = {.dims = 1, .size = {(int64_t)all.length}};
    suite->digest = pm_digest_of(PM_UINT8, &shape, all.data, all.length);
done:
    for (size_t i = 0; loaded && i < sources.count; i++)
        free(loaded[i].cases);
    free(loaded);
    release_sources(&sources);
    pm_str_release(&all);
    if (rc)
        pm_suite_release(suite);
    return rc;
}

int pm_suite_load_default(struct pm_suite *suite, const char *framework,
                          const struct pm_case_words *words, const char *const *paths,
                          size_t path_count, struct pm_error *err)
{
    if (path_count)
        return pm_suite_load(suite, framework, words, paths, path_count, err);
    char *home = NULL;
    PM_TRY(pm_path_home(&home, err));
    char *path = pm_format("%s/suites/%s", home, framework);
    const char *const own[] = {path};
    const int rc = pm_suite_load(suite, framework, words, own, 1, err);
    free(path);
    free(home);
    return rc;
}

int pm_suite_version(size_t path_count, char **out, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    char *home = NULL;
    *out = pm_strdup("");
    if (path_count)
        return PM_OK;
    PM_TRY(pm_path_home(&home, err));
    char *path = pm_path_join(home, "suites/VERSION");
    if (pm_file_read(path, &text, NULL) == PM_OK) {
        free(*out);
        *out = pm_strndup(text.data, strcspn(text.data, "\r\n"));
    }
    pm_str_release(&text);
    free(path);
    free(home);
    return PM_OK;
}
