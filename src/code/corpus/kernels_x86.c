/* Contains the kernels for AVX2 and for AVX-512 with VBMI2. AVX-512 is faster: a register has 64
 * bytes, one instruction looks all of them up in a table, and another one packs the bytes that a
 * mask selects. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <pthread.h>

#include "corpus/kernels_private.h"

#define AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))

AVX2 static inline uint64_t equal_avx2(const unsigned char *at, char c)
{
    const __m256i byte = _mm256_set1_epi8(c);
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)at);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(at + 32));
    const uint32_t low_mask = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, byte));
    const uint32_t high_mask = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, byte));
    return (uint64_t)high_mask << 32 | low_mask;
}

/* Returns one bit per byte of a block: 1 if a backslash escapes the byte. In a run of backslashes,
 * the first escapes the second, and the third the fourth, so escaping backslashes have the parity
 * of the place where the run begins. Adding a bit at this place clears the run. *carry is 1 if the
 * previous block escapes the first byte; it is updated for the next block. */
AVX2 static inline uint64_t escaped_bytes(uint64_t backslashes, uint64_t *carry)
{
    const uint64_t even = 0x5555555555555555u;
    const uint64_t runs = backslashes & ~*carry;
    const uint64_t begins = runs & ~(runs << 1);
    const uint64_t even_runs = runs & ~(runs + (begins & even));
    const uint64_t escaping = (even_runs & even) | (runs & ~even_runs & ~even);
    const uint64_t escaped = escaping << 1 | *carry;
    *carry = escaping >> 63;
    return escaped;
}

/* Returns whether the number of backslashes directly before `at`, from `begin` on, is even. */
static bool is_unescaped(const unsigned char *begin, const unsigned char *at)
{
    const unsigned char *from = at;
    while (from > begin && from[-1] == '\\')
        from--;
    return (at - from) % 2 == 0;
}

/* Finds the first unescaped quote. Skips quotes with exactly one backslash before them, which are
 * nearly all quotes within a string. `equal` returns one bit for each of 64 bytes: 1 if the byte is
 * `byte`. */
__attribute__((always_inline)) static inline const unsigned char *
string_end_by(uint64_t (*equal)(const unsigned char *at, char byte), const unsigned char *at,
              const unsigned char *end)
{
    const unsigned char *const begin = at;
    uint64_t before = 0; /* the backslashes of the previous block */
    for (; at < end; at += 64) {
        const uint64_t backslashes = equal(at, '\\');
        const uint64_t one = backslashes << 1 | before >> 63, two = backslashes << 2 | before >> 62;
        uint64_t quotes = equal(at, '"') & (~one | two);
        before = backslashes;
        for (; quotes; quotes &= quotes - 1) {
            const unsigned char *const place = at + __builtin_ctzll(quotes);
            if (is_unescaped(begin, place))
                return place < end ? place : NULL;
        }
    }
    return NULL;
}

AVX2 static const unsigned char *string_end_avx2(const unsigned char *at, const unsigned char *end)
{
    return string_end_by(equal_avx2, at, end);
}

/* Returns one byte for each of 32 places: 0xff if both anchors of the text are there, or 0. */
AVX2 static inline __m256i candidates(const struct pm_corpus__text *text, const unsigned char *at,
                                      __m256i first, __m256i second)
{
    const __m256i here = _mm256_loadu_si256((const __m256i *)(const void *)(at + text->first));
    const __m256i there = _mm256_loadu_si256((const __m256i *)(const void *)(at + text->second));
    return _mm256_and_si256(_mm256_cmpeq_epi8(here, first), _mm256_cmpeq_epi8(there, second));
}

/* Returns the first of 32 places at which a whole text begins; NULL if there is none. */
AVX2 __attribute__((noinline)) static const unsigned char *
first_standing(const struct pm_corpus__finder *finder, const unsigned char *at,
               const unsigned char *end, unsigned *which)
{
    const unsigned char *best = end;
    for (unsigned i = 0; i < finder->count; i++) {
        const struct pm_corpus__text *text = &finder->texts[i];
        uint32_t mask = (uint32_t)_mm256_movemask_epi8(
            candidates(text, at, _mm256_set1_epi8(text->bytes[text->first]),
                       _mm256_set1_epi8(text->bytes[text->second])));
        for (; mask; mask &= mask - 1) {
            const unsigned char *place = at + _tzcnt_u32(mask);
            if (place >= best)
                break;
            if (pm_corpus__is_at(text, place, end)) {
                *which = i;
                best = place;
            }
        }
    }
    return best < end ? best : NULL;
}

/* Finds the first text. It is inlined with a constant count, so that the compiler unrolls the loop
 * over the texts and keeps all values in registers. */
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
        __m256i any = _mm256_setzero_si256();
        for (unsigned i = 0; i < count; i++)
            any = _mm256_or_si256(any, candidates(&finder->texts[i], at, first[i], second[i]));
        if (_mm256_testz_si256(any, any))
            continue;
        const unsigned char *best = first_standing(finder, at, end, which);
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

/* For each subset of eight bytes: the shuffle that packs its bytes. */
static uint64_t together[256];

static void make_together(void)
{
    for (unsigned set = 0; set < 256; set++) {
        unsigned count = 0;
        for (unsigned i = 0; i < 8; i++) {
            if (set >> i & 1)
                together[set] |= (uint64_t)i << 8 * count++;
        }
    }
}

/* Packs the bytes that `set` selects out of 16, and writes them to `to`. Returns their end. */
AVX2 static inline unsigned char *keep_16(unsigned char *to, __m128i bytes, uint32_t set)
{
    const uint32_t low = set & 0xff, high = set >> 8 & 0xff;
    const __m128i shuffle =
        _mm_set_epi64x((long long)(together[high] + 0x0808080808080808u), (long long)together[low]);
    const __m128i kept = _mm_shuffle_epi8(bytes, shuffle);
    _mm_storel_epi64((__m128i *)(void *)to, kept);
    to += _mm_popcnt_u32(low);
    _mm_storel_epi64((__m128i *)(void *)to, _mm_unpackhi_epi64(kept, kept));
    return to + _mm_popcnt_u32(high);
}

/* Returns 32 bytes, one per bit: 0xff if the bit is set, otherwise 0. */
AVX2 static inline __m256i spread_bits(uint32_t bits)
{
    const __m256i byte_of =
        _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i bit_of = _mm256_set1_epi64x((long long)0x8040201008040201u);
    const __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32((int)bits), byte_of);
    return _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit_of), bit_of);
}

/*
 * Returns the bytes with each escaped byte replaced by the character that it denotes. Sets a bit of
 * *unknown for each escaped byte that is none of n t r f " / and backslash. These form four
 * classes. All bytes of a class have the same upper half, and the tables have the bit of the class
 * at its upper half and at its lower halves. f, n, r and t become their characters by an exclusive
 * or with 0x6a, 0x64, 0x7f and 0x7d; the others denote themselves.
 */
AVX2 static inline __m256i translate(__m256i bytes, uint32_t escaped, uint32_t *unknown)
{
    const __m256i nibble = _mm256_set1_epi8(15);
    const __m256i lower = _mm256_and_si256(bytes, nibble);
    const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble);
#define TWICE(...) _mm256_setr_epi8(__VA_ARGS__, __VA_ARGS__)
    const __m256i by_lower = TWICE(0, 0, 2 | 4, 0, 2, 0, 1, 0, 0, 0, 0, 0, 8, 0, 1, 4);
    const __m256i by_upper = TWICE(0, 0, 4, 0, 0, 8, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m256i away = TWICE(0, 0, 0x7f, 0, 0x7d, 0, 0x6a, 0, 0, 0, 0, 0, 0, 0, 0x64, 0);
#undef TWICE
    const __m256i known = _mm256_and_si256(_mm256_shuffle_epi8(by_lower, lower),
                                           _mm256_shuffle_epi8(by_upper, upper));
    const __m256i none = _mm256_cmpeq_epi8(known, _mm256_setzero_si256());
    const __m256i letter = _mm256_cmpgt_epi8(bytes, _mm256_set1_epi8(0x5f));
    *unknown = (uint32_t)_mm256_movemask_epi8(none) & escaped;
    const __m256i change = _mm256_and_si256(_mm256_shuffle_epi8(away, lower),
                                            _mm256_and_si256(letter, spread_bits(escaped)));
    return _mm256_xor_si256(bytes, change);
}

/* Branch-free on purpose: the places of escapes cannot be predicted. A block depends on the
 * previous block only in whether that block ends in the middle of an escape. */
AVX2 static size_t unescape_avx2(unsigned char *to, const unsigned char **at,
                                 const unsigned char *end)
{
    const __m256i backslash = _mm256_set1_epi8('\\');
    const unsigned char *from = *at;
    unsigned char *begin = to;
    uint64_t carry = 0;
    uint32_t unknown = 0;
    for (; from < end && !unknown; from += 32) {
        const __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)from);
        const uint32_t length = end - from < 32 ? (uint32_t)(end - from) : 32;
        const uint32_t backslashes =
            _bzhi_u32((uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, backslash)), length);
        const uint64_t escapes = escaped_bytes(backslashes, &carry);
        const uint32_t escaped = (uint32_t)escapes;
        carry = escapes >> length & 1;
        const __m256i text = translate(bytes, escaped, &unknown);
        uint32_t kept = _bzhi_u32(~(backslashes & ~escaped), length);
        unknown = _bzhi_u32(unknown, length);
        if (__builtin_expect(unknown != 0, 0))
            kept &= (unknown & -unknown) - 1;
        to = keep_16(to, _mm256_castsi256_si128(text), kept & 0xffff);
        to = keep_16(to, _mm256_extracti128_si256(text, 1), kept >> 16);
    }
    if (unknown) /* its backslash is already skipped */
        *at = from - 32 + _tzcnt_u32(unknown) - 1;
    else
        *at = end - carry;
    return (size_t)(to - begin);
}

static const struct pm_corpus__kernels avx2_kernels = {string_end_avx2, find_avx2, unescape_avx2};

#define AVX512 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt,avx512bw,avx512vbmi,avx512vbmi2")))

AVX512 static inline uint64_t equal_avx512(const unsigned char *at, char c)
{
    return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(at), _mm512_set1_epi8(c));
}

AVX512 static const unsigned char *string_end_avx512(const unsigned char *at,
                                                     const unsigned char *end)
{
    return string_end_by(equal_avx512, at, end);
}

/* Does what find_some() does, 64 bytes at a time. find_avx2() searches the remaining bytes. */
AVX512 __attribute__((always_inline)) static inline const unsigned char *
find_some_avx512(const struct pm_corpus__finder *finder, const unsigned char *at,
                 const unsigned char *end, unsigned *which, unsigned count)
{
    __m512i first[PM_CORPUS__MOST_TEXTS], second[PM_CORPUS__MOST_TEXTS];
    for (unsigned i = 0; i < count; i++) {
        first[i] = _mm512_set1_epi8(finder->texts[i].bytes[finder->texts[i].first]);
        second[i] = _mm512_set1_epi8(finder->texts[i].bytes[finder->texts[i].second]);
    }
    for (; end - at >= 64; at += 64) {
        __mmask64 any = 0;
        for (unsigned i = 0; i < count; i++) {
            const struct pm_corpus__text *text = &finder->texts[i];
            const __mmask64 here =
                _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(at + text->first), first[i]);
            any |=
                _mm512_mask_cmpeq_epi8_mask(here, _mm512_loadu_si512(at + text->second), second[i]);
        }
        for (; any; any &= any - 1) {
            const unsigned char *const place = at + _tzcnt_u64(any);
            if (pm_corpus__is_one_at(finder, place, end, which))
                return place;
        }
    }
    return find_avx2(finder, at, end, which);
}

AVX512 static const unsigned char *find_avx512(const struct pm_corpus__finder *finder,
                                               const unsigned char *at, const unsigned char *end,
                                               unsigned *which)
{
    switch (finder->count) {
    case 1:
        return find_some_avx512(finder, at, end, which, 1);
    case 2:
        return find_some_avx512(finder, at, end, which, 2);
    case 3:
        return find_some_avx512(finder, at, end, which, 3);
    case 4:
        return find_some_avx512(finder, at, end, which, 4);
    default:
        return find_some_avx512(finder, at, end, which, finder->count);
    }
}

/* Does what unescape_avx2() does, but one instruction looks up 64 bytes, and another one packs the
 * bytes to keep. */
AVX512 static size_t unescape_avx512(unsigned char *to, const unsigned char **at,
                                     const unsigned char *end)
{
    const __m512i low = _mm512_loadu_si512(pm_corpus__simple_escapes);
    const __m512i high = _mm512_loadu_si512(pm_corpus__simple_escapes + 64);
    const unsigned char *from = *at;
    unsigned char *begin = to;
    uint64_t carry = 0, unknown = 0;
    for (; from < end && !unknown; from += 64) {
        const __m512i bytes = _mm512_loadu_si512(from);
        const uint64_t there = end - from < 64 ? ~(~(uint64_t)0 << (end - from)) : ~(uint64_t)0;
        const uint64_t backslashes =
            _mm512_mask_cmpeq_epi8_mask(there, bytes, _mm512_set1_epi8('\\'));
        const uint64_t escaped = escaped_bytes(backslashes, &carry);
        const __m512i meant = _mm512_permutex2var_epi8(low, bytes, high);
        const __m512i text = _mm512_mask_mov_epi8(bytes, escaped, meant);
        uint64_t kept = there & ~(backslashes & ~escaped);
        unknown =
            escaped & there & (_mm512_movepi8_mask(bytes) | _mm512_testn_epi8_mask(meant, meant));
        carry |= (escaped & ~there) != 0;
        if (__builtin_expect(unknown != 0, 0))
            kept &= (unknown & -unknown) - 1;
        _mm512_storeu_si512(to, _mm512_maskz_compress_epi8(kept, text));
        to += _mm_popcnt_u64(kept);
    }
    if (unknown) /* its backslash is already skipped */
        *at = from - 64 + _tzcnt_u64(unknown) - 1;
    else
        *at = end - carry;
    return (size_t)(to - begin);
}

static const struct pm_corpus__kernels avx512_kernels = {string_end_avx512, find_avx512,
                                                         unescape_avx512};

const struct pm_corpus__kernels *pm_corpus__kernels_avx2(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_together);
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") ? &avx2_kernels : NULL;
}

const struct pm_corpus__kernels *pm_corpus__kernels_avx512(void)
{
    return pm_corpus__kernels_avx2() && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2")
               ? &avx512_kernels
               : NULL;
}
#endif
