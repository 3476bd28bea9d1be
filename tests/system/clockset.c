/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records a gauge and relations while the clock is set, and prints by a clock
 * that is not when it changed them: a line for each entry and state.
 */
#include <fcntl.h>
#include <hdRelation.h>
#include <hdStats.h>
#include <hdTopo.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void nap(void)
{
	const struct timespec time = { 0, 20000000 };

	nanosleep(&time, NULL);
}

int main(void)
{
	const char *levels[] = { "Host" }, *path[] = { "a" };
	hdTopology *topology = hdT_createTopology("gauge", levels, 1);
	hdTopoNode *node = hdT_createTopoNode(topology, path, 1);
	hdS_gauge *gauge = hdS_gaugeCreate("DISK", node, 1, 0);
	hdR_topoToken relations = NULL;
	hdR_token token;

	hdR_initTopology(node, &relations);
	token = hdR_createTopLevelRelation(relations);
	for (int i = 0; i < 10; i++) {
		double begin = now();

		hdS_gaugeAdd(gauge, 1, 0);
		hdR_startS(token, "work");
		nap();
		if (i == 4)
			close(open("stepped", O_CREAT | O_WRONLY, 0666));
		nap();
		hdR_endS(token);
		hdS_gaugeAdd(gauge, -1, 4096);
		printf("%.9f %.9f\n", begin, now());
		nap();
	}
	hdR_destroyRelation(&token);
	hdS_gaugeFinalize(gauge);
	hdR_finalize(&relations);
	hdT_destroyTopoNode(node);
	hdT_destroyTopology(topology);
	return 0;
}
