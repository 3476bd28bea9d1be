/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of projects; see projectname.h. */
#include "config.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/format/frame.h"
#include "common/format/projectname.h"

/* Numbers that are tried. */
#define NUMBER_MAX 9999

/* Whether a file is one of a project, by what follows the project's name. */
static bool projectNameIsOfProject(const char *rest)
{
	static const char *const kinds[] = { ".trc", ".info", ".stat", ".rel" };

	if (*rest != '_')
		return strcmp(rest, ".proj") == 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (hdFrameStem(rest, kinds[i]) > 0)
			return true;
	return false;
}

bool hdProjectExists(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t length = strlen(name);
	const struct dirent *entry;
	bool exists = false;
	char directory[HD_PROJECT_PATH_MAX];
	DIR *dir;

	snprintf(directory, sizeof(directory), "%.*s/",
		 slash ? (int)(slash - path) : 1, slash ? path : ".");
	dir = opendir(directory);
	while (dir && !exists && (entry = readdir(dir)) != NULL)
		exists = strncmp(entry->d_name, name, length) == 0 &&
			 projectNameIsOfProject(entry->d_name + length);
	if (dir)
		closedir(dir);
	return exists;
}

bool hdProjectPath(const char *prefix, const char *project, char *path,
		   size_t size)
{
	if (!prefix || *project == '/')
		prefix = "";
	return (size_t)snprintf(path, size, "%s%s", prefix, project) < size;
}

void hdProjectMakeDirectories(const char *file)
{
	char path[HD_PROJECT_PATH_MAX];

	snprintf(path, sizeof(path), "%s", file);
	for (char *c = path + 1; *path && *c; c++) {
		if (*c != '/')
			continue;
		*c = '\0';
		mkdir(path, 0777);
		*c = '/';
	}
}

void hdProjectMakePlain(char *name)
{
	for (char *c = name; *c; c++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "abcdefghijklmnopqrstuvwxyz0123456789.-",
			    *c))
			*c = '-';
	/* It would look like an option. */
	if (*name == '-')
		*name = 'x';
}

void hdProjectHost(const char *given, char *host, size_t size)
{
	if (given)
		snprintf(host, size, "%s", given);
	else if (gethostname(host, size) < 0 || !*host)
		snprintf(host, size, "localhost");
	host[size - 1] = '\0';
	hdProjectMakePlain(host);
}

char *hdProjectExpandHost(const char *text, const char *given)
{
	char host[256], *expanded, *at;
	size_t count = 0;

	hdProjectHost(given, host, sizeof(host));
	if (!given)
		host[strcspn(host, ".")] = '\0';
	for (const char *c = strstr(text, "%h"); c; c = strstr(c + 2, "%h"))
		count++;
	expanded = at = malloc(strlen(text) + count * strlen(host) + 1);
	if (!expanded)
		return NULL;
	for (; *text; text++) {
		if (strncmp(text, "%h", 2) == 0) {
			at = stpcpy(at, host);
			text++;
		} else {
			*at++ = *text;
		}
	}
	*at = '\0';
	return expanded;
}

bool hdProjectFindFree(const char *prefix, char *name, size_t size)
{
	size_t length = strlen(name);
	char path[HD_PROJECT_PATH_MAX];

	for (int i = 2; i <= NUMBER_MAX; i++) {
		if (!hdProjectPath(prefix, name, path, sizeof(path)))
			return false;
		if (!hdProjectExists(path))
			return true;
		if ((size_t)snprintf(name + length, size - length, "-%d", i) >=
		    size - length)
			return false;
	}
	return false;
}
