/* Reads users from /etc/passwd, the only list of users that every Linux has. */
#include "base/user.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

/* Returns whether a line of /etc/passwd is about the user. Divides the line,
 * name:password:number:group:comment:home:shell, in place. */
static bool is_user(char *line, uid_t number, char **name, char **home)
{
    char *fields[6], *rest = line;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!(fields[i] = strsep(&rest, ":")))
            return false;
    char *end;
    errno = 0;
    const unsigned long long listed = strtoull(fields[2], &end, 10);
    if (errno || end == fields[2] || *end || fields[2][0] == '-' || listed != number)
        return false;
    *name = fields[0];
    *home = fields[5];
    home[0][strcspn(*home, "\n")] = '\0';
    return **name && **name != '+' && **name != '-'; /* those lines refer to NIS */
}

bool pm_user_find(const char *file, uid_t number, struct pm_user *user)
{
    *user = (struct pm_user){0};
    FILE *list = fopen(file, "re");
    if (!list)
        return false;
    char *line = NULL, *name, *home;
    size_t room = 0;
    while (!user->name && getline(&line, &room, list) >= 0)
        if (is_user(line, number, &name, &home))
            *user = (struct pm_user){pm_strdup(name), pm_strdup(home)};
    free(line);
    fclose(list);
    return user->name != NULL;
}

bool pm_user_here(struct pm_user *user)
{
    return pm_user_find("/etc/passwd", getuid(), user);
}

void pm_user_release(struct pm_user *user)
{
    free(user->name);
    free(user->home);
    *user = (struct pm_user){0};
}
