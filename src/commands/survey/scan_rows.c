/* Writes the result of a scan as rows of the store and lines of the report. */
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/line.h"
#include "base/plural.h"
#include "base/privacy.h"
#include "report/table_columns.h"
#include "store/scans.h"
#include "survey/scan.h"
#include "text/numbers.h"

/* ---- JSON ---------------------------------------------------------------------------------- */

json_t *pm_survey__text_json(const char *text)
{
    json_t *value = json_string(text);
    if (!value) {
        struct pm_str line = PM_STR_INIT;
        pm_line_add(&line, text, SIZE_MAX);
        value = json_string(line.data);
        pm_str_release(&line);
    }
    return value;
}

static json_t *strings_json(const char *const *items, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, pm_survey__text_json(items[i]));
    return list;
}

static char *options_json(const struct scan *s)
{
    json_t *value = json_object(), *frameworks = json_array(), *flats = json_object();
    for (unsigned i = 0; i < s->count; i++) {
        const struct scan_framework *f = &s->frameworks[i];
        json_array_append_new(frameworks, json_string(f->name));
        if (!f->flat)
            continue;
        json_t *flat = json_object();
        json_object_set_new(flat, "file", pm_survey__text_json(f->flat));
        json_object_set_new(flat, "inventory", json_integer(f->names_id));
        json_object_set_new(flats, f->name, flat);
    }
    json_object_set_new(value, "paths", strings_json(s->o->paths, s->o->path_count));
    json_object_set_new(value, "frameworks", frameworks);
    json_object_set_new(value, "flat", flats);
    json_object_set_new(value, "every_file", json_boolean(s->o->every_file));
    json_object_set_new(value, "threads", json_integer(s->threads));
    char *text = pm_json_text(value);
    json_decref(value);
    return text;
}

#define TOTALS(X)                                                                                  \
    X(inputs)                                                                                      \
    X(ignored)                                                                                     \
    X(bytes_read)                                                                                  \
    X(bytes_unpacked)                                                                              \
    X(files)                                                                                       \
    X(text_bytes)                                                                                  \
    X(lexed_files)                                                                                 \
    X(lexed_bytes)                                                                                 \
    X(without_content)                                                                             \
    X(damages)

static char *totals_json(const struct pm_corpus_totals *totals)
{
    json_t *value = json_object();
#define X(member) json_object_set_new(value, #member, json_integer((json_int_t)totals->member));
    TOTALS(X)
#undef X
    char *text = pm_json_text(value);
    json_decref(value);
    return text;
}

static char *damages_json(const struct pm_corpus_result *result)
{
    json_t *list = json_array();
    for (size_t i = 0; i < result->damage_count; i++) {
        const struct pm_corpus_damage *damage = &result->damages[i];
        json_t *row = json_object();
        json_object_set_new(row, "input", pm_survey__text_json(damage->input));
        json_object_set_new(row, "number", json_integer((json_int_t)damage->number));
        json_object_set_new(row, "offset", json_integer((json_int_t)damage->offset));
        json_object_set_new(row, "unpacked", json_boolean(damage->unpacked));
        json_object_set_new(row, "what", pm_survey__text_json(damage->what));
        json_array_append_new(list, row);
    }
    char *text = pm_json_text(list);
    json_decref(list);
    return text;
}

/* ---- the store ----------------------------------------------------------------------------- */

static int add_scan(struct scan *s, struct pm_store *store, struct pm_error *err)
{
    char *options = options_json(s), *totals = totals_json(&s->result->totals);
    char *damages = damages_json(s->result);
    const struct pm_scan_row row = {.started = s->started,
                                    .finished = s->finished,
                                    .options = options,
                                    .totals = totals,
                                    .damages = damages,
                                    .types = pm_survey__uses_wanted(s),
                                    .places = s->o->store_uses};
    const int rc = pm_store_add_scan(store, &row, &s->id, err);
    free(options);
    free(totals);
    free(damages);
    return rc;
}

static int add_names(const struct scan *s, unsigned index, struct pm_store *store,
                     struct pm_error *err)
{
    const struct pm_corpus_framework *counted = &s->result->frameworks[index];
    for (size_t i = 0; i < counted->name_count; i++) {
        const struct pm_corpus_name *name = &counted->names[i];
        const struct pm_frequency_row row = {
            .scan_id = s->id,
            .framework = s->frameworks[index].name,
            .rule = PM_RULE_PAPER,
            .name = name->name,
            .uses = (int64_t)name->uses,
            .files = (int64_t)name->files,
            .repositories = (int64_t)name->repositories,
            .resolved = (int64_t)name->resolved,
            .possible_method = (int64_t)name->possible_method,
            .other = (int64_t)name->other,
        };
        if (name->uses)
            PM_TRY(pm_store_add_frequency(store, &row, err));
    }
    return PM_OK;
}

static enum pm_name_kind kind_of(const struct scan_framework *framework, enum pm_name_kind kind)
{
    return framework->head.id && !framework->head.flat ? kind : PM_NAME_BARE;
}

static int add_functions(const struct scan *s, unsigned index, struct pm_store *store,
                         struct pm_error *err)
{
    const struct pm_corpus_framework *counted = &s->result->frameworks[index];
    const struct scan_framework *framework = &s->frameworks[index];
    for (size_t i = 0; i < counted->function_count; i++) {
        const struct pm_corpus_function *function = &counted->functions[i];
        if (!function->calls && !function->references)
            continue; /* most functions are unused, and the next steps take time */
        const struct pm_frequency_row row = {
            .scan_id = s->id,
            .framework = framework->name,
            .rule = PM_RULE_RESOLVED,
            .name = pm_survey__scan_stored(framework, function->name),
            .kind = kind_of(framework, function->kind),
            .uses = (int64_t)function->calls,
            .files = (int64_t)function->files,
            .repositories = (int64_t)function->repositories,
            .references = (int64_t)function->references,
            .rebound = (int64_t)function->rebound,
        };
        PM_TRY(pm_store_add_frequency(store, &row, err));
    }
    return PM_OK;
}

static bool is_used(const struct pm_corpus_inferred *inferred)
{
    return inferred->calls || inferred->references || inferred->instance_calls ||
           inferred->possible;
}

static int add_inferred(const struct scan *s, unsigned index, struct pm_store *store,
                        struct pm_error *err)
{
    const struct pm_corpus_framework *counted = &s->result->frameworks[index];
    const struct scan_framework *framework = &s->frameworks[index];
    for (size_t i = 0; i < counted->function_count; i++) {
        const struct pm_corpus_inferred *inferred = &counted->functions[i].inferred;
        if (!is_used(inferred))
            continue;
        const struct pm_frequency_row row = {
            .scan_id = s->id,
            .framework = framework->name,
            .rule = PM_RULE_INFERRED,
            .name = pm_survey__scan_stored(framework, counted->functions[i].name),
            .kind = kind_of(framework, counted->functions[i].kind),
            .uses = (int64_t)inferred->calls,
            .files = (int64_t)inferred->files,
            .repositories = (int64_t)inferred->repositories,
            .references = (int64_t)inferred->references,
            .instance_calls = (int64_t)inferred->instance_calls,
            .possible = (int64_t)inferred->possible,
        };
        PM_TRY(pm_store_add_frequency(store, &row, err));
    }
    return PM_OK;
}

static int add_unlisted(const struct scan *s, unsigned index, struct pm_store *store,
                        struct pm_error *err)
{
    const struct pm_corpus_framework *counted = &s->result->frameworks[index];
    struct pm_map known = {0}; /* two names may become the same line */
    int rc = PM_OK;
    for (size_t i = 0; !rc && i < counted->unlisted_count; i++) {
        struct pm_str name = PM_STR_INIT;
        pm_line_add(&name, counted->unlisted_names[i].name, SIZE_MAX);
        const struct pm_unlisted_row row = {.scan_id = s->id,
                                            .framework = s->frameworks[index].name,
                                            .name = name.data,
                                            .calls = (int64_t)counted->unlisted_names[i].calls,
                                            .files = (int64_t)counted->unlisted_names[i].files};
        if (!pm_map_has(&known, name.data))
            rc = pm_store_add_unlisted(store, &row, err);
        pm_map_put(&known, name.data, s->result);
        pm_str_release(&name);
    }
    pm_map_release(&known);
    return rc;
}

static int add_frequencies(const struct scan *s, unsigned index, struct pm_store *store,
                           struct pm_error *err)
{
    PM_TRY(add_names(s, index, store, err));
    PM_TRY(add_functions(s, index, store, err));
    return add_inferred(s, index, store, err);
}

static int add_framework(const struct scan *s, unsigned index, struct pm_store *store,
                         struct pm_error *err)
{
    const struct pm_corpus_framework *counted = &s->result->frameworks[index];
    const struct pm_scanned_row row = {
        .scan_id = s->id,
        .inventory_id = pm_survey__names_id(&s->frameworks[index]),
        .framework = s->frameworks[index].name,
        .paper_files = (int64_t)counted->paper_files,
        .importing_files = (int64_t)counted->importing_files,
        .unlisted = (int64_t)counted->unlisted,
    };
    PM_TRY(pm_store_add_scanned(store, &row, err));
    return add_unlisted(s, index, store, err);
}

/* Copies the inventories of --names, which have other ids in this database. */
static int copy_names(struct scan *s, struct pm_store *store, struct pm_error *err)
{
    for (unsigned i = 0; i < s->count && s->names; i++) {
        struct pm_stored_head *head = &s->frameworks[i].head;
        if (head->id)
            PM_TRY(pm_store_copy_inventory(s->names, head->id, store, &head->id, err));
    }
    return PM_OK;
}

static int add_all(struct scan *s, struct pm_store *store, struct pm_error *err)
{
    PM_TRY(copy_names(s, store, err));
    PM_TRY(add_scan(s, store, err));
    for (unsigned i = 0; i < s->count; i++)
        PM_TRY(add_framework(s, i, store, err));
    int rc = pm_store_frequencies_begin(store, err);
    for (unsigned i = 0; i < s->count && !rc; i++)
        rc = add_frequencies(s, i, store, err);
    PM_TRY(pm_store_frequencies_end(store, s->id, rc, err));
    if (s->o->shard.count)
        PM_TRY(pm_survey__shard_store(s, store, err));
    return s->o->store_uses ? pm_survey__spool_store(s, store, err) : PM_OK;
}

int pm_survey__scan_store(struct scan *s, struct pm_store *store, struct pm_error *err)
{
    PM_TRY(s->o->store_uses ? pm_store_begin_large(store, err) : pm_store_begin(store, err));
    return pm_store_settle(store, add_all(s, store, err), err);
}

/* ---- output ---------------------------------------------------------------------------- */

/* Appends "1 input" or "2 inputs", then `rest`. */
static void add_count(struct pm_str *out, uint64_t count, const char *noun, const char *rest)
{
    pm_text_count(out, (int64_t)count);
    pm_str_addf(out, " %s%s%s", noun, pm_plural(count), rest);
}

static void add_bytes(struct pm_str *out, const char *before, uint64_t bytes, const char *after)
{
    pm_str_add(out, before);
    pm_text_bytes(out, (int64_t)bytes);
    pm_str_add(out, after);
}

static void add_read(const struct scan *s, struct pm_report *report)
{
    const struct pm_corpus_totals *t = &s->result->totals;
    struct pm_str line = PM_STR_INIT;
    add_count(&line, t->inputs, "input", ", ");
    add_bytes(&line, "", t->bytes_read, "");
    if (t->bytes_unpacked != t->bytes_read)
        add_bytes(&line, ", ", t->bytes_unpacked, " unpacked");
    if (t->ignored) {
        pm_str_add(&line, "; ");
        add_count(&line, t->ignored, "file", " of other kinds ignored");
    }
    pm_report_line(report, "read", line.data);
    pm_str_clear(&line);
    add_count(&line, t->files, "Python file", ", ");
    add_bytes(&line, "", t->text_bytes, "; ");
    pm_text_count(&line, (int64_t)t->lexed_files);
    pm_str_add(&line, " lexed, ");
    add_bytes(&line, "", t->lexed_bytes, "");
    if (t->without_content) {
        pm_str_add(&line, "; ");
        add_count(&line, t->without_content, "line", " of JSON without content");
    }
    pm_report_line(report, "", line.data);
    pm_str_release(&line);
}

static void add_time(const struct scan *s, struct pm_report *report)
{
    struct pm_str line = PM_STR_INIT;
    const double seconds = (double)s->took / 1e9;
    pm_text_time(&line, (double)s->took);
    if (s->took) {
        pm_str_add(&line, ", ");
        pm_text_bytes(&line, (int64_t)((double)s->result->totals.bytes_unpacked / seconds));
        pm_str_add(&line, "/s unpacked");
    }
    pm_str_addf(&line, ", %u thread%s", s->threads, pm_plural(s->threads));
    pm_report_line(report, "took", line.data);
    pm_str_release(&line);
}

static void add_counted(const struct scan *s, struct pm_report *report)
{
    for (unsigned i = 0; i < s->count; i++) {
        const struct scan_framework *f = &s->frameworks[i];
        struct pm_str line = PM_STR_INIT;
        pm_str_add(&line, f->name);
        if (f->head.id && !f->head.flat)
            pm_str_addf(&line, " %s", f->head.version);
        pm_str_addf(&line, ", inventory %lld", (long long)pm_survey__names_id(f));
        if (f->flat)
            pm_str_addf(&line, ", flat list '%s' for the paper's rule", f->flat);
        pm_str_add(&line, "; imported by ");
        add_count(&line, s->result->frameworks[i].importing_files, "file", "");
        pm_report_line(report, i ? "" : "counted", line.data);
        pm_str_release(&line);
    }
}

/* Adds the number of uses that were written or stored, by their form and how they were found. */
static void add_uses(const struct scan *s, struct pm_report *report)
{
    struct pm_str line = PM_STR_INIT;
    uint64_t all = 0;
    for (int how = 0; how < PM_RESOLVE_HOW_COUNT; how++)
        for (int form = 0; form < PM_RESOLVE_FORM_COUNT; form++) {
            const uint64_t uses = s->uses.uses[how][form];
            all += uses;
            if (!uses)
                continue;
            pm_str_add(&line, line.length ? ", " : "");
            add_count(&line, uses, pm_resolve_form_text((enum pm_resolve_form)form), "");
            pm_str_addf(&line, " (%s)", pm_resolve_how_text((enum pm_resolve_how)how));
        }
    struct pm_str first = PM_STR_INIT;
    add_count(&first, all, "use", "");
    if (s->o->uses)
        pm_str_addf(&first, " in '%s'", s->o->uses);
    if (s->o->store_uses)
        pm_str_addf(&first, "%s stored with the scan", s->o->uses ? " and" : "");
    pm_report_line(report, "uses", first.data);
    if (line.length)
        pm_report_line(report, "", line.data);
    pm_str_release(&first);
    pm_str_release(&line);
}

static void took_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct scan *s = from->context;
    pm_table_number(table, (double)s->took);
}

#define TOTAL_COLUMN(member)                                                                       \
    {#member, #member, PM_CELL_COUNT, PM_MEMBER(struct pm_corpus_totals, member)},

static const struct pm_column total_columns[] = {TOTALS(TOTAL_COLUMN)};
static const struct pm_column took_columns[] = {
    {"took", "took", PM_CELL_TIME, .cell = took_cell},
};

static void add_totals_table(const struct scan *s, struct pm_report *report)
{
    struct pm_table *table = pm_table_new("totals", "Data read");
    pm_table_columns(table, total_columns, false);
    pm_table_columns(table, took_columns, false);
    pm_table_row(table, &s->result->totals, s);
    pm_report_take_table(report, table);
}

static void add_shard(const struct scan *s, struct pm_report *report)
{
    struct pm_str line = PM_STR_INIT;
    pm_str_addf(&line, "%u/%u, ", s->o->shard.number, s->o->shard.count);
    pm_text_count(&line, (int64_t)s->result->projects);
    pm_str_add(&line, " of ");
    add_count(&line, s->result->all_projects, "project", "");
    pm_str_add(&line, "; portmeter merge makes one scan of all shards");
    pm_report_line(report, "shard", line.data);
    pm_str_release(&line);
}

void pm_survey__scan_add_totals(const struct scan *s, struct pm_report *report)
{
    char *db = pm_privacy_hidden(s->o->db);
    char *stored = pm_format("scan %lld in '%s'", (long long)s->id, db);
    add_read(s, report);
    add_time(s, report);
    add_counted(s, report);
    if (pm_survey__uses_wanted(s))
        add_uses(s, report);
    pm_report_line(report, "stored", stored);
    if (s->o->shard.count)
        add_shard(s, report);
    if (s->o->format == PM_FORMAT_JSON)
        add_totals_table(s, report);
    free(stored);
    free(db);
}

static void damaged_input_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_corpus_damage *damage = from->row;
    char *input = pm_privacy_hidden(damage->input);
    pm_table_text(table, input);
    free(input);
}

static void damaged_data_cell(struct pm_table *table, const struct pm_cell_source *from)
{
    const struct pm_corpus_damage *damage = from->row;
    pm_table_text(table, damage->unpacked ? "unpacked" : "as stored");
}

static const struct pm_column damage_columns[] = {
    {"input", "input", PM_CELL_TEXT, .cell = damaged_input_cell},
    {"offset", "offset", PM_CELL_COUNT, PM_MEMBER(struct pm_corpus_damage, offset)},
    {"of", "data", PM_CELL_TEXT, .cell = damaged_data_cell},
    {"what", "problem", PM_CELL_TEXT, PM_MEMBER(struct pm_corpus_damage, what)},
};

void pm_survey__scan_add_damages(const struct scan *s, struct pm_report *report)
{
    const struct pm_corpus_result *result = s->result;
    if (!result->damage_count)
        return;
    struct pm_table *table = pm_table_new("damages", "Damaged inputs");
    pm_table_columns(table, damage_columns, false);
    for (size_t i = 0; i < result->damage_count; i++)
        pm_table_row(table, &result->damages[i], NULL);
    pm_table_note(table, "damaged data is not counted: repair these inputs, then scan again");
    if (result->totals.damages > result->damage_count) {
        struct pm_str note = PM_STR_INIT;
        pm_text_count(&note, (int64_t)(result->totals.damages - result->damage_count));
        pm_str_addf(&note, " more: only the first %d of each input are listed",
                    PM_CORPUS_DAMAGES_AN_INPUT);
        pm_table_note(table, note.data);
        pm_str_release(&note);
    }
    pm_report_take_table(report, table);
}
