/* Finds the nearest of known words by edit distance (optimal string alignment). */
#include "base/nearest.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t pm_nearest_distance(const char *a, const char *b)
{
    size_t rows[3][PM_NEAREST_LONGEST + 1];
    const size_t a_length = strlen(a), b_length = strlen(b);
    if (a_length > PM_NEAREST_LONGEST || b_length > PM_NEAREST_LONGEST)
        return PM_NEAREST_LONGEST;
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least(row[j], least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

/* Returns the most errors that count as a typing mistake: two, or three in a long word, but fewer
 * than the letters of a word of at least two letters. */
static size_t most_errors(const char *word)
{
    enum { SLIP = 2, LONG_SLIP = 3, LONG = 9 };
    const size_t length = strlen(word), most = length < LONG ? SLIP : LONG_SLIP;
    return length ? least(length - (length > 1), most) : 0;
}

static size_t distance_of(const char *word, const char *known)
{
    const size_t distance = pm_nearest_distance(word, known);
    return distance > 1 && !strcasecmp(word, known) ? 1 : distance;
}

/* Returns the only known word that begins with `word`, if `word` has at least three letters, as
 * "rep" does. Returns NULL if there is none or more than one. */
static const char *completed(const char *word, const char *const *known, size_t count)
{
    enum { LETTERS = 3 };
    const size_t length = strlen(word);
    const char *found = NULL;
    for (size_t i = 0; length >= LETTERS && i < count; i++)
        if (!strncmp(known[i], word, length)) {
            if (found)
                return NULL;
            found = known[i];
        }
    return found;
}

static bool is_number(const char *word)
{
    return *word && !word[strspn(word, "0123456789")];
}

const char *pm_nearest(const char *word, const char *const *known, size_t count)
{
    size_t best = most_errors(word) + 1;
    const char *found = NULL;
    if (is_number(word))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(word, known[i]))
            return NULL;
        const size_t distance = distance_of(word, known[i]);
        if (distance < best && distance < strlen(known[i])) {
            best = distance;
            found = known[i];
        }
    }
    return found ? found : completed(word, known, count);
}

bool pm_nearest_is_weak(const char *word, const char *nearest)
{
    return 2 * distance_of(word, nearest) >= strlen(word);
}

static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

const char *pm_nearest_name(const char *name, const char *const *known, size_t count)
{
    const char *last = last_part(name), *found = pm_nearest(name, known, count);
    size_t best = most_errors(last) + 1;
    if (found || !*last)
        return found;
    for (size_t i = 0; i < count; i++) {
        const size_t distance = distance_of(last, last_part(known[i]));
        if (!strcmp(name, known[i]))
            return NULL;
        if (distance < best) {
            best = distance;
            found = known[i];
        }
    }
    return found;
}

int pm_nearest_error(struct pm_error *err, int code, const char *word, const char *const *known,
                     size_t count, const char *advice, const char *format, ...)
{
    struct pm_error what;
    const char *nearest = pm_nearest_name(word, known, count);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what.text, sizeof what.text, format, arguments);
    va_end(arguments);
    return nearest ? pm_error_set(err, code, "%s: did you mean '%s'?", what.text, nearest)
                   : pm_error_set(err, code, "%s: %s", what.text, advice);
}
