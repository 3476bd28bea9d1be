/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads for operations of the storage, one for each up to a limit; the others
 * wait. A gate may keep all of them from working.
 */
#ifndef AIO_H
#define AIO_H

#include <hdRelation.h>

struct aio;

/* What a thread is to do. It has no place for a token: hints carry it. */
struct aioTask {
	void (*run)(struct aioTask *task);
	hdR_hints *hints;
	struct aioTask *next;
};

struct aio *aioStart(int threads, int isShut);
/* Opens the gate, and waits for all tasks. */
void aioStop(struct aio *aio);

/* Hand a task to a thread. */
void aioSubmit(struct aio *aio, struct aioTask *task);

/* Open the gate, for good. */
void aioOpen(struct aio *aio);

#endif
