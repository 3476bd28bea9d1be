/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Describes the frames of a trace; see tracelines.h.
 *
 * A state that has nothing inside starts after the record before it ended: or
 * that record would be inside. So the earliest start is that of the first
 * record of a frame, or of a state that owns a block. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/format/tracelines.h"

/* Names that are told apart; a trace with more has no index. */
#define LINES_NAMES 4096
#define LINES_NAME_MAX 255
/* Bytes that the times of a state take at least, with their names. */
#define LINES_TIMES 36
#define LINES_RECENT 32 /* A power of two. */

/* A part of a line. */
struct linesText {
	const char *at;
	size_t size;
};

/* A name that was met, with its length before it. */
struct linesName {
	unsigned char size;
	char text[];
};

struct hdTraceLines {
	bool hasHead;
	unsigned int depth;
	bool isOwner; /* The next record owns the block that ended. */
	struct linesName *names[2 * LINES_NAMES];
	size_t count;
	const struct linesName *recent[LINES_RECENT]; /* Of states. */
};

/* A record while its line is looked at. */
struct linesRecord {
	struct linesText name;
	struct linesText tag; /* Behind the name, up to the closing bracket. */
	bool isEvent;
	bool isNeeded;
};

struct hdTraceLines *hdTraceLinesCreate(void)
{
	return calloc(1, sizeof(struct hdTraceLines));
}

void hdTraceLinesFree(struct hdTraceLines *self)
{
	for (size_t i = 0; self && i < 2 * LINES_NAMES; i++)
		free(self->names[i]);
	free(self);
}

/* ---- Names ------------------------------------------------------------- */

static bool linesIs(const struct linesText *text, const char *name, size_t size)
{
	return text->size == size && memcmp(text->at, name, size) == 0;
}

#define LINES_IS(text, name) linesIs(text, name, sizeof(name) - 1)

/* Whether a name is met for the first time: 1, 0, or a negative errno value. */
static int linesIsNew(struct hdTraceLines *self, const struct linesText *name,
		      const struct linesName **found)
{
	const size_t mask = 2 * LINES_NAMES - 1;
	struct linesName *new;
	size_t at = 2166136261u;

	for (size_t i = 0; i < name->size; i++)
		at = (at ^ (unsigned char)name->at[i]) * 16777619u;
	for (at &= mask; self->names[at]; at = (at + 1) & mask)
		if (linesIs(name, self->names[at]->text,
			    self->names[at]->size)) {
			*found = self->names[at];
			return 0;
		}
	if (self->count == LINES_NAMES || name->size > LINES_NAME_MAX)
		return -EINVAL;
	new = malloc(sizeof(*new) + name->size);
	if (!new)
		return -ENOMEM;
	new->size = (unsigned char)name->size;
	memcpy(new->text, name->at, name->size);
	self->names[at] = new;
	self->count++;
	*found = new;
	return 1;
}

/* The name of a state is mostly one that was met some records before. */
static int linesNoteName(struct hdTraceLines *self,
			 const struct linesText *name)
{
	size_t hash =
		name->size ? (unsigned char)*name->at * 5 + name->size : 0;
	const struct linesName **recent =
		&self->recent[hash & (LINES_RECENT - 1)];

	if (*recent && linesIs(name, (*recent)->text, (*recent)->size))
		return 0;
	return linesIsNew(self, name, recent);
}

/* ---- Records ----------------------------------------------------------- */

/* Whether readers of later records need what an attribute says. */
static bool linesIsNeeded(const struct linesText *name)
{
	switch (name->size) {
	case 4:
		return LINES_IS(name, "part");
	case 6:
		return LINES_IS(name, "callNs");
	case 8:
		return LINES_IS(name, "sampleNs");
	case 12:
		return LINES_IS(name, "sampleSource");
	default:
		return false;
	}
}

/* Look at an attribute that stands for states of a function, if there were
 * calls: 0 or a negative errno value. */
static int linesAddCalls(struct hdTraceLines *self, struct linesRecord *record,
			 const struct linesText *name,
			 const struct linesText *value)
{
	const struct linesName *found;
	int ret;

	if (value->size == 0 || *value->at < '1' || *value->at > '9')
		return 0;
	ret = linesIsNew(self, name, &found);
	record->isNeeded |= ret == 1;
	return ret < 0 ? ret : 0;
}

/* Whether a state stands for calls of several functions. */
static bool linesIsMixed(const struct linesText *name)
{
	return LINES_IS(name, "Polls") || LINES_IS(name, "Profile");
}

/* Look at the attributes of a state up to its times, which are behind two
 * blanks. */
static int linesAddAttributes(struct hdTraceLines *self,
			      struct linesRecord *record, const char *at,
			      const char *end)
{
	bool isMixed = linesIsMixed(&record->name);
	int ret = 0;

	while (ret == 0 && end - at > 2 && *at == ' ' && at[1] != ' ') {
		struct linesText name = { at + 1, 0 }, value;

		for (at++; at < end && *at != '=';)
			at++;
		name.size = (size_t)(at - name.at);
		if (end - at < 3 || at[1] != '\'')
			return -EINVAL;
		value.at = at + 2;
		for (at = value.at; at < end && *at != '\'';)
			at++;
		if (at == end)
			return -EINVAL;
		value.size = (size_t)(at - value.at);
		at++;
		record->isNeeded |= linesIsNeeded(&name);
		if (isMixed || LINES_IS(&name, "tracerNs"))
			ret = linesAddCalls(self, record, &name, &value);
	}
	return end - at < 2 || *at != ' ' || at[1] != ' ' ? -EINVAL : ret;
}

/* Whether an attribute may begin there that has to be looked at: part, callNs,
 * sampleNs, sampleSource or tracerNs. */
static inline bool linesMayBegin(const char *at)
{
	return (at[1] == 'a' && (*at == 'p' || *at == 'c' || *at == 's')) ||
	       (at[1] == 'r' && *at == 't');
}

/* Whether one of the attributes may have to be looked at: most have not. Looks
 * behind blanks, eight bytes at a time. */
static bool linesMayHave(const char *at, const char *end)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);

	/* The times come last. */
	end -= end - at < LINES_TIMES ? end - at : LINES_TIMES;
	for (; end - at > 10; at += 8) {
		uint64_t bytes;

		memcpy(&bytes, at, sizeof(bytes));
		/* Bytes that are blanks become 0, and then 0x80. */
		bytes = le64toh(bytes) ^ UINT64_C(0x2020202020202020);
		bytes = ~(((bytes & low) + low) | bytes | low);
		for (; bytes; bytes &= bytes - 1)
			if (linesMayBegin(at + __builtin_ctzll(bytes) / 8 + 1))
				return true;
	}
	for (; end - at > 2; at++)
		if (*at == ' ' && linesMayBegin(at + 1))
			return true;
	return false;
}

/* Look at a line without its indentation and line feed. */
static int linesAddRecord(struct hdTraceLines *self, const char *line,
			  const char *end, struct linesRecord *record)
{
	const char *tagEnd, *at = line + 1;
	bool isLeaf = end - line > 3 && end[-1] == '>' && end[-2] == '/';
	int ret = 0;

	/* In attributes, brackets are entities. */
	tagEnd = isLeaf ? end - 2 : memchr(line, '>', (size_t)(end - line));
	if (*line != '<' || line[1] == '/' || !tagEnd)
		return -EINVAL;
	while (at < tagEnd && *at != ' ')
		at++;
	record->name = (struct linesText){ line + 1, (size_t)(at - line) - 1 };
	record->tag = (struct linesText){ at, (size_t)(tagEnd - at) };
	record->isEvent = LINES_IS(&record->name, "Event");
	if (record->isEvent)
		return 0;
	ret = linesNoteName(self, &record->name);
	record->isNeeded = ret == 1;
	if (ret >= 0 &&
	    (linesIsMixed(&record->name) || linesMayHave(at, tagEnd)))
		ret = linesAddAttributes(self, record, at, tagEnd);
	if (!isLeaf)
		record->isNeeded |=
			memmem(tagEnd, (size_t)(end - tagEnd), "<Site", 5) ||
			memmem(tagEnd, (size_t)(end - tagEnd), "<Object", 7);
	return ret < 0 ? ret : 0;
}

/* Read a time, in seconds with nine digits behind the point; the text goes on
 * behind it. 0 or -EINVAL. */
static int linesTakeTime(struct linesText *text, const char *name,
			 int64_t *time)
{
	size_t length = strlen(name), digits = 0;
	const char *at = text->at + length, *end = text->at + text->size;
	const char *point = NULL;
	int64_t ns = 0;

	if (text->size < length || memcmp(text->at, name, length) != 0)
		return -EINVAL;
	for (; at < end && *at != '\''; at++) {
		if (*at == '.' && !point) {
			point = at;
			continue;
		}
		if (*at < '0' || *at > '9' || ++digits > 19 ||
		    ns > HD_TRACE_TIME_MAX / 10)
			return -EINVAL;
		ns = ns * 10 + (*at - '0');
	}
	if (at == end || !point || at - point != 10 || ns > HD_TRACE_TIME_MAX)
		return -EINVAL;
	*text = (struct linesText){ at + 1, (size_t)(end - at) - 1 };
	*time = ns;
	return 0;
}

/* Read the times of a record: 0 or -EINVAL. */
static int linesTimes(const struct linesRecord *record, int64_t *start,
		      int64_t *end)
{
	struct linesText text = record->tag;
	const char *at = text.at + text.size;

	while (at > text.at && !(*at == ' ' && at[-1] == ' '))
		at--;
	if (at == text.at)
		return -EINVAL;
	at++;
	text = (struct linesText){ at, text.size - (size_t)(at - text.at) };
	if (linesTakeTime(&text, "time='", start) < 0)
		return -EINVAL;
	*end = *start;
	if (!record->isEvent && linesTakeTime(&text, " end='", end) < 0)
		return -EINVAL;
	return text.size == 0 ? 0 : -EINVAL;
}

/* Take a record into its frame. */
static int linesCount(struct hdTraceLines *self,
		      const struct linesRecord *record,
		      struct hdTracePart *part)
{
	int64_t start, end;

	if (part->records == 0 || self->isOwner) {
		if (linesTimes(record, &start, &end) < 0)
			return -EINVAL;
		if (start < part->first)
			part->first = start;
	}
	self->isOwner = false;
	part->records++;
	if (record->isNeeded)
		part->flags |= HD_TRACE_PART_NEEDED;
	return 0;
}

/* ---- Frames ------------------------------------------------------------ */

/* Look at a line of a frame. */
static int linesAddLine(struct hdTraceLines *self, const char *line,
			const char *end, struct linesRecord *record,
			struct hdTracePart *part)
{
	const struct linesText text = { line, (size_t)(end - line) };
	int ret;

	if (LINES_IS(&text, "</Program>") && self->depth == 0)
		return 0;
	if (LINES_IS(&text, "<Nested>")) {
		self->depth++;
		return self->depth > HD_TRACE_DEPTH_MAX ? -EINVAL : 0;
	}
	if (LINES_IS(&text, "</Nested>")) {
		if (self->depth == 0)
			return -EINVAL;
		self->depth--;
		self->isOwner = true;
		return 0;
	}
	*record = (struct linesRecord){ .isNeeded = false };
	ret = linesAddRecord(self, line, end, record);
	return ret < 0 ? ret : linesCount(self, record, part);
}

int hdTraceLinesAdd(struct hdTraceLines *self, const char *bytes, size_t size,
		    struct hdTracePart *part)
{
	const char *at = bytes, *end = bytes + size;
	struct linesRecord record;
	int64_t start;

	*part = (struct hdTracePart){
		.first = INT64_MAX,
		.last = INT64_MIN,
		.plain = (uint32_t)size,
		.depth = (uint16_t)self->depth,
		.flags = self->hasHead ? HD_TRACE_PART_START : 0,
	};
	if (size == 0 || end[-1] != '\n')
		return -EINVAL;
	while (at < end) {
		const char *next = memchr(at, '\n', (size_t)(end - at));
		int ret = 0;

		part->lines++;
		while (*at == '\t')
			at++;
		if (self->hasHead)
			ret = linesAddLine(self, at, next, &record, part);
		if (ret < 0)
			return ret;
		at = next + 1;
	}
	self->hasHead = true;
	/* Records are in the order of their ends. */
	return part->records > 0 ? linesTimes(&record, &start, &part->last) : 0;
}
