/* SPDX-License-Identifier: Apache-2.0
 *
 * report.h - results as pictures: one HTML page without anything outside of it, or single SVG
 * plots.
 */
#ifndef PLAIT_CLI_REPORT_H
#define PLAIT_CLI_REPORT_H

#include "bench_run.h"

/* 0 after a complaint. The folder for plots is made if it is not there. */
int report_html(const bench *b, const char *path);
int report_svg(const bench *b, const char *folder);

#endif
