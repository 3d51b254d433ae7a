/*
 * Which frameworks a file may import, found in its bytes without lexing it: as text, or as escaped
 * in JSON.
 */
#ifndef PM_CORPUS_FILTER_H
#define PM_CORPUS_FILTER_H

#include "corpus/kernels.h"

struct pm_corpus__filter {
    const struct pm_corpus__kernels *kernels;
    unsigned count;
    struct pm_corpus__finder text, json; /* the frameworks' names; in JSON escaped letters, too */
    struct pm_corpus__finder authors;
    uint32_t authored; /* one bit per framework that has authors */
};

/* What a text may import, one bit per framework. */
struct pm_corpus__importing {
    uint32_t paper;  /* a line matches (from.*F|import.*F) */
    uint32_t joined; /* the same where a backslash at a line's end joins it to the next: every file
                        that can import F at all */
    bool unknown;    /* JSON with letters written as \u00XX: ask again for the text */
};

/* Prepares a filter. `frameworks` are borrowed. */
void pm_corpus__filter_init(struct pm_corpus__filter *filter,
                            const struct pm_corpus__kernels *kernels, const char *const *frameworks,
                            unsigned count);

/* Adds the authors whose copyright marks a framework's own sources; borrowed. */
void pm_corpus__filter_add_authors(struct pm_corpus__filter *filter, unsigned framework,
                                   const char *authors);

/* Finds what the bytes of a JSON string, or of a text, may import. */
struct pm_corpus__importing pm_corpus__filter_json(const struct pm_corpus__filter *filter,
                                                   const unsigned char *at,
                                                   const unsigned char *end);
struct pm_corpus__importing pm_corpus__filter_text(const struct pm_corpus__filter *filter,
                                                   const unsigned char *at,
                                                   const unsigned char *end);

/* Returns one bit per framework: the text has a line "Copyright 20.. " with its authors behind. */
uint32_t pm_corpus__own_source(const struct pm_corpus__filter *filter, const unsigned char *text,
                               size_t length);

#endif
