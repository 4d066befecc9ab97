const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** Unix milliseconds in words, in the reader's time zone. */
export function formatMoment(at: number): string {
  return moment.format(at);
}

export function formatDay(at: number): string {
  return day.format(at);
}

/** How long ago, or how long still, in the largest unit that fits. */
export function formatSince(at: number, now: number): string {
  const distance = at - now;
  const unit = units.find(([, length]) => Math.abs(distance) >= length);
  if (unit === undefined) return distance > 0 ? 'in a moment' : 'just now';
  return relative.format(Math.trunc(distance / unit[1]), unit[0]);
}
