// SPDX-License-Identifier: LGPL-2.1-or-later
// The call tree of an interval: which states lay in which, with time and energy. It
// is made of what a profile adds up (states.js): items by depth, name, and the name
// of what is around them. That tells a path unless the same name stands below
// different ones at a depth; what is below those is added up for all of them.

/** Nodes of a profile: {name, depth, callers, count, ns, joules, known, children};
 *  callers are the names that it stands below, if these are several. */
class CallNode {
  constructor(name, depth) {
    this.name = name;
    this.depth = depth;
    this.callers = [];
    this.children = [];
    this.count = 0;
    this.ns = 0;
    this.joules = 0;
    this.known = 0;
  }

  add({ count, ns, joules, known }) {
    this.count += count;
    this.ns += ns;
    this.joules += joules;
    this.known += known;
  }

  /** Time in it without what is in it. */
  get ownNs() {
    return this.ns - this.children.reduce((sum, { ns }) => sum + ns, 0);
  }

  get ownJoules() {
    return this.joules - this.children.reduce((sum, { joules }) => sum + joules, 0);
  }

  get ownKnown() {
    return this.known - this.children.reduce((sum, { known }) => sum + known, 0);
  }
}

/**
 * Make the tree.
 *
 * @param calls Of a Profile: [{depth, parent, name, count, ns, joules, known}].
 *
 * @return {roots, shared}: the outermost states, and what stands below a name that
 *         is at several places of a depth, so that its place is not known: each has
 *         its callers' name in "callers".
 */
export function callTree(calls) {
  const depths = [];

  for (const call of calls) (depths[call.depth] ??= []).push(call);
  const roots = [];
  const shared = [];
  let above = new Map();

  for (const list of depths) {
    const here = new Map();

    for (const call of list ?? []) {
      const node = new CallNode(call.name, call.depth);
      const places = above.get(call.parent) ?? [];

      node.add(call);
      if (call.depth === 0) roots.push(node);
      else if (places.length === 1) places[0].children.push(node);
      else {
        node.callers = [call.parent];
        shared.push(node);
      }
      here.set(call.name, [...(here.get(call.name) ?? []), node]);
    }
    above = here;
  }
  const bySize = (a, b) => b.ns - a.ns || (a.name < b.name ? -1 : 1);
  const sort = (nodes) => {
    nodes.sort(bySize);
    for (const { children } of nodes) sort(children);
  };

  sort(roots);
  sort(shared);
  return { roots, shared };
}
