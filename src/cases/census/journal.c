/* Writes and reads the answers of a census in progress, one per line, so that none is lost if the
 * process is killed. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "census/census_private.h"

enum { MODE = 0666 };

static int open_file(struct pm_census_journal *journal, int flags, struct pm_error *err)
{
    const int fd = open(journal->path, O_RDWR | O_APPEND | O_CLOEXEC | flags, MODE);
    struct stat now;
    if (fd < 0)
        return pm_error_errno(err, "cannot open '%s'", journal->path);
    if ((flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) ||
        (fstat(fd, &now) == 0 && now.st_nlink == 0)) {
        close(fd);
        return pm_error_set(err, PM_EBUSY,
                            "another portmeter census writes to '%s': wait until it ends, or use "
                            "another --folder",
                            journal->path);
    }
    journal->fd = fd;
    return PM_OK;
}

static int append(struct pm_census_journal *journal, const char *line, struct pm_error *err)
{
    char *text = pm_format("%s\n", line);
    const size_t length = strlen(text);
    const bool written = pm_write_full(journal->fd, text, length) == (ssize_t)length;
    const int rc = written ? PM_OK : pm_error_errno(err, "cannot write to '%s'", journal->path);
    free(text);
    return rc;
}

/* ---- reading -------------------------------------------------------------------------------- */

static bool has_key(const char *line, const char *key)
{
    json_t *document = NULL;
    const bool has =
        !pm_json_parse(line, strlen(line), &document, NULL) && json_object_get(document, key);
    json_decref(document);
    return has;
}

/* Takes the lines of a journal. Skips a line that pm_census_take() refuses, because the inventory
 * no longer has its name. */
static void take_lines(struct pm_census_journal *journal, char *text, struct pm_census *census,
                       struct pm_census *older)
{
    bool same = false;
    for (char *line; (line = strsep(&text, "\n"));) {
        if (has_key(line, "settings")) {
            same = !strcmp(line, journal->settings);
        } else if (!pm_census_take(same ? census : older, line, NULL) && has_key(line, "name")) {
            journal->names++;
            journal->taken += same;
        }
    }
}

/* Reads the complete lines, and removes a last line that a kill left incomplete. */
static int take_up(struct pm_census_journal *journal, struct pm_census *census,
                   struct pm_census *older, struct pm_error *err)
{
    struct pm_str text = PM_STR_INIT;
    int rc = pm_file_read(journal->path, &text, err);
    size_t whole = text.length;
    while (whole && text.data[whole - 1] != '\n')
        whole--;
    if (!rc && whole < text.length && ftruncate(journal->fd, (off_t)whole))
        rc = pm_error_errno(err, "cannot shorten '%s'", journal->path);
    if (!rc && whole) {
        text.data[whole - 1] = '\0';
        take_lines(journal, text.data, census, older);
    }
    pm_str_release(&text);
    return rc;
}

int pm_census_journal_open(struct pm_census_journal *journal, const char *folder,
                           const char *settings, struct pm_census *census, struct pm_census *older,
                           struct pm_error *err)
{
    *journal = (struct pm_census_journal){.fd = -1};
    journal->path = pm_census__file(census->framework, &census->shard, folder, ".tried.jsonl");
    journal->settings = pm_format("{\"settings\":%s}", settings);
    if (!pm_path_exists(journal->path))
        return PM_OK;
    PM_TRY(open_file(journal, 0, err));
    return take_up(journal, census, older, err);
}

/* ---- writing -------------------------------------------------------------------------------- */

static int begin(struct pm_census_journal *journal, struct pm_error *err)
{
    if (journal->fd < 0) {
        char *folder = pm_path_parent(journal->path);
        const int rc = pm_folder_make(folder, err);
        free(folder);
        PM_TRY(rc);
        PM_TRY(open_file(journal, O_CREAT, err));
    }
    journal->begun = true;
    return append(journal, journal->settings, err);
}

int pm_census_journal_add(struct pm_census_journal *journal, const char *line, struct pm_error *err)
{
    if (!journal->begun)
        PM_TRY(begin(journal, err));
    PM_TRY(append(journal, line, err));
    journal->names += has_key(line, "name");
    return PM_OK;
}

void pm_census_journal_close(struct pm_census_journal *journal, bool packed)
{
    if (journal->fd >= 0) {
        if (packed || !journal->names)
            unlink(journal->path);
        close(journal->fd);
    }
    free(journal->path);
    free(journal->settings);
    *journal = (struct pm_census_journal){.fd = -1};
}
