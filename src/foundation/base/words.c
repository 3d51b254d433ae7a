/* Looks up and lists the words of the enums that PM_WORDS declares. */
#include "base/words.h"

#include <string.h>

#include "base/nearest.h"

int pm_words_find(const struct pm_words *words, const char *text)
{
    for (int i = 0; i < words->count; i++)
        if (strcmp(words->texts[i], text) == 0)
            return i;
    return -1;
}

void pm_words_list(const struct pm_words *words, struct pm_str *out)
{
    bool first = true;
    for (int i = 0; i < words->count; i++)
        if (*words->texts[i]) {
            pm_str_addf(out, "%s%s", first ? "" : ", ", words->texts[i]);
            first = false;
        }
}

int pm_words_unknown(const struct pm_words *words, const char *what, const char *text,
                     struct pm_error *err)
{
    struct pm_str known = PM_STR_INIT;
    const char *nearest = pm_nearest(text, words->texts, (size_t)words->count);
    if (nearest && !pm_nearest_is_weak(text, nearest))
        return pm_error_set(err, PM_EUSAGE, "unknown %s '%s': did you mean '%s'?", what, text,
                            nearest);
    pm_words_list(words, &known);
    const int rc =
        nearest ? pm_error_set(err, PM_EUSAGE, "unknown %s '%s': did you mean '%s', or one of %s?",
                               what, text, nearest, known.data)
                : pm_error_set(err, PM_EUSAGE, "unknown %s '%s': use one of %s", what, text,
                               known.data);
    pm_str_release(&known);
    return rc;
}
