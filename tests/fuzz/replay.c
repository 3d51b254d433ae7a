/*
 * Replays inputs on a fuzz target: each file named, or each file in a folder named. It ends badly
 * where the target does, and prints how many there were; none at all is wrong, too.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/file.h"
#include "fuzz.h"

static int replay_file(const char *path, size_t *count, struct pm_error *err)
{
    struct pm_str bytes = PM_STR_INIT;
    const int rc = pm_file_read(path, &bytes, err);
    if (rc == PM_OK) {
        (void)LLVMFuzzerTestOneInput((const uint8_t *)bytes.data, bytes.length);
        ++*count;
    }
    pm_str_release(&bytes);
    return rc;
}

static int replay(const char *path, size_t *count, struct pm_error *err)
{
    if (!pm_path_is_folder(path))
        return replay_file(path, count, err);
    char **names = NULL;
    size_t entries = 0;
    int rc = pm_folder_list(path, &names, &entries, err);
    for (size_t i = 0; rc == PM_OK && i < entries; i++) {
        char *const inner = pm_path_join(path, names[i]);
        rc = replay_file(inner, count, err);
        free(inner);
    }
    pm_free_strings(names, entries);
    return rc;
}

int main(int argc, char **argv)
{
    struct pm_error err;
    size_t count = 0;
    for (int i = 1; i < argc; i++)
        if (replay(argv[i], &count, &err)) {
            fprintf(stderr, "%s: %s\n", argv[0], err.text);
            return 3;
        }
    printf("%zu inputs\n", count);
    return count == 0;
}
