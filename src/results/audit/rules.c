/* Reads the rules on device-bound code from YAML, and matches them. */
#include "audit/rules.h"

#include <fnmatch.h>
#include <libfyaml.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/plain.h"
#include "base/str.h"

PM_WORDS_DEFINE(audit_level, PM_AUDIT_LEVELS, PM_AUDIT_LEVEL);

extern const char pm_audit__rules[]; /* rules/device.yaml, which the build converts to C */

struct pm_audit_rules {
    struct fy_document *document; /* owns all texts */
    struct pm_audit_rule items[PM_AUDIT_MOST_RULES];
    size_t count;
    const char *guards; /* words of conditions that check for a device, separated by spaces */
};

/* ---- reading --------------------------------------------------------------------------------- */

struct source {
    const char *path;
    struct pm_error *err;
};

static int line_of(struct fy_node *node)
{
    struct fy_token *token =
        node && fy_node_is_scalar(node) ? fy_node_get_scalar_token(node) : NULL;
    const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
    return mark ? mark->line + 1 : 1;
}

#define TEXT(member) offsetof(struct pm_audit_rule, member)
static const struct {
    const char *key;
    size_t offset;
    bool required;
} keys[] = {
    {"id", TEXT(id), true},
    {"framework", TEXT(frameworks), true},
    {"functions", TEXT(functions), false},
    {"except", TEXT(except), false},
    {"argument", TEXT(argument), false},
    {"keyword", TEXT(keyword), false},
    {"dtype", TEXT(dtype), false},
    {"variable", TEXT(variable), false},
    {"unless_keyword", TEXT(unless_keyword), false},
    {"not_after", TEXT(not_after), false},
    {"written", TEXT(written), false},
    {"fine_on", TEXT(fine_on), false},
    {"only_on", TEXT(only_on), false},
    {"why", TEXT(why), true},
    {"instead", TEXT(instead), true},
    {"example", TEXT(example), true},
    {"counter_example", TEXT(counter_example), true},
};
#undef TEXT
enum { KEYS = sizeof keys / sizeof *keys };

static int take_key(const struct source *source, struct pm_audit_rule *rule, struct fy_node *key,
                    struct fy_node *value)
{
    const char *name = key && fy_node_is_scalar(key) ? fy_node_get_scalar0(key) : "";
    const char *text = value && fy_node_is_scalar(value) ? fy_node_get_scalar0(value) : NULL;
    if (!text)
        return pm_error_set(source->err, PM_EFORMAT,
                            "%s:%d: the value of '%.60s' is not a string: write one string, with "
                            "spaces between items",
                            source->path, line_of(key), name);
    if (strcmp(name, "loop") == 0 || strcmp(name, "called") == 0) {
        *(*name == 'l' ? &rule->loop : &rule->called) = strcmp(text, "true") == 0;
        return PM_OK;
    }
    if (strcmp(name, "level") == 0)
        return pm_audit_level_parse(text, &rule->level)
                   ? PM_OK
                   : pm_error_set(source->err, PM_EFORMAT,
                                  "%s:%d: unknown level '%.60s': use error, warning or note",
                                  source->path, line_of(value), text);
    for (size_t i = 0; i < KEYS; i++)
        if (strcmp(keys[i].key, name) == 0) {
            *(const char **)(void *)((char *)rule + keys[i].offset) = text;
            return PM_OK;
        }
    return pm_error_set(source->err, PM_EFORMAT,
                        "%s:%d: unknown key '%.60s': docs/audit.md lists the keys", source->path,
                        line_of(key), name);
}

static int check_rule(const struct source *source, const struct pm_audit_rules *rules, int line)
{
    const struct pm_audit_rule *rule = &rules->items[rules->count];
    for (size_t i = 0; i < KEYS; i++)
        if (keys[i].required &&
            !*(const char *const *)(const void *)((const char *)rule + keys[i].offset))
            return pm_error_set(source->err, PM_EFORMAT, "%s:%d: a rule has no '%s': add it",
                                source->path, line, keys[i].key);
    if (!rule->functions && !rule->variable)
        return pm_error_set(source->err, PM_EFORMAT,
                            "%s:%d: rule '%.60s' matches nothing: add functions or a variable",
                            source->path, line, rule->id);
    for (size_t i = 0; i < rules->count; i++)
        if (strcmp(rules->items[i].id, rule->id) == 0)
            return pm_error_set(source->err, PM_EFORMAT,
                                "%s:%d: rule '%.60s' is defined twice: rename one", source->path,
                                line, rule->id);
    return PM_OK;
}

static int read_rule(const struct source *source, struct pm_audit_rules *rules,
                     struct fy_node *node)
{
    void *previous = NULL;
    int line = 1;
    if (rules->count == PM_AUDIT_MOST_RULES)
        return pm_error_set(source->err, PM_EFORMAT, "%s: the file has over %d rules: remove some",
                            source->path, PM_AUDIT_MOST_RULES);
    if (!fy_node_is_mapping(node))
        return pm_error_set(source->err, PM_EFORMAT,
                            "%s:%d: a rule is not a mapping: docs/audit.md shows the form",
                            source->path, line_of(node));
    for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate(node, &previous));) {
        line = line > 1 ? line : line_of(fy_node_pair_key(pair));
        PM_TRY(take_key(source, &rules->items[rules->count], fy_node_pair_key(pair),
                        fy_node_pair_value(pair)));
    }
    PM_TRY(check_rule(source, rules, line));
    rules->count++;
    return PM_OK;
}

static int read_document(const struct source *source, struct pm_audit_rules *rules)
{
    struct fy_node *root = fy_document_root(rules->document);
    struct fy_node *list = root ? fy_node_by_path(root, "/rules", FY_NT, FYNWF_DONT_FOLLOW) : NULL;
    void *previous = NULL;
    if (!list || !fy_node_is_sequence(list))
        return pm_error_set(source->err, PM_EFORMAT,
                            "%s:1: the file has no list of rules: docs/audit.md shows the form",
                            source->path);
    struct fy_node *guards = fy_node_by_path(root, "/guards", FY_NT, FYNWF_DONT_FOLLOW);
    rules->guards = guards && fy_node_is_scalar(guards) ? fy_node_get_scalar0(guards) : "";
    for (struct fy_node *node; (node = fy_node_sequence_iterate(list, &previous));)
        PM_TRY(read_rule(source, rules, node));
    return PM_OK;
}

int pm_audit_rules_read(const char *path, const char *text, struct pm_audit_rules **out,
                        struct pm_error *err)
{
    const struct source source = {path ? path : "rules/device.yaml", err};
    struct pm_audit_rules *rules = pm_alloc(sizeof *rules);
    struct fy_diag_cfg config;
    fy_diag_cfg_default(&config);
    config.fp = NULL; /* libfyaml must not print messages */
    struct fy_diag *diag = fy_diag_create(&config);
    const struct fy_parse_cfg parse = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG, .diag = diag};
    if (!diag)
        pm_alloc_failed();
    const char *bytes = text ? text : pm_audit__rules;
    int rc = pm_plain_check(source.path, bytes, strlen(bytes), err);
    if (!rc)
        rules->document = fy_document_build_from_string(&parse, bytes, FY_NT);
    fy_diag_destroy(diag);
    if (!rc)
        rc = rules->document
                 ? read_document(&source, rules)
                 : pm_error_set(err, PM_EFORMAT, "%s: malformed YAML: check quotes and indentation",
                                source.path);
    *out = rc ? NULL : rules;
    if (rc)
        pm_audit_rules_free(rules);
    return rc;
}

void pm_audit_rules_free(struct pm_audit_rules *rules)
{
    if (rules && rules->document)
        fy_document_destroy(rules->document);
    free(rules);
}

size_t pm_audit_rules_count(const struct pm_audit_rules *rules)
{
    return rules->count;
}

const struct pm_audit_rule *pm_audit_rules_at(const struct pm_audit_rules *rules, size_t i)
{
    return &rules->items[i];
}

/* ---- matching -------------------------------------------------------------------------------- */

static bool is_kind(const struct pm_audit_text *text, size_t token, int kind)
{
    return token < text->tokens.count && text->tokens.kind[token] == kind;
}

static bool is_word(const struct pm_audit_text *text, size_t token, const char *word)
{
    const size_t length = strlen(word);
    return is_kind(text, token, PM_TOKEN_NAME) &&
           text->tokens.end[token] - text->tokens.start[token] == length &&
           memcmp(text->bytes + text->tokens.start[token], word, length) == 0;
}

/* Returns whether a text matches one of the patterns, which are separated by spaces. */
static bool matches(const char *patterns, const char *text)
{
    char pattern[256];
    for (const char *at = patterns; *at;) {
        const size_t length = strcspn(at, " ");
        if (length && length < sizeof pattern) {
            memcpy(pattern, at, length);
            pattern[length] = '\0';
            if (fnmatch(pattern, text, 0) == 0)
                return true;
        }
        at += length + (at[length] == ' ');
    }
    return false;
}

static bool applies(const struct pm_audit_rule *rule, const struct pm_audit_where *where)
{
    return matches(rule->frameworks, where->framework) &&
           !(rule->fine_on && matches(rule->fine_on, where->device)) &&
           (!rule->only_on || matches(rule->only_on, where->device));
}

uint64_t pm_audit_rules_of(const struct pm_audit_rules *rules, const struct pm_audit_where *where,
                           const char *function)
{
    uint64_t mask = 0;
    for (size_t i = 0; i < rules->count; i++) {
        const struct pm_audit_rule *rule = &rules->items[i];
        if (rule->functions && applies(rule, where) && matches(rule->functions, function) &&
            !(rule->except && matches(rule->except, function)))
            mask |= (uint64_t)1 << i;
    }
    return mask;
}

static bool passes_text(const struct pm_audit_rule *rule, const struct pm_audit_call *call)
{
    for (size_t i = 0; i < call->count; i++) {
        const struct pm_audit_argument *a = &call->items[i];
        const bool may = !rule->keyword || (a->keyword && strcmp(a->keyword, rule->keyword) == 0);
        if (may && a->kind == PM_AUDIT_STRING && matches(rule->argument, a->value))
            return true;
    }
    return false;
}

static bool passes_dtype(const struct pm_audit_rule *rule, const struct pm_audit_call *call)
{
    for (size_t i = 0; i < call->count; i++)
        if (call->items[i].kind == PM_AUDIT_DTYPE && matches(rule->dtype, call->items[i].value))
            return true;
    return false;
}

/* Returns whether the name at a token follows a call of `name` without arguments, as numpy follows
 * cpu in `x.cpu().numpy()`. */
static bool is_after_call(const struct pm_audit_text *text, size_t token, const char *name)
{
    return token >= 4 && is_kind(text, token - 1, '.') && is_kind(text, token - 2, ')') &&
           is_kind(text, token - 3, '(') && is_word(text, token - 4, name);
}

/* Returns whether a word is written in the chain of names that begins at a token. If an alias
 * replaces the chain, the word is not written there. */
static bool is_written(const struct pm_audit_text *text, size_t token, const char *word)
{
    for (; is_kind(text, token, PM_TOKEN_NAME); token += 2) {
        if (is_word(text, token, word))
            return true;
        if (!is_kind(text, token + 1, '.'))
            return false;
    }
    return false;
}

/* Returns whether a rule excludes a use. */
static bool is_excluded(const struct pm_audit_rule *rule, const struct pm_audit_text *text,
                        size_t token, const struct pm_audit_call *call)
{
    if ((rule->called || rule->loop) && !call->is_call)
        return true;
    if (rule->unless_keyword && pm_audit_call_keyword(call, rule->unless_keyword))
        return true;
    if (rule->written && !is_written(text, token, rule->written))
        return true;
    return rule->not_after && is_after_call(text, token, rule->not_after);
}

const struct pm_audit_rule *pm_audit_rules_match(const struct pm_audit_rules *rules, uint64_t mask,
                                                 struct pm_audit_text *text, size_t token,
                                                 const struct pm_audit_call *call)
{
    for (size_t i = 0; i < rules->count; i++) {
        const struct pm_audit_rule *rule = &rules->items[i];
        if ((mask >> i & 1) && (!rule->argument || passes_text(rule, call)) &&
            (!rule->dtype || passes_dtype(rule, call)) && !is_excluded(rule, text, token, call) &&
            (!rule->loop || pm_audit_text_in_loop(text, token)))
            return rule;
    }
    return NULL;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Returns whether a setting begins at a token: `name = "cuda"`, `name: str = "cuda"`, or a
 * parameter or keyword argument of this form. Sets *value to the token of the string. */
static bool read_setting(const struct pm_audit_text *text, size_t token, size_t *value)
{
    size_t at = token + 1;
    if (is_kind(text, at, ':') && is_kind(text, at + 1, PM_TOKEN_NAME))
        at += 2;
    *value = at + 1;
    if (!is_kind(text, at, '=') || !is_kind(text, *value, PM_TOKEN_STRING))
        return false;
    const size_t behind = *value + 1;
    return behind >= text->tokens.count || is_kind(text, behind, PM_TOKEN_NEWLINE) ||
           is_kind(text, behind, ',') || is_kind(text, behind, ')') ||
           is_kind(text, behind, PM_TOKEN_JOINED) || is_kind(text, behind, ';');
}

static char *unquoted(const struct pm_audit_text *text, size_t token)
{
    const char *at = (const char *)text->bytes + text->tokens.start[token];
    const size_t length = text->tokens.end[token] - text->tokens.start[token];
    return length > 2 && (*at == '"' || *at == '\'') ? pm_strndup(at + 1, length - 2)
                                                     : pm_strdup("");
}

void pm_audit_rules_variables(const struct pm_audit_rules *rules,
                              const struct pm_audit_where *where, struct pm_audit_text *text,
                              pm_audit_variable_fn *take, void *ctx)
{
    for (size_t r = 0; r < rules->count; r++) {
        const struct pm_audit_rule *rule = &rules->items[r];
        if (!rule->variable || !applies(rule, where))
            continue;
        for (size_t i = 0; i + 2 < text->tokens.count; i++) {
            size_t value;
            if (!is_kind(text, i, PM_TOKEN_NAME) || !read_setting(text, i, &value))
                continue;
            char *name = pm_strndup((const char *)text->bytes + text->tokens.start[i],
                                    text->tokens.end[i] - text->tokens.start[i]);
            char *set = unquoted(text, value);
            /* The name may also be a keyword argument of a call that another rule matches:
             * take_variable() of audit.c then ignores it. */
            if (matches(rule->variable, name) && rule->argument && matches(rule->argument, set))
                take(ctx, rule, i);
            free(name);
            free(set);
        }
    }
}

/* Returns whether a token contains one of the words of a list. */
static bool has_word(const struct pm_audit_text *text, size_t token, const char *words)
{
    const size_t length = text->tokens.end[token] - text->tokens.start[token];
    for (const char *at = words; *at;) {
        const size_t word = strcspn(at, " ");
        if (word && memmem(text->bytes + text->tokens.start[token], length, at, word))
            return true;
        at += word + (at[word] == ' ');
    }
    return false;
}

/* Returns whether a token from `from` up to `until`, or up to the end of the line, checks for a
 * device. */
static bool asks(const struct pm_audit_rules *rules, const struct pm_audit_text *text, size_t from,
                 size_t until)
{
    for (size_t i = from; i < until && i < text->tokens.count; i++) {
        if (text->tokens.kind[i] == PM_TOKEN_NEWLINE)
            return false;
        if (has_word(text, i, rules->guards))
            return true;
    }
    return false;
}

/* Returns whether one of the decorators above a statement checks for a device, as
 * pytest.mark.skipif does. A decorator that only lists devices as parameters of a test does not
 * check for one. */
static bool is_decorated(const struct pm_audit_rules *rules, const struct pm_audit_text *text,
                         size_t statement)
{
    while (statement-- > 0 && is_kind(text, text->statements[statement].token, '@')) {
        const size_t first = text->statements[statement].token;
        bool parametrized = false;
        for (size_t i = first;
             i < text->tokens.count && text->tokens.kind[i] != PM_TOKEN_NEWLINE && !parametrized;
             i++)
            parametrized = is_word(text, i, "parametrize");
        if (!parametrized && asks(rules, text, first, text->tokens.count))
            return true;
    }
    return false;
}

bool pm_audit_is_guarded(const struct pm_audit_rules *rules, struct pm_audit_text *text,
                         size_t token)
{
    (void)pm_audit_text_in_loop(text, token); /* finds the statements */
    size_t at = text->statement_count;
    while (at > 0 && text->statements[at - 1].token > token)
        at--;
    if (!at--)
        return false;
    const size_t first = text->statements[at].token;
    for (size_t i = first; i < token; i++) /* x = f() if torch.cuda.is_available() else g() */
        if (is_word(text, i, "if") && asks(rules, text, i + 1, token))
            return true;
    for (size_t i = token; i < text->tokens.count && text->tokens.kind[i] != PM_TOKEN_NEWLINE; i++)
        if (is_word(text, i, "if"))
            return asks(rules, text, i + 1, text->tokens.count);
    unsigned indent = text->statements[at].indent;
    bool defined = false; /* the use is in a definition, which only its decorators guard */
    while (at-- > 0 && indent) {
        const struct pm_audit_statement *above = &text->statements[at];
        if (above->indent >= indent)
            continue;
        indent = above->indent;
        if (!defined &&
            (is_word(text, above->token, "if") || is_word(text, above->token, "elif")) &&
            asks(rules, text, above->token, text->tokens.count))
            return true;
        if (is_word(text, above->token, "def") || is_word(text, above->token, "class")) {
            if (is_decorated(rules, text, at))
                return true;
            defined = true;
        }
    }
    return false;
}
