import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { atExit } from './at-exit.ts';

const run = promisify(execFile);

export interface RunOptions {
  /** Time limit in ms; none unless given. */
  readonly timeout?: number;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Runs a compiled program to its end in a child process, which does not outlive this process.
 *
 * @returns its standard output
 * @throws Error with its standard error when it fails
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
