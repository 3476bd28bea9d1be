/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing task graphs: doc/format/prediction.md. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "PredictionLibrary/model/binary.h"
#include "PredictionLibrary/model/graph.h"
#include "PredictionLibrary/simulation/simulate.h"
#include "common/format/escape.h"
#include "common/number.h"

/* Numbers and names that are collected until they are worth a call. */
struct out {
	FILE *file;
	size_t used;
	char bytes[1 << 16];
};

static void graphWriteFlushText(struct out *out)
{
	fwrite(out->bytes, 1, out->used, out->file);
	out->used = 0;
}

static void graphWritePutBytes(struct out *out, const char *text, size_t length)
{
	while (length) {
		size_t part = sizeof(out->bytes) - out->used;

		if (part > length)
			part = length;
		memcpy(out->bytes + out->used, text, part);
		out->used += part;
		text += part;
		length -= part;
		if (out->used == sizeof(out->bytes))
			graphWriteFlushText(out);
	}
}

static void graphWritePutText(struct out *out, const char *text)
{
	graphWritePutBytes(out, text, strlen(text));
}

static void name(struct out *out, const char *text, size_t length)
{
	size_t plain = 0;

	while (plain < length && hdPlainBytes[(unsigned char)text[plain]])
		plain++;
	graphWritePutBytes(out, text, plain);
	while (plain < length) {
		const char *piece;
		size_t size, taken = hdEscapeNext(text + plain, length - plain,
						  &piece, &size);

		graphWritePutBytes(out, piece, size);
		plain += taken;
	}
}

static void graphWritePutNumber(struct out *out, double value)
{
	char text[HD_DOUBLE_MAX];

	graphWritePutBytes(out, text,
			   (size_t)(hdNumberDouble(text, value) - text));
}

static void integer(struct out *out, int64_t value)
{
	char text[HD_INT64_MAX];

	graphWritePutBytes(out, text,
			   (size_t)(hdNumberInt64(text, value) - text));
}

static void graphWritePutAttribute(struct out *out, const char *key,
				   const char *value)
{
	graphWritePutText(out, " ");
	graphWritePutText(out, key);
	graphWritePutText(out, "=\"");
	name(out, value, strlen(value));
	graphWritePutText(out, "\"");
}

/* ---- Kernels ----------------------------------------------------------- */

static void writePorts(struct out *out, const char *element,
		       const struct hdPredictPorts *ports)
{
	for (uint32_t i = 0; i < ports->count; i++) {
		graphWritePutText(out, "    <");
		graphWritePutText(out, element);
		graphWritePutAttribute(out, "id", ports->ports[i].id);
		graphWritePutAttribute(out, "size", ports->ports[i].size);
		if (ports->ports[i].inoutId)
			graphWritePutAttribute(out, "inout",
					       ports->ports[i].inoutId);
		graphWritePutText(out, "/>\n");
	}
}

static void writeKernel(struct out *out, const struct hdPredictKernel *kernel)
{
	graphWritePutText(out, "  <kernel");
	graphWritePutAttribute(out, "id", kernel->id);
	if (kernel->kernelClass)
		graphWritePutAttribute(out, "class", kernel->kernelClass);
	if (kernel->pin)
		graphWritePutAttribute(out, "pin", kernel->pin);
	graphWritePutText(out, ">\n");
	for (uint32_t v = 0; v < kernel->variableCount; v++) {
		graphWritePutText(out, "    <variable");
		graphWritePutAttribute(out, "id", kernel->variables[v]);
		graphWritePutText(out, "/>\n");
	}
	writePorts(out, "input", &kernel->inputs);
	writePorts(out, "output", &kernel->outputs);
	for (uint32_t i = 0; i < kernel->phaseCount; i++) {
		graphWritePutText(out, "    <phase until=\"");
		graphWritePutNumber(out, kernel->phases[i].until);
		graphWritePutText(out, "\" weight=\"");
		graphWritePutNumber(out, kernel->phases[i].weight);
		graphWritePutText(out, "\"/>\n");
	}
	for (uint32_t i = 0; i < kernel->ioCount; i++) {
		graphWritePutText(out, "    <io");
		graphWritePutAttribute(out, "order",
				       hdPredictIoOrder(kernel->ios[i].access));
		graphWritePutAttribute(
			out, "access",
			hdPredictIoAccess(kernel->ios[i].access));
		graphWritePutAttribute(out, "size", kernel->ios[i].size);
		graphWritePutText(out, "/>\n");
	}
	graphWritePutText(out, "  </kernel>\n");
}

static struct out *outNew(FILE *file)
{
	struct out *out = malloc(sizeof(*out));

	if (out) {
		out->file = file;
		out->used = 0;
		hdNumberPrepare();
	}
	return out;
}

int hdPredictKernelsWrite(const hdPGraph *graph, FILE *file)
{
	struct out *out = outNew(file);

	if (!out)
		return -ENOMEM;
	for (uint32_t i = 0; i < graph->kernelCount; i++)
		writeKernel(out, &graph->kernels[i]);
	graphWriteFlushText(out);
	free(out);
	return ferror(file) ? -EIO : 0;
}

/* ---- Tasks ------------------------------------------------------------- */

static void writeMapping(struct out *out, const hdPGraph *graph, uint32_t task)
{
	int64_t priority;
	size_t length;
	const char *pe = hdP_getMapping(graph, task, &length, &priority);

	if (!pe)
		return;
	graphWritePutText(out, "<map pe=\"");
	name(out, pe, length);
	graphWritePutText(out, "\" priority=\"");
	integer(out, priority);
	graphWritePutText(out, "\"/>");
}

/* What was measured. */
static void writeMeasured(struct out *out, const hdPGraph *graph, uint32_t task)
{
	const double *times = graph->times + 2 * (size_t)task;

	if (isnan(times[0]))
		return;
	graphWritePutText(out, "<measured start=\"");
	graphWritePutNumber(out, times[0]);
	graphWritePutText(out, "\" end=\"");
	graphWritePutNumber(out, times[1]);
	graphWritePutText(out, "\"/>");
}

static void writeTimes(struct out *out, const hdPResult *result, uint32_t task)
{
	hdPTaskTimes times;
	uint32_t count;
	const uint32_t *pes;

	if (!result || hdP_getTaskTimes(result, task, &times) < 0)
		return;
	pes = hdPredictPlanPes(&result->plan, result->platform, task, &count);
	graphWritePutText(out, "<simulated pe=\"");
	for (uint32_t i = 0; i < count; i++) {
		const char *id = result->platform->peIds[pes[i]];

		graphWritePutText(out, i ? "," : "");
		name(out, id, strlen(id));
	}
	graphWritePutText(out, "\" start=\"");
	graphWritePutNumber(out, times.start);
	graphWritePutText(out, "\" end=\"");
	graphWritePutNumber(out, times.end);
	graphWritePutText(out, "\"/>");
}

static void graphWriteWriteTask(struct out *out, const hdPGraph *graph,
				const hdPResult *result, uint32_t task)
{
	const struct hdPredictConfig *config =
		&graph->configs[graph->config[task]];
	const struct hdPredictKernel *kernel = &graph->kernels[config->kernel];
	size_t length;
	const char *id = hdPredictName(&graph->ids, task, &length);
	uint32_t row, column;

	graphWritePutText(out, "  <task id=\"");
	name(out, id, length);
	graphWritePutText(out, "\" kernel=\"");
	name(out, kernel->id, strlen(kernel->id));
	graphWritePutText(out, "\"");
	hdPredictTile(graph, task, &row, &column);
	if (row != HD_PREDICT_NONE) {
		graphWritePutText(out, " tile=\"");
		integer(out, row);
		graphWritePutText(out, ",");
		integer(out, column);
		graphWritePutText(out, "\"");
	}
	if (graph->pin && graph->pin[task] != HD_PREDICT_NONE) {
		id = hdPredictName(&graph->pins, graph->pin[task], &length);
		graphWritePutText(out, " pin=\"");
		name(out, id, length);
		graphWritePutText(out, "\"");
	}
	if (!kernel->variableCount && graph->pe[task] == HD_PREDICT_NONE &&
	    !result && !graph->times) {
		graphWritePutText(out, "/>\n");
		return;
	}
	graphWritePutText(out, ">");
	for (uint32_t v = 0; v < kernel->variableCount; v++) {
		graphWritePutText(out, "<assign var=\"");
		name(out, kernel->variables[v], strlen(kernel->variables[v]));
		graphWritePutText(out, "\" val=\"");
		graphWritePutNumber(out, graph->values[config->values + v]);
		graphWritePutText(out, "\"/>");
	}
	writeMapping(out, graph, task);
	if (graph->times)
		writeMeasured(out, graph, task);
	writeTimes(out, result, task);
	graphWritePutText(out, "</task>\n");
}

static void writeDependency(struct out *out, const hdPGraph *graph,
			    uint32_t task, uint32_t input)
{
	uint32_t dataSet = graph->source[input];
	uint32_t producer = hdPredictProducer(graph, dataSet);
	const struct hdPredictPort *to =
		&hdPredictKernelOf(graph, task)
			 ->inputs.ports[input - graph->input[task]];
	const struct hdPredictPort *from =
		&hdPredictKernelOf(graph, producer)
			 ->outputs.ports[dataSet - graph->output[producer]];
	size_t length;
	const char *id = hdPredictName(&graph->ids, producer, &length);

	graphWritePutText(out, "  <dependency predecessor=\"");
	name(out, id, length);
	id = hdPredictName(&graph->ids, task, &length);
	graphWritePutText(out, "\" successor=\"");
	name(out, id, length);
	graphWritePutText(out, "\" src=\"");
	name(out, from->id, strlen(from->id));
	graphWritePutText(out, "\" dest=\"");
	name(out, to->id, strlen(to->id));
	graphWritePutText(out, "\"/>\n");
}

/* Dependencies in the order of their numbers. */
static int writeDependencies(struct out *out, const hdPGraph *graph)
{
	uint32_t *task = malloc((graph->inputCount + 1) * sizeof(*task));
	uint32_t *input = malloc((graph->inputCount + 1) * sizeof(*input));

	if (!task || !input) {
		free(task);
		free(input);
		return -ENOMEM;
	}
	for (uint32_t t = 0; t < graph->taskCount; t++) {
		for (uint32_t j = graph->input[t]; j < graph->input[t + 1];
		     j++) {
			task[graph->number[j]] = t;
			input[graph->number[j]] = j;
		}
	}
	for (uint64_t i = 0; i < graph->inputCount && !ferror(out->file); i++)
		writeDependency(out, graph, task[i], input[i]);
	free(task);
	free(input);
	return 0;
}

static int writeXml(const hdPGraph *graph, FILE *file, const hdPResult *result)
{
	struct out *out = outNew(file);
	int ret;

	if (!out)
		return -ENOMEM;
	graphWritePutText(
		out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<application>\n");
	for (uint32_t i = 0; i < graph->kernelCount; i++)
		writeKernel(out, &graph->kernels[i]);
	for (uint32_t t = 0; t < graph->taskCount && !ferror(file); t++)
		graphWriteWriteTask(out, graph, result, t);
	ret = writeDependencies(out, graph);
	graphWritePutText(out, "</application>\n");
	graphWriteFlushText(out);
	free(out);
	return ret;
}

/* ---- Files ------------------------------------------------------------- */

/* A file that gets its name once it is complete; of devices, the device. Links
 * are followed by who calls it: what is replaced is never a link. */
static FILE *openNew(const char *path, char **temporary)
{
	struct stat about;
	FILE *file;
	int fd;

	*temporary = NULL;
	if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
		return fopen(path, "we");
	if (asprintf(temporary, "%s.%ld.new", path, (long)getpid()) < 0) {
		*temporary = NULL;
		errno = ENOMEM;
		return NULL;
	}
	fd = open(*temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!file) {
		int error = errno;

		if (fd >= 0) {
			close(fd);
			unlink(*temporary);
		}
		free(*temporary);
		*temporary = NULL;
		errno = error;
	}
	return file;
}

int hdP_writeGraph(const hdPGraph *graph, const char *path, hdPForm form,
		   const hdPResult *result)
{
	bool isStdout = path && strcmp(path, "-") == 0;
	char *temporary = NULL, *real;
	FILE *file;
	int ret;

	if (!graph || !graph->isFinished || !path)
		return -EINVAL;
	real = isStdout ? NULL : realpath(path, NULL);
	if (real)
		path = real;
	file = isStdout ? stdout : openNew(path, &temporary);
	if (!file) {
		ret = -errno;
		free(real);
		return ret;
	}
	errno = 0;
	ret = form == HDP_BINARY ? hdPredictGraphWriteBinary(graph, file)
				 : writeXml(graph, file, result);
	if ((isStdout ? fflush(file) : 0) != 0 || ferror(file))
		ret = errno ? -errno : -EIO;
	if (!isStdout && fclose(file) != 0 && ret == 0)
		ret = errno ? -errno : -EIO;
	if (temporary && ret == 0 && rename(temporary, path) != 0)
		ret = -errno;
	if (temporary && ret < 0)
		unlink(temporary);
	free(temporary);
	free(real);
	return ret;
}
