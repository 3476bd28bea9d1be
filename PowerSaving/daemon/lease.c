/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Leases; see lease.h. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PowerSaving/daemon/lease.h"
#include "net/logger.h"

/* Paths of a kind. */
struct leasePaths {
	char (*list)[HD_SETTING_PATH_SIZE];
	size_t count;
	bool isFull; /* There is no memory for more. */
};

static void leaseTakePath(void *context, const char *path)
{
	struct leasePaths *self = context;
	char(*list)[HD_SETTING_PATH_SIZE] =
		realloc(self->list, (self->count + 1) * sizeof(*list));

	if (!list) {
		self->isFull = true;
		return;
	}
	self->list = list;
	strcpy(list[self->count++], path);
}

/* The least restrictive value of a kind; NULL: no lease has one. */
static const char *leaseWanted(const struct leases *self,
			       enum hdSettingKind kind, pid_t *pid)
{
	const char *wanted = NULL;

	for (const struct lease *l = self->first; l; l = l->next) {
		const char *value = l->values.of[kind];

		if (!value[0] ||
		    (wanted && hdSettingCompare(kind, value, wanted) <= 0))
			continue;
		wanted = value;
		*pid = l->pid;
	}
	return wanted;
}

/* Whether a file is gone, as those of a CPU that was taken offline. */
static bool leaseIsGone(int ret)
{
	return ret == -ENOENT || ret == -ENODEV || ret == -ENXIO;
}

/* Whether a path of this kind may show another value than was written, because
 * a lease wants the upper limit of the clock: the kernel shows a lower limit
 * that is not above the upper one. */
static bool leaseIsHidden(const struct leases *self, int kind, pid_t *pid)
{
	return kind == HD_SETTING_MIN_FREQ &&
	       leaseWanted(self, HD_SETTING_MAX_FREQ, pid);
}

/* Go back to the old value of a path, which stays noted while it is hidden. */
static int leaseReturnPath(struct leases *self, enum hdSettingKind kind,
			   const char *path)
{
	const struct hdJournalEntry *entry =
		hdJournalFind(&self->journal, path);
	char old[HD_SETTING_VALUE_SIZE];
	pid_t pid;

	if (!leaseIsHidden(self, (int)kind, &pid))
		return hdJournalRestore(&self->journal, path);
	if (!entry || !hdJournalIsChanged(entry))
		return 0;
	strcpy(old, entry->old);
	return hdJournalSet(&self->journal, pid, path, old);
}

/* Set a path, or restore it; what is gone is fine. */
static int leaseSetPath(struct leases *self, enum hdSettingKind kind,
			const char *path)
{
	char fitted[HD_SETTING_VALUE_SIZE];
	pid_t pid = 0;
	const char *wanted = leaseWanted(self, kind, &pid);
	int ret;

	if (!wanted) {
		ret = leaseReturnPath(self, kind, path);
	} else {
		ret = hdSettingFit(self->root, path, wanted, fitted);
		if (ret == 0)
			ret = hdJournalSet(&self->journal, pid, path, fitted);
	}
	return leaseIsGone(ret) ? 0 : ret;
}

/* Set all paths of a kind; the first error. */
static int leaseSetKind(struct leases *self, enum hdSettingKind kind)
{
	struct leasePaths paths = { .list = NULL };
	int ret = 0;

	hdSettingFiles(self->root, kind, leaseTakePath, &paths);
	for (size_t i = 0; i < paths.count; i++) {
		int now = leaseSetPath(self, kind, paths.list[i]);

		if (now < 0 && ret == 0)
			ret = now;
	}
	free(paths.list);
	return paths.isFull ? -ENOMEM : ret;
}

struct leaseNote {
	struct leases *leases;
	pid_t pid;
	bool isWanted;
	int error;
};

static void leaseNotePath(void *context, const char *path)
{
	struct leaseNote *note = context;
	char value[HD_SETTING_VALUE_SIZE];
	int ret = hdSettingRead(note->leases->root, path, value);

	/* What cannot be read, and nobody wants to change, is left alone. */
	if (ret == 0)
		ret = hdJournalNote(&note->leases->journal, note->pid, path);
	else if (!note->isWanted || leaseIsGone(ret))
		ret = 0;
	if (ret < 0 && note->error == 0)
		note->error = ret;
}

/* Note lower limits before upper ones change, which may hide them. */
static int leaseNoteLimits(struct leases *self)
{
	struct leaseNote note = { .leases = self };
	pid_t pid;

	note.isWanted = leaseWanted(self, HD_SETTING_MIN_FREQ, &pid);
	if (leaseIsHidden(self, HD_SETTING_MIN_FREQ, &note.pid))
		hdSettingFiles(self->root, HD_SETTING_MIN_FREQ, leaseNotePath,
			       &note);
	return note.error;
}

/* A lower limit may have to change before an upper one, or the other way round:
 * so what fails is tried once more. Only a value that a lease wants can make a
 * lease fail. */
static int leaseSetAll(struct leases *self)
{
	int failed[HD_SETTING_KINDS], ret = 0;

	for (int i = 0; i < HD_SETTING_KINDS; i++)
		failed[i] = leaseSetKind(self, (enum hdSettingKind)i);
	for (int i = 0; i < HD_SETTING_KINDS; i++) {
		pid_t pid;

		if (failed[i] < 0)
			failed[i] = leaseSetKind(self, (enum hdSettingKind)i);
		if (failed[i] < 0 && ret == 0 &&
		    leaseWanted(self, (enum hdSettingKind)i, &pid))
			ret = failed[i];
	}
	return ret;
}

/* Restore what no lease wants, also on paths that the machine does not show;
 * the last error. Limits depend on each other, so there are two rounds. */
static int leaseRestoreRest(struct leases *self)
{
	int error = 0;

	for (int round = 0; round < 2; round++) {
		error = 0;
		for (size_t i = self->journal.count; i > 0; i--) {
			struct hdJournalEntry entry =
				self->journal.entries[i - 1];
			int kind = hdSettingKindOf(entry.path), ret;
			pid_t pid;

			if (kind >= 0 &&
			    (leaseWanted(self, (enum hdSettingKind)kind,
					 &pid) ||
			     leaseIsHidden(self, kind, &pid)))
				continue;
			ret = hdJournalRestore(&self->journal, entry.path);
			if (ret == 0)
				continue;
			error = ret;
			strcpy(self->failed, entry.path);
		}
	}
	return error;
}

/* Let the journal have only what is still changed. */
static void leaseClean(struct leases *self)
{
	int ret = hdJournalClean(&self->journal);

	if (ret < 0)
		hdNetLog(HD_LOG_WARNING, "journal: cannot shorten: %s",
			 strerror(-ret));
}

static int leaseRestoreAll(struct leases *self)
{
	int ret = leaseRestoreRest(self);

	if (ret < 0)
		hdNetLog(HD_LOG_ERROR,
			 "%s: cannot restore: %s; trying again every second",
			 self->failed, strerror(-ret));
	leaseClean(self);
	return ret;
}

static void leaseUnlink(struct leases *self, const struct lease *lease)
{
	for (struct lease **l = &self->first; *l; l = &(*l)->next) {
		if (*l == lease) {
			*l = lease->next;
			return;
		}
	}
}

static bool leaseIsLinked(const struct leases *self, const struct lease *lease)
{
	for (const struct lease *l = self->first; l; l = l->next) {
		if (l == lease)
			return true;
	}
	return false;
}

static void leaseLink(struct leases *self, struct lease *lease)
{
	struct lease **last = &self->first;

	while (*last)
		last = &(*last)->next;
	lease->next = NULL;
	*last = lease;
}

struct leaseLook {
	const struct leases *leases;
	bool isManual;
};

struct leaseReport {
	struct leases *leases;
	leaseTell *tell;
	void *context;
};

static void leaseReportPath(void *context, const char *path)
{
	const struct leaseReport *report = context;
	const struct hdJournalEntry *entry =
		hdJournalFind(&report->leases->journal, path);
	char now[HD_SETTING_VALUE_SIZE];

	if (entry)
		report->tell(report->context, path, entry->old, entry->now, 0);
	else if (hdSettingRead(report->leases->root, path, now) == 0)
		report->tell(report->context, path, now, now, 0);
}

static size_t leaseReportAll(struct leases *self, const struct lease *lease,
			     leaseTell *tell, void *context)
{
	struct leaseReport report = { self, tell, context };
	size_t count = 0;

	for (int i = 0; i < HD_SETTING_KINDS; i++) {
		if (lease->values.of[i][0])
			count += hdSettingFiles(self->root,
						(enum hdSettingKind)i,
						leaseReportPath, &report);
	}
	return count;
}

/* Whether this machine has a file for each kind. */
static bool leaseHasFiles(const struct leases *self,
			  const struct hdSettingValues *values)
{
	for (int i = 0; i < HD_SETTING_KINDS; i++) {
		struct leasePaths paths = { .list = NULL };
		size_t count;

		if (!values->of[i][0])
			continue;
		count = hdSettingFiles(self->root, (enum hdSettingKind)i,
				       leaseTakePath, &paths);
		free(paths.list);
		if (count == 0)
			return false;
	}
	return true;
}

static void leaseLookAtGovernor(void *context, const char *path)
{
	struct leaseLook *look = context;
	char value[HD_SETTING_VALUE_SIZE];

	if (hdSettingRead(look->leases->root, path, value) == 0 &&
	    strcmp(value, "userspace") == 0)
		look->isManual = true;
}

bool leaseIsManual(const struct leases *self,
		   const struct hdSettingValues *values)
{
	struct leaseLook look = { self, false };

	if (values->of[HD_SETTING_GOVERNOR][0])
		hdSettingFiles(self->root, HD_SETTING_GOVERNOR,
			       leaseLookAtGovernor, &look);
	return look.isManual;
}

int leaseGrant(struct leases *self, struct lease *lease,
	       const struct hdSettingValues *values, leaseTell *tell,
	       void *context)
{
	struct hdSettingValues before = lease->values;
	bool wasLinked = leaseIsLinked(self, lease);
	int ret;

	if (!leaseHasFiles(self, values))
		return -ENOTSUP;
	lease->values = *values;
	if (!wasLinked)
		leaseLink(self, lease);
	ret = leaseNoteLimits(self);
	if (ret == 0)
		ret = leaseSetAll(self);
	if (ret < 0) {
		lease->values = before;
		if (!wasLinked)
			leaseUnlink(self, lease);
		leaseSetAll(self);
		leaseRestoreAll(self);
		return ret;
	}
	/* Each phase of a program adds lines. */
	ret = hdJournalShorten(&self->journal);
	if (ret < 0)
		hdNetLog(HD_LOG_WARNING, "journal: cannot shorten: %s",
			 strerror(-ret));
	if (tell)
		leaseReportAll(self, lease, tell, context);
	return 0;
}

int leaseEnd(struct leases *self, struct lease *lease)
{
	if (!leaseIsLinked(self, lease))
		return 0;
	leaseUnlink(self, lease);
	leaseSetAll(self);
	return leaseRestoreAll(self);
}

void leaseRetry(struct leases *self)
{
	size_t before = self->journal.count;

	leaseRestoreRest(self);
	if (self->journal.count == before)
		return;
	hdNetLog(HD_LOG_INFO, "restored %zu settings at a later try",
		 before - self->journal.count);
	leaseClean(self);
}
