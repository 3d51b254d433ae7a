/* Passes the arguments of calls to the parameters of the project's own functions. */
#include "base/stop.h"
#include "types/types_private.h"

/* The most different terms that calls pass to a parameter. Further terms are ignored. */
#define MOST_PASSED 12

/* Functions with more parameters are generated code, and no arguments are passed to them. */
#define MOST_PARAMETERS 512

typedef struct pm_types_project project;

static uint32_t parameter_of(const project *p, uint32_t function, uint32_t order, uint32_t name)
{
    if (p->functions[function].parameter_count > MOST_PARAMETERS)
        return 0;
    for (uint32_t i = p->functions[function].parameters; i; i = p->parameters[i - 1].next) {
        const struct pm_types__parameter *one = &p->parameters[i - 1];
        if (name ? one->name == name - 1 && !one->stars
                 : one->order == order || (one->stars == 1 && one->order < order))
            return i;
    }
    return 0;
}

static bool pass(project *p, uint32_t parameter, uint32_t term)
{
    struct pm_types__parameter *to = &p->parameters[parameter - 1];
    if (to->stars > 1 || to->passed_count == MOST_PASSED)
        return false;
    for (uint32_t i = to->passed; i; i = p->passes[i - 1].next)
        if (p->passes[i - 1].term == term)
            return false;
    PM_TYPES__PUSH(p, passes, (struct pm_types__pass){term, to->passed});
    to->passed = (uint32_t)p->passes_count;
    to->passed_count++;
    return true;
}

/* Returns the function + 1 that a call runs, or 0. Sets *before to the number of parameters before
 * the first argument. */
static uint32_t run_by(project *p, struct pm_types__value called, uint32_t *before)
{
    *before = 0;
    if (called.type == PM_TYPES__OWN_FUNCTION) {
        *before = p->functions[called.node].class && called.of & PM_TYPES__BOUND;
        return called.node + 1;
    }
    *before = 1;
    if (called.type == PM_TYPES__OWN_OBJECT)
        return pm_types__called_method(p, called.node);
    return called.type == PM_TYPES__OWN_CLASS ? pm_types__constructor(p, called.node) : 0;
}

static bool pass_call(project *p, const struct pm_types__term *call, struct pm_types__value called)
{
    const struct pm_types__series list = p->lists[call->b - 1];
    uint32_t before, order;
    bool new = false, ordered = true;
    const uint32_t function = run_by(p, called, &before);
    order = before;
    for (uint32_t i = 0; function && i < list.count; i++) {
        const struct pm_types__argument one = p->arguments[list.first + i];
        ordered &= !one.many;
        if (one.many || (!one.name && !ordered))
            continue;
        const uint32_t parameter = parameter_of(p, function - 1, order, one.name);
        order += !one.name;
        if (one.term && parameter)
            new |= pass(p, parameter, one.term);
    }
    return new;
}

bool pm_types__pass_arguments(project *p)
{
    bool new = false;
    for (uint32_t i = 1; i < p->terms_count && !pm_stop_signal(); i++) {
        const struct pm_types__term *term = &p->terms[i];
        if (term->op != PM_TYPES__CALL || !term->b)
            continue;
        const struct pm_types__value called = pm_types__value_of(p, term->a);
        if (called.type == PM_TYPES__ONE_OF) {
            const struct pm_types__content several = p->contents[called.node];
            for (uint32_t k = 0; k < several.count; k++)
                new |= pass_call(p, &p->terms[i], p->held[several.first + k].value);
        } else {
            new |= pass_call(p, term, called);
        }
    }
    return new;
}

/* ---- decorators of tests -------------------------------------------------------------------- */

/* Passes the values of @pytest.mark.parametrize("a, b", values) to a test. `names` is the first
 * argument, in which commas separate the names. */
static void parametrize(project *p, uint32_t function, const char *names, uint32_t values)
{
    const bool several = strchr(names, ',') != NULL;
    const uint32_t item = pm_types__term(p, PM_TYPES__LOOP, values, 0);
    for (uint32_t place = 0; *names; place++) {
        names += strspn(names, " ");
        const size_t length = strcspn(names, " ,");
        const uint32_t name = pm_types__name(p, names, length);
        uint32_t i = p->functions[function].parameters;
        while (i && p->parameters[i - 1].name != name)
            i = p->parameters[i - 1].next;
        if (i)
            (void)pass(p, i, several ? pm_types__term(p, PM_TYPES__UNPACK, item, place) : item);
        names += length + strspn(names + length, " ,");
    }
}

/* Passes the values of @parameterized.parameters(first, second) to a test. Each value is for the
 * first parameter after `self`, or is a tuple of values for all parameters. With named_parameters,
 * the tuple begins with a name. */
static void give_parameters(project *p, uint32_t function, struct pm_types__series values,
                            bool named)
{
    const uint32_t before = p->functions[function].class != 0;
    for (uint32_t k = 0; k < values.count; k++) {
        const uint32_t value = p->arguments[values.first + k].term;
        const bool row = value && p->terms[value].op == PM_TYPES__DISPLAY;
        for (uint32_t i = p->functions[function].parameters; i && value;
             i = p->parameters[i - 1].next) {
            const uint32_t order = p->parameters[i - 1].order;
            if (order >= before && (row || order == before))
                (void)pass(p, i,
                           row ? pm_types__term(p, PM_TYPES__UNPACK, value, order - before + named)
                               : value);
        }
    }
}

/* Handles @pytest.fixture(params=values): `request.param` is one of the values. */
static void take_fixture(project *p, uint32_t function, struct pm_types__series arguments)
{
    const uint32_t name = pm_types__name(p, "params", strlen("params")) + 1;
    for (uint32_t i = 0; i < arguments.count; i++) {
        const struct pm_types__argument *one = &p->arguments[arguments.first + i];
        if (one->name == name && one->term)
            p->functions[function].requested = pm_types__term(p, PM_TYPES__LOOP, one->term, 0);
    }
}

void pm_types__take_values(project *p, uint32_t function, uint32_t decorator)
{
    const struct pm_types__term call = p->terms[decorator];
    const struct pm_types__term of = p->terms[call.op == PM_TYPES__CALL ? call.a : 0];
    if (of.op != PM_TYPES__ATTRIBUTE || !call.b)
        return;
    const struct pm_types__series list = p->lists[call.b - 1];
    const struct pm_types__argument first = p->arguments[list.first];
    const char *name = p->names[of.b];
    const bool named = strcmp(name, "named_parameters") == 0;
    if (strcmp(name, "parametrize") == 0 && first.text && list.count > 1)
        parametrize(p, function, p->names[first.text - 1], p->arguments[list.first + 1].term);
    else if (strcmp(name, "fixture") == 0)
        take_fixture(p, function, list);
    else if (named || strcmp(name, "parameters") == 0)
        give_parameters(p, function, list, named);
}
