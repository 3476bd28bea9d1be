/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The thread that waits for what a meter sends, and how it is controlled
 * (thesis section 4.3.3).
 *
 * A meter that sends in its own cycle has a thread that waits for it; one
 * that this host reads goes with libRUT's sampler. Both drive the same
 * struct ptMeter, which knows what to do when a device vanishes.
 */
#ifndef PT_LOOP_H
#define PT_LOOP_H

#include "PowerTracingLibrary/src/meter/meter.h"

struct ptLoop;

/**
 * Create the thread; it measures nothing yet.
 *
 * @param wakeFd The eventfd that meter's device has as wakeFd.
 *
 * @retval -ENOMEM Out of memory.
 * @retval -EAGAIN No thread could be created.
 */
int ptLoopCreate(struct ptMeter *meter, int wakeFd, struct ptLoop **result);

/**
 * Tell it to measure, or not to. Any thread. Returns when it has begun or
 * ended to, but does not wait for a device that is lost.
 *
 * @retval 1 It did or did not already.
 * @retval 0 It has changed.
 */
int ptLoopSet(struct ptLoop *loop, bool isStarted);

/** Stop measuring, end the thread and free it; takes NULL. */
void ptLoopDestroy(struct ptLoop *loop);

/** Free it in a child that inherited it by fork(). */
void ptLoopForget(struct ptLoop *loop);

#endif
