/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Writing task graphs in the form that the user chooses.
 */
#ifndef HD_PREDICT_WRITEGRAPH_H
#define HD_PREDICT_WRITEGRAPH_H

#include "PredictionLibrary/command/hdpredict.h"

/** Help of options for the form of a graph. */
#define PREDICT_FORMS "Form of the graph: xml, binary or metis "

/** Find the number of a form by its name, or NULL for XML; -1 after a message:
 *  commands check it before they do the work. */
int predictForm(struct predict *predict, const char *option, const char *form);

/**
 * Write a graph.
 *
 * @param form "xml", "binary" or "metis".
 * @param result For times of tasks in XML, or NULL.
 * @param resources For weights of tasks for METIS, or NULL.
 *
 * @return Exit status.
 */
int predictWrite(struct predict *predict, const hdPGraph *graph,
		 const char *path, const char *form, const hdPResult *result,
		 const hdPResources *resources);

#endif
