/*
 * Small projects to test the types of values: a made-up table of PyTorch's names, and functions
 * that check the uses found in files whose text is in the test.
 *
 *     assert_inferred("import torch\nx = torch.zeros(1)\nx.view(2)\n",
 *                     "0:3:3 torch.Tensor.view call inferred\n");
 *
 * A use is "FILE:LINE:COLUMN [inside ]name form how".
 */
#ifndef PM_TESTS_UNIT_PROJECTS_H
#define PM_TESTS_UNIT_PROJECTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/str.h"
#include "types/types_private.h"

static const struct {
    const char *name;
    enum pm_name_kind kind;
    struct pm_resolve_fact fact;
} rows[] = {
    {"torch.Tensor", PM_NAME_CLASS, {.gives = PM_VALUE_ARRAY}},
    {"torch.Tensor.view", PM_NAME_METHOD, {.gives = PM_VALUE_ARRAY}},
    {"torch.Tensor.item", PM_NAME_METHOD, {.gives = PM_VALUE_OTHER}},
    {"torch.Tensor.split", PM_NAME_METHOD, {.gives = PM_VALUE_ARRAYS}},
    {"torch.Tensor.sum", PM_NAME_METHOD, {.gives = PM_VALUE_ARRAY}},
    {"torch.Tensor.values", PM_NAME_METHOD, {.gives = PM_VALUE_ARRAY}},
    {"torch.Tensor.unique", PM_NAME_METHOD, {0}},
    {"torch.unique", PM_NAME_FUNCTION, {.gives = PM_VALUE_ARRAYS}},
    {"torch.max", PM_NAME_FUNCTION, {.gives = PM_VALUE_ARRAY}}, /* or a tuple of two */
    {"torch.Size", PM_NAME_CLASS, {.gives = PM_VALUE_OTHER}},
    {"torch.Size.numel", PM_NAME_METHOD, {.gives = PM_VALUE_OTHER}},
    {"torch.Size.count", PM_NAME_METHOD, {.gives = PM_VALUE_OTHER}},
    {"torch.Normal", PM_NAME_CLASS, {.gives = PM_VALUE_OTHER}},
    {"torch.Normal.sample", PM_NAME_METHOD, {.gives = PM_VALUE_ARRAY}},
    {"torch.zeros", PM_NAME_FUNCTION, {.gives = PM_VALUE_ARRAY}},
    {"torch.relu", PM_NAME_FUNCTION, {.gives = PM_VALUE_ARRAY, .class = "torch.Tensor"}},
    {"torch.Sharded", PM_NAME_CLASS, {.gives = PM_VALUE_ARRAY}}, /* no function returns one */
    {"torch.Sharded.view", PM_NAME_METHOD, {.gives = PM_VALUE_ARRAY}},
    {"torch.Sharded.split", PM_NAME_METHOD, {.gives = PM_VALUE_ARRAYS}},
    {"torch.Sharded.gather", PM_NAME_METHOD, {.gives = PM_VALUE_ARRAY}},
    {"torch.Sharded.mesh", PM_NAME_METHOD, {.gives = PM_VALUE_OTHER}},
    {"torch.Sharded.local", PM_NAME_METHOD, {.gives = PM_VALUE_ARRAY}},
    {"torch.Placed", PM_NAME_CLASS, {.gives = PM_VALUE_ARRAY}}, /* inherits from Sharded */
    {"torch.Placed.replicate", PM_NAME_METHOD, {.gives = PM_VALUE_OTHER}},
    {"torch.nn.Module", PM_NAME_CLASS, {.gives = PM_VALUE_MODULE, .calls = PM_VALUE_OTHER}},
    {"torch.nn.Module.eval", PM_NAME_METHOD, {.class = "self"}},
    {"torch.nn.Module.named_parameters", PM_NAME_METHOD, {0}},
    {"torch.nn.Module.named_modules", PM_NAME_METHOD, {0}},
    {"torch.nn.Module.children", PM_NAME_METHOD, {0}},
    {"torch.Tensor.cpu", PM_NAME_METHOD, {.class = "self"}},
    {"torch.nn.Module.cpu", PM_NAME_METHOD, {.class = "self"}},
    {"torch.nn.Module.state_dict", PM_NAME_METHOD, {.gives = PM_VALUE_OTHER}},
    {"torch.nn.Linear", PM_NAME_CLASS, {.gives = PM_VALUE_MODULE, .calls = PM_VALUE_ARRAY}},
    {"torch.nn.ModuleList", PM_NAME_CLASS, {.gives = PM_VALUE_MODULE}},
    {"torch.nn.ModuleList.append", PM_NAME_METHOD, {.class = "self"}},
    {"torch.autograd.Function", PM_NAME_CLASS, {.gives = PM_VALUE_OTHER}},
    {"torch.autograd.Function.keep", PM_NAME_METHOD, {0}},
    {"torch.Loader", PM_NAME_CLASS, {.gives = PM_VALUE_OTHER, .items = PM_VALUE_ARRAYS}},
    {"torch.optim.SGD", PM_NAME_CLASS, {.gives = PM_VALUE_OTHER}},
    {"torch.optim.SGD.step", PM_NAME_METHOD, {0}},
    {"torch.make_sgd", PM_NAME_FUNCTION, {.class = "torch.optim.SGD"}},
    {"torch.Compiled", PM_NAME_CLASS, {.gives = PM_VALUE_OTHER}},
    {"torch.Compiled.trace", PM_NAME_METHOD, {0}},
    {"torch.Rule", PM_NAME_CLASS, {.gives = PM_VALUE_OTHER}},
    {"torch.Rule.define", PM_NAME_METHOD, {0}},
    {"torch.Rule.shape", PM_NAME_METHOD, {0}}, /* arrays have a property of this name */
    {"torch.Rule.prepare", PM_NAME_METHOD, {.gives = PM_VALUE_OTHER, .class = "torch.Compiled"}},
    {"torch.Rule.bind", PM_NAME_METHOD, {0}},
    {"torch.Loader.bind", PM_NAME_METHOD, {0}},
    {"torch.Rule.seal", PM_NAME_METHOD, {0}},
    {"torch.Loader.seal", PM_NAME_METHOD, {0}},
    {"torch.Compiled.seal", PM_NAME_METHOD, {0}},
    {"torch.optim.SGD.seal", PM_NAME_METHOD, {0}},
    {"torch.Normal.seal", PM_NAME_METHOD, {0}},
    {"torch.compiled", PM_NAME_FUNCTION, {.gives = PM_VALUE_OTHER, .class = "torch.Compiled"}},
    {"torch.fast", PM_NAME_FUNCTION, {0}},
    {"torch.jit.ScriptFunction", PM_NAME_CLASS, {.gives = PM_VALUE_OTHER}},
    {"torch.jit.ScriptModule", PM_NAME_CLASS, {.gives = PM_VALUE_MODULE}},
    {"torch.jit.script", PM_NAME_FUNCTION, {0}},
    {"torch.jit.load", PM_NAME_FUNCTION, {0}},
    {"torch.ScriptModule", PM_NAME_CLASS, {.gives = PM_VALUE_OTHER}},
    {"torch.trace", PM_NAME_FUNCTION, {.gives = PM_VALUE_ARRAY}},
};

static struct pm_resolve_names *table(void)
{
    struct pm_resolve_names *names = pm_resolve_names_new();
    const unsigned torch = pm_resolve_names_framework(names, "torch");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pm_resolve_names_add(names, torch, rows[i].name, NULL, rows[i].kind);
        pm_resolve_names_fact(names, torch, rows[i].name, rows[i].fact);
    }
    pm_resolve_names_add(names, torch, "torch.nn.Module.eval", "torch.nn.ModuleList.eval",
                         PM_NAME_METHOD);
    pm_resolve_names_add(names, torch, "torch.nn.Module.eval", "torch.nn.Linear.eval",
                         PM_NAME_METHOD);
    pm_resolve_names_add(names, torch, "torch.nn.Module.cpu", "torch.nn.ModuleList.cpu",
                         PM_NAME_METHOD);
    pm_resolve_names_add(names, torch, "torch.nn.Module.cpu", "torch.nn.Linear.cpu",
                         PM_NAME_METHOD);
    pm_resolve_names_base(names, torch, "torch.Placed", "torch.Sharded");
    pm_resolve_names_moved(names, torch, "neural", "torch.nn");
    pm_resolve_names_fact(names, torch, "torch.Tensor.T",
                          (struct pm_resolve_fact){.gives = PM_VALUE_ARRAY});
    pm_resolve_names_fact(names, torch, "torch.Tensor.shape",
                          (struct pm_resolve_fact){.gives = PM_VALUE_OTHER, .class = "torch.Size"});
    pm_resolve_names_fact(names, torch, "torch.autograd.Function.saved_tensors",
                          (struct pm_resolve_fact){.gives = PM_VALUE_ARRAYS});
    return names;
}

struct taking {
    const struct pm_resolve_index *index;
    struct pm_str out;
    bool imports; /* whether to take uses found by imports and by name, too */
};

static void take(void *ctx, const struct pm_types_place *place)
{
    struct taking *t = ctx;
    const bool other = place->how == PM_RESOLVE_HOW_IMPORT || place->how == PM_RESOLVE_HOW_NAME;
    if (other && !t->imports)
        return;
    pm_str_addf(&t->out, "%u:%u:%u %s%s%s %s %s\n", place->file, place->line, place->column,
                place->inside, *place->inside ? " " : "",
                t->index->frameworks[0].functions.names[place->function - 1],
                pm_resolve_form_text(place->form), pm_resolve_how_text(place->how));
}

struct source {
    const char *path, *text;
};

/* Reads the files of a project and passes its uses to the callback. Returns the number of steps of
 * all searches among the project's classes. */
static uint64_t read_project(const struct pm_resolve_index *index, const struct source *sources,
                             size_t count, pm_types_take *taker, void *ctx)
{
    struct pm_resolve_file file = {.index = index};
    struct pm_types_project *project = pm_types_project_new(index);
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(sources[i].text);
        unsigned char *copy = pm_alloc(length + PM_PYLEX_PADDING);
        memcpy(copy, sources[i].text, length);
        pm_resolve_file_lex(&file, copy, length);
        pm_resolve_file_imports(&file);
        pm_resolve_file_uses(&file);
        pm_types_project_add(project, sources[i].path, &file);
        free(copy);
    }
    pm_types_project_finish(project, taker, ctx);
    const uint64_t steps = project->steps;
    pm_types_project_free(project);
    pm_resolve_file_release(&file);
    return steps;
}

static void assert_places(const struct source *sources, size_t count, bool imports,
                          const char *expected)
{
    struct pm_resolve_names *names = table();
    struct pm_resolve_index index;
    pm_resolve_index_init(&index, names);
    struct taking taking = {&index, PM_STR_INIT, imports};
    (void)read_project(&index, sources, count, take, &taking);
    if (strcmp(taking.out.data, expected) != 0)
        fail_msg("in\n%s\nfound\n%sexpected\n%s", sources[0].text, taking.out.data, expected);
    pm_str_release(&taking.out);
    pm_resolve_index_release(&index);
    pm_resolve_names_free(names);
}

/* Asserts that exactly these uses are inferred in a file with this text. */
static void assert_inferred(const char *text, const char *expected)
{
    assert_places(&(struct source){"a.py", text}, 1, false, expected);
}

#endif
