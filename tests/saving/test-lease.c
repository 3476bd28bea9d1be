/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Leases of clock limits, under kernels that keep or refuse limits that
 * contradict each other. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "PowerSaving/daemon/lease.h"
#include "tests/lib/fixture.h"

#define LEASE_POLICY "/sys/devices/system/cpu/cpufreq/policy0/"
#define LEASE_MIN LEASE_POLICY "scaling_min_freq"
#define LEASE_MAX LEASE_POLICY "scaling_max_freq"

/* What was asked for, and what the files show. (Linux, drivers/cpufreq: since
 * version 5.3 limits are requests, and the lower one is shown no higher than
 * the upper one; before, a limit beyond the other one is refused.) */
static struct {
	bool refuses;
	long least, most;
} kernel;

static void kernelShow(const char *root)
{
	fixtureWrite(root, LEASE_MIN, "%ld\n",
		     kernel.least < kernel.most ? kernel.least : kernel.most);
	fixtureWrite(root, LEASE_MAX, "%ld\n", kernel.most);
}

static int kernelWrite(const char *root, const char *path, const char *value)
{
	long number = strtol(value, NULL, 10);
	bool isMax = strcmp(path, LEASE_MAX) == 0;

	if (kernel.refuses &&
	    (isMax ? number < kernel.least : number > kernel.most))
		return -EINVAL;
	if (isMax)
		kernel.most = number;
	else
		kernel.least = number;
	kernelShow(root);
	return 0;
}

static const char *leaseFile(const char *root, const char *path)
{
	static char value[HD_SETTING_VALUE_SIZE];

	g_assert_cmpint(hdSettingRead(root, path, value), ==, 0);
	return value;
}

struct leaseTest {
	char *root;
	struct leases leases;
	struct lease owners[2];
};

static void leaseTestOpen(struct leaseTest *self, bool refuses)
{
	memset(self, 0, sizeof(*self));
	self->root = fixtureCreate();
	self->leases.root = self->root;
	kernel.refuses = refuses;
	kernel.least = 1500000;
	kernel.most = 2000000;
	kernelShow(self->root);
	g_assert_cmpint(hdJournalOpen(&self->leases.journal, self->root), ==,
			0);
	self->owners[0].pid = 1;
	self->owners[1].pid = 2;
}

static int leaseTestGrant(struct leaseTest *self, int owner, const char *text)
{
	struct hdSettingValues values;

	g_assert_cmpint(hdSettingsParsePlain(text, &values), ==, 0);
	return leaseGrant(&self->leases, &self->owners[owner], &values, NULL,
			  NULL);
}

static void leaseTestEnd(struct leaseTest *self, int owner)
{
	leaseEnd(&self->leases, &self->owners[owner]);
}

/* All requests are those of the beginning, and nothing is noted. */
static void leaseTestClose(struct leaseTest *self)
{
	g_assert_cmpint(kernel.least, ==, 1500000);
	g_assert_cmpint(kernel.most, ==, 2000000);
	g_assert_cmpuint(self->leases.journal.count, ==, 0);
	hdJournalClose(&self->leases.journal);
	fixtureRemove(self->root);
}

/* The upper limit falls below the lower one, which another lease changes. */
static void testTwoLeases(void)
{
	static const int orders[][2] = { { 0, 1 }, { 1, 0 } };

	for (size_t i = 0; i < 2; i++) {
		struct leaseTest self;

		leaseTestOpen(&self, false);
		g_assert_cmpint(leaseTestGrant(&self, 0, "max_freq=1200000"),
				==, 0);
		g_assert_cmpstr(leaseFile(self.root, LEASE_MIN), ==, "1200000");
		g_assert_cmpint(leaseTestGrant(&self, 1, "min_freq=1100000"),
				==, 0);
		leaseTestEnd(&self, orders[i][0]);
		leaseTestEnd(&self, orders[i][1]);
		leaseTestClose(&self);
	}
}

/* A lease for one limit, while that of the other one comes and goes. */
static void testTurns(void)
{
	struct leaseTest self;

	leaseTestOpen(&self, false);
	g_assert_cmpint(leaseTestGrant(&self, 1, "min_freq=1800000"), ==, 0);
	g_assert_cmpint(leaseTestGrant(&self, 0, "max_freq=1200000"), ==, 0);
	g_assert_cmpstr(leaseFile(self.root, LEASE_MIN), ==, "1200000");
	leaseTestEnd(&self, 1);
	g_assert_cmpint(leaseTestGrant(&self, 1, "min_freq=1200000"), ==, 0);
	g_assert_cmpint(kernel.least, ==, 1200000);
	leaseTestEnd(&self, 0);
	g_assert_cmpstr(leaseFile(self.root, LEASE_MAX), ==, "2000000");
	leaseTestEnd(&self, 1);
	leaseTestClose(&self);
}

/* A new service restores what one that was killed has left. */
static void testKilled(void)
{
	for (int last = 0; last < 2; last++) {
		struct leaseTest self;

		leaseTestOpen(&self, false);
		g_assert_cmpint(leaseTestGrant(&self, 0, "max_freq=1200000"),
				==, 0);
		g_assert_cmpint(leaseTestGrant(&self, 1, "min_freq=1100000"),
				==, 0);
		if (last)
			leaseTestEnd(&self, 0);
		hdJournalClose(&self.leases.journal);
		g_assert_cmpint(hdJournalOpen(&self.leases.journal, self.root),
				==, 0);
		self.leases.first = NULL;
		g_assert_cmpuint(
			hdJournalRestoreAll(&self.leases.journal, NULL, NULL),
			==, 0);
		leaseTestClose(&self);
	}
}

/* Both limits below, and above, what they were, in both orders. */
static void testRefusals(void)
{
	static const struct {
		const char *values, *least, *most;
	} cases[] = {
		{ "max_freq=1200000,min_freq=1100000", "1100000", "1200000" },
		{ "max_freq=2600000,min_freq=2400000", "2400000", "2600000" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct leaseTest self;

		leaseTestOpen(&self, true);
		g_assert_cmpint(leaseTestGrant(&self, 0, cases[i].values), ==,
				0);
		g_assert_cmpstr(leaseFile(self.root, LEASE_MIN), ==,
				cases[i].least);
		g_assert_cmpstr(leaseFile(self.root, LEASE_MAX), ==,
				cases[i].most);
		leaseTestEnd(&self, 0);
		leaseTestClose(&self);
		/* Alone, the kernel refuses the upper one. */
		leaseTestOpen(&self, true);
		g_assert_cmpint(leaseTestGrant(&self, 0, "max_freq=1200000"),
				==, -EINVAL);
		leaseTestClose(&self);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	hdSettingWriter = kernelWrite;
	g_test_add_func("/lease/two-leases", testTwoLeases);
	g_test_add_func("/lease/turns", testTurns);
	g_test_add_func("/lease/killed", testKilled);
	g_test_add_func("/lease/refusals", testRefusals);
	return g_test_run();
}
