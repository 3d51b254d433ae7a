/* Reads the text of an input's specification. */
#include <ctype.h>
#include <string.h>

#include "array/array_private.h"
#include "base/plural.h"
#include "base/str.h"

static const char *skip_spaces(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* Copies the longest run of the given characters at *at into `word`, cut to 63 characters, and
 * moves *at to the end of the run. */
static void take_word(const char **at, const char *characters, char word[static 64])
{
    const size_t length = strspn(*at, characters), kept = length < 63 ? length : 63;
    memcpy(word, *at, kept);
    word[kept] = '\0';
    *at += length;
}

#define FORMS ": docs/cases.md lists the forms of an input"

static int expected(const char *what, const char *at, struct pm_error *err)
{
    if (*at)
        return pm_error_set(err, PM_EFORMAT, "expected %s at '%.40s'" FORMS, what, at);
    return pm_error_set(err, PM_EFORMAT, "expected %s at the end" FORMS, what);
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$"
#define DIGITS  "0123456789"

static int parse_dtype(const char **at, struct pm_input_spec *out, struct pm_error *err)
{
    char word[64];
    *at = skip_spaces(*at);
    take_word(at, LETTERS DIGITS, word);
    if (!*word)
        return expected("a dtype", *at, err);
    return pm_dtype_parse(word, &out->dtype)
               ? PM_OK
               : pm_error_set(err, PM_EFORMAT, "unknown dtype '%s': docs/cases.md lists the dtypes",
                              word);
}

static int parse_size(const char **at, struct pm_shape *shape, struct pm_error *err)
{
    char word[64];
    long long size;
    *at = skip_spaces(*at);
    const char *start = *at;
    take_word(at, DIGITS, word);
    if (!pm_parse_int(word, &size))
        return expected("a size", start, err);
    if (shape->dims == PM_MAX_DIMS)
        return pm_error_set(err, PM_EFORMAT, "the shape has more than %d dimensions: use fewer",
                            PM_MAX_DIMS);
    shape->size[shape->dims++] = size;
    *at = skip_spaces(*at);
    return PM_OK;
}

int pm_array__take_shape(const char **at, struct pm_shape *shape, struct pm_error *err)
{
    *shape = (struct pm_shape){0};
    *at = skip_spaces(*at);
    if (**at != '[')
        return expected("a shape in []", *at, err);
    *at = skip_spaces(*at + 1);
    if (**at == ']') {
        ++*at;
        return PM_OK;
    }
    for (;;) {
        PM_TRY(parse_size(at, shape, err));
        const char end = **at;
        if (end != ',' && end != ']')
            return expected("',' or ']'", *at, err);
        ++*at;
        if (end == ']')
            return PM_OK;
    }
}

static int parse_distribution(const char **at, struct pm_input_spec *out, struct pm_error *err)
{
    char word[64];
    *at = skip_spaces(*at);
    take_word(at, LETTERS DIGITS, word);
    if (!*word)
        return expected("a distribution", *at, err);
    for (unsigned i = 0; i < PM_DISTRIBUTION_COUNT; i++) {
        if (strcmp(word, pm_array__distribution_name((enum pm_distribution)i)) == 0) {
            out->distribution = (enum pm_distribution)i;
            return PM_OK;
        }
    }
    return pm_error_set(err, PM_EFORMAT,
                        "unknown distribution '%s': docs/cases.md lists the distributions", word);
}

static int parse_number(const char **at, double *out, struct pm_error *err)
{
    char word[64];
    *at = skip_spaces(*at);
    const char *start = *at;
    take_word(at, LETTERS DIGITS "+-.", word);
    if ((size_t)(*at - start) >= sizeof word) /* the word was cut and is a different number */
        return expected("a shorter number", start, err);
    *at = skip_spaces(*at);
    if (strcmp(word, "nan") == 0)
        *out = (double)__builtin_nanf("");
    else if (strcmp(word, "inf") == 0)
        *out = (double)__builtin_inff();
    else if (strcmp(word, "-inf") == 0)
        *out = -(double)__builtin_inff();
    else if (!pm_parse_double(word, out))
        return expected("a number", start, err);
    return PM_OK;
}

static int parse_arguments(const char **at, struct pm_input_spec *out, struct pm_error *err)
{
    static const struct {
        unsigned least, most;
    } allowed[] = {
#define X(id, name, least, most) [PM_##id] = {least, most},
        PM_DISTRIBUTIONS(X)
#undef X
    };
    const unsigned least = allowed[out->distribution].least, most = allowed[out->distribution].most;
    const char *name = pm_array__distribution_name(out->distribution);
    unsigned count = 0;
    *at = skip_spaces(*at);
    char end = **at == '(' ? ',' : ')';
    for (; end == ','; count++) {
        ++*at;
        if (count == most)
            return pm_error_set(err, PM_EFORMAT,
                                "'%s' takes at most %u argument%s: remove the rest", name, most,
                                pm_plural(most));
        PM_TRY(parse_number(at, &out->argument[count], err));
        end = **at;
        if (end != ',' && end != ')')
            return expected("',' or ')'", *at, err);
    }
    if (count)
        ++*at;
    if (count < least)
        return pm_error_set(err, PM_EFORMAT,
                            "'%s' needs %u argument%s, but has %u: add what is missing", name,
                            least, pm_plural(least), count);
    return PM_OK;
}

static int parse_host(const char *at, struct pm_input_spec *out, struct pm_error *err)
{
    char on[64], host[64];
    const char *rest = at = skip_spaces(at);
    if (!*at)
        return PM_OK;
    take_word(&rest, LETTERS, on);
    rest = skip_spaces(rest);
    take_word(&rest, LETTERS, host);
    out->on_host = strcmp(on, "on") == 0 && strcmp(host, "host") == 0 && !*skip_spaces(rest);
    if (out->on_host)
        return PM_OK;
    return expected("'on host' or nothing", at, err);
}

static int parse_and_check(const char *at, struct pm_input_spec *out, struct pm_error *err)
{
    PM_TRY(parse_dtype(&at, out, err));
    PM_TRY(pm_array__take_shape(&at, &out->shape, err));
    PM_TRY(parse_distribution(&at, out, err));
    if (out->distribution == PM_NORMAL)
        out->argument[1] = 1;
    PM_TRY(parse_arguments(&at, out, err));
    PM_TRY(parse_host(at, out, err));
    return pm_array__check(out, err);
}

int pm_input_parse(const char *text, struct pm_input_spec *out, struct pm_error *err)
{
    *out = (struct pm_input_spec){0};
    const int rc = parse_and_check(text, out, err);
    return rc ? pm_error_prefix(err, rc, "input '%.200s'", text) : PM_OK;
}
