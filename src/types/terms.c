/* Names, terms and members of a project. */
#include <stdlib.h>
#include <xxhash.h>

#include "types/types_private.h"

static size_t slot_of(const struct pm_types_project *project, const void *text, size_t length)
{
    size_t i = XXH3_64bits(text, length) & project->name_mask;
    for (; project->name_slots[i]; i = (i + 1) & project->name_mask) {
        const char *name = project->names[project->name_slots[i] - 1];
        if (strncmp(name, text, length) == 0 && name[length] == '\0')
            break;
    }
    return i;
}

static void grow_names(struct pm_types_project *project)
{
    project->name_mask = project->name_mask * 2 + 1;
    free(project->name_slots);
    project->name_slots = pm_alloc((project->name_mask + 1) * sizeof *project->name_slots);
    for (size_t k = 0; k < project->names_count; k++)
        project->name_slots[slot_of(project, project->names[k], strlen(project->names[k]))] =
            (uint32_t)k + 1;
}

uint32_t pm_types__name(struct pm_types_project *project, const void *text, size_t length)
{
    if (project->names_count * 2 >= project->name_mask)
        grow_names(project);
    const size_t slot = slot_of(project, text, length);
    if (!project->name_slots[slot]) {
        PM_TYPES__PUSH(project, names, pm_strndup(text, length));
        project->name_slots[slot] = (uint32_t)project->names_count;
    }
    return project->name_slots[slot] - 1;
}

uint32_t pm_types__term(struct pm_types_project *project, enum pm_types__op op, uint32_t a,
                        uint32_t b)
{
    if (op == PM_TYPES__UNKNOWN)
        return 0;
    if (project->terms_count == 0)
        PM_TYPES__PUSH(project, terms, (struct pm_types__term){.op = PM_TYPES__UNKNOWN});
    PM_TYPES__PUSH(project, terms, (struct pm_types__term){.op = (uint8_t)op, .a = a, .b = b});
    return (uint32_t)project->terms_count - 1;
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
    project->member_mask = project->member_mask * 2 + 1;
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
