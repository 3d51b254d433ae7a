/* Turns expressions into terms: names, look-ups, calls and computations. */
#include "types/types_private.h"

static uint32_t term(struct pm_types__parse *p, enum pm_types__op op, uint32_t a, uint32_t b)
{
    return pm_types__term(p->project, op, a, b);
}

#define IS(p, word) PM_RESOLVE_IS((p)->file, (p)->token, word)

/* Adds the site of the chain that ends with the name at `token`, whose term is `of`. Adds none if
 * the chain continues, or if imports alone determine the use. */
static void add_chain(struct pm_types__parse *p, size_t token, uint32_t of)
{
    const uint8_t after = pm_types__at(p);
    if (!of || after == '.')
        return;
    struct pm_types__site site = {
        .term = of, .form = after == '(' ? PM_RESOLVE_FORM_CALL : PM_RESOLVE_FORM_REFERENCE};
    const struct pm_resolve_use *use = pm_types__use(p->file, token);
    if (use && pm_types__is_settled(p->file, use))
        return;
    if (use) {
        site.framework = use->framework;
        site.function = use->function;
    }
    pm_types__add_site(p, token, site);
}

/* ---- atoms ---------------------------------------------------------------------------------- */

uint32_t pm_types__bound(struct pm_types__parse *p, const struct pm_resolve_local *local)
{
    uint32_t of = 0;
    for (uint32_t i = local->first; i; i = p->file->bindings[i - 1].next) {
        const struct pm_resolve_binding *binding = &p->file->bindings[i - 1];
        const uint32_t one = term(p, PM_TYPES__PLACE, binding->framework, binding->node);
        of = of ? term(p, PM_TYPES__EITHER, of, one) : one;
    }
    return of;
}

/* Returns the term of the places to which imports of frameworks bind a name. If an import of
 * another package also binds the name, the term is EITHER the places or that import. Sets *known if
 * there are such places. */
static uint32_t imported(struct pm_types__parse *p, size_t token, bool *known)
{
    const struct pm_resolve_local *local = pm_resolve_local_find(p->file, token);
    *known = local && local->first;
    struct pm_resolve_star star = {0};
    struct pm_resolve_binding starred;
    if (!local && pm_resolve_starred(p->file, token, &star, &starred)) {
        *known = true;
        return term(p, PM_TYPES__PLACE, starred.framework, starred.node);
    }
    const uint32_t of = *known ? pm_types__bound(p, local) : 0;
    if (!of || !local->foreign)
        return of;
    const uint32_t other = term(p, PM_TYPES__IMPORT, p->unit, pm_types__name_at(p, token));
    return term(p, PM_TYPES__EITHER, of, other);
}

/* Returns the term of a name: that of a variable of this scope or of the functions around it, or at
 * the top of the file that of a variable of the module. If there is no such variable, returns the
 * term of what imports bind, or a GLOBAL term. */
static uint32_t name_term(struct pm_types__parse *p, size_t token)
{
    const uint32_t name = pm_types__name_at(p, token);
    bool known, nested = false;
    for (size_t i = p->scope_count; i-- > 1;) {
        nested |= !p->scopes[i].inner;
        if (p->scopes[i].class && i + 1 < p->scope_count && !p->scopes[i + 1].inner)
            continue;
        const struct pm_types__variable *variable =
            pm_types__variable(p, name, p->scopes[i].number);
        if (variable)
            return variable->term;
    }
    const struct pm_types__variable *variable = nested ? NULL : pm_types__variable(p, name, 0);
    if (variable)
        return variable->term;
    const uint32_t place = imported(p, token, &known);
    return known ? place : term(p, PM_TYPES__GLOBAL, p->unit, name);
}

/* Reads `lambda a, b: value`. */
static uint32_t lambda(struct pm_types__parse *p)
{
    struct pm_types_project *project = p->project;
    const uint32_t function = (uint32_t)project->functions_count;
    const size_t depth = p->scope_count;
    const struct pm_types__scope around = *pm_types__top(p);
    struct pm_types__scope inner = around;
    inner.inner = true;
    inner.class = 0;
    PM_TYPES__PUSH(project, functions, (struct pm_types__function){.inside = around.inside});
    pm_types__push_scope(p, inner);
    uint8_t kind;
    for (p->token++; (kind = pm_types__at(p)) != ':' && !pm_types__closes(kind);) {
        uint8_t stars = 0;
        for (; pm_types__at(p) == '*'; p->token++)
            stars++;
        const size_t before = project->parameters_count;
        if (pm_types__at(p) == PM_TOKEN_NAME) {
            const uint32_t one = pm_types__parameter(p, function, pm_types__name_at(p, p->token++));
            project->parameters[one].stars = stars;
        }
        if (pm_types__at(p) == '=') {
            p->token++;
            const uint32_t given = pm_types__expression(p);
            if (project->parameters_count > before)
                project->parameters[before].given = given;
        }
        p->token += pm_types__at(p) == ',' ||
                    !(pm_types__at(p) == ':' || pm_types__closes(pm_types__at(p)));
    }
    p->token += kind == ':';
    const uint32_t value = pm_types__expression(p);
    project->functions[function].returned = value;
    p->scope_count = depth;
    *pm_types__top(p) = around;
    return term(p, PM_TYPES__FUNCTION, function, 0);
}

/* Returns the term of super() or super(Class, self) within a method; 0 outside of classes. */
static uint32_t parent(struct pm_types__parse *p)
{
    for (size_t i = p->scope_count; i-- > 1;)
        if (p->scopes[i].class)
            return term(p, PM_TYPES__SUPER, p->scopes[i].class - 1, 0);
    return 0;
}

static uint32_t name(struct pm_types__parse *p)
{
    const size_t token = p->token++;
    if (PM_RESOLVE_IS(p->file, token, "None"))
        return term(p, PM_TYPES__NONE_VALUE, 0, 0);
    if (PM_RESOLVE_IS(p->file, token, "super") && pm_types__at(p) == '(') {
        (void)pm_types__bracketed(p);
        return parent(p);
    }
    const uint32_t of = name_term(p, token);
    add_chain(p, token, of);
    return of;
}

static uint32_t atom(struct pm_types__parse *p)
{
    const size_t token = p->token;
    switch (pm_types__at(p)) {
    case PM_TOKEN_NAME:
        return IS(p, "lambda") ? lambda(p) : name(p);
    case PM_TOKEN_STRING:
        if (p->annotating)
            return pm_types__quoted(p);
        pm_types__strings(p);
        return 0;
    case PM_TOKEN_NUMBER:
        p->token++;
        return 0;
    case '(':
    case '[':
    case '{':
        return pm_types__display(p);
    case '.':
        while (pm_types__at(p) == '.')
            p->token++;
        return 0;
    default:
        p->token = token;
        return 0;
    }
}

/* Reads `.name` from the dot on, and returns the term of the attribute. */
static uint32_t attribute(struct pm_types__parse *p, uint32_t of, size_t *last)
{
    p->token++;
    if (pm_types__at(p) != PM_TOKEN_NAME)
        return 0;
    const size_t token = *last = p->token++;
    /* A method can identify an unknown value, so an attribute whose name is in the index has a
     * term. */
    const bool only =
        !of && pm_resolve_token_symbol(p->file, token, pm_resolve_token_hash(p->file, token));
    const bool field =
        of && pm_types__at(p) != '(' &&
        (PM_RESOLVE_IS(p->file, token, "values") || PM_RESOLVE_IS(p->file, token, "indices"));
    const enum pm_types__op op = field ? PM_TYPES__FIELD : PM_TYPES__ATTRIBUTE;
    of = of || only ? term(p, op, of, pm_types__name_at(p, token)) : 0;
    add_chain(p, token, of);
    return of;
}

/* Returns the n-th argument of a list, or an empty argument. */
static struct pm_types__argument nth(const struct pm_types__parse *p, uint32_t list, uint32_t n)
{
    const struct pm_types__series *of = list ? &p->project->lists[list - 1] : NULL;
    return of && n < of->count ? p->project->arguments[of->first + n]
                               : (struct pm_types__argument){0};
}

/* Returns the term of map(function, values, ...): a list of the result of a call. */
static uint32_t mapped(struct pm_types__parse *p, uint32_t list)
{
    const uint32_t count = p->project->lists[list].count, first = p->project->lists[list].first;
    const uint32_t function = p->project->arguments[first].term;
    if (!function)
        return 0;
    for (uint32_t i = 1; i < count; i++) {
        struct pm_types__argument one = p->project->arguments[first + i];
        one.term = one.term ? term(p, PM_TYPES__LOOP, one.term, 0) : 0;
        PM_TYPES__PUSH(p, pending, one);
    }
    const uint32_t made = pm_types__list(p, p->pending_count - (count ? count - 1 : 0));
    return term(p, PM_TYPES__HOLDS, term(p, PM_TYPES__CALL, function, made), 0);
}

/* Handles a method that adds one of its arguments, or the contents of its argument, to a
 * container. */
static void take_held(struct pm_types__parse *p, size_t first, size_t last, uint32_t list)
{
    static const struct {
        const char *method;
        uint32_t place;
        bool all;
    } methods[] = {{"add_module", 1, false},
                   {"insert", 1, false},
                   {"register_module", 1, false},
                   {"setdefault", 1, false},
                   {"update", 0, true}};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const uint32_t value = nth(p, list, methods[i].place).term;
        if (!value ||
            !pm_resolve_is_word(p->file, last, methods[i].method, strlen(methods[i].method)))
            continue;
        const uint32_t held = methods[i].all ? value : term(p, PM_TYPES__HOLDS, value, 0);
        pm_types__also(p, first, last - 1, term(p, PM_TYPES__FILLED, held, 0));
    }
}

/* Handles methods such as list.append(value) and self.register_buffer("name", value), which add a
 * value to the object before the dot. `first` is the first token of the object, and `last` is the
 * token of the method's name. */
static void take_added(struct pm_types__parse *p, size_t first, size_t last,
                       struct pm_types__inside inside)
{
    const uint32_t value = inside.single;
    if (last < first + 2 || !inside.list)
        return;
    if (PM_RESOLVE_IS(p->file, last, "extend") && value)
        pm_types__also(p, first, last - 1, value);
    else if (value &&
             (PM_RESOLVE_IS(p->file, last, "append") || PM_RESOLVE_IS(p->file, last, "add") ||
              PM_RESOLVE_IS(p->file, last, "appendleft")))
        pm_types__also(p, first, last - 1, term(p, PM_TYPES__HOLDS, value, 0));
    else if (last == first + 2 && nth(p, inside.list, 0).text &&
             (PM_RESOLVE_IS(p->file, last, "register_buffer") ||
              PM_RESOLVE_IS(p->file, last, "register_parameter") ||
              PM_RESOLVE_IS(p->file, last, "add_module") ||
              PM_RESOLVE_IS(p->file, last, "register_module")))
        pm_types__bind_member(p, first, nth(p, inside.list, 0).text - 1,
                              nth(p, inside.list, 1).term);
    else
        take_held(p, first, last, inside.list);
}

/* Records the type of a variable that isinstance(name, type) or is_tensor(name) checks. */
static void take_check(struct pm_types__parse *p, size_t open, size_t last, uint32_t of,
                       struct pm_types__inside inside)
{
    const uint8_t after = pm_resolve_kind(p->file, open + 2);
    const bool instance = PM_RESOLVE_IS(p->file, last, "isinstance");
    const uint32_t value = nth(p, inside.list, 0).term;
    const uint32_t type = instance ? nth(p, inside.list, 1).term : of;
    if ((!instance && !PM_RESOLVE_IS(p->file, last, "is_tensor")) || !value || !type ||
        pm_resolve_kind(p->file, open + 1) != PM_TOKEN_NAME || after != (instance ? ',' : ')') ||
        p->checks_count == sizeof p->checks / sizeof *p->checks)
        return;
    p->checks[p->checks_count++] = (struct pm_types__check){
        pm_types__name_at(p, open + 1), term(p, PM_TYPES__NARROWED, value, type)};
}

/* Reads the arguments of a call from the bracket on, and returns the term of the call. If the
 * called expression does not end with a name, the bracket is the place of the use. */
static uint32_t call(struct pm_types__parse *p, uint32_t of, size_t first, size_t last, bool named)
{
    if (of && !named)
        pm_types__add_site(p, p->token,
                           (struct pm_types__site){.term = of, .form = PM_RESOLVE_FORM_CALL});
    const size_t open = p->token;
    const struct pm_types__inside inside = pm_types__bracketed(p);
    if (named)
        take_added(p, first, last, inside);
    if (named)
        take_check(p, open, last, of, inside);
    if (named && first == last && PM_RESOLVE_IS(p->file, first, "setattr") &&
        nth(p, inside.list, 1).text)
        pm_types__set_attribute(p, nth(p, inside.list, 0).term, nth(p, inside.list, 1).text - 1,
                                nth(p, inside.list, 2).term);
    if (named && first == last && PM_RESOLVE_IS(p->file, first, "map") && inside.list)
        return mapped(p, inside.list - 1);
    return of ? term(p, PM_TYPES__CALL, of, inside.list) : 0;
}

/* Returns whether the brackets at the current token contain a single slice. */
static bool is_slice(const struct pm_types__parse *p)
{
    size_t depth = 0;
    bool colon = false;
    for (size_t token = p->token; token < p->file->tokens.count; token++) {
        const uint8_t kind = pm_resolve_kind(p->file, token);
        if (kind == PM_TOKEN_NEWLINE || (depth == 1 && kind == ','))
            return false;
        colon |= depth == 1 && kind == ':';
        depth += kind == '(' || kind == '[' || kind == '{';
        depth -= kind == ')' || kind == ']' || kind == '}';
        if (depth == 0)
            return colon;
    }
    return false;
}

/* Reads the subscript `[...]` of the term `of`, from the bracket on. */
static uint32_t subscript(struct pm_types__parse *p, uint32_t of)
{
    size_t token = p->token + 1;
    const bool minus = pm_resolve_kind(p->file, token) == '-';
    token += minus;
    const bool alone = pm_resolve_kind(p->file, token + 1) == ']';
    uint32_t key = alone && of && !p->annotating ? pm_types__key(p, token) : 0;
    if (key && minus && pm_resolve_kind(p->file, token) == PM_TOKEN_NUMBER) {
        const uint32_t start = p->file->tokens.start[token - 1];
        key =
            pm_types__name(p->project, p->file->text + start, p->file->tokens.end[token] - start) +
            1;
    }
    const bool slice = of && !key && !p->annotating && is_slice(p);
    const struct pm_types__inside inside = pm_types__bracketed(p);
    if (!of)
        return 0;
    if (slice)
        return term(p, PM_TYPES__SLICE, of, 0);
    return key ? term(p, PM_TYPES__ITEM, of, key) : term(p, PM_TYPES__SUBSCRIPT, of, inside.list);
}

/* Reads an atom with the attributes, calls and subscripts after it. */
static uint32_t chain(struct pm_types__parse *p)
{
    (void)pm_types__at(p);
    const size_t first = p->token;
    size_t last = first;
    uint32_t of = atom(p);
    bool named = pm_resolve_kind(p->file, first) == PM_TOKEN_NAME && p->token == first + 1;
    for (;;) {
        const uint8_t kind = pm_types__at(p);
        if (kind == '.') {
            of = attribute(p, of, &last);
            named = true;
        } else if (kind == '(') {
            of = call(p, of, first, last, named);
            named = false;
        } else if (kind == '[') {
            of = subscript(p, of);
            named = false;
        } else {
            return of;
        }
    }
}

/* ---- operators ------------------------------------------------------------------------------ */

static uint32_t operand(struct pm_types__parse *p)
{
    bool computed = false, known = true;
    for (;; p->token++) {
        const uint8_t kind = pm_types__at(p);
        if (kind == '-' || kind == '+' || kind == '~')
            computed = true;
        else if (kind == '*' || IS(p, "not") || IS(p, "yield") || IS(p, "from"))
            known = false;
        else if (!IS(p, "await"))
            break;
    }
    const uint32_t of = chain(p);
    if (!of || !known)
        return 0;
    return computed ? term(p, PM_TYPES__ARITHMETIC, of, 0) : of;
}

/* Returns how many tokens the arithmetic operator or comparison at the current token has; 0 for
 * other operators and for operators of assignments. */
static size_t arithmetic(const struct pm_types__parse *p)
{
    const uint8_t kind = pm_resolve_kind(p->file, p->token);
    const uint8_t second = pm_resolve_kind(p->file, p->token + 1);
    if (kind == '<' || kind == '>' || kind == '=' || kind == '!') {
        if (second == '=')
            return 2;
        if (kind == '=' || kind == '!')
            return 0;
        return second == kind ? 2 * (pm_resolve_kind(p->file, p->token + 2) != '=') : 1;
    }
    if (kind != '+' && kind != '-' && kind != '*' && kind != '/' && kind != '%' && kind != '@' &&
        kind != '&' && kind != '|' && kind != '^')
        return 0;
    const size_t length = second == kind && (kind == '*' || kind == '/') ? 2 : 1;
    return pm_resolve_kind(p->file, p->token + length) == '=' ? 0 : length;
}

/* Returns whether the tokens are `name :=`. */
static bool is_named(struct pm_types__parse *p)
{
    const struct pm_tokens *tokens = &p->file->tokens;
    return pm_types__at(p) == PM_TOKEN_NAME && pm_resolve_kind(p->file, p->token + 1) == ':' &&
           pm_resolve_kind(p->file, p->token + 2) == '=' &&
           tokens->end[p->token + 1] == tokens->start[p->token + 2];
}

/* Reads `name := value`. */
static uint32_t named_value(struct pm_types__parse *p)
{
    const size_t name = p->token;
    p->token += 3;
    const uint32_t value = pm_types__expression(p);
    pm_types__bind_targets(p, name, name + 1, value);
    return value;
}

/* Reads a value again, because the condition after it checks the types of its variables. Removes
 * the sites from `before` up to `behind`, which the first reading of the value added. */
static uint32_t read_again(struct pm_types__parse *p, size_t from, size_t before, size_t behind)
{
    struct pm_types_project *project = p->project;
    const size_t end = p->token, around = p->values_nesting, moved = project->sites_count - behind;
    struct pm_types__checked known;
    if (moved)
        memmove(&project->sites[before], &project->sites[behind], moved * sizeof *project->sites);
    project->sites_count = before + moved;
    pm_types__begin_checks(p, &known, 0);
    p->again = true;
    p->values_nesting = p->nesting + 1; /* the expression ends before its `if` */
    p->token = from;
    const uint32_t value = pm_types__expression(p);
    p->values_nesting = around;
    p->again = false;
    p->token = end;
    pm_types__end_checks(p, &known);
    return value;
}

/* Reads the condition of `value if condition else other`, from the `if` on. The value begins at the
 * token `from`, and its sites at `before`. Returns the term of the value. */
static uint32_t conditional(struct pm_types__parse *p, uint32_t left, size_t from, size_t before)
{
    const size_t behind = p->project->sites_count, condition = ++p->token;
    struct pm_types__check around[PM_TYPES__MOST_CHECKS];
    const size_t around_count = p->checks_count;
    bool both;
    memcpy(around, p->checks, sizeof around);
    p->checks_count = 0;
    (void)pm_types__expression(p);
    (void)pm_types__at(p);
    if (p->checks_count && !p->again && IS(p, "else") &&
        pm_types__is_plain(p, condition, p->token, &both))
        left = read_again(p, from, before, behind);
    memcpy(p->checks, around, sizeof around);
    p->checks_count = around_count;
    return left;
}

uint32_t pm_types__expression(struct pm_types__parse *p)
{
    uint32_t left;
    if (p->nesting == PM_TYPES__MOST_NESTING)
        return 0;
    p->nesting++;
    const size_t from = p->token, sites = p->project->sites_count;
    size_t checks = p->checks_count; /* number of checks before the last operand */
    struct pm_types__checked known = {.count = 0};
    left = is_named(p) ? named_value(p) : operand(p);
    for (;;) {
        const uint8_t kind = pm_types__at(p);
        const size_t length = arithmetic(p);
        if (length) {
            p->token += length;
            const uint32_t right = operand(p);
            left = left || right ? term(p, PM_TYPES__ARITHMETIC, left, right) : 0;
        } else if (kind != PM_TOKEN_NAME) {
            break;
        } else if (IS(p, "and") || IS(p, "or")) {
            if (IS(p, "and") && left && !known.count && checks < p->checks_count)
                pm_types__begin_checks(p, &known, checks);
            checks = p->checks_count;
            p->token++;
            left = term(p, PM_TYPES__EITHER, left, operand(p));
        } else if (IS(p, "in") || IS(p, "is") || IS(p, "not")) {
            const bool negated = IS(p, "not");
            p->token++;
            (void)pm_types__at(p);
            p->token += negated && IS(p, "in"); /* operand() skips the `not` of `is not` */
            (void)operand(p);
            left = 0;
        } else if (IS(p, "if")) {
            if (p->values_nesting == p->nesting)
                break; /* a condition of a comprehension: the targets must be bound first */
            left = conditional(p, left, from, sites);
            if (!IS(p, "else"))
                break; /* the `if` belongs to a comprehension */
            p->token++;
            left = term(p, PM_TYPES__EITHER, left, pm_types__expression(p));
        } else {
            break;
        }
    }
    pm_types__end_checks(p, &known);
    p->nesting--;
    return left;
}

uint32_t pm_types__annotation(struct pm_types__parse *p)
{
    p->annotating = true;
    const uint32_t type = pm_types__expression(p);
    p->annotating = false;
    return type ? term(p, PM_TYPES__ANNOTATED, type, 0) : 0;
}
