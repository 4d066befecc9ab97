import type { Lifetime } from '../../support/lifetime.ts';
import type { Random } from '../../support/random.ts';
import type { ClusterStage } from './cluster-stage.ts';

export interface Nemesis {
  readonly t: Lifetime;
  readonly stage: ClusterStage;
  /** There is one more place of a node. */
  onNewPlace(): void;
  readonly random: Random;
  /** How long a process stands still, in milliseconds. */
  readonly standstillMs: { readonly min: number; readonly max: number };
}

/** A fault, from its beginning to the end of what the test does to the cluster. */
export type Play = (nemesis: Nemesis) => Promise<void>;
