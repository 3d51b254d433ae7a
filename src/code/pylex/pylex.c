/* Selects the engine, and marks the tokens inside backticks. */
#include "pylex/pylex_private.h"

typedef void engine_fn(struct pm_pylex *lexer, struct pm_tokens *tokens);

static engine_fn *engine_of(enum pm_pylex_engine engine)
{
    switch (engine) {
    case PM_PYLEX_PORTABLE:
        return pm_pylex__portable;
#if defined(__x86_64__)
    case PM_PYLEX_SSE:
        return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt") ? pm_pylex__sse
                                                                                    : NULL;
    case PM_PYLEX_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                       __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")
                   ? pm_pylex__avx2
                   : NULL;
    case PM_PYLEX_AVX512:
        return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi") &&
                       __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi2")
                   ? pm_pylex__avx512
                   : NULL;
#endif
    default:
        return NULL;
    }
}

bool pm_pylex_use(struct pm_pylex *lexer, enum pm_pylex_engine engine)
{
    engine_fn *const found = engine_of(engine);
    if (found)
        lexer->engine = found;
    return found != NULL;
}

const char *pm_pylex_engine_name(enum pm_pylex_engine engine)
{
    static const char *const names[PM_PYLEX_ENGINES] = {[PM_PYLEX_PORTABLE] = "portable",
                                                        [PM_PYLEX_SSE] = "sse",
                                                        [PM_PYLEX_AVX2] = "avx2",
                                                        [PM_PYLEX_AVX512] = "avx512"};
    return names[engine];
}

void pm_pylex_start(struct pm_pylex *lexer, const void *text, uint32_t length,
                    enum pm_fstrings fstrings)
{
    const unsigned char *const bytes = text;
    const bool marked = length >= 3 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf;
    lexer->text = bytes;
    lexer->length = length;
    lexer->at = marked ? 3 : 0;
    lexer->fstrings = fstrings;
    lexer->depth = 0;
    lexer->backticks = false;
    lexer->in_backticks = false;
    lexer->nested = 0;
    lexer->opaque = 0;
    lexer->window.begin = lexer->window.end = 0;
    lexer->window.cut = lexer->window.quote = 0;
    for (int engine = PM_PYLEX_PORTABLE; engine < PM_PYLEX_ENGINES; engine++)
        (void)pm_pylex_use(lexer, (enum pm_pylex_engine)engine);
}

/* Marks the tokens inside backticks. A line end also closes backticks. */
static void mark_backticks(struct pm_pylex *lexer, uint8_t *kinds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool inside = lexer->in_backticks;
        if (kinds[i] == PM_TOKEN_NEWLINE || kinds[i] == PM_TOKEN_JOINED) {
            lexer->in_backticks = false;
            continue;
        }
        if (kinds[i] == '`')
            lexer->in_backticks = !inside;
        if (inside)
            kinds[i] |= PM_TOKEN_INSIDE;
    }
}

bool pm_pylex_next(struct pm_pylex *lexer, struct pm_tokens *tokens)
{
    const size_t begin = tokens->count;
    lexer->engine(lexer, tokens);
    if (lexer->backticks)
        mark_backticks(lexer, tokens->kind + begin, tokens->count - begin);
    return lexer->nested || lexer->at < lexer->length;
}
