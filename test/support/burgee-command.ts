import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from './repository-root.ts';

/** `BURGEE_*` variables for one process. They replace the caller's `BURGEE_*` variables; its other variables stay. */
export type Settings = Readonly<Record<string, string>>;

export interface CommandResult {
  /** Exit code; null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * What a process of Burgee does not inherit: settings, what would make it part of the test's own coverage, and
 * certificates, which Node reads at its start in more time than the rest of its start takes.
 */
const notInherited = /^(BURGEE_|TAP|NODE_V8|NODE_EXTRA_CA_CERTS$)/;

/** For a whole test file: a program that stands in for `scripts/burgee` of this checkout, such as a container of it. */
const standIn = process.env['BURGEE_TEST_PROGRAM'];
export const isStandIn = standIn !== undefined;

/**
 * Starts `scripts/burgee` with the given arguments. The process is Burgee itself, so signals go to its pid.
 * @param before a program and its options that executes its arguments in its place, as `prlimit` does
 * @param checkout whose `scripts/burgee` it is
 */
export function spawnBurgee(
  arguments_: readonly string[],
  settings: Settings = {},
  before: readonly string[] = [],
  checkout = repositoryRoot(),
): ChildProcessWithoutNullStreams {
  const inherited = Object.entries(process.env).filter(([name]) => !notInherited.test(name));
  const env = { ...Object.fromEntries(inherited), ...settings };
  const burgee = standIn ?? join(checkout, 'scripts', 'burgee');
  const [program = '', ...rest] = [...before, burgee, ...arguments_];
  return spawn(program, rest, { env, cwd: checkout });
}

/** Runs a command to its end. */
export async function runBurgee(
  arguments_: readonly string[],
  settings: Settings = {},
): Promise<CommandResult> {
  return finishCommand(spawnBurgee(arguments_, settings));
}

/** Gives it no input. @returns all that it wrote */
export async function finishCommand(child: ChildProcessWithoutNullStreams): Promise<CommandResult> {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.end();
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, stdout, stderr };
}

/** Runs a command that must succeed. @throws with its output unless it exits 0 */
export async function runBurgeeOrThrow(arguments_: readonly string[], settings?: Settings): Promise<string> {
  const { code, stdout, stderr } = await runBurgee(arguments_, settings);
  if (code !== 0) throw new Error(`burgee ${arguments_.join(' ')}: exit ${code}\n${stdout}${stderr}`);
  return stdout;
}
