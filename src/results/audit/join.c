/* Finds the measured cases that are compatible with a use, and the answer that they give. */
#include <stdlib.h>
#include <string.h>

#include "audit/evidence.h"
#include "base/alloc.h"
#include "base/str.h"

enum { MOST_NAMED = 6 }; /* dtypes or cases that a text names */

/* ---- two calls ------------------------------------------------------------------------------- */

/* Returns whether a keyword is ignored: portmeter sets the device of a case itself, and a name only
 * labels the result. */
static bool is_ignored(const char *keyword)
{
    return strcmp(keyword, "device") == 0 || strcmp(keyword, "name") == 0;
}

/* Returns whether a text is an equation, such as "ij,jk->ik", whose letters only name axes. */
static bool is_equation(const struct pm_audit_argument *argument)
{
    return argument->kind == PM_AUDIT_STRING && strstr(argument->value, "->");
}

/* Returns whether the known values of two arguments contradict each other. Numbers do not, because
 * they are sizes and axes, and neither do two equations. */
static bool differ(const struct pm_audit_argument *a, const struct pm_audit_argument *b)
{
    if (a->kind == PM_AUDIT_OPAQUE || b->kind == PM_AUDIT_OPAQUE)
        return false;
    if (a->kind != b->kind)
        return true;
    return a->kind != PM_AUDIT_NUMBER && strcmp(a->value, b->value) != 0 &&
           !(is_equation(a) && is_equation(b));
}

static const struct pm_audit_argument *position(const struct pm_audit_call *call, size_t index)
{
    for (size_t i = 0; i < call->count; i++)
        if (!call->items[i].keyword && index-- == 0)
            return &call->items[i];
    return NULL;
}

/* Returns the last positional argument of a call if it is a dtype and the only one by position, and
 * if the call has no `*more`; else NULL. */
static struct pm_audit_argument *dtype_by_position(const struct pm_audit_call *call)
{
    struct pm_audit_argument *last = NULL;
    size_t dtypes = 0;
    for (size_t i = 0; i < call->count; i++)
        if (!call->items[i].keyword) {
            last = &call->items[i];
            dtypes += last->kind == PM_AUDIT_DTYPE;
        }
    return dtypes == 1 && last->kind == PM_AUDIT_DTYPE && !call->starred ? last : NULL;
}

/* Returns the keyword with which cases pass a dtype; "dtype" if they pass it only by position; NULL
 * if no case passes a dtype. */
static const char *dtype_keyword(const struct pm_audit_function *function)
{
    const char *word = NULL;
    for (size_t i = 0; i < function->count; i++)
        for (size_t k = 0; k < function->cases[i].call_count; k++) {
            const struct pm_audit_call *call = &function->cases[i].calls[k];
            for (size_t a = 0; a < call->count; a++)
                if (call->items[a].kind == PM_AUDIT_DTYPE && call->items[a].keyword)
                    return call->items[a].keyword;
            if (dtype_by_position(call))
                word = "dtype";
        }
    return word;
}

void pm_audit_function_complete(struct pm_audit_function *function)
{
    const char *word = dtype_keyword(function);
    function->dtype_keyword = word ? pm_strdup(word) : NULL;
    for (size_t i = 0; word && i < function->count; i++)
        for (size_t k = 0; k < function->cases[i].call_count; k++) {
            struct pm_audit_call *call = &function->cases[i].calls[k];
            struct pm_audit_argument *dtype = dtype_by_position(call);
            if (!dtype || pm_audit_call_keyword(call, function->dtype_keyword))
                continue;
            dtype->keyword = pm_strdup(function->dtype_keyword);
            call->positional--;
        }
}

/* Returns a copy of a call in which a dtype that is passed by position has the keyword of the
 * function. The copy borrows everything except the array of its items, which the caller frees. */
static struct pm_audit_call with_keyword(const struct pm_audit_function *function,
                                         const struct pm_audit_call *site)
{
    struct pm_audit_call named = *site;
    named.items = pm_alloc((site->count + 1) * sizeof *named.items);
    if (site->count)
        memcpy(named.items, site->items, site->count * sizeof *named.items);
    struct pm_audit_argument *dtype = function->dtype_keyword ? dtype_by_position(&named) : NULL;
    if (dtype && !pm_audit_call_keyword(&named, function->dtype_keyword)) {
        dtype->keyword = function->dtype_keyword;
        named.positional--;
    }
    return named;
}

/* Returns whether a use passes by keyword what a call of a case passes by position as a variable of
 * that name: the variables of cases have the names of parameters. */
static bool is_passed_by_name(const struct pm_audit_call *site, const struct pm_audit_call *of,
                              const struct pm_audit_argument *argument)
{
    return !argument->keyword && argument->name && !is_ignored(argument->name) &&
           pm_audit_call_keyword(site, argument->name) &&
           !pm_audit_call_keyword(of, argument->name);
}

/* Sets *named to a call of a case in which each such argument has its keyword. It borrows
 * everything except the array of its items, which the caller frees. */
static void name_arguments(const struct pm_audit_call *site, const struct pm_audit_call *of,
                           struct pm_audit_call *named)
{
    *named = *of;
    named->items = pm_alloc((of->count + 1) * sizeof *named->items);
    for (size_t i = 0; i < of->count; i++) {
        named->items[i] = of->items[i];
        if (is_passed_by_name(site, of, &of->items[i])) {
            named->items[i].keyword = of->items[i].name;
            named->positional--;
        }
    }
}

static bool is_host(const struct pm_audit_argument *argument)
{
    return argument->kind == PM_AUDIT_STRING && !strcmp(argument->value, "cpu");
}

/* Returns whether a call passes the text "cpu", which names the host. */
static bool names_host(const struct pm_audit_call *call)
{
    bool host = false;
    for (size_t i = 0; i < call->count && !host; i++)
        host = is_host(&call->items[i]);
    return host;
}

/* Returns whether a use and a call of a case have different devices. In a case, the variable
 * `device` is the target; in a use, a variable is seldom the host. */
static bool places_differ(const struct pm_audit_call *site, const struct pm_audit_call *of)
{
    bool target = false;
    for (size_t i = 0; i < of->positional && !target; i++) {
        const struct pm_audit_argument *argument = position(of, i);
        target = argument->kind == PM_AUDIT_OPAQUE && argument->value;
    }
    return names_host(of) ? !names_host(site) : target && names_host(site);
}

static bool values_differ(const struct pm_audit_call *a, const struct pm_audit_call *b)
{
    for (size_t i = 0; i < a->count; i++) {
        const char *keyword = a->items[i].keyword;
        const struct pm_audit_argument *other = keyword ? pm_audit_call_keyword(b, keyword) : NULL;
        if (other && !is_ignored(keyword) && differ(&a->items[i], other))
            return true;
    }
    if (a->starred || b->starred)
        return false;
    for (size_t i = 0; i < a->positional && i < b->positional; i++)
        if (differ(position(a, i), position(b, i)))
            return true;
    return false;
}

/* Returns whether all calls in the cases of a function pass a keyword, so that the function was not
 * measured without it. */
static bool all_pass(const struct pm_audit_function *function, const char *keyword)
{
    for (size_t i = 0; i < function->count; i++)
        for (size_t k = 0; k < function->cases[i].call_count; k++)
            if (!pm_audit_call_keyword(&function->cases[i].calls[k], keyword))
                return false;
    return true;
}

/* Returns whether `b` may pass by position an argument that `a` passes by keyword: as one of the
 * positional arguments that `a` lacks, or in `*more`. */
static bool may_be_by_position(const struct pm_audit_call *b, const struct pm_audit_call *a,
                               const struct pm_audit_argument *named)
{
    for (size_t i = a->positional; i < b->positional; i++)
        if (!is_host(position(b, i)) && !differ(position(b, i), named))
            return true;
    return b->starred;
}

/* Returns whether `b` has too few positional arguments for the keywords of `a` that it does not
 * pass by name. `exactly`: or too many. Ignores keywords that all cases pass. */
static bool lacks_positions(const struct pm_audit_call *a, const struct pm_audit_call *b,
                            const struct pm_audit_function *function, bool exactly)
{
    size_t named = 0;
    for (size_t i = 0; i < a->count; i++) {
        const char *keyword = a->items[i].keyword;
        named += keyword && !is_ignored(keyword) && !pm_audit_call_keyword(b, keyword) &&
                 !all_pass(function, keyword);
    }
    if (!named || b->starred || b->mapped || a->starred)
        return false;
    const size_t passed = a->positional + named;
    return passed > b->positional || (exactly && passed < b->positional);
}

/* Returns whether `a` passes a keyword that `b` does not pass, neither by name nor possibly by
 * position. Ignores `device` and keywords that all cases pass. The keyword `by_name` (NULL: none)
 * cannot be passed by position. */
static bool passes_more(const struct pm_audit_call *a, const struct pm_audit_call *b,
                        const struct pm_audit_function *function, const char *by_name)
{
    if (b->mapped)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const char *keyword = a->items[i].keyword;
        if (!keyword || is_ignored(keyword) || pm_audit_call_keyword(b, keyword) ||
            all_pass(function, keyword))
            continue;
        if ((by_name && !strcmp(by_name, keyword)) || !may_be_by_position(b, a, &a->items[i]))
            return true;
    }
    return false;
}

static bool has_none(const struct pm_audit_call *call)
{
    return !call->count && !call->starred && !call->mapped;
}

static bool shares_keyword(const struct pm_audit_call *a, const struct pm_audit_call *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->items[i].keyword && pm_audit_call_keyword(b, a->items[i].keyword))
            return true;
    return false;
}

/* Returns whether a call of a case fits a use. `loosely`: one keyword in common is enough.
 * `passes`: the case passes. */
static bool fits(const struct pm_audit_function *function, const struct pm_audit_call *site,
                 const struct pm_audit_call *of, bool loosely, bool passes)
{
    if (values_differ(site, of) || places_differ(site, of) || has_none(site) != has_none(of))
        return false;
    return loosely ? shares_keyword(site, of)
                   : !passes_more(site, of, function, function->dtype_keyword) &&
                         !passes_more(of, site, function, NULL) &&
                         !lacks_positions(site, of, function, !passes) &&
                         !lacks_positions(of, site, function, false);
}

/* Returns whether a use surely passes an argument by position that a call of a case does not pass
 * at all. Returns false if the call passes sizes, because its function may accept any number of
 * them. */
static bool passes_beyond(const struct pm_audit_call *site, const struct pm_audit_call *of)
{
    size_t most = of->positional;
    for (size_t i = 0; i < of->count; i++) {
        const struct pm_audit_argument *argument = &of->items[i];
        if (!argument->keyword && argument->kind == PM_AUDIT_NUMBER)
            return false;
        most += argument->keyword && !pm_audit_call_keyword(site, argument->keyword);
    }
    return !of->starred && !of->mapped && site->positional > most;
}

/* Returns whether an argument lets the function find a count itself: its keyword is that of a
 * count, and its value is -1 or None. The function then reads data, which some devices cannot. For
 * other keywords, -1 may be an axis. */
static bool is_found_count(const struct pm_audit_argument *argument)
{
    static const char *const words[] = {"num_", "size", "length", "count", "depth"};
    bool count = false;
    for (size_t i = 0; argument->keyword && i < sizeof words / sizeof *words; i++)
        count = count || strstr(argument->keyword, words[i]);
    return count && ((argument->kind == PM_AUDIT_NUMBER && !strcmp(argument->value, "-1")) ||
                     (argument->kind == PM_AUDIT_CONSTANT && !strcmp(argument->value, "None")));
}

/* Returns whether a use passes a count that a call of a case leaves to the function. The keywords
 * of the call are assumed to be in the order in which the use would pass them by position. */
static bool passes_count(const struct pm_audit_call *site, const struct pm_audit_call *of)
{
    size_t named = of->positional;
    for (size_t i = 0; i < of->count; i++) {
        const struct pm_audit_argument *argument = &of->items[i], *passed;
        if (!argument->keyword)
            continue;
        passed = pm_audit_call_keyword(site, argument->keyword);
        if (!passed && named < site->positional)
            passed = position(site, named);
        named++;
        if (passed && is_found_count(argument) &&
            (passed->kind != argument->kind || strcmp(passed->value, argument->value) != 0))
            return true;
    }
    return false;
}

/* Returns whether a use passes a list of numbers where a call of a case passes a variable, which is
 * an array on the device. */
static bool passes_list(const struct pm_audit_call *site, const struct pm_audit_call *of)
{
    for (size_t i = 0; i < site->positional && i < of->positional && !of->starred; i++)
        if (position(site, i)->listed && position(of, i)->name)
            return true;
    return false;
}

/* Returns whether a call of a case passes arguments by position that a use surely does not pass.
 * Whole numbers do not count, because they are sizes and axes. */
static bool passes_fewer(const struct pm_audit_call *site, const struct pm_audit_call *of)
{
    size_t most = site->positional;
    for (size_t i = 0; i < site->count; i++)
        most += site->items[i].keyword && !pm_audit_call_keyword(of, site->items[i].keyword);
    for (size_t i = most; !site->starred && !site->mapped && i < of->positional; i++) {
        const struct pm_audit_argument *argument = position(of, i);
        if (argument->kind != PM_AUDIT_NUMBER || strchr(argument->value, '.'))
            return true;
    }
    return false;
}

/* Returns whether a failing call of a case is evidence about a use. */
static bool says_of_failing(const struct pm_audit_call *site, const struct pm_audit_call *of)
{
    return !passes_beyond(site, of) && !passes_count(site, of) && !passes_list(site, of);
}

/* Returns whether a case is compatible with a use. `opaque`: no case has a call of the function in
 * its texts, so each case may have called it in any form. `loosely`: one keyword in common is
 * enough. A failing case shows nothing about a use with more arguments, with a list of numbers
 * instead of an array, or with a count that the case does not pass, because this difference may be
 * why the case fails. */
static bool is_compatible(const struct pm_audit_function *function,
                          const struct pm_audit_call *site, const struct pm_audit_case *c,
                          bool opaque, bool loosely)
{
    bool fit = !site->is_call || opaque;
    for (size_t i = 0; i < c->call_count && !fit; i++) {
        struct pm_audit_call of;
        name_arguments(site, &c->calls[i], &of);
        fit = fits(function, site, &of, loosely, c->passes) &&
              (c->passes ? !passes_fewer(site, &of) : says_of_failing(site, &of));
        free(of.items);
    }
    return fit;
}

/* ---- what it depends on ---------------------------------------------------------------------- */

static bool is_listed(const struct pm_str *list, const char *text)
{
    const size_t length = strlen(text);
    for (const char *at = list->data; (at = strstr(at, text)); at += length)
        if ((at == list->data || at[-1] == ' ') && (!at[length] || at[length] == ','))
            return true;
    return false;
}

struct chosen {
    const struct pm_audit_function *function;
    bool *in; /* by case: whether it is chosen */
};

/* Returns whether the dtype decides: each chosen case that fails has a dtype, and no chosen case
 * that passes has the same. Then adds the dtypes of the failing cases to *names. */
static bool dtypes_decide(const struct chosen *chosen, struct pm_str *names)
{
    const struct pm_audit_function *f = chosen->function;
    for (size_t i = 0; i < f->count; i++)
        for (size_t k = 0; k < f->count; k++)
            if (chosen->in[i] && chosen->in[k] && !f->cases[i].passes &&
                (!*f->cases[i].dtype ||
                 (f->cases[k].passes && !strcmp(f->cases[i].dtype, f->cases[k].dtype))))
                return false;
    size_t named = 0;
    for (size_t i = 0; i < f->count; i++) {
        const struct pm_audit_case *c = &f->cases[i];
        if (!chosen->in[i] || c->passes || is_listed(names, c->dtype))
            continue;
        if (named++ < MOST_NAMED)
            pm_str_addf(names, "%s%s", names->length ? ", " : "", c->dtype);
    }
    return true;
}

/* Adds the keywords that only failing cases pass. */
static void deciding_keywords(const struct chosen *chosen, struct pm_str *names)
{
    const struct pm_audit_function *f = chosen->function;
    for (size_t i = 0; i < f->count; i++) {
        const struct pm_audit_case *c = &f->cases[i];
        for (size_t k = 0; chosen->in[i] && !c->passes && k < c->call_count; k++)
            for (size_t a = 0; a < c->calls[k].count; a++) {
                const char *keyword = c->calls[k].items[a].keyword;
                bool passes = !keyword || is_ignored(keyword) || is_listed(names, keyword);
                for (size_t o = 0; o < f->count && !passes; o++)
                    for (size_t n = 0; n < f->cases[o].call_count && !passes; n++)
                        passes = chosen->in[o] && f->cases[o].passes &&
                                 pm_audit_call_keyword(&f->cases[o].calls[n], keyword);
                if (!passes)
                    pm_str_addf(names, "%s%s", names->length ? ", " : "", keyword);
            }
    }
}

static void failing_cases(const struct chosen *chosen, struct pm_str *names)
{
    const struct pm_audit_function *f = chosen->function;
    size_t named = 0;
    for (size_t i = 0; i < f->count; i++)
        if (chosen->in[i] && !f->cases[i].passes && named++ < MOST_NAMED)
            pm_str_addf(names, "%s'%s'", names->length ? ", " : "", f->cases[i].name);
    if (named > MOST_NAMED)
        pm_str_addf(names, " and %zu more", named - MOST_NAMED);
}

static char *depends_on(const struct chosen *chosen)
{
    struct pm_str names = PM_STR_INIT, out = PM_STR_INIT;
    if (dtypes_decide(chosen, &names)) {
        pm_str_addf(&out, "the dtype (%s)", names.data);
    } else {
        pm_str_clear(&names);
        deciding_keywords(chosen, &names);
        if (names.length)
            pm_str_addf(&out, "the argument%s %s", strchr(names.data, ',') ? "s" : "", names.data);
    }
    if (!out.length) {
        failing_cases(chosen, &names);
        pm_str_addf(&out, "its arguments, as in %s", names.data);
    }
    pm_str_release(&names);
    return pm_str_detach(&out);
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* Returns whether a call of a case passes a variable of this name by position. */
static bool names_variable(const struct pm_audit_call *of, const char *name)
{
    for (size_t i = 0; i < of->count; i++)
        if (!of->items[i].keyword && of->items[i].name && !strcmp(of->items[i].name, name))
            return true;
    return false;
}

/* Returns whether an argument by position is a variable with the name of another parameter. A name
 * of one or two characters, such as x or x2, says nothing. */
static bool is_another(const struct pm_audit_argument *argument, const char *keyword)
{
    return argument->name && strlen(argument->name) > 2 && strcmp(argument->name, keyword) != 0;
}

/* Returns whether a call of a case passes, or may pass by position, an argument that a use passes
 * by keyword. Positions beyond the number of arguments of the use are none of it. */
static bool passes_argument(const struct pm_audit_call *of, const struct pm_audit_call *site,
                            const struct pm_audit_argument *named)
{
    bool passes = pm_audit_call_keyword(of, named->keyword) || of->mapped || of->starred ||
                  names_variable(of, named->keyword);
    for (size_t i = site->positional; i < of->positional && i < site->count && !passes; i++) {
        const struct pm_audit_argument *argument = position(of, i);
        passes =
            !is_host(argument) && !differ(argument, named) && !is_another(argument, named->keyword);
    }
    return passes;
}

/* Returns the first keyword of the use that no case passes, or NULL. */
static const char *new_keyword(const struct pm_audit_function *function,
                               const struct pm_audit_call *site)
{
    for (size_t i = 0; i < site->count; i++) {
        const char *keyword = site->items[i].keyword;
        bool known = !keyword || is_ignored(keyword);
        for (size_t c = 0; c < function->count && !known; c++)
            for (size_t k = 0; k < function->cases[c].call_count && !known; k++)
                known = passes_argument(&function->cases[c].calls[k], site, &site->items[i]);
        if (!known)
            return keyword;
    }
    return NULL;
}

/* Returns a keyword that all cases pass, but that the use passes neither by name nor possibly by
 * position; NULL if there is none. */
static const char *keyword_without(const struct pm_audit_function *function,
                                   const struct pm_audit_call *site)
{
    const struct pm_audit_call *call =
        function->cases[0].call_count ? &function->cases[0].calls[0] : NULL;
    if (!call || !site->is_call || site->mapped)
        return NULL;
    for (size_t i = 0; i < call->count; i++) {
        const char *keyword = call->items[i].keyword;
        if (keyword && !is_ignored(keyword) && !pm_audit_call_keyword(site, keyword) &&
            all_pass(function, keyword) && !may_be_by_position(site, call, &call->items[i]))
            return keyword;
    }
    return NULL;
}

static size_t choose(const struct chosen *chosen, const struct pm_audit_call *site, bool loosely)
{
    size_t count = 0;
    bool opaque = true;
    for (size_t i = 0; i < chosen->function->count; i++)
        opaque = opaque && !chosen->function->cases[i].call_count;
    for (size_t i = 0; i < chosen->function->count; i++) {
        chosen->in[i] =
            is_compatible(chosen->function, site, &chosen->function->cases[i], opaque, loosely);
        count += chosen->in[i];
    }
    return count;
}

static void decide(const struct chosen *chosen, struct pm_audit_answer *out)
{
    for (size_t i = 0; i < chosen->function->count; i++) {
        const struct pm_audit_case *c = &chosen->function->cases[i];
        if (!chosen->in[i] || c->passes)
            continue;
        out->failing++;
        if (!out->shown || c->kind < out->shown->kind)
            out->shown = c;
    }
    out->status = !out->failing                    ? PM_AUDIT_WORKS
                  : out->failing < out->compatible ? PM_AUDIT_DEPENDS
                                                   : PM_AUDIT_FAILS;
    if (out->status == PM_AUDIT_DEPENDS)
        out->on = depends_on(chosen);
}

void pm_audit_answer(const struct pm_audit_function *function, const struct pm_audit_call *call,
                     struct pm_audit_answer *out)
{
    *out = (struct pm_audit_answer){.status = PM_AUDIT_UNKNOWN};
    if (!function || !function->count)
        return;
    const struct chosen chosen = {function, pm_alloc(function->count * sizeof *chosen.in)};
    const struct pm_audit_call site = with_keyword(function, call);
    const char *keyword = call->is_call ? new_keyword(function, &site) : NULL;
    if (!keyword)
        out->compatible = choose(&chosen, &site, false);
    if (!keyword && !out->compatible)
        out->compatible = choose(&chosen, &site, true);
    if (out->compatible) {
        decide(&chosen, out);
        out->without = keyword_without(function, &site);
    } else {
        out->status = PM_AUDIT_ARGUMENTS;
        out->on = keyword ? pm_format("no case passes the argument %s", keyword)
                          : pm_strdup("no case has such arguments");
    }
    free(site.items);
    free(chosen.in);
}

/* Returns whether a measured case is a recorded case or an expansion of it: "recorded 3[float32]"
 * is an expansion of "recorded 3". */
static bool is_recorded(const struct pm_audit_case *c, const struct pm_audit_recorded *recorded)
{
    const size_t length = strcspn(c->name, "[");
    return strlen(recorded->name) == length && strncmp(c->name, recorded->name, length) == 0 &&
           strcmp(c->text, recorded->text) == 0;
}

bool pm_audit_answer_recorded(const struct pm_audit_function *function,
                              const struct pm_audit_recorded *cases, size_t count,
                              struct pm_audit_answer *out)
{
    *out = (struct pm_audit_answer){.status = PM_AUDIT_UNKNOWN};
    if (!function || !function->count)
        return false;
    const struct chosen chosen = {function, pm_alloc(function->count * sizeof *chosen.in)};
    for (size_t i = 0; i < function->count; i++)
        for (size_t k = 0; k < count && !chosen.in[i]; k++) {
            chosen.in[i] = is_recorded(&function->cases[i], &cases[k]);
            out->compatible += chosen.in[i];
        }
    if (out->compatible)
        decide(&chosen, out);
    out->recorded = out->compatible > 0;
    free(chosen.in);
    return out->recorded;
}

bool pm_audit_answer_is_weak(const struct pm_audit_answer *answer)
{
    const bool searched = answer->shown && answer->shown->tier == PM_TIER_SEARCHED;
    return answer->without || (!answer->recorded && answer->compatible == 1 && searched);
}

void pm_audit_answer_release(struct pm_audit_answer *answer)
{
    free(answer->on);
    *answer = (struct pm_audit_answer){0};
}
