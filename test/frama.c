/* SPDX-License-Identifier: Apache-2.0
 *
 * frama.c - what frama.sh gives to Frama-C's Eva: the portable kernels, called with keys, states
 * and texts of any content, and lengths that take each path. FRAMA_CASE chooses the kernel.
 */
#include "../src/kernel.h"
#include "__fc_builtin.h"

#if FRAMA_CASE == 1
#include "../src/kernels/poly1305_ref.c"
#elif FRAMA_CASE == 2
#include "../src/kernels/poly1305_ref26.c"
#elif FRAMA_CASE == 3
#include "../src/kernels/chacha20_ref.c"
#elif FRAMA_CASE == 4
#include "../src/kernels/ghash_ref.c"
#elif FRAMA_CASE == 5
#include "../src/kernels/aes_ref.c"
#endif

#ifdef FRAMA_PLANT /* memory that ends too early: an alarm has to come */
static uint8_t in[127], out[200], key[32], small[16];
#else
static uint8_t in[200], out[200], key[32], small[16];
#endif

static void any_bytes(uint8_t *p, size_t n)
{
    Frama_C_make_unknown((char *)p, n);
}

int main(void)
{
    any_bytes(in, sizeof in), any_bytes(key, sizeof key), any_bytes(small, sizeof small);
#if FRAMA_CASE <= 2
    const plait_poly1305_fns *fn =
        FRAMA_CASE == 1 ? &plait_poly1305_ref.fn.poly1305 : &plait_poly1305_ref26.fn.poly1305;
    static const size_t lengths[] = {0, 1, 15, 16, 17, 48, 64};
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        plait_poly1305_acc acc;
        fn->mac(out, in, lengths[i], key);
        /* any state with h[2] < 8 and a clamped r */
        Frama_C_make_unknown((char *)&acc, sizeof acc);
        acc.h[2] &= 7;
        acc.r[0] &= UINT64_C(0x0ffffffc0fffffff);
        acc.r[1] &= UINT64_C(0x0ffffffc0ffffffc);
        fn->blocks(&acc, in, lengths[i] & ~(size_t)15);
        fn->final(&acc, out, in, lengths[i] & 15);
    }
#elif FRAMA_CASE == 3
    uint32_t state[16];
    static const size_t lengths[] = {0, 1, 63, 64, 65, 128};
    Frama_C_make_unknown((char *)state, sizeof state);
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        plait_chacha20_ref.fn.chacha20.xor_stream(out, in, lengths[i], state);
        plait_chacha20_ref.fn.chacha20.xor_stream(in, in, lengths[i], state);
    }
#elif FRAMA_CASE == 4
    static uint8_t area[PLAIT_GHASH_AREA];
    static const size_t lengths[] = {0, 1, 16, 17, 64, 79};
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        plait_ghash_ref.fn.ghash.init(area, key, lengths[i]);
        plait_ghash_ref.fn.ghash.update(area, small, in, lengths[i]);
    }
#elif FRAMA_CASE == 5
    static uint8_t area[PLAIT_AES_AREA];
    static const size_t lengths[] = {0, 1, 16, 17, 64, 65, 129};
    for (size_t key_len = 16; key_len <= 32; key_len += 8) {
        plait_aes_ref.fn.aes.init(area, key, key_len);
        for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
            plait_aes_ref.fn.aes.ctr32(area, out, in, lengths[i], small);
    }
#endif
    return 0;
}
