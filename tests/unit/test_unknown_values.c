/* Tests of uses of values whose type is unknown: by the name of a method, and by the rest of the
 * file. */
#include "projects.h"

#define SUM "torch.Tensor.sum call "

static void check(const char *text, const char *expected)
{
    assert_places(&(struct source){"a.py", text}, 1, true, expected);
}

/* Arrays of other libraries, such as NumPy's, have these methods too; in a file that imports none
 * of these libraries, they are the framework's. */
static void test_names__that_other_arrays_have(void **state)
{
    (void)state;
    check("import torch\ndef f(x): x.sum()\n", "0:2:13 f " SUM "by name\n");
    check("import torch, numpy as np\ndef f(x): x.sum()\n", "");
    check("import torch\nfrom scipy.stats import norm\ndef f(x): x.sum()\n", "");
    check("import torch\nclass A:\n  def sum(self): pass\ndef f(x): x.sum()\n",
          "0:4:13 f " SUM "one of\n");
    check("def f(x): x.sum()\n", "");
}

/* A file that imports a file that imports the framework uses the framework's arrays. */
static void test_names__in_files_that_import_by_way_of_others(void **state)
{
    (void)state;
    const struct source sources[] = {{"p/a.py", "import torch\n"},
                                     {"p/__init__.py", "from .a import b\n"},
                                     {"tests/c.py", "from p import b\nb().sum()\n"},
                                     {"tests/d.py", "import os\nb().sum()\n"},
                                     {"tests/e.py", "import p.a\nimport numpy\nb().sum()\n"},
                                     {"tests/g.py", "from p import a\nb().sum()\n"}};
    assert_places(sources, sizeof sources / sizeof *sources, true,
                  "2:2:5 " SUM "by name\n5:2:5 " SUM "by name\n");
}

/* A variable that is None at first has a different value when a method of it is called. */
static void test_names__of_what_is_none_at_first(void **state)
{
    (void)state;
    check("import torch\nclass A:\n  x = None\n  def f(self): self.x.sum()\n",
          "0:4:23 A.f " SUM "by name\n");
}

/* A method that few classes have belongs to one of them, unless the project has the name as well.
 */
static void test_names__that_few_classes_have(void **state)
{
    (void)state;
    check("import torch\ndef f(x): x.define(); x.seal()\n",
          "0:2:13 f torch.Rule.define call one of\n");
    check("import torch\ndef f(x): x.bind().define()\n",
          "0:2:13 f torch.Loader.bind call one of\n0:2:13 f torch.Rule.bind call one of\n"
          "0:2:20 f torch.Rule.define call one of\n");
    check("import torch\ndef f(x): g(x.define); x.step()\n", "");
    check("import torch\ndef f(x): y = x.prepare(); y.trace()\n",
          "0:2:17 f torch.Rule.prepare call one of\n");
    check("import torch\nclass A:\n  def define(self): pass\ndef f(x): x.define()\n", "");
    check("import torch, other\nother.make(1).define(); other.define()\n", "");
    check("def f(x): x.define()\n", "");
    check("import torch\ndef f(x): x.shape.numel()\n", "0:2:19 f torch.Size.numel call by name\n");
}

/* In a file that uses classes of a second package, the object may be of one of these classes. */
static void test_names__that_other_packages_may_have(void **state)
{
    (void)state;
    static const char view[] = "\ndef f(x): return x.view(1)\n";
    static const struct {
        const char *imports, *how;
    } cases[] = {
        {"import torch\nfrom other.operators import Lazy, make", "one of"},
        {"import torch\nfrom other import make\nimport other.Lazy", "by name"},
        {"import torch\nfrom typing import Any\nfrom abc import ABC", "by name"},
        {"import torch\nfrom enum import Enum\nfrom PIL import Image", "by name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned line = 2;
        for (const char *at = cases[i].imports; *at; at++)
            line += *at == '\n';
        char *text = pm_format("%s%s", cases[i].imports, view);
        char *found = pm_format("0:%u:20 f torch.Tensor.view call %s\n"
                                "0:%u:20 f torch.Sharded.view call %s\n",
                                line, cases[i].how, line, cases[i].how);
        check(text, found);
        free(found);
        free(text);
    }
}

/* Methods inherited from a private class of the framework also count as methods of few classes. */
static void test_names__that_private_classes_give(void **state)
{
    (void)state;
    check("from torch._inner import cases\nclass A(cases.Case):\n  def f(self): self.define()\n",
          "0:3:21 A.f torch.Rule.define call one of\n");
    check("import torch\nclass A(torch._inner.Case): pass\nclass B(A): pass\nB().define()\n",
          "0:4:5 torch.Rule.define call one of\n");
    check("from torch._inner import Case\nclass A(Case):\n"
          "  def f(self): self.prepare().trace(); self.step()\n",
          "0:3:21 A.f torch.Rule.prepare call one of\n");
    check("from torch._inner import Case\nclass A(Case):\n  def define(self): super().define()\n",
          "0:3:29 A.define torch.Rule.define call one of\n");
    check("import torch\nfrom other import Case\nclass A(Case): pass\nA().define()\n", "");
}

static void test_values__of_fields(void **state)
{
    (void)state;
    check("import torch\nx = torch.max(a, 1)\nx.values.sum(); x.values().sum()\n",
          "0:2:5 torch.max call import\n0:3:10 " SUM "inferred\n"
          "0:3:19 torch.Tensor.values call inferred\n0:3:28 " SUM "inferred\n");
}

static void test_values__of_flagged_functions(void **state)
{
    (void)state;
    assert_inferred("import torch\ntorch.unique(a, dim=0).sum()\n", "0:2:24 " SUM "inferred\n");
    assert_inferred("import torch\ntorch.unique(a, return_counts=True).sum()\n",
                    "0:2:37 " SUM "one of\n");
    assert_inferred("import torch\nb, c = torch.unique(a, return_counts=True)\nb.sum()\n",
                    "0:3:3 " SUM "inferred\n");
    assert_inferred("import torch\nx = torch.zeros(1).unique()\nx.sum()\n",
                    "0:2:20 torch.Tensor.unique call inferred\n0:3:3 " SUM "inferred\n");
    assert_inferred("import torch\nx = torch.unique(a, True, b, True)\nx.sum()\n",
                    "0:3:3 " SUM "one of\n");
}

static void test_values__of_shapes(void **state)
{
    (void)state;
    static const char numel[] = "torch.Size.numel call ";
    char *inferred = pm_format("0:3:9 %sinferred\n0:3:33 %sinferred\n", numel, numel);
    char *named = pm_format("0:2:25 f %sby name\n0:2:58 f %sby name\n", numel, numel);
    assert_inferred(
        "import torch\nx = torch.zeros(1).shape\n(x + y).numel(); (x[1:] + (2,)).numel()\n",
        inferred);
    check("import torch\ndef f(x): x.batch_shape.numel(); (x.shape[1:] + y.shape).numel(); "
          "x.shape.count(1)\n",
          named);
    free(inferred);
    free(named);
}

/* Python searches bases from the left, so a mixin after the framework's class is searched last. */
static void test_classes__of_a_framework_before_a_mixin(void **state)
{
    (void)state;
    static const char mixin[] = "import torch\nclass M:\n  def sample(self): return 1\n";
    static const char method[] = "  def f(self): self.sample(); super().sample()\n";
    static const char found[] = "torch.Normal.sample call inferred\n";
    char *behind = pm_format("%sclass A(torch.Normal, M):\n%s", mixin, method);
    char *before = pm_format("%sclass A(M, torch.Normal):\n%s", mixin, method);
    char *below = pm_format("%sclass A(torch.Normal, M): pass\nclass B(A):\n%s", mixin, method);
    char *both = pm_format("0:5:21 A.f %s0:5:39 A.f %s", found, found);
    char *lower = pm_format("0:6:21 B.f %s0:6:39 B.f %s", found, found);
    assert_inferred(behind, both);
    assert_inferred(before, "");
    assert_inferred(below, lower);
    free(behind);
    free(before);
    free(below);
    free(both);
    free(lower);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names__that_other_arrays_have),
        cmocka_unit_test(test_names__in_files_that_import_by_way_of_others),
        cmocka_unit_test(test_names__of_what_is_none_at_first),
        cmocka_unit_test(test_names__that_few_classes_have),
        cmocka_unit_test(test_names__that_other_packages_may_have),
        cmocka_unit_test(test_names__that_private_classes_give),
        cmocka_unit_test(test_values__of_fields),
        cmocka_unit_test(test_values__of_flagged_functions),
        cmocka_unit_test(test_values__of_shapes),
        cmocka_unit_test(test_classes__of_a_framework_before_a_mixin),
    };
    return cmocka_run_group_tests_name("unknown values", tests, NULL, NULL);
}
