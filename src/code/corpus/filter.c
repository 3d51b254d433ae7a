/* Finds which frameworks a file may import, from its bytes. */
#include "corpus/filter.h"

#include <string.h>

#define ESCAPE "\\u00" /* the beginning of the escape of an ASCII or Latin-1 character */

void pm_corpus__filter_init(struct pm_corpus__filter *filter,
                            const struct pm_corpus__kernels *kernels, const char *const *frameworks,
                            unsigned count)
{
    *filter = (struct pm_corpus__filter){.kernels = kernels, .count = count};
    for (unsigned i = 0; i < count; i++)
        pm_corpus__finder_add(&filter->text, frameworks[i], i);
    filter->json = filter->text;
    pm_corpus__finder_add(&filter->json, ESCAPE, count);
}

void pm_corpus__filter_add_authors(struct pm_corpus__filter *filter, unsigned framework,
                                   const char *authors)
{
    pm_corpus__finder_add(&filter->authors, authors, framework);
    filter->authored |= (uint32_t)1 << framework;
}

/* The line at the current position of a search. Nearly every byte is examined only once. */
struct line {
    const unsigned char *text, *begin; /* beginning of the file, and of the line */
    const unsigned char *looked;       /* `paper` and `joined` are known up to here */
    bool json;
    bool paper, joined; /* paper: `from` or `import` is in this line; joined: in this line or in a
                         * line that is joined before it */
};

/* Returns the number of backslashes before `at`. */
static size_t backslashes_before(const struct line *line, const unsigned char *at)
{
    const unsigned char *from = at;
    while (at > line->text && at[-1] == '\\')
        at--;
    return (size_t)(from - at);
}

/* Returns whether the byte at `at` belongs to a JSON escape, such as the n of `\n`. */
static bool is_escaped(const struct line *line, const unsigned char *at)
{
    return line->json && (pm_corpus__simple_escapes[*at] || *at == 'u') &&
           backslashes_before(line, at) % 2 == 1;
}

/* Returns the length of the line end right before `at` (LF, or in JSON `\n`), or 0. */
static size_t line_end_before(const struct line *line, const unsigned char *at)
{
    if (at == line->text)
        return 0;
    if (!line->json)
        return at[-1] == '\n';
    return at[-1] == 'n' && is_escaped(line, at - 1) ? 2 : 0;
}

/* Returns whether the line end before `at` follows a backslash, which joins the two lines. */
static bool is_joined(const struct line *line, const unsigned char *at)
{
    const size_t carriage_return = line->json ? 2 : 1;
    at -= line_end_before(line, at);
    if ((size_t)(at - line->text) > carriage_return &&
        memcmp(at - carriage_return, line->json ? "\\r" : "\r", carriage_return) == 0)
        at -= carriage_return;
    return backslashes_before(line, at) >= (line->json ? 2 : 1);
}

/* Returns the beginning of the line that contains `at`, or `floor` if the line begins before it. */
static const unsigned char *line_begin(const struct line *line, const unsigned char *at,
                                       const unsigned char *floor)
{
    while (at > floor && line_end_before(line, at) == 0)
        at--;
    return at;
}

static bool has_keyword(const struct line *line, const unsigned char *at, const unsigned char *end)
{
    if (memmem(at, (size_t)(end - at), "import", 6))
        return true;
    while ((at = memmem(at, (size_t)(end - at), "from", 4)) != NULL) {
        if (!is_escaped(line, at))
            return true;
        at++;
    }
    return false;
}

/* Returns whether a keyword is in one of the lines that are joined before the line at `at`. */
static bool joined_before(const struct line *line, const unsigned char *at,
                          const unsigned char *floor)
{
    while (is_joined(line, at)) {
        const unsigned char *end = at - line_end_before(line, at);
        at = line_begin(line, end, floor);
        if (has_keyword(line, at, end))
            return true;
        if (at == floor)
            return line->joined;
    }
    return false;
}

/* Updates the line for a match at `place`, from the bytes that were not examined yet. */
static void look_back(struct line *line, const unsigned char *place)
{
    const unsigned char *floor = line->looked;
    const unsigned char *begin = line_begin(line, place, floor);
    if (begin == floor) {
        const size_t straddling = sizeof "import" - 2, behind = (size_t)(floor - line->begin);
        begin = floor - (behind < straddling ? behind : straddling);
        line->paper |= has_keyword(line, begin, place);
        line->joined |= line->paper;
    } else {
        line->paper = has_keyword(line, begin, place);
        line->joined = line->paper || joined_before(line, begin, floor);
        line->begin = begin;
    }
    line->looked = place;
}

static struct pm_corpus__importing look(const struct pm_corpus__filter *filter,
                                        struct pm_corpus__finder texts, const unsigned char *at,
                                        const unsigned char *end, bool json)
{
    struct pm_corpus__importing found = {0};
    struct line line = {.text = at, .begin = at, .looked = at, .json = json};
    unsigned left = filter->count, which = 0;
    while (left > 0 && (at = filter->kernels->find(&texts, at, end, &which)) != NULL) {
        const unsigned id = texts.texts[which].id;
        if (id == filter->count) {
            found.unknown |= end - at > 4 && at[4] >= '0' && at[4] <= '7' &&
                             backslashes_before(&line, at) % 2 == 0;
        } else if (!is_escaped(&line, at)) {
            look_back(&line, at);
            found.paper |= (uint32_t)line.paper << id;
            found.joined |= (uint32_t)line.joined << id;
            if (line.paper) { /* this framework needs no further search */
                texts.texts[which] = texts.texts[--texts.count];
                left--;
            }
        }
        at++;
    }
    return found;
}

struct pm_corpus__importing pm_corpus__filter_json(const struct pm_corpus__filter *filter,
                                                   const unsigned char *at,
                                                   const unsigned char *end)
{
    return look(filter, filter->json, at, end, true);
}

struct pm_corpus__importing pm_corpus__filter_text(const struct pm_corpus__filter *filter,
                                                   const unsigned char *at,
                                                   const unsigned char *end)
{
    return look(filter, filter->text, at, end, false);
}

/* Returns whether "Copyright 20", two bytes that are not line ends, and a blank come before the
 * authors at `at`. */
static bool is_copyright(const unsigned char *text, const unsigned char *at)
{
    static const char copyright[] = "Copyright 20";
    const size_t length = sizeof copyright - 1, before = length + sizeof "YY " - 1;
    return (size_t)(at - text) >= before && memcmp(at - before, copyright, length) == 0 &&
           at[-1] == ' ' && at[-2] != '\n' && at[-3] != '\n';
}

uint32_t pm_corpus__own_source(const struct pm_corpus__filter *filter, const unsigned char *text,
                               size_t length)
{
    const unsigned char *at = text, *end = text + length;
    uint32_t found = 0;
    unsigned which;
    while (found != filter->authored &&
           (at = filter->kernels->find(&filter->authors, at, end, &which)) != NULL) {
        if (is_copyright(text, at))
            found |= (uint32_t)1 << filter->authors.texts[which].id;
        at++;
    }
    return found;
}
