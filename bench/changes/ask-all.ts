import { fileURLToPath } from 'node:url';
import { runLoadProgram } from '../load/load-program.ts';

/** Evaluations that are each asked for once, in their order. */
export interface AskAllLoad {
  readonly origin: string;
  /** Path and query of each; at most 1,000,000. */
  readonly paths: readonly string[];
}

const program = fileURLToPath(new URL('./ask-all-process.js', import.meta.url));

/** @returns how many were answered with 200. @throws when one was not, with the count */
export function askAll(load: AskAllLoad): Promise<number> {
  return runLoadProgram(program, load);
}
