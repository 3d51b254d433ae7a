/*
 * Feeds any bytes as Python to the search for imports, aliases and uses, with a table and with a
 * flat list. The found places must be within the text and in order, and the classes of uses must
 * add up.
 */
#include <stdlib.h>

#include "corpus/count.h"
#include "fuzz.h"

static const char *const frameworks[] = {"torch", "jax"};

static struct pm_resolve_names *table(void)
{
    struct pm_resolve_names *names = pm_resolve_names_new();
    const unsigned torch = pm_resolve_names_framework(names, frameworks[0]);
    const unsigned jax = pm_resolve_names_framework(names, frameworks[1]);
    pm_resolve_names_add(names, torch, "torch.a", NULL, PM_NAME_FUNCTION);
    pm_resolve_names_add(names, torch, "torch.b.a", "torch.b.c.d", PM_NAME_CLASS);
    pm_resolve_names_add(names, torch, "torch.T.b", NULL, PM_NAME_METHOD);
    pm_resolve_names_flat(names, jax, "a");
    pm_resolve_names_flat(names, jax, "b");
    return names;
}

static void check_file(const struct pm_resolve_file *file)
{
    for (size_t i = 0; i < file->uses_count; i++) {
        const struct pm_resolve_use *use = &file->uses[i];
        if (use->after > file->tokens.count || use->token >= use->after)
            fuzz_wrong("a use outside the tokens");
        if (i > 0 && use->token < file->uses[i - 1].token)
            fuzz_wrong("uses out of order");
        if (use->local > file->locals_count || !use->function)
            fuzz_wrong("a use of nothing");
    }
    for (size_t i = 1; i < file->classes_count; i++) {
        if (file->classes[i].token <= file->classes[i - 1].token)
            fuzz_wrong("classes out of order");
    }
}

static void check_counts(const struct pm_corpus__counter *counter)
{
    for (unsigned i = 0; i < 2; i++) {
        for (size_t k = 0; k < counter->index->frameworks[i].flat.count; k++) {
            const struct pm_corpus_name *name = &counter->frameworks[i].names[k];
            if (name->uses != name->resolved + name->possible_method + name->other)
                fuzz_wrong("a use of no class");
        }
        for (size_t k = 0; k < counter->index->frameworks[i].functions.count; k++) {
            const struct pm_corpus_function *function = &counter->frameworks[i].functions[k];
            if (function->rebound > function->calls + function->references)
                fuzz_wrong("more rebound than there are");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pm_resolve_names *names = table();
    struct pm_resolve_index index;
    struct pm_corpus__filter filter;
    struct pm_corpus__counter counter;
    const struct pm_corpus__importing importing = {.paper = 3, .joined = 3};
    unsigned char *text = fuzz_copy(data, size, PM_PYLEX_PADDING);
    pm_resolve_index_init(&index, names);
    pm_corpus__filter_init(&filter, pm_corpus__kernels(), frameworks, 2);
    pm_corpus__counter_init(&counter, &index, &filter, false);
    pm_corpus__count(&counter, text, size, importing, 1);
    check_file(&counter.file);
    check_counts(&counter);
    if (counter.file.imported & ~pm_corpus__filter_text(&filter, text, text + size).joined)
        fuzz_wrong("an import that the filter does not know");
    pm_corpus__counter_settle(&counter);
    pm_corpus__counter_release(&counter);
    pm_resolve_index_release(&index);
    pm_resolve_names_free(names);
    free(text);
    return 0;
}
