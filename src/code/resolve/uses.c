/*
 * Finds where a file uses functions, in one walk over its tokens. It knows just enough of Python's
 * grammar to distinguish names that are read from names that are bound.
 */
#include <stdlib.h>

#include "base/stop.h"
#include "resolve/resolve_private.h"

/* The most tokens of a target of `for` or `as`. A longer target of `for` is ignored; a longer
 * target of `as` is read up to this limit. */
#define MOST_TARGET 512

enum parameters { PARAMETERS_NONE, PARAMETERS_DEF, PARAMETERS_LAMBDA };

struct walk {
    struct pm_resolve_file *file;
    size_t token;
    size_t statement, colon; /* beginning of the statement; first colon outside brackets, or 0 */
    size_t depth;            /* open brackets */
    uint64_t applied; /* one bit for each of the innermost 64 open brackets, the innermost lowest:
                         it belongs to a call or subscript */
    enum parameters parameters;
    size_t parameter_depth; /* number of open brackets at the names of parameters */
    size_t next_import;
    size_t first_use; /* first use of the statement */
    bool pattern;     /* within the pattern of a `case`, which has no calls */
};

/* Marks the name at `token` as rebound, unless it is bound there to a place in a framework. */
static void rebind(struct walk *w, size_t token)
{
    struct pm_resolve_file *file = w->file;
    if (pm_resolve__is_alias(file, token))
        return;
    struct pm_resolve_local *local = file->stars_count ? pm_resolve__local_make(file, token)
                                                       : pm_resolve_local_find(file, token);
    if (local)
        local->rebound = true;
}

static bool ends_target(uint8_t kind)
{
    return kind == ',' || kind == ')' || kind == ']' || kind == '=' || kind == ':' ||
           kind == PM_TOKEN_NAME || kind == PM_TOKEN_NEWLINE;
}

static bool is_applied(const struct walk *w, size_t bracket)
{
    const uint8_t before = bracket ? pm_resolve_kind(w->file, bracket - 1) : 0;
    return before == PM_TOKEN_NAME || before == ')' || before == ']' || before == PM_TOKEN_STRING;
}

/* Marks as rebound the names that are bound by the targets between two tokens. */
static void rebind_targets(struct walk *w, size_t from, size_t end)
{
    size_t applied = 0;
    for (size_t token = from; token < end; token++) {
        const uint8_t kind = pm_resolve_kind(w->file, token);
        if ((kind == '(' || kind == '[') && (applied || (token > from && is_applied(w, token))))
            applied++;
        else if (applied && (kind == ')' || kind == ']'))
            applied--;
        else if (!applied && kind == PM_TOKEN_NAME &&
                 (token == from || pm_resolve_kind(w->file, token - 1) != '.') &&
                 (token + 1 == end ||
                  ends_target(pm_resolve_kind(w->file, pm_resolve__next(w->file, token)))))
            rebind(w, token);
    }
}

/* Removes the uses of the statement that are targets before the token `end`. */
static void drop_targets(struct walk *w, size_t end)
{
    struct pm_resolve_file *file = w->file;
    size_t kept = w->first_use;
    for (size_t i = w->first_use; i < file->uses_count; i++) {
        const struct pm_resolve_use *use = &file->uses[i];
        const size_t after = pm_resolve__next(file, (size_t)use->after - 1);
        if (use->token >= end || use->applied || use->call ||
            (use->after != end && !ends_target(pm_resolve_kind(file, after))))
            file->uses[kept++] = *use;
    }
    file->uses_count = kept;
}

/* Returns whether the statement at `token` is a `case` of a match, which has a pattern and a colon.
 * Otherwise `case` is a variable or function. */
static bool is_case(const struct pm_resolve_file *file, size_t token)
{
    if (!PM_RESOLVE_IS(file, token, "case") || pm_resolve_kind(file, token + 1) == ':')
        return false;
    int depth = 0;
    for (size_t at = token + 1; at < file->tokens.count; at++) {
        const uint8_t kind = pm_resolve_kind(file, at);
        if (pm_resolve_is_inside(file, at))
            continue;
        if (kind == PM_TOKEN_NEWLINE || (depth == 0 && kind == '='))
            return false;
        if (kind == ':' && depth == 0)
            return true;
        depth += kind == '(' || kind == '[' || kind == '{';
        depth -= kind == ')' || kind == ']' || kind == '}';
    }
    return false;
}

static void begin_statement(struct walk *w, size_t token)
{
    w->statement = token;
    w->colon = 0;
    w->first_use = w->file->uses_count;
    w->pattern = is_case(w->file, token);
}

/* Handles the `=` of an assignment, which may be an augmented assignment. */
static void assign(struct walk *w)
{
    struct pm_resolve_file *file = w->file;
    const size_t equals = w->token;
    size_t end = w->colon ? w->colon : equals;
    while (!w->colon && end > w->statement &&
           strchr("+-*/%&|^@<>", pm_resolve_kind(file, end - 1)) && pm_resolve_kind(file, end - 1))
        end--;
    drop_targets(w, end);
    rebind_targets(w, w->statement, end);
    begin_statement(w, equals + 1); /* another target, or the value */
}

static bool is_assignment(const struct walk *w)
{
    const struct pm_resolve_file *file = w->file;
    const size_t token = w->token;
    const uint8_t before = token ? pm_resolve_kind(file, token - 1) : 0;
    if (pm_resolve_kind(file, token + 1) == '=' || before == '=' || before == '!' || before == ':')
        return false;
    /* <= and >= compare; <<= and >>= assign. */
    return !(before == '<' || before == '>') ||
           (token > 1 && pm_resolve_kind(file, token - 2) == before);
}

static void open_bracket(struct walk *w)
{
    w->applied = w->applied << 1 | is_applied(w, w->token);
    w->depth++;
}

static void close_bracket(struct walk *w)
{
    if (w->depth == 0)
        return;
    w->applied >>= 1;
    w->depth--;
    if (w->parameters && w->depth < w->parameter_depth)
        w->parameters = PARAMETERS_NONE;
}

static void take_operator(struct walk *w, uint8_t kind)
{
    const bool inside = pm_resolve_is_inside(w->file, w->token);
    switch (kind) {
    case '(':
    case '[':
    case '{':
        open_bracket(w);
        break;
    case ')':
    case ']':
    case '}':
        close_bracket(w);
        break;
    case PM_TOKEN_NEWLINE:
        if (inside)
            break;
        w->depth = w->applied = 0;
        w->parameters = PARAMETERS_NONE;
        begin_statement(w, w->token + 1);
        break;
    case ';':
        begin_statement(w, w->token + 1);
        break;
    case ':':
        if (w->parameters == PARAMETERS_LAMBDA && w->depth == w->parameter_depth)
            w->parameters = PARAMETERS_NONE;
        else if (w->depth == 0 && !inside && pm_resolve__is_compound(w->file, w->statement))
            begin_statement(w, w->token + 1);
        else if (w->depth == 0 && !inside && !w->colon)
            w->colon = w->token;
        break;
    case '=':
        if (w->depth == 0 && !inside && !w->parameters && is_assignment(w))
            assign(w);
        break;
    default:
        break;
    }
    w->token++;
}

static void add_class(struct walk *w, size_t name, uint32_t functions, bool attribute)
{
    struct pm_resolve_file *file = w->file;
    PM_GROW(file->classes, file->classes_count, file->classes_capacity);
    file->classes[file->classes_count++] =
        (struct pm_resolve_class){(uint32_t)name, functions, attribute};
}

static void add_use(struct walk *w, const struct pm_resolve_use *use)
{
    struct pm_resolve_file *file = w->file;
    for (size_t i = file->uses_count; i-- > 0 && file->uses[i].token == use->token;) {
        if (file->uses[i].framework == use->framework && file->uses[i].function == use->function)
            return; /* two imports of one name lead to the same function */
    }
    PM_GROW(file->uses, file->uses_count, file->uses_capacity);
    file->uses[file->uses_count++] = *use;
}

/* Adds a call of a name below `binding` that is not in the table. Its parts below the binding begin
 * at the token `first`. */
static void add_unlisted(struct walk *w, const struct pm_resolve_use *use,
                         struct pm_resolve_binding binding, size_t first)
{
    struct pm_resolve_file *file = w->file;
    const uint32_t text = pm_resolve__text(file, binding, first, use->after);
    file->unlisted[use->framework]++;
    if (text)
        PM_RESOLVE__PUSH(file, unlisted_calls,
                         (struct pm_resolve_unlisted){use->framework, text - 1});
}

/* Adds the use of a chain that begins with a binding and continues at the token `first`. Returns
 * the bit of the framework if the whole chain is a function that is called; otherwise 0. */
static uint32_t use_place(struct walk *w, struct pm_resolve_use use,
                          struct pm_resolve_binding binding, size_t first, bool called)
{
    const struct pm_resolve_reached place = pm_resolve_follow(w->file, binding, first, use.after);
    use.framework = place.binding.framework;
    use.function = place.binding.function;
    use.call = called && place.whole;
    if (use.function)
        add_use(w, &use);
    if (called && !place.whole)
        add_unlisted(w, &use, binding, first);
    return called && place.whole ? 1u << use.framework : 0;
}

/* Adds the uses that follow from defaults of the parameter at use.token. Removes the defaults of
 * functions that the walk has left. Returns whether a default applies here. */
static bool use_defaults(struct walk *w, struct pm_resolve_use use, struct pm_resolve_local *local,
                         bool called, uint32_t *functions)
{
    struct pm_resolve_file *file = w->file;
    bool found = false;
    uint32_t *link = &local->defaults;
    use.local = 0;
    use.defaulted = true;
    while (*link && file->defaults[*link - 1].from <= use.token) {
        struct pm_resolve__default *of = &file->defaults[*link - 1];
        if (of->until <= use.token) {
            *link = of->next;
            continue;
        }
        found = true;
        *functions |= use_place(w, use, of->binding, (size_t)use.token + 1, called);
        link = &of->next;
    }
    return found;
}

/* Adds the uses of the chain of names from `token` to `end`. */
static void use_chain(struct walk *w, size_t token, size_t end)
{
    struct pm_resolve_file *file = w->file;
    struct pm_resolve_local *local = pm_resolve_local_find(file, token);
    const bool called =
        !w->pattern && pm_resolve_kind(file, pm_resolve__next(file, end - 1)) == '(';
    struct pm_resolve_use use = {.token = (uint32_t)token,
                                 .after = (uint32_t)end,
                                 .local = local ? (uint32_t)(local - file->locals) + 1 : 0,
                                 .applied = w->applied != 0};
    uint32_t functions = 0;
    for (uint32_t i = local ? local->first : 0; i; i = file->bindings[i - 1].next)
        functions |= use_place(w, use, file->bindings[i - 1], token + 1, called);
    const bool defaulted =
        local && local->defaults && use_defaults(w, use, local, called, &functions);
    const bool known = local && (local->imported || local->first || defaulted);
    struct pm_resolve_star star = {0};
    struct pm_resolve_binding binding;
    while (!known && pm_resolve_starred(file, token, &star, &binding))
        if (pm_resolve_follow(file, binding, token + 1, end).binding.function)
            functions |= use_place(w, use, binding, token + 1, called);
    if (called)
        add_class(w, end - 1, functions, !known && end > token + 1);
}

/* Reads `.a.b` after something other than a name; w->token is at the dot. */
static void take_attribute(struct walk *w)
{
    struct pm_resolve_file *file = w->file;
    const size_t name = pm_resolve__next(file, w->token);
    if (pm_resolve_kind(file, name) != PM_TOKEN_NAME) {
        w->token++;
        return;
    }
    w->token = pm_resolve__chain_end(file, name);
    if (pm_resolve_kind(file, pm_resolve__next(file, w->token - 1)) == '(')
        add_class(w, w->token - 1, 0, true);
}

/* Reads `def f(` or `class C`, which binds the name. */
static void take_definition(struct walk *w, bool function)
{
    const size_t name = w->token + 1;
    w->token = name;
    if (pm_resolve_kind(w->file, name) != PM_TOKEN_NAME)
        return;
    rebind(w, name);
    w->token++;
    if (function && pm_resolve_kind(w->file, w->token) == '(') {
        w->parameters = PARAMETERS_DEF;
        w->parameter_depth = w->depth + 1;
    }
}

/* Reads `for targets in`, and binds the targets. */
static void take_for(struct walk *w)
{
    const struct pm_resolve_file *file = w->file;
    const size_t from = w->token + 1;
    size_t end = from;
    while (end - from < MOST_TARGET && pm_resolve_kind(file, end) != PM_TOKEN_NEWLINE &&
           !PM_RESOLVE_IS(file, end, "in"))
        end++;
    if (PM_RESOLVE_IS(file, end, "in")) {
        rebind_targets(w, from, end);
        w->token = end;
    } else {
        w->token++;
    }
}

/* Reads the name after `as`, in `with ... as` and `except ... as`. */
static void take_as(struct walk *w)
{
    const struct pm_resolve_file *file = w->file;
    const size_t name = pm_resolve__next(file, w->token);
    w->token++;
    if (pm_resolve_kind(file, name) == PM_TOKEN_NAME &&
        ends_target(pm_resolve_kind(file, pm_resolve__next(file, name)))) {
        rebind(w, name);
        w->token = name + 1;
    } else if (pm_resolve_kind(file, name) == '(' || pm_resolve_kind(file, name) == '[') {
        size_t end = name + 1;
        for (int depth = 1; depth > 0 && end - name < MOST_TARGET; end++) {
            const uint8_t kind = pm_resolve_kind(file, end);
            depth += kind == '(' || kind == '[';
            depth -= kind == ')' || kind == ']';
        }
        rebind_targets(w, name, end);
        w->token = end;
    }
}

/* Skips the names of `global`, `nonlocal` and `del`, which neither read nor bind them. */
static void skip_names(struct walk *w)
{
    uint8_t kind;
    do {
        kind = pm_resolve_kind(w->file, ++w->token);
    } while (kind == PM_TOKEN_NAME || kind == ',');
}

#define DEF      pm_resolve__word("def\0\0\0\0\0")
#define CLASS    pm_resolve__word("class\0\0\0")
#define FOR      pm_resolve__word("for\0\0\0\0\0")
#define AS       pm_resolve__word("as\0\0\0\0\0\0")
#define GLOBAL   pm_resolve__word("global\0\0")
#define NONLOCAL pm_resolve__word("nonlocal")
#define DEL      pm_resolve__word("del\0\0\0\0\0")
#define LAMBDA   pm_resolve__word("lambda\0\0")

/* Returns whether a name may be one of these keywords, without branches, because most names are
 * not. */
static inline bool may_be_keyword(uint64_t word)
{
    const uint64_t keywords[] = {DEF, CLASS, FOR, AS, GLOBAL, NONLOCAL, DEL, LAMBDA};
    unsigned found = 0;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        found |= word == keywords[i];
    return found;
}

/* Handles a keyword that binds names or begins parameters; false if it is not such a keyword. */
static bool take_keyword(struct walk *w, uint64_t word)
{
    const struct pm_resolve_file *file = w->file;
    const size_t token = w->token;
    if (word == DEF)
        take_definition(w, true);
    else if (word == CLASS)
        take_definition(w, false);
    else if (word == FOR)
        take_for(w);
    else if (word == AS)
        take_as(w);
    else if (word == GLOBAL || word == NONLOCAL)
        skip_names(w);
    else if (word == DEL && token == w->statement &&
             pm_resolve_kind(file, token + 1) == PM_TOKEN_NAME &&
             ends_target(pm_resolve_kind(file, token + 2)))
        skip_names(w);
    else if (word == LAMBDA) {
        w->parameters = PARAMETERS_LAMBDA;
        w->parameter_depth = w->depth;
        w->token++;
    } else {
        return false;
    }
    return true;
}

/* Returns the previous token that is not a line end within brackets; 0 if there is none. */
static size_t before(const struct walk *w, size_t token)
{
    do {
        token -= token > 0;
    } while (token > 0 && pm_resolve_kind(w->file, token) == PM_TOKEN_JOINED);
    return token;
}

/* Returns whether the name declares a parameter. */
static bool is_parameter(const struct walk *w)
{
    if (!w->parameters || w->depth != w->parameter_depth)
        return false;
    size_t token = before(w, w->token);
    while (token > 0 && pm_resolve_kind(w->file, token) == '*')
        token = before(w, token);
    if (w->parameters == PARAMETERS_LAMBDA)
        return pm_resolve_kind(w->file, token) == ',' || PM_RESOLVE_IS(w->file, token, "lambda");
    return pm_resolve_kind(w->file, token) == ',' || pm_resolve_kind(w->file, token) == '(';
}

/* Returns whether the name is that of a keyword argument, f(name=...). In f"{name=}" and
 * f"{a, name=:>9}" it is not, because no value follows. */
static bool is_keyword_argument(const struct walk *w)
{
    const struct pm_resolve_file *file = w->file;
    const size_t equals = pm_resolve__next(file, w->token);
    if (w->depth == 0 || pm_resolve_kind(file, equals) != '=')
        return false;
    const uint8_t value = pm_resolve_kind(file, equals + 1);
    if (value == '=' || value == '}' || value == '!' || value == ':')
        return false;
    const uint8_t front = pm_resolve_kind(file, before(w, w->token));
    return front == '(' || front == ',';
}

/* Returns whether the name is bound here: by `name := value`, or by a statement `name: annotation`
 * with or without a value. */
static bool is_bound_here(const struct walk *w)
{
    const struct pm_resolve_file *file = w->file;
    if (pm_resolve_kind(file, w->token + 1) != ':' || pm_resolve_is_inside(file, w->token))
        return false;
    return pm_resolve_kind(file, w->token + 2) == '=' || w->token == w->statement;
}

/* Returns whether a name before a token of this kind is only read: it is not bound, not called, and
 * has no attributes. */
static inline bool stands_alone(uint8_t after)
{
    return after != '.' && after != '(' && after != ':' && after != '=' && after != PM_TOKEN_JOINED;
}

static void take_name(struct walk *w)
{
    struct pm_resolve_file *file = w->file;
    const size_t token = w->token;
    const uint32_t start = file->tokens.start[token], length = file->tokens.end[token] - start;
    uint64_t words[2];
    pm_resolve_words(file->text + start, length, words);
    if (may_be_keyword(words[0]) && length <= 8 && take_keyword(w, words[0]))
        return;
    if (w->pattern && PM_RESOLVE_IS(file, token, "if"))
        w->pattern = false; /* the guard after the pattern is an expression */
    if (stands_alone(pm_resolve_kind(file, token + 1)) && !w->parameters && !file->stars_count) {
        const uint32_t hash = pm_resolve_hash(file->text + start, length, words);
        if (pm_resolve__may_be_local(file, hash))
            use_chain(w, token, token + 1);
        w->token++;
        return;
    }
    if (is_parameter(w) || is_bound_here(w)) {
        rebind(w, w->token++);
        return;
    }
    if (is_keyword_argument(w)) {
        w->token++;
        return;
    }
    const size_t end = pm_resolve__chain_end(file, w->token);
    use_chain(w, w->token, end);
    w->token = end;
}

void pm_resolve_file_uses(struct pm_resolve_file *file)
{
    struct walk w = {.file = file};
    while (w.token < file->tokens.count) {
        const uint8_t kind = pm_resolve_kind(file, w.token);
        if (w.next_import < file->imports_count && w.token == file->imports[w.next_import].begin)
            w.token = file->imports[w.next_import++].end;
        else if (kind == PM_TOKEN_NAME)
            take_name(&w);
        else if (kind == '.')
            take_attribute(&w);
        else
            take_operator(&w, kind);
    }
}
