import { useSyncExternalStore } from 'react';
import { formatInstant, formatMoment, formatSince } from './format-time.ts';
import classes from './time-ago.module.css';

/** The greatest age in words such as "3 minutes ago". */
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

/**
 * The present time in Unix milliseconds. A component that uses it is rendered every {@link tickMs}; all share one
 * timer.
 */
function useNow(): number {
  useSyncExternalStore(subscribe, () => ticks);
  return Date.now();
}

interface TimeAgoProps {
  /** Unix milliseconds; null for never. */
  readonly at: number | null;
  readonly never?: string;
  /** In a line of text: the exact time follows instead of standing below. */
  readonly isInline?: boolean;
  /** Without room: the exact time is shown on hover alone. */
  readonly isBrief?: boolean;
}

/** `3 hours ago`, and the exact time with its zone. */
export function TimeAgo({ at, never = 'never', isInline = false, isBrief = false }: TimeAgoProps) {
  const now = useNow();
  if (at === null) return <span>{never}</span>;
  return (
    <time dateTime={new Date(at).toISOString()} title={formatInstant(at)}>
      {formatSince(at, now)}
      {!isBrief && (
        <span className={classes.exact} data-inline={isInline || undefined}>
          {isInline && ' · '}
          {formatMoment(at)}
        </span>
      )}
    </time>
  );
}
