/* Finds the places of tokens, and adds the sites of the pass over a file. */
#include <stdlib.h>

#include "types/types_private.h"

static void add_lines(struct pm_types__parse *p)
{
    const unsigned char *text = p->file->text;
    const size_t count = p->file->tokens.count;
    const uint32_t length = count ? p->file->tokens.end[count - 1] : 0;
    const unsigned char *end = text + length, *carriage = memchr(text, '\r', length);
    PM_TYPES__PUSH(p, lines, 0);
    for (const unsigned char *at = text; at < end; at++) {
        const unsigned char *feed = memchr(at, '\n', (size_t)(end - at));
        at = feed ? feed : end;
        for (; carriage && carriage < at;
             carriage = memchr(carriage + 1, '\r', (size_t)(end - carriage) - 1))
            if (carriage[1] != '\n')
                PM_TYPES__PUSH(p, lines, (uint32_t)(carriage - text) + 1);
        if (feed)
            PM_TYPES__PUSH(p, lines, (uint32_t)(feed - text) + 1);
    }
}

static int by_bracket(const void *a, const void *b)
{
    const struct pm_types__clause *x = a, *y = b;
    return x->open < y->open ? -1 : x->open > y->open;
}

void pm_types__prepare(struct pm_types__parse *p)
{
    const struct pm_resolve_file *file = p->file;
    uint32_t open[PM_TYPES__MOST_NESTING]; /* by nesting: the bracket + 1 if no `for` was found
                                              directly in it yet; otherwise 0 */
    size_t depth = 0;
    add_lines(p);
    for (size_t token = 0; token < file->tokens.count; token++) {
        const uint8_t kind = pm_resolve_kind(file, token);
        if (kind == '(' || kind == '[' || kind == '{') {
            if (depth < PM_TYPES__MOST_NESTING)
                open[depth] = (uint32_t)token + 1;
            depth++;
        } else if (kind == ')' || kind == ']' || kind == '}') {
            depth -= depth > 0;
        } else if (kind == PM_TOKEN_NEWLINE) {
            depth = 0;
        } else if (depth > 0 && depth <= PM_TYPES__MOST_NESTING && open[depth - 1] &&
                   PM_RESOLVE_IS(file, token, "for")) {
            PM_TYPES__PUSH(p, clauses,
                           (struct pm_types__clause){open[depth - 1] - 1, (uint32_t)token});
            open[depth - 1] = 0;
        }
    }
    if (p->clauses_count)
        qsort(p->clauses, p->clauses_count, sizeof *p->clauses, by_bracket);
}

size_t pm_types__clause(const struct pm_types__parse *p, size_t open)
{
    const struct pm_types__clause key = {.open = (uint32_t)open};
    const struct pm_types__clause *found =
        p->clauses_count
            ? bsearch(&key, p->clauses, p->clauses_count, sizeof *p->clauses, by_bracket)
            : NULL;
    return found ? found->word : 0;
}

void pm_types__add_site(struct pm_types__parse *p, size_t token, struct pm_types__site site)
{
    const uint32_t start = p->file->tokens.start[token];
    while (p->line > 0 && p->lines[p->line] > start)
        p->line--;
    while (p->line + 1 < p->lines_count && p->lines[p->line + 1] <= start)
        p->line++;
    site.line = (uint32_t)p->line + 1;
    site.column = start - p->lines[p->line] + 1;
    site.inside = pm_types__top(p)->inside;
    PM_TYPES__PUSH(p->project, sites, site);
}

bool pm_types__is_settled(const struct pm_resolve_file *file, const struct pm_resolve_use *use)
{
    const struct pm_resolve_local *local = use->local ? &file->locals[use->local - 1] : NULL;
    return !use->defaulted && !(local && (local->rebound || local->foreign));
}

const struct pm_resolve_use *pm_types__use(const struct pm_resolve_file *file, size_t token)
{
    size_t low = 0, high = file->uses_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (file->uses[middle].token <= token)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && token < file->uses[low - 1].after ? &file->uses[low - 1] : NULL;
}
