import { createHash } from 'node:crypto';
import type { SyncSnapshot } from '../domain/sync/configuration.ts';
import { flagdConfiguration } from '../domain/sync/flagd-format.ts';
import type { SyncPosition } from '../domain/sync/sync-position.ts';
import { snapshotPieces } from '../streams/configuration.ts';
import type { Encoding, Environment, Making } from '../streams/environment.ts';
import type { PinnedState } from '../streams/store-watch.ts';
import { streamEvent } from '../streams/stream.ts';
import { mayFollow } from '../streams/sync-events.ts';
import { encodeConfiguration } from './sync-messages.ts';

/** The largest configuration, as a message. Most clients take 4 MiB unless they are configured otherwise. */
export const messageBytesMax = 16 * 1024 * 1024;
/** A client that has not taken a configuration after this time is cut off. */
export const takeMsMax = 60_000;

/**
 * Configurations in flagd's format: each event is the whole environment.
 * @param onTranslation receives how long it took to make one, in milliseconds
 */
export function flagdEvents(onTranslation: (ms: number) => void): Encoding {
  /** The last configuration of each environment that differs from the one before. */
  const last = new WeakMap<Environment, { readonly digest: string; readonly known: SyncPosition | null }>();
  return {
    kind: 'flagd',
    eventEveryMs: 0,
    stallMs: takeMsMax,
    hasDeltas: false,
    need: ({ history, version }, known) =>
      known?.history === history && known.number >= version ? null : 'configuration',
    *make(environment, _need, _known, state) {
      const startedAt = performance.now();
      const made = yield* makeConfiguration(environment, state);
      onTranslation(performance.now() - startedAt);
      if (typeof made === 'string') return made;
      const digest = createHash('sha1').update(made.bytes).digest('base64');
      const before = last.get(environment);
      if (before?.digest === digest) return { ...made, sameAs: before.known };
      last.set(environment, { digest, known: made.known });
      return made;
    },
    // gRPC has pings of its own.
    beat: () => null,
    check: mayFollow,
    farewell: () => null,
  };
}

function* makeConfiguration({ place, history, version }: Environment, state: PinnedState): Making {
  const read: Buffer[] = [];
  let bytes = 0;
  for (const piece of snapshotPieces(state, place, `${history}.${version}`)) {
    // Copied: a piece of bytes is valid until the next one.
    const chunk = Buffer.from(piece);
    read.push(chunk);
    bytes += chunk.length;
    if (bytes > messageBytesMax) return 'too-large';
    yield;
  }
  const snapshot = JSON.parse(Buffer.concat(read).toString()) as SyncSnapshot;
  const written: Buffer[] = [];
  bytes = 0;
  for (const piece of flagdConfiguration(snapshot)) {
    const chunk = Buffer.from(piece);
    written.push(chunk);
    bytes += chunk.length;
    if (bytes > messageBytesMax) return 'too-large';
    yield;
  }
  return streamEvent('configuration', encodeConfiguration(written), { history, number: state.number });
}
