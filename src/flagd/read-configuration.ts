import type { SyncAudience, SyncFlag } from '../domain/sync/configuration.ts';
import { flagdConfiguration } from '../domain/sync/flagd-format.ts';
import { jsonPieces } from '../support/packed-json.ts';
import type { Steps } from '../support/steps.ts';
import type { PinnedState } from '../worker/sync/settled-state.ts';
import { type SyncedEnvironment, shownAudiences, shownFlags } from '../worker/sync/sync-content.ts';

/** The largest configuration, as a message. Most clients take 4 MiB unless they are told otherwise. */
export const messageBytesMax = 16 * 1024 * 1024;

/**
 * Reads the environment as sync does, and writes it in flagd's format: a flag or an audience at a time, so that no step is
 * longer than the largest of them needs.
 * @returns its JSON in UTF-8; `too-large`: it is longer than `messageBytesMax`
 */
export function* readConfiguration(
  state: PinnedState,
  place: SyncedEnvironment,
  version: string,
): Steps<readonly Uint8Array[] | 'too-large'> {
  const read = new BoundedBytes();
  const applied = new Set<string>();
  const flags = yield* unpack<SyncFlag>(shownFlags(state, place, applied), read);
  const audiences = flags && (yield* unpack<SyncAudience>(shownAudiences(state, applied), read));
  if (flags === null || audiences === null) return 'too-large';
  const { projectId, name: environment } = place;
  const written = new BoundedBytes();
  const chunks: Uint8Array[] = [];
  for (const piece of flagdConfiguration({ version, projectId, environment, flags, audiences })) {
    const chunk = Buffer.from(piece);
    if (!written.add(chunk)) return 'too-large';
    chunks.push(chunk);
    yield;
  }
  return chunks;
}

/** Makes plain values of packed ones. @returns null when they have too many bytes */
function* unpack<T>(shown: Iterable<object | string>, read: BoundedBytes): Steps<readonly T[] | null> {
  const values: T[] = [];
  for (const value of shown) {
    yield;
    if (typeof value === 'string') continue;
    const chunks: Uint8Array[] = [];
    for (const piece of jsonPieces(value)) {
      // Copied: a piece of bytes is valid until the next one is asked for.
      const chunk = Buffer.from(piece);
      if (!read.add(chunk)) return null;
      chunks.push(chunk);
      yield;
    }
    values.push(JSON.parse(Buffer.concat(chunks).toString()) as T);
  }
  return values;
}

class BoundedBytes {
  #bytes = 0;

  /** @returns whether they are not too many yet */
  add(chunk: Uint8Array): boolean {
    this.#bytes += chunk.length;
    return this.#bytes <= messageBytesMax;
  }
}
