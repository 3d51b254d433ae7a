/*
 * Feeds a file of exclusions, lines or JSON. It must be refused with one line, or give a list of
 * different functions, whose names and reasons are one line each.
 */
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "survey/exclusions.h"

static void check_line(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++)
        if (*at < 0x20 || *at == 0x7f)
            fuzz_wrong("a control byte in '%s'", text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct exclusions list = {0};
    struct pm_error err = {""};
    char path[64];
    const int fd = fuzz_file(data, size, path);
    if (pm_survey__exclusions_read(&list, path, &err))
        fuzz_check_error(&err);
    for (size_t i = 0; i < list.count; i++) {
        const struct pm_exclusion *item = &list.items[i];
        check_line(item->name);
        check_line(item->why ? item->why : "");
        if (!*item->name || !pm_criterion_text(item->criterion))
            fuzz_wrong("an exclusion without a name or a criterion");
        for (size_t k = 0; k < i; k++)
            if (!strcmp(list.items[k].name, item->name))
                fuzz_wrong("'%s' is excluded twice", item->name);
    }
    pm_survey__exclusions_release(&list);
    close(fd);
    return 0;
}
