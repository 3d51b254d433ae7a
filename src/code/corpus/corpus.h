/*
 * Counts how often a corpus of Python source uses each function. One pass applies the import filter
 * and both counting rules, on several threads.
 *
 *     struct pm_resolve_names *names = ...;               // to count: resolve/names.h
 *     struct pm_corpus_options options = {.threads = 2};
 *     struct pm_corpus_result *result;
 *     PM_TRY(pm_corpus_scan(paths, count, names, &options, &result, err));
 *     ...
 *     pm_corpus_result_free(result);
 *     pm_resolve_names_free(names);
 *
 * The path "-" is standard input. The first bytes of a given input show its form, except that *.py
 * is always Python and *.ipynb is always a notebook:
 * - JSON lines with a string `content`, plain, .gz (any number of members) or .zst. `repo_name`,
 *   `max_stars_repo_name`, `repository` or `repo` names the repository. Fields may be in any order.
 * - Jupyter notebooks (corpus/notebook.h), and lines of JSON whose `content` is a notebook.
 * - archives: zip, which includes wheels, and tar, plain or packed by gzip, zstd, xz or bzip2.
 *   Their *.py and *.ipynb are read, also in archives inside them. An archive that is nested
 *   deeper is not opened, and is reported as damage.
 * - folders: their *.py and *.ipynb, and every file with the extension of JSON lines or an archive.
 *   Links are not followed.
 * - Python files: inputs that have none of these forms.
 * A repository is a folder with a .git in it, an archive, or else the given folder.
 *
 * Damage never ends a scan: it is listed with the input's name and an offset, and reading continues
 * at the next line, member or input. A folder's entry that cannot be accessed is damage too.
 * To bound memory, a line or a file longer than PM_CORPUS_MOST_BYTES is damage; a notebook may be
 * longer.
 *
 * The two rules, for each framework F (an import name such as `torch`):
 *
 * The paper's rule reads files with a line that matches `(from.*F|import.*F)`. It counts each name
 * of the flat list if the next token is `(` and the previous token is not `def`. Text within
 * f-strings and backticks does not count. The name of a class with bases counts, as in
 * `class Linear(Base):`. A name does not count if a comment or a line end separates it from `(`.
 * The rule skips files that have `Copyright 20YY ` and then the authors of F (options.authors) on a
 * line; YY may be any two characters. Each use has one class:
 * - resolved: its chain of names resolves to a function of F;
 * - possible method: an attribute of something that no import bound, such as `x.view(` or
 *   `f(x).view(`; if the table has methods of F, one of them must have the name;
 * - other: everything else.
 *
 * The resolved rule counts uses of what the file's imports bind (resolve/resolve.h). If the file
 * also binds the name in another way (an assignment, a parameter, a `def`), the use counts, and is
 * counted in `rebound` too.
 *
 * If a framework has only a flat list, the class `resolved` contains every chain that begins at an
 * import of F and ends in a listed name, and the resolved rule counts by flat name.
 */
#ifndef PM_CORPUS_CORPUS_H
#define PM_CORPUS_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/shard.h"
#include "types/project.h"

#define PM_CORPUS_MOST_BYTES       (8u << 20) /* most bytes of a line, and of a file */
#define PM_CORPUS_DAMAGES_AN_INPUT 20         /* the most that are listed; all are counted */

#define PM_CORPUS_MOST_PROJECT (256u << 20) /* bytes in memory; see `take` of the options */

/* Called with the bytes read so far and the bytes of all inputs: under a lock, from any thread, at
 * most ten times a second, and once at the end. `total` is 0 if it is unknown: for standard input
 * and pipes, for Python files in folders, whose sizes are not read, and for 4,096 inputs or
 * more. */
typedef void pm_corpus_progress(void *ctx, uint64_t done, uint64_t total);

/* One use and its place. */
struct pm_corpus_place {
    uint64_t text;         /* number of its text, from 1, in the order of reading */
    uint64_t order;        /* place of its input in the order of reading, the same in every shard */
    const char *input;     /* path, "-", or archive:member */
    uint64_t record;       /* number of the JSON line that contains the text, from 1; or 0 */
    uint32_t cell;         /* number of the notebook's cell, from 1; or 0 */
    uint32_t line, column; /* from 1; the line within the cell of a notebook; the column in bytes */
    uint32_t text_line;    /* line in the whole text; of a notebook, in all its cells together */
    const char *inside;    /* the classes and functions around it, joined by dots */
    uint32_t framework_row, function_row; /* row in the result's `frameworks`, and in `functions` of
                                           * this framework */
    const char *framework, *function;     /* import name; canonical name */
    enum pm_name_kind kind;
    enum pm_resolve_form form;
    enum pm_resolve_how how;
    const char *chain; /* explains an inferred use; "" for other uses */
};
typedef void pm_corpus_take(void *ctx, const struct pm_corpus_place *place);

/* A text that may contain uses. The callbacks get all texts of a project first, and then the uses
 * in the project, in the order of the texts. */
struct pm_corpus_text {
    uint64_t number;   /* `text` of the places in it */
    const char *input; /* as in struct pm_corpus_place */
    uint64_t record;
    uint32_t imported;          /* one bit per framework that the text itself imports */
    const unsigned char *bytes; /* valid during the call only */
    size_t length;
};
typedef void pm_corpus_see(void *ctx, const struct pm_corpus_text *text);

struct pm_corpus_options {
    /* The shard to read; count 0: everything. A shard reads whole projects, and the path of a
     * project decides its shard. A project is a given file; a checkout with everything in it; an
     * archive or a file of JSON lines in a folder; or the rest of a given folder. */
    struct pm_shard shard;
    /* An index that was made from the names before the scan; NULL: the scan makes it. The scan
     * moves its contents into the result and zeroes it. */
    struct pm_resolve_index *index;
    unsigned threads; /* 0 means 1; each input is read by a single thread */
    bool every_file;  /* without the import filter: the paper's rule counts in every file */
    /* One entry per framework, in the order of the names: the authors in the copyright line of the
     * framework's own sources. The paper's rule skips these sources for this framework. If an entry
     * or the array is NULL, no file is skipped. */
    const char *const *authors;
    pm_corpus_progress *progress;
    void *ctx;
    /* Called for every use that follows from imports or types (types/project.h), in an order that
     * depends only on the inputs; the scan then has one thread. The files of a repository or an
     * archive are one project. A project that takes more than PM_CORPUS_MOST_PROJECT bytes of
     * memory is divided. NULL: uses are only counted, and types are not inferred. */
    pm_corpus_take *take;
    void *take_ctx;
    pm_corpus_see *see; /* called with take_ctx for each text, before its uses; or NULL */
    /* A file that the caller will replace, and the option that names it ("--uses"); NULL: none. If
     * the scan reads this file as an input, the scan fails with PM_EUSAGE, and the caller must not
     * replace the file. The scan may ignore the file, for example an older file of places in a
     * scanned folder. */
    const char *kept, *kept_by;
};

/* The counts of one name of a flat list by the paper's rule. uses = resolved + possible_method +
 * other. */
struct pm_corpus_name {
    const char *name;
    uint64_t uses, resolved, possible_method, other;
    uint64_t files, repositories; /* files and repositories with a use; a file without a known
                                     repository counts in no repository */
};

/* The counts of one function by the resolved rule, and what types add to them. */
struct pm_corpus_function {
    const char *name; /* canonical name; the flat name if there is only a flat list */
    enum pm_name_kind kind;
    uint64_t calls, references, rebound; /* rebound is a part of calls + references */
    uint64_t files, repositories;
    /* Uses found by imports, also through files of the project, and by the types of values. All
     * zero if types are not inferred. No other count includes `instance_calls` or `possible`, and
     * possible calls do not add to `files` or `repositories`. */
    struct pm_corpus_inferred {
        uint64_t calls, references, files, repositories;
        uint64_t instance_calls; /* calls of instances of this class */
        uint64_t possible;       /* calls found by PM_RESOLVE_HOW_ONE_OF or PM_RESOLVE_HOW_NAME */
    } inferred;
};

/* A called name that begins at the framework and is not in the table. */
struct pm_corpus_unlisted {
    char *name;
    uint64_t calls, files;
};
/* The most unlisted names of a framework that a thread keeps. Calls of further names add only to
 * `unlisted` of the framework. */
#define PM_CORPUS_MOST_UNLISTED 100000

/* Distinct pairs of a row and a repository that uses the row's name, in no particular order. */
struct pm_corpus_repositories {
    uint64_t *digests; /* one per pair, of its repository and row together */
    uint32_t *rows;
    size_t count;
};

struct pm_corpus_framework {
    const char *import_name;
    uint64_t paper_files;     /* files that the paper's rule reads */
    uint64_t importing_files; /* files that import it, by the resolved rule */
    uint64_t unlisted; /* calls of chains that begin at the framework and are not in the table */
    struct pm_corpus_unlisted *unlisted_names; /* these names, in no particular order */
    size_t unlisted_count;
    const struct pm_corpus_name *names; /* every name of the flat list, sorted by name */
    size_t name_count;
    const struct pm_corpus_function *functions; /* every function, sorted by name */
    size_t function_count;
    struct pm_corpus_repositories name_repositories, function_repositories, inferred_repositories;
};

struct pm_corpus_damage {
    const char *input; /* path, "-", or archive:member */
    uint64_t number;   /* place of the input in the order of reading, the same in every shard */
    uint64_t offset;   /* offset in the input's bytes or, if `unpacked`, in the unpacked bytes */
    bool unpacked;
    const char *what;
};

struct pm_corpus_totals {
    uint64_t inputs;     /* given files and inputs in folders, also if they cannot be opened */
    uint64_t ignored;    /* other files in folders, notebooks in other languages, and members that
                          * are archives only by name */
    uint64_t bytes_read; /* bytes as stored on disk */
    uint64_t bytes_unpacked;
    uint64_t files;      /* Python texts: files, members of archives, JSON lines with content */
    uint64_t text_bytes; /* bytes of these texts; JSON with its escapes as written */
    uint64_t lexed_files;
    uint64_t lexed_bytes;
    uint64_t without_content; /* JSON lines without a string `content` */
    uint64_t damages;         /* listed or not */
};

struct pm_corpus_result {
    struct pm_corpus_totals totals;
    const struct pm_corpus_framework *frameworks;
    size_t framework_count;
    const struct pm_corpus_damage *damages; /* by input in the order of reading, then by offset */
    size_t damage_count;
    uint64_t projects;     /* projects of the shard; all projects if there are no shards */
    uint64_t all_projects; /* projects of all shards */
    uint64_t all_inputs;   /* digest of the names and sizes of all projects; 0 without a shard */
};

/* Checks the paths before any input is read. PM_ENOTFOUND if one does not exist; PM_EIO if one
 * cannot be accessed, if it is neither a file nor a folder nor a pipe of the shell's `<(command)`,
 * or if standard input is named and not open for reading. */
PM_MUST_USE int pm_corpus_check(const char *const *paths, size_t count, struct pm_error *err);

/*
 * Scans all inputs. The result depends on the inputs and the names, not on the number of threads.
 * The caller frees *out, which borrows nothing from the arguments. Damage is not an error. Errors:
 * those of pm_corpus_check(), before anything is read; PM_EUSAGE if there is no framework, or if an
 * input is the file `kept`; PM_ESTOPPED, at the next block of an input, if the user stops the
 * command.
 */
PM_MUST_USE int pm_corpus_scan(const char *const *paths, size_t count,
                               const struct pm_resolve_names *names,
                               const struct pm_corpus_options *options,
                               struct pm_corpus_result **out, struct pm_error *err);
void pm_corpus_result_free(struct pm_corpus_result *result); /* accepts NULL */

#endif
