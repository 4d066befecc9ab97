import { maySyncOn } from '../domain/sync/sync-guard.ts';
import { formatSyncPosition, type SyncPosition } from '../domain/sync/sync-position.ts';
import { tokenStatus } from '../domain/token/token.ts';
import { deltaPieces, snapshotPieces } from './configuration.ts';
import { type Encoding, type Environment, type Making, snapshotNeed } from './environment.ts';
import { existsIn } from './environment-exists.ts';
import type { PinnedState } from './store-watch.ts';
import { httpStallMs, type Stream, type StreamEnd, streamEvent } from './stream.ts';

/** When the service stops, its clients reconnect after a random time between these. */
const goodbye = { leastMs: 1000, mostMs: 10_000 };

/** Events of sync (docs/api.md): what changed since the client's version, or the whole configuration. */
export const syncEvents: Encoding = {
  kind: 'sync',
  eventEveryMs: 0,
  stallMs: httpStallMs,
  hasDeltas: true,
  need: ({ history, version, changes, watch }, known) => {
    if (known === null || known.history !== history || known.number > watch.state.number) return snapshotNeed;
    if (known.number >= version) return null;
    if (changes?.reaches(known.number)) return `after ${changes.firstAfter(known.number)}`;
    return changes?.mayReach(known.number) ? `since ${known.number}` : snapshotNeed;
  },
  make,
  beat: ({ watch, history, version }, stream) => {
    const { known } = stream;
    if (known === null) return null;
    // The commits since the environment's last change were of other environments.
    if (known.history === history && known.number >= version) {
      stream.known = { history, number: watch.state.number };
    }
    const text = formatSyncPosition(stream.known ?? known);
    return shortEvent('beat', text, { version: text });
  },
  check: mayFollow,
  farewell: ({ known }, reason) => {
    if (reason !== 'drain' && reason !== 'detached') return null;
    const retryAfterMs = Math.round(goodbye.leastMs + Math.random() * (goodbye.mostMs - goodbye.leastMs));
    return shortEvent('goodbye', known === null ? null : formatSyncPosition(known), { retryAfterMs });
  },
};

function* make(
  { changes, place, history, version }: Environment,
  need: string,
  known: SyncPosition | null,
  state: PinnedState,
): Making {
  const isDelta = need !== snapshotNeed && known !== null && changes?.reaches(known.number) === true;
  const name = isDelta ? 'delta' : 'snapshot';
  const text = formatSyncPosition({ history, number: version });
  const pieces = isDelta
    ? deltaPieces(state, place, text, changes.after(known.number))
    : snapshotPieces(state, place, text);
  const chunks = [Buffer.from(eventHead(name, text))];
  for (const piece of pieces) {
    // Copied: a piece of bytes is valid until the next one.
    chunks.push(Buffer.from(piece));
    yield;
  }
  chunks.push(Buffer.from('\n\n'));
  return streamEvent(name, Buffer.concat(chunks), { history, number: state.number });
}

/** @param id as text; null: the client has none yet, and an empty `id` would make it forget its own */
function eventHead(event: string, id: string | null): string {
  return `${id === null ? '' : `id: ${id}\n`}event: ${event}\ndata: `;
}

function shortEvent(event: 'beat' | 'goodbye', id: string | null, data: object): Uint8Array {
  return Buffer.from(`${eventHead(event, id)}${JSON.stringify(data)}\n\n`);
}

/** Whether the token still permits the environment, and the environment is still there under its name. */
export function mayFollow({ place, watch }: Environment, { tokenId }: Stream): StreamEnd | null {
  const { queries } = watch.state.snapshot;
  const now = Date.now();
  const token = tokenId === null ? undefined : queries.token(tokenId);
  if (!maySyncOn(token, (one) => tokenStatus(one, now) === 'active', place.name)) return 'token';
  return existsIn(queries.project(place.projectId), place) ? null : 'environment';
}
