/* What the files of this room share: a merge under way, and the families of shards that it makes.
 * Private to the room. */
#ifndef PM_MERGE_PRIVATE_H
#define PM_MERGE_PRIVATE_H

#include <jansson.h>
#include <sqlite3.h>

#include "merge/merge.h"

/* A row of a file: its id there and here (0: it is not here), and whether it was new. */
struct row_id {
    int64_t old, id;
    bool is_new;
    bool is_part;    /* it belongs to a shard, whose rows become a part of another run */
    bool is_untimed; /* and the latencies of that shard are not valid */
};

/* A run of a file that measured a shard. */
struct member {
    int64_t old; /* the run in the file */
    int64_t number, count, functions, total;
    char *plan, *uuid, *command;
    char *reason;         /* why its results are not used; "": they are */
    char *latency_reason; /* the same of its latencies */
    bool is_chosen;       /* of several runs of the same shard in the file */
};

/* A shard of a family as the database has it. */
struct known_shard {
    int64_t number, functions;
    char *uuid, *reason;
};

/* The shards of one plan, and the run of the database that they become. */
struct family {
    int64_t run;
    int64_t count, total;
    char *plan, *command;
    struct known_shard *shards; /* in the order of meeting */
    size_t shard_count, shard_capacity;
    json_t *options; /* of the run, with the functions of all shards; NULL: not read yet */
    bool is_met;     /* a file of this merge has a shard of it */
    bool is_changed;
};

struct pm_merge__families {
    struct family *items;
    size_t count, capacity;
    struct member *members; /* of the file at hand */
    size_t member_count, member_capacity;
};

struct pm_merge__scans;

struct pm_merge__context {
    struct pm_store *into, *from;
    const char *file;
    bool apart; /* unlike nodes and other plans become runs of their own */
    struct pm_merged *out;
    struct pm_merge__families *families;
    struct pm_merge__scans *scans;
    bool has_scan_parts; /* the file at hand has some */
    struct pm_error *err;
};

/* Reads the families that the database has; call it again after another process has merged runs. */
PM_MUST_USE int pm_merge__families_read(struct pm_merge__context *c);
/* Reads the runs of the file that measured shards, and chooses the best one of each shard. */
PM_MUST_USE int pm_merge__members_read(struct pm_merge__context *c);
/* Returns the member that a run of the file is; NULL: it measured no shard. */
struct member *pm_merge__member(const struct pm_merge__context *c, int64_t old);
/* Finds where a member goes. *family NULL: a new run must be added for it, and
 * pm_merge__family_add() called. `row` gets what it is here. PM_EUSAGE if it does not fit what is
 * there. */
PM_MUST_USE int pm_merge__place(struct pm_merge__context *c, const struct member *member,
                                struct family **family, struct row_id *row);
/* Makes the run, which was copied from that of the member, the run of a new family. */
PM_MUST_USE int pm_merge__family_add(struct pm_merge__context *c, const struct member *member,
                                     int64_t run, struct family **family);
/* Notes the member in its family, after pm_merge__place(). */
PM_MUST_USE int pm_merge__join(struct pm_merge__context *c, const struct member *member,
                               struct family *family, const struct row_id *row);
/* Brings the runs of the families that changed to their end: options, times, validity, state. */
PM_MUST_USE int pm_merge__families_settle(struct pm_merge__context *c);
void pm_merge__members_release(struct pm_merge__families *families);
void pm_merge__families_release(struct pm_merge__families *families);

/* ---- differences.c --------------------------------------------------------------------------- */

/* Says how the nodes of the member and of the family's other shards differ, in words; NULL: they
 * are alike as far as both are known. The caller frees. */
PM_MUST_USE int pm_merge__node_difference(struct pm_merge__context *c, const struct member *member,
                                          const struct family *family, char **difference);
/* Returns a text such as "another seed, 7 and not 8"; `other` NULL: none. The caller frees. */
char *pm_merge__another(const char *key, const json_t *value, const json_t *other);
/* Says how their plans differ, in words; the caller frees. */
PM_MUST_USE int pm_merge__plan_difference(struct pm_merge__context *c, const struct member *member,
                                          const struct family *family, char **difference);

/* ---- incoming.c ------------------------------------------------------------------------------ */

enum { PM_MERGE__MOST_COLUMNS = 64 };

/* Rows for "INSERT INTO ... SELECT c0, c1, ... FROM incoming". */
struct pm_merge__incoming {
    int (*next)(void *ctx); /* goes to the next row: 1 if there is one, 0, or a negative error */
    void (*give)(void *ctx, int column, sqlite3_context *out); /* a value of the row */
    void *ctx;
    int rc; /* what `next` returned last; negative: why the statement failed */
};
/* Makes the table `incoming` known to a connection. `rows` must live as long as the statements that
 * read it, and its fields may change between two of them. */
bool pm_merge__incoming_add(sqlite3 *db, struct pm_merge__incoming *rows);

/* ---- scans.c: parts of divided scans --------------------------------------------------------- */

/* Reads the divided scans that the database has, and those of the file at hand. */
PM_MUST_USE int pm_merge__scans_read(struct pm_merge__context *c);
PM_MUST_USE int pm_merge__scan_parts_read(struct pm_merge__context *c);
/* Returns whether a scan of the file read a part, or was merged from parts. */
bool pm_merge__is_scan_part(const struct pm_merge__context *c, int64_t old);
/* Finds the scan that such a scan becomes a part of: row->id 0: a new one, which must be added.
 * PM_EUSAGE if it does not fit what is there. */
PM_MUST_USE int pm_merge__scan_place(struct pm_merge__context *c, int64_t old, struct row_id *row);
/* Adds what it read to the scan row->id. Its other rows are added as they are copied. */
PM_MUST_USE int pm_merge__scan_join(struct pm_merge__context *c, const struct row_id *row);
/* Counts each repository once in the scans that changed, and tells what became of them. *made: how
 * many of them are new. */
PM_MUST_USE int pm_merge__scans_settle(struct pm_merge__context *c, size_t *made);
void pm_merge__scans_release(struct pm_merge__scans *scans); /* accepts NULL */

#endif
