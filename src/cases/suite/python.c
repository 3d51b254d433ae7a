/* Checks Python names in a case file, and substitutes variables such as `$dtype`. */
#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "suite/suite_private.h"

bool pm_suite__is_keyword(const char *text)
{
    static const char *const keywords[] = {
        "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
        "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
        "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
        "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(text, keywords[i]) == 0)
            return true;
    return false;
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool pm_suite__is_identifier(const char *text)
{
    if (!in_name(*text) || isdigit((unsigned char)*text))
        return false;
    for (const char *at = text; *at; at++)
        if (!in_name(*at))
            return false;
    return !pm_suite__is_keyword(text);
}

static const char *next_mention(const char *text, const char *variable)
{
    const size_t length = strlen(variable);
    const char *at = text;
    while ((at = strstr(at, variable)) && in_name(at[length]))
        at += length;
    return at;
}

bool pm_suite__mentions(const char *text, const char *variable)
{
    return text && next_mention(text, variable);
}

const char *pm_suite__substitute(struct pm_suite_private *own, const char *text,
                                 const char *variable, const char *value)
{
    if (!pm_suite__mentions(text, variable))
        return text;
    struct pm_str out = PM_STR_INIT;
    for (const char *at; (at = next_mention(text, variable)); text = at + strlen(variable)) {
        pm_str_add_bytes(&out, text, (size_t)(at - text));
        pm_str_add(&out, value);
    }
    pm_str_add(&out, text);
    return pm_suite__keep(own, pm_str_detach(&out));
}
