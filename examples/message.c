/* SPDX-License-Identifier: Apache-2.0
 *
 * message.c - seals one message and opens it again; shows that a changed one is refused.
 *
 *   cc message.c -lplait && ./a.out
 */
#include <plait.h>
#include <stdio.h>

int main(void)
{
    static const uint8_t raw[32] =
        "an example key of 32 bytes only"; /* take yours from a key store */
    static const uint8_t nonce[12] = {1}; /* never twice with one key: a counter is best */
    static const uint8_t header[] = "to: Alice";
    static const uint8_t text[] = "The quick brown fox jumps over the lazy dog.";
    uint8_t sealed[sizeof text], opened[sizeof text], tag[PLAIT_TAG_MAX];
    plait_key key;

    plait_status status = plait_key_init(&key, PLAIT_AES_256_GCM, raw, sizeof raw);
    if (status == PLAIT_OK)
        status = plait_seal(&key, sealed, tag, nonce, sizeof nonce, header, sizeof header, text,
                            sizeof text);
    if (status == PLAIT_OK)
        status = plait_open(&key, opened, nonce, sizeof nonce, header, sizeof header, sealed,
                            sizeof sealed, tag);
    if (status != PLAIT_OK) {
        fprintf(stderr, "message: %s\n", plait_status_text(status));
        return 1;
    }
    printf("%s: %s\n", plait_key_kernel(&key), (const char *)opened);

    sealed[3] ^= 1;
    status = plait_open(&key, opened, nonce, sizeof nonce, header, sizeof header, sealed,
                        sizeof sealed, tag);
    printf("one bit flipped: %s\n", plait_status_text(status));
    plait_key_wipe(&key);
    return status == PLAIT_ERR_TAG && opened[0] == 0 ? 0 : 1;
}
