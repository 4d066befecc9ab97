import { writeFileSync } from 'node:fs';
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

/** Provisions `document` in `dataDir`, offline or through the server that has it open. */
export async function provision(
  dataDir: string,
  scratchDir: string,
  document: unknown,
  settings: Settings = {},
): Promise<Provisioned> {
  const file = join(scratchDir, 'provision.json');
  writeFileSync(file, JSON.stringify(document));
  const printed = await runBurgeeOrThrow(['apply', file, '--data-dir', dataDir], settings);
  return JSON.parse(printed) as Provisioned;
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
