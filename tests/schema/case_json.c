/* Prints each case file as a line of JSON with YAML's types, for tests/check-case-schema. */
#include <jansson.h>
#include <libfyaml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static json_t *scalar_of(struct fy_node *node)
{
    const char *text = fy_node_get_scalar0(node);
    char *end;
    if (!text)
        return json_null();
    if (fy_node_get_style(node) != FYNS_PLAIN)
        return json_string(text);
    if (!strcmp(text, "true") || !strcmp(text, "false"))
        return json_boolean(*text == 't');
    if (!strchr("+-.0123456789", *text))
        return json_string(text); /* strtod() would read "nan" */
    const long long whole = strtoll(text, &end, 10);
    if (*text && !*end)
        return json_integer(whole);
    const double number = strtod(text, &end);
    return *text && !*end ? json_real(number) : json_string(text);
}

static json_t *value_of(struct fy_node *node)
{
    void *previous = NULL;
    if (!node || fy_node_is_scalar(node))
        return node ? scalar_of(node) : json_null();
    if (fy_node_is_sequence(node)) {
        json_t *list = json_array();
        for (struct fy_node *item; (item = fy_node_sequence_iterate(node, &previous));)
            json_array_append_new(list, value_of(item));
        return list;
    }
    json_t *object = json_object();
    for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate(node, &previous));)
        json_object_set_new(object, fy_node_get_scalar0(fy_node_pair_key(pair)),
                            value_of(fy_node_pair_value(pair)));
    return object;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct fy_document *document = fy_document_build_from_file(NULL, argv[i]);
        if (!document)
            return 1;
        json_t *line = json_pack("{s:s, s:o}", "path", argv[i], "document",
                                 value_of(fy_document_root(document)));
        char *text = json_dumps(line, JSON_COMPACT);
        puts(text);
        free(text);
        json_decref(line);
        fy_document_destroy(document);
    }
    return 0;
}
