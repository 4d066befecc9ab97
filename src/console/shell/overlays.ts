import { useSyncExternalStore } from 'react';
import { keepTypedAhead, takeTypedAhead } from './typed-ahead.ts';

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

/** People type on after Ctrl+K: what comes before the palette has the focus is kept for it. */
export function openOverlay(overlay: Overlay): void {
  if (overlay === 'palette') keepTypedAhead();
  set(overlay);
}

export function closeOverlay(): void {
  takeTypedAhead();
  set(null);
}

export function useOverlay(): Overlay | null {
  return useSyncExternalStore(subscribe, () => shown);
}
