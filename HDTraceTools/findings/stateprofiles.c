/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The table of states of any interval, as hdtrace report has it for one.
 *
 * The power of nodes is read once. Where it is much, the series keep it in
 * temporary files.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>

#include "HDTraceTools/base/tasks.h"
#include "HDTraceTools/findings/stateprofiles.h"
#include "HDTraceTools/model/power/node.h"

/** So many bytes of a trace pass without progress. */
#define PROGRESS_STEP (1 << 18)

struct stateProfiles {
	const struct findings *findings;
	struct findingsGroup **powers; /**< By trace. */
	bool *isUsed;                  /**< By group: traces need its power. */
	pthread_mutex_t mutex;         /**< While the power is read. */
	bool hasPower;
	struct powerSeries **series; /**< By group; or NULL. */
	struct spool *spool;         /**< Of these. */
};

/** A request while it is worked on. */
struct profiling {
	struct stateProfiles *profiles;
	const struct stateProfilesWatch *watch;
	int64_t start;
	int64_t end;
	struct profile **traces; /**< Until they are taken. */
	int *errors;             /**< By group or trace. */
	bool *isFresh;           /**< By group: its power was read now. */
	int error;               /**< The first one. */
	gint isOver;             /**< Atomic. */
};

/** A trace that is read. */
struct profilingTrace {
	struct profiling *request;
	int64_t offset;
};

bool stateProfilesArePossible(const hdIProject *project)
{
	return project->relationCount == 0;
}

struct stateProfiles *stateProfilesNew(const struct findings *findings)
{
	const hdIProject *project = findings->project;
	struct stateProfiles *self = g_new0(struct stateProfiles, 1);

	self->findings = findings;
	self->powers = findingsFindPowers(findings);
	self->isUsed = g_new0(bool, project->groupCount + 1);
	for (size_t i = 0; i < project->traceCount; i++) {
		if (self->powers[i])
			self->isUsed[self->powers[i] - findings->groups] = true;
	}
	self->series = g_new0(struct powerSeries *, project->groupCount + 1);
	self->spool = spoolNew();
	pthread_mutex_init(&self->mutex, NULL);
	return self;
}

void stateProfilesFree(struct stateProfiles *self)
{
	if (!self)
		return;
	for (size_t i = 0; i < self->findings->project->groupCount; i++)
		powerSeriesFree(self->series[i]);
	g_free(self->series);
	spoolFree(self->spool);
	g_free(self->isUsed);
	g_free(self->powers);
	pthread_mutex_destroy(&self->mutex);
	g_free(self);
}

int64_t stateProfilesSize(const struct stateProfiles *self)
{
	const hdIProject *project = self->findings->project;
	int64_t size = 0;

	for (size_t i = 0; i < project->groupCount; i++) {
		if (self->isUsed[i])
			size += project->groups[i]->fileSize;
	}
	for (size_t i = 0; i < project->traceCount; i++)
		size += project->traces[i]->fileSize;
	return size;
}

struct profile *stateProfilesSum(const struct stateProfiles *self)
{
	return profileNew(self->findings->other ? FINDINGS_RULES : 1);
}

/** Tell progress; false: the request is over. */
static bool profilingGoesOn(struct profiling *self, int64_t bytes)
{
	if (!g_atomic_int_get(&self->isOver) &&
	    !self->watch->progress(self->watch->data, bytes))
		g_atomic_int_set(&self->isOver, 1);
	return !g_atomic_int_get(&self->isOver);
}

/* ---- Power -------------------------------------------------------------- */

/** Add all entries of a group; 0 or a negative errno. */
static int profilingFillSeries(struct profiling *self, hdIStatReader *reader,
			       struct powerSeries *series)
{
	const hdIBlock *block;
	int64_t offset = 0;
	int ret = 0;

	while (ret == 0 && hdI_readStat(reader, &block) == 1) {
		int64_t last = block->offset[block->count - 1];

		ret = powerSeriesAdd(series, block);
		if (ret == 0 && last - offset >= PROGRESS_STEP) {
			if (!profilingGoesOn(self, last - offset))
				return -ECANCELED;
			offset = last;
		}
	}
	return ret == 0 ? powerSeriesEnd(series) : ret;
}

static void profilingReadGroup(struct tasks *tasks, void *data, size_t number)
{
	struct profiling *self = data;
	struct stateProfiles *profiles = self->profiles;
	const struct findings *findings = profiles->findings;
	const struct findingsGroup *group = &findings->groups[number];
	struct powerSeries *series;
	hdIStatReader *reader;
	int ret;

	(void)tasks;
	if (!profiles->isUsed[number] || profiles->series[number] ||
	    !profilingGoesOn(self, 0))
		return;
	reader = diagnosticsOpenStat(findings->project, group->group,
				     &diagnosticsDropped);
	if (!reader) {
		self->errors[number] = errno == EBADMSG ? 0 : -errno;
		return;
	}
	series = powerSeriesOfNode(group->group, group->isPower);
	ret = profilingFillSeries(self, reader, series);
	hdI_closeStat(reader);
	if (ret == 0)
		ret = nodePowerComplete(findings->project, findings->powers,
					group->group, &series);
	if (ret == 0) {
		profiles->series[number] = series;
		self->isFresh[number] = true;
	} else {
		powerSeriesFree(series);
		self->errors[number] = ret;
	}
}

static void profilingNoteError(struct profiling *self, int error)
{
	if (self->error == 0)
		self->error = error;
}

static void profilingTakeGroup(void *data, size_t number)
{
	struct profiling *self = data;
	struct powerSeries *series = self->profiles->series[number];

	if (self->isFresh[number])
		self->errors[number] =
			powerSeriesMove(series, self->profiles->spool);
	profilingNoteError(self, self->errors[number]);
}

/** Read the power of all nodes, if that was not done. */
static int profilingReadPower(struct profiling *self)
{
	struct stateProfiles *profiles = self->profiles;
	size_t count = profiles->findings->project->groupCount;

	if (!profiles->hasPower) {
		self->errors = g_new0(int, count + 1);
		self->isFresh = g_new0(bool, count + 1);
		tasksDo(count, profilingReadGroup, profilingTakeGroup, self);
		g_free(self->errors);
		g_free(self->isFresh);
		profiles->hasPower =
			self->error == 0 && !g_atomic_int_get(&self->isOver);
	} else {
		for (size_t i = 0; i < count; i++) {
			if (profiles->isUsed[i])
				profilingGoesOn(self,
						profiles->findings->groups[i]
							.group->fileSize);
		}
	}
	return g_atomic_int_get(&self->isOver) ? -ECANCELED : self->error;
}

/* ---- Traces ------------------------------------------------------------- */

static bool profilingNoteRecord(void *data, const hdIRecord *record,
				const struct site *site)
{
	struct profilingTrace *trace = data;
	int64_t bytes = record->offset - trace->offset;

	(void)site;
	if (bytes < PROGRESS_STEP)
		return true;
	trace->offset = record->offset;
	return profilingGoesOn(trace->request, bytes);
}

/** What a trace is charged with, as a report does it. */
static void profilingOpenCharge(const struct profiling *self, size_t number,
				struct profileSource *sources,
				struct attributionShare **shares)
{
	const struct stateProfiles *profiles = self->profiles;
	const struct findings *findings = profiles->findings;
	const struct findingsGroup *group = profiles->powers[number];
	struct attribution *const rules[FINDINGS_RULES] = {
		findings->attribution,
		findings->other,
	};

	for (int i = 0; group && i < FINDINGS_RULES; i++) {
		const struct powerSeries *series =
			profiles->series[group - findings->groups];

		if (!rules[i] || !series)
			continue;
		shares[i] =
			attributionShareNew(rules[i], group->group->node,
					    findings->project->traces[number]);
		sources[i].cursor = attributionCursorNew(series, shares[i]);
	}
}

static int profilingCloseCharge(struct profileSource *sources,
				struct attributionShare **shares)
{
	int ret = 0;

	for (int i = 0; i < FINDINGS_RULES; i++) {
		if (!sources[i].cursor)
			continue;
		if (ret == 0)
			ret = attributionCursorError(sources[i].cursor);
		attributionCursorFree(sources[i].cursor);
		attributionShareFree(shares[i]);
	}
	return ret;
}

static void profilingReadTrace(struct tasks *tasks, void *data, size_t number)
{
	struct profiling *self = data;
	const struct findings *findings = self->profiles->findings;
	const hdITraceFile *trace = findings->project->traces[number];
	struct profileSource sources[FINDINGS_RULES] = { { NULL } };
	struct attributionShare *shares[FINDINGS_RULES] = { NULL };
	struct profilingTrace reading = { .request = self };
	int ret, charged;

	(void)tasks;
	if (!profilingGoesOn(self, 0))
		return;
	profilingOpenCharge(self, number, sources, shares);
	ret = profileRead(findings->project, trace, &diagnosticsDropped,
			  sources, findings->other ? FINDINGS_RULES : 1,
			  self->start, self->end, false, profilingNoteRecord,
			  &reading, &self->traces[number]);
	charged = profilingCloseCharge(sources, shares);
	/* What is damaged has no states, as in a report. */
	if (ret == -EBADMSG)
		ret = 0;
	self->errors[number] = ret < 0 ? ret : charged;
	if (ret == 0)
		profilingGoesOn(self, trace->fileSize - reading.offset);
}

static void profilingTakeTrace(void *data, size_t number)
{
	struct profiling *self = data;
	struct profile *profile = self->traces[number];

	profilingNoteError(self, self->errors[number]);
	if (!profile)
		return;
	profileClip(profile, self->start, self->end);
	self->watch->take(self->watch->data, profile);
	profileFree(profile);
}

int stateProfilesRead(struct stateProfiles *self, int64_t start, int64_t end,
		      const struct stateProfilesWatch *watch)
{
	size_t count = self->findings->project->traceCount;
	struct profiling request = {
		.profiles = self,
		.watch = watch,
		.start = start,
		.end = end,
	};
	int ret;

	pthread_mutex_lock(&self->mutex);
	ret = profilingReadPower(&request);
	pthread_mutex_unlock(&self->mutex);
	if (ret < 0)
		return ret;
	request.traces = g_new0(struct profile *, count + 1);
	request.errors = g_new0(int, count + 1);
	tasksDo(count, profilingReadTrace, profilingTakeTrace, &request);
	g_free(request.errors);
	g_free(request.traces);
	return g_atomic_int_get(&request.isOver) ? -ECANCELED : request.error;
}
