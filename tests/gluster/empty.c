/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A translator that does nothing with an operation but hand it on, and its
 * result back, in a frame of its own, as GlusterFS' own do that want to see
 * results: what overhead.sh compares with.
 */
#include "config.h"

#include "GlusterFSTracing/xlator/fops.h"
#include "GlusterFSTracing/xlator/gluster.h"

#define DEFINE_FOP(name, INDEX, PARAMETERS, ARGUMENTS, RESULTS, RESULT_ARGS, \
		   ABOUT, NEW)                                               \
	static int32_t name##Done(call_frame_t *frame, void *cookie,         \
				  xlator_t *this, int32_t op_ret,            \
				  int32_t op_errno, RESULTS)                 \
	{                                                                    \
		(void)cookie;                                                \
		(void)this;                                                  \
		STACK_UNWIND_STRICT(name, frame, op_ret, op_errno,           \
				    RESULT_ARGS);                            \
		return 0;                                                    \
	}                                                                    \
                                                                             \
	static int32_t name##Wind(call_frame_t *frame, xlator_t *this,       \
				  PARAMETERS, dict_t *xdata)                 \
	{                                                                    \
		STACK_WIND(frame, name##Done, FIRST_CHILD(this),             \
			   FIRST_CHILD(this)->fops->name, ARGUMENTS, xdata); \
		return 0;                                                    \
	}

HDG_FOPS(DEFINE_FOP)

#define LIST_FOP(name, ...) .name = name##Wind,
static struct xlator_fops emptyFops = { HDG_FOPS(LIST_FOP) };
static struct xlator_cbks emptyCbks;

static int32_t emptyInit(xlator_t *this)
{
	return this->children && !this->children->next ? 0 : -1;
}

static void emptyFini(xlator_t *this)
{
	(void)this;
}

extern xlator_api_t xlator_api;
xlator_api_t xlator_api = {
	.init = emptyInit,
	.fini = emptyFini,
	.op_version = { 1 },
	.fops = &emptyFops,
	.cbks = &emptyCbks,
	.identifier = "empty",
	.category = GF_EXPERIMENTAL,
};
