/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace diagnose: what its parts share.
 */
#ifndef HD_DIAGNOSE_H
#define HD_DIAGNOSE_H

#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/model/layers/outliers.h"
#include "HDTraceTools/relations/relations.h"

/** So many trees are shown to people, and so many relations of each. */
#define DIAGNOSE_TOP 1
#define DIAGNOSE_ROOM 20
/** So many relations of a tree are told to programs. */
#define DIAGNOSE_ROOM_JSON 200

/** The whole command; hdtrace report prints with a part of it. */
struct diagnose {
	struct tool *tool;
	const struct layers *layers;
	const GArray *outliers; /**< Of outliersFind(). */
	const GPtrArray *out;   /**< Of outliersOut(). */
	const GArray *longest;  /**< uint32_t: requests, the longest first. */
	int64_t start;          /**< When the project began. */
	struct relationsRun *relations; /**< That they are of, or NULL. */
	struct outJson *json;
};

/** Print what was found. */
void diagnosePrintText(const struct diagnose *self);
/** Print the layers only, as text. */
void diagnosePrintLayers(const struct diagnose *self);
/** Print the verdicts, or that there are none, as text. */
void diagnosePrintVerdicts(const struct diagnose *self);
void diagnosePrintCsv(const struct diagnose *self);
/** Put `found`, `verdicts`, `layers`, `held` and `order` into an object. */
void diagnosePut(const struct diagnose *self);
void diagnosePrintJson(const struct diagnose *self);

#endif
