/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * Task graphs as XML.
 */
#ifndef HD_PREDICT_GRAPHXML_H
#define HD_PREDICT_GRAPHXML_H

#include "PredictionLibrary/model/graph.h"
#include "PredictionLibrary/model/sax.h"

/** Read a graph into an empty one, and seal it; as hdP_readGraph(). */
int hdPredictGraphReadXml(struct hdPredictSource *source, hdPGraph *graph,
			  struct hdPredictReport *report);

/** Read what a binary form has of XML, kernels, without resolving them. */
int hdPredictKernelsReadXml(struct hdPredictSource *source, hdPGraph *graph,
			    struct hdPredictReport *report);

#endif
