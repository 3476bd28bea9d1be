/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of libhdPredict that end at every byte, have every byte changed, and
 * say of themselves what cannot be (A6).
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <zlib.h>

#include <hdPredict.h>
#include "PredictionLibrary/model/binary.h"

static char *folder, *path;

static void count(const hdPMessage *message, void *data)
{
	*(int *)data += !message->isWarning;
}

/* A file of a graph with a mapping, tiles and values. */
static void make(hdPForm form, char **bytes, gsize *size)
{
	hdPGraph *graph;

	g_assert_cmpint(hdP_generateCholesky(2, 8, &graph), ==, 0);
	for (int64_t t = 0; t < hdP_getTaskCount(graph); t++)
		g_assert_cmpint(hdP_setMapping(graph, t, t % 2 ? "a" : "b", t),
				==, 0);
	g_assert_cmpint(hdP_writeGraph(graph, path, form, NULL), ==, 0);
	hdP_destroyGraph(graph);
	g_assert_true(g_file_get_contents(path, bytes, size, NULL));
}

static int try(const char *bytes, gsize size)
{
	hdPGraph *graph = NULL;
	FILE *file = fopen(path, "w");
	int messages = 0, ret;

	g_assert_nonnull(file);
	g_assert_cmpint(fwrite(bytes, 1, size, file), ==, size);
	g_assert_cmpint(fclose(file), ==, 0);
	ret = hdP_readGraph(path, &graph, count, &messages);
	g_assert_true((ret == 0) == (graph != NULL));
	/* Whatever is wrong is said. */
	g_assert_true((ret != 0) == (messages > 0));
	hdP_destroyGraph(graph);
	return ret;
}

/* The sum and the size are as the rest is. */
static int tryHonest(const char *bytes, gsize size)
{
	char *copy = g_memdup2(bytes, size);
	struct hdPredictHeader header;
	int ret;

	memcpy(&header, copy, sizeof(header));
	header.size = GUINT64_TO_LE(size);
	header.checksum = GUINT32_TO_LE(
		(uint32_t)crc32_z(0, (unsigned char *)copy + sizeof(header),
				  size - sizeof(header)));
	memcpy(copy, &header, sizeof(header));
	ret = try(copy, size);
	g_free(copy);
	return ret;
}

static void testTruncatedBinary(void)
{
	char *bytes;
	gsize size;

	make(HDP_BINARY, &bytes, &size);
	g_assert_cmpint(try(bytes, size), ==, 0);
	for (gsize n = 0; n < size; n++)
		g_assert_cmpint(try(bytes, n), ==, -EBADMSG);
	for (gsize n = sizeof(struct hdPredictHeader); n < size; n++)
		g_assert_cmpint(tryHonest(bytes, n), ==, -EBADMSG);
	g_free(bytes);
}

static void testTruncatedXml(void)
{
	char *bytes;
	gsize size, whole;

	make(HDP_XML, &bytes, &size);
	for (whole = size; g_ascii_isspace(bytes[whole - 1]); whole--)
		continue;
	for (gsize n = 0; n < size; n++)
		g_assert_cmpint(try(bytes, n), ==, n < whole ? -EBADMSG : 0);
	g_free(bytes);
}

/* One byte is another one: what the sum does not see, the reader survives. */
static void testChangedBinary(void)
{
	char *bytes;
	gsize size;
	int good = 0, bad = 0;

	make(HDP_BINARY, &bytes, &size);
	for (gsize n = 0; n < size; n++) {
		char before = bytes[n];

		for (int bit = 0; bit < 8; bit += 7) {
			bytes[n] = (char)(before ^ 1 << bit);
			/* The sum is of what is behind the header. */
			if (n < 12 || n >= sizeof(struct hdPredictHeader))
				g_assert_cmpint(try(bytes, size), !=, 0);
			else
				try(bytes, size);
			if (n < 12)
				continue;
			*(tryHonest(bytes, size) ? &bad : &good) += 1;
		}
		bytes[n] = before;
	}
	/* Another name or value is as good. */
	g_assert_cmpint(good, >, 100);
	g_assert_cmpint(bad, >, 100);
	g_free(bytes);
}

/* Counts at the limits of their types, each for itself. */
static void testCounts(void)
{
	const uint64_t values[] = { 0,
				    1,
				    INT32_MAX,
				    UINT32_MAX - 1,
				    UINT32_MAX,
				    (uint64_t)UINT32_MAX + 1,
				    UINT64_MAX / 16,
				    UINT64_MAX / 8 + 2,
				    INT64_MAX,
				    UINT64_MAX };
	char *bytes;
	gsize size;

	make(HDP_BINARY, &bytes, &size);
	for (size_t field = 0; field < 8; field++) {
		uint64_t *at =
			(uint64_t *)(void *)(bytes +
					     offsetof(struct hdPredictHeader,
						      tasks)) +
			field;
		uint64_t before = *at;

		for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
			*at = GUINT64_TO_LE(values[i]);
			if (*at != before)
				g_assert_cmpint(tryHonest(bytes, size), ==,
						-EBADMSG);
		}
		*at = before;
	}
	g_free(bytes);
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	folder = g_dir_make_tmp("test-files-XXXXXX", NULL);
	g_assert_nonnull(folder);
	path = g_build_filename(folder, "graph", NULL);
	g_test_add_func("/predict/files/truncated binaries",
			testTruncatedBinary);
	g_test_add_func("/predict/files/truncated XML", testTruncatedXml);
	g_test_add_func("/predict/files/changed binaries", testChangedBinary);
	g_test_add_func("/predict/files/wrong counts", testCounts);
	status = g_test_run();
	g_unlink(path);
	g_rmdir(folder);
	g_free(path);
	g_free(folder);
	return status;
}
