/*
 * The user of this process, as /etc/passwd lists them. The file is read directly: the C library
 * would load modules for other lists of users (sss, LDAP), and a static program cannot load
 * modules.
 */
#ifndef PM_BASE_USER_H
#define PM_BASE_USER_H

#include <stdbool.h>
#include <sys/types.h>

struct pm_user {
    char *name, *home; /* not NULL if the function returned true; `home` may be empty */
};

/* Finds the user with this number in a file with the format of /etc/passwd. The caller releases
 * `user`. Returns false, with an empty `user`, if the file does not list the user or cannot be
 * read; the caller can then use only HOME, USER and LOGNAME. */
bool pm_user_find(const char *file, uid_t number, struct pm_user *user);

/* Works like pm_user_find(), for the user of this process and /etc/passwd. */
bool pm_user_here(struct pm_user *user);

void pm_user_release(struct pm_user *user);

#endif
