/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace merge: compressed files whose times were corrected are compressed
 * again.
 */
#include "config.h"

#include <errno.h>

#include "HDTraceTools/command/core/tool.h"
#include "HDTraceTools/edit/framewriter.h"
#include "HDTraceTools/merge/merge.h"
#include "common/format/compress.h"

static bool recompressPut(void *data, const char *bytes, size_t size)
{
	FILE *out = data;

	return fwrite(bytes, 1, size, out) == size;
}

/** Compress a file that is open; its errors are those of the old one. */
static int recompressRun(FILE *plain, const hdIGroup *group, bool isTrace,
			 FILE *out)
{
	char *path = g_strdup_printf("/proc/self/fd/%d", fileno(plain));
	hdIFile *from = hdI_openFile(path, NULL, NULL);
	int ret = from ? 0 : -errno;

	if (ret == 0)
		ret = frameWriterRun(from, group, isTrace ? path : NULL,
				     HD_COMPRESS_DEFAULT, recompressPut, out);
	hdI_closeFile(from);
	g_free(path);
	return ret;
}

int mergeRecompress(const struct mergeFile *file, FILE *plain, int64_t growth,
		    FILE *out)
{
	hdIProject *project = NULL;
	hdIGroup group;
	const hdIGroup *layout = NULL;
	int ret = fflush(plain) == 0 && !ferror(plain) ? 0 : -EIO;

	if (ret == 0 && file->kind == MERGE_STAT)
		/* Its problems were reported when it was found. */
		project = hdI_openProject(file->path, NULL, NULL);
	if (project && project->groupCount == 1) {
		group = *project->groups[0];
		group.dataOffset += growth;
		layout = &group;
	}
	if (ret == 0)
		ret = recompressRun(plain, layout, file->kind == MERGE_TRACE,
				    out);
	hdI_closeProject(project);
	return ret;
}
