/*
 * Files and paths. Paths are NUL-terminated UTF-8; the caller frees returned strings. A function
 * that returns a code fails with PM_EIO unless its comment names another code.
 */
#ifndef PM_BASE_FILE_H
#define PM_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/str.h"

/* Read or write `length` bytes, and continue after EINTR and short counts. pm_read_full() returns
 * the number of bytes read, which is less than `length` only at the end of the file; both return -1
 * with errno set on failure. */
ssize_t pm_read_full(int fd, void *bytes, size_t length);
ssize_t pm_write_full(int fd, const void *bytes, size_t length);

/* Appends the whole file (regular, or a pseudo-file as in /proc) to `out`. Fails with PM_EIO; `out`
 * may then contain a part of the file. */
PM_MUST_USE int pm_file_read(const char *path, struct pm_str *out, struct pm_error *err);

/*
 * A file that a command writes completely or not at all. It is written beside `path`, synced and
 * then renamed, so that the previous file stays until the new one is complete. The previous file
 * remains if the disk is full, if an error or the user ends the command, or if the process is
 * killed (which leaves the unfinished `path.PID.N.tmp` behind, until the next draft of the same
 * file removes it). If `path` is a symbolic link, the file to which it leads is replaced and the
 * link stays. The new file has the mode of the previous one. A device, a pipe, and the file to
 * which standard output or standard error go, are written in place and not replaced.
 *
 *     struct pm_file_draft draft;
 *     PM_TRY(pm_file_begin(path, &draft, err));
 *     fputs("text", draft.file);                  // errors are kept until the end
 *     return pm_file_finish(&draft, err);         // or, if the text cannot be made: discard
 *
 * pm_file_finish() ends the draft even if it fails. pm_file_discard() accepts a zeroed draft.
 */
struct pm_file_draft {
    FILE *file;            /* the stream to write to; the end of the draft closes it */
    char *path;            /* path as the caller gave it, for messages */
    char *target, *beside; /* `beside` is the unfinished file, which is renamed to `target`; both
                              are NULL if the file is written in place */
};
PM_MUST_USE int pm_file_begin(const char *path, struct pm_file_draft *draft, struct pm_error *err);
PM_MUST_USE int pm_file_finish(struct pm_file_draft *draft, struct pm_error *err);
void pm_file_discard(struct pm_file_draft *draft);

/* Makes a rename to `path` durable by syncing its folder. A failure is ignored. */
void pm_file_sync_folder(const char *path);

/* Writes a file with these bytes, completely or not at all, as a draft does. */
PM_MUST_USE int pm_file_write(const char *path, const void *bytes, size_t length,
                              struct pm_error *err);

/* Fails with PM_EUSAGE if writing `output`, which `option` ("--output") names, would replace
 * `input`, which the message calls `what` ("the database"): both are the same file, by device and
 * inode or, if neither exists yet, by folder and name. Either may be NULL. */
PM_MUST_USE int pm_file_check_output(const char *option, const char *output, const char *input,
                                     const char *what, struct pm_error *err);

bool pm_path_exists(const char *path);
bool pm_path_is_folder(const char *path);
char *pm_path_join(const char *folder, const char *name);
char *pm_path_parent(const char *path); /* "a/b" gives "a", "a" gives ".", "/a" gives "/" */
/* Returns an absolute path. A relative path is appended to the current folder, or returned
 * unchanged if that folder no longer exists. Resolves neither links nor "..". */
char *pm_path_absolute(const char *path);

/* Creates the folder and its missing parents (mode 0755 less umask). */
PM_MUST_USE int pm_folder_make(const char *path, struct pm_error *err);

/* Lists the names of the entries of a folder, sorted by byte value, without "." and "..". The
 * caller frees them with pm_free_strings(). */
PM_MUST_USE int pm_folder_list(const char *path, char ***names, size_t *count,
                               struct pm_error *err);

/* The kind of an entry of a folder, as the folder reports it. For UNKNOWN, call stat() for the
 * entry. */
enum pm_folder_kind { PM_FOLDER_FILE, PM_FOLDER_FOLDER, PM_FOLDER_OTHER, PM_FOLDER_UNKNOWN };

struct pm_folder_entry {
    char *name;
    enum pm_folder_kind kind; /* OTHER for a link */
};

/* Returns whether pm_folder_entries() keeps an entry. */
typedef bool pm_folder_wanted(const char *name, enum pm_folder_kind kind);

/* Reads the entries of a folder that are wanted (NULL: all), with their kinds, sorted by the bytes
 * of their names. The caller frees them with pm_folder_free(). */
PM_MUST_USE int pm_folder_entries(const char *path, pm_folder_wanted *wanted,
                                  struct pm_folder_entry **entries, size_t *count,
                                  struct pm_error *err);
void pm_folder_free(struct pm_folder_entry *entries, size_t count);

/* Returns how many bytes the files in a folder and below it take on disk. Follows no links. Ignores
 * folders that cannot be read. If the user stops the command, returns the bytes counted so far. */
uint64_t pm_folder_bytes(const char *path);
/* Determines how many bytes this user can still write to the file system of a folder or, if the
 * folder does not exist, of the nearest folder above it that exists. Sets *bytes to 0 on an
 * error. */
PM_MUST_USE int pm_folder_free_bytes(const char *path, uint64_t *bytes, struct pm_error *err);

/* Removes a folder with all its contents, without following links. A path that does not exist is
 * not an error. */
PM_MUST_USE int pm_folder_remove(const char *path, struct pm_error *err);

/* Creates a fresh folder of mode 0700 under $TMPDIR (or /tmp), named "portmeter-XXXXXX". The path
 * is absolute even if $TMPDIR is relative, because drivers run in folders of their own. */
PM_MUST_USE int pm_folder_scratch(char **path, struct pm_error *err);

/* Finds the folder of the user's data: PORTMETER_DATA if it is set, otherwise
 * ${XDG_DATA_HOME:-~/.local/share}/portmeter. The folder may not exist yet. Fails with PM_ENOTFOUND
 * if the user's home is unknown. */
PM_MUST_USE int pm_path_data(char **path, struct pm_error *err);

/* The default path of the database. */
#define PM_PATH_DB "portmeter.db"

/* Finds the folder that contains data/, drivers/, rules/ and suites/: PORTMETER_HOME if it is set,
 * otherwise pm_path_home_of() of this program. Fails with PM_ENOTFOUND if the folder has no
 * drivers/, and with PM_EIO if the path of this program cannot be read. */
PM_MUST_USE int pm_path_home(char **path, struct pm_error *err);

/* Returns the folder that contains data/, drivers/, rules/ and suites/ for a program, given by its
 * absolute path: the source tree if the program is in or below a build folder of the tree,
 * otherwise <prefix>/lib/portmeter for <prefix>/bin/portmeter. No path is fixed when the program is
 * built, so a tree or an installation can be moved. The folder is not in share/, because
 * ~/.local/share/portmeter contains the user's environments. */
char *pm_path_home_of(const char *program);

#endif
