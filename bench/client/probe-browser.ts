import { fileURLToPath } from 'node:url';
import type { ChangeableFlag } from '../changes/changing-flag.ts';
import { runLoadProgram } from '../load/load-program.ts';
import type { Visibility } from './probe-visible.ts';

/** The service sends the browsers of an environment at most one event a second, so each browser has its own environment. */
export const browsersOfProbe = 24;

export interface BrowserProbe {
  readonly origin: string;
  readonly projectId: string;
  readonly flag: Pick<ChangeableFlag, 'id' | 'writeToken'>;
  readonly environments: readonly string[];
  readonly seconds: number;
}

const program = fileURLToPath(new URL('./browser-process.js', import.meta.url));

/** Probes in its own process, one change after another. @throws when a change causes no event, or the flags do not show it */
export function probeBrowser(probe: BrowserProbe): Promise<Visibility> {
  return runLoadProgram(program, probe);
}
