/* Contains the portable kernels, selects the kernels for this processor, and chooses the anchors of
 * texts. */
#include "corpus/kernels_private.h"

#include <string.h>

/* Returns how often a byte occurs among 10,000 bytes of Python source, counted in the standard
 * library. Only the order of these numbers matters. Bytes that are not listed are rare. */
static unsigned commonness(unsigned char byte)
{
    static const uint16_t letters[26] = {480, 100, 240, 260, 780, 200, 130, 150, 430,
                                         12,  50,  300, 200, 450, 420, 200, 15,  450,
                                         520, 560, 180, 70,  60,  60,  90,  15};
    if (byte >= 'a' && byte <= 'z')
        return letters[byte - 'a'];
    return byte == ' ' ? 2000 : byte == '_' ? 200 : byte == '.' ? 150 : byte == '0' ? 100 : 40;
}

void pm_corpus__finder_add(struct pm_corpus__finder *finder, const char *text, unsigned id)
{
    struct pm_corpus__text *to = &finder->texts[finder->count++];
    *to = (struct pm_corpus__text){text, (uint8_t)strlen(text), 0, 1, (uint8_t)id};
    unsigned long best = ~0ul;
    const uint8_t reach = to->length < 32 ? to->length : 32; /* loads stay within the padding */
    for (uint8_t i = 0; i < reach; i++) {
        for (uint8_t k = (uint8_t)(i + 1); k < reach; k++) {
            /* Neighbouring letters, such as "ch", occur together more often than by chance. */
            const unsigned long both = (unsigned long)commonness((unsigned char)text[i]) *
                                       commonness((unsigned char)text[k]) * (k == i + 1 ? 8 : 1);
            if (both < best) {
                best = both;
                to->first = i;
                to->second = k;
            }
        }
    }
}

static const unsigned char *string_end_portable(const unsigned char *at, const unsigned char *end)
{
    while (at < end && *at != '"')
        at += *at == '\\' ? 2 : 1;
    return at < end ? at : NULL;
}

static const unsigned char *find_portable(const struct pm_corpus__finder *finder,
                                          const unsigned char *at, const unsigned char *end,
                                          unsigned *which)
{
    for (; at < end; at++) {
        if (pm_corpus__is_one_at(finder, at, end, which))
            return at;
    }
    return NULL;
}

static size_t unescape_portable(unsigned char *to, const unsigned char **at,
                                const unsigned char *end)
{
    const unsigned char *from = *at;
    unsigned char *begin = to;
    for (;;) {
        const unsigned char *stop = memchr(from, '\\', (size_t)(end - from));
        const size_t plain = (size_t)((stop ? stop : end) - from);
        memcpy(to, from, plain);
        to += plain;
        from += plain;
        if (end - from < 2 || !pm_corpus__simple_escapes[from[1]])
            break;
        *to++ = pm_corpus__simple_escapes[from[1]];
        from += 2;
    }
    *at = from;
    return (size_t)(to - begin);
}

static const struct pm_corpus__kernels portable_kernels = {string_end_portable, find_portable,
                                                           unescape_portable};

const struct pm_corpus__kernels *pm_corpus__kernels_of(enum pm_corpus__kernel_set set)
{
    switch (set) {
    case PM_CORPUS__PORTABLE:
        return &portable_kernels;
#if defined(__x86_64__)
    case PM_CORPUS__AVX2:
        return pm_corpus__kernels_avx2();
    case PM_CORPUS__AVX512:
        return pm_corpus__kernels_avx512();
#endif
    default:
        return NULL;
    }
}

const struct pm_corpus__kernels *pm_corpus__kernels(void)
{
    const struct pm_corpus__kernels *found = NULL;
    for (int set = PM_CORPUS__KERNEL_SETS; !found; set--)
        found = pm_corpus__kernels_of((enum pm_corpus__kernel_set)(set - 1));
    return found;
}
