/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program with a layer below MPI-IO: its functions that write to files are
 * called by MPI, and relate what they do to the MPI call that they were called
 * for.
 *
 *     below PROJECT FILE ask|silent
 */
#include "config.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <hdMPI.h>
#include <hdRelation.h>

#define SIZE 100000

static struct {
	hdR_topoToken node;
	struct stat file; /* The one that is looked at. */
	int isOn;
} below;

/* Whether this thread is in the layer already: the library writes, too. */
static __thread int isInside;

/* Begin to write to a file; NULL: that is not looked at. */
static hdR_token begin(int fd)
{
	char token[HDR_TOKEN_SIZE];
	hdR_token relation = NULL;
	struct stat info;

	if (!below.isOn || isInside)
		return NULL;
	isInside = 1;
	if (fstat(fd, &info) == 0 && info.st_ino == below.file.st_ino &&
	    info.st_dev == below.file.st_dev &&
	    hdMPI_currentRelation(token, sizeof(token)) > 0)
		relation = hdR_relateRemoteToken(below.node, token);
	hdR_startS(relation, "write");
	isInside = 0;
	return relation;
}

static void end(hdR_token relation, ssize_t size)
{
	if (!relation)
		return;
	isInside = 1;
	hdR_logAttributeInt64(relation, "size", size);
	hdR_endS(relation);
	hdR_destroyRelation(&relation);
	isInside = 0;
}

/* Define a function that writes: NAME, its parameters, their names. */
#define LAYER(name, parameters, ...)                                    \
	ssize_t name parameters;                                        \
	ssize_t name parameters                                         \
	{                                                               \
		ssize_t(*real) parameters =                             \
			(ssize_t(*) parameters)dlsym(RTLD_NEXT, #name); \
		hdR_token relation = begin(fd);                         \
		ssize_t done = real(__VA_ARGS__);                       \
                                                                        \
		end(relation, done);                                    \
		return done;                                            \
	}

LAYER(write, (int fd, const void *buffer, size_t size), fd, buffer, size)
LAYER(pwrite, (int fd, const void *buffer, size_t size, off_t at), fd, buffer,
      size, at)
LAYER(pwrite64, (int fd, const void *buffer, size_t size, off64_t at), fd,
      buffer, size, at)
LAYER(writev, (int fd, const struct iovec *parts, int count), fd, parts, count)
LAYER(pwritev, (int fd, const struct iovec *parts, int count, off_t at), fd,
      parts, count, at)
LAYER(pwritev64, (int fd, const struct iovec *parts, int count, off64_t at), fd,
      parts, count, at)

/* Say what went wrong; the others do not wait. */
static void need(int isSo, const char *what)
{
	if (isSo)
		return;
	fprintf(stderr, "below: %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void openNode(const char *project, int rank)
{
	const char *levels[] = { "Host", "Process", "Part" };
	char host[256], process[16];
	const char *path[] = { host, process, "DISK" };
	hdTopology *topology = hdT_createTopology(project, levels, 3);
	hdTopoNode *node;

	gethostname(host, sizeof(host));
	for (char *at = host; (at = strchr(at, '_')) != NULL;)
		*at = '-';
	snprintf(process, sizeof(process), "disk%d", rank);
	node = hdT_createTopoNode(topology, path, 3);
	need(hdR_initTopology(node, &below.node) == 0, "relations");
	hdT_destroyTopoNode(node);
	hdT_destroyTopology(topology);
}

/* Called by MPI_Comm_dup(): what asks inside of it is a call of its own, which
 * ends; then it is MPI_Comm_dup() that runs. */
static int copyAttribute(MPI_Comm comm, int key, void *extra, void *value,
			 void *copy, int *isCopied)
{
	char token[HDR_TOKEN_SIZE];
	MPI_Request none = MPI_REQUEST_NULL;
	int isDone;

	(void)comm;
	(void)key;
	(void)extra;
	(void)value;
	(void)copy;
	MPI_Test(&none, &isDone, MPI_STATUS_IGNORE);
	need(hdMPI_currentRelation(token, sizeof(token)) > 0, "in a call");
	*isCopied = 0;
	return MPI_SUCCESS;
}

static void duplicate(void)
{
	MPI_Comm copy;
	int key;

	MPI_Comm_create_keyval(copyAttribute, MPI_COMM_NULL_DELETE_FN, &key,
			       NULL);
	MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	MPI_Comm_free(&copy);
	MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
	MPI_Comm_free_keyval(&key);
}

int main(int argc, char **argv)
{
	static char data[SIZE];
	char token[HDR_TOKEN_SIZE], small[2];
	MPI_Request request;
	MPI_File file;
	int rank;

	MPI_Init(&argc, &argv);
	need(argc == 4, "usage: PROJECT FILE ask|silent");
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	need(MPI_File_open(MPI_COMM_WORLD, argv[2],
			   MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
			   &file) == MPI_SUCCESS,
	     "open");
	if (strcmp(argv[3], "ask") == 0) {
		openNode(argv[1], rank);
		need(stat(argv[2], &below.file) == 0, "stat");
		below.isOn = 1;
		need(hdMPI_currentRelation(token, sizeof(token)) == -1,
		     "in no call");
		need(hdMPI_currentRelation(small, sizeof(small)) == -1,
		     "in no call, no room");
		if (below.node)
			duplicate();
	}
	for (int i = 0; i < 3; i++)
		MPI_File_write_at(file, (MPI_Offset)(2 * i + rank) * SIZE, data,
				  SIZE, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_write_at_all(file, (MPI_Offset)(6 + rank) * SIZE, data, SIZE,
			      MPI_BYTE, MPI_STATUS_IGNORE);
	/* In no call of MPI. */
	need(write(STDERR_FILENO, "", 0) == 0, "write");
	below.isOn = 0;
	MPI_File_close(&file);
	MPI_Irecv(data, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
		  &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	hdR_finalize(&below.node);
	MPI_Finalize();
	return 0;
}
