/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * DCMI's power reading for ipmi_sim, which loads this ("loadlib"); see README.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Its own headers, which are not clean. */
#include <OpenIPMI/serv.h>

#include <OpenIPMI/mcserv.h>

#define GROUP 0xdc
#define GET_POWER_READING 0x02
#define INVALID_COMMAND 0xc1
#define READING_NUMBERS 7

int ipmi_sim_module_print_version(sys_data_t *sys, char *options);
int ipmi_sim_module_init(sys_data_t *sys, char *options);

/** Where is written what to answer. */
static char *path;

static void put(unsigned char *bytes, unsigned int size, unsigned long number)
{
	for (unsigned int i = 0; i < size; i++)
		bytes[i] = (unsigned char)(number >> 8 * i);
}

/* "reading W MIN MAX AVG TIME PERIOD STATE" */
static unsigned int putReading(const char *text, unsigned char *bytes)
{
	static const unsigned char sizes[READING_NUMBERS] = { 2, 2, 2, 2,
							      4, 4, 1 };
	unsigned int used = 2;
	char *next = (char *)(uintptr_t)text;

	bytes[0] = 0;
	bytes[1] = GROUP;
	for (size_t i = 0; i < READING_NUMBERS; i++) {
		put(bytes + used, sizes[i], strtoul(next, &next, 0));
		used += sizes[i];
	}
	return used;
}

/* "bytes HEX HEX ...": completion code and data. */
static unsigned int putBytes(const char *text, unsigned char *bytes,
			     unsigned int max)
{
	unsigned int used = 0;
	char *next = (char *)(uintptr_t)text, *end = next;

	for (; used < max; next = end, used++) {
		unsigned long byte = strtoul(next, &end, 16);

		if (end == next)
			break;
		bytes[used] = (unsigned char)byte;
	}
	return used;
}

static void answer(lmc_data_t *mc, msg_t *message, unsigned char *bytes,
		   unsigned int *size, void *context)
{
	char line[512] = "";
	FILE *file = fopen(path, "re");
	unsigned int max = *size;

	(void)mc;
	(void)context;
	bytes[0] = INVALID_COMMAND;
	*size = 1;
	if (message->cmd != GET_POWER_READING || !file ||
	    !fgets(line, sizeof(line), file))
		line[0] = '\0';
	if (file)
		fclose(file);
	if (strncmp(line, "reading ", 8) == 0)
		*size = putReading(line + 8, bytes);
	else if (strncmp(line, "bytes ", 6) == 0)
		*size = putBytes(line + 6, bytes, max);
}

int ipmi_sim_module_print_version(sys_data_t *sys, char *options)
{
	(void)sys;
	(void)options;
	return 0;
}

int ipmi_sim_module_init(sys_data_t *sys, char *options)
{
	(void)sys;
	path = strdup(options ? options : "");
	ipmi_emu_register_group_extension_handler(GROUP, answer, NULL);
	puts("ready");
	fflush(stdout);
	return 0;
}
