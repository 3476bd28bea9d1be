/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace merge: the files of a project and what is made from them.
 */
#ifndef HD_MERGE_H
#define HD_MERGE_H

#include <stdio.h>
#include <glib.h>

#include "cli/newfile.h"
#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/edit/infofile.h"
#include "common/clockfit.h"

/** More levels than a file name can have labels. */
#define MERGE_LEVELS_MAX 256

/** A header is looked for in this many bytes. */
#define MERGE_HEAD_SIZE 1048576

/** Kinds of files of a project. */
enum mergeKind {
	MERGE_TRACE,
	MERGE_INFO,
	MERGE_STAT,
	MERGE_RELATIONS,
};

/** A node of the topology. */
struct mergeNode {
	char *label;
	char *path; /**< Labels joined with '_'; "" for the root. */
	struct mergeNode *parent;
	GPtrArray *children; /**< Sorted by label. */
	unsigned int level;
};

/** A file of the project. */
struct mergeFile {
	enum mergeKind kind;
	char *path;
	char *stem;  /**< Its name without directory and extension. */
	char *rest;  /**< Of the stem behind the prefix: "node01_0". */
	char *group; /**< Of statistics, from the header; NULL if unreadable. */
	char **labels; /**< In the header of statistics; NULL likewise. */
	char **levels; /**< That a trace, or relations, name; or NULL. */
	char *owner;   /**< Of relations: what their tokens begin with. */
	/** Path of the node whose clock the times are from; NULL: its own. */
	char *clockNode;
	bool isCorrected; /**< Its times are those of the reference. */
	bool hasBase;     /**< Its clock has a base; see bases.c. */
	bool isCompared;  /**< It is of a process that compared clocks. */
	int64_t base;
	int64_t shift; /**< To the base of its host, which is newBase; 0: none.
			*/
	int64_t newBase;
	struct mergeNode *node;
};

/** A clock that was compared with the reference. */
struct mergeClock {
	const struct mergeNode *node; /**< The host. */
	char *method;
	GArray *points; /**< struct hdClockPoint, after hdClockFit(). */
};

/** A merge. */
struct merge {
	struct tool *tool;
	char *directory;
	char *name;       /**< Of the project, as in file names. */
	char *prefix;     /**< Directory and name. */
	GPtrArray *files; /**< struct mergeFile, sorted by name. */
	struct mergeNode *root;
	GHashTable *byPath;     /**< Nodes but the root. */
	GHashTable *groupNames; /**< Of groups. */
	unsigned int depth;     /**< Levels below the root. */
	char **levels;          /**< Their types; at least depth. */
	GPtrArray *groups;      /**< Names of groups, sorted. */
	GPtrArray *clocks;      /**< struct mergeClock, by path of the node. */
	GPtrArray *moved;       /**< struct mergeClock, of other bases. */
	GArray *steps;          /**< Of clocks; see bases.c. */
	bool hasRawTimes;       /**< Clocks are not to be applied. */
	size_t nodes;
	size_t communicators;
	size_t datatypes;
	size_t usedFiles;
};

/** Show how much of a file was copied: a newFileCopied of a struct tool. */
void mergeShowCopied(void *tool, off_t size);

/**
 * Copy the files of a project from other directories to where the rest is.
 *
 * @param argument As of mergeFind(); of a directory, all files are of the
 *                 project.
 * @param directories NULL terminated.
 *
 * @retval -1 Go on.
 * @return The exit status; the reason was said. Where files differ from those
 *         that are there nothing was copied.
 */
int mergeCollect(struct tool *tool, const char *argument,
		 char *const *directories);

/** Of which kind a file is, by its name; false: it is of none. */
bool mergeKindOf(const char *name, enum mergeKind *kind);

/**
 * Report relations of two processes that cannot be told apart: they
 * would be taken for the same.
 *
 * @param owners struct mergeFile by owner, of files before; these are added.
 */
void mergeAddOwners(struct tool *tool, GHashTable *owners,
		    const GPtrArray *files);

/** Types of levels that are used if none are known. */
char *mergeDefaultLevel(unsigned int level);

/** Order labels as people do: "node2" before "node10". */
int mergeCompareLabels(const char *a, const char *b);

/**
 * Find the files of a project and place them in a topology.
 *
 * @param argument The prefix, a .proj, or a directory with one project.
 * @param levels Types of the levels if they were given, or NULL.
 *
 * @retval -1 Go on.
 * @return The exit status; the reason was said.
 */
int mergeFind(struct merge *merge, const char *argument, char **levels);

/** Free what mergeFind() took. */
void mergeFree(struct merge *merge);

/** Write a text to a new file. -1: go on; else the exit status, it was said. */
int mergeWriteText(struct tool *tool, const char *path, const GString *content,
		   bool isForced);

/** Print what a project that was written consists of. */
void mergePrintText(const struct merge *merge, const char *path);

/** Begin a document of JSON with the same; it is left open. */
void mergeStartJson(struct outJson *json, const struct merge *merge,
		    const char *path);

/** What goes into the .proj beside what the files say. */
struct mergeTexts {
	const char *name;
	const char *description;
};

/** Make the content of the .proj. */
GString *mergeWriteProject(struct merge *merge, const struct mergeTexts *texts);

/**
 * Correct the times of files, by clocks that were compared, and add to their
 * time adjustment. Files that were corrected before are not corrected again.
 *
 * @param adjustments "NODE=SECONDS", NULL terminated; may be NULL.
 *
 * @retval -1 Go on.
 * @return The exit status; the reason was said, and nothing was changed.
 */
int mergeAdjust(struct merge *merge, char **adjustments);

/** What is to be done to a file. */
struct mergeChange {
	int64_t add;         /**< To the time adjustment. */
	const int64_t *base; /**< Of its clock now; NULL: as before. */
	const struct mergeClock *clock; /**< NULL: times are right. */
	bool isCorrected; /**< By what is added, which is all of the clock. */
	/* Of a copy of the file: */
	const char *path;    /**< Its own; NULL: it takes the file's place. */
	const char *levels;  /**< That it names, if it does; or NULL. */
	char *const *labels; /**< Of statistics; NULL: as they are. */
};

/**
 * Write the new form of a file, to be ended with newFileCommit() or
 * newFileAbort().
 *
 * @retval -1 Go on.
 * @return The exit status; the reason was said, and there is no new file.
 */
int mergePrepare(struct merge *merge, const struct mergeFile *file,
		 const struct mergeChange *change, struct newFile *new);

/**
 * Compress a file with corrected times.
 *
 * @param file The old file.
 * @param plain The corrected plain file.
 * @param growth By how many bytes the header has grown.
 *
 * @return 0 or a negative errno.
 */
int mergeRecompress(const struct mergeFile *file, FILE *plain, int64_t growth,
		    FILE *out);

/** Close what one of these wrote, with its path: nothing of many files is
 * committed before all are on disk. As mergePrepare(). */
int mergeClose(struct tool *tool, const char *path, struct newFile *new);

/** The same of a copy of a file as it is. */
int mergePrepareCopy(struct tool *tool, const char *from, const char *to,
		     struct newFile *new);

/** Add a point to the clock of a file's host; an error if it has none. */
void mergeAddClock(struct merge *merge, const struct mergeFile *file,
		   const struct infoLine *line);

/** The host that a node belongs to, or NULL. */
const struct mergeNode *mergeHostOf(const struct merge *merge,
				    const struct mergeNode *node);

/** Make the list of steps. */
GArray *mergeNewSteps(void);

/** Add a step of the clock of a file's host. */
void mergeAddStep(struct merge *merge, const struct mergeFile *file,
		  const struct infoLine *line);

/** The process that wrote an .info file has compared the clock of its host. */
void mergeMarkCompared(struct merge *merge, const struct mergeFile *info);

/** Find what aligns the files of each host; no step can be added any more. */
void mergeAlignBases(struct merge *merge);

/** Sort the clocks and their points; no point can be added any more. */
void mergeFitClocks(struct merge *merge);

/** Write the elements of the clocks, if they are applied. */
void mergeWriteClocks(GString *out, const struct merge *merge);

/** The clock that is to be applied to a file; NULL if there is none. */
const struct mergeClock *mergeClockOf(struct merge *merge,
				      const struct mergeFile *file);

/** What the reference showed at a time of a clock. */
int64_t mergeCorrect(const struct mergeClock *clock, int64_t time);

/**
 * Write what follows the head of a trace, with corrected times.
 *
 * @param rest Behind the head; of @p size bytes.
 * @param oldBase The time that times in it are relative to.
 * @param newBase The same, in the new head.
 * @param tool Shows how far that is.
 */
void mergeCorrectTrace(struct tool *tool, const struct mergeClock *clock,
		       const char *rest, size_t size, int64_t oldBase,
		       int64_t newBase, FILE *out);

/**
 * The same of relations.
 *
 * @param clock NULL: only @p add counts.
 * @param add To all times.
 */
void mergeCorrectRelations(struct tool *tool, const struct mergeClock *clock,
			   int64_t add, const char *rest, size_t size,
			   int64_t oldBase, int64_t newBase, FILE *out);

/**
 * Write the binary part of a statistics file, with corrected times.
 *
 * @param adjustment What readers add to the time stamps.
 */
void mergeCorrectStat(struct tool *tool, const struct mergeClock *clock,
		      const hdIGroup *group, const char *data, size_t size,
		      int64_t adjustment, FILE *out);

/**
 * Parse a shift of times: seconds with at most nine decimals, or a duration
 * with a unit.
 */
bool mergeParseShift(const char *text, int64_t *ns);

/** Whether the adjustments make sense; as mergeAdjust(), changing nothing. */
int mergeCheckAdjust(struct merge *merge, char **adjustments);

#endif
