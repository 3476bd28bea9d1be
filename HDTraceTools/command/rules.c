/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The rules of the format that the tools check beside the reading library.
 */
#include "config.h"

#include <string.h>
#include <glib.h>

#include "HDTraceTools/command/rules.h"

static const hdIRule rules[] = {
	{ "proj.unreadable", HDI_ERROR, "The project can be opened." },
	{ "proj.depth", HDI_WARNING, "Every node has a Level with a type." },
	{ "proj.group-twice", HDI_WARNING, "Each group is declared once." },
	{ "proj.comm-rank", HDI_WARNING,
	  "Ranks of communicators are nodes of level Rank." },
	{ "proj.comm-twice", HDI_WARNING,
	  "A rank occurs once in a communicator, as a global and as a local "
	  "rank." },
	{ "proj.comm-local", HDI_WARNING,
	  "Local ranks of a communicator of N ranks are 0 to N - 1." },
	{ "proj.comm-id", HDI_WARNING,
	  "A rank has different ids (cid) for different communicators." },
	{ "proj.comm-uid", HDI_WARNING,
	  "Different communicators have different uids." },
	{ "proj.datatype-rank", HDI_WARNING,
	  "Datatypes belong to a rank and a thread of the topology." },
	{ "proj.datatype-twice", HDI_WARNING,
	  "A rank and thread has different ids for different datatypes." },
	{ "proj.datatype-base", HDI_WARNING,
	  "The base types of a datatype are defined." },
	{ "proj.node-empty", HDI_WARNING,
	  "A leaf node has a file if other nodes of its level have one." },
	{ "proj.comm-trace", HDI_WARNING,
	  "Ranks of communicators have a trace." },
	{ "proj.clock-node", HDI_WARNING, "Compared clocks belong to nodes." },
	{ "proj.clocks", HDI_NOTE,
	  "Messages between hosts without clock comparison are received after "
	  "they are sent." },
	{ "proj.span", HDI_WARNING,
	  "The times of a file are within an hour of the times of another "
	  "file." },
	{ "stat.empty", HDI_NOTE, "A group has entries." },
	{ "stat.simulated", HDI_NOTE,
	  "Values of a group are measured, not simulated." },
	{ "stat.kind", HDI_WARNING,
	  "The kind of a value is gauge, counter or delta." },
	{ "stat.delay", HDI_NOTE,
	  "Time stamps of a group match the measured interval." },
	{ "stat.value-twice", HDI_WARNING,
	  "Values of a group have different names." },
	{ "trc.empty", HDI_NOTE, "A trace has states or events." },
	{ "trc.part", HDI_NOTE,
	  "Recording was not interrupted and includes all MPI messages." },
	{ "trc.overlap", HDI_WARNING,
	  "States and events of one nesting start in order and do not "
	  "overlap." },
	{ "trc.outside", HDI_WARNING,
	  "States and events are within the time of the enclosing state." },
	{ "trc.comm", HDI_WARNING,
	  "A communicator (cid) in a state is known to its rank." },
	{ "trc.datatype", HDI_WARNING,
	  "A datatype (tid, sendTid, recvTid) in a state is known to its "
	  "rank." },
	{ "trc.site", HDI_WARNING,
	  "A call site (site) in a state is described there or earlier." },
	{ "trc.program", HDI_NOTE,
	  "Programs and libraries of call sites exist and have the recorded "
	  "build ids." },
	{ "trc.message", HDI_WARNING,
	  "Messages are received after they are sent, within the clock errors "
	  "of both hosts." },
	{ "rel.never-ended", HDI_WARNING, "Relations end." },
	{ "rel.state-open", HDI_WARNING,
	  "States end before their relation ends." },
	{ "rel.failed", HDI_NOTE,
	  "States succeed: they have no attribute error." },
	{ "rel.inferred", HDI_NOTE,
	  "The cause of a relation is recorded, not inferred from a process "
	  "number." },
	{ "rel.owner-twice", HDI_WARNING,
	  "Two files differ in hostID, localToken or topologyNumber." },
	{ "rel.twice", HDI_WARNING, "A relation begins once in a file." },
	{ "rel.token", HDI_WARNING,
	  "Causes are well-formed tokens or W3C spans, and W3C traces are "
	  "well-formed." },
	{ "rel.orphan", HDI_WARNING,
	  "The cause of a relation is in a file of the project." },
	{ "rel.child-early", HDI_WARNING,
	  "A relation begins after its cause, within the clock errors of both "
	  "hosts." },
	{ "info.kind", HDI_WARNING,
	  "Lines of `.info` files begin with File, Comm, CommName, Type, "
	  "Clock, "
	  "ClockStep or Process." },
	{ "info.syntax", HDI_WARNING,
	  "The rest of an `.info` line consists of KEY=VALUE pairs." },
	{ "info.quote", HDI_WARNING,
	  "Every opening quote has a closing quote." },
	{ "info.escape", HDI_WARNING,
	  "Each escape sequence is a C escape sequence." },
	{ "info.key-twice", HDI_WARNING, "A key occurs once in a line." },
	{ "info.key-missing", HDI_WARNING,
	  "A line has all mandatory keys of its kind." },
	{ "info.number", HDI_WARNING,
	  "Ids, sizes and times are numbers, lists contain numbers." },
	{ "info.map", HDI_WARNING,
	  "The map and remote of a communicator are W->L;W->L;.. with every W "
	  "once." },
	{ "info.combiner", HDI_WARNING, "A combiner is a name." },
	{ "info.cut", HDI_WARNING,
	  "The last line of an `.info` file is complete." },
	{ "info.rank", HDI_WARNING,
	  "An `.info` file belongs to a rank: a node at or below level Rank, "
	  "whose label there is a number." },
	{ "info.comm-rank", HDI_WARNING,
	  "A communicator contains the rank that wrote it." },
	{ "info.clock", HDI_WARNING,
	  "A Clock line belongs to a host: a node at or below level Host, or "
	  "level 1." },
	{ "clock.stepped", HDI_NOTE,
	  "The system clock is not set while a file is recorded." },
	{ "info.id-twice", HDI_WARNING,
	  "Ids are unique: of communicators within a rank, of datatypes within "
	  "a thread." },
	{ "merge.file-name", HDI_WARNING,
	  "A file name has a label between any two `_`." },
	{ "merge.levels", HDI_WARNING,
	  "A trace has at most as many levels as a file name can have "
	  "labels." },
	{ "merge.labels", HDI_WARNING,
	  "Joined projects have different labels." },
	{ "merge.communicators", HDI_WARNING,
	  "Joined projects have `.info` files with their communicators." },
	{ "merge.offset", HDI_WARNING,
	  "The given offsets are consistent with the relations." },
	{ "merge.base", HDI_NOTE,
	  "All processes of a host began with the same setting of its clock." },
	{ "merge.unbound", HDI_NOTE, "Relations connect the joined projects." },
	{ "merge.group-name", HDI_WARNING,
	  "The name of a group is a valid name of an XML element." },
};

const hdIRule *rulesGet(size_t *count)
{
	*count = G_N_ELEMENTS(rules);
	return rules;
}

const hdIRule *rulesFind(const char *id)
{
	size_t count;
	const hdIRule *others = hdI_getRules(&count);

	for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
		if (strcmp(rules[i].id, id) == 0)
			return &rules[i];
	}
	for (size_t i = 0; i < count; i++) {
		if (strcmp(others[i].id, id) == 0)
			return &others[i];
	}
	g_error("there is no rule %s", id);
}
