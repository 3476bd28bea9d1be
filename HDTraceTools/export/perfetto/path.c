/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to perfetto: for how long states are on the critical path.
 *
 * That is known when all traces were read, so they are read once for it before
 * anything is written.
 */
#include "config.h"

#include "HDTraceTools/command/parts.h"
#include "HDTraceTools/export/perfetto/perfetto.h"

/** Parts of the path in one trace. */
struct tracePath {
	GArray *parts; /**< struct pathPart, by time. */
	GArray *sums;  /**< int64_t: how long those before each are. */
};

struct perfettoPath {
	struct criticalPath *path;
	GHashTable *traces; /**< hdITraceFile to struct tracePath. */
};

/* ---- Finding it -------------------------------------------------------- */

/** A trace while it is read. */
struct noting {
	struct pathReader *reader;
	int error; /**< Negative errno of the temporary file. */
};

/** All traces, while they are. */
struct search {
	const struct export *export;
	struct pathSearch *path;
	struct noting *traces; /**< By number. */
	int error;
};

static bool perfettoPathNoteState(const hdIRecord *record, void *data)
{
	struct noting *self = data;

	self->error = pathNote(self->reader, record);
	return self->error == 0;
}

static void perfettoPathReadTrace(struct part *part, size_t number, void *data)
{
	struct search *self = data;
	const hdIProject *project = self->export->project;
	/* What is wrong is said when they are written. */
	const struct scan scan = { .tool = &part->tool,
				   .project = project,
				   .output = part->file,
				   .sink = &diagnosticsDropped };
	struct noting *noting = &self->traces[number];

	noting->reader = pathSearchEnter(self->path, project->traces[number],
					 (uint32_t)number);
	scanTrace(&scan, project->traces[number], perfettoPathNoteState,
		  noting);
}

static bool perfettoPathAddTrace(struct part *part, size_t number, void *data)
{
	const struct pathPower nobody = { .series = NULL };
	struct search *self = data;
	struct noting *noting = &self->traces[number];
	int left;

	(void)part;
	if (!noting->reader)
		return false;
	left = pathSearchLeave(self->path, noting->reader, &nobody);
	if (self->error == 0)
		self->error = noting->error < 0 ? noting->error : left;
	return self->error == 0;
}

/** Read all traces, chosen or not; 0 or a negative errno. */
static int perfettoPathReadAll(const struct export *export,
			       struct pathSearch *path)
{
	struct search self = {
		.export = export,
		.path = path,
		.traces =
			g_new0(struct noting, export->project->traceCount + 1),
	};
	const struct partsWork work = {
		.tool = export->tool,
		.count = export->project->traceCount,
		.run = perfettoPathReadTrace,
		.take = perfettoPathAddTrace,
		.data = &self,
	};

	partsDo(&work);
	g_free(self.traces);
	return self.error;
}

static void freeTrace(void *data)
{
	struct tracePath *trace = data;

	g_array_unref(trace->parts);
	g_array_unref(trace->sums);
	g_free(trace);
}

static struct tracePath *traceOf(struct perfettoPath *self,
				 const hdITraceFile *file)
{
	struct tracePath *trace = g_hash_table_lookup(self->traces, file);

	if (trace)
		return trace;
	trace = g_new0(struct tracePath, 1);
	trace->parts = g_array_new(FALSE, FALSE, sizeof(struct pathPart));
	trace->sums = g_array_new(FALSE, TRUE, sizeof(int64_t));
	g_array_set_size(trace->sums, 1);
	g_hash_table_insert(self->traces, (gpointer)file, trace);
	return trace;
}

static void perfettoPathAddPart(struct tracePath *trace,
				const struct pathPart *part)
{
	int64_t sum = g_array_index(trace->sums, int64_t, trace->parts->len) +
		      part->end - part->start;

	g_array_append_vals(trace->parts, part, 1);
	g_array_append_val(trace->sums, sum);
}

int perfettoFindPath(struct export *export, struct perfettoPath **found)
{
	struct pathSearch *search = pathSearchNew(export->project, NULL, NULL);
	struct perfettoPath *self = g_new0(struct perfettoPath, 1);
	int ret = perfettoPathReadAll(export, search);

	self->traces = g_hash_table_new_full(NULL, NULL, NULL, freeTrace);
	if (ret == 0)
		ret = pathSearchEnd(search, &self->path);
	pathSearchFree(search);
	/* Where nobody waits for anybody it says nothing. */
	if (ret == 0 && self->path->isKnown && self->path->jumps) {
		const GArray *parts = self->path->parts;

		for (guint i = 0; i < parts->len; i++) {
			const struct pathPart *part =
				&g_array_index(parts, struct pathPart, i);

			perfettoPathAddPart(
				traceOf(self,
					export->project->traces[part->trace]),
				part);
		}
		exportLose(export, "short parts of the critical path",
			   self->path->hidden);
	}
	*found = self;
	return ret;
}

void perfettoFreePath(struct perfettoPath *self)
{
	if (!self)
		return;
	g_hash_table_destroy(self->traces);
	criticalPathFree(self->path);
	g_free(self);
}

/* ---- Asking it --------------------------------------------------------- */

/** How long the path is in a trace until a time. */
static int64_t lengthUntil(const struct tracePath *trace, int64_t time)
{
	guint low = 0;
	guint high = trace->parts->len;
	int64_t length;

	/* The first part that ends behind it. */
	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (g_array_index(trace->parts, struct pathPart, middle).end >
		    time)
			high = middle;
		else
			low = middle + 1;
	}
	length = g_array_index(trace->sums, int64_t, low);
	if (low < trace->parts->len)
		length += MAX(0, time - g_array_index(trace->parts,
						      struct pathPart, low)
						 .start);
	return length;
}

int64_t perfettoTimeOnPath(const struct perfettoPath *self,
			   const hdITraceFile *trace, int64_t start,
			   int64_t end)
{
	const struct tracePath *parts =
		g_hash_table_lookup(self->traces, trace);

	return parts ? lengthUntil(parts, end) - lengthUntil(parts, start) : 0;
}
