import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from './repository-root.ts';

/** `BURGEE_*` variables for one process; everything else of the caller's environment stays, its `BURGEE_*` do not. */
export type Settings = Readonly<Record<string, string>>;

export interface CommandResult {
  /** Exit code; null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Starts `scripts/burgee` with the given arguments: the process itself, so its pid is the one to signal.
 * @param before a program that becomes what it is given, as `prlimit` does, and its options
 */
export function spawnBurgee(
  arguments_: readonly string[],
  settings: Settings = {},
  before: readonly string[] = [],
): ChildProcessWithoutNullStreams {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(BURGEE_|TAP|NODE_V8)/.test(name));
  const env = { ...Object.fromEntries(inherited), ...settings };
  const [program = '', ...rest] = [...before, join(repositoryRoot(), 'scripts', 'burgee'), ...arguments_];
  return spawn(program, rest, { env, cwd: repositoryRoot() });
}

/** Runs a command to its end. */
export async function runBurgee(
  arguments_: readonly string[],
  settings: Settings = {},
): Promise<CommandResult> {
  return finishCommand(spawnBurgee(arguments_, settings));
}

/** Gives it no input. @returns what it wrote until its end */
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

/** Runs a command that must succeed. @throws with what it wrote when it does not exit 0. */
export async function runBurgeeOrThrow(arguments_: readonly string[], settings?: Settings): Promise<string> {
  const { code, stdout, stderr } = await runBurgee(arguments_, settings);
  if (code !== 0) throw new Error(`burgee ${arguments_.join(' ')}: exit ${code}\n${stdout}${stderr}`);
  return stdout;
}
