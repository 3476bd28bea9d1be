/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Building task graphs; see graph.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "PredictionLibrary/model/graph.h"

hdPGraph *hdP_createGraph(void)
{
	hdPGraph *graph = calloc(1, sizeof(*graph));

	if (!graph)
		return NULL;
	graph->build = calloc(1, sizeof(*graph->build));
	if (!graph->build) {
		free(graph);
		return NULL;
	}
	return graph;
}

static void freePorts(struct hdPredictPorts *ports)
{
	for (uint32_t i = 0; i < ports->count; i++) {
		free(ports->ports[i].id);
		free(ports->ports[i].size);
		free(ports->ports[i].expression);
		free(ports->ports[i].inoutId);
	}
	free(ports->ports);
	free(ports->sorted);
}

/* Arrays may lie in the mapped file; empty ones at its end. Nothing that was
 * allocated begins just there. */
static void freeArray(const hdPGraph *graph, void *array)
{
	const char *mapped = graph->mapped;

	if (!mapped || (char *)array < mapped ||
	    (char *)array > mapped + graph->mappedSize)
		free(array);
}

void hdP_destroyGraph(hdPGraph *graph)
{
	if (!graph)
		return;
	for (uint32_t i = 0; i < graph->kernelCount; i++) {
		struct hdPredictKernel *kernel = &graph->kernels[i];

		free(kernel->id);
		free(kernel->kernelClass);
		free(kernel->pin);
		for (uint32_t v = 0; v < kernel->variableCount; v++)
			free(kernel->variables[v]);
		free(kernel->variables);
		free(kernel->variableNames);
		freePorts(&kernel->inputs);
		freePorts(&kernel->outputs);
		free(kernel->phases);
		for (uint32_t f = 0; f < kernel->ioCount; f++) {
			free(kernel->ios[f].size);
			free(kernel->ios[f].expression);
		}
		free(kernel->ios);
	}
	free(graph->kernels);
	free(graph->configs);
	free(graph->times);
	free(graph->values);
	free(graph->sizes);
	freeArray(graph, graph->ids.text);
	freeArray(graph, graph->ids.offset);
	free(graph->ids.slots);
	freeArray(graph, graph->config);
	freeArray(graph, graph->line);
	freeArray(graph, graph->tile);
	freeArray(graph, graph->input);
	freeArray(graph, graph->output);
	freeArray(graph, graph->source);
	freeArray(graph, graph->number);
	freeArray(graph, graph->consumer);
	freeArray(graph, graph->consumerInput);
	freeArray(graph, graph->consumerTask);
	hdPredictNamesFree(&graph->pes);
	hdPredictNamesFree(&graph->pins);
	freeArray(graph, graph->pin);
	freeArray(graph, graph->pe);
	freeArray(graph, graph->priority);
	hdPredictBuildFree(graph);
	if (graph->mapped)
		munmap(graph->mapped, graph->mappedSize);
	free(graph->file);
	free(graph);
}

/* ---- Kernels ----------------------------------------------------------- */

static struct hdPredictKernel *kernelToBuild(hdPGraph *graph, int number)
{
	if (!graph || !graph->build || number < 0 ||
	    (uint32_t)number >= graph->kernelCount)
		return NULL;
	return &graph->kernels[number];
}

static int graphModelAddName(hdPGraph *graph, const char *name,
			     uint32_t *number)
{
	int ret = hdPredictNamesAdd(&graph->build->names, name, strlen(name),
				    number);

	return ret < 0 ? -ENOMEM : 0;
}

int hdP_addKernel(hdPGraph *graph, const char *id, const char *kernelClass)
{
	struct hdPredictKernel *kernel;

	if (!graph || !graph->build || !id || !*id ||
	    graph->kernelCount >= INT32_MAX)
		return -EINVAL;
	if (hdPredictGrow(&graph->kernels, graph->kernelCount,
			  &graph->kernelRoom, sizeof(*graph->kernels)) < 0)
		return -ENOMEM;
	kernel = &graph->kernels[graph->kernelCount];
	memset(kernel, 0, sizeof(*kernel));
	kernel->id = strdup(id);
	kernel->kernelClass = kernelClass ? strdup(kernelClass) : NULL;
	if (!kernel->id || (kernelClass && !kernel->kernelClass)) {
		free(kernel->id);
		free(kernel->kernelClass);
		return -ENOMEM;
	}
	return (int)graph->kernelCount++;
}

int hdP_addVariable(hdPGraph *graph, int number, const char *id)
{
	struct hdPredictKernel *kernel = kernelToBuild(graph, number);
	char *copy;

	if (!kernel || !id || !*id ||
	    kernel->variableCount >= HD_PREDICT_VARIABLES_MAX)
		return -EINVAL;
	if (hdPredictGrow(&kernel->variables, kernel->variableCount,
			  &kernel->variableRoom, sizeof(char *)) < 0 ||
	    hdPredictGrow(&kernel->variableNames, kernel->variableCount,
			  &kernel->variableNameRoom, sizeof(uint32_t)) < 0 ||
	    graphModelAddName(graph, id,
			      &kernel->variableNames[kernel->variableCount]) <
		    0)
		return -ENOMEM;
	copy = strdup(id);
	if (!copy)
		return -ENOMEM;
	kernel->variables[kernel->variableCount] = copy;
	return (int)kernel->variableCount++;
}

static int graphModelAddPort(hdPGraph *graph, struct hdPredictPorts *ports,
			     const char *id, const char *size)
{
	struct hdPredictPort port = { .number = ports->count,
				      .inout = HD_PREDICT_NONE };

	if (!id || !*id || !size || ports->count >= INT32_MAX)
		return -EINVAL;
	if (hdPredictGrow(&ports->ports, ports->count, &ports->room,
			  sizeof(port)) < 0 ||
	    graphModelAddName(graph, id, &port.name) < 0)
		return -ENOMEM;
	port.id = strdup(id);
	port.size = strdup(size);
	if (!port.id || !port.size) {
		free(port.id);
		free(port.size);
		return -ENOMEM;
	}
	ports->ports[ports->count] = port;
	return (int)ports->count++;
}

int hdP_addInput(hdPGraph *graph, int number, const char *id, const char *size)
{
	struct hdPredictKernel *kernel = kernelToBuild(graph, number);

	return kernel ? graphModelAddPort(graph, &kernel->inputs, id, size)
		      : -EINVAL;
}

int hdP_addOutput(hdPGraph *graph, int number, const char *id, const char *size)
{
	struct hdPredictKernel *kernel = kernelToBuild(graph, number);

	return kernel ? graphModelAddPort(graph, &kernel->outputs, id, size)
		      : -EINVAL;
}

int hdP_setInout(hdPGraph *graph, int number, int output, const char *input)
{
	struct hdPredictKernel *kernel = kernelToBuild(graph, number);
	struct hdPredictPort *port;
	char *copy;

	if (!kernel || output < 0 ||
	    (uint32_t)output >= kernel->outputs.count || !input || !*input)
		return -EINVAL;
	copy = strdup(input);
	if (!copy)
		return -ENOMEM;
	port = &kernel->outputs.ports[output];
	free(port->inoutId);
	port->inoutId = copy;
	return 0;
}

int hdP_addPhase(hdPGraph *graph, int number, double until, double weight)
{
	struct hdPredictKernel *kernel = kernelToBuild(graph, number);

	if (!kernel)
		return -EINVAL;
	if (hdPredictGrow(&kernel->phases, kernel->phaseCount,
			  &kernel->phaseRoom, sizeof(*kernel->phases)) < 0)
		return -ENOMEM;
	kernel->phases[kernel->phaseCount++] =
		(struct hdPredictPhase){ until, weight };
	return 0;
}

int hdP_addIo(hdPGraph *graph, int number, hdPAccess access, const char *size)
{
	struct hdPredictKernel *kernel = kernelToBuild(graph, number);
	struct hdPredictIo io = { .access = access };

	if (!kernel || (unsigned int)access >= HD_PREDICT_IO_CLASSES || !size ||
	    kernel->ioCount >= INT32_MAX)
		return -EINVAL;
	if (hdPredictGrow(&kernel->ios, kernel->ioCount, &kernel->ioRoom,
			  sizeof(io)) < 0)
		return -ENOMEM;
	io.size = strdup(size);
	if (!io.size)
		return -ENOMEM;
	kernel->ios[kernel->ioCount++] = io;
	return 0;
}

/* ---- Tasks ------------------------------------------------------------- */

int hdPredictTaskRoom(hdPGraph *graph, uint32_t task)
{
	struct hdPredictBuild *build = graph->build;

	/* All grow alike; the last one that grew tells whether all did. */
	if (hdPredictGrow(&build->place, task, &build->placeRoom,
			  sizeof(uint32_t)) < 0 ||
	    hdPredictGrow(&build->isDefined, task, &build->definedRoom,
			  sizeof(bool)) < 0 ||
	    hdPredictGrow(&graph->config, task, &build->configOfRoom,
			  sizeof(uint32_t)) < 0 ||
	    hdPredictGrow(&graph->line, task, &build->lineRoom,
			  sizeof(uint32_t)) < 0 ||
	    hdPredictGrow(&graph->pe, task, &build->peRoom, sizeof(uint32_t)) <
		    0 ||
	    hdPredictGrow(&graph->priority, task, &build->priorityRoom,
			  sizeof(int64_t)) < 0)
		return -ENOMEM;
	return 0;
}

int hdPredictTaskName(hdPGraph *graph, const char *id, size_t length,
		      uint32_t *task)
{
	int ret = hdPredictNamesAdd(&graph->ids, id, length, task);

	if (ret <= 0)
		return ret;
	if (hdPredictTaskRoom(graph, *task) < 0) {
		graph->build->isDamaged = true;
		return -ENOMEM;
	}
	graph->build->isDefined[*task] = false;
	graph->config[*task] = HD_PREDICT_NONE;
	graph->line[*task] = 0;
	graph->pe[*task] = HD_PREDICT_NONE;
	graph->priority[*task] = 0;
	return 0;
}

int hdPredictTaskAdd(hdPGraph *graph, const char *id, size_t length,
		     uint32_t kernelName, struct hdPredictAssign *assigns,
		     size_t count, int64_t line, uint32_t *task)
{
	struct hdPredictBuild *build = graph->build;
	char few[256], *key = few;
	size_t size = sizeof(kernelName) + count * sizeof(*assigns);
	uint32_t config;
	int ret = hdPredictTaskName(graph, id, length, task);

	if (ret < 0)
		return ret;
	if (build->isDefined[*task])
		return -EEXIST;
	/* Sorted by name: few of them, and mostly in order. */
	for (size_t i = 1; i < count; i++) {
		struct hdPredictAssign one = assigns[i];
		size_t at = i;

		for (; at > 0 && assigns[at - 1].name > one.name; at--)
			assigns[at] = assigns[at - 1];
		assigns[at] = one;
	}
	if (size > sizeof(few)) {
		key = malloc(size);
		if (!key)
			return -ENOMEM;
	}
	memcpy(key, &kernelName, sizeof(kernelName));
	if (count)
		memcpy(key + sizeof(kernelName), assigns,
		       count * sizeof(*assigns));
	ret = hdPredictNamesAdd(&build->raw, key, size, &config);
	if (key != few)
		free(key);
	if (ret < 0)
		return ret;
	build->isDefined[*task] = true;
	build->place[*task] = build->definedCount++;
	graph->config[*task] = config;
	graph->line[*task] = line < UINT32_MAX ? (uint32_t)line : 0;
	return 0;
}

int64_t hdP_addTask(hdPGraph *graph, const char *id, int number,
		    const double *values)
{
	struct hdPredictKernel *kernel = kernelToBuild(graph, number);
	struct hdPredictAssign few[16], *assigns = few;
	uint32_t count, task, name;
	int ret;

	if (!kernel || !id || !*id || (!values && kernel->variableCount))
		return -EINVAL;
	count = kernel->variableCount;
	if (graphModelAddName(graph, kernel->id, &name) < 0)
		return -ENOMEM;
	if (count > sizeof(few) / sizeof(*few)) {
		assigns = malloc(count * sizeof(*assigns));
		if (!assigns)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < count; i++) {
		assigns[i] = (struct hdPredictAssign){ kernel->variableNames[i],
						       0, values[i] + 0.0 };
	}
	ret = hdPredictTaskAdd(graph, id, strlen(id), name, assigns, count, 0,
			       &task);
	if (assigns != few)
		free(assigns);
	return ret < 0 ? ret : (int64_t)task;
}

int hdP_setTile(hdPGraph *graph, int64_t task, uint32_t row, uint32_t column)
{
	size_t room;

	if (!graph || !graph->build || task < 0 || task >= graph->ids.count ||
	    row == HD_PREDICT_NONE || column == HD_PREDICT_NONE)
		return -EINVAL;
	room = graph->build->tileRoom;
	while (graph->build->tileRoom <= (size_t)task) {
		if (hdPredictGrow(&graph->tile, graph->build->tileRoom,
				  &graph->build->tileRoom,
				  2 * sizeof(uint32_t)) < 0)
			return -ENOMEM;
	}
	/* Those without a tile. */
	if (room < graph->build->tileRoom)
		memset(graph->tile + 2 * room, 0xff,
		       (graph->build->tileRoom - room) * 2 * sizeof(uint32_t));
	graph->tile[2 * task] = row;
	graph->tile[2 * task + 1] = column;
	return 0;
}

/* Room for pins of all tasks up to one. */
static int graphModelPinRoom(hdPGraph *graph, size_t task)
{
	size_t room = graph->build->pinRoom;

	while (graph->build->pinRoom <= task) {
		if (hdPredictGrow(&graph->pin, graph->build->pinRoom,
				  &graph->build->pinRoom, sizeof(uint32_t)) < 0)
			return -ENOMEM;
	}
	if (room < graph->build->pinRoom)
		memset(graph->pin + room, 0xff,
		       (graph->build->pinRoom - room) * sizeof(uint32_t));
	return 0;
}

int hdP_setPin(hdPGraph *graph, int64_t task, const char *pe)
{
	uint32_t number;

	if (!graph || !graph->build || task < 0 || task >= graph->ids.count ||
	    !pe || !*pe)
		return -EINVAL;
	if (graphModelPinRoom(graph, (size_t)task) < 0 ||
	    hdPredictNamesAdd(&graph->pins, pe, strlen(pe), &number) < 0)
		return -ENOMEM;
	graph->pin[task] = number;
	return 0;
}

int hdPredictPinsSeal(hdPGraph *graph)
{
	return graph->pin && graph->taskCount
		       ? graphModelPinRoom(graph, graph->taskCount - 1)
		       : 0;
}

int hdP_setKernelPin(hdPGraph *graph, int number, const char *pe)
{
	struct hdPredictKernel *kernel = kernelToBuild(graph, number);
	char *copy;

	if (!kernel || !pe || !*pe)
		return -EINVAL;
	copy = strdup(pe);
	if (!copy)
		return -ENOMEM;
	free(kernel->pin);
	kernel->pin = copy;
	return 0;
}

const char *hdPredictPinOf(const hdPGraph *graph, uint32_t task, size_t *length)
{
	const char *pin = hdPredictKernelOf(graph, task)->pin;

	if (graph->pin && graph->pin[task] != HD_PREDICT_NONE)
		return hdPredictName(&graph->pins, graph->pin[task], length);
	*length = pin ? strlen(pin) : 0;
	return pin;
}

bool hdPredictHasPins(const hdPGraph *graph)
{
	for (uint32_t k = 0; k < graph->kernelCount; k++) {
		if (graph->kernels[k].pin)
			return true;
	}
	return graph->pin != NULL;
}

int64_t hdP_getMappedCount(const hdPGraph *graph)
{
	int64_t count = 0;

	for (uint32_t t = 0; graph && t < graph->ids.count; t++)
		count += graph->pe[t] != HD_PREDICT_NONE;
	return count;
}

int hdPredictEdgeAdd(hdPGraph *graph, const struct hdPredictEdge *edge)
{
	struct hdPredictBuild *build = graph->build;

	if (build->edgeCount >= UINT32_MAX - 1)
		return -EOVERFLOW;
	if (hdPredictGrow(&build->edges, build->edgeCount, &build->edgeRoom,
			  sizeof(*edge)) < 0)
		return -ENOMEM;
	build->edges[build->edgeCount++] = *edge;
	return 0;
}

int64_t hdP_addDependency(hdPGraph *graph, int64_t predecessor, int output,
			  int64_t successor, int input)
{
	struct hdPredictEdge edge = { (uint32_t)predecessor,
				      (uint32_t)successor, (uint32_t)output,
				      (uint32_t)input, 0 };
	int ret;

	if (!graph || !graph->build || predecessor < 0 || successor < 0 ||
	    predecessor >= graph->ids.count || successor >= graph->ids.count ||
	    output < 0 || input < 0)
		return -EINVAL;
	graph->build->isByNumber = true;
	ret = hdPredictEdgeAdd(graph, &edge);
	return ret < 0 ? ret : (int64_t)graph->build->edgeCount - 1;
}

int hdP_setTimes(hdPGraph *graph, int64_t task, double start, double end)
{
	if (!graph || !graph->isFinished || task < 0 ||
	    task >= graph->taskCount || !isfinite(start) || !isfinite(end))
		return -EINVAL;
	if (!graph->times) {
		size_t count = 2 * (size_t)graph->taskCount;

		graph->times = malloc((count + 1) * sizeof(double));
		if (!graph->times)
			return -ENOMEM;
		for (size_t i = 0; i < count; i++)
			graph->times[i] = NAN;
	}
	graph->times[2 * task] = start;
	graph->times[2 * task + 1] = end;
	return 0;
}

int hdP_setMapping(hdPGraph *graph, int64_t task, const char *pe,
		   int64_t priority)
{
	uint32_t number;

	if (!graph || task < 0 || task >= graph->ids.count || !pe ||
	    priority < 0 || priority > HD_PREDICT_PRIORITY_MAX)
		return -EINVAL;
	if (hdPredictNamesAdd(&graph->pes, pe, strlen(pe), &number) < 0)
		return -ENOMEM;
	graph->pe[task] = number;
	graph->priority[task] = priority;
	return 0;
}

int hdP_finishGraph(hdPGraph *graph, hdPMessageHandler handler, void *data)
{
	struct hdPredictReport report = { handler, data, NULL, 0 };

	if (!graph || !graph->build)
		return -EINVAL;
	return hdPredictGraphSeal(graph, &report);
}

void hdPredictBuildFree(hdPGraph *graph)
{
	struct hdPredictBuild *build = graph->build;

	if (!build)
		return;
	hdPredictNamesFree(&build->names);
	hdPredictNamesFree(&build->raw);
	free(build->kernelOf);
	free(build->isDefined);
	free(build->place);
	free(build->edges);
	free(build);
	graph->build = NULL;
}

/* ---- Asking ------------------------------------------------------------ */

int64_t hdP_getTaskCount(const hdPGraph *graph)
{
	return graph ? graph->ids.count : 0;
}

int64_t hdP_getDependencyCount(const hdPGraph *graph)
{
	if (!graph)
		return 0;
	return graph->build ? (int64_t)graph->build->edgeCount
			    : (int64_t)graph->inputCount;
}

int hdP_getKernelCount(const hdPGraph *graph)
{
	return graph ? (int)graph->kernelCount : 0;
}

const char *hdP_getKernelId(const hdPGraph *graph, int kernel)
{
	if (!graph || kernel < 0 || (uint32_t)kernel >= graph->kernelCount)
		return NULL;
	return graph->kernels[kernel].id;
}

int hdP_getTaskKernel(const hdPGraph *graph, int64_t task)
{
	if (!graph || !graph->isFinished || task < 0 ||
	    task >= graph->taskCount)
		return -EINVAL;
	return (int)graph->configs[graph->config[task]].kernel;
}

const char *hdP_getTaskId(const hdPGraph *graph, int64_t task, size_t *length)
{
	if (!graph || task < 0 || task >= graph->ids.count)
		return NULL;
	return hdPredictName(&graph->ids, (uint32_t)task, length);
}

const char *hdP_getMapping(const hdPGraph *graph, int64_t task, size_t *length,
			   int64_t *priority)
{
	if (!graph || task < 0 || task >= graph->ids.count ||
	    graph->pe[task] == HD_PREDICT_NONE)
		return NULL;
	if (priority)
		*priority = graph->priority[task];
	return hdPredictName(&graph->pes, graph->pe[task], length);
}
