/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The page, its slots, and which thread has which. No locks: who comes first
 * enters what it has made, and who comes second takes that. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "InstrumentationLibrary/src/clock.h"
#include "InstrumentationLibrary/src/counters.h"
#include "InstrumentationLibrary/src/core/memory.h"
#include "InstrumentationLibrary/src/core/observe.h"
#include "InstrumentationLibrary/src/readpage.h"
#include "common/clock.h"
#include "common/environment.h"
#include "common/owned.h"

int hdProbe_isOn = 1;
__thread struct hdProbeOwn *hdProbeOwn;
uint64_t hdProbeSeed;

/* Until there is a page, and where none can be had. */
static struct hdProbeHead head;
struct hdProbeHead *hdProbePage = &head;

static struct hdProbeOwn owns[HD_PROBE_LANES];
/* How many of these were ever taken: what is behind them was not touched. */
static _Atomic uint32_t ownsUsed;
static _Atomic(void *) chunks[HD_PROBE_CHUNKS];
static _Atomic(struct hdProbeSlot *) shared[HD_PROBE_PROBES];
/* For hdProbe_find(). */
static struct hdProbe found[HD_PROBE_PROBES];

static int fd = -1;
static struct hdOwned file;
static pthread_key_t key;
static int hasKey;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* 0: not begun; 1: under way; 2: done. */
static _Atomic int setUp;

static int ownsFile(void)
{
	return fd >= 0 && hdOwnedIs(&file, fd);
}

/* ---- Slots -----------------------------------------------------------------
 */

static off_t chunkOffset(unsigned int chunk)
{
	return (off_t)(HD_PROBE_HEAD_SIZE + chunk * HD_PROBE_CHUNK_SIZE);
}

/* Memory of a chunk: of the file if it has room, else nobody else sees it. What
 * is not allocated in the file would be a signal when it is touched. */
static void *mapChunk(unsigned int chunk, int *isOutside)
{
	void *memory = MAP_FAILED;

	*isOutside = 0;
	if (ownsFile() &&
	    fallocate(fd, 0, chunkOffset(chunk), HD_PROBE_CHUNK_SIZE) == 0)
		memory = mmap(NULL, HD_PROBE_CHUNK_SIZE, PROT_READ | PROT_WRITE,
			      MAP_SHARED, fd, chunkOffset(chunk));
	if (memory == MAP_FAILED) {
		*isOutside = 1;
		memory = mmap(NULL, HD_PROBE_CHUNK_SIZE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	return memory == MAP_FAILED ? NULL : memory;
}

static void *chunkAt(unsigned int chunk)
{
	void *memory = atomic_load(&chunks[chunk]), *none = NULL;
	int isOutside;

	if (memory)
		return memory;
	memory = mapChunk(chunk, &isOutside);
	if (!memory)
		return NULL;
	if (!atomic_compare_exchange_strong(&chunks[chunk], &none, memory)) {
		munmap(memory, HD_PROBE_CHUNK_SIZE);
		return none;
	}
	if (isOutside)
		atomic_fetch_add(&hdProbePage->outside, HD_PROBE_CHUNK);
	return memory;
}

struct hdProbeSlot *hdProbeOwnSlotAt(void *context, unsigned int i)
{
	struct hdProbeSlot *memory;

	(void)context;
	if (i >= HD_PROBE_SLOTS)
		return NULL;
	memory = atomic_load(&chunks[i / HD_PROBE_CHUNK]);
	return memory ? memory + i % HD_PROBE_CHUNK : NULL;
}

static struct hdProbeSlot *makeSlot(unsigned int index, unsigned int lane)
{
	struct hdProbeSlot *memory = NULL;
	unsigned int i;

	if (atomic_load(&hdProbePage->slots) < HD_PROBE_SLOTS) {
		i = atomic_fetch_add(&hdProbePage->slots, 1);
		if (i < HD_PROBE_SLOTS)
			memory = chunkAt(i / HD_PROBE_CHUNK);
	}
	if (!memory)
		return NULL;
	memory += i % HD_PROBE_CHUNK;
	atomic_store(&memory->lane, lane);
	atomic_store(&memory->epoch, UINT32_MAX);
	/* Any number but 0 begins such chances. */
	atomic_store(&memory->chance,
		     (hdProbeSeed + index * UINT64_C(0x9e3779b97f4a7c15) +
		      lane * UINT64_C(0xbf58476d1ce4e5b9)) |
			     1);
	atomic_store(&memory->skip, UINT64_MAX);
	atomic_store_explicit(&memory->probe, index, memory_order_release);
	return memory;
}

struct hdProbeSlot *hdProbeSharedSlot(unsigned int index)
{
	struct hdProbeSlot *slot = atomic_load(&shared[index]), *none = NULL;

	if (slot || index == 0)
		return slot;
	slot = makeSlot(index, HD_PROBE_SHARED);
	if (slot &&
	    !atomic_compare_exchange_strong(&shared[index], &none, slot))
		return none; /* The other one stays empty. */
	return slot;
}

/* ---- Probes ----------------------------------------------------------------
 */

static void probeMemoryCopyName(char *to, const char *from)
{
	size_t length = from ? strlen(from) : 0;

	if (length >= HDPROBE_NAME_SIZE)
		length = HDPROBE_NAME_SIZE - 1;
	memcpy(to, from ? from : "", length);
	to[length] = '\0';
}

static int probeMemoryIsSame(const struct hdProbeEntry *entry,
			     const struct hdProbe *probe)
{
	/* Of longer names the beginning is there. */
	return entry->kind == probe->kind &&
	       strncmp(entry->name, probe->name ? probe->name : "",
		       HDPROBE_NAME_SIZE - 1) == 0 &&
	       strncmp(entry->to, probe->to ? probe->to : "",
		       HDPROBE_NAME_SIZE - 1) == 0;
}

/* Take the entry, if it is free; else wait until it says what it is, but not
 * for ever: a signal handler may have interrupted who fills it in. Then a name
 * may be there twice, which readers make one. */
static int probeMemoryTakeEntry(struct hdProbeEntry *entry,
				const struct hdProbe *probe)
{
	uint32_t state = HD_PROBE_FREE;

	if (!atomic_compare_exchange_strong(&entry->state, &state,
					    HD_PROBE_TAKEN)) {
		for (int i = 0; i < 100000 && state == HD_PROBE_TAKEN; i++)
			state = atomic_load(&entry->state);
		return state == HD_PROBE_READY &&
		       probeMemoryIsSame(entry, probe);
	}
	entry->kind = probe->kind;
	probeMemoryCopyName(entry->name, probe->name);
	probeMemoryCopyName(entry->to, probe->to);
	atomic_store(&entry->state, HD_PROBE_READY);
	hdProbeObserveNew(entry);
	hdProbeCountersNew(entry);
	return 1;
}

unsigned int hdProbeNumber(struct hdProbe *probe)
{
	unsigned int index = __atomic_load_n(&probe->index, __ATOMIC_ACQUIRE);

	if (index)
		return index;
	hdProbeSetUp();
	for (index = 1; index < HD_PROBE_PROBES; index++) {
		if (probeMemoryTakeEntry(&hdProbePage->entries[index], probe)) {
			__atomic_store_n(&probe->index, index,
					 __ATOMIC_RELEASE);
			return index;
		}
	}
	return 0;
}

struct hdProbe *hdProbe_find(const char *name, const char *to,
			     unsigned int kind)
{
	struct hdProbe probe = HDPROBE_INIT(name, to, kind);
	struct hdProbeEntry *entry;
	unsigned int index;

	if (!name || kind < HDPROBE_KIND_TIMER || kind > HDPROBE_KIND_COUNTER) {
		errno = EINVAL;
		return NULL;
	}
	index = hdProbeNumber(&probe);
	if (!index) {
		errno = ENOSPC;
		return NULL;
	}
	/* Threads that come at once write the same. */
	entry = &hdProbePage->entries[index];
	__atomic_store_n(&found[index].name, entry->name, __ATOMIC_RELAXED);
	__atomic_store_n(&found[index].to, entry->to, __ATOMIC_RELAXED);
	__atomic_store_n(&found[index].kind, kind, __ATOMIC_RELAXED);
	__atomic_store_n(&found[index].index, index, __ATOMIC_RELEASE);
	return &found[index];
}

/* ---- Threads ---------------------------------------------------------------
 */

static void probeMemoryEndThread(void *own)
{
	struct hdProbeOwn *lane = own;

	hdProbeOwn = NULL;
	hdProbeCountersClose(lane, false);
	atomic_store_explicit(&lane->isTaken, 0, memory_order_release);
}

/* Lane i is about to be used, for the first time perhaps. */
static void noteUsed(uint32_t i)
{
	uint32_t used = atomic_load(&ownsUsed);

	while (used <= i &&
	       !atomic_compare_exchange_weak(&ownsUsed, &used, i + 1)) {
	}
}

static struct hdProbeOwn *takeLane(void)
{
	for (unsigned int i = 0; hasKey && i < HD_PROBE_LANES; i++) {
		struct hdProbeLane *lane = &hdProbePage->lanes[i];
		uint32_t isTaken = 0;

		if (atomic_load(&owns[i].isTaken))
			continue;
		noteUsed(i);
		if (!atomic_compare_exchange_strong(&owns[i].isTaken, &isTaken,
						    1))
			continue;
		owns[i].number = i;
		if (pthread_setspecific(key, &owns[i]) != 0) {
			atomic_store(&owns[i].isTaken, 0);
			return NULL;
		}
		atomic_store(&lane->thread, (uint32_t)syscall(SYS_gettid));
		atomic_fetch_add(&lane->threads, 1);
		hdProbeOwn = &owns[i];
		return &owns[i];
	}
	return NULL;
}

struct hdProbeSlot *hdProbeClaim(struct hdProbe *probe)
{
	int before = errno;
	unsigned int index = hdProbeNumber(probe);
	struct hdProbeOwn *own = hdProbeOwn;
	struct hdProbeSlot *slot = NULL;

	if (index && !own)
		own = takeLane();
	if (index && own) {
		slot = atomic_load_explicit(&own->slots[index],
					    memory_order_relaxed);
		if (!slot)
			slot = makeSlot(index, own->number);
		atomic_store_explicit(&own->slots[index], slot,
				      memory_order_relaxed);
	}
	/* So that it is there when a signal handler needs it. */
	if (!hdProbeSharedSlot(index) && !slot)
		atomic_fetch_add(&hdProbePage->lost, 1);
	errno = before;
	return slot ? slot : hdProbeSharedSlot(index);
}

/* ---- Page ------------------------------------------------------------------
 */

/* A file for the page, or -1. */
static int createFile(void)
{
	int created =
		memfd_create(HD_PROBE_FILE, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	/* Readers see that it does not shrink under them. */
	if (created >= 0 &&
	    (fchmod(created, 0600) != 0 ||
	     fallocate(created, 0, 0, HD_PROBE_HEAD_SIZE) != 0 ||
	     fcntl(created, F_ADD_SEALS, F_SEAL_SHRINK) != 0)) {
		close(created);
		created = -1;
	}
	return created;
}

static void fillHead(struct hdProbeHead *to)
{
	to->headSize = HD_PROBE_HEAD_SIZE;
	to->slotSize = sizeof(struct hdProbeSlot);
	to->pid = (uint32_t)getpid();
	to->clock = (uint32_t)hdProbeClock;
	to->tickNs = hdProbeTickNs;
	to->begin = hdMonotonicNow();
	to->magic = HD_PROBE_MAGIC;
}

static void openPage(void)
{
	struct hdProbeHead *memory = MAP_FAILED;

	fd = createFile();
	if (fd >= 0) {
		hdOwnedSet(&file, fd);
		memory = mmap(NULL, HD_PROBE_HEAD_SIZE, PROT_READ | PROT_WRITE,
			      MAP_SHARED, fd, 0);
	}
	hdProbePage = memory == MAP_FAILED ? &head : memory;
	fillHead(hdProbePage);
}

static void lockMutex(void)
{
	pthread_mutex_lock(&mutex);
}

static void unlockMutex(void)
{
	pthread_mutex_unlock(&mutex);
}

/* The mapping at an address becomes another one, of the child's file; 0:
 * outside of it, with the counts of nobody. */
static int remap(void *memory, size_t size, off_t offset)
{
	if (fd >= 0 && fallocate(fd, 0, offset, (off_t)size) == 0 &&
	    mmap(memory, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		 fd, offset) != MAP_FAILED)
		return 1;
	/* Or the child would count for its parent. */
	if (mmap(memory, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		hdProbe_enable(0);
	return 0;
}

/* In a child: a page of its own, at the same addresses, with the same probes
 * and no counts. */
static void probeMemoryBeginChild(void)
{
	int before = errno, parent = fd;

	/* What is static is copied; what is mapped is the parent's. */
	memcpy(head.entries, hdProbePage->entries, sizeof(head.entries));
	if (parent >= 0)
		hdOwnedClose(&file, parent);
	fd = createFile();
	if (fd >= 0)
		hdOwnedSet(&file, fd);
	if (hdProbePage != &head) {
		remap(hdProbePage, HD_PROBE_HEAD_SIZE, 0);
		memcpy(hdProbePage->entries, head.entries,
		       sizeof(head.entries));
	} else {
		atomic_store(&head.slots, 0);
		atomic_store(&head.lost, 0);
		memset(head.lanes, 0, sizeof(head.lanes));
	}
	fillHead(hdProbePage);
	for (unsigned int i = 0; i < HD_PROBE_CHUNKS; i++) {
		void *memory = atomic_load(&chunks[i]);

		if (memory &&
		    !remap(memory, HD_PROBE_CHUNK_SIZE, chunkOffset(i)))
			atomic_fetch_add(&hdProbePage->outside, HD_PROBE_CHUNK);
	}
	for (unsigned int i = 0; i < atomic_load(&ownsUsed); i++)
		hdProbeCountersClose(&owns[i], true);
	/* All of them are a megabyte, most of it never touched. */
	memset(owns, 0, atomic_load(&ownsUsed) * sizeof(owns[0]));
	memset(shared, 0, sizeof(shared));
	hdProbeOwn = NULL;
	if (hasKey)
		pthread_setspecific(key, NULL);
	unlockMutex();
	errno = before;
}

/* Before all constructors of the program; it has one thread then. */
__attribute__((constructor(101))) static void probeMemoryBegin(void)
{
	hdProbeSetUp();
}

void hdProbeSetUp(void)
{
	const char *asked;
	int none = 0, before = errno;

	if (atomic_load(&setUp) == 2)
		return;
	if (!atomic_compare_exchange_strong(&setUp, &none, 1))
		return; /* By a signal handler, before main(): to &head. */
	asked = hdEnvironment("HDPROBE");
	hdProbeClockChoose();
	hdProbeSeed = (uint64_t)hdMonotonicNow() * UINT64_C(0x94d049bb133111eb);
	hasKey = pthread_key_create(&key, probeMemoryEndThread) == 0;
	openPage();
	hdProbeCountersChoose();
	pthread_atfork(lockMutex, unlockMutex, probeMemoryBeginChild);
	if (asked && strcmp(asked, "off") == 0)
		hdProbe_enable(0);
	atomic_store(&setUp, 2);
	errno = before;
}

/* Threads may go on with probes meanwhile, at the end of a program: so the
 * memory stays. */
__attribute__((destructor)) static void probeMemoryEnd(void)
{
	if (hasKey)
		pthread_key_delete(key);
	hasKey = 0;
	if (fd >= 0)
		hdOwnedClose(&file, fd);
	fd = -1;
}

/* ---- Readers ---------------------------------------------------------------
 */

int hdProbeLock(int isReset)
{
	char path[64];
	int opened = -1, ret = 0;

	lockMutex();
	if (ownsFile()) {
		/* An open file of its own, as locks are of these. */
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		opened = open(path, O_RDWR | O_CLOEXEC);
		/* Without /proc, or if it is not to be looked at, nobody else
		 * finds the file, either. */
		if (opened >= 0)
			ret = hdProbeReaderLock(opened, isReset);
		else if (errno != ENOENT && errno != EACCES)
			ret = -errno;
		if (opened >= 0 && ret < 0)
			close(opened);
	}
	if (ret < 0) {
		unlockMutex();
		return ret;
	}
	return opened + 1;
}

void hdProbeUnlock(int locked)
{
	if (locked > 0)
		close(locked - 1);
	unlockMutex();
}
