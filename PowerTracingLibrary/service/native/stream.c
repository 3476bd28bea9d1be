/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams of our own protocol; see stream.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/service/native/stream.h"
#include "PowerTracingLibrary/service/shares.h"
#include "common/clock.h"

#define NS_PER_MS INT64_C(1000000)

/* How long readings wait for others: what is usual, and what is allowed. */
#define DELAY_USUAL_MS 100
#define DELAY_MIN_MS 5
#define DELAY_MAX_MS 60000
/* How often is looked whether the last readings have come. */
#define WAIT_NS (2 * NS_PER_MS)

/* ---- Life -------------------------------------------------------------- */

void ptStreamFree(struct ptStream *stream)
{
	if (!stream)
		return;
	for (size_t i = 0; i < stream->groupCount; i++) {
		struct ptStreamGroup *group = &stream->groups[i];

		ptSetClear(&group->set);
		for (size_t j = 0; j < group->columnCount; j++) {
			free(group->columns[j].lines);
			free(group->columns[j].values);
		}
		free(group->columns);
		free(group->wanted);
	}
	free(stream->groups);
	free(stream);
}

static struct ptStream **streamFind(struct ptClient *client, uint32_t number)
{
	struct ptStream **link = &ptNativeOf(client)->streams;

	while (*link && (*link)->number != number)
		link = &(*link)->next;
	return link;
}

static void streamRemove(struct ptClient *client, struct ptStream **link)
{
	struct ptStream *stream = *link;

	*link = stream->next;
	ptStreamFree(stream);
	ptNativeOf(client)->streamCount--;
	ptShareUncount(client);
}

void ptStreamsDestroy(struct ptClient *client)
{
	while (ptNativeOf(client)->streams)
		streamRemove(client, &ptNativeOf(client)->streams);
}

bool ptStreamsAreBusy(const struct ptClient *client)
{
	for (const struct ptStream *s = ptNativeOf(client)->streams; s;
	     s = s->next)
		if (s->state != PT_STREAM_IDLE)
			return true;
	return false;
}

bool ptStreamsAreEnding(const struct ptClient *client)
{
	for (const struct ptStream *s = ptNativeOf(client)->streams; s;
	     s = s->next)
		if (s->state == PT_STREAM_ENDING)
			return true;
	return false;
}

/* ---- Opening ----------------------------------------------------------- */

static void streamTellColumn(struct ptClient *client, uint16_t tag,
			     const struct ptStream *stream, size_t index,
			     size_t number)
{
	const struct ptStreamGroup *group = &stream->groups[index];
	const struct ptStreamColumn *column = &group->columns[number];
	const struct ptSiteLine *line =
		&ptServedSite(group->served)->lines[column->lines[0]];
	const struct ptSiteValue *value = &line->values[column->values[0]];
	struct ptServedColumn known;
	struct ptWireColumn message = {
		.stream = stream->number,
		.group = (uint16_t)index,
		.column = (uint16_t)number,
		.node = hdFieldTextOf(line->node),
		.line = hdFieldTextOf(column->count == 1 ? line->name : ""),
		.lines = (uint16_t)column->count,
		.value = hdFieldTextOf(value->quantity->name),
		.unit = hdFieldTextOf(value->quantity->unit),
		.grouping = hdFieldTextOf(value->quantity->grouping),
		.kind = (uint8_t)value->kind,
	};

	ptServedColumnGet(group->served, value->column, &known);
	message.flags = known.isSimulated ? PT_WIRE_SIMULATED : 0;
	message.source = hdFieldTextOf(known.source);
	message.resolution = hdFieldTextOf(known.resolution);
	ptNativeSend(client, PT_WIRE_COLUMN, tag, &message);
}

static void streamTell(struct ptClient *client, uint16_t tag,
		       const struct ptStream *stream)
{
	struct ptWireOpened opened = {
		.stream = stream->number,
		.groups = (uint16_t)stream->groupCount,
	};

	for (size_t i = 0; i < stream->groupCount; i++)
		opened.columns = (uint16_t)(opened.columns +
					    stream->groups[i].columnCount);
	ptNativeSend(client, PT_WIRE_OPENED, tag, &opened);
	for (size_t i = 0; i < stream->groupCount; i++) {
		struct ptStreamGroup *group = &stream->groups[i];
		const struct ptWireGroup message = {
			.stream = stream->number,
			.group = (uint16_t)i,
			.columns = (uint16_t)group->columnCount,
			.device = hdFieldTextOf(
				ptServedSite(group->served)->name),
			.every = (uint32_t)group->every,
			.intervalNs = ptServedCycle(group->served) *
				      (int64_t)group->every,
		};

		ptNativeSend(client, PT_WIRE_GROUP, tag, &message);
		for (size_t j = 0; j < group->columnCount; j++)
			streamTellColumn(client, tag, stream, i, j);
	}
}

static int64_t streamDelay(uint32_t ms)
{
	if (ms == 0)
		ms = DELAY_USUAL_MS;
	else if (ms < DELAY_MIN_MS)
		ms = DELAY_MIN_MS;
	else if (ms > DELAY_MAX_MS)
		ms = DELAY_MAX_MS;
	return ms * NS_PER_MS;
}

/* Why one more stream is too many, or NULL. */
static const char *streamLimit(struct ptClient *client)
{
	if (ptNativeOf(client)->streamCount >= PT_NATIVE_STREAMS_MAX)
		return "too many streams of this client";
	return ptShareCount(client);
}

void ptStreamOpen(struct ptClient *client, uint16_t tag,
		  const struct ptWireOpen *open)
{
	struct ptNative *session = ptNativeOf(client);
	struct ptStream *stream;
	const char *limit = streamLimit(client);
	char why[250] = "out of memory";
	int ret = HD_FRAME_EMEMORY;

	if (limit) {
		ptNativeFail(client, tag, HD_FRAME_ELIMIT, "%s", limit);
		return;
	}
	stream = calloc(1, sizeof(*stream));
	if (stream)
		ret = ptStreamSelect(client, stream, open, why, sizeof(why));
	if (ret != 0) {
		ptStreamFree(stream);
		ptShareUncount(client);
		ptNativeFail(client, tag, (enum hdFrameError)ret, "%s", why);
		client->connection.isOver = ret == HD_FRAME_EMALFORMED;
		return;
	}
	stream->number = ++session->lastStream;
	stream->keeps = open->flags & PT_WIRE_KEEP;
	stream->delayNs = streamDelay(open->delayMs);
	stream->next = session->streams;
	session->streams = stream;
	session->streamCount++;
	streamTell(client, tag, stream);
}

/* ---- Recording --------------------------------------------------------- */

/* Forget the recording before. */
static void groupReset(struct ptClient *client, struct ptStreamGroup *group)
{
	struct ptHealth health;

	ptSetClear(&group->set);
	group->set = (struct ptSet){
		.account = &client->account,
		.columns = group->wanted,
		.columnCount = group->wantedCount,
		.dropsOldest = true,
	};
	ptServedHealth(group->served, &health);
	group->changes = health.changes;
	group->total = (struct ptWireTotal){ 0 };
	group->merged = (struct ptStored){ 0 };
	group->mergedCount = 0;
	group->isOver = group->hasNext = false;
	for (size_t i = 0; i < group->columnCount; i++) {
		struct ptStreamColumn *column = &group->columns[i];

		column->sum = column->weight = 0;
		column->hasFirst = false;
		column->total =
			(struct ptWireColumnTotal){ .min = NAN, .max = NAN };
	}
}

static int streamBegin(struct ptClient *client, struct ptStream *stream)
{
	int ret = 0;

	stream->startWall = hdClockNow();
	stream->startMono = hdMonotonicNow();
	for (size_t i = 0; ret == 0 && i < stream->groupCount; i++) {
		struct ptStreamGroup *group = &stream->groups[i];

		groupReset(client, group);
		ret = ptSetStart(&group->set, ptServedStore(group->served),
				 stream->startWall, stream->startMono);
		group->next = group->set.begin;
		group->lastWall = stream->startWall;
	}
	for (size_t i = 0; ret < 0 && i < stream->groupCount; i++)
		ptSetClear(&stream->groups[i].set);
	return ret;
}

/* Find a stream for a request, or say that there is none. */
static struct ptStream *streamFor(struct ptClient *client, uint16_t tag,
				  uint32_t number)
{
	struct ptStream *stream = *streamFind(client, number);

	if (!stream)
		ptNativeFail(client, tag, HD_FRAME_ESTREAM,
			     "unknown stream %lu", (unsigned long)number);
	return stream;
}

void ptStreamStart(struct ptClient *client, uint16_t tag, uint32_t number)
{
	struct ptStream *stream = streamFor(client, tag, number);
	struct ptWireMoment moment = { .stream = number };
	int ret;

	if (!stream)
		return;
	if (stream->state != PT_STREAM_IDLE) {
		ptNativeFail(client, tag, HD_FRAME_ESTATE,
			     "stream %lu is already recording",
			     (unsigned long)number);
		return;
	}
	ret = streamBegin(client, stream);
	if (ret < 0) {
		ptNativeFail(client, tag,
			     ret == -EDQUOT ? HD_FRAME_ELIMIT
					    : HD_FRAME_EMEMORY,
			     "out of memory for the readings of a stream");
		return;
	}
	stream->state = PT_STREAM_RECORDING;
	stream->dueNs = stream->keeps ? 0 : stream->startMono + stream->delayNs;
	if (stream->dueNs)
		ptClientDue(client,
			    client->dueNs && client->dueNs < stream->dueNs
				    ? client->dueNs
				    : stream->dueNs);
	moment.wall = stream->startWall;
	moment.mono = stream->startMono;
	ptNativeSend(client, PT_WIRE_STARTED, tag, &moment);
}

void ptStreamStop(struct ptClient *client, uint16_t tag, uint32_t number)
{
	struct ptStream *stream = streamFor(client, tag, number);
	struct ptWireMoment moment = { .stream = number };

	if (!stream)
		return;
	if (stream->state != PT_STREAM_RECORDING) {
		ptNativeFail(client, tag, HD_FRAME_ESTATE,
			     "stream %lu is not recording",
			     (unsigned long)number);
		return;
	}
	moment.wall = stream->stopWall = hdClockNow();
	moment.mono = stream->stopMono = hdMonotonicNow();
	for (size_t i = 0; i < stream->groupCount; i++)
		ptSetStop(&stream->groups[i].set, stream->stopWall,
			  stream->stopMono);
	stream->state = PT_STREAM_ENDING;
	stream->dueNs = stream->stopMono;
	ptNativeSend(client, PT_WIRE_STOPPED, tag, &moment);
	ptClientDue(client, stream->dueNs);
}

void ptStreamClose(struct ptClient *client, uint16_t tag, uint32_t number)
{
	const struct ptWireStream closed = { number };

	if (!streamFor(client, tag, number))
		return;
	streamRemove(client, streamFind(client, number));
	ptNativeSend(client, PT_WIRE_CLOSED, tag, &closed);
}

/* ---- Sending ----------------------------------------------------------- */

/* Whether all readings of a recording that was stopped are there. */
static bool streamIsComplete(struct ptStream *stream, int64_t nowNs)
{
	bool is = true;

	for (size_t i = 0; i < stream->groupCount; i++) {
		struct ptStreamGroup *group = &stream->groups[i];
		struct ptHealth health;

		ptServedHealth(group->served, &health);
		if (!ptSetIsComplete(&group->set, nowNs, health.isUp))
			is = false;
	}
	return is;
}

void ptStreamsDue(struct ptClient *client, int64_t nowNs)
{
	int64_t next = 0;

	for (struct ptStream *s = ptNativeOf(client)->streams; s; s = s->next) {
		if (s->dueNs && s->dueNs <= nowNs) {
			s->dueNs = 0;
			if (s->state == PT_STREAM_RECORDING)
				s->dueNs = nowNs + s->delayNs;
			else if (!streamIsComplete(s, nowNs))
				s->dueNs = nowNs + WAIT_NS;
			s->isDue = s->state == PT_STREAM_RECORDING || !s->dueNs;
		}
		if (s->dueNs && (next == 0 || s->dueNs < next))
			next = s->dueNs;
	}
	if (next)
		ptClientDue(client, next);
}

/* Send of one stream; true if it did. */
static bool streamFill(struct ptClient *client, struct ptStream *stream)
{
	bool isOver = true;

	for (size_t i = 0; i < stream->groupCount; i++) {
		if (ptStreamSend(client, stream, i))
			return true;
		isOver = isOver && stream->groups[i].isOver;
	}
	/* Without room it goes on when there is some. */
	if (hdConnectionLeft(&client->connection) < PT_CLIENT_OUT / 2)
		return false;
	stream->isDue = false;
	if (stream->state != PT_STREAM_ENDING || !isOver)
		return false;
	ptStreamTotals(client, stream, 1);
	stream->state = PT_STREAM_IDLE;
	for (size_t i = 0; i < stream->groupCount; i++)
		ptSetClear(&stream->groups[i].set);
	return true;
}

bool ptStreamsFill(struct ptClient *client)
{
	const struct ptNative *session = ptNativeOf(client);

	for (struct ptStream *s = session ? session->streams : NULL; s;
	     s = s->next)
		if (s->isDue && !client->connection.isDead &&
		    streamFill(client, s))
			return true;
	return false;
}

/* Whether a stream has to do with a device, or with nodes that the client may
 * not see. */
static bool streamIsLost(const struct ptClient *client,
			 const struct ptStream *stream,
			 const struct ptServed *served)
{
	for (size_t i = 0; i < stream->groupCount; i++) {
		const struct ptStreamGroup *group = &stream->groups[i];
		const struct ptSiteLine *lines =
			ptServedSite(group->served)->lines;

		if (group->served == served)
			return true;
		for (size_t j = 0; !served && j < group->columnCount; j++)
			for (size_t k = 0; k < group->columns[j].count; k++)
				if (!ptClientSees(
					    client,
					    lines[group->columns[j].lines[k]]
						    .node))
					return true;
	}
	return false;
}

/* End a stream that the client does not end itself. */
static void streamEnd(struct ptClient *client, struct ptStream **link,
		      uint16_t why)
{
	struct ptStream *stream = *link;

	if (stream->state == PT_STREAM_RECORDING) {
		stream->stopWall = hdClockNow();
		stream->stopMono = hdMonotonicNow();
	}
	if (stream->state != PT_STREAM_IDLE)
		ptStreamTotals(client, stream, why);
	streamRemove(client, link);
}

void ptStreamsEnd(struct ptClient *client, const struct ptServed *served)
{
	struct ptStream **link = &ptNativeOf(client)->streams;

	while (*link) {
		if (streamIsLost(client, *link, served))
			streamEnd(client, link, 3);
		else
			link = &(*link)->next;
	}
}

void ptStreamsEndAll(struct ptClient *client, uint16_t why)
{
	while (ptNativeOf(client)->streams)
		streamEnd(client, &ptNativeOf(client)->streams, why);
}
