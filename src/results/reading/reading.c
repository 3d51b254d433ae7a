/* Finds, groups and releases judged rows in memory, and computes the exit status of a report. */
#include "reading/reading.h"

#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "judge/reasons.h"

char *pm_reading_keep(struct pm_reading *r, const char *text)
{
    PM_GROW(r->strings, r->string_list.count, r->string_list.capacity);
    return r->strings[r->string_list.count++] = pm_strdup(text);
}

int pm_reading_target(const struct pm_reading *r, const struct pm_store *store, size_t run,
                      int64_t id, const char *table, int *index, struct pm_error *err)
{
    const size_t count = r->target_list.count + r->hidden_targets + r->other_targets;
    for (size_t i = 0; i < count; i++)
        if (r->targets[i].id == id && r->targets[i].run == run) {
            *index = (int)i;
            return PM_OK;
        }
    return pm_store_damaged(store, err, "row '%s of run %lld' refers to target %lld of another run",
                            table, (long long)r->runs[run].id, (long long)id);
}

int pm_reading_reference_index(const struct pm_reading *r, int target)
{
    const struct pm_reading_target *t = &r->targets[target];
    for (size_t i = 0; i < r->target_list.count + r->hidden_targets; i++)
        if (r->targets[i].run == t->run && !pm_reading_is_noise(&r->targets[i]) &&
            !strcmp(r->targets[i].text, t->reference))
            return (int)i;
    return -1;
}

static char *key_text(const struct pm_reading_key *key)
{
    return pm_format("%d\n%d\n%s\n%s\n%d\n%d\n%d", key->target, (int)key->scope, key->function,
                     key->name, (int)key->clock, (int)key->size, (int)key->what);
}

static void index_statistics(struct pm_reading *r, struct pm_reading_statistic *statistics,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *key = key_text(&statistics[i].key);
        pm_map_put(&r->statistic_by_key, key, &statistics[i]);
        free(key);
    }
}

static int by_execution(const void *left, const void *right)
{
    const struct pm_reading_first_call *a = left, *b = right;
    return (a->execution > b->execution) - (a->execution < b->execution);
}

/* Returns how many cases from cases[first] on belong to the same target as cases[first]. */
static size_t count_cases(const struct pm_reading *r, size_t first)
{
    size_t count = 0;
    while (first + count < r->case_list.count &&
           r->cases[first + count].target == r->cases[first].target)
        count++;
    return count;
}

/* Finds the reference of each of `count` cases from cases[first] on, among the cases of the
 * reference target, which begin at cases[reference]. Both lists have the same order. */
static void find_references(struct pm_reading *r, size_t first, size_t count, size_t reference)
{
    const size_t end = reference + count_cases(r, reference);
    for (size_t i = first; i < first + count; i++) {
        struct pm_reading_case *c = &r->cases[i];
        int order = -1;
        while (reference < end &&
               (order = strcmp(r->cases[reference].function, c->function)) <= 0 &&
               (order || r->cases[reference].id < c->id))
            reference++;
        c->reference =
            reference < end && !order && r->cases[reference].id == c->id ? reference + 1 : 0;
    }
}

static void index_references(struct pm_reading *r)
{
    for (size_t first = 0, count; first < r->case_list.count; first += count) {
        const int reference = pm_reading_reference_index(r, r->cases[first].target);
        size_t at = 0;
        count = count_cases(r, first);
        while (at < r->case_list.count && r->cases[at].target != reference)
            at += count_cases(r, at);
        if (at < r->case_list.count)
            find_references(r, first, count, at);
    }
}

void pm_reading_index(struct pm_reading *r)
{
    index_references(r);
    index_statistics(r, r->statistics, r->statistic_list.count);
    index_statistics(r, r->hidden_statistics, r->hidden_statistic_list.count);
    if (r->first_calls)
        qsort(r->first_calls, r->first_call_list.count, sizeof *r->first_calls, by_execution);
}

const struct pm_reading_first_call *
pm_reading_first_call(const struct pm_reading *r, const struct pm_reading_judgement *judgement)
{
    const struct pm_reading_first_call key = {.execution = judgement->execution};
    return r->first_calls ? bsearch(&key, r->first_calls, r->first_call_list.count,
                                    sizeof *r->first_calls, by_execution)
                          : NULL;
}

void pm_reading_release(struct pm_reading *r)
{
    pm_free_strings(r->strings, r->string_list.count);
    pm_map_release(&r->statistic_by_key);
    pm_map_release(&r->case_by_key);
    for (size_t i = 0; i < r->run_list.count; i++) {
        for (size_t k = 0; k < r->runs[i].attempt_count; k++)
            json_decref(r->runs[i].attempts[k].machine);
        free(r->runs[i].attempts);
        free(r->runs[i].shards);
        json_decref(r->runs[i].options);
    }
    free(r->runs);
    free(r->targets);
    free(r->verdicts);
    free(r->judgements);
    free(r->superseded);
    free(r->cases);
    free(r->statistics);
    free(r->hidden_statistics);
    free(r->first_calls);
    free(r->planted_faults);
    free(r->estimates);
    free(r->samples);
    for (size_t i = 0; i < r->uses_list.count; i++) {
        pm_map_release(&r->uses[i].by_function);
        pm_map_release(&r->uses[i].canonical);
    }
    free(r->uses);
    free(r->older);
    *r = (struct pm_reading){0};
}

const char *pm_reading_unfinished(const struct pm_reading_run *run)
{
    return run->is_running                         ? "still running"
           : run->shard_list_count && *run->source ? "incomplete"
                                                   : "unfinished";
}

size_t pm_reading_runs_shown(const struct pm_reading *r)
{
    size_t shown = 0;
    for (size_t i = 0; i < r->run_list.count; i++)
        shown += r->runs[i].shown;
    return shown;
}

const struct pm_reading_statistic *pm_reading_statistic(const struct pm_reading *r,
                                                        const struct pm_reading_key *key)
{
    char *text = key_text(key);
    const struct pm_reading_statistic *statistic = pm_map_get(&r->statistic_by_key, text);
    free(text);
    return statistic;
}

char *pm_reading_case_key(int target, const char *function, const char *name)
{
    return name ? pm_format("%d\n%s\n%s", target, function, name)
                : pm_format("%d\n%s", target, function);
}

const struct pm_reading_case *pm_reading_cases_of(const struct pm_reading *r, int target,
                                                  const char *function, size_t *count)
{
    char *key = pm_reading_case_key(target, function, NULL);
    const size_t found = (size_t)(uintptr_t)pm_map_get(&r->case_by_key, key);
    free(key);
    *count = 0;
    if (!found)
        return NULL;
    const struct pm_reading_case *first = &r->cases[found - 1];
    while (found - 1 + *count < r->case_list.count && first[*count].target == target &&
           !strcmp(first[*count].function, function))
        ++*count;
    return first;
}

const struct pm_reading_case *pm_reading_case(const struct pm_reading *r, int target,
                                              const char *function, const char *name)
{
    size_t count;
    const struct pm_reading_case *first = pm_reading_cases_of(r, target, function, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(first[i].name, name))
            return &first[i];
    return NULL;
}

const struct pm_reading_case *pm_reading_reference(const struct pm_reading *r,
                                                   const struct pm_reading_case *c)
{
    return c->reference ? &r->cases[c->reference - 1] : NULL;
}

bool pm_reading_is_excluded(const struct pm_reading *r, const struct pm_reading_case *c)
{
    const struct pm_reading_case *reference =
        pm_reading_is_reference(&r->targets[c->target]) ? c : pm_reading_reference(r, c);
    return reference && reference->failed && !c->raises && c->passed + c->failed + c->blocked > 0;
}

bool pm_reading_is_impossible(const struct pm_reading_verdict *v)
{
    return !v->host_only && pm_verdict_is_counted(v->verdict) &&
           !pm_verdict_is_working(v->verdict) &&
           !strcmp(v->reason, pm_reason_text(PM_REASON_NOT_POSSIBLE));
}

const struct pm_reading_statistic *pm_reading_warm(const struct pm_reading *r, int target,
                                                   const char *function, const char *name,
                                                   enum pm_size size, enum pm_statistic what)
{
    const struct pm_reading_key key = {.target = target,
                                       .scope = *name       ? PM_SCOPE_CASE
                                                : *function ? PM_SCOPE_FUNCTION
                                                            : PM_SCOPE_TARGET,
                                       .function = function,
                                       .name = name,
                                       .clock = PM_CLOCK_WARM,
                                       .size = size,
                                       .what = what};
    return pm_reading_statistic(r, &key);
}

const struct pm_reading_statistic *pm_reading_noise(const struct pm_reading *r, int reference)
{
    return pm_reading_warm(r, reference, "", "", PM_SIZE_SMALL, PM_STATISTIC_NOISE);
}

const struct pm_reading_uses *pm_reading_uses(const struct pm_reading *r, const char *framework)
{
    for (size_t i = 0; i < r->uses_list.count; i++)
        if (!strcmp(r->uses[i].framework, framework))
            return &r->uses[i];
    return NULL;
}

const char *pm_reading_counted_name(const struct pm_reading *r, const char *framework,
                                    const char *function)
{
    const struct pm_reading_uses *uses = pm_reading_uses(r, framework);
    const char *name = uses ? pm_map_get(&uses->canonical, function) : NULL;
    return name ? name : function;
}

int64_t pm_reading_calls(const struct pm_reading *r, const char *framework, const char *function)
{
    const struct pm_reading_uses *uses = pm_reading_uses(r, framework);
    const char *name = pm_reading_counted_name(r, framework, function);
    return uses ? (int64_t)(uintptr_t)pm_map_get(&uses->by_function, name) : 0;
}

bool pm_reading_has_subject(const struct pm_reading *r, int reference)
{
    for (size_t i = 0; i < r->target_list.count; i++)
        if (r->targets[i].role == PM_ROLE_SUBJECT &&
            !strcmp(r->targets[i].reference, r->targets[reference].text))
            return true;
    return false;
}

enum pm_exit pm_reading_exit(const struct pm_reading *r)
{
    bool latencies_invalid = false;
    for (size_t i = 0; i < r->run_list.count; i++) {
        const struct pm_reading_run *run = &r->runs[i];
        if (run->shown && run->validity != PM_VALIDITY_VALID)
            return PM_EXIT_INCONCLUSIVE;
        latencies_invalid |= run->shown && run->latency_validity == PM_VALIDITY_INVALID;
    }
    for (size_t i = 0; i < r->case_list.count; i++)
        if (pm_reading_shows(r, r->cases[i].target) && pm_reading_fails(&r->cases[i]))
            return PM_EXIT_WORSE;
    return latencies_invalid || r->older_list.count ? PM_EXIT_INCONCLUSIVE : PM_EXIT_FINE;
}

/* ---- messages ------------------------------------------------------------------------------- */

static size_t word_length(const char *text, bool *has_digit)
{
    size_t length = 0;
    *has_digit = false;
    for (; isalnum((unsigned char)text[length]) || text[length] == '_'; length++)
        *has_digit |= isdigit((unsigned char)text[length]) != 0;
    return length;
}

/* Returns whether two messages differ only in words with digits, such as numbers and generated
 * names. */
static bool read_alike(const char *a, const char *b)
{
    while (*a && *b) {
        bool digits, others;
        const size_t length = word_length(a, &digits), other = word_length(b, &others);
        const bool same = length == other && !strncmp(a, b, length ? length : 1);
        if (!same && (!digits || !others))
            return false;
        a += length ? length : 1;
        b += other ? other : 1;
    }
    return *a == *b;
}

static bool have_one_message(const struct pm_reading_case *a, const struct pm_reading_case *b)
{
    return a->outcome == b->outcome && a->stage == b->stage && !strcmp(a->reason, b->reason) &&
           !strcmp(a->rule, b->rule) && read_alike(a->detail, b->detail);
}

static struct pm_reading_message *message_of(const struct pm_reading_case *c,
                                             struct pm_reading_messages *messages)
{
    for (size_t i = 0; i < messages->count; i++)
        if (have_one_message(messages->items[i].firsts[0], c))
            return &messages->items[i];
    PM_GROW(messages->items, messages->count, messages->capacity);
    struct pm_reading_message *m = &messages->items[messages->count++];
    *m = (struct pm_reading_message){0};
    return m;
}

/* Counts a case of a message, but only on the first target that has the message, because usually
 * the same cases fail on the other targets. */
static void count_message(const struct pm_reading_case *c, struct pm_reading_message *m)
{
    if (!m->target_count || m->firsts[m->target_count - 1]->target != c->target) {
        PM_GROW(m->firsts, m->target_count, m->target_capacity);
        m->firsts[m->target_count++] = c;
    }
    m->varies |= strcmp(m->firsts[0]->detail, c->detail) != 0;
    if (c->target != m->firsts[0]->target)
        return;
    if (m->count < PM_READING_NAMED)
        m->named[m->count] = c;
    m->count++;
}

struct pm_reading_messages pm_reading_messages(const struct pm_reading *r,
                                               const struct pm_reading_verdict *const *verdicts,
                                               size_t verdict_count)
{
    struct pm_reading_messages messages = {0};
    for (size_t i = 0; i < verdict_count; i++) {
        size_t count;
        const struct pm_reading_case *cases =
            pm_reading_cases_of(r, verdicts[i]->target, verdicts[i]->function, &count);
        for (size_t k = 0; k < count; k++)
            if (cases[k].outcome != PM_OUTCOME_PASS)
                count_message(&cases[k], message_of(&cases[k], &messages));
    }
    return messages;
}

void pm_reading_messages_release(struct pm_reading_messages *messages)
{
    for (size_t i = 0; i < messages->count; i++)
        free(messages->items[i].firsts);
    free(messages->items);
}
