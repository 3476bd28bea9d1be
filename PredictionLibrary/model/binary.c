/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The binary form of task graphs: doc/format/prediction.md.
 *
 * A header of 96 bytes, then sections, each padded to eight bytes: kernels as
 * XML, configurations, names of tasks, and an array for each thing that is
 * known of tasks and inputs. All numbers are little endian. What can be
 * computed is not in the file.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib.h>
#include <zlib.h>

#include "PredictionLibrary/model/binary.h"
#include "PredictionLibrary/model/graphxml.h"

bool hdPredictIsBinary(const char *head, size_t size)
{
	return size >= HD_PREDICT_MAGIC_SIZE &&
	       memcmp(head, HD_PREDICT_MAGIC, HD_PREDICT_MAGIC_SIZE) == 0;
}

void hdPredictHeaderSwap(struct hdPredictHeader *header)
{
	uint64_t *word = &header->tasks;

	header->version = GUINT32_FROM_LE(header->version);
	header->flags = GUINT32_FROM_LE(header->flags);
	header->size = GUINT64_FROM_LE(header->size);
	header->checksum = GUINT32_FROM_LE(header->checksum);
	header->kernelBytes = GUINT32_FROM_LE(header->kernelBytes);
	for (size_t i = 0; i < 8; i++)
		word[i] = GUINT64_FROM_LE(word[i]);
}

/* What is left of a file; at is NULL once something does not fit. */
struct cursor {
	char *at;
	uint64_t left;
};

static void *binaryReadReadBytes(struct cursor *cursor, uint64_t count,
				 uint64_t size)
{
	char *from = cursor->at;
	uint64_t bytes;

	if (!from || count > UINT64_MAX / 16 ||
	    (bytes = (count * size + 7) & ~UINT64_C(7)) > cursor->left) {
		cursor->at = NULL;
		return NULL;
	}
	cursor->at += bytes;
	cursor->left -= bytes;
	return from;
}

static uint32_t *binaryReadRead32(struct cursor *cursor, uint64_t count)
{
	uint32_t *from = binaryReadReadBytes(cursor, count, sizeof(*from));

	for (uint64_t i = 0;
	     G_BYTE_ORDER != G_LITTLE_ENDIAN && from && i < count; i++)
		from[i] = GUINT32_FROM_LE(from[i]);
	return from;
}

static void *binaryReadRead64(struct cursor *cursor, uint64_t count)
{
	uint64_t *from = binaryReadReadBytes(cursor, count, sizeof(*from));

	for (uint64_t i = 0;
	     G_BYTE_ORDER != G_LITTLE_ENDIAN && from && i < count; i++)
		from[i] = GUINT64_FROM_LE(from[i]);
	return from;
}

static int binaryReadReportDamage(struct hdPredictReport *report,
				  const char *what)
{
	hdPredictError(report, 0, NULL, 0, "the file is damaged: %s", what);
	return -EBADMSG;
}

static bool areOffsets(const uint64_t *offset, uint64_t count, uint64_t bytes)
{
	if (!offset || offset[0] != 0 || offset[count] != bytes)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		if (offset[i] >= offset[i + 1] || offset[i + 1] > bytes)
			return false;
	}
	return true;
}

/* Whether names are what XML can have: UTF-8, and no control characters. */
static bool areTexts(const char *text, const uint64_t *offset, uint64_t count)
{
	const unsigned char *byte = (const unsigned char *)text;
	uint64_t size = offset[count];

	for (uint64_t i = 0; i < count; i++) {
		/* Nothing goes on in the next name. */
		if ((byte[offset[i]] & 0xc0) == 0x80)
			return false;
	}
	return hdPredictIsText(text, size);
}

/* All of a file in memory that may be changed. */
static int mapSource(struct hdPredictSource *source, hdPGraph *graph)
{
	struct stat about;
	size_t room, used = source->headSize;
	char *memory;

	if (!source->memory && fstat(source->fd, &about) == 0 &&
	    S_ISREG(about.st_mode) && about.st_size > 0 &&
	    lseek(source->fd, 0, SEEK_CUR) == (off_t)used) {
		memory = mmap(NULL, (size_t)about.st_size,
			      PROT_READ | PROT_WRITE, MAP_PRIVATE, source->fd,
			      0);
		if (memory == MAP_FAILED)
			return -errno;
		graph->mapped = memory;
		graph->mappedSize = (size_t)about.st_size;
		return 0;
	}
	room = source->memory ? used + source->memorySize + 1 : 1 << 20;
	memory = mmap(NULL, room, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return -ENOMEM;
	graph->mapped = memory;
	graph->mappedSize = room;
	memcpy(memory, source->head, used);
	if (source->memory) {
		memcpy(memory + used, source->memory, source->memorySize);
		return 0;
	}
	for (;;) {
		ssize_t got;

		if (used == room) {
			memory = mremap(memory, room, room * 2, MREMAP_MAYMOVE);
			if (memory == MAP_FAILED)
				return -ENOMEM;
			graph->mapped = memory;
			graph->mappedSize = room *= 2;
		}
		got = read(source->fd, memory + used, room - used);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got == 0)
			return 0;
		used += got > 0 ? (size_t)got : 0;
	}
}

static int readConfigs(hdPGraph *graph, const struct hdPredictHeader *header,
		       const uint32_t *kernels, const double *values,
		       struct hdPredictReport *report)
{
	size_t valueCount = 0, sizeCount = 0;

	graph->configs = calloc(header->configs + 1, sizeof(*graph->configs));
	graph->values = malloc((header->values + 1) * sizeof(double));
	if (!graph->configs || !graph->values)
		return -ENOMEM;
	memcpy(graph->values, values, header->values * sizeof(double));
	graph->configCount = (uint32_t)header->configs;
	for (uint32_t i = 0; i < graph->configCount; i++) {
		const struct hdPredictKernel *kernel;

		if (kernels[i] >= graph->kernelCount)
			return binaryReadReportDamage(report, "missing kernel");
		kernel = &graph->kernels[kernels[i]];
		graph->configs[i] =
			(struct hdPredictConfig){ .kernel = kernels[i],
						  .values = valueCount,
						  .sizes = sizeCount };
		valueCount += kernel->variableCount;
		sizeCount += hdPredictSizeCount(kernel);
	}
	if (valueCount != header->values)
		return binaryReadReportDamage(
			report, "values of variables are missing");
	graph->sizes = calloc(sizeCount + 1, sizeof(double));
	if (!graph->sizes)
		return -ENOMEM;
	for (uint32_t i = 0; i < graph->configCount; i++) {
		struct hdPredictConfig *config = &graph->configs[i];

		hdPredictConfigSizes(graph, config);
		if (config->error)
			hdPredictError(report, 0, NULL, 0,
				       "size of kernel %.200s: %s",
				       graph->kernels[config->kernel].id,
				       config->error);
	}
	return 0;
}

static int numberTasks(hdPGraph *graph, const struct hdPredictHeader *header,
		       struct hdPredictReport *report)
{
	uint64_t inputs = 0, outputs = 0;
	uint32_t n = graph->taskCount;

	graph->input = malloc(((size_t)n + 1) * sizeof(uint32_t));
	graph->output = malloc(((size_t)n + 1) * sizeof(uint32_t));
	if (!graph->input || !graph->output)
		return -ENOMEM;
	for (uint32_t t = 0; t < n; t++) {
		const struct hdPredictKernel *kernel;

		if (graph->config[t] >= graph->configCount)
			return binaryReadReportDamage(report,
						      "a task has no kernel");
		kernel = hdPredictKernelOf(graph, t);
		graph->input[t] = (uint32_t)inputs;
		graph->output[t] = (uint32_t)outputs;
		inputs += kernel->inputs.count;
		outputs += kernel->outputs.count;
		if (inputs > header->inputs || outputs > header->outputs)
			break;
	}
	if (inputs != header->inputs || outputs != header->outputs)
		return binaryReadReportDamage(report,
					      "numbers of inputs differ");
	graph->input[n] = (uint32_t)inputs;
	graph->output[n] = (uint32_t)outputs;
	graph->inputCount = inputs;
	graph->outputCount = outputs;
	return 0;
}

static int binaryReadCheckInputs(const hdPGraph *graph,
				 struct hdPredictReport *report)
{
	uint8_t *isSeen = calloc(graph->inputCount / 8 + 1, 1);

	if (!isSeen)
		return -ENOMEM;
	for (uint64_t j = 0; j < graph->inputCount; j++) {
		uint32_t number = graph->number[j];

		if (graph->source[j] >= graph->outputCount ||
		    number >= graph->inputCount ||
		    isSeen[number / 8] & 1 << number % 8) {
			free(isSeen);
			return binaryReadReportDamage(report,
						      "a dependency is wrong");
		}
		isSeen[number / 8] |= (uint8_t)(1 << number % 8);
	}
	free(isSeen);
	return 0;
}

static void binaryReadCheckSizes(const hdPGraph *graph,
				 struct hdPredictReport *report)
{
	for (uint32_t t = 0; t < graph->taskCount; t++) {
		const struct hdPredictConfig *config =
			&graph->configs[graph->config[t]];

		for (uint32_t d = graph->output[t]; d < graph->output[t + 1];
		     d++) {
			double have = hdPredictOutputSize(graph, t,
							  d - graph->output[t]);

			for (uint32_t c = graph->consumer[d];
			     c < graph->consumer[d + 1]; c++) {
				uint32_t s = graph->consumerTask[c];
				size_t length;
				const char *id;

				config = &graph->configs[graph->config[s]];
				if (graph->sizes[config->sizes +
						 graph->consumerInput[c] -
						 graph->input[s]] == have)
					continue;
				id = hdPredictName(&graph->ids, s, &length);
				hdPredictError(report, 0, id, length,
					       "an input and its output differ "
					       "in size");
			}
		}
	}
}

static int readMapping(struct cursor *cursor, hdPGraph *graph,
		       const struct hdPredictHeader *header,
		       struct hdPredictReport *report)
{
	uint64_t *offset = binaryReadRead64(cursor, header->pes + 1);
	char *text = binaryReadReadBytes(cursor, header->peBytes, 1);

	if (!text || !areOffsets(offset, header->pes, header->peBytes) ||
	    !areTexts(text, offset, header->pes))
		return binaryReadReportDamage(report, "names of PEs");
	for (uint32_t i = 0; i < header->pes; i++) {
		uint32_t number;
		int ret = hdPredictNamesAdd(&graph->pes, text + offset[i],
					    offset[i + 1] - offset[i], &number);

		if (ret < 0)
			return ret;
		if (ret == 0)
			return binaryReadReportDamage(report, "names of PEs");
	}
	graph->pe = binaryReadRead32(cursor, graph->taskCount);
	graph->priority = binaryReadRead64(cursor, graph->taskCount);
	for (uint32_t t = 0; graph->priority && t < graph->taskCount; t++) {
		if ((graph->pe[t] != HD_PREDICT_NONE &&
		     graph->pe[t] >= header->pes) ||
		    graph->priority[t] < 0 ||
		    graph->priority[t] > HD_PREDICT_PRIORITY_MAX)
			return binaryReadReportDamage(report,
						      "a mapping is wrong");
	}
	return 0;
}

/* Names of PEs, and which each task is pinned to. */
static int readPins(struct cursor *cursor, hdPGraph *graph,
		    struct hdPredictReport *report)
{
	uint64_t *counts = binaryReadRead64(cursor, 2), *offset;
	char *text;

	if (!counts || counts[0] >= UINT32_MAX)
		return binaryReadReportDamage(report, "pins");
	offset = binaryReadRead64(cursor, counts[0] + 1);
	text = binaryReadReadBytes(cursor, counts[1], 1);
	if (!text || !areOffsets(offset, counts[0], counts[1]) ||
	    !areTexts(text, offset, counts[0]))
		return binaryReadReportDamage(report, "pins");
	for (uint32_t i = 0; i < counts[0]; i++) {
		uint32_t number;
		int ret = hdPredictNamesAdd(&graph->pins, text + offset[i],
					    offset[i + 1] - offset[i], &number);

		if (ret < 0)
			return ret;
		if (ret == 0)
			return binaryReadReportDamage(report, "pins");
	}
	graph->pin = binaryReadRead32(cursor, graph->taskCount);
	for (uint32_t t = 0; graph->pin && t < graph->taskCount; t++) {
		if (graph->pin[t] != HD_PREDICT_NONE &&
		    graph->pin[t] >= counts[0])
			return binaryReadReportDamage(report, "pins");
	}
	return 0;
}

static int noMapping(hdPGraph *graph)
{
	graph->pe = malloc(((size_t)graph->taskCount + 1) * sizeof(uint32_t));
	graph->priority = calloc((size_t)graph->taskCount + 1, sizeof(int64_t));
	if (!graph->pe || !graph->priority)
		return -ENOMEM;
	memset(graph->pe, 0xff, (size_t)graph->taskCount * sizeof(uint32_t));
	return 0;
}

static int binaryReadReadKernels(hdPGraph *graph, const char *text, size_t size,
				 struct hdPredictReport *report)
{
	struct hdPredictSource source = { .fd = -1,
					  .memory = text,
					  .memorySize = size };
	int ret = hdPredictKernelsReadXml(&source, graph, report);

	if (ret == 0)
		ret = hdPredictKernelsResolve(graph, report);
	if (ret == 0 && report->errors)
		ret = -EINVAL;
	return ret;
}

static int readArrays(struct cursor *cursor, hdPGraph *graph,
		      const struct hdPredictHeader *header,
		      struct hdPredictReport *report)
{
	char *kernels = binaryReadReadBytes(cursor, header->kernelBytes, 1);
	uint32_t *configKernels = binaryReadRead32(cursor, header->configs);
	double *values = binaryReadRead64(cursor, header->values);
	uint64_t *offset = binaryReadRead64(cursor, header->tasks + 1);
	char *text = binaryReadReadBytes(cursor, header->idBytes, 1);
	int ret;

	graph->taskCount = (uint32_t)header->tasks;
	graph->config = binaryReadRead32(cursor, header->tasks);
	graph->source = binaryReadRead32(cursor, header->inputs);
	graph->number = binaryReadRead32(cursor, header->inputs);
	if (!graph->number)
		return binaryReadReportDamage(report, "unexpected end");
	if (header->flags & HD_PREDICT_HAS_TILES)
		graph->tile = binaryReadRead32(cursor, 2 * header->tasks);
	for (uint64_t t = 0; graph->tile && t < header->tasks; t++) {
		if ((graph->tile[2 * t] == HD_PREDICT_NONE) !=
		    (graph->tile[2 * t + 1] == HD_PREDICT_NONE))
			return binaryReadReportDamage(
				report, "a tile without row or column");
	}
	ret = header->flags & HD_PREDICT_HAS_MAPPING
		      ? readMapping(cursor, graph, header, report)
		      : noMapping(graph);
	if (ret == 0 && header->flags & HD_PREDICT_HAS_PINS)
		ret = readPins(cursor, graph, report);
	if (ret < 0)
		return ret;
	if (!cursor->at || cursor->left)
		return binaryReadReportDamage(report, "its length is wrong");
	if (!areOffsets(offset, header->tasks, header->idBytes) ||
	    !areTexts(text, offset, header->tasks))
		return binaryReadReportDamage(report, "names of tasks");
	graph->ids.offset = offset;
	graph->ids.text = text;
	graph->ids.count = graph->taskCount;
	ret = binaryReadReadKernels(graph, kernels, header->kernelBytes,
				    report);
	if (ret == 0 && header->version == HD_PREDICT_BINARY_PLAIN &&
	    (hdPredictHasInout(graph) || hdPredictHasPins(graph)))
		return binaryReadReportDamage(report,
					      "inout or pins in version 1");
	if (ret == 0)
		ret = readConfigs(graph, header, configKernels, values, report);
	if (ret == 0)
		ret = numberTasks(graph, header, report);
	if (ret == 0)
		ret = binaryReadCheckInputs(graph, report);
	return ret;
}

static int checkNames(const hdPGraph *graph, struct hdPredictReport *report)
{
	uint32_t task;
	size_t length;
	const char *id;
	int ret = hdPredictNamesTwice(&graph->ids, &task);

	if (ret <= 0)
		return ret;
	id = hdPredictName(&graph->ids, task, &length);
	hdPredictError(report, 0, id, length, "duplicate id of a task");
	return 0;
}

int hdPredictGraphReadBinary(struct hdPredictSource *source, hdPGraph *graph,
			     struct hdPredictReport *report)
{
	struct hdPredictHeader header;
	struct cursor cursor;
	int ret = mapSource(source, graph);

	if (ret < 0)
		return ret;
	if (graph->mappedSize < sizeof(header))
		return binaryReadReportDamage(report, "unexpected end");
	memcpy(&header, graph->mapped, sizeof(header));
	hdPredictHeaderSwap(&header);
	if (header.version < HD_PREDICT_BINARY_PLAIN ||
	    header.version > HD_PREDICT_BINARY_VERSION) {
		hdPredictError(report, 0, NULL, 0,
			       "version %u of the binary form; expected %d or "
			       "%d",
			       header.version, HD_PREDICT_BINARY_PLAIN,
			       HD_PREDICT_BINARY_VERSION);
		return -EBADMSG;
	}
	if (header.size < sizeof(header) || header.size > graph->mappedSize)
		return binaryReadReportDamage(report, "unexpected end");
	cursor.at = (char *)graph->mapped + sizeof(header);
	cursor.left = header.size - sizeof(header);
	if ((uint32_t)crc32_z(0, (unsigned char *)cursor.at, cursor.left) !=
	    header.checksum)
		return binaryReadReportDamage(report, "its checksum is wrong");
	if (header.tasks >= UINT32_MAX || header.inputs >= UINT32_MAX ||
	    header.outputs >= UINT32_MAX || header.configs >= UINT32_MAX ||
	    header.pes >= UINT32_MAX)
		return binaryReadReportDamage(report, "a number is too large");
	ret = readArrays(&cursor, graph, &header, report);
	if (ret == 0)
		ret = checkNames(graph, report);
	if (ret == 0)
		ret = hdPredictGraphConsumers(graph);
	if (ret < 0)
		return ret;
	binaryReadCheckSizes(graph, report);
	ret = hdPredictGraphAcyclic(graph, report);
	if (ret == 0 && report->errors)
		ret = -EINVAL;
	if (ret < 0)
		return ret;
	hdPredictBuildFree(graph);
	graph->isFinished = true;
	return 0;
}
