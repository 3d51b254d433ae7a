/* Names the limits of a function that works with limits: dtypes that fail, and other failing
 * cases. */
#include "assess/judging.h"
#include "base/alloc.h"

/* Groups of dtypes in the order in which limits name them: the dtypes that users miss most come
 * first. */
static const enum pm_dtype half[] = {PM_FLOAT16, PM_BFLOAT16},
                           complex[] = {PM_COMPLEX64, PM_COMPLEX128};

struct limits {
    size_t counted[PM_DTYPE_COUNT], failing[PM_DTYPE_COUNT]; /* cases of each dtype */
    bool named[PM_DTYPE_COUNT];
    struct pm_str text;
};

static void count_case(struct limits *l, const struct pm_assess__limit_case *c)
{
    enum pm_dtype dtype;
    if (!pm_dtype_parse(c->dtype, &dtype))
        return;
    l->counted[dtype]++;
    l->failing[dtype] += !c->passes;
}

static void add(struct limits *l, const char *before, const char *what)
{
    pm_str_addf(&l->text, "%s%s%s", l->text.length ? "; " : "", before, what);
}

/* Names a group of dtypes by one word if the group has cases and all of them fail. */
static void add_group(struct limits *l, const enum pm_dtype *dtypes, size_t count, const char *name)
{
    size_t counted = 0, failing = 0;
    for (size_t i = 0; i < count; i++) {
        counted += l->counted[dtypes[i]];
        failing += l->failing[dtypes[i]];
    }
    if (!counted || failing < counted)
        return;
    add(l, "no ", name);
    for (size_t i = 0; i < count; i++)
        l->named[dtypes[i]] = true;
}

static void add_dtypes(struct limits *l)
{
    for (size_t i = 0; i < sizeof half / sizeof *half; i++)
        add_group(l, &half[i], 1, pm_dtype_name(half[i]));
    add_group(l, complex, sizeof complex / sizeof *complex, "complex");
    for (unsigned d = 0; d < PM_DTYPE_COUNT; d++) {
        const enum pm_dtype dtype = (enum pm_dtype)d;
        if (!l->named[d])
            add_group(l, &dtype, 1, pm_dtype_name(dtype));
    }
}

static bool is_named(const struct limits *l, const struct pm_assess__limit_case *c)
{
    enum pm_dtype dtype;
    return c->passes || (pm_dtype_parse(c->dtype, &dtype) && l->named[dtype]);
}

char *pm_assess__limits(const struct pm_assess__limit_case *cases, size_t count)
{
    enum { NAMED = 6 };
    struct limits l = {.text = PM_STR_INIT};
    size_t others = 0;
    for (size_t i = 0; i < count; i++)
        count_case(&l, &cases[i]);
    add_dtypes(&l);
    for (size_t i = 0; i < count; i++)
        if (!is_named(&l, &cases[i]) && ++others <= NAMED)
            add(&l, "", cases[i].name);
    if (others > NAMED)
        pm_str_addf(&l.text, " and %zu more", others - NAMED);
    return pm_str_detach(&l.text);
}
