/* Inventories of frameworks, and how often scans found their names. Rows, errors and
 * ownership are as in store/store.h. */
#ifndef PM_STORE_SCANS_H
#define PM_STORE_SCANS_H

#include "store/store.h"

/* The public functions of one version of a framework. */
struct pm_inventory_row {
    int64_t id;
    const char *framework;   /* "pytorch" */
    const char *version;     /* version of the framework; "" for a flat list */
    const char *environment; /* the environment that listed the names; "" for a flat list */
    bool flat;               /* a list of bare names: pm_inventory_parse_flat() reads it */
    const char *recorded;    /* ISO 8601 UTC */
    const char *document;    /* JSON, as pm_inventory_parse() or ..._parse_flat() reads it */
    const char *digest; /* digest of framework, version, flat and document; NULL for a new row */
};
/* Stores the id of the row with the same framework, version and document in *id. Adds the row
 * (compressed with zstd) if it is missing. An existing row becomes the newest, with the environment
 * and the time of `row`. */
PM_MUST_USE int pm_store_add_inventory(struct pm_store *store, const struct pm_inventory_row *row,
                                       int64_t *id, struct pm_error *err);
typedef int pm_inventory_fn(void *ctx, const struct pm_inventory_row *row);
/* Reads the inventories of one framework (NULL: of all), newest first. PM_EFORMAT if a document is
 * damaged. */
PM_MUST_USE int pm_store_inventories(struct pm_store *store, const char *framework,
                                     pm_inventory_fn *row, void *ctx, struct pm_error *err);
/* Works like pm_store_inventories(), but `document` is NULL, because it takes about 25 ms to unpack
 * one. */
PM_MUST_USE int pm_store_inventory_list(struct pm_store *store, const char *framework,
                                        pm_inventory_fn *row, void *ctx, struct pm_error *err);
/* Reads one inventory, if it exists. */
PM_MUST_USE int pm_store_inventory(struct pm_store *store, int64_t id, pm_inventory_fn *row,
                                   void *ctx, struct pm_error *err);
/* Copies the inventory `from_id` from one database to another, unless `into` has it already. Sets
 * *id to its id in `into`; 0: `from` has no such inventory. */
PM_MUST_USE int pm_store_copy_inventory(struct pm_store *from, int64_t from_id,
                                        struct pm_store *into, int64_t *id, struct pm_error *err);

/* One `portmeter scan`. */
struct pm_scan_row {
    int64_t id;
    const char *started, *finished; /* ISO 8601 UTC */
    const char *options;            /* JSON: its paths and all its options */
    const char *totals;             /* JSON: struct pm_corpus_totals by its members' names */
    const char *damages;            /* JSON: [{"input", "offset", "unpacked", "what"}] */
    bool types;  /* it inferred the types of values, so there are rows of the rule INFERRED */
    bool places; /* the places of its uses are stored */
};
PM_MUST_USE int pm_store_add_scan(struct pm_store *store, const struct pm_scan_row *scan,
                                  int64_t *id, struct pm_error *err);
typedef int pm_scan_fn(void *ctx, const struct pm_scan_row *scan);
/* Reads all scans, newest first. */
PM_MUST_USE int pm_store_scans(struct pm_store *store, pm_scan_fn *row, void *ctx,
                               struct pm_error *err);

/* The results of a scan for one framework. */
struct pm_scanned_row {
    int64_t scan_id, inventory_id; /* inventory_id: the names that it counted */
    const char *framework;         /* "pytorch" */
    int64_t paper_files;           /* files that the paper's rule looked at */
    int64_t importing_files;       /* files that import the framework */
    int64_t unlisted; /* calls of chains that begin at the framework and are not in the inventory */
};
PM_MUST_USE int pm_store_add_scanned(struct pm_store *store, const struct pm_scanned_row *row,
                                     struct pm_error *err);
typedef int pm_scanned_fn(void *ctx, const struct pm_scanned_row *row);
/* Reads what one scan counted for each framework, ordered by framework. */
PM_MUST_USE int pm_store_scanned(struct pm_store *store, int64_t scan_id, pm_scanned_fn *row,
                                 void *ctx, struct pm_error *err);

/* A name that begins at a framework and is not in the inventory of the scan. */
struct pm_unlisted_row {
    int64_t scan_id;
    const char *framework; /* "pytorch" */
    const char *name;      /* "torch.lost" */
    int64_t calls, files;  /* calls of it, files that call it */
};
PM_MUST_USE int pm_store_add_unlisted(struct pm_store *store, const struct pm_unlisted_row *row,
                                      struct pm_error *err);
typedef int pm_unlisted_fn(void *ctx, const struct pm_unlisted_row *row);
/* Reads the unlisted names of one scan and framework: the most calls first, then by name. */
PM_MUST_USE int pm_store_unlisted(struct pm_store *store, int64_t scan_id, const char *framework,
                                  pm_unlisted_fn *row, void *ctx, struct pm_error *err);

/* How often a scan found one name by one of the rules. A name that it did not find has no row. */
struct pm_frequency_row {
    int64_t scan_id;
    const char *framework;
    enum pm_rule rule; /* PAPER: name is bare; others: name is canonical */
    const char *name;
    enum pm_name_kind kind; /* BARE by the paper's rule */
    int64_t uses;           /* calls; by the rule PAPER, bare names before "(" */
    int64_t files, repositories;
    int64_t resolved, possible_method,
        other;          /* only PAPER: classes of the uses, which add up to `uses` */
    int64_t references; /* only RESOLVED and INFERRED */
    int64_t rebound;    /* only RESOLVED */
    /* Only INFERRED: `instance_calls` counts calls of instances of the class, and `possible` counts
     * uncertain calls of the name (PM_RESOLVE_HOW_ONE_OF and PM_RESOLVE_HOW_NAME). No other count
     * includes them. */
    int64_t instance_calls, possible;
};
/* Frequencies are added between pm_store_frequencies_begin() and pm_store_frequencies_end(). SQLite
 * checks none of their constraints there, because that takes most of the time of adding a row. `rc`
 * is the result of adding the rows. If it is PM_OK, pm_store_frequencies_end() checks all rows of
 * the scan at once; otherwise it returns `rc`. PM_EFORMAT if a row breaks a constraint: roll the
 * transaction back. */
PM_MUST_USE int pm_store_frequencies_begin(struct pm_store *store, struct pm_error *err);
PM_MUST_USE int pm_store_add_frequency(struct pm_store *store, const struct pm_frequency_row *row,
                                       struct pm_error *err);
PM_MUST_USE int pm_store_frequencies_end(struct pm_store *store, int64_t scan_id, int rc,
                                         struct pm_error *err);
typedef int pm_frequency_fn(void *ctx, const struct pm_frequency_row *row);
/* Reads the frequencies of one scan, framework (NULL: all) and rule (PM_RULE_COUNT: all), ordered
 * by framework, rule, uses (the most first) and name. */
PM_MUST_USE int pm_store_frequencies(struct pm_store *store, int64_t scan_id, const char *framework,
                                     enum pm_rule rule, pm_frequency_fn *row, void *ctx,
                                     struct pm_error *err);

#endif
