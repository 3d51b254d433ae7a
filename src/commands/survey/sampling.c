/* pm_survey_sample(): draws a sample by the options, stores it and prints it. */
#include "survey/sampling.h"

#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/line.h"
#include "base/plural.h"
#include "base/privacy.h"
#include "environment/environment.h"
#include "report/write.h"
#include "store/samples.h"
#include "store/scans.h"
#include "usage/usage.h"

enum { LONGEST_WORD = 1000 };

/* ---- the user's choices --------------------------------------------------------------------- */

static const char *keep(struct sampling *d, const char *text, size_t length)
{
    struct pm_str line = PM_STR_INIT;
    char *word = pm_strndup(text, length);
    pm_line_add(&line, word, LONGEST_WORD);
    free(word);
    return d->words[d->word_count++] = pm_str_detach(&line);
}

static int add_choices(struct sampling *d, const char *const *items, size_t count, bool pinned,
                       struct pm_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const char *reason = strchr(items[i], '=');
        if (!reason || reason == items[i] || !reason[1])
            return pm_error_set(err, PM_EUSAGE, "invalid --%s '%s': write NAME=REASON",
                                pinned ? "pin" : "leave-out", items[i]);
        d->choices[d->choice_count++] = (struct pm_choice){
            .name = keep(d, items[i], (size_t)(reason - items[i])),
            .pinned = pinned,
            .why = keep(d, reason + 1, strlen(reason + 1)),
        };
    }
    return PM_OK;
}

static int read_choices(struct sampling *d, struct pm_error *err)
{
    const struct pm_sample_options *o = d->options;
    const size_t count = o->pin_count + o->left_out_count;
    d->choices = pm_alloc(count * sizeof *d->choices);
    d->words = pm_alloc(2 * count * sizeof *d->words);
    PM_TRY(add_choices(d, o->pins, o->pin_count, true, err));
    return add_choices(d, o->left_out, o->left_out_count, false, err);
}

/* ---- the suite ------------------------------------------------------------------------------ */

static void add_tested(void *ctx, const char *name)
{
    struct sampling *d = ctx;
    pm_map_put(&d->tested, name, d);
}

/* Sets *has to whether a suite of the framework comes with portmeter. */
static int has_own_suite(const char *framework, bool *has, struct pm_error *err)
{
    char *home = NULL;
    PM_TRY(pm_path_home(&home, err));
    char *path = pm_format("%s/suites/%s", home, framework);
    *has = pm_path_is_folder(path);
    free(path);
    free(home);
    return PM_OK;
}

static int read_suite(struct sampling *d, const char *framework, struct pm_error *err)
{
    const struct pm_sample_options *o = d->options;
    bool has = true;
    if (!o->suite_count)
        PM_TRY(has_own_suite(framework, &has, err));
    if (!has && o->only_tested)
        return pm_error_set(err, PM_EUSAGE, "%s has no suite: give --suite PATH", framework);
    if (!has)
        return PM_OK;
    d->has_suite = true;
    return pm_suite_load_default(&d->suite, framework, pm_framework_case_words(), o->suites,
                                 o->suite_count, err);
}

static void list_tested(struct sampling *d, const struct pm_inventory *inventory)
{
    for (size_t i = 0; i < d->suite.function_count; i++)
        pm_sample_names_of_function(inventory, d->rule, d->suite.functions[i].name, add_tested, d);
}

/* ---- stored data ---------------------------------------------------------------------------- */

static json_t *choices_json(const struct sampling *d, bool pinned)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->choice_count; i++)
        if (d->choices[i].pinned == pinned)
            json_array_append_new(
                list, json_pack("{s:s,s:s}", "name", d->choices[i].name, "why", d->choices[i].why));
    return list;
}

static json_t *exclusions_json(const struct exclusions *exclusions)
{
    json_t *list = json_array();
    for (size_t i = 0; i < exclusions->count; i++) {
        const struct pm_exclusion *e = &exclusions->items[i];
        json_array_append_new(list, json_pack("{s:s,s:s,s:s}", "name", e->name, "criterion",
                                              pm_criterion_text(e->criterion), "why",
                                              e->why ? e->why : ""));
    }
    return list;
}

/* Returns an absolute path as JSON, without the names of users. */
static json_t *path_json(const char *path)
{
    char whole[PATH_MAX], *hidden = pm_privacy_hidden(realpath(path, whole) ? whole : path);
    json_t *json = json_string(hidden);
    free(hidden);
    return json;
}

/* Returns all options of the sample, and the other data that it depends on, as JSON; the caller
 * frees the text. */
static char *options_text(const struct sampling *d)
{
    const struct pm_sample_options *o = d->options;
    json_t *json = json_object(), *suites = json_array();
    for (size_t i = 0; i < o->suite_count; i++)
        json_array_append_new(suites, path_json(o->suites[i]));
    json_object_set_new(json, "framework", json_string(o->framework));
    json_object_set_new(json, "rule", json_string(pm_rule_text(o->by)));
    json_object_set_new(json, "strata", json_string(o->strata));
    json_object_set_new(json, "seed", json_integer((json_int_t)o->seed));
    json_object_set_new(json, "top", json_integer(o->top));
    json_object_set_new(json, "per_decile", json_integer(o->per_decile));
    json_object_set_new(json, "all", json_boolean(o->all));
    json_object_set_new(json, "scan", json_integer(d->scan_id));
    json_object_set_new(json, "unused", json_boolean(o->unused));
    json_object_set_new(json, "only_tested", json_boolean(o->only_tested));
    json_object_set_new(json, "inventory", json_integer(d->inventory.id));
    json_object_set_new(json, "suites", suites);
    json_object_set_new(json, "suite_digest", json_string(d->has_suite ? d->suite.digest.hex : ""));
    json_object_set_new(json, "exclude", exclusions_json(&d->of_file));
    json_object_set_new(json, "pins", choices_json(d, true));
    json_object_set_new(json, "left_out", choices_json(d, false));
    if (o->ranking) {
        json_object_set_new(json, "ranking", path_json(o->ranking));
        json_object_set(json, "ranking_digest", d->ranking_digest);
    }
    char *text = pm_json_text(json);
    json_decref(json);
    return text;
}

static int store_sample(const struct sampling *d, struct pm_store *store,
                        const struct pm_sample *sample, int64_t *id, struct pm_error *err)
{
    char now[25];
    pm_clock_iso(now);
    json_t *json = pm_sample_to_json(sample);
    char *document = pm_json_text(json), *options = options_text(d);
    const struct pm_sample_row row = {
        .scan_id = d->scan_id,
        .framework = d->options->framework,
        .rule = d->options->by,
        .drawn = now,
        .options = options,
        .document = document,
    };
    int rc = pm_store_begin(store, err);
    if (!rc)
        rc = pm_store_settle(store, pm_store_add_sample(store, &row, id, err), err);
    free(document);
    free(options);
    json_decref(json);
    return rc;
}

/* ---- the draw ------------------------------------------------------------------------------- */

static int check_options(struct sampling *d, enum pm_strata_rule *strata, struct pm_error *err)
{
    const struct pm_sample_options *o = d->options;
    const struct pm_framework *known;
    if (!o->framework)
        return pm_error_set(err, PM_EUSAGE, "sample needs --framework: for example, --framework %s",
                            pm_frameworks(NULL)->name);
    PM_TRY(pm_framework_need(o->framework, &known, err));
    d->rule = o->by;
    if (o->scan && o->ranking)
        return pm_error_set(err, PM_EUSAGE,
                            "--scan and --ranking both rank the functions: give one of them");
    if (!o->top && !o->per_decile)
        return pm_error_set(err, PM_EUSAGE,
                            "--top 0 and --per-decile 0 draw nothing: set one of them above 0");
    return pm_strata_rule_parse(o->strata, strata)
               ? PM_OK
               : pm_words_unknown(&pm_strata_rule_words, "rule for strata", o->strata, err);
}

/* Reads the files, before the database is opened. */
static int read_files(struct sampling *d, struct pm_error *err)
{
    PM_TRY(read_choices(d, err));
    if (d->options->exclude)
        PM_TRY(pm_survey__exclusions_read(&d->of_file, d->options->exclude, err));
    if (d->options->ranking)
        PM_TRY(pm_survey__sampling_read_ranking(d, err));
    return read_suite(d, d->options->framework, err);
}

/* Sets d->missing if the scan was merged from shards and some are missing. */
static int find_missing(struct sampling *d, struct pm_store *store, struct pm_error *err)
{
    return d->scan_id ? pm_usage_missing(store, d->scan_id, &d->missing, err) : PM_OK;
}

static void note_ranking(const struct sampling *d)
{
    const struct pm_sample_options *o = d->options;
    if (d->missing)
        fprintf(d->messages->out,
                "warning     scan %lld, which ranks the functions, has %s: merge the missing "
                "shards, and draw again\n",
                (long long)d->scan_id, d->missing);
    if (d->unused)
        fprintf(d->messages->out,
                "note        --ranking has %zu function%s with 0 uses, which the sample ignores: "
                "--unused includes unused functions\n",
                d->unused, pm_plural(d->unused));
    if (!d->inventory.id)
        fprintf(
            d->messages->out,
            "note        no inventory of %s is stored, so absent functions are not excluded: run "
            "portmeter inventory %s\n",
            o->framework, o->framework);
}

static int draw(struct sampling *d, enum pm_strata_rule strata, struct pm_store *store,
                struct pm_sample *out, struct pm_error *err)
{
    const struct pm_sample_options *o = d->options;
    PM_TRY(pm_survey__sampling_rank(d, store, err));
    list_tested(d, &d->inventory.inventory);
    pm_survey__sampling_exclude(d);
    const struct pm_sample_plan plan = {
        .framework = o->framework,
        .seed = o->seed,
        .rule = strata,
        .top = o->top,
        .per_decile = o->all ? (unsigned)d->ranking.count : o->per_decile,
        .exclusions = d->exclusions.items,
        .exclusion_count = d->exclusions.count,
        .absences_complete = d->inventory.id != 0,
        .no_tests_complete = o->only_tested,
        .choices = d->choices,
        .choice_count = d->choice_count,
    };
    return pm_sample_draw(&d->ranking, &plan, out, err);
}

static void sampling_release(struct sampling *d)
{
    pm_ranking_release(&d->ranking);
    pm_stored_inventory_release(&d->inventory);
    if (d->has_suite)
        pm_suite_release(&d->suite);
    pm_map_release(&d->tested);
    pm_map_release(&d->others);
    pm_survey__exclusions_release(&d->of_file);
    pm_survey__exclusions_release(&d->exclusions);
    json_decref(d->ranking_digest);
    free(d->missing);
    pm_free_strings(d->words, d->word_count);
    free(d->choices);
}

static void say_drawn(const struct sampling *d, int64_t id, const struct pm_sample *sample)
{
    size_t tested = 0;
    for (size_t i = 0; i < sample->member_count; i++)
        tested += pm_map_has(&d->tested, sample->members[i].name);
    fprintf(d->messages->out, "sample      %lld in '%s': %zu of %zu function%s", (long long)id,
            d->options->db, sample->member_count, sample->ranked, pm_plural(sample->ranked));
    if (d->has_suite)
        fprintf(d->messages->out, ", %zu with cases", tested);
    fputc('\n', d->messages->out);
}

static int add_other(void *ctx, const struct pm_frequency_row *row)
{
    struct sampling *d = ctx;
    pm_map_put(&d->others, row->name, (void *)(uintptr_t)row->uses);
    return PM_OK;
}

/* Reads the calls by the other rule: by types for a ranking by imports, and the reverse. Both are
 * printed together. If the scan of the sample lacks them, d->others stays empty. */
static int read_others(struct sampling *d, const struct pm_stored_sample *sample,
                       struct pm_store *store, struct pm_error *err)
{
    if (!sample->scan_id || sample->rule == PM_RULE_PAPER)
        return PM_OK;
    d->other = sample->rule == PM_RULE_RESOLVED ? PM_RULE_INFERRED : PM_RULE_RESOLVED;
    return pm_store_frequencies(store, sample->scan_id, sample->framework, d->other, add_other, d,
                                err);
}

/* Draws and stores a sample. Creates a missing database only after the draw succeeded. */
static int draw_and_store(struct sampling *d, enum pm_strata_rule strata,
                          struct pm_stored_sample *out, struct pm_error *err)
{
    const char *db = d->options->db;
    struct pm_store *store = NULL;
    const bool there = pm_path_exists(db);
    int64_t id = 0;
    if (!*db || !d->options->ranking)
        PM_TRY(pm_store_expect(db, err));
    if (there)
        PM_TRY(pm_store_open(&store, db, PM_STORE_WRITE, err));
    struct pm_sample sample = {0};
    int rc = draw(d, strata, store, &sample, err);
    if (!rc && !there)
        rc = pm_store_open(&store, db, PM_STORE_WRITE, err);
    if (!rc)
        rc = store_sample(d, store, &sample, &id, err);
    if (!rc)
        rc = pm_stored_sample_load(out, store, db, NULL, id, err);
    if (!rc)
        rc = read_others(d, out, store, err);
    if (!rc)
        rc = find_missing(d, store, err);
    if (!rc) { /* last, so that a damaged database prints only one line */
        note_ranking(d);
        say_drawn(d, id, &sample);
    }
    pm_sample_release(&sample);
    pm_store_free(store);
    return rc;
}

static int print(const struct sampling *d, const struct pm_stored_sample *sample,
                 struct pm_error *err)
{
    const struct pm_sample_options *o = d->options;
    const struct pm_usage_sample_print how = {.explain = o->explain,
                                              .list = o->list,
                                              .other = d->other,
                                              .others = d->others.count ? &d->others : NULL,
                                              .format = o->format,
                                              .width = o->width};
    return pm_usage_print_sample(sample, d->has_suite ? &d->tested : NULL, &how, err);
}

static int show(const struct pm_sample_options *o, struct pm_error *err)
{
    struct sampling d = {.options = o};
    struct pm_store *store = NULL;
    struct pm_stored_sample sampling = {0};
    PM_TRY(pm_store_open(&store, o->db, PM_STORE_READ, err));
    int rc = pm_stored_sample_load(&sampling, store, o->db, o->framework,
                                   o->show == PM_NEWEST ? 0 : o->show, err);
    if (!rc)
        rc = read_others(&d, &sampling, store, err);
    pm_store_free(store);
    if (!rc)
        rc = read_suite(&d, sampling.framework, err);
    if (!rc) {
        d.rule = sampling.rule;
        list_tested(&d, &sampling.inventory.inventory);
        rc = print(&d, &sampling, err);
    }
    sampling_release(&d);
    pm_stored_sample_release(&sampling);
    return rc;
}

int pm_survey_sample(const struct pm_sample_options *options, const struct pm_messages *messages,
                     struct pm_error *err)
{
    struct sampling d = {.options = options, .messages = messages};
    struct pm_stored_sample sampling = {0};
    enum pm_strata_rule strata;
    if (options->show)
        return show(options, err);
    int rc = check_options(&d, &strata, err);
    if (!rc)
        rc = read_files(&d, err);
    if (!rc)
        rc = draw_and_store(&d, strata, &sampling, err);
    if (!rc)
        rc = print(&d, &sampling, err);
    pm_stored_sample_release(&sampling);
    sampling_release(&d);
    return rc;
}
