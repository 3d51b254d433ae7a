#include "corpus/kernels.h"

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* How often bytes stand in Python source, per 10,000: only the order matters. From counting the
 * standard library. Bytes not listed are rare. */
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
            const unsigned long both = (unsigned long)commonness((unsigned char)text[i]) *
                                       commonness((unsigned char)text[k]);
            if (both < best) {
                best = both;
                to->first = i;
                to->second = k;
            }
        }
    }
}

static bool stands_at(const struct pm_corpus__text *text, const unsigned char *at,
                      const unsigned char *end)
{
    return (size_t)(end - at) >= text->length && memcmp(at, text->bytes, text->length) == 0;
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
        for (unsigned i = 0; i < finder->count; i++) {
            if (*at == (unsigned char)finder->texts[i].bytes[0] &&
                stands_at(&finder->texts[i], at, end)) {
                *which = i;
                return at;
            }
        }
    }
    return NULL;
}

static size_t copy_plain_portable(unsigned char *to, const unsigned char *at,
                                  const unsigned char *end)
{
    const unsigned char *stop = memchr(at, '\\', (size_t)(end - at));
    const size_t length = (size_t)((stop ? stop : end) - at);
    memcpy(to, at, length);
    return length;
}

static uint32_t calls_portable(const uint8_t *kinds)
{
    uint32_t calls = 0;
    for (unsigned i = 0; i < 32; i++)
        calls |= (uint32_t)(kinds[i] == 'a' && kinds[i + 1] == '(') << i;
    return calls;
}

static const struct pm_corpus__kernels portable_kernels = {string_end_portable, find_portable,
                                                           copy_plain_portable, calls_portable};

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt")))

AVX2 static inline uint64_t equal_64(const unsigned char *at, __m256i byte)
{
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)at);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(at + 32));
    const uint32_t low_mask = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, byte));
    const uint32_t high_mask = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, byte));
    return (uint64_t)high_mask << 32 | low_mask;
}

/*
 * The bytes of a block that a backslash before them escapes. A run of backslashes escapes the byte
 * behind it where its length is odd: where it begins at an even place and ends before an odd one,
 * or the other way round. Adding the place where a run begins to the run carries to the place
 * behind it. `carry`: the first byte is escaped by the block before; becomes the same for the next
 * block.
 */
AVX2 static inline uint64_t escaped_bytes(uint64_t backslashes, uint64_t *carry)
{
    const uint64_t even = 0x5555555555555555u;
    const uint64_t runs = backslashes & ~*carry;
    const uint64_t begins = runs & ~(runs << 1);
    const uint64_t behind_even = (runs + (begins & even)) & ~runs;
    const uint64_t behind_odd = (runs + (begins & ~even)) & ~runs;
    const uint64_t escaped = (behind_even & ~even) | (behind_odd & even) | *carry;
    *carry = _lzcnt_u64(~runs) & 1;
    return escaped;
}

AVX2 static const unsigned char *string_end_avx2(const unsigned char *at, const unsigned char *end)
{
    const __m256i quote = _mm256_set1_epi8('"'), backslash = _mm256_set1_epi8('\\');
    uint64_t carry = 0;
    for (; at < end; at += 64) {
        const uint64_t backslashes = equal_64(at, backslash);
        uint64_t quotes = equal_64(at, quote);
        if (backslashes | carry)
            quotes &= ~escaped_bytes(backslashes, &carry);
        if (quotes) {
            at += _tzcnt_u64(quotes);
            return at < end ? at : NULL;
        }
    }
    return NULL;
}

/* The first of the candidates within 32 bytes where the whole text stands. */
AVX2 static inline const unsigned char *first_standing(const struct pm_corpus__finder *finder,
                                                       const __m256i *masks, unsigned count,
                                                       const unsigned char *at,
                                                       const unsigned char *end, unsigned *which)
{
    const unsigned char *best = end;
    for (unsigned i = 0; i < count; i++) {
        for (uint32_t mask = (uint32_t)_mm256_movemask_epi8(masks[i]); mask; mask &= mask - 1) {
            const unsigned char *place = at + _tzcnt_u32(mask);
            if (place >= best)
                break;
            if (stands_at(&finder->texts[i], place, end)) {
                *which = i;
                best = place;
            }
        }
    }
    return best < end ? best : NULL;
}

/* Inlined with a constant count, so that the loop over the texts unrolls. */
AVX2 __attribute__((always_inline)) static inline const unsigned char *
find_some(const struct pm_corpus__finder *finder, const unsigned char *at, const unsigned char *end,
          unsigned *which, unsigned count)
{
    __m256i first[PM_CORPUS__MOST_TEXTS], second[PM_CORPUS__MOST_TEXTS];
    for (unsigned i = 0; i < count; i++) {
        const struct pm_corpus__text *text = &finder->texts[i];
        first[i] = _mm256_set1_epi8(text->bytes[text->first]);
        second[i] = _mm256_set1_epi8(text->bytes[text->second]);
    }
    for (; at < end; at += 32) {
        __m256i masks[PM_CORPUS__MOST_TEXTS], any = _mm256_setzero_si256();
        for (unsigned i = 0; i < count; i++) {
            const unsigned char *from = at + finder->texts[i].first;
            const unsigned char *beside = at + finder->texts[i].second;
            masks[i] = _mm256_and_si256(
                _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(const void *)from),
                                  first[i]),
                _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(const void *)beside),
                                  second[i]));
            any = _mm256_or_si256(any, masks[i]);
        }
        if (_mm256_testz_si256(any, any))
            continue;
        const unsigned char *best = first_standing(finder, masks, count, at, end, which);
        if (best)
            return best;
    }
    return NULL;
}

AVX2 static const unsigned char *find_avx2(const struct pm_corpus__finder *finder,
                                           const unsigned char *at, const unsigned char *end,
                                           unsigned *which)
{
    switch (finder->count) {
    case 0:
        return NULL;
    case 1:
        return find_some(finder, at, end, which, 1);
    case 2:
        return find_some(finder, at, end, which, 2);
    case 3:
        return find_some(finder, at, end, which, 3);
    case 4:
        return find_some(finder, at, end, which, 4);
    default:
        return find_some(finder, at, end, which, finder->count);
    }
}

AVX2 static size_t copy_plain_avx2(unsigned char *to, const unsigned char *at,
                                   const unsigned char *end)
{
    const __m256i backslash = _mm256_set1_epi8('\\');
    const unsigned char *from = at;
    for (; at < end; at += 32, to += 32) {
        const __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)at);
        _mm256_storeu_si256((__m256i *)(void *)to, bytes);
        const uint32_t mask = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, backslash));
        if (mask) {
            at += _tzcnt_u32(mask);
            break;
        }
    }
    return (size_t)((at < end ? at : end) - from);
}

AVX2 static uint32_t calls_avx2(const uint8_t *kinds)
{
    const __m256i here = _mm256_loadu_si256((const __m256i *)(const void *)kinds);
    const __m256i next = _mm256_loadu_si256((const __m256i *)(const void *)(kinds + 1));
    const __m256i name = _mm256_cmpeq_epi8(here, _mm256_set1_epi8('a'));
    const __m256i bracket = _mm256_cmpeq_epi8(next, _mm256_set1_epi8('('));
    return (uint32_t)_mm256_movemask_epi8(_mm256_and_si256(name, bracket));
}

static const struct pm_corpus__kernels avx2_kernels = {string_end_avx2, find_avx2, copy_plain_avx2,
                                                       calls_avx2};
#endif

const struct pm_corpus__kernels *pm_corpus__kernels(bool portable)
{
#if defined(__x86_64__)
    if (!portable && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        return &avx2_kernels;
#endif
    (void)portable;
    return &portable_kernels;
}
