/* What a static program leaves out: only in the build with -Dstatic=true, where these take the
 * place of glibc's.
 *
 * glibc answers these calls by shared objects that it loads at run time (NSS, gconv, dlopen). They
 * must be of the very glibc that the program is linked with, so a static program that loads them
 * can crash on another system. portmeter calls none of them: the libraries inside refer to them,
 * for features that portmeter does not use (SQLite's extensions, libuv's names of hosts and users),
 * or for which they do without (the character sets of libarchive and popt, which then take bytes as
 * they are). */
#include <errno.h>
#include <grp.h>
#include <iconv.h>
#include <netdb.h>
#include <pwd.h>
#include <stddef.h>

/* ---- no shared object is loaded ------------------------------------------------------------- */

/* The linker replaces calls by these (--wrap), because glibc itself contains the others. */
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
