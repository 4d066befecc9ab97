/**
 * Messages to another thread. Those of one pass of the event loop, or of `delayMs`, are posted together. Bounded by the
 * requests in flight, each of which has at most one.
 */
export class MessageBatch<Item> {
  readonly #send: (items: readonly Item[]) => void;
  #items: Item[] = [];
  /** Milliseconds for which the first item waits for others. 0: until the end of this pass of the event loop. */
  delayMs = 0;

  constructor(send: (items: readonly Item[]) => void) {
    this.#send = send;
  }

  add(item: Item): void {
    this.#items.push(item);
    if (this.#items.length > 1) return;
    if (this.delayMs === 0) setImmediate(() => this.flush());
    else setTimeout(() => this.flush(), this.delayMs);
  }

  flush(): void {
    if (this.#items.length === 0) return;
    const items = this.#items;
    this.#items = [];
    this.#send(items);
  }
}

/** Up to this size, copying costs less than transferring the memory. */
const copiedBytesMax = 16 * 1024;

/**
 * Memory that is transferred to another thread instead of being copied. The sender can no longer use it.
 * @param all each at the beginning of memory of its own, or null
 * @returns the transfer list of a message
 */
export function transferredBytes(all: readonly (Uint8Array | null)[]): ArrayBuffer[] {
  return all.flatMap((bytes) => {
    if (bytes === null || bytes.length <= copiedBytesMax) return [];
    const { buffer, byteOffset } = bytes;
    const isOwn = buffer instanceof ArrayBuffer && byteOffset === 0 && buffer.byteLength < 2 * bytes.length;
    return isOwn ? [buffer] : [];
  });
}
