/* Tests which run each target of a report is shown from, and which runs are its history. */
#include "tables.h"

#include "base/alloc.h"
#include "base/json.h"
#include "history/history.h"
#include "reading/loading.h"
#include "report/sink.h"

/*
 * The tests write runs as a text. A run is its validity (v valid, i invalid, u unknown), ':' and
 * its targets, separated by spaces; runs are separated by ';'. A target is a letter and, if they
 * apply, '!' (it has no outcomes), '>c' (its reference is c) and '?' (it is the oracle).
 */
static void add_target(struct pm_reading *r, const char *word)
{
    const char *reference = strchr(word, '>');
    PM_GROW(r->targets, r->target_list.count, r->target_list.capacity);
    r->targets[r->target_list.count++] = (struct pm_reading_target){
        .run = r->run_list.count - 1,
        .text = pm_reading_keep(r, (char[]){*word, 0}),
        .reference = pm_reading_keep(r, reference ? (char[]){reference[1], 0} : ""),
        .role = strchr(word, '?') ? PM_ROLE_ORACLE
                : reference       ? PM_ROLE_SUBJECT
                                  : PM_ROLE_REFERENCE,
        .judged = !strchr(word, '!'),
    };
}

static void read_runs(struct pm_reading *r, const char *text)
{
    char *copy = pm_strdup(text), *rest = copy;
    for (char *run; (run = strsep(&rest, ";"));) {
        PM_GROW(r->runs, r->run_list.count, r->run_list.capacity);
        r->runs[r->run_list.count++] = (struct pm_reading_run){
            .id = (int64_t)r->run_list.count,
            .validity = *run == 'v'   ? PM_VALIDITY_VALID
                        : *run == 'i' ? PM_VALIDITY_INVALID
                                      : PM_VALIDITY_UNKNOWN,
        };
        run += 2;
        for (char *word; (word = strsep(&run, " "));)
            add_target(r, word);
    }
    free(copy);
}

/* Returns a text such as "a1 b2 (c1); not shown 3": targets with their runs, hidden targets in
 * brackets. */
static char *chosen(const struct pm_reading *r)
{
    struct pm_str text = PM_STR_INIT;
    for (size_t i = 0; i < r->target_list.count + r->hidden_targets; i++) {
        const bool hidden = i >= r->target_list.count;
        pm_str_addf(&text, "%s%s%s%lld%s", text.length ? " " : "", hidden ? "(" : "",
                    r->targets[i].text, (long long)r->runs[r->targets[i].run].id,
                    hidden ? ")" : "");
    }
    for (size_t i = 0; i < r->run_list.count; i++)
        if (r->runs[i].passed_over)
            pm_str_addf(&text, "; not shown %lld", (long long)r->runs[i].id);
    return pm_str_detach(&text);
}

static void test_choice(void **state)
{
    (void)state;
    static const struct {
        const char *runs;
        int64_t wanted;
        const char *shown;
    } table[] = {
        {"v:a", 0, "a1"},
        {"v:a;v:a", 0, "a2"},
        {"v:a>c c", 0, "a1 c1"},
        /* each target from its own newest valid run */
        {"v:a>c c;v:b>c c", 0, "a1 b2 c2 (c1)"},
        {"v:a>c c;v:b>d d;v:c", 0, "a1 b2 d2 c3 (c1)"},
        {"v:a>c c;v:a>c c;v:b>c c", 0, "a2 b3 c3 (c2)"},
        /* what is invalid, unfinished or without outcomes hides nothing */
        {"v:a;i:a", 0, "a1; not shown 2"},
        {"v:a;u:a", 0, "a1; not shown 2"},
        {"v:a;v:a!", 0, "a1; not shown 2"},
        {"v:a;i:a;i:a;v:a", 0, "a4"},
        {"v:a>c c;i:b>c c", 0, "a1 c1 b2 (c2)"},
        {"v:a>c c;i:a>c c;v:c", 0, "a1 c3 (c1); not shown 2"},
        /* without a valid run, the newest run with outcomes; without outcomes, the newest run */
        {"i:a;i:a", 0, "a2"},
        {"i:a;u:a!", 0, "a1; not shown 2"},
        {"u:a!;u:b!>c c!", 0, "b2 c2"},
        {"i:a b!", 0, "a1"},
        /* the oracle */
        {"v:a o?", 0, "a1 o1"},
        {"v:a o?;v:b o?", 0, "a1 b2 o2"},
        {"v:a o?;i:a o?", 0, "a1 o1; not shown 2"},
        {"v:a o?;v:o", 0, "a1 o2"},
        /* a run that was asked for */
        {"v:a>c c;v:b>c c", 1, "a1 c1"},
        {"v:a;i:a! o?", 2, "a2 o2"},
        {"v:a", 5, ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct pm_reading r = {0};
        read_runs(&r, table[i].runs);
        pm_reading__choose(&r, table[i].wanted);
        char *shown = chosen(&r);
        if (strcmp(shown, table[i].shown))
            fail_msg("'%s', run %lld: '%s', not '%s'", table[i].runs, (long long)table[i].wanted,
                     shown, table[i].shown);
        free(shown);
        pm_reading_release(&r);
    }
}

/* A subject is compared with the reference of its own run, even if that of another run is shown. */
static void test_references(void **state)
{
    (void)state;
    struct pm_reading r = {0};
    read_runs(&r, "v:a>c c;v:b>c c;v:d");
    pm_reading__choose(&r, 0);
    for (size_t i = 0; i < r.target_list.count; i++) {
        const int reference = pm_reading_reference_index(&r, (int)i);
        if (!*r.targets[i].reference) {
            assert_int_equal(reference, -1);
            continue;
        }
        assert_true(reference >= 0);
        assert_string_equal(r.targets[reference].text, "c");
        assert_int_equal(r.targets[reference].run, r.targets[i].run);
    }
    assert_int_equal(r.hidden_targets, 1);
    assert_int_equal(pm_reading_runs_shown(&r), 3);
    pm_reading_release(&r);
}

/* ---- then and now ---------------------------------------------------------------------------- */

enum { PROCESSES = 8 };

static const struct stored_target targets[] = {{"null@host"}, {"null@null", "null@host"}};

/* A run of both targets and the results of their functions; NULL and 0 mean the usual values. */
struct night {
    const char *broken;     /* output of 'broken' on the subject */
    const char *slow, *odd; /* times of 'slower' on the subject; in odd processes */
    bool also, alone;       /* 'broken' has a second case, which passes; 'slower' is not measured */
    int64_t processes;      /* PROCESSES; -1: none */
    bool no_floor;          /* the noise floor of the reference is unknown */
    const char *day;        /* "01" */
    const char *invalid;    /* the reason why the run is invalid */
    const char *machine;    /* JSON */
    const char *source;     /* the file that the run was merged from */
};

static const char *text_or(const char *text, const char *fallback)
{
    return text ? text : fallback;
}

static void add_night_executions(struct stored *s, const struct night *n, int64_t i)
{
    const char *even = i % 2 ? "[990]" : "[1010]";
    const char *slow = n->odd && i % 2 ? n->odd : text_or(n->slow, "[1000]");
    const struct stored_execution broken[] = {
        {"null@host", "null.broken", "case", i, "[1, 2]", .warm = even},
        {"null@null", "null.broken", "case", i, text_or(n->broken, "[1, 2]"), .warm = "[1000]"},
    };
    const struct stored_execution also[] = {
        {"null@host", "null.broken", "second", i, "[1, 2]", .warm = even},
        {"null@null", "null.broken", "second", i, "[1, 2]", .warm = "[1000]"},
    };
    const struct stored_execution slower[] = {
        {"null@host", "null.slower", "case", i, "[1, 2]", .warm = even},
        {"null@null", "null.slower", "case", i, "[1, 2]", .warm = slow},
    };
    STORED_EXECUTIONS(s, broken);
    stored_add_executions(s, also, n->also ? 2 : 0);
    stored_add_executions(s, slower, n->alone ? 0 : 2);
}

static void add_night(struct stored *s, const struct night *n)
{
    char *started = pm_format("2026-11-%sT01:00:00.000Z", text_or(n->day, "01"));
    stored_add_run(s, &(struct pm_run_row){
                          .state = PM_RUN_DONE,
                          .validity = n->invalid ? PM_VALIDITY_INVALID : PM_VALIDITY_VALID,
                          .validity_reason = n->invalid,
                          .started = started,
                          .source = n->source,
                      });
    stored_add_attempt(s, text_or(n->machine, "{\"processor\": \"Made-up 9\"}"), 0, 0);
    STORED_TARGETS(s, targets);
    for (int64_t i = 0; i < (n->processes ? n->processes : PROCESSES); i++)
        add_night_executions(s, n, i);
    if (n->processes >= 0) {
        stored_judge(s);
        if (!n->no_floor)
            stored_add_noise_floor(s, "null@host", 1.05);
    }
    free(started);
}

/* Returns the report of histories as JSON; the caller releases it. */
static json_t *history_of(struct stored *s, const struct pm_history_request *as)
{
    static const struct pm_render_options no_limit = {0, false};
    struct pm_history_request request = *as;
    struct pm_report *report = pm_report_new("");
    struct pm_str text = PM_STR_INIT;
    struct pm_sink sink = pm_sink_str(&text);
    json_t *document;
    request.db = s->db;
    request.option = " --db x.db";
    assert_ok(s, pm_history_add(&request, report, &s->err));
    assert_ok(s, pm_report_render(report, PM_FORMAT_JSON, &no_limit, &sink, &s->err));
    assert_ok(s, pm_json_parse(text.data, text.length, &document, &s->err));
    pm_str_release(&text);
    pm_report_free(report);
    return document;
}

static const struct pm_history_request people = {.for_people = true};

#define RUNS      "history null@null"
#define FUNCTIONS "history_functions null@null"
#define THREE     "{\"value\":3.0,\"low\":3.0,\"high\":3.0}"
#define LEAST                                                                                      \
    "slower, faster: these verdicts need at least 8 processes in each run; at most 5 % of the "    \
    "verdicts on a target are expected to be false\n"
#define NO_FLOOR                                                                                   \
    "some runs have no noise floor (portmeter run --noise measures it): latencies that "           \
    "differ from theirs do not count\n"

/* The runs that the test adds, and the texts that it expects in the history of null@null; NULL: not
 * checked. */
struct history {
    struct night nights[4];
    const char *line, *runs, *functions, *notes;
    struct pm_history_request request;
};

static void check_history(struct stored *s, const struct history *h)
{
    for (size_t i = 0; i < 4 && h->nights[i].day; i++)
        add_night(s, &h->nights[i]);
    stored_close(s);
    struct pm_history_request request = h->request;
    request.for_people = true;
    json_t *report = history_of(s, &request);
    char *lines = notes_of(report, NULL);
    assert_has(lines, h->line);
    free(lines);
    if (h->runs)
        assert_text(
            columns_of(report, RUNS, "run,started,version,driver,works,partly,fails,changes"),
            h->runs);
    if (h->functions)
        assert_text(columns_of(report, FUNCTIONS, "function,now,change,since,run_*,whole"),
                    h->functions);
    if (h->notes)
        assert_text(notes_of(report, RUNS), h->notes);
    json_decref(report);
}

#define HISTORY(...) check_history(*state, &(const struct history){__VA_ARGS__})

static void test_a_function_breaks_in_one_run_and_is_fixed_in_another(void **state)
{
    HISTORY(.nights = {{.day = "03"}, {.day = "01"}, {"[1, 9]", .day = "02"}},
            .line = "history: null@null, 3 runs; from run 3 to 1: 1 fixed (null.broken); "
                    "from run 2 to 1: nothing\n",
            .runs = "[2,\"2026-11-01 01:00\",\"1.0\",\"\",2,0,0,\"-\"]\n"
                    "[3,\"2026-11-02 01:00\",\"1.0\",\"\",1,0,1,\"1 regressed (null.broken)\"]\n"
                    "[1,\"2026-11-03 01:00\",\"1.0\",\"\",2,0,0,\"1 fixed (null.broken)\"]\n",
            .functions =
                "[\"null.broken\",\"works\",\"fixed\",1,\"works\",\"fails\",\"works\",null]\n",
            .notes = LEAST);
}

static void test_a_function_is_slower_since_a_run(void **state)
{
    HISTORY(.nights = {{.day = "01"},
                       {.slow = "[3000]", .day = "02"},
                       {.slow = "[3000]", .day = "03"}},
            .line = "history: null@null, 3 runs; from run 2 to 3: nothing; "
                    "from run 1 to 3: 1 slower (null.slower)\n",
            .functions =
                "[\"null.slower\",\"works\",\"slower\",2,\"works\",\"3.0x slower\",\"works\"," THREE
                "]\n");
}

/* Without a noise floor, the difference may be a drift from one night to the next. */
static void test_without_a_noise_floor_nothing_is_slower_than_in_another_run(void **state)
{
    HISTORY(.nights = {{.day = "01", .no_floor = true},
                       {.slow = "[3000]", .day = "02", .no_floor = true}},
            .line = "history: null@null, 2 runs; from run 1 to 2: nothing", .functions = "no table",
            .notes = LEAST NO_FLOOR);
}

static void test_a_function_that_becomes_slower_in_small_steps(void **state)
{
    HISTORY(.nights = {{.slow = "[1000]", .odd = "[1300]", .day = "01"},
                       {.slow = "[1200]", .odd = "[1500]", .day = "02"},
                       {.slow = "[1400]", .odd = "[1700]", .day = "03"}},
            .line = "from run 2 to 3: nothing; from run 1 to 3: 1 slower (null.slower)\n",
            .functions = "[\"null.slower\",\"works\",\"slower\",null,\"works\",\"works\",\"works\","
                         "{\"value\":1.353,\"low\":1.184,\"high\":1.546}]\n");
}

static void test_more_comparisons_need_more_evidence(void **state)
{
    HISTORY(.nights = {{.slow = "[1000]", .odd = "[1300]", .day = "01"},
                       {.slow = "[1000]", .odd = "[1300]", .day = "02"},
                       {.slow = "[1000]", .odd = "[1300]", .day = "03"},
                       {.slow = "[1240]", .odd = "[1612]", .day = "04"}},
            .line = "history: null@null, 4 runs; from run 3 to 4: nothing; "
                    "from run 1 to 4: nothing\n");
    const struct pm_history_request two = {.for_people = true, .most = 2};
    json_t *report = history_of(*state, &two);
    char *lines = notes_of(report, NULL);
    assert_has(lines, "null@null, 2 runs; from run 3 to 4: 1 slower (null.slower)\n");
    free(lines);
    json_decref(report);
}

static void test_too_few_processes_are_undecided_in_a_history(void **state)
{
    HISTORY(.nights = {{.day = "01"}, {.slow = "[3000]", .processes = 3, .day = "02"}},
            .line = "history: null@null, 2 runs; from run 1 to 2: "
                    "2 undecided (latencies of too few processes)\n",
            .functions = "no table");
}

static void test_runs_that_a_history_skips_are_named(void **state)
{
    HISTORY(.nights = {{.day = "01"},
                       {"[1, 9]", .invalid = "a planted fault", .day = "02"},
                       {.processes = -1, .day = "03"},
                       {.day = "04"}},
            .line = "history: null@null, 2 runs; from run 1 to 4: nothing\n",
            .functions = "no table",
            .notes = "run 2 is skipped: it is invalid: a planted fault\n"
                     "run 3 is skipped: it has no valid results\n" LEAST);
}

static void test_what_a_run_did_not_measure_did_not_change(void **state)
{
    HISTORY(.nights = {{.also = true, .day = "01"},
                       {"[1, 9]", .alone = true, .day = "02", .source = "part.db"},
                       {"[1, 9]", .slow = "[3000]", .also = true, .day = "03"}},
            .line = "from run 2 to 3: 1 slower (null.slower); "
                    "from run 1 to 3: 1 regressed (null.broken), 1 slower (null.slower)\n",
            .runs = "[1,\"2026-11-01 01:00\",\"1.0\",\"\",2,0,0,\"-\"]\n"
                    "[2,\"2026-11-02 01:00\",\"1.0\",\"\",0,0,1,\"1 regressed (null.broken)\"]\n"
                    "[3,\"2026-11-03 01:00\",\"1.0\",\"\",1,1,0,\"1 slower (null.slower)\"]\n",
            .functions =
                "[\"null.broken\",\"partly\",\"regressed\",2,\"works\",\"fails\",\"partly\",null]\n"
                "[\"null.slower\",\"works\",\"slower\",3,\"works\",\"\",\"3.0x slower\"," THREE
                "]\n",
            .notes =
                "run 2 measured different cases (1 fewer, 0 more): only the common cases of a "
                "function are compared\n"
                "run 1 is from this database, run 2 from 'part.db': the devices and processors "
                "have the same names, but the machines may differ\n" LEAST);
}

static void test_runs_without_latencies_and_not_complete(void **state)
{
    struct stored *s = *state;
    static const struct stored_execution todo[] = {
        {"null@null", "null.slower", "third", 0, .todo = true}};
    for (size_t i = 0; i < 4; i++) {
        add_night(s, &(struct night){.slow = i ? "[3000]" : NULL, .day = "01"});
        stored_add_executions(s, todo, i == 2);
    }
    stored_close(s);
    stored_run_sql(s, "update run set latency_validity = 'invalid', "
                      "latency_validity_reason = 'a busy machine' where id = 2");
    stored_run_sql(s, "delete from timing where execution_id in "
                      "(select id from execution where run_id = 3)");
    HISTORY(.line = "from run 3 to 4: 1 slower (null.slower); from run 1 to 4: 1 slower "
                    "(null.slower)\n",
            .functions = "[\"null.slower\",\"works\",\"slower\",4,\"works\",\"works\",\"works\","
                         "\"3.0x slower\"," THREE "]\n",
            .notes = "latencies of run 2 are invalid and not used: a busy machine\n"
                     "run 3 is not complete: 32 of 33 executions\n"
                     "run 3 has no latencies\n" LEAST);
}

static void test_the_run_that_a_history_ends_with(void **state)
{
    HISTORY(.nights = {{.day = "01"}, {"[1, 9]", .day = "02"}, {.day = "03"}},
            .request = {.run_id = 2},
            .line = "history: null@null, 2 runs; from run 1 to 2: 1 regressed (null.broken)\n",
            .functions = "[\"null.broken\",\"fails\",\"regressed\",2,\"works\",\"fails\",null]\n");
    struct stored *s = *state;
    const struct pm_history_request unknown = {.db = s->db, .run_id = 9};
    struct pm_report *report = pm_report_new("");
    assert_refused(s, pm_history_add(&unknown, report, &s->err), PM_EUSAGE,
                   "has no run 9: list the runs with portmeter runs");
    pm_report_free(report);
}

static void test_the_newest_runs_of_a_history(void **state)
{
    HISTORY(.nights = {{.day = "01"}, {"[1, 9]", .day = "02"}, {.day = "03"}},
            .request = {.most = 2},
            .line = "history: null@null, 2 runs; from run 2 to 3: 1 fixed (null.broken)\n",
            .notes = "1 older run is not shown: --top N shows the newest N\n" LEAST);
}

static void test_another_machine_has_a_history_of_its_own(void **state)
{
    static const char cores[] = "{\"processor\": \"Made-up 9\", \"logical_cores\": 4}";
    struct stored *s = *state;
    const struct night nights[] = {{.day = "01"},
                                   {"[1, 9]", .machine = cores, .day = "02"},
                                   {.day = "03"},
                                   {.machine = "{\"processor\": \"B\"}", .day = "04"},
                                   {.day = "05"}};
    for (size_t i = 0; i < sizeof nights / sizeof *nights; i++)
        add_night(s, &nights[i]);
    stored_close(s);
    stored_run_sql(s, "update target set device_name = 'H100' where run_id = 5");
    json_t *report = history_of(s, &people);
    assert_text(notes_of(report, NULL),
                "history: null@null on Made-up 9, 2 runs; from run 1 to 3: nothing\n"
                "history: null@host on Made-up 9, 2 runs; from run 1 to 3: nothing\n"
                "no history: null@null on H100, Made-up 9, null@null on Made-up 9, "
                "null@null on B: one valid run each, but a history needs two\n"
                "next: portmeter run --target 'null@null' --db x.db   adds a run\n");
    assert_text(notes_of(report, "history null@null on Made-up 9"),
                "null@null was measured on several devices or machines: each has a history of its "
                "own\n" LEAST);
    json_decref(report);
}

static void test_a_history_needs_two_runs(void **state)
{
    struct stored *s = *state;
    stored_close(s);
    json_t *report = history_of(s, &people);
    assert_text(notes_of(report, NULL),
                "history: no valid run has results: measure with portmeter run\n");
    json_decref(report);
    stored_open(s);
    add_night(s, &(struct night){.day = "01"});
    report = history_of(s, &people);
    assert_text(notes_of(report, NULL),
                "history: null@null: one valid run, but a history needs two\n"
                "next: portmeter run --target 'null@null' --db x.db   adds a run\n");
    json_decref(report);
}

static void test_histories_for_programs(void **state)
{
    struct stored *s = *state;
    add_night(s, &(struct night){.day = "01"});
    add_night(s, &(struct night){"[1, 9]", .slow = "[3000]", .processes = 9, .day = "02"});
    stored_close(s);
    json_t *report = history_of(s, &(struct pm_history_request){0});
    assert_text(columns_of(report, "history",
                           "target,device,processor,run,started,version,driver,works,partly,fails,"
                           "changes,regressed,gone,unmeasured,slower,in doubt,undecided,"
                           "unknown latency,fixed,faster,new"),
                "[\"null@null\",\"\",\"Made-up 9\",1,\"2026-11-01T01:00:00.000Z\",\"1.0\","
                "\"\",2,0,0,\"\",0,0,0,0,0,0,0,0,0,0]\n"
                "[\"null@null\",\"\",\"Made-up 9\",2,\"2026-11-02T01:00:00.000Z\",\"1.0\","
                "\"\",1,0,1,\"1 regressed (null.broken), 1 slower (null.slower)\","
                "1,0,0,1,0,0,0,0,0,0]\n"
                "[\"null@host\",\"\",\"Made-up 9\",1,\"2026-11-01T01:00:00.000Z\",\"1.0\","
                "\"\",2,0,0,\"\",0,0,0,0,0,0,0,0,0,0]\n"
                "[\"null@host\",\"\",\"Made-up 9\",2,\"2026-11-02T01:00:00.000Z\",\"1.0\","
                "\"\",2,0,0,\"nothing\",0,0,0,0,0,0,0,0,0,0]\n");
    assert_text(
        columns_of(report, "history_functions",
                   "target,device,processor,run,started,version,function,verdict,change,ratio,"
                   "size,processes,since,whole_change,whole"),
        "[\"null@null\",\"\",\"Made-up 9\",1,\"2026-11-01T01:00:00.000Z\",\"1.0\","
        "\"null.broken\",\"works\",\"\",null,\"\",null,2,\"regressed\",null]\n"
        "[\"null@null\",\"\",\"Made-up 9\",2,\"2026-11-02T01:00:00.000Z\",\"1.0\","
        "\"null.broken\",\"fails\",\"regressed\",null,\"\",null,2,\"regressed\",null]\n"
        "[\"null@null\",\"\",\"Made-up 9\",1,\"2026-11-01T01:00:00.000Z\",\"1.0\","
        "\"null.slower\",\"works\",\"\",null,\"\",null,2,\"slower\","
        "{\"value\":3.0,\"low\":3.0,\"high\":3.0}]\n"
        "[\"null@null\",\"\",\"Made-up 9\",2,\"2026-11-02T01:00:00.000Z\",\"1.0\","
        "\"null.slower\",\"works\",\"slower\","
        "{\"value\":3.0,\"low\":3.0,\"high\":3.0},\"small\",8,2,\"slower\","
        "{\"value\":3.0,\"low\":3.0,\"high\":3.0}]\n");
    char *notes = notes_of(report, "history");
    assert_has(notes, "null@null: " LEAST);
    assert_has(notes, "null@host: " LEAST);
    free(notes);
    json_decref(report);
    report = history_of(s, &(struct pm_history_request){.functions_only = true});
    assert_text(columns_of(report, "history", "function"), "no table");
    char *functions =
        columns_of(report, "history_functions",
                   "target,device,processor,run,started,version,function,verdict,change,ratio,"
                   "size,processes,since,whole_change,whole");
    assert_has(functions, "\"null.broken\",\"fails\",\"regressed\"");
    free(functions);
    json_decref(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_references),
        STORED_TEST(test_a_function_breaks_in_one_run_and_is_fixed_in_another),
        STORED_TEST(test_a_function_is_slower_since_a_run),
        STORED_TEST(test_without_a_noise_floor_nothing_is_slower_than_in_another_run),
        STORED_TEST(test_a_function_that_becomes_slower_in_small_steps),
        STORED_TEST(test_more_comparisons_need_more_evidence),
        STORED_TEST(test_too_few_processes_are_undecided_in_a_history),
        STORED_TEST(test_runs_that_a_history_skips_are_named),
        STORED_TEST(test_what_a_run_did_not_measure_did_not_change),
        STORED_TEST(test_runs_without_latencies_and_not_complete),
        STORED_TEST(test_the_run_that_a_history_ends_with),
        STORED_TEST(test_the_newest_runs_of_a_history),
        STORED_TEST(test_another_machine_has_a_history_of_its_own),
        STORED_TEST(test_a_history_needs_two_runs),
        STORED_TEST(test_histories_for_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
