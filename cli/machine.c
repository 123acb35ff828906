/* SPDX-License-Identifier: Apache-2.0
 *
 * machine.c - see machine.h.
 */
#include "machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "plait_hazmat.h"

#ifndef PLAIT_CFLAGS
#define PLAIT_CFLAGS ""
#endif

static void copy(char *to, size_t size, const char *from)
{
    const size_t len = strcspn(from, "\n");
    snprintf(to, size, "%.*s", (int)(len < size ? len : size - 1), from);
}

static void read_line(char *to, size_t size, const char *path)
{
    char text[256];
    FILE *f = fopen(path, "r");
    if (f == NULL) return;
    if (fgets(text, sizeof text, f) != NULL) copy(to, size, text);
    fclose(f);
}

static void read_cpuinfo(machine *m)
{
    char text[4096], vendor[32] = "", family[16] = "", model[16] = "", stepping[16] = "";
    char implementer[16] = "", part[16] = "", variant[16] = "", revision[16] = "";
    FILE *f = fopen("/proc/cpuinfo", "r");
    if (f == NULL) return;
    while (fgets(text, sizeof text, f) != NULL && text[0] != '\n') {
        char *colon = strchr(text, ':');
        if (colon == NULL) continue;
        const char *value = colon[1] == ' ' ? colon + 2 : colon + 1;
        while (colon > text && (colon[-1] == '\t' || colon[-1] == ' ')) colon--;
        *colon = 0;
#define FIELD(name, to) \
    if (strcmp(text, name) == 0) copy(to, sizeof to, value)
        FIELD("model name", m->cpu);
        FIELD("cpu", m->cpu);
        FIELD("vendor_id", vendor);
        FIELD("cpu family", family);
        FIELD("model", model);
        FIELD("stepping", stepping);
        FIELD("microcode", m->microcode);
        FIELD("CPU implementer", implementer);
        FIELD("CPU part", part);
        FIELD("CPU variant", variant);
        FIELD("CPU revision", revision);
#undef FIELD
        if (strcmp(text, "flags") ==
            0) /* the last word has no blank after it, but "hypervisor" is never last */
            strcpy(m->hypervisor, strstr(value, " hypervisor ") != NULL ? "yes" : "no");
    }
    fclose(f);
    if (family[0] != 0)
        snprintf(m->model, sizeof m->model, "%.31s family %.15s model %.15s stepping %.15s", vendor,
                 family, model, stepping);
    else if (part[0] != 0)
        snprintf(m->model, sizeof m->model,
                 "implementer %.10s part %.10s variant %.10s revision %.10s", implementer, part,
                 variant, revision);
}

void machine_read(machine *m)
{
    struct utsname name;
    plait_cpu_feature feature;
    memset(m, 0, sizeof *m);
    read_cpuinfo(m);
    read_line(m->governor, sizeof m->governor,
              "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    if (uname(&name) == 0) {
        snprintf(m->system, sizeof m->system, "%.60s %.90s", name.sysname, name.release);
        snprintf(m->arch, sizeof m->arch, "%.15s", name.machine);
    }
    if (m->cpu[0] == 0) copy(m->cpu, sizeof m->cpu, m->arch);
    m->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
#if defined(__clang__)
    snprintf(m->compiler, sizeof m->compiler, "Clang %s", __clang_version__);
#elif defined(__GNUC__)
    snprintf(m->compiler, sizeof m->compiler, "GCC %s", __VERSION__);
#else
    snprintf(m->compiler, sizeof m->compiler, "unknown");
#endif
    snprintf(m->flags, sizeof m->flags, "%s", PLAIT_CFLAGS);
    snprintf(m->library, sizeof m->library, "%s", plait_version());
    size_t used = 0;
    for (size_t i = 0; plait_cpu_feature_at(i, &feature) == PLAIT_OK; i++)
        if (feature.enabled && used < sizeof m->features)
            used += (size_t)snprintf(m->features + used, sizeof m->features - used, "%s%s",
                                     used != 0 ? "," : "", feature.name);
}

void machine_print(const machine *m, output_format format, FILE *out, int indent)
{
    char cores[16];
    snprintf(cores, sizeof cores, "%d", m->cores);
    const struct {
        const char *key, *value;
    } facts[] = {
        {"cpu", m->cpu},           {"model", m->model},       {"microcode", m->microcode},
        {"arch", m->arch},         {"cores", cores},          {"hypervisor", m->hypervisor},
        {"governor", m->governor}, {"system", m->system},     {"compiler", m->compiler},
        {"flags", m->flags},       {"plait", m->library},     {"features", m->features},
    };
    const size_t count = sizeof facts / sizeof *facts;
    if (format == OUTPUT_TABLE) {
        for (size_t i = 0; i < count; i++)
            if (facts[i].value[0] != 0) fprintf(out, "%-11s %s\n", facts[i].key, facts[i].value);
        return;
    }
    fputc('{', out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s\n%*s", i != 0 ? "," : "", indent + 2, "");
        json_string(out, facts[i].key);
        fputs(": ", out);
        json_string(out, facts[i].value);
    }
    fprintf(out, "\n%*s}", indent, "");
}
