/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing task graphs; see writegraph.h. */
#include "config.h"

#include "PredictionLibrary/command/errors.h"
#include "PredictionLibrary/command/metisgraph.h"
#include "PredictionLibrary/command/writegraph.h"

int predictForm(struct predict *predict, const char *option, const char *form)
{
	static const char *const forms[] = { "xml", "binary", "metis", NULL };

	return form ? predictChoose(predict, option, form, forms) : 0;
}

int predictWrite(struct predict *predict, const hdPGraph *graph,
		 const char *path, const char *form, const hdPResult *result,
		 const hdPResources *resources)
{
	int number = predictForm(predict, "--to", form);
	int ret;

	if (number < 0)
		return PREDICT_FAILED;
	if (number == 2)
		return metisWrite(predict, graph, resources, path);
	ret = hdP_writeGraph(graph, path, number ? HDP_BINARY : HDP_XML,
			     result);
	if (ret < 0)
		return predictErrorWrite(predict, path, ret);
	return PREDICT_OK;
}
