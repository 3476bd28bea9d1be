/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Meters that send frames; see frames.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/src/core/ptlog.h"
#include "PowerTracingLibrary/src/meter/frames.h"
#include "PowerTracingLibrary/src/core/now.h"
#include "common/clock.h"

#define MS INT64_C(1000000)

/* What there is room for beside frames: what comes while this host is busy. */
#define ROOM 32768
/* What there must be room for when something is read. */
#define CHUNK 4096
/* So many times in a row without a word, and the meter is taken for gone. */
#define SILENT_MAX 3
/* Adapters and a busy host make frames late, but hardly by more. */
#define LATE_NS (250 * MS)
/* The cycle is measured when so many frames came one after the other, and twice
 * as many, and so on, until it is begun anew. */
#define RUN_MIN (4 * PT_FRAMES_EDGE)
#define RUN_MAX 4096
/* By so many it is known to a hundredth, whatever makes frames late. */
#define RUN_KNOWN 256
/* So many frames tell what all frames are late at the least. */
#define LEVEL_COUNT 32
/* It is another one than was known from so many millionths on. */
#define RATE_PPM 20000

int ptFramesInit(struct ptFrames *stream, struct ptDevice *dev,
		 const struct ptFraming *framing, const void *format,
		 int64_t byteNs, int64_t cycleNs, enum ptFramesRate rate)
{
	memset(stream, 0, sizeof(*stream));
	stream->driver = dev->driver;
	stream->framing = framing;
	stream->format = format;
	stream->rate = rate;
	stream->cycleNs = cycleNs;
	stream->size = 2 * framing->frameMax + ROOM;
	stream->bytes = malloc(stream->size);
	if (!stream->bytes)
		return -ENOMEM;
	ptReceiverInit(&stream->receiver, dev->transport, dev->setup.wakeFd,
		       byteNs);
	return 0;
}

void ptFramesClear(struct ptFrames *stream)
{
	if (stream->damages > 0)
		ptMessage(HD_LOG_INFO, "%s: damaged bytes %llu times",
			  stream->driver->name,
			  (unsigned long long)stream->damages);
	free(stream->bytes);
	stream->bytes = NULL;
}

/* Forget the bytes that are not used yet. */
static void framesForget(struct ptFrames *stream)
{
	stream->position += stream->end - stream->begin;
	stream->begin = stream->end = 0;
	stream->isDamaged = stream->isLost = false;
	stream->frame.length = 0;
}

/* Note that the meter is gone if that is what @p ret says. */
static int noted(struct ptFrames *stream, int ret)
{
	if (ret < 0 && ret != -ETIMEDOUT && ret != -EINTR && ret != -EPROTO)
		stream->isGone = true;
	return ret;
}

void ptFramesSetFormat(struct ptFrames *stream, const void *format)
{
	stream->format = format;
	stream->usual = 0;
	framesForget(stream);
}

int ptFramesSend(struct ptFrames *stream, const void *bytes, size_t size,
		 int64_t deadlineNs)
{
	return noted(stream, ptTransportWrite(stream->receiver.transport, bytes,
					      size, deadlineNs));
}

int ptFramesQuiet(struct ptFrames *stream, int64_t deadlineNs)
{
	int ret = noted(stream, ptTransportQuiet(stream->receiver.transport,
						 deadlineNs));

	framesForget(stream);
	return ret;
}

/* ---- Frames ------------------------------------------------------------ */

static size_t pending(const struct ptFrames *stream)
{
	return stream->end - stream->begin;
}

static void framesSkip(struct ptFrames *stream, size_t length)
{
	stream->begin += length;
	stream->position += length;
}

/* Look for a frame in what is there: 1, or 0 if more is needed. */
static int findFrame(struct ptFrames *stream)
{
	const struct ptFraming *framing = stream->framing;
	struct ptFrame *frame = &stream->frame;

	/* The last one has been used. */
	framesSkip(stream, frame->length);
	frame->length = 0;
	while (pending(stream) > 0) {
		bool isDoubtful = framing->isAmbiguous &&
				  (stream->isDamaged || !stream->hasLast);
		const uint8_t *at = stream->bytes + stream->begin;
		size_t length = 0, next, count = pending(stream);
		const char *why = "";
		int ret =
			framing->find(stream->format, at, count, &length, &why);

		if (ret == 1 && isDoubtful) {
			ret = count > length ? framing->find(stream->format,
							     at + length,
							     count - length,
							     &next, &why)
					     : 0;
			/* If not, another frame may begin at the next byte. */
			if (ret < 0)
				length = 1;
		}
		if (ret == 0)
			return 0;
		if (ret == 1) {
			*frame = (struct ptFrame){
				.bytes = at,
				.length = length,
				.position = stream->position,
			};
			stream->usual = length;
			return 1;
		}
		if (ret != -EAGAIN && !stream->isDamaged) {
			stream->why = why;
			stream->isDamaged = true;
		}
		framesSkip(stream, length);
	}
	return 0;
}

/* Take what has come, at least a byte. */
static int framesReadBytes(struct ptFrames *stream, int64_t deadlineNs)
{
	ssize_t count;

	if (stream->size - stream->end < CHUNK && stream->begin > 0) {
		memmove(stream->bytes, stream->bytes + stream->begin,
			pending(stream));
		stream->end -= stream->begin;
		stream->begin = 0;
	}
	count = ptReceiverRead(&stream->receiver, stream->bytes + stream->end,
			       stream->size - stream->end, pending(stream),
			       stream->usual, deadlineNs);
	if (count < 0)
		return noted(stream, (int)count);
	stream->end += (size_t)count;
	return 0;
}

/* As ptFramesNext(), but what is no frame is told at once. */
static int nextOrDamage(struct ptFrames *stream, int64_t deadlineNs)
{
	for (;;) {
		int ret = findFrame(stream);

		if (ret == 1)
			return 0;
		if (stream->isDamaged && !stream->isLost)
			return -EPROTO;
		/* What is none may come without end. */
		if (stream->isDamaged && ptNow() > deadlineNs)
			return -ETIMEDOUT;
		ret = framesReadBytes(stream, deadlineNs);
		if (ret < 0)
			return ret;
	}
}

int ptFramesNext(struct ptFrames *stream, int64_t deadlineNs)
{
	int ret;

	do {
		ret = nextOrDamage(stream, deadlineNs);
		stream->isLost = ret == -EPROTO;
	} while (ret == -EPROTO);
	if (ret == 0)
		stream->isDamaged = stream->isLost = false;
	return ret;
}

/* ---- Beginning --------------------------------------------------------- */

/* Take all frames that have come already, to their last byte. */
static void skipFrames(struct ptFrames *stream)
{
	int64_t limitNs = ptNow() + HD_NS_PER_S;

	while (ptFramesNext(stream, ptNow()) == 0 && ptNow() < limitNs)
		;
}

void ptFramesStart(struct ptFrames *stream)
{
	if (stream->rate == PT_RATE_LOSSLESS) {
		skipFrames(stream);
	} else {
		ptTransportFlushInput(stream->receiver.transport);
		framesForget(stream);
	}
	ptPaceStart(&stream->pace, stream->cycleNs);
	stream->hasLast = false;
	stream->silent = 0;
	stream->rejected = 0;
	stream->run.count = stream->runBest = 0;
	stream->level = (struct ptFramesLevel){ 0 };
}

/* ---- Time -------------------------------------------------------------- */

/* The least of the last delays of a run. */
static int64_t framesLeastLate(const struct ptFramesRun *run)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < PT_FRAMES_EDGE; i++)
		if (run->lateNs[i] < least)
			least = run->lateNs[i];
	return least;
}

/*
 * Measure the cycle: by how much more the last frames of a run are late than
 * the first were. Of each some are looked at, and the one counts that was
 * delayed least. Where it lies among these depends on nothing but whether the
 * cycle is longer or shorter, so it is the same with both.
 */
static void framesMeasureCycle(struct ptFrames *stream, struct ptDevice *dev,
			       int64_t arrivedNs, bool isNext)
{
	struct ptFramesRun *run = &stream->run;
	int64_t cycleNs, knownNs = dev->found.cycleNs ? dev->found.cycleNs
						      : stream->cycleNs;

	if (!isNext || run->count == RUN_MAX)
		run->count = 0;
	if (run->count == 0) {
		run->beganNs = arrivedNs;
		run->cycleNs = stream->pace.cycleNs;
	}
	run->lateNs[run->count % PT_FRAMES_EDGE] =
		arrivedNs - run->beganNs - (int64_t)run->count * run->cycleNs;
	run->count++;
	if (run->count == PT_FRAMES_EDGE)
		run->firstNs = framesLeastLate(run);
	if (run->count < RUN_MIN || (run->count & (run->count - 1)) != 0)
		return;
	if (run->count < stream->runBest)
		return;
	stream->runBest = run->count;
	cycleNs = run->cycleNs + (framesLeastLate(run) - run->firstNs) /
					 (int64_t)(run->count - PT_FRAMES_EDGE);
	if (cycleNs < stream->cycleNs / 100)
		cycleNs = stream->cycleNs / 100;
	ptPaceSetCycle(&stream->pace, cycleNs);
	stream->level = (struct ptFramesLevel){ 0 };
	if (arrivedNs - run->beganNs >= HD_NS_PER_S &&
	    llabs(cycleNs - knownNs) > knownNs / 1000000.0 * RATE_PPM)
		dev->found.cycleNs = cycleNs;
}

/* Whether the cycle is known well enough to tell that a frame is missing. */
static bool isRateKnown(const struct ptFrames *stream)
{
	return stream->rate == PT_RATE_EXACT || stream->runBest >= RUN_KNOWN;
}

/*
 * Frames of fast meters are late by more than a cycle now and then; so that
 * some are missing shows only when all that follow are late, too.
 *
 * @return How many are missing.
 */
static uint64_t framesCountMissing(struct ptFrames *stream, int64_t sentNs)
{
	int64_t lateNs = sentNs - stream->pace.gridNs, moreNs;
	int64_t cycleNs = stream->pace.cycleNs;
	struct ptFramesLevel *level = &stream->level;
	uint64_t missed = 0;

	if (!isRateKnown(stream) || stream->rate == PT_RATE_LOSSLESS)
		return 0;
	if (level->count == 0 || lateNs < level->leastNs)
		level->leastNs = lateNs;
	if (++level->count < LEVEL_COUNT)
		return 0;
	moreNs = level->leastNs - level->beforeNs;
	if (level->hasBefore && moreNs > cycleNs * 3 / 4)
		missed = (uint64_t)((moreNs + cycleNs / 2) / cycleNs);
	level->beforeNs = level->leastNs;
	level->hasBefore = true;
	level->count = 0;
	/* By these the cycle must not be measured. */
	if (missed > 0)
		stream->run.count = 0;
	return missed;
}

/* How long before the bytes that came with it a frame was sent, at the least:
 * if there are more frames among them, this host was late, and not the meter.
 */
static int64_t togetherNs(const struct ptFrames *stream)
{
	uint64_t behind = ptReceiverBehind(&stream->receiver,
					   stream->frame.position +
						   stream->frame.length - 1);

	return (int64_t)(behind / stream->usual) * stream->pace.cycleNs;
}

/* How many cycles lie between the last frame and this one. */
static uint64_t cyclesSinceLast(const struct ptFrames *stream, int64_t sentNs,
				bool wasDamaged)
{
	int64_t cycleNs = stream->pace.cycleNs, cycles;
	int64_t passedNs = sentNs - stream->lastNs;
	int64_t lateNs = cycleNs * 3 / 4 > LATE_NS ? cycleNs * 3 / 4 : LATE_NS;

	if (!stream->hasLast || stream->rate == PT_RATE_LOSSLESS)
		return 1;
	if (!wasDamaged &&
	    (!isRateKnown(stream) || passedNs < cycleNs + lateNs))
		return 1;
	cycles = (passedNs + cycleNs / 2) / cycleNs;
	return cycles > 1 ? (uint64_t)cycles : 1;
}

/* Note a frame's time, and how many there should have been before it. */
static void framesSetTime(struct ptFrames *stream, struct ptDevice *dev,
			  bool wasDamaged, struct ptReading *reading)
{
	int64_t arrivedNs = ptReceiverArrival(
		&stream->receiver, stream->frame.position + stream->stampAt);
	int64_t sentNs = arrivedNs - togetherNs(stream);
	uint64_t cycles = cyclesSinceLast(stream, sentNs, wasDamaged);
	uint64_t missed;

	if (stream->rate != PT_RATE_EXACT)
		framesMeasureCycle(stream, dev, arrivedNs,
				   stream->hasLast && cycles == 1 &&
					   !wasDamaged);
	if (!isRateKnown(stream))
		sentNs = arrivedNs;
	stream->lastNs = ptPaceEnd(&stream->pace, sentNs, cycles);
	missed = framesCountMissing(stream, sentNs);
	reading->endNs = stream->lastNs + stream->receiver.wallNs;
	/* Of the last cycle is known that it has ended. */
	if (stream->hasLast && reading->endNs < stream->lastEndNs)
		reading->endNs = stream->lastEndNs;
	reading->lengthNs = stream->pace.cycleNs;
	reading->lost =
		(stream->hasLast ? cycles - 1 : 0) + missed + stream->rejected;
	stream->hasLast = true;
	stream->lastEndNs = reading->endNs;
	stream->lost = reading->lost;
	stream->rejected = 0;
}

/* ---- Reading ----------------------------------------------------------- */

/* Something that is no frame. */
static int framesOnDamage(struct ptFrames *stream, const char *why)
{
	stream->damages++;
	ptMessage(HD_LOG_WARNING, "%s: damaged (number %llu): %s",
		  stream->driver->name, (unsigned long long)stream->damages,
		  why);
	return -EPROTO;
}

/* Nothing came in time. */
static int framesOnSilence(struct ptFrames *stream, int64_t waitedNs)
{
	const char *what = stream->isDamaged ? "no valid data" : "no data";

	stream->silent++;
	if (stream->silent < SILENT_MAX) {
		ptMessage(HD_LOG_WARNING, "%s: %s for %.1f s",
			  stream->driver->name, what, (double)waitedNs / 1e9);
		return -ETIMEDOUT;
	}
	ptMessage(HD_LOG_ERROR, "%s: %s for %d times %.1f s; %s",
		  stream->driver->name, what, SILENT_MAX,
		  (double)waitedNs / 1e9,
		  stream->isDamaged ? "check the meter and the speed"
				    : "check the power of the meter");
	return -ENODEV;
}

/* As ptFramesAwait(); tells whether there was something else before it. */
static int awaitFrame(struct ptFrames *stream, bool *wasDamaged)
{
	int64_t cycleNs = stream->pace.cycleNs;
	int64_t waitNs = cycleNs + (cycleNs > 2 * HD_NS_PER_S ? cycleNs / 2
							      : HD_NS_PER_S);
	int64_t deadlineNs = ptNow() + waitNs;
	int ret;

	do {
		ret = nextOrDamage(stream, deadlineNs);
		if (ret == -EPROTO) {
			stream->isLost = true;
			/* Who begins to listen hears the end of a frame. */
			if (stream->hasLast)
				return framesOnDamage(stream, stream->why);
		}
	} while (ret == -EPROTO);
	if (ret == -ETIMEDOUT)
		return framesOnSilence(stream, waitNs);
	if (ret < 0)
		return ret;
	*wasDamaged = stream->isDamaged;
	stream->isDamaged = stream->isLost = false;
	stream->silent = 0;
	return 0;
}

int ptFramesAwait(struct ptFrames *stream)
{
	bool wasDamaged;

	return awaitFrame(stream, &wasDamaged);
}

int ptFramesRead(struct ptFrames *stream, struct ptDevice *dev,
		 struct ptReading *reading)
{
	bool wasDamaged;
	int ret = awaitFrame(stream, &wasDamaged);

	if (ret == 0)
		framesSetTime(stream, dev, wasDamaged, reading);
	return ret;
}

int ptFramesReject(struct ptFrames *stream, const char *why)
{
	stream->rejected = stream->lost + 1;
	return framesOnDamage(stream, why);
}
