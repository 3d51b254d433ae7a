/*
 * Tests of every column: the schema does not store a bad value, and the reader refuses one that is
 * in the file nevertheless. Also tests the store's GLOB.
 */
#include "store_scene.h"

#include <limits.h>
#include <malloc.h>

#include "base/alloc.h"
#include "base/file.h"
#include "store/connection.h"

/* Bad values of a column, as SQL. `said` is the reader's name of the row; NULL: no function reads
 * the column. */
struct column {
    const char *table, *name, *said;
    const char *bad[6];
};

/* Texts that are too long by one character. printf() would append them character by character. */
#define LINE "'0' || hex(zeroblob(131070))"
#ifdef UNIT_SANITIZED /* a quarter of a GB: the plain build stores and reads it */
#define LONG NULL
#else
#define LONG "too_long()"
#endif
#define ID     "0", "-1"
#define COUNT  "-1", "1000000000001"
#define FLAG   "2", "-1"
#define NAME   "''", LINE
#define JSON   "'{'", "'x'"
#define DIGEST "'0123'", "upper('" SCENE_UUID "')", "'" SCENE_UUID "0'"
#define TIME   "'2026'", "'2026-01-02T03:04:05.67xZ'", "'2026-01-02 03:04:05.678Z'"
#define WORD   "'what'", "'x'"
#define REAL   "-0.5"
#define SHARE  "-0.5", "1.5"

static const struct column columns[] = {
    {"run", "id", "run", {ID}},
    {"run", "uuid", "run 1", {DIGEST, "''"}},
    {"run", "started", "run 1", {TIME, "''"}},
    {"run", "finished", "run 1", {TIME}},
    {"run", "state", "run 1", {WORD, "''"}},
    {"run", "kept", "run 1", {FLAG}},
    {"run", "options", "run 1", {JSON, "''"}},
    {"run", "suite_digest", "run 1", {DIGEST, "''"}},
    {"run", "validity", "run 1", {WORD}},
    {"run", "validity_reason", "run 1", {LINE}},
    {"run", "latency_validity", "run 1", {WORD}},
    {"run", "latency_validity_reason", "run 1", {LINE}},
    {"run", "sample_id", "run 1", {ID}},
    {"run", "kind", "run 1", {WORD, "''"}},
    {"run", "source", "run 1", {LINE}},
    {"run", "suite_version", "run 1", {LINE}},
    {"run_paths", "run_id", NULL, {ID}},
    {"run_paths", "paths", "run 1", {JSON}},
    {"run_paths", "paths", NULL, {"''"}},
    {"interpreter", "target_id", NULL, {ID}},
    {"interpreter", "path", "target 1", {LINE}},
    {"interpreter", "path", NULL, {"''"}},
    {"attempt", "run_id", NULL, {ID}},
    {"shard", "run_id", NULL, {ID}},
    {"shard", "number", "shard of run 1", {"0", "-1"}},
    {"shard", "number", NULL, {"3"}},
    {"shard", "count", "shard of run 1", {"0", "-1", "10001"}},
    {"shard", "plan", "shard of run 1", {DIGEST, "''"}},
    {"shard", "uuid", "shard of run 1", {DIGEST, "''"}},
    {"shard", "total", "shard of run 1", {COUNT}},
    {"shard", "functions", "shard of run 1", {"-1", "4"}},
    {"shard", "command", "shard of run 1", {LINE}},
    {"shard", "reason", "shard of run 1", {LINE}},
    {"shard", "latency_reason", "shard of run 1", {LINE}},
    {"attempt", "shard", "attempt of run 1", {"-1", "10001"}},
    {"attempt", "number", "attempt of run 1", {"0", "-1"}},
    {"attempt", "number", NULL, {"1000001"}},
    {"attempt", "started", "attempt of run 1", {TIME, "''"}},
    {"attempt", "finished", "attempt of run 1", {TIME}},
    {"attempt", "machine", "attempt of run 1", {JSON, "''"}},
    {"attempt", "load_before", "attempt of run 1", {REAL}},
    {"attempt", "load_after", "attempt of run 1", {REAL}},
    {"attempt", "peak_memory", "attempt of run 1", {"-1"}},
    {"attempt", "peak_scratch", "attempt of run 1", {"-1"}},
    {"target", "id", "target", {ID}},
    {"target", "run_id", NULL, {ID}},
    {"target", "text", "target 1", {LINE}},
    {"target", "text", NULL, {"''"}},
    {"target", "environment", "target 1", {LINE}},
    {"target", "framework", "target 1", {LINE}},
    {"target", "device", "target 1", {LINE}},
    {"target", "variant", "target 1", {LINE}},
    {"target", "reference", "target 1", {LINE}},
    {"target", "role", "target 1", {WORD, "''"}},
    {"target", "evidence", "target 1", {WORD, "''"}},
    {"target", "latencies", "target 1", {FLAG}},
    {"target", "on_host", "target 1", {FLAG}},
    {"target", "hides_fallbacks", "target 1", {FLAG}},
    {"target", "imports", "target 1", {LINE}},
    {"target", "version", "target 1", {LINE}},
    {"target", "versions", "target 1", {JSON}},
    {"target", "python", "target 1", {LINE}},
    {"target", "device_name", "target 1", {LINE}},
    {"target", "driver_version", "target 1", {LINE}},
    {"target", "numeric", "target 1", {JSON}},
    {"test_case", "id", NULL, {ID}},
    {"test_case", "digest", NULL, {DIGEST, "''"}},
    {"test_case", "framework", NULL, {LINE}},
    {"test_case", "function", "test_case 1", {LINE}},
    {"test_case", "function", NULL, {"''"}},
    {"test_case", "name", "test_case 1", {LINE}},
    {"test_case", "name", NULL, {"''"}},
    {"test_case", "dtype", "test_case 1", {LINE}},
    {"test_case", "definition", "test_case 1", {JSON, "''"}},
    {"test_case", "host_only", "test_case 1", {FLAG}},
    {"test_case", "large", "test_case 1", {FLAG}},
    {"test_case", "kind", "test_case 1", {WORD}},
    {"child", "id", NULL, {ID}},
    {"child", "run_id", NULL, {ID}},
    {"child", "target_id", NULL, {ID}},
    {"child", "pid", NULL, {"-1"}},
    {"child", "ending", NULL, {WORD}},
    {"child", "code", NULL, {"2147483648", "-2147483649"}},
    {"child", "text", NULL, {LINE}},
    {"child", "output", NULL, {LONG}},
    {"child", "output_bytes", NULL, {"-1"}},
    {"child", "wall_ns", NULL, {"-1"}},
    {"child", "user_ns", NULL, {"-1"}},
    {"child", "system_ns", NULL, {"-1"}},
    {"child", "max_rss", NULL, {"-1"}},
    {"child", "strays", NULL, {"-1"}},
    {"child", "startup_ns", NULL, {"-2"}},
    {"child", "started", NULL, {JSON}},
    {"child", "threads", NULL, {"-1"}},
    {"execution", "id", "execution", {ID}},
    {"execution", "run_id", NULL, {ID}},
    {"execution", "target_id", "execution 1", {ID}},
    {"execution", "case_id", NULL, {ID}},
    {"execution", "repetition", "execution 1", {"-5", "1000001"}},
    {"execution", "state", "execution 1", {WORD, "''"}},
    {"execution", "child_id", "execution 1", {ID}},
    {"execution", "answered", "execution 1", {FLAG}},
    {"execution", "stage", "execution 1", {LINE}},
    {"execution", "ending", "execution 1", {WORD}},
    {"execution", "ending_code", "execution 1", {"2147483648", "-2147483649"}},
    {"execution", "ending_text", "execution 1", {LINE}},
    {"execution", "result", "execution 1", {JSON}},
    {"execution", "retry", "execution 1", {WORD}},
    {"execution", "position", "execution 1", {"-1", "1000000000001"}},
    {"execution", "kills", "execution 1", {"-1", "1000001"}},
    {"execution", "kills_alone", "execution 1", {"-1", "1000001"}},
    {"leaf", "execution_id", NULL, {ID}},
    {"leaf", "part", "leaf of execution 1", {WORD, "''"}},
    {"leaf", "position", "leaf of execution 1", {"-1", "1000001"}},
    {"leaf", "path", "leaf of execution 1", {LINE}},
    {"leaf", "kind", "leaf of execution 1", {WORD, "''"}},
    {"leaf", "dtype", "leaf of execution 1", {LINE}},
    {"leaf", "shape", "leaf of execution 1", {JSON}},
    {"leaf", "device", "leaf of execution 1", {LINE}},
    {"leaf", "on_device", "leaf of execution 1", {FLAG}},
    {"leaf", "digest", "leaf of execution 1", {DIGEST}},
    {"leaf", "value", "leaf of execution 1", {LONG}},
    {"blob", "digest", NULL, {DIGEST, "''"}},
    {"blob", "length", "blob", {"-1", "2147483649"}},
    {"blob", "bytes", NULL, {"x''"}},
    {"leaf", "kept", "leaf of execution 1", {FLAG}},
    {"closeness", "digest", NULL, {DIGEST, "''"}},
    {"closeness", "reference", NULL, {DIGEST, "''"}},
    {"closeness", "how", NULL, {WORD, "''"}},
    {"closeness", "points", "closeness", {JSON, "''"}},
    {"timing", "execution_id", NULL, {ID}},
    {"timing", "clock", "timing of execution 1", {LINE}},
    {"timing", "clock", NULL, {"''"}},
    {"timing", "times", "timing of execution 1", {JSON, "'[1.5]'", "'[-1,2]'", "'[1,2'", "''"}},
    {"timing", "compilations", "timing of execution 1", {JSON, "'[-1,2]'"}},
    {"timing", "warmup", "timing of execution 1", {COUNT}},
    {"timing", "factor", "timing of execution 1", {COUNT, "0"}},
    {"timing", "imports", "timing of execution 1", {COUNT}},
    {"timing", "imported", "timing of execution 1", {LINE}},
    {"first_call", "tracing_ns", "first call of execution 1", {"-2", "9007199254740993"}},
    {"first_call", "lowering_ns", "first call of execution 1", {"-2", "9007199254740993"}},
    {"first_call", "compiling_ns", "first call of execution 1", {"-2", "9007199254740993"}},
    {"first_call", "device_memory", "first call of execution 1", {"-2", "9007199254740993"}},
    {"first_call", "execution_id", NULL, {ID}},
    {"planted_fault", "run_id", NULL, {ID}},
    {"planted_fault", "target_id", "self-check of run 1", {ID}},
    {"planted_fault", "name", "self-check of run 1", {LINE}},
    {"planted_fault", "name", NULL, {"''"}},
    {"planted_fault", "expected", "self-check of run 1", {WORD, "''", "'does not apply'"}},
    {"planted_fault", "observed", "self-check of run 1", {WORD, "''"}},
    {"planted_fault", "as_expected", "self-check of run 1", {FLAG}},
    {"planted_fault", "detail", "self-check of run 1", {LINE}},
    {"judgement", "execution_id", NULL, {ID}},
    {"judgement", "outcome", "judgement of execution 1", {WORD, "''", "'does not apply'"}},
    {"judgement", "stage", "judgement of execution 1", {LINE}},
    {"judgement", "detail", "judgement of execution 1", {LINE}},
    {"judgement", "smallest_rtol", "judgement of execution 1", {REAL}},
    {"judgement", "counts", "judgement of execution 1", {FLAG}},
    {"judgement", "case_counts", "judgement of execution 1", {FLAG}},
    {"judgement", "reason", "judgement of execution 1", {LINE}},
    {"judgement", "rule", "judgement of execution 1", {LINE}},
    {"judged_case", "run_id", NULL, {ID}},
    {"judged_case", "target_id", "judged case 1", {ID}},
    {"judged_case", "case_id", "judged case", {ID}},
    {"judged_case", "judged", "judged case 1", {COUNT, "0"}},
    {"judged_case", "repetitions", "judged case 1", {"-1", "1000002"}},
    {"judged_case", "passed", "judged case 1", {"-1", "2"}},
    {"judged_case", "failed", "judged case 1", {"-1", "2"}},
    {"judged_case", "blocked", "judged case 1", {"-1", "2"}},
    {"judged_case", "counts", "judged case 1", {FLAG}},
    {"judged_case", "alike", "judged case 1", {FLAG}},
    {"judged_case", "expects", "judged case 1", {FLAG}},
    {"judged_case", "checks", "judged case 1", {FLAG}},
    {"judged_case", "raises", "judged case 1", {FLAG}},
    {"judged_case", "backward", "judged case 1", {FLAG}},
    {"judged_case", "outcome", "judged case 1", {WORD, "''"}},
    {"judged_case", "stage", "judged case 1", {LINE}},
    {"judged_case", "detail", "judged case 1", {LINE}},
    {"judged_case", "reason", "judged case 1", {LINE}},
    {"judged_case", "rule", "judged case 1", {LINE}},
    {"judged_case", "error", "judged case 1", {REAL}},
    {"judged_run", "run_id", NULL, {ID}},
    {"judged_run", "executions", NULL, {COUNT}},
    {"judged_run", "cases", "judged run 1", {COUNT}},
    {"verdict", "run_id", NULL, {ID}},
    {"verdict", "target_id", "verdict of run 1", {ID}},
    {"verdict", "function", "verdict of run 1", {LINE}},
    {"verdict", "function", NULL, {"''"}},
    {"verdict", "verdict", "verdict of run 1", {WORD, "''"}},
    {"verdict", "verdict_paper", "verdict of run 1", {WORD, "''"}},
    {"verdict", "counted", "verdict of run 1", {COUNT}},
    {"verdict", "passed", "verdict of run 1", {"-1", "4"}},
    {"verdict", "flaky", "verdict of run 1", {"-1", "4"}},
    {"verdict", "core", "verdict of run 1", {"-1", "4"}},
    {"verdict", "core_passed", "verdict of run 1", {"-1", "3"}},
    {"verdict", "host_only", "verdict of run 1", {FLAG}},
    {"verdict", "detail", "verdict of run 1", {LINE}},
    {"verdict", "reason", "verdict of run 1", {LINE}},
    {"verdict", "rule", "verdict of run 1", {LINE}},
    {"verdict", "limits", "verdict of run 1", {LINE}},
    {"annotation", "framework", "annotation", {LINE}},
    {"annotation", "framework", NULL, {"''"}},
    {"annotation", "function", "annotation", {LINE}},
    {"annotation", "function", NULL, {"''"}},
    {"annotation", "target", "annotation", {LINE}},
    {"annotation", "reason", "annotation", {LINE}},
    {"annotation", "reason", NULL, {"''"}},
    {"annotation", "note", "annotation", {LINE}},
    {"annotation", "made", "annotation", {TIME, "''"}},
    {"statistic", "id", "statistic", {ID}},
    {"statistic", "run_id", NULL, {ID}},
    {"statistic", "target_id", "statistic 1", {ID}},
    {"statistic", "scope", "statistic 1", {WORD, "''"}},
    {"statistic", "function", "statistic 1", {LINE}},
    {"statistic", "name", "statistic 1", {LINE}},
    {"statistic", "clock", "statistic 1", {LINE}},
    {"statistic", "clock", NULL, {"''"}},
    {"statistic", "size", "statistic 1", {WORD, "''"}},
    {"statistic", "what", "statistic 1", {WORD, "''"}},
    {"statistic", "value", "statistic 1", {REAL}},
    {"statistic", "low", "statistic 1", {REAL}},
    {"statistic", "high", "statistic 1", {REAL}},
    {"statistic", "processes", "statistic 1", {COUNT}},
    {"statistic", "reference_processes", "statistic 1", {COUNT}},
    {"statistic", "unstable", "statistic 1", {FLAG}},
    {"inventory", "id", "inventory", {ID}},
    {"inventory", "digest", NULL, {DIGEST, "''"}},
    {"inventory", "framework", "inventory 1", {LINE}},
    {"inventory", "framework", NULL, {"''"}},
    {"inventory", "version", "inventory 1", {LINE}},
    {"inventory", "environment", "inventory 1", {LINE}},
    {"inventory", "flat", "inventory 1", {FLAG}},
    {"inventory", "recorded", "inventory 1", {TIME, "''"}},
    {"inventory", "length", "inventory 1", {"-1", "268435457"}},
    {"inventory", "document", NULL, {"x''"}},
    {"scan", "id", "scan", {ID}},
    {"scan", "started", "scan 1", {TIME, "''"}},
    {"scan", "finished", "scan 1", {TIME, "''"}},
    {"scan", "options", "scan 1", {JSON, "''"}},
    {"scan", "totals", "scan 1", {JSON, "''"}},
    {"scan", "damages", "scan 1", {JSON, "''"}},
    {"scan", "types", "scan 1", {FLAG}},
    {"scan", "places", "scan 1", {FLAG}},
    {"scanned", "scan_id", NULL, {ID}},
    {"scanned", "framework", "framework of scan 1", {LINE}},
    {"scanned", "framework", NULL, {"''"}},
    {"scanned", "inventory_id", "framework of scan 1", {ID}},
    {"scanned", "paper_files", "framework of scan 1", {COUNT}},
    {"scanned", "importing_files", "framework of scan 1", {COUNT}},
    {"scanned", "unlisted", "framework of scan 1", {COUNT}},
    {"frequency", "scan_id", NULL, {ID}},
    {"frequency", "framework", "frequency of scan 1", {LINE}},
    {"frequency", "framework", NULL, {"''"}},
    {"frequency", "rule", "frequency of scan 1", {WORD, "''"}},
    {"frequency", "name", "frequency of scan 1", {LINE}},
    {"frequency", "name", NULL, {"''"}},
    {"frequency", "kind", "frequency of scan 1", {WORD}},
    {"frequency", "uses", "frequency of scan 1", {COUNT}},
    {"frequency", "files", "frequency of scan 1", {COUNT}},
    {"frequency", "repositories", "frequency of scan 1", {COUNT}},
    {"frequency", "resolved", "frequency of scan 1", {COUNT}},
    {"frequency", "possible_method", "frequency of scan 1", {COUNT}},
    {"frequency", "other", "frequency of scan 1", {COUNT}},
    {"frequency", "referenced", "frequency of scan 1", {COUNT}},
    {"frequency", "rebound", "frequency of scan 1", {COUNT}},
    {"frequency", "instance_calls", "frequency of scan 1", {COUNT}},
    {"frequency", "possible", "frequency of scan 1", {COUNT}},
    {"unlisted", "scan_id", NULL, {ID}},
    {"unlisted", "framework", NULL, {LINE, "''"}},
    {"unlisted", "name", "unlisted name of scan 1", {LINE}},
    {"unlisted", "name", NULL, {"''"}},
    {"unlisted", "calls", "unlisted name of scan 1", {COUNT}},
    {"unlisted", "files", "unlisted name of scan 1", {COUNT}},
    {"place_file", "id", NULL, {ID}},
    {"place_file", "scan_id", NULL, {ID}},
    {"place_file", "input", "use in file 1", {LINE}},
    {"place_file", "input", NULL, {"''"}},
    {"place_file", "record", "use in file 1", {COUNT}},
    {"place_file", "number", NULL, {"-1"}},
    {"scan_shard", "scan_id", NULL, {ID}},
    {"scan_shard", "number", "shard of scan 1", {"0", "-1"}},
    {"scan_shard", "number", NULL, {"4"}},
    {"scan_shard", "count", "shard of scan 1", {"0", "-1", "10001"}},
    {"scan_shard", "plan", "shard of scan 1", {DIGEST, "''"}},
    {"scan_shard", "inputs", "shard of scan 1", {DIGEST, "''"}},
    {"scan_shard", "uuid", "shard of scan 1", {DIGEST, "''"}},
    {"scan_shard", "total", "shard of scan 1", {COUNT}},
    {"scan_shard", "projects", "shard of scan 1", {"-1", "6"}},
    {"scan_shard", "command", "shard of scan 1", {LINE}},
    {"scan_repository", "scan_id", NULL, {ID}},
    {"scan_repository", "number", "repositories of scan 1", {"0", "-1", "10001"}},
    {"scan_repository", "framework", "repositories of scan 1", {LINE}},
    {"scan_repository", "framework", NULL, {"''"}},
    {"scan_repository", "rule", "repositories of scan 1", {WORD, "''"}},
    {"scan_repository", "digests", NULL, {"x'00'"}},
    {"place_scope", "file_id", NULL, {ID}},
    {"place_scope", "number", NULL, {"0", "4294967296"}},
    {"place_scope", "name", "use in file 1", {LINE}},
    {"place_scope", "name", NULL, {"''"}},
    {"place_use", "id", NULL, {ID}},
    {"place_use", "scan_id", NULL, {ID}},
    {"place_use", "framework", NULL, {LINE, "''"}},
    {"place_use", "name", NULL, {LINE, "''"}},
    {"place_use", "form", "use in file 1", {WORD, "''"}},
    {"place_use", "how", "use in file 1", {WORD, "''"}},
    {"place_chain", "id", NULL, {ID}},
    {"place_chain", "scan_id", NULL, {ID}},
    {"place_chain", "text", "use in file 1", {LINE}},
    {"place_chain", "text", NULL, {"''"}},
    {"place", "file_id", NULL, {ID}},
    {"place", "cell", "use in file 1", {"-1", "4294967296"}},
    {"place", "line", "use in file 1", {"0", "4294967296"}},
    {"place", "byte", "use in file 1", {"0", "4294967296"}},
    {"place", "use_id", NULL, {ID}},
    {"place", "scope", "use in file 1", {"-1", "4294967296"}},
    {"place", "chain_id", NULL, {ID}},
    {"sample", "id", "sample", {ID}},
    {"sample", "scan_id", "sample 1", {ID}},
    {"sample", "framework", "sample 1", {LINE}},
    {"sample", "framework", NULL, {"''"}},
    {"sample", "rule", "sample 1", {WORD, "''"}},
    {"sample", "drawn", "sample 1", {TIME, "''"}},
    {"sample", "options", "sample 1", {JSON, "''"}},
    {"sample", "document", "sample 1", {JSON, "''"}},
    {"estimate", "run_id", NULL, {ID}},
    {"estimate", "target_id", "estimate of run 1", {ID}},
    {"estimate", "sample_id", "estimate of run 1", {ID}},
    {"estimate", "basis", "estimate of run 1", {WORD, "''"}},
    {"estimate", "value", "estimate of run 1", {SHARE}},
    {"estimate", "low", "estimate of run 1", {SHARE}},
    {"estimate", "high", "estimate of run 1", {SHARE}},
    {"estimate", "members", "estimate of run 1", {COUNT}},
    {"estimate", "marked", "estimate of run 1", {"-1", "8"}},
    {"estimate", "unknown", "estimate of run 1", {SHARE}},
    {"published", "run_id", NULL, {ID}},
    {"published", "tbl", "published number of run 1", {LINE}},
    {"published", "tbl", NULL, {"''"}},
    {"published", "line", "published number of run 1", {"0", "1000001"}},
    {"published", "subject", "published number of run 1", {LINE}},
    {"published", "item", "published number of run 1", {LINE}},
    {"published", "item", NULL, {"''"}},
    {"published", "text", "published number of run 1", {LINE}},
    {"published", "value", "published number of run 1", {"1e301"}},
    {"imported_test", "id", "imported test", {ID}},
    {"imported_test", "run_id", NULL, {ID}},
    {"imported_test", "target_id", "imported test 1", {ID}},
    {"imported_test", "function", "imported test 1", {LINE}},
    {"imported_test", "function", NULL, {"''"}},
    {"imported_test", "name", "imported test 1", {LINE}},
    {"imported_test", "name", NULL, {"''"}},
    {"imported_test", "outcome", "imported test 1", {WORD}},
    {"imported_test", "stage", "imported test 1", {LINE}},
    {"imported_test", "type", "imported test 1", {LINE}},
    {"imported_test", "message", "imported test 1", {LONG}},
    {"imported_test", "excluded", "imported test 1", {LINE}},
    {"imported_test", "reason", "imported test 1", {LINE}},
    {"imported_test", "rule", "imported test 1", {LINE}},
    {"imported_timing", "test_id", NULL, {ID}},
    {"imported_timing", "repetition", "timing of imported test 1", {"-1", "1000001"}},
    {"imported_timing",
     "times",
     "timing of imported test 1",
     {JSON, "'[1.5]'", "'[-1,2]'", "'[1,2'", "''"}},
    {"imported_timing", "whole_ns", "timing of imported test 1", {"-2"}},
};
enum {
    COLUMNS = sizeof columns / sizeof *columns,
    BAD = sizeof columns->bad / sizeof *columns->bad
};

/* The text that the SQL function too_long() returns; it is made once for all columns. */
static char *too_long;
enum { LONGEST = 268435456 };

static void give_too_long(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    (void)values;
    sqlite3_result_text(context, too_long, -1, SQLITE_STATIC);
}

static int add_too_long(sqlite3 *db, char **why, const void *routines)
{
    (void)why;
    (void)routines;
    return sqlite3_create_function(db, "too_long", 0, SQLITE_UTF8, NULL, give_too_long, NULL, NULL);
}

static int make_too_long(void **state)
{
    (void)state;
#ifndef UNIT_SANITIZED
    too_long = pm_alloc(LONGEST + 2);
    memset(too_long, '0', LONGEST + 1);
    /* SQLite copies this text a dozen times: the memory is kept, because new pages take most of the
     * time. */
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
    return sqlite3_auto_extension((void (*)(void))add_too_long);
}

static int release_too_long(void **state)
{
    (void)state;
    sqlite3_reset_auto_extension();
    free(too_long);
    return 0;
}

/* The bytes of the file before any change, as stored and without the schema's types. Each test
 * begins with one of them. */
static struct pm_str pristine, untyped;

static int fill(void **state)
{
    if (scene_set_up(state))
        return -1;
    struct scene *s = *state;
    scene_fill(s);
    pm_str_init(&pristine);
    pm_str_init(&untyped);
    return pm_file_read(s->path, &pristine, &s->err);
}

static int empty(void **state)
{
    pm_str_release(&pristine);
    pm_str_release(&untyped);
    return scene_tear_down(state);
}

static void begin_anew(struct scene *s, const struct pm_str *bytes)
{
    scene_close(s);
    FILE *file = fopen(s->path, "w"); /* without the sync of pm_file_write() */
    assert_int_equal(fwrite(bytes->data, 1, bytes->length, file), bytes->length);
    assert_int_equal(fclose(file), 0);
}

/* Sets a column of all rows, without a journal, which would write everything twice. */
static void change(struct scene *s, const char *table, const char *column, const char *value)
{
    char *sql = pm_format("PRAGMA journal_mode = OFF; PRAGMA ignore_check_constraints = ON;"
                          " UPDATE %s SET %s = %s",
                          table, column, value);
    scene_sql(s->path, sql);
    free(sql);
}

static bool names(const struct column *c, const char *table, const char *name)
{
    return !strcmp(c->table, table) && !strcmp(c->name, name);
}

static int check_listed(void *ctx, int count, char **values, char **headings)
{
    (void)ctx;
    (void)count;
    (void)headings;
    for (size_t i = 0; i < COLUMNS; i++)
        if (names(&columns[i], values[0], values[1]))
            return 0;
    fail_msg("no bad value is tried for %s.%s", values[0], values[1]);
    return 1;
}

/* Every column except the seed, which may be any number, must be in the list. */
static void test_every_column_is_listed(void **state)
{
    struct scene *s = *state;
    sqlite3 *db;
    assert_int_equal(sqlite3_open(s->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "SELECT t.name, c.name FROM pragma_table_list AS t"
                                  " JOIN pragma_table_info(t.name) AS c"
                                  " WHERE t.schema = 'main' AND t.name NOT GLOB 'sqlite_*'"
                                  " AND NOT (t.name = 'run' AND c.name = 'seed')",
                                  check_listed, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
}

/* ---- the schema ---------------------------------------------------------------------------- */

static void assert_not_stored(sqlite3 *db, const struct column *c, const char *bad)
{
    char *sql = pm_format("UPDATE %s SET %s = %s", c->table, c->name, bad), *why = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_CONSTRAINT ||
        !strstr(why, "CHECK constraint failed"))
        fail_msg("%s: %s", sql, why ? why : "stored");
    sqlite3_free(why);
    free(sql);
}

static void test_schema_stores_none(void **state)
{
    struct scene *s = *state;
    sqlite3 *db;
    assert_int_equal(sqlite3_open(s->path, &db), SQLITE_OK);
    for (size_t i = 0; i < COLUMNS; i++)
        for (size_t k = 0; k < BAD && columns[i].bad[k]; k++)
            assert_not_stored(db, &columns[i], columns[i].bad[k]);
    sqlite3_close(db);
}

/* ---- the reader ---------------------------------------------------------------------------- */

/* Asserts that reading everything fails with a line that names the row and the column. */
static void assert_not_believed(struct scene *s, const struct column *c, const char *bad)
{
    scene_open(s, PM_STORE_READ);
    const int rc = scene_read_all(s->store, &s->err);
    if (rc != PM_EFORMAT)
        fail_msg("%s.%s = %s was read: %d", c->table, c->name, bad, rc);
    char *said =
        pm_format("database '%s' is damaged: column '%s' of row '%s' ", s->path, c->name, c->said);
    if (strncmp(s->err.text, said, strlen(said)) ||
        !strstr(s->err.text, ": restore a backup copy, or measure again"))
        fail_msg("%s.%s = %s: '%s' does not begin with '%s'", c->table, c->name, bad, s->err.text,
                 said);
    free(said);
}

/* Under sanitizers, which look for other faults, only some columns are tested. */
#ifdef UNIT_SANITIZED
enum { STEP = 4 };
#else
enum { STEP = 1 };
#endif

static void test_reader_believes_none(void **state)
{
    struct scene *s = *state;
    for (size_t i = 0; i < COLUMNS; i += STEP)
        for (size_t k = 0; k < BAD && columns[i].bad[k] && columns[i].said; k++) {
            begin_anew(s, &pristine);
            change(s, columns[i].table, columns[i].name, columns[i].bad[k]);
            assert_not_believed(s, &columns[i], columns[i].bad[k]);
        }
}

/* Removes STRICT from the stored schema: a STRICT table would not accept values of a different
 * type. */
static void forget_types(struct scene *s)
{
    scene_sql(s->path,
              "CREATE TABLE kept AS SELECT name, sql FROM sqlite_schema;"
              "PRAGMA writable_schema = ON;"
              "UPDATE sqlite_schema SET sql = replace(replace(replace(sql,"
              " ') STRICT, WITHOUT ROWID', ') WITHOUT ROWID'), ') STRICT', ')'), ' NOT NULL', '')");
    assert_int_equal(pm_file_read(s->path, &untyped, &s->err), PM_OK);
    begin_anew(s, &pristine);
}

static void put_anything(struct scene *s, const struct column *c, const char *value)
{
    begin_anew(s, &untyped);
    change(s, c->table, c->name, value);
    scene_sql(s->path, "PRAGMA journal_mode = OFF; PRAGMA writable_schema = ON;"
                       "UPDATE sqlite_schema AS s SET sql ="
                       " (SELECT k.sql FROM kept AS k WHERE k.name = s.name) WHERE name <> 'kept';"
                       "DROP TABLE kept");
}

static const char *type_of(struct scene *s, const struct column *c, bool *may_lack)
{
    static const char *const types[] = {"INTEGER", "REAL", "TEXT", "BLOB"};
    char *sql = pm_format("SELECT type, \"notnull\" = 0 OR pk > 0 FROM pragma_table_info('%s')"
                          " WHERE name = '%s'",
                          c->table, c->name);
    char *row = scene_query(s->path, sql);
    const char *type = NULL;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strncmp(row, types[i], strlen(types[i])))
            type = types[i];
    *may_lack = strstr(row, "|1|") != NULL;
    free(row);
    free(sql);
    return type;
}

static void test_other_types_are_not_believed(void **state)
{
    struct scene *s = *state;
    forget_types(s);
    for (size_t i = 0; i < COLUMNS; i += STEP) {
        const struct column *c = &columns[i];
        bool may_lack;
        if (!c->said || !strcmp(c->name, "id") || !strcmp(c->name, "number"))
            continue;
        const char *type = type_of(s, c, &may_lack);
        const bool text = !strcmp(type, "TEXT");
        const char *const values[] = {
            text ? "x'41'" : "'text'",
            text ? "CAST(x'410042' AS TEXT)" : "x'41'",
            text ? "CAST(x'ff' AS TEXT)" : NULL,
            may_lack ? NULL : "NULL",
        };
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            if (values[k]) {
                put_anything(s, c, values[k]);
                assert_not_believed(s, c, values[k]);
            }
    }
}

static void test_infinite_and_huge(void **state)
{
    struct scene *s = *state;
    scene_sql(s->path, "UPDATE statistic SET value = 9e999, high = 9e999");
    scene_open(s, PM_STORE_READ);
    assert_ok(s, scene_read_all(s->store, &s->err));
    static const char *const lists[][2] = {{"times", "'[9223372036854775808,1]'"},
                                           {"compilations", "'[1]'"},
                                           {"times", "'[1,,2]'"},
                                           {"times", "'[1,2],'"}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        begin_anew(s, &pristine);
        change(s, "timing", lists[i][0], lists[i][1]);
        scene_open(s, PM_STORE_READ);
        assert_int_equal(scene_read_all(s->store, &s->err), PM_EFORMAT);
        scene_assert_says(s, "timing of execution 1");
    }
}

/* A frame that would unpack to gigabytes is refused first: its own length must equal the column's.
 */
static void test_frame_that_grows(void **state)
{
    struct scene *s = *state;
    scene_sql(s->path, "UPDATE blob SET length = 2147483648");
    scene_open(s, PM_STORE_READ);
    assert_int_equal(scene_read_all(s->store, &s->err), PM_EFORMAT);
    scene_assert_says(s, "cannot be unpacked to 2147483648 bytes");
}

/* ---- functions of the schema ---------------------------------------------------------------- */

/* The store's GLOB gives the results of SQLite's own, but is faster for the schema's patterns. */
static void test_glob_is_that_of_sqlite(void **state)
{
    static const char *const patterns[] = {
        "*[^0-9a-f]*", "*[^]0-9,[]*", "*[^0-9TZ:.-]*", "*[^a]*", "*[^-]*", "*[^a-]*", "*[^]]*",
        "*[^a]b]*",    "*[^]*",       "*[^\xc3\xa4]*", "?[?]T*", "*",      "",        "*[^0-9]",
        "[^0-9]*",     "*[0-9]*",     "*[^^]*",        "*[^*]*"};
    static const char *const texts[] = {"",
                                        "0123456789abcdef",
                                        "0123g",
                                        "g",
                                        "[1,2,30]",
                                        "[1, 2]",
                                        "2026-11-26T08:15:30.123Z",
                                        "a",
                                        "aaa",
                                        "ab",
                                        "-",
                                        "a-",
                                        "]",
                                        "a]b]",
                                        "^",
                                        "\xc3\xa4",
                                        "\xff",
                                        "/",
                                        ":",
                                        "[",
                                        "abc]",
                                        "b]*",
                                        "*"};
    struct scene *s = *state;
    scene_open(s, PM_STORE_READ);
    sqlite3_stmt *ask = NULL;
    sqlite3 *db = pm_store_connection(s->store);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT ? GLOB ?", -1, &ask, NULL), SQLITE_OK);
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
            sqlite3_bind_text(ask, 1, texts[t], -1, SQLITE_STATIC);
            sqlite3_bind_text(ask, 2, patterns[p], -1, SQLITE_STATIC);
            assert_int_equal(sqlite3_step(ask), SQLITE_ROW);
            if (sqlite3_column_int(ask, 0) != (sqlite3_strglob(patterns[p], texts[t]) == 0))
                fail_msg("'%s' GLOB '%s' is %d", texts[t], patterns[p], sqlite3_column_int(ask, 0));
            sqlite3_reset(ask);
        }
    sqlite3_finalize(ask);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fill, empty)
    const struct CMUnitTest tests[] = {
        T(test_every_column_is_listed), T(test_schema_stores_none),
        T(test_reader_believes_none),   T(test_other_types_are_not_believed),
        T(test_infinite_and_huge),      T(test_frame_that_grows),
        T(test_glob_is_that_of_sqlite),
    };
    return cmocka_run_group_tests(tests, make_too_long, release_too_long);
}
