/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * All that the viewer shows of a project.
 */
#include "config.h"

#include <errno.h>

#include "HDTraceTools/pages/grouppyramid.h"
#include "HDTraceTools/pages/messagepyramid.h"
#include "HDTraceTools/pages/overview.h"
#include "HDTraceTools/pages/tracepyramid.h"
#include "HDTraceTools/pages/tracks.h"

struct tracks *tracksNew(const struct findings *findings)
{
	const hdIProject *project = findings->project;
	struct tracks *self = g_new0(struct tracks, 1);

	self->project = project;
	self->store = storeNew();
	self->groups = g_new(struct track, project->groupCount + 1);
	self->traces = g_new(struct track, project->traceCount + 1);
	for (size_t i = 0; i < project->groupCount; i++)
		trackInit(&self->groups[i], TRACK_STATISTICS, self->store);
	for (size_t i = 0; i < project->traceCount; i++)
		trackInit(&self->traces[i], TRACK_TRACE, self->store);
	trackInit(&self->messages, TRACK_MESSAGES, self->store);
	trackInit(&self->overview, TRACK_OVERVIEW, self->store);
	self->powers = powersNew(findings);
	self->pairs = pairsNew();
	self->finders =
		g_ptr_array_new_with_free_func((GDestroyNotify)messagesFree);
	pthread_mutex_init(&self->mutex, NULL);
	return self;
}

void tracksFree(struct tracks *self)
{
	if (!self)
		return;
	for (size_t i = 0; i < self->project->groupCount; i++)
		trackClear(&self->groups[i]);
	for (size_t i = 0; i < self->project->traceCount; i++)
		trackClear(&self->traces[i]);
	trackClear(&self->messages);
	trackClear(&self->overview);
	g_free(self->groups);
	g_free(self->traces);
	powersFree(self->powers);
	/* The ends refer to communicators. */
	pairsFree(self->pairs);
	g_ptr_array_unref(self->finders);
	pthread_mutex_destroy(&self->mutex);
	storeFree(self->store);
	g_free(self);
}

/* ---- Statistics -------------------------------------------------------- */

/** A group while it is read. */
struct groupReading {
	struct groupPyramid *zooms;
	struct powerSeries *power; /**< NULL: nobody needs it. */
};

static int addBlock(struct groupReading *self, const hdIBlock *block)
{
	int ret = groupPyramidAdd(self->zooms, block);

	if (ret == 0 && self->power)
		ret = powerSeriesAdd(self->power, block);
	return ret;
}

static int endGroup(struct groupReading *self)
{
	int ret = groupPyramidFinish(self->zooms);

	if (ret == 0 && self->power)
		ret = powerSeriesEnd(self->power);
	return ret;
}

int tracksReadGroup(struct tracks *self, size_t number, bool isStored,
		    tracksProgress *progress, void *data)
{
	const hdIGroup *group = self->project->groups[number];
	struct track *track = &self->groups[number];
	struct groupReading reading;
	hdIStatReader *reader;
	const hdIBlock *block;
	int more = 0;
	int ret = 0;

	reader = diagnosticsOpenStat(self->project, group, &diagnosticsDropped);
	if (!reader) {
		ret = errno == EBADMSG ? 0 : -errno;
		track->isCut = true;
		trackReached(track, INT64_MAX, true);
		return ret;
	}
	reading.zooms = groupPyramidNew(track, group, isStored);
	reading.power = powersFill(self->powers, number);
	while (ret == 0 && (more = hdI_readStat(reader, &block)) == 1) {
		ret = addBlock(&reading, block);
		if (ret == 0 && progress &&
		    !progress(block->offset[block->count - 1], data))
			ret = -ECANCELED;
	}
	if (ret == 0)
		ret = endGroup(&reading);
	if (reading.power)
		powersFilled(self->powers, number);
	track->isCut = more < 0;
	if (ret == 0)
		trackReached(track, INT64_MAX, true);
	groupPyramidFree(reading.zooms);
	hdI_closeStat(reader);
	return ret;
}

/* ---- Traces ------------------------------------------------------------ */

/** A trace while it is read. */
struct traceReading {
	struct tracks *tracks;
	size_t number;
	bool wantsSent; /**< Which ends of messages are looked for. */
	int error;
};

static void takeEnd(const struct messageEnd *end, void *data)
{
	struct traceReading *self = data;
	struct tracks *tracks = self->tracks;
	int ret;

	if (end->isSent != self->wantsSent)
		return;
	pthread_mutex_lock(&tracks->mutex);
	ret = pairsAdd(tracks->pairs, end, true, self->number);
	pthread_mutex_unlock(&tracks->mutex);
	if (ret < 0)
		self->error = ret;
}

static int readSteps(struct traceReading *self, struct ordered *ordered,
		     struct tracePyramid *zooms, struct messages *messages,
		     tracksProgress *progress, void *data)
{
	struct orderedStep step;
	int ret;

	while ((ret = orderedRead(ordered, &step)) == 1) {
		ret = tracePyramidAdd(zooms, &step);
		self->wantsSent = step.kind == ORDERED_ENTER;
		if (step.kind != ORDERED_EVENT)
			messagesFind(messages, step.record, takeEnd, self);
		if (ret == 0)
			ret = self->error;
		if (ret == 0 && progress &&
		    !progress(orderedOffset(ordered), data))
			ret = -ECANCELED;
		if (ret < 0)
			return ret;
	}
	return ret < 0 ? -errno : 0;
}

/** All was read: what its states cost. */
static int endTrace(struct traceReading *self, struct tracePyramid *zooms,
		    tracksProgress *progress, void *data)
{
	struct powers *powers = self->tracks->powers;
	const struct powerSeries *power;
	struct attributionShare *share;
	int ret = powersTake(powers, self->number, progress, data, &power,
			     &share);

	if (ret == 0)
		ret = tracePyramidFinish(zooms, power, share);
	attributionShareFree(share);
	return ret;
}

/** Get a finder of messages that no other thread uses. */
static struct messages *takeFinder(struct tracks *self)
{
	struct messages *finder = NULL;

	pthread_mutex_lock(&self->mutex);
	if (self->finders->len)
		finder = g_ptr_array_steal_index_fast(self->finders,
						      self->finders->len - 1);
	pthread_mutex_unlock(&self->mutex);
	return finder ? finder : messagesNew(self->project);
}

static void returnFinder(struct tracks *self, struct messages *finder)
{
	pthread_mutex_lock(&self->mutex);
	g_ptr_array_add(self->finders, finder);
	pthread_mutex_unlock(&self->mutex);
}

int tracksReadTrace(struct tracks *self, size_t number, bool isStored,
		    tracksProgress *progress, void *data)
{
	const hdITraceFile *trace = self->project->traces[number];
	struct track *track = &self->traces[number];
	struct traceReading reading = { .tracks = self, .number = number };
	struct ordered *ordered =
		orderedOpen(self->project, trace, &diagnosticsDropped);
	struct tracePyramid *zooms;
	struct messages *messages;
	int ret;

	if (!ordered) {
		ret = errno == EBADMSG ? 0 : -errno;
		powersDone(self->powers, number);
		track->isCut = true;
		trackReached(track, INT64_MAX, true);
		return ret;
	}
	zooms = tracePyramidNew(track, isStored);
	messages = takeFinder(self);
	messagesEnter(messages, trace, NULL);
	ret = readSteps(&reading, ordered, zooms, messages, progress, data);
	if (ret == 0)
		ret = endTrace(&reading, zooms, progress, data);
	powersDone(self->powers, number);
	if (ret == 0)
		trackReached(track, INT64_MAX, true);
	returnFinder(self, messages);
	tracePyramidFree(zooms);
	orderedClose(ordered);
	return ret;
}

static int makeOverview(struct tracks *self)
{
	GPtrArray *series = powersTotal(self->powers);
	int ret = overviewMake(&self->overview,
			       (const struct powerSeries *const *)series->pdata,
			       series->len);

	g_ptr_array_unref(series);
	powersTotalDone(self->powers);
	return ret;
}

int tracksFinish(struct tracks *self)
{
	int ret = messagePyramidMake(&self->messages, self->pairs);
	int other = makeOverview(self);

	return ret < 0 ? ret : other;
}
