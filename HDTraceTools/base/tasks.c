/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Does work in several threads.
 *
 * Who waits for a task with a lower number waits for one that was begun, so
 * there is always one that goes on.
 */
#include "config.h"

#include <pthread.h>
#include <stdbool.h>
#include <glib.h>

#include "HDTraceTools/base/tasks.h"

/** More would read more files at a time than a disk likes. */
#define THREADS_MAX 16
/** So many tasks may be done and not taken: results take memory. */
#define AHEAD_MAX 64

struct tasks {
	size_t count;
	tasksRun *run;
	void *data;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t next;  /**< To be begun. */
	size_t taken; /**< Results that were taken. */
	bool *isDone;
};

void tasksWaitFor(struct tasks *self, size_t number)
{
	pthread_mutex_lock(&self->lock);
	while (!self->isDone[number])
		pthread_cond_wait(&self->changed, &self->lock);
	pthread_mutex_unlock(&self->lock);
}

bool tasksIsTurn(struct tasks *self, size_t number)
{
	bool isTurn;

	pthread_mutex_lock(&self->lock);
	isTurn = self->taken == number;
	pthread_mutex_unlock(&self->lock);
	return isTurn;
}

void tasksWaitUntil(struct tasks *self, size_t number, tasksIsSo *isSo,
		    void *data)
{
	pthread_mutex_lock(&self->lock);
	while (self->taken != number && !(isSo && isSo(data)))
		pthread_cond_wait(&self->changed, &self->lock);
	pthread_mutex_unlock(&self->lock);
}

void tasksWaitTurn(struct tasks *self, size_t number)
{
	tasksWaitUntil(self, number, NULL, NULL);
}

void tasksTell(struct tasks *self)
{
	pthread_mutex_lock(&self->lock);
	pthread_cond_broadcast(&self->changed);
	pthread_mutex_unlock(&self->lock);
}

static void *tasksWorkerRun(void *data)
{
	struct tasks *self = data;

	pthread_mutex_lock(&self->lock);
	while (self->next < self->count) {
		size_t number;

		if (self->next >= self->taken + AHEAD_MAX) {
			pthread_cond_wait(&self->changed, &self->lock);
			continue;
		}
		number = self->next++;
		pthread_mutex_unlock(&self->lock);
		self->run(self, self->data, number);
		pthread_mutex_lock(&self->lock);
		self->isDone[number] = true;
		pthread_cond_broadcast(&self->changed);
	}
	pthread_mutex_unlock(&self->lock);
	return NULL;
}

/** Take results in order while others work. */
static void tasksTakeAll(struct tasks *self, tasksTake *take)
{
	while (self->taken < self->count) {
		tasksWaitFor(self, self->taken);
		take(self->data, self->taken);
		pthread_mutex_lock(&self->lock);
		self->taken++;
		pthread_cond_broadcast(&self->changed);
		pthread_mutex_unlock(&self->lock);
	}
}

/** Do all in this thread. */
static void doAlone(struct tasks *self, tasksTake *take)
{
	for (size_t i = 0; i < self->count; i++) {
		self->run(self, self->data, i);
		self->isDone[i] = true;
		take(self->data, i);
		self->taken++;
	}
}

void tasksDo(size_t count, tasksRun *run, tasksTake *take, void *data)
{
	struct tasks self = {
		.count = count,
		.run = run,
		.data = data,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
		.isDone = g_new0(bool, count + 1),
	};
	guint wanted = MIN(MIN(g_get_num_processors(), THREADS_MAX), count);
	pthread_t threads[THREADS_MAX];
	guint started = 0;

	while (wanted > 1 && started < wanted &&
	       pthread_create(&threads[started], NULL, tasksWorkerRun, &self) ==
		       0)
		started++;
	if (started)
		tasksTakeAll(&self, take);
	else
		doAlone(&self, take);
	for (guint i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	g_free(self.isDone);
}
