/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records as program.cpp and program.f90 do. */
#include <hdStats.h>
#include <hdTrace.h>

int main(void)
{
	const char *levels[] = { "Host", "Process" };
	const char *path[] = { "host0", "0" };
	hdTopology *topology = hdT_createTopology("run", levels, 2);
	hdTopoNode *node = hdT_createTopoNode(topology, path, 2);
	hdTrace *trace = hdT_createTrace(node);

	if (!trace)
		return 1;
	hdT_logStateStart(trace, "solve");
	hdT_logAttributes(trace, "n='%d' x='%g' t='%s'", 3, 0.5, "a b");
	hdT_logStateEnd(trace);
	return hdT_finalize(trace) < 0 || hdT_destroyTopoNode(node) < 0 ||
	       hdT_destroyTopology(topology) < 0;
}
