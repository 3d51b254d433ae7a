/* Replaces functions of glibc that load shared objects, in the build with -Dstatic=true only.
 *
 * glibc implements these functions by shared objects that it loads at run time (NSS, gconv,
 * dlopen). The objects must belong to the same glibc that the program is linked with, so a static
 * program that loads them can crash on another system. portmeter does not need these functions. The
 * libraries in it call them for features that portmeter does not use (SQLite's extensions, libuv's
 * names of hosts and users), or work without them (libarchive and popt, which then leave the bytes
 * of other character sets unchanged). */
#include <errno.h>
#include <grp.h>
#include <iconv.h>
#include <langinfo.h>
#include <locale.h>
#include <netdb.h>
#include <pwd.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

/* ---- no shared object is loaded ------------------------------------------------------------- */

/* The linker replaces calls of glibc's functions by calls of these (--wrap). A second definition
 * under the same name would conflict with glibc's own, which other parts of glibc need. */
void *__wrap_dlopen(const char *file, int mode);
void *__wrap_dlsym(void *restrict handle, const char *restrict name);
int __wrap_dlclose(void *handle);
char *__wrap_dlerror(void);

void *__wrap_dlopen(const char *file, int mode)
{
    (void)file;
    (void)mode;
    return NULL;
}

void *__wrap_dlsym(void *restrict handle, const char *restrict name)
{
    (void)handle;
    (void)name;
    return NULL;
}

int __wrap_dlclose(void *handle)
{
    (void)handle;
    return -1;
}

char *__wrap_dlerror(void)
{
    static char text[] = "a static program loads no shared objects";
    return text;
}

/* ---- no character set is converted ---------------------------------------------------------- */

iconv_t iconv_open(const char *to, const char *from)
{
    (void)to;
    (void)from;
    errno = EINVAL;
    return (iconv_t)-1; /* NOLINT: the value that POSIX names */
}

size_t iconv(iconv_t set, char **restrict in, size_t *restrict left, char **restrict out,
             size_t *restrict room)
{
    (void)set;
    (void)in;
    (void)left;
    (void)out;
    (void)room;
    errno = EBADF;
    return (size_t)-1;
}

int iconv_close(iconv_t set)
{
    (void)set;
    errno = EBADF;
    return -1;
}

/* ---- the only locale uses UTF-8 ------------------------------------------------------------- */

/* A locale consists of files of one glibc, and glibc reads gconv-modules.cache to find the locale
 * by its name. libarchive asks for the character set of the locale and converts the names of
 * members one character at a time. The linker replaces these calls (--wrap). Each conversion begins
 * at a whole character, so no state is kept. Like glibc, both conversions accept all values of 21
 * bits except surrogates. */
locale_t __wrap_newlocale(int mask, const char *name, locale_t base);
char *__real_nl_langinfo(nl_item item);
char *__wrap_nl_langinfo(nl_item item);
size_t __wrap___ctype_get_mb_cur_max(void);
size_t __wrap_mbrtowc(wchar_t *restrict wide, const char *restrict text, size_t length,
                      mbstate_t *restrict state);
size_t __wrap_wcrtomb(char *restrict text, wchar_t wide, mbstate_t *restrict state);

locale_t __wrap_newlocale(int mask, const char *name, locale_t base)
{
    (void)mask;
    (void)name;
    (void)base;
    errno = ENOENT;
    return (locale_t)0;
}

char *__wrap_nl_langinfo(nl_item item)
{
    static char set[] = "UTF-8";
    return item == CODESET ? set : __real_nl_langinfo(item);
}

/* Replaces the function that MB_CUR_MAX calls: a character has at most four bytes in UTF-8. */
size_t __wrap___ctype_get_mb_cur_max(void)
{
    return 4;
}

static size_t no_character(void)
{
    errno = EILSEQ;
    return (size_t)-1;
}

static int is_character(uint32_t value)
{
    return value < 0xd800 || (value > 0xdfff && value <= 0x1fffff);
}

size_t __wrap_mbrtowc(wchar_t *restrict wide, const char *restrict text, size_t length,
                      mbstate_t *restrict state)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* overlong forms are invalid */
    (void)state;
    if (!text)
        return 0;
    if (!length)
        return (size_t)-2;
    const unsigned char first = (unsigned char)*text;
    const size_t bytes = first < 0x80   ? 1
                         : first < 0xc2 ? 0
                         : first < 0xe0 ? 2
                         : first < 0xf0 ? 3
                         : first < 0xf8 ? 4
                                        : 0;
    uint32_t value = bytes < 2 ? first : first & (0x7fU >> bytes);
    if (!bytes)
        return no_character();
    for (size_t i = 1; i < bytes; i++) {
        if (i == length)
            return (size_t)-2;
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return no_character();
        value = value << 6 | ((unsigned char)text[i] & 0x3f);
    }
    if (value < least[bytes] || !is_character(value))
        return no_character();
    if (wide)
        *wide = (wchar_t)value;
    return value ? bytes : 0;
}

size_t __wrap_wcrtomb(char *restrict text, wchar_t wide, mbstate_t *restrict state)
{
    const uint32_t value = (uint32_t)wide;
    (void)state;
    if (!text)
        return 1;
    if (!is_character(value))
        return no_character();
    const size_t bytes = value < 0x80 ? 1 : value < 0x800 ? 2 : value < 0x10000 ? 3 : 4;
    for (size_t i = bytes; i-- > 1;)
        text[i] = (char)(0x80 | (value >> 6 * (bytes - 1 - i) & 0x3f));
    *text = (char)(bytes == 1 ? value : (0xf00U >> bytes & 0xff) | value >> 6 * (bytes - 1));
    return bytes;
}

/* ---- no name of a user, a group or a host is looked up -------------------------------------- */

int getpwuid_r(uid_t number, struct passwd *restrict user, char *restrict text, size_t length,
               struct passwd **restrict found)
{
    (void)number;
    (void)user;
    (void)text;
    (void)length;
    *found = NULL;
    return 0;
}

int getpwnam_r(const char *restrict name, struct passwd *restrict user, char *restrict text,
               size_t length, struct passwd **restrict found)
{
    (void)name;
    return getpwuid_r(0, user, text, length, found);
}

int getgrgid_r(gid_t number, struct group *restrict group, char *restrict text, size_t length,
               struct group **restrict found)
{
    (void)number;
    (void)group;
    (void)text;
    (void)length;
    *found = NULL;
    return 0;
}

int getaddrinfo(const char *restrict host, const char *restrict service,
                const struct addrinfo *restrict hints, struct addrinfo **restrict found)
{
    (void)host;
    (void)service;
    (void)hints;
    *found = NULL;
    return EAI_FAIL;
}

void freeaddrinfo(struct addrinfo *found)
{
    (void)found;
}

int getnameinfo(const struct sockaddr *restrict address, socklen_t length, char *restrict host,
                socklen_t host_length, char *restrict service, socklen_t service_length, int flags)
{
    (void)address;
    (void)length;
    (void)host;
    (void)host_length;
    (void)service;
    (void)service_length;
    (void)flags;
    return EAI_FAIL;
}
