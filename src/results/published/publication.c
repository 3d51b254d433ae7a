/* Parses, loads and looks up the numbers of a publication. */
#include "published/publication.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/file.h"
#include "store/published.h"

enum { FIELDS = 5, MOST_FIELD = 1000, MOST_CELLS = 100000 };
static const char heading[] = "table,row,subject,item,text";

void pm_publication_release(struct pm_publication *p)
{
    for (size_t i = 0; i < p->count; i++) {
        struct pm_publication_cell *cell = &p->cells[i];
        free(cell->table);
        free(cell->subject);
        free(cell->item);
        free(cell->text);
    }
    free(p->cells);
    *p = (struct pm_publication){0};
}

/* Returns the first number of a printed text: 22 of "22%", 5 of "5/65", 2 of "double". NaN if it
 * has none. */
static double number_of(const char *text)
{
    if (!strcmp(text, "double"))
        return 2;
    text += strcspn(text, "0123456789");
    const size_t length = strspn(text, "0123456789.");
    char *number = pm_strndup(text, length);
    double value;
    if (!pm_parse_double(number, &value))
        value = NAN;
    free(number);
    return value;
}

double pm_publication_whole(const char *text)
{
    const char *slash = strchr(text, '/');
    return slash ? number_of(slash + 1) : NAN;
}

static void add_cell(struct pm_publication *p, char *table, int64_t line, char *subject, char *item,
                     char *text)
{
    PM_GROW(p->cells, p->count, p->capacity);
    p->cells[p->count++] = (struct pm_publication_cell){
        .table = table,
        .line = line,
        .subject = subject,
        .item = item,
        .text = text,
        .value = number_of(text),
    };
}

/* ---- CSV ------------------------------------------------------------------------------------ */

struct csv {
    const char *name; /* name of the file */
    size_t line;
    struct pm_error *err;
};

static int bad_line(const struct csv *csv, const char *what)
{
    return pm_error_set(csv->err, PM_EFORMAT, "'%s', line %zu: %s: install portmeter again",
                        csv->name, csv->line, what);
}

/* Returns the field at *at, and moves *at after its comma. Sets *more if there was a comma.
 * Returns NULL if a quoted field does not end correctly. The caller frees the field. */
static char *take_field(const char **at, bool *more)
{
    struct pm_str field = PM_STR_INIT;
    const char *p = *at;
    const bool quoted = *p == '"';
    bool ended = !quoted;
    for (p += quoted; *p && (quoted || *p != ','); p++) {
        if (quoted && *p == '"' && *++p != '"') {
            ended = true;
            break;
        }
        pm_str_add_char(&field, *p);
    }
    *more = *p == ',';
    *at = p + *more;
    if (ended && (*more || !*p))
        return pm_str_detach(&field);
    pm_str_release(&field);
    return NULL;
}

/* Splits a line and stores its first FIELDS fields. Returns the number of all fields; 0 if a quoted
 * field does not end correctly. The caller frees the stored fields. */
static size_t split(const char *line, char *fields[static FIELDS])
{
    size_t count = 0;
    for (bool more = true; more; count++) {
        char *field = take_field(&line, &more);
        if (!field)
            return 0;
        if (count < FIELDS)
            fields[count] = field;
        else
            free(field);
    }
    return count;
}

static int check_fields(const struct csv *csv, char *const fields[static FIELDS], size_t count,
                        long long *row)
{
    if (count != FIELDS)
        return bad_line(csv, "the line does not have the five fields table,row,subject,item,text");
    for (size_t i = 0; i < FIELDS; i++)
        if (!*fields[i] || strlen(fields[i]) > MOST_FIELD)
            return bad_line(csv, "a field is empty, or longer than 1,000 bytes");
    if (!pm_parse_int(fields[1], row) || *row < 1 || *row > PM_STORE_MOST_LINES)
        return bad_line(csv, "the row is not a number from 1 to 1,000,000");
    return PM_OK;
}

static int take_line(const struct csv *csv, const char *line, struct pm_map *seen,
                     struct pm_publication *out)
{
    char *fields[FIELDS] = {NULL};
    long long row = 0;
    const size_t count = split(line, fields);
    int rc = check_fields(csv, fields, count, &row);
    if (!rc) {
        char *key = pm_format("%s\n%lld\n%s", fields[0], row, fields[3]);
        if (pm_map_has(seen, key))
            rc = bad_line(csv, "the cell occurs a second time");
        else if (out->count == MOST_CELLS)
            rc = bad_line(csv, "the file has more than 100,000 cells");
        pm_map_put(seen, key, out);
        free(key);
    }
    if (rc)
        for (size_t i = 0; i < FIELDS; i++)
            free(fields[i]);
    else
        add_cell(out, fields[0], row, fields[2], fields[3], fields[4]);
    free(rc ? NULL : fields[1]);
    return rc;
}

/* Returns a copy of the line at *at without its end, and moves *at after the line. Returns NULL at
 * the end of the text. The caller frees the copy. */
static char *next_line(const char **at, const char *end)
{
    if (*at == end)
        return NULL;
    const char *newline = memchr(*at, '\n', (size_t)(end - *at)), *stop = newline ? newline : end;
    char *line = pm_strndup(*at, (size_t)(stop - *at));
    line[strcspn(line, "\r")] = '\0';
    *at = stop + (newline != NULL);
    return line;
}

int pm_publication_parse(const char *bytes, size_t length, const char *name,
                         struct pm_publication *out, struct pm_error *err)
{
    struct csv csv = {.name = name, .err = err};
    struct pm_map seen = {0};
    const char *at = bytes, *end = bytes + length;
    int rc = PM_OK;
    *out = (struct pm_publication){0};
    if (memchr(bytes, '\0', length) || !pm_is_utf8(bytes, length))
        return pm_error_set(err, PM_EFORMAT, "'%s' is not UTF-8 text: install portmeter again",
                            name);
    for (char *line; !rc && (line = next_line(&at, end)); free(line)) {
        if (csv.line++)
            rc = take_line(&csv, line, &seen, out);
        else if (strcmp(line, heading) != 0)
            rc = bad_line(&csv, "the heading is not table,row,subject,item,text");
    }
    if (!rc && !csv.line)
        rc = pm_error_set(err, PM_EFORMAT, "'%s' is empty: install portmeter again", name);
    pm_map_release(&seen);
    if (rc)
        pm_publication_release(out);
    return rc;
}

/* Finds the file of the paper's numbers; the caller frees the path. */
static int paper_path(char **path, struct pm_error *err)
{
    char *home;
    PM_TRY(pm_path_home(&home, err));
    *path = pm_path_join(home, "data/paper.csv");
    free(home);
    return PM_OK;
}

bool pm_publication_has_paper(void)
{
    char *path;
    if (paper_path(&path, NULL))
        return false;
    const bool has = pm_path_exists(path);
    free(path);
    return has;
}

int pm_publication_read_paper(struct pm_publication *out, struct pm_digest *digest,
                              struct pm_error *err)
{
    char *path;
    struct pm_str bytes = PM_STR_INIT;
    PM_TRY(paper_path(&path, err));
    int rc = pm_file_read(path, &bytes, err);
    if (!rc)
        rc = pm_publication_parse(bytes.data, bytes.length, path, out, err);
    if (digest)
        *digest = pm_digest_bytes(bytes.data, bytes.length);
    pm_str_release(&bytes);
    free(path);
    return rc;
}

/* ---- the store ------------------------------------------------------------------------------ */

static int keep_cell(void *ctx, const struct pm_published_row *row)
{
    add_cell(ctx, pm_strdup(row->table), row->line, pm_strdup(row->subject), pm_strdup(row->item),
             pm_strdup(row->text));
    return PM_OK;
}

int pm_publication_load(struct pm_store *store, int64_t run_id, struct pm_publication *out,
                        struct pm_error *err)
{
    *out = (struct pm_publication){0};
    const int rc = pm_store_published(store, run_id, keep_cell, out, err);
    if (rc)
        pm_publication_release(out);
    return rc;
}

/* ---- looking up ----------------------------------------------------------------------------- */

const struct pm_publication_cell *pm_publication_find(const struct pm_publication *p,
                                                      const char *table, const char *subject,
                                                      const char *item)
{
    for (size_t i = 0; i < p->count; i++)
        if (!strcmp(p->cells[i].table, table) && !strcmp(p->cells[i].subject, subject) &&
            !strcmp(p->cells[i].item, item))
            return &p->cells[i];
    return NULL;
}

double pm_publication_value(const struct pm_publication *p, const char *table, const char *subject,
                            const char *item)
{
    const struct pm_publication_cell *cell = pm_publication_find(p, table, subject, item);
    return cell ? cell->value : NAN;
}

const char *pm_publication_name(const struct pm_publication *p, const char *function)
{
    for (size_t i = 0; i < p->count; i++)
        if (!strcmp(p->cells[i].table, "name") && !strcmp(p->cells[i].text, function))
            return p->cells[i].subject;
    return function;
}

const char *pm_publication_stratum(const struct pm_publication *p, const char *function)
{
    const struct pm_publication_cell *cell = pm_publication_find(p, "stratum", function, "stratum");
    return cell ? cell->text : NULL;
}

void pm_publication_sample(const struct pm_publication *p, struct pm_map *strata)
{
    for (size_t i = 0; i < p->count; i++)
        if (!strcmp(p->cells[i].table, "stratum"))
            pm_map_put(strata, p->cells[i].subject, p->cells[i].text);
    for (size_t i = 0; i < p->count; i++)
        if (!strcmp(p->cells[i].table, "untimed"))
            pm_map_put(strata, p->cells[i].subject, NULL);
}

size_t pm_publication_rows(const struct pm_publication *p, const char *table)
{
    size_t rows = 0;
    int64_t last = 0;
    for (size_t i = 0; i < p->count; i++)
        if (!strcmp(p->cells[i].table, table) && p->cells[i].line != last) {
            rows++;
            last = p->cells[i].line;
        }
    return rows;
}

static const struct {
    const char *framework, *latencies;
} frameworks[] = {{"TensorFlow", "6"}, {"PyTorch", "5"}, {"JAX", "7"}};
_Static_assert(sizeof frameworks / sizeof *frameworks == PM_PUBLICATION_FRAMEWORKS, "all of them");

const char *pm_publication_framework_at(size_t index)
{
    return frameworks[index].framework;
}

const char *pm_publication_latencies(const char *framework)
{
    for (size_t i = 0; i < PM_PUBLICATION_FRAMEWORKS; i++)
        if (!strcmp(frameworks[i].framework, framework))
            return frameworks[i].latencies;
    return NULL;
}

const char *pm_publication_framework(const char *name)
{
    for (size_t i = 0; i < PM_PUBLICATION_FRAMEWORKS; i++)
        if (!strcasecmp(frameworks[i].framework, name))
            return frameworks[i].framework;
    return NULL;
}

const char *pm_publication_device(const char *device)
{
    static const struct {
        const char *device, *called;
    } devices[] = {
        {"cuda", "GPU"}, {"gpu", "GPU"}, {"rocm", "GPU"}, {"tpu", "TPU"}, {"xla", "TPU"}};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (!strcmp(devices[i].device, device))
            return devices[i].called;
    return NULL;
}
