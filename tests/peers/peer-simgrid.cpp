// SPDX-License-Identifier: LGPL-2.1-or-later
// A mapped task graph in SimGrid 3.32.
//
// usage: peer-simgrid naive|fair FLAT
//
// naive   as one writes it first: tasks and messages are activities that depend
//         on each other, and SimGrid shares links among all messages that are
//         under way.
// fair    messages reserve all links of their path, the lowest number first; so
//         that each network interface has one at a time.
#include <algorithm>
#include <cstring>
#include <iostream>
#include <set>
#include <unordered_map>

#include <simgrid/s4u.hpp>

#include "flat.hpp"

namespace sg = simgrid::s4u;

namespace {

// Who starts messages whose path is free.
class Fair {
	const flat::Graph &graph;
	std::vector<sg::CommPtr> &comms;
	std::vector<bool> busy;
	std::vector<std::vector<int>> made; // Messages of each task.
	std::set<std::pair<int, int>> ready;
	std::unordered_map<const sg::Activity *, int> numbers; // Comms are < 0.

	bool isFree(int m) const
	{
		const auto &path = graph.messages[m].path;

		return std::none_of(path.begin(), path.end(),
				    [this](int b) { return busy[b]; });
	}

	void startAll()
	{
		for (auto i = ready.begin(); i != ready.end();) {
			int m = i->second;

			if (!isFree(m)) {
				++i;
				continue;
			}
			for (int b : graph.messages[m].path)
				busy[b] = true;
			i = ready.erase(i);
			comms[m]->vetoable_start();
		}
	}

    public:
	Fair(const flat::Graph &g, const std::vector<sg::ExecPtr> &execs,
	     std::vector<sg::CommPtr> &c)
		: graph(g), comms(c), busy(g.bridges.size()),
		  made(g.tasks.size())
	{
		for (size_t t = 0; t < execs.size(); t++)
			numbers[execs[t].get()] = static_cast<int>(t);
		for (size_t m = 0; m < comms.size(); m++) {
			numbers[comms[m].get()] = -1 - static_cast<int>(m);
			made[graph.messages[m].producer].push_back(
				static_cast<int>(m));
		}
	}

	void ended(const sg::Activity &activity)
	{
		int n = numbers.at(&activity);

		if (n < 0) {
			for (int b : graph.messages[-1 - n].path)
				busy[b] = false;
		} else {
			for (int m : made[n])
				ready.emplace(graph.messages[m].number, m);
		}
		startAll();
	}
};

// A host a PE, of speed 1; a link a bridge, whose latency is what begins a
// message, and whose bandwidth that of its packets.
std::vector<sg::Host *> makePlatform(const flat::Graph &graph)
{
	auto *zone = sg::create_full_zone("all");
	std::vector<const sg::Link *> links;
	std::vector<sg::Host *> hosts, first(graph.servers, nullptr);

	for (size_t b = 0; b < graph.bridges.size(); b++) {
		const flat::Bridge &bridge = graph.bridges[b];
		double rate = bridge.latency > 0
				      ? bridge.size / (bridge.latency * 1e-9)
				      : 1e18;

		links.push_back(zone->create_link("b" + std::to_string(b), rate)
					->set_latency(bridge.init * 1e-9)
					->seal());
	}
	for (size_t p = 0; p < graph.serverOf.size(); p++) {
		hosts.push_back(
			zone->create_host("p" + std::to_string(p), 1.0)->seal());
		if (!first[graph.serverOf[p]])
			first[graph.serverOf[p]] = hosts.back();
	}
	// Messages go between the first PEs of servers.
	std::set<std::pair<int, int>> known;
	for (const flat::Message &m : graph.messages) {
		int from = graph.serverOf[graph.tasks[m.producer].pe];
		std::vector<sg::LinkInRoute> path;

		if (!known.emplace(from, m.server).second)
			continue;
		for (int b : m.path)
			path.emplace_back(links[b]);
		zone->add_route(first[from]->get_netpoint(),
				first[m.server]->get_netpoint(), nullptr,
				nullptr, path, false);
	}
	zone->seal();
	return hosts;
}

} // namespace

int main(int argc, char **argv)
{
	sg::Engine engine(&argc, argv);

	if (argc != 3) {
		std::cerr << "usage: peer-simgrid naive|fair FLAT\n";
		return 2;
	}
	bool isFair = std::strcmp(argv[1], "fair") == 0;
	flat::Graph graph(argv[2]);
	auto hosts = makePlatform(graph);
	std::vector<sg::Host *> first(graph.servers, nullptr);
	for (size_t p = hosts.size(); p-- > 0;)
		first[graph.serverOf[p]] = hosts[p];

	std::vector<sg::ExecPtr> execs;
	std::vector<sg::CommPtr> comms;
	for (const flat::Task &t : graph.tasks)
		execs.push_back(sg::Exec::init()
					->set_flops_amount(t.seconds)
					->set_host(hosts[t.pe]));
	// SimGrid takes each dependency once.
	std::set<std::pair<int, int>> before(graph.local.begin(),
					     graph.local.end());
	for (const auto &list : graph.order)
		for (size_t i = 1; i < list.size(); i++)
			before.emplace(list[i - 1], list[i]);
	for (const auto &b : before)
		execs[b.first]->add_successor(execs[b.second]);
	for (const flat::Message &m : graph.messages) {
		double packets = 0, bytes = 0;

		// What the slowest bridge takes for it, in whole packets.
		for (int b : m.path) {
			const flat::Bridge &bridge = graph.bridges[b];
			double n = bridge.packets(m.bytes);

			if (n * bridge.latency > packets) {
				packets = n * bridge.latency;
				bytes = n * bridge.size;
			}
		}
		auto comm = sg::Comm::sendto_init(
			first[graph.serverOf[graph.tasks[m.producer].pe]],
			first[m.server]);
		comm->set_payload_size(static_cast<uint64_t>(bytes));
		if (!isFair)
			execs[m.producer]->add_successor(comm);
		for (int c : std::set<int>(m.consumers.begin(),
					   m.consumers.end()))
			comm->add_successor(execs[c]);
		comms.push_back(comm);
	}

	Fair fair(graph, execs, comms);
	if (isFair)
		sg::Activity::on_completion_cb(
			[&fair](const sg::Activity &a) { fair.ended(a); });
	double begin = flat::now();
	for (auto &e : execs)
		e->vetoable_start();
	if (!isFair)
		for (auto &c : comms)
			c->vetoable_start();
	engine.run();
	double spent = flat::now() - begin;
	for (auto &e : execs) {
		if (e->get_state() != sg::Activity::State::FINISHED) {
			std::cerr << "peer-simgrid: not all tasks were done\n";
			return 1;
		}
	}
	flat::say(sg::Engine::get_clock(), spent);
	return 0;
}
