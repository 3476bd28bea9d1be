/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The project file of commands that trace; see projectfile.h and doc/format. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/environment.h"
#include "common/format/escape.h"
#include "common/format/projectfile.h"

char *hdProjectFileName(const char *project, const char *end)
{
	const char *prefix = hdEnvironment("HDTRACE_PREFIX");
	char *name;

	/* The library puts the prefix before its files. */
	if (!prefix || *project == '/')
		prefix = "";
	return asprintf(&name, "%s%s%s", prefix, project, end) < 0 ? NULL
								   : name;
}

void hdProjectTag(FILE *file, size_t indent, const char *tag, const char *value,
		  bool isEmpty)
{
	fprintf(file, "%*s<%s=\"", (int)indent, "", tag);
	hdEscapeTo(file, value);
	fputs(isEmpty ? "\" />\n" : "\">\n", file);
}

void hdProjectEnd(FILE *file, size_t indent, const char *element)
{
	fprintf(file, "%*s</%s>\n", (int)indent, "", element);
}

void hdProjectBegin(FILE *file, const char *name, const char *description)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", file);
	hdProjectTag(file, 0, "Application name", name, false);
	fputs(" <Description>", file);
	hdEscapeTo(file, description);
	fputs("</Description>\n", file);
}

static bool projectIsBelow(const struct hdProjectNode *node,
			   const struct hdProjectNode *above, size_t depth)
{
	if (node->depth < depth)
		return false;
	for (size_t i = 0; i < depth; i++)
		if (strcmp(node->labels[i], above->labels[i]) != 0)
			return false;
	return true;
}

/* Write what is below the first labels of a node. */
static void projectNodes(FILE *out, const struct hdProjectFile *file,
			 size_t first, size_t depth)
{
	for (size_t i = 0; i < file->nodeCount; i++) {
		const struct hdProjectNode *node = &file->nodes[i];
		size_t j = 0;

		if (node->depth <= depth ||
		    !projectIsBelow(node, &file->nodes[first], depth))
			continue;
		/* Not again, if a node before is below it, too. */
		while (!projectIsBelow(&file->nodes[j], node, depth + 1))
			j++;
		if (j < i)
			continue;
		hdProjectTag(out, depth + 2, "Node name", node->labels[depth],
			     false);
		projectNodes(out, file, i, depth + 1);
		hdProjectEnd(out, depth + 2, "Node");
	}
}

static void projectAll(FILE *out, const struct hdProjectFile *file)
{
	const char *slash = strrchr(file->project, '/');

	hdProjectBegin(out, slash ? slash + 1 : file->project, "");
	fputs(" <Topology>\n", out);
	for (size_t i = 0; i < file->levelCount; i++)
		hdProjectTag(out, i + 2, "Level type", file->levels[i], false);
	for (size_t i = file->levelCount; i > 0; i--)
		hdProjectEnd(out, i + 1, "Level");
	if (file->nodeCount > 0)
		projectNodes(out, file, 0, 0);
	fputs(" </Topology>\n <ExternalStatistics>\n", out);
	for (size_t i = 0; file->groups[i]; i++)
		fprintf(out, "  <%s/>\n", file->groups[i]);
	fputs(" </ExternalStatistics>\n</Application>\n", out);
}

static int projectPut(const char *name, bool replace, const char *text,
		      size_t length)
{
	int fd = open(name,
		      O_WRONLY | O_CREAT | O_CLOEXEC |
			      (replace ? O_TRUNC | O_NOFOLLOW : O_EXCL),
		      0666);
	int ret = 0;

	if (fd < 0)
		return -errno;
	while (ret == 0 && length > 0) {
		ssize_t put = write(fd, text, length);

		if (put > 0) {
			text += put;
			length -= (size_t)put;
		} else if (put < 0 && errno != EINTR) {
			ret = -errno;
		}
	}
	if (close(fd) != 0 && ret == 0)
		ret = -errno;
	if (ret < 0)
		unlink(name);
	return ret;
}

/* A file that exists is replaced as a whole or not at all. */
static int projectReplace(const char *name, const char *text, size_t length)
{
	char *new;
	int ret;

	if (asprintf(&new, "%s.new", name) < 0)
		return -ENOMEM;
	ret = projectPut(new, true, text, length);
	if (ret == 0 && rename(new, name) != 0) {
		ret = -errno;
		unlink(new);
	}
	free(new);
	return ret;
}

int hdProjectFileWrite(const struct hdProjectFile *file, bool replace)
{
	char *name = hdProjectFileName(file->project, ".proj"), *text = NULL;
	size_t length;
	FILE *out = name ? open_memstream(&text, &length) : NULL;
	int ret = -ENOMEM;

	if (out) {
		projectAll(out, file);
		if (fclose(out) == 0)
			ret = replace ? projectReplace(name, text, length)
				      : projectPut(name, false, text, length);
	}
	free(text);
	free(name);
	return ret;
}
