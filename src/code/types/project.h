/*
 * Uses that follow from the types of values, over the files of a project.
 *
 *     struct pm_types_project *project = pm_types_project_new(&index);
 *     pm_resolve_file_lex(&file, text, length);             // for file after file
 *     pm_resolve_file_imports(&file);
 *     pm_resolve_file_uses(&file);
 *     pm_types_project_add(project, "package/model.py", &file);
 *     ...
 *     pm_types_project_finish(project, take, ctx);        // take() gets the uses, then it is empty
 *     pm_types_project_free(project);
 *
 * One pass over a file turns its expressions into terms ("the call of attribute conv of an instance
 * of class Net"); one pass over the project says what the terms are. What is followed:
 *
 * - local variables in the order of the text, and what a block that may not run gives them;
 *   variables of the module with all that they are given;
 * - attributes of `self` and of classes, through bases, also of other files; properties, super();
 * - parameters: by annotations (Optional, Union, containers, in quotes), by what the project's
 * calls pass and by defaults; those of `forward`, `call` and `__call__` of a class that inherits
 * from a module of the framework are arrays if nothing else is known;
 * - what functions, methods and classes of the framework give, as the names say
 *   (pm_resolve_names_fact()), and what functions of the project return or yield;
 * - tuples, lists, dicts, comprehensions, loops, zip() and other functions of Python (builtins.c);
 *   what `x[key] = value` adds, if `x` is a list or dict; modules that hold modules;
 * - imports of the project's own files, relative or from any folder above the file, with stars;
 * - functions and modules that a framework compiles (torch.jit.script), which stay what they are: a
 *   call of them is one of the object that is called in their place;
 * - what the decorators of pytest (parametrize, fixture) and absl (parameters) give the parameters
 *   of tests and fixtures.
 *
 * What is not known is ignored: a value that is an array or something unknown counts as an array
 * when an attribute is looked up, because the program would fail otherwise; the call of such an
 * instance, or of a value that may be of several classes, is ONE_OF. So is the call of an object of
 * which only an annotation says the class: it may be of one that inherits from that. Where nothing
 * is known of a value, a method that only arrays or all modules of a framework have is found by its
 * NAME, if the file imports the framework, itself or by way of files of the project: ONE_OF if a
 * class of the project has a method or property of the name, or stores a value under it, or if the
 * file imports a class, by its name, from a package that is not read. The same value is then an
 * array wherever else the file looks something up on it; a shape never is. Methods that NumPy's
 * arrays have, too (`x.sum()`), are found by name in files that import no library with arrays of
 * its own. A method that only arrays and modules have (`x.cpu()`) is ONE_OF both. The same is done
 * with a value that lacks what is looked up on it, and must be something else: a container, or an
 * object of a class whose bases are all known. What a class of the project may inherit from a base
 * that is not known is ONE_OF, found in the same way; from a private class of the framework, also
 * what few of its classes have. What the call of a module gives that may be of any
 * class is an array by its NAME. A method of which a function's attribute is asked is
 * a property by some decorator. Where nothing is known of a value that no other package gave, a
 * method that at most PM_RESOLVE_FEW classes of a framework have, and no class of the project, is
 * ONE_OF theirs.
 *
 * ONE_OF, too, is a method of a framework's class where the project gives the name to objects that
 * are not known (`m.eval = f`, `setattr(m, "eval", f)`) or, on objects of its own class, gives it
 * something unknown; what an import gives a name that a parameter or an assignment has as well, if
 * nothing is known of those; what a class inherits, and an object has, where the class or its base
 * may be of another package instead (`tf_keras` or `tf.keras`); and a method of a parameter whose
 * annotation names a type of another package, or Any in a union.
 *
 * What a file has by a package that is part of a framework (`keras`) counts if a file of the
 * project imports the framework, or none names another framework that the package can run with.
 *
 * Nothing here fails, and any bytes are a file. Memory is what the terms of the files take until
 * the project is finished.
 */
#ifndef PM_TYPES_PROJECT_H
#define PM_TYPES_PROJECT_H

#include "base/vocabulary.h"
#include "resolve/file.h"

struct pm_types_place {
    uint32_t file;         /* in the order of adding, from 0 */
    uint32_t line, column; /* from 1; the column in bytes */
    const char *inside;    /* "Net.forward": classes and functions around it, "" at the top */
    uint32_t framework, function; /* framework and function as in a use of file.h */
    enum pm_resolve_form form;
    enum pm_resolve_how how;
    const char *chain; /* what an inferred use follows from, the nearest first: "item of x:
                        * parameter of Net.forward"; "" for others */
};

/* Called file by file, in the order of the text. */
typedef void pm_types_take(void *ctx, const struct pm_types_place *place);

struct pm_types_project;
struct pm_types_project *pm_types_project_new(const struct pm_resolve_index *index);
void pm_types_project_free(struct pm_types_project *project); /* accepts NULL */

/* Adds a file whose uses are known, if it has any; `path` is relative to the project's root, with
 * slashes. Nothing of `file` is kept. */
void pm_types_project_add(struct pm_types_project *project, const char *path,
                          const struct pm_resolve_file *file);
void pm_types_project_finish(struct pm_types_project *project, pm_types_take *take, void *ctx);

/* Returns about how many bytes the files added so far take. */
size_t pm_types_project_bytes(const struct pm_types_project *project);

#endif
