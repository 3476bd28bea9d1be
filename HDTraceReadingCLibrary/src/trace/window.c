/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Leaving out what is outside of an interval, by the index of a compressed
 * trace (doc/format).
 *
 * Each frame that is read is compared with the index: if it is wrong, that is
 * reported, and nothing more is left out. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceReadingCLibrary/src/file.h"
#include "HDTraceReadingCLibrary/src/trace/trace.h"
#include "common/format/traceindex.h"

struct hdITraceWindow {
	struct hdTracePart *parts; /* NULL: there is no index. */
	size_t count;
	int isActive;
	int isOver; /* The index is wrong, or frames are damaged. */
	int isWrong;
	/* The interval, relative to the adjustment of the trace. */
	int64_t start;
	int64_t end;
	/* The frame that is being read, and where it ends. */
	size_t frame;
	int64_t frameEnd;
	/* What was read of the frame that the last record ended in, unless
	 * records were read before that was known. */
	int isWhole;
	size_t current;
	struct hdTracePart found;
	/* If all is read: what readers of later frames need. */
	struct hdITraceNeeds *needs;
	uint64_t skipped;
};

/* ---- The index --------------------------------------------------------- */

/* Read the index, once: 1 if there is one, 0, or a negative errno value. If it
 * cannot be used, this is reported, unless it is only asked for; then it is
 * read again. */
static int windowLoad(struct hdITraceReader *reader, int isAsked)
{
	struct hdITraceWindow *window;
	int ret = 0;

	if (reader->window)
		return reader->window->parts && !reader->window->isWrong;
	window = calloc(1, sizeof(*window));
	if (!window)
		return -ENOMEM;
	hdIFileSilence(reader->input, isAsked);
	/* Offsets of other encodings are not those of the file. */
	if (reader->dialect.hasNested && hdITraceXmlIsUtf8(reader->xml))
		ret = hdIFileReadIndex(reader->input, &window->parts);
	hdIFileSilence(reader->input, 0);
	if (ret < 0 || (ret == 0 && isAsked)) {
		free(window);
		return ret;
	}
	window->count = hdIFileFrameCount(reader->input);
	reader->window = window;
	return ret;
}

void hdITraceWindowFree(struct hdITraceWindow *window)
{
	if (!window)
		return;
	hdITraceNeedsFree(window->needs);
	free(window->parts);
	free(window);
}

/* From here on everything is read. */
static void windowStop(struct hdITraceReader *reader)
{
	reader->window->isActive = 0;
	hdITraceXmlLimit(reader->xml, 0, INT64_MAX);
}

void hdITraceWindowLose(struct hdITraceReader *reader)
{
	if (!reader->window || !reader->window->isActive)
		return;
	reader->window->isOver = 1;
	windowStop(reader);
}

/* The index is wrong. */
static void windowReject(struct hdITraceReader *reader, size_t frame,
			 const char *why)
{
	hdIFileReportIndex(reader->input, frame, why);
	reader->window->isOver = 1;
	reader->window->isWrong = 1;
	windowStop(reader);
}

/* ---- Comparing with what is read --------------------------------------- */

/* Begin to compare a frame. */
static void windowTake(struct hdITraceReader *reader, size_t frame)
{
	struct hdITraceWindow *window = reader->window;

	window->current = frame;
	window->found = (struct hdTracePart){
		.first = INT64_MAX,
		.last = INT64_MIN,
	};
}

/* All records that end before a frame were read: whether the index described
 * the frames before it. */
static int windowPass(struct hdITraceReader *reader, size_t frame)
{
	struct hdITraceWindow *window = reader->window;

	for (; window->current < frame;
	     windowTake(reader, window->current + 1)) {
		const struct hdTracePart *part =
			&window->parts[window->current];
		const char *why = NULL;

		if (window->found.records != part->records)
			why = "it has fewer records than that";
		else if (window->found.first != part->first ||
			 window->found.last != part->last)
			why = "its records have other times";
		if (why) {
			windowReject(reader, window->current, why);
			return 0;
		}
	}
	return 1;
}

/* What the index says of the frame that a record ends in, or NULL. */
static const char *windowCompare(struct hdITraceReader *reader, int isNeeded)
{
	struct hdITraceWindow *window = reader->window;
	const struct hdTracePart *part = &window->parts[window->current];
	int64_t start = reader->record.start - reader->adjustment;
	int64_t end = reader->record.end - reader->adjustment;

	if (++window->found.records > part->records)
		return "it has more records than that";
	if (start < part->first || end > part->last)
		return "a record is not within its times";
	if (start < window->found.first)
		window->found.first = start;
	if (end > window->found.last)
		window->found.last = end;
	if (isNeeded && !(part->flags & HD_TRACE_PART_NEEDED))
		return "readers of other frames need it";
	return NULL;
}

void hdITraceWindowAdd(struct hdITraceReader *reader)
{
	struct hdITraceWindow *window = reader->window;
	size_t frame;
	const char *why;

	if (!window->isActive || !window->isWhole)
		return;
	frame = window->current;
	while (frame + 1 < window->count &&
	       hdIFileFrameStart(reader->input, frame + 1) <
		       reader->record.endOffset)
		frame++;
	if (!windowPass(reader, frame))
		return;
	why = windowCompare(reader,
			    window->needs && hdITraceNeedsAdd(window->needs,
							      &reader->record));
	if (why)
		windowReject(reader, frame, why);
}

/* Whether only Nested elements are open, as many as the index says. */
static int windowHasDepth(const struct hdITraceReader *reader,
			  const struct hdTracePart *part)
{
	return reader->frameCount == (size_t)part->depth + 1 &&
	       reader->depth == part->depth;
}

/* Whether a frame has as many lines as the index says. */
static int windowCheckLines(struct hdITraceReader *reader)
{
	const struct hdITraceWindow *window = reader->window;
	int64_t lines = hdITraceXmlLines(reader->xml);

	if (lines < 0 || lines == window->parts[window->frame].lines)
		return 1;
	windowReject(reader, window->frame, "it has another number of lines");
	return 0;
}

/* A frame was read: whether the index described it, and the beginning of the
 * next one. */
static int windowCheck(struct hdITraceReader *reader)
{
	struct hdITraceWindow *window = reader->window;
	const struct hdTracePart *part = &window->parts[window->frame + 1];

	if (!windowCheckLines(reader))
		return 0;
	if (!(part->flags & HD_TRACE_PART_START))
		return 1;
	if (window->isWhole && !windowPass(reader, window->frame + 1))
		return 0;
	if (windowHasDepth(reader, part) && hdITraceXmlIsBetween(reader->xml))
		return 1;
	windowReject(reader, window->frame + 1,
		     "it begins at another nesting, or inside an element");
	return 0;
}

/* ---- Leaving out ------------------------------------------------------- */

/* Whether a frame has to be read. The first and the last one have the ends of
 * the root. */
static int windowNeeds(const struct hdITraceWindow *window, size_t frame)
{
	const struct hdTracePart *part = &window->parts[frame];

	return frame == 0 || frame + 1 == window->count ||
	       (window->start == INT64_MIN && window->end == INT64_MAX) ||
	       part->flags & HD_TRACE_PART_NEEDED ||
	       (part->records > 0 && part->last >= window->start &&
		part->first <= window->end);
}

/* The frame from a frame on where reading goes on. */
static size_t windowFind(const struct hdITraceWindow *window, size_t frame)
{
	size_t next = frame;

	if (!(window->parts[frame].flags & HD_TRACE_PART_START))
		return frame;
	while (!windowNeeds(window, next))
		next++;
	while (!(window->parts[next].flags & HD_TRACE_PART_START))
		next--;
	return next;
}

/* Open as many Nested elements; what was in others was left out. */
static int windowOpen(struct hdITraceReader *reader, unsigned int depth,
		      int64_t offset)
{
	struct hdIFrame *frames;

	while (reader->frameRoom <= depth + 1) {
		frames = hdITraceGrow(reader->frames, reader->frameRoom,
				      &reader->frameRoom, sizeof(*frames));
		if (!frames)
			return -ENOMEM;
		reader->frames = frames;
	}
	reader->frames[0].pending = -1;
	reader->frames[0].hasRecords = 1;
	for (unsigned int i = 1; i <= depth; i++)
		reader->frames[i] = (struct hdIFrame){
			.kind = HDI_FRAME_NESTED,
			.name = reader->nameNested,
			.offset = offset,
			.mark = hdIArenaGetMark(&reader->arena),
			.textStart = reader->textSize,
			.elementStart = reader->elementCount,
			.hasRecords = 1,
			.pending = -1,
		};
	reader->frameCount = (size_t)depth + 1;
	reader->depth = depth;
	return 0;
}

/* Go on with a frame behind the next one. */
static int windowJump(struct hdITraceReader *reader, size_t from, size_t to)
{
	struct hdITraceWindow *window = reader->window;
	const struct hdTracePart *part = &window->parts[to];
	int64_t offset = hdIFileFrameStart(reader->input, to);
	int64_t lines = 0;
	int ret = windowOpen(reader, part->depth, offset);

	for (size_t i = from; i < to; i++) {
		lines += window->parts[i].lines;
		window->skipped += window->parts[i].records;
	}
	if (ret < 0)
		return ret;
	return hdITraceXmlJump(reader->xml, offset, lines, reader->nameNested,
			       part->depth);
}

/* Read a frame. */
static void windowEnter(struct hdITraceReader *reader, size_t frame)
{
	struct hdITraceWindow *window = reader->window;
	const struct hdTracePart *part = &window->parts[frame];

	if (part->flags & HD_TRACE_PART_START) {
		window->isWhole = 1;
		windowTake(reader, frame);
	}
	window->frame = frame;
	window->frameEnd = hdIFileFrameStart(reader->input, frame + 1);
	hdITraceXmlLimit(reader->xml, hdIFileFrameStart(reader->input, frame),
			 window->frameEnd);
}

int hdITraceWindowStep(struct hdITraceReader *reader)
{
	struct hdITraceWindow *window = reader->window;
	size_t next, to;
	int ret = 0;

	if (!window->isActive || !hdITraceXmlIsTaken(reader->xml) ||
	    hdITraceXmlSize(reader->xml) < window->frameEnd)
		return 0;
	next = window->frame + 1;
	if (next == window->count) {
		if (windowCheckLines(reader) &&
		    (!window->isWhole || windowPass(reader, next)))
			windowStop(reader);
		return 0;
	}
	if (!windowCheck(reader))
		return 0;
	to = windowFind(window, next);
	if (to > next)
		ret = windowJump(reader, next, to);
	windowEnter(reader, to);
	return ret;
}

/* ---- For programs ------------------------------------------------------ */

/* A time as the index has it. */
static int64_t windowRelative(const struct hdITraceReader *reader, int64_t time)
{
	int64_t relative;

	if (time == INT64_MIN || time == INT64_MAX)
		return time;
	if (__builtin_sub_overflow(time, reader->adjustment, &relative))
		return time < 0 ? INT64_MIN : INT64_MAX;
	return relative;
}

/* Find the frame that reading is in. */
static void windowBegin(struct hdITraceReader *reader)
{
	struct hdITraceWindow *window = reader->window;
	int64_t at = hdITraceXmlSize(reader->xml);
	size_t low = 0, high = window->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (hdIFileFrameStart(reader->input, middle) < at)
			low = middle;
		else
			high = middle;
	}
	window->isActive = 1;
	windowEnter(reader, low);
	window->isWhole = !reader->hasRecords;
	windowTake(reader, 0);
}

/* If all is read, also compare what readers of other intervals rely on. */
static int windowBeginAll(struct hdITraceReader *reader)
{
	struct hdITraceWindow *window = reader->window;

	if (reader->hasRecords || window->needs || window->start != INT64_MIN ||
	    window->end != INT64_MAX)
		return 0;
	window->needs = hdITraceNeedsCreate(reader->xml);
	return window->needs ? 0 : -ENOMEM;
}

int hdI_skipTrace(struct hdITraceReader *reader, int64_t start, int64_t end)
{
	int ret = hdITraceReadRoot(reader) ? windowLoad(reader, 0) : 0;

	if (ret == 1 && (reader->isOver || reader->window->isOver))
		return 0;
	if (ret == 1) {
		reader->window->start = windowRelative(reader, start);
		reader->window->end = windowRelative(reader, end);
		ret = windowBeginAll(reader);
	} else if (ret == 0) {
		return 0;
	}
	if (ret < 0) {
		errno = -ret;
		return -1;
	}
	windowBegin(reader);
	return 1;
}

uint64_t hdI_getTraceSkipped(const struct hdITraceReader *reader)
{
	return reader->window ? reader->window->skipped : 0;
}

int hdI_getTraceTimes(struct hdITraceReader *reader, int64_t *start,
		      int64_t *end)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	if (!hdITraceReadRoot(reader) || windowLoad(reader, 1) <= 0)
		return 0;
	for (size_t i = 0; i < reader->window->count; i++) {
		const struct hdTracePart *part = &reader->window->parts[i];

		if (part->first < first)
			first = part->first;
		if (part->last > last)
			last = part->last;
	}
	if (first > last)
		return 0;
	*start = first + reader->adjustment;
	*end = last + reader->adjustment;
	return 1;
}
