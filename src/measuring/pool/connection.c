/* Opens the socket to which drivers and children connect, identifies them by their first frame, and
 * reads and sends frames. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/trace.h"
#include "pool/pool_private.h"

enum {
    BACKLOG = 128,
    HELLO_BYTES = 4096, /* limit of bytes before a peer has identified itself */
};

void pm_pool__new_token(char token[static PM_POOL_TOKEN_BYTES])
{
    unsigned char bits[(PM_POOL_TOKEN_BYTES - 1) / 2];
    if (getrandom(bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        PM_BUG("the kernel provides no random bytes");
    for (size_t i = 0; i < sizeof bits; i++)
        snprintf(token + 2 * i, 3, "%02x", bits[i]);
}

/* --- closing --- */

static void on_closed(uv_handle_t *handle)
{
    struct pm_pool__connection *const connection = handle->data;
    pm_wire_release(&connection->reader);
    pm_str_release(&connection->early);
    free(connection);
}

static void detach(struct pm_pool__connection *connection)
{
    struct pm_pool *const pool = connection->pool;
    if (connection->previous)
        connection->previous->next = connection->next;
    else
        pool->connections = connection->next;
    if (connection->next)
        connection->next->previous = connection->previous;
    if (connection->role == PM_ROLE_STRANGER)
        pool->strangers--;
}

void pm_pool__close(struct pm_pool__connection *connection)
{
    if (!connection || connection->closing)
        return;
    connection->closing = true;
    detach(connection);
    if (connection->child)
        connection->child->control = NULL;
    if (connection->driver)
        connection->driver->connection = NULL;
    connection->child = NULL;
    connection->driver = NULL;
    uv_close((uv_handle_t *)&connection->pipe, on_closed);
}

/* Informs the driver or child of a connection that the peer has closed. */
static void on_end(struct pm_pool__connection *connection)
{
    const bool in_frame = pm_wire_partial(&connection->reader);
    struct pm_pool__child *const child = connection->child;
    struct pm_pool__driver *const driver = connection->driver;
    pm_pool__close(connection);
    if (driver)
        driver->pool->events->driver_closed(driver);
    else if (child)
        child->pool->events->child_closed(child, in_frame);
}

/* --- connecting --- */

static struct pm_pool__child *child_of_pid(const struct pm_pool *pool, int pid)
{
    for (unsigned i = 0; i < pool->options.slots; i++) {
        struct pm_pool__child *const child = pool->slots[i].child;
        if (child && child->pid == pid)
            return child;
    }
    return NULL;
}

static bool some_child_is_unknown(const struct pm_pool *pool)
{
    for (unsigned i = 0; i < pool->options.slots; i++)
        if (pool->slots[i].child && pool->slots[i].child->state == PM_CHILD_FORKING)
            return true;
    return false;
}

/* Refuses an unidentified peer that sent something invalid. If the peer is a child, the child is
 * killed. If it may be a child whose pid is not known yet, the decision is postponed. Any other
 * connection is only closed. */
static void refuse(struct pm_pool__connection *connection, const char *why)
{
    struct pm_pool__child *const child = child_of_pid(connection->pool, connection->pid);
    if (!child && some_child_is_unknown(connection->pool)) {
        connection->refused = true;
        uv_read_stop((uv_stream_t *)&connection->pipe);
        return;
    }
    pm_pool__close(connection);
    if (child)
        child->pool->events->child_lied(child, why);
}

static bool same_token(const char *token, const char *shown)
{
    return token[0] && strcmp(token, shown) == 0;
}

static void take_role(struct pm_pool__connection *connection, enum pm_pool__role role)
{
    connection->pool->strangers--;
    connection->role = role;
}

static bool claim_driver(struct pm_pool__connection *connection, struct pm_pool__driver *driver,
                         const char *token)
{
    if (!same_token(driver->token, token) ||
        !driver->pool->events->driver_accepts(driver, connection->pid))
        return false;
    driver->token[0] = '\0';
    driver->pid = connection->pid;
    driver->contained = pm_pool__is_contained(connection->pid);
    driver->connection = connection;
    connection->driver = driver;
    take_role(connection, PM_ROLE_DRIVER);
    return true;
}

static bool claim_child(struct pm_pool__connection *connection, struct pm_pool__child *child,
                        const char *token)
{
    if (!same_token(child->token, token) || (child->pid != 0 && child->pid != connection->pid))
        return false;
    child->token[0] = '\0';
    child->control = connection;
    child->connected = true;
    connection->child = child;
    take_role(connection, PM_ROLE_CHILD);
    if (child->pid == 0)
        uv_read_stop((uv_stream_t *)&connection->pipe);
    return true;
}

static bool claim(struct pm_pool__connection *connection, const char *role, const char *token)
{
    const struct pm_pool *const pool = connection->pool;
    const bool for_child = strcmp(role, "child") == 0;
    const bool for_driver = strcmp(role, "driver") == 0;
    for (unsigned i = 0; i < pool->options.slots; i++) {
        const struct pm_pool__slot *const slot = &pool->slots[i];
        if (for_child && slot->child && claim_child(connection, slot->child, token))
            return true;
        for (struct pm_pool__driver *d = slot->drivers; for_driver && d; d = d->next)
            if (claim_driver(connection, d, token))
                return true;
    }
    return false;
}

static int on_hello(void *ctx, const struct pm_frame *frame, struct pm_error *err)
{
    struct pm_pool__connection *const connection = ctx;
    if (frame->kind != PM_FRAME_HELLO)
        return pm_error_set(err, PM_EFORMAT, "frame '%s' came before frame 'hello'",
                            pm_frame_name(frame->kind));
    const char *const role = pm_json_string(frame->header, "role", "");
    const char *const token = pm_json_string(frame->header, "token", "");
    if (!claim(connection, role, token))
        return pm_error_set(err, PM_EFORMAT, "a process connected with an invalid token");
    return PM_OK;
}

/* Reads only the first frame, which names the role; the bytes after it are for that role. Returns
 * how many bytes were used. */
static size_t feed_hello(struct pm_pool__connection *connection, const char *bytes, size_t length)
{
    size_t used = 0;
    while (used < length && connection->role == PM_ROLE_STRANGER && !connection->refused &&
           !connection->closing) {
        struct pm_error why = {{0}};
        const size_t missing = pm_wire__missing(&connection->reader);
        const size_t part = missing < length - used ? missing : length - used;
        if (missing > HELLO_BYTES)
            refuse(connection, "the first frame is too long");
        else if (pm_wire_feed(&connection->reader, bytes + used, part, on_hello, connection, &why))
            refuse(connection, why.text);
        used += part;
    }
    return used;
}

/* --- reading --- */

/* Traces the members of a frame that identify its job, but not tokens or arrays. */
static void trace_frame(const char *way, const struct pm_pool__connection *connection,
                        unsigned kind, const json_t *header, uint64_t body_length)
{
    if (!pm_trace_is_on())
        return;
    const char *const role = connection->driver ? "driver" : connection->child ? "child" : "?";
    const json_t *const pid = json_object_get(header, "pid");
    pm_trace(way, "{s:s, s:s, s:i, s:s*, s:s*, s:s*, s:s*, s:O*, s:I}", "frame",
             pm_frame_name(kind), "peer", role, "pid", connection->pid, "function",
             json_string_value(json_object_get(header, "function")), "case",
             json_string_value(json_object_get(header, "case")), "stage",
             json_string_value(json_object_get(header, "stage")), "error",
             json_string_value(json_object_get(header, "error")), "of", pid, "bytes",
             (json_int_t)body_length);
}

static int on_frame(void *ctx, const struct pm_frame *frame, struct pm_error *err)
{
    struct pm_pool__connection *const connection = ctx;
    trace_frame("received", connection, frame->kind, frame->header, frame->body_length);
    if (connection->driver)
        return connection->pool->events->driver_frame(connection->driver, frame, err);
    if (connection->child)
        return connection->pool->events->child_frame(connection->child, frame, err);
    return PM_OK;
}

static void feed_frames(struct pm_pool__connection *connection, const char *bytes, size_t length)
{
    struct pm_error why = {{0}};
    if (connection->child && connection->child->kill != PM_KILL_NONE)
        return;
    if (pm_wire_feed(&connection->reader, bytes, length, on_frame, connection, &why) == PM_OK)
        return;
    if (connection->pool->rc)
        return;
    if (connection->driver) {
        struct pm_error reported;
        pm_error_set(&reported, PM_EFORMAT,
                     "%s: unset PORTMETER_HOME, or report this fault of portmeter", why.text);
        connection->pool->events->driver_lied(connection->driver, reported.text);
    } else if (connection->child)
        connection->pool->events->child_lied(connection->child, why.text);
}

static void route(struct pm_pool__connection *connection, const char *bytes, size_t length)
{
    if (connection->role == PM_ROLE_STRANGER) {
        const size_t used = feed_hello(connection, bytes, length);
        bytes += used;
        length -= used;
    }
    if (length == 0 || connection->closing || connection->refused)
        return;
    if (connection->child && connection->child->pid == 0)
        pm_str_add_bytes(&connection->early, bytes, length);
    else
        feed_frames(connection, bytes, length);
}

static void on_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    struct pm_pool__connection *const connection = handle->data;
    (void)suggested;
    *out = uv_buf_init(connection->pool->buffer, sizeof connection->pool->buffer);
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *buffer)
{
    struct pm_pool__connection *const connection = stream->data;
    struct pm_pool *const pool = connection->pool;
    if (length > 0 && !pool->rc)
        route(connection, buffer->base, (size_t)length);
    else if (length < 0)
        on_end(connection);
    pool->events->turn(pool);
}

static void start_reading(struct pm_pool__connection *connection)
{
    if (uv_read_start((uv_stream_t *)&connection->pipe, on_buffer, on_read) != 0)
        on_end(connection);
}

static void read_early(struct pm_pool__connection *connection)
{
    struct pm_str early = connection->early;
    pm_str_init(&connection->early);
    start_reading(connection);
    route(connection, early.data, early.length);
    pm_str_release(&early);
}

void pm_pool__child_identified(struct pm_pool__child *child)
{
    if (child->control && child->control->pid != child->pid)
        pm_pool__close(child->control);
    if (child->control)
        read_early(child->control);
    struct pm_pool__connection *next;
    for (struct pm_pool__connection *c = child->pool->connections; c; c = next) {
        next = c->next;
        if (c->refused && c->pid == child->pid) {
            pm_pool__close(c);
            child->pool->events->child_lied(child, "a process connected with an invalid token");
        }
    }
}

void pm_pool__expire_strangers(struct pm_pool *pool)
{
    const uint64_t now = pm_clock_now();
    struct pm_pool__connection *next;
    for (struct pm_pool__connection *c = pool->connections; c; c = next) {
        next = c->next;
        if (c->role == PM_ROLE_STRANGER && now - c->since > pm_pool__ns(PM_POOL_STRANGER_MS))
            pm_pool__close(c);
    }
}

/* --- the socket --- */

/* Closes the oldest unidentified connection, so that a process with many connections does not block
 * children. A child sends its token at once, so its connection is identified before it is the
 * oldest. */
static void close_oldest_stranger(struct pm_pool *pool)
{
    struct pm_pool__connection *oldest = NULL;
    for (struct pm_pool__connection *c = pool->connections; c; c = c->next)
        if (c->role == PM_ROLE_STRANGER)
            oldest = c;
    pm_pool__close(oldest);
}

static void on_connection(uv_stream_t *listener, int status)
{
    struct pm_pool *const pool = listener->data;
    if (status < 0)
        return;
    struct pm_pool__connection *const connection = pm_alloc(sizeof *connection);
    connection->pool = pool;
    connection->since = pm_clock_now();
    pm_str_init(&connection->early);
    uv_pipe_init(&pool->loop, &connection->pipe, 0);
    connection->pipe.data = connection;
    connection->next = pool->connections;
    if (connection->next)
        connection->next->previous = connection;
    pool->connections = connection;
    pool->strangers++;
    uv_os_fd_t fd;
    if (uv_accept(listener, (uv_stream_t *)&connection->pipe) != 0 ||
        uv_fileno((uv_handle_t *)&connection->pipe, &fd) != 0) {
        pm_pool__close(connection);
        return;
    }
    connection->pid = pm_pool__peer_pid(fd);
    start_reading(connection);
    if (pool->strangers > PM_POOL_STRANGERS)
        close_oldest_stranger(pool);
}

static void on_listener_closed(uv_handle_t *listener)
{
    free(listener);
}

void pm_pool__listen_end(struct pm_pool *pool)
{
    if (!pool->listener)
        return;
    uv_close((uv_handle_t *)pool->listener, on_listener_closed); /* removes the socket */
    pool->listener = NULL;
}

static bool is_listening(const struct pm_pool *pool)
{
    struct stat now;
    return pool->listener && lstat(pool->socket_path, &now) == 0 &&
           now.st_dev == pool->socket.st_dev && now.st_ino == pool->socket.st_ino;
}

static int open_listener(struct pm_pool *pool)
{
    pool->listener = pm_alloc(sizeof *pool->listener);
    int rc = uv_pipe_init(&pool->loop, pool->listener, 0);
    pool->listener->data = pool;
    if (rc == 0)
        rc = uv_pipe_bind(pool->listener, pool->socket_path);
    if (rc == 0)
        rc = uv_listen((uv_stream_t *)pool->listener, BACKLOG, on_connection);
    if (rc == 0 && lstat(pool->socket_path, &pool->socket) != 0)
        rc = UV_ENOENT;
    return rc;
}

int pm_pool__listen(struct pm_pool *pool, struct pm_error *err)
{
    const size_t longest = sizeof((struct sockaddr_un *)0)->sun_path - 1;
    if (is_listening(pool))
        return PM_OK;
    if (strlen(pool->socket_path) > longest)
        return pm_error_set(err, PM_EIO,
                            "the path of the socket '%s' has more than %zu bytes: set TMPDIR to a "
                            "folder with a shorter path",
                            pool->socket_path, longest);
    const bool again = pool->listener != NULL;
    pm_pool__listen_end(pool);
    if (again && mkdir(pool->scratch, 0700) != 0 && errno != EEXIST)
        return pm_error_errno(err, "cannot create folder '%s'", pool->scratch);
    const int rc = open_listener(pool);
    if (rc != 0)
        return pm_error_set(err, PM_EIO, "cannot listen on '%s': %s%s", pool->socket_path,
                            uv_strerror(rc), pm_error_advice(-rc));
    return PM_OK;
}

/* --- writing --- */

struct rest {
    uv_write_t request;
    struct pm_str head, body;
};

static void on_written(uv_write_t *request, int status)
{
    struct rest *const rest = request->data;
    (void)status; /* the end of the connection is reported elsewhere */
    pm_str_release(&rest->head);
    pm_str_release(&rest->body);
    free(rest);
}

/* Lets the loop send the bytes that the socket did not accept at once; `sent` bytes were sent. */
static void send_later(struct pm_pool__connection *connection, struct pm_str *body, size_t sent)
{
    const struct pm_str *const frame = &connection->pool->frame;
    const size_t head_sent = sent < frame->length ? sent : frame->length;
    struct rest *const rest = pm_alloc(sizeof *rest);
    pm_str_init(&rest->head);
    pm_str_add_bytes(&rest->head, frame->data + head_sent, frame->length - head_sent);
    pm_str_init(&rest->body);
    if (body) {
        rest->body = *body;
        pm_str_init(body);
    }
    rest->request.data = rest;
    const size_t body_sent = sent - head_sent;
    const uv_buf_t parts[] = {
        {.base = rest->head.data, .len = rest->head.length},
        {.base = rest->body.data + body_sent, .len = rest->body.length - body_sent},
    };
    if (uv_write(&rest->request, (uv_stream_t *)&connection->pipe, parts, 2, on_written) != 0)
        on_written(&rest->request, 0);
}

void pm_pool__send(struct pm_pool__connection *connection, unsigned kind, const json_t *header,
                   struct pm_str *body)
{
    if (connection && !connection->closing) {
        struct pm_str *const frame = &connection->pool->frame;
        const size_t body_length = body ? body->length : 0;
        trace_frame("sent", connection, kind, header, body_length);
        pm_str_clear(frame);
        pm_wire_begin(frame, kind, header, body_length);
        const uv_buf_t parts[] = {
            {.base = frame->data, .len = frame->length},
            {.base = body ? body->data : NULL, .len = body_length},
        };
        const int sent = uv_try_write((uv_stream_t *)&connection->pipe, parts, body_length ? 2 : 1);
        if (sent == UV_EAGAIN || (sent >= 0 && (size_t)sent < frame->length + body_length))
            send_later(connection, body, sent > 0 ? (size_t)sent : 0);
    }
    if (body)
        pm_str_release(body);
}
