/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to otlp: spans, as OpenTelemetry's JSON has them
 * (https://opentelemetry.io/docs/specs/otlp, "JSON Protobuf Encoding"): one
 * TracesData.
 *
 * A file of relations is a resource, a relation a span, and each of its states
 * a span in it. Ids are those of doc/format/format.md. What a trace recorded is
 * one trace of spans, too: a span for the whole, and in it its states.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "HDTraceTools/export/export.h"
#include "HDTraceTools/export/relationtext.h"
#include "HDTraceTools/model/relations/spans.h"
#include "HDTraceTools/model/relations/tokens.h"

/** SpanKind and StatusCode. */
enum { KIND_INTERNAL = 1, KIND_SERVER = 2, STATUS_IS_ERROR = 2 };

/** SpanFlags: it is known whether the parent is remote, and it is. */
#define FLAG_IS_KNOWN 0x100u
#define FLAG_IS_REMOTE 0x200u

struct otlp {
	struct export *export;
	struct outJson json;
	struct forest *forest;
	struct spans *spans;
	guint link; /**< The next of forestLinks(). */
	GString *text;
	/** uint64_t: numbers of the states around, by depth. */
	GArray *open;
};

/** What a span is called, and where it belongs. */
struct span {
	const char *trace;
	const char *id;
	const char *parent; /**< NULL: it is the first of its trace. */
	unsigned int flags;
	const char *name;
	int kind;
	int64_t start;
	int64_t end;
};

/* ---- Attributes -------------------------------------------------------- */

/** Whether a text is an integer as we would write it. */
static bool otlpIsInteger(const char *text)
{
	char buffer[OUT_NUMBER_SIZE];
	gint64 number;

	return g_ascii_string_to_signed(text, 10, INT64_MIN, INT64_MAX, &number,
					NULL) &&
	       strcmp(outInteger(buffer, number), text) == 0;
}

static void startAttributes(struct otlp *self)
{
	outJsonArray(&self->json, "attributes", true);
}

static void otlpPutAttribute(struct otlp *self, const char *key,
			     const char *kind, const char *value)
{
	outJsonObject(&self->json, NULL, true);
	outJsonText(&self->json, "key", key);
	outJsonObject(&self->json, "value", true);
	outJsonText(&self->json, kind, value);
	outJsonEnd(&self->json);
	outJsonEnd(&self->json);
}

/** Integers of 64 bits are texts in OTLP. */
static void putAny(void *data, const char *key, const char *value)
{
	otlpPutAttribute(data, key,
			 otlpIsInteger(value) ? "intValue" : "stringValue",
			 value);
}

static void otlpPutText(struct otlp *self, const char *key, const char *value)
{
	otlpPutAttribute(self, key, "stringValue", value);
}

static void putTrue(struct otlp *self, const char *key)
{
	outJsonObject(&self->json, NULL, true);
	outJsonText(&self->json, "key", key);
	outJsonObject(&self->json, "value", true);
	outJsonBool(&self->json, "boolValue", true);
	outJsonEnd(&self->json);
	outJsonEnd(&self->json);
}

/* ---- Spans ------------------------------------------------------------- */

static void otlpPutTime(struct otlp *self, const char *key, int64_t time)
{
	char buffer[OUT_NUMBER_SIZE];

	/* Times are those of a wall clock. */
	outJsonText(&self->json, key, outInteger(buffer, MAX(time, 0)));
}

static void startSpan(struct otlp *self, const struct span *span)
{
	struct outJson *json = &self->json;

	outJsonObject(json, NULL, true);
	outJsonText(json, "traceId", span->trace);
	outJsonText(json, "spanId", span->id);
	if (span->parent)
		outJsonText(json, "parentSpanId", span->parent);
	outJsonInteger(json, "flags", span->flags);
	outJsonText(json, "name", span->name);
	outJsonInteger(json, "kind", span->kind);
	otlpPutTime(self, "startTimeUnixNano", span->start);
	otlpPutTime(self, "endTimeUnixNano", MAX(span->start, span->end));
}

/** End it; error is why it failed, or NULL. */
static void endSpan(struct otlp *self, const char *error)
{
	if (error) {
		outJsonObject(&self->json, "status", true);
		outJsonText(&self->json, "message", error);
		outJsonInteger(&self->json, "code", STATUS_IS_ERROR);
		outJsonEnd(&self->json);
	}
	outJsonEnd(&self->json);
}

/** Start what a node recorded, up to its spans. */
static void startResource(struct otlp *self, const hdINode *node,
			  const char *host, const char *process)
{
	struct outJson *json = &self->json;
	char *pid = process ? g_strndup(process, strcspn(process, ".")) : NULL;

	outJsonObject(json, NULL, false);
	outJsonObject(json, "resource", true);
	startAttributes(self);
	otlpPutText(self, "service.name", node->label);
	otlpPutText(self, "service.namespace", self->export->project->name);
	otlpPutText(self, "service.instance.id",
		    *node->path ? node->path : "/");
	if (host)
		otlpPutText(self, "host.name", host);
	if (pid && otlpIsInteger(pid))
		otlpPutAttribute(self, "process.pid", "intValue", pid);
	if (process)
		otlpPutText(self, "hdtrace.process", process);
	outJsonEnd(json);
	outJsonEnd(json);
	outJsonArray(json, "scopeSpans", false);
	outJsonObject(json, NULL, false);
	outJsonObject(json, "scope", true);
	outJsonText(json, "name", "hdtrace");
	outJsonText(json, "version", PACKAGE_VERSION);
	outJsonEnd(json);
	outJsonArray(json, "spans", false);
	g_free(pid);
}

static void endResource(struct otlp *self)
{
	for (int i = 0; i < 4; i++)
		outJsonEnd(&self->json);
}

/* ---- Relations --------------------------------------------------------- */

/** Id of a state of a relation. */
static void stateId(struct otlp *self, const struct forestRelation *relation,
		    uint64_t state, char id[SPANS_SPAN_SIZE])
{
	g_string_printf(self->text, "%s/%" PRIu64, relation->token, state);
	spansIdOf(self->text->str, self->text->len, id);
}

static void otlpPutState(struct otlp *self,
			 const struct forestRelation *relation, uint64_t number,
			 const struct span *whole)
{
	const hdIRelationState *state = &relation->states[number];
	char id[SPANS_SPAN_SIZE], parent[SPANS_SPAN_SIZE];
	const struct span span = {
		.trace = whole->trace,
		.id = id,
		.parent = state->depth ? parent : whole->id,
		.flags = (whole->flags & 0xff) | FLAG_IS_KNOWN,
		.name = state->name,
		.kind = KIND_INTERNAL,
		.start = state->start,
		.end = forestStateEnd(relation, state),
	};

	g_array_set_size(self->open, state->depth);
	if (state->depth)
		stateId(self, relation,
			g_array_index(self->open, uint64_t, state->depth - 1),
			parent);
	stateId(self, relation, number, id);
	g_array_append_val(self->open, number);
	startSpan(self, &span);
	startAttributes(self);
	for (size_t i = 0; i < state->attributeCount; i++)
		putAny(self, state->attributes[i].name,
		       state->attributes[i].value);
	if (state->end == HDI_NEVER)
		putTrue(self, "hdtrace.unended");
	outJsonEnd(&self->json);
	endSpan(self, relationStateError(state));
	self->export->states++;
}

static void putLink(struct otlp *self, const char *token, const char *trace)
{
	char id[SPANS_SPAN_SIZE];

	spansIdOf(token, strlen(token), id);
	outJsonObject(&self->json, NULL, true);
	outJsonText(&self->json, "traceId", trace);
	outJsonText(&self->json, "spanId", id);
	outJsonEnd(&self->json);
}

/** The next one of those up to a relation; NULL: there is none. */
static const struct forestLink *nextLink(const struct otlp *self,
					 uint32_t number)
{
	const GArray *links = forestLinks(self->forest);
	const struct forestLink *link =
		self->link < links->len
			? &g_array_index(links, struct forestLink, self->link)
			: NULL;

	return link && link->number <= number ? link : NULL;
}

/** Put the links of a relation; if there are some, what forestGet() gave is no
 *  longer valid then. */
static int putLinks(struct otlp *self, const struct forestRelation *relation)
{
	const uint32_t number = relation->number;
	const size_t count = relation->linkCount;
	GPtrArray *tokens = g_ptr_array_new_with_free_func(g_free);
	const struct forestLink *link;
	char trace[SPANS_TRACE_SIZE];
	unsigned int flags;
	size_t found = 0;
	int ret = 0;

	for (size_t i = 0; i < count; i++)
		g_ptr_array_add(tokens, g_strdup(relation->links[i]));
	if (count)
		outJsonArray(&self->json, "links", true);
	for (; ret == 0 && (link = nextLink(self, number)); self->link++) {
		/* Those of relations that nobody asked for are passed. */
		if (link->number < number)
			continue;
		ret = spansTrace(self->spans, link->cause, trace, &flags);
		if (ret == 0)
			putLink(self, tokens->pdata[link->index], trace);
		found++;
	}
	if (count)
		outJsonEnd(&self->json);
	exportLose(self->export, "links out of the project", count - found);
	g_ptr_array_unref(tokens);
	return ret;
}

/** Whether a relation was caused by another process. */
static bool isRemote(const struct forestRelation *relation)
{
	const char *prefix = relation->file->prefix;
	/* HOST:PID: */
	const char *number = strchr(strchr(prefix, ':') + 1, ':') + 1;

	return relation->span ||
	       (relation->parent &&
		strncmp(relation->parent, prefix, (size_t)(number - prefix)));
}

/** Whether a text is the id of a span; files may say anything. */
static bool isSpan(const char *text)
{
	return strlen(text) == SPANS_SPAN_SIZE - 1 &&
	       strspn(text, "0123456789abcdef") == SPANS_SPAN_SIZE - 1;
}

static int otlpPutRelation(struct otlp *self, struct forestRelation *relation)
{
	const uint32_t number = relation->number;
	char trace[SPANS_TRACE_SIZE];
	char id[SPANS_SPAN_SIZE], parent[SPANS_SPAN_SIZE] = "";
	unsigned int flags;
	struct span span = { .trace = trace, .id = id };
	int ret = spansTrace(self->spans, number, trace, &flags);

	if (ret == 0)
		ret = forestGet(self->forest, number, relation);
	if (ret < 0)
		return ret;
	spansIdOf(relation->token, strlen(relation->token), id);
	if (forestIsCircular(self->forest, number))
		exportLose(self->export, "circular causes", 1);
	else if (relation->parent)
		spansIdOf(relation->parent, strlen(relation->parent), parent);
	else if (relation->span && isSpan(relation->span))
		g_strlcpy(parent, relation->span, sizeof(parent));
	else if (relation->span)
		exportLose(self->export, "causes that are not spans", 1);
	span.parent = *parent ? parent : NULL;
	span.flags = flags | FLAG_IS_KNOWN;
	span.kind = KIND_INTERNAL;
	if (*parent && isRemote(relation)) {
		span.flags |= FLAG_IS_REMOTE;
		span.kind = KIND_SERVER;
	}
	span.name = forestTitle(relation);
	span.start = relation->start;
	span.end = relation->lasted;
	startSpan(self, &span);
	startAttributes(self);
	otlpPutText(self, "hdtrace.token", relation->token);
	if (relation->end == HDI_NEVER)
		putTrue(self, "hdtrace.unended");
	outJsonEnd(&self->json);
	ret = putLinks(self, relation);
	if (ret == 0 && relation->linkCount > 0)
		ret = forestGet(self->forest, number, relation);
	if (ret < 0)
		return ret;
	endSpan(self, forestError(relation));
	for (uint64_t i = 0; i < relation->stateCount; i++)
		otlpPutState(self, relation, i, &span);
	return 0;
}

/** Put all files, as resources. */
static int putForest(struct otlp *self)
{
	const struct forestFile *file = NULL;
	struct forestRelation relation;
	uint32_t number = 0;
	int ret;

	self->spans = spansNew(self->forest);
	if (exportTemporary(self->export, spansFind(self->spans)) < 0)
		return -1;
	while ((ret = exportNextRelation(self->export, self->forest, &number,
					 &relation)) == 1) {
		if (relation.file != file) {
			const char *process =
				strchr(relation.file->prefix, ':') + 1;
			char *owner = g_strndup(process, strcspn(process, ":"));

			if (file)
				endResource(self);
			file = relation.file;
			startResource(self, file->file->node, file->host,
				      owner);
			g_free(owner);
		}
		if (exportTemporary(self->export,
				    otlpPutRelation(self, &relation)) < 0)
			return -1;
	}
	if (file)
		endResource(self);
	return ret;
}

static int otlpPutRelations(struct otlp *self)
{
	int ret = -1;

	self->forest = exportReadRelations(self->export);
	if (self->forest)
		ret = putForest(self);
	spansFree(self->spans);
	forestFree(self->forest);
	return ret;
}

/* ---- Traces ------------------------------------------------------------ */

/** What a trace recorded. */
struct recording {
	char *name; /**< That ids are made of. */
	char trace[SPANS_TRACE_SIZE];
	char whole[SPANS_SPAN_SIZE]; /**< Of the span of all of it. */
	uint64_t count;
	int64_t first;
	int64_t last;
};

static void recordingId(struct otlp *self, const struct recording *recording,
			uint64_t number, char id[SPANS_SPAN_SIZE])
{
	g_string_printf(self->text, "%s/%" PRIu64, recording->name, number);
	spansIdOf(self->text->str, self->text->len, id);
}

/** The first step says when it begins. */
static void startRecording(struct otlp *self, struct recording *recording,
			   const hdINode *node, int64_t time)
{
	if (recording->name)
		return;
	recording->name =
		g_strdup_printf("%s:%s:%" PRId64, self->export->project->name,
				node->path, time);
	spansTraceIdOf(recording->name, strlen(recording->name),
		       recording->trace);
	spansIdOf(recording->name, strlen(recording->name), recording->whole);
	recording->first = recording->last = time;
	startResource(self, node, NULL, NULL);
}

/** A state was left, or an event met; number is its. */
static void otlpPutRecord(struct otlp *self, const struct recording *recording,
			  const struct orderedStep *step, uint64_t number)
{
	const hdIRecord *record = step->record;
	char id[SPANS_SPAN_SIZE], parent[SPANS_SPAN_SIZE];
	const struct span span = {
		.trace = recording->trace,
		.id = id,
		.parent = self->open->len ? parent : recording->whole,
		.flags = 1 | FLAG_IS_KNOWN,
		.name = record->name,
		.kind = KIND_INTERNAL,
		.start = record->start,
		.end = record->end,
	};

	recordingId(self, recording, number, id);
	if (self->open->len)
		recordingId(self, recording,
			    g_array_index(self->open, uint64_t,
					  self->open->len - 1),
			    parent);
	startSpan(self, &span);
	startAttributes(self);
	exportAttributes(self->export, record, step->site, putAny, self);
	if (step->kind == ORDERED_EVENT)
		putTrue(self, "hdtrace.event");
	outJsonEnd(&self->json);
	endSpan(self, NULL);
}

static void otlpPutStep(struct otlp *self, struct recording *recording,
			const struct orderedStep *step)
{
	uint64_t number;

	recording->last = MAX(recording->last, step->time);
	switch (step->kind) {
	case ORDERED_ENTER:
		number = recording->count++;
		g_array_append_val(self->open, number);
		break;
	case ORDERED_LEAVE:
		number = g_array_index(self->open, uint64_t,
				       self->open->len - 1);
		g_array_set_size(self->open, self->open->len - 1);
		otlpPutRecord(self, recording, step, number);
		break;
	default:
		otlpPutRecord(self, recording, step, recording->count++);
	}
}

/** The span of all that a trace recorded. */
static void putWhole(struct otlp *self, const struct recording *recording,
		     const hdINode *node)
{
	const struct span span = {
		.trace = recording->trace,
		.id = recording->whole,
		.flags = 1 | FLAG_IS_KNOWN,
		.name = node->label,
		.kind = KIND_INTERNAL,
		.start = recording->first,
		.end = recording->last,
	};

	startSpan(self, &span);
	endSpan(self, NULL);
}

static int otlpPutTrace(struct otlp *self, const hdITraceFile *trace)
{
	struct ordered *ordered = exportOpenTrace(self->export, trace);
	struct recording recording = { .name = NULL };
	struct orderedStep step;
	int ret = 0;

	g_array_set_size(self->open, 0);
	while (ordered && (ret = exportReadTrace(self->export, ordered, trace,
						 &step)) == 1) {
		startRecording(self, &recording, trace->node, step.time);
		otlpPutStep(self, &recording, &step);
	}
	if (recording.name) {
		putWhole(self, &recording, trace->node);
		endResource(self);
	}
	g_free(recording.name);
	orderedClose(ordered);
	toolProgressFile(self->export->tool, trace->fileSize);
	return ret < 0 ? -1 : 0;
}

/* ---- The document ------------------------------------------------------ */

static int putDocument(struct otlp *self)
{
	const struct export *export = self->export;
	int ret = 0;

	outJsonObject(&self->json, NULL, false);
	outJsonArray(&self->json, "resourceSpans", false);
	if (export->hasRelations)
		ret = otlpPutRelations(self);
	for (guint i = 0; i < export->traces->len && ret == 0; i++)
		ret = otlpPutTrace(self, export->traces->pdata[i]);
	outJsonEnd(&self->json);
	outJsonEnd(&self->json);
	return ret;
}

static int writeOtlp(struct export *export)
{
	struct otlp self = { .export = export };
	struct newFile file;
	int ret;

	if (exportStartFile(export, &file, NULL) < 0)
		return -1;
	exportLoseProject(export);
	exportLose(export, "communicators", export->project->communicatorCount);
	exportLose(export, "groups of statistics", export->groups->len);
	self.json.file = file.file;
	self.text = g_string_new(NULL);
	self.open = g_array_new(FALSE, TRUE, sizeof(uint64_t));
	ret = putDocument(&self);
	g_string_free(self.text, TRUE);
	g_array_unref(self.open);
	return exportEndFile(export, &file, ret < 0);
}

const struct exportFormat exportOtlp = {
	.name = "otlp",
	.suffix = ".otlp.json",
	.keepsRelations = true,
	.write = writeOtlp,
};
