/* Keeps the local names of a file, and finds the places to which names and chains may lead. */
#include <stdlib.h>

#include "base/str.h"
#include "resolve/resolve_private.h"

/* The most bindings of a name. In code that people write, no name has more. */
#define MOST_BINDINGS 16

uint32_t pm_resolve_token_hash(const struct pm_resolve_file *file, size_t token)
{
    const uint32_t start = file->tokens.start[token], length = file->tokens.end[token] - start;
    uint64_t words[2];
    pm_resolve_words(file->text + start, length, words);
    return pm_resolve_hash(file->text + start, length, words);
}

size_t pm_resolve__chain_end(const struct pm_resolve_file *file, size_t token)
{
    for (;;) {
        const size_t dot = pm_resolve__next(file, token);
        const size_t name = pm_resolve__next(file, dot);
        if (pm_resolve_kind(file, dot) != '.' || pm_resolve_kind(file, name) != PM_TOKEN_NAME)
            return token + 1;
        token = name;
    }
}

/* Returns the slot of the local with this name, or a free slot for it. */
static uint32_t *slot_of(const struct pm_resolve_file *file, size_t token, uint32_t hash)
{
    const uint32_t start = file->tokens.start[token], length = file->tokens.end[token] - start;
    size_t i = hash & file->slot_mask;
    for (; file->slots[i]; i = (i + 1) & file->slot_mask) {
        const struct pm_resolve_local *local = &file->locals[file->slots[i] - 1];
        if (local->hash == hash && local->length == length &&
            memcmp(file->text + local->start, file->text + start, length) == 0)
            break;
    }
    return &file->slots[i];
}

struct pm_resolve_local *pm_resolve_local_find(const struct pm_resolve_file *file, size_t token)
{
    const uint32_t *slot = slot_of(file, token, pm_resolve_token_hash(file, token));
    return *slot ? &file->locals[*slot - 1] : NULL;
}

static void grow_slots(struct pm_resolve_file *file)
{
    file->slot_mask = file->slot_mask * 2 + 1;
    free(file->slots);
    file->slots = pm_alloc((file->slot_mask + 1) * sizeof *file->slots);
    for (size_t k = 0; k < file->locals_count; k++) {
        size_t i = file->locals[k].hash & file->slot_mask;
        while (file->slots[i])
            i = (i + 1) & file->slot_mask;
        file->slots[i] = (uint32_t)k + 1;
    }
}

struct pm_resolve_local *pm_resolve__local_make(struct pm_resolve_file *file, size_t token)
{
    if (file->locals_count * 8 >= file->slot_mask)
        grow_slots(file);
    const uint32_t hash = pm_resolve_token_hash(file, token);
    uint32_t *slot = slot_of(file, token, hash);
    if (!*slot) {
        const uint32_t start = file->tokens.start[token];
        PM_RESOLVE__PUSH(file, locals,
                         (struct pm_resolve_local){.start = start,
                                                   .length = file->tokens.end[token] - start,
                                                   .hash = hash});
        *slot = (uint32_t)file->locals_count;
    }
    return &file->locals[*slot - 1];
}

bool pm_resolve__bind(struct pm_resolve_file *file, size_t token, struct pm_resolve_binding binding)
{
    struct pm_resolve_local *local = pm_resolve__local_make(file, token);
    for (uint32_t i = local->first; i; i = file->bindings[i - 1].next) {
        const struct pm_resolve_binding *known = &file->bindings[i - 1];
        if (known->node == binding.node && known->symbol == binding.symbol &&
            known->framework == binding.framework)
            return false;
    }
    if (local->count == MOST_BINDINGS)
        return false;
    local->count++;
    binding.next = local->first;
    PM_RESOLVE__PUSH(file, bindings, binding);
    local->first = (uint32_t)file->bindings_count;
    return true;
}

static uint32_t function_at(const struct pm_resolve_index *index, struct pm_resolve_binding binding)
{
    if (!index->frameworks[binding.framework].flat_only)
        return binding.node ? index->nodes[binding.node].function : 0;
    return binding.symbol ? index->symbols[binding.symbol].flat[binding.framework] : 0;
}

struct pm_resolve_reached pm_resolve_follow(const struct pm_resolve_file *file,
                                            struct pm_resolve_binding binding, size_t from,
                                            size_t end)
{
    const struct pm_resolve_index *index = file->index;
    const bool flat_only = index->frameworks[binding.framework].flat_only;
    struct pm_resolve_reached place = {binding, function_at(index, binding) != 0};
    for (size_t token = from; token < end; token++) {
        if (pm_resolve_kind(file, token) != PM_TOKEN_NAME)
            continue;
        const uint32_t symbol =
            pm_resolve_token_symbol(file, token, pm_resolve_token_hash(file, token));
        place.binding.symbol = symbol;
        if (!flat_only)
            place.binding.node = symbol && place.binding.node
                                     ? pm_resolve_child(index, place.binding.node, symbol)
                                     : PM_RESOLVE_NONE;
        const uint32_t function = function_at(index, place.binding);
        place.whole = function != 0;
        if (function)
            place.binding.function = function;
    }
    return place;
}

/* Returns the first node from `node` on, in the list of its symbol, that a star import binds. */
static uint32_t next_starred(const struct pm_resolve_file *file, uint32_t node)
{
    const struct pm_resolve_node *nodes = file->index->nodes;
    while (node && !(file->starred[nodes[node].parent / 64] >> nodes[node].parent % 64 & 1))
        node = nodes[node].same;
    return node;
}

bool pm_resolve_starred(const struct pm_resolve_file *file, size_t token,
                        struct pm_resolve_star *at, struct pm_resolve_binding *out)
{
    const struct pm_resolve_index *index = file->index;
    const uint32_t symbol =
        file->stars_count ? pm_resolve_token_symbol(file, token, pm_resolve_token_hash(file, token))
                          : PM_RESOLVE_NONE;
    if (!symbol)
        return false;
    if (!at->begun || at->node)
        at->node = next_starred(file, at->begun ? index->nodes[at->node].same
                                                : index->symbols[symbol].nodes);
    at->begun = true;
    if (at->node) {
        *out = (struct pm_resolve_binding){.node = at->node,
                                           .symbol = symbol,
                                           .framework = index->nodes[at->node].framework,
                                           .function = index->nodes[at->node].function};
        return true;
    }
    for (; at->framework < index->framework_count; at->framework++) {
        const uint32_t row = index->symbols[symbol].flat[at->framework];
        if (!row || !(file->flat_stars >> at->framework & 1))
            continue;
        *out = (struct pm_resolve_binding){
            .symbol = symbol, .framework = at->framework++, .function = row};
        return true;
    }
    return false;
}

/* ---- names that are not in the table -------------------------------------------------------- */

static void add_node(const struct pm_resolve_index *index, uint32_t node, struct pm_str *out)
{
    if (index->nodes[node].parent) {
        add_node(index, index->nodes[node].parent, out);
        pm_str_add_char(out, '.');
    }
    pm_str_add(out, index->symbols[index->nodes[node].symbol].text);
}

static uint32_t keep_text(struct pm_resolve_file *file, const struct pm_str *name)
{
    enum { MOST = 255 };
    const bool cut = name->length > MOST;
    const size_t length = cut ? MOST - 3 : name->length;
    const size_t begin = file->texts_count;
    for (size_t i = 0; i < length; i++)
        PM_RESOLVE__PUSH(file, texts, name->data[i]);
    for (int i = 0; cut && i < 3; i++)
        PM_RESOLVE__PUSH(file, texts, '.');
    PM_RESOLVE__PUSH(file, texts, '\0');
    return (uint32_t)begin + 1;
}

uint32_t pm_resolve__text(struct pm_resolve_file *file, struct pm_resolve_binding binding,
                          size_t from, size_t end)
{
    struct pm_str name = PM_STR_INIT;
    if (file->index->frameworks[binding.framework].flat_only)
        return 0;
    if (binding.text)
        pm_str_add(&name, file->texts + binding.text - 1);
    else if (binding.node)
        add_node(file->index, binding.node, &name);
    for (size_t token = from; token < end; token++) {
        const uint32_t start = file->tokens.start[token];
        if (pm_resolve_kind(file, token) != PM_TOKEN_NAME)
            continue;
        pm_str_add_char(&name, '.');
        pm_str_add_bytes(&name, file->text + start, file->tokens.end[token] - start);
    }
    const uint32_t text = keep_text(file, &name);
    pm_str_release(&name);
    return text;
}
