/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which MPI library a program is linked with; see program.h. */
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "NodeStatus/slurm/program.h"
#include "common/clock.h"

/** How long the loader may take. */
#define LOADER_NS (5 * HD_NS_PER_S)
#define OUTPUT_MAX 65536
#define HEADERS_MAX 64

static bool isProgram(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	       access(path, X_OK) == 0;
}

bool hdslurmProgramFind(const char *name, const char *searched, char *path)
{
	if (strchr(name, '/'))
		return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX &&
		       isProgram(path);
	while (searched) {
		const char *end = strchrnul(searched, ':');
		int length = (int)(end - searched);

		if (snprintf(path, PATH_MAX, "%.*s%s%s", length, searched,
			     length ? "/" : "./", name) < PATH_MAX &&
		    isProgram(path))
			return true;
		searched = *end ? end + 1 : NULL;
	}
	return false;
}

/* The path of the loader that an ELF file of our kind names. */
static bool findLoader(int fd, char *loader)
{
	ElfW(Ehdr) head;
	ElfW(Phdr) part;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] !=
		    (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	    head.e_phentsize != sizeof(part))
		return false;
	for (int i = 0; i < head.e_phnum && i < HEADERS_MAX; i++) {
		off_t place = (off_t)(head.e_phoff + (size_t)i * sizeof(part));

		if (pread(fd, &part, sizeof(part), place) != sizeof(part))
			return false;
		if (part.p_type != PT_INTERP || part.p_filesz < 2 ||
		    part.p_filesz > PATH_MAX)
			continue;
		if (pread(fd, loader, part.p_filesz, (off_t)part.p_offset) !=
		    (ssize_t)part.p_filesz)
			return false;
		loader[part.p_filesz - 1] = '\0';
		return *loader == '/';
	}
	return false;
}

/* Whether it gets rights that who runs it has not. */
static bool hasRights(int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return true;
	return ((status.st_mode & S_ISUID) && status.st_uid != geteuid()) ||
	       ((status.st_mode & S_ISGID) && status.st_gid != getegid());
}

static void runLoader(const char *loader, const char *path,
		      const char *libraries, int output)
{
	char list[PATH_MAX];
	char trace[] = "LD_TRACE_LOADED_OBJECTS=1";
	char *environment[3] = { trace, NULL, NULL };
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	if (libraries &&
	    (size_t)snprintf(list, sizeof(list), "LD_LIBRARY_PATH=%s",
			     libraries) < sizeof(list))
		environment[1] = list;
	dup2(null, 0);
	dup2(output, 1);
	dup2(null, 2);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execle(loader, loader, path, (char *)NULL, environment);
	_exit(127);
}

/* Read all of it, as long as it takes no longer than it may. */
static void readOutput(int fd, char *output)
{
	int64_t untilNs = hdMonotonicNow() + LOADER_NS;
	size_t length = 0;

	while (length < OUTPUT_MAX - 1) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		int64_t leftNs = untilNs - hdMonotonicNow();
		ssize_t got;

		if (leftNs <= 0)
			break;
		if (poll(&ready, 1, (int)(leftNs / 1000000) + 1) <= 0)
			continue;
		got = read(fd, output + length, OUTPUT_MAX - 1 - length);
		if (got <= 0)
			break;
		length += (size_t)got;
	}
	output[length] = '\0';
}

static void askLoader(const char *loader, const char *path,
		      const char *libraries, char *output)
{
	int ends[2];
	pid_t child;

	*output = '\0';
	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	child = fork();
	if (child == 0)
		runLoader(loader, path, libraries, ends[1]);
	close(ends[1]);
	if (child > 0) {
		readOutput(ends[0], output);
		kill(child, SIGKILL);
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
}

const char *hdslurmProgramMpi(const char *path, const char *libraries)
{
	char loader[PATH_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool isOurs = fd >= 0 && !hasRights(fd) && findLoader(fd, loader);
	const char *found = NULL;
	char *output;

	if (fd >= 0)
		close(fd);
	output = isOurs ? malloc(OUTPUT_MAX) : NULL;
	if (!output)
		return NULL;
	askLoader(loader, path, libraries, output);
	/* MPICH is also called libmpi by those that keep its interface. */
	if (strstr(output, "libmpich.so") || strstr(output, "libmpi.so.12"))
		found = "mpich";
	else if (strstr(output, "libmpi.so"))
		found = "openmpi";
	free(output);
	return found;
}
