/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the sums of the sources are made of on a machine. */
#include "config.h"

#include "ResourcesUtilizationTracingLibrary/rut/rut.h"
#include "ResourcesUtilizationTracingLibrary/src/core/rutlog.h"
#include "ResourcesUtilizationTracingLibrary/src/cpu/cpucounter.h"
#include "ResourcesUtilizationTracingLibrary/src/kernel/blockdev.h"
#include "ResourcesUtilizationTracingLibrary/src/kernel/netdev.h"
#include "cli/output.h"

/* ---- CPUs -------------------------------------------------------------- */

static void explainCpus(FILE *file, const char *root)
{
	static const char *const names[] = { "cpuidle", "cpuacct", "schedstat",
					     "stat" };
	const char *used = NULL;

	fputs("CPU utilization\n", file);
	for (int i = 0; i < (int)G_N_ELEMENTS(names); i++) {
		struct rutCpuCounter counter;
		int ret = rutCpuCounterOpen(
			&counter, root,
			(enum rutCpuSource)(RUT_CPU_CPUIDLE + i));

		if (ret < 0) {
			fprintf(file, "  %-16s not available\n", names[i]);
			continue;
		}
		if (used)
			fprintf(file, "  %-16s not used: %s is finer\n",
				names[i], used);
		else
			fprintf(file, "  %-16s used: %zu CPUs, resolution %s\n",
				names[i], counter.list.count,
				counter.kind->resolution);
		used = used ? used : names[i];
		rutCpuCounterClose(&counter);
	}
}

/* ---- Network ----------------------------------------------------------- */

static void explainNetwork(FILE *file, const char *root)
{
	struct rutNetDev netdev;

	fputs("Network interfaces\n", file);
	if (rutNetDevOpen(&netdev, root, RUT_NET_BYTES_OUT + 1) < 0) {
		fputs("  none\n", file);
		return;
	}
	for (size_t i = 0; i < netdev.count; i++) {
		const struct rutNetIf *netif = &netdev.list[i];

		fputs("  ", file);
		outSay(file, "%-16s %s", netif->name,
		       netif->isExternal
			       ? "external: in NET_IN_EXT and NET_OUT_EXT"
			       : "internal: in NET_IN and NET_OUT only");
	}
	rutNetDevClose(&netdev);
}

/* ---- Disks ------------------------------------------------------------- */

static bool explainHasDisk(const struct rutBlockDevs *disks, const char *name)
{
	for (size_t i = 0; i < disks->count; i++)
		if (g_str_equal(disks->list[i].name, name))
			return true;
	return false;
}

static void explainDisks(FILE *file, const char *root, const char *mountPoint)
{
	struct rutBlockDevs all = { 0 }, disks = { 0 };

	fputs("Block devices\n", file);
	if (mountPoint)
		rutBlockDevsAddMount(&disks, root, mountPoint);
	else
		rutBlockDevsAddDisks(&disks, root);
	if (rutBlockDevsAddAll(&all, root) < 0)
		fputs("  none\n", file);
	for (size_t i = 0; i < all.count; i++) {
		const char *name = all.list[i].name;

		fputs("  ", file);
		outSay(file, "%-16s %s", name,
		       explainHasDisk(&disks, name)
			       ? "in HDD_READ and HDD_WRITE"
		       : mountPoint
			       ? "not used by the mount point"
			       : "stands on other devices: by itself only");
	}
	rutBlockDevsClose(&all);
	rutBlockDevsClose(&disks);
}

void sourcesExplain(FILE *file, const char *root, const char *mountPoint)
{
	rutLogger.isSilent = true;
	explainCpus(file, root);
	explainNetwork(file, root);
	explainDisks(file, root, mountPoint);
}
