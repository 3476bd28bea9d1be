/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * The configuration file (thesis listing 3.4; pt.cfg(5)): device, nodes and
 * values, checked against what the driver knows.
 */
#ifndef PT_CONFIGURATION_H
#define PT_CONFIGURATION_H

#include "PowerTracingLibrary/src/core/driver.h"
#include "common/ini.h"

/** What the caller decides, and not the file. */
struct ptRequest {
	const char *file;
	const struct ptDriver *const *drivers;
	/** As of struct ptSetup. */
	const char *root;
	/** Instead of what the file says, if not NULL. */
	const char *project, *topology, *port;
	/**
	 * Levels of a topology that the caller has; then the file's project and
	 * topology are neither needed nor used. -1 for none.
	 */
	int depth;
};

/** A node that is traced: one statistics group. */
struct ptNode {
	char *path; /**< Its labels joined with "_". */
	char **labels;
	size_t depth;
	size_t first; /**< Its first column. */
	size_t count; /**< Number of columns. */
};

/** A configuration that has been read. */
struct ptConfig {
	const struct ptDriver *driver;
	const char *name;    /**< Of the device, in messages. */
	char *host;          /**< NODE of port, or NULL. */
	const char *address; /**< DEVICE of port, or NULL. */
	unsigned int baud;
	int64_t cycleNs;
	bool isCycleGiven; /**< Else it is what the driver usually has. */
	int64_t delayNs;
	const char *project; /**< NULL with a topology of the caller's. */
	char **levels;
	size_t levelCount;
	const char **options; /**< As of struct ptSetup. */
	struct ptNode *nodes;
	size_t nodeCount;
	struct ptColumn *columns; /**< Node by node. */
	char **names;             /**< One for each column. */
	size_t columnCount;
	struct hdIni ini; /**< Where strings are. */
};

/**
 * Read a configuration.
 *
 * Reports all errors, each with file and line.
 *
 * @param[out] config To be given to ptConfigClear().
 *
 * @return 0, or one of the public error values: PT_ECONFNOTFOUND,
 *         PT_ECONFINVALID, PT_ENOTRACES, PT_EMEMORY.
 */
int ptConfigRead(const struct ptRequest *request, struct ptConfig *config);

/** Free what it holds. */
void ptConfigClear(struct ptConfig *config);

/** Tell whether two host names are one, perhaps one of them with a domain. */
bool ptConfigIsSameHost(const char *a, const char *b);

/** Tell whether a host of `port` is this one; NULL is. */
bool ptConfigIsHere(const char *host);

#endif
