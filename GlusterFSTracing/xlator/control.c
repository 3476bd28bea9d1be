/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Switching on and off; see control.h. */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "GlusterFSTracing/xlator/control.h"
#include "GlusterFSTracing/xlator/controlled.h"
#include "GlusterFSTracing/xlator/label.h"
#include "GlusterFSTracing/xlator/instances.h"

/* For how long bricks may answer. */
#define ANSWER_S 20
/* All names of operations, with commas. */
#define FOPS_TEXT 1024

enum verb { VERB_ENABLE, VERB_DISABLE, VERB_STATUS };

/* A request; its texts are in `words`. */
struct request {
	char *words;
	char *id, *layers, *project;
	enum verb verb;
	unsigned int what; /* 0: as it is. */
	uint64_t fops;     /* 0: as it is. */
	char why[128];     /* What is wrong with it. */
};

/* Text that grows. */
struct report {
	char *text;
	size_t used;
	bool isCut; /* There was no memory for all of it. */
};

__attribute__((__format__(__printf__, 2, 3))) static void reportAdd(
	struct report *report, const char *format, ...)
{
	va_list arguments;
	char *line, *grown;
	int length;

	va_start(arguments, format);
	length = vasprintf(&line, format, arguments);
	va_end(arguments);
	if (length < 0) {
		report->isCut = true;
		return;
	}
	grown = realloc(report->text, report->used + (size_t)length + 1);
	if (grown) {
		memcpy(grown + report->used, line, (size_t)length + 1);
		report->text = grown;
		report->used += (size_t)length;
	} else {
		report->isCut = true;
	}
	free(line);
}

/* ---- Requests ---------------------------------------------------------- */

static int requestSetVerb(struct request *request, const char *word)
{
	static const char *const verbs[] = { "enable", "disable", "status" };

	for (int i = 0; word && i < 3; i++) {
		if (strcmp(word, verbs[i]) == 0) {
			request->verb = (enum verb)i;
			return 0;
		}
	}
	snprintf(request->why, sizeof(request->why), "unknown request");
	return -1;
}

static int requestSet(struct request *request, char *word)
{
	char *value = strchr(word, '=');
	char wrong[64] = "";
	int ret = -1;

	if (value) {
		*value++ = '\0';
		if (strcmp(word, "layers") == 0)
			request->layers = value, ret = 0;
		else if (strcmp(word, "project") == 0 && labelIsProject(value))
			request->project = value, ret = 0;
		else if (strcmp(word, "fops") == 0)
			ret = instanceParseFops(value, &request->fops, wrong,
						sizeof(wrong));
		else if (strcmp(word, "what") == 0)
			ret = instanceParseWhat(value, &request->what, wrong,
						sizeof(wrong));
	}
	if (ret < 0)
		snprintf(request->why, sizeof(request->why),
			 "%.20s: unknown value \"%.60s\"", word,
			 *wrong  ? wrong
			 : value ? value
				 : "");
	return ret;
}

/* Read a request: 0, or -1 with `why`. The caller frees `words`. */
static int requestParse(struct request *request, const char *text)
{
	char *at = NULL, *word;

	*request = (struct request){ .words = strdup(text) };
	if (!request->words)
		return -1;
	request->id = strtok_r(request->words, " ", &at);
	if (!request->id ||
	    requestSetVerb(request, strtok_r(NULL, " ", &at)) < 0)
		return -1;
	while ((word = strtok_r(NULL, " ", &at))) {
		if (requestSet(request, word) < 0)
			return -1;
	}
	return 0;
}

/* Whether a list with commas has a word. */
static bool listHas(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, word, length) == 0 &&
		    (at[length] == ',' || at[length] == '\0'))
			return true;
	}
	return false;
}

/* ---- Places ------------------------------------------------------------ */

static const char *whatText(unsigned int what)
{
	static const char *const texts[] = {
		"none", "gauges", "relations",        "gauges,relations",
		"none", "gauges", "relations,states", "gauges,relations,states",
	};

	return texts[what & RECORD_ALL];
}

/* With the lock of instances held. */
static void instanceReport(const struct instance *instance,
			   struct report *report)
{
	struct record *record =
		recordHold(&((struct instance *)instance)->record);
	char fops[FOPS_TEXT];

	instancePutFops(instance->choice.fops, fops, sizeof(fops));
	if (record && recordLosses(record) > 0)
		reportAdd(report,
			  "failed %s %s: lost %" PRIu64
			  " records of %s; the disk may be full\n",
			  recordNode(record), instance->layer,
			  recordLosses(record), recordProject(record));
	else if (record)
		reportAdd(report, "ok %s %s on %s %s %s\n", recordNode(record),
			  instance->layer, whatText(instance->what), fops,
			  recordProject(record));
	else if (instance->choice.isOn)
		reportAdd(report, "failed %s %s: cannot record in %s/%s\n",
			  instance->node, instance->layer, instance->directory,
			  instanceProject(instance));
	else
		reportAdd(report, "ok %s %s off - - -\n", instance->node,
			  instance->layer);
	recordRelease(record);
}

static void choiceEnable(struct instanceChoice *choice,
			 const struct request *request)
{
	choice->isOn = true;
	if (request->what)
		choice->what = request->what;
	if (request->fops)
		choice->fops = request->fops;
}

/* Of some operations only: the others go on. */
static void choiceDisable(struct instanceChoice *choice, uint64_t fops)
{
	uint64_t left = fops ? choice->fops & instanceAllFops() & ~fops : 0;

	if (left)
		choice->fops = left;
	else
		choice->isOn = false;
}

/* With the lock of instances held: whether there was memory for it; without,
 * the instance stays as it is. */
static bool instanceChange(struct instance *instance,
			   const struct request *request)
{
	char *other = request->project ? strdup(request->project) : NULL;

	if (request->project && !other)
		return false;
	if (request->verb == VERB_ENABLE) {
		free(instance->other);
		instance->other = other;
		instance->choice = instance->options;
		choiceEnable(&instance->choice, request);
	} else {
		free(other);
		choiceDisable(&instance->choice, request->fops);
	}
	instanceApply(instance);
	return true;
}

/* Whether a request is about an instance: of the same node if it is a brick,
 * since processes may have several. A client's graph that is about to be
 * followed by another one, or was a moment ago, still has operations. */
static bool requestIsFor(const struct request *request,
			 const struct instance *instance,
			 const struct instance *of)
{
	if (instance->isRetired ||
	    (request->layers && !listHas(request->layers, instance->layer)))
		return false;
	if (of->isClient)
		return instance->isClient &&
		       instance->this->ctx == of->this->ctx;
	return instance->this->graph == of->this->graph &&
	       strcmp(instance->node, of->node) == 0;
}

/* Do what a request says, and report on those instances that are in the same
 * graph. */
static void requestObey(const struct request *request,
			const struct instance *of, struct report *report)
{
	instancesLock();
	for (struct instance *instance = instancesFirst(); instance;
	     instance = instance->next) {
		if (!requestIsFor(request, instance, of))
			continue;
		if (request->verb != VERB_STATUS &&
		    !instanceChange(instance, request))
			reportAdd(report,
				  "failed %s %s: unchanged, out of "
				  "memory\n",
				  instance->node, instance->layer);
		else if (instance->side != INSTANCE_LEAVE &&
			 instance->this->graph == of->this->graph)
			instanceReport(instance, report);
	}
	instancesUnlock();
}

/* ---- Bricks ------------------------------------------------------------ */

static const char *dictText(dict_t *dict, const char *key)
{
	data_t *data = dict ? dict_get(dict, (char *)key) : NULL;

	if (!data || !data->data || data->len == 0 ||
	    !memchr(data->data, '\0', (size_t)data->len))
		return NULL;
	return data->data;
}

static dict_t *dictOf(const char *text)
{
	dict_t *dict = dict_new();
	char *copy = dict && text ? gf_strdup(text) : NULL;

	if (copy && dict_set_dynstr(dict, CONTROL_KEY, copy) == 0)
		return dict;
	GF_FREE(copy);
	if (dict)
		dict_unref(dict);
	return NULL;
}

bool controlIpc(call_frame_t *frame, xlator_t *this, int32_t op, dict_t *xdata)
{
	const char *text = dictText(xdata, CONTROL_KEY);
	struct instance *instance = this->private;
	struct report report = { 0 };
	struct request request;
	dict_t *reply;

	if (op != CONTROL_OP || !text)
		return false;
	/* As the client does: not any program that can connect. */
	if (frame->root->uid != 0) {
		STACK_UNWIND_STRICT(ipc, frame, -1, EPERM, NULL);
		return true;
	}
	if (requestParse(&request, text) < 0)
		reportAdd(&report, "failed %s %s\n", instance->node,
			  request.why);
	else
		requestObey(&request, instance, &report);
	free(request.words);
	/* Who is not heard of has not obeyed. */
	reply = report.isCut ? NULL : dictOf(report.text ? report.text : "");
	free(report.text);
	STACK_UNWIND_STRICT(ipc, frame, reply ? 0 : -1, reply ? 0 : ENOMEM,
			    reply);
	if (reply)
		dict_unref(reply);
	return true;
}

/* ---- The client -------------------------------------------------------- */

/* A brick that was asked. */
struct asked {
	const xlator_t *brick;
	bool hasAnswered;
};

/* A request on its way to the bricks. A brick may hang, and its answer come
 * much later, or never: whoever asked is not let wait for it. So what goes to
 * the bricks has frames of its own. */
struct round {
	pthread_mutex_t lock;
	int users;   /* Bricks, the timer, and whoever begins it. */
	int waiting; /* Bricks that have not answered. */
	struct report report;
	xlator_t *this;
	call_frame_t *frame; /* Of whoever asked; NULL when that was told. */
	call_frame_t *own;
	gf_timer_t *timer; /* NULL once it has come. */
	int count;
	struct asked bricks[];
};

static void roundRelease(struct round *round)
{
	bool isLast;

	pthread_mutex_lock(&round->lock);
	isLast = --round->users == 0;
	pthread_mutex_unlock(&round->lock);
	if (!isLast)
		return;
	round->own->local = NULL;
	STACK_DESTROY(round->own->root);
	pthread_mutex_destroy(&round->lock);
	free(round->report.text);
	free(round);
}

/* Keep the report, and tell whoever asked, once. */
static void roundTell(struct round *round)
{
	struct instance *instance = round->this->private;
	call_frame_t *frame;
	int32_t error, result;
	char *old = NULL;

	pthread_mutex_lock(&round->lock);
	frame = round->frame;
	round->frame = NULL;
	error = round->report.isCut ? ENOMEM : 0;
	result = error ? -1 : 0;
	if (frame && instance) {
		instancesLock();
		old = instance->report;
		instance->report = round->report.text;
		instancesUnlock();
		round->report = (struct report){ 0 };
	}
	pthread_mutex_unlock(&round->lock);
	free(old);
	if (frame)
		STACK_UNWIND_STRICT(setxattr, frame, result, error, NULL);
}

static const char *optionOf(const xlator_t *xlator, const char *key)
{
	const char *text = dictText(xlator->options, key);

	return text ? text : "?";
}

/* A brick that gave no report: by its connection, and where that leads to. */
static void brickFailed(struct report *report, const xlator_t *brick,
			const char *why)
{
	reportAdd(report, "failed %s (%s:%s): %s\n", brick->name,
		  optionOf(brick, "remote-host"),
		  optionOf(brick, "remote-subvolume"), why);
}

/* Those that have not answered are named. */
static void roundIsLate(void *data)
{
	struct round *round = data;
	char why[64];

	snprintf(why, sizeof(why), "no answer for %d s", ANSWER_S);
	pthread_mutex_lock(&round->lock);
	round->timer = NULL;
	for (int i = 0; round->frame && i < round->count; i++) {
		if (!round->bricks[i].hasAnswered)
			brickFailed(&round->report, round->bricks[i].brick,
				    why);
	}
	pthread_mutex_unlock(&round->lock);
	roundTell(round);
	roundRelease(round);
}

/* With its lock held: let no timer come; whether there is none that comes. */
static bool roundCancel(struct round *round)
{
	gf_timer_t *timer = round->timer;

	round->timer = NULL;
	return timer && gf_timer_call_cancel(round->this->ctx, timer) == 0;
}

/* One brick less, or the one who asks, is waited for. */
static void roundAnswered(struct round *round)
{
	bool isLast, isCancelled = false;

	pthread_mutex_lock(&round->lock);
	isLast = --round->waiting == 0;
	/* A timer that has come waits for the lock, if for anything. */
	if (isLast)
		isCancelled = roundCancel(round);
	pthread_mutex_unlock(&round->lock);
	if (isLast)
		roundTell(round);
	if (isCancelled)
		roundRelease(round);
	roundRelease(round);
}

static int32_t brickAnswered(call_frame_t *frame, void *cookie, xlator_t *this,
			     int32_t op_ret, int32_t op_errno, dict_t *xdata)
{
	struct round *round = frame->local;
	const char *text = op_ret < 0 ? NULL : dictText(xdata, CONTROL_KEY);
	struct asked *asked = cookie;

	(void)this;
	pthread_mutex_lock(&round->lock);
	asked->hasAnswered = true;
	if (round->frame && text)
		reportAdd(&round->report, "%s", text);
	else if (round->frame)
		brickFailed(
			&round->report, asked->brick,
			op_ret < 0 && op_errno != EOPNOTSUPP
				? strerror(op_errno)
				: "the brick has no translator debug/hdtrace");
	pthread_mutex_unlock(&round->lock);
	roundAnswered(round);
	return 0;
}

static bool isBrick(const xlator_t *xlator)
{
	return strcmp(xlator->type, "protocol/client") == 0;
}

/* Ask all bricks that the graph below has a connection for. */
static void askBricks(struct round *round, dict_t *request)
{
	for (int i = 0; i < round->count; i++) {
		xlator_t *brick = (xlator_t *)round->bricks[i].brick;

		STACK_WIND_COOKIE(round->own, brickAnswered, &round->bricks[i],
				  brick, brick->fops->ipc, CONTROL_OP, request);
	}
}

static struct round *roundMake(call_frame_t *frame, xlator_t *this)
{
	xlator_t *first = this->graph ? this->graph->first : NULL;
	struct round *round;
	int count = 0;

	for (xlator_t *at = first; at; at = at->next)
		count += isBrick(at);
	round = calloc(1,
		       sizeof(*round) + (size_t)count * sizeof(*round->bricks));
	if (!round)
		return NULL;
	round->own = copy_frame(frame);
	if (!round->own) {
		free(round);
		return NULL;
	}
	round->own->local = round;
	round->this = this;
	round->frame = frame;
	for (xlator_t *at = first; at; at = at->next) {
		if (isBrick(at))
			round->bricks[round->count++].brick = at;
	}
	round->waiting = round->users = count + 1;
	pthread_mutex_init(&round->lock, NULL);
	return round;
}

static void roundSetTimer(struct round *round)
{
	const struct timespec after = { ANSWER_S, 0 };

	pthread_mutex_lock(&round->lock);
	round->users++;
	round->timer = gf_timer_call_after(round->this->ctx, after, roundIsLate,
					   round);
	if (!round->timer)
		round->users--;
	pthread_mutex_unlock(&round->lock);
}

static int32_t roundBegin(call_frame_t *frame, xlator_t *this, const char *text)
{
	struct round *round = NULL;
	struct request request;
	dict_t *dict = dictOf(text);

	if (requestParse(&request, text) == 0 && dict)
		round = roundMake(frame, this);
	if (!round) {
		int32_t error = *request.why ? EINVAL : ENOMEM;

		free(request.words);
		if (dict)
			dict_unref(dict);
		return error;
	}
	reportAdd(&round->report, "%s\n", request.id);
	requestObey(&request, this->private, &round->report);
	free(request.words);
	roundSetTimer(round);
	askBricks(round, dict);
	dict_unref(dict);
	roundAnswered(round);
	return 0;
}

static bool isControlled(const struct instance *instance)
{
	return instance->isTop && instance->isClient;
}

bool controlSetxattr(call_frame_t *frame, xlator_t *this, dict_t *dict)
{
	const char *text;
	int32_t error = EINVAL;

	if (!isControlled(this->private) || !dict ||
	    !dict_get(dict, (char *)CONTROL_KEY))
		return false;
	text = dictText(dict, CONTROL_KEY);
	if (frame->root->uid != 0)
		error = EPERM;
	else if (text && strlen(text) < CONTROL_REQUEST_MAX)
		error = roundBegin(frame, this, text);
	if (error)
		STACK_UNWIND_STRICT(setxattr, frame, -1, error, NULL);
	return true;
}

/* The report on the last request: the graph that was asked may have been
 * followed by another one meanwhile. With the lock of instances held. */
static const char *reportFind(const struct instance *of)
{
	for (const struct instance *instance = instancesFirst(); instance;
	     instance = instance->next) {
		if (instance->report && instance->this->ctx == of->this->ctx)
			return instance->report;
	}
	return NULL;
}

bool controlGetxattr(call_frame_t *frame, xlator_t *this, const char *name)
{
	const struct instance *instance = this->private;
	const char *report;
	dict_t *dict;

	if (!name || strcmp(name, CONTROL_KEY) != 0 || !isControlled(instance))
		return false;
	instancesLock();
	report = reportFind(instance);
	dict = dictOf(report ? report : CONTROL_NONE);
	instancesUnlock();
	STACK_UNWIND_STRICT(getxattr, frame, dict ? 0 : -1, dict ? 0 : ENOMEM,
			    dict, NULL);
	if (dict)
		dict_unref(dict);
	return true;
}
