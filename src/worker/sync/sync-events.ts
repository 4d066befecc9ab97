import type { SyncBeat, SyncGoodbye } from '../../domain/sync/configuration.ts';

/** The kinds of event on a stream. */
export const syncEvents = ['snapshot', 'delta', 'beat', 'goodbye'] as const;
export type SyncEvent = (typeof syncEvents)[number];

/** A message of so many bytes is written at once; a longer one in chunks, no faster than its client reads. */
export const atOnceBytesMax = 16 * 1024;
/** Bytes of a chunk. */
const chunkBytes = 64 * 1024;
/** A longer message is not kept for all streams that need it: each makes its own while it sends it. */
export const keptBytesMax = 512 * 1024;

/** An event as it is sent to all streams that need it. */
export interface SyncMessage {
  readonly event: SyncEvent;
  /** What its client knows when it has received it: every change up to this number. */
  readonly history: string;
  readonly number: number;
  readonly chunks: readonly Uint8Array[];
  readonly bytes: number;
}

const encoder = new TextEncoder();

/**
 * The lines of an event before its data.
 *
 * @param position as text; null: the client was told of none yet, and an empty `id` would make it forget its own
 */
export function eventHead(event: SyncEvent, position: string | null): string {
  const id = position === null ? '' : `id: ${position}\n`;
  return `${id}event: ${event}\ndata: `;
}

export const eventEnd = '\n\n';

/** An event whose data is short. */
export function shortEvent(
  event: 'beat' | 'goodbye',
  position: string | null,
  data: SyncBeat | SyncGoodbye,
): Uint8Array {
  return encoder.encode(`${eventHead(event, position)}${JSON.stringify(data)}${eventEnd}`);
}

/** Gathers pieces into chunks. */
export class ChunkList {
  readonly chunks: Uint8Array[] = [];
  bytes = 0;
  #open: Buffer | null = null;
  #filled = 0;

  add(piece: string | Uint8Array): void {
    let rest = typeof piece === 'string' ? Buffer.from(piece) : piece;
    while (rest.length > 0) {
      this.#open ??= Buffer.allocUnsafeSlow(chunkBytes);
      const part = rest.subarray(0, chunkBytes - this.#filled);
      this.#open.set(part, this.#filled);
      this.#filled += part.length;
      this.bytes += part.length;
      rest = rest.subarray(part.length);
      if (this.#filled === chunkBytes) this.#close();
    }
  }

  /** No more pieces come. */
  finish(): readonly Uint8Array[] {
    this.#close();
    return this.chunks;
  }

  #close(): void {
    // A copy: what is kept has no more memory than it needs.
    if (this.#open !== null) {
      this.chunks.push(this.#filled === chunkBytes ? this.#open : this.#open.slice(0, this.#filled));
    }
    this.#open = null;
    this.#filled = 0;
  }
}
