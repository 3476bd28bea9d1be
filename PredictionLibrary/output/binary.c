/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing the binary form of task graphs: doc/format/prediction.md. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>
#include <zlib.h>

#include "PredictionLibrary/model/binary.h"

/* Goes through all twice: first for the checksum. */
struct sink {
	FILE *file; /* NULL: only the checksum. */
	uint32_t checksum;
	uint64_t size;
};

static void binaryWritePutBytes(struct sink *sink, const void *data,
				size_t size)
{
	if (sink->file)
		fwrite(data, 1, size, sink->file);
	else
		sink->checksum = (uint32_t)crc32_z(sink->checksum, data, size);
	sink->size += size;
}

static void binaryWritePutEnd(struct sink *sink)
{
	binaryWritePutBytes(sink, "\0\0\0\0\0\0\0", (size_t)(-sink->size & 7));
}

static void put32(struct sink *sink, const uint32_t *data, size_t count)
{
	uint32_t part[1024];

	for (size_t i = 0; i < count; i += G_N_ELEMENTS(part)) {
		size_t n = MIN(count - i, G_N_ELEMENTS(part));

		for (size_t k = 0; k < n; k++)
			part[k] = GUINT32_TO_LE(data[i + k]);
		binaryWritePutBytes(sink, part, n * sizeof(*part));
	}
	binaryWritePutEnd(sink);
}

static void put64(struct sink *sink, const void *data, size_t count)
{
	const uint64_t *words = data;
	uint64_t part[1024];

	for (size_t i = 0; i < count; i += G_N_ELEMENTS(part)) {
		size_t n = MIN(count - i, G_N_ELEMENTS(part));

		for (size_t k = 0; k < n; k++)
			part[k] = GUINT64_TO_LE(words[i + k]);
		binaryWritePutBytes(sink, part, n * sizeof(*part));
	}
}

static void binaryWritePutNames(struct sink *sink,
				const struct hdPredictNames *names)
{
	static const uint64_t none;

	put64(sink, names->count ? names->offset : &none,
	      (size_t)names->count + 1);
	if (names->count)
		binaryWritePutBytes(sink, names->text,
				    names->offset[names->count]);
	binaryWritePutEnd(sink);
}

static void binaryWritePutAll(struct sink *sink, const hdPGraph *graph,
			      const struct hdPredictHeader *header,
			      const char *kernels)
{
	binaryWritePutBytes(sink, kernels, header->kernelBytes);
	binaryWritePutEnd(sink);
	for (uint32_t i = 0; i < graph->configCount; i++) {
		uint32_t kernel = GUINT32_TO_LE(graph->configs[i].kernel);

		binaryWritePutBytes(sink, &kernel, sizeof(kernel));
	}
	binaryWritePutEnd(sink);
	put64(sink, graph->values, header->values);
	binaryWritePutNames(sink, &graph->ids);
	put32(sink, graph->config, graph->taskCount);
	put32(sink, graph->source, graph->inputCount);
	put32(sink, graph->number, graph->inputCount);
	if (header->flags & HD_PREDICT_HAS_TILES)
		put32(sink, graph->tile, 2 * (size_t)graph->taskCount);
	if (header->flags & HD_PREDICT_HAS_MAPPING) {
		binaryWritePutNames(sink, &graph->pes);
		put32(sink, graph->pe, graph->taskCount);
		put64(sink, graph->priority, graph->taskCount);
	}
	if (header->flags & HD_PREDICT_HAS_PINS) {
		const uint64_t counts[] = {
			graph->pins.count, graph->pins.offset[graph->pins.count]
		};

		put64(sink, counts, 2);
		binaryWritePutNames(sink, &graph->pins);
		put32(sink, graph->pin, graph->taskCount);
	}
}

static int kernelsText(const hdPGraph *graph, char **text, size_t *size)
{
	FILE *file = open_memstream(text, size);
	int ret;

	if (!file)
		return -ENOMEM;
	fputs("<application>\n", file);
	ret = hdPredictKernelsWrite(graph, file);
	fputs("</application>\n", file);
	if (fclose(file) != 0 || ret < 0)
		ret = -ENOMEM;
	if (ret == 0 && *size > UINT32_MAX)
		ret = -EOVERFLOW;
	if (ret < 0)
		free(*text);
	return ret;
}

int hdPredictGraphWriteBinary(const hdPGraph *graph, FILE *file)
{
	struct hdPredictHeader header = {
		.version = hdPredictHasInout(graph) || hdPredictHasPins(graph)
				   ? HD_PREDICT_BINARY_VERSION
				   : HD_PREDICT_BINARY_PLAIN,
	};
	struct sink sink = { 0 };
	size_t kernelSize;
	char *kernels;
	int ret = kernelsText(graph, &kernels, &kernelSize);

	if (ret < 0)
		return ret;
	memcpy(header.magic, HD_PREDICT_MAGIC, sizeof(header.magic));
	header.flags = (graph->tile ? HD_PREDICT_HAS_TILES : 0) |
		       (graph->pes.count ? HD_PREDICT_HAS_MAPPING : 0) |
		       (graph->pins.count ? HD_PREDICT_HAS_PINS : 0);
	header.kernelBytes = (uint32_t)kernelSize;
	header.tasks = graph->taskCount;
	header.inputs = graph->inputCount;
	header.outputs = graph->outputCount;
	header.configs = graph->configCount;
	for (uint32_t i = 0; i < graph->configCount; i++)
		header.values +=
			graph->kernels[graph->configs[i].kernel].variableCount;
	header.idBytes =
		graph->taskCount ? graph->ids.offset[graph->taskCount] : 0;
	header.pes = graph->pes.count;
	header.peBytes =
		graph->pes.count ? graph->pes.offset[graph->pes.count] : 0;
	binaryWritePutAll(&sink, graph, &header, kernels);
	header.size = sink.size + sizeof(header);
	header.checksum = sink.checksum;
	hdPredictHeaderSwap(&header);
	fwrite(&header, sizeof(header), 1, file);
	hdPredictHeaderSwap(&header);
	sink = (struct sink){ .file = file };
	binaryWritePutAll(&sink, graph, &header, kernels);
	free(kernels);
	return ferror(file) ? -EIO : 0;
}
