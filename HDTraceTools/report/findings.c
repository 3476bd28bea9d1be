/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * @file
 * hdtrace report: findings, and what all time was spent on.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "HDTraceTools/model/mpi/roles.h"
#include "HDTraceTools/report/json/json.h"
#include "HDTraceTools/report/report.h"
#include "cli/quantity.h"

/* ---- For programs ------------------------------------------------------ */

static void putRanks(struct outJson *json, const char *key,
		     const GArray *shares)
{
	outJsonArray(json, key, true);
	for (guint i = 0; i < shares->len; i++)
		outJsonInteger(
			json, NULL,
			g_array_index(shares, struct findingShare, i).rank);
	outJsonEnd(json);
}

static void putPaths(struct outJson *json, const char *key,
		     const GArray *shares)
{
	outJsonArray(json, key, true);
	for (guint i = 0; i < shares->len; i++) {
		const hdINode *node =
			g_array_index(shares, struct findingShare, i).node;

		outJsonText(json, NULL, rolesPath(node));
	}
	outJsonEnd(json);
}

static void putConfidence(struct outJson *json, const struct finding *finding)
{
	const struct findingConfidence *confidence = &finding->confidence;

	outJsonObject(json, "confidence", true);
	outJsonInteger(json, "unpaired", (int64_t)confidence->unpaired);
	if (confidence->clockResidual >= 0)
		outJsonSeconds(json, "clock_residual_s",
			       confidence->clockResidual);
	else
		outJsonPlain(json, "clock_residual_s", "null");
	outJsonSeconds(json, "power_gaps_s", confidence->powerGaps);
	outJsonEnd(json);
}

static void putPlace(struct outJson *json, const struct findings *findings,
		     const struct finding *finding)
{
	char *site = finding->site
			     ? siteText(finding->site, findings->addresses)
			     : NULL;

	outJsonText(json, "region", finding->region);
	outJsonText(json, "call_site", site);
	g_free(site);
}

static void putIterations(struct outJson *json, const struct findings *findings,
			  const struct finding *finding)
{
	outJsonArray(json, "iterations", true);
	for (guint i = 0; finding->iterations && i < finding->iterations->len;
	     i++)
		outJsonInteger(
			json, NULL,
			findings->evenness.first +
				g_array_index(finding->iterations, guint, i));
	outJsonEnd(json);
}

static void putCauses(struct outJson *json, const struct finding *finding)
{
	outJsonArray(json, "causes", true);
	for (guint i = 0; finding->causes && i < finding->causes->len; i++) {
		const struct findingCause *cause =
			&g_array_index(finding->causes, struct findingCause, i);

		outJsonObject(json, NULL, true);
		outJsonInteger(json, "rank", cause->rank);
		outJsonText(json, "region", cause->state);
		outJsonDouble(json, "time_s", cause->time / 1e9);
		outJsonEnd(json);
	}
	outJsonEnd(json);
	outJsonDouble(json, "indirect_s", finding->indirect / 1e9);
	outJsonDouble(json, "other_s", finding->others / 1e9);
}

static void putFinding(struct outJson *json, const struct findings *findings,
		       const struct finding *finding)
{
	bool hasEnergy = finding->energy.measured > 0;

	outJsonObject(json, NULL, false);
	outJsonText(json, "kind", finding->kind);
	outJsonText(json, "part_of", finding->partOf);
	outJsonInteger(json, "count", (int64_t)finding->count);
	outJsonSeconds(json, "time_s", finding->time);
	outJsonDouble(json, "energy_j",
		      hasEnergy ? attributionEnergy(&finding->energy) : NAN);
	outJsonDouble(json, "avoidable_j",
		      finding->hasAvoidable ? (double)finding->avoidable / 1e12
					    : NAN);
	outJsonSeconds(json, "known_s", finding->energy.measured);
	outJsonSeconds(json, "duration_s", finding->time);
	outJsonSeconds(json, "saved_s", finding->saved);
	putRanks(json, "waiting", finding->waiting);
	putRanks(json, "causing", finding->causing);
	putCauses(json, finding);
	putPaths(json, "nodes", finding->nodes);
	putPaths(json, "threads", finding->threads);
	putPlace(json, findings, finding);
	outJsonSeconds(json, "from_s", finding->from);
	outJsonSeconds(json, "to_s", finding->to);
	putIterations(json, findings, finding);
	putConfidence(json, finding);
	outJsonText(json, "advice", finding->advice);
	outJsonText(json, "command", finding->command);
	outJsonEnd(json);
}

static void putAccount(struct outJson *json,
		       const struct findingsAccount *account)
{
	outJsonObject(json, "account", false);
	outJsonSeconds(json, "computation_s", account->computation);
	outJsonSeconds(json, "waiting_s", account->waiting);
	outJsonSeconds(json, "transfer_s", account->transfer);
	outJsonSeconds(json, "io_s", account->io);
	outJsonSeconds(json, "openmp_s", account->openmp);
	outJsonSeconds(json, "tracer_s", account->tracer);
	outJsonSeconds(json, "unknown_s", account->unknown);
	outJsonSeconds(json, "total_s", account->total);
	outJsonEnd(json);
}

static void putAnswer(struct outJson *json, const char *key, bool isKnown,
		      int64_t time)
{
	if (isKnown)
		outJsonSeconds(json, key, time);
	else
		outJsonPlain(json, key, "null");
}

static void putWhatIf(struct outJson *json, const struct findings *findings)
{
	outJsonArray(json, "what_if", false);
	for (guint i = 0; i < findings->whatIf->len; i++) {
		const struct findingWhatIf *answer = &g_array_index(
			findings->whatIf, struct findingWhatIf, i);

		outJsonObject(json, NULL, true);
		outJsonText(json, "spec", answer->spec);
		putAnswer(json, "time_s", answer->isKnown, answer->time);
		putAnswer(json, "low_s", answer->isKnown, answer->low);
		putAnswer(json, "high_s", answer->isKnown, answer->high);
		outJsonDouble(json, "energy_j", answer->energy);
		outJsonText(json, "method", answer->method);
		outJsonEnd(json);
	}
	outJsonEnd(json);
}

void reportPutFindings(const struct findings *findings, struct outJson *json)
{
	outJsonArray(json, "findings", false);
	for (guint i = 0; i < findings->list->len; i++)
		putFinding(json, findings,
			   &g_array_index(findings->list, struct finding, i));
	outJsonEnd(json);
	putAccount(json, &findings->account);
	reportJsonPutEfficiencies(json, &findings->efficiencies);
	/* A page shows the states themselves. */
	if (!json->isInPage)
		reportJsonPutParts(findings, json);
	putWhatIf(json, findings);
}

/* ---- For people -------------------------------------------------------- */

/** So many are printed. */
#define FINDINGS_PRINTED 3

static void printRanks(const char *what, const GArray *shares)
{
	/* More would not fit. */
	guint count = MIN(shares->len, 8);

	if (!count)
		return;
	printf("%s%s", what, shares->len == 1 ? " rank" : " ranks");
	for (guint i = 0; i < count; i++)
		printf("%s%" PRId64, i ? ", " : " ",
		       g_array_index(shares, struct findingShare, i).rank);
	if (shares->len > count)
		printf(" and %u more", shares->len - count);
}

static void printShare(int64_t part, int64_t all)
{
	char buffer[OUT_NUMBER_SIZE];

	if (all > 0)
		printf(" (%s %%)",
		       outRounded(buffer, 100.0 * (double)part / (double)all));
}

/** Where it is, if it is at one place only. */
static void printPlace(const struct findings *findings,
		       const struct finding *finding)
{
	if (finding->region) {
		printf("; in ");
		outPrintable(finding->region);
	}
	if (finding->site) {
		char *site = siteText(finding->site, findings->addresses);

		printf("; at ");
		outPrintable(site);
		g_free(site);
	}
	if (finding->iterations && finding->iterations->len == 1)
		printf("; in iteration %u",
		       findings->evenness.first +
			       g_array_index(finding->iterations, guint, 0));
	else if (finding->iterations)
		printf("; in %u of %u iterations", finding->iterations->len,
		       findings->iterations->len);
}

/** So many causes are printed. */
#define FINDINGS_CAUSES 3

/** What is no cause of a rank and state, if it is not small. */
static void printCausesRest(const struct finding *finding, const char *name,
			    double time, const char **comma)
{
	char buffer[OUT_NUMBER_SIZE];

	if (time < (double)finding->time / 100)
		return;
	printf("%s %s %s", *comma, name, outDuration(buffer, (int64_t)time));
	*comma = ",";
}

/** What ranks did for too long. */
static void printCauses(const struct finding *finding)
{
	guint all = finding->causes ? finding->causes->len : 0;
	guint count = MIN(all, FINDINGS_CAUSES);
	const char *comma = count ? "," : "; causes:";
	char buffer[OUT_NUMBER_SIZE];

	if (count)
		printf("; causes:");
	for (guint i = 0; i < count; i++) {
		const struct findingCause *cause =
			&g_array_index(finding->causes, struct findingCause, i);

		printf("%s rank %" PRId64, i ? "," : "", cause->rank);
		if (cause->state) {
			printf(" in ");
			outPrintable(cause->state);
		} else {
			printf(" outside of states");
		}
		printf(" %s", outDuration(buffer, (int64_t)cause->time));
	}
	if (all > count)
		printf(" and %u more", all - count);
	if (!finding->causes || finding->time <= 0)
		return;
	printCausesRest(finding, "indirect", finding->indirect, &comma);
	/* By itself it tells nothing. */
	if (*comma == ',')
		printCausesRest(finding, "other", finding->others, &comma);
}

static void printFinding(const struct findings *findings, guint number)
{
	const struct finding *finding =
		&g_array_index(findings->list, struct finding, number);
	char buffer[OUT_NUMBER_SIZE];

	printf("  %u. %s: %s", number + 1, finding->title,
	       outDuration(buffer, finding->time));
	printShare(finding->time, finding->of);
	if (finding->energy.measured > 0) {
		printf(", %s J",
		       outRounded(buffer, attributionEnergy(&finding->energy)));
		if (finding->hasAvoidable)
			printf(", %s J avoidable",
			       outRounded(buffer,
					  (double)finding->avoidable / 1e12));
	}
	printf("\n     %s", finding->kind);
	printRanks("; waiting:", finding->waiting);
	printRanks("; for", finding->causing);
	printPlace(findings, finding);
	if (finding->saved > 0)
		printf("; saves at most %s",
		       outDuration(buffer, finding->saved));
	printCauses(finding);
	printf("\n     %s\n     Place: ", finding->advice);
	outPrintable(finding->command);
	putchar('\n');
}

static void printAccount(const struct findingsAccount *account)
{
	const struct {
		const char *name;
		int64_t time;
	} parts[] = {
		{ "computation", account->computation },
		{ "waiting", account->waiting },
		{ "transfer", account->transfer },
		{ "I/O", account->io },
		{ "OpenMP", account->openmp },
		{ "tracer", account->tracer },
		{ "unknown", account->unknown },
	};
	char buffer[OUT_NUMBER_SIZE];
	bool isFirst = true;

	printf("  All time:");
	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
		if (!parts[i].time)
			continue;
		printf("%s %s %s", isFirst ? "" : ",", parts[i].name,
		       outDuration(buffer, parts[i].time));
		printShare(parts[i].time, account->total);
		isFirst = false;
	}
	putchar('\n');
}

/** Lines of ratios: one that has parts is followed by these. */
static void printEfficiencies(const struct findings *findings)
{
	static const struct {
		const char *name;
		enum findingsEfficiency efficiency;
		bool isOfThreads; /**< It is told if there are threads only. */
	} lines[] = {
		{ "Parallel efficiency", EFFICIENCY_PARALLEL, false },
		{ "  OpenMP", EFFICIENCY_OMP_PARALLEL, true },
		{ "    Load balance", EFFICIENCY_OMP_BALANCE, true },
		{ "  MPI", EFFICIENCY_MPI_PARALLEL, true },
		{ "  Load balance", EFFICIENCY_MPI_BALANCE, false },
		{ "  Communication", EFFICIENCY_MPI_COMMUNICATION, false },
		{ "    Serialisation", EFFICIENCY_SERIALISATION, false },
		{ "    Transfer", EFFICIENCY_TRANSFER, false },
		{ "Energy in computation", EFFICIENCY_ENERGY, false },
	};
	const double *values = findings->efficiencies.values;
	bool isHybrid = findingsIsHybrid(findings);
	char buffer[OUT_NUMBER_SIZE];

	if (isnan(values[EFFICIENCY_PARALLEL]))
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
		double value = values[lines[i].efficiency];
		bool isDeeper = isHybrid && lines[i].name[0] == ' ' &&
				!lines[i].isOfThreads;

		if (isnan(value) || (lines[i].isOfThreads && !isHybrid))
			continue;
		printf("  %s%-*s%s %%\n", isDeeper ? "  " : "",
		       isDeeper ? 22 : 24, lines[i].name,
		       outRounded(buffer, 100 * value));
	}
}

static void printWhatIf(const struct findings *findings)
{
	char buffer[OUT_NUMBER_SIZE];

	for (guint i = 0; i < findings->whatIf->len; i++) {
		const struct findingWhatIf *answer = &g_array_index(
			findings->whatIf, struct findingWhatIf, i);

		printf("  With ");
		outPrintable(answer->spec);
		if (!answer->isKnown) {
			puts(": not known");
			continue;
		}
		printf(": %s", outDuration(buffer, answer->time));
		if (!isnan(answer->energy))
			printf(", %s",
			       quantityText(buffer, answer->energy, "J"));
		printf(" (%s", outDuration(buffer, answer->low));
		printf(" to %s; %s)\n", outDuration(buffer, answer->high),
		       answer->method);
	}
}

void reportPrintFindings(const struct report *report)
{
	const struct findings *findings = &report->findings;
	guint count = 0;

	if (!findings->account.total) {
		if (findings->iterations->len)
			reportTitle(report, "Iterations");
		reportPrintIterations(findings);
		return;
	}
	reportTitle(report, "Findings");
	for (guint i = 0; i < findings->list->len; i++) {
		const struct finding *finding =
			&g_array_index(findings->list, struct finding, i);

		if (!report->isAll &&
		    (finding->partOf || count == FINDINGS_PRINTED))
			break;
		printFinding(findings, i);
		count++;
	}
	if (!count)
		puts("  No waits found.");
	else if (findings->list->len > count)
		printf("  and %u more; --all lists them\n",
		       findings->list->len - count);
	printAccount(&findings->account);
	reportPrintRanks(report);
	printEfficiencies(findings);
	reportPrintIterations(findings);
	printWhatIf(findings);
}
