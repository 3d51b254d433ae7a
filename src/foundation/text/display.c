/* Computes the width of text on a terminal, and cuts text to a width. */
#include "text/display.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/line.h"

static const struct range {
    uint32_t first, last;
} combining[] =
    {
        {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F}, {0x1AB0, 0x1AFF},
        {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
},
  wide[] = {
      {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xA960, 0xA97C},
      {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},
      {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF},
      {0x20000, 0x3FFFD},
};

static bool is_in(uint32_t point, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (point >= ranges[i].first && point <= ranges[i].last)
            return true;
    return false;
}

static size_t width_of(uint32_t point)
{
    if (point < combining[0].first)
        return 1;
    if (is_in(point, combining, sizeof combining / sizeof *combining))
        return 0;
    return is_in(point, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

/* Decodes the code point at *text, which is valid UTF-8 and not empty, and moves *text past it. */
static uint32_t next_point(const char **text)
{
    const unsigned char *at = (const unsigned char *)*text;
    const int more = at[0] < 0xC0 ? 0 : at[0] < 0xE0 ? 1 : at[0] < 0xF0 ? 2 : 3;
    uint32_t point = more ? at[0] & (0x3Fu >> more) : at[0];
    int used = 1;
    for (; used <= more && (at[used] & 0xC0) == 0x80; used++)
        point = point << 6 | (at[used] & 0x3F);
    *text += used;
    return point;
}

size_t pm_text_width(const char *text)
{
    size_t columns = 0;
    while (*text)
        columns += width_of(next_point(&text));
    return columns;
}

static const char ellipsis[] = "...";

void pm_text_cut(struct pm_str *out, const char *text, size_t columns)
{
    if (pm_text_width(text) <= columns) {
        pm_str_add(out, text);
        return;
    }
    const size_t dots = columns < strlen(ellipsis) ? columns : strlen(ellipsis);
    const char *end = text, *next = text;
    size_t used = 0;
    while ((used += width_of(next_point(&next))) <= columns - dots)
        end = next;
    pm_str_add_bytes(out, text, (size_t)(end - text));
    pm_str_add_bytes(out, ellipsis, dots);
}

void pm_text_cut_head(struct pm_str *out, const char *text, size_t columns)
{
    size_t width = pm_text_width(text);
    if (width <= columns) {
        pm_str_add(out, text);
        return;
    }
    const size_t dots = columns < strlen(ellipsis) ? columns : strlen(ellipsis);
    while (width > columns - dots)
        width -= width_of(next_point(&text));
    pm_str_add_bytes(out, ellipsis, dots);
    pm_str_add(out, text);
}

size_t pm_text_line_length(const char *text, size_t columns)
{
    const char *next = text, *space = NULL;
    size_t used = 0;
    while (*next) {
        const char *at = next;
        if (*at == ' ' && at > text && at[-1] != ' ')
            space = at;
        used += width_of(next_point(&next));
        if (used > columns && at > text)
            return (size_t)((space ? space : at) - text);
    }
    return (size_t)(next - text);
}

void pm_text_clean(struct pm_str *out, const char *text)
{
    pm_line_add(out, text, SIZE_MAX);
}

void pm_text_clean_script(struct pm_str *out, const char *text, const char *before)
{
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        char *one = pm_format("%.*s", (int)length, line);
        pm_str_add(out, *one ? before : "");
        pm_text_clean(out, one);
        pm_str_add_char(out, '\n');
        free(one);
        line += length + (line[length] == '\n');
    }
}

void pm_text_pad(struct pm_str *out, size_t columns)
{
    while (columns--)
        pm_str_add_char(out, ' ');
}
