/*
 * Declares the loops over bytes that decide how fast a scan is. Each has a portable engine, one for
 * AVX2 and one for AVX-512. All may read PM_CORPUS__PADDING bytes beyond `end`; these bytes do not
 * change the results.
 */
#ifndef PM_CORPUS_KERNELS_H
#define PM_CORPUS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PM_CORPUS__PADDING 64

/* Texts that are searched for together. The anchors of a text are two of its bytes that rarely
 * occur at this distance from each other. */
#define PM_CORPUS__MOST_TEXTS 9
struct pm_corpus__finder {
    unsigned count;
    struct pm_corpus__text {
        const char *bytes;
        uint8_t length, first, second; /* bytes; offsets of the anchors */
        uint8_t id;                    /* chosen by the caller */
    } texts[PM_CORPUS__MOST_TEXTS];
};

/* Adds a text of 2 to 255 bytes, which is borrowed. At most PM_CORPUS__MOST_TEXTS can be added. */
void pm_corpus__finder_add(struct pm_corpus__finder *finder, const char *text, unsigned id);

/* The character that a backslash and the indexing byte denote in JSON, or 0. */
extern const unsigned char pm_corpus__simple_escapes[256];

struct pm_corpus__kernels {
    /* Returns the first unescaped quote, or NULL. `at` is inside a JSON string. */
    const unsigned char *(*string_end)(const unsigned char *at, const unsigned char *end);
    /* Returns the first occurrence of a text, or NULL. *which is the index of the text; if several
     * texts begin there, that of the first. */
    const unsigned char *(*find)(const struct pm_corpus__finder *finder, const unsigned char *at,
                                 const unsigned char *end, unsigned *which);
    /* Unescapes a JSON string from *at on. Stops at `end` or at an escape that is not in
     * pm_corpus__simple_escapes, and sets *at to this place; may also stop at `\b`. Returns the
     * length of the text; may write up to 64 bytes after the text. */
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

/* Returns the fastest kernels that this processor can run. */
const struct pm_corpus__kernels *pm_corpus__kernels(void);

#endif
