/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Who takes the diagnostics of a file that is read.
 */
#include "config.h"

#include "HDTraceTools/model/diagnostics.h"

const struct diagnosticSink diagnosticsDropped = { NULL, NULL };

hdIStatReader *diagnosticsOpenStat(const hdIProject *project,
				   const hdIGroup *group,
				   const struct diagnosticSink *sink)
{
	return sink ? hdI_openStatWith(project, group, sink->take, sink->data)
		    : hdI_openStat(project, group);
}

hdITraceReader *diagnosticsOpenTrace(const hdIProject *project,
				     const hdITraceFile *trace,
				     const struct diagnosticSink *sink)
{
	return sink ? hdI_openTraceWith(project, trace, sink->take, sink->data)
		    : hdI_openTrace(project, trace);
}

hdIRelationReader *diagnosticsOpenRelations(const hdIProject *project,
					    const hdIRelationFile *file,
					    const struct diagnosticSink *sink)
{
	return sink ? hdI_openRelationsWith(project, file, sink->take,
					    sink->data)
		    : hdI_openRelations(project, file);
}
