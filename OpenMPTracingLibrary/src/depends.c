/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dependences of tasks that have not begun; see depends.h. */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "OpenMPTracingLibrary/src/depends.h"

#define BUCKETS 4096

struct dependence {
	struct dependence *next;
	uint64_t task;
	uint64_t before;
};

static struct {
	pthread_mutex_t lock;
	atomic_size_t count;
	struct dependence *buckets[BUCKETS];
} depends = { .lock = PTHREAD_MUTEX_INITIALIZER };

void ompDependsAdd(uint64_t task, uint64_t before)
{
	struct dependence *new = malloc(sizeof(*new));
	struct dependence **at = &depends.buckets[task % BUCKETS];

	if (!new)
		return;
	*new = (struct dependence){ .task = task, .before = before };
	pthread_mutex_lock(&depends.lock);
	/* In the order in which they were said. */
	while (*at)
		at = &(*at)->next;
	*at = new;
	atomic_fetch_add(&depends.count, 1);
	pthread_mutex_unlock(&depends.lock);
}

/* Append a number; what has no room is said to be left out. */
static size_t dependsAppend(char *text, size_t used, size_t size,
			    uint64_t number)
{
	int length = snprintf(text + used, size - used, "%s%llu",
			      used ? " " : "", (unsigned long long)number);

	if (length > 0 && (size_t)length + 5 < size - used)
		return used + (size_t)length;
	snprintf(text + used, size - used, " ...");
	return size;
}

bool ompDependsTake(uint64_t task, char *text, size_t size)
{
	struct dependence **at = &depends.buckets[task % BUCKETS];
	size_t used = 0;

	if (atomic_load_explicit(&depends.count, memory_order_acquire) == 0)
		return false;
	pthread_mutex_lock(&depends.lock);
	while (*at) {
		struct dependence *this = *at;

		if (this->task != task) {
			at = &this->next;
			continue;
		}
		if (used < size)
			used = dependsAppend(text, used, size, this->before);
		*at = this->next;
		free(this);
		atomic_fetch_sub(&depends.count, 1);
	}
	pthread_mutex_unlock(&depends.lock);
	return used > 0;
}
