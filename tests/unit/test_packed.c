/* Tests of Zstandard frames: packing, which frames are unpacked, and which are refused before
 * anything is allocated for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <zstd.h>

#include "base/packed.h"

static const char text[] = "many small files in one that is compressed";

enum { LENGTH = sizeof text };

struct frame {
    char bytes[256];
    struct pm_packed packed;
    struct pm_error err;
};

static void make(struct frame *f)
{
    *f = (struct frame){.packed = {f->bytes, 0, "the pack", "a.zst", "restore it"}};
    f->packed.size = ZSTD_compress(f->bytes, sizeof f->bytes, text, LENGTH, 3);
    assert_false(ZSTD_isError(f->packed.size));
}

static void test_whole_frame(void **state)
{
    (void)state;
    struct frame f;
    make(&f);
    size_t length = 0;
    char out[LENGTH];
    assert_int_equal(pm_packed_length(&f.packed, LENGTH, &length, &f.err), PM_OK);
    assert_int_equal(length, LENGTH);
    assert_int_equal(pm_packed_unpack(&f.packed, out, length, &f.err), PM_OK);
    assert_string_equal(out, text);
}

/* A packer can be used again, also with another level. */
static void test_a_packer_packs_again(void **state)
{
    (void)state;
    struct pm_packer packer = {0};
    struct pm_error err;
    for (int level = 3; level < 20; level += 16) {
        char out[LENGTH];
        size_t length = 0;
        assert_int_equal(pm_packer_pack(&packer, "other", 5, level, &err), PM_OK);
        assert_int_equal(pm_packer_pack(&packer, text, LENGTH, level, &err), PM_OK);
        const struct pm_packed packed = {packer.bytes, packer.size, NULL, NULL, NULL};
        assert_int_equal(pm_packed_length(&packed, LENGTH, &length, NULL), PM_OK);
        assert_int_equal(pm_packed_unpack(&packed, out, length, NULL), PM_OK);
        assert_string_equal(out, text);
        ((char *)packer.bytes)[packer.size - 1] ^= 1; /* damages the frame's checksum */
        assert_int_equal(pm_packed_unpack(&packed, out, length, NULL), PM_EFORMAT);
    }
    pm_packer_release(&packer);
}

static void test_every_shorter_frame_is_refused(void **state)
{
    (void)state;
    struct frame f;
    make(&f);
    while (f.packed.size-- > 0) {
        size_t length = 0;
        char out[LENGTH];
        const bool begins = !pm_packed_length(&f.packed, LENGTH, &length, &f.err);
        if (begins)
            assert_int_equal(pm_packed_unpack(&f.packed, out, length, &f.err), PM_EFORMAT);
        assert_string_equal(
            f.err.text,
            begins ? "the pack 'a.zst' is damaged: restore it"
                   : "the pack 'a.zst' is not a zstd frame that states its length: restore it");
    }
}

static void test_another_length_is_refused(void **state)
{
    (void)state;
    struct frame f;
    make(&f);
    char out[LENGTH + 1];
    assert_int_equal(pm_packed_unpack(&f.packed, out, LENGTH - 1, &f.err), PM_EFORMAT);
    assert_int_equal(pm_packed_unpack(&f.packed, out, LENGTH + 1, &f.err), PM_EFORMAT);
}

static void test_a_length_above_the_limit_is_refused(void **state)
{
    (void)state;
    static const unsigned char promises_2_gib[] = {0x28, 0xB5, 0x2F, 0xFD, 0xA0, /* 4-byte length */
                                                   0x00, 0x00, 0x00, 0x80, 0x01, 0x00, 0x00};
    const struct pm_packed packed = {promises_2_gib, sizeof promises_2_gib, "the pack", "a.zst",
                                     "restore it"};
    size_t length = 7;
    struct pm_error err;
    assert_int_equal(pm_packed_length(&packed, 64u << 20, &length, &err), PM_EFORMAT);
    assert_string_equal(err.text, "the pack 'a.zst' unpacks to more than 64 MiB: restore it");
    assert_int_equal(length, 7);
    assert_int_equal(pm_packed_length(&packed, 2u << 30, &length, NULL), PM_OK);
    assert_int_equal(length, 2u << 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_frame),
        cmocka_unit_test(test_a_packer_packs_again),
        cmocka_unit_test(test_every_shorter_frame_is_refused),
        cmocka_unit_test(test_another_length_is_refused),
        cmocka_unit_test(test_a_length_above_the_limit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
