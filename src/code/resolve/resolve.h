/*
 * The resolved rule: finds which functions of a framework a Python file uses, from the names that
 * its imports bind.
 *
 *     struct pm_resolve_index index;                    // once, from the names to find (names.h)
 *     pm_resolve_index_init(&index, names);
 *     struct pm_resolve_file file = {.index = &index};  // one per thread, reused for each file
 *     pm_resolve_file_lex(&file, text, length);
 *     pm_resolve_file_imports(&file);
 *     if (file.imported)                                // one bit per framework
 *         pm_resolve_file_uses(&file);                  // then read file.uses
 *     ...
 *     pm_resolve_file_release(&file);
 *     pm_resolve_index_release(&index);
 *
 * The rule ignores control flow, and ignores scopes except for defaults of parameters. A file has
 * one map from local names to dotted paths:
 *
 * - Every form of import adds to the map. Relative imports never lead to a framework. A name that
 *   several imports bind (try/except ImportError) leads to all of them. A star import binds the
 *   names that the table has.
 * - `NAME = chain` adds an alias. So does each name in `a = b = chain`, in `a, b = chain, chain`
 *   and in an assignment with an annotation. `a if x else b`, `a or b` and `a and b` add all their
 *   chains if each operand is a chain or a constant. Aliases of aliases are followed too.
 * - `def f(NAME=chain)` adds an alias within the function.
 * - A chain `a.b.c` that begins with a name of the map is looked up in the table. The longest part
 *   in the table is the function that is used. The use is a call if this part is the whole chain
 *   and `(` follows; otherwise it is a reference (decorator, argument, class base, ...). Calls
 *   inside f-strings count.
 * - If the file also binds a name in another way (an assignment, a parameter, a `def`), its uses
 *   count, and its local is marked as rebound. If an import of another package also binds the name,
 *   its local and those of its aliases are marked as foreign: the room `types` then decides what
 *   they mean.
 *
 * The import of a package that is part of a framework (`keras`) leads to its place there. It sets
 * `file.parts` and not `file.imported`. If only `file.parts` is set, the room `types` decides
 * whether uses count, because it knows what the other files of the project import.
 *
 * If a framework has only a flat list, a chain that begins at an import of it leads to its last
 * part that is in the list.
 *
 * The rule accepts any bytes, so it has no errors. The `function` of a use is the row of the
 * function in the index, plus 1.
 */
#ifndef PM_RESOLVE_RESOLVE_H
#define PM_RESOLVE_RESOLVE_H

#include "resolve/file.h"
#include "resolve/index.h"
#include "resolve/names.h"

#endif
