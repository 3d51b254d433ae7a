/*
 * The engine, which is compiled for each kind of processor. It turns the text into masks and lexes
 * the masks. A mask has one bit per byte, and the byte at the lowest address has the lowest bit. A
 * window of masks is lexed in three steps:
 *
 * 1. look_ahead() classifies 64 bytes at a time, almost without branches.
 * 2. settle() handles the events in order: quotes, comments, backslashes, backticks, and numbers
 *    that consist of more than digits. It removes the bytes of strings, comments, joined line ends
 *    and these numbers from `live`. If they extend beyond the window, the next window begins after
 *    them.
 * 3. emit() finds names, plain numbers and operators in the remaining live bytes by shifts. The
 *    positions of first and last bytes are the tokens.
 *
 * A window begins where a token may begin. A name that touches the end of the window is left to the
 * next window. Branches that depend on the text are the main cost: a mispredicted branch costs as
 * much as sixty instructions.
 */
#ifndef PM_PYLEX_ENGINE_H
#define PM_PYLEX_ENGINE_H

#include "pylex/pylex_private.h"

#define PM_PYLEX_WORD   64
#define PM_PYLEX_INLINE static inline __attribute__((always_inline))

/* The classes of 64 bytes: each mask has one bit per byte. */
struct pm_pylex__masks {
    uint64_t name; /* letters, digits, `_`, bytes over 0x7f */
    uint64_t digit;
    uint64_t space;   /* blank, tab, form feed, CR */
    uint64_t newline; /* LF, CR */
    uint64_t dot;
    uint64_t event; /* quotes, `#`, backslash, backtick */
};

/* The tokens of one word. `first` and `last` have a bit for the first and last byte of each. */
struct pm_pylex__word {
    const unsigned char *text;
    const uint8_t *kind; /* by byte: the kind of a token that begins there */
    uint32_t at;         /* place in the text of the byte with the lowest bit */
    uint64_t first, last;
};

/* The places for the next tokens. A processor may write more entries than tokens, within
 * PM_PYLEX_ROOM places. While a token has no end yet, `end` is one place behind the others. */
struct pm_pylex__places {
    uint32_t *start, *end;
    uint8_t *kind;
};

/* The functions that differ between processors. */
struct pm_pylex__processor {
    /* Classifies the 64 bytes at `at`. May store in `kind`, for each byte, the kind of a token that
     * begins there. If it does not, `write` finds the kinds. */
    struct pm_pylex__masks (*classify)(const unsigned char *at, uint8_t *kind);
    /* Returns the place of the first byte from `at` on that is one of the four bytes in `any`;
     * `length` if there is none. */
    size_t (*find)(const unsigned char *text, size_t at, size_t length, const char any[4]);
    /* Writes a word's tokens, and advances the places beyond them. */
    void (*write)(const struct pm_pylex__word *word, struct pm_pylex__places *places);
    /* Turns each NEWLINE within open brackets into JOINED. *depth is the number of brackets opened
     * minus closed since the last NEWLINE: on entry, before the `count` kinds; on return, after
     * them. */
    void (*join)(uint8_t *kind, size_t count, int64_t *depth);
    size_t words; /* words in a window, at most PM_PYLEX_WORDS */
};

PM_PYLEX_INLINE unsigned pm_pylex__lowest(uint64_t bits) /* bits is not 0 */
{
    return (unsigned)__builtin_ctzll(bits);
}

PM_PYLEX_INLINE uint64_t pm_pylex__below(size_t n) /* n counts modulo 64 */
{
    return ((uint64_t)1 << (n & 63)) - 1;
}

PM_PYLEX_INLINE unsigned pm_pylex__count(uint64_t bits)
{
#if defined(__x86_64__) && !defined(__POPCNT__)
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return (unsigned)(bits * 0x0101010101010101 >> 56);
#else
    return (unsigned)__builtin_popcountll(bits);
#endif
}

PM_PYLEX_INLINE bool pm_pylex__is_live_name(const struct pm_pylex_window *window, size_t bit)
{
    return (window->name[bit / 64] & window->live[bit / 64]) >> (bit & 63) & 1;
}

static inline void pm_pylex__join_slowly(uint8_t *kind, size_t count, int64_t *depth)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t k = kind[i];
        *depth += (k == '(') + (k == '[') + (k == '{') - (k == ')') - (k == ']') - (k == '}');
        if (k != PM_TOKEN_NEWLINE)
            continue;
        if (*depth > 0)
            kind[i] = PM_TOKEN_JOINED;
        else
            *depth = 0;
    }
}

/* ---- classifying ---- */

/* Settles each CR, which is a blank before an LF and a line end otherwise. */
PM_PYLEX_INLINE void pm_pylex__settle_returns(struct pm_pylex__masks *is, const unsigned char *at)
{
    const uint64_t returns = is->space & is->newline;
    if (!returns)
        return;
    const uint64_t feeds = is->newline & ~returns;
    const uint64_t blanks = returns & (feeds >> 1 | (uint64_t)(at[PM_PYLEX_WORD] == '\n') << 63);
    is->space &= ~(returns & ~blanks);
    is->newline &= ~blanks;
}

/* The state that one word passes to the next. */
struct pm_pylex__carry {
    bool name;   /* the last byte belonged to a name or number */
    bool number; /* all bytes of this name or number so far were digits */
};

/* Returns the places at which a number may have more than digits: a byte directly after its first
 * digits that can continue the number, and a dot before a digit. */
PM_PYLEX_INLINE uint64_t pm_pylex__number_events(const struct pm_pylex__masks *is,
                                                 const unsigned char *at,
                                                 struct pm_pylex__carry *carry)
{
    const uint64_t starts = is->digit & ~(is->name << 1 | carry->name);
    unsigned long long sum;
    bool over = __builtin_add_overflow(starts, is->digit, &sum);
    over |= __builtin_add_overflow(sum, carry->number, &sum);
    carry->number = over;
    carry->name = is->name >> 63;
    const uint64_t digit_next = is->digit >> 1 | (uint64_t)pm_pylex__is_digit(at[PM_PYLEX_WORD])
                                                     << 63;
    return (sum & ~is->digit & (is->name | is->dot)) | (is->dot & digit_next);
}

/* Begins a new window at the position of the lexer. */
PM_PYLEX_INLINE void pm_pylex__look_ahead(struct pm_pylex *lexer,
                                          const struct pm_pylex__processor *processor)
{
    struct pm_pylex_window *const window = &lexer->window;
    struct pm_pylex__carry carry = {false, false};
    size_t at = lexer->at, i = 0;
    for (; i < processor->words && at < lexer->length; i++, at += PM_PYLEX_WORD) {
        const unsigned char *const bytes = lexer->text + at;
        struct pm_pylex__masks is = processor->classify(bytes, window->kind + PM_PYLEX_WORD * i);
        pm_pylex__settle_returns(&is, bytes);
        window->name[i] = is.name;
        window->operator[i] = ~(is.name | is.space);
        window->newline[i] = is.newline;
        window->event[i] = is.event | pm_pylex__number_events(&is, bytes, &carry);
        window->live[i] = ~(uint64_t)0;
        window->first[i] = window->last[i] = window->odd[i] = 0;
    }
    window->name[i] = window->live[i] = 0;
    window->begin = lexer->at;
    window->end = at;
}

/* ---- events ---- */

/* Removes the bytes `start` to `end` - 1 of the text from `live`, and moves `next` to `end` if it
 * is before `end`. */
PM_PYLEX_INLINE void pm_pylex__drop(struct pm_pylex_window *window, size_t start, size_t end)
{
    if (end > window->next)
        window->next = end;
    if (end > window->end)
        end = window->end;
    const size_t from = start - window->begin, to = end - 1 - window->begin;
    const uint64_t before = pm_pylex__below(from), behind = ~(uint64_t)1 << (to & 63);
    size_t word = from / 64;
    if (word == to / 64) {
        window->live[word] &= before | behind;
        return;
    }
    window->live[word] &= before;
    while (++word < to / 64)
        window->live[word] = 0;
    window->live[word] &= behind;
}

PM_PYLEX_INLINE void pm_pylex__take(struct pm_pylex_window *window, size_t start, size_t end)
{
    const size_t first = start - window->begin, last = end - 1 - window->begin;
    pm_pylex__drop(window, start, end);
    window->first[first / 64] |= (uint64_t)1 << (first & 63);
    if (end <= window->end)
        window->last[last / 64] |= (uint64_t)1 << (last & 63);
}

/* Returns whether `at` is the LF of a CR LF. It must not be the first byte of the text. */
PM_PYLEX_INLINE bool pm_pylex__is_split(const unsigned char *at)
{
    return at[0] == '\n' && at[-1] == '\r';
}

/* Returns the end of a string that is not triple-quoted, searching from `at` on. */
static inline size_t pm_pylex__short_end(const struct pm_pylex *lexer,
                                         const struct pm_pylex__processor *processor, size_t at,
                                         char quote)
{
    const char stops[4] = {quote, '\\', '\n', '\r'};
    for (;;) {
        at = processor->find(lexer->text, at, lexer->length, stops);
        if (at == lexer->length)
            return at;
        if (lexer->text[at] == (unsigned char)quote)
            return at + 1;
        if (lexer->text[at] != '\\')
            return at - pm_pylex__is_split(lexer->text + at);
        at += 1 + pm_pylex__escaped(lexer->text + at + 1);
    }
}

static inline size_t pm_pylex__triple_end(const struct pm_pylex *lexer,
                                          const struct pm_pylex__processor *processor, size_t at,
                                          char quote)
{
    const char stops[4] = {quote, '\\', quote, quote};
    for (;;) {
        at = processor->find(lexer->text, at, lexer->length, stops);
        if (at == lexer->length)
            return at;
        if (lexer->text[at] == '\\')
            at += 2;
        else if (pm_pylex__is_triple(lexer->text + at))
            return at + 3;
        else
            at++;
    }
}

/* Returns the end of the string whose first quote is at `quote`. */
PM_PYLEX_INLINE size_t pm_pylex__string_end(const struct pm_pylex *lexer,
                                            const struct pm_pylex__processor *processor,
                                            size_t quote)
{
    const struct pm_pylex_window *const window = &lexer->window;
    const unsigned char *const text = lexer->text;
    if (pm_pylex__is_triple(text + quote))
        return pm_pylex__triple_end(lexer, processor, quote + 3, (char)text[quote]);
    const size_t words = (window->end - window->begin) / 64;
    size_t at = quote + 1, word = (at - window->begin) / 64;
    while (word < words) {
        uint64_t stops =
            (window->event[word] | window->newline[word]) & ~pm_pylex__below(at - window->begin);
        for (; stops; stops &= stops - 1) {
            at = window->begin + 64 * word + pm_pylex__lowest(stops);
            if (text[at] == text[quote])
                return at + 1;
            if (text[at] == '\\')
                break;
            if (window->newline[word] >> ((at - window->begin) & 63) & 1)
                return at - pm_pylex__is_split(text + at);
        }
        at = stops ? at + 1 + pm_pylex__escaped(text + at + 1) : window->begin + 64 * (word + 1);
        word = (at - window->begin) / 64;
    }
    return pm_pylex__short_end(lexer, processor, at, (char)text[quote]);
}

/* Returns the kind of the prefix before `quote`. Sets *start to the place of the prefix, which is
 * at `from` or later, or to `quote` if there is no prefix. */
static inline enum pm_pylex_prefix pm_pylex__prefix_before(const struct pm_pylex *lexer,
                                                           size_t from, size_t quote, size_t *start)
{
    size_t begin = quote;
    while (begin > from && quote - begin < 3 &&
           pm_pylex__is_live_name(&lexer->window, begin - 1 - lexer->window.begin))
        begin--;
    const enum pm_pylex_prefix prefix = pm_pylex__prefix(lexer->text + begin, quote - begin);
    *start = prefix == PM_PREFIX_NONE ? quote : begin;
    return prefix;
}

/* Settles a string. Returns false, and cuts the window before the string, if it is an f-string that
 * has to be opened. */
PM_PYLEX_INLINE bool pm_pylex__take_string(struct pm_pylex *lexer,
                                           const struct pm_pylex__processor *processor, size_t from,
                                           size_t quote)
{
    struct pm_pylex_window *const window = &lexer->window;
    size_t start = quote;
    if (quote > from && pm_pylex__is_live_name(window, quote - 1 - window->begin)) {
        const enum pm_pylex_prefix prefix = pm_pylex__prefix_before(lexer, from, quote, &start);
        const bool raw = prefix == PM_PREFIX_RAW_FORMAT;
        if ((raw || prefix == PM_PREFIX_FORMAT) && lexer->fstrings == PM_FSTRINGS_OPEN &&
            quote != lexer->opaque) {
            window->next = start;
            window->quote = quote;
            window->raw = raw;
            return false;
        }
        const size_t bit = start - window->begin;
        if (start != quote)
            window->odd[bit / 64] |= (uint64_t)1 << (bit & 63);
    }
    pm_pylex__take(window, start, pm_pylex__string_end(lexer, processor, quote));
    return true;
}

PM_PYLEX_INLINE void pm_pylex__take_comment(struct pm_pylex *lexer,
                                            const struct pm_pylex__processor *processor,
                                            size_t start)
{
    static const char stops[4] = {'\n', '\r', '\n', '\r'};
    struct pm_pylex_window *const window = &lexer->window;
    const size_t words = (window->end - window->begin) / 64;
    size_t word = (start - window->begin) / 64;
    uint64_t newlines = window->newline[word] & ~pm_pylex__below(start - window->begin);
    while (!newlines && ++word < words)
        newlines = window->newline[word];
    pm_pylex__drop(window, start,
                   newlines ? window->begin + 64 * word + pm_pylex__lowest(newlines)
                            : processor->find(lexer->text, window->end, lexer->length, stops));
}

/* Settles the number at an event, which is a dot or the byte after digits, as in `1.5`, `.5`,
 * `0x1f`, `10L` and `1if`. Settles nothing if the digits belong to a name, as in `x1.real`, or to
 * an earlier number, unless the event is a dot before a digit. */
static inline void pm_pylex__take_number(struct pm_pylex *lexer, size_t from, size_t event)
{
    struct pm_pylex_window *const window = &lexer->window;
    const unsigned char *const text = lexer->text;
    size_t start = event;
    while (start > from && pm_pylex__is_digit(text[start - 1]) &&
           pm_pylex__is_live_name(window, start - 1 - window->begin))
        start--;
    const bool in_name = start > from && pm_pylex__is_live_name(window, start - 1 - window->begin);
    if (in_name || start == event) {
        if (text[event] != '.' || !pm_pylex__is_digit(text[event + 1]))
            return;
        start = event;
        const size_t bit = start - window->begin;
        window->odd[bit / 64] |= (uint64_t)1 << (bit & 63);
    }
    do {
        const size_t end = (size_t)(pm_pylex__number_end(text + start) - text);
        pm_pylex__take(window, start, end);
        start = end;
    } while (start < window->end && pm_pylex__is_digit(text[start]));
}

/* Handles an event. Returns false if the event cuts the window. */
PM_PYLEX_INLINE bool pm_pylex__take_event(struct pm_pylex *lexer,
                                          const struct pm_pylex__processor *processor, size_t from,
                                          size_t event)
{
    const unsigned char c = lexer->text[event];
    if (c == '"' || c == '\'')
        return pm_pylex__take_string(lexer, processor, from, event);
    if (c == '#') {
        pm_pylex__take_comment(lexer, processor, event);
    } else if (c == '\\') {
        const size_t line_end = pm_pylex__line_end(lexer->text + event + 1);
        if (line_end)
            pm_pylex__drop(&lexer->window, event, event + 1 + line_end);
    } else if (c == '`') {
        lexer->backticks = true;
    } else {
        pm_pylex__take_number(lexer, from, event);
    }
    return true;
}

/* Returns the place up to which the window can be settled. This excludes a name at the end of the
 * window, because the name may continue after the window. */
PM_PYLEX_INLINE size_t pm_pylex__limit(const struct pm_pylex *lexer)
{
    const struct pm_pylex_window *const window = &lexer->window;
    if (window->end >= lexer->length)
        return lexer->length;
    size_t word = (window->end - window->begin) / 64;
    while (word > 0 && !~window->name[word - 1])
        word--;
    if (word == 0)
        return window->begin;
    return window->begin + 64 * word - (size_t)__builtin_clzll(~window->name[word - 1]);
}

/* Handles the events of the window from `from` on, up to `limit` or the first open f-string. */
PM_PYLEX_INLINE void pm_pylex__take_events(struct pm_pylex *lexer,
                                           const struct pm_pylex__processor *processor, size_t from,
                                           size_t limit)
{
    const struct pm_pylex_window *const window = &lexer->window;
    const size_t begin = window->begin, words = (limit - begin + 63) / 64;
    uint64_t allowed = ~pm_pylex__below(from - begin);
    for (size_t i = (from - begin) / 64; i < words; i++) {
        uint64_t events = window->event[i] & allowed;
        while ((events &= window->live[i])) {
            const size_t event = begin + 64 * i + pm_pylex__lowest(events);
            events &= events - 1;
            if (!pm_pylex__take_event(lexer, processor, from, event))
                return;
        }
        allowed = ~(uint64_t)0;
    }
}

/* Settles the text from the lexer's position to the end of the window or the first f-string that
 * has to be opened. Begins a new window if the current one is settled. Returns false if a single
 * name or number fills the window. */
PM_PYLEX_INLINE bool pm_pylex__settle(struct pm_pylex *lexer,
                                      const struct pm_pylex__processor *processor)
{
    struct pm_pylex_window *const window = &lexer->window;
    if (lexer->at >= window->end || lexer->at >= pm_pylex__limit(lexer))
        pm_pylex__look_ahead(lexer, processor);
    const size_t limit = pm_pylex__limit(lexer);
    if (lexer->at == limit)
        return false;
    window->next = limit;
    pm_pylex__take_events(lexer, processor, lexer->at, limit);
    window->cut = window->next < window->end ? window->next : window->end;
    return true;
}

/* ---- tokens ---- */

static inline void pm_pylex__set_odd_kinds(const struct pm_pylex__word *word, uint64_t odd,
                                           uint8_t *kind)
{
    for (odd &= word->first; odd; odd &= odd - 1)
        kind[pm_pylex__count(word->first & ((odd & -odd) - 1))] =
            word->text[word->at + pm_pylex__lowest(odd)] == '.' ? PM_TOKEN_NUMBER : PM_TOKEN_STRING;
}

/* Returns the first and last bytes of the tokens in the `part` of word i. *name is true if the
 * previous word ends in a name; it is updated for this word. */
PM_PYLEX_INLINE struct pm_pylex__word pm_pylex__tokens_of(const struct pm_pylex_window *window,
                                                          size_t i, uint64_t part, bool *name)
{
    const uint64_t live = window->live[i] & part;
    const uint64_t names = window->name[i] & live, operators = window->operator[i] & live;
    const uint64_t behind = window->name[i + 1] & window->live[i + 1];
    const uint64_t before = *name;
    *name = names >> 63;
    return (struct pm_pylex__word){
        .kind = window->kind + 64 * i,
        .at = (uint32_t)(window->begin + 64 * i),
        .first = (window->first[i] & part) | (names & ~(names << 1 | before)) | operators,
        .last = (window->last[i] & part) | (names & ~(names >> 1 | behind << 63)) | operators,
    };
}

/* Prefetches the text one page ahead, which is enough even for slow memory. The processor's own
 * prefetching fails here: it does not recognise that the engine reads a whole window and then
 * pauses, and it does not cross the end of a page. */
PM_PYLEX_INLINE void pm_pylex__expect(const unsigned char *at)
{
    __builtin_prefetch(at + 4096);
}

/* Appends the settled tokens, until all are complete or there is no more room. */
PM_PYLEX_INLINE void pm_pylex__emit(struct pm_pylex *lexer,
                                    const struct pm_pylex__processor *processor,
                                    struct pm_tokens *tokens)
{
    const struct pm_pylex_window *const window = &lexer->window;
    const unsigned char *const text = lexer->text;
    const size_t to = window->cut - window->begin, words = (to + 63) / 64;
    struct pm_pylex__places places = {tokens->start + tokens->count, tokens->end + tokens->count,
                                      tokens->kind + tokens->count};
    const uint32_t *const full = tokens->end + tokens->capacity - PM_PYLEX_ROOM;
    size_t i = (lexer->at - window->begin) / 64;
    uint64_t part = ~pm_pylex__below(lexer->at - window->begin);
    bool name = false;
    for (; i < words && places.end <= full; i++) {
        pm_pylex__expect(text + window->begin + 64 * i);
        if (to - 64 * i < 64)
            part &= pm_pylex__below(to);
        struct pm_pylex__word word = pm_pylex__tokens_of(window, i, part, &name);
        part = ~(uint64_t)0;
        if (!(word.first | word.last))
            continue;
        word.text = text;
        uint8_t *const kind = places.kind;
        processor->write(&word, &places);
        if (window->odd[i])
            pm_pylex__set_odd_kinds(&word, window->odd[i], kind);
    }
    const size_t ended = (size_t)(places.end - tokens->end);
    const bool open = (size_t)(places.start - tokens->start) > ended;
    tokens->count = ended;
    if (i < words) {
        lexer->at = open ? tokens->start[ended] : window->begin + 64 * i;
        return;
    }
    lexer->at = window->next;
    if (open)
        tokens->end[tokens->count++] = (uint32_t)lexer->at;
}

/* Appends a name or number that fills a window or is longer. */
static inline void pm_pylex__long_name(struct pm_pylex *lexer, struct pm_tokens *tokens)
{
    const unsigned char *const at = lexer->text + lexer->at;
    const bool number = pm_pylex__is_digit(*at);
    const unsigned char *end = number ? pm_pylex__number_end(at) : at;
    while (!number && pm_pylex__is_name(*end))
        end++;
    tokens->start[tokens->count] = (uint32_t)lexer->at;
    lexer->at += (size_t)(end - at);
    tokens->end[tokens->count] = (uint32_t)lexer->at;
    tokens->kind[tokens->count++] = number ? PM_TOKEN_NUMBER : PM_TOKEN_NAME;
}

/* Does the next step of the lexer. Returns false at the end of the text. */
PM_PYLEX_INLINE bool pm_pylex__step(struct pm_pylex *lexer,
                                    const struct pm_pylex__processor *processor,
                                    struct pm_tokens *tokens)
{
    if (lexer->nested) {
        pm_pylex__fstring_run(lexer, tokens);
    } else if (lexer->at < lexer->window.cut) {
        pm_pylex__emit(lexer, processor, tokens);
    } else if (lexer->window.quote) {
        const size_t quote = lexer->window.quote;
        lexer->window.quote = 0;
        pm_pylex__fstring_open(lexer, tokens, quote, lexer->window.raw);
    } else if (lexer->at < lexer->length) {
        if (!pm_pylex__settle(lexer, processor))
            pm_pylex__long_name(lexer, tokens);
    } else {
        return false;
    }
    return true;
}

PM_PYLEX_INLINE void pm_pylex__lex(struct pm_pylex *lexer, struct pm_tokens *tokens,
                                   const struct pm_pylex__processor *processor)
{
    const size_t begin = tokens->count;
    while (tokens->capacity - tokens->count >= PM_PYLEX_ROOM &&
           pm_pylex__step(lexer, processor, tokens))
        ;
    processor->join(tokens->kind + begin, tokens->count - begin, &lexer->depth);
}

#endif
