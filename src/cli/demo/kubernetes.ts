import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeclaredFlag, DeclaredState } from '../../contracts/provision/declared-flag.ts';
import { packageRoot } from '../../support/package-root.ts';
import { type Demo, demoTokens } from './demo.ts';

/** From `version` until the next row, the gate has this default and this stage. */
interface GateStage {
  readonly version: string;
  readonly default: boolean;
  readonly stage: 'alpha' | 'beta' | 'ga' | 'deprecated';
}

interface FeatureGate {
  readonly name: string;
  readonly stages: readonly GateStage[];
}

/** @returns Kubernetes' feature gates; `README.md` names their source. */
export function readFeatureGates(): readonly FeatureGate[] {
  const path = join(packageRoot(), 'src', 'cli', 'demo', 'kubernetes-feature-gates.json');
  const { gates } = JSON.parse(readFileSync(path, 'utf8')) as { gates: readonly FeatureGate[] };
  return gates;
}

/** @returns the row that applies to a gate in a version (`1.30`), or undefined when the gate did not exist yet. */
export function stageIn(gate: FeatureGate, version: string): GateStage | undefined {
  const begun = gate.stages.filter((stage) => compareVersions(stage.version, version) <= 0);
  return begun.sort((left, right) => compareVersions(left.version, right.version)).at(-1);
}

/** Compares the parts as numbers: 1.9 comes before 1.10. */
export function compareVersions(left: string, right: string): number {
  const [leftParts, rightParts] = [left.split('.').map(Number), right.split('.').map(Number)];
  for (let index = 0; index < Math.max(leftParts.length, rightParts.length); index++) {
    const difference = (leftParts[index] ?? 0) - (rightParts[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const versions = ['1.30', '1.31', '1.32', '1.33', '1.34'] as const;
const newest = 'v1.34';
const alphaCohort = 'alpha-testers';

function gateFlag(gate: FeatureGate): DeclaredFlag {
  const environments = versions.map((version) => [`v${version}`, stateOf(stageIn(gate, version))] as const);
  const history = gate.stages.map(
    ({ version, stage, default: isOn }) => `${stage} ${isOn ? 'on' : 'off'} from ${version}`,
  );
  return {
    name: gate.name,
    description: `Kubernetes feature gate: ${history.join(', ')}`,
    tags: [...new Set(gate.stages.map(({ stage }) => stage))],
    environments: Object.fromEntries(environments),
  };
}

function stateOf(stage: GateStage | undefined): DeclaredState {
  if (stage?.default) return { enabled: true, trafficPercentage: 100 };
  if (stage?.stage === 'alpha') return { enabled: true, trafficPercentage: 0, cohorts: [alphaCohort] };
  if (stage?.stage === 'beta') return { enabled: true, trafficPercentage: 10 };
  return { enabled: false };
}

/** A gate that is at this stage, and off, in the newest environment: a flag to try a percentage or a cohort on. */
function exampleGate(gates: readonly FeatureGate[], stage: 'alpha' | 'beta'): string {
  const isExample = (gate: FeatureGate): boolean => {
    const present = stageIn(gate, newest.slice(1));
    return present?.stage === stage && !present.default;
  };
  const found = gates.find(isExample);
  if (found === undefined) throw new Error(`no gate is ${stage} and off in ${newest}`);
  return found.name;
}

/** @returns the feature gates of Kubernetes, with an environment for each version. */
export function kubernetes(): Demo {
  const gates = readFeatureGates();
  const [alpha, beta] = [exampleGate(gates, 'alpha'), exampleGate(gates, 'beta')];
  return {
    name: 'kubernetes',
    about: 'feature gates of Kubernetes, with an environment for each version',
    project: {
      name: 'kubernetes',
      slug: 'kubernetes',
      isSlugPublic: true,
      environments: versions.map((version) => `v${version}`),
      flags: gates.map(gateFlag),
      tokens: demoTokens,
    },
    environment: newest,
    questions: [
      {
        text: 'Is a beta gate on for this targeting key? It is for 10 % of all keys, always the same ones.',
        flag: beta,
        query: 'targetingKey=node-1',
      },
      {
        text: 'Is an alpha gate on for this cohort? It is for no other.',
        flag: alpha,
        query: `cohort=${alphaCohort}`,
      },
    ],
    changedFlag: beta,
  };
}
