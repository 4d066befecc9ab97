import { fileURLToPath } from 'node:url';
import type { ChangeableFlag } from '../changes/changing-flag.ts';
import type { Freshness, FreshnessProbe } from '../changes/probe-freshness.ts';
import { runLoadProgram } from '../load/load-program.ts';

export interface VisibleProbe extends FreshnessProbe {
  readonly flag: ChangeableFlag;
  readonly projectId: string;
}

/** Times from the acknowledgement of a change until a client in another process evaluates by it. */
export type Visibility = Pick<Freshness, 'p50Us' | 'p99Us' | 'histogram'>;

const program = fileURLToPath(new URL('./visible-process.js', import.meta.url));

/** Probes in a process of its own, one change after another. @throws when a change is not seen */
export function probeVisible(probe: VisibleProbe): Promise<Visibility> {
  return runLoadProgram(program, probe);
}
