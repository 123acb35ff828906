/* SPDX-License-Identifier: Apache-2.0
 *
 * Does the known-answer self-test accept every kernel that is right, by any way to it? (That it
 * refuses wrong ones is tested by mutation.sh, which makes them.)
 */
#include "harness.h"

int main(void)
{
    test_start("selftest: does it accept every kernel that is right?");
    for (size_t row = 0; row < PLAIT_ROW_COUNT; row++) {
        if (!test_kernel_case(row, "self-test")) continue;
        for (int i = 0; i < 10; i++) CHECK_OK(plait_selftest(plait_rows[row]->name));
    }
    test_case("all that are preferred");
    CHECK_OK(plait_selftest(NULL));
    test_case("all that are preferred under each limit");
    static const char *const limits[] = {
        "ref",     "sse2",  "ssse3",    "sse41", "avx",          "avx2",   "neon",  "-aes",
        "-pclmul", "-vaes", "-vpclmul", "-bmi2", "-avx512_ifma", "-pmull", "-sha3", "-vis3"};
    for (size_t i = 0; i < COUNT(limits); i++) {
        AT("limit %zu", i);
        CHECK_OK(plait_cpu_limit(limits[i]));
        CHECK_OK(plait_selftest(NULL));
    }
    CHECK_OK(plait_cpu_limit(""));
    test_case("names that can not be had");
    CHECK_INT(plait_selftest(""), PLAIT_ERR_KERNEL);
    CHECK_INT(plait_selftest("aes"), PLAIT_ERR_KERNEL);
    CHECK_INT(plait_selftest("aes_gcm_parts"), PLAIT_ERR_KERNEL);
    CHECK_OK(plait_cpu_limit("ref"));
    for (size_t row = 0; row < PLAIT_ROW_COUNT; row++)
        CHECK_INT(plait_selftest(plait_rows[row]->name),
                  plait_rows[row]->needs == 0 ? PLAIT_OK : PLAIT_ERR_KERNEL);
    return test_finish();
}
