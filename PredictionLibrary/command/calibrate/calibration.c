/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The model of messages; see calibration.h. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "PredictionLibrary/command/calibrate/calibration.h"

/* What is sent so long before its receiver comes, in s, does not wait for it;
 * hdcalibrate has receivers that are late by 500 us. */
#define CALIBRATION_EARLY 20e-6

/* Segments at most, of overheads and of each protocol. */
#define CALIBRATION_OVERHEADS 3
#define CALIBRATION_TRANSFERS 4

/* Overheads take this part of a ping-pong at most. */
#define CALIBRATION_MOST 0.9

/* A segment whose sizes change its time by less than this part says nothing of
 * the bandwidth. */
#define CALIBRATION_FLAT 0.1

/* From this on messages are large. */
#define CALIBRATION_LARGE 65536

/* Where both directions at once take that much longer than one they share the
 * link. */
#define CALIBRATION_SHARED 1.2

/* A parameter of SimGrid that may not be 0. */
#define CALIBRATION_TINY 1e-9

/* The quartiles of a quantity by size: struct fitPoint. */
static GArray *calibrationPoints(const GPtrArray *samples, const char *what,
				 double until)
{
	GArray *points = g_array_new(FALSE, FALSE, sizeof(struct fitPoint));

	for (guint i = 0; i < samples->len; i++) {
		const struct samplesGroup *group = samples->pdata[i];
		struct fitPoint point = { (double)group->size,
					  fitQuartile(group->times) };

		if (strcmp(group->what, what) == 0 && point.time > 0 &&
		    point.size < until)
			g_array_append_val(points, point);
	}
	return points;
}

/* The border between both protocols: in the middle of two sizes. A send that
 * waits for its receiver never ends before that comes, so that one message that
 * was early is enough; late ones may have been delayed by other programs. */
static double calibrationEager(const GPtrArray *samples)
{
	double eager = 0, next = INFINITY;

	for (guint i = 0; i < samples->len; i++) {
		struct samplesGroup *group = samples->pdata[i];
		double size = (double)group->size;

		if (strcmp(group->what, SAMPLES_EARLY) != 0)
			continue;
		g_array_sort(group->times, fitCompareNumbers);
		if (g_array_index(group->times, double,
				  group->times->len - 1) >= CALIBRATION_EARLY) {
			eager = size;
			next = INFINITY;
		} else if (isinf(next)) {
			next = size;
		}
	}
	return isinf(next) ? (eager > 0 ? eager + 1 : 0)
			   : floor(sqrt(eager * next));
}

/* The lower quartile of a quantity; 0: it was not measured. */
static double calibrationTime(const GPtrArray *samples, const char *what,
			      double size)
{
	const struct samplesGroup *group =
		samplesFind(samples, what, (int64_t)size);

	return group ? fitQuartile(group->times) : 0;
}

/* What overheads are multiplied by, so that both are less than a ping-pong: the
 * late receiver has cold caches. Above the eager limit a send waits, so that
 * the overhead of Isend is compared alone. */
static double calibrationFactor(const GPtrArray *samples, double size,
				double eager)
{
	double all = calibrationTime(samples, SAMPLES_PING_PONG, size);
	double overheads =
		size < eager ? calibrationTime(samples, SAMPLES_SEND, size) +
				       calibrationTime(samples, SAMPLES_RECEIVE,
						       size)
			     : calibrationTime(samples, SAMPLES_ISEND, size);

	return all > 0 && overheads > 0
		       ? fmin(1, CALIBRATION_MOST * all / overheads)
		       : 1;
}

static GArray *calibrationOverhead(const GPtrArray *samples, const char *what,
				   double until, double eager)
{
	GArray *points = calibrationPoints(samples, what, until), *segments;

	for (guint i = 0; i < points->len; i++) {
		struct fitPoint *point =
			&g_array_index(points, struct fitPoint, i);

		point->time *= calibrationFactor(samples, point->size, eager);
	}
	segments = fitSegments((struct fitPoint *)(void *)points->data,
			       points->len, CALIBRATION_OVERHEADS);
	g_array_unref(points);
	return segments;
}

/* ---- The network ------------------------------------------------------- */

/* Add segments of one protocol to the others. */
static void calibrationFit(struct calibration *self, const GArray *points,
			   guint from, guint until, size_t most)
{
	GArray *segments;

	if (until == from)
		return;
	segments = fitSegments(&g_array_index(points, struct fitPoint, from),
			       until - from, most);
	g_array_append_vals(self->transfer, segments->data, segments->len);
	g_array_unref(segments);
}

static void calibrationTransfer(struct calibration *self,
				const GPtrArray *samples, size_t most)
{
	GArray *points =
		calibrationPoints(samples, SAMPLES_PING_PONG, INFINITY);
	guint border = 0;

	for (guint i = 0; i < points->len; i++) {
		struct fitPoint *point =
			&g_array_index(points, struct fitPoint, i);
		double overhead = 0;

		if (point->size < self->eager) {
			border = i + 1;
			overhead = fitTime(self->send, point->size) +
				   fitTime(self->receive, point->size);
		}
		point->time -= fmin(overhead, CALIBRATION_MOST * point->time);
		point->size += CALIBRATION_HEADER;
	}
	self->transfer = g_array_new(FALSE, FALSE, sizeof(struct fitSegment));
	calibrationFit(self, points, 0, border, most);
	calibrationFit(self, points, border, points->len, most);
	g_array_unref(points);
}

/* The time of each byte in the fastest segment of large messages, which have
 * the bandwidth of the link. The times of small ones say little of it. */
static double calibrationLeast(const struct calibration *self, double large)
{
	double least = INFINITY;

	for (guint i = 0; i < self->transfer->len; i++) {
		const struct fitSegment *segment =
			&g_array_index(self->transfer, struct fitSegment, i);
		double change =
			segment->perByte * (segment->until - segment->from);

		if (segment->perByte > 0 && segment->until >= large &&
		    change > CALIBRATION_FLAT *
				     (segment->start +
				      segment->perByte * segment->until))
			least = fmin(least, segment->perByte);
	}
	return least;
}

/* Where no segment says the time of a byte: one that leaves each segment its
 * time. */
static double calibrationUnknown(const struct calibration *self)
{
	double least = CALIBRATION_TINY;

	for (guint i = 0; i < self->transfer->len; i++) {
		const struct fitSegment *segment =
			&g_array_index(self->transfer, struct fitSegment, i);

		least = fmin(least, fitTime(self->transfer, segment->until) /
					    segment->until / 2);
	}
	return least;
}

/* No segment exceeds the bandwidth of the link. */
static void calibrationBandwidth(struct calibration *self)
{
	double least = calibrationLeast(self, CALIBRATION_LARGE);

	if (isinf(least))
		least = calibrationLeast(self, 0);
	if (isinf(least))
		least = calibrationUnknown(self);
	self->bandwidth = 1 / least;
	for (guint i = 0; i < self->transfer->len; i++) {
		struct fitSegment *segment =
			&g_array_index(self->transfer, struct fitSegment, i);
		double middle = sqrt(segment->from * segment->until);

		if (segment->perByte * self->bandwidth >= 1)
			continue;
		segment->start +=
			(segment->perByte - 1 / self->bandwidth) * middle;
		segment->start = fmax(segment->start, 0);
		segment->perByte = 1 / self->bandwidth;
	}
	self->latency =
		fmax(g_array_index(self->transfer, struct fitSegment, 0).start,
		     CALIBRATION_TINY);
}

/* By how much messages in both directions take longer than in one; the middle
 * of large ones. 1: there are none. */
static double calibrationExchange(const GPtrArray *samples)
{
	GArray *ratios = g_array_new(FALSE, FALSE, sizeof(double));
	double ratio = 1;

	for (guint i = 0; i < samples->len; i++) {
		const struct samplesGroup *both = samples->pdata[i], *one;

		if (strcmp(both->what, SAMPLES_EXCHANGE) != 0 ||
		    both->size < CALIBRATION_LARGE)
			continue;
		one = samplesFind(samples, SAMPLES_PING_PONG, both->size);
		if (!one)
			continue;
		ratio = fitQuartile(both->times) / fitQuartile(one->times);
		g_array_append_val(ratios, ratio);
	}
	g_array_sort(ratios, fitCompareNumbers);
	if (ratios->len)
		ratio = g_array_index(ratios, double, ratios->len / 2);
	g_array_unref(ratios);
	return ratio;
}

/* A shared link carries both directions together in the time that was
 * measured; each message alone has the rate of its segment. In a host it is
 * always shared: processors copy messages, one after the other. */
static void calibrationShare(struct calibration *self, const GPtrArray *samples,
			     bool isBetween)
{
	double ratio = calibrationExchange(samples);

	self->isShared = !isBetween || ratio > CALIBRATION_SHARED;
	if (self->isShared)
		self->bandwidth *= fmax(2 / ratio, 1);
}

bool calibrationMake(struct calibration *self, const GPtrArray *samples,
		     bool isBetween)
{
	*self = (struct calibration){ .eager = calibrationEager(samples) };
	self->send = calibrationOverhead(samples, SAMPLES_SEND, self->eager,
					 self->eager);
	/* It returns before large messages are sent. */
	self->isend = calibrationOverhead(samples, SAMPLES_ISEND, INFINITY,
					  self->eager);
	self->receive = calibrationOverhead(samples, SAMPLES_RECEIVE,
					    self->eager, self->eager);
	calibrationTransfer(self, samples, CALIBRATION_TRANSFERS);
	if (self->transfer->len == 0)
		return false;
	calibrationBandwidth(self);
	calibrationShare(self, samples, isBetween);
	return true;
}

bool calibrationMakeLine(struct calibration *self, const GPtrArray *samples)
{
	*self = (struct calibration){ .eager = 0 };
	self->send = fitSegments(NULL, 0, 1);
	self->isend = fitSegments(NULL, 0, 1);
	self->receive = fitSegments(NULL, 0, 1);
	calibrationTransfer(self, samples, 1);
	if (self->transfer->len == 0)
		return false;
	calibrationBandwidth(self);
	return true;
}

void calibrationClear(struct calibration *self)
{
	g_array_unref(self->send);
	g_array_unref(self->isend);
	g_array_unref(self->receive);
	g_array_unref(self->transfer);
}

/* ---- As options of SimGrid --------------------------------------------- */

static void calibrationPutNumber(GString *text, double number)
{
	char digits[G_ASCII_DTOSTR_BUF_SIZE];

	g_string_append(
		text, g_ascii_formatd(digits, sizeof(digits), "%.6g", number));
}

/* A segment begins behind the largest size of the one before; the first one at
 * 0. */
static double calibrationBorder(const GArray *segments, guint number)
{
	const struct fitSegment *segment =
		&g_array_index(segments, struct fitSegment, number);

	return number ? floor(sqrt(segment->from * segment[-1].until)) : 0;
}

/* SIZE:START:PERBYTE;... Overheads of larger messages are in the transfer. */
static void calibrationPutOverhead(const struct calibration *self,
				   struct machineXml *machine, const char *key,
				   const GArray *segments)
{
	GString *text = g_string_new(key);

	for (guint i = 0; i < segments->len; i++) {
		const struct fitSegment *segment =
			&g_array_index(segments, struct fitSegment, i);

		g_string_append_c(text, i ? ';' : ':');
		calibrationPutNumber(text, calibrationBorder(segments, i));
		g_string_append_c(text, ':');
		calibrationPutNumber(text, segment->start);
		g_string_append_c(text, ':');
		calibrationPutNumber(text, segment->perByte);
	}
	if (segments->len == 0 || segments != self->isend) {
		g_string_append(text, segments->len ? ";" : ":");
		calibrationPutNumber(text, segments->len ? self->eager : 0);
		g_string_append(text, ":0:0");
	}
	machineXmlAddOption(machine, g_string_free(text, FALSE));
}

/* SIZE:FACTOR;... */
static void calibrationPutFactors(const struct calibration *self,
				  struct machineXml *machine, const char *key,
				  bool isLatency)
{
	GString *text = g_string_new(key);

	for (guint i = 0; i < self->transfer->len; i++) {
		const struct fitSegment *segment =
			&g_array_index(self->transfer, struct fitSegment, i);
		double latency = fmax(segment->start, CALIBRATION_TINY / 100) /
				 self->latency;
		double bandwidth = 1 / (segment->perByte * self->bandwidth);

		g_string_append_c(text, i ? ';' : ':');
		calibrationPutNumber(text,
				     calibrationBorder(self->transfer, i));
		g_string_append_c(text, ':');
		calibrationPutNumber(text, isLatency ? latency : bandwidth);
	}
	machineXmlAddOption(machine, g_string_free(text, FALSE));
}

void calibrationPut(const struct calibration *self, struct machineXml *machine,
		    bool isBetween)
{
	const struct machineXmlLink link = { true, self->isShared,
					     self->latency, self->bandwidth };
	const int64_t eager = (int64_t)self->eager;

	if (isBetween)
		machine->between = link;
	else
		machine->inside = link;
	calibrationPutOverhead(self, machine, "smpi/os", self->send);
	calibrationPutOverhead(self, machine, "smpi/ois", self->isend);
	calibrationPutOverhead(self, machine, "smpi/or", self->receive);
	calibrationPutFactors(self, machine, "smpi/lat-factor", true);
	calibrationPutFactors(self, machine, "smpi/bw-factor", false);
	machineXmlAddOption(
		machine,
		g_strdup_printf("smpi/async-small-thresh:%" PRId64, eager));
	machineXmlAddOption(
		machine,
		g_strdup_printf("smpi/send-is-detached-thresh:%" PRId64,
				eager));
	/* The measured bandwidth contains windows and acknowledgments. */
	machineXmlAddOption(machine, g_strdup("network/TCP-gamma:1e15"));
	machineXmlAddOption(machine, g_strdup("network/crosstraffic:no"));
}
