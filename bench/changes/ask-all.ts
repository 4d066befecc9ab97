import { fileURLToPath } from 'node:url';
import { runLoadProgram } from '../load/load-program.ts';

/** Evaluations to request once each, in order. */
export interface AskAllLoad {
  readonly origin: string;
  /** Path and query of each request; at most 1,000,000. */
  readonly paths: readonly string[];
}

const program = fileURLToPath(new URL('./ask-all-process.js', import.meta.url));

/** @returns how many were answered with 200. @throws when any was not, with the count */
export function askAll(load: AskAllLoad): Promise<number> {
  return runLoadProgram(program, load);
}
