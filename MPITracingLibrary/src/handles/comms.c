/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers for communicators.
 *
 * A number is a matter of one process. What makes a communicator the same in
 * all of them is its uid, which each works out by itself: from the uid of the
 * communicator that it was made of, how many had been made of that before (the
 * calls that do so are collective, and so in the same order everywhere), and
 * its processes. No message is sent for that; a partner that is not traced
 * would never answer it. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>

#include "MPITracingLibrary/src/handles/handles.h"
#include "MPITracingLibrary/src/handles/request.h"
#include "common/hashmap/hashmap.h"

/* A number is not given again before so many others that are like it were
 * freed: few programs make as many alike, and what those that do need does not
 * grow. */
#define COMM_REST 64

#define NO_NUMBER (-1)

/* A number that a communicator has or had. */
struct commNumber {
	uint64_t uid;
	uint64_t likeness; /* Those with the same may have it next. */
	uint64_t made;     /* Communicators made of it. */
	uint64_t name;     /* Hash of the one that was written last. */
	bool isNamed;      /* By the program. */
	int64_t next;      /* In the queue of free ones. */
};

/* Free numbers with the same likeness, in the order in which they became so. */
struct commQueue {
	int64_t first;
	int64_t last;
	size_t count;
};

static struct {
	pthread_mutex_t lock;
	struct hdMap handles; /* Handle to number. */
	struct hdMap counts;  /* Hash to how many were made so. */
	struct hdMap queueOf; /* Likeness to queue. */
	struct commNumber *numbers;
	size_t count;
	size_t size;
	struct commQueue *queues;
	size_t queueCount;
	size_t queueSize;
} comms = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* How a communicator came to be. */
enum origin {
	ORIGIN_PREDEFINED,
	ORIGIN_PARENT,  /* Of the world that started this one. */
	ORIGIN_CHILD,   /* By all of another one. */
	ORIGIN_GROUP,   /* By a part of another one, with a tag. */
	ORIGIN_BETWEEN, /* By two groups, with a tag. */
	ORIGIN_SESSION, /* Of groups, with a text. */
	ORIGIN_UNKNOWN,
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	return hdMapHash(hdMapHash(a) + 0x9e3779b97f4a7c15 + b);
}

/* ---- Processes -------------------------------------------------------------
 */

/* The processes of a communicator. */
struct members {
	struct hdmpiText text[2]; /* "W->L;.." of the own group, the other. */
	int size[2];
	int known[2]; /* Those of this world. */
	bool isInter;
	uint64_t hash; /* The same on both sides. */
};

static int groupDescribe(MPI_Group group, struct members *members, int side)
{
	struct hdmpiText *text = &members->text[side];
	MPI_Group world;
	int *ranks, size;
	int ret = -1;

	PMPI_Group_size(group, &size);
	members->size[side] = size;
	ranks = calloc(2 * (size_t)size + 1, sizeof(*ranks));
	if (!ranks)
		return -1;
	for (int i = 0; i < size; i++)
		ranks[i] = i;
	if (PMPI_Comm_group(hdmpiRuntimeWorld(), &world) == MPI_SUCCESS) {
		if (PMPI_Group_translate_ranks(group, size, ranks, world,
					       ranks + size) == MPI_SUCCESS)
			ret = 0;
		PMPI_Group_free(&world);
	}
	hdmpiTextAdd(text, "%s", "");
	for (int i = 0; ret == 0 && i < size; i++) {
		if (ranks[size + i] == MPI_UNDEFINED)
			continue;
		hdmpiTextAdd(text, "%d->%d;",
			     hdmpiRuntimeNumber(ranks[size + i]), i);
		members->known[side]++;
	}
	free(ranks);
	return text->hasFailed ? -1 : ret;
}

static uint64_t groupHash(const struct members *members, int side)
{
	return mix(hdMapHashText(members->text[side].bytes),
		   (uint64_t)members->size[side]);
}

static int membersFind(MPI_Comm comm, struct members *members)
{
	int (*const groupOf[])(MPI_Comm,
			       MPI_Group *) = { PMPI_Comm_group,
						PMPI_Comm_remote_group };
	uint64_t hashes[2] = { 0, 0 };
	int isInter = 0;

	PMPI_Comm_test_inter(comm, &isInter);
	members->isInter = isInter;
	for (int side = 0; side <= isInter; side++) {
		MPI_Group group;
		int ret;

		if (groupOf[side](comm, &group) != MPI_SUCCESS)
			return -1;
		ret = groupDescribe(group, members, side);
		PMPI_Group_free(&group);
		if (ret < 0)
			return -1;
		hashes[side] = groupHash(members, side);
	}
	if (isInter && hashes[1] < hashes[0])
		members->hash = mix(hashes[1], hashes[0]);
	else
		members->hash = mix(hashes[0], hashes[1]);
	return 0;
}

static void membersClear(struct members *members)
{
	hdmpiTextClear(&members->text[0]);
	hdmpiTextClear(&members->text[1]);
}

/* ---- Numbers ---------------------------------------------------------------
 */

static bool mayGiveAgain(void)
{
	/* Threads may free in another order than those of other processes. */
	return !hdmpiRequestsAreShared;
}

/* Make room in an array; false without memory. */
static bool hasRoom(void *array, size_t count, size_t *size, size_t each)
{
	void **old = array;
	size_t larger = *size ? 2 * *size : 16;
	void *bytes;

	if (count < *size)
		return true;
	bytes = realloc(*old, larger * each);
	if (!bytes)
		return false;
	*old = bytes;
	*size = larger;
	return true;
}

static int64_t queueTake(uint64_t likeness)
{
	struct commQueue *queue;
	uint64_t at;
	int64_t id;

	if (!hdMapGet(&comms.queueOf, likeness, &at))
		return NO_NUMBER;
	queue = &comms.queues[at];
	if (queue->count < COMM_REST)
		return NO_NUMBER;
	id = queue->first;
	queue->first = comms.numbers[id].next;
	queue->count--;
	return id;
}

static void queuePut(int64_t id)
{
	uint64_t likeness = comms.numbers[id].likeness;
	struct commQueue *queue;
	uint64_t at;

	if (!hdMapGet(&comms.queueOf, likeness, &at)) {
		at = comms.queueCount;
		if (!hasRoom(&comms.queues, at, &comms.queueSize,
			     sizeof(*comms.queues)) ||
		    hdMapSet(&comms.queueOf, likeness, at) < 0)
			return;
		comms.queues[at] = (struct commQueue){ .count = 0 };
		comms.queueCount++;
	}
	queue = &comms.queues[at];
	comms.numbers[id].next = NO_NUMBER;
	if (queue->count++ == 0)
		queue->first = id;
	else
		comms.numbers[queue->last].next = id;
	queue->last = id;
}

/* A number for a new communicator; isNew tells whether it is one that was never
 * given. */
static int64_t numberTake(uint64_t uid, uint64_t likeness, bool *isNew)
{
	int64_t id = queueTake(likeness);

	*isNew = id == NO_NUMBER;
	if (id != NO_NUMBER)
		return id;
	if (!hasRoom(&comms.numbers, comms.count, &comms.size,
		     sizeof(*comms.numbers)))
		return -1;
	comms.numbers[comms.count] = (struct commNumber){
		.uid = uid,
		.likeness = likeness,
	};
	return (int64_t)comms.count++;
}

/* How many were made so before. */
static uint64_t countMade(uint64_t how)
{
	uint64_t count = 0;

	hdMapGet(&comms.counts, how, &count);
	hdMapSet(&comms.counts, how, count + 1);
	return count;
}

/* ---- Lines -----------------------------------------------------------------
 */

static void nameFind(MPI_Comm comm, struct hdmpiText *name)
{
	char text[MPI_MAX_OBJECT_NAME] = "WORLD";
	int length;

	if (comm != MPI_COMM_WORLD &&
	    PMPI_Comm_get_name(comm, text, &length) != MPI_SUCCESS)
		*text = '\0';
	hdmpiTextName(name, text, '\'');
}

static void lineWrite(struct hdmpiThread *self, const struct members *members,
		      int64_t id, uint64_t uid, const struct hdmpiText *name)
{
	struct hdmpiText more = { NULL };

	if (members->isInter)
		hdmpiTextAdd(&more, " remote='%s'", members->text[1].bytes);
	if (members->size[0] > members->known[0])
		hdmpiTextAdd(&more, " groupSize=%d", members->size[0]);
	if (members->size[1] > members->known[1])
		hdmpiTextAdd(&more, " remoteSize=%d", members->size[1]);
	if (!more.hasFailed)
		hdT_writeInfo(self->trace,
			      "Comm map='%s' id=%lld name=%s uid='%016llx'%s\n",
			      members->text[0].bytes, (long long)id,
			      name->bytes, (unsigned long long)uid,
			      more.bytes ? more.bytes : "");
	hdmpiTextClear(&more);
}

static void nameWrite(struct hdmpiThread *self, int64_t id,
		      const struct hdmpiText *name)
{
	if (self->trace)
		hdT_writeInfo(self->trace, "CommName id=%lld name=%s\n",
			      (long long)id, name->bytes);
}

/* ---- Meeting them ----------------------------------------------------------
 */

/* From what a uid is made, and what is alike. */
struct seed {
	uint64_t uid;
	uint64_t likeness;
	/* Whether the uid is to count those that were made so before. */
	bool isCounted;
};

static struct seed seedOf(enum origin origin, uint64_t of, uint64_t tag)
{
	uint64_t uid = mix(mix(origin, of), tag);

	return (struct seed){ uid, uid, origin >= ORIGIN_GROUP };
}

/* Give a communicator a number, if it has none. isNew: it was never given. Sets
 * isRenamed if it had another name before. */
static int64_t commNumber(MPI_Comm comm, const struct seed *seed,
			  const struct members *members, uint64_t name,
			  bool *isNew, bool *isRenamed)
{
	uint64_t uid = mix(seed->uid, members->hash), known;
	struct commNumber *number;
	int64_t id;

	if (hdMapGet(&comms.handles, HDMPI_KEY(comm), &known))
		return (int64_t)known;
	if (seed->isCounted)
		uid = mix(uid, countMade(uid));
	id = numberTake(uid, mix(seed->likeness, members->hash), isNew);
	if (id < 0 ||
	    hdMapSet(&comms.handles, HDMPI_KEY(comm), (uint64_t)id) < 0)
		return -1;
	number = &comms.numbers[id];
	*isRenamed = number->isNamed && number->name != name;
	number->isNamed = false;
	number->name = name;
	return id;
}

/* Meet a communicator. Its processes are those of another one where it is still
 * being made, and not to be asked. */
static int64_t commMeet(struct hdmpiThread *self, MPI_Comm comm, MPI_Comm like,
			const struct seed *seed)
{
	struct members members = { .isInter = false };
	struct hdmpiText name = { NULL };
	bool isNew = false, isRenamed = false;
	uint64_t uid = 0;
	int64_t id = -1;

	if (comm == like)
		nameFind(comm, &name);
	else
		hdmpiTextName(&name, "", '\'');
	if (!name.hasFailed && membersFind(like, &members) == 0) {
		pthread_mutex_lock(&comms.lock);
		id = commNumber(comm, seed, &members, hdMapHashText(name.bytes),
				&isNew, &isRenamed);
		if (id >= 0)
			uid = comms.numbers[id].uid;
		pthread_mutex_unlock(&comms.lock);
	}
	if (id >= 0 && isNew && self->trace)
		lineWrite(self, &members, id, uid, &name);
	else if (id >= 0 && isRenamed)
		nameWrite(self, id, &name);
	membersClear(&members);
	hdmpiTextClear(&name);
	return id;
}

/* Meet one that no call has made that is looked at. */
static int64_t commMeetOther(struct hdmpiThread *self, MPI_Comm comm)
{
	MPI_Comm parent = MPI_COMM_NULL;
	enum origin origin = ORIGIN_UNKNOWN;
	struct seed seed;

	PMPI_Comm_get_parent(&parent);
	if (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF)
		origin = ORIGIN_PREDEFINED;
	else if (comm == parent)
		origin = ORIGIN_PARENT;
	/* Where there is one process only these two have the same. */
	seed = seedOf(origin, 0, comm == MPI_COMM_SELF);
	return commMeet(self, comm, comm, &seed);
}

int64_t hdmpiCommId(struct hdmpiThread *self, MPI_Comm comm)
{
	uint64_t key = HDMPI_KEY(comm);
	uint64_t generation = atomic_load(&hdmpiGeneration);
	const struct hdmpiCached *cached = hdmpiCacheGet(self->comms, key);
	uint64_t known;
	int64_t id;
	bool isKnown;

	if (__builtin_expect(cached != NULL, 1))
		return cached->id;
	if (comm == MPI_COMM_NULL)
		return -1;
	pthread_mutex_lock(&comms.lock);
	isKnown = hdMapGet(&comms.handles, key, &known);
	pthread_mutex_unlock(&comms.lock);
	id = isKnown ? (int64_t)known : commMeetOther(self, comm);
	if (id >= 0)
		hdmpiCacheSet(self->comms, key, generation, id, 0);
	return id;
}

/* The uid of a communicator, and how many had been made of it; counts. */
static bool commsCountUid(struct hdmpiThread *self, MPI_Comm comm,
			  uint64_t *uid, uint64_t *made)
{
	int64_t id = hdmpiCommId(self, comm);

	if (id < 0)
		return false;
	pthread_mutex_lock(&comms.lock);
	*uid = comms.numbers[id].uid;
	*made = comms.numbers[id].made++;
	pthread_mutex_unlock(&comms.lock);
	return true;
}

int64_t hdmpiCommMade(struct hdmpiThread *self, MPI_Comm of, MPI_Comm comm,
		      bool isComplete)
{
	uint64_t uid = 0, made = 0;
	struct seed seed;

	if (!commsCountUid(self, of, &uid, &made))
		return hdmpiCommId(self, comm);
	if (comm == MPI_COMM_NULL)
		return -1;
	seed = seedOf(ORIGIN_CHILD, uid, 0);
	seed.uid = mix(seed.uid, made);
	return commMeet(self, comm, isComplete ? comm : of, &seed);
}

int64_t hdmpiCommMadeByGroup(struct hdmpiThread *self, MPI_Comm of, int tag,
			     MPI_Comm comm)
{
	int64_t id = hdmpiCommId(self, of);
	struct seed seed;

	if (comm == MPI_COMM_NULL)
		return -1;
	if (id < 0)
		return hdmpiCommId(self, comm);
	pthread_mutex_lock(&comms.lock);
	seed = seedOf(ORIGIN_GROUP, comms.numbers[id].uid, (uint64_t)tag);
	pthread_mutex_unlock(&comms.lock);
	return commMeet(self, comm, comm, &seed);
}

int64_t hdmpiCommMadeBetween(struct hdmpiThread *self, int tag, MPI_Comm comm)
{
	struct seed seed = seedOf(ORIGIN_BETWEEN, 0, (uint64_t)tag);

	return comm == MPI_COMM_NULL ? -1 : commMeet(self, comm, comm, &seed);
}

int64_t hdmpiCommMadeFromGroup(struct hdmpiThread *self, const char *tag,
			       MPI_Comm comm)
{
	struct seed seed =
		seedOf(ORIGIN_SESSION, 0, hdMapHashText(tag ? tag : ""));

	return comm == MPI_COMM_NULL ? -1 : commMeet(self, comm, comm, &seed);
}

void hdmpiCommNamed(struct hdmpiThread *self, MPI_Comm comm)
{
	struct hdmpiText name = { NULL };
	int64_t id = hdmpiCommId(self, comm);
	bool isChanged = false;

	/* That of MPI_COMM_WORLD says which one it is. */
	if (id < 0 || comm == MPI_COMM_WORLD)
		return;
	nameFind(comm, &name);
	if (!name.hasFailed) {
		uint64_t hash = hdMapHashText(name.bytes);
		struct commNumber *number;

		pthread_mutex_lock(&comms.lock);
		number = &comms.numbers[id];
		isChanged = number->name != hash;
		number->name = hash;
		number->isNamed = true;
		pthread_mutex_unlock(&comms.lock);
	}
	if (isChanged)
		nameWrite(self, id, &name);
	hdmpiTextClear(&name);
}

int64_t hdmpiCommForget(MPI_Comm comm)
{
	bool isAgain = mayGiveAgain(), isKnown;
	uint64_t id;

	pthread_mutex_lock(&comms.lock);
	isKnown = hdMapRemove(&comms.handles, HDMPI_KEY(comm), &id);
	if (isKnown) {
		if (isAgain)
			queuePut((int64_t)id);
		atomic_fetch_add(&hdmpiGeneration, 1);
	}
	pthread_mutex_unlock(&comms.lock);
	return isKnown ? (int64_t)id : -1;
}

void hdmpiCommsEnd(void)
{
	pthread_mutex_lock(&comms.lock);
	hdMapClear(&comms.handles);
	hdMapClear(&comms.counts);
	hdMapClear(&comms.queueOf);
	free(comms.numbers);
	free(comms.queues);
	comms.numbers = NULL;
	comms.count = 0;
	comms.size = 0;
	comms.queues = NULL;
	comms.queueCount = 0;
	comms.queueSize = 0;
	pthread_mutex_unlock(&comms.lock);
}
