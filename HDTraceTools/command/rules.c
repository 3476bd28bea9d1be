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
	{ "proj.unreadable", HDI_ERROR, "A project can be opened." },
	{ "proj.depth", HDI_WARNING,
	  "There is a Level with a type for every node." },
	{ "proj.group-twice", HDI_WARNING, "A group is declared once." },
	{ "proj.comm-rank", HDI_WARNING,
	  "The ranks of communicators are nodes of the level Rank." },
	{ "proj.comm-twice", HDI_WARNING,
	  "A rank occurs once in a communicator, globally and locally." },
	{ "proj.comm-local", HDI_WARNING,
	  "The local ranks of a communicator are 0 to the number of its ranks "
	  "less 1." },
	{ "proj.comm-id", HDI_WARNING,
	  "A rank has different ids (cid) for different communicators." },
	{ "proj.comm-uid", HDI_WARNING,
	  "Different communicators have different uids." },
	{ "proj.datatype-rank", HDI_WARNING,
	  "Datatypes belong to a rank and a thread of the topology." },
	{ "proj.datatype-twice", HDI_WARNING,
	  "A rank and thread has different ids for different datatypes." },
	{ "proj.datatype-base", HDI_WARNING,
	  "The datatypes that a datatype is made of are there." },
	{ "proj.node-empty", HDI_WARNING,
	  "A node without nodes in it has a file, if others at its level have "
	  "one." },
	{ "proj.comm-trace", HDI_WARNING,
	  "The ranks of communicators have a trace." },
	{ "proj.clock-node", HDI_WARNING,
	  "The clocks that were compared are those of nodes." },
	{ "proj.clocks", HDI_NOTE,
	  "Messages between hosts whose clocks were not compared are received "
	  "after they are sent." },
	{ "proj.span", HDI_WARNING,
	  "The times of a file lie within an hour of those of some other "
	  "file." },
	{ "stat.empty", HDI_NOTE, "A group has entries." },
	{ "stat.simulated", HDI_NOTE,
	  "The values of a group are measured, not simulated." },
	{ "stat.kind", HDI_WARNING,
	  "The kind of a value is gauge, counter or delta." },
	{ "stat.delay", HDI_NOTE,
	  "The times of a group are those of what was measured, and not "
	  "late." },
	{ "stat.value-twice", HDI_WARNING,
	  "The values of a group have different names." },
	{ "trc.empty", HDI_NOTE, "A trace has states or events." },
	{ "trc.part", HDI_NOTE,
	  "Recording was not interrupted, and left no messages out." },
	{ "trc.overlap", HDI_WARNING,
	  "States and events at one nesting start in order, and not before the "
	  "one before them ended." },
	{ "trc.outside", HDI_WARNING,
	  "States and events lie in the time of the state around them." },
	{ "trc.comm", HDI_WARNING,
	  "A communicator (cid) that a state names is one of its rank." },
	{ "trc.datatype", HDI_WARNING,
	  "A datatype (tid, sendTid, recvTid) that a state names is one of its "
	  "rank." },
	{ "trc.site", HDI_WARNING,
	  "A call site (site) that a state names is described by then." },
	{ "trc.program", HDI_NOTE,
	  "The programs and libraries of call sites are there, and have the "
	  "build ids that they had." },
	{ "trc.message", HDI_WARNING,
	  "Messages are received after they are sent, but for the errors of "
	  "the clocks of both hosts." },
	{ "rel.never-ended", HDI_WARNING, "Relations end." },
	{ "rel.state-open", HDI_WARNING,
	  "States end before their relation does." },
	{ "rel.failed", HDI_NOTE,
	  "States do not fail: they have no attribute error." },
	{ "rel.inferred", HDI_NOTE,
	  "What caused a relation is known, and not inferred from the number "
	  "of a process." },
	{ "rel.owner-twice", HDI_WARNING,
	  "Two files have different hostIDs, localTokens or topologyNumbers." },
	{ "rel.twice", HDI_WARNING, "A relation begins once in a file." },
	{ "rel.token", HDI_WARNING,
	  "Causes of relations are tokens, or spans of W3C's traces, and "
	  "traces "
	  "have their form." },
	{ "rel.orphan", HDI_WARNING,
	  "What caused a relation is in a file of the project." },
	{ "rel.child-early", HDI_WARNING,
	  "A relation begins after what caused it, but for the errors of the "
	  "clocks of both hosts." },
	{ "info.kind", HDI_WARNING,
	  "Lines of `.info` files begin with File, Comm, CommName, Type or "
	  "Clock." },
	{ "info.syntax", HDI_WARNING,
	  "Lines of `.info` files go on with KEY=VALUE." },
	{ "info.quote", HDI_WARNING, "A quote that is opened is closed." },
	{ "info.escape", HDI_WARNING, "Escapes are those of C." },
	{ "info.key-twice", HDI_WARNING, "A key stands in a line once." },
	{ "info.key-missing", HDI_WARNING,
	  "A line has all keys that its kind needs." },
	{ "info.number", HDI_WARNING,
	  "Ids, sizes, times and lists are numbers." },
	{ "info.map", HDI_WARNING,
	  "The map and remote of a communicator are W->L;W->L;.. with every W "
	  "once." },
	{ "info.combiner", HDI_WARNING, "A combiner is a name." },
	{ "info.cut", HDI_WARNING,
	  "The last line of an `.info` file has an end." },
	{ "info.rank", HDI_WARNING,
	  "An `.info` file belongs to a rank: a node at or below the level "
	  "Rank, whose label is a number." },
	{ "info.comm-rank", HDI_WARNING,
	  "A communicator holds the rank that wrote it." },
	{ "info.clock", HDI_WARNING,
	  "A Clock line belongs to a host: a node at or below the level Host, "
	  "or level 1." },
	{ "info.id-twice", HDI_WARNING,
	  "A rank gives different communicators, a thread different "
	  "datatypes, different ids." },
	{ "merge.file-name", HDI_WARNING,
	  "Between two `_` in a file name stands a label." },
	{ "merge.levels", HDI_WARNING,
	  "A trace names no more levels than a file name can have labels." },
	{ "merge.labels", HDI_WARNING,
	  "Projects that are joined have different labels." },
	{ "merge.communicators", HDI_WARNING,
	  "Projects that are joined have `.info` files with their "
	  "communicators." },
	{ "merge.offset", HDI_WARNING,
	  "Relations allow the offsets that are given by hand." },
	{ "merge.unbound", HDI_NOTE,
	  "Relations connect projects that are joined." },
	{ "merge.group-name", HDI_WARNING,
	  "The name of a group can be the name of an element." },
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
