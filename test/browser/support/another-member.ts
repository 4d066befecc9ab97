import type { Test } from 'tap';
import { ConsoleClient } from '../../console/console-client.ts';
import { provision } from './provision.ts';

export const shopAdmin = {
  name: 'Ada Admin',
  email: 'ada@example.test',
  password: 'a password of an admin',
  role: 'admin',
};
const shop = { name: 'shop', environments: ['production'], flags: [{ name: 'checkout' }] };
/** A project with a flag, its Owner, and an Admin. */
export const prepareShop = provision(shop, { members: [shopAdmin] });

export interface AnotherMember {
  /** @returns the answer, which must be 2xx. @param path below `/console/api`; `{project}` is the first project's id */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads answers of any shape
  ask(method: string, path: string, body?: unknown): Promise<any>;
  /** Creates a flag. @param place of the project among all, in the order of their names */
  create(name: string, place?: number): Promise<void>;
}

/** Another member, who changes things without a browser: the Admin, unless given. */
export async function anotherMember(
  t: Test,
  port: number,
  { email, password }: { readonly email: string; readonly password: string } = shopAdmin,
): Promise<AnotherMember> {
  const client = new ConsoleClient(t, { port });
  const ask: AnotherMember['ask'] = async (method, path, body) => {
    const { status, text } = await client.send(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
  await ask('POST', '/session', { email, password });
  const { projects } = await ask('GET', '/projects');
  return {
    ask: (method, path, body) => ask(method, path.replace('{project}', projects[0].id), body),
    create: async (name, place = 0) => {
      await ask('POST', `/projects/${projects[place].id}/flags`, { name });
    },
  };
}
