/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mapping by a partition that another program made; see mappers.h. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "PredictionLibrary/mappers/mappers.h"

/* Longest line, with the zero behind it. */
#define LINE_SIZE 64

/* What the numbers of parts stand for. */
struct partition {
	struct hdPredictMapping *mapping;
	struct hdPredictReport report; /* Its file is the partition. */
	uint32_t *places;              /* Servers, or PEs. */
	uint32_t count;
	uint64_t stay; /* Tasks that are fixed elsewhere. */
};

/* Nodes with usable PEs, or these PEs, in the order of the platform. */
static int partitionPlaces(struct partition *self)
{
	const struct hdPredictMapping *mapping = self->mapping;
	const hdPPlatform *platform = mapping->platform;
	uint8_t *isUsed = calloc((size_t)platform->serverCount + 1, 1);
	size_t room = (size_t)platform->serverCount + mapping->usableCount + 1;

	self->places = malloc(room * sizeof(*self->places));
	if (!isUsed || !self->places) {
		free(isUsed);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < mapping->usableCount; i++) {
		uint32_t pe = mapping->usable[i];

		if (mapping->options->partsArePes)
			self->places[self->count++] = pe;
		isUsed[platform->pes[pe].server] = 1;
	}
	for (uint32_t s = 0;
	     s < platform->serverCount && !mapping->options->partsArePes; s++) {
		if (isUsed[s])
			self->places[self->count++] = s;
	}
	free(isUsed);
	return 0;
}

/* A part number: digits, and blanks around them. */
static bool partitionNumber(const char *line, uint64_t *number)
{
	const char *at = line + strspn(line, " \t");
	size_t length = strspn(at, "0123456789");

	if (!length || length > 18 ||
	    at[length + strspn(at + length, " \t\r\n")])
		return false;
	*number = strtoull(at, NULL, 10);
	return true;
}

/* Let a task run where its part is. */
static void partitionSet(struct partition *self, uint32_t task, uint32_t place)
{
	struct hdPredictMapping *mapping = self->mapping;
	bool isPe = mapping->options->partsArePes;

	if (mapping->fixed[task] == HD_PREDICT_NONE) {
		if (isPe)
			mapping->fixed[task] = place;
		else
			mapping->server[task] = place;
		return;
	}
	self->stay += (isPe ? mapping->fixed[task]
			    : hdPredictMappingServer(
				      mapping, mapping->fixed[task])) != place;
}

/* A line of the file; false: no more of them are read. */
static bool partitionLine(struct partition *self, const char *line,
			  uint64_t number)
{
	const hdPGraph *graph = self->mapping->graph;
	uint64_t part;

	if (!strchr(line, '\n') && strlen(line) + 1 >= LINE_SIZE) {
		hdPredictError(&self->report, (int64_t)number, NULL, 0,
			       "the line is too long");
		return false;
	}
	if (number > graph->taskCount) {
		hdPredictError(&self->report, (int64_t)number, NULL, 0,
			       "more lines than tasks; the graph has %" PRIu32,
			       graph->taskCount);
		return false;
	}
	if (!partitionNumber(line, &part)) {
		hdPredictError(&self->report, (int64_t)number, NULL, 0,
			       "not a part number");
		return true;
	}
	if (part >= self->count) {
		hdPredictError(&self->report, (int64_t)number, NULL, 0,
			       "part %" PRIu64 " is out of range; the platform "
			       "has %" PRIu32 " usable %s",
			       part, self->count,
			       self->mapping->options->partsArePes ? "PEs"
								   : "nodes");
		return true;
	}
	partitionSet(self, (uint32_t)number - 1, self->places[part]);
	return true;
}

/* The next line, or its beginning, as of fgets(); a zero byte, which would end
 * the text, is no part of a number, either. */
static bool partitionNext(FILE *file, char *line)
{
	size_t length = 0;
	int byte = 0;

	while (length + 1 < LINE_SIZE && byte != '\n' &&
	       (byte = getc(file)) != EOF)
		line[length++] = (char)(byte ? byte : '?');
	line[length] = '\0';
	return length > 0;
}

static int partitionRead(struct partition *self, FILE *file)
{
	uint32_t tasks = self->mapping->graph->taskCount;
	char line[LINE_SIZE];
	uint64_t number = 0;
	bool goesOn = true;

	errno = 0;
	while (goesOn && partitionNext(file, line))
		goesOn = partitionLine(self, line, ++number);
	if (ferror(file))
		return errno ? -errno : -EIO;
	if (goesOn && number < tasks)
		hdPredictError(&self->report, (int64_t)number, NULL, 0,
			       "%" PRIu64 " lines for %" PRIu32 " tasks",
			       number, tasks);
	if (self->stay)
		hdPredictWarn(&self->report, 0, NULL, 0,
			      "pinned or mapped tasks stay outside of their "
			      "parts: %" PRIu64 "%s",
			      self->stay,
			      self->mapping->options->keepsMapping
				      ? "; --ignore-map moves mapped tasks"
				      : "");
	return 0;
}

int hdPredictPartition(struct hdPredictMapping *mapping)
{
	const char *path = mapping->options->partition;
	size_t size =
		((size_t)mapping->graph->taskCount + 1) * sizeof(uint32_t);
	struct partition self = { .mapping = mapping,
				  .report = *mapping->report };
	FILE *file;
	int ret;

	if (!path)
		return 0;
	self.report.file = path;
	self.report.errors = 0;
	file = fopen(path, "re");
	if (!file)
		return -errno;
	mapping->server = malloc(size);
	ret = mapping->server ? partitionPlaces(&self) : -ENOMEM;
	if (ret == 0) {
		memset(mapping->server, 0xff, size);
		ret = partitionRead(&self, file);
	}
	fclose(file);
	free(self.places);
	return ret == 0 && self.report.errors ? -EINVAL : ret;
}
