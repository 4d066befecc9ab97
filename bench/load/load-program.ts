import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { atExit } from '../servers/at-exit.ts';

/** The only line that a load program prints. */
type Outcome<Result> = { readonly result: Result } | { readonly problem: string };

/** Calls `use` with a directory that exists for the time of the call. */
export async function withTemporaryDirectory<Result>(
  use: (directory: string) => Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'burgee-load-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  const kept = atExit(remove);
  try {
    return await use(directory);
  } finally {
    kept();
    remove();
  }
}

/**
 * Runs a load program in its own process, so that it does not share the event loop of the code that measures. The load is
 * passed in a file, because a list of requests is too long for an argument.
 *
 * @param program path of a module that calls `answerLoad`
 * @param core the only core that it runs on; any core, unless given
 * @throws Error with the problem that the program reports
 */
export function runLoadProgram<Result>(program: string, load: unknown, core?: number): Promise<Result> {
  return withTemporaryDirectory(async (directory) => {
    const file = join(directory, 'load.json');
    writeFileSync(file, JSON.stringify(load));
    const command = [process.execPath, program, file];
    if (core !== undefined) command.unshift('taskset', '--cpu-list', String(core));
    const [executable = '', ...args] = command;
    const child = spawn(executable, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const outlived = atExit(() => child.kill('SIGKILL'));
    const closed = once(child, 'close').finally(outlived);
    const [stdout, stderr, [code, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      closed,
    ]);
    if (stdout === '')
      throw new Error(`the load generator ended with ${signal ?? `code ${code}`}:\n${stderr.slice(-2000)}`);
    const outcome = JSON.parse(stdout) as Outcome<Result>;
    if ('problem' in outcome) throw new Error(outcome.problem);
    return outcome.result;
  });
}

/** The other end of `runLoadProgram`: runs the load that the first argument names, and prints the outcome. */
export async function answerLoad<Load, Result>(run: (load: Load) => Promise<Result>): Promise<void> {
  const load = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Load;
  const outcome = await run(load).then(
    (result): Outcome<Result> => ({ result }),
    (error: Error): Outcome<Result> => ({ problem: error.message }),
  );
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}
