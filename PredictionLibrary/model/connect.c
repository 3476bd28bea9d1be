/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From what was built to a platform that is ready; see platform.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/model/platform.h"

static void endError(const hdPPlatform *platform,
		     struct hdPredictReport *report, uint32_t name,
		     int64_t line, const char *text)
{
	size_t length;
	const char *id = hdPredictName(&platform->names, name, &length);

	hdPredictError(report, line, id, length, "%s", text);
}

static const struct hdPredictArchitecture *architectureOf(
	const hdPPlatform *platform, uint32_t name, bool isBridge)
{
	uint32_t number;

	if (name == HD_PREDICT_NONE)
		return NULL;
	number = platform->architectureOf[name];
	if (number == HD_PREDICT_NONE ||
	    platform->architectures[number].isBridge != isBridge)
		return NULL;
	return &platform->architectures[number];
}

/* ---- Servers and PEs --------------------------------------------------- */

static int countServers(hdPPlatform *platform, struct hdPredictReport *report)
{
	platform->servers =
		calloc(platform->nodeCount + 1, sizeof(*platform->servers));
	if (!platform->servers)
		return -ENOMEM;
	for (uint32_t i = 0; i < platform->endCount; i++) {
		const struct hdPredictEnd *end = &platform->ends[i];
		const struct hdPredictArchitecture *architecture;
		struct hdPredictNode *node;

		if (end->kind != HD_PREDICT_MEMORY)
			continue;
		if (end->node == HD_PREDICT_NONE) {
			endError(platform, report, end->name, end->line,
				 "main memory outside of a node");
			continue;
		}
		node = &platform->nodes[end->node];
		if (node->server != HD_PREDICT_NONE) {
			endError(platform, report, end->name, end->line,
				 "the node has two main memories");
			continue;
		}
		architecture =
			architectureOf(platform, node->architecture, false);
		node->server = platform->serverCount;
		platform->servers[platform->serverCount++] =
			(struct hdPredictServer){
				.node = end->node,
				.memory = i,
				.hasIdle =
					architecture && architecture->hasIdle,
				.idlePower = architecture
						     ? architecture->idlePower
						     : 0,
				.peakPower = architecture
						     ? architecture->peakPower
						     : 0,
				.size = end->size,
				.full = end->full,
			};
	}
	/* Parents stand before their children. */
	for (size_t i = 0; i < platform->nodeCount; i++) {
		struct hdPredictNode *node = &platform->nodes[i];
		uint32_t above = node->parent == HD_PREDICT_NONE
					 ? HD_PREDICT_NONE
					 : platform->nodes[node->parent].server;

		if (node->server == HD_PREDICT_NONE)
			node->server = above;
		else if (above != HD_PREDICT_NONE)
			endError(platform, report, node->name, node->line,
				 "a cluster server is inside another cluster "
				 "server");
	}
	if (!platform->serverCount && !report->errors)
		hdPredictError(report, 0, NULL, 0,
			       "no cluster server; at least one node needs "
			       "main memory");
	return 0;
}

/* PEs of one architecture in one node: they may slow each other down. */
static int domainOf(hdPPlatform *platform, struct hdPredictNames *domains,
		    const struct hdPredictEnd *end, uint32_t architecture,
		    uint32_t *domain)
{
	uint32_t key[] = { end->node, architecture };

	(void)platform;
	return hdPredictNamesAdd(domains, (const char *)key, sizeof(key),
				 domain);
}

static int addPes(hdPPlatform *platform, struct hdPredictNames *domains,
		  struct hdPredictReport *report)
{
	for (uint32_t i = 0; i < platform->endCount; i++) {
		const struct hdPredictEnd *end = &platform->ends[i];
		struct hdPredictPe pe = { .end = i };
		size_t length;
		const char *text;
		uint32_t number;

		if (end->kind != HD_PREDICT_PE)
			continue;
		if (end->node == HD_PREDICT_NONE ||
		    platform->nodes[end->node].server == HD_PREDICT_NONE) {
			endError(platform, report, end->name, end->line,
				 "no main memory for the PE, neither in its "
				 "node nor in an enclosing node");
			continue;
		}
		pe.server = platform->nodes[end->node].server;
		text = hdPredictName(&platform->architectureNames,
				     end->architecture, &length);
		if (hdPredictNamesAdd(&platform->peArchitectures, text, length,
				      &pe.architecture) < 0 ||
		    domainOf(platform, domains, end, pe.architecture,
			     &pe.domain) < 0)
			return -ENOMEM;
		text = hdPredictName(&platform->names, end->name, &length);
		if (hdPredictNamesAdd(&platform->peNames, text, length,
				      &number) < 0)
			return -ENOMEM;
		platform->pes[platform->peCount] = pe;
		platform->peIds[platform->peCount] = strndup(text, length);
		if (!platform->peIds[platform->peCount++])
			return -ENOMEM;
	}
	platform->domainCount = domains->count;
	if (!platform->peCount && !report->errors)
		hdPredictError(report, 0, NULL, 0, "no PE");
	return 0;
}

static int nameServers(hdPPlatform *platform)
{
	platform->serverIds = calloc(platform->serverCount + 1, sizeof(char *));
	if (!platform->serverIds)
		return -ENOMEM;
	for (uint32_t i = 0; i < platform->serverCount; i++) {
		const struct hdPredictNode *node =
			&platform->nodes[platform->servers[i].node];

		platform->serverIds[i] =
			hdPredictNameCopy(&platform->names, node->name);
		if (!platform->serverIds[i])
			return -ENOMEM;
	}
	return 0;
}

/* ---- Bridges ----------------------------------------------------------- */

static int findBridges(hdPPlatform *platform, struct hdPredictReport *report)
{
	size_t count = platform->names.count;

	platform->bridgeOf = malloc((count + 1) * sizeof(uint32_t));
	if (!platform->bridgeOf)
		return -ENOMEM;
	memset(platform->bridgeOf, 0xff, (count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < platform->bridgeCount; i++)
		platform->bridgeOf[platform->bridges[i].name] = i;
	for (uint32_t i = 0; i < platform->linkCount; i++) {
		const struct hdPredictLink *link = &platform->links[i];
		uint32_t number = platform->bridgeOf[link->bridge];
		struct hdPredictBridge *bridge;

		if (number == HD_PREDICT_NONE) {
			size_t length, idLength;
			const char *peer = hdPredictName(&platform->names,
							 link->bridge, &length);
			const char *id = hdPredictName(
				&platform->names,
				platform->ends[link->end].name, &idLength);

			hdPredictError(report, link->line, id, idLength,
				       "unknown bridge %.*s",
				       (int)(length > 200 ? 200 : length),
				       peer);
			continue;
		}
		bridge = &platform->bridges[number];
		if (bridge->links == 0)
			bridge->first = i;
		else
			bridge->second = i;
		bridge->links++;
	}
	return 0;
}

static int connectAddEdge(hdPPlatform *platform,
			  const struct hdPredictBridge *bridge, uint32_t from,
			  uint32_t to)
{
	const struct hdPredictArchitecture *architecture =
		architectureOf(platform, bridge->architecture, true);
	struct hdPredictEdgeOf edge = {
		.from = from,
		.to = to,
		.bridge = (uint32_t)(bridge - platform->bridges)
	};

	if (architecture) {
		edge.init = architecture->initLatency;
		edge.size = architecture->packetSize;
		edge.latency = architecture->packetLatency;
		edge.energy = architecture->packetEnergy;
	}
	platform->bridgeIds[platform->edgeCount] =
		hdPredictNameCopy(&platform->names, bridge->name);
	if (!platform->bridgeIds[platform->edgeCount])
		return -ENOMEM;
	platform->edges[platform->edgeCount++] = edge;
	return 0;
}

static int resolveBridge(hdPPlatform *platform,
			 const struct hdPredictBridge *bridge,
			 struct hdPredictReport *report)
{
	const struct hdPredictLink *a, *b;
	int ret = 0;

	if (bridge->links != 2) {
		size_t length;
		const char *id =
			hdPredictName(&platform->names, bridge->name, &length);

		hdPredictError(report, bridge->line, id, length,
			       "a bridge connects two channels, but %u name "
			       "this bridge",
			       bridge->links);
		return 0;
	}
	a = &platform->links[bridge->first];
	b = &platform->links[bridge->second];
	if (a->end == b->end) {
		endError(platform, report, bridge->name, bridge->line,
			 "the bridge connects a channel to itself");
		return 0;
	}
	if (!(a->isOut && b->isIn) && !(b->isOut && a->isIn)) {
		endError(platform, report, bridge->name, bridge->line,
			 "the bridge needs a channel that sends and one that "
			 "receives");
		return 0;
	}
	if (a->isOut && b->isIn)
		ret = connectAddEdge(platform, bridge, a->end, b->end);
	if (ret == 0 && b->isOut && a->isIn)
		ret = connectAddEdge(platform, bridge, b->end, a->end);
	return ret;
}

int hdPredictEdgesResolve(hdPPlatform *platform, struct hdPredictReport *report)
{
	int ret = findBridges(platform, report);
	uint32_t *next;

	platform->edges = malloc((platform->bridgeCount + 1) * 2 *
				 sizeof(*platform->edges));
	platform->bridgeIds =
		calloc(platform->bridgeCount * 2 + 1, sizeof(char *));
	platform->edgeFrom = calloc(platform->endCount + 2, sizeof(uint32_t));
	platform->edgeOrder =
		malloc((platform->bridgeCount + 1) * 2 * sizeof(uint32_t));
	if (ret < 0 || !platform->edges || !platform->edgeFrom ||
	    !platform->edgeOrder || !platform->bridgeIds)
		return -ENOMEM;
	for (size_t i = 0; i < platform->bridgeCount; i++) {
		ret = resolveBridge(platform, &platform->bridges[i], report);
		if (ret < 0)
			return ret;
	}
	next = platform->edgeFrom;
	for (uint32_t i = 0; i < platform->edgeCount; i++)
		next[platform->edges[i].from + 2]++;
	for (size_t i = 2; i < platform->endCount + 2; i++)
		next[i] += next[i - 1];
	for (uint32_t i = 0; i < platform->edgeCount; i++)
		platform->edgeOrder[next[platform->edges[i].from + 1]++] = i;
	return 0;
}

/* ---- Whether everybody can send to everybody --------------------------- */

/* Mark what is reached from an end point, or what reaches it. */
static int reach(const hdPPlatform *platform, uint32_t from, bool isBackwards,
		 const uint32_t *into, const uint32_t *intoOrder,
		 uint8_t *isReached)
{
	uint32_t *queue = malloc((platform->endCount + 1) * sizeof(*queue));
	size_t head = 0, tail = 0;

	if (!queue)
		return -ENOMEM;
	memset(isReached, 0, platform->endCount);
	isReached[from] = 1;
	queue[tail++] = from;
	while (head < tail) {
		uint32_t at = queue[head++];
		const uint32_t *first = isBackwards ? into : platform->edgeFrom;
		const uint32_t *order =
			isBackwards ? intoOrder : platform->edgeOrder;

		for (uint32_t i = first[at]; i < first[at + 1]; i++) {
			const struct hdPredictEdgeOf *edge =
				&platform->edges[order[i]];
			uint32_t to = isBackwards ? edge->from : edge->to;

			if (!isReached[to]) {
				isReached[to] = 1;
				queue[tail++] = to;
			}
		}
	}
	free(queue);
	return 0;
}

static void unreached(const hdPPlatform *platform,
		      struct hdPredictReport *report, const uint8_t *isReached,
		      const uint8_t *isLinked, uint32_t root, const char *text)
{
	size_t rootLength;
	const char *rootId = hdPredictName(
		&platform->names, platform->ends[root].name, &rootLength);

	for (uint32_t i = 0; i < platform->endCount; i++) {
		const struct hdPredictEnd *end = &platform->ends[i];
		size_t length;
		const char *id;

		/* A PE need not be linked: it sends from memory. */
		if (isReached[i] ||
		    (end->kind == HD_PREDICT_PE && !isLinked[i]))
			continue;
		id = hdPredictName(&platform->names, end->name, &length);
		hdPredictError(report, end->line, id, length,
			       "the platform is not strongly connected: %s "
			       "%.*s",
			       text, (int)(rootLength > 200 ? 200 : rootLength),
			       rootId);
	}
}

int hdPredictConnected(const hdPPlatform *platform,
		       struct hdPredictReport *report)
{
	size_t n = platform->endCount;
	uint8_t *isReached = malloc(n + 1), *isLinked = calloc(n + 1, 1);
	uint32_t *into = calloc(n + 2, sizeof(*into));
	uint32_t *order = malloc((platform->edgeCount + 1) * sizeof(*order));
	uint32_t root = platform->servers[0].memory;
	int ret = -ENOMEM;

	if (!isReached || !isLinked || !into || !order)
		goto end;
	for (uint32_t i = 0; i < platform->edgeCount; i++) {
		into[platform->edges[i].to + 2]++;
		isLinked[platform->edges[i].to] = 1;
		isLinked[platform->edges[i].from] = 1;
	}
	for (size_t i = 2; i < n + 2; i++)
		into[i] += into[i - 1];
	for (uint32_t i = 0; i < platform->edgeCount; i++)
		order[into[platform->edges[i].to + 1]++] = i;
	ret = reach(platform, root, false, into, order, isReached);
	if (ret < 0)
		goto end;
	unreached(platform, report, isReached, isLinked, root,
		  "it is unreachable from");
	ret = reach(platform, root, true, into, order, isReached);
	if (ret < 0)
		goto end;
	unreached(platform, report, isReached, isLinked, root,
		  "it cannot reach");
end:
	free(isReached);
	free(isLinked);
	free(into);
	free(order);
	return ret;
}

int hdPredictPlatformSeal(hdPPlatform *platform, struct hdPredictReport *report)
{
	struct hdPredictNames domains = { 0 };
	int ret;

	platform->pes =
		malloc((platform->endCount + 1) * sizeof(*platform->pes));
	platform->peIds = calloc(platform->endCount + 1, sizeof(char *));
	if (!platform->pes || !platform->peIds)
		return -ENOMEM;
	ret = countServers(platform, report);
	if (ret == 0)
		ret = addPes(platform, &domains, report);
	hdPredictNamesFree(&domains);
	if (ret == 0)
		ret = nameServers(platform);
	if (ret == 0)
		ret = hdPredictEdgesResolve(platform, report);
	if (ret == 0 && !report->errors)
		ret = hdPredictConnected(platform, report);
	if (ret == 0 && report->errors)
		ret = -EINVAL;
	platform->isFinished = ret == 0;
	return ret;
}
