/* Reads JSON into one array of nodes. */
#include "inventory/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/str.h"

enum { MOST_LEVELS = 8, MOST_MEMBERS = 32, MOST_DIGITS = 8 };

/* The state of a reader. A NUL follows the text, and no function below reads beyond it. */
struct reading {
    char *at;
    struct pm_inventory__node *nodes;
    size_t count, capacity;
    unsigned level;
};

static bool read_value(struct reading *r, char *key);

static void skip_space(struct reading *r)
{
    while (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r')
        r->at++;
}

static bool take(struct reading *r, char wanted)
{
    skip_space(r);
    if (*r->at != wanted)
        return false;
    r->at++;
    return true;
}

/* Returns the closing quote, or NULL if it is missing. Sets *escapes if the string has escapes, and
 * *foreign if it has bytes beyond ASCII. */
static char *find_quote(char *at, bool *escapes, bool *foreign)
{
    for (; *at != '"'; at++) {
        const unsigned char byte = (unsigned char)*at;
        if (byte < ' ')
            return NULL;
        *foreign |= byte >= 0x80;
        if (byte == '\\') {
            *escapes = true;
            if (!*++at)
                return NULL;
        }
    }
    return at;
}

/* Replaces the escapes in the quoted text from `at` to `end`, which makes it shorter; false if it
 * is not a JSON string. */
static bool unescape(char *at, const char *end)
{
    json_t *text = json_loadb(at, (size_t)(end - at), JSON_DECODE_ANY, NULL);
    if (text)
        memcpy(at + 1, json_string_value(text), json_string_length(text) + 1);
    json_decref(text);
    return text != NULL;
}

/* Turns a JSON string into a C string in place; false if it is malformed. */
static bool read_text(struct reading *r, char **out)
{
    bool escapes = false, foreign = false;
    if (!take(r, '"'))
        return false;
    char *quote = find_quote(r->at, &escapes, &foreign);
    if (!quote)
        return false;
    *out = r->at;
    r->at = quote + 1;
    if (escapes)
        return unescape(*out - 1, quote + 1);
    *quote = 0;
    return !foreign || pm_is_utf8(*out, (size_t)(quote - *out));
}

static bool read_number(struct reading *r, uint32_t *out)
{
    const char *begin = r->at;
    for (*out = 0; *r->at >= '0' && *r->at <= '9' && r->at - begin < MOST_DIGITS; r->at++)
        *out = *out * 10 + (uint32_t)(*r->at - '0');
    const bool more = *r->at && strchr(".eE0123456789", *r->at);
    return r->at > begin && !more && (*begin != '0' || r->at == begin + 1);
}

static bool read_word(struct reading *r, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static bool has_member(const struct pm_inventory__node *object, size_t members, const char *key)
{
    const struct pm_inventory__node *at = pm_inventory__first(object);
    for (; members > 0 && strcmp(at->key, key) != 0; members--)
        at = pm_inventory__end(at);
    return members > 0;
}

static bool read_members(struct reading *r, size_t object)
{
    size_t members = 0;
    char *key;
    if (take(r, '}'))
        return true;
    do {
        if (members == MOST_MEMBERS || !read_text(r, &key) || !take(r, ':') ||
            has_member(&r->nodes[object], members++, key) || !read_value(r, key))
            return false;
    } while (take(r, ','));
    return take(r, '}');
}

static bool read_items(struct reading *r)
{
    if (take(r, ']'))
        return true;
    do {
        if (!read_value(r, NULL))
            return false;
    } while (take(r, ','));
    return take(r, ']');
}

/* Reads the value of node `at`, the last node, whose form is known. */
static bool read_inside(struct reading *r, size_t at)
{
    struct pm_inventory__node *node = &r->nodes[at];
    const enum pm_inventory__form form = node->form;
    switch (form) {
    case PM_INVENTORY__OBJECT:
        r->at++;
        return read_members(r, at);
    case PM_INVENTORY__LIST:
        r->at++;
        return read_items(r);
    case PM_INVENTORY__TEXT:
        return read_text(r, &node->text);
    case PM_INVENTORY__NUMBER:
        return read_number(r, &node->number);
    case PM_INVENTORY__TRUE:
        return read_word(r, "true");
    case PM_INVENTORY__FALSE:
        return read_word(r, "false");
    }
    return false;
}

static enum pm_inventory__form form_of(char first)
{
    switch (first) {
    case '{':
        return PM_INVENTORY__OBJECT;
    case '[':
        return PM_INVENTORY__LIST;
    case '"':
        return PM_INVENTORY__TEXT;
    case 't':
        return PM_INVENTORY__TRUE;
    case 'f':
        return PM_INVENTORY__FALSE;
    default:
        return PM_INVENTORY__NUMBER;
    }
}

static bool read_value(struct reading *r, char *key)
{
    const size_t at = r->count;
    if (r->level == MOST_LEVELS)
        return false;
    skip_space(r);
    PM_GROW(r->nodes, r->count, r->capacity);
    r->nodes[r->count++] = (struct pm_inventory__node){.key = key, .form = form_of(*r->at)};
    r->level++;
    const bool valid = read_inside(r, at);
    r->level--;
    r->nodes[at].nodes = (uint32_t)(r->count - at);
    return valid;
}

/* Sets the error for a text that cannot be read: the place and message of jansson if it is not
 * JSON, otherwise the limits of this reader. */
static int refuse(const char *bytes, size_t length, struct pm_error *err)
{
    json_t *document = NULL;
    PM_TRY(pm_json_parse(bytes, length, &document, err));
    json_decref(document);
    return pm_error_set(err, PM_EFORMAT,
                        "the inventory contains null, a number with a sign, a fraction, an "
                        "exponent or more than %d digits, an object with more than %d members, or "
                        "more than %d levels",
                        MOST_DIGITS, MOST_MEMBERS, MOST_LEVELS);
}

int pm_inventory__tree_read(struct pm_inventory__tree *tree, const char *bytes, size_t length,
                            struct pm_error *err)
{
    struct reading r = {.capacity = length / 32 + 8};
    *tree = (struct pm_inventory__tree){0};
    if (length >= UINT32_MAX)
        return pm_error_set(err, PM_EFORMAT,
                            "the inventory has %zu bytes, more than portmeter's limit of 4 GiB",
                            length);
    char *text = pm_realloc(NULL, length + 1);
    memcpy(text, bytes, length);
    text[length] = 0;
    r.at = text;
    r.nodes = pm_realloc_array(NULL, r.capacity, sizeof *r.nodes);
    bool valid = read_value(&r, NULL);
    skip_space(&r);
    valid = valid && r.at == text + length;
    if (valid) {
        *tree = (struct pm_inventory__tree){text, r.nodes};
        return PM_OK;
    }
    free(r.nodes);
    free(text);
    return refuse(bytes, length, err);
}

const struct pm_inventory__node *pm_inventory__member(const struct pm_inventory__node *object,
                                                      const char *key)
{
    if (object->form != PM_INVENTORY__OBJECT)
        return NULL;
    const struct pm_inventory__node *end = pm_inventory__end(object);
    const struct pm_inventory__node *at = pm_inventory__first(object);
    while (at < end && strcmp(at->key, key) != 0)
        at = pm_inventory__end(at);
    return at < end ? at : NULL;
}

char *pm_inventory__text(const struct pm_inventory__node *object, const char *key, char *fallback)
{
    const struct pm_inventory__node *member = pm_inventory__member(object, key);
    return member && member->form == PM_INVENTORY__TEXT ? member->text : fallback;
}

size_t pm_inventory__length(const struct pm_inventory__node *list)
{
    size_t length = 0;
    if (!list || list->form != PM_INVENTORY__LIST)
        return 0;
    for (const struct pm_inventory__node *at = pm_inventory__first(list);
         at < pm_inventory__end(list); at = pm_inventory__end(at))
        length++;
    return length;
}
