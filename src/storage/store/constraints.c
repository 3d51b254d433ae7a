/* Reads the constraints of a table as expressions that a statement can check. */
#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "store/connection.h"
#include "store/store_private.h"

/* Returns the position after the parenthesis that closes the one at `at`, in SQL without
 * comments. */
static const char *behind_parentheses(const char *at)
{
    int depth = 0;
    while (*at) {
        const char c = *at;
        at = c == '\'' || c == '"' ? pm_store__behind_quotes(at) : at + 1;
        depth += (c == '(') - (c == ')');
        if (!depth)
            break;
    }
    return at;
}

/* Adds the expression in the parentheses of each CHECK of a normalised statement. */
static void find_checks(const char *sql, struct pm_constraints *out)
{
    static const char word[] = "CHECK(";
    const size_t length = strlen(word);
    for (const char *at = sql; *at;) {
        const bool begins = at == sql || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (*at == '\'' || *at == '"') {
            at = pm_store__behind_quotes(at);
        } else if (begins && !strncmp(at, word, length)) {
            const char *end = behind_parentheses(at + length - 1);
            PM_GROW(out->items, out->count, out->capacity);
            out->items[out->count++] = pm_strndup(at + length, (size_t)(end - at) - length - 1);
            at = end;
        } else {
            at++;
        }
    }
}

int pm_store_constraints(struct pm_store *store, const char *table, struct pm_constraints *out,
                         struct pm_error *err)
{
    struct pm_store__query q;
    *out = (struct pm_constraints){0};
    PM_TRY(pm_store__prepare(
        store, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", &q, err));
    pm_store__bind_text(&q, table);
    int rc = pm_store__next(&q, err);
    if (rc > 0) {
        char *sql = pm_store__normalised(pm_store__long(&q));
        find_checks(sql, out);
        free(sql);
        rc = pm_store__sound(&q, err);
    }
    pm_store__close(&q);
    return rc;
}

void pm_constraints_release(struct pm_constraints *constraints)
{
    pm_free_strings(constraints->items, constraints->count);
    *constraints = (struct pm_constraints){0};
}
