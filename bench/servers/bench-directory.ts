import { type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from './at-exit.ts';
import { keepEnd } from './keep-end.ts';
import { mainProgram, ownEnvironment } from './programs.ts';
import { type ProvisionedPart, provisionDocuments } from './provision-file.ts';

/** A project's ids and secrets of tokens, by name, as `apply` printed them. */
export interface ProvisionedProject {
  readonly id: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly audiences: Readonly<Record<string, string>>;
  readonly tokens: Readonly<Record<string, { readonly id: string; readonly secret: string }>>;
}

export interface Provisioned {
  readonly projects: Readonly<Record<string, ProvisionedProject>>;
}

/** A data directory that can be served again and again, one server at a time. */
export interface BenchDirectory {
  readonly dataDir: string;
  readonly provisioned: Provisioned;
  /** Removes it. No server may be running on it. */
  remove(): void;
}

/**
 * Makes a fresh data directory and applies these projects to it. Without projects it stays empty, as before the first start.
 *
 * @param parent the folder that it is made in; the system's temporary folder, which may be in memory, unless given
 * @param program the Burgee that applies them; the bundle unless given
 */
export async function makeDirectory(
  projects: Iterable<ProvisionedPart>,
  parent = tmpdir(),
  program = mainProgram,
): Promise<BenchDirectory> {
  const directory = mkdtempSync(join(parent, 'burgee-bench-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  const kept = atExit(remove);
  const dataDir = join(directory, 'data');
  const list = [...projects];
  const removeNow = (): void => {
    kept();
    remove();
  };
  try {
    const provisioned =
      list.length === 0 ? { projects: {} } : await applyTo(directory, dataDir, list, program);
    return { dataDir, provisioned, remove: removeNow };
  } catch (fault) {
    removeNow();
    throw fault;
  }
}

/**
 * Copies the store to its own directory, so that several servers have the same ids. No server may be running on the original.
 */
export function copyDirectory({ dataDir, provisioned }: BenchDirectory, parent = tmpdir()): BenchDirectory {
  const directory = mkdtempSync(join(parent, 'burgee-bench-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  const kept = atExit(remove);
  const copy = join(directory, 'data');
  cpSync(dataDir, copy, { recursive: true });
  return {
    dataDir: copy,
    provisioned,
    remove: () => {
      kept();
      remove();
    },
  };
}

async function applyTo(
  directory: string,
  dataDir: string,
  projects: readonly ProvisionedPart[],
  program: string,
): Promise<Provisioned> {
  const file = join(directory, 'provision.json');
  const answer = join(directory, 'provisioned.json');
  const applied: Provisioned['projects'][] = [];
  for (const document of provisionDocuments(projects)) {
    writeFileSync(file, document, { mode: 0o600 });
    await runApply(program, ['apply', file, '--data-dir', dataDir], answer);
    applied.push((JSON.parse(readFileSync(answer, 'utf8')) as Provisioned).projects);
  }
  rmSync(file);
  rmSync(answer);
  return { projects: Object.assign({}, ...applied) };
}

/** The command's output goes to a file: it may be too long for a pipe's buffers. */
async function runApply(program: string, args: readonly string[], answerFile: string): Promise<void> {
  const answer = openSync(answerFile, 'w', 0o600);
  const stdio: StdioOptions = ['ignore', answer, 'pipe'];
  const child = spawn(process.execPath, [program, ...args], { stdio, env: ownEnvironment() });
  closeSync(answer);
  const outlived = atExit(() => child.kill('SIGKILL'));
  const errors = child.stderr === null ? () => '' : keepEnd(child.stderr);
  const [code] = await once(child, 'close');
  outlived();
  if (code !== 0) throw new Error(`burgee ${args.join(' ')} failed:\n${errors()}`);
}
