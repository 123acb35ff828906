/* SPDX-License-Identifier: Apache-2.0
 *
 * evp.h - OpenSSL's libcrypto, loaded at run time where there is one, for comparison.
 */
#ifndef PLAIT_TEST_EVP_H
#define PLAIT_TEST_EVP_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct evp {
    void *(*ctx_new)(void);
    void (*ctx_free)(void *);
    int (*init)(void *, const void *, void *, const uint8_t *, const uint8_t *, int);
    int (*update)(void *, uint8_t *, int *, const uint8_t *, int);
    int (*final)(void *, uint8_t *, int *);
    int (*ctrl)(void *, int, int, void *);
    const void *(*aes_gcm[3])(void), *(*aes_ctr[3])(void);
    const void *(*chapoly)(void), *(*chacha20)(void);
} evp;

enum { EVP_SET_IVLEN = 9, EVP_GET_TAG = 16, EVP_SET_TAG = 17 };

static inline int evp_load(evp *e)
{
    static const char *const libraries[] = {"libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so",
                                            "libcrypto.3.dylib"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && library == NULL; i++)
        library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return 0;
    int missing = 0;
    void *f;
#define LOAD(field, name)                                                                          \
    (f = dlsym(library, name), missing += f == NULL, memcpy(&e->field, &f, sizeof f))
    LOAD(ctx_new, "EVP_CIPHER_CTX_new");
    LOAD(ctx_free, "EVP_CIPHER_CTX_free");
    LOAD(init, "EVP_CipherInit_ex");
    LOAD(update, "EVP_CipherUpdate");
    LOAD(final, "EVP_CipherFinal_ex");
    LOAD(ctrl, "EVP_CIPHER_CTX_ctrl");
    LOAD(aes_gcm[0], "EVP_aes_128_gcm");
    LOAD(aes_gcm[1], "EVP_aes_192_gcm");
    LOAD(aes_gcm[2], "EVP_aes_256_gcm");
    LOAD(aes_ctr[0], "EVP_aes_128_ctr");
    LOAD(aes_ctr[1], "EVP_aes_192_ctr");
    LOAD(aes_ctr[2], "EVP_aes_256_ctr");
    LOAD(chapoly, "EVP_chacha20_poly1305");
    LOAD(chacha20, "EVP_chacha20");
#undef LOAD
    return missing == 0;
}

#endif
