/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The environment variables HDTRACE_MPI_*. An invalid value is ignored, and
 * reported. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "MPITracingLibrary/src/core/mpilog.h"
#include "MPITracingLibrary/src/core/options.h"
#include "common/clock.h"
#include "common/environment.h"
#include "common/format/projectname.h"
#include "common/perfset.h"

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
	const char *text = hdEnvironmentText(name);
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
			optionIsWrong(
				name,
				"invalid list; see hdmpirun(1) for its words");
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
	const char *text = hdEnvironmentText(name);
	char *end;
	long long number;

	if (!text)
		return normal;
	errno = 0;
	number = strtoll(text, &end, 10);
	if (errno || end == text || *end || number < min || number > max) {
		hdmpiMessage(HD_LOG_ERROR,
			     "%s=\"%s\": invalid number; expected %lld to %lld",
			     name, text, (long long)min, (long long)max);
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
	const char *text = hdEnvironmentText(name);
	int64_t on, all;

	if (!text)
		return;
	if (!optionShare(text, &on, &all)) {
		optionIsWrong(
			name,
			"invalid value; expected seconds N/M with N below M");
		return;
	}
	options->throttleOnNs = on;
	options->throttleNs = all;
}

static void optionClock(struct hdmpiOptions *options)
{
	const char *name = "HDTRACE_MPI_CLOCK_INTERVAL";
	const char *text = hdEnvironmentText(name);
	int64_t ns;

	if (!text)
		return;
	text = optionSeconds(text, &ns);
	if (text && !*text)
		options->clockNs = ns;
	else
		optionIsWrong(name, "invalid time; expected seconds");
}

static void optionCounters(struct hdmpiOptions *options)
{
	const char *name = "HDTRACE_MPI_COUNTERS";
	const char *text = hdEnvironmentText(name);

	if (text && !hdPerfEventsParse(text, &options->counters))
		optionIsWrong(name,
			      "invalid list; see hdmpirun(1) for its events");
}

/* ---- The name of the project -----------------------------------------------
 */

/* The program's name. */
static void defaultName(char *name, size_t size)
{
	snprintf(name, size, "%s", program_invocation_short_name);
	hdProjectMakePlain(name);
	if (!*name)
		snprintf(name, size, "mpi");
}

void hdmpiOptionsHost(char *host, size_t size)
{
	hdProjectHost(hdEnvironmentText("HDTRACE_MPI_HOST"), host, size);
}

void hdmpiOptionsPath(const char *project, char *path, size_t size)
{
	hdProjectPath(hdEnvironmentText("HDTRACE_PREFIX"), project, path, size);
}

/* The directory at the start, with a slash at its end; "": not known. */
static char optionStart[HDMPI_PATH_MAX];

void hdmpiOptionsSettle(struct hdmpiOptions *options)
{
	char path[HDMPI_PATH_MAX], *start = optionStart;
	size_t length, left;

	hdmpiOptionsPath(options->project, path, sizeof(path));
	if (!getcwd(start, sizeof(optionStart) - 1))
		*start = '\0';
	length = strlen(start);
	if (length > 0 && start[length - 1] != '/')
		strcpy(start + length++, "/");
	left = sizeof(options->project) - length;
	if (length == 0 || *path == '/' || strlen(path) >= left)
		return;
	memcpy(options->project, start, length);
	strcpy(options->project + length, path);
}

const char *hdmpiOptionsShown(const char *path)
{
	size_t length = strlen(optionStart);

	return length > 0 && strncmp(path, optionStart, length) == 0
		       ? path + length
		       : path;
}

/* A name that is given is taken as it is, if HDTRACE_MPI_NUMBER does not say
 * otherwise; the default one gets a number if
 * there are files of an earlier run, so that this one is recorded, too. So does
 * any name where the processes that spawned these may have it. */
static void optionProject(struct hdmpiOptions *options, bool isSpawned)
{
	const char *given = hdEnvironmentText("HDTRACE_MPI_PROJECT");
	const char *directory = hdEnvironmentText("HDTRACE_MPI_DIR");
	const char *overwrite =
		hdEnvironmentText("HDTRACE_OVERWRITE_EXISTING_FILES");
	bool replaces = overwrite && strcmp(overwrite, "1") == 0;
	bool numbers = hdmpiOptionNumber("HDTRACE_MPI_NUMBER", 0, 1, 0) == 1;
	bool isFinal = !isSpawned && !numbers && (given || replaces);
	char name[NAME_MAX + 1], path[HDMPI_PATH_MAX];
	char *project = options->project;

	options->replaces = isFinal && replaces;
	defaultName(name, sizeof(name));
	if (snprintf(project, sizeof(options->project), "%s%s%s",
		     directory ? directory : "", directory ? "/" : "",
		     given ? given : name) >= (int)sizeof(options->project)) {
		hdLogLoss(&hdmpiLogger,
			  "the project's path is longer than %d bytes",
			  HDMPI_PATH_MAX - 1);
		options->isOn = false;
		return;
	}
	hdmpiOptionsPath(project, path, sizeof(path));
	if (directory)
		hdProjectMakeDirectories(path);
	if (!isFinal)
		hdProjectFindFree(hdEnvironmentText("HDTRACE_PREFIX"), project,
				  sizeof(options->project));
}

void hdmpiOptionsRead(struct hdmpiOptions *options, bool isSpawned)
{
	memset(options, 0, sizeof(*options));
	options->run = (uint64_t)hdMonotonicNow() ^ (uint64_t)getpid() << 40;
	options->isOn = hdmpiOptionNumber("HDTRACE_MPI", 0, 1, 1);
	options->isEnabled = hdmpiOptionNumber("HDTRACE_MPI_START", 0, 1, 1);
	options->writesProject = hdmpiOptionNumber("HDTRACE_MPI_PROJ", 0, 1, 1);
	options->classes =
		optionWords("HDTRACE_MPI_FUNCTIONS", optionClasses, OPTION_ALL);
	options->nested = (unsigned int)hdmpiOptionNumber("HDTRACE_MPI_NESTED",
							  0, INT_MAX, INT_MAX);
	options->keepsPolls = hdmpiOptionNumber("HDTRACE_MPI_POLLS", 0, 1, 0);
	options->siteDepth = (int)hdmpiOptionNumber("HDTRACE_MPI_CALL_SITES", 0,
						    HDMPI_SITE_DEPTH_MAX, 0);
	options->utilizationMs =
		(int)hdmpiOptionNumber("HDTRACE_MPI_RUT", 0, INT_MAX, 100);
	options->sources = optionWords("HDTRACE_MPI_RUT_SOURCES", optionSources,
				       HDMPI_SOURCES_ALL);
	options->sampleHz =
		hdmpiOptionNumber("HDTRACE_MPI_SAMPLE", 0, 10000, 0);
	options->samplesByTimer =
		hdmpiOptionNumber("HDTRACE_MPI_SAMPLE_TIMER", 0, 1, 0);
	options->limit =
		hdmpiOptionNumber("HDTRACE_MPI_LIMIT", 0, INT64_MAX, 0);
	optionThrottle(options);
	optionCounters(options);
	optionClock(options);
	options->hasMore = options->limit || options->sampleHz ||
			   options->counters || options->siteDepth ||
			   options->throttleNs || options->nested < INT_MAX;
	if (options->isOn)
		optionProject(options, isSpawned);
}
