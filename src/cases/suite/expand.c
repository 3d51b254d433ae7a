/* Expands a case over its dtypes, and parses the specifications of its inputs. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "suite/suite_private.h"

#define LITERAL "literal"

/* Writes the sizes of a shape without brackets, "8,32", for use inside the brackets of a
 * specification. */
static void shape_sizes(const struct pm_shape *shape, char out[static PM_SHAPE_TEXT])
{
    char text[PM_SHAPE_TEXT];
    pm_shape_text(shape, text);
    snprintf(out, PM_SHAPE_TEXT, "%.*s", (int)strlen(text) - 2, text + 1);
}

static bool is_literal(const char *text)
{
    const size_t length = strlen(LITERAL);
    return strncmp(text, LITERAL, length) == 0 && strchr(" \t\n", text[length]);
}

/* Returns whether a text such as "key(7)" specifies a random key of JAX, and stores its number in
 * *out. */
static bool is_key(const char *text, uint32_t *out)
{
    long long number;
    const size_t length = strlen(text);
    if (strncmp(text, "key(", 4) != 0 || text[length - 1] != ')')
        return false;
    char *digits = pm_strndup(text + 4, length - 5);
    const bool found = pm_parse_int(digits, &number) && number >= 0 && number <= UINT32_MAX;
    free(digits);
    *out = found ? (uint32_t)number : 0;
    return found;
}

/* Parses the specification of an input for shape `k`. */
static int parse_spec(const struct pm_case *c, const char *text, size_t k,
                      struct pm_input_spec *out, struct pm_error *err)
{
    struct pm_suite_private scratch = {0};
    char sizes[PM_SHAPE_TEXT] = "";
    if (c->shape_count)
        shape_sizes(&c->shapes[k], sizes);
    const int rc = pm_input_parse(pm_suite__substitute(&scratch, text, "$shape", sizes), out, err);
    for (size_t i = 0; i < scratch.count; i++)
        free(scratch.blocks[i]);
    free(scratch.blocks);
    return rc;
}

int pm_suite_input(const struct pm_case *c, size_t input, size_t k, struct pm_input_spec *out,
                   struct pm_error *err)
{
    if (input >= c->input_count || c->inputs[input].is_literal || c->inputs[input].is_key ||
        (k && k >= c->shape_count))
        PM_BUG("the requested input does not exist");
    return parse_spec(c, c->inputs[input].text, k, out, err);
}

static int read_input(const struct pm_suite__file *file, const struct pm_case *c,
                      struct pm_input *input, struct pm_error *err)
{
    input->is_literal = is_literal(input->text);
    if (input->is_literal) {
        const char *json = input->text + strlen(LITERAL);
        struct pm_error why;
        if (pm_json_parse(json, strlen(json), &input->literal, &why))
            return pm_error_set(err, PM_EFORMAT,
                                "the literal of input '%s' is not JSON: %s: write JSON after "
                                "'literal'",
                                input->name, why.text);
        pm_suite__keep_json(file->own, input->literal);
        return PM_OK;
    }
    input->is_key = is_key(input->text, &input->key);
    if (input->is_key)
        return PM_OK;
    for (size_t k = c->shape_count; k-- > 1;)
        PM_TRY(parse_spec(c, input->text, k, &input->spec, err));
    return parse_spec(c, input->text, 0, &input->spec, err);
}

static int expand_inputs(const struct pm_suite__file *file, const struct pm_suite__draft *draft,
                         struct pm_case *c, const char *dtype, struct pm_error *err)
{
    c->inputs = pm_suite__keep(file->own, pm_alloc(c->input_count * sizeof *c->inputs));
    for (size_t i = 0; i < c->input_count; i++) {
        struct pm_input *input = &c->inputs[i];
        *input = draft->c.inputs[i];
        input->text = pm_suite__substitute(file->own, input->text, "$dtype", dtype);
        struct pm_error why = {0};
        if (read_input(file, c, input, &why)) {
            struct fy_node_pair *pair =
                fy_node_mapping_get_by_index(draft->entries[PM_KEY_INPUTS].value, (int)i);
            return pm_suite__wrong(file, fy_node_pair_value(pair), err, "%s", why.text);
        }
    }
    return PM_OK;
}

int pm_suite__expand(const struct pm_suite__file *file, const struct pm_suite__draft *draft,
                     struct pm_suite__loaded *out, struct pm_error *err)
{
    const size_t count = draft->dtype_count ? draft->dtype_count : 1;
    for (size_t i = 0; i < count; i++) {
        struct pm_case c = draft->c;
        c.has_dtype = draft->dtype_count > 0;
        c.dtype = c.has_dtype ? draft->dtypes[i] : (enum pm_dtype)0;
        if (c.has_dtype)
            c.kind = pm_suite__expanded_kind(file, c.kind, c.dtype);
        const char *dtype = c.has_dtype ? pm_dtype_name(c.dtype) : "";
        c.name =
            c.has_dtype ? pm_suite__keep(file->own, pm_format("%s[%s]", c.base, dtype)) : c.base;
        const char **const texts[] = {&c.context, &c.setup,  &c.call,
                                      &c.output,  &c.expect, &c.check};
        for (size_t j = 0; j < sizeof texts / sizeof *texts; j++)
            *texts[j] = pm_suite__substitute(file->own, *texts[j], "$dtype", dtype);
        PM_TRY(expand_inputs(file, draft, &c, dtype, err));
        PM_GROW(out->cases, out->count, out->capacity);
        out->cases[out->count++] = c;
    }
    return PM_OK;
}
