import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../support/repository-root.ts';
import type { Language, Step } from './language.ts';

const sources = join(repositoryRoot(), 'test', 'providers');
/** Git ignores it. What is installed stays there for the next run. */
const installed = join(repositoryRoot(), '.providers');
const stampName = '.installed';
const stepTimeoutMs = 10 * 60_000;
/** How much of a failed step's output an error shows, in characters. */
const outputCharsMax = 4_000;

/** @returns why a language cannot be tried here: the tools that this machine lacks; null if it has all */
export function missingTools({ tools }: Language): string | null {
  const missing = tools.filter(([command, ...args]) => spawnSync(command, args).status !== 0);
  return missing.length === 0 ? null : `not found: ${missing.map((step) => step.join(' ')).join(', ')}`;
}

/** Whether the language's folder, its tools and the files that its steps install are those of the last installation. */
export function isInstalled(language: Language): boolean {
  const stamp = join(installed, language.name, stampName);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === stampOf(language);
}

/**
 * Copies a language's folder into `.providers` and runs its steps there, unless that was done before.
 *
 * @returns the installed folder
 * @throws Error with the end of the output of a step that fails or takes more than 10 minutes
 */
export async function install(language: Language, note: (line: string) => void): Promise<string> {
  const folder = join(installed, language.name);
  if (isInstalled(language)) return folder;
  mkdirSync(folder, { recursive: true });
  const left = readdirSync(folder).filter((name) => !language.caches?.includes(name));
  for (const name of left) rmSync(join(folder, name), { recursive: true });
  cpSync(join(sources, language.name), folder, { recursive: true });
  for (const step of language.steps) {
    const startedAt = performance.now();
    note(`${language.name}: ${step.join(' ')} ...`);
    await runStep(step, folder);
    note(`${language.name}: done in ${Math.round((performance.now() - startedAt) / 1000)} s`);
  }
  writeFileSync(join(folder, stampName), stampOf(language));
  return folder;
}

function stampOf({ name, tools, steps, inputs = [] }: Language): string {
  const hash = createHash('sha256').update(JSON.stringify(steps));
  for (const [command, ...args] of tools) hash.update(spawnSync(command, args).stdout);
  for (const path of [join(sources, name), ...inputs.map((input) => join(repositoryRoot(), input))])
    for (const file of filesBelow(path)) hash.update(file).update(readFileSync(file));
  return hash.digest('hex');
}

/** In the order of their paths. @param path a folder or a file */
function filesBelow(path: string): readonly string[] {
  if (statSync(path).isFile()) return [path];
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  return files.map((file) => join(file.parentPath, file.name)).sort();
}

/** Its output is shown only when it fails. */
async function runStep([command, ...args]: Step, cwd: string): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: stepTimeoutMs });
  let output = '';
  const take = (text: string): void => {
    output = (output + text).slice(-outputCharsMax);
  };
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  const [code, signal] = await once(child, 'close');
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${code ?? signal}:\n${output.trim()}`);
}
