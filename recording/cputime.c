/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU time of a process or thread; see cputime.h. */
#include "config.h"

#include "common/clock.h"
#include "recording/cputime.h"

int hdCpuTimeOpen(struct hdCpuTime *self, hdTopoNode *node, int level,
		  int intervalMs, int64_t nowNs, int64_t usedNs)
{
	static const struct hdRecordColumn column = {
		.name = "CPU_TIME",
		.type = DOUBLE,
		.unit = "s",
		.kind = HD_KIND_DELTA,
	};

	if (nowNs < 0 || usedNs < 0 ||
	    hdRecordOpen(&self->record, node, level, "Cpu") < 0 ||
	    hdRecordAddColumn(&self->record, &column) < 0 ||
	    hdRecordCommit(&self->record) < 0) {
		hdRecordClose(&self->record);
		return -1;
	}
	self->intervalNs = (int64_t)intervalMs * (HD_NS_PER_S / 1000);
	self->lastNs = nowNs;
	self->usedNs = usedNs;
	self->isOpen = true;
	return 0;
}

void hdCpuTimeWrite(struct hdCpuTime *self, int64_t nowNs, int64_t usedNs)
{
	union hdCell cell;

	if (!self->isOpen || usedNs < self->usedNs || nowNs <= self->lastNs)
		return;
	cell.d = (double)(usedNs - self->usedNs) / HD_NS_PER_S;
	hdRecordAdd(&self->record, &cell, self->lastNs, nowNs, false);
	self->lastNs = nowNs;
	self->usedNs = usedNs;
}

void hdCpuTimeClose(struct hdCpuTime *self)
{
	if (self->isOpen)
		hdRecordClose(&self->record);
	self->isOpen = false;
}
