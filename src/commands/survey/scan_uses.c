/* Writes every use of a scan as a line of JSON, and into the spool from which it is stored later.
 */
#include "survey/scan_uses.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "environment/environment.h"
#include "survey/scan.h"

/* ---- opening -------------------------------------------------------------------------------- */

int pm_survey__uses_open(struct scan *s, struct pm_error *err)
{
    const char *path = s->o->uses;
    if (s->o->store_uses)
        PM_TRY(pm_survey__spool_open(&s->uses.spool, s->o->db, err));
    if (!path)
        return PM_OK;
    if (strcmp(path, "-") == 0) {
        s->uses.file = stdout;
        return PM_OK;
    }
    PM_TRY(pm_file_begin(path, &s->uses.draft, err));
    s->uses.file = s->uses.draft.file;
    return PM_OK;
}

int pm_survey__uses_close(struct scan *s, struct pm_error *err)
{
    FILE *file = s->uses.file;
    s->uses.file = NULL;
    if (!file)
        return PM_OK;
    if (file != stdout)
        return pm_file_finish(&s->uses.draft, err);
    return fflush(file) != 0 || ferror(file)
               ? pm_error_errno(err, "cannot write to standard output")
               : PM_OK;
}

void pm_survey__uses_release(struct scan_uses *uses)
{
    for (unsigned i = 0; i < PM_RESOLVE_MOST_FRAMEWORKS; i++) {
        for (size_t k = 0; k < uses->kinds[i].count; k++)
            free(uses->kinds[i].ends[k]);
        free(uses->kinds[i].ends);
    }
    pm_file_discard(&uses->draft);
    pm_str_release(&uses->begin);
    pm_str_release(&uses->line);
    pm_str_release(&uses->chain);
    pm_survey__spool_release(&uses->spool);
}

/* ---- lines of JSON -------------------------------------------------------------------------- */

static bool is_plain(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || (unsigned char)*text > '~' || strchr("\"\\", *text))
            return false;
    return true;
}

/* Adds a key and a string. Nearly all strings need no escapes and are copied, which is fast. */
static void add_text(struct pm_str *out, const char *key, const char *text)
{
    pm_str_add(out, key);
    if (is_plain(text)) {
        pm_str_add_char(out, '"');
        pm_str_add(out, text);
        pm_str_add_char(out, '"');
        return;
    }
    json_t *value = pm_survey__text_json(text);
    char *quoted = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    pm_str_add(out, quoted ? quoted : "\"\"");
    free(quoted);
    json_decref(value);
}

static void add_number(struct pm_str *out, const char *key, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    pm_str_add(out, key);
    pm_str_add_bytes(out, digits + at, sizeof digits - at);
}

/* Returns the part of a line from the framework up to the chain. It is the same for all uses of a
 * function in one form that were found in one way. */
static const char *end_of(struct scan *s, const struct pm_corpus_place *place)
{
    struct scan_kinds *kinds = &s->uses.kinds[place->framework_row];
    const size_t at = pm_survey__kind_of(place);
    while (kinds->count <= at) {
        PM_GROW(kinds->ends, kinds->count, kinds->capacity);
        kinds->ends[kinds->count++] = NULL;
    }
    if (!kinds->ends[at]) {
        const struct scan_framework *framework = &s->frameworks[place->framework_row];
        struct pm_str end = PM_STR_INIT;
        add_text(&end, ",\"framework\":", framework->name);
        add_text(&end, ",\"name\":", pm_survey__scan_stored(framework, place->function));
        add_text(&end, ",\"form\":", pm_resolve_form_text(place->form));
        add_text(&end, ",\"how\":", pm_resolve_how_text(place->how));
        kinds->ends[at] = pm_str_detach(&end);
    }
    return kinds->ends[at];
}

static void write_line(struct scan *s, const struct pm_corpus_place *place)
{
    struct scan_uses *uses = &s->uses;
    struct pm_str *line = &uses->line;
    if (uses->text != place->text) {
        uses->text = place->text;
        pm_str_clear(&uses->begin);
        add_text(&uses->begin, "{\"input\":", place->input);
        if (place->record)
            add_number(&uses->begin, ",\"record\":", place->record);
    }
    pm_str_clear(line);
    pm_str_add_bytes(line, uses->begin.data, uses->begin.length);
    if (place->cell)
        add_number(line, ",\"cell\":", place->cell);
    add_number(line, ",\"line\":", place->line);
    add_number(line, ",\"column\":", place->column);
    add_text(line, ",\"inside\":", place->inside);
    pm_str_add(line, end_of(s, place));
    if (*place->chain)
        add_text(line, ",\"chain\":", place->chain);
    pm_str_add(line, "}\n");
    (void)!fwrite(line->data, 1, line->length, uses->file); /* pm_survey__uses_close() checks
                                                               ferror() */
}

/* ---- taking --------------------------------------------------------------------------------- */

/* Returns the framework with the module that `text` begins with, if its names are stored with a
 * brief module name, such as "tf"; otherwise NULL. */
static const struct pm_framework *renamed_in(const struct scan *s, const char *text)
{
    for (unsigned i = 0; i < s->count; i++) {
        const struct pm_framework *of = s->frameworks[i].of;
        const char *root = pm_framework_module(of);
        const size_t length = strlen(root);
        if (of->brief && strncmp(text, root, length) == 0 && text[length] == '.')
            return of;
    }
    return NULL;
}

/* Returns a chain with the names as they are stored: "result of tf.ones" for "result of
 * tensorflow.ones". */
static const char *brief_chain(struct scan *s, const char *chain)
{
    struct pm_str *out = &s->uses.chain;
    pm_str_clear(out);
    for (const char *at = chain; *at;) {
        const struct pm_framework *of = renamed_in(s, at);
        const size_t length = strcspn(at, " "), gap = at[length] == ' ',
                     root = of ? strlen(pm_framework_module(of)) : 0;
        pm_str_add(out, of ? of->brief : "");
        pm_str_add_bytes(out, at + root, length + gap - root);
        at += length + gap;
    }
    return out->length ? out->data : "";
}

void pm_survey__uses_take(void *ctx, const struct pm_corpus_place *place)
{
    struct scan *s = ctx;
    struct pm_corpus_place named = *place;
    named.chain = brief_chain(s, place->chain);
    s->uses.uses[place->how][place->form]++;
    if (s->uses.file)
        write_line(s, &named);
    if (s->uses.spool.file)
        pm_survey__spool_add(&s->uses.spool, &named);
}
