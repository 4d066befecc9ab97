import { formatInstant, formatSince } from './format-time.ts';
import { useNow } from './use-now.ts';

interface TimeAgoProps {
  /** Unix milliseconds; null is never. */
  readonly at: number | null;
  readonly never?: string;
}

/** `3 hours ago`, with the exact moment on hover. */
export function TimeAgo({ at, never = 'never' }: TimeAgoProps) {
  const now = useNow();
  if (at === null) return <span>{never}</span>;
  return (
    <time dateTime={new Date(at).toISOString()} title={formatInstant(at)}>
      {formatSince(at, now)}
    </time>
  );
}
