/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The .proj file. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "file.h"
#include "project.h"
#include "xml.h"

/* More than any project of people; a reader has it all in memory. */
#define SIZE_LIMIT (INT64_C(1) << 30)

struct projXml {
	struct hdIProjectData *project;
	const char *file;
	int isOldFormat;
};

static const char *const combiners[] = {
	"NAMED",           "DUP",
	"CONTIGUOUS",      "VECTOR",
	"HVECTOR",         "INDEXED",
	"HINDEXED",        "INDEXED_BLOCK",
	"HINDEXED_BLOCK",  "STRUCT",
	"SUBARRAY",        "DARRAY",
	"F90_REAL",        "F90_COMPLEX",
	"F90_INTEGER",     "RESIZED",
	"HVECTOR_INTEGER", "HINDEXED_INTEGER",
	"STRUCT_INTEGER",
};

/* Move a text of libxml2 to the project; NULL stays NULL. */
static const char *take(struct projXml *xml, char *text)
{
	const char *copy = NULL;

	if (text)
		copy = hdIArenaCopy(&xml->project->arena, text, strlen(text));
	xmlFree(text);
	return copy;
}

/* An attribute, or a default where it is missing; NULL: no memory. */
static const char *get(struct projXml *xml, const xmlNode *node,
		       const char *name, const char *fallback)
{
	int isMissing;
	const char *text;

	text = take(xml, hdIXmlAttribute(node, name, &isMissing));
	return isMissing ? fallback : text;
}

/* The text in an element, trimmed; NULL: no memory. */
static const char *getText(struct projXml *xml, const xmlNode *node)
{
	char *text = (char *)xmlNodeGetContent((xmlNode *)node);
	const char *start = text;
	const char *copy;
	size_t length;

	if (!text)
		return node->children ? NULL : "";
	while (isspace((unsigned char)*start))
		start++;
	length = strlen(start);
	while (length > 0 && isspace((unsigned char)start[length - 1]))
		length--;
	copy = hdIArenaCopy(&xml->project->arena, start, length);
	xmlFree(text);
	return copy;
}

/* Returns 0, or -EINVAL and leaves *number alone. */
static int parseNumber(const char *text, int64_t *number)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(text, &end, 10);
	while (isspace((unsigned char)*end))
		end++;
	if (errno || end == text || *end)
		return -EINVAL;
	*number = n;
	return 0;
}

static int getNumber(struct projXml *xml, const xmlNode *node, const char *name,
		     int64_t *number)
{
	const char *text = get(xml, node, name, "");

	return text ? parseNumber(text, number) : -ENOMEM;
}

static size_t countChildren(const xmlNode *node)
{
	size_t count = 0;

	for (node = hdIXmlFirst(node); node; node = hdIXmlNext(node))
		count++;
	return count;
}

static void report(struct projXml *xml, enum hdIRuleId rule,
		   const xmlNode *node, const char *format, const char *text)
{
	hdIReport(&xml->project->sink, rule, xml->file, -1,
		  xmlGetLineNo((xmlNode *)node), format, text);
}

/* ---- Topology ---------------------------------------------------------- */

static int readLevels(struct projXml *xml, const xmlNode *node)
{
	struct hdIProjectData *project = xml->project;

	for (node = hdIXmlFind(node, "Level"); node;
	     node = hdIXmlFind(node, "Level")) {
		const char *type = get(xml, node, "type", NULL);
		int isMissing = 0;

		if (!type) {
			type = take(xml,
				    hdIXmlAttribute(node, "name", &isMissing));
			xml->isOldFormat |= !isMissing;
		}
		if (isMissing)
			type = "";
		if (!type || hdITextListAppend(&project->arena,
					       &project->levels, type) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* The node of an element <Node name=""/>, or of the old <Label value=""/>.
 * *child stays NULL if the element is none. */
static int readNode(struct projXml *xml, const xmlNode *element,
		    struct hdINodeData *parent, struct hdINodeData **child)
{
	int isLabel = hdIXmlIs(element, "Label");
	const char *label;
	int isNew;

	*child = NULL;
	if (!isLabel && !hdIXmlIs(element, "Node"))
		return 0;
	label = get(xml, element, isLabel ? "value" : "name", "");
	if (!label)
		return -ENOMEM;
	xml->isOldFormat |= isLabel;
	if (!*label) {
		report(xml, HDI_RULE_PROJ_TOPOLOGY, element,
		       "%s without a name, which is left out with all in it",
		       isLabel ? "a label" : "a node");
		return 0;
	}
	*child = hdITopologyAdd(xml->project, parent, label, &isNew);
	if (!*child)
		return -ENOMEM;
	(*child)->pub.isDeclared = 1;
	if (!isNew)
		report(xml, HDI_RULE_PROJ_TOPOLOGY, element,
		       "the node \"%s\" is there twice; both are taken as one",
		       label);
	return 0;
}

/* Walk through the elements without recursion: depth is up to the file. */
static int readTopology(struct projXml *xml, const xmlNode *topology)
{
	struct hdINodeData *parent = xml->project->root;
	const xmlNode *element = hdIXmlFirst(topology);
	int ret = readLevels(xml, topology);

	while (ret == 0 && element) {
		struct hdINodeData *child;
		const xmlNode *next;

		ret = readNode(xml, element, parent, &child);
		next = child ? hdIXmlFirst(element) : NULL;
		if (next) {
			parent = child;
			element = next;
			continue;
		}
		next = hdIXmlNext(element);
		while (!next && element->parent != topology) {
			element = element->parent;
			parent = parent->parent;
			next = hdIXmlNext(element);
		}
		element = next;
	}
	return ret;
}

/* ---- Communicators, datatypes, files, groups --------------------------- */

static int readCommunicator(struct projXml *xml, const xmlNode *element,
			    hdICommunicator *communicator)
{
	hdIRank *ranks;

	ranks = hdIArenaAllocArray(&xml->project->arena, countChildren(element),
				   sizeof(*ranks));
	communicator->name = get(xml, element, "name", "");
	if (!ranks || !communicator->name)
		return -ENOMEM;
	communicator->ranks = ranks;
	for (const xmlNode *n = hdIXmlFirst(element); n; n = hdIXmlNext(n)) {
		hdIRank *rank = &ranks[communicator->rankCount];
		int ret;

		if (!hdIXmlIs(n, "Rank"))
			continue;
		ret = getNumber(xml, n, "global", &rank->global);
		if (ret == 0)
			ret = getNumber(xml, n, "local", &rank->local);
		if (ret == 0)
			ret = getNumber(xml, n, "cid", &rank->cid);
		if (ret == -ENOMEM)
			return ret;
		if (ret == 0)
			communicator->rankCount++;
		else
			report(xml, HDI_RULE_PROJ_COMMUNICATOR, n,
			       "a rank of the communicator \"%s\" has no "
			       "valid numbers, and is left out",
			       communicator->name);
	}
	return 0;
}

static int readCommunicators(struct projXml *xml, const xmlNode *list)
{
	hdIProject *pub = &xml->project->pub;
	hdICommunicator *communicators;
	int ret = 0;

	communicators =
		hdIArenaAllocArray(&xml->project->arena, countChildren(list),
				   sizeof(*communicators));
	if (!communicators)
		return -ENOMEM;
	pub->communicators = communicators;
	for (const xmlNode *n = hdIXmlFirst(list); n && ret == 0;
	     n = hdIXmlNext(n))
		if (hdIXmlIs(n, "Communicator"))
			ret = readCommunicator(
				xml, n,
				&communicators[pub->communicatorCount++]);
	return ret;
}

static int isCombiner(const char *name)
{
	for (size_t i = 0; i < sizeof(combiners) / sizeof(*combiners); i++)
		if (strcmp(combiners[i], name) == 0)
			return 1;
	return 0;
}

/* What is inside an element, as XML. */
static const char *getContent(struct projXml *xml, const xmlNode *element)
{
	xmlBufferPtr buffer;
	const char *copy = NULL;
	int ret = 0;

	if (!element->children)
		return "";
	buffer = xmlBufferCreate();
	if (!buffer)
		return NULL;
	for (xmlNode *n = element->children; n && ret >= 0; n = n->next)
		ret = xmlNodeDump(buffer, element->doc, n, 0, 0);
	if (ret >= 0)
		copy = hdIArenaCopy(&xml->project->arena,
				    (const char *)xmlBufferContent(buffer),
				    (size_t)xmlBufferLength(buffer));
	xmlBufferFree(buffer);
	return copy;
}

static int getOthers(struct projXml *xml, const xmlNode *element,
		     hdIDatatype *type)
{
	hdIAttribute *list;
	size_t count = 0;

	for (xmlAttr *a = element->properties; a; a = a->next)
		count++;
	list = hdIArenaAllocArray(&xml->project->arena, count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	type->attributes = list;
	for (xmlAttr *a = element->properties; a; a = a->next) {
		const char *name = (const char *)a->name;

		if (a->ns || !strcmp(name, "id") || !strcmp(name, "name"))
			continue;
		list->name =
			hdIArenaCopy(&xml->project->arena, name, strlen(name));
		list->value = get(xml, element, name, NULL);
		if (!list->name || !list->value)
			return -ENOMEM;
		list++;
		type->attributeCount++;
	}
	return 0;
}

/* Returns 1 if *type is set. */
static int readDatatype(struct projXml *xml, const xmlNode *element,
			hdIDatatype *type)
{
	const char *name = (const char *)element->name;
	char *combiner;
	int ret = getNumber(xml, element, "id", &type->id);

	if (ret == -ENOMEM)
		return ret;
	if (ret < 0) {
		report(xml, HDI_RULE_PROJ_DATATYPE, element,
		       "a datatype %s has no valid id, and is left out", name);
		return 0;
	}
	combiner = hdIArenaCopy(&xml->project->arena, name, strlen(name));
	type->name = get(xml, element, "name", "");
	type->content = getContent(xml, element);
	if (!combiner || !type->name || !type->content ||
	    getOthers(xml, element, type) < 0)
		return -ENOMEM;
	for (char *p = combiner; *p; p++)
		if (*p >= 'a' && *p <= 'z')
			*p = (char)(*p - 'a' + 'A');
	type->combiner = combiner;
	if (!isCombiner(combiner))
		report(xml, HDI_RULE_PROJ_DATATYPE, element,
		       "the combiner %s of a datatype is unknown", name);
	return 1;
}

static int readRankTypes(struct projXml *xml, const xmlNode *rank,
			 hdIDatatype *types)
{
	hdIProject *pub = &xml->project->pub;
	const char *rankName = get(xml, rank, "name", "");
	const char *thread = get(xml, rank, "thread", "");

	if (!rankName || !thread)
		return -ENOMEM;
	for (const xmlNode *n = hdIXmlFirst(rank); n; n = hdIXmlNext(n)) {
		hdIDatatype *type = &types[pub->datatypeCount];
		int ret;

		type->rank = rankName;
		type->thread = thread;
		ret = readDatatype(xml, n, type);
		if (ret < 0)
			return ret;
		pub->datatypeCount += (size_t)ret;
	}
	return 0;
}

static int readDatatypes(struct projXml *xml, const xmlNode *list)
{
	hdIDatatype *types;
	size_t count = 0;
	int ret = 0;

	for (const xmlNode *n = hdIXmlFirst(list); n; n = hdIXmlNext(n))
		count += countChildren(n);
	types = hdIArenaAllocArray(&xml->project->arena, count, sizeof(*types));
	if (!types)
		return -ENOMEM;
	xml->project->pub.datatypes = types;
	for (const xmlNode *n = hdIXmlFirst(list); n && ret == 0;
	     n = hdIXmlNext(n))
		if (hdIXmlIs(n, "Rank"))
			ret = readRankTypes(xml, n, types);
	return ret;
}

static int readFile(struct projXml *xml, const xmlNode *element,
		    hdIUsedFile *file)
{
	const xmlNode *size = hdIXmlFind(element, "InitialSize");
	const char *text = size ? getText(xml, size) : NULL;

	file->initialSize = -1;
	file->name = get(xml, element, "name", "");
	if (!file->name || (size && !text))
		return -ENOMEM;
	if (size && (parseNumber(text, &file->initialSize) < 0 ||
		     file->initialSize < 0)) {
		file->initialSize = -1;
		report(xml, HDI_RULE_PROJ_FILE_SIZE, size,
		       "the InitialSize of the file \"%s\" is not a size",
		       file->name);
	}
	return 0;
}

static int readFiles(struct projXml *xml, const xmlNode *list)
{
	hdIProject *pub = &xml->project->pub;
	hdIUsedFile *files;
	int ret = 0;

	files = hdIArenaAllocArray(&xml->project->arena, countChildren(list),
				   sizeof(*files));
	if (!files)
		return -ENOMEM;
	pub->usedFiles = files;
	for (const xmlNode *n = hdIXmlFirst(list); n && ret == 0;
	     n = hdIXmlNext(n))
		if (hdIXmlIs(n, "File"))
			ret = readFile(xml, n, &files[pub->usedFileCount++]);
	return ret;
}

static int readGroups(struct projXml *xml, const xmlNode *list)
{
	struct hdIProjectData *project = xml->project;

	for (const xmlNode *n = hdIXmlFirst(list); n; n = hdIXmlNext(n)) {
		const char *name = (const char *)n->name;

		name = hdIArenaCopy(&project->arena, name, strlen(name));
		if (!name ||
		    hdITextListAppend(&project->arena, &project->declaredGroups,
				      name) < 0)
			return -ENOMEM;
		/* Of old the values stood here, not in the .stat file. */
		xml->isOldFormat |= hdIXmlFirst(n) != NULL;
	}
	return 0;
}

/* ---- The whole --------------------------------------------------------- */

static int readDescription(struct projXml *xml, const xmlNode *element)
{
	const char *text = getText(xml, element);

	if (!text)
		return -ENOMEM;
	xml->project->pub.description = text;
	return 0;
}

static int readRoot(struct projXml *xml, const xmlNode *root)
{
	static const struct {
		const char *name;
		int (*read)(struct projXml *xml, const xmlNode *element);
	} parts[] = {
		{ "Description", readDescription },
		{ "Topology", readTopology },
		{ "CommunicatorList", readCommunicators },
		{ "Datatypes", readDatatypes },
		{ "FileList", readFiles },
		{ "ExternalStatistics", readGroups },
	};
	hdIProject *pub = &xml->project->pub;

	pub->name = get(xml, root, "name", pub->name);
	if (!pub->name)
		return -ENOMEM;
	xml->project->root->pub.label = pub->name;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const xmlNode *part = hdIXmlFind(root, parts[i].name);

		if (part && parts[i].read(xml, part) < 0)
			return -ENOMEM;
	}
	if (xml->isOldFormat)
		report(xml, HDI_RULE_PROJ_OLD_FORMAT, root,
		       "the format of before 2009, with %s; it is read as far "
		       "as it means the same today",
		       "names of levels, labels, or values of groups");
	return 0;
}

static int parse(struct projXml *xml, const char *data, size_t size)
{
	struct hdIXmlQuiet saved;
	struct hdIXmlError error;
	const xmlNode *root;
	xmlDocPtr tree;
	int ret;

	hdIXmlQuiet(&saved);
	tree = hdIXmlParse(data, size, &error);
	root = tree ? xmlDocGetRootElement(tree) : NULL;
	ret = error.code;
	if (ret == -EBADMSG)
		hdIReport(&xml->project->sink, HDI_RULE_PROJ_XML, xml->file,
			  error.offset, error.line, "%s", error.text);
	if (ret != -ENOMEM && root) {
		if (!hdIXmlIs(root, "Application")) {
			report(xml, HDI_RULE_PROJ_ROOT, root,
			       "the root element is <%s>",
			       (const char *)root->name);
			ret = -EBADMSG;
		} else if (readRoot(xml, root) < 0) {
			ret = -ENOMEM;
		}
	}
	xmlFreeDoc(tree);
	hdIXmlRestore(&saved);
	return ret;
}

static int load(struct projXml *xml, int fd, int64_t size, char *data)
{
	size_t done = 0;
	ssize_t n = 1;

	while (n > 0 && done < (size_t)size) {
		n = hdIFileRead(fd, data + done, (size_t)size - done);
		if (n > 0)
			done += (size_t)n;
	}
	if (n < 0) {
		hdIReport(&xml->project->sink, HDI_RULE_FILE_READ, xml->file,
			  (int64_t)done, 0, "%s", strerror((int)-n));
		return (int)n;
	}
	return parse(xml, data, done);
}

int hdIProjXmlRead(struct hdIProjectData *project, const char *file)
{
	struct projXml xml = { .project = project, .file = file };
	int64_t size;
	char *data;
	int fd = hdIFileOpen(file, &size);
	int ret;

	if (fd < 0) {
		if (fd != -ENOMEM)
			hdIReport(&project->sink, HDI_RULE_FILE_OPEN, file, -1,
				  0, "%s", hdIFileError(fd));
		return fd;
	}
	if (size > SIZE_LIMIT) {
		hdIReport(&project->sink, HDI_RULE_PROJ_XML, file, SIZE_LIMIT,
			  0, "more than %" PRId64 " bytes", SIZE_LIMIT);
		close(fd);
		return -EBADMSG;
	}
	data = malloc((size_t)size + 1);
	ret = data ? load(&xml, fd, size, data) : -ENOMEM;
	free(data);
	close(fd);
	return ret;
}
