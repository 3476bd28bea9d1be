/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Reading .info files: lines that a traced program wrote for the merger.
 */
#ifndef HD_INFOFILE_H
#define HD_INFOFILE_H

#include <glib.h>
#include <inttypes.h>

#include "HDTraceTools/command/core/tool.h"
#include "common/clockfit.h"

/** What a line describes. */
enum infoKind {
	INFO_FILE,
	INFO_COMM,
	INFO_TYPE,
	INFO_CLOCK,
	INFO_COMM_NAME,
	INFO_PROCESS, /**< The thread that wrote the trace. */
	INFO_STEP,    /**< The wall clock was set. */
};

/** A rank of a communicator. */
struct infoRank {
	int64_t global;
	int64_t local;
};

/** A line; what does not belong to its kind is NULL. */
struct infoLine {
	enum infoKind kind;
	int64_t line;   /**< Number in the file, from 1. */
	int64_t offset; /**< Where it starts in the file. */
	int64_t id;
	char *name;
	int64_t size;  /**< Of a file. */
	GArray *ranks; /**< Of a communicator: struct infoRank, by global. */
	/** Of an intercommunicator: those of the other group, likewise; NULL if
	 *  the communicator is none. */
	GArray *remote;
	/** Processes of both groups, those of other programs included. */
	int64_t groupSize;
	int64_t remoteSize;
	char *uid;   /**< Of a communicator: the same in all ranks, or NULL. */
	char *order; /**< Of a type that is an array: "C", or NULL. */
	char *distribs;    /**< How such an array is distributed, or NULL. */
	char *combiner;    /**< Of a type, without "MPI_COMBINER_". */
	GArray *integers;  /**< Of a type: int64_t. */
	GArray *addresses; /**< Of a type: int64_t. */
	GArray *types;     /**< Of a type: int64_t. */
	/** Of a step the time and, as offset, what the clock was set by. */
	struct hdClockPoint clock;
	char *method; /**< Of a clock. */
};

/**
 * Parse the content of an .info file. What is wrong is reported, and the line
 * left out.
 *
 * @param file Its path, for messages.
 *
 * @return Array of struct infoLine; to be freed with g_ptr_array_unref().
 */
GPtrArray *infoParse(struct tool *tool, const char *file, const char *text,
		     size_t size);

/**
 * Read an .info file.
 *
 * @return As of infoParse(); NULL if the file cannot be read, which was said.
 */
GPtrArray *infoRead(struct tool *tool, const char *file);

/** Whether all lines are about a host or a process, and so need no rank. */
bool infoIsOfHost(const GPtrArray *lines);

#endif
