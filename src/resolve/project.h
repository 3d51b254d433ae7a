/*
 * Uses that follow from the types of values, over the files of a project.
 *
 *     struct pm_resolve_project *project = pm_resolve_project_new(&index);
 *     pm_resolve_file_lex(&file, text, length);             // for file after file
 *     pm_resolve_file_imports(&file);
 *     pm_resolve_file_uses(&file);
 *     pm_resolve_project_add(project, "package/model.py", &file);
 *     ...
 *     pm_resolve_project_finish(project, take, ctx);        // take() gets the uses, then it is empty
 *     pm_resolve_project_free(project);
 *
 * One pass over a file turns its expressions into terms ("the call of attribute conv of an instance
 * of class Net"); one pass over the project says what the terms are. What is followed:
 *
 * - local variables in the order of the text; variables of the module as they are at its end;
 * - attributes of `self` and of classes, through bases, also of other files;
 * - parameters with annotations, and those of `forward`, `call` and `__call__` of a class that
 *   inherits from a module of the framework: arrays;
 * - what functions, methods and classes of the framework give, as the names say
 *   (pm_resolve_names_fact()), and what functions of the project return;
 * - imports of the project's own files, relative or from any folder above the file, with stars.
 *
 * A value that is not always of one known type, but for None, is of none. Nothing here fails, and
 * any bytes are a file. Memory is what the terms of the files take until the project is finished.
 */
#ifndef PM_RESOLVE_PROJECT_H
#define PM_RESOLVE_PROJECT_H

#include "base/words.h"
#include "resolve/file.h"

/* How a use was found. */
#define PM_RESOLVE_HOWS(X, P)                                                                     \
    X(P, IMPORT, "import")     /* by an import of the framework, or of a file that imports it */   \
    X(P, INFERRED, "inferred") /* by the type of a value */                                        \
    X(P, ONE_OF, "one of")     /* of several that the types of a value allow: each is handed on */    \
    X(P, NAME, "by name")      /* by a method's name that only the framework's arrays or modules have */
PM_WORDS(resolve_how, PM_RESOLVE_HOWS, PM_RESOLVE_HOW);

#define PM_RESOLVE_FORMS(X, P)                                                                    \
    X(P, CALL, "call")                                                                            \
    X(P, REFERENCE, "reference")                                                                  \
    X(P, INSTANCE, "instance call") /* of an instance of the class that is named */
PM_WORDS(resolve_form, PM_RESOLVE_FORMS, PM_RESOLVE_FORM);

struct pm_resolve_place {
    uint32_t file;          /* in the order of adding, from 0 */
    uint32_t line, column;  /* from 1; the column in bytes */
    const char *inside;     /* "Net.forward": classes and functions around it, "" at the top */
    uint32_t framework, function; /* as of a use of file.h */
    enum pm_resolve_form form;
    enum pm_resolve_how how;
    const char *chain; /* what an inferred use follows from, "" for others */
};

/* Called file by file, in the order of the text. */
typedef void pm_resolve_take(void *ctx, const struct pm_resolve_place *place);

struct pm_resolve_project;
struct pm_resolve_project *pm_resolve_project_new(const struct pm_resolve_index *index);
void pm_resolve_project_free(struct pm_resolve_project *project); /* accepts NULL */

/* Adds a file whose uses are known, if it has any; `path` is relative to the project's root, with
 * slashes. Nothing of `file` is kept. */
void pm_resolve_project_add(struct pm_resolve_project *project, const char *path,
                            const struct pm_resolve_file *file);
void pm_resolve_project_finish(struct pm_resolve_project *project, pm_resolve_take *take,
                               void *ctx);

/* Bytes that the files added so far take, about. */
size_t pm_resolve_project_bytes(const struct pm_resolve_project *project);

#endif
