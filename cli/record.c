/* SPDX-License-Identifier: Apache-2.0
 *
 * record.c - see record.h. GB/s as published, or computed from the published ops/s.
 */
#include "record.h"

#include <string.h>

const record_source record_sources[] = {
    {"M1", "Apple M1, the best of four kernels: JDK-8350126; Poly1305: JDK-8296411"},
    {"N1", "Neoverse N1, the best of four kernels: JDK-8350126"},
    {"A72", "Cortex-A72, the best of four kernels: JDK-8350126"},
    {"AVX", "x86, AVX, with byte shuffles; CPU not named: JDK-8247645"},
    {"AVX2", "x86, AVX2, with byte shuffles; CPU not named: JDK-8247645"},
    {"TX", "ThunderX, scalar; error bars of 30 to 90 % up to 1024 bytes: JDK-8296411"},
    {"IFMA", "x86, AVX-512 IFMA: JDK-8288047"},
    {"8u", "Xeon E5-2660 v3, 2.6 GHz, JDK 8u with GHASH: JDK-8073108"},
    {"11", "Xeon E5-2660 v3, 2.6 GHz, JDK 11: JDK-8073108"},
    {"VAES", "x86, AVX-512 and VAES: JDK-8337632"},
    {"AES-AVX2", "x86, AVX2: JDK-8314901"},
};
const size_t record_source_count = sizeof record_sources / sizeof *record_sources;

const record_figure record_figures[] = {
    {"ChaCha20.decrypt", 256, "M1", 1.064},
    {"ChaCha20.decrypt", 256, "N1", 0.604},
    {"ChaCha20.decrypt", 256, "A72", 0.211},
    {"ChaCha20.decrypt", 1024, "M1", 1.251},
    {"ChaCha20.decrypt", 1024, "N1", 0.752},
    {"ChaCha20.decrypt", 1024, "A72", 0.283},
    {"ChaCha20.decrypt", 4096, "M1", 1.31},
    {"ChaCha20.decrypt", 4096, "N1", 0.804},
    {"ChaCha20.decrypt", 4096, "A72", 0.31},
    {"ChaCha20.decrypt", 16384, "M1", 1.321},
    {"ChaCha20.decrypt", 16384, "N1", 0.819},
    {"ChaCha20.decrypt", 16384, "A72", 0.317},
    {"ChaCha20.encrypt", 256, "M1", 0.95},
    {"ChaCha20.encrypt", 256, "N1", 0.552},
    {"ChaCha20.encrypt", 256, "A72", 0.205},
    {"ChaCha20.encrypt", 1024, "M1", 1.197},
    {"ChaCha20.encrypt", 1024, "N1", 0.731},
    {"ChaCha20.encrypt", 1024, "A72", 0.281},
    {"ChaCha20.encrypt", 4096, "M1", 1.29},
    {"ChaCha20.encrypt", 4096, "N1", 0.796},
    {"ChaCha20.encrypt", 4096, "A72", 0.309},
    {"ChaCha20.encrypt", 16384, "M1", 1.317},
    {"ChaCha20.encrypt", 16384, "N1", 0.813},
    {"ChaCha20.encrypt", 16384, "A72", 0.316},
    {"ChaCha20Poly1305.decrypt", 256, "M1", 0.264},
    {"ChaCha20Poly1305.decrypt", 256, "N1", 0.127},
    {"ChaCha20Poly1305.decrypt", 256, "A72", 0.027},
    {"ChaCha20Poly1305.decrypt", 1024, "M1", 0.55},
    {"ChaCha20Poly1305.decrypt", 1024, "N1", 0.268},
    {"ChaCha20Poly1305.decrypt", 1024, "A72", 0.078},
    {"ChaCha20Poly1305.decrypt", 4096, "M1", 0.756},
    {"ChaCha20Poly1305.decrypt", 4096, "N1", 0.37},
    {"ChaCha20Poly1305.decrypt", 4096, "A72", 0.143},
    {"ChaCha20Poly1305.decrypt", 16384, "M1", 0.853},
    {"ChaCha20Poly1305.decrypt", 16384, "N1", 0.409},
    {"ChaCha20Poly1305.decrypt", 16384, "A72", 0.181},
    {"ChaCha20Poly1305.encrypt", 256, "M1", 0.323},
    {"ChaCha20Poly1305.encrypt", 256, "N1", 0.163},
    {"ChaCha20Poly1305.encrypt", 256, "A72", 0.037},
    {"ChaCha20Poly1305.encrypt", 1024, "M1", 0.608},
    {"ChaCha20Poly1305.encrypt", 1024, "N1", 0.301},
    {"ChaCha20Poly1305.encrypt", 1024, "A72", 0.096},
    {"ChaCha20Poly1305.encrypt", 4096, "M1", 0.78},
    {"ChaCha20Poly1305.encrypt", 4096, "N1", 0.382},
    {"ChaCha20Poly1305.encrypt", 4096, "A72", 0.155},
    {"ChaCha20Poly1305.encrypt", 16384, "M1", 0.851},
    {"ChaCha20Poly1305.encrypt", 16384, "N1", 0.413},
    {"ChaCha20Poly1305.encrypt", 16384, "A72", 0.183},
    {"small.ChaCha20Poly1305.decrypt", 16384, "M1", 0.853},
    {"small.ChaCha20Poly1305.decrypt", 16384, "N1", 0.412},
    {"small.ChaCha20Poly1305.decrypt", 16384, "A72", 0.181},
    {"small.ChaCha20Poly1305.encrypt", 16384, "M1", 0.849},
    {"small.ChaCha20Poly1305.encrypt", 16384, "N1", 0.416},
    {"small.ChaCha20Poly1305.encrypt", 16384, "A72", 0.183},
    {"ChaCha20.encrypt", 256, "AVX", 0.371},
    {"ChaCha20.encrypt", 256, "AVX2", 0.517},
    {"ChaCha20.encrypt", 1024, "AVX", 0.508},
    {"ChaCha20.encrypt", 1024, "AVX2", 0.85},
    {"ChaCha20.encrypt", 4096, "AVX", 0.566},
    {"ChaCha20.encrypt", 4096, "AVX2", 1.008},
    {"ChaCha20.encrypt", 16384, "AVX", 0.576},
    {"ChaCha20.encrypt", 16384, "AVX2", 1.049},
    {"GCM.decrypt", 1024, "VAES", 3.08},
    {"GCM.decrypt", 16384, "VAES", 11.7},
    {"GCM.encrypt", 16384, "AES-AVX2", 6.51},
    {"GCM.encrypt", 8192, "AES-AVX2", 5.58},
    {"updateBytes", 64, "TX", 0.901},
    {"updateBytes", 256, "TX", 1.32},
    {"updateBytes", 1024, "TX", 1.451},
    {"updateBytes", 16384, "TX", 1.541},
    {"updateBytes", 1048576, "TX", 1.511},
    {"updateBytes", 64, "M1", 2.147},
    {"updateBytes", 256, "M1", 2.537},
    {"updateBytes", 1024, "M1", 2.667},
    {"updateBytes", 16384, "M1", 2.706},
    {"updateBytes", 1048576, "M1", 2.713},
    {"digestBytes", 64, "IFMA", 0.218},
    {"digestBytes", 1024, "IFMA", 2.79},
    {"digestBytes", 16384, "IFMA", 14.8},
    {"digestBytes", 1048576, "IFMA", 15.7},
    {"TestAESEncode", 10000, "8u", 0.2444},
    {"TestAESEncode", 10000, "11", 0.476},
    {"TestAESDecode", 10000, "8u", 0.234},
    {"TestAESDecode", 10000, "11", 0.6432},
};
const size_t record_figure_count = sizeof record_figures / sizeof *record_figures;

double record_find(const char *bench, size_t size, const char *who)
{
    for (size_t i = 0; i < record_figure_count; i++)
        if (record_figures[i].size == size && strcmp(record_figures[i].bench, bench) == 0 &&
            strcmp(record_figures[i].who, who) == 0)
            return record_figures[i].gb_per_s;
    return 0;
}
