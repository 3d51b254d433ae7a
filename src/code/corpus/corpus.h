/*
 * Counting how often functions are used in a corpus of Python source: readers, import filter, both
 * counting rules in one pass, on several threads.
 *
 *     struct pm_resolve_names *names = ...;               // to count: resolve/names.h
 *     struct pm_corpus_options options = {.threads = 2};
 *     struct pm_corpus_result *result;
 *     PM_TRY(pm_corpus_scan(paths, count, names, &options, &result, err));
 *     ...
 *     pm_corpus_result_free(result);
 *     pm_resolve_names_free(names);
 *
 * Inputs, recognised by their bytes, not by their names; "-" is standard input:
 * - JSON lines with a string `content`, plain, .gz (any number of members) or .zst. `repo_name`,
 *   `max_stars_repo_name`, `repository` or `repo` names the repository. Fields may be in any order.
 * - Jupyter notebooks (corpus/notebook.h), and lines of JSON whose `content` is one.
 * - tar, plain or packed by gzip, zstd, xz or bzip2; zip, and so wheels and sdists: their *.py and
 *   *.ipynb, and those of archives in them. An archive further in is damage: it is not opened.
 * - folders: their *.py and *.ipynb, and every other file that is one of the above by its name. A
 * folder with a .git in it is a repository, else the folder given is; so is an archive. Links are
 * not followed.
 * - a single Python file, by its name or because it has none of these forms.
 *
 * Damage never ends a scan: it is listed with the input's name and an offset, and reading goes on
 * with the next line, member or input. An entry of a folder that cannot be looked at is damage too.
 * Memory is bounded: a line or a file over PM_CORPUS_MOST_BYTES is damage;
 * a notebook may be larger.
 *
 * The two rules, for each framework F (an import name such as `torch`):
 *
 * paper: in files with a line that matches `(from.*F|import.*F)` each name of the flat list whose
 * next token is `(` and whose previous one is not `def`. f-strings and backticks are opaque, class
 * bases count, a comment or line end before `(` breaks the pair. Files with a line
 * `Copyright 20.. ` and the authors of F behind it (options.authors) are skipped. Each use has one
 * class:
 * - resolved: its chain of names resolves to a function of F;
 * - possible method: an attribute of something that no import bound: `x.view(`, `f(x).view(`; where
 *   the table has methods of F, one of them must have the name;
 * - other: everything else.
 *
 * resolved: by what the file's imports bind, as resolve/resolve.h says. What the file binds in
 * another way too (an assignment, a parameter, a `def` of that name) counts, and is in `rebound` as
 * well.
 *
 * Where a framework has a flat list only, `resolved` is any chain that begins at an import of F
 * with its last listed part, and the resolved rule counts by flat name.
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
#define PM_CORPUS_DAMAGES_AN_INPUT 20         /* listed; all are counted */

#define PM_CORPUS_MOST_PROJECT (256u << 20)

/* Called with the bytes read so far and the bytes of all inputs, under a lock, from any thread, at
 * most ten times a second. `total` is 0 if it is unknown: for standard input, and for Python files
 * in folders, whose sizes are not read. */
typedef void pm_corpus_progress(void *ctx, uint64_t done, uint64_t total);

/* One use and its place. */
struct pm_corpus_place {
    uint64_t text;     /* number of its text, from 1, in the order of reading */
    uint64_t order;    /* place of its input in the order of reading, the same in every shard */
    const char *input; /* path, "-", or archive:member */
    uint64_t record;   /* line of JSON that has the file, from 1, or 0 */
    uint32_t cell;     /* cell of a notebook, from 1, in which the lines count; or 0 */
    uint32_t line, column;
    uint32_t text_line; /* line in the whole text: of a notebook, in all its cells together */
    const char *inside; /* classes and functions around it, with dots */
    uint32_t framework_row, function_row; /* row among the names, and among the functions in the
                                           * result */
    const char *framework, *function;     /* import name; canonical */
    enum pm_name_kind kind;
    enum pm_resolve_form form;
    enum pm_resolve_how how;
    const char *chain; /* what an inferred use follows from, "" for others */
};
typedef void pm_corpus_take(void *ctx, const struct pm_corpus_place *place);

/* A text that may contain uses; it comes before its uses. The texts of a project come first, then
 * its uses, in the order of the texts. */
struct pm_corpus_text {
    uint64_t number;   /* as `text` of the places in it */
    const char *input; /* as of a place */
    uint64_t record;
    uint32_t imported;          /* one bit per framework that the text itself imports */
    const unsigned char *bytes; /* valid during the call only */
    size_t length;
};
typedef void pm_corpus_see(void *ctx, const struct pm_corpus_text *text);

struct pm_corpus_options {
    /* Only what belongs to this part is read; count 0: all. A part has whole projects: files given,
     * folders without the checkouts, archives and files of JSON lines in them, and each of these,
     * by its path. A checkout comes with all that is in it. */
    struct pm_shard shard;
    /* The names as an index that was built before, which becomes the result's; NULL: it is built.
     */
    struct pm_resolve_index *index;
    unsigned threads; /* an input is read by one thread; 0 is 1 */
    bool every_file;  /* no import filter: the paper's rule for every file */
    /* By framework of the names: the authors in the copyright line of the framework's own sources,
     * which the paper's rule skips for this framework. A NULL entry skips none; so does NULL for
     * all. */
    const char *const *authors;
    pm_corpus_progress *progress;
    void *ctx;
    /* Gets every use by imports and by types (types/project.h), in an order that depends on the
     * inputs only, so that one thread does the work. The files of a repository or an archive are
     * one project; one of more than PM_CORPUS_MOST_PROJECT bytes in memory is cut in parts. NULL:
     * uses are only counted, and types are ignored. */
    pm_corpus_take *take;
    void *take_ctx;
    pm_corpus_see *see; /* gets each text of `take` first, with its ctx; NULL: texts are not kept */
    /* A file that the caller will replace, and the option that names it ("--uses"); NULL: none. If
     * an input is this file, the scan ends with PM_EUSAGE, before anything is lost. A file that is
     * ignored may be it, such as an older file of places in a scanned folder. */
    const char *kept, *kept_by;
};

/* One name of a flat list: the paper's rule. uses = resolved + possible_method + other. */
struct pm_corpus_name {
    const char *name;
    uint64_t uses, resolved, possible_method, other;
    uint64_t files, repositories; /* files and repositories with a use; a file without a known
                                     repository counts in no repository */
};

/* One function: the resolved rule, and what types add to it. */
struct pm_corpus_function {
    const char *name; /* canonical, or flat where there is a flat list only */
    enum pm_name_kind kind;
    uint64_t calls, references, rebound; /* rebound is a part of calls + references */
    uint64_t files, repositories;
    /* Uses found by imports, also through files of the project, and by the types of values. All
     * zero if types are not inferred. `instance_calls` and `possible` are not part of any other
     * count, and a file does not count for `possible`. */
    struct pm_corpus_inferred {
        uint64_t calls, references, files, repositories;
        uint64_t instance_calls; /* calls of instances of this class */
        uint64_t possible;       /* calls found by PM_RESOLVE_HOW_ONE_OF and NAME */
    } inferred;
};

/* A name that begins at the framework and is not in the table. */
struct pm_corpus_unlisted {
    char *name;
    uint64_t calls, files;
};
/* The most distinct names of a framework that a thread keeps. Of further names, only the calls are
 * counted. */
#define PM_CORPUS_MOST_UNLISTED 100000

/* Which repositories use the name of each row: pairs of both, each once, in no order. */
struct pm_corpus_repositories {
    uint64_t *digests; /* of the repository and the row */
    uint32_t *rows;
    size_t count;
};

struct pm_corpus_framework {
    const char *import_name;
    uint64_t paper_files;     /* files that the paper's rule looked at */
    uint64_t importing_files; /* files that import it, by the rule of imports */
    uint64_t unlisted; /* calls of chains that begin at the framework and are not in the table */
    struct pm_corpus_unlisted *unlisted_names; /* these names, in no order */
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
    uint64_t inputs;     /* files opened: shards, archives, Python files */
    uint64_t ignored;    /* files in folders that are none of these */
    uint64_t bytes_read; /* bytes as stored on disk */
    uint64_t bytes_unpacked;
    uint64_t files;      /* Python files: lines with content, members, files */
    uint64_t text_bytes; /* bytes of these texts; JSON with its escapes as written */
    uint64_t lexed_files;
    uint64_t lexed_bytes;
    uint64_t without_content; /* lines of JSON that have none */
    uint64_t damages;         /* found, listed or not */
};

struct pm_corpus_result {
    struct pm_corpus_totals totals;
    const struct pm_corpus_framework *frameworks;
    size_t framework_count;
    const struct pm_corpus_damage *damages; /* by input in the order of reading, then by offset */
    size_t damage_count;
    uint64_t projects;     /* of the shard; without one, all */
    uint64_t all_projects; /* of all shards */
    uint64_t all_inputs;   /* digest of the names and sizes of all projects; 0 without a shard */
};

/* Checks that all inputs can be read, before any is read. PM_ENOTFOUND if one does not exist;
 * PM_EIO if one is neither a file nor a folder nor a pipe of the shell's `<(command)`, or if
 * standard input is closed. */
PM_MUST_USE int pm_corpus_check(const char *const *paths, size_t count, struct pm_error *err);

/*
 * Scans all the inputs. The result depends on the inputs and the names, not on the number of
 * threads; *out is the caller's and borrows nothing. Fails as pm_corpus_check() does (before
 * anything is read), and if no framework was added; damage is not a failure. PM_ESTOPPED, at the
 * next block of an input, if the user stops the command.
 */
PM_MUST_USE int pm_corpus_scan(const char *const *paths, size_t count,
                               const struct pm_resolve_names *names,
                               const struct pm_corpus_options *options,
                               struct pm_corpus_result **out, struct pm_error *err);
void pm_corpus_result_free(struct pm_corpus_result *result); /* accepts NULL */

#endif
