/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers for datatypes. */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "MPITracingLibrary/src/handles/contents.h"
#include "MPITracingLibrary/src/handles/handles.h"
#include "common/hashmap/hashmap.h"

static struct {
	pthread_mutex_t lock;
	struct hdMap handles;      /* Handle to number. */
	struct hdMap descriptions; /* Hash of a description to number. */
	struct hdMap signatures;   /* Signature to number. */
	int64_t *sizes;            /* By number. */
	size_t count;
	size_t size;
} types = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* What describes a datatype, but for its number. */
struct description {
	const char *combiner;
	struct hdmpiText text; /* The rest of the line. */
	int64_t size;
};

static const struct {
	int combiner;
	const char *name;
} combiners[] = {
#define COMBINER(name)      \
	{                   \
		name, #name \
	}
	COMBINER(MPI_COMBINER_NAMED),
	COMBINER(MPI_COMBINER_DUP),
	COMBINER(MPI_COMBINER_CONTIGUOUS),
	COMBINER(MPI_COMBINER_VECTOR),
	COMBINER(MPI_COMBINER_HVECTOR),
	COMBINER(MPI_COMBINER_INDEXED),
	COMBINER(MPI_COMBINER_HINDEXED),
	COMBINER(MPI_COMBINER_INDEXED_BLOCK),
	COMBINER(MPI_COMBINER_HINDEXED_BLOCK),
	COMBINER(MPI_COMBINER_STRUCT),
	COMBINER(MPI_COMBINER_SUBARRAY),
	COMBINER(MPI_COMBINER_DARRAY),
	COMBINER(MPI_COMBINER_F90_REAL),
	COMBINER(MPI_COMBINER_F90_COMPLEX),
	COMBINER(MPI_COMBINER_F90_INTEGER),
	COMBINER(MPI_COMBINER_RESIZED),
};

static int64_t typeIntern(struct hdmpiThread *self, MPI_Datatype datatype,
			  bool isOurs);

static const char *combinerName(int combiner)
{
	for (size_t i = 0; i < sizeof(combiners) / sizeof(*combiners); i++)
		if (combiners[i].combiner == combiner)
			return combiners[i].name;
	return "MPI_COMBINER_UNKNOWN";
}

/* How many of the large numbers stand among the integers in the usual form; the
 * others are addresses there. */
static MPI_Count largeIntegers(const struct hdmpiContents *contents)
{
	/* It was made by the usual form. */
	if (contents->largeCount == 0)
		return 0;
	switch (contents->combiner) {
	case MPI_COMBINER_HVECTOR:
	case MPI_COMBINER_HINDEXED_BLOCK:
		return 2;
	case MPI_COMBINER_HINDEXED:
	case MPI_COMBINER_STRUCT:
		return 1 + contents->large[0];
	case MPI_COMBINER_RESIZED:
		return 0;
	default:
		return contents->largeCount;
	}
}

/* After how many integers the large numbers stand in the usual form. */
static MPI_Count largeAt(const struct hdmpiContents *contents)
{
	switch (contents->combiner) {
	case MPI_COMBINER_SUBARRAY:
		return 1;
	case MPI_COMBINER_DARRAY:
		return 3;
	default:
		return contents->integerCount;
	}
}

/* Append the numbers, in the form that they have without large counts: readers
 * need not know two. */
static void numbersAppend(const struct hdmpiContents *contents,
			  struct hdmpiText *text)
{
	MPI_Count at = largeAt(contents), large = largeIntegers(contents);

	hdmpiTextAdd(text, " integers='");
	for (MPI_Count i = 0; i <= contents->integerCount; i++) {
		for (MPI_Count k = 0; i == at && k < large; k++)
			hdmpiTextAdd(text, "%lld;",
				     (long long)contents->large[k]);
		if (i < contents->integerCount)
			hdmpiTextAdd(text, "%d;", contents->integers[i]);
	}
	hdmpiTextAdd(text, "' addresses='");
	for (MPI_Count i = 0; i < contents->addressCount; i++)
		hdmpiTextAdd(text, "%lld;", (long long)contents->addresses[i]);
	for (MPI_Count i = large; i < contents->largeCount; i++)
		hdmpiTextAdd(text, "%lld;", (long long)contents->large[i]);
}

/* Append in words what MPI libraries have different numbers for. */
static void arrayAppend(const struct hdmpiContents *contents,
			struct hdmpiText *text)
{
	const int *integers = contents->integers;
	int order, dimensions;

	if (contents->combiner != MPI_COMBINER_SUBARRAY &&
	    contents->combiner != MPI_COMBINER_DARRAY)
		return;
	order = integers[contents->integerCount - 1];
	hdmpiTextAdd(text, " order='%s'",
		     order == MPI_ORDER_FORTRAN ? "Fortran" : "C");
	if (contents->combiner != MPI_COMBINER_DARRAY)
		return;
	dimensions = integers[2];
	integers += 3 + (contents->largeCount ? 0 : dimensions);
	hdmpiTextAdd(text, " distribs='");
	for (int i = 0; i < dimensions; i++) {
		const char *name = integers[i] == MPI_DISTRIBUTE_BLOCK ? "BLOCK"
				   : integers[i] == MPI_DISTRIBUTE_CYCLIC
					   ? "CYCLIC"
					   : "NONE";
		int argument = integers[dimensions + i];

		if (argument == MPI_DISTRIBUTE_DFLT_DARG)
			hdmpiTextAdd(text, "%s;", name);
		else
			hdmpiTextAdd(text, "%s(%d);", name, argument);
	}
	hdmpiTextAdd(text, "'");
}

/* Append what a derived datatype is made of. */
static int typeContents(struct hdmpiThread *self, MPI_Datatype datatype,
			struct hdmpiContents *contents, struct hdmpiText *text)
{
	int ret = -1;

	if (hdmpiContentsGet(datatype, contents) < 0)
		return -1;
	ret = 0;
	numbersAppend(contents, text);
	hdmpiTextAdd(text, "' types='");
	for (MPI_Count i = 0; i < contents->typeCount; i++) {
		bool isOurs = !hdmpiContentsIsNamed(contents->types[i]);
		int64_t id = typeIntern(self, contents->types[i], isOurs);

		if (id < 0)
			ret = -1;
		hdmpiTextAdd(text, "%lld;", (long long)id);
		if (isOurs)
			PMPI_Type_free(&contents->types[i]);
	}
	hdmpiTextAdd(text, "'");
	arrayAppend(contents, text);
	hdmpiContentsFree(contents);
	return ret;
}

/* The name of a datatype. Open MPI hands out copies of what a datatype is made
 * of, and says so in their names. */
static const char *typeName(MPI_Datatype datatype, bool isOurs, char *name)
{
	int length;

	if (PMPI_Type_get_name(datatype, name, &length) != MPI_SUCCESS)
		*name = '\0';
	return isOurs && strncmp(name, "Dup ", 4) == 0 ? name + 4 : name;
}

static int typeDescribe(struct hdmpiThread *self, MPI_Datatype datatype,
			bool isOurs, struct description *description)
{
	char name[MPI_MAX_OBJECT_NAME];
	struct hdmpiContents contents;
	MPI_Count size = 0;

	if (hdmpiContentsAsk(datatype, &contents) < 0)
		return -1;
	PMPI_Type_size_x(datatype, &size);
	description->size = size;
	description->combiner = combinerName(contents.combiner);
	hdmpiTextAdd(&description->text,
		     "combiner='%s' name=", description->combiner);
	hdmpiTextName(&description->text, typeName(datatype, isOurs, name),
		      '\'');
	if (contents.combiner != MPI_COMBINER_NAMED &&
	    typeContents(self, datatype, &contents, &description->text) < 0)
		return -1;
	return description->text.hasFailed ? -1 : 0;
}

/* Whether the thread has a line for a number; it has from now on. */
static bool typeIsDescribed(struct hdmpiThread *self, int64_t id)
{
	size_t at = (size_t)id / 8;
	unsigned char bit = (unsigned char)(1 << id % 8);
	bool was;

	if (at >= self->describedSize) {
		size_t size = 2 * at + 64;
		unsigned char *bits = realloc(self->described, size);

		if (!bits)
			return true;
		memset(bits + self->describedSize, 0,
		       size - self->describedSize);
		self->described = bits;
		self->describedSize = size;
	}
	was = self->described[at] & bit;
	self->described[at] |= bit;
	return was;
}

/* The number of a description. */
static int64_t typeNumber(const struct description *description)
{
	uint64_t hash = hdMapHashText(description->text.bytes);
	uint64_t id;

	if (hdMapGet(&types.descriptions, hash, &id))
		return (int64_t)id;
	if (types.count == types.size) {
		size_t size = types.size ? 2 * types.size : 64;
		int64_t *sizes = realloc(types.sizes, size * sizeof(*sizes));

		if (!sizes)
			return -1;
		types.sizes = sizes;
		types.size = size;
	}
	id = types.count;
	if (hdMapSet(&types.descriptions, hash, id) < 0)
		return -1;
	types.sizes[types.count++] = description->size;
	return (int64_t)id;
}

/* The number of a datatype, which is described in the thread's .info. A handle
 * that is ours, from looking into another datatype, is not remembered. */
static int64_t typeIntern(struct hdmpiThread *self, MPI_Datatype datatype,
			  bool isOurs)
{
	struct description description = { NULL };
	int64_t id = -1;

	if (typeDescribe(self, datatype, isOurs, &description) == 0) {
		pthread_mutex_lock(&types.lock);
		id = typeNumber(&description);
		if (id >= 0 && !isOurs)
			hdMapSet(&types.handles, HDMPI_KEY(datatype),
				 (uint64_t)id);
		pthread_mutex_unlock(&types.lock);
	}
	if (id >= 0 && self->trace && !typeIsDescribed(self, id))
		hdT_writeInfo(self->trace, "Type id='%lld' %s\n", (long long)id,
			      description.text.bytes);
	hdmpiTextClear(&description.text);
	return id;
}

/* Whether the thread has a line for a number already. */
static bool typeHasLine(const struct hdmpiThread *self, uint64_t id)
{
	return (size_t)id / 8 < self->describedSize &&
	       self->described[id / 8] >> id % 8 & 1;
}

/* The number of a datatype that was not met yet: of one that is like one that
 * was, without the text that describes it. Programs make the same again and
 * again. */
static int64_t typeFind(struct hdmpiThread *self, MPI_Datatype datatype)
{
	uint64_t signature = hdmpiContentsSignature(datatype), known = 0;
	bool isKnown;
	int64_t id;

	pthread_mutex_lock(&types.lock);
	isKnown = signature && hdMapGet(&types.signatures, signature, &known) &&
		  typeHasLine(self, known) &&
		  hdMapSet(&types.handles, HDMPI_KEY(datatype), known) == 0;
	pthread_mutex_unlock(&types.lock);
	if (isKnown)
		return (int64_t)known;
	id = typeIntern(self, datatype, false);
	if (id >= 0 && signature) {
		pthread_mutex_lock(&types.lock);
		hdMapSet(&types.signatures, signature, (uint64_t)id);
		pthread_mutex_unlock(&types.lock);
	}
	return id;
}

bool hdmpiTypeGet(struct hdmpiThread *self, MPI_Datatype datatype,
		  struct hdmpiType *type)
{
	uint64_t key = HDMPI_KEY(datatype);
	uint64_t generation = atomic_load(&hdmpiGeneration);
	const struct hdmpiCached *cached = hdmpiCacheGet(self->types, key);
	uint64_t known = 0;
	bool isKnown;

	if (__builtin_expect(cached != NULL, 1)) {
		type->id = cached->id;
		type->size = cached->size;
		return true;
	}
	if (datatype == MPI_DATATYPE_NULL)
		return false;
	pthread_mutex_lock(&types.lock);
	isKnown = hdMapGet(&types.handles, key, &known);
	pthread_mutex_unlock(&types.lock);
	type->id = isKnown && typeHasLine(self, known)
			   ? (int64_t)known
			   : typeFind(self, datatype);
	if (type->id < 0)
		return false;
	pthread_mutex_lock(&types.lock);
	type->size = types.sizes[type->id];
	pthread_mutex_unlock(&types.lock);
	hdmpiCacheSet(self->types, key, generation, type->id, type->size);
	return true;
}

int64_t hdmpiTypeForget(MPI_Datatype datatype)
{
	bool isKnown;
	uint64_t id;

	pthread_mutex_lock(&types.lock);
	isKnown = hdMapRemove(&types.handles, HDMPI_KEY(datatype), &id);
	if (isKnown)
		atomic_fetch_add(&hdmpiGeneration, 1);
	pthread_mutex_unlock(&types.lock);
	return isKnown ? (int64_t)id : -1;
}

void hdmpiTypesEnd(void)
{
	pthread_mutex_lock(&types.lock);
	hdMapClear(&types.handles);
	hdMapClear(&types.descriptions);
	hdMapClear(&types.signatures);
	free(types.sizes);
	types.sizes = NULL;
	types.count = 0;
	types.size = 0;
	pthread_mutex_unlock(&types.lock);
}
