/* Stores the names, terms and members of a project. */
#include <stdlib.h>
#include <xxhash.h>

#include "types/types_private.h"

/* ---- names ---------------------------------------------------------------------------------- */

static struct pm_types__name_slot *name_slot(const struct pm_types_project *project,
                                             const void *text, size_t length, uint32_t hash)
{
    size_t i = hash & project->name_mask;
    for (; project->name_slots[i].name; i = (i + 1) & project->name_mask) {
        const struct pm_types__name_slot *slot = &project->name_slots[i];
        if (slot->hash == hash && slot->length == length &&
            memcmp(project->names[slot->name - 1], text, length) == 0)
            break;
    }
    return &project->name_slots[i];
}

static void grow_names(struct pm_types_project *project)
{
    struct pm_types__name_slot *old = project->name_slots;
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

static char *keep_text(struct pm_types_project *project, const void *text, size_t length)
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

uint32_t pm_types__name(struct pm_types_project *project, const void *text, size_t length)
{
    const uint32_t hash = (uint32_t)XXH3_64bits(text, length);
    if (project->names_count * 2 >= project->name_mask)
        grow_names(project);
    struct pm_types__name_slot *slot = name_slot(project, text, length, hash);
    if (!slot->name) {
        PM_TYPES__PUSH(project, names, keep_text(project, text, length));
        *slot =
            (struct pm_types__name_slot){hash, (uint32_t)project->names_count, (uint32_t)length};
    }
    return slot->name - 1;
}

uint32_t pm_types__identifier(struct pm_types_project *project, const unsigned char *text,
                              size_t length)
{
    uint64_t words[2];
    if (length > sizeof words)
        return pm_types__name(project, text, length);
    pm_resolve_words(text, length, words);
    struct pm_types__recent_name *recent =
        &project->recent_names[pm_resolve_hash(text, length, words) % PM_TYPES__RECENT_NAMES];
    if (recent->name && recent->length == length && recent->words[0] == words[0] &&
        recent->words[1] == words[1])
        return recent->name - 1;
    const uint32_t name = pm_types__name(project, text, length);
    *recent = (struct pm_types__recent_name){{words[0], words[1]}, (uint32_t)length, name + 1};
    return name;
}

uint32_t pm_types__term(struct pm_types_project *project, enum pm_types__op op, uint32_t a,
                        uint32_t b)
{
    if (op == PM_TYPES__UNKNOWN)
        return 0;
    if (project->terms_count == 0)
        PM_TYPES__PUSH(project, terms, (struct pm_types__term){.op = PM_TYPES__UNKNOWN});
    const uint64_t mixed = (((uint64_t)a << 32 | b) + op) * 0x9e3779b97f4a7c15u;
    uint32_t *recent = &project->recent[mixed >> 52 & (PM_TYPES__RECENT_TERMS - 1)];
    if (*recent >= project->first_term && *recent < project->terms_count) {
        const struct pm_types__term *known = &project->terms[*recent];
        if (known->op == op && known->a == a && known->b == b)
            return *recent;
    }
    *recent = (uint32_t)project->terms_count;
    PM_TYPES__PUSH(project, terms, (struct pm_types__term){.op = (uint8_t)op, .a = a, .b = b});
    return *recent;
}

static size_t member_slot(const struct pm_types_project *project, uint32_t owner, uint32_t name)
{
    size_t i = (((uint64_t)name << 32 | owner) * 0x9e3779b97f4a7c15u >> 24) & project->member_mask;
    for (; project->member_slots[i]; i = (i + 1) & project->member_mask) {
        const struct pm_types__member *member = &project->members[project->member_slots[i] - 1];
        if (member->name == name && member->owner == owner)
            break;
    }
    return i;
}

static void grow_members(struct pm_types_project *project)
{
    project->member_mask = project->member_slots ? project->member_mask * 2 + 1 : 1023;
    free(project->member_slots);
    project->member_slots = pm_alloc((project->member_mask + 1) * sizeof *project->member_slots);
    for (size_t i = 0; i < project->members_count; i++)
        project->member_slots[member_slot(project, project->members[i].owner,
                                          project->members[i].name)] = (uint32_t)i + 1;
}

uint32_t pm_types__member(const struct pm_types_project *project, uint32_t owner, uint32_t name)
{
    const uint32_t found =
        project->member_slots ? project->member_slots[member_slot(project, owner, name)] : 0;
    return found ? project->members[found - 1].term : 0;
}

void pm_types__member_set(struct pm_types_project *project, uint32_t owner, uint32_t name,
                          uint32_t term, bool also)
{
    if (project->members_count * 2 >= project->member_mask)
        grow_members(project);
    const size_t slot = member_slot(project, owner, name);
    if (!project->member_slots[slot]) {
        PM_TYPES__PUSH(project, members, (struct pm_types__member){owner, name, term});
        project->member_slots[slot] = (uint32_t)project->members_count;
        return;
    }
    struct pm_types__member *member = &project->members[project->member_slots[slot] - 1];
    member->term = also ? pm_types__term(project, PM_TYPES__EITHER, member->term, term) : term;
}

/* ---- clearing ------------------------------------------------------------------------------ */

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

void pm_types__terms_clear(struct pm_types_project *project, bool release)
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
    clear_table((void **)&project->member_slots, &project->member_mask,
                sizeof *project->member_slots, release);
    project->block_used = 0;
    memset(project->recent_names, 0, sizeof project->recent_names);
}
