/* Divides a census into shards, and joins the shards. The pack of a shard lists all names; those of
 * the other shards are not tried. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/plural.h"
#include "census/census_private.h"

#define MARK "shard "

enum { MOST_NAMED = 10 }; /* missing shards that a message names */

/* ---- one shard ------------------------------------------------------------------------------ */

char *pm_census__file(const char *framework, const struct pm_shard *shard, const char *folder,
                      const char *extension)
{
    return shard->count ? pm_format("%s/%s.shard-%u-of-%u%s", folder, framework, shard->number,
                                    shard->count, extension)
                        : pm_format("%s/%s%s", folder, framework, extension);
}

bool pm_census_is_mine(const struct pm_census *census, const struct pm_census_row *row)
{
    const struct pm_shard *shard = &census->shard;
    if (!shard->count)
        return true;
    const char *bare = row->kind == PM_NAME_METHOD ? strrchr(row->name, '.') : NULL;
    char *owner = bare ? pm_strndup(row->name, (size_t)(bare - row->name)) : pm_strdup(row->name);
    const bool mine = pm_shard_of(owner, shard->count) == shard->number;
    free(owner);
    return mine;
}

struct pm_digest pm_census_names(const struct pm_census *census)
{
    struct pm_str text = PM_STR_INIT;
    for (size_t i = 0; i < census->count; i++) {
        const struct pm_census_row *row = &census->rows[i];
        pm_str_addf(&text, "%s\t%s\t%s\n", row->name, pm_name_kind_text(row->kind),
                    row->status == PM_CENSUS_NOT_MEASURED ? row->reason : "");
    }
    const struct pm_digest digest = pm_digest_bytes(text.data, text.length);
    pm_str_release(&text);
    return digest;
}

void pm_census__add_shard(const struct pm_census *census, struct pm_str *out)
{
    json_t *line =
        json_pack("{s:i, s:i, s:s, s:O}", "number", (int)census->shard.number, "count",
                  (int)census->shard.count, "command", census->command, "plan", census->plan);
    char *text = pm_json_text(line);
    pm_str_addf(out, "# " MARK "%s\n", text);
    free(text);
    json_decref(line);
}

bool pm_census__read_shard(struct pm_census *census, const char *line)
{
    json_t *document = NULL;
    if (!pm_starts_with(line, MARK) ||
        pm_json_parse(line + strlen(MARK), strlen(line) - strlen(MARK), &document, NULL))
        return false;
    json_t *plan = json_object_get(document, "plan");
    const int64_t count = pm_json_int_in(document, "count", 1, PM_MOST_SHARDS, 0);
    const int64_t number = pm_json_int_in(document, "number", 1, count, 0);
    const bool valid = number && json_is_object(plan) && !census->plan;
    if (valid) {
        census->shard = (struct pm_shard){(unsigned)number, (unsigned)count};
        census->plan = json_incref(plan);
        census->command = pm_strdup(pm_json_string(document, "command", ""));
    }
    json_decref(document);
    return valid;
}

/* ---- joining -------------------------------------------------------------------------------- */

/* Refuses two files that differ. `values` of a digest say nothing to a reader, and are NULL. */
static int refuse(const char *one, const char *other, const char *what, const char *values,
                  struct pm_error *err)
{
    return pm_error_set(err, PM_EUSAGE,
                        "'%s' and '%s' are not shards of one census, because they differ in %s%s: "
                        "make both in the same way",
                        one, other, what, values ? values : "");
}

static int refuse_texts(const char *one, const char *other, const char *what, const char *a,
                        const char *b, struct pm_error *err)
{
    char *values = pm_format(" (%s, %s)", a, b);
    const int rc = refuse(one, other, what, values, err);
    free(values);
    return rc;
}

static int compare_plans(const struct pm_census *a, const struct pm_census *b, const char *one,
                         const char *other, struct pm_error *err)
{
    static const struct {
        const char *key, *what;
        bool shown;
    } parts[] = {
        {"portmeter", "the version of portmeter", true},
        {"version", "the version of the framework", true},
        {"names", "the names of the framework, or which of them are measurable", false},
        {"functions", "--function", true},
        {"limit", "--limit", true},
        {"sources", "--source", true},
        {"seconds", "--seconds", true},
        {"unconfined", "--unconfined", true},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const json_t *mine = json_object_get(a->plan, parts[i].key),
                     *theirs = json_object_get(b->plan, parts[i].key);
        if (json_equal(mine, theirs))
            continue;
        char *first = pm_json_text(mine), *second = pm_json_text(theirs);
        const int rc = parts[i].shown && mine && theirs
                           ? refuse_texts(one, other, parts[i].what, first, second, err)
                           : refuse(one, other, parts[i].what, NULL, err);
        free(first);
        free(second);
        return rc;
    }
    return PM_OK;
}

static int compare(const struct pm_census *a, const struct pm_census *b, const char *one,
                   const char *other, struct pm_error *err)
{
    if (strcmp(a->framework, b->framework) != 0)
        return refuse_texts(one, other, "the framework", a->framework, b->framework, err);
    if (strcmp(a->version, b->version) != 0)
        return refuse_texts(one, other, "the version of the framework", a->version, b->version,
                            err);
    if (a->shard.count != b->shard.count) {
        char *of[] = {pm_format("%u", a->shard.count), pm_format("%u", b->shard.count)};
        const int rc = refuse_texts(one, other, "the number of shards", of[0], of[1], err);
        free(of[0]);
        free(of[1]);
        return rc;
    }
    return compare_plans(a, b, one, other, err);
}

/* Returns the error for the shards that no file has. */
static int missing(const struct pm_census *first, const size_t *file_of, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    const unsigned count = first->shard.count;
    unsigned number = 0, found = 0;
    for (unsigned k = 1; k <= count; k++) {
        if (file_of[k])
            continue;
        number = number ? number : k;
        if (found++ < MOST_NAMED)
            pm_str_addf(&text, "%s%u/%u", found > 1 ? ", " : "", k, count);
    }
    if (found > MOST_NAMED)
        pm_str_addf(&text, " and %u more", found - MOST_NAMED);
    if (!found)
        return PM_OK;
    const int rc = pm_error_set(
        err, PM_ENOTFOUND, "missing shard%s %s: make %s with %s --shard %u/%u", pm_plural(found),
        text.data, found == 1 ? "it" : "each", first->command, number, count);
    pm_str_release(&text);
    return rc;
}

static int check(const struct pm_census *shards, const char *const *paths, size_t count,
                 struct pm_error *err)
{
    size_t *file_of = pm_alloc((PM_MOST_SHARDS + 1) * sizeof *file_of);
    int rc = PM_OK;
    for (size_t i = 0; !rc && i < count; i++) {
        const struct pm_shard *shard = &shards[i].shard;
        if (!shard->count)
            rc = pm_error_set(err, PM_EFORMAT,
                              "'%s' is a whole census and not a shard of one: give only the files "
                              "that portmeter census --shard wrote",
                              paths[i]);
        else
            rc = i ? compare(&shards[i], &shards[0], paths[i], paths[0], err) : PM_OK;
        if (!rc && file_of[shard->number])
            rc = pm_error_set(err, PM_EUSAGE,
                              "shard %u/%u is in '%s' and in '%s': give one of them", shard->number,
                              shard->count, paths[file_of[shard->number] - 1], paths[i]);
        if (!rc)
            file_of[shard->number] = i + 1;
    }
    if (!rc)
        rc = missing(&shards[0], file_of, err);
    free(file_of);
    return rc;
}

int pm_census_join(struct pm_census *shards, const char *const *paths, size_t count,
                   struct pm_error *err)
{
    PM_TRY(check(shards, paths, count, err));
    struct pm_census *whole = &shards[0];
    for (size_t i = 1; i < count; i++)
        pm_census_keep(whole, &shards[i]);
    whole->shard = (struct pm_shard){0};
    json_decref(whole->plan);
    whole->plan = NULL;
    free(whole->command);
    whole->command = NULL;
    return PM_OK;
}
