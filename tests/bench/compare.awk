# SPDX-License-Identifier: LGPL-2.1-or-later
# Judges what compare.sh has measured; exit status 1 if something got worse.
# Lines are
#
#     time FIGURE BASE THIS           CPU time of a pair of runs
#     instructions FIGURE BASE THIS   per operation
#
# Of the ratios of all pairs of a figure the median is given, and an interval
# in which the true median lies with 95 % or more: from the k-th smallest to the
# k-th largest, by the binomial distribution. Worse is a median above 1.05 whose
# interval does not hold 1, and more than 1.01 in instructions.

function fail(text) {
	print "compare: " text >"/dev/stderr"
	failed = 2
	exit 2
}

# The rank from either end that bounds the interval; 0: too few values.
function rank_of(n,    k, sum, term, i) {
	sum = term = 0.5 ^ n
	if (2 * sum > 0.05)
		return 0
	for (k = 1; k < n; k++) {
		term *= (n - k + 1) / k
		if (2 * (sum + term) > 0.05)
			return k
		sum += term
	}
	return 0
}

# Sort the ratios of a figure into sorted[1...n].
function sort_ratios(figure, n,    i, j, value) {
	for (i = 1; i <= n; i++) {
		value = ratio[figure, i]
		for (j = i - 1; j >= 1 && sorted[j] > value; j--)
			sorted[j + 1] = sorted[j]
		sorted[j + 1] = value
	}
}

function judge_time(figure,    n, k, median, low, high, verdict) {
	n = count[figure]
	k = rank_of(n)
	if (k == 0)
		fail(figure ": " n " pairs are too few")
	sort_ratios(figure, n)
	median = (sorted[int((n + 1) / 2)] + sorted[int((n + 2) / 2)]) / 2
	low = sorted[k]
	high = sorted[n + 1 - k]
	verdict = "ok"
	if (median > 1.05 && low > 1) {
		verdict = "SLOWER"
		isWorse = 1
	}
	printf "%-12s time          %6.3f  [%.3f, %.3f]  %d pairs  %s\n",
		figure, median, low, high, n, verdict
}

NF != 4 || ($1 != "time" && $1 != "instructions") || $3 !~ /^[0-9.]+$/ ||
		$4 !~ /^[0-9.]+$/ || $3 <= 0 || $4 <= 0 {
	fail("not a measurement: " $0)
}

$1 == "time" {
	if (!($2 in count))
		figures[++figureCount] = $2
	ratio[$2, ++count[$2]] = $4 / $3
}

$1 == "instructions" {
	line[++lineCount] = sprintf("%-12s instructions  %6.3f  " \
		"%.1f instead of %.1f  %s", $2, $4 / $3, $4, $3,
		$4 > 1.01 * $3 ? "MORE" : "ok")
	if ($4 > 1.01 * $3)
		isWorse = 1
}

END {
	if (failed)
		exit failed
	if (figureCount + lineCount == 0)
		fail("nothing was measured")
	for (i = 1; i <= figureCount; i++)
		judge_time(figures[i])
	for (i = 1; i <= lineCount; i++)
		print line[i]
	exit isWorse
}
