/* Tests of uses that follow from types, in the files of small projects written here. */
#include "projects.h"

#include <inttypes.h>
#include <stdio.h>

#define VIEW "torch.Tensor.view call inferred\n"
#define EVAL "torch.nn.Module.eval call inferred\n"

static void take_chain(void *ctx, const struct pm_types_place *place)
{
    if (place->how == PM_RESOLVE_HOW_INFERRED)
        pm_str_add(ctx, place->chain);
}

/* Asserts the chain of steps from which the only inferred use of a file follows. */
static void assert_chain(const char *text, const char *expected)
{
    struct pm_resolve_names *names = table();
    struct pm_resolve_index index;
    struct pm_str chain = PM_STR_INIT;
    pm_resolve_index_init(&index, names);
    (void)read_project(&index, &(struct source){"a.py", text}, 1, take_chain, &chain);
    assert_string_equal(chain.data, expected);
    pm_str_release(&chain);
    pm_resolve_index_release(&index);
    pm_resolve_names_free(names);
}

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
    assert_inferred("import torch\nx = torch.zeros(1) if a else b\nx.view(1)\n", "0:3:3 " VIEW);
    assert_inferred(
        "import torch\nx = torch.zeros(1) if a else torch.zeros(1).item()\nx.view(1)\n",
        "0:2:45 torch.Tensor.item call inferred\n0:3:3 torch.Tensor.view call one of\n");
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
                    "0:5:6 " VIEW);
    assert_inferred("import torch\ndef f(a) -> torch.Tensor:\n  return g(a)\nf(1).view(2)\n",
                    "0:4:6 " VIEW);
    assert_inferred("import torch\ndef f(a): return f(a)\nf(1).view(2)\n", "");
}

static void test_values__of_what_calls_pass(void **state)
{
    (void)state;
    assert_inferred("import torch\ndef f(a, b=None, *c): b.view(a.view(c))\n"
                    "f(1, b=torch.zeros(1)); f(torch.zeros(1))\n",
                    "0:2:25 f " VIEW "0:2:32 f " VIEW);
    assert_inferred("import torch\nclass A:\n  def __init__(self, x):\n    self.x = x\n"
                    "  def go(self): return self.x.view(1)\nA(torch.zeros(1)).go().view(2)\n",
                    "0:5:31 A.go " VIEW "0:6:24 " VIEW);
    assert_inferred("import torch\ndef f(g): g(1).view(2)\nf(torch.relu)\n",
                    "0:2:11 f torch.relu call inferred\n0:2:16 f " VIEW);
    assert_inferred("import torch\nx, y = map(lambda a: a.view(1), (torch.zeros(1), 2))\n"
                    "y.view(2)\n",
                    "0:2:24 " VIEW "0:3:3 " VIEW);
    assert_inferred("import torch\ndef f(x): return f(x)\nf(torch.zeros(1)).view(1)\n", "");
    assert_inferred("import torch\ndef f(x, n): return f(x.view(1), n) if n else x\n"
                    "f(torch.zeros(1), 2).view(3)\n",
                    "0:2:25 f " VIEW "0:3:22 " VIEW);
}

static void test_values__of_containers(void **state)
{
    (void)state;
    assert_inferred("import torch\na, (b, *c) = torch.zeros(1), (1, torch.zeros(2))\n"
                    "a.view(1); b.view(2); c[0].view(3)\n",
                    "0:3:3 " VIEW "0:3:28 " VIEW);
    assert_inferred("import torch\nx = []\nx.append(torch.zeros(1))\nx[-1].view(1)\n"
                    "for i, y in enumerate(x): y.view(2)\n[z.view(3) for z in x if z.view(4)]\n",
                    "0:4:7 " VIEW "0:5:29 " VIEW "0:6:4 " VIEW "0:6:28 " VIEW);
    assert_inferred("import torch\nd = {'a': torch.zeros(1), 'b': 2}\nd['a'].view(1)\n"
                    "d['b'].view(2)\nfor k, v in d.items(): v.view(3); k.view(4)\n",
                    "0:3:8 " VIEW "0:5:26 " VIEW);
    assert_inferred("import torch\nfor a, b in zip([torch.zeros(1)], [1]): a.view(b.view(1))\n",
                    "0:2:43 " VIEW);
    assert_inferred("import torch\ndef f(): return 1, torch.zeros(1)\nf()[1].view(1)\n"
                    "def g():\n  yield torch.zeros(1)\nfor x in g(): x.view(2)\n",
                    "0:3:8 " VIEW "0:6:17 " VIEW);
    assert_inferred("import torch\nfrom functools import partial\nf = partial(torch.relu, 1)\n"
                    "f(2).view(3)\n",
                    "0:4:1 torch.relu call inferred\n0:4:6 " VIEW);
    assert_inferred("import torch\nfor x, y in torch.Loader(): y.view(1)\n", "0:2:31 " VIEW);
    assert_inferred("import torch\nif (x := torch.zeros(1)) is y: x.view(1)\n", "0:2:34 " VIEW);
    assert_inferred("import torch\nwith (a as x, torch.zeros(1) as y): y.view(1)\n",
                    "0:2:39 " VIEW);
}

/* Asserts whether `expression` is an array: its view() on the last line is then a use. The
 * expression may use an array x, a list s, a dict d, an iterable object o, an object g with items,
 * and a module m; the classes of o, g and m are in the file. */
static void check_expression(const char *expression, bool is_array)
{
    static const char before[] =
        "import torch, copy, functools, itertools, collections, einops\n"
        "class O:\n"
        "  def __iter__(self): return [torch.zeros(1)]\n"
        "class G:\n"
        "  def __getitem__(self, i): return torch.zeros(1)\n"
        "class M(torch.nn.Linear): pass\n"
        "x = torch.zeros(1); s = [x, x]; d = {'a': x}; o = O(); g = G(); m = M()\n"
        "for y in g: pass\n"
        "a, b = o\n";
    char *text = pm_format("%s(%s).view(1)\n", before, expression);
    char *expected = pm_format("0:10:%zu " VIEW, strlen(expression) + 4);
    assert_inferred(text, is_array ? expected : "");
    free(expected);
    free(text);
}

static void test_values__of_functions_that_give_what_they_are_given(void **state)
{
    (void)state;
    static const char *const arrays[] = {
        "list(s)[0]",
        "tuple(s)[1]",
        "list(itertools.chain(s))[0]",
        "dict(d)['a']",
        "dict(k=x)['k']",
        "next(iter(s))",
        "max(s)",
        "min(x)",
        "sum(s)",
        "abs(x)",
        "copy.copy(x)",
        "functools.reduce(f, s)",
        "sorted(s)[0]",
        "list(filter(f, s))[0]",
        "collections.deque(s)[0]",
        "list(d.values())[0]",
        "d.get('a')",
        "d.pop('a')",
        "d.copy()['a']",
        "collections.OrderedDict(a=x)['a']",
        "einops.rearrange(x, 'a')",
        "einops.reduce(x, 'a', f)",
        "einops.rearrange(s, 'a')",
        "einops.pack(s, 'a')[0]",
        "getattr(x, 'T')",
        "[*s][0]",
        "[x, *s][0]",
        "y",
        "b",
        "g[0]",
        "next(o)",
        "m(1)",
        "[x, x, x, x, x, x, x, x, x, x, x, x][3]",
    };
    static const char *const others[] = {
        "len(s)",           "next(iter(d))", "d.keys()", "getattr(x)",
        "getattr(x, name)", "next(4)",       "dict()",
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        check_expression(arrays[i], true);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        check_expression(others[i], false);
}

static void test_values__of_classes_of_objects(void **state)
{
    (void)state;
    assert_inferred("import torch\no = torch.optim.SGD()\ntype(o)().step()\n",
                    "0:3:8 torch.optim.SGD call inferred\n"
                    "0:3:11 torch.optim.SGD.step call inferred\n");
    assert_inferred("import torch\nclass C:\n  def f(self): return torch.zeros(1)\n"
                    "c = C()\ntype(c)().f().view(1)\n",
                    "0:5:15 " VIEW);
    assert_inferred("import torch\ntype(1)().view(1)\n", "");
}

static void test_values__of_modules_that_may_be_empty(void **state)
{
    (void)state;
    assert_inferred("from torch.nn import Linear, ModuleList\n"
                    "m = ModuleList([]) if a else ModuleList([Linear(1)])\n"
                    "for layer in m: layer(1)\n",
                    "0:3:17 torch.nn.Linear instance call inferred\n");
}

static void test_values__of_modules_in_modules(void **state)
{
    (void)state;
    assert_inferred("import torch\nfrom torch.nn import Linear, Module, ModuleList\n"
                    "class Net(Module):\n"
                    "  def __init__(self):\n"
                    "    super().__init__()\n"
                    "    self.a = ModuleList([])\n"
                    "    for _ in range(2): self.a.append(ModuleList([Linear(1, 2), Own()]))\n"
                    "    self.register_buffer('b', torch.zeros(1))\n"
                    "  def forward(self, x):\n"
                    "    for first, second in self.a: second(first(x))\n"
                    "    self.a[0][0](x).view(self.b.view(1))\n"
                    "    super().eval()\n"
                    "class Own(Module):\n  def forward(self, x): return x\n",
                    "0:7:31 Net.__init__ torch.nn.ModuleList.append call inferred\n"
                    "0:10:41 Net.forward torch.nn.Linear instance call inferred\n"
                    "0:11:17 Net.forward torch.nn.Linear instance call inferred\n"
                    "0:11:21 Net.forward " VIEW "0:11:33 Net.forward " VIEW
                    "0:12:13 Net.forward torch.nn.Module.eval call inferred\n");
    assert_inferred(
        "from torch.nn import Linear, ModuleList\nm = Linear(1) if a else ModuleList()\n"
        "m(1)\nm.eval()\n",
        "0:3:1 torch.nn.Linear instance call one of\n"
        "0:3:1 torch.nn.ModuleList instance call one of\n"
        "0:4:3 torch.nn.Module.eval call inferred\n");
    assert_inferred("from torch.nn import Module\ndef f(m: Module): m.eval()(1); m(2)\n",
                    "0:2:21 f torch.nn.Module.eval call inferred\n");
    /* Objects that are called are of classes that inherit from Module, so Module itself has no
     * use here. */
    assert_inferred("from torch.nn import Linear, Module\nModule()(1)\n"
                    "def f(m): m(1)\nf(Module())\n",
                    "");
    assert_inferred("from torch.nn import Linear, Module\nm = Linear(1) if a else Module()\nm(1)\n",
                    "0:3:1 torch.nn.Linear instance call one of\n");
    /* An attribute of one of several modules is not that module. */
    assert_inferred(
        "from torch.nn import Linear, ModuleList\nm = Linear(1) if a else ModuleList()\n"
        "m.output(1)\nm.output.view(1)\nm.output.eval()\nm(1)\n",
        "0:6:1 torch.nn.Linear instance call one of\n"
        "0:6:1 torch.nn.ModuleList instance call one of\n");
}

static void test_values__of_annotations(void **state)
{
    static const char *const types[] = {
        "Optional[torch.Tensor]", "'torch.Tensor'",  "\"Optional[torch.Tensor]\"",
        "Optional['T']",          "Union[T, None]",  "T | None",
        "Annotated[T, 1]",        "Float[T, 'b n']",
    };
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char *text = pm_format("import torch\nfrom torch import Tensor as T\n"
                               "def f(x: %s = 1):\n  x.view(1)\n",
                               types[i]);
        assert_inferred(text, "0:4:5 f " VIEW);
        free(text);
    }
    assert_inferred("from torch import Tensor\ndef f(x: Tuple[int, Tensor], y: List[Tensor]):\n"
                    "  a, b = x\n  b.view(1); y[0].view(2); a.view(3)\n",
                    "0:4:5 f " VIEW "0:4:19 f " VIEW);
    assert_inferred("from torch import Tensor\ndef f(x: int, y: Callable[[Tensor], Tensor]):\n"
                    "  x.view(1); y.view(2)\n",
                    "");
}

static void test_values__of_functions_of_autograd(void **state)
{
    (void)state;
    assert_inferred("from torch.autograd import Function\nclass F(Function):\n  @staticmethod\n"
                    "  def forward(ctx: Any, x): ctx.keep(x.view(1))\n"
                    "  @classmethod\n  def backward(cls, ctx, x): ctx.keep(x.view(1))\n",
                    "0:4:33 F.forward torch.autograd.Function.keep call inferred\n"
                    "0:4:40 F.forward " VIEW
                    "0:6:34 F.backward torch.autograd.Function.keep call inferred\n"
                    "0:6:41 F.backward " VIEW);
    assert_inferred("from torch.autograd import Function\nclass F(Function):\n  @staticmethod\n"
                    "  def backward(ctx, g):\n"
                    "    x = ctx.saved_tensors[0]\n    y, *rest = ctx.saved_tensors\n"
                    "    x.view(1)\n    y.view(1)\n    rest[0].view(1)\n"
                    "    ctx.saved_tensors[1].view(1)\n    ctx.saved.view(1)\n",
                    "0:7:7 F.backward " VIEW "0:8:7 F.backward " VIEW "0:9:13 F.backward " VIEW
                    "0:10:26 F.backward " VIEW);
}

static void test_values__by_name(void **state)
{
    (void)state;
    assert_places(&(struct source){"a.py", "import torch\ndef f(x): x.view(1).view(2); x.item()\n"},
                  1, true,
                  "0:2:13 f torch.Tensor.view call by name\n"
                  "0:2:13 f torch.Sharded.view call by name\n"
                  "0:2:21 f torch.Tensor.view call by name\n"
                  "0:2:21 f torch.Sharded.view call by name\n"
                  "0:2:32 f torch.Tensor.item call by name\n");
    assert_places(&(struct source){"a.py", "import torch\ndef f(x): torch.lost.view(x)\n"}, 1, true,
                  "");
    assert_places(
        &(struct source){"a.py", "import torch\ndef f(x): torch.a.b.view(1); torch.c(x).view(1)\n"},
        1, true,
        "0:2:41 f torch.Tensor.view call by name\n0:2:41 f torch.Sharded.view call by name\n");
    assert_places(&(struct source){"a.py", "import torch\ntorch.torch.zeros(1).view(2)\n"}, 1, true,
                  "0:2:1 torch.zeros call import\n0:2:22 torch.Tensor.view call inferred\n");
    assert_places(&(struct source){"a.py", "import torch\ndef f(x): x.shape.view(1); f(x.item)\n"},
                  1, true, "");
    assert_places(&(struct source){"a.py", "def f(x): x.view(1)\n"}, 1, true, "");
    assert_places(&(struct source){"a.py", "import torch, numpy\nnumpy.zeros(1).view(2)\n"
                                           "class A:\n  def view(self): pass\nx.view(1)\n"},
                  1, true,
                  "0:2:16 torch.Tensor.view call one of\n0:2:16 torch.Sharded.view call one of\n"
                  "0:5:3 torch.Tensor.view call one of\n0:5:3 torch.Sharded.view call one of\n");
    assert_places(&(struct source){"a.py", "import torch\nclass A:\n"
                                           "  def __init__(self, v): self.view = v\nx.view(1)\n"},
                  1, true,
                  "0:4:3 torch.Tensor.view call one of\n0:4:3 torch.Sharded.view call one of\n");
}

/* A class that passes on all names may have any method. */
static void test_values__by_name_that_a_class_passes_on(void **state)
{
    static const struct {
        const char *methods, *how;
    } cases[] = {
        {"def __getattr__(self, n): pass\n  def __torch_function__(self, f): pass", "one of"},
        {"def __torch_function__(self, f): pass", "by name"},
        {"def __getattr__(self, n): pass", "by name"},
        {"def __getattr__(self, n): pass\nclass B:\n  def __torch_function__(self, f): pass",
         "by name"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = pm_format("import torch\ndef f(x):\n  x.item()\n  y = g(x)\n  y.item()\n"
                               "  (not x).item()\ndef g(x): return x\nclass A:\n  %s\n",
                               cases[i].methods);
        char *expected = pm_format("0:3:5 f torch.Tensor.item call %s\n"
                                   "0:5:5 f torch.Tensor.item call %s\n"
                                   "0:6:11 f torch.Tensor.item call %s\n",
                                   cases[i].how, cases[i].how, cases[i].how);
        assert_places(&(struct source){"a.py", text}, 1, true, expected);
        free(text);
        free(expected);
    }
    assert_inferred("import torch\ndef f(x: torch.Tensor): x.view(1)\nclass A:\n"
                    "  def __getattr__(self, n): pass\n  def __torch_function__(self, f): pass\n",
                    "0:2:27 f " VIEW);
}

/* A name that is set on objects of any class may not be the framework's. */
static void test_values__of_names_set_from_outside(void **state)
{
    (void)state;
    static const char eval[] = "import torch\nclass N(torch.nn.Module): pass\nN().eval()\n";
    static const char *const given[] = {"m.eval = g\n", "setattr(m, 'eval', g)\n",
                                        "setattr(N, 'eval', g)\n"};
    assert_inferred(eval, "0:3:5 torch.nn.Module.eval call inferred\n");
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        char *text = pm_format("%s%s", eval, given[i]);
        assert_inferred(text, "0:3:5 torch.nn.Module.eval call one of\n");
        free(text);
    }
    assert_inferred("import torch\nclass N(torch.nn.Module): pass\ndef g(self): pass\n"
                    "setattr(N, 'eval', g)\nN().eval()\n",
                    "");
    assert_inferred("import torch\nm.view = g\ntorch.zeros(1).view(2); y.view(3)\n",
                    "0:3:16 " VIEW "0:3:27 torch.Tensor.view call one of\n"
                    "0:3:27 torch.Sharded.view call one of\n");
}

/* A name that is also bound without an import may have several meanings, or only the new one. */
static void test_values__of_names_bound_again(void **state)
{
    (void)state;
    assert_places(&(struct source){"a.py", "from torch import relu\ndef f(relu): relu(1)\n"}, 1,
                  true, "0:2:14 f torch.relu call one of\n");
    assert_places(&(struct source){"a.py", "from torch import relu, zeros\n"
                                           "def f(relu): relu(1)\nf(zeros)\nrelu(2)\n"},
                  1, true,
                  "0:2:14 f torch.zeros call inferred\n0:3:3 torch.zeros reference import\n"
                  "0:4:1 torch.relu call import\n");
    assert_places(&(struct source){"a.py", "import torch\ndef f(a=None):\n"
                                           "  if a is None:\n    a = torch.relu\n  a(1)\n"},
                  1, true,
                  "0:3:6 f torch.relu reference one of\n"
                  "0:4:9 f torch.relu reference import\n0:5:3 f torch.relu call one of\n");
}

static void test_values__of_parameters_of_tests(void **state)
{
    (void)state;
    assert_inferred("import pytest, torch\nZ = torch.zeros(1)\n"
                    "@pytest.mark.parametrize('a, b', [(1, Z), (2, Z)])\n"
                    "@pytest.mark.parametrize('c', [Z])\n"
                    "def test(a, b, c):\n  a.view(1); b.view(2); c.view(3)\n",
                    "0:6:16 test " VIEW "0:6:27 test " VIEW);
    assert_inferred("import pytest, torch\nZ = torch.zeros(1)\n"
                    "@pytest.mark.parametrize('a, b', [pytest.param(2, Z, id='two')])\n"
                    "@pytest.mark.parametrize('c', [pytest.param(Z, id='one')])\n"
                    "def test(a, b, c):\n  a.view(1); b.view(2); c.view(3)\n",
                    "0:6:16 test " VIEW "0:6:27 test " VIEW);
    assert_inferred("import torch\nfrom absl.testing import parameterized\nZ = torch.zeros(1)\n"
                    "class T:\n  @parameterized.parameters((1, Z), (2, Z))\n"
                    "  def test(self, a, b): b.view(1)\n"
                    "  @parameterized.parameters(Z, Z)\n  def more(self, a): a.view(2)\n"
                    "  @parameterized.named_parameters(('one', Z), ('two', Z))\n"
                    "  def most(self, a): a.view(3)\n",
                    "0:6:27 T.test " VIEW "0:8:24 T.more " VIEW "0:10:24 T.most " VIEW);
}

static void test_values__of_modules_with_names(void **state)
{
    (void)state;
    assert_inferred("import torch\ndef f(m: torch.nn.Module):\n"
                    "  for n, p in m.named_parameters(): p.view(1); n.split('.')\n"
                    "  for n, p in m.state_dict().items(): p.view(2); n.split('.')\n"
                    "  for n in m.state_dict(): n.split('.')\n",
                    "0:3:17 f torch.nn.Module.named_parameters call inferred\n0:3:39 f " VIEW
                    "0:4:17 f torch.nn.Module.state_dict call inferred\n0:4:41 f " VIEW
                    "0:5:14 f torch.nn.Module.state_dict call inferred\n");
}

/* A module that a module gives may be of any class, and so may the result of calling it; only the
 * name of a method that arrays have shows something about the result. */
static void test_values__of_modules_of_modules(void **state)
{
    (void)state;
    assert_inferred("import torch\ndef f(m: torch.nn.Module):\n  for n in m.children(): n.eval()\n"
                    "  for k, n in m.named_modules(): n.eval(); k.eval()\n"
                    "  dict(m.named_modules())['a'].eval()\n",
                    "0:3:14 f torch.nn.Module.children call inferred\n"
                    "0:3:28 f " EVAL "0:4:17 f torch.nn.Module.named_modules call inferred\n"
                    "0:4:36 f " EVAL "0:5:10 f torch.nn.Module.named_modules call inferred\n"
                    "0:5:32 f " EVAL);
    assert_places(&(struct source){"a.py", "import torch\nimport numpy\n"
                                           "def f(m: torch.nn.Module): m(1).sum()\n"
                                           "class N(torch.nn.Module):\n"
                                           "  def g(self): self(1).sum(); self(1).other()\n"},
                  1, true,
                  "0:3:10 f torch.nn.Module reference import\n"
                  "0:3:33 f torch.Tensor.sum call by name\n"
                  "0:4:9 torch.nn.Module reference import\n"
                  "0:5:24 N.g torch.Tensor.sum call by name\n");
}

/* An assignment to an item adds a value to a container, and to nothing else. */
static void test_values__of_items_that_are_set(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"d = {}\nd['a'] = x\nd['a'].view(1)\nfor k in d: k.view(2)\n", "0:5:8 " VIEW},
        {"d = {}\nd[a] = x\nd['b'].view(1)\nfor k in d: k.view(2)\n", "0:5:8 " VIEW},
        {"d = dict()\nd[a] = x\nfor k, v in d.items(): v.view(1); k.view(2)\n", "0:5:26 " VIEW},
        {"d = {'a': 1, 'b': x}\nd['c'] = y\nd['a'].item()\nd['b'].view(1)\n", "0:6:8 " VIEW},
        {"d = [None] * 3\nd[i] = x\nd[0].view(1)\nfor k in d: k.view(2)\n",
         "0:5:6 " VIEW "0:6:15 " VIEW},
        {"d = torch.zeros(2)\nd[0] = torch.nn.Linear\nd.view(1)\nd[0].view(2)\n",
         "0:5:3 " VIEW "0:6:6 " VIEW},
        {"d = unknown()\nd[0] = x\nd.other()\nd[0].a.view(1)\n", ""},
        {"class A:\n  def __init__(self):\n    self.d = {}\n    self.n = None\n"
         "  def f(self, k): self.d[k] = x; self.n[k] = x; self.e[k] = x\n"
         "  def g(self): self.d['a'].view(1)\n",
         "0:8:28 A.g " VIEW},
        {"class M(torch.nn.Module):\n  def __init__(self):\n    self.add_module(k, x)\n"
         "    self[k] = x\n    self.y = x\n  def f(self): self.y.view(1)\n",
         "0:8:23 M.f " VIEW},
        {"d = {}\nd['a'][0] = x\nd[1:2] = x\nd['b'].a.view(1)\n", ""},
        {"from collections import defaultdict\nd = defaultdict(list)\nd[1] = x\nd[1].view(1)\n",
         "0:6:6 " VIEW},
        {"d = []\nd.append(x)\nd[0].view(1)\n", "0:5:6 " VIEW},
        {"d = []\nd.insert(0, x)\nd[0].view(1)\n", "0:5:6 " VIEW},
        {"d = {}\nd.setdefault(k, x)\nd['a'].view(1)\n", "0:5:8 " VIEW},
        {"d = {}\nd.update({'a': x})\nd['a'].view(1)\n", "0:5:8 " VIEW},
        {"d = x\nd.update({'a': 1})\nd.view(1)\n", "0:5:3 " VIEW},
        {"class M:\n  def __init__(self):\n    self.d = torch.nn.ModuleList()\n"
         "    self.d.add_module(k, torch.nn.Linear())\n    self.d[k](1)\n",
         "0:7:14 M.__init__ torch.nn.Linear instance call inferred\n"},
        {"d = x if a else []\nd.view(1)\n", "0:4:3 " VIEW},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = pm_format("import torch\nx = torch.zeros(1)\n%s", cases[i].text);
        assert_inferred(text, cases[i].expected);
        free(text);
    }
}

static void test_values__of_tuples_of_arrays(void **state)
{
    (void)state;
    assert_inferred("import torch\nt = torch.zeros(1).split(1)\nt.values.view(1)\nt.view(2)\n",
                    "0:2:20 torch.Tensor.split call inferred\n0:3:10 " VIEW
                    "0:4:3 torch.Tensor.view call one of\n");
}

static void test_values__of_arrays_that_are_called(void **state)
{
    (void)state;
    assert_inferred("import torch\nclass N(torch.nn.Module):\n"
                    "  def forward(self, g): g(1)\n",
                    "");
}

static void test_values__of_casts(void **state)
{
    (void)state;
    assert_inferred("import torch\nfrom typing import cast\n"
                    "cast(torch.Tensor, f(1)).view(1)\ncast('torch.Tensor', f(2)).item()\n",
                    "0:3:26 " VIEW);
}

static void test_values__say_where_they_are_from(void **state)
{
    (void)state;
    assert_chain("import torch\ndef f(x: torch.Tensor): x.view(1)\n",
                 "x: parameter of f, by its annotation");
    assert_chain("import torch\nclass N(torch.nn.Module):\n  def forward(self, x): x.view(1)\n",
                 "x: parameter of N.forward of a module");
    assert_chain("import torch\ntorch.zeros(1)[0].view(1)\n", "item of result of torch.zeros");
    assert_chain("import torch\ndef f(x): x.T.view(1)\nf(torch.zeros(1))\n",
                 ".T of x: parameter of f, by the arguments of calls");
    assert_chain("import torch\nclass N(torch.nn.Module):\n  def go(self): self.eval()\n", "N");
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
                         "0:14:29 Net.forward " VIEW "0:17:5 torch.nn.Module.eval call inferred\n"
                         "0:17:15 " VIEW "0:18:8 " VIEW);
    assert_inferred("import torch\nm = torch.nn.Linear(1, 2)\nm.eval()(3).view(1)\n",
                    "0:3:3 torch.nn.Module.eval call inferred\n"
                    "0:3:9 torch.nn.Linear instance call inferred\n0:3:13 " VIEW);
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
                   "l.make().view(3)\nfrom nowhere import make\nmake().view(4)\n"
                   "pkg.sub.deep.make().view(5)\n"},
        {"pkg/sub/__init__.py", "from .deep import make\n"},
        {"pkg/sub/deep.py", "from ..layers import make\n"},
    };
    assert_places(sources, 6, false,
                  "2:4:37 Net.forward torch.nn.Linear instance call inferred\n"
                  "2:5:20 " VIEW "3:3:18 " VIEW "3:4:10 " VIEW "3:7:21 " VIEW);
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

static void test_values__of_functions_that_are_wrapped(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"@torch.compiled\ndef f(x): return torch.zeros(1)\nf(1).view(1)\nf.trace()\n",
         "0:4:1 torch.Compiled instance call inferred\n"
         "0:4:6 " VIEW "0:5:3 torch.Compiled.trace call inferred\n"},
        {"@other\n@torch.compiled()\ndef f(x): return torch.zeros(1)\nf(1).view(1)\n",
         "0:5:1 torch.Compiled instance call inferred\n0:5:6 " VIEW},
        {"def f(x): return torch.zeros(1)\ng = torch.compiled(f)\ng(1).view(1)\n",
         "0:4:1 torch.Compiled instance call inferred\n0:4:6 " VIEW},
        {"def f(x): return torch.zeros(1)\nif f:\n  f = torch.compiled(f)\nf(1).view(1)\n",
         "0:5:1 torch.Compiled instance call one of\n0:5:6 " VIEW},
        /* an object that is only used as a decorator may return the function itself */
        {"@torch.Rule\ndef f(x): return torch.zeros(1)\nf.define(f)\nf(1).view(1)\n",
         "0:4:3 torch.Rule.define call inferred\n0:5:6 " VIEW},
        {"@torch.Rule()\ndef f(x): return torch.zeros(1)\nf.define(f)\nf(1).view(1)\n",
         "0:5:6 " VIEW},
        /* a function about which nothing is known returns its argument */
        {"@torch.fast\ndef f(x): return torch.zeros(1)\nf(1).view(1)\n", "0:4:6 " VIEW},
        {"g = torch.fast(lambda x: torch.zeros(1))\ng(1).view(1)\n", "0:3:6 " VIEW},
        {"net = torch.fast(torch.nn.Linear(1, 2))\nnet(1).view(1)\n",
         "0:3:1 torch.nn.Linear instance call inferred\n0:3:8 " VIEW},
        {"class A:\n  @torch.compiled\n  def f(self, x): return x\n"
         "A().f(torch.zeros(1)).view(1)\n",
         "0:5:5 torch.Compiled instance call inferred\n0:5:23 " VIEW},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = pm_format("import torch\n%s", cases[i].text);
        assert_inferred(text, cases[i].expected);
        free(text);
    }
}

/* torch.jit returns an object that is called in place of the function or module. */
static void test_values__that_are_compiled(void **state)
{
    (void)state;
    assert_inferred("import torch\n@torch.jit.script\ndef f(x): return torch.relu(x)\n"
                    "f(1).view(2)\n",
                    "0:4:1 torch.jit.ScriptFunction instance call inferred\n0:4:6 " VIEW);
    assert_inferred("import torch\ndef f(x): return torch.relu(x)\ng = torch.jit.script(f)\n"
                    "g(1).view(2)\nf(1)\n",
                    "0:4:1 torch.jit.ScriptFunction instance call inferred\n0:4:6 " VIEW);
    assert_inferred("import torch\nclass A(torch.nn.Module):\n"
                    "  def forward(self, x): return torch.relu(x)\n  def go(self): pass\n"
                    "a = torch.jit.script(A())\na(1).view(2)\na.go()\nA()(1)\n",
                    "0:6:1 torch.jit.ScriptModule instance call inferred\n0:6:6 " VIEW);
    assert_inferred("import torch\na = torch.jit.script(torch.nn.Linear(1, 2))\na(1)\n",
                    "0:3:1 torch.jit.ScriptModule instance call inferred\n");
    assert_inferred("import torch\na = torch.jit.load(p)\na(1)\ntorch.trace(p).view(1)\n",
                    "0:3:1 torch.jit.ScriptModule instance call inferred\n0:4:16 " VIEW);
    /* an unknown argument may be a function or a module */
    assert_inferred("import torch\na = torch.jit.script(b)\na(1)\n",
                    "0:3:1 torch.jit.ScriptFunction instance call one of\n"
                    "0:3:1 torch.jit.ScriptModule instance call one of\n");
}

#define PLACE(text, imports, expected)                                                             \
    assert_places(&(struct source){"a.py", text}, 1, imports, expected)

static void test_values__that_arrays_or_modules_may_be(void **state)
{
    (void)state;
    assert_inferred("import torch\ndef f(x):\n  x.cpu()\n",
                    "0:3:5 f torch.Tensor.cpu call one of\n"
                    "0:3:5 f torch.nn.Module.cpu call one of\n");
    assert_inferred("import torch\ndef f(x):\n  x.cpu().item()\n",
                    "0:3:5 f torch.Tensor.cpu call one of\n"
                    "0:3:5 f torch.nn.Module.cpu call one of\n"
                    "0:3:11 f torch.Tensor.item call one of\n");
    assert_inferred("def f(x):\n  x.cpu()\n", "");
    assert_inferred("import torch\ntorch.zeros(1).cpu()\n",
                    "0:2:16 torch.Tensor.cpu call inferred\n");
}

static void test_values__that_lack_what_is_looked_up(void **state)
{
    (void)state;
    /* a container has no such method, so the inferred contents are wrong */
    PLACE("import torch\nx = [1, torch.zeros(1)]\nx.item()\nx.append(2)\n", true,
          "0:2:9 torch.zeros call import\n0:3:3 torch.Tensor.item call by name\n");
    /* an object of a class that is completely known has no such method either */
    PLACE("import torch\nclass P: pass\nclass A:\n  x = P()\n  def go(self): self.x.item(1)\n",
          true, "0:5:24 A.go torch.Tensor.item call by name\n");
    PLACE("import torch\nimport abc\nclass P(object, abc.ABC, Generic[T]): pass\nclass A:\n  x = "
          "P()\n"
          "  def go(self): self.x.item(1)\n",
          true, "0:6:24 A.go torch.Tensor.item call by name\n");
    PLACE("import torch\nfrom pathlib import Path\nimport sys\nPath(1).a.item()\nsys.a.item()\n",
          true, "");
    PLACE("import torch\nfrom b import B\nclass P(B): pass\nclass A:\n  x = P()\n"
          "  def go(self): self.x.item(1)\n",
          true, "0:6:24 A.go torch.Tensor.item call one of\n");
    PLACE("import torch\nfrom b import B\nclass P(B):\n"
          "  def go(self): self.define(1); super().children(2); self.go(3)\n",
          true, "");
    PLACE("import torch\nfrom b import B\nclass P(B):\n"
          "  def go(self): self.item(1); super().cpu(2)\n",
          true,
          "0:4:22 P.go torch.Tensor.item call one of\n"
          "0:4:39 P.go torch.Tensor.cpu call one of\n"
          "0:4:39 P.go torch.nn.Module.cpu call one of\n");
    PLACE("import torch\nfrom b import B\nclass P(B):\n  def __getattr__(self, name): pass\n"
          "P().item(1)\n",
          true, "0:5:5 torch.Tensor.item call one of\n");
    PLACE("import torch\nclass P:\n  def __getattr__(self, name): pass\nclass A:\n  x = P()\n"
          "  def go(self): self.x.item(1)\n",
          true, "");
}

static void test_values__of_methods_that_some_decorator_makes_properties(void **state)
{
    (void)state;
    assert_inferred("import torch\nclass A:\n  @lazily\n  def x(self): return torch.zeros(1)\n"
                    "  def go(self): self.x.view(1); (self.x + 1).view(2); self.x.__name__\n",
                    "0:5:24 A.go " VIEW "0:5:46 A.go " VIEW);
}

static void test_values__of_methods_that_return_themselves(void **state)
{
    (void)state;
    assert_inferred("import torch\nclass A:\n  def f(self): return self.f\n"
                    "  def g(self): return self.f.x\ntorch.zeros(1).view(1)\n",
                    "0:5:16 " VIEW);
}

static void test_values__of_functions_that_call_each_other(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    struct pm_str text = PM_STR_INIT;
    pm_str_add(&text, "import torch\nf0().view(1)\n");
    for (int i = 0; i < COUNT; i++)
        pm_str_addf(&text, "def f%d(): return f%d()\n", i, i + 1);
    pm_str_addf(&text, "def f%d(): return torch.zeros(1)\n", COUNT);
    assert_inferred(text.data, "0:2:6 " VIEW);
    pm_str_clear(&text);
    pm_str_add(&text, "import torch\nf0().view(1)\n");
    for (int i = 0; i < COUNT; i++)
        pm_str_addf(&text, "def f%d(): return f%d() or torch.zeros(1)\n", i, (i + 1) % COUNT);
    assert_places(&(struct source){"a.py", text.data}, 1, false, "0:2:6 " VIEW);
    pm_str_release(&text);
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

/* Tests operators, statements and strings in which a parser easily misses a call. */
static void test_parsing__loses_no_call(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"f(1 not in x.view(1), 2)\n", "0:3:14 " VIEW},
        {"def g(x, y, z): y.view(1); z.view(2)\ng(1 not in s, x, 3)\n", "0:3:19 g " VIEW},
        {"f(1 is not x.view(1), not x.view(2))\n", "0:3:14 " VIEW "0:3:29 " VIEW},
        {"raise E(x.view(1)) from f(x.view(2))\nx.view(3)\n",
         "0:3:11 " VIEW "0:3:29 " VIEW "0:4:3 " VIEW},
        {"raise E from x.view(1)\n", "0:3:16 " VIEW},
        {"assert x.view(1), x.view(2)\ndel s[x.view(3)]\n",
         "0:3:10 " VIEW "0:3:21 " VIEW "0:4:9 " VIEW},
        {"print >>f, x.view(1)\nprint x.view(2)\n", "0:3:14 " VIEW "0:4:9 " VIEW},
        {"async def f():\n  async with a as b: x.view(1)\n  async for c in x: c.view(2)\n"
         "  await x.view(3)\n",
         "0:4:24 f " VIEW "0:5:23 f " VIEW "0:6:11 f " VIEW},
        {"if y := x: y.view(1)\nwhile z := y.view(2): z.view(3)\n",
         "0:3:14 " VIEW "0:4:14 " VIEW "0:4:25 " VIEW},
        {"f(lambda y=x: y.view(1))\nf(*x.view(2), **x.view(3))\n",
         "0:3:17 " VIEW "0:4:6 " VIEW "0:4:19 " VIEW},
        {"def f():\n  yield from x.view(1)\n  y = yield x.view(2)\n",
         "0:4:16 f " VIEW "0:5:15 f " VIEW},
        {"match x.view(1):\n  case y if x.view(2): x.view(3)\n  case [1, *_]: x.view(4)\n",
         "0:3:9 " VIEW "0:4:15 " VIEW "0:4:26 " VIEW "0:5:19 " VIEW},
        {"match = x\nmatch.view(1)\ncase = match.view(2)\nmatch(case.view(3))\n",
         "0:4:7 " VIEW "0:5:14 " VIEW "0:6:12 " VIEW},
        {"def f[T, *U](y: torch.Tensor, z: T): y.view(1)\n"
         "class A[T](B): a = x.view(2)\nclass C[T](torch.nn.Module): pass\nC().eval()\n",
         "0:3:40 f " VIEW "0:4:22 A " VIEW "0:6:5 torch.nn.Module.eval call inferred\n"},
        {"@(lambda f: x.view(1))\n@s[x.view(2)].t\ndef f(): pass\n", "0:3:15 " VIEW "0:4:6 " VIEW},
        {"def f():\n  global y\n  y = x\ndef g(): y.view(1)\n", "0:6:12 g " VIEW},
        {"def f():\n  y = None\n  def g():\n    nonlocal y\n    y = x\n  g(); y.view(1)\n",
         "0:8:10 f " VIEW},
        {"def g(y, z): z.view(1)\ng('a'\n  'b', x)\n", "0:3:16 g " VIEW},
        {"try:\n  from a import b\nexcept E:\n  b = x\nb.view(1)\n", "0:7:3 " VIEW},
        {"class A:\n  @property\n  def y(self): return x\n  @y.deleter\n  def y(self): pass\n"
         "A().y.view(1)\n",
         "0:8:7 " VIEW},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = pm_format("import torch\nx = torch.zeros(1)\n%s", cases[i].text);
        assert_inferred(text, cases[i].expected);
        free(text);
    }
}

static void test_parsing__of_f_strings(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"f'{x.view(1):.4f} and {x.view(2)!r}'\n", "0:3:6 " VIEW "0:3:26 " VIEW},
        {"f'{x.view(1)=} {x.view(2)=!s:>10} {{x.view(3)}}'\n", "0:3:6 " VIEW "0:3:19 " VIEW},
        {"f'{1:{x.view(1)}.{x.view(2)}}'\n", "0:3:9 " VIEW "0:3:21 " VIEW},
        {"f'{f\"{x.view(1)}\"}' 'b' rf'''{x.view(2)}'''\nx.view(3)\n",
         "0:3:9 " VIEW "0:3:33 " VIEW "0:4:3 " VIEW},
        {"g(f'{[y.view(1) for y in x]}', 1 if f'{x.view(2)}' else x.view(3))\n",
         "0:3:9 " VIEW "0:3:42 " VIEW "0:3:59 " VIEW},
        {"raise E(f'a {x.view(1), x.view(2)}' f'{d[\"a\"]}{(lambda y=x: y.view(3))()}')\n",
         "0:3:16 " VIEW "0:3:27 " VIEW "0:3:63 " VIEW},
        {"def f(y: torch.Tensor, z='a'): return f'{y.view(1)}'.join(z)\n", "0:3:44 f " VIEW},
        {"f'{x.view(1)\nx.view(2)\n", "0:4:3 " VIEW},
        {"f'{x!r:{f\"{x.view(1)}\"}}'; x.view(2)\n", "0:3:14 " VIEW "0:3:30 " VIEW},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = pm_format("import torch\nx = torch.zeros(1)\n%s", cases[i].text);
        assert_inferred(text, cases[i].expected);
        free(text);
    }
}

/* Appends a line in which each `@` is replaced by `number`, and each `#` by the number before it.
 */
static void add_line(struct pm_str *text, const char *line, int number)
{
    for (; *line; line++) {
        if (*line == '@' || *line == '#')
            pm_str_addf(text, "%d", *line == '@' ? number : number - 1);
        else
            pm_str_add_char(text, *line);
    }
}

/* ---- classes -------------------------------------------------------------------------------- */

/* The first class in Python's order that has a method decides the result of a call. */
static void test_classes__are_asked_in_the_order_of_python(void **state)
{
    static const struct {
        const char *classes, *last;
        bool is_array; /* whether f() of `last` returns an array */
    } cases[] = {
        {"class B(A): pass\nclass C(A):\n  def f(self): return x\nclass D(B, C): pass\n", "D",
         true},
        {"class B(A): pass\nclass C(A):\n  def f(self): return x\nclass D(C, B): pass\n", "D",
         true},
        {"class B(A):\n  def f(self): return x\nclass C(A):\n  def f(self): pass\n"
         "class D(B, C): pass\n",
         "D", true},
        {"class B(A):\n  def f(self): return x\nclass C(A):\n  def f(self): pass\n"
         "class D(C, B): pass\n",
         "D", false},
        /* E comes before G in B, and G comes before F in C */
        {"class E:\n  def f(self): return x\nclass F: pass\nclass G:\n  def f(self): pass\n"
         "class B(E, G): pass\nclass C(G, F): pass\nclass D(B, C): pass\n",
         "D", true},
        /* Y comes before Z in C, and Z comes before X in B */
        {"class X:\n  def f(self): pass\nclass Y:\n  def f(self): return x\nclass Z: pass\n"
         "class B(Z, X): pass\nclass C(Y, Z): pass\nclass D(B, C): pass\n",
         "D", true},
        /* Python finds no order, so the order of the text counts */
        {"class X: pass\nclass Y(X):\n  def f(self): return x\nclass D(X, Y): pass\n", "D", true},
        {"class X(A): pass\nclass Y(A):\n  def f(self): return x\n"
         "class B(X, Y): pass\nclass C(Y, X): pass\nclass D(B, C): pass\n",
         "D", true},
        {"class G(Generic[T]):\n  def f(self): return x\nclass D(G[int]): pass\n", "D", true},
        {"class G:\n  def f(self): return x\nclass D(G if a else b): pass\n", "D", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = pm_format("import torch\nx = torch.zeros(1)\n"
                               "class A:\n  def f(self): pass\n%s\n%s().f().view(1)\n",
                               cases[i].classes, cases[i].last);
        size_t lines = 1;
        for (const char *at = text; (at = strchr(at, '\n')) != NULL && at[1]; at++)
            lines++;
        char *expected = pm_format("0:%zu:9 " VIEW, lines);
        assert_inferred(text, cases[i].is_array ? expected : "");
        free(expected);
        free(text);
    }
}

/* Checks a hierarchy of `levels` diamonds, each of which doubles the number of ways to the first
 * class. Other classes have the names as well, so that all ways must be searched. */
static void check_diamonds(int levels)
{
    struct pm_str text = PM_STR_INIT;
    pm_str_add(&text,
               "import torch\nclass D0(torch.nn.Module):\n  def f(self): return torch.zeros(1)\n"
               "class X:\n  def f(self): pass\n  def nothing(self): pass\n"
               "class Y:\n  def nothing(self): pass\n");
    for (int i = 0; i < levels; i++)
        pm_str_addf(&text,
                    "class L%d(D%d): pass\nclass R%d(D%d): pass\nclass D%d(L%d, R%d): pass\n", i, i,
                    i, i, i + 1, i, i);
    pm_str_addf(&text, "D%d().nothing()\nD%d().f().view(1)\nL%d().eval()\n", levels, levels,
                levels - 1);
    char *expected = pm_format("0:%d:%d " VIEW "0:%d:%d " EVAL, levels * 3 + 10,
                               snprintf(NULL, 0, "D%d().f().", levels) + 1, levels * 3 + 11,
                               snprintf(NULL, 0, "L%d().", levels - 1) + 1);
    assert_inferred(text.data, expected);
    free(expected);
    pm_str_release(&text);
}

static void test_classes__of_many_diamonds(void **state)
{
    (void)state;
    check_diamonds(2);
    check_diamonds(60);
    check_diamonds(10000);
}

static void take_nothing(void *ctx, const struct pm_types_place *place)
{
    (void)ctx;
    (void)place;
}

/* Returns the number of steps that searches among a file's classes take. The file is `first`, then
 * `level` for each number, as add_line() replaces it. */
static uint64_t steps_of(const char *first, const char *level, int levels)
{
    struct pm_resolve_names *names = table();
    struct pm_resolve_index index;
    struct pm_str text = PM_STR_INIT;
    pm_resolve_index_init(&index, names);
    pm_str_addf(&text, "import torch\n%s", first);
    for (int i = 1; i <= levels; i++)
        add_line(&text, level, i);
    const uint64_t steps =
        read_project(&index, &(struct source){"a.py", text.data}, 1, take_nothing, NULL);
    pm_str_release(&text);
    pm_resolve_index_release(&index);
    pm_resolve_names_free(names);
    return steps;
}

/* With one search for each level, twice as many levels take twice as many steps. */
static void test_classes__are_asked_in_linear_time(void **state)
{
    static const struct {
        const char *first, *level;
    } cases[] = {
        /* one class has the name */
        {"class D0:\n  def f(self): pass\n",
         "class L@(D#): pass\nclass R@(D#): pass\nclass D@(L@, R@): pass\nD@().f()\n"},
        {"class D0:\n  def f(self): pass\n", "class D@(D#): pass\nD@().f()\n"},
        {"class D0:\n  def f0(self): pass\n",
         "class D@(D#):\n  def f@(self): self.f0(); self.f#()\n"},
        {"class A0:\n  def f(self): pass\nclass B0: pass\n",
         "class A@(A#): pass\nclass B@(B#): pass\nclass D@(B@, A@): pass\nD@().f()\n"},
        /* several classes have the name */
        {"class D0:\n  def f(self): pass\nclass X:\n  def f(self): pass\n",
         "class L@(D#): pass\nclass R@(D#): pass\nclass D@(L@, R@): pass\nD@().f()\n"},
        {"class A0:\n  def f(self): pass\nclass B0: pass\nclass C0:\n  def f(self): pass\n",
         ("class A@(A#): pass\nclass B@(B#): pass\nclass C@(C#): pass\n"
          "class D@(A@, B@, C@): pass\nD@().f()\n")},
        {"class D0:\n  def f(self): pass\n",
         ("class L@(D#):\n  def f(self): pass\nclass R@(D#): pass\nclass D@(R@, L@): pass\n"
          "D@().f()\n")},
    };
    enum { LEVELS = 1000 };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t once = steps_of(cases[i].first, cases[i].level, LEVELS);
        const uint64_t twice = steps_of(cases[i].first, cases[i].level, 2 * LEVELS);
        if (twice > 2 * once + once / 4)
            fail_msg("%d levels take %" PRIu64 " steps, %d take %" PRIu64 ":\n%s", LEVELS, once,
                     2 * LEVELS, twice, cases[i].level);
    }
}

/* Returns the number of steps to search `count` names from a class `count` levels down; the first
 * class of the hierarchy and an unrelated class have each name. */
static uint64_t steps_of_names(const char *level, int count)
{
    struct pm_str first = PM_STR_INIT, last = PM_STR_INIT;
    for (const char *name = "XD"; *name; name++) {
        pm_str_addf(&first, "class %c0:\n", *name);
        for (int i = 1; i <= count; i++)
            pm_str_addf(&first, "  def f%d(self): pass\n", i);
    }
    for (int i = 1; i <= count; i++)
        add_line(&first, level, i);
    pm_str_addf(&last, "D%d().f@()\n", count);
    const uint64_t steps = steps_of(first.data, last.data, count);
    pm_str_release(&first);
    pm_str_release(&last);
    return steps;
}

static void test_classes__are_asked_for_many_names_in_linear_time(void **state)
{
    static const char *const levels[] = {
        "class D@(D#): pass\n",
        "class L@(D#): pass\nclass R@(D#): pass\nclass D@(L@, R@): pass\n",
    };
    enum { COUNT = 1000 };
    (void)state;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        const uint64_t once = steps_of_names(levels[i], COUNT);
        const uint64_t twice = steps_of_names(levels[i], 2 * COUNT);
        if (twice > 2 * once + once / 4)
            fail_msg("%d names take %" PRIu64 " steps, %d take %" PRIu64 ":\n%s", COUNT, once,
                     2 * COUNT, twice, levels[i]);
    }
}

/* Merging orders of inheritance takes a limited number of steps for each class in them. */
static void test_classes__of_which_orders_are_merged(void **state)
{
    enum { HEIGHT = 100, COUNT = 100, MOST_STEPS = 40 };
    struct pm_str text = PM_STR_INIT, bases = PM_STR_INIT;
    (void)state;
    pm_str_add(&text, "class X:\n  def f(self): pass\nclass M0:\n  def f(self): pass\n");
    for (int i = 1; i < HEIGHT; i++)
        pm_str_addf(&text,
                    i < HEIGHT - 8 ? "class M%d(M%d): pass\n"
                                   : "class M%d(M%d):\n  def f(self): pass\n",
                    i, i - 1);
    for (int i = HEIGHT - 1; i >= HEIGHT - 8; i--)
        pm_str_addf(&bases, "M%d,", i);
    char *level = pm_format("class D@(%s): pass\nD@().f()\n", bases.data);
    const uint64_t steps = steps_of(text.data, level, COUNT);
    if (steps > (uint64_t)COUNT * HEIGHT * MOST_STEPS)
        fail_msg("%" PRIu64 " steps", steps);
    free(level);
    pm_str_release(&text);
    pm_str_release(&bases);
}

static void test_classes__that_inherit_from_themselves(void **state)
{
    static const char *const classes[] = {
        "class A(A, A): pass\n",
        "class A(A, B): pass\nclass B(A): pass\n",
        "class A(B, C): pass\nclass B(C, A): pass\nclass C(A, B): pass\n",
        ("class A(A, B, C, D): pass\nclass B(A, B, C, D): pass\nclass C(A, B, C, D): pass\n"
         "class D(A, B, C, D): pass\n"),
        "class A(B, B.x): pass\nclass B(A, A.x): pass\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        char *text = pm_format("import torch\n%sclass E(A):\n  def g(self): self.f(); self.h\n"
                               "class F:\n  def f(self): pass\n"
                               "A().f()\nE().f()\nA()(1)\nE().eval()\n",
                               classes[i]);
        assert_inferred(text, "");
        free(text);
    }
}

/* ---- texts that could take very long --------------------------------------------------------- */

/* Files import each other with stars: in a circle, and each from all others. */
static void test_project__of_star_imports_in_circles(void **state)
{
    enum { COUNT = 60 };
    static char paths[COUNT][16], texts[COUNT][COUNT * 24 + 200];
    struct source sources[COUNT];
    (void)state;
    for (int all = 0; all < 2; all++) {
        for (int i = 0; i < COUNT; i++) {
            struct pm_str text = PM_STR_INIT;
            pm_str_add(&text, "import torch\n");
            for (int k = 1; k < (all ? COUNT : 3); k++)
                pm_str_addf(&text, "from .m%d import *\n", (i * (all ? 1 : 2) + k) % COUNT);
            pm_str_addf(&text, i == COUNT - 1 ? "x = torch.zeros(1)\n" : "missing%d()\n", i);
            pm_str_add(&text, i == 0 ? "x.view(1)\n" : "");
            (void)snprintf(paths[i], sizeof paths[i], "p/m%d.py", i);
            (void)snprintf(texts[i], sizeof texts[i], "%s", text.data);
            sources[i] = (struct source){paths[i], texts[i]};
            pm_str_release(&text);
        }
        char *expected = pm_format("0:%d:3 " VIEW, all ? COUNT + 2 : 5);
        assert_places(sources, COUNT, false, expected);
        free(expected);
    }
}

/* Checks a text of 200 lines, each of which uses the line before it twice, between `first` and
 * `last`. */
static void check_doubling(const char *first, const char *line, const char *last,
                           const char *expected)
{
    enum { COUNT = 200 };
    struct pm_str text = PM_STR_INIT;
    pm_str_addf(&text, "import torch\n%s", first);
    for (int i = 1; i <= COUNT; i++)
        add_line(&text, line, i);
    pm_str_add(&text, last);
    assert_inferred(text.data, expected);
    pm_str_release(&text);
}

static void test_values__of_what_doubles_again_and_again(void **state)
{
    (void)state;
    check_doubling("x0 = torch.zeros(1)\n", "x@ = x# if a else x#\n", "x200.view(1)\n",
                   "0:203:6 " VIEW);
    check_doubling("T0 = torch.Tensor\n", "T@ = Union[T#, T#]\n", "def f(x: T200): x.view(1)\n",
                   "0:203:19 f " VIEW);
    check_doubling("T0 = Optional[torch.Tensor]\n", "T@ = T# | T#\n", "def f(x: T200): x.view(1)\n",
                   "0:203:19 f " VIEW);
    check_doubling("x0, y0 = [torch.zeros(1)], [torch.zeros(1)]\n", "x@, y@ = [x#, x#], [y#, y#]\n",
                   "z = x200 if a else y200\nx0[0].view(1)\n", "0:204:7 " VIEW);
    check_doubling("class A:\n  def f(self):\n    x0 = g if a else h\n",
                   "    x@ = x# if a else x#\n", "    self.view = x200\ntorch.zeros(1).view(1)\n",
                   "0:206:16 " VIEW);
    check_doubling("def f0(x): return x\n", "def f@(x): return f#(f#(x))\n",
                   "f200(torch.zeros(1))\nx = torch.zeros(1)\nx.view(1)\n", "0:205:3 " VIEW);
}

/* Returns `before`, then `value` in this number of tuples: "((x,),)"; the caller frees the text. */
static char *nested(const char *before, const char *value, int brackets)
{
    struct pm_str text = PM_STR_INIT;
    pm_str_add(&text, before);
    for (int i = 0; i < brackets; i++)
        pm_str_add(&text, "(");
    pm_str_add(&text, value);
    for (int i = 0; i < brackets; i++)
        pm_str_add(&text, ",)");
    return pm_str_detach(&text);
}

/* The limits of docs/internals/scanning.md: doubling by names has no limit; brackets in the text
 * have one. */
static void test_values__of_nested_tuples(void **state)
{
    static const struct {
        int brackets;
        bool inferred;
    } cases[] = {{1, true}, {31, true}, {32, false}, {59, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = nested("import torch\nx = torch.zeros(1)\ny = ", "x", cases[i].brackets);
        struct pm_str all = PM_STR_INIT;
        pm_str_addf(&all, "%s\ny", text);
        for (int k = 0; k < cases[i].brackets; k++)
            pm_str_add(&all, "[0]");
        pm_str_add(&all, ".item()\n");
        char *expected = cases[i].inferred ? pm_format("0:4:%d torch.Tensor.item call inferred\n",
                                                       3 + 3 * cases[i].brackets)
                                           : pm_strdup("");
        assert_inferred(all.data, expected);
        free(expected);
        free(text);
        pm_str_release(&all);
    }
    struct pm_str last = PM_STR_INIT;
    pm_str_add(&last, "x200");
    for (int k = 0; k < 200; k++)
        pm_str_add(&last, "[0]");
    pm_str_add(&last, ".view(1)\n");
    check_doubling("x0 = torch.zeros(1)\n", "x@ = (x#, x#)\n", last.data, "0:203:606 " VIEW);
    pm_str_release(&last);
}

/* ---- values that may be something else ------------------------------------------------------- */

/* If a class of the project may give a result instead of the framework, the use is "one of". */
static void test_values__that_classes_of_the_project_may_replace(void **state)
{
    static const char *const classes[] = {
        "class A:\n  def __torch_function__(self, f): pass\n",
        "class A:\n  def __radd__(self, x): pass\n",
        "class A:\n  def f(self): pass\n",
    };
    static const struct {
        const char *expression;
        bool may_be[3]; /* for each class: whether it may give the result */
    } cases[] = {
        {"torch.relu(A())", {true, false, false}},
        {"torch.relu(y)", {true, false, false}},
        {"torch.relu(x)", {false, false, false}},
        {"torch.relu([x, y])", {true, false, false}},
        {"torch.relu([x, x])", {false, false, false}},
        {"torch.relu(3)", {false, false, false}},
        {"torch.zeros(y)", {false, false, false}},
        {"x + A()", {true, true, false}},
        {"x + y", {true, true, false}},
        {"x + 1", {false, false, false}},
        {"x + x.view(1)", {false, false, false}},
        {"torch.relu(y).T", {true, false, false}},
        {"torch.relu(y)[0]", {true, false, false}},
        {"-torch.relu(y)", {true, false, false}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < 3; k++) {
            char *text = pm_format("import torch\n%sx = torch.zeros(1)\nz = %s\nz.split(1)\n",
                                   classes[k], cases[i].expression);
            const char *how = cases[i].may_be[k] ? "one of" : "inferred";
            char *use = pm_format("0:6:3 torch.Tensor.split call %s\n", how);
            char *expected =
                pm_format("%s%s", strstr(cases[i].expression, "view") ? "0:5:11 " VIEW : "", use);
            assert_inferred(text, expected);
            free(expected);
            free(use);
            free(text);
        }
}

/* A list may contain an object with __torch_function__ at any depth. */
static void test_values__that_deep_lists_may_replace(void **state)
{
    enum { LISTS = 200000 };
    struct pm_str text = PM_STR_INIT;
    (void)state;
    pm_str_add(&text, "import torch\nclass A:\n  def __torch_function__(self, f): pass\n"
                      "x = torch.zeros(1)\n");
    for (int i = 0; i < LISTS; i++)
        pm_str_add(&text, "x = [x]\n");
    pm_str_add(&text, "torch.relu(x).view(1)\n");
    char *expected = pm_format("0:%d:15 " VIEW, LISTS + 5);
    assert_inferred(text.data, expected);
    free(expected);
    pm_str_release(&text);
}

static void test_values__of_slices(void **state)
{
    (void)state;
    assert_inferred("import torch\nx = [torch.zeros(1), 1]\nx[1:][0].view(1)\n"
                    "for y in x[:1]: y.view(2)\nx[0][1:].view(3)\nx[0][1:, 2].view(4)\n",
                    "0:3:10 " VIEW "0:4:19 " VIEW "0:5:10 " VIEW "0:6:13 " VIEW);
    assert_inferred("from torch.nn import Linear, ModuleList\nm = ModuleList([Linear(1)])\n"
                    "for l in m[1:]: l(1)\n",
                    "0:3:17 torch.nn.Linear instance call inferred\n");
    assert_inferred("import torch\no = torch.make_sgd()\no[1:].step()\n",
                    "0:3:7 torch.optim.SGD.step call inferred\n");
    assert_places(&(struct source){"a.py", "import torch\nx.shape[-2:].item()\n"}, 1, true, "");
    assert_inferred("import torch\nfrom typing import Union\nclass A:\n"
                    "  def __getitem__(self, k): return A()\n"
                    "def f(x: Union[torch.Tensor, A], i):\n  x[0].view(1)\n  x[i].view(2)\n"
                    "  x[1:].view(3)\n",
                    "0:6:8 f torch.Tensor.view call one of\n"
                    "0:7:8 f torch.Tensor.view call one of\n"
                    "0:8:9 f torch.Tensor.view call one of\n");
}

static void test_values__of_parameters_with_stars(void **state)
{
    (void)state;
    assert_inferred("import torch\ndef f(a, *b):\n  c, *d = b\n  c.view(1); d[0].view(2)\n"
                    "f(1, torch.zeros(1), torch.zeros(2))\n",
                    "0:4:5 f " VIEW "0:4:19 f " VIEW);
    assert_inferred(
        "from torch.autograd import Function\nclass F(Function):\n  @staticmethod\n"
        "  def forward(ctx, x, *args):\n    a, *b = args\n    a.view(1); b[0].view(2)\n",
        "0:6:7 F.forward " VIEW "0:6:21 F.forward " VIEW);
}

/* A module has the modules that it was given only under their names. */
static void test_values__of_names_in_modules(void **state)
{
    (void)state;
    assert_inferred("from torch.nn import Linear, ModuleList\nm = ModuleList([Linear(1)])\n"
                    "m.output(1)\nm.output.x(1)\nm[0](2)\n",
                    "0:5:5 torch.nn.Linear instance call inferred\n");
}

/* If another package may give a name instead, the use is "one of". */
static void test_values__of_names_that_another_package_may_give(void **state)
{
    static const char *const texts[] = {
        "if a:\n  import other as nn\nelse:\n  nn = torch.nn\n",
        "try:\n  from other import nn\nexcept ImportError:\n  from torch import nn\n",
        "if a:\n  from torch import nn\nelse:\n  from other import nn\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *text = pm_format("import torch\n%snn.Linear(1)\ndef f(): nn.Linear(2)\n", texts[i]);
        assert_places(&(struct source){"a.py", text}, 1, true,
                      "0:6:4 torch.nn.Linear call one of\n"
                      "0:7:13 f torch.nn.Linear call one of\n");
        free(text);
    }
    assert_places(&(struct source){"a.py", "import torch\nimport other\nfrom torch import nn\n"
                                           "nn.Linear(1)\n"},
                  1, true, "0:4:1 torch.nn.Linear call import\n");
    assert_places(&(struct source){"a.py", "import torch\ndef f():\n  import other as nn\n"
                                           "  nn.Linear(1)\ndef g():\n"
                                           "  from torch import nn\n  nn.Linear(2)\n"},
                  1, true, "0:7:6 g torch.nn.Linear call import\n");
}

/* A package may import itself. */
static void test_values__of_a_package_in_itself(void **state)
{
    (void)state;
    assert_places(&(struct source){"a.py", "import torch\ntorch.torch.zeros(1).view(1)\n"}, 1, true,
                  "0:2:1 torch.zeros call import\n0:2:22 " VIEW);
}

static void test_values__of_fixtures(void **state)
{
    (void)state;
    const struct source sources[] = {
        {"tests/conftest.py",
         "import pytest, torch\n@pytest.fixture\ndef a(): return torch.zeros(1)\n"
         "@pytest.fixture(scope='module')\ndef b(a):\n  yield a.view(1)\n"},
        {"tests/deep/test_c.py",
         "import pytest\n@pytest.fixture()\ndef c(b): return b\n"
         "def test_c(a, b, c, d): a.view(1); b.view(2); c.view(3); d.view(4)\n"
         "def other(a): a.view(5)\n"},
    };
    assert_places(sources, 2, false,
                  "0:6:11 b " VIEW "1:4:27 test_c " VIEW "1:4:38 test_c " VIEW
                  "1:4:49 test_c " VIEW);
    assert_inferred("import pytest, torch\n@pytest.fixture(params=[torch.zeros(1)])\n"
                    "def a(request):\n  request.param.view(1); request.other.view(2)\n"
                    "  return request.param\n"
                    "def test_a(a, request): a.view(3); request.param.view(4)\n",
                    "0:4:17 a " VIEW "0:6:27 test_a " VIEW);
}

static void test_values__of_what_is_checked(void **state)
{
    static const char *const cases[] = {
        "  if isinstance(x, torch.Tensor): return x.view(1)\n",
        "  assert isinstance(x, torch.Tensor), x\n  return 1, x.view(1)\n",
        "  if not isinstance(x, torch.Tensor):\n    raise E\n  return 1, x.view(1)\n",
        "  if a and isinstance(x, torch.Tensor):\n    if b: pass\n    return x.view(1)\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char *const expected[] = {"0:6:44 f " VIEW, "0:7:15 f " VIEW, "0:8:15 f " VIEW,
                                               "0:8:14 f " VIEW};
        char *text = pm_format("import torch\nclass A:\n  def f(self): pass\nA().x\n"
                               "def f(x, a):\n%sf(A(), 1)\n",
                               cases[i]);
        assert_inferred(text, expected[i]);
        free(text);
    }
    assert_inferred("import torch\nclass A: pass\ndef f(x):\n"
                    "  if isinstance(x, torch.Tensor): pass\n  x.view(1)\n"
                    "  if a or isinstance(x, torch.Tensor): x.view(2)\nf(A())\n",
                    "");
    assert_inferred("import numpy as np\nimport torch\ndef f(x: torch.Tensor):\n"
                    "  if isinstance(x, np.ndarray): return x.view(1)\n"
                    "  if isinstance(x, (np.ndarray, torch.Tensor)): return x.view(2)\n"
                    "  if isinstance(x, other.Array): return x.view(3)\n",
                    "0:5:58 f " VIEW "0:6:43 f " VIEW);
}

static void test_values__of_classes_that_act_as_arrays(void **state)
{
    (void)state;
    assert_inferred("import torch\nx = torch.Sharded()\nx.gather(1)\nx.replicate()\nx.nothing()\n",
                    "0:3:3 torch.Sharded.gather call inferred\n"
                    "0:4:3 torch.Placed.replicate call inferred\n");
    assert_inferred("import torch\nx = torch.zeros(1)\nx.replicate()\n", "");
}

/* A check of a type counts only in the parts of an expression that run if the check succeeds. */
static void test_values__of_what_an_expression_checks(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"  x.view(1) if isinstance(x, torch.Tensor) else x.view(2)\n", "0:3:5 f " VIEW},
        {"  x.view(1) if isinstance(x, torch.Tensor) and a else 0\n", "0:3:5 f " VIEW},
        {"  x.view(1) if not isinstance(x, torch.Tensor) else 0\n", ""},
        {"  x.view(1) if isinstance(x, torch.Tensor) or a else 0\n", ""},
        {"  [y.view(1) if isinstance(y, torch.Tensor) else y for y in x]\n", "0:3:6 f " VIEW},
        {"  (x.view(1) if isinstance(x, torch.Tensor) else 0) if a else 0\n", "0:3:6 f " VIEW},
        {"  isinstance(x, torch.Tensor) and x.view(1)\n", "0:3:37 f " VIEW},
        {"  a and isinstance(x, torch.Tensor) and b and x.view(1) or x.view(2)\n",
         "0:3:49 f " VIEW "0:3:62 f " VIEW},
        {"  isinstance(x, torch.Tensor) or a and x.view(1)\n", ""},
        {"  not isinstance(x, torch.Tensor) and x.view(1)\n  x.view(2)\n", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = pm_format("import torch, numpy\ndef f(x, a, b):\n%s", cases[i].text);
        assert_inferred(text, cases[i].expected);
        free(text);
    }
}

/* In a method, the object may be of a class that inherits from the method's class. */
static void test_values__of_classes_that_inherit(void **state)
{
    (void)state;
    assert_inferred("import torch\nclass A:\n  def f(self, y): self.g(y).view(1); self.h(2)\n"
                    "  def g(self, y): raise E\n"
                    "class B(A):\n  h = torch.relu\n  def g(self, y): return y.view(2)\n"
                    "B().f(torch.zeros(1))\n",
                    "0:3:29 A.f " VIEW "0:3:43 A.f torch.relu call inferred\n0:7:28 B.g " VIEW);
    assert_inferred("import torch\nclass Mixin:\n  def f(self): self.eval()\n"
                    "class B(Mixin, torch.nn.Module): pass\n",
                    "0:3:21 Mixin.f torch.nn.Module.eval call inferred\n");
    assert_inferred("import torch\no = torch.make_sgd()\no(1)\n"
                    "def f(m: torch.nn.Module, l: torch.nn.Linear): m(2); l(3)\n",
                    "0:3:1 torch.optim.SGD instance call one of\n"
                    "0:4:54 f torch.nn.Linear instance call inferred\n");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_values__of_locals),
    cmocka_unit_test(test_values__of_parameters_and_returns),
    cmocka_unit_test(test_values__of_what_calls_pass),
    cmocka_unit_test(test_values__of_containers),
    cmocka_unit_test(test_values__of_functions_that_give_what_they_are_given),
    cmocka_unit_test(test_values__of_classes_of_objects),
    cmocka_unit_test(test_values__of_modules_that_may_be_empty),
    cmocka_unit_test(test_values__of_modules_in_modules),
    cmocka_unit_test(test_values__of_annotations),
    cmocka_unit_test(test_values__of_functions_of_autograd),
    cmocka_unit_test(test_values__by_name),
    cmocka_unit_test(test_values__by_name_that_a_class_passes_on),
    cmocka_unit_test(test_values__of_names_set_from_outside),
    cmocka_unit_test(test_values__of_names_bound_again),
    cmocka_unit_test(test_values__of_parameters_of_tests),
    cmocka_unit_test(test_values__of_modules_with_names),
    cmocka_unit_test(test_values__of_modules_of_modules),
    cmocka_unit_test(test_values__of_items_that_are_set),
    cmocka_unit_test(test_values__of_tuples_of_arrays),
    cmocka_unit_test(test_values__of_casts),
    cmocka_unit_test(test_values__of_arrays_that_are_called),
    cmocka_unit_test(test_values__say_where_they_are_from),
    cmocka_unit_test(test_values__of_objects),
    cmocka_unit_test(test_project__follows_imports),
    cmocka_unit_test(test_values__of_functions_that_are_wrapped),
    cmocka_unit_test(test_values__that_are_compiled),
    cmocka_unit_test(test_values__that_arrays_or_modules_may_be),
    cmocka_unit_test(test_values__that_lack_what_is_looked_up),
    cmocka_unit_test(test_values__of_methods_that_some_decorator_makes_properties),
    cmocka_unit_test(test_values__of_methods_that_return_themselves),
    cmocka_unit_test(test_values__of_functions_that_call_each_other),
    cmocka_unit_test(test_project__ends_with_whatever_is_written),
    cmocka_unit_test(test_values__that_classes_of_the_project_may_replace),
    cmocka_unit_test(test_values__that_deep_lists_may_replace),
    cmocka_unit_test(test_values__of_slices),
    cmocka_unit_test(test_values__of_parameters_with_stars),
    cmocka_unit_test(test_values__of_names_in_modules),
    cmocka_unit_test(test_values__of_names_that_another_package_may_give),
    cmocka_unit_test(test_values__of_a_package_in_itself),
    cmocka_unit_test(test_values__of_fixtures),
    cmocka_unit_test(test_values__of_what_is_checked),
    cmocka_unit_test(test_values__of_classes_that_act_as_arrays),
    cmocka_unit_test(test_values__of_what_an_expression_checks),
    cmocka_unit_test(test_values__of_classes_that_inherit),
    cmocka_unit_test(test_parsing__loses_no_call),
    cmocka_unit_test(test_classes__are_asked_in_the_order_of_python),
    cmocka_unit_test(test_classes__of_many_diamonds),
    cmocka_unit_test(test_classes__are_asked_in_linear_time),
    cmocka_unit_test(test_classes__are_asked_for_many_names_in_linear_time),
    cmocka_unit_test(test_classes__of_which_orders_are_merged),
    cmocka_unit_test(test_classes__that_inherit_from_themselves),
    cmocka_unit_test(test_project__of_star_imports_in_circles),
    cmocka_unit_test(test_values__of_what_doubles_again_and_again),
    cmocka_unit_test(test_values__of_nested_tuples),
    cmocka_unit_test(test_parsing__of_f_strings),
};

int main(void)
{
    return cmocka_run_group_tests_name("project", tests, NULL, NULL);
}
