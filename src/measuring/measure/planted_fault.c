/* Runs planted faults: cases with a known outcome that a valid run must detect. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "measure/session.h"

/*
 * If the outcome of a planted fault depends on a comparison, the planted fault also runs on the
 * reference without its fault (setting.reference).
 *
 * Planted faults that need latencies test the clocks. Two of them, "work 1" and "work 2", do n and
 * 2n units of work: if synchronising waits, the second takes twice as long, and if dispatch is
 * asynchronous, the call itself returns in less than half the time. A busy machine can disturb the
 * clocks, so these planted faults are tried again, and a failure makes only the latencies invalid.
 *
 * Any other planted fault that unexpectedly reaches its deadline runs once more, alone, and then
 * counts.
 */
enum { PLANTED_FAULT_TIMEOUT_MS = 60000, HANG_TIMEOUT_MS = 2000 };
enum { MOST_TRIES = 10, MOST_TRIES_WITHOUT_WORK = 3 };
static const uint64_t MEMORY_LIMIT = (uint64_t)4
                                     << 30; /* far more than a framework needs at its start */
static const double LEAST_WORK_RATIO = 1.5, MOST_WORK_RATIO = 3.0, MOST_DISPATCH_SHARE = 0.5;

/* What one child runs: the planted fault on the target, or the case without its fault on the
 * reference. */
struct plan_planted_fault {
    const struct pm_case *test;
    bool misbehaves;
    json_t *result; /* NULL: no answer */
    unsigned char *body;
    uint64_t body_length;
    enum pm_ending_kind ending;
    int code;
    enum pm_stage stage;
    char *text;
};

struct planted_fault_pair {
    int target;
    const struct pm_case *test;
    const char *not_applying; /* why the planted fault does not apply to the target */
    struct plan_planted_fault *on_target, *reference; /* reference NULL if not needed */
    enum pm_outcome observed;
    bool detected;
    char detail[512];
    unsigned tries;
    double warm, dispatch; /* calibration: the shortest time so far, ns; NaN before */
};

struct planted_faults {
    struct pm_suite *suites;
    size_t suite_count;
    struct planted_fault_pair *pairs;
    size_t count, capacity;
    bool later[PHASE_COUNT]; /* calibration was checked again after this phase */
    double load;             /* the largest load average while work was not calibrated; NaN: none */
};

/* ---- planning ------------------------------------------------------------------------------ */

static const char *why_not_applying(const struct plan *plan, const struct plan_target *t,
                                    const struct pm_case *test)
{
    const char *home = plan->targets[t->reference].target.device;
    if (test->needs[PM_NEED_VALUES] && t->target.evidence != PM_EVIDENCE_EXECUTED)
        return "the target computes no values";
    if (test->needs[PM_NEED_LATENCIES] && !t->latencies)
        return "the run measures no latencies on this target";
    if (test->needs[PM_NEED_ASYNCHRONOUS] && !t->target.asynchronous)
        return "calls on the target are synchronous";
    if (test->needs[PM_NEED_DEVICE] && !strcmp(t->target.device, home))
        return "the target is on the same device as its reference";
    if (test->needs[PM_NEED_DEVICE_MEMORY] && t->target.on_host)
        return "the target uses the memory of the host";
    if (test->needs[PM_NEED_EAGER] && *t->target.variant)
        return "the target has a variant";
    if (test->needs[PM_NEED_COUNTERS] && !t->target.counts_fallbacks)
        return "the framework does not count fallbacks on this target";
    return NULL;
}

static bool is_calibration(const struct pm_case *test)
{
    return test->needs[PM_NEED_LATENCIES];
}

static bool needs_reference(const struct pm_case *test)
{
    return test->expected == PM_OUTCOME_FAIL || test->expected == PM_OUTCOME_FALLBACK;
}

static struct plan_planted_fault *queue_part(struct session *s, int target,
                                             const struct pm_case *test, bool misbehaves)
{
    struct plan_planted_fault *part = pm_alloc(sizeof *part);
    part->test = test;
    part->misbehaves = misbehaves;
    pm_measure__plan_add_group(&s->plan, target,
                               is_calibration(test) ? PHASE_CALIBRATION : PHASE_PLANTED_FAULTS)
        ->planted_fault = part;
    return part;
}

static void plan_pair(struct session *s, int target, const struct pm_case *test)
{
    struct planted_faults *all = s->planted_faults;
    const struct plan_target *t = &s->plan.targets[target];
    struct planted_fault_pair pair = {
        .target = target, .test = test, .tries = 1, .warm = NAN, .dispatch = NAN};
    pair.not_applying = why_not_applying(&s->plan, t, test);
    if (!pair.not_applying) {
        pair.on_target = queue_part(s, target, test, true);
        if (needs_reference(test))
            pair.reference = queue_part(s, t->reference, test, false);
    }
    PM_GROW(all->pairs, all->count, all->capacity);
    all->pairs[all->count++] = pair;
}

static int check_planted_faults(const struct pm_suite *suite, struct pm_error *err)
{
    for (size_t i = 0; i < suite->case_count; i++)
        if (!suite->cases[i].is_planted_fault)
            return pm_error_set(
                err, PM_EFORMAT,
                "%s:%d: case '%s' is not a self-check: add 'planted_faults: true' to the file",
                suite->cases[i].file, suite->cases[i].line, suite->cases[i].name);
    return PM_OK;
}

static int load_planted_faults(struct session *s, const char *framework, const char *home,
                               struct pm_error *err)
{
    struct planted_faults *all = s->planted_faults;
    char *path = pm_format("%s/suites/planted-faults/%s.yaml", home, framework);
    const char *const paths[] = {path};
    struct pm_suite *suite = &all->suites[all->suite_count];
    const int rc = pm_suite_load(suite, framework, pm_framework_case_words(), paths, 1, err);
    free(path);
    PM_TRY(rc);
    all->suite_count++;
    PM_TRY(check_planted_faults(suite, err));
    for (size_t t = 0; t < s->plan.target_count; t++)
        if (s->plan.targets[t].role != PM_ROLE_ORACLE && s->plan.targets[t].role != PM_ROLE_NOISE &&
            !strcmp(s->plan.targets[t].target.framework, framework))
            for (size_t i = 0; i < suite->case_count; i++)
                plan_pair(s, (int)t, &suite->cases[i]);
    return PM_OK;
}

int pm_measure__planted_faults_plan(struct session *s, struct pm_error *err)
{
    s->planted_faults = pm_alloc(sizeof *s->planted_faults);
    s->planted_faults->load = NAN;
    s->planted_faults->suites =
        pm_alloc((s->plan.suite_count + 1) * sizeof *s->planted_faults->suites);
    char *home = NULL;
    PM_TRY(pm_path_home(&home, err));
    int rc = PM_OK;
    for (size_t i = 0; i < s->plan.suite_count && !rc; i++)
        rc = load_planted_faults(s, s->plan.suites[i].functions[0].framework, home, err);
    free(home);
    return rc;
}

const struct pm_case *pm_measure__planted_fault_case(const struct plan_planted_fault *planted_fault)
{
    return planted_fault->test;
}

bool pm_measure__planted_fault_misbehaves(const struct plan_planted_fault *planted_fault)
{
    return planted_fault->misbehaves;
}

unsigned pm_measure__planted_fault_timeout_ms(const struct plan_planted_fault *planted_fault)
{
    return planted_fault->test->expected == PM_OUTCOME_TIMEOUT ? HANG_TIMEOUT_MS
                                                               : PLANTED_FAULT_TIMEOUT_MS;
}

uint64_t pm_measure__planted_fault_memory(const struct plan_planted_fault *planted_fault)
{
    const struct pm_case *test = planted_fault->test;
    const bool of_host = !test->needs[PM_NEED_DEVICE_MEMORY];
    return test->expected == PM_OUTCOME_MEMORY && of_host ? MEMORY_LIMIT : 0;
}

/* ---- answers --------------------------------------------------------------------------------- */

static void forget(struct plan_planted_fault *part)
{
    json_decref(part->result);
    free(part->body);
    free(part->text);
    *part = (struct plan_planted_fault){.test = part->test, .misbehaves = part->misbehaves};
}

void pm_measure__planted_fault_answered(struct plan_planted_fault *part,
                                        const struct pm_frame *result)
{
    forget(part);
    part->result = json_incref(result->header);
    part->body_length = result->body_length;
    part->body = pm_alloc(result->body_length);
    if (result->body_length)
        memcpy(part->body, result->body, result->body_length);
}

void pm_measure__planted_fault_ended(struct plan_planted_fault *part,
                                     const struct pm_ending *ending)
{
    if (part->result)
        return;
    part->ending = ending->kind;
    part->code = ending->code;
    free(part->text);
    part->stage = ending->stage;
    part->text = pm_strdup(ending->text);
}

static bool parse_part(const struct plan_planted_fault *part, struct answer *answer)
{
    const struct pm_frame frame = {.kind = PM_FRAME_RESULT,
                                   .header = part->result,
                                   .body = part->body,
                                   .body_length = part->body_length};
    return part->result && pm_measure__answer_parse(answer, &frame, NULL) == PM_OK;
}

static void compare_with_reference(const struct planted_fault_pair *pair, const struct answer *got,
                                   bool shape_only, struct pm_difference *difference)
{
    struct answer want;
    struct pm_leaves got_leaves, want_leaves;
    if (!parse_part(pair->reference, &want)) {
        difference->kind = PM_DIFFERENCE_NONE;
        return;
    }
    const struct pm_compare_rule rule = {.how = shape_only ? PM_COMPARE_SHAPE : PM_COMPARE_CLOSE};
    pm_measure__answer_leaves(got, PM_PART_COUNT, &got_leaves);
    pm_measure__answer_leaves(&want, PM_PART_COUNT, &want_leaves);
    pm_compare_leaves(&got_leaves, &want_leaves, &rule, difference);
    pm_leaves_release(&got_leaves);
    pm_leaves_release(&want_leaves);
    pm_measure__answer_release(&want);
}

/* Judges the fault "import": it is detected if the clock of its call counted the modules that the
 * call imports. */
static void observe_import(struct planted_fault_pair *pair, const struct answer *answer)
{
    const struct answer_clock *cold = pm_measure__answer_clock(answer, PM_CLOCK_COLD);
    pair->detected = cold && cold->imports > 0;
    if (!pair->detected)
        snprintf(pair->detail, sizeof pair->detail, "the clock did not count the import");
}

/* Returns whether a planted fault has the expected outcome. Instead of a pass, a fallback to the
 * host is accepted, because a device may be incomplete; only a fault about the counting of
 * fallbacks must run on the device. */
static bool is_as_expected(const struct pm_case *test, enum pm_outcome outcome)
{
    const bool right = outcome == PM_OUTCOME_FALLBACK && !test->needs[PM_NEED_COUNTERS];
    return outcome == test->expected || (test->expected == PM_OUTCOME_PASS && right);
}

static void observe(struct planted_fault_pair *pair, bool shape_only)
{
    const struct plan_planted_fault *part = pair->on_target;
    struct answer answer = {0};
    struct pm_difference difference = {.kind = PM_DIFFERENCE_NONE};
    const bool parsed = parse_part(part, &answer);
    if (parsed && pair->reference)
        compare_with_reference(pair, &answer, shape_only, &difference);
    const struct pm_evidence_of evidence = {
        .answered = parsed,
        .ending = part->ending,
        .ending_code = part->code,
        .ending_text = part->text,
        .stage = part->stage,
        .result = part->result,
        .has_check = pair->test->check != NULL,
        .shape_only = shape_only,
        .against_reference = parsed && pair->reference ? &difference : NULL,
        .is_reference = !is_calibration(pair->test), /* judges the second call */
    };
    struct pm_judgement judgement;
    pm_judge_execution(&evidence, &judgement);
    pair->observed = judgement.outcome;
    snprintf(pair->detail, sizeof pair->detail, "%s", judgement.detail);
    pair->detected = is_as_expected(pair->test, judgement.outcome);
    if (pair->detected && parsed && !strcmp(pair->test->name, "import"))
        observe_import(pair, &answer);
    if (parsed)
        pm_measure__answer_release(&answer);
}

/* ---- calibrated work ------------------------------------------------------------------------- */

/* Returns the shortest time of a clock: other work on the machine can only add time. NaN: no
 * time. */
static double least_time(const struct plan_planted_fault *part, enum pm_clock clock)
{
    struct answer answer;
    double least = NAN;
    if (!parse_part(part, &answer))
        return NAN;
    const struct answer_clock *times = pm_measure__answer_clock(&answer, clock);
    for (size_t i = 0; times && i < times->count; i++)
        least = fmin(least, (double)times->times[i]);
    pm_measure__answer_release(&answer);
    return least;
}

static struct planted_fault_pair *find_pair(const struct planted_faults *all, int target,
                                            const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->pairs[i].target == target && !strcmp(all->pairs[i].test->name, name))
            return &all->pairs[i];
    return NULL;
}

/* Keeps the shortest time of all tries, which other processes have disturbed least. */
static void keep_least(struct planted_fault_pair *pair)
{
    pair->warm = fmin(pair->warm, least_time(pair->on_target, PM_CLOCK_WARM));
    pair->dispatch = fmin(pair->dispatch, least_time(pair->on_target, PM_CLOCK_DISPATCH));
}

/* Judges the fault "work 2": it is detected if it takes about twice as long as "work 1". */
static void observe_work(const struct session *s, struct planted_fault_pair *once,
                         struct planted_fault_pair *twice)
{
    keep_least(once);
    keep_least(twice);
    const double ratio = twice->warm / once->warm;
    const bool asynchronous = s->plan.targets[twice->target].target.asynchronous;
    const bool waits = ratio >= LEAST_WORK_RATIO && ratio <= MOST_WORK_RATIO;
    const bool earlier = !asynchronous || twice->dispatch / twice->warm < MOST_DISPATCH_SHARE;
    twice->detected = twice->observed == PM_OUTCOME_PASS && waits && earlier;
    int n = snprintf(twice->detail, sizeof twice->detail,
                     "n units of work take %.3f ms, 2n units take %.3f ms", once->warm / 1e6,
                     twice->warm / 1e6);
    if (asynchronous && n > 0 && (size_t)n < sizeof twice->detail)
        snprintf(twice->detail + n, sizeof twice->detail - (size_t)n,
                 ", and the call returns after %.3f ms", twice->dispatch / 1e6);
}

static void try_again(struct session *s, struct planted_fault_pair *pair)
{
    pair->tries++;
    forget(pair->on_target);
    pm_measure__plan_add_group(&s->plan, pair->target, PHASE_CALIBRATION)->planted_fault =
        pair->on_target;
}

/* Queues a planted fault of the clocks again: "work 2" after its "work 1", any other alone. */
static void try_clocks_again(struct session *s, struct planted_fault_pair *once,
                             struct planted_fault_pair *pair)
{
    s->planted_faults->load = fmax(s->planted_faults->load, pm_measure__machine_load());
    if (once)
        try_again(s, once);
    try_again(s, pair);
}

static bool is_late(const struct plan_planted_fault *part)
{
    return part && !part->result && part->ending == PM_ENDING_DEADLINE;
}

/* Returns whether a planted fault that should not hang reached its deadline: the machine was busy,
 * or the case does hang. */
static bool is_too_late(const struct planted_fault_pair *pair)
{
    return pair->test->expected != PM_OUTCOME_TIMEOUT &&
           (is_late(pair->on_target) || is_late(pair->reference));
}

/* Queues both parts again in the next phase, in which one process runs at a time. */
static void try_alone(struct session *s, struct planted_fault_pair *pair)
{
    if (pair->reference) {
        forget(pair->reference);
        pm_measure__plan_add_group(&s->plan, s->plan.targets[pair->target].reference,
                                   PHASE_CALIBRATION)
            ->planted_fault = pair->reference;
    }
    try_again(s, pair);
}

static bool is_tried_with_another(const struct planted_fault_pair *pair)
{
    return !strcmp(pair->test->name, "work 1");
}

/* If the pair is "work 2" and applies to its target, returns the "work 1" of the same target;
 * otherwise NULL. */
static struct planted_fault_pair *half_of(struct planted_faults *all,
                                          const struct planted_fault_pair *pair)
{
    if (pair->not_applying || strcmp(pair->test->name, "work 2"))
        return NULL;
    struct planted_fault_pair *once = find_pair(all, pair->target, "work 1");
    return once && once->on_target ? once : NULL;
}

bool pm_measure__planted_faults_again(struct session *s, enum plan_phase phase)
{
    bool again = false;
    for (size_t i = 0; i < s->planted_faults->count; i++) {
        struct planted_fault_pair *pair = &s->planted_faults->pairs[i];
        const bool in_calibration = is_calibration(pair->test) || pair->tries > 1;
        if (pair->not_applying || in_calibration != (phase == PHASE_CALIBRATION))
            continue;
        if (phase == PHASE_PLANTED_FAULTS && is_too_late(pair)) {
            try_alone(s, pair);
            continue;
        }
        observe(pair, s->plan.targets[pair->target].target.evidence == PM_EVIDENCE_SHAPE_ONLY);
        struct planted_fault_pair *once = half_of(s->planted_faults, pair);
        if (once)
            observe_work(s, once, pair);
        if (is_calibration(pair->test) && !is_tried_with_another(pair) && !pair->detected &&
            pair->tries < (once ? MOST_TRIES : MOST_TRIES_WITHOUT_WORK)) {
            try_clocks_again(s, once, pair);
            again = true;
        }
    }
    return again;
}

/* Returns whether a planted fault of the clocks ran as it should, but shows that the clocks are not
 * reliable. */
static bool is_uncalibrated(const struct planted_fault_pair *pair)
{
    return !pair->not_applying && !pair->detected && is_calibration(pair->test) &&
           (is_as_expected(pair->test, pair->observed) || pair->observed == PM_OUTCOME_FAIL);
}

bool pm_measure__planted_faults_later(struct session *s, enum plan_phase phase)
{
    bool again = false;
    if (!s->planted_faults || (phase != PHASE_OUTCOMES && phase != PHASE_LATENCIES) ||
        s->planted_faults->later[phase] || !s->plan.queues[phase].count)
        return false;
    s->planted_faults->later[phase] = true;
    for (size_t i = 0; i < s->planted_faults->count; i++) {
        struct planted_fault_pair *pair = &s->planted_faults->pairs[i];
        struct planted_fault_pair *once = half_of(s->planted_faults, pair);
        if (!is_uncalibrated(pair) || is_tried_with_another(pair))
            continue;
        pair->tries = 0;
        pair->warm = pair->dispatch = NAN;
        if (once) {
            once->tries = 0;
            once->warm = once->dispatch = NAN;
        }
        try_clocks_again(s, once, pair);
        again = true;
    }
    return again;
}

/* ---- the result ------------------------------------------------------------------------------ */

/* Writes into `reason` one line about a planted fault that was not detected. */
static void say_why(const struct session *s, const struct planted_fault_pair *pair,
                    enum pm_observation observed, char reason[static 1024])
{
    const char *target = s->plan.targets[pair->target].target.text;
    const char *cause = *pair->detail                  ? pair->detail
                        : observed == PM_OBSERVED_PASS ? "the planted fault had no effect there"
                                                       : "no cause is known";
    const int n = snprintf(reason, 1024, "self-check '%s' on %s gave '%s' instead of '%s': %s",
                           pair->test->name, target, pm_observation_text(observed),
                           pm_outcome_text(pair->test->expected), cause);
    if (observed == PM_OBSERVED_NOT_CALIBRATED && !isnan(s->planted_faults->load) && n > 0 &&
        n < 1024)
        snprintf(reason + n, 1024 - (size_t)n, "; load average %.1f on %ld processors",
                 s->planted_faults->load, sysconf(_SC_NPROCESSORS_ONLN));
}

int pm_measure__planted_faults_store(struct session *s, struct pm_run_summary *out,
                                     struct pm_error *err)
{
    out->valid = out->latencies_valid = true;
    out->reason[0] = out->latency_reason[0] = 0;
    for (size_t i = 0; i < s->planted_faults->count; i++) {
        const struct planted_fault_pair *pair = &s->planted_faults->pairs[i];
        const bool uncalibrated = is_uncalibrated(pair);
        const enum pm_observation observed = pair->not_applying ? PM_OBSERVED_DOES_NOT_APPLY
                                             : uncalibrated     ? PM_OBSERVED_NOT_CALIBRATED
                                                            : (enum pm_observation)pair->observed;
        const struct pm_planted_fault_row row = {
            .run_id = s->run_id,
            .target_id = s->plan.targets[pair->target].id,
            .name = pair->test->name,
            .expected = pair->test->expected,
            .observed = observed,
            .as_expected = pair->not_applying || pair->detected,
            .detail = pair->not_applying ? pair->not_applying : pair->detail,
        };
        PM_TRY(pm_store_add_planted_fault(s->store, &row, err));
        if (row.as_expected)
            continue;
        if (out->latencies_valid)
            say_why(s, pair, observed, out->latency_reason);
        out->latencies_valid = false;
        if (!uncalibrated && out->valid)
            say_why(s, pair, observed, out->reason);
        out->valid = out->valid && uncalibrated;
    }
    return PM_OK;
}

static void free_part(struct plan_planted_fault *part)
{
    if (!part)
        return;
    forget(part);
    free(part);
}

void pm_measure__planted_faults_release(struct planted_faults *all)
{
    if (!all)
        return;
    for (size_t i = 0; i < all->count; i++) {
        free_part(all->pairs[i].on_target);
        free_part(all->pairs[i].reference);
    }
    for (size_t i = 0; i < all->suite_count; i++)
        pm_suite_release(&all->suites[i]);
    free(all->suites);
    free(all->pairs);
    free(all);
}
