/* pm_survey_scan(): counts the uses of names in files, and stores and prints the counts. */
#include "survey/scan.h"
#include "survey/new_inventory.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cpus.h"
#include "base/file.h"
#include "base/stop.h"
#include "report/write.h"
#include "text/progress.h"
#include "usage/usage.h"

/* ---- options ---------------------------------------------------------------------- */

static struct scan_framework *find_framework(struct scan *s, const char *name, size_t length)
{
    for (unsigned i = 0; i < s->count; i++)
        if (!strncmp(s->frameworks[i].name, name, length) && !s->frameworks[i].name[length])
            return &s->frameworks[i];
    return NULL;
}

static int add_framework(struct scan *s, const char *name, size_t length, struct pm_error *err)
{
    if (find_framework(s, name, length))
        return PM_OK;
    if (s->count == PM_RESOLVE_MOST_FRAMEWORKS)
        return pm_error_set(err, PM_EUSAGE, "too many frameworks: give at most %d per scan",
                            PM_RESOLVE_MOST_FRAMEWORKS);
    struct scan_framework *framework = &s->frameworks[s->count++];
    *framework =
        (struct scan_framework){.name = pm_strndup(name, length), .flat_text = PM_STR_INIT};
    PM_TRY(pm_framework_need(framework->name, &framework->of, err));
    return PM_OK;
}

static int take_frameworks(struct scan *s, struct pm_error *err)
{
    for (size_t i = 0; i < s->o->framework_count; i++) {
        const char *at = s->o->frameworks[i];
        for (;;) {
            const size_t length = strcspn(at, ",");
            PM_TRY(add_framework(s, at, length, err));
            if (!at[length])
                break;
            at += length + 1;
        }
    }
    return s->count
               ? PM_OK
               : pm_error_set(err, PM_EUSAGE, "scan needs --framework: for example, --framework %s",
                              pm_frameworks(NULL)->name);
}

static int take_flats(struct scan *s, struct pm_error *err)
{
    for (size_t i = 0; i < s->o->flat_count; i++) {
        const char *text = s->o->flats[i], *file = strchr(text, '=');
        if (!file || !file[1])
            return pm_error_set(err, PM_EUSAGE, "invalid --flat '%s': write FRAMEWORK=FILE", text);
        struct scan_framework *framework = find_framework(s, text, (size_t)(file - text));
        if (!framework)
            return pm_error_set(
                err, PM_EUSAGE,
                "--flat '%s' names a framework that is not scanned: add it to --framework", text);
        if (framework->flat)
            return pm_error_set(err, PM_EUSAGE,
                                "--flat names two lists for '%s': give one --flat per framework",
                                framework->name);
        framework->flat = file + 1;
        PM_TRY(pm_inventory_read_flat(framework->name, framework->flat, &framework->flat_text,
                                      &framework->names, err));
    }
    return PM_OK;
}

/* Checks that the file of uses would not replace the database or an input. Files inside folders are
 * not checked here, but when they are read. */
static int check_uses(const struct scan *s, struct pm_error *err)
{
    const char *uses = s->o->uses;
    if (!uses || strcmp(uses, "-") == 0)
        return PM_OK;
    PM_TRY(pm_file_check_output("--uses", uses, s->o->db, "the database", err));
    for (unsigned i = 0; i < s->count; i++)
        PM_TRY(
            pm_file_check_output("--uses", uses, s->frameworks[i].flat, "the list of --flat", err));
    for (size_t i = 0; i < s->o->path_count; i++)
        PM_TRY(pm_file_check_output("--uses", uses, s->o->paths[i], "an input", err));
    return PM_OK;
}

static int check(struct scan *s, struct pm_error *err)
{
    const struct pm_scan_options *o = s->o;
    if (!o->path_count)
        return pm_error_set(err, PM_EUSAGE,
                            "nothing to scan: name files or folders, or - for "
                            "standard input");
    for (size_t i = 0; o->shard.count && i < o->path_count; i++)
        if (!strcmp(o->paths[i], "-"))
            return pm_error_set(err, PM_EUSAGE,
                                "--shard cannot divide standard input: name files or folders");
    PM_TRY(take_frameworks(s, err));
    PM_TRY(take_flats(s, err));
    PM_TRY(check_uses(s, err));
    return pm_corpus_check(o->paths, o->path_count, err);
}

/* ---- names ---------------------------------------------------------------------------------- */

void pm_survey__framework_release(struct scan_framework *framework)
{
    pm_stored_head_release(&framework->head);
    if (framework->stored)
        pm_str_release(framework->stored);
    free(framework->stored);
    pm_stored_inventory_release(&framework->item);
    pm_inventory_release(&framework->names);
    pm_str_release(&framework->flat_text);
    free(framework->name);
}

/* Records the inventory of an environment, if one has the framework. */
static int walk(struct scan_framework *f, struct pm_store *store,
                const struct pm_messages *messages, struct pm_error *err)
{
    struct pm_environments list = {0};
    const struct pm_environment *environment;
    PM_TRY(pm_environments_load(&list, err));
    int rc = pm_environments_choose(&list, f->name, NULL, &environment, err);
    if (!rc)
        rc = pm_survey__new_inventory(store, environment, messages, &f->item, err);
    else if (rc == PM_ENOTFOUND && f->flat)
        rc = PM_OK; /* the flat list of the framework is enough */
    pm_environments_release(&list);
    return rc;
}

/* Finds the inventory in the database of --names. */
static int find_there(struct scan_framework *f, struct pm_store *names, struct pm_error *err)
{
    PM_TRY(pm_stored_inventory_choose(names, f->name, &f->head, err));
    return f->head.id || f->flat
               ? PM_OK
               : pm_error_set(err, PM_ENOTFOUND,
                              "the database of --names has no inventory of %s: first run portmeter "
                              "inventory %s with this database as --db",
                              f->name, f->name);
}

int pm_survey__find_names(struct scan_framework *f, struct pm_store *store, struct pm_store *names,
                          const struct pm_messages *messages, struct pm_error *err)
{
    if (names)
        PM_TRY(find_there(f, names, err));
    else
        PM_TRY(pm_stored_inventory_choose(store, f->name, &f->head, err));
    if (!f->head.id && !names) {
        PM_TRY(walk(f, store, messages, err));
        PM_TRY(pm_stored_inventory_choose(store, f->name, &f->head, err));
    }
    if (!f->stored) {
        f->stored = pm_alloc(sizeof *f->stored);
        pm_str_init(f->stored);
    }
    if (!f->flat)
        return PM_OK;
    if (f->head.flat)
        pm_stored_head_release(&f->head); /* use the given list instead of the stored one */
    return pm_stored_inventory_add_flat(store, f->name, f->flat_text.data, &f->names_id, err);
}

/* ---- counting ------------------------------------------------------------------------------- */

static void tell(void *ctx, uint64_t done, uint64_t total)
{
    pm_progress_update(ctx, "", done, total, 0);
}

static int count(struct scan *s, struct pm_resolve_index *index, const struct pm_messages *messages,
                 struct pm_error *err)
{
    struct pm_progress progress;
    pm_progress_init(&progress, messages->out, messages->terminal);
    progress.what = "scanning";
    progress.counted = NULL;
    progress.in_bytes = true;
    tell(&progress, 0, 0);
    const char *authors[PM_RESOLVE_MOST_FRAMEWORKS];
    for (unsigned i = 0; i < s->count; i++)
        authors[i] = s->frameworks[i].of->authors;
    const struct pm_corpus_options options = {
        .shard = s->o->shard,
        .index = index,
        .threads = s->threads,
        .every_file = s->o->every_file,
        .authors = authors,
        .progress = tell,
        .ctx = &progress,
        .take = pm_survey__uses_wanted(s) ? pm_survey__uses_take : NULL,
        .take_ctx = s,
        .kept = s->o->uses && strcmp(s->o->uses, "-") != 0 ? s->o->uses : NULL,
        .kept_by = "--uses"};
    pm_clock_iso(s->started);
    const uint64_t before = pm_clock_now();
    const int rc = pm_corpus_scan(s->o->paths, s->o->path_count, NULL, &options, &s->result, err);
    s->took = pm_clock_now() - before;
    pm_clock_iso(s->finished);
    pm_progress_end(&progress);
    return rc;
}

static int print(const struct scan *s, struct pm_store *store, struct pm_error *err)
{
    char *title = pm_format("Scan %lld", (long long)s->id);
    struct pm_report *report = pm_report_new(title);
    pm_survey__scan_add_totals(s, report);
    int rc = PM_OK; /* a ranking of one shard would mislead */
    if (!s->o->shard.count)
        rc = pm_usage_add_frequencies(store, s->id, NULL, s->o->top, report, err);
    pm_survey__scan_add_damages(s, report);
    if (!rc)
        rc = pm_report_write(report, s->o->format, s->o->width, s->o->colour, NULL, err);
    pm_report_free(report);
    free(title);
    return rc;
}

static int find_all_names(struct scan *s, struct pm_store *store,
                          const struct pm_messages *messages, struct pm_error *err)
{
    if (s->o->names) {
        PM_TRY(pm_store_expect(s->o->names, err));
        PM_TRY(pm_store_open_unchanged(&s->names, s->o->names, err));
    }
    for (unsigned i = 0; i < s->count; i++)
        PM_TRY(pm_survey__find_names(&s->frameworks[i], store, s->names, messages, err));
    return PM_OK;
}

static int scan(struct scan *s, struct pm_store *store, const struct pm_messages *messages,
                struct pm_scan_summary *out, struct pm_error *err)
{
    bool done = false;
    PM_TRY(find_all_names(s, store, messages, err));
    if (s->o->shard.count)
        PM_TRY(pm_survey__shard_find(s, store, messages, out, &done, err));
    if (done)
        return PM_OK;
    PM_TRY(pm_survey__uses_open(s, err));
    struct pm_resolve_index index = {0};
    int rc = pm_survey__index(s, store, &index, err);
    if (!rc)
        rc = count(s, &index, messages, err);
    pm_resolve_index_release(&index);
    PM_TRY(rc);
    PM_TRY(pm_survey__uses_close(s, err));
    PM_TRY(pm_stop_check(err)); /* storing is one transaction, which is not interrupted */
    PM_TRY(pm_survey__scan_store(s, store, err));
    out->scan_id = s->id;
    out->damages = s->result->totals.damages;
    const bool tables = !s->o->uses || strcmp(s->o->uses, "-") != 0;
    return tables ? print(s, store, err) : PM_OK;
}

int pm_survey_scan(const struct pm_scan_options *o, const struct pm_messages *messages,
                   struct pm_scan_summary *out, struct pm_error *err)
{
    struct scan s = {.o = o, .threads = o->threads ? o->threads : pm_cpus_logical()};
    if (pm_survey__uses_wanted(&s))
        s.threads = 1; /* the order of uses must depend only on the inputs */
    struct pm_store *store = NULL;
    *out = (struct pm_scan_summary){0};
    pm_alloc_keep();
    int rc = check(&s, err);
    if (!rc)
        rc = pm_store_open(&store, o->db, PM_STORE_WRITE, err);
    if (!rc)
        rc = scan(&s, store, messages, out, err);
    struct pm_error why;
    if (rc && !out->scan_id && pm_stop_check(&why))
        rc = pm_error_set(err, PM_ESTOPPED, "%s: the scan is not stored", why.text);
    pm_store_free(s.names);
    pm_store_free(store);
    pm_corpus_result_free(s.result);
    pm_survey__uses_release(&s.uses);
    for (unsigned i = 0; i < s.count; i++)
        pm_survey__framework_release(&s.frameworks[i]);
    return rc;
}
