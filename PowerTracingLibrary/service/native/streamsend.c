/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Readings of a stream on their way to the client, and their totals; see
 * stream.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/service/native/stream.h"
#include "recording/integral.h"

/* Readings in a frame at most. */
#define BATCH PT_SEGMENT_SIZE

/* ---- Totals ------------------------------------------------------------ */

/* What of readings lies in the recording: of one that began before, only the
 * part after the start. */
struct part {
	int64_t lengthNs[BATCH];
};

static void streamSendPartOf(struct ptStream *stream,
			     struct ptStreamGroup *group,
			     const struct ptRun *run, size_t count,
			     struct part *part)
{
	for (size_t i = 0; i < count; i++) {
		const struct ptStored *reading = &run->readings[i];
		int64_t begin = reading->mono - reading->length;

		if (begin < stream->startMono)
			begin = stream->startMono;
		part->lengthNs[i] =
			reading->mono > begin ? reading->mono - begin : 0;
		group->total.lost += reading->lost;
		group->total.coveredNs += part->lengthNs[i];
	}
	group->total.readings += count;
}

/* The largest, the smallest, and how long there are values. */
static void totalRange(struct ptWireColumnTotal *total, const double *values,
		       size_t count, const struct part *part)
{
	double min = isnan(total->min) ? INFINITY : total->min;
	double max = isnan(total->max) ? -INFINITY : total->max;
	int64_t covered = 0;
	bool isAny = !isnan(total->min);

	for (size_t i = 0; i < count; i++) {
		bool is = !isnan(values[i]);

		min = values[i] < min ? values[i] : min;
		max = values[i] > max ? values[i] : max;
		covered += is ? part->lengthNs[i] : 0;
		isAny = isAny || is;
	}
	total->coveredNs += covered;
	if (!isAny)
		return;
	total->min = min;
	total->max = max;
}

static void totalAdd(struct ptStreamColumn *column, const struct ptRun *run,
		     const double *values, size_t count,
		     const struct part *part)
{
	struct ptWireColumnTotal *total = &column->total;
	double sum = 0;

	totalRange(total, values, count, part);
	for (size_t i = 0; i < count; i++) {
		double value = isnan(values[i]) ? 0 : values[i];
		int64_t length = run->readings[i].length;

		if (column->kind == PT_WIRE_MEAN)
			sum += hdIntegralOf(value, part->lengthNs[i]);
		else if (column->kind == PT_WIRE_AMOUNT)
			sum += length > 0 ? hdIntegralOf(value,
							 part->lengthNs[i]) /
						    ((double)length / 1e9)
					  : value;
	}
	total->total += sum;
	for (size_t i = 0; column->kind == PT_WIRE_RUNNING && i < count; i++) {
		if (isnan(values[i]))
			continue;
		if (!column->hasFirst)
			column->first = values[i];
		column->hasFirst = true;
		total->total = values[i] - column->first;
	}
}

/* ---- Values ------------------------------------------------------------ */

/* Find the values of a column of a run: those of its line, or their sum, which
 * needs the room. */
static const double *streamSendValuesOf(struct ptStreamGroup *group,
					const struct ptStreamColumn *column,
					const struct ptRun *run, size_t count,
					double room[BATCH])
{
	const struct ptSiteLine *lines = ptServedSite(group->served)->lines;

	for (size_t i = 0; i < column->count; i++) {
		const double *from =
			ptSetValues(&group->set, run,
				    lines[column->lines[i]]
					    .values[column->values[i]]
					    .column);

		if (column->count == 1)
			return from;
		for (size_t j = 0; j < count; j++)
			room[j] = i == 0 ? from[j] : room[j] + from[j];
	}
	return room;
}

/* ---- Readings that become one ------------------------------------------ */

static void mergeBegin(struct ptStreamGroup *group)
{
	group->merged = (struct ptStored){ 0 };
	group->mergedCount = 0;
	for (size_t i = 0; i < group->columnCount; i++)
		group->columns[i].sum = group->columns[i].weight = 0;
}

static void mergeAdd(struct ptStreamGroup *group,
		     const struct ptStored *reading)
{
	struct ptStored *merged = &group->merged;

	merged->wall = reading->wall;
	merged->mono = reading->mono;
	merged->length += reading->length;
	merged->lost += reading->lost;
	merged->marks |= reading->marks;
	group->mergedCount++;
}

static void mergeValue(struct ptStreamColumn *column, double value,
		       int64_t length)
{
	double weight = length > 0 ? (double)length : 1;

	if (isnan(value))
		return;
	if (column->kind == PT_WIRE_MEAN)
		column->sum += value * weight;
	else if (column->kind == PT_WIRE_AMOUNT)
		column->sum += value;
	else
		column->sum = value;
	column->weight += weight;
}

static double mergeResult(const struct ptStreamColumn *column)
{
	if (column->weight == 0)
		return NAN;
	return column->kind == PT_WIRE_MEAN ? column->sum / column->weight
					    : column->sum;
}

/* ---- Frames ------------------------------------------------------------ */

/* A frame that is being made, in place. */
struct frame {
	struct ptWireData data;
	struct ptWireView view;
	unsigned char *bytes;
	size_t size;
};

/* Make room for so many readings; false if there is none now. */
static bool frameBegin(struct ptClient *client, const struct ptStream *stream,
		       const struct ptStreamGroup *group, size_t index,
		       size_t count, struct frame *frame)
{
	size_t fields = ptWireDataSize(0, 0);

	frame->size = HD_FRAME_HEADER_SIZE +
		      ptWireDataSize(count, group->columnCount);
	frame->bytes = hdConnectionRoom(&client->connection, frame->size);
	if (!frame->bytes)
		return false;
	frame->data = (struct ptWireData){
		.stream = stream->number,
		.group = (uint16_t)index,
		.columns = (uint16_t)group->columnCount,
		.count = (uint32_t)count,
		.arrays = { frame->bytes + HD_FRAME_HEADER_SIZE + fields,
			    frame->size - HD_FRAME_HEADER_SIZE - fields },
	};
	return ptWireViewData(&frame->data, &frame->view) == 0;
}

static void frameReading(struct frame *frame, size_t index,
			 const struct ptStored *reading)
{
	/* The arrays are in our own memory. */
	ptWirePut64((unsigned char *)(uintptr_t)frame->view.wall + 8 * index,
		    &reading->wall, 1);
	ptWirePut64((unsigned char *)(uintptr_t)frame->view.mono + 8 * index,
		    &reading->mono, 1);
	ptWirePut64((unsigned char *)(uintptr_t)frame->view.length + 8 * index,
		    &reading->length, 1);
	ptWirePut32((unsigned char *)(uintptr_t)frame->view.lost + 4 * index,
		    &reading->lost, 1);
	ptWirePut32((unsigned char *)(uintptr_t)frame->view.marks + 4 * index,
		    &reading->marks, 1);
}

static void frameValues(struct frame *frame, size_t column, size_t index,
			const double *values, size_t count)
{
	ptWirePut64((unsigned char *)(uintptr_t)frame->view.values +
			    8 * (column * frame->data.count + index),
		    values, count);
}

static void frameEnd(struct ptClient *client, struct frame *frame)
{
	ptNativePut(client, PT_WIRE_DATA, 0, &frame->data, frame->bytes,
		    frame->size);
}

/* How many readings go into a frame: what client and room allow. */
static size_t frameFit(const struct ptClient *client,
		       const struct ptStreamGroup *group)
{
	size_t payload = ptNativeOf(client)->session.payloadMax;
	size_t room = hdConnectionLeft(&client->connection), each;

	if (room > payload + HD_FRAME_HEADER_SIZE)
		room = payload + HD_FRAME_HEADER_SIZE;
	each = ptWireDataSize(1, group->columnCount) - ptWireDataSize(0, 0);
	if (room < HD_FRAME_HEADER_SIZE + ptWireDataSize(0, 0) + each)
		return 0;
	return (room - HD_FRAME_HEADER_SIZE - ptWireDataSize(0, 0)) / each;
}

/* Send readings as they are. */
static size_t sendPlain(struct ptClient *client, struct ptStream *stream,
			size_t index, const struct ptRun *run, size_t count)
{
	struct ptStreamGroup *group = &stream->groups[index];
	double room[BATCH];
	struct part part;
	struct frame frame;

	if (!frameBegin(client, stream, group, index, count, &frame))
		return 0;
	for (size_t i = 0; i < count; i++)
		frameReading(&frame, i, &run->readings[i]);
	streamSendPartOf(stream, group, run, count, &part);
	for (size_t i = 0; i < group->columnCount; i++) {
		const double *values = streamSendValuesOf(
			group, &group->columns[i], run, count, room);

		totalAdd(&group->columns[i], run, values, count, &part);
		frameValues(&frame, i, 0, values, count);
	}
	frameEnd(client, &frame);
	return count;
}

/* Send the one that readings have become. */
static bool sendMerged(struct ptClient *client, struct ptStream *stream,
		       size_t index)
{
	struct ptStreamGroup *group = &stream->groups[index];
	struct frame frame;

	if (!frameBegin(client, stream, group, index, 1, &frame))
		return false;
	frameReading(&frame, 0, &group->merged);
	for (size_t i = 0; i < group->columnCount; i++) {
		double value = mergeResult(&group->columns[i]);

		frameValues(&frame, i, 0, &value, 1);
	}
	frameEnd(client, &frame);
	mergeBegin(group);
	return true;
}

/* Take readings until there is one to be sent; returns how many were taken. */
static size_t mergeTake(struct ptStream *stream, struct ptStreamGroup *group,
			const struct ptRun *run)
{
	size_t count = (size_t)(group->every - group->mergedCount);
	double room[BATCH];
	struct part part;

	if (count > run->count)
		count = run->count;
	/* A gap ends what is being collected. */
	for (size_t i = 0; i < count; i++) {
		if (!(run->readings[i].marks & PT_WIRE_GAP) ||
		    (i == 0 && group->mergedCount == 0))
			continue;
		count = i;
		break;
	}
	for (size_t i = 0; i < count; i++)
		mergeAdd(group, &run->readings[i]);
	streamSendPartOf(stream, group, run, count, &part);
	for (size_t i = 0; i < group->columnCount; i++) {
		const double *values = streamSendValuesOf(
			group, &group->columns[i], run, count, room);

		totalAdd(&group->columns[i], run, values, count, &part);
		for (size_t j = 0; j < count; j++)
			mergeValue(&group->columns[i], values[j],
				   run->readings[j].length);
	}
	return count;
}

static void sendLoss(struct ptClient *client, const struct ptStream *stream,
		     size_t index, uint64_t readings, int64_t toWall)
{
	struct ptStreamGroup *group = &stream->groups[index];
	const struct ptWireLoss loss = {
		.stream = stream->number,
		.group = (uint16_t)index,
		.why = (uint16_t)ptSetMissing(&group->set),
		.readings = readings,
		.fromWall = group->lastWall,
		.toWall = toWall,
	};

	group->total.dropped += readings;
	ptNativeSend(client, PT_WIRE_LOSS, 0, &loss);
}

static void sendEvents(struct ptClient *client, const struct ptStream *stream,
		       size_t index)
{
	struct ptStreamGroup *group = &stream->groups[index];
	struct ptHealth health;
	struct ptWireEvent event = { .stream = stream->number,
				     .group = (uint16_t)index };

	ptServedHealth(group->served, &health);
	if (health.changes == group->changes ||
	    health.changeMono <= stream->startMono)
		return;
	group->changes = health.changes;
	event.what = health.isUp ? 2 : 1;
	event.wall = health.changeWall;
	event.mono = health.changeMono;
	ptNativeSend(client, PT_WIRE_EVENT, 0, &event);
}

/* Send what a run has; returns whether anything was sent or taken. */
static bool sendRun(struct ptClient *client, struct ptStream *stream,
		    size_t index, struct ptRun *run, size_t fit)
{
	struct ptStreamGroup *group = &stream->groups[index];
	size_t count;

	if (group->every == 1) {
		count = run->count < fit ? run->count : fit;
		count = sendPlain(client, stream, index, run, count);
	} else {
		count = mergeTake(stream, group, run);
		if ((count == 0 || group->mergedCount == group->every) &&
		    !sendMerged(client, stream, index))
			return false;
	}
	if (count > 0)
		group->lastWall = run->readings[count - 1].wall;
	group->next = run->number + count;
	ptSetRelease(&group->set, group->next);
	return true;
}

/* The last of a recording: what was collected, and what is missing. */
static bool sendRest(struct ptClient *client, struct ptStream *stream,
		     size_t index)
{
	struct ptStreamGroup *group = &stream->groups[index];
	struct ptSet *set = &group->set;

	if (group->mergedCount > 0)
		return sendMerged(client, stream, index);
	group->isOver = true;
	if (ptSetMissing(set) == PT_MISSING_NOTHING || set->end <= group->next)
		return false;
	sendLoss(client, stream, index, set->end - group->next,
		 stream->stopWall);
	return true;
}

bool ptStreamSend(struct ptClient *client, struct ptStream *stream,
		  size_t index)
{
	struct ptStreamGroup *group = &stream->groups[index];
	size_t fit = frameFit(client, group);
	struct ptRun run;

	if (fit == 0 || group->isOver)
		return false;
	sendEvents(client, stream, index);
	if (!ptSetFind(&group->set, group->next, &run)) {
		/* The next reading may be in a segment that comes. */
		if (stream->state == PT_STREAM_ENDING)
			return sendRest(client, stream, index);
		return false;
	}
	/* Readings that ended before the start may have come after it. */
	if (!group->hasNext && ptSetMissing(&group->set) == PT_MISSING_NOTHING)
		group->next = run.number;
	group->hasNext = true;
	if (run.number > group->next) {
		if (group->mergedCount > 0)
			return sendMerged(client, stream, index);
		sendLoss(client, stream, index, run.number - group->next,
			 run.readings[0].wall - run.readings[0].length);
		group->next = run.number;
		return true;
	}
	return sendRun(client, stream, index, &run, fit);
}

static void totalsOfGroup(struct ptClient *client, struct ptStream *stream,
			  size_t index)
{
	struct ptStreamGroup *group = &stream->groups[index];
	size_t size = HD_FRAME_HEADER_SIZE + 64 +
		      group->columnCount * PT_WIRE_COLUMN_TOTAL_SIZE;
	unsigned char *totals =
		malloc(group->columnCount * PT_WIRE_COLUMN_TOTAL_SIZE);
	unsigned char *room = hdConnectionRoom(&client->connection, size);

	if (totals && room) {
		for (size_t i = 0; i < group->columnCount; i++)
			ptWirePutColumnTotal(
				&group->columns[i].total,
				totals + i * PT_WIRE_COLUMN_TOTAL_SIZE);
		group->total.stream = stream->number;
		group->total.group = (uint16_t)index;
		group->total.columns = (uint16_t)group->columnCount;
		group->total.totals = (struct hdFieldRest){
			totals, group->columnCount * PT_WIRE_COLUMN_TOTAL_SIZE
		};
		ptNativePut(client, PT_WIRE_TOTAL, 0, &group->total, room,
			    size);
	}
	free(totals);
}

void ptStreamTotals(struct ptClient *client, struct ptStream *stream,
		    uint16_t why)
{
	const struct ptWireEnd end = {
		.stream = stream->number,
		.why = why,
		.wall = stream->stopWall,
		.mono = stream->stopMono,
	};

	for (size_t i = 0; i < stream->groupCount; i++)
		totalsOfGroup(client, stream, i);
	ptNativeSend(client, PT_WIRE_END, 0, &end);
}
