/* Packed databases: a database in a zstd frame, which is read in memory. */
#include <string.h>

#include "base/file.h"
#include "base/packed.h"
#include "base/str.h"
#include "store/store_private.h"

/* The bytes with which every zstd frame begins (RFC 8878, 3.1.1). */
static const unsigned char magic[] = {0x28, 0xB5, 0x2F, 0xFD};
static const size_t most_bytes = 1u << 30;

bool pm_store__is_packed(const char *path)
{
    unsigned char bytes[sizeof magic];
    FILE *file = fopen(path, "re");
    const bool is =
        file && fread(bytes, sizeof bytes, 1, file) == 1 && !memcmp(bytes, magic, sizeof magic);
    if (file)
        fclose(file);
    return is;
}

/* Unpacks the frame into memory that SQLite can free. */
static int unpack(const struct pm_store *store, const struct pm_str *bytes, unsigned char **out,
                  size_t *length, struct pm_error *err)
{
    const struct pm_packed packed = {bytes->data, bytes->length, "the packed database", store->path,
                                     "copy or download it again"};
    PM_TRY(pm_packed_length(&packed, most_bytes, length, err));
    *out = sqlite3_malloc64(*length + 1);
    if (!*out)
        return pm_error_set(err, PM_EIO, "cannot unpack '%s': free %zu MB of memory", store->path,
                            *length >> 20);
    const int rc = pm_packed_unpack(&packed, *out, *length, err);
    if (rc)
        sqlite3_free(*out);
    return rc;
}

int pm_store__open_packed(struct pm_store *store, struct pm_error *err)
{
    struct pm_str packed = PM_STR_INIT;
    unsigned char *bytes = NULL;
    size_t length = 0;
    int rc = pm_file_read(store->path, &packed, err);
    if (!rc)
        rc = unpack(store, &packed, &bytes, &length, err);
    pm_str_release(&packed);
    if (rc)
        return rc;
    if (sqlite3_open_v2(":memory:", &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK) {
        sqlite3_free(bytes);
        return pm_store__failed(store, err);
    }
    /* sqlite3_deserialize() frees the bytes, even if it fails. */
    if (sqlite3_deserialize(store->db, "main", bytes, (sqlite3_int64)length, (sqlite3_int64)length,
                            SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY) !=
        SQLITE_OK)
        return pm_store__failed(store, err);
    return PM_OK;
}
