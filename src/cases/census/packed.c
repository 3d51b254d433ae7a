/* Writes and reads a census as a pack of case files, with a list of all names in its comments. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/line.h"
#include "census/census_private.h"
#include "suite/suite.h"

#define TITLE "# census of "

char *pm_census_path(const char *framework, const struct pm_shard *shard, const char *folder)
{
    return pm_census__file(framework, shard, folder, PM_SUITE_PACK);
}

int pm_census_home(char **folder, struct pm_error *err)
{
    char *home = NULL;
    PM_TRY(pm_path_home(&home, err));
    *folder = pm_path_join(home, "suites/census");
    free(home);
    return PM_OK;
}

int pm_census_cases(const char *framework, char **path, struct pm_error *err)
{
    char *folder = NULL;
    PM_TRY(pm_census_home(&folder, err));
    *path = pm_census_path(framework, &(struct pm_shard){0}, folder);
    free(folder);
    if (pm_path_exists(*path))
        return PM_OK;
    free(*path);
    *path = NULL;
    return pm_error_set(err, PM_ENOTFOUND,
                        "no census of %s comes with portmeter: make one with portmeter census %s, "
                        "and name it with --suite",
                        framework, framework);
}

/* ---- writing -------------------------------------------------------------------------------- */

static void add_line(const struct pm_census_row *row, struct pm_str *out)
{
    pm_str_addf(out, "# %s\t%s\t%s\t%s\t", row->name, pm_name_kind_text(row->kind),
                pm_census_status_text(row->status), row->text ? pm_tier_text(row->tier) : "");
    for (int tier = 0, n = 0; tier < PM_TIER_COUNT; tier++)
        if (row->from[tier])
            pm_str_addf(out, "%s%s", n++ ? "," : "", pm_tier_text((enum pm_tier)tier));
    pm_str_add_char(out, '\t');
    pm_line_add(out, row->reason, 200);
    pm_str_add_char(out, '\n');
}

int pm_census_write(const struct pm_census *census, const char *path, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    char *folder = pm_path_parent(path);
    const int made = pm_folder_make(folder, err);
    free(folder);
    PM_TRY(made);
    pm_str_addf(&text, TITLE "%s %s\n", census->framework, census->version);
    if (census->shard.count)
        pm_census__add_shard(census, &text);
    for (size_t i = 0; i < census->count; i++)
        add_line(&census->rows[i], &text);
    for (size_t i = 0; i < census->count; i++)
        if (census->rows[i].text)
            pm_str_addf(&text, "---\n%s", census->rows[i].text);
    const int rc = pm_suite_pack(path, text.data, text.length, err);
    pm_str_release(&text);
    return rc;
}

/* ---- reading -------------------------------------------------------------------------------- */

static int damaged(const char *path, struct pm_error *err)
{
    return pm_error_set(err, PM_EFORMAT,
                        "'%s' is not a census, or is damaged: make it again with portmeter census",
                        path);
}

static void read_sources(struct pm_census_row *row, char *text)
{
    enum pm_tier tier;
    for (char *rest = text, *word; (word = strsep(&rest, ","));)
        if (pm_tier_parse(word, &tier))
            row->from[tier] = true;
}

/* Reads a line of the list of names. */
static int read_line(struct pm_census *census, const char *path, char *line, struct pm_error *err)
{
    enum { NAME, KIND, STATUS, TIER, SOURCES, REASON, FIELDS };
    char *fields[FIELDS];
    if (!pm_divide(line, '\t', fields, FIELDS))
        return damaged(path, err);
    struct pm_census_row *row = pm_census__add(census, fields[NAME]);
    if (!pm_name_kind_parse(fields[KIND], &row->kind) ||
        !pm_census_status_parse(fields[STATUS], &row->status) ||
        (*fields[TIER] && !pm_tier_parse(fields[TIER], &row->tier)))
        return damaged(path, err);
    read_sources(row, fields[SOURCES]);
    free(row->reason);
    row->reason = pm_strdup(fields[REASON]);
    return PM_OK;
}

static int read_title(struct pm_census *census, const char *path, const char *framework, char *line,
                      struct pm_error *err)
{
    char *rest = pm_starts_with(line, TITLE) ? line + strlen(TITLE) : NULL;
    const char *name = rest ? strsep(&rest, " ") : NULL;
    if (!rest || (framework && strcmp(name, framework) != 0))
        return damaged(path, err);
    census->framework = pm_strdup(name);
    census->version = pm_strdup(rest);
    return PM_OK;
}

/* Reads the lines below the title: the one about the shard, if there is one, and the names. */
static int read_lines(struct pm_census *census, const char *path, char *rest, struct pm_error *err)
{
    int rc = PM_OK;
    for (char *line; !rc && (line = strsep(&rest, "\n")) && *line;) {
        if (!pm_starts_with(line, "# "))
            rc = damaged(path, err);
        else if (census->count || !pm_census__read_shard(census, line + 2))
            rc = read_line(census, path, line + 2, err);
    }
    return rc;
}

static int keep_file(void *ctx, const char *pack, const char *function, const char *text,
                     size_t length, struct pm_error *err)
{
    struct pm_census_row *row = pm_census_find(ctx, function);
    if (!row || row->text)
        return damaged(pack, err);
    row->text = pm_strndup(text, length);
    return PM_OK;
}

int pm_census_read(struct pm_census *census, const char *framework, const char *path,
                   struct pm_error *err)
{
    struct pm_str comments = PM_STR_INIT;
    *census = (struct pm_census){0};
    int rc = pm_path_exists(path)
                 ? pm_suite_pack_comments(path, &comments, err)
                 : pm_error_set(err, PM_ENOTFOUND,
                                "there is no census '%s': make it with portmeter census %s", path,
                                framework ? framework : "FRAMEWORK");
    pm_str_add_char(&comments, '\0'); /* allocates the text even if it is empty */
    char *rest = comments.data, *line = strsep(&rest, "\n");
    if (!rc)
        rc = read_title(census, path, framework, line, err);
    if (!rc)
        rc = read_lines(census, path, rest, err);
    if (!rc)
        rc = pm_suite_unpack(path, keep_file, census, err);
    if (rc)
        pm_census_release(census);
    pm_str_release(&comments);
    return rc;
}
