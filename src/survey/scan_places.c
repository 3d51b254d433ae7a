/* Every use of a scan as a line of JSON. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "survey/scan.h"

int pm_survey__places_open(struct scan *s, struct pm_error *err)
{
    const char *path = s->o->places;
    if (!path)
        return PM_OK;
    s->places.file = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    return s->places.file ? PM_OK : pm_error_errno(err, "cannot write '%s'", path);
}

static const struct scan_framework *framework_of(const struct scan *s, const char *module)
{
    for (unsigned i = 0; i < s->count; i++)
        if (strcmp(pm_framework_module(s->frameworks[i].of), module) == 0)
            return &s->frameworks[i];
    PM_BUG("a use of a framework that is not counted");
}

void pm_survey__places_take(void *ctx, const struct pm_corpus_place *place)
{
    struct scan *s = ctx;
    const struct scan_framework *framework = framework_of(s, place->framework);
    json_t *row = json_object();
    s->places.uses[place->how][place->form]++;
    json_object_set_new(row, "input", pm_survey__text_json(place->input));
    if (place->record)
        json_object_set_new(row, "record", json_integer((json_int_t)place->record));
    if (place->cell)
        json_object_set_new(row, "cell", json_integer(place->cell));
    json_object_set_new(row, "line", json_integer(place->line));
    json_object_set_new(row, "column", json_integer(place->column));
    json_object_set_new(row, "inside", pm_survey__text_json(place->inside));
    json_object_set_new(row, "framework", json_string(framework->name));
    json_object_set_new(row, "name",
                        json_string(pm_survey__scan_canonical(framework, place->function)));
    json_object_set_new(row, "form", json_string(pm_types_form_text(place->form)));
    json_object_set_new(row, "how", json_string(pm_types_how_text(place->how)));
    if (*place->chain)
        json_object_set_new(row, "chain", pm_survey__text_json(place->chain));
    char *text = json_dumps(row, JSON_COMPACT);
    if (text)
        (void)fprintf(s->places.file, "%s\n", text);
    free(text);
    json_decref(row);
}

int pm_survey__places_close(struct scan *s, struct pm_error *err)
{
    FILE *file = s->places.file;
    s->places.file = NULL;
    if (!file)
        return PM_OK;
    const bool lost = fflush(file) != 0 || ferror(file);
    const int why = errno;
    if (file != stdout)
        (void)fclose(file);
    errno = why;
    if (!lost)
        return PM_OK;
    return file == stdout ? pm_error_errno(err, "cannot write to standard output")
                          : pm_error_errno(err, "cannot write '%s'", s->o->places);
}
