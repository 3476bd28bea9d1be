/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Reading the lines of a rank again: its actions, and whose they are.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "HDTraceTools/model/ti/ti.h"

struct tiLines {
	FILE *file;
	char *line;
	size_t room;
	char *marked; /**< Function of the lines that follow; or NULL. */
	char *name;   /**< Of an action that is that of its function. */
	uint64_t block;
};

struct tiLines *tiLinesOpen(const char *path)
{
	FILE *file = fopen(path, "re");
	struct tiLines *self;

	if (!file)
		return NULL;
	self = g_new0(struct tiLines, 1);
	self->file = file;
	return self;
}

void tiLinesClose(struct tiLines *self)
{
	if (!self)
		return;
	fclose(self->file);
	free(self->line);
	g_free(self->marked);
	g_free(self->name);
	g_free(self);
}

/** A line "#NAME", "#" or "#RANK ACTION...", of which nothing became. */
static void tiReaderTakeMark(struct tiLines *self)
{
	const char *name = self->line + 1;

	if (g_ascii_isdigit(*name))
		return;
	g_free(self->marked);
	self->marked = *name ? g_strdup(name) : NULL;
	self->block++;
}

/** The function of an action without a mark has its name. */
static const char *tiReaderName(struct tiLines *self, const char *action)
{
	if (self->marked)
		return self->marked;
	if (self->name && g_ascii_strcasecmp(self->name, action) == 0)
		return self->name;
	g_free(self->name);
	self->name = g_strdup(action);
	self->name[0] = g_ascii_toupper(self->name[0]);
	return self->name;
}

bool tiLinesNext(struct tiLines *self, struct tiLine *line)
{
	ssize_t length;

	while ((length = getline(&self->line, &self->room, self->file)) > 0) {
		char *action, *rest;

		if (self->line[length - 1] == '\n')
			self->line[length - 1] = '\0';
		if (self->line[0] == '#') {
			tiReaderTakeMark(self);
			continue;
		}
		action = strchr(self->line, ' ');
		if (!action)
			continue;
		action++;
		rest = strchr(action, ' ');
		if (rest)
			*rest++ = '\0';
		if (!self->marked)
			self->block++;
		*line = (struct tiLine){
			.action = action,
			.function = tiReaderName(self, action),
			.arguments = rest ? rest : "",
			.block = self->block,
		};
		return true;
	}
	return false;
}
