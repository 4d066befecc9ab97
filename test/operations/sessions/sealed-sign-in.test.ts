import t from 'tap';
import { pendingLifetimeMs } from '../../../src/domain/session/used-sign-in.ts';
import {
  openSignIn,
  type PendingSignIn,
  proofOf,
  sealSignIn,
} from '../../../src/operations/sessions/open-id/sealed-sign-in.ts';

const begunAt = 1_750_000_000_000;
const signIn: PendingSignIn = {
  ...proofOf('a state', 'key'),
  begunAt,
  ...{ linkSecret: 'a link', organisation: 'Acme', back: '/console/', limitKey: '192.0.2.1' },
};

t.test('what is sealed is opened by the same key alone, for its own state', async (t) => {
  const sealed = sealSignIn(signIn, 'key');
  t.match(sealed, /^[\w-]+$/, 'as a cookie has it');
  t.strictSame(openSignIn(sealed, signIn.state, 'key', begunAt), signIn);
  t.not(sealSignIn(signIn, 'key'), sealed, 'never the same twice');
  t.equal(openSignIn(sealed, signIn.state, 'another key', begunAt), null);
  t.equal(openSignIn(sealed, 'another state', 'key', begunAt), null);
  const text = Buffer.from(sealed, 'base64url').toString('latin1');
  t.notMatch(text, 'a link');
  for (const [name, value] of Object.entries(proofOf('another state', 'key')))
    t.not(value, signIn[name as keyof PendingSignIn]);
  t.not(proofOf('a state', 'another key').codeVerifier, signIn.codeVerifier);
});

t.test('no changed bit, and no part of it, is taken', async (t) => {
  const bytes = Buffer.from(sealSignIn(signIn, 'key'), 'base64url');
  const taken: string[] = [];
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
    if (openSignIn(changed.toString('base64url'), signIn.state, 'key', begunAt) !== null)
      taken.push(`bit ${bit}`);
  }
  for (let length = 0; length < bytes.length; length += 1) {
    const part = bytes.subarray(0, length).toString('base64url');
    if (openSignIn(part, signIn.state, 'key', begunAt) !== null) taken.push(`${length} bytes`);
  }
  t.strictSame(taken, []);
});

t.test('it can be finished until it is ten minutes old, by clocks that differ by less', async (t) => {
  const sealed = sealSignIn(signIn, 'key');
  const isOpenAt = (ms: number): boolean => openSignIn(sealed, signIn.state, 'key', begunAt + ms) !== null;
  t.ok(isOpenAt(pendingLifetimeMs - 1));
  t.notOk(isOpenAt(pendingLifetimeMs));
  t.ok(isOpenAt(-1000), 'a clock that is behind');
  t.notOk(isOpenAt(-pendingLifetimeMs), 'it is bounded, whatever the clocks are');
});
