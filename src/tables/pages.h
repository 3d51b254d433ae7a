/* What a page has beside the tables of every format. Private to the room. */
#ifndef PM_TABLES_PAGES_H
#define PM_TABLES_PAGES_H

#include "base/map.h"
#include "published/tables.h"
#include "reading/reading.h"
#include "report/table.h"

/* A picture a framework: its functions, worst first, by its targets, each cell a word: works,
 * partly, fails, host-only, or the verdict that does not count. References are columns only where
 * nothing is compared with them. */
void pm_tables__add_matrices(const struct pm_reading *r, struct pm_report *report);

/* Of each target, its functions by verdict, as bars. */
void pm_tables__add_bars(const struct pm_reading *r, struct pm_report *report);

/* Every function once, worst first, with its worst verdict, where, why, and its slowest ratio. Each
 * row opens to messages with their reasons and rules, what is known of the function on each target,
 * the outcomes of its cases, what the study printed of it, and commands. `option`: as in
 * struct page_source. */
void pm_tables__add_pages(const struct pm_reading *r, const struct pm_published *published,
                          const char *option, struct pm_report *report);

/* ---- one function: what its row opens to ------------------------------------------------------
 */

/* A function of a framework: its verdicts on targets of that framework follow each other. */
struct function {
    const char *framework, *name;
    const struct pm_reading_verdict *const *verdicts; /* by target */
    size_t count;
    const struct pm_reading_verdict *worst; /* NULL: no verdict on a target with a column */
    size_t weight;                          /* of all its verdicts, more is worse */
};

struct functions {
    const struct pm_reading_verdict **verdicts;
    struct function *items;
    size_t count;
    struct pm_map first_case; /* by target and function: index in r->cases + 1 */
};

/* What the study printed and its imported tests, of one framework. */
struct page_study {
    const char *framework;              /* as the study names it */
    const struct pm_results *gpu, *tpu; /* NULL: not imported */
    struct pm_row *rows;                /* printed rows with their files of tests; where both are */
    size_t count;
};

/* What the pages of a report are made from. */
struct page_source {
    const struct pm_reading *r;
    const struct functions *all;
    const struct pm_published *published;
    const char *option; /* " --db FILE", or "" where the database is the default one */
    struct page_study studies[PM_PUBLICATION_FRAMEWORKS];
};
/* Fills in `studies`, from the rest. */
void pm_tables__page_source_fill(struct page_source *source);
void pm_tables__page_source_release(struct page_source *source);

/* The page of a function; the caller's. Its title is what the closed row says. */
struct pm_report *pm_tables__page(const struct page_source *source, const struct function *f);

/* then_tables.c: the study's row of the function, and today's verdicts beside it; without a row
 * where nothing was printed of it. The caller's. */
struct pm_table *pm_tables__published(const struct page_source *source, const struct function *f);

#endif
