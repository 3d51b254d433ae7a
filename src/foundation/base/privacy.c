/* Replaces the names of users and hosts in texts. */
#include "base/privacy.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/user.h"

extern const char pm_base__common_words[]; /* common_words.txt, which the build converts to C */

enum { MOST = 4 * PM_PRIVACY_NAMES, SHORTEST = 3 };

struct name {
    char *text;
    size_t length;
};

/* Names in the order of their lengths, the longest first. */
struct names {
    struct name items[MOST];
    size_t count;
};

struct pm_privacy {
    struct names homes;   /* without a slash at their end */
    struct names parents; /* folders that contain homes, with a slash at their end */
    struct names users, hosts;
};

struct reading {
    const struct pm_privacy *privacy;
    const char *text, *end;
    const char *copied; /* the text before this was already replaced or copied */
};

/* A name in a text. The first `kept` of its `length` bytes stay, and `with` replaces the others. */
struct match {
    size_t length, kept; /* length 0: there is none */
    const char *with;
};

/* ---- characters ----------------------------------------------------------------------------- */

/* Returns whether a character is a quote, dash or space outside ASCII: U+0080 to U+00BF, U+2000 to
 * U+207F, U+3000 to U+303F. */
static bool is_punctuation(const unsigned char *at, const unsigned char *end)
{
    if (at[0] == 0xC2)
        return true;
    if (end - at < 3)
        return false;
    return (at[0] == 0xE2 && (at[1] == 0x80 || at[1] == 0x81)) || (at[0] == 0xE3 && at[1] == 0x80);
}

/* Returns whether a letter or digit begins at `at`. */
static bool is_letter(const struct reading *r, const char *at)
{
    const unsigned char *byte = (const unsigned char *)at;
    if (at < r->text || at >= r->end)
        return false;
    return *byte < 0x80 ? isalnum(*byte) != 0
                        : !is_punctuation(byte, (const unsigned char *)r->end);
}

/* Returns the beginning of the character that ends in front of `at`. */
static const char *before(const struct reading *r, const char *at)
{
    const char *start = at - 1;
    while (start > r->text && at - start < 4 && ((unsigned char)*start & 0xC0) == 0x80)
        start--;
    return start;
}

/* Returns whether the letter in front of `at` ends an escape sequence: a quoted one such as "\n",
 * or a colour. */
static bool follows_escape(const struct reading *r, const char *at)
{
    const char *start = at - 2;
    if (start < r->text)
        return false;
    if (*start == '\\')
        return strchr("abfnrtv", at[-1]) != NULL;
    while (start > r->text && (isdigit((unsigned char)*start) || *start == ';'))
        start--;
    return *start == '[' && start > r->text && start[-1] == '\033';
}

static bool word_begins(const struct reading *r, const char *at)
{
    return at == r->text || !is_letter(r, before(r, at)) || follows_escape(r, at);
}

/* Returns whether a path can begin at `at`: nothing in front of it belongs to a path. */
static bool path_begins(const struct reading *r, const char *at)
{
    return word_begins(r, at) && (at == r->text || !strchr("._-~", at[-1]));
}

/* ---- home folders --------------------------------------------------------------------------- */

static bool has(const struct reading *r, const char *at, const struct name *name)
{
    return (size_t)(r->end - at) >= name->length && !memcmp(at, name->text, name->length);
}

/* Returns the length of the name of a folder from `at` on: all characters but those that usually
 * end a path in a message. */
static size_t folder_length(const struct reading *r, const char *at)
{
    const char *end = at;
    while (end < r->end && (unsigned char)*end > ' ' && *end != 0x7f &&
           !strchr("/\\'\"`()[]{}<>,;:|&*?!=", *end) &&
           !((unsigned char)*end >= 0xC0 && !is_letter(r, end)))
        end++;
    while (end > at && end[-1] == '.')
        end--;
    return (size_t)(end - at);
}

/* Returns how many parts a path has: 2 for "/srv/alice". */
static size_t depth_of(const struct name *folder)
{
    size_t depth = 0;
    for (size_t i = 0; i < folder->length; i++)
        depth += folder->text[i] == '/';
    return depth;
}

/* Finds a known home. After other characters, as in "-I/srv/alice", a home is recognised only if it
 * has at least two parts: one part alone may be the end of another path. */
static struct match find_known_home(const struct reading *r, const char *at, bool begins)
{
    for (size_t i = 0; i < r->privacy->homes.count; i++) {
        const struct name *home = &r->privacy->homes.items[i];
        if (has(r, at, home) && !folder_length(r, at + home->length) &&
            (begins || depth_of(home) > 1))
            return (struct match){home->length, 0, begins ? "~" : "/home/user"};
    }
    return (struct match){0};
}

static struct match find_folder_of_homes(const struct reading *r, const char *at, bool begins)
{
    for (size_t i = 0; i < r->privacy->parents.count; i++) {
        const struct name *parent = &r->privacy->parents.items[i];
        const size_t name = has(r, at, parent) ? folder_length(r, at + parent->length) : 0;
        if (name && at[parent->length] == '~') /* the name was already replaced */
            continue;
        if (name && begins)
            return (struct match){parent->length + name, 0, "~"};
        if (name)
            return (struct match){parent->length + name, parent->length, "user"};
    }
    return (struct match){0};
}

/* Returns whether a Windows drive such as "C:" is in front of `at` and is not part of a replaced
 * name. */
static bool follows_drive(const struct reading *r, const char *at)
{
    const char *const drive = at - 2;
    return at - r->copied >= 2 && at[-1] == ':' && isalpha((unsigned char)*drive) &&
           (drive == r->text || strchr(" \t\n'\"`()[]{}<>,;=|/", drive[-1]));
}

/* Works like folder_length(), but stops at a '~' that represents a home. A '~' before a digit does
 * not, as in the short name "ALICES~1". */
static size_t short_name_length(const struct reading *r, const char *at)
{
    const size_t length = folder_length(r, at);
    for (size_t i = 0; i < length; i++)
        if (at[i] == '~' && (i + 1 == length || !isdigit((unsigned char)at[i + 1])))
            return i;
    return length;
}

/* Returns the length of a name on Windows. It may contain spaces if a separator follows it: "Alice
 * Smith\\". */
static size_t windows_name_length(const struct reading *r, const char *at)
{
    const size_t first = short_name_length(r, at);
    const char *end = at + first;
    while (first && end < r->end && *end == ' ') {
        const size_t more = short_name_length(r, end + 1);
        if (!more)
            break;
        end += 1 + more;
    }
    return end < r->end && strchr("\\/", *end) ? (size_t)(end - at) : first;
}

/* Finds a home such as "\\Users\\alice", also with each backslash doubled, as quoted texts show
 * it. */
static struct match find_windows_home(const struct reading *r, const char *at)
{
    static const char users[] = "users";
    const char *end = at;
    while (end < r->end && *end == '\\')
        end++;
    if ((size_t)(r->end - end) < sizeof users || strncasecmp(end, users, sizeof users - 1) != 0)
        return (struct match){0};
    const char *name = end += sizeof users - 1;
    while (name < r->end && (*name == '\\' || *name == '/'))
        name++;
    const size_t length = name > end ? windows_name_length(r, name) : 0;
    return length ? (struct match){(size_t)(name - at) + length, (size_t)(name - at), "user"}
                  : (struct match){0};
}

static struct match find_home(const struct reading *r, const char *at)
{
    static char root_text[] = "/root";
    static const struct name root = {root_text, sizeof root_text - 1};
    const bool begins = path_begins(r, at);
    struct match found = find_known_home(r, at, begins);
    if (!found.length)
        found = find_folder_of_homes(r, at, begins && !follows_drive(r, at));
    if (!found.length && begins && has(r, at, &root) && !folder_length(r, at + root.length))
        found = (struct match){root.length, 0, "~"};
    return found;
}

/* ---- words ---------------------------------------------------------------------------------- */

/* Returns the length of a domain such as ".example.org" at `at`; 0 if there is none. */
static size_t domain_length(const struct reading *r, const char *at)
{
    const char *end = at;
    while (end < r->end && *end == '.' && is_letter(r, end + 1))
        for (end++; end < r->end && (isalnum((unsigned char)*end) || *end == '-');)
            end++;
    return (size_t)(end - at);
}

static struct match find_host(const struct reading *r, const char *at)
{
    for (size_t i = 0; i < r->privacy->hosts.count; i++) {
        const struct name *host = &r->privacy->hosts.items[i];
        const char *end = at + host->length;
        if ((size_t)(r->end - at) >= host->length && !strncasecmp(at, host->text, host->length) &&
            !is_letter(r, end))
            return (struct match){host->length + domain_length(r, end), 0, "host"};
    }
    return (struct match){0};
}

/* Returns whether a separator of a path precedes `at` without a space, quote, bracket, comma,
 * semicolon or bar in between. */
static bool is_in_path(const struct reading *r, const char *at)
{
    while (at > r->text && (unsigned char)at[-1] > ' ' && !strchr("'\"`()[]{}<>,;|", at[-1]))
        if (strchr("/\\", *--at))
            return true;
    return false;
}

/* Returns whether the name of a user is at `at`. In a path, its case is ignored, because a file
 * system that ignores case may show the name in other letters. */
static bool has_user(const struct reading *r, const char *at, const struct name *user)
{
    return (size_t)(r->end - at) >= user->length && !strncasecmp(at, user->text, user->length) &&
           (has(r, at, user) || is_in_path(r, at));
}

static struct match find_user(const struct reading *r, const char *at)
{
    for (size_t i = 0; i < r->privacy->users.count; i++) {
        const struct name *user = &r->privacy->users.items[i];
        if (has_user(r, at, user) && !is_letter(r, at + user->length))
            return (struct match){user->length, 0, "user"};
    }
    return (struct match){0};
}

/* Finds a name to hide at the beginning of a word. The name of a host may contain the name of its
 * user, as in "alice-laptop": the longer name counts. */
static struct match find_word(const struct reading *r, const char *at)
{
    const struct match host = find_host(r, at), user = find_user(r, at);
    const struct match found = user.length > host.length ? user : host;
    return found.length && word_begins(r, at) ? found : (struct match){0};
}

/* ---- texts ---------------------------------------------------------------------------------- */

bool pm_privacy_hide(const struct pm_privacy *privacy, const char *text, size_t length,
                     struct pm_str *out)
{
    struct reading r = {.privacy = privacy, .text = text, .end = text + length, .copied = text};
    for (const char *at = text; at < r.end;) {
        struct match found = *at == '/'    ? find_home(&r, at)
                             : *at == '\\' ? find_windows_home(&r, at)
                                           : find_word(&r, at);
        if (found.length) {
            pm_str_add_bytes(out, r.copied, (size_t)(at + found.kept - r.copied));
            pm_str_add(out, found.with);
            r.copied = at + found.length;
        }
        at += found.length ? found.length : 1;
    }
    if (r.copied == text)
        return false;
    pm_str_add_bytes(out, r.copied, (size_t)(r.end - r.copied));
    return true;
}

char *pm_privacy_hidden(const char *text)
{
    struct pm_str out = PM_STR_INIT;
    return pm_privacy_hide(pm_privacy_here(), text, strlen(text), &out) ? pm_str_detach(&out)
                                                                        : pm_strdup(text);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* Returns the position after the closing quote of the string that begins at `at`. */
static const char *string_end(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\')
            at++;
    return at < end ? at + 1 : end;
}

/* Returns whether the string that ends at `at` is the name of a member. */
static bool is_member(const char *at, const char *end)
{
    while (at < end && strchr(" \t\r\n", *at))
        at++;
    return at < end && *at == ':';
}

/* Replaces the names in a JSON string and adds the result, with its quotes, to `out`. Returns
 * false, and adds nothing, if the string contains no name. */
static bool hide_in_string(const struct pm_privacy *privacy, const char *at, size_t length,
                           struct pm_str *out)
{
    struct pm_str hidden = PM_STR_INIT;
    json_t *value = json_loadb(at, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    const bool changed =
        json_is_string(value) &&
        pm_privacy_hide(privacy, json_string_value(value), json_string_length(value), &hidden);
    json_decref(value);
    if (changed) {
        value = json_stringn(hidden.data, hidden.length);
        char *text = pm_json_text(value);
        pm_str_add(out, text);
        free(text);
        json_decref(value);
    }
    pm_str_release(&hidden);
    return changed;
}

bool pm_privacy_hide_json(const struct pm_privacy *privacy, const char *text, size_t length,
                          struct pm_str *out)
{
    const char *const end = text + length, *copied = text;
    struct pm_str hidden = PM_STR_INIT;
    for (const char *at = text; (at = memchr(at, '"', (size_t)(end - at)));) {
        const char *const after = string_end(at, end);
        pm_str_clear(&hidden);
        if (!is_member(after, end) && hide_in_string(privacy, at, (size_t)(after - at), &hidden)) {
            pm_str_add_bytes(out, copied, (size_t)(at - copied));
            pm_str_add_bytes(out, hidden.data, hidden.length);
            copied = after;
        }
        at = after;
    }
    pm_str_release(&hidden);
    if (copied == text)
        return false;
    pm_str_add_bytes(out, copied, (size_t)(end - copied));
    return true;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Returns whether a name identifies no person or machine: it is too short, it is a number, or it is
 * a common word, with or without digits at its end. */
static bool is_common(const char *name, size_t length)
{
    size_t characters = 0;
    for (size_t i = 0; i < length; i++)
        characters += ((unsigned char)name[i] & 0xC0) != 0x80;
    while (length && isdigit((unsigned char)name[length - 1]))
        length--;
    if (characters < SHORTEST || !length)
        return true;
    char *line = pm_format("\n%.*s\n", (int)length, name);
    for (char *at = line; *at; at++)
        *at = (char)tolower((unsigned char)*at);
    const bool common =
        strstr(pm_base__common_words, line) || pm_starts_with(pm_base__common_words, line + 1);
    free(line);
    return common;
}

static void add_name(struct names *names, const char *text, size_t length)
{
    size_t at = 0;
    while (at < names->count && names->items[at].length > length)
        at++;
    for (size_t i = at; i < names->count && names->items[i].length == length; i++)
        if (!memcmp(names->items[i].text, text, length))
            return;
    if (names->count == MOST)
        PM_BUG("a machine has more names than the list can hold");
    memmove(&names->items[at + 1], &names->items[at], (names->count - at) * sizeof *names->items);
    names->items[at] = (struct name){pm_strndup(text, length), length};
    names->count++;
}

static void add_user(struct pm_privacy *privacy, const char *name)
{
    if (!is_common(name, strlen(name)))
        add_name(&privacy->users, name, strlen(name));
}

/* Adds the name of a host, such as "turing7.example.org", unless all its parts are common words,
 * and its first part, such as "turing7", unless that is a common word. */
static void add_host(struct pm_privacy *privacy, const char *name)
{
    const size_t length = strlen(name), first = strcspn(name, ".");
    bool common = true;
    if (!is_common(name, first))
        add_name(&privacy->hosts, name, first);
    for (const char *part = name; *part; part += strspn(part, ".")) {
        const size_t part_length = strcspn(part, ".");
        common &= is_common(part, part_length);
        part += part_length;
    }
    if (!common)
        add_name(&privacy->hosts, name, length);
}

/* Returns whether a folder of this name usually contains homes. */
static bool is_for_homes(const char *name, size_t length)
{
    static const char *const names[] = {"home", "homes", "users", "Users"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && !memcmp(names[i], name, length))
            return true;
    return false;
}

/* Returns the length of a path without its last part and the slash in front of it. */
static size_t parent_length(const char *path, size_t length)
{
    while (length && path[length - 1] != '/')
        length--;
    return length ? length - 1 : 0;
}

/* Adds a home and, in "/home/alice" or "/home/physics/alice", the last part of its path as the name
 * of a user and the folder above as a folder of homes. */
static void add_home(struct pm_privacy *privacy, const char *path)
{
    size_t length = strlen(path);
    while (length && path[length - 1] == '/')
        length--;
    if (*path != '/' || !length)
        return;
    add_name(&privacy->homes, path, length);
    const size_t parent = parent_length(path, length), above = parent_length(path, parent);
    const size_t highest = parent_length(path, above);
    const bool directly = parent && is_for_homes(path + above + 1, parent - above - 1);
    const bool below = above && is_for_homes(path + highest + 1, above - highest - 1);
    if (!directly && !below)
        return;
    char *name = pm_strndup(path + parent + 1, length - parent - 1);
    add_user(privacy, name);
    add_name(&privacy->parents, path, parent + 1);
    free(name);
}

struct pm_privacy *pm_privacy_new(const struct pm_privacy_names *names)
{
    struct pm_privacy *privacy = pm_alloc(sizeof *privacy);
    *privacy = (struct pm_privacy){0};
    add_name(&privacy->parents, "/home/", 6);
    add_name(&privacy->parents, "/Users/", 7);
    for (size_t i = 0; names->homes[i]; i++)
        add_home(privacy, names->homes[i]);
    for (size_t i = 0; names->users[i]; i++)
        add_user(privacy, names->users[i]);
    for (size_t i = 0; names->hosts[i]; i++)
        add_host(privacy, names->hosts[i]);
    return privacy;
}

void pm_privacy_free(struct pm_privacy *privacy)
{
    if (!privacy)
        return;
    struct names *const lists[] = {&privacy->homes, &privacy->parents, &privacy->users,
                                   &privacy->hosts};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (size_t i = 0; i < lists[k]->count; i++)
            free(lists[k]->items[i].text);
    free(privacy);
}

/* ---- this process --------------------------------------------------------------------------- */

static const char *environment_name(const char *variable)
{
    const char *value = getenv(variable);
    return value ? value : "";
}

static struct pm_privacy *read_names(void)
{
    char host[256] = "", home[PATH_MAX] = "", other[PATH_MAX] = "";
    struct pm_user user;
    const bool known = pm_user_here(&user);
    const char *own = environment_name("HOME"), *listed = known ? user.home : "";
    if (gethostname(host, sizeof host - 1))
        *host = '\0';
    if (!realpath(own, home))
        *home = '\0';
    if (!realpath(listed, other))
        *other = '\0';
    struct pm_privacy *privacy = pm_privacy_new(
        &(struct pm_privacy_names){.homes = {own, home, listed, other},
                                   .users = {environment_name("USER"), environment_name("LOGNAME"),
                                             environment_name("SUDO_USER"), known ? user.name : ""},
                                   .hosts = {host}});
    pm_user_release(&user);
    return privacy;
}

const struct pm_privacy *pm_privacy_here(void)
{
    static struct pm_privacy *here;
    if (!here)
        here = read_names();
    return here;
}

char *pm_privacy_db_option(const char *db)
{
    if (!strcmp(db, PM_PATH_DB))
        return pm_strdup("");
    char *shown = pm_privacy_hidden(db);
    char *option = pm_format(" --db %s", shown);
    free(shown);
    return option;
}
