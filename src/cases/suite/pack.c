/* Reads and writes packs of case files: many small files in one compressed file. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/packed.h"
#include "suite/suite_private.h"

#define MARK "---\n"
#define HEAD "function: "

enum { LEVEL = 19 };
static const size_t most_bytes = 64u << 20;
static const char advice[] = "restore it, or make it again with portmeter census";

static int damaged(const char *path, const char *what, struct pm_error *err)
{
    return pm_error_set(err, PM_EFORMAT, "the pack '%s' %s: %s", path, what, advice);
}

/* Reads and unpacks a pack. */
static int read_pack(const char *path, struct pm_str *out, struct pm_error *err)
{
    struct pm_str bytes = PM_STR_INIT;
    size_t length = 0;
    PM_TRY(pm_file_read(path, &bytes, err));
    const struct pm_packed packed = {bytes.data, bytes.length, "the pack", path, advice};
    int rc = pm_packed_length(&packed, most_bytes, &length, err);
    if (!rc) {
        char *text = pm_alloc(length);
        rc = pm_packed_unpack(&packed, text, length, err);
        if (!rc)
            pm_str_add_bytes(out, text, length);
        free(text);
    }
    pm_str_release(&bytes);
    return rc;
}

/* Returns the start of the next line that is the mark, or the end. */
static const char *next_mark(const char *at, const char *end)
{
    while (at < end) {
        if ((size_t)(end - at) >= strlen(MARK) && memcmp(at, MARK, strlen(MARK)) == 0)
            return at;
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        at = line_end ? line_end + 1 : end;
    }
    return end;
}

/* Passes one file to the callback. `text` is the first byte after the mark of the file, and `end`
 * is the byte after its last one. */
static int give(const char *path, const char *text, const char *end, pm_suite_packed_fn *file,
                void *ctx, struct pm_error *err)
{
    const size_t length = (size_t)(end - text), head = strlen(HEAD);
    const char *line_end = length > head ? memchr(text, '\n', length) : NULL;
    if (!line_end || memcmp(text, HEAD, head) != 0)
        return damaged(path, "has a part that does not begin with 'function: NAME'", err);
    char *function = pm_strndup(text + head, (size_t)(line_end - text) - head);
    const int rc = file(ctx, path, function, text, length, err);
    free(function);
    return rc;
}

int pm_suite_unpack(const char *path, pm_suite_packed_fn *file, void *ctx, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    int rc = read_pack(path, &text, err);
    const char *end = text.data + text.length;
    const char *at = rc ? end : next_mark(text.data, end);
    while (!rc && at < end) {
        const char *next = next_mark(at + strlen(MARK), end);
        rc = give(path, at + strlen(MARK), next, file, ctx, err);
        at = next;
    }
    pm_str_release(&text);
    return rc;
}

int pm_suite_pack_comments(const char *path, struct pm_str *out, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    const int rc = read_pack(path, &text, err);
    if (!rc)
        pm_str_add_bytes(out, text.data,
                         (size_t)(next_mark(text.data, text.data + text.length) - text.data));
    pm_str_release(&text);
    return rc;
}

int pm_suite_pack(const char *path, const char *text, size_t length, struct pm_error *err)
{
    struct pm_packer packer = {0};
    int rc = pm_packer_pack(&packer, text, length, LEVEL, err);
    if (!rc)
        rc = pm_file_write(path, packer.bytes, packer.size, err);
    pm_packer_release(&packer);
    return rc;
}
