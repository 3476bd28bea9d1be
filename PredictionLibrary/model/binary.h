/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The binary form of task graphs: doc/format/prediction.md.
 */
#ifndef HD_PREDICT_BINARY_H
#define HD_PREDICT_BINARY_H

#include <stdbool.h>
#include <stdio.h>

#include "PredictionLibrary/model/graph.h"
#include "PredictionLibrary/model/sax.h"

/** Length of what the binary form begins with. */
#define HD_PREDICT_MAGIC_SIZE 8

/** What the binary form begins with, its version, and what may be in it. */
#define HD_PREDICT_MAGIC "HDPGRAPH"
#define HD_PREDICT_BINARY_VERSION 2
/** Version of files in which no output replaces an input in place, and no
 *  task is pinned. */
#define HD_PREDICT_BINARY_PLAIN 1
#define HD_PREDICT_HAS_TILES 1u
#define HD_PREDICT_HAS_MAPPING 2u
#define HD_PREDICT_HAS_PINS 4u

/** What the binary form begins with. */
struct hdPredictHeader {
	char magic[HD_PREDICT_MAGIC_SIZE];
	uint32_t version;
	uint32_t flags;
	uint64_t size;     /* Of the file. */
	uint32_t checksum; /**< CRC-32 of all behind the header. */
	uint32_t kernelBytes;
	uint64_t tasks, inputs, outputs, configs, values, idBytes, pes, peBytes;
};

/** From or to little endian. */
void hdPredictHeaderSwap(struct hdPredictHeader *header);

/** Whether a file that begins so is in the binary form. */
bool hdPredictIsBinary(const char *head, size_t size);

/** Read a graph into an empty one, and check it; as hdP_readGraph(). */
int hdPredictGraphReadBinary(struct hdPredictSource *source, hdPGraph *graph,
			     struct hdPredictReport *report);

/** Write a finished graph; 0 or negative errno. */
int hdPredictGraphWriteBinary(const hdPGraph *graph, FILE *file);

/** Write the kernels of a graph as XML, without the root element. */
int hdPredictKernelsWrite(const hdPGraph *graph, FILE *file);

#endif
