/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a channel of a meter measures, by its label; see nodepower.h. */
#include "config.h"

#include <fnmatch.h>
#include <string.h>

#include "common/nodepower.h"

static const char *const roleNames[HD_POWER_ROLES] = {
	[HD_POWER_UNKNOWN] = "unknown",   [HD_POWER_METER] = "meter",
	[HD_POWER_SUPPLY] = "supply",     [HD_POWER_RAIL] = "rail",
	[HD_POWER_PLATFORM] = "platform", [HD_POWER_MODULE] = "module",
	[HD_POWER_PACKAGE] = "package",   [HD_POWER_DRAM] = "dram",
	[HD_POWER_CORE] = "core",         [HD_POWER_UNCORE] = "uncore",
	[HD_POWER_CARD] = "card",         [HD_POWER_COPY] = "copy",
};

const char *hdPowerRoleName(enum hdPowerRole role)
{
	return roleNames[role];
}

/* Labels that are not made of the kernel's RAPL names; the first that matches
 * holds. Labels of hwmon begin with the chip; other characters than letters,
 * digits and '.' are '-' in them. */
static const struct rolePattern {
	const char *glob;
	enum hdPowerRole role;
} rolePatterns[] = {
	{ "psys", HD_POWER_PLATFORM },
	{ "psys-[0-9]*", HD_POWER_PLATFORM },
	/* A second interface to registers that RAPL's zones read. */
	{ "mmio-*", HD_POWER_COPY },
	{ "dtpm-*", HD_POWER_COPY },
	{ "cpu-[0-9]*-core", HD_POWER_CORE },
	{ "gpu-[0-9]*", HD_POWER_CARD },
	/* (Linux, amdgpu's hwmon: the power of an APU includes its CPU.) */
	{ "amdgpu-apu-*", HD_POWER_COPY },
	{ "amdgpu-*", HD_POWER_CARD },
	{ "nouveau-*", HD_POWER_CARD },
	{ "habanalabs-*", HD_POWER_CARD },
	{ "i915-gt[0-9]*", HD_POWER_UNCORE },
	{ "i915-*", HD_POWER_CARD },
	{ "xe-card*", HD_POWER_CARD },
	{ "xe-*", HD_POWER_UNCORE },
	/* (NVIDIA, Grace Performance Tuning Guide, "Power Telemetry".) */
	{ "power-meter-Module-Power-*", HD_POWER_MODULE },
	{ "power-meter-Grace-Power-*", HD_POWER_PACKAGE },
	{ "power-meter-CPU-Power-*", HD_POWER_CORE },
	{ "power-meter-SysIO-Power-*", HD_POWER_UNCORE },
	/* (ACPI 6.5, 10.4: what the platform takes.) */
	{ "power-meter-*", HD_POWER_SUPPLY },
	/* (Linux 5.12, Documentation/hwmon/amd_energy.rst: RAPL again.) */
	{ "amd-energy-Esocket*", HD_POWER_COPY },
	{ "amd-energy-Ecore*", HD_POWER_CORE },
	{ "fam15h-power-*", HD_POWER_PACKAGE },
	/* (Linux, drivers/hwmon/xgene-hwmon: CPU and IO, the two parts of the
	   SoC.) */
	{ "apm-xgene-*", HD_POWER_PACKAGE },
	/* (Linux, Documentation/hwmon/smpro-hwmon.rst: a regulator each.) */
	{ "smpro-hwmon-*-DIMM-*", HD_POWER_DRAM },
	{ "smpro-hwmon-*", HD_POWER_PACKAGE },
	/* (Linux, Documentation/hwmon/occ.rst: the master has "system".) */
	{ "occ-system*", HD_POWER_SUPPLY },
	{ "occ-[0-9]*-system*", HD_POWER_PLATFORM },
	{ "occ-[0-9]*-proc*", HD_POWER_PACKAGE },
	{ "occ-[0-9]*-vdd*", HD_POWER_CORE },
	{ "occ-[0-9]*-vdn*", HD_POWER_UNCORE },
	/* (OPAL, hw/occ-sensor: bulk power; the second one counts energy.) */
	{ "ibmpowernv-System", HD_POWER_SUPPLY },
	{ "ibmpowernv-System-[0-9]*", HD_POWER_COPY },
	/* PMBus power supplies; a regulator of one rail has a "pin", too. */
	{ "cffps*-pin*", HD_POWER_SUPPLY },
	{ "pfe[0-9]*-pin*", HD_POWER_SUPPLY },
	{ "dps[0-9]*-pin*", HD_POWER_SUPPLY },
	{ "bp[ad]-rs600-pin*", HD_POWER_SUPPLY },
	{ "ipsps*-pin*", HD_POWER_SUPPLY },
	{ "y[mh]51[57]1e-pin*", HD_POWER_SUPPLY },
	{ "acbel*-pin*", HD_POWER_SUPPLY },
	{ "fsp*-pin*", HD_POWER_SUPPLY },
	{ "crps*-pin*", HD_POWER_SUPPLY },
	{ "*psu*-pin*", HD_POWER_SUPPLY },
	{ "*[-]pout*", HD_POWER_RAIL },
	{ "*[-][Tt]otal*", HD_POWER_SUPPLY },
	{ "corsairpsu-power-*", HD_POWER_RAIL },
	{ "*[-]VDD[-_]IN*", HD_POWER_SUPPLY },
	{ "*[- ][Rr]ail*", HD_POWER_RAIL },
};

/* Drivers whose every channel is the same. */
static const struct rolePattern roleDevices[] = {
	{ "lmg450", HD_POWER_METER },        { "wattsup", HD_POWER_METER },
	{ "dcmeter", HD_POWER_METER },       { "dc2meter", HD_POWER_METER },
	{ "ardupower", HD_POWER_METER },     { "rawtcp", HD_POWER_METER },
	{ "apc", HD_POWER_METER },           { "ipmi", HD_POWER_SUPPLY },
	{ "power_supply", HD_POWER_SUPPLY },
};

/* Length of "-N" behind a word at the beginning, or 0. */
static size_t numberedLength(const char *label, const char *word)
{
	size_t length = strlen(word), digits;

	if (strncmp(label, word, length) != 0)
		return 0;
	digits = strspn(label + length, "0123456789");
	return digits ? length + digits : 0;
}

/* A part of a package by its name: "-dram". */
static enum hdPowerRole rolePart(const char *part)
{
	if (strncmp(part, "-dram", 5) == 0 || strncmp(part, "-ram", 4) == 0)
		return HD_POWER_DRAM;
	if (strncmp(part, "-psys", 5) == 0)
		return HD_POWER_PLATFORM;
	return strncmp(part, "-core", 5) == 0 ? HD_POWER_CORE : HD_POWER_UNCORE;
}

/* The label of what contains a channel: two pieces, of which the second one is
 * cut where it does not fit. */
static void joinContainer(struct hdPowerChannel *channel, const char *head,
			  size_t headLength, const char *tail)
{
	size_t room = sizeof(channel->container) - 1;
	size_t length = headLength < room ? headLength : room;
	size_t rest = strnlen(tail, room - length);

	memcpy(channel->container, head, length);
	memcpy(channel->container + length, tail, rest);
	channel->container[length + rest] = '\0';
}

static void setContainer(struct hdPowerChannel *channel, const char *label,
			 size_t length)
{
	joinContainer(channel, label, length, "");
}

/* Labels of RAPL: "package-0", "package-0-die-1", "package-0-dram". */
static bool classifyPackage(struct hdPowerChannel *channel)
{
	const char *label = channel->label;
	size_t length = numberedLength(label, "package-"), die;

	if (!length)
		return false;
	die = numberedLength(label + length, "-die-");
	if (die)
		setContainer(channel, label, length);
	length += die;
	channel->is = HD_POWER_PACKAGE;
	/* A second zone of the same name is "package-0-2". */
	if (!label[length] || numberedLength(label + length, "-"))
		return true;
	channel->is = rolePart(label + length);
	channel->container[0] = '\0';
	if (channel->is == HD_POWER_CORE || channel->is == HD_POWER_UNCORE)
		setContainer(channel, label, length);
	return true;
}

/* Labels whose end tells what contains the channel: the rest behind a head is
 * that of its container behind another one. A copy is the same as its original;
 * NVIDIA's modules have the number of their socket at the end. */
static void containPattern(struct hdPowerChannel *channel)
{
	static const struct {
		const char *head, *container;
	} rows[] = {
		{ "mmio-", "" },
		{ "amd-energy-Esocket", "package-" },
		{ "amdgpu-apu-PPT", "package-0" },
		{ "amdgpu-apu-power1", "package-0" },
		{ "power-meter-Grace-Power-", "power-meter-Module-Power-" },
		{ "power-meter-CPU-Power-", "power-meter-Grace-Power-" },
		{ "power-meter-SysIO-Power-", "power-meter-Grace-Power-" },
		{ "xe-pkg", "xe-card" },
		{ "xe-vram", "xe-card" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t length = strlen(rows[i].head);

		if (strncmp(channel->label, rows[i].head, length) == 0)
			joinContainer(channel, rows[i].container,
				      strlen(rows[i].container),
				      channel->label + length);
	}
}

static bool classifyPattern(struct hdPowerChannel *channel)
{
	const size_t count = sizeof(rolePatterns) / sizeof(*rolePatterns);

	for (size_t i = 0; i < count; i++) {
		if (fnmatch(rolePatterns[i].glob, channel->label, 0) != 0)
			continue;
		channel->is = rolePatterns[i].role;
		containPattern(channel);
		return true;
	}
	return false;
}

static bool classifyDevice(struct hdPowerChannel *channel)
{
	const size_t count = sizeof(roleDevices) / sizeof(*roleDevices);

	for (size_t i = 0; channel->device && i < count; i++) {
		if (fnmatch(roleDevices[i].glob, channel->device,
			    FNM_CASEFOLD) == 0) {
			channel->is = roleDevices[i].role;
			return true;
		}
	}
	return false;
}

/* A role that the file states; false if there is none of this name. */
static bool classifyStated(struct hdPowerChannel *channel)
{
	for (size_t i = 0; channel->role && i < HD_POWER_ROLES; i++) {
		if (strcmp(channel->role, roleNames[i]) == 0) {
			channel->is = (enum hdPowerRole)i;
			return true;
		}
	}
	return false;
}

void hdPowerClassify(struct hdPowerChannel *channel)
{
	channel->is = HD_POWER_UNKNOWN;
	channel->container[0] = '\0';
	if (classifyStated(channel)) {
		if (channel->partOf)
			joinContainer(channel, "", 0, channel->partOf);
		return;
	}
	if (!classifyDevice(channel) && !classifyPackage(channel))
		classifyPattern(channel);
}
