import { Client } from 'pg';
import { newId } from '../../../src/support/random-id.ts';
import type { Lifetime } from '../lifetime.ts';
import { findPostgres } from './postgres-binaries.ts';
import { startPostgres } from './postgres-server.ts';

/** A database for the tests of a file. Each test takes a schema of its own, which costs nothing. */
export interface TestDatabase {
  /** Of a superuser. */
  readonly url: string;
  /** @returns a name that no other test of this file has */
  freshSchema(): string;
}

/** A server that somebody started, by a superuser's URL: its tests then start none of their own. */
const given = process.env['BURGEE_TEST_POSTGRES'];

/** @returns for the options of tests that need a database: false, or why they are skipped */
export function databaseSkip(): string | false {
  return given === undefined ? findPostgres().skip : false;
}

/** Opens a database, which is gone when the test ends. */
export async function openTestDatabase(t: Lifetime): Promise<TestDatabase> {
  let count = 0;
  const freshSchema = (): string => `test_${++count}`;
  if (given !== undefined) return { url: await createDatabase(t, given), freshSchema };
  const { binaries, skip } = findPostgres();
  if (binaries === null) throw new Error(String(skip));
  const server = await startPostgres(t, binaries);
  return { url: server.url(), freshSchema };
}

async function createDatabase(t: Lifetime, superuser: string): Promise<string> {
  const name = `burgee_test_${newId().toLowerCase()}`;
  const ask = async (statement: string): Promise<void> => {
    const client = new Client(superuser);
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await ask(`create database ${name}`);
  t.teardown(() => ask(`drop database ${name} with (force)`));
  const url = new URL(superuser);
  url.pathname = `/${name}`;
  return url.href;
}
