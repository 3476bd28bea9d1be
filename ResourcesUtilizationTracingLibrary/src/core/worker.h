/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A source whose questions may take for ever - a disk that is dead, a driver
 * that hangs - is opened and read by a thread of its own, for which nobody
 * waits longer than they want. A thread that hangs is left behind; it frees
 * what it has once it goes on. Until then there is no other one of that kind of
 * source in the process; a child of fork() has none that hangs.
 */
#ifndef RUT_WORKER_H
#define RUT_WORKER_H

#include "ResourcesUtilizationTracingLibrary/src/core/source.h"

struct rutWorker;

/**
 * Open a source.
 *
 * @param setup Copied, but for the mount point; none of its calls is used.
 *
 * @return As struct rutSource's open().
 * @retval -ETIMEDOUT It hangs; or one that did is left behind, and hangs yet.
 * @retval -EAGAIN There can be no thread.
 */
int rutWorkerOpen(const struct rutSource *kind, const struct rutSetup *setup,
		  struct rutColumns *columns, struct rutWorker **result);

/**
 * Let it read; for RUT_WHY_BEGIN what was read when it was opened will do.
 *
 * One that is slow, but gives its values within an interval, is not waited for:
 * what it was asked by a sample is taken by the next one.
 *
 * @return False: it takes too long, or still does; the cells are as they were.
 */
bool rutWorkerRead(struct rutWorker *worker, enum rutWhy why,
		   union hdCell *cells);

/** Get the CPU time that reading has taken; by any thread. */
int64_t rutWorkerCpuNs(const struct rutWorker *worker);

/** How many threads of this process are left behind that still wait. */
int rutWorkerHanging(const struct rutSource *kind);

/** Close the source, now or when it can be. */
void rutWorkerClose(struct rutWorker *worker);

#endif
