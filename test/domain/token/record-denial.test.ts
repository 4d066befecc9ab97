import t from 'tap';
import type { Denial } from '../../../src/domain/token/denial.ts';
import { recordDenial } from '../../../src/domain/token/record-denial.ts';
import type { Token } from '../../../src/domain/token/token.ts';

const day = 24 * 60 * 60 * 1000;
const emailedAt = 1_700_000_000_000;

function tokenEmailedAt(denialEmailedAt: number): Token {
  return {
    id: 'Token000000000000001',
    projectId: 'Project0000000000001',
    name: 'ci',
    permission: 'read',
    environments: null,
    expiresAt: 0,
    createdBy: null,
    createdAt: 1000,
    revokedAt: null,
    secretHash: new Uint8Array(32),
    denialEmailedAt,
    revision: 3,
  };
}

function denialAt(at: number): Denial {
  const route = 'PATCH /api/v1/flags/{id}';
  const reason = 'insufficient-permission';
  return { tokenId: 'Token000000000000001', at, reason, route, environment: null, address: '192.0.2.1' };
}

t.test('the first denial is recorded and mailed, and the token remembers when', async (t) => {
  const token = tokenEmailedAt(0);
  const denial = denialAt(5);
  t.strictSame(recordDenial(token, denial), [
    { kind: 'activity', denial },
    { kind: 'outbox', entry: { kind: 'denial-email', denial } },
    { kind: 'token', before: token, after: { ...token, denialEmailedAt: 5 } },
  ]);
});

t.test('the next email goes 24 hours after the last one and not a millisecond earlier', async (t) => {
  const token = tokenEmailedAt(emailedAt);
  const kinds = (at: number) => recordDenial(token, denialAt(at)).map(({ kind }) => kind);
  t.strictSame(kinds(emailedAt), ['activity']);
  t.strictSame(kinds(emailedAt + day - 1), ['activity']);
  t.strictSame(kinds(emailedAt + day), ['activity', 'outbox', 'token']);
  t.strictSame(kinds(emailedAt - 10 * day), ['activity'], 'no email is sent when the clock goes back');
});
