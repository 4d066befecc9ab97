import { setImmediate } from 'node:timers/promises';
import type { Random } from '../../support/random.ts';
import type { RawConnection } from '../../support/raw-request.ts';

const fragmentsMax = 8;

/** Cuts bytes at random places, few or many, and sometimes within a line's end. */
export function cutAtRandom(bytes: Buffer, random: Random): Buffer[] {
  const cuts = new Set<number>();
  const wanted = random.integer(1, Math.min(fragmentsMax, bytes.length - 1));
  for (let attempt = 0; attempt < wanted; attempt += 1) cuts.add(random.integer(1, bytes.length - 1));
  const lineEnd = bytes.indexOf('\r\n');
  if (lineEnd >= 0 && lineEnd + 1 < bytes.length && random.chance(0.5)) cuts.add(lineEnd + 1);
  const places = [0, ...[...cuts].sort((left, right) => left - right), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

/** Writes one piece after another, each in its own event-loop turn at least. */
export async function writePieces(connection: RawConnection, pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    connection.write(piece);
    await setImmediate();
    await setImmediate();
  }
}
