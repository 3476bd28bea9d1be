/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * When a project starts.
 */
#include "config.h"

#include <string.h>

#include "HDTraceTools/model/projectstart.h"

/** The first time in a group's file; messages come when it is read. */
static int projectStartOfGroup(const hdIProject *project, const hdIGroup *group,
			       const struct diagnosticSink *sink,
			       int64_t *start)
{
	hdIStatReader *reader;
	int found;

	if (!group->isReadable)
		return 0;
	reader = diagnosticsOpenStat(project, group, sink);
	if (!reader)
		return 0;
	found = hdI_getStatStart(reader, start);
	hdI_closeStat(reader);
	return found;
}

/**
 * The earliest time in a trace: that of its first record at the top level,
 * since records at one depth do not overlap.
 */
static int projectStartOfTrace(const hdIProject *project,
			       const hdITraceFile *trace,
			       const struct diagnosticSink *sink,
			       int64_t *start)
{
	hdITraceReader *reader = diagnosticsOpenTrace(project, trace, sink);
	const hdIRecord *record;
	int64_t end;
	int found = 0;

	if (!reader)
		return 0;
	if (hdI_getTraceTimes(reader, start, &end)) {
		hdI_closeTrace(reader);
		return 1;
	}
	while (hdI_readTrace(reader, &record) == 1) {
		if (!found || record->start < *start)
			*start = record->start;
		found = 1;
		if (record->depth == 0)
			break;
	}
	hdI_closeTrace(reader);
	return found;
}

/** The earliest time of relations; times of different ones may step back. */
static int projectStartOfRelations(const hdIProject *project,
				   const hdIRelationFile *file,
				   const struct diagnosticSink *sink,
				   int64_t *start)
{
	hdIRelationReader *reader =
		diagnosticsOpenRelations(project, file, sink);
	const hdIRelationRecord *record;
	int found = 0;

	while (reader && hdI_readRelationRecord(reader, &record) == 1) {
		if (!found || record->time < *start)
			*start = record->time;
		found = 1;
	}
	hdI_closeRelations(reader);
	return found;
}

int projectStartFind(const hdIProject *project,
		     const struct diagnosticSink *sink, int64_t *start)
{
	int found = 0;
	int64_t time;

	for (size_t i = 0; i < project->groupCount; i++) {
		if (!projectStartOfGroup(project, project->groups[i], sink,
					 &time))
			continue;
		if (!found || time < *start)
			*start = time;
		found = 1;
	}
	for (size_t i = 0; i < project->traceCount; i++) {
		if (!projectStartOfTrace(project, project->traces[i], sink,
					 &time))
			continue;
		if (!found || time < *start)
			*start = time;
		found = 1;
	}
	for (size_t i = 0; i < project->relationCount; i++) {
		if (!projectStartOfRelations(project, project->relations[i],
					     sink, &time))
			continue;
		if (!found || time < *start)
			*start = time;
		found = 1;
	}
	return found;
}

int projectMarkFind(const hdIProject *project,
		    const struct diagnosticSink *sink, const char *name,
		    int64_t *time)
{
	const hdIRecord *record;
	int found = 0;

	for (size_t i = 0; i < project->traceCount; i++) {
		hdITraceReader *reader =
			diagnosticsOpenTrace(project, project->traces[i], sink);

		/* States come when they end, so all have to be looked at. */
		while (reader && hdI_readTrace(reader, &record) == 1) {
			if (strcmp(record->name, name) != 0 ||
			    (found && record->start >= *time))
				continue;
			*time = record->start;
			found = 1;
		}
		hdI_closeTrace(reader);
	}
	return found;
}
