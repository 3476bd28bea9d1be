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
#include "MPITracingLibrary/src/message.h"

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

static void __attribute__((__constructor__))
preloadBegin(int argc, char **argv, char **environment)
{
	static const char preload[] = "LD_PRELOAD=";

	if (!dl_iterate_phdr(preloadIsOther, NULL))
		return;
	hdmpiMessageInit();
	if (hdLogIsFirst())
		hdmpiLossSay("nothing is recorded: %s uses another MPI library "
			     "than " HDMPI_LIBRARY "; omit --mpi of hdmpirun, "
			     "or select the other library",
			     argc > 0 ? argv[0] : "the program");
	hdmpiLossSeen();
	for (char **at = environment; *at; at++)
		if (strncmp(*at, preload, sizeof(preload) - 1) == 0)
			preloadRemove(*at + sizeof(preload) - 1);
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
