/* Runs the user's program with the hooks that record its calls, and joins the files that they
 * wrote. */
#include "record/record.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "process/process.h"

enum { JOIN_TIMEOUT_MS = 300000 }; /* five minutes, as the message says */

/* ---- what the hooks read --------------------------------------------------------------------- */

/* Returns the names of an inventory, as drivers/pmdriver/record/names.py reads them. */
static json_t *names_json(const struct pm_inventory *inventory)
{
    json_t *functions = json_array();
    for (size_t i = 0; i < inventory->count; i++) {
        const struct pm_entry *entry = &inventory->entries[i];
        json_t *aliases = json_array();
        for (size_t k = 0; k < entry->alias_count; k++)
            json_array_append_new(aliases, json_string(entry->aliases[k]));
        json_array_append_new(functions,
                              json_pack("{s:s, s:o}", "name", entry->name, "aliases", aliases));
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "framework", inventory->framework, "root",
                     inventory->root, "short", inventory->brief, "functions", functions);
}

static int write_json(const char *folder, const char *name, json_t *value, struct pm_error *err)
{
    char *path = pm_path_join(folder, name), *text = pm_json_text(value);
    const int rc = pm_file_write(path, text, strlen(text), err);
    json_decref(value);
    free(text);
    free(path);
    return rc;
}

static int write_config(const struct pm_record_request *request, const char *folder,
                        struct pm_error *err)
{
    json_t *names = json_array();
    int rc = PM_OK;
    for (size_t i = 0; i < request->inventory_count && !rc; i++) {
        char *name = pm_format("names-%s.json", request->inventories[i]->framework);
        char *path = pm_path_join(folder, name);
        rc = write_json(folder, name, names_json(request->inventories[i]), err);
        json_array_append_new(names, json_string(path));
        free(path);
        free(name);
    }
    char *root = pm_path_absolute(request->root);
    json_t *config = json_pack("{s:s, s:o, s:b, s:b}", "root", root, "names", names, "keep_values",
                               request->keep_values, "inner", !request->sites_only);
    free(root);
    if (!config) {
        json_decref(names);
        return pm_error_set(err, PM_EUSAGE, "the path of '%s' is not UTF-8: rename its folders",
                            request->root);
    }
    if (rc)
        json_decref(config);
    return rc ? rc : write_json(folder, "config.json", config, err);
}

/* ---- the program ----------------------------------------------------------------------------- */

static int run_program(const struct pm_record_request *request, const char *home,
                       const char *folder, int *status, struct pm_error *err)
{
    const char *before = getenv("PYTHONPATH");
    char *path = pm_format("PYTHONPATH=%s/drivers/pmdriver/record/start%s%s", home,
                           before && *before ? ":" : "", before ? before : "");
    char *variable = pm_format("PORTMETER_RECORD=%s", folder);
    /* Calls in compiled code cannot be recorded, so torch.compile is turned off. */
    const char *const environment[] = {path, variable, "TORCHDYNAMO_DISABLE=1", NULL};
    const struct pm_process_plan plan = {
        .argv = request->command, .environment = environment, .foreground = true};
    const struct pm_process_watch watch = {0};
    struct pm_process_end end;
    const int rc = pm_process_run(&plan, &watch, &end, err);
    if (!rc) {
        *status = end.status;
        pm_process_end_release(&end);
    }
    free(path);
    free(variable);
    return rc;
}

/* ---- joining --------------------------------------------------------------------------------- */

/* Finds the interpreter that ran the program, by the first file of calls; NULL if there is none. */
static int find_python(const char *folder, char **out, struct pm_error *err)
{
    char **names = NULL;
    size_t count = 0;
    *out = NULL;
    PM_TRY(pm_folder_list(folder, &names, &count, err));
    int rc = PM_OK;
    for (size_t i = 0; i < count && !*out && !rc; i++) {
        struct pm_str text = PM_STR_INIT;
        json_t *document = NULL;
        if (!pm_starts_with(names[i], "calls-") || !pm_ends_with(names[i], ".json"))
            continue;
        char *path = pm_path_join(folder, names[i]);
        rc = pm_file_read(path, &text, err);
        if (!rc)
            rc = pm_json_parse(text.data, text.length, &document, err);
        if (!rc)
            *out = pm_strdup(pm_json_string(document, "python", "python3"));
        json_decref(document);
        pm_str_release(&text);
        free(path);
    }
    pm_free_strings(names, count);
    return rc;
}

static int join(const char *home, const char *folder, json_t **out, struct pm_error *err)
{
    char *python, *script = pm_path_join(home, "drivers/recorded.py");
    char *result = pm_path_join(folder, "recording.json");
    struct pm_str text = PM_STR_INIT;
    int rc = find_python(folder, &python, err);
    if (!rc && !python)
        rc = pm_error_set(err, PM_ENOTFOUND,
                          "no call of a public function was recorded: run a Python program that "
                          "imports the framework, from the folder of its files");
    if (!rc) {
        const char *const argv[] = {python, "-E", script, folder, NULL};
        const struct pm_process_plan plan = {
            .argv = argv, .awaited = "the recorded calls", .merged = true};
        const struct pm_process_watch watch = {.timeout_ms = JOIN_TIMEOUT_MS};
        struct pm_process_end end;
        rc = pm_process_run(&plan, &watch, &end, err);
        if (!rc && (end.timed_out || !WIFEXITED(end.status) || WEXITSTATUS(end.status)))
            rc = pm_error_set(err, PM_EFORMAT,
                              "cannot join the recorded calls: %s: report this "
                              "fault of portmeter",
                              end.timed_out ? "joining took over five minutes" : end.output.data);
        if (!rc || rc == PM_EFORMAT)
            pm_process_end_release(&end);
    }
    if (!rc)
        rc = pm_file_read(result, &text, err);
    if (!rc)
        rc = pm_json_parse(text.data, text.length, out, err);
    pm_str_release(&text);
    free(result);
    free(script);
    free(python);
    return rc;
}

int pm_record_run(const struct pm_record_request *request, struct pm_recording *out,
                  struct pm_error *err)
{
    char *home = NULL, *folder = NULL;
    *out = (struct pm_recording){0};
    PM_TRY(pm_path_home(&home, err));
    int rc = pm_folder_scratch(&folder, err);
    if (!rc)
        rc = write_config(request, folder, err);
    if (!rc)
        rc = run_program(request, home, folder, &out->status, err);
    if (!rc)
        rc = join(home, folder, &out->document, err);
    if (folder)
        (void)!pm_folder_remove(folder, NULL);
    free(folder);
    free(home);
    return rc;
}

void pm_recording_release(struct pm_recording *recording)
{
    json_decref(recording->document);
    *recording = (struct pm_recording){0};
}

/* ---- case files ------------------------------------------------------------------------------ */

/* Returns the path of a case file below the folder of its recording; NULL if its names are not
 * those of a case file. */
static char *file_path(const char *folder, const json_t *file)
{
    const char *framework = pm_json_string(file, "framework", "");
    const char *function = pm_json_string(file, "function", "");
    if (!*framework || !*function || strchr(framework, '/') || strchr(function, '/') ||
        *framework == '.')
        return NULL;
    return pm_format("%s/%s/%s.yaml", folder, framework, function);
}

/* Removes the case files that an older recording wrote, and nothing else. */
static void remove_files(const char *folder, const json_t *older)
{
    size_t i;
    json_t *file;
    json_array_foreach(json_object_get(older, "files"), i, file) {
        char *path = file_path(folder, file);
        if (path)
            (void)!unlink(path);
        free(path);
    }
}

/* Removes the case files of an older recording from the folder. Fails if the folder has files but
 * no recording.json. */
static int clear_folder(const char *folder, struct pm_error *err)
{
    char **names = NULL, *own = pm_path_join(folder, "recording.json");
    struct pm_str text = PM_STR_INIT;
    json_t *older = NULL;
    size_t count = 0;
    int rc = PM_OK;
    if (pm_path_exists(folder))
        rc = pm_folder_list(folder, &names, &count, err);
    if (!rc && count && !pm_path_exists(own))
        rc = pm_error_set(err, PM_EUSAGE,
                          "'%s' has files that no recording wrote: name another folder with "
                          "--output",
                          folder);
    if (!rc && count)
        rc = pm_file_read(own, &text, err);
    if (!rc && count)
        rc = pm_json_parse(text.data, text.length, &older, err);
    if (!rc)
        remove_files(folder, older);
    json_decref(older);
    pm_str_release(&text);
    pm_free_strings(names, count);
    free(own);
    return rc;
}

static int write_file(const char *folder, const json_t *file, struct pm_error *err)
{
    char *path = file_path(folder, file), *parent = path ? pm_path_parent(path) : NULL;
    const char *text = pm_json_string(file, "text", "");
    int rc = path ? pm_folder_make(parent, err)
                  : pm_error_set(err, PM_EFORMAT,
                                 "'%s' in a recording is not a function's name: report this "
                                 "fault of portmeter",
                                 pm_json_string(file, "function", ""));
    if (!rc)
        rc = pm_file_write(path, text, strlen(text), err);
    free(parent);
    free(path);
    return rc;
}

int pm_record_write(const struct pm_recording *recording, const char *folder, struct pm_error *err)
{
    const json_t *files = json_object_get(recording->document, "files");
    PM_TRY(clear_folder(folder, err));
    PM_TRY(pm_folder_make(folder, err));
    for (size_t i = 0; i < json_array_size(files); i++)
        PM_TRY(write_file(folder, json_array_get(files, i), err));
    return write_json(folder, "recording.json", json_deep_copy(recording->document), err);
}
