/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests between the call that made them and the one that completes them. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "MPITracingLibrary/src/handles/request.h"
#include "MPITracingLibrary/src/core/hdmpi.h"
#include "common/hashmap/hashmap.h"

/* The entries of one handle form a queue; the map knows its first. */
struct entry {
	struct hdmpiRequest request;
	size_t next; /* In the queue, or of those that are free. */
	size_t last; /* Of the queue; valid in its first. */
};

#define NO_ENTRY HDMPI_NO_PLACE

static struct {
	pthread_mutex_t lock;
	struct hdMap queues;
	struct entry *entries;
	size_t size;
	size_t used;  /* Entries that were in use at any time. */
	size_t free;  /* First free one below that. */
	int64_t next; /* Number of the next request. */
} requests = { .lock = PTHREAD_MUTEX_INITIALIZER, .free = NO_ENTRY };

bool hdmpiRequestsAreShared;

static inline void requestsLock(void)
{
	if (hdmpiRequestsAreShared)
		pthread_mutex_lock(&requests.lock);
}

static inline void requestsUnlock(void)
{
	if (hdmpiRequestsAreShared)
		pthread_mutex_unlock(&requests.lock);
}

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
	bool isNew;
	uint64_t *first = hdMapAdd(&requests.queues, key, &isNew);

	if (!first)
		return -ENOMEM;
	entries[at].next = NO_ENTRY;
	entries[at].last = at;
	if (isNew) {
		*first = at;
	} else {
		entries[entries[*first].last].next = at;
		entries[*first].last = at;
	}
	return 0;
}

/* Put an entry back in front of the queue of a handle. Without memory, which
 * only a new handle takes, the request is not known any more. */
static void queueUnshift(uint64_t key, size_t at)
{
	struct entry *entries = requests.entries;
	uint64_t first;
	bool isAlone = !hdMapGet(&requests.queues, key, &first);

	entries[at].next = isAlone ? NO_ENTRY : (size_t)first;
	entries[at].last = isAlone ? at : entries[first].last;
	if (hdMapSet(&requests.queues, key, at) < 0)
		entryGive(at);
}

/* Where the map says which the first entry of a handle's queue is, or NULL. */
static uint64_t *queueFind(MPI_Request request)
{
	return hdMapFind(&requests.queues, HDMPI_KEY(request));
}

/* The first entry of a queue that was found. */
static struct entry *queueFirst(const uint64_t *first)
{
	return first ? &requests.entries[*first] : NULL;
}

/* Remove the first entry of a queue; its place. */
static size_t queueShift(uint64_t *first)
{
	size_t at = *first, next = requests.entries[at].next;

	if (next == NO_ENTRY) {
		hdMapDrop(&requests.queues, first);
	} else {
		requests.entries[next].last = requests.entries[at].last;
		*first = next;
	}
	return at;
}

int64_t hdmpiRequestAdd(MPI_Request request, enum hdmpiRequestKind kind,
			int64_t place, bool isPersistent)
{
	int64_t id = -1;
	size_t at;

	if (request == MPI_REQUEST_NULL)
		return -1;
	requestsLock();
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
	requestsUnlock();
	return id;
}

void hdmpiRequestAsked(MPI_Request request, int source, int tag, int64_t size)
{
	uint64_t first;

	if (request == MPI_REQUEST_NULL)
		return;
	requestsLock();
	if (hdMapGet(&requests.queues, HDMPI_KEY(request), &first)) {
		struct entry *entry =
			&requests.entries[requests.entries[first].last];

		entry->request.source = source;
		entry->request.tag = tag;
		entry->request.size = size;
	}
	requestsUnlock();
}

int64_t hdmpiRequestStart(MPI_Request request)
{
	struct entry *entry;
	int64_t id = -1;

	requestsLock();
	entry = queueFirst(queueFind(request));
	if (entry) {
		entry->request.isActive = true;
		id = entry->request.id;
	}
	requestsUnlock();
	return id;
}

bool hdmpiRequestPeek(MPI_Request request, struct hdmpiRequest *found)
{
	struct entry *entry;

	requestsLock();
	entry = queueFirst(queueFind(request));
	if (entry)
		*found = entry->request;
	requestsUnlock();
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
	uint64_t *first;

	requestsLock();
	first = queueFind(request);
	entry = queueFirst(first);
	if (entry) {
		*found = entry->request;
		isDone = !found->isPersistent || found->isActive;
		if (found->isPersistent)
			entry->request.isActive = false;
		else
			entryGive(queueShift(first));
	}
	requestsUnlock();
	return isDone;
}

void hdmpiRequestsHold(int count, const MPI_Request handles[], size_t places[])
{
	requestsLock();
	for (int i = 0; i < count; i++) {
		uint64_t *first = handles[i] == MPI_REQUEST_NULL
					  ? NULL
					  : queueFind(handles[i]);

		places[i] = first && !queueFirst(first)->request.isPersistent
				    ? queueShift(first)
				    : NO_ENTRY;
	}
	requestsUnlock();
}

void hdmpiRequestHeldDone(size_t place, struct hdmpiRequest *found)
{
	requestsLock();
	*found = requests.entries[place].request;
	entryGive(place);
	requestsUnlock();
}

void hdmpiRequestsLetGo(int count, const MPI_Request handles[],
			const size_t places[])
{
	int last = count - 1;

	while (last >= 0 && places[last] == NO_ENTRY)
		last--;
	if (last < 0)
		return;
	requestsLock();
	/* Those of one handle in the opposite order, to be as they were. */
	for (int i = last; i >= 0; i--) {
		if (places[i] != NO_ENTRY)
			queueUnshift(HDMPI_KEY(handles[i]), places[i]);
	}
	requestsUnlock();
}

bool hdmpiRequestRemove(MPI_Request request, struct hdmpiRequest *found)
{
	uint64_t *first;

	requestsLock();
	first = queueFind(request);
	if (first) {
		*found = queueFirst(first)->request;
		entryGive(queueShift(first));
	}
	requestsUnlock();
	return first != NULL;
}

void hdmpiRequestsBegin(bool isOfSession)
{
	int level = MPI_THREAD_MULTIPLE;

	/* Each session has a level of its own. */
	if (!isOfSession)
		PMPI_Query_thread(&level);
	hdmpiRequestsAreShared = level == MPI_THREAD_MULTIPLE;
}

void hdmpiRequestsEnd(void)
{
	requestsLock();
	hdMapClear(&requests.queues);
	free(requests.entries);
	requests.entries = NULL;
	requests.size = 0;
	requests.used = 0;
	requests.free = NO_ENTRY;
	requestsUnlock();
}
