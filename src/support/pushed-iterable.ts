import { assert } from './assert.ts';

/** An iterable of what is pushed, one item at a time: `push` resolves once the item was taken and the next one is wanted. */
export class PushedIterable<T> implements AsyncIterable<T> {
  #item: { readonly value: T; taken(): void } | null = null;
  #end: { readonly fault: Error | null } | null = null;
  #wake: () => void = () => undefined;

  push(value: T): Promise<void> {
    assert(this.#item === null && this.#end === null, 'an item is pushed after the one before was taken');
    return new Promise((resolve) => {
      this.#item = { value, taken: resolve };
      this.#wake();
    });
  }

  end(): void {
    this.#end = { fault: null };
    this.#wake();
  }

  /** The consumer gets this as an exception. */
  fail(fault: Error): void {
    this.#end = { fault };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const item = this.#item;
      if (item !== null) {
        yield item.value;
        this.#item = null;
        item.taken();
      } else if (this.#end !== null) {
        if (this.#end.fault !== null) throw this.#end.fault;
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
