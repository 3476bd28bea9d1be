/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to simgrid: time-independent traces, which SimGrid's SMPI
 * replays on any platform.
 *
 *   ti.list      names of the files of ranks
 *   rank-N.ti    lines of a rank (model/ti)
 *   hostfile     the host of each rank
 *   export.json  what computation is counted in, and what became of functions
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/command/errors.h"
#include "HDTraceTools/export/export.h"
#include "HDTraceTools/model/ti/ti.h"

struct simgrid {
	struct export *export;
	const struct export *begun;
	struct ti *ti;
	int error;
};

/** What a part has to write. */
struct simgridPart {
	struct export *export;
	struct newFile file;
	bool isOpen;
	int error;
};

/* ---- Ranks ------------------------------------------------------------- */

static void simgridReadPart(struct part *part, size_t rank, void *data)
{
	const struct simgrid *self = data;
	int ret = tiRead(self->ti, rank, &part->sink);

	if (ret < 0)
		toolErrorRead(&part->tool, tiTrace(self->ti, rank)->file, ret);
	part->result = GINT_TO_POINTER(1 - ret);
}

static bool simgridTakeRead(struct part *part, size_t rank, void *data)
{
	struct simgrid *self = data;

	toolProgressFile(self->export->tool, tiTrace(self->ti, rank)->fileSize);
	if (!part->result)
		return false;
	if (GPOINTER_TO_INT(part->result) != 1)
		self->error = -1;
	return self->error == 0;
}

static void simgridWritePart(struct part *part, size_t rank, void *data)
{
	const struct simgrid *self = data;
	struct simgridPart *own = g_new0(struct simgridPart, 1);
	char *name = g_strdup_printf("rank-%zu.ti", rank);
	int ret;

	part->result = own;
	own->export = exportStartPart(self->begun, part);
	own->error = exportStartFile(own->export, &own->file, name);
	g_free(name);
	own->isOpen = own->error == 0;
	if (own->error < 0)
		return;
	ret = tiWrite(self->ti, rank, own->file.file);
	if (ret < 0)
		toolErrorRead(&part->tool, "temporary file", ret);
	own->error = exportCloseFile(own->export, &own->file, ret < 0);
	own->isOpen = own->error == 0;
}

static bool simgridTakeWritten(struct part *part, size_t rank, void *data)
{
	struct simgrid *self = data;
	struct simgridPart *own = part->result;

	(void)rank;
	if (!own)
		return false;
	exportEndPart(self->export, own->export);
	if (own->error < 0)
		self->error = -1;
	else if (part->isDropped)
		newFileAbort(&own->file);
	else if (exportEndFile(self->export, &own->file, false) < 0)
		self->error = -1;
	g_free(own);
	return self->error == 0;
}

static int simgridDo(struct simgrid *self, partsRun *run, partsTake *take)
{
	const struct export begun = *self->export;
	const struct partsWork work = {
		.tool = self->export->tool,
		.count = tiRanks(self->ti),
		.run = run,
		.take = take,
		.data = self,
	};

	self->begun = &begun;
	partsDo(&work);
	return self->error;
}

/* ---- Other files ------------------------------------------------------- */

static void simgridPutList(const struct simgrid *self, FILE *file)
{
	for (size_t i = 0; i < tiRanks(self->ti); i++)
		fprintf(file, "rank-%zu.ti\n", i);
}

static void simgridPutHosts(const struct simgrid *self, FILE *file)
{
	for (size_t i = 0; i < tiRanks(self->ti); i++)
		fprintf(file, "%s\n", tiHost(self->ti, i));
}

static void simgridPutFates(struct outJson *json, const GArray *fates,
			    bool isRefused)
{
	outJsonArray(json, isRefused ? "refused" : "mapped", false);
	for (guint i = 0; i < fates->len; i++) {
		const struct tiFate *fate =
			&g_array_index(fates, struct tiFate, i);

		if (isRefused != !fate->to)
			continue;
		outJsonObject(json, NULL, true);
		outJsonText(json, "function", fate->function);
		outJsonInteger(json, "count", (int64_t)fate->count);
		if (fate->to)
			outJsonText(json, "to", fate->to);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

static void simgridPutReport(const struct simgrid *self, FILE *file)
{
	const struct tiReport *report = tiReport(self->ti);
	struct outJson json = { .file = file };

	outJsonDocument(&json, "hdtrace-simgrid");
	outJsonText(&json, "project", self->export->project->name);
	outJsonInteger(&json, "ranks", (int64_t)tiRanks(self->ti));
	outJsonText(&json, "compute_from", tiComputeName(report->compute));
	if (report->compute == TI_INSTRUCTIONS)
		outJsonPlain(&json, "speed_per_s", "null");
	else
		outJsonDouble(&json, "speed_per_s", self->export->speed);
	outJsonInteger(&json, "estimated", (int64_t)report->estimated);
	outJsonSeconds(&json, "measured_s", report->end - report->start);
	simgridPutFates(&json, report->fates, false);
	simgridPutFates(&json, report->fates, true);
	outJsonInteger(&json, "synchronous_lost", (int64_t)report->synchronous);
	outJsonEnd(&json);
}

static int simgridWriteFile(struct simgrid *self, const char *name,
			    void (*put)(const struct simgrid *, FILE *))
{
	struct newFile file;
	int ret = exportStartFile(self->export, &file, name);

	if (ret < 0)
		return ret;
	put(self, file.file);
	return exportEndFile(self->export, &file, false);
}

/* ---- The format -------------------------------------------------------- */

/** The name of a host is a line, and ':' would be a number of ranks. */
static void simgridCheckHosts(struct simgrid *self)
{
	for (size_t i = 0; i < tiRanks(self->ti); i++) {
		const char *host = tiHost(self->ti, i);

		if (*host && !strpbrk(host, ": \t\r\n#"))
			continue;
		toolError(self->export->tool,
			  "rank %zu: SimGrid cannot read the host name \"%s\"",
			  i, host);
		self->error = -1;
		return;
	}
}

static void simgridCheck(struct simgrid *self)
{
	const GPtrArray *problems = tiProblems(self->ti);

	toolProgressHide(self->export->tool);
	for (guint i = 0; i < problems->len; i++) {
		outSay(stderr, "hdtrace export: %s: %s",
		       self->export->project->file,
		       (const char *)problems->pdata[i]);
		toolCount(self->export->tool, HDI_ERROR);
	}
	if (problems->len)
		self->error = -1;
	else if (tiRanks(self->ti) == 0) {
		toolError(self->export->tool,
			  "%s: has no ranks; simgrid replays runs of MPI",
			  self->export->project->file);
		self->error = -1;
	} else {
		simgridCheckHosts(self);
	}
}

static void simgridCount(struct simgrid *self)
{
	const struct tiReport *report = tiReport(self->ti);
	struct export *export = self->export;

	export->states = report->calls;
	export->messages = report->messages;
	exportLose(export, "synchronous sends (they become sends)",
		   report->synchronous);
	for (guint i = 0; i < report->fates->len; i++) {
		const struct tiFate *fate =
			&g_array_index(report->fates, struct tiFate, i);

		if (!fate->to)
			exportLose(export, fate->function, fate->count);
	}
}

static int writeSimgrid(struct export *export)
{
	struct simgrid self = {
		.export = export,
		.ti = tiNew(export->project, export->speed),
	};

	exportLoseProject(export);
	simgridDo(&self, simgridReadPart, simgridTakeRead);
	if (self.error == 0) {
		tiJoin(self.ti);
		simgridCheck(&self);
	}
	if (self.error == 0)
		simgridCount(&self);
	if (self.error == 0)
		simgridDo(&self, simgridWritePart, simgridTakeWritten);
	if (self.error == 0)
		self.error = simgridWriteFile(&self, "ti.list", simgridPutList);
	if (self.error == 0)
		self.error =
			simgridWriteFile(&self, "hostfile", simgridPutHosts);
	if (self.error == 0)
		self.error = simgridWriteFile(&self, "export.json",
					      simgridPutReport);
	tiFree(self.ti);
	return self.error;
}

const struct exportFormat exportSimgrid = {
	.name = "simgrid",
	.suffix = ".simgrid",
	.isDirectory = true,
	.isWhole = true,
	.write = writeSimgrid,
};
