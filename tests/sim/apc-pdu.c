/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What an agent of SNMP (snmpd, pass_persist) asks about a rack PDU, answered
 * from a table; see README.
 *
 *     apc-pdu TABLE
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <glib.h>

/** An object of the table. */
struct object {
	char *name, *type, *value;
};

static void freeObject(void *data)
{
	struct object *object = data;

	g_free(object->name);
	g_free(object->type);
	g_free(object->value);
	g_free(object);
}

/* Read the table as it is now; lines "OID TYPE VALUE" and "sleep MS". */
static GPtrArray *readTable(const char *path, gulong *sleepMs)
{
	GPtrArray *table = g_ptr_array_new_with_free_func(freeObject);
	char *content, **lines;

	*sleepMs = 0;
	if (!g_file_get_contents(path, &content, NULL, NULL))
		return table;
	lines = g_strsplit(content, "\n", 0);
	for (char **line = lines; *line; line++) {
		char **words = g_strsplit(*line, " ", 3);
		guint count = g_strv_length(words);

		if (count == 2 && !strcmp(words[0], "sleep")) {
			*sleepMs = strtoul(words[1], NULL, 10);
		} else if (count == 3 && **line != '#') {
			struct object *object = g_new0(struct object, 1);

			object->name = g_strdup(words[0]);
			object->type = g_strdup(words[1]);
			object->value = g_strdup(words[2]);
			g_ptr_array_add(table, object);
		}
		g_strfreev(words);
	}
	g_strfreev(lines);
	g_free(content);
	return table;
}

/* The table; it is read again when it has changed. */
static const GPtrArray *currentTable(const char *path, gulong *sleepMs)
{
	static GPtrArray *table;
	static struct stat known;
	static gulong delayMs;
	struct stat now = { 0 };

	(void)stat(path, &now);
	if (!table || now.st_ino != known.st_ino ||
	    now.st_mtim.tv_sec != known.st_mtim.tv_sec ||
	    now.st_mtim.tv_nsec != known.st_mtim.tv_nsec) {
		g_clear_pointer(&table, g_ptr_array_unref);
		table = readTable(path, &delayMs);
		known = now;
	}
	*sleepMs = delayMs;
	return table;
}

static void answer(const char *path, const char *name)
{
	gulong sleepMs;
	const GPtrArray *table = currentTable(path, &sleepMs);
	const struct object *found = NULL;

	for (guint i = 0; i < table->len && !found; i++) {
		const struct object *object = table->pdata[i];

		if (!strcmp(object->name, name))
			found = object;
	}
	if (sleepMs)
		g_usleep(1000 * sleepMs);
	if (found)
		printf("%s\n%s\n%s\n", found->name, found->type, found->value);
	else
		puts("NONE");
}

int main(int argc, char **argv)
{
	char line[512], name[512];

	if (argc != 2) {
		fprintf(stderr, "Usage: apc-pdu TABLE\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IONBF, 0);
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "PING\n"))
			puts("PONG");
		else if (!fgets(name, sizeof(name), stdin))
			break;
		else if (!strcmp(line, "get\n"))
			answer(argv[1], g_strchomp(name));
		else
			puts("NONE");
	}
	return 0;
}
