/* Reads mappings, and checks that the value of each key has the form that the key requires. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "suite/suite_private.h"

/* Returns whether a plain scalar is one of `words` or, if `words` is NULL, a number. */
static bool plain_is(struct fy_node *node, const char *const *words)
{
    if (!node || !fy_node_is_scalar(node) || fy_node_get_style(node) != FYNS_PLAIN)
        return false;
    const char *text = fy_node_get_scalar0(node);
    double number;
    if (!words)
        return pm_parse_double(text, &number);
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

/* The words of YAML's core schema. */
static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
static const char *const trues[] = {"true", "True", "TRUE", NULL};
static const char *const falses[] = {"false", "False", "FALSE", NULL};

static bool is_null(struct fy_node *node)
{
    return !node || plain_is(node, nulls);
}

static bool is_truth(struct fy_node *node)
{
    return plain_is(node, trues) || plain_is(node, falses);
}

static bool is_text(struct fy_node *node)
{
    return node && fy_node_is_scalar(node) && !is_null(node) && !is_truth(node) &&
           !plain_is(node, NULL);
}

const char *pm_suite__text(const struct pm_suite__file *file, struct fy_node *node)
{
    size_t length;
    const char *text = fy_node_get_scalar(node, &length);
    return pm_suite__copy(file->own, text, length);
}

int pm_suite__quoted_text(const struct pm_suite__file *file, struct fy_node *key,
                          struct fy_node *value, const char *what, const char **out,
                          struct pm_error *err)
{
    if (!is_text(value))
        return pm_suite__wrong(file, value ? value : key, err,
                               "'%.64s' of %s is not a string: put it in quotes",
                               fy_node_get_scalar0(key), what);
    *out = pm_suite__text(file, value);
    return PM_OK;
}

bool pm_suite__truth(struct fy_node *node)
{
    return plain_is(node, trues);
}

double pm_suite__number(struct fy_node *node)
{
    double number = NAN;
    if (plain_is(node, NULL) && !pm_parse_double(fy_node_get_scalar0(node), &number))
        PM_BUG("a scalar that was a number is no longer one");
    return number;
}

static bool is_blank(struct fy_node *node)
{
    return strspn(fy_node_get_scalar0(node), " \t\r\n") == fy_node_get_scalar_length(node);
}

int pm_suite__texts(const struct pm_suite__file *file, struct fy_node *node, const char ***out,
                    size_t *count, struct pm_error *err)
{
    const bool one = fy_node_is_scalar(node);
    *count = one ? 1 : (size_t)fy_node_sequence_item_count(node);
    *out = pm_suite__keep(file->own, pm_alloc(*count * sizeof **out));
    void *previous = NULL;
    for (size_t i = 0; i < *count; i++) {
        struct fy_node *item = one ? node : fy_node_sequence_iterate(node, &previous);
        if (!is_text(item) || is_blank(item))
            return pm_suite__wrong(
                file, item, err,
                "item %zu of the list is blank or not a string: write a string in quotes", i + 1);
        (*out)[i] = pm_suite__text(file, item);
    }
    return PM_OK;
}

/* Returns NULL if the value has the form, else a description of that form. */
static const char *form_breach(struct fy_node *value, enum pm_suite__form form)
{
    const bool list = value && fy_node_is_sequence(value);
    switch (form) {
    case PM_FORM_TEXT:
        if (is_text(value) && !is_blank(value))
            return NULL;
        return is_null(value) || !fy_node_is_scalar(value) ? "a string" : "a quoted string";
    case PM_FORM_TEXTS:
        if (list && fy_node_sequence_item_count(value) > 0)
            return NULL;
        return is_text(value) && !is_blank(value) ? NULL
                                                  : "a string or a non-empty list of strings";
    case PM_FORM_CHOICES:
        if (value && fy_node_is_mapping(value))
            return fy_node_mapping_item_count(value) > 0 ? NULL : "a non-empty mapping";
        return is_text(value) && !is_blank(value) ? NULL : "a string or a mapping";
    case PM_FORM_TRUTH:
        return is_truth(value) ? NULL : "true or false";
    case PM_FORM_NUMBER:
        return plain_is(value, NULL) && isfinite(pm_suite__number(value)) ? NULL : "a number";
    case PM_FORM_LIST:
        return list && fy_node_sequence_item_count(value) > 0 ? NULL : "a non-empty list";
    case PM_FORM_ITEMS:
        return list ? NULL : "a list";
    case PM_FORM_MAPPING:
        return value && fy_node_is_mapping(value) && fy_node_mapping_item_count(value) > 0
                   ? NULL
                   : "a non-empty mapping";
    }
    return NULL;
}

static int report_unknown(const struct pm_suite__file *file, struct fy_node *key, const char *what,
                          const struct pm_suite__key *keys, size_t count, struct pm_error *err)
{
    const char *name = fy_node_get_scalar0(key);
    const char **names = pm_alloc(count * sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = keys[i].name;
    const char *nearest = pm_nearest(name, names, count);
    free((void *)names);
    if (nearest)
        return pm_suite__wrong(file, key, err, "unknown key '%.64s' of %s: did you mean '%s'?",
                               name, what, nearest);
    return pm_suite__wrong(file, key, err,
                           "unknown key '%.64s' of %s: docs/cases.md lists the keys", name, what);
}

int pm_suite__read_keys(const struct pm_suite__file *file, struct fy_node *node, const char *what,
                        const struct pm_suite__key *keys, size_t count,
                        struct pm_suite__entry *entries, struct pm_error *err)
{
    if (!node || !fy_node_is_mapping(node))
        return pm_suite__wrong(file, node ? node : file->root, err,
                               "%s must be a mapping, as in %s", what, keys[0].example);
    void *previous = NULL;
    for (struct fy_node_pair *pair; (pair = fy_node_mapping_iterate(node, &previous));) {
        struct fy_node *key = fy_node_pair_key(pair), *value = fy_node_pair_value(pair);
        if (!is_text(key))
            return pm_suite__wrong(file, key ? key : node, err,
                                   "a key of %s is not a string: put it in quotes", what);
        const char *name = fy_node_get_scalar0(key);
        size_t i = 0;
        while (i < count && strcmp(name, keys[i].name) != 0)
            i++;
        if (i == count)
            return report_unknown(file, key, what, keys, count, err);
        const char *must = form_breach(value, keys[i].form);
        if (must)
            return pm_suite__wrong(file, is_null(value) ? key : value, err,
                                   "'%s' must be %s, as in %s", name, must, keys[i].example);
        entries[i] = (struct pm_suite__entry){key, value};
    }
    return PM_OK;
}

int pm_suite__find_word(const struct pm_suite__file *file, struct fy_node *at, const char *text,
                        const char *key, const struct pm_words *words, int *out,
                        struct pm_error *err)
{
    struct pm_str known = PM_STR_INIT;
    *out = pm_words_find(words, text);
    if (*out >= 0)
        return PM_OK;
    const char *nearest = pm_nearest(text, words->texts, (size_t)words->count);
    if (nearest)
        return pm_suite__wrong(file, at, err, "unknown value '%.64s' of '%s': did you mean '%s'?",
                               text, key, nearest);
    pm_words_list(words, &known);
    pm_suite__wrong(file, at, err, "unknown value '%.64s' of '%s': use one of %s", text, key,
                    known.data);
    pm_str_release(&known);
    return PM_EFORMAT;
}
