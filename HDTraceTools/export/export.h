/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export: what the formats have in common.
 */
#ifndef HD_EXPORT_H
#define HD_EXPORT_H

#include "cli/newfile.h"
#include "HDTraceTools/command/parts.h"
#include "HDTraceTools/command/core/scan.h"
#include "HDTraceTools/command/select.h"
#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/command/windowoption.h"
#include "HDTraceTools/model/ordered.h"
#include "HDTraceTools/model/window.h"
#include "cli/output.h"

struct exportFormat;

/** A group of statistics, with the values that were asked for. With windows
 *  they are those of merged entries, and the group is another than the one that
 *  is read. */
struct exportGroup {
	const hdIGroup *group;
	const hdIGroup *source; /**< That is read. */
	struct window *window;  /**< Has the group; NULL without windows. */
	size_t valueCount;
	const hdIValue **values;
	size_t *columns; /**< Where they are in blocks. */
};

/** A running export. */
struct export
{
	struct tool *tool;
	const hdIProject *project;
	const struct exportFormat *format;
	char *output; /**< File or directory; "-" is stdout. */
	gboolean isForced;
	bool madeOutput; /**< The directory. */
	gboolean isAsRecorded;
	gboolean isVerbose;
	gboolean hasFindings;
	struct selection selection;
	struct windowOption window;
	struct phases windows; /**< Those that are asked for. */
	struct extent run;
	struct scan scan; /**< Set by exportChoose(). */
	bool hasStats;    /**< What --only says. */
	bool hasTraces;
	bool hasRelations; /**< And there are some where it was asked. */
	/* What was asked for, and can be read. */
	GPtrArray *groups; /**< struct exportGroup, in the project's order. */
	GPtrArray *traces; /**< const hdITraceFile */
	GHashTable *nodes; /**< hdINode of these, and all above them. */
	GPtrArray *files;  /**< Paths that were written. */
	GArray *losses;    /**< struct exportLoss */
	struct addresses *addresses; /**< Of call sites. */
	double speed;                /**< Operations per second, for SimGrid. */
	/* What was carried. */
	uint64_t entries;
	uint64_t states;
	uint64_t events;
	uint64_t messages;
	uint64_t relations;
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
	bool keepsClocks;      /**< How exactly they were compared. */
	bool keepsDetails;     /**< What else is known of windows. */
	bool keepsRelations;
	bool keepsFindings;
	bool isWhole; /**< No part of a run can be written. */
	/** Why it cannot be written, or NULL; may be missing itself: it can. */
	const char *(*missing)(void);
	/**
	 * Write it.
	 *
	 * @retval 0 Success.
	 * @retval -1 Error; it was said.
	 */
	int (*write)(struct export *export);
};

/** The formats, one line each, in the order in which they are listed. */
#define EXPORT_FORMATS(X) \
	X(Arrow)          \
	X(CsvLong)        \
	X(CsvWide)        \
	X(Ctf)            \
	X(Json)           \
	X(OpenMetrics)    \
	X(Otlp)           \
	X(Otf2)           \
	X(Paraver)        \
	X(Perfetto)       \
	X(Simgrid)

#define EXPORT_DECLARE(name) extern const struct exportFormat export##name;
EXPORT_FORMATS(EXPORT_DECLARE)

struct finding;
typedef void exportTakeFinding(const struct finding *finding, void *data);

/** Take the findings of the whole run, those that cost most first. */
void exportFindings(struct export *export, exportTakeFinding *take, void *data);

/** Ranks of a finding (struct findingShare) as text, "0,1"; to be freed. */
char *exportFindingRanks(const GArray *shares);

/** Its causes as text, for g_free(): "rank 1 in read 0.500000000 s, rank 2
 *  outside of states 0.250000000 s, indirect 1.000000000 s, other 0.010000000
 *  s"; "": none. */
char *exportFindingCauses(const struct finding *finding);

/** Of messages that are put together by their order, with something missing. */
#define EXPORT_UNSURE "matching of messages (some are missing)"

/** Note that something was not carried; @p what must stay. */
void exportLose(struct export *export, const char *what, uint64_t count);

/** The name of a file of a project, without directory and .zst. */
char *exportBaseName(const char *path);

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

/** Write a file to its end; in its turn it gets its name by exportEndFile().
 *  Returns the same. */
int exportCloseFile(struct export *export, struct newFile *file,
		    bool hasFailed);

/** Allow as many open files as there may be. */
void exportAllowFiles(void);

/** Find out what was asked for, and forget it. */
void exportChoose(struct export *export);
void exportForget(struct export *export);

/** The files of an export have numbers: its groups, then its traces. */
static inline size_t exportFileCount(const struct export *export)
{
	return export->groups->len + export->traces->len;
}

/** Get the group of a number; NULL: that is a trace's. */
const struct exportGroup *exportGroupAt(const struct export *export,
					size_t number);

/** Get the trace of a number that is no group's. */
const hdITraceFile *exportTraceAt(const struct export *export, size_t number);

/** Count the file of a number as done, for who looks at the progress. */
void exportFileDone(const struct export *export, size_t number);

/**
 * Start what a part of an export does in any thread: a copy of the export that
 * speaks as the part does, and begins to count, to lose and to write files.
 *
 * @param begun A copy of the export from before the first part.
 */
struct export *exportStartPart(const struct export *begun, struct part *part);

/** Add all that to the export, in the order of the parts, and free the copy. */
void exportEndPart(struct export *export, struct export *own);

/** Whether a node, or one below it, has something that was asked for. */
static inline bool exportHasNode(const struct export *export,
				 const hdINode *node)
{
	return g_hash_table_contains(export->nodes, node);
}

/** Reads the entries of a group; merged ones where there are windows. */
struct exportReader;

/** Start to read a group; NULL if it cannot be read, which was said. */
struct exportReader *exportOpenStat(struct export *export,
				    const struct exportGroup *group);

/** Stop reading; NULL does nothing. */
void exportCloseStat(struct exportReader *reader);

/** Entries of a block that were asked for: from first to before last. */
struct exportEntries {
	const hdIBlock *block;
	size_t first;
	size_t last;
};

/** Read the next entries of a group; false at the end. NULL has none. */
bool exportReadStat(struct exportReader *reader, struct exportEntries *entries);

/** What merging a group over windows loses. */
void exportLoseMerged(struct export *export, uint64_t entries,
		      uint64_t readings);

/** What windows are made of a group; details if the format keeps them. */
struct windowSource exportWindowSource(const struct export *export,
				       const hdIGroup *group);

/** The values in a column of a group's blocks. */
static inline const hdIColumn *exportColumn(const struct exportGroup *group,
					    const hdIBlock *block, size_t value)
{
	return &block->columns[group->columns[value]];
}

/** Note what no format but csv and json carries of a value. */
void exportLoseValue(struct export *export, const hdIValue *value);

/** Start to read a trace in the order of time; NULL as above. */
struct ordered *exportOpenTrace(struct export *export,
				const hdITraceFile *trace);

/** Take the next step of a trace, and whether it was asked for; 1, 0 at the
 *  end, -1 after an error. */
int exportReadStep(struct export *export, struct ordered *ordered,
		   const hdITraceFile *trace, struct orderedStep *step,
		   bool *isChosen);

/** Take the next step of a trace that was asked for; returns the same. */
int exportReadTrace(struct export *export, struct ordered *ordered,
		    const hdITraceFile *trace, struct orderedStep *step);

/** Take attributes of a state, and of what is in it as "ELEMENT.NAME"; instead
 * of the number of its call site, what that is. */
typedef void exportTakeAttribute(void *data, const char *name,
				 const char *value);
void exportAttributes(const struct export *export, const hdIRecord *record,
		      const struct site *site, exportTakeAttribute *take,
		      void *data);

/** Note what no format but csv and json carries of the project as a whole. */
void exportLoseProject(struct export *export);

#endif
