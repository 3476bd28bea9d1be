/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*! \file
 * A disk that a test stops, so that buffers fill: for one source file of a test
 * program that is linked with -Wl,--wrap=write. */
#ifndef HD_TESTS_WRITING_STOPDISK_H
#define HD_TESTS_WRITING_STOPDISK_H

#include <pthread.h>
#include <unistd.h>

/*! Other threads write nothing while a thread holds this; the thread itself may
 * write. */
static pthread_mutex_t disk = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

ssize_t __real_write(int fd, const void *bytes, size_t length);
ssize_t __wrap_write(int fd, const void *bytes, size_t length);

ssize_t __wrap_write(int fd, const void *bytes, size_t length)
{
	pthread_mutex_lock(&disk);
	pthread_mutex_unlock(&disk);
	return __real_write(fd, bytes, length);
}

#endif
