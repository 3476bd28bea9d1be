/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A source that is read by a thread of its own; see worker.h. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ResourcesUtilizationTracingLibrary/src/core/worker.h"
#include "common/clock.h"
#include "common/thread.h"

struct rutWorker {
	const struct rutSource *kind;
	struct rutSetup setup;
	pid_t owner; /* The process that has the thread. */
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool isBusy;    /* The thread has what is below this. */
	bool isOver;    /* It is to close the source, and end. */
	bool isEnded;   /* It has done so. */
	bool isLeft;    /* Nobody waits for that: it frees all. */
	bool isAwaited; /* What it reads, or has read, nobody has got yet. */
	int64_t askedNs;
	int64_t tookNs; /* So long it has read. */
	int64_t restNs; /* Until when what it has read will do. */
	int64_t cpuNs;  /* CPU time of the thread; read without the mutex. */
	int ret;        /* Of open(). */
	struct rutColumns columns;
	union hdCell *cells;
	void *state;
};

static void workerFreeParts(struct rutWorker *worker)
{
	rutColumnsTruncate(&worker->columns, 0);
	free(worker->cells);
	free((char *)worker->setup.root);
	free(worker);
}

static void workerFree(struct rutWorker *worker)
{
	pthread_cond_destroy(&worker->changed);
	pthread_mutex_destroy(&worker->mutex);
	workerFreeParts(worker);
}

/* ---- Those that hang --------------------------------------------------- */

/* A child of fork() has none of its parent's threads, so with their number goes
 * whose they are; no lock, as the parent may have had it. */
static uint64_t hangingWord(int count)
{
	return (uint64_t)getpid() << 32 | (uint32_t)count;
}

static int hangingCount(uint64_t word)
{
	return word >> 32 == (uint64_t)getpid() ? (int)(uint32_t)word : 0;
}

static void hangingAdd(const struct rutSource *kind, int change)
{
	uint64_t was = atomic_load(kind->hanging);

	while (!atomic_compare_exchange_weak(
		kind->hanging, &was, hangingWord(hangingCount(was) + change))) {
	}
}

int rutWorkerHanging(const struct rutSource *kind)
{
	return hangingCount(atomic_load(kind->hanging));
}

/* ---- The thread -------------------------------------------------------- */

static void sourceWorkerBegin(struct rutWorker *worker)
{
	int ret = worker->kind->open(&worker->setup, &worker->columns,
				     &worker->state);

	if (ret == 0) {
		worker->cells = calloc(worker->columns.count + 1,
				       sizeof(*worker->cells));
		if (worker->cells) {
			worker->kind->read(worker->state, RUT_WHY_SAMPLE,
					   worker->cells);
		} else {
			worker->kind->close(worker->state);
			ret = -ENOMEM;
		}
	}
	worker->ret = ret;
}

/* With the mutex: what was asked for is done; wait for the next time. False:
 * there is none. */
static bool workerNext(struct rutWorker *worker)
{
	int64_t now = hdMonotonicNow();
	struct timespec used = { 0 };

	worker->isBusy = false;
	worker->tookNs = now - worker->askedNs;
	worker->restNs =
		now + (worker->kind->hardlyChanges ? worker->setup.restNs : 0);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	__atomic_store_n(&worker->cpuNs, hdClockToNs(&used), __ATOMIC_RELAXED);
	pthread_cond_broadcast(&worker->changed);
	while (!worker->isBusy && !worker->isOver)
		pthread_cond_wait(&worker->changed, &worker->mutex);
	return !worker->isOver;
}

static void *workerRun(void *context)
{
	struct rutWorker *worker = context;
	bool isLeft;

	sourceWorkerBegin(worker);
	pthread_mutex_lock(&worker->mutex);
	while (workerNext(worker)) {
		pthread_mutex_unlock(&worker->mutex);
		worker->kind->read(worker->state, RUT_WHY_SAMPLE,
				   worker->cells);
		pthread_mutex_lock(&worker->mutex);
	}
	pthread_mutex_unlock(&worker->mutex);
	if (worker->ret == 0)
		worker->kind->close(worker->state);
	pthread_mutex_lock(&worker->mutex);
	worker->isEnded = true;
	isLeft = worker->isLeft;
	pthread_cond_broadcast(&worker->changed);
	pthread_mutex_unlock(&worker->mutex);
	if (isLeft) {
		hangingAdd(worker->kind, -1);
		workerFree(worker);
	}
	return NULL;
}

/* ---- Whoever wants values ---------------------------------------------- */

/* With the mutex: wait until a flag is as wanted; whether it is. */
static bool workerAwait(struct rutWorker *worker, const bool *flag, bool wanted,
			int64_t patienceNs)
{
	struct timespec until =
		hdClockToTimespec(hdMonotonicNow() + patienceNs);

	while (*flag != wanted)
		if (pthread_cond_timedwait(&worker->changed, &worker->mutex,
					   &until) != 0)
			break;
	return *flag == wanted;
}

static int workerCreate(const struct rutSource *kind,
			const struct rutSetup *setup, struct rutWorker **result)
{
	struct rutWorker *worker = calloc(1, sizeof(*worker));
	pthread_condattr_t attributes;

	if (!worker)
		return -ENOMEM;
	worker->kind = kind;
	worker->setup = *setup;
	worker->setup.root = strdup(setup->root);
	worker->setup.mountPoint = NULL;
	worker->setup.getCost = NULL;
	worker->owner = getpid();
	worker->askedNs = hdMonotonicNow();
	worker->isBusy = true;
	pthread_mutex_init(&worker->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&worker->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	if (worker->setup.root && hdThreadStart(NULL, workerRun, worker) == 0) {
		*result = worker;
		return 0;
	}
	workerFree(worker);
	return -EAGAIN;
}

/* Add what it has to what there is. */
static int workerColumns(const struct rutWorker *worker,
			 struct rutColumns *columns)
{
	int ret = worker->ret;

	for (size_t i = 0; ret == 0 && i < worker->columns.count; i++)
		ret = rutColumnsAdd(columns, &worker->columns.list[i], "%s",
				    worker->columns.list[i].name);
	return ret;
}

int rutWorkerOpen(const struct rutSource *kind, const struct rutSetup *setup,
		  struct rutColumns *columns, struct rutWorker **result)
{
	struct rutWorker *worker = NULL;
	bool isOpen;
	int ret;

	/* Where one hangs the next one would, too. */
	if (rutWorkerHanging(kind) > 0)
		return -ETIMEDOUT;
	ret = workerCreate(kind, setup, &worker);
	if (ret < 0)
		return ret;
	pthread_mutex_lock(&worker->mutex);
	isOpen = workerAwait(worker, &worker->isBusy, false,
			     setup->openPatienceNs);
	pthread_mutex_unlock(&worker->mutex);
	ret = isOpen ? workerColumns(worker, columns) : -ETIMEDOUT;
	if (ret < 0)
		rutWorkerClose(worker);
	else
		*result = worker;
	return ret;
}

/* With the mutex: what it has read. */
static void workerTake(const struct rutWorker *worker, union hdCell *cells)
{
	memcpy(cells, worker->cells, worker->columns.count * sizeof(*cells));
}

/* With the mutex: let it read, beside whoever asks. */
static void workerAsk(struct rutWorker *worker)
{
	worker->isBusy = true;
	worker->isAwaited = true;
	worker->askedNs = hdMonotonicNow();
	pthread_cond_broadcast(&worker->changed);
}

/* With the mutex: let it read, and wait for that a while. */
static bool workerAskNow(struct rutWorker *worker, union hdCell *cells)
{
	workerAsk(worker);
	if (!workerAwait(worker, &worker->isBusy, false,
			 worker->setup.patienceNs))
		return false;
	worker->isAwaited = false;
	workerTake(worker, cells);
	return true;
}

/* With the mutex: take what was asked for by an earlier sample. What has taken
 * longer than an interval, or was asked for long ago, says nothing of this one.
 * Who is slow is asked again, for the next one, and not waited for. */
static bool workerTakeLate(struct rutWorker *worker, union hdCell *cells)
{
	int64_t intervalNs = worker->setup.intervalNs;
	bool isOfNow = worker->tookNs <= intervalNs &&
		       hdMonotonicNow() - worker->askedNs <= 2 * intervalNs;

	worker->isAwaited = false;
	if (isOfNow)
		workerTake(worker, cells);
	if (worker->tookNs > worker->setup.patienceNs)
		workerAsk(worker);
	return isOfNow;
}

static bool workerSample(struct rutWorker *worker, union hdCell *cells)
{
	if (worker->isAwaited)
		return workerTakeLate(worker, cells);
	if (hdMonotonicNow() >= worker->restNs)
		return workerAskNow(worker, cells);
	workerTake(worker, cells);
	return true;
}

bool rutWorkerRead(struct rutWorker *worker, enum rutWhy why,
		   union hdCell *cells)
{
	bool isThere;

	if (worker->owner != getpid())
		return false;
	pthread_mutex_lock(&worker->mutex);
	isThere = !worker->isBusy;
	if (isThere && why == RUT_WHY_SAMPLE) {
		isThere = workerSample(worker, cells);
	} else if (isThere) {
		/* What was asked for before is of another time. */
		worker->isAwaited = false;
		workerTake(worker, cells);
	}
	pthread_mutex_unlock(&worker->mutex);
	return isThere;
}

int64_t rutWorkerCpuNs(const struct rutWorker *worker)
{
	return __atomic_load_n(&worker->cpuNs, __ATOMIC_RELAXED);
}

/* In a child process, which has no such thread. */
static void workerForget(struct rutWorker *worker)
{
	if (!worker->isBusy && worker->ret == 0)
		worker->kind->close(worker->state);
	workerFreeParts(worker);
}

void rutWorkerClose(struct rutWorker *worker)
{
	bool isEnded;

	if (worker->owner != getpid()) {
		workerForget(worker);
		return;
	}
	pthread_mutex_lock(&worker->mutex);
	worker->isOver = true;
	pthread_cond_broadcast(&worker->changed);
	/* Who hangs is not waited for longer than by a sample. */
	isEnded = workerAwait(worker, &worker->isEnded, true,
			      worker->isBusy ? worker->setup.patienceNs
					     : worker->setup.openPatienceNs);
	worker->isLeft = !isEnded;
	if (!isEnded)
		hangingAdd(worker->kind, 1);
	pthread_mutex_unlock(&worker->mutex);
	if (isEnded)
		workerFree(worker);
}
