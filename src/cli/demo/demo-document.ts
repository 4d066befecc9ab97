import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeclaredFlag, DeclaredState } from '../../contracts/provision/declared-flag.ts';
import type { DeclaredProject } from '../../contracts/provision/declared-project.ts';
import type { ProvisionDocument } from '../../contracts/provision/provision-document.ts';
import { packageRoot } from '../../support/package-root.ts';

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
export const newestEnvironment = 'v1.34';
export const alphaCohort = 'alpha-testers';
export const demoTokenNames = { read: 'demo-read', write: 'demo-write' } as const;

export const demoOwnerEmail = 'owner@demo.example';
const demoMembers = [{ name: 'Demo Owner', email: demoOwnerEmail, role: 'owner' }] as const;

/** What `burgee demo` applies; `README.md` describes it. */
export function demoDocument(): ProvisionDocument {
  const projects = [kubernetesProject(), websiteProject];
  return { organisations: [{ name: 'Demo', plan: 'enterprise', members: [...demoMembers], projects }] };
}

/**
 * The same projects and tokens by name alone: applied to an existing demo, it changes no flag and makes the missing
 * tokens.
 */
export function demoNamesDocument(): ProvisionDocument {
  const namesOf = ({ flags = [], audiences: _audiences, ...project }: DeclaredProject): DeclaredProject => ({
    ...project,
    flags: flags.map(({ name }) => ({ name })),
  });
  const projects = [kubernetesProject(), websiteProject].map(namesOf);
  return { organisations: [{ name: 'Demo', plan: 'enterprise', projects }] };
}

function kubernetesProject(): DeclaredProject {
  return {
    name: 'kubernetes',
    environments: versions.map((version) => `v${version}`),
    flags: readFeatureGates().map(gateFlag),
    tokens: [
      { name: demoTokenNames.read, permission: 'read' },
      { name: demoTokenNames.write, permission: 'write' },
    ],
  };
}

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

export const websiteFlagNames = { audience: 'priority-support', percentage: 'dark-mode' } as const;

const websiteProject: DeclaredProject = {
  name: 'website',
  audiences: [{ name: 'Paying customers', rules: [{ attribute: 'plan', values: ['pro', 'team'] }] }],
  flags: [
    {
      name: websiteFlagNames.audience,
      description: 'On for everyone whose plan attribute is pro or team',
      tags: ['support'],
      enabled: true,
      trafficPercentage: 100,
      audience: 'Paying customers',
    },
    {
      name: websiteFlagNames.percentage,
      description: 'On for half of all targeting keys, always the same half',
      enabled: true,
      trafficPercentage: 50,
    },
    {
      name: 'new-checkout',
      description: 'Only for a cohort so far',
      tags: ['shop'],
      enabled: true,
      trafficPercentage: 0,
      cohorts: ['beta-testers', 'employees'],
    },
    { name: 'maintenance-banner', description: 'Switched off', enabled: false },
  ],
};

/** A gate that is at this stage, and off, in the newest environment: a flag to try a percentage or a cohort on. */
export function exampleGate(stage: 'alpha' | 'beta'): string {
  const isExample = (gate: FeatureGate): boolean => {
    const newest = stageIn(gate, newestEnvironment.slice(1));
    return newest?.stage === stage && !newest.default;
  };
  const found = readFeatureGates().find(isExample);
  if (found === undefined) throw new Error(`no gate is ${stage} and off in ${newestEnvironment}`);
  return found.name;
}
