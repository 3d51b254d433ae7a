/*
 * Finds which frameworks a file may import, from its bytes and without lexing it. The bytes are the
 * text itself, or the text as a JSON string.
 */
#ifndef PM_CORPUS_FILTER_H
#define PM_CORPUS_FILTER_H

#include "corpus/kernels.h"

struct pm_corpus__filter {
    const struct pm_corpus__kernels *kernels;
    unsigned count;
    struct pm_corpus__finder text, json; /* the frameworks' names; `json`: escaped letters, too */
    struct pm_corpus__finder authors;
    uint32_t authored; /* one bit per framework that has authors */
};

/* What a text may import, one bit per framework. */
struct pm_corpus__importing {
    uint32_t paper;  /* a line matches (from.*F|import.*F), where F is the framework */
    uint32_t joined; /* as `paper`, after joining lines that end in a backslash; a text without the
                        bit cannot import the framework */
    bool unknown;    /* the JSON has letters written as \u00XX: filter the unescaped text */
};

/* Prepares a filter, which borrows the strings of `frameworks`. */
void pm_corpus__filter_init(struct pm_corpus__filter *filter,
                            const struct pm_corpus__kernels *kernels, const char *const *frameworks,
                            unsigned count);

/* Adds the authors whose copyright line marks a framework's own sources. `authors` is borrowed. */
void pm_corpus__filter_add_authors(struct pm_corpus__filter *filter, unsigned framework,
                                   const char *authors);

/* Return which frameworks a text may import. _json takes a text that is escaped as in JSON, and
 * _text takes a plain text. */
struct pm_corpus__importing pm_corpus__filter_json(const struct pm_corpus__filter *filter,
                                                   const unsigned char *at,
                                                   const unsigned char *end);
struct pm_corpus__importing pm_corpus__filter_text(const struct pm_corpus__filter *filter,
                                                   const unsigned char *at,
                                                   const unsigned char *end);

/* Returns one bit per framework, which is 1 if the text has "Copyright 20YY " directly before the
 * framework's authors. YY may be any two characters of the line. */
uint32_t pm_corpus__own_source(const struct pm_corpus__filter *filter, const unsigned char *text,
                               size_t length);

#endif
