/* Reads the rows of a table on a thread of its own, ahead of the thread that inserts them: reading
 * rows and checking their constraints takes about as long as inserting them. */
#include <pthread.h>

#include "base/alloc.h"
#include "base/str.h"
#include "merge/merge_private.h"

/* Rows are handed over in batches, so that the threads wait for each other only once per batch. */
enum { BATCHES = 4, ROWS = 512, BYTES = 1 << 18, MOST_BYTES_KEPT = 1 << 22 };

struct batch {
    struct pm_merge__value *values; /* values of ROWS rows, column by column */
    int rows;
    struct pm_str bytes; /* bytes of texts and blobs */
    int step; /* the last result of SQLite: SQLITE_ROW, or the reason why this is the last batch */
};

struct pm_merge__reader {
    sqlite3_stmt *select;
    int columns;
    struct batch batches[BATCHES];
    int row; /* next row of the current batch, whose number is `used` */
    bool alone, is_threaded;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t filled, used; /* counts of batches of this table; guarded by the lock */
    bool is_over;          /* no more rows are needed; guarded by the lock */
};

/* ---- filling --------------------------------------------------------------------------------- */

/* Reads a value through sqlite3_column_value(), because functions such as sqlite3_column_int64()
 * check the statement in each call. The result may be used only while no other thread uses the
 * connection, as here. */
static void take_value(sqlite3_stmt *select, int column, struct pm_str *bytes,
                       struct pm_merge__value *out)
{
    sqlite3_value *value = sqlite3_column_value(select, column);
    out->type = sqlite3_value_type(value);
    if (out->type == SQLITE_INTEGER) {
        out->integer = sqlite3_value_int64(value);
    } else if (out->type == SQLITE_FLOAT) {
        out->real = sqlite3_value_double(value);
    } else if (out->type != SQLITE_NULL) {
        const bool is_text = out->type == SQLITE_TEXT;
        const void *from = is_text ? sqlite3_value_text(value) : sqlite3_value_blob(value);
        out->length = sqlite3_value_bytes(value);
        out->at = bytes->length;
        if (from)
            pm_str_add_bytes(bytes, from, (size_t)out->length + is_text); /* with its zero byte */
        else if (is_text)
            pm_alloc_failed();
    }
}

static void fill(const struct pm_merge__reader *r, struct batch *batch)
{
    if (!batch->values)
        batch->values =
            pm_realloc_array(NULL, ROWS * PM_MERGE__MOST_COLUMNS, sizeof *batch->values);
    if (batch->bytes.capacity > MOST_BYTES_KEPT)
        pm_str_release(&batch->bytes);
    pm_str_clear(&batch->bytes);
    batch->rows = 0;
    batch->step = SQLITE_ROW;
    while (batch->rows < ROWS && batch->bytes.length < BYTES &&
           (batch->step = sqlite3_step(r->select)) == SQLITE_ROW) {
        struct pm_merge__value *values = &batch->values[batch->rows++ * r->columns];
        for (int i = 0; i < r->columns; i++)
            take_value(r->select, i, &batch->bytes, &values[i]);
    }
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Waits until a batch is free. Returns false if no more rows are needed. The caller holds the
 * lock. */
static bool wait_for_room(struct pm_merge__reader *r)
{
    while (!r->is_over && r->filled - r->used == BATCHES)
        pthread_cond_wait(&r->changed, &r->lock);
    return !r->is_over;
}

static void *fill_all(void *ctx)
{
    struct pm_merge__reader *r = ctx;
    int step = SQLITE_ROW;
    pthread_mutex_lock(&r->lock);
    while (step == SQLITE_ROW && wait_for_room(r)) {
        struct batch *batch = &r->batches[r->filled % BATCHES];
        pthread_mutex_unlock(&r->lock);
        fill(r, batch);
        step = batch->step;
        pthread_mutex_lock(&r->lock);
        r->filled++;
        pthread_cond_signal(&r->changed);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* ---- the rows -------------------------------------------------------------------------------- */

struct pm_merge__reader *pm_merge__reader_new(void)
{
    struct pm_merge__reader *r = pm_alloc(sizeof *r);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    for (int i = 0; i < BATCHES; i++)
        pm_str_init(&r->batches[i].bytes);
    return r;
}

void pm_merge__reader_free(struct pm_merge__reader *r)
{
    if (!r)
        return;
    for (int i = 0; i < BATCHES; i++) {
        free(r->batches[i].values);
        pm_str_release(&r->batches[i].bytes);
    }
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

void pm_merge__reader_begin(struct pm_merge__reader *r, sqlite3_stmt *select, bool alone)
{
    r->select = select;
    r->columns = sqlite3_column_count(select);
    r->alone = alone;
    r->is_over = r->is_threaded = false;
    r->filled = r->used = 0;
    r->row = 0;
    fill(r, &r->batches[r->filled++]);
}

/* Goes to the next batch, and waits for it. Most tables have one batch and need no thread. */
static void next_batch(struct pm_merge__reader *r)
{
    if (!r->alone && !r->is_threaded)
        r->is_threaded = pthread_create(&r->thread, NULL, fill_all, r) == 0;
    pthread_mutex_lock(&r->lock);
    r->used++;
    r->row = 0;
    pthread_cond_signal(&r->changed);
    while (r->is_threaded && r->filled == r->used)
        pthread_cond_wait(&r->changed, &r->lock);
    pthread_mutex_unlock(&r->lock);
    if (!r->is_threaded)
        fill(r, &r->batches[r->filled++ % BATCHES]);
}

const struct pm_merge__value *pm_merge__reader_next(struct pm_merge__reader *r, int *step)
{
    const struct batch *batch = &r->batches[r->used % BATCHES];
    if (r->row == batch->rows && batch->step == SQLITE_ROW) {
        next_batch(r);
        batch = &r->batches[r->used % BATCHES];
    }
    *step = r->row < batch->rows ? SQLITE_ROW : batch->step;
    return *step == SQLITE_ROW ? &batch->values[r->row++ * r->columns] : NULL;
}

const char *pm_merge__reader_bytes(const struct pm_merge__reader *r,
                                   const struct pm_merge__value *value)
{
    return r->batches[r->used % BATCHES].bytes.data + value->at;
}

void pm_merge__reader_end(struct pm_merge__reader *r)
{
    if (!r->is_threaded)
        return;
    pthread_mutex_lock(&r->lock);
    r->is_over = true;
    pthread_cond_signal(&r->changed);
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->thread, NULL);
    r->is_threaded = false;
}
