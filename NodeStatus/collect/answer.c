/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a node has said; see answer.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "NodeStatus/collect/answer.h"
#include "common/readat.h"

/* Longest name that a node may have. */
#define NAME_MAX_BYTES 255

/* ---- Names -------------------------------------------------------------- */

/* Take a text that may be null; false if it is something else, or too long. */
static bool answerName(const json_t *all, const char *key, char **text)
{
	const json_t *value = json_object_get(all, key);
	const char *string = json_string_value(value);
	char *copy = NULL;

	if (value && !json_is_null(value) && !string)
		return false;
	if (string && strlen(string) > NAME_MAX_BYTES)
		return false;
	if (string && *string) {
		copy = strdup(string);
		if (!copy)
			return false;
	}
	free(*text);
	*text = copy;
	return true;
}

bool hdNodeSelfTake(struct nodeSelf *self, const json_t *all, bool hasAnswered)
{
	char *before = self->boot ? strdup(self->boot) : NULL;
	double started = json_number_value(json_object_get(all, "started"));
	bool isFine = answerName(all, "node", &self->name) &&
		      answerName(all, "host", &self->hostName) &&
		      answerName(all, "boot", &self->boot);

	if (before && self->boot && strcmp(before, self->boot) != 0)
		self->boots++;
	if (hasAnswered && started != self->started)
		self->restarts++;
	self->started = started;
	free(before);
	return isFine;
}

void hdNodeSelfClear(struct nodeSelf *self)
{
	free(self->name);
	free(self->hostName);
	free(self->boot);
}

/* ---- The file ---------------------------------------------------------- */

/* A slot of its own; 0: there is no file. */
static size_t spoolSlot(struct nodeSpool *spool)
{
	FILE *file;

	if (spool->slots == 0) {
		file = tmpfile();
		if (!file)
			return 0;
		spool->fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
		fclose(file);
		if (spool->fd < 0)
			return 0;
	}
	return ++spool->slots;
}

static off_t spoolAt(size_t slot)
{
	return (off_t)((slot - 1) * HD_NODE_WIRE_ANSWER_MAX);
}

static bool spoolWrite(const struct nodeSpool *spool, size_t slot,
		       const char *text, size_t length)
{
	return hdWriteAt(spool->fd, text, length, (uint64_t)spoolAt(slot)) == 0;
}

/* The text of probes, to be freed, or NULL. */
static char *spoolRead(const struct nodeSpool *spool,
		       const struct nodeAnswer *answer)
{
	char *text = malloc(answer->probesLength + 1);

	if (text && hdReadAt(spool->fd, text, answer->probesLength,
			     (uint64_t)spoolAt(answer->slot)) < 0) {
		free(text);
		return NULL;
	}
	if (text)
		text[answer->probesLength] = '\0';
	return text;
}

void hdNodeSpoolClose(struct nodeSpool *spool)
{
	if (spool->slots > 0)
		close(spool->fd);
	spool->slots = 0;
}

/* ---- JSON as text ------------------------------------------------------ */

/* All here is valid JSON; what is looked at ends at the end anyway. */
struct answerText {
	const char *at, *end;
};

static bool answerIsBlank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void answerSkipBlanks(struct answerText *text)
{
	while (text->at < text->end && answerIsBlank(*text->at))
		text->at++;
}

/* Go behind a value: up to what separates it from the next one. */
static void answerSkipValue(struct answerText *text)
{
	bool isText = false;
	int depth = 0;

	for (; text->at < text->end; text->at++) {
		char c = *text->at;

		if (isText && c == '\\')
			text->at++;
		else if (c == '"')
			isText = !isText;
		else if (isText)
			continue;
		else if (depth == 0 && (c == ',' || c == ':' || c == '}'))
			return;
		else if (c == '{' || c == '[')
			depth++;
		else if (c == '}' || c == ']')
			depth--;
	}
}

/* Find the value of a member of an object; its text is empty if there is none.
 */
static struct answerText answerFind(struct answerText all, const char *key)
{
	size_t length = strlen(key);

	answerSkipBlanks(&all);
	while (all.at < all.end && *all.at != '}') {
		struct answerText name, value;

		all.at++;
		answerSkipBlanks(&all);
		name = all;
		answerSkipValue(&all);
		value = (struct answerText){ all.at + 1, all.end };
		answerSkipBlanks(&value);
		all.at = value.at < all.end ? value.at : all.end;
		answerSkipValue(&all);
		value.end = all.at;
		if ((size_t)(all.end - name.at) > length + 2 &&
		    memcmp(name.at + 1, key, length) == 0 &&
		    name.at[length + 1] == '"')
			return value;
	}
	return (struct answerText){ all.end, all.end };
}

/* Copy it without blanks; NULL: out of memory. */
static char *answerCopy(struct answerText from)
{
	char *copy = malloc((size_t)(from.end - from.at) + 1), *to = copy;
	bool isText = false;

	for (; copy && from.at < from.end; from.at++) {
		if (isText && *from.at == '\\')
			*to++ = *from.at++;
		else if (*from.at == '"')
			isText = !isText;
		else if (!isText && answerIsBlank(*from.at))
			continue;
		*to++ = *from.at;
	}
	if (copy)
		*to = '\0';
	return copy;
}

/* ---- Sections ---------------------------------------------------------- */

static size_t answerIndex(unsigned int bit)
{
	size_t index = 0;

	while (index + 1 < HD_NODE_WIRE_SECTIONS && 1U << index != bit)
		index++;
	return index;
}

static bool answerIsFine(const json_t *section, unsigned int bit)
{
	return bit == HD_NODE_WIRE_ALARMS ? json_is_array(section)
					  : json_is_object(section);
}

/* Copy the sections; what is wrong, or NULL. */
static const char *answerSplit(const json_t *all, struct answerText text,
			       unsigned int sections, char **texts)
{
	size_t left = HD_NODE_WIRE_STATE_MAX;

	for (size_t i = 0; i < HD_NODE_WIRE_SECTIONS; i++) {
		const char *name = hdNodeWireSectionNames[i];
		const json_t *section = json_object_get(all, name);
		size_t length;

		if (!(sections & 1U << i) || !section || json_is_null(section))
			continue;
		if (!answerIsFine(section, 1U << i))
			return "invalid JSON";
		texts[i] = answerCopy(answerFind(text, name));
		if (!texts[i])
			return "out of memory";
		length = strlen(texts[i]);
		/* Its name may be written in another way. */
		if (length == 0)
			return "invalid JSON";
		if (1U << i == HD_NODE_WIRE_PROBES)
			continue;
		if (length > left)
			return "reply exceeds the size limit";
		left -= length;
	}
	return NULL;
}

static const char *answerSpool(struct nodeAnswer *answer,
			       struct nodeSpool *spool, char **text)
{
	size_t length = *text ? strlen(*text) : 0;

	if (length > 0 && answer->slot == 0)
		answer->slot = spoolSlot(spool);
	if (length > 0 && (answer->slot == 0 ||
			   !spoolWrite(spool, answer->slot, *text, length)))
		return "cannot store the probes in a temporary file";
	answer->probesLength = length;
	free(*text);
	*text = NULL;
	return NULL;
}

static double answerAge(const json_t *all, const char *section)
{
	const json_t *age =
		json_object_get(json_object_get(all, section), "age_s");

	return json_is_number(age) ? json_number_value(age) : NAN;
}

const char *hdNodeAnswerTake(struct nodeAnswer *answer, struct nodeSpool *spool,
			     unsigned int sections, const json_t *all,
			     const char *json, size_t length)
{
	const struct answerText text = { json, json + length };
	char *texts[HD_NODE_WIRE_SECTIONS] = { NULL };
	const char *why = answerSplit(all, text, sections, texts);

	if (!why && (sections & HD_NODE_WIRE_PROBES))
		why = answerSpool(answer, spool,
				  &texts[answerIndex(HD_NODE_WIRE_PROBES)]);
	for (size_t i = 0; i < HD_NODE_WIRE_SECTIONS; i++) {
		if (why) {
			free(texts[i]);
		} else if (sections & 1U << i) {
			free(answer->texts[i]);
			answer->texts[i] = texts[i];
		}
	}
	if (!why && (sections & HD_NODE_WIRE_STATUS))
		answer->sampleAge = answerAge(all, "status");
	if (!why && (sections & HD_NODE_WIRE_HEALTH))
		answer->healthAge = answerAge(all, "health");
	return why;
}

const char *hdNodeAnswerText(struct nodeAnswer *answer,
			     const struct nodeSpool *spool, unsigned int bit)
{
	size_t i = answerIndex(bit);

	if (bit == HD_NODE_WIRE_PROBES && !answer->texts[i] &&
	    answer->probesLength > 0)
		answer->texts[i] = spoolRead(spool, answer);
	return answer->texts[i];
}

bool hdNodeAnswerWrite(const struct nodeAnswer *answer,
		       const struct nodeSpool *spool, unsigned int bit,
		       void (*write)(void *context, const char *text,
				     size_t length),
		       void *context)
{
	const char *text = answer->texts[answerIndex(bit)];
	char piece[16384];
	size_t done = 0;

	if (bit != HD_NODE_WIRE_PROBES || text) {
		if (text)
			write(context, text, strlen(text));
		return text != NULL;
	}
	while (done < answer->probesLength) {
		size_t left = answer->probesLength - done;
		size_t part = left < sizeof(piece) ? left : sizeof(piece);

		if (hdReadAt(spool->fd, piece, part,
			     (uint64_t)spoolAt(answer->slot) + done) < 0)
			break;
		write(context, piece, part);
		done += part;
	}
	return answer->probesLength > 0;
}

void hdNodeAnswerForget(struct nodeAnswer *answer)
{
	size_t i = answerIndex(HD_NODE_WIRE_PROBES);

	free(answer->texts[i]);
	answer->texts[i] = NULL;
}

void hdNodeAnswerClear(struct nodeAnswer *answer)
{
	for (size_t i = 0; i < HD_NODE_WIRE_SECTIONS; i++) {
		free(answer->texts[i]);
		answer->texts[i] = NULL;
	}
}
