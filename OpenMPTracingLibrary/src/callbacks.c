/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the runtime of OpenMP tells (OpenMP 5.1, section 4.5.2), as states.
 *
 * The data that the runtime keeps for a tool: of a region its team; of an
 * implicit task nothing; of an explicit one its number. Numbers need no memory
 * that could be gone: a task may be named as one that another depends on after
 * its end was told. */
#include "config.h"

#include <stdlib.h>
#include <time.h>

#include "OpenMPTracingLibrary/src/callbacks.h"
#include "OpenMPTracingLibrary/src/depends.h"
#include "OpenMPTracingLibrary/src/lane.h"
#include "OpenMPTracingLibrary/src/options.h"
#include "common/clock.h"

/* Numbers of tasks that a thread takes at a time. */
#define TASK_NUMBERS 1024
/* Waiting for a lock is recorded from here on. */
#define LOCK_WAIT_MIN_NS 1000

static atomic_ullong callbackTeams;
static atomic_ullong callbackTasks;

static int64_t ompCallbacksCpuNow(void)
{
	struct timespec now;

	if (!ompOptions.hasCpu || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now))
		return -1;
	return (int64_t)now.tv_sec * HD_NS_PER_S + now.tv_nsec;
}

/* What the thread has used, for its region that begins. */
static int64_t cpuBegin(struct ompLane *lane)
{
	int64_t used = ompCallbacksCpuNow();

	if (used >= 0)
		ompLaneCpu(lane, used);
	return used;
}

/* What it has used in its region so far: when it comes to the end of it, where
 * it is told too late, if at all, that the others have come. */
static void cpuSettle(struct ompLane *lane)
{
	struct ompOpen *region = ompLaneRegion(lane);

	if (region && region->cpu >= 0)
		region->cpuUsed = cpuBegin(lane) - region->cpu;
}

/* ---- Threads and regions ---------------------------------------------------
 */

static void onThreadEnd(ompt_data_t *thread)
{
	(void)thread;
	ompLaneLeave();
}

static void onParallelBegin(ompt_data_t *task, const ompt_frame_t *frame,
			    ompt_data_t *parallel, unsigned int requested,
			    int flags, const void *code)
{
	struct ompTeam *team = calloc(1, sizeof(*team));
	struct ompLane *lane = team ? ompLaneGet() : NULL;
	struct ompOpen *open;

	(void)task;
	(void)frame;
	(void)flags;
	parallel->ptr = team;
	if (!team)
		return;
	team->id = 1 + atomic_fetch_add(&callbackTeams, 1);
	if (!lane)
		return;
	ompLaneLock(lane);
	open = ompLaneBegin(lane, "omp.parallel", -1);
	if (open) {
		open->kind = OMP_PARALLEL;
		open->team = team;
		open->cpu = cpuBegin(lane);
		ompLaneAttributes(
			lane, "team thread requested",
			(const int64_t[]){ (int64_t)team->id, 0, requested });
		ompLaneText(lane, "at", ompCode(&lane->codes, code));
	}
	ompLaneUnlock(lane);
}

/* All have arrived: end what the runtime has not told of yet. */
static void teamEnd(struct ompTeam *team, int64_t now)
{
	struct ompLane *lane = atomic_load(&team->workers);

	while (lane) {
		struct ompLane *next = lane->inTeam;
		unsigned int depth;

		ompLaneLock(lane);
		depth = ompLaneFindTeam(lane, team);
		if (depth > 0)
			ompLaneEndTo(lane, depth - 1, now);
		ompLaneUnlock(lane);
		lane = next;
	}
}

static void onParallelEnd(ompt_data_t *parallel, ompt_data_t *task, int flags,
			  const void *code)
{
	struct ompTeam *team = parallel->ptr;
	struct ompLane *lane = ompLaneGet();
	int64_t now = hdClockNow();
	unsigned int depth;

	(void)task;
	(void)flags;
	(void)code;
	if (!team)
		return;
	teamEnd(team, now);
	if (lane) {
		ompLaneLock(lane);
		depth = ompLaneFindTeam(lane, team);
		if (depth > 0) {
			cpuSettle(lane);
			ompLaneEndTo(lane, depth - 1, now);
		}
		ompLaneUnlock(lane);
	}
	parallel->ptr = NULL;
	free(team);
}

/* A worker begins the region; who encountered it has begun it already. */
static void ompCallbacksWorkerBegin(struct ompLane *lane, struct ompTeam *team,
				    unsigned int size, unsigned int index)
{
	struct ompOpen *open;

	if (ompLaneFindTeam(lane, team) > 0) {
		ompLaneAttributes(lane, "threads", &(int64_t){ size });
		return;
	}
	open = ompLaneBegin(lane, "omp.parallel", -1);
	if (!open)
		return;
	open->kind = OMP_PARALLEL;
	open->team = team;
	open->cpu = cpuBegin(lane);
	ompLaneAttributes(lane, "team thread threads",
			  (const int64_t[]){ (int64_t)team->id, index, size });
	lane->inTeam = atomic_load(&team->workers);
	while (!atomic_compare_exchange_weak(&team->workers, &lane->inTeam,
					     lane))
		;
}

static void onImplicitTask(ompt_scope_endpoint_t endpoint,
			   ompt_data_t *parallel, ompt_data_t *task,
			   unsigned int size, unsigned int index, int flags)
{
	struct ompLane *lane;

	(void)task;
	if (flags & ompt_task_initial || endpoint != ompt_scope_begin ||
	    !parallel || !parallel->ptr || !(lane = ompLaneGet()))
		return;
	ompLaneLock(lane);
	ompCallbacksWorkerBegin(lane, parallel->ptr, size, index);
	ompLaneUnlock(lane);
}

/* ---- Work, and waiting -----------------------------------------------------
 */

static const char *workName(ompt_work_t kind)
{
	switch (kind) {
	case ompt_work_sections:
		return "omp.sections";
	case ompt_work_single_executor:
		return "omp.single";
	case ompt_work_single_other:
		return NULL;
	case ompt_work_workshare:
		return "omp.workshare";
	case ompt_work_distribute:
		return "omp.distribute";
	case ompt_work_taskloop:
		return "omp.taskloop";
	case ompt_work_scope:
		return "omp.scope";
	case ompt_work_loop:
	default: /* Schedules have numbers of their own in later versions. */
		return "omp.for";
	}
}

/* End the innermost state if it is of this kind: what the runtime tells late
 * has ended already. */
static void ompCallbacksEndState(struct ompLane *lane, enum ompKind kind)
{
	const struct ompOpen *top = ompLaneTop(lane);

	if (lane->depth > 0 && (!top || top->kind == kind))
		ompLaneEnd(lane, -1);
}

static void onWork(ompt_work_t kind, ompt_scope_endpoint_t endpoint,
		   ompt_data_t *parallel, ompt_data_t *task, uint64_t count,
		   const void *code)
{
	const char *name = workName(kind);
	struct ompLane *lane = name ? ompLaneGet() : NULL;
	struct ompOpen *open;

	(void)parallel;
	(void)task;
	if (!lane)
		return;
	ompLaneLock(lane);
	if (endpoint == ompt_scope_end) {
		ompCallbacksEndState(lane, OMP_WORK);
	} else if ((open = ompLaneBegin(lane, name, -1)) != NULL) {
		open->kind = OMP_WORK;
		if (count > 0 && count <= INT64_MAX)
			ompLaneAttributes(lane, "count",
					  &(int64_t){ (int64_t)count });
		ompLaneText(lane, "at", ompCode(&lane->codes, code));
	}
	if (endpoint == ompt_scope_beginend)
		ompCallbacksEndState(lane, OMP_WORK);
	ompLaneUnlock(lane);
}

static const char *waitName(ompt_sync_region_t kind)
{
	switch (kind) {
	case ompt_sync_region_taskwait:
		return "omp.taskwait";
	case ompt_sync_region_taskgroup:
		return "omp.taskgroup";
	case ompt_sync_region_reduction:
		return NULL;
	default:
		return "omp.barrier";
	}
}

/* Whether it may be the barrier at the end of a region. Older runtimes have one
 * number for all that the program does not name. */
static bool isLast(ompt_sync_region_t kind)
{
	return kind == ompt_sync_region_barrier_implicit_parallel ||
	       kind == ompt_sync_region_barrier_implicit;
}

static void waitBegin(struct ompLane *lane, ompt_sync_region_t kind,
		      const ompt_data_t *parallel, const void *code)
{
	const struct ompTeam *team = parallel ? parallel->ptr : NULL;
	bool isBarrier = kind != ompt_sync_region_taskwait &&
			 kind != ompt_sync_region_taskgroup;
	unsigned int depth;
	struct ompOpen *open;

	if (isLast(kind))
		cpuSettle(lane);
	depth = isBarrier && team ? ompLaneFindTeam(lane, team) : 0;
	open = ompLaneBegin(lane, waitName(kind), -1);
	if (!open)
		return;
	open->kind = OMP_WAIT;
	if (depth > 0)
		ompLaneAttributes(
			lane, "team barrier",
			(const int64_t[]){ (int64_t)team->id,
					   lane->open[depth - 1].barriers++ });
	if (kind == ompt_sync_region_barrier_explicit || !isBarrier)
		ompLaneText(lane, "at", ompCode(&lane->codes, code));
}

static void onSyncRegionWait(ompt_sync_region_t kind,
			     ompt_scope_endpoint_t endpoint,
			     ompt_data_t *parallel, ompt_data_t *task,
			     const void *code)
{
	struct ompLane *lane = waitName(kind) ? ompLaneGet() : NULL;

	(void)task;
	if (!lane)
		return;
	ompLaneLock(lane);
	if (endpoint == ompt_scope_begin)
		waitBegin(lane, kind, parallel, code);
	else
		ompCallbacksEndState(lane, OMP_WAIT);
	ompLaneUnlock(lane);
}

/* ---- Tasks -----------------------------------------------------------------
 */

static uint64_t taskNumber(struct ompLane *lane)
{
	if (lane->taskNext == lane->taskEnd) {
		lane->taskNext =
			1 + atomic_fetch_add(&callbackTasks, TASK_NUMBERS);
		lane->taskEnd = lane->taskNext + TASK_NUMBERS;
	}
	return lane->taskNext++;
}

static void onTaskCreate(ompt_data_t *creator, const ompt_frame_t *frame,
			 ompt_data_t *task, int flags, int hasDependences,
			 const void *code)
{
	struct ompLane *lane;
	struct ompOpen *open;

	(void)creator;
	(void)frame;
	(void)hasDependences;
	task->value = 0;
	if (!(flags & ompt_task_explicit) || !(lane = ompLaneGet()))
		return;
	ompLaneLock(lane);
	task->value = taskNumber(lane);
	open = ompLaneBegin(lane, "omp.create", -1);
	if (open) {
		open->kind = OMP_WORK;
		ompLaneAttributes(lane, "task",
				  &(int64_t){ (int64_t)task->value });
		ompLaneText(lane, "at", ompCode(&lane->codes, code));
	}
	ompLaneEnd(lane, -1);
	ompLaneUnlock(lane);
}

static void onTaskDependence(ompt_data_t *before, ompt_data_t *task)
{
	if (before->value && task->value)
		ompDependsAdd(task->value, before->value);
}

/* Begin a task, or go on with it. */
static void taskBegin(struct ompLane *lane, uint64_t task)
{
	char before[OMP_DEPENDS_TEXT_MAX];
	struct ompOpen *open = ompLaneBegin(lane, "omp.task", -1);

	if (!open)
		return;
	open->kind = OMP_TASK;
	open->task = task;
	ompLaneAttributes(lane, "task", &(int64_t){ (int64_t)task });
	if (ompDependsTake(task, before, sizeof(before)))
		ompLaneText(lane, "after", before);
}

/* The thread goes from one task to another. One that is open on it already was
 * left for those inside of it, at a place where it waits. */
static void onTaskSchedule(ompt_data_t *prior, ompt_task_status_t status,
			   ompt_data_t *next)
{
	const struct ompOpen *open;
	struct ompLane *lane;
	unsigned int depth;

	if (status == ompt_task_early_fulfill ||
	    status == ompt_task_late_fulfill || !(lane = ompLaneGet()))
		return;
	ompLaneLock(lane);
	depth = prior && prior->value ? ompLaneFindTask(lane, prior->value) : 0;
	if (depth > 0 &&
	    (status == ompt_task_complete || status == ompt_task_cancel ||
	     status == ompt_task_detach || !next || !next->value ||
	     ompLaneFindTask(lane, next->value) > 0)) {
		ompLaneEndTo(lane, depth - 1, -1);
		open = ompLaneTop(lane);
		if (open && open->kind == OMP_WAIT)
			cpuSettle(lane);
	}
	if (next && next->value && ompLaneFindTask(lane, next->value) == 0)
		taskBegin(lane, next->value);
	ompLaneUnlock(lane);
}

/* ---- Locks -----------------------------------------------------------------
 */

static void onMutexAcquire(ompt_mutex_t kind, unsigned int hint,
			   unsigned int how, ompt_wait_id_t id,
			   const void *code)
{
	struct ompLane *lane = ompLaneGet();

	(void)kind;
	(void)hint;
	(void)how;
	(void)id;
	(void)code;
	if (lane)
		lane->lockSince = hdClockNow();
}

static const char *lockName(ompt_mutex_t kind)
{
	switch (kind) {
	case ompt_mutex_critical:
		return "omp.critical";
	case ompt_mutex_ordered:
		return "omp.ordered";
	case ompt_mutex_atomic:
		return "omp.atomic";
	default:
		return "omp.lock";
	}
}

/* Only those that were waited for are recorded, as waiting. */
static void onMutexAcquired(ompt_mutex_t kind, ompt_wait_id_t id,
			    const void *code)
{
	struct ompLane *lane = ompLaneGet();
	int64_t now = hdClockNow();
	struct ompOpen *open;

	if (!lane || lane->lockSince <= 0 ||
	    now - lane->lockSince < LOCK_WAIT_MIN_NS)
		return;
	ompLaneLock(lane);
	open = ompLaneBegin(lane, lockName(kind), lane->lockSince);
	if (open) {
		open->kind = OMP_WORK;
		ompLaneAttributes(lane, "lock", &(int64_t){ (int64_t)id });
		ompLaneText(lane, "at", ompCode(&lane->codes, code));
	}
	ompLaneEnd(lane, now);
	lane->lockSince = 0;
	ompLaneUnlock(lane);
}

void ompCallbacksSet(ompt_set_callback_t set)
{
	set(ompt_callback_thread_end, (ompt_callback_t)onThreadEnd);
	set(ompt_callback_parallel_begin, (ompt_callback_t)onParallelBegin);
	set(ompt_callback_parallel_end, (ompt_callback_t)onParallelEnd);
	set(ompt_callback_implicit_task, (ompt_callback_t)onImplicitTask);
	if (ompOptions.hasWork)
		set(ompt_callback_work, (ompt_callback_t)onWork);
	if (ompOptions.hasWaits)
		set(ompt_callback_sync_region_wait,
		    (ompt_callback_t)onSyncRegionWait);
	if (ompOptions.hasTasks) {
		set(ompt_callback_task_create, (ompt_callback_t)onTaskCreate);
		set(ompt_callback_task_schedule,
		    (ompt_callback_t)onTaskSchedule);
		set(ompt_callback_task_dependence,
		    (ompt_callback_t)onTaskDependence);
	}
	if (ompOptions.hasLocks) {
		set(ompt_callback_mutex_acquire,
		    (ompt_callback_t)onMutexAcquire);
		set(ompt_callback_mutex_acquired,
		    (ompt_callback_t)onMutexAcquired);
	}
}
