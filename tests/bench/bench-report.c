/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The results: as a table for people, and as comma-separated values. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>

#include "tests/bench/bench.h"

/* ---- The table --------------------------------------------------------- */

/* A line of the table; what a line does not have stays empty. */
struct reportLine {
	char ours[16];
	char spread[16];
	char peer[16];
	char peerSpread[16];
	char ratio[16];
	char target[16];
	const char *reached;
	char process[16];
	char peerProcess[16];
	char processRatio[16];
};

static void reportPut(char *cell, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

static void reportPut(char *cell, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(cell, 16, format, arguments);
	va_end(arguments);
}

static void reportPrint(const char *name, const struct reportLine *line)
{
	printf("%-39s%9s %5s%11s %5s%7s%10s %-7s |%9s%11s%7s\n", name,
	       line->ours, line->spread, line->peer, line->peerSpread,
	       line->ratio, line->target, line->reached ? line->reached : "",
	       line->process, line->peerProcess, line->processRatio);
}

static const char *reportReached(bool isReached)
{
	return isReached ? "yes" : "NO";
}

static void reportWork(const struct benchSubject *subject,
		       const struct benchWork *work)
{
	const struct benchCost *ours = &work->ourCost;
	const struct benchCost *peer = &work->peerCost;
	struct reportLine line = { 0 };

	reportPut(line.ours, "%.1f", ours->thread);
	reportPut(line.spread, "%.1f%%", 100 * ours->threadSpread);
	reportPut(line.process, "%.1f", ours->process);
	if (work->nsMax > 0) {
		reportPut(line.target, "<= %g ns", work->nsMax);
		line.reached = reportReached(ours->thread <= work->nsMax);
	}
	if (work->ratioMax > 0) {
		reportPut(line.target, "<= %g x", work->ratioMax);
		line.reached = "?";
	}
	if (work->peer) {
		double ratio = ours->thread / peer->thread;

		reportPut(line.peer, "%.1f", peer->thread);
		reportPut(line.peerSpread, "%.1f%%", 100 * peer->threadSpread);
		reportPut(line.ratio, "%.3f", ratio);
		reportPut(line.peerProcess, "%.1f", peer->process);
		reportPut(line.processRatio, "%.3f",
			  ours->process / peer->process);
		if (work->ratioMax > 0)
			line.reached = reportReached(ratio <= work->ratioMax);
	} else if (subject->peerName && !work->isAlone) {
		reportPut(line.peer, "not built");
	}
	reportPrint(work->name, &line);
}

static void reportMbPerS(const struct benchWork *work)
{
	struct reportLine line = { 0 };

	if (work->ourCost.mbPerS <= 0)
		return;
	reportPut(line.ours, "%.0f", work->ourCost.mbPerS);
	if (work->mbPerSMin > 0) {
		reportPut(line.target, ">= %g", work->mbPerSMin);
		line.reached =
			reportReached(work->ourCost.mbPerS >= work->mbPerSMin);
	}
	reportPrint("    MB/s of the file", &line);
}

static void reportMemory(const struct benchWork *work)
{
	struct reportLine line = { 0 };

	if (work->peakMbMax <= 0)
		return;
	reportPut(line.ours, "%.1f", work->ourCost.peakMb);
	reportPut(line.target, "<= %g", work->peakMbMax);
	line.reached = reportReached(work->ourCost.peakMb <= work->peakMbMax);
	reportPrint("    MB of memory", &line);
}

void benchPrint(const struct benchSubject *subject)
{
	struct reportLine head = {
		.ours = "HDTrace",
		.spread = "MAD",
		.target = "target",
		.reached = "reached",
		.process = "process",
	};

	if (subject->peerName) {
		reportPut(head.peer, "%s", subject->peerName);
		reportPut(head.peerSpread, "MAD");
		reportPut(head.ratio, "ratio");
		reportPut(head.peerProcess, "%s", subject->peerName);
		reportPut(head.processRatio, "ratio");
	}
	printf("\n%s: ns per %s, medians of %d repetitions\n", subject->title,
	       subject->operation, benchRepetitions(subject));
	reportPrint("", &head);
	for (size_t i = 0; i < subject->count; i++) {
		reportWork(subject, &subject->works[i]);
		reportMbPerS(&subject->works[i]);
		reportMemory(&subject->works[i]);
	}
}

/* ---- Comma-separated values -------------------------------------------- */

static void reportSaveSide(FILE *file, const struct benchSubject *subject,
			   const struct benchWork *work, const char *side,
			   const struct benchCost *cost)
{
	fprintf(file,
		"\"%s\",\"%s\",\"%s\",%.2f,%.2f,%.2f,%.4f,%.2f,%.4f,%.1f,"
		"%.1f\n",
		subject->title, work->name, side, cost->thread, cost->threadMin,
		cost->threadMax, cost->threadSpread, cost->process,
		cost->processSpread, cost->mbPerS, cost->peakMb);
}

void benchSave(const struct benchSubject *subject, FILE *file)
{
	if (ftell(file) == 0)
		fputs("subject,work,side,thread_ns,thread_min_ns,thread_max_ns,"
		      "thread_mad,process_ns,process_mad,mb_per_s,peak_mb\n",
		      file);
	for (size_t i = 0; i < subject->count; i++) {
		const struct benchWork *work = &subject->works[i];

		reportSaveSide(file, subject, work, "HDTrace", &work->ourCost);
		if (work->peer)
			reportSaveSide(file, subject, work, subject->peerName,
				       &work->peerCost);
	}
}
