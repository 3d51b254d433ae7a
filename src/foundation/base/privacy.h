/*
 * Replaces the names of users and hosts in a text, before the text is stored or is put into a
 * report. A database and its reports then contain no such name, even after databases of several
 * machines were merged. No list of names is kept.
 *
 *     struct pm_str out = PM_STR_INIT;
 *     pm_privacy_hide(pm_privacy_here(), text, strlen(text), &out);
 *     // "/home/alice/x by alice on turing" -> "~/x by user on host"
 *
 * What is replaced:
 *
 * - A home folder by '~': HOME and the user's home in the password file, each as it is written and
 *   with its symbolic links resolved; each folder in /home, in /Users and in a folder called home
 *   or Users; and /root. If other characters precede a home folder, as in "/export/home/bob/x" and
 *   "-I/home/bob/x", only the name is replaced: "/export/home/user/x". The user's own home
 *   elsewhere then becomes "/home/user". The folders beside the user's own home folder are home
 *   folders too, if a folder above them is called home, homes, users or Users ("/home/physics/bob"
 *   beside "/home/physics/alice").
 * - The name of a folder in the Users folder of Windows by 'user', even if backslashes are doubled:
 *   "C:\Users\Alice Smith\x" -> "C:\Users\user\x". Messages of wheels may contain such paths.
 * - The user's name by 'user': USER, LOGNAME, SUDO_USER, the name in the password file, and the
 *   last part of the user's home folder, if the folder above it, or the next one, is called home,
 *   homes, users or Users. Within a path, the case of ASCII letters is ignored; elsewhere it
 *   counts.
 * - The host's name by 'host', with the domain that follows it: the whole name and its first part.
 *   Case is ignored.
 *
 * A name is replaced where no letter and no digit touches it: as a word, as part of a path, and
 * beside '_', '-' and '.': "/tmp/torchinductor_alice/x" -> "/tmp/torchinductor_user/x". All bytes
 * of characters outside ASCII are letters, except punctuation. "malice" and "alice2" stay.
 *
 * A name of fewer than three characters, a number, and a word of common_words.txt (the words of the
 * frameworks' public names, and usual names of accounts and hosts), with or without digits after
 * it, are replaced only in home folders, because the same word elsewhere most likely means
 * something else.
 *
 * Replacing a second time changes nothing. If both sides of a comparison are replaced in the same
 * way, equal texts stay equal. Different texts of one machine can become equal only if they differ
 * only in such names.
 */
#ifndef PM_BASE_PRIVACY_H
#define PM_BASE_PRIVACY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum { PM_PRIVACY_NAMES = 10 };

/* The names on a machine; each list ends at the first NULL. Empty names are ignored. */
struct pm_privacy_names {
    const char *homes[PM_PRIVACY_NAMES + 1]; /* absolute folders */
    const char *users[PM_PRIVACY_NAMES + 1];
    const char *hosts[PM_PRIVACY_NAMES + 1]; /* whole names, with their domains */
};

struct pm_privacy;

/* Copies the names. The caller frees the result with pm_privacy_free(), which accepts NULL. */
struct pm_privacy *pm_privacy_new(const struct pm_privacy_names *names);
void pm_privacy_free(struct pm_privacy *privacy);

/* Returns the names of this user and this host, which it reads at the first call. The caller must
 * not free them. Not thread-safe. */
const struct pm_privacy *pm_privacy_here(void);

/* Replaces the names in a text of `length` bytes and adds the result to `out`. Returns false, and
 * adds nothing, if the text contains no name. */
bool pm_privacy_hide(const struct pm_privacy *privacy, const char *text, size_t length,
                     struct pm_str *out);

/* Works like pm_privacy_hide(), for the text of a JSON value. Names are replaced only in strings,
 * including strings with escapes. Names of members stay, because they are portmeter's own words.
 * All other characters stay too, so numbers do not change. */
bool pm_privacy_hide_json(const struct pm_privacy *privacy, const char *text, size_t length,
                          struct pm_str *out);

/* Returns the text with the names of this user and this host replaced. The caller frees it. */
char *pm_privacy_hidden(const char *text);
/* Returns the option that names a database in a command that is shown: " --db FILE", with names
 * replaced as by pm_privacy_hidden(), or "" for the default database. The caller frees it. */
char *pm_privacy_db_option(const char *db);

#endif
