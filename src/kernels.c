/* SPDX-License-Identifier: Apache-2.0
 *
 * kernels.c - the table of rows, and how one is chosen.
 */
#include <string.h>

#include "internal.h"

const plait_kernel *const plait_rows[] = {
#define PLAIT_ROW(family, isa) &plait_##family##_##isa,
#include "kernels.def"
    &plait_aes_gcm_parts, &plait_chacha20_poly1305_parts};

static int usable(const plait_kernel *row, uint32_t cpu)
{
    return (row->needs & ~cpu) == 0;
}

unsigned plait_row_named(const char *name, size_t len, uint32_t cpu)
{
    for (unsigned i = 0; i < PLAIT_ROW_COUNT; i++)
        if (plait_rows[i]->name_len == len && memcmp(plait_rows[i]->name, name, len) == 0)
            return usable(plait_rows[i], cpu) ? i : (unsigned)PLAIT_ROW_NONE;
    return PLAIT_ROW_NONE;
}

/* What a family would use: its first usable row that is not advised against. */
static int preferred(unsigned i, uint32_t cpu)
{
#define PLAIT_FAMILY(f)                                                                            \
    if (strcmp(plait_rows[i]->family, #f) == 0) return PLAIT_SELECT(f, cpu) == i;
#include "kernels.def"
    return 0;
}

size_t plait_kernel_count(void)
{
    return PLAIT_ROW_COUNT;
}

plait_status plait_kernel_at(size_t i, plait_kernel_info *out)
{
    if (i >= PLAIT_ROW_COUNT || out == NULL) return PLAIT_ERR_ARGUMENT;
    const plait_kernel *row = plait_rows[i];
    const uint32_t cpu = plait_cpu_enabled();
    out->family = row->family;
    out->name = row->name;
    out->needs = row->needs_text;
    out->built = (row->needs & PLAIT_CPU_NEVER) == 0;
    out->usable = usable(row, cpu);
    out->preferred = preferred((unsigned)i, cpu);
    return PLAIT_OK;
}
