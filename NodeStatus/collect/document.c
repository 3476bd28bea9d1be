/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of nodes as a JSON document; doc/json.md has its keys. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "NodeStatus/collect/collector.h"

static json_t *numberOrNull(double number)
{
	return isfinite(number) ? json_real(number) : json_null();
}

static json_t *nodeDocumentTextOrNull(const char *text)
{
	return text ? json_string(text) : json_null();
}

/* All of a node but its sections. */
static json_t *nodeDocumentNodeOf(hdNode_Collector *collector, size_t index)
{
	const struct nodePeer *peer = collector->peers[index];
	json_t *node = json_object();
	hdNode_Info info;

	hdNode_info(collector, index, &info);
	json_object_set_new(node, "name", nodeDocumentTextOrNull(info.name));
	json_object_set_new(node, "address",
			    nodeDocumentTextOrNull(info.address));
	json_object_set_new(node, "host",
			    nodeDocumentTextOrNull(peer->self.hostName));
	json_object_set_new(node, "state", nodeDocumentTextOrNull(info.word));
	json_object_set_new(node, "why", nodeDocumentTextOrNull(info.why));
	json_object_set_new(node, "age_s", numberOrNull(info.age));
	json_object_set_new(node, "sample_age_s",
			    numberOrNull(peer->answer.sampleAge + info.age));
	json_object_set_new(node, "health_age_s",
			    numberOrNull(peer->answer.healthAge + info.age));
	json_object_set_new(node, "offset_s", numberOrNull(info.offset));
	json_object_set_new(node, "offset_error_s",
			    numberOrNull(info.offsetError));
	json_object_set_new(node, "boot_id", nodeDocumentTextOrNull(info.boot));
	json_object_set_new(node, "boots", json_integer(info.boots));
	json_object_set_new(node, "restarts", json_integer(info.restarts));
	json_object_set_new(node, "sent_bytes",
			    json_integer((json_int_t)info.sent));
	json_object_set_new(node, "received_bytes",
			    json_integer((json_int_t)info.received));
	return node;
}

/* What the document has besides nodes. */
static json_t *documentHead(const hdNode_Collector *collector)
{
	json_t *all = json_object();
	size_t answered = 0;

	for (size_t i = 0; i < collector->count; i++)
		answered += collector->peers[i]->state == HDNODE_OK;
	json_object_set_new(all, "schema", json_string("hdnode-collect"));
	json_object_set_new(all, "version", json_integer(2));
	json_object_set_new(all, "time_s",
			    json_real((double)collector->pulledWall / 1e9));
	json_object_set_new(all, "took_s",
			    json_real((double)collector->tookNs / 1e9));
	json_object_set_new(all, "answered",
			    json_integer((json_int_t)answered));
	return all;
}

/* ---- Writing ----------------------------------------------------------- */

/* A document that is being written. */
struct document {
	FILE *file;
	bool isFlat, isBad;
	unsigned char held[3]; /* The begin of a character of several bytes. */
	size_t heldLength;
};

/* How many bytes a character has that may have to be escaped: those of C1, and
 * those that change the direction of text or end lines. */
static size_t documentLength(unsigned char first)
{
	return first == 0xc2 || first == 0xd8 ? 2 : first == 0xe2 ? 3 : 0;
}

static bool documentIsHarmful(unsigned int c)
{
	return (c >= 0x80 && c < 0xa0) || c == 0x61c ||
	       (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f);
}

/* Write a byte of UTF-8 that is JSON: what a terminal must not get becomes an
 * escape. All that is not ASCII stands in strings. */
static void documentByte(struct document *document, char byte)
{
	unsigned char c = (unsigned char)byte, *held = document->held;
	unsigned int character;

	if (document->heldLength == 0 && documentLength(c) == 0) {
		fputc(byte, document->file);
		return;
	}
	held[document->heldLength++] = c;
	if (document->heldLength < documentLength(held[0]))
		return;
	character = document->heldLength == 2
			    ? (held[0] & 0x1fU) << 6 | (held[1] & 0x3fU)
			    : (held[0] & 0x0fU) << 12 | (held[1] & 0x3fU) << 6 |
				      (held[2] & 0x3fU);
	if (documentIsHarmful(character))
		fprintf(document->file, "\\u%04x", character);
	else
		fwrite(held, 1, document->heldLength, document->file);
	document->heldLength = 0;
}

static char *documentDump(struct document *document, json_t *json)
{
	char *text =
		json_dumps(json, JSON_REAL_PRECISION(16) |
					 (document->isFlat ? JSON_COMPACT
							   : JSON_INDENT(1)));

	json_decref(json);
	document->isBad |= !text;
	return text;
}

/* Write the head up to its last brace, and begin the list. */
static void documentBegin(struct document *document, json_t *head)
{
	char *text = documentDump(document, head);

	if (!text)
		return;
	text[strlen(text) - (document->isFlat ? 1 : 2)] = '\0';
	fprintf(document->file, "%s%s", text,
		document->isFlat ? ",\"nodes\":[" : ",\n \"nodes\": [");
	free(text);
}

/* Write a node without its last brace, as deep as it lies in the document. */
static void documentAddHead(struct document *document, json_t *node)
{
	char *text = documentDump(document, node);
	size_t length = text ? strlen(text) : 0;

	/* The brace, and the line before it. */
	length -= length > 0 && document->isFlat ? 1 : 2 * (length > 1);
	if (!document->isFlat)
		fputs("\n  ", document->file);
	for (size_t i = 0; i < length; i++) {
		documentByte(document, text[i]);
		/* Strings have none. */
		if (text[i] == '\n')
			fputs("  ", document->file);
	}
	free(text);
}

/* A section whose text is being written: compact as it is, or indented as the
 * rest is. */
struct section {
	struct document *document;
	int depth;
	bool isText, isEscaped;
	bool isBegun; /* The last thing was the begin of a list. */
};

static void sectionLine(const struct section *section)
{
	fprintf(section->document->file, "\n%*s", section->depth, "");
}

static void sectionByte(struct section *section, char c)
{
	FILE *file = section->document->file;
	bool isEnd = !section->isText && (c == '}' || c == ']');

	section->depth -= isEnd;
	if (isEnd ? !section->isBegun : section->isBegun)
		sectionLine(section);
	section->isBegun = false;
	documentByte(section->document, c);
	if (section->isText) {
		section->isText = c != '"' || section->isEscaped;
		section->isEscaped = c == '\\' && !section->isEscaped;
	} else if (c == '"') {
		section->isText = true;
	} else if (c == '{' || c == '[') {
		section->depth++;
		section->isBegun = true;
	} else if (c == ',') {
		sectionLine(section);
	} else if (c == ':') {
		fputc(' ', file);
	}
}

static void sectionWrite(void *context, const char *text, size_t length)
{
	struct section *section = context;

	for (size_t i = 0; i < length; i++) {
		if (section->document->isFlat)
			documentByte(section->document, text[i]);
		else
			sectionByte(section, text[i]);
	}
}

static void documentAddSections(struct document *document,
				const hdNode_Collector *collector,
				const struct nodePeer *peer,
				unsigned int sections)
{
	for (size_t i = 0; i < HD_NODE_WIRE_SECTIONS; i++) {
		struct section section = { .document = document, .depth = 3 };

		if (!(sections & 1U << i))
			continue;
		fprintf(document->file,
			document->isFlat ? ",\"%s\":" : ",\n   \"%s\": ",
			hdNodeWireSectionNames[i]);
		if (!hdNodeAnswerWrite(&peer->answer, &collector->shared.spool,
				       1U << i, sectionWrite, &section))
			fputs("null", document->file);
	}
}

bool hdNodeDocument(hdNode_Collector *collector, unsigned int sections,
		    bool isFlat, FILE *file)
{
	struct document document = { .file = file, .isFlat = isFlat };

	documentBegin(&document, documentHead(collector));
	for (size_t i = 0; i < collector->count && !document.isBad; i++) {
		if (i > 0)
			fputc(',', file);
		documentAddHead(&document, nodeDocumentNodeOf(collector, i));
		documentAddSections(&document, collector, collector->peers[i],
				    sections);
		fputs(isFlat ? "}" : "\n  }", file);
	}
	if (isFlat)
		fputs("]}", file);
	else
		fputs(collector->count > 0 ? "\n ]\n}" : "]\n}", file);
	return !document.isBad;
}
