/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace view: a project as it was at a time.
 */
#include "config.h"

#include "HDTraceTools/pages/meta.h"
#include "HDTraceTools/view/edition.h"

/* ---- The start ---------------------------------------------------------- */

/** When the first record of a trace starts, whatever it lies in. */
static bool firstRecord(const hdIProject *project, const hdITraceFile *trace,
			int64_t *time)
{
	hdITraceReader *reader =
		diagnosticsOpenTrace(project, trace, &diagnosticsDropped);
	const hdIRecord *record;
	bool found = reader && hdI_readTrace(reader, &record) == 1;

	if (found)
		*time = record->start;
	hdI_closeTrace(reader);
	return found;
}

static bool firstEntry(const hdIProject *project, const hdIGroup *group,
		       int64_t *time)
{
	hdIStatReader *reader =
		diagnosticsOpenStat(project, group, &diagnosticsDropped);
	bool found = reader && hdI_getStatStart(reader, time);

	hdI_closeStat(reader);
	return found;
}

/** When the first relation of a file begins. */
static bool firstRelation(const hdIProject *project,
			  const hdIRelationFile *file, int64_t *time)
{
	hdIRelationReader *reader =
		diagnosticsOpenRelations(project, file, &diagnosticsDropped);
	const hdIRelationRecord *record;
	bool found = reader && hdI_readRelationRecord(reader, &record) == 1;

	if (found)
		*time = record->time;
	hdI_closeRelations(reader);
	return found;
}

/** About when the project starts: the exact time may be at the end of a trace,
 *  where a state stands that lasted all of the run. */
static bool viewGuessStart(const hdIProject *project, int64_t *start)
{
	bool found = false;
	int64_t time;

	*start = INT64_MAX;
	for (size_t i = 0; i < project->groupCount; i++) {
		if (!project->groups[i]->isReadable ||
		    !firstEntry(project, project->groups[i], &time))
			continue;
		*start = MIN(*start, time);
		found = true;
	}
	for (size_t i = 0; i < project->traceCount; i++) {
		if (!firstRecord(project, project->traces[i], &time))
			continue;
		*start = MIN(*start, time);
		found = true;
	}
	for (size_t i = 0; i < project->relationCount; i++) {
		if (!firstRelation(project, project->relations[i], &time))
			continue;
		*start = MIN(*start, time);
		found = true;
	}
	return found;
}

/* ---- Opening ------------------------------------------------------------ */

/** Look at the files; NULL if there is no project. */
static struct viewFiles *editionLook(const struct viewOpening *opening)
{
	hdIProject *project = hdI_openFiles(opening->path, NULL, NULL);
	struct viewFiles *files = project ? viewFilesNew(project, NULL) : NULL;

	hdI_closeProject(project);
	return files;
}

/** Open it, and find out whose power counts. */
static bool editionOpen(struct viewEdition *self,
			const struct viewOpening *opening, bool isFirst)
{
	self->tool = *opening->tool;
	self->tool.opensFiles = true;
	self->findings = *opening->findings;
	self->findings.tool = &self->tool;
	self->tool.progress.isOn &= isFirst;
	findingsDiagnosticsInit(&self->findings.diagnostics);
	self->project = findingsOpen(&self->findings, opening->path);
	return self->project &&
	       findingsStart(&self->findings, self->project) == 0;
}

struct viewEdition *viewEditionNew(const struct viewOpening *opening,
				   bool isFirst)
{
	struct viewFiles *files = editionLook(opening);
	struct viewEdition *self;
	struct viewServed *served;

	/* The second attempt says why. */
	if (!files && !isFirst)
		return NULL;
	self = g_new0(struct viewEdition, 1);
	served = &self->served;
	self->files = files;
	if (!editionOpen(self, opening, isFirst) || !files) {
		opening->tool->hasFailed |= self->tool.hasFailed;
		viewEditionFree(self);
		return NULL;
	}
	viewFilesTake(files, self->project);
	/* Where the terminal shows it, nobody looks. */
	self->tool.progress.isOn = false;
	self->number = storeBegin(opening->store);
	self->layout = metaLayout(&self->findings);
	served->layout = self->layout;
	served->findings = &self->findings;
	served->tracks = tracksNew(&self->findings, opening->store);
	served->jobs = viewJobsNew(served->tracks, served->findings);
	served->tables = viewTablesNew(served->findings);
	served->hasStart = viewGuessStart(self->project, &served->start);
	return self;
}

void viewEditionFree(struct viewEdition *self)
{
	if (!self)
		return;
	viewTablesFree(self->served.tables);
	viewJobsFree(self->served.jobs);
	tracksFree(self->served.tracks);
	if (self->findings.project)
		findingsEnd(&self->findings);
	findingsDiagnosticsFree(&self->findings.diagnostics);
	hdI_closeProject(self->project);
	viewFilesFree(self->files);
	g_free(self->layout);
	g_free(self);
}
