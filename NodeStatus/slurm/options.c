/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of the plugin; see options.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "NodeStatus/slurm/options.h"

#define INTERVAL_MS 100
#define INTERVAL_MAX_MS 3600000
#define WHAT_MAX 512

static const char *const mpiWords[] = { "auto", "none", "openmpi", "mpich",
					NULL };

/* A text without characters that would harm a terminal or a file. */
static bool isPlain(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 32 || *text == 127)
			return false;
	return true;
}

static void slurmOptionsReportWord(hdslurmReport *report, const char *word,
				   const char *why)
{
	char what[WHAT_MAX], shown[256];

	snprintf(shown, sizeof(shown), "%s", word);
	for (char *c = shown; *c; c++)
		if ((unsigned char)*c < 32 || *c == 127)
			*c = '?';
	snprintf(what, sizeof(what), "%s: %s", shown, why);
	report(what);
}

static bool slurmOptionsCopyText(char *to, size_t size, const char *text)
{
	return *text && isPlain(text) &&
	       (size_t)snprintf(to, size, "%s", text) < size;
}

static const char *takeProject(const char *text, char *project)
{
	static const char why[] =
		"invalid project name; use directory=DIR for the directory";
	char name[HDSLURM_NAME_MAX];

	if (strchr(text, '/') || *text == '.' ||
	    !slurmOptionsCopyText(name, sizeof(name), text))
		return why;
	strcpy(project, name);
	return NULL;
}

static const char *slurmOptionsParsePath(const char *text, char *path)
{
	char copy[PATH_MAX];

	if (!slurmOptionsCopyText(copy, sizeof(copy), text))
		return "invalid path";
	strcpy(path, copy);
	return NULL;
}

static const char *slurmOptionsParseInterval(const char *text,
					     unsigned int *intervalMs)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	if (errno || end == text || *end || number < 1 ||
	    number > INTERVAL_MAX_MS)
		return "invalid interval; expected 1 to 3600000 milliseconds";
	*intervalMs = (unsigned int)number;
	return NULL;
}

static const char *takeMpi(const char *text, char *mpi)
{
	for (const char *const *word = mpiWords; *word; word++) {
		if (strcmp(*word, text) != 0)
			continue;
		strcpy(mpi, text);
		return NULL;
	}
	return "invalid value; expected auto, none, openmpi or mpich";
}

/* Take KEY=VALUE; NULL, or what is wrong. */
static const char *slurmOptionsParseOption(char *word,
					   struct hdslurmOptions *options)
{
	char *value = strchr(word, '=');

	if (!value)
		return "invalid option; expected project=NAME, directory=DIR, "
		       "interval=MS or mpi=LIBRARY";
	*value++ = '\0';
	if (strcmp(word, "project") == 0)
		return takeProject(value, options->project);
	if (strcmp(word, "directory") == 0)
		return slurmOptionsParsePath(value, options->directory);
	if (strcmp(word, "interval") == 0)
		return slurmOptionsParseInterval(value, &options->intervalMs);
	if (strcmp(word, "mpi") == 0)
		return takeMpi(value, options->mpi);
	return "unknown key; expected project, directory, interval or mpi";
}

void hdslurmOptionsParse(const char *text, struct hdslurmOptions *options,
			 hdslurmReport *report)
{
	char word[PATH_MAX], copy[PATH_MAX];

	memset(options, 0, sizeof(*options));
	strcpy(options->mpi, "auto");
	while (text && *text) {
		size_t length = strcspn(text, ",");
		const char *why = "too long";

		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		strcpy(copy, word);
		if (length < sizeof(word))
			why = slurmOptionsParseOption(copy, options);
		if (why)
			slurmOptionsReportWord(report, word, why);
		text += length;
		text += *text == ',';
	}
}

void hdslurmSiteParse(int count, char **words, struct hdslurmSite *site,
		      hdslurmReport *report)
{
	memset(site, 0, sizeof(*site));
	strcpy(site->power, "auto");
	site->intervalMs = INTERVAL_MS;
	for (int i = 0; i < count; i++) {
		const char *why = "unknown key; expected power=, interval= or "
				  "from=";

		if (strncmp(words[i], "power=", 6) == 0)
			why = slurmOptionsParsePath(words[i] + 6, site->power);
		else if (strncmp(words[i], "from=", 5) == 0)
			why = slurmOptionsParsePath(words[i] + 5, site->from);
		else if (strncmp(words[i], "interval=", 9) == 0)
			why = slurmOptionsParseInterval(words[i] + 9,
							&site->intervalMs);
		if (why)
			slurmOptionsReportWord(report, words[i], why);
	}
}

bool hdslurmOrderFormat(const struct hdslurmOrder *order, char *text,
			size_t size)
{
	return (size_t)snprintf(text, size, "%u %s %s", order->intervalMs,
				order->mpi, order->path) < size;
}

bool hdslurmOrderParse(const char *text, struct hdslurmOrder *order)
{
	char number[16], mpi[HDSLURM_WORD_MAX];
	int used = 0;

	memset(order, 0, sizeof(*order));
	if (sscanf(text, "%15[0-9] %15[a-z] %n", number, mpi, &used) != 2 ||
	    !used || text[used] != '/')
		return false;
	return !slurmOptionsParseInterval(number, &order->intervalMs) &&
	       !takeMpi(mpi, order->mpi) &&
	       slurmOptionsCopyText(order->path, sizeof(order->path),
				    text + used);
}

bool hdslurmExpand(const char *text, const char *node, char *result,
		   size_t size)
{
	size_t length = 0;

	for (; *text; text++) {
		const char *part = text;
		size_t count = 1;

		if (text[0] == '%' && text[1] == 'n') {
			part = node;
			count = strlen(node);
			text++;
		} else if (text[0] == '%' && text[1] == '%') {
			text++;
		}
		if (length + count >= size)
			return false;
		memcpy(result + length, part, count);
		length += count;
	}
	result[length] = '\0';
	return true;
}
