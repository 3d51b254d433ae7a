/* Writes the page of a database, an HTML report beside it. */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "core/core.h"

/* The mark near the beginning of every page of portmeter. */
static const char mark[] = "<meta name=generator content=\"portmeter ";
enum { BEGINNING = 4096 };

char *pm_page_path(const char *db)
{
    const size_t length = strlen(db), ending = strlen(".db");
    const bool has = length > ending && !strcmp(db + length - ending, ".db");
    return pm_format("%.*s.html", (int)(has ? length - ending : length), db);
}

/* Checks that the file, if it exists, is a page of portmeter, because another file of the user must
 * not be replaced. */
static int check_is_page(const char *path, struct pm_error *err)
{
    struct pm_str bytes = PM_STR_INIT;
    if (!pm_path_exists(path))
        return PM_OK;
    int rc = pm_file_read(path, &bytes, err);
    if (!rc && !memmem(bytes.data, bytes.length < BEGINNING ? bytes.length : BEGINNING, mark,
                       sizeof mark - 1))
        rc = pm_error_set(err, PM_EUSAGE,
                          "cannot write the page: '%s' exists and is not a page of portmeter: "
                          "rename it, or use portmeter report --output",
                          path);
    pm_str_release(&bytes);
    return rc;
}

int pm_write_page(const char *db, int64_t run_id, char **path, struct pm_error *err)
{
    enum pm_exit status;
    *path = pm_page_path(db);
    const struct pm_report_options options = {
        .db = db, .run_id = run_id, .format = PM_FORMAT_HTML, .output = *path};
    int rc = check_is_page(*path, err);
    if (!rc)
        rc = pm_write_report(&options, &status, err);
    if (rc) {
        free(*path);
        *path = NULL;
    }
    return rc;
}
