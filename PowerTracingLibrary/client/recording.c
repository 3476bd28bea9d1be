/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The frames of a stream; see recording.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "PowerTracingLibrary/client/recording.h"
#include "PowerTracingLibrary/src/core/ptlog.h"
#include "common/clock.h"

static int nonsense(struct ptRecorder *recorder)
{
	ptMessage(HD_LOG_ERROR, "%s: invalid stream of a power service",
		  ptRemoteName(recorder->remote));
	return -EPROTO;
}

/* ---- What there is ----------------------------------------------------- */

static void clearGroups(struct ptRecorderGroup *groups, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < groups[i].count; k++) {
			struct ptRecorderColumn *column = &groups[i].columns[k];

			g_free(column->node);
			g_free(column->value);
			g_free(column->line);
			g_free(column->unit);
			g_free(column->grouping);
			g_free(column->source);
			g_free(column->resolution);
		}
		g_free(groups[i].columns);
		g_free(groups[i].device);
	}
	g_free(groups);
}

static void clearServed(struct ptRecorder *recorder)
{
	for (size_t i = 0; i < recorder->servedCount; i++)
		g_free(recorder->served[i].column);
	g_free(recorder->served);
	recorder->served = NULL;
	recorder->servedCount = 0;
}

void ptRecordingClear(struct ptRecorder *recorder)
{
	clearServed(recorder);
	clearGroups(recorder->groups, recorder->groupCount);
	g_free(recorder->states);
	g_free(recorder->values);
}

static int recordingParseColumn(struct ptRecorder *recorder, uint16_t tag,
				struct ptRecorderGroup *group, size_t number)
{
	struct ptRecorderColumn *column = &group->columns[number];
	struct ptWireColumn from;
	int ret = ptRemoteAnswer(recorder->remote, tag, PT_WIRE_COLUMN, &from,
				 NULL);

	if (ret < 0)
		return ret;
	if (from.column != number)
		return nonsense(recorder);
	column->node = ptRemoteText(from.node);
	column->value = ptRemoteText(from.value);
	column->line = ptRemoteText(from.line);
	column->unit = ptRemoteText(from.unit);
	column->grouping = ptRemoteText(from.grouping);
	column->source = ptRemoteText(from.source);
	column->resolution = ptRemoteText(from.resolution);
	column->lines = from.lines;
	column->kind = (enum ptWireKind)from.kind;
	column->isSimulated = from.flags & PT_WIRE_SIMULATED;
	return 0;
}

/* Take a group, which has no more columns than are left of all. */
static int recordingParseGroup(struct ptRecorder *recorder, uint16_t tag,
			       struct ptRecorderGroup *group, size_t number,
			       size_t *left)
{
	struct ptWireGroup from;
	int ret = ptRemoteAnswer(recorder->remote, tag, PT_WIRE_GROUP, &from,
				 NULL);

	if (ret < 0)
		return ret;
	if (from.group != number || from.columns > *left)
		return nonsense(recorder);
	*left -= from.columns;
	group->device = ptRemoteText(from.device);
	group->every = from.every;
	group->intervalNs = from.intervalNs;
	group->columns = g_new0(struct ptRecorderColumn, from.columns);
	for (size_t i = 0; ret == 0 && i < from.columns; i++) {
		group->count++;
		ret = recordingParseColumn(recorder, tag, group, i);
	}
	return ret;
}

/* Encode what is wanted. */
static int sendOpen(struct ptRecorder *recorder, uint16_t *tag)
{
	const struct ptRecorderSetup *setup = recorder->setup;
	struct ptWireOpen open = {
		.flags = setup->isByLine ? PT_WIRE_LINES : 0,
		.frequency = setup->frequency,
		.delayMs = setup->delayMs,
		.count = (uint16_t)setup->selectionCount,
	};
	size_t room = setup->selectionCount * 4 * (2 + HD_FIELD_TEXT_MAX),
	       used = 0;
	unsigned char *bytes = g_malloc(room);
	int ret;

	for (size_t i = 0; i < setup->selectionCount; i++) {
		const struct ptWireSelection selection = {
			.device = hdFieldTextOf(setup->selections[i].device),
			.node = hdFieldTextOf(setup->selections[i].node),
			.line = hdFieldTextOf(setup->selections[i].line),
			.value = hdFieldTextOf(setup->selections[i].value),
		};

		used += ptWirePutSelection(&selection, bytes + used,
					   room - used);
	}
	open.selections = (struct hdFieldRest){ bytes, used };
	ret = ptRemoteSend(recorder->remote, PT_WIRE_OPEN, &open, tag);
	g_free(bytes);
	return ret;
}

/* ---- The same again ---------------------------------------------------- */

static bool isSameColumn(const struct ptRecorderColumn *a,
			 const struct ptRecorderColumn *b)
{
	return strcmp(a->node, b->node) == 0 &&
	       strcmp(a->value, b->value) == 0 &&
	       strcmp(a->line, b->line) == 0 && a->kind == b->kind &&
	       strcmp(a->unit, b->unit) == 0;
}

/* Find what a group of the server is, and its columns. */
static void recordingFindGroup(const struct ptRecorder *recorder,
			       const struct ptRecorderGroup *group,
			       struct ptRecordingGroup *served)
{
	const struct ptRecorderGroup *own = NULL;

	served->group = SIZE_MAX;
	served->count = group->count;
	served->column = g_new(size_t, group->count);
	for (size_t i = 0; !own && i < recorder->groupCount; i++) {
		if (strcmp(recorder->groups[i].device, group->device) != 0)
			continue;
		own = &recorder->groups[i];
		served->group = i;
	}
	for (size_t i = 0; i < group->count; i++) {
		served->column[i] = SIZE_MAX;
		for (size_t k = 0; own && k < own->count; k++)
			if (isSameColumn(&own->columns[k], &group->columns[i]))
				served->column[i] = k;
	}
}

/* What is opened first is what there is. */
static int keepGroups(struct ptRecorder *recorder,
		      struct ptRecorderGroup *groups, size_t count)
{
	const struct ptRecorderCalls *calls = recorder->calls;
	size_t widest = 1;
	bool isQuiet;
	int ret;

	recorder->groups = groups;
	recorder->groupCount = count;
	recorder->states = g_new0(struct ptRecordingState, count);
	for (size_t i = 0; i < count; i++)
		widest = MAX(widest, groups[i].count);
	recorder->values = g_new(double, widest);
	recorder->isOpened = true;
	if (!calls->opened)
		return 0;
	/* What is wrong here was not said before. */
	isQuiet = hdLogIsQuiet;
	hdLogIsQuiet = false;
	ret = calls->opened(recorder->context, groups, count,
			    ptRemoteGetClock(recorder->remote));
	hdLogIsQuiet = isQuiet;
	recorder->hasFailed = ret < 0;
	return ret;
}

int ptRecordingOpen(struct ptRecorder *recorder)
{
	struct ptRecorderGroup *groups = NULL;
	struct ptWireOpened opened = { 0 };
	size_t count = 0, left;
	uint16_t tag;
	int ret = sendOpen(recorder, &tag);

	if (ret == 0)
		ret = ptRemoteAnswer(recorder->remote, tag, PT_WIRE_OPENED,
				     &opened, NULL);
	left = opened.columns;
	recorder->stream = opened.stream;
	groups = g_new0(struct ptRecorderGroup, opened.groups);
	for (size_t i = 0; ret == 0 && i < opened.groups; i++) {
		count++;
		ret = recordingParseGroup(recorder, tag, &groups[i], i, &left);
	}
	if (ret == 0 && !recorder->isOpened) {
		ret = keepGroups(recorder, groups, count);
		groups = NULL;
	}
	if (ret == 0) {
		const struct ptRecorderGroup *known =
			groups ? groups : recorder->groups;

		clearServed(recorder);
		recorder->served = g_new0(struct ptRecordingGroup, count);
		recorder->servedCount = count;
		for (size_t i = 0; i < count; i++)
			recordingFindGroup(recorder, &known[i],
					   &recorder->served[i]);
	}
	if (groups)
		clearGroups(groups, count);
	return ret;
}

int ptRecordingStart(struct ptRecorder *recorder)
{
	const struct ptWireStream stream = { .stream = recorder->stream };
	struct ptWireMoment started;
	uint16_t tag;
	int ret = ptRemoteSend(recorder->remote, PT_WIRE_START, &stream, &tag);

	if (ret == 0)
		ret = ptRemoteAnswer(recorder->remote, tag, PT_WIRE_STARTED,
				     &started, NULL);
	if (ret < 0)
		return ret;
	recorder->isStarted = true;
	for (size_t i = 0; i < recorder->groupCount; i++)
		recorder->states[i].isUp = true;
	return 0;
}

/* ---- Readings ---------------------------------------------------------- */

void ptRecordingGap(struct ptRecorder *recorder, size_t group)
{
	if (recorder->calls->gap)
		recorder->calls->gap(recorder->context, group);
}

/* Find a group that the server names; tells whether it has. */
static bool findServed(const struct ptRecorder *recorder, uint32_t stream,
		       uint16_t group)
{
	return stream == recorder->stream && group < recorder->servedCount;
}

static void recordingAddReading(struct ptRecorder *recorder,
				const struct ptRecordingGroup *served,
				const struct ptWireView *view, size_t count,
				size_t at)
{
	struct ptRecorderGroup *group = &recorder->groups[served->group];
	struct ptRecorderReading reading = {
		.endNs = ptRemoteClockLocal(
			ptRemoteGetClock(recorder->remote),
			(int64_t)ptWireGet64(view->mono, at)),
		.lengthNs = (int64_t)ptWireGet64(view->length, at),
		.lost = ptWireGet32(view->lost, at),
		.hasGap = ptWireGet32(view->marks, at) & PT_WIRE_GAP,
		.values = recorder->values,
	};

	for (size_t i = 0; i < group->count; i++)
		recorder->values[i] = NAN;
	for (size_t i = 0; i < served->count; i++)
		if (served->column[i] != SIZE_MAX)
			recorder->values[served->column[i]] =
				ptWireGetDouble(view->values, i * count + at);
	/* Nothing began before 1970. */
	reading.lengthNs = MIN(reading.lengthNs, reading.endNs);
	group->readings++;
	group->lost += reading.lost;
	recorder->states[served->group].endNs = reading.endNs;
	if (recorder->calls->add)
		recorder->calls->add(recorder->context, served->group,
				     &reading);
}

static int takeData(struct ptRecorder *recorder, const struct ptWireData *data)
{
	const struct ptRecordingGroup *served;
	struct ptWireView view;

	if (!findServed(recorder, data->stream, data->group))
		return nonsense(recorder);
	served = &recorder->served[data->group];
	if (data->columns != served->count || ptWireViewData(data, &view) < 0)
		return nonsense(recorder);
	for (size_t i = 0; served->group != SIZE_MAX && i < data->count; i++)
		recordingAddReading(recorder, served, &view, data->count, i);
	return 0;
}

static int takeLoss(struct ptRecorder *recorder, const struct ptWireLoss *loss)
{
	struct ptRecorderGroup *group;
	size_t number;

	if (!findServed(recorder, loss->stream, loss->group))
		return nonsense(recorder);
	number = recorder->served[loss->group].group;
	if (number == SIZE_MAX)
		return 0;
	group = &recorder->groups[number];
	if (group->dropped == 0)
		ptMessage(HD_LOG_WARNING, "%s: dropped readings of %s: %s",
			  ptRemoteName(recorder->remote), group->device,
			  loss->why == 1 ? "this host is too slow"
					 : "the service is out of memory");
	group->dropped += loss->readings;
	ptRecordingGap(recorder, number);
	return 0;
}

static int recordingAddEvent(struct ptRecorder *recorder,
			     const struct ptWireEvent *event)
{
	bool isUp = event->what == 2;
	size_t number;

	if (!findServed(recorder, event->stream, event->group))
		return nonsense(recorder);
	number = recorder->served[event->group].group;
	if (number == SIZE_MAX)
		return 0;
	ptMessage(HD_LOG_WARNING, "%s: device %s is %s",
		  ptRemoteName(recorder->remote),
		  recorder->groups[number].device, isUp ? "back" : "lost");
	recorder->states[number].isUp = isUp;
	if (!isUp)
		ptRecordingGap(recorder, number);
	if (recorder->calls->changed)
		recorder->calls->changed(recorder->context, number, isUp);
	return 0;
}

/* The end; only that of a stop is expected. */
static int recordingAddEnd(struct ptRecorder *recorder,
			   const struct ptWireEnd *end)
{
	static const char *const reasons[] = {
		[2] = "the service ends",
		[3] = "the device was removed, or access to it was revoked",
		[4] = "the service is out of memory",
	};

	if (end->stream != recorder->stream)
		return nonsense(recorder);
	recorder->isStarted = false;
	if (end->why == 1)
		return 0;
	ptMessage(HD_LOG_ERROR, "%s: %s", ptRemoteName(recorder->remote),
		  reasons[end->why]);
	return -ECONNRESET;
}

int ptRecordingTake(struct ptRecorder *recorder,
		    const struct ptRemoteFrame *frame)
{
	union ptWireAnswer message;
	int ret;

	if (frame->header.type == PT_WIRE_ERROR) {
		ret = ptRemoteRefused(recorder->remote, frame);
		return ret;
	}
	/* Later versions may send more than we know. */
	if (frame->header.type < PT_WIRE_AUTHENTICATED ||
	    frame->header.type > PT_WIRE_END)
		return frame->header.tag == 0 ? 0 : nonsense(recorder);
	ret = ptRemoteDecode(recorder->remote, frame, &message);
	if (ret < 0)
		return ret;
	switch (frame->header.type) {
	case PT_WIRE_DATA:
		return takeData(recorder, &message.data);
	case PT_WIRE_LOSS:
		return takeLoss(recorder, &message.loss);
	case PT_WIRE_EVENT:
		return recordingAddEvent(recorder, &message.event);
	case PT_WIRE_END:
		return recordingAddEnd(recorder, &message.end);
	case PT_WIRE_STOPPED:
	case PT_WIRE_TOTAL:
		return 0;
	default:
		return nonsense(recorder);
	}
}

void ptRecordingStop(struct ptRecorder *recorder)
{
	const struct ptWireStream stream = { .stream = recorder->stream };
	int64_t deadline = hdMonotonicNow() + PT_REMOTE_PATIENCE_NS;
	int ret;

	if (!recorder->isStarted)
		return;
	/* Nothing more is waited for but this. */
	ptRemoteSetWake(recorder->remote, -1);
	ret = ptRemoteSend(recorder->remote, PT_WIRE_STOP, &stream, NULL);
	while (ret == 0 && recorder->isStarted) {
		struct ptRemoteFrame frame;

		ret = ptRemoteReceive(recorder->remote, deadline, &frame);
		if (ret == 0)
			ret = ptRecordingTake(recorder, &frame);
		/* Who never ends what he says is not waited for, either. */
		if (ret == 0 && hdMonotonicNow() >= deadline)
			ret = -ETIMEDOUT;
	}
	if (ret == -ETIMEDOUT)
		ptMessage(HD_LOG_ERROR, "%s: no end of the stream",
			  ptRemoteName(recorder->remote));
}
