import { useSyncExternalStore } from 'react';

/** A value that the whole page shares. Components read it with `useSharedValue`. */
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

  /** The same function each time, as React wants it. @returns ends it */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

/** @param see what is shown of the value: the component is drawn again when that has changed */
export function useSharedValue<Value, Seen>(value: SharedValue<Value>, see: (present: Value) => Seen): Seen {
  return useSyncExternalStore(value.subscribe, () => see(value.present));
}
