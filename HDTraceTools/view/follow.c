/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: follows a project that is being written.
 */
#include "config.h"

#include <pthread.h>
#include <time.h>

#include "HDTraceTools/view/follow.h"

/** Files are looked at so often while they are written, and else. */
#define LOOK_US (100 * G_TIME_SPAN_MILLISECOND)
#define REST_US (500 * G_TIME_SPAN_MILLISECOND)
/** Locks are looked at so often. */
#define LOCKS_US (500 * G_TIME_SPAN_MILLISECOND)
/** Looking takes one part in so many of the time, and reading of that of one
 *  processor. */
#define LOOK_SHARE 10
#define READ_SHARE 4
/** Without a change for so long, a project without locks is not written. */
#define SILENT_US (10 * G_TIME_SPAN_SECOND)
/** And for so long after a lock was seen: other files may still be closed. */
#define CLOSING_US (1 * G_TIME_SPAN_SECOND)
/** Bytes of an edition stay for so long after the next one came. */
#define KEPT_US (30 * G_TIME_SPAN_SECOND)
#define EVENTS_MAX 20

enum followState {
	FOLLOW_REST,
	FOLLOW_WRITTEN,
	FOLLOW_SILENT,
	FOLLOW_STOPPED,
	FOLLOW_ENDED,
	FOLLOW_KILLED,
	FOLLOW_GONE,
};

static const char *const followNames[] = {
	"rest", "written", "silent", "stopped", "ended", "killed", "gone",
};

/** Bytes that may still be asked for: of an edition that was replaced. */
struct followBytes {
	uint64_t number;
	gint64 replaced; /**< When, in us. */
};

/** What happened to a file. */
struct followEvent {
	uint64_t number; /**< From 1. */
	int64_t time;    /**< In ns since 1970. */
	char *text;
};

struct viewFollow {
	struct viewOpening opening;
	struct store *store;
	struct viewNotes *notes;
	int64_t shift;
	GThread *thread;
	/* Of the thread. */
	struct viewEdition *next; /**< Is being read; NULL: none. */
	gint64 begun;             /**< When that was begun. */
	gint64 begunCpu;          /**< And how much had been computed. */
	gint64 buildAt;           /**< No edition is begun before. */
	gint64 locksAt;           /**< When locks are looked at again. */
	GHashTable *locked;       /**< Files that are locked. */
	bool wasLocked;           /**< Whether any was. */
	bool isGone;              /**< It could not be opened again. */
	struct viewFiles *files;  /**< As they were seen last. */
	GArray *bytes;            /**< struct followBytes, the oldest first. */
	pthread_mutex_t mutex;    /**< Protects what follows. */
	pthread_cond_t stopped;
	bool isStopped;
	struct viewEdition *current;
	GQueue old; /**< struct viewEdition, the oldest first. */
	enum followState state;
	int64_t changed;  /**< In ns since 1970; 0: not yet. */
	gint64 changedAt; /**< The same, in us of the monotonic clock. */
	GQueue events;    /**< struct followEvent, the oldest first. */
	uint64_t eventCount;
};

/* ---- Editions ----------------------------------------------------------- */

struct viewEdition *viewFollowTake(struct viewFollow *self)
{
	struct viewEdition *edition;

	pthread_mutex_lock(&self->mutex);
	edition = self->current;
	edition->users++;
	pthread_mutex_unlock(&self->mutex);
	return edition;
}

void viewFollowGiveBack(struct viewFollow *self, struct viewEdition *edition)
{
	pthread_mutex_lock(&self->mutex);
	edition->users--;
	pthread_mutex_unlock(&self->mutex);
}

/** Take an old edition that none uses; NULL if there is none. */
static struct viewEdition *followTakeOld(struct viewFollow *self)
{
	struct viewEdition *found = NULL;

	pthread_mutex_lock(&self->mutex);
	for (GList *at = self->old.head; at; at = at->next) {
		struct viewEdition *edition = at->data;

		if (edition->users > 0 ||
		    !viewJobsAreIdle(edition->served.jobs))
			continue;
		found = edition;
		g_queue_delete_link(&self->old, at);
		break;
	}
	pthread_mutex_unlock(&self->mutex);
	return found;
}

static void followFreeOld(struct viewFollow *self)
{
	struct viewEdition *edition;

	while ((edition = followTakeOld(self)) != NULL)
		viewEditionFree(edition);
}

/** Free bytes of editions that were replaced long ago. */
static void followForget(struct viewFollow *self)
{
	gint64 before = g_get_monotonic_time() - KEPT_US;
	guint count = 0;

	while (count < self->bytes->len &&
	       g_array_index(self->bytes, struct followBytes, count).replaced <
		       before)
		count++;
	if (count == 0)
		return;
	storeForget(self->store,
		    g_array_index(self->bytes, struct followBytes, count - 1)
				    .number +
			    1);
	g_array_remove_range(self->bytes, 0, count);
}

static void followFreeEvent(gpointer data)
{
	struct followEvent *event = data;

	g_free(event->text);
	g_free(event);
}

/** Note what happened to files beside their growing: takes the text. */
static void followNoteEvent(struct viewFollow *self, char *text)
{
	struct followEvent *event = g_new(struct followEvent, 1);

	event->time = g_get_real_time() * 1000;
	event->text = text;
	pthread_mutex_lock(&self->mutex);
	event->number = ++self->eventCount;
	g_queue_push_tail(&self->events, event);
	if (self->events.length > EVENTS_MAX)
		followFreeEvent(g_queue_pop_head(&self->events));
	pthread_mutex_unlock(&self->mutex);
}

/** Note what happened between two editions. */
static void followNoteEvents(struct viewFollow *self,
			     const struct viewEdition *before,
			     struct viewEdition *now)
{
	GPtrArray *lines = g_ptr_array_new();

	viewFilesCompare(before->files, now->files, lines);
	for (guint i = 0; i < lines->len; i++)
		followNoteEvent(self, lines->pdata[i]);
	g_ptr_array_unref(lines);
}

/** Time that processors have worked for this process, in us. */
static gint64 followCpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * G_TIME_SPAN_SECOND + now.tv_nsec / 1000;
}

/** An edition was read: it takes the place of the one before. */
static void followPublish(struct viewFollow *self)
{
	gint64 now = g_get_monotonic_time();

	struct followBytes bytes = { self->current->number, now };

	g_array_append_val(self->bytes, bytes);
	followNoteEvents(self, self->current, self->next);
	pthread_mutex_lock(&self->mutex);
	g_queue_push_tail(&self->old, self->current);
	self->current = self->next;
	pthread_mutex_unlock(&self->mutex);
	self->next = NULL;
	self->buildAt = MAX(now, self->begun + (followCpu() - self->begunCpu) *
						       READ_SHARE);
}

/** Open the project again; it stays as it was if that fails. */
static void followBuild(struct viewFollow *self)
{
	struct viewServed *served;

	self->begun = g_get_monotonic_time();
	self->begunCpu = followCpu();
	self->next = viewEditionNew(&self->opening, false);
	if (!self->next) {
		self->buildAt = self->begun + REST_US;
		if (!self->isGone)
			followNoteEvent(
				self,
				g_strdup_printf("%s: cannot be opened any more",
						self->opening.path));
	}
	self->isGone = !self->next;
	if (self->isGone)
		return;
	served = &self->next->served;
	served->notes = self->notes;
	served->shift = self->shift;
	viewTablesStart(served->tables);
	viewJobsStart(served->jobs, true, true);
}

/* ---- Looking ------------------------------------------------------------ */

/** Look at the files; whether they are not those of an edition. */
static bool followLook(struct viewFollow *self,
		       const struct viewEdition *edition)
{
	struct viewFiles *now = viewFilesNew(edition->project, edition->files);

	if (viewFilesDiffer(self->files, now)) {
		pthread_mutex_lock(&self->mutex);
		self->changedAt = g_get_monotonic_time();
		self->changed = g_get_real_time() * 1000;
		pthread_mutex_unlock(&self->mutex);
	}
	viewFilesFree(self->files);
	self->files = now;
	return viewFilesDiffer(edition->files, now);
}

/** Say which files are not written any more though others are, and have no end
 *  that they should have. */
static void followNoteKilled(struct viewFollow *self, GHashTable *locked)
{
	GHashTableIter iter;
	gpointer path;

	g_hash_table_iter_init(&iter, self->locked);
	while (g_hash_table_iter_next(&iter, &path, NULL)) {
		if (g_hash_table_contains(locked, path) ||
		    !viewGrowthTells(path) || viewGrowthHasEnd(path) ||
		    !g_file_test(path, G_FILE_TEST_EXISTS))
			continue;
		followNoteEvent(self,
				g_strdup_printf("%s: its program was killed",
						(char *)path));
	}
}

/** Look whether a program writes the files, if that was long ago. */
static void followLookAtLocks(struct viewFollow *self,
			      const struct viewEdition *edition)
{
	gint64 now = g_get_monotonic_time();
	GHashTable *locked;

	/* No program has begun to write what has not changed. */
	if (now < self->locksAt || (!self->wasLocked && !self->changedAt))
		return;
	locked = viewGrowthLocked(edition->project);
	followNoteKilled(self, locked);
	g_hash_table_destroy(self->locked);
	self->locked = locked;
	self->wasLocked |= g_hash_table_size(locked) > 0;
	self->locksAt = now + MAX(LOCKS_US,
				  (g_get_monotonic_time() - now) * LOOK_SHARE);
}

/** What is to be said of the project, of which all was seen. */
static enum followState followJudge(const struct viewFollow *self,
				    const struct viewEdition *edition)
{
	gint64 silence = g_get_monotonic_time() - self->changedAt;
	const hdIProject *project = edition->project;
	bool tells = project->traceCount || project->relationCount;
	bool isClosed;

	if (g_hash_table_size(self->locked))
		return FOLLOW_WRITTEN;
	if (!self->wasLocked && self->changedAt == 0)
		return FOLLOW_REST;
	if (silence < (self->wasLocked ? CLOSING_US : SILENT_US))
		return FOLLOW_WRITTEN;
	isClosed = viewGrowthIsClosed(project);
	if (!self->wasLocked && (!isClosed || !tells))
		return FOLLOW_SILENT;
	if (!isClosed)
		return FOLLOW_KILLED;
	return tells ? FOLLOW_ENDED : FOLLOW_STOPPED;
}

/** One look at everything; returns when to look again, in us. */
static gint64 followStep(struct viewFollow *self)
{
	gint64 begun = g_get_monotonic_time();
	struct viewEdition *edition = self->current;
	bool hasGrown = followLook(self, edition);
	enum followState state;

	followLookAtLocks(self, edition);
	if (self->next && viewJobsProgress(self->next->served.jobs).hasTracks)
		followPublish(self);
	if (!self->next && hasGrown && begun >= self->buildAt &&
	    viewJobsProgress(self->current->served.jobs).hasTracks)
		followBuild(self);
	if (self->isGone)
		state = FOLLOW_GONE;
	else
		state = hasGrown || self->next ? FOLLOW_WRITTEN
					       : followJudge(self, edition);
	pthread_mutex_lock(&self->mutex);
	self->state = state;
	pthread_mutex_unlock(&self->mutex);
	if (state != FOLLOW_WRITTEN)
		viewJobsReport(self->current->served.jobs);
	followFreeOld(self);
	followForget(self);
	/* What is being read is ready soon. */
	if (self->next)
		return begun + LOOK_US / 10;
	return MAX(begun + (state == FOLLOW_WRITTEN ? LOOK_US : REST_US),
		   begun + (g_get_monotonic_time() - begun) * LOOK_SHARE);
}

static gpointer followRun(gpointer data)
{
	struct viewFollow *self = data;

	pthread_mutex_lock(&self->mutex);
	while (!self->isStopped) {
		gint64 us;
		struct timespec until;

		pthread_mutex_unlock(&self->mutex);
		us = followStep(self);
		until.tv_sec = us / G_TIME_SPAN_SECOND;
		until.tv_nsec = us % G_TIME_SPAN_SECOND * 1000;
		pthread_mutex_lock(&self->mutex);
		while (!self->isStopped && g_get_monotonic_time() < us)
			pthread_cond_timedwait(&self->stopped, &self->mutex,
					       &until);
	}
	pthread_mutex_unlock(&self->mutex);
	return NULL;
}

/* ---- Telling ------------------------------------------------------------ */

void viewFollowPut(struct viewFollow *self, struct outJson *json)
{
	const struct viewEdition *edition;
	struct viewProgress progress;

	pthread_mutex_lock(&self->mutex);
	edition = self->current;
	progress = viewJobsProgress(edition->served.jobs);
	outJsonInteger(json, "edition", (int64_t)edition->number);
	outJsonText(json, "layout", edition->layout);
	outJsonBool(json, "hasTracks", progress.hasTracks);
	outJsonBool(json, "hasReport", progress.hasReport);
	outJsonText(json, "state", followNames[self->state]);
	if (self->changed)
		outJsonSeconds(json, "changed", self->changed);
	else
		outJsonPlain(json, "changed", "null");
	outJsonSeconds(json, "now", g_get_real_time() * 1000);
	outJsonDouble(json, "silence",
		      self->changedAt ? (double)(g_get_monotonic_time() -
						 self->changedAt) /
						G_TIME_SPAN_SECOND
				      : 0);
	outJsonArray(json, "events", false);
	for (GList *at = self->events.head; at; at = at->next) {
		const struct followEvent *event = at->data;

		outJsonObject(json, NULL, true);
		outJsonInteger(json, "number", (int64_t)event->number);
		outJsonSeconds(json, "time", event->time);
		outJsonText(json, "text", event->text);
		outJsonEnd(json);
	}
	outJsonEnd(json);
	pthread_mutex_unlock(&self->mutex);
}

/* ---- Beginning and ending ----------------------------------------------- */

struct viewFollow *viewFollowNew(const struct viewOpening *opening)
{
	struct viewFollow *self = g_new0(struct viewFollow, 1);
	pthread_condattr_t attributes;

	self->opening = *opening;
	self->store = storeNew();
	self->opening.store = self->store;
	self->bytes = g_array_new(FALSE, FALSE, sizeof(struct followBytes));
	g_queue_init(&self->old);
	g_queue_init(&self->events);
	pthread_mutex_init(&self->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&self->stopped, &attributes);
	pthread_condattr_destroy(&attributes);
	self->current = viewEditionNew(&self->opening, true);
	if (!self->current) {
		viewFollowFree(self);
		return NULL;
	}
	self->files =
		viewFilesNew(self->current->project, self->current->files);
	self->notes = viewNotesNew(self->current->project->prefix);
	self->current->served.notes = self->notes;
	return self;
}

void viewFollowShift(struct viewFollow *self, int64_t shift)
{
	self->shift = shift;
	self->current->served.shift = shift;
}

void viewFollowStart(struct viewFollow *self)
{
	const struct viewServed *served = &self->current->served;
	bool isWritten;

	self->locked = viewGrowthLocked(self->current->project);
	isWritten = g_hash_table_size(self->locked) > 0;
	self->wasLocked = isWritten;
	if (isWritten)
		self->state = FOLLOW_WRITTEN;
	else
		viewJobsReport(served->jobs);
	viewTablesStart(served->tables);
	viewJobsStart(served->jobs, isWritten, false);
	self->thread = g_thread_new("follow", followRun, self);
}

void viewFollowStop(struct viewFollow *self)
{
	pthread_mutex_lock(&self->mutex);
	self->isStopped = true;
	pthread_cond_signal(&self->stopped);
	pthread_mutex_unlock(&self->mutex);
	if (self->thread)
		g_thread_join(self->thread);
	self->thread = NULL;
}

/** Whether it can be freed at once. */
static bool followIsDone(const struct viewEdition *edition)
{
	return viewJobsProgress(edition->served.jobs).hasTracks &&
	       viewJobsAreIdle(edition->served.jobs);
}

bool viewFollowIsIdle(struct viewFollow *self)
{
	bool isIdle = followIsDone(self->current) &&
		      (!self->next || followIsDone(self->next));

	for (GList *at = self->old.head; at && isIdle; at = at->next)
		isIdle = followIsDone(at->data);
	return isIdle;
}

void viewFollowFree(struct viewFollow *self)
{
	struct viewEdition *edition;

	if (!self)
		return;
	while ((edition = g_queue_pop_head(&self->old)) != NULL)
		viewEditionFree(edition);
	viewEditionFree(self->next);
	if (self->current)
		self->opening.tool->hasFailed |= self->current->tool.hasFailed;
	viewEditionFree(self->current);
	viewNotesFree(self->notes);
	if (self->locked)
		g_hash_table_destroy(self->locked);
	viewFilesFree(self->files);
	storeFree(self->store);
	g_array_unref(self->bytes);
	g_queue_clear_full(&self->events, followFreeEvent);
	pthread_cond_destroy(&self->stopped);
	pthread_mutex_destroy(&self->mutex);
	g_free(self);
}
