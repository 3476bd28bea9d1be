/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * All that the viewer shows of a project.
 */
#include "config.h"

#include <errno.h>

#include "HDTraceTools/pages/causetrack.h"
#include "HDTraceTools/pages/grouppyramid.h"
#include "HDTraceTools/pages/messagepyramid.h"
#include "HDTraceTools/pages/overview.h"
#include "HDTraceTools/pages/relationpyramid.h"
#include "HDTraceTools/pages/tracepyramid.h"
#include "HDTraceTools/pages/tracks.h"
#include "HDTraceTools/pages/waitpyramid.h"

struct tracks *tracksNew(const struct findings *findings, struct store *store)
{
	const hdIProject *project = findings->project;
	struct tracks *self = g_new0(struct tracks, 1);

	self->project = project;
	self->store = store;
	self->groups = g_new(struct track, project->groupCount + 1);
	self->traces = g_new(struct track, project->traceCount + 1);
	for (size_t i = 0; i < project->groupCount; i++)
		trackInit(&self->groups[i], TRACK_STATISTICS, self->store);
	self->waits = g_new(struct track, project->traceCount + 1);
	for (size_t i = 0; i < project->traceCount; i++) {
		trackInit(&self->traces[i], TRACK_TRACE, self->store);
		trackInit(&self->waits[i], TRACK_WAITS, self->store);
	}
	self->relations = g_new(struct track, project->relationCount + 1);
	for (size_t i = 0; i < project->relationCount; i++)
		trackInit(&self->relations[i], TRACK_RELATIONS, self->store);
	trackInit(&self->messages, TRACK_MESSAGES, self->store);
	trackInit(&self->causes, TRACK_CAUSES, self->store);
	trackInit(&self->overview, TRACK_OVERVIEW, self->store);
	self->powers = powersNew(findings);
	self->dependencies = dependenciesNew(
		project,
		&(struct dependencyFilter){ .kinds = DEPENDENCY_MESSAGE });
	pthread_mutex_init(&self->places.mutex, NULL);
	pthread_mutex_init(&self->mutex, NULL);
	return self;
}

void tracksFree(struct tracks *self)
{
	if (!self)
		return;
	for (size_t i = 0; i < self->project->groupCount; i++)
		trackClear(&self->groups[i]);
	for (size_t i = 0; i < self->project->traceCount; i++) {
		trackClear(&self->traces[i]);
		trackClear(&self->waits[i]);
	}
	for (size_t i = 0; i < self->project->relationCount; i++)
		trackClear(&self->relations[i]);
	trackClear(&self->messages);
	trackClear(&self->causes);
	rowWaitsFree(self->rowWaits);
	trackClear(&self->overview);
	g_free(self->groups);
	g_free(self->traces);
	g_free(self->waits);
	g_free(self->relations);
	powersFree(self->powers);
	dependenciesFree(self->dependencies);
	addressesFree(self->places.addresses);
	pthread_mutex_destroy(&self->places.mutex);
	pthread_mutex_destroy(&self->mutex);
	g_free(self);
}

/* ---- Statistics -------------------------------------------------------- */

/** A group while it is read. */
struct groupReading {
	struct groupPyramid *zooms;
	struct powerSeries *power; /**< NULL: nobody needs it. */
};

static int tracksAddBlock(struct groupReading *self, const hdIBlock *block)
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
		ret = tracksAddBlock(&reading, block);
		if (ret == 0 && progress &&
		    !progress(block->offset[block->count - 1], data))
			ret = -ECANCELED;
	}
	if (ret == 0)
		ret = endGroup(&reading);
	if (reading.power) {
		int divided = powersFilled(self->powers, number);

		ret = ret < 0 ? ret : divided;
	}
	track->isCut = more < 0;
	if (ret == 0)
		trackReached(track, INT64_MAX, true);
	groupPyramidFree(reading.zooms);
	hdI_closeStat(reader);
	return ret;
}

/* ---- Traces ------------------------------------------------------------ */

static int readSteps(struct ordered *ordered, struct tracePyramid *zooms,
		     struct dependencyReader *reader, tracksProgress *progress,
		     void *data)
{
	struct orderedStep step;
	int ret;

	while ((ret = orderedRead(ordered, &step)) == 1) {
		ret = tracePyramidAdd(zooms, &step);
		if (ret == 0 && step.kind == ORDERED_LEAVE)
			ret = dependencyNote(reader, step.record, true);
		if (ret == 0 && progress &&
		    !progress(orderedOffset(ordered), data))
			ret = -ECANCELED;
		if (ret < 0)
			return ret;
	}
	return ret < 0 ? -errno : 0;
}

/** All was read: what its states cost. */
static int tracksEndTrace(struct tracks *self, size_t number,
			  struct tracePyramid *zooms, tracksProgress *progress,
			  void *data)
{
	const struct powerSeries *power;
	struct attributionShare *share;
	int ret = powersTake(self->powers, number, progress, data, &power,
			     &share);

	if (ret == 0)
		ret = tracePyramidFinish(zooms, power, share,
					 powersAreShared(self->powers, number));
	attributionShareFree(share);
	return ret;
}

static int takeDependencies(struct tracks *self,
			    struct dependencyReader *reader)
{
	int ret;

	pthread_mutex_lock(&self->mutex);
	ret = dependenciesLeave(self->dependencies, reader);
	pthread_mutex_unlock(&self->mutex);
	return ret;
}

int tracksReadTrace(struct tracks *self, size_t number, bool isStored,
		    tracksProgress *progress, void *data)
{
	const hdITraceFile *trace = self->project->traces[number];
	struct track *track = &self->traces[number];
	struct ordered *ordered =
		orderedOpen(self->project, trace, &diagnosticsDropped);
	struct tracePyramid *zooms;
	struct dependencyReader *reader;
	int ret;

	if (!ordered) {
		ret = errno == EBADMSG ? 0 : -errno;
		powersDone(self->powers, number);
		track->isCut = true;
		trackReached(track, INT64_MAX, true);
		return ret;
	}
	zooms = tracePyramidNew(track, &self->places, isStored);
	reader = dependenciesEnter(self->dependencies, trace, (uint32_t)number);
	ret = readSteps(ordered, zooms, reader, progress, data);
	if (ret == 0)
		ret = takeDependencies(self, reader);
	else
		dependenciesDrop(reader);
	if (ret == 0)
		ret = tracksEndTrace(self, number, zooms, progress, data);
	powersDone(self->powers, number);
	if (ret == 0)
		trackReached(track, INT64_MAX, true);
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
	int ret = messagePyramidMake(&self->messages, self->dependencies);
	int other = makeOverview(self);
	int more = relationPyramidsMake(self->project, self->relations);

	return ret < 0 ? ret : other < 0 ? other : more;
}

int tracksMakeCauses(struct tracks *self, struct findings *findings)
{
	self->rowWaits =
		rowWaitsNew(findings->selection.start, findings->selection.end);
	return causeTrackMake(&self->causes, findings->allWaits,
			      self->rowWaits);
}

int tracksMakeWaits(struct tracks *self, tracksProgress *progress, void *data)
{
	int ret = 0;

	for (size_t i = 0; i < self->project->traceCount; i++) {
		struct track *track = &self->waits[i];
		int one = ret == -ECANCELED || self->causes.isCut
				  ? -ECANCELED
				  : waitPyramidMake(track, self->project, i,
						    self->rowWaits, progress,
						    data);

		track->isCut = one < 0;
		trackReached(track, INT64_MAX, true);
		/* A trace that cannot be read has no waits that are known. */
		if (one < 0 && one != -EBADMSG && ret == 0)
			ret = one;
	}
	rowWaitsFree(self->rowWaits);
	self->rowWaits = NULL;
	return ret;
}
