/* Keeps the variables of a file by scope: their values, and how these change in blocks that may not
 * run. */
#include <stdlib.h>

#include "types/types_private.h"

static size_t slot_of(const struct pm_types__parse *p, uint32_t name, uint32_t scope)
{
    size_t i = ((uint64_t)name << 32 | scope) * 0x9e3779b97f4a7c15u >> 32 & p->slot_mask;
    for (; p->slots[i]; i = (i + 1) & p->slot_mask) {
        const struct pm_types__variable *variable = &p->variables[p->slots[i] - 1];
        if (variable->name == name && variable->scope == scope)
            break;
    }
    return i;
}

static void grow(struct pm_types__parse *p)
{
    p->slot_mask = p->slot_mask ? p->slot_mask * 2 + 1 : 255;
    free(p->slots);
    p->slots = pm_alloc((p->slot_mask + 1) * sizeof *p->slots);
    for (size_t i = 0; i < p->variables_count; i++)
        p->slots[slot_of(p, p->variables[i].name, p->variables[i].scope)] = (uint32_t)i + 1;
}

struct pm_types__variable *pm_types__variable(const struct pm_types__parse *p, uint32_t name,
                                              uint32_t scope)
{
    const uint32_t found = p->slots ? p->slots[slot_of(p, name, scope)] : 0;
    return found ? &p->variables[found - 1] : NULL;
}

/* Records the term of the variable before the innermost block, unless a recent change has it. */
static void note(struct pm_types__parse *p, const struct pm_types__variable *known)
{
    const uint32_t number = (uint32_t)(known - p->variables);
    const struct pm_types__block *block = &p->blocks[p->blocks_count - 1];
    for (size_t i = p->changes_count; i > block->first && i + 8 > p->changes_count; i--)
        if (p->changes[i - 1].variable == number)
            return;
    PM_TYPES__PUSH(p, changes, (struct pm_types__change){number, known->term});
}

static struct pm_types__variable *add_variable(struct pm_types__parse *p, uint32_t name,
                                               uint32_t scope, uint32_t term)
{
    if (p->variables_count * 2 >= p->slot_mask)
        grow(p);
    p->slots[slot_of(p, name, scope)] = (uint32_t)p->variables_count + 1;
    PM_TYPES__PUSH(p, variables, (struct pm_types__variable){name, scope, term, term});
    return &p->variables[p->variables_count - 1];
}

void pm_types__declare_outer(struct pm_types__parse *p, uint32_t name, bool global)
{
    const struct pm_types__scope *scope = pm_types__top(p);
    uint32_t target = 0;
    for (size_t i = p->scope_count - 1; i-- > 1 && !global && !target;)
        if (!p->scopes[i].class && pm_types__variable(p, name, p->scopes[i].number))
            target = p->scopes[i].number;
    if (scope->number && (global || target))
        PM_TYPES__PUSH(p, outers, (struct pm_types__outer){name, scope->number, target});
}

/* Adds the value that a function assigns to a variable of an outer scope. The variable may have its
 * old value or this value, because the function may run at any time. Returns false if the scope
 * does not declare the name. */
static bool assign_outer(struct pm_types__parse *p, uint32_t name, uint32_t term)
{
    const uint32_t scope = pm_types__top(p)->number;
    for (size_t i = p->outers_count; i-- > 0 && p->outers[i].scope >= scope;) {
        if (p->outers[i].scope != scope || p->outers[i].name != name)
            continue;
        struct pm_types__variable *known = pm_types__variable(p, name, p->outers[i].target);
        if (!known)
            (void)add_variable(p, name, p->outers[i].target, term);
        else if (term && known->term != term) {
            known->term = pm_types__term(p->project, PM_TYPES__EITHER, known->term, term);
            known->all =
                known->all ? pm_types__term(p->project, PM_TYPES__EITHER, term, known->all) : term;
        }
        return true;
    }
    return false;
}

void pm_types__assign(struct pm_types__parse *p, uint32_t name, uint32_t term)
{
    const struct pm_types__scope *scope = pm_types__top(p);
    if (p->outers_count && assign_outer(p, name, term))
        return;
    struct pm_types__variable *known = pm_types__variable(p, name, scope->number);
    if (scope->class)
        pm_types__member_set(p->project, PM_TYPES__CLASS_OWNER(scope->class - 1), name, term,
                             false);
    if (known) {
        if (p->blocks_count)
            note(p, known);
        known->term = term;
        if (scope->number == 0 && term && known->all != term)
            known->all =
                known->all ? pm_types__term(p->project, PM_TYPES__EITHER, term, known->all) : term;
        return;
    }
    (void)add_variable(p, name, scope->number, term);
}

void pm_types__begin_block(struct pm_types__parse *p, size_t column)
{
    PM_TYPES__PUSH(p, blocks,
                   (struct pm_types__block){.column = column, .first = p->changes_count});
}

bool pm_types__is_plain(const struct pm_types__parse *p, size_t from, size_t until, bool *both)
{
    static const char *const others[] = {"for", "if", "lambda", "not", "or"};
    *both = false;
    for (; from < until; from++) {
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            if (pm_resolve_is_word(p->file, from, others[k], strlen(others[k])))
                return false;
        *both |= PM_RESOLVE_IS(p->file, from, "and");
    }
    return true;
}

void pm_types__begin_checks(struct pm_types__parse *p, struct pm_types__checked *known,
                            size_t first)
{
    known->count = 0;
    for (size_t i = first; i < p->checks_count; i++) {
        struct pm_types__variable *of =
            pm_types__variable(p, p->checks[i].name, pm_types__top(p)->number);
        if (!of || known->count == PM_TYPES__MOST_CHECKS)
            continue;
        known->before[known->count++] =
            (struct pm_types__change){(uint32_t)(of - p->variables), of->term};
        of->term = p->checks[i].term;
    }
}

void pm_types__end_checks(struct pm_types__parse *p, const struct pm_types__checked *known)
{
    for (size_t i = known->count; i-- > 0;)
        p->variables[known->before[i].variable].term = known->before[i].before;
}

/* A `not` before a single check narrows the variable after a block that leaves the code around it.
 * A condition with other words, such as `or`, is ignored. */
void pm_types__take_checks(struct pm_types__parse *p, size_t from)
{
    const bool negated = PM_RESOLVE_IS(p->file, from, "not");
    bool both;
    const bool plain = pm_types__is_plain(p, from + negated, p->token, &both);
    for (size_t i = 0; i < p->checks_count && plain && !negated; i++)
        pm_types__assign(p, p->checks[i].name, p->checks[i].term);
    if (plain && negated && !both && p->checks_count == 1 && p->blocks_count) {
        p->blocks[p->blocks_count - 1].name = p->checks[0].name;
        p->blocks[p->blocks_count - 1].term = p->checks[0].term;
    }
    p->checks_count = 0;
}

void pm_types__end_blocks(struct pm_types__parse *p, size_t column)
{
    while (p->blocks_count && p->blocks[p->blocks_count - 1].column >= column) {
        const struct pm_types__block block = p->blocks[--p->blocks_count];
        for (size_t i = block.first; i < p->changes_count; i++) {
            const struct pm_types__change change = p->changes[i];
            const uint32_t after = p->variables[change.variable].term;
            const struct pm_types__term *of = &p->project->terms[after];
            if (of->op == PM_TYPES__NARROWED && of->a == change.before)
                p->variables[change.variable].term = change.before;
            else if (after != change.before)
                p->variables[change.variable].term =
                    pm_types__term(p->project, PM_TYPES__EITHER, after, change.before);
        }
        if (block.leaves && block.term)
            pm_types__assign(p, block.name, block.term);
        if (p->blocks_count == 0) /* otherwise the enclosing block has these changes too */
            p->changes_count = block.first;
    }
}

uint32_t pm_types__name_at(struct pm_types__parse *p, size_t token)
{
    const uint32_t start = p->file->tokens.start[token];
    return pm_types__identifier(p->project, p->file->text + start,
                                p->file->tokens.end[token] - start);
}

uint32_t pm_types__key(struct pm_types__parse *p, size_t token)
{
    const uint8_t kind = pm_resolve_kind(p->file, token);
    uint32_t start = p->file->tokens.start[token], end = p->file->tokens.end[token];
    if (kind == PM_TOKEN_NUMBER)
        return pm_types__name(p->project, p->file->text + start, end - start) + 1;
    const unsigned char quote = p->file->text[start];
    if (kind != PM_TOKEN_STRING || end - start < 3 || (quote != '\'' && quote != '"') ||
        p->file->text[start + 1] == quote || end - start > 64)
        return 0;
    return pm_types__name(p->project, p->file->text + start + 1, end - start - 2) + 1;
}
