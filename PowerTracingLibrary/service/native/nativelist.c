/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Our own protocol: what there is; see native.h. */
#include "config.h"

#include "PowerTracingLibrary/service/native/native.h"

static void listValues(struct ptClient *client, uint16_t tag,
		       struct ptServed *served, uint16_t device, uint16_t index)
{
	const struct ptSiteLine *line = &ptServedSite(served)->lines[index];

	for (size_t i = 0; i < line->valueCount; i++) {
		const struct ptQuantity *quantity = line->values[i].quantity;
		struct ptServedColumn known;
		struct ptWireValue value = {
			.device = device,
			.line = index,
			.name = hdFieldTextOf(quantity->name),
			.unit = hdFieldTextOf(quantity->unit),
			.grouping = hdFieldTextOf(quantity->grouping),
			.kind = (uint8_t)line->values[i].kind,
		};

		ptServedColumnGet(served, line->values[i].column, &known);
		value.flags = known.isSimulated ? PT_WIRE_SIMULATED : 0;
		value.source = hdFieldTextOf(known.source);
		value.resolution = hdFieldTextOf(known.resolution);
		ptNativeSend(client, PT_WIRE_VALUE, tag, &value);
	}
}

static void listLine(struct ptClient *client, uint16_t tag,
		     struct ptServed *served, uint16_t device, uint16_t index)
{
	const struct ptSiteLine *line = &ptServedSite(served)->lines[index];
	const struct ptWireLine message = {
		.device = device,
		.line = index,
		.name = hdFieldTextOf(line->name),
		.node = hdFieldTextOf(line->node),
		.channel = hdFieldTextOf(line->channel),
		.description = hdFieldTextOf(line->description),
		.voltage = line->voltage,
		.flags = line->isSummed ? PT_WIRE_SUMMED : 0,
	};

	ptNativeSend(client, PT_WIRE_LINE, tag, &message);
	listValues(client, tag, served, device, index);
}

static void listDevice(struct ptClient *client, uint16_t tag,
		       struct ptServed *served, uint16_t number)
{
	const struct ptSiteDevice *device = ptServedSite(served);
	const struct ptDriver *driver = device->config.driver;
	struct ptHealth health;
	struct ptWireDevice message = {
		.device = number,
		.name = hdFieldTextOf(device->name),
		.driver = hdFieldTextOf(driver->name),
		.description = hdFieldTextOf(device->description),
		.intervalNs = ptClientCycle(client, served),
		.timedByMeter = driver->timing == PT_TIMED_BY_METER,
	};

	ptServedHealth(served, &health);
	message.isUp = health.isUp;
	message.readings = health.counts.readings;
	message.lost = health.counts.lost;
	message.errors = health.counts.errors;
	message.reconnects = health.counts.reconnects;
	message.late = health.counts.late;
	message.lastWall = health.lastWall;
	ptNativeSend(client, PT_WIRE_DEVICE, tag, &message);
}

void ptNativeList(struct ptClient *client, uint16_t tag)
{
	const struct ptService *service = client->service;
	struct ptWireListEnd end = { 0 };

	for (size_t i = 0; i < service->deviceCount; i++) {
		struct ptServed *served = service->devices[i];
		const struct ptSiteDevice *device = ptServedSite(served);
		bool isSeen = false;

		for (size_t j = 0; j < device->lineCount; j++) {
			if (!ptClientSees(client, device->lines[j].node))
				continue;
			if (!isSeen)
				listDevice(client, tag, served, end.devices);
			isSeen = true;
			listLine(client, tag, served, end.devices, (uint16_t)j);
		}
		end.devices = (uint16_t)(end.devices + isSeen);
	}
	ptNativeSend(client, PT_WIRE_LIST_END, tag, &end);
}
