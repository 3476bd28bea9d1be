/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Files that are removed by signals. The handler takes no lock: files are in a
 * list that only grows, whose places are used again. It waits for files that
 * are being made, by threads that take no signals meanwhile.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>
#include <glib.h>

#include "HDTraceTools/base/temporary.h"
#include "common/thread.h"

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
static atomic_int making;    /**< Threads that make a file now. */
static atomic_bool isEnding; /**< From then on nobody makes any. */

static bool change(struct temporary *self, enum state from, enum state to)
{
	return atomic_compare_exchange_strong(&self->state, &from, to);
}

static void onSignal(int number)
{
	int before = errno;

	atomic_store(&isEnding, true);
	while (atomic_load(&making) > 0)
		sched_yield();
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

/** Make a file that a handler knows as soon as it is there. */
static int make(char *path, struct temporary *self)
{
	sigset_t before;
	int ret;

	/* A handler that waits for this must not be in the way of it. */
	hdSignalsBlock(&before);
	atomic_fetch_add(&making, 1);
	while (atomic_load(&isEnding)) {
		atomic_fetch_sub(&making, 1);
		pause();
		atomic_fetch_add(&making, 1);
	}
	ret = mkostemp(path, O_CLOEXEC);
	if (ret < 0)
		ret = -errno;
	else
		self->path = g_strdup(path);
	atomic_store(&self->state, ret < 0 ? STATE_FREE : STATE_THERE);
	atomic_fetch_sub(&making, 1);
	hdSignalsRestore(&before);
	return ret;
}

int temporaryMake(char *path, struct temporary **self)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct temporary *one = place();
	int ret;

	pthread_once(&once, catch);
	ret = make(path, one);
	*self = ret < 0 ? NULL : one;
	return ret;
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
