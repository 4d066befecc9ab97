import { useSyncExternalStore } from 'react';

/** A value that is shared by the whole page. Components read it with `useSharedValue`. */
export class SharedValue<Value> {
  #present: Value;
  readonly #listeners = new Set<() => void>();

  constructor(first: Value) {
    this.#present = first;
  }

  get present(): Value {
    return this.#present;
  }

  set(next: Value): void {
    this.#present = next;
    for (const listener of this.#listeners) listener();
  }

  /** The same function each time, as React requires. @returns a function that ends it */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

/** @param see the part of the value that is shown: the component is rendered again when it has changed */
export function useSharedValue<Value, Seen>(value: SharedValue<Value>, see: (present: Value) => Seen): Seen {
  return useSyncExternalStore(value.subscribe, () => see(value.present));
}
