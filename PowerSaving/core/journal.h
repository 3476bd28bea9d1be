/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The journal of settings: what was there before, so that it comes back
 * however a process ends.
 *
 * ROOT/run/hdtrace/hdpower/journal has a line for each change:
 *
 *     BOOTID PID PATH OLD NEW
 *
 * It is on disk before the file of the kernel changes. PID is the owner of the
 * lease, OLD the value before the first change. Settings end with the boot, and
 * so do lines of another one. A lock makes sure that one process changes it.
 */
#ifndef HD_POWER_JOURNAL_H
#define HD_POWER_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>

#include "PowerSaving/core/settings.h"

/** Where it is, below the root. */
#define HD_POWER_FOLDER "/run/hdtrace/hdpower"
#define HD_POWER_SOCKET "/run/hdtrace/hdpower.sock"

/** A path that was changed. */
struct hdJournalEntry {
	long pid;
	char path[HD_SETTING_PATH_SIZE];
	char old[HD_SETTING_VALUE_SIZE];
	char now[HD_SETTING_VALUE_SIZE]; /**< What was written last. */
};

/** Whether a path has another value than before; lower limits of clocks are
 *  noted before upper ones change. */
static inline bool hdJournalIsChanged(const struct hdJournalEntry *entry)
{
	return strcmp(entry->old, entry->now) != 0;
}

/** Is told what happens: an errno of 0 means success. */
typedef void hdJournalTell(void *context, const char *path, const char *value,
			   int error);

/** An open journal. */
struct hdJournal {
	const char *root;
	const char *foreign; /**< For -EPERM: what others can change. */
	int folder;          /**< Descriptor of the directory. */
	int lock;
	int fd;
	char boot[40];
	struct hdJournalEntry *entries;
	size_t count;
	size_t dropped; /**< Lines of another boot. */
	size_t invalid; /**< Lines that no service writes. */
};

/**
 * Open and lock the journal, and read it.
 *
 * @retval -EWOULDBLOCK Another process has it.
 * @retval -EPERM The directory or the file is not that of this user alone.
 * @return 0 or another negative errno; then it is closed.
 */
int hdJournalOpen(struct hdJournal *self, const char *root);

/** Close it; settings stay. */
void hdJournalClose(struct hdJournal *self);

/** Note the value of a setting that will change, if it is not noted yet; 0 or a
 *  negative errno. */
int hdJournalNote(struct hdJournal *self, long pid, const char *path);

/**
 * Change a setting: note it, wait until that is on disk, and write it.
 *
 * @param pid Owner of the lease.
 *
 * @return 0, or a negative errno: the setting is as it was.
 */
int hdJournalSet(struct hdJournal *self, long pid, const char *path,
		 const char *value);

/** Find a path that was changed; NULL: it was not. */
const struct hdJournalEntry *hdJournalFind(const struct hdJournal *self,
					   const char *path);

/** Write back the first value of a path; 0 or a negative errno. It is noted at
 *  hdJournalClean(). */
int hdJournalRestore(struct hdJournal *self, const char *path);

/** Write back all first values; how many could not be. Files that are gone
 *  count as restored. */
size_t hdJournalRestoreAll(struct hdJournal *self, hdJournalTell *tell,
			   void *context);

/** Let the file have only what is still changed, if much else is in it; 0 or a
 *  negative errno. */
int hdJournalShorten(struct hdJournal *self);

/** Let the file have only what is still changed; 0 or a negative errno. */
int hdJournalClean(struct hdJournal *self);

/** Read without a lock what other processes have changed; a copy of lines that
 *  hold now, to be freed with free(). 0 or a negative errno. */
int hdJournalLook(const char *root, struct hdJournalEntry **entries,
		  size_t *count);

#endif
