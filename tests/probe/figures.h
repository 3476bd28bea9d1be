/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What probes of the process say; and a clock that the test sets.
 */
#ifndef TEST_FIGURES_H
#define TEST_FIGURES_H

#include <stdint.h>
#include <string.h>
#include <glib.h>

#include <hdProbe.h>

#include "InstrumentationLibrary/src/core/memory.h"

/** What the clock of the test shows. */
static uint64_t now = 1000;

static inline uint64_t fakeClock(void)
{
	return now;
}

/** The figures of a probe. */
static inline struct hdProbeFigures figuresOf(const char *name)
{
	static struct hdProbeFigures all[HD_PROBE_PROBES];
	int count = hdProbe_snapshot(all, HD_PROBE_PROBES, 0);

	for (int i = 0; i < count; i++) {
		if (strcmp(all[i].name, name) == 0)
			return all[i];
	}
	g_error("there is no probe \"%s\"", name);
}

#endif
