/* Compresses blobs with zstd, and limits their unpacked size. */
#include "base/alloc.h"
#include "base/packed.h"
#include "store/store_private.h"

enum { ZSTD_LEVEL = 3 };

int pm_store__pack(struct pm_store *store, const void *bytes, size_t length, size_t *packed,
                   struct pm_error *err)
{
    if (!store->compressor) {
        store->compressor = ZSTD_createCCtx();
        ZSTD_CCtx_setParameter(store->compressor, ZSTD_c_compressionLevel, ZSTD_LEVEL);
        ZSTD_CCtx_setParameter(store->compressor, ZSTD_c_checksumFlag, 1);
    }
    const size_t bound = ZSTD_compressBound(length);
    if (store->packed_capacity < bound) {
        store->packed = pm_realloc(store->packed, bound);
        store->packed_capacity = bound;
    }
    *packed = ZSTD_compress2(store->compressor, store->packed, bound, bytes, length);
    return ZSTD_isError(*packed)
               ? pm_error_set(err, PM_EIO, "cannot compress %zu bytes: %s: free some memory",
                              length, ZSTD_getErrorName(*packed))
               : PM_OK;
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
