/* Which run each target of a report is shown from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "reading/loading.h"

/*
 * Runs as a text: a run is its validity (v valid, i invalid, u unknown), ':' and its targets,
 * separated by spaces; runs are separated by ';'. A target is a letter; '!' behind it: it has no
 * outcomes; '>c': its control; '?': it is the oracle.
 */
static void add_target(struct pm_reading *r, const char *word)
{
    const char *control = strchr(word, '>');
    PM_GROW(r->targets, r->target_list.count, r->target_list.capacity);
    r->targets[r->target_list.count++] = (struct pm_reading_target){
        .run = r->run_list.count - 1,
        .text = pm_reading_keep(r, (char[]){*word, 0}),
        .control = pm_reading_keep(r, control ? (char[]){control[1], 0} : ""),
        .role = strchr(word, '?') ? PM_ROLE_ORACLE
                : control         ? PM_ROLE_SUBJECT
                                  : PM_ROLE_CONTROL,
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

/* "a1 b2 (c1); not shown 3": targets with their runs, hidden ones in brackets. */
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
        /* where nothing is valid, the newest with outcomes; where nothing has any, the newest */
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

/* A subject is compared with the control of its own run, also where another one's is shown. */
static void test_controls(void **state)
{
    (void)state;
    struct pm_reading r = {0};
    read_runs(&r, "v:a>c c;v:b>c c;v:d");
    pm_reading__choose(&r, 0);
    for (size_t i = 0; i < r.target_list.count; i++) {
        const int control = pm_reading_control_index(&r, (int)i);
        if (!*r.targets[i].control) {
            assert_int_equal(control, -1);
            continue;
        }
        assert_true(control >= 0);
        assert_string_equal(r.targets[control].text, "c");
        assert_int_equal(r.targets[control].run, r.targets[i].run);
    }
    assert_int_equal(r.hidden_targets, 1);
    assert_int_equal(pm_reading_runs_shown(&r), 3);
    pm_reading_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_controls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
