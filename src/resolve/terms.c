/* Names, terms and members of a project. */
#include <stdlib.h>
#include <xxhash.h>

#include "resolve/project_private.h"

/* ---- names ---------------------------------------------------------------------------------- */

static struct pm_resolve__name_slot *name_slot(const struct pm_resolve_project *project,
                                               const void *text, size_t length, uint32_t hash)
{
    size_t i = hash & project->name_mask;
    for (; project->name_slots[i].name; i = (i + 1) & project->name_mask) {
        const struct pm_resolve__name_slot *slot = &project->name_slots[i];
        if (slot->hash == hash && slot->length == length &&
            memcmp(project->names[slot->name - 1], text, length) == 0)
            break;
    }
    return &project->name_slots[i];
}

static void grow_names(struct pm_resolve_project *project)
{
    struct pm_resolve__name_slot *old = project->name_slots;
    const size_t count = old ? project->name_mask + 1 : 0;
    project->name_mask = count ? count * 2 - 1 : 1023;
    project->name_slots = pm_alloc((project->name_mask + 1) * sizeof *project->name_slots);
    for (size_t k = 0; k < count; k++) {
        if (!old[k].name)
            continue;
        size_t i = old[k].hash & project->name_mask;
        while (project->name_slots[i].name)
            i = (i + 1) & project->name_mask;
        project->name_slots[i] = old[k];
    }
    free(old);
}

static char *keep_text(struct pm_resolve_project *project, const void *text, size_t length)
{
    enum { BLOCK = 1 << 16 };
    if (project->block_count == 0 || project->block_used + length + 1 > BLOCK) {
        PM_GROW(project->blocks, project->block_count, project->block_capacity);
        project->blocks[project->block_count++] = pm_alloc(length < BLOCK ? BLOCK : length + 1);
        project->block_used = 0;
    }
    char *kept = project->blocks[project->block_count - 1] + project->block_used;
    memcpy(kept, text, length);
    kept[length] = '\0';
    project->block_used += length + 1;
    return kept;
}

uint32_t pm_resolve__name(struct pm_resolve_project *project, const void *text, size_t length)
{
    const uint32_t hash = (uint32_t)XXH3_64bits(text, length);
    if (project->names_count * 2 >= project->name_mask)
        grow_names(project);
    struct pm_resolve__name_slot *slot = name_slot(project, text, length, hash);
    if (!slot->name) {
        PM_RESOLVE__PUSH(project, names, keep_text(project, text, length));
        *slot =
            (struct pm_resolve__name_slot){hash, (uint32_t)project->names_count, (uint32_t)length};
    }
    return slot->name - 1;
}

/* ---- terms ---------------------------------------------------------------------------------- */

uint32_t pm_resolve__term(struct pm_resolve_project *project, enum pm_resolve__op op, uint32_t a,
                          uint32_t b)
{
    if (op == PM_RESOLVE__UNKNOWN)
        return 0;
    if (project->terms_count == 0)
        PM_RESOLVE__PUSH(project, terms, (struct pm_resolve__term){.op = PM_RESOLVE__UNKNOWN});
    PM_RESOLVE__PUSH(project, terms, (struct pm_resolve__term){.op = (uint8_t)op, .a = a, .b = b});
    return (uint32_t)project->terms_count - 1;
}

/* ---- modules -------------------------------------------------------------------------------- */

static size_t hash_of(uint64_t a, uint64_t b)
{
    const uint64_t hash = (a * 0x9e3779b97f4a7c15u ^ b) * 0xff51afd7ed558ccdu;
    return (size_t)(hash ^ hash >> 32);
}

static struct pm_resolve__module_slot *module_slot(const struct pm_resolve_project *project,
                                                   uint32_t unit, uint32_t name)
{
    size_t i = hash_of(unit, name) & project->module_mask;
    for (; project->module_slots[i].unit; i = (i + 1) & project->module_mask)
        if (project->module_slots[i].unit == unit + 1 && project->module_slots[i].name == name)
            break;
    return &project->module_slots[i];
}

static void grow_modules(struct pm_resolve_project *project)
{
    struct pm_resolve__module_slot *old = project->module_slots;
    const size_t count = old ? project->module_mask + 1 : 0;
    project->module_mask = count ? count * 2 - 1 : 1023;
    project->module_slots = pm_alloc((project->module_mask + 1) * sizeof *project->module_slots);
    for (size_t k = 0; k < count; k++)
        if (old[k].unit)
            *module_slot(project, old[k].unit - 1, old[k].name) = old[k];
    free(old);
}

uint32_t pm_resolve__module_member(const struct pm_resolve_project *project, uint32_t unit,
                                   uint32_t name)
{
    return project->module_slots ? module_slot(project, unit, name)->term : 0;
}

void pm_resolve__module_set(struct pm_resolve_project *project, uint32_t unit, uint32_t name,
                            uint32_t term)
{
    if (project->module_count * 2 >= project->module_mask)
        grow_modules(project);
    struct pm_resolve__module_slot *slot = module_slot(project, unit, name);
    if (slot->unit)
        return;
    *slot = (struct pm_resolve__module_slot){unit + 1, name, term};
    project->module_count++;
}

static void clear_table(void **slots, size_t *mask, size_t size, bool release)
{
    if (*slots && release) {
        free(*slots);
        *slots = NULL;
        *mask = 0;
    } else if (*slots) {
        memset(*slots, 0, (*mask + 1) * size);
    }
}

void pm_resolve__terms_clear(struct pm_resolve_project *project, bool release)
{
    const size_t kept = !release && project->block_count ? 1 : 0;
    while (project->block_count > kept)
        free(project->blocks[--project->block_count]);
    if (release) {
        free(project->blocks);
        project->blocks = NULL;
        project->block_capacity = 0;
    }
    clear_table((void **)&project->name_slots, &project->name_mask, sizeof *project->name_slots,
                release);
    clear_table((void **)&project->module_slots, &project->module_mask,
                sizeof *project->module_slots, release);
    project->module_count = project->block_used = 0;
}

/* ---- members of classes --------------------------------------------------------------------- */

uint32_t pm_resolve__member(const struct pm_resolve_project *project, uint32_t members,
                            uint32_t name)
{
    for (uint32_t i = members; i; i = project->members[i - 1].next)
        if (project->members[i - 1].name == name)
            return project->members[i - 1].term;
    return 0;
}

void pm_resolve__member_set(struct pm_resolve_project *project, uint32_t *members, uint32_t name,
                            uint32_t term, bool also)
{
    for (uint32_t i = *members; i; i = project->members[i - 1].next) {
        struct pm_resolve__member *member = &project->members[i - 1];
        if (member->name != name)
            continue;
        member->term =
            also ? pm_resolve__term(project, PM_RESOLVE__EITHER, member->term, term) : term;
        return;
    }
    PM_RESOLVE__PUSH(project, members, (struct pm_resolve__member){name, term, *members});
    *members = (uint32_t)project->members_count;
}
