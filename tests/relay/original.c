/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program that is written against the functions of 2009, and no others. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include <hdRelation.h>

int main(void)
{
	const char *levels[] = { "Host", "Process" };
	const char *paths[][2] = { { "host0", "process0" },
				   { "host0", "process1" },
				   { "host1", "process0" } };
	const char *keys[] = { "key", "other" };
	const char *values[] = { "value", "<&\"'>" };
	hdTopology *topology = hdT_createTopology("p", levels, 2);
	hdR_token a, b, c, d, e;
	hdR_topoToken nodes[3];
	char *local, *remote;

	for (int i = 0; i < 3; i++) {
		hdTopoNode *node = hdT_createTopoNode(topology, paths[i], 2);

		if (hdR_initTopology(node, &nodes[i]) < 0)
			return 1;
		hdT_destroyTopoNode(node);
	}
	hdT_destroyTopology(topology);
	a = hdR_createTopLevelRelation(nodes[0]);
	local = hdR_getLocalToken(a);
	remote = hdR_getRemoteToken(a);
	b = hdR_relateTopologyInternalToken(a);
	c = hdR_relateProcessLocalToken(nodes[1], a);
	d = hdR_relateLocalToken(nodes[1], local);
	e = hdR_relateRemoteToken(nodes[2], remote);
	printf("%s\n%s\n", local, remote);
	free(local);
	free(remote);
	if (hdR_startE(a, "Create", 2, keys, values, "<data>stuff</data>") ||
	    hdR_startS(a, "finalize") || hdR_endS(a) ||
	    hdR_endE(a, 1, keys, values, "<data2>%d</data2>", 2) ||
	    hdR_start(e, "remote", 1, keys, values) ||
	    hdR_end(e, 0, NULL, NULL))
		return 1;
	if (hdR_destroyRelation(&a) || hdR_destroyRelation(&b) ||
	    hdR_destroyRelation(&c) || hdR_destroyRelation(&d) ||
	    hdR_destroyRelation(&e))
		return 1;
	for (int i = 0; i < 3; i++)
		if (hdR_finalize(&nodes[i]) < 0)
			return 1;
	return hdR_closeAPI() < 0;
}
