/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The thread that writes files of the process, and its locks.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <hdError.h>

#include "HDTraceWritingCLibrary/src/outfile.h"
#include "HDTraceWritingCLibrary/src/packer.h"
#include "HDTraceWritingCLibrary/src/settings.h"
#include "common/clock.h"
#include "common/thread.h"
#include "common/tscclock.h"

/* ---- Locks in threads that are not ours -------------------------------- */

/*
 * What protects a thread of the program while it holds a lock of ours, and the
 * program from us: no handler runs that calls exit(), which would wait for the
 * lock; no cancellation leaves the lock behind; to write more than a limit
 * allows is an error and not a signal that kills.
 */
void hdOutfileGuardEnter(struct hdOutfileGuard *guard)
{
	guard->error = errno;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancelState);
	hdSignalsBlock(&guard->mask);
}

void hdOutfileGuardLeave(const struct hdOutfileGuard *guard)
{
	hdSignalsRestore(&guard->mask);
	pthread_setcancelstate(guard->cancelState, NULL);
	errno = guard->error;
}

void hdOutfileTakeSignal(const struct hdOutfile *file,
			 const struct hdOutfileGuard *guard)
{
	static const struct timespec now;
	sigset_t signals;

	if (atomic_load(&file->error) != EFBIG ||
	    sigismember(&guard->mask, SIGXFSZ))
		return;
	sigemptyset(&signals);
	sigaddset(&signals, SIGXFSZ);
	sigtimedwait(&signals, NULL, &now);
}

void hdOutfileEnter(struct hdOutfile *file, struct hdOutfileGuard *guard)
{
	hdOutfileGuardEnter(guard);
	pthread_mutex_lock(&file->io);
}

void hdOutfileLeave(struct hdOutfile *file, const struct hdOutfileGuard *guard)
{
	pthread_mutex_unlock(&file->io);
	hdOutfileTakeSignal(file, guard);
	hdOutfileGuardLeave(guard);
}

/* Look whether it was set. Called with the lock held. */
static void loopLook(void)
{
	struct hdStep step;

	if (hdStepsLook(&hdOutfileLoop.steps, &step))
		hdOutfileLoop
			.last[(hdOutfileLoop.steps.count - 1) % LOOP_STEPS] =
			step;
}

/* Copy the steps that a file does not have yet. Called with the lock held.
 * Returns how many. */
static size_t loopTakeSteps(struct hdOutfile *file, struct hdStep *steps)
{
	uint64_t count = hdOutfileLoop.steps.count, from = file->stepsSaid;
	size_t taken = 0;

	if (count - from > LOOP_STEPS)
		from = count - LOOP_STEPS;
	for (; from < count; from++)
		steps[taken++] = hdOutfileLoop.last[from % LOOP_STEPS];
	file->stepsSaid = count;
	return taken;
}

/* Write them down, without the lock. */
static void loopSaySteps(const struct hdOutfile *file,
			 const struct hdStep *steps, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (hdOwnedIs(&file->owned, file->fd))
			hdStepsWrite(file->path, file->fd, &steps[i]);
}

/* ---- The background thread --------------------------------------------- */

/* Drain all files. Called and returns with the lock held. */
static void loopDrainAll(void)
{
	struct hdOutfile *file = hdOutfileLoop.files;

	while (file) {
		struct hdStep steps[LOOP_STEPS];
		size_t count = loopTakeSteps(file, steps);
		bool isFlushed = hdOutfileLoop.isEnding;

		hdOutfileLoop.current = file;
		pthread_mutex_unlock(&hdOutfileLoop.lock);
		loopSaySteps(file, steps, count);
		atomic_store(&file->isAwaited, false);
		hdOutfileDrainNow(file, isFlushed);
		pthread_mutex_lock(&hdOutfileLoop.lock);
		/* It cannot leave the list while it is current. */
		file = file->next;
		hdOutfileLoop.current = NULL;
		pthread_cond_broadcast(&hdOutfileLoop.done);
	}
}

static void *outfileLoopRun(void *unused)
{
	int64_t halfNs = hdSettingsGet()->flushMs * (HD_NS_PER_S / 2000);

	(void)unused;
	pthread_mutex_lock(&hdOutfileLoop.lock);
	while (!hdOutfileLoop.isEnding) {
		struct timespec deadline =
			hdClockToTimespec(hdMonotonicNow() + halfNs);
		int ret = 0;

		while (!hdOutfileLoop.isEnding && !hdOutfileLoop.isWoken &&
		       ret == 0)
			ret = hdOutfileLoop.files
				      ? pthread_cond_timedwait(
						&hdOutfileLoop.wake,
						&hdOutfileLoop.lock, &deadline)
				      : pthread_cond_wait(&hdOutfileLoop.wake,
							  &hdOutfileLoop.lock);
		hdOutfileLoop.isWoken = false;
		/* The counter is to be compared, whoever reads it else. */
		if (hdTscClockUsed())
			hdClockNow();
		loopLook();
		loopDrainAll();
	}
	pthread_mutex_unlock(&hdOutfileLoop.lock);
	return NULL;
}

/* In a child of fork(): the thread is not there, the files are not ours. */
static void loopForget(void)
{
	pthread_condattr_t monotonic;

	hdOutfileGeneration++;
	hdPackerForget();
	pthread_mutex_init(&hdOutfileLoop.lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&hdOutfileLoop.wake, &monotonic);
	pthread_cond_init(&hdOutfileLoop.done, NULL);
	pthread_condattr_destroy(&monotonic);
	hdOutfileLoop.files = NULL;
	hdOutfileLoop.current = NULL;
	hdOutfileLoop.isRunning = false;
	hdOutfileLoop.isEnding = false;
	hdOutfileLoop.isWoken = false;
}

static void loopInitialise(void)
{
	unsigned int generation = hdOutfileGeneration;

	loopForget();
	hdOutfileGeneration = generation;
	pthread_atfork(NULL, NULL, loopForget);
}

/* Start the thread unless it runs. The lock is held, so signals are blocked,
 * and stay so in the thread. Without a thread files are still written: when
 * they are full, flushed or closed. */
static void loopStart(void)
{
	int ret;

	if (hdOutfileLoop.isRunning || hdOutfileLoop.isEnding)
		return;
	ret = pthread_create(&hdOutfileLoop.thread, NULL, outfileLoopRun, NULL);
	if (ret == 0)
		hdOutfileLoop.isRunning = true;
	else
		hdMessage(HD_LOG_ERROR,
			  "cannot create the background thread: %s",
			  strerror(ret));
}

static void loopLock(struct hdOutfileGuard *guard)
{
	hdOutfileGuardEnter(guard);
	pthread_mutex_lock(&hdOutfileLoop.lock);
}

static void loopUnlock(const struct hdOutfileGuard *guard)
{
	pthread_mutex_unlock(&hdOutfileLoop.lock);
	hdOutfileGuardLeave(guard);
}

bool hdOutfileLoopAdd(struct hdOutfile *file)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct hdOutfileGuard guard;
	bool isNew = true;

	pthread_once(&once, loopInitialise);
	file->generation = hdOutfileGeneration;
	loopLock(&guard);
	for (const struct hdOutfile *other = hdOutfileLoop.files;
	     other && isNew; other = other->next)
		isNew = other->owned.device != file->owned.device ||
			other->owned.inode != file->owned.inode;
	if (!isNew) {
		loopUnlock(&guard);
		return false;
	}
	loopStart();
	loopLook();
	file->stepsBefore = hdOutfileLoop.steps;
	file->stepsSaid = hdOutfileLoop.steps.count;
	file->next = hdOutfileLoop.files;
	if (file->next)
		file->next->previous = file;
	else
		pthread_cond_signal(&hdOutfileLoop.wake);
	hdOutfileLoop.files = file;
	loopUnlock(&guard);
	return true;
}

void hdOutfileSteps(struct hdOutfile *file, struct hdSteps *steps)
{
	struct hdStep new[LOOP_STEPS];
	struct hdOutfileGuard guard;
	size_t count;

	loopLock(&guard);
	loopLook();
	steps->count = hdOutfileLoop.steps.count - file->stepsBefore.count;
	steps->sumNs = hdOutfileLoop.steps.sumNs - file->stepsBefore.sumNs;
	count = loopTakeSteps(file, new);
	loopUnlock(&guard);
	loopSaySteps(file, new, count);
}

void hdOutfileLoopRemove(struct hdOutfile *file)
{
	struct hdOutfileGuard guard;

	loopLock(&guard);
	while (hdOutfileLoop.current == file)
		pthread_cond_wait(&hdOutfileLoop.done, &hdOutfileLoop.lock);
	if (file->next)
		file->next->previous = file->previous;
	if (file->previous)
		file->previous->next = file->next;
	else
		hdOutfileLoop.files = file->next;
	loopUnlock(&guard);
}

bool hdOutfileLoopWait(void)
{
	struct hdOutfileGuard guard;
	bool isRunning;

	loopLock(&guard);
	isRunning = hdOutfileLoop.isRunning && !hdOutfileLoop.isEnding;
	if (isRunning) {
		hdOutfileLoop.isWoken = true;
		pthread_cond_signal(&hdOutfileLoop.wake);
		pthread_cond_wait(&hdOutfileLoop.done, &hdOutfileLoop.lock);
	}
	loopUnlock(&guard);
	return isRunning;
}

void hdOutfileWake(void)
{
	struct hdOutfileGuard guard;

	loopLock(&guard);
	hdOutfileLoop.isWoken = true;
	pthread_cond_signal(&hdOutfileLoop.wake);
	loopUnlock(&guard);
}

/* The process ends, or the library is unloaded: end the thread, write what is
 * complete. */
__attribute__((__destructor__)) static void loopEnd(void)
{
	bool wasRunning;

	pthread_mutex_lock(&hdOutfileLoop.lock);
	wasRunning = hdOutfileLoop.isRunning;
	hdOutfileLoop.isEnding = true;
	if (wasRunning)
		pthread_cond_signal(&hdOutfileLoop.wake);
	pthread_mutex_unlock(&hdOutfileLoop.lock);
	if (wasRunning)
		pthread_join(hdOutfileLoop.thread, NULL);
	pthread_mutex_lock(&hdOutfileLoop.lock);
	hdOutfileLoop.isRunning = false;
	loopDrainAll();
	pthread_mutex_unlock(&hdOutfileLoop.lock);
}
