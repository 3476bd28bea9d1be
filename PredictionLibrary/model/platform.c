/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Building platforms; see platform.h. */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/model/platform.h"

hdPPlatform *hdP_createPlatform(void)
{
	return calloc(1, sizeof(hdPPlatform));
}

static void freeTexts(char **texts, size_t count)
{
	for (size_t i = 0; texts && i < count; i++)
		free(texts[i]);
	free(texts);
}

void hdP_destroyPlatform(hdPPlatform *platform)
{
	if (!platform)
		return;
	free(platform->file);
	hdPredictNamesFree(&platform->names);
	free(platform->isTaken);
	hdPredictNamesFree(&platform->architectureNames);
	free(platform->architectureOf);
	free(platform->architectures);
	free(platform->nodes);
	free(platform->ends);
	free(platform->bridges);
	free(platform->bridgeOf);
	free(platform->links);
	free(platform->pes);
	free(platform->servers);
	free(platform->edges);
	free(platform->edgeFrom);
	free(platform->edgeOrder);
	hdPredictNamesFree(&platform->peArchitectures);
	hdPredictNamesFree(&platform->peNames);
	freeTexts(platform->peIds, platform->peCount);
	freeTexts(platform->serverIds, platform->serverCount);
	freeTexts(platform->bridgeIds, platform->edgeCount);
	free(platform);
}

char *hdPredictNameCopy(const struct hdPredictNames *names, uint32_t name)
{
	size_t length;
	const char *text = hdPredictName(names, name, &length);

	return strndup(text, length);
}

int hdPredictPlatformName(hdPPlatform *platform, const char *id, size_t length,
			  uint32_t *name)
{
	if (hdPredictNamesAdd(&platform->names, id, length, name) < 0)
		return -ENOMEM;
	while (*name >= platform->takenRoom) {
		size_t before = platform->takenRoom;

		if (hdPredictGrow(&platform->isTaken, before,
				  &platform->takenRoom, 1) < 0)
			return -ENOMEM;
		memset(platform->isTaken + before, 0,
		       platform->takenRoom - before);
	}
	if (platform->isTaken[*name])
		return -EEXIST;
	return 0;
}

int hdPredictArchitectureName(hdPPlatform *platform, const char *id,
			      size_t length, uint32_t *name)
{
	*name = HD_PREDICT_NONE;
	if (!id || !length)
		return 0;
	if (hdPredictNamesAdd(&platform->architectureNames, id, length, name) <
	    0)
		return -ENOMEM;
	while (*name >= platform->architectureOfRoom) {
		size_t before = platform->architectureOfRoom;

		if (hdPredictGrow(&platform->architectureOf, before,
				  &platform->architectureOfRoom,
				  sizeof(uint32_t)) < 0)
			return -ENOMEM;
		memset(platform->architectureOf + before, 0xff,
		       (platform->architectureOfRoom - before) *
			       sizeof(uint32_t));
	}
	return 0;
}

int hdPredictArchitectureAdd(hdPPlatform *platform, const char *id,
			     size_t length,
			     struct hdPredictArchitecture *architecture)
{
	int ret = hdPredictArchitectureName(platform, id, length,
					    &architecture->name);

	if (ret < 0)
		return ret;
	if (platform->architectureOf[architecture->name] != HD_PREDICT_NONE)
		return -EEXIST;
	if (hdPredictGrow(&platform->architectures, platform->architectureCount,
			  &platform->architectureRoom,
			  sizeof(*architecture)) < 0)
		return -ENOMEM;
	platform->architectureOf[architecture->name] =
		(uint32_t)platform->architectureCount;
	platform->architectures[platform->architectureCount++] = *architecture;
	return 0;
}

static bool platformIsAmount(double value)
{
	return isfinite(value) && value >= 0;
}

int hdP_addNodeArchitecture(hdPPlatform *platform, const char *id,
			    double idlePower, double peakPower)
{
	struct hdPredictArchitecture architecture = { .hasIdle = true,
						      .idlePower = idlePower,
						      .peakPower = peakPower };

	if (!platform || platform->isFinished || !id || !*id ||
	    !platformIsAmount(idlePower) || !platformIsAmount(peakPower))
		return -EINVAL;
	return hdPredictArchitectureAdd(platform, id, strlen(id),
					&architecture);
}

int hdP_addBridgeArchitecture(hdPPlatform *platform, const char *id,
			      double initLatency, double packetSize,
			      double packetLatency, double packetEnergy)
{
	struct hdPredictArchitecture architecture = {
		.isBridge = true,
		.initLatency = initLatency,
		.packetSize = packetSize,
		.packetLatency = packetLatency,
		.packetEnergy = packetEnergy
	};

	if (!platform || platform->isFinished || !id || !*id ||
	    !platformIsAmount(initLatency) || !platformIsAmount(packetSize) ||
	    !platformIsAmount(packetLatency) ||
	    !platformIsAmount(packetEnergy) ||
	    (packetSize == 0 && (packetLatency > 0 || packetEnergy > 0)))
		return -EINVAL;
	return hdPredictArchitectureAdd(platform, id, strlen(id),
					&architecture);
}

int64_t hdP_addNode(hdPPlatform *platform, int64_t parent, const char *id,
		    const char *architecture)
{
	struct hdPredictNode node = { .parent = (uint32_t)parent,
				      .server = HD_PREDICT_NONE };
	int ret;

	if (!platform || platform->isFinished || !id || !*id || parent < -1 ||
	    parent >= (int64_t)platform->nodeCount)
		return -EINVAL;
	ret = hdPredictPlatformName(platform, id, strlen(id), &node.name);
	if (ret < 0)
		return ret;
	if (hdPredictArchitectureName(platform, architecture,
				      architecture ? strlen(architecture) : 0,
				      &node.architecture) < 0 ||
	    hdPredictGrow(&platform->nodes, platform->nodeCount,
			  &platform->nodeRoom, sizeof(node)) < 0)
		return -ENOMEM;
	platform->isTaken[node.name] = 1;
	platform->nodes[platform->nodeCount] = node;
	return (int64_t)platform->nodeCount++;
}

static int64_t platformAddEnd(hdPPlatform *platform, int64_t node,
			      const char *id, const char *architecture,
			      enum hdPredictEndKind kind, double size)
{
	struct hdPredictEnd end = { .node = (uint32_t)node,
				    .kind = kind,
				    .size = size };
	int ret;

	if (!platform || platform->isFinished || !id || !*id || node < -1 ||
	    node >= (int64_t)platform->nodeCount || !platformIsAmount(size) ||
	    platform->endCount >= UINT32_MAX - 1)
		return -EINVAL;
	ret = hdPredictPlatformName(platform, id, strlen(id), &end.name);
	if (ret < 0)
		return ret;
	if (hdPredictArchitectureName(platform, architecture,
				      architecture ? strlen(architecture) : 0,
				      &end.architecture) < 0 ||
	    hdPredictGrow(&platform->ends, platform->endCount,
			  &platform->endRoom, sizeof(end)) < 0)
		return -ENOMEM;
	platform->isTaken[end.name] = 1;
	platform->ends[platform->endCount] = end;
	return (int64_t)platform->endCount++;
}

int64_t hdP_addMemory(hdPPlatform *platform, int64_t node, const char *id,
		      double size)
{
	return platformAddEnd(platform, node, id, NULL, HD_PREDICT_MEMORY,
			      size);
}

int64_t hdP_addChannel(hdPPlatform *platform, int64_t node, const char *id)
{
	return platformAddEnd(platform, node, id, NULL, HD_PREDICT_CHANNEL, 0);
}

int64_t hdP_addPe(hdPPlatform *platform, int64_t node, const char *id,
		  const char *architecture)
{
	if (!architecture || !*architecture)
		return -EINVAL;
	return platformAddEnd(platform, node, id, architecture, HD_PREDICT_PE,
			      0);
}

int hdPredictBridgeAdd(hdPPlatform *platform, uint32_t node, const char *id,
		       size_t length, const char *architecture,
		       size_t architectureLength, int64_t line)
{
	struct hdPredictBridge bridge = { .node = node, .line = line };
	int ret = hdPredictPlatformName(platform, id, length, &bridge.name);

	if (ret < 0)
		return ret;
	if (hdPredictArchitectureName(platform, architecture,
				      architectureLength,
				      &bridge.architecture) < 0 ||
	    hdPredictGrow(&platform->bridges, platform->bridgeCount,
			  &platform->bridgeRoom, sizeof(bridge)) < 0)
		return -ENOMEM;
	platform->isTaken[bridge.name] = 1;
	platform->bridges[platform->bridgeCount++] = bridge;
	return 0;
}

int hdPredictLinkAdd(hdPPlatform *platform, uint32_t end, const char *bridge,
		     size_t length, bool isOut, bool isIn, int64_t line)
{
	struct hdPredictLink link = { end, 0, isOut, isIn, line };
	int ret = hdPredictPlatformName(platform, bridge, length, &link.bridge);

	if (ret < 0 && ret != -EEXIST)
		return ret;
	if (hdPredictGrow(&platform->links, platform->linkCount,
			  &platform->linkRoom, sizeof(link)) < 0)
		return -ENOMEM;
	platform->links[platform->linkCount++] = link;
	return 0;
}

int hdP_addBridge(hdPPlatform *platform, int64_t node, const char *id,
		  const char *architecture, int64_t from, int64_t to,
		  int isBothWays)
{
	int ret;

	if (!platform || platform->isFinished || !id || !*id || node < -1 ||
	    node >= (int64_t)platform->nodeCount || from < 0 || to < 0 ||
	    from >= (int64_t)platform->endCount ||
	    to >= (int64_t)platform->endCount)
		return -EINVAL;
	ret = hdPredictBridgeAdd(platform, (uint32_t)node, id, strlen(id),
				 architecture,
				 architecture ? strlen(architecture) : 0, 0);
	if (ret == 0)
		ret = hdPredictLinkAdd(platform, (uint32_t)from, id, strlen(id),
				       true, isBothWays, 0);
	if (ret == 0)
		ret = hdPredictLinkAdd(platform, (uint32_t)to, id, strlen(id),
				       isBothWays, true, 0);
	return ret;
}

int hdP_finishPlatform(hdPPlatform *platform, hdPMessageHandler handler,
		       void *data)
{
	struct hdPredictReport report = { handler, data, NULL, 0 };

	if (!platform || platform->isFinished)
		return -EINVAL;
	return hdPredictPlatformSeal(platform, &report);
}

/* ---- Asking ------------------------------------------------------------ */

int64_t hdP_getPeCount(const hdPPlatform *platform)
{
	return platform ? platform->peCount : 0;
}

int64_t hdP_getServerCount(const hdPPlatform *platform)
{
	return platform ? platform->serverCount : 0;
}

const char *hdP_getPeId(const hdPPlatform *platform, int64_t pe)
{
	if (!platform || pe < 0 || pe >= platform->peCount)
		return NULL;
	return platform->peIds[pe];
}

const char *hdP_getServerId(const hdPPlatform *platform, int64_t server)
{
	if (!platform || server < 0 || server >= platform->serverCount)
		return NULL;
	return platform->serverIds[server];
}

double hdP_getServerPeak(const hdPPlatform *platform, int64_t server)
{
	if (!platform || server < 0 || server >= platform->serverCount)
		return 0;
	return platform->servers[server].peakPower;
}

bool hdPredictMatches(const char *pattern, const char *id)
{
	while (pattern && *pattern) {
		size_t length = strcspn(pattern, ",");
		char *one = strndup(pattern, length);
		bool fits = one && fnmatch(one, id, 0) == 0;

		free(one);
		if (fits)
			return true;
		pattern += length;
		pattern += *pattern == ',';
	}
	return !pattern;
}

int64_t hdP_selectServers(hdPPlatform *platform, const char *servers)
{
	unsigned long long first = 0;
	uint32_t count = 0;
	bool *isOn;

	if (!platform || !platform->isFinished || !servers || !*servers)
		return -EINVAL;
	if (!servers[strspn(servers, "0123456789")]) {
		first = strtoull(servers, NULL, 10);
		if (first > platform->serverCount)
			return 0;
		servers = "";
	}
	isOn = malloc(platform->serverCount + 1);
	if (!isOn)
		return -ENOMEM;
	for (uint32_t s = 0; s < platform->serverCount; s++) {
		isOn[s] = s < first ||
			  hdPredictMatches(servers, platform->serverIds[s]);
		count += isOn[s];
	}
	for (uint32_t s = 0; count && s < platform->serverCount; s++) {
		if (isOn[s])
			continue;
		platform->servers[s].isOff = true;
		platform->servers[s].idlePower = 0;
		platform->servers[s].peakPower = 0;
	}
	free(isOn);
	return count;
}

int hdP_isIdlePowerAssumed(const hdPPlatform *platform)
{
	for (uint32_t s = 0; platform && s < platform->serverCount; s++) {
		if (!platform->servers[s].hasIdle &&
		    !platform->servers[s].isOff)
			return 1;
	}
	return 0;
}

int64_t hdP_getPeServer(const hdPPlatform *platform, int64_t pe)
{
	if (!platform || pe < 0 || pe >= platform->peCount)
		return -EINVAL;
	return platform->pes[pe].server;
}

int hdP_scaleLinks(hdPPlatform *platform, double latency, double energy)
{
	if (!platform || !platform->isFinished || !(latency > 0) ||
	    !platformIsAmount(latency) || !platformIsAmount(energy))
		return -EINVAL;
	for (uint32_t i = 0; i < platform->edgeCount; i++) {
		const struct hdPredictEdgeOf *edge = &platform->edges[i];

		if (!platformIsAmount(edge->init * latency) ||
		    !platformIsAmount(edge->latency * latency) ||
		    !platformIsAmount(edge->energy * energy))
			return -EINVAL;
	}
	for (uint32_t i = 0; i < platform->edgeCount; i++) {
		struct hdPredictEdgeOf *edge = &platform->edges[i];

		edge->init *= latency;
		edge->latency *= latency;
		edge->energy *= energy;
	}
	return 0;
}
