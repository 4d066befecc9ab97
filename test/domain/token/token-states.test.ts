import t from 'tap';
import { activeTokensMax, tokenLifetimeMaxMs } from '../../../src/domain/bounds.ts';
import { ProblemList } from '../../../src/domain/problem-list.ts';
import { permitsEnvironment, tokenStatus } from '../../../src/domain/token/token.ts';
import { addTokenProblems, newToken, tokenExpiryDays } from '../../../src/domain/token/token-creation.ts';
import { replacementOf, revoked, rotationProblem } from '../../../src/domain/token/token-rotation.ts';
import { tokenOf } from '../../storage/support/records.ts';
import { projectWith } from '../management/domain-fixture.ts';

/* The specification's token lifecycle: each state and trigger, at the limits of its times. */
const dayMs = 24 * 60 * 60 * 1000;
const now = 1_750_000_000_000;
const project = projectWith(null);
const made = { id: 'Token000000000000002', projectId: project.id, by: 'Member00000000000001', at: now };
const wish = { name: 'ci', permission: 'write', environments: null, expiryDays: 365 } as const;
const secretHash = new Uint8Array(32).fill(7);

function problemsWith(unrevoked: number): string {
  const problems = new ProblemList();
  addTokenProblems(wish, project, unrevoked, problems);
  return problems.detail();
}

t.test('creation: the 50th token is made, the 51st is not', async (t) => {
  t.equal(activeTokensMax, 50);
  for (const unrevoked of [0, 1, 48, 49]) t.equal(problemsWith(unrevoked), '', `beside ${unrevoked}`);
  for (const unrevoked of [50, 51]) t.match(problemsWith(unrevoked), new RegExp(`has ${unrevoked} tokens`));
});

t.test('creation: a token is active from then on', async (t) => {
  for (const expiryDays of tokenExpiryDays) {
    t.equal(tokenStatus(newToken({ ...wish, expiryDays }, made, secretHash), now), 'active');
  }
});

t.test(
  'expiry: a token of 365 days works to the last millisecond, and not at exactly 365 days',
  async (t) => {
    const token = newToken(wish, made, secretHash);
    t.equal(tokenLifetimeMaxMs, 365 * dayMs);
    t.equal(token.expiresAt, now + 365 * dayMs);
    t.equal(tokenStatus(token, now + 365 * dayMs - 1), 'active');
    t.equal(tokenStatus(token, now + 365 * dayMs), 'expired');
    t.equal(tokenStatus(token, now + 365 * dayMs + 1), 'expired');
  },
);

t.test('expiry: each choice ends exactly after its days, and Never does not end', async (t) => {
  for (const expiryDays of tokenExpiryDays) {
    const token = newToken({ ...wish, expiryDays }, made, secretHash);
    if (expiryDays === 0) {
      t.equal(token.expiresAt, 0);
      t.equal(tokenStatus(token, Number.MAX_SAFE_INTEGER), 'active');
      continue;
    }
    t.equal(tokenStatus(token, now + expiryDays * dayMs - 1), 'active', `${expiryDays} days`);
    t.equal(tokenStatus(token, now + expiryDays * dayMs), 'expired', `${expiryDays} days`);
  }
});

t.test('revocation: from active and from expired, at once and for good', async (t) => {
  for (const expiresAt of [0, now + 1, now, now - 1]) {
    const before = tokenOf(project.id, { expiresAt, revision: 4 });
    const after = revoked(before, now);
    t.strictSame(after, { ...before, revokedAt: now, revision: 5 });
    for (const later of [now - dayMs, now, now + 1, now + 1000 * dayMs]) {
      t.equal(tokenStatus(after, later), 'revoked', `${expiresAt} at ${later}`);
    }
  }
});

t.test('rotation: from active only, up to the millisecond before it expires', async (t) => {
  t.equal(rotationProblem(tokenOf(project.id), now), null);
  t.equal(rotationProblem(tokenOf(project.id, { expiresAt: now + 1 }), now), null);
  t.match(rotationProblem(tokenOf(project.id, { expiresAt: now }), now), /has expired/);
  t.match(rotationProblem(tokenOf(project.id, { expiresAt: now - 1 }), now), /has expired/);
  t.match(rotationProblem(tokenOf(project.id, { revokedAt: now }), now), /has been revoked/);
  const both = tokenOf(project.id, { revokedAt: 5, expiresAt: now });
  t.match(rotationProblem(both, now), /has been revoked/);
});

t.test('rotation: the replacement has the same name, permission, environments and expiry', async (t) => {
  const shared = {
    name: 'deploy',
    permission: 'read',
    environments: ['staging', 'gone'],
    expiresAt: now + 12_345,
  } as const;
  const before = tokenOf(project.id, { ...shared, denialEmailedAt: now - 1, createdAt: 1, revision: 9 });
  const after = replacementOf(before, made, secretHash);
  t.match(after, shared);
  t.match(after, { id: made.id, projectId: project.id, createdBy: made.by, createdAt: now });
  t.match(after, { revokedAt: null, denialEmailedAt: 0, revision: 1 });
  t.strictSame(after.secretHash, secretHash);
  t.equal(tokenStatus(after, now + 12_345 - 1), 'active');
  t.equal(tokenStatus(after, now + 12_345), 'expired', 'it lives no longer than the original would have');
});

t.test('environments are permitted by name: all, those of the list, or none', async (t) => {
  t.ok(permitsEnvironment(tokenOf(project.id, { environments: null }), 'any'));
  const limited = tokenOf(project.id, { environments: ['staging'] });
  t.ok(permitsEnvironment(limited, 'staging'));
  for (const other of ['Staging', 'staging ', '', 'production']) t.notOk(permitsEnvironment(limited, other));
  t.notOk(permitsEnvironment(tokenOf(project.id, { environments: [] }), 'staging'));
});
