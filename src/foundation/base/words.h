/*
 * Words: an enum, its texts and its parser, made from one list.
 *
 *     #define PM_COLOURS(X, P) X(P, RED, "red") X(P, GREEN, "green")
 *
 *     PM_WORDS(colour, PM_COLOURS, PM_COLOUR);            // in a header. It declares
 *         enum pm_colour { PM_COLOUR_RED, PM_COLOUR_GREEN, PM_COLOUR_COUNT };
 *         extern const struct pm_words pm_colour_words;
 *         const char *pm_colour_text(enum pm_colour word);
 *         bool pm_colour_parse(const char *text, enum pm_colour *out);
 *
 *     PM_WORDS_DEFINE(colour, PM_COLOURS, PM_COLOUR);     // in one .c file
 *
 * Texts are static. A parser leaves *out as it is and returns false if the text is none of the
 * words. The words that several rooms share are in base/vocabulary.h.
 */
#ifndef PM_BASE_WORDS_H
#define PM_BASE_WORDS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/str.h"

struct pm_words {
    const char *const *texts; /* by the enum's value */
    int count;
};

/* Returns the index of a text, or -1 if it is not one of the words. */
int pm_words_find(const struct pm_words *words, const char *text);
/* Appends "red, green", without a word whose text is "": for messages and help. */
void pm_words_list(const struct pm_words *words, struct pm_str *out);

/* Sets the error "unknown colour 'mauve': use one of red, green", or "unknown colour 'gren': did
 * you mean 'green'?", or both if that word is weak. Returns PM_EUSAGE. */
int pm_words_unknown(const struct pm_words *words, const char *what, const char *text,
                     struct pm_error *err);

#define PM_WORDS__ID(P, id, text)   P##_##id,
#define PM_WORDS__TEXT(P, id, text) [P##_##id] = text,

#define PM_WORDS(name, LIST, P)                                                                    \
    enum pm_##name{LIST(PM_WORDS__ID, P) P##_COUNT};                                               \
    extern const struct pm_words pm_##name##_words;                                                \
    const char *pm_##name##_text(enum pm_##name word);                                             \
    bool pm_##name##_parse(const char *text, enum pm_##name *out)

#define PM_WORDS_DEFINE(name, LIST, P)                                                             \
    static const char *const name##_texts[] = {LIST(PM_WORDS__TEXT, P)};                           \
    const struct pm_words pm_##name##_words = {name##_texts, P##_COUNT};                           \
    const char *pm_##name##_text(enum pm_##name word)                                              \
    {                                                                                              \
        return name##_texts[word];                                                                 \
    }                                                                                              \
    bool pm_##name##_parse(const char *text, enum pm_##name *out)                                  \
    {                                                                                              \
        const int found = pm_words_find(&pm_##name##_words, text);                                 \
        if (found >= 0)                                                                            \
            *out = (enum pm_##name)found;                                                          \
        return found >= 0;                                                                         \
    }                                                                                              \
    _Static_assert(P##_COUNT > 0, "a list of words has words")

#endif
