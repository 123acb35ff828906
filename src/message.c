/* SPDX-License-Identifier: Apache-2.0
 *
 * message.c - the start of a message: from key and nonce to what a row needs; and the small texts.
 */
#include "internal.h"

void plait_chacha20_start(const plait_key_fields *k, plait_start *s, const uint8_t *nonce)
{
    if (k->alg == PLAIT_CHACHA20_POLY1305) {
        memcpy(s->iv, nonce, 12);
    } else { /* XChaCha20: a subkey from 16 bytes of the nonce, then 0^32 and the other 8 */
        memcpy(&s->sub, k->area, sizeof s->sub);
        plait_hchacha20(s->sub.raw, k->area, nonce);
        s->area = (const uint8_t *)&s->sub;
        memset(s->iv, 0, 4);
        memcpy(s->iv + 4, nonce + 16, 8);
    }
}

const char *plait_status_text(plait_status status)
{
    switch (status) {
    case PLAIT_OK:
        return "ok";
    case PLAIT_ERR_TAG:
        return "not authentic: the message, its associated data, nonce or tag was changed, or the "
               "key "
               "is another one";
    case PLAIT_ERR_LENGTH:
        return "message longer than the construction allows";
    case PLAIT_ERR_ARGUMENT:
        return "bad argument: key not set, wrong key, nonce or tag length, NULL with a length, "
               "buffers that overlap in part, or no such algorithm or CPU feature";
    case PLAIT_ERR_ORDER:
        return "streaming calls out of order, or on a stream that is finished or has failed";
    case PLAIT_ERR_KERNEL:
        return "kernel unknown, not built, of another construction, or not usable on this CPU";
    }
    return "unknown status";
}

#define TEXT(x)         #x
#define DOTTED(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *plait_version(void)
{
    return DOTTED(PLAIT_VERSION_MAJOR, PLAIT_VERSION_MINOR, PLAIT_VERSION_PATCH);
}
