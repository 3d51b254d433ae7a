/* Defines how states look in HTML. */
#include <stdlib.h>
#include <string.h>

#include "report/report_private.h"

const struct pm_report__look pm_report__looks[PM_LOOK_COUNT] = {
    {"w", "&#10003;", "works"},       {"l", "&#8776;", "works with limits"},
    {"p", "&#9680;", "partly"},       {"f", "&#10005;", "fails"},
    {"a", "&#8211;", "absent"},       {"h", "&#9675;", "host-only"},
    {"o", "?", "no counted verdict"},
};

/* Returns the look of a tally such as "3 of 5". */
static const struct pm_report__look *look_of_tally(const char *word)
{
    char *end;
    const long passed = strtol(word, &end, 10);
    if (end == word || strncmp(end, " of ", 4))
        return &pm_report__looks[PM_LOOK_OTHER];
    const long of = strtol(end + 4, NULL, 10);
    return &pm_report__looks[passed >= of ? PM_LOOK_WORKS
                             : passed     ? PM_LOOK_PARTLY
                                          : PM_LOOK_FAILS];
}

const struct pm_report__look *pm_report__look_of(const char *word)
{
    static const struct {
        const char *word;
        int look;
    } words[] = {
        {"works", PM_LOOK_WORKS},
        {"pass", PM_LOOK_WORKS},
        {"yes", PM_LOOK_WORKS},
        {"partly", PM_LOOK_PARTLY},
        {"part", PM_LOOK_PARTLY},
        {"fallback", PM_LOOK_PARTLY},
        {"unstable", PM_LOOK_PARTLY},
        {"flaky", PM_LOOK_PARTLY},
        {"fails", PM_LOOK_FAILS},
        {"FAIL", PM_LOOK_FAILS},
        {"fail", PM_LOOK_FAILS},
        {"crash", PM_LOOK_FAILS},
        {"timeout", PM_LOOK_FAILS},
        {"memory", PM_LOOK_FAILS},
        {"NO", PM_LOOK_FAILS},
        {"absent", PM_LOOK_ABSENT},
        {"host-only", PM_LOOK_HOST},
        {"works with limits", PM_LOOK_LIMITS},
        {"can be lowered", PM_LOOK_WORKS},
        {"can be lowered with limits", PM_LOOK_LIMITS},
        {"can be lowered partly", PM_LOOK_PARTLY},
        {"cannot be lowered", PM_LOOK_FAILS},
        {"has shapes", PM_LOOK_WORKS},
        {"has shapes with limits", PM_LOOK_LIMITS},
        {"has shapes partly", PM_LOOK_PARTLY},
        {"has no shapes", PM_LOOK_FAILS},
        {"not possible", PM_LOOK_FAILS},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].word, word))
            return &pm_report__looks[words[i].look];
    return look_of_tally(word);
}

const struct pm_report__look *pm_report__look_of_row(const struct pm_report__cell *cells,
                                                     size_t count)
{
    const struct pm_report__look *look = pm_report__look_of(cells[1].text);
    for (size_t i = 2; i < count; i++)
        if (pm_report__look_of(cells[i].text) != look)
            return NULL;
    return look == &pm_report__looks[PM_LOOK_OTHER] ? NULL : look;
}
