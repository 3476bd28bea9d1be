/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Measuring what an operation costs, beside a peer that does the same work.
 *
 * A work is a function, for us and for the peer, that prepares what it needs,
 * does `run->count` operations between benchStart() and benchStop(), and
 * removes what it left. The repetitions of all works of a subject take turns,
 * ours and the peer's next to each other, so that whatever else the machine
 * does meets all of them; the first round only warms up. Of the others the
 * median counts.
 *
 * Two costs are measured, both in CPU time: that of the calling thread, which
 * is what the traced program pays, and that of the whole process, which holds
 * what background threads did meanwhile.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** One repetition of a work. */
struct benchRun {
	size_t count;   /**< Operations to do. */
	double thread;  /**< CPU time of the calling thread, in ns. */
	double process; /**< CPU time of the process, in ns. */
	double wall;    /**< Time passed, in ns. */
	double bytes;   /**< Read or written files, if the work says so. */
	double peakMb;  /**< Memory, if the work says so. */
	double sum;     /**< Of all values, if the work reads. */
};

typedef void (*benchFunction)(struct benchRun *run);

/** What a work costs, per operation. */
struct benchCost {
	double thread;       /**< Median, in ns. */
	double threadSpread; /**< Median distance from it, as a part of it. */
	double threadMin;
	double threadMax;
	double process; /**< Median, in ns. */
	double processSpread;
	double mbPerS; /**< Of the median repetition; 0 if it read no file. */
	double peakMb; /**< Largest of all repetitions. */
};

/** Something to measure. A limit of 0 is none. */
struct benchWork {
	const char *name;
	size_t count; /**< Operations in a repetition. */
	benchFunction ours;
	benchFunction peer; /**< NULL if there is none. */
	size_t peerCount;   /**< 0 is the same. */
	bool isAlone;       /**< No peer does this. */
	double ratioMax;    /**< Target: ours / peer. */
	double nsMax;       /**< Target, per operation. */
	double mbPerSMin;   /**< Target, of file. */
	double peakMbMax;   /**< Target, of memory. */

	struct benchCost ourCost; /**< Results. */
	struct benchCost peerCost;
};

/** Works that take turns. */
struct benchSubject {
	const char *name; /**< To choose it. */
	const char *title;
	const char *operation; /**< What one operation is. */
	const char *peerName;  /**< NULL if no work has a peer. */
	struct benchWork *works;
	size_t count;
	int repetitions;       /**< Besides warming up; 0 is 9. */
	void (*prepare)(void); /**< May be NULL, as is destroy. */
	void (*destroy)(void);
};

extern struct benchSubject benchFloors;
extern struct benchSubject benchDisabled;
extern struct benchSubject benchRead;
extern struct benchSubject benchRelations;
extern struct benchSubject benchStat;
extern struct benchSubject benchExport;
extern struct benchSubject benchPredict;
extern struct benchSubject benchPredictHuge;

#define BENCH_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/** Columns of a statistics entry, and its bytes in the file. */
#define BENCH_COLUMNS 15
#define BENCH_ENTRY_SIZE (8 + 8 * BENCH_COLUMNS)

/** What benchValue() adds to. */
extern const double benchValues[BENCH_COLUMNS];

/** Make a value of an entry, another one in every entry, at little cost. */
static inline double benchValue(size_t entry, size_t column)
{
	return benchValues[column] + (double)(int64_t)entry;
}

/** The clock starts. */
void benchStart(struct benchRun *run);

/** The clock stops. */
void benchStop(struct benchRun *run);

/** Run a command, ARGUMENTS with NULL behind them, and take its CPU time and
 * its memory; it may find problems in the data. What it prints is dropped. */
void benchCommand(struct benchRun *run, const char *const *arguments);

/** Run a work in a child, which takes its memory with it. */
void benchInChild(struct benchRun *run, benchFunction function);

/** Options of the run. */
struct benchOptions {
	bool isQuick;          /**< A tenth of the operations, 3 repetitions. */
	const char *hdtrace;   /**< Path of the command. */
	const char *hdpredict; /**< Likewise. */
};

extern struct benchOptions benchOptions;

/** Scale a number of operations for the quick mode. */
size_t benchScaled(size_t count);

/** A function behind which there is nothing. */
struct benchFlag {
	bool isOff;
};

/** Ask whether there is anything to do; false, or true and the name is looked
 * at. */
bool benchAsk(const struct benchFlag *flag, const char *name);

/** Where output goes. */
extern const char *benchDirectory;

/** Remove a directory with all in it. */
void benchRemoveTree(const char *path);

/** Get a path in the directory for output, to be freed. */
char *benchPath(const char *name);

/** Remove a file in that directory, or a directory with all in it. */
void benchRemove(const char *name);

/** Get the size of a file in that directory. */
double benchFileSize(const char *name);

/** Tell how often the works of a subject are repeated. */
int benchRepetitions(const struct benchSubject *subject);

/** Print the results of a subject as a table. */
void benchPrint(const struct benchSubject *subject);

/** Append the results of a subject to a file of comma-separated values. */
void benchSave(const struct benchSubject *subject, FILE *file);

/** End the program unless @p isGood. */
void benchCheck(bool isGood, const char *what);

#endif
