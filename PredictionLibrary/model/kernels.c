/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of a graph, and what they are with values; see graph.h. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/model/graph.h"

/* What qsort() compares by; one sort at a time in a thread. */
static _Thread_local const struct hdPredictPort *sorting;

static int modelKernelsByName(const void *a, const void *b)
{
	uint32_t x = sorting[*(const uint32_t *)a].name;
	uint32_t y = sorting[*(const uint32_t *)b].name;

	return (x > y) - (x < y);
}

int hdPredictPortsSort(struct hdPredictPorts *ports)
{
	if (!ports->count)
		return 0;
	ports->sorted = malloc(ports->count * sizeof(uint32_t));
	if (!ports->sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < ports->count; i++)
		ports->sorted[i] = i;
	sorting = ports->ports;
	qsort(ports->sorted, ports->count, sizeof(uint32_t),
	      modelKernelsByName);
	return 0;
}

const struct hdPredictPort *hdPredictPortFind(
	const struct hdPredictPorts *ports, uint32_t name)
{
	uint32_t low = 0, high = ports->count;

	if (ports->count <= 8) {
		for (uint32_t i = 0; i < ports->count; i++) {
			if (ports->ports[i].name == name)
				return &ports->ports[i];
		}
		return NULL;
	}
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct hdPredictPort *port =
			&ports->ports[ports->sorted[middle]];

		if (port->name == name)
			return port;
		if (port->name < name)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static int resolvePorts(const struct hdPredictKernel *kernel,
			struct hdPredictPorts *ports, uint8_t *isSeen,
			struct hdPredictReport *report)
{
	for (uint32_t i = 0; i < ports->count; i++) {
		struct hdPredictPort *port = &ports->ports[i];
		const char *error;
		int ret;

		if (isSeen[port->name])
			hdPredictError(
				report, kernel->line, kernel->id,
				strlen(kernel->id),
				"two inputs or outputs have the id %.200s",
				port->id);
		isSeen[port->name] = 1;
		ret = hdPredictExpressionParse(port->size, kernel->variables,
					       kernel->variableCount,
					       &port->expression, &error);
		if (ret == -ENOMEM)
			return ret;
		if (ret < 0)
			hdPredictError(report, kernel->line, kernel->id,
				       strlen(kernel->id),
				       "size of %.200s, \"%.200s\": %s",
				       port->id, port->size, error);
	}
	return hdPredictPortsSort(ports);
}

/* Inputs that outputs replace in place: each is there, and for one output. */
static void resolveInouts(struct hdPredictKernel *kernel,
			  struct hdPredictReport *report)
{
	for (uint32_t i = 0; i < kernel->outputs.count; i++) {
		struct hdPredictPort *port = &kernel->outputs.ports[i];
		uint32_t number = 0;

		if (!port->inoutId)
			continue;
		while (number < kernel->inputs.count &&
		       strcmp(kernel->inputs.ports[number].id, port->inoutId) !=
			       0)
			number++;
		if (number == kernel->inputs.count) {
			hdPredictError(report, kernel->line, kernel->id,
				       strlen(kernel->id),
				       "inout=\"%.200s\" of %.200s is not an "
				       "input of the kernel",
				       port->inoutId, port->id);
			continue;
		}
		for (uint32_t k = 0; k < i; k++) {
			if (kernel->outputs.ports[k].inout == number)
				hdPredictError(report, kernel->line, kernel->id,
					       strlen(kernel->id),
					       "two outputs have "
					       "inout=\"%.200s\"",
					       port->inoutId);
		}
		port->inout = number;
		kernel->hasInout = true;
	}
}

static int resolveIos(struct hdPredictKernel *kernel,
		      struct hdPredictReport *report)
{
	for (uint32_t i = 0; i < kernel->ioCount; i++) {
		struct hdPredictIo *io = &kernel->ios[i];
		const char *error;
		int ret = hdPredictExpressionParse(io->size, kernel->variables,
						   kernel->variableCount,
						   &io->expression, &error);

		if (ret == -ENOMEM)
			return ret;
		if (ret < 0)
			hdPredictError(report, kernel->line, kernel->id,
				       strlen(kernel->id),
				       "size of %s %ss, \"%.200s\": %s",
				       hdPredictIoOrder(io->access),
				       hdPredictIoAccess(io->access), io->size,
				       error);
	}
	return 0;
}

static void checkPhases(const struct hdPredictKernel *kernel,
			struct hdPredictReport *report)
{
	double until = 0, sum = 0;

	for (uint32_t i = 0; i < kernel->phaseCount; i++) {
		const struct hdPredictPhase *phase = &kernel->phases[i];

		if (!(phase->until > until) || !(phase->until <= 1) ||
		    !(phase->weight >= 0) || !isfinite(phase->weight)) {
			hdPredictError(report, kernel->line, kernel->id,
				       strlen(kernel->id),
				       "invalid phase until=\"%g\" "
				       "weight=\"%g\"; until must increase up "
				       "to 1, and weights must be 0 or more",
				       phase->until, phase->weight);
			return;
		}
		sum += (phase->until - until) * phase->weight;
		until = phase->until;
	}
	if (kernel->phaseCount && (until != 1 || !(sum > 0)))
		hdPredictError(report, kernel->line, kernel->id,
			       strlen(kernel->id),
			       until != 1 ? "the last phase does not end at 1"
					  : "no phase has a weight");
}

static void forgetPorts(const struct hdPredictPorts *ports, uint8_t *isSeen)
{
	for (uint32_t i = 0; i < ports->count; i++)
		isSeen[ports->ports[i].name] = 0;
}

/* isSeen is by name, and all zero before and after. */
static int resolveKernel(struct hdPredictKernel *kernel, uint8_t *isSeen,
			 struct hdPredictReport *report)
{
	int ret;

	for (uint32_t i = 0; i < kernel->variableCount; i++) {
		if (isSeen[kernel->variableNames[i]])
			hdPredictError(report, kernel->line, kernel->id,
				       strlen(kernel->id),
				       "two variables have the id %.200s",
				       kernel->variables[i]);
		isSeen[kernel->variableNames[i]] = 1;
	}
	for (uint32_t i = 0; i < kernel->variableCount; i++)
		isSeen[kernel->variableNames[i]] = 0;
	ret = resolvePorts(kernel, &kernel->inputs, isSeen, report);
	if (ret == 0)
		ret = resolvePorts(kernel, &kernel->outputs, isSeen, report);
	forgetPorts(&kernel->inputs, isSeen);
	forgetPorts(&kernel->outputs, isSeen);
	resolveInouts(kernel, report);
	if (ret == 0)
		ret = resolveIos(kernel, report);
	checkPhases(kernel, report);
	return ret;
}

int hdPredictKernelsResolve(hdPGraph *graph, struct hdPredictReport *report)
{
	struct hdPredictBuild *build = graph->build;
	uint8_t *isSeen;
	uint32_t count;
	int ret = 0;

	for (uint32_t i = 0; i < graph->kernelCount; i++) {
		uint32_t name;

		if (hdPredictNamesAdd(&build->names, graph->kernels[i].id,
				      strlen(graph->kernels[i].id), &name) < 0)
			return -ENOMEM;
	}
	count = build->names.count;
	build->kernelOf = malloc((count + 1) * sizeof(uint32_t));
	isSeen = calloc((size_t)count + 1, 1);
	if (!build->kernelOf || !isSeen) {
		free(isSeen);
		return -ENOMEM;
	}
	memset(build->kernelOf, 0xff, (count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < graph->kernelCount && ret == 0; i++) {
		struct hdPredictKernel *kernel = &graph->kernels[i];
		uint32_t name = hdPredictNamesFind(&build->names, kernel->id,
						   strlen(kernel->id));

		if (build->kernelOf[name] != HD_PREDICT_NONE)
			hdPredictError(report, kernel->line, kernel->id,
				       strlen(kernel->id),
				       "duplicate id of a kernel");
		build->kernelOf[name] = i;
		ret = resolveKernel(kernel, isSeen, report);
	}
	free(isSeen);
	return ret;
}

/* ---- Kernels with values ----------------------------------------------- */

static void resolveConfig(hdPGraph *graph, struct hdPredictConfig *config,
			  const struct hdPredictAssign *assigns, size_t count)
{
	const struct hdPredictKernel *kernel = &graph->kernels[config->kernel];
	double *values = graph->values + config->values;

	for (size_t i = 0; i + 1 < count; i++) {
		if (assigns[i].name == assigns[i + 1].name) {
			config->error = "assigns a variable twice:";
			config->culprit = assigns[i].name;
			return;
		}
	}
	for (uint32_t v = 0; v < kernel->variableCount; v++) {
		size_t i = 0;

		while (i < count && assigns[i].name != kernel->variableNames[v])
			i++;
		if (i == count) {
			config->error = "does not assign the variable";
			config->culprit = kernel->variableNames[v];
			return;
		}
		values[v] = assigns[i].value;
	}
	if (count == kernel->variableCount)
		return;
	for (size_t i = 0; i < count; i++) {
		uint32_t v = 0;

		while (v < kernel->variableCount &&
		       kernel->variableNames[v] != assigns[i].name)
			v++;
		if (v == kernel->variableCount) {
			config->error =
				"assigns an unknown variable of its kernel:";
			config->culprit = assigns[i].name;
			return;
		}
	}
}

static int sizesOf(hdPGraph *graph, struct hdPredictConfig *config,
		   const struct hdPredictPorts *ports, double *sizes)
{
	for (uint32_t i = 0; i < ports->count; i++) {
		const struct hdPredictPort *port = &ports->ports[i];
		const char *error;

		if (!port->expression)
			continue;
		error = hdPredictExpressionSize(port->expression,
						graph->values + config->values,
						&sizes[i]);
		if (error && !config->error) {
			config->error = error;
			config->isSize = true;
			config->culprit = port->name;
		}
	}
	return 0;
}

/* What is wrong with one has the name of the kernel. */
static void ioSizesOf(hdPGraph *graph, struct hdPredictConfig *config,
		      const struct hdPredictKernel *kernel, double *sizes)
{
	for (uint32_t i = 0; i < kernel->ioCount; i++) {
		const char *error;

		if (!kernel->ios[i].expression)
			continue;
		error = hdPredictExpressionSize(kernel->ios[i].expression,
						graph->values + config->values,
						&sizes[i]);
		if (error && !config->error) {
			config->error = error;
			config->isSize = true;
			config->culprit = hdPredictNamesFind(
				&graph->build->names, kernel->id,
				strlen(kernel->id));
		}
	}
}

/* What is replaced in place is as large as what replaces it. */
static void inoutSizesOf(struct hdPredictConfig *config,
			 const struct hdPredictKernel *kernel,
			 const double *sizes)
{
	for (uint32_t i = 0; i < kernel->outputs.count && !config->error; i++) {
		const struct hdPredictPort *port = &kernel->outputs.ports[i];

		if (port->inout == HD_PREDICT_NONE ||
		    sizes[kernel->inputs.count + i] == sizes[port->inout])
			continue;
		config->error = "it differs from the size of its inout";
		config->isSize = true;
		config->culprit = port->name;
	}
}

int hdPredictConfigSizes(hdPGraph *graph, struct hdPredictConfig *config)
{
	const struct hdPredictKernel *kernel = &graph->kernels[config->kernel];
	double *sizes = graph->sizes + config->sizes;
	int ret = sizesOf(graph, config, &kernel->inputs, sizes);

	if (ret == 0)
		ret = sizesOf(graph, config, &kernel->outputs,
			      sizes + kernel->inputs.count);
	inoutSizesOf(config, kernel, sizes);
	if (ret == 0)
		ioSizesOf(graph, config, kernel,
			  sizes + kernel->inputs.count + kernel->outputs.count);
	return ret;
}

int hdPredictConfigsResolve(hdPGraph *graph)
{
	const struct hdPredictNames *raw = &graph->build->raw;
	size_t valueCount = 0, sizeCount = 0;

	graph->configs =
		calloc((size_t)raw->count + 1, sizeof(*graph->configs));
	if (!graph->configs)
		return -ENOMEM;
	graph->configCount = raw->count;
	for (uint32_t i = 0; i < raw->count; i++) {
		struct hdPredictConfig *config = &graph->configs[i];
		size_t length;
		uint32_t name;

		memcpy(&name, hdPredictName(raw, i, &length), sizeof(name));
		config->culprit = name;
		config->kernel = graph->build->kernelOf[name];
		if (config->kernel == HD_PREDICT_NONE) {
			config->error = "unknown kernel";
			continue;
		}
		config->values = valueCount;
		config->sizes = sizeCount;
		valueCount += graph->kernels[config->kernel].variableCount;
		sizeCount +=
			hdPredictSizeCount(&graph->kernels[config->kernel]);
	}
	graph->values = calloc(valueCount + 1, sizeof(double));
	graph->sizes = calloc(sizeCount + 1, sizeof(double));
	if (!graph->values || !graph->sizes)
		return -ENOMEM;
	for (uint32_t i = 0; i < raw->count; i++) {
		struct hdPredictConfig *config = &graph->configs[i];
		struct hdPredictAssign *assigns;
		size_t length;
		const char *text = hdPredictName(raw, i, &length);

		if (config->error)
			continue;
		assigns = malloc(length);
		if (!assigns)
			return -ENOMEM;
		length -= sizeof(uint32_t);
		memcpy(assigns, text + sizeof(uint32_t), length);
		resolveConfig(graph, config, assigns,
			      length / sizeof(*assigns));
		free(assigns);
		if (!config->error && hdPredictConfigSizes(graph, config) < 0)
			return -ENOMEM;
	}
	return 0;
}
