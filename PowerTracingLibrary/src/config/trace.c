/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The [Trace] sections of the configuration: which values of which channel
 * belong to which node. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PowerTracingLibrary/src/config/parse.h"
#include "common/environment.h"
#include "common/format/projectname.h"

/* A channel that a trace uses. */
struct traceChannel {
	unsigned int number;
	char label[PT_CHANNEL_MAX];
};

/* One [Trace] that is being read. */
struct trace {
	const struct hdIniSection *section;
	const struct hdIniKey *channelKey;
	const struct ptQuantity **quantities;
	size_t quantityCount;
	struct traceChannel *channels;
	size_t channelCount;
	struct ptScale scale;
	size_t node;
};

static const char *const traceKeys[] = { "type", "node", "input", "values",
					 NULL };
/* The same where there are several devices. */
static const char *const traceSiteKeys[] = { "device", "type",   "node",
					     "input",  "values", NULL };

/* Find a quantity of the driver, or report. */
static const struct ptQuantity *traceQuantity(struct ptParse *parse,
					      const struct hdIniKey *key,
					      const char *name)
{
	const struct ptDriver *driver = parse->config->driver;
	char list[400] = "";

	for (const struct ptQuantity *q = driver->quantities; q->name; q++) {
		if (strcmp(q->name, name) == 0)
			return q;
		ptParseList(list, sizeof(list), q->name);
	}
	ptParseFail(parse, key,
		    "unknown value \"%.60s\" of %s; expected one of %s", name,
		    driver->name, list);
	return NULL;
}

void ptParseQuantities(struct ptParse *parse,
		       const struct hdIniSection *section,
		       const struct hdIniKey *key, const struct ptScale *scale,
		       const struct ptQuantity ***list, size_t *used)
{
	size_t count;
	char **names = ptParseSplit(parse, key->value, ',', &count);

	*list = NULL;
	*used = 0;
	if (!names)
		return;
	*list = calloc(count, sizeof(**list));
	if (!ptParseGot(parse, *list))
		count = 0;
	for (size_t i = 0; i < count; i++) {
		const struct ptQuantity *q =
			traceQuantity(parse, key, names[i]);
		size_t j = 0;

		while (j < *used && (*list)[j] != q)
			j++;
		if (q)
			ptParseScaleFits(parse, section, q, scale);
		if (q && j < *used)
			ptParseFail(parse, key, "duplicate value %s", q->name);
		else if (q)
			(*list)[(*used)++] = q;
	}
	free(names);
}

/* The trace before that uses a channel, or NULL. */
static const struct trace *traceUsing(const struct trace *traces, size_t count,
				      unsigned int number)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < traces[i].channelCount; j++)
			if (traces[i].channels[j].number == number)
				return &traces[i];
	return NULL;
}

static bool traceAddChannel(struct ptParse *parse, struct trace *trace,
			    const struct traceChannel *channel,
			    const struct trace *traces, size_t before)
{
	const struct trace *other = traceUsing(traces, before, channel->number);
	struct traceChannel *list;

	if (other) {
		ptParseFailAt(parse,
			      trace->channelKey ? trace->channelKey->line
						: trace->section->line,
			      "duplicate [Trace] of input %s; the first one is "
			      "in line %ld",
			      channel->label, other->section->line);
		return false;
	}
	list = reallocarray(trace->channels, trace->channelCount + 1,
			    sizeof(*list));
	if (!ptParseGot(parse, list))
		return false;
	trace->channels = list;
	list[trace->channelCount++] = *channel;
	return true;
}

static void traceChannels(struct ptParse *parse, struct trace *trace,
			  const struct trace *traces, size_t before)
{
	const struct hdIniKey *key = trace->channelKey;
	const char *text = key ? key->value : NULL;
	bool isAll = text && strchr(text, '*');
	char why[300] = "unknown input";

	for (size_t i = 0; isAll || i == 0; i++) {
		struct traceChannel channel = { 0 };
		int ret = parse->config->driver->resolve(
			&parse->setup, text, i, &channel.number, channel.label,
			why, sizeof(why));

		if (ret == -ENOENT && i > 0)
			return;
		if (ret < 0 && key)
			ptParseFail(parse, key, "input=%.60s: %s", text, why);
		else if (ret < 0)
			ptParseFailAt(parse, trace->section->line,
				      "[Trace]: missing key input=: %s", why);
		if (ret < 0 ||
		    !traceAddChannel(parse, trace, &channel, traces, before))
			return;
	}
}

/* Tell whether a node fits the topology; one that is wrong was reported. */
static bool traceFits(const struct ptParse *parse, size_t depth, size_t *levels)
{
	*levels = parse->config->levelCount;
	if (parse->request->depth >= 0)
		*levels = (size_t)parse->request->depth;
	return depth <= *levels || (*levels == 0 && parse->request->depth < 0);
}

/* Get a path with PT_HOST, or the name of this host without its domain, for
 * each
 * "%h". To be freed; NULL: no memory. */
static char *traceExpand(struct ptParse *parse, const char *text)
{
	char *path = hdProjectExpandHost(text, hdEnvironmentText("PT_HOST"));

	return ptParseGot(parse, path) ? path : NULL;
}

/* Add a node and take its path; returns NULL if there is no memory. */
static struct ptNode *traceAddNode(struct ptParse *parse, char *path)
{
	struct ptConfig *config = parse->config;
	struct ptNode *list, *node;

	list = reallocarray(config->nodes, config->nodeCount + 1,
			    sizeof(*list));
	if (list)
		config->nodes = list;
	if (!ptParseGot(parse, list)) {
		free(path);
		return NULL;
	}
	node = &list[config->nodeCount++];
	*node = (struct ptNode){ .path = path };
	node->labels = ptParseSplit(parse, path, '_', &node->depth);
	return node->labels ? node : NULL;
}

/* Find or add the node of a trace. */
static void traceNode(struct ptParse *parse, struct trace *trace,
		      const struct hdIniKey *key)
{
	struct ptConfig *config = parse->config;
	char *path = traceExpand(parse, key->value);
	const struct ptNode *node;
	size_t levels;

	for (size_t i = 0; path && i < config->nodeCount; i++) {
		if (strcmp(config->nodes[i].path, path) == 0) {
			trace->node = i;
			free(path);
			return;
		}
	}
	node = path ? traceAddNode(parse, path) : NULL;
	if (!node)
		return;
	trace->node = config->nodeCount - 1;
	if (ptParseLabels(parse, key, node->labels, node->depth) &&
	    !traceFits(parse, node->depth, &levels))
		ptParseFail(parse, key,
			    "node=%.60s: %zu levels; the topology has only %zu",
			    key->value, node->depth, levels);
}

static void traceSectionRead(struct ptParse *parse, struct trace *traces,
			     size_t index)
{
	struct trace *trace = &traces[index];
	const struct hdIniSection *section = trace->section;
	const char *scaleKeys[4] = { NULL };
	const struct hdIniKey *type = ptParseNeed(parse, section, "type"),
			      *node = ptParseNeed(parse, section, "node"),
			      *values = ptParseNeed(parse, section, "values");

	trace->channelKey = hdIniFind(section, "input");
	if (type && strcmp(type->value, "HDSTATS") != 0)
		ptParseFail(parse, type,
			    "type=%.60s: unknown type; expected HDSTATS",
			    type->value);
	if (node)
		traceNode(parse, trace, node);
	if (parse->config->driver) {
		ptParseScaleKeys(parse->config->driver, scaleKeys);
		ptParseScale(parse, section, &trace->scale);
		if (values)
			ptParseQuantities(parse, section, values, &trace->scale,
					  &trace->quantities,
					  &trace->quantityCount);
		traceChannels(parse, trace, traces, index);
	}
	ptParseUnknown(parse, section,
		       parse->device ? traceSiteKeys : traceKeys, scaleKeys);
}

/* Name a column: with its channel where the node has several. */
static char *traceName(const struct ptColumn *column, bool hasSeveral)
{
	char *name;

	if (asprintf(&name, "%s%s%s", column->quantity->name,
		     hasSeveral ? "_" : "",
		     hasSeveral ? column->label : "") < 0)
		return NULL;
	return name;
}

static void traceNameAll(struct ptParse *parse, const struct ptNode *node)
{
	struct ptConfig *config = parse->config;
	size_t end = node->first + node->count;
	bool hasSeveral = false;

	for (size_t i = node->first; i < end; i++)
		if (config->columns[i].channel !=
		    config->columns[node->first].channel)
			hasSeveral = true;
	for (size_t i = node->first; i < end; i++) {
		config->names[i] = traceName(&config->columns[i], hasSeveral);
		if (!ptParseGot(parse, config->names[i]))
			return;
	}
}

static void traceAddColumns(struct ptConfig *config, struct ptNode *node,
			    const struct trace *trace)
{
	for (size_t i = 0; i < trace->channelCount; i++) {
		for (size_t j = 0; j < trace->quantityCount; j++) {
			struct ptColumn *column =
				&config->columns[config->columnCount++];

			node->count++;
			column->quantity = trace->quantities[j];
			column->channel = trace->channels[i].number;
			column->scale = trace->scale;
			memcpy(column->label, trace->channels[i].label,
			       sizeof(column->label));
		}
	}
}

/* Put the columns of all traces in order, node by node. */
static void traceOrder(struct ptParse *parse, const struct trace *traces,
		       size_t count)
{
	struct ptConfig *config = parse->config;
	size_t size = 0;

	for (size_t i = 0; i < count; i++)
		size += traces[i].channelCount * traces[i].quantityCount;
	config->columns = calloc(size, sizeof(*config->columns));
	config->names = calloc(size, sizeof(*config->names));
	if (!ptParseGot(parse, config->columns) ||
	    !ptParseGot(parse, config->names))
		return;
	for (size_t i = 0; i < config->nodeCount; i++) {
		config->nodes[i].first = config->columnCount;
		for (size_t j = 0; j < count; j++)
			if (traces[j].node == i)
				traceAddColumns(config, &config->nodes[i],
						&traces[j]);
		traceNameAll(parse, &config->nodes[i]);
	}
}

/* Whether a section is a [Trace] of this device. */
static bool traceIsOurs(const struct ptParse *parse,
			const struct hdIniSection *section)
{
	const struct hdIniKey *key;

	if (strcmp(section->name, "Trace") != 0)
		return false;
	if (!parse->device)
		return true;
	key = hdIniFind(section, "device");
	return key && strcmp(key->value, parse->device) == 0;
}

void ptParseTraces(struct ptParse *parse)
{
	const struct hdIni *ini = parse->ini;
	struct trace *traces = calloc(ini->count + 1, sizeof(*traces));
	size_t count = 0;

	if (!ptParseGot(parse, traces))
		return;
	for (size_t i = 0; i < ini->count; i++) {
		if (!traceIsOurs(parse, &ini->sections[i]))
			continue;
		traces[count].section = &ini->sections[i];
		traceSectionRead(parse, traces, count++);
	}
	if (parse->errors == 0 && !parse->isOutOfMemory && count > 0)
		traceOrder(parse, traces, count);
	for (size_t i = 0; i < count; i++) {
		free(traces[i].quantities);
		free(traces[i].channels);
	}
	free(traces);
}
