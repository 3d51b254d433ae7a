/* Collects uses in a temporary file during a scan, and stores them in the database when the scan is
 * complete. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/line.h"
#include "store/places.h"
#include "survey/scan.h"
#include "survey/scan_uses.h"

/* The kinds of records. A TEXT is followed by its uses; a SCOPE or CHAIN precedes the first use
 * with it. A string follows each record except USE; it is cut to LONGEST_TEXT bytes, because the
 * store limits the length of texts. */
enum record_kind { TEXT, SCOPE, CHAIN, USE };
enum { LONGEST_TEXT = 65535 - 3 };
/* The largest number of chains that are remembered as written. A forgotten chain is written again.
 */
enum { MOST_CHAINS = 1 << 16 };

struct record {
    enum record_kind kind;
    uint32_t length; /* length of the string that follows (an input, scope or chain); 0 for a use */
    union {
        struct {
            uint64_t record; /* number of the line of JSON that contains the text */
            uint64_t order;  /* place of its input in the order of reading */
        } text;
        struct {
            uint32_t framework, function, cell, line, column, scope, chain;
            uint8_t form, how;
        } use;
    };
};

/* Opens a file beside the database, because the disk has space there and the data is as private as
 * the database. */
int pm_survey__spool_open(struct scan_spool *spool, const char *db, struct pm_error *err)
{
    char *folder = pm_path_parent(db), *name = pm_path_join(folder, ".portmeter-XXXXXX");
    const int fd = mkostemp(name, O_CLOEXEC);
    int rc = PM_OK;
    if (fd < 0)
        rc = pm_error_errno(err, "cannot write a temporary file in '%s'", folder);
    else if (unlink(name) != 0 || !(spool->file = fdopen(fd, "w+")))
        rc = pm_error_errno(err, "cannot write '%s'", name);
    if (rc && fd >= 0)
        close(fd);
    spool->db = db;
    free(name);
    free(folder);
    return rc;
}

void pm_survey__spool_release(struct scan_spool *spool)
{
    if (spool->file)
        (void)fclose(spool->file);
    pm_map_release(&spool->scopes);
    pm_map_release(&spool->chains);
}

/* ---- writing -------------------------------------------------------------------------------- */

static void put(struct scan_spool *spool, struct record record, const char *text)
{
    struct pm_str line = PM_STR_INIT;
    if (text) {
        pm_line_add(&line, text, LONGEST_TEXT);
        record.length = (uint32_t)line.length;
    }
    spool->lost |= fwrite(&record, sizeof record, 1, spool->file) != 1;
    if (text)
        spool->lost |= fwrite(line.data, 1, line.length, spool->file) != line.length;
    pm_str_release(&line);
}

/* Returns the number of a scope of the current text; 0 for no scope. */
static uint32_t scope_of(struct scan_spool *spool, const char *inside)
{
    if (!*inside)
        return 0;
    uintptr_t number = (uintptr_t)pm_map_get(&spool->scopes, inside);
    if (!number) {
        number = spool->scopes.count + 1;
        pm_map_put(&spool->scopes, inside, (void *)number);
        put(spool, (struct record){.kind = SCOPE}, inside);
    }
    return (uint32_t)number;
}

/* Returns the number of a chain; 0 for no chain. */
static uint32_t chain_of(struct scan_spool *spool, const char *chain)
{
    if (!*chain)
        return 0;
    const uintptr_t known = (uintptr_t)pm_map_get(&spool->chains, chain);
    if (known)
        return (uint32_t)known;
    if (spool->chains.count == MOST_CHAINS) {
        pm_map_release(&spool->chains);
        spool->chains = (struct pm_map){0};
    }
    pm_map_put(&spool->chains, chain, (void *)(uintptr_t)++spool->chain_count);
    put(spool, (struct record){.kind = CHAIN}, chain);
    return spool->chain_count;
}

void pm_survey__spool_add(struct scan_spool *spool, const struct pm_corpus_place *place)
{
    if (spool->text != place->text) {
        spool->text = place->text;
        pm_map_release(&spool->scopes);
        spool->scopes = (struct pm_map){0};
        put(spool, (struct record){.kind = TEXT, .text = {place->record, place->order}},
            place->input);
    }
    const uint32_t scope = scope_of(spool, place->inside), chain = chain_of(spool, place->chain);
    put(spool,
        (struct record){.kind = USE,
                        .use = {.framework = place->framework_row,
                                .function = place->function_row,
                                .cell = place->cell,
                                .line = place->line,
                                .column = place->column,
                                .scope = scope,
                                .chain = chain,
                                .form = (uint8_t)place->form,
                                .how = (uint8_t)place->how}},
        NULL);
}

/* ---- storing -------------------------------------------------------------------------------- */

struct storing {
    struct scan *s;
    struct pm_store *store;
    struct pm_error *err;
    char text[LONGEST_TEXT + sizeof "..."]; /* string of the last record */
    int64_t file_id, scopes, first_chain;
    int64_t *uses[PM_RESOLVE_MOST_FRAMEWORKS]; /* ids by kind, 0: not stored yet */
};

/* Finds the id of the row for a function, a form and a way in which uses are found. Adds the row if
 * it does not exist. */
static int use_of(struct storing *g, const struct record *record, int64_t *id)
{
    const uint32_t index = record->use.framework;
    const struct pm_corpus_framework *counted = &g->s->result->frameworks[index];
    const struct scan_framework *framework = &g->s->frameworks[index];
    const struct pm_corpus_place place = {.function_row = record->use.function,
                                          .form = (enum pm_resolve_form)record->use.form,
                                          .how = (enum pm_resolve_how)record->use.how};
    if (!g->uses[index])
        g->uses[index] = pm_alloc(counted->function_count * PM_RESOLVE_FORM_COUNT *
                                  PM_RESOLVE_HOW_COUNT * sizeof *g->uses[index]);
    int64_t *known = &g->uses[index][pm_survey__kind_of(&place)];
    const struct pm_place_use_row row = {
        .scan_id = g->s->id,
        .framework = framework->name,
        .name = pm_survey__scan_stored(framework, counted->functions[place.function_row].name),
        .form = place.form,
        .how = place.how,
    };
    if (!*known)
        PM_TRY(pm_store_add_place_use(g->store, &row, known, g->err));
    *id = *known;
    return PM_OK;
}

static int store_record(struct storing *g, const struct record *record)
{
    struct pm_place_ids place = {.file_id = g->file_id,
                                 .cell = record->use.cell,
                                 .line = record->use.line,
                                 .column = record->use.column,
                                 .scope = record->use.scope};
    int64_t id;
    switch (record->kind) {
    case TEXT:
        g->scopes = 0;
        return pm_store_add_place_file(g->store, g->s->id, g->text, (int64_t)record->text.record,
                                       (int64_t)record->text.order, &g->file_id, g->err);
    case SCOPE:
        return pm_store_add_place_scope(g->store, g->file_id, ++g->scopes, g->text, g->err);
    case CHAIN: /* the ids of chains are consecutive */
        PM_TRY(pm_store_add_place_chain(g->store, g->s->id, g->text, &id, g->err));
        g->first_chain = g->first_chain ? g->first_chain : id;
        return PM_OK;
    default:
        if (record->use.chain)
            place.chain_id = g->first_chain + record->use.chain - 1;
        PM_TRY(use_of(g, record, &place.use_id));
        return pm_store_add_place(g->store, &place, g->err);
    }
}

static int read_error(const struct scan_spool *spool, struct pm_error *err)
{
    return pm_error_errno(err, "cannot write or read a temporary file beside '%s'", spool->db);
}

/* Reads a record and the string after it; `more` is false at the end. */
static int take(struct storing *g, struct record *record, bool *more)
{
    FILE *file = g->s->uses.spool.file;
    *more = fread(record, sizeof *record, 1, file) == 1;
    if (!*more && !ferror(file))
        return PM_OK;
    const bool read = *more && fread(g->text, 1, record->length, file) == record->length;
    g->text[read ? record->length : 0] = '\0';
    return read ? PM_OK : read_error(&g->s->uses.spool, g->err);
}

int pm_survey__spool_store(struct scan *s, struct pm_store *store, struct pm_error *err)
{
    struct scan_spool *spool = &s->uses.spool;
    struct storing g = {.s = s, .store = store, .err = err};
    struct record record;
    bool more = true;
    int rc = PM_OK;
    if (spool->lost || fseek(spool->file, 0, SEEK_SET) != 0)
        rc = read_error(spool, err);
    while (!rc && (rc = take(&g, &record, &more)) == PM_OK && more)
        rc = store_record(&g, &record);
    for (unsigned i = 0; i < PM_RESOLVE_MOST_FRAMEWORKS; i++)
        free(g.uses[i]);
    return rc;
}
