/* What the imports and aliases of a file bind, without regard to flow or scope. */
#include <stdlib.h>

#include "base/alloc.h"
#include "corpus/file.h"

/* Aliases of aliases that stand in the wrong order are followed so many times at most. */
#define MOST_ROUNDS 16

/* A name that stands for more is no longer one that a person wrote. */
#define MOST_BINDINGS 16

/* A table that a large file has left is not cleared for each small one. */
#define MOST_KEPT_SLOTS 4096

#define PUSH(file, list, ...)                                                                      \
    do {                                                                                           \
        PM_GROW((file)->list, (file)->list##_count, (file)->list##_capacity);                      \
        (file)->list[(file)->list##_count++] = __VA_ARGS__;                                        \
    } while (0)

uint32_t pm_corpus__token_hash(const struct pm_corpus__file *file, size_t token)
{
    const uint32_t start = file->tokens.start[token], length = file->tokens.end[token] - start;
    uint64_t words[2];
    pm_corpus__words(file->text + start, length, words);
    return pm_corpus__hash(file->text + start, length, words);
}

size_t pm_corpus__chain_end(const struct pm_corpus__file *file, size_t token)
{
    for (;;) {
        const size_t dot = pm_corpus__next(file, token);
        const size_t name = pm_corpus__next(file, dot);
        if (pm_corpus__kind(file, dot) != '.' || pm_corpus__kind(file, name) != PM_TOKEN_NAME)
            return token + 1;
        token = name;
    }
}

/* The slot of a name: its local's, or the free one where it would be. */
static uint32_t *slot_of(const struct pm_corpus__file *file, size_t token, uint32_t hash)
{
    const uint32_t start = file->tokens.start[token], length = file->tokens.end[token] - start;
    size_t i = hash & file->slot_mask;
    for (; file->slots[i]; i = (i + 1) & file->slot_mask) {
        const struct pm_corpus__local *local = &file->locals[file->slots[i] - 1];
        if (local->hash == hash && local->length == length &&
            memcmp(file->text + local->start, file->text + start, length) == 0)
            break;
    }
    return &file->slots[i];
}

struct pm_corpus__local *pm_corpus__local_find(const struct pm_corpus__file *file, size_t token)
{
    const uint32_t *slot = slot_of(file, token, pm_corpus__token_hash(file, token));
    return *slot ? &file->locals[*slot - 1] : NULL;
}

static void grow_slots(struct pm_corpus__file *file)
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

struct pm_corpus__local *pm_corpus__local_make(struct pm_corpus__file *file, size_t token)
{
    if (file->locals_count * 8 >= file->slot_mask)
        grow_slots(file);
    const uint32_t hash = pm_corpus__token_hash(file, token);
    uint32_t *slot = slot_of(file, token, hash);
    if (!*slot) {
        const uint32_t start = file->tokens.start[token];
        PUSH(file, locals,
             (struct pm_corpus__local){
                 .start = start, .length = file->tokens.end[token] - start, .hash = hash});
        *slot = (uint32_t)file->locals_count;
    }
    return &file->locals[*slot - 1];
}

/* Adds what the name at `token` may stand for; false where that was known. */
static bool bind(struct pm_corpus__file *file, size_t token, struct pm_corpus__binding binding)
{
    struct pm_corpus__local *local = pm_corpus__local_make(file, token);
    for (uint32_t i = local->first; i; i = file->bindings[i - 1].next) {
        const struct pm_corpus__binding *known = &file->bindings[i - 1];
        if (known->node == binding.node && known->symbol == binding.symbol &&
            known->framework == binding.framework)
            return false;
    }
    if (local->count == MOST_BINDINGS)
        return false;
    local->count++;
    binding.next = local->first;
    PUSH(file, bindings, binding);
    local->first = (uint32_t)file->bindings_count;
    return true;
}

static uint32_t function_at(const struct pm_corpus__index *index, struct pm_corpus__binding binding)
{
    if (!index->frameworks[binding.framework].flat_only)
        return binding.node ? index->nodes[binding.node].function : 0;
    return binding.symbol ? index->symbols[binding.symbol].flat[binding.framework] : 0;
}

struct pm_corpus__place pm_corpus__follow(const struct pm_corpus__file *file,
                                          struct pm_corpus__binding binding, size_t from,
                                          size_t end)
{
    const struct pm_corpus__index *index = file->index;
    const bool flat_only = index->frameworks[binding.framework].flat_only;
    struct pm_corpus__place place = {binding, function_at(index, binding) != 0};
    for (size_t token = from; token < end; token++) {
        if (pm_corpus__kind(file, token) != PM_TOKEN_NAME)
            continue;
        const uint32_t symbol =
            pm_corpus__token_symbol(file, token, pm_corpus__token_hash(file, token));
        place.binding.symbol = symbol;
        if (!flat_only)
            place.binding.node = symbol && place.binding.node
                                     ? pm_corpus__child(index, place.binding.node, symbol)
                                     : PM_CORPUS__NONE;
        const uint32_t function = function_at(index, place.binding);
        place.whole = function != 0;
        if (function)
            place.binding.function = function;
    }
    return place;
}

/* A name that an import binds to something of a framework, or of none. */
static void import_name(struct pm_corpus__file *file, size_t token,
                        const struct pm_corpus__binding *binding)
{
    pm_corpus__local_make(file, token)->imported = true;
    if (binding)
        (void)bind(file, token, *binding);
}

/* The framework whose import name stands at `token`, or -1. */
static int framework_at(const struct pm_corpus__file *file, size_t token)
{
    const uint32_t symbol =
        pm_corpus__token_symbol(file, token, pm_corpus__token_hash(file, token));
    for (unsigned i = 0; symbol && i < file->index->framework_count; i++) {
        if (file->index->frameworks[i].symbol == symbol)
            return (int)i;
    }
    return -1;
}

/* Where the dotted path between two tokens leads; false where that is into no framework. */
static bool path_of(struct pm_corpus__file *file, size_t from, size_t end,
                    struct pm_corpus__binding *out)
{
    const int framework = framework_at(file, from);
    if (framework < 0)
        return false;
    const struct pm_corpus__binding root = {file->index->frameworks[framework].root,
                                            PM_CORPUS__NONE, (uint32_t)framework, 0, 0};
    *out = pm_corpus__follow(file, root, from + 1, end).binding;
    file->imported |= 1u << framework;
    return true;
}

/* import a.b, c.d as e: `token` is at `import`; gives the token behind the statement. */
static size_t take_import(struct pm_corpus__file *file, size_t token)
{
    struct pm_corpus__binding path;
    do {
        const size_t from = token + 1;
        if (pm_corpus__kind(file, from) != PM_TOKEN_NAME)
            return from;
        token = pm_corpus__chain_end(file, from);
        size_t name = from, end = from + 1; /* import a.b binds a */
        if (PM_CORPUS__IS(file, token, "as") && pm_corpus__kind(file, token + 1) == PM_TOKEN_NAME) {
            name = token + 1;
            end = token;
            token += 2;
        }
        import_name(file, name, path_of(file, from, end, &path) ? &path : NULL);
    } while (pm_corpus__kind(file, token) == ',');
    return token;
}

/* The names behind `import`, up to the end of the statement; `path` is NULL where they are of no
 * framework. */
static size_t take_names(struct pm_corpus__file *file, size_t token,
                         const struct pm_corpus__binding *path)
{
    struct pm_corpus__binding one;
    const bool bracket = pm_corpus__kind(file, token) == '(';
    if (bracket)
        token = pm_corpus__next(file, token);
    while (pm_corpus__kind(file, token) == PM_TOKEN_NAME) {
        const size_t from = token;
        size_t name = token;
        token = pm_corpus__next(file, token);
        if (PM_CORPUS__IS(file, token, "as")) {
            name = pm_corpus__next(file, token);
            if (pm_corpus__kind(file, name) != PM_TOKEN_NAME)
                return name;
            token = pm_corpus__next(file, name);
        }
        if (path)
            one = pm_corpus__follow(file, *path, from, from + 1).binding;
        import_name(file, name, path ? &one : NULL);
        if (pm_corpus__kind(file, token) != ',')
            break;
        token = bracket ? pm_corpus__next(file, token) : token + 1;
    }
    return bracket && pm_corpus__kind(file, token) == ')' ? token + 1 : token;
}

/* from .a.b import c as d, e: `token` is at `from`; gives the token behind the statement. */
static size_t take_from(struct pm_corpus__file *file, size_t token)
{
    struct pm_corpus__binding path;
    bool ours = false;
    const size_t from = ++token;
    while (pm_corpus__kind(file, token) == '.')
        token++;
    if (!PM_CORPUS__IS(file, token, "import")) {
        if (pm_corpus__kind(file, token) != PM_TOKEN_NAME)
            return token;
        const size_t end = pm_corpus__chain_end(file, token);
        ours =
            token == from && PM_CORPUS__IS(file, end, "import") && path_of(file, from, end, &path);
        token = end;
    }
    if (!PM_CORPUS__IS(file, token, "import"))
        return token;
    token++;
    if (pm_corpus__kind(file, token) != '*')
        return take_names(file, token, ours ? &path : NULL);
    if (ours)
        PUSH(file, stars, path);
    return token + 1;
}

/* NAME = chain or NAME = (chain), and nothing else up to the end of the statement. */
static void take_alias(struct pm_corpus__file *file, size_t token)
{
    if (pm_corpus__kind(file, token + 1) != '=')
        return;
    const bool bracket = pm_corpus__kind(file, token + 2) == '(';
    const size_t chain = bracket ? pm_corpus__next(file, token + 2) : token + 2;
    if (pm_corpus__kind(file, chain) != PM_TOKEN_NAME)
        return;
    const size_t end = pm_corpus__chain_end(file, chain);
    size_t after = end;
    if (bracket) {
        after = pm_corpus__next(file, end - 1);
        if (pm_corpus__kind(file, after++) != ')')
            return;
    }
    if (pm_corpus__kind(file, after) == PM_TOKEN_NEWLINE || pm_corpus__kind(file, after) == ';')
        PUSH(file, aliases,
             (struct pm_corpus__alias){(uint32_t)token, (uint32_t)chain, (uint32_t)end, false});
}

/* What an alias's chain comes to, added to what its name may stand for; true where that is news. */
static bool follow_alias(struct pm_corpus__file *file, struct pm_corpus__alias *alias)
{
    bool news = false;
    const struct pm_corpus__local *local = pm_corpus__local_find(file, alias->chain);
    for (uint32_t i = local ? local->first : 0; i; i = file->bindings[i - 1].next) {
        const struct pm_corpus__place place =
            pm_corpus__follow(file, file->bindings[i - 1], (size_t)alias->chain + 1, alias->end);
        alias->followed = true;
        news |= bind(file, alias->name, place.binding);
    }
    for (size_t i = 0; !local && i < file->stars_count; i++) {
        const struct pm_corpus__place place =
            pm_corpus__follow(file, file->stars[i], alias->chain, alias->end);
        if (place.binding.function || place.binding.node) {
            alias->followed = true;
            news |= bind(file, alias->name, place.binding);
        }
    }
    return news;
}

static void follow_aliases(struct pm_corpus__file *file)
{
    bool news = file->bindings_count > 0 || file->stars_count > 0;
    for (int round = 0; news && round < MOST_ROUNDS; round++) {
        news = false;
        for (size_t i = 0; i < file->aliases_count; i++)
            news |= follow_alias(file, &file->aliases[i]);
    }
}

bool pm_corpus__is_compound(const struct pm_corpus__file *file, size_t token)
{
    static const char *const words[] = {"if",      "else",  "elif",  "try",  "except",
                                        "finally", "for",   "while", "with", "def",
                                        "class",   "async", "case",  "match"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (pm_corpus__is_word(file, token, words[i], strlen(words[i])))
            return true;
    }
    return false;
}

static void start(struct pm_corpus__file *file)
{
    if (!file->slots || file->slot_mask > MOST_KEPT_SLOTS) {
        free(file->slots);
        file->slot_mask = 511;
        file->slots = pm_alloc((file->slot_mask + 1) * sizeof *file->slots);
    }
    memset(file->slots, 0, (file->slot_mask + 1) * sizeof *file->slots);
#define X(type, name) file->name##_count = 0;
    PM_CORPUS__FILE_LISTS(X)
#undef X
    memset(file->unlisted, 0, sizeof file->unlisted);
    file->imported = 0;
}

/* The next name, `token` or later, that may begin a statement; where there is none, the end. */
static size_t next_statement(const struct pm_corpus__file *file, size_t token)
{
    const uint8_t *kinds = file->tokens.kind;
    if (token == 0 && kinds[0] == PM_TOKEN_NAME)
        return 0;
    for (size_t at = token ? token - 1 : 0; at < file->tokens.count; at += 32) {
        const uint32_t statements = file->kernels->statements(kinds + at);
        if (statements)
            return at + (size_t)__builtin_ctz(statements) + 1;
    }
    return file->tokens.count;
}

void pm_corpus__file_imports(struct pm_corpus__file *file)
{
    size_t token = 0, statement = 0;
    start(file);
    while ((token = next_statement(file, token)) < file->tokens.count) {
        const uint8_t before = token ? file->tokens.kind[token - 1] : PM_TOKEN_NEWLINE;
        if (before != ':')
            statement = token;
        size_t end = token + 1;
        if (PM_CORPUS__IS(file, token, "import"))
            end = take_import(file, token);
        else if (PM_CORPUS__IS(file, token, "from"))
            end = take_from(file, token);
        else if (before != ':' || pm_corpus__is_compound(file, statement))
            take_alias(file, token);
        if (end > token + 1)
            PUSH(file, imports, (struct pm_corpus__statement){(uint32_t)token, (uint32_t)end});
        token = end;
    }
    follow_aliases(file);
}

void pm_corpus__file_release(struct pm_corpus__file *file)
{
#define X(type, name) free(file->name);
    PM_CORPUS__FILE_LISTS(X)
#undef X
    free(file->slots);
    free(file->tokens.start);
    free(file->tokens.end);
    free(file->tokens.kind);
}
