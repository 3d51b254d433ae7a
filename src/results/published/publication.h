/*
 * Reads the printed numbers of a publication (cells of its tables and numbers in its sentences),
 * derives the numbers in the sentences from the tables, and finds contradictions.
 *
 *     struct pm_publication p;
 *     PM_TRY(pm_publication_load(store, run_id, &p, err)); // or pm_publication_parse()
 *     double slower = pm_publication_value(&p, "5", "torch.argsort", "TPU/GPU");
 *     pm_publication_release(&p);
 */
#ifndef PM_PUBLISHED_PUBLICATION_H
#define PM_PUBLISHED_PUBLICATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/map.h"
#include "base/str.h"
#include "store/store.h"

struct pm_publication_cell {
    char *table;   /* "1" to "8": a cell of this table; "text": a number (text) in a sentence
                      (subject); "caption": how the caption of a table (item) names its ratio
                      (text); "file": the test file (text) of a function (subject) with another
                      name; "name": the present name (text) of a function (subject); "stratum": "top
                      20" or "decile 40" (text) of a function (subject, by its present name);
                      "untimed": a function (subject) that has a stratum, but that the paper
                      does not count */
    int64_t line;  /* row of the table, from 1 */
    char *subject; /* "torch.argsort" */
    char *item;    /* "GPU (ms)" */
    char *text;    /* the printed text */
    double value;  /* the first number in `text`; NaN: it has none */
};
/* The cells, in the order of the file. The cells of one row of a table follow each other. */
struct pm_publication {
    struct pm_publication_cell *cells;
    size_t count, capacity;
};
void pm_publication_release(struct pm_publication *p);

/*
 * Parses CSV (RFC 4180, but without line ends in fields): a heading "table,row,subject,item,text",
 * and lines with these fields. The byte after the last one must be NUL. `name` is the file's name
 * for messages. Fails with PM_EFORMAT if the heading or the number of fields is wrong, a row is not
 * a number from 1 to 1,000,000, a field is empty, longer than 1,000 bytes or not UTF-8, a cell
 * occurs twice, or the file has over 100,000 cells. After an error, *out is empty.
 */
PM_MUST_USE int pm_publication_parse(const char *bytes, size_t length, const char *name,
                                     struct pm_publication *out, struct pm_error *err);
/* Returns whether portmeter's home has data/paper.csv. */
bool pm_publication_has_paper(void);
/* Reads the cells of data/paper.csv in portmeter's home (pm_path_home()), with the same errors.
 * Sets *digest to the digest of the file; `digest` can be NULL. */
PM_MUST_USE int pm_publication_read_paper(struct pm_publication *out, struct pm_digest *digest,
                                          struct pm_error *err);
/* Reads the cells of a stored run. A run without printed numbers has no cells. */
PM_MUST_USE int pm_publication_load(struct pm_store *store, int64_t run_id,
                                    struct pm_publication *out, struct pm_error *err);

/* Returns the number after the slash, 65 of "5/65"; NaN if there is none. */
double pm_publication_whole(const char *text);

/* Returns the cell of the table with that subject and item; NULL if it is missing. */
const struct pm_publication_cell *pm_publication_find(const struct pm_publication *p,
                                                      const char *table, const char *subject,
                                                      const char *item);
/* Returns the value of a cell; NaN if it is missing. */
double pm_publication_value(const struct pm_publication *p, const char *table, const char *subject,
                            const char *item);
/* Returns the paper's name of a function, by its present name: the same name unless it changed. */
const char *pm_publication_name(const struct pm_publication *p, const char *function);
/* Returns the stratum from which the paper sampled a function, by its present name: a text such as
 * "top 20" or "decile 30 or 40". NULL if it is unknown. */
const char *pm_publication_stratum(const struct pm_publication *p, const char *function);
/* Adds the functions of the paper's sample to the map, by their present names. The value is the
 * stratum (const char *, borrowed from p), or NULL for functions that the paper does not count. */
void pm_publication_sample(const struct pm_publication *p, struct pm_map *strata);
/* Returns the number of rows of a table. */
size_t pm_publication_rows(const struct pm_publication *p, const char *table);
/* Returns the paper's name of a framework, such as "TensorFlow"; `index` is its place in the
 * paper's order, from 0. */
enum { PM_PUBLICATION_FRAMEWORKS = 3 };
const char *pm_publication_framework_at(size_t index);
/* Returns the number of the paper's table of a framework's latencies: "5" for "PyTorch". NULL if
 * the paper does not have the framework. */
const char *pm_publication_latencies(const char *framework);
/* Returns the paper's name of a framework, "PyTorch" for "pytorch"; NULL if it has none. */
const char *pm_publication_framework(const char *name);
/* Returns what the paper calls a device: "GPU" for "cuda", "TPU" for "xla". NULL if it has no name
 * for the device. */
const char *pm_publication_device(const char *device);

/* The number in a sentence, and the number that follows from the tables. */
struct pm_sentence {
    const struct pm_publication_cell *cell; /* the sentence: subject, printed text */
    char *derived;                          /* "14 of 65: 21.54 %"; "": it cannot be derived */
    char *from;  /* the table from which it is derived, or why it cannot be derived */
    bool agrees; /* the derived number, rounded or truncated to the printed decimals, equals the
                    printed one */
};
/* Makes one sentence for each cell of "text", in order. The caller frees them with
 * pm_sentences_free(). */
void pm_publication_sentences(const struct pm_publication *p, struct pm_sentence **out,
                              size_t *count);
void pm_sentences_free(struct pm_sentence *sentences, size_t count);

/* Two statements of a source that contradict each other. */
struct pm_contradiction {
    char *where; /* "table 8, PyTorch, TPU" */
    char *what;  /* "the three shares add up to 101 %" */
};
struct pm_contradictions {
    struct pm_contradiction *items;
    size_t count, capacity;
};
void pm_contradictions_release(struct pm_contradictions *list);
/* Adds a contradiction. Takes ownership of both texts. */
void pm_contradictions_add(struct pm_contradictions *list, char *where, char *what);
/*
 * Finds contradictions in the tables: counts that do not add up to the printed total (8); shares
 * that do not follow from the counts (1 and 8), do not add up to 100 % (1, 3), or differ between
 * tables (4 and 1, 3 and 1); latencies that differ between tables (2 and 5 to 7); ratios that are
 * not the quotient of their row; rows that are not in the order of their ratios; captions that name
 * another ratio. Each printed number may be off by half of its last digit. Sets *ratios to the
 * number of checked ratios; `ratios` can be NULL.
 */
void pm_publication_contradictions(const struct pm_publication *p, struct pm_contradictions *out,
                                   size_t *ratios);

#endif
