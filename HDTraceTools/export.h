/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file export.h
 * hdtrace export: what the formats have in common.
 */
#ifndef HD_EXPORT_H
#define HD_EXPORT_H

#include "newfile.h"
#include "ordered.h"
#include "output.h"
#include "tool.h"

struct exportFormat;

/** A running export. */
struct export
{
	struct tool *tool;
	const hdIProject *project;
	const struct exportFormat *format;
	char *output; /**< File or directory; "-" is stdout. */
	gboolean isForced;
	GPtrArray *files; /**< Paths that were written. */
	GArray *losses;   /**< struct exportLoss */
	/* What was carried. */
	uint64_t entries;
	uint64_t states;
	uint64_t events;
	uint64_t messages;
};

/** Something that a format cannot carry. */
struct exportLoss {
	const char *what;
	uint64_t count;
};

/** A format. */
struct exportFormat {
	const char *name;
	const char *suffix;    /**< What comes behind the project's name. */
	bool isDirectory;      /**< Several files, in a directory. */
	bool keepsDescription; /**< Of the project. */
	/**
	 * Write it. NULL if it was not built.
	 *
	 * @retval 0 Success.
	 * @retval -1 Error; it was said.
	 */
	int (*write)(struct export *export);
};

extern const struct exportFormat exportCtf;
extern const struct exportFormat exportCsvLong;
extern const struct exportFormat exportCsvWide;
extern const struct exportFormat exportJson;
extern const struct exportFormat exportOpenMetrics;
extern const struct exportFormat exportOtf2;
extern const struct exportFormat exportParaver;
extern const struct exportFormat exportPerfetto;

/** Note that something was not carried; @p what must stay. */
void exportLose(struct export *export, const char *what, uint64_t count);

/**
 * Start a file of the export.
 *
 * @param name Its name in the directory; NULL if the format is one file.
 *
 * @retval 0 Success; to be ended with exportEndFile().
 * @retval -1 Error; it was said.
 */
int exportStartFile(struct export *export, struct newFile *file,
		    const char *name);

/**
 * End a file.
 *
 * @param hasFailed Whether its content is no good; then it is removed.
 *
 * @return As of exportStartFile().
 */
int exportEndFile(struct export *export, struct newFile *file, bool hasFailed);

/** Start to read a group; NULL if it cannot be read, which was said. */
hdIStatReader *exportOpenStat(struct export *export, const hdIGroup *group);

/** Start to read a trace in the order of time; NULL as above. */
struct ordered *exportOpenTrace(struct export *export,
				const hdITraceFile *trace);

/** Take the next step of a trace; 1, 0 at the end, -1 after an error. */
int exportReadTrace(struct export *export, struct ordered *ordered,
		    const hdITraceFile *trace, struct orderedStep *step);

/** Note what no format but csv and json carries of the project as a whole. */
void exportLoseProject(struct export *export);

/** Get a value of an entry as a number; NaN for a string. */
double exportNumber(const hdIBlock *block, hdIType type, size_t column,
		    size_t entry);

#endif
