/* Parses YAML through libfyaml, and finds the line and column of nodes. */
#include <stdarg.h>
#include <string.h>

#include "base/line.h"
#include "suite/suite_private.h"

struct position {
    int line, column; /* from 1 */
};

/* Finds the position of the first scalar of a container, because libfyaml stores no position for
 * containers. */
static bool position_inside(struct fy_node *node, struct position *out)
{
    for (struct fy_node *at = node; at;) {
        void *previous = NULL;
        if (fy_node_is_scalar(at)) {
            struct fy_token *token = fy_node_get_scalar_token(at);
            const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
            if (mark)
                *out = (struct position){mark->line + 1, mark->column + 1};
            return mark != NULL;
        }
        if (fy_node_is_sequence(at)) {
            at = fy_node_sequence_iterate(at, &previous);
        } else {
            struct fy_node_pair *pair = fy_node_mapping_iterate(at, &previous);
            at = pair ? fy_node_pair_key(pair) : NULL;
        }
    }
    return false;
}

/* Finds the position of an empty container. Only a report of libfyaml contains it. */
static bool position_reported(const struct pm_suite__file *file, struct fy_node *node,
                              struct position *out)
{
    void *previous = NULL;
    struct fy_diag_error *report = NULL;
    fy_diag_node_report(file->diag, node, FYET_ERROR, "here");
    for (struct fy_diag_error *next; (next = fy_diag_errors_iterate(file->diag, &previous));)
        report = next;
    if (report)
        *out = (struct position){report->line, report->column};
    return report != NULL;
}

static struct position position_of(const struct pm_suite__file *file, struct fy_node *node)
{
    struct position position = {1, 1};
    if (node && !position_inside(node, &position))
        position_reported(file, node, &position);
    return position;
}

int pm_suite__line(const struct pm_suite__file *file, struct fy_node *at)
{
    return position_of(file, at).line;
}

int pm_suite__wrong(const struct pm_suite__file *file, struct fy_node *at, struct pm_error *err,
                    const char *format, ...)
{
    char text[sizeof err->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const struct position position = position_of(file, at);
    return pm_error_set(err, PM_EFORMAT, "%s:%d:%d: %s", file->path, position.line, position.column,
                        text);
}

/* Reports the first error of libfyaml as a message of portmeter. */
static int report_syntax(const struct pm_suite__file *file, struct pm_error *err)
{
    void *previous = NULL;
    struct fy_diag_error *found;
    while ((found = fy_diag_errors_iterate(file->diag, &previous)) && found->type < FYET_ERROR)
        continue;
    if (!found)
        return pm_error_set(err, PM_EFORMAT,
                            "%s:1:1: malformed YAML: docs/cases.md shows the format", file->path);
    if (strcmp(found->msg, "duplicate key") == 0)
        return pm_error_set(err, PM_EFORMAT, "%s:%d:%d: duplicate key: remove one of the two",
                            file->path, found->line, found->column);
    struct pm_str message = PM_STR_INIT;
    pm_line_add(&message, found->msg, 200);
    pm_error_set(err, PM_EFORMAT, "%s:%d:%d: malformed YAML: %s: check quotes and indentation here",
                 file->path, found->line, found->column, message.data);
    pm_str_release(&message);
    return PM_EFORMAT;
}

/* Refuses anchors, aliases, merges and tags, which would let a case mean something that its lines
 * do not show. libfyaml limits the depth itself. */
static int check_plain(const struct pm_suite__file *file, struct fy_node *node,
                       struct pm_error *err)
{
    size_t length;
    if (!node)
        return PM_OK;
    if (fy_node_get_anchor(node) || fy_node_is_alias(node))
        return pm_suite__wrong(
            file, node, err,
            "case files must not contain anchors, aliases or merges: write the value out");
    const char *scalar = fy_node_is_scalar(node) ? fy_node_get_scalar(node, &length) : NULL;
    if (scalar && memchr(scalar, '\0', length))
        return pm_suite__wrong(
            file, node, err, "a string contains the character NUL: remove its escape, such as \\0");
    if (fy_node_get_tag(node, &length))
        return pm_suite__wrong(file, node, err, "case files must not contain tags: remove the tag");
    void *previous = NULL;
    if (fy_node_is_sequence(node)) {
        for (struct fy_node *item; (item = fy_node_sequence_iterate(node, &previous));)
            PM_TRY(check_plain(file, item, err));
    } else if (fy_node_is_mapping(node)) {
        for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate(node, &previous));) {
            PM_TRY(check_plain(file, fy_node_pair_key(pair), err));
            PM_TRY(check_plain(file, fy_node_pair_value(pair), err));
        }
    }
    return PM_OK;
}

int pm_suite__parse(struct pm_suite__file *file, struct pm_error *err)
{
    struct fy_diag_cfg diag_config;
    fy_diag_cfg_default(&diag_config);
    diag_config.fp = NULL;
    file->diag = fy_diag_create(&diag_config);
    if (!file->diag)
        return pm_error_set(
            err, PM_EIO,
            "not enough memory to read '%s' as YAML: end other programs, or add memory",
            file->path);
    fy_diag_set_collect_errors(file->diag, true);
    const struct fy_parse_cfg config = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG,
                                        .diag = file->diag};
    file->parser = fy_parser_create(&config);
    if (!file->parser || fy_parser_set_string(file->parser, file->text.data, file->text.length))
        return pm_error_set(
            err, PM_EIO,
            "not enough memory to read '%s' as YAML: end other programs, or add memory",
            file->path);
    file->document = fy_parse_load_document(file->parser);
    if (fy_diag_got_error(file->diag))
        return report_syntax(file, err);
    file->root = file->document ? fy_document_root(file->document) : NULL;
    if (!file->root)
        return pm_error_set(err, PM_EFORMAT,
                            "%s:1:1: the file is empty: add a function and its cases", file->path);
    struct fy_document *second = fy_parse_load_document(file->parser);
    if (fy_diag_got_error(file->diag))
        return report_syntax(file, err);
    if (second) {
        pm_suite__wrong(file, fy_document_root(second), err,
                        "the file contains a second YAML document: write one function per file");
        fy_parse_document_destroy(file->parser, second);
        return PM_EFORMAT;
    }
    return check_plain(file, file->root, err);
}

void pm_suite__close(struct pm_suite__file *file)
{
    if (file->document)
        fy_parse_document_destroy(file->parser, file->document);
    if (file->parser)
        fy_parser_destroy(file->parser);
    if (file->diag)
        fy_diag_destroy(file->diag);
    if (file->text.data)
        pm_str_release(&file->text);
    *file = (struct pm_suite__file){0};
}
