/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace export --to ctf: the Common Trace Format, version 1.8.
 *
 * Every file of the project becomes a stream of one packet, whose context names
 * the node. Entries of groups are events at the end of their interval. States
 * are events where they are entered and left; relations, where they begin and
 * end, too.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "HDTraceTools/export/ctf.h"
#include "HDTraceTools/model/column.h"
#include "HDTraceTools/model/kind.h"
#include "HDTraceTools/model/units.h"

#define CTF_MAGIC 0xc1fc1fc1u

/** Events of a stream of states. */
enum { EVENT_ENTER, EVENT_LEAVE, EVENT_EVENT };

static const char preamble[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; } := uint8_t;\n"
	"typealias integer { size = 16; align = 8; } := uint16_t;\n"
	"typealias integer { size = 32; align = 8; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; } := uint64_t;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := "
	"int32_t;\n"
	"typealias integer { size = 64; align = 8; signed = true; } := "
	"int64_t;\n"
	"typealias integer { size = 8; align = 8; encoding = UTF8; } := "
	"text_t;\n"
	"typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; } "
	":= float;\n"
	"typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } "
	":= double;\n"
	"trace {\n"
	"\tmajor = 1;\n"
	"\tminor = 8;\n"
	"\tbyte_order = be;\n"
	"\tpacket.header := struct { uint32_t magic; uint32_t stream_id; };\n"
	"};\n"
	"clock {\n"
	"\tname = wall;\n"
	"\tdescription = \"Nanoseconds since 1970 UTC\";\n"
	"\tfreq = 1000000000;\n"
	"\tabsolute = TRUE;\n"
	"};\n"
	"typealias integer { size = 64; align = 8; map = clock.wall.value; } "
	":= stamp_t;\n";

/* ---- Binary ------------------------------------------------------------ */

void ctfPutNumber(FILE *file, uint64_t value, int bytes)
{
	uint64_t number = GUINT64_TO_BE(value);

	fwrite((char *)&number + sizeof(number) - bytes, 1, (size_t)bytes,
	       file);
}

void ctfPutText(FILE *file, const char *text)
{
	fwrite(text, 1, strlen(text) + 1, file);
}

int ctfStartStream(struct ctf *self, struct newFile *file, const hdINode *node,
		   const char *path)
{
	char *base = exportBaseName(path);
	int ret = exportStartFile(self->export, file, base);

	g_free(base);
	if (ret < 0)
		return ret;
	ctfPutNumber(file->file, CTF_MAGIC, 4);
	ctfPutNumber(file->file, self->streams, 4);
	ctfPutText(file->file, node->path);
	return 0;
}

void ctfPutStamp(FILE *file, unsigned int event, int64_t time)
{
	ctfPutNumber(file, event, 2);
	ctfPutNumber(file, (uint64_t)time, 8);
}

/* ---- Metadata ---------------------------------------------------------- */

static void appendQuoted(GString *out, const char *text)
{
	g_string_append_c(out, '"');
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (byte == '"' || byte == '\\')
			g_string_append_printf(out, "\\%c", byte);
		else if (byte < 0x20 || byte == 0x7f)
			g_string_append_printf(out, "\\%03o", byte);
		else
			g_string_append_c(out, (char)byte);
	}
	g_string_append_c(out, '"');
}

/**
 * Make an identifier that is in no set yet. The underscore before it, which
 * readers take away, keeps it from being a word of the language.
 */
static char *identifier(GHashTable *taken, const char *name)
{
	GString *out = g_string_new("_");
	size_t length;

	for (; *name; name++)
		g_string_append_c(out, g_ascii_isalnum(*name) ? *name : '_');
	length = out->len;
	for (int number = 2; !g_hash_table_add(taken, g_strdup(out->str));
	     number++) {
		g_string_truncate(out, length);
		g_string_append_printf(out, "_%d", number);
	}
	return g_string_free(out, FALSE);
}

static void appendVariable(struct ctf *self, const char *name,
			   const char *value)
{
	g_string_append_printf(self->environment, "\t%s = ", name);
	appendQuoted(self->environment, value);
	g_string_append(self->environment, ";\n");
}

void ctfDescribeStream(struct ctf *self)
{
	g_string_append_printf(
		self->metadata,
		"stream {\n"
		"\tid = %" PRIu32 ";\n"
		"\tpacket.context := struct { string node; };\n"
		"\tevent.header := struct { uint16_t id; stamp_t timestamp; "
		"};\n"
		"};\n",
		self->streams);
}

static void describeValue(struct ctf *self, const hdIValue *value,
			  GHashTable *taken)
{
	static const char *const types[] = {
		[HDI_INT32] = "int32_t",   [HDI_INT64] = "int64_t",
		[HDI_UINT64] = "uint64_t", [HDI_FLOAT] = "float",
		[HDI_DOUBLE] = "double",
	};
	char *name = identifier(taken, value->name);

	if (value->type == HDI_STRING) {
		char *length = g_strconcat(value->name, "_length", NULL);
		char *field = identifier(taken, length);

		g_string_append_printf(self->metadata,
				       "\t\tuint16_t %s;\n"
				       "\t\ttext_t %s[%s];\n",
				       field, name, field);
		g_free(length);
		g_free(field);
	} else if (value->hasMissing) {
		char *has = g_strconcat("has_", value->name, NULL);
		char *field = identifier(taken, has);

		/* What is missing is an empty structure. */
		g_string_append_printf(
			self->metadata,
			"\t\tenum : uint8_t { none = 0, value = 1 "
			"} %s;\n"
			"\t\tvariant <%s> { struct {} none; "
			"%s value; } %s;\n",
			field, field, types[value->type], name);
		g_free(field);
		g_free(has);
	} else {
		g_string_append_printf(self->metadata, "\t\t%s %s;\n",
				       types[value->type], name);
	}
	g_free(name);
}

static void describeGroup(struct ctf *self, const struct exportGroup *group)
{
	GHashTable *taken =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	ctfDescribeStream(self);
	g_hash_table_add(taken, g_strdup("_start"));
	g_hash_table_add(taken, g_strdup("_after_gap"));
	g_string_append(self->metadata, "event {\n\tname = ");
	appendQuoted(self->metadata, group->group->name);
	g_string_append_printf(self->metadata,
			       ";\n"
			       "\tid = 0;\n"
			       "\tstream_id = %" PRIu32 ";\n"
			       "\tfields := struct {\n"
			       "\t\tuint64_t _start;\n"
			       "\t\tuint8_t _after_gap;\n",
			       self->streams);
	for (size_t i = 0; i < group->valueCount; i++) {
		const hdIValue *value = group->values[i];
		enum hdKind kind;
		bool isGuessed;
		char *name;

		describeValue(self, value, taken);
		if (*value->unit) {
			name = g_strdup_printf("unit_%" PRIu32 "_%zu",
					       self->streams, i);
			appendVariable(self, name, value->unit);
			g_free(name);
		}
		kind = valueKind(group->group, value, &isGuessed);
		if (value->type != HDI_STRING && !isGuessed) {
			name = g_strdup_printf("kind_%" PRIu32 "_%zu",
					       self->streams, i);
			appendVariable(self, name, hdKindName(kind));
			g_free(name);
		}
		if (valueIsSimulated(group->group, value)) {
			name = g_strdup_printf("simulated_%" PRIu32 "_%zu",
					       self->streams, i);
			appendVariable(self, name, "yes");
			g_free(name);
		}
		exportLoseValue(self->export, value);
	}
	g_string_append(self->metadata, "\t};\n};\n");
	g_hash_table_destroy(taken);
}

static void describeTrace(struct ctf *self)
{
	static const char *const names[] = { "enter", "leave", "event" };

	ctfDescribeStream(self);
	for (int i = EVENT_ENTER; i <= EVENT_EVENT; i++)
		g_string_append_printf(
			self->metadata,
			"event {\n"
			"\tname = \"%s\";\n"
			"\tid = %d;\n"
			"\tstream_id = %" PRIu32 ";\n"
			"\tfields := struct {\n"
			"\t\tstring name;\n%s"
			"\t};\n"
			"};\n",
			names[i], i, self->streams,
			i == EVENT_LEAVE
				? ""
				: "\t\tuint32_t count;\n"
				  "\t\tstruct { string key; string value; } "
				  "attributes[count];\n");
}

static int writeMetadata(struct ctf *self)
{
	const hdIProject *project = self->export->project;
	struct newFile file;

	appendVariable(self, "project", project->name);
	appendVariable(self, "description", project->description);
	appendVariable(self, "tracer_name", "hdtrace");
	if (exportStartFile(self->export, &file, "metadata") < 0)
		return -1;
	fputs(preamble, file.file);
	fprintf(file.file, "env {\n%s};\n", self->environment->str);
	fputs(self->metadata->str, file.file);
	return exportEndFile(self->export, &file, false);
}

/* ---- Groups ------------------------------------------------------------ */

static void ctfPutValue(FILE *file, const hdIValue *value,
			const hdIColumn *values, size_t entry)
{
	bool isMissing = columnIsMissing(value, values, entry);
	uint32_t bits32;
	uint64_t bits64;

	if (value->hasMissing)
		ctfPutNumber(file, !isMissing, 1);
	if (isMissing)
		return;
	switch (value->type) {
	case HDI_INT32:
		ctfPutNumber(file, (uint32_t)values->int32[entry], 4);
		break;
	case HDI_INT64:
		ctfPutNumber(file, (uint64_t)values->int64[entry], 8);
		break;
	case HDI_UINT64:
		ctfPutNumber(file, values->uint64[entry], 8);
		break;
	case HDI_FLOAT:
		memcpy(&bits32, &values->float32[entry], sizeof(bits32));
		ctfPutNumber(file, bits32, 4);
		break;
	case HDI_DOUBLE:
		memcpy(&bits64, &values->float64[entry], sizeof(bits64));
		ctfPutNumber(file, bits64, 8);
		break;
	case HDI_STRING:
		ctfPutNumber(file, values->string[entry].length, 2);
		fwrite(values->string[entry].bytes, 1,
		       values->string[entry].length, file);
		break;
	}
}

static void ctfPutEntry(FILE *file, const struct exportGroup *group,
			const hdIBlock *block, size_t entry)
{
	ctfPutStamp(file, 0, block->end[entry]);
	ctfPutNumber(file, (uint64_t)block->start[entry], 8);
	ctfPutNumber(file, block->isAfterGap[entry], 1);
	for (size_t k = 0; k < group->valueCount; k++)
		ctfPutValue(file, group->values[k],
			    exportColumn(group, block, k), entry);
}

/** A file of the project that becomes a stream, in any thread. */
struct ctfPart {
	struct ctf ctf;      /**< Of this part; it describes nothing. */
	struct newFile file; /**< Complete but for its name. */
	bool isThere;        /**< Whether the project's could be opened. */
	int error;           /**< -1: it was said. */
};

static int ctfWriteGroup(struct ctfPart *part, const struct exportGroup *group)
{
	struct export *export = part->ctf.export;
	struct exportReader *reader = exportOpenStat(export, group);
	struct exportEntries entries;
	int ret;

	part->isThere = reader;
	if (!reader)
		return 0;
	ret = ctfStartStream(&part->ctf, &part->file, group->group->node,
			     group->group->file);
	while (ret == 0 && exportReadStat(reader, &entries)) {
		for (size_t i = entries.first; i < entries.last; i++)
			ctfPutEntry(part->file.file, group, entries.block, i);
	}
	if (ret == 0)
		ret = exportCloseFile(export, &part->file, false);
	exportCloseStat(reader);
	return ret;
}

/* ---- Traces ------------------------------------------------------------ */

void ctfAddAttribute(void *data, const char *key, const char *value)
{
	struct ctf *self = data;

	g_byte_array_append(self->attributes, (const guint8 *)key,
			    (guint)strlen(key) + 1);
	g_byte_array_append(self->attributes, (const guint8 *)value,
			    (guint)strlen(value) + 1);
	self->attributeCount++;
}

void ctfClearAttributes(struct ctf *self)
{
	g_byte_array_set_size(self->attributes, 0);
	self->attributeCount = 0;
}

void ctfPutAttributes(const struct ctf *self, FILE *file)
{
	ctfPutNumber(file, self->attributeCount, 4);
	if (self->attributeCount)
		fwrite(self->attributes->data, 1, self->attributes->len, file);
}

static void ctfPutStep(struct ctf *self, FILE *file,
		       const struct orderedStep *step)
{
	static const unsigned int events[] = {
		[ORDERED_ENTER] = EVENT_ENTER,
		[ORDERED_LEAVE] = EVENT_LEAVE,
		[ORDERED_EVENT] = EVENT_EVENT,
	};
	const hdIRecord *record = step->record;

	ctfPutStamp(file, events[step->kind], step->time);
	ctfPutText(file, record->name);
	if (step->kind == ORDERED_LEAVE)
		return;
	ctfClearAttributes(self);
	exportAttributes(self->export, record, step->site, ctfAddAttribute,
			 self);
	ctfPutAttributes(self, file);
}

static int ctfWriteTrace(struct ctfPart *part, const hdITraceFile *trace)
{
	struct export *export = part->ctf.export;
	struct ordered *ordered = exportOpenTrace(export, trace);
	struct orderedStep step;
	int ret;
	int got = 0;

	part->isThere = ordered;
	if (!ordered)
		return 0;
	ret = ctfStartStream(&part->ctf, &part->file, trace->node, trace->file);
	while (ret == 0 &&
	       (got = exportReadTrace(export, ordered, trace, &step)) == 1)
		ctfPutStep(&part->ctf, part->file.file, &step);
	if (ret == 0)
		ret = exportCloseFile(export, &part->file, got < 0);
	orderedClose(ordered);
	return ret;
}

/* ---- Several files at a time -------------------------------------------- */

static void ctfRunPart(struct part *part, size_t number, void *data)
{
	const struct ctf *self = data;
	const struct exportGroup *group = exportGroupAt(self->export, number);
	struct ctfPart *own = g_new0(struct ctfPart, 1);

	part->result = own;
	own->ctf = (struct ctf){
		.export = exportStartPart(self->begun, part),
		.streams = (uint32_t)number,
		.attributes = g_byte_array_new(),
	};
	own->error =
		group ? ctfWriteGroup(own, group)
		      : ctfWriteTrace(own, exportTraceAt(self->export, number));
}

/** A file before it could not be opened any more. */
static int renumber(const struct ctf *self, const struct newFile *file)
{
	const char *path = file->temporary ? file->temporary : file->path;
	uint32_t number = GUINT32_TO_BE(self->streams);
	FILE *again = fopen(path, "r+e");
	bool isGood = again && fseek(again, sizeof(number), SEEK_SET) == 0 &&
		      fwrite(&number, sizeof(number), 1, again) == 1;

	if (again)
		isGood = fclose(again) == 0 && isGood;
	if (!isGood)
		toolError(self->export->tool, "%s: %s", path, strerror(errno));
	return isGood ? 0 : -1;
}

/** Give the stream of a part its name and description. */
static int takeStream(struct ctf *self, struct ctfPart *own, size_t number)
{
	struct export *export = self->export;
	const struct exportGroup *group = exportGroupAt(export, number);
	int ret = own->error;

	if (group)
		describeGroup(self, group);
	else
		describeTrace(self);
	exportEndPart(export, own->ctf.export);
	if (ret == 0 && own->ctf.streams != self->streams)
		ret = renumber(self, &own->file);
	if (ret == 0)
		ret = exportEndFile(export, &own->file, false);
	else
		newFileAbort(&own->file);
	self->streams++;
	return ret;
}

static bool ctfAddPart(struct part *part, size_t number, void *data)
{
	struct ctf *self = data;
	struct ctfPart *own = part->result;
	int ret = 0;

	if (!own)
		return false;
	if (!part->isDropped && own->isThere) {
		ret = takeStream(self, own, number);
	} else {
		newFileAbort(&own->file);
		exportEndPart(self->export, own->ctf.export);
	}
	exportFileDone(self->export, number);
	g_byte_array_unref(own->ctf.attributes);
	g_free(own);
	if (ret < 0)
		self->error = ret;
	return ret == 0;
}

static int writeStreams(struct ctf *self)
{
	const struct export *export = self->export;
	const struct export begun = *export;
	const struct partsWork work = {
		.tool = export->tool,
		.count = exportFileCount(export),
		.run = ctfRunPart,
		.take = ctfAddPart,
		.data = self,
	};

	self->begun = &begun;
	partsDo(&work);
	return self->error;
}

static int writeCtf(struct export *export)
{
	const hdIProject *project = export->project;
	struct ctf self = {
		.export = export,
		.metadata = g_string_new(NULL),
		.environment = g_string_new(NULL),
		.attributes = g_byte_array_new(),
	};
	int ret;

	exportLoseProject(export);
	exportLose(export, "communicators", project->communicatorCount);
	ret = writeStreams(&self);
	if (ret == 0 && export->hasRelations)
		ret = ctfWriteRelations(&self);
	if (ret == 0)
		ret = writeMetadata(&self);
	g_string_free(self.metadata, TRUE);
	g_string_free(self.environment, TRUE);
	g_byte_array_unref(self.attributes);
	return ret;
}

const struct exportFormat exportCtf = {
	.name = "ctf",
	.suffix = ".ctf",
	.isDirectory = true,
	.keepsDescription = true,
	.keepsRelations = true,
	.write = writeCtf,
};
