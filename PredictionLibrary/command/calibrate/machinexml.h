/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * A platform for SimGrid of what was measured: hosts, and how long messages
 * take inside of a host and between hosts.
 */
#ifndef HD_CALIBRATE_MACHINE_XML_H
#define HD_CALIBRATE_MACHINE_XML_H

#include <stdbool.h>
#include <stdio.h>
#include <glib.h>

/** Operations per second of a core; runs count as many in a second of time. */
#define MACHINE_XML_SPEED 1e9

/** Messages in a host, or between two. */
struct machineXmlLink {
	bool isKnown;
	bool isShared; /**< By both directions; otherwise each has its own. */
	double latency;
	double bandwidth;
};

/** A host. */
struct machineXmlHost {
	char *name;
	int64_t cores;
};

/** A platform. */
struct machineXml {
	GArray *hosts;      /**< struct machineXmlHost */
	GPtrArray *options; /**< Of SimGrid, "KEY:VALUE". */
	struct machineXmlLink inside;
	struct machineXmlLink between;
	char *watts; /**< wattage_per_state; NULL: unknown. */
};

/** Start a platform without hosts, and free what it has. */
void machineXmlInit(struct machineXml *self);
void machineXmlClear(struct machineXml *self);

/** Add a host unless it is there; @return Its number. Other characters than
 *  letters, digits, "." and "-" become "-", since SimGrid separates by them. */
guint machineXmlAddHost(struct machineXml *self, const char *name,
			int64_t cores);

/** Add an option, to be freed by the platform. */
void machineXmlAddOption(struct machineXml *self, char *option);

/** Write it; errors are left to the file. */
void machineXmlPut(const struct machineXml *self, FILE *file);

#endif
