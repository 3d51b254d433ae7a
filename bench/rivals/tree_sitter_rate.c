/*
 * Times tree-sitter's C library on Python files: reads the files named on standard input, one per
 * line, then parses all of them.
 *
 *     tree_sitter_rate < NAMES
 *
 * Writes one line: CPU seconds, bytes, the number of children of all root nodes, and the number of
 * files with errors.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_python(void);

struct text {
    char *bytes;
    size_t length;
};

static struct text read_text(const char *path)
{
    struct text text = {0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return text;
    fseek(file, 0, SEEK_END);
    text.length = (size_t)ftell(file);
    rewind(file);
    text.bytes = malloc(text.length + 1);
    if (!text.bytes || fread(text.bytes, 1, text.length, file) != text.length)
        abort();
    fclose(file);
    return text;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(void)
{
    static struct text texts[1 << 16];
    size_t count = 0, bytes = 0, children = 0, errors = 0;
    char path[4096];
    while (count < sizeof texts / sizeof *texts && fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\n")] = '\0';
        texts[count] = read_text(path);
        bytes += texts[count++].length;
    }
    TSParser *parser = ts_parser_new();
    if (!ts_parser_set_language(parser, tree_sitter_python())) {
        fprintf(stderr, "tree_sitter_rate: the library cannot load the grammar\n");
        return 3;
    }
    const double begin = seconds();
    for (size_t i = 0; i < count; i++) {
        TSTree *tree =
            ts_parser_parse_string(parser, NULL, texts[i].bytes, (uint32_t)texts[i].length);
        const TSNode root = ts_tree_root_node(tree);
        children += ts_node_child_count(root);
        errors += ts_node_has_error(root);
        ts_tree_delete(tree);
    }
    printf("%.6f %zu %zu %zu\n", seconds() - begin, bytes, children, errors);
    ts_parser_delete(parser);
    for (size_t i = 0; i < count; i++)
        free(texts[i].bytes);
    return 0;
}
