/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading platforms as XML: doc/format/prediction.md. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/model/builtin.h"
#include "PredictionLibrary/model/platform.h"
#include "PredictionLibrary/model/sax.h"

/* Elements that others are in; a node is NODE + its number, an end END + its
 * number, in halves of what is left. */
#define ROOT 0
#define LEAF 1
#define NODE 2
#define END (1 << 30)

static const char *needId(struct hdPredictSax *sax,
			  const struct hdPredictAttributes *attributes,
			  const char *element, char **id, int *ret)
{
	*id = hdPredictAttributeCopy(attributes, "id", ret);
	if (*id && !**id) {
		free(*id);
		*id = NULL;
	}
	if (!*id && *ret == 0)
		hdPredictError(sax->report, sax->line, NULL, 0,
			       "<%s> has no id", element);
	return *id;
}

static int platformXmlReportTaken(struct hdPredictSax *sax, const char *id)
{
	hdPredictError(sax->report, sax->line, id, strlen(id),
		       "duplicate id of an element");
	return HD_PREDICT_SKIP;
}

/* An amount that is not negative; 0 if there is none. */
static double amount(struct hdPredictSax *sax,
		     const struct hdPredictAttributes *attributes,
		     const char *element, const char *name)
{
	double value = 0;
	size_t length = 0;
	const char *id;

	if (!hdPredictNumber(sax, attributes, element, name, false, &value))
		return 0;
	if (value >= 0)
		return value;
	id = hdPredictAttribute(attributes, "id", &length);
	hdPredictError(sax->report, sax->line, id, length,
		       "%s=\"%g\" is negative", name, value);
	return 0;
}

/* Whether the idle power of a node is known, and not assumed. */
static bool hasIdlePower(struct hdPredictSax *sax,
			 const struct hdPredictAttributes *attributes,
			 const char *id)
{
	size_t length;
	const char *assumed =
		hdPredictAttribute(attributes, "assumed", &length);

	if (!assumed)
		return hdPredictAttribute(attributes, "idle-power", &length);
	if (length == 10 && memcmp(assumed, "idle-power", 10) == 0)
		return false;
	hdPredictError(sax->report, sax->line, id, strlen(id),
		       "assumed=\"%.*s\"; expected idle-power",
		       (int)(length > 100 ? 100 : length), assumed);
	return false;
}

static int readArchitecture(struct hdPredictSax *sax, const char *element,
			    const struct hdPredictAttributes *attributes)
{
	static const char *const ofNodes[] = { "id",         "name",
					       "idle-power", "assumed",
					       "peak_w",     NULL };
	static const char *const ofBridges[] = {
		"id",          "name",           "init-latency",
		"packet-size", "packet-latency", "packet-energy",
		NULL
	};
	struct hdPredictArchitecture architecture = { 0 };
	char *id;
	int ret = 0;

	if (!needId(sax, attributes, element, &id, &ret))
		return ret < 0 ? ret : HD_PREDICT_SKIP;
	architecture.isBridge = strcmp(element, "bridge-architecture") == 0;
	if (architecture.isBridge) {
		hdPredictOnly(sax, element, attributes, ofBridges);
		architecture.initLatency =
			amount(sax, attributes, element, "init-latency");
		architecture.packetSize =
			amount(sax, attributes, element, "packet-size");
		architecture.packetLatency =
			amount(sax, attributes, element, "packet-latency");
		architecture.packetEnergy =
			amount(sax, attributes, element, "packet-energy");
		if (architecture.packetSize == 0 &&
		    (architecture.packetLatency > 0 ||
		     architecture.packetEnergy > 0))
			hdPredictError(sax->report, sax->line, id, strlen(id),
				       "packets have costs, but packet-size is "
				       "missing");
	} else if (strcmp(element, "node-architecture") == 0) {
		hdPredictOnly(sax, element, attributes, ofNodes);
		architecture.idlePower =
			amount(sax, attributes, element, "idle-power");
		architecture.hasIdle = hasIdlePower(sax, attributes, id);
		architecture.peakPower =
			amount(sax, attributes, element, "peak_w");
	}
	ret = hdPredictArchitectureAdd(sax->data, id, strlen(id),
				       &architecture);
	if (ret == -EEXIST)
		ret = platformXmlReportTaken(sax, id);
	free(id);
	return ret < 0 ? ret : LEAF;
}

static int platformXmlReadNode(struct hdPredictSax *sax, int64_t parent,
			       const char *id, const char *architecture)
{
	hdPPlatform *platform = sax->data;
	int64_t node = hdP_addNode(platform, parent, id, architecture);

	if (node < 0)
		return (int)node;
	if (node >= END - NODE)
		return -EOVERFLOW;
	platform->nodes[node].line = sax->line;
	return NODE + (int)node;
}

static int readBridge(struct hdPredictSax *sax, int64_t parent, const char *id,
		      const char *architecture)
{
	int ret = hdPredictBridgeAdd(
		sax->data, (uint32_t)parent, id, strlen(id), architecture,
		architecture ? strlen(architecture) : 0, sax->line);

	return ret < 0 ? ret : LEAF;
}

static enum hdPredictFull fullOf(struct hdPredictSax *sax,
				 const struct hdPredictAttributes *attributes,
				 const char *id)
{
	size_t length;
	const char *text = hdPredictAttribute(attributes, "full", &length);

	if (!text)
		return HD_PREDICT_FULL_NOTED;
	if (length == 4 && memcmp(text, "fail", 4) == 0)
		return HD_PREDICT_FULL_FAIL;
	if (length == 5 && memcmp(text, "delay", 5) == 0)
		return HD_PREDICT_FULL_DELAY;
	hdPredictError(sax->report, sax->line, id, strlen(id),
		       "full=\"%.*s\" is neither fail nor delay",
		       (int)(length > 100 ? 100 : length), text);
	return HD_PREDICT_FULL_NOTED;
}

static int platformXmlReadEnd(struct hdPredictSax *sax, int64_t parent,
			      const char *element, const char *id,
			      const char *architecture,
			      const struct hdPredictAttributes *attributes)
{
	hdPPlatform *platform = sax->data;
	bool isMemory = strcmp(element, "main-memory") == 0;
	enum hdPredictFull full = HD_PREDICT_FULL_NOTED;
	double size = 0;
	int64_t end;

	if (isMemory) {
		full = fullOf(sax, attributes, id);
		if (hdPredictNumber(sax, attributes, element, "size", true,
				    &size) &&
		    size < 0) {
			hdPredictError(sax->report, sax->line, id, strlen(id),
				       "size=\"%g\" is negative", size);
			size = 0;
		}
		end = hdP_addMemory(platform, parent, id, size);
	} else if (strcmp(element, "channel") == 0) {
		end = hdP_addChannel(platform, parent, id);
	} else if (!architecture || !*architecture) {
		hdPredictError(sax->report, sax->line, id, strlen(id),
			       "the PE has no architecture");
		return HD_PREDICT_SKIP;
	} else {
		end = hdP_addPe(platform, parent, id, architecture);
	}
	if (end < 0)
		return (int)end;
	if (end >= END - 1)
		return -EOVERFLOW;
	platform->ends[end].line = sax->line;
	platform->ends[end].full = full;
	return END + (int)end;
}

static int platformXmlReadPart(struct hdPredictSax *sax, int parent,
			       const char *element,
			       const struct hdPredictAttributes *attributes)
{
	static const char *const known[] = { "id",   "architecture", "name",
					     "size", "full",         NULL };
	int64_t node = parent == ROOT ? -1 : parent - NODE;
	char *id, *architecture;
	int ret = 0;

	hdPredictOnly(sax, element, attributes, known);
	if (!needId(sax, attributes, element, &id, &ret))
		return ret < 0 ? ret : HD_PREDICT_SKIP;
	architecture = hdPredictAttributeCopy(attributes, "architecture", &ret);
	if (ret == 0) {
		if (strcmp(element, "node") == 0)
			ret = platformXmlReadNode(sax, node, id, architecture);
		else if (strcmp(element, "bridge") == 0)
			ret = readBridge(sax, node, id, architecture);
		else
			ret = platformXmlReadEnd(sax, node, element, id,
						 architecture, attributes);
	}
	if (ret == -EEXIST)
		ret = platformXmlReportTaken(sax, id);
	free(id);
	free(architecture);
	return ret;
}

static int readLink(struct hdPredictSax *sax, int end, const char *element,
		    const struct hdPredictAttributes *attributes)
{
	bool isBoth = strcmp(element, "inout") == 0;
	bool isOut = isBoth || strcmp(element, "out") == 0;
	bool isIn = isBoth || strcmp(element, "in") == 0;
	size_t length;
	const char *peer = hdPredictAttribute(attributes, "peer", &length);
	int ret;

	if (!isOut && !isIn)
		return hdPredictUnknown(sax, element, "a channel");
	if (!peer || !length) {
		hdPredictError(sax->report, sax->line, NULL, 0,
			       "<%s> has no attribute peer", element);
		return LEAF;
	}
	ret = hdPredictLinkAdd(sax->data, (uint32_t)end, peer, length, isOut,
			       isIn, sax->line);
	return ret < 0 ? ret : LEAF;
}

static int platformXmlBeginElement(struct hdPredictSax *sax, int parent,
				   const char *name,
				   const struct hdPredictAttributes *attributes)
{
	static const char *const parts[] = { "node",   "pe",      "main-memory",
					     "bridge", "channel", NULL };
	size_t length = strlen(name);

	if (parent >= END)
		return readLink(sax, parent - END, name, attributes);
	if (parent == LEAF)
		return hdPredictUnknown(sax, name, "an element without any");
	for (size_t i = 0; parts[i]; i++) {
		if (strcmp(name, parts[i]) == 0)
			return platformXmlReadPart(sax, parent, name,
						   attributes);
	}
	if (parent == ROOT && length > 13 &&
	    strcmp(name + length - 13, "-architecture") == 0)
		return readArchitecture(sax, name, attributes);
	return hdPredictUnknown(sax, name,
				parent == ROOT ? "platform" : "node");
}

int hdPredictPlatformReadXml(struct hdPredictSource *source,
			     hdPPlatform *platform,
			     struct hdPredictReport *report)
{
	struct hdPredictSax sax = { .root = "platform",
				    .begin = platformXmlBeginElement,
				    .data = platform,
				    .report = report };
	int ret = hdPredictSaxRead(&sax, source);

	if (ret == 0 && sax.status)
		ret = -EINVAL;
	return ret < 0 ? ret : hdPredictPlatformSeal(platform, report);
}

int hdP_readPlatform(const char *path, hdPPlatform **result,
		     hdPMessageHandler handler, void *data)
{
	struct hdPredictReport report = { handler, data, path, 0 };
	struct hdPredictSource source = { .fd = -1 };
	hdPPlatform *platform;
	int ret = 0;

	if (!path || !result)
		return -EINVAL;
	platform = hdP_createPlatform();
	if (!platform)
		return -ENOMEM;
	ret = hdPredictBuiltinPlatform(path, platform);
	if (ret == -ENOENT) {
		ret = hdPredictOpen(path, &source);
		if (ret == 0)
			ret = hdPredictPlatformReadXml(&source, platform,
						       &report);
		hdPredictClose(&source);
	}
	platform->file = strdup(path);
	if (!platform->file)
		ret = -ENOMEM;
	if (ret == 0 && report.errors)
		ret = -EINVAL;
	if (ret < 0) {
		hdP_destroyPlatform(platform);
		return ret;
	}
	*result = platform;
	return 0;
}
