import { fileURLToPath } from 'node:url';
import type { ChangeableFlag } from '../changes/changing-flag.ts';
import { runLoadProgram } from '../load/load-program.ts';
import type { Visibility } from './probe-visible.ts';

/** The service tells the browsers of an environment once a second at most, so each browser has one of its own. */
export const browsersOfProbe = 24;

export interface BrowserProbe {
  readonly origin: string;
  readonly projectId: string;
  readonly flag: Pick<ChangeableFlag, 'id' | 'writeToken'>;
  readonly environments: readonly string[];
  readonly seconds: number;
}

const program = fileURLToPath(new URL('./browser-process.js', import.meta.url));

/** Probes in a process of its own, one change after another. @throws when a change is not told, or the flags do not show it */
export function probeBrowser(probe: BrowserProbe): Promise<Visibility> {
  return runLoadProgram(program, probe);
}
