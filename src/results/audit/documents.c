/* Writes an audit for programs: as JSON, as SARIF 2.1.0, as lines for GitHub Actions, and as a
 * baseline. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_private.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/line.h"

/* The limits of GitHub (how many results of a SARIF file it shows, how many rules it accepts, and
 * how many characters of a rule it shows), and the version of the format of baselines. */
enum { MOST_RESULTS = 5000, MOST_RULES = 20000, MOST_RULE_TEXT = 1000, BASELINE_VERSION = 1 };

static char *print_text(uint64_t print)
{
    return pm_format("%016llx", (unsigned long long)print);
}

static void add_document(json_t *document, struct pm_str *out)
{
    char *text = json_dumps(document, JSON_INDENT(1) | JSON_ENSURE_ASCII);
    if (!text)
        pm_alloc_failed();
    pm_str_add(out, text);
    pm_str_add(out, "\n");
    free(text);
    json_decref(document);
}

static char *message_of(const struct pm_audit *audit, const struct pm_audit_finding *finding)
{
    struct pm_str out = PM_STR_INIT;
    pm_line_add(&out, audit->kinds[finding->kind].message, SIZE_MAX);
    pm_audit__remark(finding, &out);
    return pm_str_detach(&out);
}

/* Returns the line in the file itself. For a cell of a notebook, this is the first line, because
 * readers of a notebook do not see the lines of its file. For JSON lines, it is the number of the
 * record, because each line of the file contains a whole text. */
static unsigned line_of_file(const struct pm_audit_finding *finding)
{
    if (finding->cell)
        return 1;
    return finding->record ? (unsigned)finding->record : finding->line;
}

static unsigned column_of_file(const struct pm_audit_finding *finding)
{
    return finding->cell || finding->record ? 1 : finding->character;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *evidence_json(const struct pm_audit *audit)
{
    const struct pm_audit_evidence *e = audit->evidence;
    if (!e->run_id)
        return json_null();
    return json_pack("{s:I, s:s, s:I, s:s, s:s, s:s, s:b, s:I, s:I, s:b}", "run",
                     (json_int_t)e->run_id, "started", e->started, "days",
                     (json_int_t)pm_audit__age(e->started), "kind", pm_evidence_text(e->kind),
                     "version", e->version, "device", e->device_name, "valid", e->valid,
                     "functions", (json_int_t)e->count, "cases", (json_int_t)e->case_count,
                     "same_version", pm_audit_same_version(audit));
}

/* Returns a description of the forecast; NULL if there is none. */
static json_t *forecast_json(const struct pm_audit *audit)
{
    const struct pm_audit_predictions *p = audit->options->predictions;
    return p ? json_pack("{s:s, s:s, s:s, s:I, s:I}", "made", p->made, "version", p->version,
                         "precision", p->precision, "functions", (json_int_t)p->cases.count,
                         "cases", (json_int_t)p->cases.case_count)
             : NULL;
}

static json_t *finding_json(const struct pm_audit *audit, const struct pm_audit_finding *finding)
{
    const struct pm_audit_kind *kind = &audit->kinds[finding->kind];
    char *print = print_text(finding->print);
    json_t *of = json_pack(
        "{s:o, s:i, s:i, s:s, s:s, s:s, s:s, s:o, s:b, s:s}", "file",
        pm_audit__text_json(audit->files[finding->file].path), "line", (int)finding->line, "column",
        (int)finding->column, "level", pm_audit_level_text(finding->level), "rule", kind->rule,
        "function", kind->function, "found_by", pm_resolve_how_text(finding->how), "message",
        pm_audit__text_json(kind->message), "guarded", finding->guarded, "fingerprint", print);
    free(print);
    if (finding->cell)
        json_object_set_new(of, "cell", json_integer(finding->cell));
    if (finding->record)
        json_object_set_new(of, "record", json_integer((json_int_t)finding->record));
    if (kind->compatible)
        json_object_set_new(
            of, "evidence",
            json_pack("{s:s, s:I, s:I, s:o, s:s, s:s*}", "from",
                      kind->recorded    ? "recorded"
                      : kind->predicted ? "predicted"
                                        : "measured",
                      "cases", (json_int_t)kind->compatible, "failing", (json_int_t)kind->failing,
                      "case", pm_audit__text_json(kind->shown_case), "reason", kind->reason, "tier",
                      kind->recorded || kind->predicted ? NULL : pm_tier_text(kind->tier)));
    return of;
}

static json_t *use_json(const struct pm_audit *audit, const struct pm_audit_use *use)
{
    json_t *of = json_pack(
        "{s:s, s:I, s:o, s:i}", "function", use->name, "uses", (json_int_t)use->uses, "file",
        pm_audit__text_json(audit->files[use->file].path), "line", (int)use->line);
    for (int i = 0; i < PM_AUDIT_COUNT; i++)
        json_object_set_new(of, pm_audit_status_text((enum pm_audit_status)i),
                            json_integer((json_int_t)use->by_status[i]));
    return of;
}

void pm_audit__json(const struct pm_audit *audit, struct pm_str *out)
{
    size_t count;
    const struct pm_audit_finding **list = pm_audit__sorted(audit, false, &count);
    json_t *findings = json_array(), *functions = json_array(), *sites = json_object();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(findings, finding_json(audit, list[i]));
    for (size_t i = 0; i < audit->use_count; i++)
        json_array_append_new(functions, use_json(audit, &audit->uses[i]));
    for (int i = 0; i < PM_AUDIT_COUNT; i++)
        json_object_set_new(sites, pm_audit_status_text((enum pm_audit_status)i),
                            json_integer((json_int_t)audit->by_status[i]));
    free(list);
    add_document(json_pack("{s:i, s:s, s:o, s:o*, s:I, s:o, s:I, s:o, s:o, s:o}", "version", 1,
                           "target", audit->options->target, "evidence", evidence_json(audit),
                           "forecast", forecast_json(audit), "files", (json_int_t)audit->file_count,
                           "uses", sites, "hidden", (json_int_t)(audit->suppressed + audit->known),
                           "functions", functions, "findings", findings, "errors",
                           json_integer((json_int_t)pm_audit_shown(audit, PM_AUDIT_LEVEL_ERROR))),
                 out);
}

/* ---- SARIF ----------------------------------------------------------------------------------- */

/* Returns a path as a relative or absolute URI (RFC 3986), in which all bytes except '/' and
 * unreserved ones are percent-encoded. */
static json_t *uri_json(const char *path)
{
    struct pm_str out = PM_STR_INIT;
    pm_str_add(&out, *path == '/' ? "file://" : "");
    for (; *path; path++) {
        const unsigned char c = (unsigned char)*path;
        if (c < 0x80 && (isalnum(c) || strchr("/-._~", c)))
            pm_str_add_char(&out, *path);
        else
            pm_str_addf(&out, "%%%02X", c);
    }
    json_t *json = json_string(out.data);
    pm_str_release(&out);
    return json;
}

/* Returns the SARIF rule for a kind: a function and a reason, or a rule on device-bound code. */
static json_t *sarif_rule(const struct pm_audit_kind *kind, const char *id)
{
    struct pm_str text = PM_STR_INIT;
    pm_line_add(&text, kind->message, MOST_RULE_TEXT);
    json_t *message = pm_audit__text_json(text.data);
    const char *tag = kind->device ? "device-bound" : kind->predicted ? "predicted" : "measured";
    const char *help = kind->device ? kind->device->instead
                       : kind->predicted
                           ? "nothing was measured on the device: portmeter forecast "
                             "--show prints the forecast"
                           : "portmeter explain shows the evidence, and a script that "
                             "fails in the same way";
    pm_str_release(&text);
    return json_pack("{s:s, s:s, s:{s:O}, s:{s:o}, s:{s:s}, s:{s:s}, s:{s:[s]}}", "id", id, "name",
                     kind->rule, "shortDescription", "text", message, "fullDescription", "text",
                     message, "help", "text", help, "defaultConfiguration", "level",
                     pm_audit_level_text(kind->level), "properties", "tags", tag);
}

/* Returns the SARIF result for a finding. `same` is the number of earlier findings with the same
 * fingerprint: GitHub would count results with the same hash as one. */
static json_t *sarif_result(const struct pm_audit *audit, const struct pm_audit_finding *finding,
                            const char *id, size_t rule, size_t same)
{
    char *message = message_of(audit, finding);
    char *print = pm_format("%016llx:%zu", (unsigned long long)finding->print, same + 1);
    json_t *result = json_pack(
        "{s:s, s:I, s:s, s:{s:o}, s:[{s:{s:{s:o}, s:{s:i, s:i}}}], s:{s:s}}", "ruleId", id,
        "ruleIndex", (json_int_t)rule, "level", pm_audit_level_text(finding->level), "message",
        "text", pm_audit__text_json(message), "locations", "physicalLocation", "artifactLocation",
        "uri", uri_json(audit->files[finding->file].path), "region", "startLine",
        (int)line_of_file(finding), "startColumn", (int)column_of_file(finding),
        "partialFingerprints", "primaryLocationLineHash", print);
    free(message);
    free(print);
    return result;
}

static char *rule_id(const struct pm_audit_kind *kind, size_t same)
{
    char *id =
        *kind->function ? pm_format("%s/%s", kind->rule, kind->function) : pm_strdup(kind->rule);
    if (!same)
        return id;
    char *numbered = pm_format("%s/%zu", id, same + 1);
    free(id);
    return numbered;
}

/* Returns the ids of all kinds. Kinds with the same rule and function but different messages are
 * numbered. The caller frees the list and the ids. */
static char **rule_ids(const struct pm_audit *audit)
{
    char **ids = pm_alloc((audit->kind_count + 1) * sizeof *ids);
    struct pm_map seen = {0};
    for (size_t i = 0; i < audit->kind_count; i++) {
        char *key = rule_id(&audit->kinds[i], 0);
        const size_t same = (size_t)(uintptr_t)pm_map_get(&seen, key);
        pm_map_put(&seen, key, (void *)(uintptr_t)(same + 1));
        ids[i] = rule_id(&audit->kinds[i], same);
        free(key);
    }
    pm_map_release(&seen);
    return ids;
}

void pm_audit__sarif(const struct pm_audit *audit, struct pm_str *out)
{
    size_t count, *rows = pm_alloc((audit->kind_count + 1) * sizeof *rows);
    const struct pm_audit_finding **list = pm_audit__sorted(audit, true, &count);
    char **ids = rule_ids(audit);
    json_t *results = json_array(), *rules = json_array();
    struct pm_map prints = {0};
    size_t left_out = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t kind = list[i]->kind;
        if (json_array_size(results) == MOST_RESULTS ||
            (!rows[kind] && json_array_size(rules) == MOST_RULES)) {
            left_out++;
            continue;
        }
        if (!rows[kind]) {
            json_array_append_new(rules, sarif_rule(&audit->kinds[kind], ids[kind]));
            rows[kind] = json_array_size(rules);
        }
        char *print = print_text(list[i]->print);
        const size_t same = (size_t)(uintptr_t)pm_map_get(&prints, print);
        pm_map_put(&prints, print, (void *)(uintptr_t)(same + 1));
        free(print);
        json_array_append_new(results,
                              sarif_result(audit, list[i], ids[kind], rows[kind] - 1, same));
    }
    pm_map_release(&prints);
    pm_free_strings(ids, audit->kind_count);
    free(list);
    free(rows);
    json_t *run = json_pack("{s:{s:{s:s, s:s, s:o}}, s:s, s:o, s:{s:s, s:o, s:I}}", "tool",
                            "driver", "name", "portmeter", "semanticVersion", PM_VERSION, "rules",
                            rules, "columnKind", "unicodeCodePoints", "results", results,
                            "properties", "target", audit->options->target, "evidence",
                            evidence_json(audit), "leftOut", (json_int_t)left_out);
    add_document(json_pack("{s:s, s:s, s:[o]}", "$schema",
                           "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0",
                           "runs", run),
                 out);
}

/* ---- GitHub Actions -------------------------------------------------------------------------- */

/* Appends a value of a workflow command of GitHub Actions. Escapes the characters that its runner
 * decodes; in a property, also colons and commas, which would end the property. The other text is
 * made valid UTF-8 without control characters. */
static void add_escaped(struct pm_str *out, const char *text, bool property)
{
    const char *const special = property ? "%\r\n:," : "%\r\n";
    while (*text) {
        const size_t plain = strcspn(text, special);
        char *part = pm_strndup(text, plain);
        pm_line_add(out, part, SIZE_MAX);
        free(part);
        text += plain;
        if (*text)
            pm_str_addf(out, "%%%02X", (unsigned char)*text++);
    }
}

void pm_audit__github(const struct pm_audit *audit, struct pm_str *out)
{
    static const char *const commands[] = {"error", "warning", "notice"};
    size_t count;
    const struct pm_audit_finding **list = pm_audit__sorted(audit, true, &count);
    for (size_t i = 0; i < count; i++) {
        const struct pm_audit_kind *kind = &audit->kinds[list[i]->kind];
        char *message = message_of(audit, list[i]);
        pm_str_addf(out, "::%s file=", commands[list[i]->level]);
        add_escaped(out, audit->files[list[i]->file].path, true);
        pm_str_addf(out, ",line=%u,col=%u,title=", line_of_file(list[i]), column_of_file(list[i]));
        add_escaped(out, kind->rule, true);
        pm_str_add(out, "::");
        add_escaped(out, message, false);
        pm_str_add(out, "\n");
        free(message);
    }
    free(list);
}

/* ---- the baseline ---------------------------------------------------------------------------- */

int pm_audit_baseline_write(const struct pm_audit *audit, const char *path, struct pm_error *err)
{
    json_t *prints = json_object();
    for (size_t i = 0; i < audit->finding_count; i++) {
        if (audit->findings[i].hidden)
            continue;
        char *print = print_text(audit->findings[i].print);
        const json_int_t before = json_integer_value(json_object_get(prints, print));
        json_object_set_new(prints, print, json_integer(before + 1));
        free(print);
    }
    struct pm_str out = PM_STR_INIT;
    char *text = json_dumps(prints, JSON_SORT_KEYS | JSON_INDENT(1));
    if (!text)
        pm_alloc_failed();
    pm_str_addf(&out, "{\"portmeter_baseline\": %d, \"findings\": %s}\n", BASELINE_VERSION, text);
    const int rc = pm_file_write(path, out.data, out.length, err);
    free(text);
    pm_str_release(&out);
    json_decref(prints);
    return rc;
}

/* Reads a baseline, and hides the findings that are in it. If the baseline has N findings with a
 * fingerprint, it hides at most N findings with this fingerprint. */
int pm_audit_baseline_read(struct pm_audit *audit, const char *path, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    json_t *document = NULL;
    int rc = pm_file_read(path, &text, err);
    if (!rc)
        rc = pm_json_parse(text.data, text.length, &document, err);
    json_t *prints = json_object_get(document, "findings");
    if (!rc && (pm_json_int(document, "portmeter_baseline", 0) != BASELINE_VERSION ||
                !json_is_object(prints)))
        rc = pm_error_set(err, PM_EFORMAT,
                          "'%s' is not a baseline of portmeter: write one with --write-baseline",
                          path);
    else if (rc == PM_EFORMAT)
        rc = pm_error_prefix(err, rc, "baseline '%s'", path);
    for (size_t i = 0; !rc && i < audit->finding_count; i++) {
        struct pm_audit_finding *finding = &audit->findings[i];
        char *print = print_text(finding->print);
        const json_int_t left = json_integer_value(json_object_get(prints, print));
        if (left > 0 && !finding->hidden) {
            json_object_set_new(prints, print, json_integer(left - 1));
            finding->hidden = true;
            audit->known++;
        }
        free(print);
    }
    json_decref(document);
    pm_str_release(&text);
    return rc;
}
