/* Compresses blobs with zstd, and limits their unpacked size. */
#include "base/alloc.h"
#include "base/packed.h"
#include "store/store_private.h"

enum { ZSTD_LEVEL = 3 };

int pm_store__pack(struct pm_store *store, const void *bytes, size_t length, struct pm_error *err)
{
    return pm_packer_pack(&store->packer, bytes, length, ZSTD_LEVEL, err);
}

char *pm_store__unpack(const void *packed, size_t size, size_t length, size_t most)
{
    const struct pm_packed frame = {.bytes = packed, .size = size};
    size_t said;
    if (pm_packed_length(&frame, most, &said, NULL) || said != length)
        return NULL;
    char *bytes = pm_alloc(length + 1);
    if (!pm_packed_unpack(&frame, bytes, length, NULL))
        return bytes;
    free(bytes);
    return NULL;
}
