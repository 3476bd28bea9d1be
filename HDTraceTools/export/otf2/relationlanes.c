/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to otf2: relations. Regions of a location nest, so each lane
 * of a file of relations is a location; who caused whom are attributes, since
 * OTF2 has no such arrows.
 */
#include "config.h"

#include "HDTraceTools/export/otf2/otf2.h"
#include "HDTraceTools/export/relationtext.h"
#include "HDTraceTools/model/relations/lanes.h"

struct writing {
	struct otf2 *otf2;
	struct forest *forest;
	GArray *open; /**< struct opened */
	int64_t last; /**< Time of the last event: none is before it. */
};

/** A region that is open. */
struct opened {
	int64_t end;
	OTF2_RegionRef region;
};

static void otf2RelationsLeaveRegions(struct writing *self, guint count)
{
	struct otf2 *otf2 = self->otf2;

	while (self->open->len > count) {
		struct opened last = g_array_index(self->open, struct opened,
						   self->open->len - 1);

		g_array_set_size(self->open, self->open->len - 1);
		self->last = MAX(self->last, last.end);
		otf2CountEvent(otf2, self->last);
		otf2Check(otf2,
			  otf2Api.OTF2_EvtWriter_Leave(
				  otf2->events, NULL,
				  (OTF2_TimeStamp)self->last, last.region));
	}
}

static void enter(struct writing *self, const hdIRecord *record)
{
	struct otf2 *otf2 = self->otf2;
	const struct opened opened = { record->end,
				       otf2RegionOf(otf2, record) };

	otf2SetAttributes(otf2, record, NULL);
	self->last = MAX(self->last, record->start);
	otf2CountEvent(otf2, self->last);
	otf2Check(otf2, otf2Api.OTF2_EvtWriter_Enter(otf2->events, otf2->list,
						     (OTF2_TimeStamp)self->last,
						     opened.region));
	g_array_append_val(self->open, opened);
}

static void otf2RelationsPutState(struct writing *self,
				  const struct forestRelation *relation,
				  const hdIRelationState *state)
{
	const hdIRecord record = {
		.name = state->name,
		.start = state->start,
		.end = forestStateEnd(relation, state),
		.attributes = state->attributes,
		.attributeCount = state->attributeCount,
	};

	otf2RelationsLeaveRegions(self, state->depth + 1);
	enter(self, &record);
	self->otf2->export->states++;
}

static void otf2RelationsPutRelation(struct writing *self,
				     const struct forestRelation *relation,
				     int64_t end)
{
	struct export *export = self->otf2->export;
	uint32_t parent = forestParent(self->forest, relation->number);
	char own[OUT_NUMBER_SIZE], cause[OUT_NUMBER_SIZE];
	hdIAttribute attributes[3];
	hdIRecord record = {
		.name = forestTitle(relation),
		.start = relation->start,
		.end = end,
		.attributes = attributes,
	};

	attributes[record.attributeCount++] = (hdIAttribute){
		.name = "relation",
		.value = outInteger(own, relation->number),
	};
	if (parent != FOREST_NONE)
		attributes[record.attributeCount++] = (hdIAttribute){
			.name = "parent",
			.value = outInteger(cause, parent),
		};
	else
		exportLose(export, "causes outside of the project",
			   relation->parent || relation->span);
	if (relation->end == HDI_NEVER)
		attributes[record.attributeCount++] =
			(hdIAttribute){ .name = "unended", .value = "1" };
	enter(self, &record);
	for (size_t i = 0; i < relation->stateCount; i++)
		otf2RelationsPutState(self, relation, &relation->states[i]);
	otf2RelationsLeaveRegions(self, 0);
	exportLose(export, "tokens of relations (replaced by numbers)", 1);
	exportLose(export, "further causes of relations", relation->linkCount);
	export->relations++;
}

static void endLane(struct otf2 *self, bool isOpen)
{
	if (isOpen)
		otf2Check(self, otf2Api.OTF2_Archive_CloseEvtWriter(
					self->archive, self->events));
}

/** Start the location of a lane. */
static void otf2RelationsStartLane(struct otf2 *self,
				   const struct forestFile *file, uint32_t lane,
				   uint32_t count)
{
	char *name =
		count > 1 ? g_strdup_printf("%s relations %" PRIu32,
					    file->file->node->label, lane + 1)
			  : g_strdup_printf("%s relations",
					    file->file->node->label);
	OTF2_StringRef ref = otf2String(self, name);
	const struct otf2Location location = {
		.node = file->file->node,
		.name = self->stringList->pdata[ref],
		.first = INT64_MAX,
		.last = INT64_MIN,
	};

	self->events = otf2Api.OTF2_Archive_GetEvtWriter(self->archive,
							 self->locations->len);
	if (!self->events)
		otf2Check(self, OTF2_ERROR_INVALID);
	g_array_append_val(self->locations, location);
	self->location = otf2LocationAt(self, self->locations->len - 1);
	g_free(name);
}

static int otf2RelationsPutLanes(struct writing *self, struct lanes *lanes)
{
	struct forestRelation relation;
	struct lanesItem item, last = { .file = UINT32_MAX };
	bool isOpen = false;
	int ret;

	while ((ret = lanesNext(lanes, &item)) == 1) {
		if (!exportHasRelation(self->otf2->export, self->forest,
				       item.number))
			continue;
		ret = forestGet(self->forest, item.number, &relation);
		if (ret < 0)
			break;
		if (item.file != last.file || item.lane != last.lane) {
			endLane(self->otf2, isOpen);
			self->last = INT64_MIN;
			otf2RelationsStartLane(self->otf2, relation.file,
					       item.lane,
					       lanesCount(lanes, item.file));
			isOpen = self->otf2->error == OTF2_SUCCESS;
		}
		if (self->otf2->error != OTF2_SUCCESS)
			break;
		last = item;
		otf2RelationsPutRelation(self, &relation, item.end);
	}
	endLane(self->otf2, isOpen);
	return MIN(ret, 0);
}

int otf2PutRelations(struct otf2 *otf2)
{
	struct writing self = {
		.otf2 = otf2,
		.forest = exportReadRelations(otf2->export),
	};
	struct lanes *lanes;
	int ret;

	if (!self.forest)
		return -1;
	lanes = lanesNew(self.forest);
	self.open = g_array_new(FALSE, FALSE, sizeof(struct opened));
	ret = lanesFind(lanes);
	if (ret == 0)
		ret = otf2RelationsPutLanes(&self, lanes);
	g_array_unref(self.open);
	lanesFree(lanes);
	forestFree(self.forest);
	return exportTemporary(otf2->export, ret);
}
