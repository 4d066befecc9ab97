import { sequenceOf } from '../../../src/storage/keys/key-parts.ts';
import { RecordSource } from '../../../src/storage/record-source.ts';
import { hashState, type StateEntry, stateOf } from '../../../src/storage/replica/state.ts';
import { Snapshots } from '../../../src/storage/snapshots.ts';
import { openForReading } from '../../../src/storage/store-opening.ts';
import {
  auditRecord,
  chainHash,
  chainStart,
  decodeAuditEntry,
} from '../../../src/storage/tables/audit-record.ts';
import { expect } from '../../support/expectations.ts';
import type { ClusterLoad } from './cluster-load.ts';
import type { ClusterStage, NodePlace } from './cluster-stage.ts';

/** Every change that was acknowledged, or said to be stored, is on every node; none that was refused is anywhere. */
export async function judgeNodes(stage: ClusterStage, load: ClusterLoad): Promise<string[]> {
  const wrong: string[] = [];
  for (const place of stage.places) {
    if (place.server === null) continue;
    wrong.push(...(await judgeFlags(stage, load, place)), ...(await judgeNames(stage, load, place)));
    for (const { secret } of load.revoked) {
      const { status } = await ask(place, `/api/v1/flags/${stage.flags[0]}`, secret);
      if (status !== 401) wrong.push(`${place.name} answers a revoked token ${status}`);
    }
  }
  return wrong;
}

async function judgeFlags(stage: ClusterStage, load: ClusterLoad, place: NodePlace): Promise<string[]> {
  const wrong: string[] = [];
  for (const { id, sent, stored, isUncertain, isLost } of load.flags) {
    const { status, text } = await ask(place, `/api/v1/flags/${id}`, stage.secret);
    const { cohorts } = JSON.parse(text) as { cohorts?: readonly string[] };
    const shown = Number(cohorts?.[0]?.slice(1));
    const isOneOfLost = isLost && shown >= stored && shown <= sent;
    const isRight = shown === stored || isOneOfLost || (isUncertain && shown === sent);
    if (status !== 200 || !isRight)
      wrong.push(
        `${place.name} has ${id} at ${shown} (${status}); stored ${stored}, sent ${sent}${isUncertain ? ', uncertain' : ''}${isLost ? ', lost' : ''}`,
      );
  }
  return wrong;
}

async function judgeNames(stage: ClusterStage, load: ClusterLoad, place: NodePlace): Promise<string[]> {
  const wrong: string[] = [];
  const counts = new Map<string, number>();
  const { text } = await ask(place, '/api/v1/flags', stage.secret);
  const { flags } = JSON.parse(text) as { flags: readonly { name: string }[] };
  for (const { name } of flags) counts.set(name, (counts.get(name) ?? 0) + 1);
  const { acknowledged, stored, refused } = load.created;
  for (const name of [...acknowledged, ...stored])
    if (counts.get(name) !== 1) wrong.push(`${place.name} has ${name} ${counts.get(name) ?? 0} times`);
  for (const name of refused)
    if (counts.has(name)) wrong.push(`${place.name} has ${name}, which was refused`);
  for (const [name, count] of counts) if (count > 1) wrong.push(`${place.name} has ${name} ${count} times`);
  return wrong;
}

async function ask(
  { server, name }: NodePlace,
  path: string,
  secret: string,
): Promise<{ status: number; text: string }> {
  const headers = { Authorization: `Bearer ${secret}` };
  for (let tries = 0; ; tries += 1) {
    const answer = await fetch(`http://127.0.0.1:${server?.port}${path}`, { headers });
    const text = await answer.text();
    // A node that has a lease may lose it for a moment on a busy machine.
    if (answer.status !== 503) return { status: answer.status, text };
    expect(tries < 100, `${name} answers ${path}: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** PostgreSQL's log has no gap, and what it holds is what every directory holds. Nothing serves them any more. */
export async function judgeStores(stage: ClusterStage): Promise<string[]> {
  const wrong: string[] = [];
  const [head] = await stage.ask<{ position: string; kept_from: string }>(
    'select position, kept_from from burgee.head',
  );
  const [log] = await stage.ask<{ count: string; first: string; last: string }>(
    'select count(distinct position) as count, min(position) as first, max(position) as last from burgee.log',
  );
  const { count, first, last } = log ?? { count: '0', first: '0', last: '0' };
  if (Number(count) !== Number(last) - Number(first) + 1 || last !== head?.position)
    wrong.push(`the log has ${count} positions from ${first} to ${last}, and the head is ${head?.position}`);
  const records = await stage.ask<{ database: string; key: Buffer; value: Buffer }>(
    'select database, key, value from burgee.record order by database, key',
  );
  const hashes = new Map<string, string[]>();
  for (const { name, dataDir } of stage.places) {
    const { sha256, entries } = readDirectory(dataDir);
    hashes.set(sha256, [...(hashes.get(sha256) ?? []), name]);
    const same =
      entries.length === records.length && entries.every((entry, at) => isSame(entry, records[at]));
    wrong.push(...brokenChains(entries).map((fault) => `${name}: ${fault}`));
    if (!same)
      wrong.push(`${name} has ${entries.length} entries that differ from PostgreSQL's ${records.length}`);
  }
  if (hashes.size > 1) wrong.push(`the nodes hold different states: ${JSON.stringify([...hashes.values()])}`);
  return wrong;
}

/** Of each ledger's audit log, in the order of its sequence: no entry is missing, and each continues the one before. */
function brokenChains(entries: readonly StateEntry[]): string[] {
  const heads = new Map<string, { readonly sequence: number; readonly hash: Uint8Array }>();
  const wrong: string[] = [];
  for (const { database, key, value } of entries) {
    if (database !== 'audit') continue;
    const { previousHash, hash, encodedEntry } = auditRecord.decode(key, value);
    const { ledgerId } = decodeAuditEntry(encodedEntry);
    const head = heads.get(ledgerId) ?? { sequence: 0, hash: chainStart };
    const sequence = sequenceOf(key);
    const isNext = sequence === head.sequence + 1 && Buffer.compare(previousHash, head.hash) === 0;
    const isWhole = Buffer.compare(chainHash(previousHash, encodedEntry), hash) === 0;
    if (!isNext || !isWhole)
      wrong.push(`entry ${sequence} of ledger ${ledgerId} does not follow entry ${head.sequence}`);
    heads.set(ledgerId, { sequence, hash });
  }
  return wrong;
}

function readDirectory(directory: string): { sha256: string; entries: StateEntry[] } {
  const opened = openForReading({ directory, mapBytes: 2 ** 30 });
  const snapshots = new Snapshots(opened.root);
  try {
    const source = new RecordSource(opened.databases, snapshots);
    const entries = [...stateOf(source)].map(({ database, key, value }) => ({
      ...{ database, key: Buffer.from(key), value: Buffer.from(value) },
    }));
    return { sha256: hashState(source).sha256, entries };
  } finally {
    snapshots.close();
    void opened.close();
  }
}

function isSame(
  entry: StateEntry,
  record: { database: string; key: Buffer; value: Buffer } | undefined,
): boolean {
  if (record === undefined) return false;
  return (
    record.database === entry.database && record.key.equals(entry.key) && record.value.equals(entry.value)
  );
}
