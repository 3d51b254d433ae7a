/* Reads strings: the fields of f-strings, and types in quotes. */
#include <stdlib.h>

#include "types/types_private.h"

static void skip_strings(struct pm_types__parse *p)
{
    while (p->token < p->file->tokens.count &&
           (pm_resolve_is_inside(p->file, p->token) ||
            pm_resolve_kind(p->file, p->token) == PM_TOKEN_STRING))
        p->token++;
}

/* Returns whether an f-string whose fields have tokens begins at the current token. The first token
 * of such an f-string ends with the opening quotes; any other string is a single token. */
static bool opens_fields(const struct pm_types__parse *p)
{
    const unsigned char *at = p->file->text + p->file->tokens.start[p->token];
    const unsigned char *end = p->file->text + p->file->tokens.end[p->token];
    bool format = false;
    if (pm_resolve_kind(p->file, p->token) != PM_TOKEN_STRING ||
        !pm_resolve_is_inside(p->file, p->token + 1))
        return false;
    for (; at < end && *at != '"' && *at != '\''; at++)
        format |= strchr("fFtT", *at) != NULL;
    return format && (end - at == 1 || (end - at == 3 && at[1] == *at && at[2] == *at));
}

/* Reads a field such as `{value!r:{width}}`, from its opening to its closing brace. */
static void field(struct pm_types__parse *p)
{
    p->token++;
    while (pm_resolve_is_inside(p->file, p->token)) {
        const size_t before = p->token;
        const uint8_t kind = pm_types__at(p);
        if (kind == '}') {
            p->token++;
            return;
        }
        if (kind != ':') {
            (void)p->expression(p);
        } else if (p->token++, p->nesting < PM_TYPES__MOST_NESTING) {
            p->nesting++;
            while (pm_resolve_is_inside(p->file, p->token) && pm_types__at(p) == '{')
                field(p);
            p->nesting--;
        }
        p->token += p->token == before; /* a comma, a conversion, `=` */
    }
}

/* Skips consecutive strings, which Python joins. Finds the uses in the fields of f-strings. */
void pm_types__strings(struct pm_types__parse *p)
{
    while (pm_resolve_kind(p->file, p->token) == PM_TOKEN_STRING) {
        const bool inside = pm_resolve_is_inside(p->file, p->token);
        const bool open = opens_fields(p);
        p->token++;
        while (open && pm_resolve_is_inside(p->file, p->token) &&
               pm_resolve_kind(p->file, p->token) == '{')
            field(p);
        p->token += open && pm_resolve_is_inside(p->file, p->token) &&
                    pm_resolve_kind(p->file, p->token) == PM_TOKEN_STRING;
        while (!inside && pm_resolve_is_inside(p->file, p->token))
            p->token++; /* the rest, if it is nested too deeply */
        (void)pm_types__at(p);
    }
}

/* Reads a type in quotes: a name with dots, also within Optional[]. */
uint32_t pm_types__quoted(struct pm_types__parse *p)
{
    const uint32_t text = pm_types__key(p, p->token);
    uint32_t of = 0;
    skip_strings(p);
    if (!text)
        return 0;
    char *copy = pm_strdup(p->project->names[text - 1]), *rest = copy;
    if (strncmp(rest, "Optional[", 9) == 0 && rest[strlen(rest) - 1] == ']') {
        rest[strlen(rest) - 1] = '\0';
        rest += 9;
    }
    const bool chain = rest[strcspn(rest, " []()\"',|")] == '\0';
    for (char *part; chain && (part = strsep(&rest, ".")) != NULL;) {
        const uint32_t name = pm_types__name(p->project, part, strlen(part));
        of = of ? pm_types__term(p->project, PM_TYPES__ATTRIBUTE, of, name)
                : pm_types__term(p->project, PM_TYPES__GLOBAL, p->unit, name);
    }
    free(copy);
    return of;
}
