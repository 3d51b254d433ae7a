/* Reads the rules for reasons from YAML, and checks each rule. */
#include <libfyaml.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/line.h"
#include "base/pattern.h"
#include "base/plain.h"
#include "judge/reasons_private.h"

extern const char pm_judge__rules[]; /* rules/reasons.yaml, which the build converts to C */

enum { VERSION = 1, DEEPEST = 8 };

/* The file that is being read. */
struct source {
    const char *path;
    struct fy_node *list; /* list of the rules, or of the exclusions */
    bool built_in;        /* its patterns are known to be valid, and are compiled when needed */
    struct pm_error *err;
};

/* ---- messages -------------------------------------------------------------------------------- */

/* Returns the line where item `i` of the list begins; 1 if it is not known. */
static int line_of(const struct source *source, size_t i)
{
    struct fy_node *rule = fy_node_sequence_get_by_index(source->list, (int)i);
    void *previous = NULL;
    struct fy_node_pair *pair =
        fy_node_is_mapping(rule) ? fy_node_mapping_iterate(rule, &previous) : NULL;
    struct fy_node *key = pair ? fy_node_pair_key(pair) : rule;
    struct fy_token *token = key && fy_node_is_scalar(key) ? fy_node_get_scalar_token(key) : NULL;
    const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
    return mark ? mark->line + 1 : 1;
}

static int wrong(const struct source *source, size_t i, const char *format, ...) PM_PRINTF(3, 4);
static int wrong(const struct source *source, size_t i, const char *format, ...)
{
    char text[sizeof source->err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return pm_error_set(source->err, PM_EFORMAT, "%s:%d: %s", source->path, line_of(source, i),
                        text);
}

/* ---- from YAML to JSON ------------------------------------------------------------------------
 */

static json_t *value_of(struct fy_node *node, unsigned depth);

static json_t *mapping_of(struct fy_node *node, unsigned depth)
{
    json_t *object = json_object();
    void *previous = NULL;
    for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate(node, &previous));) {
        struct fy_node *name = fy_node_pair_key(pair);
        const char *key = name && fy_node_is_scalar(name) ? fy_node_get_scalar0(name) : NULL;
        json_t *value = value_of(fy_node_pair_value(pair), depth + 1);
        if (!key || json_object_get(object, key) || json_object_set_new(object, key, value)) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

/* Returns the value of a node, with all scalars as texts; NULL if the file may not contain it. */
static json_t *value_of(struct fy_node *node, unsigned depth)
{
    if (!node || depth > DEEPEST || fy_node_is_alias(node))
        return NULL;
    if (fy_node_is_scalar(node))
        return json_string(fy_node_get_scalar0(node));
    if (fy_node_is_mapping(node))
        return mapping_of(node, depth);
    json_t *list = json_array();
    void *previous = NULL;
    for (struct fy_node *item; (item = fy_node_sequence_iterate(node, &previous));)
        json_array_append_new(list, value_of(item, depth + 1));
    return list;
}

/* ---- a rule -----------------------------------------------------------------------------------
 */

static int check_keys(const struct source *source, size_t i, json_t *object,
                      const char *const *keys)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        size_t k = 0;
        while (keys[k] && strcmp(keys[k], key))
            k++;
        if (!keys[k])
            return wrong(source, i, "unknown key '%.60s': docs/reasons.md lists the keys", key);
        if (!json_is_string(value) && strcmp(key, "example"))
            return wrong(source, i, "'%.60s' is not a string: put it in quotes", key);
    }
    return PM_OK;
}

/* Reads the word of a key into *out. Sets *has to whether the object has the key. */
static int read_word(const struct source *source, size_t i, json_t *object, const char *key,
                     const struct pm_words *words, bool *has, int *out)
{
    const char *text = pm_json_string(object, key, NULL);
    *has = text != NULL;
    if (!text)
        return PM_OK;
    *out = pm_words_find(words, text);
    if (*out >= 0 && *text)
        return PM_OK;
    struct pm_error unknown;
    pm_words_unknown(words, key, text, &unknown);
    return wrong(source, i, "%s", unknown.text);
}

static int read_matched(const struct source *source, size_t i, json_t *object,
                        struct pm_reason_rule *out)
{
    int outcome = 0, stage = 0, ending = 0;
    PM_TRY(read_word(source, i, object, "outcome", &pm_outcome_words, &out->has_outcome, &outcome));
    PM_TRY(read_word(source, i, object, "stage", &pm_stage_words, &out->has_stage, &stage));
    PM_TRY(
        read_word(source, i, object, "ending", &pm_ending_kind_words, &out->has_ending, &ending));
    out->framework = pm_json_string(object, "framework", NULL);
    out->type = pm_json_string(object, "type", NULL);
    out->message = pm_json_string(object, "message", NULL);
    out->outcome = (enum pm_outcome)outcome;
    out->stage = (enum pm_stage)stage;
    out->ending = (enum pm_ending_kind)ending;
    return PM_OK;
}

/* Reads an example. Keys that the example lacks have the values of its rule; if neither has an
 * outcome, the outcome is `fail`. */
static int read_example(const struct source *source, size_t i, json_t *example,
                        struct pm_reason_rule *rule)
{
    static const char *const keys[] = {"framework", "type",   "message", "outcome",
                                       "stage",     "ending", NULL};
    struct pm_reason_rule own = {0};
    if (!json_is_object(example) || !json_object_get(example, "message"))
        return wrong(source, i, "rule '%.60s' has no example with a message: add a real message",
                     rule->id);
    PM_TRY(check_keys(source, i, example, keys));
    PM_TRY(read_matched(source, i, example, &own));
    rule->example = (struct pm_failure){
        .framework = own.framework ? own.framework : rule->framework,
        .type = own.type ? own.type : rule->type,
        .message = own.message,
        .outcome = own.has_outcome     ? own.outcome
                   : rule->has_outcome ? rule->outcome
                                       : PM_OUTCOME_FAIL,
        .stage = own.has_stage ? own.stage : rule->stage,
        .ending = own.has_ending ? own.ending : rule->ending,
    };
    return PM_OK;
}

static int read_rule(const struct source *source, size_t i, json_t *object,
                     struct pm_judge__rule *out)
{
    static const char *const keys[] = {"id",    "framework", "type",   "message", "outcome",
                                       "stage", "ending",    "reason", "example", NULL};
    struct pm_reason_rule *rule = &out->rule;
    bool has_reason;
    int reason = 0;
    if (!json_is_object(object))
        return wrong(source, i, "a rule is not a mapping: write one with id, reason and example");
    PM_TRY(check_keys(source, i, object, keys));
    rule->id = pm_json_string(object, "id", "");
    if (!*rule->id)
        return wrong(source, i, "a rule has no id: add one");
    PM_TRY(read_word(source, i, object, "reason", &pm_reason_words, &has_reason, &reason));
    if (!has_reason)
        return wrong(source, i, "rule '%.60s' has no reason: add one", rule->id);
    rule->reason = (enum pm_reason)reason;
    if (rule->reason == PM_REASON_NOT_POSSIBLE)
        return wrong(source, i,
                     "rule '%.60s' gives a reason that only a row of 'excluded' can give: add such "
                     "a row instead",
                     rule->id);
    PM_TRY(read_matched(source, i, object, rule));
    if (!rule->type && !rule->message && !rule->has_outcome && !rule->has_stage &&
        !rule->has_ending)
        return wrong(
            source, i,
            "rule '%.60s' matches every failure: add a type, message, outcome, stage or ending",
            rule->id);
    PM_TRY(read_example(source, i, json_object_get(object, "example"), rule));
    struct pm_error pattern;
    if (!rule->message || source->built_in)
        return PM_OK;
    if (pm_pattern_init(&out->pattern, rule->message, &pattern))
        return wrong(source, i, "%s", pattern.text);
    out->compiled = true;
    return PM_OK;
}

/* ---- the file ---------------------------------------------------------------------------------
 */

static int check_id(const struct source *source, const struct pm_reason_rules *rules, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(rules->items[j].rule.id, rules->items[i].rule.id) == 0)
            return wrong(source, i, "rule '%.60s' is defined twice: rename one",
                         rules->items[i].rule.id);
    return PM_OK;
}

static int read_rules(const struct source *source, struct pm_reason_rules *rules)
{
    const json_t *list = json_object_get(rules->document, "rules");
    for (size_t i = 0; i < json_array_size(list); i++) {
        rules->count = i + 1;
        PM_TRY(read_rule(source, i, json_array_get(list, i), &rules->items[i]));
        PM_TRY(check_id(source, rules, i));
    }
    return PM_OK;
}

/* Reads a row about a type that a device excludes by design. Every key is required and must not be
 * empty. */
static int read_exclusion(const struct source *source, size_t i, json_t *object,
                          struct pm_reason_exclusion_row *row)
{
    static const char *const keys[] = {"id",      "framework", "device", "needs",
                                       "version", "source",    NULL};
    if (!json_is_object(object))
        return wrong(source, i,
                     "a row of 'excluded' is not a mapping: write one with id, "
                     "framework, device, needs, version and source");
    PM_TRY(check_keys(source, i, object, keys));
    for (size_t k = 0; keys[k]; k++)
        if (!*pm_json_string(object, keys[k], ""))
            return wrong(source, i, "a row of 'excluded' has no %s: add one", keys[k]);
    *row = (struct pm_reason_exclusion_row){.id = pm_json_string(object, "id", ""),
                                            .framework = pm_json_string(object, "framework", ""),
                                            .device = pm_json_string(object, "device", ""),
                                            .needs = pm_json_string(object, "needs", ""),
                                            .version = pm_json_string(object, "version", ""),
                                            .source = pm_json_string(object, "source", "")};
    return strncmp(row->source, "https://", strlen("https://"))
               ? wrong(source, i, "the source of '%.60s' is not a link: begin it with https://",
                       row->id)
               : PM_OK;
}

static int read_excluded(struct source *source, struct fy_node *root, struct pm_reason_rules *rules)
{
    const json_t *list = json_object_get(rules->document, "excluded");
    if (!list)
        return PM_OK;
    if (!json_is_array(list))
        return pm_error_set(source->err, PM_EFORMAT,
                            "%s:1: 'excluded' is not a list: docs/reasons.md shows the form",
                            source->path);
    source->list = fy_node_by_path(root, "/excluded", FY_NT, FYNWF_DONT_FOLLOW);
    rules->excluded = pm_alloc((json_array_size(list) + 1) * sizeof *rules->excluded);
    for (; rules->excluded_count < json_array_size(list); rules->excluded_count++)
        PM_TRY(read_exclusion(source, rules->excluded_count,
                              json_array_get(list, rules->excluded_count),
                              &rules->excluded[rules->excluded_count]));
    return PM_OK;
}

static int read_document(struct source *source, struct fy_document *document,
                         struct pm_reason_rules *rules)
{
    struct fy_node *root = fy_document_root(document);
    rules->document = value_of(root, 0);
    const json_t *list = json_object_get(rules->document, "rules");
    const char *version = pm_json_string(rules->document, "version", "");
    long long number;
    if (!json_array_size(list))
        return pm_error_set(source->err, PM_EFORMAT,
                            "%s:1: the file has no list of rules: docs/reasons.md shows the form",
                            source->path);
    if (!pm_parse_int(version, &number) || number != VERSION)
        return pm_error_set(source->err, PM_EFORMAT,
                            "%s:1: the file has the unknown version '%.20s': use version %d",
                            source->path, version, VERSION);
    source->list = fy_node_by_path(root, "/rules", FY_NT, FYNWF_DONT_FOLLOW);
    rules->items = pm_alloc(json_array_size(list) * sizeof *rules->items);
    PM_TRY(read_rules(source, rules));
    return read_excluded(source, root, rules);
}

/* Sets an error that names the place where the YAML is malformed, if libfyaml reports one. */
static int report_syntax(const struct source *source, struct fy_diag *diag)
{
    void *previous = NULL;
    const struct fy_diag_error *found;
    while ((found = fy_diag_errors_iterate(diag, &previous)) && found->type < FYET_ERROR)
        continue;
    return pm_error_set(source->err, PM_EFORMAT,
                        "%s:%d: malformed YAML: %.200s: check quotes and indentation", source->path,
                        found ? found->line : 1, found ? found->msg : "empty file");
}

static int read_text(struct source *source, const char *text, struct fy_diag *diag,
                     struct pm_reason_rules *rules)
{
    PM_TRY(pm_plain_check(source->path, text, strlen(text), source->err));
    const struct fy_parse_cfg config = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG, .diag = diag};
    fy_diag_set_collect_errors(diag, true);
    struct fy_document *document = fy_document_build_from_string(&config, text, FY_NT);
    if (!document)
        return report_syntax(source, diag);
    const int rc = read_document(source, document, rules);
    fy_document_destroy(document);
    return rc;
}

int pm_reason_rules_read(const char *path, const char *text, struct pm_reason_rules **out,
                         struct pm_error *err)
{
    struct source source = {
        .path = path ? path : "rules/reasons.yaml", .built_in = !text, .err = err};
    struct pm_reason_rules *rules = pm_alloc(sizeof *rules);
    struct fy_diag_cfg config;
    fy_diag_cfg_default(&config);
    config.fp = NULL; /* libfyaml must not print messages */
    struct fy_diag *diag = fy_diag_create(&config);
    int rc = PM_EIO;
    if (diag)
        rc = read_text(&source, text ? text : pm_judge__rules, diag, rules);
    else
        pm_error_set(err, PM_EIO,
                     "not enough memory to read '%s' as YAML: end other programs, or add memory",
                     source.path);
    fy_diag_destroy(diag);
    *out = rc ? NULL : rules;
    if (rc)
        pm_reason_rules_free(rules);
    return rc;
}
