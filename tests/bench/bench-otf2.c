/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The works, done by OTF2.
 *
 * One location, with the chunk sizes that OTF2 recommends or others, and either
 * with the memory that it takes by itself, 128 MiB for each archive, or with a
 * pool that is used again and again, as a measurement system would give it. As
 * with us a time stamp is a CLOCK_REALTIME, and a work ends when everything is
 * with the system.
 */
#include "config.h"

#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/bench/bench-peer.h"

#define OTF2_LOCATION 0
#define OTF2_STATES 1 /* The region. */
#define OTF2_CLASS 0  /* The metric class. */

/* What strings and attributes are called in the definitions. */
enum {
	NAME_EMPTY,
	NAME_STATE,
	NAME_FILE,
	NAME_VALUE,
	NAME_COUNT,
};

static const char *const otf2Names[NAME_COUNT] = {
	[NAME_EMPTY] = "",
	[NAME_STATE] = "Compute",
	[NAME_FILE] = "visualization.dat",
	[NAME_VALUE] = "VALUE",
};

static OTF2_TimeStamp otf2Now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static OTF2_FlushType otf2PreFlush(void *data, OTF2_FileType type,
				   OTF2_LocationRef location, void *caller,
				   bool isFinal)
{
	(void)data;
	(void)type;
	(void)location;
	(void)caller;
	(void)isFinal;
	return OTF2_FLUSH;
}

static OTF2_TimeStamp otf2PostFlush(void *data, OTF2_FileType type,
				    OTF2_LocationRef location)
{
	(void)data;
	(void)type;
	(void)location;
	return otf2Now();
}

static const OTF2_FlushCallbacks otf2Flush = {
	.otf2_pre_flush = otf2PreFlush,
	.otf2_post_flush = otf2PostFlush,
};

static void otf2Check(OTF2_ErrorCode code, const char *what)
{
	benchCheck(code == OTF2_SUCCESS, what);
}

/* ---- A pool of memory -------------------------------------------------- */

static struct {
	size_t chunkSize;
	size_t chunks; /* 0: none, OTF2 takes memory itself. */
	char *memory;  /* Allocated once, for one archive at a time. */
	size_t used;   /* Chunks. */
} otf2Pool = { .chunkSize = OTF2_CHUNK_SIZE_EVENTS_DEFAULT };

static void *otf2Allocate(void *data, OTF2_FileType type,
			  OTF2_LocationRef location, void **buffer,
			  uint64_t size)
{
	(void)data;
	(void)location;
	if (type != OTF2_FILETYPE_EVENTS)
		return *buffer ? NULL : (*buffer = malloc(size));
	if (otf2Pool.used == otf2Pool.chunks)
		return NULL;
	return otf2Pool.memory + size * otf2Pool.used++;
}

static void otf2FreeAll(void *data, OTF2_FileType type,
			OTF2_LocationRef location, void **buffer, bool isFinal)
{
	(void)data;
	(void)location;
	(void)isFinal;
	if (type == OTF2_FILETYPE_EVENTS)
		otf2Pool.used = 0;
	else
		free(*buffer);
	*buffer = NULL;
}

static const OTF2_MemoryCallbacks otf2Memory = {
	.otf2_allocate = otf2Allocate,
	.otf2_free_all = otf2FreeAll,
};

static void otf2UseMemory(size_t chunkSize, size_t chunks)
{
	if (chunkSize > 0)
		otf2Pool.chunkSize = chunkSize;
	otf2Pool.chunks = chunks;
	if (chunks == 0)
		return;
	otf2Pool.memory = malloc(chunks * otf2Pool.chunkSize);
	benchCheck(otf2Pool.memory, "memory");
	memset(otf2Pool.memory, 1, chunks * otf2Pool.chunkSize);
}

/* ---- Writing ----------------------------------------------------------- */

struct otf2Writer {
	OTF2_Archive *archive;
	OTF2_EvtWriter *events;
	size_t count; /* Of events written. */
};

static struct otf2Writer otf2Create(const char *name)
{
	char *path = benchPath(name);
	struct otf2Writer writer = { 0 };

	writer.archive = OTF2_Archive_Open(
		path, "bench", OTF2_FILEMODE_WRITE, otf2Pool.chunkSize,
		OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX,
		OTF2_COMPRESSION_NONE);
	benchCheck(writer.archive, path);
	free(path);
	otf2Check(OTF2_Archive_SetFlushCallbacks(writer.archive, &otf2Flush,
						 NULL),
		  "OTF2 flush callbacks");
	if (otf2Pool.chunks > 0)
		otf2Check(OTF2_Archive_SetMemoryCallbacks(writer.archive,
							  &otf2Memory, NULL),
			  "OTF2 memory callbacks");
	otf2Check(OTF2_Archive_SetSerialCollectiveCallbacks(writer.archive),
		  "OTF2 collective callbacks");
	otf2Check(OTF2_Archive_OpenEvtFiles(writer.archive), "OTF2 files");
	writer.events =
		OTF2_Archive_GetEvtWriter(writer.archive, OTF2_LOCATION);
	benchCheck(writer.events, "OTF2 event writer");
	return writer;
}

/* Hand everything to the system. */
static void otf2Finish(struct otf2Writer *writer)
{
	otf2Check(OTF2_Archive_CloseEvtWriter(writer->archive, writer->events),
		  "OTF2 event writer");
	otf2Check(OTF2_Archive_CloseEvtFiles(writer->archive), "OTF2 files");
}

static void otf2Discard(struct otf2Writer *writer, const char *name)
{
	otf2Check(OTF2_Archive_Close(writer->archive), "OTF2 archive");
	benchRemove(name);
}

static void otf2Metrics(struct otf2Writer *writer, size_t count)
{
	OTF2_Type types[BENCH_COLUMNS];
	OTF2_MetricValue values[BENCH_COLUMNS];

	for (size_t k = 0; k < BENCH_COLUMNS; k++)
		types[k] = OTF2_TYPE_DOUBLE;
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < BENCH_COLUMNS; k++)
			values[k].floating_point = benchValue(i, k);
		OTF2_EvtWriter_Metric(writer->events, NULL, otf2Now(),
				      OTF2_CLASS, BENCH_COLUMNS, types, values);
	}
	writer->count += count;
}

static void otf2States(struct otf2Writer *writer, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		OTF2_EvtWriter_Enter(writer->events, NULL, otf2Now(),
				     OTF2_STATES);
		OTF2_EvtWriter_Leave(writer->events, NULL, otf2Now(),
				     OTF2_STATES);
	}
	writer->count += 2 * count;
}

static void otf2Integers(struct otf2Writer *writer, size_t count)
{
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	for (size_t i = 0; i < count; i++) {
		OTF2_AttributeList_AddInt64(list, 0, (int64_t)i * 8);
		OTF2_AttributeList_AddInt64(list, 1, (int64_t)i);
		OTF2_AttributeList_AddInt64(list, 2, 11);
		OTF2_AttributeList_AddInt64(list, 3, (int64_t)i & 63);
		OTF2_AttributeList_AddInt64(list, 4, 1313);
		OTF2_AttributeList_AddInt64(list, 5, 1);
		OTF2_EvtWriter_Enter(writer->events, list, otf2Now(),
				     OTF2_STATES);
		OTF2_EvtWriter_Leave(writer->events, NULL, otf2Now(),
				     OTF2_STATES);
	}
	OTF2_AttributeList_Delete(list);
	writer->count += 2 * count;
}

static void otf2Mixture(struct otf2Writer *writer, size_t count)
{
	OTF2_AttributeList *list = OTF2_AttributeList_New();

	for (size_t i = 0; i < count; i++) {
		OTF2_AttributeList_AddInt64(list, 0, (int64_t)i * 8);
		OTF2_AttributeList_AddInt64(list, 1, (int64_t)i & 63);
		OTF2_AttributeList_AddInt64(list, 2, 1313);
		OTF2_AttributeList_AddInt64(list, 3, 1);
		OTF2_AttributeList_AddDouble(list, 4, 1.0 / (double)(i + 3));
		OTF2_AttributeList_AddStringRef(list, 5, NAME_FILE);
		OTF2_EvtWriter_Enter(writer->events, list, otf2Now(),
				     OTF2_STATES);
		OTF2_EvtWriter_Leave(writer->events, NULL, otf2Now(),
				     OTF2_STATES);
	}
	OTF2_AttributeList_Delete(list);
	writer->count += 2 * count;
}

static void otf2Write(struct benchRun *run,
		      void (*write)(struct otf2Writer *, size_t))
{
	struct otf2Writer writer = otf2Create("otf2-write");

	benchStart(run);
	write(&writer, run->count);
	otf2Finish(&writer);
	benchStop(run);
	run->bytes = benchFileSize("otf2-write/bench/0.evt");
	otf2Discard(&writer, "otf2-write");
}

static void otf2WriteEntries(struct benchRun *run)
{
	otf2Write(run, otf2Metrics);
}

static void otf2WriteStates(struct benchRun *run)
{
	otf2Write(run, otf2States);
}

static void otf2WriteIntegers(struct benchRun *run)
{
	otf2Write(run, otf2Integers);
}

static void otf2WriteMixture(struct benchRun *run)
{
	otf2Write(run, otf2Mixture);
}

/* ---- Definitions, which only reading needs ------------------------------ */

static void otf2DefineMetrics(OTF2_GlobalDefWriter *definitions)
{
	OTF2_MetricMemberRef members[BENCH_COLUMNS];

	for (uint32_t k = 0; k < BENCH_COLUMNS; k++) {
		members[k] = k;
		OTF2_GlobalDefWriter_WriteMetricMember(
			definitions, k, NAME_VALUE, NAME_EMPTY,
			OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT,
			OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0, NAME_EMPTY);
	}
	OTF2_GlobalDefWriter_WriteMetricClass(
		definitions, OTF2_CLASS, BENCH_COLUMNS, members,
		OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_ABSTRACT);
}

static void otf2Define(const struct otf2Writer *writer)
{
	OTF2_GlobalDefWriter *definitions =
		OTF2_Archive_GetGlobalDefWriter(writer->archive);
	OTF2_DefWriter *local;

	benchCheck(definitions, "OTF2 definitions");
	OTF2_GlobalDefWriter_WriteClockProperties(definitions, 1000000000, 0,
						  UINT64_C(1) << 62, otf2Now());
	for (uint32_t i = 0; i < NAME_COUNT; i++)
		OTF2_GlobalDefWriter_WriteString(definitions, i, otf2Names[i]);
	for (uint32_t i = 0; i < 6; i++)
		OTF2_GlobalDefWriter_WriteAttribute(definitions, i, NAME_VALUE,
						    NAME_EMPTY,
						    OTF2_TYPE_INT64);
	OTF2_GlobalDefWriter_WriteRegion(
		definitions, OTF2_STATES, NAME_STATE, NAME_STATE, NAME_EMPTY,
		OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER,
		OTF2_REGION_FLAG_NONE, NAME_EMPTY, 0, 0);
	OTF2_GlobalDefWriter_WriteSystemTreeNode(
		definitions, 0, NAME_EMPTY, NAME_EMPTY,
		OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	OTF2_GlobalDefWriter_WriteLocationGroup(
		definitions, 0, NAME_EMPTY, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
		OTF2_UNDEFINED_LOCATION_GROUP);
	otf2DefineMetrics(definitions);
	OTF2_GlobalDefWriter_WriteLocation(
		definitions, OTF2_LOCATION, NAME_EMPTY,
		OTF2_LOCATION_TYPE_CPU_THREAD, writer->count, 0);
	otf2Check(OTF2_Archive_OpenDefFiles(writer->archive), "OTF2 files");
	local = OTF2_Archive_GetDefWriter(writer->archive, OTF2_LOCATION);
	benchCheck(local, "OTF2 definitions");
	otf2Check(OTF2_Archive_CloseDefWriter(writer->archive, local),
		  "OTF2 definitions");
	otf2Check(OTF2_Archive_CloseDefFiles(writer->archive), "OTF2 files");
}

static void otf2CreateArchive(const char *name, size_t count,
			      void (*write)(struct otf2Writer *, size_t))
{
	struct otf2Writer writer = otf2Create(name);

	write(&writer, count);
	otf2Finish(&writer);
	otf2Define(&writer);
	otf2Check(OTF2_Archive_Close(writer.archive), "OTF2 archive");
}

static void otf2CreateAll(size_t count)
{
	otf2CreateArchive("otf2-entries", count, otf2Metrics);
	otf2CreateArchive("otf2-states", count, otf2States);
	otf2CreateArchive("otf2-integers", count, otf2Integers);
}

static void otf2Destroy(void)
{
	benchRemove("otf2-entries");
	benchRemove("otf2-states");
	benchRemove("otf2-integers");
}

/* ---- Reading ----------------------------------------------------------- */

/* What the callbacks of a reader see. */
struct otf2Seen {
	size_t count;
	double sum;
};

static OTF2_CallbackCode otf2OnMetric(OTF2_LocationRef location,
				      OTF2_TimeStamp time, uint64_t position,
				      void *data, OTF2_AttributeList *list,
				      OTF2_MetricRef metric, uint8_t number,
				      const OTF2_Type *types,
				      const OTF2_MetricValue *values)
{
	struct otf2Seen *seen = data;

	(void)location;
	(void)time;
	(void)position;
	(void)list;
	(void)metric;
	(void)types;
	for (size_t k = 0; k < number; k++)
		seen->sum += values[k].floating_point;
	seen->count++;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode otf2OnEnter(OTF2_LocationRef location,
				     OTF2_TimeStamp time, uint64_t position,
				     void *data, OTF2_AttributeList *list,
				     OTF2_RegionRef region)
{
	struct otf2Seen *seen = data;
	uint32_t number = OTF2_AttributeList_GetNumberOfElements(list);

	(void)location;
	(void)time;
	(void)position;
	(void)region;
	for (uint32_t i = 0; i < number; i++) {
		OTF2_AttributeRef attribute;
		OTF2_Type type;
		OTF2_AttributeValue value;

		OTF2_AttributeList_GetAttributeByIndex(list, i, &attribute,
						       &type, &value);
		seen->sum += (double)value.int64;
	}
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode otf2OnLeave(OTF2_LocationRef location,
				     OTF2_TimeStamp time, uint64_t position,
				     void *data, OTF2_AttributeList *list,
				     OTF2_RegionRef region)
{
	struct otf2Seen *seen = data;

	(void)location;
	(void)time;
	(void)position;
	(void)list;
	(void)region;
	seen->count++;
	return OTF2_CALLBACK_SUCCESS;
}

/* Read the definitions: OTF2 needs some of them itself. */
static void otf2ReadDefinitions(OTF2_Reader *reader)
{
	OTF2_GlobalDefReader *global = OTF2_Reader_GetGlobalDefReader(reader);
	OTF2_GlobalDefReaderCallbacks *callbacks =
		OTF2_GlobalDefReaderCallbacks_New();
	OTF2_DefReader *local;
	uint64_t read;

	benchCheck(global && callbacks, "OTF2 definitions");
	otf2Check(OTF2_Reader_RegisterGlobalDefCallbacks(reader, global,
							 callbacks, NULL),
		  "OTF2 definitions");
	OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
	otf2Check(OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &read),
		  "OTF2 definitions");
	otf2Check(OTF2_Reader_SelectLocation(reader, OTF2_LOCATION),
		  "OTF2 location");
	otf2Check(OTF2_Reader_OpenDefFiles(reader), "OTF2 files");
	otf2Check(OTF2_Reader_OpenEvtFiles(reader), "OTF2 files");
	local = OTF2_Reader_GetDefReader(reader, OTF2_LOCATION);
	if (local) {
		otf2Check(OTF2_Reader_ReadAllLocalDefinitions(reader, local,
							      &read),
			  "OTF2 definitions");
		OTF2_Reader_CloseDefReader(reader, local);
	}
	OTF2_Reader_CloseDefFiles(reader);
}

static void otf2Read(struct benchRun *run, const char *anchor)
{
	char *path = benchPath(anchor);
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
	struct otf2Seen seen = { 0, 0 };
	OTF2_EvtReader *events;
	OTF2_Reader *reader;
	uint64_t read;

	benchStart(run);
	reader = OTF2_Reader_Open(path);
	benchCheck(reader, path);
	otf2Check(OTF2_Reader_SetSerialCollectiveCallbacks(reader),
		  "OTF2 collective callbacks");
	otf2ReadDefinitions(reader);
	events = OTF2_Reader_GetEvtReader(reader, OTF2_LOCATION);
	benchCheck(events && callbacks, "OTF2 event reader");
	OTF2_EvtReaderCallbacks_SetMetricCallback(callbacks, otf2OnMetric);
	OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, otf2OnEnter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, otf2OnLeave);
	otf2Check(OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks,
						   &seen),
		  "OTF2 event callbacks");
	otf2Check(OTF2_Reader_ReadAllLocalEvents(reader, events, &read),
		  "OTF2 events");
	OTF2_Reader_CloseEvtReader(reader, events);
	OTF2_Reader_CloseEvtFiles(reader);
	OTF2_Reader_Close(reader);
	benchStop(run);
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	benchCheck(seen.count == run->count, "all events of OTF2");
	run->sum = seen.sum;
	free(path);
}

static void otf2ReadEntries(struct benchRun *run)
{
	otf2Read(run, "otf2-entries/bench.otf2");
}

static void otf2ReadStates(struct benchRun *run)
{
	otf2Read(run, "otf2-states/bench.otf2");
}

static void otf2ReadIntegers(struct benchRun *run)
{
	otf2Read(run, "otf2-integers/bench.otf2");
}

const struct benchPeer benchPeer = {
	.name = "OTF2 " OTF2_VERSION,
	.writeEntries = otf2WriteEntries,
	.writeStates = otf2WriteStates,
	.writeIntegers = otf2WriteIntegers,
	.writeMixture = otf2WriteMixture,
	.useMemory = otf2UseMemory,
	.create = otf2CreateAll,
	.readEntries = otf2ReadEntries,
	.readStates = otf2ReadStates,
	.readIntegers = otf2ReadIntegers,
	.destroy = otf2Destroy,
};
