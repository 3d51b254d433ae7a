/* Runs the threads that read inputs, and combines their counts. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/stop.h"
#include "corpus/reader.h"

struct scan {
    struct pm_resolve_index index;
    struct pm_corpus__filter filter;
    struct pm_corpus__progress progress;
    struct pm_corpus__walk walk;
    pthread_mutex_t walk_lock;
};

struct worker {
    struct scan *scan;
    pthread_t thread;
    struct pm_corpus__counter counter;
    struct pm_corpus__reader reader;
    struct pm_corpus__places places;
};

/* A result, and the index that owns the result's names. */
struct outcome {
    struct pm_corpus_result result;
    struct pm_resolve_index index;
};

static void *work(void *ctx)
{
    struct worker *worker = ctx;
    struct scan *scan = worker->scan;
    struct pm_corpus__unit unit;
    for (;;) {
        pthread_mutex_lock(&scan->walk_lock);
        const bool more = pm_corpus__walk_next(&scan->walk, &unit);
        pthread_mutex_unlock(&scan->walk_lock);
        if (!more)
            return NULL;
        pm_corpus__read(&worker->reader, &unit);
        free(unit.path);
        if (worker->reader.read_kept)
            return NULL;
    }
}

static void worker_init(struct worker *worker, struct scan *scan,
                        const struct pm_corpus_options *options)
{
    const struct pm_corpus__kernels *kernels = pm_corpus__kernels();
    *worker = (struct worker){.scan = scan,
                              .reader = {.kernels = kernels,
                                         .filter = &scan->filter,
                                         .counter = &worker->counter,
                                         .log = {.progress = &scan->progress},
                                         .every_file = options->every_file}};
    worker->reader.has_kept = options->kept && stat(options->kept, &worker->reader.kept) == 0;
    pm_corpus__counter_init(&worker->counter, &scan->index, &scan->filter, options->every_file);
    if (!options->take)
        return;
    pm_corpus__places_init(&worker->places, &worker->counter, options);
    worker->reader.places = &worker->places;
}

/* Runs the workers. The first worker uses the calling thread, which does all the work if no other
 * thread can be started. */
static void run(struct worker *workers, unsigned count)
{
    unsigned started = 1;
    while (started < count &&
           pthread_create(&workers[started].thread, NULL, work, &workers[started]) == 0)
        started++;
    (void)work(&workers[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
}

static void add_totals(struct pm_corpus_totals *to, const struct pm_corpus_totals *from)
{
    to->inputs += from->inputs;
    to->ignored += from->ignored;
    to->bytes_read += from->bytes_read;
    to->bytes_unpacked += from->bytes_unpacked;
    to->files += from->files;
    to->text_bytes += from->text_bytes;
    to->lexed_files += from->lexed_files;
    to->lexed_bytes += from->lexed_bytes;
    to->without_content += from->without_content;
}

static int by_place(const void *a, const void *b)
{
    const struct pm_corpus__entry *x = a, *y = b;
    if (x->damage.number != y->damage.number)
        return x->damage.number < y->damage.number ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void append_entries(struct pm_corpus__log *to, struct pm_corpus__log *from)
{
    for (size_t i = 0; i < from->count; i++) {
        PM_GROW(to->entries, to->count, to->capacity);
        to->entries[to->count++] = from->entries[i];
    }
    from->count = 0; /* moved */
    to->damages += from->damages;
    from->damages = 0;
}

static void take_damages(struct pm_corpus_result *result, struct pm_corpus__log *log)
{
    struct pm_corpus_damage *damages = pm_alloc(log->count * sizeof *damages);
    if (log->count)
        qsort(log->entries, log->count, sizeof *log->entries, by_place);
    for (size_t i = 0; i < log->count; i++)
        damages[i] = log->entries[i].damage;
    result->damages = damages;
    result->damage_count = log->count;
    result->totals.damages = log->damages;
    log->count = 0; /* the result owns the strings now */
}

/* Moves the pairs out of a hash table into a list without gaps. */
static struct pm_corpus_repositories take_pairs(struct pm_corpus__pairs *pairs)
{
    struct pm_corpus_repositories out = {.digests = pairs->keys, .rows = pairs->rows};
    for (size_t i = 0; pairs->keys && i <= pairs->mask; i++)
        if (pairs->keys[i]) {
            out.digests[out.count] = pairs->keys[i];
            out.rows[out.count++] = pairs->rows[i];
        }
    *pairs = (struct pm_corpus__pairs){0};
    return out;
}

static void release_repositories(const struct pm_corpus_repositories *pairs)
{
    free(pairs->digests);
    free(pairs->rows);
}

/* Moves the rows out of the counter and adds their names. */
static void take_frameworks(struct outcome *outcome, struct pm_corpus__counter *counter)
{
    const struct pm_resolve_index *index = &outcome->index;
    struct pm_corpus_framework *frameworks = pm_alloc(index->framework_count * sizeof *frameworks);
    for (unsigned i = 0; i < index->framework_count; i++) {
        const struct pm_resolve_framework *of = &index->frameworks[i];
        struct pm_corpus__counts *counts = &counter->frameworks[i];
        for (size_t k = 0; k < of->flat.count; k++)
            counts->names[k].name = of->flat.names[k];
        for (size_t k = 0; k < of->functions.count; k++) {
            counts->functions[k].name = of->functions.names[k];
            counts->functions[k].kind = of->functions.kinds[k];
        }
        frameworks[i] = (struct pm_corpus_framework){
            .import_name = index->symbols[of->symbol].text,
            .paper_files = counts->paper_files,
            .importing_files = counts->importing_files,
            .unlisted = counts->unlisted,
            .unlisted_names = counts->unlisted_names.rows,
            .unlisted_count = counts->unlisted_names.count,
            .names = counts->names,
            .name_count = of->flat.count,
            .functions = counts->functions,
            .function_count = of->functions.count,
            .name_repositories = take_pairs(&counts->name_repositories),
            .function_repositories = take_pairs(&counts->function_repositories),
            .inferred_repositories = take_pairs(&counts->inferred_repositories),
        };
        counts->names = NULL;
        counts->functions = NULL;
        counts->unlisted_names.rows = NULL;
        counts->unlisted_names.count = 0;
    }
    outcome->result.frameworks = frameworks;
    outcome->result.framework_count = index->framework_count;
}

static struct outcome *gather(struct scan *scan, struct worker *workers, unsigned count)
{
    struct outcome *outcome = pm_alloc(sizeof *outcome);
    struct pm_corpus_totals *totals = &outcome->result.totals;
    for (unsigned i = 0; i < count; i++) {
        pm_corpus__counter_settle(&workers[i].counter);
        if (i > 0) {
            pm_corpus__counter_merge(&workers[0].counter, &workers[i].counter);
            append_entries(&workers[0].reader.log, &workers[i].reader.log);
        }
        add_totals(totals, &workers[i].reader.totals);
    }
    append_entries(&workers[0].reader.log, &scan->walk.log);
    totals->ignored += scan->walk.ignored;
    outcome->result.projects = scan->walk.mine;
    outcome->result.all_projects = scan->walk.units;
    outcome->result.all_inputs = scan->walk.inputs;
    take_damages(&outcome->result, &workers[0].reader.log);
    outcome->index = scan->index;
    take_frameworks(outcome, &workers[0].counter);
    for (unsigned i = 0; i < count; i++) {
        pm_corpus__counter_release(&workers[i].counter);
        pm_corpus__reader_release(&workers[i].reader);
    }
    return outcome;
}

int pm_corpus_check(const char *const *paths, size_t count, struct pm_error *err)
{
    for (size_t i = 0; i < count; i++) {
        struct stat status;
        if (strcmp(paths[i], "-") == 0) {
            const int flags = fcntl(STDIN_FILENO, F_GETFL);
            if (flags < 0 || (flags & O_ACCMODE) == O_WRONLY)
                return pm_error_set(
                    err, PM_EIO,
                    "standard input is not open for reading: redirect a file to it, "
                    "or name files");
        } else if (stat(paths[i], &status) != 0)
            return errno == ENOENT || errno == ENOTDIR
                       ? pm_error_set(err, PM_ENOTFOUND,
                                      "'%s' does not exist: name a file or folder", paths[i])
                       : pm_error_errno(err, "cannot access '%s'", paths[i]);
        else if (!S_ISDIR(status.st_mode) && !pm_corpus__is_readable(paths[i], &status))
            return pm_error_set(err, PM_EIO,
                                "'%s' is neither a file nor a folder: name one of these", paths[i]);
    }
    return PM_OK;
}

int pm_corpus_scan(const char *const *paths, size_t count, const struct pm_resolve_names *names,
                   const struct pm_corpus_options *options, struct pm_corpus_result **out,
                   struct pm_error *err)
{
    const unsigned threads = options->threads && !options->take ? options->threads : 1;
    const char *import_names[PM_RESOLVE_MOST_FRAMEWORKS];
    if (options->index ? !options->index->framework_count : !pm_resolve_names_count(names))
        return pm_error_set(err, PM_EUSAGE,
                            "the scan has no framework to count: name one with --framework");
    PM_TRY(pm_corpus_check(paths, count, err));
    struct scan scan = {.progress = {.call = options->progress, .ctx = options->ctx},
                        .walk_lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_mutex_init(&scan.progress.lock, NULL);
    if (options->index) {
        scan.index = *options->index;
        *options->index = (struct pm_resolve_index){0};
    } else
        pm_resolve_index_init(&scan.index, names);
    for (unsigned i = 0; i < scan.index.framework_count; i++)
        import_names[i] = scan.index.frameworks[i].import_name;
    pm_corpus__filter_init(&scan.filter, pm_corpus__kernels(), import_names,
                           scan.index.framework_count);
    for (unsigned i = 0; options->authors && i < scan.index.framework_count; i++)
        if (options->authors[i])
            pm_corpus__filter_add_authors(&scan.filter, i, options->authors[i]);
    pm_corpus__walk_init(&scan.walk, paths, count, &scan.progress);
    scan.walk.shard = options->shard;
    if (options->progress)
        scan.progress.total = pm_corpus__walk_bytes(&scan.walk);
    struct worker *workers = pm_alloc(threads * sizeof *workers);
    for (unsigned i = 0; i < threads; i++)
        worker_init(&workers[i], &scan, options);
    run(workers, threads);
    bool has_read_kept = false;
    for (unsigned i = 0; i < threads; i++)
        has_read_kept |= workers[i].reader.read_kept;
    if (options->take)
        pm_corpus__places_release(&workers[0].places);
    pm_corpus__progress_end(&scan.progress);
    *out = &gather(&scan, workers, threads)->result;
    pm_corpus__walk_release(&scan.walk);
    pthread_mutex_destroy(&scan.progress.lock);
    free(workers);
    int rc = pm_stop_check(err);
    if (!rc && has_read_kept)
        rc = pm_error_set(err, PM_EUSAGE,
                          "%s '%s' would replace a file of the corpus: name another "
                          "file",
                          options->kept_by, options->kept);
    if (rc) {
        pm_corpus_result_free(*out);
        *out = NULL;
    }
    return rc;
}

void pm_corpus_result_free(struct pm_corpus_result *result)
{
    struct outcome *outcome = (struct outcome *)result; /* `result` is its first member */
    if (!outcome)
        return;
    for (size_t i = 0; i < result->framework_count; i++) {
        free((struct pm_corpus_name *)(uintptr_t)result->frameworks[i].names);
        free((struct pm_corpus_function *)(uintptr_t)result->frameworks[i].functions);
        for (size_t k = 0; k < result->frameworks[i].unlisted_count; k++)
            free(result->frameworks[i].unlisted_names[k].name);
        free(result->frameworks[i].unlisted_names);
        release_repositories(&result->frameworks[i].name_repositories);
        release_repositories(&result->frameworks[i].function_repositories);
        release_repositories(&result->frameworks[i].inferred_repositories);
    }
    free((struct pm_corpus_framework *)(uintptr_t)result->frameworks);
    for (size_t i = 0; i < result->damage_count; i++) {
        free((char *)(uintptr_t)result->damages[i].input);
        free((char *)(uintptr_t)result->damages[i].what);
    }
    free((struct pm_corpus_damage *)(uintptr_t)result->damages);
    pm_resolve_index_release(&outcome->index);
    free(outcome);
}
