import t from 'tap';
import type { AuditEntry } from '../../../src/domain/audit/audit-entry.ts';
import { quotaDayOf, secondsUntilQuota } from '../../../src/domain/organisation/write-quota.ts';
import type { RecordChange } from '../../../src/domain/record-change.ts';
import { auditEntryOf } from '../../storage/support/records.ts';

const ledgerId = 'L'.repeat(20);
const token = { kind: 'token', id: 'T'.repeat(20), name: 'ci' } as const;
const member = { kind: 'member', id: 'M'.repeat(20), name: 'Ann' } as const;
const noon = Date.UTC(2026, 10, 23, 12);

function asked(entry: Partial<AuditEntry>): readonly RecordChange[] {
  return [{ kind: 'audit', entry: auditEntryOf(ledgerId, { at: noon, actor: token, ...entry }) }];
}

function seconds(changes: readonly RecordChange[], written: number, bytesMax = 800): number | null {
  return secondsUntilQuota(changes, bytesMax, (id, day) =>
    id === ledgerId && day === quotaDayOf(noon) ? written : 0,
  );
}

t.test('a token is refused once the quota is used up, until the next day in UTC', async (t) => {
  t.equal(seconds(asked({}), 799), null);
  t.equal(seconds(asked({}), 800), 12 * 3600);
  t.equal(seconds(asked({ at: noon + 1 }), 800), 12 * 3600, 'not earlier');
  t.equal(seconds(asked({ at: noon + 12 * 3600_000 - 1 }), 800), 1);
  t.equal(seconds(asked({ at: noon + 12 * 3600_000 }), 800), null, 'the next day has its own quota');
});

t.test('a further eighth is reserved for members', async (t) => {
  t.equal(seconds(asked({ actor: member }), 899), null);
  t.equal(seconds(asked({ actor: member }), 900), 12 * 3600);
});

t.test('the quota does not limit the operator, deletions, or requests that change nothing', async (t) => {
  t.equal(seconds(asked({ actor: { kind: 'operator', id: '', name: 'operator' } }), 9000), null);
  for (const action of ['token.revoke', 'member.remove', 'flag.delete'] as const) {
    t.equal(seconds(asked({ actor: member, action }), 9000), null);
  }
  t.equal(seconds([], 9000), null);
});

t.test('without a quota no change is refused', async (t) => t.equal(seconds(asked({}), 9000, 0), null));
