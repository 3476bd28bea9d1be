/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: messages between pairs of ranks in an interval.
 */
#include "config.h"

#include <errno.h>

#include "HDTraceTools/model/diagnostics.h"
#include "HDTraceTools/view/matrix.h"

/** So many bytes of a trace pass without progress. */
#define PROGRESS_STEP (1 << 18)

/** An interval that is read. */
struct matrixReading {
	struct traffic *traffic;
	int64_t start;
	int64_t end;
	matrixProgress *progress;
	void *data;
};

/** Read a trace; false: it is over. What is damaged has no messages, as in a
 *  table of states; a file that cannot be opened is an error. */
static bool matrixReadTrace(const struct matrixReading *self,
			    const hdIProject *project,
			    const hdITraceFile *trace, int *error)
{
	hdITraceReader *reader;
	const hdIRecord *record;
	int64_t offset = 0;
	bool goesOn = true;

	if (!trafficEnter(self->traffic, trace))
		return self->progress(self->data, trace->fileSize);
	reader = diagnosticsOpenTrace(project, trace, &diagnosticsDropped);
	if (!reader && errno != EBADMSG && *error == 0)
		*error = -errno;
	while (reader && goesOn && hdI_readTrace(reader, &record) == 1) {
		trafficTake(self->traffic, record, NULL,
			    record->end > self->start &&
				    record->end <= self->end);
		if (record->offset - offset < PROGRESS_STEP)
			continue;
		goesOn = self->progress(self->data, record->offset - offset);
		offset = record->offset;
	}
	hdI_closeTrace(reader);
	return goesOn && self->progress(self->data, trace->fileSize - offset);
}

int matrixRead(const hdIProject *project, int64_t start, int64_t end,
	       matrixProgress *progress, void *data, struct traffic **traffic)
{
	const struct matrixReading self = {
		.traffic = trafficNew(project),
		.start = start,
		.end = end,
		.progress = progress,
		.data = data,
	};
	int error = 0;

	for (size_t i = 0; i < project->traceCount; i++) {
		if (!matrixReadTrace(&self, project, project->traces[i],
				     &error)) {
			trafficFree(self.traffic);
			return -ECANCELED;
		}
	}
	*traffic = self.traffic;
	return error;
}

static void matrixPutBytes(struct outJson *json, const struct sizes *sizes)
{
	char buffer[OUT_NUMBER_SIZE];

	if (sizes->count)
		outJsonPlain(json, "sum_bytes", outInteger(buffer, sizes->sum));
	else
		outJsonPlain(json, "sum_bytes", "null");
}

void matrixPut(struct outJson *json, struct traffic *traffic)
{
	const GPtrArray *rows = trafficRows(traffic);

	outJsonArray(json, "pairs", false);
	for (guint i = 0; i < rows->len; i++) {
		const struct trafficRow *row = rows->pdata[i];

		if (row->by != TRAFFIC_PEER)
			continue;
		outJsonObject(json, NULL, true);
		outJsonInteger(json, "rank", row->rank);
		if (row->peer >= 0)
			outJsonInteger(json, "peer", row->peer);
		else
			outJsonPlain(json, "peer", "null");
		outJsonText(json, "direction", trafficWayName(row->way));
		outJsonInteger(
			json, "count",
			(int64_t)(row->sizes.count + row->sizes.unknown));
		outJsonInteger(json, "unknown", (int64_t)row->sizes.unknown);
		matrixPutBytes(json, &row->sizes);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}
