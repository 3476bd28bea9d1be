/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of nodes as a JSON document; doc/json.md has its keys. */
#include "config.h"

#include <math.h>

#include "NodeStatus/collect/collector.h"

static json_t *numberOrNull(double number)
{
	return isfinite(number) ? json_real(number) : json_null();
}

static json_t *nodeDocumentTextOrNull(const char *text)
{
	return text ? json_string(text) : json_null();
}

/* The age of what a section says: that when it was sent, and since then. */
static json_t *ageOf(const json_t *section, double sinceS)
{
	const json_t *age = json_object_get(section, "age_s");

	return numberOrNull(
		(json_is_number(age) ? json_number_value(age) : NAN) + sinceS);
}

static json_t *nodeDocumentNodeOf(hdNode_Collector *collector, size_t index,
				  unsigned int sections)
{
	const struct nodePeer *peer = collector->peers[index];
	json_t *node = json_object();
	hdNode_Info info;

	hdNode_info(collector, index, &info);
	json_object_set_new(node, "name", nodeDocumentTextOrNull(info.name));
	json_object_set_new(node, "address",
			    nodeDocumentTextOrNull(info.address));
	json_object_set_new(node, "host",
			    nodeDocumentTextOrNull(peer->hostName));
	json_object_set_new(node, "state", nodeDocumentTextOrNull(info.word));
	json_object_set_new(node, "why", nodeDocumentTextOrNull(info.why));
	json_object_set_new(node, "age_s", numberOrNull(info.age));
	json_object_set_new(node, "sample_age_s",
			    ageOf(peer->sections[1], info.age));
	json_object_set_new(node, "health_age_s",
			    ageOf(peer->sections[3], info.age));
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
	for (size_t i = 0; i < HD_NODE_WIRE_SECTIONS; i++)
		if (sections & 1U << i)
			json_object_set_new(
				node, hdNodeWireSectionNames[i],
				peer->sections[i]
					? json_incref(peer->sections[i])
					: json_null());
	return node;
}

json_t *hdNodeDocument(hdNode_Collector *collector, unsigned int sections)
{
	json_t *all = json_object(), *nodes = json_array();
	size_t answered = 0;

	for (size_t i = 0; i < collector->count; i++) {
		json_array_append_new(
			nodes, nodeDocumentNodeOf(collector, i, sections));
		answered += collector->peers[i]->state == HDNODE_OK;
	}
	json_object_set_new(all, "schema", json_string("hdnode-collect"));
	json_object_set_new(all, "version", json_integer(2));
	json_object_set_new(all, "time_s",
			    json_real((double)collector->pulledWall / 1e9));
	json_object_set_new(all, "took_s",
			    json_real((double)collector->tookNs / 1e9));
	json_object_set_new(all, "answered",
			    json_integer((json_int_t)answered));
	json_object_set_new(all, "nodes", nodes);
	return all;
}
