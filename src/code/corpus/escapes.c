/* Defines the characters that JSON's short escapes denote. */
#include "corpus/kernels.h"

const unsigned char pm_corpus__simple_escapes[256] = {
    ['n'] = '\n', ['t'] = '\t', ['"'] = '"',  ['\\'] = '\\',
    ['r'] = '\r', ['/'] = '/',  ['b'] = '\b', ['f'] = '\f',
};
