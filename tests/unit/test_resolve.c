/* Tests of the resolved rule: the names to find, their index, and the names that imports bind in
 * texts written here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "resolve/resolve.h"

/* Returns a copy of the text, followed by the padding that the lexer may read. */
static unsigned char *padded(const char *text)
{
    unsigned char *copy = pm_alloc(strlen(text) + PM_PYLEX_PADDING);
    memcpy(copy, text, strlen(text));
    return copy;
}

static uint32_t node_of(const struct pm_resolve_index *index, const char *dotted)
{
    uint32_t node = PM_RESOLVE_NONE;
    char *copy = pm_strdup(dotted), *rest = NULL;
    for (char *part = strtok_r(copy, ".", &rest); part; part = strtok_r(NULL, ".", &rest)) {
        unsigned char *at = padded(part);
        uint64_t words[2];
        pm_resolve_words(at, strlen(part), words);
        const uint32_t symbol =
            pm_resolve_symbol(index, at, strlen(part), pm_resolve_hash(at, strlen(part), words));
        node = node ? pm_resolve_child(index, node, symbol) : index->frameworks[0].root;
        free(at);
    }
    free(copy);
    return node;
}

static void test_index__leads_aliases_to_one_function(void **state)
{
    struct pm_resolve_names *names = pm_resolve_names_new();
    struct pm_resolve_index index;
    const unsigned framework = pm_resolve_names_framework(names, "torch");
    (void)state;
    pm_resolve_names_add(names, framework, "torch.nn.a_name_longer_than_sixteen", NULL,
                         PM_NAME_CLASS);
    pm_resolve_names_add(names, framework, "torch.nn.a_name_longer_than_sixteen", "torch.x.short",
                         PM_NAME_FUNCTION);
    for (int i = 0; i < 500; i++) { /* the tables grow */
        char *name = pm_format("torch.many.name%d", i);
        pm_resolve_names_add(names, framework, name, NULL, PM_NAME_METHOD);
        free(name);
    }
    pm_resolve_index_init(&index, names);
    assert_int_equal(index.frameworks[0].functions.count, 501);
    const uint32_t canonical = node_of(&index, "torch.nn.a_name_longer_than_sixteen");
    const uint32_t alias = node_of(&index, "torch.x.short");
    assert_int_not_equal(canonical, alias);
    assert_int_equal(index.nodes[canonical].function, index.nodes[alias].function);
    assert_int_equal(index.frameworks[0].functions.kinds[index.nodes[alias].function - 1],
                     PM_NAME_CLASS);
    assert_int_not_equal(index.nodes[node_of(&index, "torch.many.name499")].function, 0);
    assert_int_equal(node_of(&index, "torch.many.name500"), PM_RESOLVE_NONE);
    assert_int_equal(index.nodes[node_of(&index, "torch.many")].function, 0);
    pm_resolve_index_release(&index);
    pm_resolve_names_free(names);
}

static void test_names__refuse_a_file_that_is_no_list(void **state)
{
    struct pm_resolve_names *names = pm_resolve_names_new();
    struct pm_error err;
    const unsigned framework = pm_resolve_names_framework(names, "torch");
    (void)state;
    assert_int_equal(pm_resolve_names_load_flat(names, framework, "/nowhere/names.json", &err),
                     PM_EIO);
    assert_non_null(strstr(err.text, "'/nowhere/names.json'"));
    assert_int_equal(pm_resolve_names_load_flat(names, framework, "/dev/null", &err), PM_EFORMAT);
    pm_resolve_names_free(names);
}

static struct pm_resolve_names *table(void)
{
    static const struct {
        const char *canonical, *alias;
        enum pm_name_kind kind;
    } rows[] = {
        {"torch.zeros", NULL, PM_NAME_FUNCTION},
        {"torch.relu", "torch.nn.functional.relu", PM_NAME_FUNCTION},
        {"torch.nn.Linear", NULL, PM_NAME_CLASS},
        {"torch.nn.Linear", "torch.nn.modules.Linear", PM_NAME_CLASS},
        {"torch.Tensor.view", NULL, PM_NAME_METHOD},
        {"torch.no_grad", NULL, PM_NAME_CLASS},
        {"torch.old.v1.placeholder", NULL, PM_NAME_FUNCTION},
        {"torch.old.v1.layers.dense", NULL, PM_NAME_FUNCTION},
        {"torch.old.v1.nn.lrn", NULL, PM_NAME_FUNCTION},
        {"torch.old.v1.zeros", NULL, PM_NAME_FUNCTION},
    };
    struct pm_resolve_names *names = pm_resolve_names_new();
    const unsigned torch = pm_resolve_names_framework(names, "torch");
    const unsigned jax = pm_resolve_names_framework(names, "jax");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        pm_resolve_names_add(names, torch, rows[i].canonical, rows[i].alias, rows[i].kind);
    pm_resolve_names_older(names, torch, "torch.old.v1");
    pm_resolve_names_moved(names, torch, "torch.nn.trial", "torch.nn");
    pm_resolve_names_moved(names, torch, "torch.nn.trial.more", "torch.nn");
    pm_resolve_names_moved(names, torch, "torch.nn.functional", "torch.old.v1");
    pm_resolve_names_moved(names, torch, "torch.nn.lost", "torch.lost");
    pm_resolve_names_moved(names, torch, "neural", "torch.nn");
    pm_resolve_names_flat(names, jax, "zeros");
    pm_resolve_names_flat(names, jax, "jit");
    return names;
}

/* Asserts the numbers of calls, references and rebound names of a function of torch in one text. */
static void assert_uses(const char *text, const char *of, unsigned calls, unsigned references,
                        unsigned rebound)
{
    struct pm_resolve_names *names = table();
    struct pm_resolve_index index;
    pm_resolve_index_init(&index, names);
    struct pm_resolve_file file = {.index = &index};
    unsigned char *copy = padded(text);
    unsigned found[3] = {0};
    pm_resolve_file_lex(&file, copy, strlen(text));
    pm_resolve_file_imports(&file);
    pm_resolve_file_uses(&file);
    for (size_t i = 0; i < file.uses_count; i++) {
        const struct pm_resolve_use *use = &file.uses[i];
        const struct pm_resolve_rows *rows = &index.frameworks[use->framework].functions;
        if (use->framework != 0 || strcmp(rows->names[use->function - 1], of) != 0)
            continue;
        found[use->call ? 0 : 1]++;
        found[2] += use->local && file.locals[use->local - 1].rebound;
    }
    if (found[0] != calls || found[1] != references || found[2] != rebound)
        fail_msg("%u %u %u of %s in\n%s", found[0], found[1], found[2], of, text);
    free(copy);
    pm_resolve_file_release(&file);
    pm_resolve_index_release(&index);
    pm_resolve_names_free(names);
}

static void test_resolved__knows_every_import_form(void **state)
{
    (void)state;
    assert_uses("import torch\ntorch.relu(x)\n", "torch.relu", 1, 0, 0);
    assert_uses("import os, torch as t; t.relu(x)\n", "torch.relu", 1, 0, 0);
    assert_uses("import torch.nn.functional as F\nF.relu(F.relu(x))\n", "torch.relu", 2, 0, 0);
    assert_uses("import torch.nn.functional\ntorch.nn.functional.relu\n", "torch.relu", 0, 1, 0);
    assert_uses("from torch import nn as n, (relu)\n", "torch.relu", 0, 0, 0);
    assert_uses("from torch.nn import (functional as F,\n  Linear, # c\n)\nF.relu(Linear)\n",
                "torch.relu", 1, 0, 0);
    assert_uses("if x: from torch.nn import Linear as L\nL(1)\n", "torch.nn.Linear", 1, 0, 0);
    assert_uses("import os, \\\n  torch\ntorch.relu(1)\n", "torch.relu", 1, 0, 0);
    assert_uses("from torch.nn import *\nLinear(1)\n", "torch.nn.Linear", 1, 0, 0);
    assert_uses("try:\n import torch\nexcept ImportError:\n import jax as torch\ntorch.zeros(1)\n",
                "torch.zeros", 1, 0, 0);
}

static void test_resolved__takes_no_other_module(void **state)
{
    (void)state;
    assert_uses("import torchvision\ntorchvision.relu(1)\n", "torch.relu", 0, 0, 0);
    assert_uses("from .torch import relu\nrelu(1)\n", "torch.relu", 0, 0, 0);
    assert_uses("from . import torch\ntorch.relu(1)\n", "torch.relu", 0, 0, 0);
    assert_uses("import x.torch\nfrom x.torch import relu\nrelu(1)\n", "torch.relu", 0, 0, 0);
    assert_uses("import torch\nx.torch.relu(1)\nf().relu(1)\n", "torch.relu", 0, 0, 0);
    assert_uses("import torch\n'torch.relu(1)' # torch.relu(1)\n", "torch.relu", 0, 0, 0);
}

static void test_resolved__follows_aliases(void **state)
{
    (void)state;
    assert_uses("import torch\nF = torch.nn.functional\nr = F.relu\nr(1)\n", "torch.relu", 1, 1, 0);
    assert_uses("r = F.relu\nF = torch.nn.functional\nimport torch\nr(1)\n", "torch.relu", 1, 1, 0);
    assert_uses("import torch\nr = (\n torch.relu\n)\nr(1)\n", "torch.relu", 1, 1, 0);
    assert_uses("import torch\nr = torch.relu(1)\nr(1)\n", "torch.relu", 1, 0, 0);
    assert_uses("import torch\nx = x.parent\nx = torch\nx.relu(1)\n", "torch.relu", 1, 0, 0);
}

static void test_resolved__follows_every_assignment_of_chains(void **state)
{
    (void)state;
    assert_uses("import torch\na = b = torch.relu\na(1); b(1)\n", "torch.relu", 2, 1, 0);
    assert_uses("import torch\na, b = torch.relu, f(1, 2)\na(1); b(1)\n", "torch.relu", 1, 1, 0);
    assert_uses("import torch\na, b = [\n f(1), torch.relu, ]\na(1); b(1)\n", "torch.relu", 1, 1,
                0);
    assert_uses("import torch\na, b = torch.relu\na(1)\n", "torch.relu", 0, 1, 0);
    assert_uses("import torch\na, b = torch.relu, 1, 2\na(1)\n", "torch.relu", 0, 1, 0);
    assert_uses("import torch\nc = a, b = torch.relu, 1\na(1); c(1)\n", "torch.relu", 1, 1, 0);
    assert_uses("import torch\nx.c = a = torch.relu\na(1); c(1)\n", "torch.relu", 1, 1, 0);
    assert_uses("import torch\na: Callable[[x], y] = torch.relu\na(1)\n", "torch.relu", 1, 1, 0);
    assert_uses("import torch\na = torch.relu if x(1)[0] else torch.zeros\na(1)\n", "torch.relu", 1,
                1, 0);
    assert_uses("import torch\na = (\n None if x\n else torch.relu)\na(1)\n", "torch.relu", 1, 1,
                0);
    assert_uses("import torch\na = x or torch.relu\na(1)\n", "torch.relu", 1, 1, 0);
    assert_uses("import torch\na = torch.relu if x else f(1)\na(1)\n", "torch.relu", 0, 1, 0);
    assert_uses("import torch\na = torch.relu + b\na(1)\n", "torch.relu", 0, 1, 0);
    assert_uses("import torch\na = torch.relu == b\na(1)\n", "torch.relu", 0, 1, 0);
    assert_uses("import torch\na == torch.relu\na(1)\n", "torch.relu", 0, 1, 0);
    assert_uses("from torch import relu\nrelu = relu if x else None\nrelu(1)\n", "torch.relu", 1, 1,
                0);
}

static void test_resolved__follows_defaults_within_their_function(void **state)
{
    (void)state;
    assert_uses("import torch\ndef f(a, *, g=torch.relu):\n  g(1)\n\n  g(2)\ng(3)\n", "torch.relu",
                2, 1, 0);
    assert_uses("import torch\nclass A:\n async def f(\n  self, g: F = torch.relu,\n ) -> x:\n"
                "  def h(x): g(1)\n# c\n def i(g): g(2)\n",
                "torch.relu", 1, 1, 0);
    assert_uses("import torch\ndef f(g=torch.relu): return g(1)\ng(2)\n", "torch.relu", 1, 1, 0);
    assert_uses("import torch\ndef f(g=torch.relu):\n\tg(1)\ndef h(g=torch.zeros):\n\tg(2)\n",
                "torch.relu", 1, 1, 0);
    assert_uses("import torch\ndef f[T: (int, str)](g=torch.nn): g.functional.relu(1)\n",
                "torch.relu", 1, 0, 0);
    assert_uses("import torch\ndef f(g=x and torch.relu): g(1)\n", "torch.relu", 1, 1, 0);
    assert_uses("import torch\ndef f(g=h(torch.relu)): g(1)\n", "torch.relu", 0, 1, 0);
    assert_uses("from torch import *\ndef f(g=relu): g(1)\ng(2)\n", "torch.relu", 1, 1, 0);
}

static void test_resolved__finds_names_of_older_releases(void **state)
{
    (void)state;
    assert_uses("import torch\ntorch.placeholder(1)\n", "torch.old.v1.placeholder", 1, 0, 0);
    assert_uses("import torch as t\nt.layers.dense(1)\n", "torch.old.v1.layers.dense", 1, 0, 0);
    assert_uses("from torch.nn import lrn\nlrn(1)\n", "torch.old.v1.nn.lrn", 1, 0, 0);
    assert_uses("import torch\ntorch.zeros(1)\n", "torch.zeros", 1, 0, 0);
    assert_uses("import torch\ntorch.zeros(1)\n", "torch.old.v1.zeros", 0, 0, 0);
    assert_uses("import torch.old.v1 as t\nt.old.v1.zeros(1)\n", "torch.old.v1.zeros", 1, 0, 0);
    assert_uses("import torch.old.v1 as t\nt.lost(1)\n", "torch.old.v1.zeros", 0, 0, 0);
}

/* A name is also found under an unknown longer path; a known path keeps its meaning. */
static void test_resolved__finds_names_that_have_moved(void **state)
{
    (void)state;
    assert_uses("import torch\ntorch.nn.trial.Linear(1)\n", "torch.nn.Linear", 1, 0, 0);
    assert_uses("from torch.nn.trial.more import Linear as L\nL(1)\n", "torch.nn.Linear", 1, 0, 0);
    assert_uses("import torch\ntorch.nn.functional.placeholder(1)\n", "torch.old.v1.placeholder", 0,
                0, 0);
    assert_uses("import torch\ntorch.nn.lost.Linear(1)\n", "torch.nn.Linear", 0, 0, 0);
}

/* The second package is a part of the framework. */
static void test_resolved__finds_names_by_another_package(void **state)
{
    (void)state;
    assert_uses("import neural\nneural.Linear(1)\n", "torch.nn.Linear", 1, 0, 0);
    assert_uses("from neural.modules import Linear\nLinear(1)\n", "torch.nn.Linear", 1, 0, 0);
    assert_uses("import neural.trial as t\nt.Linear(1)\n", "torch.nn.Linear", 1, 0, 0);
    assert_uses("from neural import *\nLinear(1)\n", "torch.nn.Linear", 1, 0, 0);
    assert_uses("import neural\nneural.nn.Linear(1)\n", "torch.nn.Linear", 0, 0, 0);
    assert_uses("import torch\ntorch.neural.Linear(1)\n", "torch.nn.Linear", 0, 0, 0);
}

static void test_resolved__tells_calls_from_references(void **state)
{
    (void)state;
    assert_uses("import torch\n@torch.no_grad\ndef f(a=torch.no_grad()): pass\n", "torch.no_grad",
                1, 1, 0);
    assert_uses("from torch.nn import Linear\nclass A(Linear): x = Linear.y(1)\n",
                "torch.nn.Linear", 0, 2, 0);
    assert_uses("import torch\nf'{torch.relu(f\"{torch.relu(1)}\")}'\n", "torch.relu", 2, 0, 0);
    assert_uses("import torch\n(torch\n .relu\n (1))\n", "torch.relu", 1, 0, 0);
    assert_uses("import torch\nmatch x:\n case torch.relu(): pass\n", "torch.relu", 0, 1, 0);
    assert_uses("import torch\nmatch x:\n case _ if torch.relu(x): pass\n", "torch.relu", 1, 0, 0);
    assert_uses(
        "import torch\nmatch x:\n case torch.relu() if torch.relu(\n  torch.relu(1)): pass\n",
        "torch.relu", 2, 1, 0);
    assert_uses("import torch\nmatch x:\n case [torch.relu(a=1), *_]: torch.relu(1)\n",
                "torch.relu", 1, 1, 0);
    assert_uses("import torch\ncase(torch.relu(1))\ncase[torch.relu(2):]\n", "torch.relu", 2, 0, 0);
    assert_uses("import torch\ncase = torch.relu(1)\ncase: int = torch.relu(2)\n", "torch.relu", 2,
                0, 0);
    assert_uses("import torch\ncase (torch.relu(1)) if x else f'{torch.relu(2):>3}'\n",
                "torch.relu", 2, 0, 0);
    assert_uses("from torch import relu\ng(relu=1, x=relu)\n", "torch.relu", 0, 1, 0);
    assert_uses("from torch import *\ng(relu, 1)\n", "torch.relu", 0, 1, 0);
    assert_uses("from torch import relu\ng(nonlocals, relu)\n", "torch.relu", 0, 1, 0);
}

/* Tests f-strings nested as in Python 3.12, with every quote, format and conversion. */
static void test_resolved__looks_into_f_strings(void **state)
{
    static const struct {
        const char *text;
        unsigned calls, references;
    } cases[] = {
        {"f'{relu(1)}'", 1, 0},
        {"f'{relu(1)!r:>{relu(2)}}'", 2, 0},
        {"f'{x!r:>{relu(2)}.{relu(3)}}'", 2, 0},
        {"f'{relu(1)=}'", 1, 0},
        {"f'{relu(1) = !s:^{relu(2)}}'", 2, 0},
        {"f'{relu=}'", 0, 1},
        {"f'{x, relu=}'", 0, 1},
        {"g(f'{relu=:>3}')", 0, 1},
        {"f'{'a' + f'{relu('b')}' + \"c\"}'", 1, 0},
        {"f'{f'{f'{relu(1)}'}'}'", 1, 0},
        {"f\'\'\'{\n relu(1) # a } comment\n}\'\'\'", 1, 0},
        {"f'{\n relu(1)\n}'", 1, 0},
        {"f'{{relu(1)}}'", 0, 0},
        {"f'{{{relu(1)}}}'", 1, 0},
        {"f'{relu(1):%Y-{relu(2)}-{3}}'", 2, 0},
        {"rf'\\{relu(1)}\\\\'", 1, 0},
        {"f'\\N{DASH}{relu(1)}'", 1, 0},
        {"f'{(lambda x: relu(x))(1):{2}}'", 1, 0},
        {"f'{x:{'>' + relu('<')}}'", 1, 0},
        {"f'{x[relu(1):relu(2)]:relu}'", 2, 0},
        {"f'{(y := relu(1))}{y:=+5}'", 1, 0},
        {"f'{x!=relu(1)}'", 1, 0},
        {"f'{relu(1):{relu(2):{relu(3)}}}'", 3, 0},
        {"'a' f'{relu(1)}' 'b' f'{relu(2)}'", 2, 0},
        {"F\"{relu(1)}\" Rf'{relu(2)}' t'{relu(3)}'", 3, 0},
        {"'{relu(1)}' r'{relu(2)}' b'{relu(3)}'", 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = pm_format("from torch import relu\n%s\n", cases[i].text);
        assert_uses(text, "torch.relu", cases[i].calls, cases[i].references, 0);
        free(text);
    }
}

static void test_resolved__flags_what_is_bound_again(void **state)
{
    static const char *const bindings[] = {
        "relu = 1",
        "def relu(): pass",
        "class relu: pass",
        "for relu in x: pass",
        "a, (relu, b) = 1",
        "relu += 1",
        "relu: int = 3",
        "with a as relu: pass",
        "x = [relu for relu in y]",
        "def f(relu): pass",
        "lambda a, relu: 1",
        "(relu := 3)",
        "if x: relu = 3",
        "x = relu = 2",
    };
    (void)state;
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings; i++) {
        char *text = pm_format("from torch import relu\n%s\nrelu(1)\n", bindings[i]);
        const bool read = strstr(bindings[i], "[relu") != NULL;
        assert_uses(text, "torch.relu", 1, read, 1 + read);
        free(text);
    }
    assert_uses("from torch import relu\nf(relu=1)\nx.relu = 2\nx[relu] = 1\nrelu(1)\n",
                "torch.relu", 1, 1, 0);
}

static void test_resolved__takes_a_star_once(void **state)
{
    (void)state;
    static const char text[] =
        "from torch.nn import *\nfrom torch import *\nfrom torch.nn import *\n"
        "Linear(1)\n";
    struct pm_resolve_names *names = table();
    struct pm_resolve_index index;
    pm_resolve_index_init(&index, names);
    struct pm_resolve_file file = {.index = &index};
    unsigned char *copy = padded(text);
    pm_resolve_file_lex(&file, copy, strlen(text));
    pm_resolve_file_imports(&file);
    assert_int_equal(file.stars_count, 2);
    pm_resolve_file_uses(&file);
    assert_int_equal(file.uses_count, 1);
    free(copy);
    pm_resolve_file_release(&file);
    pm_resolve_index_release(&index);
    pm_resolve_names_free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_index__leads_aliases_to_one_function),
        cmocka_unit_test(test_names__refuse_a_file_that_is_no_list),
        cmocka_unit_test(test_resolved__knows_every_import_form),
        cmocka_unit_test(test_resolved__takes_no_other_module),
        cmocka_unit_test(test_resolved__follows_aliases),
        cmocka_unit_test(test_resolved__takes_a_star_once),
        cmocka_unit_test(test_resolved__follows_every_assignment_of_chains),
        cmocka_unit_test(test_resolved__follows_defaults_within_their_function),
        cmocka_unit_test(test_resolved__finds_names_of_older_releases),
        cmocka_unit_test(test_resolved__finds_names_that_have_moved),
        cmocka_unit_test(test_resolved__finds_names_by_another_package),
        cmocka_unit_test(test_resolved__tells_calls_from_references),
        cmocka_unit_test(test_resolved__looks_into_f_strings),
        cmocka_unit_test(test_resolved__flags_what_is_bound_again),
    };
    return cmocka_run_group_tests_name("resolve", tests, NULL, NULL);
}
