/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Files that are removed by signals. The handler takes no lock: files are in a
 * list that only grows, whose places are used again. It waits for files that
 * are being made, by threads that take no signals meanwhile and wait for
 * nothing but the file system; if that hangs, it waits for some seconds.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <glib.h>

#include "cli/temporary.h"
#include "common/thread.h"

/** A handler looks so often whether a file was made, each time after 1 ms. */
#define LOOKS_MAX 5000
/** A handler empties a directory so often; threads may rename files there. */
#define ROUNDS_MAX 3

enum state {
	STATE_FREE,
	STATE_OURS,   /**< Being filled or emptied. */
	STATE_THERE,  /**< To be removed by a signal. */
	STATE_REMOVED /**< By one, which ends us. */
};

struct temporary {
	struct temporary *next;
	_Atomic(enum state) state;
	char *path;
	bool isDirectory;
};

static _Atomic(struct temporary *) all;
static atomic_int making;    /**< Threads that make a file now. */
static atomic_bool isEnding; /**< From then on nobody makes any. */

static bool temporaryChangeState(struct temporary *self, enum state from,
				 enum state to)
{
	return atomic_compare_exchange_strong(&self->state, &from, to);
}

/** Remove a directory and the files in it. A handler may not use opendir(). */
static void temporaryRemoveDirectory(const char *path)
{
	union {
		struct dirent64 first;
		char bytes[4096];
	} list;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long size;

	for (int i = 0; fd >= 0 && i < ROUNDS_MAX && rmdir(path) < 0; i++) {
		lseek(fd, 0, SEEK_SET);
		while ((size = syscall(SYS_getdents64, fd, &list,
				       sizeof(list))) > 0) {
			const struct dirent64 *one;

			/* "." and ".." stay. */
			for (long at = 0; at < size; at += one->d_reclen) {
				one = (const void *)(list.bytes + at);
				unlinkat(fd, one->d_name, 0);
			}
		}
	}
	if (fd < 0)
		return;
	rmdir(path);
	close(fd);
}

static void temporaryOnSignal(int number)
{
	const struct timespec pauseTime = { .tv_nsec = 1000000 };
	sigset_t none;

	atomic_store(&isEnding, true);
	for (int i = 0; i < LOOKS_MAX && atomic_load(&making) > 0; i++)
		nanosleep(&pauseTime, NULL);
	for (struct temporary *one = atomic_load(&all); one; one = one->next) {
		if (!temporaryChangeState(one, STATE_THERE, STATE_REMOVED))
			continue;
		if (one->isDirectory)
			temporaryRemoveDirectory(one->path);
		else
			unlink(one->path);
	}
	signal(number, SIG_DFL);
	/* Else it would come when this has returned. */
	sigemptyset(&none);
	hdSignalsRestore(&none);
	raise(number);
	/* The first process of a PID namespace is not ended by that. */
	_exit(128 + number);
}

static void catch (void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = temporaryOnSignal }, was;

	for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
		if (sigaction(numbers[i], NULL, &was) == 0 &&
		    was.sa_handler == SIG_DFL)
			sigaction(numbers[i], &action, NULL);
	}
}

static struct temporary *temporaryFindSlot(void)
{
	struct temporary *one = atomic_load(&all);

	for (; one; one = one->next) {
		if (temporaryChangeState(one, STATE_FREE, STATE_OURS))
			return one;
	}
	one = g_new0(struct temporary, 1);
	atomic_init(&one->state, STATE_OURS);
	one->next = atomic_load(&all);
	while (!atomic_compare_exchange_weak(&all, &one->next, one)) {
	}
	return one;
}

/** Make a file or a directory that a handler knows as soon as it is there. */
static int temporaryMakeKnown(char *path, bool isDirectory,
			      struct temporary *self)
{
	/* Whom a handler waits for allocates nothing: another thread may have
	 * been in the midst of that when the handler came. */
	char *copy = g_strdup(path);
	sigset_t before;
	int ret;

	/* A handler that waits for this must not be in the way of it. */
	hdSignalsBlock(&before);
	atomic_fetch_add(&making, 1);
	while (atomic_load(&isEnding)) {
		atomic_fetch_sub(&making, 1);
		pause();
		atomic_fetch_add(&making, 1);
	}
	if (isDirectory)
		ret = mkdtemp(path) ? 0 : -1;
	else
		ret = mkostemp(path, O_CLOEXEC);
	if (ret < 0)
		ret = -errno;
	else
		self->path = strcpy(copy, path);
	self->isDirectory = isDirectory;
	atomic_store(&self->state, ret < 0 ? STATE_FREE : STATE_THERE);
	atomic_fetch_sub(&making, 1);
	hdSignalsRestore(&before);
	if (ret < 0)
		g_free(copy);
	return ret;
}

static int temporaryMakeAny(char *path, bool isDirectory,
			    struct temporary **self)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct temporary *one = temporaryFindSlot();
	int ret;

	pthread_once(&once, catch);
	ret = temporaryMakeKnown(path, isDirectory, one);
	*self = ret < 0 ? NULL : one;
	return ret;
}

int temporaryMake(char *path, struct temporary **self)
{
	return temporaryMakeAny(path, false, self);
}

int temporaryMakeDirectory(char *path, struct temporary **self)
{
	return temporaryMakeAny(path, true, self);
}

void temporaryDone(struct temporary *self)
{
	/* Else a handler has it, and what is to be freed does not matter. */
	if (!self || !temporaryChangeState(self, STATE_THERE, STATE_OURS))
		return;
	g_free(self->path);
	self->path = NULL;
	atomic_store(&self->state, STATE_FREE);
}
