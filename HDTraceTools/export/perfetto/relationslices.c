/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to perfetto: relations as slices, with arrows from those
 * that caused them. The number of an arrow is one more than that of who was
 * caused.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/export/perfetto/perfetto.h"
#include "HDTraceTools/export/relationtext.h"
#include "HDTraceTools/model/relations/lanes.h"

struct writing {
	struct perfetto *perfetto;
	struct forest *forest;
	GArray *open; /**< int64_t: when the states end that are open. */
};

/** Whether there is an arrow to a relation: not back in time. */
static bool hasArrow(const struct writing *self, uint32_t number)
{
	uint32_t parent = forestParent(self->forest, number);

	return parent != FOREST_NONE &&
	       exportHasRelation(self->perfetto->export, self->forest,
				 parent) &&
	       forestStart(self->forest, parent) <=
		       forestStart(self->forest, number);
}

static void loseArrow(const struct writing *self,
		      const struct forestRelation *relation)
{
	struct export *export = self->perfetto->export;
	uint32_t parent = forestParent(self->forest, relation->number);

	exportLose(export, "further causes of relations", relation->linkCount);
	if (parent == FOREST_NONE)
		exportLose(export, "causes outside of the project",
			   relation->parent || relation->span);
	else
		exportLose(export,
			   "arrows to relations that begin before their cause",
			   forestStart(self->forest, parent) >
				   forestStart(self->forest, relation->number));
}

static void endSlice(const struct writing *self, int64_t time)
{
	perfettoStartEvent(self->perfetto, EVENT_IS_END);
	perfettoPutPacket(self->perfetto, PACKET_TRACK_EVENT, &time);
}

/** End states until only so many are open. */
static void endStates(struct writing *self, guint count)
{
	while (self->open->len > count) {
		endSlice(self, g_array_index(self->open, int64_t,
					     self->open->len - 1));
		g_array_set_size(self->open, self->open->len - 1);
	}
}

static void perfettoRelationsPutState(struct writing *self,
				      const struct forestRelation *relation,
				      const hdIRelationState *state)
{
	struct perfetto *perfetto = self->perfetto;
	int64_t end = forestStateEnd(relation, state);

	endStates(self, state->depth);
	perfettoStartEvent(perfetto, EVENT_IS_BEGIN);
	pbText(&perfetto->body, EVENT_NAME, state->name);
	for (size_t i = 0; i < state->attributeCount; i++)
		perfettoAnnotate(perfetto, state->attributes[i].name,
				 state->attributes[i].value);
	if (state->end == HDI_NEVER)
		perfettoAnnotate(perfetto, "unended", "1");
	perfettoPutPacket(perfetto, PACKET_TRACK_EVENT, &state->start);
	g_array_append_val(self->open, end);
	perfetto->export->states++;
}

static void perfettoRelationsPutRelation(struct writing *self,
					 const struct forestRelation *relation,
					 int64_t end)
{
	struct perfetto *perfetto = self->perfetto;
	const uint32_t number = relation->number;
	uint32_t child = forestChild(self->forest, number);

	perfettoStartEvent(perfetto, EVENT_IS_BEGIN);
	pbText(&perfetto->body, EVENT_NAME, forestTitle(relation));
	perfettoAnnotate(perfetto, "token", relation->token);
	if (relation->parent)
		perfettoAnnotate(perfetto, "parent", relation->parent);
	if (relation->end == HDI_NEVER)
		perfettoAnnotate(perfetto, "unended", "1");
	for (; child != FOREST_NONE; child = forestSibling(self->forest, child))
		if (exportHasRelation(perfetto->export, self->forest, child) &&
		    hasArrow(self, child))
			pbFixed64(&perfetto->body, EVENT_FLOW,
				  (uint64_t)child + 1);
	if (hasArrow(self, number))
		pbFixed64(&perfetto->body, EVENT_END_OF_FLOW,
			  (uint64_t)number + 1);
	perfettoPutPacket(perfetto, PACKET_TRACK_EVENT, &relation->start);
	for (size_t i = 0; i < relation->stateCount; i++)
		perfettoRelationsPutState(self, relation, &relation->states[i]);
	endStates(self, 0);
	endSlice(self, end);
	loseArrow(self, relation);
	perfetto->export->relations++;
}

/** Start the track of a lane, below that of its node. */
static void perfettoRelationsStartLane(struct perfetto *self,
				       const struct forestFile *file,
				       uint32_t lane, uint32_t count)
{
	uint64_t parent = perfettoTrackOf(self, file->file->node);
	char *name = count > 1 ? g_strdup_printf("relations %" PRIu32, lane + 1)
			       : g_strdup("relations");

	self->track = perfettoStartTrack(self, parent, name);
	perfettoPutPacket(self, PACKET_TRACK_DESCRIPTOR, NULL);
	g_free(name);
}

static int perfettoRelationsPutLanes(struct writing *self, struct lanes *lanes)
{
	struct forestRelation relation;
	struct lanesItem item;
	uint32_t file = UINT32_MAX, lane = 0;
	int ret;

	while ((ret = lanesNext(lanes, &item)) == 1) {
		if (!exportHasRelation(self->perfetto->export, self->forest,
				       item.number))
			continue;
		ret = forestGet(self->forest, item.number, &relation);
		if (ret < 0)
			break;
		if (item.file != file || item.lane != lane)
			perfettoRelationsStartLane(
				self->perfetto, relation.file, item.lane,
				lanesCount(lanes, item.file));
		file = item.file;
		lane = item.lane;
		perfettoRelationsPutRelation(self, &relation, item.end);
	}
	return ret;
}

int perfettoPutRelations(struct perfetto *perfetto)
{
	struct writing self = {
		.perfetto = perfetto,
		.forest = exportReadRelations(perfetto->export),
	};
	struct lanes *lanes;
	int ret;

	if (!self.forest)
		return -1;
	lanes = lanesNew(self.forest);
	self.open = g_array_new(FALSE, FALSE, sizeof(int64_t));
	ret = lanesFind(lanes);
	if (ret == 0)
		ret = perfettoRelationsPutLanes(&self, lanes);
	/* Arrows of messages have other numbers. */
	perfetto->flows = forestCount(self.forest);
	g_array_unref(self.open);
	lanesFree(lanes);
	forestFree(self.forest);
	return exportTemporary(perfetto->export, ret);
}
