/* Finds the chains that assignments and defaults of parameters bind to names. */
#include "base/stop.h"
#include "resolve/resolve_private.h"

/* The most rounds in which aliases are followed. An alias of an alias that is defined further down
 * needs two rounds. */
#define MOST_ROUNDS 16

/* The most names of a tuple, and the most targets of an assignment. Longer tuples and assignments
 * are ignored. */
#define MOST_NAMES   16
#define MOST_TARGETS 4

#define NO_NAME SIZE_MAX

/* The targets before one `=`: a name, or names separated by commas. */
struct targets {
    size_t names[MOST_NAMES]; /* tokens; NO_NAME: not a plain name */
    size_t count;
    bool tuple;
};

/* A value whose chains are being added as aliases. */
struct value {
    size_t name, header; /* as in struct pm_resolve__alias; name NO_NAME: add no aliases */
    size_t depth;        /* open brackets */
};

/* ---- values --------------------------------------------------------------------------------- */

static bool is_single_equals(const struct pm_resolve_file *file, size_t token)
{
    return pm_resolve_kind(file, token) == '=' && pm_resolve_kind(file, token + 1) != '=';
}

/* Skips the condition of `a if condition else b`; `token` is at `if`. Returns the token after
 * `else`, or 0 if there is no `else`. */
static size_t skip_condition(const struct pm_resolve_file *file, size_t token)
{
    size_t depth = 0;
    for (; token < file->tokens.count; token++) {
        const uint8_t kind = pm_resolve_kind(file, token);
        if (kind == PM_TOKEN_NEWLINE)
            return 0;
        if (kind == '(' || kind == '[' || kind == '{')
            depth++;
        else if (kind == ')' || kind == ']' || kind == '}') {
            if (depth-- == 0)
                return 0;
        } else if (depth == 0 && PM_RESOLVE_IS(file, token, "else"))
            return pm_resolve__next(file, token);
    }
    return 0;
}

/* Reads one chain or constant of a value, with the brackets around it. Returns the token after it;
 * 0 if the value is something else. */
static size_t take_operand(struct pm_resolve_file *file, struct value *value, size_t token)
{
    for (; pm_resolve_kind(file, token) == '('; token = pm_resolve__next(file, token))
        value->depth++;
    const uint8_t kind = pm_resolve_kind(file, token);
    size_t end = token + 1;
    if (kind == PM_TOKEN_NAME) {
        end = pm_resolve__chain_end(file, token);
        if (value->name != NO_NAME)
            PM_RESOLVE__PUSH(file, aliases,
                             (struct pm_resolve__alias){(uint32_t)value->name, (uint32_t)token,
                                                        (uint32_t)end, (uint32_t)value->header,
                                                        false});
    } else if (kind != PM_TOKEN_NUMBER && kind != PM_TOKEN_STRING) {
        return 0;
    }
    end = pm_resolve__next(file, end - 1);
    for (; value->depth > 0 && pm_resolve_kind(file, end) == ')'; end = pm_resolve__next(file, end))
        value->depth--;
    return end;
}

/* Reads a value such as `a`, `a if b else c` or `a or b`. Returns the token after it. Returns 0,
 * and adds no aliases, if the value is something else. */
static size_t take_value(struct pm_resolve_file *file, size_t name, size_t header, size_t token)
{
    const size_t before = file->aliases_count;
    struct value value = {.name = name, .header = header};
    for (;;) {
        token = take_operand(file, &value, token);
        if (token && PM_RESOLVE_IS(file, token, "if"))
            token = skip_condition(file, token);
        else if (token && (PM_RESOLVE_IS(file, token, "or") || PM_RESOLVE_IS(file, token, "and")))
            token = pm_resolve__next(file, token);
        else if (token && value.depth == 0)
            return token;
        else
            token = 0;
        if (!token) {
            file->aliases_count = before;
            return 0;
        }
    }
}

/* Skips an expression. Returns the comma, closing bracket, `;` or line end after it. */
static size_t skip_value(const struct pm_resolve_file *file, size_t token)
{
    size_t depth = 0;
    for (; token < file->tokens.count; token++) {
        const uint8_t kind = pm_resolve_kind(file, token);
        if (kind == '(' || kind == '[' || kind == '{')
            depth++;
        else if (kind == ')' || kind == ']' || kind == '}') {
            if (depth == 0)
                return token;
            depth--;
        } else if (kind == PM_TOKEN_NEWLINE || (depth == 0 && (kind == ',' || kind == ';')))
            return token;
    }
    return token;
}

static bool ends_element(uint8_t kind)
{
    return kind == ',' || kind == PM_TOKEN_NEWLINE || kind == ';' || kind == ')' || kind == ']';
}

/* ---- assignments ---------------------------------------------------------------------------- */

/* Reads the targets before an `=`. Returns the token of the `=`; 0 if these are not targets. */
static size_t take_targets(const struct pm_resolve_file *file, size_t token, struct targets *out)
{
    const uint8_t open = pm_resolve_kind(file, token);
    const bool bracket = open == '(' || open == '[';
    *out = (struct targets){.tuple = bracket};
    if (bracket)
        token = pm_resolve__next(file, token);
    while (pm_resolve_kind(file, token) == PM_TOKEN_NAME && out->count < MOST_NAMES) {
        const size_t end = pm_resolve__chain_end(file, token);
        out->names[out->count++] = end == token + 1 ? token : NO_NAME;
        token = pm_resolve__next(file, end - 1);
        if (pm_resolve_kind(file, token) != ',')
            break;
        out->tuple = true;
        token = pm_resolve__next(file, token);
    }
    if (bracket) {
        if (pm_resolve_kind(file, token) != (open == '(' ? ')' : ']'))
            return 0;
        token = pm_resolve__next(file, token);
    }
    return out->count > 0 && is_single_equals(file, token) ? token : 0;
}

/* Assigns the elements of a tuple to the names of the targets. Does nothing if their numbers
 * differ. */
static void take_tuple(struct pm_resolve_file *file, const struct targets *targets, size_t token)
{
    const size_t before = file->aliases_count;
    const uint8_t open = pm_resolve_kind(file, token);
    const bool bracket = open == '(' || open == '[';
    size_t at = bracket ? pm_resolve__next(file, token) : token, count = 0;
    for (;; at = pm_resolve__next(file, at)) {
        const size_t known = file->aliases_count;
        const size_t end =
            take_value(file, count < targets->count ? targets->names[count] : NO_NAME, 0, at);
        if (!end || !ends_element(pm_resolve_kind(file, end))) {
            file->aliases_count = known;
            at = skip_value(file, at);
        } else {
            at = end;
        }
        count++;
        if (pm_resolve_kind(file, at) != ',')
            break;
        if (ends_element(pm_resolve_kind(file, pm_resolve__next(file, at)))) {
            at = pm_resolve__next(file, at); /* the comma was the last one */
            break;
        }
    }
    if (bracket)
        at = pm_resolve__next(file, at);
    const uint8_t kind = pm_resolve_kind(file, at);
    if (count != targets->count || (kind != PM_TOKEN_NEWLINE && kind != ';'))
        file->aliases_count = before;
}

/* Reads an assignment, `a = b = chain` or `a, b = chain, chain`; `token` is at the first target. */
static void take_assignment(struct pm_resolve_file *file, size_t token)
{
    struct targets targets[MOST_TARGETS];
    size_t count = 0, equals;
    while (count < MOST_TARGETS && (equals = take_targets(file, token, &targets[count])) != 0) {
        token = equals + 1;
        count++;
    }
    for (size_t i = 0; i < count; i++) {
        if (targets[i].tuple) {
            take_tuple(file, &targets[i], token);
            continue;
        }
        const size_t before = file->aliases_count;
        const size_t end =
            targets[i].names[0] != NO_NAME ? take_value(file, targets[i].names[0], 0, token) : 0;
        const uint8_t kind = pm_resolve_kind(file, end);
        if (end && kind != PM_TOKEN_NEWLINE && kind != ';')
            file->aliases_count = before;
    }
}

/* Reads an annotated assignment, `name: annotation = chain`. */
static void take_annotated(struct pm_resolve_file *file, size_t name)
{
    const size_t before = file->aliases_count;
    size_t token = name + 2, depth = 0;
    for (;; token++) {
        const uint8_t kind = pm_resolve_kind(file, token);
        if (kind == PM_TOKEN_NEWLINE || kind == ';')
            return;
        depth += kind == '(' || kind == '[' || kind == '{';
        depth -= depth > 0 && (kind == ')' || kind == ']' || kind == '}');
        if (depth == 0 && is_single_equals(file, token))
            break;
    }
    const size_t end = take_value(file, name, 0, token + 1);
    const uint8_t kind = pm_resolve_kind(file, end);
    if (end && kind != PM_TOKEN_NEWLINE && kind != ';')
        file->aliases_count = before;
}

/* ---- defaults of parameters ----------------------------------------------------------------- */

/* Reads the parameter at `token`. Returns the comma, bracket or line end after it. */
static size_t take_parameter(struct pm_resolve_file *file, size_t token)
{
    while (pm_resolve_kind(file, token) == '*')
        token = pm_resolve__next(file, token);
    const size_t name = token;
    size_t depth = 0;
    for (; token < file->tokens.count; token++) {
        const uint8_t kind = pm_resolve_kind(file, token);
        if (kind == PM_TOKEN_NEWLINE || (depth == 0 && (kind == ',' || kind == ')')))
            return token;
        depth += kind == '(' || kind == '[' || kind == '{';
        depth -= depth > 0 && (kind == ')' || kind == ']' || kind == '}');
        if (depth == 0 && is_single_equals(file, token))
            break;
    }
    const size_t before = file->aliases_count, value = pm_resolve__next(file, token);
    const size_t end = take_value(file, name, 1, value);
    if (end && (pm_resolve_kind(file, end) == ',' || pm_resolve_kind(file, end) == ')'))
        return end;
    file->aliases_count = before;
    return skip_value(file, value);
}

/* Reads the parameters of `def name(...)`. Returns the token after them. */
static size_t take_parameters(struct pm_resolve_file *file, size_t def)
{
    const size_t first = file->aliases_count;
    size_t token = def + 2;
    if (pm_resolve_kind(file, token) == '[') /* type parameters */
        token = pm_resolve__next(file, skip_value(file, token + 1));
    if (pm_resolve_kind(file, def + 1) != PM_TOKEN_NAME || pm_resolve_kind(file, token) != '(')
        return def + 1;
    do {
        token = take_parameter(file, pm_resolve__next(file, token));
    } while (pm_resolve_kind(file, token) == ',');
    token += pm_resolve_kind(file, token) == ')';
    for (size_t i = first; i < file->aliases_count; i++)
        file->aliases[i].header = (uint32_t)token;
    return token;
}

size_t pm_resolve__take_aliases(struct pm_resolve_file *file, size_t token)
{
    if (PM_RESOLVE_IS(file, token, "def"))
        return take_parameters(file, token);
    if (PM_RESOLVE_IS(file, token, "async") && PM_RESOLVE_IS(file, token + 1, "def"))
        return take_parameters(file, token + 1);
    const uint8_t after = pm_resolve_kind(file, token + 1);
    if (after == ':' && !pm_resolve__is_compound(file, token))
        take_annotated(file, token);
    else if (after == '=' || after == ',' || after == '.')
        take_assignment(file, token);
    return token + 1;
}

/* ---- following ------------------------------------------------------------------------------ */

/* Returns the token after the function of a default. Uses the previous default if it has the same
 * function, because the defaults of a function are consecutive in the list. */
static uint32_t function_end(const struct pm_resolve_file *file, uint32_t header)
{
    const struct pm_resolve__default *last =
        file->defaults_count ? &file->defaults[file->defaults_count - 1] : NULL;
    return last && last->from == header ? last->until
                                        : (uint32_t)pm_resolve__block_end(file, header);
}

/* Binds the parameter of a default within its function. */
static void bind_default(struct pm_resolve_file *file, const struct pm_resolve__alias *alias,
                         struct pm_resolve_binding binding)
{
    const uint32_t until = function_end(file, alias->header);
    PM_RESOLVE__PUSH(
        file, defaults,
        (struct pm_resolve__default){.from = alias->header, .until = until, .binding = binding});
    struct pm_resolve_local *local = pm_resolve__local_make(file, alias->name);
    const uint32_t one = (uint32_t)file->defaults_count;
    if (local->last_default)
        file->defaults[local->last_default - 1].next = one;
    else
        local->defaults = one;
    local->last_default = one;
}

static bool bind_alias(struct pm_resolve_file *file, struct pm_resolve__alias *alias,
                       struct pm_resolve_binding binding)
{
    alias->followed = true;
    if (!alias->header)
        return pm_resolve__bind(file, alias->name, binding);
    bind_default(file, alias, binding);
    return false;
}

/* Marks the name of an alias as foreign; false if it was foreign already. */
static bool make_foreign(struct pm_resolve_file *file, const struct pm_resolve__alias *alias)
{
    struct pm_resolve_local *local = pm_resolve__local_make(file, alias->name);
    const bool news = !local->foreign;
    local->foreign = true;
    return news;
}

/* Binds the name of an alias to the places to which its chain leads. Returns true if the name has a
 * new binding or has become foreign. */
static bool follow_alias(struct pm_resolve_file *file, struct pm_resolve__alias *alias)
{
    bool news = false;
    const struct pm_resolve_local *local = pm_resolve_local_find(file, alias->chain);
    const bool known = local && (local->imported || local->first);
    const bool foreign = local && local->first && local->foreign;
    for (uint32_t i = local ? local->first : 0; i; i = file->bindings[i - 1].next) {
        const struct pm_resolve_binding from = file->bindings[i - 1];
        struct pm_resolve_reached place =
            pm_resolve_follow(file, from, (size_t)alias->chain + 1, alias->end);
        if (!place.binding.node)
            place.binding.text = pm_resolve__text(file, from, (size_t)alias->chain + 1, alias->end);
        news |= bind_alias(file, alias, place.binding);
    }
    struct pm_resolve_star star = {0};
    struct pm_resolve_binding binding;
    while (!known && pm_resolve_starred(file, alias->chain, &star, &binding)) {
        const struct pm_resolve_reached place =
            pm_resolve_follow(file, binding, (size_t)alias->chain + 1, alias->end);
        if (place.binding.function || place.binding.node)
            news |= bind_alias(file, alias, place.binding);
    }
    if (foreign && !alias->header)
        news |= make_foreign(file, alias);
    return news;
}

void pm_resolve__follow_aliases(struct pm_resolve_file *file)
{
    const bool any = file->bindings_count > 0 || file->stars_count > 0;
    bool news = any;
    for (int round = 0; news && round < MOST_ROUNDS; round++) {
        news = false;
        for (size_t i = 0; i < file->aliases_count && !pm_stop_signal(); i++)
            if (!file->aliases[i].header)
                news |= follow_alias(file, &file->aliases[i]);
    }
    for (size_t i = 0; any && i < file->aliases_count && !pm_stop_signal(); i++)
        if (file->aliases[i].header)
            (void)follow_alias(file, &file->aliases[i]);
}

bool pm_resolve__is_alias(const struct pm_resolve_file *file, size_t token)
{
    size_t low = 0, high = file->aliases_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (file->aliases[middle].name < token)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < file->aliases_count && file->aliases[low].name == token; low++)
        if (file->aliases[low].followed)
            return true;
    return false;
}
