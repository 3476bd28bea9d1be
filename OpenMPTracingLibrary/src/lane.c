/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lanes: the time lines of threads; see lane.h. */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "OpenMPTracingLibrary/src/lane.h"
#include "OpenMPTracingLibrary/src/output.h"
#include "common/clock.h"

static __thread struct ompLane *laneSelf
	__attribute__((__tls_model__("initial-exec")));

static struct {
	pthread_mutex_t lock;
	struct ompLane *list;
	unsigned int count;
	bool hasEnded;
} lanes = { .lock = PTHREAD_MUTEX_INITIALIZER };

void ompLaneLock(struct ompLane *lane)
{
	while (atomic_flag_test_and_set_explicit(&lane->lock,
						 memory_order_acquire))
		sched_yield();
}

void ompLaneUnlock(struct ompLane *lane)
{
	atomic_flag_clear_explicit(&lane->lock, memory_order_release);
}

/* A lane whose thread has ended goes on with a new one: there are as many as
 * there were threads at a time. */
static struct ompLane *laneTakeOver(void)
{
	struct ompLane *lane = lanes.list;

	while (lane && !lane->hasEnded)
		lane = lane->next;
	return lane;
}

static struct ompLane *laneCreate(void)
{
	struct ompLane *lane = calloc(1, sizeof(*lane));

	if (!lane)
		return NULL;
	atomic_flag_clear(&lane->lock);
	lane->number = lanes.count++;
	lane->next = lanes.list;
	lanes.list = lane;
	return lane;
}

static struct ompLane *laneStart(void)
{
	struct ompLane *lane = NULL;

	pthread_mutex_lock(&lanes.lock);
	if (!lanes.hasEnded) {
		lane = laneTakeOver();
		if (!lane)
			lane = laneCreate();
	}
	if (lane) {
		lane->hasEnded = false;
		laneSelf = lane;
	}
	pthread_mutex_unlock(&lanes.lock);
	return lane;
}

struct ompLane *ompLaneGet(void)
{
	struct ompLane *lane = laneSelf;

	if (__builtin_expect(!lane, 0))
		lane = laneStart();
	if (lane && __builtin_expect(!lane->output, 0))
		lane->output = ompOutputOpen(lane->number);
	return lane && lane->output ? lane : NULL;
}

void ompLaneLeave(void)
{
	struct ompLane *lane = laneSelf;

	if (!lane)
		return;
	laneSelf = NULL;
	ompLaneLock(lane);
	ompLaneEndTo(lane, 0, -1);
	if (ompOutputIsOfThread())
		lane->output = NULL;
	ompLaneUnlock(lane);
	pthread_mutex_lock(&lanes.lock);
	lane->hasEnded = true;
	pthread_mutex_unlock(&lanes.lock);
}

void ompLanesEnd(void)
{
	pthread_mutex_lock(&lanes.lock);
	lanes.hasEnded = true;
	for (struct ompLane *i = lanes.list; i; i = i->next) {
		ompLaneLock(i);
		ompLaneEndTo(i, 0, -1);
		if (i->output)
			ompOutputClose(i->output);
		i->output = NULL;
		ompLaneUnlock(i);
	}
	pthread_mutex_unlock(&lanes.lock);
	ompOutputEnd();
}

struct ompOpen *ompLaneBegin(struct ompLane *lane, const char *name,
			     int64_t when)
{
	struct ompOpen *open;

	if (lane->depth++ >= OMP_DEPTH_MAX)
		return NULL;
	open = &lane->open[lane->depth - 1];
	open->isRecorded =
		lane->output && ompOutputBegin(lane->output, name, when);
	open->task = 0;
	open->team = NULL;
	open->barriers = 0;
	open->cpu = -1;
	open->cpuUsed = 0;
	return open;
}

struct ompOpen *ompLaneTop(struct ompLane *lane)
{
	return lane->depth > 0 && lane->depth <= OMP_DEPTH_MAX
		       ? &lane->open[lane->depth - 1]
		       : NULL;
}

void ompLaneEnd(struct ompLane *lane, int64_t when)
{
	const struct ompOpen *open = ompLaneTop(lane);

	if (lane->depth == 0)
		return;
	if (open && open->isRecorded && lane->output) {
		if (open->kind == OMP_PARALLEL && open->cpu >= 0)
			ompOutputAttributes(lane->output, "cpu",
					    &open->cpuUsed);
		ompOutputFinish(lane->output, when);
	}
	lane->depth--;
}

void ompLaneEndTo(struct ompLane *lane, unsigned int depth, int64_t when)
{
	while (lane->depth > depth)
		ompLaneEnd(lane, when);
}

/* The number of states that can be looked at. */
static unsigned int laneKnown(const struct ompLane *lane)
{
	return lane->depth < OMP_DEPTH_MAX ? lane->depth : OMP_DEPTH_MAX;
}

unsigned int ompLaneFindTeam(const struct ompLane *lane,
			     const struct ompTeam *team)
{
	unsigned int depth = laneKnown(lane);

	while (depth > 0 && (lane->open[depth - 1].kind != OMP_PARALLEL ||
			     lane->open[depth - 1].team != team))
		depth--;
	return depth;
}

struct ompOpen *ompLaneRegion(struct ompLane *lane)
{
	unsigned int depth = laneKnown(lane);

	while (depth > 0 && lane->open[depth - 1].kind != OMP_PARALLEL)
		depth--;
	return depth > 0 ? &lane->open[depth - 1] : NULL;
}

unsigned int ompLaneFindTask(const struct ompLane *lane, uint64_t task)
{
	unsigned int depth = laneKnown(lane);

	while (depth > 0 && (lane->open[depth - 1].kind != OMP_TASK ||
			     lane->open[depth - 1].task != task))
		depth--;
	return depth;
}

void ompLaneAttributes(struct ompLane *lane, const char *keys,
		       const int64_t *values)
{
	const struct ompOpen *open = ompLaneTop(lane);

	if (open && open->isRecorded && lane->output)
		ompOutputAttributes(lane->output, keys, values);
}

void ompLaneCpu(struct ompLane *lane, int64_t used)
{
	if (lane->output)
		ompOutputCpu(lane->output, hdClockNow(), used);
}

void ompLaneText(struct ompLane *lane, const char *key, const char *value)
{
	const struct ompOpen *open = ompLaneTop(lane);

	if (open && open->isRecorded && lane->output && value)
		ompOutputText(lane->output, key, value);
}
