/* Edit distances between short words (optimal string alignment). */
#include "base/nearest.h"

#include <string.h>

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

const char *pm_nearest(const char *word, const char *const *known, size_t count)
{
    enum { LETTERS_PER_ERROR = 3, MOST_ERRORS = 3 };
    const size_t length = strlen(word);
    size_t best = least(length / LETTERS_PER_ERROR, MOST_ERRORS) + 1;
    const char *found = NULL;
    for (size_t i = 0; i < count; i++) {
        const size_t distance = pm_nearest_distance(word, known[i]);
        if (distance == 0)
            return NULL;
        if (distance < best) {
            best = distance;
            found = known[i];
        }
    }
    return found;
}
