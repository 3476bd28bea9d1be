/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes that the program starts by MPI; see spawn.h. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "MPITracingLibrary/src/host/losses.h"
#include "MPITracingLibrary/src/host/spawn.h"
#include "common/environment.h"

/* HOST:PID of a process whose environment has the settings. */
#define SPAWNER "HDTRACE_MPI_SPAWNER"
/* Processes that were started by processes that were started ... */
#define GENERATIONS_MAX 16
/* Bytes of an environment that is looked at. */
#define ENVIRONMENT_MAX (1 << 20)

/* ---- In those that are started ------------------------------------------- */

/* Whether a variable, NAME=VALUE, is a setting that holds here, too. */
static bool spawnIsSetting(const char *variable)
{
	static const char *const prefixes[] = { "HDTRACE_", "RUT_", "PT_" };
	static const char launched[] = "HDTRACE_MPI_LAUNCHED=";

	if (strncmp(variable, launched, sizeof(launched) - 1) == 0 ||
	    strncmp(variable, SPAWNER, sizeof(SPAWNER) - 1) == 0)
		return false;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* Take the settings of an environment that this one has not; where its process
 * has its settings from, or NULL. */
static const char *spawnTake(char *text, size_t length)
{
	const char *spawner = NULL;

	for (char *at = text; at < text + length; at += strlen(at) + 1) {
		char *equals = strchr(at, '=');
		bool isSetting = spawnIsSetting(at);

		if (strncmp(at, SPAWNER "=", sizeof(SPAWNER)) == 0)
			spawner = at + sizeof(SPAWNER);
		if (!equals || !isSetting)
			continue;
		*equals = '\0';
		setenv(at, equals + 1, 0);
		*equals = '=';
	}
	return spawner;
}

/* The process number of a spawner that is on this host; 0: it is not. */
static long spawnProcess(const char *spawner)
{
	char host[256] = "";
	const char *colon = strrchr(spawner, ':');
	long pid = colon ? strtol(colon + 1, NULL, 10) : 0;
	size_t length = colon ? (size_t)(colon - spawner) : 0;

	gethostname(host, sizeof(host) - 1);
	return length == strlen(host) && strncmp(host, spawner, length) == 0
		       ? pid
		       : 0;
}

/* The environment with which a process began, with a NUL behind it; its length,
 * 0: it cannot be read. */
static size_t spawnRead(long pid, char *text)
{
	char path[64];
	size_t length = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/environ", pid);
	file = pid > 0 ? fopen(path, "re") : NULL;
	if (file) {
		length = fread(text, 1, ENVIRONMENT_MAX - 1, file);
		fclose(file);
	}
	text[length] = '\0';
	return length;
}

/* Before anything else reads settings. */
static void __attribute__((__constructor__)) spawnBegin(void)
{
	const char *spawner = hdEnvironmentText(SPAWNER);
	char *text = spawner ? malloc(2 * (size_t)ENVIRONMENT_MAX) : NULL;

	for (int i = 0; text && spawner && i < GENERATIONS_MAX; i++) {
		/* The last one stays where the next one points into it. */
		char *own = text + (size_t)(i % 2) * ENVIRONMENT_MAX;

		spawner = spawnTake(own, spawnRead(spawnProcess(spawner), own));
	}
	free(text);
}

/* ---- In those that start --------------------------------------------------
 */

static void spawnSay(const char *why)
{
	hdmpiLossSay("processes of MPI_Comm_spawn are not recorded: %s", why);
}

#ifdef OPEN_MPI
/* What Open MPI calls variables for them, one a line. */
#define SPAWN_KEY "env"

/* The variables that they need behind those that the program gives them, if it
 * does; false if there is no room. */
static bool spawnVariables(const char *given, char *text, size_t size)
{
	const char *preload = hdEnvironmentText("LD_PRELOAD");
	bool isPreloaded = preload && strstr(preload, "libhdMPI-");
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	return snprintf(text, size, "%s%s%s%s%s" SPAWNER "=%s:%ld", given,
			*given ? "\n" : "", isPreloaded ? "LD_PRELOAD=" : "",
			isPreloaded ? preload : "", isPreloaded ? "\n" : "",
			host, (long)getpid()) < (int)size;
}

/* A copy of hints with these variables; the hints themselves if there is none.
 */
static MPI_Info spawnHints(MPI_Info hints)
{
	char given[MPI_MAX_INFO_VAL + 1] = "", text[MPI_MAX_INFO_VAL];
	MPI_Info own;
	int has = 0, ret;

	if (hints != MPI_INFO_NULL)
		PMPI_Info_get(hints, SPAWN_KEY, MPI_MAX_INFO_VAL - 1, given,
			      &has);
	if (strstr(given, "LD_PRELOAD=")) {
		spawnSay("the program sets LD_PRELOAD for them");
		return hints;
	}
	if (!spawnVariables(given, text, sizeof(text))) {
		spawnSay("Open MPI has no room for LD_PRELOAD; shorten it, or "
			 "link the program by hdmpicc");
		return hints;
	}
	ret = hints == MPI_INFO_NULL ? PMPI_Info_create(&own)
				     : PMPI_Info_dup(hints, &own);
	if (ret != MPI_SUCCESS)
		return hints;
	PMPI_Info_set(own, SPAWN_KEY, text);
	return own;
}

static bool spawnIsRoot(int root, MPI_Comm comm)
{
	int rank = -1;

	PMPI_Comm_rank(comm, &rank);
	return rank == root;
}

/* Copies of hints live as long as the process: they are few and small. */
void hdmpiNoteSpawn(struct hdmpiCall *call, int root, MPI_Comm comm,
		    MPI_Info *hints)
{
	(void)call;
	if (spawnIsRoot(root, comm))
		*hints = spawnHints(*hints);
}

void hdmpiNoteSpawnMultiple(struct hdmpiCall *call, int root, MPI_Comm comm,
			    int count, const MPI_Info **hints)
{
	MPI_Info *own;

	(void)call;
	own = spawnIsRoot(root, comm) && count > 0
		      ? calloc((size_t)count, sizeof(*own))
		      : NULL;
	for (int i = 0; own && i < count; i++)
		own[i] = spawnHints((*hints)[i]);
	if (own)
		*hints = own;
}

void hdmpiNoteSpawnUnknown(struct hdmpiCall *call, int root, MPI_Comm comm)
{
	(void)call;
	if (spawnIsRoot(root, comm))
		spawnSay("MPI_Comm_spawn_multiple of Fortran is not supported");
}
#else
/* MPICH's processes get the environment of mpiexec; so they are recorded if
 * that has it. */
void hdmpiNoteSpawn(struct hdmpiCall *call, int root, MPI_Comm comm,
		    MPI_Info *hints)
{
	(void)call;
	(void)root;
	(void)comm;
	(void)hints;
}

void hdmpiNoteSpawnMultiple(struct hdmpiCall *call, int root, MPI_Comm comm,
			    int count, const MPI_Info **hints)
{
	(void)call;
	(void)root;
	(void)comm;
	(void)count;
	(void)hints;
}

void hdmpiNoteSpawnUnknown(struct hdmpiCall *call, int root, MPI_Comm comm)
{
	(void)call;
	(void)root;
	(void)comm;
	(void)spawnSay;
}
#endif
