/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers for datatypes. */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "MPITracingLibrary/src/handles/handles.h"
#include "MPITracingLibrary/src/handles/map.h"

static struct {
	pthread_mutex_t lock;
	struct hdmpiMap handles;      /* Handle to number. */
	struct hdmpiMap descriptions; /* Hash of a description to number. */
	int64_t *sizes;               /* By number. */
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

static bool isNamed(MPI_Datatype datatype)
{
	int integers, addresses, datatypes, combiner;

	return PMPI_Type_get_envelope(datatype, &integers, &addresses,
				      &datatypes, &combiner) == MPI_SUCCESS &&
	       combiner == MPI_COMBINER_NAMED;
}

/* Append what a derived datatype is made of. */
static int typeContents(struct hdmpiThread *self, MPI_Datatype datatype,
			const int counts[3], struct hdmpiText *text)
{
	int *integers = calloc((size_t)counts[0] + 1, sizeof(*integers));
	MPI_Aint *addresses = calloc((size_t)counts[1] + 1, sizeof(*addresses));
	MPI_Datatype *inner = calloc((size_t)counts[2] + 1, sizeof(*inner));
	int ret = -1;

	if (!integers || !addresses || !inner ||
	    PMPI_Type_get_contents(datatype, counts[0], counts[1], counts[2],
				   integers, addresses, inner) != MPI_SUCCESS)
		goto out;
	ret = 0;
	hdmpiTextAdd(text, " integers='");
	for (int i = 0; i < counts[0]; i++)
		hdmpiTextAdd(text, "%d;", integers[i]);
	hdmpiTextAdd(text, "' addresses='");
	for (int i = 0; i < counts[1]; i++)
		hdmpiTextAdd(text, "%lld;", (long long)addresses[i]);
	hdmpiTextAdd(text, "' types='");
	for (int i = 0; i < counts[2]; i++) {
		bool isOurs = !isNamed(inner[i]);
		int64_t id = typeIntern(self, inner[i], isOurs);

		if (id < 0)
			ret = -1;
		hdmpiTextAdd(text, "%lld;", (long long)id);
		if (isOurs)
			PMPI_Type_free(&inner[i]);
	}
	hdmpiTextAdd(text, "'");
out:
	free(integers);
	free(addresses);
	free(inner);
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
	int counts[3], combiner;
	MPI_Count size = 0;

	if (PMPI_Type_get_envelope(datatype, &counts[0], &counts[1], &counts[2],
				   &combiner) != MPI_SUCCESS)
		return -1;
	PMPI_Type_size_x(datatype, &size);
	description->size = size;
	description->combiner = combinerName(combiner);
	hdmpiTextAdd(&description->text,
		     "combiner='%s' name=", description->combiner);
	hdmpiTextName(&description->text, typeName(datatype, isOurs, name));
	if (combiner != MPI_COMBINER_NAMED &&
	    typeContents(self, datatype, counts, &description->text) < 0)
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
	uint64_t hash = hdmpiHashText(description->text.bytes);
	uint64_t id;

	if (hdmpiMapGet(&types.descriptions, hash, &id))
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
	if (hdmpiMapSet(&types.descriptions, hash, id) < 0)
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
			hdmpiMapSet(&types.handles, HDMPI_KEY(datatype),
				    (uint64_t)id);
		pthread_mutex_unlock(&types.lock);
	}
	if (id >= 0 && self->trace && !typeIsDescribed(self, id))
		hdT_writeInfo(self->trace, "Type id='%lld' %s\n", (long long)id,
			      description.text.bytes);
	hdmpiTextClear(&description.text);
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
	isKnown = hdmpiMapGet(&types.handles, key, &known);
	pthread_mutex_unlock(&types.lock);
	type->id = isKnown && (size_t)known / 8 < self->describedSize &&
				   self->described[known / 8] >> known % 8 & 1
			   ? (int64_t)known
			   : typeIntern(self, datatype, false);
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
	isKnown = hdmpiMapRemove(&types.handles, HDMPI_KEY(datatype), &id);
	if (isKnown)
		atomic_fetch_add(&hdmpiGeneration, 1);
	pthread_mutex_unlock(&types.lock);
	return isKnown ? (int64_t)id : -1;
}

void hdmpiTypesEnd(void)
{
	pthread_mutex_lock(&types.lock);
	hdmpiMapClear(&types.handles);
	hdmpiMapClear(&types.descriptions);
	free(types.sizes);
	types.sizes = NULL;
	types.count = 0;
	types.size = 0;
	pthread_mutex_unlock(&types.lock);
}
