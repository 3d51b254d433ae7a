/* Finds the names that the imports of a file bind. Ignores control flow and scopes. */
#include <stdlib.h>

#include "base/stop.h"
#include "pylex/pairs.h"
#include "resolve/resolve_private.h"

/* A table larger than this is freed when the next file begins, because clearing it for each small
 * file would take long. */
#define MOST_KEPT_SLOTS 4096

/* Records that an import binds a name; `binding` is NULL if the import belongs to no framework. */
static void import_name(struct pm_resolve_file *file, size_t token,
                        const struct pm_resolve_binding *binding)
{
    struct pm_resolve_local *local = pm_resolve__local_make(file, token);
    local->imported = true;
    local->foreign |= !binding;
    if (binding)
        (void)pm_resolve__bind(file, token, *binding);
}

/* Finds the framework whose import name, or the name of a package that is part of it, is at
 * `token`. Records that the file imports it. Returns its node, or NONE. */
static uint32_t root_at(struct pm_resolve_file *file, size_t token, uint32_t *framework)
{
    const uint32_t symbol =
        pm_resolve_token_symbol(file, token, pm_resolve_token_hash(file, token));
    for (unsigned i = 0; symbol && i < file->index->framework_count; i++) {
        const struct pm_resolve_framework *of = &file->index->frameworks[i];
        const bool whole = of->symbol == symbol, part = of->part_symbol == symbol;
        *framework = i;
        file->imported |= (uint32_t)whole << i;
        file->parts |= (uint32_t)part << i;
        if (whole || part)
            return whole ? of->root : of->part;
    }
    return PM_RESOLVE_NONE;
}

/* Follows the dotted path between two tokens; false if it does not lead into a framework. */
static bool path_of(struct pm_resolve_file *file, size_t from, size_t end,
                    struct pm_resolve_binding *out)
{
    struct pm_resolve_binding root = {0};
    root.node = root_at(file, from, &root.framework);
    if (!root.node)
        return false;
    *out = pm_resolve_follow(file, root, from + 1, end).binding;
    if (!out->node)
        out->text = pm_resolve__text(file, root, from + 1, end);
    return true;
}

/* Reads `import a.b, c.d as e`; `token` is at `import`. Returns the token after the statement. */
static size_t take_import(struct pm_resolve_file *file, size_t token)
{
    struct pm_resolve_binding path;
    do {
        const size_t from = token + 1;
        if (pm_resolve_kind(file, from) != PM_TOKEN_NAME)
            return from;
        token = pm_resolve__chain_end(file, from);
        size_t name = from, end = from + 1; /* import a.b binds a */
        if (PM_RESOLVE_IS(file, token, "as") && pm_resolve_kind(file, token + 1) == PM_TOKEN_NAME) {
            name = token + 1;
            end = token;
            token += 2;
        }
        import_name(file, name, path_of(file, from, end, &path) ? &path : NULL);
    } while (pm_resolve_kind(file, token) == ',');
    return token;
}

/* Reads the names after `import`, up to the end of the statement; `path` is NULL if they do not
 * belong to a framework. Returns the token after the
 * names. */
static size_t take_names(struct pm_resolve_file *file, size_t token,
                         const struct pm_resolve_binding *path)
{
    struct pm_resolve_binding one;
    const bool bracket = pm_resolve_kind(file, token) == '(';
    if (bracket)
        token = pm_resolve__next(file, token);
    while (pm_resolve_kind(file, token) == PM_TOKEN_NAME) {
        const size_t from = token;
        size_t name = token;
        token = pm_resolve__next(file, token);
        if (PM_RESOLVE_IS(file, token, "as")) {
            name = pm_resolve__next(file, token);
            if (pm_resolve_kind(file, name) != PM_TOKEN_NAME)
                return name;
            token = pm_resolve__next(file, name);
        }
        if (path) {
            one = pm_resolve_follow(file, *path, from, from + 1).binding;
            one.text = one.node ? 0 : pm_resolve__text(file, *path, from, from + 1);
        }
        import_name(file, name, path ? &one : NULL);
        if (pm_resolve_kind(file, token) != ',')
            break;
        token = bracket ? pm_resolve__next(file, token) : token + 1;
    }
    return bracket && pm_resolve_kind(file, token) == ')' ? token + 1 : token;
}

/* Handles `from path import *`. Repeated imports of a path are handled once. A path that is not in
 * the table is ignored, because the table has no names below it. */
static void import_star(struct pm_resolve_file *file, const struct pm_resolve_binding *path)
{
    const uint32_t node = path->node;
    if (!file->starred)
        file->starred = pm_alloc((file->index->node_count / 64 + 1) * sizeof *file->starred);
    if (file->index->frameworks[path->framework].flat_only) {
        if (!(file->flat_stars >> path->framework & 1))
            PM_RESOLVE__PUSH(file, stars, *path);
        file->flat_stars |= 1u << path->framework;
    } else if (node && !(file->starred[node / 64] >> node % 64 & 1)) {
        file->starred[node / 64] |= (uint64_t)1 << node % 64;
        PM_RESOLVE__PUSH(file, stars, *path);
    }
}

/* Reads `from .a.b import c as d, e`; `token` is at `from`. Returns the token after the
 * statement. */
static size_t take_from(struct pm_resolve_file *file, size_t token)
{
    struct pm_resolve_binding path;
    bool ours = false;
    const size_t from = ++token;
    while (pm_resolve_kind(file, token) == '.')
        token++;
    if (!PM_RESOLVE_IS(file, token, "import")) {
        if (pm_resolve_kind(file, token) != PM_TOKEN_NAME)
            return token;
        const size_t end = pm_resolve__chain_end(file, token);
        ours =
            token == from && PM_RESOLVE_IS(file, end, "import") && path_of(file, from, end, &path);
        token = end;
    }
    if (!PM_RESOLVE_IS(file, token, "import"))
        return token;
    token++;
    if (pm_resolve_kind(file, token) != '*')
        return take_names(file, token, ours ? &path : NULL);
    if (ours)
        import_star(file, &path);
    return token + 1;
}

static void start(struct pm_resolve_file *file)
{
    for (size_t i = 0; i < file->stars_count; i++)
        file->starred[file->stars[i].node / 64] = 0;
    file->flat_stars = 0;
    if (!file->slots || file->slot_mask > MOST_KEPT_SLOTS) {
        free(file->slots);
        file->slot_mask = 511;
        file->slots = pm_alloc((file->slot_mask + 1) * sizeof *file->slots);
    }
    memset(file->slots, 0, (file->slot_mask + 1) * sizeof *file->slots);
#define X(type, name) file->name##_count = 0;
    PM_RESOLVE_FILE_LISTS(X)
#undef X
    memset(file->unlisted, 0, sizeof file->unlisted);
    file->imported = file->parts = 0;
}

/* Returns the next name, at `token` or later, that may begin a statement; the number of tokens if
 * there is none. */
static size_t next_statement(const struct pm_resolve_file *file, const struct pm_pylex_pairs *pairs,
                             size_t token)
{
    const uint8_t *kinds = file->tokens.kind;
    if (token == 0 && kinds[0] == PM_TOKEN_NAME)
        return 0;
    for (size_t at = token ? token - 1 : 0; at < file->tokens.count; at += 32) {
        const uint32_t statements = pairs->statements(kinds + at);
        if (statements)
            return at + (size_t)__builtin_ctz(statements) + 1;
    }
    return file->tokens.count;
}

void pm_resolve_file_imports(struct pm_resolve_file *file)
{
    const struct pm_pylex_pairs *pairs = pm_pylex_pairs();
    size_t token = 0, statement = 0;
    start(file);
    while (!pm_stop_signal() && (token = next_statement(file, pairs, token)) < file->tokens.count) {
        const uint8_t before = token ? file->tokens.kind[token - 1] : PM_TOKEN_NEWLINE;
        if (before != ':')
            statement = token;
        size_t end = token + 1;
        const bool import = PM_RESOLVE_IS(file, token, "import");
        if (import || PM_RESOLVE_IS(file, token, "from"))
            end = import ? take_import(file, token) : take_from(file, token);
        else if (before != ':' || pm_resolve__is_compound(file, statement)) {
            token = pm_resolve__take_aliases(file, token);
            continue;
        }
        if (end > token + 1)
            PM_RESOLVE__PUSH(file, imports,
                             (struct pm_resolve__statement){(uint32_t)token, (uint32_t)end});
        token = end;
    }
    pm_resolve__follow_aliases(file);
}

void pm_resolve_file_release(struct pm_resolve_file *file)
{
#define X(type, name) free(file->name);
    PM_RESOLVE_FILE_LISTS(X)
#undef X
    free(file->slots);
    free(file->starred);
    free(file->tokens.start);
    free(file->tokens.end);
    free(file->tokens.kind);
}
