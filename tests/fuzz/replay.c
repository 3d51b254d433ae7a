/*
 * Replays inputs on a fuzz target. The arguments are files, folders of files, and packs of files
 * (tar). Prints the name of an input before it feeds it, so that the last printed input is the one
 * at which the target failed; at the end prints the number of inputs. Status 1 if there was no
 * input, 3 if a file cannot be read.
 */
#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/file.h"
#include "fuzz.h"

static size_t count;

static void replay_bytes(const char *name, const void *bytes, size_t length)
{
    printf("%s\n", name);
    fflush(stdout);
    (void)LLVMFuzzerTestOneInput(bytes, length);
    count++;
}

static int replay_member(struct archive *pack, struct archive_entry *entry)
{
    const size_t length = (size_t)archive_entry_size(entry);
    unsigned char *bytes = pm_alloc(length);
    const la_ssize_t got = archive_read_data(pack, bytes, length);
    if (got >= 0 && (size_t)got == length)
        replay_bytes(archive_entry_pathname(entry), bytes, length);
    free(bytes);
    return got >= 0 && (size_t)got == length ? ARCHIVE_OK : ARCHIVE_FATAL;
}

static int replay_pack(const char *path, struct pm_error *err)
{
    enum { BLOCK = 10240 };
    struct archive *pack = archive_read_new();
    struct archive_entry *entry;
    archive_read_support_format_tar(pack);
    int rc = archive_read_open_filename(pack, path, BLOCK);
    while (rc == ARCHIVE_OK && (rc = archive_read_next_header(pack, &entry)) == ARCHIVE_OK)
        rc = replay_member(pack, entry);
    if (rc != ARCHIVE_EOF) {
        const char *why = archive_error_string(pack);
        pm_error_set(err, PM_EFORMAT, "cannot read '%s': %s", path, why ? why : "it is cut short");
    }
    archive_read_free(pack);
    return rc == ARCHIVE_EOF ? PM_OK : PM_EFORMAT;
}

static int replay_file(const char *path, struct pm_error *err)
{
    struct pm_str bytes = PM_STR_INIT;
    const int rc = pm_file_read(path, &bytes, err);
    if (rc == PM_OK)
        replay_bytes(path, bytes.data, bytes.length);
    pm_str_release(&bytes);
    return rc;
}

static int replay_folder(const char *path, struct pm_error *err)
{
    char **names = NULL;
    size_t entries = 0;
    int rc = pm_folder_list(path, &names, &entries, err);
    for (size_t i = 0; rc == PM_OK && i < entries; i++) {
        char *const inner = pm_path_join(path, names[i]);
        rc = replay_file(inner, err);
        free(inner);
    }
    pm_free_strings(names, entries);
    return rc;
}

static int replay(const char *path, struct pm_error *err)
{
    if (pm_path_is_folder(path))
        return replay_folder(path, err);
    return pm_ends_with(path, ".tar") ? replay_pack(path, err) : replay_file(path, err);
}

int main(int argc, char **argv)
{
    struct pm_error err;
    for (int i = 1; i < argc; i++)
        if (replay(argv[i], &err)) {
            fprintf(stderr, "%s: %s\n", argv[0], err.text);
            return 3;
        }
    printf("%zu inputs\n", count);
    return count == 0;
}
