import type { Steps } from '../support/steps.ts';
import { touchedMemory } from '../support/touched-memory.ts';

/** Shorter bodies get memory of exactly their length: clearing so few pages takes little. */
const preparedBytesMin = 128 * 1024;
/** The length of the longest body. */
const preparedBytesMax = 1024 * 1024;

/** The slice of a Buffer shares its memory, that of these bytes does not. */
function asBytes({ buffer }: Buffer): Uint8Array {
  return new Uint8Array(buffer);
}

/**
 * Memory for long bodies, a piece of each size by powers of two, whose pages were written to before. A body's bytes
 * must be copied within the call in which they come, and half a megabyte into fresh memory takes a millisecond or more.
 * What is taken is made again in steps.
 */
export class BodyMemory {
  readonly #prepared = new Map<number, Uint8Array>();
  readonly #making = new Map<number, Steps<Buffer>>();
  readonly #onWork: () => void;

  /** @param onWork called when there are steps to make */
  constructor(onWork: () => void) {
    this.#onWork = onWork;
  }

  /** @returns how long the memory is that `take` gives for so many bytes: less than twice as long */
  sizeFor(bytes: number): number {
    if (bytes <= preparedBytesMin / 2 || bytes > preparedBytesMax) return bytes;
    let size = preparedBytesMin;
    while (size < bytes) size *= 2;
    return size;
  }

  /** @param size from `sizeFor`. @returns memory with any content, which may be transferred to another thread */
  take(size: number): Uint8Array {
    const prepared = this.#prepared.get(size);
    this.#prepared.delete(size);
    if (this.#isPreparedSize(size) && !this.#making.has(size)) {
      this.#making.set(size, touchedMemory(size));
      this.#onWork();
    }
    // V8 keeps arrays of up to 64 bytes on its heap, so most bodies take no memory of malloc's.
    return (
      prepared ?? (size < preparedBytesMin ? new Uint8Array(size) : asBytes(Buffer.allocUnsafeSlow(size)))
    );
  }

  /** Takes back what nobody uses any more. */
  give(memory: Uint8Array): void {
    if (!this.#isPreparedSize(memory.length)) return;
    this.#prepared.set(memory.length, memory);
    this.#making.delete(memory.length);
  }

  #isPreparedSize(size: number): boolean {
    return size >= preparedBytesMin && size <= preparedBytesMax && this.sizeFor(size) === size;
  }

  /** Makes steps for about so many milliseconds. @returns whether there are more to make */
  run(budgetMs: number): boolean {
    const endsAt = performance.now() + budgetMs;
    for (const [size, steps] of this.#making) {
      do {
        const step = steps.next();
        if (step.done === true) {
          this.#making.delete(size);
          this.#prepared.set(size, asBytes(step.value));
          break;
        }
      } while (performance.now() < endsAt);
      if (performance.now() >= endsAt) break;
    }
    return this.#making.size > 0;
  }
}
