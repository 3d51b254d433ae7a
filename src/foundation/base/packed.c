/* Packs zstd frames, and unpacks them up to a limit. */
#include "base/packed.h"

#include <stdlib.h>
#include <zstd.h>

#include "base/alloc.h"

static int refuse(const struct pm_packed *packed, const char *why, struct pm_error *err)
{
    return err ? pm_error_set(err, PM_EFORMAT, "%s '%s' %s: %s", packed->what, packed->path, why,
                              packed->advice)
               : PM_EFORMAT;
}

int pm_packed_length(const struct pm_packed *packed, size_t most, size_t *length,
                     struct pm_error *err)
{
    const unsigned long long said = ZSTD_getFrameContentSize(packed->bytes, packed->size);
    if (said == ZSTD_CONTENTSIZE_ERROR || said == ZSTD_CONTENTSIZE_UNKNOWN)
        return refuse(packed, "is not a zstd frame that states its length", err);
    if (said > most) {
        char why[64];
        snprintf(why, sizeof why, "unpacks to more than %zu MiB", most >> 20);
        return refuse(packed, why, err);
    }
    *length = (size_t)said;
    return PM_OK;
}

int pm_packed_unpack(const struct pm_packed *packed, void *out, size_t length, struct pm_error *err)
{
    const size_t got = ZSTD_decompress(out, length, packed->bytes, packed->size);
    return got == length ? PM_OK : refuse(packed, "is damaged", err);
}

int pm_packer_pack(struct pm_packer *packer, const void *bytes, size_t length, int level,
                   struct pm_error *err)
{
    const size_t bound = ZSTD_compressBound(length);
    if (!packer->context) {
        packer->context = ZSTD_createCCtx();
        ZSTD_CCtx_setParameter(packer->context, ZSTD_c_checksumFlag, 1);
    }
    ZSTD_CCtx_setParameter(packer->context, ZSTD_c_compressionLevel, level);
    if (packer->capacity < bound) {
        packer->bytes = pm_realloc(packer->bytes, bound);
        packer->capacity = bound;
    }
    packer->size = ZSTD_compress2(packer->context, packer->bytes, bound, bytes, length);
    return ZSTD_isError(packer->size)
               ? pm_error_set(err, PM_EIO, "cannot compress %zu bytes: %s: free some memory",
                              length, ZSTD_getErrorName(packer->size))
               : PM_OK;
}

void pm_packer_release(struct pm_packer *packer)
{
    ZSTD_freeCCtx(packer->context);
    free(packer->bytes);
    *packer = (struct pm_packer){0};
}
