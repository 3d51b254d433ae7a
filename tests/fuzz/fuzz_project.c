/*
 * Feeds any bytes as a project of up to four files, separated by the byte 0x1e, to the search for
 * uses that follow from types. The uses must be within the files and in order, and a second search
 * must find the same.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "fuzz.h"
#include "types/project.h"

enum { MOST_FILES = 4, CUT = 0x1e };

static const char *const paths[MOST_FILES] = {"p/__init__.py", "p/a.py", "p/b.py", "r.py"};

static struct pm_resolve_names *table(void)
{
    static const struct {
        const char *name;
        enum pm_name_kind kind;
        struct pm_resolve_fact fact;
    } rows[] = {
        {"torch.T", PM_NAME_CLASS, {.gives = PM_VALUE_ARRAY}},
        {"torch.T.v", PM_NAME_METHOD, {.gives = PM_VALUE_ARRAY}},
        {"torch.T.s", PM_NAME_METHOD, {.gives = PM_VALUE_ARRAYS}},
        {"torch.z", PM_NAME_FUNCTION, {.gives = PM_VALUE_ARRAY}},
        {"torch.o", PM_NAME_FUNCTION, {.gives = PM_VALUE_OTHER}},
        {"torch.M", PM_NAME_CLASS, {.gives = PM_VALUE_MODULE}},
        {"torch.M.e", PM_NAME_METHOD, {.class = "self"}},
        {"torch.M.apply", PM_NAME_METHOD, {0}},
        {"torch.L", PM_NAME_CLASS, {.gives = PM_VALUE_MODULE, .calls = PM_VALUE_ARRAY}},
        {"torch.D", PM_NAME_CLASS, {.gives = PM_VALUE_OTHER, .items = PM_VALUE_ARRAYS}},
    };
    struct pm_resolve_names *names = pm_resolve_names_new();
    const unsigned torch = pm_resolve_names_framework(names, "torch");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pm_resolve_names_add(names, torch, rows[i].name, NULL, rows[i].kind);
        pm_resolve_names_fact(names, torch, rows[i].name, rows[i].fact);
    }
    return names;
}

struct taking {
    const struct pm_resolve_index *index;
    uint32_t lines[MOST_FILES];
    uint32_t files, file, line, column;
    struct pm_str said;
};

static void take(void *ctx, const struct pm_types_place *place)
{
    struct taking *t = ctx;
    if (place->file >= t->files || place->line < 1 || place->line > t->lines[place->file])
        fuzz_wrong("a use outside the files");
    if (place->file < t->file || (place->file == t->file && place->line < t->line) ||
        (place->file == t->file && place->line == t->line && place->column < t->column))
        fuzz_wrong("uses out of order");
    if (place->framework != 0 || place->function < 1 ||
        place->function > t->index->frameworks[0].functions.count)
        fuzz_wrong("a use of nothing");
    if (place->how == PM_RESOLVE_HOW_IMPORT && *place->chain)
        fuzz_wrong("an import that follows from something");
    t->file = place->file;
    t->line = place->line;
    t->column = place->column;
    pm_str_addf(&t->said, "%u:%u:%u %u %d %d %s %s\n", place->file, place->line, place->column,
                place->function, (int)place->form, (int)place->how, place->inside, place->chain);
}

static uint32_t count_lines(const unsigned char *text, size_t size)
{
    uint32_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n' || text[i] == '\r';
    return lines;
}

/* Adds the files of the input to the project, and appends all found uses as text. */
static void read_project(struct pm_types_project *project, struct pm_resolve_file *file,
                         struct taking *t, const uint8_t *data, size_t size)
{
    t->files = t->file = t->line = t->column = 0;
    for (size_t at = 0; at <= size && t->files < MOST_FILES;) {
        const uint8_t *cut = size > at ? memchr(data + at, CUT, size - at) : NULL;
        const size_t length = cut ? (size_t)(cut - data) - at : size - at;
        unsigned char *text = fuzz_copy(data + at, length, PM_PYLEX_PADDING);
        pm_resolve_file_lex(file, text, length);
        pm_resolve_file_imports(file);
        pm_resolve_file_uses(file);
        t->lines[t->files] = count_lines(text, length);
        pm_types_project_add(project, paths[t->files++], file);
        free(text);
        at += length + 1;
    }
    pm_types_project_finish(project, take, t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pm_resolve_names *names = table();
    struct pm_resolve_index index;
    pm_resolve_index_init(&index, names);
    struct pm_resolve_file file = {.index = &index};
    struct pm_types_project *project = pm_types_project_new(&index);
    struct taking first = {.index = &index, .said = PM_STR_INIT};
    struct taking again = {.index = &index, .said = PM_STR_INIT};
    read_project(project, &file, &first, data, size);
    read_project(project, &file, &again, data, size);
    if (strcmp(first.said.data, again.said.data) != 0)
        fuzz_wrong("found otherwise the second time");
    pm_str_release(&first.said);
    pm_str_release(&again.said);
    pm_types_project_free(project);
    pm_resolve_file_release(&file);
    pm_resolve_index_release(&index);
    pm_resolve_names_free(names);
    return 0;
}
