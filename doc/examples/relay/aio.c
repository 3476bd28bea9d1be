/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads for operations of the storage. */
#include <pthread.h>
#include <stdlib.h>

#include "aio.h"

struct aio {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct aioTask *first, **last;
	int isShut, isEnding;
	int queued; /* Tasks that no thread has taken. */
	int idle;   /* Threads that wait for one, or are about to wake up. */
	int count, limit;
	pthread_t threads[];
};

static void *aioRun(void *data)
{
	struct aio *aio = data;

	pthread_mutex_lock(&aio->lock);
	while (aio->first || !aio->isEnding) {
		struct aioTask *task = aio->first;

		if (!task || aio->isShut) {
			aio->idle++;
			pthread_cond_wait(&aio->wake, &aio->lock);
			aio->idle--;
			continue;
		}
		aio->first = task->next;
		if (!aio->first)
			aio->last = &aio->first;
		aio->queued--;
		pthread_mutex_unlock(&aio->lock);
		task->run(task);
		pthread_mutex_lock(&aio->lock);
	}
	pthread_mutex_unlock(&aio->lock);
	return NULL;
}

/* One more thread, if it may be; the lock is held. */
static void addThread(struct aio *aio)
{
	if (aio->count < aio->limit &&
	    pthread_create(&aio->threads[aio->count], NULL, aioRun, aio) == 0)
		aio->count++;
}

struct aio *aioStart(int threads, int isShut)
{
	struct aio *aio =
		calloc(1, sizeof(*aio) + (size_t)threads * sizeof(pthread_t));

	if (!aio)
		return NULL;
	pthread_mutex_init(&aio->lock, NULL);
	pthread_cond_init(&aio->wake, NULL);
	aio->last = &aio->first;
	aio->isShut = isShut;
	aio->limit = threads;
	/* There is always one. */
	addThread(aio);
	if (aio->count > 0)
		return aio;
	free(aio);
	return NULL;
}

void aioSubmit(struct aio *aio, struct aioTask *task)
{
	task->next = NULL;
	pthread_mutex_lock(&aio->lock);
	*aio->last = task;
	aio->last = &task->next;
	if (++aio->queued > aio->idle)
		addThread(aio);
	pthread_cond_signal(&aio->wake);
	pthread_mutex_unlock(&aio->lock);
}

void aioOpen(struct aio *aio)
{
	pthread_mutex_lock(&aio->lock);
	aio->isShut = 0;
	pthread_cond_broadcast(&aio->wake);
	pthread_mutex_unlock(&aio->lock);
}

void aioStop(struct aio *aio)
{
	pthread_mutex_lock(&aio->lock);
	aio->isEnding = 1;
	aio->isShut = 0;
	pthread_cond_broadcast(&aio->wake);
	pthread_mutex_unlock(&aio->lock);
	for (int i = 0; i < aio->count; i++)
		pthread_join(aio->threads[i], NULL);
	pthread_cond_destroy(&aio->wake);
	pthread_mutex_destroy(&aio->lock);
	free(aio);
}
