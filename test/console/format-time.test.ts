import t from 'tap';
import { formatDay, formatInstant, formatMoment, formatSince } from '../../src/console/parts/format-time.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = Date.UTC(2026, 10, 21, 12);

t.test('past times are shown in whole units that have passed', async (t) => {
  t.equal(formatSince(now - 59_000, now), 'just now');
  t.equal(formatSince(now - minute, now), '1 minute ago');
  t.equal(formatSince(now - 2 * hour + 1, now), '1 hour ago');
  t.equal(formatSince(now - 2 * day, now), '2 days ago');
});

t.test('future times are shown to the nearest unit', async (t) => {
  t.equal(formatSince(now + 59_000, now), 'in a moment');
  t.equal(formatSince(now + 7 * day - minute, now), 'in 7 days', 'an invitation that was just made');
  t.equal(formatSince(now + 12 * hour - minute, now), 'in 12 hours', 'a session that has just begun');
  t.equal(formatSince(now + 6 * day + hour, now), 'in 6 days');
});

t.test(
  'a time is shown to the minute, with the day before the month and its time zone, and to the second on demand',
  async (t) => {
    t.match(formatDay(now), /^2\d Nov 2026$/);
    t.match(formatMoment(now), /^2\d Nov 2026, \d\d:\d\d (UTC|[A-Z]{2,5}|GMT[+-]\d+(:\d+)?)$/);
    t.match(formatInstant(now), /^2\d Nov 2026, \d\d:\d\d:\d\d (UTC|[A-Z]{2,5}|GMT[+-]\d+(:\d+)?)$/);
  },
);
