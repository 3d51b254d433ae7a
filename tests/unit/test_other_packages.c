/* Tests of a name that a file imports from a framework or else from another package, as programs do
 * with `tf.keras` and `tf_keras`. Here, the name is `nn` of `torch` or `other`. */
#include "projects.h"

#define VIEW   "torch.Tensor.view call "
#define EVAL   "torch.nn.Module.eval call "
#define LINEAR "torch.nn.Linear "
#define MODULE "torch.nn.Module reference one of\n"

/* Ways in which a file gets `nn` from one of two packages; each text has six lines. */
static const char *const choices[] = {
    "import torch\nif a:\n  import other as nn\nelse:\n  nn = torch.nn\npass\n",
    "import torch\ntry:\n  from other import nn\nexcept E:\n  from torch import nn\npass\n",
    ("import torch\ndef f():\n  if a: import other as b\n  else: b = torch.nn\n  return b\nnn = "
     "f()\n"),
};

/* Asserts which uses are found in `text` after each of these choices. */
static void check(const char *text, const char *expected)
{
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        char *whole = pm_format("%s%s", choices[i], text);
        assert_inferred(whole, expected);
        free(whole);
    }
}

static void test_choices__of_the_base_of_a_class(void **state)
{
    (void)state;
    check("class N(nn.Module):\n  def f(self): self.eval(); super().eval()\nN().eval()\n",
          "0:7:12 " MODULE "0:8:21 N.f " EVAL "one of\n0:8:37 N.f " EVAL "one of\n0:9:5 " EVAL
          "one of\n");
    check("class N(nn.Module): pass\nclass O(N): pass\nO().eval().eval()\n",
          "0:7:12 " MODULE "0:9:5 " EVAL "one of\n0:9:12 " EVAL "one of\n");
    check("class N(torch.nn.Module): pass\nN().eval()\n", "0:8:5 " EVAL "inferred\n");
}

static void test_choices__of_the_class_of_an_object(void **state)
{
    (void)state;
    check("m = nn.Linear(1)\nm.eval().eval()\nm(1)\n",
          "0:7:8 " LINEAR "call one of\n0:8:3 " EVAL "one of\n0:8:10 " EVAL "one of\n"
          "0:9:1 " LINEAR "instance call one of\n");
    check("L = nn.Linear if a else nn.ModuleList\nL(1).eval()\n",
          "0:7:8 " LINEAR "reference one of\n0:7:28 torch.nn.ModuleList reference one of\n"
          "0:8:1 " LINEAR "call one of\n0:8:1 torch.nn.ModuleList call one of\n"
          "0:8:6 " EVAL "one of\n");
    /* both packages give arrays of the framework */
    check("nn.Linear(1)(2).view(3)\n",
          "0:7:4 " LINEAR "call one of\n0:7:13 " LINEAR "instance call one of\n"
          "0:7:17 " VIEW "inferred\n");
}

/* A name that the framework's class lacks may be in the other package's class. */
static void test_choices__of_a_base_that_lacks_a_name(void **state)
{
    (void)state;
    static const char after[] = "class N(nn.Module): pass\nN().item()\n";
    char *text = pm_format("%s%s", choices[0], after);
    assert_places(&(struct source){"a.py", text}, 1, true,
                  "0:7:12 " MODULE "0:8:5 torch.Tensor.item call one of\n");
    free(text);
}

static void test_choices__that_another_file_makes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const struct source sources[] = {
            {"p/use.py", "from p.choice import nn\nclass N(nn.Module): pass\nN().eval()\n"
                         "nn.Linear(1).eval()\n"},
            {"p/choice.py", choices[i]}};
        assert_places(sources, 2, false,
                      "0:2:12 " MODULE "0:3:5 " EVAL "one of\n0:4:4 " LINEAR
                      "call one of\n0:4:14 " EVAL "one of\n");
    }
}

static void test_choices__of_what_gives_an_array(void **state)
{
    (void)state;
    assert_inferred("import torch\nif a:\n  import other as xp\nelse:\n  xp = torch\n"
                    "x = xp.zeros(1)\nx.view(1); (x + 1).view(2); x.T.view(3); x.view(4).view(5)\n",
                    "0:6:8 torch.zeros call one of\n0:7:3 " VIEW "one of\n0:7:20 " VIEW
                    "one of\n0:7:33 " VIEW "one of\n0:7:44 " VIEW "one of\n0:7:52 " VIEW
                    "one of\n");
}

/* An object of another package may be passed in place of an array, and act like one. */
static void test_choices__that_annotations_say(void **state)
{
    (void)state;
    assert_inferred("import torch, typing\nfrom other import T\n"
                    "def f(a: Union[torch.Tensor, T], b: torch.Tensor | T, c: T,\n"
                    "      d: torch.Tensor | None, e: torch.Tensor | typing.Any, g: T):\n"
                    "  a.view(1); b.view(2); c.view(3); d.view(4); e.view(5); g.step()\n"
                    "f(0, 0, torch.zeros(1), 0, 0, torch.make_sgd())\n",
                    "0:5:5 f " VIEW "one of\n0:5:16 f " VIEW "one of\n0:5:27 f " VIEW
                    "one of\n0:5:38 f " VIEW "inferred\n0:5:49 f " VIEW
                    "one of\n0:5:60 f torch.optim.SGD.step call one of\n");
}

/* If the package lacks a name, the project defines it. */
static void test_choices__of_the_project(void **state)
{
    (void)state;
    assert_inferred("try:\n  from torch.nn import Module\nexcept E:\n  class Module: pass\n"
                    "class N(Module): pass\nN().eval()\n",
                    "0:5:9 " MODULE "0:6:5 " EVAL "one of\n");
    assert_inferred("try:\n  import torch\nexcept E:\n  torch = None\n"
                    "class N(torch.nn.Module): pass\nN().eval()\ntorch.zeros(1).view(1)\n",
                    "0:6:5 " EVAL "inferred\n0:7:16 " VIEW "inferred\n");
    assert_inferred("import torch\nclass A:\n  def f(self): return torch.zeros(1)\n"
                    "class B:\n  def g(self): return torch.zeros(1)\n"
                    "class C(A if a else B): pass\nC().f().view(1); C().g().view(2)\n",
                    "0:7:9 " VIEW "inferred\n0:7:26 " VIEW "inferred\n");
}

/* A module has the names of its star imports, also through a second module. */
static void test_stars__that_another_file_has(void **state)
{
    (void)state;
    static const char *const stars[][2] = {
        {"from torch.nn import *\n", "pass\n"},
        {"from p.more import *\n", "from torch.nn import *\n"},
        {"from .more import *\nfrom . import *\n", "from . import ops\nfrom .ops import *\n"
                                                   "from torch.nn import *\n"},
    };
    for (size_t i = 0; i < sizeof stars / sizeof *stars; i++) {
        const struct source sources[] = {
            {"p/use.py", "from p import ops\nops.Linear(1).eval()\nops.relu(2)\n"},
            {"p/ops.py", stars[i][0]},
            {"p/more.py", stars[i][1]},
            {"p/__init__.py", ""}};
        assert_places(sources, 4, true, "0:2:5 " LINEAR "call import\n0:2:15 " EVAL "inferred\n");
    }
}

/* Only one of two star imports runs, and either may. */
static void test_stars__that_give_one_of_two(void **state)
{
    (void)state;
    const struct source sources[] = {
        {"p/use.py", "from p import ops\nops.Linear(1)\nops.ModuleList(1)\n"},
        {"p/ops.py", "if a:\n  from torch.nn import *\nelse:\n  from p.own import *\n"},
        {"p/own.py", "from torch import Loader as Linear\n"},
        {"p/__init__.py", ""}};
    assert_places(sources, 4, true,
                  "0:2:5 torch.Loader call one of\n0:2:5 " LINEAR "call one of\n"
                  "0:3:5 torch.nn.ModuleList call import\n");
}

#define NEURAL "import neural\nneural.Linear(1).eval()\n"
#define FOUND  "0:2:1 " LINEAR "call import\n0:2:18 " EVAL "inferred\n"

/* A package is part of the framework unless the project uses the package with a different
 * framework. */
static void test_parts__that_run_with_this_framework(void **state)
{
    (void)state;
    static const char *const others[] = {"import os\n", "import torch, jax\n",
                                         "from jax import jit\nfrom torch import relu\n",
                                         "import os\nos.environ['NEURAL_BACKEND'] = 'jax'\n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct source sources[] = {{"a.py", NEURAL}, {"b.py", others[i]}};
        assert_places(sources, 2, true, FOUND);
    }
    assert_places(&(struct source){"a.py", NEURAL "E['NEURAL_BACKEND'] = 'tensorflow'\n"}, 1, true,
                  FOUND);
}

static void test_parts__that_run_with_another_framework(void **state)
{
    (void)state;
    static const char *const others[] = {"import jax\n", "from jax.numpy import sin\n",
                                         "import neural, jax.lax as lax\n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct source sources[] = {{"a.py", NEURAL "def f(x): return x.view(1)\n"},
                                         {"b.py", others[i]}};
        assert_places(sources, 2, true, "");
    }
    assert_places(&(struct source){"a.py", "E['NEURAL_BACKEND'] = \"torch\"\n" NEURAL}, 1, true,
                  "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choices__of_the_base_of_a_class),
        cmocka_unit_test(test_choices__of_the_class_of_an_object),
        cmocka_unit_test(test_choices__of_a_base_that_lacks_a_name),
        cmocka_unit_test(test_choices__that_another_file_makes),
        cmocka_unit_test(test_choices__of_what_gives_an_array),
        cmocka_unit_test(test_choices__that_annotations_say),
        cmocka_unit_test(test_choices__of_the_project),
        cmocka_unit_test(test_stars__that_another_file_has),
        cmocka_unit_test(test_stars__that_give_one_of_two),
        cmocka_unit_test(test_parts__that_run_with_this_framework),
        cmocka_unit_test(test_parts__that_run_with_another_framework),
    };
    return cmocka_run_group_tests_name("other packages", tests, NULL, NULL);
}
