import { fileURLToPath } from 'node:url';
import { runLoadProgram } from '../load/load-program.ts';
import type { ChangeableFlag } from './changing-flag.ts';

export interface FreshnessProbe {
  readonly origin: string;
  /** Where the flag is evaluated; by default where it is changed. */
  readonly readFrom?: string;
  /** A flag that only the probe changes. */
  readonly flag: ChangeableFlag;
  readonly seconds: number;
}

/** Times from the acknowledgement of a change to the first answer that shows it. */
export interface Freshness {
  readonly probes: number;
  readonly staleAnswers: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** Compressed HDR histogram in µs, base64. */
  readonly histogram: string;
}

const program = fileURLToPath(new URL('./freshness-process.js', import.meta.url));

/** Probes in a process of its own, one change after another. @throws when a probe is refused */
export function probeFreshness(probe: FreshnessProbe): Promise<Freshness> {
  return runLoadProgram(program, probe);
}
