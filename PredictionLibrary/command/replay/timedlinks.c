/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Links in the project of a replay. A link is a row with its name below the
 * node "links"; its statistics are the rate and the utilization. It has no
 * states, since these would be taken for states of a process. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/command/replay/links.h"
#include "PredictionLibrary/command/replay/timedproject.h"
#include "PredictionLibrary/output/series.h"
#include "common/format/projectfile.h"

/* Sums of rates have rounding errors of this part. */
#define LINKS_ROUNDING 1e-9

/* Events of Paje. */
enum linksEvent {
	LINKS_CONTAINER_TYPE,
	LINKS_VARIABLE_TYPE,
	LINKS_CREATE,
	LINKS_SET,
	LINKS_ADD,
	LINKS_SUB,
	LINKS_EVENTS
};

static const char *const linksNames[LINKS_EVENTS] = {
	[LINKS_CONTAINER_TYPE] = "PajeDefineContainerType",
	[LINKS_VARIABLE_TYPE] = "PajeDefineVariableType",
	[LINKS_CREATE] = "PajeCreateContainer",
	[LINKS_SET] = "PajeSetVariable",
	[LINKS_ADD] = "PajeAddVariable",
	[LINKS_SUB] = "PajeSubVariable",
};

static const struct hdPredictColumn linksColumns[] = {
	{ "Rate", DOUBLE, "B/s", NULL, "gauge", NULL },
	{ "Utilization", DOUBLE, "%", NULL, "gauge", NULL },
};

struct timedLink {
	char *label;
	double bandwidth;
	double rate;
	double since; /* Of the rate. */
	bool isUsed;  /* It has a series. */
	struct hdPredictSeries series;
};

struct timedLinks {
	struct timedProject *project;
	GHashTable *byAlias; /* struct timedLink */
	GPtrArray *all;      /* The same, in the order of the platform. */
	char *type;          /* Aliases of types. */
	char *bandwidth;
	char *used;
	long codes[LINKS_EVENTS];
};

static void timedLinksFreeOne(void *data)
{
	struct timedLink *link = data;

	g_free(link->label);
	g_free(link);
}

struct timedLinks *timedLinksNew(struct timedProject *project)
{
	struct timedLinks *self = g_new0(struct timedLinks, 1);

	self->project = project;
	self->byAlias =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	self->all = g_ptr_array_new_with_free_func(timedLinksFreeOne);
	for (int i = 0; i < LINKS_EVENTS; i++)
		self->codes[i] = -1;
	return self;
}

void timedLinksFree(struct timedLinks *self)
{
	if (!self)
		return;
	g_hash_table_destroy(self->byAlias);
	g_ptr_array_unref(self->all);
	g_free(self->type);
	g_free(self->bandwidth);
	g_free(self->used);
	g_free(self);
}

/* ---- Rows -------------------------------------------------------------- */

static void timedLinksStart(struct timedLinks *self, struct timedLink *link)
{
	const union hdPredictCell none[] = { { .number = 0 }, { .number = 0 } };
	const char *path[] = { TIMED_LINKS, link->label };
	hdTopoNode *node = timedProjectNode(self->project, path, 2);

	link->isUsed = true;
	link->series = hdPredictSeriesOn(
		node, 2, timedProjectBase(self->project), "simgrid", TIMED_LINK,
		linksColumns, G_N_ELEMENTS(linksColumns));
	if (node)
		hdT_destroyTopoNode(node);
	/* It was not used before. */
	hdPredictSeriesWrite(&link->series, link->since, none);
}

/* The rate was the same up to now. */
static void timedLinksAdvance(struct timedLink *link, double now)
{
	const union hdPredictCell cells[] = {
		{ .number = link->rate },
		{ .number = link->bandwidth > 0
				    ? link->rate / link->bandwidth * 100
				    : NAN },
	};

	if (!(now > link->since))
		return;
	link->since = now;
	if (link->isUsed)
		hdPredictSeriesWrite(&link->series, now, cells);
}

static void timedLinksSet(struct timedLinks *self, struct timedLink *link,
			  double now, double rate)
{
	if (rate < LINKS_ROUNDING * link->bandwidth)
		rate = 0;
	if (rate > 0 && !link->isUsed)
		timedLinksStart(self, link);
	timedLinksAdvance(link, now);
	link->rate = rate;
}

/* ---- Lines ------------------------------------------------------------- */

void timedLinksDefine(struct timedLinks *self, const char *event, long code)
{
	for (int i = 0; i < LINKS_EVENTS; i++) {
		if (strcmp(linksNames[i], event) == 0)
			self->codes[i] = code;
	}
}

static bool timedLinksHas(const struct timedLinks *self, const char *label)
{
	for (guint i = 0; i < self->all->len; i++) {
		const struct timedLink *link = self->all->pdata[i];

		if (strcmp(link->label, label) == 0)
			return true;
	}
	return false;
}

/* "CODE TIME ALIAS TYPE PARENT "NAME"" */
static void timedLinksCreate(struct timedLinks *self, const char *alias,
			     const char *rest)
{
	struct timedLink *link = g_new0(struct timedLink, 1);
	size_t length = strlen(rest);
	char *name = length > 1 && *rest == '"'
			     ? g_strndup(rest + 1, length - 2)
			     : g_strdup(rest);
	char *label = timedProjectLabel(name);

	g_free(name);
	/* Labels that are numbers are ranks. */
	link->label = g_ascii_isdigit(*label)
			      ? g_strconcat("link-", label, NULL)
			      : g_strdup(label);
	g_free(label);
	if (timedLinksHas(self, link->label)) {
		label = g_strdup_printf("%s-%s", link->label, alias);
		g_free(link->label);
		link->label = label;
	}
	g_ptr_array_add(self->all, link);
	g_hash_table_insert(self->byAlias, g_strdup(alias), link);
}

static void timedLinksChange(struct timedLinks *self, long code,
			     char *const fields[5])
{
	struct timedLink *link = g_hash_table_lookup(self->byAlias, fields[3]);
	double now = g_ascii_strtod(fields[1], NULL);
	double value = g_ascii_strtod(fields[4], NULL);

	if (!link)
		return;
	if (g_strcmp0(fields[2], self->bandwidth) == 0)
		link->bandwidth = value;
	if (g_strcmp0(fields[2], self->used) != 0)
		return;
	if (code == self->codes[LINKS_ADD])
		value += link->rate;
	else if (code == self->codes[LINKS_SUB])
		value = link->rate - value;
	timedLinksSet(self, link, now, value);
}

void timedLinksTake(struct timedLinks *self, char *const fields[5],
		    const char *rest)
{
	long code = strtol(fields[0], NULL, 10);

	if (code == self->codes[LINKS_CONTAINER_TYPE]) {
		if (strcmp(fields[3], "LINK") == 0 && !self->type)
			self->type = g_strdup(fields[1]);
	} else if (code == self->codes[LINKS_VARIABLE_TYPE]) {
		if (strcmp(fields[3], "bandwidth") == 0 && !self->bandwidth)
			self->bandwidth = g_strdup(fields[1]);
		if (strcmp(fields[3], "bandwidth_used") == 0 && !self->used)
			self->used = g_strdup(fields[1]);
	} else if (code == self->codes[LINKS_CREATE]) {
		if (rest && g_strcmp0(fields[3], self->type) == 0)
			timedLinksCreate(self, fields[2], rest);
	} else if (fields[4] && (code == self->codes[LINKS_SET] ||
				 code == self->codes[LINKS_ADD] ||
				 code == self->codes[LINKS_SUB])) {
		timedLinksChange(self, code, fields);
	}
}

/* ---- The end ----------------------------------------------------------- */

bool timedLinksAny(const struct timedLinks *self)
{
	for (guint i = 0; i < self->all->len; i++) {
		if (((const struct timedLink *)self->all->pdata[i])->isUsed)
			return true;
	}
	return false;
}

void timedLinksPut(const struct timedLinks *self, FILE *file)
{
	if (!timedLinksAny(self))
		return;
	hdProjectTag(file, 4, "Node name", TIMED_LINKS, false);
	for (guint i = 0; i < self->all->len; i++) {
		const struct timedLink *link = self->all->pdata[i];

		if (link->isUsed)
			hdProjectTag(file, 6, "Node name", link->label, true);
	}
	hdProjectEnd(file, 4, "Node");
}

bool timedLinksEnd(struct timedLinks *self, double end)
{
	bool isGood = true;

	for (guint i = 0; i < self->all->len; i++) {
		struct timedLink *link = self->all->pdata[i];
		const union hdPredictCell none[] = { { .number = 0 },
						     { .number = 0 } };

		if (!link->isUsed)
			continue;
		timedLinksSet(self, link, end, 0);
		isGood &= hdPredictSeriesEnd(&link->series, link->series.last,
					     none) == 0;
	}
	return isGood;
}
