import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../support/package-root.ts';

/** From `version` on, until the next row, the gate has this default and this stage. */
export interface GateStage {
  readonly version: string;
  readonly default: boolean;
  readonly stage: 'alpha' | 'beta' | 'ga' | 'deprecated';
}

export interface FeatureGate {
  readonly name: string;
  readonly stages: readonly GateStage[];
}

/** @returns Kubernetes' feature gates, as `README.md` beside the file says. */
export function readFeatureGates(): readonly FeatureGate[] {
  const path = join(packageRoot(), 'src', 'cli', 'demo', 'kubernetes-feature-gates.json');
  const { gates } = JSON.parse(readFileSync(path, 'utf8')) as { gates: readonly FeatureGate[] };
  return gates;
}

/** @returns what holds for a gate in a version (`1.30`), or undefined when the gate does not exist yet. */
export function stageIn(gate: FeatureGate, version: string): GateStage | undefined {
  const begun = gate.stages.filter((stage) => compareVersions(stage.version, version) <= 0);
  return begun.sort((left, right) => compareVersions(left.version, right.version)).at(-1);
}

/** Part by part as numbers: 1.9 comes before 1.10. */
export function compareVersions(left: string, right: string): number {
  const [leftParts, rightParts] = [left.split('.').map(Number), right.split('.').map(Number)];
  for (let index = 0; index < Math.max(leftParts.length, rightParts.length); index++) {
    const difference = (leftParts[index] ?? 0) - (rightParts[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
