/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What only the form of the library has that hdmpirun preloads: the begin and
 * the end of a process that does not know of it.
 *
 * A program of another MPI library would not survive the wrappers, since
 * handles are something else there. Where only the loader finds out, before
 * main(), it is executed once more, without them.
 */
#include "config.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "MPITracingLibrary/src/host/losses.h"
#include "MPITracingLibrary/src/core/mpilog.h"
#include "MPITracingLibrary/src/wrap/next.h"
#include "MPITracingLibrary/src/wrap/objects.h"

/* ---- Begin --------------------------------------------------------------- */

/* Whether a file is one of another MPI library; what we need ourselves is of
 * ours. */
static int preloadIsOther(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *name = slash ? slash + 1 : info->dlpi_name;
	bool isMpich = strncmp(name, "libmpich.so", 11) == 0 ||
		       strncmp(name, "libmpi.so.12", 12) == 0;
	bool isOpen = !isMpich && strncmp(name, "libmpi.so", 9) == 0;

	(void)size;
	(void)data;
	return HDMPI_IS_OPENMPI ? isMpich : isOpen;
}

/* Leave our library out of LD_PRELOAD. */
static void preloadRemove(char *list)
{
	char *kept = list, *at = list;

	while (*at) {
		size_t length = strcspn(at, ": ");
		size_t whole = length + (at[length] != '\0');
		char name[] = "libhdMPI-" HDMPI_LIBRARY ".so";
		bool isOurs = length >= sizeof(name) - 1 &&
			      memcmp(at + length - (sizeof(name) - 1), name,
				     sizeof(name) - 1) == 0;

		if (!isOurs) {
			memmove(kept, at, whole);
			kept += whole;
		}
		at += whole;
	}
	*kept = '\0';
}

/* ---- Another tool before ours ---------------------------------------------
 *
 * It would call MPI by the names for profiling, which are not ours. If ours is
 * the first, it calls that one, as the next; see wrap/next.h.
 */

static void preloadMarker(void)
{
}

/* Whether a function of MPI is in a tool that is found before this library. */
static bool preloadIsBehind(const char *name)
{
	hdmpiCode *found;

	*(void **)&found = dlsym(RTLD_DEFAULT, name);
	return found && !hdmpiObjectsAreOne(found, preloadMarker) &&
	       !hdmpiObjectDefines(found, "PMPI_Init") &&
	       hdmpiObjectIsTool(found);
}

/* Put our library before others in LD_PRELOAD; false if it is not there, or the
 * first. */
static bool preloadReorder(char *list)
{
	static const char name[] = "libhdMPI-" HDMPI_LIBRARY ".so";
	char *found = strstr(list, name), *start = found, *copy;
	size_t length, before;

	while (start && start > list && !strchr(": ", start[-1]))
		start--;
	if (!start || start == list)
		return false;
	length = (size_t)(found - start) + sizeof(name) - 1;
	before = (size_t)(start - list);
	copy = strndup(start, length);
	if (!copy)
		return false;
	/* "others:ours:rest" becomes "ours:others:rest". */
	memmove(list + length + 1, list, before - 1);
	list[length] = ':';
	memcpy(list, copy, length);
	free(copy);
	return true;
}

static char *preloadList(char **environment)
{
	static const char preload[] = "LD_PRELOAD=";

	for (char **at = environment; *at; at++)
		if (strncmp(*at, preload, sizeof(preload) - 1) == 0)
			return *at + sizeof(preload) - 1;
	return NULL;
}

static void __attribute__((__constructor__))
preloadFirst(int argc, char **argv, char **environment)
{
	char *list = preloadList(environment);
	bool isBehind = false;

	(void)argc;
	for (int i = 0; list && !isBehind && i < HDMPI_FUNCTIONS; i++)
		isBehind =
			hdmpiNext[i].name && preloadIsBehind(hdmpiNext[i].name);
	if (isBehind && preloadReorder(list))
		execve("/proc/self/exe", argv, environment);
}

/* ---- Begin -----------------------------------------------------------------
 */

static void __attribute__((__constructor__))
preloadBegin(int argc, char **argv, char **environment)
{
	char *list = preloadList(environment);

	if (!dl_iterate_phdr(preloadIsOther, NULL))
		return;
	hdmpiMessageInit();
	if (hdLogIsFirst())
		hdmpiLossSay("nothing is recorded: %s uses another MPI library "
			     "than " HDMPI_LIBRARY "; omit --mpi of hdmpirun, "
			     "or name the library that the program uses",
			     argc > 0 ? argv[0] : "the program");
	hdmpiLossSeen();
	if (list)
		preloadRemove(list);
	execve("/proc/self/exe", argv, environment);
}

/* ---- End ----------------------------------------------------------------- */

static void __attribute__((__destructor__)) preloadEnd(void)
{
	hdmpiLossUnseen();
}

/* The definition that follows ours; NULL: not known yet. */
static void (*preloadExit)(int status);

static void __attribute__((__constructor__)) preloadFindExit(void)
{
	*(void **)&preloadExit = dlsym(RTLD_NEXT, "_exit");
}

/* Shells end by this. */
void _exit(int status)
{
	hdmpiLossUnseen();
	if (preloadExit)
		preloadExit(status);
	for (;;)
		syscall(SYS_exit_group, status);
}
