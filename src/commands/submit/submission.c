/* Reads and writes the folder of a submission: submission.json describes what was submitted. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/shard.h"
#include "submit/submit_private.h"

static const char FILE_NAME[] = "submission.json";

char *pm_submit__folder(const char *into)
{
    char *whole = pm_path_absolute(into);
    char *folder = pm_format("%s.shards", whole);
    free(whole);
    return folder;
}

int pm_submit__write(const struct submission *s, struct pm_error *err)
{
    json_t *json = json_pack("{s:i, s:i, s:s, s:s}", "shards", (int)s->shards, "per_job",
                             (int)s->per_job, "array_job", s->array_job, "merge_job", s->merge_job);
    char *path = pm_path_join(s->folder, FILE_NAME);
    char *text = pm_json_text(json);
    const int rc = pm_file_write(path, text, strlen(text), err);
    free(text);
    free(path);
    json_decref(json);
    return rc;
}

/* Returns whether a text is a job's id or "". Any other text could be read as an option of Slurm's
 * commands. */
static bool is_id(const char *text)
{
    return !text[strspn(text, "0123456789")];
}

static int parse(const char *path, struct submission *out, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    PM_TRY(pm_file_read(path, &text, err));
    json_t *json = json_loads(text.data, 0, NULL);
    const int64_t shards = pm_json_int(json, "shards", 0);
    const int64_t per_job = pm_json_int(json, "per_job", 1);
    out->array_job = pm_strdup(pm_json_string(json, "array_job", ""));
    out->merge_job = pm_strdup(pm_json_string(json, "merge_job", ""));
    out->shards = shards > 0 && shards <= PM_MOST_SHARDS ? (unsigned)shards : 0;
    out->per_job = per_job > 0 && per_job <= PM_MOST_SHARDS ? (unsigned)per_job : 1;
    json_decref(json);
    pm_str_release(&text);
    return out->shards && is_id(out->array_job) && is_id(out->merge_job)
               ? PM_OK
               : pm_error_set(err, PM_EFORMAT,
                              "'%s' is damaged: look at the jobs with squeue, and merge the shards "
                              "with portmeter merge",
                              path);
}

int pm_submit__read(const char *into, struct submission *out, struct pm_error *err)
{
    *out = (struct submission){.folder = pm_submit__folder(into)};
    char *path = pm_path_join(out->folder, FILE_NAME);
    const int rc = pm_path_exists(path)
                       ? parse(path, out, err)
                       : pm_error_set(err, PM_ENOTFOUND,
                                      "nothing was submitted for '%s': name the database that "
                                      "was given to portmeter submit --into",
                                      into);
    free(path);
    if (rc)
        pm_submit__release(out);
    return rc;
}

void pm_submit__release(struct submission *s)
{
    free(s->folder);
    free(s->array_job);
    free(s->merge_job);
    *s = (struct submission){0};
}
