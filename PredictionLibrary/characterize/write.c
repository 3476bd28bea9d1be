/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The model as files; doc/format/prediction.md describes them. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/newfile.h"
#include "PredictionLibrary/characterize/learn.h"
#include "PredictionLibrary/model/io.h"
#include "common/number.h"

/** Memory of a host whose size is not known: none is full. */
#define MEMORY_UNKNOWN 0x1p52

static void learntWriteAppendText(GString *out, const char *key,
				  const char *text)
{
	char *escaped = g_markup_escape_text(text, -1);

	g_string_append_printf(out, " %s=\"%s\"", key, escaped);
	g_free(escaped);
}

static void learntWriteAppendNumber(GString *out, const char *key, double value)
{
	char text[HD_DOUBLE_MAX];

	g_string_append_printf(out, " %s=\"", key);
	g_string_append_len(out, text, hdNumberDouble(text, value) - text);
	g_string_append_c(out, '"');
}

/* What is known, as a number. */
static double orNothing(double value)
{
	return isfinite(value) && value > 0 ? value : 0;
}

/* A name made of another one, and escaped. */
static void appendId(GString *out, const char *key, const char *name,
		     const char *tail)
{
	char *id = g_strconcat(name, tail, NULL);

	learntWriteAppendText(out, key, id);
	g_free(id);
}

static GString *document(void)
{
	return g_string_new("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
}

/* ---- Resources ---------------------------------------------------------- */

static void appendEntry(GString *out, const struct learntEntry *entry)
{
	g_string_append(out, " <entry");
	learntWriteAppendText(out, "kernel", entry->kernel);
	learntWriteAppendText(out, "architecture", entry->architecture);
	if (entry->pes > 1)
		g_string_append_printf(out, " pes=\"%u\"", entry->pes);
	learntWriteAppendNumber(out, "time", orNothing(entry->time.mean));
	learntWriteAppendNumber(out, "energy", orNothing(entry->energy.mean));
	learntWriteAppendNumber(out, "time-sd",
				orNothing(entry->time.deviation));
	learntWriteAppendNumber(out, "energy-sd",
				orNothing(entry->energy.deviation));
	g_string_append_printf(out, " n=\"%zu\">", entry->time.count);
	for (guint i = 0; i < entry->variables->len; i++) {
		const struct learntVariable *variable = &g_array_index(
			entry->variables, struct learntVariable, i);

		g_string_append(out, "<assign");
		learntWriteAppendText(out, "var", variable->name);
		learntWriteAppendNumber(out, "val", variable->value);
		g_string_append(out, "/>");
	}
	g_string_append(out, "</entry>\n");
}

static void appendSlowdown(GString *out, const struct learntSlowdown *slowdown)
{
	const char *rest = strchr(slowdown->beside, ' ');
	size_t length = rest ? (size_t)(rest - slowdown->beside)
			     : strlen(slowdown->beside);
	char *first = g_strndup(slowdown->beside, length);
	bool isSame = true;

	for (const char *i = slowdown->beside; i && isSame;
	     i = strchr(i, ' ') ? strchr(i, ' ') + 1 : NULL)
		isSame = strncmp(i, first, length) == 0 &&
			 (i[length] == ' ' || !i[length]);
	g_string_append(out, " <slowdown");
	learntWriteAppendText(out, "architecture", slowdown->architecture);
	learntWriteAppendText(out, "kernel", slowdown->kernel);
	learntWriteAppendText(out, "load", isSame ? first : slowdown->beside);
	g_string_append_printf(out, " count=\"%u\"", slowdown->count);
	learntWriteAppendNumber(out, "factor", slowdown->factor.mean);
	g_string_append(out, "/>\n");
	g_free(first);
}

/* What a class of accesses costs on an architecture of PEs. */
static void appendIo(GString *out, const struct learntAccess *class,
		     const char *kind)
{
	g_string_append(out, " <io");
	learntWriteAppendText(out, "architecture", kind);
	learntWriteAppendText(out, "order", class->order);
	learntWriteAppendText(out, "access", class->access);
	learntWriteAppendNumber(out, "size", class->bytes);
	learntWriteAppendNumber(out, "time", orNothing(class->time.mean));
	learntWriteAppendNumber(out, "energy", orNothing(class->energy.mean));
	g_string_append_printf(out, " n=\"%zu\"/>\n", class->time.count);
}

static bool isWritten(const struct learnt *self,
		      const struct learntAccess *class)
{
	return class->bytes > 0 && class->time.count &&
	       (class->energy.count || self->choice.isTimeOnly) &&
	       hdPredictIoClass(class->order, strlen(class->order),
				class->access, strlen(class->access)) >= 0;
}

/* Whether it is the one, of those with other sizes, that was measured most. */
static bool isChosen(const struct learnt *self,
		     const struct learntAccess *class)
{
	for (guint i = 0; i < self->classes->len; i++) {
		const struct learntAccess *other =
			&g_array_index(self->classes, struct learntAccess, i);

		if (strcmp(other->architecture, class->architecture) == 0 &&
		    strcmp(other->order, class->order) == 0 &&
		    strcmp(other->access, class->access) == 0 &&
		    isWritten(self, other) &&
		    (other->time.count > class->time.count ||
		     (other->time.count == class->time.count && other < class)))
			return false;
	}
	return isWritten(self, class);
}

/* Of each PE's architecture once. */
static void appendClass(GString *out, const struct learnt *self,
			const struct learntAccess *class, GHashTable *seen)
{
	for (guint h = 0; h < self->hosts->len; h++) {
		const struct learntHost *host = learntHostOf(self, h);

		if (strcmp(host->architecture, class->architecture) != 0)
			continue;
		for (guint p = 0; p < host->peKinds->len; p++) {
			const char *kind = g_ptr_array_index(host->peKinds, p);

			if (g_hash_table_add(
				    seen,
				    g_strdup_printf("%s %s %s", class->order,
						    class->access, kind)))
				appendIo(out, class, kind);
		}
	}
}

static void appendIos(GString *out, const struct learnt *self)
{
	GHashTable *seen =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < self->classes->len; i++) {
		const struct learntAccess *class =
			&g_array_index(self->classes, struct learntAccess, i);

		if (isChosen(self, class))
			appendClass(out, self, class, seen);
	}
	g_hash_table_unref(seen);
}

static GString *resources(const struct learnt *self)
{
	GString *out = document();

	g_string_append(out, "<resource-model>\n");
	for (guint i = 0; i < self->entries->len; i++) {
		const struct learntEntry *entry =
			g_ptr_array_index(self->entries, i);

		if (entry->time.count &&
		    (entry->energy.count || self->choice.isTimeOnly))
			appendEntry(out, entry);
	}
	for (guint i = 0; i < self->slowdowns->len; i++)
		appendSlowdown(out, &g_array_index(self->slowdowns,
						   struct learntSlowdown, i));
	appendIos(out, self);
	g_string_append(out, "</resource-model>\n");
	return out;
}

/* ---- Platform ----------------------------------------------------------- */

/* Idle power of hosts of an architecture, as the reference would draw it. */
static double learntWriteIdleOf(const struct learnt *self,
				const char *architecture)
{
	double sum = 0;
	size_t count = 0;

	for (guint i = 0; i < self->hosts->len; i++) {
		const struct learntHost *host = learntHostOf(self, i);

		if (strcmp(host->architecture, architecture) != 0 ||
		    isnan(host->idle))
			continue;
		sum += host->scale * host->idle + host->offset;
		count++;
	}
	return count ? sum / (double)count : 0;
}

static void appendKinds(GString *out, const struct learnt *self)
{
	GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < self->hosts->len; i++) {
		char *kind = learntHostOf(self, i)->architecture;

		if (!g_hash_table_add(seen, kind))
			continue;
		g_string_append(out, " <node-architecture");
		appendId(out, "id", kind, "-node");
		/* Without power, it is not known. */
		if (!self->choice.isTimeOnly)
			learntWriteAppendNumber(
				out, "idle-power",
				orNothing(learntWriteIdleOf(self, kind)));
		g_string_append(out, "/>\n");
	}
	g_hash_table_unref(seen);
	for (guint i = 0; i < self->bridges->len; i++) {
		const struct learntBridge *bridge =
			&g_array_index(self->bridges, struct learntBridge, i);

		g_string_append(out, " <bridge-architecture");
		appendId(out, "id", bridge->architecture,
			 bridge->isOut ? "-out" : "-in");
		learntWriteAppendNumber(out, "init-latency",
					bridge->init * 1e9);
		learntWriteAppendNumber(out, "packet-size",
					self->choice.packetSize);
		learntWriteAppendNumber(out, "packet-latency",
					orNothing(bridge->latency) * 1e9);
		learntWriteAppendNumber(out, "packet-energy",
					orNothing(bridge->energy.mean) * 1e9);
		g_string_append(out, "/>\n");
	}
}

/* A bridge of a host; without numbers it costs nothing. */
static void appendBridge(GString *out, const struct learnt *self,
			 const struct learntHost *host, bool isOut)
{
	const char *tail = isOut ? "-out" : "-in";

	g_string_append(out, "  <bridge");
	appendId(out, "id", host->label, isOut ? ".out" : ".in");
	for (guint i = 0; i < self->bridges->len; i++) {
		const struct learntBridge *bridge =
			&g_array_index(self->bridges, struct learntBridge, i);

		if (bridge->isOut == isOut &&
		    strcmp(bridge->architecture, host->architecture) == 0)
			appendId(out, "architecture", host->architecture, tail);
	}
	g_string_append(out, "/>\n");
}

static void appendHost(GString *out, const struct learnt *self,
		       const struct learntHost *host, bool isLinked)
{
	g_string_append(out, " <node");
	learntWriteAppendText(out, "id", host->label);
	appendId(out, "architecture", host->architecture, "-node");
	g_string_append(out, ">\n  <main-memory");
	appendId(out, "id", host->label, ".memory");
	learntWriteAppendNumber(out, "size",
				self->choice.memory > 0 ? self->choice.memory
							: MEMORY_UNKNOWN);
	if (self->choice.full)
		learntWriteAppendText(out, "full", self->choice.full);
	if (isLinked) {
		g_string_append(out, "><out");
		appendId(out, "peer", host->label, ".out");
		g_string_append(out, "/><in");
		appendId(out, "peer", host->label, ".in");
		g_string_append(out, "/></main-memory>\n");
		appendBridge(out, self, host, true);
		appendBridge(out, self, host, false);
	} else {
		g_string_append(out, "/>\n");
	}
	for (guint i = 0; i < host->pes->len; i++) {
		g_string_append(out, "  <pe");
		learntWriteAppendText(out, "id",
				      g_ptr_array_index(host->pes, i));
		learntWriteAppendText(out, "architecture",
				      g_ptr_array_index(host->peKinds, i));
		g_string_append(out, "/>\n");
	}
	g_string_append(out, " </node>\n");
}

static size_t serversOf(const struct learnt *self)
{
	size_t count = 0;

	for (guint i = 0; i < self->hosts->len; i++)
		count += learntHostOf(self, i)->pes->len > 0;
	return count;
}

static GString *platform(const struct learnt *self)
{
	GString *out = document();
	bool isLinked = serversOf(self) > 1;

	g_string_append(out, "<platform>\n");
	appendKinds(out, self);
	for (guint i = 0; i < self->hosts->len; i++) {
		if (learntHostOf(self, i)->pes->len)
			appendHost(out, self, learntHostOf(self, i), isLinked);
	}
	if (isLinked)
		g_string_append(out, " <channel id=\"network\">\n");
	for (guint i = 0; i < self->hosts->len && isLinked; i++) {
		if (!learntHostOf(self, i)->pes->len)
			continue;
		g_string_append(out, "  <in");
		appendId(out, "peer", learntHostOf(self, i)->label, ".out");
		g_string_append(out, "/><out");
		appendId(out, "peer", learntHostOf(self, i)->label, ".in");
		g_string_append(out, "/>\n");
	}
	g_string_append(out, isLinked ? " </channel>\n</platform>\n"
				      : "</platform>\n");
	return out;
}

/* ---- Kernels ------------------------------------------------------------ */

/* Power over a run, as phases of a kernel. */
static void appendKernel(GString *out, const struct learntEntry *entry)
{
	g_string_append(out, " <kernel");
	learntWriteAppendText(out, "id", entry->kernel);
	g_string_append(out, ">\n");
	for (guint i = 0; i < entry->variables->len; i++) {
		g_string_append(out, "  <variable");
		learntWriteAppendText(out, "id",
				      g_array_index(entry->variables,
						    struct learntVariable, i)
					      .name);
		g_string_append(out, "/>\n");
	}
	for (int p = 0; p < LEARN_PHASES && entry->profiled; p++) {
		g_string_append(out, "  <phase");
		learntWriteAppendNumber(out, "until",
					(p + 1) / (double)LEARN_PHASES);
		learntWriteAppendNumber(out, "weight", entry->profile[p]);
		g_string_append(out, "/>\n");
	}
	g_string_append(out, " </kernel>\n");
}

/* Each kernel once: of the entry whose profile is made of most runs. */
static GString *kernels(const struct learnt *self)
{
	GString *out = document();
	const struct learntEntry *best = NULL;

	g_string_append(out, "<application>\n");
	for (guint i = 0; i < self->entries->len; i++) {
		const struct learntEntry *entry =
			g_ptr_array_index(self->entries, i);

		if (best && strcmp(best->kernel, entry->kernel) != 0) {
			appendKernel(out, best);
			best = NULL;
		}
		if (!best || entry->profiled > best->profiled)
			best = entry;
	}
	if (best)
		appendKernel(out, best);
	g_string_append(out, "</application>\n");
	return out;
}

/* ---- Files -------------------------------------------------------------- */

struct written {
	const char *name;
	GString *(*make)(const struct learnt *self);
	char *path;
	struct newFile file;
	bool isStarted;
};

/* Write one, without its name. 0 or a negative errno. */
static int learntWriteStartFile(const struct learnt *self, struct written *one)
{
	GString *text;
	int ret = newFileStart(&one->file, one->path);

	if (ret < 0)
		return ret;
	text = one->make(self);
	fwrite(text->str, 1, text->len, one->file.file);
	g_string_free(text, TRUE);
	ret = newFileClose(&one->file);
	one->isStarted = ret == 0;
	return ret;
}

static int commit(struct written *one, bool isForced)
{
	one->isStarted = false;
	return newFileCommit(&one->file, isForced);
}

/* All or none, but for what happens at the renaming. */
static int learntWriteWriteAll(const struct learnt *self, struct written *files,
			       size_t count, bool isForced, size_t *at)
{
	int ret = 0;

	for (*at = 0; *at < count; ++*at) {
		if (!isForced && access(files[*at].path, F_OK) == 0)
			return -EEXIST;
	}
	for (*at = 0; *at < count &&
		      (ret = learntWriteStartFile(self, &files[*at])) == 0;)
		++*at;
	if (ret < 0)
		return ret;
	for (*at = 0;
	     *at < count && (ret = commit(&files[*at], isForced)) == 0;)
		++*at;
	return ret;
}

int learnWrite(const struct learnt *self, const char *folder, bool isForced,
	       char **path)
{
	struct written files[] = { { .name = "platform.xml", .make = platform },
				   { .name = "resources.xml",
				     .make = resources },
				   { .name = "kernels.xml", .make = kernels } };
	size_t at;
	int ret;

	hdNumberPrepare();
	*path = NULL;
	if (g_mkdir_with_parents(folder, 0777) != 0) {
		ret = -errno;
		*path = g_strdup(folder);
		return ret;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
		files[i].path = g_build_filename(folder, files[i].name, NULL);
	ret = learntWriteWriteAll(self, files, G_N_ELEMENTS(files), isForced,
				  &at);
	if (ret < 0)
		*path = g_strdup(files[at].path);
	for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
		if (files[i].isStarted)
			newFileAbort(&files[i].file);
		g_free(files[i].path);
	}
	return ret;
}
