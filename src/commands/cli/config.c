/* Reads portmeter.yaml. */
#include "cli/config.h"

#include <libfyaml.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/line.h"
#include "base/nearest.h"
#include "base/plain.h"
#include "cli/cli.h"

enum { MOST_KEYS = 128 };

const char *const cli_config_commands[] = {"run", "study", "report", "scan", "audit", NULL};

static struct cli_config config; /* kept until the program ends: options borrow its values */

/* ---- messages -------------------------------------------------------------------------------- */

/* Returns the position of a node. The position of a mapping or list is that of its first scalar. */
static const struct fy_mark *mark_of(struct fy_node *node)
{
    void *previous = NULL;
    while (node && !fy_node_is_scalar(node)) {
        struct fy_node_pair *pair =
            fy_node_is_mapping(node) ? fy_node_mapping_iterate(node, &previous) : NULL;
        node = pair                        ? fy_node_pair_key(pair)
               : fy_node_is_sequence(node) ? fy_node_sequence_iterate(node, &previous)
                                           : NULL;
        previous = NULL;
    }
    struct fy_token *token = node ? fy_node_get_scalar_token(node) : NULL;
    return token ? fy_token_start_mark(token) : NULL;
}

static int line_of(struct fy_node *node)
{
    const struct fy_mark *mark = mark_of(node);
    return mark ? mark->line + 1 : 1;
}

static int wrong(struct fy_node *at, struct pm_error *err, const char *format, ...) PM_PRINTF(3, 4);
static int wrong(struct fy_node *at, struct pm_error *err, const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const struct fy_mark *mark = mark_of(at);
    return pm_error_set(err, PM_EUSAGE, "%s:%d:%d: %s", config.path, mark ? mark->line + 1 : 1,
                        mark ? mark->column + 1 : 1, text);
}

/* ---- options --------------------------------------------------------------------------------- */

struct options {
    const char *names[MOST_KEYS];
    const struct cli_option *found;
    size_t count;
    const char *name;
};

static void take_option(void *ctx, const struct cli_option *option, const char *group)
{
    struct options *options = ctx;
    (void)group;
    if (options->count < MOST_KEYS)
        options->names[options->count++] = option->name;
    if (!strcmp(option->name, options->name))
        options->found = option;
}

static void add(const struct cli_command *command, const struct cli_option *option,
                const char *value, int line)
{
    PM_GROW(config.settings, config.count, config.capacity);
    config.settings[config.count++] =
        (struct cli_setting){command, option, value ? pm_strdup(value) : NULL, line};
}

static int read_flag(const struct cli_command *command, const struct cli_option *option,
                     struct fy_node *value, struct pm_error *err)
{
    const char *text = fy_node_is_scalar(value) ? fy_node_get_scalar0(value) : "";
    const bool yes = !strcmp(text, "true");
    if (!yes && strcmp(text, "false"))
        return wrong(value, err, "'%s' of %s must be true or false", option->name, command->name);
    if (yes)
        add(command, option, NULL, line_of(value));
    return PM_OK;
}

static int read_scalar(const struct cli_command *command, const struct cli_option *option,
                       struct fy_node *key, struct fy_node *value, struct pm_error *err)
{
    const char *text = value && fy_node_is_scalar(value) ? fy_node_get_scalar0(value) : NULL;
    if (!text || !*text)
        return wrong(key, err, "'%s' of %s needs a value: write %s: %s", option->name,
                     command->name, option->name, option->argument);
    add(command, option, text, line_of(value));
    return PM_OK;
}

static int read_value(const struct cli_command *command, const struct cli_option *option,
                      struct fy_node *key, struct fy_node *value, struct pm_error *err)
{
    void *previous = NULL;
    if (!option->argument)
        return read_flag(command, option, value, err);
    if (!value || !fy_node_is_sequence(value))
        return read_scalar(command, option, key, value, err);
    if (!option->repeats)
        return wrong(value, err, "'%s' of %s takes one value, not a list", option->name,
                     command->name);
    for (struct fy_node *item; (item = fy_node_sequence_iterate(value, &previous));)
        PM_TRY(read_scalar(command, option, item, item, err));
    return PM_OK;
}

static int unknown_key(struct fy_node *key, const char *name, const char *of,
                       const char *const *known, size_t count, const char *advice,
                       struct pm_error *err)
{
    struct pm_error text;
    pm_nearest_error(&text, PM_EUSAGE, name, known, count, advice, "unknown key '%.60s'%s%s", name,
                     *of ? " of " : "", of);
    return wrong(key, err, "%s", text.text);
}

static int read_command(const struct cli_command *command, struct fy_node *node,
                        struct pm_error *err)
{
    void *previous = NULL;
    if (!node || !fy_node_is_mapping(node))
        return wrong(node, err, "'%s' must contain options, as in %s: {db: results.db}",
                     command->name, command->name);
    for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate(node, &previous));) {
        struct fy_node *key = fy_node_pair_key(pair);
        const char *name = key && fy_node_is_scalar(key) ? fy_node_get_scalar0(key) : "";
        struct options options = {.name = name};
        cli_options_each(command->options, take_option, &options);
        if (!options.found) {
            char *advice = pm_format("portmeter help %s lists the options", command->name);
            const int rc =
                unknown_key(key, name, command->name, options.names, options.count, advice, err);
            free(advice);
            return rc;
        }
        PM_TRY(read_value(command, options.found, key, fy_node_pair_value(pair), err));
    }
    return PM_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int read_top(struct fy_node *key, struct fy_node *value, struct pm_error *err)
{
    static const char *const known[] = {"db", "run", "study", "report", "scan", "audit"};
    const char *name = key && fy_node_is_scalar(key) ? fy_node_get_scalar0(key) : "";
    size_t i = 0;
    while (i < sizeof known / sizeof *known && strcmp(known[i], name))
        i++;
    if (i == sizeof known / sizeof *known)
        return unknown_key(key, name, "", known, i, "use db, run, study, report, scan or audit",
                           err);
    if (i)
        return read_command(cli_command_find(name), value, err);
    const char *text = value && fy_node_is_scalar(value) ? fy_node_get_scalar0(value) : "";
    if (!*text)
        return wrong(key, err, "'db' needs a value: write db: FILE");
    add(NULL, cli_db_option + 1, text, line_of(value));
    return PM_OK;
}

static int report_syntax(struct fy_diag *diag, struct pm_error *err)
{
    void *previous = NULL;
    struct fy_diag_error *found;
    while ((found = fy_diag_errors_iterate(diag, &previous)) && found->type < FYET_ERROR)
        continue;
    struct pm_str text = PM_STR_INIT;
    pm_line_add(&text, found && found->msg ? found->msg : "malformed", 200);
    const bool twice = strstr(text.data, "duplicate key");
    const int rc = pm_error_set(err, PM_EUSAGE, "%s:%d:%d: malformed YAML: %s%s", config.path,
                                found ? found->line : 1, found ? found->column : 1, text.data,
                                twice ? ": write several values as a list, [A, B]" : "");
    pm_str_release(&text);
    return rc;
}

static int parse(const struct pm_str *bytes, struct pm_error *err)
{
    struct fy_diag_cfg diag_config;
    fy_diag_cfg_default(&diag_config);
    diag_config.fp = NULL;
    struct fy_diag *diag = fy_diag_create(&diag_config);
    fy_diag_set_collect_errors(diag, true);
    const struct fy_parse_cfg yaml = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG, .diag = diag};
    struct fy_document *document = fy_document_build_from_string(&yaml, bytes->data, bytes->length);
    struct fy_node *root = document ? fy_document_root(document) : NULL;
    void *previous = NULL;
    int rc = PM_OK;
    if (!document || fy_diag_got_error(diag))
        rc = report_syntax(diag, err);
    else if (root && !fy_node_is_mapping(root))
        rc = wrong(root, err,
                   "the file must contain keys: use db, run, study, report, scan or audit");
    else if (root)
        for (struct fy_node_pair *pair; !rc && (pair = fy_node_mapping_iterate(root, &previous));)
            rc = read_top(fy_node_pair_key(pair), fy_node_pair_value(pair), err);
    fy_document_destroy(document);
    fy_diag_destroy(diag);
    return rc;
}

int cli_config_load(struct pm_error *err)
{
    const char *named = getenv("PORTMETER_CONFIG"), *path = named ? named : "portmeter.yaml";
    struct pm_str bytes = PM_STR_INIT;
    if (config.path || !*path || (!named && !pm_path_exists(path)))
        return PM_OK;
    config.path = pm_strdup(path);
    int rc = pm_file_read(path, &bytes, err);
    if (!rc)
        rc = pm_plain_check(path, bytes.data, bytes.length, err);
    if (!rc && bytes.length)
        rc = parse(&bytes, err);
    pm_str_release(&bytes);
    return rc;
}

const struct cli_config *cli_config(void)
{
    return &config;
}

const char *cli_config_value(const char *key, int *line)
{
    for (size_t i = 0; i < config.count; i++)
        if (!config.settings[i].command && !strcmp(config.settings[i].option->name, key)) {
            if (line)
                *line = config.settings[i].line;
            return config.settings[i].value;
        }
    return NULL;
}
