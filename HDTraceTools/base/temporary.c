/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Files that are removed by signals. The handler takes no lock: files are in a
 * list that only grows, whose places are used again.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>
#include <glib.h>

#include "HDTraceTools/base/temporary.h"

enum state {
	STATE_FREE,
	STATE_OURS,   /**< Being filled or emptied. */
	STATE_THERE,  /**< To be removed by a signal. */
	STATE_REMOVED /**< By one, which ends us. */
};

struct temporary {
	struct temporary *next;
	_Atomic(enum state) state;
	char *path;
};

static _Atomic(struct temporary *) all;

static bool change(struct temporary *self, enum state from, enum state to)
{
	return atomic_compare_exchange_strong(&self->state, &from, to);
}

static void onSignal(int number)
{
	int before = errno;

	for (struct temporary *one = atomic_load(&all); one; one = one->next) {
		if (change(one, STATE_THERE, STATE_REMOVED))
			unlink(one->path);
	}
	signal(number, SIG_DFL);
	/* It comes when this has returned. */
	raise(number);
	errno = before;
}

static void catch (void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = onSignal }, was;

	for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
		if (sigaction(numbers[i], NULL, &was) == 0 &&
		    was.sa_handler == SIG_DFL)
			sigaction(numbers[i], &action, NULL);
	}
}

static struct temporary *place(void)
{
	struct temporary *one = atomic_load(&all);

	for (; one; one = one->next) {
		if (change(one, STATE_FREE, STATE_OURS))
			return one;
	}
	one = g_new0(struct temporary, 1);
	atomic_init(&one->state, STATE_OURS);
	one->next = atomic_load(&all);
	while (!atomic_compare_exchange_weak(&all, &one->next, one)) {
	}
	return one;
}

struct temporary *temporaryNew(const char *path)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct temporary *self = place();

	pthread_once(&once, catch);
	self->path = g_strdup(path);
	atomic_store(&self->state, STATE_THERE);
	return self;
}

void temporaryDone(struct temporary *self)
{
	/* Else a handler has it, and what is to be freed does not matter. */
	if (!self || !change(self, STATE_THERE, STATE_OURS))
		return;
	g_free(self->path);
	self->path = NULL;
	atomic_store(&self->state, STATE_FREE);
}
