import { setTimeout } from 'node:timers/promises';
import { bootServer, unlimited } from '../../support/booted-server.ts';
import { expect } from '../../support/expectations.ts';
import { idOf, projectOf, provision, tokenOf } from '../../support/provisioning.ts';
import type { Random } from '../../support/random.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { storedBytes } from '../stored-bytes.ts';
import { getRequest, patchRequest, postRequest, WireConnection } from '../wire-connection.ts';
import type { Misuse } from './misuse.ts';

/** The longest list of a change, some 100 KB, which its record and its audit entry may hold twice. */
const itemsMax = 4000;
const largestChangeBytes = 400 * 1024;
/** Of what a server stores by itself, with pages that are split. */
const baseBytes = 512 * 1024;
/** Between changes of the other organisation, which take less than a page each. */
const quietPauseMs = 20;
const quietChangeBytes = 4096;
/** More changes than any quota of a case allows: each counts for some hundred bytes at least. */
const changesMax = 20_000;

interface Writer {
  readonly secret: string;
  readonly flagId: string;
}

interface Change {
  readonly request: string;
  /** Bytes that count at least: those of a new list, in the record and in the audit entry. */
  readonly leastBytes: number;
}

/** A change of any size, some of which change nothing. @param prefix of another list than all others */
function changeOf(random: Random, { secret, flagId }: Writer, prefix: string): Change {
  const path = `/api/v1/flags/${flagId}`;
  const kind = random.pick(['percentage', 'flag', 'list', 'list']);
  if (kind === 'percentage') {
    const request = patchRequest(path, secret, { trafficPercentage: random.integer(0, 100) });
    return { request, leastBytes: 0 };
  }
  if (kind === 'flag') {
    const name = `flag ${random.integer(0, 1e9)}`;
    return { request: postRequest('/api/v1/flags', { name }, secret), leastBytes: 0 };
  }
  const items = random.pick([1, 30, itemsMax / 10, itemsMax]);
  const cohorts = Array.from({ length: items }, (_, at) => `${prefix} ${String(at).padStart(16, '0')}`);
  return { request: patchRequest(path, secret, { cohorts }), leastBytes: 2 * cohorts.join('').length };
}

/**
 * Tokens of an organisation write until its quota of a day is used, on several connections at once. The store has not
 * grown by more than the quota allows, another organisation is never refused, and `kill -9` does not reset the count.
 */
export const usedQuotas: Misuse = async (t, random) => {
  const dataDir = temporaryDirectory(t);
  const project = (name: string): object => ({
    name,
    flags: [{ name: 'flag' }],
    tokens: [{ name: 'ci', permission: 'write' }],
  });
  const organisation = (name: string, ...projects: readonly string[]): object => ({
    name,
    plan: 'enterprise',
    projects: projects.map(project),
  });
  const document = { organisations: [organisation('Hostile', 'one', 'two'), organisation('Quiet', 'quiet')] };
  const provisioned = await provision(dataDir, temporaryDirectory(t), document);
  const [one, two, quiet] = ['one', 'two', 'quiet'].map((name): Writer => {
    const found = projectOf(provisioned, name);
    return { secret: tokenOf(found, 'ci').secret, flagId: idOf(found.flags, 'flag') };
  }) as [Writer, Writer, Writer];
  const quotaBytes = random.pick([20, 200, 2000, 8000]) * 1024;
  const settings = { ...unlimited, BURGEE_WRITTEN_BYTES_PER_DAY_MAX: String(quotaBytes) };
  const storedBefore = storedBytes(dataDir);
  let server = await bootServer(t, { dataDir, settings });
  let changes = 0;
  let writtenBytes = 0;

  const askQuiet = async (connection: WireConnection, turn: number): Promise<void> => {
    const { status, body } = await connection.ask(
      patchRequest(`/api/v1/flags/${quiet.flagId}`, quiet.secret, { trafficPercentage: turn % 100 }),
    );
    expect(status === 200, `the other organisation's change ${turn}: ${status} ${body}`);
  };
  /** Until the quota is used. */
  const write = async (writer: Writer, index: number): Promise<void> => {
    const connection = await WireConnection.open(server.port);
    t.teardown(() => connection.destroy());
    for (let turn = 0; turn < changesMax; turn += 1) {
      const { request, leastBytes } = changeOf(random, writer, `${index} ${turn}`);
      const { status, body } = await connection.ask(request);
      changes += 1;
      if (status === 429) {
        expect(body.includes('Write quota reached'), `change ${turn}: ${body}`);
        return;
      }
      expect(status === 200 || status === 201, `change ${turn}: ${status} ${body}`);
      writtenBytes += leastBytes;
    }
    throw new Error(`${changesMax} changes were within a quota of ${quotaBytes} bytes`);
  };

  const writers = Array.from({ length: random.integer(1, 6) }, () => random.pick([one, two]));
  let isOver = false;
  const beside = (async () => {
    const connection = await WireConnection.open(server.port);
    t.teardown(() => connection.destroy());
    let turn = 0;
    for (; !isOver || turn === 0; turn += 1) {
      await askQuiet(connection, turn);
      await setTimeout(quietPauseMs);
    }
    return turn;
  })();
  beside.catch(() => undefined);
  await Promise.all(writers.map(write));
  isOver = true;
  const quietChanges = await beside;

  const isKilled = random.chance(0.5);
  if (isKilled) {
    server.signal('SIGKILL');
    await server.ended;
    server = await bootServer(t, { dataDir, settings });
  }
  const connection = await WireConnection.open(server.port);
  t.teardown(() => connection.destroy());
  for (const { secret, flagId } of [one, two]) {
    const path = `/api/v1/flags/${flagId}`;
    const refused = await connection.ask(patchRequest(path, secret, { cohorts: ['of no change'] }));
    expect(refused.status === 429, `${isKilled ? 'after kill -9' : 'afterwards'}: ${refused.status}`);
    const read = await connection.ask(getRequest(path, secret));
    expect(read.status === 200, `a flag is read: ${read.status}`);
  }
  await askQuiet(connection, quietChanges);
  await server.stop();
  const text = `with a quota of ${quotaBytes} bytes, ${changes} changes`;
  expect(writtenBytes <= quotaBytes + largestChangeBytes, `${text} had lists of ${writtenBytes} bytes`);
  const allowed = quotaBytes + largestChangeBytes + quietChanges * quietChangeBytes + baseBytes;
  const grown = storedBytes(dataDir) - storedBefore;
  expect(grown <= allowed, `${text} stored ${grown} bytes`);
  return changes;
};
