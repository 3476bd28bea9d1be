/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Probes as a table, CSV, JSON and a graph.
 */
#ifndef HDPROBE_PRINT_H
#define HDPROBE_PRINT_H

#include "InstrumentationLibrary/attach/core/attach.h"

/** What is printed, and how. */
struct printing {
	int pid;
	bool hasThreads; /**< Each thread has a row, too. */
	bool hasAdvice;
	double most; /**< Share of dispatch that is fine. */
	bool isColored;
};

void printText(const struct probeTable *table, const struct printing *how);
void printCsv(const struct probeTable *table, const struct printing *how);
void printJson(const struct probeTable *table, const struct printing *how);
void printDot(const struct probeTable *table, const struct printing *how);
void printMetis(const struct probeTable *table, const struct printing *how);

#endif
