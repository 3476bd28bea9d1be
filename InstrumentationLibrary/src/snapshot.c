/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a program learns of its own probes. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "InstrumentationLibrary/src/core/memory.h"
#include "InstrumentationLibrary/src/readpage.h"

static struct hdProbeReader reader(void)
{
	return (struct hdProbeReader){ .head = hdProbePage,
				       .slotAt = hdProbeOwnSlotAt };
}

int hdProbe_snapshot(struct hdProbeFigures *figures, size_t capacity, int reset)
{
	struct hdProbeReader read;
	struct hdProbeTotals totals;
	unsigned int firsts[HD_PROBE_PROBES];
	size_t found = 0;
	int locked;

	hdProbeSetUp();
	read = reader();
	locked = hdProbeLock(reset);
	if (locked < 0) {
		errno = -locked;
		return -1;
	}
	if (reset)
		hdProbeReaderReset(&read);
	hdProbeReaderFirsts(&read, firsts);
	for (unsigned int i = 1; i < HD_PROBE_PROBES; i++) {
		if (firsts[i] != i)
			continue;
		if (found < capacity) {
			hdProbeReaderTotals(
				&read, firsts, i,
				reset ? HD_PROBE_SINCE_RESET_AND_RESET
				      : HD_PROBE_SINCE_RESET,
				&totals);
			hdProbeReaderFigures(&read, i, &totals,
					     &figures[found]);
		}
		found++;
	}
	hdProbeUnlock(locked);
	return (int)found;
}

double hdProbe_quantile(const struct hdProbe *probe, double q)
{
	struct hdProbeReader read = reader();
	struct hdProbeTotals totals;
	unsigned int firsts[HD_PROBE_PROBES];
	unsigned int index = __atomic_load_n(&probe->index, __ATOMIC_ACQUIRE);
	int locked = index ? hdProbeLock(0) : -1;
	double ticks;

	if (locked < 0)
		return NAN;
	hdProbeReaderFirsts(&read, firsts);
	hdProbeReaderTotals(&read, firsts, firsts[index], HD_PROBE_SINCE_RESET,
			    &totals);
	hdProbeUnlock(locked);
	ticks = hdProbeTotalsQuantile(&totals, q);
	return hdProbeIsTime(probe->kind) ? ticks * hdProbePage->tickNs / 1e9
					  : ticks;
}
