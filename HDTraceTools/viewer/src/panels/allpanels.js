// SPDX-License-Identifier: LGPL-2.1-or-later
// The panels beside the rows, in the order of their tabs.
import { layersOf } from "../data/series/layers.js";
import { AboutPanel } from "./about.js";
import { BalancePanel } from "./balance.js";
import { CriticalPathPanel } from "./criticalpath.js";
import { DetailsPanel } from "./details.js";
import { DifferencePanel } from "./difference.js";
import { DurationsPanel } from "./durations.js";
import { FindPanel } from "./find.js";
import { FindingsPanel } from "./findings.js";
import { FlamePanel } from "./flame.js";
import { HistogramPanel } from "./histogram.js";
import { IntervalPanel } from "./interval.js";
import { LayersPanel } from "./layers.js";
import { LegendPanel } from "./legend.js";
import { MatrixPanel } from "./matrix.js";
import { NotesPanel } from "./notes.js";
import { ProblemsPanel } from "./problems.js";
import { ProfilePanel } from "./profile.js";
import { RelationsPanel } from "./relations.js";
import { ValuesPanel } from "./values.js";

/** What the panels of projects with states need. */
function panelsOfStates(app) {
  return [
    new FlamePanel(app),
    new DurationsPanel(app),
    new BalancePanel(app),
    new MatrixPanel(app),
    new FindPanel(app),
  ];
}

/** The panels that a project has something for. */
export function makePanels(app) {
  const { model } = app;

  return [
    new FindingsPanel(app),
    new IntervalPanel(app),
    ...(model.parts.length === 2 ? [new DifferencePanel(app)] : []),
    new ProfilePanel(app),
    ...(model.traces.length ? panelsOfStates(app) : []),
    new DetailsPanel(app),
    new HistogramPanel(app),
    new CriticalPathPanel(app),
    ...(model.relations.length ? [new RelationsPanel(app)] : []),
    ...(layersOf(model.groups).length ? [new LayersPanel(app)] : []),
    new LegendPanel(app),
    new ValuesPanel(app),
    ...(model.source.isServed && !model.isJoined ? [new NotesPanel(app)] : []),
    new ProblemsPanel(app),
    new AboutPanel(app),
  ];
}
