/* Functions that the kernels share, and the functions that return the kernels for x86-64. */
#ifndef PM_CORPUS_KERNELS_PRIVATE_H
#define PM_CORPUS_KERNELS_PRIVATE_H

#include <string.h>

#include "corpus/kernels.h"

static inline bool pm_corpus__is_at(const struct pm_corpus__text *text, const unsigned char *at,
                                    const unsigned char *end)
{
    return (size_t)(end - at) >= text->length && memcmp(at, text->bytes, text->length) == 0;
}

/* Returns whether one of the texts begins at `at`. Sets *which to its index. */
static inline bool pm_corpus__is_one_at(const struct pm_corpus__finder *finder,
                                        const unsigned char *at, const unsigned char *end,
                                        unsigned *which)
{
    for (unsigned i = 0; i < finder->count; i++) {
        if (*at == (unsigned char)finder->texts[i].bytes[0] &&
            pm_corpus__is_at(&finder->texts[i], at, end)) {
            *which = i;
            return true;
        }
    }
    return false;
}

#if defined(__x86_64__)
/* Return the kernels, or NULL if the processor lacks the instructions. */
const struct pm_corpus__kernels *pm_corpus__kernels_avx2(void);
const struct pm_corpus__kernels *pm_corpus__kernels_avx512(void);
#endif

#endif
