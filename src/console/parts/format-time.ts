import { once } from './once.ts';

const toTheMinute = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  // An abbreviation such as CET where the language has one, otherwise the distance from GMT.
  timeZoneName: 'short',
} as const;
// A browser reads its tables of a language for each of these: made when first used, they don't hold up the first page.
const moment = once(() => new Intl.DateTimeFormat('en-GB', toTheMinute));
const instant = once(() => new Intl.DateTimeFormat('en-GB', { ...toTheMinute, second: '2-digit' }));
const time = once(() => new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }));
const weekday = once(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'full' }));
const day = once(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' }));
/** "Yesterday" and "last year" are calendar terms; hours that have passed are counted here. */
const relative = once(() => new Intl.RelativeTimeFormat('en', { numeric: 'always' }));

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** Unix milliseconds as text, in the reader's time zone, which it names: to the minute. */
export function formatMoment(at: number): string {
  return moment().format(at);
}

/** The same to the second. */
export function formatInstant(at: number): string {
  return instant().format(at);
}

/** The time of day alone, for a line below its day. */
export function formatTime(at: number): string {
  return time().format(at);
}

/** The day with its weekday and the zone, as a heading. */
export function formatWeekday(at: number): string {
  const zone = moment()
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName');
  return `${weekday().format(at)}, ${zone?.value}`;
}

export function formatDay(at: number): string {
  return day().format(at);
}

/** A past time in whole units that have passed, a future time in the nearest unit; the largest unit that fits. */
export function formatSince(at: number, now: number): string {
  const distance = at - now;
  const unit = units.find(([, length]) => Math.abs(distance) >= length);
  if (unit === undefined) return distance > 0 ? 'in a moment' : 'just now';
  const [name, length] = unit;
  return relative().format(distance > 0 ? Math.round(distance / length) : Math.ceil(distance / length), name);
}

/** The beginning of a day in the reader's time zone, for an address that others open: `2026-01-31T00:00+01:00`. */
export function zonedDay(day: string): string {
  const minutes = -new Date(`${day}T00:00`).getTimezoneOffset();
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const zone = [hours, rest].map((part) => String(part).padStart(2, '0')).join(':');
  return `${day}T00:00${minutes < 0 ? '-' : '+'}${zone}`;
}
