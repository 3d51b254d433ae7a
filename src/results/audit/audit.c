/* Turns the uses that a scan finds into findings. */
#include "audit/audit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "audit/audit_private.h"
#include "base/alloc.h"

/* ---- an audit -------------------------------------------------------------------------------- */

struct pm_audit *pm_audit_new(const struct pm_audit_options *options,
                              const struct pm_audit_evidence *evidence,
                              const struct pm_audit_rules *rules)
{
    struct pm_audit *audit = pm_alloc(sizeof *audit);
    audit->options = options;
    audit->evidence = evidence;
    audit->rules = rules;
    audit->where = (struct pm_audit_where){options->framework, options->device};
    return audit;
}

static void forget_texts(struct pm_audit *audit)
{
    for (size_t i = 0; i < audit->seen_count; i++)
        free(audit->seen[i].bytes);
    audit->seen_count = audit->seen_done = 0;
}

void pm_audit_free(struct pm_audit *audit)
{
    if (!audit)
        return;
    forget_texts(audit);
    pm_audit_text_release(&audit->text);
    for (size_t i = 0; i < audit->file_count; i++)
        free(audit->files[i].path);
    for (size_t i = 0; i < audit->kind_count; i++) {
        free(audit->kinds[i].rule);
        free(audit->kinds[i].function);
        free(audit->kinds[i].message);
        free(audit->kinds[i].brief);
        free(audit->kinds[i].shown_case);
        free(audit->kinds[i].reason);
    }
    for (size_t i = 0; i < audit->use_count; i++)
        free(audit->uses[i].name);
    for (size_t i = 0; i < audit->rule_masks.capacity; i++)
        if (audit->rule_masks.entries[i].key)
            free(audit->rule_masks.entries[i].value);
    pm_map_release(&audit->rule_masks);
    pm_map_release(&audit->kind_by_key);
    pm_map_release(&audit->use_by_name);
    free(audit->files);
    free(audit->kinds);
    free(audit->findings);
    free(audit->uses);
    free(audit->seen);
    free(audit);
}

size_t pm_audit_shown(const struct pm_audit *audit, enum pm_audit_level level)
{
    size_t count = 0;
    for (size_t i = 0; i < audit->finding_count; i++)
        count += !audit->findings[i].hidden && audit->findings[i].level == level;
    return count;
}

/* ---- kinds ----------------------------------------------------------------------------------- */

/* Returns the index of the kind with this rule, function and message, which it adds if it is new.
 * Takes ownership of `message`. */
static size_t kind_of(struct pm_audit *audit, const char *rule, const char *function, char *message,
                      enum pm_audit_level level)
{
    char *key = pm_format("%s\n%s\n%s", rule, function, message);
    size_t found = (size_t)(uintptr_t)pm_map_get(&audit->kind_by_key, key);
    if (!found) {
        PM_GROW(audit->kinds, audit->kind_count, audit->kind_capacity);
        audit->kinds[audit->kind_count++] = (struct pm_audit_kind){.rule = pm_strdup(rule),
                                                                   .function = pm_strdup(function),
                                                                   .message = pm_strdup(message),
                                                                   .level = level,
                                                                   .shown_case = pm_strdup(""),
                                                                   .reason = pm_strdup("")};
        found = audit->kind_count;
        pm_map_put(&audit->kind_by_key, key, (void *)(uintptr_t)found);
    }
    free(key);
    free(message);
    return found - 1;
}

static const char *rule_of(enum pm_audit_status status)
{
    switch (status) {
    case PM_AUDIT_PREDICTED_FAILS:
        return "predicted";
    case PM_AUDIT_PREDICTED_WORKS:
    case PM_AUDIT_UNKNOWN:
        return "unknown";
    default:
        return pm_audit_status_text(status);
    }
}

static enum pm_audit_level level_of(const struct pm_audit *audit,
                                    const struct pm_audit_answer *answer)
{
    if (answer->status == PM_AUDIT_PREDICTED_FAILS) /* one level below a measured failure */
        return answer->failing == answer->compatible && !pm_audit_answer_is_weak(answer) &&
                       audit->options->predictions->has_texts &&
                       pm_audit__is_version(audit, audit->options->predictions->version)
                   ? PM_AUDIT_LEVEL_WARNING
                   : PM_AUDIT_LEVEL_NOTE;
    if (answer->status == PM_AUDIT_FAILS)
        return pm_audit_same_version(audit) && !pm_audit_answer_is_weak(answer)
                   ? PM_AUDIT_LEVEL_ERROR
                   : PM_AUDIT_LEVEL_WARNING;
    if (answer->status == PM_AUDIT_DEPENDS && answer->shown->kind == PM_CASE_KIND_CORE)
        return PM_AUDIT_LEVEL_WARNING;
    return PM_AUDIT_LEVEL_NOTE;
}

static size_t evidence_kind(struct pm_audit *audit, const char *function,
                            const struct pm_audit_answer *answer)
{
    const char *rule = rule_of(answer->status);
    const enum pm_audit_level level = level_of(audit, answer);
    const size_t index =
        kind_of(audit, rule, function, pm_audit__message(audit, function, answer, 0), level);
    struct pm_audit_kind *kind = &audit->kinds[index];
    if (!kind->brief) { /* printed between "note: " and " [rule]" */
        const size_t around = strlen(pm_audit_level_text(level)) + strlen(rule) + 5;
        kind->brief = pm_audit__message(audit, function, answer, PM_AUDIT__LINE - around);
    }
    if (answer->shown && !*kind->shown_case) {
        free(kind->shown_case);
        free(kind->reason);
        kind->shown_case = pm_strdup(answer->shown->name);
        kind->reason = pm_strdup(answer->shown->reason);
        kind->tier = answer->shown->tier;
    }
    kind->failing = answer->failing;
    kind->recorded = answer->recorded;
    kind->predicted = pm_audit__is_predicted(answer->status);
    kind->compatible = answer->compatible;
    return index;
}

static size_t device_kind(struct pm_audit *audit, const char *function,
                          const struct pm_audit_rule *rule)
{
    char *message = *function ? pm_format("%s %s: %s", function, rule->why, rule->instead)
                              : pm_format("%s: %s", rule->why, rule->instead);
    const size_t index = kind_of(audit, rule->id, function, message, rule->level);
    audit->kinds[index].device = rule;
    return index;
}

/* ---- findings -------------------------------------------------------------------------------- */

/* Returns whether a comment on the line hides findings of a rule: "portmeter: ignore" hides those
 * of every rule, and "portmeter: ignore[rule, rule]" those of the named rules. */
static bool is_ignored(const struct pm_audit_text *text, uint32_t line, const char *rule)
{
    static const char word[] = "portmeter:", verb[] = "ignore";
    size_t length;
    const char *comment = pm_audit_text_comment(text, line, &length);
    const char *at = comment ? memmem(comment, length, word, sizeof word - 1) : NULL;
    if (!at)
        return false;
    const char *end = comment + length;
    at += sizeof word - 1;
    while (at < end && *at == ' ')
        at++;
    if ((size_t)(end - at) < sizeof verb - 1 || memcmp(at, verb, sizeof verb - 1) != 0)
        return false;
    at += sizeof verb - 1;
    if (at == end || *at != '[')
        return at == end || isspace((unsigned char)*at);
    while (at < end && *at != ']') {
        at++; /* '[' or ',' */
        while (at < end && *at == ' ')
            at++;
        const char *from = at;
        while (at < end && *at != ',' && *at != ']' && *at != ' ')
            at++;
        if ((size_t)(at - from) == strlen(rule) && memcmp(from, rule, strlen(rule)) == 0)
            return true;
        while (at < end && *at == ' ')
            at++;
    }
    return false;
}

/* Returns the fingerprint of a finding: a hash of its rule, function, path, and line without
 * spaces. */
static uint64_t print_of(const struct pm_audit *audit, const struct pm_audit_finding *finding,
                         uint32_t text_line)
{
    size_t length;
    const char *line = pm_audit_text_line(&audit->text, text_line, &length);
    const struct pm_audit_kind *kind = &audit->kinds[finding->kind];
    struct pm_str of = PM_STR_INIT;
    pm_str_addf(&of, "%s\n%s\n%s\n", kind->rule, kind->function, audit->files[finding->file].path);
    for (size_t i = 0; i < length; i++)
        if (!isspace((unsigned char)line[i]))
            pm_str_add_char(&of, line[i]);
    const uint64_t print = XXH3_64bits(of.data, of.length);
    pm_str_release(&of);
    return print;
}

static void add_finding(struct pm_audit *audit, struct pm_audit_finding finding, uint32_t text_line)
{
    size_t length;
    const char *line = pm_audit_text_line(&audit->text, text_line, &length);
    finding.character = 1;
    for (size_t i = 0; i + 1 < finding.column && i < length; i++)
        finding.character += ((unsigned char)line[i] & 0xc0) != 0x80;
    finding.print = print_of(audit, &finding, text_line);
    finding.hidden = is_ignored(&audit->text, text_line, audit->kinds[finding.kind].rule);
    audit->suppressed += finding.hidden;
    PM_GROW(audit->findings, audit->finding_count, audit->finding_capacity);
    audit->findings[audit->finding_count++] = finding;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static size_t add_file(struct pm_audit *audit, const char *input)
{
    while (input[0] == '.' && input[1] == '/')
        for (input += 2; *input == '/';)
            input++;
    if (audit->file_count && !strcmp(audit->files[audit->file_count - 1].path, input))
        return audit->file_count - 1; /* records of one file follow each other */
    PM_GROW(audit->files, audit->file_count, audit->file_capacity);
    audit->files[audit->file_count] = (struct pm_audit_file){pm_strdup(input)};
    return audit->file_count++;
}

static void take_variable(void *ctx, const struct pm_audit_rule *rule, size_t token)
{
    struct pm_audit *audit = ctx;
    const struct pm_audit__seen *seen = &audit->seen[audit->opened - 1];
    struct pm_audit_finding finding = {.file = seen->file,
                                       .how = PM_RESOLVE_HOW_IMPORT,
                                       .guarded =
                                           pm_audit_is_guarded(audit->rules, &audit->text, token)};
    pm_audit_text_place(&audit->text, token, &finding.line, &finding.column);
    for (size_t i = audit->finding_count; i > 0; i--) {
        const struct pm_audit_finding *before = &audit->findings[i - 1];
        if (before->file != seen->file)
            break;
        if (before->line == finding.line && audit->kinds[before->kind].device)
            return; /* one finding on device-bound code is enough for a line */
    }
    finding.kind = device_kind(audit, "", rule);
    finding.level = finding.guarded ? PM_AUDIT_LEVEL_NOTE : rule->level;
    add_finding(audit, finding, finding.line);
}

static int by_line(const void *a, const void *b)
{
    const struct pm_audit_finding *one = a, *two = b;
    const uint64_t first = (uint64_t)one->line << 32 | one->column,
                   second = (uint64_t)two->line << 32 | two->column;
    return (first > second) - (first < second);
}

/* Closes the open text, because all its uses have arrived. First searches it for device-bound code
 * that uses no function. */
static void close_text(struct pm_audit *audit)
{
    if (!audit->opened)
        return;
    const struct pm_audit__seen *seen = &audit->seen[audit->opened - 1];
    const size_t before = audit->finding_count;
    pm_audit_rules_variables(audit->rules, &audit->where, &audit->text, take_variable, audit);
    if (audit->finding_count > before) {
        size_t first = before;
        while (first > 0 && audit->findings[first - 1].file == seen->file)
            first--;
        qsort(&audit->findings[first], audit->finding_count - first, sizeof *audit->findings,
              by_line);
    }
    pm_audit_text_release(&audit->text);
    audit->opened = 0;
}

static void open_text(struct pm_audit *audit, size_t index)
{
    close_text(audit);
    pm_audit_text_init(&audit->text, audit->seen[index].bytes, audit->seen[index].length);
    audit->opened = index + 1;
}

/* Opens and closes each text that imports a framework, so that device-bound code is also found in
 * texts without uses. Stops at text `number`, and returns whether that text is open. */
static bool open_up_to(struct pm_audit *audit, uint64_t number)
{
    while (audit->seen_done < audit->seen_count && audit->seen[audit->seen_done].number <= number) {
        const size_t index = audit->seen_done++;
        if (audit->seen[index].imported || audit->seen[index].number == number)
            open_text(audit, index);
    }
    return audit->opened && audit->seen[audit->opened - 1].number == number;
}

/* Processes the seen texts to their end, because all of their uses have arrived. */
static void finish_texts(struct pm_audit *audit)
{
    (void)open_up_to(audit, UINT64_MAX);
    close_text(audit);
    forget_texts(audit);
    audit->taking = false;
}

void pm_audit_see(void *ctx, const struct pm_corpus_text *text)
{
    struct pm_audit *audit = ctx;
    if (audit->taking)
        finish_texts(audit); /* the texts of the previous project */
    PM_GROW(audit->seen, audit->seen_count, audit->seen_capacity);
    unsigned char *bytes = pm_alloc(text->length + PM_PYLEX_PADDING);
    memcpy(bytes, text->bytes, text->length);
    audit->seen[audit->seen_count++] = (struct pm_audit__seen){
        text->number, bytes, text->length, add_file(audit, text->input), text->imported};
}

void pm_audit_finish(struct pm_audit *audit)
{
    finish_texts(audit);
}

/* ---- uses ------------------------------------------------------------------------------------ */

static struct pm_audit_use *use_of(struct pm_audit *audit, const char *name, size_t file,
                                   uint32_t line)
{
    size_t found = (size_t)(uintptr_t)pm_map_get(&audit->use_by_name, name);
    if (!found) {
        PM_GROW(audit->uses, audit->use_count, audit->use_capacity);
        audit->uses[audit->use_count] =
            (struct pm_audit_use){.name = pm_strdup(name), .file = file, .line = line};
        found = ++audit->use_count;
        pm_map_put(&audit->use_by_name, name, (void *)(uintptr_t)found);
    }
    return &audit->uses[found - 1];
}

/* Returns a bit mask of the rules that apply to a function. It is computed once per function. */
static uint64_t rules_of(struct pm_audit *audit, const char *function)
{
    uint64_t *mask = pm_map_get(&audit->rule_masks, function);
    if (!mask) {
        mask = pm_alloc(sizeof *mask);
        *mask = pm_audit_rules_of(audit->rules, &audit->where, function);
        pm_map_put(&audit->rule_masks, function, mask);
    }
    return *mask;
}

/* Returns the level of a finding whose kind has `level`. A guarded use is a note, and a use that
 * may be of another function is never an error. */
static enum pm_audit_level lowered(enum pm_audit_level level, const struct pm_audit_finding *of)
{
    const bool sure = of->how == PM_RESOLVE_HOW_IMPORT || of->how == PM_RESOLVE_HOW_INFERRED;
    if (of->guarded)
        return PM_AUDIT_LEVEL_NOTE;
    return !sure && level == PM_AUDIT_LEVEL_ERROR ? PM_AUDIT_LEVEL_WARNING : level;
}

static void take_device(struct pm_audit *audit, const struct pm_corpus_place *place, size_t token,
                        const struct pm_audit_call *call, struct pm_audit_finding finding)
{
    const uint64_t mask = rules_of(audit, place->function);
    const struct pm_audit_rule *rule =
        mask && token != PM_AUDIT_NONE
            ? pm_audit_rules_match(audit->rules, mask, &audit->text, token, call)
            : NULL;
    if (!rule)
        return;
    finding.guarded = !rule->loop && pm_audit_is_guarded(audit->rules, &audit->text, token);
    finding.kind = device_kind(audit, place->function, rule);
    finding.level = lowered(rule->level, &finding);
    add_finding(audit, finding, place->text_line);
}

/* Answers by the recorded calls at the place of a use; returns false if none of them was
 * measured. */
static bool answer_recorded(const struct pm_audit *audit, const struct pm_corpus_place *place,
                            const struct pm_audit_function *of, struct pm_audit_answer *out)
{
    size_t count = 0;
    const struct pm_audit_recorded *cases =
        audit->options->recording
            ? pm_audit_recording_at(audit->options->recording,
                                    &(struct pm_audit_recorded_place){
                                        audit->files[audit->seen[audit->opened - 1].file].path,
                                        place->function, place->line, place->column},
                                    &count)
            : NULL;
    return cases && pm_audit_answer_recorded(of, cases, count, out);
}

/* Sets *out to the answer by the measured cases; if the function was not measured, by a forecast.
 */
static void answer_by_cases(const struct pm_audit *audit, const char *name,
                            const struct pm_audit_function *of, const struct pm_audit_call *call,
                            struct pm_audit_answer *out)
{
    const struct pm_audit_predictions *predictions = audit->options->predictions;
    if (of || !predictions || !pm_audit_predict(predictions, name, call, out))
        pm_audit_answer(of, call, out);
}

static void take_evidence(struct pm_audit *audit, const struct pm_corpus_place *place,
                          const struct pm_audit_call *call, struct pm_audit_finding finding)
{
    struct pm_audit_answer answer;
    const struct pm_audit_function *of = pm_audit_evidence_of(audit->evidence, place->function);
    if (!answer_recorded(audit, place, of, &answer))
        answer_by_cases(audit, place->function, of, call, &answer);
    audit->recorded += answer.recorded;
    struct pm_audit_use *use = use_of(audit, place->function, finding.file, place->line);
    use->uses++;
    use->by_status[answer.status]++;
    audit->sites++;
    audit->by_status[answer.status]++;
    const bool breaks = answer.status == PM_AUDIT_FAILS || answer.status == PM_AUDIT_DEPENDS ||
                        answer.status == PM_AUDIT_PREDICTED_FAILS;
    if (breaks || (audit->options->unknown && answer.status != PM_AUDIT_WORKS)) {
        finding.kind = evidence_kind(audit, place->function, &answer);
        finding.level = lowered(audit->kinds[finding.kind].level, &finding);
        add_finding(audit, finding, place->text_line);
    }
    pm_audit_answer_release(&answer);
}

void pm_audit_take(void *ctx, const struct pm_corpus_place *place)
{
    struct pm_audit *audit = ctx;
    struct pm_audit_call call = {0};
    audit->taking = true;
    if (!open_up_to(audit, place->text))
        return;
    const size_t token = pm_audit_text_find(&audit->text, place->text_line, place->column);
    const struct pm_audit_finding finding = {.file = audit->seen[audit->opened - 1].file,
                                             .record = place->record,
                                             .cell = place->cell,
                                             .line = place->line,
                                             .column = place->column,
                                             .how = place->how};
    if (token != PM_AUDIT_NONE)
        pm_audit_call_read(&audit->text, token, &call);
    take_device(audit, place, token, &call, finding);
    if (place->form != PM_RESOLVE_FORM_CALL) { /* calls of an instance are not calls of its class */
        pm_audit_call_release(&call);
        call.is_call = false;
    }
    take_evidence(audit, place, &call, finding);
    pm_audit_call_release(&call);
}
