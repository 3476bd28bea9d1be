/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: reads all tracks in the background.
 *
 * A few threads take one track after another, the one that was asked for last
 * first; so what is on the screen is read at once, and all the rest while
 * nobody waits for it: not before the browser has had time to start and to ask.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "HDTraceTools/model/projectstart.h"
#include "HDTraceTools/view/jobs.h"

#define THREADS_MAX 8

/** What nobody asked for is read when nobody has asked for so long. */
#define REST_US (500 * G_TIME_SPAN_MILLISECOND)

/** A track to read. */
struct job {
	struct track *track;
	size_t number; /**< Of the group or trace. */
	int64_t size;
	guint64 wanted; /**< When it was asked for last; 0: never. */
	bool isTaken;
};

struct viewJobs {
	struct tracks *tracks;
	struct findings *findings;
	GThread *threads[THREADS_MAX];
	guint threadCount;
	gint isStopped;        /**< Atomic. */
	pthread_mutex_t mutex; /**< Protects what follows. */
	pthread_cond_t wanted; /**< Something was asked for, or all is over. */
	gint64 restsAt;        /**< When nobody has asked for long enough. */
	struct job *jobs;
	size_t count;
	GHashTable *index; /**< struct track to its job. */
	guint64 clock;     /**< Counts what was asked for. */
	size_t done;
	struct viewProgress progress;
	bool wantsReport;
	GThread *reporter; /**< NULL: the report was not begun. */
	bool isReporting;
	bool isStored; /**< Constant after the start. */
};

/* ---- Reading ----------------------------------------------------------- */

static bool goesOn(int64_t offset, void *data)
{
	struct viewJobs *self = data;

	(void)offset;
	return !g_atomic_int_get(&self->isStopped);
}

/** The job that nobody has taken and that was asked for last; NULL: none. */
static struct job *findJob(struct viewJobs *self)
{
	struct job *best = NULL;

	for (size_t i = 0; i < self->count; i++) {
		struct job *job = &self->jobs[i];

		if (!job->isTaken && (!best || job->wanted > best->wanted))
			best = job;
	}
	return best;
}

/** Wait for what is wanted: until a time of the monotonic clock, in us. */
static void jobsWaitUntil(struct viewJobs *self, gint64 us)
{
	const struct timespec until = {
		.tv_sec = us / G_TIME_SPAN_SECOND,
		.tv_nsec = us % G_TIME_SPAN_SECOND * 1000,
	};

	pthread_cond_timedwait(&self->wanted, &self->mutex, &until);
}

/** Take that job, or wait until it is one to do; NULL: none is left. */
static struct job *takeJob(struct viewJobs *self)
{
	struct job *job;

	pthread_mutex_lock(&self->mutex);
	while ((job = findJob(self)) && job->wanted == 0 && goesOn(0, self) &&
	       g_get_monotonic_time() < self->restsAt)
		jobsWaitUntil(self, self->restsAt);
	if (job)
		job->isTaken = true;
	pthread_mutex_unlock(&self->mutex);
	return job;
}

static void jobsFail(struct viewJobs *self, const char *file, int error)
{
	pthread_mutex_lock(&self->mutex);
	self->progress.hasFailed = true;
	toolError(self->findings->tool, "%s: %s", file, strerror(-error));
	pthread_mutex_unlock(&self->mutex);
}

/** Returns whether it was the last one. */
static bool doJob(struct viewJobs *self, struct job *job)
{
	const hdIProject *project = self->tracks->project;
	bool isGroup = job->track->kind == TRACK_STATISTICS;
	int ret = isGroup ? tracksReadGroup(self->tracks, job->number,
					    self->isStored, goesOn, self)
			  : tracksReadTrace(self->tracks, job->number, true,
					    goesOn, self);
	bool isLast;

	if (ret < 0 && ret != -ECANCELED) {
		/* What was read of it is shown. */
		job->track->isCut = true;
		trackReached(job->track, INT64_MAX, true);
		jobsFail(self,
			 isGroup ? project->groups[job->number]->file
				 : project->traces[job->number]->file,
			 ret);
	}
	pthread_mutex_lock(&self->mutex);
	self->progress.done += job->size;
	isLast = ++self->done == self->count;
	pthread_mutex_unlock(&self->mutex);
	return isLast;
}

/** Make the report, and what needs it. */
static gpointer jobsReportRun(gpointer data)
{
	struct viewJobs *self = data;
	int64_t start = 0;
	bool hasStart;
	int ret;

	findingsRead(self->findings);
	ret = tracksMakeCauses(self->tracks, self->findings);
	if (ret < 0)
		jobsFail(self, "temporary file", ret);
	hasStart = projectStartFind(self->tracks->project, &diagnosticsDropped,
				    &start);
	pthread_mutex_lock(&self->mutex);
	self->progress.hasReport = true;
	self->progress.hasStart = hasStart;
	self->progress.start = start;
	pthread_mutex_unlock(&self->mutex);
	/* The report does not wait for rows. */
	ret = tracksMakeWaits(self->tracks, goesOn, self);
	if (ret < 0 && ret != -ECANCELED)
		jobsFail(self, "waits", ret);
	pthread_mutex_lock(&self->mutex);
	self->isReporting = false;
	pthread_mutex_unlock(&self->mutex);
	return NULL;
}

/** With the mutex held: begin the report if all that it needs is there. */
static void jobsBeginReport(struct viewJobs *self)
{
	if (!self->wantsReport || !self->progress.hasTracks || self->reporter)
		return;
	self->isReporting = true;
	self->reporter = g_thread_new("report", jobsReportRun, self);
}

/** All tracks were read: the rest needs all of them. */
static void jobsFinishTracks(struct viewJobs *self)
{
	int ret;

	if (!goesOn(0, self))
		return;
	ret = tracksFinish(self->tracks);
	if (ret < 0)
		jobsFail(self, "temporary file", ret);
	pthread_mutex_lock(&self->mutex);
	self->progress.hasTracks = true;
	jobsBeginReport(self);
	pthread_mutex_unlock(&self->mutex);
}

static gpointer jobsWorkerRun(gpointer data)
{
	struct viewJobs *self = data;
	struct job *job;

	while (goesOn(0, self) && (job = takeJob(self))) {
		if (doJob(self, job))
			jobsFinishTracks(self);
	}
	return NULL;
}

/* ---- Starting and stopping --------------------------------------------- */

static void addJob(struct viewJobs *self, struct track *track, size_t number,
		   int64_t size)
{
	struct job *job = &self->jobs[self->count++];

	*job = (struct job){ .track = track, .number = number, .size = size };
	self->progress.total += size;
	g_hash_table_insert(self->index, track, job);
}

/** As the rows are, but the groups of a node come before the traces at and
 * below it, which need its power. */
static void addJobs(struct viewJobs *self, const hdINode *node)
{
	const hdIProject *project = self->tracks->project;

	for (size_t i = 0; i < project->groupCount; i++) {
		if (project->groups[i]->node == node)
			addJob(self, &self->tracks->groups[i], i,
			       project->groups[i]->fileSize);
	}
	for (size_t i = 0; i < project->traceCount; i++) {
		if (project->traces[i] == node->trace)
			addJob(self, &self->tracks->traces[i], i,
			       node->trace->fileSize);
	}
	for (size_t i = 0; i < node->childCount; i++)
		addJobs(self, node->children[i]);
}

struct viewJobs *viewJobsNew(struct tracks *tracks, struct findings *findings)
{
	const hdIProject *project = tracks->project;
	struct viewJobs *self = g_new0(struct viewJobs, 1);
	pthread_condattr_t attributes;

	self->tracks = tracks;
	self->findings = findings;
	self->jobs = g_new(struct job,
			   project->groupCount + project->traceCount + 1);
	self->index = g_hash_table_new(NULL, NULL);
	pthread_mutex_init(&self->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&self->wanted, &attributes);
	pthread_condattr_destroy(&attributes);
	addJobs(self, project->root);
	return self;
}

void viewJobsStart(struct viewJobs *self, bool isStored, bool isAtOnce)
{
	self->isStored = isStored;
	if (self->count == 0)
		jobsFinishTracks(self);
	self->restsAt = g_get_monotonic_time() + (isAtOnce ? 0 : REST_US);
	self->threadCount = CLAMP(g_get_num_processors(), 1, THREADS_MAX);
	for (guint i = 0; i < self->threadCount; i++)
		self->threads[i] = g_thread_new("reader", jobsWorkerRun, self);
}

void viewJobsReport(struct viewJobs *self)
{
	pthread_mutex_lock(&self->mutex);
	self->wantsReport = true;
	jobsBeginReport(self);
	pthread_mutex_unlock(&self->mutex);
}

bool viewJobsAreIdle(struct viewJobs *self)
{
	bool isIdle;

	pthread_mutex_lock(&self->mutex);
	isIdle = !self->isReporting || self->progress.hasReport;
	pthread_mutex_unlock(&self->mutex);
	return isIdle;
}

void viewJobsWant(struct viewJobs *self, const struct track *track)
{
	struct job *job;

	pthread_mutex_lock(&self->mutex);
	job = g_hash_table_lookup(self->index, track);
	if (job)
		job->wanted = ++self->clock;
	if (job && !job->isTaken) {
		self->restsAt = g_get_monotonic_time() + REST_US;
		pthread_cond_signal(&self->wanted);
	}
	pthread_mutex_unlock(&self->mutex);
}

void viewJobsRest(struct viewJobs *self)
{
	pthread_mutex_lock(&self->mutex);
	self->restsAt = g_get_monotonic_time() + REST_US;
	pthread_mutex_unlock(&self->mutex);
}

struct viewProgress viewJobsProgress(struct viewJobs *self)
{
	struct viewProgress progress;

	pthread_mutex_lock(&self->mutex);
	progress = self->progress;
	pthread_mutex_unlock(&self->mutex);
	return progress;
}

void viewJobsFree(struct viewJobs *self)
{
	if (!self)
		return;
	pthread_mutex_lock(&self->mutex);
	g_atomic_int_set(&self->isStopped, 1);
	pthread_cond_broadcast(&self->wanted);
	pthread_mutex_unlock(&self->mutex);
	for (guint i = 0; i < self->threadCount; i++)
		g_thread_join(self->threads[i]);
	if (self->reporter)
		g_thread_join(self->reporter);
	g_hash_table_destroy(self->index);
	g_free(self->jobs);
	pthread_cond_destroy(&self->wanted);
	pthread_mutex_destroy(&self->mutex);
	g_free(self);
}
