/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The power that traces are charged with, while tracks are made.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>

#include "HDTraceTools/model/power/node.h"
#include "HDTraceTools/pages/powers.h"

/** The power that a group tells. */
struct power {
	struct powerSeries *series;
	struct powerSeries *rest; /**< For ranks; NULL: all. */
	enum { UNREAD, READING, READ } state;
	/** Traces that will need it, or do, and the power of all nodes. */
	size_t users;
};

struct powers {
	const struct findings *findings;
	struct findingsGroup **ofTraces; /**< By trace; NULL: none. */
	pthread_mutex_t mutex;           /**< Protects what follows. */
	pthread_cond_t filled;
	struct power *powers; /**< By group. */
};

/** Whether a group stands for a part of the power of all nodes. */
static bool isOfAll(const struct findingsGroup *group)
{
	return group->isFirst && group->countsForTotal;
}

struct powers *powersNew(const struct findings *findings)
{
	const hdIProject *project = findings->project;
	struct powers *self = g_new0(struct powers, 1);

	self->findings = findings;
	self->ofTraces = findingsFindPowers(findings);
	self->powers = g_new0(struct power, project->groupCount + 1);
	for (size_t i = 0; i < project->traceCount; i++) {
		if (self->ofTraces[i])
			self->powers[self->ofTraces[i] - findings->groups]
				.users++;
	}
	for (size_t i = 0; i < project->groupCount; i++)
		self->powers[i].users += isOfAll(&findings->groups[i]);
	pthread_mutex_init(&self->mutex, NULL);
	pthread_cond_init(&self->filled, NULL);
	return self;
}

void powersFree(struct powers *self)
{
	if (!self)
		return;
	for (size_t i = 0; i < self->findings->project->groupCount; i++) {
		powerSeriesFree(self->powers[i].series);
		powerSeriesFree(self->powers[i].rest);
	}
	g_free(self->powers);
	g_free(self->ofTraces);
	pthread_cond_destroy(&self->filled);
	pthread_mutex_destroy(&self->mutex);
	g_free(self);
}

/* ---- Filling ----------------------------------------------------------- */

/** Begin to read a group unless that is done; with the lock held. */
static struct powerSeries *powersFillGroup(struct powers *self, size_t group)
{
	struct power *power = &self->powers[group];

	if (power->state != UNREAD || power->users == 0)
		return NULL;
	power->state = READING;
	power->series =
		powerSeriesOfNode(self->findings->groups[group].group,
				  self->findings->groups[group].isPower);
	return power->series;
}

struct powerSeries *powersFill(struct powers *self, size_t group)
{
	struct powerSeries *series;

	pthread_mutex_lock(&self->mutex);
	series = powersFillGroup(self, group);
	pthread_mutex_unlock(&self->mutex);
	return series;
}

int powersFilled(struct powers *self, size_t group)
{
	const struct findings *findings = self->findings;
	struct power *power = &self->powers[group];
	bool isShared;
	int ret = nodePowerComplete(findings->project, findings->powers,
				    findings->groups[group].group,
				    &power->series);

	/* Nobody but traces asks for what is left for them. */
	pthread_mutex_lock(&self->mutex);
	isShared = power->users > (size_t)isOfAll(&findings->groups[group]);
	pthread_mutex_unlock(&self->mutex);
	if (ret == 0 && isShared && findings->relations.joules)
		ret = joulesDivide(findings->relations.joules,
				   findings->attribution,
				   findings->groups[group].group, power->series,
				   false, &power->rest);
	pthread_mutex_lock(&self->mutex);
	power->state = READ;
	pthread_cond_broadcast(&self->filled);
	pthread_mutex_unlock(&self->mutex);
	return ret;
}

/** Read a group for its power. */
static int powersReadPower(const hdIProject *project, const hdIGroup *group,
			   struct powerSeries *series,
			   bool (*goesOn)(int64_t offset, void *data),
			   void *data)
{
	hdIStatReader *reader =
		diagnosticsOpenStat(project, group, &diagnosticsDropped);
	const hdIBlock *block;
	int ret = 0;

	/* Who shows the group says why. */
	if (!reader)
		return 0;
	while (ret == 0 && hdI_readStat(reader, &block) == 1) {
		ret = powerSeriesAdd(series, block);
		if (ret == 0 && goesOn &&
		    !goesOn(block->offset[block->count - 1], data))
			ret = -ECANCELED;
	}
	hdI_closeStat(reader);
	return ret < 0 ? ret : powerSeriesEnd(series);
}

/* ---- Taking ------------------------------------------------------------ */

int powersTake(struct powers *self, size_t trace,
	       bool (*goesOn)(int64_t offset, void *data), void *data,
	       const struct powerSeries **series,
	       struct attributionShare **share)
{
	const struct findings *findings = self->findings;
	const struct findingsGroup *from = self->ofTraces[trace];
	size_t group = from ? (size_t)(from - findings->groups) : 0;
	struct powerSeries *own;
	int ret = 0;

	*series = NULL;
	*share = NULL;
	if (!from)
		return 0;
	*share = attributionShareNew(findings->attribution, from->group->node,
				     findings->project->traces[trace]);
	pthread_mutex_lock(&self->mutex);
	own = powersFillGroup(self, group);
	while (!own && self->powers[group].state != READ)
		pthread_cond_wait(&self->filled, &self->mutex);
	pthread_mutex_unlock(&self->mutex);
	if (own) {
		int divided;

		ret = powersReadPower(findings->project, from->group, own,
				      goesOn, data);
		divided = powersFilled(self, group);
		ret = ret < 0 ? ret : divided;
	}
	*series = self->powers[group].rest ? self->powers[group].rest
					   : self->powers[group].series;
	return ret;
}

bool powersAreShared(const struct powers *self, size_t trace)
{
	const struct findingsGroup *from = self->ofTraces[trace];

	return from && self->powers[from - self->findings->groups].rest;
}

/** Somebody needs the power of a group no longer. */
static void powersReleaseGroup(struct powers *self,
			       const struct findingsGroup *from)
{
	struct power *power = &self->powers[from - self->findings->groups];

	pthread_mutex_lock(&self->mutex);
	if (--power->users == 0) {
		powerSeriesFree(power->series);
		powerSeriesFree(power->rest);
		power->series = NULL;
		power->rest = NULL;
	}
	pthread_mutex_unlock(&self->mutex);
}

void powersDone(struct powers *self, size_t trace)
{
	if (self->ofTraces[trace])
		powersReleaseGroup(self, self->ofTraces[trace]);
}

/* ---- All nodes --------------------------------------------------------- */

GPtrArray *powersTotal(struct powers *self)
{
	const struct findings *findings = self->findings;
	GPtrArray *list = g_ptr_array_new();

	for (size_t i = 0; i < findings->project->groupCount; i++) {
		if (isOfAll(&findings->groups[i]) && self->powers[i].series)
			g_ptr_array_add(list, self->powers[i].series);
	}
	return list;
}

void powersTotalDone(struct powers *self)
{
	const struct findings *findings = self->findings;

	for (size_t i = 0; i < findings->project->groupCount; i++) {
		if (isOfAll(&findings->groups[i]))
			powersReleaseGroup(self, &findings->groups[i]);
	}
}
