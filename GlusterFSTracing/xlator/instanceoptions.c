/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An instance of the graph: options, and switching on and off; see instance.h.
 */
#include "config.h"

#include <ctype.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "GlusterFSTracing/xlator/instanceparts.h"
#include "GlusterFSTracing/xlator/warn.h"
#include "GlusterFSTracing/xlator/label.h"
#include "GlusterFSTracing/xlator/instance.h"
#include "GlusterFSTracing/xlator/instances.h"
#include "common/format/projectname.h"

#define THROTTLE_MS_MAX 60000
#define UTILIZATION_MS_MAX 3600000

_Static_assert(GF_FOP_MAXVALUE <= 64, "a bit for each operation");

static struct {
	pthread_mutex_t lock;
	struct instance *first;
	bool isEndSet;
} instances = { .lock = PTHREAD_MUTEX_INITIALIZER };

void hdgWarn(const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	gf_log("hdtrace", GF_LOG_WARNING, "%s", text);
}

/* ---- Options ----------------------------------------------------------- */

/* What options say, before it is used. */
struct options {
	char *layer, *side, *project, *directory, *node, *host, *enable, *fops;
	char *power;
	int32_t throttleMs, utilizationMs;
	gf_boolean_t hasPaths;
};

static int optionsRefuse(xlator_t *this, const char *key, const char *value,
			 const char *why)
{
	gf_log(this->name, GF_LOG_ERROR, "option %s: \"%s\" %s", key, value,
	       why);
	return -1;
}

static bool isLabel(const char *text, size_t max)
{
	size_t length = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz"
				     "0123456789.-");

	return length > 0 && length < max && text[length] == '\0';
}

static int optionsCheckNames(xlator_t *this, const struct options *options)
{
	if (!options->layer || !*options->layer)
		return optionsRefuse(
			this, "layer", "",
			"is required: CLIENT, FLOW, BMI, REQ, BREQ, "
			"TROVE or another name");
	if (!isLabel(options->layer, INSTANCE_LAYER_MAX) ||
	    !isalpha((unsigned char)options->layer[0]))
		return optionsRefuse(
			this, "layer", options->layer,
			"is invalid; expected a letter, then letters, "
			"digits, '.' and '-'");
	if (options->node && !isLabel(options->node, LABEL_GIVEN_MAX))
		return optionsRefuse(this, "node", options->node,
				     "is invalid; expected at most 95 letters, "
				     "digits, '.' and '-'");
	if (options->host && !isLabel(options->host, LABEL_GIVEN_MAX))
		return optionsRefuse(this, "host", options->host,
				     "is invalid; expected at most 95 letters, "
				     "digits, '.' and '-'");
	if (!labelIsProject(options->project)) {
		char why[256];

		snprintf(why, sizeof(why),
			 "is invalid; expected " LABEL_PROJECT_RULE,
			 LABEL_PROJECT_MAX - 1);
		return optionsRefuse(this, "project", options->project, why);
	}
	if (*options->directory != '/')
		return optionsRefuse(this, "directory", options->directory,
				     "is invalid; expected an absolute path");
	return 0;
}

static int optionsCheckLists(xlator_t *this, const struct options *options,
			     struct instanceChoice *choice)
{
	char wrong[64];

	if (instanceParseWhat(options->enable, &choice->what, wrong,
			      sizeof(wrong)) < 0)
		return optionsRefuse(
			this, "enable", wrong,
			"is invalid; expected gauges, relations, states, "
			"all or none");
	/* What a later request switches on. */
	choice->isOn = choice->what != 0;
	if (!choice->isOn)
		choice->what = RECORD_ALL;
	if (instanceParseFops(options->fops, &choice->fops, wrong,
			      sizeof(wrong)) < 0)
		return optionsRefuse(this, "fops", wrong,
				     "is not a GlusterFS operation");
	if (options->throttleMs < 0 || options->throttleMs > THROTTLE_MS_MAX)
		return optionsRefuse(this, "throttle", "",
				     "is out of range; expected 0 to 60000 ms");
	if (options->utilizationMs < 0 ||
	    options->utilizationMs > UTILIZATION_MS_MAX)
		return optionsRefuse(
			this, "utilization", "",
			"is out of range; expected 0 to 3600000 ms");
	return 0;
}

static int optionsGetSide(xlator_t *this, const char *text,
			  enum instanceSide *side)
{
	*side = INSTANCE_WHOLE;
	if (strcmp(text, "enter") == 0)
		*side = INSTANCE_ENTER;
	else if (strcmp(text, "leave") == 0)
		*side = INSTANCE_LEAVE;
	else if (strcmp(text, "whole") != 0)
		return optionsRefuse(
			this, "side", text,
			"is invalid; expected enter, leave or whole");
	return 0;
}

/* Get all options of the translator that GlusterFS calls in this thread (THIS);
 * the texts belong to it. */
static int optionsGet(struct options *options)
{
	GF_OPTION_INIT("layer", options->layer, str, fail);
	GF_OPTION_INIT("side", options->side, str, fail);
	GF_OPTION_INIT("project", options->project, str, fail);
	GF_OPTION_INIT("directory", options->directory, str, fail);
	GF_OPTION_INIT("node", options->node, str, fail);
	GF_OPTION_INIT("host", options->host, str, fail);
	GF_OPTION_INIT("enable", options->enable, str, fail);
	GF_OPTION_INIT("fops", options->fops, str, fail);
	GF_OPTION_INIT("throttle", options->throttleMs, int32, fail);
	GF_OPTION_INIT("utilization", options->utilizationMs, int32, fail);
	GF_OPTION_INIT("power", options->power, str, fail);
	GF_OPTION_INIT("paths", options->hasPaths, bool, fail);
	return 0;

fail:
	return -1;
}

/* ---- On and off -------------------------------------------------------- */

/* Let an instance record into another record, which it takes over, or nothing.
 * With the lock held. */
static void instanceSetRecord(struct instance *instance, struct record *record)
{
	struct record *old = atomic_exchange(&instance->record, record);

	recordRelease(old);
}

const char *instanceProject(const struct instance *instance)
{
	return instance->other ? instance->other : instance->project;
}

void instanceApply(struct instance *instance)
{
	struct recordName name = {
		.host = instance->host,
		.node = instance->node,
		.layer = instance->layer,
		.isClient = instance->isClient,
		.throttleNs = instance->throttleNs,
		.isPrivate = instance->hasPaths,
		.machine = { instance->utilizationMs, instance->power },
	};
	char path[HD_PROJECT_PATH_MAX];
	struct record *record = NULL;

	atomic_store(&instance->fops, instance->choice.fops);
	atomic_store(&instance->what,
		     instance->choice.isOn && !instance->isRetired
			     ? instance->choice.what
			     : 0);
	/* What leaves a layer is counted by whoever let it in. */
	if (!instance->choice.isOn || instance->isRetired ||
	    instance->side == INSTANCE_LEAVE) {
		instanceSetRecord(instance, NULL);
		return;
	}
	snprintf(path, sizeof(path), "%s/%s", instance->directory,
		 instanceProject(instance));
	name.project = path;
	record = recordGet(&name);
	instanceSetRecord(instance, record);
}

void instancesLock(void)
{
	pthread_mutex_lock(&instances.lock);
}

void instancesUnlock(void)
{
	pthread_mutex_unlock(&instances.lock);
}

struct instance *instancesFirst(void)
{
	return instances.first;
}

/* Operations that are under way; with the lock held. */
static int countUnderWay(void)
{
	int count = recordCountUsers();

	for (struct instance *instance = instances.first; instance;
	     instance = instance->next)
		count -= atomic_load(&instance->record) != NULL;
	return count;
}

/* The process ends by exit(), as all of GlusterFS do: complete the files. What
 * is under way then stays without an end. Some things are not finished with the
 * answer to whoever asked, such as to give up a lock: they have a moment, and
 * between two of them nothing is under way. */
static void instancesEnd(void)
{
	instancesLock();
	for (int i = 0, quiet = 0; i < 20; i++) {
		quiet = countUnderWay() > 0 ? 0 : quiet + 1;
		if (quiet == 2)
			break;
		instancesUnlock();
		usleep(10000);
		instancesLock();
	}
	for (struct instance *instance = instances.first; instance;
	     instance = instance->next)
		instanceSetRecord(instance, NULL);
	instancesUnlock();
	/* Some operations may end in this moment. */
	for (int i = 0; i < 20 && recordCountOpen() > 0; i++)
		usleep(10000);
	recordFlushAll();
	/* A meter may not have answered yet; the host's files are complete
	 * thereafter. */
	for (int i = 0; i < 200 && machineCountEnding() > 0; i++)
		usleep(10000);
}

/* ---- Graphs and options that follow others ------------------------------ */

/* Whether options ask for the same as others did, but for the directory. */
static bool choiceIs(const struct instanceChoice *choice, const char *project,
		     const struct instance *instance)
{
	return choice->isOn == instance->options.isOn &&
	       choice->what == instance->options.what &&
	       choice->fops == instance->options.fops &&
	       strcmp(project, instance->project) == 0;
}

static bool instanceFollows(const struct instance *instance,
			    const struct instance *before)
{
	return before->this->ctx == instance->this->ctx &&
	       before->this->graph != instance->this->graph &&
	       before->isClient == instance->isClient &&
	       before->side == instance->side &&
	       strcmp(before->layer, instance->layer) == 0 &&
	       (instance->isClient ||
		strcmp(before->node, instance->node) == 0);
}

/* Find the instance of the graph before that an instance stands for; where
 * there is none, of the same layer. The latest ones come first. */
static const struct instance *instanceFindBefore(
	const struct instance *instance)
{
	const struct instance *found = NULL;

	for (const struct instance *at = instances.first; at; at = at->next) {
		if (!instanceFollows(instance, at))
			continue;
		if (strcmp(at->this->name, instance->this->name) == 0)
			return at;
		if (!found)
			found = at;
	}
	return found;
}

/* A graph follows another one, since an option was changed or bricks were
 * added: what was asked for while the volume served goes on. */
static void instanceInherit(struct instance *instance)
{
	const struct instance *before = instanceFindBefore(instance);

	if (!before || !choiceIs(&instance->options, instance->project, before))
		return;
	instance->other = before->other ? strdup(before->other) : NULL;
	/* Not into another project. */
	if (before->other && !instance->other)
		return;
	instance->choice = before->choice;
}

/* ---- The translator ---------------------------------------------------- */

static int instanceSetOptions(struct instance *instance,
			      const struct options *options)
{
	if (optionsCheckNames(instance->this, options) < 0 ||
	    optionsGetSide(instance->this, options->side, &instance->side) <
		    0 ||
	    optionsCheckLists(instance->this, options, &instance->options) < 0)
		return -1;
	instance->choice = instance->options;
	snprintf(instance->layer, sizeof(instance->layer), "%s",
		 options->layer);
	instanceSetHost(instance, options->host);
	instanceSetNode(instance, options->node);
	instance->throttleNs = (int64_t)options->throttleMs * 1000000;
	instance->utilizationMs = options->utilizationMs;
	instance->power = options->power ? strdup(options->power) : NULL;
	instance->hasPaths = options->hasPaths;
	instance->isTop = !graphHasInstanceAbove(instance->this);
	instance->isLowest = !graphHasTakerBelow(instance->this);
	instance->needsToken =
		instance->isLowest ? 0 : graphLosesFrames(instance->this);
	instance->hasFrames = graphMayUseCookies(instance->this);
	instance->directory = strdup(options->directory);
	instance->project = strdup(options->project);
	return instance->directory && instance->project ? 0 : -1;
}

static void instanceFree(struct instance *instance)
{
	free(instance->directory);
	free(instance->project);
	free(instance->other);
	free(instance->power);
	free(instance->report);
	free(instance);
}

int instanceInit(xlator_t *this)
{
	struct options options = { 0 };
	struct instance *instance;

	if (!this->children || this->children->next) {
		gf_log(this->name, GF_LOG_ERROR,
		       "exactly one subvolume is required");
		return -1;
	}
	instance = calloc(1, sizeof(*instance));
	if (!instance)
		return -1;
	instance->this = this;
	instanceFops = this->fops;
	if (optionsGet(&options) < 0 ||
	    instanceSetOptions(instance, &options) < 0) {
		instanceFree(instance);
		return -1;
	}
	instancesLock();
	instanceInherit(instance);
	instanceApply(instance);
	instance->next = instances.first;
	instances.first = instance;
	/* After the writing library has begun, so that it ends later. */
	if (!instances.isEndSet)
		atexit(instancesEnd);
	instances.isEndSet = true;
	instancesUnlock();
	this->private = instance;
	return 0;
}

static int reconfigureGet(dict_t *options, struct options *got)
{
	GF_OPTION_RECONF("enable", got->enable, options, str, fail);
	GF_OPTION_RECONF("fops", got->fops, options, str, fail);
	GF_OPTION_RECONF("project", got->project, options, str, fail);
	GF_OPTION_RECONF("directory", got->directory, options, str, fail);
	GF_OPTION_RECONF("throttle", got->throttleMs, options, int32, fail);
	return 0;

fail:
	return -1;
}

int instanceReconfigure(xlator_t *this, dict_t *options)
{
	struct instance *instance = this->private;
	struct options got = { .layer = instance->layer };
	struct instanceChoice choice;
	char *project, *directory;

	if (reconfigureGet(options, &got) < 0 ||
	    optionsCheckNames(this, &got) < 0 ||
	    optionsCheckLists(this, &got, &choice) < 0)
		return -1;
	project = strdup(got.project);
	directory = strdup(got.directory);
	if (!project || !directory) {
		free(project);
		free(directory);
		return -1;
	}
	instancesLock();
	if (!choiceIs(&choice, project, instance)) {
		free(instance->other);
		instance->other = NULL;
		instance->choice = choice;
	}
	free(instance->project);
	free(instance->directory);
	instance->project = project;
	instance->directory = directory;
	instance->options = choice;
	instance->throttleNs = (int64_t)got.throttleMs * 1000000;
	instanceApply(instance);
	instancesUnlock();
	return 0;
}

void instanceRetire(xlator_t *this)
{
	struct instance *instance = this->private;

	if (!instance)
		return;
	instancesLock();
	instance->isRetired = true;
	instanceApply(instance);
	instancesUnlock();
}

void instanceFini(xlator_t *this)
{
	struct instance *instance = this->private;
	struct instance **at = &instances.first;

	this->private = NULL;
	if (!instance)
		return;
	instancesLock();
	while (*at != instance)
		at = &(*at)->next;
	*at = instance->next;
	instanceSetRecord(instance, NULL);
	instancesUnlock();
	instanceFree(instance);
}
