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

#include "InstrumentationLibrary/command/attach.h"
#include "InstrumentationLibrary/src/clock.h"
#include "InstrumentationLibrary/src/readpage.h"
#include "common/clock.h"

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
	self->fd = open(path, (isReset ? O_RDWR : O_RDONLY) | O_CLOEXEC);
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
		*error = g_strdup("there is no such process");
	else if (!dir)
		*error = g_strdup("only its user may look at its probes");
	else if (!found && ret == -ENODATA)
		*error = g_strdup("it has no probes: it does not link "
				  "libhdProbe, or has closed its descriptors");
	else if (!found && ret == -EPROTO)
		*error = g_strdup("its libhdProbe is of another version");
	else if (!found)
		*error = g_strdup_printf("cannot read its probes: %s",
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

/* Wait for the lock: a reader for who resets, and the other way round. */
static int lock(struct attached *self, bool isReset)
{
	struct flock lock = { .l_type = isReset ? F_WRLCK : F_RDLCK,
			      .l_whence = SEEK_SET };

	while (fcntl(self->fd, F_OFD_SETLKW, &lock) != 0) {
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

static void unlock(struct attached *self)
{
	struct flock lock = { .l_type = F_UNLCK, .l_whence = SEEK_SET };

	fcntl(self->fd, F_OFD_SETLK, &lock);
}

/* Lanes that have a slot of any probe. */
static void lanesInUse(struct attached *self, bool *isUsed)
{
	unsigned int count = atomic_load(&self->reader.head->slots);

	for (unsigned int i = 0; i < count && i < HD_PROBE_SLOTS; i++) {
		struct hdProbeSlot *slot = slotAt(self, i);
		uint32_t lane = slot ? atomic_load(&slot->lane) : UINT32_MAX;

		if (!slot)
			break;
		if (lane <= HD_PROBE_SHARED && atomic_load(&slot->probe))
			isUsed[lane] = true;
	}
}

static void readProbe(struct attached *self, unsigned int probe,
		      const bool *isUsed, bool isReset, GArray *rows)
{
	struct hdProbeTotals all, part;
	struct probeRow row = { .lanes = g_array_new(FALSE, TRUE,
						     sizeof(struct lanePart)) };

	hdProbeTotalsClear(&all);
	for (uint32_t lane = 0; lane <= HD_PROBE_SHARED; lane++) {
		const struct hdProbeLane *who = &self->reader.head->lanes[lane];
		struct lanePart one = { .lane = lane };

		if (!isUsed[lane])
			continue;
		hdProbeReaderTotals(&self->reader, probe, lane, isReset, &part);
		if (!part.count && !part.stamp)
			continue;
		hdProbeTotalsMerge(
			&all, &part,
			hdProbeGet(
				&self->reader.head->entries[probe].halfLife));
		if (!part.count)
			continue;
		if (lane < HD_PROBE_SHARED) {
			one.thread = atomic_load(&who->thread);
			one.threads = atomic_load(&who->threads);
		}
		hdProbeReaderFigures(&self->reader, probe, &part, &one.figures);
		g_array_append_val(row.lanes, one);
	}
	hdProbeReaderFigures(&self->reader, probe, &all, &row.figures);
	g_array_append_val(rows, row);
}

int attachedRead(struct attached *self, bool isReset, struct probeTable *table)
{
	bool isUsed[HD_PROBE_LANES + 1] = { false };
	const struct hdProbeHead *head;
	int64_t since, now;
	int ret = lock(self, isReset);

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
	lanesInUse(self, isUsed);
	table->rows = g_array_new(FALSE, TRUE, sizeof(struct probeRow));
	for (unsigned int i = 1; i < HD_PROBE_PROBES; i++) {
		if (hdProbeReaderIsFirst(&self->reader, i))
			readProbe(self, i, isUsed, isReset, table->rows);
	}
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
