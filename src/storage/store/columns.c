/* Reads the values of a row and checks each: a database may be damaged or malicious. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/line.h"
#include "store/store_private.h"

/* MOST_LINE: the bytes of a name or a line, 65,535 characters of at most four bytes each. */
enum { MOST_LINE = 4 * 65535, DIGEST = 32, SHOWN = 40 };

int pm_store__sound(const struct pm_store__query *q, struct pm_error *err)
{
    return *q->damage ? pm_store_damaged(q->store, err, "%s", q->damage) : PM_OK;
}

static void wrong(struct pm_store__query *q, int column, const char *format, ...) PM_PRINTF(3, 4);
static void wrong(struct pm_store__query *q, int column, const char *format, ...)
{
    if (*q->damage)
        return;
    int used = snprintf(q->damage, sizeof q->damage, "column '%.30s' of row '%s",
                        sqlite3_column_name(q->stmt, column), q->what ? q->what : "unknown");
    if (q->row)
        used +=
            snprintf(q->damage + used, sizeof q->damage - (size_t)used, " %lld", (long long)q->row);
    used += snprintf(q->damage + used, sizeof q->damage - (size_t)used, "' ");
    va_list args;
    va_start(args, format);
    vsnprintf(q->damage + used, sizeof q->damage - (size_t)used, format, args);
    va_end(args);
}

static bool has_type(struct pm_store__query *q, int column, int type)
{
    static const char *const names[] = {[SQLITE_INTEGER] = "a whole number",
                                        [SQLITE_FLOAT] = "a number",
                                        [SQLITE_TEXT] = "text",
                                        [SQLITE_BLOB] = "bytes",
                                        [SQLITE_NULL] = "NULL"};
    const int found = sqlite3_column_type(q->stmt, column);
    if (found != type)
        wrong(q, column, "is %s instead of %s", names[found], names[type]);
    return found == type;
}

/* ---- numbers ------------------------------------------------------------------------------- */

int64_t pm_store__whole(struct pm_store__query *q, int64_t least, int64_t most)
{
    const int column = q->column++;
    if (!has_type(q, column, SQLITE_INTEGER))
        return 0;
    const int64_t value = sqlite3_column_int64(q->stmt, column);
    if (value >= least && value <= most)
        return value;
    wrong(q, column, "has the wrong value %lld", (long long)value);
    return 0;
}

int64_t pm_store__id(struct pm_store__query *q)
{
    return pm_store__whole(q, 1, INT64_MAX);
}

int64_t pm_store__id_or_none(struct pm_store__query *q)
{
    if (sqlite3_column_type(q->stmt, q->column) != SQLITE_NULL)
        return pm_store__id(q);
    q->column++;
    return 0;
}

void pm_store__about(struct pm_store__query *q, const char *what)
{
    q->what = what;
    q->row = 0;
}

int64_t pm_store__row(struct pm_store__query *q, const char *what)
{
    pm_store__about(q, what);
    return q->row = pm_store__id(q);
}

int64_t pm_store__count(struct pm_store__query *q)
{
    return pm_store__whole(q, 0, PM_STORE__MOST_COUNT);
}

bool pm_store__flag(struct pm_store__query *q)
{
    return pm_store__whole(q, 0, 1) != 0;
}

double pm_store__real(struct pm_store__query *q, double least, double most)
{
    const int column = q->column++;
    if (sqlite3_column_type(q->stmt, column) == SQLITE_NULL || !has_type(q, column, SQLITE_FLOAT))
        return NAN;
    const double value = sqlite3_column_double(q->stmt, column);
    if (value >= least && value <= most)
        return value;
    wrong(q, column, "has the wrong value %g", value);
    return NAN;
}

/* ---- text ---------------------------------------------------------------------------------- */

/* Returns whether text is plain ASCII without a NUL, as nearly all text is. Checks eight bytes at
 * once for set sign bits and for zeros. */
static bool is_plain(const char *text, size_t length)
{
    const uint64_t ones = UINT64_MAX / 255, signs = ones << 7;
    uint64_t bad = 0, word = 0;
    for (; length >= sizeof word; text += sizeof word, length -= sizeof word) {
        memcpy(&word, text, sizeof word);
        bad |= word | ((word - ones) & ~word);
    }
    for (; length; text++, length--)
        bad |= (uint64_t)((signed char)*text <= 0) << 7;
    return !(bad & signs);
}

/* Returns the text of a column. If it is not text, has more than `most` bytes, contains a NUL byte
 * or is not UTF-8, records the damage and returns NULL. */
static const char *text_of(struct pm_store__query *q, int column, size_t most)
{
    if (!has_type(q, column, SQLITE_TEXT))
        return NULL;
    const char *text = (const char *)sqlite3_column_text(q->stmt, column);
    const size_t length = (size_t)sqlite3_column_bytes(q->stmt, column);
    if (!text || length > most)
        wrong(q, column, "is too long (%zu bytes)", length);
    else if (is_plain(text, length))
        return text;
    else if (memchr(text, 0, length))
        wrong(q, column, "contains a NUL byte");
    else if (!pm_is_utf8(text, length))
        wrong(q, column, "is not UTF-8");
    else
        return text;
    return NULL;
}

/* Records an invalid text as damage, shortened and without control bytes. Returns "". */
static const char *refuse(struct pm_store__query *q, int column, const char *text)
{
    struct pm_str shown = PM_STR_INIT;
    pm_line_add(&shown, text, SHOWN);
    wrong(q, column, "has the wrong value '%s'", shown.data);
    pm_str_release(&shown);
    return "";
}

const char *pm_store__line(struct pm_store__query *q)
{
    const char *text = text_of(q, q->column++, MOST_LINE);
    return text ? text : "";
}

const char *pm_store__long(struct pm_store__query *q)
{
    const char *text = text_of(q, q->column++, PM_STORE__MOST_TEXT);
    return text ? text : "";
}

const char *pm_store__json(struct pm_store__query *q, enum pm_store__lack lack)
{
    const int column = q->column++;
    const char *text = text_of(q, column, PM_STORE__MOST_TEXT);
    if (!text || (!*text && lack == PM_STORE__MAY_LACK))
        return "";
    if (pm_json_is_valid(text))
        return text;
    wrong(q, column, "is not JSON");
    return "";
}

static bool is_digest(const char *text)
{
    return strlen(text) == DIGEST && strspn(text, "0123456789abcdef") == DIGEST;
}

const char *pm_store__digest(struct pm_store__query *q, enum pm_store__lack lack)
{
    const int column = q->column++;
    const char *text = text_of(q, column, MOST_LINE);
    if (!text || (!*text && lack == PM_STORE__MAY_LACK))
        return "";
    return is_digest(text) ? text : refuse(q, column, text);
}

/* Returns whether a text is a time as pm_clock_iso() writes it. */
static bool is_time(const char *text)
{
    static const char form[] = "0000-00-00T00:00:00.000Z";
    size_t i = 0;
    for (; form[i] && text[i]; i++)
        if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    return !form[i] && !text[i];
}

const char *pm_store__time(struct pm_store__query *q, enum pm_store__lack lack)
{
    const int column = q->column++;
    const char *text = text_of(q, column, MOST_LINE);
    if (!text || (!*text && lack == PM_STORE__MAY_LACK))
        return "";
    return is_time(text) ? text : refuse(q, column, text);
}

int pm_store__word_of(struct pm_store__query *q, const struct pm_words *words)
{
    const int column = q->column++;
    const char *text = text_of(q, column, MOST_LINE);
    const int word = text ? pm_words_find(words, text) : 0;
    if (word < 0)
        refuse(q, column, text);
    return word < 0 ? 0 : word;
}

const void *pm_store__bytes(struct pm_store__query *q, size_t *length)
{
    const int column = q->column++;
    *length = 0;
    if (!has_type(q, column, SQLITE_BLOB))
        return "";
    const void *bytes = sqlite3_column_blob(q->stmt, column);
    *length = (size_t)sqlite3_column_bytes(q->stmt, column);
    return bytes ? bytes : "";
}

/* ---- functions of the schema ---------------------------------------------------------------- */

/* Checks JSON. SQLite's own json_valid() cannot be used, for two reasons. Older releases refuse to
 * load a schema that calls it, because the schema is not trusted here. It also accepts JSON that
 * jansson refuses to read later: numbers that are too large, "\u0000", and halves of surrogate
 * pairs. */
static void json_valid(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const bool text = sqlite3_value_type(values[0]) == SQLITE_TEXT;
    const char *bytes = text ? (const char *)sqlite3_value_text(values[0]) : NULL;
    sqlite3_result_int(context, bytes && pm_json_is_valid(bytes));
}

/* Returns the set in a pattern such as "*[^0-9a-f]*": "0-9a-f", with its length. Returns NULL if
 * the pattern has another form. A ']' at the beginning of the set is a member. */
static const char *set_of(const char *pattern, size_t *length)
{
    static const char before[] = "*[^", behind[] = "]*";
    const size_t all = strlen(pattern), least = strlen(before) + strlen(behind) + 1;
    if (all < least || strncmp(pattern, before, strlen(before)) != 0 ||
        strcmp(pattern + all - strlen(behind), behind) != 0)
        return NULL;
    const char *set = pattern + strlen(before);
    *length = all - least + 1;
    for (size_t i = 0; i < *length; i++)
        if ((i > 0 && set[i] == ']') || (unsigned char)set[i] > 127)
            return NULL;
    return set;
}

static bool is_in_set(char c, const char *set, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const bool range = i + 2 < length && set[i + 1] == '-';
        if (range ? c >= set[i] && c <= set[i + 2] : c == set[i])
            return true;
        i += range ? 2 : 0;
    }
    return false;
}

/* Works like SQLite's own GLOB. Nearly all patterns of the schema ask whether a text has a
 * character outside a set. For these, SQLite recurses at each character, which takes an eighth of
 * the time of a merge. */
static void glob(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    size_t length;
    const char *pattern = (const char *)sqlite3_value_text(values[0]);
    const char *text = (const char *)sqlite3_value_text(values[1]);
    if (!pattern || !text)
        return; /* NULL */
    const char *set = set_of(pattern, &length);
    if (set)
        while (*text && is_in_set(*text, set, length))
            text++;
    sqlite3_result_int(context, set ? *text != '\0' : sqlite3_strglob(pattern, text) == 0);
}

/* Returns whether a text contains another one. SQLite's instr() compares at each character, which
 * takes as long as parsing the definition of a case. */
static void contains(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    const char *text = (const char *)sqlite3_value_text(values[0]);
    const char *part = (const char *)sqlite3_value_text(values[1]);
    sqlite3_result_int(context, text && part && strstr(text, part));
}

bool pm_store__add_functions(sqlite3 *db)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    return sqlite3_create_function(db, "json_valid", 1, flags, NULL, json_valid, NULL, NULL) ==
               SQLITE_OK &&
           sqlite3_create_function(db, "contains", 2, flags, NULL, contains, NULL, NULL) ==
               SQLITE_OK &&
           sqlite3_create_function(db, "glob", 2, flags, NULL, glob, NULL, NULL) == SQLITE_OK;
}
