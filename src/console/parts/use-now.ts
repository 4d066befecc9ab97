import { useSyncExternalStore } from 'react';

/** Words such as «3 minutes ago» are at most so old. */
const tickMs = 30_000;

let ticks = 0;
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function tick(): void {
  ticks += 1;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time, as Unix milliseconds. Whoever uses it is drawn again while time passes; one timer serves them all. */
export function useNow(): number {
  useSyncExternalStore(subscribe, () => ticks);
  return Date.now();
}
