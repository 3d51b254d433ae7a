/*
 * A stored row is described once: its columns, the member of the struct for each, and the valid
 * values. Statements are made from the description, and values are bound, read and checked by it.
 *
 *     static const struct pm_store__column scan_columns[] = {
 *         {"id", PM_STORE__NAMING(scan, id, "scan"), PM_STORE__GIVEN},
 *         {"started", PM_STORE__TIME(scan, started)},
 *         {"options", PM_STORE__JSON(scan, options), PM_STORE__HIDDEN},
 *         {"types", PM_STORE__FLAG(scan, types)},
 *     };
 *     static const struct pm_store__rows scans = PM_STORE__ROWS("scan", "scan", scan_columns);
 *
 *     PM_TRY(pm_store__add(store, &scans, row, &id, err));
 *
 *     PM_TRY(pm_store__select(store, &scans, " WHERE id = ?", &q, err));
 *     pm_store__bind_int(&q, id);
 *     PM_STORE__GIVE_ROWS(&q, &scans, struct pm_scan_row, give, ctx, err);
 *
 * To add a column, add a line to schema.sql, a member to the struct, and a row to the array.
 */
#ifndef PM_STORE_DESCRIPTION_H
#define PM_STORE_DESCRIPTION_H

#include <limits.h>
#include <math.h>
#include <stddef.h>

#include "base/vocabulary.h"
#include "store/store_private.h"

enum pm_store__form {
    PM_STORE__AS_WHOLE,      /* int64_t, `least` to `most`                           */
    PM_STORE__AS_PART,       /* int64_t, 0 to the value of the member `whole`        */
    PM_STORE__AS_ID_OR_NONE, /* int64_t, NULL is 0                                   */
    PM_STORE__AS_FLAG,       /* bool                                                 */
    PM_STORE__AS_LARGE,      /* enum pm_size, as whether it is large                 */
    PM_STORE__AS_REAL,       /* double, `low` to `high`; NULL is NaN                 */
    PM_STORE__AS_WORD,       /* enum, by its `words`                                 */
    PM_STORE__AS_LINE,       /* const char *: a name or one line */
    PM_STORE__AS_LONG,       /* const char *: a text of many lines */
    PM_STORE__AS_JSON,       /* const char *                                         */
    PM_STORE__AS_DIGEST,     /* const char *                                         */
    PM_STORE__AS_TIME,       /* const char *                                         */
    PM_STORE__AS_VALUE,      /* AS_JSON if the member `kind` is PM_LEAF_VALUE, else AS_LONG */
    PM_STORE__AS_BYTES,      /* struct pm_store__packed                               */
    PM_STORE__AS_NAME_ONLY,  /* an id without a member: it only names the row in messages */
};

/* Flags of a column. A column without flags is stored when its row is added, and is read
 * unchanged. */
enum {
    PM_STORE__GIVEN = 1,  /* it is not stored when the row is added: it has the schema's default, or
                             is an expression */
    PM_STORE__EMPTY = 2,  /* may be "" although its form is JSON, a digest or a time */
    PM_STORE__HIDDEN = 4, /* is stored without the names of users and hosts (base/privacy.h) */
    PM_STORE__CHANGES = 8, /* pm_store__change() sets it */
    PM_STORE__KEEPS = 16,  /* pm_store__change() sets it, unless the new value is NULL or the first
                              word */
    PM_STORE__DONE = PM_STORE__GIVEN | PM_STORE__CHANGES /* unknown when the row is added */
};

struct pm_store__column {
    const char *sql; /* "name", "alias.name" of a join, or an expression that is GIVEN */
    enum pm_store__form form;
    size_t offset; /* in the struct of the row */
    union {
        struct {
            int64_t least, most;
        };
        struct {
            double low, high;
        };
        size_t whole, kind; /* offsets of other members */
        const struct pm_words *words;
    };
    const char *names; /* the value names the row in messages: "scan" 17; NULL: it does not */
    unsigned differs;  /* flags, as above */
};

struct pm_store__packed {
    const void *bytes;
    size_t size;
};

/* `row` is the middle of the struct's name: scan for struct pm_scan_row. If the member does not
 * have the type that the form needs, the description does not compile. */
#define PM_STORE__AT(type, row, member)                                                            \
    _Generic(&((struct pm_##row##_row *)0)->member, type *                                         \
             : offsetof(struct pm_##row##_row, member))
#define PM_STORE__OF(as, type, row, member)                                                        \
    .form = PM_STORE__AS_##as, .offset = PM_STORE__AT(type, row, member), .names = NULL
#define PM_STORE__TEXT(as, row, member) PM_STORE__OF(as, const char *, row, member)

#define PM_STORE__NAMING(row, member, what)                                                        \
    .form = PM_STORE__AS_WHOLE, .offset = PM_STORE__AT(int64_t, row, member), .names = what
#define PM_STORE__NAME_ONLY(what) .form = PM_STORE__AS_NAME_ONLY, .names = what
#define PM_STORE__WHOLE(row, member, from, to)                                                     \
    .least = from, .most = to, PM_STORE__OF(WHOLE, int64_t, row, member)
#define PM_STORE__ID(row, member)    PM_STORE__WHOLE(row, member, 1, INT64_MAX)
#define PM_STORE__COUNT(row, member) PM_STORE__WHOLE(row, member, 0, PM_STORE__MOST_COUNT)
#define PM_STORE__PART(row, member, of)                                                            \
    .whole = PM_STORE__AT(int64_t, row, of), PM_STORE__OF(PART, int64_t, row, member)
#define PM_STORE__ID_OR_NONE(row, member) PM_STORE__OF(ID_OR_NONE, int64_t, row, member)
#define PM_STORE__FLAG(row, member)       PM_STORE__OF(FLAG, bool, row, member)
#define PM_STORE__LARGE(row, member)      PM_STORE__OF(LARGE, enum pm_size, row, member)
#define PM_STORE__REAL(row, member, from, to)                                                      \
    .low = from, .high = to, PM_STORE__OF(REAL, double, row, member)
#define PM_STORE__WORD(row, member, name)                                                          \
    .words = &pm_##name##_words, PM_STORE__OF(WORD, enum pm_##name, row, member)
#define PM_STORE__LINE(row, member)   PM_STORE__TEXT(LINE, row, member)
#define PM_STORE__LONG(row, member)   PM_STORE__TEXT(LONG, row, member)
#define PM_STORE__JSON(row, member)   PM_STORE__TEXT(JSON, row, member)
#define PM_STORE__DIGEST(row, member) PM_STORE__TEXT(DIGEST, row, member)
#define PM_STORE__TIME(row, member)   PM_STORE__TEXT(TIME, row, member)
#define PM_STORE__VALUE(row, member, of)                                                           \
    .kind = PM_STORE__AT(enum pm_leaf_kind, row, of), PM_STORE__TEXT(VALUE, row, member)
#define PM_STORE__BYTES(row, member) PM_STORE__OF(BYTES, struct pm_store__packed, row, member)

struct pm_store__rows {
    const char *table; /* rows are added to it */
    const char *from;  /* rows are read from it: the table, or a join */
    const struct pm_store__column *columns;
    size_t count;
    const char *insert, *conflict; /* "INSERT OR REPLACE", " ON CONFLICT ...": how they are added */
};
#define PM_STORE__ROWS(table, from, columns)                                                       \
    {                                                                                              \
        table, from, columns, sizeof(columns) / sizeof *(columns), "INSERT", ""                    \
    }

/* Describes rows that replace an existing row with the same key. */
#define PM_STORE__REPLACING_ROWS(table, from, columns)                                             \
    {                                                                                              \
        table, from, columns, sizeof(columns) / sizeof *(columns), "INSERT OR REPLACE", ""         \
    }

/* Adds a row. Stores its id in *id, unless `id` is NULL. A text that is NULL becomes "". */
PM_MUST_USE int pm_store__add(struct pm_store *store, const struct pm_store__rows *rows,
                              const void *row, int64_t *id, struct pm_error *err);

/* Prepares the UPDATE of the columns that change, and binds these to the values of `row`. `tail` is
 * a literal such as " WHERE id = ?", whose parameters the caller binds next. */
#define pm_store__change(store, rows, row, tail, q, err)                                           \
    pm_store__change_literal((store), (rows), (row), "" tail, (q), (err))
PM_MUST_USE int pm_store__change_literal(struct pm_store *store, const struct pm_store__rows *rows,
                                         const void *row, const char *tail,
                                         struct pm_store__query *q, struct pm_error *err);

/* Prepares the SELECT of all columns; `tail` is a literal. */
#define pm_store__select(store, rows, tail, q, err)                                                \
    pm_store__select_literal((store), (rows), "" tail, (q), (err))
PM_MUST_USE int pm_store__select_literal(struct pm_store *store, const struct pm_store__rows *rows,
                                         const char *tail, struct pm_store__query *q,
                                         struct pm_error *err);

/* Reads and checks the columns of the current row. pm_store__sound() then reports the first value
 * that is wrong. */
void pm_store__read(struct pm_store__query *q, const struct pm_store__rows *rows, void *row);

/* Passes each row of the query to row(ctx, ...), closes the query, and returns the result from the
 * function that uses this macro. */
#define PM_STORE__GIVE_ROWS(q, rows, type, row, ctx, err)                                          \
    do {                                                                                           \
        type pm_row_ = {0};                                                                        \
        int pm_rc_;                                                                                \
        while ((pm_rc_ = pm_store__next((q), (err))) > 0) {                                        \
            pm_store__read((q), (rows), &pm_row_);                                                 \
            if ((pm_rc_ = pm_store__sound((q), (err))) != 0 ||                                     \
                (pm_rc_ = (row)((ctx), &pm_row_)) != 0)                                            \
                break;                                                                             \
        }                                                                                          \
        pm_store__close(q);                                                                        \
        return pm_rc_;                                                                             \
    } while (0)

#endif
