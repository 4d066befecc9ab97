import { useSyncExternalStore } from 'react';

export type Overlay = 'palette' | 'help';

let shown: Overlay | null = null;
const listeners = new Set<() => void>();

function set(next: Overlay | null): void {
  shown = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function openOverlay(overlay: Overlay): void {
  set(overlay);
}

export function closeOverlay(): void {
  set(null);
}

export function useOverlay(): Overlay | null {
  return useSyncExternalStore(subscribe, () => shown);
}
