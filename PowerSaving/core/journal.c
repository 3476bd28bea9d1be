/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The journal of settings; see journal.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "PowerSaving/core/journal.h"

/* Longest journal, in bytes, and longest line. */
#define JOURNAL_MAX (4 * 1024 * 1024)
#define JOURNAL_LINE_MAX 512
/* What may be in it that is not needed, beyond as much as is. */
#define JOURNAL_SPARE 4096
#define BOOT_ID "/proc/sys/kernel/random/boot_id"

/* ---- Directories ------------------------------------------------------- */

/* Whether only this user and root can change a file. */
static bool journalIsOurs(int fd, mode_t type)
{
	struct stat is;

	return fstat(fd, &is) == 0 && (is.st_mode & S_IFMT) == type &&
	       (is.st_uid == geteuid() || is.st_uid == 0) &&
	       !(is.st_mode & (S_IWGRP | S_IWOTH)) &&
	       (type == S_IFDIR || is.st_nlink == 1);
}

/* Open ROOT/run/hdtrace/hdpower, which is made if it is not there. */
static int journalOpenFolder(const char *root, bool mayMake,
			     const char **foreign)
{
	static const char *const names[] = { "run", "hdtrace", "hdpower" };
	static const char *const paths[] = { "/run", "/run/hdtrace",
					     HD_POWER_FOLDER };
	int fd = open(*root ? root : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; fd >= 0 && i < 3; i++) {
		int next;

		if (mayMake)
			mkdirat(fd, names[i], i == 2 ? 0700 : 0755);
		next = openat(fd, names[i],
			      O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (next >= 0 && !journalIsOurs(next, S_IFDIR)) {
			close(next);
			close(fd);
			*foreign = paths[i];
			return -EPERM;
		}
		if (next < 0) {
			int error = errno;

			close(fd);
			return -error;
		}
		close(fd);
		fd = next;
	}
	return fd < 0 ? -errno : fd;
}

static int journalReadBoot(char *boot, size_t size)
{
	int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, boot, size - 1);

	if (fd >= 0)
		close(fd);
	if (got <= 0)
		return -ENOENT;
	boot[got] = '\0';
	boot[strcspn(boot, "\n")] = '\0';
	return 0;
}

/* ---- Lines ------------------------------------------------------------- */

static struct hdJournalEntry *journalFind(const struct hdJournal *self,
					  const char *path)
{
	for (size_t i = 0; i < self->count; i++) {
		if (strcmp(self->entries[i].path, path) == 0)
			return &self->entries[i];
	}
	return NULL;
}

const struct hdJournalEntry *hdJournalFind(const struct hdJournal *self,
					   const char *path)
{
	return journalFind(self, path);
}

static int journalAdd(struct hdJournal *self,
		      const struct hdJournalEntry *entry)
{
	struct hdJournalEntry *all =
		realloc(self->entries, (self->count + 1) * sizeof(*all));

	if (!all)
		return -ENOMEM;
	self->entries = all;
	all[self->count++] = *entry;
	return 0;
}

static void journalRemove(struct hdJournal *self, size_t number)
{
	self->count--;
	memmove(&self->entries[number], &self->entries[number + 1],
		(self->count - number) * sizeof(*self->entries));
}

/* Take a line without its end; 0, or -ENOMEM. */
static int journalTakeLine(struct hdJournal *self, const char *line)
{
	struct hdJournalEntry entry, *known;
	char boot[40];
	int end = -1;

	/* Widths are those of the arrays. */
	if (sscanf(line, "%39s %ld %159s %31s %31s%n", boot, &entry.pid,
		   entry.path, entry.old, entry.now, &end) != 5 ||
	    end < 0 || line[end] || hdSettingKindOf(entry.path) < 0 ||
	    !hdSettingIsValue(entry.old) || !hdSettingIsValue(entry.now)) {
		self->invalid++;
		return 0;
	}
	if (strcmp(boot, self->boot) != 0) {
		self->dropped++;
		return 0;
	}
	known = journalFind(self, entry.path);
	if (!known)
		return journalAdd(self, &entry);
	/* The first value counts. */
	known->pid = entry.pid;
	strcpy(known->now, entry.now);
	return 0;
}

/* A last line without an end was not on disk when its change was due. */
static int journalRead(struct hdJournal *self, int fd)
{
	struct stat is;
	char *text, *at, *end;
	ssize_t got = 0;
	int ret = 0;

	if (fstat(fd, &is) < 0)
		return -errno;
	if (is.st_size > JOURNAL_MAX)
		return -EFBIG;
	text = malloc((size_t)is.st_size + 1);
	if (!text)
		return -ENOMEM;
	got = pread(fd, text, (size_t)is.st_size, 0);
	if (got < 0)
		ret = -errno;
	text[got > 0 ? got : 0] = '\0';
	for (at = text; ret == 0 && (end = strchr(at, '\n')); at = end + 1) {
		*end = '\0';
		ret = journalTakeLine(self, at);
	}
	free(text);
	return ret;
}

static int journalFormat(const struct hdJournal *self,
			 const struct hdJournalEntry *entry, char *line)
{
	return snprintf(line, JOURNAL_LINE_MAX, "%s %ld %s %s %s\n", self->boot,
			entry->pid, entry->path, entry->old, entry->now);
}

/* ---- Opening ----------------------------------------------------------- */

static int journalOpenFile(const struct hdJournal *self, const char *name,
			   int flags)
{
	int fd = openat(self->folder, name,
			O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK |
				flags,
			0600);

	if (fd < 0)
		return errno == ELOOP ? -EPERM : -errno;
	if (!journalIsOurs(fd, S_IFREG)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

static int journalOpenAll(struct hdJournal *self)
{
	int ret = journalReadBoot(self->boot, sizeof(self->boot));

	if (ret < 0)
		return ret;
	self->folder = journalOpenFolder(self->root, true, &self->foreign);
	if (self->folder < 0)
		return self->folder;
	self->lock = journalOpenFile(self, "lock", 0);
	if (self->lock < 0)
		return self->lock;
	if (flock(self->lock, LOCK_EX | LOCK_NB) < 0)
		return -errno;
	self->fd = journalOpenFile(self, "journal", O_APPEND);
	if (self->fd < 0)
		return self->fd;
	/* What another process has removed by now is not the journal. */
	return journalRead(self, self->fd);
}

int hdJournalOpen(struct hdJournal *self, const char *root)
{
	int ret;

	*self = (struct hdJournal){ .root = root,
				    .foreign = HD_POWER_FOLDER "/journal",
				    .folder = -1,
				    .lock = -1,
				    .fd = -1 };
	ret = journalOpenAll(self);
	if (ret < 0)
		hdJournalClose(self);
	return ret;
}

void hdJournalClose(struct hdJournal *self)
{
	if (self->fd >= 0)
		close(self->fd);
	if (self->folder >= 0)
		close(self->folder);
	if (self->lock >= 0)
		close(self->lock);
	free(self->entries);
	*self = (struct hdJournal){
		.foreign = self->foreign, .folder = -1, .lock = -1, .fd = -1
	};
}

int hdJournalLook(const char *root, struct hdJournalEntry **entries,
		  size_t *count)
{
	struct hdJournal self = { .root = root, .lock = -1, .fd = -1 };
	int ret = journalReadBoot(self.boot, sizeof(self.boot));

	*entries = NULL;
	*count = 0;
	if (ret < 0)
		return ret;
	self.folder = journalOpenFolder(root, false, &self.foreign);
	if (self.folder < 0)
		return self.folder == -ENOENT ? 0 : self.folder;
	self.fd = openat(self.folder, "journal",
			 O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (self.fd < 0)
		ret = errno == ENOENT ? 0 : -errno;
	else if (!journalIsOurs(self.fd, S_IFREG))
		ret = -EPERM;
	else
		ret = journalRead(&self, self.fd);
	if (ret == 0) {
		*entries = self.entries;
		*count = self.count;
		self.entries = NULL;
	}
	hdJournalClose(&self);
	return ret;
}

/* ---- Changes ----------------------------------------------------------- */

/* Append a line and wait for the disk; half a line is taken away again. */
static int journalAppend(struct hdJournal *self,
			 const struct hdJournalEntry *entry)
{
	char line[JOURNAL_LINE_MAX];
	int length = journalFormat(self, entry, line);
	off_t before = lseek(self->fd, 0, SEEK_END);
	ssize_t put;
	int ret = 0;

	if (before < 0)
		return -errno;
	if (before > JOURNAL_MAX - JOURNAL_LINE_MAX)
		return -EFBIG;
	put = write(self->fd, line, (size_t)length);
	if (put != length)
		ret = put < 0 ? -errno : -ENOSPC;
	else if (fdatasync(self->fd) < 0)
		ret = -errno;
	if (ret < 0 && ftruncate(self->fd, before) < 0)
		return ret;
	return ret;
}

/* Write all that is still changed to a new file, which takes the place. */
static int journalRewrite(struct hdJournal *self)
{
	int fd, old = self->fd, ret = 0;

	unlinkat(self->folder, "journal.new", 0);
	fd = journalOpenFile(self, "journal.new", O_APPEND | O_EXCL);
	if (fd < 0)
		return fd;
	self->fd = fd;
	for (size_t i = 0; ret == 0 && i < self->count; i++)
		ret = journalAppend(self, &self->entries[i]);
	if (ret == 0 &&
	    renameat(self->folder, "journal.new", self->folder, "journal") < 0)
		ret = -errno;
	if (ret < 0) {
		unlinkat(self->folder, "journal.new", 0);
		self->fd = old;
		close(fd);
		return ret;
	}
	fsync(self->folder);
	close(old);
	return 0;
}

/* A file that was removed while it was open is not a journal any more: write a
 * new one. */
static int journalKeep(struct hdJournal *self)
{
	struct stat is;

	if (fstat(self->fd, &is) < 0)
		return -errno;
	if (is.st_nlink > 0)
		return 0;
	if (fstat(self->folder, &is) < 0)
		return -errno;
	return is.st_nlink > 0 ? journalRewrite(self) : -ESTALE;
}

int hdJournalNote(struct hdJournal *self, long pid, const char *path)
{
	struct hdJournalEntry entry = { .pid = pid };
	int ret;

	if (journalFind(self, path))
		return 0;
	ret = hdSettingRead(self->root, path, entry.old);
	if (ret < 0)
		return ret;
	snprintf(entry.path, sizeof(entry.path), "%s", path);
	strcpy(entry.now, entry.old);
	ret = journalKeep(self);
	if (ret == 0)
		ret = journalAppend(self, &entry);
	return ret < 0 ? ret : journalAdd(self, &entry);
}

int hdJournalSet(struct hdJournal *self, long pid, const char *path,
		 const char *value)
{
	struct hdJournalEntry *known = journalFind(self, path);
	struct hdJournalEntry entry = { .pid = pid };
	char before[HD_SETTING_VALUE_SIZE];
	int ret = hdSettingRead(self->root, path, before);

	if (ret < 0)
		return ret;
	if (!known && strcmp(before, value) == 0)
		return 0;
	snprintf(entry.path, sizeof(entry.path), "%s", path);
	snprintf(entry.now, sizeof(entry.now), "%s", value);
	strcpy(entry.old, known ? known->old : before);
	if (!known || strcmp(known->now, value) != 0) {
		ret = journalKeep(self);
		if (ret < 0)
			return ret;
		ret = journalAppend(self, &entry);
		/* The old value is on disk already if the path is known: then
		 * nothing is lost, and a change can be undone. */
		if (ret < 0 && !known)
			return ret;
		ret = 0;
	}
	/* What was written last counts: the kernel may show another limit. */
	if (known)
		strcpy(before, known->now);
	if (known)
		*known = entry;
	else
		ret = journalAdd(self, &entry);
	if (ret == 0)
		ret = hdSettingWrite(self->root, path, value);
	if (ret < 0) {
		struct hdJournalEntry *now = journalFind(self, path);

		/* The kernel refuses it, or took a part of it. */
		hdSettingWrite(self->root, path, before);
		if (known)
			strcpy(known->now, before);
		else if (now)
			journalRemove(self, (size_t)(now - self->entries));
	}
	return ret;
}

/* Write an old value back, unless it is there. */
static int journalWriteBack(const struct hdJournal *self,
			    const struct hdJournalEntry *entry)
{
	char is[HD_SETTING_VALUE_SIZE];
	int ret = hdSettingRead(self->root, entry->path, is);

	/* The kernel shows a lower limit that is not above the upper one: the
	 * file may have the old value, although another one was written. */
	if (hdSettingKindOf(entry->path) == HD_SETTING_MIN_FREQ
		    ? !hdJournalIsChanged(entry)
		    : ret == 0 && strcmp(is, entry->old) == 0)
		return 0;
	ret = hdSettingWrite(self->root, entry->path, entry->old);
	/* A CPU or a device that is gone has no settings. */
	return ret == -ENOENT || ret == -ENODEV || ret == -ENXIO ? 0 : ret;
}

int hdJournalRestore(struct hdJournal *self, const char *path)
{
	struct hdJournalEntry *entry = journalFind(self, path);
	int ret;

	if (!entry)
		return 0;
	ret = journalWriteBack(self, entry);
	if (ret == 0)
		journalRemove(self, (size_t)(entry - self->entries));
	return ret;
}

size_t hdJournalRestoreAll(struct hdJournal *self, hdJournalTell *tell,
			   void *context)
{
	/* A lower limit may have to rise before an upper one does, or the other
	 * way round: so what fails is tried once more. */
	for (int round = 0; round < 2; round++) {
		for (size_t i = self->count; i > 0; i--) {
			struct hdJournalEntry entry = self->entries[i - 1];
			int ret = hdJournalRestore(self, entry.path);

			if (tell && hdJournalIsChanged(&entry) &&
			    (ret == 0 || round == 1))
				tell(context, entry.path, entry.old, -ret);
		}
	}
	return self->count;
}

int hdJournalShorten(struct hdJournal *self)
{
	char line[JOURNAL_LINE_MAX];
	off_t needed = 0;
	struct stat is;

	for (size_t i = 0; i < self->count; i++)
		needed += journalFormat(self, &self->entries[i], line);
	if (fstat(self->fd, &is) < 0)
		return -errno;
	return is.st_size > 2 * needed + JOURNAL_SPARE ? journalRewrite(self)
						       : 0;
}

int hdJournalClean(struct hdJournal *self)
{
	if (self->count > 0)
		return journalRewrite(self);
	if (ftruncate(self->fd, 0) < 0 || fdatasync(self->fd) < 0)
		return -errno;
	return 0;
}
