/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The thread that looks at the health of a node; see health.h. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <glib.h>

#include "NodeStatus/local/child.h"
#include "NodeStatus/local/core/health.h"
#include "NodeStatus/local/json.h"
#include "NodeStatus/local/node.h"
#include "NodeStatus/local/smart.h"
#include "PowerTracingLibrary/src/core/sysfile.h"
#include "ResourcesUtilizationTracingLibrary/src/core/kernelfile.h"
#include "common/clock.h"
#include "common/thread.h"

struct nodeHealth {
	char *root, *smartctl; /* NULL: there is none. */
	int64_t limitNs;
	/* Of the thread alone. Disks that were failing when they last said how
	 * they are; and of those whose smartctl hangs in the kernel its pid. */
	GHashTable *failing, *stuck;
	pthread_t thread;
	int wakeFd; /* Readable when it is to end, for ever. */
	int turnFd; /* Readable when it is to look now. */
	pthread_mutex_t mutex;
	int64_t intervalNs;
	int64_t lookedNs; /* Monotonic; of the last look, or the begin. */
	json_t *json;
	struct nodeHealthNumbers numbers;
};

/* ---- Disks ------------------------------------------------------------- */

/* Take what is known by now, so that a disk that hangs delays itself only. */
static void publishDisk(struct nodeHealth *health, json_t *disk)
{
	json_t *disks, *copy;
	const char *name = json_string_value(json_object_get(disk, "name"));
	size_t i = 0;

	json_object_set_new(disk, "stamp_s",
			    json_real((double)hdWallNow() / 1e9));
	pthread_mutex_lock(&health->mutex);
	copy = json_deep_copy(health->json);
	disks = json_object_get(copy, "disks");
	while (i < json_array_size(disks) &&
	       g_strcmp0(name, json_string_value(json_object_get(
				       json_array_get(disks, i), "name"))) != 0)
		i++;
	if (i < json_array_size(disks))
		json_array_set_new(disks, i, disk);
	else
		json_array_append_new(disks, disk);
	json_decref(health->json);
	health->json = copy;
	pthread_mutex_unlock(&health->mutex);
}

static bool healthIsState(const json_t *disk, const char *state)
{
	return g_strcmp0(json_string_value(json_object_get(disk, "state")),
			 state) == 0;
}

/* A disk that was failing and says nothing now - it sleeps, hangs, is away - is
 * not well for that: it counts as failing until it says otherwise. */
static void remember(struct nodeHealth *health, const char *name, json_t *disk)
{
	if (healthIsState(disk, "failing"))
		g_hash_table_add(health->failing, g_strdup(name));
	else if (healthIsState(disk, "ok") || healthIsState(disk, "warned"))
		g_hash_table_remove(health->failing, name);
	else if (g_hash_table_contains(health->failing, name))
		json_array_append_new(
			json_object_get(disk, "reasons"),
			json_string("it was failing at its last report"));
}

/* What is left to be said of a disk that is gone; NULL: nothing. */
static json_t *goneDisk(struct nodeHealth *health, const char *name)
{
	if (!name || !g_hash_table_contains(health->failing, name))
		return NULL;
	return json_pack("{ss ss s[ss] sn sn sf}", "name", name, "state",
			 "unknown", "reasons", "the disk has disappeared",
			 "it was failing at its last report", "bits",
			 "temperature_celsius", "stamp_s",
			 (double)hdWallNow() / 1e9);
}

/* Forget disks that are gone, and count those that fail. */
static void sumDisks(struct nodeHealth *health, char **names, size_t count)
{
	double known = 0, failing = g_hash_table_size(health->failing);
	json_t *copy, *disks;

	pthread_mutex_lock(&health->mutex);
	copy = json_deep_copy(health->json);
	disks = json_object_get(copy, "disks");
	for (size_t i = json_array_size(disks); i-- > 0;) {
		const json_t *disk = json_array_get(disks, i);
		const char *name =
			json_string_value(json_object_get(disk, "name"));
		json_t *gone;
		size_t k = 0;

		while (k < count && g_strcmp0(names[k], name) != 0)
			k++;
		if (k == count) {
			gone = goneDisk(health, name);
			if (gone)
				json_array_set_new(disks, i, gone);
			else
				json_array_remove(disks, i);
			continue;
		}
		known += healthIsState(disk, "ok") ||
			 healthIsState(disk, "warned");
	}
	health->numbers.failingDisks = known + failing > 0 ? failing : NAN;
	json_decref(health->json);
	health->json = copy;
	pthread_mutex_unlock(&health->mutex);
}

static bool isEnding(const struct nodeHealth *health)
{
	return poll(&(struct pollfd){ .fd = health->wakeFd, .events = POLLIN },
		    1, 0) > 0;
}

static json_t *without(const char *name, const char *state, const char *reason)
{
	return json_pack("{ss ss s[s] sn sn}", "name", name, "state", state,
			 "reasons", reason, "bits", "temperature_celsius");
}

static gboolean healthHasEnded(gpointer name, gpointer pid, gpointer context)
{
	(void)name;
	(void)context;
	return nodeChildHasEnded(GPOINTER_TO_INT(pid));
}

/* No further smartctl for a disk before the last one has ended. */
static json_t *askDisk(struct nodeHealth *health, const char *name)
{
	json_t *disk;
	pid_t left;

	if (!health->smartctl)
		return without(name, "unavailable",
			       "smartctl is not installed");
	if (g_hash_table_contains(health->stuck, name))
		return without(name, "unknown", "smartctl still hangs");
	disk = nodeSmartAsk(health->smartctl, name, health->wakeFd,
			    health->limitNs, &left);
	if (left > 0)
		g_hash_table_insert(health->stuck, g_strdup(name),
				    GINT_TO_POINTER(left));
	return disk;
}

static void lookAtDisks(struct nodeHealth *health)
{
	char **names;
	ssize_t count = ptSysListNames(&names, health->root, "/sys/block");
	size_t kept = 0;

	g_hash_table_foreach_remove(health->stuck, healthHasEnded, NULL);
	for (ssize_t i = 0; i < count && !isEnding(health); i++) {
		json_t *disk;

		if (!rutFileExists(health->root, "/sys/block/%s/device",
				   names[i]))
			continue;
		disk = askDisk(health, names[i]);
		if (isEnding(health)) {
			json_decref(disk);
		} else {
			remember(health, names[i], disk);
			publishDisk(health, disk);
		}
		kept = (size_t)i + 1;
	}
	if (!isEnding(health))
		sumDisks(health, names, kept);
	if (count >= 0)
		ptSysFreeNames(names, (size_t)count);
}

/* ---- The rest ---------------------------------------------------------- */

static void healthScanFiles(struct nodeHealth *health)
{
	struct nodeHealthNumbers numbers = { NAN, NAN, NAN, NAN };
	json_t *heat = nodeTemperatures(health->root, &numbers.hottestCelsius);
	json_t *memory = nodeMemoryErrors(health->root, &numbers);
	json_t *links = nodeLinks(health->root);
	json_t *copy;

	pthread_mutex_lock(&health->mutex);
	copy = json_copy(health->json);
	json_object_set_new(copy, "stamp_s",
			    json_real((double)hdWallNow() / 1e9));
	json_object_set_new(copy, "temperatures", heat);
	json_object_set_new(copy, "memory_errors", memory);
	json_object_set_new(copy, "links", links);
	json_decref(health->json);
	health->json = copy;
	health->lookedNs = hdMonotonicNow();
	numbers.failingDisks = health->numbers.failingDisks;
	health->numbers = numbers;
	pthread_mutex_unlock(&health->mutex);
}

/* ---- The thread -------------------------------------------------------- */

static int64_t healthIntervalOf(struct nodeHealth *health)
{
	int64_t interval;

	pthread_mutex_lock(&health->mutex);
	interval = health->intervalNs;
	pthread_mutex_unlock(&health->mutex);
	return interval;
}

static void *healthThreadRun(void *context)
{
	struct nodeHealth *health = context;
	struct pollfd fds[2] = { { .fd = health->wakeFd, .events = POLLIN },
				 { .fd = health->turnFd, .events = POLLIN } };
	int64_t next = hdMonotonicNow();

	while (!isEnding(health)) {
		int64_t now = hdMonotonicNow();
		uint64_t turns;

		if (now < next) {
			poll(fds, 2, (int)((next - now) / 1000000) + 1);
			if (read(health->turnFd, &turns, sizeof(turns)) > 0)
				next = hdMonotonicNow();
			continue;
		}
		next = now + healthIntervalOf(health);
		healthScanFiles(health);
		lookAtDisks(health);
	}
	return NULL;
}

static void healthFreeAll(struct nodeHealth *health)
{
	if (health->wakeFd >= 0)
		close(health->wakeFd);
	if (health->turnFd >= 0)
		close(health->turnFd);
	pthread_mutex_destroy(&health->mutex);
	g_hash_table_unref(health->failing);
	g_hash_table_unref(health->stuck);
	json_decref(health->json);
	g_free(health->root);
	g_free(health->smartctl);
	g_free(health);
}

int nodeHealthStart(const char *root, const char *smartctl, int64_t intervalNs,
		    int64_t limitNs, struct nodeHealth **result)
{
	struct nodeHealth *health = g_new0(struct nodeHealth, 1);
	int ret;

	health->root = g_strdup(root);
	health->smartctl = !smartctl   ? nodeChildFind("smartctl")
			   : *smartctl ? g_strdup(smartctl)
				       : NULL;
	health->intervalNs = intervalNs;
	health->lookedNs = hdMonotonicNow();
	health->limitNs = limitNs;
	health->failing =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	health->stuck =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	health->numbers = (struct nodeHealthNumbers){ NAN, NAN, NAN, NAN };
	health->json = json_pack("{sn s[] s[] sn s[]}", "stamp_s", "disks",
				 "temperatures", "memory_errors", "links");
	pthread_mutex_init(&health->mutex, NULL);
	health->wakeFd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	health->turnFd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ret = health->wakeFd < 0 || health->turnFd < 0
		      ? -EMFILE
		      : hdThreadStart(&health->thread, healthThreadRun, health);
	if (ret < 0) {
		healthFreeAll(health);
		return ret;
	}
	*result = health;
	return 0;
}

static void poke(int fd)
{
	const uint64_t one = 1;
	ssize_t ret = write(fd, &one, sizeof(one));

	(void)ret;
}

void nodeHealthSetInterval(struct nodeHealth *health, int64_t intervalNs)
{
	pthread_mutex_lock(&health->mutex);
	health->intervalNs = intervalNs;
	pthread_mutex_unlock(&health->mutex);
	poke(health->turnFd);
}

void nodeHealthStop(struct nodeHealth *health)
{
	if (!health)
		return;
	poke(health->wakeFd);
	pthread_join(health->thread, NULL);
	healthFreeAll(health);
}

/* With the mutex. */
static double healthAge(const struct nodeHealth *health, bool *isStale)
{
	double age = (double)(hdMonotonicNow() - health->lookedNs) / 1e9;

	*isStale = nodeIsStale(age, (double)health->intervalNs / 1e9);
	return age;
}

json_t *nodeHealthJson(struct nodeHealth *health)
{
	json_t *copy;
	double age;
	bool isStale;

	pthread_mutex_lock(&health->mutex);
	copy = json_deep_copy(health->json);
	age = healthAge(health, &isStale);
	pthread_mutex_unlock(&health->mutex);
	json_object_set_new(copy, "age_s", nodeJsonReal(age));
	json_object_set_new(copy, "stale", json_boolean(isStale));
	return copy;
}

double nodeHealthAge(struct nodeHealth *health, bool *isStale)
{
	double age;

	pthread_mutex_lock(&health->mutex);
	age = healthAge(health, isStale);
	pthread_mutex_unlock(&health->mutex);
	return age;
}

void nodeHealthGet(struct nodeHealth *health, struct nodeHealthNumbers *numbers)
{
	pthread_mutex_lock(&health->mutex);
	*numbers = health->numbers;
	pthread_mutex_unlock(&health->mutex);
}
