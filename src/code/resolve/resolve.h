/*
 * The resolved rule: which functions of a framework a Python file uses, by what its imports bind.
 *
 *     struct pm_resolve_index index;                    // once, from the names to find (names.h)
 *     pm_resolve_index_init(&index, names);
 *     struct pm_resolve_file file = {.index = &index};  // one a thread, for file after file
 *     pm_resolve_file_lex(&file, text, length);
 *     pm_resolve_file_imports(&file);
 *     if (file.imported)                                // one bit per framework
 *         pm_resolve_file_uses(&file);                  // then read file.uses
 *     ...
 *     pm_resolve_file_release(&file);
 *     pm_resolve_index_release(&index);
 *
 * The rule, without regard to flow, or to scope but for defaults. A file has one map from local
 * names to dotted paths:
 *
 * - Every form of import adds to it. Relative imports never lead to a framework. A name bound by
 *   several imports leads to all of them (try/except ImportError).
 * - `NAME = chain` adds to it, also chained, with an annotation, or one by one as a tuple; `a if x
 *   else b`, `a or b` and `a and b` add each of their chains where all parts are chains or
 *   constants. Such aliases are followed to a fixpoint. Star imports bind what the table has.
 * - `def f(NAME=chain)` adds to it within the function.
 * - A chain `a.b.c` that begins with such a name is made canonical through the table; the longest
 *   part that is in the table counts. It is a call if it is all of the chain and `(` follows, else
 *   a reference (decorator, argument, class base, ...). Calls inside f-strings count.
 * - A name that the file binds in another way too (an assignment, a parameter, a `def` of that
 *   name) counts, and its local is marked as rebound. If an import of another package binds it too,
 *   its local is marked as foreign, and so are those of its aliases: the room `types` then decides
 *   what they are.
 *
 * A package that is part of a framework (`keras`) leads to its place there. Such an import sets
 * `file.parts` and not `file.imported`: uses in a file that has only the former are for the room
 * `types`, which knows what the other files of the project import.
 *
 * For a framework with a flat list only, each chain that begins at an import of it leads to the
 * last of its parts that is in the list.
 *
 * Any bytes are a file: nothing here fails. A use's function is a row of the index + 1.
 */
#ifndef PM_RESOLVE_RESOLVE_H
#define PM_RESOLVE_RESOLVE_H

#include "resolve/file.h"
#include "resolve/index.h"
#include "resolve/names.h"

#endif
