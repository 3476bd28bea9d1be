/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TROVE: the storage, in two layers: what was asked for, and what is under way.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "layers.h"
#include "trove.h"

struct trove {
	struct troveOptions options;
	struct aio *aio; /* NULL: without threads. */
	pthread_mutex_t lock;
	int posts;
};

static const char *const names[] = { "create", "write", "read" };
static const char *const calls[] = { "openat", "pwrite", "pread" };

/* ---- Under way --------------------------------------------------------- */

static int createFile(const struct troveOperation *operation)
{
	int fd = openat(operation->fd, operation->name,
			O_CREAT | O_WRONLY | O_CLOEXEC, 0666);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* Write or read all of it. */
static int transfer(struct troveOperation *operation)
{
	while (operation->done < operation->size) {
		char *at = operation->buffer + operation->done;
		size_t rest = operation->size - operation->done;
		off_t offset = operation->offset + (off_t)operation->done;
		ssize_t done = operation->kind == TROVE_WRITE
				       ? pwrite(operation->fd, at, rest, offset)
				       : pread(operation->fd, at, rest, offset);

		if (done < 0 && errno != EINTR)
			return errno;
		if (done == 0 && operation->kind == TROVE_WRITE)
			return ENOSPC;
		if (done == 0) {
			memset(at, 0, rest);
			done = (ssize_t)rest;
		}
		if (done > 0)
			operation->done += (size_t)done;
	}
	return 0;
}

static void delay(int ms)
{
	struct timespec left = { ms / 1000, ms % 1000 * 1000000L };

	while (ms > 0 && nanosleep(&left, &left) < 0)
		;
}

/* Do an operation, with what the hints say as its cause. */
static void perform(struct troveOperation *operation)
{
	hdR_token token;

	layerEnter(LAYER_DISK);
	token = layerRelateOnly(LAYER_DISK, operation->task.hints,
				calls[operation->kind]);
	delay(operation->trove->options.delayMs);
	operation->error = operation->kind == TROVE_CREATE
				   ? createFile(operation)
				   : transfer(operation);
	layerEnd(&token, operation->error, operation->done, &operation->offset);
	layerLeave(LAYER_DISK, operation->done);
}

/* ---- Asked for --------------------------------------------------------- */

static void leave(struct troveOperation *operation)
{
	hdR_freeHints(&operation->task.hints);
	layerEnd(&operation->token, operation->error, operation->done,
		 &operation->offset);
	layerLeave(LAYER_TROVE, operation->done);
}

/* In a thread: do it, and say so. */
static void run(struct aioTask *task)
{
	struct troveOperation *operation =
		(struct troveOperation *)((char *)task -
					  offsetof(struct troveOperation,
						   task));

	perform(operation);
	leave(operation);
	operation->completed(operation, operation->error);
}

static int isRefused(struct trove *trove)
{
	int posts;

	if (trove->options.failNth == 0)
		return 0;
	pthread_mutex_lock(&trove->lock);
	posts = ++trove->posts;
	pthread_mutex_unlock(&trove->lock);
	return posts % trove->options.failNth == 0;
}

int trovePost(struct trove *trove, struct troveOperation *operation)
{
	layerEnter(LAYER_TROVE);
	operation->trove = trove;
	operation->done = 0;
	operation->error = 0;
	operation->task.run = run;
	operation->task.hints = NULL;
	operation->token = layerRelateOnly(LAYER_TROVE, operation->hints,
					   names[operation->kind]);
	hdR_addTokenHint(&operation->task.hints, operation->token);
	if (isRefused(trove))
		operation->error = EIO;
	else if (!trove->aio)
		perform(operation);
	else {
		aioSubmit(trove->aio, &operation->task);
		return 0;
	}
	leave(operation);
	return operation->error ? -operation->error : 1;
}

/* ---- Begin and end ----------------------------------------------------- */

struct trove *troveStart(const struct troveOptions *options)
{
	struct trove *trove = calloc(1, sizeof(*trove));

	if (!trove)
		return NULL;
	trove->options = *options;
	pthread_mutex_init(&trove->lock, NULL);
	if (options->method == TROVE_DIRECT)
		return trove;
	trove->aio = aioStart(options->threads, options->method == TROVE_GATED);
	if (trove->aio)
		return trove;
	free(trove);
	return NULL;
}

void troveOpen(struct trove *trove)
{
	if (trove->aio)
		aioOpen(trove->aio);
}

void troveStop(struct trove *trove)
{
	if (trove->aio)
		aioStop(trove->aio);
	pthread_mutex_destroy(&trove->lock);
	free(trove);
}
