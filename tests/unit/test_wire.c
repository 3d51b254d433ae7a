/* Tests of frames and of streams that are none. */
#include "pool/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/json.h"

/* What a reader delivered. */
struct seen {
    unsigned count, kinds[8];
    int64_t numbers[8];
    uint64_t body_lengths[8];
    struct pm_str bodies;
    int refuse_at; /* this frame, counted from 1, is refused */
};

static int on_frame(void *ctx, const struct pm_frame *frame, struct pm_error *err)
{
    struct seen *const seen = ctx;
    assert_true(seen->count < 8);
    seen->kinds[seen->count] = frame->kind;
    seen->numbers[seen->count] = pm_json_int(frame->header, "n", -1);
    seen->body_lengths[seen->count] = frame->body_length;
    pm_str_add_bytes(&seen->bodies, frame->body, (size_t)frame->body_length);
    seen->count++;
    if (seen->refuse_at == (int)seen->count)
        return pm_error_set(err, PM_EIO, "refused");
    return PM_OK;
}

static void add_frame(struct pm_str *out, unsigned kind, int n, const char *body)
{
    json_t *const header = json_pack("{s:i}", "n", n);
    pm_wire_begin(out, kind, header, strlen(body));
    pm_str_add(out, body);
    json_decref(header);
}

static void add_three(struct pm_str *out)
{
    add_frame(out, PM_FRAME_ASK, 1, "");
    add_frame(out, PM_FRAME_RESULT, 2, "some bytes of an array");
    add_frame(out, PM_FRAME_BYE, 3, "");
}

static void has_the_layout_of_its_manual(void **state)
{
    static const unsigned char expected[] = {'P', 'M', 1, 11, 7,   0,   0,   0,   4,   1,   0,  0,
                                             0,   0,   0, 0,  '{', '"', 'n', '"', ':', '5', '}'};
    struct pm_str out = PM_STR_INIT;
    json_t *const header = json_pack("{s:i}", "n", 5);
    (void)state;
    pm_wire_begin(&out, PM_FRAME_RESULT, header, 260);
    assert_int_equal(out.length, sizeof expected);
    assert_memory_equal(out.data, expected, sizeof expected);
    json_decref(header);
    pm_str_release(&out);
}

/* However the bytes are cut, the same frames come out. */
static void reassembles_frames_from_any_pieces(void **state)
{
    struct pm_str stream = PM_STR_INIT;
    (void)state;
    add_three(&stream);
    for (size_t piece = 1; piece <= stream.length; piece++) {
        struct pm_wire_reader reader = {0};
        struct seen seen = {.bodies = PM_STR_INIT};
        for (size_t at = 0; at < stream.length; at += piece) {
            const size_t length = stream.length - at < piece ? stream.length - at : piece;
            /* A copy of its own, so that a byte read beyond it is found by valgrind and ASan. */
            char *const part = pm_alloc(length);
            memcpy(part, stream.data + at, length);
            assert_int_equal(pm_wire_feed(&reader, part, length, on_frame, &seen, NULL), PM_OK);
            free(part);
        }
        assert_int_equal(seen.count, 3);
        assert_int_equal(seen.kinds[1], PM_FRAME_RESULT);
        assert_int_equal(seen.numbers[0], 1);
        assert_int_equal(seen.numbers[2], 3);
        assert_string_equal(seen.bodies.data, "some bytes of an array");
        assert_false(pm_wire_partial(&reader));
        pm_str_release(&seen.bodies);
        pm_wire_release(&reader);
    }
    pm_str_release(&stream);
}

static void tells_an_unfinished_frame(void **state)
{
    struct pm_str stream = PM_STR_INIT;
    struct pm_wire_reader reader = {0};
    struct seen seen = {.bodies = PM_STR_INIT};
    (void)state;
    add_three(&stream);
    assert_false(pm_wire_partial(&reader));
    assert_int_equal(pm_wire_feed(&reader, stream.data, stream.length - 1, on_frame, &seen, NULL),
                     PM_OK);
    assert_int_equal(seen.count, 2);
    assert_true(pm_wire_partial(&reader));
    pm_str_release(&seen.bodies);
    pm_wire_release(&reader);
    pm_str_release(&stream);
}

static void assert_breach(const void *bytes, size_t length, const char *text)
{
    struct pm_wire_reader reader = {0};
    struct seen seen = {.bodies = PM_STR_INIT};
    struct pm_error error = {{0}};
    assert_int_equal(pm_wire_feed(&reader, bytes, length, on_frame, &seen, &error), PM_EFORMAT);
    if (!strstr(error.text, text))
        fail_msg("'%s' is not in '%s'", text, error.text);
    assert_int_equal(seen.count, 0);
    assert_int_equal(pm_wire_feed(&reader, bytes, length, on_frame, &seen, &error), PM_EFORMAT);
    assert_string_equal(error.text, "bytes after an invalid frame");
    pm_str_release(&seen.bodies);
    pm_wire_release(&reader);
}

#define BREACH(bytes, text) assert_breach(bytes, sizeof(bytes) - 1, text)

static void refuses_breaches(void **state)
{
    (void)state;
    BREACH("GET / HTTP/1.1\r\n\r\n", "bytes that are not a frame");
    BREACH("PM\x02\x01\x02\0\0\0\0\0\0\0\0\0\0\0{}", "a frame of version 2 instead of 1");
    BREACH("PM\x01\x0d\x02\0\0\0\0\0\0\0\0\0\0\0{}", "a frame of unknown kind 13");
    BREACH("PM\x01\0\x02\0\0\0\0\0\0\0\0\0\0\0{}", "a frame of unknown kind 0");
    BREACH("PM\x01\x01\x01\0\0\x01\0\0\0\0\0\0\0\0", "header of frame 'hello' has 16777217 bytes");
    BREACH("PM\x01\x0b\x02\0\0\0\x01\0\0\x80\0\0\0\0",
           "body of frame 'result' has 2147483649 bytes");
    BREACH("PM\x01\x0b\x02\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff",
           "has 18446744073709551615 bytes");
    BREACH("PM\x01\x01\0\0\0\0\0\0\0\0\0\0\0\0", "the header of frame 'hello': ");
    BREACH("PM\x01\x01\x02\0\0\0\0\0\0\0\0\0\0\0[]",
           "the header of frame 'hello' is not an object");
    BREACH("PM\x01\x01\x04\0\0\0\0\0\0\0\0\0\0\0{\"\xff\"", "the header of frame 'hello': ");
    BREACH("PM\x01\x01\x0d\0\0\0\0\0\0\0\0\0\0\0{\"a\":1,\"a\":2}",
           "the header of frame 'hello': ");
}

static void stops_at_a_refused_frame(void **state)
{
    struct pm_str stream = PM_STR_INIT;
    struct pm_wire_reader reader = {0};
    struct seen seen = {.bodies = PM_STR_INIT, .refuse_at = 2};
    struct pm_error error;
    (void)state;
    add_three(&stream);
    assert_int_equal(pm_wire_feed(&reader, stream.data, stream.length, on_frame, &seen, &error),
                     PM_EIO);
    assert_string_equal(error.text, "refused");
    assert_int_equal(seen.count, 2);
    pm_str_release(&seen.bodies);
    pm_wire_release(&reader);
    pm_str_release(&stream);
}

static void keeps_no_more_than_comes(void **state)
{
    static const char prefix[] = "PM\x01\x0b\x02\0\0\0\0\0\0\x40\0\0\0\0{}"; /* 1 GiB announced */
    struct pm_wire_reader reader = {0};
    struct seen seen = {.bodies = PM_STR_INIT};
    (void)state;
    assert_int_equal(pm_wire_feed(&reader, prefix, sizeof prefix - 1, on_frame, &seen, NULL),
                     PM_OK);
    assert_true(reader.capacity < 1 << 20);
    pm_wire_release(&reader);
}

/* Random bytes, and frames with one byte changed: a breach or a frame, never anything else. */
static void survives_noise(void **state)
{
    struct pm_str stream = PM_STR_INIT;
    unsigned seed = 7;
    (void)state;
    add_three(&stream);
    for (unsigned i = 0; i < 20000; i++) {
        char *const noisy = pm_alloc(stream.length);
        struct pm_wire_reader reader = {0};
        struct seen seen = {.bodies = PM_STR_INIT};
        memcpy(noisy, stream.data, stream.length);
        noisy[(unsigned)rand_r(&seed) % stream.length] = (char)rand_r(&seed);
        const int rc = pm_wire_feed(&reader, noisy, stream.length, on_frame, &seen, NULL);
        assert_true(rc == PM_OK || rc == PM_EFORMAT);
        pm_str_release(&seen.bodies);
        pm_wire_release(&reader);
        free(noisy);
    }
    pm_str_release(&stream);
}

static void names_kinds(void **state)
{
    (void)state;
    assert_string_equal(pm_frame_name(PM_FRAME_HELLO), "hello");
    assert_string_equal(pm_frame_name(PM_FRAME_BYE), "bye");
    assert_null(pm_frame_name(0));
    assert_null(pm_frame_name(13));
}

/* What is stored as JSON must be readable by SQLite, which nests less deep than jansson. */
static void refuses_a_header_that_nests_too_deep(void **state)
{
    (void)state;
    for (unsigned levels = PM_WIRE_DEPTH_MAX; levels <= PM_WIRE_DEPTH_MAX + 1; levels++) {
        struct pm_wire_reader reader = {0};
        struct seen seen = {.bodies = PM_STR_INIT};
        struct pm_str out = PM_STR_INIT;
        json_t *header = json_pack("{s:i}", "n", 1), *inner = json_array();
        for (unsigned i = 2; i < levels; i++)
            inner = i % 2 ? json_pack("[o]", inner) : json_pack("{s:o}", "x", inner);
        json_object_set_new(header, "x", inner);
        pm_wire_begin(&out, PM_FRAME_RESULT, header, 0);
        assert_int_equal(pm_wire_feed(&reader, out.data, out.length, on_frame, &seen, NULL),
                         levels > PM_WIRE_DEPTH_MAX ? PM_EFORMAT : PM_OK);
        json_decref(header);
        pm_wire_release(&reader);
        pm_str_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_a_header_that_nests_too_deep),
        cmocka_unit_test(has_the_layout_of_its_manual),
        cmocka_unit_test(reassembles_frames_from_any_pieces),
        cmocka_unit_test(tells_an_unfinished_frame),
        cmocka_unit_test(refuses_breaches),
        cmocka_unit_test(stops_at_a_refused_frame),
        cmocka_unit_test(keeps_no_more_than_comes),
        cmocka_unit_test(survives_noise),
        cmocka_unit_test(names_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
