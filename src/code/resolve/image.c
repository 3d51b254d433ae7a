/* Saves an index as bytes, and loads it. The bytes contain the arrays of the index, one after
 * another, with offsets instead of addresses. Loading them is much faster than building the
 * index. */
#include <stdlib.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "resolve/index.h"

/* The beginning of the bytes. The digest covers the bytes after it, and `form`. */
struct head {
    uint64_t digest;
    struct pm_resolve_index index; /* addresses are offsets from the head */
};

/* Sizes of structures: another build with other structures has another digest. */
static const uint64_t form[] = {sizeof(struct head),
                                sizeof(struct pm_resolve_symbol),
                                sizeof(struct pm_resolve_node),
                                sizeof(struct pm_resolve_known),
                                sizeof(struct pm_resolve_slot),
                                sizeof(struct pm_resolve_edge),
                                sizeof(enum pm_name_kind)};

static uint64_t digest_of(const char *bytes, size_t length)
{
    const size_t before = sizeof(uint64_t);
    return XXH3_64bits_withSeed(bytes + before, length - before, XXH3_64bits(form, sizeof form));
}

/* ---- saving ---------------------------------------------------------------------------------- */

/* Appends bytes, aligned for any type. Returns their offset from `begin` as a pointer. */
static void *put(struct pm_str *out, size_t begin, const void *bytes, size_t length)
{
    static const char zeroes[16] = {0};
    const size_t over = (out->length - begin) % sizeof zeroes;
    pm_str_add_bytes(out, zeroes, over ? sizeof zeroes - over : 0);
    const size_t at = out->length - begin;
    pm_str_add_bytes(out, bytes, length);
    return (void *)(uintptr_t)at;
}

static char *put_text(struct pm_str *out, size_t begin, const char *text)
{
    const size_t at = out->length - begin;
    pm_str_add_bytes(out, text, strlen(text) + 1);
    return (char *)(uintptr_t)at;
}

static void put_rows(struct pm_str *out, size_t begin, struct pm_resolve_rows *rows)
{
    char **names = pm_alloc(rows->count * sizeof *names);
    for (size_t i = 0; i < rows->count; i++)
        names[i] = put_text(out, begin, rows->names[i]);
    rows->names = put(out, begin, names, rows->count * sizeof *names);
    rows->kinds = put(out, begin, rows->kinds, rows->count * sizeof *rows->kinds);
    free(names);
}

static struct pm_resolve_symbol *put_symbols(struct pm_str *out, size_t begin,
                                             const struct pm_resolve_index *index)
{
    const size_t size = (index->symbol_count + 1) * sizeof *index->symbols;
    struct pm_resolve_symbol *symbols = pm_alloc(size);
    for (size_t i = 1; i <= index->symbol_count; i++) {
        symbols[i] = index->symbols[i];
        symbols[i].text = put_text(out, begin, index->symbols[i].text);
    }
    struct pm_resolve_symbol *at = put(out, begin, symbols, size);
    free(symbols);
    return at;
}

void pm_resolve_index_save(const struct pm_resolve_index *index, struct pm_str *out)
{
    const size_t begin = out->length;
    struct head head = {.index = *index};
    struct pm_resolve_index *to = &head.index;
    pm_str_add_bytes(out, &head, sizeof head); /* written again at the end */
    for (unsigned i = 0; i < index->framework_count; i++) {
        to->frameworks[i].import_name = NULL;
        put_rows(out, begin, &to->frameworks[i].flat);
        put_rows(out, begin, &to->frameworks[i].functions);
    }
    to->symbols = put_symbols(out, begin, index);
    to->nodes = put(out, begin, index->nodes, (index->node_count + 1) * sizeof *index->nodes);
    to->bases = put(out, begin, index->bases, index->base_count * sizeof *index->bases);
    to->facts = put(out, begin, index->facts, index->fact_count * sizeof *index->facts);
    to->slots = put(out, begin, index->slots, (index->slot_mask + 1) * sizeof *index->slots);
    to->maybe = put(out, begin, index->maybe, ((size_t)1 << PM_RESOLVE_MAYBE_BITS) / 8);
    to->edges = put(out, begin, index->edges, (index->edge_mask + 1) * sizeof *index->edges);
    to->image = NULL;
    memcpy(out->data + begin, &head, sizeof head);
    head.digest = digest_of(out->data + begin, out->length - begin);
    memcpy(out->data + begin, &head.digest, sizeof head.digest);
}

/* ---- loading --------------------------------------------------------------------------------- */

static void *address(char *bytes, const void *offset)
{
    return bytes + (uintptr_t)offset;
}

static void find_rows(char *bytes, struct pm_resolve_rows *rows)
{
    rows->names = address(bytes, rows->names);
    rows->kinds = address(bytes, rows->kinds);
    for (size_t i = 0; i < rows->count; i++)
        rows->names[i] = address(bytes, rows->names[i]);
}

bool pm_resolve_index_load(struct pm_resolve_index *index, void *image, size_t length)
{
    char *bytes = image;
    struct head head;
    if (length < sizeof head)
        return false;
    memcpy(&head, bytes, sizeof head);
    if (head.digest != digest_of(bytes, length))
        return false;
    *index = head.index;
    index->image = image;
    index->symbols = address(bytes, index->symbols);
    index->nodes = address(bytes, index->nodes);
    index->bases = address(bytes, index->bases);
    index->facts = address(bytes, index->facts);
    index->slots = address(bytes, index->slots);
    index->maybe = address(bytes, index->maybe);
    index->edges = address(bytes, index->edges);
    for (size_t i = 1; i <= index->symbol_count; i++)
        index->symbols[i].text = address(bytes, index->symbols[i].text);
    for (unsigned i = 0; i < index->framework_count; i++) {
        struct pm_resolve_framework *of = &index->frameworks[i];
        find_rows(bytes, &of->flat);
        find_rows(bytes, &of->functions);
        of->import_name = index->symbols[of->symbol].text;
    }
    return true;
}
