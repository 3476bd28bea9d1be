/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory of data sets; see execute.h. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>

#include "PredictionLibrary/execution/execute.h"

/* Less is taken from what was freed before; more glibc does not allow. */
#define MAPPED_FROM (32 << 20)

void hdExecuteKeepMemory(void)
{
	/* Those of threads are given back, in pieces of 64 MiB, when empty. */
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

int hdExecuteAllocate(struct hdExecution *self, uint32_t dataSet)
{
	size_t size = hdExecuteSize(&self->plan, dataSet);
	void *data;

	if ((double)atomic_fetch_add(&self->used, (int64_t)size) +
		    (double)size >
	    self->limit) {
		atomic_fetch_sub(&self->used, (int64_t)size);
		return -ENOSPC;
	}
	if (posix_memalign(&data, 64, size ? size : 1) != 0) {
		atomic_fetch_sub(&self->used, (int64_t)size);
		return -ENOMEM;
	}
	self->buffers[dataSet].data = data;
	return 0;
}

void hdExecuteRelease(struct hdExecution *self, uint32_t dataSet)
{
	struct hdExecuteBuffer *buffer = &self->buffers[dataSet];

	if (atomic_fetch_sub(&buffer->users, 1) != 1)
		return;
	free(buffer->data);
	buffer->data = NULL;
	atomic_fetch_sub(&self->used,
			 (int64_t)hdExecuteSize(&self->plan, dataSet));
}

bool hdExecuteTakeOver(struct hdExecution *self, uint32_t from, uint32_t to)
{
	struct hdExecuteBuffer *buffer = &self->buffers[from];

	/* The one user is who asks, and who else could become one? */
	if (atomic_load(&buffer->users) != 1 ||
	    hdExecuteSize(&self->plan, from) != hdExecuteSize(&self->plan, to))
		return false;
	self->buffers[to].data = buffer->data;
	return true;
}
