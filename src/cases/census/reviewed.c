/* Puts the reviewed cases of suites/used into a census, in place of those that a program made. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "census/census_private.h"

#define FIRST "function: "

/* Takes the text of a case file from its first line on, which names the function. */
static int take_file(struct pm_census *census, const char *path, const struct pm_str *text,
                     struct pm_error *err)
{
    const char *from = text->length && pm_starts_with(text->data, FIRST) ? text->data : NULL;
    const size_t length = from ? strcspn(from + strlen(FIRST), "\n") : 0;
    if (!length)
        return pm_error_set(err, PM_EFORMAT,
                            "%s:1:1: a reviewed case file must begin with '" FIRST "NAME'", path);
    char *name = pm_strndup(from + strlen(FIRST), length);
    struct pm_census_row *row = pm_census_find(census, name);
    free(name);
    if (!row)
        return PM_OK;
    row->status = PM_CENSUS_VALUES;
    row->tier = PM_TIER_REVIEWED;
    row->from[PM_TIER_REVIEWED] = true;
    free(row->reason);
    row->reason = pm_strdup("");
    free(row->text);
    row->text = pm_strdup(from);
    return PM_OK;
}

static int take_folder(struct pm_census *census, const char *folder, struct pm_error *err)
{
    char **names = NULL;
    size_t count = 0;
    PM_TRY(pm_folder_list(folder, &names, &count, err));
    int rc = PM_OK;
    for (size_t i = 0; i < count && !rc; i++) {
        struct pm_str text = PM_STR_INIT;
        char *path = pm_path_join(folder, names[i]);
        if (pm_ends_with(names[i], ".yaml") && !(rc = pm_file_read(path, &text, err)))
            rc = take_file(census, path, &text, err);
        pm_str_release(&text);
        free(path);
    }
    pm_free_strings(names, count);
    return rc;
}

int pm_census_review(struct pm_census *census, const char *folder, struct pm_error *err)
{
    char *own = pm_path_join(folder, census->framework);
    const int rc = pm_path_exists(own) ? take_folder(census, own, err) : PM_OK;
    free(own);
    return rc;
}
