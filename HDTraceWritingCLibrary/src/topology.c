/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Topologies and their nodes. */
#include "config.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "HDTraceWritingCLibrary/src/error.h"
#include "HDTraceWritingCLibrary/src/settings.h"
#include "common/format/text.h"
#include "HDTraceWritingCLibrary/src/topology.h"

/* Whether a level type or label is made of allowed characters. */
static bool topologyNameIsValid(const char *name)
{
	if (!name || !*name)
		return false;
	for (; *name; name++)
		if (!((*name >= 'A' && *name <= 'Z') ||
		      (*name >= 'a' && *name <= 'z') ||
		      (*name >= '0' && *name <= '9') || *name == '.' ||
		      *name == '-'))
			return false;
	return true;
}

/* Join strings; NULL if there is no memory. */
static char *topologyJoin(const char *const *strings, int count, char between)
{
	size_t size = 1;
	char *joined, *end;

	for (int i = 0; i < count; i++)
		size += strlen(strings[i]) + 1;
	joined = malloc(size);
	if (!joined)
		return NULL;
	end = joined;
	for (int i = 0; i < count; i++) {
		if (i > 0)
			*end++ = between;
		end = stpcpy(end, strings[i]);
	}
	*end = '\0';
	return joined;
}

/* The original reader would not find the files of such a project. */
static void topologyWarn(const char *project)
{
	static atomic_bool warned;
	const char *slash = strrchr(project, '/');

	for (const char *c = slash ? slash + 1 : project; *c; c++) {
		if (strchr("-. ", *c) || (*c >= 'A' && *c <= 'Z') ||
		    (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9'))
			continue;
		if (!atomic_exchange(&warned, true))
			hdMessage(HD_LOG_WARNING,
				  "project \"%s\": the original reader does not"
				  " find files with '%c' in their name",
				  project, *c);
		return;
	}
}

static char *topologyProject(const char *project)
{
	const char *prefix = hdSettingsGet()->prefix;
	const char *parts[] = { prefix, project };
	char *joined, *end;

	if (project[0] == '/' || !*prefix)
		return strdup(project);
	joined = topologyJoin(parts, 2, '_');
	if (!joined)
		return NULL;
	/* Nothing between the two after all. */
	end = joined + strlen(prefix);
	memmove(end, end + 1, strlen(end + 1) + 1);
	return joined;
}

hdTopology *hdT_createTopology(const char *project, const char **levels,
			       int nlevels)
{
	int saved = errno;
	const char *slash;
	hdTopology *topology;

	if (!project || nlevels < 0 || (nlevels > 0 && !levels))
		return hdFailNull(-HD_ERR_INVALID_ARGUMENT);
	slash = strrchr(project, '/');
	if (slash ? !slash[1] : !project[0])
		return hdFailNull(-HD_ERR_INVALID_ARGUMENT);
	for (int i = 0; i < nlevels; i++)
		if (!topologyNameIsValid(levels[i]))
			return hdFailNull(-HD_ERR_INVALID_ARGUMENT);

	topology = calloc(1, sizeof(*topology));
	if (!topology)
		return hdFailNull(-HD_ERR_MALLOC);
	topology->nlevels = nlevels;
	topology->project = topologyProject(project);
	topology->levels = topologyJoin(levels, nlevels, ' ');
	if (!topology->project || !topology->levels) {
		hdT_destroyTopology(topology);
		return hdFailNull(-HD_ERR_MALLOC);
	}
	topologyWarn(topology->project);
	errno = saved;
	return topology;
}

int hdT_destroyTopology(hdTopology *topology)
{
	if (!topology)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	free(topology->project);
	free(topology->levels);
	free(topology);
	return 0;
}

hdTopoNode *hdT_createTopoNode(hdTopology *topology, const char **path,
			       int length)
{
	int saved = errno;
	hdTopoNode *node;

	if (!topology || length < 0 || length > topology->nlevels ||
	    (length > 0 && !path))
		return hdFailNull(-HD_ERR_INVALID_ARGUMENT);
	for (int i = 0; i < length; i++)
		if (!topologyNameIsValid(path[i]))
			return hdFailNull(-HD_ERR_INVALID_ARGUMENT);

	node = calloc(1, sizeof(*node));
	if (!node)
		return hdFailNull(-HD_ERR_MALLOC);
	node->project = strdup(topology->project);
	node->levels = strdup(topology->levels);
	node->path = topologyJoin(path, length, '_');
	node->labels = calloc((size_t)length + 1, sizeof(*node->labels));
	if (!node->project || !node->levels || !node->path || !node->labels)
		goto fail;
	for (int i = 0; i < length; i++) {
		node->labels[i] = strdup(path[i]);
		if (!node->labels[i])
			goto fail;
		node->length++;
	}
	errno = saved;
	return node;

fail:
	hdT_destroyTopoNode(node);
	return hdFailNull(-HD_ERR_MALLOC);
}

int hdT_destroyTopoNode(hdTopoNode *node)
{
	if (!node)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	for (int i = 0; i < node->length; i++)
		free(node->labels[i]);
	free(node->labels);
	free(node->path);
	free(node->levels);
	free(node->project);
	free(node);
	return 0;
}

int hdT_getTopoDepth(const hdTopology *topology)
{
	if (!topology)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	return topology->nlevels + 1;
}

int hdT_getTopoNodeLevel(const hdTopoNode *node)
{
	if (!node)
		return hdFail(-HD_ERR_INVALID_ARGUMENT);
	return node->length;
}

const char *hdT_getTopoPathString(const hdTopoNode *node)
{
	if (!node)
		return hdFailNull(-HD_ERR_INVALID_ARGUMENT);
	return node->path;
}

const char *hdT_getTopoPathLabel(const hdTopoNode *node, int level)
{
	if (!node || level < 1 || level > node->length)
		return hdFailNull(-HD_ERR_INVALID_ARGUMENT);
	return node->labels[level - 1];
}

char *hdTopoNodeFile(const hdTopoNode *node, int level, const char *group,
		     const char *suffix)
{
	struct hdText file = { 0 };
	int ret = hdTextAdd(&file, node->project);

	for (int i = 0; i < level && ret == 0; i++) {
		ret = hdTextAdd(&file, "_");
		if (ret == 0)
			ret = hdTextAdd(&file, node->labels[i]);
	}
	if (group && ret == 0) {
		ret = hdTextAdd(&file, "_");
		if (ret == 0)
			ret = hdTextAdd(&file, group);
	}
	if (ret == 0)
		ret = hdTextAdd(&file, suffix);
	if (ret == 0)
		ret = hdTextRoom(&file, 1);
	if (ret < 0) {
		hdTextClear(&file);
		return NULL;
	}
	hdTextPutc(&file, '\0');
	return file.bytes;
}
