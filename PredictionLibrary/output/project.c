/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A predicted project: hdP_writeProject(); see project.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdTrace.h>
#include "PredictionLibrary/mapping/routes.h"
#include "PredictionLibrary/output/project.h"
#include "PredictionLibrary/simulation/power.h"
#include "common/clock.h"
#include "common/format/level.h"
#include "common/format/projectfile.h"

int64_t hdPredictNs(double seconds)
{
	return llround(seconds * 1e9);
}

struct timespec hdPredictTime(double seconds)
{
	return hdClockToTimespec(HD_PREDICT_START * HD_NS_PER_S +
				 hdPredictNs(seconds));
}

char *hdPredictHostLabel(const hdPPlatform *platform, uint32_t server)
{
	char *label =
		strdup(server == HD_PREDICT_NONE ? "network"
						 : platform->serverIds[server]);

	for (char *c = label; c && *c; c++) {
		bool isGood = (*c >= 'A' && *c <= 'Z') ||
			      (*c >= 'a' && *c <= 'z') ||
			      (*c >= '0' && *c <= '9') || *c == '.';

		if (!isGood)
			*c = '-';
	}
	return label;
}

hdTopoNode *hdPredictTopoNode(const struct hdPredictProject *project,
			      uint32_t server, uint32_t rank, uint32_t thread)
{
	char *host = hdPredictHostLabel(project->result->platform, server);
	char numbers[2][16];
	const char *path[] = { host, numbers[0], numbers[1] };
	hdTopoNode *node;

	snprintf(numbers[0], sizeof(numbers[0]), "%u", rank);
	snprintf(numbers[1], sizeof(numbers[1]), "%u", thread);
	node = host ? hdT_createTopoNode(project->topology, path,
					 rank == HD_PREDICT_NONE ? 1 : 3)
		    : NULL;
	free(host);
	return node;
}

static int orderMessages(struct hdPredictProject *self)
{
	const hdPResult *result = self->result;
	size_t n = result->transferCount, hops = 0;
	uint32_t tasks = result->graph->taskCount;
	uint32_t edgeCount = result->platform->edgeCount;
	const uint32_t *edges;

	self->first = malloc(((size_t)tasks + 1) * sizeof(uint32_t));
	self->next = malloc((n + 1) * sizeof(uint32_t));
	self->rank = malloc((n + 1) * sizeof(uint32_t));
	self->edgeFirst = calloc((size_t)edgeCount + 2, sizeof(uint32_t));
	self->lanes = calloc((size_t)edgeCount + 1, sizeof(uint32_t));
	if (!self->first || !self->next || !self->rank || !self->edgeFirst ||
	    !self->lanes)
		return -ENOMEM;
	memset(self->first, 0xff, (size_t)tasks * sizeof(uint32_t));
	for (uint32_t m = 0; m < n; m++) {
		const struct hdPredictTransfer *transfer =
			&result->transfers[m];
		uint32_t task = result->graph->consumerTask[transfer->consumer];
		int count = hdPredictRoute(self->routes, transfer->source,
					   transfer->destination, &edges);

		if (count < 1)
			return -ENOMEM;
		self->next[m] = self->first[task];
		self->first[task] = m;
		self->rank[m] = result->platform->peCount + edges[0];
		for (int i = 0; i < count; i++)
			self->edgeFirst[edges[i] + 2]++;
		hops += (size_t)count;
	}
	self->byEdge = malloc((hops + 1) * sizeof(uint32_t));
	if (!self->byEdge)
		return -ENOMEM;
	for (uint32_t e = 2; e < edgeCount + 2; e++)
		self->edgeFirst[e] += self->edgeFirst[e - 1];
	for (uint32_t m = 0; m < n; m++) {
		int count = hdPredictRoute(
			self->routes, result->transfers[m].source,
			result->transfers[m].destination, &edges);

		for (int i = 0; i < count; i++)
			self->byEdge[self->edgeFirst[edges[i] + 1]++] = m;
	}
	return 0;
}

/* ---- The project file --------------------------------------------------- */

static void predictProjectPutRank(const struct hdPredictProject *self,
				  FILE *file, uint32_t rank)
{
	uint32_t pes = self->result->platform->peCount;
	uint32_t threads = rank < pes ? 1 : self->lanes[rank - pes];
	char number[16];

	snprintf(number, sizeof(number), "%u", rank);
	hdProjectTag(file, 6, "Node name", number, false);
	for (uint32_t t = 0; t < threads; t++) {
		snprintf(number, sizeof(number), "%u", t);
		hdProjectTag(file, 8, "Node name", number, true);
	}
	hdProjectEnd(file, 6, "Node");
}

static void putHost(const struct hdPredictProject *self, FILE *file,
		    uint32_t server, const uint32_t *ranks, const uint32_t *end)
{
	char *label = hdPredictHostLabel(self->result->platform, server);

	hdProjectTag(file, 4, "Node name", label ? label : "", false);
	free(label);
	for (; ranks < end; ranks++)
		predictProjectPutRank(self, file, *ranks);
	hdProjectEnd(file, 4, "Node");
}

/* Servers, then what is in none, if there is any. */
static int putHosts(const struct hdPredictProject *self, FILE *file)
{
	const hdPPlatform *platform = self->result->platform;
	uint32_t servers = platform->serverCount;
	uint32_t n = platform->peCount + platform->edgeCount;
	uint32_t *host = malloc(((size_t)n + 1) * sizeof(*host));
	uint32_t *first = NULL, *ranks = NULL;
	int ret = host ? 0 : -ENOMEM;

	for (uint32_t r = 0; r < n && ret == 0; r++) {
		host[r] = r < platform->peCount
				  ? platform->pes[r].server
				  : hdPredictBridgeServer(
					    platform, r - platform->peCount);
		if (host[r] == HD_PREDICT_NONE)
			host[r] = servers;
	}
	if (ret == 0)
		ret = hdPredictGroup(host, sizeof(*host), 0, n, servers + 1,
				     &first, &ranks);
	for (uint32_t s = 0; s < servers && ret == 0; s++)
		putHost(self, file, s, ranks + first[s], ranks + first[s + 1]);
	if (ret == 0 && first[servers + 1] > first[servers])
		putHost(self, file, HD_PREDICT_NONE, ranks + first[servers],
			ranks + first[servers + 1]);
	free(host);
	free(first);
	free(ranks);
	return ret;
}

int hdPredictProjectFile(const struct hdPredictProject *self,
			 const char *description, const char *const *groups)
{
	const hdPPlatform *platform = self->result->platform;
	char *path = hdProjectFileName(self->name, ".proj");
	FILE *file = path ? fopen(path, "wx") : NULL;
	const char *base = strrchr(self->name, '/');
	int ret;

	free(path);
	if (!file)
		return path ? -errno : -ENOMEM;
	hdProjectBegin(file, base ? base + 1 : self->name, description);
	fputs("  <Topology>\n    <Level type=\"Host\">\n"
	      "      <Level type=\"Rank\">\n        <Level type=\"Thread\" />\n"
	      "      </Level>\n    </Level>\n",
	      file);
	ret = putHosts(self, file);
	fputs("  </Topology>\n  <CommunicatorList>\n"
	      "    <Communicator name=\"WORLD\">\n",
	      file);
	for (uint32_t r = 0; r < platform->peCount + platform->edgeCount; r++)
		fprintf(file,
			"      <Rank global=\"%u\" local=\"%u\" cid=\"0\" />\n",
			r, r);
	fputs("    </Communicator>\n  </CommunicatorList>\n"
	      "  <ExternalStatistics>\n",
	      file);
	for (; *groups; groups++)
		fprintf(file, "    <%s />\n", *groups);
	fputs("  </ExternalStatistics>\n</Application>\n", file);
	if (ret == 0 && ferror(file))
		ret = -EIO;
	if (fclose(file) != 0 && ret == 0)
		ret = -errno;
	return ret;
}

int hdP_writeProject(const hdPResult *result, const char *project)
{
	static const char *levels[] = { HD_LEVEL_HOST, HD_LEVEL_RANK,
					HD_LEVEL_THREAD };
	static const char *const groups[] = { "Energy", "Memory", "Transfers",
					      NULL };
	struct hdPredictProject self = { .result = result, .name = project };
	int ret;

	if (!result || !project || !result->energy)
		return -EINVAL;
	/* Times in files end in 2106. */
	if (result->totals.makespan >
	    (double)(HD_TIME_MAX / HD_NS_PER_S - HD_PREDICT_START))
		return -EOVERFLOW;
	self.topology = hdT_createTopology(project, levels, 3);
	self.routes = hdPredictRoutesNew(result->platform);
	ret = self.topology && self.routes ? orderMessages(&self) : -ENOMEM;
	if (ret == 0) {
		self.causes = hdPredictCausesNew(&self);
		ret = self.causes ? hdPredictTraces(&self) : -ENOMEM;
	}
	if (ret == 0)
		ret = hdPredictPowers(&self);
	if (ret == 0)
		ret = hdPredictGauges(&self);
	if (ret == 0)
		ret = hdPredictProjectFile(&self,
					   "simulated by hdpredict; each PE "
					   "and each bridge is a rank",
					   groups);
	if (self.topology)
		hdT_destroyTopology(self.topology);
	hdPredictRoutesFree(self.routes);
	free(self.first);
	free(self.next);
	free(self.rank);
	free(self.byEdge);
	free(self.edgeFirst);
	free(self.lanes);
	hdPredictCausesFree(self.causes);
	return ret;
}
