/* Expressions as terms: what is looked up on what, called, and computed. */
#include "base/stop.h"
#include "resolve/project_private.h"

static uint32_t term(struct pm_resolve__parse *p, enum pm_resolve__op op, uint32_t a, uint32_t b)
{
    return pm_resolve__term(p->project, op, a, b);
}

#define IS(p, word) PM_RESOLVE_IS((p)->file, (p)->token, word)

/* ---- places --------------------------------------------------------------------------------- */

/* Line and column of a token, which is mostly near the last one asked for. */
static void locate(struct pm_resolve__parse *p, size_t token, uint32_t *line, uint32_t *column)
{
    const struct pm_resolve_project *project = p->project;
    const uint32_t start = p->file->tokens.start[token];
    while (p->line > 0 && project->lines[p->line] > start)
        p->line--;
    while (p->line + 1 < project->lines_count && project->lines[p->line + 1] <= start)
        p->line++;
    *line = (uint32_t)p->line + 1;
    *column = start - project->lines[p->line] + 1;
}

void pm_resolve__add_site(struct pm_resolve__parse *p, size_t token, struct pm_resolve__site site)
{
    locate(p, token, &site.line, &site.column);
    site.inside = p->scopes[p->scope_count - 1].inside;
    PM_RESOLVE__PUSH(p->project, sites, site);
}

/* Whether imports gave a use that has the token. */
static bool is_used(const struct pm_resolve_file *file, size_t token)
{
    size_t low = 0, high = file->uses_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (file->uses[middle].token <= token)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && token < file->uses[low - 1].after;
}

/* A chain ends with the name at `token`, which has this term. */
static void add_chain(struct pm_resolve__parse *p, size_t token, uint32_t of)
{
    const uint8_t after = pm_resolve__at(p);
    if (of && after != '.' && !is_used(p->file, token))
        pm_resolve__add_site(p, token,
                             (struct pm_resolve__site){.term = of,
                                                       .form = after == '('
                                                                   ? PM_RESOLVE_FORM_CALL
                                                                   : PM_RESOLVE_FORM_REFERENCE});
}

/* ---- atoms ---------------------------------------------------------------------------------- */

/* What the framework's imports bind the name to, where it is one thing. */
static uint32_t imported(struct pm_resolve__parse *p, size_t token, bool *known)
{
    const struct pm_resolve_local *local = pm_resolve__local_find(p->file, token);
    *known = local && local->first;
    for (size_t i = 0; !local && i < p->file->stars_count && !pm_stop_signal(); i++) {
        const uint32_t node =
            pm_resolve__follow(p->file, p->file->stars[i], token, token + 1).binding.node;
        *known = node != PM_RESOLVE_NONE;
        if (*known)
            return term(p, PM_RESOLVE__PLACE, p->file->stars[i].framework, node);
    }
    if (!*known || local->count != 1)
        return 0;
    const struct pm_resolve__binding *binding = &p->file->bindings[local->first - 1];
    return binding->node ? term(p, PM_RESOLVE__PLACE, binding->framework, binding->node) : 0;
}

/* A variable of this scope or of functions around it; then what imports say; then the module's. */
static uint32_t name_term(struct pm_resolve__parse *p, size_t token)
{
    const uint32_t name = pm_resolve__name_at(p, token);
    bool known;
    for (size_t i = p->scope_count; i-- > 1;) {
        if (p->scopes[i].class && i + 1 < p->scope_count)
            continue;
        const struct pm_resolve__variable *variable =
            pm_resolve__variable(p, name, p->scopes[i].number);
        if (variable)
            return variable->term;
    }
    const struct pm_resolve__variable *variable =
        p->scope_count == 1 ? pm_resolve__variable(p, name, 0) : NULL;
    if (variable)
        return variable->term;
    const uint32_t place = imported(p, token, &known);
    return known ? place : term(p, PM_RESOLVE__GLOBAL, p->unit, name);
}

static void skip_brackets(struct pm_resolve__parse *p)
{
    size_t depth = 0;
    for (; p->token < p->file->tokens.count; p->token++) {
        const uint8_t kind = pm_resolve__kind(p->file, p->token);
        if (kind == PM_TOKEN_NEWLINE)
            return;
        depth += kind == '(' || kind == '[' || kind == '{';
        depth -= depth > 0 && (kind == ')' || kind == ']' || kind == '}');
        if (depth == 0) {
            p->token++;
            return;
        }
    }
}

/* What is within brackets, from the opening one on; the term of a single expression without a
 * comma. */
static uint32_t bracketed(struct pm_resolve__parse *p)
{
    uint32_t first = 0;
    size_t count = 0;
    uint8_t kind;
    if (p->nesting == PM_RESOLVE__MOST_NESTING) {
        skip_brackets(p);
        return 0;
    }
    p->nesting++;
    p->token++;
    while ((kind = pm_resolve__at(p)) != ')' && kind != ']' && kind != '}' &&
           kind != PM_TOKEN_NEWLINE) {
        const size_t before = p->token;
        if (kind == PM_TOKEN_NAME && pm_resolve__kind(p->file, p->token + 1) == '=' &&
            pm_resolve__kind(p->file, p->token + 2) != '=')
            p->token += 2; /* f(name=value) */
        const uint32_t one = pm_resolve__expression(p);
        first = count++ == 0 ? one : 0;
        kind = pm_resolve__at(p);
        if (p->token == before || (kind != ')' && kind != ']' && kind != '}')) {
            count++; /* a comma, a slice, a comprehension */
            first = 0;
            p->token += kind != PM_TOKEN_NEWLINE && kind != ')' && kind != ']' && kind != '}';
        }
    }
    p->token += kind != PM_TOKEN_NEWLINE;
    p->nesting--;
    return first;
}

static void skip_strings(struct pm_resolve__parse *p)
{
    while (p->token < p->file->tokens.count &&
           (pm_resolve__is_inside(p->file, p->token) ||
            pm_resolve__kind(p->file, p->token) == PM_TOKEN_STRING))
        p->token++;
}

/* lambda a, b: value */
static uint32_t lambda(struct pm_resolve__parse *p)
{
    uint8_t kind;
    for (p->token++; (kind = pm_resolve__at(p)) != ':' && kind != PM_TOKEN_NEWLINE && kind != ')';)
        p->token++;
    p->token += kind == ':';
    (void)pm_resolve__expression(p);
    return 0;
}

static uint32_t atom(struct pm_resolve__parse *p)
{
    const size_t token = p->token;
    switch (pm_resolve__at(p)) {
    case PM_TOKEN_NAME: {
        if (IS(p, "lambda"))
            return lambda(p);
        const size_t name = p->token++;
        if (PM_RESOLVE_IS(p->file, name, "None"))
            return term(p, PM_RESOLVE__NONE_VALUE, 0, 0);
        const uint32_t of = name_term(p, name);
        add_chain(p, name, of);
        return of;
    }
    case PM_TOKEN_STRING:
        skip_strings(p);
        return 0;
    case PM_TOKEN_NUMBER:
        p->token++;
        return 0;
    case '(':
        return bracketed(p);
    case '[':
    case '{':
        (void)bracketed(p);
        return 0;
    case '.':
        while (pm_resolve__at(p) == '.')
            p->token++;
        return 0;
    default:
        p->token = token;
        return 0;
    }
}

/* An atom and what is looked up on it, called and indexed. */
static uint32_t chain(struct pm_resolve__parse *p)
{
    uint32_t of = atom(p);
    for (;;) {
        const uint8_t kind = pm_resolve__at(p);
        if (kind == '.') {
            p->token++;
            if (pm_resolve__at(p) != PM_TOKEN_NAME)
                return 0;
            const size_t name = p->token++;
            of = of ? term(p, PM_RESOLVE__ATTRIBUTE, of, pm_resolve__name_at(p, name)) : 0;
            add_chain(p, name, of);
        } else if (kind == '(') {
            (void)bracketed(p);
            of = of ? term(p, PM_RESOLVE__CALL, of, 0) : 0;
        } else if (kind == '[') {
            (void)bracketed(p);
            of = of ? term(p, PM_RESOLVE__ITEM, of, 0) : 0;
        } else {
            return of;
        }
    }
}

/* ---- operators ------------------------------------------------------------------------------ */

static uint32_t operand(struct pm_resolve__parse *p)
{
    bool computed = false, known = true;
    for (;; p->token++) {
        const uint8_t kind = pm_resolve__at(p);
        if (kind == '-' || kind == '+' || kind == '~')
            computed = true;
        else if (kind == '*')
            known = false;
        else if (kind != PM_TOKEN_NAME)
            break;
        else if (IS(p, "not") || IS(p, "yield") || IS(p, "from"))
            known = false;
        else if (!IS(p, "await"))
            break;
    }
    const uint32_t of = chain(p);
    if (!of || !known)
        return 0;
    return computed ? term(p, PM_RESOLVE__ARITHMETIC, of, 0) : of;
}

static bool computes(uint8_t kind)
{
    switch (kind) {
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '@':
    case '&':
    case '|':
    case '^':
        return true;
    default:
        return false;
    }
}

/* Bytes of the operator at the token if it computes with both sides; 0 for others, and for those of
 * augmented assignments. */
static size_t arithmetic(const struct pm_resolve__parse *p)
{
    const uint8_t kind = pm_resolve__kind(p->file, p->token);
    const uint8_t second = pm_resolve__kind(p->file, p->token + 1);
    if (kind == '<' || kind == '>' || kind == '=' || kind == '!') {
        if (second == '=')
            return 2;
        if (kind == '=' || kind == '!')
            return 0;
        return second == kind ? 2 * (pm_resolve__kind(p->file, p->token + 2) != '=') : 1;
    }
    if (!computes(kind))
        return 0;
    const size_t length = second == kind && (kind == '*' || kind == '/') ? 2 : 1;
    return pm_resolve__kind(p->file, p->token + length) == '=' ? 0 : length;
}

uint32_t pm_resolve__expression(struct pm_resolve__parse *p)
{
    uint32_t left;
    if (p->nesting == PM_RESOLVE__MOST_NESTING)
        return 0;
    p->nesting++;
    left = operand(p);
    for (;;) {
        const uint8_t kind = pm_resolve__at(p);
        const size_t length = arithmetic(p);
        if (length) {
            p->token += length;
            const uint32_t right = operand(p);
            left = left || right ? term(p, PM_RESOLVE__ARITHMETIC, left, right) : 0;
        } else if (kind != PM_TOKEN_NAME) {
            break;
        } else if (IS(p, "and") || IS(p, "or")) {
            p->token++;
            left = term(p, PM_RESOLVE__EITHER, left, operand(p));
        } else if (IS(p, "in") || IS(p, "is") || IS(p, "not")) {
            p->token++;
            (void)operand(p);
            left = 0;
        } else if (IS(p, "if")) {
            p->token++;
            (void)pm_resolve__expression(p);
            (void)pm_resolve__at(p);
            if (!IS(p, "else"))
                break; /* of a comprehension */
            p->token++;
            left = term(p, PM_RESOLVE__EITHER, left, pm_resolve__expression(p));
        } else {
            break;
        }
    }
    p->nesting--;
    return left;
}
