/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is not recorded; see losses.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "MPITracingLibrary/src/core/hdmpi.h"
#include "MPITracingLibrary/src/host/losses.h"
#include "MPITracingLibrary/src/core/mpilog.h"
#include "MPITracingLibrary/src/core/options.h"
#include "common/environment.h"

#define TEXT_MAX 1024

/* It says what must be said, whatever the level of the others is. */
static struct hdLogger lossLogger = { .prefix = "libhdMPI",
				      .level = HD_LOG_ERROR };

static struct {
	pthread_mutex_t lock;
	bool isTaken;
	bool isTold; /* Of a host, by all of its processes or none. */
	char text[TEXT_MAX];
} loss = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- Of a process, and of a host --------------------------------------- */

/* Keep the first; the libraries say it themselves where errors are asked for.
 */
static bool lossTake(const char *text)
{
	if (hdmpiLogger.level >= HD_LOG_ERROR)
		return false;
	pthread_mutex_lock(&loss.lock);
	if (!loss.isTaken)
		snprintf(loss.text, sizeof(loss.text), "%s",
			 hdmpiOptionsShown(text));
	loss.isTaken = true;
	pthread_mutex_unlock(&loss.lock);
	return true;
}

void hdmpiLossInit(void)
{
	hdLogLossTaker = lossTake;
}

void hdmpiLossSay(const char *format, ...)
{
	char text[TEXT_MAX];
	va_list arguments;

	if (hdmpiLogger.isSilent)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	hdLog(&lossLogger, HD_LOG_ERROR, "%s", text);
}

static void lossPrint(const struct hdmpiProcess *process, const int *counts,
		      int size, const char *text)
{
	const char *hint = strstr(text, "HDTRACE_OVERWRITE")
				   ? "; use --force or --number of hdmpirun"
				   : "";

	if (counts[1] == size)
		hdmpiLossSay("%s: nothing is recorded: %s%s", process->host,
			     text, hint);
	else if (counts[1] > 0)
		hdmpiLossSay("%s: %d of %d ranks are not recorded: %s%s",
			     process->host, counts[1], size, text, hint);
	else
		hdmpiLossSay("%s: not everything is recorded: %s%s",
			     process->host, text, hint);
}

/* Among the processes of a host, of which the lowest one prints. */
static void lossTellHost(MPI_Comm host, const struct hdmpiProcess *process,
			 bool isOut)
{
	int rank, size, first = INT_MAX, counts[2] = { 0, 0 };
	int own, ownCounts[2] = { loss.isTaken, isOut };
	char *text = loss.text;

	/* What is said at the end would be the same, in other words. */
	if (loss.isTold)
		return;
	PMPI_Comm_rank(host, &rank);
	PMPI_Comm_size(host, &size);
	own = loss.isTaken ? rank : INT_MAX;
	if (PMPI_Allreduce(ownCounts, counts, 2, MPI_INT, MPI_SUM, host) !=
		    MPI_SUCCESS ||
	    PMPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, host) !=
		    MPI_SUCCESS)
		return;
	if (first == INT_MAX)
		return;
	loss.isTold = true;
	if (PMPI_Bcast(text, TEXT_MAX, MPI_CHAR, first, host) == MPI_SUCCESS &&
	    rank == 0)
		lossPrint(process, counts, size, text);
}

void hdmpiLossTell(MPI_Comm world, const struct hdmpiProcess *process,
		   bool isOut)
{
	MPI_Comm host;

	if (PMPI_Comm_split(world, process->leader, process->rank, &host) !=
	    MPI_SUCCESS)
		return;
	lossTellHost(host, process, isOut);
	PMPI_Comm_free(&host);
	pthread_mutex_lock(&loss.lock);
	loss.isTaken = false;
	pthread_mutex_unlock(&loss.lock);
}

/* Whether no other process of this host has something to say at the end: the
 * first one takes a name, which it has as long as it lives. */
static bool lossIsFirst(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), saved = errno;
	bool isTaken;

	if (fd < 0)
		return true;
	/* One that is in no file system. */
	snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "hdtrace-%llx",
		 (unsigned long long)hdmpiOptions.run);
	isTaken = bind(fd, (struct sockaddr *)&name, sizeof(name)) < 0 &&
		  errno == EADDRINUSE;
	if (isTaken)
		close(fd);
	errno = saved;
	return !isTaken;
}

void hdmpiLossTellAlone(const struct hdmpiProcess *process)
{
	const int one[] = { 1, 0 };

	if (!loss.isTaken || loss.isTold)
		return;
	if (process->isAlone ? lossIsFirst() : process->isLeader)
		lossPrint(process, one, 1, loss.text);
}

/* ---- Another MPI library ------------------------------------------------ */

/* As much as any library has to say. */
#define VERSION_MAX (MPI_MAX_LIBRARY_VERSION_STRING + 8192)

bool hdmpiLossIsOther(void)
{
	char version[VERSION_MAX] = "";
	int length;
	bool isOpen;

	PMPI_Get_library_version(version, &length);
	isOpen = strstr(version, "Open MPI") != NULL;
	if (isOpen == HDMPI_IS_OPENMPI)
		return false;
	hdmpiMessageInit();
	if (hdLogIsFirst())
		hdmpiLossSay("nothing is recorded: the program uses another "
			     "MPI library than " HDMPI_LIBRARY
			     "; omit --mpi of hdmpirun, or select the other "
			     "library");
	return true;
}

/* ---- Who never came to MPI_Init ---------------------------------------- */

/* HDTRACE_MPI_LAUNCHED, as hdmpirun sets it: "PID FD DEVICE INODE NAME". The
 * file is where processes that were started by that one note that they came; FD
 * is -1 where it is to come itself. */
struct launched {
	long pid, fd;
	unsigned long long device, inode;
	const char *name;
};

static char *lossVariable(void)
{
	return (char *)(uintptr_t)hdEnvironmentText("HDTRACE_MPI_LAUNCHED");
}

/* The program uses MPI, but in a way that is not recorded. */
static bool lossHasSessions;

void hdmpiLossSession(void)
{
	lossHasSessions = true;
}

static bool lossLaunched(struct launched *launched)
{
	const char *text = lossVariable();
	int used = 0;

	if (!text ||
	    sscanf(text, "%ld %ld %llu %llu %n", &launched->pid, &launched->fd,
		   &launched->device, &launched->inode, &used) < 4)
		return false;
	launched->name = text + used;
	return true;
}

/* Whether the file is still there, and what it is; the program may have closed
 * it, and have another one of that number. */
static bool lossFile(const struct launched *launched, struct stat *file)
{
	return launched->fd >= 0 && fstat((int)launched->fd, file) == 0 &&
	       file->st_dev == launched->device &&
	       file->st_ino == launched->inode;
}

/* Note in the file that a process came. Open MPI closes the files of what it
 * starts: then the process that hdmpirun started has it. */
static void lossNote(const struct launched *launched)
{
	struct launched opened = *launched;
	struct stat file;
	char path[64];

	if (lossFile(launched, &file)) {
		(void)!write((int)launched->fd, "x", 1);
		return;
	}
	if (launched->fd < 0)
		return;
	snprintf(path, sizeof(path), "/proc/%ld/fd/%ld", launched->pid,
		 launched->fd);
	/* Nothing but a file is waited for. */
	opened.fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (opened.fd < 0)
		return;
	if (lossFile(&opened, &file))
		(void)!write((int)opened.fd, "x", 1);
	close((int)opened.fd);
}

void hdmpiLossSeen(void)
{
	struct launched launched;

	if (!lossLaunched(&launched))
		return;
	lossNote(&launched);
	/* For another copy of this library in this process as well. */
	*lossVariable() = '-';
}

/* What the process that hdmpirun started, or this one, did not do. */
static void lossSayUnseen(const struct launched *launched)
{
	if (!hdLogIsFirst() ||
	    hdmpiOptionNumber("HDTRACE_MPI_VERBOSITY", -1, INT_MAX, 0) < 0)
		return;
	if (lossHasSessions)
		hdLog(&lossLogger, HD_LOG_ERROR,
		      "nothing is recorded: %s uses sessions of MPI without a "
		      "communicator of all processes; make one, or call "
		      "MPI_Init",
		      program_invocation_name);
	else
		hdLog(&lossLogger, HD_LOG_ERROR,
		      "nothing is recorded: %s has not called MPI_Init; use "
		      "hdmpirun --mpi if it uses another MPI library "
		      "than " HDMPI_LIBRARY
		      ", and hdmpicc if it is linked statically",
		      launched->name);
}

void hdmpiLossUnseen(void)
{
	struct launched launched;
	struct stat file;
	bool isOurs;

	if (!lossLaunched(&launched))
		return;
	isOurs = launched.pid == (long)getpid();
	/* One that was started by that one says it itself. */
	if (lossHasSessions && !isOurs && launched.fd >= 0)
		lossNote(&launched);
	else if (!isOurs || (launched.fd >= 0 && !lossHasSessions &&
			     (!lossFile(&launched, &file) || file.st_size > 0)))
		return;
	*lossVariable() = '-';
	lossSayUnseen(&launched);
}
