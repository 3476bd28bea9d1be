/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * writer VOLFILE COUNT SIZE GO: by libgfapi, write COUNT files, one after the
 * other; when there is a file GO write them again, all at the same time, each
 * in one call of SIZE bytes.
 *
 * It is linked with gfapi.c, so that its end does not take 10 s.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glusterfs/api/glfs.h>

#define MOST 64

static char *bytes;
static size_t size;
static pthread_barrier_t begin;

static int put(glfs_fd_t *file)
{
	return glfs_pwrite(file, bytes, size, 0, 0, NULL, NULL) == (ssize_t)size
		       ? 0
		       : -1;
}

static void *again(void *file)
{
	pthread_barrier_wait(&begin);
	return put(file) == 0 ? NULL : file;
}

int main(int argc, char **argv)
{
	int count = argc == 5 ? atoi(argv[2]) : 0, status = 0;
	glfs_fd_t *files[MOST];
	pthread_t threads[MOST];
	glfs_t *volume = glfs_new("v");

	if (count < 1 || count > MOST || !volume ||
	    glfs_set_volfile(volume, argv[1]) != 0 ||
	    glfs_set_logging(volume, "/dev/null", 1) != 0 ||
	    glfs_init(volume) != 0)
		return 2;
	size = (size_t)atol(argv[3]);
	bytes = malloc(size);
	memset(bytes, 'x', size);
	for (int i = 0; i < count; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%d", i);
		files[i] = glfs_creat(volume, name, O_RDWR, 0644);
		if (!files[i] || put(files[i]) != 0)
			return 3;
	}
	puts("ready");
	fflush(stdout);
	while (access(argv[4], F_OK) != 0)
		usleep(10000);
	pthread_barrier_init(&begin, NULL, (unsigned int)count);
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, again, files[i]);
	for (int i = 0; i < count; i++) {
		void *failed;

		pthread_join(threads[i], &failed);
		status |= failed ? 1 : 0;
		glfs_close(files[i]);
	}
	glfs_fini(volume);
	return status;
}
