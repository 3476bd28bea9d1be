/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding the page of a process, and reading it. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "InstrumentationLibrary/attach/attach.h"
#include "InstrumentationLibrary/src/clock.h"
#include "InstrumentationLibrary/src/readpage.h"
#include "common/clock.h"

/* How long the lock of a page is waited for. */
#define PATIENCE_NS (HD_NS_PER_S / 10)

struct attached {
	int fd;
	pid_t pid;
	int process; /**< A descriptor that tells when it ends, or -1. */
	void *memory;
	size_t size;
	int protection;
	struct hdProbeReader reader;
};

static struct hdProbeSlot *slotAt(void *context, unsigned int i)
{
	struct attached *self = context;
	size_t offset = HD_PROBE_HEAD_SIZE +
			(size_t)(i / HD_PROBE_CHUNK) * HD_PROBE_CHUNK_SIZE;

	if (offset + HD_PROBE_CHUNK_SIZE > self->size)
		return NULL;
	return (struct hdProbeSlot *)((char *)self->memory + offset) +
	       i % HD_PROBE_CHUNK;
}

/* Map all that the file has by now; 0, or a negative errno. */
static int map(struct attached *self)
{
	struct stat is;
	void *memory;

	if (fstat(self->fd, &is) != 0)
		return -errno;
	if ((size_t)is.st_size == self->size)
		return 0;
	if ((size_t)is.st_size < HD_PROBE_HEAD_SIZE)
		return -EBADMSG;
	memory = mmap(NULL, (size_t)is.st_size, self->protection, MAP_SHARED,
		      self->fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	if (self->memory)
		munmap(self->memory, self->size);
	self->memory = memory;
	self->size = (size_t)is.st_size;
	self->reader.head = memory;
	return 0;
}

/* A page that is ours, of this version, and that cannot shrink under us. */
static int checkPage(struct attached *self)
{
	int seals = fcntl(self->fd, F_GET_SEALS);
	int ret;

	if (seals < 0 || !(seals & F_SEAL_SHRINK))
		return -EBADMSG;
	ret = map(self);
	if (ret < 0)
		return ret;
	return self->reader.head->magic == HD_PROBE_MAGIC &&
			       self->reader.head->headSize ==
				       HD_PROBE_HEAD_SIZE &&
			       self->reader.head->slotSize ==
				       sizeof(struct hdProbeSlot) &&
			       self->reader.head->tickNs > 0 &&
			       isfinite(self->reader.head->tickNs)
		       ? 0
		       : -EPROTO;
}

static struct attached *openPage(const char *path, pid_t pid, bool isReset,
				 int *ret)
{
	struct attached *self = g_new0(struct attached, 1);

	self->reader.slotAt = slotAt;
	self->reader.context = self;
	self->protection = PROT_READ | (isReset ? PROT_WRITE : 0);
	self->pid = pid;
	self->process = (int)syscall(SYS_pidfd_open, pid, 0);
	/* What only is called so must not hold us up. */
	self->fd = open(path, (isReset ? O_RDWR : O_RDONLY) | O_CLOEXEC |
				      O_NONBLOCK | O_NOCTTY);
	*ret = self->fd < 0 ? -errno : checkPage(self);
	if (*ret == 0)
		return self;
	detach(self);
	return NULL;
}

struct attached *attach(pid_t pid, bool isReset, char **error)
{
	char *folder = g_strdup_printf("/proc/%d/fd", (int)pid);
	GError *why = NULL;
	GDir *dir = g_dir_open(folder, 0, &why);
	struct attached *found = NULL;
	const char *name;
	int ret = -ENODATA;

	*error = NULL;
	while (dir && !found && (name = g_dir_read_name(dir))) {
		char *path = g_build_filename(folder, name, NULL);
		char *to = g_file_read_link(path, NULL);

		if (to && g_str_has_prefix(to, "/memfd:" HD_PROBE_FILE))
			found = openPage(path, pid, isReset, &ret);
		g_free(to);
		g_free(path);
	}
	if (!dir && g_error_matches(why, G_FILE_ERROR, G_FILE_ERROR_NOENT))
		*error = g_strdup("no such process");
	else if (!dir)
		*error = g_strdup("permission denied; the process belongs to "
				  "another user");
	else if (!found && ret == -ENODATA)
		*error = g_strdup("no probes; the process is not linked with "
				  "libhdProbe, or has closed its descriptors");
	else if (!found && ret == -EPROTO)
		*error = g_strdup(
			"incompatible version of libhdProbe in the process");
	else if (!found)
		*error = g_strdup_printf("cannot read the probes: %s",
					 g_strerror(-ret));
	g_clear_error(&why);
	if (dir)
		g_dir_close(dir);
	g_free(folder);
	return found;
}

void detach(struct attached *self)
{
	if (!self)
		return;
	if (self->memory)
		munmap(self->memory, self->size);
	if (self->fd >= 0)
		close(self->fd);
	if (self->process >= 0)
		close(self->process);
	g_free(self);
}

/* Lock the page, unless its process keeps it locked for longer than anybody
 * needs. */
static int lockPage(struct attached *self, bool isReset)
{
	int64_t deadline = hdMonotonicNow() + PATIENCE_NS;
	struct flock lock = { .l_type = isReset ? F_WRLCK : F_RDLCK,
			      .l_whence = SEEK_SET };

	while (fcntl(self->fd, F_OFD_SETLK, &lock) != 0) {
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return -errno;
		if (hdMonotonicNow() > deadline)
			return -EBUSY;
		poll(NULL, 0, 1);
	}
	return 0;
}

static void unlock(struct attached *self)
{
	struct flock lock = { .l_type = F_UNLCK, .l_whence = SEEK_SET };

	fcntl(self->fd, F_OFD_SETLK, &lock);
}

/* A slot that somebody has. */
struct place {
	unsigned int probe; /* The first of its name. */
	uint32_t lane;
	unsigned int slot;
};

static gint comparePlaces(gconstpointer a, gconstpointer b)
{
	const struct place *x = a, *y = b;

	if (x->probe != y->probe)
		return x->probe < y->probe ? -1 : 1;
	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

/* All that are in use, by probe and lane, in one pass. */
static GArray *findPlaces(struct attached *self, const unsigned int *firsts)
{
	GArray *places = g_array_new(FALSE, FALSE, sizeof(struct place));
	unsigned int count = hdProbeReaderSlots(&self->reader);

	for (unsigned int i = 0; i < count; i++) {
		struct hdProbeSlot *slot = slotAt(self, i);
		struct place place = { .slot = i };

		/* Behind the end of the file there are no others. */
		if (!slot)
			break;
		place.probe = firsts[hdProbeReaderProbeOf(slot)];
		place.lane = atomic_load(&slot->lane);
		if (place.probe && place.lane <= HD_PROBE_SHARED)
			g_array_append_val(places, place);
	}
	g_array_sort(places, comparePlaces);
	return places;
}

/* Add up the slots of a lane, from *at on, and what is known of it. */
static void readLane(struct attached *self, const GArray *places, guint *at,
		     enum hdProbeSince since, struct hdProbeTotals *all,
		     GArray *lanes)
{
	const struct place first = g_array_index(places, struct place, *at);
	const struct hdProbeEntry *entry =
		&self->reader.head->entries[first.probe];
	uint64_t halfLife = hdProbeGet(&entry->halfLife);
	struct lanePart one = { .lane = first.lane };
	struct hdProbeTotals part;

	hdProbeTotalsClear(&part);
	for (; *at < places->len; ++*at) {
		const struct place *place =
			&g_array_index(places, struct place, *at);

		if (place->probe != first.probe || place->lane != first.lane)
			break;
		hdProbeTotalsAdd(&part, slotAt(self, place->slot), halfLife,
				 since);
	}
	hdProbeTotalsMerge(all, &part, halfLife);
	if (!part.count)
		return;
	if (first.lane < HD_PROBE_SHARED) {
		const struct hdProbeLane *who =
			&self->reader.head->lanes[first.lane];

		one.thread = atomic_load(&who->thread);
		one.threads = atomic_load(&who->threads);
	}
	hdProbeReaderFigures(&self->reader, first.probe, &part, &one.figures);
	g_array_append_val(lanes, one);
}

static GArray *readProbes(struct attached *self, enum hdProbeSince since)
{
	GArray *rows = g_array_new(FALSE, TRUE, sizeof(struct probeRow));
	unsigned int firsts[HD_PROBE_PROBES];
	GArray *places;
	guint at = 0;

	hdProbeReaderFirsts(&self->reader, firsts);
	places = findPlaces(self, firsts);
	for (unsigned int i = 1; i < HD_PROBE_PROBES; i++) {
		struct hdProbeTotals all;
		struct probeRow row = { 0 };

		if (firsts[i] != i)
			continue;
		row.lanes = g_array_new(FALSE, TRUE, sizeof(struct lanePart));
		hdProbeTotalsClear(&all);
		while (at < places->len &&
		       g_array_index(places, struct place, at).probe == i)
			readLane(self, places, &at, since, &all, row.lanes);
		hdProbeReaderFigures(&self->reader, i, &all, &row.figures);
		g_array_append_val(rows, row);
	}
	g_array_unref(places);
	return rows;
}

int attachedRead(struct attached *self, bool isReset, struct probeTable *table)
{
	const struct hdProbeHead *head;
	int64_t since, now;
	int ret = lockPage(self, isReset);

	if (ret < 0)
		return ret;
	ret = map(self);
	if (ret < 0) {
		unlock(self);
		return ret;
	}
	head = self->reader.head;
	since = atomic_load(&head->resetAt);
	now = hdMonotonicNow();
	if (isReset)
		hdProbeReaderReset(&self->reader);
	table->rows = readProbes(self, isReset ? HD_PROBE_SINCE_RESET_AND_RESET
					       : HD_PROBE_SINCE_RESET);
	unlock(self);
	table->clock = hdProbeClockWord(head->clock);
	if (!table->clock)
		table->clock = "unknown";
	table->seconds = (double)(now - (since ? since : head->begin)) / 1e9;
	table->lost = hdProbeGet(&head->lost);
	table->outside = atomic_load(&head->outside);
	return 0;
}

bool attachedWait(struct attached *self, int milliseconds)
{
	struct pollfd process = { .fd = self->process, .events = POLLIN };

	if (poll(&process, 1, milliseconds) != 0)
		return false;
	/* Older kernels, and some containers, have no such descriptors. */
	return self->process >= 0 || kill(self->pid, 0) == 0 || errno == EPERM;
}

void probeTableClear(struct probeTable *table)
{
	for (guint i = 0; table->rows && i < table->rows->len; i++)
		g_array_free(
			g_array_index(table->rows, struct probeRow, i).lanes,
			TRUE);
	if (table->rows)
		g_array_free(table->rows, TRUE);
	table->rows = NULL;
}
