import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { atExit } from './at-exit.ts';

const run = promisify(execFile);

export interface RunOptions {
  /** Milliseconds; without it the program takes as long as it takes. */
  readonly timeout?: number;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Runs a compiled program to its end, in a Node of its own, which does not outlive this process.
 *
 * @returns what it wrote to standard output
 * @throws Error with what it wrote to standard error when it fails
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const running = run(process.execPath, [program, ...args], options);
  const takeBack = atExit(() => running.child.kill('SIGKILL'));
  try {
    return (await running).stdout;
  } finally {
    takeBack();
  }
}
