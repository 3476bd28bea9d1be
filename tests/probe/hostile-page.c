/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes with pages of probes that are made to keep their reader busy. It
 * prints its number when the pages are there, and ends with its input.
 *
 *     hostile-page PROCESSES SLOTS [odd|even] [UID|-] [NAME]
 *
 * Each process has a page with as many slots in use; odd: all of them look as
 * if a thread were counting in them, for ever.
 */
#include "config.h"

#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/probe/madepage.h"

/* Be another user, whose files of /proc its reader may still see. */
static void become(uid_t uid)
{
	if (setgroups(0, NULL) != 0 || setgid(uid) != 0 || setuid(uid) != 0)
		exit(99);
	prctl(PR_SET_DUMPABLE, 1);
}

static void makeOne(unsigned int slots, int isOdd, const char *name,
		    int readyFd)
{
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = madePage(255, slots);
	for (unsigned int i = 0; isOdd && i < slots; i++)
		madePut32(fd, MADE_AT(i, sequence), 1);
	if (name && pwrite(fd, name, strlen(name) + 1,
			   offsetof(struct hdProbeHead, entries[1].name)) < 0)
		exit(99);
	if (write(readyFd, "", 1) != 1)
		exit(99);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	int processes = argc > 1 ? atoi(argv[1]) : 1;
	unsigned int slots = argc > 2 ? (unsigned int)atoi(argv[2]) : 1;
	int isOdd = argc > 3 && strcmp(argv[3], "odd") == 0;
	int ready[2];
	char byte;

	if (argc > 4 && strcmp(argv[4], "-") != 0)
		become((uid_t)atoi(argv[4]));
	if (pipe(ready) != 0)
		return 99;
	for (int i = 0; i < processes; i++)
		if (fork() == 0)
			makeOne(slots, isOdd, argc > 5 ? argv[5] : NULL,
				ready[1]);
	for (int i = 0; i < processes; i++)
		if (read(ready[0], &byte, 1) != 1)
			return 99;
	printf("%d\n", (int)getpid());
	fflush(stdout);
	while (getchar() != EOF) {
	}
	return 0;
}
