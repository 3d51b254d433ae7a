/*
 * The loops over bytes that decide how fast a scan is, each in a portable form, for AVX2 and for
 * AVX-512, chosen once. All may read PM_CORPUS__PADDING bytes past the end that they are given, and
 * never act on them.
 */
#ifndef PM_CORPUS_KERNELS_H
#define PM_CORPUS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PM_CORPUS__PADDING 64

/* Texts searched together. Two bytes of each that are seldom found at their distance are its
 * anchors. */
#define PM_CORPUS__MOST_TEXTS 9
struct pm_corpus__finder {
    unsigned count;
    struct pm_corpus__text {
        const char *bytes;
        uint8_t length, first, second; /* its length, and the offsets of the anchors */
        uint8_t id;                    /* for the caller */
    } texts[PM_CORPUS__MOST_TEXTS];
};

/* Adds a text of 2 to 255 bytes, borrowed. */
void pm_corpus__finder_add(struct pm_corpus__finder *finder, const char *text, unsigned id);

/* The byte that a backslash and a byte stand for in JSON, or 0. */
extern const unsigned char pm_corpus__simple_escapes[256];

struct pm_corpus__kernels {
    /* Returns the first unescaped quote, or NULL; `at` is inside a JSON string. */
    const unsigned char *(*string_end)(const unsigned char *at, const unsigned char *end);
    /* Returns the first occurrence of one of the texts, and which one it is (of several there, the
     * first added), or NULL. */
    const unsigned char *(*find)(const struct pm_corpus__finder *finder, const unsigned char *at,
                                 const unsigned char *end, unsigned *which);
    /* Writes the text of a JSON string from *at on, up to the end or an escape that is not simple
     * (it may stop at \b too), and moves *at there. Gives the bytes written; may write 64 more. */
    size_t (*unescape)(unsigned char *to, const unsigned char **at, const unsigned char *end);
};

/* The engines of the kernels; all return identical results. */
enum pm_corpus__kernel_set {
    PM_CORPUS__PORTABLE,
    PM_CORPUS__AVX2,
    PM_CORPUS__AVX512, /* with VBMI2 */
    PM_CORPUS__KERNEL_SETS
};

/* Returns the kernels of an engine; NULL if this processor lacks its instructions. */
const struct pm_corpus__kernels *pm_corpus__kernels_of(enum pm_corpus__kernel_set set);

/* Returns the fastest kernels that this processor has. */
const struct pm_corpus__kernels *pm_corpus__kernels(void);

#endif
