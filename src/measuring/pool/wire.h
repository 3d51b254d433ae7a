/*
 * Frames between the supervisor, drivers and children. The Python side is
 * drivers/pmdriver/process/wire.py; docs/internals/protocol.md describes the kinds and their JSON
 * keys.
 *
 * A frame is 16 bytes, then a JSON header, then a body of raw bytes, all little-endian:
 *
 *     offset  bytes
 *     0       2      'P' 'M'
 *     2       1      version, 1
 *     3       1      kind
 *     4       4      bytes of JSON header
 *     8       8      bytes of body
 *
 * Incoming bytes are not trusted: lengths have limits, the version and the kind must be known, the
 * header must be a JSON object. A violation ends the connection with one line that says what it
 * was.
 */
#ifndef PM_POOL_WIRE_H
#define PM_POOL_WIRE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

/* X(id, number, name) */
#define PM_FRAMES(X)                                                                               \
    X(HELLO, 1, "hello")     /* anyone -> supervisor: token, role driver|child                 */  \
    X(READY, 2, "ready")     /* driver -> supervisor: imported; versions, or error             */  \
    X(FORK, 3, "fork")       /* supervisor -> driver: token, limits and setting of a child     */  \
    X(FORKED, 4, "forked")   /* driver -> supervisor: pid                                      */  \
    X(EXITED, 5, "exited")   /* driver -> supervisor: pid, wait status, resource use, strays   */  \
    X(SWEPT, 6, "swept")     /* driver -> supervisor: all processes of that child have ended   */  \
    X(STARTED, 7, "started") /* child -> supervisor: start-up done, and its cost               */  \
    X(RUN, 8, "run")         /* supervisor -> child: one job                                   */  \
    X(ASK, 9, "ask")         /* child -> supervisor: requests generated arrays                 */  \
    X(GIVE, 10, "give")      /* supervisor -> child: these arrays                              */  \
    X(RESULT, 11, "result")  /* child -> supervisor: the result of the job                     */  \
    X(BYE, 12, "bye")        /* supervisor -> driver or child: no more work, exit              */

enum pm_frame_kind {
#define X(id, number, name) PM_FRAME_##id = number,
    PM_FRAMES(X)
#undef X
};

enum { PM_WIRE_VERSION = 1, PM_WIRE_PREFIX = 16 };
#define PM_WIRE_HEADER_MAX ((uint32_t)16 << 20)
#define PM_WIRE_BODY_MAX   ((uint64_t)1 << 31)
#define PM_WIRE_DEPTH_MAX  128U /* limit of nested arrays and objects in a header */

struct pm_frame {
    unsigned kind;
    json_t *header;            /* an object; borrowed by the receiver                */
    const unsigned char *body; /* borrowed; valid as long as the frame               */
    uint64_t body_length;
};

/* Returns NULL for an unknown kind. */
const char *pm_frame_name(unsigned kind);

/* Appends the 16 bytes and the header's text to `out`; the caller appends the body. */
void pm_wire_begin(struct pm_str *out, unsigned kind, const json_t *header, uint64_t body_length);

/*
 * Reads frames from a stream of bytes. pm_wire_feed() consumes all bytes and calls `frame` for each
 * whole frame, in order. It fails with PM_EFORMAT at the first violation, or with the error of
 * `frame`; the reader is unusable after that. A zero-initialised reader is empty.
 */
struct pm_wire_reader {
    unsigned char *bytes;
    size_t length, capacity;
    bool dead;
};
typedef int pm_wire_frame_fn(void *ctx, const struct pm_frame *frame, struct pm_error *err);

PM_MUST_USE int pm_wire_feed(struct pm_wire_reader *reader, const void *bytes, size_t length,
                             pm_wire_frame_fn *frame, void *ctx, struct pm_error *err);
/* Returns whether the reader has bytes of an unfinished frame. At the end of a connection, this
 * means that the peer died while it sent a frame. */
bool pm_wire_partial(const struct pm_wire_reader *reader);
void pm_wire_release(struct pm_wire_reader *reader);

#endif
