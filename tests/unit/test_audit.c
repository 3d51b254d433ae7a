/* Tests of audits: arguments of calls, which cases are compatible with a use, rules, suppressions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "audit/audit_private.h"
#include "audit/evidence.h"
#include "audit/rules.h"
#include "base/alloc.h"
#include "base/str.h"

/* A text, followed by the zero bytes that the lexer requires. */
struct padded {
    unsigned char *bytes;
    struct pm_audit_text text;
};

static struct padded open_text(const char *code)
{
    const size_t length = strlen(code);
    struct padded p = {.bytes = pm_alloc(length + PM_PYLEX_PADDING)};
    memcpy(p.bytes, code, length);
    pm_audit_text_init(&p.text, p.bytes, length);
    return p;
}

static void close_text(struct padded *p)
{
    pm_audit_text_release(&p->text);
    free(p->bytes);
}

/* Returns the index of the last token `name`, or PM_AUDIT_NONE. */
static size_t token_of(const struct padded *p, const char *name)
{
    size_t found = PM_AUDIT_NONE;
    for (size_t i = 0; i < p->text.tokens.count; i++) {
        const size_t length = p->text.tokens.end[i] - p->text.tokens.start[i];
        if (length == strlen(name) && !memcmp(p->bytes + p->text.tokens.start[i], name, length))
            found = i;
    }
    return found;
}

static struct pm_audit_call call_of(const char *code)
{
    struct padded p = open_text(code);
    struct pm_audit_call call;
    pm_audit_call_read(&p.text, 0, &call);
    close_text(&p);
    return call;
}

/* Returns the arguments of a call as text, "number 2|?|axis=constant None|**". */
static char *shown(const char *code)
{
    static const char *const kinds[] = {"?", "number", "string", "constant", "dtype"};
    struct pm_audit_call call = call_of(code);
    struct pm_str out = PM_STR_INIT;
    for (size_t i = 0; i < call.count; i++) {
        const struct pm_audit_argument *a = &call.items[i];
        pm_str_addf(&out, "%s%s%s%s", i ? "|" : "", a->keyword ? a->keyword : "",
                    a->keyword ? "=" : "", kinds[a->kind]);
        if (a->value)
            pm_str_addf(&out, " %s", a->value);
    }
    pm_str_addf(&out, "%s%s%s", call.starred ? "|*" : "", call.mapped ? "|**" : "",
                !call.is_call ? "no call"
                : call.closed ? ""
                              : " open");
    pm_audit_call_release(&call);
    return pm_str_detach(&out);
}

static void test_arguments_of_a_call(void **state)
{
    static const struct {
        const char *code, *known;
    } rows[] = {
        {"f()", ""},
        {"f", "no call"},
        {"f.x.y(1, -2.5)", "number 1|number -2.5"},
        {"f(x, dim=0)", "?|dim=number 0"},
        {"f(\n    x,  # the first\n    mode='same',\n)", "?|mode=string same"},
        {"f(a, *b, **c)", "?|*|**"},
        {"f(True, None, k=False)", "constant True|constant None|k=constant False"},
        {"f(torch.half, dtype=jnp.float32, d='float64')",
         "dtype float16|dtype=dtype float32|d=dtype float64"},
        {"f(half, float)", "?|?"},
        {"f(x == 1, lambda a, b: (a, b), [1, 2])", "?|?|?"},
        {"f(\"a\\n\", b'x', f'{y}')", "?|?|?"},
        {"f(1 + 2, g(3, k=4))", "?|?"},
        {"f(torch.\n  double)", "dtype float64"},
        {"f(1", " open"},
        {"f(1, 2\n", "number 1 open"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *known = shown(rows[i].code);
        assert_string_equal(known, rows[i].known);
        free(known);
    }
}

static void test_loops_are_those_of_the_function(void **state)
{
    static const struct {
        const char *code;
        bool loops;
    } rows[] = {
        {"for x in y:\n    here()\n", true},
        {"for x in here():\n    pass\n", false},
        {"while here():\n    pass\n", true},
        {"for x in y:\n    pass\nhere()\n", false},
        {"for x in y:\n    def f():\n        here()\n", false},
        {"def f():\n    for x in y:\n        if x:\n            z = here()\n", true},
        {"async def f():\n    async for x in y:\n        here()\n", true},
        {"a = [here() for x in y]\n", true},
        {"a = [x for x in y] + [here()]\n", false},
        {"a = f(g(here()) for x in y)\n", true},
        {"here()\nfor x in y:\n    pass\n", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct padded p = open_text(rows[i].code);
        if (pm_audit_text_in_loop(&p.text, token_of(&p, "here")) != rows[i].loops)
            fail_msg("%s: %s", rows[i].code, rows[i].loops ? "is in a loop" : "is in no loop");
        close_text(&p);
    }
}

static void test_comments_are_no_strings(void **state)
{
    static const struct {
        const char *code, *comment;
    } rows[] = {
        {"f(1)  # why", "# why"},       {"f('# no')", NULL},    {"f('# no')  # yes", "# yes"},
        {"f(1,  # one\n", "# one"},     {"# alone", "# alone"}, {"", NULL},
        {"\"\"\"\n# no\n\"\"\"", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct padded p = open_text(rows[i].code);
        size_t length;
        const char *comment = pm_audit_text_comment(&p.text, i == 6 ? 2 : 1, &length);
        if (!rows[i].comment)
            assert_null(comment);
        else
            assert_true(comment && length == strlen(rows[i].comment) &&
                        !memcmp(comment, rows[i].comment, length));
        close_text(&p);
    }
}

/* ---- the join -------------------------------------------------------------------------------- */

struct made_case {
    const char *call, *dtype;
    bool passes;
};

static struct pm_audit_function function_of(const struct made_case *cases, size_t count)
{
    struct pm_audit_function f = {.name = pm_strdup("torch.f")};
    for (size_t i = 0; i < count; i++) {
        char *name = pm_format("case %zu", i + 1);
        struct pm_audit_case *c = pm_audit_function_add(&f, name, NULL, cases[i].call);
        c->dtype = pm_strdup(cases[i].dtype);
        c->passes = cases[i].passes;
        c->reason = pm_strdup("");
        c->detail = pm_strdup("");
        free(name);
    }
    pm_audit_function_complete(&f);
    return f;
}

static void release_function(struct pm_audit_function *f)
{
    for (size_t i = 0; i < f->count; i++) {
        for (size_t k = 0; k < f->cases[i].call_count; k++)
            pm_audit_call_release(&f->cases[i].calls[k]);
        free(f->cases[i].calls);
        free(f->cases[i].name);
        free(f->cases[i].text);
        free(f->cases[i].dtype);
        free(f->cases[i].reason);
        free(f->cases[i].detail);
    }
    free(f->cases);
    free(f->dtype_keyword);
    free(f->name);
}

/* Returns the answer for a use as text, "depends 2/3: the dtype (float16)". */
static char *answer_of(const struct pm_audit_function *f, const char *code)
{
    struct pm_audit_call call = call_of(code);
    struct pm_audit_answer answer;
    pm_audit_answer(f, &call, &answer);
    char *text = pm_format("%s %zu/%zu%s%s", pm_audit_status_text(answer.status), answer.failing,
                           answer.compatible, answer.on ? ": " : "", answer.on ? answer.on : "");
    pm_audit_answer_release(&answer);
    pm_audit_call_release(&call);
    return text;
}

static void check_answers(const struct pm_audit_function *f, const char *const (*rows)[2],
                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *answer = answer_of(f, rows[i][0]);
        if (strcmp(answer, rows[i][1]) != 0)
            fail_msg("%s: '%s' is not '%s'", rows[i][0], answer, rows[i][1]);
        free(answer);
    }
}

static void test_a_dtype_decides(void **state)
{
    static const struct made_case cases[] = {
        {"torch.f(x)", "float32", true},
        {"torch.f(x)", "float16", false},
        {"torch.f(x, dtype=torch.float32)", "", true},
        {"torch.f(x, dtype=torch.float16)", "", false},
    };
    static const char *const rows[][2] = {
        {"f(y)", "depends 1/2: the dtype (float16)"},
        {"f(y, dtype=torch.half)", "fails 1/1"},
        {"f(y, dtype=torch.float32)", "works 0/1"},
        {"f(y, dtype=torch.int8)", "arguments 0/0: no case has such arguments"},
        {"f(y, device='cuda')", "depends 1/2: the dtype (float16)"},
        {"f", "depends 2/4: its arguments, as in 'case 2', 'case 4'"},
    };
    struct pm_audit_function f = function_of(cases, 4);
    (void)state;
    check_answers(&f, rows, sizeof rows / sizeof *rows);
    release_function(&f);
}

static void test_a_keyword_decides(void **state)
{
    static const struct made_case cases[] = {
        {"torch.f(x)", "", true},
        {"torch.f(x, stable=True)", "", false},
        {"torch.f(x, dim=1)", "", true},
        {"torch.f(x, mode='same')", "", false},
        {"torch.f(x, mode='full')", "", true},
        {"torch.g(x, other=1)", "", true},
        {"torch.f(x, order=2)", "", false},
    };
    static const char *const rows[][2] = {
        {"f(y)", "works 0/1"}, /* the sixth case has no call of f, so it shows nothing */
        {"f(y, stable=True)", "fails 1/1"},
        {"f(y, stable=False)", "arguments 0/0: no case has such arguments"},
        {"f(y, dim=3)", "works 0/1"},
        {"f(y, mode='same')", "fails 1/1"},
        {"f(y, mode=m)", "depends 1/2: its arguments, as in 'case 4'"},
        {"f(y, out=z)", "arguments 0/0: no case passes the argument out"},
        {"f(y, dim=1, stable=True)", "depends 1/2: the argument stable"},
        {"f(y, dim=1, stable=True, order=2)", "depends 2/3: the arguments stable, order"},
    };
    struct pm_audit_function f = function_of(cases, 7);
    (void)state;
    check_answers(&f, rows, sizeof rows / sizeof *rows);
    release_function(&f);
    char *none = answer_of(NULL, "f(x)");
    assert_string_equal(none, "nothing known 0/0");
    free(none);
}

static void test_a_variable_of_a_case_names_its_parameter(void **state)
{
    static const struct made_case cases[] = {
        {"tf.f(input_tensor)", "", true},
        {"tf.f(input_tensor, axis)", "", false},
        {"tf.f(input_tensor, 0, keepdims=True)", "", true},
    };
    static const char *const rows[][2] = {
        {"f(input_tensor=x)", "depends 1/2: its arguments, as in 'case 2'"},
        {"f(x)", "depends 1/2: its arguments, as in 'case 2'"},
        {"f(input_tensor=x, axis=1)", "fails 1/1"},
        {"f(x, axis=1)", "fails 1/1"},
        {"f(x, axis=1, keepdims=True)", "works 0/1"},
        {"f(input_tensor=x, keepdims=True)", "depends 1/2: its arguments, as in 'case 2'"},
        {"f(values=x)", "arguments 0/0: no case passes the argument values"},
    };
    struct pm_audit_function f = function_of(cases, 3);
    (void)state;
    check_answers(&f, rows, sizeof rows / sizeof *rows);
    release_function(&f);
}

static void test_a_keyword_may_be_an_argument_by_position(void **state)
{
    static const struct made_case cases[] = {{"torch.f(self, x1, x2)", "", true},
                                             {"torch.f(input, weight, [3])", "", true}};
    static const char *const rows[][2] = {
        {"f(x, min=0, max=1)", "works 0/2"},
        {"f(x, weight=w, sizes=s)", "works 0/2"},
        {"f(x, min=0)", "arguments 0/0: no case has such arguments"},
        {"f(x, y, other=1)", "works 0/2"},
        {"f(x, y, z, other=1)", "arguments 0/0: no case passes the argument other"},
        {"f(x, y, z=1, other=1)", "arguments 0/0: no case has such arguments"},
    };
    static const struct made_case failing[] = {{"torch.f(x, 2, 3)", "", false}};
    static const char *const failing_rows[][2] = {
        {"f(x, p=2)", "arguments 0/0: no case has such arguments"},
        {"f(x, p=2, q=3)", "fails 1/1"},
        {"f(x, p='nuc', q='fro')", "arguments 0/0: no case passes the argument p"},
    };
    static const struct made_case named[] = {{"torch.f(input)", "", true}};
    static const char *const named_rows[][2] = {
        {"f(input=x)", "works 0/1"},
        {"f(values=x)", "arguments 0/0: no case passes the argument values"},
    };
    static const struct made_case where[] = {{"torch.f(condition=c, input=x, other=y)", "", true},
                                             {"torch.f(c)", "", false}};
    static const char *const where_rows[][2] = {
        {"f(mask)", "fails 1/1"}, /* one argument cannot be three keywords */
        {"f(mask, a, b)", "works 0/1"},
    };
    struct pm_audit_function f = function_of(cases, 2), g = function_of(failing, 1),
                             h = function_of(named, 1), w = function_of(where, 2);
    (void)state;
    check_answers(&f, rows, sizeof rows / sizeof *rows);
    check_answers(&g, failing_rows, sizeof failing_rows / sizeof *failing_rows);
    check_answers(&h, named_rows, sizeof named_rows / sizeof *named_rows);
    check_answers(&w, where_rows, sizeof where_rows / sizeof *where_rows);
    release_function(&f);
    release_function(&g);
    release_function(&h);
    release_function(&w);
}

static void test_equations_and_names_contradict_nothing(void **state)
{
    static const struct made_case cases[] = {{"torch.f('ij,jk->ik', x, y)", "", true},
                                             {"torch.f('ii->i', x)", "", false},
                                             {"torch.f('fro', x)", "", false}};
    static const char *const rows[][2] = {
        {"f('bij,bjk->bik', a, b)", "works 0/1"},
        {"f('kk->k', a)", "fails 1/1"},
        {"f('fro', a)", "fails 1/1"},
        {"f('nuc', a, b)", "arguments 0/0: no case has such arguments"},
        {"f('ij,jk->ik', a, b, name='product')", "works 0/1"},
    };
    struct pm_audit_function f = function_of(cases, 3);
    (void)state;
    check_answers(&f, rows, sizeof rows / sizeof *rows);
    release_function(&f);
}

static void test_a_dtype_counts_by_position_and_by_keyword(void **state)
{
    static const struct made_case cases[] = {
        {"tf.f([3, 4])", "", true},
        {"tf.f([3, 4], tf.float32)", "float32", true},
        {"tf.f([2], tf.string)", "", false},
        {"tf.f(0, 9, 3)", "", true},
        {"tf.f(start, limit, delta)", "int32", true},
    };
    static const char *const rows[][2] = {
        /* The use passes no dtype, so cases 2 and 3 are not compatible. The last case is not
         * compatible because the use has no values for its limit and delta. */
        {"f([5])", "works 0/2"},
        {"f([5], dtype=tf.string)", "fails 1/1"},
        {"f([5], tf.string)", "fails 1/1"},
        {"f([5], tf.float32)", "works 0/1"},
        {"f(4, dtype=tf.float32)", "works 0/1"}, /* neither 3 nor delta is a dtype */
        {"f([5], tf.int8)", "arguments 0/0: no case has such arguments"},
        {"f([5], d)", "depends 1/4: its arguments, as in 'case 3'"},
        {"f([5], *d)", "depends 1/5: its arguments, as in 'case 3'"},
        {"f([5], **d)", "depends 1/5: its arguments, as in 'case 3'"},
    };
    static const struct made_case other[] = {
        {"tf.f(x, output_type=tf.int32)", "", true},
        {"tf.f(x, 0, tf.int64)", "", false},
    };
    static const char *const other_rows[][2] = {
        {"f(x, 0, tf.int32)", "works 0/1"},
        {"f(x, output_type=tf.int64)", "fails 1/1"},
    };
    struct pm_audit_function f = function_of(cases, 5), g = function_of(other, 2);
    (void)state;
    check_answers(&f, rows, sizeof rows / sizeof *rows);
    check_answers(&g, other_rows, sizeof other_rows / sizeof *other_rows);
    release_function(&f);
    release_function(&g);
}

static void test_a_dtype_that_no_case_names_is_no_new_argument(void **state)
{
    static const struct made_case cases[] = {{"tf.f(x, y.dtype)", "", true}};
    static const char *const rows[][2] = {{"f(x, tf.float32)", "works 0/1"}};
    struct pm_audit_function f = function_of(cases, 1);
    (void)state;
    check_answers(&f, rows, 1);
    release_function(&f);
}

static void test_a_keyword_that_all_cases_pass_excludes_nothing(void **state)
{
    static const struct made_case cases[] = {
        {"torch.f(x, dim=1)", "", true},
        {"torch.f(x, dim=0, keepdim=True)", "", false},
    };
    static const char *const rows[][2] = {
        {"f(y)", "works 0/1"}, /* all cases pass dim; the use lacks the keepdim of case 2 */
        {"f(y, keepdim=True)", "fails 1/1"},
        {"f(y, True)", "depends 1/2: the argument keepdim"},
        {"f(y, 'a')", "works 0/1"}, /* a text is not keepdim=True by position */
    };
    struct pm_audit_function f = function_of(cases, 2);
    (void)state;
    check_answers(&f, rows, sizeof rows / sizeof *rows);
    release_function(&f);
}

static void test_a_case_that_fails_says_nothing_of_more_arguments(void **state)
{
    static const struct made_case cases[] = {{"torch.f(x)", "", false}};
    static const struct made_case named[] = {{"torch.f(x, mode=m)", "", false}};
    static const struct made_case sizes[] = {{"torch.f(2, 3)", "", false}};
    static const struct made_case passing[] = {{"torch.f(x)", "", true}};
    static const char *const rows[][2] = {
        {"f(y)", "fails 1/1"},
        {"f(*y)", "fails 1/1"},
        {"f(y, n)", "arguments 0/0: no case has such arguments"},
    };
    static const char *const named_rows[][2] = {
        {"f(y, n)", "fails 1/1"}, /* n may be the mode */
        {"f(y, n, k)", "arguments 0/0: no case has such arguments"},
    };
    static const char *const size_rows[][2] = {{"f(a, b, c)", "fails 1/1"}};
    static const char *const passing_rows[][2] = {{"f(y, n)", "works 0/1"}};
    struct pm_audit_function f = function_of(cases, 1), g = function_of(named, 1),
                             h = function_of(sizes, 1), p = function_of(passing, 1);
    (void)state;
    check_answers(&f, rows, sizeof rows / sizeof *rows);
    check_answers(&g, named_rows, sizeof named_rows / sizeof *named_rows);
    check_answers(&h, size_rows, 1);
    check_answers(&p, passing_rows, 1);
    release_function(&f);
    release_function(&g);
    release_function(&h);
    release_function(&p);
}

static void test_a_case_that_passes_says_nothing_of_fewer_arguments(void **state)
{
    static const struct made_case cases[] = {{"torch.f(x, 1.0, y)", "", true}};
    static const struct made_case sizes[] = {{"torch.f(x, 1)", "", true}};
    static const struct made_case failing[] = {{"torch.f(x, y)", "", false}};
    static const char *const rows[][2] = {
        {"f(y)", "arguments 0/0: no case has such arguments"},
        {"f(y, 2)", "arguments 0/0: no case has such arguments"},
        {"f(y, a, b)", "works 0/1"},
        {"f(*y)", "works 0/1"},
        {"f(y, **z)", "works 0/1"},
    };
    static const char *const size_rows[][2] = {{"f(y)", "works 0/1"}}; /* the 1 may be an axis */
    static const char *const failing_rows[][2] = {{"f(y)", "fails 1/1"}};
    struct pm_audit_function f = function_of(cases, 1), s = function_of(sizes, 1),
                             g = function_of(failing, 1);
    (void)state;
    check_answers(&f, rows, sizeof rows / sizeof *rows);
    check_answers(&s, size_rows, 1);
    check_answers(&g, failing_rows, 1);
    release_function(&f);
    release_function(&s);
    release_function(&g);
}

static void test_what_a_move_to_the_host_says(void **state)
{
    static const struct made_case cases[] = {{"torch.f(device)", "", true},
                                             {"torch.f(torch.int8)", "", true},
                                             {"torch.f('cpu')", "", false},
                                             {"torch.f(device='cpu', dtype=torch.half)", "", false},
                                             {"torch.f(memory_format=m)", "", true}};
    static const char *const rows[][2] = {
        {"f('cpu')", "fails 1/1"},
        {"f(device='cpu')", "fails 1/1"},
        {"f('cpu', dtype=torch.half)", "fails 1/1"},
        {"f(device)", "works 0/3"},
        {"f(place)", "works 0/3"},
        {"f(torch.int8)", "works 0/1"},
        {"f(device='cuda')", "works 0/1"},
    };
    struct pm_audit_function f = function_of(cases, 5);
    (void)state;
    check_answers(&f, rows, sizeof rows / sizeof *rows);
    release_function(&f);
}

static void test_a_case_with_an_array_that_fails_says_nothing_of_a_list(void **state)
{
    static const struct made_case cases[] = {{"torch.f(x)", "", false}};
    static const struct made_case listed[] = {{"torch.f([1, 2])", "", false}};
    static const char *const rows[][2] = {
        {"f([1, -2.5])", "arguments 0/0: no case has such arguments"},
        {"f([[1, 2], (3, 4)])", "arguments 0/0: no case has such arguments"},
        {"f([y, 2])", "fails 1/1"},
        {"f(y[1])", "fails 1/1"},
        {"f(y)", "fails 1/1"},
    };
    static const char *const listed_rows[][2] = {{"f([3])", "fails 1/1"}, {"f(y)", "fails 1/1"}};
    struct pm_audit_function f = function_of(cases, 1), g = function_of(listed, 1);
    (void)state;
    check_answers(&f, rows, sizeof rows / sizeof *rows);
    check_answers(&g, listed_rows, 2);
    release_function(&f);
    release_function(&g);
}

static void test_a_case_without_a_count_says_nothing_of_a_use_with_one(void **state)
{
    static const struct made_case cases[] = {{"torch.f(x, num_classes=-1)", "", false}};
    static const struct made_case axis[] = {{"torch.f(x, dim=-1)", "", false}};
    static const struct made_case none[] = {{"torch.f(x, n, dim=0, output_size=None)", "", false}};
    static const char *const rows[][2] = {
        {"f(y, n)", "arguments 0/0: no case has such arguments"},
        {"f(y, num_classes=5)", "arguments 0/0: no case has such arguments"},
        {"f(y, -1)", "fails 1/1"},
        {"f(y, num_classes=-1)", "fails 1/1"},
        {"f(y)", "fails 1/1"},
        {"f(*y)", "fails 1/1"},
    };
    static const char *const axis_rows[][2] = {{"f(y, n)", "fails 1/1"}, {"f(y, 1)", "fails 1/1"}};
    static const char *const none_rows[][2] = {
        {"f(y, n, dim=1, output_size=k)", "arguments 0/0: no case has such arguments"},
        {"f(y, n, d, k)", "arguments 0/0: no case has such arguments"},
        {"f(y, n, d)", "fails 1/1"},
    };
    struct pm_audit_function f = function_of(cases, 1), a = function_of(axis, 1),
                             n = function_of(none, 1);
    (void)state;
    check_answers(&f, rows, sizeof rows / sizeof *rows);
    check_answers(&a, axis_rows, 2);
    check_answers(&n, none_rows, sizeof none_rows / sizeof *none_rows);
    release_function(&f);
    release_function(&a);
    release_function(&n);
}

static void test_recorded_calls_decide_alone(void **state)
{
    static const struct made_case cases[] = {
        {"torch.f(x)", "", false},
        {"torch.f(x, 1)", "", true},
        {"torch.f(x, 2)", "", false},
    };
    static const struct {
        struct pm_audit_recorded recorded[2];
        size_t count;
        const char *answer;
    } rows[] = {
        {{{"case 2", "torch.f(x, 1)"}}, 1, "works 0/1"},
        {{{"case 2", "torch.f(x, 1)"}, {"case 3", "torch.f(x, 2)"}}, 2, "depends 1/2"},
        {{{"case 3", "torch.f(x, 2)"}}, 1, "fails 1/1"},
        {{{"case 2", "torch.f(x, 9)"}}, 1, NULL}, /* recorded again, and not measured since */
        {{{"case 4", "torch.f(x, 1)"}}, 1, NULL},
    };
    struct pm_audit_function f = function_of(cases, 3);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pm_audit_answer answer;
        assert_int_equal(pm_audit_answer_recorded(&f, rows[i].recorded, rows[i].count, &answer),
                         rows[i].answer != NULL);
        char *text = pm_format("%s %zu/%zu", pm_audit_status_text(answer.status), answer.failing,
                               answer.compatible);
        if (rows[i].answer)
            assert_string_equal(text, rows[i].answer);
        free(text);
        pm_audit_answer_release(&answer);
    }
    release_function(&f);
}

static void test_a_message_for_a_terminal_is_short(void **state)
{
    static const struct {
        const char *detail, *brief;
    } rows[] = {
        {"Bad: '/job:a/replica:0/task:0/device:XLA_CPU:0'.",
         "torch.f fails on x@y: type failure: Bad: 'XLA_CPU:0'. (1 of 1 case fails)"},
        {"E: {{function_node __f_device_/job:a/device:X:0}} Invalid type",
         "torch.f fails on x@y: type failure: E: Invalid type (1 of 1 case fails)"},
        {"a /job: b /device:c", "torch.f fails on x@y: type failure: a /job: b /device:c (1 of 1 "
                                "case fails)"},
        {"{{function_node x", "torch.f fails on x@y: type failure: {{function_node x (1 of 1 case "
                              "fails)"},
        {"0123456789012345678901234567890123456789",
         "torch.f fails on x@y: type failure: 012345678901234567890123... (1 of 1 case fails)"},
    };
    static const struct pm_audit_options options = {.target = "x@y"};
    struct pm_audit_evidence evidence = {0};
    struct pm_audit *audit = pm_audit_new(&options, &evidence, NULL);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct pm_audit_case c = {.reason = (char[]){"type failure"},
                                        .detail = (char *)(uintptr_t)rows[i].detail};
        const struct pm_audit_answer answer = {
            .status = PM_AUDIT_FAILS, .compatible = 1, .failing = 1, .shown = &c};
        char *brief = pm_audit__message(audit, "torch.f", &answer, 83);
        char *whole = pm_audit__message(audit, "torch.f", &answer, 0);
        char *none = pm_audit__message(audit, "torch.f", &answer, 40);
        assert_string_equal(brief, rows[i].brief);
        assert_non_null(strstr(whole, rows[i].detail));
        assert_string_equal(none, "torch.f fails on x@y (1 of 1 case fails)");
        free(brief);
        free(whole);
        free(none);
    }
    const struct pm_audit_case searched = {
        .reason = (char[]){""}, .detail = (char[]){""}, .tier = PM_TIER_SEARCHED};
    const struct pm_audit_answer answer = {
        .status = PM_AUDIT_FAILS, .compatible = 1, .failing = 1, .shown = &searched};
    char *text = pm_audit__message(audit, "torch.f", &answer, 0);
    assert_string_equal(text, "torch.f fails on x@y (1 of 1 case fails; tier searched)");
    free(text);
    const struct pm_audit_answer without = {
        .status = PM_AUDIT_FAILS, .compatible = 1, .failing = 1, .without = "dim"};
    text = pm_audit__message(audit, "torch.f", &without, 0);
    assert_string_equal(text, "torch.f fails on x@y (1 of 1 case fails; all cases pass the "
                              "argument dim, but this use does not)");
    free(text);
    pm_audit_free(audit);
}

/* Evidence is weak if it is one call that a search found, or if all calls pass an argument that the
 * use omits. */
static void test_weak_evidence_is_no_error(void **state)
{
    static const struct made_case cases[] = {
        {"torch.f(x, dim=1)", "", false},
        {"torch.f(x, dim=2)", "", false},
    };
    static const struct {
        const char *code;
        size_t cases;
        enum pm_tier tier;
        bool recorded, weak;
    } rows[] = {
        {"f(y, dim=0)", 1, PM_TIER_REVIEWED, false, false},
        {"f(y, dim=0)", 1, PM_TIER_EXAMPLE, false, false},
        {"f(y, dim=0)", 1, PM_TIER_SEARCHED, false, true},
        {"f(y, dim=0)", 1, PM_TIER_SEARCHED, true, false},
        {"f(y, dim=0)", 2, PM_TIER_SEARCHED, false, false},
        {"f(y)", 2, PM_TIER_REVIEWED, false, true}, /* dim was always passed */
        {"f(y, 1)", 2, PM_TIER_REVIEWED, false, false},
        {"f(y, **z)", 2, PM_TIER_REVIEWED, false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pm_audit_function f = function_of(cases, rows[i].cases);
        struct pm_audit_call call = call_of(rows[i].code);
        struct pm_audit_answer answer;
        for (size_t k = 0; k < f.count; k++)
            f.cases[k].tier = rows[i].tier;
        pm_audit_answer(&f, &call, &answer);
        answer.recorded = rows[i].recorded;
        assert_int_equal(answer.status, PM_AUDIT_FAILS);
        if (pm_audit_answer_is_weak(&answer) != rows[i].weak)
            fail_msg("row %zu: %s is%s weak", i, rows[i].code, rows[i].weak ? " not" : "");
        pm_audit_answer_release(&answer);
        pm_audit_call_release(&call);
        release_function(&f);
    }
}

/* ---- predictions ----------------------------------------------------------------------------- */

static void add_row(struct pm_forecast *forecast, const char *function, const char *name,
                    enum pm_prediction what)
{
    const struct pm_forecast_row row = {.function = (char *)(uintptr_t)function,
                                        .name = (char *)(uintptr_t)name,
                                        .what = what,
                                        .cause = (char[]){"kernel"}};
    pm_forecast_add(forecast, &row);
}

/* Returns a forecast in which torch.f fails with one case and works with another. */
static struct pm_forecast made_forecast(void)
{
    struct pm_forecast forecast = {.target = pm_strdup("x@y"),
                                   .version = pm_strdup("2.0"),
                                   .made = pm_strdup("2026-11-28T00:00:00.000Z")};
    add_row(&forecast, "torch.f", "one", PM_PREDICTION_FAILS);
    add_row(&forecast, "torch.f", "two", PM_PREDICTION_WORKS);
    add_row(&forecast, "torch.g", "one", PM_PREDICTION_UNKNOWN);
    return forecast;
}

/* A forecast answers a use by the text of its case; if the texts are not known, each use of the
 * function. It predicts nothing from a case with an unknown outcome. */
static void test_a_forecast_answers_what_was_not_measured(void **state)
{
    static const struct pm_function function = {.name = "torch.f", .tier = PM_TIER_EXAMPLE};
    static struct pm_case cases[] = {
        {.function = &function, .name = "one", .call = "torch.f(x, dim=1)"},
        {.function = &function, .name = "two", .call = "torch.f(x, other=1)"},
    };
    static const struct {
        const char *function, *code;
        bool texts, predicted;
        enum pm_audit_status status;
    } rows[] = {
        {"torch.f", "f(y, dim=2)", true, true, PM_AUDIT_PREDICTED_FAILS},
        {"torch.f", "f(y, other=2)", true, true, PM_AUDIT_PREDICTED_WORKS},
        {"torch.f", "f(y, third=2)", true, false, PM_AUDIT_UNKNOWN},
        {"torch.f", "f(y, third=2)", false, true, PM_AUDIT_PREDICTED_FAILS},
        {"torch.g", "g(y)", false, false, PM_AUDIT_UNKNOWN},
        {"torch.h", "h(y)", true, false, PM_AUDIT_UNKNOWN},
    };
    const struct pm_suite suite = {.cases = cases, .case_count = 2};
    const struct pm_inventory inventory = {0};
    struct pm_forecast_accuracy accuracy = {
        .target = (char[]){"x@y"}, .right_fails = 3, .wrong_fails = 1};
    const struct pm_forecast_accuracies none = {0}, known = {.items = &accuracy, .count = 1};
    struct pm_forecast forecast = made_forecast();
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pm_audit_predictions predictions = {0};
        struct pm_audit_call call = call_of(rows[i].code);
        struct pm_audit_answer answer;
        pm_audit_predictions_take(&predictions, &forecast, rows[i].texts ? &suite : NULL,
                                  rows[i].texts ? &known : &none, &inventory);
        assert_string_equal(predictions.precision,
                            rows[i].texts ? "precision 75 %" : "precision unknown here");
        const bool predicted = pm_audit_predict(&predictions, rows[i].function, &call, &answer);
        if (predicted != rows[i].predicted || (predicted && answer.status != rows[i].status))
            fail_msg("row %zu: %s is%s predicted", i, rows[i].code, predicted ? "" : " not");
        if (predicted && answer.failing)
            assert_string_equal(answer.shown->reason, "no kernel");
        pm_audit_answer_release(&answer);
        pm_audit_call_release(&call);
        pm_audit_predictions_release(&predictions);
    }
    pm_forecast_release(&forecast);
}

/* ---- rules ----------------------------------------------------------------------------------- */

static void test_the_own_rules_are_right(void **state)
{
    struct pm_audit_rules *rules;
    struct pm_error err;
    (void)state;
    assert_int_equal(pm_audit_rules_read(NULL, NULL, &rules, &err), PM_OK);
    assert_true(pm_audit_rules_count(rules) > 10);
    static const struct pm_audit_where mps = {"pytorch", "mps"}, cuda = {"pytorch", "cuda"};
    const uint64_t bound = pm_audit_rules_of(rules, &mps, "torch.Tensor.cuda");
    assert_true(bound);
    assert_false(pm_audit_rules_of(rules, &cuda, "torch.Tensor.cuda") & bound);
    pm_audit_rules_free(rules);
}

static void test_rules_match_arguments(void **state)
{
    static const struct {
        const char *function, *code, *name, *rule;
    } rows[] = {
        {"torch.Tensor.cuda", "x.cuda()", "cuda", "cuda-call"},
        {"torch.zeros", "zeros(2, device='cuda:1')", "zeros", "cuda-text"},
        {"torch.zeros", "zeros(2, device='cpu')", "zeros", NULL},
        {"torch.zeros", "zeros(2, device=device)", "zeros", NULL},
        {"torch.save", "save({}, 'cuda')", "save", NULL},
        {"torch.Tensor.to", "to('cuda')", "to", "cuda-device"},
        {"torch.zeros", "zeros(2, dtype=torch.double)", "zeros", "float64"},
        {"torch.Tensor.item", "for i in x:\n    y = item()", "item", "host-read-in-loop"},
        {"torch.Tensor.item", "item()", "item", NULL},
        {"torch.Tensor.numpy", "for i in x:\n    y = z.cpu().numpy()", "numpy", NULL},
        {"torch.Tensor.numpy", "for i in x:\n    y = z.cpu(w).numpy()", "numpy",
         "host-read-in-loop"},
        {"torch.Tensor.cuda", "if x.cuda: pass", "cuda", NULL},
        {"torch.cuda.amp.GradScaler", "x: GradScaler = y", "GradScaler", NULL},
        {"torch.cuda.amp.GradScaler", "x = GradScaler()", "GradScaler", "cuda-amp"},
        {"torch.cuda.amp.GradScaler", "x = GradScaler(enabled=y)", "GradScaler", NULL},
        {"torch.cuda.FloatTensor", "FloatTensor(2)", "FloatTensor", NULL},
        {"torch.cuda.FloatTensor", "torch.cuda.FloatTensor(2)", "torch", "cuda-type"},
        {"torch.autocast", "autocast('cuda')", "autocast", "cuda-autocast"},
    };
    static const struct pm_audit_where mps = {"pytorch", "mps"};
    struct pm_audit_rules *rules;
    struct pm_error err;
    (void)state;
    assert_int_equal(pm_audit_rules_read(NULL, NULL, &rules, &err), PM_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct padded p = open_text(rows[i].code);
        struct pm_audit_call call;
        const size_t token = token_of(&p, rows[i].name);
        pm_audit_call_read(&p.text, token, &call);
        const struct pm_audit_rule *rule = pm_audit_rules_match(
            rules, pm_audit_rules_of(rules, &mps, rows[i].function), &p.text, token, &call);
        if (rows[i].rule ? !rule || strcmp(rule->id, rows[i].rule) != 0 : rule != NULL)
            fail_msg("%s: %s is not %s", rows[i].code, rule ? rule->id : "none",
                     rows[i].rule ? rows[i].rule : "none");
        pm_audit_call_release(&call);
        close_text(&p);
    }
    pm_audit_rules_free(rules);
}

static void test_a_condition_guards(void **state)
{
    static const struct {
        const char *code;
        bool guarded;
    } rows[] = {
        {"if torch.cuda.is_available():\n    here()\n", true},
        {"if x:\n    here()\n", false},
        {"if device == 'cuda':\n    for i in x:\n        here()\n", true},
        {"if torch.cuda.is_available():\n    pass\nhere()\n", false},
        {"y = here() if torch.cuda.is_available() else z\n", true},
        {"here()\n", false},
        {"if gpu:\n    def f():\n        here()\n", false},
        {"@skipif(not torch.cuda.is_available())\ndef f():\n    here()\n", true},
        {"@needs_gpu\n@other\nclass C:\n    here()\n", true},
        {"@other\ndef f():\n    here()\n", false},
        {"@mark.parametrize('d', ['cpu', 'cuda'])\ndef f():\n    here()\n", false},
        {"@needs_gpu\nclass C:\n    def f():\n        def g():\n            here()\n", true},
        {"@needs_gpu\ndef f():\n    pass\ndef g():\n    here()\n", false},
    };
    struct pm_audit_rules *rules;
    struct pm_error err;
    (void)state;
    assert_int_equal(pm_audit_rules_read(NULL, NULL, &rules, &err), PM_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct padded p = open_text(rows[i].code);
        if (pm_audit_is_guarded(rules, &p.text, token_of(&p, "here")) != rows[i].guarded)
            fail_msg("%s: guarded is wrong", rows[i].code);
        close_text(&p);
    }
    pm_audit_rules_free(rules);
}

static void test_wrong_rules_are_refused(void **state)
{
    static const struct {
        const char *text, *part;
    } rows[] = {
        {"a: 1\n", "no list of rules"},
        {"rules:\n- 3\n", "not a mapping"},
        {"rules:\n- id: a\n", "has no 'framework'"},
        {"rules:\n- {id: a, strange: b}\n", "unknown key 'strange'"},
        {"rules:\n- {id: a, level: bad}\n", "unknown level"},
        {"rules:\n- {id: a, framework: f, why: w, instead: i, example: e, counter_example: c}\n",
         "matches nothing"},
        {"rules:\n- id: [\n", "malformed"},
        {"rules:\n\t- a\n", "r.yaml:2:1: the file contains a tab"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pm_audit_rules *rules;
        struct pm_error err = {{0}};
        assert_int_equal(pm_audit_rules_read("r.yaml", rows[i].text, &rules, &err), PM_EFORMAT);
        if (!strstr(err.text, rows[i].part))
            fail_msg("'%s' does not say '%s'", err.text, rows[i].part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments_of_a_call),
        cmocka_unit_test(test_loops_are_those_of_the_function),
        cmocka_unit_test(test_comments_are_no_strings),
        cmocka_unit_test(test_a_dtype_decides),
        cmocka_unit_test(test_a_keyword_decides),
        cmocka_unit_test(test_a_variable_of_a_case_names_its_parameter),
        cmocka_unit_test(test_a_keyword_may_be_an_argument_by_position),
        cmocka_unit_test(test_equations_and_names_contradict_nothing),
        cmocka_unit_test(test_a_dtype_counts_by_position_and_by_keyword),
        cmocka_unit_test(test_a_dtype_that_no_case_names_is_no_new_argument),
        cmocka_unit_test(test_a_keyword_that_all_cases_pass_excludes_nothing),
        cmocka_unit_test(test_a_case_that_fails_says_nothing_of_more_arguments),
        cmocka_unit_test(test_a_case_that_passes_says_nothing_of_fewer_arguments),
        cmocka_unit_test(test_what_a_move_to_the_host_says),
        cmocka_unit_test(test_a_case_with_an_array_that_fails_says_nothing_of_a_list),
        cmocka_unit_test(test_a_case_without_a_count_says_nothing_of_a_use_with_one),
        cmocka_unit_test(test_recorded_calls_decide_alone),
        cmocka_unit_test(test_a_message_for_a_terminal_is_short),
        cmocka_unit_test(test_weak_evidence_is_no_error),
        cmocka_unit_test(test_a_forecast_answers_what_was_not_measured),
        cmocka_unit_test(test_the_own_rules_are_right),
        cmocka_unit_test(test_rules_match_arguments),
        cmocka_unit_test(test_a_condition_guards),
        cmocka_unit_test(test_wrong_rules_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
