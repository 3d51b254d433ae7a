/* Builds the index of the names to find. */
#include "resolve/index.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "resolve/resolve_private.h"

static void put_slot(struct pm_resolve_index *index, uint32_t hash, uint32_t symbol)
{
    size_t i = hash & index->slot_mask;
    while (index->slots[i].symbol)
        i = (i + 1) & index->slot_mask;
    index->slots[i] = (struct pm_resolve_slot){hash, symbol};
}

static void put_edge(struct pm_resolve_index *index, uint64_t key, uint32_t child)
{
    size_t i = pm_resolve_edge_hash(key) & index->edge_mask;
    while (index->edges[i].child)
        i = (i + 1) & index->edge_mask;
    index->edges[i] = (struct pm_resolve_edge){key, child};
}

static void grow_slots(struct pm_resolve_index *index)
{
    struct pm_resolve_slot *old = index->slots;
    const size_t count = index->slot_mask + 1;
    index->slot_mask = count * 2 - 1;
    index->slots = pm_alloc(count * 2 * sizeof *index->slots);
    for (size_t i = 0; i < count; i++) {
        if (old[i].symbol)
            put_slot(index, old[i].hash, old[i].symbol);
    }
    free(old);
}

static void grow_edges(struct pm_resolve_index *index)
{
    struct pm_resolve_edge *old = index->edges;
    const size_t count = index->edge_mask + 1;
    index->edge_mask = count * 2 - 1;
    index->edges = pm_alloc(count * 2 * sizeof *index->edges);
    for (size_t i = 0; i < count; i++) {
        if (old[i].child)
            put_edge(index, old[i].key, old[i].child);
    }
    free(old);
}

static uint32_t symbol_of(struct pm_resolve_index *index, const char *text, size_t length)
{
    enum { MOST_SHORT = 112 };
    unsigned char small[MOST_SHORT + 16]; /* pm_resolve_words() reads beyond an identifier */
    unsigned char *padded = length > MOST_SHORT ? pm_alloc(length + 16) : small;
    memcpy(padded, text, length);
    memset(padded + length, 0, 16);
    uint64_t words[2];
    pm_resolve_words(padded, length, words);
    const uint32_t hash = pm_resolve_hash(padded, length, words);
    uint32_t symbol = pm_resolve_symbol(index, padded, length, hash);
    if (!symbol) {
        if ((index->symbol_count + 1) * 2 > index->slot_mask)
            grow_slots(index);
        symbol = (uint32_t)++index->symbol_count;
        PM_GROW(index->symbols, index->symbol_count, index->symbol_capacity);
        struct pm_resolve_symbol *new = &index->symbols[symbol];
        *new = (struct pm_resolve_symbol){.text = pm_strndup(text, length),
                                          .length = (uint32_t)length};
        pm_resolve_words(padded, length, new->words);
        const uint32_t bit = hash >> (32 - PM_RESOLVE_MAYBE_BITS);
        index->maybe[bit / 64] |= (uint64_t)1 << bit % 64;
        put_slot(index, hash, symbol);
    }
    if (padded != small)
        free(padded);
    return symbol;
}

static uint32_t new_node(struct pm_resolve_index *index, uint32_t parent, uint32_t symbol,
                         uint32_t framework)
{
    index->node_count++;
    PM_GROW(index->nodes, index->node_count, index->node_capacity);
    index->nodes[index->node_count] =
        (struct pm_resolve_node){.parent = parent,
                                 .symbol = symbol,
                                 .framework = framework,
                                 .same = index->symbols[symbol].nodes};
    index->symbols[symbol].nodes = (uint32_t)index->node_count;
    return (uint32_t)index->node_count;
}

static void add_edge(struct pm_resolve_index *index, uint32_t node, uint32_t symbol, uint32_t child)
{
    if (++index->edge_count * 2 > index->edge_mask)
        grow_edges(index);
    put_edge(index, (uint64_t)node << 32 | symbol, child);
}

static uint32_t child_of(struct pm_resolve_index *index, uint32_t node, uint32_t symbol)
{
    const uint32_t found = pm_resolve_own_child(index, node, symbol);
    if (found)
        return found;
    const uint32_t child = new_node(index, node, symbol, index->nodes[node].framework);
    add_edge(index, node, symbol, child);
    return child;
}

/* The previous name without its last part. Most names are methods, and methods of one class follow
 * each other, so the next name often begins with the same parts. */
struct near {
    const char *dotted;
    size_t length; /* length of `dotted` without its last part */
    uint32_t node; /* node of these parts; NONE before the first name */
};

/* Makes the nodes of a dotted name, and returns the node of its last part; NONE if the name does
 * not begin at the framework. `near` borrows the name. */
static uint32_t node_of(struct pm_resolve_index *index, unsigned framework, const char *dotted,
                        struct near *near)
{
    const struct pm_resolve_framework *of = &index->frameworks[framework];
    const size_t length = strlen(of->import_name);
    const char *last = strrchr(dotted, '.');
    uint32_t node = of->root;
    if (strncmp(dotted, of->import_name, length) != 0 || dotted[length] != '.')
        return PM_RESOLVE_NONE;
    const size_t above = (size_t)(last - dotted);
    const bool same =
        near->node && near->length == above && memcmp(near->dotted, dotted, above) == 0;
    if (same && last[1])
        return child_of(index, near->node, symbol_of(index, last + 1, strlen(last + 1)));
    for (const char *at = dotted + length; *at == '.';) {
        if (at == last)
            *near = (struct near){dotted, above, node};
        const size_t part = strcspn(++at, ".");
        if (part == 0)
            return PM_RESOLVE_NONE;
        node = child_of(index, node, symbol_of(index, at, part));
        at += part;
    }
    return node;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the names, and copies them without duplicates. */
static void set_rows(struct pm_resolve_rows *rows, const char **names, size_t count)
{
    qsort(names, count, sizeof *names, by_text);
    rows->names = pm_alloc(count * sizeof *rows->names);
    rows->kinds = pm_alloc(count * sizeof *rows->kinds);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(names[i], names[i - 1]) != 0)
            rows->names[rows->count++] = pm_strdup(names[i]);
    }
}

static uint32_t row_of(const struct pm_resolve_rows *rows, const char *name)
{
    char **found = bsearch(&name, rows->names, rows->count, sizeof *rows->names, by_text);
    return found ? (uint32_t)(found - rows->names) + 1 : 0;
}

static const char *last_part(const char *dotted)
{
    const char *dot = strrchr(dotted, '.');
    return dot ? dot + 1 : dotted;
}

static void add_flat(struct pm_resolve_index *index, unsigned framework,
                     const struct pm_resolve__list *list)
{
    struct pm_resolve_rows *rows = &index->frameworks[framework].flat;
    const size_t count = list->flat_count ? list->flat_count : list->dotted_count;
    const char **names = pm_alloc(count * sizeof *names);
    for (size_t i = 0; i < count; i++) {
        const struct pm_resolve__dotted *dotted = list->flat_count ? NULL : &list->dotted[i];
        names[i] =
            !dotted ? list->flat[i] : last_part(dotted->alias ? dotted->alias : dotted->canonical);
    }
    set_rows(rows, names, count);
    for (size_t i = 0; i < rows->count; i++) {
        const uint32_t symbol = symbol_of(index, rows->names[i], strlen(rows->names[i]));
        index->symbols[symbol].flat[framework] = (uint32_t)i + 1;
    }
    free(names);
}

static void add_functions(struct pm_resolve_index *index, unsigned framework,
                          const struct pm_resolve__list *list)
{
    struct pm_resolve_framework *of = &index->frameworks[framework];
    const char **names = pm_alloc(list->dotted_count * sizeof *names);
    for (size_t i = 0; i < list->dotted_count; i++)
        names[i] = list->dotted[i].canonical;
    set_rows(&of->functions, names, list->dotted_count);
    free(names);
    struct near near = {0};
    for (size_t i = list->dotted_count; i-- > 0;) {
        const struct pm_resolve__dotted *dotted = &list->dotted[i];
        const uint32_t row = row_of(&of->functions, dotted->canonical);
        const char *paths[] = {dotted->canonical, dotted->alias};
        of->functions.kinds[row - 1] = dotted->kind; /* the first kind is written last */
        for (size_t k = 0; k < 2; k++) {
            const uint32_t node =
                paths[k] ? node_of(index, framework, paths[k], &near) : PM_RESOLVE_NONE;
            if (!node)
                continue;
            index->nodes[node].function = row;
            if (dotted->kind == PM_NAME_METHOD) {
                index->symbols[index->nodes[node].symbol].methods |= 1u << framework;
                of->has_methods = true;
            }
        }
    }
}

/* Records which paths are other paths of classes, and the bases of classes. */
static void add_links(struct pm_resolve_index *index, unsigned framework,
                      const struct pm_resolve__list *list)
{
    struct near near = {0}, near_class = {0};
    for (size_t i = 0; i < list->links_count; i++) {
        const struct pm_resolve__link *link = &list->links[i];
        const uint32_t path = node_of(index, framework, link->path, &near);
        const uint32_t class = node_of(index, framework, link->class, &near_class);
        if (!path || !class || path == class)
            continue;
        struct pm_resolve_node *node = &index->nodes[path];
        if (!link->base) {
            node->class = class;
            continue;
        }
        if (node->base_count == 0)
            node->first_base = (uint32_t)index->base_count;
        PM_GROW(index->bases, index->base_count, index->base_capacity);
        index->bases[index->base_count++] = class;
        node->base_count++;
    }
}

/* Makes all names below the node `from` available below the node `to` too, unless `to` has them.
 * Children have higher numbers than their parents, so one pass over the nodes is enough. */
static void graft(struct pm_resolve_index *index, uint32_t from, uint32_t to)
{
    const uint32_t count = (uint32_t)index->node_count;
    uint32_t *places = pm_alloc(((size_t)count + 1) * sizeof *places);
    places[from] = to;
    for (uint32_t node = from + 1; node <= count; node++) {
        const uint32_t above = places[index->nodes[node].parent];
        if (!above)
            continue;
        places[node] = child_of(index, above, index->nodes[node].symbol);
        struct pm_resolve_node *place = &index->nodes[places[node]];
        const struct pm_resolve_node *of = &index->nodes[node];
        if (place->function || !of->function)
            continue;
        place->function = of->function;
        place->class = of->class ? of->class : node;
    }
    free(places);
}

/* Makes the names of the module `older` available at the top, unless the top has them. Also makes
 * the first part of the module's path available in the module: tensorflow.compat.v1.compat.v1.X is
 * tensorflow.compat.v1.X. */
static void add_older(struct pm_resolve_index *index, unsigned framework, const char *older)
{
    const uint32_t place = node_of(index, framework, older, &(struct near){0});
    const uint32_t root = index->frameworks[framework].root;
    uint32_t first = place;
    if (!place)
        return;
    while (index->nodes[first].parent != root)
        first = index->nodes[first].parent;
    graft(index, place, root);
    graft(index, first, child_of(index, place, index->nodes[first].symbol));
}

/* If a module has more than half of the functions at the top, also makes the other names of the top
 * available in the module: tensorflow.compat.v2.compat.v1.X is tensorflow.compat.v1.X. */
static void add_mirrors(struct pm_resolve_index *index, unsigned framework)
{
    const uint32_t root = index->frameworks[framework].root, count = (uint32_t)index->node_count;
    uint32_t *same = pm_alloc(((size_t)count + 1) * sizeof *same);
    uint32_t functions = 0;
    for (uint32_t node = root + 1; node <= count; node++) {
        const struct pm_resolve_node *of = &index->nodes[node];
        const uint32_t top = of->function ? pm_resolve_own_child(index, root, of->symbol) : 0;
        functions += top == node;
        same[of->parent] += top && top != node && index->nodes[top].function == of->function;
    }
    for (uint32_t node = root + 1; node <= count; node++) {
        const struct pm_resolve_node *of = &index->nodes[node];
        for (uint32_t i = root + 1; i <= count && same[node] > functions / 2 && !of->function; i++)
            if (index->nodes[i].parent == root &&
                !pm_resolve_own_child(index, node, index->nodes[i].symbol))
                add_edge(index, node, index->nodes[i].symbol, i);
    }
    free(same);
}

/* Returns the node of a path, or NONE if the path does not exist. */
static uint32_t place_of(struct pm_resolve_index *index, unsigned framework, const char *path)
{
    const struct pm_resolve_framework *of = &index->frameworks[framework];
    const size_t length = strlen(of->import_name);
    uint32_t node = of->root;
    if (strncmp(path, of->import_name, length) != 0)
        return PM_RESOLVE_NONE;
    for (const char *at = path + length; node && *at == '.';) {
        const size_t part = strcspn(++at, ".");
        node = pm_resolve_own_child(index, node, symbol_of(index, at, part));
        at += part;
    }
    return node;
}

/* Makes a path that code uses lead to the present path of its names, unless the old path exists. */
static void add_move(struct pm_resolve_index *index, unsigned framework,
                     const struct pm_resolve__move *move)
{
    struct pm_resolve_framework *of = &index->frameworks[framework];
    const uint32_t to = place_of(index, framework, move->to);
    const char *last = strrchr(move->from, '.');
    if (!to)
        return;
    if (!last) {
        of->part = to;
        of->part_symbol = symbol_of(index, move->from, strlen(move->from));
        return;
    }
    char *above = pm_strndup(move->from, (size_t)(last - move->from));
    const uint32_t parent = place_of(index, framework, above);
    const uint32_t symbol = symbol_of(index, last + 1, strlen(last + 1));
    if (parent && !pm_resolve_own_child(index, parent, symbol))
        add_edge(index, parent, symbol, to);
    free(above);
}

static void add_fact(struct pm_resolve_index *index, unsigned framework,
                     const struct pm_resolve__stated *stated, uint32_t *by_row, struct near *near)
{
    const struct pm_resolve_fact *fact = &stated->fact;
    const bool same = fact->class && strcmp(fact->class, "self") == 0;
    const uint32_t node = node_of(index, framework, stated->path, near);
    const uint32_t class = fact->class && !same
                               ? node_of(index, framework, fact->class, &(struct near){0})
                               : PM_RESOLVE_NONE;
    if (!node)
        return;
    PM_GROW(index->facts, index->fact_count, index->fact_capacity);
    index->facts[index->fact_count++] =
        (struct pm_resolve_known){fact->gives, fact->calls, fact->items, class, same};
    if (index->nodes[node].function)
        by_row[index->nodes[node].function - 1] = (uint32_t)index->fact_count;
    else
        index->nodes[node].known = (uint32_t)index->fact_count;
}

/* Returns the class of arrays that the most functions return according to the inventory. If no
 * function returns an array, returns the class of arrays with the most names below it. */
static uint32_t find_array(const struct pm_resolve_index *index, unsigned framework)
{
    size_t *children = pm_alloc((index->node_count + 1) * sizeof *children);
    uint32_t best = PM_RESOLVE_NONE;
    for (size_t i = 1; i <= index->node_count; i++)
        children[index->nodes[i].parent]++;
    for (size_t i = 0; i < index->fact_count; i++)
        if (index->facts[i].gives == PM_VALUE_ARRAY && index->facts[i].class)
            children[index->facts[i].class] += index->node_count;
    for (uint32_t i = 1; i <= index->node_count; i++) {
        const struct pm_resolve_node *node = &index->nodes[i];
        if (node->framework == framework && node->known && node->function &&
            index->frameworks[framework].functions.kinds[node->function - 1] == PM_NAME_CLASS &&
            index->facts[node->known - 1].gives == PM_VALUE_ARRAY &&
            (!best || children[i] > children[best]))
            best = i;
    }
    free(children);
    return best;
}

/* Returns whether a class acts as an array, but has no bases and is not the class of arrays. */
static bool is_stand_in(const struct pm_resolve_index *index, uint32_t class)
{
    const struct pm_resolve_node *node = &index->nodes[class];
    return node->known && index->facts[node->known - 1].gives == PM_VALUE_ARRAY &&
           class != index->frameworks[node->framework].array && node->base_count == 0;
}

/* Adds to a class that acts as an array the methods that it lacks and that its subclasses have,
 * because a call of the class makes an object of a subclass (`tf.Variable`). */
static void add_below(struct pm_resolve_index *index, unsigned framework)
{
    for (uint32_t i = 1; i <= index->node_count; i++) {
        const struct pm_resolve_node *method = &index->nodes[i];
        const struct pm_resolve_node *class = &index->nodes[method->parent];
        for (uint32_t k = 0; method->framework == framework && method->function &&
                             class->function && k < class->base_count;
             k++) {
            const uint32_t base = index->bases[class->first_base + k];
            if (is_stand_in(index, base) && !pm_resolve_child(index, base, method->symbol))
                add_edge(index, base, method->symbol, i);
        }
    }
}

/* Adds the facts. A fact about one path of a function applies to all its paths. */
static void add_facts(struct pm_resolve_index *index, unsigned framework,
                      const struct pm_resolve__list *list)
{
    struct pm_resolve_framework *of = &index->frameworks[framework];
    uint32_t *by_row = pm_alloc(of->functions.count * sizeof *by_row);
    struct near near = {0};
    for (size_t i = 0; i < list->facts_count; i++)
        add_fact(index, framework, &list->facts[i], by_row, &near);
    for (size_t i = 1; i <= index->node_count; i++) {
        struct pm_resolve_node *node = &index->nodes[i];
        if (node->framework == framework && node->function)
            node->known = by_row[node->function - 1];
    }
    of->array = find_array(index, framework);
    add_below(index, framework);
    free(by_row);
}

/* Uses the names of the flat list as functions, because there is no other list. */
static void copy_flat(struct pm_resolve_framework *of)
{
    of->flat_only = true;
    set_rows(&of->functions, (const char **)(uintptr_t)of->flat.names, of->flat.count);
}

/* Methods of Python's own types, and names that methods of many other classes have. */
static const char *const common[] = {
    "add",
    "append",
    "apply",
    "apply_",
    "argpartition",
    "bit_length",
    "byteswap",
    "call",
    "capitalize",
    "casefold",
    "center",
    "children",
    "choose",
    "clear",
    "close",
    "compress",
    "copy",
    "count",
    "decode",
    "difference",
    "discard",
    "dump",
    "dumps",
    "encode",
    "endswith",
    "eval",
    "expandtabs",
    "extend",
    "fill",
    "find",
    "flush",
    "format",
    "get",
    "getfield",
    "index",
    "insert",
    "intersection",
    "isalnum",
    "isalpha",
    "isdigit",
    "isdisjoint",
    "items",
    "itemset",
    "join",
    "keys",
    "ljust",
    "load",
    "lower",
    "lstrip",
    "map",
    "modules",
    "name",
    "newbyteorder",
    "parse",
    "partition",
    "pop",
    "ptp",
    "put",
    "read",
    "remove",
    "replace",
    "reset",
    "resize",
    "reverse",
    "run",
    "save",
    "send",
    "set",
    "setfield",
    "setflags",
    "sort",
    "split",
    "start",
    "step",
    "stop",
    "strip",
    "symmetric_difference",
    "take",
    "to",
    "tobytes",
    "tofile",
    "tostring",
    "trace",
    "train",
    "translate",
    "type",
    "union",
    "update",
    "upper",
    "values",
    "wait",
    "write",
    "zfill",
};

/* Methods of NumPy's arrays, and of similar objects of other libraries. */
static const char *const numeric[] = {
    "all",          "any",     "argmax",  "argmin",   "argsort",  "astype",  "clip",      "conj",
    "conjugate",    "cumprod", "cumsum",  "diagonal", "dot",      "flatten", "item",      "max",
    "mean",         "min",     "nonzero", "prod",     "ravel",    "repeat",  "reshape",   "round",
    "searchsorted", "squeeze", "std",     "sum",      "swapaxes", "tolist",  "transpose", "var",
};

#define IS_ANY(name, list)                                                                         \
    (bsearch(&(name), list, sizeof(list) / sizeof *(list), sizeof *(list), by_text) != NULL)

static enum pm_name_kind kind_of(const struct pm_resolve_index *index,
                                 const struct pm_resolve_node *of)
{
    return index->frameworks[of->framework].functions.kinds[of->function - 1];
}

/* By node: the first method below it, and the next method below the same parent. */
struct methods {
    uint32_t *first, *next;
};

/* The search for methods whose names alone identify their class. */
struct finding {
    struct pm_resolve_index *index;
    unsigned framework;
    struct methods methods;
    uint32_t *modules; /* by function + 1: the number of modules that have it */
    uint32_t most;     /* the highest of these numbers */
};

typedef void see_method(struct finding *f, uint32_t class, enum pm_value kind, uint32_t method);

static void see_below(struct finding *f, uint32_t class, enum pm_value kind, uint32_t node,
                      see_method *see)
{
    const struct pm_resolve_index *index = f->index;
    for (uint32_t i = f->methods.first[node]; i; i = f->methods.next[i])
        if (pm_resolve_child(index, class, index->nodes[i].symbol) == i)
            see(f, class, kind, i);
}

/* Calls `see` for every method of every path of the framework's arrays, modules and optimizers. */
static void see_methods(struct finding *f, see_method *see)
{
    const struct pm_resolve_index *index = f->index;
    for (uint32_t i = 1; i <= index->node_count; i++) {
        const struct pm_resolve_node *node = &index->nodes[i];
        if (node->framework != f->framework || !node->function || !node->known ||
            kind_of(index, node) != PM_NAME_CLASS)
            continue;
        const enum pm_value kind = index->facts[node->known - 1].gives;
        const struct pm_resolve_node *class = node->class ? &index->nodes[node->class] : node;
        if (kind != PM_VALUE_ARRAY && kind != PM_VALUE_MODULE && kind != PM_VALUE_OPTIMIZER)
            continue;
        see_below(f, i, kind, i, see);
        if (node->class)
            see_below(f, i, kind, node->class, see);
        for (uint32_t k = 0; k < class->base_count; k++)
            see_below(f, i, kind, index->bases[class->first_base + k], see);
    }
}

static void count_modules(struct finding *f, uint32_t class, enum pm_value kind, uint32_t method)
{
    const uint32_t function = f->index->nodes[method].function;
    (void)class;
    if (kind == PM_VALUE_MODULE && ++f->modules[function] > f->most)
        f->most = f->modules[function];
}

/* Returns whether a class acts as an array, but has no bases and is not the class of arrays. */
static bool acts_as_array(const struct finding *f, uint32_t class, enum pm_value kind)
{
    const struct pm_resolve_index *index = f->index;
    const uint32_t array = index->frameworks[f->framework].array;
    const struct pm_resolve_node *node = &index->nodes[class];
    const uint32_t own = node->class ? node->class : class;
    return kind == PM_VALUE_ARRAY && array && own != array && class != array &&
           index->nodes[own].base_count == 0;
}

/* Records a method of arrays or of modules. The symbol becomes `mixed` if arrays have two different
 * methods with its name, or if modules have two. */
static void take_both(struct finding *f, uint32_t method, bool of_arrays, bool of_modules)
{
    const struct pm_resolve_node *nodes = f->index->nodes;
    struct pm_resolve_symbol *symbol = &f->index->symbols[nodes[method].symbol];
    uint32_t *known = of_arrays ? &symbol->arrays : &symbol->modules;
    if (!of_arrays && !of_modules)
        return;
    symbol->mixed |= *known && nodes[*known].function != nodes[method].function;
    *known = *known ? *known : method;
}

static void take_only(struct finding *f, uint32_t class, enum pm_value kind, uint32_t method)
{
    const struct pm_resolve_node *node = &f->index->nodes[method];
    struct pm_resolve_symbol *symbol = &f->index->symbols[node->symbol];
    const bool of_arrays =
        kind == PM_VALUE_ARRAY && class == f->index->frameworks[f->framework].array;
    const bool of_modules = kind == PM_VALUE_MODULE && f->modules[node->function] > f->most / 2;
    const bool fits = of_arrays || of_modules;
    take_both(f, method, of_arrays, of_modules);
    symbol->mixed |= kind == PM_VALUE_OPTIMIZER;
    const bool shared = IS_ANY(symbol->text, numeric);
    if (fits && !symbol->only && !IS_ANY(symbol->text, common) &&
        (!shared || kind == PM_VALUE_ARRAY)) {
        symbol->only = method;
        symbol->shared = shared;
    } else if (acts_as_array(f, class, kind))
        symbol->also = method;
    else if (!symbol->only || f->index->nodes[symbol->only].function != node->function)
        symbol->several |= fits || kind == PM_VALUE_OPTIMIZER;
}

/* Finds the methods that only arrays or only modules have and whose names are not common. A method
 * of modules counts if it belongs to more than half as many modules as the most frequent method. A
 * class that only acts as an array (`tf.Variable`) may have a method with this name too. */
static void find_only(struct pm_resolve_index *index, unsigned framework)
{
    const size_t nodes = index->node_count + 1;
    struct finding f = {
        .index = index,
        .framework = framework,
        .methods = {pm_alloc(nodes * sizeof *f.methods.first),
                    pm_alloc(nodes * sizeof *f.methods.next)},
        .modules = pm_alloc((index->frameworks[framework].functions.count + 1) * sizeof *f.modules),
    };
    for (uint32_t i = 1; i < nodes; i++) {
        const struct pm_resolve_node *node = &index->nodes[i];
        if (!node->function || kind_of(index, node) != PM_NAME_METHOD)
            continue;
        f.methods.next[i] = f.methods.first[node->parent];
        f.methods.first[node->parent] = i;
    }
    see_methods(&f, count_modules);
    see_methods(&f, take_only);
    free(f.methods.first);
    free(f.methods.next);
    free(f.modules);
}

/* Adds a method to `few` of its symbol. */
static void take_few(struct pm_resolve_index *index, uint32_t method)
{
    const struct pm_resolve_node *node = &index->nodes[method];
    struct pm_resolve_symbol *symbol = &index->symbols[node->symbol];
    size_t i = 0;
    for (; i < PM_RESOLVE_FEW && symbol->few[i]; i++) {
        const struct pm_resolve_node *other = &index->nodes[symbol->few[i]];
        symbol->many |= other->framework != node->framework;
        if (other->function == node->function)
            return; /* another path of this method */
    }
    symbol->many |= i == PM_RESOLVE_FEW;
    if (!symbol->many)
        symbol->few[i] = method;
}

/* Finds the methods that only a few classes have. Excludes names in `common` and `numeric`, names
 * of properties of a class, and names that begin with an underscore. */
static void find_few(struct pm_resolve_index *index)
{
    for (uint32_t i = 1; i <= index->node_count; i++) {
        const struct pm_resolve_node *node = &index->nodes[i];
        const struct pm_resolve_node *above = &index->nodes[node->parent];
        if (node->function && kind_of(index, node) == PM_NAME_METHOD)
            take_few(index, i);
        else if (!node->function && above->function && kind_of(index, above) == PM_NAME_CLASS)
            index->symbols[node->symbol].many = true;
    }
    for (size_t i = 1; i <= index->symbol_count; i++) {
        struct pm_resolve_symbol *symbol = &index->symbols[i];
        if (symbol->many || IS_ANY(symbol->text, common) || IS_ANY(symbol->text, numeric) ||
            symbol->text[0] == '_')
            memset(symbol->few, 0, sizeof symbol->few);
    }
}

/* Adds the name of a framework below itself, because a package may import itself: torch.torch.relu
 * is torch.relu. */
static void add_itself(struct pm_resolve_index *index, const struct pm_resolve_framework *of)
{
    if (pm_resolve_own_child(index, of->root, of->symbol))
        return;
    add_edge(index, of->root, of->symbol, of->root);
}

/* Clears the methods of a symbol if methods of another framework or class contradict them. Call it
 * when all frameworks have been added. */
static void settle(const struct pm_resolve_index *index, struct pm_resolve_symbol *symbol)
{
    const struct pm_resolve_node *nodes = index->nodes;
    if (symbol->several)
        symbol->only = PM_RESOLVE_NONE;
    if (symbol->mixed || !symbol->arrays || !symbol->modules ||
        nodes[symbol->arrays].framework != nodes[symbol->modules].framework)
        symbol->arrays = symbol->modules = PM_RESOLVE_NONE;
}

void pm_resolve_index_init(struct pm_resolve_index *index, const struct pm_resolve_names *names)
{
    *index = (struct pm_resolve_index){.framework_count = names->framework_count};
    index->slot_mask = index->edge_mask = 63;
    index->maybe = pm_alloc(((size_t)1 << PM_RESOLVE_MAYBE_BITS) / 8);
    index->slots = pm_alloc((index->slot_mask + 1) * sizeof *index->slots);
    index->edges = pm_alloc((index->edge_mask + 1) * sizeof *index->edges);
    PM_GROW(index->symbols, index->symbol_count, index->symbol_capacity); /* place 0 is NONE */
    PM_GROW(index->nodes, index->node_count, index->node_capacity);
    index->symbols[PM_RESOLVE_NONE] = (struct pm_resolve_symbol){0};
    index->nodes[PM_RESOLVE_NONE] = (struct pm_resolve_node){0};
    for (unsigned i = 0; i < names->framework_count; i++) {
        const struct pm_resolve__list *list = &names->frameworks[i];
        struct pm_resolve_framework *of = &index->frameworks[i];
        of->symbol = symbol_of(index, list->import_name, strlen(list->import_name));
        of->import_name = index->symbols[of->symbol].text;
        of->root = new_node(index, PM_RESOLVE_NONE, of->symbol, i);
        add_flat(index, i, list);
        if (list->dotted_count > 0)
            add_functions(index, i, list);
        add_links(index, i, list);
        add_mirrors(index, i);
        for (size_t k = 0; k < list->moves_count; k++)
            add_move(index, i, &list->moves[k]);
        if (list->dotted_count > 0 && list->older)
            add_older(index, i, list->older);
        if (list->dotted_count > 0)
            add_facts(index, i, list);
        else
            copy_flat(of);
        add_itself(index, of);
    }
    for (unsigned i = 0; i < names->framework_count; i++)
        find_only(index, i);
    find_few(index);
    for (size_t i = 1; i <= index->symbol_count; i++)
        settle(index, &index->symbols[i]);
}

static void release_rows(struct pm_resolve_rows *rows)
{
    pm_free_strings(rows->names, rows->count);
    free(rows->kinds);
}

void pm_resolve_index_release(struct pm_resolve_index *index)
{
    if (index->image) {
        free(index->image);
        return;
    }
    for (unsigned i = 0; i < index->framework_count; i++) {
        release_rows(&index->frameworks[i].flat);
        release_rows(&index->frameworks[i].functions);
    }
    for (size_t i = 1; i <= index->symbol_count; i++)
        free(index->symbols[i].text);
    free(index->symbols);
    free(index->nodes);
    free(index->facts);
    free(index->bases);
    free(index->maybe);
    free(index->slots);
    free(index->edges);
}
