/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is recorded of a layer of a node; see layerrecord.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "GlusterFSTracing/xlator/warn.h"
#include "GlusterFSTracing/xlator/layerrecord.h"
#include "common/clock.h"
#include "common/format/level.h"
#include "common/format/projectname.h"
#include "common/ownfile.h"
#include "common/thread.h"
#include "recording/reason.h"

/* How often, and after which time, a directory is tried to be locked; and for
 * how long one that could not be is tried only once. */
#define LOCK_TRIES 200
#define LOCK_US 10000
#define LOCK_FORGET_NS 60000000000

/* All records of a node have one, so that they agree about its label. */
struct session {
	struct session *next;
	char *project, *host, *node; /* As they were asked for. */
	char *label;                 /* Of the node, maybe with a number. */
	bool isClient;
	int records; /* That are open. */
	hdTopology *topology;
	struct machine *machine; /* If this process records the host. */
};

/* The mutex protects the lists, and what is in the sessions. */
static struct {
	pthread_mutex_t lock;
	struct record *records;
	struct session *sessions;
	int ending; /* Sessions that are about to be freed. */
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- Files ------------------------------------------------------------- */

/* Bricks have no umask, since clients say which rights a file has; what is made
 * here is for others to read, not to write. Names of files are nobody else's.
 */

static void makeDirectories(const char *project)
{
	char path[HD_PROJECT_PATH_MAX];

	for (const char *at = strchr(project + 1, '/'); at;
	     at = strchr(at + 1, '/')) {
		snprintf(path, sizeof(path), "%.*s", (int)(at - project),
			 project);
		mkdir(path, 0755);
	}
}

/* The directory that could not be locked last, or "", and when that was. */
static struct {
	char path[HD_PROJECT_PATH_MAX];
	int64_t timeNs;
} unlocked;

static int tryLock(int fd, int tries)
{
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK || --tries <= 0)
			return -errno;
		usleep(LOCK_US);
	}
	return 0;
}

/* Lock the directory of a project, or return -1. Bricks that have the same name
 * and begin at the same time are to find different labels, and not to take
 * each other's files in turn. Who can read the directory can hold it for ever,
 * so this is not waited for long, nor again for each layer. By one thread at a
 * time, without the lock, which operations need. */
static int lockDirectory(const char *project)
{
	char path[HD_PROJECT_PATH_MAX];
	bool isKnown;
	int fd, error;

	snprintf(path, sizeof(path), "%.*s",
		 (int)(strrchr(project, '/') - project + 1), project);
	isKnown = strcmp(unlocked.path, path) == 0 &&
		  hdMonotonicNow() - unlocked.timeNs < LOCK_FORGET_NS;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	error = tryLock(fd, isKnown ? 1 : LOCK_TRIES);
	if (error && !isKnown) {
		hdgWarn("%s: cannot lock the directory: %s; processes of the "
			"same "
			"name that start now may overwrite each other's files",
			path, strerror(-error));
		strcpy(unlocked.path, path);
		unlocked.timeNs = hdMonotonicNow();
	}
	return fd;
}

/* Files are made in a thread that has an umask of its own, so that nobody opens
 * one before its rights are set. */
struct making {
	void (*make)(struct record *record, void *context);
	struct record *record;
	void *context;
};

static void *makingRun(void *context)
{
	struct making *making = context;

	if (unshare(CLONE_FS) == 0)
		umask(making->record->isPrivate ? 0077 : 0022);
	making->make(making->record, making->context);
	return NULL;
}

static void makeFiles(struct record *record,
		      void (*make)(struct record *record, void *context),
		      void *context)
{
	struct making making = { make, record, context };
	pthread_t thread;

	if (hdThreadStart(&thread, makingRun, &making) < 0)
		make(record, context);
	else
		pthread_join(thread, NULL);
}

/* Where there can be no such thread, or a file is there already: whether it has
 * the rights. */
static bool protectFile(const struct session *session, const char *name,
			const char *end, bool isPrivate)
{
	const mode_t mode = isPrivate ? 0600 : 0644;
	char path[HD_PROJECT_PATH_MAX];

	snprintf(path, sizeof(path), "%s_%s_%s_%s.%s", session->project,
		 session->host, session->label, name, end);
	return hdOwnFileSetMode(path, mode) == 0;
}

/* ---- Sessions ---------------------------------------------------------- */

static void sessionFree(struct session *session)
{
	if (!session)
		return;
	if (session->machine)
		machineEnd(session->machine);
	else if (session->topology)
		hdT_destroyTopology(session->topology);
	free(session->project);
	free(session->host);
	free(session->node);
	free(session->label);
	free(session);
}

/* Find a label of the node whose files are not there yet: those of a process
 * that was killed are not overwritten. */
static char *sessionFindLabel(const struct recordName *name)
{
	char path[HD_PROJECT_PATH_MAX];
	int used = snprintf(path, sizeof(path), "%s_%s_", name->project,
			    name->host);

	if (used < 0 || used >= (int)sizeof(path) ||
	    snprintf(path + used, sizeof(path) - (size_t)used, "%s",
		     name->node) >= (int)sizeof(path) - used ||
	    !hdProjectFindFree(NULL, path, sizeof(path))) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	return strdup(path + used);
}

static struct session *sessionMake(const struct recordName *name)
{
	const char *levels[] = { HD_LEVEL_HOST,
				 name->isClient ? "Client" : "Brick",
				 HD_LEVEL_PART };
	struct session *session = calloc(1, sizeof(*session));

	if (!session)
		return NULL;
	session->project = strdup(name->project);
	session->host = strdup(name->host);
	session->node = strdup(name->node);
	session->label = sessionFindLabel(name);
	session->isClient = name->isClient;
	if (session->project && session->host && session->node &&
	    session->label)
		session->topology =
			hdT_createTopology(name->project, levels, 3);
	if (!session->topology) {
		sessionFree(session);
		return NULL;
	}
	session->machine = machineStart(name->project, session->topology,
					name->host, &name->machine);
	return session;
}

/* Whether there are files of a layer: it was recorded, and completed, while
 * other layers of the node go on. */
static bool sessionHasFiles(const struct session *session, const char *layer)
{
	static const char *const ends[] = { "rel", "stat" };
	char path[HD_PROJECT_PATH_MAX];

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		snprintf(path, sizeof(path), "%s_%s_%s_%s.%s", session->project,
			 session->host, session->label, layer, ends[i]);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

/* With the lock held. */
static struct session *sessionGet(const struct recordName *name)
{
	struct session *session;

	for (session = all.sessions; session; session = session->next) {
		if (strcmp(session->project, name->project) == 0 &&
		    strcmp(session->host, name->host) == 0 &&
		    strcmp(session->node, name->node) == 0 &&
		    !sessionHasFiles(session, name->layer))
			break;
	}
	if (!session) {
		session = sessionMake(name);
		if (!session)
			return NULL;
		session->next = all.sessions;
		all.sessions = session;
	}
	session->records++;
	return session;
}

/* With the lock held: let go of a session. The caller gives what is returned to
 * layerRecordEndSession(). */
static struct session *sessionRelease(struct session *session)
{
	struct session **at = &all.sessions;

	if (--session->records > 0)
		return NULL;
	while (*at != session)
		at = &(*at)->next;
	*at = session->next;
	all.ending++;
	return session;
}

/* Without the lock, since files of the host are completed. */
static void layerRecordEndSession(struct session *session)
{
	if (!session)
		return;
	sessionFree(session);
	pthread_mutex_lock(&all.lock);
	all.ending--;
	pthread_mutex_unlock(&all.lock);
}

/* ---- Records ----------------------------------------------------------- */

/* Whether a file that was made may be written: names of files only where nobody
 * else reads them. */
static bool recordMay(const struct record *record, const char *name,
		      const char *end)
{
	if (protectFile(record->session, name, end, record->isPrivate) ||
	    !record->isPrivate)
		return true;
	hdgWarn("%s: the .%s file of %s is not recorded, because other users "
		"could read it",
		record->session->label, end, name);
	return false;
}

static void recordOpenRelations(struct record *record)
{
	struct session *session = record->session;
	const char *path[] = { session->host, session->label, record->layer };
	hdTopoNode *part = hdT_createTopoNode(session->topology, path, 3);

	if (!part || hdR_initTopology(part, &record->relations) < 0)
		hdgWarn("%s: the relations of %s are not recorded: %s",
			session->label, record->layer, hdRecordReason(errno));
	if (part)
		hdT_destroyTopoNode(part);
	if (record->relations && !recordMay(record, record->layer, "rel"))
		hdR_finalize(&record->relations);
}

static hdS_gauge *recordOpenGauge(struct record *record, const char *layer)
{
	hdS_gauge *gauge =
		hdS_gaugeCreate(layer, record->node, 2, record->throttleNs);

	if (!gauge)
		hdgWarn("%s: the gauge of %s is not recorded: %s",
			record->session->label, layer, hdRecordReason(errno));
	if (gauge && !recordMay(record, layer, "stat")) {
		hdS_gaugeFinalize(gauge);
		gauge = NULL;
	}
	return gauge;
}

/* Open the files; what fails is not recorded. */
static void recordOpenFiles(struct record *record, void *context)
{
	const char *path[] = { record->session->host, record->session->label };

	(void)context;
	record->node = hdT_createTopoNode(record->session->topology, path, 2);
	if (!record->node)
		return;
	record->gauge = recordOpenGauge(record, record->layer);
	recordOpenRelations(record);
}

static void recordOpenLocks(struct record *record, void *context)
{
	hdS_gauge **locks = context;

	*locks = recordOpenGauge(record, "LOCK");
}

/* Close the files: nobody uses them any more. */
static void recordClose(struct record *record)
{
	hdS_gauge *locks = atomic_load(&record->locks);

	if (record->gauge)
		hdS_gaugeFinalize(record->gauge);
	if (locks)
		hdS_gaugeFinalize(locks);
	if (record->relations)
		hdR_finalize(&record->relations);
	if (record->node)
		hdT_destroyTopoNode(record->node);
	record->gauge = NULL;
	record->node = NULL;
}

/* With the lock held. What is to be freed without it is put into @p unused. */
static struct record *recordMake(const struct recordName *name,
				 struct session **unused)
{
	struct record *record = calloc(1, sizeof(*record));

	if (!record)
		return NULL;
	record->session = sessionGet(name);
	if (!record->session) {
		hdgWarn("%s: nothing is recorded in %s: %s", name->node,
			name->project, hdRecordReason(errno));
		free(record);
		return NULL;
	}
	snprintf(record->layer, sizeof(record->layer), "%s", name->layer);
	record->isPrivate = name->isPrivate;
	record->throttleNs = name->throttleNs;
	makeFiles(record, recordOpenFiles, NULL);
	if (!record->gauge && !record->relations) {
		recordClose(record);
		*unused = sessionRelease(record->session);
		free(record);
		return NULL;
	}
	atomic_init(&record->users, 1);
	record->next = all.records;
	all.records = record;
	return record;
}

/* Whether no other user can put links where files of ours are to be. */
static bool layerRecordIsPrivate(const char *project)
{
	char directory[HD_PROJECT_PATH_MAX];
	const char *slash = strrchr(project, '/');

	snprintf(directory, sizeof(directory), "%.*s",
		 slash ? (int)(slash - project) : 0, project);
	if (hdDirectoryIsOurs(*directory ? directory : "/"))
		return true;
	hdgWarn("%s: nothing is recorded: another user can change this "
		"directory; use one that only root and uid %u can change",
		directory, (unsigned int)geteuid());
	return false;
}

/* Without the lock: the same, with no other process between a label and its
 * first file. */
static struct record *recordMakeAlone(const struct recordName *name,
				      struct session **unused)
{
	struct record *record;
	int directory;

	if (!layerRecordIsPrivate(name->project))
		return NULL;
	makeDirectories(name->project);
	directory = lockDirectory(name->project);
	pthread_mutex_lock(&all.lock);
	record = recordMake(name, unused);
	pthread_mutex_unlock(&all.lock);
	if (directory >= 0)
		close(directory);
	return record;
}

static bool recordIs(struct record *record, const struct recordName *name)
{
	return !atomic_load(&record->isClosed) &&
	       record->throttleNs == name->throttleNs &&
	       strcmp(record->layer, name->layer) == 0 &&
	       strcmp(record->session->node, name->node) == 0 &&
	       strcmp(record->session->host, name->host) == 0 &&
	       strcmp(record->session->project, name->project) == 0;
}

/* Hold a record that may have no users any more. */
static bool recordTryHold(struct record *record)
{
	int users = atomic_load(&record->users);

	while (users > 0) {
		if (atomic_compare_exchange_weak(&record->users, &users,
						 users + 1))
			return true;
	}
	return false;
}

/* With the lock held: from now on there may be names of files in it, unless
 * others can read a file of it. */
static bool recordHide(struct record *record)
{
	const struct session *session = record->session;

	if (record->isPrivate)
		return true;
	if ((record->relations &&
	     !protectFile(session, record->layer, "rel", true)) ||
	    (record->gauge &&
	     !protectFile(session, record->layer, "stat", true)) ||
	    (atomic_load(&record->locks) &&
	     !protectFile(session, "LOCK", "stat", true))) {
		hdgWarn("%s: file names are not recorded in %s, because other "
			"users could read them",
			session->label, record->layer);
		return false;
	}
	record->isPrivate = true;
	return true;
}

/* With the lock held: find a record, and hold it. */
static struct record *recordFind(const struct recordName *name)
{
	for (struct record *record = all.records; record;
	     record = record->next) {
		if (recordIs(record, name) && recordTryHold(record))
			return record;
	}
	return NULL;
}

struct record *recordGet(const struct recordName *name)
{
	struct session *unused = NULL;
	struct record *record;
	bool isRefused;

	pthread_mutex_lock(&all.lock);
	record = recordFind(name);
	pthread_mutex_unlock(&all.lock);
	if (!record)
		record = recordMakeAlone(name, &unused);
	pthread_mutex_lock(&all.lock);
	isRefused = record && name->isPrivate && !recordHide(record);
	pthread_mutex_unlock(&all.lock);
	layerRecordEndSession(unused);
	if (!isRefused)
		return record;
	recordRelease(record);
	return NULL;
}

struct record *recordHold(_Atomic(struct record *) *instance)
{
	struct record *record =
		atomic_load_explicit(instance, memory_order_acquire);

	/* The instance may let go of it right now; then it has another one. */
	while (record && !recordTryHold(record))
		record = atomic_load_explicit(instance, memory_order_acquire);
	return record;
}

void recordRelease(struct record *record)
{
	struct session *unused;

	if (!record || atomic_fetch_sub(&record->users, 1) != 1)
		return;
	pthread_mutex_lock(&all.lock);
	atomic_store(&record->isClosed, true);
	recordClose(record);
	unused = sessionRelease(record->session);
	record->session = NULL;
	pthread_mutex_unlock(&all.lock);
	layerRecordEndSession(unused);
}

void recordCountLock(struct record *record, int change)
{
	hdS_gauge *locks = atomic_load(&record->locks);

	if (!locks && change > 0) {
		pthread_mutex_lock(&all.lock);
		locks = atomic_load(&record->locks);
		if (!locks && !record->hasNoLocks) {
			makeFiles(record, recordOpenLocks, &locks);
			record->hasNoLocks = !locks;
			atomic_store(&record->locks, locks);
		}
		pthread_mutex_unlock(&all.lock);
	}
	hdS_gaugeAdd(locks, change, 0);
}

const char *recordProject(const struct record *record)
{
	return record->session->project;
}

const char *recordNode(const struct record *record)
{
	return record->session->label;
}

uint64_t recordLosses(const struct record *record)
{
	hdS_gauge *gauges[] = { record->gauge, atomic_load(&record->locks) };
	hdLosses losses;
	uint64_t count = 0;

	for (int i = 0; i < 2; i++) {
		if (gauges[i] && hdS_gaugeLosses(gauges[i], &losses) == 0)
			count += losses.records;
	}
	if (record->relations && hdR_getLosses(record->relations, &losses) == 0)
		count += losses.records;
	return count;
}

void recordFlushAll(void)
{
	pthread_mutex_lock(&all.lock);
	for (struct record *record = all.records; record;
	     record = record->next) {
		hdS_gauge *locks = atomic_load(&record->locks);

		if (atomic_load(&record->isClosed))
			continue;
		if (record->gauge)
			hdS_gaugeFlush(record->gauge);
		if (locks)
			hdS_gaugeFlush(locks);
		if (record->relations)
			hdR_flush(record->relations);
	}
	pthread_mutex_unlock(&all.lock);
}

int recordCountUsers(void)
{
	int count = 0;

	pthread_mutex_lock(&all.lock);
	for (struct record *record = all.records; record; record = record->next)
		count += atomic_load(&record->users);
	pthread_mutex_unlock(&all.lock);
	return count;
}

int recordCountOpen(void)
{
	int count;

	pthread_mutex_lock(&all.lock);
	count = all.ending;
	for (struct record *record = all.records; record; record = record->next)
		count += !atomic_load(&record->isClosed);
	pthread_mutex_unlock(&all.lock);
	return count;
}
