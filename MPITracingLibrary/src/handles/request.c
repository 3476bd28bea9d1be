/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests between the call that made them and the one that completes them. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "MPITracingLibrary/src/handles/map.h"
#include "MPITracingLibrary/src/handles/request.h"
#include "MPITracingLibrary/src/hdmpi.h"

/* The entries of one handle form a queue; the map knows its first. */
struct entry {
	struct hdmpiRequest request;
	size_t next; /* In the queue, or of those that are free. */
	size_t last; /* Of the queue; valid in its first. */
};

#define NO_ENTRY HDMPI_NO_PLACE

static struct {
	pthread_mutex_t lock;
	struct hdmpiMap queues;
	struct entry *entries;
	size_t size;
	size_t used;  /* Entries that were in use at any time. */
	size_t free;  /* First free one below that. */
	int64_t next; /* Number of the next request. */
	bool areHeld; /* While calls may complete them. */
} requests = { .lock = PTHREAD_MUTEX_INITIALIZER, .free = NO_ENTRY };

static size_t entryTake(void)
{
	size_t at = requests.free;

	if (at != NO_ENTRY) {
		requests.free = requests.entries[at].next;
		return at;
	}
	if (requests.used == requests.size) {
		size_t size = requests.size ? 2 * requests.size : 64;
		struct entry *entries =
			realloc(requests.entries, size * sizeof(*entries));

		if (!entries)
			return NO_ENTRY;
		requests.entries = entries;
		requests.size = size;
	}
	return requests.used++;
}

static void entryGive(size_t at)
{
	requests.entries[at].next = requests.free;
	requests.free = at;
}

/* Append an entry to the queue of a handle. */
static int queueAdd(uint64_t key, size_t at)
{
	struct entry *entries = requests.entries;
	uint64_t first;

	entries[at].next = NO_ENTRY;
	entries[at].last = at;
	if (!hdmpiMapGet(&requests.queues, key, &first))
		return hdmpiMapSet(&requests.queues, key, at);
	entries[entries[first].last].next = at;
	entries[first].last = at;
	return 0;
}

/* Put an entry back in front of the queue of a handle. Without memory, which
 * only a new handle takes, the request is not known any more. */
static void queueUnshift(uint64_t key, size_t at)
{
	struct entry *entries = requests.entries;
	uint64_t first;
	bool isAlone = !hdmpiMapGet(&requests.queues, key, &first);

	entries[at].next = isAlone ? NO_ENTRY : (size_t)first;
	entries[at].last = isAlone ? at : entries[first].last;
	if (hdmpiMapSet(&requests.queues, key, at) < 0)
		entryGive(at);
}

/* The first entry of a handle's queue. */
static struct entry *queueFirst(MPI_Request request)
{
	uint64_t first;

	if (!hdmpiMapGet(&requests.queues, HDMPI_KEY(request), &first))
		return NULL;
	return &requests.entries[first];
}

/* Remove the first entry of a handle's queue. */
static void queueShift(MPI_Request request, struct entry *entry)
{
	uint64_t first;

	if (entry->next == NO_ENTRY) {
		hdmpiMapRemove(&requests.queues, HDMPI_KEY(request), &first);
	} else {
		requests.entries[entry->next].last = entry->last;
		hdmpiMapSet(&requests.queues, HDMPI_KEY(request), entry->next);
	}
}

/* Remove and forget it. */
static void queueDrop(MPI_Request request, struct entry *entry)
{
	queueShift(request, entry);
	entryGive((size_t)(entry - requests.entries));
}

int64_t hdmpiRequestAdd(MPI_Request request, enum hdmpiRequestKind kind,
			int64_t place, bool isPersistent)
{
	int64_t id = -1;
	size_t at;

	if (request == MPI_REQUEST_NULL)
		return -1;
	pthread_mutex_lock(&requests.lock);
	at = entryTake();
	if (at != NO_ENTRY) {
		requests.entries[at].request = (struct hdmpiRequest){
			.id = requests.next,
			.place = place,
			.kind = kind,
			.isPersistent = isPersistent,
		};
		if (queueAdd(HDMPI_KEY(request), at) == 0)
			id = requests.next++;
		else
			entryGive(at);
	}
	pthread_mutex_unlock(&requests.lock);
	return id;
}

void hdmpiRequestAsked(MPI_Request request, int source, int tag)
{
	uint64_t first;

	if (request == MPI_REQUEST_NULL)
		return;
	pthread_mutex_lock(&requests.lock);
	if (hdmpiMapGet(&requests.queues, HDMPI_KEY(request), &first)) {
		struct entry *entry =
			&requests.entries[requests.entries[first].last];

		entry->request.source = source;
		entry->request.tag = tag;
	}
	pthread_mutex_unlock(&requests.lock);
}

int64_t hdmpiRequestStart(MPI_Request request)
{
	struct entry *entry;
	int64_t id = -1;

	pthread_mutex_lock(&requests.lock);
	entry = queueFirst(request);
	if (entry) {
		entry->request.isActive = true;
		id = entry->request.id;
	}
	pthread_mutex_unlock(&requests.lock);
	return id;
}

bool hdmpiRequestPeek(MPI_Request request, struct hdmpiRequest *found)
{
	struct entry *entry;

	pthread_mutex_lock(&requests.lock);
	entry = queueFirst(request);
	if (entry)
		*found = entry->request;
	pthread_mutex_unlock(&requests.lock);
	return entry != NULL;
}

int64_t hdmpiRequestNumber(MPI_Request request)
{
	struct hdmpiRequest found;

	return hdmpiRequestPeek(request, &found) ? found.id : -1;
}

bool hdmpiRequestDone(MPI_Request request, struct hdmpiRequest *found)
{
	struct entry *entry;
	bool isDone = false;

	pthread_mutex_lock(&requests.lock);
	entry = queueFirst(request);
	if (entry) {
		*found = entry->request;
		isDone = !found->isPersistent || found->isActive;
		if (found->isPersistent)
			entry->request.isActive = false;
		else
			queueDrop(request, entry);
	}
	pthread_mutex_unlock(&requests.lock);
	return isDone;
}

void hdmpiRequestsHold(int count, const MPI_Request handles[], size_t places[])
{
	for (int i = 0; i < count; i++)
		places[i] = NO_ENTRY;
	if (!requests.areHeld)
		return;
	pthread_mutex_lock(&requests.lock);
	for (int i = 0; i < count; i++) {
		struct entry *entry = handles[i] == MPI_REQUEST_NULL
					      ? NULL
					      : queueFirst(handles[i]);

		if (!entry || entry->request.isPersistent)
			continue;
		queueShift(handles[i], entry);
		places[i] = (size_t)(entry - requests.entries);
	}
	pthread_mutex_unlock(&requests.lock);
}

void hdmpiRequestHeldDone(size_t place, struct hdmpiRequest *found)
{
	pthread_mutex_lock(&requests.lock);
	*found = requests.entries[place].request;
	entryGive(place);
	pthread_mutex_unlock(&requests.lock);
}

void hdmpiRequestsLetGo(int count, const MPI_Request handles[],
			const size_t places[])
{
	int last = count - 1;

	while (last >= 0 && places[last] == NO_ENTRY)
		last--;
	if (last < 0)
		return;
	pthread_mutex_lock(&requests.lock);
	/* Those of one handle in the opposite order, to be as they were. */
	for (int i = last; i >= 0; i--) {
		if (places[i] != NO_ENTRY)
			queueUnshift(HDMPI_KEY(handles[i]), places[i]);
	}
	pthread_mutex_unlock(&requests.lock);
}

bool hdmpiRequestRemove(MPI_Request request, struct hdmpiRequest *found)
{
	struct entry *entry;

	pthread_mutex_lock(&requests.lock);
	entry = queueFirst(request);
	if (entry) {
		*found = entry->request;
		queueDrop(request, entry);
	}
	pthread_mutex_unlock(&requests.lock);
	return entry != NULL;
}

void hdmpiRequestsBegin(void)
{
	int level = MPI_THREAD_MULTIPLE;

	PMPI_Query_thread(&level);
	requests.areHeld = level == MPI_THREAD_MULTIPLE;
}

void hdmpiRequestsEnd(void)
{
	pthread_mutex_lock(&requests.lock);
	hdmpiMapClear(&requests.queues);
	free(requests.entries);
	requests.entries = NULL;
	requests.size = 0;
	requests.used = 0;
	requests.free = NO_ENTRY;
	pthread_mutex_unlock(&requests.lock);
}
