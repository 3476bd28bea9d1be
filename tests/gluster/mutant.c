/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A translator with a mistake, for the test of the tests: at one place, BMI,
 * the token is not handed on. It is linked in front of operationBegin().
 */
#include "config.h"

#include <string.h>

#include "GlusterFSTracing/xlator/operation.h"

dict_t *__real_operationBegin(call_frame_t *frame, struct instance *instance,
			      const struct operationAbout *about, dict_t *xdata,
			      struct operationWay *way);
dict_t *__wrap_operationBegin(call_frame_t *frame, struct instance *instance,
			      const struct operationAbout *about, dict_t *xdata,
			      struct operationWay *way);

dict_t *__wrap_operationBegin(call_frame_t *frame, struct instance *instance,
			      const struct operationAbout *about, dict_t *xdata,
			      struct operationWay *way)
{
	dict_t *handed =
		__real_operationBegin(frame, instance, about, xdata, way);

	if (strcmp(instance->layer, "BMI") != 0)
		return handed;
	operationPassed(handed, xdata);
	return xdata;
}
