/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What hangs; see stall.h. */
#include "config.h"

#include <pthread.h>

#include "tests/lib/stall.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t over = PTHREAD_COND_INITIALIZER;
static bool isStalled;
static int count;

void testStallSet(bool is)
{
	pthread_mutex_lock(&mutex);
	isStalled = is;
	pthread_cond_broadcast(&over);
	pthread_mutex_unlock(&mutex);
}

void testStall(void)
{
	pthread_mutex_lock(&mutex);
	count++;
	while (isStalled)
		pthread_cond_wait(&over, &mutex);
	pthread_mutex_unlock(&mutex);
}

int testStallCount(void)
{
	int is;

	pthread_mutex_lock(&mutex);
	is = count;
	pthread_mutex_unlock(&mutex);
	return is;
}
