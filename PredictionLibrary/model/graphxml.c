/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading task graphs as XML: doc/format/prediction.md. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "PredictionLibrary/model/binary.h"
#include "PredictionLibrary/model/graph.h"
#include "PredictionLibrary/model/graphxml.h"
#include "PredictionLibrary/model/sax.h"

/* Elements that others are in. */
enum element {
	ELEMENT_ROOT,
	ELEMENT_KERNEL,
	ELEMENT_TASK,
	ELEMENT_LEAF,
};

/* The task that is being read. */
struct reading {
	hdPGraph *graph;
	char *id;
	size_t idLength, idRoom;
	uint32_t kernel; /* Name. */
	int64_t line;
	bool isBad;
	struct hdPredictAssign *assigns;
	size_t count, room;
	char *pe;
	size_t peLength, peRoom;
	char *pin;
	size_t pinRoom;
	bool isMapped, hasTile, isPinned;
	int64_t priority;
	uint32_t row, column;
};

static int graphXmlKeepText(char **buffer, size_t *room, const char *text,
			    size_t length)
{
	if (length >= *room) {
		char *grown = realloc(*buffer, length * 2 + 64);

		if (!grown)
			return -ENOMEM;
		*buffer = grown;
		*room = length * 2 + 64;
	}
	memcpy(*buffer, text, length);
	(*buffer)[length] = '\0';
	return 0;
}

/* An attribute that must be there, and not be empty. */
static const char *needed(struct hdPredictSax *sax,
			  const struct hdPredictAttributes *attributes,
			  const char *element, const char *name, size_t *length)
{
	const char *value = hdPredictAttribute(attributes, name, length);

	if (value && *length)
		return value;
	hdPredictError(sax->report, sax->line, NULL, 0,
		       value ? "<%s> has an empty attribute %s"
			     : "<%s> has no attribute %s",
		       element, name);
	return NULL;
}

static int beginKernel(struct hdPredictSax *sax,
		       const struct hdPredictAttributes *attributes)
{
	static const char *const known[] = { "id", "class", "pin", "name",
					     NULL };
	struct reading *reading = sax->data;
	size_t length;
	const char *id = needed(sax, attributes, "kernel", "id", &length);
	char *copy, *kernelClass, *pin;
	int ret = 0;

	hdPredictOnly(sax, "kernel", attributes, known);
	if (!id)
		return HD_PREDICT_SKIP;
	copy = strndup(id, length);
	kernelClass = hdPredictAttributeCopy(attributes, "class", &ret);
	pin = hdPredictAttributeCopy(attributes, "pin", &ret);
	if (!copy || ret < 0)
		ret = -ENOMEM;
	else
		ret = hdP_addKernel(reading->graph, copy, kernelClass);
	if (ret >= 0 && pin) {
		int status = hdP_setKernelPin(reading->graph, ret, pin);

		if (status == -EINVAL)
			hdPredictError(sax->report, sax->line, id, length,
				       "the pin is empty");
		else if (status < 0)
			ret = status;
	}
	free(copy);
	free(kernelClass);
	free(pin);
	if (ret < 0)
		return ret;
	reading->graph->kernels[ret].line = sax->line;
	return ELEMENT_KERNEL;
}

static int beginPhase(struct hdPredictSax *sax, int kernel,
		      const struct hdPredictAttributes *attributes)
{
	struct reading *reading = sax->data;
	double until, weight;

	if (hdPredictNumber(sax, attributes, "phase", "until", true, &until) &&
	    hdPredictNumber(sax, attributes, "phase", "weight", true,
			    &weight)) {
		int ret = hdP_addPhase(reading->graph, kernel, until, weight);

		if (ret < 0)
			return ret;
	}
	return ELEMENT_LEAF;
}

static int graphXmlBeginIo(struct hdPredictSax *sax, int kernel,
			   const struct hdPredictAttributes *attributes)
{
	static const char *const known[] = { "order", "access", "size", "name",
					     NULL };
	struct reading *reading = sax->data;
	size_t orderLength, accessLength, length;
	const char *order =
		needed(sax, attributes, "io", "order", &orderLength);
	const char *access =
		needed(sax, attributes, "io", "access", &accessLength);
	char *size;
	int class, ret = 0;

	hdPredictOnly(sax, "io", attributes, known);
	if (!needed(sax, attributes, "io", "size", &length) || !order ||
	    !access)
		return ELEMENT_LEAF;
	class = hdPredictIoClass(order, orderLength, access, accessLength);
	if (class < 0) {
		hdPredictError(sax->report, sax->line, NULL, 0,
			       HD_PREDICT_IO_UNKNOWN);
		return ELEMENT_LEAF;
	}
	size = hdPredictAttributeCopy(attributes, "size", &ret);
	if (ret == 0)
		ret = hdP_addIo(reading->graph, kernel, (hdPAccess) class,
				size);
	free(size);
	return ret < 0 ? ret : (int)ELEMENT_LEAF;
}

static int inKernel(struct hdPredictSax *sax, const char *name,
		    const struct hdPredictAttributes *attributes)
{
	static const char *const known[] = { "id", "size", "name", NULL };
	static const char *const ofOutputs[] = { "id", "size", "inout", "name",
						 NULL };
	struct reading *reading = sax->data;
	int kernel = (int)reading->graph->kernelCount - 1, ret = 0;
	bool isVariable = strcmp(name, "variable") == 0;
	bool isInput = strcmp(name, "input") == 0;
	bool isOutput = strcmp(name, "output") == 0;
	char *id, *size, *inout;
	size_t length;

	if (strcmp(name, "phase") == 0)
		return beginPhase(sax, kernel, attributes);
	if (strcmp(name, "io") == 0)
		return graphXmlBeginIo(sax, kernel, attributes);
	if (!isVariable && !isInput && !isOutput)
		return hdPredictUnknown(sax, name, "kernel");
	hdPredictOnly(sax, name, attributes, isOutput ? ofOutputs : known);
	if (!needed(sax, attributes, name, "id", &length) ||
	    (!isVariable && !needed(sax, attributes, name, "size", &length)))
		return ELEMENT_LEAF;
	id = hdPredictAttributeCopy(attributes, "id", &ret);
	size = hdPredictAttributeCopy(attributes, "size", &ret);
	inout = isOutput ? hdPredictAttributeCopy(attributes, "inout", &ret)
			 : NULL;
	if (ret == 0)
		ret = isVariable ? hdP_addVariable(reading->graph, kernel, id)
		      : isInput
			      ? hdP_addInput(reading->graph, kernel, id, size)
			      : hdP_addOutput(reading->graph, kernel, id, size);
	if (ret >= 0 && inout && !*inout)
		hdPredictError(sax->report, sax->line, NULL, 0,
			       "<output> has an empty attribute inout");
	else if (ret >= 0 && inout)
		ret = hdP_setInout(reading->graph, kernel, ret, inout);
	free(id);
	free(size);
	free(inout);
	if (ret == -EINVAL)
		hdPredictError(sax->report, sax->line, NULL, 0,
			       "a kernel has at most %d variables",
			       HD_PREDICT_VARIABLES_MAX);
	return ret == -ENOMEM ? ret : ELEMENT_LEAF;
}

static bool toTile(const char *text, size_t length, uint32_t *row,
		   uint32_t *column)
{
	const char *comma = memchr(text, ',', length);
	double x, y;

	if (!comma || !hdPredictToNumber(text, (size_t)(comma - text), &x) ||
	    !hdPredictToNumber(comma + 1, length - (size_t)(comma + 1 - text),
			       &y) ||
	    !(x >= 0) || !(y >= 0) || x >= UINT32_MAX || y >= UINT32_MAX)
		return false;
	*row = (uint32_t)x;
	*column = (uint32_t)y;
	return *row == x && *column == y;
}

static int beginTask(struct hdPredictSax *sax,
		     const struct hdPredictAttributes *attributes)
{
	static const char *const known[] = { "id",  "kernel", "tile",
					     "pin", "name",   NULL };
	struct reading *reading = sax->data;
	size_t length, kernelLength, tileLength, pinLength;
	const char *id = needed(sax, attributes, "task", "id", &length);
	const char *kernel =
		needed(sax, attributes, "task", "kernel", &kernelLength);
	const char *tile = hdPredictAttribute(attributes, "tile", &tileLength);
	const char *pin = hdPredictAttribute(attributes, "pin", &pinLength);

	if (attributes->count > 2)
		hdPredictOnly(sax, "task", attributes, known);
	reading->isBad = !id || !kernel;
	reading->isMapped = reading->hasTile = reading->isPinned = false;
	reading->count = 0;
	reading->line = sax->line;
	if (reading->isBad)
		return ELEMENT_TASK;
	if (tile) {
		reading->hasTile = toTile(tile, tileLength, &reading->row,
					  &reading->column);
		if (!reading->hasTile)
			hdPredictError(
				sax->report, sax->line, id, length,
				"tile=\"%.*s\" is not ROW,COLUMN",
				(int)(tileLength > 100 ? 100 : tileLength),
				tile);
	}
	if (pin && !pinLength)
		hdPredictError(sax->report, sax->line, id, length,
			       "the pin is empty");
	else if (pin && graphXmlKeepText(&reading->pin, &reading->pinRoom, pin,
					 pinLength) < 0)
		return -ENOMEM;
	reading->isPinned = pin && pinLength;
	reading->idLength = length;
	if (graphXmlKeepText(&reading->id, &reading->idRoom, id, length) < 0 ||
	    hdPredictNamesAdd(&reading->graph->build->names, kernel,
			      kernelLength, &reading->kernel) < 0)
		return -ENOMEM;
	return ELEMENT_TASK;
}

static int graphXmlBeginAssign(struct hdPredictSax *sax,
			       const struct hdPredictAttributes *attributes)
{
	struct reading *reading = sax->data;
	struct hdPredictAssign assign = { 0 };
	size_t length;
	const char *var = needed(sax, attributes, "assign", "var", &length);

	if (!hdPredictNumber(sax, attributes, "assign", "val", true,
			     &assign.value) ||
	    !var) {
		reading->isBad = true;
		return ELEMENT_LEAF;
	}
	if (reading->count >= HD_PREDICT_VARIABLES_MAX) {
		if (!reading->isBad)
			hdPredictError(sax->report, sax->line, reading->id,
				       reading->idLength,
				       "a task has at most %d variables",
				       HD_PREDICT_VARIABLES_MAX);
		reading->isBad = true;
		return ELEMENT_LEAF;
	}
	assign.value += 0.0;
	if (hdPredictNamesAdd(&reading->graph->build->names, var, length,
			      &assign.name) < 0 ||
	    hdPredictGrow(&reading->assigns, reading->count, &reading->room,
			  sizeof(assign)) < 0)
		return -ENOMEM;
	reading->assigns[reading->count++] = assign;
	return ELEMENT_LEAF;
}

static int beginMap(struct hdPredictSax *sax,
		    const struct hdPredictAttributes *attributes)
{
	struct reading *reading = sax->data;
	size_t length;
	const char *pe = needed(sax, attributes, "map", "pe", &length);
	double priority;

	if (!hdPredictNumber(sax, attributes, "map", "priority", true,
			     &priority) ||
	    !pe)
		return ELEMENT_LEAF;
	if (priority < 0 || priority > HD_PREDICT_PRIORITY_MAX ||
	    priority != (double)(int64_t)priority) {
		hdPredictError(sax->report, sax->line, reading->id,
			       reading->isBad ? 0 : reading->idLength,
			       "priority=\"%g\" is not a whole number >= 0",
			       priority);
		return ELEMENT_LEAF;
	}
	if (reading->isMapped)
		hdPredictError(sax->report, sax->line, reading->id,
			       reading->isBad ? 0 : reading->idLength,
			       "the task is mapped twice");
	reading->isMapped = true;
	reading->priority = (int64_t)priority;
	reading->peLength = length;
	return graphXmlKeepText(&reading->pe, &reading->peRoom, pe, length) < 0
		       ? -ENOMEM
		       : (int)ELEMENT_LEAF;
}

static int beginDependency(struct hdPredictSax *sax,
			   const struct hdPredictAttributes *attributes)
{
	static const char *const known[] = { "predecessor", "successor", "src",
					     "dest",        "name",      NULL };
	struct reading *reading = sax->data;
	const char *value[4];
	size_t length[4];
	struct hdPredictEdge edge = { 0 };
	bool isBad = false;

	if (sax->line < UINT32_MAX)
		edge.line = (uint32_t)sax->line;
	for (size_t i = 0; i < 4; i++) {
		value[i] = needed(sax, attributes, "dependency", known[i],
				  &length[i]);
		isBad = isBad || !value[i];
	}
	if (attributes->count > 4)
		hdPredictOnly(sax, "dependency", attributes, known);
	if (isBad)
		return ELEMENT_LEAF;
	if (hdPredictTaskName(reading->graph, value[0], length[0],
			      &edge.predecessor) < 0 ||
	    hdPredictTaskName(reading->graph, value[1], length[1],
			      &edge.successor) < 0 ||
	    hdPredictNamesAdd(&reading->graph->build->names, value[2],
			      length[2], &edge.src) < 0 ||
	    hdPredictNamesAdd(&reading->graph->build->names, value[3],
			      length[3], &edge.dest) < 0 ||
	    hdPredictEdgeAdd(reading->graph, &edge) < 0)
		return -ENOMEM;
	return ELEMENT_LEAF;
}

static int graphXmlBeginElement(struct hdPredictSax *sax, int parent,
				const char *name,
				const struct hdPredictAttributes *attributes)
{
	switch (parent) {
	case ELEMENT_ROOT:
		if (strcmp(name, "dependency") == 0)
			return beginDependency(sax, attributes);
		if (strcmp(name, "task") == 0)
			return beginTask(sax, attributes);
		if (strcmp(name, "kernel") == 0)
			return beginKernel(sax, attributes);
		return hdPredictUnknown(sax, name, "application");
	case ELEMENT_KERNEL:
		return inKernel(sax, name, attributes);
	case ELEMENT_TASK:
		if (strcmp(name, "assign") == 0)
			return graphXmlBeginAssign(sax, attributes);
		if (strcmp(name, "map") == 0)
			return beginMap(sax, attributes);
		/* What was written back is no input. */
		if (strcmp(name, "simulated") == 0 ||
		    strcmp(name, "measured") == 0)
			return HD_PREDICT_SKIP;
		return hdPredictUnknown(sax, name, "task");
	default:
		return hdPredictUnknown(sax, name, "an element without any");
	}
}

static int graphXmlEndElement(struct hdPredictSax *sax, int element)
{
	struct reading *reading = sax->data;
	uint32_t task;
	int ret;

	if (element != ELEMENT_TASK || reading->isBad)
		return 0;
	ret = hdPredictTaskAdd(reading->graph, reading->id, reading->idLength,
			       reading->kernel, reading->assigns,
			       reading->count, reading->line, &task);
	if (ret == -EEXIST) {
		hdPredictError(sax->report, reading->line, reading->id,
			       reading->idLength,
			       "duplicate id of a task, also in line %u",
			       reading->graph->line[task]);
		return 0;
	}
	if (ret == 0 && reading->hasTile)
		ret = hdP_setTile(reading->graph, task, reading->row,
				  reading->column);
	if (ret == 0 && reading->isPinned)
		ret = hdP_setPin(reading->graph, task, reading->pin);
	if (ret == 0 && reading->isMapped)
		ret = hdP_setMapping(reading->graph, task, reading->pe,
				     reading->priority);
	return ret;
}

static int graphXmlReadXml(struct hdPredictSource *source, hdPGraph *graph,
			   struct hdPredictReport *report)
{
	struct reading reading = { .graph = graph };
	struct hdPredictSax sax = { .root = "application",
				    .begin = graphXmlBeginElement,
				    .end = graphXmlEndElement,
				    .data = &reading,
				    .report = report };
	int ret = hdPredictSaxRead(&sax, source);

	free(reading.id);
	free(reading.assigns);
	free(reading.pe);
	free(reading.pin);
	/* What was not read to its end would only raise more errors. */
	return ret == 0 && sax.status ? -EINVAL : ret;
}

int hdPredictGraphReadXml(struct hdPredictSource *source, hdPGraph *graph,
			  struct hdPredictReport *report)
{
	int ret = graphXmlReadXml(source, graph, report);

	return ret < 0 ? ret : hdPredictGraphSeal(graph, report);
}

int hdPredictKernelsReadXml(struct hdPredictSource *source, hdPGraph *graph,
			    struct hdPredictReport *report)
{
	/* Its tasks are in arrays. */
	hdPGraph *kernels = hdP_createGraph();
	int ret;

	if (!kernels)
		return -ENOMEM;
	ret = graphXmlReadXml(source, kernels, report);
	if (ret == 0 && (kernels->ids.count || kernels->build->edgeCount)) {
		hdPredictError(report, 0, NULL, 0,
			       "the file is damaged: tasks among kernels");
		ret = -EBADMSG;
	}
	if (ret == 0) {
		struct hdPredictBuild *build = graph->build;

		graph->kernels = kernels->kernels;
		graph->kernelCount = kernels->kernelCount;
		graph->build = kernels->build;
		kernels->kernels = NULL;
		kernels->kernelCount = 0;
		kernels->build = build;
	}
	hdP_destroyGraph(kernels);
	return ret;
}

int hdP_readGraph(const char *path, hdPGraph **graph, hdPMessageHandler handler,
		  void *data)
{
	return hdP_readGraphTelling(path, graph, NULL, NULL, handler, data);
}

int hdP_readGraphTelling(const char *path, hdPGraph **result,
			 void (*progress)(uint64_t done, void *data),
			 void *progressData, hdPMessageHandler handler,
			 void *data)
{
	struct hdPredictReport report = { handler, data, path, 0 };
	struct hdPredictSource source;
	char head[HD_PREDICT_MAGIC_SIZE];
	hdPGraph *graph;
	int ret;

	if (!path || !result)
		return -EINVAL;
	if (strcmp(path, "-") == 0)
		report.file = "standard input";
	ret = hdPredictOpen(path, &source);
	if (ret < 0)
		return ret;
	graph = hdP_createGraph();
	if (!graph) {
		hdPredictClose(&source);
		return -ENOMEM;
	}
	source.progress = progress;
	source.progressData = progressData;
	source.head = head;
	while (ret >= 0 && source.headSize < sizeof(head)) {
		ssize_t got = read(source.fd, head + source.headSize,
				   sizeof(head) - source.headSize);

		if (got == 0)
			break;
		if (got < 0 && errno != EINTR)
			ret = -errno;
		if (got > 0)
			source.headSize += (size_t)got;
	}
	if (ret == 0 && hdPredictIsBinary(head, source.headSize))
		ret = hdPredictGraphReadBinary(&source, graph, &report);
	else if (ret == 0)
		ret = hdPredictGraphReadXml(&source, graph, &report);
	hdPredictClose(&source);
	if (ret == 0 && report.errors)
		ret = -EINVAL;
	if (ret < 0) {
		hdP_destroyGraph(graph);
		return ret;
	}
	graph->file = strdup(report.file);
	if (!graph->file) {
		hdP_destroyGraph(graph);
		return -ENOMEM;
	}
	*result = graph;
	return 0;
}
