/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The .proj file: the whole, and its topology. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "HDTraceReadingCLibrary/src/file.h"
#include "HDTraceReadingCLibrary/src/project/projxml.h"

/* More than any project of people; a reader has it all in memory. */
#define SIZE_LIMIT (INT64_C(1) << 30)

const char *hdIProjTake(struct hdIProjXml *xml, char *text)
{
	const char *copy = NULL;

	if (text)
		copy = hdIArenaCopy(&xml->project->arena, text, strlen(text));
	xmlFree(text);
	return copy;
}

const char *hdIProjGet(struct hdIProjXml *xml, const xmlNode *node,
		       const char *name, const char *fallback)
{
	int isMissing;
	const char *text;

	text = hdIProjTake(xml, hdIXmlAttribute(node, name, &isMissing));
	return isMissing ? fallback : text;
}

const char *hdIProjText(struct hdIProjXml *xml, const xmlNode *node)
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

void hdIProjReport(struct hdIProjXml *xml, enum hdIRuleId rule,
		   const xmlNode *node, const char *format, const char *text)
{
	hdIReport(&xml->project->sink, rule, xml->file, -1,
		  xmlGetLineNo((xmlNode *)node), format, text);
}

/* ---- Topology ---------------------------------------------------------- */

static int projXmlReadLevels(struct hdIProjXml *xml, const xmlNode *node)
{
	struct hdIProjectData *project = xml->project;

	for (node = hdIXmlFind(node, "Level"); node;
	     node = hdIXmlFind(node, "Level")) {
		const char *type = hdIProjGet(xml, node, "type", NULL);
		int isMissing = 0;

		if (!type) {
			type = hdIProjTake(
				xml, hdIXmlAttribute(node, "name", &isMissing));
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
static int projXmlReadNode(struct hdIProjXml *xml, const xmlNode *element,
			   struct hdINodeData *parent,
			   struct hdINodeData **child)
{
	int isLabel = hdIXmlIs(element, "Label");
	const char *label;
	int isNew;

	*child = NULL;
	if (!isLabel && !hdIXmlIs(element, "Node"))
		return 0;
	label = hdIProjGet(xml, element, isLabel ? "value" : "name", "");
	if (!label)
		return -ENOMEM;
	xml->isOldFormat |= isLabel;
	if (!*label) {
		hdIProjReport(xml, HDI_RULE_PROJ_TOPOLOGY, element,
			      "%s without a name; omitted with its contents",
			      isLabel ? "a label" : "a node");
		return 0;
	}
	if (strlen(parent->pub.path) + strlen(label) >= HDI_PATH_MAX) {
		hdIProjReport(xml, HDI_RULE_PROJ_TOPOLOGY, element,
			      "%s with labels that are too long for a file "
			      "name; omitted with its contents",
			      "a node");
		return 0;
	}
	*child = hdITopologyAdd(xml->project, parent, label, &isNew);
	if (!*child)
		return -ENOMEM;
	(*child)->pub.isDeclared = 1;
	if (!isNew)
		hdIProjReport(xml, HDI_RULE_PROJ_TOPOLOGY, element,
			      "the node \"%s\" occurs twice; both are merged",
			      label);
	return 0;
}

/* Walk through the elements without recursion: depth is up to the file. */
static int readTopology(struct hdIProjXml *xml, const xmlNode *topology)
{
	struct hdINodeData *parent = xml->project->root;
	const xmlNode *element = hdIXmlFirst(topology);
	int ret = projXmlReadLevels(xml, topology);

	while (ret == 0 && element) {
		struct hdINodeData *child;
		const xmlNode *next;

		ret = projXmlReadNode(xml, element, parent, &child);
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

/* ---- Groups ----------------------------------------------------------- */

static int readGroups(struct hdIProjXml *xml, const xmlNode *list)
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

static int readDescription(struct hdIProjXml *xml, const xmlNode *element)
{
	const char *text = hdIProjText(xml, element);

	if (!text)
		return -ENOMEM;
	xml->project->pub.description = text;
	return 0;
}

static int projXmlReadRoot(struct hdIProjXml *xml, const xmlNode *root)
{
	static const struct {
		const char *name;
		int (*read)(struct hdIProjXml *xml, const xmlNode *element);
	} parts[] = {
		{ "Description", readDescription },
		{ "Topology", readTopology },
		{ "CommunicatorList", hdIProjCommunicators },
		{ "Datatypes", hdIProjDatatypes },
		{ "FileList", hdIProjFiles },
		{ "ClockList", hdIProjClocks },
		{ "ExternalStatistics", readGroups },
	};
	hdIProject *pub = &xml->project->pub;

	pub->name = hdIProjGet(xml, root, "name", pub->name);
	if (!pub->name)
		return -ENOMEM;
	xml->project->root->pub.label = pub->name;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const xmlNode *part = hdIXmlFind(root, parts[i].name);

		if (part && parts[i].read(xml, part) < 0)
			return -ENOMEM;
	}
	if (xml->isOldFormat)
		hdIProjReport(
			xml, HDI_RULE_PROJ_OLD_FORMAT, root,
			"an old format from before 2009, with %s; only parts "
			"with the same meaning today are read",
			"names of levels, labels, or values of groups");
	return 0;
}

static int projXmlParse(struct hdIProjXml *xml, const char *data, size_t size)
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
			hdIProjReport(xml, HDI_RULE_PROJ_ROOT, root,
				      "the root element is <%s>",
				      (const char *)root->name);
			ret = -EBADMSG;
		} else if (projXmlReadRoot(xml, root) < 0) {
			ret = -ENOMEM;
		}
	}
	xmlFreeDoc(tree);
	hdIXmlRestore(&saved);
	return ret;
}

static int projXmlLoad(struct hdIProjXml *xml, struct hdIFile *file,
		       int64_t size, char *data)
{
	size_t done = 0;
	ssize_t n = 1;

	while (n > 0 && done < (size_t)size) {
		n = hdIFileRead(file, data + done, (size_t)size - done);
		if (n > 0)
			done += (size_t)n;
	}
	if (n < 0)
		return (int)n;
	return projXmlParse(xml, data, done);
}

int hdIProjXmlRead(struct hdIProjectData *project, const char *file)
{
	struct hdIProjXml xml = { .project = project, .file = file };
	struct hdIFile *input;
	int64_t size;
	char *data;
	int ret = hdIFileOpen(file, &project->sink, &input);

	if (ret < 0)
		return ret;
	size = hdIFileSize(input);
	if (size > SIZE_LIMIT) {
		hdIReport(&project->sink, HDI_RULE_PROJ_XML, file, SIZE_LIMIT,
			  0, "more than %" PRId64 " bytes", SIZE_LIMIT);
		hdIFileClose(input);
		return -EBADMSG;
	}
	data = malloc((size_t)size + 1);
	ret = data ? projXmlLoad(&xml, input, size, data) : -ENOMEM;
	free(data);
	hdIFileClose(input);
	return ret;
}
