import t from 'tap';
import { sessionsMax } from '../../../src/domain/bounds.ts';
import {
  isSessionOver,
  needsTouch,
  sessionEndsAt,
  sessionIdleMs,
  sessionLifetimeMs,
  sessionTouchMs,
} from '../../../src/domain/session/session.ts';
import { beginSession, touchSession } from '../../../src/domain/session/session-changes.ts';
import { creationOf, memberOf, sessionOf } from '../../storage/support/records.ts';
import { newStore } from '../../storage/support/sample-store.ts';

/* A session at the limits of its lifetime. */
const hourMs = 60 * 60 * 1000;
const now = 1_750_000_000_000;
const member = memberOf();

t.test('it ends after exactly 12 hours without a request', async (t) => {
  t.equal(sessionIdleMs, 12 * hourMs);
  const session = sessionOf(member.id, { createdAt: now, lastSeenAt: now + hourMs });
  t.notOk(isSessionOver(session, now + 13 * hourMs - 1));
  t.ok(isSessionOver(session, now + 13 * hourMs));
  t.equal(sessionEndsAt(session), now + 13 * hourMs);
});

t.test('it ends exactly 14 days after sign-in, despite any use', async (t) => {
  const end = now + 14 * 24 * hourMs;
  t.equal(now + sessionLifetimeMs, end);
  const session = sessionOf(member.id, { createdAt: now, lastSeenAt: end - 1 });
  t.notOk(isSessionOver(session, end - 1));
  t.ok(isSessionOver(session, end));
  t.equal(sessionEndsAt(session), end);
});

t.test('its shown end is its end', async (t) => {
  for (const lastSeenAt of [now, now + hourMs, now + sessionLifetimeMs - hourMs]) {
    const session = sessionOf(member.id, { createdAt: now, lastSeenAt });
    t.notOk(isSessionOver(session, sessionEndsAt(session) - 1));
    t.ok(isSessionOver(session, sessionEndsAt(session)));
  }
});

t.test('a clock that has gone back ends nothing and touches nothing', async (t) => {
  const session = sessionOf(member.id, { createdAt: now, lastSeenAt: now });
  t.notOk(isSessionOver(session, now - 1000 * hourMs));
  t.notOk(needsTouch(session, now - 1000 * hourMs));
});

t.test('its use is recorded once in five minutes, from exactly then', async (t) => {
  t.equal(sessionTouchMs, 5 * 60 * 1000);
  const { store } = newStore(t);
  const before = sessionOf(member.id, { createdAt: now, lastSeenAt: now });
  store.write(({ apply }) => apply([creationOf('member', member), creationOf('session', before)]));
  const touched = (at: number) => store.write(({ queries }) => touchSession(queries, before.id, at));
  t.strictSame(touched(now + sessionTouchMs - 1), []);
  const after = { ...before, lastSeenAt: now + sessionTouchMs };
  t.strictSame(touched(now + sessionTouchMs), [{ kind: 'session', before, after }]);
  store.write(({ apply }) => apply([{ kind: 'session', before, after }]));
  t.strictSame(touched(now + 2 * sessionTouchMs - 1), [], 'from the last recorded use');
  store.write(({ apply }) => apply([{ kind: 'session', before: after, after: null }]));
  t.strictSame(touched(now + 9 * sessionTouchMs), [], 'an ended session stays ended');
});

t.test('a member has 50 sessions: expired ones are replaced first, then the longest unused', async (t) => {
  const { store } = newStore(t);
  const over = sessionOf(member.id, { createdAt: now - sessionIdleMs, lastSeenAt: now - sessionIdleMs });
  const open = Array.from({ length: sessionsMax }, (_, index) =>
    sessionOf(member.id, { createdAt: now - hourMs, lastSeenAt: now - hourMs + index }),
  );
  const [longestUnused, next, ...others] = open;
  store.write(({ apply }) =>
    apply(
      [member, over, ...open].map((one) =>
        'email' in one ? creationOf('member', one) : creationOf('session', one),
      ),
    ),
  );
  const begun = sessionOf(member.id);
  const endedBy = (presented: typeof over | null) =>
    store
      .write(({ queries }) => beginSession(queries, begun, presented, now))
      .flatMap((change) => (change.kind === 'session' && change.after === null ? [change.before?.id] : []))
      .sort();
  t.strictSame(
    endedBy(null),
    [over.id, longestUnused?.id].sort(),
    'the 51st makes the longest unused one end',
  );
  const presented = others[0] ?? over;
  t.strictSame(endedBy(presented), [over.id, presented.id].sort(), 'the presented session is replaced');
  store.write(({ apply }) =>
    apply(
      [over, longestUnused, next].flatMap((one) =>
        one === undefined ? [] : [{ kind: 'session', before: one, after: null } as const],
      ),
    ),
  );
  t.strictSame(endedBy(null), [], 'the 49th and 50th end none');
});
