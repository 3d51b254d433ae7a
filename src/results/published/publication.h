/*
 * The numbers of a publication: cells of its tables and numbers of its sentences, as they are
 * printed; what follows from them, and where they contradict each other.
 *
 *     struct pm_publication p = {0};
 *     PM_TRY(pm_publication_parse(bytes, length, "paper.csv", &p, err));   // or
 * pm_publication_load() double slower = pm_publication_value(&p, "5", "torch.argsort", "TPU/GPU");
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
    char *table;   /* "1" to "8"; "text": a sentence; "caption": that of a table; "file": the test
                      file (text) of a function (subject) whose names differ; "name": today's name
                      (text) of a function; "stratum": "top 20" or "decile 40" (text) of a function
                      (subject) by today's name; "untimed": one that the paper does not count */
    int64_t line;  /* row of the table, from 1 */
    char *subject; /* "torch.argsort" */
    char *item;    /* "GPU (ms)" */
    char *text;    /* text as it is printed */
    double value;  /* its first number; NaN: it has none */
};
/* Cells in the order of the file, or of the store: those of a table and row follow each other. */
struct pm_publication {
    struct pm_publication_cell *cells;
    size_t count, capacity;
};
void pm_publication_release(struct pm_publication *p);

/*
 * Parses lines "table,row,subject,item,text" below a heading of these words: CSV as RFC 4180 has
 * it, but without line ends in fields. PM_EFORMAT names the file and the line: a wrong number of
 * fields, a row that is not a number, a field that is empty, too long or not UTF-8, one cell twice.
 * A NUL follows the bytes. `name`: of the file, for messages.
 */
PM_MUST_USE int pm_publication_parse(const char *bytes, size_t length, const char *name,
                                     struct pm_publication *out, struct pm_error *err);
/* Returns whether portmeter's home has data/paper.csv. */
bool pm_publication_has_paper(void);
/* Reads the cells of data/paper.csv in portmeter's home (pm_path_home()), and the digest of that
 * file (NULL: not wanted). */
PM_MUST_USE int pm_publication_read_paper(struct pm_publication *out, struct pm_digest *digest,
                                          struct pm_error *err);
/* Reads the cells of a stored run; none if it has none. */
PM_MUST_USE int pm_publication_load(struct pm_store *store, int64_t run_id,
                                    struct pm_publication *out, struct pm_error *err);

/* Returns the number behind a slash: 65 of "5/65"; NaN if it is missing. */
double pm_publication_whole(const char *text);

/* Returns the cell with that subject and item; NULL if missing. */
const struct pm_publication_cell *pm_publication_find(const struct pm_publication *p,
                                                      const char *table, const char *subject,
                                                      const char *item);
/* Returns the value of a cell; NaN if it is missing. */
double pm_publication_value(const struct pm_publication *p, const char *table, const char *subject,
                            const char *item);
/* Returns the paper's name of a function that is known by this one today: the same name if the
 * paper uses it. */
const char *pm_publication_name(const struct pm_publication *p, const char *function);
/* Returns a text such as "top 20", "decile 30 or 40": how a function, by today's name, came into
 * the paper's sample; NULL: it is not known. */
const char *pm_publication_stratum(const struct pm_publication *p, const char *function);
/* Lists the functions that the paper counts, by today's names: for each its stratum (const char *,
 * borrowed from p). */
void pm_publication_sample(const struct pm_publication *p, struct pm_map *strata);
/* Returns how many rows a table has. */
size_t pm_publication_rows(const struct pm_publication *p, const char *table);
/* The frameworks as the paper names them, in its order: "TensorFlow". */
enum { PM_PUBLICATION_FRAMEWORKS = 3 };
const char *pm_publication_framework_at(size_t index);
/* Returns the paper's table of latencies of a framework, "5" of "PyTorch"; NULL for another one. */
const char *pm_publication_latencies(const char *framework);
/* Returns the paper's name of a framework, "PyTorch" of "pytorch"; NULL: it has none. */
const char *pm_publication_framework(const char *name);
/* Returns a text such as "GPU" or "TPU", as the paper calls a device ("cuda", "xla"); NULL for
 * another one. */
const char *pm_publication_device(const char *device);

/* The number in a sentence, and the number that follows from the tables. */
struct pm_sentence {
    const struct pm_publication_cell *cell; /* the sentence: subject, printed text */
    char *derived;                          /* "14 of 65: 21.54 %"; "": it cannot be derived */
    char *from;  /* the source of the derivation, or why it is not possible */
    bool agrees; /* the derived number, rounded like the printed one, equals it */
};
/* Makes one sentence for each cell of "text", in order. The caller frees them with
 * pm_sentences_free(). */
void pm_publication_sentences(const struct pm_publication *p, struct pm_sentence **out,
                              size_t *count);
void pm_sentences_free(struct pm_sentence *sentences, size_t count);

/* Something in a source that contradicts something else in it. */
struct pm_contradiction {
    char *where; /* "table 8, PyTorch, TPU" */
    char *what;  /* "36 + 17 + 11 = 64, of 63" */
};
struct pm_contradictions {
    struct pm_contradiction *items;
    size_t count, capacity;
};
void pm_contradictions_release(struct pm_contradictions *list);
/* Adds a contradiction. Takes both texts. */
void pm_contradictions_add(struct pm_contradictions *list, char *where, char *what);
/*
 * Finds contradictions in the tables: counts that do not add up to their whole (8), shares that are
 * not the shares of the counts (1 and 8), that do not add up to 100 % (1, 3), or that differ
 * between tables (4 and 1, 3 and 1), latencies that do (2 and 5 to 7), a ratio that is not the
 * quotient of its row, rows that are not in the order of the ratio, a caption that calls the ratio
 * otherwise. Rounding is allowed for: half of the last printed digit of each number. The number of
 * ratios that were checked goes to *ratios (NULL: not wanted).
 */
void pm_publication_contradictions(const struct pm_publication *p, struct pm_contradictions *out,
                                   size_t *ratios);

#endif
