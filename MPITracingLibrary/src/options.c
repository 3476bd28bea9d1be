/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the environment variables HDTRACE_MPI_* say. A value that makes no sense
 * counts as not set, and there is a message. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "MPITracingLibrary/src/message.h"
#include "MPITracingLibrary/src/options.h"
#include "common/environment.h"
#include "common/clock.h"

#define OPTION_ALL (~0U)

/* A word of a list, and the bits that it stands for. */
struct word {
	const char *text;
	unsigned int bits;
};

static const struct word optionClasses[] = {
	{ "all", OPTION_ALL },
	{ "env", 1U << HDMPI_CLASS_env },
	{ "p2p", 1U << HDMPI_CLASS_p2p },
	{ "wait", 1U << HDMPI_CLASS_wait },
	{ "coll", 1U << HDMPI_CLASS_coll },
	{ "rma", 1U << HDMPI_CLASS_rma },
	{ "io", 1U << HDMPI_CLASS_io },
	{ "comm", 1U << HDMPI_CLASS_comm },
	{ "group", 1U << HDMPI_CLASS_group },
	{ "type", 1U << HDMPI_CLASS_type },
	{ NULL, 0 },
};

static const struct word optionSources[] = {
	{ "all", HDMPI_SOURCES_ALL }, { "cpu", HDMPI_SOURCES_CPU },
	{ "mem", HDMPI_SOURCES_MEM }, { "net", HDMPI_SOURCES_NET },
	{ "hdd", HDMPI_SOURCES_HDD }, { "more", HDMPI_SOURCES_MORE },
	{ "everything", OPTION_ALL }, { NULL, 0 },
};

const char *hdmpiOptionText(const char *name)
{
	const char *text = hdEnvironment(name);

	return text && *text ? text : NULL;
}

static void optionIsWrong(const char *name, const char *what)
{
	hdmpiMessage(HD_LOG_ERROR, "%s=\"%s\": %s", name, hdEnvironment(name),
		     what);
}

/* Parse "a,b" or "all,-c"; words are added from left to right. What begins with
 * "-" begins with what holds without it. */
static unsigned int optionWords(const char *name, const struct word *words,
				unsigned int normal)
{
	const char *text = hdmpiOptionText(name);
	unsigned int bits = text && *text == '-' ? normal : 0;

	if (!text)
		return normal;
	for (;;) {
		size_t length = strcspn(text, ",");
		bool isMinus = *text == '-';
		const struct word *word = words;

		while (word->text && (strlen(word->text) != length - isMinus ||
				      strncmp(word->text, text + isMinus,
					      length - isMinus) != 0))
			word++;
		if (!word->text) {
			optionIsWrong(name, "not a list of words it knows");
			return normal;
		}
		bits = isMinus ? bits & ~word->bits : bits | word->bits;
		text += length;
		if (!*text)
			return bits;
		text++;
	}
}

int64_t hdmpiOptionNumber(const char *name, int64_t min, int64_t max,
			  int64_t normal)
{
	const char *text = hdmpiOptionText(name);
	char *end;
	long long number;

	if (!text)
		return normal;
	errno = 0;
	number = strtoll(text, &end, 10);
	if (errno || end == text || *end || number < min || number > max) {
		hdmpiMessage(HD_LOG_ERROR,
			     "%s=\"%s\": not a number from %lld to %lld", name,
			     text, (long long)min, (long long)max);
		return normal;
	}
	return number;
}

/* Parse seconds with a fraction; returns where they end, or NULL. */
static const char *optionSeconds(const char *text, int64_t *ns)
{
	int64_t place = HD_NS_PER_S;
	int digits = 0;

	*ns = 0;
	for (; *text >= '0' && *text <= '9' && digits < 9; digits++)
		*ns = *ns * 10 + (*text++ - '0') * HD_NS_PER_S;
	if (digits > 0 && *text == '.') {
		for (text++; *text >= '0' && *text <= '9'; text++)
			*ns += (*text - '0') * (place /= 10);
	}
	return digits > 0 ? text : NULL;
}

/* Parse "N/M" with 0 < N < M. */
static bool optionShare(const char *text, int64_t *on, int64_t *all)
{
	text = optionSeconds(text, on);
	if (!text || *text != '/')
		return false;
	text = optionSeconds(text + 1, all);
	return text && !*text && *on > 0 && *all > *on;
}

static void optionThrottle(struct hdmpiOptions *options)
{
	const char *name = "HDTRACE_MPI_THROTTLE";
	const char *text = hdmpiOptionText(name);
	int64_t on, all;

	if (!text)
		return;
	if (!optionShare(text, &on, &all)) {
		optionIsWrong(name, "not seconds N/M with N below M");
		return;
	}
	options->throttleOnNs = on;
	options->throttleNs = all;
}

static void optionClock(struct hdmpiOptions *options)
{
	const char *name = "HDTRACE_MPI_CLOCK_INTERVAL";
	const char *text = hdmpiOptionText(name);
	int64_t ns;

	if (!text)
		return;
	text = optionSeconds(text, &ns);
	if (text && !*text)
		options->clockNs = ns;
	else
		optionIsWrong(name, "not a time in seconds");
}

/* ---- The name of the project -----------------------------------------------
 */

/* Whether a file is one of a project, by what follows the project's name. The
 * program of that name, its source and its input are not. */
static bool isOfProject(const char *rest)
{
	const char *end = strrchr(rest, '.');

	if (!end)
		return false;
	if (*rest != '_')
		return strcmp(rest, ".proj") == 0;
	return strcmp(end, ".trc") == 0 || strcmp(end, ".info") == 0 ||
	       strcmp(end, ".stat") == 0;
}

static bool projectExists(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t length = strlen(name);
	const struct dirent *entry;
	bool exists = false;
	char directory[HDMPI_PATH_MAX];
	DIR *dir;

	snprintf(directory, sizeof(directory), "%.*s/",
		 slash ? (int)(slash - path) : 1, slash ? path : ".");
	dir = opendir(directory);
	while (dir && !exists && (entry = readdir(dir)) != NULL)
		exists = strncmp(entry->d_name, name, length) == 0 &&
			 isOfProject(entry->d_name + length);
	if (dir)
		closedir(dir);
	return exists;
}

/* Make the directories of a path; what fails shows when files are created. */
static void makeDirectories(const char *file)
{
	char path[HDMPI_PATH_MAX];

	snprintf(path, sizeof(path), "%s", file);
	for (char *c = path + 1; *path && *c; c++) {
		if (*c != '/')
			continue;
		*c = '\0';
		mkdir(path, 0777);
		*c = '/';
	}
}

/* Replace what is not good for file names, and for labels in them. */
static void makePlain(char *name)
{
	for (char *c = name; *c; c++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "abcdefghijklmnopqrstuvwxyz0123456789.-",
			    *c))
			*c = '-';
}

/* The program's name. */
static void defaultName(char *name, size_t size)
{
	snprintf(name, size, "%s", program_invocation_short_name);
	makePlain(name);
	if (!*name)
		snprintf(name, size, "mpi");
}

void hdmpiOptionsHost(char *host, size_t size)
{
	const char *given = hdmpiOptionText("HDTRACE_MPI_HOST");

	if (given)
		snprintf(host, size, "%s", given);
	else if (gethostname(host, size) < 0 || !*host)
		snprintf(host, size, "localhost");
	host[size - 1] = '\0';
	makePlain(host);
}

void hdmpiOptionsPath(const char *project, char *path, size_t size)
{
	const char *prefix = hdmpiOptionText("HDTRACE_PREFIX");

	snprintf(path, size, "%s%s", prefix && *project != '/' ? prefix : "",
		 project);
}

/* A name that is given is taken as it is; the default one gets a number if
 * there are files of an earlier run, so that this one is recorded, too. So does
 * any name where the processes that spawned these may have it. */
static void optionProject(struct hdmpiOptions *options, bool isSpawned)
{
	const char *given = hdmpiOptionText("HDTRACE_MPI_PROJECT");
	const char *directory = hdmpiOptionText("HDTRACE_MPI_DIR");
	const char *overwrite =
		hdmpiOptionText("HDTRACE_OVERWRITE_EXISTING_FILES");
	bool replaces = overwrite && strcmp(overwrite, "1") == 0;
	bool isFinal = !isSpawned && (given || replaces);
	char name[NAME_MAX + 1], number[16] = "", path[HDMPI_PATH_MAX];

	defaultName(name, sizeof(name));
	for (int i = 2; i < 10000; i++) {
		if (snprintf(options->project, sizeof(options->project),
			     "%s%s%s%s", directory ? directory : "",
			     directory ? "/" : "", given ? given : name,
			     number) >= (int)sizeof(options->project)) {
			hdmpiMessage(HD_LOG_ERROR,
				     "nothing is recorded: the project's path "
				     "is longer than %d bytes",
				     HDMPI_PATH_MAX - 1);
			options->isOn = false;
			return;
		}
		hdmpiOptionsPath(options->project, path, sizeof(path));
		if (i == 2 && directory)
			makeDirectories(path);
		if (isFinal || !projectExists(path))
			return;
		snprintf(number, sizeof(number), "-%d", i);
	}
}

void hdmpiOptionsRead(struct hdmpiOptions *options, bool isSpawned)
{
	memset(options, 0, sizeof(*options));
	options->isOn = hdmpiOptionNumber("HDTRACE_MPI", 0, 1, 1);
	options->isEnabled = hdmpiOptionNumber("HDTRACE_MPI_START", 0, 1, 1);
	options->writesProject = hdmpiOptionNumber("HDTRACE_MPI_PROJ", 0, 1, 1);
	options->classes =
		optionWords("HDTRACE_MPI_FUNCTIONS", optionClasses, OPTION_ALL);
	options->nested = (unsigned int)hdmpiOptionNumber("HDTRACE_MPI_NESTED",
							  0, INT_MAX, INT_MAX);
	options->keepsPolls = hdmpiOptionNumber("HDTRACE_MPI_POLLS", 0, 1, 0);
	options->utilizationMs =
		(int)hdmpiOptionNumber("HDTRACE_MPI_RUT", 0, INT_MAX, 100);
	options->sources = optionWords("HDTRACE_MPI_RUT_SOURCES", optionSources,
				       HDMPI_SOURCES_ALL);
	optionThrottle(options);
	optionClock(options);
	if (options->isOn)
		optionProject(options, isSpawned);
}
