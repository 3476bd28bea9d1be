/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding the page of a process, and waiting for its end. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "InstrumentationLibrary/attach/slots.h"
#include "common/clock.h"

/* ---- Whether a file is a memfd ---------------------------------------------
 */

/* The mount of an open file, by the kernel alone: no other process and no file
 * system is asked, which might not answer. -1: not known. */
static long findMount(pid_t pid, const char *fd)
{
	char *path = g_strdup_printf("/proc/%d/fdinfo/%s", (int)pid, fd);
	char *text = NULL;
	const char *at;
	long mount = -1;

	if (g_file_get_contents(path, &text, NULL, NULL)) {
		at = strstr(text, "mnt_id:");
		mount = at ? strtol(at + strlen("mnt_id:"), NULL, 10) : -1;
	}
	g_free(text);
	g_free(path);
	return mount;
}

/* The mount of all memfds of this machine. */
static long findMountOfMemory(void)
{
	int fd = memfd_create("hdprobe-mount", MFD_CLOEXEC);
	char *text = g_strdup_printf("%d", fd);
	long mount = fd < 0 ? -1 : findMount(getpid(), text);

	g_free(text);
	if (fd >= 0)
		close(fd);
	return mount;
}

/* Any file can be called as a memfd is; to open one of a file system that its
 * owner runs may take for ever. So a descriptor that only names the file is
 * asked, which no other process can replace: -1 if it is not a page of probes.
 */
static int findHold(const char *path, long mount)
{
	int hold = open(path, O_PATH | O_CLOEXEC);
	char *own = g_strdup_printf("/proc/self/fd/%d", hold);
	char *to = hold < 0 ? NULL : g_file_read_link(own, NULL);
	bool isPage = to && g_str_has_prefix(to, "/memfd:" HD_PROBE_FILE) &&
		      (mount < 0 || findMount(getpid(), own + 14) == mount);

	g_free(to);
	g_free(own);
	if (isPage)
		return hold;
	if (hold >= 0)
		close(hold);
	return -1;
}

/* ---- Opening ---------------------------------------------------------------
 */

/* A page that is ours, of this version. */
static int findCheck(struct attached *self)
{
	int seals = fcntl(self->fd, F_GET_SEALS);
	int ret;

	if (seals < 0 || !(seals & F_SEAL_SHRINK))
		return -EBADMSG;
	ret = slotsGet(self->fd, self->head, sizeof(*self->head), 0);
	if (ret < 0)
		return ret;
	return self->head->magic == HD_PROBE_MAGIC &&
			       self->head->headSize == HD_PROBE_HEAD_SIZE &&
			       self->head->slotSize ==
				       sizeof(struct hdProbeSlot) &&
			       self->head->tickNs > 0 &&
			       isfinite(self->head->tickNs)
		       ? 0
		       : -EPROTO;
}

static struct attached *findOpen(int hold, pid_t pid, bool isReset, int *ret)
{
	struct attached *self = g_new0(struct attached, 1);
	char path[64];

	self->head = g_new0(struct hdProbeHead, 1);
	self->reader.head = self->head;
	self->pid = pid;
	self->process = (int)syscall(SYS_pidfd_open, pid, 0);
	g_snprintf(path, sizeof(path), "/proc/self/fd/%d", hold);
	self->fd = open(path, (isReset ? O_RDWR : O_RDONLY) | O_CLOEXEC |
				      O_NONBLOCK | O_NOCTTY);
	*ret = self->fd < 0 ? -errno : findCheck(self);
	if (*ret == 0)
		return self;
	detach(self);
	return NULL;
}

/* Look at a descriptor of the process. */
static struct attached *findTry(pid_t pid, const char *fd, bool isReset,
				long mount, int *ret)
{
	char *path = g_strdup_printf("/proc/%d/fd/%s", (int)pid, fd);
	int hold = findHold(path, mount);
	struct attached *found =
		hold < 0 ? NULL : findOpen(hold, pid, isReset, ret);

	if (hold >= 0)
		close(hold);
	g_free(path);
	return found;
}

/* What is said of a process that has no page; to be freed. */
static char *findReason(int ret)
{
	if (ret == -ENODATA)
		return g_strdup("no probes; the process is not linked with "
				"libhdProbe, or has closed its descriptors");
	if (ret == -EPROTO)
		return g_strdup("incompatible version of libhdProbe in the "
				"process");
	if (ret == -ETIME)
		return g_strdup("the time limit was reached; the process has "
				"too many open files");
	return g_strdup_printf("cannot read the probes: %s", g_strerror(-ret));
}

static struct attached *attachFindInDirectory(GDir *dir, pid_t pid,
					      bool isReset, int64_t deadlineNs,
					      char **error)
{
	long mount = findMountOfMemory();
	struct attached *found = NULL;
	const char *name;
	int ret = -ENODATA;

	while (!found && (name = g_dir_read_name(dir))) {
		found = findTry(pid, name, isReset, mount, &ret);
		if (!found && hdMonotonicNow() > deadlineNs) {
			ret = -ETIME;
			break;
		}
	}
	if (!found)
		*error = findReason(ret);
	return found;
}

struct attached *attach(pid_t pid, bool isReset, int64_t deadlineNs,
			char **error)
{
	char *folder = g_strdup_printf("/proc/%d/fd", (int)pid);
	GError *why = NULL;
	GDir *dir = g_dir_open(folder, 0, &why);
	struct attached *found = NULL;

	*error = NULL;
	if (dir)
		found = attachFindInDirectory(dir, pid, isReset, deadlineNs,
					      error);
	else if (g_error_matches(why, G_FILE_ERROR, G_FILE_ERROR_NOENT))
		*error = g_strdup("no such process");
	else
		*error = g_strdup("permission denied; the process belongs to "
				  "another user");
	g_clear_error(&why);
	if (dir)
		g_dir_close(dir);
	g_free(folder);
	return found;
}

/* ---- The end ---------------------------------------------------------------
 */

void detach(struct attached *self)
{
	if (!self)
		return;
	if (self->fd >= 0)
		close(self->fd);
	if (self->process >= 0)
		close(self->process);
	g_free(self->head);
	g_free(self);
}

bool attachedWait(struct attached *self, int milliseconds)
{
	struct pollfd process = { .fd = self->process, .events = POLLIN };

	if (poll(&process, 1, milliseconds) != 0)
		return false;
	/* Older kernels, and some containers, have no such descriptors. */
	return self->process >= 0 || kill(self->pid, 0) == 0 || errno == EPERM;
}
