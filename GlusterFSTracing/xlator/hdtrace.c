/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The translator debug/hdtrace: each operation of GlusterFS is wound to the
 * only subvolume, and what passes is recorded. The functions are made of the
 * table in fops.h.
 */
#include "config.h"

#include "GlusterFSTracing/xlator/controlled.h"
#include "GlusterFSTracing/xlator/fops.h"
#include "GlusterFSTracing/xlator/mpi.h"
#include "GlusterFSTracing/xlator/operation.h"
#include "GlusterFSTracing/xlator/instance.h"

/* ---- Operations -------------------------------------------------------- */

#define ON_PATH(at) about.loc = (at);
#define ON_FILE(file) about.fd = (file);
#define ON_NOTHING
#define AT(at) about.offset = (int64_t)(at), about.hasOffset = true;
#define OF(bytes) about.size = (int64_t)(bytes), about.hasSize = true;
#define LOCKS(does) about.waits = (does);
#define MOVES_BYTES about.movesBytes = true;

/* Hand an operation on in the frame in which it came: STACK_WIND_TAIL() without
 * its message, which takes more than all of this. Calls of the translator below
 * are counted as STACK_WIND() does it, by which most come to us that would come
 * to it; STACK_WIND_TAIL() counts those of a lowest one only, so of whoever
 * uses that above us more is counted than without us. */
#define HAND_ON(name, ...)                                                    \
	do {                                                                  \
		xlator_t *below = FIRST_CHILD(this);                          \
		xlator_t **at = __glusterfs_this_location(), *before = *at;   \
		const int index =                                             \
			(int)get_fop_index_from_fn(below, below->fops->name); \
                                                                              \
		frame->this = below;                                          \
		frame->wind_to = #name;                                       \
		*at = below;                                                  \
		if (below->pass_through) {                                    \
			below->pass_through_fops->name(frame, below,          \
						       __VA_ARGS__);          \
		} else {                                                      \
			GF_ATOMIC_INC(below->stats[index].total_fop);         \
			GF_ATOMIC_INC(below->stats[index].interval_fop);      \
			below->fops->name(frame, below, __VA_ARGS__);         \
		}                                                             \
		/* Maybe in another thread. */                                \
		THIS = before;                                                \
	} while (0)

#define DEFINE_FOP(name, INDEX, PARAMETERS, ARGUMENTS, RESULTS, RESULT_ARGS,  \
		   ABOUT, NEW)                                                \
	static OPERATION_DONE int32_t name##Done(                             \
		call_frame_t *frame, void *cookie, xlator_t *this,            \
		int32_t op_ret, int32_t op_errno, RESULTS)                    \
	{                                                                     \
		struct operationWay way;                                      \
		struct operationCaller caller =                               \
			operationEnd(cookie, op_ret, op_errno, NEW, &way);    \
                                                                              \
		((fop_##name##_cbk_t)caller.ret)(frame, caller.cookie, this,  \
						 op_ret, op_errno,            \
						 RESULT_ARGS);                \
		operationReturn(way);                                         \
		return 0;                                                     \
	}                                                                     \
                                                                              \
	/* From a frame of those below. */                                    \
	static int32_t name##Relay(call_frame_t *frame, void *cookie,         \
				   xlator_t *this, int32_t op_ret,            \
				   int32_t op_errno, RESULTS)                 \
	{                                                                     \
		(void)cookie;                                                 \
		(void)this;                                                   \
		STACK_UNWIND_STRICT(name, frame, op_ret, op_errno,            \
				    RESULT_ARGS);                             \
		return 0;                                                     \
	}                                                                     \
                                                                              \
	static int32_t name##Wind(call_frame_t *frame, xlator_t *this,        \
				  PARAMETERS, dict_t *xdata)                  \
	{                                                                     \
		struct operationAbout about = { GF_FOP_##INDEX, #name,        \
						(void (*)(void))name##Done }; \
		struct operationWay way;                                      \
		dict_t *handed;                                               \
                                                                              \
		if (instancePasses(this->private, GF_FOP_##INDEX)) {          \
			handed = operationPass(frame, this->private,          \
					       GF_FOP_##INDEX, xdata);        \
			HAND_ON(name, ARGUMENTS, handed);                     \
			operationPassed(handed, xdata);                       \
			return 0;                                             \
		}                                                             \
		ABOUT                                                         \
		handed = operationBegin(frame, this->private, &about, xdata,  \
					&way);                                \
		if (((const struct instance *)this->private)->hasFrames)      \
			STACK_WIND(frame, name##Relay, FIRST_CHILD(this),     \
				   FIRST_CHILD(this)->fops->name, ARGUMENTS,  \
				   handed);                                   \
		else                                                          \
			HAND_ON(name, ARGUMENTS, handed);                     \
		operationReturn(way);                                         \
		operationPassed(handed, xdata);                               \
		return 0;                                                     \
	}

HDG_FOPS(DEFINE_FOP)

/* A question about volume files, not an operation on files. */
static int32_t getspecWind(call_frame_t *frame, xlator_t *this, const char *key,
			   int32_t flag)
{
	STACK_WIND_TAIL(frame, FIRST_CHILD(this),
			FIRST_CHILD(this)->fops->getspec, key, flag);
	return 0;
}

/* Operations by which we are asked for something. */

static int32_t setxattrAsk(call_frame_t *frame, xlator_t *this, loc_t *loc,
			   dict_t *dict, int32_t flags, dict_t *xdata)
{
	if (controlSetxattr(frame, this, dict))
		return 0;
	return setxattrWind(frame, this, loc, dict, flags, xdata);
}

static int32_t getxattrAsk(call_frame_t *frame, xlator_t *this, loc_t *loc,
			   const char *name, dict_t *xdata)
{
	if (controlGetxattr(frame, this, name))
		return 0;
	return getxattrWind(frame, this, loc, name, xdata);
}

static int32_t ipcAsk(call_frame_t *frame, xlator_t *this, int32_t op,
		      dict_t *xdata)
{
	if (controlIpc(frame, this, op, xdata))
		return 0;
	return ipcWind(frame, this, op, xdata);
}

#define LIST_FOP(name, ...) .name = name##Wind,
static struct xlator_fops hdtraceFops = {
	HDG_FOPS(LIST_FOP).getspec = getspecWind,
};

/* What is told by nobody in particular (forget, release, invalidate and so on)
 * needs nothing of us: GlusterFS goes on by itself where there is none. */
static struct xlator_cbks hdtraceCbks;

/* ---- The translator ---------------------------------------------------- */

static int32_t hdtraceInit(xlator_t *this)
{
	hdtraceFops.setxattr = setxattrAsk;
	hdtraceFops.getxattr = getxattrAsk;
	hdtraceFops.ipc = ipcAsk;
	mpiFind();
	return instanceInit(this);
}

static void hdtraceFini(xlator_t *this)
{
	instanceFini(this);
}

/* The last operation of a graph that was followed by another one has ended; or
 * the whole process is about to. */
static int32_t hdtraceNotify(xlator_t *this, int32_t event, void *data, ...)
{
	if (event == GF_EVENT_PARENT_DOWN)
		instanceRetire(this);
	return default_notify(this, event, data);
}

static int32_t hdtraceAccount(xlator_t *this)
{
	return xlator_mem_acct_init(this, gf_common_mt_end + 1);
}

static struct volume_options hdtraceOptions[] = {
	{ .key = { "layer" },
	  .type = GF_OPTION_TYPE_STR,
	  .description =
		  "Name of the place: CLIENT, FLOW, BMI, REQ, BREQ, TROVE "
		  "or another name" },
	{ .key = { "side" },
	  .type = GF_OPTION_TYPE_STR,
	  .default_value = "whole",
	  .description =
		  "Role of the place: enter or leave for the two ends of a "
		  "layer, whole for both" },
	{ .key = { "project" },
	  .type = GF_OPTION_TYPE_STR,
	  .default_value = "glusterfs",
	  .description = "Name of the project" },
	{ .key = { "directory" },
	  .type = GF_OPTION_TYPE_STR,
	  .default_value = "/var/log/glusterfs/hdtrace",
	  .description = "Directory of the project; created if it is missing" },
	{ .key = { "node" },
	  .type = GF_OPTION_TYPE_STR,
	  .description =
		  "Label of the brick or client (default: HOST-VOLUME)" },
	{ .key = { "host" },
	  .type = GF_OPTION_TYPE_STR,
	  .description = "Label of the host (default: the host name)" },
	{ .key = { "enable" },
	  .type = GF_OPTION_TYPE_STR,
	  .default_value = "all",
	  .description =
		  "Data to record: gauges, relations, states (which include "
		  "relations), all or none" },
	{ .key = { "fops" },
	  .type = GF_OPTION_TYPE_STR,
	  .default_value = "all",
	  .description = "Operations to record: a list, or all" },
	{ .key = { "throttle" },
	  .type = GF_OPTION_TYPE_INT,
	  .default_value = "0",
	  .description = "Minimum time between two entries of a gauge in ms; 0 "
			 "records each change" },
	{ .key = { "utilization" },
	  .type = GF_OPTION_TYPE_INT,
	  .default_value = "1000",
	  .description =
		  "Time between two samples of the host's utilization in "
		  "ms, taken by one process per host; 0 disables it" },
	{ .key = { "power" },
	  .type = GF_OPTION_TYPE_STR,
	  .description =
		  "Configuration file of pt, to record the power of the host" },
	{ .key = { "paths" },
	  .type = GF_OPTION_TYPE_BOOL,
	  .default_value = "off",
	  .description = "Record file names in addition to gfids" },
	{ .key = { NULL } },
};

/* By this name GlusterFS finds everything else. */
extern xlator_api_t xlator_api;
xlator_api_t xlator_api = {
	.init = hdtraceInit,
	.fini = hdtraceFini,
	.reconfigure = instanceReconfigure,
	.notify = hdtraceNotify,
	.mem_acct_init = hdtraceAccount,
	.op_version = { 1 },
	.fops = &hdtraceFops,
	.cbks = &hdtraceCbks,
	.options = hdtraceOptions,
	.identifier = "hdtrace",
	.category = GF_EXPERIMENTAL,
};
