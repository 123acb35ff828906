/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_main.c - a fuzz target without libFuzzer: runs it once over each file named.
 */
#include "fuzz.h"

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        static uint8_t data[1 << 20];
        FILE *f = fopen(argv[i], "rb");
        if (f == NULL) {
            perror(argv[i]);
            return 2;
        }
        const size_t n = fread(data, 1, sizeof data, f);
        fclose(f);
        /* from memory of its own, so that a read past the end is seen */
        uint8_t *copy = room(n);
        memcpy(copy, data, n);
        LLVMFuzzerTestOneInput(copy, n);
        free(copy);
    }
    printf("%d inputs\n", argc - 1);
    return 0;
}
