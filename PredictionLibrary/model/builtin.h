/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * What is built in: boards and tables of Jörg Walter's thesis of 2020.
 */
#ifndef HD_PREDICT_BUILTIN_H
#define HD_PREDICT_BUILTIN_H

#include "PredictionLibrary/model/platform.h"
#include "PredictionLibrary/model/resources.h"
#include "PredictionLibrary/model/sax.h"

/** Make a platform that is built in; -ENOENT: none has this name. */
int hdPredictBuiltinPlatform(const char *name, hdPPlatform *platform);

/** Make a resource model that is built in; -ENOENT: none has this name. */
int hdPredictBuiltinResources(const char *name, hdPResources *resources);

/** Read a platform into an empty one, and seal it; as hdP_readPlatform(). */
int hdPredictPlatformReadXml(struct hdPredictSource *source,
			     hdPPlatform *platform,
			     struct hdPredictReport *report);

/** Read a resource model into an empty one, likewise. */
int hdPredictResourcesReadXml(struct hdPredictSource *source,
			      hdPResources *resources,
			      struct hdPredictReport *report);

#endif
