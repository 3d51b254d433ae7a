/* Tests of the lexer: cases with their tokens in tests/pylex/cases, tables, batches, and random
 * texts, which the reference lexer must lex alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "dump.h"
#include "pylex/pairs.h"
#include "pylex/pylex.h"
#include "reference.h"

#define PLACES  6000
#define LONGEST 4096

struct arrays {
    uint32_t start[PLACES], end[PLACES];
    uint8_t kind[PLACES];
};

static struct pm_tokens tokens_in(struct arrays *arrays, size_t capacity)
{
    return (struct pm_tokens){
        .start = arrays->start, .end = arrays->end, .kind = arrays->kind, .capacity = capacity};
}

/* Checks an entry of tests/pylex/cases: "==> NAME", its tokens as dump_tokens() writes them, "-->
 * BYTES", and this number of bytes of input. Returns the text after the entry. */
static const char *check_case(const char *entry, const char *end)
{
    static const char padding[PM_PYLEX_PADDING], length_mark[] = "--> ";
    struct pm_str text = PM_STR_INIT, got = PM_STR_INIT;
    const char *const want = strchr(entry, '\n') + 1;
    const char *mark = want;
    while (strncmp(mark, length_mark, strlen(length_mark)) != 0)
        mark = strchr(mark, '\n') + 1;
    char *input;
    const size_t length = strtoul(mark + strlen(length_mark), &input, 10);
    input++;
    assert_true(length < (size_t)(end - input));
    pm_str_add_bytes(&text, input, length);
    pm_str_add_bytes(&text, padding, sizeof padding);
    dump_tokens(text.data, length, PM_FSTRINGS_OPEN, &got);
    if (got.length != (size_t)(mark - want) || memcmp(got.data, want, got.length) != 0)
        fail_msg("'%.*s' differs; the tokens are:\n%s", (int)(want - entry - 1), entry, got.data);
    pm_str_release(&text);
    pm_str_release(&got);
    return input + length + 1;
}

static void test_cases(void **state)
{
    (void)state;
    struct pm_error err;
    struct pm_str cases = PM_STR_INIT;
    char *home = NULL;
    size_t count = 0;
    assert_int_equal(pm_path_home(&home, &err), 0);
    char *const path = pm_path_join(home, "tests/pylex/cases");
    assert_int_equal(pm_file_read(path, &cases, &err), 0);
    const char *const end = cases.data + cases.length;
    for (const char *at = cases.data; at < end; count++)
        at = check_case(at, end);
    assert_true(count >= 20);
    pm_str_release(&cases);
    free(path);
    free(home);
}

/* Appends the names of a text, separated by spaces. */
static void names_of(const char *text, enum pm_fstrings fstrings, struct pm_str *out)
{
    static struct arrays arrays;
    char padded[512] = {0};
    struct pm_pylex lexer;
    struct pm_tokens tokens = tokens_in(&arrays, PLACES);
    const size_t length = strlen(text);
    assert_true(length + PM_PYLEX_PADDING <= sizeof padded);
    memcpy(padded, text, length);
    pm_pylex_start(&lexer, padded, (uint32_t)length, fstrings);
    assert_false(pm_pylex_next(&lexer, &tokens));
    for (size_t i = 0; i < tokens.count; i++)
        if ((tokens.kind[i] & ~PM_TOKEN_INSIDE) == PM_TOKEN_NAME)
            pm_str_addf(out, "%s%.*s", out->length ? " " : "",
                        (int)(tokens.end[i] - tokens.start[i]), padded + tokens.start[i]);
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *text, *open, *opaque;
    } table[] = {
        {"1if x else 0x1for y", "if x else or y", "if x else or y"},
        {"10L 0xFFl 0777L 1Lx 1_000 1__0", "Lx __0", "Lx __0"},
        {"1._5 1e_5 .5_", "_5 e_5 _", "_5 e_5 _"},
        {"1.5e-3.real 1.e5 1.e .5j 5 .bit", "real e bit", "real e bit"},
        {"ur'a' Rb'b' bu'c' f'd' tR'e' x'f'", "bu x", "bu x"},
        {"f'{a(b)}' c", "a b c", "c"},
        {"f'{a!r:{b}} {{c}} {d=}' e", "a b d e", "e"},
        {"f'\\N{DASH}{a}' rf'\\N{b}'", "a b", ""},
        {"f'{f\"{f'{a}'}\"}'", "a", "a"},
        {"f'{a['c']}'", "a", "c"},
        {"f'{' a", "a", "a"},
        {"f'{a' b", "b", "b"},
        {"f'{a)}' b", "b", "b"},
        {"'a\nb", "b", "b"},
        {"'a\\\nb' c", "c", "c"},
        {"'a\\\r\nb' c", "c", "c"},
        {"'''a\nb", "", ""},
        {"a#b\rc\\\r\nd", "a c d", "a c d"},
        {"\xef\xbb\xbfimport \xc3\xa9", "import \xc3\xa9", "import \xc3\xa9"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct pm_str open = PM_STR_INIT, opaque = PM_STR_INIT;
        names_of(table[i].text, PM_FSTRINGS_OPEN, &open);
        names_of(table[i].text, PM_FSTRINGS_OPAQUE, &opaque);
        assert_string_equal(open.data, table[i].open);
        assert_string_equal(opaque.data, table[i].opaque);
        pm_str_release(&open);
        pm_str_release(&opaque);
    }
}

/* Asserts that lexing a text in batches of `places` places gives the reference lexer's tokens. */
static void compare(const unsigned char *text, size_t length, enum pm_fstrings fstrings,
                    enum pm_pylex_engine engine, size_t places)
{
    static struct arrays wanted_arrays, got_arrays;
    struct pm_tokens wanted = tokens_in(&wanted_arrays, PLACES);
    struct pm_tokens got = tokens_in(&got_arrays, places);
    struct pm_pylex lexer;
    reference_lex(text, length, fstrings, &wanted);
    pm_pylex_start(&lexer, text, (uint32_t)length, fstrings);
    if (!pm_pylex_use(&lexer, engine))
        return;
    size_t calls = 0;
    while (pm_pylex_next(&lexer, &got)) {
        assert_true(got.capacity - got.count < PM_PYLEX_ROOM);
        got.capacity = got.count + places < PLACES ? got.count + places : PLACES;
        assert_true(++calls < PLACES);
    }
    assert_int_equal(got.count, wanted.count);
    assert_memory_equal(got.start, wanted.start, got.count * sizeof *got.start);
    assert_memory_equal(got.end, wanted.end, got.count * sizeof *got.end);
    assert_memory_equal(got.kind, wanted.kind, got.count);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* clang-format off */
static const char *const pieces[] = {
    "import ", "torch", ".", "(", ")", "[", "]", "{", "}", ", ", " ", "    ", "\n", "\n", "\r\n",
    "\r", "\\\n", "\\\r\n", "\\", "#", "# it's (", "'", "'", "\"", "\"", "'''", "\"\"\"", "f'",
    "F\"", "rf'''", "b'", "uR\"", "t\"", "!r", ":>{", "{{", "}}", "\\N{DASH}", "`", "0x1f",
    "1.5e-3", "10L", "1if", "0777", ".5", "_", "\xc3\xa9", "\t", "\f", "$", ";", "=", "!=", "x",
    "conv2d", "1_000", "if", "else", "b", "r",
    "abcdefghijklmnopqrstuvwxyz_0123456789_abcdefghijklmnopqrstuvwxyz",
};
/* clang-format on */

/* Makes a text of random pieces of Python, seldom a valid program; returns its length. */
static size_t random_text(unsigned char *text, size_t longest, uint64_t *seed)
{
    const size_t wanted = next_random(seed) % (longest - 70);
    size_t length = 0;
    while (length < wanted) {
        const char *const piece = pieces[next_random(seed) % (sizeof pieces / sizeof *pieces)];
        memcpy(text + length, piece, strlen(piece));
        length += strlen(piece);
    }
    return length;
}

static void test_engines_agree_with_the_reference(void **state)
{
    (void)state;
    uint64_t seed = 20260101;
    for (int round = 0; round < 3000; round++) {
        unsigned char text[LONGEST + PM_PYLEX_PADDING] = {0};
        const size_t longest = round % 20 ? 400 : LONGEST;
        const size_t length = random_text(text, longest, &seed);
        memset(text + length, 0, PM_PYLEX_PADDING);
        for (int engine = 0; engine < PM_PYLEX_ENGINES; engine++) {
            compare(text, length, PM_FSTRINGS_OPEN, (enum pm_pylex_engine)engine, PLACES);
            compare(text, length, PM_FSTRINGS_OPEN, (enum pm_pylex_engine)engine,
                    PM_PYLEX_ROOM + next_random(&seed) % 100);
            compare(text, length, PM_FSTRINGS_OPAQUE, (enum pm_pylex_engine)engine, PM_PYLEX_ROOM);
        }
    }
}

/* Tests a name, a number, a string and a comment that are longer than several windows, and an
 * f-string with more tokens than a batch has places. */
static void test_long_tokens(void **state)
{
    (void)state;
    static const char *const openings[] = {"x", "1", "'", "\"\"\"", "#", "f'{x}{", "(((("};
    static const char fill[] = "a1'a\n(";
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++)
        for (size_t j = 0; j < sizeof fill - 1; j++) {
            static unsigned char text[LONGEST + PM_PYLEX_PADDING];
            const size_t opening = strlen(openings[i]);
            memset(text, fill[j], LONGEST);
            memcpy(text, openings[i], opening);
            for (int engine = 0; engine < PM_PYLEX_ENGINES; engine++)
                compare(text, LONGEST, PM_FSTRINGS_OPEN, (enum pm_pylex_engine)engine,
                        PM_PYLEX_ROOM);
        }
    unsigned char text[LONGEST + PM_PYLEX_PADDING] = "f'{";
    size_t length = 3;
    for (; length < 3000; length++)
        text[length] = length % 2 ? '+' : 'x';
    for (int engine = 0; engine < PM_PYLEX_ENGINES; engine++)
        compare(text, length, PM_FSTRINGS_OPEN, (enum pm_pylex_engine)engine, PM_PYLEX_ROOM);
    memcpy(text + length, "}'.y", 4);
    for (int engine = 0; engine < PM_PYLEX_ENGINES; engine++)
        compare(text, length + 4, PM_FSTRINGS_OPEN, (enum pm_pylex_engine)engine, PM_PYLEX_ROOM);
}

/* Tests f-strings within f-strings, up to the largest supported depth and one level deeper. */
static void test_nesting(void **state)
{
    (void)state;
    for (int levels = 1; levels < PM_PYLEX_NESTING; levels++) {
        unsigned char text[LONGEST + PM_PYLEX_PADDING] = {0};
        struct pm_str made = PM_STR_INIT, names = PM_STR_INIT;
        for (int i = 0; i < levels; i++)
            pm_str_add(&made, "f'{");
        pm_str_add(&made, "deep");
        for (int i = 0; i < levels; i++)
            pm_str_add(&made, "}'");
        memcpy(text, made.data, made.length);
        for (int engine = 0; engine < PM_PYLEX_ENGINES; engine++)
            compare(text, made.length, PM_FSTRINGS_OPEN, (enum pm_pylex_engine)engine,
                    PM_PYLEX_ROOM);
        names_of(made.data, PM_FSTRINGS_OPEN, &names);
        if (2 * levels <= PM_PYLEX_NESTING)
            assert_string_equal(names.data, "deep");
        pm_str_release(&made);
        pm_str_release(&names);
    }
}

/* Tests every entry of the table with which the engines for x86-64 write positions. */
#if defined(__x86_64__)
extern const uint64_t pm_pylex__positions[256];

static void test_positions(void **state)
{
    (void)state;
    for (unsigned byte = 0; byte < 256; byte++) {
        uint64_t wanted = 0;
        int count = 0;
        for (unsigned bit = 0; bit < 8; bit++)
            if (byte >> bit & 1)
                wanted |= (uint64_t)bit << (8 * count++);
        assert_true(pm_pylex__positions[byte] == wanted);
    }
}
#endif

static void test_empty(void **state)
{
    (void)state;
    static struct arrays arrays;
    static const unsigned char nothing[PM_PYLEX_PADDING] = {0};
    struct pm_tokens tokens = tokens_in(&arrays, PM_PYLEX_ROOM);
    struct pm_pylex lexer;
    pm_pylex_start(&lexer, nothing, 0, PM_FSTRINGS_OPEN);
    assert_false(pm_pylex_next(&lexer, &tokens));
    assert_false(pm_pylex_next(&lexer, &tokens));
    assert_int_equal(tokens.count, 0);
    assert_true(pm_pylex_use(&lexer, PM_PYLEX_PORTABLE));
    assert_string_equal(pm_pylex_engine_name(PM_PYLEX_PORTABLE), "portable");
}

/* The kinds have a call at 1, and ends of statements at 3 and 31. The end at 31 depends on the 33rd
 * kind. */
static void test_pairs__are_found(void **state)
{
    (void)state;
    uint8_t kinds[33];
    memset(kinds, PM_TOKEN_NUMBER, sizeof kinds);
    memcpy(kinds, "aa(\naa \n", 8); /* JOINED ends no statement; the name before it is not called */
    kinds[31] = ';';
    kinds[32] = PM_TOKEN_NAME;
    for (int engine = 0; engine < PM_PYLEX_ENGINES; engine++) {
        const struct pm_pylex_pairs *pairs = pm_pylex_pairs_of((enum pm_pylex_engine)engine);
        if (!pairs)
            continue;
        assert_int_equal(pairs->calls(kinds), 1u << 1);
        assert_int_equal(pairs->statements(kinds), 1u << 3 | 1u << 31);
    }
}

static void test_pairs__agree(void **state)
{
    (void)state;
    static const char letters[] = "aaa((\n;:. 0\"";
    const struct pm_pylex_pairs *plain = pm_pylex_pairs_of(PM_PYLEX_PORTABLE);
    const struct pm_pylex_pairs *fast = pm_pylex_pairs();
    uint64_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        uint8_t kinds[33];
        for (size_t i = 0; i < sizeof kinds; i++)
            kinds[i] = (uint8_t)letters[next_random(&seed) % (sizeof letters - 1)] |
                       (next_random(&seed) % 8 == 0 ? PM_TOKEN_INSIDE : 0);
        assert_int_equal(fast->calls(kinds), plain->calls(kinds));
        assert_int_equal(fast->statements(kinds), plain->statements(kinds));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_engines_agree_with_the_reference),
        cmocka_unit_test(test_long_tokens),
        cmocka_unit_test(test_nesting),
#if defined(__x86_64__)
        cmocka_unit_test(test_positions),
#endif
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_pairs__are_found),
        cmocka_unit_test(test_pairs__agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
