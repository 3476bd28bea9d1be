/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The request scheduler. */
#include <pthread.h>
#include <string.h>

#include "layers.h"
#include "scheduler.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* In the order they came; the first one with a key has it. */
static struct schedulerEntry *entries;

/* The first entry with a key, from one on. */
static struct schedulerEntry **find(struct schedulerEntry **from,
				    const char *key)
{
	while (*from && strcmp((*from)->key, key) != 0)
		from = &(*from)->next;
	return from;
}

enum machineResult schedulerPost(struct schedulerEntry *entry)
{
	struct schedulerEntry **last = &entries;
	int isBlocked;

	if (!*entry->key)
		return MACHINE_COMPLETE;
	pthread_mutex_lock(&lock);
	isBlocked = *find(&entries, entry->key) != NULL;
	while (*last)
		last = &(*last)->next;
	*last = entry;
	entry->next = NULL;
	if (isBlocked) {
		layerLeave(LAYER_REQ, 0);
		layerEnter(LAYER_BREQ);
	}
	pthread_mutex_unlock(&lock);
	return isBlocked ? MACHINE_DEFERRED : MACHINE_COMPLETE;
}

void schedulerRelease(struct schedulerEntry *entry)
{
	struct schedulerEntry **place, *blocked;

	if (!*entry->key)
		return;
	pthread_mutex_lock(&lock);
	place = find(&entries, entry->key);
	*place = entry->next;
	blocked = *find(place, entry->key);
	if (blocked) {
		layerLeave(LAYER_BREQ, 0);
		layerEnter(LAYER_REQ);
		machineGoOn(blocked->machine, 0);
	}
	pthread_mutex_unlock(&lock);
}
