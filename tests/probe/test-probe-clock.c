/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clocks of probes: which may be trusted, and that they agree. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <glib.h>

#include "InstrumentationLibrary/src/clock.h"

static const struct hdTscFacts sound = {
	.isX86 = 1,
	.hasCounter = 1,
	.isInvariant = 1,
	.sources = "kvm-clock tsc acpi_pm \n",
};

static void refuses(struct hdTscFacts facts, const char *why)
{
	const char *refusal = hdTscRefusal(&facts);

	g_assert_nonnull(refusal);
	g_assert_nonnull(strstr(refusal, why));
	/* And the clock stays as it is. */
	g_assert_cmpstr(hdProbeClockSet(HDPROBE_CLOCK_TSC, &facts), ==,
			refusal);
	g_assert_cmpint(hdProbe_clock(), ==, HDPROBE_CLOCK_MONOTONIC);
	g_assert_true(hdProbeTickNs == 1);
}

static void refusal(void)
{
	struct hdTscFacts facts = sound;

	g_assert_null(hdTscRefusal(&facts));
	facts.isX86 = 0;
	refuses(facts, "no time stamp counter");
	facts = sound;
	facts.hasCounter = 0;
	refuses(facts, "no time stamp counter");
	facts = sound;
	facts.isInvariant = 0;
	refuses(facts, "not invariant");
	facts = sound;
	strcpy(facts.sources, "hpet acpi_pm\n");
	refuses(facts, "clock source");
	strcpy(facts.sources, "hpet tsc-early\n");
	refuses(facts, "clock source");
	facts.sources[0] = '\0';
	refuses(facts, "clock source");
}

/* The rate that 10 ms give, over a second: within 0.1 %. */
static void calibration(void)
{
	struct hdTscFacts facts;
	double tick, exact;

	hdTscFind(&facts);
	if (hdTscRefusal(&facts)) {
		g_test_skip(hdTscRefusal(&facts));
		return;
	}
	tick = hdTscCalibrate(HD_NS_PER_S / 100);
	exact = hdTscCalibrate(HD_NS_PER_S);
	g_test_message("%.9f and %.9f ns a tick", tick, exact);
	g_assert_cmpfloat(fabs(tick / exact - 1), <, 0.001);
}

/* All clocks measure the same 20 ms, but for what stops us between. */
static void agree(void)
{
	struct hdTscFacts facts;

	hdTscFind(&facts);
	for (int clock = HDPROBE_CLOCK_MONOTONIC; clock <= HDPROBE_CLOCK_TSC;
	     clock++) {
		uint64_t start, end;
		int64_t before, after, inner;
		double ns;

		if (hdProbeClockSet(clock, &facts))
			continue;
		before = hdMonotonicNow();
		start = hdProbeClockRead();
		inner = hdMonotonicNow();
		while (hdMonotonicNow() - inner < HD_NS_PER_S / 50) {
		}
		inner = hdMonotonicNow() - inner;
		end = hdProbeClockRead();
		after = hdMonotonicNow();
		ns = (double)(end - start) * hdProbeTickNs;
		g_test_message("clock %d: %g ns", clock, ns);
		/* NTP slews by 0.05 % at most; a us of gettimeofday(). */
		g_assert_cmpfloat(ns, >=, (double)inner * 0.999 - 2000);
		g_assert_cmpfloat(ns, <=,
				  (double)(after - before) * 1.001 + 2000);
	}
	hdProbeClockSet(HDPROBE_CLOCK_MONOTONIC, NULL);
}

/* What the environment asks for; what there is not is said, once. */
static void asked(void)
{
	if (g_test_subprocess()) {
		hdProbeClockChoose();
		g_print("clock %d\n", hdProbe_clock());
		return;
	}
	g_setenv("HDPROBE_CLOCK", "raw", TRUE);
	g_test_trap_subprocess(NULL, 0, 0);
	g_test_trap_assert_passed();
	g_test_trap_assert_stdout("*clock 1\n*");
	g_test_trap_assert_stderr_unmatched("*HDPROBE_CLOCK*");
	g_setenv("HDPROBE_CLOCK", "sundial", TRUE);
	g_test_trap_subprocess(NULL, 0, 0);
	g_test_trap_assert_passed();
	g_test_trap_assert_stdout("*clock 0\n*");
	g_test_trap_assert_stderr(
		"libhdProbe: HDPROBE_CLOCK=sundial: unknown clock; "
		"using the monotonic clock\n");
	g_setenv("HDPROBE_VERBOSITY", "-1", TRUE);
	g_test_trap_subprocess(NULL, 0, 0);
	g_test_trap_assert_passed();
	g_test_trap_assert_stderr("");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/probe-clock/tsc/refused", refusal);
	g_test_add_func("/probe-clock/tsc/calibration", calibration);
	g_test_add_func("/probe-clock/agree", agree);
	g_test_add_func("/probe-clock/asked", asked);
	return g_test_run();
}
