/*
 * The user of this process, as /etc/passwd lists them. The file is read directly: the C library would load
 * modules for other lists of users (sss, LDAP), which a static program cannot.
 */
#ifndef PM_BASE_USER_H
#define PM_BASE_USER_H

#include <stdbool.h>
#include <sys/types.h>

struct pm_user {
    char *name, *home; /* never NULL after a true answer; `home` may be empty */
};

/* Finds the user with this number in a file of the form of /etc/passwd. False, with an emptied `user`, where
 * the file does not list the user or cannot be read: HOME, USER and LOGNAME are then all that is known. */
bool pm_user_find(const char *file, uid_t number, struct pm_user *user);

/* Works like the function above, for the user of this process. */
bool pm_user_here(struct pm_user *user);

void pm_user_release(struct pm_user *user);

#endif
