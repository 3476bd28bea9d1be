/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The thread that waits for what a meter sends; see loop.h. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/meter/loop.h"
#include "common/clock.h"
#include "common/owned.h"
#include "common/thread.h"

struct ptLoop {
	struct ptMeter *meter;
	int wakeFd;
	struct hdOwned wake; /* The eventfd. */
	pthread_t thread;
	pthread_mutex_t mutex; /* Protects what follows. */
	pthread_cond_t changed;
	bool isStarted;
	bool isEnding;
	bool isLost; /* The program has closed the eventfd. */
	/* Changes that were asked for, and those that were made. */
	uint64_t asked;
	uint64_t done;
};

/* Wait until a lost device is to be tried again, or something changes. */
static void loopWait(struct ptLoop *loop)
{
	struct pollfd fd = { .fd = loop->wakeFd, .events = POLLIN };
	int64_t left = loop->meter->backoff.retryNs - hdMonotonicNow();

	if (left > 0)
		poll(&fd, 1, (int)(left / 1000000) + 1);
}

/* Do one step of what is wanted. */
static void loopStep(struct ptLoop *loop, bool isStarted, bool isNew)
{
	if (!isStarted) {
		ptMeterStop(loop->meter);
		return;
	}
	if (!loop->meter->isOpen) {
		/* Nobody is to wait for a device that is lost. */
		if (isNew)
			return;
		loopWait(loop);
	}
	/* If it measures already it was to be stopped meanwhile; whoever asked
	 * for that waits, but not for the next message. */
	if (isNew)
		ptMeterStop(loop->meter);
	ptMeterRead(loop->meter);
}

/* Without what wakes it the thread would run for ever, or wait; so it measures
 * no more. Called and returns with the mutex held. */
static void loopLose(struct ptLoop *loop)
{
	loop->isLost = true;
	pthread_mutex_unlock(&loop->mutex);
	ptMessage(HD_LOG_ERROR, HD_OWNED_GONE "; measuring has stopped");
	ptMeterStop(loop->meter);
	pthread_mutex_lock(&loop->mutex);
}

static void *meterLoopRun(void *data)
{
	struct ptLoop *loop = data;

	pthread_mutex_lock(&loop->mutex);
	while (!loop->isEnding) {
		uint64_t asked = loop->asked;
		bool isStarted = loop->isStarted && !loop->isLost;
		bool isNew = asked != loop->done;
		eventfd_t unused;

		if (isStarted && !hdOwnedIs(&loop->wake, loop->wakeFd)) {
			loopLose(loop);
			continue;
		}
		if (!isNew && !isStarted) {
			pthread_cond_wait(&loop->changed, &loop->mutex);
			continue;
		}
		/* What was asked for until now is known. */
		if (isNew && hdOwnedIs(&loop->wake, loop->wakeFd))
			eventfd_read(loop->wakeFd, &unused);
		pthread_mutex_unlock(&loop->mutex);
		loopStep(loop, isStarted, isNew);
		pthread_mutex_lock(&loop->mutex);
		if (loop->done != asked) {
			loop->done = asked;
			pthread_cond_broadcast(&loop->changed);
		}
	}
	pthread_mutex_unlock(&loop->mutex);
	ptMeterStop(loop->meter);
	return NULL;
}

int ptLoopCreate(struct ptMeter *meter, int wakeFd, struct ptLoop **result)
{
	struct ptLoop *loop = calloc(1, sizeof(*loop));
	int ret;

	if (!loop)
		return -ENOMEM;
	loop->meter = meter;
	loop->wakeFd = wakeFd;
	hdOwnedSet(&loop->wake, wakeFd);
	pthread_mutex_init(&loop->mutex, NULL);
	pthread_cond_init(&loop->changed, NULL);
	ret = hdThreadStart(&loop->thread, meterLoopRun, loop);
	if (ret < 0) {
		pthread_cond_destroy(&loop->changed);
		pthread_mutex_destroy(&loop->mutex);
		free(loop);
		return ret;
	}
	*result = loop;
	return 0;
}

/* Wake the thread, wherever it waits; the mutex is held. */
static void loopWake(struct ptLoop *loop)
{
	if (hdOwnedIs(&loop->wake, loop->wakeFd))
		eventfd_write(loop->wakeFd, 1);
	pthread_cond_broadcast(&loop->changed);
}

int ptLoopSet(struct ptLoop *loop, bool isStarted)
{
	uint64_t mine;

	pthread_mutex_lock(&loop->mutex);
	if (loop->isStarted == isStarted) {
		pthread_mutex_unlock(&loop->mutex);
		return 1;
	}
	loop->isStarted = isStarted;
	mine = ++loop->asked;
	loopWake(loop);
	while (loop->done < mine)
		pthread_cond_wait(&loop->changed, &loop->mutex);
	pthread_mutex_unlock(&loop->mutex);
	return 0;
}

void ptLoopDestroy(struct ptLoop *loop)
{
	if (!loop)
		return;
	pthread_mutex_lock(&loop->mutex);
	loop->isEnding = true;
	loopWake(loop);
	pthread_mutex_unlock(&loop->mutex);
	pthread_join(loop->thread, NULL);
	pthread_cond_destroy(&loop->changed);
	pthread_mutex_destroy(&loop->mutex);
	free(loop);
}

void ptLoopForget(struct ptLoop *loop)
{
	free(loop);
}
