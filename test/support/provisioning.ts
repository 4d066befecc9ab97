import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBurgeeOrThrow, type Settings } from './burgee-command.ts';

export interface ProvisionedToken {
  readonly id: string;
  /** Null for a token that existed before this `apply`. */
  readonly secret: string | null;
}

export interface ProvisionedProject {
  readonly id: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly audiences: Readonly<Record<string, string>>;
  readonly tokens: Readonly<Record<string, ProvisionedToken>>;
}

/** The output of `burgee apply`: ids and, for new tokens, secrets, by name. */
export interface Provisioned {
  readonly projects: Readonly<Record<string, ProvisionedProject>>;
}

/** A larger file is applied each time: its store would take longer to copy. */
const keptBytesMax = 64 * 1024;
let storesOfProcess: string | null = null;

/** The folder with the stores of this run, by a hash of their files. The runner of all tests makes one for all processes. */
function storesFolder(): string {
  const given = process.env['BURGEE_TEST_STORES'];
  if (given !== undefined) return given;
  if (storesOfProcess === null) {
    const folder = mkdtempSync(join(tmpdir(), 'burgee-stores-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    storesOfProcess = folder;
  }
  return storesOfProcess;
}

/**
 * Provisions `document` in `dataDir`, offline or through the server that has it open. An empty directory gets a copy of
 * the store that the first such call of this run has made: most tests begin with one of a few files.
 */
export async function provision(
  dataDir: string,
  scratchDir: string,
  document: unknown,
  settings: Settings = {},
): Promise<Provisioned> {
  const file = JSON.stringify(document);
  const isEmpty = !existsSync(dataDir) || readdirSync(dataDir).length === 0;
  if (!isEmpty || file.length > keptBytesMax || Object.keys(settings).length > 0)
    return JSON.parse(await apply(file, dataDir, scratchDir, settings)) as Provisioned;
  const store = join(storesFolder(), createHash('sha256').update(file).digest('hex'));
  if (!existsSync(store)) await makeStore(store, file);
  cpSync(join(store, 'data'), dataDir, { recursive: true });
  return JSON.parse(readFileSync(join(store, 'applied.json'), 'utf8')) as Provisioned;
}

/** The store appears whole, by a rename: several test files may make it at once. */
async function makeStore(store: string, file: string): Promise<void> {
  const draft = mkdtempSync(`${store}.`);
  writeFileSync(join(draft, 'applied.json'), await apply(file, join(draft, 'data'), draft));
  try {
    renameSync(draft, store);
  } catch (fault) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(store)) throw fault;
  }
}

/** @returns what the command printed */
function apply(file: string, dataDir: string, scratchDir: string, settings: Settings = {}): Promise<string> {
  const path = join(scratchDir, 'provision.json');
  writeFileSync(path, file);
  return runBurgeeOrThrow(['apply', path, '--data-dir', dataDir], settings);
}

export function projectOf(provisioned: Provisioned, name: string): ProvisionedProject {
  const project = Object.hasOwn(provisioned.projects, name) ? provisioned.projects[name] : undefined;
  if (project === undefined) throw new Error(`no project ${name} was provisioned`);
  return project;
}

/** @returns the id of a provisioned flag or audience. */
export function idOf(ids: Readonly<Record<string, string>>, name: string): string {
  const id = Object.hasOwn(ids, name) ? ids[name] : undefined;
  if (id === undefined) throw new Error(`nothing called ${name} was provisioned`);
  return id;
}

export function tokenOf(project: ProvisionedProject, name: string): { id: string; secret: string } {
  const token = Object.hasOwn(project.tokens, name) ? project.tokens[name] : undefined;
  if (token === undefined || token.secret === null) throw new Error(`no token ${name} was provisioned`);
  return { id: token.id, secret: token.secret };
}
