import { useLayoutEffect, useState, useSyncExternalStore } from 'react';

/** The open dialogs, the newest last. */
let open: readonly symbol[] = [];
const listeners = new Set<() => void>();

function set(next: readonly symbol[]): void {
  open = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether no dialog was opened after the one that asks, which is open as long as it is rendered. */
export function useIsTopmost(): boolean {
  const [self] = useState(() => Symbol('dialog'));
  useLayoutEffect(() => {
    set([...open, self]);
    return () => set(open.filter((other) => other !== self));
  }, [self]);
  return useSyncExternalStore(subscribe, () => !open.includes(self) || open.at(-1) === self);
}
