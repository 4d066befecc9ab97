import { get, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { auditEntryOf } from '../storage/support/records.ts';
import { type BootedServer, bootServer } from '../support/booted-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { ConsoleClient } from './console-client.ts';
import { PreparedStore } from './prepared-store.ts';

/* Programs read an export line by line: it has its rows and nothing else, also for a slow reader. */
t.setTimeout(180_000);

const answerAgeMaxMs = 30_000;
const entriesTotal = 30_000;
/** Long, so that the answer is far larger than the sockets' buffers. */
const name = 'n'.repeat(600);

async function bootWithLog(t: Test): Promise<{ server: BootedServer; client: ConsoleClient }> {
  const dataDir = temporaryDirectory(t);
  const prepared = new PreparedStore();
  const owner = prepared.addMember('owner');
  const entries = Array.from({ length: entriesTotal }, (_, at) =>
    auditEntryOf(prepared.organisation.id, { at: at + 1, targetName: `${name}${at + 1}` }),
  );
  prepared.add(entries.map((entry) => ({ kind: 'audit', entry }) as const));
  await prepared.write(dataDir);
  const server = await bootServer(t, { dataDir });
  return { server, client: prepared.client(t, server.port, owner) };
}

function ask(client: ConsoleClient, format: string): Promise<IncomingMessage> {
  const cookie = [...client.cookies].map((pair) => pair.join('=')).join('; ');
  const path = `/console/api/audit/export?format=${format}`;
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port: client.port, path, headers: { cookie } }, resolve).on('error', reject);
  });
}

/** Reads pieces with pauses, which make the reader slow. */
async function readSlowly(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let sincePause = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece);
    sincePause += piece.length;
    if (sincePause < 256 * 1024) continue;
    sincePause = 0;
    await setTimeout(20);
  }
  return Buffer.concat(pieces).toString();
}

const lineEnds = { csv: '\r\n', ndjson: '\n' } as const;

t.test('an export for a slow reader has its rows and no blank line', async (t) => {
  const { server, client } = await bootWithLog(t);
  for (const format of ['csv', 'ndjson'] as const) {
    const text = await readSlowly(await ask(client, format));
    const lines = text.split(lineEnds[format]);
    t.equal(lines.pop(), '', `${format} ends with its last row`);
    // CSV has a head; the second export has the entry of the first one.
    t.equal(lines.length, entriesTotal + 1);
    t.notOk(
      lines.some((line) => line.trim() === '' || line.startsWith('\n')),
      `${format} has no blank line`,
    );
    t.match(lines.at(-1), `${name}1`, `${format} goes back to the first entry`);
  }
  await server.stop();
});

t.test('an export that takes too long is cut off, so that it does not look complete', async (t) => {
  const { server, client } = await bootWithLog(t);
  const response = await ask(client, 'csv');
  const ended = new Promise<string>((resolve) => {
    response.on('end', () => resolve('ended')).on('error', (fault) => resolve(fault.message));
  });
  // Longer than an export may take.
  await setTimeout(answerAgeMaxMs + 2000);
  response.resume();
  t.equal(await ended, 'aborted');
  t.notOk(response.complete);
  await server.stop();
});
