/* SPDX-License-Identifier: Apache-2.0
 *
 * file.c - seals a file in chunks, and opens it again without ever writing a byte that is not
 * authentic.
 *
 *   file seal KEYFILE <plain >sealed
 *   file open KEYFILE <sealed >plain         KEYFILE: 32 random bytes (head -c 32 /dev/urandom
 *   >KEYFILE)
 *
 * Format: 15 random bytes, then chunks of 65536 bytes of ciphertext and a 16-byte tag; the last one
 * is shorter, down to no text at all. The nonce of a chunk is the 15 bytes, its number (64 bits,
 * big-endian) and a byte that is 1 for the last: so chunks that were changed, swapped, dropped,
 * repeated, taken from another file or cut off at the end are all refused. What was written before
 * the fault is authentic.
 */
#include <plait.h>
#include <stdio.h>
#include <string.h>

#define CHUNK 65536

static uint8_t text[CHUNK], sealed[CHUNK + PLAIT_TAG_MAX];

static int fail(const char *why)
{
    fprintf(stderr, "file: %s\n", why);
    return 1;
}

static int read_exactly(const char *path, uint8_t *out, size_t len)
{
    FILE *f = fopen(path, "rb");
    const int ok = f != NULL && fread(out, 1, len, f) == len;
    if (f != NULL) fclose(f);
    return ok;
}

/* XChaCha20's 24-byte nonce of chunk n. */
static void chunk_nonce(uint8_t nonce[24], uint64_t n, int last)
{
    for (int i = 0; i < 8; i++) nonce[15 + i] = (uint8_t)(n >> (56 - 8 * i));
    nonce[23] = (uint8_t)last;
}

static int at_end(void)
{
    const int c = getchar();
    if (c != EOF) ungetc(c, stdin);
    return c == EOF;
}

static int seal_file(const plait_key *key)
{
    uint8_t nonce[24];
    int last = 0;
    if (!read_exactly("/dev/urandom", nonce, 15)) return fail("no random bytes");
    fwrite(nonce, 1, 15, stdout);
    for (uint64_t n = 0; !last; n++) {
        const size_t len = fread(text, 1, CHUNK, stdin);
        last = at_end();
        chunk_nonce(nonce, n, last);
        if (plait_seal(key, sealed, sealed + len, nonce, sizeof nonce, NULL, 0, text, len) !=
            PLAIT_OK)
            return fail("can not seal");
        fwrite(sealed, 1, len + PLAIT_TAG_MAX, stdout);
    }
    return ferror(stdin) || fflush(stdout) != 0 ? fail("read or write error") : 0;
}

static int open_file(const plait_key *key)
{
    uint8_t nonce[24];
    int last = 0;
    if (fread(nonce, 1, 15, stdin) != 15) return fail("not a sealed file");
    for (uint64_t n = 0; !last; n++) {
        const size_t len = fread(sealed, 1, sizeof sealed, stdin);
        if (len < PLAIT_TAG_MAX) return fail("cut off");
        last = at_end();
        chunk_nonce(nonce, n, last);
        const plait_status status =
            plait_open(key, text, nonce, sizeof nonce, NULL, 0, sealed, len - PLAIT_TAG_MAX,
                       sealed + len - PLAIT_TAG_MAX);
        if (status != PLAIT_OK) return fail(plait_status_text(status));
        fwrite(text, 1, len - PLAIT_TAG_MAX, stdout);
    }
    return ferror(stdin) || fflush(stdout) != 0 ? fail("read or write error") : 0;
}

int main(int argc, char **argv)
{
    uint8_t raw[32];
    plait_key key;
    if (argc != 3 || (strcmp(argv[1], "seal") != 0 && strcmp(argv[1], "open") != 0)) {
        fprintf(stderr, "usage: file seal|open KEYFILE <in >out\n");
        return 2;
    }
    if (!read_exactly(argv[2], raw, sizeof raw)) return fail("no key of 32 bytes");
    if (plait_key_init(&key, PLAIT_XCHACHA20_POLY1305, raw, sizeof raw) != PLAIT_OK)
        return fail("bad key");
    const int result = argv[1][0] == 's' ? seal_file(&key) : open_file(&key);
    plait_key_wipe(&key);
    return result;
}
