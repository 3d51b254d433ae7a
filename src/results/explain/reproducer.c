/* Writes reproducers by means of drivers/reproduce.py, and runs them to find out whether they show
 * the failure. */
#include <stdlib.h>
#include <string.h>

#include "array/generate.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/line.h"
#include "base/privacy.h"
#include "environment/environment.h"
#include "explain/explain_private.h"
#include "process/process.h"
#include "store/executions.h"
#include "store/runs.h"
#include "store/targets.h"

#define LITERAL "literal "

enum { TIMEOUT_MS = 180000, MOST_LINES = 30, MOST_PRINTED = 64 << 20 };

/* A reproducer that is being made. */
struct making {
    const struct pm_explain__failure *failure;
    const char *python;
    char *folder, *script, *body, *npz; /* in a scratch folder */
    json_t *inputs;
};

void pm_explain__reproducer_release(struct pm_explain__reproducer *reproducer)
{
    free(reproducer->text);
    free(reproducer->remark);
    *reproducer = (struct pm_explain__reproducer){0};
}

/* ---- its inputs ------------------------------------------------------------------------------ */

/* Returns the specification of an input, with the first shape of a series instead of `$shape`. The
 * caller frees it. */
static char *with_shape(const char *text, const json_t *definition)
{
    const char *place = strstr(text, "$shape");
    const json_t *shape = json_array_get(json_object_get(definition, "shapes"), 0);
    struct pm_str out = PM_STR_INIT;
    if (!place || !shape)
        return pm_strdup(text);
    pm_str_add_bytes(&out, text, (size_t)(place - text));
    for (size_t i = 0; i < json_array_size(shape); i++)
        pm_str_addf(&out, "%s%lld", i ? "," : "",
                    (long long)json_integer_value(json_array_get(shape, i)));
    pm_str_add(&out, place + strlen("$shape"));
    return pm_str_detach(&out);
}

/* Adds an array to `list`, and its values to `body` (NULL: no values). */
static int add_array(const struct pm_explain__failure *failure, const char *name, const char *text,
                     json_t *list, struct pm_str *body, struct pm_error *err)
{
    struct pm_input_spec spec;
    struct pm_array array = {0};
    PM_TRY(pm_input_parse(text, &spec, err));
    const char *across = pm_json_string(failure->definition, "across", NULL);
    const char *dtype =
        json_string_value(json_array_get(json_object_get(failure->definition, "dtypes"), 0));
    char *key = across ? pm_format("across/%s/%s/%s", across, dtype ? dtype : "", name)
                       : pm_format("%s/%s/%s", failure->function, failure->name, name);
    const int rc = body ? pm_generate(&spec, key, (uint64_t)failure->seed, &array, err) : PM_OK;
    free(key);
    PM_TRY(rc);
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:I, s:I, s:b}", "name", name, "spec",
                                          text, "dtype", pm_dtype_name(spec.dtype), "offset",
                                          (json_int_t)(body ? body->length : 0), "bytes",
                                          (json_int_t)array.bytes, "host", spec.on_host));
    if (body)
        pm_str_add_bytes(body, array.data, array.bytes);
    pm_array_release(&array);
    return PM_OK;
}

static int add_input(const struct pm_explain__failure *failure, const char *name, const char *text,
                     json_t *list, struct pm_str *body, struct pm_error *err)
{
    if (pm_starts_with(text, LITERAL)) {
        json_t *value = json_loads(text + strlen(LITERAL), JSON_DECODE_ANY, NULL);
        if (!value)
            return pm_error_set(err, PM_EFORMAT,
                                "input '%s' of a stored case is not JSON: measure the case again",
                                name);
        json_array_append_new(list, json_pack("{s:s, s:o}", "name", name, "literal", value));
        return PM_OK;
    }
    char *whole = with_shape(text, failure->definition);
    const int rc = add_array(failure, name, whole, list, body, err);
    free(whole);
    return rc;
}

/* Sets *out to a list that describes the inputs of a case for drivers/reproduce.py, and writes
 * their values to the file `body` (NULL: no values). The caller owns *out, also after an error. */
static int describe_inputs(const struct pm_explain__failure *failure, const char *body,
                           json_t **out, struct pm_error *err)
{
    struct pm_str bytes = PM_STR_INIT;
    const char *name;
    json_t *text;
    int rc = PM_OK;
    *out = json_array();
    json_object_foreach(json_object_get(failure->definition, "inputs"), name, text) {
        if (!rc && json_is_string(text))
            rc = add_input(failure, name, json_string_value(text), *out, body ? &bytes : NULL, err);
    }
    if (!rc && body)
        rc = pm_file_write(body, bytes.data, bytes.length, err);
    pm_str_release(&bytes);
    return rc;
}

/* ---- one script ------------------------------------------------------------------------------ */

static char *one_line(const char *text, size_t most)
{
    struct pm_str line = PM_STR_INIT;
    pm_line_add(&line, text, most);
    return pm_str_detach(&line);
}

/* Returns the comments at the beginning of the script. They contain the message of the failure,
 * which may be any text; in a comment of one line, it has no effect. */
static json_t *comments(const struct pm_explain__failure *f)
{
    char *what = pm_format("%s on %s, case '%s'", f->function, f->target, f->name);
    char *first = one_line(what, 110), *second = one_line(f->detail, 110);
    json_t *list = json_pack("[s, s]", first, second);
    free(what);
    free(first);
    free(second);
    return list;
}

static json_t *job_of(const struct making *m, const char *values, const char *npz)
{
    const struct pm_explain__failure *f = m->failure;
    const char *why;
    json_t *job = json_pack("{s:s, s:s, s:s, s:s, s:O, s:O, s:s, s:s, s:s}", "framework",
                            f->framework, "modules", f->imports, "device", f->device, "variant",
                            f->variant, "definition", f->definition, "inputs", m->inputs, "body",
                            m->body ? m->body : "", "values", values, "npz", npz);
    json_object_set_new(job, "comments", comments(f));
    json_object_set_new(job, "failure",
                        json_pack("{s:s, s:s, s:b}", "kind", pm_explain__kind(f, &why), "message",
                                  f->detail, "setup_on_host",
                                  pm_json_bool(f->result, "setup_on_host", false)));
    return job;
}

/* Runs a Python program with its temporary files in `folder`, because a framework may leave files
 * behind. PYTHONPATH is kept, as for drivers, because a back end of the user may need it. */
static int run_python(const char *const *argv, const char *folder, struct pm_process_end *end,
                      struct pm_error *err)
{
    char *temporary = pm_format("TMPDIR=%s", folder);
    const char *const variables[] = {"PYTHONDONTWRITEBYTECODE=1", temporary, NULL};
    const struct pm_process_plan plan = {.argv = argv,
                                         .awaited = "the script that shows the failure",
                                         .environment = variables,
                                         .merged = true,
                                         .contained = pm_process_can_contain(),
                                         .session = true};
    const struct pm_process_watch watch = {.timeout_ms = TIMEOUT_MS, .limit = MOST_PRINTED};
    const int rc = pm_process_run(&plan, &watch, end, err);
    free(temporary);
    return rc;
}

/* Writes the script. If no script can be written, *text is NULL, and *remark says why. The caller
 * frees both. */
static int write_script(const struct making *m, const char *values, char **text, char **remark,
                        struct pm_error *err)
{
    char *home = NULL;
    struct pm_process_end end;
    char *job_path = pm_path_join(m->folder, "job.json");
    json_t *job = job_of(m, values, m->npz);
    char *job_text = pm_json_text(job);
    int rc = pm_path_home(&home, err);
    char *generator = pm_path_join(home ? home : "", "drivers/reproduce.py");
    const char *const argv[] = {m->python, generator, job_path, NULL};
    if (!rc)
        rc = pm_file_write(job_path, job_text, strlen(job_text), err);
    if (!rc)
        rc = run_python(argv, m->folder, &end, err);
    if (!rc) {
        const bool made = end.status == 0;
        *text = made ? pm_strdup(end.output.data) : NULL;
        if (!made) {
            end.output.data[strcspn(end.output.data, "\n")] = '\0';
            char *why = pm_privacy_hidden(end.output.data);
            *remark = pm_format("none: %s", why);
            free(why);
        }
        if (made)
            rc = pm_file_write(m->script, *text, strlen(*text), err);
        pm_process_end_release(&end);
    }
    json_decref(job);
    free(job_text);
    free(job_path);
    free(generator);
    free(home);
    return rc;
}

static int try_script(const struct making *m, bool *same, struct pm_error *err)
{
    struct pm_process_end end;
    const char *const argv[] = {m->python, m->script, NULL};
    PM_TRY(run_python(argv, m->folder, &end, err));
    char *output = pm_privacy_hidden(end.output.data); /* as in the stored message */
    *same = !end.timed_out && pm_explain__same(m->failure, end.status, output);
    free(output);
    pm_process_end_release(&end);
    return PM_OK;
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; (text = strchr(text, '\n')); text++)
        lines++;
    return lines;
}

/* Tries one way to give the script its values. Sets *done if no other way needs to be tried. */
static int attempt(const struct making *m, const char *values, const char *how, bool untried,
                   struct pm_explain__reproducer *out, bool *done, struct pm_error *err)
{
    char *text = NULL, *remark = NULL;
    PM_TRY(write_script(m, values, &text, &remark, err));
    const int rc = text && !untried ? try_script(m, &out->same, err) : PM_OK;
    *done = text && (untried || out->same);
    if (text && !remark)
        remark = untried     ? pm_format("not tried; %s", how)
                 : out->same ? pm_format("shows the same failure; %s%s", how,
                                         count_lines(text) > MOST_LINES ? "; over 30 lines" : "")
                             : pm_strdup("does not show the same failure");
    if (text || !out->text) {
        pm_explain__reproducer_release(
            &(struct pm_explain__reproducer){out->text, out->remark, false, false});
        out->text = text;
        out->remark = remark;
    } else {
        free(remark);
    }
    return rc;
}

static int attempt_all(const struct making *m, bool untried, struct pm_explain__reproducer *out,
                       struct pm_error *err)
{
    static const char *const ways[][2] = {
        {"seeded", "uses random input values"},
        {"literal", "uses the input values of the case"},
        {"file", "reads the input values of the case from a file"}};
    bool done = false;
    for (size_t i = 0; i < 3 && !done; i++) {
        PM_TRY(attempt(m, ways[i][0], ways[i][1], untried, out, &done, err));
        out->needs_file = done && i == 2;
    }
    return PM_OK;
}

/* Checks whether the file of values may be written. The user did not name this file, so it may
 * replace only the values of an older script with the same name. */
static int check_values(const char *script, const char *npz, struct pm_error *err)
{
    struct pm_str older = PM_STR_INIT;
    if (!pm_path_exists(npz))
        return PM_OK;
    int rc = pm_path_exists(script) ? pm_file_read(script, &older, err) : PM_OK;
    if (!rc && (!older.length || !strstr(older.data, strrchr(npz, '/') + 1)))
        rc =
            pm_error_set(err, PM_EUSAGE,
                         "--output '%s' would replace '%s', which the script needs for its values: "
                         "name another file",
                         script, npz);
    pm_str_release(&older);
    return rc;
}

/* Writes the script to `path`; if it needs a file of values, writes this file first. */
static int keep(const struct making *m, const char *path, const struct pm_explain__reproducer *r,
                struct pm_error *err)
{
    struct pm_str values = PM_STR_INIT;
    if (!path || !r->text)
        return PM_OK;
    if (!r->needs_file)
        return pm_file_write(path, r->text, strlen(r->text), err);
    char *folder = pm_path_parent(path), *npz = pm_path_join(folder, strrchr(m->npz, '/') + 1);
    int rc = check_values(path, npz, err);
    if (!rc)
        rc = pm_file_read(m->npz, &values, err);
    if (!rc)
        rc = pm_file_write(npz, values.data, values.length, err);
    if (!rc)
        rc = pm_file_write(path, r->text, strlen(r->text), err);
    pm_str_release(&values);
    free(folder);
    free(npz);
    return rc;
}

/* Returns the name of the file of values: "reproducer.npz" for "reproducer.py". The caller frees
 * it. */
static char *npz_name(const char *script)
{
    const char *slash = script ? strrchr(script, '/') : NULL;
    const char *name = script ? (slash ? slash + 1 : script) : "reproducer.py";
    const char *dot = strrchr(name, '.');
    return pm_format("%.*s.npz", (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
}

static int make(struct making *m, const struct pm_explain_options *options,
                struct pm_explain__reproducer *out, struct pm_error *err)
{
    PM_TRY(pm_folder_scratch(&m->folder, err));
    char *npz = npz_name(options->script);
    m->script = pm_path_join(m->folder, "reproducer.py");
    m->body = pm_path_join(m->folder, "body");
    m->npz = pm_path_join(m->folder, npz);
    free(npz);
    PM_TRY(describe_inputs(m->failure, m->body, &m->inputs, err));
    PM_TRY(attempt_all(m, options->untried, out, err));
    return keep(m, options->script, out, err);
}

static void making_release(struct making *m)
{
    if (m->folder)
        (void)!pm_folder_remove(m->folder, NULL);
    free(m->folder);
    free(m->script);
    free(m->body);
    free(m->npz);
    json_decref(m->inputs);
}

int pm_explain__reproduce(const struct pm_explain__failure *failure,
                          const struct pm_explain_options *options,
                          struct pm_explain__reproducer *out, struct pm_error *err)
{
    struct pm_environments environments = {0};
    const char *why = NULL;
    *out = (struct pm_explain__reproducer){0};
    if (!pm_explain__kind(failure, &why)) {
        out->remark = pm_format("none: %s", why);
        return PM_OK;
    }
    PM_TRY(pm_environments_load(&environments, err));
    const struct pm_environment *environment =
        pm_environments_find(&environments, failure->environment);
    struct making m = {.failure = failure, .python = environment ? environment->python : NULL};
    int rc = PM_OK;
    if (environment)
        rc = make(&m, options, out, err);
    else
        out->remark =
            pm_format("none: environment '%s' does not exist here: portmeter env list shows all",
                      failure->environment);
    making_release(&m);
    pm_environments_release(&environments);
    return rc;
}

/* ---- many scripts, without values ----------------------------------------------------------- */

struct batch {
    struct pm_store *store;
    json_t *targets; /* by id */
    json_t *jobs;    /* one per script; null: no script can be written */
    struct pm_explain_script *script;
    struct pm_error *err;
};

static int note_target(void *ctx, const struct pm_target_row *row)
{
    struct batch *b = ctx;
    char *id = pm_format("%lld", (long long)row->id);
    json_object_set_new(b->targets, id,
                        json_pack("{s:s, s:s, s:s, s:s, s:s}", "text", row->text, "framework",
                                  row->framework, "device", row->device, "variant", row->variant,
                                  "imports", row->imports));
    free(id);
    return PM_OK;
}

static int note_run(void *ctx, const struct pm_run_row *row)
{
    struct batch *b = ctx;
    return pm_store_targets(b->store, row->id, note_target, b, b->err);
}

static int add_job_of(struct batch *b, const struct pm_explain__failure *f, struct pm_error *err)
{
    const char *why = NULL;
    struct making m = {.failure = f};
    int rc = PM_OK;
    if (!pm_explain__kind(f, &why))
        b->script->remark = pm_format("none: %s", why);
    else
        rc = describe_inputs(f, NULL, &m.inputs, err);
    if (!rc && !b->script->remark)
        json_array_append_new(b->jobs, job_of(&m, "seeded", ""));
    json_decref(m.inputs);
    return rc;
}

static int add_job(void *ctx, const struct pm_execution_row *row)
{
    struct batch *b = ctx;
    char *id = pm_format("%lld", (long long)row->target_id);
    const json_t *target = json_object_get(b->targets, id);
    struct pm_explain__failure f = {.framework = pm_json_string(target, "framework", ""),
                                    .device = pm_json_string(target, "device", ""),
                                    .variant = pm_json_string(target, "variant", ""),
                                    .imports = pm_json_string(target, "imports", ""),
                                    .target = pm_json_string(target, "text", ""),
                                    .function = row->function,
                                    .name = row->name,
                                    .detail = b->script->detail,
                                    .outcome = b->script->outcome,
                                    .stage = b->script->stage,
                                    .ending = row->answered ? PM_ENDING_NONE : row->ending,
                                    .ending_code = row->ending_code};
    struct pm_error err = {{0}};
    int rc = pm_store_json(b->store, row->definition, &f.definition, "case", row->case_id,
                           "definition", &err);
    if (!rc && *row->result)
        rc = pm_store_json(b->store, row->result, &f.result, "execution", row->id, "result", &err);
    if (!rc)
        rc = add_job_of(b, &f, &err);
    if (rc) { /* the other scripts can still be written */
        char *why = pm_privacy_hidden(err.text);
        b->script->remark = pm_format("none: %s", why);
        free(why);
    }
    json_decref(f.definition);
    json_decref(f.result);
    free(id);
    return PM_OK;
}

static int collect(struct batch *b, const char *db, struct pm_explain_script *scripts, size_t count)
{
    PM_TRY(pm_store_open(&b->store, db, PM_STORE_READ, b->err));
    int rc = pm_store_runs(b->store, note_run, b, b->err);
    for (size_t i = 0; !rc && i < count; i++) {
        b->script = &scripts[i];
        rc = pm_store_execution(b->store, scripts[i].execution_id, add_job, b, b->err);
        if (json_array_size(b->jobs) == i)
            json_array_append_new(b->jobs, json_null());
    }
    pm_store_free(b->store);
    return rc;
}

static void take_script(struct pm_explain_script *script, const json_t *made)
{
    const char *text = pm_json_string(made, "script", NULL);
    if (script->remark)
        return;
    if (text && count_lines(text) <= MOST_LINES)
        script->text = pm_strdup(text);
    else
        script->remark = text ? pm_strdup("over 30 lines")
                              : pm_format("none: %s", pm_json_string(made, "why", "not written"));
}

/* Writes the scripts of all jobs in one process. The caller owns *made. */
static int write_scripts(const json_t *jobs, json_t **made, struct pm_error *err)
{
    char *folder = NULL, *home = NULL;
    struct pm_process_end end;
    PM_TRY(pm_folder_scratch(&folder, err));
    char *path = pm_path_join(folder, "jobs.json"), *text = pm_json_text(jobs);
    int rc = pm_path_home(&home, err);
    char *generator = pm_path_join(home ? home : "", "drivers/reproduce.py");
    const char *const argv[] = {"python3", generator, path, NULL};
    if (!rc)
        rc = pm_file_write(path, text, strlen(text), err);
    if (!rc)
        rc = run_python(argv, folder, &end, err);
    if (!rc) {
        *made = json_loads(end.output.data, 0, NULL);
        if (!json_is_array(*made))
            rc = pm_error_set(
                err, PM_EIO,
                "drivers/reproduce.py wrote no list of scripts: report this fault of portmeter");
        pm_process_end_release(&end);
    }
    (void)!pm_folder_remove(folder, NULL);
    free(generator);
    free(home);
    free(text);
    free(path);
    free(folder);
    return rc;
}

int pm_explain_scripts(const char *db, struct pm_explain_script *scripts, size_t count,
                       struct pm_error *err)
{
    struct batch b = {.targets = json_object(), .jobs = json_array(), .err = err};
    json_t *made = NULL;
    int rc = collect(&b, db, scripts, count);
    if (!rc)
        rc = write_scripts(b.jobs, &made, err);
    for (size_t i = 0; !rc && i < count; i++)
        take_script(&scripts[i], json_array_get(made, i));
    json_decref(made);
    json_decref(b.targets);
    json_decref(b.jobs);
    return rc;
}
