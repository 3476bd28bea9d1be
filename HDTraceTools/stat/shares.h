/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace stat --shares: what part of the run each trace was in each state,
 * what that cost, and in which C-states the CPUs were, with figures for each
 * column.
 */
#ifndef HD_STAT_SHARES_H
#define HD_STAT_SHARES_H

#include <inttypes.h>

#include <glib.h>

#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/choice/selection.h"
#include "HDTraceTools/model/attribution.h"
#include "cli/known.h"

/** A cell. */
struct shareCell {
	double amount;      /**< In the unit of the table; NaN: not known. */
	int64_t seconds;    /**< Of states: time in them, in ns; else -1. */
	struct known known; /**< What the amount is of. */
};

/** What is told of a column. */
enum shareFigure {
	SHARE_TOTAL,
	SHARE_AVERAGE,
	SHARE_MAXIMUM,
	SHARE_MINIMUM,
	SHARE_STDDEV,  /**< Of all that there are, not of a sample. */
	SHARE_BALANCE, /**< Average by maximum: 1 if all have the same. */
	SHARE_FIGURES,
};

/** A table: one row for each trace or CPU, one column for each state. */
struct shareTable {
	const char *key;   /**< "time", "energy" or "cstates". */
	const char *title; /**< For people. */
	const char *unit;
	const char *group; /**< Where power comes from; else NULL. */
	const char *value;
	bool isSimulated;
	bool isTotal;        /**< Amounts are totals: what is known in part is
			      *   marked. */
	GPtrArray *nodes;    /**< Path of each row. */
	GPtrArray *cpus;     /**< Its CPU as text, or NULL: not a CPU. */
	GPtrArray *states;   /**< Name of each column; NULL: in none. */
	GArray *cells;       /**< struct shareCell, by rows. */
	GStringChunk *texts; /**< Names, if nobody else has them. */
};

/** Make one without rows and columns; the texts stay. */
struct shareTable *shareTableNew(const char *key, const char *title,
				 const char *unit);

/** Add a row; its cells are to be added. Texts stay. */
void shareTableRow(struct shareTable *self, const char *node, const char *cpu);

/** Free it; NULL does nothing. */
void shareTableFree(struct shareTable *self);

/** Get a cell. */
const struct shareCell *shareTableCell(const struct shareTable *self, guint row,
				       guint column);

/**
 * Get a figure of a column, of the rows whose amount is known.
 *
 * @param[out] rows How many these are.
 *
 * @return As a cell; NaN if there are none.
 */
struct shareCell shareTableFigure(const struct shareTable *self, guint column,
				  enum shareFigure figure, guint *rows);

/**
 * Print the tables.
 *
 * @param rule How power is divided.
 *
 * @retval 0 Success, as far as messages say.
 * @retval -1 Error; it was said.
 */
int sharesPrint(struct tool *tool, const hdIProject *project,
		const struct selection *selection, enum attributionRule rule);

#endif
