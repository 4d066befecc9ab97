import type { Test } from 'tap';
import { type BootedServer, bootServer } from '../support/booted-server.ts';
import type { Settings } from '../support/burgee-command.ts';
import { provision } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ConsoleClient } from './console-client.ts';

export const password = 'correct horse battery';

export interface DeclaredPerson {
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly password?: string;
}

export function person(role: string, organisation = 'acme'): DeclaredPerson {
  return { name: `${role} of ${organisation}`, email: `${role}@${organisation}.example`, role, password };
}

export const roles = ['viewer', 'editor', 'admin', 'owner'] as const;

/** Two organisations with a member of each role and a project each. */
export const twoOrganisations = {
  organisations: ['acme', 'other'].map((name) => ({
    name,
    plan: 'enterprise',
    members: roles.map((role) => person(role, name)),
    projects: [
      {
        name: `shop of ${name}`,
        environments: ['production', 'staging'],
        audiences: [{ name: 'Pro', rules: [{ attribute: 'plan', values: ['pro'] }] }],
        flags: [{ name: 'checkout' }],
        tokens: [{ name: 'ci', permission: 'write' }],
      },
    ],
  })),
};

export async function bootConsole(
  t: Test,
  document: unknown = twoOrganisations,
  settings: Settings = {},
): Promise<BootedServer> {
  const dataDir = temporaryDirectory(t);
  await provision(dataDir, temporaryDirectory(t), document);
  return bootServer(t, { dataDir, settings });
}

export async function signInAs(
  t: Test,
  server: BootedServer,
  email: string,
  secret: string = password,
): Promise<ConsoleClient> {
  const client = new ConsoleClient(t, { port: server.port });
  const answer = await client.send('POST', '/session', { email, password: secret });
  if (answer.status !== 200) throw new Error(`${email} cannot sign in: ${answer.text}`);
  return client;
}

/** @returns the secret in the fragment of a link */
export function secretIn(url: string): string {
  return url.split('#')[1] ?? '';
}
