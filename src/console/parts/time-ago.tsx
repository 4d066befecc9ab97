import { formatMoment, formatSince } from './format-time.ts';

interface TimeAgoProps {
  /** Unix milliseconds; null is never. */
  readonly at: number | null;
  readonly never?: string;
}

/** `3 hours ago`, with the exact moment on hover. */
export function TimeAgo({ at, never = 'never' }: TimeAgoProps) {
  if (at === null) return <span>{never}</span>;
  return (
    <time dateTime={new Date(at).toISOString()} title={formatMoment(at)}>
      {formatSince(at, Date.now())}
    </time>
  );
}
