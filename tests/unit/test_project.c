/* Uses that follow from types, over the files of small projects written here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/str.h"
#include "resolve/project.h"

static struct pm_resolve_names *table(void)
{
    static const struct {
        const char *name;
        enum pm_name_kind kind;
        struct pm_resolve_fact fact;
    } rows[] = {
        {"torch.Tensor", PM_NAME_CLASS, {.gives = PM_VALUE_ARRAY}},
        {"torch.Tensor.view", PM_NAME_METHOD, {.gives = PM_VALUE_ARRAY}},
        {"torch.Tensor.item", PM_NAME_METHOD, {.gives = PM_VALUE_OTHER}},
        {"torch.Tensor.split", PM_NAME_METHOD, {.gives = PM_VALUE_ARRAYS}},
        {"torch.zeros", PM_NAME_FUNCTION, {.gives = PM_VALUE_ARRAY}},
        {"torch.relu", PM_NAME_FUNCTION, {.gives = PM_VALUE_ARRAY}},
        {"torch.nn.Module", PM_NAME_CLASS, {.gives = PM_VALUE_MODULE}},
        {"torch.nn.Module.eval", PM_NAME_METHOD, {.class = "self"}},
        {"torch.nn.Linear", PM_NAME_CLASS, {.gives = PM_VALUE_MODULE, .calls = PM_VALUE_ARRAY}},
        {"torch.nn.Linear.eval", PM_NAME_METHOD, {.class = "self"}},
        {"torch.optim.SGD", PM_NAME_CLASS, {.gives = PM_VALUE_OTHER}},
        {"torch.optim.SGD.step", PM_NAME_METHOD, {0}},
        {"torch.make_sgd", PM_NAME_FUNCTION, {.class = "torch.optim.SGD"}},
    };
    struct pm_resolve_names *names = pm_resolve_names_new();
    const unsigned torch = pm_resolve_names_framework(names, "torch");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pm_resolve_names_add(names, torch, rows[i].name, NULL, rows[i].kind);
        pm_resolve_names_fact(names, torch, rows[i].name, rows[i].fact);
    }
    pm_resolve_names_fact(names, torch, "torch.Tensor.T",
                          (struct pm_resolve_fact){.gives = PM_VALUE_ARRAY});
    return names;
}

struct taking {
    const struct pm_resolve_index *index;
    struct pm_str out;
    bool imports; /* these too */
};

static void take(void *ctx, const struct pm_resolve_place *place)
{
    struct taking *t = ctx;
    if (place->how == PM_RESOLVE_HOW_IMPORT && !t->imports)
        return;
    pm_str_addf(&t->out, "%u:%u:%u %s%s%s %s %s\n", place->file, place->line, place->column,
                place->inside, *place->inside ? " " : "",
                t->index->frameworks[0].functions.names[place->function - 1],
                pm_resolve_form_text(place->form), pm_resolve_how_text(place->how));
}

struct source {
    const char *path, *text;
};

static void assert_places(const struct source *sources, size_t count, bool imports,
                          const char *expected)
{
    struct pm_resolve_names *names = table();
    struct pm_resolve_index index;
    pm_resolve_index_init(&index, names);
    struct pm_resolve_file file = {.index = &index};
    struct pm_resolve_project *project = pm_resolve_project_new(&index);
    struct taking taking = {&index, PM_STR_INIT, imports};
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(sources[i].text);
        unsigned char *copy = pm_alloc(length + PM_PYLEX_PADDING);
        memcpy(copy, sources[i].text, length);
        pm_resolve_file_lex(&file, copy, length);
        pm_resolve_file_imports(&file);
        pm_resolve_file_uses(&file);
        pm_resolve_project_add(project, sources[i].path, &file);
        free(copy);
    }
    pm_resolve_project_finish(project, take, &taking);
    if (strcmp(taking.out.data, expected) != 0)
        fail_msg("in\n%.20s\nfound\n%sexpected\n%s", sources[0].text, taking.out.data, expected);
    pm_str_release(&taking.out);
    pm_resolve_project_free(project);
    pm_resolve_file_release(&file);
    pm_resolve_index_release(&index);
    pm_resolve_names_free(names);
}

/* What is inferred in one file. */
static void assert_inferred(const char *text, const char *expected)
{
    assert_places(&(struct source){"a.py", text}, 1, false, expected);
}

#define VIEW "torch.Tensor.view call inferred\n"

static void test_values__of_locals(void **state)
{
    (void)state;
    assert_inferred("import torch\nx = torch.zeros(1)\nx.view(2)\n", "0:3:3 " VIEW);
    assert_inferred("import torch\ntorch.zeros(1).view(2).view(3)\n",
                    "0:2:16 " VIEW "0:2:24 " VIEW);
    assert_inferred("import torch\nx = torch.zeros(1)\nx = f(x)\nx.view(2)\n", "");
    assert_inferred("import torch\nx = y = torch.zeros(1) + 1\n(-y[0]).view(2)\n", "0:3:9 " VIEW);
    assert_inferred("import torch\nx, y = 1, torch.zeros(1)\ny.view(2); x.view(3)\n",
                    "0:3:3 " VIEW);
    assert_inferred("import torch\nfor x in torch.zeros(1):\n  x.T.view(2)\n", "0:3:7 " VIEW);
    assert_inferred("import torch\na, b = torch.zeros(1).split(1)\nb.view(2)\n",
                    "0:2:23 torch.Tensor.split call inferred\n0:3:3 " VIEW);
    assert_inferred("import torch\nx = torch.zeros(1).item()\nx.view(2)\n",
                    "0:2:20 torch.Tensor.item call inferred\n");
    assert_inferred("import torch\nx = torch.zeros(1) if a else None\nf(x.view)\n",
                    "0:3:5 torch.Tensor.view reference inferred\n");
    assert_inferred("import torch\nx = torch.zeros(1) if a else b\nx.view(1)\n", "");
    assert_inferred("import torch\nx = torch.zeros(1)\nx += 1\nx.view(1)\n", "0:4:3 " VIEW);
    assert_inferred("import torch\nx = torch.zeros(1)\ndef f(x):\n  x.view(1)\n", "");
    assert_inferred("import torch\ndef f():\n  x.view(1)\nx = torch.zeros(1)\n", "0:3:5 f " VIEW);
    assert_inferred("import torch\no = torch.make_sgd()\no.step()\n",
                    "0:3:3 torch.optim.SGD.step call inferred\n");
    assert_inferred("from torch import *\nx = zeros(1)\nx.view(2)\n", "0:3:3 " VIEW);
}

static void test_values__of_parameters_and_returns(void **state)
{
    (void)state;
    assert_inferred("import torch\ndef f(x: torch.Tensor, y=1): x.view(y)\n", "0:2:32 f " VIEW);
    assert_inferred("import torch\ndef f(x: torch.Tensor | None = None):\n  x.view(1)\n",
                    "0:3:5 f " VIEW);
    assert_inferred("import torch\ndef f(a):\n  return torch.relu(a)\nf(1).view(2)\n",
                    "0:4:6 " VIEW);
    assert_inferred("import torch\ndef f(a):\n  if a: return 1\n  return torch.relu(a)\n"
                    "f(1).view(2)\n",
                    "");
    assert_inferred("import torch\ndef f(a) -> torch.Tensor:\n  return g(a)\nf(1).view(2)\n",
                    "0:4:6 " VIEW);
    assert_inferred("import torch\ndef f(a): return f(a)\nf(1).view(2)\n", "");
}

static void test_values__of_objects(void **state)
{
    static const char net[] = "import torch\n"
                              "from torch import nn\n"
                              "class Net(nn.Module):\n"
                              "  def __init__(self):\n"
                              "    self.fc = nn.Linear(1, 2)\n"
                              "    self.act = torch.relu\n"
                              "    self.w = None\n"
                              "  @property\n"
                              "  def size(self): return torch.zeros(1)\n"
                              "  @staticmethod\n"
                              "  def forward_of(x): x.view(0)\n"
                              "  def forward(self, x, mode=None):\n"
                              "    y = self.act(self.fc(x.view(1)))\n"
                              "    self.size.view(2); mode.view(3)\n"
                              "    return y\n"
                              "net = Net()\n"
                              "net.eval()(1).view(4)\n"
                              "net(1).view(5)\n";
    (void)state;
    assert_inferred(net, "0:13:14 Net.forward torch.relu call inferred\n"
                         "0:13:23 Net.forward torch.nn.Linear instance call inferred\n"
                         "0:13:28 Net.forward " VIEW "0:14:15 Net.forward " VIEW
                         "0:17:5 torch.nn.Module.eval call inferred\n"
                         "0:18:8 " VIEW);
    assert_inferred("import torch\nm = torch.nn.Linear(1, 2)\nm.eval()(3).view(1)\n",
                    "0:3:3 torch.nn.Linear.eval call inferred\n0:3:13 " VIEW);
    assert_inferred("import torch\nclass A:\n  x = torch.zeros(1)\nA.x.view(1)\nA().x.view(2)\n",
                    "0:4:5 " VIEW "0:5:7 " VIEW);
    assert_inferred("import torch\nclass A(A): pass\nA().x.view(2)\n", "");
}

static void test_project__follows_imports(void **state)
{
    (void)state;
    const struct source sources[] = {
        {"pkg/__init__.py", "from .layers import *\nfrom . import layers as l\n"},
        {"pkg/layers.py", "import torch\nfrom torch import relu as act\nF = torch\n"
                          "class Base(torch.nn.Module):\n"
                          "  def __init__(self): self.fc = torch.nn.Linear(1, 2)\n"
                          "def make() -> torch.Tensor: ...\n"},
        {"pkg/net.py", "from pkg import Base, act\nfrom .layers import F\n"
                       "class Net(Base):\n  def forward(self, x): return self.fc(x)\n"
                       "act(1); F.zeros(2).view(3)\n"},
        {"run.py", "import pkg.net\nfrom pkg import l\npkg.net.Net()(1).view(2)\n"
                   "l.make().view(3)\nfrom nowhere import make\nmake().view(4)\n"},
    };
    assert_places(sources, 4, false,
                  "2:4:37 Net.forward torch.nn.Linear instance call inferred\n"
                  "2:5:20 " VIEW "3:3:18 " VIEW "3:4:10 " VIEW);
    assert_places(sources + 2, 1, false, "");
    assert_places(sources, 3, true,
                  "1:4:12 torch.nn.Module reference import\n"
                  "1:5:33 Base.__init__ torch.nn.Linear call import\n"
                  "1:6:15 make torch.Tensor reference import\n"
                  "2:4:37 Net.forward torch.nn.Linear instance call inferred\n"
                  "2:5:1 torch.relu call import\n"
                  "2:5:11 torch.zeros call import\n"
                  "2:5:20 " VIEW);
}

static void test_project__ends_with_whatever_is_written(void **state)
{
    struct pm_str text = PM_STR_INIT;
    (void)state;
    pm_str_add(&text, "import torch\nx = torch.zeros(1)\ny = x");
    for (int i = 0; i < 20000; i++)
        pm_str_add(&text, ".T");
    pm_str_add(&text, "\ny.view(1)\nclass A(A.b, B): pass\nclass B(A): pass\nB().c.view()\n");
    for (int i = 0; i < 20000; i++)
        pm_str_add(&text, "(-not lambda x=");
    assert_inferred(text.data, "0:4:3 " VIEW);
    pm_str_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values__of_locals),
        cmocka_unit_test(test_values__of_parameters_and_returns),
        cmocka_unit_test(test_values__of_objects),
        cmocka_unit_test(test_project__follows_imports),
        cmocka_unit_test(test_project__ends_with_whatever_is_written),
    };
    return cmocka_run_group_tests_name("project", tests, NULL, NULL);
}
