/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules of the format, and the messages that say where one is broken. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceReadingCLibrary/src/diagnostic.h"

static const hdIRule rules[HDI_RULE_COUNT] = {
	[HDI_RULE_FILE_OPEN] = { "file.open", HDI_ERROR,
				 "A file can be opened, and is a plain file." },
	[HDI_RULE_FILE_READ] = { "file.read", HDI_ERROR,
				 "A file can be read to its end." },
	[HDI_RULE_HDZ_ARCHIVE] = { "hdz.archive", HDI_ERROR,
				   "An archive is a zip file of stored "
				   "entries, "
				   "each a file of one project." },
	[HDI_RULE_ZST_FRAME] = { "zst.frame", HDI_ERROR,
				 "Frames of a compressed file are intact and "
				 "within the limits." },
	[HDI_RULE_ZST_CUT] = { "zst.cut", HDI_WARNING,
			       "A compressed file ends with a complete "
			       "frame." },
	[HDI_RULE_ZST_INDEX] = { "zst.index", HDI_WARNING,
				 "The index of a compressed trace is intact "
				 "and describes its frames." },
	[HDI_RULE_ZST_BOTH] = { "zst.both", HDI_WARNING,
				"A file of a project is plain or compressed, "
				"not both." },
	[HDI_RULE_PROJ_SEVERAL] = { "proj.several", HDI_ERROR,
				    "A directory that stands for a project "
				    "holds one .proj file." },
	[HDI_RULE_PROJ_XML] = { "proj.xml", HDI_ERROR,
				"A .proj file is well-formed XML without "
				"DOCTYPE, not too deep, and with few "
				"attributes." },
	[HDI_RULE_PROJ_ROOT] = { "proj.root", HDI_ERROR,
				 "The root element of a .proj file is "
				 "Application." },
	[HDI_RULE_PROJ_OLD_FORMAT] = { "proj.old-format", HDI_WARNING,
				       "A .proj file has Level types, Node "
				       "names, and no values in "
				       "ExternalStatistics." },
	[HDI_RULE_PROJ_TOPOLOGY] = { "proj.topology", HDI_WARNING,
				     "Topology holds one chain of Level and "
				     "then Nodes, whose names are not empty "
				     "and differ from their siblings'." },
	[HDI_RULE_PROJ_COMMUNICATOR] = { "proj.communicator", HDI_WARNING,
					 "Ranks of communicators have the "
					 "numbers global, local and cid." },
	[HDI_RULE_PROJ_DATATYPE] = { "proj.datatype", HDI_WARNING,
				     "MPI datatypes have a numeric id and a "
				     "combiner that MPI knows." },
	[HDI_RULE_PROJ_FILE_SIZE] = { "proj.file-size", HDI_WARNING,
				      "The InitialSize of a File is a number "
				      "of bytes." },
	[HDI_RULE_PROJ_CLOCK] = { "proj.clock", HDI_WARNING,
				  "A Clock has an error, and its points have "
				  "time, offset and error, in seconds." },
	[HDI_RULE_PROJ_GROUP_MISSING] = { "proj.group-missing", HDI_WARNING,
					  "A group that is declared has a "
					  ".stat file." },
	[HDI_RULE_PROJ_UNDECLARED] = { "proj.undeclared", HDI_NOTE,
				       "Groups and nodes that have files are "
				       "declared in the .proj file." },
	[HDI_RULE_STAT_LENGTH] = { "stat.length", HDI_ERROR,
				   "A .stat file begins with the length of its "
				   "header, in decimal digits, and a line "
				   "feed." },
	[HDI_RULE_STAT_HEADER] = { "stat.header", HDI_ERROR,
				   "The header of a .stat file is complete, "
				   "well-formed XML without DOCTYPE, not too "
				   "deep, and with few attributes: "
				   "Statistics with a Group that has a name." },
	[HDI_RULE_STAT_TYPE] = { "stat.type", HDI_ERROR,
				 "The type of a value is INT32, INT64, UINT64, "
				 "FLOAT, DOUBLE or STRING." },
	[HDI_RULE_STAT_ADJUSTMENT] = { "stat.adjustment", HDI_WARNING,
				       "The timeAdjustment of a group is a "
				       "number of seconds (s) or ms." },
	[HDI_RULE_STAT_TIMESTAMPS] = { "stat.timestamps", HDI_WARNING,
				       "The timestampDatatype of a group is "
				       "EPOCH." },
	[HDI_RULE_STAT_NAME] = { "stat.name", HDI_WARNING,
				 "The header of a .stat file names the node "
				 "and the group that the file name does." },
	[HDI_RULE_STAT_OLD_FORMAT] = { "stat.old-format", HDI_WARNING,
				       "A .stat file has an initial time "
				       "stamp, and its timeAdjustment is not "
				       "a date." },
	[HDI_RULE_STAT_NO_START] = { "stat.no-start", HDI_WARNING,
				     "A .stat file has an initial time stamp "
				     "behind its header." },
	[HDI_RULE_STAT_TIME_INVALID] = { "stat.time-invalid", HDI_ERROR,
					 "The nanoseconds of a time stamp are "
					 "less than 1,000,000,000." },
	[HDI_RULE_STAT_TIME_DECREASES] = { "stat.time-decreases", HDI_ERROR,
					   "Time stamps of a .stat file never "
					   "decrease." },
	[HDI_RULE_STAT_STRING] = { "stat.string", HDI_ERROR,
				   "The length of a STRING value is not "
				   "negative." },
	[HDI_RULE_STAT_CUT_TAIL] = { "stat.cut-tail", HDI_WARNING,
				     "A .stat file ends with a complete "
				     "record." },
	[HDI_RULE_TRC_XML] = { "trc.xml", HDI_ERROR,
			       "A .trc file is well-formed XML without "
			       "DOCTYPE, not too deep, and with few "
			       "attributes." },
	[HDI_RULE_TRC_ROOT] = { "trc.root", HDI_ERROR,
				"The root element of a .trc file is "
				"Program." },
	[HDI_RULE_TRC_ADJUSTMENT] = { "trc.adjustment", HDI_WARNING,
				      "The timeAdjustment of Program is a "
				      "number of seconds." },
	[HDI_RULE_TRC_TIME] = { "trc.time", HDI_WARNING,
				"A state has its start as time and its end as "
				"end, an event its time, in seconds." },
	[HDI_RULE_TRC_TIME_ORDER] = { "trc.time-order", HDI_WARNING,
				      "A state does not end before it "
				      "starts." },
	[HDI_RULE_TRC_NAME] = { "trc.name", HDI_WARNING,
				"An event has a name." },
	[HDI_RULE_TRC_NESTED_NO_OWNER] = { "trc.nested-no-owner", HDI_WARNING,
					   "A Nested block stands right before "
					   "the state that it belongs to." },
	[HDI_RULE_TRC_CUT] = { "trc.cut", HDI_WARNING,
			       "A .trc file does not end within an "
			       "element." },
	[HDI_RULE_TRC_NO_END] = { "trc.no-end", HDI_WARNING,
				  "A .trc file ends with </Program>." },
	[HDI_RULE_REL_XML] = { "rel.xml", HDI_ERROR,
			       "A .rel file is well-formed XML without "
			       "DOCTYPE, not too deep, and with few "
			       "attributes." },
	[HDI_RULE_REL_ROOT] = { "rel.root", HDI_ERROR,
				"The root element of a .rel file is "
				"relation." },
	[HDI_RULE_REL_ADJUSTMENT] = { "rel.adjustment", HDI_WARNING,
				      "The timeAdjustment of relation is a "
				      "number of seconds." },
	[HDI_RULE_REL_IDENTITY] = { "rel.identity", HDI_WARNING,
				    "A .rel file has a hostID and a "
				    "localToken, "
				    "without colons, and a topologyNumber." },
	[HDI_RULE_REL_ELEMENT] = { "rel.element", HDI_WARNING,
				   "An element of a .rel file is rel, un, s, e "
				   "or link, and has a number t, a time, and "
				   "the other mandatory attributes." },
	[HDI_RULE_REL_ORDER] = { "rel.order", HDI_WARNING,
				 "A relation begins before all else, and once; "
				 "its states nest; nothing comes after its "
				 "end." },
	[HDI_RULE_REL_TIME_ORDER] = { "rel.time-order", HDI_WARNING,
				      "The times of a relation do not "
				      "decrease." },
	[HDI_RULE_REL_CUT] = { "rel.cut", HDI_WARNING,
			       "A .rel file does not end within an element." },
	[HDI_RULE_REL_NO_END] = { "rel.no-end", HDI_WARNING,
				  "A .rel file ends with </relation>." },
};

const hdIRule *hdI_getRules(size_t *count)
{
	if (count)
		*count = HDI_RULE_COUNT;
	return rules;
}

void hdIReport(const struct hdISink *sink, enum hdIRuleId rule,
	       const char *file, int64_t offset, int64_t line,
	       const char *format, ...)
{
	int saved = errno;
	char text[1024];
	va_list args;
	hdIMessage message = {
		.severity = rules[rule].severity,
		.rule = rules[rule].id,
		.file = file,
		.offset = offset,
		.line = line,
		.text = text,
	};

	if (!sink->handler)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			*p = ' ';
	sink->handler(&message, sink->data);
	errno = saved;
}
