import { get, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { bearer } from '../support/http-client.ts';

const pauseMs = 100;
/** Longer than the service waits for a client that reads nothing. */
const unreadMs = 40_000;
const bytesBetweenPauses = 128 * 1024;

function askForList(port: number, secret: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/api/v1/flags', headers: bearer(secret), agent: false };
    get(options, resolve).on('error', reject);
  });
}

/** Reads a long list for seconds, during which its snapshot is kept. @returns how many flags it has */
export async function readListSlowly(port: number, secret: string): Promise<number> {
  const response = await askForList(port, secret);
  const pieces: Buffer[] = [];
  let sincePause = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece);
    sincePause += piece.length;
    if (sincePause < bytesBetweenPauses) continue;
    sincePause = 0;
    await setTimeout(pauseMs);
  }
  const { flags } = JSON.parse(Buffer.concat(pieces).toString()) as { flags: readonly unknown[] };
  return flags.length;
}

/**
 * Requests a long list and reads nothing of it. The service drops it after half a minute at the latest.
 * @returns whether the answer was cut
 */
export async function neverReads(port: number, secret: string, isOver: () => boolean): Promise<boolean> {
  const response = await askForList(port, secret);
  response.on('error', () => undefined);
  response.pause();
  const startedAt = performance.now();
  while (!isOver() && performance.now() - startedAt < unreadMs) await setTimeout(pauseMs);
  if (isOver()) {
    response.destroy();
    return false;
  }
  response.resume();
  await new Promise((resolve) => response.once('close', resolve));
  return !response.complete;
}
