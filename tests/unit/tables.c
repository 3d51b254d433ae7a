/* Adds judged rows to a store, and returns the values of the tables made from them. */
#include "tables.h"

#include "base/alloc.h"
#include "base/json.h"
#include "reading/reading.h"
#include "report/sink.h"
#include "tables/kinds.h"

static const struct table_kind *kind_called(const char *name)
{
    for (size_t i = 0; i < pm_tables__kind_count; i++)
        if (!strcmp(pm_tables__kinds[i].name, name))
            return &pm_tables__kinds[i];
    fail_msg("kinds.c has no table '%s'", name);
    return NULL;
}

static json_t *render(struct stored *s, const char *name, bool shows_empty, bool for_people)
{
    const struct table_kind *kind = kind_called(name);
    struct pm_reading r = {.shows_empty = shows_empty,
                           .for_people = for_people,
                           .of_executions = kind->of_executions,
                           .of_cases = kind->of_cases,
                           .of_dtypes = kind->of_dtypes};
    struct pm_report *report = pm_report_new("made up");
    const struct pm_render_options options = {.width = 0};
    struct pm_str text = PM_STR_INIT;
    struct pm_sink sink = pm_sink_str(&text);
    json_t *document;
    assert_ok(s, pm_reading_load(&r, s->store, s->db, s->run, &s->err));
    kind->add(&r, report);
    assert_ok(s, pm_report_render(report, PM_FORMAT_JSON, &options, &sink, &s->err));
    assert_ok(s, pm_json_parse(text.data, text.length, &document, &s->err));
    pm_str_release(&text);
    pm_report_free(report);
    pm_reading_release(&r);
    return document;
}

json_t *tables_of(struct stored *s, const char *kind)
{
    return render(s, kind, false, false);
}

json_t *tables_of_asked(struct stored *s, const char *kind)
{
    return render(s, kind, true, false);
}

json_t *tables_for_people(struct stored *s, const char *kind)
{
    return render(s, kind, false, true);
}

/* Returns whether `name` is the table's id and subject, as in "ratios null@null small". */
static bool is_called(const json_t *table, const char *name)
{
    struct pm_str full = PM_STR_INIT;
    const char *key;
    json_t *value;
    pm_str_add(&full, pm_json_string(table, "id", ""));
    json_object_foreach(json_object_get(table, "about"), key, value)
        pm_str_addf(&full, " %s", json_string_value(value));
    const bool same = !strcmp(full.data, name);
    pm_str_release(&full);
    return same;
}

static const json_t *find_table(const json_t *report, const char *id)
{
    size_t i;
    json_t *part;
    json_array_foreach(json_object_get(report, "parts"), i, part) {
        const json_t *table = json_object_get(part, "table");
        if (table && is_called(table, id))
            return table;
    }
    return NULL;
}

/* Appends the value of the cell with this id, or for "run_*" of each cell whose id begins with
 * "run_". */
static void add_values(json_t *values, const json_t *row, const char *id)
{
    const char *key;
    json_t *value = json_object_get(row, id);
    const size_t length = strcspn(id, "*");
    if (!id[length]) {
        json_array_append_new(values, value ? json_incref(value) : json_string("no column"));
        return;
    }
    json_object_foreach((json_t *)(uintptr_t)row, key, value)
        if (!strncmp(key, id, length))
            json_array_append(values, value);
}

static json_t *values_of(const json_t *row, const char *columns)
{
    json_t *values = json_array();
    char *ids = pm_strdup(columns), *rest;
    for (char *id = strtok_r(ids, ",", &rest); id; id = strtok_r(NULL, ",", &rest))
        add_values(values, row, id);
    free(ids);
    return values;
}

char *columns_of(const json_t *report, const char *id, const char *columns)
{
    struct pm_str text = PM_STR_INIT;
    const json_t *table = find_table(report, id);
    size_t i;
    json_t *row;
    if (!table)
        pm_str_add(&text, "no table");
    json_array_foreach(json_object_get(table, "rows"), i, row) {
        json_t *values = values_of(row, columns);
        char *line = json_dumps(values, JSON_COMPACT | JSON_REAL_PRECISION(4));
        pm_str_addf(&text, "%s\n", line);
        free(line);
        json_decref(values);
    }
    return pm_str_detach(&text);
}

char *notes_of(const json_t *report, const char *id)
{
    struct pm_str text = PM_STR_INIT;
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(id ? find_table(report, id) : NULL, "notes"), i, item)
        pm_str_addf(&text, "%s\n", json_string_value(item));
    json_array_foreach(id ? NULL : json_object_get(report, "parts"), i, item)
        if (json_object_get(item, "label"))
            pm_str_addf(&text, "%s: %s%s%s\n", pm_json_string(item, "label", ""),
                        pm_json_string(item, "command", ""),
                        json_object_get(item, "command") ? "   " : "",
                        pm_json_string(item, "text", ""));
    return pm_str_detach(&text);
}

/* ---- judged rows ------------------------------------------------------------------------------
 */

void stored_add_verdicts(struct stored *s, const struct judged_verdict *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct judged_verdict *v = &items[i];
        const struct pm_verdict_row row = {
            .run_id = s->run,
            .target_id = stored_target(s, v->target),
            .function = v->function,
            .verdict = WORD(verdict, v->verdict),
            .verdict_paper = WORD(verdict, v->paper ? v->paper : v->verdict),
            .counted = v->counted,
            .passed = v->passed,
            .core = v->core,
            .core_passed = v->core_passed,
            .limits = v->limits,
            .host_only = v->host_only,
            .detail = v->detail ? v->detail : "",
            .reason = v->reason,
        };
        assert_ok(s, pm_store_add_verdict(s->store, &row, &s->err));
    }
}

void stored_add_judged(struct stored *s, const struct judged_case *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct judged_case *c = &items[i];
        const struct stored_execution execution = {c->target, c->function, c->name, c->repetition};
        stored_add_executions(s, &execution, 1);
        const struct pm_judgement_row row = {
            .execution_id = stored_execution(s, c->target, c->function, c->name, c->repetition),
            .outcome = WORD(outcome, c->outcome),
            .stage = WORD(stage, c->stage ? c->stage : ""),
            .detail = c->detail ? c->detail : "",
            .reason = c->reason,
            .counts = true,
            .case_counts = !c->uncounted && strcmp(c->outcome, "blocked") != 0,
        };
        assert_ok(s, pm_store_add_judgement(s->store, &row, &s->err));
    }
}
