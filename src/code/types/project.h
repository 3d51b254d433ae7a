/*
 * Finds uses that follow from the types of values, over all files of a project.
 *
 *     struct pm_types_project *project = pm_types_project_new(&index);
 *     pm_resolve_file_lex(&file, text, length);             // for file after file
 *     pm_resolve_file_imports(&file);
 *     pm_resolve_file_uses(&file);
 *     pm_types_project_add(project, "package/model.py", &file);
 *     ...
 *     pm_types_project_finish(project, take, ctx);          // passes the uses to take()
 *     pm_types_project_free(project);
 *
 * One pass over a file turns its expressions into terms ("the call of attribute conv of an instance
 * of class Net"). One pass over the project finds the values of the terms. It follows:
 *
 * - local variables, in the order of the text; if a block may not run, a variable may have its
 *   value from the block or the one before it; variables of a module, with all values that are
 *   assigned to them;
 * - attributes of `self` and of classes, through bases, also of other files; properties, super();
 * - parameters: by annotations (Optional, Union, containers, in quotes), by the arguments of the
 *   project's calls, and by defaults; parameters of `forward`, `call` and `__call__` of a class
 *   that inherits from a module of the framework are arrays if nothing else is known;
 * - results of the framework's functions, methods and classes (pm_resolve_names_fact()), and what
 *   functions of the project return or yield;
 * - tuples, lists, dicts, comprehensions, loops, zip() and other functions of Python (builtins.c);
 *   values that `x[key] = value` adds to a list or dict; modules that contain modules;
 * - imports of the project's own files, relative or from any folder above the file, with stars;
 * - functions and modules that a framework compiles (torch.jit.script): they keep their values, and
 *   a call of one is a call of the object that the framework returns in its place;
 * - values that the decorators of pytest (parametrize, fixture) and absl (parameters) pass to the
 *   parameters of tests and fixtures.
 *
 * Unknown values are ignored. A value that is an array or something unknown counts as an array when
 * an attribute is looked up on it, because the program would fail otherwise. The call of such a
 * value, or of a value that may be of several classes, is ONE_OF. If only an annotation names the
 * class of an object, a call of the object is ONE_OF, because its class may be a subclass.
 *
 * If nothing is known of a value, its methods are found by NAME:
 *
 * - A method that only arrays or all modules of a framework have is found if the file imports the
 *   framework, directly or through files of the project. It is ONE_OF if a class of the project has
 *   a method or property with this name or stores a value under it, or if the file imports a class
 *   by its name from a package that is not read. The value is then an array in all look-ups of the
 *   file. A shape is never an array.
 * - Methods that NumPy's arrays also have (`x.sum()`) are found by name only in files that import
 *   no library with arrays of its own.
 * - A method that only arrays and modules have (`x.cpu()`) is ONE_OF both.
 * - A method that at most PM_RESOLVE_FEW classes of a framework have, and no class of the project,
 *   is ONE_OF these methods, unless another package returned the value.
 * - The same rules apply to a container, or an object of a class whose bases are all known, if it
 *   lacks the looked-up attribute: the value must then be something else.
 * - They also apply, with the result ONE_OF, to attributes that a class of the project may inherit
 *   from an unknown base. Methods that only a few classes have are then found only if the base is a
 *   private class of the framework.
 * - The result of calling a module of an unknown class is an array by NAME.
 *
 * If code looks up an attribute on a method, and functions have no such attribute, the method
 * counts as a property, because a decorator must have made it a property.
 *
 * These uses are ONE_OF too:
 *
 * - a method of a framework's class, if the project sets an attribute with its name on unknown
 *   objects (`m.eval = f`, `setattr(m, "eval", f)`), or sets it to something unknown on objects of
 *   its own class;
 * - what an import binds to a name, if a parameter or an assignment also binds the name and nothing
 *   is known of that value;
 * - an inherited attribute, if the class or its base may belong to another package instead
 *   (`tf_keras` or `tf.keras`);
 * - a method of a parameter whose annotation names a type of another package, or Any in a union.
 *
 * Uses through a package that is part of a framework (`keras`) count if a file of the project
 * imports the framework, or if no file names another framework with which the package can run.
 *
 * The room accepts any bytes, so it has no errors. All terms of a project are in memory until the
 * project is finished.
 */
#ifndef PM_TYPES_PROJECT_H
#define PM_TYPES_PROJECT_H

#include "base/vocabulary.h"
#include "resolve/file.h"

struct pm_types_place {
    uint32_t file;         /* number of the file in the order of adding, from 0 */
    uint32_t line, column; /* from 1; the column in bytes */
    const char *inside;    /* the classes and functions around it, "Net.forward"; "" at the top */
    uint32_t framework, function; /* as in struct pm_resolve_use; function: row + 1 */
    enum pm_resolve_form form;
    enum pm_resolve_how how;
    const char *chain; /* explains an inferred use, the nearest reason first: "item of x: parameter
                        * of Net.forward"; "" for other uses */
};

/* Called for the uses of one file after another, in the order of the text. The place and its
 * strings are valid during the call only. */
typedef void pm_types_take(void *ctx, const struct pm_types_place *place);

struct pm_types_project;
/* Makes a project without files, which borrows the index. */
struct pm_types_project *pm_types_project_new(const struct pm_resolve_index *index);
void pm_types_project_free(struct pm_types_project *project); /* accepts NULL */

/* Adds a file, for which pm_resolve_file_imports() has been called and, if it imports a framework
 * or a part of one, pm_resolve_file_uses(). `path` is relative to the project's root, with slashes;
 * NULL if there is none. The project keeps nothing of `file`. */
void pm_types_project_add(struct pm_types_project *project, const char *path,
                          const struct pm_resolve_file *file);
/* Passes the uses in all files to `take`, and removes the files from the project. Ends early if the
 * user stops the command. */
void pm_types_project_finish(struct pm_types_project *project, pm_types_take *take, void *ctx);

/* Returns approximately how many bytes of memory the added files take. */
size_t pm_types_project_bytes(const struct pm_types_project *project);

#endif
