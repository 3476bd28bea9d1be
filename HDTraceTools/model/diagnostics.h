/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Who takes the diagnostics of a file that is read.
 */
#ifndef HD_MODEL_DIAGNOSTICS_H
#define HD_MODEL_DIAGNOSTICS_H

#include <hdReading.h>

/** Takes diagnostics, in the thread that reads. */
struct diagnosticSink {
	hdIMessageHandler take; /**< NULL: nobody does. */
	void *data;
};

/** Nobody: all was said when the file was read before. */
extern const struct diagnosticSink diagnosticsDropped;

/** hdI_openStat() with a sink; NULL: the project's. */
hdIStatReader *diagnosticsOpenStat(const hdIProject *project,
				   const hdIGroup *group,
				   const struct diagnosticSink *sink);

/** hdI_openTrace() with a sink; NULL: the project's. */
hdITraceReader *diagnosticsOpenTrace(const hdIProject *project,
				     const hdITraceFile *trace,
				     const struct diagnosticSink *sink);

/** hdI_openRelations() with a sink; NULL: the project's. */
hdIRelationReader *diagnosticsOpenRelations(const hdIProject *project,
					    const hdIRelationFile *file,
					    const struct diagnosticSink *sink);

#endif
