/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The header of a .stat file: its length and its XML. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "HDTraceReadingCLibrary/src/bytes.h"
#include "HDTraceReadingCLibrary/src/file.h"
#include "HDTraceReadingCLibrary/src/project/project.h"
#include "HDTraceReadingCLibrary/src/timeparse.h"
#include "HDTraceReadingCLibrary/src/xml.h"

#define FIRST_READ 4096

/* Writers stay below 100,000; this is what a reader is ready to load. */
#define HEADER_MAX (64 << 20)

/* A timeAdjustment above is a date: 1985. */
#define DATE_MIN (INT64_C(500000000) * HDI_NS_PER_S)

struct head {
	struct hdIProjectData *project;
	struct hdIGroupData *group;
	char *data;      /* The file up to the end of the header, or more. */
	size_t size;     /* Bytes in data. */
	size_t xmlStart; /* Where the XML begins. */
	size_t xmlSize;
};

static const struct {
	const char *name;
	hdIType type;
	size_t size;
} types[] = {
	{ "INT32", HDI_INT32, 4 },   { "INT64", HDI_INT64, 8 },
	{ "UINT64", HDI_UINT64, 8 }, { "FLOAT", HDI_FLOAT, 4 },
	{ "DOUBLE", HDI_DOUBLE, 8 }, { "STRING", HDI_STRING, 0 },
};

/* Move a text of libxml2 to the project; NULL stays NULL. */
static const char *moveText(struct hdIArena *arena, char *text)
{
	char *copy;

	if (!text)
		return NULL;
	copy = hdIArenaCopy(arena, text, strlen(text));
	xmlFree(text);
	return copy;
}

/* Copy an attribute to the project; NULL: missing or no memory. */
static const char *copyAttribute(struct hdIArena *arena, const xmlNode *element,
				 const char *name, int *isMissing)
{
	return moveText(arena, hdIXmlAttribute(element, name, isMissing));
}

/* Attributes that are not in a list that ends with NULL. */
static int copyOthers(struct hdIArena *arena, const xmlNode *element,
		      const char *const *known, const hdIAttribute **result,
		      size_t *count)
{
	hdIAttribute *list;
	size_t n = 0;

	for (xmlAttr *a = element->properties; a; a = a->next)
		n++;
	list = hdIArenaAllocArray(arena, n, sizeof(*list));
	if (!list)
		return -ENOMEM;
	n = 0;
	for (xmlAttr *a = element->properties; a; a = a->next) {
		const char *name = (const char *)a->name;
		size_t i = 0;

		while (known[i] && strcmp(known[i], name) != 0)
			i++;
		if (known[i] || a->ns)
			continue;
		list[n].name = hdIArenaCopy(arena, name, strlen(name));
		list[n].value = moveText(arena, hdIXmlValue(a));
		if (!list[n].name || !list[n].value)
			return -ENOMEM;
		n++;
	}
	*result = list;
	*count = n;
	return 0;
}

static int reportHeader(struct head *head, enum hdIRuleId rule, size_t offset,
			int64_t line, const char *text)
{
	hdIReport(&head->project->sink, rule, head->group->pub.file,
		  (int64_t)(head->xmlStart + offset), line, "%s", text);
	return -EBADMSG;
}

/* libxml2 knows lines only; the line of the length is one more. */
static int64_t lineOf(const xmlNode *node)
{
	return xmlGetLineNo((xmlNode *)node) + 1;
}

static size_t offsetOfLine(const struct head *head, int64_t line)
{
	const char *data = head->data + head->xmlStart;
	const char *p = data;
	const char *end = data + head->xmlSize;

	for (line -= 2; line > 0 && p; line--) {
		p = memchr(p, '\n', (size_t)(end - p));
		if (p)
			p++;
	}
	return p ? (size_t)(p - data) : 0;
}

static int readType(struct head *head, const xmlNode *element, const char *name,
		    hdIValue *value)
{
	int64_t line = lineOf(element);
	int isMissing;
	char *type = hdIXmlAttribute(element, "type", &isMissing);
	size_t i = 0;

	if (!type && !isMissing)
		return -ENOMEM;
	while (type && i < sizeof(types) / sizeof(*types) &&
	       strcasecmp(types[i].name, type) != 0)
		i++;
	if (!type || i == sizeof(types) / sizeof(*types)) {
		hdIReport(&head->project->sink, HDI_RULE_STAT_TYPE,
			  head->group->pub.file,
			  (int64_t)(head->xmlStart + offsetOfLine(head, line)),
			  line,
			  type ? "value %s has the unknown type \"%s\""
			       : "value %s has no type%s",
			  name, type ? type : "");
		xmlFree(type);
		return -EBADMSG;
	}
	xmlFree(type);
	value->type = types[i].type;
	/* A varying size is marked by 0 and stays. */
	if (types[i].size == 0)
		head->group->pub.entrySize = 0;
	else if (head->group->pub.entrySize > 0)
		head->group->pub.entrySize += types[i].size;
	return 0;
}

/* Which integer stands for "no value", by attributes of the group or the value;
 * a text that is no number states none. */
static void readMissing(hdIValue *value, const hdIAttribute *attributes,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *text = attributes[i].value;
		char *end;
		long long number;

		if (strcmp(attributes[i].name, "missing") != 0)
			continue;
		errno = 0;
		number = strtoll(text, &end, 10);
		value->hasMissing =
			end != text && !*end && errno == 0 &&
			(value->type == HDI_INT32 || value->type == HDI_INT64 ||
			 value->type == HDI_UINT64);
		value->missing = number;
	}
}

static int statHeadReadValue(struct head *head, const xmlNode *element,
			     hdIValue *value)
{
	static const char *const known[] = { "name", "type", "unit", "grouping",
					     NULL };
	struct hdIArena *arena = &head->project->arena;
	int isMissing, ret;

	value->name = copyAttribute(arena, element, "name", &isMissing);
	if (isMissing)
		value->name = hdIArenaCopy(arena, (const char *)element->name,
					   strlen((const char *)element->name));
	if (!value->name)
		return -ENOMEM;
	value->unit = copyAttribute(arena, element, "unit", &isMissing);
	if (isMissing)
		value->unit = "";
	value->grouping = copyAttribute(arena, element, "grouping", &isMissing);
	if (isMissing)
		value->grouping = "";
	if (!value->unit || !value->grouping)
		return -ENOMEM;
	if (copyOthers(arena, element, known, &value->attributes,
		       &value->attributeCount) < 0)
		return -ENOMEM;
	ret = readType(head, element, value->name, value);
	if (ret < 0)
		return ret;
	readMissing(value, head->group->pub.attributes,
		    head->group->pub.attributeCount);
	readMissing(value, value->attributes, value->attributeCount);
	return 0;
}

static int readValues(struct head *head, const xmlNode *element)
{
	hdIGroup *group = &head->group->pub;
	hdIValue *values;
	size_t count = 0;
	int ret = 0;

	for (const xmlNode *n = hdIXmlFirst(element); n; n = hdIXmlNext(n))
		count++;
	values = hdIArenaAllocArray(&head->project->arena, count,
				    sizeof(*values));
	if (!values)
		return -ENOMEM;
	group->entrySize = 8;
	count = 0;
	for (const xmlNode *n = hdIXmlFirst(element); n && ret == 0;
	     n = hdIXmlNext(n))
		ret = statHeadReadValue(head, n, &values[count++]);
	if (ret < 0)
		return ret;
	group->values = values;
	group->valueCount = count;
	return 0;
}

/* timestampDatatype and timeAdjustment, both of which may be missing. */
static int readTimes(struct head *head, const xmlNode *element)
{
	const struct hdISink *sink = &head->project->sink;
	hdIGroup *group = &head->group->pub;
	int64_t line = lineOf(element);
	int64_t offset = (int64_t)(head->xmlStart + offsetOfLine(head, line));
	int isMissing;
	char *text = hdIXmlAttribute(element, "timestampDatatype", &isMissing);

	if (!text && !isMissing)
		return -ENOMEM;
	if (text && strcasecmp(text, "EPOCH") != 0)
		hdIReport(sink, HDI_RULE_STAT_TIMESTAMPS, group->file, offset,
			  line, "unknown timestampDatatype \"%s\"; using EPOCH",
			  text);
	xmlFree(text);
	text = hdIXmlAttribute(element, "timeAdjustment", &isMissing);
	if (!text && !isMissing)
		return -ENOMEM;
	if (text && hdITimeParseAdjustment(text, &group->timeAdjustment) < 0)
		hdIReport(sink, HDI_RULE_STAT_ADJUSTMENT, group->file, offset,
			  line,
			  "the timeAdjustment \"%s\" is not a number of "
			  "seconds; using 0",
			  text);
	xmlFree(text);
	return 0;
}

static int statHeadReadGroup(struct head *head, const xmlNode *element)
{
	static const char *const known[] = { "name", "timestampDatatype",
					     "timeAdjustment", NULL };
	struct hdIArena *arena = &head->project->arena;
	hdIGroup *group = &head->group->pub;
	int isMissing;
	int ret;

	group->name = copyAttribute(arena, element, "name", &isMissing);
	if (isMissing) {
		int64_t line = lineOf(element);

		return reportHeader(head, HDI_RULE_STAT_HEADER,
				    offsetOfLine(head, line), line,
				    "the group has no name");
	}
	if (!group->name)
		return -ENOMEM;
	if (copyOthers(arena, element, known, &group->attributes,
		       &group->attributeCount) < 0)
		return -ENOMEM;
	ret = readTimes(head, element);
	return ret < 0 ? ret : readValues(head, element);
}

static int readLabels(struct head *head, const xmlNode *element)
{
	struct hdIArena *arena = &head->project->arena;
	struct hdITextList labels = { 0 };
	const xmlNode *node = hdIXmlFind(element, "TopologyNode");
	int isMissing;

	while (node && (node = hdIXmlFind(node, "Label"))) {
		const char *label;

		label = copyAttribute(arena, node, "value", &isMissing);
		if (isMissing)
			break;
		if (!label || hdITextListAppend(arena, &labels, label) < 0)
			return -ENOMEM;
	}
	head->group->pub.labels = labels.texts;
	head->group->pub.labelCount = labels.count;
	return 0;
}

static int statHeadReadTree(struct head *head, xmlDocPtr tree)
{
	const xmlNode *root = tree ? xmlDocGetRootElement(tree) : NULL;
	const xmlNode *group;
	int ret;

	if (!root || !hdIXmlIs(root, "Statistics"))
		return reportHeader(head, HDI_RULE_STAT_HEADER, 0, 2,
				    "the root element is not <Statistics>");
	group = hdIXmlFind(root, "Group");
	if (!group)
		return reportHeader(head, HDI_RULE_STAT_HEADER, 0, 2,
				    "there is no <Group>");
	ret = readLabels(head, root);
	return ret < 0 ? ret : statHeadReadGroup(head, group);
}

static int statHeadReadXml(struct head *head)
{
	struct hdIXmlQuiet saved;
	struct hdIXmlError error;
	xmlDocPtr tree;
	int ret;

	hdIXmlQuiet(&saved);
	tree = hdIXmlParse(head->data + head->xmlStart, head->xmlSize, &error);
	if (error.code == -EBADMSG)
		ret = reportHeader(head, HDI_RULE_STAT_HEADER,
				   (size_t)error.offset, error.line + 1,
				   error.text);
	else if (error.code)
		ret = error.code;
	else
		ret = statHeadReadTree(head, tree);
	xmlFreeDoc(tree);
	hdIXmlRestore(&saved);
	return ret;
}

/* Get the digits at the beginning and with them the place of the XML. */
static int readLength(struct head *head)
{
	uint64_t length = 0;
	size_t i = 0;

	for (; i < head->size && head->data[i] >= '0' && head->data[i] <= '9';
	     i++)
		if (length <= HEADER_MAX)
			length = length * 10 + (uint64_t)(head->data[i] - '0');
	if (i > 0 && i < head->size && head->data[i] == '\r')
		i++;
	if (i == 0 || i == head->size || head->data[i] != '\n') {
		hdIReport(&head->project->sink, HDI_RULE_STAT_LENGTH,
			  head->group->pub.file, (int64_t)i, 1,
			  i == head->size
				  ? "the file ends within the length of its "
				    "header"
				  : "this is not the length of a header");
		return -EBADMSG;
	}
	if (length > HEADER_MAX) {
		hdIReport(&head->project->sink, HDI_RULE_STAT_LENGTH,
			  head->group->pub.file, 0, 1,
			  "the header is longer than the limit of %d bytes",
			  HEADER_MAX);
		return -EBADMSG;
	}
	head->xmlStart = i + 1;
	head->xmlSize = (size_t)length;
	return 0;
}

/* Files of before 2009 have no initial time stamp, and the beginning of the
 * trace as timeAdjustment though their time stamps are absolute, too. */
static void detectOldFormat(struct head *head)
{
	hdIGroup *group = &head->group->pub;
	const char *p = head->data + group->dataOffset;
	int64_t stamp;

	head->group->hasStart = 1;
	if (head->size < (size_t)group->dataOffset + 8 ||
	    group->timeAdjustment < DATE_MIN)
		return;
	if (hdIBytesStamp(p, &stamp) < 0 || stamp < group->timeAdjustment)
		return;
	hdIReport(&head->project->sink, HDI_RULE_STAT_OLD_FORMAT, group->file,
		  group->dataOffset, 0,
		  "the old format without an initial time stamp: the first "
		  "interval has no length, and the timeAdjustment %" PRId64
		  ".%09" PRId64 " is a date that is not added",
		  group->timeAdjustment / HDI_NS_PER_S,
		  group->timeAdjustment % HDI_NS_PER_S);
	head->group->hasStart = 0;
	group->timeAdjustment = 0;
}

/* Load the file up to so many bytes, or fewer where it ends; at least those
 * that are needed. */
static int statHeadLoad(struct head *head, struct hdIFile *file, size_t size,
			size_t needed)
{
	char *data = realloc(head->data, size);
	ssize_t n = 1;

	if (!data)
		return -ENOMEM;
	head->data = data;
	while (n > 0 && head->size < size) {
		n = hdIFileRead(file, data + head->size, size - head->size);
		if (n > 0)
			head->size += (size_t)n;
		/* What fails behind them shows when it is read. */
		if (head->size >= needed && n != -ENOMEM)
			return 0;
	}
	if (n == -ENOMEM)
		return -ENOMEM;
	return n < 0 ? -EBADMSG : 0;
}

static int readHead(struct head *head, struct hdIFile *file)
{
	size_t wanted;
	int ret = statHeadLoad(head, file, FIRST_READ, 1);

	if (ret == 0)
		ret = readLength(head);
	if (ret < 0)
		return ret;
	wanted = head->xmlStart + head->xmlSize;
	if ((int64_t)wanted > head->group->pub.fileSize) {
		hdIReport(&head->project->sink, HDI_RULE_STAT_HEADER,
			  head->group->pub.file, head->group->pub.fileSize, 0,
			  "the file ends within its header; %zu bytes are "
			  "missing",
			  wanted - (size_t)head->group->pub.fileSize);
		return -EBADMSG;
	}
	if (wanted > head->size)
		ret = statHeadLoad(head, file, wanted + 8, wanted);
	/* The first time stamp, if it is in another frame. */
	if (ret == 0 && wanted == head->size)
		ret = statHeadLoad(head, file, wanted + 8, wanted);
	if (ret < 0)
		return ret;
	/* The file may have shrunk meanwhile. */
	if (head->size < wanted)
		return reportHeader(head, HDI_RULE_STAT_HEADER, 0, 2,
				    "the file ends within its header");
	ret = statHeadReadXml(head);
	if (ret < 0)
		return ret;
	head->group->pub.dataOffset = (int64_t)wanted;
	head->group->pub.isReadable = 1;
	detectOldFormat(head);
	return 0;
}

int hdIStatHeadRead(struct hdIProjectData *project, struct hdIGroupData *group,
		    const char *file)
{
	struct head head = { .project = project, .group = group };
	struct hdIFile *input;
	int ret;

	group->pub.file = file;
	ret = hdIFileOpen(file, &project->sink, &input);
	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	group->pub.fileSize = hdIFileSize(input);
	ret = readHead(&head, input);
	hdIFileClose(input);
	free(head.data);
	if (ret < 0) {
		group->pub.values = NULL;
		group->pub.valueCount = 0;
		group->pub.entrySize = 0;
		group->pub.isReadable = 0;
	}
	return ret == -ENOMEM ? ret : 0;
}
