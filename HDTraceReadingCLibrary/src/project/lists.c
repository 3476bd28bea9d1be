/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lists of a .proj file: communicators, MPI datatypes, files. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceReadingCLibrary/src/project/projxml.h"

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

/* Returns 0, or -EINVAL and leaves *number alone. */
static int projListsParseNumber(const char *text, int64_t *number)
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

static int projListsGetNumber(struct hdIProjXml *xml, const xmlNode *node,
			      const char *name, int64_t *number)
{
	const char *text = hdIProjGet(xml, node, name, "");

	return text ? projListsParseNumber(text, number) : -ENOMEM;
}

static size_t countChildren(const xmlNode *node)
{
	size_t count = 0;

	for (node = hdIXmlFirst(node); node; node = hdIXmlNext(node))
		count++;
	return count;
}

/* ---- Communicators, datatypes, files --------------------------- */

/* A number that may be missing; returns 1 if it is. */
static int getOptional(struct hdIProjXml *xml, const xmlNode *node,
		       const char *name, int64_t *number)
{
	const char *text = hdIProjGet(xml, node, name, "");

	if (!text)
		return -ENOMEM;
	return *text ? projListsParseNumber(text, number) : 1;
}

/* A rank, and the group that it belongs to. */
static int readRank(struct hdIProjXml *xml, const xmlNode *element,
		    hdIRank *rank, int64_t *group)
{
	int ret = projListsGetNumber(xml, element, "global", &rank->global);

	*group = 0;
	if (ret == 0)
		ret = projListsGetNumber(xml, element, "local", &rank->local);
	if (ret == 0)
		ret = projListsGetNumber(xml, element, "cid", &rank->cid);
	if (ret < 0)
		return ret;
	ret = getOptional(xml, element, "group", group);
	if (ret == -ENOMEM)
		return ret;
	return ret >= 0 && (*group == 0 || *group == 1) ? 0 : -EINVAL;
}

/* How many processes a group has; no more than can be numbered. */
static int readGroupSize(struct hdIProjXml *xml, const xmlNode *element,
			 const char *name, size_t known, int64_t *size)
{
	int ret = getOptional(xml, element, name, size);

	if (ret == -ENOMEM)
		return ret;
	if (ret == 0 && *size >= (int64_t)known && *size <= INT32_MAX)
		return 0;
	*size = (int64_t)known;
	if (ret != 1)
		hdIProjReport(xml, HDI_RULE_PROJ_COMMUNICATOR, element,
			      "%s of a communicator is less than the number "
			      "of its ranks",
			      name);
	return 0;
}

static int readCommunicator(struct hdIProjXml *xml, const xmlNode *element,
			    hdICommunicator *communicator)
{
	size_t children = countChildren(element);
	hdIRank *ranks, *remotes;
	int64_t isInter = 0;
	int ret;

	ranks = hdIArenaAllocArray(&xml->project->arena, children,
				   sizeof(*ranks));
	remotes = hdIArenaAllocArray(&xml->project->arena, children,
				     sizeof(*remotes));
	communicator->name = hdIProjGet(xml, element, "name", "");
	communicator->uid = hdIProjGet(xml, element, "uid", "");
	if (!ranks || !remotes || !communicator->name || !communicator->uid)
		return -ENOMEM;
	communicator->ranks = ranks;
	communicator->remoteRanks = remotes;
	for (const xmlNode *n = hdIXmlFirst(element); n; n = hdIXmlNext(n)) {
		hdIRank rank;
		int64_t group;

		if (!hdIXmlIs(n, "Rank"))
			continue;
		ret = readRank(xml, n, &rank, &group);
		if (ret == -ENOMEM)
			return ret;
		if (ret < 0)
			hdIProjReport(
				xml, HDI_RULE_PROJ_COMMUNICATOR, n,
				"a rank of the communicator \"%s\" has no "
				"valid numbers; omitted",
				communicator->name);
		else if (group == 0)
			ranks[communicator->rankCount++] = rank;
		else
			remotes[communicator->remoteRankCount++] = rank;
	}
	ret = readGroupSize(xml, element, "size", communicator->rankCount,
			    &communicator->size);
	if (ret == 0)
		ret = readGroupSize(xml, element, "remoteSize",
				    communicator->remoteRankCount,
				    &communicator->remoteSize);
	if (ret == 0 && getOptional(xml, element, "inter", &isInter) == -ENOMEM)
		ret = -ENOMEM;
	communicator->isInter = isInter == 1 || communicator->remoteSize > 0;
	return ret;
}

int hdIProjCommunicators(struct hdIProjXml *xml, const xmlNode *list)
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
static const char *getContent(struct hdIProjXml *xml, const xmlNode *element)
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

static int getOthers(struct hdIProjXml *xml, const xmlNode *element,
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
		list->value = hdIProjTake(xml, hdIXmlValue(a));
		if (!list->name || !list->value)
			return -ENOMEM;
		list++;
		type->attributeCount++;
	}
	return 0;
}

/* Returns 1 if *type is set. */
static int readDatatype(struct hdIProjXml *xml, const xmlNode *element,
			hdIDatatype *type)
{
	const char *name = (const char *)element->name;
	char *combiner;
	int ret = projListsGetNumber(xml, element, "id", &type->id);

	if (ret == -ENOMEM)
		return ret;
	if (ret < 0) {
		hdIProjReport(xml, HDI_RULE_PROJ_DATATYPE, element,
			      "a datatype %s has no valid id; omitted", name);
		return 0;
	}
	combiner = hdIArenaCopy(&xml->project->arena, name, strlen(name));
	type->name = hdIProjGet(xml, element, "name", "");
	type->content = getContent(xml, element);
	if (!combiner || !type->name || !type->content ||
	    getOthers(xml, element, type) < 0)
		return -ENOMEM;
	for (char *p = combiner; *p; p++)
		if (*p >= 'a' && *p <= 'z')
			*p = (char)(*p - 'a' + 'A');
	type->combiner = combiner;
	if (!isCombiner(combiner))
		hdIProjReport(xml, HDI_RULE_PROJ_DATATYPE, element,
			      "the combiner %s of a datatype is unknown", name);
	return 1;
}

static int readRankTypes(struct hdIProjXml *xml, const xmlNode *rank,
			 hdIDatatype *types)
{
	hdIProject *pub = &xml->project->pub;
	const char *rankName = hdIProjGet(xml, rank, "name", "");
	const char *thread = hdIProjGet(xml, rank, "thread", "");

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

int hdIProjDatatypes(struct hdIProjXml *xml, const xmlNode *list)
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

static int projListsReadFile(struct hdIProjXml *xml, const xmlNode *element,
			     hdIUsedFile *file)
{
	const xmlNode *size = hdIXmlFind(element, "InitialSize");
	const char *text = size ? hdIProjText(xml, size) : NULL;

	file->initialSize = -1;
	file->name = hdIProjGet(xml, element, "name", "");
	if (!file->name || (size && !text))
		return -ENOMEM;
	if (size && (projListsParseNumber(text, &file->initialSize) < 0 ||
		     file->initialSize < 0)) {
		file->initialSize = -1;
		hdIProjReport(
			xml, HDI_RULE_PROJ_FILE_SIZE, size,
			"the InitialSize of the file \"%s\" is not a size",
			file->name);
	}
	return 0;
}

int hdIProjFiles(struct hdIProjXml *xml, const xmlNode *list)
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
			ret = projListsReadFile(xml, n,
						&files[pub->usedFileCount++]);
	return ret;
}
