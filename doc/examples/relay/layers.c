/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the relay records of itself. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "layers.h"

static const char *const names[LAYERS] = { "CLIENT", "REQ",   "BREQ", "BMI",
					   "FLOW",   "TROVE", "DISK" };

static struct {
	unsigned int set;
	hdTopology *topology;
	hdTopoNode *process;
	hdS_gauge *gauges[LAYERS];
	hdR_topoToken relations[LAYERS];
} layers;

static void complain(const char *what, const char *name)
{
	const char *why = hdT_strerror(errno);

	fprintf(stderr, "relay: %s %s: %s; it is not recorded\n", what, name,
		why ? why : strerror(errno));
}

static void openRelations(const char *host, const char *process, int layer)
{
	const char *path[] = { host, process, names[layer] };
	hdTopoNode *part = hdT_createTopoNode(layers.topology, path, 3);

	if (!part || hdR_initTopology(part, &layers.relations[layer]) < 0)
		complain("relations of", names[layer]);
	if (part)
		hdT_destroyTopoNode(part);
}

void layersOpen(const char *project, const char *host, const char *process,
		unsigned int set)
{
	const char *levels[] = { "Host", "Process", "Part" };
	const char *path[] = { host, process };

	layers.set = set;
	if (!project)
		return;
	layers.topology = hdT_createTopology(project, levels, 3);
	if (layers.topology)
		layers.process = hdT_createTopoNode(layers.topology, path, 2);
	if (!layers.process) {
		complain("project", project);
		return;
	}
	for (int i = 0; i < LAYERS; i++) {
		if (!(set & 1u << i))
			continue;
		layers.gauges[i] =
			hdS_gaugeCreate(names[i], layers.process, 2, 0);
		if (!layers.gauges[i])
			complain("gauge", names[i]);
		/* A request that has to wait is one of REQ. */
		if (i != LAYER_BREQ)
			openRelations(host, process, i);
	}
}

void layersClose(void)
{
	for (int i = 0; i < LAYERS; i++) {
		if (layers.gauges[i] && hdS_gaugeFinalize(layers.gauges[i]) < 0)
			complain("gauge", names[i]);
		if (layers.relations[i] &&
		    hdR_finalize(&layers.relations[i]) < 0)
			complain("relations of", names[i]);
		layers.gauges[i] = NULL;
	}
	if (layers.process)
		hdT_destroyTopoNode(layers.process);
	if (layers.topology)
		hdT_destroyTopology(layers.topology);
	layers.process = NULL;
	layers.topology = NULL;
	hdR_closeAPI();
}

void layersPrint(void)
{
	const char *space = "";

	for (int i = 0; i < LAYERS; i++) {
		if (!(layers.set & 1u << i))
			continue;
		printf("%s%s %lld", space, names[i],
		       (long long)hdS_gaugeValue(layers.gauges[i]));
		space = " ";
	}
	putchar('\n');
	fflush(stdout);
}

void layerEnter(enum layer layer)
{
	hdS_gaugeAdd(layers.gauges[layer], 1, 0);
}

void layerLeave(enum layer layer, size_t bytes)
{
	hdS_gaugeAdd(layers.gauges[layer], -1, (int64_t)bytes);
}

hdR_token layerRelateOnly(enum layer layer, const hdR_hints *hints,
			  const char *name)
{
	hdR_token token = hdR_relateHint(layers.relations[layer], hints);

	if (name)
		hdR_startS(token, name);
	return token;
}

hdR_token layerRelate(enum layer layer, const hdR_hints *hints)
{
	hdR_token token = layerRelateOnly(layer, hints, NULL);

	return token ? token
		     : hdR_createTopLevelRelation(layers.relations[layer]);
}

void layerEnd(hdR_token *token, int error, size_t size, const long long *offset)
{
	if (!*token)
		return;
	hdR_logAttributeInt64(*token, "size", (int64_t)size);
	if (offset)
		hdR_logAttributeInt64(*token, "offset", *offset);
	if (error)
		hdR_endFailed(*token, strerror(error));
	else
		hdR_endS(*token);
	hdR_destroyRelation(token);
}
