/*
 * Feeds a database that is damaged or made by an attacker; it is opened and reported, or judged and
 * reported. An input is lines that change a good database, without its constraints:
 *
 *     execution.repetition 3 -5         sets the cell of row 3, counted from 0, to a number,
 *                                       NULL, a blob (x'00ff') or any other text
 *     run.options 0 {"targets":[7]}     the same with a text
 *     -verdict 1                        deletes row 1 of this table
 *     @60 00000009                      sets bytes of the file from this offset on
 *
 * The good database is made from good.sql. The length of the input chooses one of three uses: a
 * report, the table of frequencies, or judging and a report. Only one is tried, because opening
 * takes most of the time.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assess/assess.h"
#include "base/alloc.h"
#include "base/file.h"
#include "fuzz.h"
#include "good.h"
#include "tables/tables.h"

enum { MOST_LINES = 8, MOST_NAME = 64 };

static const char *path;

/* The good database, in memory. Its constraints are switched off, but its bytes have them. */
static sqlite3 *good;

/* ---- without its constraints ---------------------------------------------------------------- */

static sqlite3 *copy_of(const char *file)
{
    sqlite3 *from, *to;
    if (sqlite3_open(file, &from) != SQLITE_OK || sqlite3_open(":memory:", &to) != SQLITE_OK)
        fuzz_wrong("cannot open '%s'", file);
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
    if (!backup || sqlite3_backup_step(backup, -1) != SQLITE_DONE)
        fuzz_wrong("no copy of the good database: %s", sqlite3_errmsg(to));
    sqlite3_backup_finish(backup);
    sqlite3_close(from);
    return to;
}

/* Removes the constraints. STRICT and NOT NULL are parts of a table's text, which is read only when
 * the schema is reset; CHECK and foreign keys can be switched off. */
static void take_constraints_out(sqlite3 *db)
{
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    fuzz_sql(db,
             "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;"
             "PRAGMA writable_schema = ON;"
             "CREATE TEMP TABLE texts AS SELECT name, sql FROM sqlite_schema"
             " WHERE type = 'table';"
             "UPDATE sqlite_schema SET sql = replace(replace(sql, ' NOT NULL', ''), ') STRICT',"
             " ')') WHERE type = 'table';"
             "PRAGMA writable_schema = RESET; PRAGMA writable_schema = ON;"
             "UPDATE sqlite_schema AS s SET sql = texts.sql FROM texts WHERE texts.name = s.name");
}

static void forget(void)
{
    sqlite3_close(good);
}

static void prepare(void)
{
    path = fuzz_good_database();
    good = copy_of(path);
    atexit(forget);
    take_constraints_out(good);
}

/* ---- the changes ---------------------------------------------------------------------------- */

/* An SQL function that returns true at the call with number argv[0], counted from 0, to find a row
 * of a table without row numbers. */
static void is_nth(sqlite3_context *context, int count, sqlite3_value **values)
{
    int64_t *calls = sqlite3_user_data(context);
    (void)count;
    sqlite3_result_int(context, (*calls)++ == sqlite3_value_int64(values[0]));
}

static int from_hex(const char *text, unsigned char *out, size_t room)
{
    int length = 0;
    for (unsigned byte; (size_t)length < room && sscanf(text, "%2x", &byte) == 1 && text[1];
         text += 2)
        out[length++] = (unsigned char)byte;
    return length;
}

static void bind_value(sqlite3_stmt *statement, const char *text)
{
    long long whole;
    double real;
    unsigned char bytes[2048];
    if (!strcmp(text, "NULL"))
        sqlite3_bind_null(statement, 1);
    else if (pm_parse_int(text, &whole))
        sqlite3_bind_int64(statement, 1, whole);
    else if (pm_parse_double(text, &real))
        sqlite3_bind_double(statement, 1, real);
    else if (pm_starts_with(text, "x'"))
        sqlite3_bind_blob(statement, 1, bytes, from_hex(text + 2, bytes, sizeof bytes),
                          SQLITE_TRANSIENT);
    else
        sqlite3_bind_text(statement, 1, text, -1, SQLITE_TRANSIENT);
}

/* Runs one statement on a row; does nothing if SQLite refuses it. */
static void change_row(sqlite3 *db, char *statement_text, int64_t row, const char *value)
{
    sqlite3_stmt *statement;
    int64_t calls = 0;
    sqlite3_create_function(db, "is_nth", 1, SQLITE_UTF8, &calls, is_nth, NULL, NULL);
    if (sqlite3_prepare_v2(db, statement_text, -1, &statement, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(statement, 2, row);
        if (value)
            bind_value(statement, value);
        (void)sqlite3_step(statement);
        sqlite3_finalize(statement);
    }
    sqlite3_free(statement_text);
}

/* Makes a change, "table.column row value" or "-table row". */
static void change(sqlite3 *db, const char *line)
{
    char table[MOST_NAME], column[MOST_NAME];
    unsigned row;
    int used = 0;
    if (sscanf(line, "-%63[a-z_] %u", table, &row) == 2)
        change_row(db, sqlite3_mprintf("DELETE FROM \"%w\" WHERE is_nth(?2)", table), row, NULL);
    else if (sscanf(line, "%63[a-z_].%63[a-z_0-9] %u %n", table, column, &row, &used) == 3 && used)
        change_row(db,
                   sqlite3_mprintf("UPDATE \"%w\" SET \"%w\" = ?1 WHERE is_nth(?2)", table, column),
                   row, line + used);
}

static void patch(unsigned char *bytes, size_t length, const char *line)
{
    unsigned char patch_bytes[64];
    unsigned long at;
    int used = 0;
    if (sscanf(line, "@%lu %n", &at, &used) != 1 || !used || at >= length)
        return;
    const size_t count = (size_t)from_hex(line + used, patch_bytes, sizeof patch_bytes);
    memcpy(bytes + at, patch_bytes, count < length - at ? count : length - at);
}

static void write_file(const unsigned char *bytes, size_t length)
{
    const char *folder = fuzz_good_folder();
    char **names = NULL;
    size_t count = 0;
    if (pm_folder_list(folder, &names, &count, NULL))
        fuzz_wrong("the scratch folder is gone");
    for (size_t i = 0; i < count; i++) { /* journals */
        char *name = pm_path_join(folder, names[i]);
        unlink(name);
        free(name);
    }
    pm_free_strings(names, count);
    FILE *file = fopen(path, "w");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file))
        fuzz_wrong("cannot write '%s'", path);
}

/* Writes the good database with the changes of the lines. */
static void make_damaged(char *text)
{
    char *lines[MOST_LINES];
    size_t count = 0;
    sqlite3_int64 length;
    fuzz_sql(good, "BEGIN");
    for (char *line; count < MOST_LINES && (line = strsep(&text, "\n"));) {
        lines[count++] = line;
        change(good, line);
    }
    unsigned char *damaged = sqlite3_serialize(good, "main", &length, 0);
    fuzz_sql(good, "ROLLBACK");
    if (!damaged)
        fuzz_wrong("no damaged database");
    for (size_t i = 0; i < count; i++)
        patch(damaged, (size_t)length, lines[i]);
    write_file(damaged, (size_t)length);
    sqlite3_free(damaged);
}

/* ---- what is done with the damaged database ------------------------------------------------- */

static void report(const char *table, enum pm_report_format format)
{
    const struct pm_report_options options = {
        .db = path, .format = format, .table = table, .output = "/dev/null", .width = 100};
    struct pm_error err = {""};
    enum pm_exit status;
    if (pm_tables_report(&options, &status, &err))
        fuzz_check_error(&err);
}

static bool judge(void)
{
    struct pm_judged judged;
    struct pm_error err = {""};
    const int rc = pm_assess_db(path, 0, 0, &judged, &err);
    if (rc)
        fuzz_check_error(&err);
    return rc == PM_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = (char *)fuzz_copy(data, size, 1);
    if (!path)
        prepare();
    make_damaged(text);
    switch (size % 3) {
    case 0:
        report(NULL, PM_FORMAT_TEXT);
        break;
    case 1:
        report("frequency", PM_FORMAT_TEXT);
        break;
    default:
        if (judge())
            report(NULL, PM_FORMAT_JSON);
    }
    free(text);
    return 0;
}
