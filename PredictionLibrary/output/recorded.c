/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What states of tasks say of the graph, so that it can be made of them again;
 * see doc/format/prediction.md.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <hdTrace.h>
#include "PredictionLibrary/output/project.h"
#include "common/number.h"

static void recordedWritePutNumber(FILE *out, double value)
{
	char text[HD_DOUBLE_MAX];

	fwrite(text, 1, (size_t)(hdNumberDouble(text, value) - text), out);
}

/* A text, in which no ';' is that of a list. */
static void recordedWritePutText(FILE *out, char kind, const char *text)
{
	putc(kind, out);
	for (; *text; text++) {
		if (*text == ';' || *text == '\\')
			putc('\\', out);
		putc(*text, out);
	}
	putc(';', out);
}

static void putPorts(FILE *out, char kind, const struct hdPredictPorts *ports)
{
	for (uint32_t i = 0; i < ports->count; i++) {
		recordedWritePutText(out, kind, ports->ports[i].id);
		recordedWritePutText(out, 'S', ports->ports[i].size);
		if (ports->ports[i].inoutId)
			recordedWritePutText(out, 'R', ports->ports[i].inoutId);
	}
}

static void putKernel(FILE *out, const struct hdPredictKernel *kernel)
{
	recordedWritePutText(out, 'K', kernel->id);
	if (kernel->kernelClass)
		recordedWritePutText(out, 'C', kernel->kernelClass);
	for (uint32_t v = 0; v < kernel->variableCount; v++)
		recordedWritePutText(out, 'V', kernel->variables[v]);
	putPorts(out, 'I', &kernel->inputs);
	putPorts(out, 'O', &kernel->outputs);
	for (uint32_t p = 0; p < kernel->phaseCount; p++) {
		putc('P', out);
		recordedWritePutNumber(out, kernel->phases[p].until);
		putc(' ', out);
		recordedWritePutNumber(out, kernel->phases[p].weight);
		putc(';', out);
	}
	for (uint32_t i = 0; i < kernel->ioCount; i++) {
		fprintf(out, "A%s %s;", hdPredictIoOrder(kernel->ios[i].access),
			hdPredictIoAccess(kernel->ios[i].access));
		recordedWritePutText(out, 'S', kernel->ios[i].size);
	}
}

static void recordedWritePutKernels(FILE *out, const hdPGraph *graph)
{
	for (uint32_t i = 0; i < graph->kernelCount; i++)
		putKernel(out, &graph->kernels[i]);
}

static void putValues(FILE *out, const hdPGraph *graph, uint32_t task)
{
	const struct hdPredictConfig *config =
		&graph->configs[graph->config[task]];
	uint32_t count = graph->kernels[config->kernel].variableCount;

	for (uint32_t v = 0; v < count; v++) {
		if (v)
			putc(' ', out);
		recordedWritePutNumber(out, graph->values[config->values + v]);
	}
}

/* Of each input: task and output that it comes from, and which dependency. */
static void putInputs(FILE *out, const hdPGraph *graph, uint32_t task)
{
	for (uint32_t i = graph->input[task]; i < graph->input[task + 1]; i++) {
		uint32_t dataSet = graph->source[i];
		uint32_t producer = hdPredictProducer(graph, dataSet);

		fprintf(out, "%s%" PRIu32 ":%" PRIu32 ":%" PRIu32,
			i > graph->input[task] ? " " : "", producer,
			dataSet - graph->output[producer], graph->number[i]);
	}
}

static bool logText(hdTrace *trace, const char *name, const hdPGraph *graph,
		    uint32_t task,
		    void (*put)(FILE *out, const hdPGraph *graph,
				uint32_t task))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool isGood;

	if (!out)
		return false;
	if (put)
		put(out, graph, task);
	else
		recordedWritePutKernels(out, graph);
	isGood = fclose(out) == 0 &&
		 (!size || hdT_logAttributeString(trace, name, text) == 0);
	free(text);
	return isGood;
}

bool hdPredictLogGraph(const hdPGraph *graph, hdTrace *trace, uint32_t task,
		       const char *pe)
{
	hdNumberPrepare();
	return hdT_logAttributeString(trace, "pe", pe) == 0 &&
	       logText(trace, "values", graph, task, putValues) &&
	       logText(trace, "inputs", graph, task, putInputs) &&
	       (task != 0 || logText(trace, "kernels", graph, task, NULL));
}
