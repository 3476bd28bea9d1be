/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting for files of other ranks; see await.h. */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "MPITracingLibrary/src/core/hdmpi.h"
#include "MPITracingLibrary/src/host/await.h"
#include "MPITracingLibrary/src/host/ranks.h"
#include "common/clock.h"
#include "common/format/frame.h"

static struct {
	bool isShared; /* Rank 0 sees the files of all. */
	/* Of rank 0: the label of each rank's host; "": it has no trace. */
	char (*hosts)[HDMPI_HOST_MAX + 12];
} awaited;

/* ---- As long as there is MPI -------------------------------------------- */

/* Whether rank 0 sees the files of all processes: every one sees a file of
 * rank 0 beside its own, and says so. */
static bool awaitIsShared(MPI_Comm world, const struct hdmpiProcess *process)
{
	char file[2 * NAME_MAX] = "", path[2 * HDMPI_PATH_MAX];
	char project[HDMPI_PATH_MAX];
	int sees = 0, allSee = 0;

	snprintf(file, sizeof(file), "_%s_%d_0.trc", process->host,
		 process->number);
	if (PMPI_Bcast(file, (int)sizeof(file), MPI_CHAR, 0, world) ==
	    MPI_SUCCESS) {
		hdmpiOptionsPath(hdmpiOptions.project, project,
				 sizeof(project));
		snprintf(path, sizeof(path) - sizeof(HD_FRAME_SUFFIX), "%s%s",
			 project, file);
		sees = access(path, R_OK) == 0;
		strcat(path, HD_FRAME_SUFFIX);
		sees |= access(path, R_OK) == 0;
	}
	if (PMPI_Allreduce(&sees, &allSee, 1, MPI_INT, MPI_MIN, world) !=
	    MPI_SUCCESS)
		return false;
	return allSee;
}

void hdmpiAwaitBegin(MPI_Comm world, const struct hdmpiProcess *process,
		     bool hasTrace)
{
	char own[sizeof(*awaited.hosts)] = "";

	if (hasTrace)
		strcpy(own, process->host);
	if (process->rank == 0)
		awaited.hosts =
			calloc((size_t)process->size, sizeof(*awaited.hosts));
	/* Without memory that fails, and nobody is waited for. */
	PMPI_Gather(own, (int)sizeof(own), MPI_CHAR, awaited.hosts,
		    awaited.hosts ? (int)sizeof(own) : 0, MPI_CHAR, 0, world);
	awaited.isShared = awaitIsShared(world, process);
}

void hdmpiAwaitEnd(void)
{
	free(awaited.hosts);
	awaited.hosts = NULL;
}

/* ---- When it has ended -------------------------------------------------- */

/* So long rank 0 waits for the others to close their files, and they for it to
 * write the project file. */
#define CLOSE_NS (2 * HD_NS_PER_S)
/* Between looking for that they sleep so long, and then longer. */
#define SLEEP_NS 1000000
#define SLEEP_MAX_NS 32000000

/* Read the end of a file: whether there is so much. */
static bool awaitReadEnd(const char *path, void *end, size_t size)
{
	FILE *file = fopen(path, "re");
	bool isRead;

	if (!file)
		return false;
	isRead = fseek(file, -(long)size, SEEK_END) == 0 &&
		 fread(end, 1, size, file) == size;
	fclose(file);
	return isRead;
}

/* Whether a trace has its last line, or a compressed one its seek table. */
static bool awaitIsClosed(char *path)
{
	static const char last[] = "</Program>\n";
	unsigned char foot[HD_FRAME_TABLE_FOOT];
	char text[sizeof(last)] = "";
	size_t length = strlen(path), count, entrySize;
	bool isClosed = awaitReadEnd(path, text, sizeof(text) - 1) &&
			strcmp(text, last) == 0;

	if (isClosed)
		return true;
	strcat(path, HD_FRAME_SUFFIX);
	isClosed = awaitReadEnd(path, foot, sizeof(foot)) &&
		   hdFrameReadFoot(foot, &count, &entrySize) > 0;
	path[length] = '\0';
	return isClosed;
}

/* Sleep a little, unless that was long enough; longer the next time. */
static bool awaitSleep(int64_t end, long *ns)
{
	const struct timespec time = { .tv_nsec = *ns };

	if (hdMonotonicNow() >= end)
		return false;
	nanosleep(&time, NULL);
	*ns = *ns < SLEEP_MAX_NS ? 2 * *ns : *ns;
	return true;
}

void hdmpiAwaitProject(void)
{
	int64_t end = hdMonotonicNow() + CLOSE_NS;
	char path[HDMPI_PATH_MAX + 8], project[HDMPI_PATH_MAX];
	long ns = SLEEP_NS;

	hdmpiOptionsPath(hdmpiOptions.project, project, sizeof(project));
	snprintf(path, sizeof(path), "%s.proj", project);
	while (awaited.isShared && access(path, F_OK) < 0 &&
	       awaitSleep(end, &ns))
		;
}

bool hdmpiAwaitTraces(int count)
{
	int64_t end = hdMonotonicNow() + CLOSE_NS;
	char path[2 * HDMPI_PATH_MAX], project[HDMPI_PATH_MAX];
	long ns = SLEEP_NS;

	hdmpiOptionsPath(hdmpiOptions.project, project, sizeof(project));
	for (int i = 0; awaited.isShared && awaited.hosts && i < count; i++) {
		snprintf(path, sizeof(path) - sizeof(HD_FRAME_SUFFIX),
			 "%s_%s_%d_0.trc", project, awaited.hosts[i],
			 hdmpiRanksNumber(i));
		while (*awaited.hosts[i] && !awaitIsClosed(path) &&
		       awaitSleep(end, &ns))
			;
	}
	return awaited.isShared;
}
