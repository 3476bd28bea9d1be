/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dependences of tasks that have not begun; see depends.h. */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "OpenMPTracingLibrary/src/depends.h"
#include "common/hashmap/hashmap.h"

struct dependence {
	struct dependence *next;
	uint64_t before;
};

static struct {
	pthread_mutex_t lock;
	atomic_size_t count;
	/* The last dependence of each task, which the first one follows. */
	struct hdMap tasks;
} depends = { .lock = PTHREAD_MUTEX_INITIALIZER };

void ompDependsAdd(uint64_t task, uint64_t before)
{
	struct dependence *new = malloc(sizeof(*new)), *last;
	uint64_t *value;
	bool isNew;

	if (!new)
		return;
	pthread_mutex_lock(&depends.lock);
	value = hdMapAdd(&depends.tasks, task, &isNew);
	if (!value) {
		free(new);
	} else {
		last = isNew ? new : (struct dependence *)(uintptr_t)*value;
		new->before = before;
		new->next = isNew ? new : last->next;
		last->next = new;
		*value = (uintptr_t) new;
		atomic_store(&depends.count, depends.tasks.used);
	}
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
	struct dependence *last, *this;
	size_t used = 0;
	uint64_t value;

	if (atomic_load_explicit(&depends.count, memory_order_acquire) == 0)
		return false;
	pthread_mutex_lock(&depends.lock);
	if (hdMapRemove(&depends.tasks, task, &value)) {
		last = (struct dependence *)(uintptr_t)value;
		/* In the order in which they were said. */
		for (struct dependence *next = last->next; next;) {
			this = next;
			next = this == last ? NULL : this->next;
			if (used < size)
				used = dependsAppend(text, used, size,
						     this->before);
			free(this);
		}
		atomic_store(&depends.count, depends.tasks.used);
	}
	pthread_mutex_unlock(&depends.lock);
	return used > 0;
}
