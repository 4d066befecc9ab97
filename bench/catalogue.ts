import type { Scenario } from './scenario.ts';
import { clientScenario } from './scenarios/client.load.ts';
import { clusterScenario } from './scenarios/cluster.load.ts';
import { coldStartScenario } from './scenarios/cold-start.load.ts';
import { connectionsScenario } from './scenarios/connections.load.ts';
import { consoleScenario } from './scenarios/console.load.ts';
import { coresScenario } from './scenarios/cores.load.ts';
import { evaluateFlagScenario } from './scenarios/evaluate-flag.load.ts';
import { evaluateMixedScenario } from './scenarios/evaluate-mixed.load.ts';
import { evaluateProjectScenario } from './scenarios/evaluate-project.load.ts';
import { evaluateWhilePatchingScenario } from './scenarios/evaluate-while-patching.load.ts';
import { flagdStreamsScenario } from './scenarios/flagd-streams.load.ts';
import { hostileScenario } from './scenarios/hostile.load.ts';
import { microScenario } from './scenarios/micro.load.ts';
import { ofrepScenario } from './scenarios/ofrep.load.ts';
import { patchScenario } from './scenarios/patch.load.ts';
import { peersScenario } from './scenarios/peers.load.ts';
import { scaleFlagsScenario } from './scenarios/scale-flags.load.ts';
import { syncStreamsScenario } from './scenarios/sync-streams.load.ts';
import { wideScenario } from './scenarios/wide.load.ts';

/** Every scenario, in the order in which they are listed, run and shown. */
export const catalogue: readonly Scenario[] = [
  evaluateFlagScenario,
  connectionsScenario,
  wideScenario,
  coresScenario,
  evaluateMixedScenario,
  evaluateProjectScenario,
  ofrepScenario,
  evaluateWhilePatchingScenario,
  scaleFlagsScenario,
  patchScenario,
  clusterScenario,
  syncStreamsScenario,
  flagdStreamsScenario,
  hostileScenario,
  coldStartScenario,
  peersScenario,
  clientScenario,
  consoleScenario,
  microScenario,
];
