/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mpiio FILE [VOLFILE]: each rank writes a block of 64 KiB to a file by MPI-IO.
 * With a volume file what MPI writes to that file goes by libgfapi, from within
 * the call of MPI, as a driver of MPI-IO would do it; else the file is in a
 * mount.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <glusterfs/api/glfs.h>
#include <mpi.h>

#define SIZE 65536

static glfs_fd_t *remote;
static struct stat file; /* That stands for it. */
/* Libraries below write, too. */
static __thread int isInside;

static int isRemote(int fd)
{
	struct stat info;

	return remote && !isInside && fstat(fd, &info) == 0 &&
	       info.st_ino == file.st_ino && info.st_dev == file.st_dev;
}

static ssize_t put(const struct iovec *parts, int count, off_t at)
{
	ssize_t done;

	isInside = 1;
	done = glfs_pwritev(remote, parts, count, at, 0);
	isInside = 0;
	return done;
}

/* Define a function that writes: NAME, its parameters, their names, what is
 * written from where on. */
#define WRITES(name, parameters, arguments, parts, count, at)                 \
	ssize_t name parameters;                                              \
	ssize_t name parameters                                               \
	{                                                                     \
		ssize_t(*real) parameters =                                   \
			(ssize_t(*) parameters)dlsym(RTLD_NEXT, #name);       \
                                                                              \
		return isRemote(fd) ? put(parts, count, at) : real arguments; \
	}

WRITES(pwrite, (int fd, const void *buffer, size_t size, off_t at),
       (fd, buffer, size, at), &((struct iovec){ (void *)buffer, size }), 1, at)
WRITES(pwrite64, (int fd, const void *buffer, size_t size, off64_t at),
       (fd, buffer, size, at), &((struct iovec){ (void *)buffer, size }), 1, at)
WRITES(pwritev, (int fd, const struct iovec *parts, int count, off_t at),
       (fd, parts, count, at), parts, count, at)
WRITES(pwritev64, (int fd, const struct iovec *parts, int count, off64_t at),
       (fd, parts, count, at), parts, count, at)

/* These write where lseek() has gone. */
WRITES(write, (int fd, const void *buffer, size_t size), (fd, buffer, size),
       &((struct iovec){ (void *)buffer, size }), 1, lseek(fd, 0, SEEK_CUR))
WRITES(writev, (int fd, const struct iovec *parts, int count),
       (fd, parts, count), parts, count, lseek(fd, 0, SEEK_CUR))

static void need(int isSo, const char *what)
{
	if (isSo)
		return;
	fprintf(stderr, "mpiio: %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static glfs_t *openRemote(const char *volfile, int rank)
{
	glfs_t *volume = glfs_new("v");

	need(volume && glfs_set_volfile(volume, volfile) == 0 &&
		     glfs_set_logging(volume, "/dev/null", 1) == 0 &&
		     glfs_init(volume) == 0,
	     "the volume");
	/* One makes it, the others find it. */
	for (int i = 0; i < 2; i++) {
		if ((rank == 0) == (i == 0))
			remote = glfs_creat(volume, "shared", O_RDWR, 0644);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	need(remote != NULL, "the file in the volume");
	return volume;
}

int main(int argc, char **argv)
{
	static char block[SIZE];
	glfs_t *volume = NULL;
	MPI_File shared;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	memset(block, 'a' + rank, sizeof(block));
	need(MPI_File_open(MPI_COMM_WORLD, argv[1],
			   MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
			   &shared) == MPI_SUCCESS,
	     "MPI_File_open");
	if (argc > 2) {
		need(stat(argv[1], &file) == 0, "the file");
		volume = openRemote(argv[2], rank);
	}
	need(MPI_File_write_at(shared, (MPI_Offset)rank * SIZE, block, SIZE,
			       MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS,
	     "MPI_File_write_at");
	MPI_File_close(&shared);
	if (volume) {
		glfs_close(remote);
		remote = NULL;
		glfs_fini(volume);
	}
	MPI_Finalize();
	return 0;
}
