/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Residuals of a power model over time, as a file; see powermodel.h. */
#include "config.h"

#include "HDTraceTools/powermodel/powermodel.h"
#include "cli/newfile.h"

int modelWriteResiduals(const struct modelFit *fit, const char *path)
{
	struct newFile new;
	char number[OUT_NUMBER_SIZE];
	int ret = newFileStart(&new, path);
	struct outCsv csv = { .file = NULL };

	if (ret < 0)
		return ret;
	csv.file = new.file;
	outCsvLine(&csv, "project,node,start_s,end_s,power_w,model_w,"
			 "residual_w");
	for (guint r = 0; r < fit->runs->len; r++) {
		const struct modelRun *run = fit->runs->pdata[r];

		for (size_t k = 0; k < run->count; k++) {
			const struct modelWindow *window = &run->windows[k];
			double model = modelPredict(fit, run, window);

			outCsvText(&csv, run->project);
			outCsvText(&csv, run->node);
			outCsvPlain(&csv, outSeconds(number, window->start));
			outCsvPlain(&csv, outSeconds(number, window->end));
			outCsvPlain(&csv, outDouble(number, window->power));
			outCsvPlain(&csv, outDouble(number, model));
			outCsvPlain(&csv,
				    outDouble(number, window->power - model));
			outCsvEnd(&csv);
		}
	}
	return newFileCommit(&new, true);
}
