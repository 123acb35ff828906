/* SPDX-License-Identifier: Apache-2.0
 *
 * report.c - see report.h.
 */
#include "report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"

/* ---- what is shown --------------------------------------------------------------------------- */

#define SERIES_MAX 64
#define SIZES_MAX  32

/* A line of a plot: one candidate over the sizes. */
typedef struct series {
    const candidate *who;
    const result *at[SIZES_MAX]; /* NULL: not measured */
    double fixed, per_byte;      /* cycles = fixed + per_byte * bytes, fitted */
    int fitted;
} series;

/* A plot: one work, one direction, one way of keying. */
typedef struct plot {
    task shape;
    size_t sizes[SIZES_MAX], size_count;
    series lines[SERIES_MAX];
    size_t line_count;
} plot;

static const char *direction(const task *t)
{
    return work_infos[t->work].kind == WORK_MAC ? "" : t->open ? ", decrypt" : ", encrypt";
}

/* Relative least squares: each size weighs the same, so that the fixed cost is not lost among large
 * sizes. */
static void fit(const plot *p, series *s)
{
    double w = 0, x = 0, y = 0, xx = 0, xy = 0;
    size_t n = 0;
    for (size_t i = 0; i < p->size_count; i++) {
        if (s->at[i] == NULL) continue;
        const double c = s->at[i]->summary.cycles, bytes = (double)p->sizes[i],
                     weight = 1 / (c * c);
        w += weight, x += weight * bytes, y += weight * c, xx += weight * bytes * bytes,
            xy += weight * bytes * c;
        n++;
    }
    const double det = w * xx - x * x;
    if (n < 3 || det <= 0) return;
    s->fixed = (xx * y - x * xy) / det;
    s->per_byte = (w * xy - x * y) / det;
    s->fitted = 1;
}

/* The plots of a run, in the order in which they were measured. An AEAD that was measured with
 * fresh and with kept keys is shown with kept ones. */
static plot *plots_of(const bench *b, size_t *count)
{
    plot *plots = cli_alloc((b->result_count + 1) * sizeof *plots);
    *count = 0;
    for (size_t i = 0; i < b->result_count; i++) {
        const result *r = &b->results[i];
        int skip = 0;
        for (size_t k = 0; k < b->result_count && r->task.fresh; k++)
            skip |= !b->results[k].task.fresh && b->results[k].task.work == r->task.work;
        /* The small set repeats what the full one has. */
        if (skip || (r->bench != NULL && strncmp(r->bench, "small.", 6) == 0)) continue;
        plot *p = NULL;
        for (size_t k = 0; k < *count && p == NULL; k++)
            if (plots[k].shape.work == r->task.work && plots[k].shape.open == r->task.open)
                p = &plots[k];
        if (p == NULL) {
            p = &plots[(*count)++];
            p->shape = r->task;
        }
        size_t at = 0, line = 0;
        while (at < p->size_count && p->sizes[at] != r->task.len) at++;
        if (at == p->size_count) {
            if (at == SIZES_MAX) continue;
            p->sizes[p->size_count++] = r->task.len;
        }
        while (line < p->line_count && strcmp(p->lines[line].who->name, r->candidate.name) != 0)
            line++;
        if (line == p->line_count) {
            if (line == SERIES_MAX) continue;
            p->lines[p->line_count++].who = &r->candidate;
        }
        p->lines[line].at[at] = r;
    }
    for (size_t k = 0; k < *count; k++) {
        plot *p = &plots[k];
        /* Sizes ascend. */
        for (size_t i = 1; i < p->size_count; i++)
            for (size_t j = i; j > 0 && p->sizes[j] < p->sizes[j - 1]; j--) {
                const size_t size = p->sizes[j];
                p->sizes[j] = p->sizes[j - 1];
                p->sizes[j - 1] = size;
                for (size_t l = 0; l < p->line_count; l++) {
                    const result *r = p->lines[l].at[j];
                    p->lines[l].at[j] = p->lines[l].at[j - 1];
                    p->lines[l].at[j - 1] = r;
                }
            }
        for (size_t l = 0; l < p->line_count; l++) fit(p, &p->lines[l]);
    }
    return plots;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void escaped(FILE *out, const char *text)
{
    for (; *text != 0; text++) switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*text, out);
        }
}

static void bytes_text(size_t size, char *to, size_t room)
{
    if (size >= 1048576 && size % 1048576 == 0) snprintf(to, room, "%zu Mi", size / 1048576);
    else if (size >= 1024 && size % 1024 == 0) snprintf(to, room, "%zu Ki", size / 1024);
    else snprintf(to, room, "%zu", size);
}

/* ---- one plot as SVG ------------------------------------------------------------------------- */

#define WIDTH  860
#define HEIGHT 430
#define LEFT   54
#define RIGHT  290 /* room for names */
#define TOP    12
#define BOTTOM 40

static const char *const colours[] = {"#4269d0", "#e08a00", "#f0513c", "#2fa58d",
                                      "#8a9a1d", "#d9589b", "#8f55e0", "#4f9be0",
                                      "#9c6b4e", "#7c828c", "#2d8f47", "#b04a4a"};
#define COLOURS (sizeof colours / sizeof *colours)

typedef struct label {
    double y;
    size_t line;
} label;

static int by_y(const void *a, const void *b)
{
    const double x = ((const label *)a)->y, y = ((const label *)b)->y;
    return (x > y) - (x < y);
}

/* Style: in a page it comes from the page's own sheet, which knows light and dark. */
static const char plot_style[] =
    "text{font:12px system-ui,sans-serif;fill:var(--text)}.grid{stroke:var(--line);stroke-width:1}"
    ".limit{stroke:var(--soft);stroke-width:1.5;stroke-dasharray:1 "
    "4;stroke-linecap:round}.axis{fill:var(--soft)}.line{fill:none;stroke-width:1.6}.own{stroke-"
    "width:3.2}.peer{stroke-dasharray:5 3}"
    ".band{opacity:.16;stroke:none}.name-own{font-weight:700}";

static void print_plot(FILE *out, const plot *p, const double *limits, int alone)
{
    double low = INFINITY, high = 0;
    for (size_t l = 0; l < p->line_count; l++)
        for (size_t i = 0; i < p->size_count; i++) {
            const result *r = p->lines[l].at[i];
            if (r == NULL) continue;
            const double gb = bench_gb_per_s(r);
            if (gb < low) low = gb;
            if (gb > high) high = gb;
        }
    if (!(high > 0)) return;
    /* What the core could do with the instructions of the kernel in use. */
    double limit = NAN;
    char why[128] = "";
    for (size_t l = 0; l < p->line_count; l++)
        for (size_t i = 0; i < p->size_count; i++)
            if (p->lines[l].who->is_default && p->lines[l].at[i] != NULL) {
                const result *r = p->lines[l].at[i];
                limit = r->summary.hertz * 1e-9 / bench_limit_of(r, limits, why, sizeof why);
            }
    if (limit > high) high = limit;
    const double x0 = log2((double)p->sizes[0]), x1 = log2((double)p->sizes[p->size_count - 1]);
    const double y0 = log(low) - 0.12, y1 = log(high) + 0.12;
#define X(bytes)                                                                                   \
    (LEFT + (x1 > x0 ? (log2((double)(bytes)) - x0) / (x1 - x0) : 0.5) * (WIDTH - LEFT - RIGHT))
#define Y(gb)    (TOP + (y1 - log(gb)) / (y1 - y0) * (HEIGHT - TOP - BOTTOM))
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-label=\"",
            WIDTH, HEIGHT);
    escaped(out, work_infos[p->shape.work].title);
    fprintf(out, "%s: GB/s by size\">\n", direction(&p->shape));
    if (alone)
        fprintf(out,
                "<style>svg{--text:#1c1f24;--soft:#5b626d;--line:#dfe3e8;background:#fff}"
                "@media(prefers-color-scheme:dark){svg{--text:#e8eaed;--soft:#9aa3af;--line:#"
                "343a43;background:#16181c}}"
                "%s</style>\n",
                plot_style);
    /* Lines at 1, 2 and 5 times powers of ten. */
    for (int e = -4; e < 4; e++)
        for (int k = 0; k < 3; k++) {
            const double v = (k == 0 ? 1 : k == 1 ? 2 : 5) * pow(10, e);
            if (log(v) < y0 || log(v) > y1) continue;
            fprintf(out,
                    "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text class=\"axis\" x=\"%d\" "
                    "y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                    LEFT, Y(v), WIDTH - RIGHT, LEFT - 8, Y(v) + 4, v);
        }
    double last_x = -100;
    for (size_t i = 0; i < p->size_count; i++) {
        char text[24];
        bytes_text(p->sizes[i], text, sizeof text);
        fprintf(out, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>", X(p->sizes[i]), TOP,
                HEIGHT - BOTTOM);
        if (X(p->sizes[i]) - last_x < 34)
            continue; /* 1024 and 1350 are too close for two numbers */
        last_x = X(p->sizes[i]);
        fprintf(out, "<text class=\"axis\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                last_x, HEIGHT - BOTTOM + 18, text);
    }
    fprintf(out,
            "<text class=\"axis\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">bytes per message</text>"
            "<text class=\"axis\" x=\"14\" y=\"%d\" transform=\"rotate(-90 14 %d)\" "
            "text-anchor=\"middle\">GB/s</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, HEIGHT / 2, HEIGHT / 2);
    if (limit >= low) {
        fprintf(out,
                "<path class=\"limit\" d=\"M%d %.1fH%d\"/><text class=\"axis\" x=\"%d\" "
                "y=\"%.1f\">limit: ",
                LEFT, Y(limit), WIDTH - RIGHT, LEFT + 6, Y(limit) - 4);
        escaped(out, why);
        fprintf(out, "</text>\n");
    }
    label labels[SERIES_MAX];
    size_t label_count = 0;
    for (size_t l = 0; l < p->line_count; l++) {
        const series *s = &p->lines[l];
        const char *colour = colours[l % COLOURS];
        const int peer = s->who->source != &source_plait;
        double y = 0;
        /* The band between the deciles of the slices. */
        fprintf(out, "<path class=\"band\" fill=\"%s\" d=\"", colour);
        for (int back = 0; back < 2; back++)
            for (size_t k = 0, first = 1; k < p->size_count; k++) {
                const size_t i = back ? p->size_count - 1 - k : k;
                const result *r = s->at[i];
                if (r == NULL || !(r->summary.p10 > 0)) continue;
                const double cycles = back ? r->summary.p90 : r->summary.p10;
                fprintf(out, "%c%.1f %.1f", !back && first ? 'M' : 'L', X(p->sizes[i]),
                        Y(bench_gb_per_s(r) * r->summary.cycles / cycles));
                first = 0;
            }
        fprintf(out, "\"/><path class=\"line%s%s\" stroke=\"%s\" d=\"",
                s->who->is_default ? " own" : "", peer ? " peer" : "", colour);
        for (size_t i = 0, first = 1; i < p->size_count; i++) {
            if (s->at[i] == NULL) continue;
            y = Y(bench_gb_per_s(s->at[i]));
            fprintf(out, "%c%.1f %.1f", first ? 'M' : 'L', X(p->sizes[i]), y);
            first = 0;
        }
        fprintf(out, "\"/>\n");
        for (size_t i = 0; i < p->size_count; i++) {
            const result *r = s->at[i];
            if (r == NULL) continue;
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\"><title>",
                    X(p->sizes[i]), Y(bench_gb_per_s(r)), s->who->is_default ? "4" : "2.6", colour);
            escaped(out, s->who->name);
            fprintf(out, ", %zu bytes: %.3f GB/s, %.0f cycles, %.3f a byte%s</title></circle>",
                    p->sizes[i], bench_gb_per_s(r), r->summary.cycles, bench_cycles_per_byte(r),
                    r->summary.doubtful ? ", with a neighbour" : "");
        }
        labels[label_count].y = y;
        labels[label_count++].line = l;
    }
    /* Names at the ends of the lines, pushed apart. */
    qsort(labels, label_count, sizeof *labels, by_y);
    const double step = (double)(HEIGHT - TOP) / (double)label_count < 15
                            ? (double)(HEIGHT - TOP) / (double)label_count
                            : 15;
    double at = TOP;
    double place[SERIES_MAX];
    for (size_t k = 0; k < label_count; k++) {
        place[k] = labels[k].y > at ? labels[k].y : at;
        at = place[k] + step;
    }
    double lowest = HEIGHT - 6;
    for (size_t k = label_count; k-- > 0; lowest = place[k] - step)
        if (place[k] > lowest) place[k] = lowest;
    for (size_t k = 0; k < label_count; k++) {
        const series *s = &p->lines[labels[k].line];
        const int x = WIDTH - RIGHT;
        fprintf(out,
                "<path class=\"line%s\" stroke=\"%s\" d=\"M%d %.1fl14 %.1fh12\" "
                "style=\"stroke-width:1.4\"/><text class=\"%s\" x=\"%d\" y=\"%.1f\">",
                s->who->source != &source_plait ? " peer" : "", colours[labels[k].line % COLOURS],
                x + 4, labels[k].y, place[k] - labels[k].y,
                s->who->is_default ? "name-own" : "name", x + 34, place[k] + 4);
        escaped(out, s->who->name);
        fprintf(out, "</text>\n");
    }
    fprintf(out, "</svg>\n");
#undef X
#undef Y
}

/* ---- the page -------------------------------------------------------------------------------- */

static const char page_style[] =
    ":root{color-scheme:light "
    "dark;--text:#1c1f24;--soft:#5b626d;--line:#dfe3e8;--back:#f5f6f8;--card:#fff;--accent:66,105,"
    "208}"
    "@media(prefers-color-scheme:dark){:root{--text:#e8eaed;--soft:#9aa3af;--line:#343a43;--back:#"
    "101214;--card:#181b20;"
    "--accent:110,150,255}}"
    "*{box-sizing:border-box}body{margin:0;background:var(--back);color:var(--text);font:16px/1.5 "
    "system-ui,sans-serif}"
    "main{max-width:1080px;margin:0 auto;padding:24px 16px "
    "64px}h1{font-size:1.7rem;line-height:1.2;margin:.2em 0}"
    "h2{font-size:1.25rem;margin:0 0 .4em}h3{font-size:1rem;margin:1.2em 0 "
    ".4em}p{max-width:46em}.soft{color:var(--soft)}"
    "section{background:var(--card);border:1px solid "
    "var(--line);border-radius:10px;padding:18px;margin:18px 0}"
    ".wide{overflow-x:auto}.wide svg{display:block;width:100%;min-width:680px;height:auto}"
    "table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums}th,td{"
    "padding:.25em .7em;text-align:right;"
    "white-space:nowrap;border-bottom:1px solid "
    "var(--line)}th{font-weight:600;color:var(--soft)}th:first-child,td:first-child{"
    "text-align:left}tr.own "
    "td:first-child{font-weight:700}dl{display:grid;grid-template-columns:max-content "
    "1fr;gap:.15em 1em;"
    "margin:0;font-size:.92rem}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}nav "
    "a{margin-right:1em;display:inline-block}"
    "a{color:rgb(var(--accent))}.heat td{background:rgba(var(--accent),var(--h,0))}"
    "@media(max-width:520px){dl{grid-template-columns:1fr}dt{margin-top:.4em}section{padding:12px}}"
    "@media "
    "print{:root{--text:#000;--soft:#444;--line:#bbb;--back:#fff;--card:#fff;--accent:66,105,208}"
    "body{font-size:11pt}"
    "section{border:0;padding:0}nav{display:none}.wide{overflow:visible;break-inside:avoid}.wide "
    "svg{min-width:0}"
    "h2,h3{break-after:avoid}table{font-size:8pt}th,td{padding:.1em .5em}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}";

static void print_tables(FILE *out, const plot *p, const double *limits)
{
    char text[24];
    double best[SIZES_MAX] = {0};
    for (size_t i = 0; i < p->size_count; i++)
        for (size_t l = 0; l < p->line_count; l++)
            if (p->lines[l].at[i] != NULL && p->lines[l].at[i]->summary.rate > best[i])
                best[i] = p->lines[l].at[i]->summary.rate;
    fprintf(out, "<h3>Part of the best speed at each size</h3><div class=\"wide\"><table "
                 "class=\"heat\"><tr><th></th>");
    for (size_t i = 0; i < p->size_count; i++) {
        bytes_text(p->sizes[i], text, sizeof text);
        fprintf(out, "<th>%s</th>", text);
    }
    fprintf(out, "</tr>\n");
    for (size_t l = 0; l < p->line_count; l++) {
        fprintf(out, "<tr%s><td>", p->lines[l].who->is_default ? " class=\"own\"" : "");
        escaped(out, p->lines[l].who->name);
        fprintf(out, "</td>");
        for (size_t i = 0; i < p->size_count; i++) {
            const result *r = p->lines[l].at[i];
            if (r == NULL) fprintf(out, "<td>-</td>");
            else
                fprintf(out, "<td style=\"--h:%.2f\">%.2f%s</td>",
                        0.75 * pow(r->summary.rate / best[i], 2), r->summary.rate / best[i],
                        r->summary.doubtful ? "?" : "");
        }
        fprintf(out, "</tr>\n");
    }
    fprintf(out, "</table></div>\n<h3>What a message costs: cycles by size; fitted as a fixed part "
                 "and a part per byte; the core's limit per byte</h3>"
                 "<div class=\"wide\"><table><tr><th></th>");
    for (size_t i = 0; i < p->size_count; i++) {
        bytes_text(p->sizes[i], text, sizeof text);
        fprintf(out, "<th>%s</th>", text);
    }
    fprintf(out, "<th>fixed</th><th>per byte</th><th>limit</th><th>reached</th></tr>\n");
    for (size_t l = 0; l < p->line_count; l++) {
        const series *s = &p->lines[l];
        fprintf(out, "<tr%s><td>", s->who->is_default ? " class=\"own\"" : "");
        escaped(out, s->who->name);
        fprintf(out, "</td>");
        for (size_t i = 0; i < p->size_count; i++)
            if (s->at[i] == NULL) fprintf(out, "<td>-</td>");
            else fprintf(out, "<td>%.0f</td>", s->at[i]->summary.cycles);
        if (s->fitted) fprintf(out, "<td>%.0f</td><td>%.3f</td>", s->fixed, s->per_byte);
        else fprintf(out, "<td>-</td><td>-</td>");
        char why[128];
        const result *large = s->at[p->size_count - 1];
        const double limit = large != NULL && s->who->source == &source_plait
                                 ? bench_limit_of(large, limits, why, sizeof why)
                                 : NAN;
        if (isfinite(limit))
            fprintf(out, "<td>%.3f</td><td>%.0f %%</td></tr>\n", limit,
                    100 * limit / bench_cycles_per_byte(large));
        else fprintf(out, "<td>-</td><td>-</td></tr>\n");
    }
    fprintf(out, "</table></div>\n");
}

static void fact(FILE *out, const char *name, const char *value)
{
    if (value[0] == 0) return;
    fprintf(out, "<dt>%s</dt><dd>", name);
    escaped(out, value);
    fprintf(out, "</dd>\n");
}

int report_html(const bench *b, const char *path)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        cli_error(path, "%s", strerror(errno));
        return 0;
    }
    char date[64], text[256];
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &utc);
    size_t count;
    plot *plots = plots_of(b, &count);
    double *limits = bench_limit_cycles();
    fprintf(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\"><link rel=\"icon\" "
        "href=\"data:,\"><title>Plait on ");
    escaped(out, b->machine.cpu);
    fprintf(out, "</title>\n<style>%s%s</style></head><body><main>\n<h1>Plait on ", page_style,
            plot_style);
    escaped(out, b->machine.cpu);
    fprintf(out,
            "</h1>\n<p class=\"soft\">%s. Thick line: what Plait uses on this CPU. Thin: its other "
            "kernels. Dashed: other "
            "libraries. Bands: from the tenth to the ninetieth percentile of the slices. Dotted: "
            "what the core can execute of the "
            "instructions of the kernel in use, if nothing ever waited. Every result was verified "
            "before it was timed.</p>\n<nav>",
            date);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "<a href=\"#p%zu\">", i);
        escaped(out, work_infos[plots[i].shape.work].title);
        fprintf(out, "%s</a> ", direction(&plots[i].shape));
    }
    fprintf(out, "<a href=\"#machine\">Machine</a></nav>\n");
    for (size_t i = 0; i < count; i++) {
        const task *t = &plots[i].shape;
        fprintf(out, "<section id=\"p%zu\"><h2>", i);
        escaped(out, work_infos[t->work].title);
        fprintf(out, "%s</h2>\n<p class=\"soft\">", direction(t));
        switch (work_infos[t->work].kind) {
        case WORK_CIPHER:
            fprintf(out, "A key and a %zu-byte nonce for each message.", t->nonce_len);
            break;
        case WORK_MAC: fprintf(out, "One message, %zu-byte tag.", t->tag_len); break;
        case WORK_AEAD:
            fprintf(out, "%s; %zu-byte nonce, %zu bytes of AD, %zu-byte tag%s.",
                    t->fresh ? "Key set up anew for each message"
                             : "One key, a new nonce for each message",
                    t->nonce_len, t->ad_len, t->tag_len, t->open ? ", checked" : "");
        }
        fprintf(out, "</p>\n<div class=\"wide\">");
        print_plot(out, &plots[i], limits, 0);
        fprintf(out, "</div>\n");
        print_tables(out, &plots[i], limits);
        fprintf(out, "</section>\n");
    }
    fprintf(out, "<section id=\"machine\"><h2>Machine and run</h2><dl>\n");
    const machine *m = &b->machine;
    fact(out, "CPU", m->cpu);
    fact(out, "Model", m->model);
    fact(out, "Microcode", m->microcode);
    fact(out, "Architecture", m->arch);
    snprintf(text, sizeof text, "%d", m->cores);
    fact(out, "Cores online", text);
    fact(out, "Virtual machine", m->hypervisor);
    fact(out, "Governor", m->governor);
    fact(out, "System", m->system);
    fact(out, "Compiler", m->compiler);
    fact(out, "Flags", m->flags);
    fact(out, "Plait", m->library);
    fact(out, "CPU features in use", m->features);
    for (size_t i = 0; i < b->peer_count; i++) fact(out, b->peers[i].label, b->peers[i].version);
    snprintf(text, sizeof text, "%.3f GHz by chains of dependent adds; %.2f no-ops a cycle alone",
             b->core.hertz_sum / (double)b->core.probes * 1e-9, b->core.noops_alone);
    fact(out, "Clock", text);
    snprintf(text, sizeof text,
             "%zu slices of %.3g ms in %.0f s, in random order; left out: %.1f %% with a neighbour "
             "on the core, %.1f %% cut by "
             "the system",
             b->core.slices, b->core.slice * 1e3, b->ended - b->started,
             100.0 * (double)b->core.shared / (double)(b->core.slices + 1),
             100.0 * (double)b->core.cut / (double)(b->core.slices + 1));
    fact(out, "Run", text);
    fprintf(out, "</dl></section>\n</main></body></html>\n");
    free(plots);
    free(limits);
    if (fclose(out) != 0) {
        cli_error(path, "could not be written");
        return 0;
    }
    return 1;
}

int report_svg(const bench *b, const char *folder)
{
    size_t count;
    int good = 1;
    plot *plots = plots_of(b, &count);
    double *limits = bench_limit_cycles();
    for (size_t i = 0; i < count && good; i++) {
        const work_info *w = &work_infos[plots[i].shape.work];
        char *path = cli_format("%s/%s%s.svg", folder, w->name,
                                w->kind == WORK_MAC   ? ""
                                : plots[i].shape.open ? "-decrypt"
                                                      : "-encrypt");
        FILE *out = fopen(path, "w");
        if (out != NULL) print_plot(out, &plots[i], limits, 1);
        if (out == NULL || fclose(out) != 0) {
            cli_error(path, "%s", strerror(errno));
            good = 0;
        }
        free(path);
    }
    free(plots);
    free(limits);
    return good;
}
