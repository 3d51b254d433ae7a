/* Counts the uses in the files of one thread by both counting rules. */
#include "corpus/count.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "pylex/pairs.h"

static bool add_pair(struct pm_corpus__pairs *pairs, uint64_t key, uint32_t row);

static void grow_pairs(struct pm_corpus__pairs *pairs)
{
    const struct pm_corpus__pairs old = *pairs;
    const size_t capacity = old.keys ? (old.mask + 1) * 2 : 1024;
    pairs->keys = pm_alloc(capacity * sizeof *pairs->keys);
    pairs->rows = pm_alloc(capacity * sizeof *pairs->rows);
    pairs->mask = capacity - 1;
    pairs->count = 0;
    for (size_t i = 0; old.keys && i <= old.mask; i++) {
        if (old.keys[i])
            (void)add_pair(pairs, old.keys[i], old.rows[i]);
    }
    free(old.keys);
    free(old.rows);
}

/* Adds a pair; true if it is new. Two different pairs have the same key with a probability of about
 * 5e-20. */
static bool add_pair(struct pm_corpus__pairs *pairs, uint64_t key, uint32_t row)
{
    if (!pairs->keys || pairs->count * 2 > pairs->mask)
        grow_pairs(pairs);
    size_t i = key & pairs->mask;
    for (; pairs->keys[i]; i = (i + 1) & pairs->mask) {
        if (pairs->keys[i] == key)
            return false;
    }
    pairs->keys[i] = key;
    pairs->rows[i] = row;
    pairs->count++;
    return true;
}

static uint64_t pair_key(uint64_t repository, uint32_t row)
{
    uint64_t key = repository ^ (row + 1) * 0x9e3779b97f4a7c15u;
    key = (key ^ key >> 32) * 0xd6e8feb86659fd93u;
    key = (key ^ key >> 32) * 0xd6e8feb86659fd93u;
    key ^= key >> 32;
    return key ? key : 1;
}

void pm_corpus__counter_init(struct pm_corpus__counter *counter,
                             const struct pm_resolve_index *index,
                             const struct pm_corpus__filter *filter, bool every_file)
{
    *counter = (struct pm_corpus__counter){
        .index = index, .filter = filter, .every_file = every_file, .file = {.index = index}};
    counter->plain = pm_alloc((index->symbol_count + 1) * sizeof *counter->plain);
    for (unsigned i = 0; i < index->framework_count; i++) {
        const struct pm_resolve_framework *of = &index->frameworks[i];
        struct pm_corpus__counts *counts = &counter->frameworks[i];
        counts->names = pm_alloc(of->flat.count * sizeof *counts->names);
        counts->name_file = pm_alloc(of->flat.count * sizeof *counts->name_file);
        counts->functions = pm_alloc(of->functions.count * sizeof *counts->functions);
        counts->function_file = pm_alloc(of->functions.count * sizeof *counts->function_file);
        counts->inferred_file = pm_alloc(of->functions.count * sizeof *counts->inferred_file);
    }
}

/* Counts one use by the paper's rule, for each framework that has the name. */
static void count_bare_name(struct pm_corpus__counter *counter, uint32_t paper, uint32_t symbol,
                            const struct pm_resolve_class *class, uint64_t repository)
{
    const struct pm_resolve_symbol *of = &counter->index->symbols[symbol];
    for (uint32_t left = paper; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        if (!of->flat[i])
            continue;
        const uint32_t row = of->flat[i] - 1;
        struct pm_corpus__counts *counts = &counter->frameworks[i];
        struct pm_corpus_name *name = &counts->names[row];
        const bool may_be_method =
            class && class->attribute && counter->file.imported & 1u << i &&
            (!counter->index->frameworks[i].has_methods || of->methods & 1u << i);
        name->uses++;
        if (class && class->functions & counter->file.imported & 1u << i)
            name->resolved++;
        else if (may_be_method)
            name->possible_method++;
        else
            name->other++;
        if (counts->name_file[row] == counter->file_number)
            continue;
        counts->name_file[row] = counter->file_number;
        name->files++;
        if (repository && !counter->every_file)
            name->repositories +=
                add_pair(&counts->name_repositories, pair_key(repository, row), row);
    }
}

static void count_plain(struct pm_corpus__counter *counter, uint32_t symbol)
{
    struct pm_corpus__plain *plain = &counter->plain[symbol];
    plain->uses++;
    plain->files += plain->file != counter->file_number;
    plain->file = counter->file_number;
}

void pm_corpus__counter_settle(struct pm_corpus__counter *counter)
{
    const struct pm_resolve_index *index = counter->index;
    for (size_t symbol = 1; symbol <= index->symbol_count; symbol++) {
        struct pm_corpus__plain *plain = &counter->plain[symbol];
        for (unsigned i = 0; i < index->framework_count; i++) {
            const uint32_t row = index->symbols[symbol].flat[i];
            struct pm_corpus_name *name = row ? &counter->frameworks[i].names[row - 1] : NULL;
            if (!name)
                continue;
            name->uses += plain->uses;
            name->other += plain->uses;
            name->files += plain->files;
        }
        plain->uses = plain->files = 0;
    }
}

/* A call whose name may be in a flat list. */
struct candidate {
    uint32_t token, hash;
};

/* Finds the candidates in a block of 32 tokens. Branch-free on purpose: every call is stored, and
 * the count grows only for candidates. */
static size_t find_candidates(const struct pm_resolve_file *file, size_t block, uint32_t calls,
                              struct candidate *out)
{
    const struct pm_tokens *tokens = &file->tokens;
    size_t count = 0;
    for (; calls; calls &= calls - 1) {
        const size_t token = block + (size_t)__builtin_ctz(calls);
        if (token + 1 >= tokens->count)
            break;
        const uint32_t start = tokens->start[token], length = tokens->end[token] - start;
        uint64_t words[2];
        pm_resolve_words(file->text + start, length, words);
        const uint32_t hash = pm_resolve_hash(file->text + start, length, words);
        out[count] = (struct candidate){(uint32_t)token, hash};
        count += pm_resolve_maybe(file->index, hash);
    }
    return count;
}

/* Counts by the paper's rule: names of the flat lists directly before `(` and not after `def`. */
static void count_paper(struct pm_corpus__counter *counter, uint32_t paper, uint64_t repository)
{
    const struct pm_resolve_file *file = &counter->file;
    size_t class = 0;
    const bool plain = counter->every_file && !file->imported &&
                       paper == (1u << counter->index->framework_count) - 1;
    const struct pm_pylex_pairs *pairs = pm_pylex_pairs();
    struct candidate candidates[33];
    for (size_t block = 0; block < file->tokens.count; block += 32) {
        const uint32_t calls = pairs->calls(file->tokens.kind + block);
        const size_t count = find_candidates(file, block, calls, candidates);
        for (size_t i = 0; i < count; i++) {
            const size_t token = candidates[i].token;
            const uint32_t symbol = pm_resolve_token_symbol(file, token, candidates[i].hash);
            if (!symbol || (token > 0 && PM_RESOLVE_IS(file, token - 1, "def")))
                continue;
            if (plain) {
                count_plain(counter, symbol);
                continue;
            }
            while (class < file->classes_count && file->classes[class].token < token)
                class ++;
            const bool classed = class < file->classes_count && file->classes[class].token == token;
            count_bare_name(counter, paper, symbol, classed ? &file->classes[class] : NULL,
                            repository);
        }
    }
}

static void count_use(struct pm_corpus__counter *counter, const struct pm_resolve_use *use,
                      uint64_t repository)
{
    const struct pm_resolve_file *file = &counter->file;
    struct pm_corpus__counts *counts = &counter->frameworks[use->framework];
    const uint32_t row = use->function - 1;
    struct pm_corpus_function *function = &counts->functions[row];
    function->calls += use->call;
    function->references += !use->call;
    function->rebound += use->local && file->locals[use->local - 1].rebound;
    if (counts->function_file[row] == counter->file_number)
        return;
    counts->function_file[row] = counter->file_number;
    function->files++;
    if (repository)
        function->repositories +=
            add_pair(&counts->function_repositories, pair_key(repository, row), row);
}

/* Adds calls of a name in `files` files. `file` is the number of the only file, or 0 if the calls
 * come from another counter. */
static void add_unlisted(struct pm_corpus__unlisted *unlisted, const char *name, uint64_t calls,
                         uint64_t files, uint32_t file)
{
    size_t row = (size_t)(uintptr_t)pm_map_get(&unlisted->by_name, name);
    if (!row && unlisted->count == PM_CORPUS_MOST_UNLISTED)
        return;
    if (!row) {
        size_t count = unlisted->count;
        PM_GROW(unlisted->file, count, unlisted->file_capacity);
        unlisted->file[count] = 0;
        PM_GROW(unlisted->rows, unlisted->count, unlisted->capacity);
        unlisted->rows[unlisted->count++] = (struct pm_corpus_unlisted){.name = pm_strdup(name)};
        row = unlisted->count;
        pm_map_put(&unlisted->by_name, name, (void *)(uintptr_t)row);
    }
    unlisted->rows[row - 1].calls += calls;
    unlisted->rows[row - 1].files += file && unlisted->file[row - 1] == file ? 0 : files;
    unlisted->file[row - 1] = file;
}

/* Counts by the resolved rule. Also finds the classes of names that the paper's rule needs. */
static void count_uses(struct pm_corpus__counter *counter, uint64_t repository)
{
    struct pm_resolve_file *file = &counter->file;
    pm_resolve_file_uses(file);
    for (size_t i = 0; i < file->uses_count; i++)
        /* An import must name the framework, not only a part of it such as `keras`. */
        if (file->imported >> file->uses[i].framework & 1)
            count_use(counter, &file->uses[i], repository);
    for (unsigned i = 0; i < counter->index->framework_count; i++) {
        counter->frameworks[i].importing_files += file->imported >> i & 1;
        counter->frameworks[i].unlisted += file->imported >> i & 1 ? file->unlisted[i] : 0;
    }
    for (size_t i = 0; i < file->unlisted_calls_count; i++) {
        const struct pm_resolve_unlisted *call = &file->unlisted_calls[i];
        if (!(file->imported >> call->framework & 1))
            continue;
        add_unlisted(&counter->frameworks[call->framework].unlisted_names, file->texts + call->text,
                     1, 1, counter->file_number);
    }
}

void pm_corpus__count(struct pm_corpus__counter *counter, const unsigned char *text, size_t length,
                      struct pm_corpus__importing importing, uint64_t repository)
{
    struct pm_resolve_file *file = &counter->file;
    uint32_t paper =
        counter->every_file ? (1u << counter->index->framework_count) - 1 : importing.paper;
    if (paper & counter->filter->authored)
        paper &= ~pm_corpus__own_source(counter->filter, text, length);
    counter->file_number++;
    file->imported = 0;
    file->classes_count = 0;
    pm_resolve_file_lex(file, text, length);
    if (importing.joined) {
        pm_resolve_file_imports(file);
        if (file->imported)
            count_uses(counter, repository);
    }
    for (unsigned i = 0; i < counter->index->framework_count; i++)
        counter->frameworks[i].paper_files += paper >> i & 1;
    if (paper)
        count_paper(counter, paper, repository);
}

void pm_corpus__count_place(struct pm_corpus__counter *counter, const struct pm_corpus_place *place,
                            uint64_t repository)
{
    struct pm_corpus__counts *counts = &counter->frameworks[place->framework_row];
    const uint32_t row = place->function_row;
    struct pm_corpus_inferred *inferred = &counts->functions[row].inferred;
    if (place->how == PM_RESOLVE_HOW_ONE_OF || place->how == PM_RESOLVE_HOW_NAME) {
        inferred->possible += place->form != PM_RESOLVE_FORM_REFERENCE;
        return;
    }
    inferred->calls += place->form == PM_RESOLVE_FORM_CALL;
    inferred->references += place->form == PM_RESOLVE_FORM_REFERENCE;
    inferred->instance_calls += place->form == PM_RESOLVE_FORM_INSTANCE;
    if (counts->inferred_file[row] == place->text)
        return;
    counts->inferred_file[row] = place->text;
    inferred->files++;
    if (repository)
        inferred->repositories +=
            add_pair(&counts->inferred_repositories, pair_key(repository, row), row);
}

static void merge_pairs(struct pm_corpus__pairs *to, const struct pm_corpus__pairs *from,
                        struct pm_corpus__counts *counts, bool functions)
{
    for (size_t i = 0; from->keys && i <= from->mask; i++) {
        if (!from->keys[i] || !add_pair(to, from->keys[i], from->rows[i]))
            continue;
        if (functions)
            counts->functions[from->rows[i]].repositories++;
        else
            counts->names[from->rows[i]].repositories++;
    }
}

void pm_corpus__counter_merge(struct pm_corpus__counter *counter,
                              const struct pm_corpus__counter *other)
{
    for (unsigned i = 0; i < counter->index->framework_count; i++) {
        struct pm_corpus__counts *to = &counter->frameworks[i];
        const struct pm_corpus__counts *from = &other->frameworks[i];
        for (size_t k = 0; k < counter->index->frameworks[i].flat.count; k++) {
            to->names[k].uses += from->names[k].uses;
            to->names[k].resolved += from->names[k].resolved;
            to->names[k].possible_method += from->names[k].possible_method;
            to->names[k].other += from->names[k].other;
            to->names[k].files += from->names[k].files;
        }
        for (size_t k = 0; k < counter->index->frameworks[i].functions.count; k++) {
            to->functions[k].calls += from->functions[k].calls;
            to->functions[k].references += from->functions[k].references;
            to->functions[k].rebound += from->functions[k].rebound;
            to->functions[k].files += from->functions[k].files;
        }
        to->paper_files += from->paper_files;
        to->importing_files += from->importing_files;
        to->unlisted += from->unlisted;
        for (size_t k = 0; k < from->unlisted_names.count; k++) {
            const struct pm_corpus_unlisted *row = &from->unlisted_names.rows[k];
            add_unlisted(&to->unlisted_names, row->name, row->calls, row->files, 0);
        }
        merge_pairs(&to->name_repositories, &from->name_repositories, to, false);
        merge_pairs(&to->function_repositories, &from->function_repositories, to, true);
    }
}

static void release_pairs(struct pm_corpus__pairs *pairs)
{
    free(pairs->keys);
    free(pairs->rows);
}

void pm_corpus__counter_release(struct pm_corpus__counter *counter)
{
    for (unsigned i = 0; counter->index && i < counter->index->framework_count; i++) {
        struct pm_corpus__counts *counts = &counter->frameworks[i];
        pm_map_release(&counts->unlisted_names.by_name);
        for (size_t k = 0; k < counts->unlisted_names.count; k++)
            free(counts->unlisted_names.rows[k].name);
        free(counts->unlisted_names.rows);
        free(counts->unlisted_names.file);
        free(counts->names);
        free(counts->functions);
        free(counts->name_file);
        free(counts->function_file);
        free(counts->inferred_file);
        release_pairs(&counts->name_repositories);
        release_pairs(&counts->function_repositories);
        release_pairs(&counts->inferred_repositories);
    }
    free(counter->plain);
    pm_resolve_file_release(&counter->file);
}
